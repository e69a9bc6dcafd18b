/** The prior as bars: dragged, moved with the arrow keys, or typed. */

import { h } from "./dom.js";
import { parse, toNumber } from "./fraction.js";

const sum = (weights) => weights.reduce((total, weight) => total + weight, 0);
const MOST = 1_000_000;

/**
 * Give one letter a share and let the others keep their proportions; all stay whole numbers with the same sum.
 * @param {number[]} weights
 * @param {number} place
 * @param {number} wanted the new weight, a whole number
 * @returns {number[]}
 */
export function reshaped(weights, place, wanted) {
  const total = sum(weights);
  const kept = Math.min(total, Math.max(0, Math.round(wanted)));
  const rest = total - kept;
  const others = weights.map((weight, i) => (i === place ? 0 : weight));
  const scale = sum(others);
  const ideal = others.map((weight, i) => (i === place ? 0 : scale ? (weight * rest) / scale : rest / (weights.length - 1)));
  const next = ideal.map(Math.floor);
  // What rounding down left over goes to those it took most from.
  const order = ideal.map((value, i) => [value - next[i], i]).filter(([, i]) => i !== place).sort((a, b) => b[0] - a[0]);
  for (let left = rest - sum(next), k = 0; left > 0 && order.length; left -= 1, k += 1) next[order[k % order.length][1]] += 1;
  next[place] = weights.length === 1 ? total : kept;
  return next;
}

/** @returns {number[]} the weights with a sum of at least 100, so that a step is a hundredth or less */
export function refined(weights, factor = 1) {
  const total = sum(weights);
  const times = Math.max(factor, total < 100 ? Math.ceil(100 / total) : 1);
  return total * times <= MOST ? weights.map((weight) => weight * times) : weights;
}

/**
 * The rows of the editor.
 * @param {object} options
 * @param {string[]} options.labels
 * @param {number[]} options.weights
 * @param {boolean} options.counts whether the fields show counts, not probabilities
 * @param {boolean} options.fixed whether the letters are given, as those of a query are
 * @param {{lower: number[], upper: number[]} | null} options.reach how far each probability may go
 * @param {(change: {labels?: string[], weights?: number[]}, final: boolean) => void} options.change
 */
export function bars({ labels, weights, counts, fixed, reach, change }) {
  return h("div", { class: "bars", role: "group", "aria-label": "Letters and their probabilities" }, labels.map((label, place) => row(place)));

  function row(place) {
    const share = weights[place] / sum(weights);
    const name = labels[place];
    const track = h("div", {
      class: "track", role: "slider", tabindex: "0", "aria-label": `Probability of ${name}`, "aria-valuemin": "0", "aria-valuemax": "100",
      "aria-valuenow": (100 * share).toFixed(1), "aria-valuetext": `${(100 * share).toFixed(1)} percent`, "data-place": place,
    });
    const filling = h("div", { class: "bar-fill" });
    filling.style.width = `${100 * share}%`;
    track.append(filling);
    if (reach) {
      const mark = h("div", { class: "reach" });
      mark.style.left = `${100 * reach.lower[place]}%`;
      mark.style.width = `${Math.max(0, 100 * (reach.upper[place] - reach.lower[place]))}%`;
      track.append(mark);
    }
    track.addEventListener("pointerdown", (event) => drag(event, track, place));
    track.addEventListener("keydown", (event) => step(event, place));
    return h(
      "div",
      { class: "bar" },
      fixed
        ? h("span", { class: "name" }, name)
        : h("input", { value: name, "aria-label": `Name of letter ${place + 1}`, maxlength: "60", onchange: (event) => rename(event.target, place) }),
      track,
      h("input", {
        class: "value", inputmode: "decimal", value: counts ? String(weights[place]) : String(Number(share.toFixed(4))),
        "aria-label": counts ? `Count of ${name}` : `Probability of ${name}, as a number`, onchange: (event) => type(event.target, place),
      }),
      fixed || labels.length < 3
        ? h("span")
        : h("button", { type: "button", class: "icon", "aria-label": `Remove ${name}`, onclick: () => remove(place) }, "×"),
    );
  }

  function drag(event, track, place) {
    event.preventDefault();
    track.focus();
    track.setPointerCapture(event.pointerId);
    const start = refined(weights);
    const box = track.getBoundingClientRect();
    const move = (moved, final) => {
      const share = Math.min(1, Math.max(0, (moved.clientX - box.left) / box.width));
      change({ weights: reshaped(start, place, share * sum(start)) }, final);
    };
    const moving = (moved) => move(moved, false);
    const listening = new AbortController();
    const end = (last) => {
      listening.abort();
      move(last, true);
    };
    // The row is drawn anew while it is dragged, so that the page listens and not the row.
    document.addEventListener("pointermove", moving, { signal: listening.signal });
    document.addEventListener("pointerup", end, { signal: listening.signal });
    document.addEventListener("pointercancel", end, { signal: listening.signal });
    move(event, false);
  }

  function step(event, place) {
    const start = refined(weights);
    const unit = sum(start) / 100;
    const moves = {
      ArrowRight: unit, ArrowUp: unit, ArrowLeft: -unit, ArrowDown: -unit, PageUp: 10 * unit, PageDown: -10 * unit, Home: -Infinity, End: Infinity,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const target = Math.min(sum(start), Math.max(0, start[place] + move * (event.shiftKey && Math.abs(move) === unit ? 10 : 1)));
    change({ weights: reshaped(start, place, target) }, true);
  }

  function type(input, place) {
    const typed = parse(input.value);
    const valid = typed && typed.n >= 0n && (counts ? typed.d === 1n && typed.n <= BigInt(MOST) : typed.n <= typed.d);
    input.setAttribute("aria-invalid", String(!valid));
    if (!valid) return;
    if (counts) {
      const next = weights.map((weight, i) => (i === place ? Number(typed.n) : weight));
      if (sum(next) > 0) change({ weights: next }, true);
      return;
    }
    const total = sum(weights);
    const finer = typed.d <= 10_000n ? Number(typed.d) : 10_000;
    const start = refined(weights, finer / greatest(finer, total));
    change({ weights: reshaped(start, place, toNumber(typed) * sum(start)) }, true);
  }

  function rename(input, place) {
    const name = input.value.trim();
    const valid = name !== "" && !labels.some((other, i) => i !== place && other === name);
    input.setAttribute("aria-invalid", String(!valid));
    if (valid) change({ labels: labels.map((other, i) => (i === place ? name : other)) }, true);
  }

  function remove(place) {
    const left = weights.filter((_, i) => i !== place);
    change({ labels: labels.filter((_, i) => i !== place), weights: sum(left) ? left : left.map(() => 1) }, true);
  }
}

function greatest(a, b) {
  return b === 0 ? a : greatest(b, a % b);
}
