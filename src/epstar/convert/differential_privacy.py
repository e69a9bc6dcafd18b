"""Implications among notions that compare pairs of inputs: pure, approximate and Rényi differential privacy."""

from __future__ import annotations

from epstar.convert.guarantee import Guarantee, Kind, has_unit_pairs
from epstar.convert.implication import Implication
from epstar.convert.privacy_curve import FunctionCurve, PrivacyCurve, pure_curve
from epstar.exact import ZERO, Ball, Real
from epstar.exact.enclosure import log_over
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, RenyiDifferentialPrivacy
from epstar.source import Source


def _pure_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    return pure_curve(guarantee.level) if has_unit_pairs(guarantee.universe) else None


def _pure_to_renyi(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """log[(e^(a level) + e^((1 - a) level)) / (1 + e^level)] / (a - 1): what randomised response on two inputs has."""
    assert isinstance(target, RenyiDifferentialPrivacy)
    if not has_unit_pairs(guarantee.universe) or isinstance(target.order, float):
        return guarantee.level
    order, level = target.order, guarantee.level
    if level.rational == ZERO:
        return Real.of(ZERO)
    factor = Real.exp(level)
    if order == 1:
        return level * ((factor - 1) / (factor + 1))
    if factor.rational is not None and order.q == 1 and order <= 64:
        power, base = int(order.p), factor.rational
        total = (base**power + base ** (1 - power)) / (1 + base)
        return log_over(total, order - 1)

    def enclose(bits: int) -> Ball:
        nats = level.enclose(bits)
        return (((order * nats).exp() + ((1 - order) * nats).exp()) / (1 + nats.exp())).log() / (order - 1)

    return Real.from_ball(enclose)


def _renyi_to_pure(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(guarantee.notion, RenyiDifferentialPrivacy)
    return guarantee.level if isinstance(guarantee.notion.order, float) else None


def _renyi_to_renyi(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(guarantee.notion, RenyiDifferentialPrivacy)
    assert isinstance(target, RenyiDifferentialPrivacy)
    have, want = guarantee.notion.order, target.order
    if isinstance(have, float) or (not isinstance(want, float) and want <= have):
        return guarantee.level
    return None


def _renyi_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """delta = e^((a - 1)(r - level)) (1 - 1/a)^(a - 1) / a, by maximising (x - e^level)_+ / x^a."""
    assert isinstance(guarantee.notion, RenyiDifferentialPrivacy)
    order, bound = guarantee.notion.order, guarantee.level
    if isinstance(order, float) or order <= 1 or not has_unit_pairs(guarantee.universe):
        return None

    def delta(level: Real) -> Real:
        if level.is_infinite:
            return Real.of(ZERO)

        def enclose(bits: int) -> Ball:
            exponent = (order - 1) * (bound.enclose(bits) - level.enclose(bits))
            shrink = (order - 1) * Ball((order - 1) / order).log() - Ball(order).log()
            return (exponent + shrink).exp().min(Ball(1))

        return Real.from_ball(enclose)

    def integral(bits: int) -> Ball:
        # delta is min(1, e^((a - 1)(c - level))): the part up to the level c, and what is left beyond it.
        shrink = Ball((order - 1) / order).log() - Ball(order).log() / (order - 1)
        edge = bound.enclose(bits) + shrink
        inside, beyond = edge.max(Ball(0)), edge.min(Ball(0))
        rest = ((order - 1) * beyond).exp() * (1 / Ball(order - 1) + (-inside).exp() / Ball(order))
        return inside - (-inside).expm1() + rest

    return FunctionCurve(delta, Real.from_ball(integral))


def _pair_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    notion = guarantee.notion
    assert isinstance(notion, ApproximateDifferentialPrivacy)
    if not has_unit_pairs(guarantee.universe):
        return None
    if notion.reading == "event":
        return pure_curve(guarantee.level, notion.delta)
    # Of all outputs at least one gains nothing, so an event gains delta at most as often as there are others.
    return None if guarantee.outputs is None else pure_curve(guarantee.level, (guarantee.outputs - 1) * notion.delta)


def _curve_to_pair(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(target, ApproximateDifferentialPrivacy)
    assert guarantee.curve is not None
    # An event holds each of its outputs, so the pointwise level is at most the event-wise one.
    return _finite(guarantee.curve.level(target.delta))


def _curve_to_pure(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    assert guarantee.curve is not None
    return _finite(guarantee.curve.level(ZERO))


def _curve_to_renyi(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """The integral of (1 + e^-level) delta bounds the relative entropy of each pair, in both orders."""
    assert isinstance(target, RenyiDifferentialPrivacy)
    assert guarantee.curve is not None
    if isinstance(target.order, float) or target.order > 1 or not has_unit_pairs(guarantee.universe):
        return None
    return _finite(guarantee.curve.divergence())


def _finite(level: Real) -> Real | None:
    return None if level.is_infinite else level


_UNIT = ("pairs at distance 1",)

PAIRWISE = (
    Implication(
        "differential privacy to its curve",
        DifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _pure_to_curve,
        "no two rows within this level are easier to tell apart than those of randomised response",
        "for every level and delta, by randomised response",
        _UNIT,
        end_is_curve=True,
    ),
    Implication(
        "differential privacy to Rényi",
        DifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _pure_to_renyi,
        "zhong2022, Lemma 20(8), with the value of randomised response",
        "for every level and order, by randomised response",
        _UNIT,
    ),
    Implication(
        "Rényi of order infinity to differential privacy",
        RenyiDifferentialPrivacy,
        DifferentialPrivacy,
        _renyi_to_pure,
        "zhong2022, Lemma 20(5)",
        "always: they are the same",
    ),
    Implication(
        "Rényi to a smaller order",
        RenyiDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _renyi_to_renyi,
        "zhong2022, Lemma 20(8)",
    ),
    Implication(
        "Rényi to the curve",
        RenyiDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _renyi_to_curve,
        "moments of the likelihood ratio (order above 1)",
        needs=_UNIT,
        end_is_curve=True,
    ),
    Implication(
        "one pair to its curve",
        ApproximateDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _pair_to_curve,
        "randomised response with a chance delta of saying everything dominates; zhong2022, Definition 3(2) read "
        "pointwise needs the number of outputs",
        "for every level and delta, read event by event",
        ("the number of outputs, where delta is read pointwise", *_UNIT),
        end_is_curve=True,
    ),
    Implication(
        "curve to a pair",
        ApproximateDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _curve_to_pair,
        "by definition",
        "always: it is a point of the curve",
        ("the whole curve",),
        start_is_curve=True,
    ),
    Implication(
        "curve to differential privacy",
        ApproximateDifferentialPrivacy,
        DifferentialPrivacy,
        _curve_to_pure,
        "by definition",
        "always: it is where the curve ends",
        ("the whole curve",),
        start_is_curve=True,
    ),
    Implication(
        "curve to relative entropy",
        ApproximateDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _curve_to_renyi,
        "ngo2024, Lemma 1",
        "for two symmetric distributions, such as randomised response on two inputs",
        ("the whole curve", *_UNIT),
        start_is_curve=True,
    ),
)
