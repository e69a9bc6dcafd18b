"""Sources given by their points: one prior, some priors, or the convex hull of some priors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact_linear import Infeasible, LinearSystem
from epstar.reading import Numbers, Table, law, listed, nearest_floats, whole_number
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


@dataclass(frozen=True, init=False)
class Prior(Source):
    """One known law.

    Floats that sum to one within 1e-9 are divided by their sum; exact numbers must sum to exactly one.

    >>> Prior([0.5, 0.3, 0.2]).maximum([1, 2, 3]).value
    17/10
    """

    probabilities: Point

    def __init__(self, probabilities: Numbers) -> None:
        object.__setattr__(self, "probabilities", law(probabilities, "A prior"))

    @classmethod
    def uniform_on(cls, size: int) -> Prior:
        """Return the uniform law on `size` letters."""
        letters = whole_number(size, "The number of letters", 1)
        return cls([Rational(1, letters)] * letters)

    @property
    def size(self) -> int:
        return len(self.probabilities)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The probabilities, each rounded to the nearest float (read-only)."""
        return _read_only(nearest_floats(self.probabilities))

    def maximum(self, cost: Numbers) -> Maximum:
        return Maximum(dot(self.read_cost(cost), self.probabilities), self.probabilities)

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        return ratio(self.probabilities[i], self.probabilities[j])

    def contains(self, point: Numbers) -> bool:
        return self.read_point(point) == self.probabilities

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        check_vertex_count(1, limit)
        return [self.probabilities]

    def kalantari_class(self) -> SourceClass:
        is_uniform = self.probabilities == self.uniform
        return class_of_points([self.probabilities], Mixture(None) if is_uniform else None)


@dataclass(frozen=True, init=False)
class _Points(Source):
    """What `Finite` and `Hull` share: a linear cost is largest at one of the points."""

    points: tuple[Point, ...]

    def __init__(self, points: Table) -> None:
        kind = type(self).__name__
        read = [
            entry.probabilities if isinstance(entry, Prior) else law(entry, f"Point {number} of a {kind}")
            for number, entry in enumerate(listed(points, f"A {kind}"), 1)
        ]
        for number, point in enumerate(read, 1):
            if len(point) != len(read[0]):
                raise InvalidInput(
                    f"The points of a {kind} must have equal lengths, but point 1 has {len(read[0])} entries "
                    f"and point {number} has {len(point)}."
                )
        object.__setattr__(self, "points", tuple(dict.fromkeys(read)))

    @property
    def size(self) -> int:
        return len(self.points[0])

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The points as rows, each entry rounded to the nearest float (read-only)."""
        return _read_only(np.array([nearest_floats(point) for point in self.points]))

    def maximum(self, cost: Numbers) -> Maximum:
        exact = self.read_cost(cost)
        values = [dot(exact, point) for point in self.points]
        best = max(values)
        return Maximum(best, self.points[values.index(best)])

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
        per point whatever the number of letters.
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
    """Some laws, one of which is the true one; not convex unless it has a single point.

    Repeated points are kept once, in the order given.
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
    """All mixtures of some laws.

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


def _read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    array.flags.writeable = False
    return array
