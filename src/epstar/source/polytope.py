"""The distributions that satisfy linear inequalities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from epstar.errors import EmptySource, InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact_linear import Infeasible, LinearSystem, Optimum, Unbounded
from epstar.probability_vectors import Numbers, Table, table, vector
from epstar.source.base import VERTEX_LIMIT, Maximum, Mixtures, Point, Source, SourceClass, unit_vector, unit_vectors
from epstar.source.corners import simplex_corners
from epstar.source.order import class_of_region


@dataclass(frozen=True, init=False, repr=False)
class Polytope(Source):
    """All distributions p with matrix p <= bounds, one inequality per row.

    Raises:
        EmptySource: if no distribution satisfies the inequalities; its witness is an `Infeasible` that proves it.

    >>> Polytope([[1, -2, 0]], [0]).maximum([1, 0, 0]).value
    2/3
    """

    matrix: tuple[Point, ...]
    bounds: Point

    def __init__(self, matrix: Table, bounds: Numbers) -> None:
        rows = table(matrix, "The matrix of a Polytope")
        limits = vector(bounds, "The bounds of a Polytope")
        if len(rows) != len(limits):
            raise InvalidInput(
                f"A Polytope needs one bound per row of its matrix, but has {len(rows)} rows and {len(limits)} bounds."
            )
        object.__setattr__(self, "matrix", rows)
        object.__setattr__(self, "bounds", limits)
        proof = self._system.feasible()
        if isinstance(proof, Infeasible):
            raise EmptySource(
                "The Polytope holds no distribution: its inequalities exclude each other on the simplex; relax some.",
                witness=proof,
            )

    @property
    def size(self) -> int:
        return len(self.matrix[0])

    @property
    def mixtures(self) -> Mixtures:
        return Mixtures(unit_vectors(self.size), self.matrix, self.bounds)

    def optimum(self, cost: Numbers) -> Optimum:
        """Return the maximum of the expected cost with the multipliers of the inequalities that prove it."""
        optimum = self._system.maximise(self.read_cost(cost))
        assert isinstance(optimum, Optimum), "the set is bounded and was found not to be empty"
        return optimum

    def maximum(self, cost: Numbers) -> Maximum:
        optimum = self.optimum(cost)
        return Maximum(optimum.value, optimum.point)

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        """Return the supremum of p_i / p_j, by the change of variables y = p / p_j of Charnes and Cooper."""
        i, j = self.read_letters(i, j)
        # Variables y and t = 1 / p_j: matrix y <= bounds t, sum y = t, y_j = 1.
        system = LinearSystem(
            columns=self.size + 1,
            matrix=tuple((*row, -bound) for row, bound in zip(self.matrix, self.bounds, strict=True)),
            bounds=(ZERO,) * len(self.matrix),
            equalities=((*[ONE] * self.size, -ONE), (*unit_vector(self.size, j), ZERO)),
            equality_bounds=(ZERO, ONE),
        )
        optimum = system.maximise((*unit_vector(self.size, i), ZERO))
        if isinstance(optimum, Optimum):
            return optimum.value
        if isinstance(optimum, Unbounded):
            return None
        # Letter j never occurs.
        return None if self.maximum(unit_vector(self.size, i)).value > ZERO else ZERO

    def contains(self, point: Numbers) -> bool:
        exact = self.read_point(point)
        return exact is not None and all(
            dot(row, exact) <= bound for row, bound in zip(self.matrix, self.bounds, strict=True)
        )

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        return simplex_corners(self.size, self.matrix, self.bounds, limit)

    def kalantari_class(self) -> SourceClass:
        def difference(j: int, i: int) -> Maximum:
            return self.maximum(
                [a - b for a, b in zip(unit_vector(self.size, j), unit_vector(self.size, i), strict=True)]
            )

        return class_of_region(
            self.maximum([ZERO] * self.size).point,
            self.contains(self.uniform),
            lambda j, i: difference(j, i).value,
            lambda j, i: difference(j, i).point,
        )

    @cached_property
    def _system(self) -> LinearSystem:
        return LinearSystem(
            columns=self.size,
            matrix=self.matrix,
            bounds=self.bounds,
            equalities=((ONE,) * self.size,),
            equality_bounds=(ONE,),
        )
