"""The saddle point of an information within limits: tight, proven twice, and as the general program says."""

from __future__ import annotations

import json
from dataclasses import replace

import check_proof
import numpy as np
import pytest

from epstar.answer import answer
from epstar.answer_file import write_answer
from epstar.completion import ClaimedProof
from epstar.deadline import Deadline
from epstar.distortion import Matrix
from epstar.exact import Interval, Real
from epstar.limits import Limits
from epstar.notions import Capacity, MutualInformation
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.solve.wider.search import Search
from epstar.source import Ball, Box, Everything, Hull, Prior, Source
from epstar.universe import Alphabet

KINDS = ("lower", "both", "invariant", "unbiased", "equation", "inequality", "allowed")


def drawn(number: int, asks: Asked) -> Problem:
    """Return a random question within limits."""
    generator = np.random.default_rng(number)
    kind, size = KINDS[number % len(KINDS)], int(generator.integers(3, 6))
    outputs = size + 2 if kind == "unbiased" else size
    cost = np.abs(np.arange(size)[:, None] - np.arange(outputs)) * generator.integers(1, 4, (size, outputs))
    laws = generator.dirichlet(3 * np.ones(size), 3)
    source: Source = Prior(laws[0])
    if kind != "invariant":
        near = Box(laws[0] / 2, np.minimum(1.0, 2 * laws[0]))
        source = (source, Hull(laws), near, Ball(laws[0], "1/100"), Everything(size))[number // len(KINDS) % 5]
    notion: Notion = Capacity() if number % 4 == 3 else MutualInformation()
    given = Real.of(round(generator.uniform(0.05, 0.3), 4))
    cost_matrix = Matrix(cost.tolist())
    problem = Problem(notion, source, cost_matrix, Alphabet(size), "distortion", given, limits=limits(kind, size))
    if asks == "distortion":
        return problem
    least = float(general(problem).upper)
    return replace(problem, asks="loss", given=Real.of(round(1.02 * least + 0.001, 6)))


def limits(kind: str, size: int) -> Limits:
    """Return limits of a kind, which leave room."""
    first = [[1 if x == y == 0 else 0 for y in range(size)] for x in range(size)]
    ends = [[x + y for y in range(size)] for x in range(size)]
    match kind:
        case "lower":
            return Limits(lower="1/50")
        case "both":
            return Limits(lower="1/60", upper="3/5")
        case "invariant":
            return Limits(invariant=True)
        case "unbiased":
            return Limits(unbiased=(list(range(size)), [-2 * size, *range(size), 3 * size]))
        case "equation":
            return Limits(equations=[(first, "1/2")])
        case "inequality":
            return Limits(inequalities=[(ends, size * (size - 1)), (first, "2/5")])
    return Limits(allowed=[[y < size - 1 or x == 0 for y in range(size)] for x in range(size)], lower=None)


def general(problem: Problem) -> Interval:
    """Return the ends that the general program proves."""
    return ClaimedProof(problem, Search(problem, Deadline(None)).run()).check()


@pytest.mark.parametrize("asks", ["distortion", "loss"])
@pytest.mark.parametrize("number", [pytest.param(n, marks=[pytest.mark.full] * (n % 3 > 0)) for n in range(35)])
def test_it_agrees_with_the_general_program(number: int, asks: Asked) -> None:
    problem = drawn(number, asks)
    found, other = answer(problem), general(problem)
    assert found.method == "program" or isinstance(problem.source, Everything), "the saddle point has the answer"
    assert found.upper - found.lower <= 1e-9
    assert found.lower <= other.upper
    assert other.lower <= found.upper
    assert check_proof.check(json.dumps(write_answer(found)).encode())
