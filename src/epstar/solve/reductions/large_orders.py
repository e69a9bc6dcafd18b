"""Rényi's and Sibson's notions by the method for their order; large orders from below infinity.

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
from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import Rational, Real
from epstar.memory import TooLarge
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.solve.bracket import NARROW, Bracket, Claims, Offer, Question, asked
from epstar.solve.certify.multipliers import trivial_converse
from epstar.solve.program.exchange import MOST_CONES
from epstar.solve.program.pairs import MOST_ENTRIES
from epstar.solve.reductions.orders import at_order, joined, order_of, within
from epstar.solve.shapes import order_of_pairs
from epstar.solve.smooth.large_order import of_large_order
from epstar.solve.smooth.level_zero import next_to_level_zero
from epstar.solve.smooth.orders import by_divergences, steeply
from epstar.solve.smooth.refined import MOST_UNKNOWNS, refined
from epstar.source import Prior

# Up to this order powers are what a cone solver can hold, up to this one what it is good at, and up to this one what an
# interior-point method for divergences is.
_LARGE, _STEEP, _MODERATE = Rational(64), 8, Rational(3)
# How much more is asked for where floats cannot tell what is from nothing.
_HAIRS = tuple(Rational(1, 10**digits) for digits in (11, 10, 9, 8))
# By which share of the least level of order infinity that of a large order may be smaller.
_MARGINS = tuple(Rational(1, 10**digits) for digits in (9, 8, 7, 6, 5, 4))


@dataclass(frozen=True)
class _Way:
    """A way to better ends at a large order, from the answer at order infinity and the best proof so far."""

    problem: Problem
    above: Proof
    proof: Proof
    deadline: Deadline


_Found: TypeAlias = "Generator[Question, Bracket | None, list[Proof]]"


def by_orders(problem: Problem, deadline: Deadline) -> Claims:
    """Offer proofs by the method for the order, or from those at other orders.

    Raises:
        TooLarge: if neither would end.
    """
    order = order_of(problem.notion)
    if order is None:
        return
    is_pairwise = order_of_pairs(problem.notion) is not None
    if is_pairwise and order <= _LARGE and _is_too_large(problem):
        raise TooLarge(f"There is no program for {problem.notion.title} and as many letters; merge some.")
    if is_pairwise and order <= _MODERATE:
        moderate = _moderately(problem, deadline)
        if moderate is not None:
            yield _offer(moderate, settles=True)
            return
    if order <= (1 if is_pairwise and _is_hard(problem) else _STEEP):
        return
    above = (yield from asked(at_order(problem, math.inf))).proof
    proof = Proof(problem, above.mechanism, None)
    if problem.asks == "distortion":
        proof = Proof(problem, within(problem, above.mechanism), trivial_converse(problem))
    ways: tuple[Callable[[_Way], _Found], ...] = (_steeply,)
    if order > _LARGE:
        ways = (_next_to_zero, _steeply, _with_more_room, _below_infinity)
    if is_pairwise and order > _MODERATE and _is_hard(problem):
        # Soon told, for when time runs out.
        ways = (_at_moderate, *ways)
    for others in ways:
        if proof.check().width > NARROW:
            with suppress(TimeLimit, SolverFailure, ProofRejected):
                found = yield from others(_Way(problem, above, proof, deadline))
                proof = min((proof, *found), key=lambda candidate: candidate.check().width)
    is_left_to_others = order <= _LARGE and not deadline.is_missed and proof.check().width > NARROW
    yield _offer(proof, settles=not is_left_to_others)


def _offer(proof: Proof, settles: bool) -> Offer:
    return Offer(proof, "program", "weak duality", settles)


def _moderately(problem: Problem, deadline: Deadline) -> Proof | None:
    """Return the proof by the method for divergences, with many digits where floats prove too little; else None."""
    with suppress(SolverFailure):
        found = by_divergences(problem, deadline)
        with suppress(TimeLimit):
            if found.check().width > NARROW and not deadline.is_missed:
                found = refined(problem, found, deadline)
            return None if found.check().width > NARROW and not deadline.is_missed else found
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


def _next_to_zero(way: _Way) -> _Found:
    """Return the proof that a constant answer is nearly optimal, as it is where the level is next to nothing."""
    found = next_to_level_zero(way.problem) if way.problem.asks == "distortion" else None
    yield from ()
    return [] if found is None else [found]


def _steeply(way: _Way) -> _Found:
    """Return the proof by the barrier method for large orders."""
    yield from ()
    return [steeply(way.problem, way.above, way.deadline)]


def _with_more_room(way: _Way) -> _Found:
    """Return proofs by multipliers at a hair more distortion or loss, which prove nearly as much where little changes.

    Next to the least distortion, or to a level of zero, floats tell less.
    """
    yield from ()
    tried: list[Proof] = []
    for hair in _HAIRS:
        roomier = replace(way.problem, given=way.problem.given + Real.of(hair))
        with suppress(SolverFailure, ProofRejected):
            found = replace(way.proof, converse=steeply(roomier, way.above, way.deadline).converse)
            width = found.check().width
            tried.append(found)
            if width <= NARROW:
                break
    return tried


def _below_infinity(way: _Way) -> _Found:
    """Return proofs by the multipliers of order infinity, at the level or a hair below the least of order infinity."""
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
            found = Proof(problem, way.proof.mechanism, of_large_order(problem, level, known.converse))
            with suppress(ProofRejected):
                found.check()
                tried.append(found)
    return tried


def _at_moderate(way: _Way) -> _Found:
    """Return the proof at the largest order that is soon answered."""
    found = yield from asked(at_order(way.problem, _MODERATE))
    return [joined(way.problem, found.proof, _MODERATE, way.proof)]
