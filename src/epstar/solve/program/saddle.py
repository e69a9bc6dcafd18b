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
from epstar.problem import Asked
from epstar.solve.program.predictor_corrector import Parts, Point, Program, cholesky, descend

Floats = NDArray[np.float64]

# The error at which to stop, a share of the information's weight: rounding; and while outputs are still looked for.
_CLOSE, _ROUGH = 3e-15, 1e-7
# By how many times itself a weight may grow in a step: beyond, the tilts that it makes are far from their tangent.
MOST_GROWTH = 2.0
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
        return _Saddle(trade, np.arange(outputs)).run(None, _CLOSE, left)
    rate, chosen = _guessed(trade)
    tolerance = _ROUGH
    for _ in range(_MOST_ROUNDS):
        found = _Saddle(trade, chosen).run(rate, tolerance, left)
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


class _Saddle(Program[Point]):
    """The saddle point on some of the outputs: q is positive beside its reserves, a and b beside their slacks.

    The sum of q has a price, and that of the weights that are to add up to one a charge. Costs are measured above the
    cheapest answer of each input and in units of their size.
    """

    is_linear, correctors = False, 0

    def __init__(self, trade: Trade, chosen: NDArray[np.intp]) -> None:
        self.trade, self.chosen = trade, chosen
        costs = trade.cost[:, chosen]
        cheapest = costs.min(axis=1)
        self.excess = costs - cheapest[:, None]
        self.unit = float(self.excess.mean()) or 1.0
        self.excess /= self.unit
        self.laws = np.vstack([trade.information, trade.distortion])
        self.count = len(trade.information)
        floor = trade.distortion @ cheapest / self.unit
        is_loss = trade.asks == "loss"
        self.limits = floor - trade.given / self.unit if is_loss else floor
        self.linear = np.concatenate([np.full(self.count, 0.0 if is_loss else -trade.given), self.limits])
        self.summed = np.repeat([float(is_loss), float(not is_loss)], [self.count, len(self.limits)])

    def start(self, rate: float | None) -> Point:
        """Return equal outputs, with weights of about the slope of the trade-off where that is known."""
        is_loss = self.trade.asks == "loss"
        slope = 1.0 / max(1e-9, float(-self.limits.max())) if is_loss else 2.0
        slope = slope if rate is None else rate * self.unit
        scale = np.array([1.0, slope]) if is_loss else np.array([1.0 / slope, 1.0])
        counts = [self.count, len(self.limits)]
        weights, outputs = np.repeat(scale / counts, counts), np.full(self.chosen.size, 1.0 / self.chosen.size)
        mass = float(weights[: self.count].sum())
        duals = np.full(outputs.size, mass), mass / weights / weights.size
        return Point((outputs, weights), duals, (), (2.0 * mass, 0.0))

    def run(self, rate: float | None, close: float, left: Callable[[], float | None]) -> Saddle:
        """Return the saddle point, once the steps gain nothing more."""
        found = descend(self, self.start(rate), close, left)
        if not np.isfinite(found.error):
            raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
        outputs, weights = found.best.primal
        information, distortion = weights[: self.count], weights[self.count :] / self.unit
        tilts = (distortion @ self.trade.distortion) / (information @ self.trade.information)
        law = np.zeros(self.trade.cost.shape[1])
        law[self.chosen] = outputs / outputs.sum()
        return Saddle(law, information, distortion, tilts)

    def error(self, point: Point) -> float:
        """Return how far a point is from the saddle point."""
        self.local = local = _Local(self, point)
        scale = float(point.primal[1][: self.count].sum())
        missed = max(float(np.abs(local.reserve_error).max()), float(point.gap)) / scale
        return max(missed, float(np.abs(local.slack_error).max()))

    def longest(self, point: Point, step: Point) -> float:
        """Return how much of a step leaves weights that are not too many times as large."""
        grown = float((step.primal[1] / point.primal[1]).max())
        return min(1.0, MOST_GROWTH / grown) if grown > 0 else 1.0

    def newton(self, point: Point) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at the point whose error was asked for last."""
        local, (outputs, weights), (reserves, slacks) = self.local, point.primal, point.dual
        price, charge = point.free_dual
        root, size = np.sqrt(outputs), weights.size
        scaled = local.kernel * root
        scaled *= np.sqrt(local.law)[:, None]
        system = scaled.T @ scaled
        system[np.diag_indices(outputs.size)] += reserves
        solved = cholesky(system)
        mixed = local.mixed
        columns = root[:, None] * solved(root[:, None] * np.column_stack([mixed, np.ones(outputs.size)]))
        small = np.zeros((size + 2, size + 2))
        small[:size, : size + 1] = mixed.T @ columns
        small[:size, :size] += local.curvature
        small[np.arange(size), np.arange(size)] += slacks / weights
        small[:size, size + 1] = self.summed
        small[size, : size + 1] = -columns.sum(axis=0)
        small[size + 1, :size] = self.summed

        def step(targets: Parts) -> Point:
            free = root * solved(root * (local.asked - price + targets[0] / outputs))
            pulls = local.slope - charge * self.summed + targets[1] / weights + mixed.T @ free
            side = np.append(pulls, [1.0 - outputs.sum() - free.sum(), 1.0 - self.summed @ weights])
            found = np.linalg.solve(small, side)
            moved, heavier = free - columns @ found[:-1], found[:size]
            duals = (targets[0] - reserves * moved) / outputs - reserves, (targets[1] - slacks * heavier) / weights
            return Point((moved, heavier), (duals[0], duals[1] - slacks), (), (float(found[size]), float(found[-1])))

        return step


class _Local:
    """First and second derivatives at a point."""

    def __init__(self, program: _Saddle, point: Point) -> None:
        (outputs, weights), (reserves, slacks), (price, charge) = point.primal, point.dual, point.free_dual
        count, excess, laws = program.count, program.excess, program.laws
        self.law = weights[:count] @ laws[:count]
        tilts = weights[count:] @ laws[count:] / self.law
        self.kernel = kernel = _tilted(excess, tilts)
        mass = kernel @ outputs
        kernel /= mass[:, None]
        costs = kernel * excess
        mean = costs @ outputs
        spread = np.maximum((costs * excess) @ outputs - mean**2, 0.0)
        # Gradients, and the mixed second derivatives by way of those in p(x) and b(x).
        self.asked = self.law @ kernel
        logs = -np.log(mass) - tilts * mean
        self.slope = np.concatenate([laws[:count] @ logs, laws[count:] @ mean]) + program.linear
        directions = laws.copy()
        directions[:count] *= -tilts
        self.mixed = (directions @ costs - (directions * mean) @ kernel).T
        self.mixed[:, :count] -= kernel.T @ laws[:count].T
        self.curvature = (directions * (spread / self.law)) @ directions.T
        self.reserve_error = price - self.asked - reserves
        self.slack_error = charge * program.summed - self.slope - slacks
