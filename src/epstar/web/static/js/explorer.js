/** The explorer: the answer, its curve and its mechanism on one side, the question on the other. */

import { ask, isAbort, Refused } from "./api.js";
import { Chart } from "./chart.js";
import { Chooser } from "./chooser.js";
import { announce, fill, h, lead } from "./dom.js";
import { capital, exact, notionTitle, number, within } from "./format.js";
import { BASELINES, swatch } from "./palette.js";
import { Point } from "./point.js";
import { axisOf, countsQuestion, inputs, needsRegion, problem, Unclear } from "./problem.js";
import { Question } from "./question.js";

const POINTS = 41;
// While somebody drags, answers follow; what changes more quickly than this is asked once.
const PATIENCE_MS = 40;
const ASKED = ["labels", "shares", "query", "universe", "source", "cost", "more", "file", "notions"];
const TYPING = "You are changing the question: press Enter or leave the field to get an answer.";

/** @returns {boolean} whether an element is a field into which something is written that counts once it is left */
const isWritten = (element) => element.matches("textarea, input:not([type=range], [type=checkbox])") && !element.closest("details.counts");

export class Explorer {
  #abort = new AbortController();
  #timer = 0;
  /** @type {Map<string, {curve: object, isWhole: boolean}>} curves by their problems, as far as they are known */
  #curves = new Map();
  /** @type {Map<string, object[]>} all breakpoints of a curve, once they are known */
  #breakpoints = new Map();
  /** @type {Map<string, string>} why the breakpoints of a curve will not be known */
  #unknown = new Map();
  #baselines = null;
  #problems = [];
  #isComputing = false;
  #startedAt = 0;
  #isTyping = false;
  #isCancelled = false;
  #typed = 0;
  #before = "";

  /** @param {import("./state.js").Store} store @param {object} known notions and limits */
  constructor(store, known) {
    this.store = store;
    this.titles = new Map(known.notions.map(({ name, title }) => [name, title]));
    this.question = new Question(store, known);
    this.chart = new Chart((place, at) => store.set({ focus: place, at }));
    this.chooser = new Chooser(store, (sentence) => this.point.clear(sentence));
    this.point = new Point(store, { titles: this.titles, units: new Map(known.notions.map(({ name, unit }) => [name, unit])) }, { emphasise: (isOn) => this.chart.emphasise(isOn), again: () => this.#askAgain(), placed: (...found) => { this.chooser.placed(...found); this.#draw(); } });
    this.legend = h("div", { class: "legend", role: "radiogroup", "aria-label": "Curve to look at" });
    this.marks = h("p", { class: "small soft marks" });
    this.progress = h("div", { class: "progress", hidden: true, role: "status" });
    this.problem = h("div", { class: "stack", role: "alert" });
    this.table = h("details", { class: "small" }, h("summary", {}, "The curve as a table"), h("div", { class: "scroll" }));
    this.compare = h("input", { type: "checkbox", checked: store.state.baselines, onchange: () => store.set({ baselines: this.compare.checked }) });
    this.waiting = h("p", { class: "waiting", hidden: true });
    this.box = h("div", { class: "chart-box" }, this.chart.element, this.waiting);
    this.card = h(
      "section",
      { class: "figure", "aria-labelledby": "curves-title", "aria-busy": "false" },
      h("h2", { id: "curves-title" }, "What accuracy costs"),
      this.legend, this.problem, this.box, this.chooser.element, this.progress, this.marks,
      h("div", { class: "row more" }, h("label", { class: "switch small" }, this.compare, "Compare with the usual mechanisms"), this.table),
    );
    const mechanism = h("section", { class: "figure", "aria-labelledby": "point-title" }, h("h2", { id: "point-title" }, "The best mechanism there"), this.point.mechanism);
    this.main = h(
      "main",
      { id: "main", tabindex: "-1" },
      lead("How much privacy does accuracy cost?", "Say how wrong released data may be. epstar finds the least privacy loss that any mechanism can have, draws the mechanism, and proves both."),
      this.point.answer,
      h("button", { type: "button", class: "to-question", onclick: () => this.#toQuestion() }, "Change the question"),
      h("div", { class: "pair" }, this.card, mechanism),
      this.point.evidence,
    );
    this.element = h("div", { class: "explore" }, this.main, this.question.element);
    for (const [form, isPoint] of [[this.question.element, false], [this.chooser.element, true]]) {
      form.addEventListener("focusin", (event) => { this.#before = event.target.value; });
      form.addEventListener("input", (event) => isWritten(event.target) && this.#hold(isPoint));
      form.addEventListener("keydown", (event) => event.key === "Enter" && event.target.matches("input") && this.#left(event.target, false));
      form.addEventListener("focusout", (event) => this.#left(event.target, true));
    }
    document.addEventListener("keydown", (event) => {
      const isField = document.activeElement?.matches("input, textarea");
      if ((event.ctrlKey || event.metaKey) && event.key === "z" && !event.shiftKey && !isField && store.state.view === "explore") store.undo();
    });
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
      this.chooser.placed("", 0, undefined);
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
      this.#problems = needsRegion(state) ? [] : state.notions.map((notion) => problem(state, notion, null));
    } catch (error) {
      if (!(error instanceof Unclear)) throw error;
      this.#problems = [];
    }
    this.#isComputing = true;
    this.#isCancelled = false;
    this.#startedAt = performance.now();
    this.#baselines = null;
    if (!this.point.expect(this.#problems[state.focus])) this.chooser.placed("", 0, undefined);
    fill(this.problem);
    this.#draw();
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
      if (!this.#isTyping || typed !== this.#typed) return;
      if (!isBefore) {
        const wrong = field.matches(".question [aria-invalid=true]") && document.getElementById(field.getAttribute("aria-describedby"))?.textContent;
        if (wrong) this.point.clear(wrong, true);
        return;
      }
      this.#isTyping = false;
      if (this.question.element.querySelector(".bar [aria-invalid=true]")) this.question.update({ shares: true });
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
      const region = needsRegion(state) ? (await ask("source", countsQuestion(state))).source : null;
      if (signal.aborted) return;
      this.#problems = state.notions.map((notion) => problem(state, notion, region));
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof Refused || error instanceof Unclear)) throw error;
      this.#refuse(error.message);
      return;
    }
    const wanted = new Set(this.#problems.map((document) => JSON.stringify(document)));
    for (const known of [this.#curves, this.#breakpoints, this.#unknown]) for (const key of known.keys()) if (!wanted.has(key)) known.delete(key);
    this.#draw();
    if (!this.#problems.length) {
      this.#refuse("Choose at least one way to measure privacy loss.");
      return;
    }
    // The answer first; where nobody has said at which distortion, at the middle of the curve.
    if (state.at) this.point.show(this.#problems[state.focus]);
    else if (!(await this.#chooseMiddle(signal))) return;
    this.#askBaselines();
    await this.#askCurves(signal);
    // All breakpoints take longer than all curves, which begin with those that are known at once.
    if (!signal.aborted) this.#askBreakpoints(signal);
  }

  /** @returns {Promise<boolean>} whether there was a middle to choose */
  async #chooseMiddle(signal) {
    try {
      const { middle } = await ask("ends", this.#problems[this.store.state.focus], { signal });
      if (signal.aborted) return false;
      // Whoever has chosen a point meanwhile, or is typing one, keeps it.
      if (!this.store.state.at && !this.#isTyping) this.store.set({ at: middle });
      return true;
    } catch (error) {
      if (signal.aborted || isAbort(error)) return false;
      if (!(error instanceof Refused)) throw error;
      this.#refuse(error.message);
      return false;
    }
  }

  async #askCurves(signal) {
    const progress = new Map();
    const failures = [];
    const each = this.#problems.map(async (document, place) => {
      const key = JSON.stringify(document);
      if (this.#curves.get(key)?.isWhole) return;
      progress.set(place, { done: 0, total: POINTS });
      const title = notionTitle(this.store.state.notions[place], this.titles);
      try {
        const found = await ask("curve", { problem: document, points: POINTS }, {
          signal,
          progress: (done, total) => progress.set(place, { done, total }),
          partial: (curve) => {
            this.#curves.set(key, { curve, isWhole: false });
            this.#draw();
          },
        });
        this.#curves.set(key, { curve: found, isWhole: true });
        this.#draw();
        if (found.points.length < found.asked) failures.push(`${title}: the time limit passed; ${found.points.length} of ${found.asked} points are shown.`);
      } catch (error) {
        if (isAbort(error)) return;
        if (!(error instanceof Refused)) throw error;
        failures.push(`${title}: ${error.message}`);
      } finally {
        progress.delete(place);
      }
    });
    const watch = setInterval(() => this.#showProgress(progress, signal), 250);
    try {
      await Promise.all(each);
    } finally {
      clearInterval(watch);
    }
    if (signal.aborted) return;
    this.#stop();
    this.#draw();
    // What is wrong with the question is said once, in the place of the answer.
    const others = [...new Set(failures)].filter((sentence) => !this.point.says(sentence.slice(sentence.indexOf(": ") + 2)));
    if (others.length) fill(this.problem, others.map((sentence) => h("p", { class: "notice" }, sentence)), h("div", { class: "row" }, this.#againButton()));
    announce(failures.length ? failures.join(" ") : `${this.#problems.length === 1 ? "The trade-off curve is" : `${this.#problems.length} trade-off curves are`} shown.`);
  }

  #askBreakpoints(signal) {
    for (const document of this.#problems) {
      const key = JSON.stringify(document);
      if (this.#breakpoints.has(key)) continue;
      ask("breakpoints", document, { signal }).then(
        (found) => {
          this.#breakpoints.set(key, found.breakpoints);
          this.#draw();
        },
        (error) => {
          if (isAbort(error) || signal.aborted) return;
          if (!(error instanceof Refused)) throw error;
          this.#unknown.set(key, error.message);
          this.#draw();
        },
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
      const known = this.#curves.get(key);
      if (!known || !state.notions[place]) return [];
      const found = this.#breakpoints.get(key);
      return [{ title: notionTitle(state.notions[place], this.titles), place, curve: known.curve, breakpoints: found ?? known.curve.breakpoints ?? [], isWhole: known.isWhole, isComplete: Boolean(found) && known.isWhole }];
    });
    const axis = axisOf(state);
    const focused = drawn.find(({ place }) => place === state.focus);
    this.chooser.show(focused ?? null, axis);
    this.chart.draw(drawn, this.#baselines, this.chooser.place(), axis);
    this.#drawLegend();
    this.#drawMarks(drawn);
    this.#drawTable(drawn, axis);
    this.#drawWaiting(drawn.length, state.notions.length);
  }

  #drawWaiting(drawn, asked) {
    const isWaiting = this.#isComputing;
    this.card.setAttribute("aria-busy", String(isWaiting));
    this.waiting.hidden = !isWaiting || drawn > 0;
    this.box.hidden = !isWaiting && !this.#isTyping && drawn === 0;
    fill(this.waiting, `Computing ${asked === 1 ? "the curve" : `${asked} curves`} for ${inputs(this.store.state)} …`);
  }

  #drawLegend() {
    const { notions, focus } = this.store.state;
    const held = this.legend.contains(document.activeElement);
    // One curve needs no legend; its name is in the sentence above.
    this.legend.hidden = notions.length < 2;
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

  #drawMarks(drawn) {
    const kinds = new Set(drawn.flatMap(({ breakpoints }) => breakpoints.map(({ kind }) => kind)));
    const names = Object.entries(BASELINES).map(([name, sign]) => `${sign} ${name}`);
    const incomplete = drawn.filter(({ isComplete }) => !isComplete);
    const failed = this.#problems.map((document) => this.#unknown.get(JSON.stringify(document))).find(Boolean);
    const parts = [
      drawn.length ? "Click or drag along the curve." : "",
      kinds.has("kink") ? "• a bend." : "",
      kinds.has("jump") ? "○ ┄ ● a jump: the loss drops there at once." : "",
      this.#baselines ? `Usual mechanisms: ${names.join(", ")}.` : "",
      incomplete.length && !this.#isComputing && !this.#isCancelled ? (failed ? `Points are not joined, because it is not known whether the curve jumps between them: ${failed}` : "Looking for jumps; until then points are not joined …") : "",
    ];
    fill(this.marks, parts.filter(Boolean).join(" "));
  }

  #drawTable(drawn, axis) {
    if (!this.table.open) {
      this.table.ontoggle = () => this.table.open && this.#draw();
      fill(this.table.querySelector(".scroll"));
      return;
    }
    const row = (point) => h("tr", {}, h("th", { scope: "row", class: "number" }, number(point.x)), h("td", { class: "number" }, number(point.lower, 9)), h("td", { class: "number" }, number(point.upper, 9)), h("td", {}, exact(point.exact)), h("td", {}, point.method ?? point.status));
    const names = [capital(axis), "Loss at least", "At most", "Exactly", "Method"];
    const head = () => h("thead", {}, h("tr", {}, names.map((name) => h("th", { scope: "col" }, name))));
    fill(this.table.querySelector(".scroll"), drawn.map(({ title, curve }) => h("table", {}, h("caption", {}, title), head(), h("tbody", {}, curve.points.map(row)))));
  }

  /** Say what is computed, how far it is and for how long, once it takes a moment. */
  #showProgress(progress, signal) {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    if (signal.aborted || !progress.size || seconds < 0.6) return;
    const places = [...progress.entries()];
    const done = places.reduce((sum, [, part]) => sum + part.done, 0);
    const total = places.reduce((sum, [, part]) => sum + part.total, 0);
    const names = places.map(([place]) => notionTitle(this.store.state.notions[place], this.titles));
    const what = names.length === 1 ? `the curve of ${within(names[0])}` : `${names.length} curves`;
    if (this.progress.hidden) {
      this.progress.hidden = false;
      fill(this.progress, h("progress", { max: 1, "aria-label": "Computing the curves" }), h("button", { type: "button", onclick: () => this.#cancel() }, "Cancel"), h("span", { class: "small soft" }));
    }
    this.progress.querySelector("progress").value = total ? done / total : 0;
    this.progress.querySelector("span").textContent = `Computing ${what}: ${done} of ${total} points, ${Math.round(seconds)} s`;
  }

  #againButton() {
    return h("button", { type: "button", onclick: () => this.#askAgain() }, "Try again");
  }

  #cancel() {
    this.#abort.abort();
    this.#isCancelled = true;
    const isSaid = this.point.cancel();
    this.#stop();
    this.#draw();
    if (!isSaid) fill(this.problem, h("p", { class: "notice" }, "The computation was cancelled."), h("div", { class: "row" }, this.#againButton()));
  }

  /** On a narrow screen the question is below the answer. */
  #toQuestion() {
    this.question.element.scrollIntoView({ block: "start" });
    this.question.element.querySelector("summary").focus({ preventScroll: true });
  }

  #refuse(sentence) {
    this.#stop();
    this.#draw();
    this.point.clear(sentence);
  }
}
