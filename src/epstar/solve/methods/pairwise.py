r"""Least cost under divergences of pairs of rows: an interior-point method that eliminates the pairs by hand.

The cost is the largest of several, one for each law that is considered.

Every bound compares two rows x and x' of the mechanism, output by output: sum_y f(q(x,y), q(x',y)) <= bound, with f the
Rényi power of an order or the relative entropy. A Newton step couples the entries of the mechanism by a 2 x 2 matrix
for each pair and output and a matrix of rank one for each pair, and by another for how far the cost under each law is
from their mean; one dense system in the entries alone remains, however many pairs there are. Mehrotra's corrector is
used throughout; the start, a constant mechanism, meets every bound with room.

Outputs that the optimum hardly ever gives leave their columns to rounding, but a proof needs a tangent there too:
`supporting_columns` finds, for each output, the column that is most tempting at the final prices.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.solve.methods.pair_hessian import PairTerms, pair_hessian

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

_MOST_STEPS = 100
# Once this near, a few steps without progress are rounding; farther away they may be a difficult passage.
_NEAR = 1e-9
_STALLED_NEAR, _STALLED = 3, 15
_DROPPING = 1e-3
_FADING = 3e-4
# By how much prices may be too high after a step: times what they were, and times the gap.
_FARTHER, _FAR, _MOST_HALVINGS = 10.0, 1e5, 8
# How close is close, which reduced cost tempts and which probability counts, roughly and precisely.
_ROUGH, _PRECISE = (1e-5, 1e-4, 1e-3), (1e-13, 1e-10, 1e-9)
_FEW_ROUNDS, _MOST_ROUNDS = 6, 12
# Up to this many entries all outputs are considered from the start; else this many, and those that are wanted then.
_FEW_ENTRIES, _FIRST_OUTPUTS = 4900, 16
_BARRIERS = 10.0 ** -np.arange(2, 16)
# At least and at most as many steps are taken for each, until none changes an entry by a larger share.
_FEW_STEPS, _STEPS_PER_BARRIER, _SETTLED = 3, 24, 0.1


@dataclass(frozen=True)
class Pairs:
    """The rows of each pair, the order of the divergence, and the bounds; orders below one have negative bounds."""

    first: Places
    second: Places
    order: float
    bounds: Floats


@dataclass(frozen=True)
class Optimum:
    """The mechanism, the prices of rows, the multipliers of pairs and of laws, and how far all is from the optimum.

    `columns` are laws on the inputs, one per output, at which to take the tangents of the divergences; `gap` is how far
    the bound that they give is from the cost.
    """

    matrix: Floats
    prices: Floats
    multipliers: Floats
    laws: Floats
    error: float
    columns: Floats
    gap: float = np.inf


@dataclass(frozen=True)
class _Slopes:
    """First derivatives of f by its two arguments, and the second by the left one, for each pair and output.

    The function scales with its arguments: it is their inner product with the slopes, and the other second derivatives
    are those of the left argument times -ratio and ratio^2.
    """

    ratio: Floats
    left: Floats
    right: Floats
    bent: Floats

    @classmethod
    def at(cls, left: Floats, right: Floats, order: float) -> _Slopes:
        ratio = left / right
        if order == 1:
            return cls(ratio, np.log(ratio) + 1.0, -ratio, 1.0 / left)
        power = np.sign(order - 1) * ratio ** (order - 1)
        return cls(ratio, order * power, (1 - order) * power * ratio, order * (order - 1) * power / left)


def least_cost(
    costs: Floats,
    pairs: Pairs,
    left: Callable[[], float | None] = lambda: None,
    roughly: bool = False,
    start: Places | None = None,
) -> Optimum:
    """Return the mechanism whose largest cost is least within the bounds; `costs` has a matrix for each law.

    If it is to be known but roughly, which is sooner done, the bound that it gives is not looked at. Of many outputs
    only those at `start` are considered at first, or some useful ones, and then those that turn out to be wanted.
    `left` is called at every step and may raise to stop the work. Cost: some 30 steps of (inputs * outputs)^3 / 3, the
    later ones on the outputs that the optimum gives.

    Raises:
        SolverFailure: if the numbers break down.
    """
    inputs, outputs = costs.shape[1:]
    few = _FIRST_OUTPUTS if inputs * outputs > _FEW_ENTRIES else outputs
    chosen = _useful_outputs(costs.mean(axis=0), few) if start is None or few == outputs else start
    scale = float(np.abs(costs).max()) or 1.0
    close, tempted, least_given = _ROUGH if roughly else _PRECISE
    for _ in range(_MOST_ROUNDS if few < outputs else _FEW_ROUNDS):
        found = _run(costs, chosen, pairs, close, left)
        if roughly and chosen.size == outputs:
            break
        tempting = _tempting(_mean(costs, found), pairs, found)
        bound = float((found.prices + tempting.min(axis=1)).sum() - found.multipliers @ pairs.bounds)
        found = replace(found, gap=float(_expected(costs, found.matrix).max()) - bound)
        least = (found.columns * tempting).sum(axis=0) / scale
        given = np.flatnonzero(found.matrix.max(axis=0) > least_given)
        cheapest = np.argsort(least)[: int((least < -tempted).sum())]
        wanted = np.union1d(given, cheapest[: max(given.size, _FIRST_OUTPUTS) // 2 if few < outputs else None])
        if cheapest.size == 0 or (wanted.size == chosen.size and (wanted == chosen).all()):
            break
        # Outputs were left out, or were left to fade, that the optimum wants.
        chosen = wanted
    return found


def _useful_outputs(cost: Floats, count: int) -> Places:
    """Return outputs among which there is a cheap one for every input: each lowers the cost most, after the others."""
    if count == cost.shape[1]:
        return np.arange(count)
    best, chosen = np.full(len(cost), cost.max()), list[int]()
    for _ in range(count):
        chosen.append(int(np.minimum(cost, best[:, None]).sum(axis=0).argmin()))
        best = np.minimum(best, cost[:, chosen[-1]])
    return np.unique(chosen)


def _run(costs: Floats, chosen: Places, pairs: Pairs, close: float, left: Callable[[], float | None]) -> Optimum:
    """Return the optimum on some of the outputs; those that fade away on the way are left out if all were chosen."""
    method = _Method(costs, chosen, pairs)
    best: Optimum | None = None
    stalled, last = 0, np.inf
    for _ in range(_MOST_STEPS):
        left()
        found = method.found()
        if not np.isfinite(found.error):
            break
        # A step that went too far takes many to recover from, and yet may be the shortest way.
        stalled = 0 if found.error < 0.8 * last else stalled + 1
        last = found.error
        if best is None or found.error < best.error:
            best = found
        most = _STALLED_NEAR if best.error < _NEAR else _STALLED
        if best.error < close or stalled >= most:
            break
        if chosen.size == costs.shape[2] and best.error < _DROPPING:
            method.drop()
        if not method.step():
            break
    if best is None:
        raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
    return replace(best, columns=supporting_columns(_mean(costs, best), pairs, best))


def _mean(costs: Floats, found: Optimum) -> Floats:
    """Return the cost under the mixture of the laws that is worst."""
    mean: Floats = np.tensordot(found.laws, costs, axes=1)
    return mean


def _expected(costs: Floats, matrix: Floats) -> Floats:
    """Return the cost under each law."""
    expected: Floats = np.tensordot(costs, matrix, axes=2)
    return expected


class _Method:
    """The state of the method: entries with reserves, slacks of the pairs and of the laws with their multipliers.

    Bounds are measured in units of their size and costs in units of the largest, so that all are known to as many
    digits.
    """

    def __init__(self, costs: Floats, chosen: Places, pairs: Pairs) -> None:
        self.kept, self.shape = chosen, (costs.shape[1], costs.shape[2])
        costs, outputs = costs[:, :, chosen], chosen.size
        self.first, self.second, self.order = pairs.first, pairs.second, pairs.order
        # Which pairs each input is the first and the second of.
        own = np.arange(len(costs[0]))[:, None]
        self.of_first, self.of_second = (own == pairs.first).astype(float), (own == pairs.second).astype(float)
        self.scale = float(np.abs(costs).max()) or 1.0
        self.unit = np.abs(pairs.bounds)
        self.costs, self.bounds = costs / self.scale, np.sign(pairs.bounds)
        self.matrix: Floats = np.full((len(costs[0]), outputs), 1.0 / outputs)
        self._settle()
        room = float(np.abs(self.costs).mean()) or 1.0
        self.slacks = self.bounds - self.values
        self.multipliers = room / outputs / self.slacks
        self.laws = np.full(len(costs), 1.0 / len(costs))
        expected = _expected(self.costs, self.matrix)
        self.worst = float(expected.max()) + room
        self.spare = self.worst - expected
        gradient = self._gradient()
        self.prices = gradient.min(axis=1) - room
        self.reserves = gradient - self.prices[:, None]

    def found(self) -> Optimum:
        """Return the present point."""
        residual = self._gradient() - self.prices[:, None] - self.reserves
        gap = float((self.matrix * self.reserves).sum() + self.slacks @ self.multipliers + self.spare @ self.laws)
        lacking = float(np.abs(self.multipliers * (self.bounds - self.values - self.slacks)).max())
        exceeding = float(np.abs(self.laws * self._lacking()).max())
        # A bound of no price is broken at no cost, and yet must be kept.
        broken = float((self.values - self.bounds).max())
        error = max(gap, float(np.abs(self.matrix * residual).max()), lacking, exceeding, broken, self._overpriced())
        matrix = np.zeros(self.shape)
        matrix[:, self.kept] = self.matrix
        weights = self.multipliers / self.unit * self.scale
        return Optimum(matrix, self.prices * self.scale, weights, self.laws, error, matrix)

    def drop(self) -> None:
        """Leave out the outputs that fade away."""
        fading = (self.matrix.max(axis=0) < _FADING) & (self.matrix < self.reserves).all(axis=0)
        if fading.any():
            kept = ~fading
            self.kept, self.costs = self.kept[kept], self.costs[:, :, kept]
            self.matrix, self.reserves = self.matrix[:, kept], self.reserves[:, kept]
            self._settle()

    def _settle(self) -> None:
        left, right = self.matrix[self.first], self.matrix[self.second]
        slopes = _Slopes.at(left, right, self.order)
        unit = self.unit[:, None]
        self.slopes = _Slopes(slopes.ratio, slopes.left / unit, slopes.right / unit, slopes.bent / unit)
        self.values = (left * self.slopes.left + right * self.slopes.right).sum(axis=1)

    def _gradient(self) -> Floats:
        gradient: Floats = np.tensordot(self.laws, self.costs, axes=1) + self._pushed(self.multipliers)
        return gradient

    def _overpriced(self) -> float:
        """Return by how much in all the prices of rows exceed the least that their entries cost."""
        cheapest = (self._gradient() - self.prices[:, None]).min(axis=1)
        return float(np.maximum(-cheapest, 0.0).sum())

    def _lacking(self) -> Floats:
        """Return by how much more the costs under the laws are less than the largest than they are said to be."""
        return self.worst - _expected(self.costs, self.matrix) - self.spare

    def _pushed(self, forces: Floats) -> Floats:
        """Return the sum over the pairs of the slopes times a force each, by entry."""
        left, right = forces[:, None] * self.slopes.left, forces[:, None] * self.slopes.right
        total: Floats = self.of_first @ left + self.of_second @ right
        return total

    def step(self) -> bool:
        """Take one step; return whether that was possible."""
        from scipy.linalg import LinAlgError, cho_factor, cho_solve

        matrix, reserves, slacks, multipliers = self.matrix, self.reserves, self.slacks, self.multipliers
        laws, spare = self.laws, self.spare
        inputs, outputs = matrix.shape
        root = np.sqrt(matrix).ravel()
        # The largest cost follows the mean of the costs, weighed by how tight they are.
        tight = laws / spare
        mean_cost = np.tensordot(tight / tight.sum(), self.costs, axes=1)
        apart = self.costs - mean_cost
        system = self._system()
        squares = (np.sqrt(tight)[:, None, None] * apart).reshape(len(laws), -1)
        system += squares.T @ squares
        system *= root[:, None]
        system *= root
        system[np.diag_indices(root.size)] += reserves.ravel() + 1e-16 * (1.0 + system.diagonal().max())
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except (LinAlgError, ValueError):
            return False
        rows = np.zeros((root.size, inputs))
        rows[np.arange(root.size), np.arange(root.size) // outputs] = root
        columns = root[:, None] * cho_solve(factor, rows, check_finite=False)
        small = columns.reshape(inputs, outputs, inputs).sum(axis=1)
        count = matrix.size + slacks.size + laws.size
        total = float((matrix * reserves).sum() + slacks @ multipliers + spare @ laws)
        mean, overpriced = total / count, self._overpriced()
        lacking, exceeding = self.bounds - self.values - slacks, self._lacking()
        # Prices that ask for too much first come down.
        behind = min(1.0, overpriced / total)
        step = reserve_step = entry_target = np.zeros(matrix.shape)
        slack_step = multiplier_step = pair_target = np.zeros(slacks.shape)
        spare_step = law_step = law_target = np.zeros(laws.shape)
        price_step, risen = np.zeros(inputs), 0.0
        length = 1.0
        for corrected in (False, True):
            if corrected:
                target = mean * max(1e-3, (1.0 - length) ** 2, behind)
                entry_target = target - length**2 * step * reserve_step
                pair_target = target - length**2 * slack_step * multiplier_step
                law_target = target - length**2 * spare_step * law_step
            forces = (pair_target - multipliers * lacking) / slacks
            pulls = (law_target - laws * exceeding) / spare
            side = self.prices[:, None] - mean_cost - np.tensordot(pulls, apart, axes=1)
            side += entry_target / matrix - self._pushed(forces)
            free = (root * cho_solve(factor, root * side.ravel(), check_finite=False)).reshape(matrix.shape)
            price_step = np.linalg.solve(small, 1.0 - (matrix + free).sum(axis=1))
            step = free + (columns @ price_step).reshape(matrix.shape)
            reserve_step = (entry_target - reserves * step) / matrix - reserves
            change = self.slopes.left * step[self.first] + self.slopes.right * step[self.second]
            slack_step = lacking - change.sum(axis=1)
            multiplier_step = (pair_target - multipliers * slack_step) / slacks - multipliers
            beyond = float(pulls.sum() - 1.0) / float(tight.sum())
            risen = float((mean_cost * step).sum()) + beyond
            spare_step = exceeding + beyond - _expected(apart, step)
            law_step = (law_target - laws * spare_step) / spare - laws
            room = min(
                _room(matrix, step),
                _room(reserves, reserve_step),
                _room(slacks, slack_step),
                _room(multipliers, multiplier_step),
                _room(spare, spare_step),
                _room(laws, law_step),
            )
            length = min(1.0, (0.99 if corrected else 1.0) * room)
        moves: dict[str, Floats | float] = {"matrix": step, "reserves": reserve_step, "prices": price_step}
        moves |= {"slacks": slack_step, "multipliers": multiplier_step}
        moves |= {"spare": spare_step, "laws": law_step, "worst": risen}
        before = {name: getattr(self, name) for name in moves}
        for _ in range(_MOST_HALVINGS):
            for name, move in moves.items():
                setattr(self, name, before[name] + length * move)
            self._settle()
            # An entry that nearly vanishes in one step takes slopes with it that no further step brings back.
            if self._overpriced() <= max(_FARTHER * overpriced, _FAR * total):
                break
            length /= 2
        return True

    def _system(self) -> Floats:
        """Return the matrix of second derivatives in the entries, row by row, of which the lower half counts."""
        # The system and, of some pairs at a time, what is added to it.
        keep_memory(3 * 8 * self.matrix.size**2)
        slopes, bent = self.slopes, self.multipliers[:, None] * self.slopes.bent
        terms = PairTerms(slopes.ratio, bent, slopes.left, slopes.right, self.multipliers / self.slacks)
        return pair_hessian(len(self.matrix), self.first, self.second, terms)


def divergence_sums(matrix: Floats, pairs: Pairs) -> Floats:
    """Return sum_y f(q(x,y), q(x',y)) of each pair, for a positive matrix."""
    left, right = matrix[pairs.first], matrix[pairs.second]
    slopes = _Slopes.at(left, right, pairs.order)
    sums: Floats = (left * slopes.left + right * slopes.right).sum(axis=1)
    return sums


def supporting_columns(cost: Floats, pairs: Pairs, optimum: Optimum) -> Floats:
    """Return for each output the column, as a law on the inputs, whose cost less prices and divergences is least.

    There the tangents of the divergences are steepest where it matters: no entry of the output costs less than its row
    price by more than the least value itself. Cost: some 40 systems of inputs x inputs for each output, more where
    probabilities fall steeply.
    """
    first, second = pairs.first, pairs.second
    scale = float(np.abs(cost).max()) or 1.0
    linear = ((cost - optimum.prices[:, None]) / scale).T
    forces = optimum.multipliers / scale
    laws = np.maximum(optimum.matrix.T, 1e-300)
    laws = np.maximum(laws / laws.sum(axis=1, keepdims=True), 1e-9)
    laws /= laws.sum(axis=1, keepdims=True)
    count, inputs = laws.shape
    own = np.arange(inputs)
    relative = np.zeros(laws.shape)
    for step, barrier in enumerate(np.repeat(_BARRIERS, _STEPS_PER_BARRIER)):
        if step % _STEPS_PER_BARRIER >= _FEW_STEPS and np.abs(relative).max() < _SETTLED:
            continue
        slopes = _Slopes.at(laws[:, first], laws[:, second], pairs.order)
        bent = forces * slopes.bent
        gradient = linear - barrier / laws
        gradient += _gathered(first, forces * slopes.left, inputs) + _gathered(second, forces * slopes.right, inputs)
        crossed, turned = slopes.ratio * bent, slopes.ratio**2 * bent
        system = -_gathered(first * inputs + second, crossed, inputs**2)
        system -= _gathered(second * inputs + first, crossed, inputs**2)
        system += _gathered(first * (inputs + 1), bent, inputs**2) + _gathered(second * (inputs + 1), turned, inputs**2)
        system = system.reshape(count, inputs, inputs)
        # In units of the entries themselves, with the sum of the entries kept.
        system *= laws[:, :, None]
        system *= laws[:, None, :]
        system[:, own, own] += barrier + 1e-18
        right = np.stack([-laws * gradient, laws], axis=2)
        free = np.linalg.solve(system, right)
        shift = (laws * free[:, :, 0]).sum(axis=1) / (laws * free[:, :, 1]).sum(axis=1)
        relative = free[:, :, 0] - shift[:, None] * free[:, :, 1]
        length = np.minimum(1.0, 0.9 / np.maximum(-relative.min(axis=1), 1e-300))
        length = np.minimum(length, 4.0 / np.maximum(relative.max(axis=1), 1e-300))
        laws = laws * (1.0 + length[:, None] * relative)
        laws /= laws.sum(axis=1, keepdims=True)
    return np.asarray(laws.T)


def _gathered(places: Places, values: Floats, size: int) -> Floats:
    """Return, for each row of values, the sums of those that belong to each place."""
    count = len(values)
    everywhere = (np.arange(count)[:, None] * size + places).ravel()
    sums: Floats = np.bincount(everywhere, values.ravel(), count * size).astype(np.float64)
    return sums.reshape(count, size)


def _tempting(cost: Floats, pairs: Pairs, found: Optimum) -> Floats:
    """Return what every entry costs less its row price, with the tangents of the divergences at the columns found."""
    slopes = _Slopes.at(found.columns[pairs.first], found.columns[pairs.second], pairs.order)
    total: Floats = cost - found.prices[:, None]
    np.add.at(total, pairs.first, found.multipliers[:, None] * slopes.left)
    np.add.at(total, pairs.second, found.multipliers[:, None] * slopes.right)
    return total


def _room(values: Floats, step: Floats) -> float:
    falling = step < 0
    return float((-values[falling] / step[falling]).min()) if falling.any() else np.inf
