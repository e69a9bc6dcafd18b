"""The method for divergences of pairs of rows against the cone program, and the proofs that come out."""

from dataclasses import replace

import numpy as np
import pytest
from epstar.solve.methods.pairwise import Pairs, least_cost

from epstar.claims import arrays
from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import RenyiDifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.certify.multipliers import converse_of
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.formulation import Program
from epstar.solve.program.laws import Members
from epstar.solve.program.model import Solution
from epstar.source import Prior
from epstar.universe import Alphabet, Graph


def every_pair(size: int) -> tuple[np.ndarray, np.ndarray]:
    first, second = np.nonzero(~np.eye(size, dtype=bool))
    return first, second


def by_cone_program(cost: np.ndarray, notion: RenyiDifferentialPrivacy, level: Real) -> Solution:
    program = Program(cost, [np.ones(len(cost))])
    program.least_distortion(notion.constraints(Alphabet(len(cost)), []), level)
    return program.solve(Deadline(None)).solution


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
    found = least_cost(cost[None], Pairs(first, second, number_of_order, np.full(first.size, limit)))
    assert np.allclose(found.matrix.sum(axis=1), 1.0)
    assert (found.matrix >= 0).all()
    assert (found.multipliers >= 0).all()
    other = by_cone_program(cost, notion, Real.of(level))
    assert float((cost * found.matrix).sum()) == pytest.approx(other.objective, abs=1e-6)


@pytest.mark.parametrize(("order", "level"), [("1/2", 1.0), ("1", 0.4), ("2", 1.0), ("3", 0.5)])
@pytest.mark.parametrize("number", range(2))
def test_the_largest_of_several_costs_agrees_with_the_cone_program(order: str, level: float, number: int) -> None:
    generator = np.random.default_rng(number)
    size, number_of_order = 6, float(Real.of(order))
    cost, laws = generator.random((size, size)), generator.dirichlet(np.ones(size), 4)
    sign = 1.0 if number_of_order > 1 else -1.0
    limit = level if number_of_order == 1 else sign * float(np.exp((number_of_order - 1) * level))
    first, second = every_pair(size)
    pairs = Pairs(first, second, number_of_order, np.full(first.size, limit))
    costs = laws[:, :, None] * cost
    found, rough = least_cost(costs, pairs), least_cost(costs, pairs, roughly=True)
    assert found.gap < 1e-9
    assert found.laws.sum() == pytest.approx(1.0)
    program = Program(cost, list(laws))
    program.least_distortion(RenyiDifferentialPrivacy(order).constraints(Alphabet(size), []), Real.of(level))
    largest = np.tensordot(costs, found.matrix, axes=2).max()
    assert largest == pytest.approx(program.solve(Deadline(None)).solution.objective, abs=1e-6)
    assert np.tensordot(costs, rough.matrix, axes=2).max() == pytest.approx(largest, abs=1e-3)


@pytest.mark.parametrize("level", [0.3, 1.0, 3.0])
def test_outputs_that_turn_out_to_be_wanted_join_a_few(level: float, monkeypatch: pytest.MonkeyPatch) -> None:
    size = 12
    cost = np.random.default_rng(3).dirichlet(np.ones(size))[:, None] * np.abs(
        np.subtract.outer(*[np.arange(size)] * 2)
    )
    first, second = every_pair(size)
    pairs = Pairs(first, second, 2.0, np.full(first.size, np.exp(level)))
    expected = least_cost(cost[None], pairs)
    for name, few in (("_FEW_ENTRIES", 1), ("_FIRST_OUTPUTS", 2)):
        monkeypatch.setattr(f"epstar.solve.methods.pairwise.{name}", few)
    for start in (None, np.array([0, size - 1])):
        found = least_cost(cost[None], pairs, start=start)
        assert found.gap < 1e-8
        assert (cost * found.matrix).sum() == pytest.approx((cost * expected.matrix).sum(), abs=1e-8)
        rough = least_cost(cost[None], pairs, roughly=True, start=start)
        assert (cost * rough.matrix).sum() == pytest.approx((cost * expected.matrix).sum(), abs=1e-2)


def test_small_columns_of_the_optimum_are_priced_as_the_large_ones() -> None:
    # An output that is given once in a hundred thousand times: its price is the last to be right.
    size = 10
    cost = np.abs(np.subtract.outer(np.arange(size), np.arange(size))) * 1.0
    law = np.random.default_rng(size).dirichlet(np.ones(size))
    first, second = every_pair(size)
    found = least_cost((law[:, None] * cost)[None], Pairs(first, second, 2.0, np.full(first.size, np.e)))
    assert abs(found.gap) < 1e-10


@pytest.mark.parametrize("order", ["1/2", "2", "3"])
def test_the_answer_is_proven(order: str) -> None:
    prior = Prior(np.random.default_rng(5).dirichlet(np.ones(10)))
    answer = Frontier(RenyiDifferentialPrivacy(order), prior, Absolute()).distortion_at(loss=1)
    assert answer.interval.width < 1e-7
    assert answer.proof.check().width < 1e-7


@pytest.mark.parametrize(
    ("order", "scale"),
    [("2", 0), ("2", -300), ("2", -1060), ("2", 300), ("1", -1060), ("1e-20", 0), ("1e-20", 300)],
)
def test_tangents_in_arrays_prove_no_more_than_in_balls(
    order: str, scale: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    generator = np.random.default_rng(2)
    size, level = 5, Real.of("4/5")
    notion = RenyiDifferentialPrivacy(order)
    prior = Prior(generator.dirichlet(np.ones(size)))
    problem = Problem(
        notion, prior, Matrix(generator.integers(0, 50, (size, size))), Alphabet(size), "distortion", level
    )
    like = replace(problem, notion=RenyiDifferentialPrivacy(2))
    solved = solve_round(like, Members.start(like), level, Deadline(None))
    found = converse_of(like, solved, level, Deadline(None))
    unit = Rational(2) ** scale
    # A quarter more makes the multipliers' rounding to the next float a large one.
    scaled = replace(
        found, weight=found.weight * unit * 5 / 4, sums=tuple(entry * unit * 5 / 4 for entry in found.sums)
    )
    proof = Proof(problem, None, scaled)
    monkeypatch.setattr(arrays, "_terms", lambda *_: arrays.MANY_TERMS)
    in_arrays = replace(proof).check().lower.lower
    monkeypatch.setattr(arrays, "_terms", lambda *_: 0)
    in_balls = replace(proof).check().lower.lower
    assert in_arrays <= in_balls
    if scale == 0 and order == "2":
        assert in_balls - in_arrays < 1e-10


def test_columns_that_fall_steeply_are_priced_to_their_ends() -> None:
    # On a path probabilities fall with every step; three Newton steps a barrier left this open by 0.56, after a minute.
    size = 30
    weights = np.random.default_rng(2).integers(20, 120, size).tolist()
    prior = Prior([f"{weight}/{sum(weights)}" for weight in weights])
    frontier = Frontier(RenyiDifferentialPrivacy(2), prior, Absolute(), Graph.line(size))
    assert frontier.distortion_at(1).interval.width < 1e-9
