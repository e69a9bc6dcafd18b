r"""Rate-distortion saddle point over a hull of laws, 39 times as fast as the smooth method (30 categories; 60: 169).

Least information at a distortion, or least distortion at an information; see the engines in docs/benchmarks.md.

Let the laws N_j of the input judge the information and the laws M_i the distortion. With weights a_j on the first
and b_i on the second, put p = sum a_j N_j and b = sum b_i M_i. By Lagrange's rule and the saddle form of mutual
information (its minimum over a free law q of the output), the trade-off is the value of

    max over a, b   min over q   sum_x p(x) f_x(b(x)/p(x)) + linear in a and b,
    f_x(t) = -log sum_y q(y) exp(-t d(x,y)),

which is convex in q and concave in (a, b): a rate-distortion function where all laws are one (Berger, 1971). A
primal-dual interior-point method takes Newton steps on q, a and b together. The best q leaves most outputs out, so
for large alphabets a few rounds of Blahut and Arimoto's iteration guess which ones matter; outputs that the
Kuhn-Tucker conditions then ask for are added until none is missing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.memory import keep_memory
from epstar.problem import Asked

Floats = NDArray[np.float64]

# More steps than a question takes that gets anywhere; so many without half of the error are rounding.
_MOST_STEPS, _STALLED = 120, 12
# The error at which to stop, a share of the information's weight: rounding; and while outputs are still looked for.
_CLOSE, _ROUGH = 3e-15, 1e-7
# By how many times itself a weight may grow in a step: beyond, the tilts that it makes are far from their tangent.
_MOST_GROWTH = 2.0
# A weight e^-200 of the likeliest one changes nothing, and its products would be slow, nearly vanishing numbers; in
# single precision e^-60 is.
_DEEPEST, _DEEPEST_SINGLE = -200.0, -60.0
# Outputs up to which all are in play, how many are guessed to be of more, and how many join that are nearly asked for.
_ALL_OUTPUTS, _GUESSED, _NEAR = 320, 240, 160
# The probability of an output that stays in play, and the share by which one exceeds the Kuhn-Tucker bound that joins.
_USED, _WANTED = 1e-5, 1e-11
# Rounds of the guess, each of so many steps of Blahut and Arimoto, and rounds in which outputs join at most.
_ROUNDS_OF_GUESSING, _STEPS_OF_GUESSING, _MOST_ROUNDS = 5, 12, 40


@dataclass(frozen=True)
class Trade:
    """A question: costs by input and output, laws that judge information and distortion, and the bound on one."""

    cost: Floats
    information: Floats
    distortion: Floats
    given: float
    asks: Asked


@dataclass(frozen=True)
class Saddle:
    """The optimum: the law of the output, the weights of the laws, and the tilt b/p of each input."""

    outputs: Floats
    information_weights: Floats
    distortion_weights: Floats
    tilts: Floats

    def kernel(self, cost: Floats) -> Floats:
        """Return the mechanism q(y) exp(-tilt(x) d(x,y)) / normalisation."""
        weights = _tilted(cost - cost.min(axis=1, keepdims=True), self.tilts)
        weights *= self.outputs
        weights /= weights.sum(axis=1, keepdims=True)
        return weights


def saddle_point(trade: Trade, left: Callable[[], float | None] = lambda: None) -> Saddle:
    """Return the saddle point in floats.

    `left` is called at every step and may raise to stop the work. Cost: about twenty steps of k^2 m operations for m
    inputs and k outputs in play, which are mostly far fewer than all.

    Raises:
        SolverFailure: if the numbers break down.
    """
    outputs = trade.cost.shape[1]
    if outputs <= _ALL_OUTPUTS:
        return _Method(trade, np.arange(outputs), None, left).run(_CLOSE)
    rate, chosen = _guessed(trade)
    tolerance = _ROUGH
    for _ in range(_MOST_ROUNDS):
        found = _Method(trade, chosen, rate, left).run(tolerance)
        excess = _asked_for(trade, found)
        if excess.max() <= _WANTED:
            return found
        if excess.max() <= 100 * tolerance:
            tolerance = _CLOSE
        # Outputs that are nearly asked for come along: the best ones move a little from round to round.
        used = np.flatnonzero(found.outputs > _USED)
        chosen = np.union1d(used, np.argsort(-excess)[:_NEAR])
        rate = float(found.distortion_weights.sum() / found.information_weights.sum())
    return found


def _tilted(excess: Floats, tilts: Floats) -> Floats:
    """Return exp(-tilt * excess), with what is vanishing set to zero."""
    exponents = excess * -tilts[:, None]
    weights: Floats = np.exp(np.maximum(exponents, _DEEPEST))
    weights[exponents <= _DEEPEST] = 0.0
    return weights


def _asked_for(trade: Trade, found: Saddle) -> Floats:
    """Return by how much each output exceeds the Kuhn-Tucker bound, relative to it."""
    weights = _tilted(trade.cost - trade.cost.min(axis=1, keepdims=True), found.tilts)
    law = found.information_weights @ trade.information
    excess: Floats = (law / (weights @ found.outputs)) @ weights / law.sum() - 1.0
    return excess


def _guessed(trade: Trade) -> tuple[float, NDArray[np.intp]]:
    """Return a guess of the slope and of the outputs in play, from the mean law."""
    law = trade.information.mean(axis=0)
    cheapest = trade.cost.min(axis=1)
    # Half the digits are enough for a guess.
    excess = (trade.cost - cheapest[:, None]).astype(np.float32)
    target = trade.given - float(law @ cheapest) if trade.asks == "loss" else trade.given
    outputs = np.full(excess.shape[1], 1.0 / excess.shape[1], dtype=np.float32)
    rate = 1.0 / target if trade.asks == "loss" and target > 0 else 2.0 / float((law @ excess).min())
    share = law.astype(np.float32)
    for _ in range(_ROUNDS_OF_GUESSING):
        weights = excess * np.float32(-rate)
        np.exp(np.maximum(weights, _DEEPEST_SINGLE, out=weights), out=weights)
        for _ in range(_STEPS_OF_GUESSING):
            mass = weights @ outputs
            outputs *= (share / mass) @ weights
        outputs /= outputs.sum()
        mass = weights @ outputs
        weights *= excess
        mean = weights @ outputs / mass
        weights *= excess
        slope = float(law @ (weights @ outputs / mass - mean**2))
        if trade.asks == "loss":
            lack = float(law @ mean) - target
        else:
            lack = (target + float(law @ np.log(mass)) + rate * float(law @ mean)) / rate
        rate = float(np.clip(rate + lack / slope if slope > 0 else rate, 0.5 * rate, 2.0 * rate))
    order = np.argsort(-outputs)
    count = _GUESSED
    if trade.asks == "loss":
        # What is left must be able to meet the distortion with room to spare.
        while (
            count < order.size and float((trade.distortion @ excess[:, order[:count]].min(axis=1)).max()) > target / 2
        ):
            count *= 2
    return rate, np.sort(order[:count])


class _Method:
    """Newton steps on the perturbed Kuhn-Tucker conditions of the saddle point, on some of the outputs.

    Costs are measured above the cheapest answer of each input and in units of their size. `weights` are a and b,
    `reserves` and `slacks` the multipliers of the signs of q and of the weights.
    """

    def __init__(
        self, trade: Trade, chosen: NDArray[np.intp], rate: float | None, left: Callable[[], float | None]
    ) -> None:
        self.trade, self.chosen, self.left = trade, chosen, left
        costs = trade.cost[:, chosen]
        cheapest = costs.min(axis=1)
        self.excess = costs - cheapest[:, None]
        self.unit = float(self.excess.mean()) or 1.0
        self.excess /= self.unit
        self.laws = np.vstack([trade.information, trade.distortion])
        self.count = len(trade.information)
        floor = trade.distortion @ cheapest / self.unit
        is_loss = trade.asks == "loss"
        limits = floor - trade.given / self.unit if is_loss else floor
        self.linear = np.concatenate([np.full(self.count, 0.0 if is_loss else -trade.given), limits])
        self.summed = np.concatenate([np.full(self.count, float(is_loss)), np.full(len(limits), float(not is_loss))])
        start = 1.0 / max(1e-9, float(-limits.max())) if is_loss else 2.0
        start = start if rate is None else rate * self.unit
        scale = np.array([1.0, start]) if is_loss else np.array([1.0 / start, 1.0])
        self.weights = np.repeat(scale / [self.count, len(limits)], [self.count, len(limits)])
        self.outputs = np.full(chosen.size, 1.0 / chosen.size)
        mass = float(self.weights[: self.count].sum())
        self.reserves = np.full(chosen.size, mass)
        self.slacks = mass / self.weights / self.weights.size
        self.price, self.charge = 2.0 * mass, 0.0

    def run(self, tolerance: float) -> Saddle:
        """Return the saddle point, once the steps gain nothing more."""
        best: tuple[float, Saddle] | None = None
        stalled = 0
        for _ in range(_MOST_STEPS):
            self.left()
            try:
                error = self._step()
            except SolverFailure:
                # What was found before rounding had the last word may be near enough.
                break
            if best is None or error < best[0]:
                stalled = 0 if best is None or error < 0.5 * best[0] else stalled + 1
                best = error, self._found()
            else:
                stalled += 1
            if error < tolerance or stalled >= _STALLED:
                break
        if best is None or not np.isfinite(best[0]):
            raise _broken_down()
        return best[1]

    def _found(self) -> Saddle:
        information, distortion = self.weights[: self.count], self.weights[self.count :] / self.unit
        tilts = (distortion @ self.trade.distortion) / (information @ self.trade.information)
        outputs = np.zeros(self.trade.cost.shape[1])
        outputs[self.chosen] = self.outputs / self.outputs.sum()
        return Saddle(outputs, information.copy(), distortion.copy(), tilts)

    def _step(self) -> float:
        """Take one step; return how far its starting point was from the saddle point."""
        count, excess, outputs, weights = self.count, self.excess, self.outputs, self.weights
        law = weights[:count] @ self.laws[:count]
        tilts = weights[count:] @ self.laws[count:] / law
        kernel = _tilted(excess, tilts)
        mass = kernel @ outputs
        kernel /= mass[:, None]
        costs = kernel * excess
        mean = costs @ outputs
        spread = np.maximum((costs * excess) @ outputs - mean**2, 0.0)
        logs = -np.log(mass)
        # Gradients, and the mixed second derivatives by way of those in p(x) and b(x).
        asked = law @ kernel
        slope = np.concatenate([self.laws[:count] @ (logs - tilts * mean), self.laws[count:] @ mean]) + self.linear
        directions = self.laws.copy()
        directions[:count] *= -tilts
        mixed = (directions @ costs - (directions * mean) @ kernel).T
        mixed[:, :count] -= kernel.T @ self.laws[:count].T
        curvature = (directions * (spread / law)) @ directions.T
        gap = float(outputs @ self.reserves + weights @ self.slacks)
        reserve_error = -asked + self.price - self.reserves
        slack_error = -slope + self.charge * self.summed - self.slacks
        scale = float(weights[:count].sum())
        error = max(max(gap, float(np.abs(reserve_error).max())) / scale, float(np.abs(slack_error).max()))
        root = np.sqrt(outputs)
        scaled = kernel * root
        scaled *= np.sqrt(law)[:, None]
        system = scaled.T @ scaled
        system[np.diag_indices(outputs.size)] += self.reserves + 1e-15 * (scale + self.reserves.min())
        factor = _Factor(system)
        columns = root[:, None] * factor.solve(root[:, None] * np.column_stack([mixed, np.ones(outputs.size)]))
        size = weights.size
        small = np.zeros((size + 2, size + 2))
        small[:size, : size + 1] = mixed.T @ columns
        small[:size, :size] += curvature
        small[np.arange(size), np.arange(size)] += self.slacks / weights
        small[:size, size + 1] = self.summed
        small[size, : size + 1] = -columns.sum(axis=0)
        small[size + 1, :size] = self.summed

        def direction(output_target: Floats, weight_target: Floats) -> _Direction:
            """Return the step towards the given products of q and the weights with their multipliers."""
            free = root * factor.solve(root * (asked - self.price + output_target / outputs))
            side = np.concatenate(
                [
                    slope - self.charge * self.summed + weight_target / weights + mixed.T @ free,
                    [1.0 - outputs.sum() - free.sum(), 1.0 - self.summed @ weights],
                ]
            )
            try:
                step = np.linalg.solve(small, side)
            except np.linalg.LinAlgError:
                raise _broken_down() from None
            output_step = free - columns @ step[:-1]
            return _Direction(
                output_step,
                step[:size],
                (output_target - self.reserves * output_step) / outputs - self.reserves,
                (weight_target - self.slacks * step[:size]) / weights - self.slacks,
                float(step[size]),
                float(step[size + 1]),
            )

        mean_gap = gap / (outputs.size + size)
        nothing = direction(np.zeros(outputs.size), np.zeros(size))
        length = self._length(nothing)
        centring = (1.0 - length) ** 2 * max(0.1, 1.0 - length)
        target = max(centring, 1e-3) * mean_gap
        bend = length**2
        move = direction(
            target - bend * nothing.outputs * nothing.reserves, target - bend * nothing.weights * nothing.slacks
        )
        length = self._length(move)
        self.outputs = outputs + length * move.outputs
        self.weights = weights + length * move.weights
        self.reserves = self.reserves + length * move.reserves
        self.slacks = self.slacks + length * move.slacks
        self.price += length * move.price
        self.charge += length * move.charge
        return error

    def _length(self, step: _Direction) -> float:
        room = min(
            _room(self.outputs, step.outputs),
            _room(self.weights, step.weights),
            _room(self.reserves, step.reserves),
            _room(self.slacks, step.slacks),
        )
        grown = float((step.weights / self.weights).max())
        return min(1.0, 0.99 * room, _MOST_GROWTH / grown if grown > 0 else 1.0)


@dataclass(frozen=True)
class _Direction:
    outputs: Floats
    weights: Floats
    reserves: Floats
    slacks: Floats
    price: float
    charge: float


class _Factor:
    """A positive definite matrix, factored."""

    def __init__(self, system: Floats) -> None:
        from scipy.linalg import LinAlgError, cho_factor

        keep_memory(system.nbytes)
        try:
            self.factor = cho_factor(system, lower=True, check_finite=False)
        except LinAlgError:
            raise _broken_down() from None

    def solve(self, right: Floats) -> Floats:
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve(self.factor, right, check_finite=False))


def _broken_down() -> SolverFailure:
    return SolverFailure("The interior-point method broke down; ask for a less extreme point.")


def _room(values: Floats, step: Floats) -> float:
    falling = step < 0
    return float((-values[falling] / step[falling]).min()) if falling.any() else np.inf
