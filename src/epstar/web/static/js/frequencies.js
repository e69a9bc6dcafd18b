/** The data's own chart: how often each category occurs, and how well a released table will tell it. */

import { h } from "./dom.js";

const MOST_ROWS = 40;
const percent = (value, digits = 1) => `${(100 * value).toFixed(digits)} %`;

/**
 * @param {{category: string, share: number}[]} data the frequencies in the private table
 * @param {{half_width: number, unprotected: number} | null} plan
 * @param {{category: string, frequency: number | null, lower: number | null, upper: number | null}[] | null} told what the released table tells
 */
export function frequencyChart(data, plan, told) {
  const reach = plan?.half_width ?? 0;
  const widest = Math.max(0.02, ...data.map(({ share }) => share + reach), ...(told ?? []).map(({ upper }) => upper ?? 0));
  const most = Math.min(1, Math.ceil(widest * 10.5) / 10);
  const place = (value) => `${(100 * Math.min(Math.max(value, 0), most)) / most}%`;
  const span = (kind, low, high) => {
    const element = h("span", { class: `span ${kind}` });
    const [left, right] = [Math.max(0, low), Math.min(most, high)];
    element.style.left = place(left);
    element.style.width = `${(100 * Math.max(0, right - left)) / most}%`;
    return element;
  };
  const byName = new Map((told ?? []).map((entry) => [entry.category, entry]));
  const row = ({ category, share }) => {
    const bar = h("span", { class: "amount" });
    bar.style.width = place(share);
    const found = byName.get(category);
    const mark = found?.frequency !== null && found ? h("span", { class: "told-mark" }) : null;
    if (mark) mark.style.left = place(found.frequency);
    const words = [`${percent(share)} in your table`, plan ? `± ${percent(plan.half_width)} expected` : "", mark ? `the released table says ${percent(found.frequency)}, between ${percent(found.lower)} and ${percent(found.upper)}` : ""];
    return h(
      "li",
      { class: "frequency", title: `${category}: ${words.filter(Boolean).join("; ")}` },
      h("span", { class: "frequency-name" }, category || "(empty)"),
      h(
        "span",
        { class: "frequency-track", "aria-hidden": "true" },
        bar,
        plan ? [span("expected", share - plan.half_width, share + plan.half_width), span("plain", share - plan.unprotected, share + plan.unprotected)] : null,
        mark ? [span("told", found.lower, found.upper), mark] : null,
      ),
      h("span", { class: "frequency-value" }, percent(share), h("span", { class: "visually-hidden" }, `; ${words.slice(1).filter(Boolean).join("; ")}`)),
    );
  };
  return h(
    "figure",
    { class: "frequencies" },
    h("ul", { "aria-label": "Frequencies in your table" }, data.slice(0, MOST_ROWS).map(row)),
    data.length > MOST_ROWS ? h("p", { class: "small soft" }, `… and ${(data.length - MOST_ROWS).toLocaleString("en")} more`) : null,
    h(
      "figcaption",
      { class: "small soft key" },
      key("amount", "your private table"),
      plan ? key("expected", "where estimates from the released table will mostly lie") : null,
      plan ? key("plain", "the sampling error alone, if the rows are a random sample") : null,
      told ? key("told", "what this released table tells, with its interval") : null,
    ),
  );
}

const key = (kind, words) => h("span", { class: "key-part" }, h("span", { class: `key-sign ${kind}`, "aria-hidden": "true" }), words);
