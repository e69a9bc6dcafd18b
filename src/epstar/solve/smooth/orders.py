"""Rényi and Sibson notions, each by the method for its order; extreme orders between the answers of their neighbours.

Rényi divergences and Sibson's informations grow with their order. Multipliers at a smaller order exclude what they
exclude at a larger one too, and a mechanism keeps at a smaller order what it keeps at a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.memory import TooLarge
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.order import Order
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.proof.converse import BITS
from epstar.proof.proof import achieved
from epstar.solve.programs.divergence_program import MOST_ENTRIES
from epstar.solve.programs.evidence import trivial_converse
from epstar.solve.programs.general import MOST_CONES
from epstar.solve.programs.moved import within_level
from epstar.solve.smooth.divergences import by_divergences
from epstar.solve.smooth.large_order import of_large_order
from epstar.solve.smooth.level_zero import next_to_level_zero
from epstar.solve.smooth.refined import MOST_UNKNOWNS, refined
from epstar.solve.smooth.steep_orders import steeply
from epstar.source import Prior

# Beyond these the neighbours' answers differ by less than what an interval may be wide.
_NEAR = Rational(1, 10**9)
# Up to this order powers are what a cone solver can hold, up to this one what it is good at, and up to this one what an
# interior-point method for divergences is.
_LARGE, _STEEP, _MODERATE = Rational(64), 8, Rational(3)
_HUGE = 10**7
# How much more is asked for where floats cannot tell what is from nothing.
_HAIRS = tuple(Rational(1, 10**digits) for digits in (11, 10, 9, 8))
_WIDE, _VERY_WIDE = 5e-8, 1e-3
# By which share of the least level of order infinity that of a large order may be smaller.
_MARGINS = tuple(Rational(1, 10**digits) for digits in (9, 8, 7, 6, 5, 4))


def by_orders(problem: Problem, solver: Callable[[Problem], Proof], deadline: Deadline) -> Proof | None:
    """Return a proof by the method for the order or from those at other orders; None for a cone program to find one.

    Raises:
        TooLarge: if neither would end.
    """
    notion = problem.notion
    if not isinstance(notion, RenyiDifferentialPrivacy | SibsonMutualInformation) or isinstance(notion.order, float):
        return None
    around = _neighbours(notion.order)
    if around is not None:
        below, above = (solver(_at_order(problem, order)) for order in around)
        return _joined(problem, below, around[0], above)
    if isinstance(notion, RenyiDifferentialPrivacy) and notion.order <= _LARGE and _is_too_large(problem):
        raise TooLarge(f"There is no program for {notion.title} and as many letters; merge some.")
    if isinstance(notion, RenyiDifferentialPrivacy) and notion.order <= _MODERATE:
        moderate = _moderately(problem, deadline)
        if moderate is not None:
            return moderate
    has_own_laws = isinstance(notion, SibsonMutualInformation) and not problem.source.is_convex
    if has_own_laws or notion.order <= (1 if _is_hard(problem) else _STEEP):
        return None
    above = solver(_at_order(problem, math.inf))
    proof = Proof(problem, above.mechanism, None)
    if problem.asks == "distortion":
        proof = Proof(problem, _within(problem, above.mechanism), trivial_converse(problem))
    # The larger the order, the more the multipliers of order infinity prove; many digits take a small program.
    huge = notion.order > _HUGE
    ways: tuple[_Way, ...] = (_below_infinity, _refined, _at_large) if huge else (_refined, _below_infinity, _at_large)
    ways = (_next_to_zero, _steeply, _with_more_room, *ways) if notion.order > _LARGE else (_steeply, _refined)
    if isinstance(notion, RenyiDifferentialPrivacy) and notion.order > _MODERATE and _is_hard(problem):
        # Soon told, for when time runs out.
        ways = (_at_moderate, *ways)
    for others in ways:
        # A much smaller order tells little.
        if proof.check().width > (_VERY_WIDE if others is _at_large else _WIDE):
            with suppress(TimeLimit, SolverFailure, ProofRejected):
                found = others(problem, above, proof, solver, deadline)
                proof = min((proof, *found), key=lambda candidate: candidate.check().width)
    is_left_to_others = notion.order <= _LARGE and not deadline.is_missed and proof.check().width > _WIDE
    return None if is_left_to_others else proof


def _moderately(problem: Problem, deadline: Deadline) -> Proof | None:
    """Return the proof by the method for divergences, with many digits where floats prove too little; else None."""
    with suppress(SolverFailure):
        found = by_divergences(problem, deadline)
        with suppress(TimeLimit):
            if found.check().width > _WIDE and not deadline.is_missed:
                found = refined(problem, found, deadline)
            return None if found.check().width > _WIDE and not deadline.is_missed else found
        return found
    return None


def _is_hard(problem: Problem) -> bool:
    """Return whether a cone solver leaves too few digits and many digits take too long; not for one program alone."""
    is_one_program = problem.asks == "distortion" and isinstance(problem.source, Prior)
    return _entries(problem) > MOST_UNKNOWNS and not is_one_program


def _is_too_large(problem: Problem) -> bool:
    """Return whether there are too many letters for any method."""
    outputs = problem.distortion.shape(problem.universe)[1]
    return _entries(problem) > MOST_ENTRIES and sum(1 for _ in ordered_pairs(problem.universe)) * outputs > MOST_CONES


def _entries(problem: Problem) -> int:
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs


_Solver = Callable[[Problem], Proof]
_Way = Callable[[Problem, Proof, Proof, _Solver, Deadline], Iterator[Proof]]


def _next_to_zero(problem: Problem, _: Proof, __: Proof, ___: _Solver, ____: Deadline) -> Iterator[Proof]:
    """Return the proof that a constant answer is nearly optimal, as it is where the level is next to nothing."""
    found = next_to_level_zero(problem) if problem.asks == "distortion" else None
    if found is not None:
        yield found


def _steeply(problem: Problem, above: Proof, _: Proof, __: _Solver, deadline: Deadline) -> Iterator[Proof]:
    """Return the proof by the barrier method for large orders."""
    yield steeply(problem, above, deadline)


def _with_more_room(problem: Problem, above: Proof, proof: Proof, _: _Solver, deadline: Deadline) -> Iterator[Proof]:
    """Return proofs by multipliers at a hair more distortion or loss, which prove nearly as much where little changes.

    Next to the least distortion, or to a level of zero, floats tell less.
    """
    for hair in _HAIRS:
        roomier = replace(problem, given=problem.given + Real.of(hair))
        with suppress(SolverFailure, ProofRejected):
            found = replace(proof, converse=steeply(roomier, above, deadline).converse)
            width = found.check().width
            yield found
            if width <= _WIDE:
                return


def _refined(problem: Problem, _: Proof, proof: Proof, __: _Solver, deadline: Deadline) -> Iterator[Proof]:
    """Return the proof as far as many digits improve it."""
    yield refined(problem, proof, deadline)


def _below_infinity(problem: Problem, above: Proof, proof: Proof, solver: _Solver, _: Deadline) -> Iterator[Proof]:
    """Return proofs by the multipliers of order infinity, at the level or a hair below the least of order infinity."""
    levels = [problem.given]
    if problem.asks == "loss":
        most = above.check().upper.above(BITS)
        levels = [Real.of(most * (1 - share)) for share in _MARGINS]
    for level in levels:
        known = (
            above
            if problem.asks == "distortion"
            else solver(replace(_at_order(problem, math.inf), asks="distortion", given=level))
        )
        if known.converse is not None:
            found = Proof(problem, proof.mechanism, of_large_order(problem, level, known.converse))
            with suppress(ProofRejected):
                found.check()
                yield found


def _at_large(problem: Problem, _: Proof, proof: Proof, solver: _Solver, __: Deadline) -> Iterator[Proof]:
    """Return the proof at an order which is large enough to say something of all larger ones."""
    yield _joined(problem, solver(_at_order(problem, _LARGE)), _LARGE, proof)


def _at_moderate(problem: Problem, _: Proof, proof: Proof, solver: _Solver, __: Deadline) -> Iterator[Proof]:
    """Return the proof at the largest order that is soon answered."""
    yield _joined(problem, solver(_at_order(problem, _MODERATE)), _MODERATE, proof)


def _neighbours(order: Rational) -> tuple[Rational, Order] | None:
    """Return a smaller and a larger order between which nothing much changes, None where none are near."""
    if order > 1 / _NEAR:
        return 1 / _NEAR, math.inf
    if 0 < order - 1 < _NEAR:
        return Rational(1), 1 + _NEAR
    if 0 < 1 - order < _NEAR:
        return 1 - _NEAR, Rational(1)
    return None


def _at_order(problem: Problem, order: Order) -> Problem:
    assert isinstance(problem.notion, RenyiDifferentialPrivacy | SibsonMutualInformation)
    return replace(problem, notion=type(problem.notion)(order))


def _joined(problem: Problem, below: Proof, order: Rational, above: Proof) -> Proof:
    """Return what the multipliers at a smaller order and the better one of two mechanisms prove."""
    converse = below.converse
    if converse is not None and converse.order is None:
        converse = replace(converse, order=order)
    if problem.asks == "loss":
        mechanisms = [above.mechanism, below.mechanism]
        best = min(mechanisms, key=lambda mechanism: achieved(problem, mechanism).upper)
    else:
        # At a larger order the mechanism of a smaller one may not keep the level.
        best = _within(problem, above.mechanism)
    return Proof(problem, best, converse)


def _within(problem: Problem, mechanism: AnyMechanism | None) -> AnyMechanism | None:
    """Return a mechanism that just keeps the level, moved by a hair where it cannot be told that it does."""
    if mechanism is None:
        return None
    loss = problem.notion.loss(mechanism, problem.source).upper
    if loss is not None and loss <= problem.given:
        return mechanism
    return within_level(problem, mechanism.dense(), problem.given)
