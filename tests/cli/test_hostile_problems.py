"""Problem files that are wrong, strange or enormous: one sentence, never a traceback, never a silent misreading."""

import io
import json
from pathlib import Path
from typing import Any

import pytest

from epstar.cli.main import main

PROBLEM: dict[str, Any] = {
    "notion": {"name": "differential_privacy"},
    "source": {"prior": ["4/10", "3/10", "2/10", "1/10"]},
    "distortion": {"name": "hamming"},
    "at": {"distortion": "1/5"},
}
ROWS: dict[str, Any] = {"databases": {"size": 2, "rows": 2}}
COIN: dict[str, Any] = {"prior": ["1/2", "1/2"]}


@pytest.fixture
def solve(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(content: str, *options: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        code = main(["solve", "-", *options])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"universe": {"size": 10**12}}, "too large to list"),
        ({"universe": None, "source": {"everything": 10**9}}, "too large to list"),
        ({"universe": {"databases": {"size": 2, "rows": 10**6}}}, "2**1000000 or more; make them agree"),
        ({"universe": {"graph": {"nodes": 4, "edges": 5}}}, "a list of 'edges'"),
        ({"universe": {"graph": {"nodes": 4, "edges": [5]}}}, "An edge must be an ordered list"),
        ({"universe": {"graph": {"nodes": 4, "edges": ["01"]}}}, "An edge must be an ordered list"),
        ({"universe": {"graph": {"nodes": 4, "edges": [], "weights": []}}}, "nothing else"),
        ({"universe": {"databases": {"size": 2, "rows": 2, "row": 3}}}, "nothing else"),
        ({"universe": {"databases": {"size": 2, "alphabet": ["a", "b"], "rows": 2}}}, "nothing else"),
        ({"universe": ROWS, "source": {"rows": COIN, "prior": ["1/4"] * 4}}, "nothing else"),
        ({"universe": ROWS, "source": {"rows": COIN, "iid": "no"}}, "true or false"),
        ({"universe": ROWS, "source": {"rows": [COIN, COIN], "iid": True}}, "do not share a distribution"),
        ({"at": {"loss": "-infinity"}}, "not a number"),
        ({"source": {"polytope": {"matrix": [[1, 1, 1, 1]], "bounds": ["1/2"]}}}, "The Polytope holds no distribution"),
        ({"source": {"box": {"lower": [0] * 4, "upper": ["1/5"] * 4}}}, "The Box holds no distribution"),
    ],
    ids=str,
)
def test_a_wrong_problem_gets_one_sentence(changed: dict[str, Any], message: str, solve: Any) -> None:
    code, out, err = solve(json.dumps(PROBLEM | changed), "--json")
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("epstar: ")
    assert err.count("\n") == 1


def test_an_endless_number_gets_one_sentence(solve: Any) -> None:
    code, _, err = solve(f'{{"at": {"9" * 5000}}}')
    assert code == 2
    assert "5000 digits is too long" in err


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"at": {"distortion": NaN}}', "NaN is not a JSON number"),
        ('{"at": {"distortion": -Infinity}}', "-Infinity is not a JSON number"),
        ('{"at": {"distortion": "1/5"}, "at": {"distortion": "1/4"}}', "The entry 'at' stands twice"),
        ("[" * 100_000, "nested too deeply"),
        ("{", "Standard input is not valid JSON at line 1"),
        ("\ufeff\ufeff{}", "not valid JSON"),
        ('{"notion": {"name": "' + "a" * 10_000 + '"}}', "has no 'source'"),
    ],
    ids=["nan", "infinity", "twice", "nested", "cut short", "two marks", "long name"],
)
def test_what_has_no_reading_or_two_gets_one_sentence(content: str, message: str, solve: Any) -> None:
    code, out, err = solve(content)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1
    assert len(err) < 200


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (b'"1/0"', "not a number"),
        (b'"\xef\xbc\x91/\xef\xbc\x95"', "not a number"),
        (b"true", "not a number"),
        (b"1e999999999", "exponent"),
        (b'"1e-999999999"', "exponent"),
        (b'"log(0)"', "log"),
        (b"[1]", "not a number"),
        (b"null", "not a number"),
    ],
    ids=str,
)
def test_numbers_that_are_none_get_one_sentence(value: bytes, message: str, solve: Any) -> None:
    content = json.dumps(PROBLEM).replace('"1/5"', value.decode())
    code, out, err = solve(content)
    assert (code, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("value", ["-0", "-0.0", '"-0"', "0e5"])
def test_minus_zero_is_zero(value: str, solve: Any) -> None:
    content = json.dumps(PROBLEM | {"notion": {"name": "maximal_leakage"}}).replace('"1/5"', value)
    code, out, _ = solve(content, "--json")
    assert code == 0
    assert json.loads(out)["upper_exact"] == "log(4)"


def test_lines_may_end_as_they_do_elsewhere(solve: Any) -> None:
    code, out, _ = solve(json.dumps(PROBLEM, indent=1).replace("\n", "\r\n"), "--json")
    assert code == 0
    assert json.loads(out)["upper_exact"] == "log(12)"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "latin-1"])
def test_other_encodings_are_refused_from_a_file_and_from_standard_input(
    encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = json.dumps(PROBLEM | {"universe": {"alphabet": list("abc\u00e9")}}, ensure_ascii=False).encode(encoding)
    file = tmp_path / "problem.json"
    file.write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    for name in (str(file), "-"):
        assert main(["solve", name]) == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.count("\n") == 1
        assert "not UTF-8 text" in printed.err or "not valid JSON" in printed.err


def test_a_number_of_databases_that_nobody_can_write_is_refused(solve: Any) -> None:
    for rows in (10**9, 10**3000):
        problem = PROBLEM | {"universe": {"databases": {"size": 2, "rows": rows}}, "source": {"rows": COIN}}
        code, _, err = solve(json.dumps(problem))
        assert code == 2
        assert "too many to be counted" in err


def test_a_label_that_json_cannot_hold_is_refused(solve: Any) -> None:
    content = json.dumps(PROBLEM | {"universe": {"alphabet": ["a", "b", "c", "d"]}}).replace('"d"', "1e999")
    code, _, err = solve(content, "--json")
    assert code == 2
    assert "label" in err


def test_options_beside_a_file_are_refused_not_ignored(solve: Any) -> None:
    for option, value in (("--distortion", "0.3"), ("--notion", "leakage"), ("--cost", "absolute"), ("--size", "4")):
        code, out, err = solve(json.dumps(PROBLEM), option, value, "--json")
        assert (code, out) == (2, "")
        assert f"leave out {option}" in err


def test_the_mark_of_a_byte_order_is_no_error(solve: Any) -> None:
    code, out, _ = solve("\ufeff" + json.dumps(PROBLEM), "--json")
    assert code == 0
    assert json.loads(out)["upper_exact"] == "log(12)"


def test_labels_are_shown_as_they_are(solve: Any) -> None:
    labels = ["[/a]", "[bold]b", ":red_circle:", 0.5]
    code, out, err = solve(json.dumps(PROBLEM | {"universe": {"alphabet": labels}}))
    assert (code, err) == (0, "")
    for label in labels:
        assert str(label) in out


def test_decimal_labels_are_numbers(solve: Any) -> None:
    problem = PROBLEM | {
        "universe": {"alphabet": [0.5, 1.5, 2.5, 4.5]},
        "distortion": {"name": "absolute"},
        "at": {"loss": 0},
    }
    code, out, _ = solve(json.dumps(problem), "--json")
    assert code == 0
    # The median is 1.5: 4/10 * 1 + 2/10 * 1 + 1/10 * 3.
    assert json.loads(out)["upper_exact"] == "9/10"


@pytest.mark.parametrize(
    ("loss", "lower", "upper"),
    [("infinity", 0, 0), ("1e400", 0, 1e-300), (10**8, 0, 1e-300), ("1e-400", 0.75, 0.75)],
)
@pytest.mark.parametrize("notion", ["differential_privacy", "identifiability", "maximal_leakage"])
def test_levels_beyond_all_floats(notion: str, loss: object, lower: float, upper: float, solve: Any) -> None:
    problem = PROBLEM | {"notion": {"name": notion}, "source": {"prior": ["1/4"] * 4}, "at": {"loss": loss}}
    code, out, err = solve(json.dumps(problem), "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert lower - 1e-15 <= found["lower"] <= found["upper"] <= upper + 1e-15


def test_information_at_a_level_beyond_all_floats(solve: Any) -> None:
    cost = {"matrix": [[0, 1, "1/2"], [1, 0, "1/2"], ["3/10", 1, "1/10"], [1, "1/7", 0]]}
    problem = PROBLEM | {"notion": {"name": "mutual_information"}, "distortion": cost, "at": {"loss": "1e400"}}
    code, out, _ = solve(json.dumps(problem), "--json")
    assert code == 0
    assert json.loads(out)["upper_exact"] == json.loads(out)["lower_exact"] == "1/50"
