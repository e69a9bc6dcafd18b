"""A smooth convex program: what to minimise, and the same in one arithmetic with all bounds in units of their size."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import is_time_over
from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, dot, rational
from epstar.notions.constraints import Proportional, Scale, SumBound
from epstar.solve.program.arithmetic import ROUNDING, Arithmetic, Numbers, weighed
from epstar.solve.program.atoms import Curves, has_free_law
from epstar.solve.program.measured import Measured
from epstar.solve.program.predictor_corrector import Point

Floats = NDArray[np.float64]
Table = Sequence[Sequence[Rational]]

# Steps of Newton's method: more than it takes for rows to be laws to within what normalising mends.
_MOST_PRICES = 12
# Barriers of the supporting columns, in units of the objective; at least and at most as many steps are taken for each,
# until none changes an entry by a larger share.
_BARRIERS = 10.0 ** -np.arange(2, 16)
_FEW_STEPS, _STEPS_PER_BARRIER, _SETTLED = 3, 24, 0.1


@dataclass(frozen=True)
class SmoothProgram:
    """What to minimise: the worst cost under the laws, or the bound of the sums, whichever is not given.

    The bound of the sums is the level where all are in proportion to it, and common to all elsewhere; sums are measured
    as in `epstar.solve.program.atoms`. Where both are given, it is how much more than the level some sum needs, to
    first order.

    `given` says which answers may be given at all. A bound is sought in this `unit`, a cost from `least` on and in this
    share of the largest cost.
    """

    cost: Table
    laws: Sequence[Sequence[Rational]]
    sums: Sequence[SumBound]
    distortion: Real | None
    level: Real | None
    given: Sequence[Sequence[bool]]
    unit: Rational = ONE
    least: Rational = ZERO


@dataclass(frozen=True)
class Optimum:
    """The mechanism, the law of the output where it is free, the multipliers, and the minimum, a cost from `least` on.

    `linear` multiplies the costs under the laws, `sums` the sums; `columns` are where to take the tangents of the sums,
    if not at the mechanism.
    """

    matrix: tuple[tuple[Rational, ...], ...]
    law: tuple[Rational, ...]
    linear: tuple[Rational, ...]
    sums: tuple[Rational, ...]
    value: Decimal
    columns: tuple[tuple[Rational, ...], ...] = ()


@dataclass(frozen=True)
class Iterate(Point):
    """The entries beside their reserves, the slacks of bounds beside their multipliers, the objective, row prices."""

    @property
    def table(self) -> Numbers:
        """The entries of the mechanism, with the law of the output where that is free."""
        return np.asarray(self.primal[0])

    @property
    def reserves(self) -> Numbers:
        """The duals of the signs of the entries."""
        return np.asarray(self.dual[0])

    @property
    def slacks(self) -> Numbers:
        """The slacks of the bounds."""
        return np.asarray(self.primal[1])

    @property
    def multipliers(self) -> Numbers:
        """The multipliers of the bounds."""
        return np.asarray(self.dual[1])

    @property
    def objective(self) -> Any:
        """What is minimised."""
        return self.free[0]

    @property
    def prices(self) -> Numbers:
        """The prices of the equations."""
        return np.asarray(self.free_dual[0])

    def with_entries(self, table: Numbers, reserves: Numbers) -> Iterate:
        """Return the same with other entries."""
        return replace(self, primal=(table, self.slacks), dual=(reserves, self.multipliers))

    def among(self, chosen: NDArray[np.intp], outputs: int) -> Iterate:
        """Return the same with outputs that are never given beside those chosen."""
        table, reserves = np.zeros((len(self.table), outputs)), np.ones((len(self.table), outputs))
        table[:, chosen], reserves[:, chosen] = self.table, self.reserves
        return self.with_entries(table, reserves)


@dataclass(eq=False)
class StandardForm:
    """The least t with g(q) <= bounds + shares * t, equations kept, over a table q >= 0 of the entries that may move.

    Of the bounds the first `linear` ones are forms of the table, the others curves of its columns. `sums` has for each
    row of the table the place of the equation that says what it adds up to, -1 where there is none. Equations about one
    output alone, also those that follow from others, are `firm`.
    """

    curves: Curves
    moving: NDArray[np.bool_]
    linear: Numbers
    bounds: Numbers
    shares: Numbers
    equations: Numbers
    sides: Numbers
    sums: NDArray[np.intp]
    firm: Numbers
    firm_sides: Numbers

    @property
    def count(self) -> int:
        """How many of the bounds are linear."""
        return len(self.linear)

    @cached_property
    def is_of_one_output(self) -> NDArray[np.bool_]:
        """Which linear bounds are about one output alone."""
        return np.asarray((self.linear != 0).any(axis=1).sum(axis=1) == 1)

    def among(self, outputs: NDArray[np.intp]) -> Self:
        """Return the same with some of the outputs alone."""
        fewer = copy(self)
        fewer.moving, fewer.linear = self.moving[:, outputs], self.linear[:, :, outputs]
        fewer.equations, fewer.firm = self.equations[:, :, outputs], self.firm[:, :, outputs]
        vars(fewer).pop("is_of_one_output", None)
        return fewer

    def priced(self, prices: Numbers) -> Numbers:
        """Return what prices of the equations are for each entry."""
        return weighed(prices, self.equations)

    def start_table(self) -> Numbers:
        """Return a table to start from: of rows that add up to one, each entry as large as any."""
        given = self.moving / np.maximum(self.moving.sum(axis=1), 1)[:, None]
        return np.asarray(np.where(self.sums[:, None] >= 0, given, self.moving / self.moving.shape[1]))


class Scaled(StandardForm):
    """A program in one arithmetic, with all bounds and the objective in units of their size."""

    def __init__(self, program: SmoothProgram, arithmetic: Arithmetic) -> None:
        self.program, self.arithmetic = program, arithmetic
        rows = len(program.cost) + has_free_law(program.sums)
        self.curves = Curves(program.sums, rows, arithmetic, [program.level] * len(program.sums))
        self.number = arithmetic.number
        self.one, self.zero = self.number(1), self.number(0)
        # Costs count above the cheapest answers: where little more is allowed, hardly a digit would be left of it.
        cheapest = [
            min(d for d, is_given in zip(row, given, strict=True) if is_given)
            for row, given in zip(program.cost, program.given, strict=True)
        ]
        cost = arithmetic.array([[d - low for d in row] for row, low in zip(program.cost, cheapest, strict=True)])
        laws = arithmetic.array(program.laws).reshape(-1, len(cost))
        outputs, given = cost.shape[1], np.array(program.given)
        self.moving = np.vstack([given, *[given.any(axis=0)] * (rows - len(cost))])
        # Whole numbers are the same in floats and decimals.
        self.equations = np.where(self.moving, np.eye(rows, dtype=int)[:, :, None], 0)
        self.sides, self.sums = np.ones(rows, dtype=int), np.arange(rows)
        self.firm, self.firm_sides = self.equations[:0], self.sides[:0]
        count, sums = len(laws), len(program.sums)
        allowed = program.distortion or Real.of(program.least)
        costs = arithmetic.array([allowed - dot(law, cheapest) for law in program.laws])
        of_sums = arithmetic.zeros(sums)
        sizes, rates = of_sums + self.one, arithmetic.array([growth(bound.scale) for bound in program.sums])
        largest = abs(cost).max() or self.one
        self.unit = arithmetic.read(Real.of(program.unit)) * (largest if program.distortion is None else self.one)
        if program.level is not None:
            measured = [Measured.at(bound, program.level) for bound in program.sums]
            of_sums, rates, sizes = (
                arithmetic.array([getattr(bound, part) for bound in measured]) for part in ("bound", "growth", "unit")
            )
        self.units = np.concatenate([arithmetic.zeros(count) + largest, sizes])
        self.bounds = np.concatenate([costs, of_sums]) / self.units
        self.linear = arithmetic.zeros(count, rows, outputs)
        self.linear[:, : len(cost)] = laws[:, :, None] * cost / largest
        self.curves.measure_in(sizes)
        is_cost = np.arange(count + sums) < count
        is_shared = is_cost if program.distortion is None else ~is_cost
        rates = np.concatenate([arithmetic.zeros(count) + self.one, rates])
        self.shares = np.where(is_shared, self.unit * rates / self.units, self.zero)

    def start_table(self) -> Numbers:
        """Return a strictly feasible start: an analytic centre, with a law of the output where that is free.

        An entry is one over the sum of a price of its row and its cost, with costs as steep as it takes to leave half
        of the room in the distortion: as likely as any where it costs nothing, and its share of a room that is little.
        Newton's method doubles an entry in a step at most, and would take a step for each binary digit by which answers
        that are free to grow started too small.

        Raises:
            SolverFailure: if the distortion allowed leaves no room.
        """
        inputs, room = len(self.program.cost), self.bounds[: self.count]
        moving, costs = self.moving[:inputs], self.linear[:, :inputs]
        steepness, steepest = self.zero, self.number(0)
        dear = np.where(moving, self.zero, self.one)
        if self.program.distortion is not None:
            if not (room > 0).all():
                raise SolverFailure("The distortion allowed leaves no room.")
            dear = (costs / room[:, None, None]).max(axis=0, initial=self.zero)
            steepest = self.number(8 * moving.size)
        dear = np.where(moving, dear, dear.max() + self.one)
        is_cheapest = np.arange(dear.shape[1]) == dear.argmin(axis=1)[:, None]
        least = np.where(is_cheapest, costs, self.zero).sum(axis=(1, 2))
        dear = dear - dear.min(axis=1)[:, None]
        table = _centre(dear * steepness, moving)
        while steepness < steepest and ((costs * table).sum(axis=(1, 2)) > (least + room) / 2).any():
            steepness = max(self.one, 2 * steepness)
            table = _centre(dear * steepness, moving)
        # A law of the output is free to give as much as any to answers that hardly are.
        given = np.where(self.moving.any(axis=0), self.one, self.zero)
        law = (table.mean(axis=0) + given / given.sum()) / 2
        return np.vstack([table, *[law] * (len(self.moving) - len(table))])

    def optimum(self, at: Iterate, columns: Numbers | tuple[()]) -> Optimum:
        """Return an iterate in the program's own units, with where to take the tangents, if not there."""
        inputs = len(self.program.cost)
        multipliers = [_exactly(value) for value in at.multipliers * self.unit / self.units]
        table, places = (tuple(tuple(_exactly(entry) for entry in row) for row in part) for part in (at.table, columns))
        return Optimum(
            table[:inputs],
            table[inputs] if len(table) > inputs else (),
            tuple(multipliers[: self.count]),
            tuple(multipliers[self.count :]),
            Decimal(at.objective * self.unit),
            places[:inputs],
        )


def growth(scale: Scale) -> Rational:
    """Return how fast a bound grows with the objective, where bounds of sums are minimised."""
    return scale.factor if isinstance(scale, Proportional) else ONE


def _exactly(value: Any) -> Rational:
    """Return the number that a float or a decimal is."""
    return rational(value) if isinstance(value, Decimal) else Rational(*float(value).as_integer_ratio())


def _centre(costs: Numbers, moving: NDArray[np.bool_]) -> Numbers:
    """Return rows of one over a price plus the costs, whose least is nothing; the prices make them laws."""
    prices = costs[:, :1] * 0 + 1
    for _ in range(_MOST_PRICES):
        entries = np.where(moving, 1 / (prices + costs), 0 * prices)
        total = entries.sum(axis=1)[:, None]
        # Newton's method for one over the total, which is concave.
        prices = prices + (total - 1) * total / (entries**2).sum(axis=1)[:, None]
    centred: Numbers = entries / total
    return centred


def supporting_columns(program: StandardForm, at: Iterate) -> Floats:
    """Return for each output the column, as a law, whose cost with all bounds, less the row prices, is least.

    There the tangents of the bounds are steepest where it matters: no entry of the output costs less than its row price
    by more than the least value itself. Newton's method on a barrier, for all outputs at once; where roundings lead it
    away, the column with the best entries is kept.
    """
    moving, curves = program.moving, program.curves
    scale = max(1.0, abs(at.objective))
    weights = at.multipliers / scale
    if curves.row_pairs is not None:
        binding = np.flatnonzero(weights[program.count :])
        curves = curves.among(binding)
        weights = np.concatenate([weights[: program.count], weights[program.count :][binding]])
    costs = weighed(weights[: program.count], program.linear)
    linear = np.where(moving, costs - program.priced(at.prices) / scale, 0.0)
    columns = np.where(moving, np.maximum(at.table, 1e-300), 0.0)
    columns = np.where(moving, np.maximum(columns / columns.sum(axis=0), 1e-9), 0.0)
    columns /= columns.sum(axis=0)
    own, held = np.arange(len(columns)), moving.T
    relative, kept, highest = np.zeros(columns.shape), columns, np.full(columns.shape[1], -np.inf)
    for step, barrier in enumerate(np.repeat(_BARRIERS, _STEPS_PER_BARRIER)):
        if is_time_over():
            break
        if step % _STEPS_PER_BARRIER >= _FEW_STEPS and np.abs(relative).max() < _SETTLED:
            continue
        tangents = curves.at(columns)
        gradient = linear + curves.pushed(tangents, weights[program.count :])
        lowest = np.where(moving, gradient, np.inf).min(axis=0)
        kept, highest = np.where(lowest > highest, columns, kept), np.fmax(lowest, highest)
        # In units of the entries themselves, with the sum of the entries kept.
        system = curves.bend(tangents, weights[program.count :]) * columns.T[:, :, None] * columns.T[:, None, :]
        # Entries that always stand together, as those of one secret do, make a system singular but for the barrier.
        ridge = ROUNDING * np.trace(system, axis1=1, axis2=2)[:, None]
        system[:, own, own] += np.where(held, barrier, 1.0) + ridge
        side = np.where(moving, barrier - columns * gradient, 0.0)
        right = np.stack([side.T, columns.T], axis=2)
        free = np.linalg.solve(system, right)
        shift = (columns.T * free[:, :, 0]).sum(axis=1) / (columns.T * free[:, :, 1]).sum(axis=1)
        relative = (free[:, :, 0] - shift[:, None] * free[:, :, 1]).T
        length = np.minimum(1.0, 0.9 / np.maximum(-relative.min(axis=0), 1e-300))
        length = np.minimum(length, 4.0 / np.maximum(relative.max(axis=0), 1e-300))
        columns = columns * (1.0 + length * relative)
        columns /= columns.sum(axis=0)
    return kept
