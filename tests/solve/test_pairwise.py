"""The method for divergences of pairs of rows against the cone program, and the proofs that come out."""

import numpy as np
import pytest

from epstar.distortion import Absolute, Matrix
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import RenyiDifferentialPrivacy
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.proof import divergences as arrays
from epstar.solve.methods.assembly import Solution
from epstar.solve.methods.pairwise import Pairs, least_cost
from epstar.solve.programs.general import Deadline, Members, converse_of, solve_round
from epstar.solve.programs.program import Program
from epstar.source import Prior
from epstar.universe import Alphabet


def every_pair(size: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    return first, second


def by_cone_program(cost: np.ndarray, notion: RenyiDifferentialPrivacy, level: Real) -> Solution:
    program = Program(cost, [np.ones(len(cost))])
    program.least_distortion(notion.constraints(Alphabet(len(cost)), []), level)
    return program.solve().solution


@pytest.mark.parametrize(("order", "level"), [("1/2", 1.0), ("1", 0.4), ("2", 1.0), ("3", 0.5)])
@pytest.mark.parametrize("number", range(3))
def test_it_agrees_with_the_cone_program(order: str, level: float, number: int) -> None:
    generator = np.random.default_rng(number)
    size, outputs = (5, 5) if number < 2 else (4, 7)
    cost = generator.dirichlet(np.ones(size))[:, None] * generator.random((size, outputs))
    notion = RenyiDifferentialPrivacy(order)
    number_of_order = float(Real.of(order))
    sign = 1.0 if number_of_order > 1 else -1.0
    limit = level if number_of_order == 1 else sign * float(np.exp((number_of_order - 1) * level))
    first, second = every_pair(size)
    found = least_cost(cost, Pairs(first, second, number_of_order, np.full(first.size, limit)))
    assert np.allclose(found.matrix.sum(axis=1), 1.0)
    assert (found.matrix >= 0).all()
    assert (found.multipliers >= 0).all()
    other = by_cone_program(cost, notion, Real.of(level))
    assert float((cost * found.matrix).sum()) == pytest.approx(other.objective, abs=1e-6)


@pytest.mark.parametrize("order", ["1/2", "2", "3"])
def test_the_answer_is_proven(order: str) -> None:
    prior = Prior(np.random.default_rng(5).dirichlet(np.ones(10)))
    answer = Frontier(RenyiDifferentialPrivacy(order), prior, Absolute()).distortion_at(loss=1)
    assert answer.interval.width < 1e-7
    assert answer.proof.check().width < 1e-7


def test_tangents_in_arrays_and_in_balls_prove_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(2)
    problem = Problem(
        RenyiDifferentialPrivacy(2),
        Prior(generator.dirichlet(np.ones(9))),
        Matrix(generator.integers(0, 50, (9, 9))),
        Alphabet(9),
        "distortion",
        Real.of("4/5"),
    )
    solved = solve_round(problem, Members.start(problem), problem.given, Deadline(None))
    converse = converse_of(problem, solved, problem.given, Deadline(None))
    monkeypatch.setattr(arrays, "MANY_SLOPES", 1)
    in_arrays = Proof(problem, None, converse).check().lower
    monkeypatch.setattr(arrays, "MANY_SLOPES", 10**9)
    in_balls = Proof(problem, None, converse).check().lower
    assert in_arrays <= in_balls
    assert float(in_balls) - float(in_arrays) < 1e-10
