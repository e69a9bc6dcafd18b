"""Whether what is shown was proven: asked of the proof itself, whoever made the object that carries it."""

from __future__ import annotations

import math

from epstar.answer import Answer, interval_asked
from epstar.answer_file import claims_more
from epstar.curve import Curve, Unanswered
from epstar.errors import EpstarError
from epstar.proof import Interval


def is_proven(answer: Answer) -> bool:
    """Return whether the ends of an answer follow from its proof; what a proof has checked once it remembers."""
    try:
        problem = answer.proof.problem
        return answer.proof.mechanism == answer.mechanism and follows(
            answer.interval, interval_asked(problem, answer.proof.check())
        )
    except EpstarError:
        return False


def follows(shown: Interval, proven: Interval) -> bool:
    """Return whether both ends that are shown, as numbers and as floats, follow from an interval that is proven."""
    ends = {"lower": shown.lower, "upper": shown.upper}
    for end, bound in ends.items():
        outward = bound.lower if end == "lower" else bound.upper
        claims: list[object] = ["infinity" if outward == math.inf else outward]
        if bound.rational is not None or bound.argument_of_log is not None:
            claims.append(str(bound))
        if outward != -math.inf and any(claims_more(end, claim, proven) for claim in claims):
            return False
    return True


def proven_points(curve: Curve) -> int:
    """Return how many points of a curve are proven: by the proof that they share, or each by its own."""
    proof = curve.proof
    if proof is None:
        return sum(_is_point_proven(answer) for answer in curve.answers)
    asked = [(p.notion, p.source, p.universe, p.asks, str(p.given)) for p in curve.problems]
    about = [(proof.notion, proof.source, proof.universe, proof.asks, str(point.given)) for point in proof.points]
    if asked != about:
        return 0
    try:
        return len(proof.check())
    except EpstarError:
        return 0


def _is_point_proven(answer: Answer | Unanswered) -> bool:
    if isinstance(answer, Answer):
        return is_proven(answer)
    try:
        return answer.is_impossible and answer.proof is not None and answer.proof.check().lower.is_infinite
    except EpstarError:
        return False
