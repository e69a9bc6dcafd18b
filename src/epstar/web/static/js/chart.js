/** The picture of the trade-offs: proven points and bands, jumps with both their ends, the usual mechanisms, the chosen point. */

import { h, svg } from "./dom.js";
import { capital, exact, lost, number } from "./format.js";
import { baselineMark, mark, style } from "./palette.js";

/**
 * @typedef {object} Drawn
 * @property {string} title
 * @property {number} place its place among the notions, which decides its style
 * @property {object} curve
 * @property {object[]} breakpoints
 * @property {boolean} isComplete whether all jumps are known, so that points may be joined
 */

const MARGIN = { left: 54, right: 16, top: 14, bottom: 46 };
const NEAR = 34;

/** A picture whose points are chosen by a click, by dragging along a curve, or with the slider beside it. */
export class Chart {
  #drawn = [];
  #baselines = null;
  #chosen = null;
  #axis = "distortion";
  #scale = null;
  #isDragging = false;

  /** @param {(place: number, distortion: string) => void} choose */
  constructor(choose) {
    this.choose = choose;
    this.picture = svg("svg", { class: "plot", "aria-hidden": "true", focusable: "false" });
    this.tip = h("div", { class: "tip", hidden: true });
    this.element = h("div", { class: "chart", role: "img", "aria-label": "Trade-off curves" }, this.picture, this.tip);
    this.element.addEventListener("pointermove", (event) => this.#move(event));
    this.element.addEventListener("pointerdown", (event) => this.#press(event));
    this.element.addEventListener("pointerup", () => { this.#isDragging = false; });
    this.element.addEventListener("pointerleave", () => { this.#isDragging = false; this.#point(null); });
    // A view that is not shown has no size.
    new ResizeObserver(() => this.element.offsetParent && this.#show()).observe(this.element);
  }

  /**
   * @param {Drawn[]} drawn
   * @param {{families: object[]} | null} baselines of the notion that is looked at
   * @param {{x: number, y: number | null, place: number} | null} chosen
   * @param {string} axis "distortion" or "utility"
   */
  draw(drawn, baselines, chosen, axis) {
    this.#drawn = drawn.map((one) => ({ ...one, vertices: vertices(one) }));
    this.#baselines = baselines;
    this.#chosen = chosen;
    this.#axis = axis;
    this.element.setAttribute("aria-label", described(drawn, axis));
    this.#show();
  }

  /** Let the chosen point be seen, while somebody points at the sentence about it. */
  emphasise(isOn) {
    this.picture.querySelector(".chosen")?.classList.toggle("strong", isOn);
  }

  /** What is drawn, in the numbers of the axes: for those who look at the picture from outside. */
  get content() {
    return {
      curves: this.#drawn.map(({ title, vertices: all, isComplete }) => ({ title, isComplete, x: all.map(({ x }) => x), y: all.map(({ upper }) => upper ?? null) })),
      breakpoints: this.#drawn.flatMap(({ title, breakpoints }) => breakpoints.map((point) => ({ title, ...point }))),
      baselines: this.#baselines?.families.map(({ name }) => name) ?? [],
      chosen: this.#chosen,
    };
  }

  /** @returns {[number, number]} where a point of the picture is on the screen */
  placeOf(x, y) {
    const box = this.element.getBoundingClientRect();
    return [box.left + this.#scale.x(x), box.top + this.#scale.y(y)];
  }

  #show() {
    const [width, height] = [this.element.clientWidth, this.element.clientHeight];
    if (width < 40 || height < 40) return;
    this.picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#scale = scaled(this.#drawn, this.#baselines, this.#chosen, width, height);
    const { x, y } = this.#scale;
    this.picture.replaceChildren(
      ...axes(this.#scale, this.#axis, [...new Set(this.#drawn.map(({ curve: { unit } }) => unit))].join(", ") || "nats", width, height),
      ...(this.#baselines ? baselineMarks(this.#baselines, x, y, this.#scale) : []),
      ...this.#drawn.flatMap((one) => curve(one, this.#scale)),
      ...(this.#chosen ? chosenMark(this.#chosen, this.#scale) : []),
      svg("g", { class: "pointer" }),
    );
    this.element.chart = this;
  }

  /** The vertex nearest to where somebody points, or null if none is near. */
  #nearest(event, isFar) {
    if (!this.#scale) return null;
    const box = this.element.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let best = null;
    for (const one of this.#drawn) {
      for (const vertex of one.vertices) {
        if (vertex.upper === null || vertex.upper === undefined || !vertex.distortion) continue;
        const dx = this.#scale.x(vertex.x) - px;
        const dy = this.#scale.y(vertex.upper) - py;
        // While it is dragged along a curve, only how far it is across counts.
        const distance = isFar ? (one.place === this.#chosen?.place ? Math.abs(dx) : Infinity) : Math.hypot(dx, dy);
        if (distance < (best?.distance ?? (isFar ? Infinity : NEAR))) best = { distance, vertex, one };
      }
    }
    return best;
  }

  #move(event) {
    if (this.#isDragging) {
      const found = this.#nearest(event, true);
      if (found) this.choose(found.one.place, found.vertex.distortion);
      return;
    }
    this.#point(this.#nearest(event, false));
  }

  #press(event) {
    const found = this.#nearest(event, false);
    if (!found) return;
    event.preventDefault();
    this.choose(found.one.place, found.vertex.distortion);
    this.#isDragging = event.pointerType !== "touch";
  }

  #point(found) {
    const place = this.picture.querySelector(".pointer");
    this.tip.hidden = !found;
    place?.replaceChildren();
    if (!found || !place) return;
    const { vertex, one } = found;
    const [px, py] = [this.#scale.x(vertex.x), this.#scale.y(vertex.upper)];
    place.append(svg("circle", { cx: px, cy: py, r: 5, fill: style(one.place).colour }));
    this.tip.replaceChildren(
      h("strong", {}, one.title),
      h("span", {}, `${capital(one.curve.axis)} ${number(vertex.x)}`),
      h("span", {}, `Loss ${lost(number(vertex.upper), one.curve.unit)}${vertex.exact && vertex.exact !== "0" ? ` = ${exact(vertex.exact)}` : ""}`),
    );
    this.tip.style.left = `${Math.min(px + 12, this.element.clientWidth - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${Math.max(4, py - this.tip.offsetHeight - 12)}px`;
  }
}

/** The points of a curve with its breakpoints among them, from left to right; `gap` ends a line at a jump. */
function vertices({ curve, breakpoints }) {
  const sign = curve.axis === "utility" ? -1 : 1;
  // A point of the curve that is a breakpoint is drawn once.
  const marked = new Set(breakpoints.map(({ distortion }) => distortion));
  const found = curve.points.filter(({ distortion }) => !marked.has(distortion)).map((point) => ({ ...point, order: 2 }));
  for (const point of breakpoints) {
    if (point.kind === "jump" && point.left.upper !== null) found.push({ x: point.x, ...point.left, order: 0, gap: true });
    found.push({ x: point.x, distortion: point.distortion, ...point.right, order: 1 });
  }
  return found.sort((a, b) => sign * (a.x - b.x) || a.order - b.order);
}

function scaled(drawn, baselines, chosen, width, height) {
  const points = drawn.flatMap((one) => one.vertices);
  const xs = points.map(({ x }) => x);
  const losses = points.map(({ upper }) => upper).filter((loss) => loss !== null && loss !== undefined);
  if (chosen) xs.push(chosen.x);
  if (chosen?.y) losses.push(chosen.y);
  // One point alone has no scale.
  const hasScale = new Set(xs).size > 1;
  const [low, high] = hasScale ? [Math.min(...xs), Math.max(...xs)] : [0, 1];
  const right = Math.max(high, ...(baselines?.families ?? []).flatMap(({ points: all }) => all.filter(({ loss }) => loss !== null).map(({ x }) => x)), low + 1e-9);
  const top = (losses.length ? Math.max(...losses) : 1) * 1.08 || 1;
  const inner = { left: MARGIN.left, right: width - MARGIN.right, top: MARGIN.top, bottom: height - MARGIN.bottom };
  return {
    low, high: right, top, inner, hasScale,
    x: (value) => inner.left + ((value - low) / (right - low)) * (inner.right - inner.left),
    y: (value) => inner.bottom - (Math.min(value, top) / top) * (inner.bottom - inner.top),
  };
}

/** @returns {number[]} round numbers between two ends, about so many */
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((one) => one >= raw) ?? 10 * power;
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.floor(high / step + 1e-9) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

const AXES = { utility: "Utility →", distortion: "Distortion: how wrong the released data may be →", error: "Expected squared error of the estimates →" };

function axes({ x, y, low, high, top, inner, hasScale }, axis, unit, width, height) {
  const across = hasScale ? ticks(low, high, Math.max(3, Math.round(width / 110))) : [];
  const up = hasScale ? ticks(0, top, Math.max(3, Math.round(height / 80))) : [];
  return [
    ...up.map((value) => svg("line", { class: value === 0 ? "base" : "grid", x1: inner.left, x2: inner.right, y1: y(value), y2: y(value) })),
    ...across.map((value) => svg("line", { class: "tick", x1: x(value), x2: x(value), y1: inner.bottom, y2: inner.bottom + 5 })),
    ...up.map((value) => svg("text", { class: "label", x: inner.left - 8, y: y(value) + 4, "text-anchor": "end" }, number(value))),
    ...across.map((value) => svg("text", { class: "label", x: x(value), y: inner.bottom + 19, "text-anchor": "middle" }, number(value))),
    ...(hasScale ? [] : [svg("line", { class: "base", x1: inner.left, x2: inner.right, y1: inner.bottom, y2: inner.bottom })]),
    svg("text", { class: "title", x: (inner.left + inner.right) / 2, y: height - 6, "text-anchor": "middle" }, AXES[axis]),
    svg("text", { class: "title", transform: `translate(14 ${(inner.top + inner.bottom) / 2}) rotate(-90)`, "text-anchor": "middle" }, `Privacy loss (${unit})`),
  ];
}

function curve({ place, vertices: all, breakpoints, isComplete }, { x, y, inner }) {
  const { colour, stroke, mark: symbol } = style(place);
  const finite = (point) => point.upper !== null && point.upper !== undefined;
  const pieces = [[]];
  for (const vertex of all) {
    if (!finite(vertex)) continue;
    pieces.at(-1).push(vertex);
    if (vertex.gap) pieces.push([]);
  }
  const parts = [];
  for (const piece of pieces.filter((points) => points.length > 1)) {
    const upper = piece.map((point) => `${x(point.x)},${y(point.upper)}`);
    const lower = piece.map((point) => `${x(point.x)},${y(point.lower ?? point.upper)}`).reverse();
    if (!isComplete) continue;
    parts.push(svg("polygon", { class: "band", points: [...upper, ...lower].join(" "), fill: colour }));
    parts.push(svg("polyline", { class: "line", points: upper.join(" "), stroke: colour, "stroke-dasharray": stroke || "none" }));
  }
  // Until all jumps are known, the points stand alone: a line between them could cross a jump.
  if (!isComplete) parts.push(...all.filter(finite).map((point) => svg("circle", { class: "dot", cx: x(point.x), cy: y(point.upper), r: 2.6, fill: colour })));
  const endless = all.slice(0, Math.max(0, all.findIndex(finite))).at(-1);
  // Where it has no bound, an arrow says so; how steeply it gets there is not known from that.
  if (endless) parts.push(svg("path", { class: "endless", d: `M${x(endless.x)},${inner.top + 16} V${inner.top - 2} m-4,6 l4,-6 l4,6`, stroke: colour }, svg("title", {}, `No mechanism limits the loss at ${number(endless.x)}`)));
  for (const point of breakpoints) {
    if (point.kind === "jump" && point.left.upper !== null) {
      parts.push(
        svg("line", { class: "jump", x1: x(point.x), x2: x(point.x), y1: y(point.left.upper), y2: y(point.right.upper), stroke: colour }),
        svg("circle", { class: "open", cx: x(point.x), cy: y(point.left.upper), r: 4.5, stroke: colour }, svg("title", {}, `Jump at ${exact(point.distortion)}: just before it the loss is ${number(point.left.upper)}`)),
        svg("circle", { cx: x(point.x), cy: y(point.right.upper), r: 4.5, fill: colour }, svg("title", {}, `Jump at ${exact(point.distortion)}: from here on the loss is ${number(point.right.upper)}`)),
      );
    } else if (point.right.upper !== null) {
      parts.push(svg("path", { class: "kink", d: mark(symbol, x(point.x), y(point.right.upper), 3.6), fill: colour }, svg("title", {}, `${capital(point.kind)} at ${number(point.x)}, loss ${number(point.right.upper)}`)));
    }
  }
  return parts;
}

function baselineMarks({ families }, x, y, { top }) {
  return families.flatMap(({ name, points }) =>
    points.filter(({ loss }) => loss !== null && loss <= top).map((point) =>
      svg("path", { class: "baseline", d: baselineMark(name, x(point.x), y(point.loss)) }, svg("title", {}, `${capital(name)} at ε = ${point.level}: ${number(point.x)}, loss ${number(point.loss)}`)),
    ),
  );
}

/** The chosen point is always on the picture: on its curve, or at the edge beyond which it lies. */
function chosenMark({ x: at, y: loss, place }, { x, y, inner, top }) {
  const { colour } = style(place);
  const py = loss === null ? inner.top + 4 : y(Math.min(loss, top));
  const px = Math.min(inner.right, Math.max(inner.left, x(at)));
  return [
    svg("path", { class: "guide", d: `M${inner.left},${py} H${px} V${inner.bottom}` }),
    svg("circle", { class: "chosen", cx: px, cy: py, r: 8, stroke: colour }),
    svg("circle", { cx: px, cy: py, r: 3, fill: colour }),
  ];
}

function described(drawn, axis) {
  if (!drawn.length) return "No trade-off yet";
  const parts = drawn.map(({ title, curve: { points, unit } }) => {
    const finite = points.filter(({ upper }) => upper !== null);
    if (!finite.length) return `${title}: no finite loss`;
    return `${title}: from ${lost(number(finite[0].upper), unit)} at ${axis} ${number(finite[0].x)} to ${number(finite.at(-1).upper)} at ${number(finite.at(-1).x)}`;
  });
  return `Least privacy loss against ${axis}. ${parts.join(". ")}.`;
}
