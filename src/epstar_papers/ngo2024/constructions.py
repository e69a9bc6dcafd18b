r"""The formulas and mechanisms of the paper by their own names, in bits; where a formula is wrong, also the true one.

Equation (6) is `delta_from_capacity`, (7) `capacity_7`, (8) `capacity_from_curve`, (9) `delta_9`, (10)
`information_10`; the binary mechanism M* of Appendix A is `binary_mechanism`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from epstar.convert import EDGES, Guarantee, Implication, PrivacyCurve, SegmentCurve
from epstar.convert.binary_divergence import Excess, excess_given_capacity, excess_given_information
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.exact.enclosure import sum_of_logs
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    LocalInformationPrivacy,
    MutualInformation,
    Notion,
    PointwiseLeakage,
)
from epstar.query.bounds import in_bits
from epstar.source import Prior
from epstar.universe import Alphabet

BIT = Real.log(Rational(2))
"""One bit in nats."""

HALF = Rational(1, 2)
COIN = Prior([HALF, HALF])
_SHRINK = (ZERO, Rational(1, 10**15), Rational(1, 10**12), Rational(1, 10**10), Rational(1, 10**8))


def nats(mu: object) -> Real:
    """Return a number of bits in nats; a whole number of bits stays the logarithm of a power of two."""
    real = Real.of(mu)
    if real.rational is not None and real.rational.q == 1:
        return Real.log(Rational(2) ** int(real.rational.p))
    return real * BIT


def _edge(name: str) -> Implication:
    return next(edge for edge in EDGES if edge.name == name)


def _curve(edge: str, premise: Guarantee, kind: type[Notion]) -> PrivacyCurve:
    assert kind in (ApproximateDifferentialPrivacy, LocalInformationPrivacy)
    found = _edge(edge).apply(premise, kind, premise.source)
    assert found is not None
    assert found.curve is not None
    return found.curve


def binary_entropy(chance: Rational) -> Real:
    """Return H_b in bits.

    >>> str(binary_entropy(Rational(1, 2)))
    '1'
    """
    if chance in (ZERO, ONE):
        return Real.of(ZERO)
    if chance == HALF:
        return Real.of(ONE)
    return in_bits(sum_of_logs([(chance, -chance), (1 - chance, chance - 1)]))


def capacity_7(first: Rational, second: Rational) -> Real:
    """Return the capacity of the binary asymmetric channel in bits, by (7) and the symmetries that go with it.

    Raises:
        ZeroDivisionError: where the two crossover probabilities sum to 1, as the printed formula does.
    """
    if first > second:
        return capacity_7(second, first)
    if first > 1 - second:
        return capacity_7(1 - second, 1 - first)
    rest = 1 - first - second
    low, high = binary_entropy(first), binary_entropy(second)
    exponent = (low - high) * (1 / rest)
    raised = Real.from_ball(lambda bits: (1 + (exponent.enclose(bits) * Ball(2).log()).exp()).log())
    return high * (first / rest) - low * ((1 - second) / rest) + in_bits(raised)


def binary_asymmetric_capacity(first: Rational, second: Rational) -> Real:
    """Return (7) with the value 0 that it lacks where the output does not depend on the input."""
    return Real.of(ZERO) if first + second == 1 else capacity_7(first, second)


def delta_from_capacity(mu: object, level: object) -> Real:
    """Return (6): the least delta that every mechanism of capacity at most mu bits has at a level; tight.

    >>> round(float(delta_from_capacity("1/10", 1)), 6)
    0.201483
    """
    premise = Guarantee(Capacity(), nats(mu), Alphabet(2))
    return _curve("capacity to the curve", premise, ApproximateDifferentialPrivacy).delta(Real.of(level))


def delta_9(mu: object, level: object) -> Real:
    """Return (9), which is true of mechanisms whose pointwise leakage is at most mu bits, and only of those.

    >>> round(float(delta_9("1/10", 1)), 6)
    0.071541
    """
    premise = Guarantee(PointwiseLeakage(), nats(mu), source=COIN)
    return _curve("pointwise leakage to the local curve", premise, LocalInformationPrivacy).delta(Real.of(level))


def delta_from_information(mu: object, level: object, prior: Prior) -> Real:
    """Return what Theorem 2(a) should say: the least delta of local information privacy that mu bits guarantee; tight.

    >>> round(float(delta_from_information("1/10", 1, COIN)), 6)
    0.095069
    """
    premise = Guarantee(MutualInformation(), nats(mu), source=prior)
    return _curve("mutual information to the local curve", premise, LocalInformationPrivacy).delta(Real.of(level))


def capacity_from_curve(curve: PrivacyCurve) -> Real:
    """Return (8) in bits: the integral of (1 + e^-level) delta(level)."""
    whole = curve.divergence()
    return INFINITY if whole.is_infinite else in_bits(whole)


def information_10(curve: SegmentCurve) -> Real:
    """Return (10) in bits: the integral of (e^level + e^-level) delta(level); infinite if delta does not reach 0."""
    if curve.points[-1][1] > 0:
        return INFINITY
    points = curve.points

    def enclose(_bits: int) -> Ball:
        total = Ball(0)
        for (left, above), (right, below) in pairwise(points):
            # delta = a + b E, and (1 + 1/E^2) (a + b E) dE has the antiderivative a E + b E^2/2 - a/E + b log E.
            b = (below - above) / (right - left)
            a = above - b * left
            total += a * (right - left) + b * (right**2 - left**2) / 2 + a * (1 / left - 1 / right)
            total += b * Ball(right / left).log()
        return total

    return in_bits(Real.from_ball(enclose))


def capped_information(curve: PrivacyCurve, prior: Prior) -> Real:
    """Return a bound in bits that is finite where (10) is not: both terms are capped at what the prior allows."""
    premise = Guarantee(LocalInformationPrivacy, curve=curve, source=prior)
    found = _edge("local curve to mutual information").apply(premise, MutualInformation(), prior)
    assert found is not None
    return in_bits(found.level)


def limit_of_capacity(mu: float) -> float:
    """Return p-bar: the root of H_b(p)/p = -log2(2^mu - 1), to which (6) falls as the level grows (0 < mu < 1)."""
    from scipy import optimize

    goal = -math.log2(math.expm1(mu * math.log(2)))

    def excess(p: float) -> float:
        return -math.log2(p) - (1 - p) / p * math.log1p(-p) / math.log(2) - goal

    return float(optimize.brentq(excess, 1e-300, 1 - 1e-16, xtol=1e-300, rtol=1e-15))


def limit_of_information(mu: float, share: float) -> float:
    """Return where the tight bound for an input of probability `share` ends: (1 - share) q with I = mu at p = 0."""
    from scipy import optimize

    def entropy(p: float) -> float:
        return 0.0 if p in (0.0, 1.0) else -p * math.log2(p) - (1 - p) * math.log2(1 - p)

    if entropy(share) <= mu:
        return 1 - share
    rest = 1 - share
    return rest * float(optimize.brentq(lambda q: entropy(rest * q) - rest * entropy(q) - mu, 0.0, 1.0, xtol=1e-16))


def binary_mechanism(mu: object, level: object) -> Mechanism:
    """Return M* of Appendix A for two inputs: capacity at most mu bits, and delta as large as (6) says at the level."""
    bound = nats(mu)
    found = excess_given_capacity(Real.of(ONE), Real.exp(level) * -1, bound)
    return _kept(found, 2, 0, lambda mechanism: Capacity().loss(mechanism).upper, bound)


def telling_mechanism(mu: object, level: object, prior: Prior, place: int) -> Mechanism:
    """Return the mechanism that depends on 1{X = x} and attains the true bound of Theorem 2(a) at one input."""
    share, bound = prior.probabilities[place], nats(mu)
    gain = Real.exp(level) - share
    found = excess_given_information(Real.of(1 - share), gain * -1, share, bound)
    return _kept(found, prior.size, place, lambda m: MutualInformation().loss(m, prior).upper, bound)


def _kept(found: Excess, size: int, place: int, loss: Callable[[Mechanism], Real | None], bound: Real) -> Mechanism:
    """The pair of probabilities, the second moved towards the first until the loss is within the bound."""
    p, q = (Rational(*value.as_integer_ratio()) for value in (found.p, found.q))
    for shrink in _SHRINK:
        moved = q + (p - q) * shrink
        rows = [[p, 1 - p] if x == place else [moved, 1 - moved] for x in range(size)]
        mechanism = Mechanism(rows, Alphabet(size), [1, 0])
        upper = loss(mechanism)
        if upper is not None and upper.ball(96) <= bound.ball(96):
            return mechanism
    raise AssertionError("the loss of a mechanism with two outputs is continuous in its entries")


def indicator(size: int, place: int) -> Mechanism:
    """Return the mechanism that says whether the input is a given one, and nothing else."""
    return Mechanism([[ONE, ZERO] if x == place else [ZERO, ONE] for x in range(size)], Alphabet(size), [1, 0])


def one_sided(chance: object) -> Mechanism:
    """Return the smallest mechanism that breaks (9): input 0 always gives 0, input 1 gives itself away at times."""
    share = Real.of(chance).rational
    assert share is not None
    return Mechanism([[ONE, ZERO], [1 - share, share]])
