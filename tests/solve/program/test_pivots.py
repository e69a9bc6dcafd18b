"""The dual simplex method in balls against the two-phase simplex method, and against what its multipliers prove."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest

from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact_linear import Infeasible, LinearSystem, Optimum
from epstar.solve.program.exact import ExactOptimum, ExactProgram, Impossible
from epstar.solve.program.model import Basis

INPUTS, OUTPUTS = 3, 4
Rows = list[list[Rational]]


def number(generator: random.Random, digits: int = 0) -> Rational:
    return Rational(generator.randint(-6, 6), generator.randint(1, 4)) * Rational(10) ** generator.randint(
        -digits, digits
    )


def table(generator: random.Random, digits: int = 0) -> Rows:
    return [[number(generator, digits) for _ in range(OUTPUTS)] for _ in range(INPUTS)]


def flat(rows: Sequence[Sequence[Rational]]) -> list[Rational]:
    return [value for row in rows for value in row]


def rows_are_laws() -> tuple[tuple[Rational, ...], ...]:
    units = [[ONE if x == row else ZERO for x in range(INPUTS) for _ in range(OUTPUTS)] for row in range(INPUTS)]
    return tuple(tuple(unit) for unit in units)


def program_of(cost: Rows | None) -> ExactProgram:
    """Minimise a cost of rows that are laws, or a free variable that comes after their entries."""
    program = ExactProgram()
    program.variables(INPUTS * OUTPUTS)
    for row in rows_are_laws():
        program.at_most({j: share for j, share in enumerate(row) if share != 0}, ONE, equal=True)
    program.objective = dict(enumerate(flat(cost))) if cost is not None else {}
    if cost is None:
        (worst,) = program.variables(1, -math.inf)
        program.objective = {worst: ONE}
    return program


# The last are beyond the digits to begin with.
@pytest.mark.parametrize(
    ("seed", "digits"), [(seed, digits) for digits, seeds in [(0, 60), (20, 14), (600, 7)] for seed in range(seeds)]
)
def test_the_minimum_is_that_of_the_two_phase_method(seed: int, digits: int) -> None:
    generator = random.Random(seed)
    limits = [(number(generator, digits) + 1, table(generator, digits)) for _ in range(seed % 7)]
    cost = table(generator, digits)
    system = LinearSystem(
        INPUTS * OUTPUTS,
        tuple(tuple(-value for value in flat(rows)) for _, rows in limits),
        tuple(constant for constant, _ in limits),
        rows_are_laws(),
        (ONE,) * INPUTS,
    )
    expected = system.maximise([-value for value in flat(cost)])
    program = program_of(cost)
    # All are known before: the method looks at those that are broken.
    places = [program.at_most({j: -v for j, v in enumerate(flat(rows))}, constant) for constant, rows in limits]
    found = program.pivoted(lambda _: ())
    assert found is not None
    if isinstance(expected, Infeasible):
        assert isinstance(found, Impossible)
        aim = [[ZERO] * OUTPUTS] * INPUTS
    else:
        assert isinstance(found, ExactOptimum)
        assert isinstance(expected, Optimum)
        assert program.value(found) == -expected.value
        assert program.value(found) == dot(found.values, flat(cost))
        aim = cost
    # Weak duality: whatever meets the cuts costs at least what the multipliers say.
    prices = [list(row) for row in aim]
    proven = ZERO
    for place, (constant, rows) in zip(places, limits, strict=True):
        value = found.multipliers[place]
        assert value >= 0
        proven -= value * constant
        prices = [[p - value * c for p, c in zip(*pair, strict=True)] for pair in zip(prices, rows, strict=True)]
    proven += sum((min(row) for row in prices), ZERO)
    assert proven > 0 if isinstance(found, Impossible) else proven == program.value(found)


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_of_several_costs_is_minimised(seed: int) -> None:
    generator = random.Random(seed)
    costs = [table(generator) for _ in range(4)]
    program = program_of(None)
    worst, added = INPUTS * OUTPUTS, list[int]()

    def row_of(rows: Rows) -> int:
        added.append(
            program.at_most({j: value for j, value in enumerate(flat(rows)) if value != 0} | {worst: -ONE}, ZERO)
        )
        return added[-1]

    def broken(optimum: ExactOptimum) -> list[int]:
        # One by one.
        means = [dot(optimum.values[:worst], flat(rows)) for rows in costs]
        dearest = max(range(len(costs)), key=lambda k: means[k])
        return [row_of(costs[dearest])] if means[dearest] > optimum.values[worst] else []

    row_of(costs[0])
    found = program.pivoted(broken)
    assert isinstance(found, ExactOptimum)
    # The same with a variable of its own, kept positive by a large number that is added to all costs.
    shift = Rational(100)
    system = LinearSystem(
        INPUTS * OUTPUTS + 1,
        tuple((*flat(rows), -ONE) for rows in costs),
        (-shift,) * len(costs),
        tuple((*row, ZERO) for row in rows_are_laws()),
        (ONE,) * INPUTS,
    )
    expected = system.maximise([ZERO] * (INPUTS * OUTPUTS) + [-ONE])
    assert isinstance(expected, Optimum)
    assert program.value(found) == -expected.value - shift
    assert program.value(found) == max(dot(found.values[:worst], flat(rows)) for rows in costs)
    assert sum((found.multipliers[row] for row in added), ZERO) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_basis_to_begin_with_changes_the_way_and_not_the_optimum(seed: int) -> None:
    generator = random.Random(seed)
    program = program_of(table(generator))
    for _ in range(4):
        program.at_most({j: value for j, value in enumerate(flat(table(generator))) if value != 0}, ONE)
    found = program.pivoted(lambda _: ())
    if not isinstance(found, ExactOptimum):
        assert isinstance(found, Impossible)
        return
    again = program.pivoted(lambda _: (), found.basis)
    wrong = Basis(found.basis.columns, frozenset(range(INPUTS)) | {INPUTS + 1})
    misled = program.pivoted(lambda _: (), wrong)
    assert isinstance(again, ExactOptimum)
    assert isinstance(misled, ExactOptimum)
    assert again.values == found.values
    assert program.value(misled) == program.value(found)
