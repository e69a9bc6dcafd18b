"""Implications among maximal leakage, Sibson's informations, min-entropy leakage and mutual information."""

from __future__ import annotations

from epstar.convert.curves import PrivacyCurve, constant_curve
from epstar.convert.edge import Edge, log_of
from epstar.convert.guarantee import Guarantee, Kind, diameter, times
from epstar.exact import Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    SibsonMutualInformation,
)
from epstar.source import Prior, Source
from epstar.universe import Databases


def same(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """The level itself: the second loss never exceeds the first."""
    return guarantee.level


def _pure_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """rows * log(m E / (E + m - 1)); elsewhere the same with the level of the farthest pair."""
    universe = guarantee.universe
    if isinstance(universe, Databases):
        factor, letters = Real.exp(guarantee.level), universe.alphabet.size
        one = factor * letters / (factor + (letters - 1))
        if one.rational is not None and universe.rows <= 64:
            return Real.log(one.rational**universe.rows)
        return log_of(one) * universe.rows
    width = diameter(universe)
    if width is None:
        return None
    farthest = times(guarantee.level, width)
    if universe is None:
        return farthest
    factor = Real.exp(farthest)
    return log_of(factor * universe.size / (factor + (universe.size - 1)))


def _leakage_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve:
    """No event is likelier by more than the sum of the larger entries minus 1, whatever the level."""
    return constant_curve(Real.exp(guarantee.level).above() - 1)


def _order(notion: Kind) -> Rational | float:
    return notion.order if isinstance(notion, SibsonMutualInformation) else Rational(1)


def _to_smaller_order(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    have, want = _order(guarantee.notion), _order(target)
    if isinstance(have, float) or (not isinstance(want, float) and want <= have):
        return guarantee.level
    return None


def _guessing_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """The sum of column maxima is at most that of the joint, over the least probability."""
    if not isinstance(guarantee.source, Prior) or min(guarantee.source.probabilities) == 0:
        return None
    law = guarantee.source.probabilities
    spread = max(law) / min(law)
    return guarantee.level if spread == 1 else guarantee.level + Real.log(spread)


def _same(name: str, start: type[Notion], end: type[Notion], theorem: str, tight: str = "") -> Edge:
    return Edge(name, start, end, same, theorem, tight)


LEAKAGES = (
    Edge(
        "differential privacy to maximal leakage",
        DifferentialPrivacy,
        MaximalLeakage,
        _pure_to_leakage,
        "alvim2011, Theorem 1; zhong2022, Lemma 20(9) as corrected",
        "on an alphabet and on databases, by randomised response of each row",
        ("the number of inputs",),
    ),
    Edge(
        "maximal leakage to the curve",
        MaximalLeakage,
        ApproximateDifferentialPrivacy,
        _leakage_to_curve,
        "total variation of two inputs is at most the sum of column maxima minus 1",
        "for levels of leakage up to log 2",
        end_is_curve=True,
    ),
    _same(
        "maximal leakage to Sibson",
        MaximalLeakage,
        SibsonMutualInformation,
        "zhong2022, Lemma 20(6), (7)",
        "at order infinity and a prior of full support",
    ),
    _same("maximal leakage to capacity", MaximalLeakage, Capacity, "zhong2022, Lemma 20(6)", "by the identity"),
    _same(
        "maximal leakage to min-entropy leakage",
        MaximalLeakage,
        MinEntropyLeakage,
        "alvim2011, Section 2",
        "at the uniform prior",
    ),
    _same(
        "min-entropy capacity to maximal leakage",
        MinEntropyCapacity,
        MaximalLeakage,
        "alvim2011, Section 2",
        "always: they are the same",
    ),
    _same(
        "maximal leakage to min-entropy capacity",
        MaximalLeakage,
        MinEntropyCapacity,
        "alvim2011, Section 2",
        "always: they are the same",
    ),
    Edge(
        "min-entropy leakage to maximal leakage",
        MinEntropyLeakage,
        MaximalLeakage,
        _guessing_to_leakage,
        "alvim2011, Section 2, with the spread of the prior",
        "at the uniform prior",
        ("a prior of full support",),
    ),
    Edge(
        "Sibson to a smaller order",
        SibsonMutualInformation,
        SibsonMutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(6)",
    ),
    Edge(
        "Sibson to mutual information",
        SibsonMutualInformation,
        MutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(6)",
        "at order 1",
    ),
    Edge(
        "mutual information to Sibson",
        MutualInformation,
        SibsonMutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(6)",
        "at order 1",
    ),
)
