r"""Least cost over mechanisms whose columns keep ratio bounds: an interior-point method, one factor for each column.

The bounds are the same for every column q of the mechanism, r q_b - q_a >= 0 for q_a <= r q_b. Newton's equations of
the central path couple the columns through the prices of the rows alone (see `column_equations`). The costs are those
of the worst law of a convex source: of mixtures a of some vectors with matrix a <= bounds. Mehrotra's predictor and
corrector choose the step (Wright 1997, chapter 10).

Of many bounds few bind, and each more makes the steps shorter. The relative neighbourhood graph of the inputs is
bounded from the start (Toussaint 1980: the pairs without a third input that is nearer to both); every other bound joins
the column that comes near to it (the build-up method of den Hertog, Roos and Terlaky 1992). On a grid of 10 x 10 places
with straight distances it takes 56 steps instead of 124 and 3.6 CPU seconds instead of 21.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from epstar.solve.program.column_equations import Aims, Bounds, Laws, Model, State, System
from epstar.solve.program.predictor_corrector import BACK_OFF, room

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# More steps than a program takes that gets anywhere.
_MOST_STEPS = 250
# So many steps without a smaller gap mean that rounding has the last word.
_PATIENCE = 6
# The gap at which to stop, and at which what was found is of use, as shares of the cost.
_PRECISION, _NEAR = 1e-14, 1e-10
# The share of what a constant answer leaves of a bound, or of the entry it bounds, from which on it joins; and the
# share of the way to one that has not joined yet that a step goes.
_JOINS, _BACK_OFF_UNREAD = 0.5, 0.9
# The gap, as a share of the cost, up to which bounds join; and the probability that may be missing from all that have
# not joined, which is less than what rounding to a mechanism costs.
_BUILT, _BROKEN = 1e-3, 1e-12
# The share of the gap of one iterate at which the next is kept for like programs; and the share of a slack that is left
# at least, or the inverse at most, where one of them starts.
_APART, _FELT = 0.1, 0.1
# By how many times its target a corrector changes a product at most: one that is far off would shorten the step.
_CORRECTED = 10.0


@dataclass(frozen=True, eq=False)
class Path:
    """Iterates of a program, ever nearer to its optimum: a like one may start from one of them (Gondzio 1998).

    Each has slacks for the first of the bounds, by output and pair, that have joined; the last has all of them.
    """

    pairs: Bounds
    states: list[State] = field(default_factory=list)
    output: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))
    pair: Places = field(default_factory=lambda: np.zeros(0, dtype=np.intp))


@dataclass(frozen=True, eq=False)
class ColumnOptimum:
    """A mechanism, the prices of its rows, the multipliers by bound and output, and the weights of the worst law."""

    matrix: Floats
    prices: Floats
    multipliers: Floats
    weights: Floats
    gap: float
    """What the two sides differ by, as a share of the cost."""
    is_near: bool
    path: Path


def least_cost_of_columns(
    cost: Floats,
    bounds: Bounds,
    laws: Laws,
    check_time: Callable[[], object],
    close: float = 0.0,
    path: Path | None = None,
) -> ColumnOptimum:
    """Minimise the largest mean of sum_y cost * q over the laws; every input needs bounds in both directions.

    `check_time` is called once per iteration and may raise to stop. A gap that is a share of the cost `close` enough is
    not made smaller. `path` is that of a program of the same costs and laws.
    """
    unit = float(np.abs(cost).max()) or 1.0
    solver = _Solver(cost / unit, bounds, laws)
    states = solver.states_from(path)
    found = _descended(solver, states, check_time, close)
    while found.built is not None:
        output, pair = solver.broken(found.best)
        if not output.size:
            break
        # A bound that comes near only at the end joins where there is still a way to go.
        states = [*states[: found.before], solver.extended(found.built, output, pair)]
        found = _descended(solver, states, check_time, close, is_built=True)
    best = found.best
    gap = found.gap / (1 + abs(float(best.prices.sum())))
    multipliers = solver.by_pair(best.multipliers) * unit
    passed = Path(bounds, states, solver.output, solver.pair)
    near = gap <= max(_NEAR, close)
    return ColumnOptimum(best.columns.T, best.prices * unit, multipliers, best.weights, gap, near, passed)


@dataclass(frozen=True)
class _Descent:
    """The state of the smallest gap, and the first from which on no bound joins any more, if there is one.

    `before` says how many of the states that were kept come before that one.
    """

    best: State
    gap: float
    built: State | None
    before: int


def _descended(
    solver: _Solver, states: list[State], check_time: Callable[[], object], close: float, is_built: bool = False
) -> _Descent:
    """Take steps from the last of the states until the gap is small or shrinks no more; some of them join the list."""
    state = states[-1]
    best, built, least, waited = state, state if is_built else None, np.inf, 0
    before, last = len(states) - 1, solver.complementarity(state)
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            check_time()
            if built is None:
                state, least = solver.joined(state), np.inf
            gap, size = solver.gap(state), 1 + abs(float(state.prices.sum()))
            if built is None and gap <= _BUILT * size:
                built, before = state, len(states)
            is_slow = gap > least / 2 and least <= _NEAR * size
            if gap < least:
                best, least, waited = state, gap, 0
            if solver.complementarity(state) <= _APART * last:
                last = solver.complementarity(state)
                states.append(state)
            waited += 1
            if not np.isfinite(gap) or waited > _PATIENCE or is_slow or gap <= max(_PRECISION, close) * size:
                break
            try:
                state = solver.step(state, keeps_all=built is None)
            except (LinAlgError, np.linalg.LinAlgError):
                break
    return _Descent(best, least, built, before)


class _Solver(Model):
    """Mehrotra's method on the bounds that have joined so far."""

    def _slacks(self, state: State, output: Places, pair: Places) -> tuple[Floats, Floats]:
        """Return the slacks of bounds, and their units: what a constant answer leaves, or the entry, if less."""
        ratios = self.pairs.ratios[pair]
        left, right = state.columns[output, self.pairs.first[pair]], state.columns[output, self.pairs.second[pair]]
        return ratios * right - left, np.minimum(1.0, ratios - 1) * left

    def _all(self) -> tuple[Places, Places]:
        return np.arange(self.outputs)[:, None], np.arange(len(self.pairs.first))

    def joined(self, state: State) -> State:
        """Return a state with the bounds that it comes near to."""
        slacks, units = self._slacks(state, *self._all())
        output, pair = np.nonzero((slacks < _JOINS * units) & ~self.has_joined)
        return self.extended(state, output, pair) if output.size else state

    def broken(self, state: State) -> tuple[Places, Places]:
        """Return the bounds that a state breaks, by output and pair; none where that is next to nothing."""
        slacks, _ = self._slacks(state, *self._all())
        lacking = np.where(self.has_joined, 0.0, np.maximum(-slacks, 0.0) / self.pairs.ratios)
        output, pair = np.nonzero(lacking if lacking.sum() > _BROKEN else np.zeros(lacking.shape))
        return output, pair

    def extended(self, state: State, output: Places, pair: Places) -> State:
        """Return a state with some more bounds, whose products are the mean of the others."""
        joined, _ = self._slacks(state, output, pair)
        self.join(output, pair)
        multipliers = float(state.slacks @ state.multipliers) / len(state.slacks) / joined
        return replace(
            state,
            slacks=np.append(state.slacks, joined),
            multipliers=np.append(state.multipliers, multipliers),
        )

    def states_from(self, path: Path | None) -> list[State]:
        """Return the iterates of a like program of which the last one hardly feels the change of the ratios."""
        if path is None or not self._is_like(path):
            return [self.start()]
        known = len(self.pair)
        for count in range(len(path.states), 0, -1):
            state = path.states[count - 1]
            joined = slice(known, len(state.slacks))
            slacks, _ = self._slacks(state, *self._all())
            own = slacks[path.output[: joined.stop], path.pair[: joined.stop]]
            if (own / state.slacks > _FELT).all() and (own / state.slacks < 1 / _FELT).all() and (slacks > 0).all():
                self.join(path.output[joined], path.pair[joined])
                return [*path.states[: count - 1], replace(state, slacks=own)]
        return [self.start()]

    def _is_like(self, path: Path) -> bool:
        """Return whether a path compares the same inputs, and began with the same bounds under as many laws."""
        known = len(self.pair)
        lists = (
            (path.pairs.first, self.pairs.first),
            (path.pairs.second, self.pairs.second),
            (path.output[:known], self.output),
            (path.pair[:known], self.pair),
        )
        is_alike = all(np.array_equal(*pair) for pair in lists)
        return is_alike and path.states[0].weights.shape == self.laws.vectors.shape[:1]

    def by_pair(self, multipliers: Floats) -> Floats:
        """Return multipliers of the bounds that had joined, by pair and output."""
        found = np.zeros((len(self.pairs.first), self.outputs))
        count = len(multipliers)
        found[self.pair[:count], self.output[:count]] = multipliers
        return found

    def start(self) -> State:
        """Return a constant mechanism, with the middle of the laws and multipliers that balance the costs."""
        columns = np.full((self.outputs, self.inputs), 1 / self.outputs)
        weights = np.full(len(self.laws.vectors), 1 / len(self.laws.vectors))
        mean = np.einsum("yxk,yx->k", self.costs, columns)
        size = float(np.abs(self.costs).max()) or 1.0
        slacks = self.bounds @ columns.ravel()
        # On the central path from the start: all products are alike.
        multipliers = size * self.inputs * self.outputs / (1 / slacks).sum() / slacks
        limits = np.full(len(self.laws.bounds), size)
        most = mean.max() + 1e-2 * size
        above = most + self.laws.matrix.T @ limits - mean
        above = np.maximum(above, 1e-2 * size)
        room = np.maximum(self.laws.bounds - self.laws.matrix @ weights, 1e-2)
        prices = (self.costs @ weights).min(axis=0)
        return State(columns, slacks, multipliers, prices, weights, np.asarray(most), above, room, limits)

    def gap(self, state: State) -> float:
        """Return the complementarity gap plus what the equations still miss."""
        aims = self._aims(state)
        missed = (aims.rows, aims.slips, aims.costs, aims.total, aims.above, aims.room)
        return self.complementarity(state) + max(float(np.abs(part).max(initial=0.0)) for part in missed)

    def _aims(self, state: State) -> Aims:
        """Return what a step should do that ends on the optimum."""
        laws, weights = self.laws, state.weights
        means = np.einsum("yxk,yx->k", self.costs, state.columns)
        return Aims(
            1 - state.columns.sum(axis=0),
            self.bounds @ state.columns.ravel() - state.slacks,
            self.costs @ weights - state.prices - self.spread(state.multipliers),
            1 - float(weights.sum()),
            state.most + laws.matrix.T @ state.limits - means - state.above,
            laws.bounds - laws.matrix @ weights - state.room,
            -state.slacks * state.multipliers,
            -weights * state.above,
            -state.room * state.limits,
        )

    def step(self, state: State, keeps_all: bool) -> State:
        """Take one predictor-corrector step, which keeps to all bounds or to those that have joined."""
        aims = self._aims(state)
        system = System(self, state)
        ahead = system.direction(aims)
        primal, dual = self._lengths(state, ahead)
        now, then = self.complementarity(state), self.complementarity(state.moved(ahead, primal, dual))
        count = state.slacks.size + state.weights.size + state.room.size
        target = (then / now) ** 3 * now / count
        corrected = target + aims.products - ahead.slacks * ahead.multipliers
        step = system.direction(
            replace(
                aims,
                products=np.clip(corrected, _CORRECTED * aims.products - target, _CORRECTED * target),
                weights=target + aims.weights - ahead.weights * ahead.above,
                limits=target + aims.limits - ahead.room * ahead.limits,
            )
        )
        primal, dual = (min(1.0, BACK_OFF * length) for length in self._lengths(state, step))
        if keeps_all:
            slacks, changes = (self._slacks(place, *self._all())[0] for place in (state, step))
            primal = min(primal, _BACK_OFF_UNREAD * room(slacks, np.where(self.has_joined, 0.0, changes)))
        return state.moved(step, primal, dual)

    @staticmethod
    def complementarity(state: State) -> float:
        """Return what the two sides of a strictly feasible point differ by."""
        return float(state.slacks @ state.multipliers + state.weights @ state.above + state.room @ state.limits)

    @staticmethod
    def _lengths(state: State, step: State) -> tuple[float, float]:
        primal = [(state.slacks, step.slacks), (state.above, step.above), (state.limits, step.limits)]
        dual = [(state.multipliers, step.multipliers), (state.weights, step.weights), (state.room, step.room)]
        first, second = (min((room(*pair) for pair in pairs), default=1.0) for pairs in (primal, dual))
        return min(1.0, first), min(1.0, second)
