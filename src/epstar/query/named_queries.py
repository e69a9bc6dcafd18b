"""Queries whose answer graph is known from their name, however many databases there are.

Values are 0 to v - 1 and a database is a tuple of u of them. Each entry gives the function itself, which the
tests enumerate for small u and v, and the shape that it has for all of them (alvim2011, Definition 2 applied).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations
from typing import overload

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.query.answer_graph import Shape
from epstar.query.enumeration import (
    Pair,
    Row,
    of_choices,
    of_counts,
    of_distinct,
    of_sums,
    of_votes,
    pivotal_median,
    pivotal_votes,
)
from epstar.query.known_graphs import Clique, HammingShape, PathPower, Ring, Star
from epstar.universe import Databases

Values = tuple[int, ...]
TIE = "tie"
# Answers are counted in machine words.
MOST_VALUES = 1 << 48


@dataclass(frozen=True)
class Named:
    """A query known by name: what it computes, the graph of its answers, and what one individual can change.

    `windows` yields the places of the answers among which one individual chooses when the others are fixed: each
    yielded set occurs, and every set that occurs is part of one. None where they have to be enumerated. `neighbours`
    makes two databases that differ in one row of the places of two neighbouring answers.
    """

    name: str
    function: Callable[[Values], Hashable]
    shape: Shape
    windows: Callable[[], Iterator[Sequence[int]]] | None
    neighbours: Callable[[int, int], tuple[Row, Row]]


def named_query(name: str, individuals: int, values: int, modulus: int | None = None) -> Named:
    """Return the query called `name` on `individuals` individuals with `values` values each.

    Raises:
        InvalidInput: for an unknown name, a number below 1, or a modulus that is missing or not asked for.

    >>> named_query("count", 1_000_000, 2).shape.size
    1000001
    """
    if not isinstance(name, str) or name not in NAMES:
        raise InvalidInput(f"{shown(name)} is not a query with a known shape; choose one of {', '.join(NAMES)}.")
    u = whole_number(individuals, "The number of individuals", 1)
    v = whole_number(values, "The number of values", 1)
    if u * v > MOST_VALUES:
        raise InvalidInput(
            f"{shown(u)} individuals with {shown(v)} values are too many (at most 2^48 in all); ask fewer."
        )
    if name == "count_mod":
        if modulus is None:
            raise InvalidInput("Counting modulo a number needs that number; give a modulus.")
        return _count_mod(u, v, whole_number(modulus, "The modulus", 1))
    if modulus is not None:
        raise InvalidInput(f"The query {name!r} has no modulus; leave it out.")
    return _BUILDERS[name](u, v)


def _count(u: int, v: int) -> Named:
    shape = PathPower(range(u + 1 if v > 1 else 1))
    return Named("count", lambda rows: rows.count(1), shape, lambda: _runs(shape.size, 2), of_counts(u))


def _sum(u: int, v: int) -> Named:
    shape = PathPower(range(u * (v - 1) + 1), v - 1)
    return Named("sum", sum, shape, lambda: _runs(shape.size, v), of_sums(u, v))


def _average(u: int, v: int) -> Named:
    shape = PathPower(Multiples(Rational(1, u), u * (v - 1) + 1), v - 1)
    return Named("average", lambda rows: Rational(sum(rows), u), shape, lambda: _runs(shape.size, v), of_sums(u, v))


def _choice(
    name: str, function: Callable[[Values], Hashable], others: Callable[[int, int], Values]
) -> Callable[[int, int], Named]:
    """The answer is one of the values, and if the others have these, one individual decides it alone."""

    def build(u: int, v: int) -> Named:
        # The others are made when they are asked for: there may be millions of them.
        def neighbours(first: int, second: int) -> Pair:
            return of_choices(others(u, v))(first, second)

        return Named(name, function, Clique(range(v)), lambda: _runs(v, v), neighbours)

    return build


def _lower_median(rows: Values) -> int:
    return sorted(rows)[(len(rows) - 1) // 2]


def _plurality(rows: Values) -> int:
    counts = Counter(rows)
    return min(counts, key=lambda value: (-counts[value], value))


def _plurality_or_tie(rows: Values) -> int | str:
    counts = Counter(rows)
    most = max(counts.values())
    leaders = [value for value, count in counts.items() if count == most]
    return leaders[0] if len(leaders) == 1 else TIE


def _plurality_with_tie(u: int, v: int) -> Named:
    if v == 1 or u == 1 or (v == 2 and u % 2 == 1):
        # No two can be level at the top.
        return _choice("plurality_with_tie", _plurality_or_tie, pivotal_votes)(u, v)
    answers = (*range(v), TIE)
    if u > 2 and v > 2:
        # With k + 1 votes against k, and somebody for the rest to vote for, one voter makes another leader.
        clique = Clique(answers)
        return Named("plurality_with_tie", _plurality_or_tie, clique, lambda: _leads(u, v), of_votes(u, v))
    # A leader who loses a vote is level with somebody, so that every change of leader passes through the tie.
    return Named(
        "plurality_with_tie",
        _plurality_or_tie,
        Star(answers),
        lambda: (range(leaf, v + 1, v - leaf) for leaf in range(v)),
        of_votes(u, v),
    )


def _leads(u: int, v: int) -> Iterator[Sequence[int]]:
    """Yield who can win by one vote, the others being fixed: those who lead together, or it is a tie."""

    def can_lead(count: int) -> bool:
        """Whether u - 1 voters can leave so many level with `most` votes, and the rest with fewer."""
        return any(count * most <= u - 1 <= count * most + (v - count) * (most - 1) for most in range(1, u))

    if can_lead(v):
        yield range(v)
    # One who leads alone may still be caught up with.
    largest = next((count for count in range(v - 1, 1, -1) if can_lead(count)), 1)
    for leaders in combinations(range(v), largest):
        yield (*leaders, v)


def _parity(u: int, v: int) -> Named:
    size = min(v, 2)
    return Named("parity", lambda rows: rows.count(1) % 2, Clique(range(size)), lambda: _runs(size, size), of_counts(u))


def _any(u: int, v: int) -> Named:
    size = min(v, 2)
    return Named("any", lambda rows: int(any(rows)), Clique(range(size)), lambda: _runs(size, size), of_counts(u))


def _count_mod(u: int, v: int, m: int) -> Named:
    def function(rows: Values) -> int:
        return rows.count(1) % m

    size = min(u + 1, m) if v > 1 else 1
    if u < m or size < 3:  # the count never comes round, or there is no room for a ring
        return Named("count_mod", function, PathPower(range(size)), lambda: _runs(size, 2), of_counts(u))
    closing = range(0, size, size - 1)
    return Named("count_mod", function, Ring(range(size)), lambda: chain(_runs(size, 2), [closing]), of_counts(u))


def _distinct(u: int, v: int) -> Named:
    shape = PathPower(range(1, min(u, v) + 1))
    return Named("distinct", lambda rows: len(set(rows)), shape, lambda: _runs(shape.size, 2), of_distinct(u))


def _identity(u: int, v: int) -> Named:
    databases = Databases(v, u)

    def neighbours(first: int, second: int) -> tuple[Row, Row]:
        return databases.label(first), databases.label(second)

    return Named("identity", lambda rows: rows, HammingShape(databases), None, neighbours)


def _runs(size: int, width: int) -> Iterator[range]:
    """Yield every run of `width` places, or all places if there are fewer."""
    width = min(size, width)
    return (range(start, start + width) for start in range(size - width + 1))


_BUILDERS: dict[str, Callable[[int, int], Named]] = {
    "count": _count,
    "sum": _sum,
    "average": _average,
    "max": _choice("max", max, lambda u, _v: (0,) * (u - 1)),
    "min": _choice("min", min, lambda u, v: (v - 1,) * (u - 1)),
    "median": _choice("median", _lower_median, pivotal_median),
    "plurality": _choice("plurality", _plurality, pivotal_votes),
    "plurality_with_tie": _plurality_with_tie,
    "parity": _parity,
    "any": _any,
    "distinct": _distinct,
    "identity": _identity,
}
NAMES = (*_BUILDERS, "count_mod")


@dataclass(frozen=True)
class Multiples(Sequence[Hashable]):
    """0, unit, 2 unit, ... each made when it is asked for."""

    unit: Rational
    length: int

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Rational: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Rational, ...]: ...

    def __getitem__(self, place: int | slice) -> Rational | tuple[Rational, ...]:
        places = range(self.length)[place]
        return self.unit * places if isinstance(places, int) else tuple(self.unit * k for k in places)
