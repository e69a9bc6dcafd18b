"""The Gaussian mechanism from its definitions: sums over fine grids, closed forms, monotonicity, refusals."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.gaussian import DiscreteInput, Gaussian, gaussian_loss
from epstar.notions import (
    Capacity,
    MaximalLeakage,
    MutualInformation,
    PointwiseLeakage,
)

INPUTS = DiscreteInput([-1, 0, "3/2"], ["1/4", "1/2", "1/4"])


def densities(inputs: DiscreteInput, variance: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The densities given each point and of the output on a fine grid, and its step."""
    points = np.array([float(Real.of(x)) for x in inputs.points])
    law = np.array([float(Real.of(p)) for p in inputs.probabilities])
    reach = 12 * math.sqrt(variance)
    grid = np.linspace(points[0] - reach, points[-1] + reach, 200_001)
    rows = np.exp(-((grid - points[:, None]) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return rows, law @ rows, float(grid[-1] - grid[0]) / 200_000


@pytest.mark.parametrize("variance", ["1/4", "1", "9"])
@pytest.mark.parametrize("level", ["0", "1/5", "1", "2"])
def test_local_information_privacy_is_its_definition(variance: str, level: str) -> None:
    rows, output, step = densities(INPUTS, float(Real.of(variance)))
    factor = math.exp(float(Real.of(level)))
    over = np.maximum(output - factor * rows, 0).sum(axis=1) * step
    under = np.maximum(rows - factor * output, 0).sum(axis=1) * step / factor
    found = Gaussian(variance=variance, inputs=INPUTS).local_delta(level)
    assert float(found) == pytest.approx(max(over.max(), under.max()), abs=1e-8)


@pytest.mark.parametrize("variance", ["1/4", "1", "9"])
def test_information_and_pointwise_leakage_are_their_definitions(variance: str) -> None:
    rows, output, step = densities(INPUTS, float(Real.of(variance)))
    law = np.array([float(Real.of(p)) for p in INPUTS.probabilities])
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = (np.where(rows > 0, rows * np.log(rows / output), 0.0)).sum(axis=1) * step
    gaussian = Gaussian(variance=variance, inputs=INPUTS)
    assert gaussian_loss(gaussian, MutualInformation()).value == pytest.approx(float(law @ parts), abs=1e-12)
    assert gaussian_loss(gaussian, PointwiseLeakage()).value == pytest.approx(float(parts.max()), abs=1e-12)
    leakage = gaussian_loss(gaussian, MaximalLeakage()).value
    assert leakage == pytest.approx(math.log(rows.max(axis=0).sum() * step), abs=1e-8)


def test_leakage_of_a_ball_is_its_definition_in_the_plane() -> None:
    r = np.linspace(0, 14, 1_400_001)
    largest = np.exp(-(np.maximum(r - 2, 0) ** 2) / 2) / (2 * math.pi)
    wanted = math.log((largest * 2 * math.pi * r).sum() * (r[1] - r[0]))
    found = gaussian_loss(Gaussian(variance=1, peak=Rational(2), dimension=1), MaximalLeakage())
    assert found.value == pytest.approx(math.log(1 + 4 / math.sqrt(2 * math.pi)), rel=1e-14)
    plane = gaussian_loss(Gaussian(variance=2, peak=2, dimension=2), MaximalLeakage())
    assert plane.value == pytest.approx(wanted, abs=1e-6)


def test_tiny_deltas_keep_their_digits() -> None:
    found = Gaussian(1, sensitivity="1/100").delta(1)
    assert 0 < found.lower <= found.upper < 1e-2000 or found.upper < 1e-300
    assert found.ball(64).rel_accuracy_bits() > 50


@settings(deadline=None, max_examples=25)
@given(st.fractions("1/4", 8, max_denominator=16), st.fractions(0, 3, max_denominator=8))
def test_more_noise_never_loses_more(variance: object, level: object) -> None:
    first = Gaussian(variance=variance, peak=1)
    second = Gaussian(variance=first.variance * 2, peak=1)
    assert second.delta(level).lower <= first.delta(level).upper
    assert first.delta(level).upper <= Gaussian(variance=variance, average_power=1).delta(level).upper


def test_the_capacity_lies_below_that_of_the_same_average_power() -> None:
    for variance in ("1", "2", "10"):
        ball = gaussian_loss(Gaussian(variance=variance, peak=1), Capacity()).upper
        power = gaussian_loss(Gaussian(variance=variance, average_power=1), Capacity()).lower
        assert ball is not None
        assert power is not None
        assert ball < power


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"peak": 1}, "deviation sigma or its variance"),
        ({"sigma": 1, "variance": 1, "peak": 1}, "exactly one of them"),
        ({"sigma": 1}, "bounded by nothing"),
        ({"sigma": 1, "peak": 1, "sensitivity": 1}, "sensitivity and peak"),
        ({"sigma": 0, "peak": 1}, "must be positive"),
        ({"sigma": math.nan, "peak": 1}, "not a finite number"),
        ({"sigma": 1, "peak": -1}, "The peak must be positive"),
        ({"sigma": 1, "peak": 1, "dimension": 0}, "at least 1"),
        ({"sigma": 1, "inputs": INPUTS, "dimension": 2}, "dimension 1"),
    ],
)
def test_refusals(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Gaussian(**arguments)


def test_more_refusals() -> None:
    with pytest.raises(InvalidInput, match="negative"):
        Gaussian(1, peak=1).delta(-1)
    with pytest.raises(InvalidInput, match="distribution of the input"):
        Gaussian(1, peak=1).local_delta(1)
    with pytest.raises(InvalidInput, match="given twice"):
        DiscreteInput([1, 1], ["1/2", "1/2"])
    with pytest.raises(InvalidInput, match="one for each point"):
        DiscreteInput([1, 2], [1])
