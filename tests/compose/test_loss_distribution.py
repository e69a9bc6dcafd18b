"""Privacy-loss distributions: against products of matrices, closed forms and another accountant."""

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.convert.channels import channel

from epstar.compose import LossDistribution
from epstar.convert import SegmentCurve, curve_of
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism, randomised_response
from epstar.notions import ApproximateDifferentialPrivacy
from epstar.testing import laws
from epstar.universe import Alphabet

COIN = LossDistribution.of([Rational(3, 4), Rational(1, 4)], [Rational(1, 4), Rational(3, 4)])


def together(first: Mechanism, second: Mechanism) -> Mechanism:
    """Both outputs of two mechanisms on the same input, as one matrix."""
    return Mechanism([[p * q for p in a for q in b] for a, b in zip(first.rows, second.rows, strict=True)])


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(laws(n), laws(n), laws(n), laws(n))), st.fractions(1, 9))
def test_composition_is_the_product_of_the_laws(rows: tuple[tuple[Rational, ...], ...], factor: Fraction) -> None:
    a, b, c, d = rows
    composed = LossDistribution.of(a, b).compose(LossDistribution.of(c, d))
    direct = LossDistribution.of([p * q for p in a for q in c], [p * q for p in b for q in d])
    assert composed == direct
    level = Real.log(rational(factor))
    pair = Mechanism([[p * q for p in a for q in c], [p * q for p in b for q in d]])
    wanted = ApproximateDifferentialPrivacy(0).delta_at(pair, level).value
    other = LossDistribution.of([p * q for p in b for q in d], [p * q for p in a for q in c])
    assert max(float(direct.delta(level)), float(other.delta(level))) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("uses", [1, 2, 5, 20, 100])
def test_randomised_response_many_times(uses: int) -> None:
    total = COIN.power(uses)
    assert len(total.masses) == uses + 1
    for factor in (Rational(1), Rational(3), Rational(27), Rational(50)):
        wanted = Rational(0)
        for ones in range(uses + 1):
            p = math.comb(uses, ones) * Rational(3) ** ones / Rational(4) ** uses
            q = math.comb(uses, ones) * Rational(3) ** (uses - ones) / Rational(4) ** uses
            wanted += max(p - factor * q, Rational(0))
        assert total.delta_at(factor) == wanted


# From dp-accounting 0.6.0: randomised response with noise 1/2 on two buckets, which keeps the value with probability
# 3/4; discretised in steps of 1e-5, rounding up.
THEIR_LEVELS = (0.0, 0.5, 1.0, 3.0, 7.0)
THEIRS = {
    1: [0.5000019278255396, 0.33782286077194124, 0.0704347832583713, 0.0, 0.0],
    3: [0.687502852098492, 0.586142003768555, 0.41902621711077814, 0.1080457457837797, 0.0],
    10: [0.9021494203902323, 0.8893494405782706, 0.868250655677602, 0.7054654212798582, 0.21160680305140156],
    40: [0.999252830579413, 0.9991393430330666, 0.9989523647870746, 0.9973148986227526, 0.985340281270577],
}


@pytest.mark.parametrize("uses", THEIRS)
def test_another_accountant_agrees(uses: int) -> None:
    mine = COIN.power(uses)
    for level, theirs in zip(THEIR_LEVELS, THEIRS[uses], strict=True):
        exact = mine.delta(Real.of(level))
        # They round ratios up, so they never report less than the exact value.
        assert exact.lower <= theirs + 1e-12
        assert theirs == pytest.approx(float(exact), abs=1e-4)


@pytest.mark.parametrize("seed", range(30))
def test_levels_invert_deltas(seed: int) -> None:
    mechanism, _ = channel(random.Random(seed))
    found = LossDistribution.of(mechanism.rows[0], mechanism.rows[1]).power(2)
    for delta in (Rational(0), Rational(1, 100), Rational(1, 4)):
        level = found.level(delta)
        if level.is_infinite:
            assert found.infinite > delta
            continue
        assert float(found.delta(level)) <= float(Real.of(delta)) + 1e-15
        if level.upper > 0:
            below = level * Rational(999, 1000)
            assert found.delta(below).upper > float(Real.of(delta)) - 1e-15


@pytest.mark.parametrize("seed", range(30))
def test_dominating_laws_have_the_curve_and_dominate_compositions(seed: int) -> None:
    chance = random.Random(1000 + seed)
    mechanism, _ = channel(chance)
    curve = curve_of(mechanism)
    dominating = LossDistribution.dominating(curve)
    for factor, delta in curve.points:
        true = ApproximateDifferentialPrivacy(0).delta_at(mechanism, Real.log(factor)).upper
        assert true is not None
        assert true <= Real.of(dominating.delta_at(factor))
        assert dominating.delta_at(factor) <= delta
    twice = together(mechanism, mechanism)
    composed = dominating.power(2)
    for factor in (Rational(1), Rational(3, 2), Rational(4)):
        true = ApproximateDifferentialPrivacy(0).delta_at(twice, Real.log(factor)).upper
        assert true is not None
        assert true.lower <= float(Real.of(composed.delta_at(factor))) + 1e-15


def test_coarser_distributions_lose_more() -> None:
    fine = LossDistribution.of(*randomised_response(Alphabet(3), ratio=5).rows[:2]).power(6)
    for atoms in (1, 2, 5, 9):
        coarse = fine.coarsened(atoms)
        assert len(coarse.masses) <= atoms
        for factor in (Rational(1), Rational(2), Rational(30)):
            assert coarse.delta_at(factor) >= fine.delta_at(factor)


def test_shorter_numbers_lose_more_but_hardly() -> None:
    fine = LossDistribution.of(*randomised_response(Alphabet(3), ratio="1001/1000").rows[:2]).power(12)
    short = fine.rounded(64)
    assert fine.rounded(10**6) is fine
    for factor in (Rational(1), Rational(1005, 1000)):
        assert fine.delta_at(factor) <= short.delta_at(factor) <= fine.delta_at(factor) + Rational(1, 10**20)


def test_a_curve_that_no_pair_of_laws_has_is_lowered() -> None:
    curve = SegmentCurve([(Rational(1), Rational(9, 10)), (Rational(2), Rational(0))])
    found = LossDistribution.dominating(curve)
    assert found.delta_at(Rational(1)) == Rational(1, 3)
    assert found.delta_at(Rational(2)) == 0


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="sum to exactly 1"):
        LossDistribution({Rational(1): Rational(1, 2)})
    with pytest.raises(InvalidInput, match="positive ratios"):
        LossDistribution({Rational(-1): Rational(1)})
    with pytest.raises(InvalidInput, match="no pair of distributions"):
        LossDistribution({Rational(1, 2): Rational(1)})
    with pytest.raises(InvalidInput, match="at least 0"):
        COIN.power(-1)
