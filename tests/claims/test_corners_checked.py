"""Regions of many corners: floats settle most of them, exact numbers the rest; or a claim says what bounds them."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace

import check_proof
import pytest

from epstar.claims import Bracket, Setting, check_attained
from epstar.claims.cover import laws_of
from epstar.completion.attained import attained
from epstar.completion.hints import whole_cover
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import MinEntropyLeakage, PointwiseLeakage
from epstar.notions.measure.relative_entropy import divergence
from epstar.notions.priors import output_law
from epstar.problem import Problem
from epstar.proof_file.document import write_bracket
from epstar.source import Ball, Box, Polytope, Source

SIZE = 12


def _law(drawn: random.Random, size: int = SIZE) -> tuple[Rational, ...]:
    weights = [drawn.randint(5, 99) for _ in range(size)]
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@pytest.mark.parametrize("region", [Box, Ball])
def test_the_worst_corner_decides(region: type[Source]) -> None:
    drawn = random.Random("corners")
    centre = _law(drawn)
    source = Ball(centre, Rational(1, 5)) if region is Ball else Box([p / 2 for p in centre], [2 * p for p in centre])
    mechanism = Mechanism([_law(drawn) for _ in range(SIZE)])
    problem = Problem(PointwiseLeakage(), source, Hamming(), mechanism.universe, "loss", Real.of(1))
    setting = Setting.of(problem)
    witness = PointwiseLeakage().loss(mechanism, source).witness
    assert witness.prior is not None
    worst = divergence(mechanism.rows[witness.inputs[0]], output_law(mechanism.rows, witness.prior))
    claim = attained(problem, mechanism, Real.of(worst.above()), is_exact=True)
    started = time.process_time()
    check_attained(setting, claim)
    # Exact numbers at each of some thousand corners take many times as long.
    assert time.process_time() - started < 3
    with pytest.raises(ProofRejected, match="more than claimed"):
        check_attained(setting, replace(claim, loss=Real.of(worst.below() * (1 - Rational(1, 10**20)))))


@pytest.mark.parametrize("size", [6, 8])
def test_guesses_over_balls_of_many_categories_are_decided_by_both_checkers(size: int) -> None:
    ball = Ball(["2/3", "1/6", *[Rational(1, 6 * (size - 2))] * (size - 2)], "1/2")
    mechanism = Mechanism([[Rational(1 + 3 * (x == y), size + 3) for y in range(size)] for x in range(size)])
    problem = Problem(MinEntropyLeakage(), ball, Hamming(), mechanism.universe, "loss", Real.of(1))
    # At 5/12 for each of two categories, which is as even as the ball allows.
    claim = attained(problem, mechanism, Real.log(Rational(size + 6, size + 3)), is_exact=True)
    bracket = Bracket(Setting.of(problem), claim)
    assert claim.hints.cover is not None
    check_proof.check(json.dumps(write_bracket(bracket)).encode())
    check_attained(bracket.setting, claim)


def test_guesses_are_bounded_at_the_corners_of_parts_where_these_are_few() -> None:
    centre = _law(random.Random("parts"), 7)
    box = Box([p / 2 for p in centre], [2 * p for p in centre])
    found = Frontier(MinEntropyLeakage(), box, Hamming()).distortion_at("1/2")
    assert found.interval.width <= 1e-9
    assert found.claims.attained is not None
    assert found.claims.attained.hints.shares is None


def test_shares_over_a_polytope_come_with_multipliers() -> None:
    # P(1) <= 1/2 and P(2) <= P(3)/3: the second letter is a third of the third one at most.
    polytope = Polytope([[1, *[0] * 9], [0, 1, "-1/3", *[0] * 7]], ["1/2", 0])
    found = Frontier(MinEntropyLeakage(), polytope, Hamming()).distortion_at("1/2")
    assert found.claims.attained is not None
    assert found.claims.attained.hints.shares is not None
    assert found.claims.attained.hints.shares[1] == (Rational(1, 3), 2)
    assert len(found.claims.attained.hints.multipliers) == 2


def test_a_small_ball_of_many_categories_has_a_short_cover() -> None:
    """Around the certain distributions a cover of 30 categories has no end; around the largest entries it is exact."""
    ball = Ball([Rational(1, 30)] * 30, Rational(1, 20))
    cover = whole_cover(ball)
    assert cover is not None
    laws = set(laws_of(ball, cover))
    # The mass 1/40 moves from one category to another, or stays where it is.
    assert len(laws) == 30 * 29 + 1
    assert all(ball.contains(law) for law in laws)
