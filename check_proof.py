#!/usr/bin/env python3
"""Check a proof of epstar without epstar: one file, the standard library, no solver.

    python check_proof.py answer.json        what `epstar solve --json` wrote, a proof alone, or - for standard input
    python check_proof.py curve.json         what `epstar curve --json` wrote, or the proof of a curve alone

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
import heapq
import json
import math
import os
import re
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, DecimalException, DivisionByZero, InvalidOperation
from decimal import Overflow as TooLarge
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate, combinations, combinations_with_replacement, pairwise, permutations, product
from pathlib import Path
from typing import TypeAlias

MOST_BYTES = 1 << 25  # of the document
MOST_VALUES = 1 << 22  # of the document: numbers, texts, lists and objects
MOST_DEPTH = 24  # of nested lists and objects
LONGEST_NUMBER = 2500  # characters
LARGEST_EXPONENT = 2000  # of ten, in a decimal
COMMON_DENOMINATOR_BITS = 1 << 16  # of all numbers of the document together
MOST_ENTRIES = 1 << 20  # of a matrix
MOST_WORK = 1 << 22  # pairs of inputs times outputs, where a notion compares pairs
MOST_CORNERS = 20_000  # of a ball
MOST_CORNER_WORK = 1 << 27  # pairs of corners of a source that a cut meets, times the number of corners
MOST_FACET_WORK = 1 << 20  # candidates for facets of a region of row laws, times the cube of its dimension
MOST_CELLS = 20_000  # into which a curved source is cut
CURVED_TOLERANCE = Decimal("1e-10")  # between the bound over a curved source and what a law attains
NO_ROOM = Decimal("1e-18")  # the same, where a limit decides
MOST_BOUNDS = 1 << 18  # of a notion, that are written out although the proof lists no multiplier for each
MOST_ROWS = 1 << 14  # of a database in a proof by distances
MOST_COUNTED_ROWS = 1 << 20  # of any database
MOST_BITS = 1 << 24  # of the number of databases
MOST_DENSE = 1 << 16  # entries of a mechanism on databases that is written out where it need not be
MOST_PIVOTS = 10_000  # of the simplex method
LARGEST_LEVEL = 20_000  # e^20000 has 8,686 digits
MOST_LETTERS = 1 << 20  # of a curve
MOST_POINTS = 1 << 16  # of a curve
MOST_ROUNDED = 64  # orders whose whole powers are exact rationals
FAINT = Fraction(1, 10**400)
VANISHING = 1000  # e^-1000 may stand for what is smaller where a sum is bounded from above

ENDS = ("lower", "upper")
UNITS = {"least distortion": "distortion", "best utility": "utility"}  # a loss is measured in nats

Law: TypeAlias = tuple[Fraction, ...]
Rows: TypeAlias = list[list[Fraction]]
Form: TypeAlias = dict[int, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


class Unreadable(Exception):
    """The input is not a document of these schemas, or exceeds a limit."""


class TooMany(Unreadable):
    """A source has more corners than can be listed."""


class Rejected(Exception):
    """The document was understood, and does not prove anything."""


# ---------------------------------------------------------------------------------------------------------------------
# Real numbers: a rational, the logarithm of a rational, or just two decimals between which the number lies
# ---------------------------------------------------------------------------------------------------------------------

DIGITS = 80
_TRAPS = [InvalidOperation, DivisionByZero, TooLarge]
DOWN = Context(prec=DIGITS, rounding=ROUND_FLOOR, Emin=-999_999, Emax=999_999, traps=_TRAPS)
UP = Context(prec=DIGITS, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999, traps=_TRAPS)
FINE = Context(prec=2 * DIGITS, rounding=ROUND_CEILING, Emin=-999_999, Emax=999_999, traps=_TRAPS)
INFINITE = Decimal("Infinity")


@contextmanager
def more_digits(count: int) -> Iterator[None]:
    """Compute with so many digits more for a while."""
    for context in (DOWN, UP):
        context.prec += count
    try:
        yield
    finally:
        for context in (DOWN, UP):
            context.prec -= count


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
        return (
            exactly(-self.rational)
            if self.rational is not None
            else Real(self.high.copy_negate(), self.low.copy_negate())
        )

    def __sub__(self, other: Real) -> Real:
        return self + -other

    def __mul__(self, other: Real) -> Real:
        if self.rational is not None and other.rational is not None:
            return exactly(self.rational * other.rational)
        ends = list(product((self.low, self.high), (other.low, other.high)))
        return Real(min(DOWN.multiply(a, b) for a, b in ends), max(UP.multiply(a, b) for a, b in ends))

    def times(self, factor: Fraction) -> Real:
        """Multiply by a rational."""
        return self if factor == 1 else self * exactly(factor)

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


INFINITY = Real(INFINITE, INFINITE)
Ends: TypeAlias = tuple[Real, Real]


def exactly(value: Fraction) -> Real:
    """A rational."""
    above, below = Decimal(value.numerator), Decimal(value.denominator)
    return Real(DOWN.divide(above, below), UP.divide(above, below), value, ONE if value == 0 else None)


def log(value: Fraction | Real) -> Real:
    """The logarithm of a positive number."""
    if isinstance(value, Fraction):
        assert value > 0
        if value == 1:
            return exactly(ZERO)
        enclosed = exactly(value)
        return Real(DOWN.next_minus(DOWN.ln(enclosed.low)), UP.next_plus(UP.ln(enclosed.high)), None, value)
    if value.rational is not None:
        return log(value.rational)
    assert value.low > 0
    return Real(DOWN.next_minus(DOWN.ln(value.low)), UP.next_plus(UP.ln(value.high)))


def exp(value: Real) -> Real:
    """The exponential; that of the logarithm of a rational is the rational."""
    if value.log_of is not None:
        return exactly(value.log_of)
    if value.high > LARGEST_LEVEL:
        raise Rejected(f"an exponent beyond {LARGEST_LEVEL} was needed")
    least, most = Decimal(-LARGEST_LEVEL), max(value.high, Decimal(-LARGEST_LEVEL))
    low = DOWN.next_minus(DOWN.exp(value.low)) if value.low >= least else Decimal(0)
    return Real(low, UP.next_plus(UP.exp(most)))


def above(value: Real) -> Fraction:
    """A rational that is not below the number."""
    return value.rational if value.rational is not None else Fraction(value.high)


def power(base: Fraction, exponent: Fraction) -> Real:
    """base ** exponent for base >= 0; zero stays zero."""
    if base == 0:
        return exactly(ZERO)
    if exponent.denominator == 1 and abs(exponent) <= 64:
        return exactly(base ** int(exponent))
    return exp(log_over(base, 1 / exponent))


def log_over(argument: Fraction, divisor: Fraction) -> Real:
    """log(argument) / divisor, kept as the logarithm of a rational where that is one with few digits."""
    exponent = 1 / divisor
    if abs(exponent.numerator) <= 64 and exponent.denominator <= 64 and argument > 0:
        degree = exponent.denominator
        root = Fraction(_whole_root(argument.numerator, degree), _whole_root(argument.denominator, degree))
        if root**degree == argument:
            return log(root**exponent.numerator)
    return log(argument).times(exponent)


def _multiple(value: Real, factor: Fraction) -> Real:
    """value * factor, kept as the logarithm of a rational where that is one with few digits."""
    return value.times(factor) if value.log_of is None else log_over(value.log_of, 1 / factor)


def _whole_root(value: int, degree: int) -> int:
    """The largest integer whose power is at most a positive integer, by Newton's method from above."""
    root = 1 << -(-value.bit_length() // degree)
    while True:
        smaller = ((degree - 1) * root + value // root ** (degree - 1)) // degree
        if smaller >= root:
            return root
        root = smaller


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


def smallest(values: Iterable[Real]) -> Real:
    """The smallest of some numbers; two that cannot be told apart are enclosed together."""
    best = INFINITY
    for value in values:
        if value.surely_at_most(best):
            best = value
        elif not best.surely_at_most(value):
            best = Real(min(best.low, value.low), min(best.high, value.high))
    return best


# ---------------------------------------------------------------------------------------------------------------------
# Reading JSON
# ---------------------------------------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[+-]?[0-9]+(/[0-9]+|(\.[0-9]*)?([eE][+-]?[0-9]{1,4})?)", re.ASCII)


def number(value: object) -> Fraction:
    """A rational: a string such as "3/10" or "0.3", or a JSON number, which is the decimal it is written as."""
    text = str(value).strip()
    if len(text) > LONGEST_NUMBER or not _NUMBER.fullmatch(text):
        raise Unreadable(f"{text[:40]!r} is not a number of this format")
    return _rational(text)


@lru_cache(maxsize=1 << 12)  # most entries of a large matrix are alike
def _rational(text: str) -> Fraction:
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > LARGEST_EXPONENT:
        raise Unreadable(f"the exponent of {text[:40]!r} is too large")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise Unreadable(f"{text[:40]!r} divides by zero") from None


def real(value: object) -> Real:
    """A rational, "log(r)" or "infinity"."""
    if value == "infinity":
        return INFINITY
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


def fields(value: object, what: str, known: Collection[str] = ()) -> Mapping[str, object]:
    """An object; where the fields it may have are given, without any other."""
    if not isinstance(value, dict):
        raise Unreadable(f"{what} must be an object")
    if known and not set(value) <= set(known):
        raise Unreadable(f"{what} has a field that is unknown or does not go with the others")
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


def truth(value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise Unreadable("true or false was expected")
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
    if isinstance(value, Decimal):
        if Decimal(repr(float(value))) != value:
            raise Unreadable(f"the label {str(value)[:40]} is a number that floats do not hold")
        return value
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, list):
        return tuple(label(entry) for entry in entries(value, "a label"))
    return number(field(fields(value, "a label", {"rational"}), "rational"))


def check_size(document: object) -> None:
    """Refuse deep nesting, and numbers whose common denominator would make sums of them enormous."""
    waiting: list[Iterator[object]] = [iter([document])]
    common = 1
    while waiting:
        value = next(waiting[-1], waiting)
        if value is waiting:
            waiting.pop()
        elif isinstance(value, dict | list):
            if len(waiting) > MOST_DEPTH:
                raise Unreadable(f"lists and objects are nested deeper than {MOST_DEPTH}")
            waiting.append(iter(value.values() if isinstance(value, dict) else value))
        elif isinstance(value, Decimal) or (isinstance(value, str) and _NUMBER.fullmatch(value.strip())):
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


def maximum_over_laws(
    cost: Sequence[Fraction], matrix: Rows, bounds: Sequence[Fraction]
) -> tuple[Fraction, Law] | None:
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


def polytope_corners(matrix: Rows, bounds: Sequence[Fraction], size: int) -> list[Law]:
    """The corners of the laws p with matrix p <= bounds: the simplex, cut by one bound after the other.

    A cut makes a new corner on every edge between a corner that stays and one that goes. Two corners have an edge in
    common if no third one lies on all the bounds that both lie on (bits of a mask: entries that are zero, then bounds).
    """
    everywhere = (1 << size) - 1
    corners = {tuple(ONE if j == x else ZERO for j in range(size)): everywhere ^ 1 << x for x in range(size)}
    work = 0
    for number, (row, bound) in enumerate(zip(matrix, bounds, strict=True)):
        tight = 1 << size + number
        slacks = {point: bound - dot(row, point) for point in corners}
        kept = {point: mask | (0 if slacks[point] else tight) for point, mask in corners.items() if slacks[point] >= 0}
        staying = [point for point in corners if slacks[point] > 0]
        going = [point for point in corners if slacks[point] < 0]
        work += (len(staying) * len(going) + 1) * len(corners)
        if work > MOST_CORNER_WORK:
            raise TooMany("the corners of the source take too long to list")
        for stays, goes in product(staying, going):
            common = corners[stays] & corners[goes]
            if sum(not common & ~mask for mask in corners.values()) == 2:
                share = slacks[stays] / (slacks[stays] - slacks[goes])
                kept[tuple(p + share * (q - p) for p, q in zip(stays, goes, strict=True))] = common | tight
        corners = kept
    return list(corners)


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
    if len(given) != 1 and set(given) != {"metric", "labels"}:
        raise Unreadable("the universe must hold exactly one description")
    if "size" in given or "alphabet" in given:
        return Universe(_labels(given), complete=True)
    if "databases" in given:
        inner = _of_databases(given)
        return databases(_labels(inner), _row_count(inner))
    if "graph" in given:
        inner = fields(given["graph"], "the graph", {"nodes", "edges"})
        nodes = _distinct([label(node) for node in entries(field(inner, "nodes"), "the nodes")])
        return Universe(nodes, tuple((i, j, ONE) for i, j in _edges(nodes, field(inner, "edges"))))
    if "metric" in given:
        return _metric(entries(given["metric"], "the metric"), given.get("labels"))
    raise Unreadable("the universe must be an alphabet, a size, databases, a graph or a metric")


def _of_databases(universe: object) -> Mapping[str, object]:
    """What databases are described by: their letters and the number of their rows."""
    inner = field(universe, "databases")
    return fields(inner, "the databases", {"rows", "size" if "size" in fields(inner, "the databases") else "alphabet"})


def _row_count(databases: object) -> int:
    count = whole(field(databases, "rows"), 1)
    if count > MOST_COUNTED_ROWS:
        raise Unreadable(f"a database has more than {MOST_COUNTED_ROWS} rows")
    return count


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
    if rows > 64 or base**rows * rows * base > MOST_ENTRIES:
        raise Unreadable("there are too many databases to list")
    pairs = []
    for row in range(rows):
        place = base ** (rows - 1 - row)
        for step in range(1, base):
            pairs += [(i, i + step * place, ONE) for i in range(base**rows) if i // place % base < base - step]
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
    by_place = [
        [e for e in edge if isinstance(e, int) and not isinstance(e, bool) and 0 <= e < len(nodes)] for edge in ends
    ]
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
    if any(len(row) != size or row[i] != 0 for i, row in enumerate(lengths)):
        raise Unreadable("a metric must be square with a zero diagonal")
    pairs = []
    for i, row in enumerate(lengths):
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
    is_listed: bool = False  # whether it consists of finitely many laws

    @abstractmethod
    def contains(self, point: Law) -> bool:
        """Whether a law belongs to the set."""

    @abstractmethod
    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        """The largest expected cost, and a law that attains it."""

    def costly(self, cost: Sequence[Fraction]) -> Law:
        """A law of large expected cost, the largest where that is known."""
        return self.maximum(cost)[1]

    @abstractmethod
    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        """Laws, a matrix and bounds: the hull of the set is all mixtures of the laws with matrix weights <= bounds."""

    def corners(self, likeliest: int | None = None) -> list[Law]:
        """Laws whose hull holds the set, or the part of its hull where one letter is the likeliest."""
        laws, matrix, bounds = self.region()
        rows = []
        if likeliest is not None:
            rows = [[p[x] - p[likeliest] for p in laws] for x in range(self.size) if x != likeliest]
        if not matrix and not rows:
            return laws
        weights = polytope_corners([*rows, *matrix], [*[ZERO] * len(rows), *bounds], len(laws))
        return [tuple(dot(mix, column) for column in zip(*laws, strict=True)) for mix in weights]

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
        self.is_listed = len(points) == 1 or not convex
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

    def corners(self, likeliest: int | None = None) -> list[Law]:
        """All mass that moves goes to one letter; it is all that others have, but of one of them."""
        if likeliest is not None or not self.mass:
            return super().corners(likeliest)
        found: dict[Law, None] = {}
        for gains in range(self.size):
            chosen: list[tuple[int, Fraction, frozenset[int]]] = [(0, self.mass, frozenset())]
            for x, left, drained in chosen:  # the letters from x on are still to be chosen
                if max(len(found), len(chosen)) > MOST_CORNERS:
                    raise TooMany(f"a ball has more than {MOST_CORNERS} corners")
                chosen += [
                    (y + 1, left - self.center[y], drained | {y})
                    for y in range(x, self.size)
                    if y != gains and 0 < self.center[y] <= left
                ]
                others = [y for y in range(self.size) if y != gains and y not in drained and self.center[y] >= left]
                for last in others if left else [gains]:
                    point = [ZERO if y in drained else c for y, c in enumerate(self.center)]
                    point[last] -= left
                    point[gains] += self.mass
                    found[tuple(point)] = None
            if 1 - self.center[gains] <= self.mass:
                found[tuple(self.unit(gains))] = None
        return list(found)

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        if self.size > 9:
            raise TooMany("a ball of more than 9 letters has too many faces")
        # No set of letters may gain more than the mass that moves.
        rows = [
            list(map(Fraction, chosen)) for chosen in product((0, 1), repeat=self.size) if 0 < sum(chosen) < self.size
        ]
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
        return len(point) == self.size

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
        fields(value, "the box", {"lower", "upper"})
        return Box(
            numbers(field(value, "lower"), "the lower bounds"), numbers(field(value, "upper"), "the upper bounds")
        )
    if kind == "ball":
        fields(value, "the ball", {"center", "radius"})
        return Ball(law(field(value, "center"), "the center"), number(field(value, "radius")))
    if kind == "polytope":
        fields(value, "the polytope", {"matrix", "bounds"})
        return Polytope(table(field(value, "matrix"), "the matrix"), numbers(field(value, "bounds"), "the bounds"))
    if kind == "everything":
        return Everything(whole(value, 1))
    raise Unreadable("the source must be a prior, finite, hull, box, ball, polytope, everything or rows")


def _row_sources(given: Mapping[str, object], letters: int, count: int) -> list[Source]:
    """What is known of the rows: one source for all of them, or one for each."""
    fields(given, "the source", {"rows", "iid"})
    described, iid = given["rows"], given.get("iid", True)
    if not isinstance(iid, bool) or (isinstance(described, list) and given.get("iid")):
        raise Unreadable("'iid' is true or false, and not true beside a list of rows")
    rows = [read_source(entry, None) for entry in (described if isinstance(described, list) else [described])]
    if len(rows) != (count if isinstance(described, list) else 1) or any(row.size != letters for row in rows):
        raise Unreadable("a source by rows needs a source for each row, all on the letters of a row")
    return rows


def _rows(given: Mapping[str, object], universe: Universe | None) -> Source:
    """Independent rows of a database: all laws together where each row has one or some, else a curved set."""
    if universe is None or universe.letters is None:
        raise Unreadable("a source by rows needs databases")
    rows = _row_sources(given, len(universe.letters), universe.rows)
    shared = not isinstance(given["rows"], list) and given.get("iid", True) is True  # one law, shared by all rows
    if any(not row.is_listed for row in rows):
        if universe.rows == 1:
            return rows[0]
        if shared:
            return Products(rows, universe.rows)
        return Products(rows if len(rows) > 1 else rows * universe.rows, 1)
    laws = [row.corners() for row in rows]
    if math.prod(map(len, laws)) ** (universe.rows // len(laws)) * universe.size > MOST_ENTRIES:
        raise Unreadable("the laws of all rows together are too many to list")
    if shared:
        choices = [(point,) * universe.rows for point in laws[0]]
    else:
        choices = list(product(*(laws if len(rows) > 1 else laws * universe.rows)))
    points = [joint_law(chosen) for chosen in choices]
    return Listed(list(dict.fromkeys(points)), len(points) == 1)


def joint_law(laws: Sequence[Law]) -> Law:
    """The law of independent rows, databases in lexicographic order."""
    return tuple(math.prod(entry, start=ONE) for entry in product(*laws))


Simplex: TypeAlias = tuple[Law, ...]
Cell: TypeAlias = tuple[Simplex, ...]


class Products(Source):
    """Independent rows of which some may have any law of a region: neither convex nor a list of laws.

    While the laws of the rows stay in simplices, the law of the database stays in the hull of mixed products of their
    corners. Cutting the simplices brings that hull close, and so a supremum is enclosed.
    """

    convex = False

    def __init__(self, rows: list[Source], power: int) -> None:
        self.rows, self.power = rows, power
        self.size = math.prod(row.size for row in rows) ** power
        if self.size > MOST_ENTRIES:
            raise Unreadable("the databases are too many to list")
        regions = [[(law,) for law in row.corners()] if row.is_listed else list(simplices(row)) for row in rows]
        self.cells = list(product(*regions))

    def contains(self, point: Law) -> bool:
        laws, rest, sources = [], point, self.rows * self.power
        for source in sources[:-1]:  # the law of the first row, then that of the others
            length = len(rest) // source.size
            blocks = [rest[k * length : (k + 1) * length] for k in range(source.size)]
            laws.append(tuple(sum(block, ZERO) for block in blocks))
            rest = tuple(sum(column, ZERO) for column in zip(*blocks, strict=True))
        laws.append(rest)
        together = joint_law(laws) == point and (self.power == 1 or len(set(laws)) == 1)
        return together and all(source.contains(law) for source, law in zip(sources, laws, strict=True))

    def maximum(self, cost: Sequence[Fraction]) -> tuple[Fraction, Law]:
        raise NotImplementedError(f"a cost of {len(cost)} entries is bounded over a curved source, not maximised")

    def region(self) -> tuple[list[Law], Rows, list[Fraction]]:
        raise NotImplementedError("a curved source is no region")

    def costly(self, cost: Sequence[Fraction]) -> Law:
        return max((law for cell in self.cells for law in self.corners_of(cell)), key=lambda law: dot(cost, law))

    def hull(self, cell: Cell) -> list[Law]:
        """Laws whose mixtures include all laws of a cell."""
        choices = []
        for simplex in cell:
            powers = []
            for chosen in combinations_with_replacement(simplex, self.power):
                orders = [joint_law(order) for order in set(permutations(chosen))]
                powers.append(tuple(sum(column, ZERO) / len(orders) for column in zip(*orders, strict=True)))
            choices.append(powers)
        return list(dict.fromkeys(joint_law(chosen) for chosen in product(*choices)))

    def corners_of(self, cell: Cell) -> list[Law]:
        """Laws that belong to a cell."""
        return [joint_law(chosen * self.power) for chosen in product(*cell)]

    def supremum(self, over_hull: Callable[[list[Law]], Real], at: Callable[[Law], Real], limit: Real | None) -> Ends:
        """A function's supremum: cells are cut until no hull exceeds the limit, or no hull matters any more."""
        waiting: list[tuple[Decimal, int, Real, Cell]] = []
        best: Real | None = None
        fresh, seen = list(self.cells), 0
        while seen < MOST_CELLS:
            for cell in fresh:
                for law in self.corners_of(cell):
                    value = at(law)
                    best = value if best is None or best.low < value.low else best
                bound = over_hull(self.hull(cell))
                heapq.heappush(waiting, (bound.high.copy_negate(), seen, bound, cell))
                seen += 1
            bound, cell = waiting[0][2:]
            # Against a limit only a bound that keeps to it counts; a tolerance would reject what just fits.
            settled = bound.surely_at_most(limit) if limit is not None else False
            tolerance = CURVED_TOLERANCE if limit is None else NO_ROOM
            if best is not None and (settled or bound.high <= best.low + tolerance):
                return best, bound
            heapq.heappop(waiting)
            fresh = list(_halves(cell))
        raise Unreadable("a curved source needed too many cells")


def _halves(cell: Cell) -> Iterator[Cell]:
    """The two cells made by cutting the longest edge in the middle."""
    edges = [
        (max(abs(a - b) for a, b in zip(simplex[i], simplex[j], strict=True)), k, i, j)
        for k, simplex in enumerate(cell)
        for i, j in combinations(range(len(simplex)), 2)
    ]
    _, k, i, j = max(edges)
    middle = tuple((a + b) / 2 for a, b in zip(cell[k][i], cell[k][j], strict=True))
    for end in (i, j):
        yield (*cell[:k], (*cell[k][:end], middle, *cell[k][end + 1 :]), *cell[k + 1 :])


def simplices(source: Source) -> Iterator[Simplex]:
    """Simplices whose union is the hull of a source."""
    yield from _cut(list(dict.fromkeys(source.corners())))


def _cut(corners: list[Law]) -> Iterator[Simplex]:
    """The cones from one corner over the facets that do not hold it, each facet cut likewise."""
    places = _affine_coordinates(corners)
    dimension = len(places[0])
    if len(corners) == dimension + 1:
        yield tuple(corners)
        return
    if math.comb(len(corners), dimension) * dimension**3 > MOST_FACET_WORK:
        raise Unreadable("a region of row laws has too many corners")
    facets: dict[tuple[int, ...], None] = {}
    for chosen in combinations(range(len(corners)), dimension):
        plane = _plane([places[i] for i in chosen])
        heights = [dot(plane, (*place, ONE)) for place in places]
        if any(plane) and (max(heights) <= 0 or min(heights) >= 0):
            facets[tuple(i for i, height in enumerate(heights) if height == 0)] = None
    for facet in facets:
        if 0 not in facet:
            for simplex in _cut([corners[i] for i in facet]):
                yield (corners[0], *simplex)


def _plane(points: Sequence[Law]) -> list[Fraction]:
    """Coefficients, the constant last, of the plane through d points in d dimensions; all 0 if they span less."""
    table = [[*point, ONE] for point in points]
    pivots = _echelon(table)
    free = [k for k in range(len(table[0])) if k not in pivots]
    plane = [ZERO] * len(table[0])
    if len(free) == 1:
        plane[free[0]] = ONE
        for row, pivot in zip(table, pivots, strict=True):
            plane[pivot] = -row[free[0]]
    return plane


def _affine_coordinates(corners: Sequence[Law]) -> list[Law]:
    """The corners by as many of their own entries as tell them apart affinely."""
    table = [[a - b for a, b in zip(corner, corners[0], strict=True)] for corner in corners[1:]]
    pivots = _echelon(table)
    return [tuple(corner[k] for k in pivots) for corner in corners]


def _echelon(table: Rows) -> list[int]:
    """Bring a table to reduced echelon form, in place; the pivot columns, one for each of its first rows."""
    pivots: list[int] = []
    for column in range(len(table[0]) if table else 0):
        chosen = next((k for k in range(len(pivots), len(table)) if table[k][column]), None)
        if chosen is not None:
            row = len(pivots)
            table[row], table[chosen] = table[chosen], table[row]
            _pivot(table, [0] * len(table), row, column)
            pivots.append(column)
    return pivots


# ---------------------------------------------------------------------------------------------------------------------
# The problem, and the mechanism as a matrix
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Notion:
    """A privacy notion by its name in problem files; limits of orders are written as the notion that they are."""

    name: str
    order: Fraction = ONE
    delta: Fraction = ZERO
    events: bool = False


@dataclass(frozen=True)
class Problem:
    """The least loss at a distortion (`asks_loss`), or the least distortion at a loss; a gain is minus a distortion."""

    notion: Notion
    universe: Universe
    source: Source
    cost: Rows
    outputs: tuple[Hashable, ...]
    asks_loss: bool
    given: Real
    is_gain: bool


PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "approximate_differential_privacy": ("delta", "reading"),
    "local_information_privacy": ("delta",),
    "renyi_differential_privacy": ("order",),
    "sibson_mutual_information": ("order",),
}


def read_notion(entry: object) -> Notion:
    """The notion of a problem."""
    given = fields(entry, "the notion")
    name = given.get("name")
    if not set(given) <= {"name", *PARAMETERS.get(str(name), ())}:
        raise Unreadable(f"the notion {str(name)[:60]!r} has a parameter that is unknown")
    infinite = str(given.get("order")) in ("infinity", "inf", "\u221e")
    order = number(given["order"]) if "order" in given and not infinite else ONE
    delta = number(given.get("delta", 0))
    reading = given.get("reading", "event")
    if order <= 0 or not 0 <= delta <= 1 or reading not in ("event", "pointwise"):
        raise Unreadable("a parameter of the notion is out of range")
    if name == "differential_privacy" or (name == "renyi_differential_privacy" and infinite):
        return Notion("approximate_differential_privacy")
    if name == "min_entropy_capacity" or (name == "sibson_mutual_information" and infinite):
        return Notion("maximal_leakage")
    if name == "sibson_mutual_information" and order == 1:
        return Notion("mutual_information")
    if name in ("renyi_differential_privacy", "sibson_mutual_information") and "order" in given:
        return Notion(name, order)
    if name == "approximate_differential_privacy" and "delta" in given:
        return Notion(name, delta=delta, events=reading == "event" and delta > 0)
    if name == "local_information_privacy":
        return Notion(name, delta=delta, events=delta > 0)
    if isinstance(name, str) and name in LOSSES:
        return Notion(name)
    raise Unreadable(f"the notion {str(name)[:60]!r} is unknown or lacks a parameter")


PROBLEM_FIELDS = ("schema", "notion", "universe", "source", "distortion", "at")


def read_problem(document: object) -> Problem:
    """The problem of a proof."""
    given = fields(document, "the problem", PROBLEM_FIELDS)
    if given.get("schema", "epstar/problem/1") != "epstar/problem/1":
        raise Unreadable("the problem has another schema than epstar/problem/1")
    universe = None if given.get("universe") is None else read_universe(given["universe"])
    source = read_source(field(given, "source"), universe)
    if universe is None:
        universe = Universe(_labels({"size": source.size}), complete=True)
    if source.size != universe.size:
        raise Unreadable("the source and the universe have different sizes")
    cost, outputs, is_gain = _distortion(fields(field(given, "distortion"), "the distortion"), universe)
    asked = fields(field(given, "at"), "the entry 'at'")
    if len(asked) != 1 or not {"distortion", "loss"} & set(asked):
        raise Unreadable("the entry 'at' must hold a distortion or a loss")
    ((at, value),) = asked.items()
    level = real(value)
    if at == "loss" and level.surely_below(exactly(ZERO)):
        raise Unreadable("a loss is never negative")
    if at == "distortion" and level.rational is None:
        raise Unreadable("a distortion is a rational number")
    return Problem(
        read_notion(field(given, "notion")), universe, source, cost, outputs, at == "distortion", level, is_gain
    )


def _distortion(given: Mapping[str, object], universe: Universe) -> tuple[Rows, tuple[Hashable, ...], bool]:
    if len(given) != 1:
        raise Unreadable("the distortion must hold exactly one description")
    name, size = given.get("name"), universe.size
    if "matrix" in given or "gain" in given:
        is_gain = "gain" in given
        rows = table(given["gain" if is_gain else "matrix"], "the distortion")
        if len(rows) != size or (not is_gain and any(min(row) < 0 for row in rows)):
            raise Unreadable("the distortion has a wrong shape or a negative cost")
        outputs = universe.labels if len(rows[0]) == size else tuple(range(len(rows[0])))
        return [[-entry if is_gain else entry for entry in row] for row in rows], outputs, is_gain
    if name not in ("hamming", "absolute", "squared") or size * size > MOST_ENTRIES:
        raise Unreadable("the distortion is unknown or too large")
    letters = universe.labels if universe.letters is None else universe.letters
    numeric = all(isinstance(x, int | Decimal | Fraction) and not isinstance(x, bool) for x in letters)
    places = [
        Fraction(x) if numeric and isinstance(x, int | Decimal | Fraction) else Fraction(k)
        for k, x in enumerate(letters)
    ]
    cost_of: dict[str, Callable[[int, int], Fraction]] = {
        "hamming": lambda i, j: Fraction(i != j),
        "absolute": lambda i, j: abs(places[i] - places[j]),
        "squared": lambda i, j: (places[i] - places[j]) ** 2,
    }
    one = [[cost_of[str(name)](i, j) for j in range(len(letters))] for i in range(len(letters))]
    cost: Rows = [[ZERO]]
    for _ in range(universe.rows):  # the cost of two databases is that of their first rows plus that of the rest
        cost = [[head + tail for head in costs for tail in rest] for costs in one for rest in cost]
    return cost, universe.labels, False


@dataclass(frozen=True)
class Mechanism:
    """A matrix of probabilities, one row per input, with the inputs and the labels of the outputs."""

    rows: Rows
    universe: Universe
    outputs: tuple[Hashable, ...]


MECHANISM_FIELDS: Mapping[str, tuple[str, ...]] = {
    "matrix": ("universe", "outputs", "rows"),
    "top_randomised_response": ("universe", "active", "ratio", "delta"),
    "diagonal": ("universe", "diagonal"),
    "distance": ("universe", "weights"),
    "product": ("blocks",),
}


def kind_of(document: object) -> str:
    """The kind of a mechanism, which has the fields of that kind and no others."""
    if field(document, "schema") != "epstar/mechanism/1":
        raise Unreadable("the mechanism has another schema than epstar/mechanism/1")
    kind = str(field(document, "kind"))
    if kind not in MECHANISM_FIELDS:
        raise Unreadable("the kind of the mechanism is unknown")
    fields(document, "the mechanism", {"schema", "kind", *MECHANISM_FIELDS[kind]})
    return kind


def read_mechanism(document: object) -> Mechanism:
    """The mechanism of a proof, expanded to a matrix whatever its kind."""
    kind = kind_of(document)
    if kind == "product":
        return _product(document)
    universe = read_universe(field(document, "universe"))
    size, outputs = universe.size, universe.labels
    if size * size > MOST_ENTRIES:
        raise Unreadable(f"the matrix would have more than {MOST_ENTRIES} entries")
    if kind == "matrix":
        rows = table(field(document, "rows"), "the matrix")
        outputs = _distinct([label(entry) for entry in entries(field(document, "outputs"), "the outputs")])
    elif kind == "top_randomised_response":
        rows = _response(document, size)
    elif kind == "diagonal":
        kept = numbers(field(document, "diagonal"), "the diagonal")
        if len(kept) != size or sum(kept) < 1:
            raise Rejected("the diagonal does not describe a mechanism")
        rows = [
            [q if x == y else ZERO if q == 1 else (1 - q) * kept[y] / (sum(kept) - q) for y in range(size)]
            for x, q in enumerate(kept)
        ]
    elif kind == "distance" and universe.letters is not None:
        weights, count = law(field(document, "weights"), "the law of the distance"), len(universe.letters)
        if len(weights) != universe.rows + 1:
            raise Rejected("the law of the distance does not fit the number of rows")
        spheres = [math.comb(universe.rows, d) * (count - 1) ** d for d in range(universe.rows + 1)]
        places = list(product(range(count), repeat=universe.rows))
        gaps = [[sum(a != b for a, b in zip(x, y, strict=True)) for y in places] for x in places]
        rows = [[weights[d] / spheres[d] if weights[d] else ZERO for d in row] for row in gaps]
    else:
        raise Unreadable("a mechanism by distances needs databases")
    if len(rows) != size or len(rows[0]) != len(outputs):
        raise Rejected("the mechanism has not one row per input and one column per output")
    if any(min(row) < 0 or sum(filter(None, row)) != 1 for row in rows):
        raise Rejected("a row of the mechanism is not a probability law")
    return Mechanism(rows, universe, outputs)


def _response(document: object, size: int) -> Rows:
    """Randomised response on some symbols, plus delta on the diagonal."""
    ratio, delta = number(field(document, "ratio")), number(fields(document, "the mechanism").get("delta", 0))
    listed = [whole(x) for x in entries(field(document, "active"), "the active symbols")]
    active = set(listed)
    if len(active) < len(listed):
        raise Unreadable("an active symbol stands twice")
    if ratio < 1 or not 0 <= delta <= 1 or max(active) >= size:
        raise Rejected("the parameters do not describe a randomised response")
    other = (1 - delta) / (ratio + len(active) - 1)
    rows = [
        [(other if x in active else (1 - delta) / len(active)) if y in active else ZERO for y in range(size)]
        for x in range(size)
    ]
    for x in range(size):
        rows[x][x] = delta + (ratio * other if x in active else ZERO)
    return rows


def _product(document: object) -> Mechanism:
    rows, letters, outputs, count = [[ONE]], None, None, 0
    for block in entries(field(document, "blocks"), "the blocks"):
        factor = read_mechanism(field(fields(block, "a block", {"factor", "rows"}), "factor"))
        same = letters in (None, factor.universe.labels) and outputs in (None, factor.outputs)
        if not factor.universe.complete or not same:
            raise Rejected("the factors of a product must have one alphabet and the same outputs")
        letters, outputs = factor.universe.labels, factor.outputs
        times = _row_count(block)
        if len(rows) * len(rows[0]) * (len(letters) * len(outputs)) ** times > MOST_ENTRIES:
            raise Unreadable(f"the matrix would have more than {MOST_ENTRIES} entries")
        for _ in range(times):
            count += 1
            rows = [[a * b for a in first for b in second] for first in rows for second in factor.rows]
    assert letters is not None
    assert outputs is not None
    return Mechanism(rows, databases(letters, count), tuple(product(outputs, repeat=count)))


# ---------------------------------------------------------------------------------------------------------------------
# What "the loss is at most this level" says about a mechanism, in the order in which proofs count
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ratio:
    """left(q) <= e^(level * distance) right(q) + slack for each column q, or summed over columns if `events`."""

    left: Form
    right: Form
    distance: Fraction = ONE
    slack: Fraction = ZERO
    events: bool = False
    slack_grows: bool = False


@dataclass(frozen=True)
class Atom:
    """A convex function of a column that scales with it, times a weight.

    maximum: max_x left_x q_x; entropy: left(q) log(left(q) / right(q)); power: left(q)^order right(q)^(1-order);
    norm: (sum_x left_x q_x^order)^(1/order). The last two are negated for orders below one.
    """

    kind: str
    weight: Fraction
    left: Form
    right: Form
    order: Fraction = ONE


@dataclass(frozen=True)
class Scale:
    """The largest sum at a level: factor * level, or with a rate the sign of it times factor * e^(rate * level)."""

    rate: Fraction | None = None
    factor: Fraction = ONE

    def bound(self, level: Real) -> Real:
        """The largest sum allowed at a level."""
        if self.rate is None:
            return level.times(self.factor)
        return exp(level if self.rate == 1 else level.times(self.rate)).times(
            self.factor if self.rate > 0 else -self.factor
        )

    def level(self, bound: Real) -> Real:
        """The least level that allows a sum; infinity where none does."""
        if self.rate is None:
            return bound.times(1 / self.factor)
        ratio = bound.times(1 / (self.factor if self.rate > 0 else -self.factor))
        if ratio.surely_at_most(exactly(ZERO)):
            return INFINITY
        return log(ratio) if self.rate == 1 else log(ratio).times(1 / self.rate)


@dataclass(frozen=True)
class Sum:
    """The sum over the outputs of some atoms is at most what the scale says."""

    atoms: list[Atom]
    scale: Scale


def ratio_bounds(notion: Notion, universe: Universe, points: Sequence[Law]) -> list[Ratio]:
    """The ratio bounds of a notion at some laws of the source."""
    if notion.name == "approximate_differential_privacy":
        return [
            Ratio({x: ONE}, {other: ONE}, distance, notion.delta, notion.events)
            for x, other, distance in universe.ordered_pairs()
        ]
    found = []
    for point in points:
        own = {x: p for x, p in enumerate(point) if p}
        if notion.name == "identifiability":
            found += [
                Ratio({x: own[x]}, {other: own[other]} if other in own else {}, distance)
                for x, other, distance in universe.ordered_pairs()
                if x in own
            ]
        elif notion.name == "maximal_information":
            found += [Ratio({x: ONE}, own) for x in range(universe.size)]
        elif notion.name == "local_information_privacy":
            for x in range(universe.size):
                found.append(Ratio(own, {x: ONE}, ONE, notion.delta, notion.events))
                found.append(Ratio({x: ONE}, own, ONE, notion.delta, notion.events, notion.events))
    return found


def spread(notion: Notion, universe: Universe, points: Sequence[Law]) -> tuple[Law, Fraction] | None:
    """Scales and slack where the bounds say scale_x q_x <= e^level scale_x' q_x' + slack for all pairs x, x'."""
    if universe.complete and notion.name == "approximate_differential_privacy":
        return (ONE,) * universe.size, notion.delta
    if universe.complete and notion.name == "identifiability" and len(points) == 1 and all(points[0]):
        return points[0], ZERO
    return None


def sum_bounds(notion: Notion, universe: Universe, points: Sequence[Law]) -> list[Sum]:
    """The sum bounds of a notion at some laws of the source."""
    order, inputs = notion.order, range(universe.size)
    if notion.name == "maximal_leakage":
        return [Sum([Atom("maximum", ONE, dict.fromkeys(inputs, ONE), {})], Scale(ONE))]
    if notion.name == "renyi_differential_privacy":
        kind = "entropy" if order == 1 else "power"
        return [
            Sum(
                [Atom(kind, ONE, {x: ONE}, {other: ONE}, order)],
                Scale(None, distance) if order == 1 else Scale((order - 1) * distance),
            )
            for x, other, distance in universe.ordered_pairs()
        ]
    found = []
    for point in points:
        own = {x: p for x, p in enumerate(point) if p}
        if notion.name in ("mutual_information", "capacity"):
            found.append(Sum([Atom("entropy", p, {x: ONE}, own) for x, p in own.items()], Scale()))
        elif notion.name == "sibson_mutual_information":
            found.append(Sum([Atom("norm", ONE, own, {}, order)], Scale((order - 1) / order)))
        elif notion.name == "pointwise_leakage":
            found += [Sum([Atom("entropy", ONE, {x: ONE}, own)], Scale()) for x in inputs]
        elif notion.name == "min_entropy_leakage":
            # Measured in units of the chance to guess beforehand.
            relative = {x: p / max(point) for x, p in own.items()}
            found.append(Sum([Atom("maximum", ONE, relative, {})], Scale(ONE)))
    return found


# ---------------------------------------------------------------------------------------------------------------------
# The converse: what the multipliers prove about every mechanism
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Step:
    """Multipliers at an infinite level."""

    weight: Fraction
    law: Law
    ratios: list[tuple[int, int, Fraction]]


@dataclass(frozen=True)
class Converse:
    """The multipliers of a proof."""

    weight: Fraction
    law: Law
    points: list[Law]
    level: Real | None
    ratios: list[tuple[int, int, Fraction]]
    maxima: list[tuple[int, int, int, int, Fraction]]
    sums: list[Fraction]
    places: dict[tuple[int, int, int], Law]
    prices: Law | None
    forced: bool
    steps: list[Step]
    relative: bool = False
    order: Fraction | None = None


CONVERSE_FIELDS = (
    "weight",
    "distortion_law",
    "points",
    "level",
    "ratios",
    "maxima",
    "sums",
    "slopes",
    "prices",
    "forced",
)


def read_converse(document: object, problem: Problem) -> Converse:
    """The multipliers; every law that they use must belong to the source."""
    fields(document, "the converse", {*CONVERSE_FIELDS, "steps", "relative", "order"})
    priors = Everything(problem.source.size) if problem.notion.name == "capacity" else problem.source
    points = [_mixture(entry, priors, priors.convex) for entry in _list(document, "points")]
    level, prices = field(document, "level"), field(document, "prices")
    found = Converse(
        weight=number(field(document, "weight")),
        law=_mixture(field(document, "distortion_law"), problem.source, True),
        points=points,
        level=None if level is None else real(level),
        ratios=_ratios(document),
        maxima=[
            (whole(i), whole(k), whole(y), whole(x), number(value))
            for i, k, y, x, value in _tuples(document, "maxima", 5)
        ],
        sums=[number(entry) for entry in _list(document, "sums")],
        places={
            (whole(i), whole(k), whole(y)): numbers(place, "a place")
            for i, k, y, place in _tuples(document, "slopes", 4)
        },
        prices=None if prices is None else numbers(prices, "the prices"),
        forced=truth(field(document, "forced")),
        steps=[
            Step(
                number(field(fields(step, "a step", {"weight", "distortion_law", "ratios"}), "weight")),
                _mixture(field(step, "distortion_law"), problem.source, True),
                _ratios(step),
            )
            for step in (_list(document, "steps") if "steps" in fields(document, "the converse") else [])
        ],
        relative=truth(fields(document, "the converse").get("relative", False)),
        order=number(field(document, "order")) if "order" in fields(document, "the converse") else None,
    )
    if len(found.places) < len(_list(document, "slopes")):
        raise Rejected("a term is linearised at two places")
    multipliers = [found.weight, *found.sums, *(m for *_, m in found.ratios), *(m for *_, m in found.maxima)]
    multipliers += [m for step in found.steps for m in (step.weight, *(value for *_, value in step.ratios))]
    if min(multipliers) < 0:
        raise Rejected("a multiplier is negative, so weak duality does not apply")
    return found


def _ratios(document: object) -> list[tuple[int, int, Fraction]]:
    return [(whole(i), whole(y), number(value)) for i, y, value in _tuples(document, "ratios", 3)]


def _list(document: object, name: str) -> list[object]:
    value = field(document, name)
    if not isinstance(value, list):
        raise Unreadable(f"the field {name!r} must be a list")
    return value


def _tuples(document: object, name: str, length: int) -> list[list[object]]:
    found = [entries(entry, f"an entry of {name!r}") for entry in _list(document, name)]
    if any(len(entry) != length for entry in found):
        raise Unreadable(f"the entries of {name!r} must have length {length}")
    return found


def _mixture(entry: object, source: Source, may_mix: bool) -> Law:
    """The law that a mixture of laws of the source makes."""
    parts = [entries(part, "a part of a mixture") for part in entries(entry, "a mixture")]
    if any(len(part) != 2 for part in parts) or (len(parts) > 1 and not may_mix):
        raise Rejected("a notion cannot be read at a mixture of laws of a source that is not convex")
    weights = [number(weight) for weight, _ in parts]
    laws = [numbers(point, "a law") for _, point in parts]
    if min(weights) < 0 or sum(weights) != 1:
        raise Rejected("the weights of a mixture are not a law")
    for point in laws:
        if len(point) != source.size or min(point) < 0 or sum(point) != 1 or not source.contains(point):
            raise Rejected("the proof uses a law that is not in the source")
    return tuple(dot(weights, column) for column in zip(*laws, strict=True))


def lower_bound(problem: Problem, document: object) -> Real:
    """The lower end of the interval."""
    if document is None and problem.asks_loss:
        return exactly(ZERO)
    converse = read_converse(document, problem)
    if converse.order is not None:
        problem = replace(problem, notion=_of_smaller_order(problem.notion, converse.order))
    # Heavy multipliers and costs cancel as many digits of what is proven and what is allowed as they have themselves.
    used = [ONE, *(multiplier for multiplier in converse.sums if multiplier)]
    dearest = max(ONE, *(abs(cost) for row in problem.cost for cost in (min(row), max(row))))
    heavy = int(max(converse.weight * dearest, *used) / min(used))
    with more_digits(heavy.bit_length() * 3 // 10):
        return _proven(problem, converse)


def _check_count(problem: Problem, converse: Converse) -> None:
    """Refuse to write out more bounds than the proof could mean, before any is written."""
    universe, name = problem.universe, problem.notion.name
    pairs = universe.size * (universe.size - 1) if universe.complete else 2 * len(universe.some_pairs)
    bounds = pairs * max(1, len(converse.points) if name == "identifiability" else 1)
    by_ratios = name in ("approximate_differential_privacy", "identifiability")
    written = name == "renyi_differential_privacy" or (by_ratios and bool(converse.ratios or converse.forced))
    if written and bounds > max(MOST_BOUNDS, len(converse.sums)):
        raise Unreadable(f"the notion has {bounds} bounds, of which the proof lists few")


def _has_law_alone(converse: Converse) -> bool:
    return not (converse.ratios or converse.maxima or converse.sums or converse.places or converse.prices)


def _at_level_zero(problem: Problem, law: Law, sums: list[Sum]) -> Fraction:
    """The least distortion where all divergences vanish: inputs that are compared with one law answer alike."""
    alike: dict[object, set[object]] = {x: {x} for x in range(problem.universe.size)}
    for atom in (atom for bound in sums for atom in bound.atoms if atom.kind != "maximum"):
        first, *others = atom.left if atom.kind == "norm" else (_law_name(atom.left), _law_name(atom.right))
        for other in others:
            one, two = alike.setdefault(first, {first}), alike.setdefault(other, {other})
            if one is not two:
                one |= two
                alike.update(dict.fromkeys(two, one))
    total = ZERO
    for group in {id(group): group for group in alike.values()}.values():
        members = [x for x in range(problem.universe.size) if x in group]
        columns = zip(*(problem.cost[x] for x in members), strict=True)
        total += min((dot([law[x] for x in members], column) for column in columns), default=ZERO)
    return total


def _law_name(form: Form) -> object:
    """An input that is a law by itself, or the weights of a mixture."""
    return next(iter(form)) if len(form) == 1 else tuple(sorted(form.items()))


def _proven(problem: Problem, converse: Converse) -> Real:
    """The lower end that multipliers prove."""
    at_zero = not problem.asks_loss and problem.given.rational == 0 and _has_law_alone(converse)
    if _has_law_alone(converse) and not converse.forced and not at_zero:
        sums: list[Sum] = []  # none is used
    else:
        _check_count(problem, converse)
        sums = sum_bounds(problem.notion, problem.universe, converse.points)
    answers: Sequence[Collection[int]] = [range(len(row)) for row in problem.cost]
    if converse.forced and problem.asks_loss:
        forced = _forced(problem, converse, sums)
        if isinstance(forced, Real):
            return forced
        if not (converse.weight or converse.sums or converse.ratios):
            raise Rejected("the least distortion leaves more than one mechanism, and nothing tells of these")
        answers = forced
    for i, k, y in converse.places:
        exists = i < len(sums) and k < len(sums[i].atoms) and y < len(problem.cost[0])
        if not exists or sums[i].atoms[k].kind == "maximum":
            raise Rejected("a place does not fit the term that it linearises")
    if converse.sums and len(converse.sums) != len(sums):
        raise Rejected("there are more or fewer multipliers of sums than sums")
    used = [(multiplier, bound) for multiplier, bound in zip(converse.sums, sums, strict=False) if multiplier]
    level = converse.level if problem.asks_loss else problem.given
    if at_zero:
        return exactly(_at_level_zero(problem, converse.law, sums))
    value, strict = guarantee(problem, converse, sums, level, answers)
    if level is None:
        rest = value - problem.given.times(converse.weight)
        if not used:
            return INFINITY if exactly(ZERO).surely_below(rest) else exactly(ZERO)
        scale = used[0][1].scale
        if any(bound.scale != scale for _, bound in used):
            raise Rejected("the sums are bounded on different scales, so the proof must name a level")
        bound = rest.times(1 / sum((multiplier for multiplier, _ in used), ZERO))
        return scale.level(bound) if scale.bound(exactly(ZERO)).surely_below(bound) else exactly(ZERO)
    for multiplier, sum_bound in used:
        if converse.relative:
            value -= exactly(multiplier if (sum_bound.scale.rate or ZERO) > 0 else -multiplier)
        else:
            value -= sum_bound.scale.bound(level).times(multiplier)
    if problem.asks_loss:
        allowed = problem.given.times(converse.weight)
        if allowed.surely_below(value) or (strict and allowed.surely_at_most(value)):
            return level
        alone = converse.ratios and converse.prices is None and not used and not converse.forced
        if alone and value.rational == allowed.rational is not None and _can_rise(problem, converse, level):
            return level
        raise Rejected("the multipliers do not exclude the level that the proof names")
    if converse.weight > 0:
        return value.times(1 / converse.weight)
    if exactly(ZERO).surely_below(value):
        return INFINITY
    raise Rejected("the multipliers put no weight on the distortion and exclude nothing")


def _of_smaller_order(notion: Notion, order: Fraction) -> Notion:
    """The notion at a smaller order, which asks for less: divergences and informations grow with their order."""
    if notion.name not in ("renyi_differential_privacy", "sibson_mutual_information") or not 0 < order <= notion.order:
        raise Rejected("only a notion of an order can be read at another, and only at a smaller one")
    if notion.name == "sibson_mutual_information" and order == 1:
        return Notion("mutual_information")
    return replace(notion, order=order)


def guarantee(
    problem: Problem, converse: Converse, sums: list[Sum], level: Real | None, answers: Sequence[Collection[int]]
) -> tuple[Real, bool]:
    """A number that weight * distortion + (multipliers on sums) is never below, for any mechanism at the level.

    The mechanism gives each input one of its own answers. The second result says that at any smaller level the sum
    exceeds that number.
    """
    weights = [converse.weight * p for p in converse.law]
    prices = [[weight * d for d in row] for weight, row in zip(weights, problem.cost, strict=True)]
    gains = [[ZERO] * len(row) for row in prices]
    charge = _add_ratios(problem, converse, level, prices, gains) if converse.ratios else ZERO
    _add_maxima(converse, sums, prices)
    smooth = any(converse.sums) and any(atom.kind != "maximum" for bound in sums for atom in bound.atoms)
    powers = all(atom.kind == "power" for bound in sums for atom in bound.atoms)
    if converse.relative and (level is None or level is INFINITY or not powers):
        raise Rejected("multipliers in units of bounds need sums of powers and a level")
    if converse.prices is not None:
        if problem.notion.name in ("mutual_information", "capacity"):
            _check_information(converse, prices)
            return exactly(sum(converse.prices, ZERO)), False
        if smooth or level is None:
            raise Rejected("row prices prove something only for a notion that bounds all pairs, at a level")
        charged, strict = _spread(problem, converse, level, prices)
        return exactly(sum(converse.prices) - charge - charged), strict
    if not smooth:
        least = [min(row[y] for y in choices) for row, choices in zip(prices, answers, strict=True)]
        # A smaller level raises the minimum of a row for sure where it raises every price that attains it.
        strict = any(
            all(gained[y] > 0 for y in choices if row[y] == low)
            for row, gained, choices, low in zip(prices, gains, answers, least, strict=True)
        )
        return exactly(sum(least) - charge), strict
    total = [[exactly(price) for price in row] for row in prices]
    for i, (multiplier, bound) in enumerate(zip(converse.sums, sums, strict=False)):
        for (k, atom), y in product(enumerate(bound.atoms if multiplier else []), range(len(prices[0]))):
            if atom.kind != "maximum":
                if (i, k, y) not in converse.places:
                    raise Rejected("a smooth term is used without a place at which to linearise it")
                unit = level.times(bound.scale.rate or ZERO) if converse.relative and level else exactly(ZERO)
                for x, slope in gradient(atom, converse.places[i, k, y], unit).items():
                    total[x][y] += slope.times(multiplier * atom.weight)
    result = exactly(-charge)
    for row, choices in zip(total, answers, strict=True):
        result += Real(min(row[y].low for y in choices), min(row[y].high for y in choices))
    return result, False


def _can_rise(problem: Problem, converse: Converse, level: Real) -> bool:
    """Whether multipliers that prove just what is allowed prove more at every smaller level, with a little of others.

    A smaller level leaves room in all prices but the least of an input that it does not raise. About the answers with
    those prices each step proves more than is allowed, or as much, and then leaves fewer without room to the next.
    """
    answers: list[Collection[int]] = [range(len(row)) for row in problem.cost]
    for step in [Step(converse.weight, converse.law, converse.ratios), *converse.steps]:
        prices, gains, charge = _ratio_prices(problem, converse, step, level)
        least = [min(row[y] for y in choices) for row, choices in zip(prices, answers, strict=True)]
        total, allowed = exactly(sum(least, -charge)), problem.given.times(step.weight)
        if allowed.surely_below(total):
            return True
        if total.rational != allowed.rational:
            return False
        answers = [
            [y for y in choices if row[y] == low and gained[y] == 0]
            for row, gained, choices, low in zip(prices, gains, answers, least, strict=True)
        ]
        if not all(answers):
            return True
    return False


def _ratio_prices(problem: Problem, converse: Converse, step: Step, level: Real) -> tuple[Rows, Rows, Fraction]:
    """The prices that ratio bounds make, where a smaller level raises them, and what their slacks cost."""
    prices = [[step.weight * p * d for d in row] for p, row in zip(step.law, problem.cost, strict=True)]
    gains = [[ZERO] * len(row) for row in prices]
    charge = _add_ratios(problem, replace(converse, ratios=step.ratios), level, prices, gains)
    return prices, gains, charge


def _add_ratios(problem: Problem, converse: Converse, level: Real | None, prices: Rows, gains: Rows) -> Fraction:
    """Add multiplier * (left - e^(level * distance) right) to the prices; return what the slacks cost."""
    if level is None:
        raise Rejected("ratio bounds are used, but the proof names no level for them")
    bounds = ratio_bounds(problem.notion, problem.universe, converse.points)
    # Rounding up enlarges the set of mechanisms, which keeps a lower bound valid.
    used = [bounds[i] for i in {i for i, *_ in converse.ratios} if i < len(bounds)]
    distances = {bound.distance for bound in used} | {ONE for bound in used if bound.slack_grows}
    growth = {d: above(exp(_multiple(level, d))) for d in distances}
    for i, y, multiplier in converse.ratios:
        if i >= len(bounds) or y >= len(prices[0]):
            raise Rejected("a multiplier refers to a bound or an output that the problem does not have")
        bound = bounds[i]
        for x, coefficient in bound.left.items():
            prices[x][y] += multiplier * coefficient
        for x, coefficient in bound.right.items():
            prices[x][y] -= multiplier * coefficient * growth[bound.distance]
            gains[x][y] += multiplier * coefficient
    slacks = {i: bounds[i].slack * (growth[ONE] if bounds[i].slack_grows else ONE) for i, *_ in converse.ratios}
    return sum((paid * slacks[i] for i, paid in _slacks_paid(converse.ratios, bounds).items()), ZERO)


def _slacks_paid(ratios: Sequence[tuple[int, int, Fraction]], bounds: list[Ratio]) -> dict[int, Fraction]:
    """How many times the slack of each bound is paid.

    Multipliers of one output add up. Over events the slack is shared by all outputs: the largest one pays for it once.
    """
    by_output: dict[int, dict[int, Fraction]] = {}
    for i, y, multiplier in ratios:
        outputs = by_output.setdefault(i, {})
        outputs[y] = outputs.get(y, ZERO) + multiplier
    return {
        i: max(outputs.values()) if bounds[i].events else sum(outputs.values(), ZERO)
        for i, outputs in by_output.items()
    }


def _add_maxima(converse: Converse, sums: list[Sum], prices: Rows) -> None:
    """Add multiplier * weight_x q_x below a maximum; together they may not exceed the multiplier of its sum."""
    used: dict[tuple[int, int, int], Fraction] = {}
    for i, k, y, x, multiplier in converse.maxima:
        exists = i < min(len(sums), len(converse.sums)) and k < len(sums[i].atoms) and y < len(prices[0])
        if not exists or sums[i].atoms[k].kind != "maximum" or x not in sums[i].atoms[k].left:
            raise Rejected("a multiplier refers to a maximum that the notion does not have")
        atom = sums[i].atoms[k]
        used[i, k, y] = used.get((i, k, y), ZERO) + multiplier
        if used[i, k, y] > atom.weight * converse.sums[i]:
            raise Rejected("the multipliers of one maximum exceed the multiplier of its sum")
        prices[x][y] += multiplier * atom.left[x]


def _spread(problem: Problem, converse: Converse, level: Real, prices: Rows) -> tuple[Fraction, bool]:
    """Check the column conditions of the row prices; return what the slack costs, and whether the bound is strict."""
    found, row_prices = spread(problem.notion, problem.universe, converse.points), converse.prices or ()
    if found is None or len(row_prices) != len(prices):
        raise Rejected("row prices need a notion that bounds all pairs of inputs, and one price per input")
    (scales, slack), growth = found, above(exp(level))
    charge, strict = ZERO, True
    for y, column in enumerate(zip(*prices, strict=True)):
        gaps = [(entry - price) / scale for entry, price, scale in zip(column, row_prices, scales, strict=True)]
        over, under = sum(gap for gap in gaps if gap > 0), -sum(gap for gap in gaps if gap < 0)
        if over < growth * under:
            raise Rejected(f"the column condition fails for output {y}: the row prices are too high")
        strict = strict and (over > 0 or under > 0)
        charge += under * slack
    # At a smaller level every column has room, so one price can rise; it must gain more than its slack costs.
    room = (
        slack * sum(entry <= price for entry in row) < scale
        for row, price, scale in zip(prices, row_prices, scales, strict=True)
    )
    return charge, strict and any(room)


def _check_information(converse: Converse, prices: Rows) -> None:
    """Check that sum_x p(x) exp((price(x) - weight r(x) d(x,y)) / (share p(x))) is at most 1 for every output."""
    row_prices = converse.prices or ()
    others = converse.ratios or converse.maxima or converse.places
    if others or len(converse.points) != 1 or len(converse.sums) != 1 or len(row_prices) != len(prices):
        raise Rejected("row prices of an information need one law, one share, and one entry per input")
    (point,), (share,) = converse.points, converse.sums
    if share == 0:
        raise Rejected("row prices of an information need a positive share")
    if any(not p and price > min(row) for p, price, row in zip(point, row_prices, prices, strict=True)):
        raise Rejected("the price of an input without probability exceeds what its cheapest answer costs")
    for y in range(len(prices[0])):
        total = exactly(ZERO)
        for p, price, row in zip(point, row_prices, prices, strict=True):
            if p:
                # What vanishes may as well be a little larger: a sum is to be bounded from above.
                total += exp(exactly(max((price - row[y]) / (share * p), -Fraction(VANISHING)))).times(p)
        if not total.surely_at_most(exactly(ONE)):
            raise Rejected(f"the column condition fails for output {y}: the row prices are too high")


def gradient(atom: Atom, place: Law, unit: Real) -> dict[int, Real]:
    """The gradient of a smooth atom: at left/right = place, in units of e^unit; or for a norm at the column `place`."""
    order, sign = atom.order, ONE if atom.order > 1 else -ONE
    if min(place) <= 0 or len(place) != (len(atom.left) if atom.kind == "norm" else 1):
        raise Rejected("a place does not fit the term that it linearises, or is not positive")
    if atom.kind == "norm":
        # All entries alike may be larger or smaller.
        place = tuple(entry / max(place) for entry in place)
        powers = [power(entry, order - 1) for entry in place]
        total = exactly(ZERO)
        for value, entry, weight in zip(powers, place, atom.left.values(), strict=True):
            total += value.times(entry * weight)
        scale = exp(log(total).times(1 / order - 1)).times(sign)
        return {x: scale * value.times(w) for value, (x, w) in zip(powers, atom.left.items(), strict=True)}
    if atom.kind == "entropy":
        left, right = log(place[0]) + exactly(ONE), exactly(-place[0])
    else:
        if unit.rational == 0:
            value = power(place[0], order - 1)
        else:
            value = exp(log(place[0]).times(order - 1) - unit)
        left, right = value.times(sign * order), value.times(sign * (1 - order) * place[0])
    slopes = {x: left.times(coefficient) for x, coefficient in atom.left.items()}
    for x, coefficient in atom.right.items():
        slopes[x] = slopes.get(x, exactly(ZERO)) + right.times(coefficient)
    return slopes


def _forced(problem: Problem, converse: Converse, sums: list[Sum]) -> Real | list[set[int]]:
    """The lower end where the distortion allowed is the least there is, or the answers that are left.

    The zeros that follow spread, and the steps of the proof find more. If each input keeps one answer, a single
    mechanism is left, and its loss counts; if an input keeps none, no level is possible.
    """
    bounds = ratio_bounds(problem.notion, problem.universe, converse.points)
    compared = [(bound.left, bound.right) for bound in bounds if bound.slack == 0]
    atoms = [atom for bound in sums for atom in bound.atoms]
    compared += [(a.left, a.right) for a in atoms if a.kind == "entropy" or (a.kind == "power" and a.order > 1)]
    answers = _zeros_spread(problem, converse.law, compared, [set(range(len(row))) for row in problem.cost])
    for step in converse.steps:
        left = None if answers is None else _after_step(problem, step, bounds, answers)
        answers = None if left is None else _zeros_spread(problem, converse.law, compared, left)
    if answers is None or any(_never_meet(bound, answers) for bound in sums):
        return INFINITY
    if all(len(choices) == 1 for choices in answers):
        rows = [[ONE if y in choices else ZERO for y in range(len(problem.cost[0]))] for choices in answers]
        return loss_of(Case(problem.notion, rows, problem.universe, problem.source))[0]
    return answers


def _zeros_spread(
    problem: Problem, first: Law, compared: list[tuple[Form, Form]], answers: list[set[int]]
) -> list[set[int]] | None:
    """The answers that may still be given at a finite loss, None if an input has none.

    An input of positive probability gets only its cheapest answers, where these cost all that is allowed. An answer
    that none of the inputs on the right of a bound without slack gives, those on its left must not give. What is left
    may cost more under another law, and so on.
    """
    laws = [first]
    while True:
        cheapest = [min(row[y] for y in choices) for row, choices in zip(problem.cost, answers, strict=True)]
        totals = [exactly(dot(law, cheapest)) for law in laws]
        if any(problem.given.surely_below(total) for total in totals):
            return None
        tight = [law for law, total in zip(laws, totals, strict=True) if problem.given.surely_at_most(total)]
        left = [
            {y for y in choices if row[y] == low} if any(law[x] for law in tight) else set(choices)
            for x, (row, choices, low) in enumerate(zip(problem.cost, answers, cheapest, strict=True))
        ]
        for some, others in compared:
            given = set().union(*(left[x] for x, share in others.items() if share))
            for x in (x for x, share in some.items() if share):
                left[x] &= given
        if not all(left):
            return None
        costs = [min(row[y] for y in choices) for row, choices in zip(problem.cost, left, strict=True)]
        worst = problem.source.costly(costs)
        if left == answers and worst in laws:
            return answers
        answers, laws = left, [*laws, worst]


def _after_step(problem: Problem, step: Step, bounds: list[Ratio], answers: list[set[int]]) -> list[set[int]] | None:
    """The answers that a step leaves, None if it shows that there is no mechanism of finite loss.

    At every finite level, outputs that no input on the right of a bound may give have at most the slack on its left. If
    the least prices add up to all that the distortion and the slacks allow, dearer answers are never given.
    """
    prices = [[step.weight * p * d for d in row] for p, row in zip(step.law, problem.cost, strict=True)]
    for i, y, multiplier in step.ratios:
        if i >= len(bounds) or y >= len(prices[0]):
            raise Rejected("a multiplier refers to a bound or an output that the problem does not have")
        bound = bounds[i]
        if (bound.slack_grows and bound.slack) or any(y in answers[x] for x, share in bound.right.items() if share):
            raise Rejected("at an infinite level a bound says nothing about an output that its right side may give")
        for x, share in bound.left.items():
            prices[x][y] += multiplier * share
    least = [min(row[y] for y in choices) for row, choices in zip(prices, answers, strict=True)]
    charge = sum((paid * bounds[i].slack for i, paid in _slacks_paid(step.ratios, bounds).items()), ZERO)
    total = exactly(sum(least, ZERO) - charge)
    allowed = problem.given.times(step.weight)
    if allowed.surely_below(total):
        return None
    if not allowed.surely_at_most(total):
        raise Rejected("a step leaves room in the distortion, so it forces nothing")
    return [{y for y in choices if row[y] == low} for row, choices, low in zip(prices, answers, least, strict=True)]


def _never_meet(bound: Sum, answers: list[set[int]]) -> bool:
    """Whether a divergence of an order below one is infinite: its two inputs have no answer in common."""
    if len(bound.atoms) != 1 or bound.atoms[0].kind != "power" or bound.atoms[0].order > 1:
        return False
    left, right = bound.atoms[0].left, bound.atoms[0].right
    return not any(answers[x] & answers[other] for x in left for other in right)


# ---------------------------------------------------------------------------------------------------------------------
# The loss of a mechanism in every notion: a lower and an upper end
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Case:
    """A mechanism whose loss is asked for."""

    notion: Notion
    rows: Rows
    universe: Universe
    source: Source

    @property
    def columns(self) -> list[Law]:
        """The probabilities of each output."""
        return list(zip(*self.rows, strict=True))

    def pairs(self) -> list[tuple[Law, Law, Fraction]]:
        """The different rows of constrained pairs, each pair of laws once, with their distances."""
        laws = [tuple(row) for row in self.rows]
        kinds = list(dict.fromkeys(laws))
        number_of = len(kinds) ** 2 if self.universe.complete else 2 * len(self.universe.some_pairs)
        if number_of * len(self.rows[0]) > MOST_WORK:
            raise Unreadable("the mechanism has too many pairs of inputs to compare")
        if self.universe.complete:
            return [(left, right, ONE) for left, right in permutations(kinds, 2)]
        pairs = ((laws[x], laws[other], distance) for x, other, distance in self.universe.ordered_pairs())
        return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def _worst_log(ratios: Iterable[tuple[Fraction | None, Fraction]]) -> Ends:
    """The largest log(ratio) / divisor, at least 0; a ratio None is infinite."""
    best: dict[Fraction, Fraction] = {}
    for ratio, divisor in ratios:
        if ratio is None:
            return INFINITY, INFINITY
        best[divisor] = max(best.get(divisor, ONE), ratio)
    value = largest(log_over(ratio, divisor) for divisor, ratio in best.items())
    return value, value


def _quotient(over: Fraction, under: Fraction) -> Fraction | None:
    """over / under; None for infinity, and 0 where nothing is compared."""
    return over / under if under else None if over > 0 else ZERO


def _least_factor(left: Law, right: Law, slack: Fraction, grows: bool = False) -> Fraction | None:
    """The least E >= 1 with sum (left - E right)_+ <= slack (E * slack if it grows); None if there is none.

    The worst events hold the outputs of largest left/right, so E is a maximum over prefixes of that order.
    """
    steepness = {y: (not right[y], p / right[y] if right[y] else ZERO) for y, p in enumerate(left) if p}
    over, under, best = ZERO, slack if grows else ZERO, ONE
    for y in sorted(steepness, key=lambda y: steepness[y], reverse=True):
        over, under = over + left[y], under + right[y]
        factor = _quotient(over if grows else over - slack, under)
        if factor is None:
            return None
        best = max(best, factor)
    return best


def _approximate(case: Case) -> Ends:
    """Q(y|x) <= e^(level distance) Q(y|x') + delta, for outputs or for events."""
    delta = case.notion.delta
    if case.notion.events:
        return _worst_log((_least_factor(left, right, delta), distance) for left, right, distance in case.pairs())
    if case.universe.complete:  # the extremes of a column decide
        return _worst_log((_quotient(max(column) - delta, min(column)), ONE) for column in case.columns)
    return _worst_log(
        (_quotient(p - delta, q), distance)
        for left, right, distance in case.pairs()
        for p, q in zip(left, right, strict=True)
    )


def _renyi(case: Case) -> Ends:
    """The largest Renyi divergence of constrained rows, over their distance."""
    order, values = case.notion.order, []
    for left, right, distance in case.pairs():
        both = [(p, q) for p, q in zip(left, right, strict=True) if p and q]
        outside = any(p and not q for p, q in zip(left, right, strict=True))
        if not both or (outside and order >= 1):
            return INFINITY, INFINITY
        if order == 1:
            values.append(divergence([(ONE, left)], right).times(1 / distance))
            continue
        divisor = (order - 1) * distance
        # With the largest ratio taken out, no power of a large order is out of reach.
        most = max(p / q for p, q in both) if order > MOST_ROUNDED else ONE
        total = exactly(ZERO)
        for p, q in both:
            total += power(p / q / most, order - 1).times(p)
        if most != 1:
            values.append(log(total).times(1 / divisor) + log(most).times(1 / distance))
        elif total.rational is None:
            values.append(log(total).times(1 / divisor))
        else:
            values.append(log_over(total.rational, divisor))
    value = largest(values)
    return value, value


def divergence(rows: Iterable[tuple[Fraction, Sequence[Fraction]]], other: Law) -> Real:
    """The sum over weighted rows of weight * sum_y row log(row / other); infinity where other excludes an output."""
    weights: dict[Fraction, Fraction] = {}
    for weight, row in rows:
        for p, r in zip(row, other, strict=True):
            if weight and p and not r:
                return INFINITY
            if weight and p:
                weights[p / r] = weights.get(p / r, ZERO) + weight * p
    return sum_of_logs(weights)


def _output_law(case: Case, prior: Law) -> Law:
    return tuple(dot(prior, column) for column in case.columns)


def _mutual_information(case: Case) -> Ends:
    """sum_x P(x) KL(Q_x || P_Y); over a convex source it is at most max_P sum_x P(x) KL(Q_x || r), for any law r."""

    def at(prior: Law) -> Real:
        return divergence(zip(prior, case.rows, strict=True), _output_law(case, prior))

    if case.source.is_listed:
        value = largest(at(prior) for prior in case.source.corners())
        return value, value
    floats = [[float(q) for q in row] for row in case.rows]
    entropies = [sum(q * math.log(q) for q in row if q > 0) for row in floats]
    prior = least_favourable(case.source, floats, entropies, lambda u: -math.log(u) - 1, lambda u: 1 / u)
    bounds = [
        _worst_average(case.source, [divergence([(ONE, row)], outputs) for row in case.rows])
        for outputs in (_output_law(case, _reaching(case, prior)), _even(case))
    ]
    return at(prior), min(bounds, key=lambda bound: bound.high)


def _reaching(case: Case, prior: Law) -> Law:
    """The law, or where it excludes an output that others of the source give, one with a trace of those."""
    laws, trace = covering(case.source), Fraction(1, 1 << 50)
    mean = tuple(sum(column, ZERO) / len(laws) for column in zip(*laws, strict=True))
    if all(r or not q for r, q in zip(_output_law(case, prior), _output_law(case, mean), strict=True)):
        return prior
    return tuple((1 - trace) * p + trace * q for p, q in zip(prior, mean, strict=True))


def _even(case: Case) -> Law:
    """The uniform law of the outputs: the best one for a symmetric mechanism, to the last digit."""
    return (Fraction(1, len(case.columns)),) * len(case.columns)


def _worst_average(source: Source, costs: list[Real]) -> Real:
    """An upper bound on the expected cost over the source; an input that no law uses costs nothing."""
    if any(cost is INFINITY and source.maximum(source.unit(x))[0] > 0 for x, cost in enumerate(costs)):
        return INFINITY
    return exactly(source.maximum([ZERO if cost is INFINITY else above(cost) for cost in costs])[0])


def _capacity(case: Case) -> Ends:
    """The largest mutual information over all priors."""
    return _mutual_information(replace(case, source=Everything(case.source.size)))


def _sibson(case: Case) -> Ends:
    """order/(order-1) log sum_y (sum_x P(x) Q(y|x)^order)^(1/order); over a convex source, the divergence of that
    order of the joint law from P times r bounds it for any law r, and is linear in P inside the logarithm."""
    order = case.notion.order

    def at(prior: Law) -> Real:
        used = [x for x, p in enumerate(prior) if p]
        if all(case.rows[x] == case.rows[used[0]] for x in used):
            return exactly(ZERO)
        logs, inners = [], set[Fraction | None]()
        for column in case.columns:
            if any(column[x] for x in used):
                most = max(column[x] for x in used) if order > MOST_ROUNDED else ONE
                inner = exactly(ZERO)
                for x in used:
                    inner += power(column[x] / most, order).times(prior[x])
                inners.add(inner.rational if most == 1 else None)
                norm = _multiple(log(inner), 1 / order)
                logs.append(norm if most == 1 else norm + log(most))
        alike = inners.pop()
        if not inners and alike is not None and order.denominator == 1:  # of equal norms the roots need not be taken
            return log_over(len(logs) ** int(order) * alike, order - 1)
        # For small orders all norms may vanish; what they are in units of about the largest does not.
        unit = exactly(Fraction(max(norm.high for norm in logs)) if order < 1 / Fraction(MOST_ROUNDED) else ZERO)
        total = exactly(ZERO)
        for norm in logs:
            total += exp(norm if unit.rational == 0 else norm - unit)
        return _multiple(log(total) if unit.rational == 0 else log(total) + unit, order / (order - 1))

    if case.source.is_listed:
        value = largest(at(prior) for prior in case.source.corners())
        return value, value
    # A letter that nothing produces may have far more telling answers than all others: it answers like one of them.
    used = [any(chances) for chances in zip(*covering(case.source), strict=True)]
    like = case.rows[used.index(True)]
    case = replace(case, rows=[row if counts else like for row, counts in zip(case.rows, used, strict=True)])
    if all(row == case.rows[0] for row in case.rows):
        return exactly(ZERO), exactly(ZERO)
    # Below an order of 1e-6 a loss is so small that the law which is worst there will do.
    a, excess, sign = max(float(order), 1e-6), float(order - 1), 1.0 if order > 1 else -1.0
    # Largest entries are taken out: powers of a large order vanish.
    sizes = [float(max(column)) or 1.0 for column in case.columns]
    rows = [[float(q) / size for q, size in zip(row, sizes, strict=True)] for row in case.rows]
    images = [[q**a for q in row] for row in rows]
    linear = [0.0] * len(rows)
    slope, curvature = (lambda u: sign / a * u ** (1 / a - 1)), (lambda u: sign / a * (1 - 1 / a) * u ** (1 / a - 2))
    if abs(excess) < 0.1:
        # What exceeds one, over the order less one: near order one nothing cancels.
        parts = [[(size * q, math.log(q)) for q, size in zip(row, sizes, strict=True) if q] for row in rows]
        linear = [sum(q * math.expm1(excess * logarithm) / excess for q, logarithm in row) for row in parts]
        slope, curvature = (
            (lambda u: (math.expm1(-excess / a * math.log(u)) / excess - 1) / a),
            (lambda u: u ** (1 / a - 2) / a**2),
        )
    prior = least_favourable(case.source, images, linear, slope, curvature, sizes)
    norms = [sum(float(p) * q for p, q in zip(prior, column, strict=True)) for column in zip(*images, strict=True)]
    logs = [
        math.log(norm) / a + math.log(size) if norm > 0 else -math.inf for norm, size in zip(norms, sizes, strict=True)
    ]
    weights = [Fraction(math.exp(value - max(logs))) for value in logs]
    found = tuple(weight / sum(weights) for weight in weights)
    bounds = [_order_bound(case, outputs) for outputs in (found, _even(case))]
    return at(prior), min(bounds, key=lambda bound: bound.high)


def _order_bound(case: Case, outputs: Law) -> Real:
    """1/(order-1) log of the worst sum_x P(x) sum_y Q(y|x)^order r(y)^(1-order)."""
    order, costs = case.notion.order, []
    ratios = [q / r for row in case.rows for q, r in zip(row, outputs, strict=True) if r]
    # With the largest ratio taken out, no power of a large order is out of reach; what vanishes may be a little larger.
    most, least = (max(ratios), FAINT) if order > MOST_ROUNDED else (ONE, ZERO)
    for row in case.rows:
        cost = exactly(least)
        for q, r in zip(row, outputs, strict=True):
            if q and r:
                cost += power(q / r / most, order - 1).times(q)
        impossible = order > 1 and any(q and not r for q, r in zip(row, outputs, strict=True))
        costs.append(INFINITY if impossible else cost)
    if order > 1:
        extreme = _worst_average(case.source, costs)
    else:
        extreme = exactly(case.source.minimum([max(ZERO, Fraction(cost.low)) for cost in costs]))
    unbounded = extreme is INFINITY or extreme.rational == 0
    return INFINITY if unbounded else log(extreme).times(1 / (order - 1)) + log(most)


def _maximal_leakage(case: Case) -> Ends:
    """log sum_y max_x Q(y|x)."""
    return _worst_log([(sum(map(max, case.columns), ZERO), ONE)])


def _min_entropy(case: Case) -> Ends:
    """log of sum_y max_x P(x) Q(y|x) over max_x P(x); quasi-convex in P on the laws where one input is likeliest.

    Over all laws it is the maximal leakage, reached at the uniform law.
    """
    size, source = case.universe.size, case.source
    if source.convex and source.contains((Fraction(1, size),) * size):
        return _maximal_leakage(case)

    def at(priors: Iterable[Law]) -> Ends:
        return _worst_log(
            (sum((max(map(Fraction.__mul__, prior, column)) for column in case.columns), ZERO) / max(prior), ONE)
            for prior in dict.fromkeys(priors)
        )

    try:
        priors = list(source.corners())
        for largest_at in range(size if not source.is_listed else 0):
            priors += source.corners(largest_at)
    except TooMany:
        # No law gives a letter more of the largest probability than its largest ratio to another one.
        ratios = ([source.largest_ratio(x, other) for other in range(size) if other != x] for x in range(size))
        shares = [min([ONE, *(ratio for ratio in row if ratio is not None)]) for row in ratios]
        chance = sum((max(map(Fraction.__mul__, shares, column)) for column in case.columns), ZERO)
        return at([source.maximum([ONE] * size)[1]])[0], _worst_log([(chance, ONE)])[1]
    return at(priors)


def _maximal_information(case: Case) -> Ends:
    """Q(y|x) <= e^level P_Y(y), under the law that makes the output least likely."""
    return _worst_log((_quotient(max(column), case.source.minimum(column)), ONE) for column in case.columns)


def _identifiability(case: Case) -> Ends:
    """P(x) Q(y|x) <= e^(level distance) P(x') Q(y|x'): the worst ratio of priors times the worst ratio of rows."""
    ratios: list[tuple[Fraction | None, Fraction]] = []
    for x, other, distance in case.universe.ordered_pairs():
        prior = case.source.largest_ratio(x, other)
        quotients = [_quotient(p, q) for p, q in zip(case.rows[x], case.rows[other], strict=True)]
        finite = [quotient for quotient in quotients if quotient is not None]
        if prior is None or (prior > 0 and len(finite) < len(quotients)):
            return INFINITY, INFINITY
        ratios.append((prior * max(finite, default=ZERO), distance))
    return _worst_log(ratios)


def _local_information_privacy(case: Case) -> Ends:
    """e^-level Q_x(S) - delta <= P_Y(S) <= e^level Q_x(S) + delta; with a delta it is quasi-convex in the law."""
    delta, factors = case.notion.delta, list[Fraction | None]()
    for column in [] if delta else case.columns:
        factors.append(_quotient(max(column), case.source.minimum(column)))
        factors.append(_quotient(case.source.maximum(column)[0], min(column)))
    if not delta:
        return _worst_log((factor, ONE) for factor in factors)

    def between(laws: Iterable[tuple[Law, Law]]) -> Ends:
        pairs = [(most, least, row) for most, least in laws for row in dict.fromkeys(map(tuple, case.rows))]
        found = [_least_factor(most, row, delta) for most, _, row in pairs]
        found += [_least_factor(row, least, delta, True) for _, least, row in pairs]
        return _worst_log((factor, ONE) for factor in found)

    source = case.source
    try:
        return between((law, law) for law in (_output_law(case, prior) for prior in source.corners()))
    except TooMany:
        # No law gives an output more than the most, or less than the least, that any law gives it.
        most = tuple(source.maximum(column)[0] for column in case.columns)
        least = tuple(source.minimum(column) for column in case.columns)
        law = _output_law(case, source.maximum([ONE] * source.size)[1])
        return between([(law, law)])[0], between([(most, least)])[1]


def _pointwise_leakage(case: Case) -> Ends:
    """The largest KL(Q_x || P_Y), which is convex in the law."""

    def at(outputs: Iterable[Law]) -> Real:
        values = [divergence([(ONE, row)], law) for law in outputs for row in dict.fromkeys(map(tuple, case.rows))]
        return INFINITY if INFINITY in values else largest(values)

    source = case.source
    try:
        value = at(_output_law(case, prior) for prior in source.corners())
    except TooMany:
        # No law gives an output less than the least that any law gives it.
        least = tuple(source.minimum(column) for column in case.columns)
        return at([_output_law(case, source.maximum([ONE] * source.size)[1])]), at([least])
    return value, value


LOSSES: dict[str, Callable[[Case], Ends]] = {
    "approximate_differential_privacy": _approximate,
    "renyi_differential_privacy": _renyi,
    "mutual_information": _mutual_information,
    "capacity": _capacity,
    "sibson_mutual_information": _sibson,
    "maximal_leakage": _maximal_leakage,
    "min_entropy_leakage": _min_entropy,
    "maximal_information": _maximal_information,
    "identifiability": _identifiability,
    "local_information_privacy": _local_information_privacy,
    "pointwise_leakage": _pointwise_leakage,
}


# ---------------------------------------------------------------------------------------------------------------------
# A law of a convex source at which a concave function is nearly largest: found in floats, so only a guess
# ---------------------------------------------------------------------------------------------------------------------

Function: TypeAlias = Callable[[float], float]


def covering(source: Source) -> list[Law]:
    """Some laws that together use every letter that any law uses."""
    missing, laws = [ONE] * source.size, list[Law]()
    while True:
        value, point = source.maximum(missing)
        if laws and value == 0:
            return laws
        laws.append(point)
        missing = [ZERO if p else m for m, p in zip(missing, point, strict=True)]


def least_favourable(
    source: Source,
    images: list[list[float]],
    linear: list[float],
    slope: Function,
    curvature: Function,
    sizes: Sequence[float] = (),
) -> Law:
    """A law P that nearly maximises linear.P + sum_y size_y phi(sum_x P_x images_xy), given phi' and -phi''.

    Laws of the source are added in the direction of the gradient until none improves the value.
    """
    laws = covering(source)
    sizes = sizes or [1.0] * len(images[0])
    for _ in range(200):
        floats = [[float(p) for p in point] for point in laws]
        moved = [
            [sum(p * row[y] for p, row in zip(point, images, strict=True)) for y in range(len(images[0]))]
            for point in floats
        ]
        means = [sum(map(float.__mul__, point, linear)) for point in floats]
        try:
            weights = best_weights(moved, means, slope, curvature, sizes)
            exact = [Fraction(weight) for weight in weights]
        except (ArithmeticError, ValueError):
            # Beyond what floats hold any law is as good a guess as another.
            return tuple(sum(column) / len(laws) for column in zip(*laws, strict=True))
        mixed = tuple(dot(exact, column) / sum(exact) for column in zip(*laws, strict=True))
        slopes = [
            size * slope(u) if u > 0 else 0.0
            for size, u in zip(
                sizes, (sum(map(float.__mul__, weights, column)) for column in zip(*moved, strict=True)), strict=True
            )
        ]
        direction = [value + sum(map(float.__mul__, row, slopes)) for value, row in zip(linear, images, strict=True)]
        point = source.maximum([Fraction(entry) for entry in direction])[1]
        gain = sum(d * float(p - q) for d, p, q in zip(direction, point, mixed, strict=True))
        unit = 1.0 if any(linear) else sum(map(float.__mul__, map(float, mixed), direction))
        if point in laws or gain < 1e-14 * abs(unit):
            break
        laws.append(point)
    return mixed


def best_weights(
    images: list[list[float]], linear: list[float], slope: Function, curvature: Function, sizes: Sequence[float]
) -> list[float]:
    """The weights that nearly maximise the same function of mixtures: a barrier method with Newton steps.

    Without a linear part the logarithm of the value is what matters, and the barrier counts in units of the value.
    """
    count, share = len(images), 1.0
    weights = [1.0 / count] * count
    kept = [(column, size) for column, size in zip(zip(*images, strict=True), sizes, strict=True) if max(column) > 0]
    columns = [column for column, _ in kept]
    while share > 1e-15 and count > 1:
        share /= 8
        for _ in range(12):
            values = [sum(map(float.__mul__, weights, column)) for column in columns]
            slopes = [size * slope(value) for value, (_, size) in zip(values, kept, strict=True)]
            bends = [size * curvature(value) for value, (_, size) in zip(values, kept, strict=True)]
            barrier = share * (1.0 if any(linear) else max(1e-280, abs(sum(map(float.__mul__, values, slopes)))))
            scaled = [[w * a for w, a in zip(weights, column, strict=True)] for column in columns]
            system = [[0.0] * count + [barrier + w * g, w] for w, g in zip(weights, linear, strict=True)]
            for column, first, bend in zip(scaled, slopes, bends, strict=True):
                for row, a in zip(system, column, strict=True):
                    row[count] += a * first
                    row[:count] = [entry + bend * a * b for entry, b in zip(row, column, strict=False)]
            for k in range(count):
                system[k][k] += barrier
            solved = _eliminated(system)
            if solved is None:
                return weights
            free, shift = zip(*solved, strict=True)
            price = sum(map(float.__mul__, weights, free)) / sum(map(float.__mul__, weights, shift))
            step = [f - price * s for f, s in zip(free, shift, strict=True)]
            length = min(1.0, 0.9 / max(1e-300, -min(step)))
            weights = [w * (1 + length * s) for w, s in zip(weights, step, strict=True)]
            weights = [w / sum(weights) for w in weights]
            if max(map(abs, step)) < 1e-2:
                break
    return weights


def _eliminated(system: list[list[float]]) -> list[list[float]] | None:
    """The solutions of a positive definite system for each of its right sides; None where floats hold none."""
    size = len(system)
    for k in range(size):
        if system[k][k] == 0:
            return None
        pivot = system[k] = [entry / system[k][k] for entry in system[k]]
        for j in range(size):
            if j != k:
                factor = system[j][k]
                system[j] = [a - factor * b for a, b in zip(system[j], pivot, strict=True)]
    return [row[size:] for row in system]


# ---------------------------------------------------------------------------------------------------------------------
# The check
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Interval:
    """What was proven: the quantity lies between two numbers."""

    quantity: str
    lower: Real
    upper: Real

    def __str__(self) -> str:
        if self.lower is INFINITY:
            return f"the {self.quantity} is infinite"
        low, high = Context(prec=17, rounding=ROUND_FLOOR), Context(prec=17, rounding=ROUND_CEILING)
        return f"the {self.quantity} is between {low.plus(self.lower.low)} and {high.plus(self.upper.high)}"


def _costs(mechanism: Mechanism, cost: Rows, outputs: tuple[Hashable, ...]) -> list[Fraction]:
    """The expected distortion of each input; outputs are matched by label."""
    places = {output: y for y, output in enumerate(outputs)}
    if not set(mechanism.outputs) <= set(places):
        raise Rejected("the mechanism has an output for which the problem has no cost")
    order = [places[output] for output in mechanism.outputs]
    return [dot(row, [entry[y] for y in order]) for row, entry in zip(mechanism.rows, cost, strict=True)]


def upper_bound(problem: Problem, document: object) -> Real:
    """The upper end of the interval: what the mechanism achieves."""
    if document is None:
        return INFINITY
    mechanism = read_mechanism(document)
    if mechanism.universe != problem.universe:
        raise Rejected("the mechanism has other inputs than the problem")
    costs = _costs(mechanism, problem.cost, problem.outputs)
    case = Case(problem.notion, mechanism.rows, problem.universe, problem.source)
    limits = (problem.given, None) if problem.asks_loss else (None, problem.given)
    cost, loss = _worst_cost(problem.source, costs, limits[0]), loss_of(case, limits[1])
    _admissible(problem, cost[1], loss[1])
    return loss[1] if problem.asks_loss else cost[1]


def _worst_cost(source: Source, costs: list[Fraction], limit: Real | None) -> Ends:
    """Both ends of the largest expected cost; over a curved source, bounds that decide about the limit."""
    if isinstance(source, Products):
        return source.supremum(
            lambda laws: exactly(max(dot(costs, law) for law in laws)), lambda law: exactly(dot(costs, law)), limit
        )
    worst = exactly(source.maximum(costs)[0])
    return worst, worst


def loss_of(case: Case, limit: Real | None = None) -> Ends:
    """Both ends of a loss; over a curved source, bounds that decide whether it keeps to the limit."""
    loss = LOSSES[case.notion.name]
    if isinstance(case.source, Products):
        return case.source.supremum(
            lambda laws: loss(replace(case, source=Listed(laws, True)))[1],
            lambda law: loss(replace(case, source=Listed([law], True)))[0],
            limit,
        )
    return loss(case)


def _admissible(problem: Problem, distortion: Real, loss: Real) -> Real:
    if problem.asks_loss and not distortion.surely_at_most(problem.given):
        raise Rejected("the mechanism has more distortion than allowed")
    if not problem.asks_loss and not loss.surely_at_most(problem.given):
        raise Rejected("the mechanism has more loss than allowed")
    return loss if problem.asks_loss else distortion


# ---------------------------------------------------------------------------------------------------------------------
# Proofs about databases that are never written out: from the rows, and from the distances
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RowsQuestion:
    """A question about databases: the same question about one row, the number of rows, and what is known of each."""

    row: Problem
    count: int
    sources: list[Source]  # one for all rows, or one per row
    entry: object  # the source as it is described

    @property
    def size(self) -> int:
        """The number of databases."""
        return int(self.row.universe.size**self.count)

    @property
    def is_hamming(self) -> bool:
        """Whether the distortion is the number of wrong rows."""
        return self.row.cost == _distortion({"name": "hamming"}, self.row.universe)[0]

    def uniform_rows(self) -> bool:
        """Whether a lower bound at the uniform law holds: it is in the source, or a mixture of it if that is enough."""
        letters = self.row.universe.size
        if "rows" in fields(self.entry, "the source"):
            return all(source.contains((Fraction(1, letters),) * letters) for source in self.sources)
        source = read_source(self.entry, None)
        free = self.row.notion.name in (
            "approximate_differential_privacy",
            "renyi_differential_privacy",
            "maximal_leakage",
        )
        if isinstance(source, Listed) and free:
            source = Listed(source.points, True)
        if isinstance(source, Everything):
            return True
        return self.count <= 64 and source.size == self.size and source.contains((Fraction(1, self.size),) * self.size)


def read_rows(document: object) -> RowsQuestion:
    """The question of a proof about databases."""
    given = fields(field(document, "problem"), "the problem", PROBLEM_FIELDS)
    universe = fields(field(given, "universe"), "the universe", {"databases"})
    inner = _of_databases(universe)
    entry, count = fields(field(given, "source"), "the source"), _row_count(inner)
    letters = {name: value for name, value in inner.items() if name != "rows"}
    size = len(_labels(letters))
    if "rows" in entry:
        sources = _row_sources(entry, size, count)
    else:
        sources = [Everything(size)]
        if count * size.bit_length() > MOST_BITS or read_source(entry, None).size != size**count:
            raise Unreadable("the source and the universe have different sizes")
    fields(field(given, "distortion"), "the distortion", {"name"})
    return RowsQuestion(
        read_problem({**given, "universe": letters, "source": {"everything": size}}), count, sources, entry
    )


def databases_upper(rows: RowsQuestion, document: object) -> Real:
    """What a mechanism on databases achieves: written out if there are few, else by its rows or its distances."""
    mechanism, problem = field(document, "mechanism"), field(document, "problem")
    if mechanism is None:
        return INFINITY
    few = 2 * rows.count * math.log2(rows.row.universe.size) <= math.log2(MOST_DENSE)
    if few and ("rows" not in fields(rows.entry, "the source") or all(source.is_listed for source in rows.sources)):
        return upper_bound(read_problem(problem), mechanism)
    kind = kind_of(mechanism)
    if kind == "product":
        return _product_upper(rows, mechanism)
    if kind == "distance":
        return _distance_upper(rows, mechanism)
    raise Unreadable("there are too many databases to write the mechanism out")


def _product_upper(rows: RowsQuestion, document: object) -> Real:
    """Rows treated one by one: distortions add up; of the losses the largest counts, and informations add up.

    A bound for every row by itself, whatever the law of the others, bounds the database.
    """
    row = rows.row
    adds_up = row.notion.name in ("mutual_information", "capacity", "maximal_leakage")
    if not adds_up and not _one_level(row.notion):
        raise Unreadable("the loss of this notion is not known from the rows")
    left = [(source, rows.count if len(rows.sources) == 1 else 1) for source in rows.sources]
    distortion, losses = exactly(ZERO), []
    for block in entries(field(document, "blocks"), "the blocks"):
        fields(block, "a block", {"factor", "rows"})
        factor, size = read_mechanism(field(block, "factor")), whole(field(block, "rows"), 1)
        if factor.universe != row.universe:
            raise Rejected("the mechanism has other inputs than the problem")
        costs = _costs(factor, row.cost, row.outputs)
        while size and left:
            source, times = left.pop(0)
            shared = min(size, times)
            left[:0] = [(source, times - shared)] if times > shared else []
            size -= shared
            distortion += exactly(source.maximum(costs)[0] * shared)
            losses.append((LOSSES[row.notion.name](Case(row.notion, factor.rows, row.universe, source))[1], shared))
        if size:
            raise Rejected("the mechanism has more rows than the database")
    if left:
        raise Rejected("the mechanism has fewer rows than the database")
    if INFINITY in [loss for loss, _ in losses]:
        return _admissible(row, distortion, INFINITY)
    total = exactly(ZERO) if adds_up else largest(loss for loss, _ in losses)
    for loss, times in losses if adds_up else []:
        total += loss.times(Fraction(times))
    return _admissible(row, distortion, total)


def _distance_upper(rows: RowsQuestion, document: object) -> Real:
    """Q(y|x) depends on the number of rows that change: by symmetry no law is worse than the uniform one."""
    row = rows.row
    inner = _of_databases(fields(field(document, "universe"), "the universe", {"databases"}))
    weights = law(field(document, "weights"), "the law of the distance")
    if not rows.is_hamming:
        raise Unreadable("there are too many databases to write the mechanism out")
    letters = Universe(_labels({k: v for k, v in inner.items() if k != "rows"}), complete=True)
    if letters != row.universe or whole(field(inner, "rows")) != rows.count or len(weights) != rows.count + 1:
        raise Rejected("the mechanism has other inputs than the problem")
    spheres = _spheres(rows)
    chances = [weight / sphere for weight, sphere in zip(weights, spheres, strict=True)]
    mean = exactly(sum((weight * distance for distance, weight in enumerate(weights)), ZERO))
    if row.notion.name in ("maximal_leakage", "min_entropy_leakage"):
        return _admissible(row, mean, log(max(chances) * rows.size))
    if row.notion.name == "approximate_differential_privacy" and not row.notion.events:
        pairs = list(pairwise(chances))
        factors = [_quotient(p - row.notion.delta, q) for p, q in [*pairs, *((q, p) for p, q in pairs)]]
        return _admissible(row, mean, _worst_log((factor, ONE) for factor in factors)[1])
    if row.notion.name == "sibson_mutual_information":
        order, total = row.notion.order, exactly(ZERO)
        for weight, entry in zip(weights, chances, strict=True):
            total += power(entry * rows.size, order - 1).times(weight) if weight else exactly(ZERO)
        return _admissible(row, mean, log(total).times(1 / (order - 1)))
    raise Unreadable("the loss of this notion is not known from the distances")


def _spheres(rows: RowsQuestion) -> list[int]:
    """How many databases are at each distance from any one."""
    if rows.count > MOST_ROWS:
        raise Unreadable(f"proofs by distances are checked for at most {MOST_ROWS} rows")
    sizes = [1]
    for distance in range(rows.count):
        sizes.append(sizes[-1] * (rows.count - distance) * (rows.row.universe.size - 1) // (distance + 1))
    return sizes


def _one_level(notion: Notion) -> bool:
    """Whether independent rows are best treated all at one level, that of the database."""
    if notion.name == "approximate_differential_privacy":
        return notion.events or notion.delta == 0
    return notion.name in ("renyi_differential_privacy", "identifiability")


def rows_lower(rows: RowsQuestion, document: object) -> Real:
    """A bound for databases of independent rows from proofs about single rows.

    Averaging over the other rows, and ignoring their answers, leaves a mechanism on one row that loses no more. So the
    distortion is at least the sum of the least distortions of the rows, all at the level of the database; for mutual
    information the losses of the rows add up to at most its loss, and by convexity equal rows have equal shares.
    """
    base, count, size = rows.row, rows.count, rows.row.universe.size
    adds_up = base.notion.name == "mutual_information"
    if not adds_up and not _one_level(base.notion):
        raise Rejected("the optimum of this notion does not follow from the rows")
    described = "rows" in fields(rows.entry, "the source")
    if described and all(isinstance(source, Listed) and len(source.points) == 1 for source in rows.sources):
        needed = [(source.corners()[0], count if len(rows.sources) == 1 else 1) for source in rows.sources]
    elif rows.is_hamming and rows.uniform_rows():
        needed = [((Fraction(1, size),) * size, count)]
    else:
        raise Rejected("proofs by rows need rows whose laws are known, or Hamming distortion and the uniform law")
    if len({point for point, _ in needed}) == 1:
        needed = [(needed[0][0], count)]
    parts, proven = [], []
    for proof, times in _tuples(document, "rows", 2):
        row = read_problem(field(proof, "problem"))
        if (row.notion, row.universe, row.cost) != (base.notion, base.universe, base.cost):
            raise Rejected("the proof of a row is about another notion, distortion or alphabet")
        if not isinstance(row.source, Listed) or len(row.source.points) > 1:
            raise Rejected("the proof of a row must be about one law")
        if "converse" not in fields(proof, "the proof of a row"):
            raise Unreadable("the proof of a row must be made of multipliers")
        parts.append((row, check_proof(proof).lower, Fraction(whole(times, 1))))
        proven.append((row.source.points[0], times))
    if proven != needed:
        raise Rejected("the proofs of the rows are not about the rows of the database")
    if adds_up and len(parts) > 1:
        raise Rejected("losses that add up need rows that are alike")
    # Who loses less than its level distorts a row by at least, in a proof about the loss by more than, what it says.
    levels, least, is_more = [], exactly(ZERO), False
    for row, bound, times in parts:
        level, distortion = (bound, row.given) if row.asks_loss else (row.given, bound)
        is_more = is_more or row.asks_loss
        levels.append(level.times(times) if adds_up and level is not INFINITY else level)
        least = INFINITY if INFINITY in (least, distortion) else least + distortion.times(times)
    if base.asks_loss:
        if not (base.given.surely_at_most(least) if is_more else base.given.surely_below(least)):
            raise Rejected("the rows exclude no level: their distortions do not add up to more than allowed")
        return smallest(levels)
    if is_more or not all(base.given.surely_at_most(level) for level in levels):
        raise Rejected("the proofs of the rows must bound their distortions, at no smaller level")
    return least


def distances_lower(rows: RowsQuestion, document: object) -> Real:
    """A bound from one number, the price, where the uniform law is possible and the distortion is Hamming's.

    Let f(l) be the mean of Q(y|x) over databases at distance l, N_l of M from any one. Then price - distortion at the
    uniform law is the sum of N_l (price - l) f(l), which the notion bounds: e^level >= M f(l) for maximal leakage and
    what is above it; Hoelder's inequality for Sibson's information; f(l-1) <= e^level f(l) + delta for the last.
    """
    base, notion, spheres = rows.row, rows.row.notion, _spheres(rows)
    given = fields(field(document, "distances"), "the distances", {"price", "level"})
    level = field(given, "level")
    if not rows.is_hamming or base.universe.size < 2 or not rows.uniform_rows():
        raise Rejected("proofs by distances need Hamming distortion and the uniform law")
    if base.asks_loss and base.given.surely_below(exactly(ZERO)):
        return INFINITY
    if field(given, "price") is None:
        return exactly(ZERO)
    price = number(given["price"])
    if notion.name == "approximate_differential_privacy" and not notion.events:
        return _pointwise_lower(base, price, spheres, level)
    if notion.name in ("maximal_leakage", "min_entropy_leakage", "maximal_information"):
        exponent = ONE
    elif notion.name == "sibson_mutual_information":
        exponent = notion.order / (notion.order - 1)
    else:
        raise Rejected("proofs by distances say nothing about this notion")
    if price * exponent <= 0:
        raise Rejected("the price must be positive, and negative for orders below one")
    total = exactly(ZERO)
    for distance, size in enumerate(spheres):
        if exponent < 0 or distance < price:
            total += power(abs(price - distance), exponent).times(Fraction(size, rows.size))
    if not base.asks_loss:
        scaled = exp(base.given) * total
        root = scaled if exponent == 1 else exp(log(scaled).times(1 / exponent))
        return exactly(price) - root if exponent > 0 else root + exactly(price)
    gap = exactly(price) - base.given if exponent > 0 else base.given - exactly(price)
    if not exactly(ZERO).surely_below(gap):
        return exactly(ZERO)
    if gap.rational is not None and total.rational is not None and exponent.denominator == 1:
        return log(max(ONE, gap.rational ** int(exponent) / total.rational))
    return log(gap).times(exponent) - log(total)


def _pointwise_lower(base: Problem, price: Fraction, spheres: list[int], named: object) -> Real:
    """Each bound f(l) <= e^level f(l+1) + delta gets the least multiplier that leaves no coefficient negative."""
    delta = base.notion.delta
    if base.asks_loss and base.given.rational == 0 and delta < 1:
        return INFINITY  # f(0) = 1 and f(1) = 0, which no level allows
    level = base.given
    if base.asks_loss:
        if named is None:
            raise Rejected("the proof names no level")
        level = real(named)
    growth, multiplier, total = above(exp(level)), ZERO, ZERO
    for distance, size in enumerate(spheres):
        needed = growth * multiplier + (price - distance) * size
        if distance == len(spheres) - 1 and needed > 0:
            raise Rejected("the price is too high")
        multiplier = max(ZERO, needed)
        if len(spheres) > 256 and multiplier:  # rounded up, so that the digits do not pile up
            numerator, denominator = Decimal(needed.numerator), Decimal(needed.denominator)
            multiplier = Fraction(FINE.divide(numerator, denominator))
        total += multiplier
    least = exactly(price - delta * total)
    if not base.asks_loss:
        return least
    if base.given.surely_below(least):
        return level
    raise Rejected("the price does not exclude the level")


# ---------------------------------------------------------------------------------------------------------------------
# Proofs of whole curves: one prior, Hamming distortion, letters ranked by likelihood
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ranked:
    """Counts from the likeliest letter down, with their sums; as a law they lie within `distance` of the prior.

    `least` and `largest` are the extreme probabilities of the prior itself.
    """

    counts: list[int]
    sums: list[int]
    distance: Fraction
    least: Fraction
    largest: Fraction

    @property
    def size(self) -> int:
        """The number of letters."""
        return len(self.counts)

    def p(self, place: int) -> Fraction:
        """The share of the letter at a place, the likeliest at 1; zero beyond the last."""
        return Fraction(self.counts[place - 1], self.sums[-1]) if place <= self.size else ZERO

    def s(self, letters: int) -> Fraction:
        """The share of the likeliest letters together."""
        if not 1 <= letters <= self.size:
            raise Rejected(f"the proof counts {letters} letters")
        return Fraction(self.sums[letters - 1], self.sums[-1])

    @cached_property
    def entropy(self) -> Callable[[int], Real]:
        """From a number of letters to the sum of p log(1/p) over the likeliest of them."""
        total = self.sums[-1]
        if self.distance > 0:
            units, error = _entropies_by_floats(self.counts, total), exactly(Fraction(1, 1 << 44))
            around = Real((-error).low, error.high)
            return lambda letters: exactly(Fraction(units[letters - 1], 1 << 70)) + around
        terms = {count: -log(Fraction(count, total)).times(Fraction(count, total)) for count in {*self.counts} - {0}}
        terms[0] = exactly(ZERO)
        sums = list(accumulate(terms[count] for count in self.counts))
        return lambda letters: sums[letters - 1]

    @cached_property
    def margin(self) -> Real:
        """How much the information of a mechanism differs at most between the two laws, t log m + h(t)."""
        t = self.distance
        if t == 0:
            return exactly(ZERO)
        return log(Fraction(self.size)).times(t) - log(t).times(t) - log(1 - t).times(1 - t)


def _entropies_by_floats(counts: list[int], total: int) -> list[int]:
    """The sums of p log(1/p) in units of 2**-70, within 2**-44.

    A float is 2**e c (1 + z)/(1 - z) with c the middle of one of 64 cells and |z| <= 2**-8, so that four terms of the
    series of the last factor's logarithm leave less than 2**-70. No number on the way exceeds 64, and each operation
    rounds by half a unit in the last place, so that a logarithm is right to 2**-46; shares and products are right to
    2**-53 of themselves, and what is added up are integers.
    """
    fine = Context(prec=40)
    of_two = float(fine.ln(Decimal(2)))
    of_middles = [float(fine.ln(fine.divide(Decimal(2 * cell + 1), Decimal(256)))) for cell in range(128)]
    unit, running, sums = float(1 << 70), 0, []
    for count in counts:
        if count:
            share = count / total
            fraction, exponent = math.frexp(share)
            cell = int(fraction * 128)
            middle = (cell + 0.5) / 128
            z = (fraction - middle) / (fraction + middle)
            y = z * z
            series = 2 * z * (1 + y * (1 / 3 + y * (1 / 5 + y / 7)))
            running -= round(share * (exponent * of_two + (of_middles[cell] + series)) * unit)
        sums.append(running)
    return sums


def read_ranked(entry: object, rounding: object) -> Ranked:
    """The prior of a curve, ranked; with a rounding, as counts of its floats."""
    values = entries(field(entry, "prior"), "the prior")
    if len(values) > MOST_LETTERS:
        raise Unreadable(f"the prior has more than {MOST_LETTERS} letters")
    exact = [number(value) for value in values]
    common = math.lcm(*{value.denominator for value in exact})
    weights = [value.numerator * (common // value.denominator) for value in exact]
    mass = sum(weights)
    is_written = any(isinstance(value, Decimal) for value in values)  # decimals may have been rounded
    if min(weights) < 0 or (mass != common and not (is_written and abs(mass - common) * 10**9 <= common)):
        raise Unreadable("the prior must be non-negative and sum to 1")
    extremes = Fraction(min(weights), mass), Fraction(max(weights), mass)
    if rounding is None:
        counts, distance = weights, ZERO
    else:
        if field(rounding, "bits") != 61:
            raise Unreadable("the prior is rounded to another unit")
        floats = [float(v) if isinstance(v, Decimal) else w / common for v, w in zip(values, weights, strict=True)]
        counts, distance = [round(value * 2.0**61) for value in floats], number(field(rounding, "distance"))
        total = sum(counts)
        apart = sum(abs(weight * total - count * mass) for weight, count in zip(weights, counts, strict=True))
        if not 0 < distance < Fraction(1, 1000) or Fraction(apart, 2 * mass * total) > distance:
            raise Rejected("the rounded prior is further from the prior than the proof says")
    counts = sorted(counts, reverse=True)
    return Ranked(counts, list(accumulate(counts)), distance, *extremes)


def _between_ratios(level: Real) -> tuple[Fraction, Fraction | None]:
    """Between which rationals e^level lies; beyond e^200 a power of two below it is near enough, and none above."""
    if level.rational is not None and level.rational > 200:
        return Fraction(1 << 288), None
    ratio = exp(level)
    return (Fraction(ratio.low), Fraction(ratio.high)) if ratio.rational is None else (ratio.rational, ratio.rational)


def _argument(claim: Real) -> Fraction:
    """The number of which a claimed loss is the logarithm."""
    if claim.log_of is None:
        raise Rejected("a loss that is the logarithm of a rational was expected")
    return claim.log_of


class Claims(ABC):
    """Whether the letters of a proof establish a claimed end; the arguments stand in docs/proofs.md."""

    def __init__(self, law: Ranked, delta: Fraction) -> None:
        self.law, self.delta, self.t = law, delta, law.distance

    @abstractmethod
    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        """Whether no mechanism with that distortion, which is not negative, loses less."""

    @abstractmethod
    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        """Whether a mechanism with that distortion loses no more than a finite claim."""

    @abstractmethod
    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        """Whether no mechanism at the level has less distortion; none at all if there is no claim."""

    @abstractmethod
    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        """Whether a mechanism at the level has no more distortion."""


class ResponseClaims(Claims):
    """(Approximate) differential privacy: multipliers max(0, p - c)/(E - 1), and randomised response."""

    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        law, right = self.law, 1 - distortion / (1 - self.delta)
        if claim is INFINITY:
            return distortion == 0 and law.largest < 1
        ratio = _argument(claim)
        if ratio <= 1:
            return True
        if letters == 1:  # at the jump, with the second letter as threshold
            return right > law.largest and ratio * (law.p(2) + self.t) <= law.largest
        threshold = right / ratio
        excess = law.s(letters) - letters * threshold + self.t
        is_threshold = law.p(letters + 1) <= threshold <= law.p(letters)
        return right > law.largest and is_threshold and excess <= (ratio - 1) * threshold

    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        ratio, right = _argument(claim), 1 - distortion / (1 - self.delta)
        if ratio < 1 or right <= self.law.largest:
            return ratio >= 1
        return ratio * (self.law.s(letters) - self.t) >= right * (ratio - 1 + letters)

    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        law, ratio = self.law, _between_ratios(level)[1]
        if claim is None or claim <= 0 or ratio is None:
            return claim is not None and claim <= 0
        threshold = law.s(letters) / (ratio - 1 + letters)
        is_threshold = law.p(letters + 1) <= threshold <= law.p(letters)
        return is_threshold and claim <= (1 - self.delta) * (1 - ratio * threshold - self.t)

    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        ratio = _between_ratios(level)[0]
        right = ratio * self.law.s(letters) / (ratio - 1 + letters) - self.t
        return claim >= (1 - self.delta) * (1 - max(right, ZERO))


class LeakageClaims(Claims):
    """Maximal leakage: the price of the next letter on the sum of the diagonal, and truth for the first letters."""

    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        if claim is INFINITY:
            return False
        ratio, law = _argument(claim), self.law
        price = law.p(letters + 1)
        return ratio <= 1 or (price > 0 and 1 - distortion >= law.s(letters) + (ratio - letters) * price + self.t)

    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        ratio, law, right = _argument(claim), self.law, 1 - distortion
        if ratio < 1 or right <= law.largest or ratio >= law.size:
            return ratio >= 1
        part = min(ratio - letters, ONE)
        return part >= 0 and law.s(letters) + part * law.p(letters + 1) - self.t >= right

    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        law, ratio = self.law, _between_ratios(level)[1]
        if claim is None or claim <= 0 or ratio is None:
            return claim is not None and claim <= 0
        return claim <= 1 - law.s(letters) - (ratio - letters) * law.p(letters + 1) - self.t

    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        law, ratio = self.law, _between_ratios(level)[0]
        right = law.s(letters) + min(ratio - letters, ONE) * law.p(letters + 1) - self.t
        return letters <= ratio and claim >= 1 - max(right, ZERO)


class InformationClaims(Claims):
    """Mutual information: the tangent of Erokhin's function, and the mechanism that attains it."""

    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        if claim is INFINITY:
            return False
        return claim.high <= 0 or claim.surely_at_most(self._tangent(distortion + self.t, letters) - self.law.margin)

    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        found = self._attained(distortion, letters)
        return claim.low >= 0 if found is None else found.surely_at_most(claim)

    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        if claim is None or claim <= 0:
            return claim is not None
        if level.rational == 0:
            return claim <= 1 - self.law.largest
        return level.surely_at_most(self._tangent(claim + self.t, letters) - self.law.margin)

    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        if claim < 0:
            return False
        found = self._attained(claim, letters)
        return found is None or found.surely_at_most(level)

    def _tangent(self, distortion: Fraction, letters: int) -> Real:
        """What every mechanism with that distortion loses under the law of the counts."""
        law, right = self.law, 1 - distortion
        if distortion == 0:
            return law.entropy(law.size)
        spare = law.s(letters) - right
        move = spare / (letters - 1) if letters > 1 else ZERO
        if not (0 < move < right and law.p(letters + 1) <= move <= law.p(letters)):
            raise Rejected(f"the dual vector does not change after {letters} letters")
        return law.entropy(letters) + log(right).times(right) + log(move).times(spare)

    def _attained(self, distortion: Fraction, letters: int) -> Real | None:
        """What a mechanism with that distortion loses at most; None where a constant answer does."""
        law, right = self.law, 1 - distortion + self.t
        if right <= law.p(1) or 1 - distortion <= law.largest:
            return None
        if right >= 1:
            return law.entropy(law.size) + law.margin
        spare = law.s(letters) - right
        move = spare / (letters - 1) if letters > 1 else ZERO
        if spare < 0 or not move <= law.p(letters):
            raise Rejected(f"no mechanism of that distortion keeps {letters} letters")
        found = law.entropy(letters) + log(right).times(right) + law.margin
        return found + log(move).times(spare) if spare > 0 else found


class IdentifiabilityClaims(Claims):
    """Identifiability: columns within a factor E, of which the least likely letter has its share."""

    def _least_ratio(self, distortion: Fraction, letters: int) -> Fraction | None:
        others, least = letters - 1, self.law.least
        if letters != self.law.size or least == 0:
            raise Rejected("identifiability counts all letters, none of them of probability zero")
        if others == 0:
            return ONE
        if distortion == 0:
            return None
        return max(others * (1 - distortion) / distortion, (1 - distortion) / least, self.law.largest / least)

    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        ratio = self._least_ratio(distortion, letters)
        return ratio is None or (claim is not INFINITY and _argument(claim) <= ratio)

    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        ratio = self._least_ratio(distortion, letters)
        return ratio is not None and _argument(claim) >= ratio

    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        least, others = self.law.least, letters - 1
        self._least_ratio(ONE, letters)
        if level.surely_below(log(self.law.largest / least)):
            return True
        ratio = _between_ratios(level)[1]
        if claim is None or claim <= 0 or ratio is None:
            return claim is not None and claim <= 0
        return claim <= max(others / (others + ratio), 1 - ratio * least)

    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        least, others = self.law.least, letters - 1
        self._least_ratio(ONE, letters)
        spread = self.law.largest / least
        ratio = max(_between_ratios(level)[0], spread)
        return log(spread).surely_at_most(level) and claim >= max(others / (others + ratio), 1 - ratio * least)


class GuessingClaims(Claims):
    """Min-entropy leakage: being right is one way to guess, and the truth mixed with the likeliest letter another."""

    def loss_is_at_least(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        return claim is not INFINITY and _argument(claim) <= max(ONE, (1 - distortion) / self._largest(letters))

    def loss_is_at_most(self, claim: Real, distortion: Fraction, letters: int) -> bool:
        return _argument(claim) >= max(ONE, (1 - distortion) / self._largest(letters))

    def distortion_is_at_least(self, claim: Fraction | None, level: Real, letters: int) -> bool:
        ratio, largest = _between_ratios(level)[1], self._largest(letters)
        return claim is not None and claim <= (ZERO if ratio is None else max(ZERO, 1 - ratio * largest))

    def distortion_is_at_most(self, claim: Fraction, level: Real, letters: int) -> bool:
        return claim >= max(ZERO, 1 - _between_ratios(level)[0] * self._largest(letters))

    def _largest(self, letters: int) -> Fraction:
        if letters != self.law.size:
            raise Rejected("min-entropy leakage counts all letters")
        return self.law.largest


CLAIMS: dict[str, type[Claims]] = {
    "approximate_differential_privacy": ResponseClaims,
    "maximal_leakage": LeakageClaims,
    "mutual_information": InformationClaims,
    "identifiability": IdentifiabilityClaims,
    "min_entropy_leakage": GuessingClaims,
}


@dataclass(frozen=True)
class CheckedCurve:
    """What was proven: the quantity lies between two numbers at each of some points."""

    quantity: str
    given: list[object]
    ends: list[Ends | None]

    def __str__(self) -> str:
        proven = sum(1 for ends in self.ends if ends is not None)
        return f"the {self.quantity} lies between its ends at {proven} of {len(self.ends)} points"


CURVE_PROOF_FIELDS = ("schema", "notion", "universe", "source", "distortion", "asks", "rounding", "points")
CURVE_FIELDS = ("schema", "asks", "unit", "points", "proof", "answers")
POINT_FIELDS = ("given", "lower", "upper", "lower_exact", "upper_exact")


def check_curve_proof(document: object) -> CheckedCurve:
    """The ends that the proof of a curve establishes at its points."""
    fields(document, "the proof", CURVE_PROOF_FIELDS)
    notion, asks = read_notion(field(document, "notion")), field(document, "asks")
    law = read_ranked(fields(field(document, "source"), "the source", {"prior"}), field(document, "rounding"))
    universe = fields(field(document, "universe"), "the universe")
    if set(universe) not in ({"size"}, {"alphabet"}):
        raise Unreadable("the universe of a curve is an alphabet, by its letters or their number")
    if len(_labels(universe)) != law.size or field(document, "distortion") != {"name": "hamming"}:
        raise Unreadable("the curve is not about Hamming distortion and an alphabet of the letters of the prior")
    if notion.name not in CLAIMS or asks not in ("loss", "distortion") or notion.delta == 1:
        raise Unreadable("such proofs are not known for this question")
    points = entries(field(document, "points"), "the points")
    if len(points) > MOST_POINTS:
        raise Unreadable(f"the curve has more than {MOST_POINTS} points")
    claims = CLAIMS[notion.name](law, notion.delta)
    ends: list[Ends | None] = [_point_ends(claims, asks == "loss", point) for point in points]
    quantity = "least loss (nats)" if asks == "loss" else "least distortion"
    return CheckedCurve(quantity, [field(point, "given") for point in points], ends)


def _written(value: object) -> Real:
    if not isinstance(value, str):
        raise Unreadable("the numbers of a point are texts")
    return real(value)


def _point_ends(claims: Claims, asks_loss: bool, point: object) -> Ends:
    fields(point, "a point", {"given", "lower", "upper", "letters"})
    given, lower, upper = (_written(field(point, name)) for name in ("given", "lower", "upper"))
    letters = [whole(entry, 1) for entry in entries(field(point, "letters"), "the letters")]
    if len(letters) != 2:
        raise Unreadable("a point names two numbers of letters")
    below, above_ = letters
    if asks_loss:
        distortion = given.rational
        if distortion is None:
            raise Unreadable("a distortion must be a rational number")
        impossible = distortion < 0
        holds = impossible or (
            claims.loss_is_at_least(lower, distortion, below)
            and (upper is INFINITY or claims.loss_is_at_most(upper, distortion, above_))
        )
        if impossible and upper is not INFINITY:
            raise Rejected("no mechanism has a negative distortion")
    else:
        if given.surely_below(exactly(ZERO)):
            raise Unreadable("a loss is never negative")
        if given is INFINITY:  # the truth is allowed
            holds = lower.high <= 0 <= upper.low
        else:
            holds = claims.distortion_is_at_least(lower.rational, given, below) and (
                upper is INFINITY
                or (upper.rational is not None and claims.distortion_is_at_most(upper.rational, given, above_))
            )
    if not holds:
        raise Rejected(f"the ends at {str(field(point, 'given'))[:40]} do not follow from the letters")
    return lower, upper


def check_curve(document: object) -> CheckedCurve:
    """What a curve establishes at its points, by one proof or by answers; it must not claim more than that."""
    check_size(document)
    if field(document, "schema") == "epstar/curve-proof/1":
        return check_curve_proof(document)
    fields(document, "the curve", CURVE_FIELDS)
    points, answers = entries(field(document, "points"), "the points"), field(document, "answers")
    if len(points) > MOST_POINTS:
        raise Unreadable(f"the curve has more than {MOST_POINTS} points")
    asks, proof = field(document, "asks"), field(document, "proof")
    if (proof is None) == (answers is None) or asks not in ("loss", "distortion"):
        raise Unreadable("a curve asks for the loss or the distortion, and has a proof or answers")
    if proof is not None:
        if field(proof, "schema") != "epstar/curve-proof/1":
            raise Unreadable("the proof has another schema than epstar/curve-proof/1")
        found = check_curve_proof(proof)
        same = asks == field(proof, "asks")
    else:
        checked = [None if answer is None else check(answer) for answer in entries(answers, "the answers")]
        problems = [None if answer is None else _problem_of(answer) for answer in entries(answers, "the answers")]
        given = [None if problem is None else _place(problem, str(asks)) for problem in problems]
        quantities = {one.quantity for one in checked if one is not None}
        found = CheckedCurve(
            next(iter(quantities), "quantity"),
            given,
            [None if one is None else (one.lower, one.upper) for one in checked],
        )
        questions = {_text({**problem, "at": None}) for problem in problems if problem is not None}
        same = len(questions) <= 1 and len(quantities) <= 1
    if not same or len(points) != len(found.ends):
        raise Rejected("the curve is not the one that its proof is about")
    if any(ends is not None for ends in found.ends):
        check_unit(document, found.quantity)
    for point, place, ends in zip(points, found.given, found.ends, strict=True):
        claimed = fields(point, "a point", POINT_FIELDS)
        shown = str(field(point, "given"))[:40]
        if ends is not None:
            if field(point, "given") != place:
                raise Rejected(f"the point {shown} is not the one that is proven")
            if not {"lower", "upper"} <= set(claimed):
                raise Rejected(f"the point {shown} has no ends")
            check_claims(claimed, *ends)
        elif any(claimed.get(f"{end}{kind}") is not None for end in ENDS for kind in ("", "_exact")):
            raise Rejected(f"the point {shown} has ends and no proof of them")
    return found


def _problem_of(answer: object) -> Mapping[str, object]:
    proof = field(answer, "proof") if field(answer, "schema") == "epstar/answer/1" else answer
    return fields(field(proof, "problem"), "the problem")


def _place(problem: Mapping[str, object], asks: str) -> object:
    """Where a point lies; a problem that asks for something else has no place on the curve."""
    at = fields(problem.get("at"), "the entry 'at'")
    if set(at) != {"distortion" if asks == "loss" else "loss"}:
        raise Rejected("an answer of the curve is about another question than the curve asks")
    return next(iter(at.values()))


# ---------------------------------------------------------------------------------------------------------------------
# Any proof, an answer, the command line
# ---------------------------------------------------------------------------------------------------------------------


def check_proof(document: object) -> Interval:
    """The interval that a proof establishes."""
    if field(document, "schema") != "epstar/proof/1":
        raise Unreadable("the proof has another schema than epstar/proof/1")
    evidence = {"converse", "rows", "distances"} & set(fields(document, "the proof"))
    if len(evidence) != 1:
        raise Unreadable("a proof holds exactly one of 'converse', 'rows' and 'distances'")
    fields(document, "the proof", {"schema", "problem", "mechanism", *evidence})
    is_gain = False
    if evidence != {"converse"}:
        rows = read_rows(document)
        lower = (rows_lower if "rows" in fields(document, "the proof") else distances_lower)(rows, document)
        upper, asks_loss = databases_upper(rows, document), rows.row.asks_loss
    else:
        problem = read_problem(field(document, "problem"))
        lower = lower_bound(problem, field(document, "converse"))
        upper, asks_loss = upper_bound(problem, field(document, "mechanism")), problem.asks_loss
        is_gain = problem.is_gain and not asks_loss
    if upper.surely_below(lower):
        raise Rejected("the two halves of the proof contradict each other")
    if is_gain:
        if upper is INFINITY:
            raise Rejected("a utility is what some mechanism has, and the proof holds none")
        return Interval("best utility", -upper, -lower)
    return Interval("least loss (nats)" if asks_loss else "least distortion", lower, upper)


ANSWER_FIELDS = (
    *("schema", "lower", "upper", "lower_exact", "upper_exact", "unit"),
    *("method", "theorem", "status", "mechanism", "proof"),
)


def _text(document: object) -> str:
    """A document as one text: as values of Python, 1, 1.0 and true would be alike."""
    return json.dumps(document, sort_keys=True, default=repr)


def check(document: object) -> Interval:
    """The interval that an answer or a proof establishes; an answer must not claim more than that."""
    check_size(document)
    if field(document, "schema") != "epstar/answer/1":
        return check_proof(document)
    proof = field(fields(document, "the answer", ANSWER_FIELDS), "proof")
    if not all(isinstance(field(document, name), str) for name in ("method", "theorem", "status")):
        raise Unreadable("the method, the theorem and the status of an answer are texts")
    if not {"lower", "upper"} <= set(fields(document, "the answer")):
        raise Unreadable("the answer has no ends")
    if _text(field(document, "mechanism")) != _text(field(proof, "mechanism")):
        raise Rejected("the mechanism of the answer is not the one that the proof is about")
    found = check_proof(proof)
    check_unit(document, found.quantity)
    check_claims(fields(document, "the answer"), found.lower, found.upper)
    return found


def check_unit(document: object, quantity: str) -> None:
    """Refuse a document that measures what is proven in another unit."""
    if field(document, "unit") != UNITS.get(quantity, "nats"):
        raise Rejected("the unit is not that of what is proven")


def check_claims(document: Mapping[str, object], lower: Real, upper: Real) -> None:
    """Refuse a document one of whose ends is not proven; a JSON number claims what it is as a float."""
    for name, proven in zip(ENDS, (lower, upper), strict=True):
        for claim in (name, f"{name}_exact"):
            if claim in document:
                claimed = _claimed(document[claim])
                less, more = (claimed, proven) if name == "lower" else (proven, claimed)
                if not less.surely_at_most(more):
                    raise Rejected(f"more is claimed than is proven: {claim} is {str(document[claim])[:40]}")


def _claimed(value: object) -> Real:
    if not isinstance(value, Decimal):
        return real(value)
    if Decimal(repr(float(value))) != value:
        raise Unreadable(f"the end {str(value)[:40]} is no number that a float prints as")
    return exactly(Fraction(float(value)))


def check_document(document: object) -> Interval | CheckedCurve:
    """What any document of epstar establishes."""
    is_curve = field(document, "schema") in ("epstar/curve/1", "epstar/curve-proof/1")
    return check_curve(document) if is_curve else check(document)


def read(name: str) -> object:
    """The JSON document in a file, or on standard input."""
    try:
        if name == "-":
            content = sys.stdin.buffer.read(MOST_BYTES + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise Unreadable(f"{name} cannot be read: {error.strerror}") from None
    return parse(content)


def parse(content: bytes) -> object:
    """The JSON document in some bytes, counted before it is parsed."""
    if len(content) > MOST_BYTES:
        raise Unreadable(f"the document is longer than {MOST_BYTES} bytes")
    if sum(map(content.count, (b",", b"[", b"{"))) > MOST_VALUES:
        raise Unreadable(f"the document holds more than {MOST_VALUES} values")
    try:
        return json.loads(
            content.decode().removeprefix("\ufeff"),
            parse_float=Decimal,
            parse_constant=_no_constant,
            object_pairs_hook=_without_repeats,
        )
    except (ValueError, RecursionError, DecimalException):
        raise Unreadable("the document is not valid JSON") from None


def _without_repeats(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise Unreadable("a field is given twice in one object")
    return found


def _no_constant(name: str) -> object:
    raise Unreadable(f"{name} is not a number")


TRIPPED = ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, RuntimeError, TypeError, ValueError


def _give_up(seconds: float) -> None:
    print(f"cannot tell: the time limit of {seconds:g} seconds passed", file=sys.stderr, flush=True)
    os._exit(2)


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one document and say what it proves."""
    parser = argparse.ArgumentParser(description="Check a proof of epstar with the standard library alone.")
    parser.add_argument("document", help="an answer, a curve or a proof in JSON; - for standard input")
    parser.add_argument("--seconds", type=float, default=600.0, help="give up after this long")
    options = parser.parse_args(arguments)
    watch = threading.Timer(options.seconds, _give_up, [options.seconds])
    watch.daemon = True
    watch.start()
    try:
        print(f"yes: {check_document(read(options.document))}")
        return 0
    except Rejected as error:
        print(f"no: {error}")
        return 1
    except DecimalException:
        print("no: a number is too large to be enclosed")
        return 1
    except Unreadable as error:
        print(f"cannot tell: {error}", file=sys.stderr)
        return 2
    except TRIPPED as error:  # a document may be made to trip a checker; that is no verdict on a proof
        print(f"cannot tell: the document cannot be read ({type(error).__name__})", file=sys.stderr)
        return 2
    finally:
        watch.cancel()


if __name__ == "__main__":
    sys.exit(main())
