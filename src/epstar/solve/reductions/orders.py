"""Orders of Rényi's and Sibson's notions: one next to another, or to infinity, lies between its neighbours.

Rényi divergences and Sibson's informations grow with their order (vanerven2014, Theorem 3; zhong2022, Lemma 20(9)).
Multipliers at a smaller order exclude what they exclude at a larger one too, and a mechanism keeps at a smaller order
what it keeps at a larger one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace

from epstar.completion import Proof
from epstar.completion.evidence import achieved
from epstar.errors import NoSolution, Undecided
from epstar.exact import Rational
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Notion
from epstar.notions.order import Order
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.reductions.reduction import Outcome, Reduction
from epstar.solve.shapes import order_of_norms, order_of_pairs

# Beyond these the neighbours' answers differ by less than what an interval may be wide.
_NEAR = Rational(1, 10**9)


class NeighbouringOrders(Reduction):
    """An order next to one or to infinity, between a smaller and a larger one that are not."""

    name = "neighbouring orders"

    def accepts(self, problem: Problem) -> bool:
        """Return whether an order is so near one or infinity that neighbours tell as much."""
        order = order_of(problem.notion)
        return order is not None and _neighbours(order) is not None

    def apply(self, problem: Problem) -> tuple[Problem, ...]:
        """Return the problem at a smaller and at a larger order."""
        return tuple(at_order(problem, order) for order in _around(problem))

    def lift(self, problem: Problem, outcomes: Sequence[Outcome]) -> Claims:
        """Offer the multipliers of the smaller order and the mechanism of the larger one."""
        proofs = []
        for found in outcomes:
            if isinstance(found, NoSolution):
                raise found
            proofs.append(found.proof)
        below, above = proofs
        smaller = _around(problem)[0]
        assert isinstance(smaller, Rational)
        yield Offer(joined(problem, below, smaller, above), "program", "weak duality", settles=True)


def order_of(notion: Notion) -> Rational | None:
    """Return the finite order of divergences between inputs or of norms of columns; None for other notions."""
    order = order_of_pairs(notion)
    return order_of_norms(notion) if order is None else order


def _around(problem: Problem) -> tuple[Order, Order]:
    order = order_of(problem.notion)
    around = None if order is None else _neighbours(order)
    assert around is not None
    return around


def _neighbours(order: Rational) -> tuple[Rational, Order] | None:
    """Return a smaller and a larger order between which nothing much changes, None where none are near."""
    if order > 1 / _NEAR:
        return 1 / _NEAR, math.inf
    if 0 < order - 1 < _NEAR:
        return Rational(1), 1 + _NEAR
    if 0 < 1 - order < _NEAR:
        return 1 - _NEAR, Rational(1)
    return None


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
    if mechanism is None:
        return None
    # A solver is loaded where there is something to solve.
    from epstar.solve.certify.mechanism import within_level

    loss = problem.notion.loss(mechanism, problem.source).upper
    with suppress(Undecided):
        if loss is not None and loss <= problem.given:
            return mechanism
    return within_level(problem, mechanism.dense(), problem.given)
