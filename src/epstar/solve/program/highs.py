"""Linear programs through HiGHS: the only file that knows it.

HiGHS reports row duals as the change of the objective per unit of the bound, so a binding "<=" row of a
minimisation has a dual <= 0; epstar's multipliers are the negatives. `tests/solve/test_signs.py` pins this.
"""

from __future__ import annotations

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from epstar.solve.program.model import Assembly, Basis, Solution

Floats = NDArray[np.float64]

# HiGHS accepts errors of 1e-10 in the units of the program; larger units make them smaller in ours.
_UNITS = 256.0
# An interior-point method may go round in circles for ever; where it gets anywhere, it needs fewer steps.
_MOST_STEPS = 1000
# Programs of more rows take an interior-point method and its crossover about half of the time of the simplex method.
_LONG = 5000
# What it takes to hand a program over and to begin with it.
_SECONDS_PER_ENTRY = 1e-6
_STATUS = highspy.HighsModelStatus
_NO_VERDICT = (_STATUS.kUnknown, _STATUS.kSolveError, _STATUS.kNotset)
# Verdicts that hang on the tolerances as well, where coefficients differ by orders.
_DOUBTFUL = (*_NO_VERDICT, _STATUS.kInfeasible, _STATUS.kUnbounded, _STATUS.kUnboundedOrInfeasible)


def solve_linear(assembly: Assembly, time_limit: float | None = None, start: Basis | None = None) -> Solution:
    """Minimise the assembly's objective.

    Returns the best point found with its multipliers and its basis, which a like program may `start` from. `finished`
    is HiGHS's own claim and proves nothing.
    """
    count, width = assembly.bounds.size, len(assembly.lower)
    if _is_too_long(assembly, time_limit):
        return Solution(np.full(width, np.nan), {}, np.nan, False, "no time", is_cut_short=True)
    solver, status = _run(assembly, time_limit, start)
    solution = solver.getSolution()
    values = np.asarray(solution.col_value, dtype=np.float64) / _UNITS
    multipliers = -np.asarray(solution.row_dual, dtype=np.float64) / _UNITS
    valid = values.size == width and multipliers.size == count
    if not valid:
        values, multipliers = np.full(width, np.nan), np.full(count, np.nan)
    return Solution(
        values=values,
        multipliers=assembly.tagged(multipliers),
        objective=float(solver.getObjectiveValue()) / _UNITS**2,
        # Without a verdict the point may still be good: whoever uses it proves that, or rejects it.
        finished=status == highspy.HighsModelStatus.kOptimal or (status in _NO_VERDICT and valid),
        message=solver.modelStatusToString(status),
        block_multipliers=assembly.tagged_blocks(multipliers),
        is_cut_short=status == highspy.HighsModelStatus.kTimeLimit,
        basis=_basis_of(solver) if status == highspy.HighsModelStatus.kOptimal else None,
    )


def feasible_point(matrix: sparse.csr_matrix, lower: Floats, upper: Floats, time_limit: float | None) -> Floats | None:
    """Return a point x with about x >= 0 and lower <= matrix x <= upper, None if there seems to be none.

    It comes from the middle of the polyhedron, which an interior-point method reaches long before a corner.
    """
    solver = _solver(time_limit)
    for name, value in (("solver", "ipm"), ("run_crossover", "off"), ("presolve", "off")):
        solver.setOptionValue(name, value)
    # Nothing is minimised, so that the multipliers need no digits.
    solver.setOptionValue("ipm_optimality_tolerance", 1e-6)
    solver.passModel(_model(matrix, lower * _UNITS, upper * _UNITS))
    solver.run()
    point = np.asarray(solver.getSolution().col_value, dtype=np.float64) / _UNITS
    is_none = solver.getModelStatus() == _STATUS.kInfeasible
    return None if is_none or point.size != matrix.shape[1] or not np.isfinite(point).all() else point


def _basis_of(solver: highspy.Highs) -> Basis | None:
    basis = solver.getBasis()
    if not basis.valid:
        return None
    basic = highspy.HighsBasisStatus.kBasic
    columns = frozenset(j for j, entry in enumerate(basis.col_status) if entry == basic)
    return Basis(columns, frozenset(i for i, entry in enumerate(basis.row_status) if entry != basic))


def _is_too_long(assembly: Assembly, time_limit: float | None) -> bool:
    """Return whether handing a program over takes all the time there is, in which HiGHS looks at no clock."""
    return time_limit is not None and assembly.entries * _SECONDS_PER_ENTRY > time_limit


def _run(
    assembly: Assembly, time_limit: float | None, start: Basis | None = None
) -> tuple[highspy.Highs, highspy.HighsModelStatus]:
    """Minimise the assembly's objective and return the solver, which holds the outcome, with its verdict."""
    assembly.reserve()
    matrix = assembly.matrix()
    bounds = assembly.bounds * _UNITS
    model = _model(matrix, np.where(assembly.is_equal, bounds, -highspy.kHighsInf), bounds)
    model.col_cost_ = assembly.objective_vector() * _UNITS
    model.col_lower_ = np.maximum(np.array(assembly.lower) * _UNITS, -highspy.kHighsInf)
    solver = _solver(time_limit)
    solver.passModel(model)
    if start is not None:
        solver.setBasis(_basis(start, model.num_row_, model.num_col_))
    # On nearly degenerate programs the first way may stop without a verdict, or a wrong one; the others rarely do.
    is_long = start is None and model.num_row_ > _LONG
    for name, value in (("solver", "ipm" if is_long else "choose"), ("presolve", "off"), ("solver", "ipm")):
        solver.setOptionValue(name, value)
        solver.run()
        status = solver.getModelStatus()
        if status not in _DOUBTFUL:
            break
        solver.clearSolver()
    return solver, status


def _basis(basis: Basis, rows: int, columns: int) -> highspy.HighsBasis:
    status = highspy.HighsBasisStatus
    found = highspy.HighsBasis()
    found.col_status = [status.kBasic if j in basis.columns else status.kLower for j in range(columns)]
    found.row_status = [status.kUpper if i in basis.tight_rows else status.kBasic for i in range(rows)]
    found.valid = True
    return found


def _solver(time_limit: float | None) -> highspy.Highs:
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
    solver.setOptionValue("small_matrix_value", 1e-12)
    solver.setOptionValue("ipm_iteration_limit", _MOST_STEPS)
    if time_limit is not None:
        solver.setOptionValue("time_limit", max(0.01, time_limit))
    return solver


def _model(matrix: sparse.csr_matrix, lower: Floats, upper: Floats) -> highspy.HighsLp:
    """Return the program lower <= matrix x <= upper, x >= 0, without an objective."""
    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = matrix.shape
    model.col_cost_ = model.col_lower_ = np.zeros(matrix.shape[1])
    model.col_upper_ = np.full(matrix.shape[1], highspy.kHighsInf)
    model.row_lower_, model.row_upper_ = lower, upper
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data
    return model
