r"""From a matrix in floats to an exact mechanism that keeps to what is asked: candidates, each mixed as it needs.

Within a spread there is one step in whole arrays of integers. Rounded to tickets, the columns of a solver's matrix
overstep the spread by a little. Adding the same number k(y) of tickets to every entry of a column shrinks its spread,
and leaves the rows with equal sums: with E = e^level a column whose largest and smallest entries are h and l needs

    h + k <= E (l + k),    so    k = ceil((h - E l) / (E - 1)),

or, where the rows have scales, the like with the largest and the smallest scaled entry. The tickets that this takes
are set aside before rounding, so that every row still sums to the same power of two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import suppress
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import BITS
from epstar.errors import TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.integers import Integers, Scaled, widened
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints, Spread
from epstar.problem import Problem
from epstar.solve.certify.mechanism import Mixing, is_private, rounded, within_distortion

Floats = NDArray[np.float64]

# Entries of a matrix from which on one good candidate is enough.
_LARGE = 400
# What another candidate could win of a distortion: less than a rounding error.
_CLOSE = Rational(1, 10**11)
# A smaller probability is the noise of a solver: of an output, of one that ends on a corner or inside; of an answer.
_FAINT, _FAINT_INSIDE, _FAINT_ANSWER = 1e-11, 1e-9, 1e-7
# A more probable answer may be the only one.
_NEARLY_CERTAIN = 1 - 1e-3
# A trace of every answer, which a finite loss may need.
_TRACE = 1e-15
# The denominators of corners that are recognised.
_DENOMINATORS = (100, 10_000, 1_000_000)
# Nats: floats that lose so much more than a level may still be within it.
_ROUNDING = 1e-9
# Rows are whole numbers of tickets out of two to this power, which integers of 64 bits hold.
_SPREAD_BITS = 62
# Outputs that are given less often are merged into others, which costs no privacy and next to no distortion.
_MERGED = 1e-13


def private_mechanism(
    matrix: Floats, problem: Problem, level: Real, constraints: Constraints, law: Floats
) -> Mechanism | None:
    """Return an exact mechanism near `matrix` whose loss is provably at most `level`, or None.

    `constraints` are those of the notion as far as the solver knew them, `law` a law of the source that matters. When
    time runs out it is the best one so far.
    """
    limit = float(level) + _ROUNDING
    outputs = problem.distortion.outputs(problem.universe)

    def is_hopeful(candidate: Floats) -> bool:
        return problem.notion.loss(Mechanism(candidate, problem.universe, outputs), problem.source).value <= limit

    def is_accepted(candidate: Mechanism) -> bool:
        return is_hopeful(candidate.floats) and is_private(candidate, problem, level)

    cost = problem.distortion.floats(problem.universe)
    hoped = problem.source.maximum((np.maximum(matrix, 0.0) * cost).sum(axis=1).tolist()).value + _CLOSE
    best: Mechanism | None = None
    least = hoped
    with suppress(TimeLimit):
        for candidate in _private_candidates(matrix, problem, level, constraints.spread, law, is_hopeful, is_accepted):
            distortion = candidate.distortion(problem.distortion, problem.source).value
            if best is None or distortion < least:
                best, least = candidate, distortion
            if matrix.size >= _LARGE and (least <= hoped or constraints.spread is not None):
                # Another candidate could win no more than a rounding error, and costs as much as this one.
                break
    return best


def _private_candidates(
    matrix: Floats,
    problem: Problem,
    level: Real,
    spread: Spread | None,
    law: Floats,
    is_hopeful: Callable[[Floats], bool],
    is_accepted: Callable[[Mechanism], bool],
) -> Iterator[Mechanism]:
    if spread is not None:
        repaired = within_spread(matrix, problem, spread, Real.exp(level).below(BITS), law)
        if repaired is not None and is_accepted(repaired):
            yield repaired
    for cleaned in _cleaned(matrix):
        # A constant mechanism with the same outputs gives nothing away.
        harmless = np.broadcast_to(cleaned.mean(axis=0), cleaned.shape)
        candidate = Mixing(cleaned, harmless).exactly(problem, is_hopeful, is_accepted)
        if candidate is not None:
            yield candidate
    yield from (candidate for candidate in _simple(matrix, problem) if is_accepted(candidate))


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
            if matrix.size >= _LARGE and math.isfinite(least):
                break
    return best


def _useful_candidates(matrix: Floats, problem: Problem) -> Iterator[Mechanism]:
    if matrix.size < _LARGE:
        yield from _simple(matrix, problem)
    cost = problem.distortion.floats(problem.universe)
    for cleaned in _cleaned(matrix):
        start = rounded(cleaned, problem)
        for helpful in _helpful(cleaned, cost):
            yield within_distortion(problem, start, helpful)


def _helpful(matrix: Floats, cost: Floats) -> Iterator[list[list[Rational]]]:
    """Yield rows that give the cheapest of the answers given by a matrix: by any input, or by the same.

    An answer that an input is never given may be out of reach for its neighbours too.
    """
    kept = matrix.max(axis=0) > 0, matrix > _MERGED
    choices = [tuple(np.argmin(np.where(answers, cost, math.inf), axis=1).tolist()) for answers in kept]
    for cheapest in dict.fromkeys(choices):
        yield [[ONE if y == answer else ZERO for y in range(matrix.shape[1])] for answer in cheapest]


def _cleaned(matrix: Floats) -> Iterator[Floats]:
    """Yield the matrix as a law per row: without faint outputs or answers, or with none left at zero.

    The least distortion of all may need certain answers, a finite loss a trace of each.
    """
    known, largest = np.maximum(matrix, 0.0), matrix.max(axis=0)
    certain = np.eye(matrix.shape[1])[matrix.argmax(axis=1)]
    variants = (
        np.where(largest > _FAINT, known, 0.0),
        np.where(largest > _FAINT_INSIDE, known, 0.0),
        np.where(matrix > _FAINT_ANSWER, known, 0.0),
        np.where(matrix.max(axis=1, keepdims=True) > _NEARLY_CERTAIN, certain, known),
        np.where(largest > _FAINT, np.maximum(matrix, _TRACE), 0.0),
    )
    seen: set[bytes] = set()
    for variant in variants:
        mass = variant.sum(axis=1, keepdims=True)
        if variant.tobytes() not in seen and (mass > 0.5).all():
            seen.add(variant.tobytes())
            yield variant / mass


def _simple(matrix: Floats, problem: Problem) -> Iterator[Mechanism]:
    """Return the mechanisms of small denominators that `matrix` may be the rounding of.

    Where a bound binds for every mechanism near by, no mixing repairs a rounding error; undoing it does.
    """
    outputs = problem.distortion.outputs(problem.universe)
    for largest in _DENOMINATORS:
        rows = [[Fraction(max(0.0, entry)).limit_denominator(largest) for entry in row] for row in matrix.tolist()]
        if all(sum(row) == 1 for row in rows):
            yield Mechanism(rows, problem.universe, outputs)
            return


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
    kept = np.flatnonzero(largest > _MERGED)
    faint = np.flatnonzero((largest <= _MERGED) & (largest > 0))
    merged = np.where(largest > _MERGED, matrix, 0.0)
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
