/** From what the page shows to the problem documents that the server reads. */

import { ONE, ZERO, add, fraction, larger, parse, smaller, subtract, text } from "./fraction.js";

/** What is wrong with the question, in one sentence. */
export class Unclear extends Error {}

const total = (weights) => weights.reduce((sum, weight) => sum + weight, 0);

/** @param {import("./state.js").State} state @returns {string[]} the prior, exactly */
export const prior = ({ weights }) => weights.map((weight) => `${weight}/${total(weights)}`);

/** @returns {object} the universe of a state */
export function universe(state) {
  return state.query ? { query: state.query } : { alphabet: state.labels };
}

/**
 * The source of a state. A source from counts needs the server, which turns it into a box or a ball.
 * @param {import("./state.js").State} state
 * @param {object | null} region what the server made of the counts
 */
export function source(state, region) {
  const { kind, radius, hull } = state.source;
  if (kind === "everything") return { everything: state.weights.length };
  if (kind === "counts") return region ?? { prior: prior(state) };
  if (kind === "hull") return { hull: table(hull, "The priors") };
  if (kind === "prior") return { prior: prior(state) };
  const reach = parse(radius);
  if (!reach || reach.n < 0n) throw new Unclear("How far the law may be from the prior must be a number such as 0.05.");
  if (kind === "ball") return { ball: { center: prior(state), radius: text(reach) } };
  const sum = BigInt(total(state.weights));
  const shares = state.weights.map((weight) => fraction(BigInt(weight), sum));
  return {
    box: {
      lower: shares.map((share) => text(larger(ZERO, subtract(share, reach)))),
      upper: shares.map((share) => text(smaller(ONE, add(share, reach)))),
    },
  };
}

/** @returns {object} the distortion or gain of a state */
export function distortion({ cost }) {
  if (cost.kind === "matrix") return { matrix: table(cost.table, "The costs") };
  if (cost.kind === "gain") return { gain: table(cost.table, "The gains") };
  return { name: cost.kind };
}

/** @returns {string[][]} the numbers of a text, a line for each row */
export function table(written, what) {
  const rows = written.split(/\n/u).map((line) => line.trim()).filter(Boolean).map((line) => line.split(/[\s,;]+/u).filter(Boolean));
  if (!rows.length) throw new Unclear(`${what} are missing; write one row on each line, with numbers between commas.`);
  for (const row of rows) {
    for (const entry of row) if (!parse(entry)) throw new Unclear(`${what} hold “${entry.slice(0, 20)}”, which is no number.`);
    if (row.length !== rows[0].length) throw new Unclear(`${what} have rows of different lengths; give each the same number of entries.`);
  }
  return rows.map((row) => row.map((entry) => text(parse(entry))));
}

/** @returns {object} the problem of one notion, without the point that it asks about */
export function problem(state, notion, region) {
  return { schema: "epstar/problem/1", notion, universe: universe(state), source: source(state, region), distortion: distortion(state) };
}

/** @returns {boolean} whether more is better, so that the axis shows a utility */
export const isGain = (state) => state.cost.kind === "gain";
