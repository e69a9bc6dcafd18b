"""The dual simplex method with cuts against the two-phase simplex method, and against what its multipliers prove."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from epstar.exact import ONE, ZERO, Rational, dot
from epstar.exact_linear import Infeasible, LinearSystem, Optimum
from epstar.solve.program.cuts import Corner, Cut, CutProgram

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


def cut(name: str, constant: Rational, coefficients: Rows, worst: bool = False) -> Cut:
    entries = {(x, y): coefficients[x][y] for x in range(INPUTS) for y in range(OUTPUTS)}
    return Cut(name, constant, entries, worst)


def broken(cuts: Sequence[Cut], program: CutProgram) -> list[Cut]:
    """The first cut that the mechanism breaks: cuts then come one by one."""
    rows = program.mechanism()
    for known in cuts:
        value = known.constant + sum((c * rows[x][y] for (x, y), c in known.coefficients.items()), ZERO)
        if value + (program.value if known.worst else ZERO) < 0:
            return [known]
    return []


# The last are beyond the digits to begin with.
@pytest.mark.parametrize(
    ("seed", "digits"), [(seed, digits) for digits, seeds in [(0, 60), (20, 14), (600, 7)] for seed in range(seeds)]
)
def test_the_minimum_is_that_of_the_two_phase_method(seed: int, digits: int) -> None:
    generator = random.Random(seed)
    limits = [(number(generator, digits) + 1, table(generator, digits)) for _ in range(seed % 7)]
    cost = table(generator, digits)
    cuts = [cut(str(k), constant, rows) for k, (constant, rows) in enumerate(limits)]
    system = LinearSystem(
        INPUTS * OUTPUTS,
        tuple(tuple(-value for value in flat(rows)) for _, rows in limits),
        tuple(constant for constant, _ in limits),
        rows_are_laws(),
        (ONE,) * INPUTS,
    )
    expected = system.maximise([-value for value in flat(cost)])
    costs = {(x, y): cost[x][y] for x in range(INPUTS) for y in range(OUTPUTS)}
    program = CutProgram([range(OUTPUTS)] * INPUTS, OUTPUTS, costs)
    impossible = program.solve(lambda current: broken(cuts, current))
    if isinstance(expected, Infeasible):
        assert impossible is not None
        multipliers, aim = impossible, [[ZERO] * OUTPUTS] * INPUTS
    else:
        assert impossible is None
        assert isinstance(expected, Optimum)
        assert program.value == -expected.value
        assert program.value == dot(flat(program.mechanism()), flat(cost))
        multipliers, aim = program.multipliers(), cost
    # Weak duality: whatever meets the cuts costs at least what the multipliers say.
    prices = [list(row) for row in aim]
    proven = ZERO
    for name, value in multipliers.items():
        constant, rows = limits[int(str(name))]
        proven -= value * constant
        prices = [[p - value * c for p, c in zip(*pair, strict=True)] for pair in zip(prices, rows, strict=True)]
    proven += sum((min(row) for row in prices), ZERO)
    assert proven > 0 if impossible is not None else proven == program.value


@pytest.mark.parametrize("seed", range(20))
def test_the_largest_of_several_costs_is_minimised(seed: int) -> None:
    generator = random.Random(seed)
    costs = [table(generator) for _ in range(4)]
    cuts = [cut(str(k), ZERO, [[-value for value in row] for row in rows], worst=True) for k, rows in enumerate(costs)]
    program = CutProgram([range(OUTPUTS)] * INPUTS, OUTPUTS, None)
    assert program.solve(lambda current: broken(cuts, current), cuts[:1]) is None
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
    assert program.value == -expected.value - shift
    assert program.value == max(dot(flat(program.mechanism()), flat(rows)) for rows in costs)
    assert sum(program.multipliers().values(), ZERO) == 1


@pytest.mark.parametrize("seed", range(20))
def test_what_was_zero_before_changes_the_way_and_not_the_optimum(seed: int) -> None:
    generator = random.Random(seed)
    costs = [table(generator) for _ in range(4)]
    cuts = [cut(str(k), ZERO, [[-value for value in row] for row in rows], worst=True) for k, rows in enumerate(costs)]
    before, again, misled = (CutProgram([range(OUTPUTS)] * INPUTS, OUTPUTS, None) for _ in range(3))
    assert before.solve(lambda current: broken(cuts, current), cuts[:1]) is None
    assert again.solve(lambda _: [], cuts, before.corner) is None
    wrong = Corner(before.corner.columns, frozenset(["1", "2"]))
    assert misled.solve(lambda current: broken(cuts, current), cuts, wrong) is None
    assert again.value == misled.value == before.value
    assert again.mechanism() == before.mechanism()
