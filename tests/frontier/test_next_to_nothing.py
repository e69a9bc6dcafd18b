"""Levels and distortions of next to nothing, and letters that no law of the source produces.

Every answer is as narrow as elsewhere, and both checkers agree on it.
"""

from __future__ import annotations

import math

import pytest
from tests.frontier.test_extreme import proven_twice

from epstar.distortion import Distortion, Gain, Hamming, Matrix
from epstar.exact import Number
from epstar.frontier import Frontier
from epstar.notions import (
    Identifiability,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Box, Finite, Prior, Source
from epstar.universe import Metric

_ORDERS: tuple[Number, ...] = ("1/2", 2, 1000)

CONVEX = 1e-7
LINE = Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]])
# One law alone, which never produces the last letter.
SINGLE = Box(["1/2", "1/2", 0], [1, 1, 1])


@pytest.mark.parametrize(
    "notion", [MutualInformation(), *(SibsonMutualInformation(order) for order in _ORDERS)], ids=str
)
@pytest.mark.parametrize("level", ["1e-9", "1e-12"])
def test_a_letter_that_nothing_produces(notion: Notion, level: str) -> None:
    """What it answers counts for nothing: the answer is that for the other letters."""
    answer = proven_twice(Frontier(notion, SINGLE, Hamming()).distortion_at(loss=level))
    without = Frontier(notion, Prior(["1/2", "1/2"]), Hamming()).distortion_at(loss=level)
    assert answer.interval.width <= CONVEX
    assert max(answer.lower, without.lower) <= min(answer.upper, without.upper)


@pytest.mark.parametrize("distortion", ["1/3", "1e-12"])
def test_a_large_order_and_a_letter_that_nothing_produces(distortion: str) -> None:
    answer = proven_twice(Frontier(SibsonMutualInformation(1000), SINGLE, Hamming()).loss_at(distortion=distortion))
    assert answer.interval.width <= CONVEX


@pytest.mark.parametrize("notion", [RenyiDifferentialPrivacy(1000), SibsonMutualInformation(1000)])
@pytest.mark.parametrize(
    "source", [Box(["1/2", "1/3", "1/6"], ["1/2", "1/3", "1/6"]), Box([".3", ".2", ".1"], [".5", ".4", ".4"])]
)
@pytest.mark.parametrize("level", ["1e-10", "1e-12", "1e-40"])
def test_a_large_order_at_a_tiny_level(notion: Notion, source: Source, level: str) -> None:
    """A constant answer is nearly optimal, which multipliers of about one over the root of the level prove."""
    answer = proven_twice(Frontier(notion, source, LINE).distortion_at(loss=level))
    assert answer.interval.width <= CONVEX


def test_a_large_order_next_to_the_least_distortion() -> None:
    """Sibson's information stays bounded there: it is nearly that of the truth itself."""
    source, order = Box(["1/3", "2/3"], ["1/3", "2/3"]), 1000
    answer = proven_twice(Frontier(SibsonMutualInformation(order), source, Hamming()).loss_at(distortion="1e-12"))
    truth = order / (order - 1) * math.log(sum((p / 3) ** (1 / order) for p in (1, 2)))
    assert truth - 1e-11 <= answer.upper <= answer.lower + CONVEX <= truth + 2 * CONVEX


@pytest.mark.parametrize("source", [Prior(["1/2", "1/3", "1/6"]), Box([".3", ".2", ".1"], [".5", ".4", ".4"])])
@pytest.mark.parametrize(("order", "distortion"), [(65, "1e-5"), (10**6, "1e-7")])
def test_a_large_order_just_above_the_least_distortion(source: Source, order: int, distortion: str) -> None:
    """Costs of answers that are hardly ever given are all there is, and are known to as many digits as any others."""
    answer = proven_twice(Frontier(RenyiDifferentialPrivacy(order), source, LINE).loss_at(distortion=distortion))
    assert answer.interval.width <= CONVEX


@pytest.mark.parametrize("source", [Finite([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), Finite([["1/2", "1/2", 0], [0, 0, 1]])])
@pytest.mark.parametrize("distortion", [Hamming(), LINE])
def test_level_zero_for_laws_with_no_letter_in_common(source: Source, distortion: Distortion) -> None:
    """Pointwise leakage counts the letters that a law does not produce, too."""
    answer = proven_twice(Frontier(PointwiseLeakage(), source, distortion).distortion_at(loss=0))
    assert answer.interval.width <= 1e-30


def test_the_level_of_the_prior_at_a_distance() -> None:
    """Two letters half a step apart have a ratio of up to 9/4; a tangent from there leads to no level at all."""
    metric = Metric([[0, "1/2", 2], ["1/2", 0, "3/2"], [2, "3/2", 0]])
    gain = Gain([[0, 2, "5/2", 3], [1, "2/3", 1, "1/3"], ["2/3", "5/2", "1/3", 1]])
    source = Box(["7/20", "1/5", "3/10"], ["9/20", "3/10", "2/5"])
    answer = proven_twice(Frontier(Identifiability(), source, gain, metric).loss_at(distortion="-70019/40000"))
    assert str(answer.interval.lower) == str(answer.interval.upper) == "log(81/16)"
