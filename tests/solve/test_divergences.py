"""Rényi privacy of moderate orders over regions of laws: both questions agree, and what time cuts short is proven."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.claims import rule
from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.errors import TimeLimit
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import RenyiDifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.certify import convex
from epstar.solve.certify.convex import convex_proofs
from epstar.solve.program.faces import mixed_with_uniform
from epstar.solve.program.interior import interior_optimum
from epstar.source import Ball, Box, Prior, Source
from epstar.universe import Alphabet, Graph, Metric, Universe

SIZE = 8
CENTRE = [Rational(x % 4 + 1, 20) for x in range(SIZE)]
LINE = Metric([[Rational(abs(x - y), 3) for y in range(SIZE)] for x in range(SIZE)])
BALL = Ball(CENTRE, Rational(1, 5))
BOX = Box([p / 2 for p in CENTRE], [p * 2 for p in CENTRE])
GIVEN = Rational(1)


@pytest.mark.parametrize("order", ["1/2", "1", "2"])
@pytest.mark.parametrize(("source", "universe"), [(BALL, LINE), (BOX, Alphabet(SIZE))])
def test_both_questions_agree(order: str, source: Source, universe: Universe) -> None:
    frontier = Frontier(RenyiDifferentialPrivacy(order), source, Absolute(), universe)
    loss = frontier.loss_at(GIVEN)
    assert loss.interval.width < 1e-8
    assert checked_by_the_second(write_answer(loss)) == pytest.approx((loss.lower, loss.upper), abs=1e-12)
    distortion = frontier.distortion_at(loss.upper)
    assert distortion.interval.width < 1e-8
    assert distortion.lower - 1e-8 <= float(Real.of(GIVEN)) <= distortion.upper + 1e-8


@pytest.mark.parametrize("programs", [1, 2, 4])
def test_what_was_found_in_time_is_proven(programs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(RenyiDifferentialPrivacy(2), BALL, Absolute(), LINE, "loss", Real.of(GIVEN))
    known = Proof(problem, mixed_with_uniform(problem), None)
    full = next(convex_proofs(problem, known, Deadline(None))).check()
    left = [programs]

    def until_time_is_over(*arguments: Any) -> object:
        if not left[0]:
            raise TimeLimit("over")
        left[0] -= 1
        return interior_optimum(*arguments)

    monkeypatch.setattr(convex, "interior_optimum", until_time_is_over)
    deadline = Deadline(None)
    cut = next(convex_proofs(problem, known, deadline)).check()
    assert deadline.is_missed
    assert cut.lower <= full.upper
    assert full.lower <= cut.upper
    assert not cut.upper.is_infinite


def test_nothing_found_in_time() -> None:
    problem = Problem(RenyiDifferentialPrivacy(2), BALL, Absolute(), LINE, "loss", Real.of(GIVEN))
    with pytest.raises(TimeLimit):
        next(convex_proofs(problem, Proof(problem, mixed_with_uniform(problem), None), Deadline(0)))


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
    found = next(convex_proofs(like, Proof(like, None, None), Deadline(None))).converse
    assert found is not None
    assert not found.relative
    unit = Rational(2) ** scale
    # A quarter more makes the multipliers' rounding to the next float a large one.
    scaled = replace(
        found, weight=found.weight * unit * 5 / 4, sums=tuple(entry * unit * 5 / 4 for entry in found.sums)
    )
    proof = Proof(problem, None, scaled)
    monkeypatch.setattr(rule, "fits", lambda *_: True)
    in_arrays = replace(proof).check().lower.lower
    monkeypatch.setattr(rule, "fits", lambda *_: False)
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
