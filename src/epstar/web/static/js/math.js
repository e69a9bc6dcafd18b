/** The formulas of the theorems, from the little TeX they are written in, as MathML. */

import { mathml } from "./dom.js";

const SYMBOLS = {
  alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", eta: "η", theta: "θ", lambda: "λ", mu: "μ", pi: "π", rho: "ρ", sigma: "σ", tau: "τ", phi: "φ", varphi: "φ", Delta: "Δ",
  Phi: "Φ", Omega: "Ω", Sigma: "Σ", ell: "ℓ", infty: "∞", dots: "…", ldots: "…", cdots: "⋯",
};
const OPERATORS = {
  le: "≤", ge: "≥", ne: "≠", in: "∈", to: "→", times: "×", cap: "∩", cup: "∪", subseteq: "⊆", approx: "≈", propto: "∝", mid: "∣", cdot: "·", pm: "±", sum: "∑", int: "∫", bigcup: "⋃",
  prod: "∏", lfloor: "⌊", rfloor: "⌋", lceil: "⌈", rceil: "⌉", "{": "{", "}": "}", "|": "‖", ",": "\u2009", ";": "\u2005", " ": " ", quad: "\u2003", Rightarrow: "⇒", iff: "⇔",
};
const FUNCTIONS = ["log", "ln", "exp", "max", "min", "sup", "inf", "tanh", "det", "Pr", "arg"];
const ACCENTS = { tilde: "~", hat: "^", bar: "¯", overline: "¯" };
const ALPHABETS = { mathcal: "script", mathbb: "double", mathrm: "roman", mathbf: "bold", text: "roman" };
const SCRIPT = { B: "ℬ", E: "ℰ", F: "ℱ", H: "ℋ", I: "ℐ", L: "ℒ", M: "ℳ", R: "ℛ" };

/** @returns {(string | Node)[]} a text in which what stands between dollar signs is a formula */
export function withFormulas(text) {
  return text.split("$").map((part, i) => (i % 2 ? formula(part) : part));
}

/** @returns {MathMLElement} */
function formula(tex) {
  const tokens = tex.match(/\\[a-zA-Z]+|\\.|[a-zA-Z]|\d+(?:\.\d+)?|\s+|./gu) ?? [];
  let next = 0;
  return mathml("math", {}, mathml("mrow", {}, row()));

  function row(end = "") {
    const parts = [];
    while (next < tokens.length && tokens[next] !== end) {
      const part = scripted();
      if (part) parts.push(part);
    }
    next += 1;
    return parts;
  }

  /** An atom with what stands below and above it. */
  function scripted() {
    const base = atom();
    let below = null;
    let above = null;
    for (;;) {
      if (tokens[next] === "_") {
        next += 1;
        below = atom();
      } else if (tokens[next] === "^") {
        next += 1;
        above = atom();
      } else if (tokens[next] === "'") {
        next += 1;
        above = mathml("mo", {}, "′");
      } else break;
    }
    const whole = base ?? (below || above ? mathml("mrow") : null);
    if (below && above) return mathml("msubsup", {}, whole, below, above);
    if (below) return mathml("msub", {}, whole, below);
    if (above) return mathml("msup", {}, whole, above);
    return whole;
  }

  function atom() {
    const token = tokens[next];
    next += 1;
    if (token === undefined || /^\s+$/u.test(token)) return null;
    if (token === "{") return mathml("mrow", {}, row("}"));
    if (/^\d/u.test(token)) return mathml("mn", {}, token);
    if (/^[a-zA-Z]$/u.test(token)) return mathml("mi", {}, token);
    if (token.startsWith("\\")) return command(token.slice(1));
    return mathml("mo", {}, token === "-" ? "−" : token === "*" ? "∗" : token);
  }

  function command(name) {
    if (name === "frac") return mathml("mfrac", {}, argument(), argument());
    if (name === "binom") return mathml("mrow", {}, mathml("mo", {}, "("), mathml("mfrac", { linethickness: "0" }, argument(), argument()), mathml("mo", {}, ")"));
    if (name === "sqrt") return mathml("msqrt", {}, argument());
    if (name === "left" || name === "right") return atom() ?? atom();
    if (name in ACCENTS) return mathml("mover", { accent: "true" }, argument(), mathml("mo", {}, ACCENTS[name]));
    if (name in ALPHABETS) return lettered(argument(), ALPHABETS[name]);
    if (FUNCTIONS.includes(name)) return mathml("mi", {}, name);
    if (name in SYMBOLS) return mathml("mi", {}, SYMBOLS[name]);
    if (name in OPERATORS) return mathml("mo", {}, OPERATORS[name]);
    return mathml("mtext", {}, name);
  }

  /** What a command is about: the next atom, past blanks. */
  function argument() {
    while (/^\s+$/u.test(tokens[next] ?? "")) next += 1;
    return atom() ?? mathml("mrow");
  }
}

/** A letter in another alphabet; a whole word stands upright. */
function lettered(argument, alphabet) {
  const text = argument.textContent;
  if (alphabet === "script") return mathml("mi", {}, [...text].map((letter) => SCRIPT[letter] ?? shifted(letter, 0x1d49c)).join(""));
  if (alphabet === "double") return mathml("mi", {}, [...text].map((letter) => ({ R: "ℝ", N: "ℕ", Z: "ℤ", P: "ℙ", Q: "ℚ", C: "ℂ" })[letter] ?? shifted(letter, 0x1d538)).join(""));
  if (alphabet === "bold") return mathml("mi", {}, [...text].map((letter) => shifted(letter, 0x1d400)).join(""));
  return mathml("mtext", {}, text);
}

const shifted = (letter, start) => (/[A-Z]/u.test(letter) ? String.fromCodePoint(start + letter.codePointAt(0) - 65) : letter);
