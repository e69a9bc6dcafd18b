"""Answers as JSON (schema "epstar/answer/2"): their ends, and the claims that prove them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from epstar.answer import (
    TIME_PASSED,
    TOO_LARGE,
    Answer,
    StatisticAnswer,
    claimed_ends,
    described,
    design_answer,
    interval_asked,
    unit_asked,
)
from epstar.claims import Bracket, check
from epstar.completion import ClaimedProof
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Interval, Rational, Real, compare
from epstar.problem import Asked, Problem
from epstar.proof_file.document import read_bracket, write_bracket
from epstar.proof_file.grammar import given_at, level

SCHEMA = "epstar/answer/2"
# What `epstar.statistics.document` writes.
STATISTIC = "epstar/statistic/1"
_FIELDS = {"schema", "at", "lower", "upper", "unit", "proof"}
ENDS = ("lower", "upper", "lower_exact", "upper_exact")
# What is said of an answer beside its ends, which no proof depends on.
_WORDS = {"method", "theorem", "status"}
# Longer numbers are not read back; the decimal beside them says enough.
_LONGEST = 2500


def write_answer(answer: Answer) -> dict[str, object]:
    """Return the answer as a JSON object; an infinite bound is the string "infinity".

    >>> from epstar.frontier import Frontier
    >>> written = write_answer(Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5"))
    >>> written["schema"], written["upper_exact"], written["status"]
    ('epstar/answer/2', 'log(12)', 'proven')
    """
    if isinstance(answer, StatisticAnswer):
        said = {"unit": answer.unit, "method": answer.method, "theorem": answer.theorem, "status": answer.status}
        ends = {"lower": _bound(answer.interval.lower.lower), "upper": _bound(answer.interval.upper.upper)}
        from epstar.statistics.document import write_design  # of no use to other answers

        return write_design(answer.evidence, {**ends, **said})
    return {
        "schema": SCHEMA,
        "at": write_place(answer.problem),
        **write_ends(answer.interval),
        "unit": answer.unit,
        "method": answer.method,
        "theorem": answer.theorem,
        "status": answer.status,
        "proof": write_bracket(answer.claims),
    }


def write_place(problem: Problem) -> dict[str, object]:
    """Return the point that a problem asks about, as it stands in a problem file."""
    return {"distortion" if problem.asks == "loss" else "loss": str(problem.given)}


def write_ends(interval: Interval) -> dict[str, object]:
    """Return the ends of an interval: floats rounded outward, and the exact numbers where they are not too long."""
    exact = {
        name: str(bound)
        for name, bound in (("lower_exact", interval.lower), ("upper_exact", interval.upper))
        if len(str(bound)) <= _LONGEST
    }
    return {"lower": _bound(interval.lower.lower), "upper": _bound(interval.upper.upper), **exact}


def read_answer(document: Mapping[str, Any]) -> Answer:
    """Return the answer that `write_answer` described, with the claims that establish it: they are checked.

    The multipliers from which the claims were completed stand in no file.

    Raises:
        InvalidInput: if the document is no answer.
        ProofRejected: if a claim does not hold, or an end does not follow.

    >>> from epstar.frontier import Frontier
    >>> found = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at("1/5")
    >>> str(read_answer(write_answer(found)).interval.lower)
    'log(12)'
    """
    if document.get("schema") == STATISTIC:
        from epstar.statistics.document import read_design  # of no use to other answers

        evidence, ends = read_design(document)
        return design_answer(evidence, str(document.get("method", "")), str(document.get("theorem", "")), ends)
    if document.get("schema") != SCHEMA:
        raise InvalidInput(f"This is not an answer: its schema must be {SCHEMA!r}.")
    problem, claims, interval = check_answer(document)
    return answer_of(problem, claims, interval, document)


def answer_of(problem: Problem, claims: Bracket, interval: Interval, words: Mapping[str, Any]) -> Answer:
    """Return an answer whose claims were checked, with what a document says of it beside them."""
    method, theorem, said = (str(words.get(name, "")) for name in ("method", "theorem", "status"))
    mechanism = None if claims.attained is None else claims.attained.mechanism
    status, timed_out, too_large = described(interval, TIME_PASSED in said, TOO_LARGE in said)
    unit = unit_asked(problem)
    known = ClaimedProof(problem, claims)
    return Answer(interval, mechanism, known, method, theorem, status, unit, timed_out, too_large, claims)


def check_answer(document: Mapping[str, Any]) -> tuple[Problem, Bracket, Interval]:
    """Return the question of an answer, its claims, and the interval that they establish.

    Raises:
        ProofRejected: if a claim does not hold, or an end does not follow.
        InvalidInput: if the document is malformed.
    """
    allowed = _FIELDS | _WORDS | set(ENDS)
    unknown, missing = sorted(set(document) - allowed), sorted(_FIELDS - set(document))
    if unknown or missing:
        raise InvalidInput(f"An answer has {'no' if missing else 'another'} field {(missing or unknown)[0]!r}.")
    check_words(document)
    claims = read_bracket(document["proof"])
    problem = asked_at(claims, document["at"])
    check(claims)
    interval = interval_asked(problem, Interval(*claimed_ends(problem, claims)))
    if document["unit"] != unit_asked(problem):
        raise ProofRejected("The unit of the answer is not that of what its proof is about.")
    check_ends(document, interval, "The answer")
    return problem, claims, interval


def asked_at(claims: Bracket, place: object) -> Problem:
    """Return the question about a point of the trade-off that claims are about."""
    if isinstance(place, Mapping) and len(place) == 1:
        ((name, given),) = place.items()
        if name in ("distortion", "loss"):
            return problem_at(claims, "loss" if name == "distortion" else "distortion", given_at(given))
    raise InvalidInput("The point of an answer is {'distortion': D} or {'loss': level}.")


def problem_at(claims: Bracket, asks: Asked, given: Real) -> Problem:
    """Return the question about a point of the trade-off that claims are about."""
    setting = claims.setting
    wider = setting.secret, setting.limits, setting.also
    return Problem(setting.notion, setting.source, setting.distortion, setting.universe, asks, given, *wider)


def check_words(document: Mapping[str, Any]) -> None:
    """Check that what is said of an answer beside its ends is text.

    Raises:
        InvalidInput: if it is not.
    """
    for name in sorted(_WORDS & set(document)):
        if not isinstance(document[name], str):
            raise InvalidInput(f"The field {name!r} of an answer is a text.")


def check_ends(document: Mapping[str, Any], proven: Interval, who: str) -> None:
    """Check that the ends that a document states follow from those that are claimed: exactly, whatever their digits.

    Raises:
        ProofRejected: if one does not.
    """
    for name in ENDS:
        if name not in document:
            continue
        stated, is_lower = _stated(document[name], name), name.startswith("lower")
        end = proven.lower if is_lower else proven.upper
        follows = stated <= end if is_lower else stated >= end
        if not follows or (name.endswith("_exact") and compare(stated, end) != 0):
            raise ProofRejected(f"{who} claims more than its proof: its {name!r} does not follow.")


def _stated(value: object, name: str) -> Real:
    if name.endswith("_exact") or value == "infinity":
        return level(value)
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise InvalidInput(f"The end {name!r} is not a number.")
    try:
        binary = float(value)
    except OverflowError:  # an integer beyond them all
        binary = math.inf
    if not math.isfinite(binary):
        raise InvalidInput(f"The end {name!r} is beyond all binary numbers; write 'infinity' if you mean that.")
    # A float is the binary number that it is, not the decimal that prints it.
    return Real.of(Rational(*binary.as_integer_ratio()))


def _bound(value: float) -> float | str:
    return value if math.isfinite(value) else "infinity"
