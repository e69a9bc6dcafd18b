/** One guarantee in terms of every other notion. */

import { ask, Refused } from "./api.js";
import { announce, field, fill, h, lead, select, stopped, waiting } from "./dom.js";
import { capital, exact, measured, notionTitle } from "./format.js";
import { countsQuestion, inputs, needsRegion, source, universe, Unclear } from "./problem.js";

export class Converter {
  #abort = new AbortController();
  #stated = "";

  /** @param {import("./state.js").Store} store @param {object} known */
  constructor(store, known) {
    this.store = store;
    // A notion with a table of gains has no guarantee in a number alone.
    this.known = { ...known, notions: known.notions.filter((notion) => !notion.needs_table) };
    this.titles = new Map(known.notions.map(({ name, title }) => [name, title]));
    this.form = h("section", { class: "card stack", "aria-labelledby": "convert-title" });
    this.result = h("section", { class: "card", "aria-labelledby": "follows-title" });
    this.element = h("main", { id: "main", class: "single", tabindex: "-1" }, lead("Convert a guarantee", "A guarantee by one measure of privacy loss implies guarantees by others. Each line says which, and why."), this.form, this.result);
    this.form.addEventListener("input", (event) => event.target.matches("input") && this.#hold());
    for (const left of ["focusout", "keydown"]) this.form.addEventListener(left, (event) => (left === "focusout" || event.key === "Enter") && setTimeout(() => this.#ask()));
    this.#drawForm();
    this.#ask();
  }

  update(changes) {
    // The form says how many inputs there are, which is decided in another view.
    if (changes.all || "convert" in changes || "view" in changes) this.#drawForm();
    if (this.store.state.view === "convert") this.#ask();
  }

  #drawForm() {
    const { notion, loss } = this.store.state.convert;
    const change = (changes) => this.store.set({ convert: { ...this.store.state.convert, ...changes } });
    const chosen = this.known.notions.find(({ name }) => name === notion.name) ?? this.known.notions[0];
    const held = this.form.contains(document.activeElement) ? document.activeElement.dataset.role : null;
    fill(
      this.form,
      h("h2", { id: "convert-title" }, "What is promised"),
      h(
        "div",
        { class: "fields" },
        field("Notion", select(this.known.notions.map(({ name, title }) => [name, capital(title)]), notion.name, (name) => change({ notion: { name, ...this.known.notions.find((other) => other.name === name).parameters } }), { "data-role": "notion" })),
        Object.keys(chosen.parameters).map((key) => field({ delta: "Slack δ", order: "Order α" }[key] ?? key, h("input", { value: notion[key], "data-role": key, inputmode: "decimal", onchange: (event) => change({ notion: { ...notion, [key]: event.target.value.trim() } }) }))),
        field(chosen.unit === "nats" ? "Loss in nats, such as 1 or ln(3)" : `Loss ${chosen.unit}, such as 1`, h("input", { value: loss, "data-role": "loss", onchange: (event) => change({ loss: event.target.value.trim() }) })),
      ),
      h("p", { class: "small soft" }, `For ${inputs(this.store.state)}, as in Explore, and what is known there about their frequencies.`),
    );
    if (held) this.form.querySelector(`[data-role="${held}"]`)?.focus();
  }

  /** At once, show nothing any more that follows from another guarantee than the one in the form. */
  #empty(...instead) {
    this.#abort.abort();
    this.#abort = new AbortController();
    fill(this.result, h("h2", { id: "follows-title" }, "What follows"), instead);
  }

  async #ask() {
    const { state } = this.store;
    const stated = JSON.stringify([state.convert, state.labels, state.shares, state.query, state.universe, state.source, state.file]);
    if (stated === this.#stated) return;
    this.#stated = stated;
    const rows = this.known.notions.map((notion) => h("tr", {}, h("th", { scope: "row" }, capital(notion.title)), h("td", { class: "soft", colspan: "3" }, "Computing …")));
    const cancel = h("div", {}, waiting("", () => this.#cancel())[1]);
    this.#empty(this.#table(rows), cancel);
    this.result.setAttribute("aria-busy", "true");
    const { signal } = this.#abort;
    try {
      const region = needsRegion(state) ? (await ask("source", countsQuestion(state))).source : null;
      signal.throwIfAborted();
      const question = { ...state.convert, universe: universe(state), source: source(state, region) };
      // One question for each notion, so that what is quickly known is quickly shown.
      await Promise.all(this.known.notions.map(({ name, parameters }, place) => this.#fillIn(rows[place], { ...question, to: [{ name, ...parameters }] }, signal)));
      signal.throwIfAborted();
      cancel.remove();
      announce("What follows from the guarantee is shown.");
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refused || error instanceof Unclear)) throw error;
      this.#stated = "";
      this.#empty(h("p", { class: "notice", role: "alert" }, error.message));
    }
    this.result.setAttribute("aria-busy", "false");
  }

  #cancel() {
    this.#stated = "";
    this.#empty(stopped("The computation was cancelled.", () => this.#ask()));
    this.result.setAttribute("aria-busy", "false");
  }

  /** Somebody writes into a field: what is shown follows from what it held before. */
  #hold() {
    this.#stated = "";
    this.#empty(h("p", { class: "soft" }, "You are changing the guarantee: press Enter or leave the field to see what follows."));
    this.result.setAttribute("aria-busy", "false");
  }

  async #fillIn(row, question, signal) {
    const found = await ask("convert", question, { signal });
    if (!signal.aborted) fill(row, [...this.#row(found.conversions[0]).childNodes]);
  }

  #table(rows) {
    const head = ["Notion", "At most (nats)", "Exactly", "Because"].map((name) => h("th", { scope: "col" }, name));
    return h("div", { class: "scroll" }, h("table", { class: "stacked" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
  }

  #row(row) {
    const name = h("th", { scope: "row" }, notionTitle(row.notion, this.titles));
    if (row.reason) return h("tr", {}, name, h("td", { class: "words", colspan: "3" }, row.reason));
    if (row.says_nothing) return h("tr", {}, name, h("td", { class: "words", colspan: "3" }, row.is_known ? "Nothing: the loss by this notion can be anything." : "No implication is known here."));
    const steps = row.chain.map(({ because }) => because);
    return h(
      "tr",
      {},
      name,
      h("td", { class: "number" }, measured(row.loss, row.unit)),
      h("td", { class: "number" }, exact(row.exact)),
      h("td", { class: "words" }, steps.length ? steps.map((step, i) => [i ? "; then " : "", step]).flat() : "It is what was given.", row.is_tight && steps.length ? [" ", h("span", { class: "badge good", title: "Some mechanism with this guarantee loses as much, so that no smaller number would be true" }, "tight")] : null),
    );
  }
}
