r"""Interior-point method for a spread, 32 times as fast as HiGHS (50 categories; 100: 157 times).

The least distortion where any two inputs keep a ratio; see the engines in docs/benchmarks.md.

With u = scale * q a column of the mechanism lies between l(y) and E l(y). Write u = l + a and E l - u = b, so that
a, b >= 0 and a + b = (E - 1) l. Newton's equations couple a, b and the prices of the rows only through l: eliminating
a and b entry by entry, then l output by output, leaves one positive definite system in the row prices,

    (diag(sum 1/D) + G diag(1/h) G') dprice = ...,

so an iteration costs a few passes over the matrix, one product of it with its transpose and one Cholesky factor.
Mehrotra's predictor and corrector choose the step, and each solution is refined once, without which the rows of a large
program miss their sums by more than the answer may be wrong. The row prices are what the proof needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from epstar.memory import keep_memory

Floats = NDArray[np.float64]

# More steps than a program takes that gets anywhere; so many without a smaller gap are rounding.
_MOST_STEPS, _PATIENCE = 200, 8
# Shares of the largest cost: the gap at which to stop, the gap at which the optimum is of use, and by how much duals
# may miss their equations for a gap to mean something.
_PRECISION, _NEAR, _BALANCE = 1e-14, 1e-6, 1e-6
# The share of the way to the boundary that a step goes.
_BACK_OFF = 0.995


@dataclass(frozen=True)
class SpreadOptimum:
    """A mechanism and one price per row; the prices add up to the least distortion."""

    matrix: Floats
    prices: Floats
    is_near: bool
    """Whether both are: where a level leaves no room inside, the method may end far from the optimum."""


@dataclass
class _State:
    """A strictly interior point: l, a and b, the prices of the rows, and the duals of a and b.

    b is kept beside l and a, from which it would follow, because their difference loses its digits near the end.
    """

    floor: Floats
    above: Floats
    below: Floats
    price: Floats
    dual_above: Floats
    dual_below: Floats


def least_cost(cost: Floats, scales: Floats, ratio: float, check_time: Callable[[], object]) -> SpreadOptimum:
    """Minimise sum(cost * q) over mechanisms with scale * q within a factor `ratio` > 1 in every column.

    `check_time` is called once per iteration and may raise to stop. What comes back is the iterate with the smallest
    gap, typically near 1e-14 of the answer.
    """
    unit = float(np.abs(cost).max()) or 1.0
    solver = _Spread(cost / scales[:, None] / unit, scales, ratio)
    state = best = solver.start()
    least, waited, balanced = np.inf, 0, False
    with np.errstate(all="ignore"):
        for _ in range(_MOST_STEPS):
            check_time()
            gap = solver.gap(state)
            waited += 1
            balanced = balanced or solver.is_balanced(state)
            if gap < least or not balanced:
                best, least, waited = state, gap if balanced else np.inf, 0
            if not np.isfinite(gap) or waited > _PATIENCE:
                break
            if gap <= _PRECISION * (1 + abs(float(state.price @ scales))):
                break
            try:
                state = solver.step(state)
            except LinAlgError:
                break
    matrix = (best.floor + best.above) / scales[:, None]
    is_near = least <= _NEAR * (1 + abs(float(best.price @ scales)))
    return SpreadOptimum(matrix, best.price * scales * unit, is_near)


class _Spread:
    def __init__(self, cost: Floats, totals: Floats, ratio: float) -> None:
        self.cost = cost
        self.totals = totals
        self.room = ratio - 1

    def start(self) -> _State:
        """Return the point in the middle of every column, with duals that balance the costs."""
        inputs, outputs = self.cost.shape
        floor = np.full(outputs, 2 * float(self.totals.min()) / (outputs * (self.room + 2)))
        above = np.full((inputs, outputs), 0.5 * self.room * floor[0])
        price = self.cost.min(axis=1)
        difference = price[:, None] - self.cost
        base = max(float(np.abs(difference).mean()), 1e-3)
        duals = base + np.maximum(-difference, 0), base + np.maximum(difference, 0)
        return _State(floor, above, above.copy(), price, *duals)

    def gap(self, state: _State) -> float:
        """Return the complementarity gap plus what the rows and the prices still miss."""
        complementarity = float((state.above * state.dual_above).sum() + (state.below * state.dual_below).sum())
        return complementarity + float(np.abs(self.totals - state.floor.sum() - state.above.sum(axis=1)).max())

    def is_balanced(self, state: _State) -> bool:
        """Return whether the duals have met their equations, so that the gap means something."""
        return bool(np.abs(self._floor_gap(state)).max() <= _BALANCE * (1 + abs(float(state.price @ self.totals))))

    def _floor_gap(self, state: _State) -> Floats:
        gap: Floats = self.cost.sum(axis=0) - state.price.sum() - self.room * state.dual_below.sum(axis=0)
        return gap

    def step(self, state: _State) -> _State:
        """Take one predictor-corrector step."""
        above, below = state.above, state.below
        slip = self.room * state.floor - above - below
        near_above, near_below = state.dual_above / above, state.dual_below / below
        inverse = 1 / (near_above + near_below)
        lean = near_below * inverse
        stiffness = self.room**2 * (near_below * near_above * inverse).sum(axis=0)
        coupling = 1 + self.room * lean
        scaled = coupling / np.sqrt(stiffness)
        system = scaled @ scaled.T
        own = inverse.sum(axis=1)
        system[np.diag_indices_from(system)] += own
        factor = _factor(system)
        row_gap = self.totals - state.floor.sum() - above.sum(axis=1)
        entry_gap = self.cost - state.price[:, None] - state.dual_above + state.dual_below
        floor_gap = self._floor_gap(state)

        def direction(pull_above: Floats, pull_below: Floats) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
            pull_below = pull_below - near_below * slip
            push = -entry_gap + pull_above - pull_below
            lift = -floor_gap + self.room * (pull_below.sum(axis=0) + (lean * push).sum(axis=0))
            right = row_gap - (push * inverse).sum(axis=1) - coupling @ (lift / stiffness)
            price = cho_solve(factor, right, check_finite=False)
            missed = right - own * price - coupling @ ((coupling.T @ price) / stiffness)
            price += cho_solve(factor, missed, check_finite=False)
            floor = (lift + coupling.T @ price) / stiffness
            moved = (push + self.room * near_below * floor + price[:, None]) * inverse
            dual_above = pull_above - near_above * moved
            receding = self.room * floor - moved
            return price, floor, moved, receding + slip, dual_above, pull_below - near_below * receding

        price, floor, moved, receding, dual_above, dual_below = direction(-state.dual_above, -state.dual_below)
        primal = min(_room(above, moved), _room(below, receding), 1.0)
        dual = min(_room(state.dual_above, dual_above), _room(state.dual_below, dual_below), 1.0)
        now = float((above * state.dual_above).sum() + (below * state.dual_below).sum())
        then = float(
            ((above + primal * moved) * (state.dual_above + dual * dual_above)).sum()
            + ((below + primal * receding) * (state.dual_below + dual * dual_below)).sum()
        )
        target = (then / now) ** 3 * now / (2 * above.size)
        price, floor, moved, receding, dual_above, dual_below = direction(
            (target - moved * dual_above) / above - state.dual_above,
            (target - receding * dual_below) / below - state.dual_below,
        )
        primal = min(1.0, _BACK_OFF * min(_room(above, moved), _room(below, receding)))
        dual = min(1.0, _BACK_OFF * min(_room(state.dual_above, dual_above), _room(state.dual_below, dual_below)))
        return _State(
            state.floor + primal * floor,
            above + primal * moved,
            below + primal * receding,
            state.price + dual * price,
            state.dual_above + dual * dual_above,
            state.dual_below + dual * dual_below,
        )


def _factor(system: Floats) -> tuple[Floats, bool]:
    """Return a Cholesky factor; near the end rounding may ask for a slightly larger diagonal.

    Raises:
        LinAlgError: if no small enlargement helps.
    """
    keep_memory(system.nbytes)
    diagonal = np.diag_indices_from(system)
    for enlargement in (0.0, 1e-14, 1e-12, 1e-10):
        system[diagonal] *= 1 + enlargement
        try:
            lower: tuple[Floats, bool] = cho_factor(system, check_finite=False)
        except LinAlgError:
            continue
        return lower
    raise LinAlgError("the system of the row prices is singular")


def _room(value: Floats, change: Floats) -> float:
    """Return how far along `change` a positive `value` stays non-negative."""
    quotient = change / value
    most = float(-quotient.min())
    return 1 / most if most > 0 else np.inf
