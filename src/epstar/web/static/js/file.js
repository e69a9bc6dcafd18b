/** A problem file in the place of the form: whatever it says is asked as it stands. */

import { field, h } from "./dom.js";
import { Unclear } from "./unclear.js";

const MOST_SHOWN = 200_000;
const EXACT_WHOLE = 2 ** 53;

/** A number that JavaScript would round is kept as it is written; the server reads texts as numbers, too. */
function asWritten(_, value, context) {
  if (typeof value !== "number" || !context?.source) return value;
  return (Number.isInteger(value) && Math.abs(value) < EXACT_WHOLE) || String(value) === context.source ? value : context.source;
}

/** @param {import("./state.js").State} state @returns {object | null} the problem file that takes the place of the form */
export function fileOf({ file }) {
  if (!file) return null;
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
export function sizeOf({ universe = {}, source = {} }) {
  const lists = [universe.alphabet, universe.metric, universe.graph?.nodes, source.prior, (source.finite ?? source.hull)?.[0], source.box?.lower, source.ball?.center, source.polytope?.matrix?.[0]];
  const found = lists.find(Array.isArray);
  return universe.size ?? found?.length ?? source.everything ?? null;
}

/** @returns {string} the point that a problem file asks about, as the state keeps it: a distortion, or "loss=" and a loss */
export function pointOf({ at = {} }) {
  if (at.loss !== undefined) return `loss=${at.loss}`;
  if (Array.isArray(at.curve)) return String(at.curve[Math.floor(at.curve.length / 2)]);
  return at.distortion === undefined ? "" : String(at.distortion);
}

/** @returns {{name: string}} a notion by its name and its numbers; what else it has stays in the file */
export const shortNotion = (notion) => Object.fromEntries(Object.entries(notion).filter(([, value]) => typeof value !== "object"));

/**
 * @param {string} text
 * @param {(text: string) => void} use
 */
export function fileForm(text, use) {
  const box = h("textarea", { rows: "16", spellcheck: "false", maxlength: MOST_SHOWN, value: text, onchange: () => use(box.value) });
  const open = h("input", {
    type: "file", accept: ".json,application/json", class: "visually-hidden", "aria-label": "Open a problem file",
    onchange: async () => open.files[0] && use((await open.files[0].text()).slice(0, MOST_SHOWN)),
  });
  return h(
    "div",
    { class: "stack" },
    field("The problem in JSON, as `epstar solve` reads it", box),
    h("div", { class: "row" }, h("button", { type: "button", onclick: () => open.click() }, "Open a file"), open),
    h("p", { class: "small soft" }, "It may say more than the form: a secret that only follows the data with some probability, forbidden answers, equations, contrasts, bounds for each category. ", h("code", {}, "epstar schema problem"), " describes it."),
  );
}
