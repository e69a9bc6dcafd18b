"""zhong2022: its constructions at work, every figure compared with the reference."""

import json
import math
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Interval, Rational, Real, rational, rationals
from epstar.mechanism import Mechanism, ProductMechanism
from epstar.notions import ApproximateDifferentialPrivacy, MaximalInformation
from epstar.source import Everything, Prior
from epstar_papers.zhong2022 import (
    FIGURES,
    THEOREMS,
    Colour,
    ball_mechanism,
    cases,
    formulas,
    free_mechanism,
    leakage_colouring,
    leakage_diagonal,
    leakage_mechanism,
    mechanism_from_diagonal,
    merged_last_outputs,
    one_colour_rows,
    privacy_colouring,
    raised_diagonal,
    sorted_by_diagonal,
    subset_response,
    symmetric_mechanism,
    uniform_mechanism,
)
from epstar_papers.zhong2022.constructions import leakage_matrix_as_printed, subset_distortion
from epstar_papers.zhong2022.distributions import Setting, flattest, points, tail, uniform
from epstar_papers.zhong2022.truth import DIFFERENTIAL, LEAKAGE, distortion, hull, least_loss, loss

pytestmark = pytest.mark.xdist_group("zhong2022")

REFERENCE = json.loads((Path(__file__).parents[1] / "data" / "zhong2022_reference.json").read_text("utf-8"))
BY_KEY = {theorem.key.partition(":")[2]: theorem for theorem in THEOREMS}
LAW = points("0.4 0.3 0.2 0.1")[0]


def ends(value: object) -> tuple[float, float]:
    """The ends of a claimed or computed value."""
    if isinstance(value, Interval):
        return value.lower.lower, value.upper.upper
    real = Real.of(value)
    return real.lower, real.upper


@pytest.mark.parametrize("part", ["1", "2", "3", "4", "5", "6", "7"])
def test_the_lower_bounds_of_theorem_6_are_not_all_zero(part: str) -> None:
    theorem = BY_KEY[f"thm-6-{part}-lower"]
    assert theorem.printed is not None
    defined = [case for case in theorem.cases() if theorem.hypotheses(case) and not theorem.undefined(case)]
    bounds = [ends(theorem.printed(case))[0] for case in defined]
    assert sum(bound > 1e-3 for bound in bounds) >= 3


COLUMNS_3 = {
    "differential privacy": "DP",
    "0.1-approximate differential privacy": "approxDP_0p1",
    "maximal leakage": "ML",
    "mutual information": "mutual_information",
    "Rényi of order 2": "renyi2_exact",
    "lower bound as printed, Rényi of order 2": "renyi2_paper_lower",
    "upper bound as printed, Rényi of order 2": "renyi2_paper_upper",
    "Sibson of order 2": "sibson2_exact",
    "lower bound as printed, Sibson of order 2": "sibson2_paper_lower",
    "upper bound as printed, Sibson of order 2": "sibson2_paper_upper",
}
COLUMNS_4 = {name: COLUMNS_3[name] for name in list(COLUMNS_3)[:3]}


@pytest.mark.parametrize(("figure", "names"), [("3", COLUMNS_3), ("4", COLUMNS_4)])
def test_the_figures_show_the_reference(figure: str, names: dict[str, str]) -> None:
    columns = FIGURES[f"zhong2022:fig-{figure}"].data()
    rows = REFERENCE[f"figure{figure}"]["rows"]
    assert set(columns) == {"D", *names}
    assert len(rows) == {"3": 12, "4": 15}[figure]
    for row in rows:
        place = columns["D"].index(row["D"])
        found = {key: columns[name][place] for name, key in names.items()}
        assert found == pytest.approx({key: row[key] for key in names.values()}, abs=2e-9)


def test_the_numbers_in_the_remarks() -> None:
    """What `beyond` and `correction` say in figures."""
    setting, slack = Setting(2, 3, rational("0.675")), rational("0.12")
    exact = least_loss(
        ApproximateDifferentialPrivacy(slack, reading="pointwise"), Prior(uniform(8)), setting.distortion, 3
    )
    bounds = formulas.approximate_lower(setting, slack), exact.upper, formulas.approximate_upper(setting, slack)
    assert [float(bound) for bound in bounds] == pytest.approx([0.270875, 0.541720, 0.938632], abs=1e-6)

    distributions, local = points("0.6 0.4", "0.2 0.8"), Setting(2, 1, rational("0.1"))
    ratio = least_loss(MaximalInformation(), hull(distributions), local.distortion).upper
    upper = formulas.maximal_information_of_symmetric(local, distributions, 1)
    found = [float(bound) for bound in (formulas.leakage_lower(local), ratio, upper)]
    assert found == pytest.approx([0.58778666, 1.20397280, 1.24171313], abs=1e-7)

    crossing = (3 - math.sqrt(1.8)) / 4
    assert crossing == pytest.approx(0.414590, abs=1e-6)
    assert math.log((0.9 - crossing) / crossing) == pytest.approx(math.log(2 * (1 - crossing)), abs=1e-12)
    golden = (3 - math.sqrt(5)) / 2
    assert golden == pytest.approx(0.381966, abs=1e-6)
    assert (1 - golden) ** 2 / golden + golden**2 / (1 - golden) == pytest.approx(2 * (1 - golden), abs=1e-12)


def test_a_reference_value_on_the_wrong_side_of_a_jump() -> None:
    """Maximal information of (.5, .3, .2) jumps at D = 1/5, where two categories can be merged: log 2, not log 2.5."""
    (vector,) = (vector for vector in REFERENCE["vectors"] if vector["id"] == 60)
    distribution, wrong = Prior(vector["prior"]), rational(vector["D"])
    assert vector["optimum"] == pytest.approx(math.log(2.5), abs=1e-9)
    assert ends(least_loss(MaximalInformation(), distribution, wrong)) == pytest.approx((math.log(2),) * 2, abs=1e-9)
    before = least_loss(MaximalInformation(), distribution, wrong - Rational(1, 10**9))
    assert ends(before) == pytest.approx((math.log(2.5),) * 2, abs=1e-6)


def test_rows_treated_alike_do_best_with_the_symmetric_mechanism() -> None:
    """Theorem 17(2): no mechanism of one bit, applied to both rows, has a smaller pointwise loss than Q_D."""
    notion, wrong = ApproximateDifferentialPrivacy("1/10", reading="pointwise"), Rational(1, 4)
    best = formulas.approximate_upper(Setting(2, 2, 2 * wrong), notion.delta)
    for k in range(21):
        first = Rational(k, 40)
        second = 2 * wrong - first  # both rows use up the distortion, as less of it never helps
        factor = Mechanism([[1 - first, first], [second, 1 - second]])
        assert loss(notion, ProductMechanism(factor, 2).dense()).upper >= best


def test_the_symmetric_mechanism() -> None:
    mechanism = symmetric_mechanism(3, 2, "1/2")
    assert {mechanism.entry(0, y) for y in range(9)} == set(rationals(["9/16", "3/32", "1/64"]))
    assert mechanism.mean_distance == rational("1/2")
    assert uniform_mechanism(3, 2).entry(4, 7) == rational("1/9")
    assert uniform_mechanism(3, 2).mean_distance == rational("4/3")


def test_the_free_mechanism() -> None:
    assert free_mechanism(3, "1/10").rows == tuple(
        rationals(row) for row in (["1", "0", "0"], ["9/10", "1/10", "0"], ["9/10", "0", "1/10"])
    )


def test_the_subset_response_is_best_among_subsets() -> None:
    random = Random(1)
    for _ in range(10):
        distribution, ratio = cases.sorted_distribution(random, 4), 1 + Rational(random.randint(1, 50), 10)
        mechanism = subset_response(distribution, ratio, "1/10")
        best = min(subset_distortion(distribution, ratio, r, rational("1/10")) for r in range(1, 5))
        assert mechanism.distortion(Hamming(), Prior(distribution)).value == best
    with pytest.raises(InvalidInput, match="decreasing"):
        subset_response(["1/4", "3/4"], 2)


def test_the_mechanism_of_a_diagonal() -> None:
    assert leakage_diagonal(LAW, "0.4") == tuple(rationals(["1", "2/3", "0", "0"]))
    assert leakage_diagonal(LAW, "0.9") == tuple(rationals(["1", "0", "0", "0"]))
    assert [sum(row, ZERO) for row in leakage_matrix_as_printed(leakage_diagonal(LAW, "0.4"))] == list(
        rationals(["38/15", "22/15", "0", "0"])
    )
    mechanism = leakage_mechanism(LAW, "0.4")
    assert str(loss(LEAKAGE, mechanism).upper) == "log(5/3)"
    assert distortion(mechanism, Prior(LAW)) == rational("2/5")
    with pytest.raises(InvalidInput, match="between delta and 1"):
        mechanism_from_diagonal(["1/2", "1/20"], "1/10")
    with pytest.raises(InvalidInput, match="another one above delta"):
        mechanism_from_diagonal(["1/2", "1/10"], "1/10")
    with pytest.raises(InvalidInput, match="decreasing"):
        leakage_diagonal(["1/4", "3/4"], "1/10")


def test_the_ball_with_a_thin_rind() -> None:
    mechanism = ball_mechanism(2, 2, "1/2")
    assert mechanism.weights == tuple(rationals(["1/2", "1/2", "0"]))
    assert mechanism.mean_distance == rational("1/2")
    assert str(loss(LEAKAGE, mechanism.dense()).upper) == "log(2)"
    with pytest.raises(InvalidInput, match="between 0 and 1"):
        ball_mechanism(2, 2, "3/2")


def test_merging_the_last_outputs() -> None:
    merged = merged_last_outputs(Mechanism([["1/2", "1/4", "1/4"], ["1/5", "1/5", "3/5"]]))
    assert merged.rows == tuple(rationals(row) for row in (["1/2", "1/2"], ["1/5", "4/5"]))


def test_colours() -> None:
    mechanism = Mechanism([["7/10", "3/10"], ["2/5", "3/5"]])
    # With delta = 1/10 the ratio is 5/3, between 3/5 and 3/10; the first column lies within it.
    assert privacy_colouring(mechanism, "1/10") == ((Colour.WHITE, Colour.RED), (Colour.WHITE, Colour.BLACK))
    both = Colour.BLACK | Colour.RED
    assert leakage_colouring(Mechanism([["1/2", "1/2"], ["1/2", "1/2"]])) == ((both, both), (both, both))
    with pytest.raises(InvalidInput, match="neither 0 nor infinite"):
        privacy_colouring(Mechanism([["1/2", "1/2"], ["1/2", "1/2"]]), "1/10")
    with pytest.raises(InvalidInput, match="neither 0 nor infinite"):
        privacy_colouring(Mechanism([[1, 0], [0, 1]]), "1/10")


def test_transformers_keep_what_they_promise() -> None:
    random = Random(2)
    for _ in range(10):
        mechanism = cases.mechanism(random, 4)
        kept = [sorted_by_diagonal(mechanism).entry(x, x) for x in range(4)]
        assert all(a >= b for a, b in pairwise(kept))
        raised = raised_diagonal(mechanism)
        assert loss(DIFFERENTIAL, raised).upper <= loss(DIFFERENTIAL, mechanism).upper
        assert distortion(raised, Everything(4)) <= distortion(mechanism, Everything(4))
    # Two categories have only delta: their rows would be white and red before T_2 moves some probability.
    response = subset_response(["9/20", "9/20", "1/20", "1/20"], 2, "1/10").dense()
    assert [response.entry(x, x) == rational("1/10") for x in range(4)] == [False, False, True, True]
    coloured = privacy_colouring(one_colour_rows(response, "1/10"), "1/10")
    assert coloured[3][:3] == (Colour.WHITE,) * 3
    assert set(coloured[0][1:]) == {Colour.RED}
    assert Colour.RED in privacy_colouring(response, "1/10")[3][:3]


def test_the_flattest_distribution_of_a_hull() -> None:
    assert flattest(points("0.6 0.3 0.1", "0.2 0.3 0.5")).theta == rational("9/10")
    assert flattest(points("0.7 0.3")).theta == rational("3/5")
    assert (flattest((uniform(4),)).theta, flattest((uniform(4),)).eta) == (ONE, rational("1/4"))
    assert tail(LAW, 2) == rational("3/10")
