/** What the page shows, kept in the address: a view can be shared, and going back goes back. */

import { NOTHING_MORE } from "./conditions.js";
import { parse } from "./fraction.js";

/**
 * @typedef {object} State
 * @property {"explore" | "release" | "convert" | "audit" | "theorems"} view
 * @property {string[]} labels
 * @property {string[]} shares the probability of each category as it was typed, or its count
 * @property {{kind: string, rows: string, edges: string, metric: string, differ: boolean}} universe what the inputs are, which are neighbours, and whether rows differ in their frequencies
 * @property {{name: string, individuals: number, values: number, modulus?: number} | null} query
 * @property {{kind: string, radius: string, confidence: string, shape: string, hull: string, polytope: string}} source
 * @property {{kind: string, table: string}} cost a table, or the number of people whose frequencies are estimated
 * @property {import("./conditions.js").Conditions} more what else the mechanism must keep
 * @property {string} file a problem file that takes the place of all this, if there is one
 * @property {{name: string, delta?: string, order?: string}[]} notions
 * @property {number} focus which of the notions is looked at
 * @property {string} at the distortion that is looked at, exactly, or "loss=" and a loss; nothing for the middle of the curve
 * @property {boolean} baselines
 * @property {{notion: {name: string, delta?: string, order?: string}, loss: string}} convert
 * @property {{verdict: string, paper: string, words: string, key: string}} theorems
 */

/** @type {State} */
export const OPENING = {
  view: "explore",
  labels: ["never", "rarely", "sometimes", "often", "always"],
  shares: ["0.36", "0.28", "0.18", "0.12", "0.06"],
  universe: { kind: "categories", rows: "2", edges: "", metric: "", differ: false },
  query: null,
  source: { kind: "prior", radius: "0.05", confidence: "0.95", shape: "box", hull: "", polytope: "" },
  cost: { kind: "hamming", table: "" },
  more: NOTHING_MORE,
  file: "",
  notions: [{ name: "differential_privacy" }],
  focus: 0,
  at: "1/5",
  baselines: false,
  convert: { notion: { name: "differential_privacy" }, loss: "1" },
  theorems: { verdict: "", paper: "", words: "", key: "" },
};

const VIEWS = ["explore", "release", "convert", "audit", "theorems"];
const list = (values) => values.map((value) => encodeURIComponent(value)).join(",");
const unlist = (written) => written.split(",").map((value) => decodeURIComponent(value));
const notion = ({ name, ...parameters }) => [name, ...Object.entries(parameters).map(([key, value]) => `${key}=${value}`)].join(";");

function unnotion(written) {
  const [name, ...parameters] = written.split(";");
  return Object.fromEntries([["name", name], ...parameters.map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)])]);
}

/** How each part of the state is written in the address, and read again. */
const PARTS = {
  view: { write: (s) => s.view, read: (s, v) => VIEWS.includes(v) && (s.view = v) },
  labels: { write: (s) => list(s.labels), read: (s, v) => (s.labels = unlist(v)) },
  shares: { write: (s) => list(s.shares), read: (s, v) => (s.shares = unlist(v)) },
  // Addresses of the first version hold whole numbers.
  weights: { write: () => "", read: (s, v) => (s.shares = v.split(",")) },
  universe: {
    write: (s) => list([s.universe.kind, s.universe.rows, s.universe.edges, s.universe.metric, s.universe.differ ? "1" : "0"]),
    read: (s, v) => {
      const [kind, rows, edges, metric, differ] = unlist(v);
      if (["categories", "databases", "graph", "metric"].includes(kind)) s.universe = { kind, rows, edges, metric, differ: differ === "1" };
    },
  },
  query: {
    write: (s) => (s.query ? [s.query.name, s.query.individuals, s.query.values, s.query.modulus ?? ""].join(",") : ""),
    read: (s, v) => {
      const [name, individuals, values, modulus] = v.split(",");
      s.query = name ? { name, individuals: Number(individuals), values: Number(values), ...(modulus ? { modulus: Number(modulus) } : {}) } : null;
    },
  },
  source: {
    write: (s) => list([s.source.kind, s.source.radius, s.source.confidence, s.source.shape, s.source.hull, s.source.polytope]),
    read: (s, v) => {
      const [kind, radius, confidence, shape, hull, polytope = ""] = unlist(v);
      if (["prior", "box", "ball", "finite", "hull", "polytope", "counts", "everything"].includes(kind)) s.source = { kind, radius, confidence, shape, hull, polytope };
    },
  },
  cost: {
    write: (s) => list([s.cost.kind, s.cost.table]),
    read: (s, v) => {
      const [kind, table] = unlist(v);
      if (["hamming", "absolute", "squared", "matrix", "gain", "frequencies"].includes(kind)) s.cost = { kind, table };
    },
  },
  more: {
    write: (s) => JSON.stringify(s.more),
    read: (s, v) => {
      const found = JSON.parse(v);
      const isSound = ["secret", "lower", "upper"].every((name) => typeof found[name] === "string") && Array.isArray(found.also) && found.also.every(({ notion: given, loss }) => typeof given?.name === "string" && typeof loss === "string");
      const texts = ["groups", "values"].map((name) => (typeof found[name] === "string" ? found[name] : ""));
      if (isSound) s.more = { secret: found.secret, groups: texts[0], values: texts[1], lower: found.lower, upper: found.upper, invariant: found.invariant === true, also: found.also };
    },
  },
  file: { write: (s) => s.file, read: (s, v) => (s.file = v) },
  notions: { write: (s) => s.notions.map(notion).join(","), read: (s, v) => (s.notions = v ? v.split(",").map(unnotion) : []) },
  focus: { write: (s) => String(s.focus), read: (s, v) => (s.focus = Number(v)) },
  at: { write: (s) => s.at, read: (s, v) => (s.at = v) },
  baselines: { write: (s) => (s.baselines ? "1" : "0"), read: (s, v) => (s.baselines = v === "1") },
  convert: {
    write: (s) => list([notion(s.convert.notion), s.convert.loss]),
    read: (s, v) => {
      const [given, loss] = unlist(v);
      s.convert = { notion: unnotion(given), loss };
    },
  },
  theorems: {
    write: (s) => list([s.theorems.verdict, s.theorems.paper, s.theorems.words, s.theorems.key]),
    read: (s, v) => {
      const [verdict, paper, words, key] = unlist(v);
      s.theorems = { verdict, paper, words, key };
    },
  },
};

/** @param {State} state @returns {string} the address's part after #, with only what differs from the opening */
export function write(state) {
  const parameters = new URLSearchParams();
  for (const [name, part] of Object.entries(PARTS)) {
    const written = part.write(state);
    if (written !== part.write(OPENING)) parameters.set(name, written);
  }
  return parameters.toString();
}

/** @param {string} hash @returns {State} the state that an address describes; what it cannot mean is left out */
export function read(hash) {
  const state = structuredClone(OPENING);
  for (const [name, written] of new URLSearchParams(hash.replace(/^#/u, ""))) {
    try {
      PARTS[name]?.read(state, written);
    } catch {
      // A part that was damaged on its way stays as it is in the opening.
    }
  }
  const sound = state.labels.length === state.shares.length && state.shares.every((share) => parse(share));
  if (!sound) Object.assign(state, { labels: [...OPENING.labels], shares: [...OPENING.shares] });
  if (!(state.focus < state.notions.length)) state.focus = 0;
  return state;
}

/** Changes that follow each other this quickly, such as those of a slider, are undone together. */
const BURST_MS = 300;

/** The state, and who wants to know when it changes. */
export class Store {
  #listeners = [];
  #timer = 0;
  #latest = 0;
  #pending = "replaceState";

  constructor() {
    /** @type {State} */
    this.state = read(location.hash);
    addEventListener("hashchange", () => {
      clearTimeout(this.#timer);
      this.#latest = 0;
      this.#pending = "replaceState";
      this.state = read(location.hash);
      this.#tell({ all: true });
    });
  }

  /** @param {Partial<State>} changes */
  set(changes) {
    const turned = changes.view !== undefined && changes.view !== this.state.view;
    // Whatever is chosen can be undone, by the button or by going back.
    const isNew = turned || Date.now() - this.#latest > BURST_MS;
    if (isNew) {
      this.#save();
      this.#pending = "pushState";
    }
    this.#latest = Date.now();
    this.state = { ...this.state, ...changes };
    clearTimeout(this.#timer);
    if (turned) this.#save();
    else this.#timer = setTimeout(() => this.#save(), 120);
    this.#tell(changes);
  }

  /** @returns {boolean} whether there is something to undo */
  get canUndo() {
    return (history.state?.depth ?? 0) > 0 || this.#pending === "pushState";
  }

  /** Go back to the question before. */
  undo() {
    clearTimeout(this.#timer);
    this.#save();
    if ((history.state?.depth ?? 0) > 0) history.back();
  }

  /** Let the address say what the state is; twice the same is said once. */
  #save() {
    const [address, how] = [`#${write(this.state)}`, this.#pending];
    this.#pending = "replaceState";
    const isSame = address === location.hash || (address === "#" && location.hash === "");
    if (how === "pushState" && isSame) return;
    const depth = (history.state?.depth ?? 0) + (how === "pushState" ? 1 : 0);
    history[how]({ depth }, "", address);
  }

  /** @param {(state: State, changes: object) => void} listener */
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  #tell(changes) {
    for (const listener of this.#listeners) listener(this.state, changes);
  }
}
