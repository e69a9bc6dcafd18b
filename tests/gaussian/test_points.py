"""Discrete inputs: every notion against a sum over a fine grid, limits for much and for little noise, reasons."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Real
from epstar.gaussian import DiscreteInput, Gaussian, gaussian_loss
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)

INPUTS = DiscreteInput([-1, 0, "1/5", "3/2"], ["1/2", "1/10", "1/5", "1/5"])
ALL = (
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation("3/2"),
    SibsonMutualInformation(4),
    MinEntropyLeakage(),
    MaximalInformation(),
    MaximalLeakage(),
    MutualInformation(),
    PointwiseLeakage(),
    Capacity(),
)


def by_sums(inputs: DiscreteInput, variance: float, notion: Notion) -> float:
    """The loss from its definition, by sums over a grid of outputs; the capacity by many steps of Blahut-Arimoto."""
    points = np.array([float(Real.of(x)) for x in inputs.points])
    law = np.array([float(Real.of(p)) for p in inputs.probabilities])
    reach = 12 * math.sqrt(variance)
    grid, step = np.linspace(points[0] - reach, points[-1] + reach, 40_001, retstep=True)
    logs = -((grid - points[:, None]) ** 2) / (2 * variance) - math.log(2 * math.pi * variance) / 2
    rows = np.exp(logs)
    match notion:
        case SibsonMutualInformation(order=order):
            a = float(Real.of(order))
            return a / (a - 1) * math.log(((law @ rows**a) ** (1 / a)).sum() * step)
        case MinEntropyLeakage():
            return math.log((law[:, None] * rows).max(axis=0).sum() * step / law.max())
        case MaximalLeakage():
            return math.log(rows.max(axis=0).sum() * step)
        case MaximalInformation():
            return float((logs - np.log(law @ rows)).max())
    for _ in range(3000 if isinstance(notion, Capacity) else 1):
        divergences = (rows * (logs - np.log(law @ rows))).sum(axis=1) * step
        value = float(law @ divergences)
        if isinstance(notion, PointwiseLeakage):
            return float(divergences.max())
        law = law * np.exp(divergences)
        law /= law.sum()
    return value


@pytest.mark.parametrize("variance", ["1/9", "1", "4"])
@pytest.mark.parametrize("notion", ALL, ids=lambda notion: f"{notion.name}{notion.parameters()}")
def test_losses_are_their_definitions(notion: Notion, variance: str) -> None:
    found = gaussian_loss(Gaussian(variance=variance, inputs=INPUTS), notion)
    assert found.lower is not None
    assert found.upper is not None
    assert found.upper.upper - found.lower.lower <= 1e-11
    wanted = by_sums(INPUTS, float(Real.of(variance)), notion)
    # Maximal information is only approached far out, and the capacity only after many steps.
    loose = isinstance(notion, MaximalInformation | Capacity)
    assert found.value == pytest.approx(wanted, abs=2e-2 if loose and variance == "4" else 1e-5 if loose else 1e-7)


@settings(deadline=None, max_examples=4)
@given(
    st.lists(st.integers(-20, 20), min_size=2, max_size=5, unique=True),
    st.lists(st.integers(1, 9), min_size=5, max_size=5),
    st.fractions(1, 20, max_denominator=8),
)
def test_the_order_of_the_notions(points: list[int], shares: list[int], variance: object) -> None:
    weights = shares[: len(points)]
    inputs = DiscreteInput([f"{x}/5" for x in points], [f"{w}/{sum(weights)}" for w in weights])
    gaussian = Gaussian(variance=variance, inputs=inputs)
    uppers = {notion: gaussian_loss(gaussian, notion).value for notion in ALL}
    information = uppers[MutualInformation()]
    assert uppers[SibsonMutualInformation("1/2")] <= information + 1e-12
    assert information <= uppers[SibsonMutualInformation("3/2")] + 1e-12
    assert uppers[SibsonMutualInformation("3/2")] <= uppers[SibsonMutualInformation(4)] + 1e-12
    assert uppers[SibsonMutualInformation(4)] <= uppers[MaximalLeakage()] + 1e-12
    assert uppers[MinEntropyLeakage()] <= uppers[MaximalLeakage()] + 1e-12
    assert information <= uppers[Capacity()] + 1e-11
    assert information <= uppers[PointwiseLeakage()] <= uppers[MaximalInformation()] + 1e-12


def test_hardly_any_noise_shows_the_point() -> None:
    gaussian = Gaussian("1/10", inputs=DiscreteInput([-1, 0, "3/2"], ["1/2", "1/10", "2/5"]))
    law = [0.5, 0.1, 0.4]
    entropy = -sum(p * math.log(p) for p in law)
    wanted = {
        MutualInformation(): entropy,
        Capacity(): math.log(3),
        MaximalLeakage(): math.log(3),
        MinEntropyLeakage(): math.log(2),
        MaximalInformation(): math.log(10),
        PointwiseLeakage(): math.log(10),
        SibsonMutualInformation(2): 2 * math.log(sum(math.sqrt(p) for p in law)),
    }
    for notion, value in wanted.items():
        assert gaussian_loss(gaussian, notion).value == pytest.approx(value, abs=1e-5), notion.name


def test_maximal_information_does_not_vanish() -> None:
    found = gaussian_loss(Gaussian(30, inputs=INPUTS), MaximalInformation())
    assert str(found.upper) == "log(5)"


@pytest.mark.parametrize(
    ("notion", "bounds"),
    [
        (DifferentialPrivacy(), {"inputs": INPUTS}),
        (Identifiability(), {"inputs": INPUTS}),
        (Identifiability(), {"peak": 1}),
        (LocalInformationPrivacy(), {"inputs": INPUTS}),
        (ApproximateDifferentialPrivacy(0), {"peak": 1}),
        (ApproximateDifferentialPrivacy("1/10"), {"average_power": 1}),
        (LocalInformationPrivacy("1/10"), {"average_power": 1}),
        (RenyiDifferentialPrivacy(2), {"average_power": 1}),
        (RenyiDifferentialPrivacy(math.inf), {"peak": 1}),
        (MaximalLeakage(), {"average_power": 1}),
        (PointwiseLeakage(), {"average_power": 1}),
        (MaximalInformation(), {"peak": 1}),
        (MinEntropyLeakage(), {"average_power": 1}),
        (SibsonMutualInformation(3), {"average_power": 1}),
        (SibsonMutualInformation("5/3"), {"average_power": 1, "dimension": 3}),
    ],
)
def test_infinite_losses_say_why(notion: Notion, bounds: dict[str, Any]) -> None:
    found = gaussian_loss(Gaussian(sigma=1, **bounds), notion)
    assert found.value == math.inf
    assert found.upper is not None
    assert found.upper.is_infinite
    assert found.reason


def test_over_all_laws_on_a_ball() -> None:
    gaussian = Gaussian(2, peak=1)
    pairs = gaussian_loss(gaussian, ApproximateDifferentialPrivacy("1/100")).value
    assert gaussian_loss(gaussian, LocalInformationPrivacy("1/100")).value == pytest.approx(pairs, rel=1e-12)
    assert str(gaussian_loss(gaussian, PointwiseLeakage()).upper) == "1/2"
    leakage = gaussian_loss(gaussian, MaximalLeakage()).value
    for notion in (MinEntropyLeakage(), MinEntropyCapacity(), SibsonMutualInformation(math.inf)):
        assert gaussian_loss(gaussian, notion).value == leakage
    # A law that is nearly all at one end comes near to these suprema, and never above them.
    skewed = Gaussian(2, inputs=DiscreteInput([-1, 1], ["1/100000", "99999/100000"]))
    assert 0.49 < gaussian_loss(skewed, PointwiseLeakage()).value < 0.5
    assert 0.99 * pairs < gaussian_loss(skewed, LocalInformationPrivacy("1/100")).value <= pairs


def test_one_point_loses_nothing() -> None:
    gaussian = Gaussian(1, inputs=DiscreteInput([3], [1]))
    for notion in (
        *ALL,
        DifferentialPrivacy(),
        Identifiability(),
        LocalInformationPrivacy(),
        RenyiDifferentialPrivacy(2),
    ):
        assert gaussian_loss(gaussian, notion).value == 0.0, notion.name


@pytest.mark.parametrize("notion", [MutualInformation(), Capacity(), MaximalLeakage(), LocalInformationPrivacy("1/9")])
def test_a_sensitivity_bounds_pairs_alone(notion: Notion) -> None:
    found = gaussian_loss(Gaussian(1, sensitivity=1), notion)
    assert found.value == math.inf
    assert "chain of neighbours" in found.reason


def test_the_pointwise_reading_says_nothing() -> None:
    found = gaussian_loss(Gaussian(1, peak=1), ApproximateDifferentialPrivacy("1/10", "pointwise"))
    assert found.value == 0
    assert "probability 0" in found.reason
