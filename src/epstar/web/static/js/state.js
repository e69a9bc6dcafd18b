/** What the page shows, kept in the address: a view can be shared, and going back goes back. */

/**
 * @typedef {object} State
 * @property {"explore" | "convert" | "audit" | "theorems"} view
 * @property {string[]} labels
 * @property {number[]} weights whole numbers; the prior is each divided by their sum
 * @property {{name: string, individuals: number, values: number, modulus?: number} | null} query
 * @property {{kind: string, radius: string, confidence: string, shape: string, hull: string}} source
 * @property {{kind: string, table: string}} cost
 * @property {{name: string, delta?: string, order?: string}[]} notions
 * @property {number} focus which of the notions is looked at
 * @property {string} at the distortion that is looked at, exactly
 * @property {boolean} baselines
 * @property {{notion: {name: string, delta?: string, order?: string}, loss: string}} convert
 * @property {{verdict: string, paper: string, words: string, key: string}} theorems
 */

/** @type {State} */
export const OPENING = {
  view: "explore",
  labels: ["never", "rarely", "sometimes", "often", "always"],
  weights: [36, 28, 18, 12, 6],
  query: null,
  source: { kind: "prior", radius: "0.05", confidence: "0.95", shape: "box", hull: "" },
  cost: { kind: "hamming", table: "" },
  notions: [{ name: "differential_privacy" }, { name: "maximal_leakage" }, { name: "mutual_information" }],
  focus: 0,
  at: "1/5",
  baselines: true,
  convert: { notion: { name: "differential_privacy" }, loss: "1" },
  theorems: { verdict: "", paper: "", words: "", key: "" },
};

const VIEWS = ["explore", "convert", "audit", "theorems"];
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
  weights: { write: (s) => s.weights.join(","), read: (s, v) => (s.weights = v.split(",").map(Number)) },
  query: {
    write: (s) => (s.query ? [s.query.name, s.query.individuals, s.query.values, s.query.modulus ?? ""].join(",") : ""),
    read: (s, v) => {
      const [name, individuals, values, modulus] = v.split(",");
      s.query = name ? { name, individuals: Number(individuals), values: Number(values), ...(modulus ? { modulus: Number(modulus) } : {}) } : null;
    },
  },
  source: {
    write: (s) => list([s.source.kind, s.source.radius, s.source.confidence, s.source.shape, s.source.hull]),
    read: (s, v) => {
      const [kind, radius, confidence, shape, hull] = unlist(v);
      s.source = { kind, radius, confidence, shape, hull };
    },
  },
  cost: {
    write: (s) => list([s.cost.kind, s.cost.table]),
    read: (s, v) => {
      const [kind, table] = unlist(v);
      s.cost = { kind, table };
    },
  },
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
  const sound = state.labels.length === state.weights.length && state.weights.every((w) => Number.isSafeInteger(w) && w >= 0) && state.weights.some((w) => w > 0);
  if (!sound) Object.assign(state, { labels: [...OPENING.labels], weights: [...OPENING.weights] });
  if (!(state.focus < state.notions.length)) state.focus = 0;
  return state;
}

/** The state, and who wants to know when it changes. */
export class Store {
  #listeners = [];
  #timer = 0;

  constructor() {
    /** @type {State} */
    this.state = read(location.hash);
    addEventListener("hashchange", () => {
      this.state = read(location.hash);
      this.#tell({ all: true });
    });
  }

  /** @param {Partial<State>} changes */
  set(changes) {
    const turned = changes.view !== undefined && changes.view !== this.state.view;
    this.state = { ...this.state, ...changes };
    clearTimeout(this.#timer);
    const save = () => history[turned ? "pushState" : "replaceState"](null, "", `#${write(this.state)}`);
    if (turned) save();
    else this.#timer = setTimeout(save, 120);
    this.#tell(changes);
  }

  /** @param {(state: State, changes: object) => void} listener */
  subscribe(listener) {
    this.#listeners.push(listener);
  }

  #tell(changes) {
    for (const listener of this.#listeners) listener(this.state, changes);
  }
}
