"""Curves of the first schema ("epstar/curve/1"): their points, with an answer to each.

Proofs of all points at once, which that schema had too, are told from others, and not read any longer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epstar.answer import unit_asked
from epstar.completion import AnyProof
from epstar.earlier_answers import check_completed, claims_more, read_evidence
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Interval
from epstar.json_document import check_json
from epstar.proof_file.limits import check_document
from epstar.reading import check_fields

SCHEMA = "epstar/curve/1"
_WHOLE = "epstar/curve-proof/1"
_FIELDS = ("schema", "asks", "unit", "points", "proof", "answers")
_ENDS = ("lower", "upper", "lower_exact", "upper_exact")


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve, or the proof of one."""
    return isinstance(document, Mapping) and document.get("schema") in (SCHEMA, _WHOLE)


def check_curve(document: Mapping[str, Any]) -> tuple[Interval | None, ...]:
    """Return what is established at each point of a curve, or by the proof of one; None where nothing is.

    Raises:
        ProofRejected: if a proof does not hold, or a point says something else.
        InvalidInput: if the document is malformed.
    """
    check_json(document)
    check_document(document)
    if document["schema"] == _WHOLE or document.get("proof") is not None:
        raise InvalidInput(
            "The curve has one proof for all its points, which this version does not read; write it again with "
            "`epstar curve`, which proves each point by itself."
        )
    if len(check_fields(document, _FIELDS, "The curve")) < len(_FIELDS):
        raise InvalidInput(f"A curve has the entries {', '.join(_FIELDS)}; write it again with `epstar curve`.")
    points, answers = document.get("points"), document.get("answers")
    if not isinstance(points, list) or not points:
        raise InvalidInput("The curve has no list of points; write it again with `epstar curve`.")
    for point in points:
        check_fields(point, ("given", *_ENDS), "A point of the curve")
    if not isinstance(answers, list) or len(answers) != len(points):
        raise InvalidInput("The answers of the curve must be a list, one for each point; write it again.")
    evidence = [None if answer is None else read_evidence(answer) for answer in answers]
    asked = _check_one_question([one for one in evidence if one is not None])
    pairs = zip(answers, evidence, strict=True)
    proven = [None if one is None else check_completed(answer, one)[1] for answer, one in pairs]
    places = ["" if one is None else str(one.problem.given) for one in evidence]
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
