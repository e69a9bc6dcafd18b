"""Implications to and from concentrated and Gaussian differential privacy: pairs of inputs compared at all orders.

Bun and Steinke, "Concentrated differential privacy" (TCC 2016); Dong, Roth and Su, "Gaussian differential privacy"
(2022). What is tight is attained by randomised response, or by normal noise, whose losses are known exactly.
"""

from __future__ import annotations

import math

from epstar.convert.guarantee import Guarantee, Kind, has_unit_pairs
from epstar.convert.implication import Implication, smaller
from epstar.convert.mechanism_curve import gaussian_curve
from epstar.convert.privacy_curve import FunctionCurve, PrivacyCurve
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.gaussian import Gaussian
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    RenyiDifferentialPrivacy,
)
from epstar.notions.gaussian_differential_privacy import quantile
from epstar.source import Source

# Steps of a ternary search over the logarithm of an order; whatever it ends at gives a valid bound.
_STEPS = 60
# The bits in which an order is rounded.
_BITS = 20


def _pure_to_concentrated(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """level * tanh(level / 2), the relative entropy of randomised response on two inputs.

    No pair within the level has larger divergences than that response, for which (a - 1) D_a = log cosh(u level) -
    log cosh(level / 2) with u = a - 1/2. That is concave in u^2, so that it lies below its tangent at u = 1/2, which is
    level tanh(level / 2) a (a - 1).
    """
    if not has_unit_pairs(guarantee.universe):
        return None
    level = guarantee.level
    if level.rational == ZERO:
        return Real.of(ZERO)
    factor = Real.exp(level)
    return level * ((factor - 1) / (factor + 1))


def _concentrated_to_renyi(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """rho times the order above one; below it (a - 1) D_a is convex, zero at 0 and 1, with slopes of at most rho."""
    assert isinstance(target, RenyiDifferentialPrivacy)
    order, level = target.order, guarantee.level
    if isinstance(order, float):
        return None
    if order >= 1:
        return level * order
    return smaller(level, level * (order / (1 - order)))


def _concentrated_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """The least over orders a of e^((a - 1)(rho a - level)) (1 - 1/a)^(a - 1) / a, which each of them bounds.

    That is how far x - e^level lies below c x^a at most, for the least c (Canonne, Kamath and Steinke, "The discrete
    Gaussian for differential privacy", 2020).
    """
    rho = guarantee.level
    if not has_unit_pairs(guarantee.universe):
        return None

    def delta(level: Real) -> Real:
        if level.is_infinite or rho.rational == ZERO:
            return Real.of(ZERO)
        order = _best_order(float(rho), float(level))

        def enclose(bits: int) -> Ball:
            exponent = (order - 1) * (rho.enclose(bits) * order - level.enclose(bits))
            shrink = (order - 1) * Ball((order - 1) / order).log() - Ball(order).log()
            return (exponent + shrink).exp().min(Ball(1))

        return Real.from_ball(enclose)

    return FunctionCurve(delta)


def _best_order(rho: float, level: float) -> Rational:
    """Return about the order whose moment bounds delta best."""

    def logarithm(place: float) -> float:
        excess = math.exp(place)
        order = 1 + excess
        return excess * (rho * order - level) + excess * math.log(excess / order) - math.log(order)

    low, high = -12.0, math.log(2 + level / rho)
    for _ in range(_STEPS):
        left, right = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, right) if logarithm(left) <= logarithm(right) else (left, high)
    digits = 1 << (_BITS + max(0, math.ceil(-low / math.log(2))))
    return 1 + max(Rational(round(math.exp(low) * digits), digits), Rational(1, digits))


def _pure_to_gaussian(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """2 Phi^-1(e^level / (1 + e^level)): the one corner of the trade-off between errors of randomised response."""
    if not has_unit_pairs(guarantee.universe):
        return None
    if guarantee.level.rational == ZERO:
        return Real.of(ZERO)
    return Real.computed(lambda nats: quantile(1 / (1 + nats.exp())) * -2, guarantee.level)


def _gaussian_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    if not has_unit_pairs(guarantee.universe):
        return None
    mu = guarantee.level.rational if guarantee.level.rational is not None else guarantee.level.above()
    return None if mu == 0 else gaussian_curve(Gaussian(variance=1 / (mu * mu), sensitivity=ONE))


def _gaussian_to_concentrated(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """mu^2 / 2: what is no easier to tell apart than two normal distributions has no larger divergences."""
    return guarantee.level * guarantee.level / 2 if has_unit_pairs(guarantee.universe) else None


def _gaussian_to_renyi(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(target, RenyiDifferentialPrivacy)
    if isinstance(target.order, float) or not has_unit_pairs(guarantee.universe):
        return None
    return guarantee.level * guarantee.level * target.order / 2


_UNIT = ("pairs at distance 1",)
_BY_NOISE = "for every level, by normal noise"

CONCENTRATED = (
    Implication(
        "differential privacy to concentrated",
        DifferentialPrivacy,
        ConcentratedDifferentialPrivacy,
        _pure_to_concentrated,
        "the divergences of randomised response, below a tangent at order 1",
        "for every level, by randomised response at order 1",
        _UNIT,
    ),
    Implication(
        "concentrated to Rényi",
        ConcentratedDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _concentrated_to_renyi,
        "Bun and Steinke 2016: its definition",
        "for every level and order of at least 1, by normal noise",
    ),
    Implication(
        "concentrated to the curve",
        ConcentratedDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _concentrated_to_curve,
        "moments of the likelihood ratio at the best order",
        needs=_UNIT,
        end_is_curve=True,
    ),
    Implication(
        "differential privacy to Gaussian",
        DifferentialPrivacy,
        GaussianDifferentialPrivacy,
        _pure_to_gaussian,
        "no two rows within this level are easier to tell apart than those of randomised response",
        "for every level, by randomised response",
        _UNIT,
    ),
    Implication(
        "Gaussian to its curve",
        GaussianDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _gaussian_to_curve,
        "Dong, Roth and Su 2022: the duality between trade-offs of errors and privacy curves",
        f"{_BY_NOISE} at every delta",
        _UNIT,
        end_is_curve=True,
    ),
    Implication(
        "Gaussian to concentrated",
        GaussianDifferentialPrivacy,
        ConcentratedDifferentialPrivacy,
        _gaussian_to_concentrated,
        "Dong, Roth and Su 2022: divergences do not grow where two inputs are harder to tell apart",
        _BY_NOISE,
        _UNIT,
    ),
    Implication(
        "Gaussian to Rényi",
        GaussianDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _gaussian_to_renyi,
        "Dong, Roth and Su 2022: divergences do not grow where two inputs are harder to tell apart",
        f"{_BY_NOISE} at every order",
        _UNIT,
    ),
)
