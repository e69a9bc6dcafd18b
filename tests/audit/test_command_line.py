"""`epstar audit` on the command line: matrices with a source set, and black boxes that are programs or functions."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epstar.cli.main import main
from epstar.mechanism import Mechanism

FUNCTION = """
import random

def noisy(given, count):
    return [given if random.random() < 0.9 else "z" for _ in range(count)]

def silent(given, count):
    return ["same"] * count

def laplace(given, count):
    return [(given == "x") + random.expovariate(1) - random.expovariate(1) for _ in range(count)]

def failing(given, count):
    raise RuntimeError("what went wrong")

def listing(given, count):
    return [[given]] * count

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
    (tmp_path / "broken_answers.py").write_text("1 / 0\n", encoding="utf-8")
    (tmp_path / "latin.csv").write_bytes(b"1,0\n0,\xbd\n")
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


def test_an_event_of_continuous_noise_is_an_interval_that_is_told(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--function", "noisy_answers:laplace", "--inputs", "x,y", "--samples", "20000", "--claimed", "0.5"]
    assert main(["audit", *asked]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "the event was the answer above " in said
    assert "others like it" in said


def test_a_matrix_may_begin_with_the_mark_of_its_byte_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "marked.csv").write_text("\ufeff1/2,1/2\r\n1/4,3/4\r\n", encoding="utf-8")
    assert audited(["marked.csv"], capsys)["guarantees"][0]["exact"] == "log(2)"


def test_a_matrix_may_have_labels_around_it(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labelled.csv").write_text(',"a, b",c\n\n"say ""x""",1/2,1/2\ny,1/4,3/4\n', encoding="utf-8")
    document = audited(["labelled.csv"], capsys)
    # Outputs of other names than the inputs have no Hamming cost; what is lost can be told all the same.
    assert document["distortion"] is document["least_loss"] is None
    assert main(["audit", "labelled.csv"]) == 0
    assert "not told: The distortion has no cost" in " ".join(capsys.readouterr().out.split())
    found = document["guarantees"][0]
    assert found["exact"] == "log(2)"
    assert found["attained_at"] == {"inputs": ['say "x"', "y"], "outputs": ["a, b"]}


def test_a_mechanism_of_floats_is_read_back(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = Mechanism([[0.1, 0.9], [0.3, 0.7]]).to_json()
    (folder / "floats.json").write_text(json.dumps(document), encoding="utf-8")
    assert main(["audit", "floats.json"]) == 0
    assert "1.09861" in capsys.readouterr().out


def test_rounded_decimals_are_taken_as_floats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "rounded.csv").write_text("0.1,0.2,0.7000000000000001\n0.3,0.3,0.4\n", encoding="utf-8")
    assert main(["audit", "rounded.csv"]) == 0
    assert "1.09861" in capsys.readouterr().out
    for content, fragment in (
        ("0.1,0.2\n0.5,0.5\n", "sum"),
        ("", "empty"),
        ("a,b\n1,0\n", "not a number"),
        (",x\n", ""),
    ):
        (folder / "wrong.csv").write_text(content, encoding="utf-8")
        assert main(["audit", "wrong.csv"]) == 2
        assert fragment in capsys.readouterr().err


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
        (["--function", "noisy_answers:failing", "--inputs", "x,y"], "try it by hand"),
        (["--function", "noisy_answers:listing", "--inputs", "x,y"], "cannot be counted"),
        (["--function", "broken_answers:noisy", "--inputs", "x,y"], "no function"),
        (["mechanism.csv", "--source", "nothing.json"], "cannot be read"),
        (["latin.csv"], "not UTF-8"),
    ],
)
def test_audits_that_cannot_be_done_are_one_sentence(
    folder: Path, words: list[str], fragment: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", *words]) == 2
    said = capsys.readouterr().err
    assert fragment in said
    assert len(said.splitlines()) == 1
