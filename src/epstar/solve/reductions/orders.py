"""Orders of Rényi's and Sibson's notions: between their neighbours, and large ones from below infinity.

Rényi divergences and Sibson's informations grow with their order (vanerven2014, Theorem 3; zhong2022, Lemma 20(9)).
Multipliers at a smaller order exclude what they exclude at a larger one too, and a mechanism keeps at a smaller order
what it keeps at a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from epstar.completion import Proof
from epstar.completion.evidence import achieved, is_kept
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.notions.order import Order
from epstar.problem import Problem
from epstar.solve.bracket import Claims, asked, by_weak_duality
from epstar.solve.method import Task
from epstar.solve.program import HUGE, STEEP
from epstar.solve.shapes import order_of_norms, order_of_pairs


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
    converse = below.proof.converse
    if converse is not None and converse.order is None:
        converse = replace(converse, order=smaller)
    if task.problem.asks == "loss":
        kept = min(above.mechanism, below.mechanism, key=lambda mechanism: achieved(task.problem, mechanism).upper)
    else:
        # At a larger order the mechanism of a smaller one may not keep the level.
        kept = within(task.problem, above.mechanism)
    yield by_weak_duality(Proof(task.problem, kept, converse), settles=True)


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


def within(problem: Problem, mechanism: AnyMechanism | None) -> AnyMechanism | None:
    """Return a mechanism that just keeps the level, moved by a hair where it cannot be told that it does."""
    if mechanism is None or is_kept(problem, mechanism, problem.given):
        return mechanism
    # A solver is loaded where there is something to solve.
    from epstar.solve.certify.mechanism import within_level

    return within_level(problem, mechanism.dense(), problem.given)


def is_large(problem: Problem) -> bool:
    """Return whether an order is so large that a smooth program in floats does not find its way."""
    order = order_of(problem.notion)
    return order is not None and order > STEEP


def claims(task: Task) -> Claims:
    """Offer what the barrier for large orders finds, or else what is known next to level zero."""
    problem = task.problem
    # Solvers are loaded where there is something to solve.
    from epstar.solve.certify.large_orders import steeply
    from epstar.solve.certify.next_to_level_zero import next_to_level_zero

    above = (yield from asked(at_order(problem, math.inf))).proof
    kept = above.mechanism if problem.asks == "loss" else within(problem, above.mechanism)
    yield by_weak_duality(Proof(problem, kept, None))
    with suppress(TimeLimit, SolverFailure):
        yield by_weak_duality(steeply(problem, above, task.deadline))
    if problem.asks == "distortion" and not task.bracket.is_narrow:
        # The best answers at level zero are nearly optimal where it is next to that.
        found = yield from asked(replace(problem, given=Real.of(ZERO)))
        if found.converse is not None:
            law = found.converse.distortion_law
            yield by_weak_duality(Proof(problem, found.mechanism, next_to_level_zero(problem, law)))
