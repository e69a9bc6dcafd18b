"""An absolute or squared cost means the same for every kind of table, and the release file says between what it is."""

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.distortion import Absolute, Hamming, Matrix, Squared
from epstar.errors import InvalidInput
from epstar.notions import DifferentialPrivacy
from epstar.release import Between, Categories, Column, by_position, read_release, release
from epstar.release.distance import read_distance
from epstar.release.document import column_of
from epstar.release.report import report
from epstar.source import Everything
from epstar.universe import Alphabet

NUMBERS = [1, 2, 10]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ab.csv").write_text("d,w\n1,low\n2,high\n10,low\n", encoding="utf-8")
    pq.write_table(pa.table({"d": NUMBERS, "w": ["low", "high", "low"]}), tmp_path / "ab.parquet")
    pq.write_table(pa.table({"d": [1.0, 2.0, 10.0]}), tmp_path / "floats.parquet")
    return tmp_path


def released(table: str, output: str, *words: str) -> dict[str, Any]:
    assert main(["release", table, "--column", "d", "--loss", "1", "-o", output, *words]) == 0
    (entry,) = read_release(f"{output}.release.json")["columns"]
    report(f"{output}.release.json")
    return dict(entry)


def worst_case(entry: dict[str, Any]) -> str:
    return str(entry["distortion"]["worst_case"]["exact"])


@pytest.mark.parametrize("cost", ["absolute", "squared"])
@pytest.mark.parametrize("scale", ["values", "positions"])
def test_every_format_has_the_same_mechanism_at_the_same_distortion(folder: Path, cost: str, scale: str) -> None:
    words = ["--categories", "1,2,10", "--cost", cost, *(["--by-position"] if scale == "positions" else [])]
    found = [released(table, f"out-{table}", *words) for table in ("ab.csv", "ab.parquet", "floats.parquet")]
    matrices = []
    for entry in found:
        mechanism = column_of(entry).mechanism
        assert mechanism is not None
        matrices.append(mechanism.dense().rows)
        assert entry["distortion"]["name"] == cost
        assert entry["distortion"]["between"] == scale
    assert matrices[0] == matrices[1] == matrices[2]
    assert len({worst_case(entry) for entry in found}) == 1


def test_values_and_positions_differ(folder: Path) -> None:
    words = ["--categories", "1,2,10", "--cost", "absolute"]
    by_value = released("ab.csv", "value.csv", *words)
    assert worst_case(by_value) != worst_case(released("ab.csv", "position.csv", *words, "--by-position"))
    # The file states what the mechanism costs in the numbers that the labels stand for.
    mechanism = column_of(by_value).mechanism
    assert mechanism is not None
    numbers = [[abs(a - b) for b in NUMBERS] for a in NUMBERS]
    stated = mechanism.distortion(Matrix(numbers, outputs=["1", "2", "10"]), Everything(3)).value
    assert str(stated) == worst_case(by_value)


def test_words_have_no_difference_unless_their_order_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["release", "ab.csv", "--column", "w", "--categories", "low,high", "--loss", "1", "-o", "out.csv"]
    for cost in ("absolute", "squared"):
        assert main([*words, "--cost", cost]) == 2
        assert "not all numbers" in capsys.readouterr().err
    assert main([*words, "--cost", "absolute", "--by-position"]) == 0
    assert read_release("out.csv.release.json")["columns"][0]["distortion"]["between"] == "positions"


def test_columns_that_go_together_have_no_difference(folder: Path) -> None:
    column = Column(["d", "w"], [Categories(["1", "2", "10"]), Categories(["low", "high"])], distortion=Absolute())
    with pytest.raises(InvalidInput, match="not all numbers"):
        release("ab.csv", "out.csv", column, notion=DifferentialPrivacy(), loss=1)


def test_two_labels_of_one_number_are_refused(folder: Path) -> None:
    column = Column("d", ["1", "1.0", "2", "10"], distortion=Squared())
    with pytest.raises(InvalidInput, match="the same number"):
        release("ab.csv", "out.csv", column, notion=DifferentialPrivacy(), loss=1)


def test_only_differences_have_positions() -> None:
    with pytest.raises(InvalidInput, match="know no order"):
        by_position(Hamming())
    between = by_position(Squared())
    universe = Alphabet(["x", "y", "z"])
    assert list(map(str, between.matrix(universe)[0])) == ["0", "1", "4"]
    assert between.floats(universe)[2].tolist() == [4, 1, 0]
    assert list(between.outputs(universe)) == ["x", "y", "z"]
    with pytest.raises(InvalidInput, match="labels that are numbers"):
        Between(Absolute(), "values").matrix(universe)


def test_an_audit_takes_the_same_difference(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entry = released("ab.csv", "out.csv", "--categories", "1,2,10", "--cost", "absolute")
    capsys.readouterr()
    assert main(["audit", "out.csv.release.json", "--cost", "absolute", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["distortion"] == worst_case(entry)


def test_older_release_files_are_read_as_they_were_meant() -> None:
    assert read_distance({"name": "absolute", "worst_case": {}}) == Absolute()
    assert read_distance(json.loads('{"name": "squared", "between": "values"}')) == Between(Squared(), "values")
    for wrong in ({"name": "hamming", "between": "values"}, {"name": "absolute", "between": "lines"}):
        with pytest.raises(InvalidInput, match="use the original"):
            read_distance(wrong)
