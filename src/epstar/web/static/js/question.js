/** The left side of the explorer: the data, what is known of their law, the cost, the notions. */

import { ask, isAbort, Refused } from "./api.js";
import { bars } from "./bars.js";
import { countsForm } from "./counts.js";
import { field, fill, h, select } from "./dom.js";
import { notionPicker } from "./notions.js";
import { prior, source, Unclear } from "./problem.js";

const QUERIES = [
  ["count", "Count"], ["sum", "Sum"], ["average", "Average"], ["max", "Maximum"], ["min", "Minimum"], ["median", "Median"],
  ["plurality", "Most frequent value"], ["plurality_with_tie", "Most frequent value, or a tie"], ["parity", "Parity"], ["any", "Any at all"],
  ["distinct", "Distinct values"], ["count_mod", "Count modulo"], ["identity", "The database itself"],
];
const SOURCES = [
  ["prior", "Exactly these probabilities"], ["box", "Each within a margin (box)"], ["ball", "Within a total margin (ball)"],
  ["hull", "Mixtures of several priors (hull)"], ["counts", "These are counts, with a confidence"], ["everything", "Nothing is known"],
];
const COSTS = [
  ["hamming", "Wrong or right (Hamming)"], ["absolute", "Absolute difference"], ["squared", "Squared difference"],
  ["matrix", "A table of costs"], ["gain", "A table of gains"],
];

/** The form that asks the question. */
export class Question {
  #reach = null;
  #reachFor = "null";
  #queries = 0;

  /**
   * @param {import("./state.js").Store} store
   * @param {{notions: object[], limits: {inputs: number}}} known
   */
  constructor(store, known) {
    this.store = store;
    this.known = known;
    this.data = h("section", { class: "card" });
    this.law = h("section", { class: "card" });
    this.cost = h("section", { class: "card" });
    this.notions = h("section", { class: "card" });
    this.element = h("aside", { class: "question", "aria-label": "The question" }, this.data, this.law, this.cost, this.notions);
    this.#draw({ all: true });
  }

  /** Show what has changed. */
  update(changes) {
    this.#draw(changes);
  }

  #draw(changes) {
    const has = (...names) => changes.all || names.some((name) => name in changes);
    if (has("labels", "weights", "query", "source")) this.#drawData();
    if (has("source", "query")) this.#drawLaw();
    if (has("cost", "labels", "query")) this.#drawCost();
    if (has("notions")) this.#drawNotions();
  }

  #drawData() {
    const { state } = this.store;
    const focus = document.activeElement?.closest?.(".bar") ? this.#focused() : null;
    const opened = this.data.querySelector("details.counts")?.open;
    const body = state.query ? this.#queryForm() : this.#alphabetForm();
    const rows = bars({
      labels: state.labels, weights: state.weights, counts: state.source.kind === "counts", fixed: Boolean(state.query), reach: this.#reach,
      change: (change) => this.store.set(change),
    });
    const kind = select([["alphabet", "Letters of an alphabet"], ["query", "Answers of a query"]], state.query ? "query" : "alphabet", (value) => this.#choose(value));
    const scrolled = this.data.querySelector(".bars")?.scrollTop ?? 0;
    fill(this.data, h("h2", {}, "Data"), field("What is to be protected", kind), state.query ? body : null, rows, state.query ? null : body);
    this.data.querySelector(".bars").scrollTop = scrolled;
    if (opened) this.data.querySelector("details.counts").open = true;
    if (focus) this.data.querySelectorAll(".bar")[focus.row]?.querySelectorAll("input, .track")[focus.control]?.focus();
    this.#askReach();
  }

  #focused() {
    const row = document.activeElement.closest(".bar");
    return { row: [...this.data.querySelectorAll(".bar")].indexOf(row), control: [...row.querySelectorAll("input, .track")].indexOf(document.activeElement) };
  }

  #alphabetForm() {
    const { state } = this.store;
    const add = () => {
      let n = state.labels.length + 1;
      while (state.labels.includes(`letter ${n}`)) n += 1;
      const typical = Math.max(1, Math.round(state.weights.reduce((a, b) => a + b, 0) / state.weights.length / 2));
      this.store.set({ labels: [...state.labels, `letter ${n}`], weights: [...state.weights, typical] });
    };
    const even = () => this.store.set({ weights: state.weights.map(() => (state.source.kind === "counts" ? 100 : 1)) });
    const full = state.labels.length >= this.known.limits.inputs;
    return h(
      "div",
      { class: "stack" },
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", onclick: add, disabled: full }, "Add a letter"),
        h("button", { type: "button", onclick: even }, "Make uniform"),
      ),
      countsForm(this.known.limits.inputs, (found) => this.store.set(found)),
    );
  }

  #queryForm() {
    const { query } = this.store.state;
    const change = (changes) => this.#setQuery({ ...query, ...changes });
    const whole = (name, title) => field(title, h("input", { type: "number", min: "1", max: "60", step: "1", value: query[name] ?? 3, onchange: (e) => change({ [name]: Number(e.target.value) }) }));
    const problem = h("p", { class: "small", role: "alert", id: "query-problem" });
    return h(
      "div",
      { class: "stack" },
      field("Query", select(QUERIES, query.name, (name) => change({ name }))),
      h("div", { class: "fields" }, whole("individuals", "Individuals"), whole("values", "Values of each"), query.name === "count_mod" ? whole("modulus", "Modulus") : null),
      problem,
    );
  }

  #choose(kind) {
    if (kind === "query") this.#setQuery({ name: "count", individuals: 5, values: 2 });
    else this.store.set({ query: null, labels: ["a", "b", "c", "d"], weights: [40, 30, 20, 10] });
  }

  async #setQuery({ modulus, ...query }) {
    if (query.name === "count_mod") query.modulus = modulus ?? 3;
    const number = (this.#queries += 1);
    try {
      const described = await ask("query", { query });
      // An answer about a query that was changed since is dropped.
      if (number !== this.#queries) return;
      const labels = described.answers.map((answer) => (typeof answer === "object" && answer !== null ? JSON.stringify(answer.rational ?? answer) : String(answer)));
      const same = labels.length === this.store.state.weights.length && this.store.state.query;
      this.store.set({ query, labels, weights: same ? this.store.state.weights : labels.map(() => 1) });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const place = document.getElementById("query-problem");
      if (place) place.textContent = error.message;
    }
  }

  #drawLaw() {
    const { source: law } = this.store.state;
    const change = (changes) => this.store.set({ source: { ...this.store.state.source, ...changes } });
    const typed = (name) => h("input", { value: law[name], inputmode: "decimal", onchange: (event) => change({ [name]: event.target.value.trim() }) });
    const parts = {
      prior: [],
      box: [field("Margin of each probability", typed("radius"))],
      ball: [field("Total margin (L1 distance)", typed("radius"))],
      hull: [
        field("Priors, one on each line", h("textarea", { rows: "4", spellcheck: "false", value: law.hull || this.#corners(), onchange: (event) => change({ hull: event.target.value }) })),
        h("p", { class: "small soft" }, "The law may be any mixture of these."),
      ],
      counts: [
        h(
          "div",
          { class: "fields" },
          field("Confidence", typed("confidence")),
          field("Shape", select([["box", "Box"], ["ball", "Ball"]], law.shape, (shape) => change({ shape }))),
        ),
      ],
      everything: [h("p", { class: "small soft" }, "The worst law of all counts; the bars do not matter.")],
    };
    fill(
      this.law,
      h("h2", { id: "law-title" }, "What is known of their law"),
      select(SOURCES, law.kind, (kind) => change({ kind, hull: kind === "hull" && !law.hull ? this.#corners() : law.hull }), { "aria-labelledby": "law-title" }),
      parts[law.kind] ?? [],
    );
  }

  /** Two priors to begin a hull with: the bars, and the uniform one. */
  #corners() {
    const { state } = this.store;
    return [prior(state), state.weights.map(() => `1/${state.weights.length}`)].map((row) => row.join(", ")).join("\n");
  }

  #drawCost() {
    const { cost, labels } = this.store.state;
    const change = (changes) => this.store.set({ cost: { ...this.store.state.cost, ...changes } });
    const needsTable = cost.kind === "matrix" || cost.kind === "gain";
    const start = (kind) => labels.map((_, i) => labels.map((__, j) => (kind === "gain" ? Number(i === j) : Math.abs(i - j))).join(", ")).join("\n");
    fill(
      this.cost,
      h("h2", { id: "cost-title" }, "Cost of a wrong answer"),
      select(COSTS, cost.kind, (kind) => change({ kind, table: kind === "matrix" || kind === "gain" ? start(kind) : "" }), { "aria-labelledby": "cost-title" }),
      needsTable
        ? field("A row for each input, a column for each output", h("textarea", { rows: String(Math.min(8, labels.length + 1)), spellcheck: "false", value: cost.table || start(cost.kind), onchange: (e) => change({ table: e.target.value }) }))
        : null,
    );
  }

  #drawNotions() {
    const focus = document.activeElement?.closest?.(".notion")?.dataset.name;
    // On a narrow screen the list would push the picture far down.
    const open = this.notions.querySelector("details")?.open ?? matchMedia("(min-width: 60rem)").matches;
    const summary = h("summary", {}, `${this.store.state.notions.length} of ${this.known.notions.length} notions`);
    fill(
      this.notions,
      h("h2", {}, "Privacy notions to compare"),
      h("details", { open }, summary, notionPicker(this.known.notions, this.store.state.notions, (notions) => {
        const looked = this.store.state.notions[this.store.state.focus]?.name;
        const focused = Math.max(0, notions.findIndex(({ name }) => name === looked));
        this.store.set({ notions, focus: focused });
      })),
    );
    if (focus) this.notions.querySelector(`[data-name="${focus}"] input`)?.focus();
  }

  /** Ask how far the source reaches, to show it on the bars. */
  async #askReach() {
    const document = this.#reachQuestion();
    const question = JSON.stringify(document);
    if (question === this.#reachFor) return;
    this.#reachFor = question;
    this.#showReach(null);
    if (document === null) return;
    try {
      const found = await ask("source", document);
      if (question === this.#reachFor && found.lower.length === this.store.state.weights.length) this.#showReach(found);
    } catch (error) {
      if (!(error instanceof Refused || isAbort(error))) throw error;
    }
  }

  /** @returns {object | null} null where there is nothing to show beside the bars */
  #reachQuestion() {
    const { state } = this.store;
    const { kind, confidence, shape } = state.source;
    if (kind === "prior" || kind === "everything") return null;
    try {
      return kind === "counts" ? { counts: state.weights, confidence, shape } : { source: source(state, null) };
    } catch (error) {
      if (error instanceof Unclear) return null;
      throw error;
    }
  }

  #showReach(reach) {
    if (reach === this.#reach) return;
    this.#reach = reach;
    this.#drawData();
  }
}
