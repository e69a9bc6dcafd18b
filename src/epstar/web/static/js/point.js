/** The chosen point: the answer, the mechanism that attains it, what it loses, its proof, and what can be taken away. */

import { ask, isAbort, questionOf, Refused } from "./api.js";
import { announce, fill, h } from "./dom.js";
import { downloads } from "./downloads.js";
import { exact, notionTitle, number } from "./format.js";
import { negate, parse, text } from "./fraction.js";
import { heatmap } from "./heatmap.js";
import { lossTable } from "./losses.js";
import { proofBox } from "./proof.js";
import { isGain } from "./problem.js";
import { queryFacts } from "./query.js";

export class Point {
  #abort = new AbortController();
  #asked = "";

  /** @param {import("./state.js").Store} store @param {Map<string, string>} titles */
  constructor(store, titles) {
    this.store = store;
    this.titles = titles;
    this.element = h("section", { class: "card", "aria-labelledby": "point-title", "aria-busy": "false" }, h("h2", { id: "point-title" }, "The optimal mechanism"));
    this.body = h("div", { class: "stack" });
    this.element.append(this.body);
  }

  /**
   * Leave no answer standing beside a question that it does not answer; what answers this one already stays.
   * @param {object | undefined} problem undefined while it is not known yet
   */
  expect(problem) {
    const question = problem ? this.#question(problem) : "";
    if (question && question === this.#asked) return;
    this.#empty(h("p", { class: "soft" }, this.#computing(problem)));
    this.element.setAttribute("aria-busy", "true");
  }

  /** Show no answer, and a sentence that says why there is none; for a moment only, the page keeps its height. */
  clear(sentence, isBrief = false) {
    this.#empty(h("p", { class: "soft" }, sentence));
    if (!isBrief) this.body.style.minHeight = "";
    this.element.setAttribute("aria-busy", "false");
  }

  /** Show the answer to a problem at the chosen point, once it is there. */
  async show(problem) {
    this.expect(problem);
    if (!problem || this.#question(problem) === this.#asked) return;
    const { state } = this.store;
    const document = { ...problem, at: { distortion: state.at } };
    this.#asked = this.#question(problem);
    const { signal } = this.#abort;
    try {
      const answer = await ask("solve", document, { signal });
      const [audit, check] = answer.mechanism ? await Promise.all([this.#audit(problem, answer, signal), ask("check", answer, { signal })]) : [null, null];
      const facts = problem.notion.name === "differential_privacy" ? await queryFacts(state, answer, signal) : null;
      // What comes late, for a question that is asked no more, is dropped.
      if (signal.aborted) return;
      this.body.style.minHeight = "";
      fill(this.body, this.#answer(problem, answer, state), audit ? this.#evidence(answer, audit, check) : null, audit ? this.#losses(audit) : null, facts, downloads(document, answer, audit, state));
      announce(this.body.querySelector(".headline")?.textContent ?? "");
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      if (!(error instanceof Refused)) throw error;
      this.#empty(h("p", { class: "notice", role: "alert" }, error.message));
      this.body.style.minHeight = "";
    }
    this.element.setAttribute("aria-busy", "false");
  }

  #question(problem) {
    return JSON.stringify({ ...problem, at: { distortion: this.store.state.at } });
  }

  /** Forget what was asked, and put something in the place of its answer; the page keeps its height meanwhile. */
  #empty(instead) {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#asked = "";
    this.body.style.minHeight = `${this.body.offsetHeight}px`;
    fill(this.body, instead);
  }

  #computing(problem) {
    const { state } = this.store;
    if (!problem) return "Computing …";
    const title = notionTitle(problem.notion, this.titles);
    return `Computing the least loss of ${title.charAt(0).toLowerCase()}${title.slice(1)} at ${this.#place(state)} for ${state.labels.length} inputs …`;
  }

  #place(state) {
    const gain = isGain(state);
    const at = parse(state.at);
    return `${gain ? "utility" : "distortion"} ${at ? exact(text(gain ? negate(at) : at)) : state.at}`;
  }

  #audit(problem, answer, signal) {
    const { mechanism } = answer;
    return ask("audit", { mechanism, source: problem.source, distortion: problem.distortion, notions: [problem.notion] }, { signal });
  }

  #answer(problem, answer, state) {
    const place = this.#place(state);
    const notion = notionTitle(problem.notion, this.titles);
    const value = answer.upper_exact && answer.upper_exact === answer.lower_exact ? `${exact(answer.upper_exact)}${answer.upper_exact.startsWith("log") ? ` ≈ ${number(answer.upper)}` : ""}` : `between ${number(answer.lower, 9)} and ${number(answer.upper, 9)}`;
    return h(
      "div",
      { class: "stack" },
      h("p", { class: "headline" }, `At ${place} no mechanism loses less than `, h("strong", {}, `${value} nats`), ` of ${notion.charAt(0).toLowerCase()}${notion.slice(1)}`, answer.mechanism ? ", and this one loses no more." : "."),
      h(
        "div",
        { class: "row" },
        h("span", { class: `badge ${answer.status.startsWith("proven") ? "good" : "warn"}` }, answer.status.startsWith("proven") ? "✓ " : "", answer.status),
        h("span", { class: "small soft" }, `${answer.method}; rests on ${answer.theorem}`),
      ),
    );
  }

  #evidence(answer, audit, check) {
    return h(
      "div",
      { class: "columns" },
      h("div", { class: "stack" }, heatmap(audit.matrix, audit.inputs, audit.outputs), h("p", { class: "small soft" }, `Its worst-case ${audit.distortion.axis} is ${number(audit.distortion.value)}${audit.distortion.exact.length < 20 ? ` = ${audit.distortion.exact}` : ""}.`)),
      proofBox(answer, check, questionOf(answer)),
    );
  }

  #losses(audit) {
    return h("div", {}, h("h3", {}, "What it loses in every notion"), lossTable(audit.losses, this.titles));
  }
}
