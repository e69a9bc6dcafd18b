"""`epstar audit` on the command line: matrices with a source set, and black boxes that are programs or functions."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main

FUNCTION = """
import random

def noisy(given, count):
    return [given if random.random() < 0.9 else "z" for _ in range(count)]

def silent(given, count):
    return ["same"] * count

number = 3
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    (tmp_path / "mechanism.csv").write_text("3/4,1/4,0\n1/8,3/4,1/8\n0,1/4,3/4\n", encoding="utf-8")
    (tmp_path / "box.json").write_text(
        '{"box": {"lower": [0, 0, 0], "upper": ["1/2", "1/2", "1/2"]}}', encoding="utf-8"
    )
    (tmp_path / "noisy_answers.py").write_text(FUNCTION, encoding="utf-8")
    return tmp_path


def audited(words: list[str], capsys: pytest.CaptureFixture[str], code: int = 0) -> dict[str, Any]:
    assert main(["audit", *words, "--json"]) == code
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_a_matrix_over_a_source_set_with_another_cost_and_notion(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = audited(["mechanism.csv", "--source", "box.json", "--cost", "absolute", "--notion", "leakage"], capsys)
    assert found["distortion"] == "1/4"
    first = found["guarantees"][0]
    assert first["notion"] == found["notion"] == "maximal_leakage"
    assert first["exact"] == "log(9/4)"
    assert found["excess"] >= 0
    pairwise = next(part for part in found["guarantees"] if part["notion"] == "differential_privacy")
    assert pairwise["upper"] == "infinity"
    assert pairwise["attained_at"]["outputs"] in (["0"], ["2"])
    # The same prior everywhere gives the same distortion; one that is certain of the middle, another.
    assert audited(["mechanism.csv", "--prior", "0,1,0"], capsys)["distortion"] == "1/4"
    assert main(["audit", "mechanism.csv", "--prior", "1,0,0", "--source", "box.json"]) == 2
    assert "not both" in capsys.readouterr().err


def test_a_release_file_is_audited_by_the_mechanism_it_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"x": ["a", "b"] * 10, "y": ["a", "b"] * 10}), folder / "in.parquet")
    words = ["release", "in.parquet", "--categories", "a,b", "--loss", "1", "--json", "--column", "x"]
    assert main([*words, "-o", "one.parquet"]) == 0
    assert main([*words, "--column", "y", "-o", "two.parquet"]) == 0
    capsys.readouterr()
    found = audited(["one.parquet.release.json", "--claimed", "1"], capsys)
    assert 0.999 < found["guarantees"][0]["upper"] <= 1
    assert main(["audit", "two.parquet.release.json"]) == 2
    assert "--column" in capsys.readouterr().err
    one = audited(["two.parquet.release.json", "--column", "y"], capsys)
    assert one["guarantees"] == found["guarantees"]


def test_a_function_is_a_black_box_and_the_power_is_stated(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--function", "noisy_answers:noisy", "--inputs", "x,y", "--samples", "4000", "--claimed", "1"]
    found = audited(asked, capsys, code=1)
    assert found["exceeds_claim"]
    assert found["lower_bound"] > 3
    assert found["event"] in (["x"], ["y"])
    assert found["counts"][1] == 0
    assert 1 < found["found_in_99_of_100_cases"] < 2
    quiet = audited(["--function", "noisy_answers:silent", "--inputs", "x,y", "--samples", "100"], capsys)
    assert quiet["lower_bound"] <= 0
    assert not quiet["exceeds_claim"]
    slack = audited(
        ["--function", "noisy_answers:noisy", "--inputs", "x,y", "--samples", "4000", "--delta", "0.95"], capsys
    )
    assert not slack["exceeds_claim"]
    assert main(["audit", *asked]) == 1
    assert "99 of 100" in " ".join(capsys.readouterr().out.split())


def test_a_program_is_a_black_box(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = f"{sys.executable} -c 'import sys; print((sys.argv[1] + chr(10)) * int(sys.argv[2]))'"
    command = program.replace("print(", "print(end=") + " {input} {count}"
    found = audited(["--command", command, "--inputs", "x,y", "--samples", "2000", "--claimed", "3"], capsys, code=1)
    assert found["counts"] == [1000, 0]


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        ([], "Give a mechanism file"),
        (["mechanism.csv", "--function", "noisy_answers:noisy"], "Give a mechanism file"),
        (["--function", "noisy_answers:noisy"], "two inputs"),
        (["--function", "noisy_answers:number", "--inputs", "x,y"], "no function"),
        (["--function", "noisy_answers:nothing", "--inputs", "x,y"], "no function"),
        (["--function", "no_such_module:noisy", "--inputs", "x,y"], "no function"),
        (["mechanism.csv", "--source", "nothing.json"], "cannot be read"),
    ],
)
def test_audits_that_cannot_be_done_are_one_sentence(
    folder: Path, words: list[str], fragment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words]) == 2
    said = capsys.readouterr().err
    assert fragment in said
    assert len(said.splitlines()) == 1
