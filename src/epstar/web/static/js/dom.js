/** Building elements: text is always text, so nothing that a user typed becomes markup. */

/**
 * @typedef {string | number | Node | null | undefined | false} Child
 */

/**
 * Make an element.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] names of attributes; `on…` are listeners, true means present
 * @param {...(Child | Child[])} children
 * @returns {HTMLElement}
 */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...nodes(children));
  return element;
}

/** The same for pictures. */
export function svg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  setAttributes(element, attributes);
  element.append(...nodes(children));
  return element;
}

/** The same for formulas. */
export function mathml(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/1998/Math/MathML", tag);
  setAttributes(element, attributes);
  element.append(...nodes(children));
  return element;
}

/** Put children in place of what an element holds. */
export function fill(element, ...children) {
  element.replaceChildren(...nodes(children));
  return element;
}

function nodes(children) {
  return children.flat().filter((child) => child !== null && child !== undefined && child !== false).map((child) => (child instanceof Node ? child : String(child)));
}

function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else if (name === "checked") element.checked = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

let count = 0;
/** @returns {string} an identifier that no other element has */
export const unique = (stem) => `${stem}-${(count += 1)}`;

/**
 * A labelled field.
 * @param {string} name what the label says
 * @param {HTMLElement} control
 */
export function field(name, control) {
  control.id ||= unique("field");
  return h("div", { class: "field" }, h("label", { for: control.id }, name), control);
}

/** A choice among options, [value, text] each. */
export function select(options, chosen, onchange, attributes = {}) {
  const element = h("select", { ...attributes, onchange: () => onchange(element.value) });
  for (const [value, text] of options) element.append(h("option", { value, selected: value === chosen }, text));
  return element;
}

/** The head of a view: what it is for, in a title and a sentence. */
export const lead = (title, sentence) => h("header", { class: "lead" }, h("h1", {}, title), h("p", { class: "lede" }, sentence));

/** What is being computed, and a way to stop it; a way to start again stands in the place of what was stopped. */
export function waiting(what, cancel) {
  return [h("p", { class: "soft" }, what), h("div", { class: "row" }, h("button", { type: "button", onclick: cancel }, "Cancel"))];
}

/** Something was stopped or failed: why, and a way to try again. */
export function stopped(sentence, again) {
  return [h("p", { class: "notice", role: "alert" }, sentence), h("div", { class: "row" }, h("button", { type: "button", onclick: again }, "Try again"))];
}

let pending = 0;
/** Say something to those who do not see the page; what is said last within a moment is what is heard. */
export function announce(sentence) {
  clearTimeout(pending);
  pending = setTimeout(() => fill(document.getElementById("announcer"), sentence), 150);
}
