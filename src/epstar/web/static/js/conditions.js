/** What else the mechanism must keep: a secret behind the data, bounds on its entries, frequencies, further guarantees. */

import { field, h, select } from "./dom.js";
import { capital } from "./format.js";
import { parse, text } from "./fraction.js";
import { Unclear } from "./unclear.js";

/** @typedef {{secret: string, lower: string, upper: string, invariant: boolean, also: {notion: {name: string}, loss: string}[]}} Conditions */

/** @type {Conditions} */
export const NOTHING_MORE = { secret: "", lower: "", upper: "", invariant: false, also: [] };

/** @returns {object} the entries of a problem file for the conditions; none of what there is not */
export function conditions({ more, labels }) {
  const found = {};
  if (more.secret.trim()) {
    const values = more.secret.split(/[,;\n]/u).map((value) => value.trim()).filter(Boolean);
    if (values.length !== labels.length) throw new Unclear(`The secret has ${values.length} values and there are ${labels.length} categories; write one for each, in their order.`);
    found.secret = { of: values };
  }
  const limits = {};
  for (const [name, what] of [["lower", "smallest"], ["upper", "largest"]]) {
    if (!more[name].trim()) continue;
    const bound = parse(more[name]);
    if (!bound || bound.n < 0n || bound.n > bound.d) throw new Unclear(`“${more[name].slice(0, 20)}” is not a probability; write the ${what} one as a number from 0 to 1, such as 0.05.`);
    limits[name] = text(bound);
  }
  if (more.invariant) limits.invariant = true;
  if (Object.keys(limits).length) found.mechanism = limits;
  if (more.also.length) found.also = more.also.map(({ notion, loss }) => {
    if (!loss.trim()) throw new Unclear("A further guarantee has no loss yet; write one, such as 0.5 or ln(2).");
    return { notion, loss: loss.trim() };
  });
  return found;
}

/** @returns {string} what is chosen, in a few words */
export function chosenConditions(more) {
  const parts = [more.secret.trim() && "a secret", (more.lower.trim() || more.upper.trim()) && "bounds", more.invariant && "frequencies kept", more.also.length && `${more.also.length} further ${more.also.length === 1 ? "guarantee" : "guarantees"}`];
  const found = parts.filter(Boolean).join(", ");
  return found ? capital(found) : "None";
}

/**
 * @param {Conditions} more
 * @param {object[]} notions that can be promised besides
 * @param {(changes: Partial<Conditions>) => void} change
 */
export function conditionsForm(more, notions, change) {
  const typed = (name, example) => h("input", { value: more[name], placeholder: example, onchange: (event) => change({ [name]: event.target.value }) });
  const named = (name) => notions.find((notion) => notion.name === name);
  const replaced = (place, entry) => change({ also: more.also.map((other, i) => (i === place ? { ...other, ...entry } : other)) });
  const guarantee = ({ notion, loss }, place) =>
    h(
      "div",
      { class: "guarantee" },
      select(notions.map(({ name, title }) => [name, capital(title)]), notion.name, (name) => replaced(place, { notion: { name, ...named(name).parameters } }), { "aria-label": `Further guarantee ${place + 1}` }),
      h("input", { value: loss, placeholder: `loss (${named(notion.name)?.unit ?? "nats"})`, "aria-label": `Loss of the further guarantee ${place + 1}, in ${named(notion.name)?.unit ?? "nats"}`, onchange: (event) => replaced(place, { loss: event.target.value }) }),
      h("button", { type: "button", class: "icon", "aria-label": `Remove the further guarantee ${place + 1}`, onclick: () => change({ also: more.also.filter((_, i) => i !== place) }) }, "×"),
    );
  const add = () => change({ also: [...more.also, { notion: { name: "maximal_leakage" }, loss: "ln(2)" }] });
  return [
    field("Secret behind the data", typed("secret", "low, low, high")),
    h("p", { class: "small soft" }, "One value for each category, in their order: the loss is then about the secret, and the data may pass as truthfully as that allows."),
    h("div", { class: "fields" }, field("Smallest probability", typed("lower", "none")), field("Largest probability", typed("upper", "none"))),
    h("p", { class: "small soft" }, "Bounds on the probability of each released value."),
    h("label", { class: "switch" }, h("input", { type: "checkbox", checked: more.invariant, onchange: (event) => change({ invariant: event.target.checked }) }), "Keep the frequencies on average"),
    more.also.length ? h("p", { class: "small soft" }, "The mechanism keeps these losses, too:") : null,
    ...more.also.map(guarantee),
    h("div", { class: "row" }, h("button", { type: "button", onclick: add }, "Add a guarantee")),
  ];
}
