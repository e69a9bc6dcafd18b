/** What an optimal answer to a query still gives away about a database and about one individual. */

import { ask } from "./api.js";
import { h } from "./dom.js";
import { exact, number } from "./format.js";
import { prior } from "./problem.js";

/**
 * @param {import("./state.js").State} state
 * @param {object} answer of a question about differential privacy
 * @returns {Promise<HTMLElement | null>} null where the question is not about a query, or has no finite level
 */
export async function queryFacts(state, answer, signal) {
  const level = answer.upper_exact ?? String(answer.upper);
  if (!state.query || answer.upper === "infinity") return null;
  const found = await ask("query", { query: state.query, loss: level, prior: prior(state) }, { signal });
  const { leakage, utility } = found;
  const shown = ({ value, exact: written }) => `${number(value)} nats${written && written !== "0" ? ` = ${exact(written)}` : ""}`;
  const facts = [
    ["Best chance to guess the answer at this loss", `${number(utility.lower)}${utility.exact ? ` = ${utility.exact}` : ""} (${found.theorem})`],
    ...(leakage.not_measured
      ? [["Leakage", leakage.not_measured]]
      : [
          ["Leaked about the whole database", `${shown(leakage.database)}, of at most ${shown(leakage.database_limit)} at this level`],
          ["Leaked about one individual", `${shown(leakage.individual)}, of at most ${shown(leakage.individual_limit)} at this level`],
        ]),
  ];
  return h("div", { class: "stack" }, h("h3", {}, "Seen from the databases"), h("dl", { class: "facts" }, facts.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
}
