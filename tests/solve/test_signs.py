"""The sign conventions of the two solvers, pinned on programs whose multipliers are known by hand.

An assembly promises: multipliers of "<=" rows of a minimisation are non-negative and satisfy
objective = -(multipliers . bounds) where all variables are bounded by rows and zero lower bounds only; those of
equality rows are free with the same orientation; those of a cone lie in its dual cone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from epstar.solve.program.clarabel import solve_conic
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly, ConeKind, Cones, Solution

Solver = Callable[[Assembly, float | None], Solution]
both = pytest.mark.parametrize("solver", [solve_linear, solve_conic], ids=["highs", "clarabel"])


@both
def test_a_binding_row_has_a_positive_multiplier(solver: Solver) -> None:
    """minimise -2a under a <= 3: one more unit of the bound is worth 2."""
    program = Assembly()
    a = program.variable()
    program.objective = {a: -2.0}
    program.at_most({a: 1.0}, 3.0, "bound")
    solution = solver(program, None)
    assert solution.finished
    assert solution.objective == pytest.approx(-6.0, abs=1e-8)
    assert solution.multipliers["bound"] == pytest.approx(2.0, abs=1e-8)


@both
def test_a_loose_row_has_none(solver: Solver) -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: 1.0}
    program.at_most({a: 1.0}, 3.0, "loose")
    program.at_most({a: -1.0}, -1.0, "binding")
    solution = solver(program, None)
    assert solution.multipliers["loose"] == pytest.approx(0.0, abs=1e-8)
    assert solution.multipliers["binding"] == pytest.approx(1.0, abs=1e-8)


@both
@pytest.mark.parametrize(("cost", "expected"), [(5.0, -5.0), (-5.0, 5.0)])
def test_an_equality_row_has_minus_the_price_of_its_bound(solver: Solver, cost: float, expected: float) -> None:
    """minimise c a under a = 2: the Lagrangian c a + m (a - 2) is stationary at m = -c."""
    program = Assembly()
    a = program.variable(-math.inf)
    program.objective = {a: cost}
    program.equal({a: 1.0}, 2.0, "fixed")
    solution = solver(program, None)
    assert solution.objective == pytest.approx(2 * cost, abs=1e-8)
    assert solution.multipliers["fixed"] == pytest.approx(expected, abs=1e-8)


@both
def test_strong_duality_on_a_small_program(solver: Solver) -> None:
    """minimise 3a + 2b under a + b = 1, b <= 1/4: worth 11/4, with multipliers -3 and 1."""
    program = Assembly()
    a, b = program.variables(2)
    program.objective = {a: 3.0, b: 2.0}
    program.equal({a: 1.0, b: 1.0}, 1.0, "total")
    program.at_most({b: 1.0}, 0.25, "most")
    solution = solver(program, None)
    assert solution.values.tolist() == pytest.approx([0.75, 0.25], abs=1e-8)
    assert solution.multipliers["total"] == pytest.approx(-3.0, abs=1e-8)
    assert solution.multipliers["most"] == pytest.approx(1.0, abs=1e-8)
    dual = -(solution.multipliers["total"] * 1.0 + solution.multipliers["most"] * 0.25)
    assert dual == pytest.approx(solution.objective, abs=1e-8)


@both
def test_only_tagged_rows_are_reported(solver: Solver) -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: -1.0}
    program.at_most({a: 1.0}, 1.0)
    program.at_most({a: 1.0}, 2.0, ("named", 3))
    assert set(solver(program, None).multipliers) == {("named", 3)}


@both
@pytest.mark.parametrize("bound", [1e-6, 1.0, 1e6])
def test_units_do_not_change_what_is_reported(solver: Solver, bound: float) -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: -1.0}
    program.at_most({a: 1.0}, bound, "bound")
    solution = solver(program, None)
    assert solution.objective == pytest.approx(-bound, rel=1e-6)
    assert solution.multipliers["bound"] == pytest.approx(1.0, rel=1e-6)


@both
def test_infeasible_and_unbounded_programs_are_not_called_finished(solver: Solver) -> None:
    infeasible = Assembly()
    a = infeasible.variable()
    infeasible.at_most({a: 1.0}, -1.0, "impossible")
    assert not solver(infeasible, None).finished
    unbounded = Assembly()
    b = unbounded.variable()
    unbounded.objective = {b: -1.0}
    unbounded.at_most({b: -1.0}, 0.0, "useless")
    assert not solver(unbounded, None).finished


def _cone(
    kind: ConeKind,
    variables: tuple[int, int, int],
    factors: tuple[float, float, float] = (1.0, 1.0, 1.0),
    exponent: float = 0.0,
) -> Cones:
    return Cones(kind, np.array([variables]), np.array([factors]), "cone", exponent)


def test_the_exponential_cone() -> None:
    """minimise c with a = 1, b = 1 and b exp(a/b) <= c: c = e, and the plane there is -e a + 0 b + c >= 0."""
    program = Assembly()
    a, b, c = program.variables(3, -math.inf)
    program.objective = {c: 1.0}
    program.equal({a: 1.0}, 1.0, "a")
    program.equal({b: 1.0}, 1.0, "b")
    program.cones.append(_cone(ConeKind.EXPONENTIAL, (a, b, c)))
    solution = solve_conic(program)
    ((u, v, w),) = solution.cone_multipliers["cone"]
    assert solution.objective == pytest.approx(math.e, abs=1e-7)
    assert (u, v, w) == pytest.approx((-math.e, 0.0, 1.0), abs=1e-6)
    # A member of the dual cone is never negative on the cone.
    assert all(u * x + v * y + w * y * math.exp(x / y) >= -1e-6 for x in (-2.0, 0.0, 1.0, 2.0) for y in (0.5, 1.0, 3.0))
    assert solution.multipliers["a"] == pytest.approx(-math.e, abs=1e-6)


def test_relative_entropy_by_the_exponential_cone() -> None:
    """With a = -t, b = left, c = right the cone says t >= left log(left/right); its slope is w / -u."""
    left, right = 0.6, 0.2
    program = Assembly()
    t, p, q = program.variables(3, -math.inf)
    program.objective = {t: 1.0}
    program.equal({p: 1.0}, left)
    program.equal({q: 1.0}, right)
    program.cones.append(_cone(ConeKind.EXPONENTIAL, (t, p, q), (-1.0, 1.0, 1.0)))
    solution = solve_conic(program)
    ((u, _, w),) = solution.cone_multipliers["cone"]
    assert solution.objective == pytest.approx(left * math.log(left / right), abs=1e-8)
    assert w / -u == pytest.approx(left / right, rel=1e-4)


@pytest.mark.parametrize("exponent", [0.2, 0.5, 2 / 3])
def test_the_power_cone(exponent: float) -> None:
    """maximise c under a^p b^(1-p) >= |c| at a = 2, b = 3: the plane's coefficients are the gradient's."""
    program = Assembly()
    a, b, c = program.variables(3, -math.inf)
    program.objective = {c: -1.0}
    program.equal({a: 1.0}, 2.0)
    program.equal({b: 1.0}, 3.0)
    program.cones.append(_cone(ConeKind.POWER, (a, b, c), exponent=exponent))
    solution = solve_conic(program)
    value = 2.0**exponent * 3.0 ** (1 - exponent)
    ((u, v, w),) = solution.cone_multipliers["cone"]
    assert solution.objective == pytest.approx(-value, abs=1e-7)
    assert (u, v, w) == pytest.approx((exponent * value / 2, (1 - exponent) * value / 3, -1.0), abs=1e-6)


def test_rows_and_cones_keep_their_multipliers_apart() -> None:
    """minimise c + 2d under c >= e^a, a >= 1 and d >= 3, the rows added in mixed order."""
    program = Assembly()
    a, b, c = program.variables(3, -math.inf)
    d = program.variable()
    program.objective = {c: 1.0, d: 2.0}
    program.at_most({d: -1.0}, -3.0, "d")
    program.equal({b: 1.0}, 1.0, "b")
    program.cones.append(_cone(ConeKind.EXPONENTIAL, (a, b, c)))
    program.at_most({a: -1.0}, -1.0, "a")
    solution = solve_conic(program)
    assert solution.objective == pytest.approx(math.e + 6, abs=1e-7)
    assert solution.multipliers["d"] == pytest.approx(2.0, abs=1e-6)
    assert solution.multipliers["a"] == pytest.approx(math.e, abs=1e-4)


@both
def test_a_time_limit_is_kept(solver: Solver) -> None:
    program = Assembly()
    a = program.variable()
    program.objective = {a: 1.0}
    program.at_most({a: -1.0}, -1.0, "row")
    assert solver(program, 1e-9).values.shape == (1,)


@both
def test_rows_added_together_are_rows_added_one_by_one(solver: Solver) -> None:
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
    single, block = solver(one_by_one, None), solver(together, None)
    assert block.objective == pytest.approx(3.0 + 1.5 + 0.5, abs=1e-7)
    assert single.objective == pytest.approx(block.objective, abs=1e-7)
    for tag in ("block", "fixed"):
        listed = [single.multipliers[tag, k] for k in range(3)]
        assert block.block_multipliers[tag] == pytest.approx(listed, abs=1e-6)
    assert block.block_multipliers["block"] == pytest.approx([3.0, 0.5, 0.5], abs=1e-6)
