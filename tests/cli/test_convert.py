"""`epstar convert`: levels, curves, claims and refusals."""

from __future__ import annotations

import json
import math
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from epstar.cli.main import main
from epstar.mechanism import AnyMechanism
from epstar.notions import DifferentialPrivacy, MaximalLeakage

MUTUAL = ["--notion", "mutual_information", "--loss", "0.07", "--prior", "0.5,0.5"]
LOCAL = ["--to", "local_information_privacy"]


def schema(kind: str) -> Any:
    return json.loads(files("epstar").joinpath("schemas", f"{kind}-1.json").read_text(encoding="utf-8"))


def validated(kind: str, document: object) -> None:
    """Check a document against the schema that ships with the package."""
    registry: Registry[Any] = Registry().with_resources(
        [(schema(name)["$id"], Resource.from_contents(schema(name))) for name in ("mechanism", "problem")]
    )
    Draft202012Validator.check_schema(schema(kind))
    Draft202012Validator(schema(kind), registry=registry).validate(document)


def converted(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> Any:
    assert main(["convert", *arguments, "--json"]) == code
    printed = capsys.readouterr()
    assert printed.err == ""
    return json.loads(printed.out)


def test_a_level_with_its_chain(capsys: pytest.CaptureFixture[str]) -> None:
    found = converted(capsys, "--notion", "dp", "--loss", "log(3)", "--size", "4", "--to", "leakage")
    validated("conversion", found)
    assert found["level_exact"] == "log(2)"
    assert found["chain"][0]["direction"] == "differential privacy => maximal leakage"
    assert "alvim2011" in found["chain"][0]["theorem"]
    few = converted(capsys, "--notion", "dp", "--loss", "log(3)", "--size", "4", "--outputs", "2", "--to", "leakage")
    assert few["level_exact"] == "log(3/2)"


def test_a_whole_curve(capsys: pytest.CaptureFixture[str]) -> None:
    found = converted(capsys, *MUTUAL, *LOCAL)
    validated("conversion", found)
    deltas = [point["delta"] for point in found["curve"]]
    assert deltas == sorted(deltas, reverse=True)
    assert all(point["chain"][-1]["theorem"] for point in found["curve"])


def test_no_guarantee_is_said_plainly(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", *MUTUAL, "--to", "dp"]) == 0
    assert "no guarantee" in capsys.readouterr().out
    assert converted(capsys, *MUTUAL, "--to", "dp")["level"] == "infinity"


def test_every_notion_at_once(capsys: pytest.CaptureFixture[str]) -> None:
    found = converted(capsys, "--notion", "dp", "--loss", "1", "--prior", "0.5,0.3,0.2")["conversions"]
    names = {entry["to"]["name"] for entry in found}
    assert {"maximal_leakage", "mutual_information", "identifiability", "capacity"} <= names
    assert all(entry["level"] != "infinity" for entry in found)
    assert main(["convert", "--notion", "dp", "--loss", "1", "--size", "3", "--plot", "x.svg"]) == 2
    assert "say which with --to" in capsys.readouterr().err


def test_a_claim_follows_is_false_or_open(capsys: pytest.CaptureFixture[str]) -> None:
    start = ["--notion", "leakage", "--loss", "log(1.01)", "--size", "2"]
    broken = converted(capsys, *start, "--to", "dp", "--claim", "50", code=1)
    validated("conversion", broken)
    assert broken["verdict"] == "false"
    mechanism = AnyMechanism.from_json(broken["mechanism"])
    assert MaximalLeakage().loss(mechanism).value <= math.log(1.01) + 1e-12
    assert DifferentialPrivacy().loss(mechanism).value > 50
    assert converted(capsys, *start, "--to", "capacity", "--claim", "1")["verdict"] == "follows"
    pure = ["--notion", "dp", "--loss", "1", "--size", "3", "--to", "renyi", "--to-order", "2"]
    assert converted(capsys, *pure, "--claim", "1")["verdict"] == "follows"
    sibson = [
        "--notion",
        "renyi",
        "--order",
        "2",
        "--loss",
        "1",
        "--prior",
        "0.5,0.5",
        "--to",
        "sibson",
        "--to-order",
        "2",
    ]
    assert converted(capsys, *sibson, "--claim", "0.5")["verdict"] == "open"
    assert main(["convert", *MUTUAL, *LOCAL, "--claim", "1"]) == 2
    assert "give --to-delta" in capsys.readouterr().err


def test_a_curve_in_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "curve.json"
    document = {
        "notion": {"name": "approximate_differential_privacy"},
        "universe": {"size": 2},
        "at": {"curve": [[0, "1/2"], ["log(3)", 0]]},
        "to": {"name": "differential_privacy"},
    }
    file.write_text(json.dumps(document))
    assert converted(capsys, str(file))["level"] == pytest.approx(math.log(3))
    file.write_text(json.dumps(document | {"at": {"curve": [[0, "1/4"], [1, "1/2"]]}}))
    assert main(["convert", str(file)]) == 2
    assert "never rises" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "No guarantee was given"),
        (["--notion", "dp"], "No guarantee was given"),
        (["--notion", "mutual_information", "--loss", "1", "--to", "dp"], "say which priors are possible with --prior"),
        (["--notion", "dp", "--loss", "-1", "--to", "leakage"], "negative"),
        (["--notion", "dp", "--loss", "1", "--to", "nonsense"], "unknown"),
        (["--notion", "dp", "--loss", "1", "--to", "mutual_information"], "which priors are possible"),
        (["--notion", "dp", "--loss", "1", "--prior", "0.5,0.5", "--size", "2"], "not both"),
        (["no-such-file.json"], "cannot be read"),
    ],
)
def test_bad_input_gets_a_sentence(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["convert", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "one JSON object"),
        ({"colour": 1}, "no entry 'colour'"),
        ({"schema": "epstar/problem/9", "at": {}}, "is not known"),
        ({"at": {"loss": 1}}, "needs 'notion'"),
        ({"notion": {"name": "differential_privacy"}, "at": {}}, "must be {'loss': L}"),
        ({"notion": {"name": "differential_privacy"}, "at": {"curve": []}}, "A curve is a list of pairs"),
        ({"notion": {"name": "differential_privacy"}, "at": {"loss": 1}, "outputs": "two"}, "whole number"),
        ({"notion": {"name": "differential_privacy"}, "at": {"loss": 1}, "to": "dp"}, "must be an object"),
    ],
)
def test_bad_files_get_a_sentence(
    document: object, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "conversion.json"
    file.write_text(json.dumps(document))
    assert main(["convert", str(file)]) == 2
    assert message in capsys.readouterr().err
