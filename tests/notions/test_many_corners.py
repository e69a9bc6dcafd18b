"""Losses that are convex in the prior, over regions with more corners than can be listed: enclosed, and rightly."""

import random

import pytest

from epstar.exact import ONE, Rational
from epstar.mechanism import Mechanism
from epstar.notions import MinEntropyLeakage, PointwiseLeakage
from epstar.notions.base import Notion
from epstar.source import Ball, Box, Hull, Source


def law(size: int, numbers: random.Random) -> list[Rational]:
    weights = [numbers.randint(1, 9) for _ in range(size)]
    return [Rational(weight, sum(weights)) for weight in weights]


def drawn(number: int) -> tuple[Mechanism, Source]:
    numbers = random.Random(number)
    size = numbers.randint(2, 5)
    center = law(size, numbers)
    box = Box([p / 2 for p in center], [min(ONE, p * Rational(3, 2)) for p in center])
    source = Ball(center, Rational(numbers.randint(1, 4), 10)) if number % 2 else box
    return Mechanism([law(size, numbers) for _ in range(size)]), source


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("notion", [MinEntropyLeakage(), PointwiseLeakage()], ids=lambda notion: notion.name)
def test_the_enclosure_holds_what_the_corners_give(
    notion: Notion, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, source = drawn(number)
    known = notion.loss(mechanism, source)
    monkeypatch.setattr("epstar.notions.min_entropy_leakage._corners_of_parts", lambda _: None)
    monkeypatch.setattr("epstar.notions.pointwise_leakage._corners", lambda _: None)
    found = notion.loss(mechanism, source)
    assert known.upper is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower.lower <= known.upper.upper
    assert known.upper.lower <= found.upper.upper
    assert found.upper.upper < known.upper.upper + 0.5
    in_floats = notion.loss(mechanism.in_floats(), source)
    assert in_floats.value == pytest.approx(found.value, abs=1e-12)


def test_a_constant_answer_helps_nobody_over_many_letters() -> None:
    numbers = random.Random(1)
    center = law(40, numbers)
    constant = Mechanism([law(3, random.Random(2))] * 40)
    loss = MinEntropyLeakage().loss(constant, Box([p / 2 for p in center], [2 * p for p in center]))
    assert loss.upper is not None
    assert loss.upper.rational == 0


def test_few_laws_on_many_letters_have_few_corners() -> None:
    numbers = random.Random(3)
    mechanism = Mechanism([law(4, numbers) for _ in range(14)])
    loss = MinEntropyLeakage().loss(mechanism, Hull([law(14, numbers) for _ in range(3)]))
    assert loss.lower == loss.upper
