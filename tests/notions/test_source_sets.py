"""Losses over sets of priors: suprema, attained by their witnesses and bounded rigorously."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions import (
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    SibsonMutualInformation,
)
from epstar.notions.identifiability import most_unlike_laws
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.testing import laws, mechanisms, priors, sources
from epstar.universe import Alphabet

NOTIONS: list[Notion] = [
    MutualInformation(),
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation(3),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/20"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
]
IDS = [f"{notion.name}{list(notion.parameters().values())}" for notion in NOTIONS]
CHANNEL = Mechanism([["1/2", "1/4", "1/4"], ["1/8", "3/4", "1/8"], ["1/3", "1/3", "1/3"]])
SETS: list[Source] = [
    Finite([["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], ["1/10", "4/5", "1/10"]]),
    Hull([["1/2", "1/3", "1/6"], ["1/6", "1/2", "1/3"], ["1/10", "4/5", "1/10"]]),
    Box(["1/10", "1/10", "1/10"], ["3/5", "3/5", "1/4"]),
    Ball(["1/2", "1/3", "1/6"], "1/5"),
    Polytope([[1, -1, 0], [0, 1, -1]], ["1/10", "1/4"]),
    Everything(3),
]


def members(source: Source, steps: int = 60) -> list[Prior]:
    """The laws of a grid that belong to the source."""
    if isinstance(source, Finite):
        return [Prior(point) for point in source.points]
    grid = [
        (Rational(a, steps), Rational(b, steps), Rational(steps - a - b, steps))
        for a, b in itertools.product(range(steps + 1), repeat=2)
        if a + b <= steps
    ]
    return [Prior(point) for point in grid if source.contains(point)]


@pytest.mark.parametrize("notion", NOTIONS, ids=IDS)
@pytest.mark.parametrize("source", SETS, ids=lambda source: type(source).__name__)
def test_no_member_has_more_and_the_witness_has_it(notion: Notion, source: Source) -> None:
    loss = notion.loss(CHANNEL, source)
    assert loss.lower is not None
    assert loss.upper is not None
    found = [notion.loss(CHANNEL, prior).value for prior in members(source)]
    assert len(found) > 2
    assert max(found) <= loss.value + 1e-12
    floats = notion.loss(Mechanism(CHANNEL.floats), source)
    if loss.upper.is_infinite:
        assert floats.value == np.inf
        return
    assert floats.value == pytest.approx(loss.value, abs=1e-12)
    assert loss.upper.upper - loss.lower.lower <= 1e-12
    assert max(found) >= loss.value - 0.02 * (1 + loss.value)
    if loss.witness.prior is not None:
        assert source.contains(loss.witness.prior)
        assert notion.loss(CHANNEL, Prior(loss.witness.prior)).value == pytest.approx(loss.value, abs=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_suprema_are_certified_for_any_mechanism_and_source(data: st.DataObject, size: int) -> None:
    mechanism = data.draw(mechanisms(size, data.draw(st.integers(1, 4))))
    source = data.draw(sources(size))
    for notion in (MutualInformation(), SibsonMutualInformation("1/10"), SibsonMutualInformation("5/2")):
        loss = notion.loss(mechanism, source)
        assert loss.lower is not None
        assert loss.upper is not None
        # Where both are one number that no fraction names, no precision decides which is larger.
        assert not loss.lower.ball(256) > loss.upper.ball(256)
        assert loss.upper.upper - loss.lower.lower <= 1e-12


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 4))
def test_a_hull_has_at_least_the_loss_of_its_points(data: st.DataObject, size: int) -> None:
    mechanism = data.draw(mechanisms(size, 3))
    points = data.draw(st.lists(laws(size), min_size=1, max_size=3))
    for notion in NOTIONS:
        finite, hull = notion.loss(mechanism, Finite(points)), notion.loss(mechanism, Hull(points))
        assert finite.value <= hull.value + 1e-12
        if not notion.is_concave_in_prior and not isinstance(notion, MinEntropyLeakage):
            assert finite.value == pytest.approx(hull.value, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(mechanisms(3, 3))
def test_the_worst_prior_of_all(mechanism: Mechanism) -> None:
    everything = Everything(3)
    leakage = MaximalLeakage().loss(mechanism)
    assert MinEntropyLeakage().loss(mechanism, everything).value == leakage.value
    uniform = MinEntropyLeakage().loss(mechanism, Prior.uniform_on(3))
    assert uniform.value == pytest.approx(leakage.value, abs=1e-14)
    worst = DifferentialPrivacy().loss(mechanism).value
    assert MaximalInformation().loss(mechanism, everything).value == pytest.approx(worst)
    assert LocalInformationPrivacy().loss(mechanism, everything).value == pytest.approx(worst)
    capacity = Capacity().loss(mechanism)
    assert capacity.value <= leakage.value + 1e-12


@given(mechanisms(4, 3), laws(4), st.integers(1, 6))
@settings(deadline=None, max_examples=40)
def test_min_entropy_leakage_over_a_ball_is_that_over_the_hull_of_its_corners(
    mechanism: Mechanism, center: tuple[Rational, ...], tenths: int
) -> None:
    ball = Ball(center, Rational(tenths, 10))
    found = MinEntropyLeakage().loss(mechanism, ball)
    over_hull = MinEntropyLeakage().loss(mechanism, Hull(ball.vertices()))
    assert found.lower is not None
    assert over_hull.lower is not None
    assert found.lower.argument_of_log == over_hull.lower.argument_of_log is not None


def test_a_set_and_its_hull_differ_for_concave_notions() -> None:
    """zhong2022 after Definition 2: the two points, their hull, Q_D at D = 1/10."""
    channel = Mechanism([["9/10", "1/10"], ["1/10", "9/10"]])
    points = [["9/10", "1/10"], ["1/10", "9/10"]]
    information = MutualInformation()
    at_points = information.loss(channel, Finite(points)).value
    over_hull = information.loss(channel, Hull(points)).value
    assert over_hull == pytest.approx(0.36806421, abs=1e-8)
    assert at_points < over_hull - 0.1
    assert SibsonMutualInformation(2).loss(channel, Hull(points)).value == pytest.approx(0.49469624, abs=1e-8)


def test_inputs_that_no_prior_uses_cost_nothing_where_they_are_averaged() -> None:
    channel = Mechanism([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    source = Box([0, 0, 0], [1, 1, 0])
    loss = MutualInformation().loss(channel, source)
    assert loss.value == pytest.approx(np.log(2), abs=1e-12)
    assert loss.upper is not None
    assert loss.upper.upper - np.log(2) < 1e-12
    assert SibsonMutualInformation(2).loss(channel, source).value == pytest.approx(np.log(2), abs=1e-12)
    assert SibsonMutualInformation("1/2").loss(channel, source).value == pytest.approx(np.log(2), abs=1e-12)
    for notion in (MaximalInformation(), PointwiseLeakage(), LocalInformationPrivacy(), Identifiability()):
        assert notion.loss(channel, source).value == np.inf


@pytest.mark.parametrize("notion", NOTIONS, ids=IDS)
def test_sources_are_asked_for_and_checked(notion: Notion) -> None:
    with pytest.raises(InvalidInput, match="depends on the frequencies of the inputs"):
        notion.loss(CHANNEL)
    with pytest.raises(InvalidInput, match="must be the same"):
        notion.loss(CHANNEL, Prior(["1/2", "1/2"]))
    with pytest.raises(InvalidInput, match="must be the same"):
        DifferentialPrivacy().loss(CHANNEL, Prior(["1/2", "1/2"]))


def test_rows_of_finitely_many_laws() -> None:
    channel = Mechanism([["1/2", "1/2"], ["1/4", "3/4"], ["1/8", "7/8"], ["1", "0"]])
    rows = Rows(Finite([["1/2", "1/2"], ["1/4", "3/4"]]), 2)
    for notion in NOTIONS:
        listed = notion.loss(channel, Finite(rows.vertices()))
        assert notion.loss(channel, rows).value == pytest.approx(listed.value, abs=1e-12)


def test_a_large_capacity_is_certified() -> None:
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 50, size=(60, 40)) + (rng.random((60, 40)) < 0.05)
    rows = [[Rational(int(w), int(row.sum())) for w in row] for row in weights]
    loss = Capacity().loss(Mechanism(rows))
    assert loss.lower is not None
    assert loss.upper is not None
    assert 0 <= loss.upper.upper - loss.lower.lower <= 1e-12


@given(mechanism=mechanisms(3, 3), prior=priors(3), level=st.integers(1, 8))
@settings(deadline=None, max_examples=60)
def test_the_curve_of_local_information_privacy_is_the_inverse_of_its_loss(
    mechanism: Mechanism, prior: Prior, level: int
) -> None:
    delta = LocalInformationPrivacy().delta_at(mechanism, Real.log(rational(level)), prior).upper
    assert delta is not None
    assert delta.rational is not None
    loss = LocalInformationPrivacy(delta.rational).loss(mechanism, prior).upper
    assert loss is not None
    assert loss <= Real.log(rational(level))
    if delta.rational > 0:
        tighter = LocalInformationPrivacy(delta.rational * 999 / 1000).loss(mechanism, prior).upper
        assert tighter is not None
        assert tighter > Real.log(rational(level))


def test_few_laws_of_a_box_make_any_two_inputs_most_unlike() -> None:
    counts = [50 + 7 * x % 43 for x in range(30)]
    lower, upper = ([Rational(share * count, 10 * sum(counts)) for count in counts] for share in (8, 12))
    box = Box(lower, upper)
    found = most_unlike_laws(Alphabet(30), box)
    assert len(found) <= 60
    assert all(box.contains(law) for law in found)
    for x, z in itertools.permutations(range(30), 2):
        assert max(law[x] / law[z] for law in found) == box.maximum_ratio(x, z)
