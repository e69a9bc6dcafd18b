"""Cone programs through Clarabel: the only file that knows it."""

from __future__ import annotations

from collections.abc import Hashable

import clarabel
import numpy as np
from scipy import sparse

from epstar.solve.program.model import Assembly, ConeKind, Cones, Floats, Solution

# Shares of the way to the boundary that a step goes; shorter ones go on where long ones end without progress.
_STEPS = (0.99, 0.9)


def solve_conic(assembly: Assembly, time_limit: float | None = None) -> Solution:
    """Minimise the assembly's objective; `finished` is Clarabel's own claim and proves nothing."""
    width = len(assembly.lower)
    rows = assembly.matrix()
    bounds, equal, lower = assembly.bounds, assembly.is_equal, np.array(assembly.lower)
    bounded = np.flatnonzero(np.isfinite(lower))
    identity = sparse.csr_matrix(
        (-np.ones(bounded.size), (np.arange(bounded.size), bounded)), shape=(bounded.size, width)
    )
    blocks = [rows[equal], rows[~equal], identity]
    sides = [bounds[equal], bounds[~equal], -lower[bounded]]
    cones: list[object] = [clarabel.ZeroConeT(int(equal.sum()))]
    cones.append(clarabel.NonnegativeConeT(int((~equal).sum()) + bounded.size))
    for block in assembly.cones:
        blocks.append(_rows(block, width))
        sides.append(np.zeros(block.columns.size))
        is_exponential = block.kind is ConeKind.EXPONENTIAL
        cone = clarabel.ExponentialConeT() if is_exponential else clarabel.PowerConeT(block.exponent)
        cones.extend([cone] * len(block.columns))
    assembly.reserve()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 400
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    settings.reduced_tol_gap_abs = settings.reduced_tol_gap_rel = settings.reduced_tol_feas = 1e-7
    if time_limit is not None:
        settings.time_limit = max(0.01, time_limit)
    quadratic = sparse.csc_matrix((width, width))
    stacked = sparse.csc_matrix(sparse.vstack(blocks))
    objective, limits = assembly.objective_vector(), np.concatenate(sides)
    for fraction in _STEPS:
        settings.max_step_fraction = fraction
        outcome = clarabel.DefaultSolver(quadratic, objective, stacked, limits, cones, settings).solve()
        if outcome.status != clarabel.SolverStatus.InsufficientProgress:
            break
    multipliers = np.empty(bounds.size)
    dual = np.asarray(outcome.z)
    split = int(equal.sum())
    multipliers[equal] = dual[:split]
    multipliers[~equal] = dual[split : bounds.size]
    triples = dual[bounds.size + bounded.size :].reshape(-1, 3)
    return Solution(
        values=np.asarray(outcome.x, dtype=np.float64),
        multipliers=assembly.tagged(multipliers),
        cone_multipliers=_by_tag(assembly.cones, triples),
        objective=float(outcome.obj_val),
        finished=outcome.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved),
        message=str(outcome.status),
        block_multipliers=assembly.tagged_blocks(multipliers),
        is_cut_short=outcome.status == clarabel.SolverStatus.MaxTime,
        precision=1e-11,
    )


def _rows(cones: Cones, width: int) -> sparse.csr_matrix:
    """Return the rows of some cones, negated as Clarabel has them: a single entry in each."""
    starts = np.arange(cones.columns.size + 1)
    return sparse.csr_matrix((-cones.values.ravel(), cones.columns.ravel(), starts), shape=(cones.columns.size, width))


def _by_tag(cones: list[Cones], triples: Floats) -> dict[Hashable, Floats]:
    ends = np.cumsum([len(block.columns) for block in cones])
    return {block.tag: triples[end - len(block.columns) : end] for block, end in zip(cones, ends, strict=True)}
