/** What a mechanism loses in every notion, and where, in words. */

import { h } from "./dom.js";
import { exact, measured, notionTitle } from "./format.js";

/** @param {object[]} losses @param {Map<string, string>} titles */
export function lossTable(losses, titles) {
  const head = ["Notion", "Loss (nats)", "Exactly", "What that means"].map((name) => h("th", { scope: "col" }, name));
  const rows = losses.map((loss) =>
    loss.not_measured
      ? h("tr", {}, h("th", { scope: "row" }, notionTitle(loss.notion, titles)), h("td", { class: "words wide", colspan: "3" }, loss.not_measured))
      : h(
          "tr",
          {},
          h("th", { scope: "row" }, notionTitle(loss.notion, titles)),
          h("td", { class: "number" }, measured(loss.value, loss.unit)),
          h("td", { class: "number" }, exact(loss.exact)),
          h("td", { class: "words" }, loss.words),
        ),
  );
  return h("div", { class: "scroll" }, h("table", { class: "stacked" }, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
