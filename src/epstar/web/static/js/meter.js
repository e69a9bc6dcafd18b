/** A risk as a picture. */

import { h } from "./dom.js";

/** How often a guess between two values is right, before and after. */
export function meter(guess) {
  // Rounded up, as the sentence beside it is.
  const digits = guess > 0.999 ? 2 : 1;
  const shown = `${Math.min(100, Math.ceil(100 * guess * 10 ** digits) / 10 ** digits)} %`;
  const track = h("div", { class: "meter-track", "aria-hidden": "true" }, h("div", { class: "meter-fill" }));
  track.firstChild.style.width = `${200 * (guess - 0.5)}%`;
  return h("div", { class: "meter", role: "img", "aria-label": `A guess between two values: right 50 % of the time before, at most ${shown} after` }, h("span", {}, "A guess between two: 50 %"), track, h("strong", {}, `at most ${shown}`));
}
