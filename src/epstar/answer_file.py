"""Answers as JSON (schema "epstar/answer/1"), with their proofs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.frontier import Answer
from epstar.proof import AnyProof
from epstar.proof.document import read_proof, write_proof

SCHEMA = "epstar/answer/1"


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
    return read_proof(document["proof"] if document.get("schema") == SCHEMA and "proof" in document else document)


def _bound(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity"


def _is_exact(bound: Real) -> bool:
    return bound.is_infinite or bound.rational is not None or bound.argument_of_log is not None
