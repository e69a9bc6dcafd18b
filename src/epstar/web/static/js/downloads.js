/** What can be taken away: the answer, its mechanism and proof, a release file, a figure, a program. */

import { ask, questionOf, Refused } from "./api.js";
import { announce, fill, h } from "./dom.js";
import { label } from "./format.js";

/**
 * @param {object} question the problem at the chosen point
 * @param {object} answer
 * @param {object | null} audit
 * @param {import("./state.js").State} state what was asked, which may not be what is asked by then
 */
export function downloads(question, answer, audit, state) {
  const digest = questionOf(answer);
  const trouble = h("p", { class: "small", role: "alert" });
  const listing = h("div");
  const json = (value) => new Blob([JSON.stringify(value, null, 1)], { type: "application/json" });
  const offers = [
    ["Answer and proof", `answer-${digest}.json`, async () => json({ ...answer, mechanism: undefined, shown: undefined })],
    answer.proof && ["Proof", `proof-${digest}.json`, async () => json(answer.proof)],
    answer.mechanism && ["Mechanism (JSON)", `mechanism-${digest}.json`, async () => json(answer.mechanism)],
    audit && ["Mechanism (CSV)", `mechanism-${digest}.csv`, async () => new Blob([csv(audit)], { type: "text/csv" })],
    answer.mechanism && ["Release file", `column-${digest}.release.json`, async () => new Blob([(await ask("release", { problem: question, column: "answer" })).file], { type: "application/json" })],
    ["Figure (SVG)", `trade-off-${digest}.svg`, () => figure("svg")],
    ["Figure (PNG)", `trade-off-${digest}.png`, () => figure("png")],
    ["Python program", `same_answer_${digest}.py`, async () => new Blob([(await ask("code", question)).program], { type: "text/x-python" })],
  ].filter(Boolean);

  async function figure(format) {
    const { at, ...asked } = question;
    const problems = state.notions.map((notion) => ({ ...asked, notion: notion.name === question.notion.name ? question.notion : notion }));
    const { type, content } = await ask("figure", { problems, format, points: 41 });
    return new Blob([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], { type });
  }

  async function take(name, make, button) {
    trouble.textContent = "";
    button.disabled = true;
    try {
      const made = await make();
      // Another question may be on the screen by now, and this file must not seem to be about it.
      if (!button.isConnected) return;
      save(name, made);
      announce(`${name} was downloaded.`);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      trouble.textContent = error.message;
    } finally {
      button.disabled = false;
    }
  }

  const program = h("details", {}, h("summary", {}, "The Python program that gives the same answer"), listing);
  program.addEventListener("toggle", async () => {
    if (!program.open || listing.childNodes.length) return;
    const { program: text } = await ask("code", question);
    fill(listing, h("pre", { tabindex: "0", "aria-label": "Python program" }, text));
  });
  return h(
    "div",
    { class: "stack downloads" },
    h("div", { class: "row" }, offers.map(([title, name, make]) => h("button", { type: "button", "data-file": name, onclick: (event) => take(name, make, event.currentTarget) }, title))),
    trouble,
    program,
  );
}

function csv({ matrix, inputs, outputs }) {
  const quoted = (text) => (/[",\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  const rows = [["", ...outputs.map((output) => quoted(label(output)))], ...matrix.map((row, x) => [quoted(label(inputs[x])), ...row])];
  return `${rows.map((row) => row.join(",")).join("\n")}\n`;
}

/** Offer a file to the browser. */
export function save(name, blob) {
  const link = h("a", { href: URL.createObjectURL(blob), download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
