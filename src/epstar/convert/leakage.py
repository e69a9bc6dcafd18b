"""Implications among maximal leakage, Sibson's informations, min-entropy leakage and mutual information.

Differential privacy says something of all inputs at once, by how many of them lie at which distance.
"""

from __future__ import annotations

from collections import Counter

from epstar.convert.guarantee import Guarantee, Kind, has_unit_pairs, times
from epstar.convert.implication import Implication, larger, log_of
from epstar.convert.privacy_curve import PrivacyCurve, constant_curve
from epstar.convert.total_variation import over_all_pairs
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.query.answer_graph import Shape
from epstar.query.bounds import range_bound
from epstar.query.closed_forms import HypothesisFails, closed_form
from epstar.source import Everything, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Universe

Profile = tuple[tuple[Rational, int], ...]


def least_sphere_sum(universe: Universe, level: Real) -> Real:
    """Return the least sum over all inputs x' of e^(-level distance(x, x')), of any input x.

    An input out of reach adds nothing. Exact for whole distances and a level that is the logarithm of a rational.
    """
    if isinstance(universe, Shape):
        # A larger factor gives a smaller sum.
        return Real.of(universe.least_sphere_sum(1 / Real.exp(level).above()))
    profiles = _profiles(universe)
    factor = Real.exp(level).rational
    if factor is not None and all(distance.q == 1 for profile in profiles for distance, _ in profile):
        return Real.of(min(sum((n * factor ** -int(d.p) for d, n in profile), ZERO) for profile in profiles))

    def enclose(bits: int) -> Ball:
        sums = []
        for profile in profiles:
            terms = (n * (-times(level, d).enclose(bits)).exp() for d, n in profile)
            sums.append(sum(terms, Ball(0)))
        least = sums[0]
        for other in sums[1:]:
            least = least.min(other)
        return least

    return Real.from_ball(enclose)


def _profiles(universe: Universe) -> set[Profile]:
    """The different lists of distances, with how many inputs lie at each, that occur among the inputs."""
    size = universe.size
    if isinstance(universe, Alphabet):
        return {((ZERO, 1), (Rational(1), size - 1))}
    if isinstance(universe, Graph):
        rows = [Counter(row) for row in universe.distances.tolist()]
        return {tuple(sorted((Rational(d), n) for d, n in row.items() if d >= 0)) for row in rows}
    found = set()
    for i in range(size):
        row = Counter(d for d in (universe.distance(i, j) for j in range(size)) if d is not None)
        found.add(tuple(sorted(row.items())))
    return found


def same(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """The level itself: the second loss never exceeds the first."""
    return guarantee.level


def _pure_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """log(m / min S), with S(x) the sum over all inputs x' of e^(-level distance(x, x')); on databases the rows add.

    Where the best chance U of guessing an equally likely input has a closed form, log(m U), which is never more.
    """
    universe = guarantee.universe
    if universe is None:
        return guarantee.level
    if isinstance(universe, Databases):
        factor, letters = Real.exp(guarantee.level), universe.alphabet.size
        one = factor * letters / (factor + (letters - 1))
        if one.rational is not None and universe.rows <= 64:
            return Real.log(one.rational**universe.rows)
        return log_of(one) * universe.rows
    if isinstance(universe, Graph | Shape):
        try:
            # The utility grows with the factor.
            return Real.log(closed_form(universe, Real.exp(guarantee.level).above()).value * universe.size)
        except HypothesisFails:
            pass
    return log_of(Real.of(universe.size) / least_sphere_sum(universe, guarantee.level))


def _pure_to_few_outputs(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    universe, outputs = guarantee.universe, guarantee.outputs
    if outputs is None or not isinstance(universe, Alphabet | Databases):
        return None
    individuals, values = (
        (universe.rows, universe.alphabet.size) if isinstance(universe, Databases) else (1, universe.size)
    )
    return range_bound(individuals, values, outputs, guarantee.level)


def _pure_to_guessing(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    """log of the largest E P_k / ((E + k - 1) P_1), P_k the sum of the k largest probabilities."""
    if not isinstance(source, Prior) or not isinstance(guarantee.universe, Alphabet):
        return None
    factor, best = Real.exp(guarantee.level), Real.of(ONE)
    shares = sorted(source.probabilities, reverse=True)
    mass = ZERO
    for count, share in enumerate(shares, 1):
        mass += share
        best = larger(best, factor * (mass / shares[0]) / (factor + (count - 1)))
    return log_of(best)


def _leakage_to_curve(guarantee: Guarantee, _target: Kind, _source: Source | None) -> PrivacyCurve | None:
    """No event is likelier by more than the sum of the larger entries minus 1, whatever the level."""
    if not has_unit_pairs(guarantee.universe):
        return None
    return constant_curve(Real.exp(guarantee.level).above() - 1)


def _curve_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """log(1 + (m - 1) delta(0)): each other input adds to the column maxima at most its variation from the first."""
    curve = over_all_pairs(guarantee)
    if curve is None or guarantee.universe is None:
        return None
    return log_of(curve.delta(Real.of(ZERO)) * (guarantee.universe.size - 1) + 1)


def _order(notion: Kind) -> Rational | float:
    return notion.order if isinstance(notion, SibsonMutualInformation) else Rational(1)


def _to_smaller_order(guarantee: Guarantee, target: Kind, _source: Source | None) -> Real | None:
    have, want = _order(guarantee.notion), _order(target)
    if isinstance(have, float) or (not isinstance(want, float) and want <= have):
        return guarantee.level
    return None


def _sibson_to_leakage(guarantee: Guarantee, _target: Kind, source: Source | None) -> Real | None:
    assert isinstance(guarantee.notion, SibsonMutualInformation)
    law = source if source is not None else guarantee.source
    full = isinstance(law, Prior) and min(law.probabilities) > 0
    return guarantee.level if full and isinstance(guarantee.notion.order, float) else None


def _renyi_to_sibson(guarantee: Guarantee, target: Kind, source: Source | None) -> Real | None:
    """log(p + (1 - p) e^((a - 1) level)) / (a - 1), p the largest probability: the row of that input as the centre."""
    assert isinstance(guarantee.notion, RenyiDifferentialPrivacy)
    assert isinstance(target, SibsonMutualInformation)
    have, order = guarantee.notion.order, target.order
    if not isinstance(source, Prior) or not (guarantee.universe is None or isinstance(guarantee.universe, Alphabet)):
        return None
    if isinstance(order, float) or order == 1 or not (isinstance(have, float) or order <= have):
        return None
    most = max(source.probabilities)

    def mixed(level: Ball) -> Ball:
        return ((1 - most) * ((order - 1) * level).expm1()).log1p() / (order - 1)

    return Real.computed(mixed, guarantee.level)


def _guessing_to_leakage(guarantee: Guarantee, _target: Kind, _source: Source | None) -> Real | None:
    """The sum of column maxima is at most that of the joint, over the least probability."""
    source = guarantee.source
    if isinstance(source, Everything):
        return guarantee.level
    if not isinstance(source, Prior) or min(source.probabilities) == 0:
        return None
    law = source.probabilities
    spread = max(law) / min(law)
    return guarantee.level if spread == 1 else guarantee.level + Real.log(spread)


def _same(name: str, start: type[Notion], end: type[Notion], theorem: str, tight: str = "") -> Implication:
    return Implication(name, start, end, same, theorem, tight)


LEAKAGES = (
    Implication(
        "differential privacy to maximal leakage",
        DifferentialPrivacy,
        MaximalLeakage,
        _pure_to_leakage,
        "alvim2011, Theorems 1, 3 and 4 as corrected and extended; zhong2022, Lemma 20(9) as corrected",
        "where all inputs have equally many at each distance (alphabets, databases, rings) and on trees of largest "
        "degree at most 1 + E (lines), by multiples of e^(-level distance)",
        ("the inputs",),
    ),
    Implication(
        "differential privacy to maximal leakage of few outputs",
        DifferentialPrivacy,
        MaximalLeakage,
        _pure_to_few_outputs,
        "alvim2011, Proposition 2 as corrected",
        "on an alphabet with at most as many outputs as inputs, by randomised response on them",
        ("the number of outputs", "an alphabet or databases"),
    ),
    Implication(
        "differential privacy to min-entropy leakage",
        DifferentialPrivacy,
        MinEntropyLeakage,
        _pure_to_guessing,
        "alvim2011, Theorem 4 extended to cliques with any prior",
        "for every prior, by randomised response on the likeliest inputs",
        ("one prior", "all pairs of inputs"),
    ),
    Implication(
        "maximal leakage to the curve",
        MaximalLeakage,
        ApproximateDifferentialPrivacy,
        _leakage_to_curve,
        "total variation of two inputs is at most the sum of column maxima minus 1",
        "for levels of leakage up to log 2",
        ("pairs at distance 1",),
        end_is_curve=True,
    ),
    Implication(
        "curve to maximal leakage",
        ApproximateDifferentialPrivacy,
        MaximalLeakage,
        _curve_to_leakage,
        "column maxima exceed one row by at most the total variation from it; group privacy where inputs are several "
        "steps apart",
        "on an alphabet, for every delta(0), by the identity told with that chance",
        ("the whole curve", "the number of inputs", "inputs within some steps of each other"),
        start_is_curve=True,
    ),
    _same(
        "maximal leakage to Sibson",
        MaximalLeakage,
        SibsonMutualInformation,
        "zhong2022, Lemma 20(7), (9)",
        "at order infinity and a prior of full support",
    ),
    Implication(
        "Sibson of order infinity to maximal leakage",
        SibsonMutualInformation,
        MaximalLeakage,
        _sibson_to_leakage,
        "zhong2022, Lemma 20(7)",
        "always: they are the same",
        ("a prior of full support",),
    ),
    Implication(
        "Rényi to Sibson",
        RenyiDifferentialPrivacy,
        SibsonMutualInformation,
        _renyi_to_sibson,
        "Sibson's information is at most the divergence from one row, such as that of the likeliest input",
        needs=("one prior", "all pairs of inputs", "an order at least as large"),
    ),
    _same(
        "maximal leakage to capacity", MaximalLeakage, Capacity, "zhong2022, Lemma 20(6), (7), (9)", "by the identity"
    ),
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
    Implication(
        "min-entropy leakage to maximal leakage",
        MinEntropyLeakage,
        MaximalLeakage,
        _guessing_to_leakage,
        "alvim2011, Section 2, with the spread of the prior",
        "at the uniform prior",
        ("a prior of full support, or all priors",),
    ),
    Implication(
        "Sibson to a smaller order",
        SibsonMutualInformation,
        SibsonMutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(9)",
        "by the identity at the uniform prior",
    ),
    Implication(
        "Sibson to mutual information",
        SibsonMutualInformation,
        MutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(6), (9)",
        "at order 1",
    ),
    Implication(
        "mutual information to Sibson",
        MutualInformation,
        SibsonMutualInformation,
        _to_smaller_order,
        "zhong2022, Lemma 20(6), (9)",
        "at order 1",
    ),
)
