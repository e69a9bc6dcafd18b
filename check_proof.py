#!/usr/bin/env python3
"""Check a proof of epstar without epstar: one file, the standard library, no search, no optimiser, no tolerance.

    python check_proof.py FILE        an answer, a curve or a proof (docs/proof-format.md); - for standard input

It says yes and the statement that is proven (exit code 0), no and the reason (1), or that the document cannot be read or
would take too long (2). A mechanism Q gives each input x a law Q(.|x) on outputs y. A document makes two claims about one
problem, with their numbers in them. Each is verified as it stands; nothing is computed and then compared with it.

    attained    the mechanism Q has loss <= L and distortion <= D under every law of the source;
    excluded    no mechanism has loss <= L and distortion <= D, one of the two (the open one) strictly smaller.

EXCLUDED rests on one rule: Farkas' lemma with facial reduction. Write z(x,y) >= 0 for the entries of a mechanism that is
said not to exist. It satisfies linear constraints, form(z) <= bound: its distortion under a law of the source; each ratio
bound of the notion; each tangent of a convex sum bound; and its rows sum to one. A step names multiples of such
constraints, not negative but for the rows. If in the sum no entry has a negative coefficient c(x,y), then

    0  <=  sum of c(x,y) z(x,y)  <=  total of the bounds.

If the total is negative, or zero with a strict constraint among those used, there is no such z. If it is zero, entries
with c > 0 vanish, and so, where the loss is open, do the entries on the right of the ratio bounds used: at a smaller loss
they count for less. The next step need not care for the coefficients of entries that vanish. Anything else is refused.

ATTAINED is an evaluation: the rows of Q are laws, its mean cost is at most D under the worst law of the source, and
every bound of the notion holds at L. Where a supremum over laws is needed, it is a closed form, or bounded by weak duality
with multipliers, an output law or a list of corners from the document, which are verified and never looked for.

The file reads from top to bottom: numbers; reading; the problem (inputs, sources, costs); the table of notions; excluded;
attained; independent rows; documents. Fractions are exact. Logarithms, exponentials and powers are enclosed by fractions
on the safe side. The work is at most FREE + MULTIPLE * (bytes of the document) operations on numbers: whatever is not a
walk through the document is counted by `spend` before it is done. Numbers are bounded by the constants below.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from math import comb, lcm, prod
from pathlib import Path
from typing import NamedTuple, TypeAlias

MOST_BYTES = 1 << 27  # of the document
MOST_LISTS = 1 << 22  # lists and objects in it
FREE, MULTIPLE = 1 << 20, 64  # operations: so many, and so many more for each byte
LONGEST_NUMBER = 4000  # characters, and the largest exponent of ten
MOST_BITS = 1 << 16  # of the common denominator of all numbers, and of exact powers
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
    """Count operations before they are done."""
    Work.left -= amount
    if Work.left < 0:
        raise Unreadable("it asks for more work than a document of its size may: write out what is long")


def require(condition: bool, why: str) -> None:
    """Refuse unless a condition holds."""
    if not condition:
        raise Refused(why)


# -- Numbers: fractions; pairs of fractions around what is not rational ------------------------------------------------

_TRAPS = [InvalidOperation, DivisionByZero, TooLarge]
DOWN, UP = (
    Context(prec=70, rounding=side, Emin=-999_999, Emax=999_999, traps=_TRAPS) for side in (ROUND_FLOOR, ROUND_CEILING)
)


def use_digits(node: Node | None) -> None:
    """Enclose with so many decimal digits from here on; ten more are kept against rounding."""
    DOWN.prec = UP.prec = 10 + (60 if node is None else node.whole(10, 2000))


def plus(a: Pair, b: Pair) -> Pair:
    """The sum."""
    return a[0] + b[0], a[1] + b[1]


def times(a: Pair, factor: Fraction) -> Pair:
    """A multiple."""
    return (a[0] * factor, a[1] * factor) if factor >= 0 else (a[1] * factor, a[0] * factor)


def ln(x: Fraction) -> Pair:
    """The logarithm of a positive number; `decimal` rounds it to the nearest, so one unit more on each side is safe."""
    spend(DOWN.prec // 16)
    return _ln(x, DOWN.prec)


@lru_cache(maxsize=1 << 14)
def _ln(x: Fraction, _digits: int) -> Pair:
    require(x > 0, "the logarithm of a number that is not positive is needed")
    top, bottom = Decimal(x.numerator), Decimal(x.denominator)
    low, high = DOWN.ln(DOWN.divide(top, bottom)), UP.ln(UP.divide(top, bottom))
    return Fraction(DOWN.next_minus(low) if low else low), Fraction(UP.next_plus(high) if high else high)


def exp(x: Pair) -> Pair:
    """The exponential, rounded likewise; what is below e^-20000 counts as something between nothing and that."""
    spend(DOWN.prec // 16)
    if x == (ZERO, ZERO):
        return ONE, ONE
    require(x[1] <= LARGEST_EXPONENT, f"an exponent beyond {LARGEST_EXPONENT} is needed")
    low, high = (max(end, Fraction(-LARGEST_EXPONENT)) for end in x)
    below = DOWN.exp(DOWN.divide(Decimal(low.numerator), Decimal(low.denominator)))
    above = UP.exp(UP.divide(Decimal(high.numerator), Decimal(high.denominator)))
    return Fraction(DOWN.next_minus(below)) if low == x[0] else ZERO, Fraction(UP.next_plus(above))


def power(x: Fraction, exponent: Fraction) -> Pair:
    """x^exponent for x > 0; exact where that is a fraction of moderate size."""
    size = (x.numerator.bit_length() + x.denominator.bit_length()) * (abs(exponent.numerator) + 1)
    if size <= MOST_BITS and exponent.denominator <= 64:
        roots = [_root(part, exponent.denominator) for part in (x.numerator, x.denominator)]
        if all(roots):
            value = Fraction(roots[0], roots[1]) ** exponent.numerator
            return value, value
    return exp(times(ln(x), exponent))


def _root(value: int, degree: int) -> int:
    """The whole number whose power a positive whole number is; 0 if there is none, or it is not found at once."""
    guess = value if degree == 1 else int(exp(times(ln(Fraction(value)), Fraction(1, degree)))[1])
    return guess if guess**degree == value else 0


class Level(NamedTuple):
    """A loss: a fraction, the logarithm `of` a fraction, infinity (`low` is None), or just between two fractions."""

    low: Fraction | None
    high: Fraction = ZERO
    of: Fraction | None = None

    def pair(self) -> Pair:
        """Two fractions around a finite loss."""
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


def level_of(value: Fraction) -> Level:
    """A loss that is a fraction."""
    return Level(value, value, ONE if value == 0 else None)


def log_of(value: Fraction) -> Level:
    """A loss that is the logarithm of a fraction."""
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
    """The inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True) if x and y), ZERO)


# -- Reading: a place in the document, which knows how to complain -----------------------------------------------------

_NUMBER = re.compile(
    r"[+-]?[0-9]+(?:/(?P<bottom>[0-9]+)|(?:\.[0-9]+)?(?:[eE](?P<exponent>[+-]?[0-9]{1,4}))?)", re.ASCII
)


@lru_cache(maxsize=1 << 16)
def rational(text: str) -> Fraction | None:
    """The fraction that a text stands for, or None; all numbers of a document must have a moderate denominator."""
    found = _NUMBER.fullmatch(text) if len(text) <= LONGEST_NUMBER else None
    if found is None or int(found["bottom"] or 1) == 0 or abs(int(found["exponent"] or 0)) > LONGEST_NUMBER:
        return None
    value = Fraction(text)
    if Work.common % value.denominator:
        Work.common = lcm(Work.common, value.denominator)
        if Work.common.bit_length() > MOST_BITS:
            raise Unreadable("its numbers have no common denominator of moderate length")
    return value


class Node:
    """A value in the document with its place; `loose` where JSON numbers may stand for the decimals they show."""

    __slots__ = ("key", "loose", "parent", "value")

    def __init__(self, value: object, parent: Node | None = None, key: object = "", loose: bool = False) -> None:
        self.value, self.parent, self.key = value, parent, key
        self.loose = loose or (parent is not None and parent.loose)

    def error(self, what: str) -> Unreadable:
        """What is wrong, and where."""
        keys, node = [], self
        while node.parent is not None:
            keys.append(f"[{node.key}]" if isinstance(node.key, int) else f".{node.key}")
            node = node.parent
        return Unreadable(f"{''.join(reversed(keys)).lstrip('.') or 'the document'}: {what}")

    def fields(self, required: str, optional: str = "") -> dict[str, Node]:
        """The fields of an object that has all of the required ones and none but these."""
        if not isinstance(self.value, dict):
            raise self.error("an object was expected")
        missing = [name for name in required.split() if name not in self.value]
        unknown = [name for name in self.value if name not in required.split() + optional.split()]
        if missing or unknown:
            raise self.error(f"{ascii((missing or unknown)[0])[:40]} is {'missing' if missing else 'not known here'}")
        return {name: Node(value, self, name) for name, value in self.value.items()}

    def items(self, count: int | None = None) -> list[Node]:
        """The entries of a list, of a given length."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            raise self.error("a list was expected" + (f" with {count} entries" if count is not None else ""))
        return [Node(value, self, k) for k, value in enumerate(self.value)]

    def text(self, *choices: str) -> str:
        """One of some texts."""
        if not isinstance(self.value, str) or self.value not in choices:
            raise self.error("one of these was expected: " + ", ".join(choices))
        return self.value

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.error("true or false was expected")
        return self.value

    def whole(self, least: int, most: int | None = None) -> int:
        """A whole number of a range."""
        if type(self.value) is not int or self.value < least or (most is not None and self.value > most):
            raise self.error(
                f"a whole number from {least}" + (f" to {most}" if most is not None else "") + " was expected"
            )
        return self.value

    def number(self) -> Fraction:
        """A fraction, as a text; where the node is loose, also as a JSON number."""
        given = self.value
        if self.loose and (type(given) is int or isinstance(given, Decimal)):
            given = str(given)
        found = rational(given) if isinstance(given, str) else None
        if found is None:
            raise self.error('a number was expected, such as "3/10" or "0.25"')
        return found

    def numbers(self, count: int | None = None) -> Law:
        """A list of fractions."""
        if not isinstance(self.value, list) or count not in (None, len(self.value)):
            raise self.error("a list of numbers was expected" + (f" with {count} entries" if count is not None else ""))
        found = [rational(entry) if type(entry) is str else None for entry in self.value]
        return tuple(Node(self.value[k], self, k).number() if f is None else f for k, f in enumerate(found))

    def law(self, count: int | None = None) -> Law:
        """Probabilities that sum to exactly one."""
        found = self.numbers(count)
        if not found or min(found) < 0 or sum(found) != 1:
            raise self.error("the entries of a distribution are not negative and sum to exactly one")
        return found

    def level(self) -> Level:
        """A loss: a number, "log(r)" or "infinity"."""
        given = self.value
        if given == "infinity":
            return Level(None)
        is_log = isinstance(given, str) and given.startswith("log(") and given.endswith(")")
        value = (Node(given[4:-1], self.parent, self.key) if isinstance(given, str) and is_log else self).number()
        if value < (1 if is_log else 0):
            raise self.error("a loss is never negative")
        return log_of(value) if is_log else level_of(value)

    def limit(self) -> Fraction | None:
        """A distortion: a number, or None for "infinity"."""
        return None if self.value == "infinity" else self.number()


# -- The problem: inputs and their distances, sources, costs -----------------------------------------------------------


def label(node: Node, depth: int = 0) -> object:
    """A label: text, true, false, null, a number, {"rational": "1/3"}, or a list of labels."""
    value = node.value
    if isinstance(value, list) and depth < 8:
        return tuple([label(entry, depth + 1) for entry in node.items()])
    if isinstance(value, dict):
        return node.fields("rational")["rational"].number()
    if type(value) is int or isinstance(value, Decimal):
        if len(Decimal(value).normalize(Context(prec=LONGEST_NUMBER)).as_tuple().digits) > 15:
            raise node.error("a number that is a label has at most 15 digits, so that everybody reads the same")
        return node.number()
    if value is None or isinstance(value, str | bool):
        return (value,) if isinstance(value, bool) else value
    raise node.error("a label was expected")


def labels(node: Node) -> list[object]:
    """Different labels."""
    found = [label(entry) for entry in node.items()]
    if not found or len(set(found)) < len(found):
        raise node.error("there is no label, or one stands twice")
    return found


class Universe:
    """Inputs 0 ... size - 1. Databases of `rows` rows over `letters` values are in lexicographic order.

    `edges` holds the distances of neighbours in a graph or metric; it is None where all databases that differ in one row
    are neighbours at distance 1 (an alphabet has databases of one row). `values` are the numbers that labels stand for.
    """

    def __init__(self, letters: int, rows: int = 1, names: list[object] | None = None) -> None:
        self.letters, self.rows, self.size = letters, rows, letters**rows
        self.edges: dict[tuple[int, int], Fraction] | None = None
        numeric = names is not None and all(isinstance(name, Fraction) for name in names)
        self.values = [name for name in names or [] if isinstance(name, Fraction)] if numeric else None

    def distance(self, x: int, z: int) -> Fraction | None:
        """The distance of neighbours; None for inputs that are not."""
        if self.edges is not None:
            return self.edges.get((min(x, z), max(x, z)))
        differ = 0
        while x or z:
            differ, x, z = differ + (x % self.letters != z % self.letters), x // self.letters, z // self.letters
        return ONE if differ == 1 else None

    def cliques(self) -> Iterator[tuple[Sequence[int], Fraction]]:
        """Sets of inputs that are all neighbours of each other at one distance; every two neighbours are in one."""
        if self.edges is not None:
            yield from self.edges.items()
            return
        for place in (self.letters**row for row in range(self.rows)):
            for first in range(self.size):
                if first // place % self.letters == 0:
                    yield range(first, first + place * self.letters, place), ONE

    def neighbours(self) -> Iterator[tuple[int, int, Fraction]]:
        """All neighbours in both orders."""
        for clique, distance in self.cliques():
            spend(len(clique) ** 2)
            yield from ((x, z, distance) for x, z in permutations(clique, 2))


def read_universe(node: Node) -> Universe:
    """The inputs of a problem."""
    kind = next(iter(node.fields("", "alphabet size databases graph metric labels")), "")
    given = node.fields(kind or "alphabet", "labels" if kind == "metric" else "")
    if kind == "databases":
        inner = given[kind].fields("rows", "size alphabet")
        rows = inner.pop("rows").whole(1, MOST_BITS)
        universe = read_universe(Node({k: v.value for k, v in inner.items()}, node, kind, True))
        if universe.letters.bit_length() * rows > MOST_BITS:
            raise node.error("there are too many databases")
        return Universe(universe.letters, rows, list(universe.values) if universe.values else None)
    if kind == "graph":
        inner = given[kind].fields("nodes edges")
        names = labels(inner["nodes"])
        universe = Universe(len(names), 1, names)
        universe.edges = dict.fromkeys(read_edges(inner["edges"], names), ONE)
        return universe
    if kind == "metric":
        table = given[kind].items()
        rows_ = [
            [None if e.value in (None, "infinity") else e.number() for e in row.items(len(table))] for row in table
        ]
        names = labels(given["labels"]) if "labels" in given else None
        universe = Universe(len(table), 1, names)
        universe.edges = {}
        for (i, row), j in product(enumerate(rows_), range(len(table))):
            entry = row[j]
            if entry != rows_[j][i] or (entry is not None and (entry <= 0) != (i == j)) or (i == j and entry is None):
                raise node.error("a metric is symmetric, zero on the diagonal and positive elsewhere")
            if i < j and entry is not None:
                universe.edges[i, j] = entry
        if names is not None and len(names) != len(table):
            raise node.error("a metric has one label per row")
        return universe
    if kind == "size" or type(given["alphabet"].value) is int:
        return Universe(given[kind].whole(1, 1 << 30))
    names = labels(given["alphabet"])
    return Universe(len(names), 1, names)


def read_edges(node: Node, names: list[object]) -> list[tuple[int, int]]:
    """Edges as pairs of positions; their ends are labels throughout or positions throughout, and not both."""
    ends = [[label(end) for end in edge.items(2)] for edge in node.items()]
    place: dict[object, Fraction] = {name: Fraction(k) for k, name in enumerate(names)}
    places: dict[object, Fraction] = {Fraction(k): Fraction(k) for k in range(len(names))}
    readings = [[[known.get(end) for end in edge] for edge in ends] for known in (place, places)]
    sound = [reading for reading in readings if not any(None in edge for edge in reading)]
    if not sound or sound[0] != sound[-1]:
        raise node.error("the ends of edges are neither labels nor positions, or could be both")
    pairs = [tuple(sorted(int(end or 0) for end in edge)) for edge in sound[0]]
    if len(set(pairs)) < len(pairs) or any(i == j for i, j in pairs):
        raise node.error("an edge stands twice, or joins a node to itself")
    return [(i, j) for i, j in pairs]


class Hints:
    """What the document offers to verify a mechanism: multipliers are used up one after the other."""

    def __init__(self, given: dict[str, Node]) -> None:
        self.given = given
        self.multipliers = iter(given["multipliers"].items() if "multipliers" in given else [])

    def done(self) -> None:
        """Nothing may be left over."""
        require(next(self.multipliers, None) is None, "multipliers are left over")


class Source:
    """A set of laws on the inputs: all of them, if it is not one of the kinds below."""

    convex = True

    def __init__(self, size: int) -> None:
        self.size = size

    def contains(self, law: Law) -> bool:
        """Whether a law (of this size) belongs to the set."""
        return len(law) == self.size

    def largest(self, cost: Sequence[Fraction], _hints: Hints) -> Fraction:
        """Not less than the mean cost under any law of the set, and equal to it under some (polytopes: maybe not)."""
        return max(cost)

    def corners(self, _named: Node | None) -> list[Law]:
        """Laws of the set whose mixtures are all of its hull; regions verify those that the document names."""
        spend(self.size**2)
        return [tuple(Fraction(x == k) for x in range(self.size)) for k in range(self.size)]

    def cuts(self) -> list[tuple[Law, Fraction]]:
        """Inequalities row . p <= bound that make the set, beside p being a mixture of `spanned()`."""
        return []

    def spanned(self) -> list[Law]:
        """Laws whose mixtures the inequalities are about."""
        return Source.corners(self, None)


class Listed(Source):
    """Some laws (prior, finite), or their mixtures (hull)."""

    def __init__(self, points: list[Law], convex: bool) -> None:
        self.points, self.size, self.convex = points, len(points[0]), convex or len(points) == 1

    def contains(self, law: Law) -> bool:
        return law in self.points

    def largest(self, cost: Sequence[Fraction], _hints: Hints) -> Fraction:
        spend(len(self.points))
        return max(dot(cost, point) for point in self.points)

    def corners(self, _named: Node | None) -> list[Law]:
        return self.points

    def spanned(self) -> list[Law]:
        return self.points


class Box(Source):
    """lower <= p <= upper."""

    def __init__(self, lower: Law, upper: Law) -> None:
        self.lower, self.upper, self.size = lower, upper, len(lower)

    def contains(self, law: Law) -> bool:
        return all(a <= p <= b for a, p, b in zip(self.lower, law, self.upper, strict=True))

    def largest(self, cost: Sequence[Fraction], _hints: Hints) -> Fraction:
        spend(self.size)
        total, left = dot(cost, self.lower), 1 - sum(self.lower)
        for x in sorted(range(self.size), key=lambda x: cost[x], reverse=True):  # the dearest inputs first
            given = min(left, self.upper[x] - self.lower[x])
            total, left = total + given * cost[x], left - given
        return total

    def corners(self, named: Node | None) -> list[Law]:
        found = named_members(self, named)
        require(is_closed(set(found), self.lower, self.upper), "the corners are not all, or not only, those of the box")
        return found

    def cuts(self) -> list[tuple[Law, Fraction]]:
        units = Source.corners(self, None)
        upper = list(zip(units, self.upper, strict=True))
        return upper + [(tuple(-e for e in unit), -a) for unit, a in zip(units, self.lower, strict=True)]


class Ball(Source):
    """The laws at L1 distance at most 2 * mass from a center: so much probability may move."""

    def __init__(self, center: Law, mass: Fraction) -> None:
        self.center, self.mass, self.size = center, mass, len(center)

    def contains(self, law: Law) -> bool:
        return sum(abs(p - c) for p, c in zip(law, self.center, strict=True)) <= 2 * self.mass

    def largest(self, cost: Sequence[Fraction], _hints: Hints) -> Fraction:
        spend(self.size)
        total, left, dearest = dot(cost, self.center), self.mass, max(cost)
        for x in sorted(range(self.size), key=lambda x: cost[x]):  # from the cheapest inputs to the dearest one
            moved = min(left, self.center[x])
            total, left = total + moved * (dearest - cost[x]), left - moved
        return total

    def corners(self, named: Node | None) -> list[Law]:
        """All that moves goes to one input, and comes from the others as from the corners of a box."""
        found, zeros = set(named_members(self, named)), (ZERO,) * self.size
        for x, c in enumerate(self.center):
            spend(len(found))
            if self.mass >= 1 - c:
                complete = tuple(Fraction(k == x) for k in range(self.size)) in found
            else:
                others = (*self.center[:x], ZERO, *self.center[x + 1 :])
                gains = [law for law in found if law[x] == c + self.mass]
                taken = {tuple(ZERO if k == x else others[k] - p for k, p in enumerate(law)) for law in gains}
                complete = is_closed(taken, zeros, others)
            require(complete, "the corners are not all those of the ball")
        return list(found)

    def cuts(self) -> list[tuple[Law, Fraction]]:
        spend(self.size << min(self.size, 64))
        sets = [tuple(map(Fraction, chosen)) for chosen in product((0, 1), repeat=self.size)]
        return [(chosen, dot(chosen, self.center) + self.mass) for chosen in sets]  # no set gains more than the mass


class Polytope(Source):
    """matrix p <= bounds."""

    def __init__(self, matrix: list[Law], bounds: Law) -> None:
        self.matrix, self.bounds, self.size = matrix, bounds, len(matrix[0])

    def contains(self, law: Law) -> bool:
        return all(dot(row, law) <= bound for row, bound in self.cuts())

    def largest(self, cost: Sequence[Fraction], hints: Hints) -> Fraction:
        """Weak duality: cost . p <= max(cost - u matrix) + u . bounds for every u >= 0."""
        node, left = next(hints.multipliers, None), list(cost)
        if node is None:
            raise Refused("multipliers for a polytope are missing")
        chosen = node.numbers(len(self.bounds))
        require(min(chosen) >= 0, "a multiplier is negative")
        for u, row in zip(chosen, self.matrix, strict=True):
            left = [c - u * a for c, a in zip(left, row, strict=True)] if u else left
        return max(left) + dot(chosen, self.bounds)

    def corners(self, named: Node | None) -> list[Law]:
        found = named_members(self, named)
        require(set(found) == cut(self, []), "the corners are not those of the polytope")
        return found

    def cuts(self) -> list[tuple[Law, Fraction]]:
        return list(zip(self.matrix, self.bounds, strict=True))


def named_members(source: Source, named: Node | None) -> list[Law]:
    """Different laws of the source, named in the document."""
    if named is None:
        raise Refused("the corners of the source are needed")
    found = [law.law(source.size) for law in named.items()]
    require(len(set(found)) == len(found) and all(map(source.contains, found)), "a corner twice, or outside the source")
    return found


def is_closed(points: set[Law], lower: Law, upper: Law) -> bool:
    """Whether these are all corners of lower <= p <= upper with a given sum of p.

    At a corner at most one entry is strictly between its bounds; an edge raises one entry and lowers another as far as
    possible. The graph of a polytope is connected: corners that include all neighbours of each are all there are.
    """
    for point in points:
        spend(len(point) ** 2)
        between = [x for x, p in enumerate(point) if lower[x] < p < upper[x]]
        if len(between) > 1:
            return False
        for i, j in permutations(range(len(point)), 2):
            step = min(upper[i] - point[i], point[j] - lower[j])
            if step > 0 and (not between or between[0] in (i, j)):
                spend(len(point))
                moved = list(point)
                moved[i], moved[j] = point[i] + step, point[j] - step
                if tuple(moved) not in points:
                    return False
    return bool(points)


def cut(source: Source, first: list[tuple[Law, Fraction]]) -> set[Law]:
    """The corners of what some inequalities and those of the source leave: one cut after the other.

    A cut makes a corner on every edge from a corner that stays to one that goes. Two corners have an edge in common if
    no third lies on all inequalities that both lie on (bits of a mask).
    """
    base = source.spanned()
    spend(len(base) ** 2)
    found = {tuple(Fraction(j == k) for j in range(len(base))): (1 << len(base)) - 1 ^ 1 << k for k in range(len(base))}
    for number, (row, bound) in enumerate([*first, *source.cuts()]):
        on_base = [dot(row, law) for law in base]
        room = {point: bound - dot(on_base, point) for point in found}
        tight = 1 << len(base) + number
        stay, go = ([p for p in found if sign * room[p] > 0] for sign in (1, -1))
        kept = {p: mask | (0 if room[p] else tight) for p, mask in found.items() if room[p] >= 0}
        spend(len(found) * len(base) + len(stay) * len(go) * len(found))
        for a, b in product(stay, go):
            common = found[a] & found[b]
            if sum(not common & ~mask for mask in found.values()) == 2:
                share = room[a] / (room[a] - room[b])
                kept[tuple(p + share * (q - p) for p, q in zip(a, b, strict=True))] = common | tight
        found = kept
    return {tuple(dot(weights, column) for column in zip(*base, strict=True)) for weights in found}


class Independent(Source):
    """Databases whose rows are independent; one unknown law shared by all rows, or each row has its own source."""

    def __init__(self, rows: list[Source], count: int, shared: bool) -> None:
        self.rows, self.count, self.shared = rows, count, shared
        self.size = rows[0].size ** count
        self.convex = all(isinstance(row, Listed) and len(row.points) == 1 for row in rows)

    def row(self, number: int) -> Source:
        """The source of one row."""
        return self.rows[number if len(self.rows) > 1 else 0]

    def holds(self, laws: list[Law]) -> bool:
        """Whether the rows may have these laws."""
        different = {(r if len(self.rows) > 1 else 0, law) for r, law in enumerate(laws)}
        return (not self.shared or len(different) == 1) and all(self.row(r).contains(law) for r, law in different)

    def contains(self, law: Law) -> bool:
        laws, rest = [], law
        for _ in range(self.count - 1):  # the law of the first row, then that of the others
            spend(len(rest))
            blocks = [
                rest[k : k + len(rest) // self.rows[0].size]
                for k in range(0, len(rest), len(rest) // self.rows[0].size)
            ]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        return joint([*laws, rest]) == law and self.holds([*laws, rest])


def joint(laws: Sequence[Law]) -> Law:
    """The law of independent rows."""
    spend(prod(map(len, laws)) * len(laws))
    return tuple([prod(entries, start=ONE) for entries in product(*laws)])


def read_source(node: Node, universe: Universe | None) -> Source:
    """What is known of the law of the inputs."""
    kind = next(iter(node.fields("", "prior finite hull box ball polytope everything rows iid")), "")
    given = node.fields(kind or "prior", "iid" if kind == "rows" else "")
    entry = given[kind]
    if kind in ("prior", "finite", "hull"):
        points = [entry.law()] if kind == "prior" else [point.law() for point in entry.items()]
        if not points or any(len(point) != len(points[0]) for point in points):
            raise entry.error("distributions of the same length were expected")
        return Listed(list(dict.fromkeys(points)), kind == "hull")
    if kind == "box":
        inner = entry.fields("lower upper")
        lower = inner["lower"].numbers()
        upper = inner["upper"].numbers(len(lower))
        ordered = all(0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True))
        if not ordered or not sum(lower) <= 1 <= sum(upper):
            raise entry.error("the box holds no distribution")
        return Box(lower, upper)
    if kind == "ball":
        inner = entry.fields("center radius")
        radius = inner["radius"].number()
        if not 0 <= radius <= 2:
            raise entry.error("the radius of a ball lies between 0 and 2")
        return Ball(inner["center"].law(), radius / 2)
    if kind == "polytope":
        inner = entry.fields("matrix bounds")
        rows = inner["matrix"].items()
        if not rows:
            raise entry.error("a polytope has an inequality")
        first = rows[0].numbers()
        matrix = [first, *(row.numbers(len(first)) for row in rows[1:])]
        return Polytope(matrix, inner["bounds"].numbers(len(matrix)))
    if kind == "everything":
        return Source(entry.whole(1))
    if universe is None or universe.edges is not None:
        raise node.error("a source by rows needs databases")
    several = isinstance(entry.value, list)
    found = [read_source(row, None) for row in (entry.items(universe.rows) if several else [entry])]
    shared = not several and ("iid" not in given or given["iid"].flag())
    if any(row.size != universe.letters for row in found) or (several and "iid" in given and given["iid"].flag()):
        raise node.error("each row has a source on its values; only one source can be shared by the rows")
    return Independent(found, universe.rows, shared)


class Cost:
    """d(x,y) for inputs x and outputs y: `default`, the same for all, plus what differs from it, column by column."""

    def __init__(self, node: Node, universe: Universe) -> None:
        kind = next(iter(node.fields("", "name matrix gain")), "name")
        entry = node.fields(kind)[kind]
        self.name = entry.text("hamming", "absolute", "squared") if kind == "name" else ""
        self.universe, self.outputs, self.is_gain = universe, universe.size, kind == "gain"
        self.matrix: list[Law] = []
        if not self.name:
            rows = entry.items(universe.size)
            self.outputs = len(rows[0].items())
            self.matrix = [row.numbers(self.outputs) for row in rows]
            if not self.outputs or (not self.is_gain and any(min(row) < 0 for row in self.matrix)):
                raise entry.error("a cost is negative, or there is no output")
            if self.is_gain:
                self.matrix = [tuple(-gain for gain in row) for row in self.matrix]
        self.default = ONE if self.name == "hamming" and universe.rows == 1 else ZERO

    def one(self, i: int, j: int) -> Fraction:
        """The cost of one value for another."""
        if self.name == "hamming":
            return Fraction(i != j)
        values = self.universe.values
        gap = values[i] - values[j] if values else Fraction(i - j)
        return abs(gap) if self.name == "absolute" else gap * gap

    def column(self, y: int) -> dict[int, Fraction]:
        """The inputs whose cost of the output y is not the default, with the difference."""
        if self.default:
            return {y: -ONE}
        spend(self.universe.size)
        if not self.name:
            return {x: row[y] for x, row in enumerate(self.matrix) if row[y]}
        found, letters = [ZERO], self.universe.letters
        for row in range(self.universe.rows):  # the cost of two databases is the sum over their rows
            given = y // letters ** (self.universe.rows - 1 - row) % letters
            found = [cost + self.one(i, given) for cost in found for i in range(letters)]
        return {x: cost for x, cost in enumerate(found) if cost}


# -- The table of notions: what "the loss is at most L" says about the columns q of a mechanism ------------------------

Form: TypeAlias = dict[int, Fraction] | int  # coefficients of entries of a column; or i: its mean under the i-th point


class Notion(NamedTuple):
    """A notion by its family in the table; limits of orders are written as the notion that they are."""

    family: str
    order: Fraction = ONE
    delta: Fraction = ZERO
    events: bool = False

    @property
    def is_free(self) -> bool:
        """Whether it says the same whatever the law of the inputs."""
        return self.family in ("pairs", "renyi", "maximal")


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


def read_notion(node: Node) -> Notion:
    """The notion of a problem."""
    name = Node(node.value.get("name") if isinstance(node.value, dict) else None, node, "name").text(*FAMILIES)
    family, required, optional = FAMILIES[name]
    given = node.fields("name " + required, optional)
    delta = given["delta"].number() if "delta" in given else ZERO
    by_event = "reading" not in given or given["reading"].text("event", "pointwise") == "event"
    infinite = "order" in given and given["order"].value == "infinity"
    order = given["order"].number() if "order" in given and not infinite else ONE
    if order <= 0 or not 0 <= delta <= 1:
        raise node.error("an order is positive, and a delta lies between 0 and 1")
    return limit_of_order(Notion(family, order, delta, by_event and delta > 0), infinite)


def limit_of_order(notion: Notion, infinite: bool) -> Notion:
    """Renyi's divergence of order infinity is a ratio; Sibson's informations include the mutual and the maximal one."""
    if infinite:
        return Notion("pairs" if notion.family == "renyi" else "maximal")
    return Notion("information") if notion.family == "sibson" and notion.order == 1 else notion


class Ratio(NamedTuple):
    """left(q) <= e^(L distance) right(q) + slack (times e^L if it `grows`); distance None stands for infinity.

    With an `event`, `count` times the positive parts of left - e^(L distance) right are added up over all cells of
    the event (an output, or a bound by distances) before they are compared with the slack.
    """

    left: Form
    right: Form
    distance: Fraction | None = ONE
    slack: Fraction = ZERO
    event: tuple[object, ...] | None = None
    count: Fraction = ONE
    grows: bool = False


class Sum(NamedTuple):
    """The sum over columns of weight * f(q) over atoms (weight, left, right), plus linear(q), is at most b(L).

    maximum: max_x left_x q_x, b = e^L; entropy: left log(left/right), b = L * distance; power: +-left^a right^(1-a),
    b = +-e^((a-1) L distance); norm: +-(sum_x left_x q_x^a)^(1/a), b = +-e^(L (a-1)/a); + for orders a > 1, else -.
    """

    kind: str
    atoms: list[tuple[Fraction, dict[int, Fraction], Form]]
    order: Fraction = ONE
    distance: Fraction = ONE
    linear: dict[int, Fraction] | None = None


class Table:
    """The bounds of a notion by name, at some points: laws at which a notion that depends on the law is read."""

    def __init__(self, notion: Notion, universe: Universe, points: list[Law]) -> None:
        self.notion, self.universe, self.inputs = notion, universe, universe.size
        self.points = [{x: p for x, p in enumerate(point) if p} for point in points]

    def read(self, name: list[Node], length: int) -> list[int]:
        """The numbers of a name; the first is a point where the notion depends on one, then come inputs."""
        require(len(name) == length, f"a bound of this notion is named by {length} numbers")
        most = (
            [self.inputs - 1] * length if self.notion.is_free else [len(self.points) - 1] + [self.inputs - 1] * length
        )
        return [node.whole(0, top) for node, top in zip(name, most, strict=False)]

    def neighbours(self, x: int, z: int) -> Fraction:
        """Their distance."""
        found = self.universe.distance(x, z)
        if found is None:
            raise Refused(f"the inputs {x} and {z} are not neighbours")
        return found

    def ratio(self, name: list[Node], level: Level) -> Ratio:
        """A ratio bound; those that follow from sums are named by the sum, the atom and the side."""
        family, _, delta, events = self.notion
        if family == "pairs":
            x, z = self.read(name, 2)
            return Ratio({x: ONE}, {z: ONE}, self.neighbours(x, z), delta, ("pair", x, z) if events else None)
        if family == "identifiability":
            i, x, z = self.read(name, 3)
            require(x in self.points[i], "the first input of a bound of identifiability has probability zero")
            right = {z: self.points[i][z]} if z in self.points[i] else {}
            return Ratio({x: self.points[i][x]}, right, self.neighbours(x, z))
        if family == "output":
            i, x = self.read(name, 2)
            return Ratio({x: ONE}, i)
        if family == "local":
            i, x, side = self.read(name, 3)
            left, right = (({x: ONE}, i), (i, {x: ONE}))[1 - name[2].whole(0, 1)]
            return Ratio(left, right, ONE, delta, ("local", i, x, side) if delta else None, ONE, side == 1)
        require(len(name) >= 2, "a ratio that follows from a sum is named by it, an atom and a side")
        return self.following(self.sum(name[:-2]), name[-2], name[-1].whole(0, 1), level)

    def following(self, bound: Sum, atom: Node, side: int, level: Level) -> Ratio:
        """At level 0 a divergence vanishes and its two sides are equal; a finite one excludes left where right is 0."""
        if bound.kind == "norm":
            ((_, entries, right),) = bound.atoms
            left: Form = {list(entries)[atom.whole(0, len(entries) - 1)]: ONE}
        else:
            require(bound.kind != "maximum", "no ratio follows from a maximum")
            _, left, right = bound.atoms[atom.whole(0, len(bound.atoms) - 1)]
        if level.of == 1:
            return Ratio(left, right, ZERO) if side == 0 else Ratio(right, left, ZERO)
        finite = bound.kind == "entropy" or (bound.kind == "power" and bound.order > 1)
        require(finite and side == 0, "such a ratio follows at level zero only")
        return Ratio(left, right, None)

    def sum(self, name: list[Node]) -> Sum:
        """A sum bound."""
        family, order, _, _ = self.notion
        if family == "maximal":
            self.read(name, 0)
            return Sum("maximum", [(ONE, dict.fromkeys(range(self.inputs), ONE), {})])
        if family == "renyi":
            x, z = self.read(name, 2)
            kind = "entropy" if order == 1 else "power"
            return Sum(kind, [(ONE, {x: ONE}, {z: ONE})], order, self.neighbours(x, z))
        if family == "pointwise":
            i, x = self.read(name, 2)
            return Sum("entropy", [(ONE, {x: ONE}, i)])
        require(family in ("guessing", "information", "capacity", "sibson"), "the notion has no sum bounds")
        (i,) = self.read(name, 1)
        return self.at_point(i)

    def at_point(self, i: int) -> Sum:
        """The sum bound of a notion that has one for each point."""
        own = self.points[i]
        if self.notion.family == "guessing":
            return Sum("maximum", [(ONE, {x: p / max(own.values()) for x, p in own.items()}, {})])
        if self.notion.family == "sibson":
            return Sum("norm", [(ONE, own, i)], self.notion.order)
        return Sum("entropy", [(p, {x: ONE}, i) for x, p in own.items()])

    def scale(self) -> tuple[dict[int, Fraction], Fraction]:
        """Scales and slack where the bounds say scale_x q_x <= e^L scale_z q_z + slack for all inputs x and z."""
        complete = self.universe.edges is None and self.universe.rows == 1
        if complete and self.notion.family == "pairs":
            return dict.fromkeys(range(self.inputs), ONE), self.notion.delta
        full = len(self.points) == 1 and len(self.points[0]) == self.inputs
        require(
            complete and full and self.notion.family == "identifiability", "spread needs a bound between all inputs"
        )
        return self.points[0], ZERO


class Orbits(Table):
    """The bounds on a mechanism that depends on the number l of rows in which x and y differ alone.

    A column stands for all: its entries are f(0) ... f(n), the uniform law gives them N_l / M, and the M columns are
    counted by the weights of atoms.
    """

    def __init__(self, notion: Notion, universe: Universe) -> None:
        n, others = universe.rows, universe.letters - 1
        spend(n * (1 + universe.size.bit_length() // 64))
        self.sizes = [1]
        for row in range(n):
            self.sizes.append(self.sizes[-1] * (n - row) * others // (row + 1))
        super().__init__(notion, universe, [])
        self.inputs, self.count = n + 1, Fraction(universe.size)
        self.points = [{step: size / self.count for step, size in enumerate(self.sizes) if size}]

    def between(self, step: int) -> Fraction:
        """For neighbours x and z, how many y agree with x in the row in which they differ, at distance `step` from x."""
        return Fraction(comb(self.universe.rows - 1, step) * (self.universe.letters - 1) ** step)

    def ratio(self, name: list[Node], level: Level) -> Ratio:
        if self.notion.family not in ("pairs", "identifiability"):
            found = super().ratio(name, level)
            if found.event is None:
                return found
            return found._replace(event=("local", found.grows), count=Fraction(self.sizes[name[1].whole(0)]))
        x, z = self.read(name, 3 if self.notion.family == "identifiability" else 2)[-2:]
        require(abs(x - z) == 1, "distances that differ by one are compared")
        return self.pair(x, z)

    def pair(self, x: int, z: int) -> Ratio:
        """f(x) <= e^L f(z) + slack."""
        event = ("pair",) if self.notion.events else None
        return Ratio({x: ONE}, {z: ONE}, ONE, self.notion.delta, event, self.between(min(x, z)))

    def sum(self, name: list[Node]) -> Sum:
        has_ratios = self.notion.family in ("pairs", "identifiability", "output", "local")
        require(not has_ratios, "the notion has no sum bounds")
        self.read(name, 0 if self.notion.is_free else 1)
        return self.whole_sum()

    def whole_sum(self) -> Sum:
        """The one sum bound of a notion that has any."""
        family, order, _, _ = self.notion
        if family in ("maximal", "guessing"):
            return Sum("maximum", [(self.count, {x: ONE for x, size in enumerate(self.sizes) if size}, {})])
        if family == "sibson":
            return Sum("norm", [(self.count, self.points[0], 0)], order)
        if family != "renyi":
            return Sum("entropy", [(self.count * p, {x: ONE}, 0) for x, p in self.points[0].items()])
        steps = [(self.between(x), x) for x in range(self.universe.rows)]
        atoms = [(c, {a: ONE}, {b: ONE}) for c, x in steps for a, b in ((x, x + 1), (x + 1, x))]
        same = {x + 1: c * (self.universe.letters - 2) for c, x in steps if order != 1}
        return Sum("entropy" if order == 1 else "power", list(atoms), order, ONE, same)

    def scale(self) -> tuple[dict[int, Fraction], Fraction]:
        raise Refused("spread is not for distances")


def tangent(bound: Sum, r: Fraction, level: Level) -> Pair:
    """Coefficients, rounded down, of left and right in the tangent of an atom at the ratio r; powers over |b(L)|."""
    require(r > 0, "a place is not positive")
    if bound.kind == "entropy":
        return 1 + ln(r)[0], -r
    a = bound.order
    slope = in_units(r, a - 1, level, bound.distance)
    return (a * slope[0], (1 - a) * r * slope[1]) if a > 1 else (-a * slope[1], -(1 - a) * r * slope[1])


def in_units(x: Fraction, exponent: Fraction, level: Level, distance: Fraction) -> Pair:
    """(x / e^(L distance))^exponent."""
    unit = level.growth(distance) if level.of is not None and distance.denominator == 1 else (ZERO, ONE)
    if unit[0] == unit[1]:
        return power(x / unit[0], exponent)
    return exp(times(plus(ln(x), times(level.pair(), -distance)), exponent))


def norm(weights: Sequence[Fraction], entries: Sequence[Fraction], a: Fraction) -> Pair:
    """The sum of weight * (entry / largest entry)^a."""
    most, total = max(entries), (ZERO, ZERO)
    for weight, entry in zip(weights, entries, strict=True):
        total = plus(total, times(power(entry / most, a), weight) if entry else (ZERO, ZERO))
    return total


def over(total: Pair, rate: Fraction, exponent: Fraction, level: Level) -> Pair:
    """(total * e^(L rate))^exponent."""
    unit = level.growth(rate) if level.of is not None and rate.denominator == 1 else (ZERO, ONE)
    if total[0] == total[1] and unit[0] == unit[1]:
        return power(total[0] * unit[0], exponent)
    logs = plus((ln(total[0])[0], ln(total[1])[1]), times(level.pair(), rate))
    return exp(times(logs, exponent))


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


def mixture(node: Node, source: Source, mixes: bool) -> Law:
    """A mixture [[weight, law], ...] of members of the source; of one alone unless mixtures are allowed."""
    total, sum_of_weights, entries = [ZERO] * source.size, ZERO, node.items()
    for entry in entries:
        weight, law = entry.items(2)
        w, member = weight.number(), law.law(source.size)
        require(w >= 0 and source.contains(member), "a distribution is not in the source, or its weight is negative")
        total, sum_of_weights = [t + w * p for t, p in zip(total, member, strict=True)], sum_of_weights + w
    require(sum_of_weights == 1 and (mixes or len(entries) == 1), "weights do not sum to one, or nothing may be mixed")
    return tuple(total)


def check_excluded(problem: Problem, node: Node) -> Bounds:
    """Verify that no mechanism is as good as claimed."""
    by_rows = isinstance(node.value, dict) and "rows" in node.value
    claim = node.fields(
        "loss distortion open", "digits rows" if by_rows else "digits order points symmetry uniform steps"
    )
    use_digits(claim.get("digits"))
    level, limit = claim["loss"].level(), claim["distortion"].limit()
    bounds = Bounds(level, limit, claim["open"].text("loss", "distortion") == "loss")
    if by_rows:
        rows_excluded(problem, claim["rows"], bounds)
        return bounds
    notion, universe = problem.notion, problem.universe
    if "order" in claim:  # divergences and informations grow with their order
        given = problem.given["notion"].fields("name", "order")
        given["name"].text("renyi_differential_privacy", "sibson_mutual_information")
        order = claim["order"].number()
        require(given["order"].value == "infinity" or order <= given["order"].number(), "the order is larger")
        notion = read_notion(Node({"name": given["name"].value, "order": claim["order"].value}, node, "order"))
    laws = Source(universe.size) if notion.family == "capacity" else problem.source
    if "symmetry" in claim:
        claim["symmetry"].text("distances")
        require(
            universe.edges is None and problem.cost.name == "hamming", "distances need databases and Hamming's cost"
        )
        if "uniform" in claim:
            mean = mixture(claim["uniform"], problem.source, problem.source.convex or notion.is_free)
            require(set(mean) == {Fraction(1, universe.size)}, "the mixture is not uniform")
        else:
            require(holds_uniform(problem.source, universe), "the uniform distribution is not in the source")
        table: Table = Orbits(notion, universe)
    else:
        entries = claim["points"].items() if "points" in claim else []
        table = Table(notion, universe, [mixture(entry, laws, laws.convex) for entry in entries])
    steps = claim["steps"].items() if "steps" in claim else []
    if bounds.loss_is_open and level.of == 1:
        require(not steps, "no step is needed: a loss is never negative")
        return bounds
    spend(table.inputs)
    vanishing = Vanishing([False] * table.inputs, {})
    for number, step in enumerate(steps):
        found = take_step(problem, table, bounds, vanishing, step)
        if found is None:
            require(number == len(steps) - 1, "there are steps after the contradiction")
            return bounds
        vanishing = found
    raise Refused("the steps end without a contradiction")


def holds_uniform(source: Source, universe: Universe) -> bool:
    """Whether the uniform law of databases is in the source."""
    if type(source) is Source:
        return True
    spend(universe.letters)
    row = (Fraction(1, universe.letters),) * universe.letters
    if isinstance(source, Independent):
        return all(one.contains(row) for one in source.rows)
    return source.contains(joint([row] * universe.rows))


class Vanishing(NamedTuple):
    """Entries that are zero: `rows` says so for all outputs of an input but those that `named` has, by output."""

    rows: list[bool]
    named: dict[int, dict[int, bool]]

    def has(self, x: int, y: int) -> bool:
        """Whether an entry is known to be zero."""
        return self.named.get(y, {}).get(x, self.rows[x])


class Total:
    """A sum of constraints: `base` holds coefficients for every output, `extra` by output, `means` those of points."""

    def __init__(self, table: Table, vanishing: Vanishing) -> None:
        self.table, self.vanishing, self.bound, self.is_strict = table, vanishing, ZERO, False
        self.base, self.weight = [ZERO] * table.inputs, [ZERO] * table.inputs
        self.extra: dict[int, dict[int, Fraction]] = {}
        self.means: dict[int, dict[int, Fraction]] = {}
        self.rising: dict[int, set[int]] = {}

    def add(self, y: int, form: Form, amount: Fraction) -> None:
        """Add a multiple of a form of the column y."""
        if isinstance(form, int):
            column = self.means.setdefault(y, {})
            column[form] = column.get(form, ZERO) + amount
        else:
            column = self.extra.setdefault(y, {})
            for x, c in form.items():
                column[x] = column.get(x, ZERO) + amount * c

    def entries(self, form: Form) -> Iterable[int]:
        """The inputs of a form."""
        if isinstance(form, int):
            spend(len(self.table.points[form]))
            return self.table.points[form]
        return form

    def add_ratio(self, bounds: Bounds, bound: Ratio, y: int, m: Fraction) -> None:
        """m (left - e^(L distance) right) <= m slack; the slack is paid for by the caller."""
        require(m >= 0, "a multiplier is negative")
        endless = bounds.loss.low is None or bound.distance is None
        require(bounds.loss.low is not None or bounds.loss_is_open, "at an infinite loss nothing is bounded")
        self.add(y, bound.left, m)
        if endless or bound.distance is None:
            known = all(self.vanishing.has(x, y) for x in self.entries(bound.right))
            require(known, "where e^L has no bound, the right side of a ratio must be known to vanish")
            return
        self.add(y, bound.right, -m * bounds.loss.growth(bound.distance)[1])
        if bounds.loss_is_open and m > 0 and bound.distance > 0:
            self.rising.setdefault(y, set()).update(self.entries(bound.right))

    def add_sum(self, bounds: Bounds, bound: Sum, s: Fraction, outputs: int, node: Node) -> None:
        """s times the tangents of a sum <= s b(L); powers and norms are divided by |b(L)|."""
        require(s > 0 and bounds.loss.low is not None, "a multiplier of a sum is not positive, or the loss infinite")
        self.is_strict = self.is_strict or bounds.loss_is_open
        level, a, sign = bounds.loss, bound.order, ONE if bound.order > 1 else -ONE
        if bound.kind == "maximum":
            self.bound += s * level.growth(ONE)[1]
            ((weight, most, _),) = bound.atoms
            shares: dict[int, Fraction] = {}
            for entry in node.items():
                place, who, share = entry.items(3)
                y, x, amount = place.whole(0, outputs - 1), who.whole(0), share.number()
                shares[y] = shares.get(y, ZERO) + amount
                require(amount >= 0 and shares[y] <= 1 and x in most, "no mixture of the entries of a maximum")
                self.add(y, {x: most[x]}, s * weight * amount)
            return
        self.bound += s * level.pair()[1] * bound.distance if bound.kind == "entropy" else s * sign
        if bound.kind == "norm":
            ((weight, own, _),) = bound.atoms
            for y, column in enumerate(node.items(outputs)):
                given = zip(own, column.items(len(own)), strict=True)
                places = {
                    x: entry.number() for x, entry in given if not (entry.value is None and self.vanishing.has(x, y))
                }
                positive = all(f > 0 or (f == 0 and a > 1) for f in places.values()) and (
                    not places or any(places.values())
                )
                require(positive, "a place is not positive")
                if places:
                    most_, logs = max(places.values()), norm([own[x] for x in places], list(places.values()), a)
                    unit = over(logs, ONE, (1 - a) / a, level)
                    for x, f in places.items():
                        slope = power(f / most_, a - 1) if f else (ZERO, ZERO)
                        slope = (slope[0] * unit[0], slope[1] * unit[1])
                        self.add(y, {x: own[x]}, s * weight * times(slope, sign)[0])
            return
        for (weight, left, right), by_output in zip(bound.atoms, node.items(len(bound.atoms)), strict=True):
            for y, place in enumerate(by_output.items(outputs)):
                if place.value is None and all(self.vanishing.has(x, y) for x in left):
                    continue
                up, down = tangent(bound, place.number(), level)
                self.add(y, left, s * weight * up)
                self.add(y, right, s * weight * down)
        for x, weight in (bound.linear or {}).items():  # of a power between equal distances
            self.add(0, {x: ONE}, s * weight * times(in_units(ONE, a - 1, level, ONE), sign)[0])

    def column(self, y: int, cost: dict[int, Fraction]) -> dict[int, Fraction]:
        """The coefficients of an output that differ from the base, or belong to an entry with a name."""
        found = {x: self.base[x] + self.weight[x] * d for x, d in cost.items()}
        for x, c in self.extra.get(y, {}).items():
            found[x] = found.get(x, self.base[x]) + c
        for i, c in self.means.get(y, {}).items():
            for x in self.entries(i):
                found[x] = found.get(x, self.base[x]) + c * self.table.points[i][x]
        for x in (*self.vanishing.named.get(y, {}), *self.rising.get(y, ())):
            found.setdefault(x, self.base[x])
        return found


def take_step(problem: Problem, table: Table, bounds: Bounds, vanishing: Vanishing, node: Node) -> Vanishing | None:
    """What is known to vanish after a step; None if it is a contradiction."""
    step = node.fields("", "laws ratios sums rows spread")
    total, by_distance = Total(table, vanishing), isinstance(table, Orbits)
    sizes = table.sizes if isinstance(table, Orbits) else []
    outputs = 1 if by_distance else problem.cost.outputs
    for entry in step["laws"].items() if "laws" in step else []:
        weight, *law = entry.items(1 if by_distance else 2)
        w = weight.number()
        if bounds.distortion is None or w < 0:
            raise Refused("the weight of a distribution is negative, or the distortion infinite")
        total.bound += w * bounds.distortion
        total.is_strict = total.is_strict or (w > 0 and not bounds.loss_is_open)
        member = () if by_distance else law[0].law(problem.source.size)
        require(by_distance or problem.source.contains(member), "a distribution is not in the source")
        each = [Fraction(size * x) for x, size in enumerate(sizes)] if by_distance else member
        total.weight = [a + w * p for a, p in zip(total.weight, each, strict=True)]
    events: dict[tuple[object, ...], tuple[Fraction, dict[tuple[object, ...], Fraction]]] = {}
    for entry in step["ratios"].items() if "ratios" in step else []:
        *name, place, multiple = entry.items()
        bound, y, m = table.ratio(name, bounds.loss), place.whole(0, outputs - 1), multiple.number()
        total.add_ratio(bounds, bound, y, m)
        slack = bound.slack * (bounds.loss.growth(ONE)[1] if bound.grows and bound.slack else ONE)
        if bound.event is None:
            total.bound += m * slack
        else:
            cells = events.setdefault(bound.event, (slack, {}))[1]
            cell = (y, *(part.value for part in name))
            cells[cell] = cells.get(cell, ZERO) + m / bound.count
    total.bound += sum((slack * max(cells.values()) for slack, cells in events.values()), ZERO)
    conjugate: tuple[Fraction, dict[int, Fraction]] | None = None
    for entry in step["sums"].items() if "sums" in step else []:
        name_, multiple, tangents = entry.items(3)
        bound_, s = table.sum(name_.items()), multiple.number()
        if tangents.value == "conjugate":
            require(conjugate is None and table.notion.family in ("information", "capacity"), "no such conjugate")
            point = table.points[name_.items()[0].whole(0)]
            conjugate = s * (table.count if isinstance(table, Orbits) else 1), point
            total.add_sum(bounds, bound_._replace(atoms=[]), s, outputs, Node([], entry, 2))
        else:
            total.add_sum(bounds, bound_, s, outputs, tangents)
    rows = step["rows"].numbers(1 if by_distance else table.inputs) if "rows" in step else (ZERO,)
    prices = [rows[0] * size for size in sizes] if by_distance else rows if "rows" in step else [ZERO] * table.inputs
    total.bound -= sum(rows, ZERO)
    default = ONE if by_distance else problem.cost.default
    total.base = [default * w - price for w, price in zip(total.weight, prices, strict=True)]
    return judge(problem, total, bounds, conjugate, "spread" in step and step["spread"].flag(), outputs)


Score: TypeAlias = tuple[Fraction, Fraction]


def judge(
    problem: Problem,
    total: Total,
    bounds: Bounds,
    conjugate: tuple[Fraction, dict[int, Fraction]] | None,
    spread: bool,
    outputs: int,
) -> Vanishing | None:
    """Test every column, then the total. Each test adds up a score over the entries that may be positive.

    No coefficient is negative: counts those that are. Spread: sums of positive and negative parts over the scales; with
    l the least scale_x q_x of a column, the first is worth at least l times itself, the second at most e^L l + slack
    times itself. Conjugate: by the log-sum inequality s I(q) + c.q >= -s q(y) log(sum of p exp(-c / (s p))).
    """
    scale, slack = total.table.scale() if spread else ({}, ZERO)
    growth = bounds.loss.growth(ONE)[1] if spread else ZERO

    def score(x: int, c: Fraction) -> Score:
        if spread:
            return max(c, ZERO) / scale[x], max(-c, ZERO) / scale[x]
        if conjugate is None:
            return Fraction(c < 0), ZERO
        s, point = conjugate
        if x not in point:
            return Fraction(2 * (c < 0)), ZERO
        exponent = max(-c / (s * point[x]), Fraction(-5 * UP.prec))
        return point[x] * exp((exponent, exponent))[1] if exponent < LARGEST_EXPONENT else Fraction(2), ZERO

    table, vanishing = total.table, total.vanishing
    defaults = [(ZERO, ZERO) if gone else score(x, total.base[x]) for x, gone in enumerate(vanishing.rows)]
    whole = sum((d[0] for d in defaults), ZERO), sum((d[1] for d in defaults), ZERO)
    joins = not conjugate and (bounds.loss_is_open or not spread)
    gone = [old or (joins and c > 0) for old, c in zip(vanishing.rows, total.base, strict=True)]
    named: dict[int, dict[int, bool]] = {}
    for y in range(outputs):
        column = total.column(y, {} if isinstance(table, Orbits) else problem.cost.column(y))
        first, second = whole
        for x, c in column.items():
            new = (ZERO, ZERO) if vanishing.has(x, y) else score(x, c)
            first, second = first + new[0] - defaults[x][0], second + new[1] - defaults[x][1]
            zero = vanishing.has(x, y) or (joins and c > 0) or x in total.rising.get(y, ())
            if zero != gone[x]:
                named.setdefault(y, {})[x] = zero
        passes = first >= growth * second if spread else first <= (0 if conjugate is None else 1)
        require(passes, f"the coefficients of output {y} do not pass the test, so that nothing follows")
        total.bound += slack * second
    if total.bound < 0 or (total.bound == 0 and total.is_strict):
        return None
    require(total.bound == 0, "a step leaves room, so that nothing follows")
    return Vanishing(gone, named)


# -- Attained: a mechanism keeps to every bound ------------------------------------------------------------------------

HINTS = "output corners envelope shares multipliers"
TOO_MUCH = "the mechanism loses more than claimed"


def check_attained(problem: Problem, node: Node) -> Bounds:
    """Verify that a mechanism is as good as claimed."""
    by_rows = isinstance(node.value, dict) and "rows" in node.value
    required, optional = ("rows", "") if by_rows else ("mechanism", f"{HINTS} cells row_corners")
    claim = node.fields(f"loss distortion {required}", f"digits {optional}")
    use_digits(claim.get("digits"))
    bounds = Bounds(claim["loss"].level(), claim["distortion"].limit())
    if by_rows:
        rows_attained(problem, claim["rows"], bounds)
    elif isinstance(claim["mechanism"].value, dict) and "distances" in claim["mechanism"].value:
        distances_attained(problem, claim["mechanism"].fields("distances")["distances"], bounds)
    else:
        matrix_attained(problem, claim, bounds)
    return bounds


def matrix_attained(problem: Problem, claim: dict[str, Node], bounds: Bounds) -> None:
    """A mechanism that is written out."""
    given = claim["mechanism"].fields("rows")["rows"].items(problem.universe.size)
    rows = [row.numbers(problem.cost.outputs) for row in given]
    for x, row in enumerate(rows):
        require(min(row) >= 0 and sum(row) == 1, f"row {x} of the mechanism is no distribution")
    columns = list(zip(*rows, strict=True))
    expected = [problem.cost.default] * len(rows)
    for y, column in enumerate(columns):
        for x, d in problem.cost.column(y).items():
            expected[x] += d * column[x]
    if bounds.loss.low is not None and problem.notion.is_free:
        check_pairs(problem, rows, columns, bounds.loss)
    source = problem.source
    parts = leaves(source, claim) if isinstance(source, Independent) else iter([(source, Hints(claim))])
    for part, hints in parts:
        if bounds.distortion is not None:
            require(
                part.largest(expected, hints) <= bounds.distortion, "the mechanism has more distortion than claimed"
            )
        if bounds.loss.low is not None and not problem.notion.is_free:
            check_loss(problem, rows, columns, bounds.loss, part, hints)
        hints.done()


def check_pairs(problem: Problem, rows: list[Law], columns: list[Law], level: Level) -> None:
    """The bounds of a notion that does not depend on the law of the inputs."""
    notion = problem.notion
    if notion.family == "maximal":
        require(sum(map(max, columns)) <= level.growth(ONE)[0], TOO_MUCH)
    elif notion.family == "pairs" and not notion.events:
        check_ratios(problem.universe, columns, None, level, notion.delta)
    else:
        kinds = {row: k for k, row in enumerate(rows)}
        kind = [kinds[row] for row in rows]
        seen: set[tuple[int, int, Fraction]] = set()
        for x, z, distance in problem.universe.neighbours():
            pair = kind[x], kind[z], distance
            if kind[x] != kind[z] and pair not in seen:
                seen.add(pair)
                both = list(zip(rows[x], rows[z], strict=True))
                if notion.events:
                    spend(len(both))
                    growth = level.growth(distance)[0]
                    require(sum(max(p - growth * q, ZERO) for p, q in both) <= notion.delta, TOO_MUCH)
                else:
                    bound = Sum(
                        "entropy" if notion.order == 1 else "power", [(ONE, {0: ONE}, {1: ONE})], notion.order, distance
                    )
                    check_sum(bound, both, [], level)


def check_ratios(universe: Universe, columns: list[Law], scale: Law | None, level: Level, slack: Fraction) -> None:
    """scale_x q_x <= e^(L distance) scale_z q_z + slack for all neighbours; among many the extremes decide."""
    growths: dict[Fraction, Fraction] = {}
    for clique, distance in universe.cliques():
        spend(len(clique) * len(columns))
        growth = growths.get(distance) or growths.setdefault(distance, level.growth(distance)[0])
        for q in columns:
            values = [q[x] for x in clique] if scale is None else [scale[x] * q[x] for x in clique]
            require(max(values) <= growth * min(values) + slack, TOO_MUCH)


def value_of(form: Form, q: Law, mean: Fraction) -> Fraction:
    """A form of a column; the mean of the column under the point is known."""
    return mean if isinstance(form, int) else sum((c * q[x] for x, c in form.items()), ZERO)


def check_sum(bound: Sum, columns: Sequence[Law], means: Sequence[Fraction], level: Level) -> None:
    """A sum bound."""
    a, total, logs = bound.order, (ZERO, ZERO), dict[Fraction, Fraction]()
    for weight, left, right in bound.atoms:
        spend(len(columns) * len(left))
        for y, q in enumerate(columns):
            if bound.kind == "maximum":
                most = weight * max(c * q[x] for x, c in left.items())
                total = plus(total, (most, most))
            elif bound.kind == "norm":
                most = max(q[x] for x in left)
                if most:
                    inner = norm(list(left.values()), [q[x] for x in left], a)
                    total = plus(total, times(over(inner, 1 - a, 1 / a, level), weight * most))
            else:
                p, r = value_of(left, q, ZERO), value_of(right, q, means[y] if means else ZERO)
                require(p == 0 or r > 0 or a < 1, TOO_MUCH)
                if bound.kind == "entropy" and p:
                    logs[p / r] = logs.get(p / r, ZERO) + weight * p
                elif p and r:
                    total = plus(total, times(in_units(p / r, a - 1, level, bound.distance), weight * p))
    for x, weight in (bound.linear or {}).items():
        total = plus(total, times(in_units(ONE, a - 1, level, ONE), weight * columns[0][x]))
    if bound.kind == "entropy":
        require(logs_at_most(logs, level, bound.distance), TOO_MUCH)
    elif bound.kind == "maximum":
        require(total[1] <= level.growth(ONE)[0], TOO_MUCH)
    else:
        require(total[1] <= 1 if a > 1 else total[0] >= 1, TOO_MUCH)


def check_loss(
    problem: Problem, rows: list[Law], columns: list[Law], level: Level, source: Source, hints: Hints
) -> None:
    """The bounds of a notion that depends on the law of the inputs, under every law of the source."""
    notion, universe = problem.notion, problem.universe
    if notion.family == "capacity":
        source = Source(universe.size)
    points = source.points if isinstance(source, Listed) else []
    spend(len(points) * len(rows) * len(columns))
    if notion.family == "identifiability":
        for point in points:
            check_ratios(universe, columns, point, level, ZERO)
        if not points:
            check_identifiability(universe, rows, level, source, hints)
    elif notion.family == "output" or (notion.family == "local" and not notion.delta) or "envelope" in hints.given:
        require("envelope" not in hints.given or hints.given["envelope"].flag(), "an envelope is true or not there")
        require(notion.family in ("output", "local", "pointwise"), "this notion has no envelope")
        least = [-source.largest([-q for q in column], hints) for column in columns]
        most = [source.largest(column, hints) for column in columns] if notion.family == "local" else []
        check_outputs(notion, rows, level, most, least, [1] * len(columns))
    elif notion.family in ("local", "pointwise"):
        for point in source.corners(hints.given.get("corners")):
            spend(len(rows) * len(columns))
            means = [dot(point, column) for column in columns]
            check_outputs(notion, rows, level, means, means, [1] * len(columns))
    elif points and not (source.convex and len(points) > 1):
        for point in points:
            means = [dot(point, column) for column in columns]
            check_sum(Table(notion, universe, [point]).at_point(0), columns, means, level)
    elif notion.family == "guessing":
        check_guessing(columns, level, source, hints)
    else:
        check_divergences(notion, rows, level, source, hints)


def check_outputs(
    notion: Notion,
    rows: list[Law],
    level: Level,
    most: Sequence[Fraction],
    least: Sequence[Fraction],
    counts: list[int],
) -> None:
    """Rows against the probabilities of outputs under a law, or against their extremes under all laws."""
    growth, delta = level.growth(ONE)[0], notion.delta
    spend(len(rows) * len(least))
    for row in dict.fromkeys(rows):
        if notion.family == "pointwise":
            logs: dict[Fraction, Fraction] = {}
            for q, r, n in zip(row, least, counts, strict=True):
                require(q == 0 or r > 0, TOO_MUCH)
                if q:
                    logs[q / r] = logs.get(q / r, ZERO) + n * q
            require(logs_at_most(logs, level), TOO_MUCH)
            continue
        above = sum((n * max(q - growth * r, ZERO) for q, r, n in zip(row, least, counts, strict=True)), ZERO)
        require(above <= delta * growth, TOO_MUCH)
        if notion.family == "local":
            below = sum((n * max(r - growth * q, ZERO) for q, r, n in zip(row, most, counts, strict=True)), ZERO)
            require(below <= delta, TOO_MUCH)


def check_identifiability(universe: Universe, rows: list[Law], level: Level, source: Source, hints: Hints) -> None:
    """p(x) Q(y|x) <= e^(L distance) p(z) Q(y|z) for all laws: for the output where Q(y|x) / Q(y|z) is largest."""
    for x, z, distance in sorted(universe.neighbours()):
        spend(len(rows[x]) + len(rows))
        cost = [ZERO] * len(rows)
        cost[x] = ONE
        if all(q or not p for p, q in zip(rows[x], rows[z], strict=True)):
            cost[x] = max(p / q for p, q in zip(rows[x], rows[z], strict=True) if q)
            cost[z] = -level.growth(distance)[0]
        require(source.largest(cost, hints) <= 0, TOO_MUCH)


def check_divergences(notion: Notion, rows: list[Law], level: Level, source: Source, hints: Hints) -> None:
    """An information is at most the mean divergence of the rows from any law r of the outputs."""
    if "output" not in hints.given:
        raise Refused("over this source a distribution of the outputs is needed")
    r, a, costs, each = hints.given["output"].law(len(rows[0])), notion.order, [], True
    for x, row in enumerate(rows):
        spend(len(row))
        both = [(q, s) for q, s in zip(row, r, strict=True) if q and s]
        if notion.order >= 1 and sum((q for q, _ in both), ZERO) < 1:  # then no law may use the input
            require(source.largest([Fraction(k == x) for k in range(len(rows))], hints) <= 0, TOO_MUCH)
            costs.append(ZERO)
        elif notion.family != "sibson":
            logs: dict[Fraction, Fraction] = {}
            for q, s in both:
                logs[q / s] = logs.get(q / s, ZERO) + q
            each = logs_at_most(logs, level) and each
            costs.append(sum((times(ln(argument), w)[1] for argument, w in logs.items()), ZERO))
        else:
            total = (ZERO, ZERO)
            for q, s in both:
                total = plus(total, times(in_units(q / s, a - 1, level, ONE), q))
            costs.append(total[1] if a > 1 else -total[0])
            each = costs[-1] <= (1 if a > 1 else -1) and each
    limit = level.pair()[0] if notion.family != "sibson" else Fraction(1 if a > 1 else -1)
    require(each or source.largest(costs, hints) <= limit, TOO_MUCH)


def check_guessing(columns: list[Law], level: Level, source: Source, hints: Hints) -> None:
    """sum_y max_x p(x) q(x) <= e^L max p, over a convex source."""
    size, growth = source.size, level.growth(ONE)[0]
    spend(size * len(columns))
    if "corners" in hints.given:  # convex where one input is the likeliest
        for k, named in enumerate(hints.given["corners"].items(size)):
            laws = [law.law(size) for law in named.items()]
            rows = [tuple(Fraction(j == x) - Fraction(j == k) for j in range(size)) for x in range(size) if x != k]
            require(set(laws) == cut(source, [(row, ZERO) for row in rows]), "the corners of a part are others")
            for law in laws:
                spend(size * len(columns))
                most = sum((max(p * e for p, e in zip(law, q, strict=True)) for q in columns), ZERO)
                require(most <= growth * law[k], TOO_MUCH)
        return
    shares = [ONE] * size
    for x, entry in enumerate(hints.given["shares"].items(size) if "shares" in hints.given else []):
        share, other = entry.items(2)
        w, k = share.number(), other.whole(0, size - 1)
        cost = [Fraction(j == x) - (w if j == k else 0) for j in range(size)]
        require(w >= 1 if k == x else w >= 0 and source.largest(cost, hints) <= 0, "a share is too small")
        shares[x] = min(w, ONE)
    require(sum((max(w * e for w, e in zip(shares, q, strict=True)) for q in columns), ZERO) <= growth, TOO_MUCH)


def leaves(source: Independent, claim: dict[str, Node]) -> Iterator[tuple[Source, Hints]]:
    """Sets of laws that cover those of independent rows: hulls of products of the corners of cells."""
    given = claim["row_corners"].items(len(source.rows)) if "row_corners" in claim else [Node(None)] * len(source.rows)
    choices: list[list[list[Law]]] = []
    for row, node in zip(source.rows, given, strict=True):
        laws = row.corners(None if node.value is None else node)
        choices.append([laws] if row.convex else [[law] for law in laws])
    cells = product(*(choices if source.shared or len(source.rows) > 1 else choices * source.count))
    trees = iter(claim["cells"].items()) if "cells" in claim else None
    shared = Node({name: claim[name].value for name in HINTS.split() if name in claim}, claim["mechanism"].parent, "")
    for cell in cells:
        spend(1)
        tree = shared if trees is None else next(trees, None)
        if tree is None:
            raise Refused("there are fewer cells than choices of the rows")
        yield from leaves_of(source, list(cell), tree)
    require(trees is None or next(trees, None) is None, "there are more cells than choices of the rows")


def leaves_of(source: Independent, cell: list[list[Law]], node: Node) -> Iterator[tuple[Source, Hints]]:
    """The leaves of a tree. A cut at c = t v_i + (1 - t) v_j leaves mixtures of c and v_j, and of c and v_i."""
    if isinstance(node.value, dict) and "cut" in node.value:
        fields = node.fields("cut cells")
        where, first, second, share = fields["cut"].items(4)
        row = where.whole(0, len(cell) - 1)
        i, j, t = first.whole(0, len(cell[row]) - 1), second.whole(0, len(cell[row]) - 1), share.number()
        require(i != j and 0 < t < 1, "a cut is between two corners of a cell")
        middle = tuple(t * a + (1 - t) * b for a, b in zip(cell[row][i], cell[row][j], strict=True))
        for place, part in zip((i, j), fields["cells"].items(2), strict=True):
            corners = [middle if k == place else law for k, law in enumerate(cell[row])]
            yield from leaves_of(source, [*cell[:row], corners, *cell[row + 1 :]], part)
        return
    points: list[Law] = []
    if source.shared and len(cell[0]) > 1:
        for chosen in combinations_with_replacement(cell[0], source.count):
            spend(prod(range(1, source.count + 1)))
            orders = [joint(order) for order in set(permutations(chosen))]
            points.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
    else:
        points = [joint(laws * (source.count if source.shared else 1)) for laws in product(*cell)]
    yield Listed(list(dict.fromkeys(points)), True), Hints(node.fields("", HINTS))


def distances_attained(problem: Problem, node: Node, bounds: Bounds) -> None:
    """Q(y|x) = f(l) for databases that differ in l rows: all inputs are alike, and no law is worse than the uniform."""
    universe, notion, level = problem.universe, problem.notion, bounds.loss
    require(universe.edges is None and problem.cost.name == "hamming", "distances need databases and Hamming's cost")
    table, f = Orbits(notion, universe), node.numbers(universe.rows + 1)
    sizes = table.sizes
    require(min(f) >= 0 and sum(n * q for n, q in zip(sizes, f, strict=True)) == 1, "the rows are no distributions")
    mean = sum((n * q * x for x, (n, q) in enumerate(zip(sizes, f, strict=True))), ZERO)
    require(bounds.distortion is None or mean <= bounds.distortion, "the mechanism has more distortion than claimed")
    if level.low is None:
        return
    symmetric = notion.is_free or notion.family in ("information", "capacity", "sibson", "guessing")
    require(symmetric or is_uniform(problem.source), "the loss by distances is known at the uniform distribution only")
    uniform = [1 / table.count] * len(f)
    if notion.family in ("pairs", "identifiability"):
        growth, excess = level.growth(ONE)[0], ZERO
        for x in range(universe.rows):
            for bound, p, q in ((table.pair(x, x + 1), f[x], f[x + 1]), (table.pair(x + 1, x), f[x + 1], f[x])):
                excess += bound.count * max(p - growth * q, ZERO)
                require(notion.events or p <= growth * q + notion.delta, TOO_MUCH)
        require(not notion.events or excess <= notion.delta, TOO_MUCH)
    elif notion.family in ("output", "local"):
        check_outputs(notion, [f], level, uniform, uniform, sizes)
    else:
        check_sum(table.whole_sum(), [f], uniform, level)


def is_uniform(source: Source) -> bool:
    """Whether the uniform law is the only one."""
    rows = source.rows if isinstance(source, Independent) else [source]
    return all(isinstance(row, Listed) and len(row.points) == 1 and len(set(row.points[0])) == 1 for row in rows)


# -- Databases of independent rows: a claim about each kind of row -----------------------------------------------------


def read_parts(problem: Problem, node: Node, claim: str) -> list[tuple[Problem, Node, int]]:
    """[[{"source": ..., claim: ...}, count], ...]: the rows in order; the rest of their problem is that of the database."""
    universe, found = problem.universe, []
    require(universe.edges is None and problem.cost.name != "", "rows need databases and a cost that has a name")
    values = None if universe.values is None else list[object](universe.values)
    row = Universe(universe.letters, 1, values)
    for entry in node.items():
        part, count = entry.items(2)
        given = part.fields(f"source {claim}")
        source = read_source(given["source"], None)
        if source.size != row.size:
            raise part.error("a row has another number of values")
        cost = Cost(problem.given["distortion"], row)
        found.append(
            (Problem(problem.notion, row, source, cost, problem.given), given[claim], count.whole(1, universe.rows))
        )
    require(sum(count for *_, count in found) == universe.rows, "there is not a part for each row")
    return found


def rows_attained(problem: Problem, node: Node, bounds: Bounds) -> None:
    """Rows treated one by one: distortions add up; of the losses the largest counts, or informations add up."""
    family, whole = problem.notion.family, problem.source
    adds_up = family in ("information", "capacity", "maximal")
    require(adds_up or family in ("pairs", "renyi", "identifiability"), "the loss does not follow from the rows")
    losses, distortion, number = list[tuple[Level, int]](), Fraction(0), 0
    for part, claim, count in read_parts(problem, node, "attained"):
        for r in range(number, number + count) if isinstance(whole, Independent) and len(whole.rows) > 1 else [0]:
            own = whole.row(r) if isinstance(whole, Independent) else Source(part.source.size)
            same = type(own) is type(part.source) and vars(own) == vars(part.source)
            require(same, "a row is about another source")
        require(isinstance(whole, Independent) or family != "identifiability", "the loss does not follow from the rows")
        found, number = check_attained(part, claim), number + count
        if found.distortion is None:
            raise Refused("the distortion of a row is infinite")
        losses, distortion = [*losses, (found.loss, count)], distortion + count * found.distortion
    require(bounds.distortion is None or distortion <= bounds.distortion, "the rows distort more than claimed")
    total = [sum_of_levels(losses)] if adds_up else [loss for loss, _ in losses]
    require(all(loss.at_most(bounds.loss) for loss in total), "the rows lose more than claimed")


def sum_of_levels(losses: list[tuple[Level, int]]) -> Level:
    """The sum of losses that occur several times, kept as a logarithm where that is one of moderate size."""
    if any(loss.low is None for loss, _ in losses):
        return Level(None)
    size = sum(sum(map(int.bit_length, (loss.of or ONE).as_integer_ratio())) * count for loss, count in losses)
    if size <= MOST_BITS and all(loss.of is not None for loss, _ in losses):
        return log_of(prod(((loss.of or ONE) ** count for loss, count in losses), start=ONE))
    pairs = [times(loss.pair(), Fraction(count)) for loss, count in losses]
    return Level(sum((low for low, _ in pairs), ZERO), sum((high for _, high in pairs), ZERO))


def rows_excluded(problem: Problem, node: Node, bounds: Bounds) -> None:
    """Averaging over the other rows, and ignoring their answers, leaves a mechanism on a row that loses no more.

    So at one level the distortion is at least the sum of what the rows exclude. Mutual informations of rows add up to at
    most that of the database, and n equal rows do no better than n times their mean, by convexity.
    """
    notion, source, parts = problem.notion, problem.source, read_parts(problem, node, "excluded")
    adds_up = notion.family == "information"
    one_level = notion.family in ("renyi", "identifiability") or (
        notion.family == "pairs" and (notion.events or not notion.delta)
    )
    require((adds_up and len(parts) == 1) or one_level, "what rows exclude does not add up")
    laws: list[Law] = []
    for part, _, count in parts:
        if not isinstance(part.source, Listed) or len(part.source.points) > 1:
            raise Refused("a row is excluded under one distribution")
        laws += part.source.points * count
    within = (
        source.holds(laws)
        if isinstance(source, Independent)
        else type(source) is Source or source.contains(joint(laws))
    )
    require(within, "rows with these distributions are not in the source")
    least, more, endless = ZERO, False, False
    for part, claim, count in parts:
        found = check_excluded(part, claim)
        level = sum_of_levels([(found.loss, count)]) if adds_up else found.loss
        require(bounds.loss.at_most(level), "a row excludes smaller losses only")
        require(bounds.loss_is_open or not found.loss_is_open, "a row excludes smaller losses only")
        endless, more = endless or found.distortion is None, more or found.loss_is_open
        least += count * (found.distortion or ZERO)
    room = ZERO if bounds.distortion is None else least - bounds.distortion
    enough = room >= 0 if more or not bounds.loss_is_open else room > 0
    require(
        endless or (enough and bounds.distortion is not None),
        "the distortions that the rows exclude do not add up to what is claimed",
    )


# -- Documents: proofs, answers, curves --------------------------------------------------------------------------------


def read_problem(node: Node) -> Problem:
    """A problem file without what is asked."""
    node.loose = True
    given = node.fields("notion source distortion", "universe")
    universe = read_universe(given["universe"]) if "universe" in given else None
    source = read_source(given["source"], universe)
    universe = universe or Universe(source.size)
    if source.size != universe.size:
        raise node.error("the source has another size than the universe")
    return Problem(read_notion(given["notion"]), universe, source, Cost(given["distortion"], universe), given)


class Claims(NamedTuple):
    """What was verified."""

    attained: Bounds | None
    excluded: Bounds | None

    def words(self) -> list[str]:
        """The statements that are proven."""
        found = []
        if self.attained:
            loss, distortion = shown(self.attained.loss), shown(self.attained.distortion)
            found.append(f"a mechanism has loss <= {loss} and distortion <= {distortion} under every law of the source")
        if self.excluded:
            less, least = ("<", "<=") if self.excluded.loss_is_open else ("<=", "<")
            loss, distortion = shown(self.excluded.loss), shown(self.excluded.distortion)
            found.append(f"no mechanism has loss {less} {loss} and distortion {least} {distortion}")
        return found


def shown(number: Level | Fraction | None) -> str:
    """A number in words, cut where it is long."""
    if isinstance(number, Level):
        text = shown(number.of if number.of not in (None, 1) else number.low)
        return f"log({text})" if number.of not in (None, 1) else text
    if number is None:
        return "infinity"
    short = sum(map(int.bit_length, number.as_integer_ratio())) < 200
    return (
        str(number)
        if short
        else f"about {Context(prec=17).divide(Decimal(number.numerator), Decimal(number.denominator))}"
    )


def check_claims(problem: Problem, given: dict[str, Node]) -> Claims:
    """Verify the claims of a proof, or of a point of a curve."""
    attained = check_attained(problem, given["attained"]) if "attained" in given else None
    return Claims(attained, check_excluded(problem, given["excluded"]) if "excluded" in given else None)


def signed(distortion: Fraction | None) -> Level:
    """A distortion, which may be negative, as a number to compare."""
    return Level(None) if distortion is None else level_of(distortion)


def read_end(node: Node, turned: bool, is_exact: bool) -> Level | None:
    """An end of an answer, None for minus infinity; a JSON number is the binary number that it is read as."""
    if node.value in ("infinity", "-infinity"):
        return Level(None) if (node.value == "infinity") != turned else None
    if is_exact:
        is_log = isinstance(node.value, str) and node.value.startswith("log(")
        return node.level() if is_log else level_of(-node.number() if turned else node.number())
    if type(node.value) is not int and not isinstance(node.value, Decimal):
        raise node.error("a JSON number or infinity was expected")
    try:
        value = Fraction(float(node.value))
    except OverflowError:
        raise node.error("the number is too large") from None
    return level_of(-value if turned else value)


def check_ends(problem: Problem, claims: Claims, at: Bounds, asks_loss: bool, given: dict[str, Node]) -> None:
    """Verify that the ends of an answer at a distortion, or at a loss, follow from the claims as they stand."""
    use_digits(None)
    turned = problem.cost.is_gain and not asks_loss  # a utility is minus a distortion
    given["unit"].text("nats" if asks_loss else "utility" if turned else "distortion")
    never_negative = asks_loss or not problem.cost.is_gain
    for name in ("lower", "upper", "lower_exact", "upper_exact"):
        if name not in given:
            continue
        is_lower, is_exact = name.startswith("lower") != turned, name.endswith("exact")
        end = read_end(given[name], turned, is_exact)
        claim = claims.excluded if is_lower else claims.attained
        if is_lower and (end is None or (never_negative and end.at_most(level_of(ZERO)))):
            continue
        if not is_lower and end is not None and end.low is None:
            continue
        if claim is None or end is None:
            raise Refused(f"{name} follows from no claim")
        proven = claim.loss if asks_loss else signed(claim.distortion)
        mine, theirs = (signed(b.distortion) if asks_loss else b.loss for b in (at, claim))
        if is_lower:  # what is excluded must include what is asked about
            covers, follows = mine.at_most(theirs, claim.loss_is_open != asks_loss), end.at_most(proven)
        else:
            covers, follows = theirs.at_most(mine), proven.at_most(end)
        require(covers, f"the claim behind {name} does not cover the question")
        exactly = end.at_most(proven) and proven.at_most(end)
        require(exactly if is_exact else follows, f"{name} does not follow from what is claimed")


FREE_TEXT = "method theorem status"


def check_proof(node: Node) -> tuple[Problem, Claims]:
    """Verify a proof."""
    given = node.fields("schema problem", "attained excluded")
    given["schema"].text("epstar/proof/2")
    if len(given) < 3:
        raise node.error("a proof claims something")
    problem = read_problem(given["problem"])
    return problem, check_claims(problem, given)


def check_answer(node: Node) -> list[str]:
    """Verify an answer: its proof, and that its ends follow."""
    given = node.fields("schema at lower upper unit proof", f"lower_exact upper_exact {FREE_TEXT}")
    problem, claims = check_proof(given["proof"])
    asked = given["at"].fields("", "distortion loss")
    if len(asked) != 1:
        raise given["at"].error("a distortion or a loss was expected")
    check_ends(
        problem, claims, read_at(next(iter(asked.values())), "distortion" in asked), "distortion" in asked, given
    )
    return ["the ends of the answer follow from these claims", *claims.words()]


def read_at(node: Node, asks_loss: bool) -> Bounds:
    """Where a question is asked."""
    node.loose = True
    return Bounds(Level(None), node.limit()) if asks_loss else Bounds(node.level(), None)


def check_curve(node: Node) -> list[str]:
    """Verify a curve: claims about one problem at many points."""
    given = node.fields("schema problem asks unit points")
    problem, asks_loss = read_problem(given["problem"]), given["asks"].text("loss", "distortion") == "loss"
    points, proven = given["points"].items(), 0
    for point in points:
        fields = point.fields("at lower upper", f"lower_exact upper_exact attained excluded {FREE_TEXT}")
        if fields["lower"].value is None and fields["upper"].value is None and len(fields) == 3:
            continue  # nothing is said of this point
        claims = check_claims(problem, fields)
        at = read_at(fields["at"], asks_loss)
        check_ends(problem, claims, at, asks_loss, {**fields, "unit": given["unit"]})
        proven += 1
    return [
        f"the least {'loss' if asks_loss else 'distortion'} lies between the ends at {proven} of {len(points)} points"
    ]


def no_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object, if no field stands twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unreadable("a field stands twice in one object")
    return found


def no_constant(name: str) -> object:
    """NaN and infinities are no JSON."""
    raise Unreadable(f"{name} is not a number")


def check(content: bytes) -> list[str]:
    """The statements that a document proves; raises Refused or Unreadable."""
    Work.left, Work.common = FREE + MULTIPLE * len(content), 1
    rational.cache_clear()
    if len(content) > MOST_BYTES or content.count(b"[") + content.count(b"{") > MOST_LISTS:
        raise Unreadable(f"the document has more than {MOST_BYTES} bytes or {MOST_LISTS} lists")
    try:
        document = json.loads(
            content.decode(), parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=no_repeats
        )
        if b"\\ud" in content.lower():
            json.dumps(document, ensure_ascii=False, default=str).encode()  # half a character cannot be encoded
    except (ValueError, RecursionError, DecimalException):
        raise Unreadable("the document is not valid JSON in UTF-8") from None
    node = Node(document)
    schema = node.value.get("schema") if isinstance(node.value, dict) else None
    if schema == "epstar/answer/2":
        return check_answer(node)
    return check_curve(node) if schema == "epstar/curve/2" else check_proof(node)[1].words()


def give_up(seconds: float) -> None:
    """End the program."""
    print(f"cannot tell: the time limit of {seconds:g} seconds passed", file=sys.stderr, flush=True)
    os._exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one document and say what it proves."""
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
    except OSError as error:
        print(f"cannot be read: {error.strerror}", file=sys.stderr)
    except (Unreadable, RecursionError, MemoryError, DecimalException) as error:
        print(f"cannot be read: {error}", file=sys.stderr)
    finally:
        watch.cancel()
    return 2


if __name__ == "__main__":
    sys.exit(main())
