"""The least distortion there is: which answers it leaves, and what follows for the loss.

If the distortion allowed is that of the cheapest answers under some law of the source, every input of positive
probability gets nothing but its cheapest answers. A finite loss carries such zeros on: where a bound compares an
input with others that never give an answer, that input must not give it either, or no more often than the slack of
the bound says. What is left may be dearer for another law, and so on, until a single mechanism is left, or none of
finite loss.

A bound with slack joins in by weak duality at an infinite level, one step at a time. For an output y that no input
on its right may give, the bound says left(q_y) <= slack at every finite level. Add multiples of such bounds to the
weighted distortion; every mechanism then satisfies

    weight * D + (multipliers on slacks)  >=  sum over x, y of Q(y|x) price(x, y)  >=  sum over x of min_y price(x, y).

If the last is larger than the first, there is no mechanism. If they are equal, an answer whose price is not the least
of its input is never given: a new zero, under which more bounds speak. These steps decide every case: as soon as every
answer left is given by some mechanism that meets what the bounds say, the mean of these has a finite loss.
"""

from __future__ import annotations

from collections.abc import Sequence

from epstar.completion.converse import Point, Step, mixed
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Power, RatioBound, RelativeEntropy, SumBound
from epstar.problem import Problem

Answers = list[set[int]]


def forced_loss(problem: Problem, answers: Answers | None, constraints: Constraints) -> Real | None:
    """Return the lower bound on the loss that `answers` alone prove, None where they leave several mechanisms."""
    if answers is None or any(_never_meet(total, answers) for total in constraints.sums):
        return INFINITY
    if any(len(choices) > 1 for choices in answers):
        return None
    lower = problem.notion.loss(cheapest_of(problem, answers), problem.source).lower
    return Real.of(ZERO) if lower is None else lower


def cheapest_of(problem: Problem, answers: Answers) -> Mechanism:
    """Return the mechanism that gives each input the cheapest of its answers."""
    outputs = problem.distortion.outputs(problem.universe)
    cost = problem.distortion.matrix(problem.universe)
    chosen = [min(sorted(choices), key=lambda y: row[y]) for row, choices in zip(cost, answers, strict=True)]
    rows = [[ONE if y == answer else ZERO for y in range(len(outputs))] for answer in chosen]
    return Mechanism(rows, problem.universe, outputs)


def forced_answers(
    problem: Problem, law: Point | None, constraints: Constraints, steps: Sequence[Step] = (), searches: bool = True
) -> Answers | None:
    """Return the answers that each input may still be given by a mechanism of finite loss; None if there is none.

    Where it `searches`, laws of the source join `law` and those of the steps as they turn out to be worst: of several
    that are, any one.

    Raises:
        ProofRejected: if a step says nothing.
    """
    inputs, outputs = problem.distortion.shape(problem.universe)
    laws = [] if law is None else [law]
    answers = _spread(problem, laws, constraints, [set(range(outputs)) for _ in range(inputs)], searches)
    for step in steps:
        left = None if answers is None else _after(problem, step, constraints, answers)
        answers = None if left is None else _spread(problem, laws, constraints, left, searches)
    return answers


def _spread(
    problem: Problem, laws: Sequence[Point], constraints: Constraints, answers: Answers, searches: bool
) -> Answers | None:
    """Return what is left of answers as zeros spread by bounds without slack and by the laws of the source."""
    cost = problem.distortion.matrix(problem.universe)
    compared = _compared(constraints)
    while True:
        cheapest = [min(row[y] for y in choices) for row, choices in zip(cost, answers, strict=True)]
        totals = [Real.of(dot(member, cheapest)) for member in laws]
        if any(total > problem.given for total in totals):
            return None
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
        known = laws
        if searches:
            cheapest = [min(row[y] for y in choices) for row, choices in zip(cost, left, strict=True)]
            laws = [*dict.fromkeys([*laws, problem.source.maximum(cheapest).point])]
        if left == answers and len(laws) == len(known):
            return answers
        answers = left


def _after(problem: Problem, step: Step, constraints: Constraints, answers: Answers) -> Answers | None:
    """Return what a step leaves of the answers, None if it shows that there is no mechanism."""
    law, cost = mixed(step.distortion_law), problem.distortion.matrix(problem.universe)
    prices = [[step.weight * p * d for d in row] for p, row in zip(law, cost, strict=True)]
    bounds = constraints.pairwise()
    for i, y, multiplier in step.ratios:
        bound = bounds[i]
        if (bound.slack_grows and bound.slack > 0) or any(
            y in answers[x] for x, share in bound.right.items() if share > 0
        ):
            raise ProofRejected(
                "At an infinite level a bound says nothing about an output that its right side may give."
            )
        for x, share in bound.left.items():
            prices[x][y] += multiplier * share
    least = [min(row[y] for y in choices) for row, choices in zip(prices, answers, strict=True)]
    charge = sum((paid * bounds[i].slack for i, paid in _slacks_paid(step.ratios, bounds).items()), ZERO)
    total = Real.of(sum(least, ZERO) - charge)
    allowed = problem.given * step.weight
    if total > allowed:
        return None
    if total < allowed:
        raise ProofRejected("A step leaves room in the distortion, so it forces nothing.")
    return [{y for y in choices if row[y] == low} for row, choices, low in zip(prices, answers, least, strict=True)]


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


def _never_meet(total: SumBound, answers: Answers) -> bool:
    """Return whether a divergence of an order below one is infinite: its two inputs have no answer in common."""
    if len(total.terms) != 1:
        return False
    ((_, atom),) = total.terms
    if not isinstance(atom, Power) or atom.order > 1:
        return False
    return not any(answers[x] & answers[other] for x in atom.left for other in atom.right)


def _slacks_paid(ratios: Sequence[tuple[int, int, Rational]], bounds: Sequence[RatioBound]) -> dict[int, Rational]:
    """Return how many times the slack of each bound is paid for multipliers of its outputs.

    Over events the slack is shared by all outputs: the largest multiplier that one of them has in all pays for it.
    """
    shares: dict[tuple[int, int], Rational] = {}
    for i, y, multiplier in ratios:
        shares[i, y] = shares.get((i, y), ZERO) + multiplier
    paid: dict[int, Rational] = {}
    for (i, _), share in shares.items():
        known = paid.get(i, ZERO)
        paid[i] = max(known, share) if bounds[i].events else known + share
    return paid
