/** The claims of the papers with their verdicts; counterexamples can be run again. */

import { ask, Refused, request } from "./api.js";
import { announce, field, fill, h, lead, select } from "./dom.js";
import { number } from "./format.js";
import { heatmap } from "./heatmap.js";
import { withFormulas } from "./math.js";

// A claim that "holds" was right in each of its cases, which proves it only where they are all.
const VERDICTS = [["holds", "Not refuted"], ["holds with erratum", "Misprinted"], ["fails", "False"], ["open", "Open"]];
const NAMES = { holds: "not refuted", "holds with erratum": "misprinted, true as corrected", fails: "false", open: "open" };
const KINDS = { holds: "good", "holds with erratum": "warn", fails: "bad", open: "plain" };
const SIGNS = { holds: "✓", "holds with erratum": "≈", fails: "✗", open: "?" };
const STEP = 30;

export class Theorems {
  #claims = [];
  #most = STEP;

  /** @param {import("./state.js").Store} store */
  constructor(store) {
    this.store = store;
    this.filters = h("section", { class: "card stack", "aria-labelledby": "theorems-title" });
    this.list = h("ul", { class: "theorems" });
    this.count = h("p", { class: "small soft", role: "status" });
    this.more = h("button", { type: "button", onclick: () => this.#showMore() }, "Show more");
    this.element = h("main", { id: "main", class: "single stack", tabindex: "-1" }, lead("The papers’ claims, recomputed", "Every numbered result of five papers, tried on many cases. Where one is false, a counterexample is drawn, and you can run it again."), this.filters, this.count, this.list, this.more);
    this.#load();
  }

  update(changes) {
    if (changes.all || "theorems" in changes) {
      this.#most = STEP;
      this.#draw();
    }
  }

  async #load() {
    try {
      this.#claims = (await request("api/theorems")).theorems;
      this.#draw();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fill(this.list, h("li", { class: "notice", role: "alert" }, error.message));
    }
  }

  #set(changes) {
    this.store.set({ theorems: { ...this.store.state.theorems, ...changes } });
  }

  #draw() {
    const { theorems: asked } = this.store.state;
    const held = this.filters.contains(document.activeElement) ? document.activeElement.dataset.role : null;
    const among = (claim, skipVerdict) =>
      (skipVerdict || !asked.verdict || claim.verdict === asked.verdict) &&
      (!asked.paper || claim.paper === asked.paper) &&
      (!asked.words || `${claim.key} ${claim.authors} ${claim.label} ${claim.statement}`.toLowerCase().includes(asked.words.toLowerCase()));
    const papers = [...new Map(this.#claims.map(({ paper, authors }) => [paper, authors]))];
    const counted = this.#claims.filter((claim) => among(claim, true));
    const chip = (verdict, title) =>
      h("button", {
        type: "button", class: "chip", "data-role": `verdict-${verdict}`, "aria-pressed": String(asked.verdict === verdict),
        onclick: () => this.#set({ verdict: asked.verdict === verdict ? "" : verdict, key: "" }),
      }, `${title} ${verdict ? counted.filter((claim) => claim.verdict === verdict).length : counted.length}`);
    fill(
      this.filters,
      h("h2", { id: "theorems-title" }, "Find a claim"),
      h("div", { class: "chips", role: "group", "aria-label": "Verdict" }, chip("", "All"), VERDICTS.map(([verdict, title]) => chip(verdict, title))),
      h(
        "div",
        { class: "fields" },
        field("Paper", select([["", "All papers"], ...papers], asked.paper, (paper) => this.#set({ paper, key: "" }), { "data-role": "paper" })),
        field("Words", h("input", { type: "search", value: asked.words, "data-role": "words", onchange: (event) => this.#set({ words: event.target.value.trim(), key: "" }) })),
      ),
    );
    if (held) this.filters.querySelector(`[data-role="${held}"]`)?.focus();
    const found = this.#claims.filter((claim) => among(claim, false));
    const first = found.slice(0, this.#most);
    const asked1 = found.find(({ key }) => key === asked.key);
    if (asked1 && !first.includes(asked1)) first.unshift(asked1);
    fill(this.list, first.map((claim) => this.#claim(claim)));
    fill(this.count, `${found.length} of ${this.#claims.length} claims`);
    this.more.hidden = found.length <= this.#most;
  }

  #showMore() {
    const before = this.list.children.length;
    this.#most += STEP;
    this.#draw();
    this.list.children[before]?.querySelector("button")?.focus();
  }

  #claim(claim) {
    const more = h("div", { class: "more", hidden: true });
    const toggle = h("button", { type: "button", class: "quiet", "aria-expanded": "false", "aria-label": `Details of ${claim.authors}, ${claim.label}`, onclick: () => this.#toggle(claim, toggle, more) }, "Details");
    const element = h(
      "li",
      { class: "theorem", "data-key": claim.key },
      h("header", {}, h("h3", {}, `${claim.authors}, ${claim.label}`), badge(claim.verdict), toggle),
      h("p", { class: "statement" }, withFormulas(claim.statement)),
      more,
    );
    if (claim.key === this.store.state.theorems.key) this.#toggle(claim, toggle, more);
    return element;
  }

  async #toggle(claim, toggle, more) {
    more.hidden = !more.hidden;
    toggle.setAttribute("aria-expanded", String(!more.hidden));
    if (more.hidden || more.childNodes.length) return;
    this.store.state.theorems.key = claim.key;
    fill(more, h("p", { class: "soft" }, "Looking it up …"));
    try {
      fill(more, this.#details(await ask("theorem", { key: claim.key })));
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fill(more, h("p", { class: "notice", role: "alert" }, error.message), h("div", { class: "row" }, h("button", { type: "button", onclick: () => { fill(more); more.hidden = true; this.#toggle(claim, toggle, more); } }, "Try again")));
    }
  }

  #details(claim) {
    const parts = [["Found", claim.evidence], ["Place", claim.place], ["Given", claim.hypotheses], ["Not tried", claim.leaves_out], ["Correction", claim.correction], ["Beyond the paper", claim.beyond]].filter(([, text]) => text);
    const example = claim.counterexample;
    const outcome = h("div", { role: "status" });
    const run = (all) => (event) => this.#rerun(claim.key, all, event.currentTarget, outcome);
    return [
      h("dl", { class: "facts" }, parts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, withFormulas(text))]), h("dt", {}, "Key"), h("dd", {}, h("code", {}, claim.key))),
      example
        ? h(
            "div",
            { class: "verdict" },
            h("h4", {}, "Counterexample"),
            h("dl", { class: "facts" }, example.data.flatMap(({ name, value }) => [h("dt", {}, name), h("dd", {}, value)]), h("dt", {}, "claimed"), h("dd", {}, example.claimed), h("dt", {}, "true"), h("dd", {}, example.true)),
            example.why ? h("p", { class: "small" }, "Why: ", withFormulas(example.why), ".") : null,
            pictures(example),
          )
        : null,
      h(
        "div",
        { class: "row" },
        example ? h("button", { type: "button", class: "main", onclick: run(false) }, "Rerun the counterexample") : null,
        h("button", { type: "button", onclick: run(true) }, "Rerun all its cases"),
      ),
      outcome,
    ];
  }

  async #rerun(key, all, button, outcome) {
    button.disabled = true;
    fill(outcome, "Computing …");
    try {
      const found = await ask("rerun", all ? { key, all: true } : { key });
      fill(outcome, all ? every(found) : once(found));
      announce(outcome.textContent);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      fill(outcome, h("p", { class: "notice" }, error.message));
    } finally {
      button.disabled = false;
    }
  }
}

const badge = (verdict) => h("span", { class: `badge ${KINDS[verdict]}` }, `${SIGNS[verdict]} ${NAMES[verdict]}`);

/** A counterexample as a picture: its mechanisms and distributions, and the claimed number beside the true one. */
function pictures({ data, numbers }) {
  const places = (list) => list.map((_, i) => i);
  const drawn = data.flatMap(({ name, matrix, shares }) => {
    if (matrix) return [h("div", {}, h("h5", {}, name), heatmap(matrix, places(matrix), places(matrix[0])))];
    if (shares) return shares.map((one, k) => h("div", {}, h("h5", {}, shares.length > 1 ? `${name}, ${k + 1} of ${shares.length}` : name), levels(one.map((share, i) => [String(i), share]))));
    return [];
  });
  if (numbers) drawn.unshift(h("div", {}, h("h5", {}, "What is claimed and what is true"), levels([["claimed", numbers.claimed], ["true", numbers.true]])));
  return drawn.length ? h("div", { class: "columns" }, drawn) : null;
}

/** Numbers as bars of one scale. */
function levels(entries) {
  const most = Math.max(...entries.map(([, value]) => value));
  return h("ul", { class: "levels" }, entries.map(([name, value]) => {
    const bar = h("span", { class: `amount ${name}` });
    bar.style.width = `${(100 * value) / most}%`;
    return h("li", { class: "frequency" }, h("span", { class: "frequency-name" }, name), h("span", { class: "level-track", "aria-hidden": "true" }, bar), h("span", { class: "frequency-value" }, number(value, 4)));
  }));
}

function once({ printed_wrong: wrong, claimed, true: value, corrected }) {
  const rows = [["the paper’s claim gives", claimed], ["computed from the definitions", value], ["the corrected claim gives", corrected]].filter(([, shown]) => shown !== null);
  return h(
    "div",
    { class: "verdict" },
    h("div", {}, wrong ? h("span", { class: "badge bad" }, "✗ The claim fails on it, again") : h("span", { class: "badge good" }, "✓ The claim holds on it")),
    h("dl", { class: "facts" }, rows.flatMap(([name, shown]) => [h("dt", {}, name), h("dd", {}, shown)])),
  );
}

function every({ cases, printed_right: right, printed_wrong: wrong, verdict_stands: stands }) {
  return h("div", { class: "verdict" }, h("div", {}, h("span", { class: `badge ${stands ? "good" : "bad"}` }, stands ? "✓ The verdict stands" : "✗ The verdict does not stand")), h("p", {}, `${cases} cases: the printed claim was right on ${right} and wrong on ${wrong}.`));
}
