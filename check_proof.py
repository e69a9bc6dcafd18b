#!/usr/bin/env python3
"""Check a proof of epstar without epstar: one file, the standard library, no search, no optimiser, no tolerance.

    python check_proof.py FILE        an answer, a curve or a proof (docs/proof-format.md); - for standard input

It says yes and what is proven (exit code 0), no and why (1), or that the document cannot be read or would take too long
(2). A mechanism Q gives each input x a law Q(.|x) on outputs y. A document makes two claims about one problem, with
their numbers in them; each is verified as it stands, nothing is computed and then compared with it:

    attained    the mechanism Q has loss <= L and distortion <= D under every law of the source;
    excluded    no mechanism has loss <= L and distortion <= D, one of the two (the open one) strictly smaller.

EXCLUDED rests on one rule, Farkas' lemma with facial reduction. Write z(x,y) >= 0 for the entries of a mechanism that
is said not to exist. It satisfies linear constraints, form(z) <= bound: its distortion under a law of the source; each
ratio bound of the notion; each tangent of a convex sum bound; and its rows sum to one. A step names multiples of such
constraints, not negative but for the rows. If in the sum no entry has a negative coefficient c(x,y), then

    0  <=  sum of c(x,y) z(x,y)  <=  total of the bounds.

If the total is negative, or zero with a strict constraint among those used, there is no such z. If it is zero, entries
with c > 0 vanish, and so, where the loss is open, do the entries on the right of the ratio bounds used: at a smaller
loss they count for less. The next step need not care for the coefficients of entries that vanish. All else is refused.

ATTAINED is an evaluation: the rows of Q are laws, its mean cost is at most D under the worst law of the source, and
every bound of the notion holds at L. A supremum over laws is reached at a corner, or bounded by weak duality with
multipliers, a law of the output or shares that the document names, which are verified and never looked for.

The file reads from top to bottom: numbers; reading; the problem (inputs, sources, costs); the table of notions;
excluded; attained; independent rows; documents. Fractions are exact; logarithms, exponentials and powers are enclosed
by fractions on the safe side. The work is at most FREE + MULTIPLE * (bytes of the document) operations on numbers:
`spend` counts what is not a walk through the document before it is done, and the size of numbers is bounded.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, permutations, product
from math import factorial, gcd, lcm, prod
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, TypeAlias

MOST_BYTES, MOST_LISTS = 1 << 27, 1 << 22  # of the document; lists and objects in it
FREE, MULTIPLE = 1 << 21, 16  # operations: so many, and so many more for each byte
LONGEST_NUMBER = 4000  # characters, and the largest exponent of ten
MOST_BITS = 1 << 16  # of the common denominator of all numbers, of exact powers, and of the number of databases
LARGEST_EXPONENT = 20_000  # e^20000 has 8,686 digits

Pair: TypeAlias = tuple[Fraction, Fraction]  # a number lies between the two
Law: TypeAlias = tuple[Fraction, ...]
Form: TypeAlias = dict[int, Fraction]  # a linear form: coefficients by input
Fields: TypeAlias = dict[str, Any]
ZERO, ONE = Fraction(0), Fraction(1)


class Refused(Exception):
    """The document was understood, and does not prove what it claims."""


class Unreadable(Exception):
    """The document is not one of this format, or asks for more work than its size allows."""


class Work:
    """What is left to spend on a document, the common denominator and the bits of its numbers, the place being read."""

    left, common, length, place = 0, 1, 0, list[str]()


def spend(amount: int, length: int = 0) -> None:
    """Count operations; each on numbers of many bits, as long as those met so far, for as many as it takes."""
    Work.left -= amount * (1 + (max(length, Work.length) // 1024) ** 2)
    if Work.left < 0:
        raise Unreadable("it asks for more work than a document of its size may")


def require(condition: bool, why: str) -> None:
    if not condition:
        raise Refused(why)


def fail(what: str) -> NoReturn:
    raise Unreadable(f"{''.join(Work.place).lstrip('.') or 'the document'}: {what}")


# -- Numbers: fractions, and pairs of fractions around what is not rational --------------------------------------------

DOWN, UP = (
    Context(prec=70, rounding=side, Emin=-999_999, Emax=999_999, traps=[InvalidOperation, DivisionByZero, TooLarge])
    for side in (ROUND_FLOOR, ROUND_CEILING)
)


def use_digits(digits: int = 60) -> None:
    """Enclose with so many decimal digits from here on; ten more are kept against rounding."""
    DOWN.prec = UP.prec = 10 + digits
    ln.cache_clear()


def decimal(x: Fraction, side: Context) -> Decimal:
    return side.divide(Decimal(x.numerator), Decimal(x.denominator))


@lru_cache(maxsize=1 << 14)
def ln(x: Fraction) -> Pair:
    """`decimal` rounds a logarithm to the nearest, so one unit more on each side is safe; that of one is exact."""
    spend(8 + (DOWN.prec // 48) ** 3)
    low, high = DOWN.ln(decimal(x, DOWN)), UP.ln(decimal(x, UP))
    return Fraction(DOWN.next_minus(low) if low else low), Fraction(UP.next_plus(high) if high else high)


def exp(x: Pair) -> Pair:
    """Rounded likewise; what is below e^-20000 lies between nothing and that."""
    spend(8 + (DOWN.prec // 48) ** 3)
    if x[1] > LARGEST_EXPONENT:
        raise Unreadable(f"an exponent beyond {LARGEST_EXPONENT} is needed")
    low, high = (max(end, Fraction(-LARGEST_EXPONENT)) for end in x)
    below, above = DOWN.next_minus(DOWN.exp(decimal(low, DOWN))), UP.next_plus(UP.exp(decimal(high, UP)))
    return Fraction(below) if low == x[0] else ZERO, Fraction(above)


def times(a: Pair, factor: Fraction) -> Pair:
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


def of(form: Form, q: Sequence[Fraction]) -> Fraction:
    return sum((c * q[x] for x, c in form.items()), ZERO)


def bits(x: Fraction) -> int:
    return sum(map(int.bit_length, x.as_integer_ratio()))


class Level(NamedTuple):
    """A loss, a distortion or a sum of them: value + the sum of weight * log(base), or infinity."""

    value: Fraction = ZERO
    logs: Mapping[Fraction, Fraction] = MappingProxyType({})  # weights by base
    infinite: int = 0  # 1, or -1 for minus infinity

    def plus(self, other: Level, factor: Fraction = ONE) -> Level:
        logs = dict(self.logs)
        for base, weight in other.logs.items():
            logs[base] = logs.get(base, ZERO) + factor * weight
        infinite = self.infinite or (other.infinite if factor > 0 else -other.infinite)
        return Level(self.value + factor * other.value, logs, infinite)

    def pair(self) -> Pair:
        require(not self.infinite, "an infinite loss bounds nothing")
        ends = [times(ln(base), weight) for base, weight in self.logs.items()]
        return self.value + sum(low for low, _ in ends), self.value + sum(high for _, high in ends)

    def as_power(self) -> tuple[Fraction, Fraction] | None:
        """(r, t) with e^self = r^t, t > 0, if there are such fractions of moderate size."""
        whole = lcm(*(weight.denominator for weight in self.logs.values()))
        exponents = {base: int(weight * whole) for base, weight in self.logs.items()}
        if self.infinite or self.value or sum(bits(base) * abs(n) for base, n in exponents.items()) > MOST_BITS:
            return None
        common = gcd(*exponents.values()) or 1
        return prod((base ** (n // common) for base, n in exponents.items()), start=ONE), Fraction(common, whole)

    def exp(self) -> Pair:
        """e^self, exact where that is a fraction of moderate size."""
        base, exponent = self.as_power() or (ZERO, ONE)
        degree, parts = exponent.denominator, base.as_integer_ratio()
        if base:
            roots = [n if degree == 1 else int(exp(times(ln(Fraction(n)), Fraction(1, degree)))[1]) for n in parts]
            if (roots[0] ** degree, roots[1] ** degree) == parts:
                spend(1, sum(map(int.bit_length, roots)) * exponent.numerator)
                return (Fraction(*roots) ** exponent.numerator,) * 2
        return exp(self.pair())

    def at_most(self, other: Level, strictly: bool = False) -> bool:
        """Whether this is certainly at most the other; where enclosures touch, powers are compared."""
        if self.infinite or other.infinite:
            return self.infinite < other.infinite or (self.infinite == other.infinite and not strictly)
        gap = self.plus(other, -ONE)
        low, high = gap.pair()
        power = gap.as_power() if low <= 0 <= high else None
        excess = high if power is None else power[0] - 1
        return excess < 0 or (excess == 0 and not strictly)


def log_of(base: Fraction, weight: Fraction = ONE) -> Level:
    return Level(ZERO, {base: weight} if base != 1 else {})


NOTHING, INFINITY = Level(), Level(infinite=1)


def scaled(x: Pair, exponent: Fraction, level: Level, rate: Fraction) -> Pair:
    """x^exponent * e^(rate * level)."""
    ends = [log_of(end, exponent).plus(level, rate).exp() for end in dict.fromkeys(x)]
    return min(low for low, _ in ends), max(high for _, high in ends)


def norm(weights: Iterable[Fraction], entries: Sequence[Fraction], a: Fraction) -> Pair:
    """The sum of weight * (entry / largest entry)^a."""
    parts = [(w, log_of(e / max(entries), a).exp()) for w, e in zip(weights, entries, strict=True) if e]
    return sum((w * low for w, (low, _) in parts), ZERO), sum((w * high for w, (_, high) in parts), ZERO)


# -- Reading: {"field": kind, "optional?": kind}, [kind], (kind, kind), {"text"}; of objects (a, b) the one that fits --

LATER = None  # the kind of what is read later
_NUMBER = re.compile(r"[+-]?[0-9]+(?:/(?P<below>[0-9]+)|(?:\.[0-9]+)?(?:[eE](?P<ten>[+-]?[0-9]{1,4}))?)", re.ASCII)


@lru_cache(maxsize=1 << 16)
def rational(text: str) -> Fraction | None:
    """The fraction that a text stands for, or None; all numbers of a document have a moderate common denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None or int(found["below"] or 1) == 0 or abs(int(found["ten"] or 0)) > LONGEST_NUMBER:
        return None
    value = Fraction(text)
    Work.common = lcm(Work.common, value.denominator) if Work.common % value.denominator else Work.common
    Work.length = max(Work.length, bits(value), Work.common.bit_length() // 8)
    if Work.common.bit_length() > MOST_BITS:
        raise Unreadable("the numbers of the document have no common denominator of moderate length")
    return value


def read(kind: Any, value: Any, place: str = "") -> Any:
    """A value of a kind, which may also be a function of the value."""
    Work.place.append(place)
    if isinstance(kind, tuple) and all(isinstance(one, dict) for one in kind):  # told apart by their first fields
        kind = next((one for one in kind if isinstance(value, dict) and next(iter(one)) in value), kind[-1])
    found = value
    if isinstance(kind, dict):
        known = {name.rstrip("?"): inner for name, inner in kind.items()}
        needed = {name for name in kind if not name.endswith("?")}
        if not isinstance(value, dict) or not needed <= value.keys() <= known.keys():
            fail(f"an object with {', '.join(kind)} was expected, and nothing else")
        found = {name: read(known[name], entry, f".{name}") for name, entry in value.items()}
    elif isinstance(kind, list | tuple):
        kinds = kind * len(value) if isinstance(kind, list) and isinstance(value, list) else kind
        if not isinstance(value, list) or len(value) != len(kinds):
            fail("a list was expected" + (f" with {len(kind)} entries" if isinstance(kind, tuple) else ""))
        texts = value if kind in ([number], [shown]) else [None]
        found = [rational(text) if type(text) is str else None for text in texts]  # the usual case, at once
        if None in found:
            found = [read(kinds[k], entry, f"[{k}]") for k, entry in enumerate(value)]
    elif isinstance(kind, set):
        found = value if type(value) in (str, bool) and value in kind else fail(f"one of {sorted(kind)} was expected")
    elif kind is not LATER:
        found = kind(value)
    Work.place.pop()
    return found


def number(value: Any, loose: bool = False) -> Fraction:
    """A text; where `loose`, in a problem, also a JSON number, which stands for the decimal that it shows."""
    text = str(value) if loose and type(value) in (int, Decimal) else value
    found = rational(text) if isinstance(text, str) else None
    return found if found is not None else fail('a number was expected, such as "3/10"')


def law(value: Any, loose: bool = False) -> Law:
    found = tuple(read([shown if loose else number], value))
    if not found or min(found) < 0 or sum(found) != 1:
        fail("the entries of a distribution are not negative and sum to exactly one")
    return found


def whole(value: Any, least: int = 0, most: int = MOST_BYTES) -> int:
    is_whole = type(value) is int and least <= value <= most
    return int(value) if is_whole else fail("a whole number in its range was expected")


def optional(kind: Any, missing: Any, value: Any) -> Any:
    """A value of a kind, or nothing for what stands in its place."""
    return None if value == missing and type(value) is type(missing) else read(kind, value)


def limit(value: Any, loose: bool = False) -> Level:
    """A distortion: a number or "infinity"."""
    return INFINITY if value == "infinity" else Level(number(value, loose))


def loss(value: Any, loose: bool = False) -> Level:
    """A number, "log(r)" or "infinity"."""
    is_log = isinstance(value, str) and value.startswith("log(") and value.endswith(")")
    found = Level(number(value[4:-1])) if is_log else limit(value, loose)
    if found.value < is_log and not found.infinite:
        fail("a loss is never negative")
    return log_of(found.value) if is_log else found


def words(value: Any) -> str:
    return value if isinstance(value, str) else fail("a text was expected")


def sized(values: Any, count: int) -> Any:
    return values if len(values) == count else fail(f"{count} entries were expected")


def table(values: Sequence[Sequence[Fraction]], rows: int) -> list[Law]:
    """Equally long lists of numbers."""
    return [tuple(sized(row, len(values[0]) or 1)) for row in sized(values, max(rows, 1))]


shown, shown_law, count = partial(number, loose=True), partial(law, loose=True), partial(whole, least=1, most=1 << 30)


# -- The problem: inputs and their distances, sources, costs -----------------------------------------------------------


def label(value: Any) -> Fraction | None:
    """The number that a label is, if it is one: a rational, or a JSON number that everybody reads alike."""
    if isinstance(value, dict):
        return Fraction(read({"rational": shown}, value)["rational"])
    if isinstance(value, list):
        read([label], value)
        if not value:
            fail("a label is no empty list")
    if type(value) not in (int, Decimal):
        return None
    if len(re.sub(r"[eE].*|\D", "", str(value)).strip("0")) > 15:
        fail("a number that is a label has at most 15 digits")
    return shown(value)


VALUES: tuple[Fields, ...] = ({"size": count}, {"alphabet": [label]})
UNIVERSE: tuple[Fields, ...] = (
    {"graph": {"nodes": [label], "edges": [(whole, whole)]}},
    {"metric": [[partial(optional, shown, None)]], "labels?": [label]},
    {"databases": tuple({**values, "rows": count} for values in VALUES)},
    *VALUES,
)


class Universe(NamedTuple):
    """Inputs 0 ... size - 1: databases of `rows` rows over `letters` values in lexicographic order, of which those that
    differ in one row are at distance 1; without rows, all inputs are; or a graph with the lengths of its `edges`.
    `values` are the labels if all are numbers, else positions; `sizes`, if any, how many inputs each stands for."""

    size: int
    letters: int
    rows: int = 0  # of databases
    values: Sequence[Fraction | int] = ()
    edges: dict[tuple[int, int], Fraction] | None = None
    sizes: tuple[int, ...] = ()

    def distance(self, x: int, z: int) -> Fraction:
        places = [self.letters**row for row in range(self.rows or 1)]
        other = sum(x // place % self.letters != z // place % self.letters for place in places)
        found = Fraction(other == 1) if self.edges is None else self.edges.get((min(x, z), max(x, z)), ZERO)
        require(found > 0, f"the inputs {x} and {z} are not neighbours")
        return found

    def cliques(self) -> Iterator[tuple[Sequence[int], Fraction]]:
        """Sets of inputs that are neighbours of each other at one distance; every two neighbours are in one."""
        yield from (self.edges or {}).items()
        for place in (self.letters**row for row in range((self.rows or 1) if self.edges is None else 0)):
            starts = (first for first in range(self.size) if first // place % self.letters == 0)
            yield from ((range(first, first + place * self.letters, place), ONE) for first in starts)


def read_universe(value: Any) -> Universe:
    given = read(UNIVERSE, value)
    graph, lengths, inner = given.get("graph"), given.get("metric", []), given.get("databases", given)
    labels, rows = graph["nodes"] if graph else given.get("labels") or inner.get("alphabet", []), inner.get("rows", 0)
    letters = inner.get("size", len(lengths) or len(labels))
    if letters.bit_length() * rows > MOST_BITS or len(labels) not in (0, letters):
        fail("there are too many databases, or labels for others")
    numbers = [value for value in labels if value is not None]
    if len(set(numbers)) < len(numbers):
        fail("two labels are one number")
    values = labels if labels and None not in labels else range(letters)
    if not graph and not lengths:
        return Universe(letters ** (rows or 1), letters, rows, values)
    pairs = [(i, j, ONE) for i, j in graph["edges"]] if graph else []
    for i, row in enumerate(lengths):
        if sized(row, letters)[i] != 0 or row != [sized(other, letters)[i] for other in lengths]:
            fail("a metric is symmetric, and zero on the diagonal")
        pairs += [(i, j, d) for j, d in enumerate(row[:i]) if d is not None]
    edges = {(min(i, j), max(i, j)): d for i, j, d in pairs}
    if len(edges) < len(pairs) or any(i == j or j >= letters or d <= 0 for (i, j), d in edges.items()):
        fail("an edge joins two different nodes, stands once and has a positive length")
    return Universe(letters, letters, 0, values, edges)


SOURCE: tuple[Fields, ...] = (
    {"prior": shown_law},
    {"finite": [shown_law]},
    {"hull": [shown_law]},
    {"box": {"lower": [shown], "upper": [shown]}},
    {"ball": {"center": shown_law, "radius": shown}},
    {"polytope": {"matrix": [[shown]], "bounds": [shown]}},
    {"everything": partial(whole, least=1, most=1 << MOST_BITS)},
    {"rows": LATER, "iid?": {True, False}},
)
Side: TypeAlias = tuple[Form, Fraction]  # form . p <= bound


class Source(NamedTuple):
    """Laws on the inputs: some `points`, with their mixtures if convex; or all laws; within the `sides`. In a box that
    is the `start` with some `mass` more, up to the `room` of each input; in a ball as much may move from where there
    is room. Or the laws of independent `rows`, which if `shared` all have the same. `multipliers` bound suprema."""

    size: int
    points: tuple[Law, ...] = ()
    convex: bool = True
    start: Law = ()
    mass: Fraction = ZERO
    room: Law = ()
    is_ball: bool = False
    sides: tuple[Side, ...] = ()
    rows: tuple[Source, ...] = ()
    shared: bool = False
    multipliers: Iterator[list[Fraction]] = iter(())

    def contains(self, law: Law) -> bool:
        laws, rest = list[Law](), law
        for row in self.rows:  # the law of the first row, then that of the others
            spend(len(rest))
            width = len(rest) // row.size
            blocks = [rest[k : k + width] for k in range(0, len(rest), width)]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        moved = sum(abs(p - c) for p, c in zip(law, self.start, strict=True)) if self.is_ball else ZERO
        inside = (not self.points or law in self.points) and moved <= 2 * self.mass
        inside = inside and all(of(form, law) <= bound for form, bound in self.sides)
        return inside and (not laws or (joint(laws) == law and self.holds(laws)))

    def holds(self, laws: Sequence[Law]) -> bool:
        """Whether the rows may have these laws."""
        spend(sum(map(len, laws)))
        if not self.rows:
            return self == Source(self.size) or self.contains(joint(laws))
        different = {(id(row), law): row for row, law in zip(self.rows, laws, strict=True)}
        return (not self.shared or len(different) == 1) and all(r.contains(p) for (_, p), r in different.items())

    def largest(self, cost: Sequence[Fraction]) -> Fraction:
        """At least the mean cost under every law: a box is filled, or a ball emptied, where that costs most; otherwise
        by weak duality: for u >= 0, cost . p is at most the largest (cost - u . forms) . p, and u . bounds."""
        spend(self.size * (1 + len(self.points)) + sum(len(form) for form, _ in self.sides))
        if self.start:
            total, left, most = dot(cost, self.start), self.mass, max(cost)
            gains = [most - c if self.is_ball else c for c in cost]
            for gain, room in sorted(zip(gains, self.room, strict=True), reverse=True):
                total, left = total + gain * min(room, left), left - min(room, left)
            return total
        rest, chosen = list(cost), sized(next(self.multipliers, []) if self.sides else [], len(self.sides))
        require(min(chosen, default=ZERO) >= 0, "a multiplier is negative")
        for u, (form, _) in zip(chosen, self.sides, strict=True):
            for x, a in form.items() if u else ():
                rest[x] -= u * a
        total = dot(chosen, [bound for _, bound in self.sides])
        return total + (max(dot(rest, point) for point in self.points) if self.points else max(rest))

    def corners(self, *further: Side) -> list[Law]:
        """Laws of the set, within further sides, whose mixtures it is; in a ball, what moves goes to one input."""
        spend(self.size**2 * (1 + self.size * self.is_ball))
        units = [tuple(Fraction(j == x) for j in range(self.size)) for x in range(self.size)]
        bases, sides = [list(self.points) or units], [*further, *self.sides]
        if self.is_ball:
            bases = [
                [tuple(c + self.mass * (b - a) for c, a, b in zip(self.start, unit, to, strict=True)) for unit in units]
                for to in units
            ]
        return sorted({law for base in bases for law in cut(base, sides)}) if sides else bases[0]


def cut(base: list[Law], sides: list[Side]) -> set[Law]:
    """The corners of the mixtures p of some laws with form . p <= bound for each side, one cut after the other.

    A cut makes a corner on every edge from a corner that stays to one that goes. Two corners have an edge in common if
    no third lies on all sides that both lie on (bits of a mask).
    """
    spend(len(base) ** 2)
    found = {tuple(Fraction(j == k) for j in range(len(base))): (1 << len(base)) - 1 ^ 1 << k for k in range(len(base))}
    for number, (form, bound) in enumerate(sides):
        on_base, tight = [of(form, law) for law in base], 1 << len(base) + number
        spend(len(found) * len(base))
        room = {point: bound - dot(on_base, point) for point in found}
        stay, go = ([p for p in found if sign * room[p] > 0] for sign in (1, -1))
        kept = {p: mask | (0 if room[p] else tight) for p, mask in found.items() if room[p] >= 0}
        spend(len(stay) * len(go) * len(found))
        for a, b in product(stay, go):
            common = found[a] & found[b]
            if sum(not common & ~mask for mask in found.values()) == 2:
                share = room[a] / (room[a] - room[b])
                kept[tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))] = common | tight
        found = kept
        Work.length = max([Work.length, *(bits(p) for point in kept for p in point)])
    return {tuple(dot(weights, column) for column in zip(*base, strict=True)) for weights in found}


def joint(laws: Sequence[Law]) -> Law:
    """The law of independent rows."""
    Work.length = max(Work.length, sum(max(map(bits, law)) for law in laws))
    spend(prod(map(len, laws)) * len(laws))
    return tuple([prod(entries, start=ONE) for entries in product(*laws)])


def form_of(entries: Sequence[Fraction]) -> Form:
    return {x: a for x, a in enumerate(entries) if a}


def read_source(value: Any, universe: Universe | None = None) -> Source:
    given = read(SOURCE, value)
    ((kind, entry),) = ((kind, entry) for kind, entry in given.items() if kind != "iid")
    if kind in ("prior", "finite", "hull"):
        points = [entry] if kind == "prior" else table(entry, len(entry))
        if len(set(points)) < len(points):
            fail("a distribution stands twice in the list")
        return Source(len(points[0]), tuple(points), kind == "hull" or len(points) == 1)
    if kind == "box":
        lower, upper = tuple(entry["lower"]), sized(entry["upper"], len(entry["lower"]))
        if any(not 0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True)) or not sum(lower) <= 1 <= sum(upper):
            fail("the box is malformed, or holds no distribution")
        tops, bottoms = [({x: ONE}, b) for x, b in enumerate(upper)], [({x: -ONE}, -a) for x, a in enumerate(lower)]
        room = tuple(b - a for a, b in zip(lower, upper, strict=True))
        return Source(len(lower), start=lower, mass=1 - sum(lower), room=room, sides=(*tops, *bottoms))
    if kind == "ball":
        center, radius = entry["center"], entry["radius"]
        if not 0 <= radius <= 2:
            fail("the radius of a ball lies between 0 and 2")
        sides = tuple(({x: -ONE}, ZERO) for x in range(len(center)))
        return Source(len(center), start=center, mass=radius / 2, room=center, is_ball=True, sides=sides)
    if kind == "polytope":
        rows = table(entry["matrix"], len(entry["bounds"]))
        return Source(len(rows[0]), sides=tuple(zip(map(form_of, rows), entry["bounds"], strict=True)))
    if kind == "everything":
        return Source(entry)
    if universe is None or not universe.rows:
        fail("a source by rows needs databases")
    several = isinstance(entry, list)
    found = [read(read_source, part, ".rows") for part in (sized(entry, universe.rows) if several else [entry])]
    if any(row.size != universe.letters for row in found) or (several and given.get("iid", False)):
        fail("each row has a source on the values; one that all rows share (iid) stands alone")
    known, shared = all(len(row.points) == 1 for row in found), not several and given.get("iid", True)
    return Source(universe.size, convex=known, rows=tuple(found * (universe.rows // len(found))), shared=shared)


# -- The table of notions: what "the loss is at most L" says about the columns q of a mechanism ------------------------


NOTIONS: dict[str, tuple[str, Fields]] = {  # family, fields
    "differential_privacy": ("pairs", {}),
    "approximate_differential_privacy": ("pairs", {"delta": shown, "reading?": {"event", "pointwise"}}),
    "renyi_differential_privacy": ("renyi", {"order": partial(optional, shown, "infinity")}),
    "identifiability": ("identifiability", {}),
    "maximal_information": ("output", {}),
    "local_information_privacy": ("local", {"delta?": shown}),
    "maximal_leakage": ("maximal", {}),
    "min_entropy_capacity": ("maximal", {}),
    "min_entropy_leakage": ("guessing", {}),
    "mutual_information": ("information", {}),
    "capacity": ("capacity", {}),
    "sibson_mutual_information": ("sibson", {"order": partial(optional, shown, "infinity")}),
    "pointwise_leakage": ("pointwise", {}),
}
INPUTS = {"pairs": 2, "renyi": 2, "identifiability": 2, "local": 2, "output": 1, "pointwise": 1}  # in names of bounds


class Bound(NamedTuple):
    """A bound on the columns q of a mechanism; atoms are (weight, left, right).

    ratio: left(q) <= e^(L distance) right(q) + slack (times e^L if it `grows`), for each column, or, with events, for
    the sum of the positive parts of left - e^(L distance) right; distance None stands for infinity.
    The others bound the sum over columns and atoms of weight * f(q). maximum: max_x left_x q_x <= e^L; entropy:
    left log(left/right) <= L distance; power: +-left^a right^(1-a) <= +-e^((a-1) L distance); norm:
    +-(sum_x left_x q_x^a)^(1/a) <= +-e^(L (a-1)/a); + for orders a > 1, else -.
    """

    kind: str
    atoms: list[tuple[Fraction, Form, Form]]
    distance: Fraction | None = ONE
    order: Fraction = ONE
    slack: Fraction = ZERO
    grows: bool = False


class Problem(NamedTuple):
    """What is asked about: a notion, by its family and parameters, inputs, a source, and the cost d(x,y) of output y.

    Costs have a name, or stand in a matrix `costs`. At the `points` a notion is read that depends on the law.
    """

    notion: Any  # as it is written
    family: str
    order: Fraction
    delta: Fraction
    events: bool  # positive parts are added up over the outputs
    universe: Universe
    source: Source
    outputs: int
    cost: str
    costs: Sequence[Law] = ()
    points: Sequence[Form] = ()

    @property
    def is_free(self) -> bool:  # the same whatever the law of the inputs
        return self.family in ("pairs", "renyi", "maximal")

    def column(self, y: int) -> list[Fraction]:
        """The costs of an output."""
        spend(self.universe.size)
        if self.costs:
            return [-row[y] if self.cost == "gain" else row[y] for row in self.costs]
        found, letters, values = [ZERO], self.universe.letters, self.universe.values
        for row in reversed(range(self.universe.rows or 1)):  # the cost of two databases is the sum over their rows
            j = y // letters**row % letters
            gaps = [Fraction(i != j if self.cost == "hamming" else abs(v - values[j])) for i, v in enumerate(values)]
            gaps = [gap * gap for gap in gaps] if self.cost == "squared" else gaps
            found = [cost + gap for cost in found for gap in gaps]
        return found

    def names(self) -> Iterable[tuple[int, ...]]:
        """The names of all bounds at a point: the point, if the notion depends on one, and inputs, or a side."""
        wide, inputs, start = INPUTS.get(self.family, 0), range(self.universe.size), () if self.is_free else (0,)
        tails: Iterable[tuple[int, ...]] = product(inputs, range(2)) if wide == 2 else product(inputs, repeat=wide)
        if wide == 2 and self.family != "local":
            tails = (pair for clique, _ in self.universe.cliques() for pair in permutations(clique, 2))
        return ((*start, *tail) for tail in tails)

    def bound(self, name: Sequence[int]) -> Bound:
        """The bound with a name: a point, inputs; for local privacy a side."""
        family, universe, start = self.family, self.universe, int(not self.is_free)
        point, inputs, (x, z) = name[:start], name[start:], (*name[start:], 0, 0)[:2]
        known = len(name) == start + INPUTS.get(family, 0) and all(i < universe.size for i in inputs)
        require(known and all(i < len(self.points) for i in point), "no bound has this name")
        spend(1 if inputs else universe.size)
        own, one, other = self.points[point[0]] if point else {}, {x: ONE}, {z: ONE}
        columns = Fraction(sum(universe.sizes) or 1)
        if family in ("pairs", "renyi", "identifiability"):
            if family == "identifiability":
                one, other = ({i: own[i]} if i in own else {} for i in (x, z))
            kind = "ratio" if family != "renyi" else "entropy" if self.order == 1 else "power"
            return Bound(kind, [(ONE, one, other)], universe.distance(x, z), self.order, self.delta)
        if family == "local":
            require(z < 2, "no bound has this name")
            return Bound("ratio", [(ONE, one, own) if z else (ONE, own, one)], slack=self.delta, grows=z == 1)
        if family in ("output", "pointwise"):
            return Bound("ratio" if family == "output" else "entropy", [(ONE, one, own)])
        if family in ("maximal", "guessing"):  # what stands for several inputs is as likely as they are one by one
            even = family == "maximal" or universe.sizes
            entries = dict.fromkeys(range(universe.size), ONE) if even else own
            most = max(entries.values())
            return Bound("maximum", [(columns, {i: p / most for i, p in entries.items()}, {})])
        if family == "sibson":
            return Bound("norm", [(columns, own, own)], order=self.order)
        return Bound("entropy", [(columns * p, {i: ONE}, own) for i, p in own.items()])

    def ratio(self, name: Sequence[int], level: Level) -> Bound:
        """A ratio bound; one that follows from a sum is named by it, the number of an atom (an input), and a side."""
        if self.family in ("pairs", "identifiability", "output", "local"):
            return self.bound(name)
        require(len(name) >= 2, "no bound has this name")
        *rest, k, side = name
        bound = self.bound(rest)
        entries: list[tuple[Form, Form]] = [({x: ONE}, right) for _, left, right in bound.atoms for x in left]
        require(bound.kind != "maximum" and k < len(entries) and side < 2, "no bound has this name")
        left, right = entries[k][::-1] if side else entries[k]
        finite = bound.kind == "entropy" or (bound.kind == "power" and bound.order > 1)
        require(level == NOTHING or (finite and not side), "such a ratio follows at level zero only")
        # At level zero a divergence vanishes: what it compares is equal. Finite: where the right is zero, the left is.
        return Bound("ratio", [(ONE, left, right)], ZERO if level == NOTHING else None)

    def scale(self) -> Form:
        """Scales where the bounds say scale_x q_x <= e^L scale_z q_z + delta for all inputs x and z."""
        full = self.family == "identifiability" and [len(own) for own in self.points] == [self.universe.size]
        every = self.universe.edges is None and not self.universe.rows and (full or self.family == "pairs")
        require(every, "spread needs a bound between all inputs")
        return self.points[0] if full else dict.fromkeys(range(self.universe.size), ONE)

    def by_distances(self) -> Problem:
        """Databases up to symmetry: Q(y|x) = f(l) if x and y differ in l rows: f is the one column of a mechanism.

        Input l stands for the N_l of the M databases at distance l; the uniform law gives N_l / M to them.
        """
        universe, n, sizes = self.universe, self.universe.rows, [1]
        known = self.family not in ("renyi", "identifiability", "local", "pointwise") and not self.events
        require(known and n > 0 and universe.letters > 1, "this notion or these inputs have no distances")
        require(self.cost == "hamming", "distances need Hamming's cost")
        spend(n * (1 + universe.size.bit_length() // 64))
        for row in range(n):
            sizes.append(sizes[-1] * (n - row) * (universe.letters - 1) // (row + 1))
        path = Universe(n + 1, n + 1, 0, (), {(k, k + 1): ONE for k in range(n)}, tuple(sizes))
        point = {k: Fraction(size, universe.size) for k, size in enumerate(sizes)}
        costs = [(Fraction(k),) for k in range(n + 1)]
        return self._replace(universe=path, outputs=1, cost="matrix", costs=costs, points=[point])


def read_notion(value: Any, smaller: Fraction | None = None) -> Fields:
    """A notion by its family; orders that are limits are read as the notion that they are. Divergences and informations
    grow with their order: whoever keeps a notion keeps it at a smaller order."""
    family, fields = NOTIONS[read(set(NOTIONS), value.get("name") if isinstance(value, dict) else None, ".name")]
    given = read({"name": LATER, **fields}, value)
    a, slack = given.get("order", ONE), given.get("delta", ZERO)
    if not 0 <= slack <= 1 or (a is not None and a <= 0):
        fail("an order is positive, and a delta lies between 0 and 1")
    if smaller is not None:
        require("order" in given and smaller > 0 and (a is None or smaller <= a), "no smaller order of the notion")
        a = smaller
    limits = {"renyi": "pairs", "sibson": "maximal"} if a is None else {"sibson": "information"} if a == 1 else {}
    events = slack > 0 and given.get("reading") != "pointwise"
    return {"family": limits.get(family, family), "order": a or ONE, "delta": slack, "events": events}


COST: tuple[Fields, ...] = ({"matrix": [[shown]]}, {"gain": [[shown]]}, {"name": {"hamming", "absolute", "squared"}})


def read_problem(value: Any) -> Problem:
    given = read({"notion": LATER, "source": LATER, "distortion": COST, "universe?": read_universe}, value)
    universe = given.get("universe")
    source = read(partial(read_source, universe=universe), given["source"], ".source")
    universe = universe or Universe(source.size, source.size, 0, range(source.size))
    if source.size != universe.size:
        fail("the source has another size than the universe")
    ((cost, entry),) = given["distortion"].items()
    costs = table(entry, universe.size) if cost != "name" else []
    if cost == "matrix" and any(min(row) < 0 for row in costs):
        fail("a cost is negative")
    notion, outputs = read(read_notion, given["notion"], ".notion"), len(costs[0]) if costs else universe.size
    return Problem(
        given["notion"],
        **notion,
        universe=universe,
        source=source,
        outputs=outputs,
        cost=entry if cost == "name" else cost,
        costs=costs,
    )


# -- Excluded: adding up constraints -----------------------------------------------------------------------------------

NUMBERS: Fields = {"loss": loss, "distortion": limit, "digits?": partial(whole, least=10, most=2000)}
MIXTURE = [(number, LATER)]
OPEN: Fields = {"open": {"loss", "distortion"}, "uniform?": MIXTURE, **NUMBERS}
STEP = {
    "laws?": [[LATER]],
    "ratios?": [[LATER]],
    "sums?": [([whole], number, LATER)],
    "rows?": [number],
    "spread?": {True},
}
EXCLUDED: tuple[Fields, ...] = (
    {"rows": [({"source": read_source, "excluded": LATER}, count)], **OPEN},
    {"order?": number, "points?": [MIXTURE], "symmetry?": {"distances"}, "steps?": [STEP], **OPEN},
)


def member(entry: Any, source: Source, listed: Source) -> Law:
    """A law of a source: written out, or the number of one that the source of the problem lists."""
    spend(source.size)
    if type(entry) is int:
        return listed.points[whole(entry, most=len(listed.points) - 1)]
    found: Law = sized(law(entry), source.size)
    require(source.contains(found), "a distribution is not in the source")
    return found


def mixture(parts: list[Any], source: Source, listed: Source, mixes: bool) -> Law:
    """A mixture [[weight, law], ...] of members of a source; of one alone unless mixtures are allowed."""
    spend(8 * source.size)  # a point is kept
    weights, laws = [weight for weight, _ in parts], [member(entry, source, listed) for _, entry in parts]
    require(sum(weights) == 1 and min(weights) >= 0, "the weights of a mixture are no distribution")
    require(mixes or len(parts) == 1, "the laws of this source may not be mixed")
    return tuple(dot(weights, column) for column in zip(*laws, strict=True))


def check_excluded(problem: Problem, value: Any) -> Fields:
    """Verify that no mechanism is as good as claimed; the claim."""
    given: Fields = read(EXCLUDED, value)
    universe, source = problem.universe, problem.source
    use_digits(given.get("digits", 60))
    if "rows" in given:
        check_rows(problem, given, "excluded")
        return given
    if "order" in given:
        problem = problem._replace(**read_notion(problem.notion, given["order"]))
    if "symmetry" in given:
        require(not given.get("points"), "by distances a notion is read at the uniform distribution")
        problem = problem.by_distances()
        spend(universe.letters)
        check_product(problem, given, [(Fraction(1, universe.letters),) * universe.letters] * universe.rows)
    else:
        laws = Source(universe.size) if problem.family == "capacity" else source
        points = [mixture(parts, laws, source, laws.convex) for parts in given.get("points", [])]
        problem = problem._replace(points=[form_of(point) for point in points])
    done = given["open"] == "loss" and given["loss"] == NOTHING  # a loss is never negative
    spend(problem.universe.size + problem.outputs)
    zeros = [set[int]()] * problem.outputs  # by output, inputs that do not give it
    for step in given.get("steps", []):
        require(not done, "there are steps after the contradiction")
        done, zeros = Step(problem, given, zeros).take(step)
    require(done, "the steps end without a contradiction")
    return given


place = partial(optional, number, None)


class Step:
    """A sum of constraints, and the entries that are known to vanish before it, by output."""

    def __init__(self, problem: Problem, claim: Fields, zeros: list[set[int]]) -> None:
        self.problem, self.zeros, self.is_open = problem, zeros, claim["open"] == "loss"
        self.level, self.limit = claim["loss"], claim["distortion"]
        self.total, self.is_strict = ZERO, False
        spend(32 * len(zeros))
        self.extra: list[Form] = [{} for _ in zeros]  # coefficients, beside weight * cost - price
        self.rising: list[set[int]] = [set() for _ in zeros]  # on the right of ratio bounds that grow with the loss
        self.output = partial(whole, most=len(zeros) - 1)
        self.conjugate: tuple[Fraction, Form] | None = None

    def add(self, y: int, form: Form, amount: Fraction) -> None:
        spend(len(form) - 1)
        for x, c in form.items():
            self.extra[y][x] = self.extra[y].get(x, ZERO) + amount * c

    def take(self, step: Fields) -> tuple[bool, list[set[int]]]:
        """Whether the step ends in a contradiction, and what is known to vanish after it."""
        sizes, source = self.problem.universe.sizes, self.problem.source
        weight = [ZERO] * self.problem.universe.size
        for entry in step.get("laws", []):  # w * (mean cost) <= w D
            w, *laws = sized(entry, 1 if sizes else 2)
            m, p = number(w), member(laws[0], source, source) if laws else tuple(map(Fraction, sizes))
            require(not self.limit.infinite and m >= 0, "a weight is negative, or the distortion infinite")
            weight = [a + m * b for a, b in zip(weight, p, strict=True)]
            self.total, self.is_strict = self.total + m * self.limit.value, self.is_strict or m > 0
        self.is_strict = self.is_strict and not self.is_open
        self.add_ratios(step.get("ratios", []))
        for name, s, tangents in step.get("sums", []):
            self.add_sum(self.problem.bound(name), s, tangents)
        rows = 1 if sizes else len(weight)
        prices = sized(step.get("rows", [ZERO] * rows), rows)
        self.total -= sum(prices, ZERO)
        after = self.judge(weight, [prices[0] * n for n in sizes] or prices, "spread" in step)
        require(self.total <= 0, "a step leaves room, so that nothing follows")
        return self.total < 0 or self.is_strict, after

    def add_ratios(self, entries: list[list[Any]]) -> None:
        """m (left - e^(L distance) right) <= m slack; over events only the output with the largest multiple pays."""
        require(not entries or not self.level.infinite or self.is_open, "an infinite loss bounds nothing")
        paid: dict[Any, tuple[Fraction, Form]] = {}
        for entry in entries:
            *names, output, multiple = entry if len(entry) > 2 else fail("a ratio has a name, an output and a multiple")
            name, y, m = [whole(part) for part in names], self.output(output), number(multiple)
            bound = self.problem.ratio(name, self.level)
            ((_, left, right),), distance = bound.atoms, bound.distance
            require(m >= 0, "a multiplier is negative")
            self.add(y, left, m)
            if self.level.infinite or distance is None:
                require(right.keys() <= self.zeros[y], "where e^L has no bound, what stands beside it must vanish")
            else:
                self.add(y, right, -m * self.growth(distance))
                self.rising[y].update(right if self.is_open and m > 0 and distance > 0 else ())
            if bound.slack:
                slack = bound.slack * (self.growth() if bound.grows else ONE)
                cells = paid.setdefault(tuple(name) if self.problem.events else len(paid), (slack, {}))[1]
                cells[y] = cells.get(y, ZERO) + m
        self.total += sum((slack * max(cells.values()) for slack, cells in paid.values()), ZERO)

    def growth(self, rate: Fraction = ONE) -> Fraction:
        return NOTHING.plus(self.level, rate).exp()[1]

    def add_sum(self, bound: Bound, s: Fraction, tangents: Any) -> None:
        """s times the tangents of a sum <= s b(L); powers and norms are divided by |b(L)|."""
        require(bound.kind != "ratio" and s > 0, "no sum bound, or its multiplier is not positive")
        kind, a, sign, level = bound.kind, bound.order, ONE if bound.order > 1 else -ONE, self.level
        distance, (weight, own, _) = bound.distance or ONE, bound.atoms[0]
        self.is_strict = self.is_strict or (self.is_open and not level.infinite)
        if kind in ("power", "norm"):  # at any finite loss: only if no tangent depends on it
            self.total += s * sign
        else:
            self.total += s * (self.growth() if kind == "maximum" else level.pair()[1] * distance)
        if tangents == "conjugate":
            require(self.conjugate is None and self.problem.family in ("information", "capacity"), "no conjugate")
            self.conjugate = s, {x: w for w, left, _ in bound.atoms for x in left}
        elif kind == "maximum":
            shares: Form = {}
            for y, x, share in read([(self.output, whole, number)], tangents):
                shares[y] = shares.get(y, ZERO) + share
                require(share >= 0 and shares[y] <= 1 and x in own, "no mixture of the entries of a maximum")
                self.add(y, {x: own[x]}, s * weight * share)
        elif kind == "norm":
            for y, column in enumerate(read(((place,) * len(own),) * len(self.zeros), tangents)):
                f = {x: r for x, r in zip(own, column, strict=True) if r is not None or x not in self.zeros[y]}
                require(all(r is not None and r >= 0 and (r > 0 or a > 1) for r in f.values()), "no place")
                most = max(f.values(), default=ZERO)
                inner = norm([own[x] for x in f], list(f.values()), a) if most else (ONE, ONE)
                unit = scaled(inner, (1 - a) / a, level, (1 - a) / a) if most else inner
                for x, r in f.items():
                    slope = log_of(r / most, a - 1).exp() if r else (ZERO, ZERO)
                    self.add(y, {x: own[x]}, s * weight * times((slope[0] * unit[0], slope[1] * unit[1]), sign)[0])
        else:
            rows = read(((place,) * len(self.zeros),) * len(bound.atoms), tangents)
            for k, y in product(range(len(rows)), range(len(self.zeros))):
                self.add_tangent(bound, k, s, y, rows[k][y])

    def add_tangent(self, bound: Bound, k: int, s: Fraction, y: int, r: Fraction | None) -> None:
        """The tangent of an entropy or a power where left is r times right."""
        (weight, left, right), a = bound.atoms[k], bound.order
        gone = [form.keys() <= self.zeros[y] for form in (left, right)]
        if r is None and (gone[0] or (gone[1] and bound.kind == "power" and a < 1)):
            return
        if r is None or r <= 0:
            raise Refused("a place is not positive")
        up, down = 1 + ln(r)[0], -r
        if bound.kind == "power":
            slope = times(scaled((r, r), a - 1, self.level, (bound.distance or ONE) * (1 - a)), ONE if a > 1 else -ONE)
            up, down = times(slope, a)[0], times(slope, (1 - a) * r)[0]
        self.add(y, left, s * weight * up)
        self.add(y, right, s * weight * down)

    def judge(self, weight: Sequence[Fraction], prices: Sequence[Fraction], spread: bool) -> list[set[int]]:
        """Test the coefficients of each column, over the entries that may be positive: what vanishes if the total does.

        Spread: with l the least scale_x q_x of a column, the positive parts of c / scale are worth at least l times
        their sum, the negative ones at most e^L l + slack times theirs. Conjugate: by the log-sum inequality,
        s I(q) + c.q >= -s q(y) log(sum of p e^(-c/(s p))).
        """
        scale, growth = (self.problem.scale(), self.growth()) if spread else ({}, ZERO)
        joins, after = not self.conjugate and (self.is_open or not spread), list[set[int]]()
        for y, known in enumerate(self.zeros):
            cost = zip(weight, self.problem.column(y), prices, strict=True)
            column = [w * d - price for w, d, price in cost]
            for x, c in self.extra[y].items():
                column[x] += c
            live = [(x, c) for x, c in enumerate(column) if x not in known]
            if spread:
                negative = sum((-c / scale[x] for x, c in live if c < 0), ZERO)
                passes = sum((c / scale[x] for x, c in live if c > 0), ZERO) >= growth * negative
                self.total += self.problem.delta * negative
            elif self.conjugate:
                s, own = self.conjugate
                exponents = ((own[x], max(-c / (s * own[x]), Fraction(-5 * UP.prec))) for x, c in live if x in own)
                spent = sum((w * exp((exponent, exponent))[1] for w, exponent in exponents), ZERO)
                passes = spent <= sum(own.values(), ZERO) and all(c >= 0 or x in own for x, c in live)
            else:
                passes = all(c >= 0 for _, c in live)
            require(passes, f"the coefficients of output {y} do not pass the test, so that nothing follows")
            after.append(known | self.rising[y] | {x for x, c in live if joins and c > 0})
        return after


# -- Attained: a mechanism keeps to every bound ------------------------------------------------------------------------

TOO_MUCH = "the mechanism loses more than claimed"
HINTS: Fields = {"output?": [number], "envelope?": {True}, "shares?": [(number, whole)], "multipliers?": [[number]]}
PARTS: Fields = {"diagonal": [number], "left": [number], "right": [number]}  # Q(x|x), and Q(y|x) as a product
ATTAINED: tuple[Fields, ...] = (
    {"rows": [({"source": read_source, "attained": LATER}, count)], **NUMBERS},
    {"mechanism": ({"rows": [[number]]}, {"distances": [number]}, PARTS), "cells?": [LATER], **HINTS, **NUMBERS},
)
TREE: tuple[Fields, ...] = ({"cut": (whole, whole, whole, number), "cells": (LATER, LATER)}, HINTS)


def check_attained(problem: Problem, value: Any) -> Fields:
    """Verify that a mechanism is as good as claimed; the claim."""
    given: Fields = read(ATTAINED, value)
    universe, source, outputs = problem.universe, problem.source, problem.outputs
    use_digits(given.get("digits", 60))
    level, limit, mechanism = given["loss"], given["distortion"], given.get("mechanism", {})
    if not mechanism:
        check_rows(problem, given, "attained")
        return given
    if "distances" in mechanism:  # all inputs are alike, and informations largest at the uniform law
        problem, f = problem.by_distances(), tuple(sized(mechanism["distances"], universe.rows + 1))
        known = all(len(row.points) == 1 and len(set(row.points[0])) == 1 for row in source.rows or (source,))
        require(known or problem.family != "output" or level.infinite, "not the uniform distribution")
        rows, outputs = [tuple(n * q for n, q in zip(problem.universe.sizes, f, strict=True))], len(f)
    elif "rows" in mechanism:
        rows = table(mechanism["rows"], universe.size)
    else:  # Q(x|x) = diagonal(x), Q(y|x) = left(x) right(y)
        spend(universe.size**2)
        diagonal, left, right = (sized(mechanism[name], universe.size) for name in PARTS)
        rows = [tuple(diagonal[x] if x == y else u * v for y, v in enumerate(right)) for x, u in enumerate(left)]
    for x, row in enumerate(rows):
        lawful = len(row) == outputs and min(row) >= 0 and sum(row) == 1
        require(lawful, f"row {x} of the mechanism is no distribution on the outputs")
    if problem.points:  # by distances: one row for all
        leaves = iter([(Source(1), dict[str, Any]())])
        columns, expected = [f], [dot(rows[0], problem.column(0))]
    else:
        leaves, columns, expected = leaves_of(source, given), list(zip(*rows, strict=True)), [ZERO] * len(rows)
        for y, column in enumerate(columns):
            expected = [e + q * d if q else e for e, q, d in zip(expected, column, problem.column(y), strict=True)]
    is_free = problem.is_free or bool(problem.points)
    if is_free:
        Mechanism(problem, columns, level, source, given).check_bounds()
    for laws, hints in leaves:
        leaf = laws._replace(multipliers=iter(hints.get("multipliers", [])))
        enough = limit.infinite or leaf.largest(expected) <= limit.value
        require(enough, "the mechanism has more distortion than claimed")
        if not is_free and not level.infinite:
            Mechanism(problem, columns, level, leaf, hints).check_loss()
        require(next(leaf.multipliers, None) is None, "multipliers are left over")
    return given


def excess(terms: Sequence[tuple[Fraction, ...]], a: Fraction, level: Level, distance: Fraction = ONE) -> Level | None:
    """The sum of weight * f(p, r) less its bound: p log(p/r) and L distance, or +-p^a r^(1-a) and +-1, in units of
    e^((a-1) L distance), rounded up; None if it is infinite."""
    if a >= 1 and any(p and not r for _, p, r in terms):
        return None
    logs, sign, above = dict[Fraction, Fraction](), ONE if a > 1 else -ONE, ZERO
    for weight, p, r in terms:
        if p and r and a == 1:
            logs[p / r] = logs.get(p / r, ZERO) + weight * p
        elif p and r:
            above += times(log_of(p / r, a - 1).plus(level, distance * (1 - a)).exp(), sign * weight * p)[1]
    return Level(ZERO, logs).plus(level, -distance) if a == 1 else Level(above - sign)


class Mechanism(NamedTuple):
    """The columns of a mechanism, the loss claimed, a set of laws, and hints of the document for suprema over it."""

    problem: Problem
    columns: Sequence[Law]
    level: Level
    source: Source
    hints: Fields

    def check_bounds(self, *extremes: Law) -> None:
        """Every bound, at the point of the problem; `extremes`: the least and largest probabilities of the outputs."""
        problem, columns, level = self[:3]
        if level.infinite:
            return
        family, own = problem.family, problem.points[0] if problem.points else {}
        spend((problem.universe.size + len(own)) * len(columns))
        least, most = extremes or ([of(own, q) for q in columns],) * 2
        if family == "identifiability" or (family == "pairs" and not problem.events):
            for clique, distance in problem.universe.cliques():  # among many inputs the extremes decide
                spend(len(clique) * len(columns))
                growth = NOTHING.plus(level, distance).exp()[0]
                for q in columns:
                    values = [q[x] * own.get(x, ZERO) if family != "pairs" else q[x] for x in clique]
                    require(max(values) <= growth * min(values) + problem.delta, TOO_MUCH)
            return
        for kind, atoms, far, a, slack, grows in map(problem.bound, problem.names()):
            distance, (weight, left, _), sign = far or ONE, atoms[0], ONE if a > 1 else -ONE
            spend(16 + len(columns) * (len(atoms) + len(left)))
            growth = NOTHING.plus(level, distance).exp()[0] if kind in ("ratio", "maximum") else ONE
            if kind == "maximum":
                require(weight * sum(max(c * q[x] for x, c in left.items()) for q in columns) <= growth, TOO_MUCH)
            elif kind == "norm":
                total = ZERO
                for entries in ([q[x] for x in left] for q in columns):
                    inner = norm(left.values(), entries, a) if any(entries) else (ONE, ONE)
                    total += times(scaled(inner, 1 / a, level, (1 - a) / a), sign * weight * max(entries))[1]
                require(total <= sign, TOO_MUCH)
            else:
                terms = [
                    (w, most[y] if p is own else of(p, q), least[y] if r is own else of(r, q))
                    for w, p, r in atoms
                    for y, q in enumerate(columns)
                ]
                over = [p - growth * r for _, p, r in terms]
                worst = sum(max(e, ZERO) for e in over) if problem.events else max(over)
                found = (
                    excess(terms, a, level, distance)
                    if kind != "ratio"
                    else Level(worst - slack * (growth if grows else 1))
                )
                require(found is not None and found.at_most(NOTHING), TOO_MUCH)

    def check_loss(self) -> None:
        """The bounds of a notion that depends on the law of the inputs, under every law of the set."""
        family, source = self.problem.family, self.source
        source = Source(source.size) if family == "capacity" else source
        listed = len(source.points) == 1 or (source.points and not source.convex)
        if family == "guessing" and not listed:
            self.check_guessing()
        elif family in ("information", "capacity", "sibson") and not listed:
            self.check_information(source)
        elif family in ("output", "local", "pointwise") and not listed and "envelope" in self.hints:
            ends = [
                (-source.largest([-p for p in q]), source.largest(q) if family == "local" else ZERO)
                for q in self.columns
            ]
            problem = self.problem._replace(points=[{0: ONE}])
            self._replace(problem=problem).check_bounds(*zip(*ends, strict=True))
        else:  # convex in the law: at the corners
            for point in source.corners():
                self._replace(problem=self.problem._replace(points=[form_of(point)])).check_bounds()

    def check_information(self, source: Source) -> None:
        """An information is at most the worst mean divergence of the rows from any law r of the output."""
        require("output" in self.hints, "over this source a distribution of the outputs is needed")
        r, costs = sized(self.hints["output"], len(self.columns)), list[Level]()
        require(min(r) >= 0 and sum(r) == 1, "the distribution of the outputs is none")
        for x, row in enumerate(zip(*self.columns, strict=True)):
            spend(len(row))
            found = excess([(ONE, q, s) for q, s in zip(row, r, strict=True)], self.problem.order, self.level)
            if found is None:  # then no law may use the input
                require(source.largest([Fraction(k == x) for k in range(source.size)]) <= 0, TOO_MUCH)
            costs.append(found or NOTHING.plus(self.level, -ONE))
        each = all(cost.at_most(NOTHING) for cost in costs)
        require(each or source.largest([cost.pair()[1] for cost in costs]) <= 0, TOO_MUCH)

    def check_guessing(self) -> None:
        """sum_y max_x p(x) q(x) <= e^L max p over a convex source."""
        source, size, laws = self.source, self.source.size, list[tuple[Sequence[Fraction], Fraction]]()
        spend(size**2)
        if "shares" in self.hints:  # p(x) <= w(x) p(k) for an input k
            for x, (w, k) in enumerate(sized(self.hints["shares"], size)):
                bounded = k == x or source.largest([Fraction(j == x) - w * (j == k) for j in range(size)]) <= 0
                require(w >= (k == x) and bounded and k < size, "a share is too small")
            laws = [([w for w, _ in self.hints["shares"]], ONE)]
        else:  # convex where one input k is the likeliest
            for k in range(size):
                less = [({x: ONE, k: -ONE}, ZERO) for x in range(size) if x != k]
                laws += [(law, law[k]) for law in source.corners(*less)]
        for law, most in laws:
            spend(size * len(self.columns))
            total = sum(max(p * e for p, e in zip(law, q, strict=True)) for q in self.columns)
            require(total <= self.level.exp()[0] * most, TOO_MUCH)


def leaves_of(source: Source, given: Fields) -> Iterator[tuple[Source, Fields]]:
    """Sets of laws that cover a source, with what the document offers for each.

    Laws of independent rows are covered by cells: for each row (for all, if shared) laws whose mixtures are possible.
    """
    if not source.rows:
        require("cells" not in given, "cells are for rows")
        yield source, given
        return
    rows = source.rows[:1] if source.shared else source.rows
    choices = [[row.corners()] if row.convex else [[law] for law in row.points] for row in rows]
    spend(prod(map(len, choices)))
    trees = given.get("cells", [{}] * prod(map(len, choices)))
    require(len(trees) == prod(map(len, choices)), "there is not a tree of cells for each choice of the rows")
    for cell, tree in zip(product(*choices), trees, strict=True):
        leaves = cells_of(source, list(cell), tree)
        yield from leaves if "cells" in given else ((leaf, given) for leaf, _ in leaves)


def cells_of(source: Source, cell: list[list[Law]], tree: Any) -> Iterator[tuple[Source, Fields]]:
    """The leaves of a tree: the hull of mean products of laws of the cell holds all products of their mixtures.

    A cut at c = t v_i + (1 - t) v_j: a mixture that uses v_i and v_j is one of c and only one of the two.
    """
    given = read(TREE, tree, ".cells")
    if "cut" in given:
        row, i, j, t = given["cut"]
        require(row < len(cell) and max(i, j) < len(cell[row]) and i != j and 0 < t < 1, "no cut between two laws")
        middle = tuple(t * a + (1 - t) * b for a, b in zip(cell[row][i], cell[row][j], strict=True))
        for gone, part in zip((i, j), given["cells"], strict=True):
            laws = [middle if k == gone else law for k, law in enumerate(cell[row])]
            yield from cells_of(source, [*cell[:row], laws, *cell[row + 1 :]], part)
        return
    n, points = len(source.rows), list[Law]()
    if source.shared and len(cell[0]) > 1:
        for chosen in combinations_with_replacement(cell[0], n):
            spend(factorial(n))
            orders = [joint(order) for order in set(permutations(chosen))]
            points.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
    else:
        points = [joint(laws * (n if source.shared else 1)) for laws in product(*cell)]
    yield Source(source.size, tuple(points)), given


# -- Databases of independent rows: a claim about each kind of row -----------------------------------------------------


def check_product(problem: Problem, given: Fields, laws: list[Law]) -> None:
    """The product of the laws of rows is in the source, or the mixture `uniform` of its members if that is as good."""
    source = problem.source
    if "uniform" not in given:
        require(source.holds(laws), "rows with these distributions are not in the source")
        return
    mean = mixture(given["uniform"], source, source, source.convex or problem.is_free)
    require(mean == joint(laws), "the mixture is another distribution than that of the rows")


def check_rows(problem: Problem, claim: Fields, name: str) -> None:
    """[[{"source": ..., name: claim}, count], ...], rows in order; the rest of their problem is that of the database.

    Attained: rows treated one by one. Distortions add up; of the losses the largest counts, or informations add up.
    Excluded: averaging over the other rows, and ignoring their answers, leaves a mechanism on a row that loses no more.
    So at one level the distortion is at least the sum of what the rows exclude. Mutual informations of rows add up to
    at most that of the database, and n equal rows do no better than n times their mean, by convexity.
    """
    family, universe, source, parts = problem.family, problem.universe, problem.source, claim["rows"]
    require(universe.rows > 0 and not problem.costs, "rows need databases and a cost that has a name")
    require(sum(number for _, number in parts) == universe.rows, "there is not a part for each row")
    row = universe._replace(size=universe.letters, rows=0)
    adds_up, each = family in ("information", "capacity", "maximal"), family in ("pairs", "renyi", "identifiability")
    if name == "attained":
        each = each and (family != "identifiability" or bool(source.rows))
        expected = source.rows or (Source(row.size),) * universe.rows
        same = expected == tuple(part["source"] for part, number in parts for _ in range(number))
        require(same, "a row is about another source")
    else:
        adds_up = family == "information" and len(parts) == 1
        each = each and problem.events == (problem.delta > 0)
        known = all([len(law) for law in part["source"].points] == [row.size] for part, _ in parts)
        require(known, "a row is excluded under one distribution of the values")
        check_product(problem, claim, [law for part, number in parts for law in part["source"].points * number])
    require(adds_up or each, "what is claimed does not follow from the rows")
    total, distortion, is_open = NOTHING, NOTHING, False
    for part, number in parts:
        inner = problem._replace(universe=row, source=part["source"], outputs=row.size)
        found = read(partial(CHECKS[name], inner), part[name], ".rows")
        distortion = distortion.plus(found["distortion"], Fraction(number))
        total = total.plus(found["loss"], Fraction(number)) if adds_up else found["loss"]
        is_open = is_open or found.get("open") == "loss"
        covers = total.at_most(claim["loss"]) if name == "attained" else claim["loss"].at_most(total)
        covers = covers and (claim.get("open") == "loss" or not is_open)
        require(covers, "the losses do not follow from those of the rows")
    strictly = claim.get("open") == "loss" and not is_open
    enough = distortion.infinite > 0 or claim["distortion"].at_most(distortion, strictly)
    enough = distortion.at_most(claim["distortion"]) if name == "attained" else enough
    require(enough, "the distortion does not follow from those of the rows")


CHECKS = {"attained": check_attained, "excluded": check_excluded}


# -- Documents: proofs, answers, curves --------------------------------------------------------------------------------

CLAIMS: Fields = {"attained?": LATER, "excluded?": LATER}
ENDS: Fields = {"at": LATER, "lower": LATER, "upper": LATER, "lower_exact?": LATER, "upper_exact?": LATER}
ENDS |= dict.fromkeys(("method?", "theorem?", "status?"), words)
PROOF: Fields = {"problem": read_problem, "schema": {"epstar/proof/2"}, **CLAIMS}
ANSWER: Fields = {"unit": LATER, "proof": PROOF, "schema": {"epstar/answer/2"}, **ENDS}
POINTS: Fields = {"points": [{**ENDS, **CLAIMS}], "asks": {"loss", "distortion"}, "unit": LATER}
CURVE: Fields = {"problem": read_problem, "schema": {"epstar/curve/2"}, **POINTS}
AT: tuple[Fields, ...] = ({"loss": partial(loss, loose=True)}, {"distortion": partial(limit, loose=True)})


def check_claims(problem: Problem, given: Fields) -> dict[str, Fields]:
    """Verify the claims of a proof, or of a point of a curve."""
    found = ((name, partial(check, problem)) for name, check in CHECKS.items() if name in given)
    return {name: read(check, given[name], f".{name}") for name, check in found}


def written(level: Level) -> str:
    (exact,) = level.logs or [level.value]
    text = str(exact) if bits(exact) < 256 else f"{decimal(exact, DOWN):.17g}..."
    return "infinity" if level.infinite else f"log({text})" if level.logs else text


def read_end(is_exact: bool, value: Any) -> Level:
    """An end of an answer: a number as in claims if it is exact, else the binary number that JSON is read as."""
    if value in ("infinity", "-infinity"):
        return Level(infinite=1 if value == "infinity" else -1)
    if is_exact:
        return loss(value) if str(value).startswith("log(") else Level(number(value))
    if type(value) not in (int, Decimal) or abs(Decimal(str(value))) > Decimal("1e308"):
        fail("a JSON number or infinity was expected")
    return Level(Fraction(float(str(value))))


def check_answer(problem: Problem, given: Fields) -> dict[str, Fields]:
    """Verify the claims of an answer at a distortion, or at a loss, and that its ends follow as they stand."""
    claims = check_claims(problem, given)
    use_digits()
    ((asked, at),) = read(AT, given["at"], ".at").items()
    asks_loss = asked == "distortion"
    turned = problem.cost == "gain" and not asks_loss  # a utility is minus a distortion
    least = Level(infinite=-1) if turned else NOTHING
    read({"utility" if turned else "nats" if asks_loss else "distortion"}, given["unit"], ".unit")
    for name in sorted({"lower", "upper", "lower_exact", "upper_exact"} & given.keys()):
        is_lower, is_exact = name.startswith("lower") != turned, name.endswith("exact")
        end = NOTHING.plus(read(partial(read_end, is_exact), given[name], f".{name}"), -ONE if turned else ONE)
        claim, trivial = claims.get("excluded" if is_lower else "attained"), least if is_lower else INFINITY
        if not is_exact and (end.at_most(least) if is_lower else end == INFINITY):
            continue
        if claim is None:
            require(end == trivial, f"{name} follows from no claim")
            continue
        proven, theirs = claim["loss" if asks_loss else "distortion"], claim[asked]
        covers = at.at_most(theirs, claim["open"] == asked) if is_lower else theirs.at_most(at)
        require(covers, f"the claim behind {name} does not cover the question")
        below = end.at_most(proven) or not (is_lower or is_exact)
        above = proven.at_most(end) or (is_lower and not is_exact)
        require(below and above, f"{name} does not follow from what is claimed")
    return claims


def check_document(value: Any) -> list[str]:
    """Verify a proof; an answer: its proof, and its ends; or a curve: claims and ends at many points of one problem."""
    schema = value.get("schema") if isinstance(value, dict) else None
    kind = {"epstar/curve/2": CURVE, "epstar/answer/2": ANSWER}.get(schema if isinstance(schema, str) else "", PROOF)
    given = read(kind, value)
    if kind is CURVE:
        other = "distortion" if given["asks"] == "loss" else "loss"
        for k, point in enumerate(given["points"]):
            if len(point) > 3 or point["lower"] is not None or point["upper"] is not None:
                answer = {**point, "unit": given["unit"], "at": {other: point["at"]}}
                read(partial(check_answer, given["problem"]), answer, f".points[{k}]")
        return [f"the least {given['asks']} lies between the ends at all {len(given['points'])} points that have ends"]
    proof = given.get("proof", given)
    claims = (check_answer if kind is ANSWER else check_claims)(proof["problem"], {**given, **proof})
    if not claims:
        fail("a proof claims something")
    words = ["the ends of the answer follow"] if kind is ANSWER else []
    for name, claim in reversed(claims.items()):
        ends = [
            f"{end} {'<' if claim.get('open') == end else '<='} {written(claim[end])}" for end in ("loss", "distortion")
        ]
        words.insert(0, f"{'a' if name == 'attained' else 'no'} mechanism has {' and '.join(ends)}")
    return words


def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise Unreadable("a field stands twice in one object")
    return dict(pairs)


def check(content: bytes) -> list[str]:
    """The statements that a document proves; raises Refused or Unreadable."""
    Work.left, Work.common, Work.length, Work.place = FREE + MULTIPLE * len(content), 1, 0, []
    rational.cache_clear()
    if len(content) > MOST_BYTES or content.count(b"[") + content.count(b"{") > MOST_LISTS:
        raise Unreadable(f"it has more than {MOST_BYTES} bytes or {MOST_LISTS} lists and objects")
    try:
        text = content.decode()
        document = json.loads(text, parse_float=Decimal, parse_constant=fail, object_pairs_hook=unrepeated)
        if "\\ud" in text.lower():  # half a character cannot be encoded
            json.dumps(document, ensure_ascii=False, default=str).encode()
    except (ValueError, RecursionError, DecimalException):
        raise Unreadable("it is no valid JSON in UTF-8") from None
    return check_document(document)


def give_up(seconds: float) -> None:
    print(f"cannot tell: the time limit of {seconds:g} seconds passed", file=sys.stderr, flush=True)
    os._exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Check a proof of epstar with the standard library alone.")
    parser.add_argument("document", help="an answer, a curve or a proof in JSON; - for standard input")
    parser.add_argument("--seconds", type=float, default=600.0, help="give up after this long (default: 600)")
    options = parser.parse_args(arguments)
    watch = threading.Timer(options.seconds, give_up, [options.seconds])
    watch.daemon = True
    watch.start()
    try:
        with sys.stdin.buffer if options.document == "-" else Path(options.document).open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        print("yes: " + "; ".join(check(content)))
        return 0
    except Refused as error:
        print(f"no: {error}")
        return 1
    except (Unreadable, MemoryError, OSError, DecimalException, RecursionError) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    finally:
        watch.cancel()


if __name__ == "__main__":
    sys.exit(main())
