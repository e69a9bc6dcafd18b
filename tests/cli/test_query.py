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


def test_one_individual_when_the_others_are_known(capsys: pytest.CaptureFixture[str]) -> None:
    query = [*named("sum", 3, 3), "--loss", "log(2)", "--others", "0,2"]
    found = asked(capsys, *query, "--individual", "1")["individual_given_others"]
    # 29 times the rows for the sums 2, 3 and 4: the largest of each column is 8, 5, 4, 7, 4, 5 and 8.
    assert found["exactly"] == "log(41/29)"
    assert found["leakage"] == pytest.approx(math.log(41 / 29))
    assert found["leakage"] <= found["bound"] == pytest.approx(math.log(3 / 2))
    assert found["printed_bound"] == pytest.approx(math.log(2))
    sure = asked(capsys, *query, "--value-prior", "0,1,0")["individual_given_others"]
    assert (sure["individual"], sure["others"], sure["leakage"]) == (0, [0, 2], 0)
    assert main(["query", *query]) == 0
    assert "about individual 0, the others being (0, 2)" in capsys.readouterr().out
    alone = asked(capsys, *named("max", 1, 3), "--loss", "log(2)", "--others", "")["individual_given_others"]
    assert alone["exactly"] == "log(3/2)"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--loss", "1", "--others", "0"], "the values of the 2 others are needed"),
        (["--loss", "1", "--others", "0,x"], "'x' in --others is not a value"),
        (["--loss", "1", "--others", "0,9"], "9 is not a label"),
        (["--loss", "1", "--others", "0,1", "--individual", "3"], "One of the 3 individuals"),
        (["--loss", "1", "--others", "0,1", "--value-prior", "1"], "1 entries for 3 values"),
        (["--loss", "1", "--individual", "0"], "give their values with --others"),
        (["--others", "0,1"], "give --loss"),
    ],
)
def test_questions_about_nobody(capsys: pytest.CaptureFixture[str], arguments: list[str], sentence: str) -> None:
    assert main(["query", *named("sum", 3, 3), *arguments]) == 2
    assert sentence in capsys.readouterr().err


def test_the_pair_that_attains_the_level(capsys: pytest.CaptureFixture[str]) -> None:
    few = asked(capsys, *named("plurality_with_tie", 9, 3), "--loss", "1")["system"]
    assert few["attained_at"] == {"answers": ["0", "1"], "output": "0"}
    left, right = few["attained_by"]
    assert sum(a != b for a, b in zip(left, right, strict=True)) == 1
    many = asked(capsys, *named("count", 5000, 2), "--loss", "1")["system"]
    assert many["attained_by"] is None
    assert many["attained_at"] == {"answers": ["0", "1"], "output": "0"}
