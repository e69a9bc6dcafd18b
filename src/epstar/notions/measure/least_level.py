"""The least level at which every constrained pair of rows of floats leaves little excess.

Solving a pair means sorting its outputs, which is too much for a million pairs of a thousand outputs. The
excess of a pair falls as the level grows, so: solve a few bad pairs, drop all pairs whose excess at the level
found is small enough (one pass without sorting), and go on with what is left.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import ONE, Rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.notions.base import Witness
from epstar.notions.measure.hockey_stick import (
    BLOCK,
    LARGEST,
    all_excesses,
    excesses,
    has_faint,
    least_factor,
    least_factors,
    may_exceed,
    outputs_above,
)
from epstar.notions.pairs import LawPair, PairArrays, law_pairs, pair_arrays
from epstar.universe import Alphabet, Universe

Floats = NDArray[np.float64]

# An excess is a sum of differences of probabilities: what is above the slack by less than this is rounding.
_ROUNDING = 2e-15
_FIRST_BATCH = 32


@dataclass(frozen=True)
class LeastLevel:
    """The least level, the pair of inputs that needs it (none at level 0), and e^(level * its distance)."""

    level: float
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    factor: float = 1.0


def least_level(matrix: Floats, universe: Universe, slack: float) -> LeastLevel:
    """Return the least level with sum_y (Q(y|x) - e^(level d) Q(y|x'))_+ <= slack for all constrained pairs.

    Cost: one or two passes over pairs times outputs, in blocks, and sorting for the few pairs that matter.
    """
    pairs = pair_arrays(universe)
    found = LeastLevel(0.0)
    if len(pairs.first) == 0:
        return found
    remaining = np.arange(len(pairs.first))
    batch = _FIRST_BATCH
    scores = _scores(matrix, pairs)
    while len(remaining):
        chosen = np.argpartition(scores, -min(batch, len(scores)))[-min(batch, len(scores)) :]
        found = _solved(matrix, pairs, remaining[chosen], slack, found)
        if found.level == np.inf:
            return found
        remaining = np.delete(remaining, chosen)
        scores = _excesses(matrix, universe, pairs, remaining, found.level)
        kept = scores > slack + _ROUNDING
        remaining, scores = remaining[kept], scores[kept]
        batch *= 4
    return found


def suspected_pairs(mechanism: Mechanism, slack: Rational) -> Iterator[LawPair]:
    """Yield pairs of rows of an exact mechanism, among them one that needs the largest level, if any needs one.

    First the worst in floats; then those whose excess, at what that one needs, floats do not show to be within the
    slack, with the outputs that may add to it. Pairs at unlike distances are all yielded.
    """
    rows, matrix, universe = mechanism.rows, mechanism.floats, mechanism.universe
    pairs = universe.pairs()
    if pairs.distance is not None:
        yield from law_pairs(mechanism)
        return
    first, second = (np.concatenate(ends) for ends in ((pairs.first, pairs.second), (pairs.second, pairs.first)))
    worst = least_level(matrix, universe, float(nearest_floats([slack])[0])).inputs
    factor: Rational | None = ONE
    if worst:
        yield LawPair(Witness(worst), rows[worst[0]], rows[worst[1]])
        factor = least_factor(rows[worst[0]], rows[worst[1]], slack).factor
    if factor is None:
        return
    if factor > LARGEST or has_faint(rows, matrix):
        yield from law_pairs(mechanism)
        return
    step = max(1, BLOCK // (4 * matrix.shape[1]))
    for start in in_time(range(0, len(first), step)):
        left, right = matrix[first[start : start + step]], matrix[second[start : start + step]]
        chosen = np.flatnonzero(may_exceed(left, right, 1, factor, slack))
        # Other outputs are surely in no event that matters.
        sure, doubtful = outputs_above(left[chosen], right[chosen], 1, factor)
        for place, mattering in zip(chosen.tolist(), sure | doubtful, strict=True):
            x, other = int(first[start + place]), int(second[start + place])
            outputs = np.flatnonzero(mattering).tolist()
            above, below = ([rows[z][y] for y in outputs] for z in (x, other))
            yield LawPair(Witness((x, other)), above, below, grouped=True)


def _scores(matrix: Floats, pairs: PairArrays) -> Floats:
    """A cheap guess of which pairs are bad: the chi-squared divergence, by one product of matrices."""
    inputs = len(matrix)
    if inputs * inputs > 8 * len(pairs.first):
        return excesses(matrix, pairs.first, pairs.second, np.ones(len(pairs.first)))
    inverse = 1.0 / np.maximum(matrix, 1e-100)
    return (matrix**2 @ inverse.T)[pairs.first, pairs.second]


def _solved(matrix: Floats, pairs: PairArrays, chosen: NDArray[np.intp], slack: float, best: LeastLevel) -> LeastLevel:
    step = max(1, BLOCK // (4 * matrix.shape[1]))
    for start in range(0, len(chosen), step):
        block = chosen[start : start + step]
        factors = least_factors(matrix[pairs.first[block]], matrix[pairs.second[block]], slack)
        levels = np.log(factors) / pairs.distance[block]
        place = int(levels.argmax())
        if levels[place] > best.level:
            pair = block[place]
            inputs = (int(pairs.first[pair]), int(pairs.second[pair]))
            best = LeastLevel(float(levels[place]), inputs, factor=float(factors[place]))
    return best


def _excesses(
    matrix: Floats, universe: Universe, pairs: PairArrays, remaining: NDArray[np.intp], level: float
) -> Floats:
    if isinstance(universe, Alphabet) and 2 * len(remaining) > len(pairs.first):
        table = all_excesses(matrix, float(np.exp(level)))
        return table[pairs.first[remaining], pairs.second[remaining]]
    factors = np.exp(level * pairs.distance[remaining])
    return excesses(matrix, pairs.first[remaining], pairs.second[remaining], factors)


def pointwise_level(matrix: Floats, universe: Universe, slack: float) -> LeastLevel:
    """Return the least level with Q(y|x) <= e^(level d) Q(y|x') + slack for single outputs y."""
    if isinstance(universe, Alphabet):
        # Every pair is constrained alike, so the extremes of a column decide.
        high, low = matrix.argmax(axis=0), matrix.argmin(axis=0)
        columns = np.arange(matrix.shape[1])
        levels = _log_quotient(matrix[high, columns] - slack, matrix[low, columns])
        y = int(levels.argmax())
        if levels[y] <= 0:
            return LeastLevel(0.0)
        return LeastLevel(float(levels[y]), (int(high[y]), int(low[y])), (y,))
    pairs = pair_arrays(universe)
    found = LeastLevel(0.0)
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, len(pairs.first), step):
        block = slice(start, start + step)
        levels = _log_quotient(matrix[pairs.first[block]] - slack, matrix[pairs.second[block]])
        levels /= pairs.distance[block, None]
        place = int(levels.argmax())
        if levels.flat[place] > found.level:
            pair, y = start + place // levels.shape[1], place % levels.shape[1]
            inputs = (int(pairs.first[pair]), int(pairs.second[pair]))
            found = LeastLevel(float(levels.flat[place]), inputs, (y,))
    return found


def _log_quotient(above: Floats, below: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(above > 0, np.log(above) - np.log(below), -np.inf)


@dataclass(frozen=True)
class LargestExcess:
    """The largest excess over all constrained pairs at one level, and the pair that has it."""

    excess: float
    inputs: tuple[int, ...] = ()


def largest_excess(matrix: Floats, universe: Universe, level: float, pointwise: bool) -> LargestExcess:
    """Return the least slack that goes with `level`: one pass over pairs times outputs, in blocks."""
    pairs = pair_arrays(universe)
    if len(pairs.first) == 0:
        return LargestExcess(0.0)
    with np.errstate(over="ignore"):
        factors = np.exp(level * pairs.distance)
    if isinstance(universe, Alphabet) and not pointwise and np.isfinite(factors[0]):
        values = all_excesses(matrix, float(factors[0]))[pairs.first, pairs.second]
    else:
        values = excesses(matrix, pairs.first, pairs.second, factors, pointwise)
    place = int(values.argmax())
    if values[place] <= 0:
        return LargestExcess(0.0)
    return LargestExcess(float(values[place]), (int(pairs.first[place]), int(pairs.second[place])))
