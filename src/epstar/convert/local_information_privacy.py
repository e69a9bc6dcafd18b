"""Implications among local information privacy, maximal information, identifiability and differential privacy."""

from __future__ import annotations

from epstar.convert.guarantee import Guarantee, Kind, diameter, has_unit_pairs, least_probability, times
from epstar.convert.implication import Implication, larger, log_of, smaller
from epstar.convert.leakage import same
from epstar.convert.privacy_curve import PrivacyCurve, SegmentCurve
from epstar.convert.total_variation import over_all_pairs
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import greatest, log_over
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    PointwiseLeakage,
)
from epstar.notions.pairs import ordered_pairs
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet


def _farthest(guarantee: Guarantee) -> Real | None:
    """The factor of the farthest pair of inputs."""
    width = diameter(guarantee.universe)
    if width is None:
        return None
    return Real.exp(times(guarantee.level, width))


def _pure_to_maximal(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """log E / (1 + (E - 1) P_min)."""
    factor = _farthest(guarantee)
    if source is None or factor is None:
        return None
    return log_of(factor / ((factor - 1) * least_probability(source) + 1))


def _pure_to_local(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """log(E - (E - 1) P_min), for delta = 0 and a fortiori for more."""
    factor = _farthest(guarantee)
    if source is None or factor is None:
        return None
    return log_of(factor - (factor - 1) * least_probability(source))


def _pure(guarantee: Guarantee) -> bool:
    return isinstance(guarantee.notion, LocalInformationPrivacy) and guarantee.notion.delta == 0


def _local_to_pure(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """Twice the level; less where the prior does not let two inputs lie at opposite ends; once for all priors."""
    if not _pure(guarantee) or not has_unit_pairs(guarantee.universe):
        return None
    if isinstance(guarantee.source, Everything):
        return guarantee.level
    if not isinstance(guarantee.source, Prior) or guarantee.source.size < 2:
        return times(guarantee.level, Rational(2))
    first, second = sorted(guarantee.source.probabilities)[:2]
    factor = Real.exp(guarantee.level)
    return log_of(larger(_high(factor, first) / _low(factor, second), _high(factor, second) / _low(factor, first)))


def _high(factor: Real, share: Rational) -> Real:
    """The largest ratio of the row of an input to the output distribution: the other rows are at least 1 / E of it."""
    if share == 0:
        return factor
    return smaller(factor, (Real.of(ONE) - Real.of(1 - share) / factor) / share)


def _low(factor: Real, share: Rational) -> Real:
    """The smallest such ratio: the other rows are at most E times the output distribution."""
    floor = Real.of(ONE) / factor
    return floor if share == 0 else larger(floor, (Real.of(ONE) - factor * (1 - share)) / share)


def _maximal_to_pure(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """log E P_min / (1 - (1 - P_min) E) where that is positive: else one input may never give an output."""
    if not has_unit_pairs(guarantee.universe):
        return None
    if isinstance(guarantee.source, Everything):
        return guarantee.level
    floor = _floor(guarantee)
    return None if floor is None else log_of(Real.exp(guarantee.level) / floor)


def _maximal_to_local(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    floor = _floor(guarantee)
    return None if floor is None else log_of(larger(Real.exp(guarantee.level), Real.of(ONE) / floor))


def _floor(guarantee: Guarantee) -> Real | None:
    """The least ratio of a row to the output distribution under a bound on the largest; None if it may vanish."""
    if not isinstance(guarantee.source, Prior):
        return None
    least = min(guarantee.source.probabilities)
    if least == 0:
        return None
    floor = (Real.of(ONE) - Real.exp(guarantee.level) * (1 - least)) / least
    return floor if floor.ball(128) > 0 else None


def _local_to_pointwise(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """level * tanh(level / 2): a likelihood ratio between 1/E and E of mean 1."""
    if not _pure(guarantee):
        return None
    factor = Real.exp(guarantee.level)
    return guarantee.level * ((factor - 1) / (factor + 1))


def _local_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve:
    assert isinstance(guarantee.notion, LocalInformationPrivacy)
    return SegmentCurve.from_pairs([(guarantee.level, guarantee.notion.delta)], local=True)


def _curve_to_local_curve(guarantee: Guarantee, _target: Kind, source: Source | None) -> PrivacyCurve | None:
    """(1 - P_min) delta: the output distribution holds the input itself."""
    curve = over_all_pairs(guarantee)
    return None if source is None or curve is None else curve.scaled(1 - least_probability(source))


def _local_curve_to_local(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    assert isinstance(target, LocalInformationPrivacy)
    assert guarantee.curve is not None
    level = guarantee.curve.level(target.delta)
    return None if level.is_infinite else level


def spread(guarantee: Guarantee, source: Source) -> Real | None:
    """Return the largest log-ratio of the priors of two constrained inputs, over their distance; None if infinite."""
    if guarantee.universe is None:
        return None
    candidates = [((0, 0), Real.of(ZERO))]
    for first, second, distance in ordered_pairs(guarantee.universe):
        ratio = source.maximum_ratio(first, second)
        if ratio is None or ratio == 0:
            return None
        if ratio > 1:
            candidates.append(((first, second), log_over(ratio, distance)))
    return greatest(candidates)[1]


def _sum(left: Real, right: Real) -> Real:
    """A sum of levels, which stays the logarithm of a rational where both are."""
    if left.argument_of_log is not None and right.argument_of_log is not None:
        return Real.log(left.argument_of_log * right.argument_of_log)
    return left + right


def _by_spread(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """The level plus the spread of the prior, in both directions."""
    law = source if source is not None else guarantee.source
    width = None if law is None else spread(guarantee, law)
    return None if width is None else _sum(guarantee.level, width)


def _guessed(guarantee: Guarantee, source: Source | None) -> tuple[Real, Prior] | None:
    """The largest posterior probability under a level of identifiability, E / (E + m - 1), and the prior."""
    if not isinstance(source, Prior) or not isinstance(guarantee.universe, Alphabet):
        return None
    factor = Real.exp(guarantee.level)
    return factor / (factor + (source.size - 1)), source


def _identifiability_to_guessing(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    found = _guessed(guarantee, source)
    return None if found is None else larger(log_of(found[0] / max(found[1].probabilities)), Real.of(ZERO))


def _identifiability_to_maximal(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    found = _guessed(guarantee, source)
    if found is None or min(found[1].probabilities) == 0:
        return None
    return larger(log_of(found[0] / min(found[1].probabilities)), Real.of(ZERO))


_PRIOR = ("one prior",)

LOCAL = (
    Implication(
        "differential privacy to maximal information",
        DifferentialPrivacy,
        MaximalInformation,
        _pure_to_maximal,
        (
            "the output distribution is a mixture of rows within a factor e^ε of each other; the least likely input is "
            "the worst case"
        ),
        "on an alphabet, for one prior",
        ("what is known about the prior",),
    ),
    Implication(
        "differential privacy to local information privacy",
        DifferentialPrivacy,
        LocalInformationPrivacy,
        _pure_to_local,
        (
            "the output distribution is a mixture of rows within a factor e^ε of each other; the least likely input is "
            "the worst case"
        ),
        "on an alphabet, for one prior and delta = 0",
        ("what is known about the prior",),
    ),
    Implication(
        "local information privacy to differential privacy",
        LocalInformationPrivacy,
        DifferentialPrivacy,
        _local_to_pure,
        "two steps, from row to output distribution to row, as far as the prior allows",
        "on an alphabet, for one prior",
        ("delta = 0", "pairs at distance 1"),
    ),
    Implication(
        "local information privacy to maximal information",
        LocalInformationPrivacy,
        MaximalInformation,
        lambda guarantee, _target, _source: guarantee.level if _pure(guarantee) else None,
        "by definition",
        needs=("delta = 0",),
    ),
    Implication(
        "maximal information to differential privacy",
        MaximalInformation,
        DifferentialPrivacy,
        _maximal_to_pure,
        "mixture of rows below the level; nothing is guaranteed where (1 - P_min) e^level >= 1",
        "on an alphabet, for one prior",
        (*_PRIOR, "pairs at distance 1"),
    ),
    Implication(
        "maximal information to local information privacy",
        MaximalInformation,
        LocalInformationPrivacy,
        _maximal_to_local,
        "mixture of rows below the level; nothing is guaranteed where (1 - P_min) e^level >= 1",
        "for one prior and delta = 0",
        _PRIOR,
    ),
    Implication(
        "maximal information to maximal leakage",
        MaximalInformation,
        MaximalLeakage,
        same,
        "the column maxima add up to at most e^ε times the output distribution, which adds up to 1",
        "for randomised response at the uniform prior",
    ),
    Implication(
        "maximal information to pointwise leakage",
        MaximalInformation,
        PointwiseLeakage,
        same,
        "an average is at most the largest term",
        "by the identity at the uniform prior",
    ),
    Implication(
        "local information privacy to pointwise leakage",
        LocalInformationPrivacy,
        PointwiseLeakage,
        _local_to_pointwise,
        "x log x is convex, and the ratios lie between e^-level and e^level",
        "for a prior with a small enough probability",
        ("delta = 0",),
    ),
    Implication(
        "local information privacy to its curve",
        LocalInformationPrivacy,
        LocalInformationPrivacy,
        _local_to_curve,
        "randomised response that sometimes tells everything dominates any two distributions within the level",
        end_is_curve=True,
    ),
    Implication(
        "curve to the local curve",
        ApproximateDifferentialPrivacy,
        LocalInformationPrivacy,
        _curve_to_local_curve,
        "convexity of the hockey-stick divergence; group privacy where inputs are several steps apart",
        needs=("the whole curve", "inputs within some steps of each other"),
        start_is_curve=True,
        end_is_curve=True,
    ),
    Implication(
        "local curve to a pair",
        LocalInformationPrivacy,
        LocalInformationPrivacy,
        _local_curve_to_local,
        "by definition",
        "always: it is a point of the curve",
        ("the whole curve",),
        start_is_curve=True,
    ),
    Implication(
        "differential privacy to identifiability",
        DifferentialPrivacy,
        Identifiability,
        _by_spread,
        "wang2016, Section III: the levels differ by at most the spread of the prior",
        "for one prior",
        ("a prior of full support",),
    ),
    Implication(
        "identifiability to differential privacy",
        Identifiability,
        DifferentialPrivacy,
        _by_spread,
        "wang2016, Section III: the levels differ by at most the spread of the prior",
        "for one prior, at levels above the spread",
        ("a prior of full support",),
    ),
    Implication(
        "identifiability to min-entropy leakage",
        Identifiability,
        MinEntropyLeakage,
        _identifiability_to_guessing,
        "wang2016, Section II: the chance of identifying an input",
        "at the uniform prior, by randomised response",
        (*_PRIOR, "all pairs of inputs"),
    ),
    Implication(
        "identifiability to maximal information",
        Identifiability,
        MaximalInformation,
        _identifiability_to_maximal,
        "wang2016, Section II: the chance of identifying an input, against its prior one",
        "at the uniform prior, by randomised response",
        ("a prior of full support", "all pairs of inputs"),
    ),
)
