"""Requests that are wrong or extreme: refused in a sentence, or answered as far as the time allows."""

import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from epstar.distortion import Absolute, Distortion, Hamming, Matrix
from epstar.errors import InvalidInput
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.source import Ball, Hull, Prior, Rows, Source
from epstar.universe import Databases, Universe

_PRIOR = Prior(["4/10", "3/10", "2/10", "1/10"])
_HULL = Hull([["4/10", "3/10", "2/10", "1/10"], ["1/10", "1/10", "4/10", "4/10"]])


@pytest.mark.parametrize(
    "build",
    [
        lambda: Frontier("pd", _PRIOR, Hamming()),
        lambda: Frontier(cast(Notion, DifferentialPrivacy), _PRIOR, Hamming()),
        lambda: Frontier(DifferentialPrivacy(), [0.4, 0.7], Hamming()),
        lambda: Frontier(DifferentialPrivacy(), "0.4, 0.6", Hamming()),
        lambda: Frontier(DifferentialPrivacy(), cast(Source, 4), Hamming()),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, "manhattan"),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, cast(Distortion, Hamming)),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, Hamming(), cast(Universe, 4)),
        lambda: Frontier(cast(Notion, _PRIOR), cast(Source, DifferentialPrivacy()), Hamming()),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).curve(distortions=cast(Any, 5)),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).loss_at("1/5", time_limit=-1),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).loss_at("1/5", time_limit=float("nan")),
        lambda: Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).loss_at("1/5", time_limit=cast(Any, "5")),
    ],
)
def test_wrong_kinds_are_refused_in_a_sentence(build: Callable[[], object]) -> None:
    with pytest.raises(InvalidInput):
        build()


def test_rows_are_rows_of_databases() -> None:
    rows = Frontier(DifferentialPrivacy(), Rows(_PRIOR, 3), Hamming())
    assert rows.universe == Databases(4, 3)
    assert str(rows.loss_at("3/5").interval.upper) == "log(12)"


@pytest.mark.parametrize("reading", ["event", "pointwise"])
@pytest.mark.parametrize("source", [_PRIOR, _HULL], ids=["prior", "hull"])
def test_a_slack_of_one_forgives_everything(reading: str, source: Source) -> None:
    frontier = Frontier(ApproximateDifferentialPrivacy(1, cast(Any, reading)), source, Hamming())
    for distortion in ("0", "1/10", "1/2"):
        assert frontier.loss_at(distortion).upper == 0
    assert frontier.distortion_at(0).upper == 0
    assert [point.distortion for point in frontier.breakpoints()] == [0]


def test_an_order_beyond_all_floats_is_nearly_differential_privacy() -> None:
    found = Frontier(RenyiDifferentialPrivacy(10**9), _PRIOR, Hamming()).loss_at("1/5")
    limit = Frontier(DifferentialPrivacy(), _PRIOR, Hamming()).loss_at("1/5")
    assert found.interval.width <= 1e-7
    assert found.lower <= limit.upper
    assert found.upper == pytest.approx(limit.upper, abs=1e-7)
    with pytest.raises(InvalidInput, match="1e30"):
        RenyiDifferentialPrivacy(10**31)


@pytest.mark.parametrize("notion", [DifferentialPrivacy(), RenyiDifferentialPrivacy(2)], ids=repr)
@pytest.mark.parametrize("ask", ["loss", "distortion"])
def test_what_is_known_without_time(notion: Notion, ask: str) -> None:
    size = 14
    center = [1 + (7 * k) % 5 for k in range(size)]
    source = Ball([f"{entry}/{sum(center)}" for entry in center], "1/5")
    cost = [[(11 * x + 5 * y) % 17 for y in range(size)] for x in range(size)]
    frontier = Frontier(notion, source, Matrix(cost))
    start = time.process_time()
    answer = frontier.loss_at(3, time_limit=0) if ask == "loss" else frontier.distortion_at(1, time_limit=0)
    assert time.process_time() - start < 60
    assert answer.timed_out
    assert answer.lower <= answer.upper < float("inf")
    assert "the time limit passed" in answer.status


def test_rows_share_one_time_limit() -> None:
    law = [1 + (7 * k) % 5 for k in range(24)]
    row = Prior([f"{entry}/{sum(law)}" for entry in law])
    frontier = Frontier(DifferentialPrivacy(), Rows([row, row, row]), Absolute(), Databases(24, 3))
    answer = frontier.distortion_at(1, time_limit=0)
    assert answer.timed_out
    assert answer.lower <= answer.upper < float("inf")


def test_a_level_that_floats_take_for_zero() -> None:
    cost = Matrix([[0, 1, "1/2"], [1, 0, "1/2"], ["3/10", 1, "1/10"], [1, "1/7", 0]])
    answer = Frontier(LocalInformationPrivacy(), _HULL, cost).distortion_at(loss="1e-13")
    assert answer.lower <= 0.37 <= answer.upper + 1e-12
    assert answer.interval.width < 1e-9
