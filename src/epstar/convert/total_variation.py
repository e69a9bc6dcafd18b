"""Implications that hold by definition or through total variation, and what one step says of many.

No mechanism exceeds the identity: each is the identity with something done to what it says (post-processing).
"""

from __future__ import annotations

from itertools import product

from epstar.convert.binary_divergence import excess_given_capacity, excess_given_divergence, shortfall_given_divergence
from epstar.convert.guarantee import Guarantee, Kind, has_unit_pairs, needs_source, times
from epstar.convert.implication import Implication, larger, log_of, smaller
from epstar.convert.privacy_curve import FunctionCurve, Point, PrivacyCurve, SegmentCurve, constant_curve
from epstar.exact import HALF, ONE, ZERO, Ball, Rational, Real
from epstar.mechanism import identity
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalLeakage,
    MinEntropyCapacity,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.source import Source
from epstar.universe import Alphabet

# A larger identity is not written out.
_MOST_INPUTS = 256


def most(guarantee: Guarantee, target: Notion, source: Source | None) -> Guarantee | None:
    """Return what the identity loses on the inputs of a guarantee, if that is finite and they are known and not many.

    No mechanism loses more under any notion here, because ignoring or garbling what was said cannot raise a loss. (It
    can where approximate differential privacy is read output by output; the identity then loses everything or, with
    delta = 1, no mechanism loses anything.)
    """
    level = _of_identity(guarantee, target, source)
    if level is None or level.is_infinite:
        return None
    kept = source if needs_source(target) else None
    return Guarantee(target, level, guarantee.universe, kept, outputs=guarantee.outputs)


def _of_identity(guarantee: Guarantee, target: Notion, source: Source | None) -> Real | None:
    universe = guarantee.universe
    if universe is None or (needs_source(target) and source is None):
        return None
    if isinstance(target, Capacity | MaximalLeakage | MinEntropyCapacity):
        return Real.log(Rational(universe.size))
    if universe.size > _MOST_INPUTS:
        return None
    return target.loss(identity(universe), source if needs_source(target) else None).upper


def edge_to(start: Kind, target: Notion) -> Implication:
    """Return the implication by which everything follows that holds of all mechanisms."""
    first = start if isinstance(start, type) else type(start)
    return Implication(
        "no more than the identity",
        first,
        type(target),
        lambda guarantee, kind, source: _of_identity(guarantee, kind, source) if isinstance(kind, Notion) else None,
        "data processing: no mechanism loses more than the identity on these inputs",
        "where the identity keeps the guarantee",
        ("the number of inputs",),
        start_is_curve=isinstance(start, type),
    )


# Below this floats no longer tell the probabilities of an event apart.
TINY = 1e-14
# Curves are followed up to this factor where each of their points counts.
_FAR = Rational(1 << 20)
_MOST_STEPS = 64
_MOST_POINTS = 80


def pinsker(information: Real, factor: Rational) -> Real:
    """Return the root of a multiple of an information that is too small for floats: a bound on variation by Pinsker."""
    return Real.computed(lambda nats: (factor * nats).max(Ball(0)).sqrt(), information)


def over_all_pairs(guarantee: Guarantee) -> PrivacyCurve | None:
    """Return the curve that holds for all pairs of inputs, however many steps apart; None if some are not connected.

    Along d steps of (level, delta) the factor is E^d and the slack delta (1 + E + ... + E^(d - 1)).
    """
    curve, universe = guarantee.curve, guarantee.universe
    assert curve is not None
    if universe is None or isinstance(universe, Alphabet):
        return curve
    width = universe.diameter
    if width is None or width.q != 1 or width > _MOST_STEPS or not has_unit_pairs(universe):
        return None
    steps = int(width.p)
    if steps <= 1:
        return curve
    return _falling(
        [
            (factor**steps, delta * (steps if factor == 1 else (factor**steps - 1) / (factor - 1)))
            for factor, delta in curve.segments(_FAR).points
        ]
    )


def _falling(points: list[Point]) -> SegmentCurve:
    """The curve through points of one, each of which is a bound from its factor on."""
    kept: list[Point] = []
    for factor, delta in sorted(points):
        least = min(delta, kept[-1][1] if kept else ONE)
        if kept and kept[-1][0] == factor:
            kept[-1] = factor, least
        elif not kept or least < kept[-1][1]:
            kept.append((factor, least))
    return SegmentCurve(kept)


def _pure_to_pair(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    return guarantee.level


def _pair_to_pair(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """A larger delta, and single outputs in the place of events, ask for less."""
    have = guarantee.notion
    assert isinstance(have, ApproximateDifferentialPrivacy)
    assert isinstance(target, ApproximateDifferentialPrivacy)
    weaker = target.delta >= have.delta and (have.reading == "event" or target.reading == "pointwise")
    return guarantee.level if weaker else None


def _order_below_one(notion: Kind) -> Rational | None:
    assert isinstance(notion, RenyiDifferentialPrivacy)
    return None if isinstance(notion.order, float) or notion.order >= 1 else notion.order


def _below_one_to_larger(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """b (1 - a) / (a (1 - b)) times the level, for orders a < b < 1."""
    have, want = _order_below_one(guarantee.notion), _order_below_one(target)
    if have is None or want is None or want <= have:
        return None
    return times(guarantee.level, want * (1 - have) / (have * (1 - want)))


def _below_one_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """Variation is at most sqrt(1 - e^-r) with r the divergence of order 1/2, whatever the level."""
    order = _order_below_one(guarantee.notion)
    if order is None or not has_unit_pairs(guarantee.universe):
        return None
    half = guarantee.level if order >= HALF else times(guarantee.level, (1 - order) / order)
    found = Real.computed(lambda nats: (-(-nats).expm1()).max(Ball(0)).sqrt(), half)
    return constant_curve(found.above())


def _entropy_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """The most that an event is likelier when two laws are within a relative entropy of each other, in both orders.

    Never more than kappa / (level - 1): an event of chance p that is likelier by the factor E takes p log E - p of it.
    """
    notion, kappa = guarantee.notion, guarantee.level
    assert isinstance(notion, RenyiDifferentialPrivacy)
    if _order_below_one(notion) is not None or not has_unit_pairs(guarantee.universe):
        return None

    def delta(level: Real) -> Real:
        if level.is_infinite or kappa.rational == ZERO:
            return Real.of(ZERO)
        if kappa.upper < TINY:
            return pinsker(kappa, HALF)
        over = excess_given_divergence(level, kappa).upper
        other = shortfall_given_divergence(level, kappa).upper * Real.exp(level)
        least = smaller(over, other)
        if level.ball() > 1:
            least = smaller(least, kappa / (level - ONE))
        return smaller(larger(least, Real.of(ZERO)), Real.of(ONE))

    return FunctionCurve(delta)


def _curve_to_below_one(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    """-log((1 - delta)(E^a + E^(1 - a)) / (1 + E)) / (1 - a): what the laws that dominate a point of the curve have."""
    order = _order_below_one(target)
    if order is None or not has_unit_pairs(guarantee.universe):
        return None
    assert guarantee.curve is not None
    curve = guarantee.curve
    places = [factor for factor, _ in curve.points] if isinstance(curve, SegmentCurve) else list(_FACTORS)
    best: Real | None = None
    for factor in places[:_MOST_POINTS]:
        slack = curve.delta(Real.log(factor)).above()
        if slack < 1:
            found = _of_dominating(order, factor, slack)
            best = found if best is None or found.upper < best.upper else best
    return best


def _of_dominating(order: Rational, factor: Rational, slack: Rational) -> Real:
    def enclose(_bits: int) -> Ball:
        nats = Ball(factor).log()
        shared = (1 - slack) * ((order * nats).exp() + ((1 - order) * nats).exp()) / (1 + factor)
        return (-shared.log() / (1 - order)).max(Ball(0))

    return Real.from_ball(enclose)


def _local_curve_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """Two steps through the output distribution: from (E, d) and (F, e) to the factor E F and the slack E (d + e)."""
    curve = guarantee.curve
    if not isinstance(curve, SegmentCurve) or not has_unit_pairs(guarantee.universe):
        return None
    points = curve.points[:: len(curve.points) // _MOST_POINTS + 1]
    return _falling([(e * f, e * (d + s)) for (e, d), (f, s) in product(points, points)])


def tells_a_bit(information: Real) -> bool:
    """Return whether so many nats may be log 2, enough to say which of two inputs it is."""
    return not information.ball(160) < Real.log(Rational(2)).ball(160)


def variation_given_capacity(capacity: Real) -> Real:
    """Return the largest total variation of two inputs whose outputs tell at most so many nats of any input."""
    if capacity.upper < TINY:
        return pinsker(capacity, Rational(2))
    if tells_a_bit(capacity):
        return Real.of(ONE)
    return smaller(excess_given_capacity(Real.of(ONE), Real.of(-ONE), capacity).upper, Real.of(ONE))


def _capacity_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """log(1 + (m - 1) t), t the largest variation of two inputs: whatever pairs count."""
    if guarantee.universe is None:
        return None
    return log_of(variation_given_capacity(guarantee.level) * (guarantee.universe.size - 1) + 1)


def _pointwise_to_capacity(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """No law is nearer to all rows than the one that capacity is about; an input of probability zero counts, too."""
    return guarantee.level


_FACTORS = tuple(Rational(2) ** k for k in range(6))
_UNIT = ("pairs at distance 1",)
_CURVE = ("the whole curve",)

VARIATION = (
    Implication(
        "differential privacy to a pair",
        DifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _pure_to_pair,
        "by definition",
    ),
    Implication(
        "one pair to a weaker one",
        ApproximateDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _pair_to_pair,
        "by definition: a larger δ, or single outputs instead of events",
        needs=("a delta at least as large",),
    ),
    Implication(
        "Rényi below order 1 to a larger one",
        RenyiDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _below_one_to_larger,
        "vanerven2014, Theorem 16",
        needs=("orders below 1",),
    ),
    Implication(
        "Rényi below order 1 to the curve",
        RenyiDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _below_one_to_curve,
        "total variation by the overlap of two distributions, and vanerven2014, Theorem 16",
        needs=("order below 1", *_UNIT),
        end_is_curve=True,
    ),
    Implication(
        "relative entropy to the curve",
        RenyiDifferentialPrivacy,
        ApproximateDifferentialPrivacy,
        _entropy_to_curve,
        "ngo2024, equation (9), between two inputs",
        needs=("order at least 1", *_UNIT),
        end_is_curve=True,
    ),
    Implication(
        "curve to Rényi below order 1",
        ApproximateDifferentialPrivacy,
        RenyiDifferentialPrivacy,
        _curve_to_below_one,
        "the distributions that dominate a point of the curve",
        needs=(*_CURVE, "order below 1", *_UNIT),
        start_is_curve=True,
    ),
    Implication(
        "local curve to the curve",
        LocalInformationPrivacy,
        ApproximateDifferentialPrivacy,
        _local_curve_to_curve,
        "two steps, from row to output distribution to row",
        needs=(*_CURVE, *_UNIT),
        start_is_curve=True,
        end_is_curve=True,
    ),
    Implication(
        "capacity to maximal leakage",
        Capacity,
        MaximalLeakage,
        _capacity_to_leakage,
        "ngo2024, Theorem 1(a) at level 0; column maxima exceed one row by at most the total variation from it",
        needs=("the number of inputs",),
    ),
    Implication(
        "pointwise leakage to capacity",
        PointwiseLeakage,
        Capacity,
        _pointwise_to_capacity,
        "capacity is the least radius of the rows around any distribution, the output distribution among them",
    ),
)
