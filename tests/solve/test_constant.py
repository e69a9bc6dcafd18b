"""The best constant answer over a region: exact, and proven best by the law that is worst for it."""

import random

import pytest

from epstar.completion.converse import mixed
from epstar.distortion import Gain, Matrix
from epstar.exact import ONE, Rational, Real, dot
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.program.constant import best_constant
from epstar.source import Ball, Box, Source
from epstar.universe import Alphabet


@pytest.mark.parametrize("number", range(8))
def test_the_least_favourable_law_leaves_nothing_better(number: int) -> None:
    numbers = random.Random(number)
    size = 12
    weights = [numbers.randint(1, 9) for _ in range(size)]
    center = [Rational(weight, sum(weights)) for weight in weights]
    box = Box([p / 2 for p in center], [min(ONE, 2 * p) for p in center])
    source: Source = Ball(center, Rational(1, 5)) if number % 2 else box
    values = [[Rational(numbers.randint(0, 10), 10) for _ in range(5)] for _ in range(size)]
    cost = Gain([[value - ONE / 2 for value in row] for row in values]) if number % 3 == 0 else Matrix(values)
    problem = Problem(DifferentialPrivacy(), source, cost, Alphabet(size), "loss", Real.of(1))
    best = best_constant(problem)
    rows = cost.matrix(problem.universe)
    assert sum(best.law) == 1
    assert best.distortion == source.maximum([dot(best.law, row) for row in rows]).value
    worst = mixed(best.least_favourable)
    assert source.contains(worst)
    assert min(dot(worst, column) for column in zip(*rows, strict=True)) == best.distortion
