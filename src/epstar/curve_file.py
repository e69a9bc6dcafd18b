"""Curves as JSON (schema "epstar/curve/1"): their points, with one proof for all of them or an answer to each."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from epstar.answer_file import check_evidence, read_evidence, write_answer
from epstar.curve import Curve, Unanswered
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import INFINITY, Real
from epstar.proof import CurvePoint, Interval
from epstar.proof.curve_document import SCHEMA as PROOF_SCHEMA
from epstar.proof.curve_document import read_curve_proof, write_curve_proof

SCHEMA = "epstar/curve/1"
_ENDS = ("lower", "upper", "lower_exact", "upper_exact")
_DIGITS = 1e-9


def write_curve(curve: Curve) -> dict[str, object]:
    """Return the curve as a JSON object; an infinite bound is the string "infinity".

    Where the points share a proof, no answer to a single one is made.
    """
    head: dict[str, object] = {"schema": SCHEMA, "asks": curve.asks, "unit": curve.unit}
    if curve.proof is not None:
        return {
            **head,
            "points": [_proven_point(point) for point in curve.proof.points],
            "proof": write_curve_proof(curve.proof),
            "answers": None,
        }
    answers = [None if isinstance(answer, Unanswered) else write_answer(answer) for answer in curve.answers]
    points = [
        {
            "given": str(problem.given),
            "lower": _number(lower),
            "upper": _number(upper),
            **({} if answer is None else {end: answer[end] for end in _ENDS if end in answer}),
        }
        for problem, answer, lower, upper in zip(curve.problems, answers, curve.lower, curve.upper, strict=True)
    ]
    return {**head, "points": points, "proof": None, "answers": answers}


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve, or the proof of one."""
    return isinstance(document, Mapping) and document.get("schema") in (SCHEMA, PROOF_SCHEMA)


def check_curve(document: Mapping[str, Any]) -> tuple[Interval | None, ...]:
    """Return what is established at each point of a curve, or by the proof of one; None where nothing is.

    Raises:
        ProofRejected: if a proof does not hold, or a point says something else.
        InvalidInput: if the document is malformed.
    """
    if document["schema"] == PROOF_SCHEMA:
        return read_curve_proof(document).check()
    points, answers = document.get("points"), document.get("answers")
    if not isinstance(points, list) or not all(isinstance(point, Mapping) for point in points):
        raise InvalidInput("The curve has no list of points; write it again with `epstar curve`.")
    proven: Sequence[Interval | None]
    if document.get("proof") is not None:
        proof = read_curve_proof(document["proof"])
        proven, questions = proof.check(), [(proof.asks, point.given) for point in proof.points]
    elif isinstance(answers, list):
        evidence = [None if answer is None else read_evidence(answer) for answer in answers]
        pairs = zip(answers, evidence, strict=True)
        proven = [None if one is None else check_evidence(answer, one) for answer, one in pairs]
        questions = [("loss", INFINITY) if one is None else (one.problem.asks, one.problem.given) for one in evidence]
    else:
        raise InvalidInput("The curve has neither a proof nor answers; write it again with `epstar curve`.")
    if len(points) != len(proven):
        raise ProofRejected("The curve has another number of points than its proof.")
    for number, (point, question, interval) in enumerate(zip(points, questions, proven, strict=True), 1):
        asked = (document.get("asks"), str(point.get("given")))
        if interval is not None and (asked != (question[0], str(question[1])) or _claims_more(point, interval)):
            raise ProofRejected(f"Point {number} of the curve is not the one that is proven.")
    return tuple(proven)


def _proven_point(point: CurvePoint) -> dict[str, object]:
    exact = {}
    if Interval(point.lower, point.upper).width == 0:
        exact = {"lower_exact": str(point.lower), "upper_exact": str(point.upper)}
    lower, upper = _number(point.lower.lower), _number(point.upper.upper)
    return {"given": str(point.given), "lower": lower, "upper": upper, **exact}


def _number(value: float) -> float | str:
    return float(value) if math.isfinite(value) else "infinity"


def _claims_more(point: Mapping[str, Any], proven: Interval) -> bool:
    """Return whether an end is missing, or beyond the proven one by more than its last digits."""
    if "lower" not in point or "upper" not in point:
        return True
    for end in _ENDS:
        if end in point:
            claimed = Real.of(point[end])
            first, second = (claimed, proven.lower) if end.startswith("lower") else (proven.upper, claimed)
            if first.is_infinite or second.is_infinite:
                if first.is_infinite and not second.is_infinite:
                    return True
            elif first.lower > second.upper + _DIGITS * max(1.0, abs(second.upper)):
                return True
    return False
