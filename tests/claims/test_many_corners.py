"""Pointwise leakage over a region of many corners: floats settle most of them, exact numbers the rest."""

from __future__ import annotations

import random
import time

import pytest

from epstar.claims import Attained, Setting, check_attained
from epstar.distortion import Hamming
from epstar.errors import ProofRejected
from epstar.exact import INFINITY, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import PointwiseLeakage
from epstar.notions.divergence import divergence
from epstar.notions.priors import output_law
from epstar.problem import Problem
from epstar.source import Ball, Box, Source

SIZE = 12


def _law(drawn: random.Random) -> tuple[Rational, ...]:
    weights = [drawn.randint(5, 99) for _ in range(SIZE)]
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@pytest.mark.parametrize("region", [Box, Ball])
def test_the_worst_corner_decides(region: type[Source]) -> None:
    drawn = random.Random("corners")
    centre = _law(drawn)
    source = Ball(centre, Rational(1, 5)) if region is Ball else Box([p / 2 for p in centre], [2 * p for p in centre])
    mechanism = Mechanism([_law(drawn) for _ in range(SIZE)])
    setting = Setting.of(Problem(PointwiseLeakage(), source, Hamming(), mechanism.universe, "loss", Real.of(1)))
    witness = PointwiseLeakage().loss(mechanism, source).witness
    assert witness.prior is not None
    worst = divergence(mechanism.rows[witness.inputs[0]], output_law(mechanism.rows, witness.prior))
    started = time.process_time()
    check_attained(setting, Attained(Real.of(worst.above()), INFINITY, mechanism))
    # Exact numbers at each of some thousand corners take many times as long.
    assert time.process_time() - started < 3
    with pytest.raises(ProofRejected, match="more than claimed"):
        check_attained(setting, Attained(Real.of(worst.below() * (1 - Rational(1, 10**20))), INFINITY, mechanism))
