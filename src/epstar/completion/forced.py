"""Least distortions that leave few answers, as steps: laws under which these cost all that is allowed, spreading zeros.

Where a single mechanism is left, its own loss is the bound: its tangents, or a ratio bound that it meets with equality.
"""

from __future__ import annotations

from contextlib import suppress

from epstar.claims.claim import Places, Point, Shares, Step, SumUse, Tangents
from epstar.completion.converse import Converse, mixed
from epstar.completion.draft import Draft
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational
from epstar.notions.constraints import Form, Maximum, Norm, Power, RelativeEntropy, SumBound
from epstar.problem import Problem


def forced(draft: Draft, problem: Problem, converse: Converse) -> None:
    """Add steps until nothing more vanishes, and what contradicts the claim if one mechanism is left, or none."""
    from epstar.completion.excluded import laws_of, step_of

    _law_step(draft, problem, laws_of(converse.distortion_law, ONE, problem.source))
    known = {mixed(converse.distortion_law)}
    pending = list(converse.steps)
    while not draft.done:
        empty = [x for x in range(draft.given.frame.inputs) if not draft.left(x)]
        if empty:
            draft.finish()
            return
        if draft.spread_zeros():
            continue
        worst = problem.source.maximum(_cheapest(draft, problem)).point
        if worst not in known:
            known.add(worst)
            if _law_step(draft, problem, laws_of(((ONE, worst),), ONE, problem.source)):
                continue
        if not pending:
            break
        draft.add_with_rows(step_of(draft, problem, pending.pop(0)))
    if draft.done or converse.sums or converse.ratios or (converse.weight > 0 and _has_choice(draft)):
        return
    if draft.given.claim.loss.is_infinite:
        with suppress(ProofRejected):
            draft.finish()
        if not draft.done:
            _never_meet(draft)
        return
    _single(draft)


def _has_choice(draft: Draft) -> bool:
    return any(len(draft.left(x)) > 1 for x in range(draft.given.frame.inputs))


def _cheapest(draft: Draft, problem: Problem) -> list[Rational]:
    cost = problem.distortion.matrix(problem.universe)
    return [min(row[y] for y in draft.left(x)) for x, row in enumerate(cost)]


def _law_step(draft: Draft, problem: Problem, laws: tuple[tuple[Rational, Point], ...]) -> bool:
    """Add the step that says what the cheapest answers left cost under a law, if that is all that is allowed."""
    law = mixed(laws)
    cheapest = _cheapest(draft, problem)
    rows = tuple(p * least for p, least in zip(law, cheapest, strict=True))
    allowed = problem.given.rational
    if allowed is None or sum(rows, ZERO) < allowed:
        return False
    draft.add(Step(laws=laws, rows=rows))
    return True


def _never_meet(draft: Draft) -> None:
    """Add what a divergence of an order below one says of two inputs that have no answer in common."""
    outputs = draft.given.frame.outputs
    last = ProofRejected("Nothing says that the loss is infinite.")
    for bound in draft.given.bounds.constraints.sums:
        try:
            draft.add(Step(sums=(SumUse(bound.name, ONE, Places(((None,) * outputs,) * len(bound.terms))),)))
        except ProofRejected as error:
            last = error
            continue
        return
    raise last


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
