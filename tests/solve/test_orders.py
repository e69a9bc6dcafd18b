"""Orders near one, large and huge: narrow answers in a second, between those of their neighbours."""

from __future__ import annotations

import math
import time
from decimal import Decimal, localcontext
from itertools import pairwise

import pytest
from tests.frontier.generated import Kind, generated
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.distortion import Distortion, Hamming, Matrix
from epstar.errors import InvalidInput
from epstar.exact import Rational, fraction
from epstar.frontier import Answer, Frontier
from epstar.mechanism import Mechanism
from epstar.notions import Notion, RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.problem import Problem
from epstar.source import Ball, Everything, Finite, Hull, Prior, Source

COST = Matrix([[0, 1, "1/2"], ["1/3", 0, "1/5"], [1, "1/2", 0]])
PRIOR = Prior(["1/2", "1/3", "1/6"])
HULL = Hull([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]])
TWO = Finite([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"]])
SECONDS = 8.0


def _answer(notion: Notion, source: Source, distortion: Distortion, asks: str) -> Answer:
    start = time.process_time()
    frontier = Frontier(notion, source, distortion)
    answer = frontier.loss_at("1/10") if asks == "loss" else frontier.distortion_at("1/4")
    assert time.process_time() - start < SECONDS
    assert answer.interval.width <= 1e-7
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-10)
    return answer


ORDERS = ["1e-20", "0.999999999999", "1", "1.000000000001", "100", "1e6", "1e20", "infinity"]


@pytest.mark.parametrize("asks", ["loss", "distortion"])
@pytest.mark.parametrize(
    ("kind", "source", "distortion"),
    [
        (RenyiDifferentialPrivacy, PRIOR, COST),
        (RenyiDifferentialPrivacy, HULL, Hamming()),
        (SibsonMutualInformation, HULL, COST),
        (SibsonMutualInformation, TWO, COST),
    ],
)
def test_answers_grow_with_the_order(
    kind: type[RenyiDifferentialPrivacy] | type[SibsonMutualInformation],
    source: Source,
    distortion: Distortion,
    asks: str,
) -> None:
    answers = [_answer(kind(order), source, distortion, asks) for order in ORDERS]
    for smaller, larger in pairwise(answers):
        assert smaller.lower <= larger.upper
    # A large order is below infinity by at most log(1/p) over it, p being the chance of the worst output.
    sixth, infinite = answers[ORDERS.index("1e6")], answers[-1]
    assert infinite.upper - sixth.lower < 1e-4
    # Near one nothing changes.
    around = answers[1:4]
    assert max(a.upper for a in around) - min(a.lower for a in around) < 1e-5


@pytest.mark.parametrize("order", [3, 1000, 10**6, 10**9])
def test_two_letters_against_the_definition(order: int) -> None:
    """Letters of equal chance: the truth but for one answer in ten loses most, and can do no better."""
    answer = Frontier(RenyiDifferentialPrivacy(order), Prior(["1/2", "1/2"]), Hamming()).loss_at("1/10")
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 60, 10**15, -(10**15)
        right, wrong = Decimal("0.9"), Decimal("0.1")
        total = right**order * wrong ** (1 - order) + wrong**order * right ** (1 - order)
        loss = total.ln() / (order - 1)
    assert (answer.lower, answer.upper) == pytest.approx((float(loss), float(loss)), abs=1e-12)


@pytest.mark.parametrize("order", ["1000", "1e6", "1e9", "1.000000000001", "1e-9"])
def test_losses_against_many_digits(order: str) -> None:
    rows = [["3/4", "1/8", "1/8"], ["1/4", "1/2", "1/4"], ["1/3", "1/3", "1/3"]]
    mechanism = Mechanism(rows)
    with localcontext() as context:
        context.prec, context.Emax, context.Emin = 80, 10**15, -(10**15)
        a = Decimal(order)
        table = [[Decimal(int(q.p)) / Decimal(int(q.q)) for q in row] for row in mechanism.rows]
        pairs = [(p, q) for p in table for q in table if p is not q]
        sums = [sum((x**a * y ** (1 - a) for x, y in zip(p, q, strict=True)), Decimal(0)) for p, q in pairs]
        renyi = max(total.ln() / (a - 1) for total in sums)
        prior = [Decimal("0.5"), Decimal("0.25"), Decimal("0.25")]
        inner = [
            sum((p * q**a for p, q in zip(prior, column, strict=True)), Decimal(0))
            for column in zip(*table, strict=True)
        ]
        sibson = sum((total ** (1 / a) for total in inner), Decimal(0)).ln() * a / (a - 1)
    found = RenyiDifferentialPrivacy(order).loss(mechanism)
    assert found.upper is not None
    assert float(found.upper) == pytest.approx(float(renyi), rel=1e-13)
    informed = SibsonMutualInformation(order).loss(mechanism, Prior(["1/2", "1/4", "1/4"]))
    assert informed.upper is not None
    assert float(informed.upper) == pytest.approx(float(sibson), rel=1e-12)


@pytest.mark.parametrize("order", ["1e31", "1e-31", str(fraction(1 + Rational(1, 10**31)))])
def test_orders_that_cannot_matter_are_refused(order: str) -> None:
    with pytest.raises(InvalidInput, match="cannot be told"):
        RenyiDifferentialPrivacy(order)


# Questions on which the steps of some method failed or took a minute.
HARD = [
    (Kind("renyi", "prior", "absolute", "star", "loss"), 2, "1000"),
    (Kind("renyi", "ball", "absolute", "metric", "distortion"), 2, "1e9"),
    (Kind("renyi", "hull", "hamming", "line", "loss"), 2, "1e9"),
    (Kind("sibson", "hull", "gain", "line", "loss"), 2, "1e6"),
    (Kind("sibson", "finite", "absolute", "alphabet", "distortion"), 1, "1e6"),
    (Kind("sibson", "ball", "gain", "metric", "loss"), 3, "1e15"),
    (Kind("sibson", "box", "matrix", "disconnected", "distortion"), 3, "1e15"),
]


@pytest.mark.parametrize(("kind", "seed", "order"), HARD, ids=lambda value: str(value)[:60])
def test_questions_that_were_hard(kind: Kind, seed: int, order: str) -> None:
    drawn = generated(kind, seed)
    notion = RenyiDifferentialPrivacy(order) if kind.notion == "renyi" else SibsonMutualInformation(order)
    problem = Problem(notion, drawn.source, drawn.distortion, drawn.universe, drawn.asks, drawn.given)
    start = time.process_time()
    answer = Frontier.answer(problem)
    assert time.process_time() - start < SECONDS
    assert answer.interval.width <= 1e-7
    assert not math.isinf(answer.upper)
    known = answer.proof.check()
    ends = checked_by_the_second(write_answer(answer))
    assert ends == pytest.approx((known.lower.lower, known.upper.upper), abs=1e-9)


def _many_letters(letters: int) -> tuple[Matrix, list[Rational]]:
    """Return costs without any symmetry and a prior without zeros."""
    cost = [[Rational((37 * x + 101 * y + 13 * x * y) % 97, 97) for y in range(letters)] for x in range(letters)]
    weights = [5 + (7 * x) % letters for x in range(letters)]
    return Matrix(cost), [Rational(weight, sum(weights)) for weight in weights]


@pytest.mark.parametrize(
    ("notion", "letters", "is_known", "asks"),
    [
        (RenyiDifferentialPrivacy("1e6"), 7, True, "loss"),
        (RenyiDifferentialPrivacy(10), 7, False, "distortion"),
        (SibsonMutualInformation("1e6"), 10, False, "loss"),
        (SibsonMutualInformation("1e4"), 18, True, "distortion"),
    ],
    ids=str,
)
def test_many_letters_of_a_large_order(notion: Notion, letters: int, is_known: bool, asks: str) -> None:
    """Widths that neither a cone solver reaches nor the multipliers of order infinity, which miss some 1/order."""
    cost, prior = _many_letters(letters)
    frontier = Frontier(notion, Prior(prior) if is_known else Ball(prior, "1/4"), cost)
    answer = frontier.loss_at("1/5") if asks == "loss" else frontier.distortion_at("1/2")
    assert answer.interval.width <= 1e-8
    ends = checked_by_the_second(write_answer(answer))
    assert ends == pytest.approx((answer.lower, answer.upper), abs=1e-10)


def test_structured_mechanisms_of_a_huge_order() -> None:
    """Powers of an order of a million vanish in floats; in units of the largest entries they do not."""
    mechanism = Frontier(SibsonMutualInformation("infinity"), Everything(4), Hamming()).loss_at("1/3").mechanism
    assert mechanism is not None
    losses = [SibsonMutualInformation(order).loss(mechanism, Everything(4)) for order in ("1e6", "infinity")]
    for loss in losses:
        assert loss.lower is not None
        assert loss.upper is not None
        assert float(loss.upper - loss.lower) < 1e-9
    assert 0 <= losses[1].value - losses[0].value < 1e-5


def test_second_checker_of_a_small_order() -> None:
    """Norms of an order of a hundredth are as small as 2^-100, and still tell how much is lost."""
    cost = Matrix([["1/8", "1/7", "1/5"], ["5/8", "6/7", "7/8"], ["3/5", "1/8", "4/5"]])
    answer = Frontier(SibsonMutualInformation("1/100"), Ball(["1/5", "7/20", "9/20"], "7/10"), cost).distortion_at(1)
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-12)
