"""A mechanism of many digits moved towards a harmless one, by as little as it takes to keep to what was asked for."""

from __future__ import annotations

import math
from collections.abc import Sequence

from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof.converse import BITS
from epstar.solve.programs.constant import best_constant
from epstar.solve.programs.evidence import SEARCHED, exact, has_saddle

Table = Sequence[Sequence[Rational]]

# How many times what seems enough a mechanism is moved, and by how much at least. Near constants a loss falls with the
# square of what is left; twice as much is enough for whatever is convex.
_MOVES = (Rational(1001, 1000), Rational(9, 8), Rational(3, 2), 2, 4, 16, 64, 256)
_LEAST_MOVE = Rational(1, 10**15)
_TRACE = Rational(1, 1 << 30)
# What a search in floats may miss of any loss.
_ROUNDING = Rational(1, 10**14)
# The share of a tiny loss to which a search knows it.
_SEARCHED_SHARE = Rational(1, 2048)
_NEXT_TO_ZERO = Rational(1, 10**8)
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
    """Return the mechanism, moved towards a constant answer as far as the level takes.

    It is the law of its output under its worst prior; next to level zero, where little of the distortion is left to
    save, it may be the best constant answer.
    """
    worst = mechanism.distortion(problem.distortion, problem.source).point
    # Rows of letters that nothing produces may be like no other; a trace of them makes a loss finite.
    weights = [(1 - _TRACE) * p + _TRACE / len(worst) for p in worst]
    moves = [_Move(problem, mechanism, level, [dot(weights, column) for column in zip(*mechanism.rows, strict=True)])]
    if level < _NEXT_TO_ZERO and moves[0].share > 0:
        moves.append(_Move(problem, mechanism, level, best_constant(problem).law))
    return min(moves, key=lambda move: (not move.is_enough, move.distortion)).mechanism


class _Move:
    """A mechanism moved towards a constant answer, by about as little as makes its loss at most a level."""

    def __init__(self, problem: Problem, mechanism: Mechanism, level: Real, law: Sequence[Rational]) -> None:
        self.mechanism, self.share, self.is_enough = mechanism, ZERO, False
        margin = ZERO
        if has_saddle(problem):
            # A search knows a tiny loss to a share of itself, and to what floats tell of one.
            margin = min(SEARCHED, level.below(BITS) * _SEARCHED_SHARE + _ROUNDING)
        enough = ZERO
        for times in _MOVES:
            loss = problem.notion.loss(self.mechanism, problem.source).upper
            if loss is None or loss.is_infinite:
                enough = max(enough, _LEAST_MOVE)
            else:
                excess = loss + margin - level
                self.is_enough = loss.rational == 0 or excess <= 0
                if self.is_enough:
                    break
                lost = min(1.0, float(excess / loss))
                enough = max(enough, exact(lost / (1 + math.sqrt(1 - lost))))
            self.share = min(ONE, times * enough)
            self.mechanism = _moved(mechanism, [law] * len(mechanism.rows), self.share)
        self.distortion = self.mechanism.distortion(problem.distortion, problem.source).value


def mixed_rows(rows: Table, others: Table, share: Rational) -> Table:
    """Return the rows with a share of the others mixed in."""
    return [
        [(1 - share) * a + share * b for a, b in zip(row, other, strict=True)]
        for row, other in zip(rows, others, strict=True)
    ]


def _moved(mechanism: Mechanism, harmless: Table, share: Rational) -> Mechanism:
    return Mechanism(mixed_rows(mechanism.rows, harmless, min(ONE, share)), mechanism.universe, mechanism.outputs)
