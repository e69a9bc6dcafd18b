"""Mutual information (or capacity) against distortion, for one prior or a convex set: a proof from saddle points.

The saddle point in floats gives both halves: its kernel, rounded to tickets, is the mechanism, and the logarithms of
its normalisations are the row prices of the converse. Both are rounded to the safe side, so that they cost a hair of
what was asked for and nothing of the proof.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from sys import float_info

import numpy as np
from numpy.typing import NDArray

from epstar.claims.saddle import order_of
from epstar.completion import Converse, Proof
from epstar.completion.converse import mixed
from epstar.distortion import nearest_costs
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.solve.program.constant import best_constant
from epstar.solve.program.laws import Extremes, exact
from epstar.solve.program.level import NARROW
from epstar.solve.program.measured import column_margin
from epstar.solve.program.saddle import Saddle, Trade, saddle_point
from epstar.source import Finite

Floats = NDArray[np.float64]

# Of tickets: as many as a float holds after its first.
_TICKET_BITS = float_info.mant_dig - 1
# The closer to the least distortion or to a constant answer, the less floats can tell; other ways know those ends.
_NEAR_THE_END = 1e-7
# Entries of a mechanism: of more, any answer is good enough.
_LARGE = 1 << 14
# The share of a price that its rounding may take.
HAIR = 2.0**-40
# Relative to what is allowed, by how much less is asked for, so that rounding does not exceed it.
_MARGINS = (2.0**-42, 2.0**-38, 2.0**-32)


def rate_distortion(problem: Problem, left: Callable[[], float | None]) -> Proof | None:
    """Return a proof around the answer, or None for a problem of another kind or too near one of its ends.

    `left` is called at every step and may raise to stop the work; the last saddle point then gives what it proves.
    Cost: see `saddle_point`, over a region once for every law that matters; the evidence takes one exponential and one
    logarithm for each input and output.
    """
    if order_of(problem.notion) != 1 or problem.given.is_infinite:
        return None
    priors = Extremes.of(problem.notion.priors(problem.source))
    source = judges_of_distortion(problem)
    if priors is None or source is None:
        return None
    cost = nearest_costs(problem.distortion, problem.universe)
    used = priors.laws.max(axis=0) > 0
    if not _is_between(cost, used, source, float(problem.given), problem.asks == "loss"):
        return None
    for margin in _MARGINS[cost.size > _LARGE :]:
        game = _Game(problem, cost, used, _safe(float(problem.given), margin, cost, problem.asks == "loss"))
        try:
            last, stopped = game.last_round(priors, source, left)
            proof = Proof(problem, game.mechanism(last), game.converse(last))
            width = proof.check().width
        except (SolverFailure, ProofRejected, FloatingPointError):
            continue
        scale = 1.0 if problem.asks == "loss" else float(np.ptp(cost))
        return proof if stopped or width <= NARROW * scale or cost.size > _LARGE else None
    return None


def judges_of_distortion(problem: Problem) -> Extremes | None:
    """Return the laws under which the distortion is judged; it is linear, so that a list is as good as its hull."""
    if isinstance(problem.source, Finite):
        return Extremes(problem.source.floats, problem.source.points)
    known = Extremes.of(problem.source)
    if known is None or known.region is None:
        return known
    # Where a constant answer does for the laws known, there is no trade-off to solve.
    return known.joined(mixed(best_constant(problem).least_favourable))


@dataclass(frozen=True)
class _Round:
    """A saddle point against some laws, and how its mechanism does against all: its loss, at most, and distortion."""

    found: Saddle
    priors: Extremes
    source: Extremes
    loss: float
    distortion: float


@dataclass(frozen=True)
class _Game:
    """The mechanism against the laws of the source, with a little less allowed than was asked for."""

    problem: Problem
    cost: Floats
    used: NDArray[np.bool_]
    allowed: float

    def last_round(self, priors: Extremes, source: Extremes, left: Callable[[], float | None]) -> tuple[_Round, bool]:
        """Return the last round, and whether it is the last because time ran out."""
        last: deque[_Round] = deque(maxlen=1)
        try:
            last.extend(self._rounds(priors, source, left))
        except TimeLimit:
            if not last:
                raise
            return last[0], True
        return last[0], False

    def _rounds(self, priors: Extremes, source: Extremes, left: Callable[[], float | None]) -> Iterator[_Round]:
        """Solve against the laws known and add those under which the mechanism does worse, until there are none."""
        while True:
            judged, costly = priors.laws[:, self.used], source.laws[:, self.used]
            found = saddle_point(Trade(self.cost[self.used], judged, costly, self.allowed, self.problem.asks), left)
            kernel = self._kernel(found)
            more_priors, loss = priors.with_worst(divergences(kernel, found.outputs))
            more_source, distortion = source.with_worst((kernel * self.cost).sum(axis=1))
            yield _Round(found, priors, source, loss, distortion)
            if more_priors is priors and more_source is source:
                return
            priors, source = more_priors, more_source

    def _kernel(self, found: Saddle) -> Floats:
        """Return the mechanism; inputs without probability answer like the rarest of all would: by the output law."""
        kernel = np.tile(found.outputs, (self.used.size, 1))
        kernel[self.used] = found.kernel(self.cost[self.used])
        if not np.isfinite(kernel).all():
            raise SolverFailure("The numbers of the saddle point broke down; ask for a less extreme point.")
        return kernel

    def mechanism(self, last: _Round) -> Mechanism:
        """Return the kernel in tickets: rounded down, and what is left over given to the cheapest answer of the row."""
        total = 1 << _TICKET_BITS
        scaled = np.floor(self._within(last) * total)
        scaled[scaled < 0] = 0
        tickets = scaled.astype(np.int64)
        cheapest = np.where(tickets > 0, self.cost, math.inf).argmin(axis=1)
        tickets[np.arange(len(tickets)), cheapest] += total - tickets.sum(axis=1)
        universe = self.problem.universe
        return Mechanism.of_tickets(tickets, total, universe, self.problem.distortion.outputs(universe))

    def _within(self, last: _Round) -> Floats:
        """Return the kernel, mixed with cheapest answers or a constant one as far as laws not yet known ask for it."""
        kernel = self._kernel(last.found)
        if self.problem.asks == "loss" and last.distortion > float(self.problem.given):
            cheapest = self.cost.argmin(axis=1)
            least = last.source.with_worst(self.cost.min(axis=1))[1]
            kernel *= (self.allowed - least) / (last.distortion - least)
            kernel[np.arange(len(kernel)), cheapest] += 1.0 - kernel.sum(axis=1)
        elif self.problem.asks == "distortion" and last.loss > float(self.problem.given):
            # The information is convex in the mechanism, and that of a constant answer is zero.
            share = self.allowed / last.loss
            kernel = share * kernel + (1.0 - share) * last.found.outputs
        return kernel

    def converse(self, last: _Round) -> Converse:
        """Return the row prices: p(x) times the logarithm of the normalisation, lowered until columns have room."""
        found = last.found
        point, other = last.priors.mixed(found.information_weights), last.source.mixed(found.distortion_weights)
        share, weight = float(found.information_weights.sum()), float(found.distortion_weights.sum())
        law, costly = (nearest_floats(mixed(mixture)) for mixture in (point, other))
        positive = law > 0
        prices = weight * costly * self.cost.min(axis=1)
        prices -= HAIR * np.abs(prices)
        tilts = weight / share * costly[positive] / law[positive]
        prices[positive] = row_prices(tilts[:, None] * self.cost[positive], law[positive], found.outputs) * share
        return Converse(
            weight=exact(weight),
            distortion_law=other,
            points=(point,),
            sums=(exact(share),),
            prices=tuple(exact(price) for price in prices.tolist()),
        )


def _is_between(cost: Floats, used: NDArray[np.bool_], source: Extremes, given: float, asks_loss: bool) -> bool:
    """Return whether the question lies well between the ends of the trade-off, as far as they are easily seen."""
    # Of a region the laws known need not be the worst for the cheapest answers.
    least = source.with_worst(cost.min(axis=1))[1]
    most = float((source.laws[:, used] @ cost[used]).max(axis=0).min())
    room = _NEAR_THE_END * (most - least)
    if not asks_loss:
        # Nothing tells more than which of the inputs it was.
        return _NEAR_THE_END < given < math.log(used.sum()) and room > 0
    return least + room < given < most - room


def _safe(given: float, margin: float, cost: Floats, asks_loss: bool) -> float:
    """Return a little less than is allowed, by a share of the numbers whose rounding might exceed it."""
    return given - margin * (abs(given) + float(np.abs(cost).min()) if asks_loss else 1.0 + given)


def row_prices(exponents: Floats, law: Floats, outputs: Floats) -> Floats:
    """Return p(x) times the logarithm of the normalisation of exp(-exponent), less what lets every column sum to one.

    An infinite exponent is that of an answer that is not allowed.
    """
    base = exponents.min(axis=1)
    kernel = np.exp(base[:, None] - exponents)
    normal = kernel @ outputs
    logs = base - np.log(normal)
    columns = (law / normal) @ kernel
    # The mean size of the exponents.
    kernel *= np.abs(logs)[:, None] + np.abs(np.where(np.isfinite(exponents), exponents, 0.0))
    size = float(((law / normal) @ kernel).max())
    logs -= math.log(float(columns.max())) + column_margin(len(law), size)
    priced: Floats = law * logs
    return priced


def divergences(kernel: Floats, outputs: Floats) -> Floats:
    """Return how far the answers to each input are from the law of the output."""
    ratios = np.where(kernel > 0, kernel, 1.0) / np.where(kernel > 0, outputs, 1.0)
    found: Floats = (kernel * np.log(ratios)).sum(axis=1)
    return found
