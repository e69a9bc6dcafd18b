r"""From floats to an exact mechanism within a spread, in one step and whole arrays of integers.

Rounded to tickets, the columns of a solver's matrix overstep the spread by a little. Adding the same number k(y) of
tickets to every entry of a column shrinks its spread, and leaves the rows with equal sums: with E = e^level a column
whose largest and smallest entries are h and l needs

    h + k <= E (l + k),    so    k = ceil((h - E l) / (E - 1)),

or, where the rows have scales, the like with the largest and the smallest scaled entry. The tickets that this takes
are set aside before rounding, so that every row still sums to the same power of two.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational
from epstar.integers import Integers, Scaled, widened
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Spread
from epstar.problem import Problem

Floats = NDArray[np.float64]

_BITS = 62
# Outputs that are hardly ever given are merged into others, which costs no privacy and next to no distortion.
_FAINT = 1e-13


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
    total, reserve = 1 << _BITS, 0
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
    kept = np.flatnonzero(largest > _FAINT)
    faint = np.flatnonzero((largest <= _FAINT) & (largest > 0))
    merged = np.where(largest > _FAINT, matrix, 0.0)
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
