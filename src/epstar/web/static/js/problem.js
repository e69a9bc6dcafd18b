/** From what the page shows to the problem documents that the server reads. */

import { conditions } from "./conditions.js";
import { fileOf, sizeOf } from "./file.js";
import { ONE, ZERO, add, divide, fraction, larger, parse, smaller, subtract, text, toNumber } from "./fraction.js";
import { Unclear } from "./unclear.js";

export { Unclear };

/** @returns {import("./fraction.js").Fraction[]} what was typed for each category, as numbers */
function typed({ shares, labels }) {
  return shares.map((share, i) => {
    const found = parse(share);
    if (!found || found.n < 0n) throw new Unclear(`“${share.slice(0, 20)}” for “${labels[i]}” is not a probability; write 0.3, 3/10 or 30%.`);
    return found;
  });
}

/** @returns {import("./fraction.js").Fraction} what the numbers add up to */
export const sum = (numbers) => {
  // Over one denominator first: thousands of fractions are added at once, and not reduced one by one.
  const below = numbers.reduce((least, { d }) => (least % d === 0n ? least : least * d), 1n);
  return fraction(numbers.reduce((total, { n, d }) => total + n * (below / d), 0n), below);
};

/** @returns {boolean} whether whole numbers stand for how often each category was counted */
export function areCounts(numbers) {
  return numbers.every(({ d }) => d === 1n) && numbers.some(({ n }) => n > 1n);
}

/** What the typed probabilities add up to, and whether they can be used as they are. */
export function total(state) {
  const numbers = typed(state);
  const all = sum(numbers);
  const isCounted = areCounts(numbers);
  return { isCounted, isOne: all.n === all.d, isUsable: all.n > 0n && (isCounted || all.n === all.d), shown: isCounted ? String(all.n) : text(all).length <= 12 ? String(toNumber(all)) : toNumber(all).toFixed(6) };
}

/** @returns {string[]} the typed numbers, each divided by their sum */
export function scaledToOne(state) {
  const numbers = typed(state);
  const all = sum(numbers);
  if (all.n === 0n) return state.shares.map(() => `1/${state.shares.length}`);
  return numbers.map((number) => text(divide(number, all)));
}

/** @param {import("./state.js").State} state @returns {string[]} the prior, exactly */
export function prior(state) {
  const { isCounted, isOne, isUsable, shown } = total(state);
  if (isCounted && isUsable) return scaledToOne(state);
  if (!isOne) throw new Unclear(`The probabilities add up to ${shown}, and not to 1; press “Scale to 1”, or change one of them.`);
  return typed(state).map(text);
}

/** @returns {object} the universe of a state */
export function universe(state) {
  const file = fileOf(state);
  if (file) return file.universe ?? { size: sizeOf(file) };
  const { kind, rows, edges, metric } = state.universe;
  if (state.query) return { query: state.query };
  if (kind === "databases") {
    if (!/^\d{1,3}$/u.test(rows.trim()) || Number(rows) < 1) throw new Unclear("The number of rows of a database must be a whole number such as 2.");
    return { databases: { alphabet: state.labels, rows: Number(rows) } };
  }
  if (kind === "graph") return { graph: { nodes: state.labels, edges: neighbours(edges, state.labels) } };
  if (kind === "metric") return { metric: table(metric, "The distances", true), labels: state.labels };
  return { alphabet: state.labels };
}

/** @returns {string[][]} the pairs of neighbours in a text: two names on each line, with a comma or a dash between them */
function neighbours(written, labels) {
  const lines = written.split(/\n/u).map((line) => line.trim()).filter(Boolean);
  if (!lines.length) throw new Unclear("The graph has no neighbours yet; write two categories on each line, such as “rarely - sometimes”.");
  return lines.map((line) => {
    const pair = line.split(/\s*(?:,|;|\t|\s-\s|–|—)\s*/u);
    for (const name of pair) if (!labels.includes(name)) throw new Unclear(`“${name.slice(0, 30)}” in the list of neighbours is not a category; write two names on each line, such as “rarely - sometimes”.`);
    if (pair.length !== 2) throw new Unclear(`“${line.slice(0, 40)}” does not name two categories; write two on each line.`);
    return pair;
  });
}

/**
 * The source of a state. A source from counts needs the server, which turns it into a box or a ball.
 * @param {import("./state.js").State} state
 * @param {object | null} region what the server made of the counts
 */
export function source(state, region) {
  const file = fileOf(state);
  if (file) return file.source;
  const found = sourceOfOne(state, region);
  // The rows of a database are drawn independently, each from what is known about one of them.
  return state.universe.kind === "databases" && !state.query ? { rows: found, iid: !state.universe.differ } : found;
}

function sourceOfOne(state, region) {
  const { kind, radius, hull, polytope } = state.source;
  if (kind === "everything") return { everything: state.shares.length };
  if (kind === "counts") return region ?? { prior: prior(state) };
  if (kind === "hull" || kind === "finite") return { [kind]: table(hull, "The priors") };
  if (kind === "polytope") return { polytope: inequalities(polytope, state.shares.length) };
  if (kind === "prior") return { prior: prior(state) };
  const reach = parse(radius);
  if (!reach || reach.n < 0n) throw new Unclear(`“${radius.slice(0, 20)}” is not a margin; write a number such as 0.05.`);
  const center = prior(state);
  if (kind === "ball") return { ball: { center, radius: text(reach) } };
  const shares = center.map(parse);
  return {
    box: {
      lower: shares.map((share) => text(larger(ZERO, subtract(share, reach)))),
      upper: shares.map((share) => text(smaller(ONE, add(share, reach)))),
    },
  };
}

/** @returns {{matrix: string[][], bounds: string[]}} lines of coefficients and a bound, such as "1, -2, 0 <= 0" */
function inequalities(written, size) {
  const lines = written.split(/\n/u).map((line) => line.trim()).filter(Boolean);
  if (!lines.length) throw new Unclear("There is no condition yet; write one on each line, such as “1, -2, 0 <= 0”.");
  const rows = lines.map((line) => {
    const parts = line.split(/<=|≤/u);
    const row = parts.length === 2 ? parts[0].split(/[\s,;]+/u).filter(Boolean).map(parse) : [];
    const bound = parts.length === 2 ? parse(parts[1]) : null;
    if (!bound || row.length !== size || row.some((entry) => !entry)) throw new Unclear(`“${line.slice(0, 40)}” is not a condition on ${size} probabilities; write ${size} coefficients, <= and a bound.`);
    return [row.map(text), text(bound)];
  });
  return { matrix: rows.map(([row]) => row), bounds: rows.map(([, bound]) => bound) };
}

/** @returns {object} the distortion or gain of a state */
export function distortion({ cost }) {
  if (cost.kind === "frequencies") {
    if (!/^[1-9]\d{0,8}$/u.test(cost.table.trim())) throw new Unclear("The number of people must be a whole number such as 1000.");
    return { statistic: { name: "frequencies", rows: Number(cost.table) } };
  }
  if (cost.kind === "matrix") return { matrix: table(cost.table, "The costs") };
  if (cost.kind === "gain") return { gain: table(cost.table, "The gains") };
  return { name: cost.kind };
}

/** @returns {string[][]} the numbers of a text, a line for each row; `inf` where a distance may be infinite */
export function table(written, what, mayBeInfinite = false) {
  const rows = written.split(/\n/u).map((line) => line.trim()).filter(Boolean).map((line) => line.split(/[\s,;]+/u).filter(Boolean));
  if (!rows.length) throw new Unclear(`${what} are missing; write one row on each line, with commas between the numbers.`);
  const read = (entry) => {
    if (mayBeInfinite && /^(inf|∞|-)$/u.test(entry)) return "inf";
    const found = parse(entry);
    if (!found) throw new Unclear(`${what} hold “${entry.slice(0, 20)}”, which is not a number.`);
    return text(found);
  };
  for (const row of rows) if (row.length !== rows[0].length) throw new Unclear(`${what} have rows of different lengths; give each the same number of entries.`);
  return rows.map((row) => row.map(read));
}

/** @returns {object} the problem of one notion, without the point that it asks about */
export function problem(state, notion, region) {
  const file = fileOf(state);
  if (file) {
    const { at, ...asked } = file;
    // A notion with more than numbers in it is in the file alone.
    return { ...asked, notion: file.notion.name === notion.name ? { ...file.notion, ...notion } : notion };
  }
  const [cost, more] = [distortion(state), conditions(state)];
  const isWider = cost.statistic || Object.keys(more).length;
  return { schema: `epstar/problem/${isWider ? 2 : 1}`, notion, universe: universe(state), source: source(state, region), distortion: cost, ...more };
}

/** @returns {boolean} whether the region around some counts has to be asked for before the problem is known */
export const needsRegion = (state) => state.source.kind === "counts" && !state.file;

/** @returns {object} the point that is asked about, as a problem file has it */
export const asked = ({ at }) => (at.startsWith("loss=") ? { loss: at.slice(5) } : { distortion: at });

/** @returns {number | null} how many inputs the question is about; null where only the server can tell */
export function size(state) {
  try {
    const file = fileOf(state);
    return file ? sizeOf(file) : state.labels.length;
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    return null;
  }
}

/** @returns {string} the same in words */
export const inputs = (state) => (size(state) === null ? "the problem file" : `${size(state).toLocaleString("en")} inputs`);

/** @returns {object} what the server is asked about counts */
export function countsQuestion(state) {
  const numbers = typed(state);
  if (!numbers.every(({ d }) => d === 1n)) throw new Unclear("Counts are whole numbers; write how often each category was counted.");
  return { counts: numbers.map(({ n }) => Number(n)), confidence: state.source.confidence, shape: state.source.shape };
}

/** @returns {boolean} whether more is better, so that the axis shows a utility */
export const isGain = (state) => kindOfCost(state) === "gain";

/** @returns {string} what the horizontal axis shows */
export const axisOf = (state) => ({ gain: "utility", statistic: "error" })[kindOfCost(state)] ?? "distortion";

function kindOfCost(state) {
  try {
    const cost = fileOf(state)?.distortion;
    return cost ? Object.keys(cost)[0] : state.cost.kind === "frequencies" ? "statistic" : state.cost.kind;
  } catch (error) {
    if (!(error instanceof Unclear)) throw error;
    return "";
  }
}
