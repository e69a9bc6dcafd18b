"""Databases by the number of wrong rows: against the general program, against known numbers, and with many rows."""

import math
from itertools import pairwise

import pytest

from epstar.completion import DistanceProof, RowsProof
from epstar.distortion import Hamming
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Number, Rational, Real, rational
from epstar.frontier import Answer, Frontier
from epstar.mechanism import DistanceMechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.solve.forms import hamming_cube
from epstar.source import Ball, Box, Everything, Finite, Hull, Prior, Rows, Source
from epstar.universe import Databases

POINTWISE = [ApproximateDifferentialPrivacy(delta, "pointwise") for delta in ("1/100", "1/10", "2/5")]
LEAKAGES = [MaximalLeakage(), MinEntropyCapacity(), MinEntropyLeakage(), MaximalInformation()]
SIBSON = [SibsonMutualInformation(order) for order in ("1/2", "3/2", 2, 5, "infinity")]
LEVEL = [DifferentialPrivacy(), ApproximateDifferentialPrivacy("1/20"), RenyiDifferentialPrivacy(2)]
# Cone programs know their optimum to fewer digits than linear ones.
WIDTH = {SibsonMutualInformation: 1e-7, RenyiDifferentialPrivacy: 1e-7, MutualInformation: 1e-7}


def uniform_rows(letters: int, rows: int) -> Rows:
    return Rows(Prior.uniform_on(letters), rows)


def frontier(notion: Notion, letters: int, rows: int, source: Source | None = None) -> Frontier:
    known = uniform_rows(letters, rows) if source is None else source
    return Frontier(notion, known, Hamming(), Databases(letters, rows))


def assert_agree(special: Answer, general: Answer, notion: Notion) -> None:
    assert special.interval.width <= 1e-12
    assert general.interval.width <= WIDTH.get(type(notion), 1e-9)
    assert special.lower <= general.upper
    assert general.lower <= special.upper


@pytest.mark.parametrize("notion", [*LEAKAGES, *SIBSON, *POINTWISE], ids=repr)
@pytest.mark.parametrize(("letters", "rows"), [(2, 2), (2, 3), (3, 2)])
def test_agrees_with_the_program(notion: Notion, letters: int, rows: int) -> None:
    ask = frontier(notion, letters, rows)
    constant = Rational(rows * (letters - 1), letters)
    for share in ("1/7", "2/5", "9/10"):
        wrong = constant * rational(share)
        special = ask.loss_at(wrong)
        assert isinstance(special.proof, DistanceProof)
        assert_agree(special, ask.loss_at(wrong, method="program"), notion)
    for level in ("1/10", "log(3/2)"):
        assert_agree(ask.distortion_at(level), ask.distortion_at(level, method="program"), notion)


@pytest.mark.parametrize("notion", [MaximalLeakage(), SibsonMutualInformation(2), POINTWISE[1]], ids=repr)
def test_agrees_with_the_program_on_sixteen_databases(notion: Notion) -> None:
    ask = frontier(notion, 2, 4)
    assert_agree(ask.loss_at("3/5"), ask.loss_at("3/5", method="program"), notion)
    assert_agree(ask.distortion_at("1/2"), ask.distortion_at("1/2", method="program"), notion)


def uniform_among_others(letters: int, rows: int) -> list[Source]:
    size = letters**rows
    even = Prior.uniform_on(size)
    first = Prior([1] + [0] * (size - 1))
    return [
        even,
        Everything(size),
        Finite([first, even]),
        Hull([first, even]),
        Ball(even, "1/5"),
        Box([0] * size, ["1/2"] * size),
        Rows(Everything(letters), rows),
        Rows(Finite([["3/4", "1/4"], ["1/2", "1/2"]]), rows, iid=False),
    ]


@pytest.mark.parametrize("source", uniform_among_others(2, 2), ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("notion", [MaximalLeakage(), SibsonMutualInformation(2), *POINTWISE[:1], *LEVEL], ids=repr)
def test_a_source_with_the_uniform_law_costs_what_that_law_costs(notion: Notion, source: Source) -> None:
    alone = frontier(notion, 2, 2)
    more = frontier(notion, 2, 2, source)
    for wrong in ("1/3", "4/5"):
        answer = more.loss_at(wrong)
        assert isinstance(answer.proof, DistanceProof | RowsProof)
        assert answer.interval.width <= 1e-9
        assert answer.lower <= alone.loss_at(wrong).upper
        assert alone.loss_at(wrong).lower <= answer.upper
    answer = more.distortion_at("1/2")
    assert answer.interval.width <= 1e-9
    assert answer.lower <= alone.distortion_at("1/2").upper


@pytest.mark.parametrize("notion", [MaximalLeakage(), *POINTWISE[:1], *LEVEL], ids=repr)
def test_mixtures_are_enough_where_the_loss_ignores_the_source(notion: Notion) -> None:
    ends = Finite([["1/2", 0, 0, "1/2"], [0, "1/2", "1/2", 0]])
    answer = frontier(notion, 2, 2, ends).loss_at("1/2")
    assert answer.method in ("rows", "closed form")
    assert answer.interval.width <= 1e-12
    assert_agree(answer, frontier(notion, 2, 2, ends).loss_at("1/2", method="program"), notion)


def test_mixtures_are_not_enough_where_it_does_not() -> None:
    ends = Finite([["1/2", 0, 0, "1/2"], [0, "1/2", "1/2", 0]])
    ask = frontier(SibsonMutualInformation(2), 2, 2, ends)
    assert ask.loss_at("1/2").upper < frontier(SibsonMutualInformation(2), 2, 2).loss_at("1/2").lower - 0.01


@pytest.mark.parametrize(
    ("notion", "loss"),
    [
        # zhong2022: Lemma 16(2) and Theorem 7(4) at m = 2, n = 2, D = 1/2, and item 6.
        (MaximalLeakage(), math.log(2)),
        (MaximalInformation(), math.log(2)),
        (SibsonMutualInformation(2), math.log(1.5)),
        (ApproximateDifferentialPrivacy("1/10", "pointwise"), math.log(2.2)),
        (ApproximateDifferentialPrivacy("1/10"), math.log(2.6)),
    ],
    ids=repr,
)
def test_known_numbers(notion: Notion, loss: float) -> None:
    answer = frontier(notion, 2, 2).loss_at("1/2")
    assert answer.lower == pytest.approx(loss, abs=1e-12)
    assert answer.upper == pytest.approx(loss, abs=1e-12)


def test_a_published_pointwise_optimum() -> None:
    # zhong2022, Theorem 7(2): between the printed bounds 0.270875 and 0.938632.
    answer = frontier(ApproximateDifferentialPrivacy("0.12", "pointwise"), 2, 3).loss_at("0.675")
    assert answer.lower == pytest.approx(0.541720, abs=1e-6)


def test_exact_where_the_answer_is_a_logarithm() -> None:
    assert str(frontier(MaximalLeakage(), 2, 2).loss_at("1/2").interval.lower) == "log(2)"
    sibson = frontier(SibsonMutualInformation(2), 2, 2).loss_at("1/2").interval
    assert str(sibson.lower) == str(sibson.upper) == "log(3/2)"
    leak = frontier(MaximalLeakage(), 3, 40).distortion_at("log(7/2)").interval
    assert leak.lower.rational == leak.upper.rational is not None
    pointwise = frontier(POINTWISE[1], 2, 2).distortion_at("log(3/2)").interval
    assert pointwise.lower.rational == pointwise.upper.rational == Rational(16, 25)


@pytest.mark.parametrize("notion", [*LEAKAGES[:3], *SIBSON, *POINTWISE[1:2], *LEVEL], ids=repr)
def test_the_ends_of_the_trade_off(notion: Notion) -> None:
    ask = frontier(notion, 3, 4, Everything(81))
    assert ask.loss_at("8/3").upper == 0.0
    assert ask.loss_at(4).upper == 0.0
    truth = ask.loss_at(0)
    bounded = not isinstance(notion, ApproximateDifferentialPrivacy | DifferentialPrivacy | RenyiDifferentialPrivacy)
    assert truth.lower == pytest.approx(math.log(81) if bounded else math.inf)
    assert truth.interval.width <= 1e-12
    level_zero = ask.distortion_at(0)
    assert level_zero.interval.width <= 1e-9
    assert (level_zero.upper == pytest.approx(8 / 3)) == (getattr(notion, "delta", 0) == 0)
    with pytest.raises(NoSolution):
        ask.loss_at("-1/10")


@pytest.mark.parametrize("notion", [*LEAKAGES, *SIBSON], ids=repr)
def test_levels_that_do_not_bind(notion: Notion) -> None:
    answer = frontier(notion, 2, 3).distortion_at("log(8)")
    assert (answer.lower, answer.upper) == (0.0, 0.0)


def test_slack_one_allows_the_truth() -> None:
    ask = frontier(ApproximateDifferentialPrivacy(1, "pointwise"), 2, 3)
    assert ask.loss_at(0).upper == ask.distortion_at(0).upper == 0.0


@pytest.mark.parametrize("order", ["1/10", "99/100", "101/100", 20, 1000])
def test_sibson_orders_far_from_two(order: Number) -> None:
    ask = frontier(SibsonMutualInformation(order), 2, 30)
    for wrong in ("1e-12", "1/7", 3, "14.999"):
        assert ask.loss_at(wrong).interval.width <= 1e-12
    for level in ("1e-9", 1, 15):
        assert ask.distortion_at(level).interval.width <= 1e-12


def test_sibson_orders_lie_between_information_and_leakage() -> None:
    orders = [SibsonMutualInformation(order) for order in ("1/2", "99/100", "101/100", 2, 30, "infinity")]
    values = [frontier(notion, 3, 50).loss_at(10) for notion in [*orders[:2], MutualInformation(), *orders[2:]]]
    assert all(left.upper < right.lower for left, right in pairwise(values))


@pytest.mark.parametrize(
    "notion",
    [*LEAKAGES[:3], *SIBSON[1:4], ApproximateDifferentialPrivacy("1/1000000", "pointwise"), *LEVEL],
    ids=repr,
)
@pytest.mark.parametrize("everything", [False, True])
def test_a_thousand_rows(notion: Notion, everything: bool) -> None:
    ask = frontier(notion, 3, 1000, Everything(3**1000) if everything else None)
    answers = [ask.loss_at(wrong) for wrong in ("1/2", 100, 600)]
    assert all(answer.interval.width <= 1e-9 for answer in answers)
    assert [answer.upper for answer in answers] == sorted((answer.upper for answer in answers), reverse=True)
    # Asked the other way round, the trade-off leads back.
    back = ask.distortion_at(answers[0].interval.lower.below(64))
    assert back.interval.width <= 1e-6
    assert back.lower <= 0.5 + 1e-6
    assert back.upper >= 0.5 - 1e-9


def test_a_thousand_rows_cost_less_together_than_one_by_one() -> None:
    together = frontier(MaximalLeakage(), 2, 1000).loss_at(100)
    one_by_one = 1000 * math.log(2 * 0.9)
    assert together.upper < one_by_one - 200


def test_maximal_leakage_is_the_volume_of_a_ball() -> None:
    # At the mean distance within a ball the optimum is uniform on it.
    sizes = Databases(2, 60).sphere_sizes()
    volume = sum(sizes[:11])
    mean = Rational(sum(d * s for d, s in enumerate(sizes[:11])), volume)
    answer = frontier(MaximalLeakage(), 2, 60).loss_at(mean)
    assert answer.interval.lower.argument_of_log == answer.interval.upper.argument_of_log == Rational(2**60, volume)


def test_other_problems_are_left_alone() -> None:
    ask = frontier(MaximalInformation(), 2, 2, Everything(4)).loss_at("1/2")
    assert not isinstance(ask.proof, DistanceProof)
    skewed = frontier(MaximalLeakage(), 2, 2, Rows(Prior(["3/4", "1/4"]), 2)).loss_at("1/4")
    assert not isinstance(skewed.proof, DistanceProof)
    assert frontier(MaximalLeakage(), 1, 3).loss_at(1).upper == 0.0


def test_too_many_rows_are_refused() -> None:
    with pytest.raises(InvalidInput, match="at most 16384 rows"):
        frontier(MaximalLeakage(), 2, 20_000).loss_at(10)


def test_the_mechanism_depends_on_distances_only() -> None:
    answer = frontier(MaximalLeakage(), 3, 5).loss_at("1/2")
    assert isinstance(answer.mechanism, DistanceMechanism)
    assert answer.mechanism.mean_distance == Rational(1, 2)
    assert Real.of(answer.mechanism.at_distance(0) * 3**5).rational == answer.interval.upper.argument_of_log


def test_nothing_is_found_without_the_uniform_law() -> None:
    corner = Hull([["1/2", "1/2", 0, 0], ["1/4", "1/2", "1/4", 0]])
    problem = Problem(MaximalLeakage(), corner, Hamming(), Databases(2, 2), "loss", Real.of("1/4"))
    assert not hamming_cube.accepts(problem)
