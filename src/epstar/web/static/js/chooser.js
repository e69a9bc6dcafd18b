/** Choosing a point without a mouse: a slider along the curve, and a field for an exact number. */

import { fill, h } from "./dom.js";
import { capital, number } from "./format.js";
import { negate, parse, text, toNumber } from "./fraction.js";

export class Chooser {
  #points = [];
  #focused = null;
  #axis = "distortion";

  /** @param {import("./state.js").Store} store @param {(sentence: string) => void} refuse says what cannot be meant */
  constructor(store, refuse) {
    this.store = store;
    this.refuse = refuse;
    this.slider = h("input", { type: "range", min: "0", max: "0", step: "1", id: "chooser", oninput: () => this.#slide() });
    this.input = h("input", { id: "chooser-exact", inputmode: "decimal", "aria-describedby": "chooser-problem", onchange: () => this.#type() });
    this.problem = h("p", { class: "field-problem", id: "chooser-problem", role: "alert" });
    this.sliderLabel = h("label", { for: "chooser" });
    this.inputLabel = h("label", { for: "chooser-exact" });
    this.element = h(
      "div",
      { class: "chooser" },
      h("div", { class: "field" }, this.sliderLabel, this.slider),
      h("div", { class: "field" }, this.inputLabel, this.input),
      this.problem,
    );
  }

  /** Show where on which curve the chosen point is. */
  show(focused, axis) {
    this.#focused = focused;
    this.#axis = axis;
    const title = focused?.title ?? "";
    fill(this.sliderLabel, `Point on the curve${title ? ` of ${title.charAt(0).toLowerCase()}${title.slice(1)}` : ""}`);
    fill(this.inputLabel, `${capital(axis)}, exactly`);
    const at = parse(this.store.state.at);
    if (document.activeElement !== this.input) {
      this.input.value = at ? text(axis === "utility" ? negate(at) : at) : "";
      this.input.removeAttribute("aria-invalid");
      this.problem.textContent = "";
    }
    this.#points = focused ? this.#sorted(focused) : [];
    this.slider.disabled = !this.#points.length;
    this.slider.max = String(Math.max(0, this.#points.length - 1));
    const nearest = this.#nearest();
    this.slider.removeAttribute("aria-valuetext");
    if (nearest >= 0) {
      this.slider.value = String(nearest);
      const chosen = this.place();
      this.slider.setAttribute("aria-valuetext", `${axis} ${number(chosen?.x ?? 0)}, least loss ${number(chosen?.y ?? null)} nats`);
    }
  }

  /** @returns {{x: number, y: number, place: number} | null} where the chosen point lies in the picture */
  place() {
    const at = parse(this.store.state.at);
    if (!at || !this.#focused) return null;
    const x = (this.#axis === "utility" ? -1 : 1) * toNumber(at);
    return { x, y: heightAt(this.#points, x), place: this.#focused.place };
  }

  /** The points of the curve and its breakpoints, from left to right. */
  #sorted({ curve, breakpoints }) {
    const all = [...curve.points, ...breakpoints.map(({ x, distortion, right }) => ({ x, distortion, ...right }))];
    const sorted = all.filter(({ upper }) => upper !== null).sort((a, b) => a.x - b.x);
    return sorted.filter((point, i) => i === 0 || point.distortion !== sorted[i - 1].distortion);
  }

  #nearest() {
    const at = parse(this.store.state.at);
    if (!at) return -1;
    const x = (this.#axis === "utility" ? -1 : 1) * toNumber(at);
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

  #type() {
    const typed = parse(this.input.value);
    this.input.setAttribute("aria-invalid", String(!typed));
    this.problem.textContent = typed ? "" : `Write the ${this.#axis} as a number, such as 0.2 or 1/5.`;
    if (typed) this.store.set({ at: text(this.#axis === "utility" ? negate(typed) : typed) });
    else this.refuse(`“${this.input.value.slice(0, 20)}” is no number; write the ${this.#axis} as 0.2 or 1/5.`);
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
