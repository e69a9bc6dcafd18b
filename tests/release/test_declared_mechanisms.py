"""What is declared of columns: bins and points for numbers, losses of their own, a total, given matrices."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.exact import Rational
from epstar.exact.vectors import sum_of
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism, randomised_response
from epstar.notions import DifferentialPrivacy, MaximalLeakage
from epstar.release import Bins, Categories, Column, estimate, read_release, release
from epstar.release.document import column_of
from epstar.release.functionals import mean
from epstar.release.invariant import invariant
from epstar.source import Prior
from epstar.universe import Alphabet

CERTAIN = "0.999999999999"


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    place = tmp_path / "in.csv"
    rows = zip(rng.integers(0, 100, 2000), rng.choice(["f", "m"], 2000), rng.choice(list("abcd"), 2000), strict=True)
    place.write_text("age,sex,town\n" + "".join(f"{age},{sex},{town}\n" for age, sex, town in rows) + ",f,a\n")
    return place


def columns(*options: str) -> list[dict[str, Any]]:
    assert main(["release", "in.csv", *options, "-o", "out.csv", "--force"]) == 0
    found: list[dict[str, Any]] = read_release("out.csv.release.json")["columns"]
    return found


@pytest.mark.parametrize("kind", [pa.int64(), pa.float64(), pa.string()])
def test_numbers_go_into_bins(tmp_path: Path, kind: pa.DataType) -> None:
    numbers = [0, 17, 18, 64, 65, 100]
    pq.write_table(pa.table({"age": pa.array(numbers).cast(kind)}), tmp_path / "in.parquet")
    ages = Categories.of_numbers(Bins([0, 18, 65, 100]))
    keep = Mechanism([[1, 0, 0], [0, 1, 0], [0, 0, 1]], Alphabet(ages.labels), ages.labels)
    release(tmp_path / "in.parquet", tmp_path / "out.parquet", Column("age", ages, mechanism=keep))
    found = pq.read_table(tmp_path / "out.parquet")["age"].to_pylist()
    assert [float(age) for age in found] == [9, 9, 41.5, 41.5, 82.5, 82.5]
    assert mean(estimate(tmp_path / "out.parquet", "age")).value == pytest.approx(np.mean([9, 41.5, 82.5]))


def test_points_keep_the_mean_of_numbers(tmp_path: Path) -> None:
    rng = np.random.default_rng(5)
    income = rng.gamma(2.0, 10.0, 40_000).clip(0, 100)
    pq.write_table(pa.table({"income": income}), tmp_path / "in.parquet")
    points = Categories.of_numbers(Bins([0, 10, 30, 100], "random"))
    release(
        tmp_path / "in.parquet",
        tmp_path / "out.parquet",
        Column("income", points),
        notion=DifferentialPrivacy(),
        loss=3,
    )
    found = mean(estimate(tmp_path / "out.parquet", "income", confidence=CERTAIN))
    assert found.lower <= income.mean() <= found.upper
    # Bins of the same ends are off by more than the interval is wide.
    assert found.upper - found.lower < 6


def test_each_column_has_its_loss_and_a_total_is_shared_out(table: Path) -> None:
    declared = ["--column", "sex,town", "--categories", "sex=f,m", "--categories", "town=a,b,c,d"]
    found = columns(*declared, "--loss", "1", "--loss", "sex=1/2")
    assert [entry["budget"]["loss"] for entry in found] == ["1/2", "1"]
    found = columns(*declared, "--total-loss", "2")
    losses = [Rational(*map(int, (entry["budget"]["loss"] + "/1").split("/")[:2])) for entry in found]
    assert Rational(2) - Rational(1, 10**5) < sum_of(losses) <= Rational(2)
    assert losses[1] > losses[0]
    Path("job.json").write_text(
        json.dumps(
            {
                "table": "in.csv",
                "column": ["sex", "age"],
                "categories": {"sex": ["f", "m"]},
                "bins": {"age": [0, 50, 100]},
                "missing": {"age": "unknown"},
                "loss": {"sex": "1/4", "age": 2},
                "output": "job.csv",
            }
        )
    )
    assert main(["release", "job.json"]) == 0
    entries = read_release("job.csv.release.json")["columns"]
    assert [entry["budget"]["loss"] for entry in entries] == ["1/4", "2"]
    assert entries[1]["categories"][0]["labels"] == [25, 75, "unknown"]


def test_a_given_matrix_and_an_invariant_one(table: Path) -> None:
    Path("pram.csv").write_text(",f,m\nf,4/5,1/5\nm,1/5,4/5\n")
    Path("bare.csv").write_text("4/5,1/5\n1/5,4/5\n")
    for options in (["--mechanism", "pram.csv"], ["--mechanism", "bare.csv", "--categories", "f,m"]):
        (entry,) = columns("--column", "sex", *options)
        assert entry["method"] == "given"
        assert "budget" not in entry
    (entry,) = columns("--column", "sex", "--mechanism", "pram.csv", "--prior", "3/4,1/4", "--invariant", "--loss", "2")
    kept = column_of(entry).mechanism
    assert kept is not None
    law = np.array([0.75, 0.25])
    assert law @ kept.dense().floats == pytest.approx(law, abs=1e-6)


@pytest.mark.parametrize("law", [["1/2", "1/3", "1/6"], ["98/100", "1/100", "1/100"]])
def test_an_invariant_mechanism_keeps_frequencies_and_loses_no_more(law: list[str]) -> None:
    given, prior = randomised_response(Alphabet(3), 2), Prior(law)
    found = invariant(given, prior)
    for y in range(3):
        assert sum_of([prior.probabilities[x] * found.rows[x][y] for x in range(3)]) == prior.probabilities[y]
    for notion in (DifferentialPrivacy(), MaximalLeakage()):
        assert notion.loss(found, prior).value <= notion.loss(given, prior).value


def test_the_best_invariant_mechanism_is_released_with_its_proof(table: Path) -> None:
    law = ["7/10", "1/5", "1/20", "1/20"]
    declared = ["--column", "town", "--categories", "a,b,c,d", "--prior", ",".join(law), "--loss", "1"]
    (entry,) = columns(*declared, "--invariant")
    found, prior = column_of(entry).mechanism, Prior(law)
    assert found is not None
    shares = np.array([0.7, 0.2, 0.05, 0.05])
    assert shares @ found.dense().floats == pytest.approx(shares, abs=1e-6)
    free = Frontier("dp", prior, "hamming").distortion_at(loss=1)
    assert free.mechanism is not None
    twice = invariant(free.mechanism, prior)
    changed, changed_twice = (1 - shares @ np.diag(one.dense().floats) for one in (found, twice))
    assert free.upper <= changed < changed_twice - 0.01
    assert main(["check", "out.csv.release.json"]) == 0


@pytest.mark.parametrize("notion", ["dp", "leakage"])
def test_every_category_stays_estimable(table: Path, notion: str) -> None:
    declared = ["--column", "town", "--categories", "a,b,c,d", "--prior", "7/10,1/5,1/20,1/20", "--notion", notion]
    loss = ["--loss", "1" if notion == "dp" else "log(2)"]
    columns(*declared, *loss)
    assert estimate("out.csv", "town").not_estimable
    (entry,) = columns(*declared, *loss, "--every-category")
    assert not estimate("out.csv", "town").not_estimable
    assert entry["guarantees"][0]["upper"] <= 1


def test_what_does_not_fit_is_refused_in_a_sentence(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("pram.csv").write_text(",f,m\nf,4/5,1/5\nm,1/5,4/5\n")
    Path("three.csv").write_text("1,0,0\n0,1,0\n0,0,1\n")
    Path("bare.csv").write_text("4/5,1/5\n1/5,4/5\n")
    sex, town = ["--column", "sex", "--categories", "f,m"], ["--column", "town", "--categories", "a,b,c,d"]
    age = ["--column", "age", "--loss", "1"]
    for options in (
        sex,
        [*sex, "--loss", "1", "--loss", "2"],
        [*sex, "--loss", "1", "--total-loss", "2"],
        [*sex, "--total-loss", "0"],
        [*sex, "--total-loss", "inf"],
        [*sex, "--total-loss", "x"],
        [*sex, "--total-loss", "2", "--notion", "leakage"],
        [*sex, "--total-loss", "2", "--mechanism", "pram.csv"],
        [*sex, "--loss", "1", "--invariant"],
        [*sex, "--mechanism", "three.csv"],
        [*sex, "--mechanism", "nothing.csv"],
        [*sex, "--mechanism", "in.csv"],
        [*sex, "--mechanism", "pram.csv", "--loss", "1"],
        ["--column", "sex", "--mechanism", "bare.csv"],
        ["--column", "sex", "--categories", "m,f", "--mechanism", "pram.csv"],
        [*town, "--mechanism", "pram.csv"],
        [*sex, "--mechanism", "pram.csv", "--every-category"],
        [*sex, "--loss", "1", "--prior", "1/2,1/2", "--invariant", "--every-category"],
        [*sex, "--loss", "0", "--every-category"],
        [*age, "--bins", "0"],
        [*age, "--bins", "0,0"],
        [*age, "--bins", "10,0"],
        [*age, "--bins", "low,high"],
        [*age, "--bins", "0,50", "--missing", "none"],
        [*age, "--bins", "0,100"],
        [*age, "--bins", "0,50,100", "--points", "0,50,100"],
        [*age, "--bins", "0,50,100", "--categories", "1,2"],
        ["--column", "sex", "--loss", "1", "--bins", "0,50,100"],
        [*age, "--points", "0,100", "--missing", "none", "--key", "k", "--identifier", "town"],
    ):
        assert main(["release", "in.csv", *options, "-o", "bad.csv"]) == 2, options
        said = capsys.readouterr().err
        assert said.startswith("epstar: "), options
        assert said.count("\n") == 1, options
        assert not Path("bad.csv").exists()
