/** The chosen point: the answer, the mechanism that attains it, what it loses, its proof, and what can be taken away. */

import { ask, isAbort, Refused } from "./api.js";
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

  /** Show the answer to a problem at the chosen point. */
  async show(problem) {
    if (!problem) return;
    const document = { ...problem, at: { distortion: this.store.state.at } };
    const question = JSON.stringify(document);
    if (question === this.#asked) return;
    this.#asked = question;
    this.#abort.abort();
    this.#abort = new AbortController();
    const { signal } = this.#abort;
    this.element.setAttribute("aria-busy", "true");
    if (!this.body.childNodes.length) fill(this.body, h("p", { class: "soft" }, "Computing …"));
    try {
      const answer = await ask("solve", document, { signal });
      const [audit, check] = answer.mechanism ? await Promise.all([this.#audit(problem, answer, signal), ask("check", answer, { signal })]) : [null, null];
      const facts = problem.notion.name === "differential_privacy" ? await queryFacts(this.store.state, answer, signal) : null;
      if (signal.aborted) return;
      fill(this.body, this.#answer(problem, answer), audit ? this.#evidence(answer, audit, check) : null, audit ? this.#losses(audit) : null, facts, downloads(document, answer, audit, this.store));
      announce(this.body.querySelector(".headline")?.textContent ?? "");
    } catch (error) {
      if (isAbort(error)) return;
      if (!(error instanceof Refused)) throw error;
      this.#asked = "";
      fill(this.body, h("p", { class: "notice", role: "alert" }, error.message));
    } finally {
      if (!signal.aborted) this.element.setAttribute("aria-busy", "false");
    }
  }

  #audit(problem, answer, signal) {
    const { mechanism } = answer;
    return ask("audit", { mechanism, source: problem.source, distortion: problem.distortion, notions: [problem.notion] }, { signal });
  }

  #answer(problem, answer) {
    const gain = isGain(this.store.state);
    const at = parse(this.store.state.at);
    const place = `${gain ? "utility" : "distortion"} ${exact(text(gain ? negate(at) : at))}`;
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
      proofBox(answer, check),
    );
  }

  #losses(audit) {
    return h("div", {}, h("h3", {}, "What it loses in every notion"), lossTable(audit.losses, this.titles));
  }
}
