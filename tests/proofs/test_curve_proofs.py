"""Proofs of whole curves: both checkers confirm them, and neither is fooled by one that was tampered with."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from epstar.cli.main import main
from epstar.curve import Curve
from epstar.distortion import Absolute, Hamming
from epstar.earlier_curves import check_curve, write_curve
from epstar.errors import EpstarError, InvalidInput, ProofRejected
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.proof import CurvePoint, CurveProof
from epstar.proof.curve_document import read_curve_proof, write_curve_proof
from epstar.source import Prior, ranking
from epstar.universe import Alphabet

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/100"),
    ApproximateDifferentialPrivacy("1/7", reading="pointwise"),
    MaximalLeakage(),
    MutualInformation(),
    Identifiability(),
    MinEntropyLeakage(),
    RenyiDifferentialPrivacy("infinity"),
]
WEIGHTS = np.array([9.0, 7.0, 6.0, 5.0, 4.0, 2.0])
DISTORTIONS = ["-1", "0", "1/50", "1/10", "1/5", "3/10", "2/5", "1/2", "8/11", "9/10", "1"]
LOSSES = ["0", "1/2", "1", "log(9/2)", "2", "5", "40", "300", "infinity"]
SCHEMAS = {
    kind: json.loads(files("epstar").joinpath("schemas", f"{kind}-1.json").read_text(encoding="utf-8"))
    for kind in ("problem", "mechanism", "proof", "answer", "curve-proof", "curve")
}
REGISTRY: Registry[Any] = Registry().with_resources(
    [(schema["$id"], Resource.from_contents(schema)) for schema in SCHEMAS.values()]
)
by_notion = pytest.mark.parametrize(
    "notion", NOTIONS, ids=lambda notion: f"{notion.name}-{getattr(notion, 'reading', '')}"
)
by_question = pytest.mark.parametrize("asks", ["loss", "distortion"])


@pytest.fixture
def rounded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Let few letters be rounded as many are."""
    if request.param:
        monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    return bool(request.param)


def curve_of(notion: Notion, asks: str) -> Curve:
    frontier = Frontier(notion, Prior(WEIGHTS / 33), Hamming())
    return frontier.curve(distortions=DISTORTIONS) if asks == "loss" else frontier.curve(losses=LOSSES)


def middle_of(notion: Notion, asks: str) -> int:
    """A place where something is lost, and not all."""
    return 4 if asks == "loss" or isinstance(notion, Identifiability) else 2


def written(curve: Curve) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(write_curve(curve)), parse_float=Decimal)
    return document


def is_refused(document: dict[str, Any]) -> bool:
    """Whether a document is refused."""
    try:
        check_curve(document)
    except EpstarError:
        return True
    return False


@by_notion
@by_question
@pytest.mark.parametrize("rounded", [False, True], ids=["exact", "rounded"], indirect=True)
def test_curves_are_confirmed(notion: Notion, asks: str, rounded: bool) -> None:
    curve = curve_of(notion, asks)
    assert curve.proof is not None
    document = written(curve)
    Draft202012Validator(SCHEMAS["curve"], registry=REGISTRY).validate(json.loads(json.dumps(write_curve(curve))))
    assert (document["proof"]["rounding"] is None) == (not rounded)
    assert not is_refused(document)
    assert not is_refused(document["proof"])
    again = read_curve_proof(document["proof"])
    assert write_curve_proof(again) == write_curve_proof(curve.proof)


def mutated(document: dict[str, Any], change: Callable[[list[dict[str, Any]]], None]) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    change(changed["proof"]["points"])
    return changed


@by_notion
@by_question
@pytest.mark.parametrize("rounded", [False, True], ids=["exact", "rounded"], indirect=True)
def test_wrong_letters_are_refused(notion: Notion, asks: str, rounded: bool) -> None:
    """At a point in the middle, any other number of letters proves less than is claimed."""
    document, middle = written(curve_of(notion, asks)), middle_of(notion, asks)
    for end in (0, 1):
        right = document["proof"]["points"][middle]["letters"][end]
        for letters in {1, 2, 3, 4, 5, 6, 7, 10**9} - {right}:

            def change(points: list[dict[str, Any]], end: int = end, letters: int = letters) -> None:
                points[middle]["letters"][end] = letters

            assert is_refused(mutated(document, change)), (end, right, letters)


@by_notion
@by_question
@pytest.mark.parametrize("rounded", [False, True], ids=["exact", "rounded"], indirect=True)
def test_changed_ends_and_swapped_points_are_refused(notion: Notion, asks: str, rounded: bool) -> None:
    document, middle = written(curve_of(notion, asks)), middle_of(notion, asks)
    point = document["proof"]["points"][middle]
    hair = 1 + 1e-9 if rounded else 1 + 1e-14
    lower, upper = (float(Real.of(point[end])) for end in ("lower", "upper"))

    def as_claim(value: float) -> str:
        is_log = point["lower"].startswith("log") and asks == "loss"
        if is_log:
            top, bottom = float(np.exp(value)).as_integer_ratio()
            return f"log({top}/{bottom})"
        top, bottom = value.as_integer_ratio()
        return f"{top}/{bottom}"

    def raise_lower(points: list[dict[str, Any]]) -> None:
        points[middle]["lower"] = as_claim(lower * hair)

    def sink_upper(points: list[dict[str, Any]]) -> None:
        points[middle]["upper"] = as_claim(upper / hair)

    def swap_ends(points: list[dict[str, Any]]) -> None:
        first, second = points[middle], points[middle + 1]
        for part in ("lower", "upper", "letters"):
            first[part], second[part] = second[part], first[part]

    def swap_places(points: list[dict[str, Any]]) -> None:
        first, second = points[middle], points[middle + 1]
        first["given"], second["given"] = second["given"], first["given"]

    for change in (raise_lower, sink_upper, swap_ends, swap_places):
        assert is_refused(mutated(document, change)), change.__name__


@by_question
@pytest.mark.parametrize("notion", [DifferentialPrivacy(), MutualInformation()], ids=lambda notion: notion.name)
def test_a_proof_about_something_else_is_refused(notion: Notion, asks: str) -> None:
    document = written(curve_of(notion, asks))
    changes: dict[str, Any] = {
        "notion": {"name": "maximal_leakage"},
        "universe": {"size": 7},
        "source": {"prior": ["3/10", "1/5", "1/5", "1/10", "1/10", "1/10"]},
        "distortion": {"name": "absolute"},
        "asks": "loss" if asks == "distortion" else "distortion",
        "rounding": {"bits": 61, "distance": "1/1000000000000000000000"},
        "points": document["proof"]["points"][::-1],
    }
    for part, value in changes.items():
        assert is_refused({**document, "proof": {**document["proof"], part: value}}), part
    point = document["points"][middle_of(notion, asks)]
    for end, value in (("lower", point["lower"] + Decimal("1e-6")), ("upper", point["upper"] - Decimal("1e-6"))):
        points = [{**p, end: value} if p is point else p for p in document["points"]]
        assert is_refused({**document, "points": points}), end
    assert is_refused({**document, "points": document["points"][1:]})
    assert is_refused({**document, "points": document["points"][::-1]})
    assert is_refused({**document, "proof": None})


@pytest.mark.parametrize("distance", ["0", "-1", "1/1000000000000000000000", "1/2"])
def test_the_distance_of_the_rounded_prior_is_not_believed(distance: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    document = written(curve_of(DifferentialPrivacy(), "loss"))
    document["proof"]["rounding"]["distance"] = distance
    assert is_refused(document)


def test_curves_of_answers_are_checked_one_by_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    curve = Frontier(DifferentialPrivacy(), Prior(["1/2", "3/10", "1/5"]), Absolute()).curve(["-1", "1/5", "1/4"])
    document = written(curve)
    Draft202012Validator(SCHEMAS["curve"], registry=REGISTRY).validate(json.loads(json.dumps(write_curve(curve))))
    assert document["proof"] is None
    # Of the point where there is no mechanism, the proof that there is none.
    impossible, *answers = document["answers"]
    assert impossible["schema"] == "epstar/proof/1"
    assert not is_refused(document)
    at_impossible, *proven = check_curve(document)
    assert at_impossible is not None
    assert at_impossible.lower.is_infinite
    assert not any(interval is None or interval.upper.is_infinite for interval in proven)
    swapped = {**document, "answers": [impossible, *answers[::-1]]}
    assert is_refused(swapped)
    lowered = copy.deepcopy(document)
    lowered["points"][1]["upper"] -= Decimal("1e-6")
    assert is_refused(lowered)
    file = tmp_path / "curve.json"
    file.write_text(json.dumps(write_curve(curve)), encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert "holds at 3 of 3 points" in capsys.readouterr().out


def test_malformed_documents_are_refused() -> None:
    document = write_curve_proof(CurveProof(DifferentialPrivacy(), Prior(["1/2", "1/2"]), Alphabet(2), "loss", ()))
    with pytest.raises(InvalidInput, match="schema"):
        read_curve_proof({**document, "schema": "epstar/proof/1"})
    for part in document:
        with pytest.raises(InvalidInput):
            read_curve_proof({key: value for key, value in document.items() if key != part})
    point = {"given": "1/4", "lower": "0", "upper": "0"}
    for letters in ([1], [1, 2, 3], [1.0, 2], ["1", "2"], [True, 1], None):
        with pytest.raises(InvalidInput):
            read_curve_proof({**document, "points": [{**point, "letters": letters}]})


def test_what_no_letters_prove_is_refused() -> None:
    def check(notion: Notion, asks: Any, given: str, lower: str, upper: str) -> None:
        point = CurvePoint(Real.of(given), Real.of(lower), Real.of(upper), (2, 2))
        CurveProof(notion, Prior(["1/2", "1/2"]), Alphabet(2), asks, (point,)).check()

    check(DifferentialPrivacy(), "loss", "1/4", "log(3)", "log(3)")
    for bad in (
        (DifferentialPrivacy(), "loss", "1/4", "log(3)", "log(2)"),
        (DifferentialPrivacy(), "loss", "1/4", "log(4)", "log(4)"),
        (DifferentialPrivacy(), "loss", "log(2)", "0", "infinity"),
        (DifferentialPrivacy(), "distortion", "-1", "0", "1"),
        (MutualInformation(), "distortion", "1/10", "log(2)", "1"),
        (MutualInformation(), "distortion", "1/10", "0", "-1"),
        (ApproximateDifferentialPrivacy(1), "loss", "1/4", "0", "infinity"),
    ):
        with pytest.raises(ProofRejected):
            check(*bad)
    with pytest.raises(ProofRejected, match="sizes"):
        CurveProof(DifferentialPrivacy(), Prior(["1/2", "1/2"]), Alphabet(3), "loss", ()).check()
