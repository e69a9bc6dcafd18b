"""Thresholds at which the trade-off jumps, time limits, negative gains, and questions that are wrong."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from epstar.distortion import Absolute, Gain, Hamming, Matrix, Squared
from epstar.errors import InvalidInput, NoSolution, TimeLimit
from epstar.exact import Number, Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalInformation,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.source import Hull, Prior
from epstar.universe import Alphabet, Graph

_PRIOR = Prior(["1/2", "3/10", "1/5"])


@pytest.mark.parametrize("method", [None, "program"])
@pytest.mark.parametrize(
    ("distortion", "ratio"),
    [("0.5", 1), ("0.500000000001", 1), ("0.499999999999", None), ("0.4999", None)],
)
def test_the_jump_of_differential_privacy(method: str | None, distortion: str, ratio: int | None) -> None:
    """One prior: E = min over n of (n-1)(1-D)/(D-tail_n), and 1 from D = 1 - max P on."""
    given = float(distortion)
    expected = 1.0 if ratio else min((1 - given) / (given - 0.2), 2 * (1 - given) / given)
    answer = Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).loss_at(distortion=distortion, method=method)
    assert answer.lower - 1e-9 <= math.log(expected) <= answer.upper + 1e-9
    assert answer.interval.width <= 1e-9


@pytest.mark.parametrize(("shift", "ratio"), [("0", "1"), ("1e-12", "1"), ("-1e-12", "14/3")])
def test_the_jump_of_a_published_prior(shift: str, ratio: str) -> None:
    """kalantari2018, Table I: the loss falls from log(14/3) to 0 at D = 3/10."""
    prior = Prior(["7/10", "3/20", "3/50", "1/25", "3/100", "1/50"])
    answer = Frontier(DifferentialPrivacy(), prior, Hamming()).loss_at(distortion=Real.of("3/10") + shift)
    assert answer.upper == pytest.approx(float(Real.of(f"log({ratio})")), abs=1e-10)
    assert answer.interval.width <= 1e-12


@pytest.mark.parametrize(("shift", "expected"), [("0", 2.0), ("1e-9", 2.0), ("-1e-9", 2.5)])
def test_a_jump_in_the_middle_of_the_curve(shift: str, expected: float) -> None:
    """Maximal information jumps at D = 1/5, where the least likely letter can be dropped."""
    answer = Frontier(MaximalInformation(), _PRIOR, Hamming()).loss_at(distortion=Real.of("1/5") + shift)
    assert answer.upper == pytest.approx(math.log(expected), abs=1e-6)
    assert answer.interval.width <= 1e-9


def test_identifiability_at_and_below_what_the_prior_gives_away() -> None:
    frontier = Frontier(Identifiability(), _PRIOR, Hamming())
    at = frontier.distortion_at(loss="log(5/2)")
    assert at.lower <= 0.5 <= at.upper
    with pytest.raises(NoSolution, match="prior alone"):
        frontier.distortion_at(loss="log(249/100)")


def test_negative_gains_are_gains() -> None:
    gain = [[-1, -2], [-3, -1], [-2, -2]]
    shifted = [[value + 3 for value in row] for row in gain]
    for notion in (DifferentialPrivacy(), MutualInformation(), RenyiDifferentialPrivacy(2)):
        low = Frontier(notion, _PRIOR, Gain(gain)).distortion_at(loss="1/2")
        high = Frontier(notion, _PRIOR, Gain(shifted)).distortion_at(loss="1/2")
        assert low.unit == "utility"
        assert low.lower + 3 <= high.upper + 1e-12
        assert high.lower <= low.upper + 3 + 1e-12


def test_a_gain_is_a_distortion_turned_round() -> None:
    costs = Matrix([[0, 1], [2, 0], [1, 1]])
    gains = Gain([[0, -1], [-2, 0], [-1, -1]])
    cost = Frontier(DifferentialPrivacy(), _PRIOR, costs).distortion_at(loss=1)
    gain = Frontier(DifferentialPrivacy(), _PRIOR, gains).distortion_at(loss=1)
    assert (gain.lower, gain.upper) == (-cost.upper, -cost.lower)


@pytest.mark.parametrize("limit", [0.01, 0.3])
@pytest.mark.parametrize(
    "notion", [DifferentialPrivacy(), ApproximateDifferentialPrivacy("1/20"), MutualInformation()], ids=repr
)
def test_a_time_limit_ends_the_search(notion: Notion, limit: float) -> None:
    size = 25
    numbers = np.random.default_rng(5)
    laws = numbers.dirichlet(np.ones(size), 3)
    cost = numbers.random((size, size))
    frontier = Frontier(notion, Hull(laws), Matrix(cost), Graph.ring(size))
    start = time.process_time()
    # Either nothing was proven in time, which is said, or what was is returned.
    with suppress(TimeLimit):
        answer = frontier.loss_at(distortion="0.2", time_limit=limit)
        assert answer.lower <= answer.upper
        assert answer.proof.check().lower <= answer.interval.lower
    assert time.process_time() - start < 60


def test_an_unknown_method_is_refused() -> None:
    frontier = Frontier(DifferentialPrivacy(), _PRIOR, Hamming())
    with pytest.raises(InvalidInput, match="'magic' is not a method; choose one of closed form, program"):
        frontier.loss_at(distortion="1/5", method="magic")
    with pytest.raises(InvalidInput, match="No closed form"):
        Frontier(DifferentialPrivacy(), _PRIOR, Squared()).loss_at(distortion="1/5", method="closed form")


def test_sizes_must_agree() -> None:
    with pytest.raises(InvalidInput, match="3 inputs and the universe has 4"):
        Frontier(DifferentialPrivacy(), _PRIOR, Hamming(), Alphabet(4)).loss_at(distortion="1/5")
    with pytest.raises(InvalidInput):
        Frontier(DifferentialPrivacy(), _PRIOR, Matrix([[0, 1], [1, 0]])).loss_at(distortion="1/5")


@pytest.mark.parametrize("given", ["abc", None, float("nan"), True, [[1]], {1}, np.array(["x"])])
def test_what_is_given_must_be_a_number(given: Any) -> None:
    frontier = Frontier(DifferentialPrivacy(), _PRIOR, Hamming())
    with pytest.raises(InvalidInput):
        frontier.loss_at(distortion=given)
    with pytest.raises(InvalidInput):
        frontier.distortion_at(loss=given)


def test_infinite_levels_ask_for_no_privacy() -> None:
    for notion in (DifferentialPrivacy(), MutualInformation()):
        answer = Frontier(notion, _PRIOR, Absolute()).distortion_at(loss=math.inf)
        assert (answer.lower, answer.upper) == (0.0, 0.0)


@pytest.mark.parametrize("distortion", ["log(2)", math.inf])
def test_a_distortion_must_be_rational(distortion: Number) -> None:
    for notion in (DifferentialPrivacy(), MutualInformation()):
        with pytest.raises(InvalidInput, match="not a rational number"):
            Frontier(notion, _PRIOR, Hamming()).loss_at(distortion=distortion)
