"""Curves of the first schema ("epstar/curve/1"): their points, with one proof for all of them or an answer to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epstar.answer import Answer, unit_asked
from epstar.completion import AnyProof
from epstar.completion.schema_one import write_proof
from epstar.curve import Curve, Unanswered
from epstar.earlier_answers import check_evidence, claims_more, read_evidence, write_answer, written_ends
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Interval
from epstar.json_document import check_json
from epstar.proof import CurvePoint
from epstar.proof.curve_document import SCHEMA as PROOF_SCHEMA
from epstar.proof.curve_document import read_curve_proof, write_curve_proof
from epstar.proof_file.limits import check_document
from epstar.reading import check_fields

SCHEMA = "epstar/curve/1"
_FIELDS = ("schema", "asks", "unit", "points", "proof", "answers")
_ENDS = ("lower", "upper", "lower_exact", "upper_exact")


def write_curve(curve: Curve) -> dict[str, object]:
    """Return the curve as a JSON object; an infinite bound is the string "infinity".

    Where the points share a proof, no answer to a single one is made. Elsewhere a point without a mechanism has a proof
    of that in place of an answer; one about which nothing is proven has neither, and its ends are null.
    """
    head: dict[str, object] = {"schema": SCHEMA, "asks": curve.asks, "unit": curve.unit}
    if curve.proof is not None:
        points = [_proven_point(point) for point in curve.proof.points]
        return {**head, "points": points, "proof": write_curve_proof(curve.proof), "answers": None}
    evidence = [_evidence(answer) for answer in curve.answers]
    points = [
        {"given": str(problem.given), **_ends(answer, one)}
        for problem, answer, one in zip(curve.problems, curve.answers, evidence, strict=True)
    ]
    return {**head, "points": points, "proof": None, "answers": evidence}


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve, or the proof of one."""
    return isinstance(document, Mapping) and document.get("schema") in (SCHEMA, PROOF_SCHEMA)


def check_curve(document: Mapping[str, Any]) -> tuple[Interval | None, ...]:
    """Return what is established at each point of a curve, or by the proof of one; None where nothing is.

    Raises:
        ProofRejected: if a proof does not hold, or a point says something else.
        InvalidInput: if the document is malformed.
    """
    check_json(document)
    check_document(document)
    if document["schema"] == PROOF_SCHEMA:
        return read_curve_proof(document).check()
    if len(check_fields(document, _FIELDS, "The curve")) < len(_FIELDS):
        raise InvalidInput(f"A curve has the entries {', '.join(_FIELDS)}; write it again with `epstar curve`.")
    points, answers = document.get("points"), document.get("answers")
    if not isinstance(points, list) or not points:
        raise InvalidInput("The curve has no list of points; write it again with `epstar curve`.")
    for point in points:
        check_fields(point, ("given", *_ENDS), "A point of the curve")
    if (document.get("proof") is None) == (answers is None):
        raise InvalidInput("The curve needs a proof or answers, and not both; write it again with `epstar curve`.")
    proven: Sequence[Interval | None]
    asked: tuple[str, str] | None
    if document.get("proof") is not None:
        proof = read_curve_proof(document["proof"])
        proven, places = proof.check(), [str(point.given) for point in proof.points]
        asked = proof.asks, "nats" if proof.asks == "loss" else "distortion"
    elif isinstance(answers, list) and len(answers) == len(points):
        evidence = [None if answer is None else read_evidence(answer) for answer in answers]
        asked = _check_one_question([one for one in evidence if one is not None])
        pairs = zip(answers, evidence, strict=True)
        proven = [None if one is None else check_evidence(answer, one) for answer, one in pairs]
        places = ["" if one is None else str(one.problem.given) for one in evidence]
    else:
        raise InvalidInput("The answers of the curve are no list, one for each point; write it again.")
    if len(points) != len(proven):
        raise ProofRejected("The curve has another number of points than its proof.")
    if asked is not None and asked != (document.get("asks"), document.get("unit")):
        raise ProofRejected("The curve asks for something else than its proof, or measures it in another unit.")
    for number, (point, place, interval) in enumerate(zip(points, places, proven, strict=True), 1):
        if interval is None:
            if any(point.get(end) is not None for end in _ENDS):
                raise ProofRejected(f"Point {number} of the curve has ends and no proof of them.")
        elif point.get("given") != place or not {"lower", "upper"} <= set(point):
            raise ProofRejected(f"Point {number} of the curve is not the one that is proven.")
        elif any(claims_more(end, point[end], interval) for end in _ENDS if end in point):
            raise ProofRejected(f"Point {number} of the curve claims more than is proven.")
    return tuple(proven)


def _check_one_question(proofs: Sequence[AnyProof]) -> tuple[str, str] | None:
    """Return what all proofs ask for and its unit, None without proofs; they may differ in their points alone."""
    if not proofs:
        return None
    questions = [(p.notion, p.source, p.distortion, p.universe, p.asks) for p in (proof.problem for proof in proofs)]
    if any(question != questions[0] for question in questions):
        raise ProofRejected("The points of the curve belong to different trade-offs.")
    return proofs[0].problem.asks, unit_asked(proofs[0].problem)


def _evidence(answer: Answer | Unanswered) -> dict[str, object] | None:
    """Return an answer, or the proof that there is none; None where nothing is proven."""
    if isinstance(answer, Answer):
        return write_answer(answer)
    return None if answer.proof is None else write_proof(answer.proof)


def _ends(answer: Answer | Unanswered, evidence: Mapping[str, object] | None) -> dict[str, object]:
    if evidence is None:
        return {"lower": None, "upper": None}
    if isinstance(answer, Unanswered):
        return {"lower": "infinity", "upper": "infinity"}
    return {end: evidence[end] for end in _ENDS if end in evidence}


def _proven_point(point: CurvePoint) -> dict[str, object]:
    exact = {}
    if Interval(point.lower, point.upper).width == 0:
        exact = {"lower_exact": str(point.lower), "upper_exact": str(point.upper)}
    return {"given": str(point.given), **written_ends(Interval(point.lower, point.upper)), **exact}
