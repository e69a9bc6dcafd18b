"""Supporting columns: where to take the tangents of smooth sums on outputs that an optimum hardly ever gives."""

from __future__ import annotations

import numpy as np

from epstar.deadline import is_time_over
from epstar.solve.program.newton_systems import Floats
from epstar.solve.program.smooth_program import Iterate, StandardForm

# Barriers of the supporting columns, in units of the objective; at least and at most as many steps are taken for each,
# until none changes an entry by a larger share.
_BARRIERS = 10.0 ** -np.arange(2, 16)
_FEW_STEPS, _STEPS_PER_BARRIER, _SETTLED = 3, 24, 0.1
# The share of its trace at which a system is no longer told from a singular one.
_RIDGE = 1e-15


def supporting_columns(program: StandardForm, at: Iterate) -> Floats:
    """Return for each output the column, as a law, whose cost with all bounds, less the row prices, is least.

    There the tangents of the bounds are steepest where it matters: no entry of the output costs less than its row price
    by more than the least value itself. Newton's method on a barrier, for all outputs at once; where roundings lead it
    away, the column with the best entries is kept.
    """
    moving, curves = program.moving, program.curves
    scale = max(1.0, abs(at.objective))
    weights = at.multipliers / scale
    if curves.row_pairs is not None:
        binding = np.flatnonzero(weights[program.count :])
        curves = curves.among(binding)
        weights = np.concatenate([weights[: program.count], weights[program.count :][binding]])
    costs = np.tensordot(weights[: program.count], program.linear, axes=1)
    linear = np.where(moving, costs - program.priced(at.prices) / scale, 0.0)
    columns = np.where(moving, np.maximum(at.table, 1e-300), 0.0)
    columns = np.where(moving, np.maximum(columns / columns.sum(axis=0), 1e-9), 0.0)
    columns /= columns.sum(axis=0)
    own, held = np.arange(len(columns)), moving.T
    relative, kept, highest = np.zeros(columns.shape), columns, np.full(columns.shape[1], -np.inf)
    atoms = curves.weights(weights[program.count :])
    for step, barrier in enumerate(np.repeat(_BARRIERS, _STEPS_PER_BARRIER)):
        if is_time_over():
            break
        if step % _STEPS_PER_BARRIER >= _FEW_STEPS and np.abs(relative).max() < _SETTLED:
            continue
        tangents = curves.at(columns)
        gradient, begin = linear.copy(), 0
        for tangent in tangents:
            gradient += tangent.pushed(atoms[begin : begin + len(tangent.values)])
            begin += len(tangent.values)
        lowest = np.where(moving, gradient, np.inf).min(axis=0)
        kept, highest = np.where(lowest > highest, columns, kept), np.fmax(lowest, highest)
        # In units of the entries themselves, with the sum of the entries kept.
        system = curves.bend(tangents, weights[program.count :]) * columns.T[:, :, None] * columns.T[:, None, :]
        # Entries that always stand together, as those of one secret do, make a system singular but for the barrier.
        ridge = _RIDGE * np.trace(system, axis1=1, axis2=2)[:, None]
        system[:, own, own] += np.where(held, barrier, 1.0) + ridge
        side = np.where(moving, barrier - columns * gradient, 0.0)
        right = np.stack([side.T, columns.T], axis=2)
        free = np.linalg.solve(system, right)
        shift = (columns.T * free[:, :, 0]).sum(axis=1) / (columns.T * free[:, :, 1]).sum(axis=1)
        relative = (free[:, :, 0] - shift[:, None] * free[:, :, 1]).T
        length = np.minimum(1.0, 0.9 / np.maximum(-relative.min(axis=0), 1e-300))
        length = np.minimum(length, 4.0 / np.maximum(relative.max(axis=0), 1e-300))
        columns = columns * (1.0 + length * relative)
        columns /= columns.sum(axis=0)
    return kept
