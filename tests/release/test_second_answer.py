"""A second release of a table gives every record another answer; whoever makes one is told what both cost together."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from epstar.cli.main import main
from epstar.mechanism import identity
from epstar.notions import DifferentialPrivacy
from epstar.release import Column, release
from epstar.universe import Alphabet

WORDS = ["release", "in.csv", "--column", "x", "--categories", "a,b"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text("x,y\n" + "a,1\nb,2\n" * 50, encoding="utf-8")
    return tmp_path


def told(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_a_first_release_costs_what_it_costs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = told([*WORDS, "--loss", "1", "-o", "out.csv"], capsys)
    assert found["earlier"] == found["warnings"] == []
    assert found["per_record_with_earlier"] == found["per_record"]["upper"] <= 1


def test_replacing_a_release_says_what_both_cost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [*WORDS, "-o", "out.csv"]
    first = told([*words, "--loss", "1"], capsys)
    assert main([*words, "--loss", "1/2"]) == 2
    assert "second, independent answer" in capsys.readouterr().err
    second = told([*words, "--loss", "1/2", "--force"], capsys)
    assert second["earlier"] == ["out.csv.release.json"]
    total = first["per_record"]["upper"] + second["per_record"]["upper"]
    assert total <= second["per_record_with_earlier"] <= total + 1e-12
    (warning,) = second["warnings"]
    assert "replaces out.csv.release.json" in warning
    assert "2 independent answers" in warning
    assert "at most 1.5 nats" in warning


def test_a_release_beside_another_says_what_all_cost(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told([*WORDS, "--loss", "1", "-o", "one.csv"], capsys)
    told([*WORDS, "--loss", "1", "-o", "two.parquet"], capsys)
    (folder / "many").mkdir()
    (folder / "many" / "part.csv").write_bytes((folder / "in.csv").read_bytes())
    third = told(["release", "many", *WORDS[2:], "--loss", "2", "-o", "three"], capsys)
    assert third["earlier"] == ["one.csv.release.json", "two.parquet.release.json"]
    assert 3.9 < third["per_record_with_earlier"] <= 4
    fourth = told([*WORDS, "--loss", "1", "-o", "four.csv"], capsys)
    assert len(fourth["earlier"]) == 3
    assert "three/_release.json" in fourth["earlier"]
    assert main([*WORDS, "--loss", "1", "-o", "five.csv"]) == 0
    assert "5 independent answers" in " ".join(capsys.readouterr().out.split())


def test_other_tables_and_other_columns_are_no_second_answer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told([*WORDS, "--loss", "1", "-o", "one.csv"], capsys)
    (folder / "other.csv").write_text("x\na\n", encoding="utf-8")
    assert told(["release", "other.csv", *WORDS[2:], "--loss", "1", "-o", "two.csv"], capsys)["earlier"] == []
    words = ["release", "in.csv", "--column", "y", "--categories", "1,2", "--loss", "1", "-o", "three.csv"]
    assert told(words, capsys)["earlier"] == []


def test_what_has_no_limit_or_cannot_be_read_is_said_to_have_none(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    release("in.csv", "plain.csv", Column("x", mechanism=identity(Alphabet(["a", "b"]))))
    found = told([*WORDS, "--loss", "1", "-o", "out.csv"], capsys)
    assert found["per_record_with_earlier"] == "infinity"
    assert "no limit" in found["warnings"][0]
    for path in folder.glob("*.release.json"):
        path.write_text("{}", encoding="utf-8")
    again = told([*WORDS, "--loss", "1", "-o", "out.csv", "--force"], capsys)
    assert again["earlier"] == ["out.csv.release.json"]
    assert again["per_record_with_earlier"] == "infinity"


def test_a_release_file_tells_nothing_that_would_confirm_a_guess_of_the_table(folder: Path) -> None:
    found = release("in.csv", "out.csv", Column("x", ["a", "b"]), notion=DifferentialPrivacy(), loss=1)
    written = found.release_file.read_text(encoding="utf-8")
    assert "in.csv" not in written
    # The only digests are of what is handed on: the released table, and the file itself.
    private = Path("in.csv").read_bytes()
    for kind in hashlib.algorithms_guaranteed - {"shake_128", "shake_256"}:
        assert hashlib.new(kind, private).hexdigest() not in written
    assert hashlib.sha256(Path("out.csv").read_bytes()).hexdigest() in written


def test_a_ledger_says_what_all_cost_wherever_they_lie(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "elsewhere").mkdir()
    words = [*WORDS, "--ledger", "releases.ledger"]
    first = told([*words, "--loss", "1", "-o", "one.csv"], capsys)
    assert "per_record_in_ledger" not in first
    assert main([*words, "--loss", "1/2", "-o", "elsewhere/two.csv"]) == 2
    capsys.readouterr()
    assert main([*words, "--loss", "1/2", "-o", "elsewhere/two.csv", "--again"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "has now given 2 answers, and loses at most 1.5 nats by all of them together" in said
    third = told([*words, "--loss", "1/2", "-o", "elsewhere/three.csv", "--again"], capsys)
    assert 1.9 < third["per_record_in_ledger"] <= 2
