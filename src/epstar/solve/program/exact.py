r"""Linear programs in exact rationals: the optimum of a basis, which floats or pivots in balls lead to.

A basis says which variables may differ from zero and which rows hold with equality. With equally many of both, one
square system gives the point and its transpose the multipliers. Both are solved in fractions, and every sign is
checked: who found the basis does not matter.

A solver in floats ends on a basis that is optimal or nearly so. Floats cannot tell a tiny wrong sign from a right one;
the step that is left to the optimum, in units of what is wrong, is a program of the same matrix, which the solver
continues from the same basis (iterative refinement; Gleixner, Steffy and Wolter 2016).

Where floats cannot hold the numbers of a program next to each other, the dual simplex method in balls of many digits
finds the basis. It begins with few rows, and each that the optimum breaks joins (a lazy constraint).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar.solve.program.exact_system import Row, solution
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Array, Assembly, Basis, Expression, Model, Places
from epstar.solve.program.tableau import Tableau

# A basis that needs more rounds was not close to optimal.
_MOST_ROUNDS = 12
# In units of what is wrong, whatever is further away than this does not matter; floats hold it next to one.
_FAR = Rational(10) ** 12
# Rows that join a program at once: each makes every pivot a little slower, and each round takes some.
_AT_ONCE = 40
# The digits of balls to begin with: of a probability of 1e-150 next to one, so many leave as many again.
_BITS = 1024


@dataclass(frozen=True)
class ExactOptimum:
    """A point and one multiplier per row (not negative for an inequality) that prove each other optimal."""

    values: list[Rational]
    multipliers: list[Rational]
    basis: Basis


@dataclass(frozen=True)
class Impossible:
    """One multiplier per row, not negative for an inequality, of rows that no point meets together."""

    multipliers: list[Rational]


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


class ExactProgram(Model):
    """A program in fractions, whose variables are not negative except where they are free."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[dict[int, Rational]] = []
        self.bounds: list[Rational] = []
        self.is_equal: list[bool] = []
        self.is_free: list[bool] = []

    @property
    def width(self) -> int:
        return len(self.is_free)

    @property
    def height(self) -> int:
        return len(self.rows)

    def variables(self, count: int, lower: float = 0.0) -> range:
        self.is_free.extend([lower < 0] * count)
        return range(self.width - count, self.width)

    def _row(self, expression: Expression, bound: Rational, equal: bool) -> None:
        self.rows.append({column: Rational(value) for column, value in expression.items() if value != 0})
        self.bounds.append(Rational(bound))
        self.is_equal.append(equal)

    def _rows(self, columns: Places, factors: Array, bound: Rational, equal: bool) -> None:
        for places, values in zip(columns.tolist(), factors.tolist(), strict=True):
            self._row(dict(zip(places, values, strict=True)), bound, equal)

    def optimum(self, time_limit: float | None = None) -> ExactOptimum | None:
        """Return the optimum, None where floats lead to no basis that is optimal.

        Cost: a program in floats and two square systems in fractions, some times over where floats are too coarse.
        """
        basis = solve_linear(self._in_floats(), time_limit).basis
        for _ in range(_MOST_ROUNDS):
            corner = None if basis is None else self._corner(basis)
            if basis is None or corner is None:
                return None
            lacking, missed = (-min(ZERO, *margins) for margins in self._margins(corner, range(self.height)))
            if lacking == 0 and missed == 0:
                return ExactOptimum(corner.values, corner.multipliers, basis)
            basis = self._next(basis, corner, lacking, missed, time_limit)
        return None

    def minimised(self) -> ExactOptimum:
        """Return the optimum of a small program that has one: by floats, or by pivots in fractions.

        Raises:
            SolverFailure: if there is none.
        """
        found = self.optimum()
        if found is None:
            columns = range(self.width)
            dense = [tuple(row.get(j, ZERO) for j in columns) for row in self.rows]
            system = LinearSystem(len(columns), tuple(dense), tuple(self.bounds))
            optimum = system.maximise([-self.objective.get(j, ZERO) for j in columns])
            if not isinstance(optimum, Optimum):
                raise SolverFailure(
                    f"A small program ended as {type(optimum).__name__}; check the distortion asked for."
                )
            found = ExactOptimum(list(optimum.point), list(optimum.multipliers), Basis(frozenset(), frozenset()))
        return found

    def made_by(self, basis: Basis, active: Collection[int] | None = None) -> Made | None:
        """Return what a basis makes, None if it is singular; it may be the basis of a similar program.

        Rows that are not `active` are left out.
        """
        corner = self._corner(basis)
        if corner is None:
            return None
        allowed, dear = self._margins(corner, range(self.height) if active is None else active)
        margins = [*allowed, *dear]
        is_optimal = min(margins) >= 0
        return Made(margins, ExactOptimum(corner.values, corner.multipliers, basis) if is_optimal else None)

    def pivoted(
        self, broken: Callable[[ExactOptimum], Iterable[int]], start: Basis | None = None
    ) -> ExactOptimum | Impossible | None:
        """Return the optimum, or multipliers that show that there is none, found by pivots in balls.

        `broken` may add rows that an optimum breaks, and returns their places, until there are none. `start` is a basis
        that may be optimal. None where the variables that are zero at the start would lower the objective, or a free
        variable has no row.

        Raises:
            TimeLimit: if a deadline is kept and has passed.
        """
        binding = frozenset[int]() if start is None else start.tight_rows
        active = {i: None for i in range(self.height) if i in binding or self._is_kept(i)}
        bits, tableau = _BITS, None
        made = None if start is None else self.made_by(start, active)
        found = None if made is None else made.optimum
        least: Rational | None = None
        while True:
            while found is None:
                tableau = tableau or self._tableau(active, bits)
                if tableau is None:
                    return None
                stuck, basis = tableau.mend(), self._basis_of(tableau)
                if stuck is not None:
                    impossible = self._impossible(basis, stuck)
                    if impossible is not None:
                        return impossible
                else:
                    made = self.made_by(basis, active)
                    found = None if made is None else made.optimum
                if found is None:
                    # Some ball around zero is not zero.
                    bits, tableau = 2 * bits, None
            value = self.value(found)
            if least is None or value > least:
                # The rows that do not bind any more would only slow the pivots down.
                loose = {i for i in active if not self._is_kept(i) and self._slack(i, found.values) > 0}
                active = {i: None for i in active if i not in loose}
                if tableau is not None:
                    tableau.drop(self.width + i for i in loose)
                least = value
            added = self._most_broken(found, active) or [i for i in broken(found) if i not in active]
            if not added:
                return found
            active |= dict.fromkeys(added)
            for i in added if tableau is not None else ():
                assert tableau is not None
                tableau.add(self.width + i, *self._slack_of(i))
            found = None

    def value(self, optimum: ExactOptimum) -> Rational:
        """Return the objective at an optimum."""
        return sum((cost * optimum.values[j] for j, cost in self.objective.items()), ZERO)

    def _most_broken(self, found: ExactOptimum, active: Collection[int]) -> list[int]:
        """Return the rows, of those not looked at yet, that an optimum breaks most."""
        slacks = ((self._slack(i, found.values), i) for i in range(self.height) if i not in active)
        broken = sorted((slack / max(map(abs, self.rows[i].values())), i) for slack, i in slacks if slack < 0)
        return [i for _, i in broken[:_AT_ONCE]]

    def _is_kept(self, i: int) -> bool:
        """Return whether a row is looked at from the start: equations, and what says what free variables are."""
        return self.is_equal[i] or any(self.is_free[j] for j in self.rows[i])

    def _slack_of(self, i: int) -> tuple[Rational, dict[int, Rational]]:
        return self.bounds[i], {j: -value for j, value in self.rows[i].items()}

    def _tableau(self, active: Collection[int], bits: int) -> Tableau | None:
        tableau, width, used = Tableau(self._costs(), bits), self.width, set[int]()
        for j, is_free in enumerate(self.is_free):
            if is_free:
                rows = (i for i in active if not self.is_equal[i] and i not in used and j in self.rows[i])
                row = next(rows, None)
                if row is None:
                    return None
                used.add(row)
                tableau.eliminate(j, width + row, *self._slack_of(row))
        for i in active:
            if self.is_equal[i] and not tableau.equate(width + i, *self._slack_of(i)):
                return None
        if not tableau.is_started:
            return None
        for i in active:
            if not self.is_equal[i] and i not in used:
                tableau.add(width + i, *self._slack_of(i))
        return tableau

    def _basis_of(self, tableau: Tableau) -> Basis:
        width, zero = self.width, set(tableau.columns)
        tight = {k - width for k in zero if k >= width} | {i for i, equal in enumerate(self.is_equal) if equal}
        return Basis(frozenset(j for j in range(width) if j not in zero), frozenset(tight))

    def _impossible(self, basis: Basis, stuck: int) -> Impossible | None:
        """Return the multipliers that show that a variable or a slack is always negative; None if none do."""
        width = self.width
        is_row = stuck >= width
        constant, form = self._slack_of(stuck - width) if is_row else (ZERO, {stuck: ONE})
        columns, tight, _, transposed = self._system(basis)
        prices = solution(transposed, [form.get(j, ZERO) for j in columns]) if len(columns) == len(tight) else None
        if prices is None:
            return None
        multipliers = [ZERO] * self.height
        left = [form.get(j, ZERO) for j in range(width)]
        for i, price in zip(tight, prices, strict=True):
            multipliers[i] = price
            constant += price * self.bounds[i]
            for j, value in self.rows[i].items():
                left[j] -= price * value
        if (
            constant >= 0
            or max(left) > 0
            or any(m < 0 and not e for m, e in zip(multipliers, self.is_equal, strict=True))
        ):
            return None
        if is_row:
            multipliers[stuck - width] += ONE
        return Impossible(multipliers)

    def _in_floats(self) -> Assembly:
        assembly = Assembly()
        for free in self.is_free:
            assembly.variable(-math.inf if free else 0.0)
        assembly.objective = {column: _float(value) for column, value in self.objective.items()}
        for row, bound, equal in zip(self.rows, self.bounds, self.is_equal, strict=True):
            largest = max(map(abs, row.values()), default=ONE)
            # A basis is the same in whatever units the rows are.
            unit = largest if largest > _FAR else ONE
            expression = {column: float(value / unit) for column, value in row.items()}
            (assembly.equal if equal else assembly.at_most)(expression, _float(bound / unit))
        return assembly

    def _costs(self) -> list[Rational]:
        return [Rational(self.objective.get(j, ZERO)) for j in range(self.width)]

    def _step(self, corner: _Corner, unit: Rational, cost_unit: Rational) -> Assembly:
        """Return the program for the step from a corner to the optimum, lengths and costs in units of their own.

        Slacks are variables of their own, whose costs are the multipliers.
        """
        assembly = Assembly()
        prices = [ZERO if equal else price for price, equal in zip(corner.multipliers, self.is_equal, strict=True)]
        for value, free in zip(corner.values, self.is_free, strict=True):
            assembly.variable(-math.inf if free else -_float(value / unit))
        slacks = [assembly.variable(-_float(slack / unit)) for slack in corner.slacks]
        assembly.objective = {j: _float(cost / cost_unit) for j, cost in enumerate([*corner.reduced, *prices])}
        for row, slack, equal in zip(self.rows, slacks, self.is_equal, strict=True):
            expression = {column: _float(value) for column, value in row.items()}
            assembly.equal(expression if equal else expression | {slack: 1.0}, 0.0)
        return assembly

    def _next(
        self, basis: Basis, corner: _Corner, lacking: Rational, missed: Rational, time_limit: float | None
    ) -> Basis | None:
        """Return the basis to which the step from a corner leads."""
        width, rows = self.width, range(self.height)
        loose = frozenset(width + i for i in rows if i not in basis.tight_rows)
        start = Basis(basis.columns | loose, frozenset(rows))
        # One after the other: in the units of both, a step would seem to go on for ever.
        units = (lacking, ONE) if lacking > 0 else (ONE, missed)
        found = solve_linear(self._step(corner, *units), time_limit, start).basis
        if found is None:
            return None
        # A row is loose where its slack is basic, or what HiGHS adds to the row itself.
        tight = frozenset(i for i in found.tight_rows if width + i not in found.columns)
        return Basis(frozenset(j for j in found.columns if j < width), tight)

    def _system(self, basis: Basis) -> tuple[list[int], list[int], list[Row], list[dict[int, Rational]]]:
        """Return the columns and the rows of a basis, its matrix by places in these lists, and the transpose."""
        columns, tight = sorted(basis.columns), sorted(basis.tight_rows)
        place = {j: k for k, j in enumerate(columns)}
        system: list[Row] = [{place[j]: value for j, value in self.rows[i].items() if j in place} for i in tight]
        transposed: list[dict[int, Rational]] = [{} for _ in columns]
        for k, row in enumerate(system):
            for j, value in row.items():
                transposed[j][k] = value
        return columns, tight, system, transposed

    def _corner(self, basis: Basis) -> _Corner | None:
        columns, tight, system, transposed = self._system(basis)
        if len(columns) != len(tight):
            return None
        point = solution(system, [self.bounds[i] for i in tight])
        prices = solution(transposed, [self.objective.get(j, ZERO) for j in columns])
        if point is None or prices is None:
            return None
        values, multipliers, reduced = [ZERO] * self.width, [ZERO] * self.height, self._costs()
        for j, value in zip(columns, point, strict=True):
            values[j] = value
        for i, price in zip(tight, prices, strict=True):
            multipliers[i] = -price
            if price != 0:
                for j, coefficient in self.rows[i].items():
                    reduced[j] -= price * coefficient
        slacks = [ZERO if i in basis.tight_rows else self._slack(i, values) for i in range(self.height)]
        return _Corner(values, slacks, multipliers, reduced)

    def _slack(self, i: int, values: list[Rational]) -> Rational:
        left = ZERO
        for j, coefficient in self.rows[i].items():
            if values[j] != 0:
                left += coefficient * values[j]
        return self.bounds[i] - left

    def _margins(self, corner: _Corner, active: Iterable[int]) -> tuple[list[Rational], list[Rational]]:
        """Return what is negative where a corner is not allowed, and what is where some step lowers the objective.

        With a free variable the objective must not change at all. Rows that are not `active` are left out.
        """
        allowed = [value for value, free in zip(corner.values, self.is_free, strict=True) if not free]
        dear = [-abs(cost) if free else cost for cost, free in zip(corner.reduced, self.is_free, strict=True)]
        for i in active:
            slack = corner.slacks[i]
            allowed.append(-abs(slack) if self.is_equal[i] else slack)
            dear += [] if self.is_equal[i] else [corner.multipliers[i]]
        return allowed, dear


def _float(value: Rational) -> float:
    return float(max(-_FAR, min(_FAR, value)))
