"""The least distortion there is: which answers it leaves, and what follows for the loss.

If the distortion allowed is that of the cheapest answers under some law of the source, every input of positive
probability gets nothing but its cheapest answers. A finite loss carries such zeros on: where a bound compares an
input with others that never give an answer, that input must not give it either. What is left may be dearer for another
law, and so on, until a single mechanism is left, or none of finite loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Power, RatioBound, RelativeEntropy, SumBound
from epstar.problem import Problem

Point = tuple[Rational, ...]
Answers = list[set[int]]


def forced_loss(problem: Problem, law: Point, constraints: Constraints) -> Real:
    """Return the lower bound on the loss where the distortion allowed is the least there is under `law`.

    Raises:
        ProofRejected: if it is not, or leaves several mechanisms.
    """
    answers = forced_answers(problem, law, constraints)
    if answers is None:
        return INFINITY
    if all(len(choices) == 1 for choices in answers):
        lower = problem.notion.loss(cheapest_of(problem, answers), problem.source).lower
        return Real.of(ZERO) if lower is None else lower
    if any(_is_broken(bound, answers) for bound in constraints.pairwise()) or _is_too_dear(
        problem, answers, constraints
    ):
        return INFINITY
    if any(_never_meet(total, answers) for total in constraints.sums):
        return INFINITY
    raise ProofRejected("The least distortion leaves more than one mechanism.")


def cheapest_of(problem: Problem, answers: Answers) -> Mechanism:
    """Return the mechanism that gives each input the cheapest of its answers."""
    outputs = problem.distortion.outputs(problem.universe)
    cost = problem.distortion.matrix(problem.universe)
    chosen = [min(sorted(choices), key=lambda y: row[y]) for row, choices in zip(cost, answers, strict=True)]
    rows = [[ONE if y == answer else ZERO for y in range(len(outputs))] for answer in chosen]
    return Mechanism(rows, problem.universe, outputs)


def forced_answers(problem: Problem, law: Point, constraints: Constraints) -> Answers | None:
    """Return the answers that each input may still be given by a mechanism of finite loss; None if there is none.

    Raises:
        ProofRejected: if more distortion is allowed than the cheapest answers have under `law`.
    """
    cost = problem.distortion.matrix(problem.universe)
    answers = [set(range(len(row))) for row in cost]
    compared = _compared(constraints)
    laws = [law]
    while True:
        cheapest = [min(row[y] for y in choices) for row, choices in zip(cost, answers, strict=True)]
        totals = [Real.of(dot(member, cheapest)) for member in laws]
        if any(total > problem.given for total in totals):
            return None
        if totals[0] < problem.given:
            raise ProofRejected("The distortion allowed is not the least there is, so no answer is forced.")
        tight = [member for member, total in zip(laws, totals, strict=True) if not total < problem.given]
        left = [
            {y for y in choices if row[y] == least} if any(member[x] > 0 for member in tight) else set(choices)
            for x, (row, choices, least) in enumerate(zip(cost, answers, cheapest, strict=True))
        ]
        for first, second in compared:
            reached = set().union(*(left[x] for x in second))
            for x in first:
                left[x] &= reached
        if not all(left):
            return None
        worst = problem.source.maximum([min(row[y] for y in choices) for row, choices in zip(cost, left, strict=True)])
        if left == answers and worst.point in laws:
            return answers
        answers, laws = left, [*laws, worst.point]


def _compared(constraints: Constraints) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Return pairs of inputs (some, others) such that an answer that no other gives, none of the first may give."""
    pairs = [(bound.left, bound.right) for bound in constraints.pairwise() if bound.slack == 0]
    pairs += [
        (atom.left, atom.right)
        for total in constraints.sums
        for weight, atom in total.terms
        # An order below one is infinite only where no answer at all is shared.
        if weight > 0 and (isinstance(atom, RelativeEntropy) or (isinstance(atom, Power) and atom.order > 1))
    ]
    return [
        ([x for x, share in left.items() if share > 0], [x for x, share in right.items() if share > 0])
        for left, right in pairs
    ]


def _is_too_dear(problem: Problem, answers: Answers, constraints: Constraints) -> bool:
    """Return whether bounds with slack make what is left cost more than is allowed, at every level.

    An input gives answers that the inputs on the right of a bound never give with at most the slack of the bound, over
    its own share of the left.
    """
    cost = problem.distortion.matrix(problem.universe)
    cheapest = [min(row[y] for y in choices) for row, choices in zip(cost, answers, strict=True)]
    dearer = list(cheapest)
    for bound in constraints.pairwise():
        weighed = {} if bound.slack_grows else {x: weight for x, weight in bound.left.items() if weight > 0}
        for x, weight in weighed.items():
            shared = answers[x] & set().union(*(answers[other] for other in bound.right))
            alone = len(answers[x]) - len(shared)
            share = min(ONE, bound.slack / weight * (1 if bound.events else alone))
            if shared and share < 1:
                least = min(cost[x][y] for y in shared)
                dearer[x] = max(dearer[x], share * cheapest[x] + (1 - share) * least)
    return Real.of(dot(problem.source.maximum(dearer).point, dearer)) > problem.given


def _is_broken(bound: RatioBound, answers: Answers) -> bool:
    """Return whether answers break a bound with slack at every level: what the left gets, the right never does."""
    if len(bound.left) != 1 or (bound.slack_grows and bound.slack > 0):
        return False
    ((x, weight),) = bound.left.items()
    if any(answers[x] & answers[other] for other in bound.right):
        return False
    excess = weight if bound.events else weight / len(answers[x])
    return excess > bound.slack


def _never_meet(total: SumBound, answers: Answers) -> bool:
    """Return whether a divergence of an order below one is infinite: its two inputs have no answer in common."""
    if len(total.terms) != 1:
        return False
    ((_, atom),) = total.terms
    if not isinstance(atom, Power) or atom.order > 1:
        return False
    return not any(answers[x] & answers[other] for x in atom.left for other in atom.right)
