r"""Barrier method for power cones: large orders, as quick for 10^9 as for 10, where the smooth method breaks down.

The least cost under Rényi divergences of a large order; see the engines in docs/benchmarks.md. The smooth method finds
nothing at order 16, on 6 or 12 categories.

The bound sum_y p_y (p_y / v_y)^(a-1) <= 1, for rows p and v = e^level q of the mechanism, says that there are weights w
with sum_y w_y <= 1 and p_y <= w_y^(1/a) v_y^(1-1/a). Unlike the power itself these have a barrier,

    -log(w^(1/a) v^(1-1/a) - p) - (1 - 1/a) log w - (1/a) log v,

that Newton's method follows equally well for all orders; at a = infinity it is that of p <= v. A Newton step eliminates
the weights by hand: what remains for each pair is a sum of squares in its two rows, two for each output and one more
for all, so that one system in the entries is left, however many pairs there are, and nothing cancels.

At the end the multipliers s of sum w <= 1 and m_y of p_y <= ... are those of the tangent of the power at the ratio
p_y / v_y = (m_y / (a s))^(1/(a-1)), with the multiplier s.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.solve.program.budgets import OwnBudgets, SharedBudgets

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# By how much the share falls from one point of the path to the next: first, at least and at most, and where it is slow.
_FIRST_SHRINK, _LEAST_SHRINK, _SLOW_SHRINK, _MOST_SHRINK = 0.1, 0.01, 0.5, 0.9
# A point so near to the path that a step would lower the potential by less will do.
_CENTRED, _WELL_CENTRED = 0.1, 1e-8
# Steps at the end of the path, which mend the multipliers, and the factor to which one may change them.
_LAST_STEPS, _LEAST_CHANGE = 4, 1e-3
# Shares of the largest entry that are added to a diagonal until rounding leaves it a Cholesky factor.
_HELD = (0.0, 1e-15, 1e-13, 1e-11)
# Steps to a point of the path that are few, and many; the most that get anywhere, and halvings of one.
_FEW_STEPS, _MANY_STEPS, _MOST_STEPS, _MOST_HALVINGS = 4, 8, 30, 40


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
    costs: Floats, pairs: SteepPairs, precision: float, left: Callable[[], float | None] = lambda: None
) -> Optimum:
    """Return the mechanism whose largest cost is least; `costs` has a matrix for each law of the source.

    `left` is called at every step and may raise to stop the work. Cost: some 100 steps of (inputs * outputs)^3 / 3.

    Raises:
        SolverFailure: if Newton's method does not find the way.
    """
    scale = float(np.ptp(costs, axis=(0, 2)).max()) or 1.0
    barrier = _Barrier(costs / scale, pairs)
    with np.errstate(all="ignore"):
        end = _followed(barrier, precision / scale, left)
    return barrier.optimum(end, scale, costs)


@dataclass(frozen=True)
class _Point:
    """The entries, the weights of each pair, what these leave of one, what the costs leave of the largest, the share.

    What is left follows from the rest, but is too small to be told from it.
    """

    matrix: Floats
    weights: Floats
    spare: Floats
    slack: Floats
    share: float

    def at(self, share: float) -> _Point:
        """Return the same place at another share."""
        return replace(self, share=share)


@dataclass(frozen=True)
class _Step:
    """Relative moves of entries and weights, moves of what is left, and the move of the largest cost."""

    entries: Floats
    weights: Floats
    spare: Floats
    slack: Floats
    worst: float

    def taken(self, point: _Point, length: float) -> _Point:
        """Return the point moved by a part of the step."""
        return _Point(
            point.matrix * (1.0 + length * self.entries),
            point.weights * (1.0 + length * self.weights),
            point.spare + length * self.spare,
            point.slack + length * self.slack,
            point.share,
        )


def _followed(barrier: _Barrier, gap: float, left: Callable[[], float | None]) -> _Point:
    """Return the point of the path at which the cost is known to within `gap`, or the last that floats find."""
    point, shrink = _centred(barrier, barrier.start(), left).point, _FIRST_SHRINK
    if point is None:
        raise SolverFailure("Newton's method does not find the path from its start.")
    last = gap / barrier.parameter
    while point.share > last and shrink < _MOST_SHRINK:
        reached = _centred(barrier, barrier.ahead(point, max(last, point.share * shrink)), left)
        if reached.point is None:
            shrink = shrink**0.5
        elif reached.steps > _MANY_STEPS:
            shrink = max(shrink, min(shrink**0.5, _SLOW_SHRINK))
        elif reached.steps <= _FEW_STEPS:
            shrink = max(shrink**1.5, _LEAST_SHRINK)
        point = reached.point or point
    newton = barrier.newton(point)
    for _ in range(_LAST_STEPS):
        if newton is None or newton[1] <= _WELL_CENTRED:
            break
        moved, before = newton[0].taken(point, 1.0), newton[1]
        newton = barrier.newton(moved) if barrier.is_inside(moved) else None
        if newton is not None and abs(newton[1]) < before:
            point = moved
    return point


@dataclass(frozen=True)
class _Centre:
    """The point of the path that was found, if any, and in how many steps."""

    point: _Point | None
    steps: int


def _centred(barrier: _Barrier, point: _Point, left: Callable[[], float | None]) -> _Centre:
    """Return the point of the path at this share, by damped steps."""
    if not barrier.is_inside(point):
        return _Centre(None, 0)
    for steps in range(_MOST_STEPS):
        left()
        newton = barrier.newton(point)
        if newton is None:
            return _Centre(None, steps)
        step, decrease = newton
        if decrease <= _CENTRED:
            return _Centre(point, steps)
        length = 1.0
        for _ in range(_MOST_HALVINGS):
            moved = step.taken(point, length)
            gain = -0.1 * length * decrease
            if barrier.is_inside(moved) and barrier.change(point, moved, length * step.worst) <= gain:
                break
            length /= 2
        else:
            return _Centre(None, steps)
        point = moved
    return _Centre(None, _MOST_STEPS)


class _Barrier:
    """The program: costs in units of their range, and the derivatives of the barrier at a point."""

    def __init__(self, costs: Floats, pairs: SteepPairs) -> None:
        self.costs, self.pairs = costs, pairs
        self.alpha = 1.0 / pairs.order
        self.inputs, self.outputs = costs.shape[1:]
        # Which pairs each input is the first and the second of.
        own = np.arange(self.inputs)[:, None]
        self.of_first, self.of_second = (own == pairs.first).astype(float), (own == pairs.second).astype(float)
        cones = pairs.first.size * self.outputs
        self.budgets = OwnBudgets(pairs.first.size) if pairs.shared is None else SharedBudgets(pairs.shared)
        self.parameter = 3.0 * cones + self.budgets.count + self.inputs * self.outputs + len(costs)

    def start(self) -> _Point:
        """Return equal chances for everything, which meet all bounds with room."""
        outputs = self.outputs
        matrix = np.full((self.inputs, outputs), 1.0 / outputs)
        spare = np.maximum(0.5, self.pairs.growth ** (-(self.pairs.order - 1) / 2))
        weights = np.repeat(spare[:, None] / outputs, outputs, axis=1)
        costs = (self.costs * matrix).sum(axis=(1, 2))
        spare = 1.0 - self.budgets.used(weights.sum(axis=1))
        return _Point(matrix, weights, spare, costs.max() + 1.0 - costs, 1.0)

    def is_inside(self, point: _Point) -> bool:
        """Return whether a point keeps all bounds with room to spare."""
        parts = (point.matrix, point.weights, self.sides(point)[1], point.spare, point.slack)
        return all(bool((part > 0).all()) for part in parts)

    def change(self, before: _Point, after: _Point, risen: float) -> float:
        """Return by how much the potential, which the path's point minimises, changes if the largest cost rises."""
        b = self.alpha
        (right, room), (new_right, new_room) = self.sides(before), self.sides(after)
        change = risen / before.share - np.log(new_room / room).sum() - b * np.log(new_right / right).sum()
        change -= (1 - b) * np.log(after.weights / before.weights).sum()
        for part in ("matrix", "spare", "slack"):
            change -= np.log(getattr(after, part) / getattr(before, part)).sum()
        return float(change)

    def sides(self, point: _Point) -> tuple[Floats, Floats]:
        """Return the right sides of the cones, and by how much each left side may grow."""
        right = point.matrix[self.pairs.second] * self.pairs.growth[:, None]
        left = point.matrix[self.pairs.first]
        # For a large order the two sides are near one another, and their difference is known to the last digit.
        room = (right - left) + right * np.expm1(self.alpha * np.log(point.weights / right))
        return right, room

    def newton(self, point: _Point) -> tuple[_Step, float] | None:
        """Return the step to the path's point at this share, and by how much it promises to lower the potential."""
        linear = _Linear.at(self, point)
        if linear is None:
            return None
        step, decrease = linear.newton()
        return (step, decrease) if np.isfinite(decrease) and decrease > -_CENTRED else None

    def ahead(self, point: _Point, share: float) -> _Point:
        """Return where the path is expected at a smaller share: what fades does so in proportion to it."""
        linear = _Linear.at(self, point)
        if linear is None:
            return point.at(share)
        tangent = linear.tangent()
        length = 1.0 - share / point.share
        for _ in range(_MOST_HALVINGS):
            moved = tangent.taken(point, length)
            if self.is_inside(moved):
                return moved.at(share)
            length *= 0.9
        return point.at(share)

    def optimum(self, point: _Point, scale: float, costs: Floats) -> Optimum:
        """Return a point in the program's own units.

        The step that is not taken any more mends the multipliers, which feel every bit of it.
        """
        linear = _Linear.at(self, point)
        if linear is None:
            raise SolverFailure("Newton's method broke down at its end.")
        laws, budgets, outputs = linear.parts.multipliers(linear.newton()[0])
        pairs = self.budgets.spread(budgets)
        logs = np.log(outputs / (self.pairs.order * pairs[:, None])) / (self.pairs.order - 1)
        matrix = point.matrix / point.matrix.sum(axis=1, keepdims=True)
        cost = float((costs * matrix).sum(axis=(1, 2)).max())
        return Optimum(matrix, cost, laws, budgets * scale, pairs * scale, logs, self.parameter * point.share * scale)


class _Linear:
    """The Newton system at a point, in relative moves of the entries and weights."""

    def __init__(self, barrier: _Barrier, point: _Point, factor: tuple[Floats, bool], parts: _Parts) -> None:
        from scipy.linalg import cho_solve

        self.barrier, self.point, self.parts, self.factor = barrier, point, parts, factor
        size, outputs = point.matrix.size, barrier.outputs
        self.rows = np.zeros((size, barrier.inputs))
        self.rows[np.arange(size), np.arange(size) // outputs] = point.matrix.ravel()
        self.columns = cho_solve(factor, self.rows, check_finite=False)
        self.small = self.rows.T @ self.columns

    @classmethod
    def at(cls, barrier: _Barrier, point: _Point) -> _Linear | None:
        """Return the system, None where its numbers break down."""
        from scipy.linalg import LinAlgError, cho_factor

        parts = _Parts(barrier, point)
        system = parts.system()
        diagonal = system.diagonal().copy()
        for held in _HELD:
            # Where nothing but the barrier bends, next to bounds that bind, a system of floats may not be definite.
            system[np.diag_indices(len(system))] = diagonal * (1.0 + held)
            with suppress(LinAlgError, ValueError):
                return cls(barrier, point, cho_factor(system, lower=True, check_finite=False), parts)
        return None

    def newton(self) -> tuple[_Step, float]:
        """Return the step to the minimiser of the barrier's model, and by how much that lowers the potential."""
        parts = self.parts
        pull = 1.0 / self.point.share - (1.0 / self.point.slack).sum()
        entries, weights = parts.gradient()
        step = self._solved(-entries, -weights, -pull, 1.0 - self.point.matrix.sum(axis=1))
        gained = -(entries * step.entries).sum() - (weights * step.weights).sum() - pull * step.worst
        return step, float(gained)

    def tangent(self) -> _Step:
        """Return the move of the path's point if the share went to zero along its tangent."""
        # The derivative of worst / share by the share is -worst / share^2.
        entries, weights = np.zeros_like(self.point.matrix), np.zeros_like(self.point.weights)
        return self._solved(entries, weights, -1.0 / self.point.share, np.zeros(self.barrier.inputs))

    def _solved(self, entries: Floats, weights: Floats, worst: float, rests: Floats) -> _Step:
        """Return the step that forces on entries, weights and the largest cost lead to, and sums of rows that lack."""
        from scipy.linalg import cho_solve

        parts = self.parts
        side = entries - parts.pushed(weights) + worst * parts.mean_cost
        side += parts.stiff * rests[:, None] * self.point.matrix
        free = cho_solve(self.factor, side.ravel(), check_finite=False)
        prices = np.linalg.solve(self.small, rests - self.rows.T @ free)
        moves = (free + self.columns @ prices).reshape(self.point.matrix.shape)
        moved, rise = parts.weight_moves(weights, moves), worst / parts.tightness
        return _Step(
            moves,
            moved,
            -self.barrier.budgets.used((self.point.weights * moved).sum(axis=1)),
            rise - (parts.costs_apart * moves).sum(axis=(1, 2)),
            rise + float((parts.mean_cost * moves).sum()),
        )


class _Parts:
    """First and second derivatives at a point, with the weights and the largest cost eliminated.

    In relative moves o, n and e of a weight, the right and the left side the barrier of one cone has the second
    derivative ((b F o + (1-b) F n - p e) / u)^2 + k (o - n)^2 + (1-b) o^2 + b n^2, with b = 1/a, the geometric mean F,
    the room u = F - p, and k = b (1-b) F / u. That all weights of a pair add up to less than one adds the square of
    r . o. Completing the squares in o leaves squares alone. In the same way the squares of what laws cost less than the
    largest become those of how far their costs are apart.
    """

    def __init__(self, barrier: _Barrier, point: _Point) -> None:
        self.barrier, self.point = barrier, point
        pairs, b = barrier.pairs, barrier.alpha
        self.first, self.second = pairs.first, pairs.second
        _, room = barrier.sides(point)
        left = point.matrix[self.first]
        # In units of the room.
        self.room, self.steep, self.held = room, (left + room) / room, left / room
        self.bent = b * (1 - b) * self.steep
        self.own = (b * self.steep) ** 2 + self.bent + (1 - b)
        budgets = barrier.budgets
        self.shares = point.weights * budgets.spread(1.0 / point.spare)[:, None]
        self.coupling = b * self.steep * self.held
        self.eliminated = budgets.eliminated(point.weights, point.spare, self.own)
        tight = point.slack**-2.0
        self.tightness = float(tight.sum())
        costs = barrier.costs * point.matrix
        self.mean_cost: Floats = np.tensordot(tight / self.tightness, costs, axes=1)
        self.costs_apart = costs - self.mean_cost
        self.stiff = 0.0

    def gradient(self) -> tuple[Floats, Floats]:
        """Return the derivatives of the barrier by the entries and weights, in relative moves."""
        b = self.barrier.alpha
        entries = self.barrier.of_first @ self.held - self.barrier.of_second @ ((1 - b) * self.steep + b) - 1.0
        entries += np.tensordot(1.0 / self.point.slack, self.barrier.costs * self.point.matrix, axes=1)
        return entries, self.shares - b * self.steep - (1 - b)

    def multipliers(self, step: _Step) -> tuple[Floats, Floats, Floats]:
        """Return those of the laws, of the pairs and of the outputs of each pair, as they are after a step."""
        b, point = self.barrier.alpha, self.point
        moved = self.steep * (b * step.weights + (1 - b) * step.entries[self.second])
        moved -= self.held * step.entries[self.first]
        return (
            point.share / point.slack * _kept(1.0 - step.slack / point.slack),
            point.share / point.spare * _kept(1.0 - step.spare / point.spare),
            point.share / self.room * _kept(1.0 - moved),
        )

    def pushed(self, weights: Floats) -> Floats:
        """Return what forces on the weights do to the entries."""
        forces = self.coupling * self.eliminated.solved(weights)
        moved: Floats = (1 - self.barrier.alpha) * (self.barrier.of_second @ forces) - self.barrier.of_first @ forces
        return moved

    def weight_moves(self, weights: Floats, moves: Floats) -> Floats:
        """Return how the weights move with the entries."""
        b = self.barrier.alpha
        return self.eliminated.solved(weights - self.coupling * ((1 - b) * moves[self.second] - moves[self.first]))

    def system(self) -> Floats:
        """Return the second derivatives in the entries, of which the lower half counts."""
        b, first, second = self.barrier.alpha, self.first, self.second
        inputs, outputs = self.barrier.inputs, self.barrier.outputs
        size, own = inputs * outputs, np.arange(outputs)
        near, far = self.bent / self.own, (1 - b) / self.own
        right = (near + far * (1 - b) ** 2) * self.steep**2 + self.bent * (1 - b) / self.own + b
        cross = -(near + far * (1 - b)) * self.steep * self.held
        left = (near + far) * self.held**2
        # The system, what is added to it, and its factor.
        keep_memory(3 * 8 * size**2)
        blocks = np.zeros((inputs, outputs, inputs, outputs))
        self.eliminated.add_squares(blocks, self.coupling, first, second, 1 - b)
        lower, upper = first > second, first < second
        blocks[first[lower][:, None], own, second[lower][:, None], own] += cross[lower]
        blocks[second[upper][:, None], own, first[upper][:, None], own] += cross[upper]
        system = blocks.reshape(size, size)
        diagonal = 1.0 + self.barrier.of_first @ left + self.barrier.of_second @ right
        system[np.arange(size), np.arange(size)] += diagonal.ravel()
        apart = (self.costs_apart / self.point.slack[:, None, None]).reshape(-1, size)
        system += apart.T @ apart
        # As stiff as the bounds themselves, rows that add up to one leave no direction in which nothing is.
        self.stiff = float(system.diagonal().max())
        for x in range(inputs):
            row = self.point.matrix[x]
            system[x * outputs : (x + 1) * outputs, x * outputs : (x + 1) * outputs] += self.stiff * np.outer(row, row)
        return system


def _kept(factors: Floats) -> Floats:
    """Return the factors kept positive, where a step of rounding errors leads too far."""
    return np.clip(factors, _LEAST_CHANGE, 1 / _LEAST_CHANGE)
