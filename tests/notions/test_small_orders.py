"""Sibson's information of small orders: large powers vanish in floats, and logarithms do not."""

from __future__ import annotations

import random
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from epstar.exact import Rational
from epstar.mechanism import Mechanism
from epstar.notions import SibsonMutualInformation
from epstar.source import Box, Everything, Prior

ORDERS = ("1/2", "49/100", "1/10", "1/200", "1/400", "1/1000000", "1/10000000000", f"1/{10**29}")


def sibson(rows: list[list[Fraction]], prior: list[Fraction], order: str) -> mpmath.mpf:
    """The definition, in as many digits as an order takes."""
    with mpmath.workdps(60 + 2 * len(order)):
        a = mpmath.mpf(Fraction(order).numerator) / Fraction(order).denominator
        logs = []
        for column in zip(*rows, strict=True):
            inner = sum(
                (mpmath.mpf(p.numerator) / p.denominator) * (mpmath.mpf(q.numerator) / q.denominator) ** a
                for p, q in zip(prior, column, strict=True)
                if p > 0 and q > 0
            )
            if inner > 0:
                logs.append(mpmath.log(inner) / a)
        high = max(logs)
        return a / (a - 1) * (high + mpmath.log(sum(mpmath.exp(log - high) for log in logs)))


def drawn(seed: int, letters: int | None = None) -> tuple[list[list[Fraction]], list[Fraction]]:
    """A channel with zeros, and a prior that may have some."""
    chance = random.Random(seed)
    inputs, outputs = letters or chance.randint(2, 4), chance.randint(2, 4)
    rows = []
    for _ in range(inputs):
        weights = [chance.choice((0, 0, 1, 2, 8)) for _ in range(outputs)]
        weights[chance.randrange(outputs)] += 1
        rows.append([Fraction(weight, 16) for weight in weights])
        rows[-1] = [share / sum(rows[-1]) for share in rows[-1]]
    weights = [chance.choice((0, 1, 2, 9)) for _ in range(inputs)]
    weights[0] += 1
    return rows, [Fraction(weight, sum(weights)) for weight in weights]


def of_floats(rows: list[list[Fraction]]) -> Mechanism:
    return Mechanism(np.array([[float(share) for share in row] for row in rows]))


def exact(rows: list[list[Fraction]]) -> Mechanism:
    return Mechanism([[Rational(share.numerator, share.denominator) for share in row] for row in rows])


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("seed", range(12))
def test_floats_are_right(seed: int, order: str) -> None:
    rows, prior = drawn(seed)
    law = Prior([Rational(p.numerator, p.denominator) for p in prior])
    found = SibsonMutualInformation(order).loss(of_floats(rows), law).value
    true = sibson(rows, prior, order)
    assert found == pytest.approx(float(max(true, 0)), rel=1e-9, abs=1e-14)


def test_telling_the_truth_about_a_coin() -> None:
    loss = SibsonMutualInformation("1/400").loss(Mechanism([[1.0, 0.0], [0.0, 1.0]]), Prior([0.9, 0.1]))
    assert loss.value == pytest.approx(
        float(
            sibson(
                [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]], [Fraction(9, 10), Fraction(1, 10)], "1/400"
            )
        ),
        rel=1e-12,
    )


@pytest.mark.parametrize("order", ["1/9", "1/70", "1/199", "1/300", "1/100000"])
@pytest.mark.parametrize("seed", range(6))
def test_over_a_box_the_value_is_true_or_above(seed: int, order: str) -> None:
    """A grid of priors of the box never exceeds the upper end; an end that is far from the other is not the value."""
    rows, _ = drawn(100 + seed, letters=3)
    box, notion = Box(["1/10"] * 3, ["3/5"] * 3), SibsonMutualInformation(order)
    loss = notion.loss(exact(rows), box)
    assert loss.lower is not None
    assert loss.upper is not None
    width = loss.upper.upper - loss.lower.lower
    assert width <= 0.01
    assert loss.value == (loss.upper.upper if width > 1e-9 else pytest.approx(loss.lower.lower, rel=1e-12))
    steps = [Fraction(k, 20) for k in range(2, 13)]
    grid = [[p, q, 1 - p - q] for p in steps for q in steps if Fraction(1, 10) <= 1 - p - q <= Fraction(3, 5)]
    largest = max(sibson(rows, law, order) for law in grid)
    assert largest <= loss.upper.upper * (1 + 1e-12) + 1e-15
    assert largest >= loss.lower.lower - 0.1
    floats = notion.loss(of_floats(rows), box).value
    assert floats == pytest.approx(loss.value, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("order", ["1/300", "1/100000"])
def test_the_identity_tells_all_it_can(order: str) -> None:
    identity = Mechanism([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    for source in (Box(["1/10"] * 3, ["3/5"] * 3), Everything(3)):
        loss = SibsonMutualInformation(order).loss(identity, source)
        assert loss.value == pytest.approx(float(mpmath.log(3)), abs=1e-9)
