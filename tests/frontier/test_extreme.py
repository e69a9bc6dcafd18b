"""Numbers of very different sizes: probabilities of 1e-300, costs of 1e12 and 1e-12, levels near 700.

Every answer is as narrow as for moderate numbers, in units of the largest cost, and both checkers agree on it.
"""

from __future__ import annotations

import json

import pytest
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.distortion import Absolute, Distortion, Gain, Hamming, Matrix
from epstar.exact import ONE, Number, Rational
from epstar.frontier import Answer, Frontier
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MinEntropyCapacity,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Ball, Box, Hull, Prior, Source
from epstar.universe import Databases

LINEAR, CONVEX = 1e-9, 1e-7
UNLIKE = Matrix([[0 if x == y else (10**12 if (x + y) % 2 else "1e-12") for y in range(3)] for x in range(3)])
HUGE = Matrix([[0, 3 * 10**12, 10**12], [10**12, 0, 9 * 10**12], [7 * 10**12, 2 * 10**12, 0]])
TINY = Matrix([[0, "3e-12", "1e-12"], ["1e-12", 0, "9e-12"], ["7e-12", "2e-12", 0]])
PLAIN = Matrix([[0, 3, 1], [1, 0, 9], [7, 2, 0]])
WORTH = Gain([[7, 8, 9], [1, 3, 0], [5, 8, 2]])


def rare(exponent: int) -> Prior:
    """Return a prior with one entry of ten to minus the exponent."""
    least = Rational(1, 10**exponent)
    return Prior([least, (ONE - least) * Rational(21, 31), (ONE - least) * Rational(10, 31)])


def proven_twice(answer: Answer) -> Answer:
    """Return the answer after checking that the second checker proves the same ends."""
    lower, upper = checked_by_the_second(json.loads(json.dumps(write_answer(answer))))
    ends = (-upper, -lower) if answer.unit == "utility" else (lower, upper)
    assert ends == pytest.approx((answer.lower, answer.upper), rel=1e-14, abs=1e-300)
    return answer


@pytest.mark.parametrize("notion", [Identifiability(), MaximalInformation(), LocalInformationPrivacy("1/100")])
@pytest.mark.parametrize("distortion", [Absolute(), UNLIKE, WORTH])
@pytest.mark.parametrize("level", ["log(2)", "690.1", 700])
def test_a_probability_of_1e_300(notion: Notion, distortion: Distortion, level: Number) -> None:
    if isinstance(notion, Identifiability) and level == "log(2)":
        return
    source = Prior(["1e-300", "1/2", Rational(1, 2) - Rational(1, 10**300)])
    assert proven_twice(Frontier(notion, source, distortion).distortion_at(loss=level)).interval.width <= LINEAR


def unlike_costs(letters: int) -> Matrix:
    """Return costs without a pattern, none of a right answer."""
    return Matrix([[(7 * x + 5 * y + x * y) % 11 if x != y else 0 for y in range(letters)] for x in range(letters)])


def test_a_probability_of_1e_300_among_nine_letters() -> None:
    rest = (ONE - Rational(1, 10**300)) / 36
    source = Prior(["1e-300", *(rest * k for k in range(1, 9))])
    answer = Frontier(Identifiability(), source, unlike_costs(9)).distortion_at(loss=f"log({10**300})")
    assert proven_twice(answer).interval.width == 0


@pytest.mark.parametrize("notion", [Identifiability(), ApproximateDifferentialPrivacy("1/100")])
def test_a_hair_above_the_least_distortion_of_ten_letters(notion: Notion) -> None:
    source = Hull([[Rational(k + x, 45 + 10 * k) for x in range(10)] for k in (1, 3)])
    answer = Frontier(notion, source, unlike_costs(10)).loss_at(distortion="1e-12")
    assert proven_twice(answer).interval.width <= LINEAR


@pytest.mark.parametrize("exponent", [30, 300])
@pytest.mark.parametrize("distortion", [Absolute(), WORTH])
def test_the_least_loss_just_above_the_least_distortion(exponent: int, distortion: Distortion) -> None:
    source = rare(exponent)
    frontier = Frontier(Identifiability(), source, distortion)
    least = source.maximum([min(row) for row in distortion.matrix(frontier.universe)]).value
    answer = frontier.loss_at(distortion=least + Rational(1, 10**10))
    assert proven_twice(answer).interval.width <= LINEAR
    assert 2 * exponent < answer.lower < 4 * exponent


@pytest.mark.parametrize("order", [2, 3])
def test_symmetric_mechanisms_that_are_hardly_ever_wrong(order: Number) -> None:
    frontier = Frontier(RenyiDifferentialPrivacy(order), Prior(["1/3", "1/3", "1/3"]), Hamming())
    assert proven_twice(frontier.loss_at(distortion="1e-300")).interval.width <= CONVEX


def test_a_guess_of_the_worst_prior_beyond_floats() -> None:
    source = Box([0, "1/20", "1/20", "23/60"], ["13/60", "7/20", "7/20", "41/60"])
    answer = Frontier(SibsonMutualInformation("1/100"), source, Absolute(), Databases(2, 2)).distortion_at(loss=690)
    assert proven_twice(answer).interval.width <= CONVEX


def test_a_least_bound_that_floats_do_not_lead_to_is_exact() -> None:
    # Twice as likely a right guess of the two rewards of the rare letter is worth no more than 1e-18.
    source, distortion = rare(9), Gain([[7, 8, 9], [1, 3, 0], [5, 8, 9]])
    frontier = Frontier(MinEntropyCapacity(), source, distortion)
    least = source.maximum([min(row) for row in distortion.matrix(frontier.universe)]).value
    answer = proven_twice(frontier.loss_at(distortion=least + Rational(1, 10**19)))
    assert answer.interval.width == 0
    assert answer.lower > 0


@pytest.mark.parametrize(
    "notion",
    [
        DifferentialPrivacy(),
        ApproximateDifferentialPrivacy("1/100"),
        LocalInformationPrivacy("1/100"),
        MinEntropyCapacity(),
    ],
)
@pytest.mark.parametrize("source", [rare(300), Ball(["1/2", "1/3", "1/6"], "1/10")])
def test_huge_costs_at_an_irrational_ratio(notion: Notion, source: Source) -> None:
    answer = proven_twice(Frontier(notion, source, HUGE).distortion_at(loss="1/2"))
    assert answer.interval.width <= LINEAR
    assert answer.upper > 10**10


@pytest.mark.parametrize(
    "notion",
    [
        MutualInformation(),
        Capacity(),
        PointwiseLeakage(),
        RenyiDifferentialPrivacy(2),
        RenyiDifferentialPrivacy("1/2"),
        SibsonMutualInformation(2),
        SibsonMutualInformation("1/2"),
    ],
)
def test_costs_in_other_units(notion: Notion) -> None:
    source = Prior(["1/2", "1/3", "1/6"])
    tiny, plain = (proven_twice(Frontier(notion, source, d).distortion_at(loss="log(2)")) for d in (TINY, PLAIN))
    assert tiny.interval.width <= CONVEX * 9e-12
    assert tiny.lower * 10**12 <= plain.upper + 1e-15
    assert tiny.upper * 10**12 >= plain.lower - 1e-15
    middle = Rational(1, 2)
    losses = [
        Frontier(notion, source, d).loss_at(distortion=middle * unit)
        for d, unit in ((TINY, Rational(1, 10**12)), (PLAIN, ONE))
    ]
    assert max(found.interval.width for found in losses) <= CONVEX
    assert losses[0].lower == pytest.approx(losses[1].lower, abs=2 * CONVEX)


@pytest.mark.parametrize("notion", [MutualInformation(), PointwiseLeakage(), RenyiDifferentialPrivacy(2)])
@pytest.mark.parametrize("source", [rare(300), Hull([["1/2", "1/3", "1/6"], ["1/3", "2/3", 0]])])
@pytest.mark.parametrize("distortion", [HUGE, UNLIKE, TINY])
def test_level_zero(notion: Notion, source: Source, distortion: Distortion) -> None:
    answer = proven_twice(Frontier(notion, source, distortion).distortion_at(loss=0))
    assert answer.interval.width <= 1e-15 * min(1.0, answer.upper)


@pytest.mark.parametrize(("notion", "distortion"), [(Capacity(), WORTH), (Capacity(), Hamming())])
def test_a_weight_that_cancels_300_digits(notion: Notion, distortion: Distortion) -> None:
    source = Prior([Rational(1, 10**300), 1 - Rational(1, 10**300)]) if distortion == Hamming() else rare(300)
    frontier = Frontier(notion, source, distortion)
    cost = distortion.matrix(frontier.universe)
    least = source.maximum([min(row) for row in cost]).value
    most = min(
        sum((p * row[y] for p, row in zip(source.probabilities, cost, strict=True)), Rational(0)) for y in range(2)
    )
    answer = proven_twice(frontier.loss_at(distortion=(least + most) / 2))
    assert answer.interval.width <= CONVEX


@pytest.mark.parametrize(
    "notion",
    [
        MutualInformation(),
        Capacity(),
        RenyiDifferentialPrivacy(2),
        ApproximateDifferentialPrivacy("1/100", "pointwise"),
    ],
)
def test_a_large_mechanism_that_ignores_its_input_loses_exactly_nothing(notion: Notion) -> None:
    counts = [7 * y % 13 + 1 for y in range(130)]
    constant = Mechanism([[Rational(count, sum(counts)) for count in counts]] * 130)
    upper = notion.loss(constant, Prior([Rational(1, 130)] * 130)).upper
    assert upper is not None
    assert upper.rational == 0
