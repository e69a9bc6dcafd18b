r"""Primal-dual interior-point method for smooth convex programs, in floats (Mehrotra, 1992).

Every entry has a reserve and every bound a slack and a multiplier; a step leads towards where all their products are
equal and smaller, with Mehrotra's corrector. Outputs that the optimum hardly ever gives are left out on the way, as
their columns would be rounding errors. A proof needs a tangent there too: `supporting_columns` finds, for each output,
the column that is most tempting at the final prices; outputs that are asked for come back. A program of very many
entries starts from a few useful outputs (column generation), known to few digits as long as others are missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import Rational
from epstar.solve.program.arithmetic import FLOATS
from epstar.solve.program.newton_systems import Floats, Iterate, Linearised, System
from epstar.solve.program.smooth_program import Optimum, Scaled, SmoothProgram, StandardForm, State, exactly
from epstar.solve.program.supporting_columns import supporting_columns

Places = NDArray[np.intp]
Flags = NDArray[np.bool_]

# More steps than a program takes that gets anywhere.
_MOST_STEPS = 100
# The distance from the optimum, in units of the objective, at which floats have no digits left.
_CLOSE = 1e-13
# Once this near, a few steps without progress are rounding; farther away they may be a difficult passage.
_NEAR, _STALLED_NEAR, _STALLED = 1e-7, 6, 20
# Farther from the optimum than this share of the objective, it is progress if both fall.
_NEARBY = 0.1
# From this distance on outputs that are given less than this and fade are left out.
_DROPPING, _FADING = 1e-3, 3e-4
# By how much prices may be too high after a step: times what they were, and times the gap.
_FARTHER, _FAR, _MOST_HALVINGS = 10.0, 1e5, 8
# The share of the way to the boundary that is taken, and the least centring.
_BACK_OFF, _LEAST_CENTRING = 0.99, 1e-3
# The least slack to start from where the start breaks a bound, in units of the bound.
_LEAST_SLACK = 0.1
# The reduced cost that tempts, in units of the objective, and the probability that counts as given; roughly.
_TEMPTED, _GIVEN, _ROUGHLY_GIVEN = 1e-10, 1e-9, 1e-3
# The distance of the bound from the objective, in units of it, from which on other outputs are not worth a round.
_PROVEN = 1e-9
_MOST_ROUNDS = 12
# A multiplier with a smaller share of the largest is a rounding error.
_FAINT = 1e-14
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

    `state` is a point well inside all bounds, if any was passed; `binding` are the bounds whose multipliers are larger
    than their slacks, and `outputs` those that are given. With more time it might be better if it `is_cut_short`.
    """

    optimum: Optimum
    gap: float
    state: State | None
    binding: Flags
    outputs: Places
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
class _End:
    """The best iterate of a run, how far it is from the optimum, and the last and the first point inside on the way."""

    at: Iterate
    error: float
    inside: State | None
    first: Floats | None = None


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
        """Where to take the tangents of the sums."""
        with np.errstate(all="ignore"):
            return supporting_columns(self.program, self.at)


def interior_point(program: StandardForm, left: Callable[[], float | None]) -> InteriorPoint:
    """Return the minimum of a program in standard form as far as floats go, with all outputs.

    Raises:
        SolverFailure: if the numbers break down.
    """
    with np.errstate(all="ignore"):
        found = _Run(program, np.arange(program.moving.shape[1]), left, drops=False).end(_CLOSE)
    return InteriorPoint(program, found.at, found.error, found.first)


class _Search:
    """The outputs that matter: solve with some, ask for those that are tempting, until none is."""

    def __init__(self, program: Scaled, left: Callable[[], float | None], roughly: bool) -> None:
        self.program, self._left, self.roughly = program, left, roughly
        self.inside: State | None = None
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
        run, number = _Run(program, chosen, self.left, drops=not is_large), 0
        last = _ROUGH if self.roughly else _CLOSE
        # As long as outputs are missing more digits tell nothing.
        close = _FIRST_CLOSE if is_large else last
        while True:
            try:
                found = run.end(close)
            except TimeLimit:
                if self.best is None:
                    raise
                return replace(self.best, is_cut_short=True)
            at, scale = found.at.among(chosen, outputs), max(1.0, abs(found.at.objective))
            self.inside = self.inside or found.inside
            if self.roughly and chosen.size == outputs:
                return self._found(at, at.table, np.inf)
            # Of very many bounds those that bind are evidence enough.
            at = self._binding(at) if is_large else at
            columns = supporting_columns(program, at)
            tempting = _tempting(program, at, columns)
            lowest = np.where(program.moving, tempting, np.inf).min(axis=1)
            gap = at.objective - float((at.prices + lowest).sum() - at.multipliers @ program.bounds)
            if self.best is None or gap * program.unit < self.best.gap:
                self.best = self._found(at, columns, gap)
            least = np.where(program.moving, columns * tempting, 0.0).sum(axis=0) / scale
            given = np.flatnonzero(at.table.max(axis=0) > _GIVEN)
            cheapest = np.argsort(least)[: int((least < -_TEMPTED).sum())]
            wanted = np.union1d(given, cheapest[: _FIRST_OUTPUTS if is_large else None])
            is_same = number > 0 and np.array_equal(wanted, chosen)
            is_settled = is_large and gap <= _SETTLING * found.error * scale
            if gap <= _PROVEN * scale:
                return self.best
            if cheapest.size == 0 or is_same or is_settled or number == _MOST_ROUNDS:
                if close <= last:
                    return self.best
                close = max(last, close * _CLOSER)
                continue
            # Outputs were left out, or were left to fade, that the optimum wants; none is left out again.
            chosen, number = wanted, number + 1
            run = _Run(program, chosen, self.left, drops=False)

    def _binding(self, at: Iterate) -> Iterate:
        """Return an iterate with multipliers of the bounds that bind alone: those of others make evidence longer."""
        count, shares = self.program.count, self.program.shares
        if self.program.curves.row_pairs is None:
            return at
        sizes, slacks = at.multipliers / at.multipliers[count:].max(), at.slacks / at.slacks[count:].max()
        is_kept = (np.arange(len(sizes)) < count) | (sizes > _IDLE * slacks)
        kept = np.where(is_kept, at.multipliers, 0.0)
        return replace(at, multipliers=np.where(shares > 0, kept / (shares @ kept), kept))

    def _found(self, at: Iterate, columns: Floats, gap: float) -> Interior:
        program = self.program
        inputs, unit = len(program.program.cost), program.unit
        if not all(np.isfinite(part).all() for part in (at.table, at.multipliers, columns)):
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
        # In units of the bounds, smaller ones are roundings.
        kept = np.where(at.multipliers > _FAINT * at.multipliers.max(), at.multipliers, 0.0)
        multipliers = [exactly(value) for value in kept * unit / program.units]
        table, places = _rationals(np.maximum(at.table, 0.0)), _rationals(columns)
        optimum = Optimum(
            table[:inputs],
            table[inputs] if len(table) > inputs else (),
            tuple(multipliers[: program.count]),
            tuple(multipliers[program.count :]),
            Decimal(float(at.objective * unit)),
            places[:inputs],
        )
        outputs = np.flatnonzero(at.table.max(axis=0) > (_ROUGHLY_GIVEN if self.roughly else _GIVEN))
        return Interior(optimum, gap * unit, self.inside, at.multipliers > at.slacks, outputs)

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


def _rationals(table: Floats) -> tuple[tuple[Rational, ...], ...]:
    return tuple(tuple(exactly(entry) for entry in row) for row in table.tolist())


class _Run:
    """The method on some of the outputs."""

    def __init__(self, program: StandardForm, chosen: Places, left: Callable[[], float | None], drops: bool) -> None:
        self.program, self.left, self.drops = program.among(chosen), left, drops
        self.is_whole = chosen.size == program.moving.shape[1]
        self.moving = self.program.moving
        self.linear = self._start()

    def _start(self) -> Linearised:
        """Return the program's start, with products of pairs that are about equal."""
        program, moving = self.program, self.moving
        table = program.start_table()
        nothing = np.zeros(0)
        at = Iterate(table, nothing, nothing, nothing, nothing, 0.0)
        lacking = Linearised.of(program, moving, at).values - program.bounds
        shared = program.shares > 0
        least = float((lacking[shared] / program.shares[shared]).max())
        objective = least + max(1.0, abs(least))
        slacks = program.shares * objective - lacking
        slacks = np.where(slacks > 0, slacks, _LEAST_SLACK)
        share = 1.0 / float((program.shares / slacks).sum())
        multipliers = np.where(shared, share / slacks, 0.0)
        at = replace(at, slacks=slacks, multipliers=multipliers, objective=objective)
        linear = np.tensordot(multipliers[: program.count], program.linear, axes=1)
        room = float(np.abs(linear).mean()) or 1.0
        at = replace(at, multipliers=np.where(shared, multipliers, room / moving.shape[1] / slacks))
        gradient = Linearised.of(program, moving, at).pushed(at.multipliers)
        room = max(room, _LEAST_CENTRING * float(np.abs(gradient).max()))
        prices, known = np.zeros(program.sides.size), np.flatnonzero(program.sums >= 0)
        prices[program.sums[known]] = np.where(moving, gradient, np.inf).min(axis=1)[known] - room
        reserves = np.maximum(gradient - program.priced(prices), room)
        at = replace(at, prices=prices, reserves=np.where(moving, reserves, 1.0))
        return Linearised.of(program, moving, at)

    def end(self, close: float) -> _End:
        """Return the best iterate, once one is close enough or the steps gain nothing more."""
        best: _End | None = None
        inside: State | None = None
        first: Floats | None = None
        stalled, least = 0, np.inf
        for _ in range(_MOST_STEPS):
            self.left()
            error = self._error()
            if not np.isfinite(error):
                break
            # A step that went too far takes some to recover from, and yet may be the shortest way. Powers may start so
            # large that the objective falls as fast as the distance from the optimum.
            gap = self._gap()
            is_nearer = best is None or error < 0.8 * best.error or (best.error > _NEARBY and gap < 0.8 * least)
            stalled, least = 0 if is_nearer else stalled + 1, min(gap, least)
            inside = self._state() or inside
            first = self.linear.at.table if first is None and inside is not None else first
            if best is None or error < best.error:
                best = _End(self.linear.at, error, inside)
            if best.error < close or stalled >= (_STALLED_NEAR if best.error < _NEAR else _STALLED):
                break
            if self.drops and best.error < _DROPPING:
                self._drop()
            try:
                self._step()
            except (LinAlgError, np.linalg.LinAlgError, ValueError):
                break
        if best is None:
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
        return replace(best, inside=inside, first=first)

    def _state(self) -> State | None:
        """Return the iterate as a point near the central path, None unless it has all outputs and keeps all bounds."""
        at = self.linear.at
        if not (self.is_whole and np.array_equal(self.moving, self.program.moving)):
            return None
        slacks = self.program.shares * at.objective + self.program.bounds - self.linear.values
        if not (slacks > 0).all():
            return None
        return State(at.table, at.objective, self._gap() / (int(self.moving.sum()) + len(at.slacks)))

    def _gap(self) -> float:
        at = self.linear.at
        return float((at.table * at.reserves)[self.moving].sum() + at.slacks @ at.multipliers)

    def _overpriced(self) -> float:
        """Return by how much in all the prices of rows exceed the least that their entries cost."""
        cheapest = self.linear.reduced.min(axis=1)
        return float(np.maximum(-cheapest, 0.0).sum())

    def _error(self) -> float:
        """Return how far an iterate is from the optimum, in units of the objective."""
        at, program = self.linear.at, self.program
        residual = np.where(self.moving, self.linear.reduced - at.reserves, 0.0)
        unequal = float(np.abs(np.tensordot(program.equations, at.table, axes=2) - program.sides).max())
        # A bound of no price is broken at no cost, and yet must be kept.
        broken = self.linear.values - program.bounds - program.shares * at.objective
        unmet = float(np.abs(at.multipliers * (broken + at.slacks)).max())
        unshared = abs(1.0 - float(program.shares @ at.multipliers))
        parts = (self._gap(), float(np.abs(at.table * residual).max()), unmet, unshared, unequal, float(broken.max()))
        return max(*parts, self._overpriced()) / max(1.0, abs(at.objective))

    def _drop(self) -> None:
        """Leave out the outputs that fade away."""
        at, moving = self.linear.at, self.moving
        is_small = np.where(moving, at.table, 0.0).max(axis=0) < _FADING
        fading = is_small & (~moving | (at.table < at.reserves)).all(axis=0) & moving.any(axis=0)
        if fading.any():
            self.moving = moving & ~fading
            table, reserves = np.where(self.moving, at.table, 0.0), np.where(self.moving, at.reserves, 1.0)
            self.linear = Linearised.of(self.program, self.moving, replace(at, table=table, reserves=reserves))

    def _step(self) -> None:
        """Take a predictor and a corrector step."""
        at, moving = self.linear.at, self.moving
        system = System(self.linear)
        total, overpriced = self._gap(), self._overpriced()
        mean = total / (int(moving.sum()) + len(at.slacks))
        ahead = system.step(np.zeros(at.table.shape), np.zeros(at.slacks.shape))
        length = min(1.0, _room(at, ahead, moving))
        # Prices that ask for too much first come down.
        behind = min(1.0, overpriced / total)
        target = mean * max(_LEAST_CENTRING, (1.0 - length) ** 2, behind)
        step = system.step(
            target - length**2 * ahead.table * ahead.reserves, target - length**2 * ahead.slacks * ahead.multipliers
        )
        length = min(1.0, _BACK_OFF * _room(at, step, moving))
        for _ in range(_MOST_HALVINGS):
            self.linear = Linearised.of(self.program, moving, at.moved(step, length))
            # An entry that nearly vanishes in one step takes slopes with it that no further step brings back.
            if self._overpriced() <= max(_FARTHER * overpriced, _FAR * total):
                break
            length /= 2


def _room(at: Iterate, step: Iterate, moving: Flags) -> float:
    """Return how far a step leads inside."""
    parts = ((at.table[moving], step.table[moving]), (at.reserves[moving], step.reserves[moving]))
    falls = [*parts, (at.slacks, step.slacks), (at.multipliers, step.multipliers)]
    return min(float((-value[change < 0] / change[change < 0]).min(initial=np.inf)) for value, change in falls)


def _tempting(program: StandardForm, at: Iterate, columns: Floats) -> Floats:
    """Return what every entry costs less its row price, with the tangents of the bounds at some columns."""
    there = replace(at, table=columns)
    return Linearised.of(program, program.moving, there).pushed(at.multipliers) - program.priced(at.prices)
