r"""Interior-point method for hockey-stick divergences, 5.6 times as fast as HiGHS (20 categories; 30: 14 times).

The least cost under bounds on pairs of rows over events; see the engines in docs/benchmarks.md.

Every bound compares two rows of the mechanism over events: the sum over y of (q(x,y) - g q(x',y))_+ is at most a slack.
Written out that is a linear program with an excess s >= 0 and a room w = s - q(x,y) + g q(x',y) >= 0 for each pair and
output, a hundred times as many as there are entries. A Newton step couples the excesses of one pair by a diagonal
matrix and one of rank one, so that they are eliminated by hand, and one dense system in the entries alone remains.

The dual gives each pair a price v and each output of it a flow 0 <= f <= v from x to x': for all f and all weights of
the laws the least over y of (cost + f out - g f in) is a price of the row, and the sum of these, less the slacks times
v, is below every cost. The laws are mixtures a of some vectors with matrix a <= bounds: their weights join the prices
of the rows in one small system.

A program at a level near by starts from an iterate of the last one (Gondzio 1998).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import keep_time
from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.solve.program.column_equations import Laws
from epstar.solve.program.newton_systems import PairTerms, pair_hessian
from epstar.solve.program.predictor_corrector import Parts, Point, Program, cholesky, descend

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

CLOSE = 1e-12
"""The share of the cost to which an interior-point method knows the least one at best: the rest is rounding."""
# The share that is of use: from elsewhere than the start rounding may have the last word before it.
_USEFUL = 1e-8
# Iterative refinements of a step: rooms that nearly vanish spoil flows otherwise; and the share of a reserve that
# it may miss without one.
_REFINEMENTS, _MISSED = 2, 1e-3
# The share of the gap of one iterate at which the next is kept for like programs; and the share of a room or a reserve
# that is left at least, or the inverse at most, where one of them starts.
_APART, _FELT = 0.3, 0.1


@dataclass(frozen=True)
class Events:
    """The rows of each pair, the growth g of the second, and the slack."""

    first: Places
    second: Places
    growth: Floats
    slack: Floats


@dataclass(frozen=True)
class Optimum:
    """The mechanism, the flows of each pair and output, the weights of the laws, and the bounds on the cost.

    `path` are iterates, ever nearer to the optimum.
    """

    matrix: Floats
    flows: Floats
    weights: Floats
    lower: float
    upper: float
    path: tuple[Point, ...] = ()


def least_cost(
    cost: Floats,
    laws: Laws,
    events: Events,
    left: Callable[[], float | None] = lambda: None,
    close: float = 0.0,
    path: tuple[Point, ...] = (),
) -> Optimum:
    """Return the mechanism whose largest mean cost is least within the bounds.

    The work ends once its ends are as `close` as that share of the cost. `left` is called at every step and may raise
    to stop it; the best so far is kept if there is any. `path` is that of a program of the same costs and laws.
    Cost: some 40 steps of (inputs * outputs)^3 / 3.

    Raises:
        SolverFailure: if the numbers break down.
    """
    program = _Events(cost, laws, events)

    def check() -> None:
        left()
        keep_time(cost.size**3 / 3)

    near = program.near(path)
    found = descend(program, near or program.start(), max(CLOSE, close), check)
    if near is not None and not found.error < max(_USEFUL, close):
        program.path.clear()
        found = descend(program, program.start(), max(CLOSE, close), check)
    if not np.isfinite(found.error):
        raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
    return replace(program.optimum(found.best), path=tuple(program.path))


class _Events(Program[Point]):
    """The program: entries, excesses, rooms, slacks of pairs and of laws, prices of their limits are positive.

    The duals are reserves, what the price of a pair exceeds its flows by, flows, prices of pairs, weights of the laws
    and what their limits leave; rows have prices. The largest cost, but for the prices of limits, is free. Costs are in
    units of the largest. The start, a constant mechanism, meets every bound with room.
    """

    is_linear, correctors = True, 2

    def __init__(self, cost: Floats, laws: Laws, events: Events) -> None:
        self.first, self.second, self.slack = events.first, events.second, events.slack
        self.growth, self.laws = events.growth[:, None], laws
        costs = laws.vectors[:, :, None] * cost
        self.scale = float(np.abs(costs).max()) or 1.0
        self.costs = costs / self.scale
        keep_memory(3 * 8 * cost.size**2)
        own = np.arange(len(cost))[:, None]
        self.of_first, self.of_second = (own == events.first).astype(float), (own == events.second).astype(float)
        self.path: list[Point] = []

    def start(self) -> Point:
        """Return a constant mechanism, with duals of the size of the costs."""
        count, inputs, outputs = self.costs.shape
        size = float(np.abs(self.costs).mean()) or 1.0
        matrix = np.full((inputs, outputs), 1.0 / outputs)
        excess = np.repeat(self.slack[:, None] / (1 + outputs), outputs, axis=1)
        room = self._rooms(matrix, excess)
        # All products of a pair are alike.
        price = size / outputs / excess[:, 0]
        flow = price[:, None] * excess / (excess + room)
        expected = np.tensordot(self.costs, matrix, axes=2)
        worst = float(expected.max()) + size
        weights = np.full(count, 1.0 / count)
        limits = np.full(len(self.laws.bounds), size)
        # What leaves no room here is missed by the equations for a while.
        spare = np.maximum(worst + self.laws.matrix.T @ limits - expected, size)
        spared = np.maximum(self.laws.bounds - self.laws.matrix @ weights, 1e-2 / count)
        gradient = np.tensordot(weights, self.costs, axes=1) + self._pushed(flow)
        prices: Floats = gradient.min(axis=1) - size
        primal = matrix, excess, room, self.slack - excess.sum(axis=1), spare, limits
        dual = gradient - prices[:, None], price[:, None] - flow, flow, price, weights, spared
        return Point(primal, dual, (worst,), (prices,))

    def near(self, path: tuple[Point, ...]) -> Point | None:
        """Return the last iterate of a like program that hardly feels the change of the growths; None without one."""
        for place, point in reversed(list(enumerate(path))):
            matrix, excess, room, *others = point.primal
            reserve, _, flow, _, weights, _ = point.dual
            (prices,) = point.free_dual
            if weights.shape != self.costs.shape[:1] or flow.shape != (self.slack.size, matrix.shape[1]):
                break
            own = self._rooms(matrix, excess)
            kept = np.tensordot(weights, self.costs, axes=1) + self._pushed(flow) - prices[:, None]
            if all(((ratio > _FELT) & (ratio < 1 / _FELT)).all() for ratio in (own / room, kept / reserve)):
                self.path = list(path[:place])
                return replace(point, primal=(matrix, excess, own, *others), dual=(kept, *point.dual[1:]))
        return None

    def simplified(self, point: Point, _: float) -> Point:
        """Return the point, and keep it if it is much nearer than the last one kept."""
        if not self.path or point.gap <= _APART * self.path[-1].gap:
            self.path.append(point)
        return point

    def optimum(self, point: Point) -> Optimum:
        """Return a point with the best prices of rows for its flows."""
        matrix, (_, _, flow, price, weights, _) = point.primal[0], point.dual
        flows, weights = np.minimum(flow, price[:, None]), weights / weights.sum()
        prices = (np.tensordot(weights, self.costs, axes=1) + self._pushed(flows)).min(axis=1)
        lower = float(prices.sum() - self.slack @ flows.max(axis=1))
        limits, expected = point.primal[5], np.tensordot(self.costs, matrix, axes=2)
        upper = float((expected - self.laws.matrix.T @ limits).max() + self.laws.bounds @ limits)
        return Optimum(matrix, flows * self.scale, weights, lower * self.scale, upper * self.scale)

    def error(self, point: Point) -> float:
        """Return how far the bounds that a point proves are apart, as a share of the cost."""
        found = self.optimum(point)
        missed = float(np.maximum(self.laws.matrix @ found.weights - self.laws.bounds, 0.0).sum())
        return (found.upper - found.lower) / abs(found.upper) + missed

    def is_useful(self, point: Point) -> bool:
        """Return whether a point proves anything."""
        return self.optimum(point).lower > 0

    def _rooms(self, matrix: Floats, excess: Floats) -> Floats:
        rooms: Floats = excess - (matrix[self.first] - self.growth * matrix[self.second])
        return rooms

    def _pushed(self, flows: Floats) -> Floats:
        """Return what flows cost each entry: those out of its row, less those into it times their growth."""
        pushed: Floats = self.of_first @ flows - self.of_second @ (self.growth * flows)
        return pushed

    def newton(self, point: Point) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point, with one factor of the system in the entries."""
        (matrix, excess, room, slack, spare, limits), (worst,), (prices,) = point.primal, point.free, point.free_dual
        reserve, above, flow, price, weights, spared = point.dual
        (inputs, outputs), count, limited = matrix.shape, len(weights), self.laws.matrix
        # Of a step e of q(x,y) - g q(x',y), the excess takes the share `taken`, but for what the pair's slack resists.
        stiff, soft = flow / room, above / excess
        inverse = 1.0 / (stiff + soft)
        taken, resists = stiff * inverse, price / slack
        joined = 1.0 + resists * inverse.sum(axis=1)
        growth = np.broadcast_to(self.growth, flow.shape)
        terms = PairTerms(growth, taken * soft, taken, -growth * taken, resists / joined)
        system = pair_hessian(inputs, self.first, self.second, terms)
        root = np.sqrt(matrix).ravel()
        system *= root[:, None]
        system *= root
        system[np.diag_indices(root.size)] += reserve.ravel()
        factored = cholesky(system)
        # Prices of rows and weights of laws, the latter turned round, are solved for together; so is the largest cost.
        sides = np.zeros((root.size, inputs + count))
        sides[np.arange(root.size), np.arange(root.size) // outputs] = root
        sides[:, inputs:] = root[:, None] * self.costs.reshape(count, -1).T
        columns = factored(sides)
        small = np.zeros((inputs + count + 1, inputs + count + 1))
        small[:-1, :-1] = sides.T @ columns
        laws = slice(inputs, inputs + count)
        loose = limited.T @ ((limits / spared)[:, None] * limited)
        loose[np.diag_indices(count)] += spare / weights
        small[laws, laws] += loose
        small[laws, -1] = small[-1, laws] = -1.0
        columns *= root[:, None]

        def solved(side: Floats, lacking: Floats) -> tuple[Floats, Floats, Floats, float]:
            """Return the steps of entries, prices of rows, weights and the largest cost for right sides."""
            free = root * factored(root * side.ravel())
            right = lacking.copy()
            right[:inputs] -= free.reshape(side.shape).sum(axis=1)
            right[laws] -= self.costs.reshape(count, -1) @ free
            found: Floats = np.asarray(np.linalg.solve(small, right), dtype=np.float64)
            entries: Floats = (free + columns @ found[:-1]).reshape(side.shape)
            return entries, found[:inputs], -found[laws], float(found[-1])

        def step(targets: Parts) -> Point:
            of_excess, of_room = targets[1] / excess - above, targets[2] / room - flow
            of_slack = targets[3] / slack - price
            side = flow + above - price[:, None] + of_room + of_excess - of_slack[:, None]
            # Steps of excesses are `inverse` (side + stiff e - resists * their sum).
            fixed = resists * (side * inverse).sum(axis=1) / joined
            start = of_room - taken * (side - fixed[:, None])
            right = prices[:, None] - np.tensordot(weights, self.costs, axes=1)
            right += targets[0] / matrix - self._pushed(flow + start)
            means = np.tensordot(self.costs, matrix, axes=2)
            exceeding = worst + limited.T @ limits - means - spare
            unspared = self.laws.bounds - limited @ weights - spared
            of_limits = (targets[5] - limits * unspared) / spared - limits
            lawful = exceeding + limited.T @ of_limits - targets[4] / weights + spare
            lacking = np.concatenate((1.0 - matrix.sum(axis=1), lawful, [1.0 - float(weights.sum())]))
            entries, dearer, weigh, risen = solved(right, lacking)
            for again in range(1 + _REFINEMENTS):
                change = entries[self.first] - self.growth * entries[self.second]
                shared = resists * ((side + stiff * change) * inverse).sum(axis=1) / joined
                excesses = inverse * (side + stiff * change - shared[:, None])
                # The same as their difference to the change, without its loss of digits.
                rooms = inverse * (side - shared[:, None] - soft * change)
                flows = of_room - stiff * rooms
                reserves = (targets[0] - reserve * entries) / matrix - reserve
                gradient = np.tensordot(weights + weigh, self.costs, axes=1) + self._pushed(flow + flows)
                rest = gradient - (prices + dearer)[:, None] - reserve - reserves
                if again == _REFINEMENTS or (np.abs(rest) < _MISSED * reserve).all():
                    break
                missed = lawful - np.tensordot(self.costs, entries, axes=2) + loose @ weigh + risen
                summed = 1.0 - float(weights.sum() + weigh.sum())
                more = solved(-rest, np.concatenate((1.0 - (matrix + entries).sum(axis=1), missed, [summed])))
                entries, dearer, weigh, risen = entries + more[0], dearer + more[1], weigh + more[2], risen + more[3]
            slacks = -excesses.sum(axis=1)
            spares = (targets[4] - spare * weigh) / weights - spare
            spareds = unspared - limited @ weigh
            of_limits = (targets[5] - limits * spareds) / spared - limits
            dual = reserves, of_excess - soft * excesses, flows, of_slack - resists * slacks, weigh, spareds
            return Point((entries, excesses, rooms, slacks, spares, of_limits), dual, (risen,), (dearer,))

        return step
