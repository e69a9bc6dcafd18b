/** A mechanism as a table whose cells are as dark as they are likely. */

/* global Plotly */
import { h } from "./dom.js";
import { label, share } from "./format.js";
import { token } from "./palette.js";

const MOST_CELLS = 16;

/**
 * @param {number[][]} matrix a row for each input
 * @param {unknown[]} inputs
 * @param {unknown[]} outputs
 */
export function heatmap(matrix, inputs, outputs) {
  // Outputs that never occur only take room.
  const used = outputs.map((_, y) => y).filter((y) => matrix.some((row) => row[y] > 0));
  if (Math.max(inputs.length, used.length) > MOST_CELLS) return picture(matrix, inputs, outputs, used);
  const head = h("tr", {}, h("td", { class: "corner" }), used.map((y) => h("th", { scope: "col", title: label(outputs[y]) }, h("span", {}, label(outputs[y])))));
  const body = matrix.map((row, x) => h("tr", {}, h("th", { scope: "row", title: label(inputs[x]) }, label(inputs[x])), used.map((y) => cell(row[y]))));
  const missing = outputs.length - used.length;
  const caption = `Probability of each output (columns) given the input (rows)${missing ? `; ${missing} outputs never occur` : ""}`;
  const shown = h("table", { class: "heat" }, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, body));
  shown.style.setProperty("--columns", String(used.length));
  return h("div", { class: "scroll" }, shown);
}

function cell(value) {
  const element = h("td", { class: value > 0.5 ? "strong" : "" }, share(value));
  element.style.setProperty("--share", `${(value * 100).toFixed(2)}%`);
  return element;
}

/** Beyond some size numbers in cells cannot be read; hovering tells them. */
function picture(matrix, inputs, outputs, used) {
  const place = h("div", { class: "chart", role: "img", "aria-label": `Mechanism with ${inputs.length} inputs and ${used.length} outputs` });
  const trace = {
    type: "heatmap", z: matrix.map((row) => used.map((y) => row[y])), x: used.map((y) => label(outputs[y])), y: inputs.map(label), zmin: 0, zmax: 1,
    colorscale: [[0, token("--card")], [1, token("--heat")]], hovertemplate: "input %{y}<br>output %{x}<br>probability %{z:.4f}<extra></extra>",
    colorbar: { thickness: 12, outlinewidth: 0 },
  };
  const layout = {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: token("--sans"), size: 12, color: token("--ink") }, margin: { l: 60, r: 10, t: 10, b: 50 },
    xaxis: { title: { text: "output" }, type: "category", automargin: true }, yaxis: { title: { text: "input" }, type: "category", autorange: "reversed", automargin: true },
  };
  requestAnimationFrame(() => Plotly.newPlot(place, [trace], layout, { displayModeBar: false, responsive: true }));
  return place;
}
