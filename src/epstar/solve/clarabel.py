"""Cone programs through Clarabel: the only file that knows it."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse

from epstar.solve.assembly import Assembly, ConeKind, Expression, Solution


def solve_conic(assembly: Assembly, time_limit: float | None = None) -> Solution:
    """Minimise the assembly's objective; `finished` is Clarabel's own claim and proves nothing."""
    width = len(assembly.lower)
    rows = assembly.matrix()
    bounds = np.asarray(assembly.row_bounds)
    equal = np.asarray(assembly.row_equal, dtype=bool)
    bounded = np.flatnonzero(np.isfinite(assembly.lower))
    identity = sparse.csr_matrix(
        (-np.ones(bounded.size), (np.arange(bounded.size), bounded)), shape=(bounded.size, width)
    )
    blocks = [rows[equal], rows[~equal], identity]
    sides = [bounds[equal], bounds[~equal], -np.asarray(assembly.lower)[bounded]]
    cones: list[object] = [clarabel.ZeroConeT(int(equal.sum()))]
    cones.append(clarabel.NonnegativeConeT(int((~equal).sum()) + bounded.size))
    if assembly.cones:
        blocks.append(-_stacked([row for cone in assembly.cones for row in cone.rows], width))
        sides.append(np.zeros(3 * len(assembly.cones)))
        cones.extend(
            clarabel.ExponentialConeT() if cone.kind is ConeKind.EXPONENTIAL else clarabel.PowerConeT(cone.exponent)
            for cone in assembly.cones
        )
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
    outcome = clarabel.DefaultSolver(
        quadratic, assembly.objective_vector(), stacked, np.concatenate(sides), cones, settings
    ).solve()
    multipliers = np.empty(bounds.size)
    dual = np.asarray(outcome.z)
    split = int(equal.sum())
    multipliers[equal] = dual[:split]
    multipliers[~equal] = dual[split : bounds.size]
    triples = dual[bounds.size + bounded.size :].reshape(-1, 3).tolist()
    return Solution(
        values=np.asarray(outcome.x, dtype=np.float64),
        multipliers=assembly.tagged(multipliers),
        cone_multipliers={cone.tag: tuple(t) for cone, t in zip(assembly.cones, triples, strict=True)},
        objective=float(outcome.obj_val),
        finished=outcome.status in (clarabel.SolverStatus.Solved, clarabel.SolverStatus.AlmostSolved),
        message=str(outcome.status),
    )


def _stacked(expressions: list[Expression], width: int) -> sparse.csr_matrix:
    columns = [column for expression in expressions for column in expression]
    values = [value for expression in expressions for value in expression.values()]
    starts = np.cumsum([0, *(len(expression) for expression in expressions)])
    return sparse.csr_matrix((values, columns, starts), shape=(len(expressions), width))
