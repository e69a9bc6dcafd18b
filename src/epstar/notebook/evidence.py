"""Whether what is shown was proven: asked of the proof itself, whoever made the object that carries it."""

from __future__ import annotations

from epstar.answer import Answer, StatisticAnswer, claimed_ends, interval_asked
from epstar.claims import check
from epstar.curve import Curve, Unanswered
from epstar.errors import EpstarError
from epstar.exact import Interval
from epstar.statistics.proof import check as check_design


def is_proven(answer: Answer) -> bool:
    """Return whether the ends of an answer follow from its claims, and these hold."""
    try:
        if isinstance(answer, StatisticAnswer):
            return follows(answer.interval, Interval(*check_design(answer.evidence)))
        check(answer.claims)
        attained = answer.claims.attained
        if attained is not None and attained.mechanism is not None and attained.mechanism != answer.mechanism:
            return False
        proven = interval_asked(answer.problem, Interval(*claimed_ends(answer.problem, answer.claims)))
        return follows(answer.interval, proven)
    except EpstarError:
        return False


def follows(shown: Interval, proven: Interval) -> bool:
    """Return whether both ends that are shown follow from an interval that is proven."""
    return shown.lower <= proven.lower and shown.upper >= proven.upper


def proven_points(curve: Curve) -> int:
    """Return how many points of a curve are proven, each by its own claims."""
    return sum(_is_point_proven(answer) for answer in curve.answers)


def _is_point_proven(answer: Answer | Unanswered) -> bool:
    if isinstance(answer, Answer):
        return is_proven(answer)
    if not answer.is_impossible:
        return False
    try:
        if answer.claims is not None:
            check(answer.claims)
            return answer.claims.excluded is not None
        return answer.proof is not None and answer.proof.check().lower.is_infinite
    except EpstarError:
        return False
