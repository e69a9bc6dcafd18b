"""Linear programs through HiGHS: the only file that knows it.

HiGHS reports row duals as the change of the objective per unit of the bound, so a binding "<=" row of a
minimisation has a dual <= 0; epstar's multipliers are the negatives. `tests/solve/test_signs.py` pins this.
"""

from __future__ import annotations

import highspy
import numpy as np

from epstar.solve.assembly import Assembly, Solution


def solve_linear(assembly: Assembly, time_limit: float | None = None) -> Solution:
    """Minimise the assembly's objective; the assembly must have no cones.

    Returns the best point found with its multipliers. `finished` is HiGHS's own claim and proves nothing.
    """
    matrix = assembly.matrix()
    count, width = matrix.shape
    bounds = np.asarray(assembly.row_bounds)
    infinity = highspy.kHighsInf
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = width, count
    model.col_cost_ = assembly.objective_vector()
    model.col_lower_ = np.maximum(np.asarray(assembly.lower), -infinity)
    model.col_upper_ = np.full(width, infinity)
    model.row_lower_ = np.where(assembly.row_equal, bounds, -infinity)
    model.row_upper_ = bounds
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = matrix.indptr
    model.a_matrix_.index_ = matrix.indices
    model.a_matrix_.value_ = matrix.data

    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    solver.setOptionValue("primal_feasibility_tolerance", 1e-10)
    solver.setOptionValue("dual_feasibility_tolerance", 1e-10)
    solver.setOptionValue("small_matrix_value", 1e-12)
    if time_limit is not None:
        solver.setOptionValue("time_limit", max(0.01, time_limit))
    solver.passModel(model)
    solver.run()
    status = solver.getModelStatus()
    solution = solver.getSolution()
    values = np.asarray(solution.col_value, dtype=np.float64)
    multipliers = -np.asarray(solution.row_dual, dtype=np.float64)
    if values.size != width or multipliers.size != count:
        values, multipliers = np.full(width, np.nan), np.full(count, np.nan)
    return Solution(
        values=values,
        multipliers=assembly.tagged(multipliers),
        cone_multipliers={},
        objective=float(solver.getObjectiveValue()),
        finished=status == highspy.HighsModelStatus.kOptimal,
        message=solver.modelStatusToString(status),
    )
