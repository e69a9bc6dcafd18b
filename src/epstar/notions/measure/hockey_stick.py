"""The excess of one distribution over a multiple of another, and the least multiple that leaves little excess.

For distributions p and q and a factor E, the hockey-stick excess is sum_y (p_y - E q_y)_+ = max over events S of
p(S) - E q(S). The maximising event holds the outputs with the largest p_y / q_y, so that

    excess <= slack   if and only if   E >= (p(S) - slack) / q(S)   for every prefix S of that order,

and the least factor is a maximum of finitely many quotients: rational for rational distributions, with no root search.
Local information privacy lets the slack grow with the factor; then the quotients are p(S) / (q(S) + slack).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, ZERO, Rational
from epstar.exact.elementary import ROUNDING, growth
from epstar.exact.vectors import nearest_floats

Floats = NDArray[np.float64]

# Entries of one block of pairs: 32 MiB for each temporary array.
BLOCK = 1 << 22
_EPSILON = float(np.finfo(np.float64).eps)
# Floats hold products of numbers that are no smaller, and no larger.
_FAINT, LARGEST = 1e-140, 10**140


@dataclass(frozen=True)
class Factor:
    """The least factor that leaves an excess of at most the slack, None if there is none, and the event."""

    factor: Rational | None
    event: tuple[int, ...]


def least_factor(
    left: Sequence[Rational], right: Sequence[Rational], slack: Rational, slack_grows: bool = False
) -> Factor:
    """Return the least factor E >= 1 with sum (left - E right)_+ <= slack (times E if the slack grows).

    Cost: one sort of the outputs.
    """

    def steeper(a: int, b: int) -> int:
        difference = left[b] * right[a] - left[a] * right[b]
        return (difference > 0) - (difference < 0)

    order = sorted((y for y in range(len(left)) if left[y] > 0), key=cmp_to_key(steeper))
    above, below = ZERO, slack if slack_grows else ZERO
    best = Factor(ONE, ())
    for place, y in enumerate(order):
        above += left[y]
        below += right[y]
        spare = above if slack_grows else above - slack
        if below == 0:
            if spare > 0:
                return Factor(None, tuple(order[: place + 1]))
        elif best.factor is not None and spare > best.factor * below:
            best = Factor(spare / below, tuple(order[: place + 1]))
    return best


def least_factors(left: Floats, right: Floats, slack: float, slack_grows: bool = False) -> Floats:
    """Return the least factors of many pairs of distributions, along the last axis, in floats.

    An event that the right distribution excludes is compared with the slack up to the rounding error of its sum.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        steepness = np.where(left > 0, left / right, -1.0)
    order = np.argsort(-steepness, axis=-1)
    above = np.take_along_axis(left, order, -1).cumsum(-1)
    below = np.take_along_axis(right, order, -1).cumsum(-1)
    if slack_grows:
        below = below + slack
        spare = above
    else:
        spare = above - slack
    positive = spare > left.shape[-1] * _EPSILON
    with np.errstate(divide="ignore", invalid="ignore"):
        factors = np.where(positive, spare / below, 1.0)
    result: Floats = np.maximum(factors.max(-1), 1.0)
    return result


def event_of(left: Floats, right: Floats, factor: float) -> tuple[int, ...]:
    """Return the outputs that make up the excess at `factor`: at infinity, those the right distribution excludes."""
    if factor == np.inf:
        return tuple(np.flatnonzero((right == 0) & (left > 0)).tolist())
    # The last output of the event may lie exactly on the line: rounding must not drop it.
    return tuple(np.flatnonzero(left > factor * right * (1 - 4 * _EPSILON)).tolist())


def excess(left: Sequence[Rational], right: Sequence[Rational], factor: Rational) -> Rational:
    """Return sum (left - factor right)_+ exactly."""
    total = ZERO
    for p, q in zip(left, right, strict=True):
        if p > 0 and p > factor * q:
            total += p - factor * q
    return total


def has_faint(table: Sequence[Sequence[Rational]] | NDArray[Any], floats: Floats) -> bool:
    """Return whether there are positive numbers so small that products of two may vanish in floats."""
    if isinstance(table, np.ndarray):
        return bool((table[floats < _FAINT] != 0).any())
    return any(table[i][j] != 0 for i, j in np.argwhere(floats < _FAINT).tolist())


def may_exceed(
    left: Floats, right: Floats, roundings: int, factor: Rational, slack: Rational, slack_grows: bool = False
) -> NDArray[np.bool_]:
    """Return which of many pairs may leave an excess above the slack (times the factor if it grows).

    The others surely do not. The distributions, along the last axis, are floats that are off by at most so many
    roundings, and none of which vanished.
    """
    # What a smaller factor allows, a larger one does.
    factor = min(factor, Rational(LARGEST))
    allowed = float(nearest_floats([slack * factor if slack_grows else slack])[0])
    # A slack that floats do not hold to a rounding counts as none.
    allowed = allowed if allowed > _FAINT else 0.0
    gaps, error = _gaps(left, right, roundings, factor)
    gaps += error
    total = np.maximum(gaps, 0.0, out=gaps).sum(-1)
    return np.asarray(total * (1 + 2 * growth(left.shape[-1])) > allowed * (1 - 4 * ROUNDING))


def outputs_above(
    left: Floats, right: Floats, roundings: int, factor: Rational
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the outputs at which left is surely above factor times right, and those at which it may be.

    The distributions are floats as in `may_exceed`.
    """
    gaps, error = _gaps(left, right, roundings, factor)
    return gaps > error, (np.abs(gaps) <= error) & (error > 0)


def _gaps(left: Floats, right: Floats, roundings: int, factor: Rational) -> tuple[Floats, Floats]:
    """Return left - factor right, and a bound on what it is off by."""
    scaled = float(nearest_floats([factor])[0]) * right
    return left - scaled, 2 * growth(roundings + 8) * (left + scaled)


def excesses(
    matrix: Floats,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    factor: Floats,
    pointwise: bool = False,
) -> Floats:
    """Return sum (Q_first - factor Q_second)_+ of many pairs of rows, or the largest term if `pointwise`.

    Blocks keep the memory bounded.
    """
    result = np.empty(len(first))
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(first), step):
        block = slice(start, start + step)
        gaps = matrix[second[block]]
        with np.errstate(invalid="ignore"):
            gaps *= -factor[block, None]
        # An infinite factor leaves what the second row excludes: zero times infinity is zero here.
        np.nan_to_num(gaps, copy=False, nan=0.0, neginf=-np.inf)
        gaps += matrix[first[block]]
        np.maximum(gaps, 0.0, out=gaps)
        result[block] = gaps.max(axis=1) if pointwise else gaps.sum(axis=1)
    return result


def all_excesses(matrix: Floats, factor: float) -> Floats:
    """Return sum (Q_x - factor Q_x')_+ for all ordered pairs of rows, as a square array.

    Three passes for each triple, in a buffer that stays in the cache.
    """
    inputs, outputs = matrix.shape
    scaled = factor * matrix
    result = np.empty((inputs, inputs))
    rows = max(1, min(inputs, (1 << 15) // outputs))
    buffer = np.empty((rows, outputs))
    for start in range(0, inputs, rows):
        block = scaled[start : start + rows]
        into = buffer[: len(block)]
        for x in range(inputs):
            np.subtract(matrix[x], block, out=into)
            np.maximum(into, 0.0, out=into)
            result[x, start : start + rows] = into.sum(axis=1)
    return result
