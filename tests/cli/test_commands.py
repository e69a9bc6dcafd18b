"""The commands as people type them: what they print, what they exit with, and what they say of bad input."""

import json
import random
from collections.abc import Sequence
from pathlib import Path

import check_proof
import pytest
from jsonschema import Draft202012Validator

from epstar.cli.main import main
from epstar.schema import schema

PRIOR = "0.4,0.3,0.2,0.1"
PROBLEM = {
    "schema": "epstar/problem/1",
    "notion": {"name": "differential_privacy"},
    "universe": {"alphabet": ["a", "b", "c", "d"]},
    "source": {"prior": ["4/10", "3/10", "2/10", "1/10"]},
    "distortion": {"name": "hamming"},
    "at": {"distortion": "1/5"},
}


def run(arguments: Sequence[object], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run one command; return its exit code and what it wrote to the two streams."""
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_solve_shows_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(["solve", "--notion", "dp", "--prior", PRIOR, "--distortion", "0.2"], capsys)
    assert (code, err) == (0, "")
    assert "log(12)" in out
    assert "closed form" in out
    assert "0.8000" in out


def test_a_check_within_no_time_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--notion", "local_information_privacy", "--prior", PRIOR, "--distortion", "0.2"]
    answer = tmp_path / "answer.json"
    code, out, _ = run(["solve", *asked, "--json"], capsys)
    answer.write_text(out, encoding="utf-8")
    code, out, err = run(["check", answer, "--time-limit", "0"], capsys)
    assert (code, out) == (4, "")
    assert "not checked within 0 seconds" in err
    assert run(["check", answer, "--time-limit", "60"], capsys)[0] == 0


def test_an_answer_travels_through_files_and_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    problem.write_text(json.dumps(PROBLEM))
    code, out, _ = run(["solve", problem, "--json"], capsys)
    assert code == 0
    document = json.loads(out)
    assert document["schema"] == "epstar/answer/2"
    assert document["upper_exact"] == document["lower_exact"] == "log(12)"
    assert document["unit"] == "nats"
    answer.write_text(out)
    code, out, _ = run(["check", answer], capsys)
    assert code == 0
    assert "2.48490664979" in out


@pytest.mark.parametrize("asked", [["dp", "--distortion", "-0.1"], ["identifiability", "--loss", "1/10"]], ids=str)
def test_that_there_is_no_solution_is_proven(
    asked: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(["solve", "--prior", PRIOR, "--json", "--notion", *asked], capsys)
    assert code == 3
    assert err.startswith("epstar: No mechanism has")
    witness = tmp_path / "witness.json"
    witness.write_text(out)
    code, out, _ = run(["check", witness], capsys)
    assert code == 0
    assert "No mechanism has" in out
    assert check_proof.main([str(witness)]) == 0


def test_a_spoilt_proof_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem, answer = tmp_path / "problem.json", tmp_path / "answer.json"
    problem.write_text(json.dumps(PROBLEM))
    _, out, _ = run(["solve", problem, "--json"], capsys)
    document = json.loads(out)
    document["proof"]["excluded"]["loss"] = "log(13)"
    answer.write_text(json.dumps(document))
    code, out, err = run(["check", answer], capsys)
    assert code == 1
    assert out == ""
    assert err.startswith("epstar: ")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["solve", "--notion", "dp", "--prior", PRIOR, "--distortion", "-1"], 3, "No mechanism"),
        (["solve", "--notion", "nonsense", "--prior", PRIOR, "--distortion", "0.2"], 2, "unknown"),
        (["solve", "--notion", "dp", "--prior", "0.4,0.3", "--distortion", "0.2"], 2, "sums to"),
        (["solve", "--notion", "dp", "--prior", "0.4,x", "--distortion", "0.2"], 2, "not a number"),
        (["solve", "--notion", "dp", "--prior", PRIOR], 2, "Ask for one point"),
        (["solve", "--notion", "dp", "--distortion", "0.2"], 2, "Say what is known"),
        (["solve"], 2, "No notion of privacy was given"),
        (["solve", "no-such-file.json"], 2, "cannot be read"),
        (["solve", "--notion", "identifiability", "--prior", PRIOR, "--loss", "0.1"], 3, "the prior alone"),
        (["check", "no-such-file.json"], 2, "cannot be read"),
        (["theorem", "kalantari2018:thm-99"], 2, "There is no claim"),
        (["reproduce"], 2, "Say what to reproduce"),
        (["reproduce", "kalantari2018", "fig99"], 2, "There is no such figure"),
        (["audit"], 2, "Give a mechanism file"),
        (["estimate", "no-such-table.csv", "--column", "a"], 2, "There is no release file"),
    ],
)
def test_bad_input_gets_a_sentence(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found, out, err = run(arguments, capsys)
    assert found == code
    assert message in err
    assert err.startswith("epstar: ")
    assert err.count("\n") == 1
    assert out == ""


def test_what_others_call_things(capsys: pytest.CaptureFixture[str]) -> None:
    for short, title in (
        ("zcdp", "concentrated differential privacy: least distortion at loss 1 (ρ"),
        ("gdp", "Gaussian differential privacy: least distortion at loss 1 (μ"),
        ("mi", "mutual information: least distortion at loss 1 (nats)"),
    ):
        code, out, _ = run(["solve", "--notion", short, "--prior", "0.5,0.3,0.2", "--epsilon", "1"], capsys)
        assert (code, out.splitlines()[0].startswith(title)) == (0, True)


def test_the_papers_are_listed_and_named_in_any_case(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["theorem", "--json"], capsys)
    papers = json.loads(out)
    assert code == 0
    Draft202012Validator(schema("epstar/papers/1")).validate(papers)
    assert sum(paper["claims"] for paper in papers["papers"]) > 600
    assert "kalantari2018" in run(["theorem"], capsys)[1]
    assert run(["theorem", "Kalantari2018:Lemma-1", "--json"], capsys)[0] == 0


def test_a_file_without_a_proof_is_told_what_carries_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for content in ("{}", '{"schema": "epstar/plan/1"}'):
        (tmp_path / "other.json").write_text(content, encoding="utf-8")
        code, _, err = run(["check", str(tmp_path / "other.json")], capsys)
        assert (code, "carries no proof" in err) == (2, True)


def test_an_audit_says_whether_the_claim_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    matrix = tmp_path / "matrix.csv"
    matrix.write_text("0.75,0.25\n0.25,0.75\n", encoding="utf-8")
    for claimed, code, words in (("log(3)", 0, "is at most what was claimed"), ("1.0986", 1, "exceeds the claimed")):
        found, out, _ = run(["audit", str(matrix), "--claimed", claimed], capsys)
        assert (found, words in out) == (code, True)


def test_a_theorem_is_recomputed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["theorem", "kalantari2018:lemma-1", "--json"], capsys)
    assert code == 0
    assert json.loads(out)["verdict"] == "fails"
    assert json.loads(out)["printed_wrong"] > 0


def test_a_figure_is_written_as_data_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, _ = run(["reproduce", "kalantari2018", "table1", "-o", tmp_path], capsys)
    names = {path.suffix for path in tmp_path.iterdir()}
    assert (code, names) == (0, {".csv", ".svg", ".png"})


def test_a_table_is_released_estimated_and_its_mechanism_audited(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generator = random.Random(5)
    rows = [generator.choice(["flu"] * 5 + ["cold"] * 3 + ["none"] * 2) for _ in range(20_000)]
    table, output = tmp_path / "table.csv", tmp_path / "out.csv"
    table.write_text("id,disease\n" + "".join(f"{i},{value}\n" for i, value in enumerate(rows)))
    asked = ["release", table, "--column", "disease", "--categories", "flu,cold,none", "--loss", "1.0", "-o", output]
    code, out, _ = run([*asked, "--json"], capsys)
    assert (code, json.loads(out)["rows"]) == (0, 20_000)
    code, _, err = run(asked, capsys)
    assert code == 2
    assert "exists" in err
    code, out, _ = run(["estimate", output, "--column", "disease", "--confidence", "0.999999999999", "--json"], capsys)
    cells = {tuple(cell["labels"]): cell for cell in json.loads(out)["cells"]}
    assert code == 0
    assert cells["flu",]["lower"] <= rows.count("flu") / len(rows) <= cells["flu",]["upper"]
    matrix = tmp_path / "mechanism.csv"
    matrix.write_text("3/4,1/4\n1/4,3/4\n")
    code, out, _ = run(["audit", matrix, "--json"], capsys)
    assert code == 0
    assert json.loads(out)["guarantees"][0]["exact"] == "log(3)"


def test_the_demo_proves_every_notion(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(["demo"], capsys)
    assert code == 0
    assert "log(12)" in out
    assert "infinite" not in out
