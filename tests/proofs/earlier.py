"""Answers and curves as earlier versions wrote them (schemas "epstar/answer/1" and "epstar/curve/1")."""

from __future__ import annotations

import math
from typing import Any

from tests.proofs.schema_one import write_proof

from epstar.answer import Answer
from epstar.completion.converse import BITS
from epstar.curve import Curve, Unanswered
from epstar.earlier_documents import ANSWER, CURVE
from epstar.exact import Interval, Rational, Real

_ENDS = ("lower", "upper", "lower_exact", "upper_exact")
# Where a loss is enclosed and not known, each checker encloses it in its own way: it is written larger by this share.
_SPARE = Rational(1, 10**12)
_LONGEST_DYADIC = 1 << 64
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
        "schema": ANSWER,
        **written_ends(answer.interval),
        **exact,
        "unit": answer.unit,
        "method": answer.method,
        "theorem": answer.theorem,
        "status": answer.status,
        "mechanism": None if answer.mechanism is None else answer.mechanism.to_json(),
        "proof": write_proof(answer.proof),
    }


def written_ends(interval: Interval) -> dict[str, object]:
    """Return both ends as JSON numbers, rounded outward; an infinite end is the string "infinity"."""
    upper = interval.upper
    if not _is_known(upper):
        above = upper.above(BITS)
        upper = Real.of(above + _SPARE * abs(above))
    return {"lower": _bound(interval.lower.lower), "upper": _bound(upper.upper)}


def write_curve(curve: Curve) -> dict[str, Any]:
    """Return a curve with an answer to each point, or the proof that there is none; with neither its ends are null."""
    evidence = [_evidence(answer) for answer in curve.answers]
    points = [
        {"given": str(problem.given), **_ends(answer, one)}
        for problem, answer, one in zip(curve.problems, curve.answers, evidence, strict=True)
    ]
    head = {"schema": CURVE, "asks": curve.asks, "unit": curve.unit}
    return {**head, "points": points, "proof": None, "answers": evidence}


def _evidence(answer: Answer | Unanswered) -> dict[str, object] | None:
    if isinstance(answer, Answer):
        return write_answer(answer)
    return None if answer.proof is None else write_proof(answer.proof)


def _ends(answer: Answer | Unanswered, evidence: dict[str, object] | None) -> dict[str, object]:
    if evidence is None:
        return {"lower": None, "upper": None}
    if isinstance(answer, Unanswered):
        return {"lower": "infinity", "upper": "infinity"}
    return {end: evidence[end] for end in _ENDS if end in evidence}


def _bound(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity"


def _is_known(bound: Real) -> bool:
    """Return whether an end is the number itself, and not an end of a ball around it, which is dyadic."""
    exact = bound.rational if bound.rational is not None else bound.argument_of_log
    if bound.is_infinite or exact is None:
        return bound.is_infinite
    denominator = int(exact.q)
    return denominator < _LONGEST_DYADIC or denominator & (denominator - 1) != 0


def _is_exact(bound: Real) -> bool:
    return _is_known(bound) and len(str(bound)) <= _LONGEST
