"""Ratio bounds between rows, which floats lose where inputs are far apart: from a notion to `closure`, and back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from epstar.exact import Real
from epstar.notions.constraints import Constraints
from epstar.reading import nearest_floats
from epstar.solve.methods.closure import Ratios
from epstar.solve.programs.program import Found, Program

_LARGE = 400
# The largest exponent that floats hold.
_MOST_LOG = 700.0


def kept_to_ratios(found: Found, program: Program, constraints: Constraints, level: Real | None) -> Found:
    """Return a large mechanism and its multipliers with the ratio bounds between rows kept where floats lose them.

    A small one is a corner, whose exact numbers may be recognised.
    """
    bounds = constraints.ratios
    is_plain = all(len(b.left) == len(b.right) == 1 and b.slack == 0 for b in bounds)
    if level is None or not bounds or not is_plain or found.matrix.size < _LARGE:
        return found
    first, lefts = zip(*(next(iter(bound.left.items())) for bound in bounds), strict=True)
    second, rights = zip(*(next(iter(bound.right.items())) for bound in bounds), strict=True)
    exponents = float(level) * nearest_floats([bound.distance for bound in bounds])
    scales = nearest_floats(lefts)
    ratios = np.exp(np.minimum(exponents, _MOST_LOG)) * nearest_floats(rights) / scales
    rows = Ratios(np.array(first), np.array(second), ratios)
    kept = rows.kept_by(found.matrix)
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
