"""The cheapest answers: alone, where nothing else is allowed, and mixed with a little chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epstar.distortion import EXACT_LIMIT, check_entries
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.integers import narrowed
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import Point, mixed
from epstar.proof.forced import cheapest_of
from epstar.solve.programs.limit import at_infinity
from epstar.solve.programs.members import initial_members

# A larger share of random answers would show in the distortion.
_MOST = Rational(1, 10**10)


def cheapest_mechanism(problem: Problem) -> Mechanism:
    """Return the mechanism that gives every input its cheapest answer, the first of several."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    check_entries(inputs * outputs, EXACT_LIMIT)
    tickets = np.zeros((inputs, outputs), dtype=np.int64)
    tickets[np.arange(len(tickets)), problem.distortion.cheapest(problem.universe).outputs] = 1
    return Mechanism.of_tickets(tickets, 1, problem.universe, problem.distortion.outputs(problem.universe))


def forced_answer(problem: Problem) -> Proof | None:
    """Return the proof where the least distortion leaves one mechanism, or none of finite loss; else None."""
    law = forcing_law(problem)
    if law is None:
        return None
    points: list[Point] = []
    if problem.notion.needs_source:
        points = initial_members(problem.notion.priors(problem.source))
    left = at_infinity(problem, points, law)
    mechanism = cheapest_mechanism(problem) if left.answers is None else cheapest_of(problem, left.answers)
    converse = Converse(ZERO, law, tuple(((ONE, point),) for point in points), forced=True, steps=left.steps)
    proof = Proof(problem, mechanism, converse)
    try:
        proof.check()
    except ProofRejected:
        return None
    return proof


def forcing_law(problem: Problem) -> Mixture | None:
    """Return a mixture of members under which only the cheapest answers keep to the distortion allowed, if any."""
    cheapest = [min(row) for row in problem.distortion.matrix(problem.universe)]
    law = _worst_members(problem, cheapest)
    return None if Real.of(dot(mixed(law), cheapest)) < problem.given else law


def mixed_with_uniform(problem: Problem) -> Mechanism | None:
    """Return the cheapest answers mixed with as much of the uniform law as the distortion allowed."""
    cheapest = cheapest_mechanism(problem)
    outputs = len(cheapest.outputs)
    evenly = np.ones(cheapest.shape, dtype=np.int64)
    uniform = Mechanism.of_tickets(evenly, outputs, problem.universe, cheapest.outputs)
    least, most = (m.distortion(problem.distortion, problem.source).value for m in (cheapest, uniform))
    if problem.given.rational is None or problem.given.rational <= least or most <= least:
        return None
    share = min(ONE, (problem.given.rational - least) / (most - least))
    return _blurred(cheapest, share)


def _blurred(cheapest: Mechanism, share: Rational) -> Mechanism:
    """Return certain answers mixed with a share of the uniform law, as whole tickets."""
    outputs, part, whole = len(cheapest.outputs), int(share.p), int(share.q)
    tickets = narrowed([part, (whole - part) * outputs + part])
    chosen = tickets[(cheapest.floats > 0).astype(np.intp)]
    return Mechanism.of_tickets(chosen, whole * outputs, cheapest.universe, cheapest.outputs)


def _worst_members(problem: Problem, cheapest: Sequence[Rational]) -> Mixture:
    """Return an even mixture of the known members that make the cheapest answers cost most.

    The more members, the more inputs have a positive probability and are forced.
    """
    worst = problem.source.maximum(cheapest)
    members = {worst.point: None} | dict.fromkeys(
        member for member in initial_members(problem.source) if dot(member, cheapest) == worst.value
    )
    return tuple((Rational(1, len(members)), member) for member in members)


def nearly_truthful(problem: Problem) -> Mechanism | None:
    """Return the cheapest answers mixed with as little of the uniform law as the level provably allows."""
    cheapest = cheapest_mechanism(problem)
    share = Real.exp(problem.given * -1).above(64)
    while share < _MOST:
        mechanism = _blurred(cheapest, share)
        loss = problem.notion.loss(mechanism, problem.source).upper
        if loss is not None and loss <= problem.given:
            return mechanism
        share *= 2
    return None
