"""Pointwise leakage over boxes and balls with more corners than can be listed: near ends, and what proves them."""

from __future__ import annotations

import json
from dataclasses import replace

import check_proof
import numpy as np
import pytest

from epstar.answer_file import write_answer
from epstar.claims.attained import check_mechanism
from epstar.claims.claim import Setting
from epstar.completion.attained import attained
from epstar.distortion import Absolute
from epstar.errors import ProofRejected
from epstar.exact import ONE, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.frontier import Frontier
from epstar.mechanism import Mechanism
from epstar.notions import PointwiseLeakage
from epstar.notions.measure.relative_entropy import divergences
from epstar.problem import Problem
from epstar.source import Ball, Box
from epstar.universe import Alphabet

SIZE = 17
TOTAL = sum(range(SIZE, 2 * SIZE))
BOX = Box(
    [f"{8 * x}/{10 * TOTAL}" for x in range(SIZE, 2 * SIZE)], [f"{12 * x}/{10 * TOTAL}" for x in range(SIZE, 2 * SIZE)]
)
BALL = Ball([f"{x}/{TOTAL}" for x in range(SIZE, 2 * SIZE)], "1/10")
LEAKAGE = PointwiseLeakage()


def mostly() -> Mechanism:
    """A mechanism that tells the truth or a neighbour, and anything now and then."""
    rows = [[Rational(max(1, 9 - 4 * abs(x - y))) for y in range(SIZE)] for x in range(SIZE)]
    return Mechanism([[entry / sum(row, 0 * ONE) for entry in row] for row in rows], Alphabet(SIZE))


@pytest.mark.parametrize(("source", "width"), [(BOX, 0.005), (BALL, 0.03)], ids=["box", "ball"])
def test_a_region_of_many_categories_has_near_ends(source: Box | Ball, width: float) -> None:
    found = Frontier(LEAKAGE, source, Absolute()).loss_at("3")
    assert found.interval.width < width
    assert "too many extreme distributions to list" in found.status
    assert check_proof.check(json.dumps(write_answer(found)).encode())


@pytest.mark.parametrize("source", [BOX, BALL], ids=["box", "ball"])
def test_chords_bound_what_no_law_exceeds(source: Box | Ball) -> None:
    mechanism = mostly()
    loss = LEAKAGE.loss(mechanism, source)
    assert loss.lower is not None
    assert loss.upper is not None
    rng = np.random.default_rng(3)
    laws = [source.maximum(rng.random(SIZE).tolist()).point for _ in range(200)]
    laws += LEAKAGE.worst_laws(mechanism, source)
    assert all(source.contains(law) for law in laws)
    matrix = mechanism.floats
    found = [float(divergences(matrix, nearest_floats(law) @ matrix).max()) for law in laws]
    assert max(found) == pytest.approx(max(found[200:]), abs=1e-9)
    assert float(loss.lower) - 1e-9 <= max(found) <= float(loss.upper)
    # Each output at its least probability, as if one law had all of these, is no such bound.
    least = np.array([float(source.minimum(column).value) for column in zip(*mechanism.rows, strict=True)])
    coarse = float(divergences(matrix, least).max())
    assert float(loss.upper) - max(found) < (coarse - max(found)) / 4


def test_slopes_that_are_steeper_than_a_chord_are_refused() -> None:
    problem = Problem(LEAKAGE, BOX, Absolute(), Alphabet(SIZE), "loss", Real.of(8))
    mechanism = mostly()
    loss = LEAKAGE.loss(mechanism, BOX).upper
    assert loss is not None
    setting, claim = Setting.of(problem), attained(problem, mechanism, loss)
    check_mechanism(setting, claim)
    slopes = claim.hints.slopes
    assert slopes is not None
    steeper = tuple(slope * Rational(1000001, 1000000) for slope in slopes)
    with pytest.raises(ProofRejected, match="too steep"):
        check_mechanism(setting, replace(claim, hints=replace(claim.hints, slopes=steeper)))
    with pytest.raises(ProofRejected, match="for each output"):
        check_mechanism(setting, replace(claim, hints=replace(claim.hints, slopes=slopes[1:])))
