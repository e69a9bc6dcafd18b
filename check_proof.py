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
every bound of the notion holds at L. A supremum over laws is a closed form, is reached at a corner, or is bounded with
multipliers, a law of the output or shares from the document, which are verified and never looked for.

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
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import factorial, lcm, prod
from pathlib import Path
from typing import NamedTuple, NoReturn, TypeAlias

MOST_BYTES, MOST_LISTS = 1 << 27, 1 << 22  # of the document; lists and objects in it
FREE, MULTIPLE = 1 << 21, 16  # operations: so many, and so many more for each byte
LONGEST_NUMBER = 4000  # characters, and the largest exponent of ten
MOST_BITS = 1 << 16  # of the common denominator of all numbers, of exact powers, and of the number of databases
LARGEST_EXPONENT = 20_000  # e^20000 has 8,686 digits

Pair: TypeAlias = tuple[Fraction, Fraction]  # a number lies between the two
Law: TypeAlias = tuple[Fraction, ...]
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


# -- Numbers: fractions, and pairs of fractions around what is not rational --------------------------------------------

DOWN, UP = (
    Context(prec=70, rounding=side, Emin=-999_999, Emax=999_999, traps=[InvalidOperation, DivisionByZero, TooLarge])
    for side in (ROUND_FLOOR, ROUND_CEILING)
)


def decimal(x: Fraction, side: Context) -> Decimal:
    return side.divide(Decimal(x.numerator), Decimal(x.denominator))


def plus(a: Pair, b: Pair) -> Pair:
    return a[0] + b[0], a[1] + b[1]


def times(a: Pair, factor: Fraction) -> Pair:
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


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


def power(x: Fraction, exponent: Fraction) -> Pair:
    """x^exponent for x > 0; exact where that is a fraction of moderate size."""
    degree, parts = exponent.denominator, x.as_integer_ratio()
    if sum(map(int.bit_length, parts)) * (abs(exponent.numerator) + 1) <= MOST_BITS:
        roots = [n if degree == 1 else int(exp(times(ln(Fraction(n)), Fraction(1, degree)))[1]) for n in parts]
        if (roots[0] ** degree, roots[1] ** degree) == parts:
            return (Fraction(*roots) ** exponent.numerator,) * 2
    return exp(times(ln(x), exponent))


class Level(NamedTuple):
    """A loss, or another number to compare: between `low` and `high`, the logarithm `of` a fraction; None: infinity."""

    low: Fraction | None
    high: Fraction = ZERO
    of: Fraction | None = None

    def pair(self) -> Pair:
        if self.low is None:
            raise Refused("an infinite loss bounds nothing")
        return self.low, self.high

    def growth(self, rate: Fraction) -> Pair:
        """e^(rate * loss)."""
        return exp(times(self.pair(), rate)) if self.of is None else power(self.of, rate)

    def at_most(self, other: Level, strictly: bool = False) -> bool:
        """Whether self <= other, or self < other, is certain."""
        if self.low is None or other.low is None:
            return other.low is None and not (strictly and self.low is None)
        if self.of is not None and other.of is not None:
            return self.of < other.of or (self.of == other.of and not strictly)
        return self.high < other.low or (self.high == other.low and not strictly)


def exactly(value: Fraction | None) -> Level:
    return Level(None) if value is None else Level(value, value, ONE if value == 0 else None)


def log_of(value: Fraction) -> Level:
    return Level(*ln(value), value)


def logs_at_most(weights: dict[Fraction, Fraction], level: Level, factor: Fraction = ONE) -> bool:
    """Whether the sum of weight * log(argument) is at most factor * level; where enclosures touch, as powers."""
    total = (ZERO, ZERO)
    for argument, weight in weights.items():
        total = plus(total, times(ln(argument), weight))
    if total[1] <= times(level.pair(), factor)[0]:
        return True
    whole = lcm(factor.denominator, *(weight.denominator for weight in weights.values()))
    size = sum(sum(map(int.bit_length, a.as_integer_ratio())) * abs(int(w * whole)) for a, w in weights.items())
    if level.of is None or size > MOST_BITS or factor * whole > MOST_BITS:
        return False
    left = prod((argument ** int(weight * whole) for argument, weight in weights.items()), start=ONE)
    return left <= level.of ** int(factor * whole)


def dot(a: Sequence[Fraction], b: Sequence[Fraction]) -> Fraction:
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


# -- Reading: a value with its place in the document -------------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?[0-9]+(?:/(?P<below>[0-9]+)|(?:\.[0-9]+)?(?:[eE](?P<ten>[+-]?[0-9]{1,4}))?)", re.ASCII)


@lru_cache(maxsize=1 << 16)
def rational(text: str) -> Fraction | None:
    """The fraction that a text stands for, or None; all numbers of a document have a moderate common denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None or int(found["below"] or 1) == 0 or abs(int(found["ten"] or 0)) > LONGEST_NUMBER:
        return None
    value = Fraction(text)
    if Work.common % value.denominator:
        Work.common = lcm(Work.common, value.denominator)
        if Work.common.bit_length() > MOST_BITS:
            raise Unreadable("its numbers have no common denominator of moderate length")
    return value


class Node:
    """A value and its place; `loose` where a JSON number may stand for the decimal that it shows."""

    __slots__ = ("key", "loose", "parent", "value")

    def __init__(self, value: object, parent: Node | None = None, key: object = "", loose: bool = False) -> None:
        self.value, self.parent, self.key = value, parent, key
        self.loose: bool = loose or (parent is not None and parent.loose)

    def fail(self, what: str) -> NoReturn:
        keys, node = list[str](), self
        while node.parent is not None:
            keys.append(f"[{node.key}]" if isinstance(node.key, int) else f".{node.key}")
            node = node.parent
        raise Unreadable(f"{''.join(reversed(keys)).lstrip('.') or 'the document'}: {what}")

    def fields(self, required: str, optional: str = "") -> dict[str, Node]:
        """The fields of an object that has all of the required ones and none but these."""
        if not isinstance(self.value, dict):
            self.fail("an object was expected")
        for name in required.split():
            if name not in self.value:
                self.fail(f"{name!r} is missing")
        for name in self.value:
            if name not in required.split() + optional.split():
                self.fail(f"{ascii(name)[:40]} is not known here")
        return {name: Node(value, self, name) for name, value in self.value.items()}

    def has(self, name: str) -> bool:
        return isinstance(self.value, dict) and name in self.value

    def one_of(self, kinds: str, optional: str = "") -> tuple[str, Node, dict[str, Node]]:
        """The one field that says what an object is, its value, and all fields."""
        kind = next((name for name in kinds.split() if self.has(name)), kinds.split(maxsplit=1)[0])
        given = self.fields(f"{kind} left right" if kind == "diagonal" else kind, optional)
        return kind, given[kind], given

    def items(self, count: int | None = None) -> list[Node]:
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            self.fail("a list was expected" + (f" with {count} entries" if count is not None else ""))
        return [Node(value, self, k) for k, value in enumerate(self.value)]

    def text(self, *choices: str) -> str:
        if not isinstance(self.value, str) or self.value not in choices:
            self.fail("one of these was expected: " + ", ".join(choices))
        return self.value

    def whole(self, least: int, most: int) -> int:
        if type(self.value) is not int or not least <= self.value <= most:
            self.fail(f"a whole number from {least} to {most if most < 10**9 else 'any'} was expected")
        return self.value

    def number(self) -> Fraction:
        given = str(self.value) if self.loose and type(self.value) in (int, Decimal) else self.value
        found = rational(given) if isinstance(given, str) else None
        return self.fail('a number was expected, such as "3/10"') if found is None else found

    def numbers(self, count: int | None = None) -> Law:
        if not isinstance(self.value, list) or not self.value or count not in (None, len(self.value)):
            self.fail("a list of numbers was expected" + (f" with {count} entries" if count is not None else ""))
        found = [rational(entry) if type(entry) is str else None for entry in self.value]
        return tuple(Node(self.value[k], self, k).number() if f is None else f for k, f in enumerate(found))

    def table(self, rows: int | None = None) -> list[Law]:
        """Equally long lists of numbers."""
        found = self.items(rows)
        first = found[0].numbers() if found else self.fail("a list that is not empty was expected")
        return [first, *(row.numbers(len(first)) for row in found[1:])]

    def law(self, count: int | None = None) -> Law:
        found = self.numbers(count)
        if min(found) < 0 or sum(found) != 1:
            self.fail("the entries of a distribution are not negative and sum to exactly one")
        return found

    def level(self) -> Level:
        """A loss: a number, "log(r)" or "infinity"."""
        is_log = isinstance(self.value, str) and self.value.startswith("log(") and self.value.endswith(")")
        inner = Node(str(self.value)[4:-1], self.parent, self.key) if is_log else self
        value = None if self.value == "infinity" else inner.number()
        if value is not None and value < (1 if is_log else 0):
            self.fail("a loss is never negative")
        return log_of(value) if is_log and value is not None else exactly(value)

    def limit(self) -> Fraction | None:
        """A distortion: a number, or None for "infinity"."""
        return None if self.value == "infinity" else self.number()


# -- The problem: inputs and their distances, sources, costs -----------------------------------------------------------


class Universe:
    """Inputs 0 ... size - 1: databases of `rows` rows over `letters` values in lexicographic order.

    `edges` holds the distances of neighbours in a graph or metric; None: databases that differ in one row are at
    distance 1 (an alphabet: databases of one row). `values` are the labels, if all of them are numbers.
    """

    def __init__(self, letters: int, rows: int = 1, values: list[Fraction] | None = None) -> None:
        self.letters, self.rows, self.size, self.values = letters, rows, letters**rows, values
        self.edges: dict[tuple[int, int], Fraction] | None = None

    def distance(self, x: int, z: int) -> Fraction:
        if self.edges is not None:
            found = self.edges.get((min(x, z), max(x, z)))
        else:
            differ, i, j = 0, x, z
            while i != j:
                differ, i, j = differ + (i % self.letters != j % self.letters), i // self.letters, j // self.letters
            found = ONE if differ == 1 else None
        if found is None:
            raise Refused(f"the inputs {x} and {z} are not neighbours")
        return found

    def cliques(self) -> Iterator[tuple[Sequence[int], Fraction]]:
        """Sets of inputs that are neighbours of each other at one distance; every two neighbours are in one."""
        if self.edges is not None:
            yield from self.edges.items()
            return
        for place in (self.letters**row for row in range(self.rows)):
            starts = (first for first in range(self.size) if first // place % self.letters == 0)
            yield from ((range(first, first + place * self.letters, place), ONE) for first in starts)

    def neighbours(self) -> Iterator[tuple[int, int, Fraction]]:
        for clique, distance in self.cliques():
            spend(len(clique) ** 2)
            yield from ((x, z, distance) for x, z in permutations(clique, 2))


def read_universe(node: Node) -> Universe:
    kind, entry, given = node.one_of("alphabet size databases graph metric", "labels" if node.has("metric") else "")
    if kind == "databases":
        inner = entry.fields("rows", "size alphabet")
        rows = inner["rows"].whole(1, MOST_BITS)
        row = read_universe(Node({k: v.value for k, v in inner.items() if k != "rows"}, entry, "", True))
        if row.letters.bit_length() * rows > MOST_BITS:
            entry.fail("there are too many databases")
        return Universe(row.letters, rows, row.values)
    if kind == "graph":
        inner = entry.fields("nodes edges")
        universe = Universe(len(inner["nodes"].items()), 1, read_values(inner["nodes"]))
        ends = [[end.whole(0, universe.size - 1) for end in edge.items(2)] for edge in inner["edges"].items()]
        universe.edges = {(min(edge), max(edge)): ONE for edge in ends}
        if len(universe.edges) < len(ends) or any(i == j for i, j in universe.edges):
            entry.fail("an edge stands twice, or joins a node to itself")
        return universe
    if kind == "metric":
        table = entry.items()
        size = len(table)
        lengths = [[None if e.value is None else e.number() for e in row.items(size)] for row in table]
        universe = Universe(size, 1, read_values(given["labels"], size) if "labels" in given else None)
        pairs = [(i, j, lengths[i][j]) for i in range(size) for j in range(size)]
        if any(d != lengths[j][i] or (d != 0 if i == j else d is not None and d <= 0) for i, j, d in pairs):
            entry.fail("a metric is symmetric, zero on the diagonal and positive elsewhere")
        universe.edges = {(i, j): d for i, j, d in pairs if i < j and d is not None}
        return universe
    if kind == "alphabet":
        return Universe(len(entry.items()), 1, read_values(entry))
    return Universe(entry.whole(1, 1 << 30))


def read_values(node: Node, count: int | None = None) -> list[Fraction] | None:
    """The labels, if all are numbers: JSON numbers of at most 15 digits, which everybody reads alike, or rationals."""
    values, labels = list[Fraction](), node.items(count)
    for entry in labels:
        if entry.has("rational"):
            values.append(entry.fields("rational")["rational"].number())
        elif type(entry.value) in (int, Decimal):
            values.append(entry.number())
            if len(re.sub(r"[eE].*|\D", "", str(entry.value)).strip("0")) > 15:
                entry.fail("a number that is a label has at most 15 digits")
    return values if len(values) == len(labels) else None


class Source(NamedTuple):
    """Laws on the inputs. Kind "listed": `points`, and their mixtures if convex; "box": lower <= p <= upper; "ball":
    at most `mass` of the center `lower` moves; "polytope": matrix p <= bounds; "everything"; "rows": independent rows,
    each with one of `rows`, or all with one unknown law of the first (`shared`)."""

    kind: str
    size: int
    convex: bool = True
    points: tuple[Law, ...] = ()
    lower: Law = ()
    upper: Law = ()
    mass: Fraction = ZERO
    matrix: tuple[Law, ...] = ()
    bounds: Law = ()
    rows: tuple[Source, ...] = ()
    number: int = 1
    shared: bool = False

    def contains(self, law: Law) -> bool:
        if self.kind == "listed":
            return law in self.points
        if self.kind == "box":
            return all(a <= p <= b for a, p, b in zip(self.lower, law, self.upper, strict=True))
        if self.kind == "ball":
            return sum(abs(p - c) for p, c in zip(law, self.lower, strict=True)) <= 2 * self.mass
        if self.kind == "polytope":
            return all(dot(row, law) <= bound for row, bound in zip(self.matrix, self.bounds, strict=True))
        laws, rest = list[Law](), law
        for _ in range(self.number if self.kind == "rows" else 0):  # the law of the first row, then that of the others
            spend(len(rest))
            width = len(rest) // self.rows[0].size
            blocks = [rest[k : k + width] for k in range(0, len(rest), width)]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        return self.kind == "everything" or (joint(laws) == law and self.holds(laws))

    def row(self, number: int) -> Source:
        return self.rows[number if len(self.rows) > 1 else 0]

    def holds(self, laws: Sequence[Law]) -> bool:
        """Whether the rows may have these laws."""
        if self.kind != "rows":
            return self.kind == "everything" or self.contains(joint(laws))
        spend(sum(map(len, laws)))
        different = {(r if len(self.rows) > 1 else 0, law) for r, law in enumerate(laws)}
        return (not self.shared or len(different) == 1) and all(self.row(r).contains(law) for r, law in different)

    def largest(self, cost: Sequence[Fraction], multipliers: Iterator[Node]) -> Fraction:
        """At least the mean cost under every law of the set: the worst, or for a polytope a bound by weak duality."""
        spend(self.size * max(1, len(self.points), len(self.matrix)))
        if self.kind == "listed":
            return max(dot(cost, point) for point in self.points)
        if self.kind == "everything":
            return max(cost)
        if self.kind == "polytope":  # cost . p <= max(cost - u matrix) + u . bounds for every u >= 0
            node, rest = next(multipliers, None), list(cost)
            if node is None:
                raise Refused("multipliers for a polytope are missing")
            chosen = node.numbers(len(self.bounds))
            require(min(chosen) >= 0, "a multiplier is negative")
            for u, row in zip(chosen, self.matrix, strict=True):
                rest = [c - u * a for c, a in zip(rest, row, strict=True)] if u else rest
            return max(rest) + dot(chosen, self.bounds)
        total, dearest = dot(cost, self.lower), max(cost)
        left = 1 - sum(self.lower) if self.kind == "box" else self.mass
        for x in sorted(range(self.size), key=lambda x: cost[x], reverse=self.kind == "box"):
            if self.kind == "box":  # fill up the dearest inputs first
                moved = min(left, self.upper[x] - self.lower[x])
                total += moved * cost[x]
            else:  # from the cheapest inputs to the dearest
                moved = min(left, self.lower[x])
                total += moved * (dearest - cost[x])
            left -= moved
        return total

    def corners(self) -> list[Law]:
        """Laws of the set whose mixtures are its hull: its corners."""
        if self.kind == "listed":
            return list(self.points)
        if self.kind == "box":
            return sorted(fill(self.lower, self.upper, ONE))
        spend(self.size**2)
        units = [tuple(Fraction(j == x) for j in range(self.size)) for x in range(self.size)]
        if self.kind == "polytope":
            return sorted(cut(units, zip(self.matrix, self.bounds, strict=True)))
        if self.kind == "everything":
            return units
        found = set[Law]()
        for unit, c in zip(units, self.lower, strict=True):  # all that moves goes to one input, as from a box
            others = tuple(ZERO if e else p for e, p in zip(unit, self.lower, strict=True))
            for taken in fill((ZERO,) * self.size, others, min(self.mass, 1 - c)):
                moved = sum(taken)
                found.add(tuple(p - t + moved * e for p, t, e in zip(self.lower, taken, unit, strict=True)))
        return sorted(found)


def fill(lower: Law, upper: Law, total: Fraction) -> set[Law]:
    """The corners of lower <= p <= upper with a given sum: all entries are at a bound, but for one that is free."""
    found = set[Law]()
    for free in range(len(lower)):
        partial: list[tuple[Law, Fraction]] = [((), ZERO)]  # what is chosen, and its sum
        low, high = sum(lower), sum(upper)  # of what is not chosen yet
        for x, ends in enumerate(zip(lower, upper, strict=True)):
            low, high = low - ends[0] * (x != free), high - ends[1] * (x != free)
            tried = [((*p, e), s + e) for p, s in partial for e in ({ZERO} if x == free else {*ends})]
            spend(len(tried) * (x + 1))
            partial = [(p, s) for p, s in tried if s + low <= total <= s + high]
        found |= {(*p[:free], total - s, *p[free + 1 :]) for p, s in partial}
    return found


def cut(base: list[Law], inequalities: Iterable[tuple[Law, Fraction]]) -> set[Law]:
    """The corners of the mixtures p of some laws with row . p <= bound for each inequality, one cut after the other.

    A cut makes a corner on every edge from a corner that stays to one that goes. Two corners have an edge in common if
    no third lies on all inequalities that both lie on (bits of a mask).
    """
    spend(len(base) ** 2)
    found = {tuple(Fraction(j == k) for j in range(len(base))): (1 << len(base)) - 1 ^ 1 << k for k in range(len(base))}
    for number, (row, bound) in enumerate(inequalities):
        on_base, tight = [dot(row, law) for law in base], 1 << len(base) + number
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


def read_source(node: Node, universe: Universe | None) -> Source:
    kinds = "prior finite hull box ball polytope everything rows"
    kind, entry, given = node.one_of(kinds, "iid" if node.has("rows") else "")
    if kind in ("prior", "finite", "hull"):
        points = (entry.law(),) if kind == "prior" else tuple(point.law() for point in entry.items())
        if len({len(point) for point in points}) != 1:
            entry.fail("distributions of one length were expected")
        return Source("listed", len(points[0]), kind == "hull" or len(points) == 1, points)
    if kind == "box":
        inner = entry.fields("lower upper")
        lower, upper = entry.fields("lower upper")["lower"].numbers(), inner["upper"].numbers()
        ordered = len(lower) == len(upper) and all(0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True))
        if not ordered or not sum(lower) <= 1 <= sum(upper):
            entry.fail("the box is malformed, or holds no distribution")
        return Source(kind, len(lower), lower=lower, upper=upper)
    if kind == "ball":
        inner = entry.fields("center radius")
        center, radius = inner["center"].law(), inner["radius"].number()
        if not 0 <= radius <= 2:
            entry.fail("the radius of a ball lies between 0 and 2")
        return Source(kind, len(center), lower=center, mass=radius / 2)
    if kind == "polytope":
        inner = entry.fields("matrix bounds")
        matrix = inner["matrix"].table()
        return Source(kind, len(matrix[0]), matrix=tuple(matrix), bounds=inner["bounds"].numbers(len(matrix)))
    if kind == "everything":
        return Source(kind, entry.whole(1, 1 << MOST_BITS))
    if universe is None or universe.edges is not None:
        node.fail("a source by rows needs databases")
    several, iid = isinstance(entry.value, list), given["iid"].value if "iid" in given else None
    rows = tuple(read_source(row, None) for row in (entry.items(universe.rows) if several else [entry]))
    if any(row.size != universe.letters for row in rows) or type(iid) is int or iid not in (None, False, not several):
        node.fail("each row has a source on the values; one that all rows share (iid) stands alone")
    shared = not several and iid is not False
    known = all(row.kind == "listed" and len(row.points) == 1 for row in rows)
    return Source(kind, universe.size, known, rows=rows, number=universe.rows, shared=shared)


class Cost:
    """d(x,y) for inputs x and outputs y, column by column; a gain is minus a cost."""

    def __init__(self, node: Node, universe: Universe) -> None:
        kind, entry, _ = node.one_of("name matrix gain")
        self.name = entry.text("hamming", "absolute", "squared") if kind == "name" else ""
        self.matrix = entry.table(universe.size) if kind != "name" else []
        if kind == "matrix" and any(min(row) < 0 for row in self.matrix):
            entry.fail("a cost is negative")
        self.universe, self.is_gain = universe, kind == "gain"
        self.outputs = len(self.matrix[0]) if self.matrix else universe.size

    def column(self, y: int) -> list[Fraction]:
        spend(self.universe.size)
        if self.matrix:
            return [-row[y] if self.is_gain else row[y] for row in self.matrix]
        found, letters, values = [ZERO], self.universe.letters, self.universe.values
        for row in reversed(range(self.universe.rows)):  # the cost of two databases is the sum over their rows
            j = y // letters**row % letters
            if self.name == "hamming":
                gaps = [ZERO if i == j else ONE for i in range(letters)]
            else:
                gaps = [abs(values[i] - values[j] if values else Fraction(i - j)) for i in range(letters)]
                gaps = gaps if self.name == "absolute" else [gap * gap for gap in gaps]
            found = [cost + gap for cost in found for gap in gaps] if self.universe.rows > 1 else gaps
        return found


# -- The table of notions: what "the loss is at most L" says about the columns q of a mechanism ------------------------

Form: TypeAlias = dict[int, Fraction] | int  # coefficients of entries of a column; or i: its mean under the i-th point
FAMILIES = {  # family, fields that it has, fields that it may have
    "differential_privacy": ("pairs", "", ""),
    "approximate_differential_privacy": ("pairs", "delta", "reading"),
    "renyi_differential_privacy": ("renyi", "order", ""),
    "identifiability": ("identifiability", "", ""),
    "maximal_information": ("output", "", ""),
    "local_information_privacy": ("local", "", "delta"),
    "maximal_leakage": ("maximal", "", ""),
    "min_entropy_capacity": ("maximal", "", ""),
    "min_entropy_leakage": ("guessing", "", ""),
    "mutual_information": ("information", "", ""),
    "capacity": ("capacity", "", ""),
    "sibson_mutual_information": ("sibson", "order", ""),
    "pointwise_leakage": ("pointwise", "", ""),
}


class Notion(NamedTuple):
    family: str
    order: Fraction = ONE
    delta: Fraction = ZERO
    events: bool = False

    @property
    def is_free(self) -> bool:  # the same whatever the law of the inputs
        return self.family in ("pairs", "renyi", "maximal")


def read_notion(node: Node) -> Notion:
    """A notion by its family; orders that are limits are read as the notion that they are."""
    name = Node(node.value.get("name") if isinstance(node.value, dict) else None, node, "name").text(*FAMILIES)
    family, required, optional = FAMILIES[name]
    given = node.fields("name " + required, optional)
    infinite = "order" in given and given["order"].value == "infinity"
    order = given["order"].number() if "order" in given and not infinite else ONE
    delta = given["delta"].number() if "delta" in given else ZERO
    by_event = "reading" not in given or given["reading"].text("event", "pointwise") == "event"
    if order <= 0 or not 0 <= delta <= 1:
        node.fail("an order is positive, and a delta lies between 0 and 1")
    if infinite:
        return Notion("pairs" if family == "renyi" else "maximal")
    family = "information" if family == "sibson" and order == 1 else family
    return Notion(family, order, delta, by_event and delta > 0)


class Ratio(NamedTuple):
    """left(q) <= e^(L distance) right(q) + slack (times e^L if it `grows`); distance None stands for infinity.

    With `events` the positive parts of left - e^(L distance) right are added up over the outputs first.
    """

    left: Form
    right: Form
    distance: Fraction | None = ONE
    slack: Fraction = ZERO
    events: bool = False
    grows: bool = False


class Sum(NamedTuple):
    """The sum over columns and atoms (weight, left, right) of weight * f(q) is at most b(L).

    maximum: max_x left_x q_x, b = e^L; entropy: left log(left/right), b = L * distance; power: +-left^a right^(1-a),
    b = +-e^((a-1) L distance); norm: +-(sum_x left_x q_x^a)^(1/a), b = +-e^(L (a-1)/a); + for orders a > 1, else -.
    """

    kind: str
    atoms: list[tuple[Fraction, dict[int, Fraction], Form]]
    order: Fraction = ONE
    distance: Fraction = ONE


class Table:
    """The bounds of a notion by name, at some points: laws at which a notion that depends on the law is read.

    By distances (`sizes`), the entries of the one column are f(0) ... f(n): Q(y|x) = f(l) if x and y differ in l rows.
    N_l of the M databases are at distance l; the uniform law gives N_l / M to them; weights of atoms count M columns.
    """

    def __init__(self, notion: Notion, universe: Universe, points: Sequence[Law] | None) -> None:
        self.notion, self.universe, self.inputs, self.sizes = notion, universe, universe.size, list[int]()
        self.points = [{x: p for x, p in enumerate(point) if p} for point in points or []]
        if points is None:
            known = ("pairs", "maximal", "guessing", "output", "information", "capacity", "sibson")
            require(notion.family in known and not notion.events, "this notion is not known by distances")
            require(universe.edges is None, "distances need databases")
            n, self.sizes = universe.rows, [1]
            spend(n * (1 + universe.size.bit_length() // 64))
            for row in range(n):
                self.sizes.append(self.sizes[-1] * (n - row) * (universe.letters - 1) // (row + 1))
            self.inputs, self.points = n + 1, [{x: Fraction(s, universe.size) for x, s in enumerate(self.sizes) if s}]

    def names(self) -> Iterator[tuple[int, ...]]:
        """The names of all bounds: a point, if the notion depends on one; inputs; for local privacy a side."""
        tails: Iterable[tuple[int, ...]] = [()]
        if self.notion.family in ("pairs", "renyi", "identifiability"):
            steps = ((x, z) for x in range(self.inputs) for z in (x - 1, x + 1) if 0 <= z < self.inputs)
            tails = steps if self.sizes else ((x, z) for x, z, _ in self.universe.neighbours())
        elif self.notion.family in ("output", "local", "pointwise"):
            sides = (0, 1) if self.notion.family == "local" else ()
            tails = ((x, side) if sides else (x,) for x in range(self.inputs) for side in sides or (0,))
        points = [()] if self.notion.is_free else [(i,) for i in range(len(self.points))]
        yield from ((*point, *tail) for tail in tails for point in points)

    def bound(self, *name: int) -> Ratio | Sum:
        """The bound with a name."""
        family, order, delta, events = self.notion
        point, inputs = ((), name) if self.notion.is_free else (name[:1], name[1:])
        length = {"pairs": 2, "renyi": 2, "identifiability": 2, "local": 2, "output": 1, "pointwise": 1}.get(family, 0)
        known = all(i < len(self.points) for i in point) and all(x < self.inputs for x in inputs)
        require(len(inputs) == length and len(point) == (not self.notion.is_free) and known, "no bound has this name")
        own, count = self.points[point[0]] if point else {}, Fraction(self.universe.size if self.sizes else 1)
        spend(self.inputs if length == 0 else 1)
        if length == 2 and family != "local":
            x, z = inputs
            require(not self.sizes or abs(x - z) == 1, "distances that differ by one are compared")
            distance = ONE if self.sizes else self.universe.distance(x, z)
            if family == "renyi":
                return Sum("entropy" if order == 1 else "power", [(ONE, {x: ONE}, {z: ONE})], order, distance)
            if family == "pairs":
                return Ratio({x: ONE}, {z: ONE}, distance, delta, events)
            return Ratio({x: own[x]} if x in own else {}, {z: own[z]} if z in own else {}, distance)
        if family == "output":
            return Ratio({inputs[0]: ONE}, point[0])
        if family == "local":
            x, side = inputs
            require(side < 2, "no bound has this name")
            forms: tuple[Form, Form] = ({x: ONE}, point[0]) if side else (point[0], {x: ONE})
            return Ratio(*forms, ONE, delta, delta > 0, side == 1)
        if family == "pointwise":
            return Sum("entropy", [(ONE, {inputs[0]: ONE}, point[0])])
        if family == "maximal":
            return Sum("maximum", [(count, dict.fromkeys(range(self.inputs), ONE), {})])
        if family == "guessing":  # by distances: single databases are equally likely
            most = max(own.values())
            return Sum("maximum", [(count, {x: ONE if self.sizes else p / most for x, p in own.items()}, {})])
        if family == "sibson":
            return Sum("norm", [(count, own, point[0])], order)
        return Sum("entropy", [(count * p, {x: ONE}, point[0]) for x, p in own.items()])

    def ratio(self, name: list[int], level: Level) -> Ratio:
        """A ratio bound; one that follows from a sum is named by it, the number of an atom (an input), and a side."""
        if self.notion.family in ("pairs", "identifiability", "output", "local"):
            found = self.bound(*name)
            assert isinstance(found, Ratio)
            return found
        require(len(name) >= 2, "no bound has this name")
        *rest, k, side = name
        bound = self.bound(*rest)
        assert isinstance(bound, Sum)
        entries = [({x: ONE}, right) for _, left, right in bound.atoms for x in left]  # of a norm, all its inputs
        require(bound.kind != "maximum" and k < len(entries) and side < 2, "no bound has this name")
        left, right = entries[k]
        if level.of == 1:  # at level zero a divergence vanishes: what it compares is equal
            return Ratio(right, left, ZERO) if side else Ratio(left, right, ZERO)
        finite = bound.kind == "entropy" or (bound.kind == "power" and bound.order > 1)
        require(finite and not side, "such a ratio follows at level zero only")
        return Ratio(left, right, None)  # a finite divergence: where the right side is zero, the left is

    def scale(self) -> tuple[dict[int, Fraction], Fraction]:
        """Scales and slack where the bounds say scale_x q_x <= e^L scale_z q_z + slack for all inputs x and z."""
        require(self.universe.edges is None and self.universe.rows == 1 and not self.sizes, "spread needs an alphabet")
        if self.notion.family == "pairs":
            return dict.fromkeys(range(self.inputs), ONE), self.notion.delta
        full = len(self.points) == 1 and len(self.points[0]) == self.inputs
        require(full and self.notion.family == "identifiability", "spread needs a bound between all inputs")
        return self.points[0], ZERO


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


# -- Excluded: adding up constraints -----------------------------------------------------------------------------------


class Problem(NamedTuple):
    """What is asked about; `given` are the fields of the document."""

    notion: Notion
    universe: Universe
    source: Source
    cost: Cost
    given: dict[str, Node]


class Bounds(NamedTuple):
    """The numbers of a claim; a distortion None is infinite."""

    loss: Level
    distortion: Fraction | None
    loss_is_open: bool = False


def use_digits(claim: dict[str, Node]) -> None:
    """Enclose with so many decimal digits from here on; ten more are kept against rounding."""
    DOWN.prec = UP.prec = 10 + (claim["digits"].whole(10, 2000) if "digits" in claim else 60)
    ln.cache_clear()


def member(node: Node, source: Source, given: Source) -> Law:
    """A law of a source: written out, or the number of one that the source of the problem lists."""
    spend(source.size)
    if type(node.value) is int:
        return given.points[node.whole(0, len(given.points) - 1)]
    law = node.law(source.size)
    require(source.contains(law), "a distribution is not in the source")
    return law


def mixture(node: Node, source: Source, given: Source, mixes: bool) -> Law:
    """A mixture [[weight, law], ...] of members of a source; of one alone unless mixtures are allowed."""
    parts = [entry.items(2) for entry in node.items()]
    spend(8 * source.size)  # a point is kept
    weights, laws = [w.number() for w, _ in parts], [member(law, source, given) for _, law in parts]
    require(sum(weights) == 1 and min(weights) >= 0, "the weights of a mixture are no distribution")
    require(mixes or len(parts) == 1, "the laws of this source may not be mixed")
    return tuple(dot(weights, column) for column in zip(*laws, strict=True))


def check_excluded(problem: Problem, node: Node) -> Bounds:
    """Verify that no mechanism is as good as claimed."""
    evidence = "rows uniform" if node.has("rows") else "order points symmetry uniform steps"
    claim = node.fields("loss distortion open", f"digits {evidence}")
    use_digits(claim)
    loss_is_open = claim["open"].text("loss", "distortion") == "loss"
    bounds = Bounds(claim["loss"].level(), claim["distortion"].limit(), loss_is_open)
    if "rows" in claim:
        rows_excluded(problem, claim, bounds)
        return bounds
    notion, universe, source = problem.notion, problem.universe, problem.source
    if "order" in claim:  # divergences and informations grow with their order
        name, order = (problem.given["notion"].fields("name order")[field] for field in ("name", "order"))
        smaller = order.value == "infinity" or claim["order"].number() <= order.number()
        require(smaller, "the order is larger than that of the notion")
        notion = read_notion(Node({"name": name.value, "order": claim["order"].value}, node, "order"))
    if "symmetry" in claim:
        claim["symmetry"].text("distances")
        require(problem.cost.name == "hamming", "distances need Hamming's cost")
        spend(universe.letters)
        row = (Fraction(1, universe.letters),) * universe.letters
        check_product(problem, claim, [row] * universe.rows)
        table = Table(notion, universe, None)
    else:
        laws = Source("everything", universe.size) if notion.family == "capacity" else source
        points = claim["points"].items() if "points" in claim else []
        table = Table(notion, universe, [mixture(entry, laws, source, laws.convex) for entry in points])
    contradiction = loss_is_open and bounds.loss.of == 1  # a loss is never negative
    outputs = 1 if table.sizes else problem.cost.outputs
    spend(table.inputs + outputs)
    zeros: list[set[int]] = [set() for _ in range(outputs)]
    for step in claim["steps"].items() if "steps" in claim else []:
        require(not contradiction, "there are steps after the contradiction")
        after = Step(problem, table, bounds, zeros).take(step)
        contradiction, zeros = contradiction or after is None, after or zeros
    require(contradiction, "the steps end without a contradiction")
    return bounds


Zeros: TypeAlias = list[set[int]]  # for each output, the inputs that are known not to give it


class Step:
    """A sum of constraints, and the entries that are known to vanish before it, by output."""

    def __init__(self, problem: Problem, table: Table, bounds: Bounds, zeros: Zeros) -> None:
        self.problem, self.table, self.zeros, self.outputs = problem, table, zeros, len(zeros)
        self.level, self.limit, self.is_open = bounds
        self.bound, self.is_strict = ZERO, False
        self.extra: list[dict[int, Fraction]] = [{} for _ in zeros]  # coefficients, beside weight * cost - price
        self.means: list[dict[int, Fraction]] = [{} for _ in zeros]  # multiples of the mean under a point
        self.rising: list[set[int]] = [set() for _ in zeros]  # on the right of ratio bounds that grow with the loss
        self.conjugate: tuple[Fraction, dict[int, Fraction]] | None = None

    def add(self, y: int, form: Form, amount: Fraction) -> None:
        column = self.means[y] if isinstance(form, int) else self.extra[y]
        for x, c in [(form, ONE)] if isinstance(form, int) else form.items():
            column[x] = column.get(x, ZERO) + amount * c

    def entries(self, form: Form) -> Iterable[int]:
        spend(len(self.table.points[form]) if isinstance(form, int) else 0)
        return self.table.points[form] if isinstance(form, int) else form

    def take(self, node: Node) -> Zeros | None:
        """What is known to vanish after the step; None for a contradiction."""
        step, sizes, inputs = node.fields("", "laws ratios sums rows spread"), self.table.sizes, self.table.inputs
        weight = [ZERO] * inputs
        for entry in step["laws"].items() if "laws" in step else []:
            multiple, *law = entry.items(1 if sizes else 2)
            w, source = multiple.number(), self.problem.source
            spend(len(sizes))
            by_size = tuple(Fraction(s * x) for x, s in enumerate(sizes))
            each = by_size if sizes else member(law[0], source, source)
            if self.limit is None or w < 0:
                raise Refused("the weight of a distribution is negative, or the distortion infinite")
            weight = [a + w * p for a, p in zip(weight, each, strict=True)]
            self.bound, self.is_strict = self.bound + w * self.limit, self.is_strict or (w > 0 and not self.is_open)
        self.add_ratios(step["ratios"].items() if "ratios" in step else [])
        for entry in step["sums"].items() if "sums" in step else []:
            name, multiple, tangents = entry.items(3)
            bound = self.table.bound(*(part.whole(0, MOST_BYTES) for part in name.items()))
            self.add_sum(bound, multiple.number(), tangents)
        prices = step["rows"].numbers(1 if sizes else inputs) if "rows" in step else (ZERO,) * (1 if sizes else inputs)
        self.bound -= sum(prices, ZERO)
        return self.judge(weight, [prices[0] * s for s in sizes] if sizes else prices, step.get("spread"))

    def add_ratios(self, entries: list[Node]) -> None:
        """m (left - e^(L distance) right) <= m slack; over events only the output with the largest multiple pays."""
        require(not entries or self.level.low is not None or self.is_open, "an infinite loss bounds nothing")
        events: dict[tuple[int, ...], tuple[Fraction, dict[int, Fraction]]] = {}
        for entry in entries:
            *numbers, place, multiple = entry.items() if len(entry.items()) > 2 else entry.fail("a name was expected")
            name, m, y = [n.whole(0, MOST_BYTES) for n in numbers], multiple.number(), place.whole(0, self.outputs - 1)
            bound = self.table.ratio(name, self.level)
            require(m >= 0, "a multiplier is negative")
            self.add(y, bound.left, m)
            if self.level.low is None or bound.distance is None:
                known = all(x in self.zeros[y] for x in self.entries(bound.right))
                require(known, "where e^L has no bound, the right side of a ratio must be known to vanish")
            else:
                self.add(y, bound.right, -m * self.level.growth(bound.distance)[1])
                if self.is_open and m > 0 and bound.distance > 0:
                    self.rising[y].update(self.entries(bound.right))
            if bound.slack:
                slack = bound.slack * (self.level.growth(ONE)[1] if bound.grows else ONE)
                cells = events.setdefault((*name, *(() if bound.events else (-1, len(events)))), (slack, {}))[1]
                cells[y] = cells.get(y, ZERO) + m
        self.bound += sum((slack * max(cells.values()) for slack, cells in events.values()), ZERO)

    def add_sum(self, bound: Ratio | Sum, s: Fraction, node: Node) -> None:
        """s times the tangents of a sum <= s b(L); powers and norms are divided by |b(L)|."""
        if isinstance(bound, Ratio) or s <= 0 or (self.level.low is None and not self.is_open):
            raise Refused("no sum bound, or its multiplier is not positive, or the loss may be infinite")
        level, a, sign = self.level, bound.order, ONE if bound.order > 1 else -ONE
        self.is_strict = self.is_strict or (self.is_open and level.low is not None)
        if bound.kind in ("power", "norm"):  # at any finite loss: only if no tangent depends on it
            self.bound += s * sign
        else:
            self.bound += s * (level.growth(ONE)[1] if bound.kind == "maximum" else level.pair()[1] * bound.distance)
        weight, own, _ = bound.atoms[0]
        if node.value == "conjugate":
            require(self.conjugate is None and self.table.notion.family in ("information", "capacity"), "no conjugate")
            self.conjugate = s, {x: w for w, left, _ in bound.atoms for x in left}
        elif bound.kind == "maximum":
            shares: dict[int, Fraction] = {}
            for entry in node.items():
                place, who, share = entry.items(3)
                y, x, amount = place.whole(0, self.outputs - 1), who.whole(0, self.table.inputs - 1), share.number()
                shares[y] = shares.get(y, ZERO) + amount
                require(amount >= 0 and shares[y] <= 1 and x in own, "no mixture of the entries of a maximum")
                self.add(y, {x: own[x]}, s * weight * amount)
        elif bound.kind == "norm":
            for y, column in enumerate(node.items(self.outputs)):
                places = dict(zip(own, column.items(len(own)), strict=True))
                f = {x: p.number() for x, p in places.items() if p.value is not None or x not in self.zeros[y]}
                require(all(p > 0 or (p == 0 and a > 1) for p in f.values()), "a place is not positive")
                most = max(f.values(), default=ZERO)
                inner = norm([own[x] for x in f], list(f.values()), a) if most else (ONE, ONE)
                unit = scaled(inner, ONE, (1 - a) / a, level) if most else inner
                for x, p in f.items():
                    slope = power(p / most, a - 1) if p else (ZERO, ZERO)
                    self.add(y, {x: own[x]}, s * weight * times((slope[0] * unit[0], slope[1] * unit[1]), sign)[0])
        else:
            for (weight, left, right), by_output in zip(bound.atoms, node.items(len(bound.atoms)), strict=True):
                for y, place_ in enumerate(by_output.items(self.outputs)):
                    sides = (left, right) if bound.kind == "power" and a < 1 else (left,)
                    if place_.value is None and any(all(x in self.zeros[y] for x in self.entries(f)) for f in sides):
                        continue
                    r = place_.number()
                    require(r > 0, "a place is not positive")
                    if bound.kind == "entropy":
                        up, down = 1 + ln(r)[0], -r
                    else:
                        slope = times(scaled((r, r), -bound.distance, a - 1, level), sign)
                        up, down = times(slope, a)[0], times(slope, (1 - a) * r)[0]
                    self.add(y, left, s * weight * up)
                    self.add(y, right, s * weight * down)

    def judge(self, weight: Sequence[Fraction], prices: Sequence[Fraction], spread: Node | None) -> Zeros | None:
        """Test the coefficients of each column, over the entries that may be positive; then the total.

        Spread: with l the least scale_x q_x of a column, the positive parts of c / scale are worth at least l times
        their sum, the negative ones at most e^L l + slack times theirs. Conjugate: by the log-sum inequality,
        s I(q) + c.q >= -s q(y) log(sum of p e^(-c/(s p))).
        """
        scale, slack = self.table.scale() if spread is not None else ({}, ZERO)
        growth = self.level.growth(ONE)[1] if spread is not None else ZERO
        joins, after = not self.conjugate and (self.is_open or spread is None), list[set[int]]()
        if spread is not None and spread.value is not True:
            spread.fail("true was expected")
        for y, known in enumerate(self.zeros):
            cost = [ONE] * len(weight) if self.table.sizes else self.problem.cost.column(y)
            column = [w * d - price for w, d, price in zip(weight, cost, prices, strict=True)]
            for x, c in self.extra[y].items():
                column[x] += c
            for i, m in self.means[y].items():
                for x in self.entries(i):
                    column[x] += m * self.table.points[i][x]
            live = [(x, c) for x, c in enumerate(column) if x not in known]
            if spread is not None:
                negative = sum((-c / scale[x] for x, c in live if c < 0), ZERO)
                passes = sum((c / scale[x] for x, c in live if c > 0), ZERO) >= growth * negative
                self.bound += slack * negative
            elif self.conjugate:
                s, total = self.conjugate[0], sum(self.conjugate[1].values(), ZERO)
                for x, w in self.conjugate[1].items():
                    exponent = max(-column[x] / (s * w), Fraction(-5 * UP.prec)) if x not in known else None
                    total -= w * exp((exponent, exponent))[1] if exponent is not None else 0
                passes = total >= 0 and all(c >= 0 or x in self.conjugate[1] for x, c in live)
            else:
                passes = all(c >= 0 for _, c in live)
            require(passes, f"the coefficients of output {y} do not pass the test, so that nothing follows")
            after.append(known | self.rising[y] | {x for x, c in live if joins and c > 0})
        require(self.bound <= 0, "a step leaves room, so that nothing follows")
        return None if self.bound < 0 or self.is_strict else after


# -- Attained: a mechanism keeps to every bound ------------------------------------------------------------------------

HINTS = "output envelope shares multipliers"


class Evidence(NamedTuple):
    """A set of laws, and what the document offers to bound a supremum over it; multipliers are used up in order."""

    source: Source
    given: dict[str, Node]
    multipliers: Iterator[Node]

    def largest(self, cost: Sequence[Fraction]) -> Fraction:
        return self.source.largest(cost, self.multipliers)


def check_attained(problem: Problem, node: Node) -> Bounds:
    """Verify that a mechanism is as good as claimed."""
    required, optional = ("rows", "digits") if node.has("rows") else ("mechanism", f"digits cells {HINTS}")
    claim = node.fields(f"loss distortion {required}", optional)
    use_digits(claim)
    bounds = Bounds(claim["loss"].level(), claim["distortion"].limit())
    universe, notion = problem.universe, problem.notion
    if "rows" in claim:
        rows_attained(problem, claim["rows"], bounds)
        return bounds
    kind, entry, fields = claim["mechanism"].one_of("rows distances diagonal")
    if kind == "distances":
        distances_attained(problem, entry.numbers(universe.rows + 1), bounds)
        return bounds
    if kind == "rows":
        rows = entry.table(universe.size)
    else:  # Q(x|x) = diagonal(x), Q(y|x) = left(x) right(y)
        spend(universe.size**2)
        diagonal, left, right = (fields[name].numbers(universe.size) for name in ("diagonal", "left", "right"))
        rows = [tuple(diagonal[x] if x == y else u * v for y, v in enumerate(right)) for x, u in enumerate(left)]
    for x, row in enumerate(rows):
        lawful = len(row) == problem.cost.outputs and min(row) >= 0 and sum(row) == 1
        require(lawful, f"row {x} of the mechanism is no distribution on the outputs")
    columns, expected = list(zip(*rows, strict=True)), [ZERO] * len(rows)
    for y, column in enumerate(columns):
        expected = [e + q * d if q else e for e, q, d in zip(expected, column, problem.cost.column(y), strict=True)]
    if bounds.loss.low is not None and notion.is_free:
        check_bounds(Table(notion, universe, []), columns, bounds.loss)
    for source, given in leaves(problem.source, claim):
        evidence = Evidence(source, given, iter(given["multipliers"].items() if "multipliers" in given else []))
        enough = bounds.distortion is None or evidence.largest(expected) <= bounds.distortion
        require(enough, "the mechanism has more distortion than claimed")
        if bounds.loss.low is not None and not notion.is_free:
            check_loss(problem, rows, columns, bounds.loss, evidence)
        require(next(evidence.multipliers, None) is None, "multipliers are left over")
    return bounds


TOO_MUCH = "the mechanism loses more than claimed"
Means: TypeAlias = list[list[Fraction]]  # for each point and output, the probability of the output


def value(form: Form, q: Law, y: int, means: Means) -> Fraction:
    return means[form][y] if isinstance(form, int) else sum((c * q[x] for x, c in form.items()), ZERO)


def check_bounds(table: Table, columns: Sequence[Law], level: Level, *extremes: Means) -> None:
    """Every bound of a notion at some points, or with the least and the largest probabilities of outputs."""
    spend(sum(map(len, table.points)) * len(columns))
    means = [[sum((p * q[x] for x, p in point.items()), ZERO) for q in columns] for point in table.points]
    least, most = extremes or (means, means)
    simple = table.notion.family == "identifiability" or (table.notion.family == "pairs" and not table.notion.events)
    for scale in (table.points or [{}]) if simple and not table.sizes else []:
        for clique, distance in table.universe.cliques():  # among many inputs the extremes decide
            spend(len(clique) * len(columns))
            growth = level.growth(distance)[0]
            for q in columns:
                values = [q[x] * scale.get(x, ZERO) for x in clique] if scale else [q[x] for x in clique]
                require(max(values) <= growth * min(values) + table.notion.delta, TOO_MUCH)
    for name in table.names() if table.sizes or not simple else []:
        bound = table.bound(*name)
        spend(len(columns))
        if isinstance(bound, Sum):
            check_sum(bound, columns, least, level)
        else:
            growth = level.growth(bound.distance or ONE)[0]
            pairs = [(value(bound.left, q, y, most), value(bound.right, q, y, least)) for y, q in enumerate(columns)]
            excess = [left - growth * right for left, right in pairs]
            worst = sum(max(e, ZERO) for e in excess) if bound.events else max(excess)
            require(worst <= bound.slack * (growth if bound.grows else 1), TOO_MUCH)


def check_sum(bound: Sum, columns: Sequence[Law], means: Means, level: Level) -> None:
    a, total, logs = bound.order, (ZERO, ZERO), dict[Fraction, Fraction]()
    for weight, left, right in bound.atoms:
        spend(len(columns) * len(left))
        for y, q in enumerate(columns):
            if bound.kind == "maximum":
                total = plus(total, (weight * max(c * q[x] for x, c in left.items()),) * 2)
            elif bound.kind == "norm":
                if any(q[x] for x in left):
                    inner = scaled(norm(left.values(), [q[x] for x in left], a), 1 - a, 1 / a, level)
                    total = plus(total, times(inner, weight * max(q[x] for x in left)))
            elif p := value(left, q, y, means):
                r = value(right, q, y, means)
                require(r > 0 or a < 1, TOO_MUCH)
                if bound.kind == "entropy":
                    logs[p / r] = logs.get(p / r, ZERO) + weight * p
                elif r:
                    total = plus(total, times(scaled((p / r,) * 2, -bound.distance, a - 1, level), weight * p))
    if bound.kind == "entropy":
        holds = logs_at_most(logs, level, bound.distance)
    elif bound.kind == "maximum":
        holds = total[1] <= level.growth(ONE)[0]
    else:  # in units of the bound
        holds = total[1] <= 1 if a > 1 else total[0] >= 1
    require(holds, TOO_MUCH)


def check_loss(problem: Problem, rows: list[Law], columns: list[Law], level: Level, evidence: Evidence) -> None:
    """The bounds of a notion that depends on the law of the inputs, under every law of the source."""
    notion, universe, (source, given, _) = problem.notion, problem.universe, evidence
    if notion.family == "capacity":
        source = Source("everything", source.size)
    is_list = source.kind == "listed" and (len(source.points) == 1 or not source.convex)
    if notion.family == "guessing" and not is_list:
        check_guessing(columns, level, evidence)
    elif notion.family in ("information", "capacity", "sibson") and not is_list:
        check_divergences(notion, rows, level, evidence._replace(source=source))
    elif "envelope" in given:
        require(given["envelope"].value is True and notion.family in ("output", "local", "pointwise"), "no envelope")
        least, most = list[Fraction](), list[Fraction]()
        for column in columns:
            least.append(-evidence.largest([-q for q in column]))
            most.append(evidence.largest(column) if notion.family == "local" else ZERO)
        anywhere = (ONE,) + (ZERO,) * (len(rows) - 1)
        check_bounds(Table(notion, universe, [anywhere]), columns, level, [least], [most])
    else:  # convex in the law: at the corners
        for point in source.corners():
            check_bounds(Table(notion, universe, [point]), columns, level)


def check_divergences(notion: Notion, rows: list[Law], level: Level, evidence: Evidence) -> None:
    """An information is at most the worst mean divergence of the rows from any law r of the output."""
    if "output" not in evidence.given:
        raise Refused("over this source a distribution of the outputs is needed")
    r, a, costs, each = evidence.given["output"].law(len(rows[0])), notion.order, list[Fraction](), True
    is_power, sign = notion.family == "sibson", ONE if a > 1 else -ONE
    for x, row in enumerate(rows):
        spend(len(row))
        if a >= 1 and any(q and not s for q, s in zip(row, r, strict=True)):  # then no law may use the input
            require(evidence.largest([Fraction(k == x) for k in range(len(rows))]) <= 0, TOO_MUCH)
            costs.append(ZERO)
            continue
        logs, total = dict[Fraction, Fraction](), (ZERO, ZERO)
        for q, s in zip(row, r, strict=True):
            if q and s and is_power:
                total = plus(total, times(scaled((q / s,) * 2, -ONE, a - 1, level), sign * q))
            elif q and s:
                logs[q / s] = logs.get(q / s, ZERO) + q
        each = each and (total[1] <= sign if is_power else logs_at_most(logs, level))
        costs.append(total[1] if is_power else sum((times(ln(ratio), q)[1] for ratio, q in logs.items()), ZERO))
    require(each or evidence.largest(costs) <= (sign if is_power else level.pair()[0]), TOO_MUCH)


def check_guessing(columns: list[Law], level: Level, evidence: Evidence) -> None:
    """sum_y max_x p(x) q(x) <= e^L max p over a convex source."""
    (source, given, _), growth = evidence, level.growth(ONE)[0]
    units = [tuple(Fraction(j == x) for j in range(source.size)) for x in range(source.size)]
    spend(source.size * (source.size + len(columns)))
    laws: list[tuple[Sequence[Fraction], Fraction]] = []
    if "shares" in given:  # p(x) <= w(x) p(k) for an input k
        shares = list[Fraction]()
        for x, entry in enumerate(given["shares"].items(source.size)):
            w, k = entry.items(2)[0].number(), entry.items(2)[1].whole(0, source.size - 1)
            bounded = k == x or evidence.largest([a - w * b for a, b in zip(units[x], units[k], strict=True)]) <= 0
            require(w >= (k == x) and bounded, "a share is too small")
            shares.append(w)
        laws = [(shares, ONE)]
    else:  # convex where one input k is the likeliest
        base, sides = list(source.points or units), list(zip(source.matrix, source.bounds, strict=True))
        if source.kind == "box":
            sides = [(unit, high) for unit, high in zip(units, source.upper, strict=True)]
            sides += [(tuple(-e for e in unit), -low) for unit, low in zip(units, source.lower, strict=True)]
        for k, likeliest in enumerate(units):
            others = [unit for unit in units if unit != likeliest]
            less = [(tuple(a - b for a, b in zip(unit, likeliest, strict=True)), ZERO) for unit in others]
            laws += [(law, law[k]) for law in cut(base, [*less, *sides])]
    for law, unit_ in laws:
        spend(source.size * len(columns))
        require(sum(max(p * e for p, e in zip(law, q, strict=True)) for q in columns) <= growth * unit_, TOO_MUCH)


Leaves: TypeAlias = Iterator[tuple[Source, dict[str, Node]]]


def leaves(source: Source, claim: dict[str, Node]) -> Leaves:
    """Sets of laws that cover a source, with what the document offers for each.

    Laws of independent rows are covered by cells: for each row (for all, if shared) laws whose mixtures are possible.
    """
    if source.kind != "rows":
        require("cells" not in claim, "cells are for rows")
        yield source, claim
        return
    choices = [[row.corners()] if row.convex else [[law] for law in row.corners()] for row in source.rows]
    cells = product(*(choices if source.shared or len(source.rows) > 1 else choices * source.number))
    trees = iter(claim["cells"].items()) if "cells" in claim else None
    for cell in cells:
        spend(1)
        tree = next(trees, None) if trees is not None else None
        require(trees is None or tree is not None, "there are fewer cells than choices of the rows")
        yield from leaves_of(source, list(cell), tree, claim)
    require(trees is None or next(trees, None) is None, "there are more cells than choices of the rows")


def leaves_of(source: Source, cell: list[list[Law]], node: Node | None, given: dict[str, Node]) -> Leaves:
    """The leaves of a tree: the hull of mean products of laws of the cell holds all products of their mixtures.

    A cut at c = t v_i + (1 - t) v_j: a mixture that uses v_i and v_j is one of c and only one of the two.
    """
    if node is not None and node.has("cut"):
        fields = node.fields("cut cells")
        where, first, second, share = fields["cut"].items(4)
        row = where.whole(0, len(cell) - 1)
        i, j, t = first.whole(0, len(cell[row]) - 1), second.whole(0, len(cell[row]) - 1), share.number()
        require(i != j and 0 < t < 1, "a cut is between two laws of a cell")
        middle = tuple(t * a + (1 - t) * b for a, b in zip(cell[row][i], cell[row][j], strict=True))
        for gone, part in zip((i, j), fields["cells"].items(2), strict=True):
            laws = [middle if k == gone else law for k, law in enumerate(cell[row])]
            yield from leaves_of(source, [*cell[:row], laws, *cell[row + 1 :]], part, given)
        return
    points = list[Law]()
    if source.shared and len(cell[0]) > 1:
        for chosen in combinations_with_replacement(cell[0], source.number):
            spend(factorial(source.number))
            orders = [joint(order) for order in set(permutations(chosen))]
            points.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
    else:
        points = [joint(laws * (source.number if source.shared else 1)) for laws in product(*cell)]
    yield Source("listed", source.size, True, tuple(points)), given if node is None else node.fields("", HINTS)


def distances_attained(problem: Problem, f: Law, bounds: Bounds) -> None:
    """Q(y|x) = f(l) for databases that differ in l rows: inputs are alike, informations largest at the uniform law."""
    table, source, family = Table(problem.notion, problem.universe, None), problem.source, problem.notion.family
    require(problem.cost.name == "hamming", "distances need Hamming's cost")
    weights = [size * q for size, q in zip(table.sizes, f, strict=True)]
    require(min(f) >= 0 and sum(weights) == 1, "the rows of the mechanism are no distributions")
    mean = sum((x * weight for x, weight in enumerate(weights)), ZERO)
    require(bounds.distortion is None or mean <= bounds.distortion, "the mechanism has more distortion than claimed")
    points = [row.points for row in source.rows or (source,)]
    uniform = all(len(laws) == 1 and len(set(laws[0])) == 1 for laws in points)
    if bounds.loss.low is not None:
        require(uniform or family != "output", "the loss by distances is known at the uniform distribution only")
        check_bounds(table, [f], bounds.loss)


# -- Databases of independent rows: a claim about each kind of row -----------------------------------------------------


def read_parts(problem: Problem, node: Node, claim: str) -> list[tuple[Problem, Node, int]]:
    """[[{"source": ..., claim: ...}, count], ...], rows in order; the rest of their problem is that of the database."""
    universe, found = problem.universe, list[tuple[Problem, Node, int]]()
    require(universe.edges is None and problem.cost.name != "", "rows need databases and a cost that has a name")
    row = Universe(universe.letters, 1, universe.values)
    cost = Cost(problem.given["distortion"], row)
    for entry in node.items():
        part, count = entry.items(2)
        given = part.fields(f"source {claim}")
        source = read_source(given["source"], None)
        if source.size != row.size:
            part.fail("a row has another number of values")
        inner = Problem(problem.notion, row, source, cost, problem.given)
        found.append((inner, given[claim], count.whole(1, universe.rows)))
    require(sum(count for *_, count in found) == universe.rows, "there is not a part for each row")
    return found


def rows_attained(problem: Problem, node: Node, bounds: Bounds) -> None:
    """Rows treated one by one: distortions add up; of the losses the largest counts, or informations add up."""
    family, whole, number = problem.notion.family, problem.source, 0
    adds_up, distortion, losses = family in ("information", "capacity", "maximal"), ZERO, list[tuple[Level, int]]()
    by_rows = whole.kind == "rows"
    fits = adds_up or family in ("pairs", "renyi") or (family == "identifiability" and by_rows)
    require(fits, "the loss does not follow from the rows")
    for part, claim, count in read_parts(problem, node, "attained"):
        for r in range(number, number + (count if len(whole.rows) > 1 else 1)):
            own = whole.row(r) if by_rows else Source("everything", part.source.size)
            require(part.source == own, "a row is about another source")
        found, number = check_attained(part, claim), number + count
        if found.distortion is None:
            raise Refused("the distortion of a row is infinite")
        losses, distortion = [*losses, (found.loss, count)], distortion + count * found.distortion
    require(bounds.distortion is None or distortion <= bounds.distortion, "the rows distort more than claimed")
    total = [sum_of(losses)] if adds_up else [loss for loss, _ in losses]
    require(all(loss.at_most(bounds.loss) for loss in total), "the rows lose more than claimed")


def sum_of(losses: list[tuple[Level, int]]) -> Level:
    """The sum of losses that occur several times; of logarithms, the logarithm of the product if that is moderate."""
    if any(loss.low is None for loss, _ in losses):
        return Level(None)
    arguments = [(loss.of, count) for loss, count in losses if loss.of is not None]
    size = sum(sum(map(int.bit_length, of.as_integer_ratio())) * count for of, count in arguments)
    if size <= MOST_BITS and len(arguments) == len(losses):
        return log_of(prod((of**count for of, count in arguments), start=ONE))
    pairs = [times(loss.pair(), Fraction(count)) for loss, count in losses]
    return Level(sum((low for low, _ in pairs), ZERO), sum((high for _, high in pairs), ZERO))


def check_product(problem: Problem, claim: dict[str, Node], laws: list[Law]) -> None:
    """The product of the laws of rows is in the source, or the mixture `uniform` of its members if that is as good."""
    source = problem.source
    if "uniform" not in claim:
        require(source.holds(laws), "rows with these distributions are not in the source")
        return
    mean = mixture(claim["uniform"], source, source, source.convex or problem.notion.is_free)
    require(mean == joint(laws), "the mixture is another distribution than that of the rows")


def rows_excluded(problem: Problem, given: dict[str, Node], bounds: Bounds) -> None:
    """Averaging over the other rows, and ignoring their answers, leaves a mechanism on a row that loses no more.

    So at one level the distortion is at least the sum of what the rows exclude. Mutual informations of rows add up to
    at most that of the database, and n equal rows do no better than n times their mean, by convexity.
    """
    notion, parts, laws = problem.notion, read_parts(problem, given["rows"], "excluded"), list[Law]()
    alike = notion.family == "information" and len(parts) == 1
    one_level = notion.family in ("pairs", "renyi", "identifiability") and notion.events == (notion.delta > 0)
    require(alike or one_level, "what rows exclude does not add up")
    for part, _, count in parts:
        require(len(part.source.points) == 1, "a row is excluded under one distribution")
        laws += part.source.points * count
    check_product(problem, given, laws)
    least, more, endless = ZERO, False, False
    for part, claim, count in parts:
        found = check_excluded(part, claim)
        level = sum_of([(found.loss, count)]) if alike else found.loss
        smaller = not bounds.loss.at_most(level) or (found.loss_is_open and not bounds.loss_is_open)
        require(not smaller, "a row excludes smaller losses only")
        endless, more = endless or found.distortion is None, more or found.loss_is_open
        least += count * (found.distortion or ZERO)
    room = ZERO if bounds.distortion is None else least - bounds.distortion
    enough = bounds.distortion is not None and (room > 0 or (room == 0 and (more or not bounds.loss_is_open)))
    require(endless or enough, "the distortions that the rows exclude do not add up to what is claimed")


# -- Documents: proofs, answers, curves --------------------------------------------------------------------------------


def read_problem(node: Node) -> Problem:
    node.loose = True
    given = node.fields("notion source distortion", "universe")
    universe = read_universe(given["universe"]) if "universe" in given else None
    source = read_source(given["source"], universe)
    universe = universe or Universe(source.size)
    if source.size != universe.size:
        node.fail("the source has another size than the universe")
    return Problem(read_notion(given["notion"]), universe, source, Cost(given["distortion"], universe), given)


class Claims(NamedTuple):
    attained: Bounds | None
    excluded: Bounds | None
    words: list[str]


def check_claims(problem: Problem, given: dict[str, Node]) -> Claims:
    """Verify the claims of a proof, or of a point of a curve."""
    attained = check_attained(problem, given["attained"]) if "attained" in given else None
    excluded = check_excluded(problem, given["excluded"]) if "excluded" in given else None
    words, signs = list[str](), ("<", "<=") if excluded and excluded.loss_is_open else ("<=", "<")
    for name, claim in (("a", attained), ("no", excluded)):
        if claim:
            less, least = signs if name == "no" else ("<=", "<=")
            loss, distortion = shown(claim.loss), shown(exactly(claim.distortion))
            words.append(f"{name} mechanism has loss {less} {loss} and distortion {least} {distortion}")
    return Claims(attained, excluded, words)


def shown(number: Level) -> str:
    exact = number.of if number.of is not None and number.of != 1 else number.low
    if exact is None:
        return "infinity"
    text = str(exact) if sum(map(int.bit_length, exact.as_integer_ratio())) < 256 else f"{decimal(exact, DOWN):.17g}..."
    return f"log({text})" if exact is number.of else text


def read_end(node: Node, turned: bool, is_exact: bool) -> Level | None:
    """An end of an answer, None for minus infinity; a JSON number is the binary number that it is read as."""
    if node.value in ("infinity", "-infinity"):
        return Level(None) if (node.value == "infinity") != turned else None
    if is_exact and isinstance(node.value, str) and node.value.startswith("log("):
        return node.level()
    if not is_exact and (type(node.value) not in (int, Decimal) or abs(Decimal(str(node.value))) > Decimal("1e308")):
        node.fail("a JSON number or infinity was expected")
    number = node.number() if is_exact else Fraction(float(str(node.value)))
    return exactly(-number if turned else number)


def check_ends(problem: Problem, claims: Claims, at: Bounds, asks_loss: bool, given: dict[str, Node]) -> None:
    """Verify that the ends of an answer at a distortion, or at a loss, follow from the claims as they stand."""
    use_digits({})
    turned = problem.cost.is_gain and not asks_loss  # a utility is minus a distortion
    given["unit"].text("nats" if asks_loss else "utility" if turned else "distortion")
    for name in ("lower", "upper", "lower_exact", "upper_exact"):
        if name not in given:
            continue
        is_lower, is_exact = name.startswith("lower") != turned, name.endswith("exact")
        end, claim = read_end(given[name], turned, is_exact), claims.excluded if is_lower else claims.attained
        never_negative = asks_loss or not problem.cost.is_gain
        if is_lower and (end is None or (never_negative and end.at_most(exactly(ZERO)))):
            continue
        if not is_lower and end is not None and end.low is None:
            continue
        if claim is None or end is None:
            raise Refused(f"{name} follows from no claim")
        proven = claim.loss if asks_loss else exactly(claim.distortion)
        mine, theirs = (exactly(b.distortion) if asks_loss else b.loss for b in (at, claim))
        covers = mine.at_most(theirs, claim.loss_is_open != asks_loss) if is_lower else theirs.at_most(mine)
        require(covers, f"the claim behind {name} does not cover the question")
        follows = end.at_most(proven) if is_lower or is_exact else True
        follows = follows and (proven.at_most(end) if not is_lower or is_exact else True)
        require(follows, f"{name} does not follow from what is claimed")


def check_document(node: Node) -> list[str]:
    """Verify a proof; an answer: its proof, and its ends; or a curve: claims and ends at many points of one problem."""
    ends, schema = (
        "lower_exact upper_exact method theorem status",
        str(node.value.get("schema")) if isinstance(node.value, dict) else "",
    )
    if schema == "epstar/curve/2":
        given = node.fields("schema problem asks unit points")
        problem, points = read_problem(given["problem"]), given["points"].items()
        asks_loss = given["asks"].text("loss", "distortion") == "loss"
        for point in points:
            fields = point.fields("at lower upper", f"attained excluded {ends}")
            if len(fields) > 3 or fields["lower"].value is not None or fields["upper"].value is not None:
                claims, at = check_claims(problem, fields), read_at(fields["at"], asks_loss)
                check_ends(problem, claims, at, asks_loss, {**fields, "unit": given["unit"]})
        return [f"the least {given['asks'].value} lies between the ends at all {len(points)} points that have ends"]
    given = {"proof": node}
    if schema == "epstar/answer/2":
        given = node.fields("schema at lower upper unit proof", ends)
    proof = given["proof"].fields("schema problem", "attained excluded")
    proof["schema"].text("epstar/proof/2")
    if len(proof) < 3:
        node.fail("a proof claims something")
    problem = read_problem(proof["problem"])
    claims = check_claims(problem, proof)
    if "at" in given:
        kind, entry, _ = given["at"].one_of("distortion loss")
        check_ends(problem, claims, read_at(entry, kind == "distortion"), kind == "distortion", given)
        claims.words.append("the ends of the answer follow")
    return claims.words


def read_at(node: Node, asks_loss: bool) -> Bounds:
    node.loose = True
    return Bounds(Level(None), node.limit()) if asks_loss else Bounds(node.level(), None)


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
    return check_document(Node(document))


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
    except (Unreadable, MemoryError, OSError, DecimalException) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
        return 2
    finally:
        watch.cancel()


if __name__ == "__main__":
    sys.exit(main())
