"""Mechanisms on many letters: the losses of their matrices, and rigorous bounds where nothing is expanded."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, DiagonalMechanism, TopRandomisedResponse
from epstar.notions import (
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    Loss,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.measure import over_sources, rank_one_information
from epstar.source import Ball, Box, Everything, Finite, Prior, Source
from epstar.universe import Alphabet

NOTIONS: list[Notion] = [
    MutualInformation(),
    Capacity(),
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation(2),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    PointwiseLeakage(),
    MinEntropyLeakage(),
    RenyiDifferentialPrivacy(2),
]


@st.composite
def letter_mechanisms(draw: st.DrawFn, size: int) -> AnyMechanism:
    if draw(st.booleans()):
        diagonal = draw(st.lists(st.fractions("1/2", 1, max_denominator=5), min_size=size, max_size=size))
        return DiagonalMechanism(Alphabet(size), diagonal)
    active = draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=size, unique=True))
    ratio = draw(st.fractions(1, 9, max_denominator=4))
    return TopRandomisedResponse(Alphabet(size), active, ratio, draw(st.sampled_from(["0", "0", "1/10"])))


@st.composite
def laws(draw: st.DrawFn, size: int) -> tuple[Rational, ...]:
    weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@st.composite
def regions(draw: st.DrawFn, size: int) -> Source:
    center = draw(laws(size))
    if draw(st.booleans()):
        return Ball(center, Rational(draw(st.integers(0, 12)), 10))
    widths = st.sampled_from([ZERO, Rational(1, 20), Rational(1, 5)])
    return Box([max(ZERO, p - draw(widths)) for p in center], [min(ONE, p + draw(widths)) for p in center])


def ends(loss: Loss) -> tuple[Real, Real]:
    assert loss.lower is not None
    assert loss.upper is not None
    return loss.lower, loss.upper


def meets(ours: Loss, theirs: Loss) -> bool:
    """Whether two enclosures can hold the same number."""
    (low, high), (least, most) = ends(ours), ends(theirs)
    return low.lower <= most.upper and least.lower <= high.upper


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_over_all_laws_and_over_some_regions_the_matrix_loses_the_same(data: st.DataObject, size: int) -> None:
    mechanism, dense = (drawn := data.draw(letter_mechanisms(size))), drawn.dense()
    for notion in NOTIONS:
        ours, theirs = notion.loss(mechanism, Everything(size)), notion.loss(dense, Everything(size))
        assert meets(ours, theirs), (notion, ours, theirs)
        assert ours.value == pytest.approx(theirs.value, abs=1e-8)
        assert ours.value == float("inf") or ends(ours)[1].upper - ends(ours)[0].lower < 1e-8
    region = data.draw(regions(size))
    ours, theirs = (Identifiability().loss(item, region) for item in (mechanism, dense))
    assert ends(ours)[1].is_infinite == ends(theirs)[1].is_infinite
    assert ends(ours)[1].is_infinite or ends(ours)[1] == ends(theirs)[1] or ours.value == pytest.approx(theirs.value)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(3, 4))
def test_arrays_and_bounds_hold_what_exact_numbers_say(data: st.DataObject, size: int) -> None:
    mechanism, region = data.draw(letter_mechanisms(size)), data.draw(regions(size))
    prior, others = Prior(data.draw(laws(size))), Finite([data.draw(laws(size)), data.draw(laws(size))])
    for notion in NOTIONS:
        exact = [notion.loss(mechanism, source) for source in (prior, others)]
        over_region = notion.loss(mechanism.dense(), region)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rank_one_information, "_MANY_LETTERS", 0)
            patch.setattr(over_sources, "_MANY_LETTERS", 0)
            bounds = [notion.loss(mechanism, source) for source in (prior, others, region)]
        for known, found in zip(exact, bounds, strict=False):
            low, high = ends(found)
            assert meets(found, known), (notion, known, found)
            assert low.is_infinite == high.is_infinite == ends(known)[1].is_infinite
            assert low.is_infinite or high.upper - low.lower < 1e-11
        assert ends(bounds[2])[0].lower <= ends(over_region)[1].upper
        assert ends(over_region)[0].lower <= ends(bounds[2])[1].upper


def test_a_hundred_thousand_letters_are_measured_in_every_notion() -> None:
    size = 100_000
    counts = [1 + (x * 7919) % 1000 for x in range(size)]
    total = sum(counts)
    prior = Prior([Rational(count, total) for count in counts])
    mechanism = TopRandomisedResponse(Alphabet(size), range(0, size, 2), Rational(27182, 10000))
    level = DifferentialPrivacy().loss(mechanism).value
    for notion in NOTIONS:
        low, high = ends(notion.loss(mechanism, prior))
        assert 0 < low.lower <= high.upper < float("inf")
        assert high.upper - low.lower < 1e-11
        if not isinstance(notion, Identifiability):
            # No notion here exceeds the level of differential privacy, whatever the prior.
            assert high.upper <= level
    region = Ball(prior, Rational(1, 100))
    for notion in NOTIONS:
        low, high = ends(notion.loss(mechanism, region))
        assert 0 < low.lower <= high.upper
    assert MaximalInformation().loss(mechanism, Everything(size)).value == pytest.approx(level, rel=1e-15)
    assert MinEntropyLeakage().loss(mechanism, Everything(size)).value == MaximalLeakage().loss(mechanism).value


@pytest.mark.parametrize(
    ("notion", "letters"),
    [
        (PointwiseLeakage(), (1023, 1024)),
        (SibsonMutualInformation(100), (2047, 2048)),
        (SibsonMutualInformation(1000), (2047, 2048)),
        (MutualInformation(), (2047, 2048)),
    ],
)
def test_probabilities_too_faint_for_arrays_are_not_overlooked(notion: Notion, letters: tuple[int, int]) -> None:
    losses = []
    for size in letters:
        faint = Rational(1, 1 << 950)
        prior = Prior([1 - (size - 1) * faint] + [faint] * (size - 1))
        mechanism = DiagonalMechanism(Alphabet(size), [ONE] + [Rational(1, 2)] * (size - 1))
        loss = notion.loss(mechanism, prior)
        assert loss.lower is not None
        assert loss.upper is not None
        assert loss.lower <= loss.upper
        losses.append((float(loss.lower), float(loss.upper)))
    few, many = losses
    assert few[1] == pytest.approx(many[1], rel=1e-3)
    assert few[0] == pytest.approx(many[0], rel=1e-3)
