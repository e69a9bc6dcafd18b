"""Two exact ways to one optimum: the basis on which floats end, and pivots in balls that floats have no part in."""

from __future__ import annotations

import random

import pytest

from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Matrix
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalLeakage,
    MinEntropyLeakage,
    Notion,
)
from epstar.problem import Problem
from epstar.solve.certify.exact_optimum import ExactSearch, exact_optimum
from epstar.solve.program.exact_mechanism import ExactFound
from epstar.solve.program.laws import Members
from epstar.source import Finite, Prior


def by_pivots(problem: Problem, level: Real | None) -> ExactFound:
    found = ExactSearch(problem, Members.start(problem)).by_pivots(level)
    assert isinstance(found, ExactFound)
    return found


def problem_of(notion: Notion, seed: int, listed: bool) -> Frontier:
    generator = random.Random(seed)
    counts = [[generator.randint(1, 9) for _ in range(4)] for _ in range(2 if listed else 1)]
    laws = [[Rational(count, sum(row)) for count in row] for row in counts]
    cost = Matrix([[0 if x == y else generator.randint(0, 9) for y in range(5)] for x in range(4)])
    return Frontier(notion, Finite(laws) if listed else Prior(laws[0]), cost)


@pytest.mark.parametrize(
    "notion",
    [
        DifferentialPrivacy(),
        ApproximateDifferentialPrivacy("1/10"),
        ApproximateDifferentialPrivacy("1/10", "pointwise"),
        Identifiability(),
        LocalInformationPrivacy("1/10"),
        MaximalLeakage(),
        MinEntropyLeakage(),
    ],
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("listed", [False, True])
def test_both_ways_lead_to_the_least_distortion(notion: Notion, seed: int, listed: bool) -> None:
    problem = problem_of(notion, seed, listed)._problem(
        "distortion", "log(3)" if notion != Identifiability() else "log(12)"
    )
    pivoted, floats = by_pivots(problem, problem.given), Frontier.answer(problem)
    found = Proof(problem, pivoted.mechanism, pivoted.converse).check()
    assert found.width == 0
    basis = (
        exact_optimum(problem, floats.proof, problem.given, Deadline(None)) if isinstance(floats.proof, Proof) else None
    )
    assert basis is not None
    assert found.lower.rational == basis.value


@pytest.mark.parametrize("notion", [MaximalLeakage(), MinEntropyLeakage()])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("listed", [False, True])
def test_both_ways_lead_to_the_least_bound(notion: Notion, seed: int, listed: bool) -> None:
    problem = problem_of(notion, seed, listed)._problem("loss", "1/2")
    pivoted, answer = by_pivots(problem, None), Frontier.answer(problem)
    found = Proof(problem, pivoted.mechanism, pivoted.converse).check()
    assert found.width == 0
    assert str(found.lower) == str(answer.interval.lower)


def test_an_irrational_ratio_is_left_to_fractions_around_it() -> None:
    problem = problem_of(DifferentialPrivacy(), 0, False)._problem("distortion", 1)
    assert ExactSearch(problem, Members.start(problem)).by_pivots(Real.of(1)) is None
