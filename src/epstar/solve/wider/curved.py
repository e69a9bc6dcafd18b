"""Programs with curved bounds in the standard form of the interior-point method, and how it used the bounds.

A variable beside the entries of the mechanism, such as the least of a column, is an entry of a row of its own.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from epstar.deadline import Deadline
from epstar.errors import SolverFailure
from epstar.notions.constraints import Atom, Norm, Power, RelativeEntropy, SumBound
from epstar.solve.program.arithmetic import FLOATS
from epstar.solve.program.atoms import Curves
from epstar.solve.program.coefficients import in_floats
from epstar.solve.program.interior import InteriorPoint, interior_point
from epstar.solve.program.measured import Measured, excess
from epstar.solve.program.model import Solution
from epstar.solve.program.smooth_program import StandardForm, growth

if TYPE_CHECKING:
    from epstar.solve.wider.program import CurvedBound, Program, Row

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
# An iterate that meets its conditions less well is no solution: the constraints may contradict each other.
_CLOSE = 1e-5
# The share that rounding leaves of an equation that follows from others.
_DEPENDENT = 1e-10


@dataclass(frozen=True)
class Curved(Solution):
    """The solution of a program with curved bounds, with the multipliers of these, by their places in the table."""

    sums: dict[int, float] = field(default_factory=dict)
    point: InteriorPoint | None = None

    def places(self, bound: SumBound) -> tuple[tuple[float | None, ...], ...]:
        """Return where the terms of a bound are linearised, for each output.

        They are the ratios of both sides of each divergence, or the columns that a norm is taken of.
        """
        assert self.point is not None
        (_, first), *_ = bound.terms
        if isinstance(first, Norm):
            entries = np.array([in_floats(first.form(place), self.point.columns) for place in first.weights])
            largest = entries.max(axis=0)
            found = np.where(largest > 0, entries / np.where(largest > 0, largest, 1.0), np.nan).T
        else:
            found = np.array([_ratios(atom, self.point.columns) for _, atom in bound.terms])
        return tuple(tuple(None if np.isnan(value) else float(value) for value in row) for row in found)


def _ratios(atom: Atom, columns: Floats) -> Floats:
    assert isinstance(atom, RelativeEntropy | Power)
    left, right = in_floats(atom.left, columns), in_floats(atom.right, columns)
    kept = (left > 0) & (right > 0)
    return np.where(kept, left / np.where(kept, right, 1.0), np.nan)


def solve_curved(program: Program, deadline: Deadline) -> Curved:
    """Solve a program with curved bounds; one that breaks down has values that are no numbers."""
    empty = (row for row in program.rows if not row.coefficients)
    if not any(row.bound < 0 or (row.is_equation and row.bound > 0) for row in empty):
        form = _Form(program)
        with suppress(SolverFailure, linalg.LinAlgError):
            return form.solution(interior_point(form.standard, deadline.left))
    return Curved(np.full(len(program.lower), np.nan), {}, math.nan, False, "broke down")


class _Form:
    """A program in standard form, rows in units of their size, and distortions in that of the largest."""

    def __init__(self, program: Program) -> None:
        self.program = program
        inputs, outputs = program.table.shape
        beside = (row for row, _ in program.places if row is not None)
        rows = list(dict.fromkeys([*range(inputs), *(("law", which) for which in program.laws), *beside]))
        place = {row: i for i, row in enumerate(rows)}
        self.variables = np.delete(np.arange(len(program.lower)), program.worst)
        self.entries = np.array([place[row] * outputs + y for row, y in program.places if row is not None])
        self.shape = len(rows), outputs
        self.moving = np.zeros(self.shape, dtype=np.bool_)
        self.moving.flat[self.entries] = True
        # A row of which all entries vanish has no room, and a multiplier that nothing bounds.
        self.equal, self.above = (
            [i for i, row in enumerate(program.rows) if (row.is_equation or row.is_tight) is kind and row.coefficients]
            for kind in (True, False)
        )
        linear, bounds, shares, self.sizes = self._rows([program.rows[i] for i in self.above])
        # Distortions are in units of the largest; other goals are shares of what a bound allows.
        self.unit = float(self.sizes[shares > 0].max(initial=0.0)) if program.goal == "distortion" else 1.0
        shares = self.unit * shares
        if np.isfinite(program.lower[program.worst]):
            linear = np.concatenate([linear, np.zeros((1, *self.shape))])
            bounds, shares = np.append(bounds, -program.lower[program.worst]), np.append(shares, 1.0)
        curved = [self._measured(one) for one in program.curved.values()]
        most, given, self.units = (np.array(column) for column in zip(*curved, strict=True))
        levels = [one.level for one in program.curved.values()]
        curves = Curves([one.bound for one in program.curved.values()], len(rows), FLOATS, levels)
        curves.measure_in(self.units)
        bounds, shares = np.append(bounds, most / self.units), np.append(shares, given / self.units)
        self.equations, self.sides, _, self.equal_sizes = self._rows([program.rows[i] for i in self.equal])
        self.kept, sums = self._independent(self.equations)
        equal = self.equations[self.kept], self.sides[self.kept], sums
        is_firm = (self.equations != 0).any(axis=1).sum(axis=1) == 1
        firm = self.equations[is_firm], self.sides[is_firm]
        self.standard = StandardForm(curves, self.moving, linear, bounds, shares, *equal, *firm)

    def _rows(self, rows: list[Row]) -> tuple[Floats, Floats, Floats, Floats]:
        """Return rows as forms of the table, with what bounds them, what the goal gives them, and their sizes."""
        whole = np.zeros((len(rows), len(self.program.lower)))
        for i, row in enumerate(rows):
            whole[i, list(row.coefficients)] = [float(value) for value in row.coefficients.values()]
        forms = np.zeros((len(rows), math.prod(self.shape)))
        forms[:, self.entries] = whole[:, self.variables]
        sizes = np.abs(forms).max(axis=1, initial=0.0)
        sizes = np.where(sizes > 0, sizes, 1.0)
        sides = np.array([float(row.bound) for row in rows])
        return (
            (forms / sizes[:, None]).reshape(-1, *self.shape),
            sides / sizes,
            -whole[:, self.program.worst] / sizes,
            sizes,
        )

    @staticmethod
    def _measured(curved: CurvedBound) -> tuple[float, float, float]:
        """Return what a curved bound may be, how much more the goal gives it, and its unit."""
        if curved.level is None:
            return 0.0, float(growth(curved.bound.scale)), 1.0
        found = Measured.at(curved.bound, curved.level)
        return float(found.bound), curved.gives * float(found.growth), float(found.unit)

    def _independent(self, equations: Floats) -> tuple[Places, Places]:
        """Return equations none of which follows from others, and the place of the sum of each row among them."""
        flat, rows = equations.reshape(len(equations), -1), range(self.shape[0])
        alone = np.where(self.moving, np.eye(self.shape[0])[:, :, None], 0.0).reshape(self.shape[0], -1)
        found = [np.flatnonzero((flat == alone[x]).all(axis=1)) for x in rows]
        first = [int(places[0]) for places in found if places.size]
        others = np.array([i for i in range(len(flat)) if i not in first], dtype=np.intp)
        kept = np.array(first, dtype=np.intp)
        if others.size:
            left = flat[others]
            left = left - (left @ flat[kept].T / (flat[kept] ** 2).sum(axis=1)) @ flat[kept]
            triangle, order = linalg.qr(left.T, mode="r", pivoting=True)
            kept = np.concatenate([kept, others[order[: int((np.abs(triangle.diagonal()) > _DEPENDENT).sum())]]])
        position = {int(i): k for k, i in enumerate(kept)}
        return kept, np.array([position[int(places[0])] if places.size else -1 for places in found])

    def solution(self, point: InteriorPoint) -> Curved:
        """Return what the method found in the units of the program."""
        program, at, count = self.program, point.at, self.standard.count
        values = np.empty(len(program.lower))
        values[self.variables] = at.table.ravel()[self.entries]
        values[program.worst] = self.unit * at.objective
        used = zip(self.above, self.unit * at.multipliers[: len(self.above)] / self.sizes, strict=True)
        rows: dict[Hashable, float] = {number: float(multiplier) for number, multiplier in used}
        prices = zip(self.kept, -self.unit * at.prices / self.equal_sizes[self.kept], strict=True)
        rows |= {self.equal[i]: float(price) for i, price in prices}
        multipliers = zip(program.curved.items(), self.unit * at.multipliers[count:] / self.units, strict=True)
        sums = {u: float(multiplier) * _by_sum(curved) for (u, curved), multiplier in multipliers}
        if program.goal == "loss":
            values[program.worst] = _least(program, at.objective)
        unequal = np.abs(self.equations.reshape(len(self.equal), -1) @ at.table.ravel() - self.sides)
        finished = max(point.error, float(unequal.max())) <= _CLOSE
        least = float(values[program.worst])
        return Curved(values, rows, least, finished, "", precision=point.error, sums=sums, point=point)


def _by_sum(curved: CurvedBound) -> float:
    """Return how fast a bound as it is measured grows with its sum."""
    (_, atom), *_ = curved.bound.terms
    size = abs(float(excess(curved.bound)))
    if isinstance(atom, Power) and curved.level is not None:
        size *= abs(float(curved.bound.scale.bound(curved.level)))
    return 1 / size


def _least(program: Program, value: float) -> float:
    """Return the least bound of the sums, where the goal is how that is measured."""
    bound = next((curved.bound for curved in program.curved.values() if curved.level is None), None)
    if bound is None:  # the sums are of maxima, whose bound is the goal itself; what is curved was added
        return value
    (_, atom), *_ = bound.terms
    if isinstance(atom, RelativeEntropy):
        return float(growth(bound.scale)) * value
    share = float(excess(bound))
    return math.copysign(1 + share * value, share)
