/** Numbers, exact values and labels as they are shown. */

/** @param {number | null | undefined} value @returns {string} with up to `digits` significant digits */
export function number(value, digits = 5) {
  if (value === null || value === undefined) return "infinite";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2)).replace("e-", "e−").replace("e+", "e");
  return String(Number(value.toPrecision(digits))).replace("-", "−");
}

/** @returns {string} an exact number as people write it: "log(12)" as "ln 12" */
export function exact(written) {
  if (!written) return "";
  if (written === "infinity") return "infinite";
  const inner = /^log\((.*)\)$/u.exec(written);
  return inner ? (/^\d+$/u.test(inner[1]) ? `ln ${inner[1]}` : `ln(${inner[1]})`) : written.replace("-", "−");
}

/** @returns {string} where a number lies that is known between two others: one number where they read alike */
export function between(lower, upper) {
  const [from, to] = [number(lower, 9), number(upper, 9)];
  return from === to ? `≈ ${to}` : `between ${from} and ${to}`;
}

/** @returns {string} a loss as its notion measures it: a number of nats, or the value of a parameter such as μ */
export function lost(written, unit = "nats") {
  if (unit === "nats") return `${written} ${written === "1" ? "nat" : "nats"}`;
  return `${unit} ${/^(?:≈|between)/u.test(written) ? "" : "= "}${written}`;
}

/** @returns {string} a loss in a table whose numbers are nats unless they say otherwise */
export const measured = (value, unit) => `${unit === "nats" ? "" : `${unit} = `}${number(value, 6)}`;

/** @returns {string} a label of an input or an output */
export function label(value) {
  if (Array.isArray(value)) return `(${value.map(label).join(", ")})`;
  if (value !== null && typeof value === "object" && "rational" in value) return value.rational;
  return String(value);
}

/** @returns {string} a probability in a cell */
export function share(value) {
  if (value === 0 || value === 1) return String(value);
  return value < 0.0005 ? "<.001" : value.toFixed(3).replace(/^0/u, "");
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

// Words that keep their capital within a sentence.
const NAMES = /^(?:Sibson|Rényi|Gaussian)\b/u;

/** @returns {string} the title of a notion as it stands within a sentence */
export const within = (title) => (NAMES.test(title) ? title : title.charAt(0).toLowerCase() + title.slice(1));

/** @returns {string} the title of a notion with its parameters */
export function notionTitle(notion, titles) {
  const usual = { name: notion.name, title: notion.title, reading: "event", delta: "0" };
  const parameters = Object.entries(notion).filter(([key, value]) => value !== usual[key] && typeof value !== "object");
  const title = titles.get(notion.name) ?? notion.title ?? notion.name;
  const signs = { delta: "δ", order: "α" };
  const shown = parameters.map(([key, value]) => `${signs[key] ?? key} = ${value}`);
  return capital(title) + (shown.length ? ` (${shown.join(", ")})` : "");
}
