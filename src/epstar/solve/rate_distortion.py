"""Mutual information (or capacity) against distortion, for one prior or a hull of priors: a proof from a saddle point.

The saddle point in floats gives both halves: its kernel, rounded to tickets, is the mechanism, and the logarithms of
its normalisations are the row prices of the converse. Both are rounded to the safe side, so that they cost a hair of
what was asked for and nothing of the proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.errors import ProofRejected, SolverFailure
from epstar.exact import ONE
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import Point, mixed
from epstar.proof.information import is_information, nearest_costs
from epstar.reading import nearest_floats, sum_of
from epstar.solve.evidence import exact, mixture
from epstar.solve.saddle import Saddle, Trade, saddle_point
from epstar.source import Everything, Hull, Prior, Source

Floats = NDArray[np.float64]

_TICKET_BITS = 52
# The closer to the least distortion or to a constant answer, the less floats can tell; other ways know those ends.
_NEAR_THE_END = 1e-7
_NARROW = 1e-9
_LARGE = 1 << 14
_HAIR = 2.0**-40
_FAINT = 1e-13
# Relative to what is allowed, by how much less is asked for, so that rounding does not exceed it.
_MARGINS = (2.0**-42, 2.0**-38, 2.0**-32)


def rate_distortion(problem: Problem, left: Callable[[], float | None]) -> Proof | None:
    """Return a proof around the answer, or None for a problem of another kind or too near one of its ends.

    `left` is called at every step and may raise to stop the work. Cost: see `saddle_point`; the evidence takes one
    exponential and one logarithm for each input and output.
    """
    if not is_information(problem.notion):
        return None
    priors = _Extremes.of(problem.notion.priors(problem.source))
    source = _Extremes.of(problem.source)
    if priors is None or source is None or problem.given.is_infinite:
        return None
    cost = nearest_costs(problem.distortion, problem.universe)
    judged, costly = priors.laws, source.laws
    used = judged.max(axis=0) > 0
    if not used.all():
        judged, costly, cost = judged[:, used], costly[:, used], cost[used]
    given = float(problem.given)
    if not _is_between(cost, costly, given, problem.asks == "loss"):
        return None
    for margin in _MARGINS[cost.size > _LARGE :]:
        trade = Trade(cost, judged, costly, _safe(given, margin, cost, problem.asks == "loss"), problem.asks)
        try:
            found = saddle_point(trade, left)
            mechanism = _mechanism(problem, found, cost, used)
            converse = _converse(found, cost, used, priors, source)
            proof = Proof(problem, mechanism, converse)
            width = proof.check().width
        except (SolverFailure, ProofRejected, FloatingPointError):
            continue
        scale = 1.0 if problem.asks == "loss" else float(np.ptp(cost))
        return proof if width <= _NARROW * scale or cost.size > _LARGE else None
    return None


@dataclass(frozen=True, eq=False)
class _Extremes:
    """The extreme laws of a source that is one law or a convex set with few of them; no points stand for all laws."""

    laws: Floats
    points: tuple[Point, ...] | None

    @classmethod
    def of(cls, source: Source) -> _Extremes | None:
        if isinstance(source, Prior):
            return cls(source.floats[None], (source.probabilities,))
        if isinstance(source, Hull):
            return cls(source.floats, source.points)
        return cls(np.eye(source.size), None) if isinstance(source, Everything) else None

    def mixed(self, weights: Floats) -> Mixture:
        """Return the mixture with the given weights, in exact numbers; the faintest are mere rounding errors."""
        kept = np.where(weights > _FAINT * weights.max(), weights, 0.0).tolist()
        if self.points is not None:
            return mixture(kept, self.points)
        entries = [exact(weight) for weight in kept]
        total = sum_of(entries)
        return ((ONE, tuple(entry / total for entry in entries)),)


def _is_between(cost: Floats, laws: Floats, given: float, asks_loss: bool) -> bool:
    """Return whether the question lies well between the ends of the trade-off, as far as they are easily seen."""
    least = float((laws @ cost.min(axis=1)).max())
    most = float((laws @ cost).max(axis=0).min())
    room = _NEAR_THE_END * (most - least)
    if not asks_loss:
        # Nothing tells more than which of the inputs it was.
        return _NEAR_THE_END < given < math.log(len(cost)) and room > 0
    return least + room < given < most - room


def _safe(given: float, margin: float, cost: Floats, asks_loss: bool) -> float:
    """Return a little less than is allowed, by a share of the numbers whose rounding might exceed it."""
    return given - margin * (abs(given) + float(np.abs(cost).min()) if asks_loss else 1.0 + given)


def _mechanism(problem: Problem, found: Saddle, cost: Floats, used: NDArray[np.bool_]) -> Mechanism:
    """Return the kernel in tickets: rounded down, and what is left over given to the cheapest answer of the row."""
    total = 1 << _TICKET_BITS
    scaled = np.floor(found.kernel(cost) * total)
    scaled[scaled < 0] = 0
    tickets = scaled.astype(np.int64)
    cheapest = np.where(tickets > 0, cost, math.inf).argmin(axis=1)
    tickets[np.arange(len(tickets)), cheapest] += total - tickets.sum(axis=1)
    if not used.all():
        # Inputs without probability answer like the rarest of all priors would have them: by the output law.
        law = np.floor(found.outputs * total).astype(np.int64)
        law[law.argmax()] += total - law.sum()
        every = np.tile(law, (used.size, 1))
        every[used] = tickets
        tickets = every
    return Mechanism.of_tickets(tickets, total, problem.universe, problem.distortion.outputs(problem.universe))


def _converse(found: Saddle, cost: Floats, used: NDArray[np.bool_], priors: _Extremes, source: _Extremes) -> Converse:
    """Return the row prices: p(x) times the logarithm of the normalisation, lowered until every column has room."""
    point, other = priors.mixed(found.information_weights), source.mixed(found.distortion_weights)
    share, weight = float(found.information_weights.sum()), float(found.distortion_weights.sum())
    law, costly = (nearest_floats(mixed(mixture))[used] for mixture in (point, other))
    positive = law > 0
    prices = weight * costly * cost.min(axis=1)
    prices -= _HAIR * np.abs(prices)
    prices[positive] = _priced(cost[positive], law[positive], weight / share * costly[positive], found.outputs) * share
    every = np.zeros(used.size)
    every[used] = prices
    return Converse(
        weight=exact(weight),
        distortion_law=other,
        points=(point,),
        sums=(exact(share),),
        prices=tuple(exact(price) for price in every.tolist()),
    )


def _priced(cost: Floats, law: Floats, weights: Floats, outputs: Floats) -> Floats:
    """Return p(x) log of the normalisation of exp(-weight(x)/p(x) * cost), less what makes every column sum to 1."""
    tilts = weights / law
    base = cost.min(axis=1)
    kernel = np.exp(np.maximum((cost - base[:, None]) * -tilts[:, None], -700.0))
    normal = kernel @ outputs
    logs = tilts * base - np.log(normal)
    columns = (law / normal) @ kernel
    # What the checker allows for its own roundings: of sums over the inputs, and of exponents of this mean size.
    kernel *= np.abs(logs)[:, None] + tilts[:, None] * np.abs(cost)
    size = float(((law / normal) @ kernel).max())
    logs -= math.log(float(columns.max())) + 2.0**-50 * (len(law) + 256 + 4 * size)
    priced: Floats = law * logs
    return priced
