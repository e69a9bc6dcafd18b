/** What else the mechanism must keep: a secret behind the data, groups, bounds on entries, frequencies, means, further guarantees. */

import { field, h, select } from "./dom.js";
import { capital } from "./format.js";
import { parse, text } from "./fraction.js";
import { Unclear } from "./unclear.js";

/** @typedef {{secret: string, groups: string, values: string, lower: string, upper: string, invariant: boolean, also: {notion: {name: string}, loss: string}[]}} Conditions */

/** @type {Conditions} */
export const NOTHING_MORE = { secret: "", groups: "", values: "", lower: "", upper: "", invariant: false, also: [] };

/** What is typed, between commas. */
const words = (typed) => typed.split(/[,;\n]/u).map((value) => value.trim()).filter(Boolean);

/** @returns {string[]} one word for each category */
function forEach(typed, labels, what) {
  const found = words(typed);
  if (found.length !== labels.length) throw new Unclear(`${what} ${found.length} values and there are ${labels.length} categories; write one for each, in their order.`);
  return found;
}

/** @returns {string} a number as a fraction */
function numberIn(typed, what) {
  const found = parse(typed);
  if (!found) throw new Unclear(`“${typed.slice(0, 20)}” is not a number; write ${what}.`);
  return text(found);
}

/** @returns {object} a secret: its value for each category, or for each value its probability beside each category */
function secret(typed, labels) {
  if (!typed.includes(":")) return { of: forEach(typed, labels, "The secret has") };
  const rows = typed.split(/[;\n]/u).filter((row) => row.trim()).map((row) => {
    const [value, ...rest] = row.split(":");
    return [value.trim(), forEach(rest.join(":"), labels, `“${value.trim().slice(0, 20)}” of the secret has`).map((one) => numberIn(one, "how likely this value of the secret is beside each category, such as low: 0.9, 0.5, 0.2; high: 0.1, 0.5, 0.8"))];
  });
  return { given: labels.map((_, x) => rows.map(([, shares]) => shares[x])), labels: rows.map(([value]) => value) };
}

/** @returns {object} the entries of a problem file for the conditions; none of what there is not */
export function conditions({ more, labels }) {
  const found = {};
  if (more.secret.trim()) found.secret = secret(more.secret, labels);
  const limits = {};
  if (more.groups.trim()) {
    const groups = forEach(more.groups, labels, "You wrote");
    limits.allowed = groups.map((own) => groups.map((other) => own === other));
  }
  if (more.values.trim()) {
    const values = forEach(more.values, labels, "You wrote").map((one) => numberIn(one, "the value of each category, such as 0, 1, 2"));
    limits.unbiased = { inputs: values, outputs: values };
  }
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
  const parts = [more.secret.trim() && "a secret", more.groups.trim() && "groups", more.values.trim() && "a mean kept", (more.lower.trim() || more.upper.trim()) && "bounds", more.invariant && "frequencies kept", more.also.length && `${more.also.length} further ${more.also.length === 1 ? "guarantee" : "guarantees"}`];
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
    h("p", { class: "small soft" }, "One value for each category, in their order; or, if a category only hints at it, how likely each value is beside each category: “low: 0.9, 0.5, 0.2; high: 0.1, 0.5, 0.8”. The loss is then about the secret, and the data may pass as truthfully as that allows."),
    field("Groups that are never left", typed("groups", "north, north, south")),
    h("p", { class: "small soft" }, "The group of each category, in their order: the released value is one of the same group."),
    field("Values whose mean stays right", typed("values", "0, 1, 2")),
    h("p", { class: "small soft" }, "A number for each category: the released values are right on average, whatever the true one is."),
    h("div", { class: "fields" }, field("Smallest probability", typed("lower", "none")), field("Largest probability", typed("upper", "none"))),
    h("p", { class: "small soft" }, "Bounds on the probability of each released value."),
    h("label", { class: "switch" }, h("input", { type: "checkbox", checked: more.invariant, onchange: (event) => change({ invariant: event.target.checked }) }), "Keep the frequencies on average"),
    more.also.length ? h("p", { class: "small soft" }, "The mechanism keeps these losses, too:") : null,
    ...more.also.map(guarantee),
    h("div", { class: "row" }, h("button", { type: "button", onclick: add }, "Add a guarantee")),
  ];
}
