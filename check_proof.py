#!/usr/bin/env python3
"""Check a proof of epstar without epstar: one file, the standard library, no solver.

    python check_proof.py answer.json        what `epstar solve --json` wrote, a proof alone, or - for standard input

It says yes and the interval that the evidence establishes (exit code 0), or no and why (1), or that the input cannot
be read or is too large to check (2). Everything is derived again from the data of the problem: nothing that the
answer or the proof claims is believed. docs/proofs.md explains the mathematics and every field.

An upper bound is a mechanism: its rows must be laws, its worst distortion over the source is computed exactly, and its
loss is enclosed. A lower bound is a list of multipliers: weak duality turns them into a statement about every
mechanism. Rationals are exact (`Fraction`). Logarithms, exponentials and powers are enclosed by `decimal` with 80
digits: sums, products and quotients are rounded outward, and ln and exp, which `decimal` rounds to the nearest, are
widened by one unit on each side. What the enclosures cannot decide counts as not proven.

Limits, so that no input hangs it: the constants below, and the seconds of `--seconds` (default 600).
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import cmp_to_key
from itertools import combinations, product
from pathlib import Path
from typing import TypeAlias

MOST_BYTES = 1 << 25  # of the document
MOST_DEPTH = 24  # of nested lists and objects
LONGEST_NUMBER = 2500  # characters
LARGEST_EXPONENT = 2000  # of ten, in a decimal
COMMON_DENOMINATOR_BITS = 1 << 16  # of all numbers of the document together
MOST_ENTRIES = 1 << 18  # of a matrix
MOST_WORK = 1 << 22  # pairs of inputs times outputs, where a notion compares pairs
MOST_CORNERS = 100_000  # of a source, and of candidates for them
MOST_PIVOTS = 10_000  # of the simplex method
LARGEST_LEVEL = 20_000  # e^20000 has 8,686 digits

Law: TypeAlias = tuple[Fraction, ...]
Rows: TypeAlias = list[list[Fraction]]
Form: TypeAlias = dict[int, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


class Unreadable(Exception):
    """The input is not a document of these schemas, or exceeds a limit."""


class Rejected(Exception):
    """The document was understood, and does not prove anything."""


# ---------------------------------------------------------------------------------------------------------------------
# Real numbers: a rational, the logarithm of a rational, or just two decimals between which the number lies
# ---------------------------------------------------------------------------------------------------------------------

DIGITS = 80
_TRAPS = [InvalidOperation, DivisionByZero, TooLarge]
DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emin=-999_999, Emax=999_999, traps=_TRAPS)
UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999, traps=_TRAPS)
INFINITE = Decimal("Infinity")


@dataclass(frozen=True)
class Real:
    """A number in [low, high]; `rational` or `log_of` hold it exactly where that is known."""

    low: Decimal
    high: Decimal
    rational: Fraction | None = None
    log_of: Fraction | None = None

    def __add__(self, other: Real) -> Real:
        if self.rational is not None and other.rational is not None:
            return exactly(self.rational + other.rational)
        return Real(DOWN.add(self.low, other.low), UP.add(self.high, other.high))

    def __neg__(self) -> Real:
        return exactly(-self.rational) if self.rational is not None else Real(-self.high, -self.low)

    def __sub__(self, other: Real) -> Real:
        return self + -other

    def __mul__(self, other: Real) -> Real:
        if self.rational is not None and other.rational is not None:
            return exactly(self.rational * other.rational)
        ends = list(product((self.low, self.high), (other.low, other.high)))
        return Real(min(DOWN.multiply(a, b) for a, b in ends), max(UP.multiply(a, b) for a, b in ends))

    def times(self, factor: Fraction) -> Real:
        """Multiply by a rational."""
        return self * exactly(factor)

    def surely_at_most(self, other: Real) -> bool:
        """Whether self <= other is proven."""
        for a, b in ((self.rational, other.rational), (self.log_of, other.log_of)):
            if a is not None and b is not None:
                return a <= b
        return self.high <= other.low

    def surely_below(self, other: Real) -> bool:
        """Whether self < other is proven."""
        for a, b in ((self.rational, other.rational), (self.log_of, other.log_of)):
            if a is not None and b is not None:
                return a < b
        return self.high < other.low

    def __str__(self) -> str:
        return "infinity" if self.low == INFINITE else f"{self.low:.17g}"


INFINITY = Real(INFINITE, INFINITE)


def exactly(value: Fraction) -> Real:
    """A rational."""
    above, below = Decimal(value.numerator), Decimal(value.denominator)
    return Real(DOWN.divide(above, below), UP.divide(above, below), value, ONE if value == 0 else None)


def log(value: Fraction | Real) -> Real:
    """The logarithm of a positive number."""
    if isinstance(value, Fraction):
        if value <= 0:
            raise Rejected("the logarithm of a number that is not positive was needed")
        if value == 1:
            return exactly(ZERO)
        enclosed = exactly(value)
        return Real(DOWN.next_minus(DOWN.ln(enclosed.low)), UP.next_plus(UP.ln(enclosed.high)), None, value)
    if value.rational is not None:
        return log(value.rational)
    if value.low <= 0:
        raise Rejected("the logarithm of a number that may not be positive was needed")
    return Real(DOWN.next_minus(DOWN.ln(value.low)), UP.next_plus(UP.ln(value.high)))


def exp(value: Real) -> Real:
    """The exponential; that of the logarithm of a rational is the rational."""
    if value.log_of is not None:
        return exactly(value.log_of)
    if max(abs(value.low), abs(value.high)) > LARGEST_LEVEL:
        raise Rejected(f"an exponent beyond {LARGEST_LEVEL} was needed")
    return Real(DOWN.next_minus(DOWN.exp(value.low)), UP.next_plus(UP.exp(value.high)))


def above(value: Real) -> Fraction:
    """A rational that is not below the number."""
    return value.rational if value.rational is not None else Fraction(value.high)


def power(base: Fraction, exponent: Fraction) -> Real:
    """base ** exponent for base >= 0; zero stays zero."""
    if base == 0:
        return exactly(ZERO)
    if exponent.denominator == 1 and abs(exponent) <= 64:
        return exactly(base ** int(exponent))
    return exp(log(base).times(exponent))


def log_over(argument: Fraction, divisor: Fraction) -> Real:
    """log(argument) / divisor, kept as the logarithm of a rational where that has few digits."""
    exponent = 1 / divisor
    if exponent.denominator == 1 and abs(exponent) <= 64:
        return log(argument ** int(exponent))
    return log(argument).times(exponent)


def sum_of_logs(weights: Mapping[Fraction, Fraction]) -> Real:
    """The sum of weight * log(argument), kept as one logarithm where all weights are small whole numbers."""
    kept = {argument: weight for argument, weight in weights.items() if argument != 1 and weight != 0}
    if all(weight.denominator == 1 and abs(weight) <= 64 for weight in kept.values()):
        return log(math.prod((argument ** int(weight) for argument, weight in kept.items()), start=ONE))
    total = exactly(ZERO)
    for argument, weight in kept.items():
        total += log(argument).times(weight)
    return total


def largest(values: Iterable[Real]) -> Real:
    """The largest of some numbers; two that cannot be told apart are enclosed together."""
    best = exactly(ZERO)  # losses are never negative
    for value in values:
        if best.surely_at_most(value):
            best = value
        elif not value.surely_at_most(best):
            best = Real(max(best.low, value.low), max(best.high, value.high))
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Reading JSON
# ---------------------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?[0-9]+(/[0-9]+|(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?)", re.ASCII)


def number(value: object) -> Fraction:
    """A rational: a string such as "3/10" or "0.3", or a JSON number, which is the decimal it is written as."""
    text = str(value).strip()
    wrong = isinstance(value, bool | float) or not isinstance(value, str | int | Decimal)
    if wrong or len(text) > LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        raise Unreadable(f"{text[:40]!r} is not a number of this format")
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise Unreadable(f"the exponent of {text[:40]!r} is too large")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise Unreadable(f"{text[:40]!r} divides by zero") from None


def real(value: object) -> Real:
    """A rational or "log(r)"."""
    if isinstance(value, str) and value.startswith("log(") and value.endswith(")"):
        argument = number(value[4:-1])
        if argument <= 0:
            raise Unreadable("the argument of a logarithm must be positive")
        return log(argument)
    return exactly(number(value))


def entries(value: object, what: str) -> list[object]:
    """A list, which must not be empty."""
    if not isinstance(value, list) or not value:
        raise Unreadable(f"{what} must be a list that is not empty")
    return value


def fields(value: object, what: str) -> Mapping[str, object]:
    """An object."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} must be an object")
    return value


def field(value: object, name: str) -> object:
    """A field of an object."""
    found = fields(value, f"what holds {name!r}")
    if name not in found:
        raise Unreadable(f"the field {name!r} is missing")
    return found[name]


def whole(value: object, least: int = 0) -> int:
    """A whole number that is at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise Unreadable(f"a whole number that is at least {least} was expected")
    return value


def numbers(value: object, what: str) -> Law:
    """A list of rationals."""
    return tuple(number(entry) for entry in entries(value, what))


def table(value: object, what: str) -> Rows:
    """A list of equally long lists of rationals."""
    rows = [list(numbers(row, what)) for row in entries(value, what)]
    if any(len(row) != len(rows[0]) for row in rows) or len(rows) * len(rows[0]) > MOST_ENTRIES:
        raise Unreadable(f"{what} is ragged, or has more than {MOST_ENTRIES} entries")
    return rows


def law(value: object, what: str) -> Law:
    """A list of probabilities that sum to exactly one."""
    read = numbers(value, what)
    if min(read) < 0 or sum(read) != 1:
        raise Unreadable(f"{what} must be non-negative and sum to exactly 1")
    return read


def label(value: object) -> Hashable:
    """A label: text, a number, true, false, null, a rational, or a list of labels."""
    if value is None or isinstance(value, str | bool | int | Decimal):
        return value
    if isinstance(value, list):
        return tuple(label(entry) for entry in value)
    return number(field(value, "rational"))


def check_size(document: object) -> None:
    """Refuse deep nesting, and numbers whose common denominator would make sums of them enormous."""
    stack, common = [(document, 0)], 1
    while stack:
        value, depth = stack.pop()
        if depth > MOST_DEPTH:
            raise Unreadable(f"lists and objects are nested deeper than {MOST_DEPTH}")
        if isinstance(value, dict | list):
            stack += [(entry, depth + 1) for entry in (value.values() if isinstance(value, dict) else value)]
        elif isinstance(value, str | Decimal) and _NUMBER.fullmatch(str(value).strip()):
            common = math.lcm(common, number(value).denominator)
            if common.bit_length() > COMMON_DENOMINATOR_BITS:
                raise Unreadable("the numbers have no common denominator of reasonable length")


# ---------------------------------------------------------------------------------------------------------------------
# Linear programs over laws, and corners of polytopes, in exact arithmetic
# ---------------------------------------------------------------------------------------------------------------------


def dot(left: Sequence[Fraction], right: Sequence[Fraction]) -> Fraction:
    """The inner product."""
    return sum((a * b for a, b in zip(left, right, strict=True) if a and b), ZERO)


def _pivot(tableau: Rows, basis: list[int], row: int, column: int) -> None:
    scale = tableau[row][column]
    tableau[row] = [entry / scale for entry in tableau[row]]
    for k, other in enumerate(tableau):
        if k != row and other[column]:
            factor = other[column]
            tableau[k] = [a - factor * b for a, b in zip(other, tableau[row], strict=True)]
    basis[row] = column


def _improve(tableau: Rows, basis: list[int], cost: Sequence[Fraction], columns: int) -> None:
    """The simplex method with Bland's rule, which cannot cycle; the last column holds the basic values."""
    for _ in range(MOST_PIVOTS):
        basic = [cost[column] for column in basis]
        entering = next(
            (j for j in range(columns) if j not in basis and cost[j] > dot(basic, [row[j] for row in tableau])), None
        )
        if entering is None:
            return
        ratios = [(row[-1] / row[entering], basis[k], k) for k, row in enumerate(tableau) if row[entering] > 0]
        _pivot(tableau, basis, min(ratios)[2], entering)
    raise Unreadable(f"a linear program over the source needs more than {MOST_PIVOTS} pivots")


def maximum_over_laws(cost: Sequence[Fraction], matrix: Rows, bounds: Sequence[Fraction]) -> tuple[Fraction, Law] | None:
    """The largest cost.p over laws p with matrix p <= bounds, and a law that attains it; None if there is none."""
    size, count = len(cost), len(matrix)
    tableau: Rows = []
    for k, (row, bound) in enumerate([*zip(matrix, bounds, strict=True), ([ONE] * size, ONE)]):
        slack = [ONE if j == k else ZERO for j in range(count)]
        sign = -ONE if bound < 0 else ONE
        artificial = [ONE if j == k else ZERO for j in range(count + 1)]
        tableau.append([*(sign * entry for entry in (*row, *slack)), *artificial, sign * bound])
    width = size + count
    basis = list(range(width, width + count + 1))
    _improve(tableau, basis, [ZERO] * width + [-ONE] * (count + 1), width)
    if any(row[-1] > 0 for row, column in zip(tableau, basis, strict=True) if column >= width):
        return None
    for k in range(count, -1, -1):  # an artificial variable that is still basic is zero: exchange it, or drop its row
        if basis[k] >= width:
            column = next((j for j in range(width) if tableau[k][j]), None)
            if column is None:
                del tableau[k], basis[k]
            else:
                _pivot(tableau, basis, k, column)
    _improve(tableau, basis, [*cost, *[ZERO] * (2 * count + 1)], width)
    values = dict(zip(basis, (row[-1] for row in tableau), strict=True))
    point = tuple(values.get(x, ZERO) for x in range(size))
    return dot(cost, point), point


def _solution(system: Rows) -> list[Fraction] | None:
    """The solution of a square system [coefficients | side], None if it is singular."""
    system = [list(row) for row in system]
    for k in range(len(system)):
        chosen = next((j for j in range(k, len(system)) if system[j][k]), None)
        if chosen is None:
            return None
        system[k], system[chosen] = system[chosen], system[k]
        _pivot(system, [0] * len(system), k, k)
    return [row[-1] for row in system]


def polytope_corners(matrix: Rows, bounds: Sequence[Fraction], size: int) -> list[Law]:
    """The corners of the laws p with matrix p <= bounds: where all but one of the entries or bounds are tight."""
    planes = [[*row, bound] for row, bound in zip(matrix, bounds, strict=True)]
    planes += [[ONE if j == x else ZERO for j in range(size + 1)] for x in range(size)]
    if math.comb(len(planes), size - 1) > MOST_CORNERS:
        raise Unreadable(f"the corners of the source have more than {MOST_CORNERS} candidates")
    found: dict[Law, None] = {}
    for tight in combinations(planes, size - 1):
        point = _solution([*tight, [ONE] * (size + 1)])
        if point is not None and min(point) >= 0 and all(dot(plane[:-1], point) <= plane[-1] for plane in planes[: len(matrix)]):
            found[tuple(point)] = None
    return list(found)


# ---------------------------------------------------------------------------------------------------------------------
# The universe: which inputs there are, and which pairs of them must be hard to tell apart
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Universe:
    """Labels and constrained pairs (i < j, with their distance); `complete` says that all pairs are at distance 1.

    Databases keep their letters and number of rows, because named distortions are summed over rows.
    """

    labels: tuple[Hashable, ...]
    some_pairs: tuple[tuple[int, int, Fraction], ...] = ()
    complete: bool = False
    letters: tuple[Hashable, ...] | None = None
    rows: int = 1

    @property
    def size(self) -> int:
        """The number of inputs."""
        return len(self.labels)

    def ordered_pairs(self) -> Iterator[tuple[int, int, Fraction]]:
        """Every constrained pair in both orders, in the order in which proofs count them."""
        pairs = ((i, j, ONE) for i, j in combinations(range(self.size), 2)) if self.complete else self.some_pairs
        for i, j, distance in pairs:
            yield i, j, distance
            yield j, i, distance


def read_universe(entry: object) -> Universe:
    """The universe of a problem or of a mechanism."""
    given = fields(entry, "the universe")
    if "size" in given or "alphabet" in given:
        return Universe(_labels(given), complete=True)
    if "databases" in given:
        inner = fields(given["databases"], "the databases")
        return databases(_labels(inner), whole(field(inner, "rows"), 1))
    if "graph" in given:
        nodes = _distinct([label(node) for node in entries(field(given["graph"], "nodes"), "the nodes")])
        return Universe(nodes, tuple((i, j, ONE) for i, j in _edges(nodes, field(given["graph"], "edges"))))
    if "metric" in given:
        return _metric(entries(given["metric"], "the metric"), given.get("labels"))
    raise Unreadable("the universe must be an alphabet, a size, databases, a graph or a metric")


def _labels(given: Mapping[str, object]) -> tuple[Hashable, ...]:
    if "alphabet" in given and not isinstance(given["alphabet"], int):
        return _distinct([label(entry) for entry in entries(given["alphabet"], "the alphabet")])
    size = whole(given.get("size", given.get("alphabet")), 1)
    if size > MOST_ENTRIES:
        raise Unreadable(f"an alphabet has more than {MOST_ENTRIES} letters")
    return tuple(range(size))


def _distinct(labels: list[Hashable]) -> tuple[Hashable, ...]:
    if len(set(labels)) != len(labels):
        raise Unreadable("a label stands twice")
    return tuple(labels)


def databases(letters: tuple[Hashable, ...], rows: int) -> Universe:
    """All databases in lexicographic order; neighbours differ in one row.

    The pairs come row by row; for each row by how far the letter moves; then by the first database.
    """
    base = len(letters)
    if rows > 64 or base**rows > MOST_ENTRIES or base**rows * rows * base > MOST_WORK:
        raise Unreadable("there are too many databases to list")
    pairs = []
    for row in range(rows):
        place = base ** (rows - 1 - row)
        for step in range(1, base):
            pairs += [
                (i, i + step * place, ONE) for i in range(base**rows) if i // place % base < base - step
            ]
    return Universe(tuple(product(letters, repeat=rows)), tuple(pairs), letters=letters, rows=rows)


def _edges(nodes: tuple[Hashable, ...], entry: object) -> list[tuple[int, int]]:
    """Edges as sorted pairs of positions; their ends are labels, or positions throughout."""
    if not isinstance(entry, list):
        raise Unreadable("the edges must be a list")
    ends = [[label(end) for end in entries(edge, "an edge")] for edge in entry]
    if any(len(edge) != 2 for edge in ends):
        raise Unreadable("an edge must have two ends")
    place = {node: k for k, node in enumerate(nodes)}
    by_label = [[place[end] for end in edge if end in place] for edge in ends]
    by_place = [[e for e in edge if isinstance(e, int) and not isinstance(e, bool) and 0 <= e < len(nodes)] for edge in ends]
    readings = [reading for reading in (by_label, by_place) if all(len(edge) == 2 for edge in reading)]
    if not readings or readings[0] != readings[-1]:
        raise Unreadable("the ends of the edges are neither labels nor positions, or could be both")
    pairs = sorted((min(edge), max(edge)) for edge in readings[0])
    if len(set(pairs)) != len(pairs) or any(i == j for i, j in pairs):
        raise Unreadable("an edge stands twice, or joins a node to itself")
    return pairs


def _metric(rows: list[object], labels: object) -> Universe:
    lengths = [[_length(entry) for entry in entries(row, "a row of the metric")] for row in rows]
    size = len(lengths)
    pairs = []
    for i, row in enumerate(lengths):
        if len(row) != size or row[i] != 0:
            raise Unreadable("a metric must be square with a zero diagonal")
        for j, distance in enumerate(row):
            if distance != lengths[j][i] or (i != j and distance is not None and distance <= 0):
                raise Unreadable("a metric must be symmetric and positive off the diagonal")
            if i < j and distance is not None:
                pairs.append((i, j, distance))
    names = range(size) if labels is None else [label(entry) for entry in entries(labels, "the labels")]
    if len(names) != size:
        raise Unreadable("a metric needs one label per row")
    return Universe(_distinct(list(names)), tuple(pairs))


def _length(entry: object) -> Fraction | None:
    return None if entry in (None, "inf", "infinity") else number(entry)


# ---------------------------------------------------------------------------------------------------------------------
# The source: which input laws are possible, and what is the worst of them
# ---------------------------------------------------------------------------------------------------------------------


class Source(ABC):
    """A set of laws."""

    size: int
    convex: bool = True

    @abstractmethod
    def contains(self, point: Law) -> bool:
        """Whether a law belongs to the set."""

    @abstractmethod
    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        """The largest expected cost, and a law that attains it."""

    @abstractmethod
    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        """Laws, a matrix and bounds: the hull of the set is all mixtures of the laws with matrix weights <= bounds."""

    def corners(self, more: Callable[[list[Law]], Rows] = lambda laws: []) -> list[Law]:
        """Laws whose hull holds the whole set, or the part of it where further linear forms are at most 0."""
        laws, matrix, bounds = self.region()
        rows = more(laws)
        if not matrix and not rows:
            return laws
        weights = polytope_corners([*matrix, *rows], [*bounds, *[ZERO] * len(rows)], len(laws))
        return [tuple(dot(mix, entries_) for entries_ in zip(*laws, strict=True)) for mix in weights]

    def units(self) -> list[Law]:
        """The laws that are certain of one letter."""
        return [tuple(self.unit(x)) for x in range(self.size)]

    def minimum(self, cost: Sequence[Fraction]) -> Fraction:
        """The least expected cost."""
        return -self.maximum([-entry for entry in cost])[0]

    def unit(self, letter: int) -> list[Fraction]:
        """The cost that counts one letter."""
        return [ONE if x == letter else ZERO for x in range(self.size)]

    def largest_ratio(self, first: int, second: int) -> Fraction | None:
        """The supremum of p_first / p_second over the laws that do not give both 0; None for infinity, 0 for none.

        Dinkelbach's method: at the law that maximises p_first - t p_second the ratio exceeds t, until it cannot.
        """
        value, point = self.maximum(self.unit(first))
        ratio = ZERO
        while value > 0:
            if point[second] == 0:
                return None
            ratio = point[first] / point[second]
            cost = self.unit(first)
            cost[second] = -ratio
            value, point = self.maximum(cost)
        return ratio


class Listed(Source):
    """One prior, some priors, or (convex) all mixtures of some priors."""

    def __init__(self, points: list[Law], convex: bool) -> None:
        self.points, self.size, self.convex = points, len(points[0]), convex
        if any(len(point) != self.size for point in points):
            raise Unreadable("the laws of the source have different lengths")

    def contains(self, point: Law) -> bool:
        if point in self.points or not self.convex or len(self.points) == 1:
            return point in self.points
        equations = [list(column) for column in zip(*self.points, strict=True)]
        rows = equations + [[-entry for entry in row] for row in equations]
        return maximum_over_laws([ZERO] * len(self.points), rows, [*point, *(-p for p in point)]) is not None

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        return max(((dot(cost, point), point) for point in self.points), key=lambda found: found[0])

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        return self.points, [], []


class Box(Source):
    """lower <= p <= upper."""

    def __init__(self, lower: Law, upper: Law) -> None:
        self.lower, self.upper, self.size = lower, upper, len(lower)
        ordered = len(upper) == self.size and all(0 <= a <= b <= 1 for a, b in zip(lower, upper, strict=True))
        if not ordered or not sum(lower) <= 1 <= sum(upper):
            raise Unreadable("the box is empty or malformed")

    def contains(self, point: Law) -> bool:
        return all(a <= p <= b for a, p, b in zip(self.lower, point, self.upper, strict=True))

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        point, left = list(self.lower), 1 - sum(self.lower)
        for x in sorted(range(self.size), key=lambda x: cost[x], reverse=True):  # the dearest letters first
            given = min(left, self.upper[x] - self.lower[x])
            point[x] += given
            left -= given
        return dot(cost, point), tuple(point)

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        rows = [self.unit(x) for x in range(self.size)]
        return self.units(), rows + [[-e for e in row] for row in rows], [*self.upper, *(-a for a in self.lower)]


class Ball(Source):
    """The laws at L1 distance at most `radius` from a center: half the radius is how much mass may move."""

    def __init__(self, center: Law, radius: Fraction) -> None:
        self.center, self.mass, self.size = center, radius / 2, len(center)
        if not 0 <= radius <= 2:
            raise Unreadable("the radius of a ball lies between 0 and 2")

    def contains(self, point: Law) -> bool:
        return sum(abs(p - c) for p, c in zip(point, self.center, strict=True)) <= 2 * self.mass

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        cheapest_first = sorted(range(self.size), key=lambda x: cost[x])
        dearest, point, left = cheapest_first[-1], list(self.center), self.mass
        for x in cheapest_first[:-1]:
            moved = min(left, point[x])
            point[x] -= moved
            point[dearest] += moved
            left -= moved
        return dot(cost, point), tuple(point)

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        if self.size > 16:
            raise Unreadable("a ball of more than 16 letters has too many faces")
        # No set of letters may gain more than the mass that moves.
        rows = [list(map(Fraction, chosen)) for chosen in product((0, 1), repeat=self.size)]
        return self.units(), rows, [dot(row, self.center) + self.mass for row in rows]


class Polytope(Source):
    """matrix p <= bounds."""

    def __init__(self, matrix: Rows, bounds: Law) -> None:
        self.matrix, self.bounds, self.size = matrix, bounds, len(matrix[0])
        if len(matrix) != len(bounds):
            raise Unreadable("a polytope needs one bound per row")
        self.maximum([ZERO] * self.size)

    def contains(self, point: Law) -> bool:
        return all(dot(row, point) <= bound for row, bound in zip(self.matrix, self.bounds, strict=True))

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        found = maximum_over_laws(cost, self.matrix, self.bounds)
        if found is None:
            raise Unreadable("the polytope holds no law")
        return found

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        return self.units(), self.matrix, list(self.bounds)


class Everything(Source):
    """All laws on some letters."""

    def __init__(self, size: int) -> None:
        self.size = size

    def contains(self, point: Law) -> bool:
        return True

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        best = max(range(self.size), key=lambda x: cost[x])
        return cost[best], tuple(self.unit(best))

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        return self.units(), [], []


def read_source(entry: object, universe: Universe | None) -> Source:
    """The source of a problem."""
    given = fields(entry, "the source")
    if "rows" in given:
        return _rows(given, universe)
    ((kind, value),) = given.items() if len(given) == 1 else [("", None)]
    if kind == "prior":
        return Listed([law(value, "the prior")], True)
    if kind in ("finite", "hull"):
        points = list(dict.fromkeys(law(point, "a prior") for point in entries(value, "the priors")))
        return Listed(points, kind == "hull" or len(points) == 1)
    if kind == "box":
        return Box(numbers(field(value, "lower"), "the lower bounds"), numbers(field(value, "upper"), "the upper bounds"))
    if kind == "ball":
        return Ball(law(field(value, "center"), "the center"), number(field(value, "radius")))
    if kind == "polytope":
        return Polytope(table(field(value, "matrix"), "the matrix"), numbers(field(value, "bounds"), "the bounds"))
    if kind == "everything":
        return Everything(min(whole(value, 1), MOST_ENTRIES + 1))
    raise Unreadable("the source must be a prior, finite, hull, box, ball, polytope, everything or rows")


def _rows(given: Mapping[str, object], universe: Universe | None) -> Source:
    """Independent rows of a database, which share one law (iid) or have one each; only listed laws can be checked."""
    row = read_source(given["rows"], None)
    if universe is None or universe.letters is None or not isinstance(row, Listed) or len(row.points) > 1 and row.convex:
        raise Unreadable("rows need databases, and one or some laws of a row")
    if len(row.points) ** universe.rows * universe.size > MOST_ENTRIES:
        raise Unreadable("the laws of all rows together are too many to list")
    iid = given.get("iid", True) is not False
    choices = [(point,) * universe.rows for point in row.points] if iid else product(row.points, repeat=universe.rows)
    points = list(dict.fromkeys(tuple(math.prod(entry) for entry in product(*laws)) for laws in choices))
    return Listed(points, len(points) == 1)
