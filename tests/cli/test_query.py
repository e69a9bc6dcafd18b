"""`epstar query`: graphs, optima, leakages and refusals."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_convert import validated

from epstar.cli.main import main


def asked(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["query", *arguments, "--json"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    document = json.loads(printed.out)
    validated("query", document)
    return document


def named(name: str, individuals: int, values: int) -> list[str]:
    return ["--name", name, "--individuals", str(individuals), "--values", str(values)]


def test_counting(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *named("count", 5, 2), "--loss", "log(2)")
    assert found["query"]["answers"] == 6
    assert found["query"]["tree"]
    assert found["optimum"]["lower"] <= 4 / 9 <= found["optimum"]["upper"]
    system = found["system"]
    assert system["level"] == pytest.approx(math.log(2))
    assert len(system["attained_by"]) == 2
    assert system["individual"]["leakage"] == pytest.approx(math.log(4 / 3))
    assert system["database"]["leakage"] <= system["database"]["range_bound"] <= system["database"]["bound"]


def test_a_million_individuals(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *named("count", 100_000, 2), "--loss", "1")
    assert found["optimum"]["lower"] == pytest.approx((math.e - 1) / (math.e + 1), rel=1e-4)
    assert found["optimum"]["mechanism"] is None
    assert found["system"]["individual"]["leakage"] == pytest.approx(found["system"]["individual"]["bound"])
    graph = asked(capsys, *named("count", 3_000_000, 2))
    assert graph["query"]["diameter"] == 3_000_000
    assert "optimum" not in graph


def test_what_obliviousness_costs(capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, *named("max", 2, 2), "--loss", "log(4)", "--compare-unrestricted")
    cost = found["unrestricted"]
    assert cost["oblivious"]["upper"] == pytest.approx(4 / 5)
    assert cost["unrestricted"]["upper"] == pytest.approx(67 / 80)
    assert main(["query", *named("max", 2, 2), "--loss", "log(4)", "--compare-unrestricted"]) == 0
    assert "costs 0.0375" in capsys.readouterr().out


def test_a_prior_and_a_gain_from_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "query.json"
    problem = {
        "schema": "epstar/problem/1",
        "universe": {"query": {"name": "count_mod", "individuals": 9, "values": 2, "modulus": 4}},
        "source": {"prior": ["1/2", "1/6", "1/6", "1/6"]},
        "distortion": {"gain": [[1, 0], [1, 0], [0, 1], [0, 1]]},
        "at": {"loss": "log(2)"},
    }
    file.write_text(json.dumps(problem))
    found = asked(capsys, str(file))
    assert found["query"]["vertex_transitive"]
    assert 2 / 3 <= found["optimum"]["upper"] <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs --name"),
        (["--name", "count"], "needs --individuals"),
        ([*named("variance", 3, 2)], "not a query with a known shape"),
        ([*named("count", 3, 2), "--loss", "-1"], "negative"),
        ([*named("count", 3, 2), "--loss", "1", "--prior", "0.5,0.5"], "4 answers"),
        ([*named("count", 3, 2), "--plot", "x.svg"], "give --loss"),
        ([*named("count_mod", 3, 2), "--loss", "1"], "modulus"),
        ([*named("count", 40, 3), "--loss", "1", "--compare-unrestricted"], "too many"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"universe": {"size": 3}}, "The query has no 'name'"),
        ({"universe": 3}, "'universe' is {'query': {...}}"),
        ({"colour": 3}, "no entry 'colour'"),
        ({"schema": "epstar/problem/2"}, "is not known"),
        ({"notion": {"name": "maximal_leakage"}}, "use `epstar solve`"),
        ({"source": {"everything": 4}}, "one prior on its answers"),
        ({"distortion": {"name": "absolute"}}, "is a gain"),
        ({"at": {"distortion": 1}}, "must be {'loss': L}"),
    ],
)
def test_bad_files_get_a_sentence(
    changed: dict[str, object], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "query.json"
    problem: dict[str, object] = {"universe": {"query": {"name": "count", "individuals": 3, "values": 2}}}
    file.write_text(json.dumps(problem | changed))
    assert main(["query", str(file)]) == 2
    assert message in capsys.readouterr().err
