/** The chosen point: the answer at once, the mechanism that attains it, then what else it loses, its proof, and files. */

import { ask, isAbort, questionOf, Refused } from "./api.js";
import { announce, fill, h, stopped } from "./dom.js";
import { downloads } from "./downloads.js";
import { between, exact, lost, notionTitle, number, within } from "./format.js";
import { approximately, negate, parse, text } from "./fraction.js";
import { heatmap } from "./heatmap.js";
import { lossTable } from "./losses.js";
import { meter } from "./meter.js";
import { proofBox } from "./proof.js";
import { asked, axisOf, inputs, isGain } from "./problem.js";
import { queryFacts } from "./query.js";

// The status of a question that cannot be answered as it stands.
const REFUSED = 422;

export class Point {
  #abort = new AbortController();
  #asked = "";
  #table = null;

  /**
   * @param {import("./state.js").Store} store
   * @param {{titles: Map<string, string>, units: Map<string, string>}} known of the notions, by their names
   * @param {{emphasise: (isOn: boolean) => void, again: () => void, placed: (at: string, distortion: number, loss: number | null | undefined) => void}} links
   *   what the answer is linked with: its point on the curve, asking again, and where the answered point lies
   */
  constructor(store, { titles, units }, links) {
    this.store = store;
    this.titles = titles;
    this.units = units;
    this.links = links;
    this.answer = h("section", { class: "answer", "aria-label": "The answer", "aria-busy": "false" });
    this.mechanism = h("div", { class: "mechanism" });
    this.evidence = h("section", { class: "evidence", "aria-label": "The evidence", "aria-busy": "false" });
  }

  /**
   * Leave no answer standing beside a question that it does not answer; what answers this one already stays.
   * @param {object | undefined} problem undefined while it is not known yet
   * @returns {boolean} whether an answer stays
   */
  expect(problem) {
    const question = problem ? this.#question(problem) : "";
    if (question && question === this.#asked) return true;
    this.#empty(h("p", { class: "soft" }, this.#computing(problem)), true);
    this.answer.setAttribute("aria-busy", "true");
    return false;
  }

  /** Show no answer, and a sentence that says why there is none; for a moment only, the page keeps its height. */
  clear(sentence, isBrief = false) {
    this.#empty(h("p", isBrief ? { class: "soft" } : { class: "notice", role: "alert" }, sentence), isBrief);
  }

  /** Show the answer to a problem at the chosen point, as soon as it is there; what proves it follows. */
  async show(problem) {
    this.expect(problem);
    if (!problem || !this.store.state.at || this.#question(problem) === this.#asked) return;
    const { state } = this.store;
    const document = { ...problem, at: asked(state) };
    this.#asked = this.#question(problem);
    const { signal } = this.#abort;
    try {
      const answer = await ask("solve", document, { signal });
      if (signal.aborted) return;
      this.#showAnswer(problem, answer, state);
      // How soon that is can be looked up in the browser's own tools.
      performance.mark("first-answer");
      announce(this.answer.querySelector(".headline")?.textContent ?? "");
      this.#showEvidence(problem, document, answer, state, signal).catch((error) => this.#failEvidence(error, signal));
    } catch (error) {
      if (signal.aborted || isAbort(error)) return;
      if (!(error instanceof Refused)) throw error;
      if (error.status !== REFUSED) this.#empty(stopped(error.message, () => this.#again()), false);
      // The same question is refused again: another one is a way on.
      else this.#empty([h("p", { class: "notice", role: "alert" }, error.message), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.store.set({ at: "" }) }, "Go to the middle of the curve"))], false);
    }
  }

  /** The answer stands without what else can be said about it; why that is missing is said in its place. */
  #failEvidence(error, signal) {
    if (signal.aborted || isAbort(error)) return;
    if (!(error instanceof Refused)) throw error;
    this.evidence.setAttribute("aria-busy", "false");
    fill(this.evidence, h("p", { class: "notice", role: "alert" }, `What the mechanism loses by other measures, and its proof, could not be shown: ${error.message}`), h("div", { class: "row" }, h("button", { type: "button", onclick: () => this.#again() }, "Try again")));
  }

  /** Stop computing; an answer that is there already stays. @returns {boolean} whether there was none, which is said */
  cancel() {
    const isBusy = this.answer.getAttribute("aria-busy") === "true";
    if (isBusy) this.#empty(stopped("The computation was cancelled.", () => this.#again()), false);
    return isBusy;
  }

  /** @returns {boolean} whether a sentence stands in the place of the answer */
  says(sentence) {
    return this.answer.textContent.includes(sentence);
  }

  #again() {
    this.#asked = "";
    this.links.again();
  }

  #question(problem) {
    return JSON.stringify({ ...problem, at: asked(this.store.state) });
  }

  /** Forget what was asked, and put something in the place of its answer; meanwhile the page keeps its height. */
  #empty(instead, keepsHeight) {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#asked = "";
    for (const place of [this.answer, this.mechanism, this.evidence]) {
      place.style.minHeight = keepsHeight ? `${place.offsetHeight}px` : "";
      place.setAttribute("aria-busy", "false");
    }
    this.#table = null;
    fill(this.answer, instead);
    fill(this.mechanism, h("p", { class: "soft" }, keepsHeight ? "It is drawn with the answer." : "There is no mechanism to draw."));
    fill(this.evidence);
  }

  #computing(problem) {
    const { state } = this.store;
    if (!problem || !state.at) return "Computing …";
    const notion = within(notionTitle(problem.notion, this.titles));
    const what = asked(state).loss === undefined ? `the least loss of ${notion} at ${this.#place(state)}` : `the ${isGain(state) ? "best" : "least"} ${axisOf(state)} at ${this.#level(state, problem)} of ${notion}`;
    return `Computing ${what} for ${inputs(state)} …`;
  }

  #place(state) {
    const at = parse(state.at);
    return `${axisOf(state)} ${at ? exact(text(isGain(state) ? negate(at) : at)) : state.at}`;
  }

  /** The loss that is given, as people write it. */
  #level(state, problem) {
    return lost(exact(asked(state).loss.replace(/^ln\b/u, "log")), this.units.get(problem.notion.name));
  }

  /** The answer in one sentence: the least loss at a distortion, or the least distortion at a loss. */
  #sentence(problem, answer, state) {
    const notion = within(notionTitle(problem.notion, this.titles));
    const about = problem.secret ? `${notion} about the secret` : notion;
    const title = `At least ${answer.lower}, at most ${answer.upper}`;
    const link = { title, onpointerenter: () => this.links.emphasise(true), onpointerleave: () => this.links.emphasise(false) };
    const isExact = answer.upper_exact && answer.upper_exact === answer.lower_exact;
    if (asked(state).loss !== undefined) {
      const [gain, axis] = [isGain(state), axisOf(state)];
      const shown = (written, value) => (gain ? exact(text(negate(parse(written) ?? parse("0")))) : `${exact(written)}${/[/(]/u.test(written) ? ` ≈ ${number(value)}` : ""}`);
      const ends = gain ? [-answer.upper, -answer.lower] : [answer.lower, answer.upper];
      const value = isExact && answer.upper_exact.length < 24 ? shown(answer.upper_exact, answer.upper) : between(...ends);
      return [`At ${this.#level(state, problem)} of ${about} no mechanism has ${gain ? "a larger" : "a smaller"} ${axis} than `, h("strong", link, value), answer.mechanism ? ", and this one attains it." : "."];
    }
    const place = this.#place(state);
    if (answer.upper_exact === "infinity") return [`At ${place} `, h("strong", link, "no mechanism limits"), ` the loss of ${about}.`];
    const value = isExact ? `${exact(answer.upper_exact)}${answer.upper_exact.startsWith("log") ? ` ≈ ${number(answer.upper)}` : ""}` : between(answer.lower, answer.upper);
    return [`At ${place} no mechanism loses less than `, h("strong", link, lost(value, this.units.get(problem.notion.name))), ` of ${about}${answer.mechanism ? ", and this one loses no more." : "."}`];
  }

  #showAnswer(problem, answer, state) {
    const isProven = answer.status.startsWith("proven");
    if (asked(state).loss !== undefined) this.links.placed(state.at, answer.upper, undefined);
    else this.links.placed(state.at, approximately(state.at), answer.upper_exact === "infinity" ? null : answer.upper);
    this.answer.style.minHeight = "";
    this.answer.setAttribute("aria-busy", "false");
    fill(
      this.answer,
      h("p", { class: "headline" }, this.#sentence(problem, answer, state)),
      wrongShare(problem, asked(state).loss === undefined ? approximately(state.at) : answer.upper),
      answer.shown.guess ? meter(answer.shown.guess) : null,
      h("p", { class: "risk", onpointerenter: () => this.#point(true), onpointerleave: () => this.#point(false) }, answer.shown.risk),
      answer.shown.kept ? h("p", { class: "risk" }, `It also keeps ${answer.shown.kept}.`) : null,
      h(
        "div",
        { class: "row badges" },
        h("span", { class: `badge ${isProven ? "good" : "warn"}` }, isProven ? "✓ " : "", answer.status),
        h("span", { class: "badge plain checking" }, answer.mechanism ? "Checking the proof again …" : "No mechanism was found"),
        h("span", { class: "small soft" }, `${answer.method.endsWith("program") ? "convex optimisation" : answer.method}${answer.shown.theorem ? `; follows from ${answer.shown.theorem}` : ""}`),
      ),
    );
    this.mechanism.style.minHeight = "";
    const { matrix } = answer.shown;
    this.#table = matrix ? heatmap(matrix.matrix, matrix.inputs, matrix.outputs) : null;
    fill(this.mechanism, this.#table ?? h("p", { class: "soft" }, answer.mechanism ? `The mechanism is for ${inputs(state)}, too many to draw; the files below hold it.` : "There is no mechanism to draw."));
  }

  /** Mark the cells at which the loss is attained. */
  #point(isOn) {
    this.#table?.point(isOn ? (this.worst?.inputs ?? []) : [], isOn ? (this.worst?.outputs ?? []) : []);
  }

  async #showEvidence(problem, document, answer, state, signal) {
    this.worst = null;
    this.evidence.setAttribute("aria-busy", "true");
    fill(this.evidence, h("p", { class: "soft" }, answer.mechanism ? "Measuring the mechanism by every notion, and checking its proof …" : ""));
    const [audit, check] = answer.mechanism ? await Promise.all([this.#audit(problem, answer, signal), ask("check", answer, { signal })]) : [null, null];
    const facts = problem.notion.name === "differential_privacy" ? await queryFacts(state, answer, signal) : null;
    // What comes late, for a question that is asked no more, is dropped.
    if (signal.aborted) return;
    this.worst = problem.secret ? null : audit?.losses?.find(({ notion }) => JSON.stringify(notion) === JSON.stringify(problem.notion)) ?? null;
    const badge = this.answer.querySelector(".checking");
    if (badge && check) {
      badge.className = `badge checking ${check.holds ? "good" : "bad"}`;
      badge.textContent = check.holds ? "✓ The proof holds" : "✗ The proof does not hold";
    }
    this.evidence.style.minHeight = "";
    fill(
      this.evidence,
      facts,
      audit?.losses ? unfolding("What this mechanism loses by every measure", problem.secret ? h("p", { class: "small soft" }, "These are losses about the data themselves, not about the secret.") : null, lossTable(audit.losses, this.titles), audit.distortion && !problem.distortion.statistic ? h("p", { class: "small soft" }, `Its worst-case ${audit.distortion.axis} is ${number(audit.distortion.value)}${audit.distortion.exact.length < 20 ? ` = ${audit.distortion.exact}` : ""}.`) : null) : null,
      audit?.too_large ? h("p", { class: "soft" }, audit.too_large) : null,
      check ? unfolding("The proof", proofBox(answer, check, questionOf(answer))) : null,
      unfolding("Take it away", downloads(document, answer, audit?.matrix ? audit : null, state)),
    );
    this.evidence.setAttribute("aria-busy", "false");
  }

  /** What the mechanism loses by every notion; one that is too large to be measured here has a sentence instead. */
  async #audit(problem, answer, signal) {
    if (!answer.shown.matrix) return { too_large: "The mechanism is too large to be measured by every notion here; use `epstar audit`." };
    const cost = problem.distortion.statistic ? {} : { distortion: problem.distortion };
    return ask("audit", { mechanism: answer.mechanism, source: problem.source, ...cost, notions: [problem.notion] }, { signal });
  }
}

/** What a distortion means where answers are right or wrong; rounded up, so that "at most" stays true. */
function wrongShare({ distortion, universe }, share) {
  if (distortion.name !== "hamming" || universe?.databases || !(share >= 0 && share <= 1)) return null;
  const percent = Math.ceil(1000 * share - 1e-9) / 10;
  return h("p", { class: "meaning" }, percent ? `On average at most ${percent} % of the released values are wrong.` : "No released value is wrong.");
}

/** @type {Set<string>} what somebody has unfolded stays so for the next answer */
const unfolded = new Set();

function unfolding(title, ...children) {
  const element = h("details", { class: "unfold", open: unfolded.has(title) }, h("summary", {}, title), h("div", { class: "stack" }, children));
  element.addEventListener("toggle", () => (element.open ? unfolded.add(title) : unfolded.delete(title)));
  return element;
}
