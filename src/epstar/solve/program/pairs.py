"""Rényi privacy under the worst of some laws: from the notion's bounds to the method for pairs of rows, and back."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import Rational, Real
from epstar.notions.constraints import Constraints, Power, RelativeEntropy
from epstar.solve.methods.pairwise import Pairs, Places, divergence_sums, least_cost
from epstar.solve.program.formulation import Found
from epstar.solve.program.model import Solution

Floats = NDArray[np.float64]

# Beyond this many entries even the system of the outputs that matter is too large.
MOST_ENTRIES = 128**2
# By how much less than the bound is kept, so that a rounded mechanism stays within it.
_MARGIN = 2.0**-42
# A multiplier with a smaller share of what all cost is a rounding error.
_FAINT = 1e-10
# A wider gap than this is left to the cone program, unless that would be too large.
_GOOD = 1e-8
_FEW_ENTRIES = 400


@dataclass(frozen=True)
class ComparedRows:
    """Of each bound the two rows that it compares, and the order less one (zero for relative entropies)."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    rate: Rational


def compared_rows(constraints: Constraints) -> ComparedRows | None:
    """Return the rows that the bounds compare, None unless each is one divergence of two rows, all of one order."""
    if constraints.ratios or constraints.spread is not None or not constraints.sums:
        return None
    first, second, rates = [], [], set()
    for total in constraints.sums:
        weight, atom = total.terms[0]
        if len(total.terms) != 1 or not isinstance(atom, Power | RelativeEntropy):
            return None
        if len(atom.left) != 1 or len(atom.right) != 1:
            return None
        ((x, one),), ((other, another),) = atom.left.items(), atom.right.items()
        if not weight == one == another == 1:
            return None
        first.append(x)
        second.append(other)
        rates.add(atom.order - 1 if isinstance(atom, Power) else Rational(0))
    return ComparedRows(np.array(first), np.array(second), rates.pop()) if len(rates) == 1 else None


def least_under_divergences(
    costs: Floats,
    constraints: Constraints,
    level: Real,
    left: Callable[[], float | None],
    roughly: bool = False,
    start: Places | None = None,
) -> Found | None:
    """Return the mechanism whose largest cost is least with its multipliers; `costs` has a matrix for each law.

    None for other bounds, or where floats break down. What is known but roughly proves little. `start` are outputs that
    are likely to matter.
    """
    rows = compared_rows(constraints)
    entries = costs[0].size
    if rows is None or entries > MOST_ENTRIES:
        return None
    limits = np.array([float(total.scale.bound(level)) for total in constraints.sums])
    least = 0.0 if rows.rate == 0 else np.sign(float(rows.rate))
    if not np.isfinite(limits).all() or (limits == 0).any():
        return None
    order = 1.0 + float(rows.rate)
    pairs = Pairs(rows.first, rows.second, order, limits)
    try:
        with np.errstate(all="raise", under="ignore"):
            optimum = least_cost(costs, pairs, left, roughly, start)
    except (SolverFailure, FloatingPointError, np.linalg.LinAlgError):
        return None
    matrix = _within(optimum.matrix, pairs, least)
    value = float(np.tensordot(costs, matrix, axes=2).max())
    is_good = roughly or optimum.gap <= _GOOD * max(1.0, abs(value))
    if not is_good and (entries <= _FEW_ENTRIES or not np.isfinite(optimum.gap)):
        return None
    multipliers: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    # Bounds of far inputs are large, so that their multipliers are small.
    shares = optimum.multipliers * np.abs(limits)
    weights = np.where(shares > _FAINT * shares.max(), optimum.multipliers, 0.0)
    multipliers |= {("sum", i): weight for i, weight in enumerate(weights.tolist())}
    multipliers |= {("point", j): weight for j, weight in enumerate(optimum.laws.tolist())}
    tangents = _tangents(optimum.columns[rows.first] / optimum.columns[rows.second], order)
    return Found(matrix, Solution(matrix.ravel(), multipliers, tangents, value, True, "done"))


def _within(matrix: Floats, pairs: Pairs, least: float) -> Floats:
    """Return the matrix mixed with a constant one, whose divergences are least, by as little as meets the bounds."""
    given = matrix[:, matrix.max(axis=0) > 0]
    room = pairs.bounds - least
    excess = (divergence_sums(given, pairs) - pairs.bounds) / room
    share = min(1.0, 1.01 * max(0.0, float(excess.max())) + _MARGIN)
    mixed: Floats = (1 - share) * matrix + share * matrix.mean(axis=0)
    return mixed


def _tangents(ratios: Floats, order: float) -> dict[Hashable, Floats]:
    """Return the supporting planes at the given ratios, in the form in which a cone solver would give them."""
    steepness = ratios if order == 1 else order * ratios ** (order - 1)
    planes = np.zeros((*steepness.shape, 3))
    given, taken = (0, 2) if order < 1 else (2, 0)
    planes[..., given] = -steepness if order > 1 else steepness
    planes[..., taken] = 1.0 if order > 1 else -1.0
    return {(i, 0): plane for i, plane in enumerate(planes)}
