"""ngo2024: its constructions at work, its figures compared with the reference."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from epstar.convert import local_curve_of
from epstar.exact import Rational, Real, rational
from epstar.mechanism import identity
from epstar.source import Prior
from epstar.universe import Alphabet
from epstar_papers.ngo2024 import (
    FIGURES,
    binary_asymmetric_capacity,
    binary_mechanism,
    capped_information,
    cases,
    delta_9,
    delta_from_capacity,
    delta_from_information,
    indicator,
    information_10,
    limit_of_capacity,
    limit_of_information,
    one_sided,
    telling_mechanism,
    truth,
)
from epstar_papers.ngo2024.normal_noise import normal_bound_10

pytestmark = pytest.mark.xdist_group("ngo2024")

REFERENCE: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "ngo2024.json").read_text("utf-8"))
KNOWN = REFERENCE["figures"]
MU = ("0.1", "0.01")


def vectors(quantity: str) -> list[Any]:
    return [pytest.param(v, id=v["id"]) for v in REFERENCE["vectors"] if v["quantity"] == quantity]


def test_figure_1() -> None:
    columns = FIGURES["ngo2024:fig-1"].data()
    for mu in MU:
        known = KNOWN["fig1"][f"mu={mu}"]
        places = [columns["epsilon"].index(level) for level in known["eps"]]
        for name, key, relative in (("guarantee (6)", "delta_LDP", 1e-11), ("Gaussian", "delta_G_d10", 1e-9)):
            found = [columns[f"{name}, μ = {mu}"][place] for place in places]
            assert found == pytest.approx(known[key], rel=relative, abs=1e-30)
        assert columns[f"its limit, μ = {mu}"][0] == pytest.approx(known["pbar"], rel=1e-13)


def test_figure_2() -> None:
    columns = FIGURES["ngo2024:fig-2"].data()
    for dimension in (1, 10):
        known = KNOWN["fig2"][f"d={dimension}"]
        assert columns["variance"] == known["sigma2"]
        assert columns[f"bound (8), d = {dimension}"] == pytest.approx(known["mu_CI_eq8"], rel=1e-13)
        assert columns[f"capacity, d = {dimension}"] == pytest.approx(known["mu_bar_upper"], rel=1e-10)


def test_figure_3_shows_the_false_curve_beside_the_true_one() -> None:
    columns = FIGURES["ngo2024:fig-3"].data()
    for mu in MU:
        known = KNOWN["fig3"][f"mu={mu}"]
        assert columns["epsilon"] == known["eps"]
        for name, key in (
            ("(9) as printed", "printed_eq9"),
            ("true guarantee", "tight_for_this_prior"),
            ("Gaussian", "delta_G"),
        ):
            assert columns[f"{name}, μ = {mu}"] == pytest.approx(known[key], rel=1e-9, abs=1e-30)
        assert columns[f"its limit as printed, μ = {mu}"][0] == pytest.approx(known["printed_limit"], rel=1e-13)
        printed, normal = (columns[f"{name}, μ = {mu}"] for name in ("(9) as printed", "Gaussian"))
        broken = [level for level, p, g in zip(columns["epsilon"], printed, normal, strict=True) if g > p]
        end = known["eps_where_G_drops_below_eq9"]
        assert broken == [level for level in known["eps"] if level < end]
        assert min(columns[f"true guarantee, μ = {mu}"]) == pytest.approx(known["tight_limit"], rel=1e-9)


def test_figure_4() -> None:
    columns, known = FIGURES["ngo2024:fig-4"].data(), KNOWN["fig4"]
    assert columns["variance"] == known["sigma2"]
    assert columns["bound (10)"] == pytest.approx(known["mu_CD_eq10"], rel=1e-12)
    assert columns["information"] == pytest.approx(known["mu_bar_CD"], rel=1e-12)


def test_the_distribution_of_figures_3_and_4() -> None:
    assert [float(Real.of(p)) for p in cases.NORMAL_DISTRIBUTION.probabilities] == pytest.approx(
        KNOWN["prior21"]["p"], rel=1e-14
    )
    assert [float(Real.of(x)) for x in cases.NORMAL_INPUT.points] == pytest.approx(KNOWN["prior21"]["x"], abs=1e-15)


@pytest.mark.parametrize("case", vectors("C_BAC"))
def test_capacities_of_binary_channels(case: dict[str, Any]) -> None:
    found = binary_asymmetric_capacity(rational(case["e0"]), rational(case["e1"]))
    assert float(found) == pytest.approx(case["value"], rel=1e-13)


@pytest.mark.parametrize("case", vectors("pbar"))
def test_limits_of_equation_6(case: dict[str, Any]) -> None:
    assert limit_of_capacity(case["mu"]) == pytest.approx(case["value"], rel=1e-13)


@pytest.mark.parametrize("case", vectors("delta_LIP_tight_limit"))
def test_limits_of_the_tight_bound(case: dict[str, Any]) -> None:
    assert limit_of_information(case["mu"], case["pi"]) == pytest.approx(case["value"], rel=1e-11)


@pytest.mark.parametrize("case", vectors("delta_LDP"))
def test_the_binary_mechanism_attains_equation_6(case: dict[str, Any]) -> None:
    mechanism = binary_mechanism(case["mu"], case["eps"])
    assert truth.capacity(mechanism).upper.upper <= case["mu"]
    assert float(truth.delta(mechanism, Real.of(case["eps"]))) == pytest.approx(case["value"], abs=1e-8)
    assert float(delta_from_capacity(case["mu"], case["eps"])) == pytest.approx(case["value"], abs=1e-13)


@pytest.mark.parametrize("case", vectors("delta_LIP_printed_eq9"))
def test_equation_9_as_printed(case: dict[str, Any]) -> None:
    assert float(delta_9(case["mu"], case["eps"])) == pytest.approx(case["value"], abs=1e-13)


@pytest.mark.parametrize("case", vectors("delta_LIP_tight"))
def test_the_telling_mechanism_attains_the_true_bound(case: dict[str, Any]) -> None:
    share = rational(case["pi"])
    prior = Prior([share, 1 - share])
    bound = delta_from_information(case["mu"], case["eps"], prior)
    assert float(bound) == pytest.approx(case["value"], abs=1e-12)
    entropy = float(truth.information(identity(Alphabet(2)), prior))
    if entropy > case["mu"]:
        mechanism = telling_mechanism(case["mu"], case["eps"], prior, 0)
        assert truth.information(mechanism, prior).lower <= case["mu"]
        found = truth.local_delta(mechanism, prior, Real.of(case["eps"]))
        assert float(found) == pytest.approx(case["value"], abs=1e-7)


def test_the_numbers_of_the_counterexamples() -> None:
    assert float(truth.information(one_sided("9/50"), Prior(["1/2", "1/2"]))) == pytest.approx(0.096431, abs=1e-6)
    assert float(truth.information(indicator(21, 20), cases.NORMAL_DISTRIBUTION)) == pytest.approx(0.088613, abs=1e-6)
    assert float(truth.information(identity(Alphabet(2)), cases.SKEWED)) == pytest.approx(0.0808, abs=1e-4)


def test_the_cap_makes_theorem_2b_finite() -> None:
    prior = Prior(["3/10", "7/10"])
    curve = local_curve_of(identity(Alphabet(2)), prior)
    assert information_10(curve).is_infinite
    assert float(capped_information(curve, prior)) == pytest.approx(0.88129090, abs=1e-8)


def test_equation_10_is_the_integral_that_it_says() -> None:
    curve = local_curve_of(cases.channel(Rational(1, 4), Rational(1, 5)), Prior(["1/2", "1/2"]))
    last, steps = math.log(float(Real.of(curve.points[-1][0]))), 400
    levels = [(k + 0.5) * last / steps for k in range(steps)]
    total = sum(2 * math.cosh(level) * float(curve.delta(Real.of(level))) for level in levels) * last / steps
    assert float(information_10(curve)) == pytest.approx(total / math.log(2), rel=1e-4)


def test_the_bound_of_normal_noise_exceeds_what_it_bounds() -> None:
    for variance, ratio in (("0.5", 71.4399), ("1", 14.6767), ("100", 5.1762)):
        place = KNOWN["fig4"]["sigma2"].index(float(variance))
        assert normal_bound_10(rational(variance)) / KNOWN["fig4"]["mu_bar_CD"][place] == pytest.approx(ratio, abs=1e-4)
