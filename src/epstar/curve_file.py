"""Curves as JSON (schema "epstar/curve/2"): the problem once, and the claims at each of its points."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epstar.answer import Answer, claimed, claimed_ends, interval_asked, unit_asked
from epstar.answer_file import answer_of, check_ends, check_words, problem_at, write_ends
from epstar.claims import Bracket, Setting, check
from epstar.curve import Curve, Unanswered
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import Interval, Real
from epstar.problem import Asked, Problem
from epstar.proof_file.document import read_claims, read_setting, write_claims, write_setting
from epstar.proof_file.grammar import given_at

SCHEMA = "epstar/curve/2"
_HEAD = {"schema", "problem", "asks", "unit", "points"}
_POINT = {"at", "lower", "upper", "lower_exact", "upper_exact", "attained", "excluded", "method", "theorem", "status"}


def write_curve(curve: Curve) -> dict[str, object]:
    """Return the curve as a JSON object; an infinite bound is the string "infinity".

    A point about which nothing is proven has ends that are null.

    >>> from epstar.frontier import Frontier
    >>> written = write_curve(Frontier("leakage", [0.5, 0.5], "hamming").loss_at(["1/4", "1/2"]))
    >>> written["schema"], written["asks"], written["unit"]
    ('epstar/curve/2', 'loss', 'nats')
    """
    return {
        "schema": SCHEMA,
        "problem": write_setting(Setting.of(curve.problems[0])),
        "asks": curve.asks,
        "unit": curve.unit,
        "points": [
            {"at": str(problem.given), **_point(answer)}
            for problem, answer in zip(curve.problems, curve.answers, strict=True)
        ],
    }


def read_curve(document: Mapping[str, Any]) -> Curve:
    """Return the curve that `write_curve` described, with the claims that establish its points: they are checked.

    Why a point has no answer, and how long the others were given, stands in no file.

    Raises:
        ProofRejected: if a claim does not hold, or an end does not follow.
        InvalidInput: if the document is malformed.

    >>> from epstar.frontier import Frontier
    >>> curve = Frontier("leakage", [0.5, 0.5], "hamming").loss_at(["1/4", "1/2"])
    >>> [str(answer.interval.upper) for answer in read_curve(write_curve(curve)).answers]
    ['log(3/2)', '0']
    """
    if document.get("schema") != SCHEMA:
        raise InvalidInput(f"This is not a curve: its schema must be {SCHEMA!r}.")
    proven = check_curve(document)
    setting, asks = read_setting(document["problem"]), document["asks"]
    problems, answers = list[Problem](), list[Answer | Unanswered]()
    for point, interval in zip(document["points"], proven, strict=True):
        claims = Bracket(setting) if interval is None else read_claims(point, setting)
        problems.append(problem_at(claims, asks, given_at(point["at"])))
        if interval is None:
            answers.append(Unanswered("Nothing was proven at this point when the curve was written.", False))
        elif interval.lower.is_infinite and claims.attained is None:
            answers.append(Unanswered("There is provably no mechanism at this point.", True, claims=claims))
        else:
            answers.append(answer_of(problems[-1], claims, interval, point))
    return Curve(tuple(problems), tuple(answers))


def is_curve(document: object) -> bool:
    """Return whether a JSON object holds a curve of this schema."""
    return isinstance(document, Mapping) and document.get("schema") == SCHEMA


def check_curve(document: Mapping[str, Any]) -> tuple[Interval | None, ...]:
    """Return what is established at each point of a curve; None where nothing is.

    Raises:
        ProofRejected: if a claim does not hold, or an end does not follow.
        InvalidInput: if the document is malformed.
    """
    points = document.get("points")
    if set(document) != _HEAD or not isinstance(points, list) or document["asks"] not in ("loss", "distortion"):
        raise InvalidInput(f"A curve has the fields {', '.join(sorted(_HEAD))}; write it again with `epstar curve`.")
    asks: Asked = "loss" if document["asks"] == "loss" else "distortion"
    setting = read_setting(document["problem"])
    found = tuple(_checked_point(point, number, setting, asks) for number, point in enumerate(points, 1))
    if document["unit"] != unit_asked(problem_at(Bracket(setting), asks, Real.of(0))):
        raise ProofRejected("The curve is measured in another unit than what its claims are about.")
    return found


def _checked_point(point: object, number: int, setting: Setting, asks: Asked) -> Interval | None:
    if not isinstance(point, Mapping) or not {"at", "lower", "upper"} <= set(point) <= _POINT:
        raise InvalidInput(f"Point {number} of the curve has other fields than a point has.")
    if point["lower"] is None and point["upper"] is None:
        if len(point) > 3:
            raise InvalidInput(f"Point {number} of the curve has no ends, but claims something.")
        return None
    check_words(point)
    claims = read_claims(point, setting)
    problem = problem_at(claims, asks, given_at(point["at"]))
    check(claims)
    interval = interval_asked(problem, Interval(*claimed_ends(problem, claims)))
    check_ends(point, interval, f"Point {number} of the curve")
    return interval


def _point(answer: Answer | Unanswered) -> dict[str, object]:
    if isinstance(answer, Answer):
        words = {"method": answer.method, "theorem": answer.theorem, "status": answer.status}
        return {**write_ends(answer.interval), **words, **write_claims(answer.claims)}
    claims = answer.claims if answer.proof is None else claimed(answer.proof)
    if claims is None:
        return {"lower": None, "upper": None}
    return {"lower": "infinity", "upper": "infinity", **write_claims(claims)}
