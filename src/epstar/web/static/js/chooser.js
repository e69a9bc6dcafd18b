/** Choosing a point without a mouse: a slider along the curve, and a field for an exact number. */

import { fill, h } from "./dom.js";
import { capital, lost, number, within } from "./format.js";
import { negate, parse, text, toNumber } from "./fraction.js";
import { asked } from "./problem.js";

/** @returns {boolean} whether a loss is written as people write one: a number, or the logarithm of one */
const isLoss = (written) => {
  const inner = /^(?:ln|log)\s*\(?([^()]*)\)?$/u.exec(written);
  const found = parse(inner ? inner[1] : written);
  return Boolean(found) && (inner ? found.n >= found.d : found.n >= 0n);
};

export class Chooser {
  #points = [];
  #focused = null;
  #axis = "distortion";
  /** Where the chosen point lies, once it is answered; the loss is undefined where it was given. */
  #placed = { at: "", distortion: 0, loss: undefined };

  /** @param {import("./state.js").Store} store @param {(sentence: string) => void} refuse says what cannot be meant */
  constructor(store, refuse) {
    this.store = store;
    this.refuse = refuse;
    this.slider = h("input", { type: "range", min: "0", max: "0", step: "1", id: "chooser", oninput: () => this.#slide() });
    this.input = h("input", { id: "chooser-exact", inputmode: "decimal", "aria-describedby": "chooser-problem", onchange: () => this.#type() });
    this.loss = h("input", { id: "chooser-loss", "aria-describedby": "chooser-problem", onchange: () => this.#typeLoss() });
    this.problem = h("p", { class: "field-problem", id: "chooser-problem", role: "alert" });
    this.sliderLabel = h("label", { for: "chooser" });
    this.inputLabel = h("label", { for: "chooser-exact" });
    this.element = h(
      "div",
      { class: "chooser" },
      h("div", { class: "field" }, this.sliderLabel, this.slider),
      h("div", { class: "field" }, this.inputLabel, this.input),
      h("div", { class: "field" }, h("label", { for: "chooser-loss" }, "or privacy loss"), this.loss),
      this.problem,
    );
  }

  /** Show where on which curve the chosen point is. */
  show(focused, axis) {
    this.#focused = focused;
    this.#axis = axis;
    const title = focused?.title ?? "";
    fill(this.sliderLabel, `Point on the curve${title ? ` of ${within(title)}` : ""}`);
    fill(this.inputLabel, `${capital(axis)}, exactly`);
    const at = parse(this.store.state.at);
    const { loss = "" } = asked(this.store.state);
    if (document.activeElement !== this.input && document.activeElement !== this.loss) this.problem.textContent = "";
    for (const [input, value] of [[this.input, at ? text(axis === "utility" ? negate(at) : at) : ""], [this.loss, loss]]) {
      if (document.activeElement === input) continue;
      input.value = value;
      input.removeAttribute("aria-invalid");
    }
    this.#points = focused ? this.#sorted(focused) : [];
    this.slider.disabled = !this.#points.length;
    this.slider.max = String(Math.max(0, this.#points.length - 1));
    const nearest = this.#nearest();
    this.slider.removeAttribute("aria-valuetext");
    if (nearest >= 0) {
      this.slider.value = String(nearest);
      const chosen = this.place();
      this.slider.setAttribute("aria-valuetext", `${axis} ${number(chosen?.x ?? 0)}, least loss ${lost(number(chosen?.y ?? null), focused.curve.unit)}`);
    }
  }

  /** @returns {{x: number, y: number, place: number} | null} where the chosen point lies in the picture */
  place() {
    const x = this.#across();
    if (x === null || !this.#focused || !this.#reaches(x)) return null;
    const { at, loss } = this.#placed;
    const isAnswered = at === this.store.state.at && loss !== undefined;
    // Before the answer and the whole curve are there, nobody knows how high the point lies.
    if (!isAnswered && !this.#focused.isWhole) return null;
    return { x, y: isAnswered ? loss : heightAt(this.#points, x), place: this.#focused.place };
  }

  /** The points of the curve and its breakpoints, from left to right. */
  #sorted({ curve, breakpoints }) {
    const all = [...curve.points, ...breakpoints.map(({ x, distortion, right }) => ({ x, distortion, ...right }))];
    const sorted = all.filter(({ upper }) => upper !== null).sort((a, b) => a.x - b.x);
    return sorted.filter((point, i) => i === 0 || point.distortion !== sorted[i - 1].distortion);
  }

  /** The chosen point was answered; nothing is known about the one before any more. */
  placed(at, distortion, loss) {
    this.#placed = { at, distortion, loss };
  }

  /** @returns {number | null} where the chosen point lies on the horizontal axis */
  #across() {
    const { at } = this.store.state;
    const typed = parse(at);
    const distortion = typed ? toNumber(typed) : at && at === this.#placed.at ? this.#placed.distortion : null;
    return distortion === null ? null : (this.#axis === "utility" ? -1 : 1) * distortion;
  }

  /** Whether the curve has come to a place; before its first point there is no mechanism. */
  #reaches(x) {
    const places = this.#focused.curve.points.map((point) => point.x);
    return this.#axis === "utility" ? x <= Math.max(...places) + 1e-12 : x >= Math.min(...places) - 1e-12;
  }

  #nearest() {
    const x = this.#across();
    if (x === null) return -1;
    let best = -1;
    this.#points.forEach((point, i) => {
      if (best < 0 || Math.abs(point.x - x) < Math.abs(this.#points[best].x - x)) best = i;
    });
    return best;
  }

  #slide() {
    const point = this.#points[Number(this.slider.value)];
    if (point) this.store.set({ at: point.distortion });
  }

  #typeLoss() {
    const typed = this.loss.value.trim();
    const isValid = isLoss(typed);
    this.loss.setAttribute("aria-invalid", String(!isValid));
    this.problem.textContent = isValid ? "" : "Write the loss as a number, such as 1 or ln(3).";
    if (isValid) this.store.set({ at: `loss=${typed}` });
    else this.refuse(`“${typed.slice(0, 20)}” is not a loss; write a number, such as 1 or ln(3).`);
  }

  #type() {
    const typed = parse(this.input.value);
    this.input.setAttribute("aria-invalid", String(!typed));
    this.problem.textContent = typed ? "" : `Write the ${this.#axis} as a number, such as 0.2 or 1/5.`;
    if (typed) this.store.set({ at: text(this.#axis === "utility" ? negate(typed) : typed) });
    else this.refuse(`“${this.input.value.slice(0, 20)}” is not a number; write the ${this.#axis} as 0.2 or 1/5.`);
  }
}

/** @returns {number | null} the height of the curve at a place between its points, to draw a mark there */
function heightAt(points, x) {
  if (!points.length || x < points[0].x - 1e-12) return null;
  const after = points.findIndex((point) => point.x >= x - 1e-12);
  if (after < 0) return points.at(-1).upper;
  if (after === 0 || Math.abs(points[after].x - x) < 1e-12) return points[after].upper;
  const [a, b] = [points[after - 1], points[after]];
  return a.upper + ((b.upper - a.upper) * (x - a.x)) / (b.x - a.x);
}
