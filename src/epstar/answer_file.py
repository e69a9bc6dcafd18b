"""Answers as JSON (schema "epstar/answer/1"), with their proofs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from epstar.answer import interval_asked, unit_asked
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Rational, Real
from epstar.frontier import Answer
from epstar.json_document import check_json
from epstar.proof import AnyProof, Interval
from epstar.proof.document import read_proof, write_proof

SCHEMA = "epstar/answer/1"
# By which share a claim may exceed what is proven: two enclosures of one number differ in their last digits.
_DIGITS, _EXACT_DIGITS = Rational(1, 10**13), Rational(1, 10**20)
# Longer numbers are not read back; the decimal beside them says enough.
_LONGEST = 2500


def write_answer(answer: Answer) -> dict[str, object]:
    """Return the answer as a JSON object; an infinite bound is the string "infinity"."""
    exact = {
        name: str(bound)
        for name, bound in (("lower_exact", answer.interval.lower), ("upper_exact", answer.interval.upper))
        if _is_exact(bound)
    }
    return {
        "schema": SCHEMA,
        "lower": _bound(answer.lower),
        "upper": _bound(answer.upper),
        **exact,
        "unit": answer.unit,
        "method": answer.method,
        "theorem": answer.theorem,
        "status": answer.status,
        "mechanism": None if answer.mechanism is None else answer.mechanism.to_json(),
        "proof": write_proof(answer.proof),
    }


def read_evidence(document: object) -> AnyProof:
    """Return the proof in an answer, or the proof itself.

    Raises:
        InvalidInput: if the document is neither.
    """
    if not isinstance(document, Mapping):
        raise InvalidInput("This is neither an answer nor a proof; give what `epstar solve --json` wrote.")
    check_json(document)
    return read_proof(document["proof"] if document.get("schema") == SCHEMA and "proof" in document else document)


def check_evidence(document: object, proof: AnyProof) -> Interval:
    """Return what the proof in a document establishes, after checking that an answer claims no more.

    Raises:
        ProofRejected: if the proof does not hold, or the answer around it says something else.
    """
    interval = interval_asked(proof.problem, proof.check())
    if isinstance(document, Mapping) and document.get("schema") == SCHEMA:
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


def _bound(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity"


def _is_exact(bound: Real) -> bool:
    known = bound.is_infinite or bound.rational is not None or bound.argument_of_log is not None
    return known and len(str(bound)) <= _LONGEST
