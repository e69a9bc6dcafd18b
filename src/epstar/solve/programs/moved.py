"""A mechanism of many digits moved towards a harmless one, by as little as it takes to keep to what was asked for."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof.converse import BITS
from epstar.solve.programs.evidence import SEARCHED, has_saddle

Table = Sequence[Sequence[Rational]]

# How many times what seems enough a mechanism is moved, and by how much at least. Near constants a loss falls with the
# square of what is left, so that about half is enough.
_MOVES = (Rational(3, 5), 1, 2, 4, 16, 64, 256)
_LEAST_MOVE = Rational(1, 10**15)
_TRACE = Rational(1, 1 << 30)
# What a search in floats may miss of any loss.
_ROUNDING = Rational(1, 10**14)
_MOST_POINTS = 40


def within_distortion(problem: Problem, mechanism: Mechanism, cheapest: Table) -> Mechanism:
    """Return the mechanism, moved towards the cheapest answers as far as the distortion allowed takes.

    One member of the source after the other says how far; where the cheapest answers themselves leave no room under
    some, those are not to blame for what others cost.
    """
    allowed = problem.given.below(BITS) if problem.given.rational is None else problem.given.rational
    cost = problem.distortion.matrix(problem.universe)
    before, after = ([dot(*pair) for pair in zip(rows, cost, strict=True)] for rows in (mechanism.rows, cheapest))
    share, moved = ZERO, mechanism
    for _ in range(_MOST_POINTS):
        worst = moved.distortion(problem.distortion, problem.source)
        most, least = dot(worst.point, before), dot(worst.point, after)
        if worst.value <= allowed or most <= max(allowed, least):
            break
        share = min(ONE, (most - allowed) / (most - least))
        moved = _moved(mechanism, cheapest, share)
    return moved


def within_level(problem: Problem, mechanism: Mechanism, level: Real) -> Mechanism:
    """Return the mechanism, moved towards the law of its output under its worst prior as far as the level takes."""
    worst = mechanism.distortion(problem.distortion, problem.source).point
    # Rows of letters that nothing produces may be like no other; a trace of them makes a loss finite.
    weights = [(1 - _TRACE) * p + _TRACE / len(worst) for p in worst]
    mean = [dot(weights, column) for column in zip(*mechanism.rows, strict=True)]
    margin = ZERO
    if has_saddle(problem):
        # A search knows a tiny loss to a share of itself, and to what floats tell of one.
        margin = min(SEARCHED, level.below(BITS) / 32 + _ROUNDING)
    moved, enough = mechanism, ZERO
    for times in _MOVES:
        loss = problem.notion.loss(moved, problem.source).upper
        if loss is None or loss.is_infinite:
            enough = max(enough, _LEAST_MOVE)
        else:
            excess = loss + margin - level
            if excess <= 0:
                break
            enough = max(enough, (excess / level).above(BITS))
        moved = _moved(mechanism, [mean] * len(mechanism.rows), times * enough)
    return moved


def mixed_rows(rows: Table, others: Table, share: Rational) -> Table:
    """Return the rows with a share of the others mixed in."""
    return [
        [(1 - share) * a + share * b for a, b in zip(row, other, strict=True)]
        for row, other in zip(rows, others, strict=True)
    ]


def _moved(mechanism: Mechanism, harmless: Table, share: Rational) -> Mechanism:
    return Mechanism(mixed_rows(mechanism.rows, harmless, min(ONE, share)), mechanism.universe, mechanism.outputs)
