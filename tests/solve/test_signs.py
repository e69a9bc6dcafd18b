"""The sign conventions of the linear solver, pinned on programs whose multipliers are known by hand.

An assembly promises: multipliers of "<=" rows of a minimisation are non-negative and satisfy
objective = -(multipliers . bounds) where all variables are bounded by rows and zero lower bounds only; those of
equality rows are free with the same orientation.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly


def test_a_binding_row_has_a_positive_multiplier() -> None:
    """minimise -2a under a <= 3: one more unit of the bound is worth 2."""
    program = Assembly()
    a = program.variable()
    program.objective = {a: -2.0}
    program.at_most({a: 1.0}, 3.0, "bound")
    solution = solve_linear(program, None)
    assert solution.finished
    assert solution.objective == pytest.approx(-6.0, abs=1e-8)
    assert solution.multipliers["bound"] == pytest.approx(2.0, abs=1e-8)


def test_a_loose_row_has_none() -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: 1.0}
    program.at_most({a: 1.0}, 3.0, "loose")
    program.at_most({a: -1.0}, -1.0, "binding")
    solution = solve_linear(program, None)
    assert solution.multipliers["loose"] == pytest.approx(0.0, abs=1e-8)
    assert solution.multipliers["binding"] == pytest.approx(1.0, abs=1e-8)


@pytest.mark.parametrize(("cost", "expected"), [(5.0, -5.0), (-5.0, 5.0)])
def test_an_equality_row_has_minus_the_price_of_its_bound(cost: float, expected: float) -> None:
    """minimise c a under a = 2: the Lagrangian c a + m (a - 2) is stationary at m = -c."""
    program = Assembly()
    a = program.variable(-math.inf)
    program.objective = {a: cost}
    program.equal({a: 1.0}, 2.0, "fixed")
    solution = solve_linear(program, None)
    assert solution.objective == pytest.approx(2 * cost, abs=1e-8)
    assert solution.multipliers["fixed"] == pytest.approx(expected, abs=1e-8)


def test_strong_duality_on_a_small_program() -> None:
    """minimise 3a + 2b under a + b = 1, b <= 1/4: worth 11/4, with multipliers -3 and 1."""
    program = Assembly()
    a, b = program.variables(2)
    program.objective = {a: 3.0, b: 2.0}
    program.equal({a: 1.0, b: 1.0}, 1.0, "total")
    program.at_most({b: 1.0}, 0.25, "most")
    solution = solve_linear(program, None)
    assert solution.values.tolist() == pytest.approx([0.75, 0.25], abs=1e-8)
    assert solution.multipliers["total"] == pytest.approx(-3.0, abs=1e-8)
    assert solution.multipliers["most"] == pytest.approx(1.0, abs=1e-8)
    dual = -(solution.multipliers["total"] * 1.0 + solution.multipliers["most"] * 0.25)
    assert dual == pytest.approx(solution.objective, abs=1e-8)


def test_only_tagged_rows_are_reported() -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: -1.0}
    program.at_most({a: 1.0}, 1.0)
    program.at_most({a: 1.0}, 2.0, ("named", 3))
    assert set(solve_linear(program, None).multipliers) == {("named", 3)}


@pytest.mark.parametrize("bound", [1e-6, 1.0, 1e6])
def test_units_do_not_change_what_is_reported(bound: float) -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: -1.0}
    program.at_most({a: 1.0}, bound, "bound")
    solution = solve_linear(program, None)
    assert solution.objective == pytest.approx(-bound, rel=1e-6)
    assert solution.multipliers["bound"] == pytest.approx(1.0, rel=1e-6)


def test_infeasible_and_unbounded_programs_are_not_called_finished() -> None:
    infeasible = Assembly()
    a = infeasible.variable()
    infeasible.at_most({a: 1.0}, -1.0, "impossible")
    assert not solve_linear(infeasible, None).finished
    unbounded = Assembly()
    b = unbounded.variable()
    unbounded.objective = {b: -1.0}
    unbounded.at_most({b: -1.0}, 0.0, "useless")
    assert not solve_linear(unbounded, None).finished


def test_a_time_limit_is_kept() -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: 1.0}
    program.at_most({a: -1.0}, -1.0, "row")
    assert solve_linear(program, 1e-9).values.shape == (1,)


def test_rows_added_together_are_rows_added_one_by_one() -> None:
    costs, weights = [3.0, 1.0, 2.0], [1.0, 2.0, 4.0]
    one_by_one, together = Assembly(), Assembly()
    for program in (one_by_one, together):
        x, y = np.asarray(program.variables(3)), np.asarray(program.variables(3))
        program.objective = dict(zip(x.tolist(), costs, strict=True))
        if program is together:
            program.all_at_most((x, np.negative(weights)), (y, [0.0, 1.0, 0.0]), bound=-1.0, tag="block")
            program.all_equal((y, 1.0), bound=2.0, tag="fixed")
        else:
            for k in range(3):
                program.at_most({int(x[k]): -weights[k]} | ({int(y[k]): 1.0} if k == 1 else {}), -1.0, ("block", k))
                program.equal({int(y[k]): 1.0}, 2.0, ("fixed", k))
    single, block = solve_linear(one_by_one, None), solve_linear(together, None)
    assert block.objective == pytest.approx(3.0 + 1.5 + 0.5, abs=1e-7)
    assert single.objective == pytest.approx(block.objective, abs=1e-7)
    for tag in ("block", "fixed"):
        listed = [single.multipliers[tag, k] for k in range(3)]
        assert block.block_multipliers[tag] == pytest.approx(listed, abs=1e-6)
    assert block.block_multipliers["block"] == pytest.approx([3.0, 0.5, 0.5], abs=1e-6)
