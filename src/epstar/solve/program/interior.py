r"""Primal-dual interior-point method for smooth convex programs, in floats (Mehrotra, 1992).

Every entry has a reserve and every bound a slack and a multiplier; a step leads towards where all their products are
equal and smaller, with Mehrotra's corrector. Outputs that the optimum hardly ever gives are left out on the way, as
their columns would be rounding errors. A proof needs a tangent there too: `supporting_columns` finds, for each output,
the column that is most tempting at the final prices; outputs that are asked for come back. A program of very many
entries starts from a few useful outputs (column generation), known to few digits as long as others are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from functools import cached_property
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from epstar.errors import SolverFailure, TimeLimit
from epstar.solve.program.arithmetic import DECIMALS, FLOATS, ROUNDING, Numbers, inner, weighed
from epstar.solve.program.model import PRECISION
from epstar.solve.program.newton_systems import Floats, Linearised, System
from epstar.solve.program.predictor_corrector import Descent, Parts, Point, Program, descend
from epstar.solve.program.smooth_program import (
    Iterate,
    Optimum,
    Scaled,
    SmoothProgram,
    StandardForm,
    supporting_columns,
)

Places = NDArray[np.intp]

# Digits of decimals; the second many are for entries that floats hardly hold next to one.
_DIGITS, _PASSES = (50, 100), 2
# From this distance on outputs that are given less than this and fade are left out.
_DROPPING, _FADING = 1e-3, 3e-4
# By how much prices may be too high after a step: times what they were, and times the gap.
_FARTHER, _FAR = 10, 10**5
# The least slack to start from where the start breaks a bound, in units of the bound, or leaves a room of rounding
# errors; and the least reserve of an entry, as a share of the steepest slope.
_LEAST_SLACK, _LEAST_ROOM, _LEAST_RESERVE = 0.1, 1e-16, 1e-3
# The reduced cost that tempts, in units of the objective, and the probability that counts as given; roughly.
_TEMPTED, _GIVEN, _ROUGHLY_GIVEN = 1e-10, 1e-9, 1e-3
# The distance of the bound from the objective, in units of it, from which on other outputs are not worth a round.
_PROVEN = 1e-9
# The error of an iterate whose own columns are tangents good enough: `supporting_columns` would find few more digits.
_PROVEN_HERE = 1e-10
# Rounds of column generation, each of which brings back what tempts; more would follow rounding errors.
_MOST_ROUNDS = 12
# Up to this many entries all outputs are considered from the start; else this many, and those that are wanted then.
_FEW_ENTRIES, _FIRST_OUTPUTS = 4900, 16
# The share of the time that evidence takes: a sixth, for 100 categories.
_EVIDENCE = 0.25
# The same where the optimum is to be known but roughly.
_ROUGH = 1e-5
# The distance to which the first of many outputs are known, and by how much less once none are missing.
_FIRST_CLOSE, _CLOSER = 3e-3, 1e-2
# How many times the distance of an iterate from its optimum the bound may be away, for no output to be missing.
_SETTLING = 10.0
# Bounds bind unless their multipliers, in units of the largest, are a smaller share of their slacks in like units.
_IDLE = 1e-2


@dataclass(frozen=True)
class Interior:
    """The optimum in the program's own units, how far the bound that it proves is from it, and what to go on from.

    `inside` is a point well inside all bounds, if any was passed, and `outputs` are those that are given. With more
    time it might be better if it `is_cut_short`. `passed` are what answers to each input cost on the way there.
    """

    optimum: Optimum
    gap: float
    inside: Iterate | None
    outputs: Places
    passed: tuple[Floats, ...] = ()
    is_cut_short: bool = False


def interior_optimum(
    program: SmoothProgram, left: Callable[[], float | None], roughly: bool = False, start: Places | None = None
) -> Interior:
    """Return the minimum of a smooth convex program as far as floats go, or roughly, which is sooner done.

    What is known but roughly proves little. Of many outputs only those at `start` are considered at first, or some
    useful ones. `left` is called at every step and may raise to stop the work. Cost: some 30 steps; see
    `newton_systems`.

    Raises:
        SolverFailure: if the numbers break down.
    """
    with np.errstate(all="ignore"):
        try:
            return _Search(Scaled(program, FLOATS), left, roughly).run(start)
        except (LinAlgError, np.linalg.LinAlgError):
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.") from None


@dataclass(frozen=True)
class InteriorPoint:
    """The iterate of a program that is nearest to its optimum, and by how much it may be wrong."""

    program: StandardForm
    at: Iterate
    error: float
    inside: Floats | None
    """The first table on the way to it that kept all bounds strictly, if there was any."""

    @cached_property
    def columns(self) -> Floats:
        """Where to take the tangents of the sums: where the iterate is, if that proves nearly all there is to prove."""
        if self.error <= _PROVEN_HERE:
            return self.at.table
        with np.errstate(all="ignore"):
            return supporting_columns(self.program, self.at)


def interior_point(program: StandardForm, left: Callable[[], float | None]) -> InteriorPoint:
    """Return the minimum of a program in standard form as far as floats go, with all outputs.

    Raises:
        SolverFailure: if the numbers break down.
    """
    path = SmoothPath(program)
    with np.errstate(all="ignore"):
        found = path.followed(path.start(), PRECISION, left)
    return InteriorPoint(program, found.best, found.error, path.first)


def in_many_digits(
    program: SmoothProgram,
    known: Interior | None,
    precision: Callable[[Decimal], Decimal],
    left: Callable[[], float | None],
) -> Optimum:
    """Return the minimum to within `precision` of its value, from a point inside that floats found or from the start.

    Floats lose the digits that a proof needs where a bound hardly bends or an output fades away.

    Raises:
        SolverFailure: if Newton's method does not get there.
    """
    few, many = _DIGITS
    inside = None if known is None else known.inside
    # Steep bounds, and levels next to zero, are followed from inside alone.
    attempts = [(inside, few, False), (inside, many, True)] if inside is not None else []
    for start, digits, stays_inside in (*attempts, (None, many, False), (None, many, True)):
        with localcontext() as context, suppress(SolverFailure, ArithmeticError):
            context.prec = digits
            scaled = Scaled(program, DECIMALS)
            path = SmoothPath(scaled, stays_inside=stays_inside)
            best = path.centred(start)
            # A value that is still large may ask for less than the minimum does.
            for _ in range(_PASSES):
                wanted = precision(best.objective * scaled.unit) / scaled.unit
                close = float(wanted / max(Decimal(1), abs(best.objective)))
                found = path.followed(best, close, left)
                best = found.best
            if found.error <= close:
                return scaled.optimum(best, ())
    raise SolverFailure("Newton's method broke down; the program has no strict interior.")


class _Search:
    """The outputs that matter: solve with some, ask for those that are tempting, until none is."""

    def __init__(self, program: Scaled, left: Callable[[], float | None], roughly: bool) -> None:
        self.program, self._left, self.roughly = program, left, roughly
        self.inside: Iterate | None = None
        self.passed: tuple[Floats, ...] = ()
        self.best: Interior | None = None
        self._spared = _EVIDENCE * (left() or 0.0)

    def left(self) -> float | None:
        """Return the seconds left; once there is an optimum, some are for turning it into evidence.

        Raises:
            TimeLimit: if none are left.
        """
        remaining = self._left()
        if self.best is not None and remaining is not None and remaining < self._spared:
            raise TimeLimit("What is left of the time is for evidence.")
        return remaining

    def run(self, start: Places | None) -> Interior:
        """Return the optimum on the outputs that matter, or the best one that there was time for."""
        program = self.program
        outputs = program.moving.shape[1]
        is_large = bool(program.moving.sum() > _FEW_ENTRIES)
        chosen = np.arange(outputs) if not is_large else start if start is not None else self._useful(_FIRST_OUTPUTS)
        path, number = SmoothPath(program.among(chosen), drops=not is_large), 0
        at = path.start()
        last = _ROUGH if self.roughly else PRECISION
        # As long as outputs are missing more digits tell nothing.
        close = _FIRST_CLOSE if is_large else last
        while True:
            try:
                found = path.followed(at, close, self.left)
            except TimeLimit:
                if self.best is None:
                    raise
                return replace(self.best, is_cut_short=True)
            at = found.best
            cost = np.array(program.program.cost, dtype=float)[:, chosen]
            self.passed = tuple((cost * table[: len(cost)]).sum(axis=1) for table in path.passed)
            whole, scale = at.among(chosen, outputs), max(1.0, abs(at.objective))
            self.inside = self.inside or (path.inside if chosen.size == outputs else None)
            if self.roughly and chosen.size == outputs:
                return self._found(whole, whole.table, np.inf)
            # Of very many bounds those that bind are evidence enough.
            whole = self._binding(whole) if is_large else whole
            columns = supporting_columns(program, whole)
            tempting = _tempting(program, whole, columns)
            lowest = np.where(program.moving, tempting, np.inf).min(axis=1)
            gap = whole.objective - float((whole.prices + lowest).sum() - whole.multipliers @ program.bounds)
            if self.best is None or gap * program.unit < self.best.gap:
                self.best = self._found(whole, columns, gap)
            least = np.where(program.moving, columns * tempting, 0.0).sum(axis=0) / scale
            given = np.flatnonzero(whole.table.max(axis=0) > _GIVEN)
            cheapest = np.argsort(least)[: int((least < -_TEMPTED).sum())]
            wanted = np.union1d(given, cheapest[: _FIRST_OUTPUTS if is_large else None])
            is_same = number > 0 and np.array_equal(wanted, chosen)
            is_settled = is_large and gap <= _SETTLING * found.error * scale
            if gap <= _PROVEN * scale:
                return self.best
            # Where none is tempting and the bound far away, an output that fades has no column to take a tangent at.
            is_complete = cheapest.size == 0 and gap <= _ROUGH * scale
            if is_complete or is_same or is_settled or number == _MOST_ROUNDS:
                if close <= last:
                    return self.best
                close = max(last, close * _CLOSER)
                continue
            # Outputs were left out, or were left to fade, that the optimum wants; none is left out again.
            chosen, number = wanted, number + 1
            path = SmoothPath(program.among(chosen))
            at = path.start()

    def _binding(self, at: Iterate) -> Iterate:
        """Return an iterate with multipliers of the bounds that bind alone: those of others make evidence longer."""
        count, shares = self.program.count, self.program.shares
        if self.program.curves.row_pairs is None:
            return at
        sizes, slacks = at.multipliers / at.multipliers[count:].max(), at.slacks / at.slacks[count:].max()
        is_kept = (np.arange(len(sizes)) < count) | (sizes > _IDLE * slacks)
        kept = np.where(is_kept, at.multipliers, 0.0)
        return replace(at, dual=(at.reserves, np.where(shares > 0, kept / (shares @ kept), kept)))

    def _found(self, at: Iterate, columns: Floats, gap: float) -> Interior:
        program = self.program
        if not all(np.isfinite(part).all() for part in (at.table, at.multipliers, columns)):
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
        outputs = np.flatnonzero(at.table.max(axis=0) > (_ROUGHLY_GIVEN if self.roughly else _GIVEN))
        # In units of the bounds, smaller ones are roundings.
        kept = np.where(at.multipliers > 10 * ROUNDING * at.multipliers.max(), at.multipliers, 0.0)
        settled = Iterate((np.maximum(at.table, 0.0), at.slacks), (at.reserves, kept), at.free, at.free_dual)
        return Interior(program.optimum(settled, columns), gap * program.unit, self.inside, outputs, self.passed)

    def _useful(self, count: int) -> Places:
        """Return outputs with a cheap one for every input: each lowers the cost most, after the others."""
        cost = self.program.linear.mean(axis=0)
        best, chosen = np.full(len(cost), cost.max()), list[int]()
        while len(chosen) < count or (len(chosen) < cost.shape[1] and not self._is_met(best)):
            chosen.append(int(np.minimum(cost, best[:, None]).sum(axis=0).argmin()))
            best = np.minimum(best, cost[:, chosen[-1]])
        return np.unique(chosen)

    def _is_met(self, best: Floats) -> bool:
        """Return whether the cheapest of some outputs leave half of the room in the distortion allowed, if any is."""
        return (
            self.program.program.distortion is None
            or float(best.sum()) < self.program.bounds[: self.program.count].mean() / 2
        )


class SmoothPath(Program[Iterate]):
    """A program on the way to its optimum, on the outputs that still matter."""

    is_linear, correctors = False, 0

    def __init__(self, program: StandardForm, drops: bool = False, stays_inside: bool = False) -> None:
        self.program, self.drops, self.moving = program, drops, program.moving
        self.stays_inside = stays_inside
        self.inside: Iterate | None = None
        self.first: Numbers | None = None
        self.passed: list[Numbers] = []
        self._last: Linearised | None = None
        self._before: Any = 0
        self._close = 0.0

    def followed(self, start: Iterate, close: float, left: Callable[[], float | None]) -> Descent[Iterate]:
        """Return the best iterate.

        Raises:
            SolverFailure: if there is none.
        """
        self._close = close
        found = descend(self, start, close, left)
        if not found.error < float_info.max:
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
        return found

    def at(self, point: Iterate) -> Linearised:
        """Return the program at a point, remembered as long as no other is asked about."""
        if self._last is None or self._last.at is not point:
            self._last = Linearised.of(self.program, self.moving, point)
        return self._last

    def start(self) -> Iterate:
        """Return the program's start, with products of pairs that are about equal."""
        program, moving = self.program, self.moving
        empty = self._empty(program.start_table(), None)
        shared, slacks, table = program.shares > 0, self._room(empty), empty.table
        slacks = np.where(slacks > _LEAST_ROOM, slacks, _LEAST_SLACK)
        share = 1.0 / float((program.shares / slacks).sum())
        multipliers = np.where(shared, share / slacks, 0.0)
        room = float(np.abs(weighed(multipliers[: program.count], program.linear)).mean()) or 1.0
        multipliers = np.where(shared, multipliers, room / moving.shape[1] / slacks)
        gradient = self.at(empty).pushed(multipliers)
        room = max(room, _LEAST_RESERVE * float(np.abs(gradient).max()))
        prices, known = np.zeros(program.sides.size), np.flatnonzero(program.sums >= 0)
        prices[program.sums[known]] = np.where(moving, gradient, np.inf).min(axis=1)[known] - room
        reserves = np.where(moving, np.maximum(gradient - program.priced(prices), room), 1.0)
        return Iterate((table, slacks), (reserves, multipliers), empty.free, (prices,))

    def centred(self, known: Iterate | None) -> Iterate:
        """Return a point that is known, or the program's start, with products that are alike, in its own numbers.

        Raises:
            SolverFailure: if it leaves no room in some bound.
        """
        program, number = self.program, self.program.curves.arithmetic.number
        if known is None:
            empty = self._empty(program.start_table(), None)
        else:
            table = np.array([[number(entry) for entry in row] for row in known.table.tolist()])
            empty = self._empty(table, number(known.objective))
        table, slacks = empty.table, self._room(empty)
        if not (slacks > 0).all():
            raise SolverFailure("The start meets some bound only just, so that no path leads from it.")
        # The multipliers share the objective.
        mean = 1 / (program.shares / slacks).sum()
        multipliers, reserves = mean / slacks, np.where(self.moving, mean / np.where(self.moving, table, 1), 1)
        prices = (table * np.where(self.moving, self.at(empty).pushed(multipliers) - reserves, 0)).sum(axis=1)
        return Iterate((table, slacks), (reserves, multipliers), empty.free, (prices,))

    def _empty(self, table: Numbers, objective: Any) -> Iterate:
        """Return a table without multipliers, with an objective that leaves room in the bounds that share it."""
        nothing, program = table[:0, 0], self.program
        empty = Iterate((table, nothing), (nothing, nothing), (program.curves.arithmetic.number(0),), (nothing,))
        if objective is None:
            shared = program.shares > 0
            least = (-self._room(empty)[shared] / program.shares[shared]).max()
            objective = least + max(1, abs(least))
        return replace(empty, free=(objective,))

    def newton(self, point: Iterate) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point."""
        system = System(self.at(point))
        return lambda targets: system.step(*targets)

    def _room(self, point: Iterate) -> Numbers:
        """Return how much room each bound leaves."""
        return np.asarray(self.program.shares * point.objective + self.program.bounds - self.at(point).values)

    def _overpriced(self, point: Iterate) -> Any:
        """Return by how much in all the prices of rows exceed the least that their entries cost."""
        cheapest = self.at(point).reduced.min(axis=1)
        return -cheapest[cheapest < 0].sum()

    def error(self, point: Iterate) -> float:
        """Return how far an iterate is from the optimum, in units of the objective."""
        program, linear, room = self.program, self.at(point), self._room(point)
        if self.moving is program.moving and (room > 0).all():
            self.inside = point
            self.first = point.table if self.first is None else self.first
        residual = np.where(self.moving, linear.reduced - point.reserves, 0)
        parts = (
            abs(point.table * residual).max(),
            # A bound of no price is broken at no cost, and yet must be kept.
            abs(point.multipliers * (point.slacks - room)).max(),
            -room.min(),
            abs(1 - program.shares @ point.multipliers),
            abs(inner(program.equations, point.table) - program.sides).max(),
        )
        # In decimals both, and what one is of the other, may be out of the range of floats.
        return float(
            min(max(point.gap, *parts, self._overpriced(point)) / max(1, abs(point.objective)), float_info.max)
        )

    def least_centring(self, point: Iterate) -> float:
        """Return how far prices ask for too much, which first come down; keep what is passed on the way."""
        self._before = self._overpriced(point)
        if self._close < float(point.gap / max(1, abs(point.objective))) <= 1:
            self.passed.append(point.table)
        return float(min(1, self._before / point.gap))

    def is_astray(self, before: Iterate, after: Iterate, target: Any) -> bool:
        """Return whether an entry nearly vanished in one step: its slopes go with it, and no step brings them back.

        Inside, a step may not leave a bound, and must lower what the path's point minimises.
        """
        if self.stays_inside:
            is_inside = bool((self._room(after) > 0).all())
            return not is_inside or self._potential(after, target) > self._potential(before, target)
        return bool(self._overpriced(after) > max(_FARTHER * self._before, _FAR * before.gap))

    def _potential(self, point: Iterate, share: Any) -> Any:
        """Return the objective over the share less the logarithms of all entries and slacks."""
        log = self.program.curves.arithmetic.log
        return point.objective / share - log(point.table[self.moving]).sum() - log(self._room(point)).sum()

    def simplified(self, point: Iterate, error: float) -> Iterate:
        """Return the point with slacks as they are, or without the outputs that fade away."""
        if self.stays_inside:
            return replace(point, primal=(point.table, self._room(point)))
        if not self.drops or error >= _DROPPING:
            return point
        is_small = np.where(self.moving, point.table, 0.0).max(axis=0) < _FADING
        is_fading = is_small & (~self.moving | (point.table < point.reserves)).all(axis=0)
        if not (is_fading & self.moving.any(axis=0)).any():
            return point
        self.moving = self.moving & ~is_fading
        return point.with_entries(np.where(self.moving, point.table, 0.0), np.where(self.moving, point.reserves, 1.0))


def _tempting(program: StandardForm, at: Iterate, columns: Floats) -> Floats:
    """Return what every entry costs less its row price, with the tangents of the bounds at some columns."""
    there = at.with_entries(columns, at.reserves)
    return Linearised.of(program, program.moving, there).pushed(at.multipliers) - program.priced(at.prices)
