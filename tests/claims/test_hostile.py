"""Documents that somebody forged: no field is overlooked, no number is read in two ways, and none costs much."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import check_proof
import pytest
from tests.proofs.certificates import EVEN, HAND_MADE, Document, proof
from tests.proofs.test_check_proof import ANSWER, changed

from epstar.cli.main import main
from epstar.errors import EpstarError
from epstar.json_document import parse_json
from epstar.statement import established

# Two thousand digits above and below, with no factor in common.
LONG, REST = f"{10**1989 + 7}/{3 * 10**1990 + 1}", f"{3 * 10**1990 - 10**1989 - 6}/{3 * 10**1990 + 1}"
SLOW = "many digits of many logarithms"
ROWS = {"databases": {"size": 2, "rows": 12}}
ROW: Document = {"loss": "1", "distortion": "0", "open": "loss", "steps": []}


def accepted(content: bytes) -> tuple[bool, bool]:
    """Return whether each of the checkers believes a document; whatever else they raise is a failure."""
    try:
        first = bool(established(parse_json(content)).sentences)
    except EpstarError:
        first = False
    try:
        second = bool(check_proof.check(content))
    except (check_proof.Refused, check_proof.Unreadable):
        second = False
    return first, second


def one_answer(inputs: int, **attained: object) -> Document:
    """Return a claim about a mechanism that has one answer for all."""
    return {"loss": "0", "distortion": "0", "mechanism": {"rows": [["1"]] * inputs}, **attained}


def nothing(inputs: int) -> Document:
    """Return a table of costs for one answer."""
    return {"matrix": [["0"]] * inputs}


COSTLY: dict[str, Document] = {
    "long numbers of rows": proof(
        "differential_privacy",
        {"prior": ["1", *["0"] * 4095]},
        universe=ROWS,
        excluded={
            **{name: value for name, value in ROW.items() if name != "steps"},
            "rows": [[{"source": {"prior": [LONG, REST]}, "excluded": ROW}, 12]],
        },
    ),
    "long numbers of a source": proof(
        "mutual_information",
        {"rows": {"prior": [LONG, REST]}, "iid": True},
        distortion=nothing(4096),
        universe=ROWS,
        attained=one_answer(4096),
    ),
    "long numbers of cells": proof(
        "differential_privacy",
        {"rows": {"box": {"lower": [LONG, "0"], "upper": ["1", "1"]}}, "iid": True},
        distortion=nothing(256),
        universe={"databases": {"size": 2, "rows": 8}},
        attained=one_answer(256),
    ),
    "many pairs": proof(
        {"name": "renyi_differential_privacy", "order": "3/2"},
        {"everything": 2400},
        distortion=nothing(2400),
        attained=one_answer(2400),
    ),
    "many databases": proof(
        "differential_privacy", {"everything": 1 << 40}, universe={"size": 1 << 40}, excluded={**ROW, "loss": "0"}
    ),
    "many outputs": proof("differential_privacy", {"everything": 1 << 20}, excluded={**ROW, "steps": [{}]}),
    "a loss beyond all powers": proof(
        "differential_privacy",
        EVEN,
        excluded={**ROW, "loss": "1e3999", "steps": [{"laws": [["1", 0]], "ratios": [[0, 1, 1, "1"]]}]},
    ),
    SLOW: proof(
        "mutual_information",
        {"prior": ["1/200"] * 200},
        distortion={"matrix": [["0", "0"]] * 200},
        attained={
            **one_answer(200, loss="1", digits=2000),
            "mechanism": {"rows": [[f"1/{n}", f"{n - 1}/{n}"] for n in range(2, 202)]},
        },
    ),
}


@pytest.mark.parametrize(
    "name", [*(name for name in COSTLY if name != SLOW), pytest.param(SLOW, marks=pytest.mark.full)]
)
def test_short_documents_cost_little(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "proof.json"
    file.write_text(json.dumps(COSTLY[name]))
    for check, options in ((main, ["check", str(file)]), (check_proof.main, [str(file)])):
        started = time.process_time()
        code = check(options)
        assert time.process_time() - started < 10
        said = capsys.readouterr()
        # Logarithms cost the first checker little.
        assert code in (1, 2) or (code == 0 and name == SLOW and check is main), said
        assert (said.out + said.err).count("\n") == 1 or code == 0


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects of a document."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(inner)


@pytest.mark.parametrize("name", ["answer", *HAND_MADE])
def test_a_field_that_nobody_knows_is_refused_wherever_it_stands(name: str) -> None:
    document = ANSWER if name == "answer" else HAND_MADE[name]
    assert all(accepted(json.dumps(document).encode()))
    for place in range(len(list(objects(document)))):
        more = deepcopy(document)
        list(objects(more))[place]["nobody"] = None
        assert accepted(json.dumps(more).encode()) == (False, False), list(objects(document))[place]


SPELLINGS = ("1_0", " 1", "1 ", ".5", "1.", "inf", "0x1", "ln(2)", "log( 2)", "１", "1/0", "nan", "1e4001", "")


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_numbers_are_spelled_in_one_way(spelling: str) -> None:
    label = changed(HAND_MADE["labels"], "problem.universe.alphabet.0", {"rational": spelling})
    ends = [changed(ANSWER, name, spelling) for name in ("lower", "upper", "lower_exact", "upper_exact")]
    places = [{**ANSWER, "at": {name: spelling}} for name in ("distortion", "loss")]
    for document in (label, *ends, *places):
        assert accepted(json.dumps(document).encode()) == (False, False), document


@pytest.mark.parametrize("labels", [[0, -0.0], [1, 1.0], [1, {"rational": "2/2"}], [0, {}], [0, []], [0, {"x": 1}]])
def test_labels_are_labels_and_differ(labels: list[object]) -> None:
    document = changed(HAND_MADE["labels"], "problem.universe.alphabet", labels)
    assert accepted(json.dumps(document).encode()) == (False, False)


@pytest.mark.parametrize("name", ["method", "theorem", "status"])
@pytest.mark.parametrize("words", [None, True, 1, [], {}])
def test_what_is_said_of_an_answer_is_text(name: str, words: object) -> None:
    assert accepted(json.dumps({**ANSWER, name: words}).encode()) == (False, False)
