"""Documents of the first schemas (answers, curves and proofs of "…/1"), whose evidence is completed to claims.

Their multipliers are read as they always were, and say which interval they prove; the claims that are made of them are
then checked by the rule like any others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epstar.answer import interval_asked, unit_asked
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Rational, Real
from epstar.json_document import check_json
from epstar.proof import AnyProof, Interval
from epstar.proof.curve_document import SCHEMA as PROOF_SCHEMA
from epstar.proof.curve_document import read_curve_proof
from epstar.proof.document import read_proof

ANSWER, CURVE = "epstar/answer/1", "epstar/curve/1"
_ENDS = ("lower", "upper", "lower_exact", "upper_exact")
# By which share a claim may exceed what is proven: two enclosures of one number differ in their last digits.
_DIGITS, _EXACT_DIGITS = Rational(1, 10**13), Rational(1, 10**20)


def read_evidence(document: object) -> AnyProof:
    """Return the proof in an answer, or the proof itself.

    Raises:
        InvalidInput: if the document is neither.
    """
    if not isinstance(document, Mapping):
        raise InvalidInput("This is neither an answer nor a proof; give what `epstar solve --json` wrote.")
    check_json(document)
    return read_proof(document["proof"] if document.get("schema") == ANSWER and "proof" in document else document)


def check_evidence(document: object, proof: AnyProof) -> Interval:
    """Return what the proof in a document establishes, after checking that an answer claims no more.

    Raises:
        ProofRejected: if the proof does not hold, or the answer around it says something else.
    """
    interval = interval_asked(proof.problem, proof.check())
    if isinstance(document, Mapping) and document.get("schema") == ANSWER:
        if document.get("mechanism") != document["proof"].get("mechanism"):
            raise ProofRejected("The mechanism of the answer is not the one that its proof is about.")
        if document.get("unit") != unit_asked(proof.problem):
            raise ProofRejected("The unit of the answer is not that of what its proof is about.")
        for claim in ("lower", "lower_exact", "upper", "upper_exact"):
            claimed = document.get(claim)
            if claimed is not None and claims_more(claim, claimed, interval):
                raise ProofRejected(f"The answer claims more than its proof: its {claim!r} does not follow.")
    return interval


def claims_more(end: str, value: object, proven: Interval) -> bool:
    """Return whether a claimed end is beyond the proven one by more than two enclosures may differ."""
    claimed = Real.of(value)
    first, second = (claimed, proven.lower) if end.startswith("lower") else (proven.upper, claimed)
    if first.is_infinite or second.is_infinite:
        return first.is_infinite and not second.is_infinite
    share = _EXACT_DIGITS if end.endswith("_exact") else _DIGITS
    return first > second + Real.of(share * abs(claimed.above()))


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve of the first schema, or the proof of one."""
    return isinstance(document, Mapping) and document.get("schema") in (CURVE, PROOF_SCHEMA)


def check_curve(document: Mapping[str, Any]) -> tuple[Interval | None, ...]:
    """Return what is established at each point of a curve, or by the proof of one; None where nothing is.

    Raises:
        ProofRejected: if a proof does not hold, or a point says something else.
        InvalidInput: if the document is malformed.
    """
    check_json(document)
    if document["schema"] == PROOF_SCHEMA:
        return read_curve_proof(document).check()
    points, answers = document.get("points"), document.get("answers")
    if not isinstance(points, list) or not all(isinstance(point, Mapping) for point in points):
        raise InvalidInput("The curve has no list of points; write it again with `epstar curve`.")
    proven: Sequence[Interval | None]
    asked: tuple[str, str] | None
    if document.get("proof") is not None:
        proof = read_curve_proof(document["proof"])
        proven, places = proof.check(), [str(point.given) for point in proof.points]
        asked = proof.asks, "nats" if proof.asks == "loss" else "distortion"
    elif isinstance(answers, list):
        evidence = [None if answer is None else read_evidence(answer) for answer in answers]
        asked = _check_one_question([one for one in evidence if one is not None])
        pairs = zip(answers, evidence, strict=True)
        proven = [None if one is None else check_evidence(answer, one) for answer, one in pairs]
        places = ["" if one is None else str(one.problem.given) for one in evidence]
    else:
        raise InvalidInput("The curve has neither a proof nor answers; write it again with `epstar curve`.")
    if len(points) != len(proven):
        raise ProofRejected("The curve has another number of points than its proof.")
    if asked is not None and asked != (document.get("asks"), document.get("unit")):
        raise ProofRejected("The curve asks for something else than its proof, or measures it in another unit.")
    for number, (point, place, interval) in enumerate(zip(points, places, proven, strict=True), 1):
        if interval is None:
            if any(point.get(end) is not None for end in _ENDS):
                raise ProofRejected(f"Point {number} of the curve has ends and no proof of them.")
        elif str(point.get("given")) != place or not {"lower", "upper"} <= set(point):
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
