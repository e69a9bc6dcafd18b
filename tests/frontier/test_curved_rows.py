"""Rows that share an unknown law, or have unknown laws of their own: answers over curved sets of laws."""

from __future__ import annotations

import random

import pytest
from tests.frontier.generated import CONVEX
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.distortion import Distortion, Gain, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import Rational, dot
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Box, Finite, Hull, Rows
from epstar.source.cells import product_law
from epstar.universe import Databases

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/20"),
    RenyiDifferentialPrivacy(2),
    MutualInformation(),
    SibsonMutualInformation(2),
    MaximalLeakage(),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy("1/50"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
]
DATABASES = Databases(2, 2)
UNEVEN = Matrix([[0, 1, "1/2"], ["1/3", 0, "1/5"], ["1/3", 1, "1/5"], [1, "1/2", 0]])
BOX = Box(["1/5", "3/10"], ["7/10", "4/5"])


# Their suprema over a curved set take long.
SLOW = (MutualInformation, SibsonMutualInformation)


@pytest.mark.parametrize(
    "notion",
    [pytest.param(notion, marks=pytest.mark.full) if isinstance(notion, SLOW) else notion for notion in NOTIONS],
    ids=lambda notion: notion.name,
)
@pytest.mark.parametrize(
    ("distortion", "iid"),
    [
        (UNEVEN, True),
        pytest.param(UNEVEN, False, marks=pytest.mark.full),
        pytest.param(Hamming(), True, marks=pytest.mark.full),
    ],
    ids=["matrix-shared", "matrix-own", "hamming-shared"],
)
def test_answers_over_a_continuum_of_row_laws(notion: Notion, distortion: Distortion, iid: bool) -> None:
    source = Rows(BOX, 2, iid=iid)
    frontier = Frontier(notion, source, distortion, DATABASES)
    limit = 1e-7 if isinstance(notion, CONVEX) else 1e-9
    level = 2 if isinstance(notion, Identifiability) else "1/2"
    answer = frontier.distortion_at(loss=level)
    assert answer.interval.width <= limit
    lower, upper = checked_by_the_second(write_answer(answer))
    assert lower == pytest.approx(answer.lower, abs=1e-9)
    assert upper == pytest.approx(answer.upper, abs=1e-9)
    # Some of the laws allow no more than all of them.
    numbers = random.Random(notion.name)
    laws = [[p, 1 - p] for p in (Rational(numbers.randint(20, 70), 100) for _ in range(3))]
    fewer = Frontier(notion, Rows(Finite(laws), 2, iid=iid), distortion, DATABASES).distortion_at(loss=level)
    assert fewer.lower <= answer.upper + 1e-12
    # The mechanism keeps its word under laws that no program has seen.
    assert answer.mechanism is not None
    for _ in range(20):
        first, second = (Rational(numbers.randint(200, 700), 1000) for _ in range(2))
        law = product_law([(first, 1 - first), (first, 1 - first) if iid else (second, 1 - second)])
        worst = answer.mechanism.distortion(distortion, source).value
        costs = distortion.matrix(DATABASES)
        expected = [dot(row, cost) for row, cost in zip(answer.mechanism.dense().rows, costs, strict=True)]
        assert dot(law, expected) <= worst


def test_the_loss_asked_for_over_shared_laws() -> None:
    frontier = Frontier(MutualInformation(), Rows(Hull([["1/5", "4/5"], ["3/5", "2/5"]]), 2), UNEVEN, DATABASES)
    answer = frontier.loss_at(distortion="1/4")
    assert answer.interval.width <= 1e-7
    back = frontier.distortion_at(loss=answer.upper)
    assert back.lower <= 0.25 + 1e-9


def test_sharing_a_law_helps() -> None:
    shared, own = (
        Frontier(DifferentialPrivacy(), Rows(BOX, 2, iid=iid), UNEVEN, DATABASES).distortion_at(loss="1/2")
        for iid in (True, False)
    )
    assert shared.upper < own.lower


def test_an_identifiable_continuum_has_its_reason() -> None:
    with pytest.raises(NoSolution, match="gives away more"):
        Frontier(Identifiability(), Rows(BOX, 2), UNEVEN, DATABASES).distortion_at(loss="1/10")


def test_the_supremum_of_a_loss_is_enclosed_and_attained() -> None:
    mechanism = Frontier(MutualInformation(), Rows(BOX, 2), UNEVEN, DATABASES).distortion_at(loss="1/2").mechanism
    assert mechanism is not None
    for notion in NOTIONS:
        loss = notion.loss(mechanism, Rows(BOX, 2))
        assert loss.lower is not None
        assert loss.upper is not None
        assert loss.lower.lower <= loss.upper.upper
        assert (loss.upper - loss.lower).upper <= (2e-9 if isinstance(notion, CONVEX) else 2e-11)
        if notion.needs_source:
            for step in range(11):
                p = Rational(20 + 5 * step, 100)
                at = notion.loss(mechanism, Rows(Finite([[p, 1 - p]]), 2)).lower
                assert at is not None
                assert at.lower <= loss.upper.upper


def test_the_second_checker_accepts_what_just_fits() -> None:
    frontier = Frontier(MaximalInformation(), Rows(BOX, 2), UNEVEN, DATABASES)
    answer = frontier.loss_at(distortion="1/4")
    lower, upper = checked_by_the_second(write_answer(answer))
    assert (lower, upper) == pytest.approx((answer.lower, answer.upper), abs=1e-10)


def test_laws_that_hardly_differ_leave_the_best_constant_answer_to_exact_numbers() -> None:
    row = Box(["1/10", "1/5"], ["4/5", "9/10"])
    gain = Gain([[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0], [0, 0, 1, 1]])
    frontier = Frontier(MinEntropyLeakage(), Rows(row, 2), gain, Databases(2, 2))
    answer = frontier.distortion_at(loss="1/2")
    assert answer.interval.width < 1e-9
    checked_by_the_second(write_answer(answer))
