"""Thousands and millions of releases: no sum is too long, and composition stays the optimal one."""

from __future__ import annotations

import mpmath
import pytest

from epstar.compose import Accountant, LossDistribution, parallel_loss, sequential
from epstar.compose.lattice import repeated
from epstar.convert import Guarantee
from epstar.convert.privacy_curve import pure_curve
from epstar.exact import Rational, Real
from epstar.gaussian import Gaussian, gaussian_loss
from epstar.mechanism import Mechanism, ProductMechanism, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Prior, Rows
from epstar.universe import Alphabet

PURE = DifferentialPrivacy()
SLACK = ApproximateDifferentialPrivacy("1/1000000")
SKEWED = Mechanism([["1/2", "1/3", "1/6"], ["1/3", "1/3", "1/3"], ["1/4", "1/4", "1/2"]])


@pytest.mark.parametrize("uses", [977, 1000, 10**6])
def test_a_guarantee_many_times(uses: int) -> None:
    ledger = Accountant().add(Guarantee(PURE, "1/100"), times=uses)
    assert ledger.total(PURE).guarantee.level.rational == Rational(uses, 100)
    assert ledger.total(RenyiDifferentialPrivacy(2)).guarantee.level.upper < uses / 100


@pytest.mark.parametrize("notion", [PURE, RenyiDifferentialPrivacy("3/2")])
def test_a_mechanism_a_thousand_times(notion: Notion) -> None:
    one = notion.loss(SKEWED).upper
    assert one is not None
    total = Accountant().add(SKEWED, times=1000).total(notion).guarantee.level
    assert float(total) == pytest.approx(1000 * float(one), rel=1e-12)


@pytest.mark.parametrize("notion", [MaximalLeakage(), Capacity()])
def test_three_inputs_leak_no_more_than_they_hold(notion: Notion) -> None:
    total = Accountant().add(SKEWED, times=1000).total(notion).guarantee.level
    assert float(total) == pytest.approx(float(Real.log(Rational(3))), rel=1e-12)


def test_a_thousand_different_releases() -> None:
    # Levels that are neither rational nor logarithms of rationals.
    levels = [Real.log(Rational(3)) / Rational(k) for k in range(1, 1201)]
    whole = sum(float(level) for level in levels)
    assert float(sequential([Guarantee(PURE, level) for level in levels]).guarantee.level) == pytest.approx(whole)
    assert float(parallel_loss(MaximalLeakage(), levels)) == pytest.approx(whole)
    logarithms = [Real.log(Rational(k + 1, k)) for k in range(1, 10**4)]
    total = sequential([Guarantee(PURE, level) for level in logarithms]).guarantee.level
    assert total.lower <= float(mpmath.log(10**4)) <= total.upper


@pytest.mark.parametrize(
    "notion", [MutualInformation(), Capacity(), SibsonMutualInformation("1/2"), PointwiseLeakage(), MaximalLeakage()]
)
def test_a_product_of_a_thousand_different_rows(notion: Notion) -> None:
    factors = [Mechanism([[Rational(k, k + 1), Rational(1, k + 1)], ["1/3", "2/3"]]) for k in range(1, 1201)]
    coin = Prior(["1/2", "1/2"])
    loss = notion.loss(ProductMechanism(factors), Rows([coin] * 1200))
    assert loss.lower is not None
    assert loss.value == pytest.approx(sum(notion.loss(factor, coin).value for factor in factors), rel=1e-9)


def optimal_delta(epsilon: Rational, uses: int, level: Real) -> mpmath.mpf:
    """The least delta of that many mechanisms of one level (Kairouz, Oh and Viswanath), in 60 digits."""
    with mpmath.workdps(60):
        e = mpmath.mpf(int(epsilon.p)) / int(epsilon.q)
        bound = mpmath.mpf(str(level.ball(256).str(60, radius=False)))
        total = mpmath.mpf(0)
        for ones in range(uses + 1):
            gap = mpmath.exp(ones * e) - mpmath.exp(bound + (uses - ones) * e)
            total += mpmath.binomial(uses, ones) * max(gap, 0)
        return total / (1 + mpmath.exp(e)) ** uses


@pytest.mark.parametrize(("epsilon", "uses"), [("1/10", 40), ("1/10", 200), ("1/10", 1000), ("2", 300)])
def test_the_optimal_composition_of_equal_levels(epsilon: str, uses: int) -> None:
    ledger = Accountant()
    for part in (1, uses - 1):  # two objects that say the same
        ledger = ledger.add(Guarantee(PURE, epsilon), times=part)
    level = ledger.total(SLACK).guarantee.level
    share = Real.of(epsilon).rational
    assert share is not None
    with mpmath.workdps(60):
        slack = mpmath.mpf(1) / 10**6
        # The level is printed with 60 digits.
        assert optimal_delta(share, uses, level) <= slack * (1 + mpmath.mpf(10) ** -40)
        assert optimal_delta(share, uses, level * Rational(10**12 - 1, 10**12)) > slack


def test_a_million_releases_of_one_level() -> None:
    found = repeated(LossDistribution.dominating(pure_curve(Real.of("1/100"))), 10**6)
    level = float(found.level("1/1000000"))
    # The losses of a million releases are nearly normal: mean k e tanh(e/2), variance near k e^2.
    mean, deviation = 10**4 * float(mpmath.tanh(0.005)), 10.0
    assert mean + 4 * deviation < level < mean + 6 * deviation


@pytest.mark.parametrize("pair", [(0, 1), (0, 2)])
def test_ratios_on_no_lattice_are_rounded_up(pair: tuple[int, int]) -> None:
    one = LossDistribution.of(*(SKEWED.rows[place] for place in pair))
    exact, found = one.power(70), repeated(one, 70)
    for factor in (1, 20, 10**6, 10**12):
        assert exact.delta_at(factor) <= found.delta_at(factor)
    true, level = (float(item.level("1/1000")) for item in (exact, found))
    assert true <= level <= true + 70 / 512 * 2


def test_a_mechanism_hundreds_of_times_by_both_methods() -> None:
    ledger = Accountant().add(randomised_response(Alphabet(3), ratio="11/10"), times=400)
    proven = float(ledger.total(SLACK).guarantee.level)
    theirs = float(ledger.total(SLACK, method="dp-accounting").guarantee.level)
    # They round each loss up to a multiple of 1e-4.
    assert proven <= theirs <= proven + 400 * 1e-4


def test_a_million_normal_noises_are_one() -> None:
    ledger = Accountant().add(Gaussian(1000, sensitivity=1), times=10**6)
    whole = gaussian_loss(Gaussian(1, sensitivity=1), SLACK).upper
    assert whole is not None
    assert float(ledger.total(SLACK).guarantee.level) == pytest.approx(float(whole), rel=1e-12)


def test_guarantees_by_the_thousand_in_floats() -> None:
    fast = Accountant().add(Guarantee(PURE, "1/100"), times=10**4).total(SLACK, method="dp-accounting")
    proven = Accountant().add(Guarantee(PURE, "1/100"), times=10**4).total(SLACK)
    assert float(proven.guarantee.level) == pytest.approx(float(fast.guarantee.level), rel=1e-3)
