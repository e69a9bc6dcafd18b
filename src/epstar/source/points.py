"""Sources given by their points: some priors, or the convex hull of some priors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact.common_denominator import Scaled, widened
from epstar.exact.vectors import nearest_floats
from epstar.exact_linear import Infeasible, LinearSystem
from epstar.probability_vectors import Numbers, Table, law, law_counts, listed
from epstar.source.base import (
    VERTEX_LIMIT,
    Maximum,
    Mixture,
    Point,
    Source,
    SourceClass,
    largest_ratio,
    ratio,
)
from epstar.source.corners import check_vertex_count
from epstar.source.order import class_of_points
from epstar.source.prior import Prior, read_only

# From this many numbers on integers are quicker than fractions.
_MANY = 100_000
_MOST_BITS = 1 << 14


@dataclass(frozen=True, init=False, eq=False, repr=False)
class _Points(Source):
    """What `Finite` and `Hull` share: a linear cost is largest at one of the points.

    Large tables of floats become fractions point by point, when they are asked for.
    """

    _laws: tuple[Point | Scaled, ...]

    def __init__(self, points: Table) -> None:
        kind = type(self).__name__
        # The rows of an array stay arrays.
        rows = isinstance(points, np.ndarray) and points.ndim == 2 and points.size > 0
        entries: list[object] = list(points) if rows else listed(points, f"A {kind}")
        read = (
            entry.probabilities if isinstance(entry, Prior) else law(entry, f"Point {number} of a {kind}")
            for number, entry in enumerate(entries, 1)
        )
        laws: tuple[Point | Scaled, ...] = _many_floats(entries, kind) or _different(read)
        for number, point in enumerate(laws, 1):
            if _length(point) != _length(laws[0]):
                raise InvalidInput(
                    f"The points of a {kind} must have equal lengths, but point 1 has {_length(laws[0])} entries "
                    f"and point {number} has {_length(point)}."
                )
        object.__setattr__(self, "_laws", laws)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """The points as fractions, each once, in the order given."""
        return tuple(self._point(place) for place in range(len(self._laws)))

    @cached_property
    def _written(self) -> dict[int, Point]:
        return {}

    def _point(self, place: int) -> Point:
        entry = self._laws[place]
        if not isinstance(entry, Scaled):
            return entry
        if place not in self._written:
            self._written[place] = entry.fractions()
        return self._written[place]

    @property
    def size(self) -> int:
        return _length(self._laws[0])

    @property
    def count(self) -> int:
        """The number of points."""
        return len(self._laws)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The points as rows, each entry rounded to the nearest float (read-only)."""
        rows = [entry.floats() if isinstance(entry, Scaled) else nearest_floats(entry) for entry in self._laws]
        return read_only(np.array(rows))

    @cached_property
    def counts(self) -> tuple[Scaled, ...] | None:
        """The points as integers over one denominator each; None if some denominator is of no moderate size."""
        scaled = [entry if isinstance(entry, Scaled) else Scaled.of(entry) for entry in self._laws]
        found = tuple(entry for entry in scaled if entry is not None)
        return found if len(found) == len(scaled) else None

    def mixed(self, weights: Sequence[Rational]) -> Point | None:
        """Return the distribution that weights on the points make; None for points without moderate denominators.

        Weights in proportion to the denominators of the points keep the numbers short.
        """
        if self.counts is None or len(weights) != self.count:
            return None
        shares = Scaled.of([w / entry.denominator for w, entry in zip(weights, self.counts, strict=True)], _MOST_BITS)
        if shares is None:
            return None
        total = np.zeros(self.size, dtype=object)
        for share, entry in zip(shares.numerators.tolist(), self.counts, strict=True):
            if share:
                total += widened(entry.numerators) * share
        return Scaled(total, shares.denominator).fractions()

    def mixture(self, multiples: Sequence[tuple[Rational, Point]]) -> Point | None:
        """Return what multiples of points add up to; None where one is not a point of this source itself.

        To compare fractions would take longer than to mix them.
        """
        places = {id(self._point(place)): place for place in range(self.count)}
        weights = [ZERO] * self.count
        for weight, point in multiples:
            if id(point) not in places:
                return None
            weights[places[id(point)]] += weight
        return self.mixed(weights)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Points):
            return NotImplemented
        return type(self) is type(other) and (self._laws is other._laws or self.points == other.points)

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.points))

    def maximum(self, cost: Numbers) -> Maximum:
        exact = self.read_cost(cost)
        scaled = Scaled.of(exact) if self.size * self.count >= _MANY else None
        if scaled is not None and self.counts is not None:
            wide = widened(scaled.numerators)
            values = [
                Rational(int(widened(entry.numerators) @ wide), entry.denominator * scaled.denominator)
                for entry in self.counts
            ]
        else:
            values = [dot(exact, point) for point in self.points]
        best = max(values)
        return Maximum(best, self._point(values.index(best)))

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        # A ratio of two linear functions over a hull is largest at one of its points.
        i, j = self.read_letters(i, j)
        return largest_ratio([ratio(point[i], point[j]) for point in self.points])

    def kalantari_class(self) -> SourceClass:
        weights = self.weights_of(self.uniform)
        return class_of_points(self.points, None if weights is None else Mixture(weights))

    def weights_of(self, point: Numbers) -> Point | None:
        """Return weights on `points` whose mixture is `point`, or None if it is outside their hull.

        Equations that follow from others are removed first, so the exact linear program has at most one row
        per point whatever the number of categories.
        """
        exact = self.read_point(point)
        if exact is None:
            return None
        equations = [[*column, bound] for *column, bound in zip(*self.points, exact, strict=True)]
        independent = _independent([*equations, [ONE] * (len(self.points) + 1)])
        if independent is None:
            return None
        system = LinearSystem(
            columns=len(self.points),
            matrix=(),
            bounds=(),
            equalities=tuple(tuple(row[:-1]) for row in independent),
            equality_bounds=tuple(row[-1] for row in independent),
        )
        weights = system.feasible()
        return None if isinstance(weights, Infeasible) else weights


class Finite(_Points):
    """Some distributions, one of which is the true one; not convex unless it has a single point.

    Repeated points are kept once, in the order given.

    >>> known = Finite([[0.5, 0.5], [0.9, 0.1]])
    >>> known.contains([0.9, 0.1]), known.contains([0.7, 0.3])
    (True, False)
    """

    @property
    def is_convex(self) -> bool:
        return len(self.points) == 1

    def contains(self, point: Numbers) -> bool:
        return self.read_point(point) in self.points

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        check_vertex_count(len(self.points), limit)
        return list(self.points)


class Hull(_Points):
    """All mixtures of some distributions.

    >>> Hull([["1/2", "1/2"], [0, 1]]).contains(["1/3", "2/3"])
    True
    """

    def contains(self, point: Numbers) -> bool:
        return self.weights_of(point) is not None

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        """Return the points that are not mixtures of the others, by one exact linear program per point."""
        extreme = list(self.points)
        for point in self.points:
            others = [other for other in extreme if other != point]
            if others and Hull(others).weights_of(point) is not None:
                extreme = others
        check_vertex_count(len(extreme), limit)
        return extreme


def _independent(equations: list[list[Rational]]) -> list[list[Rational]] | None:
    """Return equivalent equations [coefficients, bound] without redundancy; None if they contradict."""
    chosen: list[tuple[int, list[Rational]]] = []
    for equation in equations:
        row = list(equation)
        for pivot, other in chosen:
            factor = row[pivot]
            if factor != ZERO:
                row = [a - factor * b for a, b in zip(row, other, strict=True)]
        pivot = next((k for k, entry in enumerate(row[:-1]) if entry != ZERO), -1)
        if pivot >= 0:
            chosen.append((pivot, [entry / row[pivot] for entry in row]))
        elif row[-1] != ZERO:
            return None
    return [row for _, row in chosen]


def _many_floats(entries: list[object], kind: str) -> tuple[Scaled, ...] | None:
    """Return many laws of floats as integers; None for few, which fractions serve as well, and for other numbers."""
    rows = [entry for entry in entries if isinstance(entry, np.ndarray) and entry.dtype == np.float64]
    if len(rows) < len(entries) or sum(row.size for row in rows) < _MANY:
        return None
    different = {row.tobytes(): (number, row) for number, row in reversed(list(enumerate(rows, 1)))}
    read = [law_counts(row, f"Point {number} of a {kind}") for number, row in sorted(different.values(), key=_first)]
    found = tuple(entry for entry in read if entry is not None)
    return found if len(found) == len(read) else None


def _different(laws: Iterable[Point]) -> tuple[Point, ...]:
    """Return laws, each once, in the order given: integers are hashed much faster than fractions."""
    return tuple({tuple((p.p, p.q) for p in point): point for point in laws}.values())


def _first(pair: tuple[int, NDArray[np.float64]]) -> int:
    return pair[0]


def _length(entry: Point | Scaled) -> int:
    return entry.numerators.size if isinstance(entry, Scaled) else len(entry)
