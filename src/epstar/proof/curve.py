"""One proof for all points of a trade-off: one prior, Hamming distortion, a notion with a closed form.

The prior is ranked and added up once. Each point then claims two ends and names two numbers of letters: that at which
the dual vector of the lower end changes, and that which the mechanism of the upper end keeps. `CurveProof.check`
derives both bounds from the sums by weak duality and by the definition of the notion, in exact and ball arithmetic; the
arguments stand in `response_trade_off`, `information_trade_off` and `extreme_trade_off`. No theorem is cited and no
mechanism is written out, so that a point costs some microseconds however many letters there are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import ZERO, Interval, Real, compare
from epstar.notebook.face import Displayed, Saved
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Asked, Problem
from epstar.proof.extreme_trade_off import GuessingTradeOff, IdentifiabilityTradeOff
from epstar.proof.information_trade_off import InformationTradeOff
from epstar.proof.response_trade_off import LeakageTradeOff, ResponseTradeOff
from epstar.proof.trade_off import RatioTradeOff
from epstar.source import Prior
from epstar.universe import Alphabet

AnyTradeOff = RatioTradeOff | InformationTradeOff


@dataclass(frozen=True)
class CurvePoint:
    """What is claimed at a point: where it lies, the two ends, and the numbers of letters that prove them."""

    given: Real
    lower: Real
    upper: Real
    letters: tuple[int, int]


@dataclass(frozen=True, repr=False)
class CurveProof(Displayed, Saved):
    """Evidence for the ends of a trade-off under Hamming distortion, at all its points.

    >>> from epstar.frontier import Frontier
    >>> curve = Frontier(DifferentialPrivacy(), Prior(["1/2", "3/10", "1/5"]), Hamming()).curve(["1/5", "1/4"])
    >>> [(str(interval.lower), str(interval.upper)) for interval in curve.proof.check()]
    [('log(8)', 'log(8)'), ('log(6)', 'log(6)')]
    """

    _face: ClassVar[str] = "proofs"

    notion: Notion
    source: Prior
    universe: Alphabet
    asks: Asked
    points: tuple[CurvePoint, ...]

    def check(self) -> tuple[Interval, ...]:
        """Return the interval that is established at each point.

        Cost: a sort of the prior, unless it is ranked already, and some ten microseconds for each point.

        Raises:
            ProofRejected: if an end is claimed that the numbers of letters do not prove.
        """
        proves = trade_off(self.notion, self.source)
        if proves is None:
            raise ProofRejected(f"No such proof is known for {self.notion.title} and this prior.")
        if self.universe.size != self.source.size:
            raise ProofRejected("The source and the universe have different sizes.")
        for number, point in enumerate(self.points, 1):
            lower, upper = proven_ends(proves, self.asks, point)
            if compare(point.lower, lower) > 0 or compare(point.upper, upper) < 0:
                raise ProofRejected(f"Point {number} of the curve claims more than its letters prove.")
        return tuple([Interval(point.lower, point.upper) for point in self.points])

    @property
    def theorem(self) -> str:
        """Where the trade-off was first stated; the proof does not depend on it."""
        proves = trade_off(self.notion, self.source)
        return "" if proves is None else proves.theorem

    def has_mechanism(self, place: int) -> bool:
        """Return whether there is any mechanism at a point: its loss may be infinite all the same."""
        point = self.points[place]
        return point.given >= ZERO if self.asks == "loss" else not point.lower.is_infinite


def trade_off(notion: Notion, source: Prior) -> AnyTradeOff | None:
    """Return how to prove a notion for a prior; None where there is no closed form."""
    match notion:
        case DifferentialPrivacy() | RenyiDifferentialPrivacy(order=math.inf):
            return ResponseTradeOff(source.ranking, source, ZERO)
        case ApproximateDifferentialPrivacy():
            return ResponseTradeOff(source.ranking, source, notion.delta) if notion.delta < 1 else None
        case MaximalLeakage() | SibsonMutualInformation(order=math.inf):
            return LeakageTradeOff(source.ranking)
        case MutualInformation() | SibsonMutualInformation(order=1):
            return InformationTradeOff(source.ranking)
        case MinEntropyLeakage():
            return GuessingTradeOff(source.ranking)
        case Identifiability():
            spread = source.ranking.spread
            return None if spread is None else IdentifiabilityTradeOff(source.ranking, spread)
        case _:
            return None


def is_ranked(problems: Sequence[Problem]) -> bool:
    """Return whether questions differ in their points alone, and are about one prior and Hamming distortion."""
    first = problems[0]
    return (
        isinstance(first.source, Prior)
        and isinstance(first.universe, Alphabet)
        and type(first.distortion) is Hamming
        and all(
            p.source is first.source
            and p.universe is first.universe
            and p.asks == first.asks
            and type(p.distortion) is Hamming
            and (p.notion is first.notion or p.notion == first.notion)
            for p in problems
        )
    )


def proven_ends(proves: AnyTradeOff, asks: Asked, point: CurvePoint) -> tuple[Real, Real]:
    """Return the ends that the letters of a point prove.

    Raises:
        ProofRejected: if they prove nothing.
    """
    below, above = point.letters
    if asks == "loss":
        distortion = point.given.rational
        if distortion is None:
            raise ProofRejected("A distortion is given as a rational number.")
        return proves.loss_below(distortion, below), proves.loss_above(distortion, above)
    if point.given < ZERO:
        raise ProofRejected("A loss is never negative.")
    if point.given.is_infinite:
        # The truth is allowed.
        return Real.of(ZERO), Real.of(ZERO)
    if isinstance(proves, RatioTradeOff):
        return proves.distortion_below(point.given, below), proves.distortion_above(point.given, above)
    if point.lower.rational is None or point.upper.rational is None:
        raise ProofRejected("A distortion is claimed as a rational number.")
    return (
        proves.confirmed_below(point.given, below, point.lower.rational),
        proves.confirmed_above(point.given, above, point.upper.rational),
    )
