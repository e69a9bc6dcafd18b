"""Ratio bounds between rows, which floats lose where inputs are far apart: from a notion to `closure`, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Real
from epstar.notions.constraints import Constraints, RatioBound
from epstar.reading import nearest_floats
from epstar.solve.methods.closure import Ratios
from epstar.solve.programs.program import Found, Program

Floats = NDArray[np.float64]

# A mechanism this large, or with rows whose entries may differ by this many orders, is given by floats as it is.
_LARGE, _FAR = 400, 20.0
# The largest exponent that floats hold.
_MOST_LOG = 700.0


def kept_to_ratios(found: Found, program: Program, constraints: Constraints, level: Real | None) -> Found:
    """Return a mechanism and its multipliers with the ratio bounds between rows kept where floats lose them.

    A small one whose inputs are near each other is a corner, whose exact numbers may be recognised.
    """
    bounds = constraints.ratios
    is_plain = all(len(b.left) == len(b.right) == 1 and not b.slack_grows for b in bounds)
    if level is None or not bounds or not is_plain:
        return found
    first, lefts = zip(*(next(iter(bound.left.items())) for bound in bounds), strict=True)
    second, rights = zip(*(next(iter(bound.right.items())) for bound in bounds), strict=True)
    exponents = float(level) * nearest_floats([bound.distance for bound in bounds])
    scales = nearest_floats(lefts)
    ratios = np.exp(np.minimum(exponents, _MOST_LOG)) * nearest_floats(rights) / scales
    places = np.array(first), np.array(second)
    excesses = scales[:, None] * np.maximum(found.matrix[places[0]] - ratios[:, None] * found.matrix[places[1]], 0.0)
    shares = [_share(bound, excess) for bound, excess in zip(bounds, excesses, strict=True)]
    rows = Ratios(len(found.matrix), *places, ratios, np.array(shares) / scales[:, None])
    is_apart = found.matrix.size >= _LARGE or rows.farthest > _FAR
    kept = rows.kept_by(found.matrix) if is_apart else None
    if kept is None:
        return found
    known = found.solution.block_multipliers
    nothing = np.zeros(found.matrix.shape[1])
    weights = np.array([np.maximum(known.get(("ratio", i), nothing), 0.0) for i in range(len(bounds))])
    weights *= scales[:, None]
    prices = np.array([-found.solution.multipliers["row", x] for x in range(len(kept))])
    law = sum(found.multiplier("point", j) * point for j, point in enumerate(program.points))
    values = np.asarray(law)[:, None] * program.cost - prices[:, None]
    np.add.at(values, rows.first, weights)
    np.subtract.at(values, rows.second, ratios[:, None] * weights)
    weights = rows.balanced(weights, values) / scales[:, None]
    blocks = dict(known) | {("ratio", i): block for i, block in enumerate(weights)}
    return replace(found, matrix=kept, solution=replace(found.solution, block_multipliers=blocks))


def _share(bound: RatioBound, excesses: Floats) -> Floats:
    """Return what each output may take of the slack of a bound: all of it, or its share of the sum over events."""
    slack, total = float(bound.slack), excesses.sum()
    if not bound.events:
        return np.full(excesses.size, slack)
    shared: Floats = excesses * min(1.0, slack / total if total > 0 else 1.0)
    return shared
