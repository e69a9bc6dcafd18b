"""Least distortions that leave few answers (facial reduction), as steps of a draft.

If the distortion allowed is that of the cheapest answers under some law of the source, every input of positive
probability gets nothing but its cheapest answers. A finite loss carries such zeros on: where a bound without slack
compares an input with others that never give an answer, that input must not give it either; bounds with slack join in
by the further steps of a converse. What is left may be dearer for another law, and so on, until a single mechanism is
left, or none of finite loss. Of a single mechanism its own loss is the bound: its tangents, or a ratio bound that it
meets with equality.
"""

from __future__ import annotations

from contextlib import suppress

from epstar.claims.claim import Places, Shares, Step, SumUse, Tangents
from epstar.completion.converse import Converse, Mixture, laws_of, mixed
from epstar.completion.draft import Draft
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Form, Maximum, Norm, Power, RelativeEntropy, SumBound
from epstar.problem import Problem


def narrow(draft: Draft, problem: Problem, converse: Converse, searches: bool = True) -> None:
    """Add steps until nothing more vanishes: laws of the source, zeros that spread, the steps of a converse in turn.

    Where it `searches`, the worst laws of the source join that of the converse.

    Raises:
        ProofRejected: if a step of the converse says nothing.
    """
    laws = [converse.distortion_law] if converse.distortion_law else []
    pending = list(converse.steps)
    while not draft.done:
        if not all(answers(draft)):
            draft.finish()
        elif any(_law_step(draft, problem, law) for law in laws) or draft.spread_zeros():
            continue
        elif searches and (worst := _worst(draft, problem)) not in laws:
            laws.append(worst)
        elif pending:
            draft.add_with_rows(pending.pop(0).of_claim(draft.given.bounds, problem.source))
        else:
            return


def answers(draft: Draft) -> list[list[int]]:
    """Return the answers that each input may still be given."""
    return [draft.left(x) for x in range(draft.given.frame.inputs)]


def forced(draft: Draft, problem: Problem, converse: Converse) -> None:
    """Add steps until nothing more vanishes, and what contradicts the claim if one mechanism is left, or none."""
    narrow(draft, problem, converse)
    has_choice = any(len(left) > 1 for left in answers(draft))
    if draft.done or converse.sums or converse.ratios or (converse.weight > 0 and has_choice):
        return
    if not draft.given.claim.loss.is_infinite:
        _single(draft)
        return
    with suppress(ProofRejected):
        draft.finish()
    if not draft.done:
        bound = _never_meeting(draft)
        if bound is None:
            raise ProofRejected("Nothing says that the loss is infinite.")
        nowhere = Places(((None,) * draft.given.frame.outputs,) * len(bound.terms))
        draft.add(Step(sums=(SumUse(bound.name, ONE, nowhere),)))


def forced_loss(draft: Draft, problem: Problem) -> Real | None:
    """Return the loss of all that a draft at an infinite loss leaves, None where that is several mechanisms."""
    if draft.done or _never_meeting(draft) is not None:
        return INFINITY
    left = answers(draft)
    if any(len(choices) > 1 for choices in left):
        return None
    lower = problem.notion.loss(cheapest_of(problem, left), problem.source).lower
    return Real.of(ZERO) if lower is None else lower


def cheapest_of(problem: Problem, left: list[list[int]]) -> Mechanism:
    """Return the mechanism that gives each input the cheapest of its answers."""
    outputs = problem.distortion.outputs(problem.universe)
    cost = problem.distortion.matrix(problem.universe)
    chosen = [min(choices, key=lambda y: row[y]) for row, choices in zip(cost, left, strict=True)]
    rows = [[ONE if y == answer else ZERO for y in range(len(outputs))] for answer in chosen]
    return Mechanism(rows, problem.universe, outputs)


def _cheapest(draft: Draft, problem: Problem) -> list[Rational]:
    cost = problem.distortion.matrix(problem.universe)
    return [min(row[y] for y in left) for row, left in zip(cost, answers(draft), strict=True)]


def _worst(draft: Draft, problem: Problem) -> Mixture:
    """Return the law under which the cheapest answers left cost most."""
    return ((ONE, problem.source.maximum(_cheapest(draft, problem)).point),)


def _law_step(draft: Draft, problem: Problem, mixture: Mixture) -> bool:
    """Add what the cheapest answers left cost under a law, if that is all that is allowed, and dearer ones are left."""
    law, allowed = mixed(mixture), problem.given.rational
    cost, cheapest = problem.distortion.matrix(problem.universe), _cheapest(draft, problem)
    rows = tuple(p * least for p, least in zip(law, cheapest, strict=True))
    if allowed is None or sum(rows, ZERO) < allowed:
        return False
    dearer = (cost[x][y] > cheapest[x] for x, left in enumerate(answers(draft)) if law[x] > 0 for y in left)
    if sum(rows, ZERO) == allowed and not any(dearer):
        return False
    draft.add(Step(laws=laws_of(mixture, ONE, problem.source), rows=rows))
    return True


def _never_meeting(draft: Draft) -> SumBound | None:
    """Return a divergence of an order below one that is infinite: its two inputs have no answer in common."""
    left = [set(choices) for choices in answers(draft)]
    for bound in draft.given.bounds.constraints.sums:
        (_, atom), *others = bound.terms
        if others or not isinstance(atom, Power) or atom.order > 1:
            continue
        if not any(left[x] & left[other] for x in atom.left for other in atom.right):
            return bound
    return None


def _single(draft: Draft) -> None:
    """Add what the only mechanism left says: the tangents of a sum, or a ratio bound that it just meets."""
    answers = [draft.left(x)[0] for x in range(draft.given.frame.inputs)]
    last = ProofRejected("The only mechanism left keeps to every bound.")
    for bound in draft.given.bounds.constraints.sums:
        use = SumUse(bound.name, ONE, _at_answers(bound, answers, draft.given.frame.outputs))
        try:
            draft.add_with_rows(Step(sums=(use,)))
        except ProofRejected as error:
            last = error
            continue
        return
    for ratio in draft.given.bounds.constraints.pairwise():
        for y in set(answers):
            try:
                draft.add_with_rows(Step(ratios=((ratio.name, y, ONE),)))
                draft.finish()
            except ProofRejected as error:
                last = error
                continue
            return
    raise last


def _at_answers(bound: SumBound, answers: list[int], outputs: int) -> Tangents:
    """Return the tangents of a sum at the mechanism that gives each input one answer."""
    first = bound.terms[0][1]
    if isinstance(first, Maximum):
        givers = {
            y: [x for x, answer in enumerate(answers) if answer == y and x in first.weights] for y in range(outputs)
        }
        best = {y: max(xs, key=lambda x: first.weights[x]) for y, xs in givers.items() if xs}
        return Shares(tuple((y, x, ONE) for y, x in best.items()))
    if isinstance(first, Norm):
        columns = []
        for y in range(outputs):
            column = tuple(ONE if answers[x] == y else Rational(1, 10**40) for x in first.weights)
            columns.append(column if ONE in column else (None,) * len(column))
        return Places(tuple(columns))
    table = []
    for _, atom in bound.terms:
        assert isinstance(atom, RelativeEntropy | Power)
        values = [(_value(atom.left, answers, y), _value(atom.right, answers, y)) for y in range(outputs)]
        table.append(tuple(a / b if a > 0 and b > 0 else None for a, b in values))
    return Places(tuple(table))


def _value(form: Form, answers: list[int], y: int) -> Rational:
    return sum((share for x, share in form.items() if answers[x] == y), ZERO)
