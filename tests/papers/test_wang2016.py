"""wang2016: its constructions at work, the figure compared with the reference."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ZERO, Interval, Rational, Real, rational
from epstar.universe import Databases
from epstar_papers.wang2016 import (
    FIGURES,
    THEOREMS,
    Database,
    cases,
    distance_profile,
    feasible_from,
    h,
    h_inverse,
    is_feasible,
    mechanism_d,
    mechanism_i,
    output_distribution,
    prior_level,
    profiles,
    sphere_size,
)
from epstar_papers.wang2016.beyond import rate_distortion_level
from epstar_papers.wang2016.figures import GRID
from epstar_papers.wang2016.illustration import NETFLIX
from epstar_papers.wang2016.truth import (
    IDENTIFIABILITY,
    INFORMATION,
    PRIVACY,
    distortion_of,
    identifiability_level,
    least_distortion,
    least_identifiability,
    optimum,
    privacy_level,
)

pytestmark = pytest.mark.xdist_group("wang2016")

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "wang2016_reference.json").read_text("utf-8"))
TOLERANCE = REFERENCE["tolerance"]
BY_KEY = {theorem.key.partition(":")[2]: theorem for theorem in THEOREMS}


def number(value: object) -> float:
    """The middle of a claimed value."""
    if isinstance(value, Interval):
        return (value.lower.lower + value.upper.upper) / 2
    return float(value if isinstance(value, Real | float) else Real.of(value))


def threshold(database: Database) -> Rational:
    """The feasible end of the enclosure of e^(tilde epsilon_X)."""
    ratio = Real.exp(feasible_from(database).upper).rational
    assert ratio is not None
    return ratio


def test_figure_4b() -> None:
    columns = FIGURES["wang2016:fig-4b"].data()
    reference = REFERENCE["figures"]["fig4b"]
    places = [GRID.index(rational(place)) for place in reference["D_over_n"]]
    assert [columns["D/n"][place] for place in places] == pytest.approx(reference["D_over_n"], abs=1e-15)
    for name, key in (
        ("identifiability", "eps_i_star"),
        ("differential privacy", "eps_d_star"),
        ("upper curve as printed, differential privacy", "hinv"),
        ("lower curve as printed, differential privacy", "lower_bound_13"),
    ):
        assert [columns[name][place] for place in places] == pytest.approx(reference[key], abs=TOLERANCE)
    assert [float(Real.of(p)) for p in NETFLIX.prior] == pytest.approx(reference["prior"], abs=1e-15)
    assert float(prior_level(NETFLIX)) == pytest.approx(reference["eps_X"], abs=1e-12)
    assert number(feasible_from(NETFLIX)) == pytest.approx(reference["tilde_eps_X"], abs=1e-12)
    assert number(h(threshold(NETFLIX), 5)) == pytest.approx(reference["h_tilde_over_n"], abs=1e-12)


def test_the_examples() -> None:
    first, second = FIGURES["wang2016:example-1"].data(), FIGURES["wang2016:example-2"].data()
    known, later = REFERENCE["figures"]["example1"], REFERENCE["figures"]["example2"]
    even, skewed = "prior (0.55, 0.45)", "prior (0.9, 0.1)"
    wanted = [known["ident_055"], known["guess_055"], known["min_055"]]
    assert first[even] == pytest.approx(wanted, abs=1e-12)
    assert first[skewed][::2] == pytest.approx([known["ident_09"], known["min_09"]], abs=1e-12)
    assert second[skewed] == pytest.approx([later["dp"], later["posterior"], later["factor_exponent"]], abs=1e-12)
    assert second[even][0] == second[skewed][0]


def database_of(vector: dict[str, Any]) -> Database:
    # Products such as 0.30000000000000004 are what is left of short decimals.
    weights = [rational(round(p, 15)) for p in vector["prior"]]
    total = sum(weights, ZERO)
    return Database(tuple(weight / total for weight in weights), vector["m"], vector["n"])


@pytest.mark.parametrize("vector", REFERENCE["vectors"], ids=lambda vector: vector["id"])
def test_reference_vectors(vector: dict[str, Any]) -> None:
    database = database_of(vector)
    match vector["quantity"]:
        case "eps_X":
            found = float(prior_level(database))
        case "tilde_eps_X":
            found = number(feasible_from(database))
        case "h_tilde":
            found = number(h(threshold(database), database.categories, database.rows))
        case "D_i" | "D_d":
            notion = IDENTIFIABILITY if vector["quantity"] == "D_i" else PRIVACY
            found = number(least_distortion(notion, database, rational(math.exp(vector["eps"]))))
        case "eps_i_star" | "eps_d_star":
            notion = IDENTIFIABILITY if vector["quantity"] == "eps_i_star" else PRIVACY
            found = number(optimum(notion, database, rational(vector["D"])).interval)
        case "rate_distortion":
            found = number(optimum(INFORMATION, database, rational(vector["D"])).interval) / math.log(2)
        case "dp_level_of_E_i":
            found = float(privacy_level(mechanism_i(database, math.exp(vector["eps"]))))
        case unknown:
            pytest.fail(f"unknown quantity {unknown}")
    assert found == pytest.approx(vector["value"], abs=TOLERANCE)


def test_misprints_in_the_proof_of_lemma_1() -> None:
    ratio = rational(math.exp(0.7))
    case = {"categories": 3, "rows": 3, "ratio": ratio}
    assert number(profiles.last_display(case, falling=False)) == pytest.approx(4.7229, abs=5e-5)
    assert number(profiles.last_display(case, falling=True)) == pytest.approx(1.4949, abs=5e-5)
    assert profiles.last_display(case, falling=True) == h(ratio, 3, 3)


def test_least_information_does_not_serve_identifiability_of_correlated_rows() -> None:
    case = cases.at(cases.CORRELATED, "0.291788")
    assert float(rate_distortion_level(case)) == pytest.approx(1.890656, abs=1e-6)
    assert number(least_identifiability(cases.CORRELATED, case["distortion"])) == pytest.approx(1.878099, abs=1e-6)


def test_h_and_its_inverse() -> None:
    assert h(Rational(1), 2) == Rational(1, 2)
    assert h(Rational(3), 4, 5) == Rational(5, 2)
    assert h_inverse(h(Rational(7), 3, 2), 3, 2).argument_of_log == 7
    assert h_inverse(ZERO, 2) is INFINITY
    for outside in (Rational(-1), Rational(2)):
        with pytest.raises(InvalidInput, match="no inverse"):
            h_inverse(outside, 2, 2)


def test_nothing_is_hidden_without_distortion() -> None:
    for notion in (IDENTIFIABILITY, PRIVACY):
        assert optimum(notion, cases.THREE, ZERO).interval.lower.is_infinite


def test_mechanism_i_is_made_for_its_output_distribution() -> None:
    mechanism = mechanism_i(cases.CORRELATED, 8)
    assert mechanism.output_law(cases.CORRELATED.source) == output_distribution(cases.CORRELATED, Rational(8))
    assert identifiability_level(mechanism, cases.CORRELATED).argument_of_log == 8
    assert distortion_of(mechanism, cases.CORRELATED) == h(Rational(8), 2, 2)
    # At the very threshold of 0.6, 0.3, 0.1 the least likely category is never published.
    assert mechanism_i(cases.THREE, 8).column(2) == (ZERO, ZERO, ZERO)
    with pytest.raises(InvalidInput, match="raise the level"):
        mechanism_i(cases.THREE, "7.99")
    with pytest.raises(InvalidInput, match="full support"):
        mechanism_i(Database.of("1 0", 2), 8)
    with pytest.raises(InvalidInput, match="ratio above 1"):
        mechanism_i(cases.THREE, 1)


def test_mechanism_d_takes_many_rows() -> None:
    many_rows = mechanism_d(4, 60, 5)
    assert many_rows.mean_distance == h(Rational(5), 4, 60)
    assert privacy_level(many_rows).argument_of_log == 5
    with pytest.raises(InvalidInput, match="negative level"):
        mechanism_d(2, 1, "0.5")


def test_thresholds() -> None:
    found = feasible_from(cases.FOUR)
    assert found.lower.argument_of_log == found.upper.argument_of_log == 7
    assert feasible_from(cases.UNIFORM_PAIR).upper.rational == 0
    enclosed = feasible_from(cases.CORRELATED)
    assert 0 < enclosed.width < 1e-15
    assert is_feasible(cases.CORRELATED, threshold(cases.CORRELATED))
    assert not is_feasible(cases.CORRELATED, threshold(cases.CORRELATED) - rational("1e-12"))
    with pytest.raises(InvalidInput, match="no finite level"):
        feasible_from(Database.of("1 0", 2))
    assert prior_level(Database.of("0.5 0.5 0 0", 2, 2)) is INFINITY


def test_a_database_has_one_probability_for_each_tuple() -> None:
    with pytest.raises(InvalidInput, match="do not have 3 databases"):
        Database.of("0.5 0.3 0.2", 2, 2)
    assert sorted(cases.CORRELATED.groups()) == [(0, 1), (0, 2), (1, 3), (2, 3)]
    assert [sphere_size(3, 2, distance) for distance in range(3)] == [1, 4, 4]
    profile = distance_profile(cases.CORRELATED.prior, Databases(2, 2), 3)
    assert profile == (Rational(3, 10), Rational(3, 10), Rational(2, 5))
