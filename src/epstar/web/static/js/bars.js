/** The prior as bars: typed and kept as typed, dragged, or moved with the arrow keys. */

import { h, unique } from "./dom.js";
import { parse, toNumber } from "./fraction.js";

const add = (numbers) => numbers.reduce((total, number) => total + number, 0);
// A bar is dragged in steps of a ten-thousandth; so many rows fit on a page.
const FINE = 10_000;
const MOST_ROWS = 100;

/**
 * Give one category a share and let the others keep their proportions; all stay whole numbers with the same sum.
 * @param {number[]} weights
 * @param {number} place
 * @param {number} wanted the new weight
 * @returns {number[]}
 */
export function reshaped(weights, place, wanted) {
  const total = add(weights);
  const kept = Math.min(total, Math.max(0, Math.round(wanted)));
  const rest = total - kept;
  const others = weights.map((weight, i) => (i === place ? 0 : weight));
  const scale = add(others);
  const ideal = others.map((weight, i) => (i === place ? 0 : scale ? (weight * rest) / scale : rest / (weights.length - 1)));
  const next = ideal.map(Math.floor);
  // What rounding down left over goes to those it took most from.
  const order = ideal.map((value, i) => [value - next[i], i]).filter(([, i]) => i !== place).sort((a, b) => b[0] - a[0]);
  for (let left = rest - add(next), k = 0; left > 0 && order.length; left -= 1, k += 1) next[order[k % order.length][1]] += 1;
  next[place] = weights.length === 1 ? total : kept;
  return next;
}

/**
 * The rows of the editor.
 * @param {object} options
 * @param {string[]} options.labels
 * @param {string[]} options.shares as they were typed
 * @param {boolean} options.isCounted whether they are counts
 * @param {boolean} options.fixed whether the categories are given, as the answers of a query are
 * @param {{lower: number[], upper: number[]} | null} options.reach how far each probability may go
 * @param {(change: {labels?: string[], shares?: string[]}) => void} options.change
 */
export function bars({ labels, shares, isCounted, fixed, reach, change }) {
  const values = shares.map((share) => Math.max(0, toNumber(parse(share) ?? { n: 0n, d: 1n })));
  const total = add(values) || 1;
  const shown = labels.slice(0, MOST_ROWS);
  const more = labels.length - shown.length;
  return h(
    "div",
    { class: "bars", role: "group", "aria-label": "Categories and their probabilities" },
    shown.map((_, place) => row(place)),
    more > 0 ? h("p", { class: "small soft" }, `… and ${more.toLocaleString("en")} more; paste a list to change them.`) : null,
  );

  function row(place) {
    const share = values[place] / total;
    const name = labels[place];
    const id = unique("problem");
    const problem = h("p", { class: "field-problem", id, role: "alert" });
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
    const value = h("input", {
      class: "value", inputmode: "decimal", value: shares[place], "aria-describedby": id,
      "aria-label": isCounted ? `Count of ${name}` : `Probability of ${name}, as a number`, onchange: (event) => type(event.target, problem, place),
    });
    return h(
      "div",
      { class: "bar" },
      fixed
        ? h("span", { class: "name" }, name)
        : h("input", { value: name, "aria-label": `Name of category ${place + 1}`, "aria-describedby": id, maxlength: "60", onchange: (event) => rename(event.target, problem, place) }),
      track,
      value,
      fixed || labels.length < 3
        ? h("span")
        : h("button", { type: "button", class: "icon", "aria-label": `Remove ${name}`, onclick: () => remove(place) }, "×"),
      problem,
    );
  }

  /** Whole numbers with which a bar is moved: the counts, or ten-thousandths. */
  function weights() {
    if (isCounted) return values.map(Math.round);
    const scale = values.map((value) => (value / total) * FINE);
    const rounded = scale.map(Math.floor);
    const order = scale.map((value, i) => [value - rounded[i], i]).sort((a, b) => b[0] - a[0]);
    for (let left = FINE - add(rounded), k = 0; left > 0; left -= 1, k += 1) rounded[order[k % order.length][1]] += 1;
    return rounded;
  }

  function written(numbers) {
    return numbers.map((number) => (isCounted ? String(number) : String(number / FINE)));
  }

  function drag(event, track, place) {
    event.preventDefault();
    track.focus();
    track.setPointerCapture(event.pointerId);
    const start = weights();
    const box = track.getBoundingClientRect();
    // In hundredths, unless somebody is patient enough to type.
    const move = (moved) => {
      const share = Math.round(100 * Math.min(1, Math.max(0, (moved.clientX - box.left) / box.width))) / 100;
      change({ shares: written(reshaped(start, place, share * add(start))) });
    };
    const listening = new AbortController();
    const end = (last) => {
      listening.abort();
      move(last);
    };
    // The row is drawn anew while it is dragged, so that the page listens and not the row.
    document.addEventListener("pointermove", move, { signal: listening.signal });
    document.addEventListener("pointerup", end, { signal: listening.signal });
    document.addEventListener("pointercancel", end, { signal: listening.signal });
    move(event);
  }

  function step(event, place) {
    const start = weights();
    const unit = Math.max(1, Math.round(add(start) / 100));
    const moves = {
      ArrowRight: unit, ArrowUp: unit, ArrowLeft: -unit, ArrowDown: -unit, PageUp: 10 * unit, PageDown: -10 * unit, Home: -Infinity, End: Infinity,
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    const target = Math.min(add(start), Math.max(0, start[place] + move * (event.shiftKey && Math.abs(move) === unit ? 10 : 1)));
    change({ shares: written(reshaped(start, place, target)) });
  }

  /** What is typed is kept as it is typed, and no other number changes. */
  function type(input, problem, place) {
    const found = parse(input.value);
    const isValid = found && found.n >= 0n && (isCounted ? found.d === 1n : found.n <= found.d || found.d === 1n);
    input.setAttribute("aria-invalid", String(!isValid));
    problem.textContent = isValid ? "" : isCounted ? "Write a whole number, such as 120." : "Write a probability from 0 to 1, such as 0.3, 3/10 or 30%.";
    if (isValid) change({ shares: shares.map((share, i) => (i === place ? input.value.trim() : share)) });
  }

  function rename(input, problem, place) {
    const name = input.value.trim();
    const isValid = name !== "" && !labels.some((other, i) => i !== place && other === name);
    input.setAttribute("aria-invalid", String(!isValid));
    problem.textContent = isValid ? "" : name === "" ? "A category needs a name." : `There is already a category “${name.slice(0, 30)}”; give each its own name.`;
    if (isValid) change({ labels: labels.map((other, i) => (i === place ? name : other)) });
  }

  /** The others keep their proportions. */
  function remove(place) {
    const left = weights().filter((_, i) => i !== place);
    const kept = shares.filter((_, i) => i !== place);
    const all = add(left);
    const next = isCounted || all === FINE ? kept : all === 0 ? kept.map(() => `1/${kept.length}`) : rescaled(left);
    change({ labels: labels.filter((_, i) => i !== place), shares: next });
  }

  function rescaled(left) {
    const scale = FINE / add(left);
    const first = left.map((weight) => Math.round(weight * scale));
    const largest = first.indexOf(Math.max(...first));
    first[largest] += FINE - add(first);
    return written(first);
  }
}
