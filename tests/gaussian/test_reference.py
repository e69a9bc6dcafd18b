"""The Gaussian mechanism against the reference numbers: Figures 1 to 4 and the vectors, computed by other solvers."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from epstar.exact import Rational, Real
from epstar.gaussian import DiscreteInput, Gaussian, ball_capacity, calibrate, gaussian_loss
from epstar.notions import Capacity, MutualInformation, PointwiseLeakage

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "ngo2024.json").read_text("utf-8"))
FIGURES = REFERENCE["figures"]
BIT = math.log(2)
INPUTS = DiscreteInput([Rational(k, 10) for k in range(-10, 11)], FIGURES["prior21"]["p"])


def vectors(quantity: str) -> list[Any]:
    return [pytest.param(v, id=v["id"]) for v in REFERENCE["vectors"] if v["quantity"] == quantity]


def within(real: Real, value: float, tolerance: float) -> None:
    assert real.lower - tolerance <= value <= real.upper + tolerance
    assert real.upper - real.lower <= tolerance


@pytest.mark.parametrize("case", FIGURES["calibration_CI"])
def test_figure_1_calibration(case: str) -> None:
    mu, dimension = (part.split("=")[1] for part in case.split(","))
    found = calibrate(Capacity(), mu, peak=1, dimension=int(dimension), unit="bits")
    wanted = FIGURES["calibration_CI"][case]["sigma2"]
    assert float(Real.of(found.gaussian.variance)) == pytest.approx(wanted, rel=1e-12)
    assert found.too_little.variance > found.gaussian.variance * (1 - Rational(2, 10**12))
    goal = float(mu) * BIT
    kept, broken = gaussian_loss(found.gaussian, Capacity()), gaussian_loss(found.too_little, Capacity())
    assert kept.upper is not None
    assert broken.lower is not None
    assert kept.upper.upper <= goal * (1 + 1e-15)
    assert broken.lower.lower >= goal * (1 - 1e-15)


@pytest.mark.parametrize("mu", ["0.1", "0.01"])
@pytest.mark.parametrize("dimension", [1, 10])
def test_figure_1_curves(mu: str, dimension: int) -> None:
    figure = FIGURES["fig1"][f"mu={mu}"]
    variance = FIGURES["calibration_CI"][f"mu={mu},d={dimension}"]["sigma2"]
    gaussian = Gaussian(variance=variance, peak=1, dimension=dimension)
    for level, wanted in zip(figure["eps"], figure[f"delta_G_d{dimension}"], strict=True):
        found = gaussian.delta(level)
        assert float(found) == pytest.approx(wanted, rel=1e-11)
        assert found.upper - found.lower <= 1e-15 * found.upper


@pytest.mark.parametrize("dimension", [1, 10])
def test_figure_2_capacities(dimension: int) -> None:
    figure = FIGURES["fig2"][f"d={dimension}"]
    for variance, wanted, radii in zip(figure["sigma2"], figure["mu_bar_lower"], figure["radii"], strict=True):
        if len(radii) > 1:
            continue  # several spheres: see the next test
        found = gaussian_loss(Gaussian(variance=variance, peak=1, dimension=dimension), Capacity())
        assert found.lower is not None
        assert found.upper is not None
        assert found.upper.upper - found.lower.lower <= 1e-13
        assert found.value / BIT == pytest.approx(wanted, abs=2e-13, rel=1e-13)


@pytest.mark.parametrize(("dimension", "place"), [(1, 0), (1, 1), (10, 0), (10, 1)])
def test_figure_2_capacities_of_several_spheres(dimension: int, place: int) -> None:
    figure = FIGURES["fig2"][f"d={dimension}"]
    found = Gaussian(variance=figure["sigma2"][place], peak=1, dimension=dimension).capacity
    assert found.upper.upper - found.lower.lower <= 1e-11
    assert float(found.lower) / BIT == pytest.approx(figure["mu_bar_lower"][place], abs=1e-10)
    radii = [float(Real.of(part)) * float(found.spheres.radius) for part in found.spheres.parts]
    assert radii == pytest.approx(figure["radii"][place], abs=1e-6)


@pytest.mark.parametrize("mu", ["0.1", "0.01"])
def test_figure_3(mu: str) -> None:
    figure = FIGURES["fig3"][f"mu={mu}"]
    found = calibrate(MutualInformation(), mu, inputs=INPUTS, unit="bits").gaussian
    assert float(Real.of(found.variance)) == pytest.approx(figure["sigma2"], rel=1e-11)
    gaussian = Gaussian(variance=figure["sigma2"], inputs=INPUTS)
    for level, wanted in list(zip(figure["eps"], figure["delta_G"], strict=True))[::3]:
        assert float(gaussian.local_delta(level)) == pytest.approx(wanted, rel=1e-10)
    pointwise = gaussian_loss(gaussian, PointwiseLeakage())
    assert pointwise.value / BIT == pytest.approx(figure["max_pointwise_KL"], rel=1e-11)


def test_figure_4_informations() -> None:
    for variance, wanted in zip(FIGURES["fig4"]["sigma2"], FIGURES["fig4"]["mu_bar_CD"], strict=True):
        found = Gaussian(variance=variance, inputs=INPUTS).mixture.information()
        within(found, wanted * BIT, 1e-13)


@pytest.mark.parametrize("case", vectors("capacity_ball"))
def test_capacities_in_a_ball(case: dict[str, Any]) -> None:
    found = ball_capacity(case["d"], Real.of(case["R"]))
    assert found.width <= 1e-13
    assert len(found.spheres.parts) == len(case["radii"])
    # The reference states its own gap: 2e-11 bits.
    assert float(found.lower) / BIT == pytest.approx(case["value"], rel=1e-13, abs=2e-11 * (len(case["radii"]) > 1))


@pytest.mark.parametrize("case", vectors("delta_LDP_gauss"))
def test_curves_of_differential_privacy(case: dict[str, Any]) -> None:
    gaussian = Gaussian(variance=case["sigma2"], peak=case["Delta"], dimension=case["d"])
    assert float(gaussian.delta(case["eps"])) == pytest.approx(case["value"], rel=1e-13)


@pytest.mark.parametrize("case", vectors("delta_LIP_gauss21"))
def test_curves_of_local_information_privacy(case: dict[str, Any]) -> None:
    found = Gaussian(variance=case["sigma2"], inputs=INPUTS).local_delta(case["eps"])
    assert float(found) == pytest.approx(case["value"], rel=1e-12)
    assert found.upper - found.lower <= 1e-15


@pytest.mark.parametrize("case", vectors("mi_21"))
def test_informations(case: dict[str, Any]) -> None:
    within(Gaussian(variance=case["sigma2"], inputs=INPUTS).mixture.information(), case["value"] * BIT, 1e-13)
