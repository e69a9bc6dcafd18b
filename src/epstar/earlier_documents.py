"""Answers and curves of the first schema, which hold the multipliers of a solver in place of claims.

Their proofs are read by `epstar.completion.schema_one`, completed to claims, and these are checked.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from epstar.answer import claimed, claimed_ends, interval_asked, unit_asked
from epstar.arguments import check_fields, shown
from epstar.claims import Bracket
from epstar.completion import AnyProof
from epstar.completion.converse import BITS
from epstar.completion.schema_one import read_proof
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.exact import Interval, Rational, Real
from epstar.json_document import check_json
from epstar.proof_file.limits import check_document

ANSWER = "epstar/answer/1"
CURVE = "epstar/curve/1"
_WHOLE = "epstar/curve-proof/1"
_ENDS = ("lower", "lower_exact", "upper", "upper_exact")
_FIELDS = ("schema", *_ENDS, "unit", "method", "theorem", "status", "mechanism", "proof")
_CURVE_FIELDS = ("schema", "asks", "unit", "points", "proof", "answers")


def read_evidence(document: object) -> AnyProof:
    """Return the proof in an answer, or the proof itself.

    Raises:
        InvalidInput: if the document is neither.
    """
    check_json(document)
    check_document(document)
    if not isinstance(document, Mapping):
        raise InvalidInput("This is neither an answer nor a proof; give what `epstar solve --json` wrote.")
    if document.get("schema") != ANSWER:
        return read_proof(document)
    check_fields(document, _FIELDS, "The answer")
    missing = next((name for name in _FIELDS if name not in document and not name.endswith("_exact")), None)
    if missing is not None:
        raise InvalidInput(f"The answer has no entry {missing!r}; write it again with `epstar solve`.")
    if not all(isinstance(document[name], str) for name in ("method", "theorem", "status")):
        raise InvalidInput("The method, the theorem and the status of an answer are texts; write it again.")
    return read_proof(document["proof"])


def check_completed(document: object, proof: AnyProof) -> tuple[Bracket, Interval]:
    """Return the claims that the proof in a document is completed to, and what they establish; they are checked.

    Raises:
        ProofRejected: if the proof does not hold, or the answer around it says something else.
    """
    problem, claims = proof.problem, claimed(proof)
    if claims.attained is None and claims.excluded is None:
        raise ProofRejected("The proof shows nothing: it has no mechanism, and its multipliers exclude nothing.")
    lower, upper = claimed_ends(problem, claims)
    interval = interval_asked(problem, Interval(lower, upper))
    if isinstance(document, Mapping) and document.get("schema") == ANSWER:
        if _text(document["mechanism"]) != _text(document["proof"]["mechanism"]):
            raise ProofRejected("The mechanism of the answer is not the one that its proof is about.")
        if document["unit"] != unit_asked(problem):
            raise ProofRejected("The unit of the answer is not that of what its proof is about.")
        # What a mechanism attains exactly is measured; of that a hair may be lost in a claim.
        measured = interval_asked(problem, Interval(lower, proof.upper))
        for end in _ENDS:
            if end in document and claims_more(end, document[end], measured if end.endswith("_exact") else interval):
                raise ProofRejected(f"The answer claims more than its proof: its {end!r} does not follow.")
    return claims, interval


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve, or the proof of one."""
    return isinstance(document, Mapping) and document.get("schema") in (CURVE, _WHOLE)


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
    if len(check_fields(document, _CURVE_FIELDS, "The curve")) < len(_CURVE_FIELDS):
        raise InvalidInput(f"A curve has the entries {', '.join(_CURVE_FIELDS)}; write it again with `epstar curve`.")
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


def claims_more(end: str, value: object, proven: Interval) -> bool:
    """Return whether a claimed end is not proven; a JSON number claims what it is as a float.

    Raises:
        InvalidInput: if it is no number.
    """
    said = _claimed(value)
    less, more = (said, proven.lower) if end.startswith("lower") else (proven.upper, said)
    if less.is_infinite or more.is_infinite:
        return not more.is_infinite
    for a, b in ((less.rational, more.rational), (less.argument_of_log, more.argument_of_log)):
        if a is not None and b is not None:
            return bool(a > b)
    try:
        return less.above(BITS) > more.below(BITS)
    except Undecided:
        return True


def _claimed(value: object) -> Real:
    if isinstance(value, Decimal | float):
        nearest = float(value)
        if Decimal(repr(nearest)) != (value if isinstance(value, Decimal) else Decimal(repr(value))):
            raise InvalidInput(f"The end {shown(value)} is not a number that a float prints as; write it as text.")
        return Real.of(Rational(*nearest.as_integer_ratio()))
    if isinstance(value, str | int) and not isinstance(value, bool):
        return Real.of(value)
    raise InvalidInput(f"The end {shown(value)} is not a number; write it again with `epstar solve`.")


def _text(document: object) -> str:
    """Return a document as one text: as values of Python, 1, 1.0 and true would be alike."""
    return json.dumps(document, sort_keys=True, default=repr)
