"""Answers of the first schema ("epstar/answer/1"), which hold the multipliers of a solver in place of claims."""

from __future__ import annotations

import json
from collections.abc import Mapping
from decimal import Decimal

from epstar.answer import claimed, claimed_ends, interval_asked, unit_asked
from epstar.claims import Bracket
from epstar.completion import AnyProof
from epstar.completion.converse import BITS
from epstar.completion.schema_one import read_proof
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.exact import Interval, Rational, Real
from epstar.json_document import check_json
from epstar.proof_file.limits import check_document
from epstar.reading import check_fields, shown

SCHEMA = "epstar/answer/1"
_ENDS = ("lower", "lower_exact", "upper", "upper_exact")
_FIELDS = ("schema", *_ENDS, "unit", "method", "theorem", "status", "mechanism", "proof")


def read_evidence(document: object) -> AnyProof:
    """Return the proof in an answer, or the proof itself.

    Raises:
        InvalidInput: if the document is neither.
    """
    check_json(document)
    check_document(document)
    if not isinstance(document, Mapping):
        raise InvalidInput("This is neither an answer nor a proof; give what `epstar solve --json` wrote.")
    if document.get("schema") != SCHEMA:
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
    check_evidence(document, proof)
    claims = claimed(proof)
    interval = interval_asked(proof.problem, Interval(*claimed_ends(proof.problem, claims)))
    for end in ("lower", "upper"):
        # Only what is claimed is established: claims of its ends may have failed where its own rules passed.
        if isinstance(document, Mapping) and end in document and claims_more(end, document[end], interval):
            raise ProofRejected(f"The answer claims more than its proof: its {end!r} does not follow.")
    return claims, interval


def check_evidence(document: object, proof: AnyProof) -> Interval:
    """Return what the proof in a document establishes, after checking that an answer claims no more.

    Raises:
        ProofRejected: if the proof does not hold, or the answer around it says something else.
    """
    interval = interval_asked(proof.problem, proof.check())
    if isinstance(document, Mapping) and document.get("schema") == SCHEMA:
        if _text(document["mechanism"]) != _text(document["proof"]["mechanism"]):
            raise ProofRejected("The mechanism of the answer is not the one that its proof is about.")
        if document["unit"] != unit_asked(proof.problem):
            raise ProofRejected("The unit of the answer is not that of what its proof is about.")
        for claim in _ENDS:
            if claim in document and claims_more(claim, document[claim], interval):
                raise ProofRejected(f"The answer claims more than its proof: its {claim!r} does not follow.")
    return interval


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
