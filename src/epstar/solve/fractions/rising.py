"""What makes an exact optimum the least level too: multipliers that prove more of answers that a smaller level leaves.

They are those of the least distortion where other answers cost more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from epstar.completion import Converse, Proof
from epstar.completion.converse import Step, mixed
from epstar.completion.excluded import drafted
from epstar.deadline import Deadline
from epstar.distortion import Gain
from epstar.errors import ProofRejected
from epstar.exact import Rational, Real
from epstar.notions.constraints import Constraints, RatioBound
from epstar.problem import Problem
from epstar.solve.fractions.exact_optimum import exact_optimum
from epstar.solve.fractions.exact_program import ExactFound


def rising(problem: Problem, found: ExactFound, level: Real, deadline: Deadline) -> Converse | None:
    """Return the converse of an exact optimum with steps that exclude all smaller levels; None if none are found.

    Each is about the answers that the ones before leave without room.

    Raises:
        TimeLimit: if the time is up.
    """
    cost = problem.distortion.matrix(problem.universe)
    # The least distortion is concave in what other answers cost more: if that matters, it does from the first bit on.
    extra = max(map(max, cost)) - min(map(min, cost))
    last, others, known = found.converse, list[Converse](), [list(range(len(cost[0])))] * len(cost)
    while last.prices is None:
        joined = _joined(problem, found.converse, others)
        try:
            draft = drafted(problem, joined, level)
        except ProofRejected:
            return None
        left = [draft.left(x) for x in range(len(cost))]
        if draft.done or not all(left):
            return joined
        if left == known:
            return None
        gains = [
            [-price if y in choices else -price - extra for y, price in enumerate(row)]
            for row, choices in zip(cost, left, strict=True)
        ]
        restricted = replace(problem, distortion=Gain(gains))
        dearer = exact_optimum(restricted, Proof(restricted, found.mechanism, last), level, deadline)
        if dearer is None:
            return None
        known, last = left, dearer.converse
        others.append(last)
    return None


def _joined(problem: Problem, converse: Converse, others: Sequence[Converse]) -> Converse:
    """Return the converse with the multipliers of others as steps: bounds are counted at the laws of all."""
    halves = [converse, *others]
    joined = replace(converse, points=tuple(dict.fromkeys(point for half in halves for point in half.points)))
    places = {_key(bound): i for i, bound in enumerate(_constraints(problem, joined).pairwise())}

    def moved(half: Converse) -> tuple[tuple[int, int, Rational], ...]:
        bounds = _constraints(problem, half).pairwise()
        return tuple((places[_key(bounds[i])], y, multiplier) for i, y, multiplier in half.ratios)

    steps = tuple(Step(other.weight, other.distortion_law, moved(other)) for other in others)
    return replace(joined, ratios=moved(converse), steps=steps)


def _constraints(problem: Problem, converse: Converse) -> Constraints:
    return problem.notion.constraints(problem.universe, [mixed(point) for point in converse.points])


def _key(bound: RatioBound) -> tuple[object, ...]:
    forms = tuple(tuple(sorted(form.items())) for form in (bound.left, bound.right))
    return (*forms, bound.distance, bound.slack, bound.events, bound.slack_grows)
