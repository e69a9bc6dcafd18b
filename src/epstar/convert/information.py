"""Implications to and from mutual information, its capacity and pointwise leakage.

Among them the information that a curve of local information privacy allows at one prior, which is an integral.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from epstar.convert.binary_divergence import (
    excess_given_capacity,
    excess_given_divergence,
    excess_given_information,
    shortfall_given_divergence,
)
from epstar.convert.guarantee import Guarantee, Kind, diameter, has_unit_pairs, least_probability, times
from epstar.convert.implication import Implication, larger, smaller
from epstar.convert.leakage import same
from epstar.convert.privacy_curve import FunctionCurve, PrivacyCurve
from epstar.convert.total_variation import TINY, over_all_pairs, pinsker, tells_a_bit
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet


def local_information(curve: PrivacyCurve, prior: Prior) -> Real:
    """Return a bound on the mutual information at a prior, in nats, from the whole curve (ngo2024, Theorem 2(b),
    capped):

    sum over x of P(x) times the integral over levels of min{E delta, (1 - E P(x))_+} + min{delta, 1 - P(x)} / E.
    """
    shares: dict[Rational, Rational] = {}
    for share in prior.probabilities:
        if share > 0:
            shares[share] = shares.get(share, ZERO) + share
    chords = curve.segments(1 / min(shares))

    def enclose(_bits: int) -> Ball:
        total = Ball(0)
        for share, weight in shares.items():
            total += weight * _of_share(chords.points, share)
        return total

    return Real.from_ball(lru_cache(maxsize=8)(enclose))


def _of_share(points: tuple[tuple[Rational, Rational], ...], share: Rational) -> Ball:
    end, total = 1 / share, Ball(0)
    cap = 1 - share
    for (left, above), (right, below) in pairwise(points):
        b = (below - above) / (right - left)
        a = above - b * left
        if left < end:
            total += _over_chord(a, b, left, min(right, end), share)
        places = [left, *_between(left, right, [(cap - a) / b] if b != 0 else []), right]
        total += sum((_under(a, b, low, high, cap) for low, high in pairwise(places)), Ball(0))
    last, delta = points[-1]
    if last < end:
        total += _over_chord(delta, ZERO, last, end, share)
    # From the last point on delta stays, and 1 / E^2 integrates to 1 / E.
    return total + Ball(min(delta, cap) / last)


def _over_chord(a: Rational, b: Rational, left: Rational, right: Rational, share: Rational) -> Ball:
    """The integral of the smaller of two functions along a chord, in pieces between the places where they cross.

    These are the roots of b E^2 + (a + P) E - 1, as near as floats know them: on each piece the smaller of the two
    integrals is at least that of the smaller function, wherever it ends.
    """
    slope = a + share
    middle, square = float(Real.of(slope)), float(Real.of(slope * slope + 4 * b))
    roots = []
    if square >= 0:
        # Twice 1 / (the sum of a and P, plus or minus the root): the same roots, and no division by b.
        sums = (middle + math.sqrt(square), middle - math.sqrt(square))
        roots = [Rational(*(2 / sum_).as_integer_ratio()) for sum_ in sums if sum_ > 1e-300]
    places = [left, *_between(left, right, roots), right]
    return sum((_over(a, b, low, high, share) for low, high in pairwise(places)), Ball(0))


def _between(left: Rational, right: Rational, places: list[Rational]) -> list[Rational]:
    return sorted({place for place in places if left < place < right})


def _over(a: Rational, b: Rational, low: Rational, high: Rational, share: Rational) -> Ball:
    """The integral of min{E delta, 1 - E P} dE / E, from above: the smaller of the two integrals."""
    curve = Ball((high - low) * a + (high * high - low * low) / 2 * b)
    capped = Ball(high / low).log() - share * (high - low)
    return curve.min(capped)


def _under(a: Rational, b: Rational, low: Rational, high: Rational, cap: Rational) -> Ball:
    """The integral of min{delta, 1 - P} dE / E^2, from above."""
    inverse = ONE / low - ONE / high
    return (a * inverse + b * Ball(high / low).log()).min(Ball(cap * inverse))


def _pure_to_capacity(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """z - 1 - log z with z = level E / (E - 1), the best over all alphabets."""
    width = diameter(guarantee.universe)
    if width is None:
        return None
    level = times(guarantee.level, width)
    if level.rational == ZERO:
        return Real.of(ZERO)

    def enclose(bits: int) -> Ball:
        nats = level.enclose(bits)
        if not nats > 0:  # a tiny level may not be told from zero: the bound is below level^2 / 8
            return (nats * nats / 8).union(Ball(0))
        z = nats / (1 - (-nats).exp())
        return z - 1 - z.log()

    return Real.from_ball(enclose)


def _all_pairs(guarantee: Guarantee) -> bool:
    return guarantee.universe is None or isinstance(guarantee.universe, Alphabet)


def _at_least_one(guarantee: Guarantee) -> bool:
    notion = guarantee.notion
    assert isinstance(notion, RenyiDifferentialPrivacy)
    return isinstance(notion.order, float) or notion.order >= 1


def _renyi_to_capacity(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """(1 - 1/m) times the relative entropy of two inputs: the mixture holds the input itself."""
    if not (_all_pairs(guarantee) and _at_least_one(guarantee)):
        return None
    if guarantee.universe is None:
        return guarantee.level
    return guarantee.level * (1 - Rational(1, guarantee.universe.size))


def _renyi_to_information(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """(1 - p) times the level, p the largest probability: from no law do the rows lie nearer than from the output's."""
    if not isinstance(source, Prior) or not (_all_pairs(guarantee) and _at_least_one(guarantee)):
        return None
    return guarantee.level * (1 - max(source.probabilities))


def _renyi_to_pointwise(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    if source is None or not (_all_pairs(guarantee) and _at_least_one(guarantee)):
        return None
    return guarantee.level * (1 - least_probability(source))


def _curve_to_capacity(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """(1 - 1/m) times the integral of (1 + e^-level) delta."""
    curve = over_all_pairs(guarantee)
    integral = INFINITY if curve is None else curve.divergence()
    if integral.is_infinite:
        return None
    return integral if guarantee.universe is None else integral * (1 - Rational(1, guarantee.universe.size))


def _capacity_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    mu = guarantee.level
    if not has_unit_pairs(guarantee.universe):
        return None

    def delta(level: Real) -> Real:
        if mu.upper < TINY:
            return pinsker(mu, Rational(2))
        # One bit says which of two inputs it is, and then nothing is guaranteed.
        if level.is_infinite or tells_a_bit(mu):
            return Real.of(ONE)
        return smaller(excess_given_capacity(Real.of(ONE), Real.exp(level) * -1, mu).upper, Real.of(ONE))

    return FunctionCurve(delta)


def _information_to_capacity(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    return guarantee.level if isinstance(guarantee.source, Everything) else None


def _information_to_local_curve(guarantee: Guarantee, _target: Kind, source: Source | None) -> PrivacyCurve | None:
    """max over x of the largest (1 - P(x)) q - (E - P(x)) p with I_P(x)(p, q) <= mu, and the other direction."""
    if not isinstance(source, Prior):
        return None
    shares, mu = set(source.probabilities), guarantee.level

    def delta(level: Real) -> Real:
        worst = Real.of(ZERO)
        for share in shares:
            worst = larger(worst, _local_delta(level, share, mu))
        return worst

    return FunctionCurve(delta)


def _local_delta(level: Real, share: Rational, mu: Real) -> Real:
    rest = Real.of(1 - share)
    if share == 1:
        return Real.of(ZERO)
    if share == 0 or level.is_infinite:  # an input outside the support may give itself away
        return rest
    if mu.upper < TINY:
        return pinsker(mu, (1 - share) / (2 * share))
    factor = Real.exp(level)
    over = excess_given_information(rest, (factor - share) * -1, share, mu).upper
    under = Real.of(ZERO)
    gain = Real.exp(level * -1) - share if level.rational != ZERO else Real.of(1 - share)
    if not gain.ball(64) < 0:
        under = excess_given_information(rest * -1, gain, share, mu).upper if gain.ball(64) > 0 else gain
    return smaller(larger(over, larger(under, Real.of(ZERO))), rest)


def _information_to_pointwise(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """mu / P_min, and never more than log 1 / P_min."""
    if not isinstance(source, Prior) or min(source.probabilities) == 0:
        return None
    least = min(source.probabilities)
    return smaller(guarantee.level / least, Real.log(1 / least))


def _pointwise_to_local_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve:
    kappa = guarantee.level

    def delta(level: Real) -> Real:
        if kappa.upper < TINY:
            return pinsker(kappa, Rational(1, 2))
        if level.is_infinite:
            return Real.from_ball(lambda bits: -(-kappa.enclose(bits)).expm1())
        over, under = excess_given_divergence(level, kappa).upper, shortfall_given_divergence(level, kappa).upper
        return smaller(larger(larger(over, under), Real.of(ZERO)), Real.of(ONE))

    return FunctionCurve(delta)


def _local_curve_to_information(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    assert guarantee.curve is not None
    return local_information(guarantee.curve, source) if isinstance(source, Prior) else None


def _pointwise_to_relative_entropy(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(target, RenyiDifferentialPrivacy)
    small = not isinstance(target.order, float) and target.order <= 1
    known = isinstance(guarantee.source, Everything) and has_unit_pairs(guarantee.universe)
    return guarantee.level if small and known else None


_CURVE = ("the whole curve",)
_PRIOR = ("one prior",)

INFORMATIONS = (
    Implication(
        "differential privacy to capacity",
        DifferentialPrivacy,
        Capacity,
        _pure_to_capacity,
        "the most telling mechanisms have columns of two values in the ratio e^ε; the best of them is known",
        "over all alphabets, by cyclic subset mechanisms",
    ),
    Implication(
        "Rényi to capacity",
        RenyiDifferentialPrivacy,
        Capacity,
        _renyi_to_capacity,
        "ngo2024, Theorem 1(b), with the factor 1 - 1/m",
        needs=("order at least 1", "all pairs of inputs"),
    ),
    Implication(
        "Rényi to mutual information",
        RenyiDifferentialPrivacy,
        MutualInformation,
        _renyi_to_information,
        "ngo2024, Theorem 1(b) at one prior: the row of the likeliest input takes the place of the output distribution",
        needs=("order at least 1", "all pairs of inputs", *_PRIOR),
    ),
    Implication(
        "Rényi to pointwise leakage",
        RenyiDifferentialPrivacy,
        PointwiseLeakage,
        _renyi_to_pointwise,
        "convexity of the relative entropy",
        needs=("order at least 1", "all pairs of inputs"),
    ),
    Implication(
        "curve to capacity",
        ApproximateDifferentialPrivacy,
        Capacity,
        _curve_to_capacity,
        "ngo2024, Theorem 1(b), sharpened by 1 - 1/m; group privacy where inputs are several steps apart",
        needs=(*_CURVE, "inputs within some steps of each other"),
        start_is_curve=True,
    ),
    Implication(
        "capacity to the curve",
        Capacity,
        ApproximateDifferentialPrivacy,
        _capacity_to_curve,
        "ngo2024, Theorem 1(a)",
        "at every level, by a mechanism with two outputs",
        ("every two-point prior", "pairs at distance 1"),
        end_is_curve=True,
    ),
    Implication(
        "capacity to mutual information",
        Capacity,
        MutualInformation,
        same,
        "by definition",
        "at the prior that attains the capacity",
    ),
    Implication(
        "mutual information at every prior to capacity",
        MutualInformation,
        Capacity,
        _information_to_capacity,
        "by definition",
        "always: they are the same",
        ("all priors",),
    ),
    Implication(
        "mutual information to the local curve",
        MutualInformation,
        LocalInformationPrivacy,
        _information_to_local_curve,
        "ngo2024, Theorem 2(a) as corrected",
        "at every level, by a mechanism with two outputs; nothing is guaranteed where H(P_min) <= mu",
        _PRIOR,
        end_is_curve=True,
    ),
    Implication(
        "local curve to mutual information",
        LocalInformationPrivacy,
        MutualInformation,
        _local_curve_to_information,
        "ngo2024, Theorem 2(b), capped at what the prior allows",
        "by the identity",
        (*_CURVE, *_PRIOR),
        start_is_curve=True,
    ),
    Implication(
        "mutual information to pointwise leakage",
        MutualInformation,
        PointwiseLeakage,
        _information_to_pointwise,
        "an average is at least the share of one term",
        needs=("a prior of full support",),
    ),
    Implication(
        "pointwise leakage to mutual information",
        PointwiseLeakage,
        MutualInformation,
        same,
        "an average is at most the largest term",
        "where all inputs leak alike",
    ),
    Implication(
        "pointwise leakage to the local curve",
        PointwiseLeakage,
        LocalInformationPrivacy,
        _pointwise_to_local_curve,
        "ngo2024, equation (9), which holds for this notion only",
        end_is_curve=True,
    ),
    Implication(
        "pointwise leakage at every prior to relative entropy",
        PointwiseLeakage,
        RenyiDifferentialPrivacy,
        _pointwise_to_relative_entropy,
        "the output distribution of a certain input is its row",
        "always: they are the same",
        ("all priors", "pairs at distance 1"),
    ),
)
