"""Regions from counts: proven tails, stated coverage, and a simulation that the coverage survives."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Ball as Enclosure
from epstar.exact import Rational, Real, fraction, rational, rationals
from epstar.source import Ball, Box, Source


def upper_tail(draws: int, probability: Fraction, count: int) -> Fraction:
    """P[Binomial(draws, probability) >= count], term by term."""
    rest = 1 - probability
    return sum((comb(draws, k) * probability**k * rest ** (draws - k) for k in range(count, draws + 1)), Fraction(0))


histograms = st.lists(st.integers(0, 12), min_size=1, max_size=4).filter(any)


@given(histograms, st.sampled_from(["1/2", "9/10", "0.95", "0.9999"]))
@settings(deadline=None, max_examples=60)
def test_the_tails_of_a_box_are_within_their_share_and_nearly_use_it(counts: list[int], confidence: str) -> None:
    box = Source.from_counts(counts, confidence)
    assert isinstance(box, Box)
    assert box.coverage == rational(confidence)
    draws = sum(counts)
    share = (1 - Fraction(confidence)) / (2 * len(counts))
    slightly = Fraction(1, 10**9)
    for count, low, high in zip(counts, map(fraction, box.lower), map(fraction, box.upper), strict=True):
        assert low <= Fraction(count, draws) <= high
        if count == 0:
            assert low == 0
        else:
            assert upper_tail(draws, low, count) <= share
            assert upper_tail(draws, low * (1 + slightly), count) > share
        if count == draws:
            assert high == 1
        else:
            assert upper_tail(draws, 1 - high, draws - count) <= share
            assert upper_tail(draws, 1 - high * (1 - slightly), draws - count) > share
    assert box.contains([Rational(count, draws) for count in counts])


@given(histograms, st.sampled_from(["1/2", "9/10", "0.95", "0.9999"]))
@settings(deadline=None, max_examples=60)
def test_the_radius_of_a_ball_is_weissmans_rounded_up(counts: list[int], confidence: str) -> None:
    ball = Source.from_counts(counts, confidence, shape="ball")
    assert isinstance(ball, Ball)
    assert ball.coverage == rational(confidence)
    draws, letters = sum(counts), len(counts)
    assert ball.center == tuple(Rational(count, draws) for count in counts)
    if letters == 1:
        assert ball.radius == 0
        return
    # (2^m - 2) exp(-n r^2 / 2) <= 1 - confidence, unless no law is further away.
    allowed = (1 - rational(confidence)) / (2**letters - 2)

    def tail(radius: Rational) -> Real:
        return Real.exp(-draws * radius * radius / 2)

    assert ball.radius == 2 or tail(ball.radius) <= Real.of(allowed)
    assert tail(ball.radius - Rational(1, 10**9)) > Real.of(allowed)


def test_one_draw_of_two_letters_by_hand() -> None:
    box = Source.from_counts([1, 0], "9/10")
    assert isinstance(box, Box)
    # The tail share is 1/40, and one success in one draw has probability p.
    assert box.lower[1] == 0
    assert box.upper[0] == 1
    assert 0 <= Rational(1, 40) - box.lower[0] < Rational(1, 10**10)
    assert 0 <= box.upper[1] - Rational(39, 40) < Rational(1, 10**10)


def test_large_samples() -> None:
    box = Source.from_counts([10**9, 3 * 10**9, 7], 0.99)
    assert isinstance(box, Box)
    assert box.contains(rationals([Rational(n, 4 * 10**9 + 7) for n in (10**9, 3 * 10**9, 7)]))
    assert max(b - a for a, b in zip(box.lower, box.upper, strict=True)) < Rational(1, 10**4)
    assert box.upper[2] < Rational(1, 10**8)


def test_many_letters() -> None:
    counts = np.random.default_rng(4).integers(0, 50, 20_000)
    box = Source.from_counts(counts)
    assert box.size == 20_000
    assert box.contains([Rational(int(n), int(counts.sum())) for n in counts])


@pytest.mark.parametrize("shape", ["box", "ball"])
def test_the_stated_coverage_is_kept(shape: str) -> None:
    truth = np.array([0.6, 0.25, 0.1, 0.05])
    generator = np.random.default_rng(12)
    trials, missed = 400, 0
    seen: dict[tuple[int, ...], bool] = {}
    for _ in range(trials):
        counts = tuple(generator.multinomial(40, truth).tolist())
        if counts not in seen:
            region = Source.from_counts(list(counts), 0.8, shape="box" if shape == "box" else "ball")
            seen[counts] = region.contains(truth)
        missed += not seen[counts]
    # At most a fifth may miss; both constructions are conservative, so the margin is wide.
    assert missed < 0.2 * trials


def test_whole_floats_are_counts() -> None:
    assert Source.from_counts([3.0, 5.0]) == Source.from_counts([3, 5]) == Source.from_counts(np.array([3, 5]))


def test_the_bounds_of_thousands_of_counts_are_proven_term_by_term() -> None:
    counts = list(range(0, 3000, 7))
    box = Source.from_counts(counts, "19/20")
    assert isinstance(box, Box)
    draws, share = sum(counts), Rational(1, 20) / (2 * len(counts))
    for place in (1, 2, 200, 428):
        # The regularised incomplete beta function is an independent way to the same tail.
        for probability, count, is_within in (
            (box.lower[place], counts[place], True),
            (box.lower[place] * Rational(10**9 + 1, 10**9), counts[place], False),
            (1 - box.upper[place], draws - counts[place], True),
        ):
            tail = Real.from_ball(partial(_upper_tail, probability, count, draws))
            assert (tail <= Real.of(share)) is is_within


def _upper_tail(probability: Rational, count: int, draws: int, _bits: int) -> Enclosure:
    return Enclosure(probability).beta_lower(count, draws - count + 1, regularized=1)
