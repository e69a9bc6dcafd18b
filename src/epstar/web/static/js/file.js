/** A problem file in the place of the form: whatever it says is asked as it stands. */

import { field, h } from "./dom.js";
import { Unclear } from "./unclear.js";

/** Characters; the address, which holds the file so that it can be shared, takes no more everywhere. */
const MOST_WRITTEN = 400_000;

/** A number that JavaScript would round is kept as it is written; a browser that cannot do so keeps it as a text. */
function asWritten(_, value, context) {
  if (typeof value !== "number" || !context?.source) return value;
  return String(value) === context.source ? value : (JSON.rawJSON?.(context.source) ?? context.source);
}

/** @returns {string} a number of a file as it is written there */
const written = (value) => String(value?.rawJSON ?? value);

/** @param {import("./state.js").State} state @returns {object | null} the problem file that takes the place of the form */
export function fileOf({ file }) {
  if (!file) return null;
  if (file.length > MOST_WRITTEN) throw new Unclear(`The problem file has ${file.length.toLocaleString("en")} characters, and the page takes ${MOST_WRITTEN.toLocaleString("en")}; use \`epstar solve\` for it.`);
  let found = null;
  try {
    found = JSON.parse(file, asWritten);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new Unclear(`The problem file is not JSON (${error.message.slice(0, 120)}); correct it there.`);
  }
  if (found === null || typeof found !== "object" || Array.isArray(found)) throw new Unclear("A problem file is one JSON object in braces.");
  if (typeof found.notion?.name !== "string") throw new Unclear("The problem file has no notion; add one, such as \"notion\": {\"name\": \"differential_privacy\"}.");
  if (!found.source || !found.distortion) throw new Unclear(`The problem file has no ${found.source ? "distortion" : "source"}; add it.`);
  return found;
}

/** @returns {number | null} how many inputs a problem file is about, where it says so plainly */
export function sizeOf({ universe, source }) {
  const databases = universe?.databases;
  const each = databases?.alphabet?.length ?? databases?.alphabet ?? databases?.size;
  const counts = [universe?.size, universe?.alphabet, universe?.graph?.nodes, each ** databases?.rows, source?.everything].filter(Number.isSafeInteger);
  const lists = [universe?.alphabet, universe?.metric, universe?.graph?.nodes, source?.prior, (source?.finite ?? source?.hull)?.[0], source?.box?.lower, source?.ball?.center, source?.polytope?.matrix?.[0]];
  return counts[0] ?? lists.find(Array.isArray)?.length ?? null;
}

/** @returns {string} the point that a problem file asks about, as the state keeps it: a distortion, or "loss=" and a loss */
export function pointOf({ at = {} }) {
  if (at.loss !== undefined) return `loss=${written(at.loss)}`;
  if (Array.isArray(at.curve)) return written(at.curve[Math.floor(at.curve.length / 2)]);
  return at.distortion === undefined ? "" : written(at.distortion);
}

/** @returns {{name: string}} a notion by its name and its numbers; what else it has stays in the file */
export const shortNotion = (notion) => Object.fromEntries(Object.entries(notion).filter(([, value]) => typeof value !== "object" || value?.rawJSON).map(([name, value]) => [name, value?.rawJSON ?? value]));

/** @returns {string} a problem as a file: each list of numbers or names on one line */
export function fileText(value, indent = "") {
  if (value === null || typeof value !== "object" || value.rawJSON) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const parts = isList ? value.map((part) => fileText(part, `${indent} `)) : Object.entries(value).filter(([, part]) => part !== undefined).map(([name, part]) => `${JSON.stringify(name)}: ${fileText(part, `${indent} `)}`);
  const [open, close] = isList ? "[]" : "{}";
  if (isList && value.every((part) => part === null || typeof part !== "object")) return `[${parts.join(", ")}]`;
  return parts.length ? `${open}\n${indent} ${parts.join(`,\n${indent} `)}\n${indent}${close}` : open + close;
}

/**
 * @param {string} text
 * @param {(text: string) => void} use
 */
export function fileForm(text, use) {
  const box = h("textarea", { rows: "16", spellcheck: "false", value: text, onchange: () => use(box.value) });
  const open = h("input", {
    type: "file", accept: ".json,application/json", class: "visually-hidden", "aria-label": "Open a problem file",
    onchange: async () => open.files[0] && use(await open.files[0].text()),
  });
  return h(
    "div",
    { class: "stack" },
    field("The problem in JSON, as a problem file has it", box),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => open.click() }, "Open a file"), open),
    h("p", { class: "small soft" }, "It may say more than the form: rows of a database that differ, a secret that the data only hint at, forbidden answers, equations, contrasts, bounds for each category. The command ", h("code", {}, "epstar schema problem"), " describes it."),
  );
}
