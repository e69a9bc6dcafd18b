r"""The exact optimum of a linear program, from the basis on which a solver in floats ends.

A basis says which variables may differ from zero and which rows hold with equality. With equally many of both, one
square system gives the point and its transpose the multipliers. Both are solved in fractions, and every sign is
checked. Floats cannot tell a tiny wrong sign from a right one; the step that is left to the optimum, in units of what
is wrong, is a program of the same matrix, which the solver continues from the same basis.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from epstar.exact import ONE, ZERO, Rational
from epstar.solve.methods.exact_system import Row, solution
from epstar.solve.program.highs import optimal_basis
from epstar.solve.program.model import Assembly, Basis

# A basis that needs more rounds was not close to optimal.
_MOST_ROUNDS = 12
# Floats hold numbers between this and its inverse next to one.
_HELD = Rational(10) ** 6
# In units of what is wrong, whatever is further away than this does not matter.
_FAR = Rational(10) ** 12
# Where a step in these units fails, one in larger units may not.
_COARSER = (1, 1000)


@dataclass(frozen=True)
class ExactOptimum:
    """A point and one multiplier per row (not negative for an inequality) that prove each other optimal."""

    values: list[Rational]
    multipliers: list[Rational]
    basis: Basis


@dataclass(frozen=True)
class Made:
    """What a basis makes of a program: the numbers that must not be negative, and the optimum if none is."""

    margins: list[Rational]
    optimum: ExactOptimum | None


@dataclass(frozen=True)
class _Corner:
    """What a basis makes: values, slacks of rows, multipliers of rows, and reduced costs."""

    values: list[Rational]
    slacks: list[Rational]
    multipliers: list[Rational]
    reduced: list[Rational]


@dataclass
class ExactProgram:
    """Minimise objective . z over rows "expression <= bound" or "= bound", with z >= 0 except where it is free.

    `units` say of what size variables are, where floats could not tell those of one from nothing.
    """

    rows: list[dict[int, Rational]] = field(default_factory=list)
    bounds: list[Rational] = field(default_factory=list)
    equal: list[bool] = field(default_factory=list)
    objective: dict[int, Rational] = field(default_factory=dict)
    is_free: list[bool] = field(default_factory=list)
    units: list[Rational] = field(default_factory=list)

    def variables(self, count: int, free: bool = False, unit: Rational = ONE) -> range:
        """Add variables and return their positions."""
        start = len(self.is_free)
        self.is_free.extend([free] * count)
        self.units.extend([unit] * count)
        return range(start, start + count)

    def add(self, row: Row, bound: Rational, equal: bool = False) -> int:
        """Add a row and return its position."""
        self.rows.append({column: value for column, value in row.items() if value != 0})
        self.bounds.append(bound)
        self.equal.append(equal)
        return len(self.rows) - 1

    def optimum(self, time_limit: float | None = None) -> ExactOptimum | None:
        """Return the optimum, None where floats lead to no basis that is optimal.

        Cost: a program in floats and two square systems in fractions, some times over where floats are too coarse.
        """
        largest = [max((abs(a) * self.units[j] for j, a in row.items()), default=ONE) for row in self.rows]
        dearest = max((abs(cost) * self.units[j] for j, cost in self.objective.items() if cost != 0), default=ONE)
        if all(1 / _HELD < size < _HELD for size in (*largest, *self.units, dearest)):
            return self._optimum(time_limit)
        found = self._in_units(largest, dearest)._optimum(time_limit)
        if found is None:
            return None
        values = [value * unit for value, unit in zip(found.values, self.units, strict=True)]
        multipliers = [price / size * dearest for price, size in zip(found.multipliers, largest, strict=True)]
        return ExactOptimum(values, multipliers, found.basis)

    def _in_units(self, largest: list[Rational], dearest: Rational) -> ExactProgram:
        """Return the same program with variables in their units, and rows and costs in units of what is largest."""
        return ExactProgram(
            [
                {j: a * self.units[j] / size for j, a in row.items()}
                for row, size in zip(self.rows, largest, strict=True)
            ],
            [bound / size for bound, size in zip(self.bounds, largest, strict=True)],
            self.equal,
            {j: cost * self.units[j] / dearest for j, cost in self.objective.items()},
            self.is_free,
            [ONE] * len(self.units),
        )

    def _optimum(self, time_limit: float | None) -> ExactOptimum | None:
        basis = optimal_basis(self._in_floats(), time_limit)
        for _ in range(_MOST_ROUNDS):
            corner = None if basis is None else self._corner(basis)
            if basis is None or corner is None:
                return None
            lacking, missed = self._lacking(corner), self._missed(corner)
            if lacking == 0 and missed == 0:
                return ExactOptimum(corner.values, corner.multipliers, basis)
            basis = self._next(basis, corner, lacking, missed, time_limit)
        return None

    def made_by(self, basis: Basis) -> Made | None:
        """Return what a basis makes, None if it is singular; it may be the basis of a similar program."""
        corner = self._corner(basis)
        if corner is None:
            return None
        margins = [value for value, free in zip(corner.values, self.is_free, strict=True) if not free]
        for slack, price, equal in zip(corner.slacks, corner.multipliers, self.equal, strict=True):
            margins += [-abs(slack)] if equal else [slack, price]
        margins += corner.reduced
        is_optimal = min(margins) >= 0
        return Made(margins, ExactOptimum(corner.values, corner.multipliers, basis) if is_optimal else None)

    def _in_floats(self) -> Assembly:
        assembly = Assembly()
        for free in self.is_free:
            assembly.variable(-math.inf if free else 0.0)
        assembly.objective = {column: float(value) for column, value in self.objective.items()}
        for row, bound, equal in zip(self.rows, self.bounds, self.equal, strict=True):
            expression = {column: float(value) for column, value in row.items()}
            (assembly.equal if equal else assembly.at_most)(expression, float(bound))
        return assembly

    def _costs(self) -> list[Rational]:
        return [self.objective.get(j, ZERO) for j in range(len(self.is_free))]

    def _step(self, corner: _Corner, unit: Rational, cost_unit: Rational) -> Assembly:
        """Return the program for the step from a corner to the optimum, lengths and costs in units of their own.

        Slacks are variables of their own, whose costs are the multipliers.
        """
        assembly = Assembly()
        prices = [ZERO if equal else price for price, equal in zip(corner.multipliers, self.equal, strict=True)]
        for value, free in zip(corner.values, self.is_free, strict=True):
            assembly.variable(-math.inf if free else -_float(value / unit))
        slacks = [assembly.variable(-_float(slack / unit)) for slack in corner.slacks]
        assembly.objective = {j: _float(cost / cost_unit) for j, cost in enumerate([*corner.reduced, *prices])}
        for row, slack, equal in zip(self.rows, slacks, self.equal, strict=True):
            expression = {column: float(value) for column, value in row.items()}
            assembly.equal(expression if equal else expression | {slack: 1.0}, 0.0)
        return assembly

    def _next(
        self, basis: Basis, corner: _Corner, lacking: Rational, missed: Rational, time_limit: float | None
    ) -> Basis | None:
        """Return the basis to which the step from a corner leads."""
        width, rows = len(self.is_free), range(len(self.rows))
        loose = frozenset(width + i for i in rows if i not in basis.tight_rows)
        start = Basis(basis.columns | loose, frozenset(rows))
        for coarser in _COARSER:
            # One after the other: in the units of both, a step would seem to go on for ever.
            units = (lacking * coarser, ONE) if lacking > 0 else (ONE, missed * coarser)
            found = optimal_basis(self._step(corner, *units), time_limit, start)
            if found is not None:
                # A row is loose where its slack is basic, or what HiGHS adds to the row itself.
                tight = frozenset(i for i in found.tight_rows if width + i not in found.columns)
                return Basis(frozenset(j for j in found.columns if j < width), tight)
        return None

    def _corner(self, basis: Basis) -> _Corner | None:
        columns, tight = sorted(basis.columns), sorted(basis.tight_rows)
        place = {j: k for k, j in enumerate(columns)}
        system = [{place[j]: value for j, value in self.rows[i].items() if j in place} for i in tight]
        transposed: list[dict[int, Rational]] = [{} for _ in columns]
        for k, row in enumerate(system):
            for j, value in row.items():
                transposed[j][k] = value
        if len(columns) != len(tight):
            return None
        point = solution(system, [self.bounds[i] for i in tight])
        prices = solution(transposed, [self.objective.get(j, ZERO) for j in columns])
        if point is None or prices is None:
            return None
        values, multipliers, reduced = [ZERO] * len(self.is_free), [ZERO] * len(self.rows), self._costs()
        for j, value in zip(columns, point, strict=True):
            values[j] = value
        for i, price in zip(tight, prices, strict=True):
            multipliers[i] = -price
            if price != 0:
                for j, coefficient in self.rows[i].items():
                    reduced[j] -= price * coefficient
        slacks = [ZERO if i in basis.tight_rows else self._slack(i, values) for i in range(len(self.rows))]
        return _Corner(values, slacks, multipliers, reduced)

    def _slack(self, i: int, values: list[Rational]) -> Rational:
        left = ZERO
        for j, coefficient in self.rows[i].items():
            if values[j] != 0:
                left += coefficient * values[j]
        return self.bounds[i] - left

    def _lacking(self, corner: _Corner) -> Rational:
        """Return by how much some variable is below zero, or some row above its bound, at most."""
        values = [value for value, free in zip(corner.values, self.is_free, strict=True) if not free]
        slacks = [-abs(s) if equal else s for s, equal in zip(corner.slacks, self.equal, strict=True)]
        return -min(ZERO, *values, *slacks)

    def _missed(self, corner: _Corner) -> Rational:
        """Return how fast some step would lower the objective, at most."""
        prices = [price for price, equal in zip(corner.multipliers, self.equal, strict=True) if not equal]
        return -min(ZERO, *corner.reduced, *prices)


def _float(value: Rational) -> float:
    return float(max(-_FAR, min(_FAR, value)))
