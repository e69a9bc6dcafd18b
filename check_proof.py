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
from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations_with_replacement, permutations, product
from math import factorial, lcm, prod
from pathlib import Path
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
    """What is left to spend on a document, and the common denominator of its numbers so far."""

    left, common = 0, 1


def spend(amount: int) -> None:
    Work.left -= amount
    if Work.left < 0:
        raise Unreadable("it asks for more work than a document of its size may")


def require(condition: bool, why: str) -> None:
    if not condition:
        raise Refused(why)


def fail(what: str, place: str = "") -> NoReturn:
    raise Unreadable(f"{place.lstrip('.') or 'the document'}: {what}")


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
    spend(DOWN.prec // 8)
    low, high = DOWN.ln(decimal(x, DOWN)), UP.ln(decimal(x, UP))
    return Fraction(DOWN.next_minus(low) if low else low), Fraction(UP.next_plus(high) if high else high)


def exp(x: Pair) -> Pair:
    """Rounded likewise; what is below e^-20000 lies between nothing and that."""
    spend(DOWN.prec // 8)
    if x[1] > LARGEST_EXPONENT:
        raise Unreadable(f"an exponent beyond {LARGEST_EXPONENT} is needed")
    low, high = (max(end, Fraction(-LARGEST_EXPONENT)) for end in x)
    below, above = DOWN.next_minus(DOWN.exp(decimal(low, DOWN))), UP.next_plus(UP.exp(decimal(high, UP)))
    return Fraction(below) if low == x[0] else ZERO, Fraction(above)


def plus(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def times(a: Pair, factor: Fraction) -> Pair:
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


def of(form: Form, q: Sequence[Fraction]) -> Fraction:
    return sum((c * q[x] for x, c in form.items()), ZERO)


def bits(x: Fraction) -> int:
    return sum(map(int.bit_length, x.as_integer_ratio()))


def power(x: Fraction, exponent: Fraction) -> Pair:
    """x^exponent for x > 0; exact where that is a fraction of moderate size."""
    degree, parts = exponent.denominator, x.as_integer_ratio()
    if bits(x) * (abs(exponent.numerator) + 1) <= MOST_BITS:
        roots = [n if degree == 1 else int(exp(times(ln(Fraction(n)), Fraction(1, degree)))[1]) for n in parts]
        if (roots[0] ** degree, roots[1] ** degree) == parts:
            return (Fraction(*roots) ** exponent.numerator,) * 2
    return exp(times(ln(x), exponent))


class Level(NamedTuple):
    """A loss or a distortion: a fraction, the logarithm `of` one (zero is both), or infinity, which is neither."""

    value: Fraction | None = None
    of: Fraction | None = None

    @property
    def is_infinite(self) -> bool:
        return self.value is None and self.of is None

    def pair(self) -> Pair:
        if self.value is not None:
            return self.value, self.value
        require(self.of is not None, "an infinite loss bounds nothing")
        return ln(self.of or ONE)

    def growth(self, rate: Fraction = ONE) -> Pair:
        """e^(rate * loss)."""
        return exp(times(self.pair(), rate)) if self.of is None else power(self.of, rate)

    def at_most(self, other: Level, strictly: bool = False) -> bool:
        return at_most([(ONE, self)], other, ONE, strictly)


def exactly(value: Fraction) -> Level:
    return Level(value, None if value else ONE)


def log_of(value: Fraction) -> Level:
    return Level(None, value) if value != 1 else exactly(ZERO)


def at_most(parts: Iterable[tuple[Fraction, Level]], level: Level, factor: Fraction, strictly: bool = False) -> bool:
    """Whether the sum of weight * part is certainly at most factor * level; where enclosures touch, as powers."""
    terms = [(weight, part) for weight, part in parts if weight]
    endless = any(part.is_infinite for _, part in terms)
    if level.is_infinite or endless:
        return level.is_infinite and not (strictly and endless)
    above, below = sum((times(part.pair(), weight)[1] for weight, part in terms), ZERO), times(level.pair(), factor)[0]
    sides = [[(weight, part.of) for weight, part in terms if part.of != 1], [(factor, level.of)]]
    whole = lcm(*(weight.denominator for side in sides for weight, _ in side))
    sizes = [0 if of is None else bits(of) * abs(weight * whole) for side in sides for weight, of in side]
    if above >= below and 0 not in sizes and sum(sizes) <= MOST_BITS:
        above, below = (prod(((of or ONE) ** int(weight * whole) for weight, of in s), start=ONE) for s in sides)
    return above < below or (above == below and not strictly)


def scaled(x: Pair, rate: Fraction, exponent: Fraction, level: Level) -> Pair:
    """(x * e^(L rate))^exponent, exact where it is a fraction."""
    exact = level.of is not None and (rate.denominator == 1 or level.of == 1)
    unit = level.growth(rate) if exact else (ZERO, ONE)
    if x[0] == x[1] and unit[0] == unit[1]:
        return power(x[0] * unit[0], exponent)
    return exp(times(plus((ln(x[0])[0], ln(x[1])[1]), times(level.pair(), rate)), exponent))


def norm(weights: Iterable[Fraction], entries: Sequence[Fraction], a: Fraction) -> Pair:
    """The sum of weight * (entry / largest entry)^a."""
    most, total = max(entries), (ZERO, ZERO)
    for weight, entry in zip(weights, entries, strict=True):
        total = plus(total, times(power(entry / most, a), weight)) if entry else total
    return total


# -- Reading: kinds look like what they describe: {"field": kind, "optional?": kind}, [kind], (kind, kind), {"text"} ---

_NUMBER = re.compile(r"[+-]?[0-9]+(?:/(?P<below>[0-9]+)|(?:\.[0-9]+)?(?:[eE](?P<ten>[+-]?[0-9]{1,4}))?)", re.ASCII)


@lru_cache(maxsize=1 << 16)
def rational(text: str) -> Fraction | None:
    """The fraction that a text stands for, or None; all numbers of a document have a moderate common denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None or int(found["below"] or 1) == 0 or abs(int(found["ten"] or 0)) > LONGEST_NUMBER:
        return None
    value = Fraction(text)
    Work.common = lcm(Work.common, value.denominator) if Work.common % value.denominator else Work.common
    if Work.common.bit_length() > MOST_BITS:
        raise Unreadable("the numbers of the document have no common denominator of moderate length")
    return value


class Either:
    """One of several kinds of objects, told apart by their first fields; otherwise the last."""

    def __init__(self, *kinds: Fields) -> None:
        self.kinds = kinds


def read(kind: Any, value: Any, place: str) -> Any:
    """A value of a kind, which may also be a function of the value and its place."""
    if isinstance(kind, Either):
        fits = (one for one in kind.kinds if isinstance(value, dict) and next(iter(one)) in value)
        kind = next(fits, kind.kinds[-1])
    if isinstance(kind, dict):
        known = {name.rstrip("?"): inner for name, inner in kind.items()}
        if not isinstance(value, dict) or not {name for name in kind if not name.endswith("?")} <= value.keys():
            fail(f"an object with {', '.join(kind)} was expected", place)
        for name in value.keys() - known.keys():
            fail(f"{ascii(name)[:40]} is not known here", place)
        return {name: read(known[name], entry, f"{place}.{name}") for name, entry in value.items()}
    if isinstance(kind, list | tuple):
        kinds = kind * len(value) if isinstance(kind, list) and isinstance(value, list) else kind
        if not isinstance(value, list) or len(value) != len(kinds):
            fail("a list was expected" + (f" with {len(kind)} entries" if isinstance(kind, tuple) else ""), place)
        texts = value if kind in ([number], [shown]) else [None]
        if None not in (found := [rational(text) if type(text) is str else None for text in texts]):
            return found  # the usual case, at once
        return [read(inner, entry, f"{place}[{k}]") for k, (inner, entry) in enumerate(zip(kinds, value, strict=True))]
    if isinstance(kind, set):
        if not isinstance(value, str) or value not in kind:
            fail(f"one of these was expected: {', '.join(sorted(kind))}", place)
        return value
    return kind(value, place)


class Raw(NamedTuple):
    """A value that is read later, at its place."""

    value: Any
    place: str


def number(value: Any, place: str, loose: bool = False) -> Fraction:
    """A text; where `loose`, in a problem, also a JSON number, which stands for the decimal that it shows."""
    text = str(value) if loose and type(value) in (int, Decimal) else value
    found = rational(text) if isinstance(text, str) else None
    return found if found is not None else fail('a number was expected, such as "3/10"', place)


def law(value: Any, place: str, loose: bool = False) -> Law:
    found = tuple(read([shown if loose else number], value, place))
    if not found or min(found) < 0 or sum(found) != 1:
        fail("the entries of a distribution are not negative and sum to exactly one", place)
    return found


def whole(value: Any, place: str, least: int = 0, most: int = MOST_BYTES) -> int:
    if type(value) is not int or not least <= value <= most:
        fail("a whole number in its range was expected", place)
    return value


def truth(value: Any, place: str, least: bool = True) -> bool:
    return value if type(value) is bool and value >= least else fail("true was expected", place)


def limit(value: Any, place: str, loose: bool = False) -> Level:
    """A distortion: a number or "infinity"."""
    return Level() if value == "infinity" else exactly(number(value, place, loose))


def loss(value: Any, place: str, loose: bool = False) -> Level:
    """A number, "log(r)" or "infinity"."""
    is_log = isinstance(value, str) and value.startswith("log(") and value.endswith(")")
    found = exactly(number(value[4:-1], place)) if is_log else limit(value, place, loose)
    if found.value is not None and found.value < (1 if is_log else 0):
        fail("a loss is never negative", place)
    return log_of(found.value or ONE) if is_log else found


def sized(values: Any, count: int, what: str) -> Any:
    return values if len(values) == count else fail(f"{what}: {count} entries were expected")


def table(values: Sequence[Sequence[Fraction]], rows: int, what: str) -> list[Law]:
    """Equally long lists of numbers."""
    return [tuple(sized(row, len(values[0]) or 1, what)) for row in sized(values, max(rows, 1), what)]


shown, shown_law, count = partial(number, loose=True), partial(law, loose=True), partial(whole, least=1, most=1 << 30)


# -- The problem: inputs and their distances, sources, costs -----------------------------------------------------------


def label(value: Any, place: str) -> Fraction | None:
    """The number that a label is, if it is one: a rational, or a JSON number that everybody reads alike."""
    if isinstance(value, dict) and "rational" in value:
        return Fraction(read({"rational": shown}, value, place)["rational"])
    if type(value) not in (int, Decimal):
        return None
    if len(re.sub(r"[eE].*|\D", "", str(value)).strip("0")) > 15:
        fail("a number that is a label has at most 15 digits", place)
    return shown(value, place)


def length(value: Any, place: str) -> Fraction | None:
    return None if value is None else shown(value, place)


VALUES: tuple[Fields, ...] = ({"size": count}, {"alphabet": [label]})
DATABASES: Fields = {"databases": Either(*({**values, "rows": count} for values in VALUES))}
GRAPHS: tuple[Fields, ...] = (
    {"graph": {"nodes": [label], "edges": [(whole, whole)]}},
    {"metric": [[length]], "labels?": [label]},
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
        if self.edges is not None:
            found = self.edges.get((min(x, z), max(x, z)), ZERO)
        else:
            places = [self.letters**row for row in range(self.rows or 1)]
            found = Fraction(sum(x // place % self.letters != z // place % self.letters for place in places) == 1)
        require(found > 0, f"the inputs {x} and {z} are not neighbours")
        return found

    def cliques(self) -> Iterator[tuple[Sequence[int], Fraction]]:
        """Sets of inputs that are neighbours of each other at one distance; every two neighbours are in one."""
        yield from (self.edges or {}).items()
        for place in (self.letters**row for row in range((self.rows or 1) if self.edges is None else 0)):
            starts = (first for first in range(self.size) if first // place % self.letters == 0)
            yield from ((range(first, first + place * self.letters, place), ONE) for first in starts)


def read_universe(value: Any, place: str) -> Universe:
    given = read(Either(*GRAPHS, DATABASES, *VALUES), value, place)
    nodes, edges = given.get("graph", {}).get("nodes"), given.get("graph", {}).get("edges", [])
    lengths, rows = given.get("metric", []), given.get("databases", given).get("rows", 0)
    labels = nodes or given.get("labels") or given.get("databases", given).get("alphabet", [])
    letters = given.get("databases", given).get("size", len(lengths) or len(labels))
    if letters.bit_length() * rows > MOST_BITS or len(labels) not in (0, letters):
        fail("there are too many databases, or labels for others", place)
    values = labels if labels and None not in labels else range(letters)
    if nodes is None and not lengths:
        return Universe(letters ** (rows or 1), letters, rows, values)
    pairs = [(i, j, ONE) for i, j in edges]
    for i, row in enumerate(lengths):
        if sized(row, letters, place)[i] != 0 or row != [sized(other, letters, place)[i] for other in lengths]:
            fail("a metric is symmetric, and zero on the diagonal", place)
        pairs += [(i, j, d) for j, d in enumerate(row[:i]) if d is not None]
    found = {(min(i, j), max(i, j)): d for i, j, d in pairs}
    if len(found) < len(pairs) or any(i == j or j >= letters or d <= 0 for (i, j), d in found.items()):
        fail("an edge joins two different nodes, stands once and has a positive length", place)
    return Universe(letters, letters, 0, values, found)


SOURCE = Either(
    {"prior": shown_law},
    {"finite": [shown_law]},
    {"hull": [shown_law]},
    {"box": {"lower": [shown], "upper": [shown]}},
    {"ball": {"center": shown_law, "radius": shown}},
    {"polytope": {"matrix": [[shown]], "bounds": [shown]}},
    {"everything": partial(whole, least=1, most=1 << MOST_BITS)},
    {"rows": Raw, "iid?": partial(truth, least=False)},
)
Side: TypeAlias = tuple[Form, Fraction]  # form . p <= bound


class Source(NamedTuple):
    """Laws on the inputs: some `points`, with their mixtures if convex; or what comes of a `center` if at most `mass`
    moves; or all laws; within the `sides`. Or those of independent `rows`, which if `shared` all have the same.
    `room` is how much each input can gain in a box (`mass` in all), or lose in a ball."""

    size: int
    points: tuple[Law, ...] = ()
    convex: bool = True
    center: Law = ()
    mass: Fraction = ZERO
    room: Law = ()
    sides: tuple[Side, ...] = ()
    rows: tuple[Source, ...] = ()
    shared: bool = False

    def contains(self, law: Law) -> bool:
        laws, rest = list[Law](), law
        for row in self.rows:  # the law of the first row, then that of the others
            spend(len(rest))
            width = len(rest) // row.size
            blocks = [rest[k : k + width] for k in range(0, len(rest), width)]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        moved = sum(abs(p - c) for p, c in zip(law, self.center or law, strict=True))
        inside = (not self.points or law in self.points) and (not self.center or moved <= 2 * self.mass)
        inside = inside and all(of(form, law) <= bound for form, bound in self.sides)
        return inside and (not laws or (joint(laws) == law and self.holds(laws)))

    def holds(self, laws: Sequence[Law]) -> bool:
        """Whether the rows may have these laws."""
        spend(sum(map(len, laws)))
        if not self.rows:
            return self == Source(self.size) or self.contains(joint(laws))
        different = {(id(row), law): row for row, law in zip(self.rows, laws, strict=True)}
        return (not self.shared or len(different) == 1) and all(r.contains(p) for (_, p), r in different.items())

    def largest(self, cost: Sequence[Fraction], multipliers: Iterator[list[Fraction]]) -> Fraction:
        """At least the mean cost under every law of the set, by weak duality: for u >= 0, cost . p is at most the
        largest (cost - u . forms) . p without the sides, and u . bounds."""
        spend(self.size * (1 + len(self.points)) + sum(len(form) for form, _ in self.sides))
        rest, total = list(cost), ZERO
        chosen = self.best(cost) if self.room else next(multipliers, []) if self.sides else []
        require(min(sized(chosen, len(self.sides), "multipliers"), default=ZERO) >= 0, "a multiplier is negative")
        for u, (form, bound) in zip(chosen, self.sides, strict=True):
            total += u * bound
            for x, a in form.items() if u else ():
                rest[x] -= u * a
        if self.center:
            return total + dot(rest, self.center) + self.mass * (max(rest) - min(rest))
        return total + (max(dot(rest, point) for point in self.points) if self.points else max(rest))

    def best(self, cost: Sequence[Fraction]) -> list[Fraction]:
        """The multipliers that suit a box, where the dearest inputs are filled up, or a ball, which the cheapest leave:
        what each cost is beyond that of the input where the mass ends."""
        order = sorted(range(self.size), key=lambda x: cost[x], reverse=not self.center)
        left, end = self.mass, cost[order[0]]
        for x in order:
            end, left = cost[x] if left > 0 else end, left - self.room[x]
        beyond, below = ([max(sign * (c - end), ZERO) for c in cost] for sign in (1, -1))
        return below if self.center else [*beyond, *below]

    def corners(self, *further: Side) -> list[Law]:
        """Laws of the set, within further sides, whose mixtures it is; in a ball, what moves goes to one input."""
        spend(self.size**2 * (1 + len(self.center)))
        units = [tuple(Fraction(j == x) for j in range(self.size)) for x in range(self.size)]
        bases, sides = [list(self.points) or units], [*further, *self.sides]
        if self.center:
            moves = [[[self.mass * (b - a) for a, b in zip(unit, to, strict=True)] for unit in units] for to in units]
            bases = [[tuple(c + d for c, d in zip(self.center, move, strict=True)) for move in base] for base in moves]
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
    return {tuple(dot(weights, column) for column in zip(*base, strict=True)) for weights in found}


def joint(laws: Sequence[Law]) -> Law:
    """The law of independent rows."""
    spend(prod(map(len, laws)) * len(laws))
    return tuple([prod(entries, start=ONE) for entries in product(*laws)])


def read_source(raw: Raw, universe: Universe | None = None) -> Source:
    given, place = read(SOURCE, *raw), raw.place
    ((kind, entry),) = ((kind, entry) for kind, entry in given.items() if kind != "iid")
    if kind in ("prior", "finite", "hull"):
        points = [entry] if kind == "prior" else table(entry, len(entry), place)
        if len(set(points)) < len(points):
            fail("a distribution stands twice in the list", place)
        return Source(len(points[0]), tuple(points), kind == "hull" or len(points) == 1)
    if kind == "box":
        lower, upper = entry["lower"], sized(entry["upper"], len(entry["lower"]), place)
        if any(not 0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True)) or not sum(lower) <= 1 <= sum(upper):
            fail("the box is malformed, or holds no distribution", place)
        tops, bottoms = [({x: ONE}, b) for x, b in enumerate(upper)], [({x: -ONE}, -a) for x, a in enumerate(lower)]
        room = tuple(b - a for a, b in zip(lower, upper, strict=True))
        return Source(len(lower), mass=1 - sum(lower), room=room, sides=(*tops, *bottoms))
    if kind == "ball":
        if not 0 <= entry["radius"] <= 2:
            fail("the radius of a ball lies between 0 and 2", place)
        sides = tuple(({x: -ONE}, ZERO) for x in range(len(entry["center"])))
        center = entry["center"]
        return Source(len(center), center=center, mass=entry["radius"] / 2, room=center, sides=sides)
    if kind == "polytope":
        rows = table(entry["matrix"], len(entry["bounds"]), place)
        forms = [{x: a for x, a in enumerate(row) if a} for row in rows]
        return Source(len(rows[0]), sides=tuple(zip(forms, entry["bounds"], strict=True)))
    if kind == "everything":
        return Source(entry)
    if universe is None or not universe.rows:
        fail("a source by rows needs databases", place)
    several = isinstance(entry.value, list)
    parts = sized(read([Raw], *entry), universe.rows, place) if several else [entry]
    found = [read_source(part) for part in parts] * (1 if several else universe.rows)
    if any(row.size != universe.letters for row in found) or (several and given.get("iid", False)):
        fail("each row has a source on the values; one that all rows share (iid) stands alone", place)
    known, shared = all(len(row.points) == 1 for row in found), not several and given.get("iid", True)
    return Source(universe.size, convex=known, rows=tuple(found), shared=shared)


COST = Either({"matrix": [[shown]]}, {"gain": [[shown]]}, {"name": {"hamming", "absolute", "squared"}})


class Cost(NamedTuple):
    """d(x,y) for inputs x and outputs y, column by column; a gain is minus a cost."""

    universe: Universe
    outputs: int
    name: str = ""
    rows: Sequence[Law] = ()
    is_gain: bool = False

    def column(self, y: int) -> list[Fraction]:
        spend(self.universe.size)
        if self.rows:
            return [-row[y] if self.is_gain else row[y] for row in self.rows]
        found, letters, values = [ZERO], self.universe.letters, self.universe.values
        for row in reversed(range(self.universe.rows or 1)):  # the cost of two databases is the sum over their rows
            j = y // letters**row % letters
            gaps = [Fraction(i != j if self.name == "hamming" else abs(v - values[j])) for i, v in enumerate(values)]
            gaps = [gap * gap for gap in gaps] if self.name == "squared" else gaps
            found = [cost + gap for cost in found for gap in gaps]
        return found


def read_cost(raw: Raw, universe: Universe) -> Cost:
    ((kind, entry),), place = read(COST, *raw).items(), raw.place
    if kind == "name":
        return Cost(universe, universe.size, entry)
    rows = table(entry, universe.size, place)
    if kind == "matrix" and any(min(row) < 0 for row in rows):
        fail("a cost is negative", place)
    return Cost(universe, len(rows[0]), "", rows, kind == "gain")


class Problem(NamedTuple):
    """What is asked about; `given` are the fields of the document."""

    given: Fields
    notion: Notion
    universe: Universe
    source: Source
    cost: Cost


def read_problem(value: Any, place: str) -> Problem:
    given = read({"notion": Raw, "source": Raw, "distortion": Raw, "universe?": read_universe}, value, place)
    universe = given.get("universe")
    source = read_source(given["source"], universe)
    universe = universe or Universe(source.size, source.size, 0, range(source.size))
    if source.size != universe.size:
        fail("the source has another size than the universe", place)
    return Problem(given, read_notion(given["notion"]), universe, source, read_cost(given["distortion"], universe))


# -- The table of notions: what "the loss is at most L" says about the columns q of a mechanism ------------------------


def order(value: Any, place: str) -> Fraction | None:
    found = None if value == "infinity" else shown(value, place)
    return found if found is None or found > 0 else fail("an order is positive", place)


def delta(value: Any, place: str) -> Fraction:
    found = shown(value, place)
    return found if 0 <= found <= 1 else fail("a delta lies between 0 and 1", place)


NOTIONS: dict[str, tuple[str, Fields]] = {  # family, fields
    "differential_privacy": ("pairs", {}),
    "approximate_differential_privacy": ("pairs", {"delta": delta, "reading?": {"event", "pointwise"}}),
    "renyi_differential_privacy": ("renyi", {"order": order}),
    "identifiability": ("identifiability", {}),
    "maximal_information": ("output", {}),
    "local_information_privacy": ("local", {"delta?": delta}),
    "maximal_leakage": ("maximal", {}),
    "min_entropy_capacity": ("maximal", {}),
    "min_entropy_leakage": ("guessing", {}),
    "mutual_information": ("information", {}),
    "capacity": ("capacity", {}),
    "sibson_mutual_information": ("sibson", {"order": order}),
    "pointwise_leakage": ("pointwise", {}),
}
INPUTS = {"pairs": 2, "renyi": 2, "identifiability": 2, "local": 2, "output": 1, "pointwise": 1}  # in names of bounds


class Notion(NamedTuple):
    family: str
    order: Fraction
    delta: Fraction
    events: bool  # positive parts are added up over the outputs

    @property
    def is_free(self) -> bool:  # the same whatever the law of the inputs
        return self.family in ("pairs", "renyi", "maximal")


def read_notion(raw: Raw, smaller: Fraction | None = None) -> Notion:
    """A notion by its family; orders that are limits are read as the notion that they are. Divergences and informations
    grow with their order: whoever keeps a notion keeps it at a smaller order."""
    name = raw.value.get("name") if isinstance(raw.value, dict) else None
    family, fields = NOTIONS[read(set(NOTIONS), name, f"{raw.place}.name")]
    given = read({"name": Raw, **fields}, *raw)
    a, slack = given.get("order", ONE), given.get("delta", ZERO)
    if smaller is not None:
        require("order" in given and smaller > 0 and (a is None or smaller <= a), "no smaller order of the notion")
        a = smaller
    limits = {"renyi": "pairs", "sibson": "maximal"} if a is None else {"sibson": "information"} if a == 1 else {}
    return Notion(limits.get(family, family), a or ONE, slack, slack > 0 and given.get("reading") != "pointwise")


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


class Table:
    """The bounds of a notion by name, at some points: laws at which a notion that depends on the law is read."""

    def __init__(self, notion: Notion, universe: Universe, points: Sequence[Law]) -> None:
        self.notion, self.universe = notion, universe
        self.points: list[Form] = [{x: p for x, p in enumerate(point) if p} for point in points]

    def names(self) -> Iterator[tuple[int, ...]]:
        """The names of all bounds: a point, if the notion depends on one; inputs; for local privacy a side."""
        wide, inputs = INPUTS.get(self.notion.family, 0), range(self.universe.size)
        tails: Iterable[tuple[int, ...]] = product(inputs, range(2)) if wide == 2 else product(inputs, repeat=wide)
        if wide == 2 and self.notion.family != "local":
            tails = (pair for clique, _ in self.universe.cliques() for pair in permutations(clique, 2))
        points = [()] if self.notion.is_free else [(i,) for i in range(len(self.points))]
        yield from ((*point, *tail) for tail in tails for point in points)

    def bound(self, name: Sequence[int]) -> Bound:
        """The bound with a name."""
        (family, a, slack, _), start, universe = self.notion, 0 if self.notion.is_free else 1, self.universe
        point, inputs = name[:start], name[start:]
        known = len(inputs) == INPUTS.get(family, 0) and len(point) == start and all(x < universe.size for x in inputs)
        require(known and all(i < len(self.points) for i in point), "no bound has this name")
        own, columns = self.points[point[0]] if point else {}, Fraction(sum(universe.sizes) or 1)
        spend(1 if inputs else universe.size)
        x, z = (*inputs, 0, 0)[:2]
        one, other = {x: ONE}, {z: ONE}
        if family in ("pairs", "renyi", "identifiability"):
            distance = universe.distance(x, z)
            if family == "renyi":
                return Bound("entropy" if a == 1 else "power", [(ONE, one, other)], distance, a)
            if family == "pairs":
                return Bound("ratio", [(ONE, one, other)], distance, slack=slack)
            left, right = ({i: own[i]} if i in own else {} for i in (x, z))
            return Bound("ratio", [(ONE, left, right)], distance)
        if family == "output":
            return Bound("ratio", [(ONE, one, own)])
        if family == "local":
            require(z < 2, "no bound has this name")
            return Bound("ratio", [(ONE, one, own) if z else (ONE, own, one)], slack=slack, grows=z == 1)
        if family == "pointwise":
            return Bound("entropy", [(ONE, one, own)])
        if family in ("maximal", "guessing"):  # what stands for several inputs is as likely as they are one by one
            most = max(own.values(), default=ONE)
            even = family == "maximal" or universe.sizes
            entries = dict.fromkeys(range(universe.size), ONE) if even else {i: p / most for i, p in own.items()}
            return Bound("maximum", [(columns, entries, {})])
        if family == "sibson":
            return Bound("norm", [(columns, own, own)], order=a)
        return Bound("entropy", [(columns * p, {i: ONE}, own) for i, p in own.items()])

    def ratio(self, name: list[int], level: Level) -> Bound:
        """A ratio bound; one that follows from a sum is named by it, the number of an atom (an input), and a side."""
        if self.notion.family in ("pairs", "identifiability", "output", "local"):
            return self.bound(name)
        require(len(name) >= 2, "no bound has this name")
        *rest, k, side = name
        bound = self.bound(rest)
        entries: list[tuple[Form, Form]] = [({x: ONE}, right) for _, left, right in bound.atoms for x in left]
        require(bound.kind != "maximum" and k < len(entries) and side < 2, "no bound has this name")
        left, right = entries[k]
        if level.of == 1:  # at level zero a divergence vanishes: what it compares is equal
            return Bound("ratio", [(ONE, right, left) if side else (ONE, left, right)], ZERO)
        finite = bound.kind == "entropy" or (bound.kind == "power" and bound.order > 1)
        require(finite and not side, "such a ratio follows at level zero only")
        return Bound("ratio", [(ONE, left, right)], None)  # finite: where the right side is zero, the left is

    def scale(self) -> tuple[Form, Fraction]:
        """Scales and slack where the bounds say scale_x q_x <= e^L scale_z q_z + slack for all inputs x and z."""
        require(self.universe.edges is None and not self.universe.rows, "spread needs an alphabet")
        if self.notion.family == "pairs":
            return dict.fromkeys(range(self.universe.size), ONE), self.notion.delta
        full = len(self.points) == 1 and len(self.points[0]) == self.universe.size
        require(full and self.notion.family == "identifiability", "spread needs a bound between all inputs")
        return self.points[0], ZERO


def by_distances(problem: Problem) -> tuple[Problem, Table]:
    """Databases up to symmetry: Q(y|x) = f(l) if x and y differ in l rows, so that f is the one column of a mechanism.

    Input l stands for the N_l of the M databases at distance l; the uniform law gives N_l / M to them.
    """
    (_, notion, universe, _, cost), n = problem, problem.universe.rows
    known = notion.family not in ("renyi", "identifiability", "local", "pointwise") and not notion.events
    require(known and n > 0 and universe.letters > 1, "this notion or these inputs have no distances")
    require(cost.name == "hamming", "distances need Hamming's cost")
    spend(n * (1 + universe.size.bit_length() // 64))
    sizes = [1]
    for row in range(n):
        sizes.append(sizes[-1] * (n - row) * (universe.letters - 1) // (row + 1))
    path = Universe(n + 1, n + 1, 0, (), {(k, k + 1): ONE for k in range(n)}, tuple(sizes))
    rows = [(Fraction(k),) for k in range(n + 1)]
    points = [tuple(Fraction(size, universe.size) for size in sizes)]
    return problem._replace(universe=path, cost=Cost(path, 1, "", rows)), Table(notion, path, points)


# -- Excluded: adding up constraints -----------------------------------------------------------------------------------

NUMBERS: Fields = {"loss": loss, "distortion": limit, "digits?": partial(whole, least=10, most=2000)}
MIXTURE = [(number, Raw)]
OPEN: Fields = {"open": {"loss", "distortion"}, "uniform?": MIXTURE, **NUMBERS}
STEP = {"laws?": [[Raw]], "ratios?": [[Raw]], "sums?": [([whole], number, Raw)], "rows?": [number], "spread?": truth}
EXCLUDED = Either(
    {"rows": [({"source": Raw, "excluded": Raw}, count)], **OPEN},
    {"order?": number, "points?": [MIXTURE], "symmetry?": {"distances"}, "steps?": [STEP], **OPEN},
)


class Claim(NamedTuple):
    """The numbers of a claim."""

    loss: Level
    distortion: Level
    loss_is_open: bool = False


def member(entry: Raw, source: Source, listed: Source) -> Law:
    """A law of a source: written out, or the number of one that the source of the problem lists."""
    spend(source.size)
    if type(entry.value) is int:
        return listed.points[whole(*entry, most=len(listed.points) - 1)]
    found: Law = sized(law(*entry), source.size, entry.place)
    require(source.contains(found), "a distribution is not in the source")
    return found


def mixture(parts: list[Any], source: Source, listed: Source, mixes: bool) -> Law:
    """A mixture [[weight, law], ...] of members of a source; of one alone unless mixtures are allowed."""
    spend(8 * source.size)  # a point is kept
    weights, laws = [weight for weight, _ in parts], [member(entry, source, listed) for _, entry in parts]
    require(sum(weights) == 1 and min(weights) >= 0, "the weights of a mixture are no distribution")
    require(mixes or len(parts) == 1, "the laws of this source may not be mixed")
    return tuple(dot(weights, column) for column in zip(*laws, strict=True))


def check_excluded(problem: Problem, raw: Raw) -> Claim:
    """Verify that no mechanism is as good as claimed."""
    given, (_, notion, universe, source, _) = read(EXCLUDED, *raw), problem
    use_digits(given.get("digits", 60))
    claim = Claim(given["loss"], given["distortion"], given["open"] == "loss")
    if "rows" in given:
        rows_excluded(problem, given, claim)
        return claim
    if "order" in given:
        notion = read_notion(problem.given["notion"], given["order"])
    if "symmetry" in given:
        require(not given.get("points"), "by distances a notion is read at the uniform distribution")
        problem, bounds = by_distances(problem._replace(notion=notion))
        spend(universe.letters)
        check_product(problem, given, [(Fraction(1, universe.letters),) * universe.letters] * universe.rows)
    else:
        laws = Source(universe.size) if notion.family == "capacity" else source
        points = [mixture(parts, laws, source, laws.convex) for parts in given.get("points", [])]
        bounds = Table(notion, universe, points)
    done = claim.loss_is_open and claim.loss.of == 1  # a loss is never negative
    spend(bounds.universe.size + problem.cost.outputs)
    zeros: list[set[int]] = [set() for _ in range(problem.cost.outputs)]  # by output, inputs that do not give it
    for step in given.get("steps", []):
        require(not done, "there are steps after the contradiction")
        done, zeros = Step(problem, bounds, claim, zeros).take(step)
    require(done, "the steps end without a contradiction")
    return claim


class Step:
    """A sum of constraints, and the entries that are known to vanish before it, by output."""

    def __init__(self, problem: Problem, bounds: Table, claim: Claim, zeros: list[set[int]]) -> None:
        self.problem, self.table, self.zeros = problem, bounds, zeros
        self.level, self.limit, self.is_open = claim
        self.total, self.is_strict = ZERO, False
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
        sizes, source, size = self.table.universe.sizes, self.problem.source, self.table.universe.size
        weight = [ZERO] * size
        for entry in step.get("laws", []):  # w * (mean cost) <= w D
            w, *laws = sized(entry, 1 if sizes else 2, "laws")
            m, p = number(*w), member(laws[0], source, source) if laws else tuple(map(Fraction, sizes))
            require(self.limit.value is not None and m >= 0, "a weight is negative, or the distortion infinite")
            weight = [a + m * b for a, b in zip(weight, p, strict=True)]
            self.total, self.is_strict = self.total + m * (self.limit.value or ZERO), self.is_strict or m > 0
        self.is_strict = self.is_strict and not self.is_open
        self.add_ratios(step.get("ratios", []))
        for name, s, tangents in step.get("sums", []):
            self.add_sum(self.table.bound(name), s, tangents)
        prices = sized(step.get("rows", [ZERO] * (1 if sizes else size)), 1 if sizes else size, "rows")
        self.total -= sum(prices, ZERO)
        after = self.judge(weight, [prices[0] * n for n in sizes] or prices, "spread" in step)
        require(self.total <= 0, "a step leaves room, so that nothing follows")
        return self.total < 0 or self.is_strict, after

    def add_ratios(self, entries: list[list[Any]]) -> None:
        """m (left - e^(L distance) right) <= m slack; over events only the output with the largest multiple pays."""
        require(not entries or not self.level.is_infinite or self.is_open, "an infinite loss bounds nothing")
        paid: dict[Any, tuple[Fraction, Form]] = {}
        for entry in entries:
            *names, output, multiple = entry if len(entry) > 2 else fail("a ratio has a name, an output and a multiple")
            name, y, m = [whole(*part) for part in names], self.output(*output), number(*multiple)
            bound = self.table.ratio(name, self.level)
            ((_, left, right),), distance = bound.atoms, bound.distance
            require(m >= 0, "a multiplier is negative")
            self.add(y, left, m)
            if self.level.is_infinite or distance is None:
                require(right.keys() <= self.zeros[y], "where e^L has no bound, what stands beside it must vanish")
            else:
                self.add(y, right, -m * self.level.growth(distance)[1])
                self.rising[y].update(right if self.is_open and m > 0 and distance > 0 else ())
            if bound.slack:
                slack = bound.slack * (self.level.growth()[1] if bound.grows else ONE)
                cells = paid.setdefault(tuple(name) if self.table.notion.events else len(paid), (slack, {}))[1]
                cells[y] = cells.get(y, ZERO) + m
        self.total += sum((slack * max(cells.values()) for slack, cells in paid.values()), ZERO)

    def add_sum(self, bound: Bound, s: Fraction, tangents: Raw) -> None:
        """s times the tangents of a sum <= s b(L); powers and norms are divided by |b(L)|."""
        require(bound.kind != "ratio" and s > 0, "no sum bound, or its multiplier is not positive")
        level, a, sign, distance = self.level, bound.order, ONE if bound.order > 1 else -ONE, bound.distance or ONE
        self.is_strict = self.is_strict or (self.is_open and not level.is_infinite)
        if bound.kind in ("power", "norm"):  # at any finite loss: only if no tangent depends on it
            self.total += s * sign
        else:
            self.total += s * (level.growth()[1] if bound.kind == "maximum" else level.pair()[1] * distance)
        weight, own, _ = bound.atoms[0]
        if tangents.value == "conjugate":
            require(self.conjugate is None and self.table.notion.family in ("information", "capacity"), "no conjugate")
            self.conjugate = s, {x: w for w, left, _ in bound.atoms for x in left}
        elif bound.kind == "maximum":
            shares: Form = {}
            for y, x, share in read([(self.output, whole, number)], *tangents):
                shares[y] = shares.get(y, ZERO) + share
                require(share >= 0 and shares[y] <= 1 and x in own, "no mixture of the entries of a maximum")
                self.add(y, {x: own[x]}, s * weight * share)
        elif bound.kind == "norm":
            for y, column in enumerate(self.places(tangents, len(self.zeros), len(own))):
                f = {x: r for x, r in zip(own, column, strict=True) if r is not None or x not in self.zeros[y]}
                require(all(r is not None and r >= 0 and (r > 0 or a > 1) for r in f.values()), "no place")
                most = max((r for r in f.values() if r), default=ZERO)
                inner = norm([own[x] for x in f], [r or ZERO for r in f.values()], a) if most else (ONE, ONE)
                unit = scaled(inner, ONE, (1 - a) / a, level) if most else inner
                for x, r in f.items():
                    slope = power(r / most, a - 1) if r else (ZERO, ZERO)
                    self.add(y, {x: own[x]}, s * weight * times((slope[0] * unit[0], slope[1] * unit[1]), sign)[0])
        else:
            places = self.places(tangents, len(bound.atoms), len(self.zeros))
            atoms = zip(bound.atoms, places, strict=True)
            for (weight, left, right), y, r in ((atom, y, r) for atom, row in atoms for y, r in enumerate(row)):
                gone = [form.keys() <= self.zeros[y] for form in (left, right)]
                if r is None and (gone[0] or (gone[1] and bound.kind == "power" and a < 1)):
                    continue
                if r is None or r <= 0:
                    raise Refused("a place is not positive")
                if bound.kind == "entropy":
                    up, down = 1 + ln(r)[0], -r
                else:
                    slope = times(scaled((r, r), -distance, a - 1, level), sign)
                    up, down = times(slope, a)[0], times(slope, (1 - a) * r)[0]
                self.add(y, left, s * weight * up)
                self.add(y, right, s * weight * down)

    def places(self, tangents: Raw, rows: int, columns: int) -> list[list[Fraction | None]]:
        def one(value: Any, place: str) -> Fraction | None:
            return None if value is None else number(value, place)

        return [sized(row, columns, tangents.place) for row in sized(read([[one]], *tangents), rows, tangents.place)]

    def judge(self, weight: Sequence[Fraction], prices: Sequence[Fraction], spread: bool) -> list[set[int]]:
        """Test the coefficients of each column, over the entries that may be positive: what vanishes if the total does.

        Spread: with l the least scale_x q_x of a column, the positive parts of c / scale are worth at least l times
        their sum, the negative ones at most e^L l + slack times theirs. Conjugate: by the log-sum inequality,
        s I(q) + c.q >= -s q(y) log(sum of p e^(-c/(s p))).
        """
        scale, slack = self.table.scale() if spread else ({}, ZERO)
        growth = self.level.growth()[1] if spread else ZERO
        joins, after = not self.conjugate and (self.is_open or not spread), list[set[int]]()
        for y, known in enumerate(self.zeros):
            cost = zip(weight, self.problem.cost.column(y), prices, strict=True)
            column = [w * d - price for w, d, price in cost]
            for x, c in self.extra[y].items():
                column[x] += c
            live = [(x, c) for x, c in enumerate(column) if x not in known]
            if spread:
                negative = sum((-c / scale[x] for x, c in live if c < 0), ZERO)
                passes = sum((c / scale[x] for x, c in live if c > 0), ZERO) >= growth * negative
                self.total += slack * negative
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
HINTS: Fields = {"output?": [number], "envelope?": truth, "shares?": [(number, whole)], "multipliers?": [[number]]}
MECHANISM = Either(
    {"rows": [[number]]}, {"distances": [number]}, {"diagonal": [number], "left": [number], "right": [number]}
)
ATTAINED = Either(
    {"rows": [({"source": Raw, "attained": Raw}, count)], **NUMBERS},
    {"mechanism": MECHANISM, "cells?": [Raw], **HINTS, **NUMBERS},
)


def check_attained(problem: Problem, raw: Raw) -> Claim:
    """Verify that a mechanism is as good as claimed."""
    given, (_, notion, universe, source, cost) = read(ATTAINED, *raw), problem
    use_digits(given.get("digits", 60))
    claim = Claim(given["loss"], given["distortion"])
    if "rows" in given:
        rows_attained(problem, given, claim)
        return claim
    mechanism = given["mechanism"]
    if "distances" in mechanism:  # all inputs are alike, and informations largest at the uniform law
        problem, bounds = by_distances(problem)
        sizes, f = bounds.universe.sizes, sized(mechanism["distances"], universe.rows + 1, raw.place)
        known = all(len(row.points) == 1 and len(set(row.points[0])) == 1 for row in source.rows or (source,))
        require(known or notion.family != "output" or claim.loss.is_infinite, "not the uniform distribution")
        require(
            min(f) >= 0 and sum(n * q for n, q in zip(sizes, f, strict=True)) == 1,
            "the rows of the mechanism are no distributions",
        )
        mean = exactly(dot([n * q for n, q in zip(sizes, f, strict=True)], problem.cost.column(0)))
        require(mean.at_most(claim.distortion), "the mechanism has more distortion than claimed")
        check_bounds(bounds, [f], claim.loss)
        return claim
    if "rows" in mechanism:
        rows = table(mechanism["rows"], universe.size, raw.place)
    else:  # Q(x|x) = diagonal(x), Q(y|x) = left(x) right(y)
        spend(universe.size**2)
        diagonal, left, right = (
            sized(mechanism[name], universe.size, raw.place) for name in ("diagonal", "left", "right")
        )
        rows = [tuple(diagonal[x] if x == y else u * v for y, v in enumerate(right)) for x, u in enumerate(left)]
    for x, row in enumerate(rows):
        lawful = len(row) == cost.outputs and min(row) >= 0 and sum(row) == 1
        require(lawful, f"row {x} of the mechanism is no distribution on the outputs")
    columns, expected = list(zip(*rows, strict=True)), [ZERO] * len(rows)
    for y, column in enumerate(columns):
        expected = [e + q * d if q else e for e, q, d in zip(expected, column, cost.column(y), strict=True)]
    if notion.is_free:
        check_bounds(Table(notion, universe, []), columns, claim.loss)
    for leaf in leaves(source, given):
        enough = claim.distortion.is_infinite or exactly(leaf.largest(expected)).at_most(claim.distortion)
        require(enough, "the mechanism has more distortion than claimed")
        if not claim.loss.is_infinite and not notion.is_free:
            check_loss(problem, columns, claim.loss, leaf)
        require(next(leaf.multipliers, None) is None, "multipliers are left over")
    return claim


class Divergence:
    """A sum of weight * f(p, r) in units of its bound: p log(p/r), or +-p^a r^(1-a) over e^((a-1) L distance)."""

    def __init__(self, a: Fraction, distance: Fraction, level: Level) -> None:
        self.a, self.distance, self.level, self.sign = a, distance, level, ONE if a > 1 else -ONE
        self.logs, self.total = dict[Fraction, Fraction](), (ZERO, ZERO)

    def add(self, weight: Fraction, p: Fraction, r: Fraction) -> bool:
        """Whether the term is finite."""
        if p and r and self.a == 1:
            self.logs[p / r] = self.logs.get(p / r, ZERO) + weight * p
        elif p and r:
            term = scaled((p / r,) * 2, -self.distance, self.a - 1, self.level)
            self.total = plus(self.total, times(term, self.sign * weight * p))
        return not p or r > 0 or self.a < 1

    def above(self) -> Fraction:
        return self.total[1] + sum((times(ln(ratio), weight)[1] for ratio, weight in self.logs.items()), ZERO)

    def holds(self) -> bool:
        if self.a == 1:
            return at_most([(w, log_of(ratio)) for ratio, w in self.logs.items()], self.level, self.distance)
        return self.total[1] <= self.sign


def check_bounds(bounds: Table, columns: Sequence[Law], level: Level, *extremes: Law) -> None:
    """Every bound of a notion at some points; `extremes` are the least and the largest probability of each output."""
    if level.is_infinite:
        return
    notion, universe = bounds.notion, bounds.universe
    spend((universe.size + sum(map(len, bounds.points))) * len(columns))
    means = {id(own): [of(own, q) for q in columns] for own in bounds.points}
    least, most = ({id(bounds.points[0]): ends} for ends in extremes) if extremes else (means, means)
    simple = notion.family == "identifiability" or (notion.family == "pairs" and not notion.events)
    for scale in (bounds.points if notion.family == "identifiability" else [{}]) if simple else []:
        for clique, distance in universe.cliques():  # among many inputs the extremes decide
            spend(len(clique) * len(columns))
            growth = level.growth(distance)[0]
            for q in columns:
                values = [q[x] * scale.get(x, ZERO) for x in clique] if scale else [q[x] for x in clique]
                require(max(values) <= growth * min(values) + notion.delta, TOO_MUCH)
    for name in bounds.names() if not simple else []:
        bound = bounds.bound(name)
        spend(len(columns) * len(bound.atoms))
        if bound.kind in ("maximum", "norm"):
            check_norm(bound, columns, level)
            continue
        pairs = [
            (weight, *(side[id(form)][y] if id(form) in side else of(form, q) for form, side in sides))
            for weight, left, right in bound.atoms
            for sides in [((left, most), (right, least))]
            for y, q in enumerate(columns)
        ]
        if bound.kind == "ratio":
            growth = level.growth(bound.distance or ONE)[0]
            excess = [left - growth * right for _, left, right in pairs]
            worst = sum(max(e, ZERO) for e in excess) if notion.events else max(excess)
            require(worst <= bound.slack * (growth if bound.grows else 1), TOO_MUCH)
        else:
            found = Divergence(bound.order, bound.distance or ONE, level)
            require(min([found.add(*pair) for pair in pairs]) and found.holds(), TOO_MUCH)


def check_norm(bound: Bound, columns: Sequence[Law], level: Level) -> None:
    """The sum of maxima, or of norms in units of their bound."""
    ((weight, left, _),), a, total = bound.atoms, bound.order, (ZERO, ZERO)
    spend(len(columns) * len(left))
    for q in columns:
        most = max(q[x] * (c if bound.kind == "maximum" else 1) for x, c in left.items())
        inner = norm(left.values(), [q[x] for x in left], a) if most and bound.kind == "norm" else (ONE, ONE)
        inner = scaled(inner, 1 - a, 1 / a, level) if bound.kind == "norm" else inner
        total = plus(total, times(inner, weight * most))
    most = level.growth()[0] if bound.kind == "maximum" else ONE
    require(total[1] <= most if a >= 1 else total[0] >= most, TOO_MUCH)


def check_loss(problem: Problem, columns: Sequence[Law], level: Level, leaf: Leaf) -> None:
    """The bounds of a notion that depends on the law of the inputs, under every law of a set."""
    notion, universe, source = problem.notion, problem.universe, leaf.source
    if notion.family == "capacity":
        source = Source(source.size)
    one_by_one = len(source.points) == 1 or (source.points and not source.convex)
    if notion.family == "guessing" and not one_by_one:
        check_guessing(columns, level, leaf)
    elif notion.family in ("information", "capacity", "sibson") and not one_by_one:
        check_information(notion, columns, level, leaf._replace(source=source))
    elif "envelope" in leaf.given and not one_by_one and notion.family in ("output", "local", "pointwise"):
        ends = [
            (-leaf.largest([-q for q in c]), leaf.largest(c) if notion.family == "local" else ZERO) for c in columns
        ]
        anywhere = (ONE,) + (ZERO,) * (source.size - 1)
        check_bounds(Table(notion, universe, [anywhere]), columns, level, *zip(*ends, strict=True))
    else:  # convex in the law: at the corners
        for point in source.corners():
            check_bounds(Table(notion, universe, [point]), columns, level)


def check_information(notion: Notion, columns: Sequence[Law], level: Level, leaf: Leaf) -> None:
    """An information is at most the worst mean divergence of the rows from any law r of the output."""
    require("output" in leaf.given, "over this source a distribution of the outputs is needed")
    r, costs, each = sized(leaf.given["output"], len(columns), "output"), list[Fraction](), True
    require(min(r) >= 0 and sum(r) == 1, "the distribution of the outputs is none")
    for x, row in enumerate(zip(*columns, strict=True)):
        spend(len(row))
        found = Divergence(notion.order, ONE, level)
        if not min([found.add(ONE, q, s) for q, s in zip(row, r, strict=True)]):  # then no law may use the input
            require(leaf.largest([Fraction(k == x) for k in range(leaf.source.size)]) <= 0, TOO_MUCH)
            found = Divergence(notion.order, ONE, level)
        each = each and found.holds()
        costs.append(found.above())
    require(each or leaf.largest(costs) <= (level.pair()[0] if notion.order == 1 else found.sign), TOO_MUCH)


def check_guessing(columns: Sequence[Law], level: Level, leaf: Leaf) -> None:
    """sum_y max_x p(x) q(x) <= e^L max p over a convex source."""
    size, laws = leaf.source.size, list[tuple[Sequence[Fraction], Fraction]]()
    spend(size**2)
    if "shares" in leaf.given:  # p(x) <= w(x) p(k) for an input k
        for x, (w, k) in enumerate(sized(leaf.given["shares"], size, "shares")):
            bounded = k == x or leaf.largest([Fraction(j == x) - w * (j == k) for j in range(size)]) <= 0
            require(w >= (k == x) and bounded and k < size, "a share is too small")
        laws = [([w for w, _ in leaf.given["shares"]], ONE)]
    else:  # convex where one input k is the likeliest
        for k in range(size):
            less = [({x: ONE, k: -ONE}, ZERO) for x in range(size) if x != k]
            laws += [(law, law[k]) for law in leaf.source.corners(*less)]
    for law, most in laws:
        spend(size * len(columns))
        total = sum(max(p * e for p, e in zip(law, q, strict=True)) for q in columns)
        require(total <= level.growth()[0] * most, TOO_MUCH)


TREE = Either({"cut": (whole, whole, whole, number), "cells": (Raw, Raw)}, HINTS)


class Leaf(NamedTuple):
    """A set of laws, and what the document offers to bound a supremum over it; multipliers are used up in order."""

    source: Source
    given: Fields
    multipliers: Iterator[list[Fraction]]

    def largest(self, cost: Sequence[Fraction]) -> Fraction:
        return self.source.largest(cost, self.multipliers)


def leaves(source: Source, given: Fields) -> Iterator[Leaf]:
    """Sets of laws that cover a source, with what the document offers for each.

    Laws of independent rows are covered by cells: for each row (for all, if shared) laws whose mixtures are possible.
    """
    if not source.rows:
        require("cells" not in given, "cells are for rows")
        yield Leaf(source, given, iter(given.get("multipliers", [])))
        return
    rows = source.rows[:1] if source.shared else source.rows
    choices = [[row.corners()] if row.convex else [[law] for law in row.points] for row in rows]
    trees = iter(given["cells"]) if "cells" in given else None
    for cell in product(*choices):
        spend(1)
        tree = next(trees, None) if trees is not None else None
        require(trees is None or tree is not None, "there are fewer cells than choices of the rows")
        yield from leaves_of(source, list(cell), tree, given)
    require(trees is None or next(trees, None) is None, "there are more cells than choices of the rows")


def leaves_of(source: Source, cell: list[list[Law]], tree: Raw | None, given: Fields) -> Iterator[Leaf]:
    """The leaves of a tree: the hull of mean products of laws of the cell holds all products of their mixtures.

    A cut at c = t v_i + (1 - t) v_j: a mixture that uses v_i and v_j is one of c and only one of the two.
    """
    fields = given if tree is None else read(TREE, *tree)
    if tree is not None and "cut" in fields:
        row, i, j, t = fields["cut"]
        require(row < len(cell) and max(i, j) < len(cell[row]) and i != j and 0 < t < 1, "no cut between two laws")
        middle = tuple(t * a + (1 - t) * b for a, b in zip(cell[row][i], cell[row][j], strict=True))
        for gone, part in zip((i, j), fields["cells"], strict=True):
            laws = [middle if k == gone else law for k, law in enumerate(cell[row])]
            yield from leaves_of(source, [*cell[:row], laws, *cell[row + 1 :]], part, given)
        return
    n, points = len(source.rows), list[Law]()
    if source.shared and len(cell[0]) > 1:
        for chosen in combinations_with_replacement(cell[0], n):
            spend(factorial(n))
            orders = [joint(order) for order in set(permutations(chosen))]
            points.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
    else:
        points = [joint(laws * (n if source.shared else 1)) for laws in product(*cell)]
    yield Leaf(Source(source.size, tuple(points)), fields, iter(fields.get("multipliers", [])))


# -- Databases of independent rows: a claim about each kind of row -----------------------------------------------------


def read_parts(problem: Problem, given: Fields, name: str) -> list[tuple[Problem, Raw, int]]:
    """[[{"source": ..., claim: ...}, count], ...], rows in order; the rest of their problem is that of the database."""
    universe, found = problem.universe, list[tuple[Problem, Raw, int]]()
    require(universe.rows > 0 and problem.cost.name != "", "rows need databases and a cost that has a name")
    row = universe._replace(size=universe.letters, rows=0)
    for part, number in given["rows"]:
        source = read_source(part["source"])
        sized(range(source.size), row.size, part["source"].place)
        inner = problem._replace(universe=row, source=source, cost=Cost(row, row.size, problem.cost.name))
        found.append((inner, part[name], number))
    require(sum(number for *_, number in found) == universe.rows, "there is not a part for each row")
    return found


def rows_attained(problem: Problem, given: Fields, claim: Claim) -> None:
    """Rows treated one by one: distortions add up; of the losses the largest counts, or informations add up."""
    (_, notion, _, source, _), parts = problem, read_parts(problem, given, "attained")
    adds_up = notion.family in ("information", "capacity", "maximal")
    fits = adds_up or notion.family in ("pairs", "renyi") or (notion.family == "identifiability" and bool(source.rows))
    require(fits, "the loss does not follow from the rows")
    rows, losses, distortions = iter(source.rows), list[tuple[Fraction, Level]](), list[tuple[Fraction, Level]]()
    for part, value, number in parts:
        for _ in range(number):
            require(part.source == next(rows, Source(part.source.size)), "a row is about another source")
        found = check_attained(part, value)
        losses.append((Fraction(number), found.loss))
        distortions.append((Fraction(number), found.distortion))
    require(at_most(distortions, claim.distortion, ONE), "the rows distort more than claimed")
    total = at_most(losses, claim.loss, ONE) if adds_up else all(part.at_most(claim.loss) for _, part in losses)
    require(total, "the rows lose more than claimed")


def check_product(problem: Problem, given: Fields, laws: list[Law]) -> None:
    """The product of the laws of rows is in the source, or the mixture `uniform` of its members if that is as good."""
    source = problem.source
    if "uniform" not in given:
        require(source.holds(laws), "rows with these distributions are not in the source")
        return
    mean = mixture(given["uniform"], source, source, source.convex or problem.notion.is_free)
    require(mean == joint(laws), "the mixture is another distribution than that of the rows")


def rows_excluded(problem: Problem, given: Fields, claim: Claim) -> None:
    """Averaging over the other rows, and ignoring their answers, leaves a mechanism on a row that loses no more.

    So at one level the distortion is at least the sum of what the rows exclude. Mutual informations of rows add up to
    at most that of the database, and n equal rows do no better than n times their mean, by convexity.
    """
    notion, parts, laws = problem.notion, read_parts(problem, given, "excluded"), list[Law]()
    alike = notion.family == "information" and len(parts) == 1
    one_level = notion.family in ("pairs", "renyi", "identifiability") and notion.events == (notion.delta > 0)
    require(alike or one_level, "what rows exclude does not add up")
    for part, _, number in parts:
        require(len(part.source.points) == 1, "a row is excluded under one distribution")
        laws += part.source.points * number
    check_product(problem, given, laws)
    excluded, is_open = list[tuple[Fraction, Level]](), False
    for part, value, number in parts:
        found = check_excluded(part, value)
        factor = Fraction(number if alike else 1)
        covers = at_most([(ONE, claim.loss)], found.loss, factor) and not (
            found.loss_is_open and not claim.loss_is_open
        )
        require(covers, "a row excludes smaller losses only")
        excluded.append((Fraction(-number), found.distortion))
        is_open = is_open or found.loss_is_open
    endless = any(distortion.is_infinite for _, distortion in excluded)
    strictly = claim.loss_is_open and not is_open
    parts_ = [(ONE, claim.distortion), *excluded]
    require(
        endless or at_most(parts_, exactly(ZERO), ONE, strictly), "the distortions that the rows exclude add up to less"
    )


# -- Documents: proofs, answers, curves --------------------------------------------------------------------------------

CLAIMS: Fields = {"attained?": Raw, "excluded?": Raw}
ENDS: Fields = {"lower": Raw, "upper": Raw, "lower_exact?": Raw, "upper_exact?": Raw} | dict.fromkeys(
    ("method?", "theorem?", "status?"), Raw
)
PROOF: Fields = {"problem": read_problem, "schema": {"epstar/proof/2"}, **CLAIMS}
ANSWER: Fields = {"at": Raw, "unit": Raw, "proof": PROOF, "schema": {"epstar/answer/2"}, **ENDS}
CURVE: Fields = {
    "points": [{"at": Raw, **ENDS, **CLAIMS}],
    "problem": read_problem,
    "asks": {"loss", "distortion"},
    "unit": Raw,
    "schema": {"epstar/curve/2"},
}
AT = Either({"loss": partial(loss, loose=True)}, {"distortion": partial(limit, loose=True)})
Claims: TypeAlias = dict[str, Claim]


def check_claims(problem: Problem, given: Fields) -> Claims:
    """Verify the claims of a proof, or of a point of a curve."""
    checks = {"attained": check_attained, "excluded": check_excluded}
    return {name: check(problem, given[name]) for name, check in checks.items() if name in given}


def in_words(name: str, claim: Claim) -> str:
    less, least = ("<=", "<=") if name == "attained" else ("<", "<=") if claim.loss_is_open else ("<=", "<")
    one = "a" if name == "attained" else "no"
    return f"{one} mechanism has loss {less} {written(claim.loss)} and distortion {least} {written(claim.distortion)}"


def written(number: Level) -> str:
    exact = number.value if number.value is not None else number.of
    if exact is None:
        return "infinity"
    text = str(exact) if bits(exact) < 256 else f"{decimal(exact, DOWN):.17g}..."
    return text if number.value is not None else f"log({text})"


def read_end(raw: Raw, is_exact: bool, turned: bool) -> Level | None:
    """An end of an answer, turned round if it is a utility; None for minus infinity.

    A JSON number is the binary number that it is read as.
    """
    value, place = raw
    if value in ("infinity", "-infinity"):
        return Level() if (value == "infinity") != turned else None
    if is_exact and not turned and isinstance(value, str) and value.startswith("log("):
        return loss(value, place)
    if not is_exact and (type(value) not in (int, Decimal) or abs(Decimal(str(value))) > Decimal("1e308")):
        fail("a JSON number or infinity was expected", place)
    end = number(value, place) if is_exact else Fraction(float(str(value)))
    return exactly(-end if turned else end)


def check_ends(problem: Problem, claims: Claims, at: Level, asks_loss: bool, given: Fields) -> None:
    """Verify that the ends of an answer at a distortion, or at a loss, follow from the claims as they stand."""
    use_digits()
    turned = problem.cost.is_gain and not asks_loss  # a utility is minus a distortion
    least, unit = (None, "utility") if turned else (exactly(ZERO), "nats" if asks_loss else "distortion")
    read({unit}, *given["unit"])
    for name in ("lower", "upper", "lower_exact", "upper_exact"):
        if name not in given:
            continue
        is_lower, is_exact = name.startswith("lower") != turned, name.endswith("exact")
        end, claim = read_end(given[name], is_exact, turned), claims.get("excluded" if is_lower else "attained")
        says_nothing = end == Level() if not is_lower else end is None or (least is not None and end.at_most(least))
        if says_nothing and not is_exact:
            continue
        if claim is None:
            require(end == (least if is_lower else Level()), f"{name} follows from no claim")
            continue
        proven, theirs = (claim.loss, claim.distortion) if asks_loss else (claim.distortion, claim.loss)
        covers = at.at_most(theirs, claim.loss_is_open != asks_loss) if is_lower else theirs.at_most(at)
        require(covers, f"the claim behind {name} does not cover the question")
        below = end is None or end.at_most(proven) or not (is_lower or is_exact)
        above = (end is not None and proven.at_most(end)) or (is_lower and not is_exact)
        require(below and above, f"{name} does not follow from what is claimed")


def check_document(value: Any) -> list[str]:
    """Verify a proof; an answer: its proof, and its ends; or a curve: claims and ends at many points of one problem."""
    schema = value.get("schema") if isinstance(value, dict) else None
    kind = {"epstar/curve/2": CURVE, "epstar/answer/2": ANSWER}.get(schema if isinstance(schema, str) else "", PROOF)
    given = read(kind, value, "")
    if kind is CURVE:
        asks_loss = given["asks"] == "loss"
        for point in given["points"]:
            if len(point) > 3 or point["lower"].value is not None or point["upper"].value is not None:
                at = (limit if asks_loss else loss)(point["at"].value, point["at"].place, True)
                claims = check_claims(given["problem"], point)
                check_ends(given["problem"], claims, at, asks_loss, {**point, "unit": given["unit"]})
        return [f"the least {given['asks']} lies between the ends at all {len(given['points'])} points that have ends"]
    proof = given.get("proof", given)
    claims = check_claims(proof["problem"], proof)
    if not claims:
        fail("a proof claims something")
    words = [in_words(name, claim) for name, claim in claims.items()]
    if kind is ANSWER:
        asked = read(AT, *given["at"])
        (at,) = asked.values()
        check_ends(proof["problem"], claims, at, "distortion" in asked, given)
        words.append("the ends of the answer follow")
    return words


def unrepeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    if len(dict(pairs)) < len(pairs):
        raise Unreadable("a field stands twice in one object")
    return dict(pairs)


def no_constant(name: str) -> NoReturn:
    raise Unreadable(f"{name} is not a number")


def check(content: bytes) -> list[str]:
    """The statements that a document proves; raises Refused or Unreadable."""
    Work.left, Work.common = FREE + MULTIPLE * len(content), 1
    rational.cache_clear()
    if len(content) > MOST_BYTES or content.count(b"[") + content.count(b"{") > MOST_LISTS:
        raise Unreadable(f"it has more than {MOST_BYTES} bytes or {MOST_LISTS} lists and objects")
    try:
        text = content.decode()
        document = json.loads(text, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=unrepeated)
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
