"""Ratio bounds between rows on many entries: from a problem to the interior-point method for columns, and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Point
from epstar.exact import Real
from epstar.notions.constraints import Constraints, RatioBound
from epstar.reading import nearest_floats
from epstar.solve.program.columns import Bounds, Laws, least_cost
from epstar.solve.program.formulation import Found
from epstar.solve.program.lazy import needed_ratios
from epstar.solve.program.model import Solution
from epstar.solve.program.robust import region_of
from epstar.source import Source

Floats = NDArray[np.float64]

# Fewer rows are soon solved by the simplex method, which ends on a corner whose exact numbers may be recognised.
_MANY_ROWS = 3000
# Bounds for each input, in both directions: trees and cycles have at most two, and the simplex method takes a third of
# the time there (0.2 against 3.9 CPU seconds for a path of 40 nodes at level 1/5) and comes nearer.
_SPARSE = 2
# Exponents of ratios: beyond the larger floats lose what they bound, and below the smaller rows are all but alike.
_LARGEST_EXPONENT, _LEAST_EXPONENT = 16.0, 1e-3
# A multiplier with a smaller share of the largest has it from the gap that is left.
_FAINT = 1e-13


def laws_of(source: Source, points: Sequence[Point]) -> Laws:
    """Return all laws of a region, or the mixtures of some points."""
    region = region_of(source)
    if region is None:
        return Laws(np.array([nearest_floats(point) for point in points]), np.zeros((0, len(points))), np.zeros(0))
    vectors = np.array([nearest_floats(vector) for vector in region.vectors])
    matrix = np.array([nearest_floats(line) for line in region.matrix]).reshape(len(region.bounds), len(vectors))
    return Laws(vectors, matrix, nearest_floats(region.bounds))


@dataclass(frozen=True)
class ColumnRound:
    """What the method found, with the weights of the laws."""

    found: Found
    weights: Floats


def least_by_columns(
    cost: Floats, constraints: Constraints, level: Real, laws: Laws, check_time: Callable[[], object]
) -> ColumnRound | None:
    """Return the least distortion under plain ratio bounds; None for other bounds, few of them, or numbers too far."""
    ratios = constraints.ratios
    if constraints.sums or constraints.spread is not None or not all(map(_is_plain, ratios)):
        return None
    needed = needed_ratios(ratios, level)
    if len(needed) * cost.shape[1] < _MANY_ROWS or len(needed) <= _SPARSE * len(cost):
        return None
    pairs = [(*ratios[i].left.items(), *ratios[i].right.items()) for i in needed]
    first, second = (np.array([pair[side][0] for pair in pairs]) for side in (0, 1))
    lefts, rights = (nearest_floats([pair[side][1] for pair in pairs]) for side in (0, 1))
    exponents = float(level) * nearest_floats([ratios[i].distance for i in needed]) + np.log(rights / lefts)
    # Probabilities are positive only by bounds in both directions.
    if len(np.unique(first)) < len(cost) or len(np.unique(second)) < len(cost):
        return None
    if not (exponents.max() < _LARGEST_EXPONENT and exponents.min() > _LEAST_EXPONENT):
        return None
    optimum = least_cost(cost, Bounds(len(cost), first, second, np.exp(exponents)), laws, check_time)
    if not optimum.is_near:
        return None
    weights = np.where(optimum.multipliers > _FAINT * optimum.multipliers.max(), optimum.multipliers, 0.0)
    weights /= lefts[:, None]
    rows: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    blocks: dict[Hashable, Floats] = {("ratio", i): weights[k] for k, i in enumerate(needed) if weights[k].any()}
    means = laws.vectors @ (cost * optimum.matrix).sum(axis=1)
    value = float(optimum.weights @ means)
    solution = Solution(optimum.matrix.ravel(), rows, {}, value, True, "done", blocks, precision=1e-12)
    return ColumnRound(Found(optimum.matrix, solution), optimum.weights)


def _is_plain(bound: RatioBound) -> bool:
    return len(bound.left) == len(bound.right) == 1 and bound.left.keys() != bound.right.keys() and bound.slack == 0
