"""Exact systems and the exact optimum of a basis, against other exact methods and against the definition."""

from __future__ import annotations

import random

import pytest

from epstar.distortion import Squared
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.exact_linear import LinearSystem, Optimum
from epstar.frontier import Frontier
from epstar.notions import LocalInformationPrivacy
from epstar.solve.certify.exact_level import simplest
from epstar.solve.program.exact import ExactProgram
from epstar.solve.program.exact_system import solution
from epstar.source import Prior


def number(generator: random.Random) -> Rational:
    return Rational(generator.randint(-9, 9), generator.randint(1, 7))


@pytest.mark.parametrize("density", [0.05, 0.3, 1.0])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_a_solution_solves(size: int, density: float) -> None:
    generator = random.Random(f"{size} {density}")
    rows = [{i: ONE + abs(number(generator))} for i in range(size)]
    for row in rows:
        row |= {j: number(generator) for j in range(size) if j not in row and generator.random() < density}
    right = [number(generator) for _ in rows]
    found = solution(rows, right)
    assert found is not None
    assert [sum((value * found[j] for j, value in row.items()), ZERO) for row in rows] == right


def test_a_singular_system_has_no_solution() -> None:
    two = Rational(2)
    assert solution([{0: ONE, 1: two}, {0: two, 1: 2 * two}], [ONE, two]) is None
    assert solution([{0: ONE}, {0: two}], [ONE, two]) is None
    dense = [{j: Rational(1 + i + j) for j in range(9)} for i in range(9)]
    assert solution(dense, [ONE] * 9) is None


@pytest.mark.parametrize("seed", range(20))
def test_the_optimum_is_that_of_the_simplex_method(seed: int) -> None:
    generator = random.Random(seed)
    columns, rows = generator.randint(2, 8), generator.randint(1, 8)
    matrix = [[number(generator) for _ in range(columns)] for _ in range(rows)]
    # A bounded set that contains a known point.
    point = [abs(number(generator)) for _ in range(columns)]
    bounds = [dot(row, point) + abs(number(generator)) for row in matrix]
    cost = [number(generator) for _ in range(columns)]
    program = ExactProgram()
    program.variables(columns)
    program.objective = dict(enumerate(cost))
    for row, bound in zip(matrix, bounds, strict=True):
        program.at_most(dict(enumerate(row)), bound)
    program.at_most(dict.fromkeys(range(columns), ONE), sum(point, ZERO), equal=True)
    found = program.optimum()
    system = LinearSystem(columns, tuple(map(tuple, matrix)), tuple(bounds), ((ONE,) * columns,), (sum(point, ZERO),))
    expected = system.maximise([-value for value in cost])
    assert isinstance(expected, Optimum)
    assert found is not None
    assert dot(cost, found.values) == -expected.value
    # The multipliers prove it: what they make of the rows is at most the cost, and of the bounds the value.
    assert -dot([*bounds, sum(point, ZERO)], found.multipliers) == -expected.value
    assert all(multiplier >= 0 for multiplier in found.multipliers[:-1])


def test_what_floats_cannot_tell_is_mended() -> None:
    # The cheaper of two corners by less than any tolerance, next to rows that scale by twenty each.
    program = ExactProgram()
    program.variables(13)
    program.objective = {0: ONE, 12: ONE - Rational(1, 10**17)}
    program.at_most({0: -ONE, 12: -ONE}, -ONE)
    for k in range(1, 12):
        program.at_most({k - 1: ONE, k: Rational(-20)}, Rational(1, 10 ** (15 + k)))
    found = program.optimum()
    assert found is not None
    assert found.values[0] == 0
    assert found.values[12] == 1


@pytest.mark.parametrize(
    ("low", "high", "expected"), [("2/5", "3/5", "1/2"), ("3", "3", "3"), ("314/100", "315/100", "22/7")]
)
def test_the_simplest_fraction_between(low: str, high: str, expected: str) -> None:
    ends = [Rational(*map(int, f"{end}/1".split("/")[:2])) for end in (low, high)]
    assert str(simplest(*ends)) == expected


def test_a_nearly_degenerate_program_comes_to_an_end() -> None:
    """Just above the level zero an interior-point method of HiGHS goes round in circles."""
    frontier = Frontier(LocalInformationPrivacy(), Prior(["1/12", "1/3", "7/12"]), Squared())
    assert frontier.distortion_at(Real.log(1 + Rational(1, 2**40))).interval.width == 0
