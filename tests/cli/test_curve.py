"""`epstar curve`: its points, its formats, and what it says when there is nothing to show."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import check_proof
import pytest

from epstar.cli.main import main

FOUR = ["--prior", "0.4,0.3,0.2,0.1"]
Check = Callable[[dict[str, Any]], list[int]]


@pytest.fixture
def check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Check:
    """The exit codes of both checkers."""

    def codes(document: dict[str, Any]) -> list[int]:
        file = tmp_path / "document.json"
        file.write_text(json.dumps(document), encoding="utf-8")
        found = [main(["check", str(file)]), check_proof.main([str(file)])]
        capsys.readouterr()
        return found

    return codes


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["curve", *arguments]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return captured.out


def curve(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(shown(capsys, *arguments, "--json"))
    return document


def test_points_cover_the_whole_trade_off(capsys: pytest.CaptureFixture[str]) -> None:
    points = curve(capsys, "--notion", "dp", *FOUR, "--points", "5")["points"]
    assert points[0]["lower"] == "infinity"
    assert [point["upper_exact"] for point in points[1:]] == ["log(17)", "log(7)", "log(22/7)", "0"]
    assert len(curve(capsys, "--notion", "leakage", *FOUR)["points"]) == 50


def test_a_table_with_a_point_that_has_no_mechanism(capsys: pytest.CaptureFixture[str]) -> None:
    table = shown(capsys, "--notion", "dp", *FOUR, "--distortion=-1,0.2")
    assert "no mechanism" in table
    assert "2.48490664979" in table
    for cost in ("hamming", "absolute"):
        document = curve(capsys, "--notion", "dp", *FOUR, "--cost", cost, "--distortion=-1,0.2")
        first, second = document["points"]
        assert (first["at"], first["lower"], first["upper"]) == ("-1", "infinity", "infinity")
        assert second["at"] == "1/5"
        assert "attained" not in first
        assert first["excluded"]["loss"] == "infinity"
        assert {"attained", "excluded"} <= set(second)


def test_several_losses(capsys: pytest.CaptureFixture[str]) -> None:
    document = curve(capsys, "--notion", "dp", *FOUR, "--loss", "0,log(7)")
    assert (document["schema"], document["asks"], document["unit"]) == ("epstar/curve/2", "distortion", "distortion")
    assert [point["upper_exact"] for point in document["points"]] == ["3/5", "3/10"]


def test_a_problem_file_without_a_point(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    problem = {
        "notion": {"name": "maximal_leakage"},
        "source": {"prior": ["1/2", "1/2"]},
        "distortion": {"name": "hamming"},
    }
    file = tmp_path / "problem.json"
    file.write_text(json.dumps(problem), encoding="utf-8")
    points = curve(capsys, str(file), "--points", "3")["points"]
    assert [point["upper_exact"] for point in points] == ["log(2)", "log(3/2)", "0"]
    file.write_text(json.dumps({**problem, "at": {"curve": ["1/4"]}}), encoding="utf-8")
    assert len(curve(capsys, str(file))["points"]) == 1


def test_a_time_limit_is_reported_and_claims_nothing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, check: Check
) -> None:
    arguments = ["curve", "--notion", "maximal_information", *FOUR, "--points", "9", "--time-limit", "0"]
    assert main(arguments) == 4
    assert "time limit" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == 4
    document = json.loads(capsys.readouterr().out)
    assert document["points"][3] == {"at": document["points"][3]["at"], "lower": None, "upper": None}
    assert check(document) == [0, 0]
    document["points"][3]["lower"] = 0.1
    assert 0 not in check(document)


def test_a_point_without_a_mechanism_is_proven_to_have_none(capsys: pytest.CaptureFixture[str], check: Check) -> None:
    document = curve(capsys, "--notion", "dp", *FOUR, "--cost", "absolute", "--distortion=-1,0.2")
    assert check(document) == [0, 0]
    document["points"][0]["upper"] = 3
    assert 0 not in check(document)
    # Without the claim the ends stand alone.
    document["points"][0]["upper"] = "infinity"
    del document["points"][0]["excluded"]
    assert 0 not in check(document)


def test_points_of_two_trade_offs_are_no_curve(capsys: pytest.CaptureFixture[str], check: Check) -> None:
    document = curve(capsys, "--notion", "dp", *FOUR, "--cost", "absolute", "--distortion", "0.2,0.3")
    other = curve(capsys, "--notion", "dp", *FOUR, "--cost", "squared", "--distortion", "0.3")
    assert check(document) == [0, 0]
    document["points"][1] = other["points"][0]
    assert check(document) == [1, 1]


@pytest.mark.parametrize("cost", ["hamming", "absolute"])
def test_another_unit_is_another_claim(capsys: pytest.CaptureFixture[str], check: Check, cost: str) -> None:
    document = curve(capsys, "--notion", "dp", *FOUR, "--cost", cost, "--distortion", "0.2")
    assert check(document) == [0, 0]
    assert 0 not in check(document | {"unit": "bits"})


def test_what_a_curve_rests_on(capsys: pytest.CaptureFixture[str]) -> None:
    assert "zhong2022" in shown(capsys, "--notion", "dp", *FOUR, "--distortion", "0.1,0.9", "--cite")


def test_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curve.svg"
    shown(capsys, "--notion", "dp", *FOUR, "--points", "4", "--plot", str(file))
    assert "differential privacy" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--notion", "dp", *FOUR, "--points", "5", "--distortion", "0.1"], 2, "leave out --distortion"),
        (["--notion", "dp", *FOUR, "--points", "1"], 2, "not between 2 and 10000"),
        (["--notion", "dp", *FOUR, "--plot", "curve.gif"], 2, "no format"),
        (["--notion", "identifiability", "--prior", "0.5,0.5,0"], 3, "infinitely identifiable"),
        (["--notion", "dp", *FOUR, "--distortion", "0.1", "--loss", "1"], 2, "Ask for one point"),
    ],
)
def test_errors_are_one_sentence(
    capsys: pytest.CaptureFixture[str], arguments: list[str], code: int, message: str
) -> None:
    assert main(["curve", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert captured.err.count("\n") == 1
