/** The picture of the trade-offs: proven bands, lines, breakpoints, jumps, the usual mechanisms, the chosen point. */

/* global Plotly */
import { h } from "./dom.js";
import { capital, exact, number } from "./format.js";
import { BASELINES, style, token } from "./palette.js";

/**
 * @typedef {object} Drawn
 * @property {string} title
 * @property {number} place its place among the notions, which decides its style
 * @property {object} curve
 * @property {object[]} breakpoints
 */

/** A picture that says which point was clicked. */
export class Chart {
  #next = null;

  /** @param {(place: number, distortion: string) => void} choose */
  constructor(choose) {
    this.element = h("div", { class: "chart", role: "img", "aria-label": "Trade-off curves" });
    this.choose = choose;
    this.installed = false;
    // A view that is not shown has no size.
    new ResizeObserver(() => this.installed && this.element.offsetParent && Plotly.Plots.resize(this.element)).observe(this.element);
  }

  /**
   * @param {Drawn[]} drawn
   * @param {{families: object[]} | null} baselines of the notion that is looked at
   * @param {{x: number, y: number, place: number} | null} chosen
   * @param {string} axis "distortion" or "utility"
   */
  draw(drawn, baselines, chosen, axis) {
    this.element.setAttribute("aria-label", described(drawn, axis));
    const isWaiting = this.#next !== null;
    this.#next = [[...drawn.flatMap(curveTraces), ...(baselines ? baselineTraces(baselines) : []), ...(chosen ? [chosenTrace(chosen)] : [])], layout(axis, highest(drawn), drawn.length > 0)];
    if (isWaiting) return;
    // Answers that come together are drawn together: drawing takes longer than most of them.
    this.element.setAttribute("aria-busy", "true");
    requestAnimationFrame(() => this.#show());
  }

  async #show() {
    const [traces, shape] = this.#next;
    this.#next = null;
    await Plotly.react(this.element, traces, shape, CONFIG);
    if (this.#next === null) this.element.setAttribute("aria-busy", "false");
    if (!this.installed) {
      this.installed = true;
      // Where the library measures text; nobody should hear of it.
      document.getElementById("js-plotly-tester")?.setAttribute("aria-hidden", "true");
      this.element.on("plotly_click", (event) => this.#clicked(event));
    }
  }

  #clicked(event) {
    const hit = event.points.find((point) => point.data.meta !== undefined && point.customdata);
    if (hit) this.choose(hit.data.meta, hit.customdata);
  }
}

const CONFIG = { displayModeBar: false, responsive: false, doubleClick: "reset" };

function layout(axis, top, hasCurves) {
  const ink = token("--ink");
  const common = {
    gridcolor: token("--line"), zerolinecolor: token("--line-strong"), linecolor: token("--line-strong"), ticks: "outside", tickcolor: token("--line-strong"),
    automargin: true, title: { standoff: 8 },
  };
  return {
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: token("--sans"), size: 13, color: ink }, margin: { l: 52, r: 14, t: 10, b: 44 },
    showlegend: false, hovermode: "closest", dragmode: matchMedia("(pointer: coarse)").matches ? false : "zoom",
    hoverlabel: { bgcolor: token("--card"), bordercolor: token("--line-strong"), font: { color: ink, size: 13 }, align: "left" },
    xaxis: { ...common, title: { text: capital(axis), standoff: 8 }, zeroline: false, ...(hasCurves ? {} : { range: [0, 1], showticklabels: false }) },
    yaxis: { ...common, title: { text: "Least privacy loss (nats)", standoff: 8 }, range: [-0.03 * top, 1.06 * top], zeroline: true, showticklabels: hasCurves },
  };
}

/** @returns {number} the loss at which the picture ends: an infinite or lonely huge one must not flatten the rest */
function highest(drawn) {
  const losses = drawn.flatMap(({ curve }) => curve.points.map(({ upper }) => upper)).filter((loss) => loss !== null).sort((a, b) => a - b);
  if (!losses.length) return 1;
  return losses.at(-1) || 1;
}

/** The points of a curve with its breakpoints among them, and a gap at every jump. */
function vertices({ curve, breakpoints }) {
  const found = curve.points.map((point) => ({ ...point, order: 1 }));
  const sign = curve.axis === "utility" ? -1 : 1;
  for (const point of breakpoints) {
    if (point.kind === "jump") {
      found.push({ x: point.x - sign * (point.tolerance ?? 0), ...point.left, order: 0 }, { x: point.x - sign * (point.tolerance ?? 0), lower: null, upper: null, order: 1 });
    }
    found.push({ x: point.x, distortion: point.distortion, ...point.right, order: 2 });
  }
  return found.sort((a, b) => sign * (a.x - b.x) || a.order - b.order);
}

function curveTraces({ title, place, curve, breakpoints }) {
  const { colour, dash, mark } = style(place);
  const points = vertices({ curve, breakpoints });
  const x = points.map((point) => point.x);
  const hover = points.map((point) => `<b>${escaped(title)}</b><br>${curve.axis} ${number(point.x)}<br>loss ${number(point.upper)}${point.exact ? ` = ${exact(point.exact)}` : ""}`);
  return [
    { x, y: points.map(({ lower }) => lower), mode: "lines", line: { width: 0 }, hoverinfo: "skip", type: "scatter" },
    { x, y: points.map(({ upper }) => upper), mode: "lines", line: { width: 0 }, fill: "tonexty", fillcolor: faded(colour, 0.28), hoverinfo: "skip", type: "scatter" },
    {
      x, y: points.map(({ upper }) => upper), mode: "lines+markers", type: "scatter", meta: place, customdata: points.map(({ distortion }) => distortion ?? ""),
      line: { color: colour, width: 2.4, dash }, marker: { size: 9, opacity: 0, color: colour }, text: hover, hovertemplate: "%{text}<extra></extra>",
    },
    ...jumps(breakpoints, colour),
    markers(breakpoints.filter(({ kind, right }) => kind !== "jump" && right.upper !== null), mark, colour, title, place, 7),
  ];
}

function jumps(breakpoints, colour) {
  return breakpoints
    .filter(({ kind, left }) => kind === "jump" && left.upper !== null)
    .flatMap(({ x, left, right, distortion }) => [
      { x: [x, x], y: [left.upper, right.upper], mode: "lines", type: "scatter", line: { color: colour, width: 1.4, dash: "dot" }, hoverinfo: "skip" },
      {
        x: [x, x], y: [left.upper, right.upper], mode: "markers", type: "scatter",
        marker: { size: 9, color: [token("--card"), colour], line: { color: colour, width: 2 } },
        text: [`Jump at ${exact(distortion)}: just before it the loss is ${number(left.upper)}`, `Jump at ${exact(distortion)}: from here on the loss is ${number(right.upper)}`],
        hovertemplate: "%{text}<extra></extra>",
      },
    ]);
}

function markers(points, symbol, colour, title, place, size) {
  return {
    x: points.map(({ x }) => x), y: points.map(({ right }) => right.upper), mode: "markers", type: "scatter", meta: place,
    customdata: points.map(({ distortion }) => distortion), marker: { symbol, size, color: colour, line: { color: token("--card"), width: 1.2 } },
    text: points.map(({ kind, x, right }) => `<b>${escaped(title)}</b><br>${capital(kind)} at ${number(x)}, loss ${number(right.upper)}`),
    hovertemplate: "%{text}<extra></extra>",
  };
}

function baselineTraces({ families }) {
  return families.map(({ name, points }) => {
    const shown = points.filter(({ loss }) => loss !== null);
    return {
      x: shown.map(({ x }) => x), y: shown.map(({ loss }) => loss), mode: "markers", type: "scatter",
      marker: { symbol: BASELINES[name], size: 9, color: token("--ink"), line: { width: 1.6, color: token("--ink") } },
      text: shown.map(({ x, loss, level }) => `<b>${capital(name)}</b> at ε = ${level}<br>${number(x)}, loss ${number(loss)}`),
      hovertemplate: "%{text}<extra></extra>",
    };
  });
}

function chosenTrace({ x, y, place }) {
  return {
    x: [x], y: [y], mode: "markers", type: "scatter", hoverinfo: "skip",
    marker: { symbol: "circle-open", size: 18, color: style(place).colour, line: { width: 3, color: style(place).colour } },
  };
}

function described(drawn, axis) {
  if (!drawn.length) return "No trade-off yet";
  const parts = drawn.map(({ title, curve }) => {
    const finite = curve.points.filter(({ upper }) => upper !== null);
    if (!finite.length) return `${title}: no finite loss`;
    return `${title}: from ${number(finite[0].upper)} nats at ${axis} ${number(finite[0].x)} to ${number(finite.at(-1).upper)} at ${number(finite.at(-1).x)}`;
  });
  return `Least privacy loss against ${axis}. ${parts.join(". ")}.`;
}

const escaped = (text) => text.replace(/[&<>]/gu, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[letter]);

function faded(colour, share) {
  const [r, g, b] = [1, 3, 5].map((i) => Number.parseInt(colour.slice(i, i + 2), 16));
  return `rgba(${r},${g},${b},${share})`;
}
