r"""Interior-point method for power cones: large orders, as quick for 10^9 as for 10, where the smooth one breaks down.

The least cost under Rényi divergences of a large order; see the engines in docs/benchmarks.md. The smooth method finds
nothing at order 16, on 6 or 12 categories.

The bound sum_y p_y (p_y / v_y)^(a-1) <= 1, for rows p and v = e^level q of the mechanism, says that there are weights w
with sum_y w_y <= 1 and p_y <= w_y^(1/a) v_y^(1-1/a). Unlike the power itself the right side hardly bends, for no order;
at a = infinity it is v. A Newton step eliminates the weights by hand: what remains for each pair is a sum of squares in
its two rows, two for each output and one more for all, so that one system in the entries is left, however many pairs
there are, and nothing cancels.

At the end the multipliers s of sum w <= 1 and m_y of p_y <= ... are those of the tangent of the power at the ratio
p_y / v_y = (m_y / (a s))^(1/(a-1)), with the multiplier s.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.solve.program.predictor_corrector import Parts, Point, Program, cholesky, descend

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# By how many times itself a weight may grow in a step: beyond, its power is far from its tangent.
_MOST_GROWTH = 1.0
# The distance from the optimum, in units of the costs, from which on an iterate tells something.
_USEFUL = 1e-3


@dataclass(frozen=True)
class SteepPairs:
    """The rows of each pair, how far its bound lets their ratios be apart (e^(level distance)), and the order.

    With `shared`, sums over several pairs are bounded, by the shares that each budget takes of them.
    """

    first: Places
    second: Places
    growth: Floats
    order: float
    shared: Floats | None = None


@dataclass(frozen=True)
class Optimum:
    """The mechanism, its worst cost, and the multipliers: of the laws, of the budgets, and of the pairs in them.

    Those of pairs are in units of the bounds; `logs` are the logarithms of the ratios at which to take tangents, in
    units of the growth. `gap` is about how far the cost is from the optimum.
    """

    matrix: Floats
    cost: float
    laws: Floats
    budgets: Floats
    pairs: Floats
    logs: Floats
    gap: float


def least_cost(
    costs: Floats,
    pairs: SteepPairs,
    precision: float,
    left: Callable[[], float | None] = lambda: None,
    offsets: Floats | float = 0.0,
) -> Optimum:
    """Return the mechanism whose largest cost is least; `costs` has a matrix for each law of the source.

    `offsets` are what each law costs besides.

    `left` is called at every step and may raise to stop the work. Cost: some 40 steps of (inputs * outputs)^3 / 3.

    Raises:
        SolverFailure: if Newton's method does not find the way.
    """
    scale = float(np.ptp(costs, axis=(0, 2)).max()) or 1.0
    program = _Cones(costs / scale, offsets / scale, pairs)
    with np.errstate(all="ignore"):
        found = descend(program, program.start(), precision / scale, left)
    if not found.error < _USEFUL:
        raise SolverFailure("Newton's method does not find the path from its start.")
    return program.optimum(found.best, found.error, scale)


@dataclass(frozen=True)
class _Inside(Point):
    """A point inside the cones: entries and weights move by factors, for which cones that are nearly tight are flat."""

    cones: _Cones = field(kw_only=True)

    def moved(self, step: Point, primal: float, dual: float) -> Self:
        """Return where a step of these lengths leads, with the rooms that are left there."""
        after = super().moved(step, primal, dual)
        factors = (np.exp(primal * dx / x) for x, dx in zip(self.primal[:2], step.primal[:2], strict=True))
        matrix, weights = (x * factor for x, factor in zip(self.primal[:2], factors, strict=True))
        return replace(after, primal=(matrix, weights, self.cones.rooms(matrix, weights), *after.primal[3:]))


class _Cones(Program[_Inside]):
    """The program: entries, weights, rooms of the cones, what is spare of budgets and slacks of laws are positive.

    The duals are reserves of entries and weights, and multipliers; the largest cost is free, and rows have prices.
    """

    is_linear, correctors = False, 0

    def __init__(self, costs: Floats, offsets: Floats | float, pairs: SteepPairs) -> None:
        self.costs, self.offsets, self.pairs = costs, offsets, pairs
        self.alpha = 1.0 / pairs.order
        self.inputs, self.outputs = costs.shape[1:]
        # Which pairs each input is the first and the second of.
        own = np.arange(self.inputs)[:, None]
        self.of_first, self.of_second = (own == pairs.first).astype(float), (own == pairs.second).astype(float)
        self.budgets = _OwnBudgets(pairs.first.size) if pairs.shared is None else _SharedBudgets(pairs.shared)

    def start(self) -> _Inside:
        """Return equal chances for everything, which meet all bounds with room; all products are alike."""
        outputs = self.outputs
        matrix = np.full((self.inputs, outputs), 1.0 / outputs)
        share = np.maximum(0.5, self.pairs.growth ** (-(self.pairs.order - 1) / 2))
        weights = np.repeat(share[:, None] / outputs, outputs, axis=1)
        means = self.means(matrix)
        worst = float(means.max()) + 1.0
        spare = 1.0 - self.budgets.used(weights.sum(axis=1))
        primal = matrix, weights, self.rooms(matrix, weights), spare, worst - means
        mean = float(np.abs(self.costs).mean()) / outputs or 1.0
        dual = *(mean / part for part in primal[:-1]), 1.0 / primal[-1] / float((1.0 / primal[-1]).sum())
        return _Inside(primal, dual, (worst,), (np.zeros(self.inputs),), cones=self)

    def means(self, matrix: Floats) -> Floats:
        """Return what a mechanism costs under each law."""
        means: Floats = (self.costs * matrix).sum(axis=(1, 2)) + self.offsets
        return means

    def rooms(self, matrix: Floats, weights: Floats) -> Floats:
        """Return by how much the left sides of the cones may grow."""
        right = matrix[self.pairs.second] * self.pairs.growth[:, None]
        left = matrix[self.pairs.first]
        # For a large order the two sides are near one another, and their difference is known to the last digit.
        rooms: Floats = (right - left) + right * np.expm1(self.alpha * np.log(weights / right))
        return rooms

    def error(self, point: _Inside) -> float:
        """Return how far a point is from the optimum, in units of the costs."""
        matrix, weights, rooms, *_ = point.primal
        reserves, weight_reserves, multipliers, budgets, laws = point.dual
        b, held, steep = self.alpha, matrix[self.pairs.first] * multipliers, multipliers * rooms
        steep = steep + held
        (prices,) = point.free_dual
        slopes = self.of_first @ held - (1 - b) * (self.of_second @ steep)
        slopes += matrix * (np.tensordot(laws, self.costs, axes=1) - prices[:, None] - reserves)
        of_weights = weights * (self.budgets.spread(budgets)[:, None] - weight_reserves) - b * steep
        parts = (
            float(point.gap),
            float(np.abs(slopes).max()),
            float(np.abs(of_weights).max()),
            # A budget of no price is exceeded at no cost, and yet must be kept.
            float(np.abs(budgets * self.unspared(point)).max()),
            self._missed(point),
            float(np.abs(self.uncosted(point)).max()),
            abs(float(laws.sum()) - 1.0),
        )
        return max(parts)

    def unspared(self, point: _Inside) -> Floats:
        """Return what the weights leave of the budgets beyond what is spare."""
        left: Floats = 1.0 - self.budgets.used(point.primal[1].sum(axis=1)) - point.primal[3]
        return left

    def uncosted(self, point: _Inside) -> Floats:
        """Return what the costs under each law leave of the largest beyond the slack."""
        left: Floats = point.free[0] - self.means(point.primal[0]) - point.primal[4]
        return left

    def _missed(self, point: _Inside) -> float:
        """Return how far rows are from laws, and by which share exceeded budgets make the right sides of cones less.

        What that costs is in proportion to the least cost, which may be little.
        """
        overspent = -float((self.unspared(point) + point.primal[3]).min())
        size = min(1.0, abs(float(point.free[0])))
        return size * max(float(np.abs(point.primal[0].sum(axis=1) - 1.0).max()), self.alpha * overspent)

    def least_centring(self, point: _Inside) -> float:
        """Return what is missed, by laws at their prices, which first comes down."""
        missed = max(self._missed(point), float(point.dual[4] @ np.abs(self.uncosted(point))))
        return min(1.0, missed / float(point.gap))

    def longest(self, point: _Inside, step: Point) -> float:
        """Return how much of a step leaves weights that are not too many times as large."""
        grown = float((step.primal[1] / point.primal[1]).max())
        return min(1.0, _MOST_GROWTH / grown) if grown > 0 else 1.0

    def is_astray(self, _: _Inside, after: _Inside, __: float) -> bool:
        """Return whether a step leaves a cone."""
        return not bool((after.primal[2] > 0).all())

    def newton(self, point: _Inside) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point."""
        return _System(self, point).step

    def optimum(self, point: _Inside, error: float, scale: float) -> Optimum:
        """Return a point in the program's own units."""
        _, _, multipliers, budgets, laws = point.dual
        pairs = self.budgets.spread(budgets)
        logs = np.log(multipliers / (self.pairs.order * pairs[:, None])) / (self.pairs.order - 1)
        matrix = point.primal[0] / point.primal[0].sum(axis=1, keepdims=True)
        cost = scale * float(self.means(matrix).max())
        return Optimum(matrix, cost, laws, budgets * scale, pairs * scale, logs, error * scale)


@dataclass(frozen=True)
class _OwnBudgets:
    """What weights may add up to at most one: a budget for each pair."""

    count: int

    def used(self, sums: Floats) -> Floats:
        """Return what pairs whose weights add up to these sums use of each budget."""
        return sums

    def spread(self, values: Floats) -> Floats:
        """Return what one per unit of each budget is for each pair."""
        return values

    def eliminated(self, weights: Floats, spare: Floats, own: Floats) -> _Own:
        """Return the system of the weights, of which this much is spare."""
        return _Own(weights / spare[:, None] / own, weights / spare[:, None], own)


class _Own:
    """The second derivatives by the weights: diagonal, and the square of a form for each budget."""

    def __init__(self, moved: Floats, forms: Floats, own: Floats) -> None:
        self.moved, self.own = moved, own
        self.total = 1.0 + (forms * moved).sum(axis=1)

    def solved(self, weights: Floats) -> Floats:
        """Return the moves that forces on the weights lead to."""
        common = (self.moved * weights).sum(axis=1) / self.total
        solved: Floats = weights / self.own - self.moved * common[:, None]
        return solved

    def add_squares(self, blocks: Floats, coupling: Floats, first: Places, second: Places, right: float) -> None:
        """Add to the derivatives by the entries what the forms leave there."""
        slope = coupling * self.moved / np.sqrt(self.total)[:, None]
        mixed = -right * slope[:, :, None] * slope[:, None, :]
        lower, upper = first > second, first < second
        blocks[first[lower], :, second[lower], :] += mixed[lower]
        blocks[second[upper], :, first[upper], :] += mixed[upper]
        for x in range(len(blocks)):
            given, taken = slope[first == x], slope[second == x]
            blocks[x, :, x, :] += given.T @ given + right**2 * taken.T @ taken


class _SharedBudgets:
    """The same for budgets of which each pair takes its share, one row of shares for each budget."""

    def __init__(self, shares: Floats) -> None:
        self.shares, self.count = shares, len(shares)

    def used(self, sums: Floats) -> Floats:
        return np.asarray(self.shares @ sums)

    def spread(self, values: Floats) -> Floats:
        return np.asarray(values @ self.shares)

    def eliminated(self, weights: Floats, spare: Floats, own: Floats) -> _Shared:
        return _Shared((self.shares / spare[:, None])[:, :, None] * weights, own)


class _Shared:
    def __init__(self, forms: Floats, own: Floats) -> None:
        self.own, self.moved = own, forms / own
        flat = forms.reshape(len(forms), -1)
        total = np.eye(len(forms)) + flat @ self.moved.reshape(len(forms), -1).T
        self.factor = np.linalg.cholesky(total)

    def solved(self, weights: Floats) -> Floats:
        sides = np.tensordot(self.moved, weights, axes=2)
        common = np.linalg.solve(self.factor.T, np.linalg.solve(self.factor, sides))
        solved: Floats = weights / self.own - np.tensordot(common, self.moved, axes=1)
        return solved

    def add_squares(self, blocks: Floats, coupling: Floats, first: Places, second: Places, right: float) -> None:
        inputs, outputs = blocks.shape[:2]
        count, steps = len(self.moved), np.swapaxes(self.moved * coupling, 0, 1)
        slopes = np.zeros((inputs, count, outputs))
        np.subtract.at(slopes, first, steps)
        np.add.at(slopes, second, right * steps)
        forms = np.linalg.solve(self.factor, np.swapaxes(slopes, 0, 1).reshape(count, -1))
        blocks += (forms.T @ forms).reshape(blocks.shape)


class _System:
    """Newton's equations at a point, in relative moves of the entries and weights, with the weights eliminated.

    In relative moves o, n and e of a weight, the right and the left side one cone has the second derivative
    m u ((b F o + (1-b) F n - p e) / u)^2 + m b (1-b) F (o - n)^2, with b = 1/a, the geometric mean F, the room
    u = F - p and its multiplier m; the reserve z of the weight adds w z o^2. That all weights of a pair add up to
    less than one adds the square of a form of o. Completing the squares in o leaves squares alone. In the same way the
    squares of what laws cost less than the largest become those of how far their costs are apart.
    """

    def __init__(self, program: _Cones, point: _Inside) -> None:
        self.program, self.point = program, point
        pairs, b = program.pairs, program.alpha
        self.first, self.second = pairs.first, pairs.second
        matrix, weights, rooms, spare, slack = point.primal
        _, weight_reserves, multipliers, budgets, laws = point.dual
        left = matrix[self.first]
        # In units of the room.
        self.steep, self.held = (left + rooms) / rooms, left / rooms
        self.size, self.reserved = multipliers * rooms, weights * weight_reserves
        self.bent = b * (1 - b) * self.steep
        self.own = self.size * ((b * self.steep) ** 2 + self.bent) + self.reserved
        self.coupling = self.size * b * self.steep * self.held
        self.unspared, self.uncosted = program.unspared(point), program.uncosted(point)
        self.eliminated = program.budgets.eliminated(weights, np.sqrt(spare / budgets), self.own)
        self.tight = laws / slack
        self.costs = program.costs * matrix
        self.mean_cost: Floats = np.tensordot(self.tight / self.tight.sum(), self.costs, axes=1)
        system = self._squares()
        # As stiff as the bounds themselves, rows that add up to one leave no direction in which nothing is.
        self.stiff = float(system.diagonal().max())
        size, outputs = matrix.size, program.outputs
        for x, row in enumerate(matrix):
            system[x * outputs : (x + 1) * outputs, x * outputs : (x + 1) * outputs] += self.stiff * np.outer(row, row)
        self.solved = cholesky(system)
        self.rows = np.zeros((size, program.inputs))
        self.rows[np.arange(size), np.arange(size) // outputs] = matrix.ravel()
        self.columns = self.solved(self.rows)
        self.small = self.rows.T @ self.columns

    def _squares(self) -> Floats:
        """Return the second derivatives in the entries, of which the lower half counts."""
        program, first, second = self.program, self.first, self.second
        b, inputs, outputs = program.alpha, program.inputs, program.outputs
        size, own = inputs * outputs, np.arange(outputs)
        near, far = self.size * self.bent / self.own, self.reserved / self.own
        right = self.size * ((near + far * (1 - b) ** 2) * self.steep**2 + far * self.bent)
        cross = -self.size * (near + far * (1 - b)) * self.steep * self.held
        left = self.size * (near + far) * self.held**2
        # The system, what is added to it, and its factor.
        keep_memory(3 * 8 * size**2)
        blocks = np.zeros((inputs, outputs, inputs, outputs))
        self.eliminated.add_squares(blocks, self.coupling, first, second, 1 - b)
        lower, upper = first > second, first < second
        blocks[first[lower][:, None], own, second[lower][:, None], own] += cross[lower]
        blocks[second[upper][:, None], own, first[upper][:, None], own] += cross[upper]
        system = blocks.reshape(size, size)
        diagonal = self.point.primal[0] * self.point.dual[0] + program.of_first @ left + program.of_second @ right
        system[np.arange(size), np.arange(size)] += diagonal.ravel()
        apart = ((self.costs - self.mean_cost) * np.sqrt(self.tight)[:, None, None]).reshape(-1, size)
        system += apart.T @ apart
        return system

    def step(self, targets: Parts) -> Point:
        """Return the step to where all products are the targets."""
        program, point, b = self.program, self.point, self.program.alpha
        matrix, weights, rooms, spare, slack = point.primal
        *_, budgets, laws = point.dual
        (prices,) = point.free_dual
        weigh = (targets[4] - laws * self.uncosted) / slack
        beyond = float(weigh.sum()) - 1.0
        forces = targets[1] + b * targets[2] * self.steep
        forces = forces - weights * program.budgets.spread((targets[3] - budgets * self.unspared) / spare)[:, None]
        side = targets[0] - np.tensordot(weigh, self.costs, axes=1) + beyond * self.mean_cost
        side = side - program.of_first @ (targets[2] * self.held)
        side += (1 - b) * (program.of_second @ (targets[2] * self.steep)) - self._pushed(forces)
        rests = 1.0 - matrix.sum(axis=1)
        side += self.stiff * rests[:, None] * matrix
        free = self.solved(side.ravel())
        priced = np.linalg.solve(self.small, rests - self.rows.T @ free)
        moves = (free + self.columns @ priced).reshape(matrix.shape)
        moved = self.eliminated.solved(forces - self.coupling * ((1 - b) * moves[self.second] - moves[self.first]))
        risen = beyond / float(self.tight.sum()) + float((self.mean_cost * moves).sum())
        grown = rooms * (self.steep * (b * moved + (1 - b) * moves[self.second]) - self.held * moves[self.first])
        spared = self.unspared - program.budgets.used((weights * moved).sum(axis=1))
        slacks = self.uncosted + risen - (self.costs * moves).sum(axis=(1, 2))
        primal = matrix * moves, weights * moved, grown, spared, slacks
        dual = (
            (target - z * dx) / x - z
            for target, x, z, dx in zip(targets, point.primal, point.dual, primal, strict=True)
        )
        return Point(primal, tuple(dual), (risen,), (priced - prices,))

    def _pushed(self, weights: Floats) -> Floats:
        """Return what forces on the weights do to the entries."""
        forces = self.coupling * self.eliminated.solved(weights)
        moved: Floats = (1 - self.program.alpha) * (self.program.of_second @ forces) - self.program.of_first @ forces
        return moved
