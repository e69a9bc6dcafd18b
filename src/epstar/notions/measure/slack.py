"""Pairs of exact distributions that may differ by a slack: the least level for a slack, and the other way round."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.exact.enclosure import greatest, log_over
from epstar.notions.base import Witness
from epstar.notions.measure.hockey_stick import Factor, excess, least_factor
from epstar.notions.pairs import LawPair, distinct_pairs


@dataclass(frozen=True)
class Delta:
    """The least slack that goes with a level: a float, bounds where the mechanism is exact, and a witness.

    >>> from epstar import ApproximateDifferentialPrivacy, Mechanism
    >>> mechanism = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> found = ApproximateDifferentialPrivacy("1/10").delta_at(mechanism, "log(2)")
    >>> str(found.upper), found.witness.inputs
    ('1/4', (0, 1))
    """

    value: float
    witness: Witness
    lower: Real | None = None
    upper: Real | None = None


def exact_level(pairs: Iterable[LawPair], slack: Rational, pointwise: bool = False) -> tuple[Witness, Real]:
    """Return the least level at which every pair keeps within the slack, and the pair that needs it."""
    best: dict[Rational, tuple[LawPair, Factor]] = {}
    for pair in in_time(pairs):
        known = best.get(pair.distance)
        if known is not None and known[1].factor is None:
            continue
        # Most pairs are within the slack at the worst factor so far, and to see that needs no sorting.
        factor = ONE if known is None or known[1].factor is None else known[1].factor
        if _excess(pair, factor, pointwise) <= slack:
            continue
        found = _pointwise_factor(pair, slack) if pointwise else least_factor(pair.left, pair.right, slack)
        best[pair.distance] = pair, found
    candidates = [(Witness(), Real.of(ZERO))]
    for distance, (pair, found) in best.items():
        real = INFINITY if found.factor is None else log_over(found.factor, distance)
        candidates.append((Witness(pair.witness.inputs, () if pair.grouped else found.event), real))
    return greatest(candidates)


def _pointwise_factor(pair: LawPair, slack: Rational) -> Factor:
    best = Factor(ONE, ())
    for y, (p, q) in enumerate(zip(pair.left, pair.right, strict=True)):
        if p > slack:
            if q == 0:
                return Factor(None, (y,))
            if best.factor is not None and p - slack > best.factor * q:
                best = Factor((p - slack) / q, (y,))
    return best


def _excess(pair: LawPair, factor: Rational, pointwise: bool) -> Rational:
    if not pointwise:
        return excess(pair.left, pair.right, factor)
    differences = (p - factor * q for p, q in zip(pair.left, pair.right, strict=True))
    worst = max(differences, default=ZERO)
    return worst if worst > 0 else ZERO


def exact_delta(pairs: Iterable[LawPair], level: Real, pointwise: bool = False) -> Delta:
    """Return the least slack at `level`: exact where e^(level * distance) is rational, else an enclosure."""
    candidates = [(Witness(), Real.of(ZERO))]
    for pair in in_time(distinct_pairs(pairs)):
        scaled = level if level.is_infinite or pair.distance == 1 else level * pair.distance
        candidates.append((pair.witness, _slack_of(pair, Real.exp(scaled), pointwise)))
    witness, real = greatest(candidates)
    return Delta(float(real), witness, real, real)


def _slack_of(pair: LawPair, factor: Real, pointwise: bool) -> Real:
    if factor.is_infinite:
        outside = [p for p, q in zip(pair.left, pair.right, strict=True) if q == 0]
        return Real.of(max([ZERO, *outside]) if pointwise else sum(outside, ZERO))
    if factor.rational is not None:
        return Real.of(_excess(pair, factor.rational, pointwise))

    def enclose(bits: int) -> Ball:
        multiple = factor.enclose(bits)
        total = Ball(0)
        for p, q in zip(pair.left, pair.right, strict=True):
            part = (p - multiple * q).max(Ball(0))
            total = total.max(part) if pointwise else total + part
        return total

    return Real.from_ball(enclose)
