/** Frequencies that somebody pastes or opens: probabilities, counts, or one answer on each line; read here, in the browser. */

import { h, field } from "./dom.js";
import { parse, text } from "./fraction.js";
import { sum } from "./problem.js";

/** What is wrong with what was pasted, in one sentence. */
export class BadCounts extends Error {}

/**
 * Read what was pasted: lines of a name and a number; a list of numbers; or answers, one on each line, which are counted.
 * A first line of headings is left out, and so is whatever follows the number.
 * @param {string} written
 * @param {number} most how many categories there may be
 * @returns {{labels: string[], shares: string[], counted: number}} `counted` says how many answers were counted, if any
 */
export function readCounts(written, most) {
  const lines = written.split(/\r?\n/u).filter((line) => line.trim() !== "");
  if (!lines.length) throw new BadCounts("There is nothing to read; paste lines such as “yes, 0.6”, or a list such as “0.6, 0.4”.");
  const loose = lines.length === 1 ? lines[0].split(/[\s,;]+/u).filter(Boolean) : lines.map((line) => line.trim());
  const numbers = loose.map(parse);
  const isList = numbers.every((number) => number && number.n >= 0n) && (lines.length === 1 ? numbers.length > 1 : isOne(numbers));
  if (isList) return checked(loose.map((_, i) => String(i + 1)), loose, most, 0);
  const rows = lines.map(cells);
  if (rows[0].length === 1) return fromValues(rows.map(([value]) => value), most);
  // Headings have no digits; a first line with a number that is wrong must not be taken for them and left out.
  const body = /\d/u.test(rows[0][1]) ? rows : rows.slice(1);
  const seen = new Set();
  for (const [name, number] of body) {
    const found = parse(number ?? "");
    if (!found || found.n < 0n) throw new BadCounts(`The line of “${name.slice(0, 30)}” has no number after its name; write a probability or a count.`);
    if (seen.has(name)) throw new BadCounts(`“${name.slice(0, 30)}” appears twice; add up its numbers first.`);
    seen.add(name);
  }
  return checked(body.map(([name]) => name), body.map(([, number]) => number), most, 0);
}

const isOne = (numbers) => {
  const all = sum(numbers);
  return all.n === all.d;
};

/** One answer on each line: they are counted. */
function fromValues(values, most) {
  const seen = new Map();
  for (const value of values) seen.set(value, (seen.get(value) ?? 0) + 1);
  return checked([...seen.keys()], [...seen.values()].map(String), most, values.length);
}

function checked(labels, shares, most, counted) {
  if (labels.length < 2) throw new BadCounts("At least two categories are needed; there is nothing to tell apart.");
  if (labels.length > most) throw new BadCounts(`There are ${labels.length} categories and the page takes ${most}; merge the rare ones.`);
  const all = sum(shares.map(parse));
  if (all.n === 0n) throw new BadCounts("All numbers are zero; at least one must be positive.");
  if (all.n > 10n ** 12n * all.d) throw new BadCounts("The numbers are too large; divide them by a common number.");
  return { labels, shares: shares.map((share) => (share.length > 40 ? text(parse(share)) : share)), counted };
}

/** @returns {string[]} the cells of a line, with quotes as spreadsheets write them */
export function cells(line) {
  const separator = line.includes("\t") ? "\t" : line.includes(";") && !line.includes(",") ? ";" : ",";
  const found = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i < line.length; i += 1) {
    const letter = line[i];
    if (quoted && letter === '"' && line[i + 1] === '"') {
      cell += '"';
      i += 1;
    } else if (letter === '"') quoted = !quoted;
    else if (letter === separator && !quoted) {
      found.push(cell.trim());
      cell = "";
    } else cell += letter;
  }
  return [...found, cell.trim()];
}

/**
 * The form in which frequencies are pasted.
 * @param {number} most
 * @param {(found: {labels: string[], shares: string[]}) => void} use
 */
export function countsForm(most, use) {
  const box = h("textarea", { rows: "5", placeholder: "yes, 0.6\nno, 0.4\n\nor: 0.6, 0.4", spellcheck: "false", "aria-describedby": "paste-problem" });
  const problem = h("p", { class: "field-problem", role: "alert", id: "paste-problem" });
  const take = () => {
    try {
      const { counted, ...found } = readCounts(box.value, most);
      box.removeAttribute("aria-invalid");
      problem.textContent = counted
        ? `${counted.toLocaleString("en")} answers were counted. If they are the private answers themselves, do not use their frequencies as what is known: choose “Nothing is known”, or public figures.`
        : "";
      if (!counted) details.open = false;
      use(found);
    } catch (error) {
      if (!(error instanceof BadCounts)) throw error;
      box.setAttribute("aria-invalid", "true");
      problem.textContent = error.message;
    }
  };
  const open = h("input", {
    type: "file", accept: ".csv,.tsv,.txt,text/csv,text/plain", class: "visually-hidden", "aria-label": "Open a CSV file",
    onchange: async () => {
      if (open.files[0]) box.value = (await open.files[0].text()).slice(0, 4_000_000);
      take();
    },
  });
  const details = h(
    "details",
    { class: "counts" },
    h("summary", {}, "Paste a list"),
    field("A name and a probability or count on each line, or numbers alone", box),
    h("p", { class: "small soft" }, "It is read in this browser; only names and numbers go to the server that you started."),
    problem,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "main", onclick: take }, "Use this list"),
      h("button", { type: "button", onclick: () => open.click() }, "Open a file"),
      open,
    ),
  );
  return details;
}
