/** Colours that people with any colour vision tell apart, and dashes and marks for those who see none. */

import { svg } from "./dom.js";
import { isDark } from "./theme.js";

const LIGHT = ["#0072b2", "#e4420f", "#2f5f50", "#c2278f", "#9a6bff", "#6b8230", "#3b3a48"];
const DARK = ["#56b4e9", "#f0883e", "#7df08a", "#a9719c", "#e6d8ff", "#ffc13b", "#b9a7ad"];
const DASHES = ["", "7 4", "2 3", "7 3 2 3", "11 4", "11 3 2 3", "5 2 1 2"];
const MARKS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon"];

/** @param {number} place @returns {{colour: string, stroke: string, mark: string}} */
export function style(place) {
  const i = place % LIGHT.length;
  return { colour: (isDark() ? DARK : LIGHT)[i], stroke: DASHES[i], mark: MARKS[i] };
}

/** A short line in the style of a curve, for legends; empty where there is no curve. */
export function swatch(place) {
  const picture = svg("svg", { class: "swatch", viewBox: "0 0 36 14", "aria-hidden": "true" });
  if (place >= 0) {
    const { colour, stroke } = style(place);
    picture.append(svg("line", { x1: 1, y1: 7, x2: 35, y2: 7, stroke: colour, "stroke-width": 3, "stroke-dasharray": stroke || "none" }));
  }
  return picture;
}

/** The signs of the usual mechanisms, as text names them. */
export const BASELINES = { "randomised response": "✕", geometric: "△", exponential: "□" };

/** @returns {string} the outline of a usual mechanism's mark around a place */
export function baselineMark(name, x, y) {
  const r = 4.5;
  if (name === "geometric") return `M${x},${y - r} L${x + r},${y + r} H${x - r} Z`;
  if (name === "exponential") return `M${x - r},${y - r} h${2 * r} v${2 * r} h${-2 * r} Z`;
  return `M${x - r},${y - r} L${x + r},${y + r} M${x + r},${y - r} L${x - r},${y + r}`;
}

const CORNERS = { square: [4, 45], diamond: [4, 0], "triangle-up": [3, -90], "triangle-down": [3, 90], pentagon: [5, -90], hexagon: [6, 0] };

/** @returns {string} the outline of a curve's mark around a place */
export function mark(symbol, x, y, r) {
  if (!(symbol in CORNERS)) return `M${x - r},${y} a${r},${r} 0 1,0 ${2 * r},0 a${r},${r} 0 1,0 ${-2 * r},0`;
  const [count, turn] = CORNERS[symbol];
  const corners = Array.from({ length: count }, (_, i) => ((360 * i) / count + turn) * (Math.PI / 180));
  return `M${corners.map((angle) => `${(x + 1.35 * r * Math.cos(angle)).toFixed(2)},${(y + 1.35 * r * Math.sin(angle)).toFixed(2)}`).join(" L")} Z`;
}

/** @param {string} name a custom property such as "--ink" @returns {string} its colour now */
export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
