/** The question: the data, what is known about their frequencies, the cost of a wrong answer, the ways to measure privacy. */

import { ask, isAbort, Refused } from "./api.js";
import { bars } from "./bars.js";
import { countsForm } from "./counts.js";
import { chosenConditions, conditionsForm } from "./conditions.js";
import { field, fill, h, select, unique } from "./dom.js";
import { fileForm, fileOf, fileText, pointOf, shortNotion } from "./file.js";
import { capital, notionTitle } from "./format.js";
import { notionPicker } from "./notions.js";
import { asked, countsQuestion, inputs, prior, problem, scaledToOne, source, total, Unclear } from "./problem.js";

const QUERIES = [
  ["count", "Count"], ["sum", "Sum"], ["average", "Average"], ["max", "Maximum"], ["min", "Minimum"], ["median", "Median"],
  ["plurality", "Most frequent value"], ["plurality_with_tie", "Most frequent value, or a tie"], ["parity", "Parity"], ["any", "Any at all"],
  ["distinct", "Distinct values"], ["count_mod", "Count modulo"], ["identity", "The database itself"],
];
const UNIVERSES = [
  ["categories", "One answer of each person"], ["databases", "A whole small database"], ["graph", "Categories with chosen neighbours"],
  ["metric", "Categories with distances"], ["query", "The answer of a query"], ["file", "What a problem file says"],
];
const SOURCES = [
  ["prior", "Exactly these frequencies"], ["box", "Each within a margin"], ["ball", "All within a total margin"], ["finite", "One of several lists"],
  ["hull", "Any mixture of several lists"], ["polytope", "Whatever meets some conditions"], ["counts", "A sample: these are its counts"], ["everything", "Nothing is known"],
];
const COSTS = [
  ["hamming", "Right or wrong"], ["absolute", "How far off (absolute difference)"], ["squared", "How far off, squared"],
  ["matrix", "A table of costs"], ["gain", "A table of gains"], ["frequencies", "Error of the estimated frequencies"],
];
const titled = (options, value) => options.find(([name]) => name === value)?.[1] ?? value;

/** The form that asks the question: five parts, each folded to the line that says what is chosen. */
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
    this.titles = new Map(known.notions.map(({ name, title }) => [name, title]));
    const part = (title, open) => {
      const chosen = h("span", { class: "chosen-line" });
      const body = h("div", { class: "part-body" });
      const element = h("details", { class: "part", open }, h("summary", {}, h("span", { class: "part-title" }, title), chosen), body);
      return { element, chosen, body };
    };
    // On a narrow screen the answer is in sight first.
    const isWide = matchMedia("(min-width: 60rem)").matches;
    this.data = part("Data", isWide);
    this.law = part("What is known about the frequencies", false);
    this.cost = part("Cost of a wrong answer", false);
    this.notions = part("Ways to measure privacy loss", false);
    this.more = part("Further conditions", false);
    this.undo = h("button", { type: "button", class: "quiet", onclick: () => store.undo() }, "Undo");
    this.element = h(
      "aside",
      { class: "question", "aria-label": "The question" },
      h("header", {}, h("h2", {}, "Your question"), this.undo),
      this.data.element, this.law.element, this.cost.element, this.notions.element, this.more.element,
    );
    this.#draw({ all: true });
  }

  /** Show what has changed. */
  update(changes) {
    this.#draw(changes);
  }

  #draw(changes) {
    const has = (...names) => changes.all || names.some((name) => name in changes);
    const isFile = Boolean(this.store.state.file);
    for (const one of [this.law, this.cost, this.more]) one.element.hidden = isFile;
    if (isFile && has("file", "notions")) this.#drawFile();
    if (!isFile && has("labels", "shares", "query", "source", "universe", "file")) this.#drawData();
    if (has("source", "query", "universe")) this.#drawLaw();
    if (has("cost", "labels", "query")) this.#drawCost();
    if (has("notions")) this.#drawNotions();
    if (has("more", "labels")) this.#drawMore();
    this.undo.disabled = !this.store.canUndo;
  }

  /** A problem file has taken the place of the form, except for the notions that it is compared by. */
  #drawFile() {
    const held = this.data.body.querySelector("textarea") === document.activeElement;
    const kind = select(UNIVERSES, "file", (value) => this.#choose(value));
    fill(this.data.body, field("What is protected", kind), fileForm(this.store.state.file, (text) => this.#useFile(text)));
    this.data.chosen.textContent = `A problem file about ${inputs(this.store.state)}`;
    if (held) this.data.body.querySelector("textarea").focus();
  }

  /** What a file says is asked as it stands; what is wrong with it is said in the place of the answer. */
  #useFile(file) {
    try {
      const found = fileOf({ file });
      this.store.set({ file, focus: 0, notions: [shortNotion(found.notion)], at: pointOf(found) });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.store.set({ file });
    }
  }

  /** The question in the form, as a problem file. */
  #written() {
    const { state } = this.store;
    try {
      const found = problem(state, state.notions[state.focus] ?? { name: "differential_privacy" }, null);
      return fileText({ ...found, at: state.at ? asked(state) : undefined });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return "{}";
    }
  }

  #drawMore() {
    const { more } = this.store.state;
    const others = this.known.notions.filter((notion) => !notion.needs_table);
    const held = [...this.more.body.querySelectorAll("input, select, button")].indexOf(document.activeElement);
    fill(this.more.body, conditionsForm(more, others, (changes) => this.store.set({ more: { ...this.store.state.more, ...changes } })));
    this.more.chosen.textContent = chosenConditions(more);
    if (held >= 0) this.more.body.querySelectorAll("input, select, button")[held]?.focus();
  }

  #drawData() {
    const { state } = this.store;
    const focus = document.activeElement?.closest?.(".bar") ? this.#focused() : null;
    const opened = this.data.body.querySelector("details.counts");
    let found = { isCounted: false, isUsable: false, shown: "" };
    try {
      found = total(state);
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
    }
    const isCounted = found.isCounted || state.source.kind === "counts";
    const rows = bars({
      labels: state.labels, shares: state.shares, isCounted, fixed: Boolean(state.query), reach: this.#reach, change: (change) => this.store.set(change),
    });
    const kind = select(UNIVERSES, state.query ? "query" : state.universe.kind, (value) => this.#choose(value));
    const scrolled = this.data.body.querySelector(".bars")?.scrollTop ?? 0;
    const list = opened ?? countsForm(this.known.limits.inputs, (pasted) => this.store.set({ ...pasted, at: "" }));
    fill(
      this.data.body,
      field("What is protected", kind), state.query ? this.#queryForm() : this.#universeForm(), rows, this.#sumLine(found, isCounted),
      state.query ? null : this.#buttons(isCounted), state.query ? null : list,
    );
    this.data.chosen.textContent = `${state.labels.length.toLocaleString("en")} ${state.query ? "answers of a query" : "categories"}`;
    this.data.body.querySelector(".bars").scrollTop = scrolled;
    if (focus) this.data.body.querySelectorAll(".bar")[focus.row]?.querySelectorAll("input, .track")[focus.control]?.focus();
    this.#askReach();
  }

  /** What the numbers add up to, and a way to make them add up to one. */
  #sumLine({ isCounted, isUsable, isOne, shown }, areCounts) {
    if (areCounts) return h("p", { class: "sum small soft" }, isCounted || isOne ? `${shown} in all; the frequencies are each count's share.` : "");
    return h(
      "p",
      { class: `sum small ${isUsable ? "soft" : "wrong"}`, role: "status" },
      shown ? `Sum ${shown}` : "",
      isUsable ? " ✓" : ", and it should be 1. ",
      isUsable ? null : h("button", { type: "button", onclick: () => this.#scale() }, "Scale to 1"),
    );
  }

  #scale() {
    try {
      this.store.set({ shares: scaledToOne(this.store.state) });
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
    }
  }

  #focused() {
    const row = document.activeElement.closest(".bar");
    return { row: [...this.data.body.querySelectorAll(".bar")].indexOf(row), control: [...row.querySelectorAll("input, .track")].indexOf(document.activeElement) };
  }

  #buttons(isCounted) {
    const { state } = this.store;
    const size = state.labels.length;
    const add = () => {
      let n = size + 1;
      while (state.labels.includes(`category ${n}`)) n += 1;
      this.store.set({ labels: [...state.labels, `category ${n}`], shares: [...state.shares, "0"] });
    };
    const even = () => this.store.set({ shares: state.shares.map(() => (isCounted ? "100" : `1/${size}`)) });
    return h(
      "div",
      { class: "row" },
      h("button", { type: "button", onclick: add, disabled: size >= this.known.limits.inputs }, "Add a category"),
      h("button", { type: "button", onclick: even }, "Make equal"),
    );
  }

  /** What is needed beside the categories: rows of databases, neighbours, distances. */
  #universeForm() {
    const { universe, labels } = this.store.state;
    const change = (changes) => this.store.set({ universe: { ...this.store.state.universe, ...changes }, at: "" });
    if (universe.kind === "databases") {
      return [field("Rows of a database", h("input", { inputmode: "numeric", value: universe.rows, onchange: (event) => change({ rows: event.target.value.trim() }) })), h("p", { class: "small soft" }, `All ${labels.length} categories for each row; two databases are neighbours if they differ in one row.`)];
    }
    if (universe.kind === "graph") {
      return [field("Neighbours, two on each line", h("textarea", { rows: "4", spellcheck: "false", value: universe.edges, onchange: (event) => change({ edges: event.target.value }) })), h("p", { class: "small soft" }, "The loss bounds how well neighbours can be told apart. For categories further apart it adds up over the steps between them.")];
    }
    if (universe.kind === "metric") {
      return [field("Distances, a row for each category (inf for infinitely far)", h("textarea", { rows: "4", spellcheck: "false", value: universe.metric, onchange: (event) => change({ metric: event.target.value }) })), h("p", { class: "small soft" }, "The loss is per unit of distance.")];
    }
    return [];
  }

  #queryForm() {
    const { query } = this.store.state;
    const change = (changes) => this.#setQuery({ ...query, ...changes });
    const whole = (name, title) => field(title, h("input", { type: "number", min: "1", max: "60", step: "1", value: query[name] ?? 3, onchange: (e) => change({ [name]: Number(e.target.value) }) }));
    const problem = h("p", { class: "field-problem", role: "alert", id: "query-problem" });
    return h(
      "div",
      { class: "stack" },
      field("Query", select(QUERIES, query.name, (name) => change({ name }))),
      h("div", { class: "fields" }, whole("individuals", "Individuals"), whole("values", "Values of each"), query.name === "count_mod" ? whole("modulus", "Modulus") : null),
      problem,
    );
  }

  #choose(kind) {
    const { state } = this.store;
    if (kind === "query") {
      this.#setQuery({ name: "count", individuals: 5, values: 2 });
      return;
    }
    if (kind === "file") {
      this.store.set({ file: this.#written() });
      return;
    }
    const small = { labels: ["no", "yes"], shares: ["0.6", "0.4"] };
    const start = kind === "databases" ? small : state.query ? { labels: ["a", "b", "c", "d"], shares: ["0.4", "0.3", "0.2", "0.1"] } : {};
    const labels = start.labels ?? state.labels;
    const edges = labels.slice(1).map((label, i) => `${labels[i]} - ${label}`).join("\n");
    const metric = labels.map((_, i) => labels.map((__, j) => Math.abs(i - j)).join(", ")).join("\n");
    this.store.set({ ...start, ...this.#usual(), query: null, file: "", at: "", universe: { kind, rows: "2", differ: false, edges: kind === "graph" ? edges : "", metric: kind === "metric" ? metric : "" } });
  }

  /** A notion that only a file can say goes with its file. */
  #usual() {
    const notions = this.store.state.notions.filter(({ name }) => this.known.notions.some((known) => known.name === name && !known.needs_table));
    return { notions: notions.length ? notions : [{ name: "differential_privacy" }], focus: 0 };
  }

  async #setQuery({ modulus, ...query }) {
    if (query.name === "count_mod") query.modulus = modulus ?? 3;
    const number = (this.#queries += 1);
    try {
      const described = await ask("query", { query });
      // An answer about a query that was changed since is dropped.
      if (number !== this.#queries) return;
      const labels = described.answers.map((answer) => (typeof answer === "object" && answer !== null ? JSON.stringify(answer.rational ?? answer) : String(answer)));
      const same = labels.length === this.store.state.shares.length && this.store.state.query;
      this.store.set({ ...this.#usual(), query, labels, file: "", at: "", shares: same ? this.store.state.shares : labels.map(() => `1/${labels.length}`), universe: { ...this.store.state.universe, kind: "categories" } });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const place = document.getElementById("query-problem");
      if (place) place.textContent = error.message;
    }
  }

  #drawLaw() {
    const { source: law, universe, query } = this.store.state;
    const change = (changes) => this.store.set({ source: { ...this.store.state.source, ...changes } });
    const typed = (name) => h("input", { value: law[name], inputmode: "decimal", onchange: (event) => change({ [name]: event.target.value.trim() }) });
    const area = (title, name, value) => field(title, h("textarea", { rows: "4", spellcheck: "false", value, onchange: (event) => change({ [name]: event.target.value }) }));
    // Made only when it is chosen: what some begin with grows with the square of the categories.
    const parts = {
      prior: () => [],
      box: () => [field("Margin of each probability", typed("radius"))],
      ball: () => [field("Total margin (L1 distance)", typed("radius"))],
      finite: () => [area("Lists of probabilities, one on each line", "hull", law.hull || this.#corners()), h("p", { class: "small soft" }, "One of these lists is true; nobody knows which.")],
      hull: () => [area("Lists of probabilities, one on each line", "hull", law.hull || this.#corners()), h("p", { class: "small soft" }, "The frequencies may be any mixture of these.")],
      polytope: () => [area("Conditions, one on each line", "polytope", law.polytope || this.#conditions()), h("p", { class: "small soft" }, "A coefficient for each category, <= and a bound: 1, -2, 0 <= 0 says that the first is at most twice the second.")],
      counts: () => [
        h(
          "div",
          { class: "fields" },
          field("Confidence", typed("confidence")),
          field("Shape", select([["box", "Box"], ["ball", "Ball"]], law.shape, (shape) => change({ shape }))),
        ),
      ],
      everything: () => [h("p", { class: "small soft" }, "The answer holds for the worst frequencies, whatever the bars say.")],
    };
    const id = unique("law");
    fill(
      this.law.body,
      h("label", { for: id, class: "visually-hidden" }, "What is known about the frequencies"),
      select(SOURCES, law.kind, (kind) => this.#chooseLaw(kind), { id }),
      parts[law.kind]?.() ?? [],
      universe.kind === "databases" && !query ? this.#rowsForm() : null,
    );
    this.law.chosen.textContent = titled(SOURCES, law.kind);
  }

  /** How the rows of a database are distributed: independently, all alike or each in its own way. */
  #rowsForm() {
    const { universe } = this.store.state;
    const change = (event) => this.store.set({ universe: { ...this.store.state.universe, differ: event.target.checked } });
    return [
      h("p", { class: "small soft" }, "This is about each row; rows are drawn independently of each other."),
      h("label", { class: "switch" }, h("input", { type: "checkbox", checked: universe.differ, onchange: change }), "Each row may have frequencies of its own"),
    ];
  }

  #chooseLaw(kind) {
    const { state } = this.store;
    const isList = kind === "hull" || kind === "finite";
    this.store.set({ source: { ...state.source, kind, hull: isList && !state.source.hull ? this.#corners() : state.source.hull, polytope: kind === "polytope" && !state.source.polytope ? this.#conditions() : state.source.polytope } });
  }

  /** Two lists to begin with: the bars, and equal frequencies. */
  #corners() {
    const { state } = this.store;
    const even = state.shares.map(() => `1/${state.shares.length}`);
    try {
      return [prior(state), even].map((row) => row.join(", ")).join("\n");
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      return even.join(", ");
    }
  }

  /** Conditions to begin with: the categories stand in the order of their frequencies. */
  #conditions() {
    const size = this.store.state.shares.length;
    return Array.from({ length: size - 1 }, (_, i) => `${Array.from({ length: size }, (__, j) => (j === i ? -1 : j === i + 1 ? 1 : 0)).join(", ")} <= 0`).join("\n");
  }

  #drawCost() {
    const { cost, labels } = this.store.state;
    const change = (changes) => this.store.set({ cost: { ...this.store.state.cost, ...changes }, at: "" });
    const needsTable = cost.kind === "matrix" || cost.kind === "gain";
    const needsRows = cost.kind === "frequencies";
    const begin = (kind) => (kind === "matrix" || kind === "gain" ? start(kind) : kind === "frequencies" ? "1000" : "");
    const start = (kind) => labels.map((_, i) => labels.map((__, j) => (kind === "gain" ? Number(i === j) : Math.abs(i - j))).join(", ")).join("\n");
    const id = unique("cost");
    fill(
      this.cost.body,
      h("label", { for: id, class: "visually-hidden" }, "Cost of a wrong answer"),
      select(COSTS, cost.kind, (kind) => change({ kind, table: begin(kind) }), { id }),
      needsRows ? [field("People who answer", h("input", { inputmode: "numeric", value: cost.table, onchange: (e) => change({ table: e.target.value }) })), h("p", { class: "small soft" }, "The expected squared errors of the frequencies, estimated from all released answers, added up.")] : null,
      needsTable
        ? field("A row for each input, a column for each output", h("textarea", { rows: String(Math.min(8, labels.length + 1)), spellcheck: "false", value: cost.table || start(cost.kind), onchange: (e) => change({ table: e.target.value }) }))
        : null,
    );
    this.cost.chosen.textContent = titled(COSTS, cost.kind);
  }

  #drawNotions() {
    const { notions } = this.store.state;
    const focus = document.activeElement?.closest?.(".notion")?.dataset.name;
    fill(
      this.notions.body,
      notionPicker(this.known.notions.filter(({ name, needs_table: needsTable }) => !needsTable || notions.some((notion) => notion.name === name)), notions, (next) => {
        const looked = this.store.state.notions[this.store.state.focus]?.name;
        const focused = Math.max(0, next.findIndex(({ name }) => name === looked));
        this.store.set({ notions: next, focus: focused });
      }),
    );
    this.notions.chosen.textContent = notions.length === 1 ? capital(notionTitle(notions[0], this.titles)) : `${notions.length} compared`;
    if (focus) this.notions.body.querySelector(`[data-name="${focus}"] input`)?.focus();
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
      if (question === this.#reachFor && found.lower.length === this.store.state.shares.length) this.#showReach(found);
    } catch (error) {
      if (!(error instanceof Refused || isAbort(error))) throw error;
    }
  }

  /** @returns {object | null} null where there is nothing to show beside the bars */
  #reachQuestion() {
    const { state } = this.store;
    const { kind } = state.source;
    if (kind === "prior" || kind === "everything" || state.universe.kind === "databases") return null;
    try {
      return kind === "counts" ? countsQuestion(state) : { source: source(state, null) };
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
