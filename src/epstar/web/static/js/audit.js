/** Somebody's own mechanism or proof: what it loses, whether it holds. */

import { ask, Refused } from "./api.js";
import { cells } from "./counts.js";
import { field, fill, h, lead, stopped, waiting } from "./dom.js";
import { heatmap } from "./heatmap.js";
import { lossTable } from "./losses.js";
import { size, source, table, Unclear } from "./problem.js";

const EXAMPLE = "3/4, 1/4\n1/8, 7/8";
const MOST_LETTERS = 4_000_000;

/** A table with labels around it, as it can be taken away from this page. */
function labelled(text) {
  const [[, ...outputs], ...rows] = text.split(/\r?\n/u).map(cells);
  if (!rows.length || rows.some((row) => row.length !== outputs.length + 1)) throw new Unclear("The rows have different lengths; label every output in the first row and every input in the first column.");
  const floats = rows.map(([, ...row]) => row.map(Number));
  if (floats.flat().some(Number.isNaN)) throw new Unclear("The table holds something that is not a number; write decimals between its labels.");
  return { schema: "epstar/mechanism/1", kind: "matrix", universe: { alphabet: rows.map(([name]) => name) }, outputs, floats };
}

export class Audit {
  #abort = new AbortController();

  /** @param {import("./state.js").Store} store @param {object} known */
  constructor(store, known) {
    this.store = store;
    this.titles = new Map(known.notions.map(({ name, title }) => [name, title]));
    this.box = h("textarea", { rows: "7", spellcheck: "false", value: EXAMPLE, oninput: () => this.#leave() });
    this.file = h("input", { type: "file", accept: ".json,.csv,.txt", class: "visually-hidden", "aria-label": "Open a file", onchange: () => this.#open() });
    this.law = h("input", { type: "checkbox", id: "audit-law", onchange: () => this.#leave() });
    this.result = h("div", { class: "stack", "aria-live": "polite" });
    this.card = h("section", { class: "card", "aria-label": "What was found", "aria-busy": "false" }, this.result);
    this.element = h(
      "main",
      { id: "main", class: "single", tabindex: "-1" },
      lead("Audit a mechanism, or check a proof", "See what a mechanism gives away by every measure, and whether a proof is right. You need not trust whoever made them."),
      h(
        "section",
        { class: "card stack", "aria-labelledby": "audit-title" },
        h("h2", { id: "audit-title" }, "What you were given"),
        field("A row of probabilities for each input; or an answer, a mechanism or a proof in JSON", this.box),
        h("label", { class: "switch" }, this.law, "Use the frequencies from Explore"),
        h(
          "div",
          { class: "row" },
          h("button", { type: "button", class: "main", onclick: () => this.#run() }, "Audit"),
          h("button", { type: "button", onclick: () => this.file.click() }, "Open a file"),
          this.file,
        ),
      ),
      this.card,
    );
    this.#run();
  }

  update(changes) {
    const isOther = changes.all || ["labels", "shares", "query", "universe", "source"].some((name) => name in changes);
    if (this.law.checked && isOther) this.#leave();
  }

  async #open() {
    if (!this.file.files[0]) return;
    this.#leave();
    this.box.value = (await this.file.files[0].text()).slice(0, MOST_LETTERS);
    this.#run();
  }

  /** At once, show nothing any more that is about something else than what is written in the box. */
  #leave(...instead) {
    this.#abort.abort();
    this.#abort = new AbortController();
    fill(this.result, instead.length ? instead : h("p", { class: "soft" }, "Press Audit to see what is found about it."));
    this.card.setAttribute("aria-busy", "false");
  }

  async #run() {
    this.#leave(...waiting("Measuring what it loses, and checking its proof if it has one …", () => this.#leave(...stopped("The audit was cancelled.", () => this.#run()))));
    this.card.setAttribute("aria-busy", "true");
    const { signal } = this.#abort;
    try {
      const given = this.#read();
      const parts = [];
      if (given.proof) parts.push(this.#verdict(await ask("check", given.proof, { signal })));
      if (given.mechanism) parts.push(...this.#losses(await ask("audit", { mechanism: given.mechanism, ...this.#source(given.mechanism) }, { signal })));
      signal.throwIfAborted();
      fill(this.result, parts);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refused || error instanceof Unclear)) throw error;
      fill(this.result, h("p", { class: "notice", role: "alert" }, error.message));
    }
    this.card.setAttribute("aria-busy", "false");
  }

  #read() {
    const text = this.box.value.trim();
    if (text.startsWith(",")) return { mechanism: labelled(text) };
    if (!text.startsWith("{") && !text.startsWith("[")) return { mechanism: table(text, "The probabilities") };
    let document;
    try {
      document = JSON.parse(text);
    } catch {
      throw new Unclear("This is not valid JSON; check its brackets and commas.");
    }
    if (Array.isArray(document)) return { mechanism: document };
    // Whatever is not a mechanism claims something that has a proof.
    const isClaim = document.proof || (document.schema && !String(document.schema).startsWith("epstar/mechanism/"));
    return isClaim ? { proof: document, mechanism: document.mechanism } : { mechanism: document };
  }

  #source(mechanism) {
    const { state } = this.store;
    const rows = Array.isArray(mechanism) ? mechanism.length : (mechanism.rows?.length ?? size(state));
    return this.law.checked && rows === size(state) ? { source: source(state, null) } : {};
  }

  #verdict(check) {
    if (!check.holds) return h("div", { class: "verdict" }, h("div", {}, h("span", { class: "badge bad" }, "✗ The proof does not hold")), h("p", {}, check.why));
    return h("div", { class: "verdict" }, h("div", {}, h("span", { class: "badge good" }, "✓ The proof holds")), h("p", {}, check.evidence));
  }

  #losses(audit) {
    return [heatmap(audit.matrix, audit.inputs, audit.outputs), h("h3", {}, "What it loses by every measure"), lossTable(audit.losses, this.titles)];
  }
}
