"""Boxes, balls and everything under Hamming distortion: their flattest law gives what the general program gives."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from epstar import Frontier
from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational
from epstar.mechanism import TopRandomisedResponse
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, MaximalLeakage, Notion
from epstar.source import Ball, Box, Everything, Source

NOTIONS: list[Notion] = [DifferentialPrivacy(), ApproximateDifferentialPrivacy("1/10", "pointwise"), MaximalLeakage()]


@st.composite
def regions(draw: st.DrawFn) -> Source:
    size = draw(st.integers(2, 5))
    weights = draw(st.lists(st.integers(0, 6), min_size=size, max_size=size).filter(any))
    center = [Rational(weight, sum(weights)) for weight in weights]
    if draw(st.booleans()):
        return Ball(center, Rational(draw(st.integers(0, 10)), 10))
    widths = st.sampled_from([ZERO, Rational(1, 20), Rational(1, 5)])
    return Box([max(ZERO, p - draw(widths)) for p in center], [min(ONE, p + draw(widths)) for p in center])


@settings(max_examples=25, deadline=None)
@given(regions(), st.sampled_from(NOTIONS), st.fractions("1/8", 2, max_denominator=8))
def test_the_flattest_law_and_the_program_agree(source: Source, notion: Notion, level: Rational) -> None:
    frontier = Frontier(notion, source, Hamming())
    closed, program = (frontier.distortion_at(level, method=method) for method in (None, "program"))
    assert closed.interval.width < 1e-12
    assert closed.lower <= program.upper + 1e-12
    assert program.lower <= closed.upper + 1e-9
    distortion = closed.interval.upper.above() * Rational(4, 5)
    assume(distortion > 0)
    loss = frontier.loss_at(distortion)
    assert loss.interval.width < 1e-12
    # The mechanism of the answer really keeps the distortion, over the whole source.
    assert loss.mechanism is not None
    assert loss.mechanism.distortion(Hamming(), source).value <= distortion


@pytest.mark.parametrize("level", ["0", "1/2", "40"])
def test_many_letters_at_every_level_are_answered_without_a_matrix(level: str) -> None:
    size = 2000
    lower, upper = [ZERO] * size, [Rational(3, size)] * size
    for source in (Everything(size), Box(lower, upper), Ball([Rational(1, size)] * size, "1/10")):
        for notion in NOTIONS:
            answer = Frontier(notion, source, Hamming()).distortion_at(level)
            assert answer.interval.width < 1e-12
        answer = Frontier(DifferentialPrivacy(), source, Hamming()).distortion_at(level)
        assert isinstance(answer.mechanism, TopRandomisedResponse)
        # The uniform law belongs to each source, so all letters are kept alike.
        assert len(answer.mechanism.active) == size
