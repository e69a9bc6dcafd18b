"""Calibration: the noise that is returned keeps the promise by a certified evaluation, slightly less does not."""

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Rational, Real
from epstar.gaussian import Calibration, DiscreteInput, Gaussian, calibrate, gaussian_loss
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)

INPUTS = DiscreteInput([-1, 0, "3/2"], ["1/4", "1/2", "1/4"])
SKEWED = DiscreteInput([-1, 0, "3/2"], ["1/2", "1/5", "3/10"])


def with_noise_of(found: Gaussian, part: Rational) -> Gaussian:
    """The same mechanism with its deviation multiplied by a number."""
    return Gaussian(
        variance=found.variance * part**2,
        sensitivity=found.sensitivity,
        peak=found.peak,
        average_power=found.average_power,
        inputs=found.inputs,
        dimension=found.dimension,
    )


def check(found: Calibration, notion: Notion, level: Real) -> None:
    """The promise is kept, and neither the witness nor a deviation smaller by a millionth keeps it."""
    kept = gaussian_loss(found.gaussian, notion).upper
    assert kept is not None
    assert kept.lower <= level.upper * (1 + 1e-13)
    assert found.too_little.variance < found.gaussian.variance
    less = with_noise_of(found.gaussian, 1 - Rational(1, 10**6))
    for broken in (found.too_little, less):
        lost = gaussian_loss(broken, notion).lower
        assert lost is not None
        assert lost.upper >= level.lower * (1 - 1e-13)
    lost = gaussian_loss(less, notion).lower
    assert lost is not None
    assert lost.lower > level.upper


@pytest.mark.parametrize(
    ("notion", "start", "level"),
    [
        (ApproximateDifferentialPrivacy("1/1000"), Gaussian(1, sensitivity=1), "3/10"),
        (ApproximateDifferentialPrivacy("1e-6"), Gaussian(1, peak=1, dimension=3), "3/10"),
        (ApproximateDifferentialPrivacy("1e-12"), Gaussian(1, sensitivity=1), "1/100"),
        (ApproximateDifferentialPrivacy("1/10"), Gaussian(1, sensitivity=1), 20),
        (RenyiDifferentialPrivacy("5/2"), Gaussian(1, sensitivity=2), "3/10"),
        (Capacity(), Gaussian(1, peak=1, dimension=2), "3/10"),
        (Capacity(), Gaussian(1, peak=1), "9/10"),
        (Capacity(), Gaussian(1, peak=1, dimension=100), "1e-9"),
        (SibsonMutualInformation(2), Gaussian(1, peak=1, dimension=100), "1e-6"),
        (SibsonMutualInformation("1/2"), Gaussian(1, peak=1), "3/10"),
        (SibsonMutualInformation(3), Gaussian(1, peak=1, dimension=2), "3/10"),
        (Capacity(), Gaussian(1, average_power=2, dimension=5), "3/10"),
        (Capacity(), Gaussian(1, inputs=INPUTS), "3/10"),
        (MutualInformation(), Gaussian(1, inputs=INPUTS), "3/10"),
        (SibsonMutualInformation(2), Gaussian(1, inputs=INPUTS), "3/10"),
        (MinEntropyLeakage(), Gaussian(1, inputs=INPUTS), "3/10"),
        (MaximalInformation(), Gaussian(1, inputs=SKEWED), "3/2"),
        (LocalInformationPrivacy("1/100"), Gaussian(1, inputs=INPUTS), "3/10"),
        (LocalInformationPrivacy("1/100"), Gaussian(1, peak=1), "3/10"),
        (PointwiseLeakage(), Gaussian(1, inputs=INPUTS), "3/10"),
        (PointwiseLeakage(), Gaussian(1, peak=1), "3/10"),
        (MaximalLeakage(), Gaussian(1, peak=1, dimension=3), "3/10"),
        (MaximalLeakage(), Gaussian(1, inputs=INPUTS), "3/10"),
    ],
)
def test_calibration_ends_on_the_safe_side(notion: Notion, start: Gaussian, level: object) -> None:
    found = calibrate(
        notion,
        level,
        sensitivity=start.sensitivity,
        peak=start.peak,
        average_power=start.average_power,
        inputs=start.inputs,
        dimension=start.dimension,
    )
    check(found, notion, Real.of(level))


@settings(deadline=None, max_examples=12)
@given(st.fractions("1/100", 10, max_denominator=100), st.integers(2, 12), st.fractions("1/10", 10, max_denominator=10))
def test_any_level_and_delta(level: object, digits: int, sensitivity: object) -> None:
    notion = ApproximateDifferentialPrivacy(f"1e-{digits}")
    found = calibrate(notion, level, sensitivity=sensitivity)
    real = Real.of(level)
    assert found.gaussian.delta(real) <= notion.delta
    assert with_noise_of(found.gaussian, 1 - Rational(1, 10**6)).delta(real) > notion.delta
    # Scaling the sensitivity scales the noise.
    double = calibrate(notion, level, sensitivity=2 * Real.of(sensitivity).above())
    assert float(double.gaussian.sigma) == pytest.approx(2 * float(found.gaussian.sigma), rel=1e-12)


def test_from_an_average_power() -> None:
    found = calibrate(Capacity(), "1/10", average_power=1, dimension=3, unit="bits")
    # ngo2024, Theorem 3, solved for the variance.
    assert float(Real.of(found.gaussian.variance)) == pytest.approx(1 / (2 ** (0.2 / 3) - 1), rel=1e-12)


def test_calibrations_that_do_not_exist() -> None:
    with pytest.raises(NoSolution, match=r"No amount of normal noise .* ratio of two normal densities"):
        calibrate(DifferentialPrivacy(), 1, sensitivity=1)
    with pytest.raises(NoSolution, match="delta = 0"):
        calibrate(ApproximateDifferentialPrivacy(0), 1, sensitivity=1)
    with pytest.raises(NoSolution, match=r"No amount of normal noise .* average power"):
        calibrate(RenyiDifferentialPrivacy(2), 1, average_power=1)
    with pytest.raises(NoSolution, match="No amount of normal noise"):
        calibrate(Identifiability(), 1, inputs=INPUTS)
    with pytest.raises(NoSolution, match="prove an outermost point"):
        calibrate(MaximalInformation(), 1, inputs=SKEWED)
    for notion, level in (
        (MutualInformation(), 2),
        (MinEntropyLeakage(), 1),
        (LocalInformationPrivacy("9/10"), 1),
        (MaximalInformation(), 2),
        (ApproximateDifferentialPrivacy(1), 1),
    ):
        with pytest.raises(NoSolution, match="Hardly any noise"):
            calibrate(notion, level, inputs=INPUTS)
    with pytest.raises(NoSolution, match="Hardly any noise"):
        calibrate(MutualInformation(), 1, inputs=DiscreteInput([0], [1]))


@pytest.mark.parametrize("level", [0, -1, math.inf])
def test_levels_that_are_refused(level: float) -> None:
    with pytest.raises(InvalidInput, match="not a positive finite number"):
        calibrate(Capacity(), level, peak=1)


def test_other_things_that_are_refused() -> None:
    wrong: Any = "differential privacy"
    with pytest.raises(InvalidInput, match="give a Gaussian and a Notion"):
        calibrate(wrong, 1, peak=1)
    with pytest.raises(NoSolution, match="use the event reading"):
        calibrate(ApproximateDifferentialPrivacy("1/10", "pointwise"), 1, peak=1)
    with pytest.raises(NoSolution, match="chain of neighbours"):
        calibrate(MutualInformation(), 1, sensitivity=1)


def test_units_that_are_refused() -> None:
    misspelt: dict[str, Any] = {"unit": "bit"}
    with pytest.raises(InvalidInput, match="write 'nats' or 'bits'"):
        calibrate(Capacity(), 1, peak=1, **misspelt)
