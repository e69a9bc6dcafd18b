"""Optimal experimental design on the rays of a cone, in floating point: a search, and never evidence.

Minimise tr W J(t)^-1 over masses t >= 0 of the rays with sum t_r c_r = 1, where J(t) = sum t_r c_r c_r^T / (p . c_r).
It is a convex program, solved by a primal-dual interior-point method (Mehrotra's predictor and corrector). The
curvature has the rank of a symmetric matrix, m (m + 1) / 2, so that over many rays each step is a small system beside
one pass over them (Sherman, Morrison and Woodbury): 65,536 rays of 16 inputs cost seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import nnls

from epstar.deadline import keep_time

Floats = NDArray[np.float64]

# The duality gap at which floats are at their end, relative to the value; and more steps than it ever took.
_GAP = 1e-13
_STEPS = 80
# Above this many rays they are first looked at all together, to a gap that tells which of them may be used.
_AT_ONCE = 480
_ROUGH = 1e-5
_ROUNDS = 24
# A ray is missing if it would gain more than this share of the value.
_PRICE = 1e-12


@dataclass(frozen=True)
class Design:
    """Masses of the rays in `places`, the inverse information matrix, and prices at which no ray gains."""

    masses: Floats
    places: NDArray[np.intp]
    inverse: Floats
    prices: Floats


def optimal_design(rays: Floats, law: Floats, weights: Floats) -> Design:
    """Return masses of rays (columns) that nearly minimise tr W J^-1, with the multipliers that say so.

    >>> two = optimal_design(np.array([[1.0, 3.0], [3.0, 1.0]]), np.array([0.5, 0.5]), np.eye(2))
    >>> two.masses.round(6).tolist(), round(float(np.trace(two.inverse)), 6)
    ([0.25, 0.25], 2.5)
    """
    size, count = rays.shape
    # Proportional copies are the same column: lengths are taken out for the numbers' sake.
    lengths = rays.sum(axis=0) / size
    unit = rays / lengths
    scale = float(np.trace(weights)) / size
    # Directions that do not count get the least weight that keeps the information matrix regular.
    matrix = weights / scale + 1e-13 * np.eye(size)
    expected = law @ unit
    places = np.arange(count)
    if count > _AT_ONCE:
        rough = _Search(unit, expected, matrix)
        rough.run(_ROUGH)
        # With the ray that stands out most at each input, so that some design on them tells every frequency.
        places = np.union1d(np.argsort(rough.slacks / rough.masses)[: _AT_ONCE // 2], unit.argmax(axis=1))
    search = _Search(unit[:, places], expected[places], matrix)
    search.run(_GAP)
    for _ in range(_ROUNDS):
        gains = search.gains(unit, expected) - search.prices @ unit
        first = np.argsort(-gains)[: _AT_ONCE // 4]
        missing = np.setdiff1d(first[gains[first] > _PRICE * search.value / size], places)
        if len(missing) == 0 or count == len(places):
            break
        places = np.union1d(places[search.masses > 1e-9 * search.masses.max()], missing)
        search = _Search(unit[:, places], expected[places], matrix)
        search.run(_GAP)
    masses, used = search.fewest()
    return Design(masses / lengths[places[used]], places[used], search.inverse, search.prices * scale)


class _Search:
    """One interior-point search: masses and slacks of some rays, and prices of the inputs."""

    def __init__(self, rays: Floats, expected: Floats, matrix: Floats) -> None:
        self.rays, self.expected, self.matrix = rays, expected, matrix
        size, count = rays.shape
        self._pairs = np.triu_indices(size)
        # Off the diagonal a pair stands for two entries of a symmetric matrix.
        self._root = np.where(self._pairs[0] == self._pairs[1], 1.0, np.sqrt(2.0))
        self._squares: Floats = self._root[:, None] * rays[self._pairs[0]] * rays[self._pairs[1]] / expected
        self.masses = np.full(count, size / float(rays.sum()))
        self._invert()
        gains = self.gains(rays, expected)
        self.prices = np.full(size, 1.1 * float((gains / rays.sum(axis=0)).max()))
        self.slacks = self.prices @ rays - gains

    @property
    def value(self) -> float:
        """What is minimised."""
        return float(np.trace(self.matrix @ self.inverse))

    def gains(self, rays: Floats, expected: Floats) -> Floats:
        """Return what more mass of each of some rays would gain."""
        gains: Floats = np.einsum("xr,xr->r", rays, self._twice @ rays) / expected
        return gains

    def run(self, share: float) -> None:
        """Take steps until the gap is this share of the value; one that floats cannot take ends the search."""
        best = self.masses, self.prices, self.slacks
        for _ in range(_STEPS):
            keep_time()
            self._invert()
            value, gap = self.value, float(self.masses @ self.slacks)
            if not (np.isfinite(value) and np.isfinite(gap)):
                break
            best = self.masses, self.prices, self.slacks
            dual = self.prices @ self.rays - self.gains(self.rays, self.expected) - self.slacks
            if gap < share * value and np.abs(dual).max() < max(share, 1e-9) * value:
                break
            try:
                self._step(dual)
            except np.linalg.LinAlgError:
                break
        self.masses, self.prices, self.slacks = best
        self._invert()

    def _step(self, dual: Floats) -> None:
        primal = self.rays @ self.masses - 1.0
        solved = self._dense() if len(self.masses) <= 3 * _AT_ONCE else self._low_rank()
        across = solved(self.rays)
        system = self.rays @ across.T
        mass_move, slack_move = np.zeros_like(self.masses), np.zeros_like(self.masses)
        for centring in (False, True):
            target = 0.0
            if centring:
                length = min(_length(self.masses, mass_move), _length(self.slacks, slack_move))
                target = (1 - length) ** 3 * float(self.masses @ self.slacks) / len(self.masses)
            direct = solved(target / self.masses - self.slacks - dual)
            price_move = np.linalg.solve(system, self.rays @ direct + primal)
            mass_move = direct - price_move @ across
            slack_move = (target - self.slacks * mass_move) / self.masses - self.slacks
        length = min(_length(self.masses, mass_move), _length(self.slacks, slack_move))
        self.masses = self.masses + length * mass_move
        self.slacks = self.slacks + length * slack_move
        self.prices = self.prices + length * price_move

    def _dense(self) -> Callable[[Floats], Floats]:
        """Return how to solve systems of the curvature and the barrier, all rays at once."""
        scaled = self.rays / self.expected
        curvature = 2 * (scaled.T @ (self.inverse @ scaled)) * (self.rays.T @ (self._twice @ self.rays))
        curvature[np.diag_indices(len(self.masses))] += self.slacks / self.masses
        factor = cho_factor(curvature, check_finite=False)
        return lambda right: np.asarray(cho_solve(factor, right.T, check_finite=False).T)

    def _low_rank(self) -> Callable[[Floats], Floats]:
        """Return the same by the rank of the curvature, for many rays: less exact where masses are tiny."""
        weights = self.masses / self.slacks
        half = self._curvature().T @ self._squares
        factor = cho_factor(np.eye(len(half)) + (half * weights) @ half.T, check_finite=False)

        def solved(right: Floats) -> Floats:
            scaled = right * weights
            inner = cho_solve(factor, half @ scaled.T, check_finite=False)
            return np.asarray(scaled - (inner.T @ half) * weights)

        return solved

    def _invert(self) -> None:
        inverse: Floats = np.linalg.inv((self.rays * (self.masses / self.expected)) @ self.rays.T).astype(np.float64)
        self.inverse: Floats = (inverse + inverse.T) / 2
        self._twice = self.inverse @ self.matrix @ self.inverse

    def _curvature(self) -> Floats:
        """A square root of the symmetric Kronecker product of J^-1 and J^-1 W J^-1, twice."""
        first, second = self._pairs
        one, two = self.inverse, self._twice
        whole = (
            one[np.ix_(first, first)] * two[np.ix_(second, second)]
            + one[np.ix_(second, second)] * two[np.ix_(first, first)]
            + one[np.ix_(first, second)] * two[np.ix_(second, first)]
            + one[np.ix_(second, first)] * two[np.ix_(first, second)]
        )
        values, vectors = np.linalg.eigh(whole * np.outer(self._root, self._root) / 2)
        return np.asarray(vectors * np.sqrt(np.maximum(values, 0.0)))

    def fewest(self) -> tuple[Floats, NDArray[np.intp]]:
        """Return a design of few rays with the same information matrix (Caratheodory), if it is found."""
        masses, squares = self.masses, self._squares
        likely = masses > 1e-9 * masses.max()
        if likely.sum() > len(squares):
            wanted = squares @ masses
            try:
                fewer, rest = nnls(squares[:, likely], wanted)
            except RuntimeError:
                rest = np.inf
            if rest <= 1e-10 * float(np.abs(wanted).max()):
                masses = np.zeros_like(masses)
                masses[likely] = fewer
        used = masses > 1e-13 * masses.max()
        return masses[used], np.flatnonzero(used)


def _length(values: Floats, move: Floats) -> float:
    """The longest step, at most one, after which positive values stay positive."""
    falling = move < 0
    return min(1.0, 0.99 * float((-values[falling] / move[falling]).min())) if falling.any() else 1.0
