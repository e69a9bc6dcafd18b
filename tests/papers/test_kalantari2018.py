"""kalantari2018: its constructions at work, every figure compared with the reference."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Interval, Rational, Real, dot, rational, rationals
from epstar.source import Hull
from epstar_papers.kalantari2018 import (
    FIGURES,
    THEOREMS,
    Colour,
    cases,
    colouring,
    folded,
    folding_permutations,
    generated_group,
    mechanism_48,
    mechanism_from_diagonal,
    orbit_averages,
    orbits,
    ordered_pieces,
    permuted,
    symmetric_mechanism,
)
from epstar_papers.kalantari2018.beyond import least_ratio
from epstar_papers.kalantari2018.programs import equation_10, equation_16
from epstar_papers.kalantari2018.tables import TABLE_I, TABLE_II, TABLE_III, TABLE_IV, points, uniform
from epstar_papers.kalantari2018.truth import dp_loss, least_information, least_loss, zero_loss_distortion

pytestmark = pytest.mark.xdist_group("kalantari2018")

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "kalantari2018_reference.json").read_text("utf-8"))
BY_KEY = {theorem.key.partition(":")[2]: theorem for theorem in THEOREMS}
NAMES = {"Class I": "class_I_M{}", "Class II": "II_{}", "Class III:a": "IIIa_{}", "Class III:b": "IIIb_{}"}
NAMES["Class III:c"] = "IIIc_{}"


def number(value: object) -> float:
    """The middle of a claimed value."""
    if isinstance(value, Interval):
        return (value.lower.lower + value.upper.upper) / 2
    return float(value if isinstance(value, Real | float) else Real.of(value))


def at_reference(name: str) -> dict[str, list[float]]:
    """The columns of a figure at the places of the reference, every one of which is on the figure's finer grid."""
    columns = FIGURES[f"kalantari2018:fig-{name[-1]}"].data()
    places = [columns["D"].index(float(place)) for place in REFERENCE["figures"][name]["D"]]
    return {column: [values[place] for place in places] for column, values in columns.items()}


@pytest.mark.parametrize(("figure", "size"), [("fig4", 6), ("fig5", 10)])
def test_the_curves_of_three_classes(figure: str, size: int) -> None:
    columns = at_reference(figure)
    reference = REFERENCE["figures"][figure]
    for name, pattern in NAMES.items():
        expected = [float(value) for value in reference[pattern.format(size)]["eps"]]
        assert columns[name] == pytest.approx(expected, abs=1e-12)
    literal = {"(9) as printed, Class II": "paper_literal_eq9_II"}
    literal |= {f"(16) as printed, Class III:{k}": f"paper_literal_eq16_III{k}" for k in "abc"}
    for name, key in literal.items():
        for place, value, expected in zip(columns["D"], columns[name], reference[key], strict=True):
            if (figure, key, place) == ("fig4", "paper_literal_eq9_II", 0.3):
                # D^(5) is 3/10 exactly, so the last row of (9) applies; in floats the sum of five entries exceeds 0.3.
                assert (value, round(expected, 6)) == (0.0, 1.540445)
            else:
                assert value == pytest.approx(expected, abs=1e-9)


def test_printed_bounds_promise_too_little() -> None:
    columns = at_reference("fig5")
    below = [p < t - 1e-9 for p, t in zip(columns["(16) as printed, Class III:a"], columns["Class III:a"], strict=True)]
    assert sum(below) > 5
    assert columns["Class III:a"][1] - columns["(16) as printed, Class III:a"][1] == pytest.approx(0.66, abs=0.01)


@pytest.mark.parametrize("name", ["fig6", "fig7"])
def test_both_leakages(name: str) -> None:
    columns = at_reference(name)
    reference = REFERENCE["figures"][name]
    lower, upper = (columns[f"proven {side} bound, mutual information"] for side in ("lower", "upper"))
    assert columns["differential privacy"] == pytest.approx([float(v) for v in reference["DP"]], abs=1e-12)
    known_low = reference.get("IT_nats_lower", reference.get("IT_nats"))
    known_high = reference.get("IT_nats_upper", reference.get("IT_nats"))
    for low, high, known_lower, known_upper in zip(lower, upper, known_low, known_high, strict=True):
        assert low - 1e-9 <= known_upper
        assert known_lower <= high + 1e-9
        assert high - low <= 1e-8


def test_the_tables_hold_the_distributions() -> None:
    for number_of_table, distributions in ((1, TABLE_I), (2, TABLE_II), (3, TABLE_III["c"]), (4, TABLE_IV["c"])):
        columns = FIGURES[f"kalantari2018:table-{number_of_table}"].data()
        assert len(columns) == len(distributions) + 1
        assert [sum(columns[f"distribution {k}"]) for k in range(1, len(distributions) + 1)] == pytest.approx(
            [1.0] * len(distributions)
        )


def test_thresholds_of_zero_leakage() -> None:
    sets = {"II_6": TABLE_I, "II_10": TABLE_II}
    sets |= {f"III{k}_6": distributions for k, distributions in TABLE_III.items()} | {
        f"III{k}_10": distributions for k, distributions in TABLE_IV.items()
    }
    for name, distributions in sets.items():
        figure = REFERENCE["figures"]["fig4" if name.endswith("_6") else "fig5"]
        found = zero_loss_distortion(distributions)
        assert found.lower.rational == found.upper.rational == rational(figure[name]["D0"])


@pytest.mark.parametrize("vector", REFERENCE["vectors"], ids=lambda vector: vector["id"])
def test_reference_vectors(vector: dict[str, Any]) -> None:
    distributions = tuple(rationals(distribution) for distribution in vector["vertices"])
    distortion, ratio = rational(vector["D"]), rational(vector["E"])
    found = least_loss(distributions, distortion)
    assert found.upper.upper >= Real.log(ratio).lower
    assert found.lower.lower <= Real.log(ratio).upper
    assert found.width <= 1e-9
    kept = rationals(vector["q"])
    assert all(dot(distribution, kept) >= 1 - distortion for distribution in distributions)
    assert Real.exp(dp_loss(mechanism_from_diagonal(kept).dense())).rational == ratio
    if ratio > 1:
        worst = rationals(vector["least_favourable"])
        assert Hull(distributions).contains(worst)
        assert least_ratio(worst, distortion, kept=2) == ratio


@pytest.mark.parametrize("vector", REFERENCE["information"], ids=lambda vector: f"{vector['id']}@{vector['D']}")
def test_reference_information(vector: dict[str, Any]) -> None:
    distributions = tuple(rationals(distribution) for distribution in vector["vertices"])
    found = least_information(distributions, rational(vector["D"]))
    assert found.lower.lower <= vector["it_upper_nats"] + 1e-9
    assert found.upper.upper >= vector["it_lower_nats"] - 1e-9
    assert found.width <= 1e-8


def test_lemma_8_infimum_is_not_attained() -> None:
    distribution = points("0.6 0.3 0.1")[0]
    # With q_3 >= t the other two categories share the loss: q_1 = q_2 on the boundary of validity.
    for floor, expected in (("0.1", 3.7143), ("0.01", 3.5224), ("0.0001", 3.5002)):
        t = rational(floor)
        kept = (Rational(7, 10) - distribution[2] * t) / (distribution[0] + distribution[1])
        ratio = Real.exp(dp_loss(mechanism_from_diagonal([kept, kept, t]).dense())).rational
        assert float(Real.of(ratio)) == pytest.approx(expected, abs=1e-4)


def test_the_slope_of_information_is_not_the_leakage_of_a_set() -> None:
    step = rational("1e-3")
    before, after = (least_information(TABLE_II, rational("0.3") + k * step) for k in (-1, 1))
    slope = (before.upper.upper - after.upper.upper) / 2e-3
    assert slope == pytest.approx(2.98207, abs=1e-4)
    assert least_loss(TABLE_II, rational("0.3")).upper.upper == pytest.approx(2.97553, abs=1e-5)


def test_table_ii_needs_more_information_than_any_of_its_distributions() -> None:
    theorem = BY_KEY["beyond-information-of-sets"]
    case = next(iter(theorem.cases()))
    assert theorem.printed is not None
    assert number(theorem.printed(case)) == pytest.approx(1.0469189, abs=1e-5)
    assert number(least_information(TABLE_II, rational("0.2"))) == pytest.approx(1.0479672, abs=1e-7)


def test_ties_separate_the_bounds_of_theorem_3() -> None:
    from epstar_papers.kalantari2018.class_three import common_and_any, foldings

    distributions, distortion = TABLE_IV["a"], rational("0.22")
    common, union = common_and_any(distributions)
    assert (len(common), len(union)) == (1, 2)
    bounds = [
        float(equation_16(part, distortion, foldings(distributions), least_anywhere=True)) for part in (common, union)
    ]
    assert bounds == pytest.approx([3.258097, 3.462891], abs=1e-6)


def test_equation_10_on_table_ii() -> None:
    for distortion, count, ratio in (("0.55", 1, 5.1111), ("0.45", 3, 9.6774), ("0.3", 4, 23.4375)):
        found = equation_10(TABLE_II, rational(distortion), count, first_is_least=True)
        assert float(Real.of(found)) == pytest.approx(ratio, abs=1e-4)


def test_mechanism_48_leaves_out_categories() -> None:
    mechanism = mechanism_48(["3/10", "1/2"], 4)
    assert mechanism.shape == (4, 4)
    assert [max(mechanism.column(y)) for y in (2, 3)] == [ZERO, ZERO]
    assert mechanism.rows[3] == mechanism.rows[1]
    for wrong in (["1/2"], ["1/2"] * 5):
        with pytest.raises(InvalidInput, match="keeps between 2 and 4 categories"):
            mechanism_48(wrong, 4)


def test_colours_of_randomised_response() -> None:
    colours = colouring(symmetric_mechanism(3, "1/5"))
    assert [[colour.name[0] for colour in row] for row in colours] == [
        ["B", "R", "R"],
        ["R", "B", "R"],
        ["R", "R", "B"],
    ]
    three = colouring(mechanism_from_diagonal(["7/10", "1/2", "1/5", 0]))
    assert [row[3] for row in three] == [Colour.NONE] * 4
    assert three[0][:3] == (Colour.WHITE, Colour.RED, Colour.RED)
    assert three[1][:3] == (Colour.WHITE, Colour.BLACK, Colour.WHITE)
    with pytest.raises(InvalidInput, match="loses nothing"):
        colouring(symmetric_mechanism(2, "1/2"))
    with pytest.raises(InvalidInput, match="infinite loss"):
        colouring(symmetric_mechanism(2, 0))


def test_folding_undoes_permuting() -> None:
    distribution = points("0.1 0.6 0.3")[0]
    assert folding_permutations(distribution) == ((1, 2, 0),)
    assert folded(distribution, (1, 2, 0)) == points("0.6 0.3 0.1")[0]
    assert permuted(distribution, (1, 2, 0)) == points("0.3 0.1 0.6")[0]
    assert permuted(folded(distribution, (1, 2, 0)), (1, 2, 0)) == distribution
    assert len(folding_permutations(TABLE_II[1])) == 4


def test_groups_orbits_and_averages() -> None:
    swap, turn = (1, 0, 2, 3), (1, 2, 3, 0)
    assert len(generated_group([swap])) == 2
    assert len(generated_group([turn])) == 4
    assert len(generated_group([swap, turn])) == math.factorial(4)
    assert orbits(4, [swap]) == ((0, 1), (2,), (3,))
    assert orbits(4, [turn]) == ((0, 1, 2, 3),)
    assert orbit_averages(points("0.5 0.3 0.2 0"), [swap]) == points("0.4 0.4 0.2 0")
    assert orbit_averages(points("0.5 0.3 0.2 0"), [turn]) == uniform(4)


def test_pieces_cover_the_hull() -> None:
    distributions = points("0.6 0.3 0.1", "0.3 0.6 0.1", "0.6 0.1 0.3")
    pieces = ordered_pieces(distributions)
    assert {piece.order for piece in pieces} == {(0, 1, 2), (0, 2, 1), (1, 0, 2)}
    for weights in (("1/3", "1/3", "1/3"), ("1/2", "1/2", 0), ("1/7", "2/7", "4/7")):
        distribution = tuple(dot(rationals(weights), column) for column in zip(*distributions, strict=True))
        assert any(Hull(piece.corners).contains(distribution) for piece in pieces)
    for piece in pieces:
        assert cases.is_decreasing(piece.folded)
        assert all(Hull(distributions).contains(corner) for corner in piece.corners)
    assert len(ordered_pieces(((ONE, ZERO),))) == 1
