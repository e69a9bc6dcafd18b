"""Absurd input is refused by the second checker in one sentence, at once, with exit code 1 or 2.

Both checkers refuse positions that are not whole numbers.
"""

import copy
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import check_proof
import pytest
from tests.proofs.cases import case

from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.proof.document import read_proof, write_proof
from epstar.source import Prior, Rows

DEEP = "[" * 100_000 + "]" * 100_000


def run(path: Path, content: str, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    path.write_text(content, encoding="utf-8")
    started = time.process_time()
    code = check_proof.main([str(path)])
    assert time.process_time() - started < 20
    said = capsys.readouterr()
    message = said.out + said.err
    assert message.count("\n") == 1
    assert len(message) < 300
    return code, message


def test_yes_no_and_cannot_tell(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answer = case(0).answer
    code, message = run(tmp_path / "a.json", json.dumps(answer), capsys)
    assert code == 0
    assert message.startswith("yes: the least distortion is between 0.46290548469209")
    changed = copy.deepcopy(answer["proof"])
    changed["converse"]["prices"][0] = "1"
    code, message = run(tmp_path / "b.json", json.dumps(changed), capsys)
    assert (code, message) == (1, "no: the column condition fails for output 0: the row prices are too high\n")
    code, message = run(tmp_path / "c.json", "{", capsys)
    assert code == 2
    assert "not valid JSON" in message
    assert check_proof.main([str(tmp_path / "missing.json")]) == 2


@pytest.mark.parametrize(
    "content",
    [
        "",
        "null",
        "[]",
        "{}",
        "NaN",
        '{"schema": "epstar/proof/1"}',
        '{"schema": "epstar/proof/2", "problem": {}, "mechanism": null, "converse": null}',
        '{"schema": NaN}',
        '{"schema": "epstar/answer/1", "proof": ' + DEEP + "}",
        DEEP,
        json.dumps({"schema": "epstar/proof/1", "problem": [[[]] * 10] * 10, "mechanism": 1, "converse": "x"}),
        '{"schema": ' + "9" * 10_000 + "}",
        '{"schema": 1e999999999}',
        '{"schema": "epstar/proof/1", "problem": {"universe": {"alphabet": [1e999999999, 2]}}}',
        "\x00",
    ],
)
def test_what_is_no_proof_cannot_be_read(content: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = run(tmp_path / "document.json", content, capsys)
    assert code == 2


def test_a_field_that_is_given_twice_has_two_readings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written = json.dumps(case(0).answer)
    code, message = run(tmp_path / "document.json", '{"lower": 0.5, ' + written[1:], capsys)
    assert (code, message) == (2, "cannot tell: a field is given twice in one object\n")


def alter(path: tuple[Any, ...], value: object) -> Callable[[dict[str, Any]], None]:
    def apply(proof: dict[str, Any]) -> None:
        part: Any = proof
        for key in path[:-1]:
            part = part[key]
        part[path[-1]] = value

    return apply


PRIMES = [p for p in range(2, 60_000) if all(p % q for q in range(2, int(p**0.5) + 1))]


@pytest.mark.parametrize(
    "change",
    [
        alter(("problem", "notion"), {"name": "differential_privacy", "delta": "1/10"}),
        alter(("problem", "universe"), {"size": -3}),
        alter(("problem", "universe"), {"size": 10**9}),
        alter(("problem", "universe"), {"databases": {"size": 10, "rows": 10**9}}),
        alter(("problem", "universe"), {"size": True}),
        alter(("problem", "universe"), {"metric": [["0", "1", "2"], ["1", "0", "1"], ["2"]]}),
        alter(("problem", "universe"), {"graph": {"nodes": [1, 2, 3, 4], "edges": [[0, 1], [1, 2]]}}),
        alter(("problem", "source"), {"everything": 10**12}),
        alter(("problem", "source"), {"prior": ["NaN", "1", "0", "0"]}),
        alter(("problem", "source"), {"prior": ["1e400000", "1", "0", "0"]}),
        alter(("problem", "source"), {"prior": ["1/0", "1", "0", "0"]}),
        alter(("problem", "source"), {"prior": ["2", "-1", "0", "0"]}),
        alter(("problem", "source"), {"box": {"lower": ["1"] * 4, "upper": ["1"] * 4}}),
        alter(("problem", "source"), {"polytope": {"matrix": [["1"] * 4], "bounds": ["1/2"]}}),
        alter(("problem", "at"), {"loss": "1e2000"}),
        alter(("problem", "at"), {"loss": "log(0)"}),
        alter(("problem", "at"), {"loss": "-1"}),
        alter(("problem", "notion"), {"name": "renyi_differential_privacy", "order": "-1"}),
        alter(("problem", "notion"), {"name": "renyi_differential_privacy", "order": "1e1999"}),
        alter(("problem", "notion"), {"name": ["differential_privacy"]}),
        alter(("problem", "distortion"), {"matrix": [[f"1/{p}" for p in PRIMES]] * 4}),
        alter(("mechanism", "active"), [10**30]),
        alter(("mechanism", "ratio"), "1/" + "9" * 2600),
        alter(("mechanism", "kind"), "product"),
        alter(("mechanism",), {"schema": "epstar/mechanism/1", "kind": "product", "blocks": []}),
        alter(("converse", "weight"), "0"),
        alter(("converse", "prices"), []),
        alter(("converse", "ratios"), [[-1, 0, "1"]]),
        alter(("converse", "ratios"), [[10**9, 0, "1"]]),
        alter(("converse", "distortion_law"), [["1", ["1", "0", "0", "0"]]]),
        alter(("converse", "distortion_law"), []),
    ],
)
def test_absurd_values_are_refused(
    change: Callable[[dict[str, Any]], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = copy.deepcopy(case(0).proof)
    change(proof)
    code, message = run(tmp_path / "document.json", json.dumps(proof), capsys)
    assert code in (1, 2), message


@pytest.mark.parametrize("place", [2.000001, 2.0, "2", True, None, -1])
@pytest.mark.parametrize(
    ("part", "entry", "places"),
    [("ratios", [0, 0, "1"], 2), ("maxima", [0, 0, 0, 0, "1"], 4), ("slopes", [0, 0, 0, ["1"]], 3)],
)
def test_a_position_that_is_not_a_whole_number_is_refused(
    part: str, entry: list[object], places: int, place: object
) -> None:
    for k in range(places):
        proof = copy.deepcopy(case(0).proof)
        proof["converse"][part] = [[*entry[:k], place, *entry[k + 1 :]]]
        with pytest.raises(InvalidInput, match="position in the proof must be"):
            read_proof(proof)
        with pytest.raises(check_proof.Unreadable, match="whole number"):
            check_proof.check_document(proof)


@pytest.mark.parametrize("count", [2.5, 0, "2", True])
def test_a_number_of_rows_that_is_not_a_whole_number_is_refused(count: object) -> None:
    frontier = Frontier(DifferentialPrivacy(), Rows(Prior(["2/3", "1/3"]), 3), Hamming())
    document = write_proof(frontier.distortion_at(loss=1).proof)
    (row,) = cast(list[list[object]], document["rows"])
    row[1] = count
    with pytest.raises(InvalidInput, match="number of rows that a proof is for must be"):
        read_proof(document)
    with pytest.raises(check_proof.Unreadable, match="whole number"):
        check_proof.check_document(json.loads(json.dumps(document)))


# However fast the machine is, this check never ends.
ENDLESS = """
import sys, check_proof
def endless(document):
    while True:
        pass
check_proof.check_document = endless
sys.exit(check_proof.main(sys.argv[1:]))
"""


def test_the_time_limit_ends_it(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(case(0).answer), encoding="utf-8")
    command = [sys.executable, "-c", ENDLESS, str(path), "--seconds", "0.1"]
    folder = Path(check_proof.__file__).parent
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 2
    assert "time limit" in done.stderr
