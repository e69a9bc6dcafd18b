r"""Repair of a mechanism: from a matrix in floats to an exact one that keeps to what is asked.

Candidates are mixed with a mechanism that keeps to the bound, as much as it takes. Within a spread there is one step in
whole arrays of integers. Rounded to tickets, the columns of a solver's matrix overstep the spread by a little. Adding
the same number k(y) of tickets to every entry of a column shrinks its spread, and leaves the rows with equal sums: with
E = e^level a column whose largest and smallest entries are h and l needs

    h + k <= E (l + k),    so    k = ceil((h - E l) / (E - 1)),

or, where the rows have scales, the like with the largest and the smallest scaled entry. The tickets that this takes are
set aside before rounding, so that every row still sums to the same power of two.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import BITS
from epstar.errors import TimeLimit, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, dot, rationalise
from epstar.exact.common_denominator import Integers, Scaled, widened
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Spread
from epstar.problem import Problem
from epstar.solve.program import FEW_ENTRIES
from epstar.solve.program.arithmetic import ROUNDING
from epstar.solve.program.laws import MOST_ROUNDS, exact, has_saddle
from epstar.solve.program.model import FAINT

Floats = NDArray[np.float64]
Table = Sequence[Sequence[Rational]]

SEARCHED = Rational(1, 10**12)
"""A supremum over a convex set is enclosed by a search, which another checker may end this much earlier."""
# More than the rounding of a loss in floats.
_PLAIN = 1e-6
TICKET_BITS = 96
"""The digits of an exact mechanism next to floats, so that rounding costs far less than floats do."""
STEEP_BITS = 144
"""The same where powers of its entries are bounded, which feel the last digits."""


def is_private(mechanism: Mechanism, problem: Problem, level: Real) -> bool:
    """Return whether a mechanism provably meets a level; a loss that may just be the level proves nothing."""
    if problem.notion.needs_source and problem.source.flattest is not None:
        # At one law it may be plain already, at a fraction of what the worst of many costs.
        at_one = problem.notion.loss(mechanism.in_floats(), problem.source.flattest)
        if at_one.value > float(level) + _PLAIN:
            return False
    loss = problem.notion.loss(mechanism, problem.source).upper
    if loss is None or loss.is_infinite or level.is_infinite:
        return loss is not None and level.is_infinite
    if has_saddle(problem) and loss.rational is None and loss.argument_of_log is None:
        loss = loss + SEARCHED
    try:
        return loss <= level
    except Undecided:
        return False


def rounded(matrix: Floats | Table, problem: Problem, bits: int = TICKET_BITS) -> Mechanism:
    """Return the exact mechanism of tickets near a matrix."""
    rows = [[Rational(ticket, 1 << bits) for ticket in row] for row in rationalise(matrix, bits)]
    return Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))


# How many times what seems enough a mechanism is moved, and by how much at least. Near constants a loss falls with the
# square of what is left; twice as much is enough for whatever is convex.
_MOVES = (Rational(1001, 1000), Rational(9, 8), Rational(3, 2), 2, 4, 16, 64, 256)
# The share of a uniform law in the one that is moved to: it makes a loss finite, and costs nothing that counts.
_TRACE = Rational(1, 1 << 30)
# The share of a tiny loss to which a search knows it, but for ten roundings of floats.
_SEARCHED_SHARE = Rational(1, 2048)


def shortened(value: Rational, bits: int) -> Rational:
    """Return a number of so many digits that is not below a positive one."""
    size = int(value.ceil()).bit_length() if value >= 1 else 1 - int((1 / value).ceil()).bit_length()
    scale = Rational(2) ** (size - bits)
    return Rational((value / scale).ceil()) * scale


def within_distortion(problem: Problem, mechanism: Mechanism, cheapest: Table) -> Mechanism:
    """Return the mechanism, moved towards the cheapest answers as far as the distortion allowed takes.

    One member of the source after the other says how far; where the cheapest answers themselves leave no room under
    some, those are not to blame for what others cost.
    """
    allowed = problem.given.below(BITS) if problem.given.rational is None else problem.given.rational
    cost = problem.distortion.matrix(problem.universe)
    before, after = ([dot(*pair) for pair in zip(rows, cost, strict=True)] for rows in (mechanism.rows, cheapest))
    share, moved = ZERO, mechanism
    for _ in range(MOST_ROUNDS):
        worst = moved.distortion(problem.distortion, problem.source)
        most, least = dot(worst.point, before), dot(worst.point, after)
        if worst.value <= allowed or most <= max(allowed, least):
            break
        share = min(ONE, shortened((most - allowed) / (most - least), TICKET_BITS))
        moved = _moved(mechanism, cheapest, share)
    return moved


def within_level(problem: Problem, mechanism: Mechanism, level: Real) -> Mechanism:
    """Return the mechanism, moved towards a constant answer as far as the level takes."""
    return _least_move(problem, mechanism, level).mechanism


class _Move(NamedTuple):
    """A mechanism that was moved, and whether that was enough as far as its loss was measured without a search."""

    mechanism: Mechanism
    is_enough: bool


def _least_move(problem: Problem, mechanism: Mechanism, level: Real) -> _Move:
    """Return a mechanism moved towards a constant answer by about as little as makes its loss at most a level.

    The answer is the law of its output under its worst prior.
    """
    worst = mechanism.distortion(problem.distortion, problem.source).point
    # Rows of letters that nothing produces may be like no other; a trace of them makes a loss finite.
    weights = [(1 - _TRACE) * p + _TRACE / len(worst) for p in worst]
    answer = [dot(weights, column) for column in zip(*mechanism.rows, strict=True)]
    margin = ZERO
    if has_saddle(problem):
        # A search knows a tiny loss to a share of itself, and to what floats tell of one.
        margin = min(SEARCHED, level.below(BITS) * _SEARCHED_SHARE + 10 * exact(ROUNDING))
    moved, enough, is_enough = mechanism, ZERO, False
    for times in _MOVES:
        loss = problem.notion.loss(moved, problem.source).upper
        if loss is None or loss.is_infinite:
            # A smaller share of a constant answer would mend nothing.
            enough = max(enough, exact(ROUNDING))
        else:
            excess = loss + margin - level
            with suppress(Undecided):
                is_enough = loss.rational == 0 or excess <= 0
            if is_enough:
                break
            lost = min(1.0, float(excess / loss))
            enough = max(enough, exact(lost / (1 + math.sqrt(1 - lost))), exact(ROUNDING) if lost <= 0 else ZERO)
        moved = _moved(mechanism, [answer] * len(mechanism.rows), times * enough)
    return _Move(moved, is_enough)


def certain_rows(answers: Sequence[int], outputs: int) -> list[list[Rational]]:
    """Return the rows of a mechanism that gives each input one answer."""
    return [[ONE if y == answer else ZERO for y in range(outputs)] for answer in answers]


def mixed_rows(rows: Table, others: Table, share: Rational) -> Table:
    """Return the rows with a share of the others mixed in."""
    return [
        [(1 - share) * a + share * b for a, b in zip(row, other, strict=True)]
        for row, other in zip(rows, others, strict=True)
    ]


def _moved(mechanism: Mechanism, harmless: Table, share: Rational) -> Mechanism:
    return Mechanism(mixed_rows(mechanism.rows, harmless, min(ONE, share)), mechanism.universe, mechanism.outputs)


def fitted(problem: Problem, matrix: Floats) -> Mechanism | None:
    """Return an exact mechanism near a matrix that keeps to what is asked, None where there is none near by."""
    if problem.asks == "loss":
        return useful_mechanism(matrix, problem)
    move = _least_move(problem, rounded(matrix, problem), problem.given)
    return move.mechanism if _is_private_after(move, problem, problem.given) else None


def _is_private_after(move: _Move, problem: Problem, level: Real) -> bool:
    """Return whether a mechanism provably meets a level; what the move measured without a search is not asked again."""
    return (move.is_enough and not has_saddle(problem)) or is_private(move.mechanism, problem, level)


# What another candidate could win of a distortion: less than a rounding error.
_SAME_COST = Rational(1, 10**11)
# Rows are whole numbers of tickets out of two to this power, which integers of 64 bits hold.
_SPREAD_BITS = 62


def private_mechanism(
    matrix: Floats, problem: Problem, level: Real, constraints: Constraints, law: Floats
) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose loss is provably at most `level`, or None.

    `constraints` are those of the notion as far as the solver knew them, `law` a law of the source that matters. When
    time runs out it is the best one so far.
    """
    cost = problem.distortion.floats(problem.universe)
    hoped = problem.source.maximum((np.maximum(matrix, 0.0) * cost).sum(axis=1).tolist()).value + _SAME_COST
    best: Mechanism | None = None
    least = hoped
    with suppress(TimeLimit):
        for candidate in _private_candidates(matrix, problem, level, constraints.spread, law):
            distortion = candidate.distortion(problem.distortion, problem.source).value
            if best is None or distortion < least:
                best, least = candidate, distortion
            if matrix.size >= FEW_ENTRIES and (least <= hoped or constraints.spread is not None):
                # Another candidate could win no more than a rounding error, and costs as much as this one.
                break
    return best


def _private_candidates(
    matrix: Floats, problem: Problem, level: Real, spread: Spread | None, law: Floats
) -> Iterator[Mechanism]:
    repaired = None if spread is None else within_spread(matrix, problem, spread, Real.exp(level).below(BITS), law)
    if repaired is not None and is_private(repaired, problem, level):
        yield repaired
    for cleaned in _cleaned(matrix):
        move = _least_move(problem, rounded(cleaned, problem), level)
        if _is_private_after(move, problem, level):
            yield move.mechanism


def useful_mechanism(matrix: Floats, problem: Problem) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose distortion is provably at most the one allowed, or None.

    Of several candidates the one with the least loss; of those that there was time for.
    """
    best: Mechanism | None = None
    least = math.inf
    with suppress(TimeLimit):
        for candidate in _useful_candidates(matrix, problem):
            if Real.of(candidate.distortion(problem.distortion, problem.source).value) > problem.given:
                continue
            found = problem.notion.loss(candidate, problem.source)
            loss = found.value if found.upper is None else float(found.upper)
            if best is None or loss < least:
                best, least = candidate, loss
            if matrix.size >= FEW_ENTRIES and math.isfinite(least):
                break
    return best


def _useful_candidates(matrix: Floats, problem: Problem) -> Iterator[Mechanism]:
    cost = problem.distortion.floats(problem.universe)
    for cleaned in _cleaned(matrix):
        start = rounded(cleaned, problem)
        # An answer that an input is never given may be out of reach for its neighbours too.
        cheapest = np.argmin(np.where(cleaned > FAINT, cost, math.inf), axis=1).tolist()
        yield within_distortion(problem, start, certain_rows(cheapest, matrix.shape[1]))


def _cleaned(matrix: Floats) -> Iterator[Floats]:
    """Yield the matrix as a law per row: as it is, without faint outputs, or with no other answer left at zero.

    Without faint outputs ratios of what is left may be broken by as much; a finite loss may need a trace of each.
    """
    known, largest = np.maximum(matrix, 0.0), matrix.max(axis=0)
    variants = (
        known,
        np.where(largest > FAINT, known, 0.0),
        np.where(largest > FAINT, np.maximum(matrix, ROUNDING), 0.0),
    )
    seen: set[bytes] = set()
    for variant in variants:
        mass = variant.sum(axis=1, keepdims=True)
        if variant.tobytes() not in seen and (mass > 0.5).all():
            seen.add(variant.tobytes())
            yield variant / mass


def within_spread(matrix: Floats, problem: Problem, spread: Spread, ratio: Rational, law: Floats) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose scaled columns lie within a factor `ratio`.

    None if the matrix is no mechanism even approximately, or a constant answer is not strictly within the spread.
    """
    scales = Scaled.of(spread.scales)
    if scales is None or spread.slack > 0:
        return None
    least, most = int(scales.numerators.min()), int(scales.numerators.max())
    if least <= 0 or ratio * least <= most:
        return None
    kept = _merged(np.maximum(matrix, 0.0), law[:, None] * problem.distortion.floats(problem.universe))
    mass = kept.sum(axis=1, keepdims=True)
    if not (np.isfinite(kept).all() and (np.abs(mass - 1) < 0.5).all()):
        return None
    kept /= mass
    # Scales that are all alike cancel.
    weights = np.ones(1, dtype=np.int64) if least == most else widened(scales.numerators)
    roomiest = int(kept.min(axis=0).argmax())
    total, reserve = 1 << _SPREAD_BITS, 0
    while reserve < total // 2:
        tickets = np.floor(kept * float(total - reserve)).astype(np.int64)
        # What rounding leaves over is at most a few tickets per entry; the roomiest column bears it.
        tickets[:, roomiest] += total - reserve - tickets.sum(axis=1)
        if tickets.min() < 0:
            return None
        added = _added(tickets, weights, ratio)
        spent = sum(added)
        if spent <= reserve:
            added[roomiest] += reserve - spent
            raised = tickets + np.array(added, dtype=np.int64)
            return Mechanism.of_tickets(raised, total, problem.universe, problem.distortion.outputs(problem.universe))
        reserve = 2 * spent
    return None


def _merged(matrix: Floats, cost: Floats) -> Floats:
    """Return the matrix with each faint column added to the other column where that costs least."""
    largest = matrix.max(axis=0)
    kept = np.flatnonzero(largest > FAINT)
    faint = np.flatnonzero((largest <= FAINT) & (largest > 0))
    merged = np.where(largest > FAINT, matrix, 0.0)
    if kept.size and faint.size:
        places = kept[(matrix[:, faint].T @ cost[:, kept]).argmin(axis=1)]
        np.add.at(merged.T, places, matrix[:, faint].T)
    return merged


def _added(tickets: Integers, weights: Integers, ratio: Rational) -> list[int]:
    """Return how many tickets every entry of each column must gain."""
    scaled = weights[:, None] * tickets
    numerator, denominator = int(ratio.p), int(ratio.q)
    gain = numerator * int(weights.min()) - denominator * int(weights.max())
    columns = zip(scaled.max(axis=0).tolist(), scaled.min(axis=0).tolist(), strict=True)
    return [max(0, -((numerator * low - denominator * high) // gain)) for high, low in columns]
