/** Counts from a CSV that somebody pastes or opens; it is read here, in the browser. */

import { h, field } from "./dom.js";

/** What is wrong with a CSV, in one sentence. */
export class BadCounts extends Error {}

/**
 * Read lines of a name and a count; a first line of headings is left out, and so is whatever follows the count.
 * @param {string} text
 * @param {number} most how many letters there may be
 * @returns {{labels: string[], weights: number[]}}
 */
export function readCounts(text, most) {
  const rows = text.split(/\r?\n/u).filter((line) => line.trim() !== "").map(cells);
  if (!rows.length) throw new BadCounts("There is nothing to read; paste lines such as “yes, 120”.");
  if (rows[0].length === 1) return fromValues(rows.map(([value]) => value), most);
  const isCount = (cell) => /^\d+$/u.test(cell ?? "");
  // Headings have no digits; a first line with a count that is wrong must not be taken for them and left out.
  const body = /\d/u.test(rows[0][1]) ? rows : rows.slice(1);
  const labels = [];
  const weights = [];
  for (const [name, count] of body) {
    if (!isCount(count)) throw new BadCounts(`The line of “${name.slice(0, 30)}” has no whole number as its count.`);
    if (labels.includes(name)) throw new BadCounts(`“${name.slice(0, 30)}” stands twice; add its counts up first.`);
    labels.push(name);
    weights.push(Number(count));
  }
  return checked(labels, weights, most);
}

/** One value on each line: they are counted. */
function fromValues(values, most) {
  const seen = new Map();
  for (const value of values) seen.set(value, (seen.get(value) ?? 0) + 1);
  return checked([...seen.keys()], [...seen.values()], most);
}

function checked(labels, weights, most) {
  if (labels.length < 2) throw new BadCounts("At least two letters are needed; there is nothing to tell apart.");
  if (labels.length > most) throw new BadCounts(`There are ${labels.length} letters and the page takes ${most}; merge the rare ones.`);
  if (!weights.some((weight) => weight > 0)) throw new BadCounts("All counts are zero; at least one must be positive.");
  if (weights.reduce((a, b) => a + b, 0) > 1e12) throw new BadCounts("The counts are too large; divide them by a common number.");
  return { labels, weights };
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
 * The form in which counts are pasted.
 * @param {number} most
 * @param {(found: {labels: string[], weights: number[]}) => void} use
 */
export function countsForm(most, use) {
  const box = h("textarea", { rows: "5", placeholder: "answer,count\nyes,120\nno,80", spellcheck: "false" });
  const problem = h("p", { class: "small", role: "alert" });
  const take = () => {
    try {
      const found = readCounts(box.value, most);
      problem.textContent = "";
      box.removeAttribute("aria-invalid");
      details.open = false;
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
      if (open.files[0]) box.value = (await open.files[0].text()).slice(0, 1_000_000);
      take();
    },
  });
  const details = h(
    "details",
    { class: "counts" },
    h("summary", {}, "Paste counts (CSV)"),
    field("A name and a count on each line", box),
    h("p", { class: "small soft" }, "Read in this browser; nothing leaves this machine but to the server you started."),
    problem,
    h(
      "div",
      { class: "row" },
      h("button", { type: "button", class: "main", onclick: take }, "Use these counts"),
      h("button", { type: "button", onclick: () => open.click() }, "Open a file"),
      open,
    ),
  );
  return details;
}
