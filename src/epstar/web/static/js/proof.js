/** The proof of an answer, and what checking it said. */

import { h } from "./dom.js";
import { exact, number } from "./format.js";

const MOST_SHOWN = 20_000;

/** @param {object} answer @param {object} check what the checker found @param {string} question what names its files */
export function proofBox(answer, check, question) {
  // An answer about a statistic is its own proof.
  const { mechanism, shown, ...whole } = answer;
  const written = JSON.stringify(answer.proof ?? whole, null, 1);
  const verdict = check.holds
    ? [
        h("div", {}, h("span", { class: "badge good" }, "✓ The proof holds")),
        h("p", {}, check.exact ? `Checked again just now, in exact arithmetic: the answer is ${exact(check.exact)}.` : check.lower === undefined ? "Checked again just now, in exact arithmetic." : `Checked again just now, in exact arithmetic: the answer is between ${number(check.lower, 12)} and ${number(check.upper, 12)}.`),
        h("p", { class: "small soft" }, check.evidence),
      ]
    : [h("div", {}, h("span", { class: "badge bad" }, "✗ The proof does not hold")), h("p", {}, check.why)];
  return h(
    "div",
    { class: "stack" },
    h("div", { class: "verdict" }, verdict),
    h(
      "details",
      {},
      h("summary", {}, `The proof itself (${Math.ceil(written.length / 1024)} KiB)`),
      h("pre", { tabindex: "0", "aria-label": "The proof in JSON" }, written.slice(0, MOST_SHOWN), written.length > MOST_SHOWN ? "\n… download it for the rest" : ""),
    ),
    h("p", { class: "small soft" }, "Anybody can check the download: ", h("code", {}, `epstar check answer-${question}.json`), ", or ", h("code", {}, `python check_proof.py ${answer.proof ? "proof" : "answer"}-${question}.json`), " with nothing installed."),
  );
}
