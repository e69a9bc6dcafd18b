"""The accountant with normal noise, and against dp-accounting, which computes the same losses in floats."""

import pytest
from dp_accounting.pld import common, privacy_loss_distribution
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from epstar.compose import Accountant, LossDistribution, together
from epstar.convert import Guarantee, gaussian_curve
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.gaussian import DiscreteInput, Gaussian, gaussian_loss
from epstar.mechanism import Mechanism, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MaximalLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.testing import laws
from epstar.universe import Alphabet, Metric

COIN = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
BIT = Accountant(Alphabet(2))
NOTION = ApproximateDifferentialPrivacy("1/1000")
STEP = 1e-3


def logarithms(law: tuple[Rational, ...]) -> dict[int, float]:
    return {y: float(Real.log(p)) for y, p in enumerate(law) if p > 0}


@settings(deadline=None, max_examples=15)
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(laws(n), laws(n))), st.integers(1, 4), st.fractions(0, 3))
def test_exact_distributions_agree_with_another_package(
    pair: tuple[tuple[Rational, ...], tuple[Rational, ...]], uses: int, level: object
) -> None:
    upper, lower = pair
    assume(all(p > 0 for law in pair for p in law))
    theirs = privacy_loss_distribution.from_two_probability_mass_functions(
        logarithms(lower), logarithms(upper), value_discretization_interval=STEP
    ).self_compose(uses)
    found = theirs.get_delta_for_epsilon(float(Real.of(level)))
    # They compare the two laws in this order only, and round each loss up by at most one step.
    mine = float(LossDistribution.of(upper, lower).power(uses).delta(Real.of(level)))
    assert -1e-9 <= found - mine <= (uses + 1) * STEP


def test_normal_noise_composes_to_normal_noise() -> None:
    four = Gaussian(4, sensitivity=1)
    total = BIT.add(four, times=4).total(NOTION)
    assert total.is_proven
    exact = gaussian_loss(Gaussian(2, sensitivity=1), NOTION).upper
    assert exact is not None
    assert float(total.guarantee.level) == pytest.approx(float(exact), rel=1e-13)
    theirs = BIT.add(four, times=4).total(NOTION, method="dp-accounting")
    assert not theirs.is_proven
    assert float(exact) <= float(theirs.guarantee.level) <= float(exact) + 1e-3
    # A curve is all that is known of a guarantee: chords of it lose a little.
    curve = Guarantee(ApproximateDifferentialPrivacy, curve=gaussian_curve(Gaussian(2, sensitivity=1)))
    assert float(exact) <= float(BIT.add(curve).total(NOTION).guarantee.level) <= 1.1 * float(exact)


def test_peaks_and_sensitivities_are_added_by_their_distances() -> None:
    noises = [Gaussian(3, peak=1, dimension=2), Gaussian(variance=5, sensitivity=2)]
    whole = together(noises)
    assert float(whole.distance) ** 2 == pytest.approx(8 / 9 + 4 / 5)
    ledger = BIT.add(noises[0]).add(noises[1])
    level = ledger.total(RenyiDifferentialPrivacy(3)).guarantee.level
    assert level.rational == Rational(3, 2) * (Rational(8, 9) + Rational(4, 5))
    assert ledger.total(DifferentialPrivacy()).guarantee.level.is_infinite


@pytest.mark.parametrize(
    "entries",
    [
        [COIN, COIN, COIN],
        [COIN, Gaussian(4, sensitivity=1), Gaussian(3, sensitivity=1)],
        [Guarantee(DifferentialPrivacy(), "log(2)"), COIN],
        [Guarantee(ApproximateDifferentialPrivacy("1/10000"), "1/2"), Gaussian(4, sensitivity=1)],
    ],
)
def test_both_methods_agree(entries: list[Guarantee | Mechanism | Gaussian]) -> None:
    ledger = BIT
    for entry in entries:
        ledger = ledger.add(entry)
    proven = float(ledger.total(NOTION).guarantee.level)
    theirs = float(ledger.total(NOTION, method="dp-accounting").guarantee.level)
    # Ours bounds a curve by chords where noise and matrices meet; theirs rounds losses up.
    assert proven == pytest.approx(theirs, rel=0.08)
    if all(isinstance(entry, Mechanism) for entry in entries):
        assert proven <= theirs <= proven + len(entries) * 1e-4 + 1e-6


def test_both_orders_of_a_pair_count() -> None:
    skewed = Mechanism([["1/3", "2/3"], ["1/2", "1/2"]])
    for mechanism in (skewed, Mechanism(skewed.rows[::-1])):
        ledger = BIT.add(mechanism)
        proven = float(ledger.total(NOTION).guarantee.level)
        theirs = float(ledger.total(NOTION, method="dp-accounting").guarantee.level)
        assert proven <= theirs <= proven + 2e-4


def test_hundreds_of_releases() -> None:
    ledger = Accountant(Alphabet(3)).add(randomised_response(Alphabet(3), ratio="11/10"), times=300)
    level = float(ledger.total(NOTION, method="dp-accounting").guarantee.level)
    one = randomised_response(Alphabet(3), ratio="11/10")
    parts = [LossDistribution.of(one.rows[0], one.rows[1]).power(10).delta(Real.of(x)) for x in ("1/2", "1")]
    assert parts[0] > parts[1]
    assert 1.0 < level < 300 * float(Real.log(Rational(11, 10)))


def test_noise_under_other_notions() -> None:
    ledger = BIT.add(Gaussian(2, peak=1), times=2)
    one = Gaussian(2, peak=1)
    for notion in (MaximalLeakage(), Capacity()):
        level = ledger.total(notion).guarantee.level
        upper = gaussian_loss(one, notion).upper
        assert upper is not None
        assert level.upper <= 2 * upper.upper * (1 + 1e-12)
    assert BIT.add(Gaussian(2, sensitivity=1)).total(Capacity()).guarantee.level.upper <= 0.125 + 1e-12


def test_their_parameters_are_what_is_meant() -> None:
    pure = privacy_loss_distribution.from_privacy_parameters(
        common.DifferentialPrivacyParameters(1.0, 0.0), value_discretization_interval=1e-4
    )
    level = float(BIT.add(Guarantee(DifferentialPrivacy(), 1)).total(NOTION, method="dp-accounting").guarantee.level)
    assert level == pytest.approx(pure.get_epsilon_for_delta(0.001), abs=1e-9)


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="sensitivity or a peak"):
        BIT.add(Gaussian(1, average_power=1))
    with pytest.raises(InvalidInput, match="sensitivity or a peak"):
        together([Gaussian(1, inputs=DiscreteInput([0, 1], ["1/2", "1/2"]))])
    with pytest.raises(InvalidInput, match="normal noises is empty"):
        together([])
    with pytest.raises(InvalidInput, match="ask for that notion"):
        BIT.add(COIN).total(DifferentialPrivacy(), method="dp-accounting")
    with pytest.raises(InvalidInput, match="convert the guarantee first"):
        BIT.add(Guarantee(MaximalLeakage(), 1)).total(NOTION, method="dp-accounting")
    with pytest.raises(InvalidInput, match="no other distances"):
        Accountant(Metric([[0, 2], [2, 0]])).total(NOTION, method="dp-accounting")
    assert BIT.total(NOTION, method="dp-accounting").guarantee.level.upper == 0
