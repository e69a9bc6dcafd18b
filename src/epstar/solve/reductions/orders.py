"""Orders of Rényi's and Sibson's notions: between their neighbours, and large ones from below infinity.

Rényi divergences and Sibson's informations grow with their order (vanerven2014, Theorem 3; zhong2022, Lemma 20(9)).
Multipliers at a smaller order exclude what they exclude at a larger one too, and a mechanism keeps at a smaller order
what it keeps at a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TypeAlias

from epstar.completion import Proof
from epstar.completion.converse import BITS
from epstar.completion.evidence import achieved, is_kept, width_of
from epstar.deadline import Deadline
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.notions.order import Order
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Bracket, Claims, Question, asked, by_weak_duality
from epstar.solve.method import Task
from epstar.solve.program import FEW_ENTRIES, HUGE, LARGE, STEEP
from epstar.solve.shapes import order_of_norms, order_of_pairs
from epstar.source import Prior

# This order is soon answered.
_MODERATE = Rational(3)
# How much more is asked for where floats cannot tell what is from nothing.
_HAIRS = tuple(Rational(1, 10**digits) for digits in (11, 10, 9, 8))
# By which share of the least level of order infinity that of a large order may be smaller.
_MARGINS = tuple(Rational(1, 10**digits) for digits in (9, 8, 7, 6, 5, 4))


def has_neighbours(problem: Problem) -> bool:
    """Return whether an order is so near one or infinity that a smaller and a larger one tell as much."""
    order = order_of(problem.notion)
    return order is not None and _neighbours(order) is not None


def from_neighbours(task: Task) -> Claims:
    """Offer the multipliers of a smaller order and the mechanism of a larger one."""
    order = order_of(task.problem.notion)
    around = None if order is None else _neighbours(order)
    assert around is not None
    smaller, larger = around
    below = yield from asked(at_order(task.problem, smaller))
    above = yield from asked(at_order(task.problem, larger))
    proof = joined(task.problem, below.proof, smaller, above.proof)
    yield by_weak_duality(proof, settles=True)


def order_of(notion: Notion) -> Rational | None:
    """Return the finite order of divergences between inputs or of norms of columns; None for other notions."""
    order = order_of_pairs(notion)
    return order_of_norms(notion) if order is None else order


def _neighbours(order: Rational) -> tuple[Rational, Order] | None:
    """Return a smaller and a larger order between which nothing much changes, None where none are near."""
    near = Rational(1, HUGE)
    if order > HUGE:
        return Rational(HUGE), math.inf
    if 0 < order - 1 < near:
        return ONE, 1 + near
    return (1 - near, ONE) if 0 < 1 - order < near else None


def at_order(problem: Problem, order: Order) -> Problem:
    family: Callable[[Order], Notion] = type(problem.notion)
    return replace(problem, notion=family(order))


def joined(problem: Problem, below: Proof, order: Rational, above: Proof) -> Proof:
    """Return what the multipliers at a smaller order and the better one of two mechanisms prove."""
    converse = below.converse
    if converse is not None and converse.order is None:
        converse = replace(converse, order=order)
    if problem.asks == "loss":
        mechanisms = [above.mechanism, below.mechanism]
        best = min(mechanisms, key=lambda mechanism: achieved(problem, mechanism).upper)
    else:
        # At a larger order the mechanism of a smaller one may not keep the level.
        best = within(problem, above.mechanism)
    return Proof(problem, best, converse)


def within(problem: Problem, mechanism: AnyMechanism | None) -> AnyMechanism | None:
    """Return a mechanism that just keeps the level, moved by a hair where it cannot be told that it does."""
    if mechanism is None or is_kept(problem, mechanism, problem.given):
        return mechanism
    # A solver is loaded where there is something to solve.
    from epstar.solve.certify.mechanism import within_level

    return within_level(problem, mechanism.dense(), problem.given)


@dataclass(frozen=True)
class _Way:
    """A way to better ends at a large order, from the answer at order infinity and the best proof so far."""

    problem: Problem
    above: Proof
    proof: Proof
    deadline: Deadline


_Found: TypeAlias = "Generator[Question, Bracket | None, list[Proof]]"


def is_large(problem: Problem) -> bool:
    """Return whether an order is so large that a program in floats does not find its way."""
    order = order_of(problem.notion)
    return order is not None and order > STEEP


def claims(task: Task) -> Claims:
    """Offer proofs of a large order: from infinity, by the barrier for large orders, or from a moderate one."""
    problem, deadline, order = task.problem, task.deadline, order_of(task.problem.notion)
    assert order is not None
    # Solvers are loaded where there is something to solve.
    from epstar.solve.certify.multipliers import trivial_converse

    above = (yield from asked(at_order(problem, math.inf))).proof
    proof = Proof(problem, above.mechanism, None)
    if problem.asks == "distortion":
        proof = Proof(problem, within(problem, above.mechanism), trivial_converse(problem))
    ways: tuple[Callable[[_Way], _Found], ...] = (_steeply,)
    if order > LARGE:
        ways = (_next_to_zero, _steeply, _with_more_room, _below_infinity)
    if order_of_pairs(problem.notion) is not None and _is_hard(problem):
        # Soon told, for when time runs out.
        ways = (_at_moderate, *ways)
    for others in ways:
        if width_of(proof) > NARROW:
            with suppress(TimeLimit, SolverFailure):
                found = yield from others(_Way(problem, above, proof, deadline))
                proof = min((proof, *found), key=width_of)
    is_left_to_others = order <= LARGE and not deadline.is_missed and width_of(proof) > NARROW
    yield by_weak_duality(proof, settles=not is_left_to_others)


def _is_hard(problem: Problem) -> bool:
    """Return whether the barrier takes long; not for one program alone."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    is_one_program = problem.asks == "distortion" and isinstance(problem.source, Prior)
    return inputs * outputs > FEW_ENTRIES and not is_one_program


def _next_to_zero(way: _Way) -> _Found:
    """Return the proof that the best answers at level zero are nearly optimal, as they are where it is next to that."""
    from epstar.solve.certify.limits_of_orders import next_to_level_zero

    if way.problem.asks == "loss":
        return []
    found = yield from asked(replace(way.problem, given=Real.of(ZERO)))
    if found.converse is None:
        return []
    return [Proof(way.problem, found.mechanism, next_to_level_zero(way.problem, found.converse.distortion_law))]


def _steeply(way: _Way) -> _Found:
    """Return the proof by the barrier method for large orders."""
    from epstar.solve.certify.large_orders import steeply

    yield from ()
    return [steeply(way.problem, way.above, way.deadline)]


def _with_more_room(way: _Way) -> _Found:
    """Return proofs by multipliers at a hair more distortion or loss, which prove nearly as much where little changes.

    Next to the least distortion, or to a level of zero, floats tell less.
    """
    from epstar.solve.certify.large_orders import steeply

    yield from ()
    tried: list[Proof] = []
    for hair in _HAIRS:
        roomier = replace(way.problem, given=way.problem.given + Real.of(hair))
        with suppress(SolverFailure):
            tried.append(replace(way.proof, converse=steeply(roomier, way.above, way.deadline).converse))
            if width_of(tried[-1]) <= NARROW:
                break
    return tried


def _below_infinity(way: _Way) -> _Found:
    """Return proofs by the multipliers of order infinity, at the level or a hair below the least of order infinity."""
    from epstar.solve.certify.limits_of_orders import of_large_order

    problem, levels = way.problem, [way.problem.given]
    if problem.asks == "loss":
        most = way.above.check().upper.above(BITS)
        levels = [Real.of(most * (1 - share)) for share in _MARGINS]
    tried: list[Proof] = []
    for level in levels:
        known = way.above
        if problem.asks == "loss":
            known = (yield from asked(replace(at_order(problem, math.inf), asks="distortion", given=level))).proof
        if known.converse is not None:
            tried.append(Proof(problem, way.proof.mechanism, of_large_order(problem, level, known.converse)))
    return tried


def _at_moderate(way: _Way) -> _Found:
    """Return the proof at the largest order that is soon answered."""
    found = yield from asked(at_order(way.problem, _MODERATE))
    return [joined(way.problem, found.proof, _MODERATE, way.proof)]
