"""Statistics of a private table from its release: groups, weights, counts, means, odds ratios, regressions."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from epstar.cli.main import main
from epstar.errors import InvalidInput
from epstar.mechanism import BlockDesign, Mechanism, TopRandomisedResponse
from epstar.notions.measure.rank_one import RankOne
from epstar.release import Column, Estimate, estimate, estimate_by, regress, release
from epstar.release.estimators import BlockEstimators, Estimators, LetterEstimators, MatrixEstimators
from epstar.release.functionals import contrast, difference, mean, odds_ratio, within
from epstar.release.histogram import Tally
from epstar.release.inverse import Inverse
from epstar.release.tabulation import Tabulation, released_side
from epstar.universe import Alphabet

CERTAIN = "0.999999999999"
ROWS = 60_000


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, np.ndarray]]:
    """A released table of smokers, incomes, towns and weights, and the private one."""
    folder = tmp_path_factory.mktemp("people")
    rng = np.random.default_rng(3)
    town = rng.choice(["north", "south"], ROWS, p=[0.3, 0.7])
    income = rng.choice([1, 2, 5], ROWS, p=[0.5, 0.3, 0.2])
    odds = -1.0 + 0.4 * income + 0.5 * (town == "south")
    smoker = np.where(rng.random(ROWS) < 1 / (1 + np.exp(-odds)), "yes", "no")
    weight = rng.choice([0.5, 1.0, 4.0], ROWS)
    private = {"smoker": smoker, "income": income, "town": town, "weight": weight}
    pc.write_csv(pa.table(private), folder / "in.csv")
    columns = [
        Column("smoker", mechanism=TopRandomisedResponse(Alphabet(["no", "yes"]), range(2), 6)),
        Column("income", mechanism=TopRandomisedResponse(Alphabet(["1", "2", "5"]), range(3), 8)),
    ]
    release(folder / "in.csv", folder / "out.csv", columns, keep=["town", "weight"])
    return folder, private


def covers(found: Estimate, truth: dict[tuple[str, ...], float]) -> None:
    for cell in found.cells:
        assert cell.lower is not None
        assert cell.upper is not None
        assert cell.frequency is not None
        assert cell.lower <= truth[tuple(map(str, cell.labels))] <= cell.upper
        assert cell.lower <= cell.frequency <= cell.upper
        assert cell.upper - cell.lower < 0.2


def test_groups_subsets_and_weights(people: tuple[Path, dict[str, np.ndarray]]) -> None:
    folder, private = people
    smokes, south = private["smoker"] == "yes", private["town"] == "south"
    groups = estimate_by(folder / "out.csv", "smoker", "town", confidence=CERTAIN)
    assert [part.group for part in groups] == [(("town", "north"),), (("town", "south"),)]
    for part, rows in zip(groups, (~south, south), strict=True):
        assert part.rows == rows.sum()
        covers(part, {("yes",): smokes[rows].mean(), ("no",): 1 - smokes[rows].mean()})
    chosen = estimate(folder / "out.csv", "smoker", where={"town": "south"}, confidence=CERTAIN)
    assert chosen.cells == groups[1].cells
    weighted = estimate(folder / "out.csv", "smoker", weight="weight", confidence=CERTAIN)
    share = float(private["weight"][smokes].sum() / private["weight"].sum())
    covers(weighted, {("yes",): share, ("no",): 1 - share})
    plain = estimate(folder / "out.csv", "smoker")
    together = estimate(folder / "out.csv", "smoker", simultaneous=True)
    assert all((a.lower or 0) > (b.lower or 0) for a, b in zip(plain.cells, together.cells, strict=True))
    for name, found in zip("yn", contrast(groups[1], groups[0])[::-1], strict=True):
        assert (name == "y") == found.name.startswith("yes")
        assert found.lower <= (1 if name == "y" else -1) * (smokes[south].mean() - smokes[~south].mean()) <= found.upper


def test_a_part_a_copy_and_counts_are_estimated_from(
    people: tuple[Path, dict[str, np.ndarray]], tmp_path: Path
) -> None:
    folder, _ = people
    whole = pc.read_csv(folder / "out.csv")
    description = folder / "out.csv.release.json"
    part = whole.slice(0, 1000)
    pc.write_csv(part, tmp_path / "part.csv")
    with pytest.raises(InvalidInput, match="any_table"):
        estimate(tmp_path / "part.csv", "smoker", release_file=description)
    found = estimate(tmp_path / "part.csv", "smoker", release_file=description, any_table=True)
    assert found.rows == 1000
    assert estimate(part, "smoker", release_file=description) == found
    counts = whole.group_by(["smoker", "town"]).aggregate([("town", "count")])
    pc.write_csv(counts, tmp_path / "counts.csv")
    counted = estimate(tmp_path / "counts.csv", "smoker", release_file=description, any_table=True, count="town_count")
    assert counted == estimate(folder / "out.csv", "smoker")
    with pytest.raises(InvalidInput, match="needs the release file"):
        estimate(part, "smoker")


def test_means_differences_and_odds(people: tuple[Path, dict[str, np.ndarray]]) -> None:
    folder, private = people
    smokes, south = private["smoker"] == "yes", private["town"] == "south"
    income = estimate(folder / "out.csv", "income", confidence=CERTAIN)
    found = mean(income)
    assert found.lower <= private["income"].mean() <= found.upper
    assert found.upper - found.lower < 0.4
    assert mean(income, [0, 0, 1]).value == pytest.approx(income.frequency("5"))
    gap = difference(income, ["1"], ["5"])
    assert gap.value == pytest.approx(income.frequency("1") - income.frequency("5"))
    assert gap.lower <= (private["income"] == 1).mean() - (private["income"] == 5).mean() <= gap.upper
    both = estimate(folder / "out.csv", ["smoker", "town"], confidence=CERTAIN)
    odds = odds_ratio(both, ["yes", "no"], ["south", "north"])
    truth = np.array(
        [[(smokes & south).sum(), (smokes & ~south).sum()], [(~smokes & south).sum(), (~smokes & ~south).sum()]]
    )
    assert odds.lower <= truth[0, 0] * truth[1, 1] / (truth[0, 1] * truth[1, 0]) <= odds.upper
    shares = {
        one.name: one
        for one in within(estimate(folder / "out.csv", ["smoker", "income"], confidence=CERTAIN), "income")
    }
    rich = shares["yes within 5"]
    assert rich.lower <= smokes[private["income"] == 5].mean() <= rich.upper


@pytest.mark.parametrize("weight", [None, "weight"])
def test_regressions_find_the_coefficients_of_the_private_table(
    people: tuple[Path, dict[str, np.ndarray]], weight: str | None
) -> None:
    import statsmodels.api as sm

    folder, private = people
    south, smokes = (private["town"] == "south").astype(float), (private["smoker"] == "yes").astype(float)
    design = np.column_stack([np.ones(ROWS), private["income"], south])
    weights = np.ones(ROWS) if weight is None else private["weight"]
    logistic = sm.GLM(smokes, design, family=sm.families.Binomial(), freq_weights=weights).fit()
    ours = regress(
        folder / "out.csv", "smoker", ["income", "town"], model="logistic", confidence=CERTAIN, weight=weight
    )
    assert [one.name for one in ours.coefficients] == ["intercept", "income", "town = south"]
    for one, value in zip(ours.coefficients, logistic.params, strict=True):
        assert one.lower <= value <= one.upper
        assert one.upper - one.lower < 1.5
    linear = sm.WLS(private["income"], np.column_stack([np.ones(ROWS), smokes]), weights=weights).fit()
    for one, value in zip(
        regress(folder / "out.csv", "income", "smoker", confidence=CERTAIN, weight=weight).coefficients,
        linear.params,
        strict=True,
    ):
        assert one.lower <= value <= one.upper


def mechanisms() -> list[Estimators]:
    response = TopRandomisedResponse(Alphabet(4), range(4), 3)
    rank_one = RankOne.of(response)
    assert rank_one is not None
    wide = Mechanism([["1/2", "1/4", "1/8", "1/8"], ["1/4", "1/2", "1/8", "1/8"], ["1/8", "1/8", "1/4", "1/2"]])
    return [
        LetterEstimators(rank_one, np.arange(4), 4),
        LetterEstimators(rank_one, np.array([0, 1, 1, 0]), 2),
        MatrixEstimators(Inverse(wide), np.arange(3), 3),
        BlockEstimators(BlockDesign(Alphabet(6), 7, 3, 2), np.arange(6), 6),
    ]


@pytest.mark.parametrize("estimators", mechanisms(), ids=["letters", "merged", "matrix", "blocks"])
def test_what_outputs_add_is_the_adjoint_of_what_cells_get(estimators: Estimators) -> None:
    rng = np.random.default_rng(0)
    design = getattr(estimators, "design", None)
    outputs = design.shape[1] if design is not None else 4
    counts, factors = rng.integers(0, 9, (outputs, 2)).astype(float), rng.normal(size=(estimators.cells, 2))
    direct = (estimators.means(counts) * factors).sum(axis=0)
    assert (counts * estimators.added(factors)).sum(axis=0) == pytest.approx(direct)


def test_covariances_are_those_of_repeated_releases() -> None:
    rng = np.random.default_rng(8)
    matrix = np.array([[0.6, 0.2, 0.2], [0.2, 0.6, 0.2], [0.2, 0.2, 0.6]])
    law = np.array([0.5, 0.3, 0.2])
    response = TopRandomisedResponse(Alphabet(3), range(3), 3)
    side = released_side(Column("x", mechanism=response), ("x",))
    rows, trials, found = 4000, 4000, []
    for _ in range(trials):
        counts = rng.multinomial(rows, law @ matrix).astype(float)
        found.append(Tabulation(("x",), (side,), Tally(counts, counts, counts, False)))
    estimates = np.array([part.frequencies for part in found])
    assert estimates.mean(axis=0) == pytest.approx(law, abs=0.002)
    assert np.cov(estimates.T) == pytest.approx(found[0].covariance(), rel=0.15)
    error, _ = found[0].error(np.array([1.0, -1.0, 0.0]))
    one = found[0].covariance()
    assert error**2 == pytest.approx(one[0, 0] + one[1, 1] - 2 * one[0, 1])


def test_the_command_line_tells_statistics(
    people: tuple[Path, dict[str, np.ndarray]], capsys: pytest.CaptureFixture[str]
) -> None:
    table = str(people[0] / "out.csv")

    def asked(*options: str) -> dict[str, list[dict[str, float]]]:
        assert main(["estimate", table, *options, "--json"]) == 0
        found: dict[str, list[dict[str, float]]] = json.loads(capsys.readouterr().out)
        return found

    (told,) = asked("--column", "income", "--mean", "--where", "town=south")["statistics"]
    assert told["lower"] < told["value"] < told["upper"]
    assert len(asked("--column", "smoker", "--by", "town", "--difference", "south,north")["estimates"]) == 2
    assert asked("--column", "smoker,town", "--odds-ratio")["statistics"][0]["value"] > 1
    assert len(asked("--column", "smoker,income", "--covariance")["covariance"]) == 6
    assert len(asked("--response", "smoker", "--on", "income,town", "--model", "logistic")["coefficients"]) == 3
    for bad in (
        ["--column", "smoker", "--mean"],
        ["--column", "income", "--mean", "--values", "1,2"],
        ["--column", "income", "--values", "1,2,3"],
        ["--column", "income", "--mean", "--within", "town"],
        ["--column", "smoker", "--where", "town"],
        ["--column", "smoker", "--where", "town=east"],
        ["--column", "smoker", "--where", "income=5"],
        ["--column", "smoker", "--by", "income"],
        ["--column", "smoker", "--by", "smoker"],
        ["--column", "smoker", "--weight", "town"],
        ["--column", "smoker", "--weight", "income"],
        ["--column", "smoker", "--count", "weight"],
        ["--column", "smoker", "--odds-ratio"],
        ["--column", "smoker,town", "--odds-ratio", "yes,no"],
        ["--column", "smoker", "--difference", "yes,perhaps"],
        ["--column", "smoker", "--by", "town", "--difference", "north,east"],
        ["--column", "smoker", "--within", "town"],
        ["--on", "town"],
        ["--response", "smoker", "--on", "town"],
        ["--response", "smoker"],
        ["--response", "smoker", "--on", "town", "--model", "logistic", "--success", "perhaps"],
        ["--response", "income", "--on", "town", "--success", "5"],
        ["--response", "income", "--on", "town", "--column", "smoker"],
    ):
        assert main(["estimate", table, *bad]) == 2, bad
        said = capsys.readouterr().err
        assert said.startswith("epstar: ")
        assert said.count("\n") == 1
