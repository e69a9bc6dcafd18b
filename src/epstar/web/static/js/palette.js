/** Colours that people with any colour vision tell apart, and dashes and marks for those who see none. */

import { svg } from "./dom.js";
import { isDark } from "./theme.js";

const LIGHT = ["#0072b2", "#e4420f", "#2f5f50", "#c2278f", "#9a6bff", "#6b8230", "#3b3a48"];
const DARK = ["#56b4e9", "#f0883e", "#7df08a", "#a9719c", "#e6d8ff", "#ffc13b", "#b9a7ad"];
const DASHES = ["solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "5px 2px 1px 2px"];
const STROKES = ["", "7 4", "2 3", "7 3 2 3", "11 4", "11 3 2 3", "5 2 1 2"];
const MARKS = ["circle", "square", "diamond", "triangle-up", "triangle-down", "pentagon", "hexagon"];

/** @param {number} place @returns {{colour: string, dash: string, stroke: string, mark: string}} */
export function style(place) {
  const i = place % LIGHT.length;
  return { colour: (isDark() ? DARK : LIGHT)[i], dash: DASHES[i], stroke: STROKES[i], mark: MARKS[i] };
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

/** The marks of the usual mechanisms. */
export const BASELINES = { "randomised response": "x-thin-open", geometric: "triangle-up-open", exponential: "square-open" };

/** @param {string} name a custom property such as "--ink" @returns {string} its colour now */
export const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
