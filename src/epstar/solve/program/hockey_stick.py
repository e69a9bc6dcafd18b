r"""Interior-point method for hockey-stick divergences, 5.6 times as fast as HiGHS (20 categories; 30: 14 times).

The least cost under bounds on pairs of rows over events; see the engines in docs/benchmarks.md.

Every bound compares two rows of the mechanism over events: the sum over y of (q(x,y) - g q(x',y))_+ is at most a slack.
Written out that is a linear program with an excess s >= 0 and a room w = s - q(x,y) + g q(x',y) >= 0 for each pair and
output, a hundred times as many as there are entries. A Newton step couples the excesses of one pair by a diagonal
matrix and one of rank one, so that they are eliminated by hand, and one dense system in the entries alone remains.

The dual gives each pair a price v and each output of it a flow 0 <= f <= v from x to x': for all f and all weights of
the laws the least over y of (cost + f out - g f in) is a price of the row, and the sum of these, less the slacks times
v, is below every cost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import keep_time
from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.solve.program.pair_hessian import PairTerms, pair_hessian
from epstar.solve.program.predictor_corrector import Parts, Point, Program, cholesky, descend

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# The share of the cost between the ends that is left to rounding.
_CLOSE = 1e-12
# Iterative refinements of a step: rooms that nearly vanish spoil flows otherwise.
_REFINEMENTS = 2


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
    program = _Events(costs, events)

    def check() -> None:
        left()
        keep_time(costs[0].size ** 3 / 3)

    found = descend(program, program.start(), max(_CLOSE, close), check)
    if not np.isfinite(found.error):
        raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
    return program.optimum(found.best)


class _Events(Program[Point]):
    """The program: entries, excesses, rooms, slacks of pairs and of laws are positive; the largest cost is free.

    The duals are reserves, what the price of a pair exceeds its flows by, flows, prices of pairs, and laws; rows have
    prices. Costs are in units of the largest. The start, a constant mechanism, meets every bound with room.
    """

    is_linear, correctors = True, 2

    def __init__(self, costs: Floats, events: Events) -> None:
        self.first, self.second, self.slack = events.first, events.second, events.slack
        self.growth = events.growth[:, None]
        self.scale = float(np.abs(costs).max()) or 1.0
        self.costs = costs / self.scale
        keep_memory(3 * 8 * costs[0].size ** 2)
        own = np.arange(costs.shape[1])[:, None]
        self.of_first, self.of_second = (own == events.first).astype(float), (own == events.second).astype(float)

    def start(self) -> Point:
        """Return a constant mechanism, with duals of the size of the costs."""
        laws, inputs, outputs = self.costs.shape
        size = float(np.abs(self.costs).mean()) or 1.0
        matrix = np.full((inputs, outputs), 1.0 / outputs)
        excess = np.repeat(self.slack[:, None] / (2 * outputs), outputs, axis=1)
        room = excess - (matrix[self.first] - self.growth * matrix[self.second])
        price = np.full(self.slack.size, size * outputs / self.slack.size)
        flow = np.repeat(price[:, None] / 2, outputs, axis=1)
        expected = np.tensordot(self.costs, matrix, axes=2)
        worst = float(expected.max()) + size
        weights = np.full(laws, 1.0 / laws)
        gradient = np.tensordot(weights, self.costs, axes=1) + self._pushed(flow)
        prices: Floats = gradient.min(axis=1) - size
        primal = matrix, excess, room, self.slack - excess.sum(axis=1), worst - expected
        return Point(primal, (gradient - prices[:, None], flow.copy(), flow, price, weights), (worst,), (prices,))

    def optimum(self, point: Point) -> Optimum:
        """Return a point with the best prices of rows for its flows."""
        matrix, (_, _, flow, price, laws) = point.primal[0], point.dual
        flows, weights = np.minimum(flow, price[:, None]), laws / laws.sum()
        prices = (np.tensordot(weights, self.costs, axes=1) + self._pushed(flows)).min(axis=1)
        lower = float(prices.sum() - self.slack @ flows.max(axis=1))
        upper = float(np.tensordot(self.costs, matrix, axes=2).max())
        return Optimum(matrix, flows * self.scale, weights, lower * self.scale, upper * self.scale)

    def error(self, point: Point) -> float:
        """Return how far the bounds that a point proves are apart, as a share of the cost."""
        found = self.optimum(point)
        return (found.upper - found.lower) / abs(found.upper)

    def is_useful(self, point: Point) -> bool:
        """Return whether a point proves anything."""
        return self.optimum(point).lower > 0

    def _pushed(self, flows: Floats) -> Floats:
        """Return what flows cost each entry: those out of its row, less those into it times their growth."""
        pushed: Floats = self.of_first @ flows - self.of_second @ (self.growth * flows)
        return pushed

    def newton(self, point: Point) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point, with one factor of the system in the entries."""
        (matrix, excess, room, slack, spare), (worst,), (prices,) = point.primal, point.free, point.free_dual
        reserve, above, flow, price, laws = point.dual
        inputs, outputs = matrix.shape
        # Of a step e of q(x,y) - g q(x',y), the excess takes the share `taken`, but for what the pair's slack resists.
        stiff, soft = flow / room, above / excess
        inverse = 1.0 / (stiff + soft)
        taken, resists = stiff * inverse, price / slack
        joined = 1.0 + resists * inverse.sum(axis=1)
        growth = np.broadcast_to(self.growth, flow.shape)
        terms = PairTerms(growth, taken * soft, taken, -growth * taken, resists / joined)
        system = pair_hessian(inputs, self.first, self.second, terms)
        # The largest cost follows the mean of the costs, weighed by how tight they are.
        tight = laws / spare
        mean_cost = np.tensordot(tight / tight.sum(), self.costs, axes=1)
        apart = self.costs - mean_cost
        squares = (np.sqrt(tight)[:, None, None] * apart).reshape(laws.size, -1)
        system += squares.T @ squares
        root = np.sqrt(matrix).ravel()
        system *= root[:, None]
        system *= root
        system[np.diag_indices(root.size)] += reserve.ravel()
        factored = cholesky(system)
        rows = np.zeros((root.size, inputs))
        rows[np.arange(root.size), np.arange(root.size) // outputs] = root
        columns = root[:, None] * factored(rows)
        small = columns.reshape(inputs, outputs, inputs).sum(axis=1)

        def solved(side: Floats, lacking: Floats) -> tuple[Floats, Floats]:
            """Return the step of the entries for a right side, with that of the prices that makes rows whole."""
            free = (root * factored(root * side.ravel())).reshape(side.shape)
            dearer: Floats = np.linalg.solve(small, lacking - free.sum(axis=1))
            return free + (columns @ dearer).reshape(side.shape), dearer

        def step(targets: Parts) -> Point:
            of_excess, of_room = targets[1] / excess - above, targets[2] / room - flow
            of_slack = targets[3] / slack - price
            exceeding = worst - np.tensordot(self.costs, matrix, axes=2) - spare
            pulls = targets[4] / spare - tight * exceeding
            side = flow + above - price[:, None] + of_room + of_excess - of_slack[:, None]
            # Steps of excesses are `inverse` (side + stiff e - resists * their sum).
            fixed = resists * (side * inverse).sum(axis=1) / joined
            start = of_room - taken * (side - fixed[:, None])
            right = prices[:, None] - mean_cost - np.tensordot(pulls, apart, axes=1)
            right += targets[0] / matrix - self._pushed(flow + start)
            entries, dearer = solved(right, 1.0 - matrix.sum(axis=1))
            beyond = float(pulls.sum() - 1.0) / float(tight.sum())
            for again in range(1 + _REFINEMENTS):
                change = entries[self.first] - self.growth * entries[self.second]
                shared = resists * ((side + stiff * change) * inverse).sum(axis=1) / joined
                excesses = inverse * (side + stiff * change - shared[:, None])
                # The same as their difference to the change, without its loss of digits.
                rooms = inverse * (side - shared[:, None] - soft * change)
                flows = of_room - stiff * rooms
                reserves = (targets[0] - reserve * entries) / matrix - reserve
                spares = exceeding + beyond - np.tensordot(apart, entries, axes=2)
                weights = targets[4] / spare - tight * spares - laws
                if again == _REFINEMENTS:
                    break
                gradient = np.tensordot(laws + weights, self.costs, axes=1) + self._pushed(flow + flows)
                rest = gradient - (prices + dearer)[:, None] - reserve - reserves
                more, even_dearer = solved(-rest, 1.0 - (matrix + entries).sum(axis=1))
                entries, dearer = entries + more, dearer + even_dearer
            slacks = -excesses.sum(axis=1)
            risen = float((mean_cost * entries).sum()) + beyond
            dual = reserves, of_excess - soft * excesses, flows, of_slack - resists * slacks, weights
            return Point((entries, excesses, rooms, slacks, spares), dual, (risen,), (dearer,))

        return step
