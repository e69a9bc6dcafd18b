"""Independent rows with laws of their own: what their proofs say together, compared with the law of the database."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import Literal

import pytest
from tests.proofs.cases import checked_by_the_second
from tests.proofs.schema_one import write_proof

from epstar.answer import Answer
from epstar.answer_file import write_answer
from epstar.completion import Proof, RowsProof
from epstar.distortion import Absolute, Distortion, Hamming, Squared
from epstar.errors import EpstarError, NoSolution, ProofRejected
from epstar.exact import Number, Rational, Real
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.problem import Problem
from epstar.source import Prior, Rows
from epstar.universe import Databases

HAIR = Rational(1, 10**30)
PAIR = Rows([Prior(["8/9", "1/9"]), Prior(["3/4", "1/4"])])
FREE = Rational(13, 36)
RATIOS: list[Notion] = [DifferentialPrivacy(), Identifiability(), ApproximateDifferentialPrivacy("1/20")]
ORDERS = [RenyiDifferentialPrivacy(order) for order in (2, "1/2", "101/100")]


def least_loss(notion: Notion, distortion: Number, source: Rows = PAIR) -> Answer:
    """The answer, once the second checker has agreed with it."""
    answer = Frontier(notion, source, Hamming()).loss_at(distortion)
    lower, upper = checked_by_the_second(write_answer(answer))
    assert (lower, upper) == pytest.approx((answer.lower, answer.upper), abs=1e-9)
    return answer


@pytest.mark.parametrize("distortion", ["1e-20", "1e-200"])
@pytest.mark.parametrize("notion", [DifferentialPrivacy(), RenyiDifferentialPrivacy(2)])
def test_a_row_that_is_certain_needs_no_distortion(notion: Notion, distortion: str) -> None:
    certain = Rows([Prior([1, 0]), Prior(["3/4", "1/4"])])
    alone = Frontier(notion, Prior(["3/4", "1/4"]), Hamming()).loss_at(distortion).interval
    found = least_loss(notion, distortion, certain).interval
    assert found.width <= 1e-12
    assert alone.lower <= found.upper
    assert found.lower <= alone.upper


def test_rows_that_are_all_certain_lose_nothing() -> None:
    answer = least_loss(RenyiDifferentialPrivacy(2), "1/100", Rows([Prior([1, 0]), Prior([0, 1])]))
    assert (answer.lower, answer.upper) == (0, 0)


@pytest.mark.parametrize(
    ("notion", "distortion", "exact"),
    [
        (DifferentialPrivacy(), "1/100", "log(199)"),
        (DifferentialPrivacy(), "1/5", "log(9)"),
        # The likelier row is free up to e^level = 8, and at 8 it may just begin to cost.
        (DifferentialPrivacy(), "1/3", "log(7/2)"),
        (DifferentialPrivacy(), "2/9", "log(8)"),
        (DifferentialPrivacy(), FREE, "0"),
        (DifferentialPrivacy(), FREE + HAIR, "0"),
        (DifferentialPrivacy(), 2, "0"),
        (DifferentialPrivacy(), 0, "infinity"),
        (Identifiability(), "1/5", "log(9)"),
        # The prior of the first row alone gives away log(8).
        (Identifiability(), "2/9", "log(8)"),
        (Identifiability(), FREE, "log(8)"),
        (Identifiability(), 2, "log(8)"),
        (Identifiability(), 0, "infinity"),
    ],
)
def test_logarithms_of_fractions_are_exact(notion: Notion, distortion: Number, exact: str) -> None:
    interval = least_loss(notion, distortion).interval
    assert (str(interval.lower), str(interval.upper), interval.width) == (exact, exact, 0.0)


@pytest.mark.parametrize("notion", RATIOS, ids=lambda notion: notion.name)
def test_a_hair_below_a_threshold(notion: Notion) -> None:
    free = FREE * Rational(19, 20) if isinstance(notion, ApproximateDifferentialPrivacy) else FREE
    answer = least_loss(notion, free - HAIR)
    assert answer.interval.width == 0
    # Below its threshold the second row needs e^level = 3, whatever the hair; identifiability has no jump.
    expected = 8 if isinstance(notion, Identifiability) else 3
    assert answer.upper == pytest.approx(float(Real.log(Rational(expected))), abs=1e-12)


@pytest.mark.parametrize("notion", ORDERS, ids=lambda notion: str(notion.order))
def test_orders_below_the_threshold(notion: Notion) -> None:
    answer = least_loss(notion, "1/5")
    assert answer.interval.width <= 1e-7
    law = Frontier(notion, PAIR.joint(), Hamming(), Databases(2, 2)).loss_at("1/5")
    assert answer.lower <= law.upper
    assert law.lower <= answer.upper


@pytest.mark.parametrize("notion", [*RATIOS, ORDERS[0]], ids=lambda notion: notion.name)
@pytest.mark.parametrize("distortion", [HAIR, Rational(1, 10**500)], ids=["hair", "less"])
def test_nearly_no_distortion(notion: Notion, distortion: Rational) -> None:
    # One row alone would need half as much: e^level is inverse to the distortion of a row, up to (1 - delta).
    answer = least_loss(notion, distortion)
    assert answer.interval.width <= 1e-9
    alone = Frontier(notion, Prior(["3/4", "1/4"]), Hamming()).loss_at(distortion / 2)
    assert answer.upper == pytest.approx(alone.upper, abs=1e-9)


def asked(frontier: Frontier, distortion: Rational | None, level: Number) -> Answer | None:
    try:
        return frontier.distortion_at(level) if distortion is None else frontier.loss_at(distortion)
    except NoSolution:
        return None


LEVELS: list[Number] = [0, "1/2", "log(3)", 4]


@pytest.mark.parametrize("seed", range(6))
def test_the_law_of_the_database_says_the_same(seed: int) -> None:
    numbers = random.Random(seed)
    notion = numbers.choice([*RATIOS, *RATIOS, *ORDERS[:2]])
    distortion: Distortion = numbers.choice([Hamming(), Hamming(), Squared(), Absolute()])
    letters, rows = numbers.choice([(2, 2), (2, 3), (3, 2)])
    weights = [[numbers.randint(1, 9) for _ in range(letters)] for _ in range(rows)]
    source = Rows([Prior([Rational(w, sum(law)) for w in law]) for law in weights])
    free = sum((best_constant(law, distortion) for law in source.sources), Rational(0))
    share = Rational(numbers.randint(1, 19), 20)
    for given in (free * share, free, free + HAIR, None):
        level = numbers.choice(LEVELS)
        pair = (
            Frontier(notion, source, distortion),
            Frontier(notion, source.joint(), distortion, Databases(letters, rows)),
        )
        by_rows, by_law = (asked(frontier, given, level) for frontier in pair)
        assert (by_rows is None) == (by_law is None)
        if by_rows is None or by_law is None:
            continue
        assert by_rows.lower <= by_law.upper + 1e-12
        assert by_law.lower <= by_rows.upper + 1e-12
        assert by_rows.interval.width <= (1e-7 if isinstance(notion, RenyiDifferentialPrivacy) else 1e-9)
        checked_by_the_second(write_answer(by_rows))


def best_constant(law: object, distortion: Distortion) -> Rational:
    """The least distortion of an answer that ignores the input."""
    assert isinstance(law, Prior)
    return Frontier(DifferentialPrivacy(), law, distortion).distortion_at(0).interval.upper.rational or Rational(0)


def refused_by_both(proof: RowsProof) -> None:
    with pytest.raises(ProofRejected):
        proof.check()
    with pytest.raises(EpstarError):
        checked_by_the_second(json.loads(json.dumps(write_proof(proof))))


def rows_proof(distortion: Number) -> tuple[RowsProof, Proof, Proof, int]:
    """The evidence at a distortion: all of it, the row whose loss is bounded, the other row, and which is which."""
    proof = Frontier(DifferentialPrivacy(), PAIR, Hamming()).loss_at(distortion).proof
    assert isinstance(proof, RowsProof)
    place = [row.problem.asks for row, _ in proof.parts].index("loss")
    bounded, other = proof.parts[place][0], proof.parts[1 - place][0]
    assert isinstance(bounded, Proof)
    assert isinstance(other, Proof)
    return proof, bounded, other, place


def answered(problem: Problem) -> Proof:
    proof = Frontier.answer(problem).proof
    assert isinstance(proof, Proof)
    return proof


def with_row(proof: RowsProof, place: int, row: Proof) -> RowsProof:
    parts = list(proof.parts)
    parts[place] = (row, 1)
    return replace(proof, mechanism=None, parts=tuple(parts))


@pytest.mark.parametrize("distortion", ["1/5", "1/3"])
def test_rows_prove_no_more_than_they_say(distortion: str) -> None:
    proof, bounded, other, place = rows_proof(distortion)
    # A smaller share would need more loss, and the shares would add up to less than is allowed.
    less = answered(replace(bounded.problem, given=bounded.problem.given - HAIR))
    refused_by_both(with_row(proof, place, less))
    # At least so much from each row is not more than allowed.
    level = bounded.check().lower
    refused_by_both(with_row(proof, place, answered(replace(bounded.problem, asks="distortion", given=level))))
    # A smaller level of one row is all that is proven.
    smaller = with_row(proof, 1 - place, answered(replace(other.problem, given=Real.log(Rational(5, 4)))))
    assert str(smaller.check().lower) == "log(5/4)"
    # Bounds of losses say nothing of a distortion at the very level.
    refused_by_both(replace(proof, mechanism=None, problem=replace(proof.problem, asks="distortion", given=level)))


@pytest.mark.parametrize("source", [PAIR, Rows(Prior(["3/4", "1/4"]), 3)], ids=["unlike", "alike"])
@pytest.mark.parametrize(("asks", "given"), [("loss", "-1"), ("distortion", "1/2")])
def test_that_there_is_none_is_proven_about_the_database(
    source: Rows, asks: Literal["loss", "distortion"], given: str
) -> None:
    problem = Problem(Identifiability(), source, Hamming(), Databases(2, source.rows), asks, Real.of(given))
    with pytest.raises(NoSolution, match=f"at most {given}") as refused:
        Frontier.answer(problem)
    proof = refused.value.witness
    assert isinstance(proof, RowsProof)
    assert proof.problem == problem
    assert proof.check().lower.is_infinite
    assert checked_by_the_second(write_proof(proof))[0] == float("inf")
