/** Exact fractions of whole numbers, for what people type: 0.05, 1/20 and 5% are the same. */

/** @typedef {{n: bigint, d: bigint}} Fraction */

const gcd = (a, b) => (b === 0n ? (a < 0n ? -a : a) : gcd(b, a % b));

/** @returns {Fraction} in lowest terms */
export function fraction(n, d = 1n) {
  const divisor = gcd(n, d) || 1n;
  const sign = d < 0n ? -1n : 1n;
  return { n: (sign * n) / divisor, d: (sign * d) / divisor };
}

/**
 * Read a number as people write it.
 * @param {string} text
 * @returns {Fraction | null} null if it is none
 */
export function parse(text) {
  const found = /^\s*([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,2}))?(?:\/(\d+))?\s*(%?)\s*$/u.exec(text);
  if (!found || (!found[2] && !found[3])) return null;
  const [, sign, whole, decimals = "", power = "0", below, percent] = found;
  if (whole.length + decimals.length > 40 || (below ?? "").length > 40 || (below && BigInt(below) === 0n)) return null;
  const shift = BigInt(Math.abs(Number(power)));
  const n = BigInt((whole || "0") + decimals) * (sign === "-" ? -1n : 1n) * (Number(power) > 0 ? 10n ** shift : 1n);
  const d = 10n ** BigInt(decimals.length) * BigInt(below ?? "1") * (percent ? 100n : 1n) * (Number(power) < 0 ? 10n ** shift : 1n);
  return fraction(n, d);
}

export const add = (a, b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const negate = (a) => ({ n: -a.n, d: a.d });
export const divide = (a, b) => fraction(a.n * b.d, a.d * b.n);
export const subtract = (a, b) => add(a, negate(b));
export const isBelow = (a, b) => a.n * b.d < b.n * a.d;
export const smaller = (a, b) => (isBelow(a, b) ? a : b);
export const larger = (a, b) => (isBelow(a, b) ? b : a);
export const ZERO = fraction(0n);
export const ONE = fraction(1n);

/** @returns {string} such as "1/20" */
export const text = (a) => (a.d === 1n ? String(a.n) : `${a.n}/${a.d}`);

/** @returns {number} about how large a number is that may be written as a logarithm, such as ln(2) */
export function approximately(written) {
  const inner = /^\s*(?:ln|log)\s*\(([^()]*)\)\s*$/u.exec(written);
  const found = parse(inner ? inner[1] : written);
  return found ? (inner ? Math.log(toNumber(found)) : toNumber(found)) : NaN;
}

export const toNumber = (a) => Number((a.n * 10n ** 18n) / a.d) / 1e18;
