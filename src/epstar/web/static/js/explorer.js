/** The explorer: the question on one side, the trade-offs and the chosen point on the other. */

import { ask, isAbort, Refused } from "./api.js";
import { Chart } from "./chart.js";
import { Chooser } from "./chooser.js";
import { announce, fill, h } from "./dom.js";
import { capital, exact, notionTitle, number } from "./format.js";
import { BASELINES, swatch } from "./palette.js";
import { Point } from "./point.js";
import { isGain, problem, Unclear } from "./problem.js";
import { Question } from "./question.js";

const POINTS = 41;
const PATIENCE_MS = 180;
const ASKED = ["labels", "weights", "query", "source", "cost", "notions"];
const TYPING = "The question is being changed: press Enter or leave the field, and it is answered.";

/** @returns {boolean} whether an element is a field into which something is written that counts once it is left */
const isWritten = (element) => element.matches("textarea, input:not([type=range], [type=checkbox])") && !element.closest("details.counts");

export class Explorer {
  #abort = new AbortController();
  #timer = 0;
  #curves = new Map();
  #breakpoints = new Map();
  #baselines = null;
  #problems = [];
  #isComputing = false;
  #isTyping = false;
  #typed = 0;
  #before = "";

  /** @param {import("./state.js").Store} store @param {object} known notions and limits */
  constructor(store, known) {
    this.store = store;
    this.titles = new Map(known.notions.map(({ name, title }) => [name, title]));
    this.question = new Question(store, known);
    this.chart = new Chart((place, at) => store.set({ focus: place, at }));
    this.chooser = new Chooser(store, (sentence) => this.point.clear(sentence));
    this.point = new Point(store, this.titles);
    this.legend = h("div", { class: "legend", role: "radiogroup", "aria-label": "Curve to look at" });
    this.marks = h("p", { class: "small soft" });
    this.progress = h("div", { class: "progress", hidden: true });
    this.problem = h("div", { role: "alert" });
    this.table = h("details", {}, h("summary", {}, "The curves as a table"), h("div", { class: "scroll" }));
    this.compare = h("input", { type: "checkbox", checked: store.state.baselines, onchange: () => store.set({ baselines: this.compare.checked }) });
    this.waiting = h("p", { class: "waiting", hidden: true });
    this.card = h(
      "section",
      { class: "card stack", "aria-labelledby": "curves-title", "aria-busy": "false" },
      h("header", {}, h("h2", { id: "curves-title" }, "Trade-off"), h("label", { class: "switch small" }, this.compare, "Compare with the usual mechanisms")),
      this.legend, this.problem, h("div", { class: "chart-box" }, this.chart.element, this.waiting), this.marks, this.progress, this.chooser.element, this.table,
    );
    this.main = h("main", { id: "main", tabindex: "-1" }, h("h1", { class: "visually-hidden" }, "Privacy and distortion"), this.card, this.point.element);
    this.element = h("div", { class: "explore" }, this.question.element, this.main);
    for (const [form, isPoint] of [[this.question.element, false], [this.chooser.element, true]]) {
      form.addEventListener("focusin", (event) => { this.#before = event.target.value; });
      form.addEventListener("input", (event) => isWritten(event.target) && this.#hold(isPoint));
      form.addEventListener("keydown", (event) => event.key === "Enter" && event.target.matches("input") && this.#left(event.target, false));
      form.addEventListener("focusout", (event) => this.#left(event.target, true));
    }
    this.#expect();
    this.#start();
  }

  /** Follow a change of the state. */
  update(changes) {
    this.#isTyping = false;
    this.#before = document.activeElement?.value ?? "";
    this.question.update(changes);
    if (changes.all || ASKED.some((name) => name in changes)) this.#askAgain();
    else if ("focus" in changes) {
      this.#askBaselines();
      this.#draw();
      this.point.show(this.#problems[this.store.state.focus]);
    } else if ("at" in changes) {
      this.#draw();
      this.point.show(this.#problems[this.store.state.focus]);
    } else if ("baselines" in changes) this.#askBaselines();
  }

  /** Draw again in other colours. */
  recolour() {
    this.question.update({ notions: true });
    this.#draw();
  }

  #askAgain() {
    this.#expect();
    this.#timer = setTimeout(() => this.#start(), PATIENCE_MS);
  }

  /** At once, show nothing any more that answers another question than the one in the form. */
  #expect() {
    this.#abort.abort();
    clearTimeout(this.#timer);
    const { state } = this.store;
    try {
      // What the counts stand for only the server knows.
      this.#problems = state.source.kind === "counts" ? [] : state.notions.map((notion) => problem(state, notion, null));
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.#problems = [];
    }
    this.#isComputing = true;
    this.#baselines = null;
    fill(this.problem);
    this.#draw();
    this.point.expect(this.#problems[state.focus]);
  }

  /** Somebody writes into a field: what is shown answers what it was before. */
  #hold(isPoint) {
    this.#typed += 1;
    if (!this.#isTyping) {
      this.#isTyping = true;
      if (!isPoint) {
        this.#abort.abort();
        clearTimeout(this.#timer);
        this.#problems = [];
        this.#stop();
        this.#draw();
      }
    }
    this.point.clear(TYPING, true);
  }

  /**
   * A field was left or confirmed. What it holds is the question from now on, unless it is as it had been, or cannot be
   * meant and is given up: then the question is the one before.
   */
  #left(field, isGivenUp) {
    const [typed, before] = [this.#typed, this.#before];
    // Whoever listens to the field itself hears of it first.
    setTimeout(() => {
      const isBefore = field.value === before || (isGivenUp && field.matches("[aria-invalid=true]"));
      if (!this.#isTyping || typed !== this.#typed || !isBefore) return;
      this.#isTyping = false;
      if (this.question.element.querySelector(".bar [aria-invalid=true]")) this.question.update({ weights: true });
      this.#askAgain();
    });
  }

  /** Nothing is computed any more. */
  #stop() {
    this.#isComputing = false;
    this.progress.hidden = true;
  }

  async #start() {
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    const { state } = this.store;
    try {
      const region = state.source.kind === "counts" ? (await ask("source", { counts: state.weights, confidence: state.source.confidence, shape: state.source.shape })).source : null;
      if (signal.aborted) return;
      this.#problems = state.notions.map((notion) => problem(state, notion, region));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refused || error instanceof Unclear)) throw error;
      this.#refuse(error.message);
      return;
    }
    const wanted = new Set(this.#problems.map((document) => JSON.stringify(document)));
    for (const known of [this.#curves, this.#breakpoints]) for (const key of known.keys()) if (!wanted.has(key)) known.delete(key);
    this.#draw();
    if (!this.#problems.length) {
      this.#refuse("Choose at least one notion to compare.");
      return;
    }
    this.point.show(this.#problems[state.focus]);
    await this.#askCurves(signal);
  }

  async #askCurves(signal) {
    const progress = new Map();
    const report = () => this.#showProgress(progress, signal);
    const failures = [];
    const each = this.#problems.map(async (document, place) => {
      const key = JSON.stringify(document);
      if (this.#curves.has(key)) return;
      progress.set(place, 0);
      const timer = setTimeout(report, 400);
      try {
        const found = await ask("curve", { problem: document, points: POINTS }, { signal, progress: (done, total) => { progress.set(place, done / total); report(); } });
        this.#curves.set(key, found);
        this.#draw();
        if (found.points.length < found.asked) failures.push(`${notionTitle(this.store.state.notions[place], this.titles)}: the time limit passed; ${found.points.length} of ${found.asked} points are shown.`);
      } catch (error) {
        if (isAbort(error)) return;
        if (!(error instanceof Refused)) throw error;
        failures.push(`${notionTitle(this.store.state.notions[place], this.titles)}: ${error.message}`);
      } finally {
        clearTimeout(timer);
        progress.delete(place);
      }
    });
    await Promise.all(each);
    if (signal.aborted) return;
    this.#stop();
    this.#draw();
    if (failures.length) fill(this.problem, failures.map((sentence) => h("p", { class: "notice" }, sentence)));
    announce(failures.length ? failures.join(" ") : `${this.#problems.length} trade-off curves are shown.`);
    this.#askBaselines();
    this.#askBreakpoints(signal);
  }

  #askBreakpoints(signal) {
    for (const document of this.#problems) {
      const key = JSON.stringify(document);
      if (this.#breakpoints.has(key) || !this.#curves.has(key)) continue;
      ask("breakpoints", document, { signal }).then(
        (found) => {
          this.#breakpoints.set(key, found.breakpoints);
          this.#draw();
        },
        // The curve stands without its marks, where finding them takes too long.
        (error) => { if (!isAbort(error) && !(error instanceof Refused)) throw error; },
      );
    }
  }

  async #askBaselines() {
    const { state } = this.store;
    const document = this.#problems[state.focus];
    this.#baselines = null;
    if (state.baselines && document) {
      try {
        const found = await ask("baselines", document);
        if (document === this.#problems[this.store.state.focus] && this.store.state.baselines) this.#baselines = found;
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
      }
    }
    this.#draw();
  }

  #draw() {
    const { state } = this.store;
    const drawn = this.#problems.flatMap((document, place) => {
      const key = JSON.stringify(document);
      const curve = this.#curves.get(key);
      return curve && state.notions[place] ? [{ title: notionTitle(state.notions[place], this.titles), place, curve, breakpoints: this.#breakpoints.get(key) ?? [] }] : [];
    });
    const axis = isGain(state) ? "utility" : "distortion";
    const focused = drawn.find(({ place }) => place === state.focus);
    this.chooser.show(focused ?? null, axis);
    this.chart.draw(drawn, this.#baselines, this.chooser.place(), axis);
    this.#drawLegend();
    this.#drawMarks();
    this.#drawTable(drawn, axis);
    this.#drawWaiting(drawn.length, state.notions.length);
  }

  #drawWaiting(drawn, asked) {
    const isWaiting = this.#isComputing && drawn < asked;
    this.card.setAttribute("aria-busy", String(isWaiting));
    this.waiting.hidden = !isWaiting || drawn > 0;
    fill(this.waiting, `Computing ${asked === 1 ? "the curve" : `${asked} curves`} for ${this.store.state.labels.length} inputs …`);
  }

  #drawLegend() {
    const { notions, focus } = this.store.state;
    const held = this.legend.contains(document.activeElement);
    fill(
      this.legend,
      notions.map((notion, place) =>
        h("button", {
          type: "button", class: "chip", role: "radio", "aria-checked": String(place === focus), tabindex: place === focus ? "0" : "-1",
          onclick: () => this.store.set({ focus: place }), onkeydown: (event) => this.#turn(event, place),
        }, swatch(place), notionTitle(notion, this.titles)),
      ),
    );
    if (held) this.legend.querySelector('[aria-checked="true"]')?.focus();
  }

  #turn(event, place) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const count = this.store.state.notions.length;
    this.store.set({ focus: (place + step + count) % count });
  }

  #drawMarks() {
    const signs = { "x-thin-open": "✕", "triangle-up-open": "△", "square-open": "□" };
    const names = Object.entries(BASELINES).map(([name, mark]) => `${signs[mark]} ${name}`);
    fill(this.marks, "Click a point to see its mechanism. ● breakpoints, ○ → ● jumps", this.#baselines ? `; beside the curve that is looked at: ${names.join(", ")}` : "", ".");
  }

  #drawTable(drawn, axis) {
    if (!this.table.open) {
      this.table.ontoggle = () => this.table.open && this.#draw();
      fill(this.table.querySelector(".scroll"));
      return;
    }
    const rows = drawn.flatMap(({ title, curve }) =>
      curve.points.map((point) => h("tr", {}, h("th", { scope: "row" }, title), h("td", { class: "number" }, number(point.x)), h("td", { class: "number" }, number(point.lower, 9)), h("td", { class: "number" }, number(point.upper, 9)), h("td", {}, exact(point.exact)), h("td", {}, point.method ?? point.status))),
    );
    const head = ["Notion", capital(axis), "At least", "At most", "Exactly", "Method"].map((name) => h("th", { scope: "col" }, name));
    fill(this.table.querySelector(".scroll"), h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
  }

  #showProgress(progress, signal) {
    if (signal.aborted || !progress.size) return;
    const count = this.#problems.length;
    const done = count - progress.size + [...progress.values()].reduce((a, b) => a + b, 0);
    this.progress.hidden = false;
    fill(
      this.progress,
      h("progress", { max: count, value: done, "aria-label": "Computing the curves" }),
      h("button", { type: "button", onclick: () => this.#cancel() }, "Cancel"),
    );
  }

  #cancel() {
    this.#abort.abort();
    this.#refuse("The computation was cancelled; change the question to start another.");
  }

  #refuse(sentence) {
    this.#stop();
    this.#draw();
    fill(this.problem, h("p", { class: "notice" }, sentence));
    this.point.clear("There is no answer to show.");
  }
}
