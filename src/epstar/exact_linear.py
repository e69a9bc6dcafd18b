"""Linear programming in exact rationals, with a certificate for every outcome.

A two-phase simplex method on a dense tableau. It is meant for the small programs that describe source sets
(tens to a few hundred rows): the answer is the exact optimum, and the multipliers that come with it prove it
without looking at how it was found. Dantzig's rule chooses the pivots; when it stalls on a degenerate corner,
Bland's rule takes over until the objective moves, so the method cannot cycle.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from epstar.deadline import keep_time
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.memory import keep_memory

Vector = tuple[Rational, ...]
# Degenerate pivots in a row after which Bland's rule is used.
_PATIENCE = 20
# What a fraction takes of memory in the tableau and in a copy of it, if it is short.
_BYTES = 2 * 96


@dataclass(frozen=True)
class Optimum:
    """The largest value, where it is attained, and the multipliers that prove it.

    `multipliers` (one per inequality, not negative) and `equality_multipliers` combine the rows to
    at least `cost` in every coefficient, and the right-hand sides to exactly `value`.
    """

    value: Rational
    point: Vector
    multipliers: Vector
    equality_multipliers: Vector


@dataclass(frozen=True)
class Infeasible:
    """The set is empty: these multipliers combine the rows to coefficients >= 0 with a bound < 0."""

    multipliers: Vector
    equality_multipliers: Vector


@dataclass(frozen=True)
class Unbounded:
    """The cost grows without end from `point` along `ray`, which stays in the set."""

    point: Vector
    ray: Vector


@dataclass(frozen=True)
class LinearSystem:
    """The set {x >= 0: matrix x <= bounds, equalities x = equality_bounds} in `columns` variables."""

    columns: int
    matrix: tuple[Vector, ...]
    bounds: Vector
    equalities: tuple[Vector, ...] = ()
    equality_bounds: Vector = ()

    def maximise(self, cost: Sequence[Rational]) -> Optimum | Infeasible | Unbounded:
        """Return the exact maximum of cost . x, or a proof that there is none.

        The first phase is done once per system and kept, so several costs over one set are cheap. Each pivot
        costs rows times columns operations on fractions.
        """
        start = self._start
        if isinstance(start, Infeasible):
            return start
        tableau = start.copy()
        padded = [*cost, *[ZERO] * (tableau.width - self.columns)]
        reduced = tableau.optimise(padded)
        point = tableau.point()[: self.columns]
        if isinstance(reduced, int):
            return Unbounded(point, tableau.ray(reduced)[: self.columns])
        multipliers = tableau.multipliers(padded, reduced)
        rows = len(self.matrix)
        return Optimum(dot(cost, point), point, multipliers[:rows], multipliers[rows:])

    def feasible(self) -> Vector | Infeasible:
        """Return a point of the set, or the proof that it is empty."""
        start = self._start
        return start if isinstance(start, Infeasible) else start.point()[: self.columns]

    @cached_property
    def _start(self) -> _Tableau | Infeasible:
        tableau = _Tableau.build(self)
        cost = [ZERO] * tableau.real + [-ONE] * (tableau.width - tableau.real)
        # Only real columns may enter, so an artificial one that has left never comes back.
        reduced = tableau.optimise(cost)
        assert isinstance(reduced, list), "the sum of artificial variables is bounded below by zero"
        if any(tableau.rows[k][-1] != ZERO for k, b in enumerate(tableau.basis) if b >= tableau.real):
            multipliers = tableau.multipliers(cost, reduced)
            return Infeasible(multipliers[: len(self.matrix)], multipliers[len(self.matrix) :])
        tableau.expel_artificial()
        return tableau


@dataclass
class _Tableau:
    """Rows [B^-1 A | B^-1 b] of the system in equation form, its basis, and where B^-1 can be read off."""

    rows: list[list[Rational]]
    basis: list[int]
    real: int  # columns below this are variables or slacks, the others artificial
    sign: list[int]  # -1 where the row was negated to make its bound non-negative
    unit: list[int]  # the column that held the unit vector of each row at the start

    @classmethod
    def build(cls, system: LinearSystem) -> _Tableau:
        inequalities = len(system.matrix)
        coefficients = [*system.matrix, *system.equalities]
        bounds = [*system.bounds, *system.equality_bounds]
        real = system.columns + inequalities
        keep_memory(_BYTES * len(coefficients) * (real + len(coefficients)))
        sign = [-1 if bound < ZERO else 1 for bound in bounds]
        # A slack with coefficient +1 is the first basic variable of its row; other rows need an artificial.
        artificial = [k for k in range(len(bounds)) if k >= inequalities or sign[k] < 0]
        unit = [system.columns + k for k in range(len(bounds))]
        for place, k in enumerate(artificial):
            unit[k] = real + place
        rows = []
        for k, (row, bound) in enumerate(zip(coefficients, bounds, strict=True)):
            extended = [*row, *[ZERO] * (inequalities + len(artificial)), bound]
            if k < inequalities:
                extended[system.columns + k] = ONE
            if sign[k] < 0:
                extended = [-entry for entry in extended]
            extended[unit[k]] = ONE
            rows.append(extended)
        return cls(rows, list(unit), real, sign, unit)

    @property
    def width(self) -> int:
        return self.real + sum(column >= self.real for column in self.unit)

    def copy(self) -> _Tableau:
        return _Tableau([list(row) for row in self.rows], list(self.basis), self.real, self.sign, self.unit)

    def point(self) -> Vector:
        values = [ZERO] * self.width
        for row, column in zip(self.rows, self.basis, strict=True):
            values[column] = row[-1]
        return tuple(values)

    def ray(self, entering: int) -> Vector:
        values = [ZERO] * self.width
        values[entering] = ONE
        for row, column in zip(self.rows, self.basis, strict=True):
            values[column] = -row[entering]
        return tuple(values)

    def multipliers(self, cost: Sequence[Rational], reduced: Sequence[Rational]) -> Vector:
        # The reduced cost of a unit column e_k is its cost minus the multiplier of row k.
        return tuple(sign * (cost[column] - reduced[column]) for sign, column in zip(self.sign, self.unit, strict=True))

    def optimise(self, cost: Sequence[Rational]) -> list[Rational] | int:
        """Pivot to the maximum and return the reduced costs, or the column along which it is unbounded."""
        reduced = [*cost, ZERO]
        for row, column in zip(self.rows, self.basis, strict=True):
            _subtract(reduced, cost[column], row, _support(row))
        stalled = 0
        while True:
            keep_time()
            entering = self._entering(reduced, careful=stalled > _PATIENCE)
            if entering is None:
                return reduced
            leaving = self._leaving(entering)
            if leaving is None:
                return entering
            stalled = stalled + 1 if self.rows[leaving][-1] == ZERO else 0
            self.pivot(leaving, entering)
            _subtract(reduced, reduced[entering], self.rows[leaving], _support(self.rows[leaving]))

    def _entering(self, reduced: Sequence[Rational], careful: bool) -> int | None:
        improving = [k for k in range(self.real) if reduced[k] > ZERO]
        if not improving:
            return None
        return improving[0] if careful else max(improving, key=lambda k: reduced[k])

    def _leaving(self, entering: int) -> int | None:
        ratios = [
            (row[-1] / row[entering], self.basis[k], k) for k, row in enumerate(self.rows) if row[entering] > ZERO
        ]
        return min(ratios)[2] if ratios else None

    def pivot(self, leaving: int, entering: int) -> None:
        pivot_row = self.rows[leaving]
        scale = pivot_row[entering]
        if scale != ONE:
            pivot_row = self.rows[leaving] = [entry / scale for entry in pivot_row]
        support = _support(pivot_row)
        for k, row in enumerate(self.rows):
            if k != leaving:
                _subtract(row, row[entering], pivot_row, support)
        self.basis[leaving] = entering

    def expel_artificial(self) -> None:
        """Exchange artificial variables that are still basic (at zero) for real ones.

        A row without any real coefficient is redundant; its artificial variable stays, and stays zero,
        because no real column can then change it.
        """
        for k, column in enumerate(self.basis):
            if column >= self.real:
                entering = next((j for j in range(self.real) if self.rows[k][j] != ZERO), None)
                if entering is not None:
                    self.pivot(k, entering)


def _support(row: Sequence[Rational]) -> list[int]:
    return [k for k, entry in enumerate(row) if entry != ZERO]


def _subtract(row: list[Rational], factor: Rational, other: Sequence[Rational], support: list[int]) -> None:
    if factor != ZERO:
        for k in support:
            row[k] -= factor * other[k]
