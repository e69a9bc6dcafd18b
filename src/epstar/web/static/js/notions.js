/** Choosing the notions to compare; their lines are shown, so that the list is a legend too. */

import { field, h, unique } from "./dom.js";
import { capital } from "./format.js";
import { swatch } from "./palette.js";

const MOST = 7;
const NAMES = { delta: "Slack δ", order: "Order α" };

/**
 * @param {object[]} known the notions there are
 * @param {{name: string}[]} chosen those that are compared
 * @param {(notions: object[]) => void} change
 */
export function notionPicker(known, chosen, change) {
  return h("div", { class: "notions" }, known.map(row));

  function row(notion) {
    const place = chosen.findIndex(({ name }) => name === notion.name);
    const id = unique("notion");
    const box = h("input", {
      type: "checkbox", id, checked: place >= 0, disabled: place < 0 && chosen.length >= MOST, "aria-describedby": `${id}-asks`,
      onchange: () => change(box.checked ? [...chosen, { name: notion.name, ...notion.parameters }] : chosen.filter(({ name }) => name !== notion.name)),
    });
    return h(
      "div",
      { class: "notion", "data-name": notion.name },
      box,
      swatch(place),
      h("label", { for: id }, capital(notion.title)),
      h("div", { class: "asks", id: `${id}-asks` }, notion.question),
      place >= 0 ? parameters(notion, place) : null,
    );
  }

  function parameters(notion, place) {
    const fields = Object.keys(notion.parameters).map((key) =>
      field(NAMES[key] ?? key, h("input", {
        value: chosen[place][key], inputmode: "decimal",
        onchange: (event) => change(chosen.map((other, i) => (i === place ? { ...other, [key]: event.target.value.trim() } : other))),
      })),
    );
    return fields.length ? h("div", { class: "parameters" }, fields) : null;
  }
}
