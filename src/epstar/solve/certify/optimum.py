"""The least distortion at a level, or the least bound at a distortion, with what proves them."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from epstar.completion import Converse, Proof
from epstar.completion.converse import mixed
from epstar.deadline import Deadline
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import Rational, Real
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.reading import nearest_floats
from epstar.solve.certify.multipliers import converse_of, proven, simplified, trivial_converse
from epstar.solve.certify.rounding import private_mechanism, useful_mechanism
from epstar.solve.program.constant import best_constant, constant_mechanism
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.laws import Members

# The least level whose growth floats tell from one.
_DISCERNIBLE = Rational(1, 10**10)
# More than floats lose of a distortion.
_ROOM = Rational(1, 10**12)


def least_distortion(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least distortion at the given level."""
    try:
        solved = solve_round(problem, Members.start(problem), problem.given, deadline)
    except SolverFailure:
        if problem.given >= _DISCERNIBLE:
            raise
        # Floats cannot tell e^level from one; the multipliers of a larger level prove nearly as much.
        solved = solve_round(problem, Members.start(problem), Real.of(_DISCERNIBLE), deadline)
    found = converse_of(problem, solved, problem.given, deadline)
    simple = simplified(found) if Real.exp(problem.given).rational is not None else []
    best = _best(problem, found, trivial_converse(problem), *simple)
    law = nearest_floats(mixed(found.distortion_law))
    mechanism = private_mechanism(solved.found.matrix, problem, problem.given, solved.constraints, law)
    with suppress(TimeLimit):
        mechanism = _cheaper(problem, mechanism)
    return best.with_mechanism_of(Proof(problem, mechanism, None))


def _cheaper(problem: Problem, mechanism: Mechanism | None) -> Mechanism | None:
    """Return the mechanism, or the best constant one where that has no more distortion and is private enough."""
    best = best_constant(problem)
    if mechanism is not None:
        found = mechanism.distortion(problem.distortion, problem.source).value
        if found < best.distortion:
            return mechanism
    constant = constant_mechanism(problem, best.law).dense()
    loss = problem.notion.loss(constant, problem.source).upper
    return constant if loss is not None and loss <= problem.given else mechanism


def least_bound(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least level of a notion made of sums on one scale."""
    try:
        solved = solve_round(problem, Members.start(problem), None, deadline)
    except SolverFailure:
        # In floats the least distortion of all may leave no mechanism; the evidence of a little more is as good.
        roomier = replace(problem, given=problem.given + Real.of(_ROOM))
        solved = solve_round(roomier, Members.start(roomier), None, deadline)
    found = converse_of(problem, solved, None, deadline)
    best = _best(problem, found, None, *([] if found.slopes else simplified(found)))
    mechanism = useful_mechanism(solved.found.matrix, problem)
    return best.with_mechanism_of(Proof(problem, mechanism, None))


def _best(problem: Problem, *candidates: Converse | None) -> Proof:
    """Return the proof without a mechanism that proves most; one that is rejected proves nothing."""
    return max((Proof(problem, None, converse) for converse in candidates), key=proven)
