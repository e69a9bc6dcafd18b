"""The exact simplex method: right optimum, valid certificate, on degenerate and redundant systems too."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from epstar.exact import Rational, dot, fraction, rationals
from epstar.exact_linear import Infeasible, LinearSystem, Optimum, Unbounded

small = st.integers(-3, 3)


@st.composite
def systems(draw: st.DrawFn) -> tuple[LinearSystem, tuple[Rational, ...]]:
    columns = draw(st.integers(1, 5))
    row = st.lists(small, min_size=columns, max_size=columns).map(rationals)
    matrix = draw(st.lists(row, max_size=5))
    equalities = draw(st.lists(row, max_size=3))
    # Repeated rows make the system redundant, and small integers make it degenerate.
    redundant: bool = draw(st.booleans())
    if matrix and redundant:
        matrix = [*matrix, matrix[0]]
    if equalities and redundant:
        equalities = [*equalities, tuple(2 * entry for entry in equalities[0])]
    bounds = rationals(draw(st.lists(small, min_size=len(matrix), max_size=len(matrix))))
    targets = rationals(draw(st.lists(small, min_size=len(equalities), max_size=len(equalities))))
    cost = draw(row)
    return LinearSystem(columns, tuple(matrix), bounds, tuple(equalities), targets), cost


def in_set(system: LinearSystem, point: tuple[Rational, ...]) -> bool:
    return (
        all(entry >= 0 for entry in point)
        and all(dot(row, point) <= b for row, b in zip(system.matrix, system.bounds, strict=True))
        and all(dot(row, point) == b for row, b in zip(system.equalities, system.equality_bounds, strict=True))
    )


def combined(system: LinearSystem, found: Optimum | Infeasible) -> tuple[list[Rational], Rational]:
    multipliers = (*found.multipliers, *found.equality_multipliers)
    rows = (*system.matrix, *system.equalities)
    coefficients = [dot(multipliers, [row[k] for row in rows]) for k in range(system.columns)]
    return coefficients, dot(multipliers, (*system.bounds, *system.equality_bounds))


def check(system: LinearSystem, cost: tuple[Rational, ...], found: Optimum | Infeasible | Unbounded) -> None:
    """Verify the outcome from its certificate alone."""
    if isinstance(found, Unbounded):
        assert in_set(system, found.point)
        assert all(entry >= 0 for entry in found.ray)
        assert all(dot(row, found.ray) <= 0 for row in system.matrix)
        assert all(dot(row, found.ray) == 0 for row in system.equalities)
        assert dot(cost, found.ray) > 0
        return
    coefficients, bound = combined(system, found)
    assert all(multiplier >= 0 for multiplier in found.multipliers)
    if isinstance(found, Infeasible):
        assert all(entry >= 0 for entry in coefficients)
        assert bound < 0
    else:
        assert in_set(system, found.point)
        assert all(a >= c for a, c in zip(coefficients, cost, strict=True))
        assert bound == found.value == dot(cost, found.point)


@given(systems())
@settings(deadline=None, max_examples=400)
def test_every_outcome_proves_itself(problem: tuple[LinearSystem, tuple[Rational, ...]]) -> None:
    system, cost = problem
    found = system.maximise(cost)
    check(system, cost, found)
    assert isinstance(system.feasible(), Infeasible) == isinstance(found, Infeasible)


@given(systems())
@settings(deadline=None, max_examples=60)
def test_the_status_and_value_agree_with_highs(problem: tuple[LinearSystem, tuple[Rational, ...]]) -> None:
    system, cost = problem
    found = system.maximise(cost)

    def floats(rows: tuple[tuple[Rational, ...], ...]) -> np.ndarray | None:
        return np.array([[float(fraction(a)) for a in row] for row in rows]) if rows else None

    answer = linprog(
        [-float(fraction(c)) for c in cost],
        A_ub=floats(system.matrix),
        b_ub=[float(fraction(b)) for b in system.bounds] or None,
        A_eq=floats(system.equalities),
        b_eq=[float(fraction(b)) for b in system.equality_bounds] or None,
        method="highs-ds",
        options={"presolve": False},
    )
    expected = {0: Optimum, 2: Infeasible, 3: Unbounded}[answer.status]
    assert isinstance(found, expected)
    if isinstance(found, Optimum):
        assert abs(float(fraction(found.value)) + answer.fun) < 1e-9


def test_beales_example_does_not_cycle() -> None:
    system = LinearSystem(
        4,
        (
            rationals(["1/4", -60, "-1/25", 9]),
            rationals(["1/2", -90, "-1/50", 3]),
            rationals([0, 0, 1, 0]),
        ),
        rationals([0, 0, 1]),
    )
    cost = rationals(["3/4", -150, "1/50", -6])
    found = system.maximise(cost)
    assert isinstance(found, Optimum)
    assert found.value == Rational(1, 20)
    check(system, cost, found)


def test_a_klee_minty_cube() -> None:
    n = 6
    rows = [[2 * 10 ** (i - j) if j < i else int(i == j) for j in range(n)] for i in range(n)]
    system = LinearSystem(n, tuple(map(rationals, rows)), rationals([100**i for i in range(n)]))
    cost = rationals([10 ** (n - 1 - j) for j in range(n)])
    found = system.maximise(cost)
    assert isinstance(found, Optimum)
    assert found.value == 100 ** (n - 1)
    check(system, cost, found)


def test_many_costs_over_one_system_do_not_disturb_each_other() -> None:
    system = LinearSystem(3, (rationals([1, 1, 0]),), rationals(["1/2"]), (rationals([1, 1, 1]),), rationals([1]))
    costs = [rationals(c) for c in ([1, 0, 0], [0, 0, 1], [1, 2, 3], [1, 0, 0])]
    values = []
    for cost in costs:
        found = system.maximise(cost)
        check(system, cost, found)
        assert isinstance(found, Optimum)
        values.append(fraction(found.value))
    assert values == [Fraction(1, 2), 1, 3, Fraction(1, 2)]


def test_a_system_without_rows() -> None:
    system = LinearSystem(2, (), ())
    assert isinstance(system.maximise(rationals([-1, 0])), Optimum)
    assert isinstance(system.maximise(rationals([-1, 1])), Unbounded)
