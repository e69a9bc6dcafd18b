"""What is saved is what is loaded, proofs are checked on the way, and a file is there whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.notebook.objects import answer, answers, curves, mechanisms
from tests.proofs.schema_one import write_proof

import epstar
from epstar import Answer, Curve, Frontier, InvalidInput
from epstar.answer_file import write_answer
from epstar.completion import ClaimedProof, Proof
from epstar.curve_file import write_curve
from epstar.errors import EpstarError, ProofRejected
from epstar.mechanism import AnyMechanism
from epstar.problem_file import read_problem


@pytest.mark.parametrize("name", answers())
def test_answers_come_back(name: str, tmp_path: Path) -> None:
    given = answers()[name]
    path = given.save(tmp_path / "answer.json")
    found = epstar.load(path)
    assert isinstance(found, Answer)
    assert write_answer(found) == write_answer(given)
    assert (found.lower, found.upper) == (given.lower, given.upper)
    assert found.mechanism is not None
    assert given.mechanism is not None
    assert found.mechanism.dense() == given.mechanism.dense()
    assert repr(found) == repr(given)


@pytest.mark.parametrize("name", curves())
def test_curves_come_back(name: str, tmp_path: Path) -> None:
    given = curves()[name]
    found = epstar.load(given.save(tmp_path / "curve.json"))
    assert isinstance(found, Curve)
    assert write_curve(found) == write_curve(given)
    assert repr(found) == repr(given)
    assert found._repr_html_() == given._repr_html_()


@pytest.mark.parametrize("name", mechanisms())
def test_mechanisms_come_back(name: str, tmp_path: Path) -> None:
    given = mechanisms()[name]
    assert isinstance(given, AnyMechanism)
    assert epstar.load(given.save(tmp_path / "mechanism.json")) == given


def test_proofs_come_back(tmp_path: Path) -> None:
    given = answer().proof
    assert isinstance(given, Proof)
    found = epstar.load(given.save(tmp_path / "proof.json"))
    assert isinstance(found, ClaimedProof)
    assert str(found.check()) == str(given.check())
    again = found.save(tmp_path / "again.json")
    assert again.read_bytes() == (tmp_path / "proof.json").read_bytes()


def test_proofs_of_the_first_schema_are_still_read(tmp_path: Path) -> None:
    given = answer().proof
    path = tmp_path / "earlier.json"
    path.write_text(json.dumps(write_proof(given)), encoding="utf-8")
    found = epstar.load(path)
    assert isinstance(found, Proof)
    assert str(found.check()) == str(given.check())


@pytest.mark.parametrize(("asks", "at"), [("loss", "1/5"), ("distortion", "log(3)")])
def test_a_proof_comes_back_with_its_question(asks: str, at: str, tmp_path: Path) -> None:
    frontier = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming")
    given = frontier.loss_at(at) if asks == "loss" else frontier.distortion_at(loss=at)
    found = epstar.load(given.proof.save(tmp_path / "proof.json"))
    assert isinstance(found, ClaimedProof)
    assert (found.problem.asks, str(found.problem.given)) == (asks, at)


def test_time_that_ran_out_is_remembered(tmp_path: Path) -> None:
    document: Any = write_answer(answer())
    document["status"] = "the time limit passed; proven to within 1.0e-03"
    path = tmp_path / "answer.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    found = epstar.load(path)
    assert isinstance(found, Answer)
    # What is narrow was not cut short, whatever the file says.
    assert (found.status, found.timed_out) == ("proven", False)


@pytest.mark.parametrize(
    ("entry", "value"),
    [("lower", 3.0), ("upper", 2.0), ("lower_exact", "log(13)"), ("unit", "distortion")],
)
def test_an_answer_that_claims_more_is_refused(entry: str, value: object, tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({**write_answer(answer()), entry: value}), encoding="utf-8")
    with pytest.raises(ProofRejected):
        epstar.load(path)


def test_a_curve_that_claims_more_is_refused(tmp_path: Path) -> None:
    document: Any = write_curve(curves()["answers"])
    document["points"][0]["lower"] = 50.0
    path = tmp_path / "curve.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(ProofRejected):
        epstar.load(path)


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "1", "{}", '{"schema": 1}', '{"schema": ["epstar/answer/1"]}', '{"schema": "epstar/answer/2"}',
     '{"schema": "epstar/answer/1"}', '{"schema": "epstar/curve/1"}', '{"schema": "epstar/mechanism/1"}',
     '{"schema": "epstar/proof/1"}', "[" * 500 + "]" * 500],
)  # fmt: skip
def test_other_files_are_refused_in_a_sentence(text: str, tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EpstarError) as refused:
        epstar.load(path)
    assert "\n" not in str(refused.value)


def test_a_prior_in_a_file_is_a_list() -> None:
    proof: Any = write_proof(answers()["enclosed"].proof)
    assert isinstance(proof["problem"]["source"]["prior"], list)
    named = dict(zip("abc", proof["problem"]["source"]["prior"], strict=True))
    with pytest.raises(InvalidInput, match="ordered list"):
        read_problem({**proof["problem"], "source": {"prior": named}})


def test_a_file_is_replaced_only_on_purpose(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    answer().save(path)
    before = path.read_bytes()
    with pytest.raises(InvalidInput, match="exists already"):
        answers()["free"].save(path)
    assert path.read_bytes() == before
    assert answers()["free"].save(str(path), force=True) == path
    assert path.read_bytes() != before
    with pytest.raises(InvalidInput, match="folder"):
        answer().save(tmp_path / "nowhere" / "answer.json")
    with pytest.raises(InvalidInput, match="cannot be read"):
        epstar.load(tmp_path / "nothing.json")
    assert [each.name for each in tmp_path.iterdir()] == ["answer.json"]
