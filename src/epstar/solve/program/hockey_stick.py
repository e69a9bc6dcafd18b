r"""Interior-point method for hockey-stick divergences, 5.6 times as fast as HiGHS (20 categories; 30: 14 times).

The least cost under bounds on pairs of rows over events; see the engines in docs/benchmarks.md.

Every bound compares two rows of the mechanism over events: the sum over y of (q(x,y) - g q(x',y))_+ is at most a slack.
Written out that is a linear program with an excess s >= 0 and a room w = s - q(x,y) + g q(x',y) >= 0 for each pair and
output, a hundred times as many as there are entries. A Newton step couples the excesses of one pair by a diagonal
matrix and one of rank one, so that they are eliminated by hand, and one dense system in the entries alone remains.

The dual gives each pair a price v and each output of it a flow 0 <= f <= v from x to x': for all f and all weights of
the laws the least over y of (cost + f out - g f in) is a price of the row, and the sum of these, less the slacks times
v, is below every cost. Mehrotra's predictor and corrector, with Gondzio's centrality correctors (Computational
Optimization and Applications 6, 1996) and iterative refinement: rooms that nearly vanish spoil flows otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import keep_time
from epstar.errors import SolverFailure, TimeLimit
from epstar.memory import keep_memory
from epstar.solve.program.pair_hessian import PairTerms, pair_hessian

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# More steps than any program takes that gets anywhere; so many without progress are rounding.
_MOST_STEPS, _STALLED = 120, 4
# The share of the largest cost between the ends that is left to rounding.
_CLOSE = 1e-12
# How much of the way to the boundary is gone.
_NEARLY = 0.99
# Products of a variable and its dual may differ from the mean by this factor before they are corrected.
_APART = 10.0
_CORRECTORS, _REFINEMENTS = 2, 2
# What is added to the diagonal, in units of its largest entry, where rounding leaves no Cholesky factor.
_DAMPINGS = (1e-16, 1e-14, 1e-12)


@dataclass(frozen=True)
class Events:
    """The rows of each pair, the growth g of the second, and the slack."""

    first: Places
    second: Places
    growth: Floats
    slack: Floats


@dataclass(frozen=True)
class Optimum:
    """The mechanism, the flows of each pair and output, the weights of the laws, and the bounds on the cost."""

    matrix: Floats
    flows: Floats
    laws: Floats
    lower: float
    upper: float


def least_cost(
    costs: Floats, events: Events, left: Callable[[], float | None] = lambda: None, close: float = 0.0
) -> Optimum:
    """Return the mechanism whose largest cost is least within the bounds; `costs` has a matrix for each law.

    The work ends once its ends are as `close` as that share of the cost. `left` is called at every step and may raise
    to stop it; the best so far is kept if there is any.
    Cost: some 50 steps of (inputs * outputs)^3 / 3.

    Raises:
        SolverFailure: if the numbers break down.
    """
    method = _Method(costs, events)
    best: Optimum | None = None
    stalled = 0
    for _ in range(_MOST_STEPS):
        found = method.found()
        if best is None or found.upper - found.lower < best.upper - best.lower:
            best, stalled = found, 0
        else:
            stalled += 1
        try:
            left()
            keep_time(costs[0].size ** 3 / 3)
        except TimeLimit:
            if best.lower <= 0:
                raise
            break
        enough = max(_CLOSE * method.scale, close * abs(best.upper))
        if best.upper - best.lower <= enough or stalled >= _STALLED or not method.step():
            break
    if best is None or not np.isfinite(best.upper - best.lower):
        raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
    return best


Parts = list[Floats]


@dataclass
class _Direction:
    """A step of the variables, of their duals, of the largest cost and of the prices of rows, and how far it goes."""

    primal: Parts
    dual: Parts
    worst: float
    prices: Floats
    primal_length: float
    dual_length: float


class _Method:
    """The state: entries, excesses, rooms, slacks of pairs and of laws, each beside its dual variable.

    The duals are reserves, what the price of a pair exceeds its flows by, flows, prices of pairs, and laws. Costs are
    in units of the largest. The start, a constant mechanism, meets every bound with room.
    """

    def __init__(self, costs: Floats, events: Events) -> None:
        self.first, self.second, self.slack = events.first, events.second, events.slack
        self.growth = events.growth[:, None]
        self.scale = float(np.abs(costs).max()) or 1.0
        self.costs = costs / self.scale
        laws, inputs, outputs = costs.shape
        keep_memory(3 * 8 * (inputs * outputs) ** 2)
        own = np.arange(inputs)[:, None]
        self.of_first, self.of_second = (own == events.first).astype(float), (own == events.second).astype(float)
        size = float(np.abs(self.costs).mean()) or 1.0
        matrix = np.full((inputs, outputs), 1.0 / outputs)
        excess = np.repeat(self.slack[:, None] / (2 * outputs), outputs, axis=1)
        room = excess - (matrix[self.first] - self.growth * matrix[self.second])
        price = np.full(self.slack.size, size * outputs / self.slack.size)
        flow = np.repeat(price[:, None] / 2, outputs, axis=1)
        expected = np.tensordot(self.costs, matrix, axes=2)
        self.worst = float(expected.max()) + size
        weights = np.full(laws, 1.0 / laws)
        gradient = np.tensordot(weights, self.costs, axes=1) + self._pushed(flow)
        self.prices: Floats = gradient.min(axis=1) - size
        self.primal = [matrix, excess, room, self.slack - excess.sum(axis=1), self.worst - expected]
        self.dual = [gradient - self.prices[:, None], flow.copy(), flow, price, weights]

    def found(self) -> Optimum:
        """Return the present point, with the best prices of rows for its flows."""
        matrix, (_, _, flow, price, laws) = self.primal[0], self.dual
        flows, weights = np.minimum(flow, price[:, None]), laws / laws.sum()
        prices = (np.tensordot(weights, self.costs, axes=1) + self._pushed(flows)).min(axis=1)
        lower = float(prices.sum() - self.slack @ flows.max(axis=1))
        upper = float(np.tensordot(self.costs, matrix, axes=2).max())
        return Optimum(matrix, flows * self.scale, weights, lower * self.scale, upper * self.scale)

    def step(self) -> bool:
        """Take one step; return whether that was possible."""
        if not self._factor():
            return False
        products = [x * z for x, z in zip(self.primal, self.dual, strict=True)]
        total = sum(float(product.sum()) for product in products)
        mean = total / sum(product.size for product in products)
        aim = self._direction([np.zeros_like(product) for product in products])
        after = sum(float(product.sum()) for product in self._products(aim, aim.primal_length, aim.dual_length))
        target = mean * min(1.0, max((after / total) ** 3, 1e-4))
        targets = [target - dx * dz for dx, dz in zip(aim.primal, aim.dual, strict=True)]
        best = self._direction(targets)
        for _ in range(_CORRECTORS):
            # Aim a little farther, and bring products back that would be far from the target there.
            lengths = (min(1.0, 1.1 * length + 0.1) for length in (best.primal_length, best.dual_length))
            farther = self._products(best, *lengths)
            near = [np.clip(product, target / _APART, _APART * target) for product in farther]
            moved = [np.maximum(a - b, -_APART * target) for a, b in zip(near, farther, strict=True)]
            targets = [a + b for a, b in zip(targets, moved, strict=True)]
            corrected = self._direction(targets)
            if corrected.primal_length + corrected.dual_length <= best.primal_length + best.dual_length:
                break
            best = corrected
        primal, dual = (
            length if length == 1.0 else _NEARLY * length for length in (best.primal_length, best.dual_length)
        )
        self.primal = [x + primal * dx for x, dx in zip(self.primal, best.primal, strict=True)]
        self.dual = [z + dual * dz for z, dz in zip(self.dual, best.dual, strict=True)]
        self.worst += primal * best.worst
        self.prices = self.prices + dual * best.prices
        return True

    def _products(self, step: _Direction, primal: float, dual: float) -> Parts:
        """Return the products of variables and duals some way along a step."""
        moves = zip(self.primal, step.primal, self.dual, step.dual, strict=True)
        return [(x + primal * dx) * (z + dual * dz) for x, dx, z, dz in moves]

    def _pushed(self, flows: Floats) -> Floats:
        """Return what flows cost each entry: those out of its row, less those into it times their growth."""
        pushed: Floats = self.of_first @ flows - self.of_second @ (self.growth * flows)
        return pushed

    def _factor(self) -> bool:
        """Factor the system in the entries; return whether that was possible."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        matrix, excess, room, slack, spare = self.primal
        reserve, above, flow, price, laws = self.dual
        inputs, outputs = matrix.shape
        # Of a step e of q(x,y) - g q(x',y), the excess takes the share `taken`, but for what the pair's slack resists.
        self.stiff, self.soft = flow / room, above / excess
        self.inverse = 1.0 / (self.stiff + self.soft)
        self.taken, self.resists = self.stiff * self.inverse, price / slack
        self.joined = 1.0 + self.resists * self.inverse.sum(axis=1)
        growth = np.broadcast_to(self.growth, flow.shape)
        terms = PairTerms(growth, self.taken * self.soft, self.taken, -growth * self.taken, self.resists / self.joined)
        system = pair_hessian(inputs, self.first, self.second, terms)
        # The largest cost follows the mean of the costs, weighed by how tight they are.
        self.tight = laws / spare
        self.mean_cost = np.tensordot(self.tight / self.tight.sum(), self.costs, axes=1)
        self.apart = self.costs - self.mean_cost
        squares = (np.sqrt(self.tight)[:, None, None] * self.apart).reshape(laws.size, -1)
        system += squares.T @ squares
        self.root = np.sqrt(matrix).ravel()
        system *= self.root[:, None]
        system *= self.root
        diagonal = np.diag_indices(self.root.size)
        system[diagonal] += reserve.ravel()
        plain, largest = system.diagonal().copy(), float(system.diagonal().max())
        for damping in _DAMPINGS:
            system[diagonal] = plain + damping * largest
            try:
                self.factor = cho_factor(system, lower=True, check_finite=False)
            except (LinAlgError, ValueError):
                continue
            rows = np.zeros((self.root.size, inputs))
            rows[np.arange(self.root.size), np.arange(self.root.size) // outputs] = self.root
            self.columns = self.root[:, None] * cho_solve(self.factor, rows, check_finite=False)
            self.small = self.columns.reshape(inputs, outputs, inputs).sum(axis=1)
            return bool(np.isfinite(self.small).all())
        return False

    def _solved(self, side: Floats, lacking: Floats) -> tuple[Floats, Floats]:
        """Return the step of the entries for a right side, with the step of the prices that makes rows whole."""
        from scipy.linalg import cho_solve

        scaled = cho_solve(self.factor, self.root * side.ravel(), check_finite=False)
        free = (self.root * scaled).reshape(side.shape)
        prices: Floats = np.linalg.solve(self.small, lacking - free.sum(axis=1))
        return free + (self.columns @ prices).reshape(side.shape), prices

    def _direction(self, targets: Parts) -> _Direction:
        """Return the Newton step towards given products of the variables and their duals."""
        matrix, excess, room, slack, spare = self.primal
        reserve, above, flow, price, laws = self.dual
        of_excess, of_room = targets[1] / excess - above, targets[2] / room - flow
        of_slack, pulls = targets[3] / slack - price, targets[4] / spare
        exceeding = self.worst - np.tensordot(self.costs, matrix, axes=2) - spare
        pulls = pulls - self.tight * exceeding
        side = flow + above - price[:, None] + of_room + of_excess - of_slack[:, None]
        # Steps of excesses are `inverse` (side + stiff e - resists * their sum).
        fixed = self.resists * (side * self.inverse).sum(axis=1) / self.joined
        start = of_room - self.taken * (side - fixed[:, None])
        right = self.prices[:, None] - self.mean_cost - np.tensordot(pulls, self.apart, axes=1)
        right += targets[0] / matrix - self._pushed(flow + start)
        entries, prices = self._solved(right, 1.0 - matrix.sum(axis=1))
        beyond = float(pulls.sum() - 1.0) / float(self.tight.sum())
        for again in range(1 + _REFINEMENTS):
            change = entries[self.first] - self.growth * entries[self.second]
            shared = self.resists * ((side + self.stiff * change) * self.inverse).sum(axis=1) / self.joined
            excesses = self.inverse * (side + self.stiff * change - shared[:, None])
            # The same as their difference to the change, without its loss of digits.
            rooms = self.inverse * (side - shared[:, None] - self.soft * change)
            flows = of_room - self.stiff * rooms
            reserves = (targets[0] - reserve * entries) / matrix - reserve
            spares = exceeding + beyond - np.tensordot(self.apart, entries, axes=2)
            weights = targets[4] / spare - self.tight * spares - laws
            if again == _REFINEMENTS:
                break
            gradient = np.tensordot(laws + weights, self.costs, axes=1) + self._pushed(flow + flows)
            rest = gradient - (self.prices + prices)[:, None] - reserve - reserves
            more, dearer = self._solved(-rest, 1.0 - (matrix + entries).sum(axis=1))
            entries, prices = entries + more, prices + dearer
        slacks = -excesses.sum(axis=1)
        primal = [entries, excesses, rooms, slacks, spares]
        dual = [reserves, of_excess - self.soft * excesses, flows, of_slack - self.resists * slacks, weights]
        worst = float((self.mean_cost * entries).sum()) + beyond
        lengths = [min(map(_room, values, steps)) for values, steps in ((self.primal, primal), (self.dual, dual))]
        return _Direction(primal, dual, worst, prices, *lengths)


def _room(values: Floats, step: Floats) -> float:
    """Return how much of a step leaves all values positive, at most all of it."""
    falling = step < 0
    return min(1.0, float((-values[falling] / step[falling]).min())) if falling.any() else 1.0
