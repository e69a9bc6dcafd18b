/** A mechanism as a table whose cells are as dark as they are likely; each tells in words what it says. */

import { h } from "./dom.js";
import { label, share } from "./format.js";
import { token } from "./palette.js";

const MOST_CELLS = 16;
// On the scale for small probabilities, each tenth of a probability is one of so many equal steps.
const DECADES = 4;
// Probabilities below this one are hard to see on the usual scale.
const SMALL = 0.1;

/** @returns {number} how dark a probability is shown, from 0 to 1 */
const shade = (value, isLog) => (isLog ? (value <= 0 ? 0 : Math.max(0.06, 1 + Math.log10(value) / DECADES)) : value);

/**
 * @param {number[][]} matrix a row for each input
 * @param {unknown[]} inputs
 * @param {unknown[]} outputs
 * @returns {HTMLElement} with a method `point(inputs, outputs)` that marks cells, none if it is given nothing
 */
export function heatmap(matrix, inputs, outputs) {
  // Outputs that never occur only take room.
  const used = outputs.map((_, y) => y).filter((y) => matrix.some((row) => row[y] > 0));
  const never = outputs.length - used.length;
  const caption = `Rows: the true value. Columns: what is released.${never ? ` ${never === 1 ? "One value is" : `${never} values are`} never released.` : ""}`;
  const words = h("p", { class: "cell-words small soft", "aria-live": "off" }, caption);
  const small = matrix.flat().filter((value) => value > 0 && value < 0.02).length > 0.5 * matrix.flat().filter((value) => value > 0).length;
  const scale = h("input", { type: "checkbox", checked: small, onchange: () => draw() });
  const place = h("div", { class: "heat-place" });
  const isSmall = matrix.flat().some((value) => value > 0 && value < SMALL);
  const element = h("div", { class: "stack mechanism-table" }, place, words, isSmall ? h("label", { class: "switch small soft" }, scale, "Shade small probabilities too (log scale)") : null);
  const tell = (x, y) => { words.textContent = `If the true value is “${label(inputs[x])}”, “${label(outputs[y])}” is released with probability ${share(matrix[x][y]).replace(/^\./u, "0.")}.`; };
  const rest = () => { words.textContent = caption; };

  function draw() {
    place.replaceChildren(Math.max(inputs.length, used.length) > MOST_CELLS ? picture(matrix, inputs, outputs, used, scale.checked, tell, rest) : cells());
  }

  function cells() {
    const head = h("tr", {}, h("td", { class: "corner" }), used.map((y) => h("th", { scope: "col", title: label(outputs[y]) }, h("span", {}, label(outputs[y])))));
    const body = matrix.map((row, x) => h("tr", {}, h("th", { scope: "row", title: label(inputs[x]) }, label(inputs[x])), used.map((y) => cell(row[y], x, y))));
    const table = h("table", { class: "heat" }, h("caption", { class: "visually-hidden" }, "Probability of each released value (columns) given the true value (rows)"), h("thead", {}, head), h("tbody", {}, body));
    table.style.setProperty("--columns", String(used.length));
    return h("div", { class: "scroll" }, table);
  }

  function cell(value, x, y) {
    const found = h("td", { "data-input": x, "data-output": y, onpointerenter: () => tell(x, y), onpointerleave: rest }, share(value));
    found.style.setProperty("--share", `${(shade(value, scale.checked) * 100).toFixed(2)}%`);
    return found;
  }

  draw();
  element.point = (rows, columns) => {
    for (const found of place.querySelectorAll("td[data-input]")) {
      found.classList.toggle("pointed", rows.includes(Number(found.dataset.input)) && columns.includes(Number(found.dataset.output)));
    }
  };
  return element;
}

/** Beyond some size numbers in cells cannot be read; pointing at them tells them. */
function picture(matrix, inputs, outputs, used, isLog, tell, rest) {
  const canvas = h("canvas", { width: used.length, height: inputs.length, class: "heat-picture", role: "img", "aria-label": `Mechanism with ${inputs.length} inputs and ${used.length} outputs` });
  const brush = canvas.getContext("2d");
  const image = brush.createImageData(used.length, inputs.length);
  const [from, to] = [rgb(token("--card")), rgb(token("--heat"))];
  matrix.forEach((row, x) => used.forEach((y, column) => {
    const dark = shade(row[y], isLog);
    [0, 1, 2].forEach((channel) => { image.data[4 * (x * used.length + column) + channel] = from[channel] + (to[channel] - from[channel]) * dark; });
    image.data[4 * (x * used.length + column) + 3] = 255;
  }));
  brush.putImageData(image, 0, 0);
  canvas.addEventListener("pointermove", (event) => {
    const x = Math.floor((event.offsetY / canvas.clientHeight) * inputs.length);
    const column = Math.floor((event.offsetX / canvas.clientWidth) * used.length);
    if (inputs[x] !== undefined && used[column] !== undefined) tell(x, used[column]);
  });
  canvas.addEventListener("pointerleave", rest);
  return canvas;
}

const rgb = (colour) => [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
