r"""Rate-distortion saddle point within limits on the mechanism: four times as fast as the general convex program.

Beside the laws of `saddle`, with their weights a and b, each limit sum A_k(x,y) Q(y|x) <= c_k has a multiplier u_k.
With p = sum a_j N_j, b = sum b_i M_i and C(x,y) = b(x) d(x,y) + sum_k u_k A_k(x,y) the trade-off is the value of

    max over a, b, u   min over q   -sum_x p(x) log sum_y q(y) exp(-C(x,y)/p(x)) + linear in a, b and u,

by Lagrange's rule. The kernel q(y) exp(-C/p) / normalisation keeps the limits where the maximum is. Multipliers of
bounds on single entries are as many as these, and go first in Newton's equations: their block of an input is diagonal
but for a matrix of rank one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.solve.program.predictor_corrector import Parts, Point, Program, descend
from epstar.solve.program.saddle import MOST_GROWTH, Trade

Floats = NDArray[np.float64]

# The error at which to stop, in units of the information's weight.
_CLOSE = 1e-12
# The products of bounds on entries with their multipliers at the start, as a share of those of outputs.
_SMALLER = 0.2
# Added to what multipliers of equations bend, as a share of the most: some follow from others.
_REDUNDANT = 1e-13


@dataclass(frozen=True)
class LinearLimits:
    """Entries that are allowed, their bounds, and equations and inequalities by limit, input and output.

    Where an entry has no bound of its own, `lower` is zero and `upper` one.
    """

    allowed: NDArray[np.bool_]
    lower: Floats
    upper: Floats
    equations: Floats
    sides: Floats
    inequalities: Floats
    most: Floats


@dataclass(frozen=True)
class LimitedSaddle:
    """The optimum: the law of the output, the mechanism, the weights of the laws, and multipliers of the limits."""

    outputs: Floats
    kernel: Floats
    information_weights: Floats
    distortion_weights: Floats
    entries: Floats
    """What each entry costs for its own bounds: more than nothing at the upper one, less at the lower one."""
    inequalities: Floats
    equations: Floats


def limited_saddle_point(
    trade: Trade, limits: LinearLimits, left: Callable[[], float | None] = lambda: None
) -> LimitedSaddle:
    """Return the saddle point in floats.

    `left` is called at every step and may raise to stop the work. Cost: about twenty steps of m k (k + l)^2 operations
    for m inputs, k outputs, and l laws and other limits than bounds on entries.

    Raises:
        SolverFailure: if the numbers break down, as they do where limits leave no room.
    """
    program = _Limited(trade, limits)
    # Where an entry has no bound of its own, what stands for one is zero, and its rooms are 0 / 0.
    with np.errstate(all="ignore"):
        found = descend(program, program.start(), _CLOSE, left)
    if not np.isfinite(found.error):
        raise SolverFailure("The interior-point method broke down; ask for a less extreme point.")
    return program.result(found.best)


class _Limited(Program[Point]):
    """The saddle point: the law of the output beside its reserves, weights and multipliers beside their slacks.

    Multipliers of bounds on entries are a table of lower and one of upper ones, with zeros where there is no bound;
    those of equations are free. Costs are measured in units of their size.
    """

    is_linear, correctors = False, 0

    def __init__(self, trade: Trade, limits: LinearLimits) -> None:
        self.trade, self.limits = trade, limits
        self.unit = float(np.abs(trade.cost).mean()) or 1.0
        self.cost = np.where(limits.allowed, trade.cost / self.unit, 0.0)
        self.count, self.judges = len(trade.information), len(trade.distortion)
        is_loss = trade.asks == "loss"
        given = np.full(self.judges, -trade.given / self.unit if is_loss else 0.0)
        self.linear = np.concatenate([np.full(self.count, 0.0 if is_loss else -trade.given), given, -limits.most])
        rest = len(limits.most)
        self.summed = np.repeat([float(is_loss), float(not is_loss), 0.0], [self.count, self.judges, rest])
        self.bounded = np.stack([(limits.lower > 0) & limits.allowed, (limits.upper < 1) & limits.allowed])
        self.ends = np.stack([limits.lower, limits.upper])

    def start(self) -> Point:
        """Return equal outputs, with weights of about the slope of the trade-off."""
        trade, limits = self.trade, self.limits
        scale = np.array([0.5, 1.0])
        if trade.asks == "loss":
            cheapest = trade.distortion @ np.where(limits.allowed, self.cost, np.inf).min(axis=1)
            scale = np.array([1.0, 1.0 / max(1e-9, trade.given / self.unit - float(cheapest.max()))])
        counts, rest = [self.count, self.judges], len(limits.most)
        weights = np.concatenate([np.repeat(scale / counts, counts), np.full(rest, scale[0] / max(1, rest))])
        outputs = limits.allowed.any(axis=0) / float(limits.allowed.any(axis=0).sum())
        mass = float(weights[: self.count].sum())
        reserves, slacks = np.full(outputs.size, mass), mass / weights / weights.size
        equal = limits.allowed / limits.allowed.sum(axis=1, keepdims=True)
        room = np.maximum(np.array([1.0, -1.0])[:, None, None] * (equal - self.ends), 1.0 / outputs.size)
        entries = np.where(self.bounded, _SMALLER * mass / outputs.size / room, 0.0)
        room = np.where(self.bounded, room, 0.0)
        free = (2.0 * mass, 0.0, np.zeros(len(limits.sides)))
        return Point((np.maximum(outputs, 1e-9), weights, entries), (reserves, slacks, room), (), free)

    def result(self, point: Point) -> LimitedSaddle:
        """Return the saddle point in the units of the question."""
        local, (outputs, weights, entries) = _Local(self, point), point.primal
        judges = weights[self.count : self.count + self.judges] / self.unit
        return LimitedSaddle(
            outputs / outputs.sum(),
            local.mechanism,
            weights[: self.count],
            judges,
            entries[1] - entries[0],
            weights[self.count + self.judges :],
            point.free_dual[2],
        )

    def error(self, point: Point) -> float:
        """Return how far a point is from the saddle point."""
        self.local = local = _Local(self, point)
        scale = float(point.primal[1][: self.count].sum())
        missed = max(float(np.abs(local.reserve_error).max()), float(point.gap)) / scale
        return max(
            missed, *(float(np.abs(part).max(initial=0.0)) for part in (local.slack_error, local.equation_error))
        )

    def longest(self, point: Point, step: Point) -> float:
        """Return how much of a step leaves weights that have not grown by too much, and exponents not by as much."""
        grown = float((step.primal[1] / point.primal[1]).max())
        forces = np.concatenate([step.primal[1][self.count + self.judges :], step.free_dual[2]])
        tilted = (self.local.dearer(forces) + step.primal[2][1] - step.primal[2][0]) / self.local.law[:, None]
        tilted -= (self.local.mechanism * tilted).sum(axis=1, keepdims=True)
        grown = max(grown, float(np.abs(tilted).max()))
        return min(1.0, MOST_GROWTH / grown) if grown > 0 else 1.0

    def newton(self, point: Point) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at the point whose error was asked for last."""
        local, bounded = self.local, self.bounded
        (outputs, weights, entries), (reserves, slacks, rooms) = point.primal, point.dual
        price, charge, prices = point.free_dual
        many, size = outputs.size, weights.size
        whole = size + prices.size
        # Rows and columns: outputs, weights, multipliers of equations, and the sums of the first two.
        system = np.zeros((many + whole + 2, many + whole + 2))
        system[:many, :many] = (local.kernel.T * local.law) @ local.kernel
        system[:many, many:-2] = local.mixed
        system[many:-2, :many] = local.mixed.T
        system[many:-2, many:-2] = -local.curvature
        # Entries with bounds of their own are eliminated: `yielding` is how far each gives way.
        safe = np.where(bounded, rooms, 1.0)
        ease = np.where(bounded, entries / safe, 0.0)
        yielding, bends = ease.sum(axis=0), local.mechanism / local.law[:, None]
        inverse = yielding / (1.0 + yielding * bends)
        along = inverse * local.mechanism / np.sqrt(local.law)[:, None]
        left_over = 1.0 - (along * local.mechanism / np.sqrt(local.law)[:, None]).sum(axis=1)

        def solved(sides: Floats) -> Floats:
            """Return the solution for right sides by input and output, and perhaps more of them."""
            share = np.einsum("xy,xyk->xk", along, sides) / left_over[:, None]
            found: Floats = inverse[:, :, None] * sides + along[:, :, None] * share[:, None, :]
            return found

        coupled = np.empty((*self.cost.shape, many + whole))
        coupled[:, :, :many] = -local.kernel[:, None, :] * local.mechanism[:, :, None]
        own = np.arange(many)
        coupled[:, own, own] += local.kernel
        coupled[:, :, many:] = -(bends * local.centred).transpose(1, 2, 0)
        flat = coupled.reshape(-1, many + whole)
        if bounded.any():
            system[:-2, :-2] += flat.T @ solved(coupled).reshape(flat.shape)
        diagonal = np.arange(many + size)
        system[diagonal, diagonal] += np.concatenate([reserves / outputs, -slacks / weights])
        bent = np.arange(many + size, many + whole)
        system[bent, bent] -= _REDUNDANT * max(1.0, float(local.curvature.diagonal().max()))
        system[:many, -2] = system[-2, :many] = 1.0
        system[many : many + size, -1] = system[-1, many : many + size] = -self.summed
        scale = np.ones(len(system))
        scale[: many + size] = np.sqrt(np.concatenate([outputs, weights]))
        system *= scale
        system *= scale[:, None]
        factor = np.linalg.inv(system)

        def step(targets: Parts) -> Point:
            pull = np.where(bounded, targets[2] / np.where(bounded, entries, 1.0), 0.0)
            past = local.mechanism - self.ends
            eased = ease[0] * (past[0] - pull[0]) + ease[1] * (past[1] + pull[1])
            known = np.where(yielding > 0, eased / np.where(yielding > 0, yielding, 1.0), 0.0)[:, :, None]
            side = np.concatenate(
                [
                    local.asked - price + targets[0] / outputs,
                    charge * self.summed - local.slope - targets[1] / weights,
                    -local.equation_error,
                    [1.0 - outputs.sum(), self.summed @ weights - 1.0],
                ]
            )
            side[:-2] -= flat.T @ solved(known).reshape(-1)
            found = factor @ (scale * side)
            found += factor @ (scale * side - system @ found)
            found *= scale
            moved, heavier, free = found[:many], found[many : many + size], found[many + size : -2]
            forced = (flat @ found[:-2]).reshape(self.cost.shape)
            costlier = solved(forced[:, :, None] + known)[:, :, 0]
            # How the mechanism changes, and with it the room of each bound.
            change = forced - bends * (costlier - (local.mechanism * costlier).sum(axis=1, keepdims=True))
            ahead = past + change
            signs = np.array([-1.0, 1.0])[:, None, None]
            entry = np.where(bounded, ease * (signs * ahead) + pull * ease, 0.0)
            room = np.where(bounded, -signs * ahead - rooms, 0.0)
            duals = (targets[0] - reserves * moved) / outputs, (targets[1] - slacks * heavier) / weights
            return Point(
                (moved, heavier, entry),
                (duals[0] - reserves, duals[1] - slacks, room),
                (),
                (float(found[-2]), float(found[-1]), free),
            )

        return step


class _Local:
    """First and second derivatives at a point."""

    def __init__(self, program: _Limited, point: Point) -> None:
        trade, limits = program.trade, program.limits
        (outputs, weights, entries), (reserves, slacks, rooms) = point.primal, point.dual
        price, charge, prices = point.free_dual
        count, judges = program.count, program.count + program.judges
        self.law = law = weights[:count] @ trade.information
        self.tables = tables = np.concatenate([limits.inequalities, limits.equations])
        forces = np.concatenate([weights[judges:], prices])
        dear = (weights[count:judges] @ trade.distortion)[:, None] * program.cost
        dear = dear + self.dearer(forces) + entries[1] - entries[0]
        # Above the cheapest answer: where an input has next to no weight, the rest would be rounding errors.
        excess = dear - np.where(limits.allowed, dear, np.inf).min(axis=1, keepdims=True)
        exponents = np.where(limits.allowed, -excess / law[:, None], -np.inf)
        kernel = np.exp(exponents)
        mass = kernel @ outputs
        self.kernel = kernel = kernel / mass[:, None]
        self.mechanism = mechanism = kernel * outputs
        exponents = np.where(limits.allowed, exponents, 0.0)
        # How fast what each entry costs changes with the weights and multipliers.
        directions = np.concatenate(
            [trade.information[:, :, None] * exponents, trade.distortion[:, :, None] * program.cost, tables]
        )
        means = np.einsum("xy,wxy->wx", mechanism, directions)
        self.centred = centred = np.where(limits.allowed, directions - means[:, :, None], 0.0)
        self.asked = law @ kernel
        self.mixed = np.einsum("xy,wxy->yw", kernel, centred)
        self.mixed[:, :count] -= kernel.T @ trade.information.T
        weighted = centred * (mechanism / law[:, None])
        self.curvature = weighted.reshape(len(centred), -1) @ centred.reshape(len(centred), -1).T
        slopes = means.sum(axis=1)
        slopes[:count] -= trade.information @ np.log(mass)
        free = count + program.judges + len(limits.most)
        self.slope = slopes[:free] + program.linear
        self.reserve_error = price - self.asked - reserves
        self.equation_error = slopes[free:] - limits.sides
        past = np.array([1.0, -1.0])[:, None, None] * (mechanism - program.ends) - rooms
        lacking = np.where(program.bounded, past, 0.0)
        self.slack_error = np.concatenate([charge * program.summed - self.slope - slacks, lacking.ravel()])

    def dearer(self, forces: Floats) -> Floats:
        """Return what multipliers of limits beside bounds on entries add to what each entry costs."""
        added: Floats = np.tensordot(forces, self.tables, 1)
        return added
