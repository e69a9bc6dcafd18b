"""What is said where little is known: bounds that hold for all mechanisms, what is open, and what was attained."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from tests.convert import losses
from tests.convert.campaign import Group, loss

from epstar.convert import Conversion, Guarantee, convert
from epstar.convert.guarantee import needs_source
from epstar.exact import Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.query import Query
from epstar.source import Box, Everything, Prior, Source
from epstar.universe import Alphabet, Graph, Metric, Universe

# What is converted once is looked at by several tests.
pytestmark = pytest.mark.xdist_group("conversions")

P = Prior(["1/2", "3/10", "1/5"])
FLOATS = np.array([0.5, 0.3, 0.2])
THREE = Alphabet(3)
NEAR = Metric([[0, "1/2", 1], ["1/2", 0, "1/2"], [1, "1/2", 0]])
PURE = DifferentialPrivacy()
SLACK, MORE = ApproximateDifferentialPrivacy("1/20"), ApproximateDifferentialPrivacy("1/5")
SINGLE = ApproximateDifferentialPrivacy("1/20", "pointwise")
TENTH, HALF = ApproximateDifferentialPrivacy("1/10"), ApproximateDifferentialPrivacy("1/2")
OVERLAP = RenyiDifferentialPrivacy("1/2")
INFORMATIONS = (MaximalLeakage(), Capacity(), MutualInformation(), MinEntropyLeakage(), PointwiseLeakage())


def converted(start: Notion, level: object, end: Notion, universe: Universe = THREE) -> Conversion:
    given = Guarantee(start, level, universe, P if needs_source(start) else None)
    return convert(given, end, source=P)


# What follows by elementary arguments, computed apart.
TRUE: list[tuple[Notion, str, Notion, Universe, float]] = [
    (PURE, "1/2", SLACK, NEAR, 0.5),
    (PURE, "1/2", SINGLE, NEAR, 0.5),
    (SLACK, "1/2", MORE, NEAR, 0.5),
    (SLACK, "1/2", SINGLE, NEAR, 0.5),
    (PointwiseLeakage(), "1/100", Capacity(), THREE, 0.01),
    (PointwiseLeakage(), "1/100", HALF, THREE, 0.0),
    (PointwiseLeakage(), "1/100", MaximalLeakage(), THREE, math.log(1 + 2 * 0.1420)),
    (MutualInformation(), "1/1000", Capacity(), THREE, 0.005),
    (MutualInformation(), "1/1000", HALF, THREE, 0.0),
    (MutualInformation(), "1/1000", MinEntropyLeakage(), THREE, 0.19),
    (LocalInformationPrivacy("1/100"), "1/2", TENTH, THREE, 1.0),
    (OVERLAP, "1/100", TENTH, THREE, 0.0),
    (OVERLAP, "1/100", MaximalLeakage(), THREE, 0.182),
    (OVERLAP, "1/100", Capacity(), THREE, 0.182),
    (OVERLAP, "1/100", RenyiDifferentialPrivacy("3/4"), THREE, 0.03),
    (TENTH, "1/2", OVERLAP, THREE, 0.2726),
    (RenyiDifferentialPrivacy(1), "1/2", TENTH, THREE, 6.0),
    (Capacity(), "1/2", OVERLAP, THREE, 5.0),
    (MaximalLeakage(), "1/2", OVERLAP, THREE, -2 * math.log(2 - math.exp(0.5))),
    (MaximalInformation(), "1/2", OVERLAP, THREE, -2 * math.log(2 - math.exp(0.5))),
    (Capacity(), "1/10", MaximalLeakage(), Graph.line(3), math.log(1 + 2 * 0.4473)),
    (Capacity(), "1/10", MaximalLeakage(), NEAR, math.log(1 + 2 * 0.4473)),
]


@pytest.mark.parametrize(("start", "level", "end", "universe", "most"), TRUE)
def test_elementary_consequences_are_found(
    start: Notion, level: str, end: Notion, universe: Universe, most: float
) -> None:
    found = converted(start, level, end, universe)
    assert not found.says_nothing
    assert found.is_known
    assert found.guarantee.level.upper <= most + 1e-9


@pytest.mark.parametrize("universe", [Graph.line(3), Graph.ring(3), Graph(range(3), [(0, 1), (0, 2)])])
@pytest.mark.parametrize("start", [SLACK, RenyiDifferentialPrivacy(2), RenyiDifferentialPrivacy(1)])
@pytest.mark.parametrize("end", INFORMATIONS)
def test_neighbours_of_neighbours_are_private_too(start: Notion, end: Notion, universe: Universe) -> None:
    found = converted(start, "1/100", end, universe)
    cap = converted(start, 50, end, universe)
    assert found.guarantee.level.upper < cap.guarantee.level.upper


def test_group_privacy_by_hand() -> None:
    """Two steps of (1/10, 1/100): the factor e^(2/10) and the slack (1 + e^(1/10)) / 100."""
    line = Guarantee(ApproximateDifferentialPrivacy("1/100"), "1/10", Graph.line(3))
    found = convert(line, MaximalLeakage()).guarantee.level
    e = math.exp(0.1)
    slack = (1 + e) / 100
    far = slack + (1 - slack) * (e * e - 1) / (e * e + 1)
    two = 2 * (0.01 + 0.99 * (e - 1) / (e + 1))
    assert float(found) == pytest.approx(math.log(1 + 2 * two), rel=1e-9)
    assert far < two * 1.02  # the better of two bounds is as good as the one that composes the laws themselves


def entropy(order: float) -> float:
    """Rényi's entropy of the prior."""
    if order == 1:
        return float(-(FLOATS * np.log(FLOATS)).sum())
    if order == 0:
        return math.log(3)
    return float(np.log((FLOATS**order).sum()) / (1 - order))


CAPS = [
    (MaximalLeakage(), math.log(3)),
    (MinEntropyCapacity(), math.log(3)),
    (Capacity(), math.log(3)),
    (MaximalInformation(), math.log(5)),
    (PointwiseLeakage(), math.log(5)),
    (MinEntropyLeakage(), math.log(2)),
    (MutualInformation(), entropy(1)),
    (SibsonMutualInformation("1/2"), entropy(2)),
    (SibsonMutualInformation(2), entropy(0.5)),
    (SibsonMutualInformation("infinity"), entropy(0)),
    (ApproximateDifferentialPrivacy(1), 0.0),
    (LocalInformationPrivacy("4/5"), 0.0),
]


@pytest.mark.parametrize(("notion", "cap"), CAPS)
@pytest.mark.parametrize("start", [PURE, OVERLAP, Identifiability(), MinEntropyLeakage(), LocalInformationPrivacy()])
def test_no_notion_exceeds_what_the_inputs_hold(start: Notion, notion: Notion, cap: float) -> None:
    if start == notion:
        return
    found = converted(start, 40, notion).guarantee.level
    assert found.upper == pytest.approx(cap, abs=1e-12)


@pytest.mark.parametrize(("notion", "cap"), CAPS)
def test_the_caps_hold_for_random_channels(notion: Notion, cap: float) -> None:
    chance = np.random.default_rng(7)
    channels = chance.dirichlet(np.full(4, 0.2), size=(2000, 3))
    channels[:20] = np.pad(np.eye(3), ((0, 0), (0, 1)))
    group = Group(channels, THREE, P, PURE, notion, Real.of(0))
    lower, _ = loss(notion, group)
    assert (lower <= cap + 1e-9).all()
    assert lower.max() >= cap - 1e-6


def test_caps_over_sets_of_priors() -> None:
    everywhere = convert(Guarantee(PURE, 40, THREE), MutualInformation(), source=Everything(3)).guarantee.level
    assert float(everywhere) == pytest.approx(math.log(3))
    box = Box(["1/10"] * 3, ["3/5"] * 3)
    assert float(
        convert(Guarantee(PURE, 40, THREE), MaximalInformation(), source=box).guarantee.level
    ) == pytest.approx(math.log(10))


def test_a_cap_needs_the_inputs_and_does_not_write_them_out() -> None:
    assert str(convert(Guarantee(PURE, 5), MaximalLeakage()).guarantee.level) == "5"
    many = Query.named("count", 10**6, 2).shape
    assert convert(Guarantee(TENTH, 50, many), Capacity()).guarantee.level.upper <= math.log(10**6 + 1) + 1e-9


PREMISES: list[tuple[Notion, str]] = [
    (PURE, "log(3)"),
    (TENTH, "1/2"),
    (RenyiDifferentialPrivacy(1), "1/2"),
    (RenyiDifferentialPrivacy(2), "1/2"),
    (OVERLAP, "1/2"),
    (MutualInformation(), "1/5"),
    (Capacity(), "1/2"),
    (MaximalLeakage(), "1/2"),
    (MaximalInformation(), "1/2"),
    (LocalInformationPrivacy(), "1/2"),
    (PointwiseLeakage(), "1/2"),
    (MinEntropyLeakage(), "1/2"),
    (SibsonMutualInformation(2), "1/2"),
]
TARGETS: tuple[Notion, ...] = (
    PURE,
    TENTH,
    RenyiDifferentialPrivacy(1),
    OVERLAP,
    SibsonMutualInformation("1/2"),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    *INFORMATIONS,
)


@cache
def measured(start: Notion, level: str, end: Notion) -> Conversion:
    return converted(start, level, end)


def independent(notion: Notion, channel: losses.Floats) -> tuple[float, float]:
    """A loss from below and from above by other code, in floats."""
    lower, upper = loss(notion, Group(channel[None], THREE, P, PURE, notion, Real.of(0)))
    return float(lower[0]), float(upper[0])


@pytest.mark.parametrize(("start", "level"), PREMISES)
@pytest.mark.parametrize("end", TARGETS)
def test_what_is_called_attained_was_attained(start: Notion, level: str, end: Notion) -> None:
    """The mechanism keeps the premise and loses what is said, by code that shares nothing with ours."""
    if start == end:
        return
    found = measured(start, level, end)
    best = found.strongest
    assert best is not None
    floats = best.mechanism.floats
    assert independent(start, floats)[0] <= float(Real.of(level)) + 1e-9
    lower, upper = independent(end, floats)
    said = found.guarantee.level.upper
    assert lower <= said + 1e-9
    assert lower - 1e-9 <= best.claimed.lower <= upper + 1e-9
    if found.is_tight:
        assert upper >= said * (1 - 1e-7) - 1e-9
    assert found.may_lose_anything == (found.says_nothing and math.isinf(upper))
    if found.says_nothing:
        assert not found.is_tight
        assert found.is_known == math.isinf(upper)


def test_all_three_things_are_said_of_some() -> None:
    found = [measured(start, level, end) for start, level in PREMISES for end in TARGETS if start != end]
    assert sum(item.is_tight for item in found) >= 25
    assert sum(item.may_lose_anything for item in found) >= 25
    assert sum(not item.is_known for item in found) >= 3


@pytest.mark.parametrize(
    ("start", "level", "end"),
    [
        (MinEntropyLeakage(), "1/2", MaximalLeakage()),
        (MaximalLeakage(), "1/2", SibsonMutualInformation("1/2")),
        (MaximalLeakage(), "1/2", MinEntropyLeakage()),
        (MutualInformation(), "1/5", SibsonMutualInformation("1/2")),
        (MaximalLeakage(), "1/2", Capacity()),
    ],
)
def test_an_edge_whose_condition_fails_is_not_tight_here(start: Notion, level: str, end: Notion) -> None:
    found = converted(start, level, end)
    assert not found.is_tight
    assert found.strongest is not None
    assert found.strongest.claimed.upper < found.guarantee.level.upper


def test_leakage_under_differential_privacy_is_tight_on_lines_and_not_on_uneven_metrics() -> None:
    for universe in (Graph.line(5), Graph.ring(5), Alphabet(5)):
        assert convert(Guarantee(PURE, "log(2)", universe), MaximalLeakage()).is_tight
    uneven = Metric([[0, 1, 3], [1, 0, 2], [3, 2, 0]])
    assert not convert(Guarantee(PURE, "log(2)", uneven), MaximalLeakage()).is_tight


def test_curves() -> None:
    pure = convert(Guarantee(PURE, "log(3)", THREE), ApproximateDifferentialPrivacy)
    assert pure.is_tight
    assert pure.is_known
    capacity = convert(Guarantee(Capacity(), "1/20", THREE), ApproximateDifferentialPrivacy)
    assert capacity.is_tight
    moments = convert(Guarantee(RenyiDifferentialPrivacy(2), "1/2", THREE), ApproximateDifferentialPrivacy)
    assert not moments.is_tight
    nothing = convert(Guarantee(Capacity(), 2, THREE), ApproximateDifferentialPrivacy)
    assert nothing.says_nothing
    assert nothing.may_lose_anything
    assert not nothing.is_tight


@pytest.mark.parametrize("source", [P, Everything(3), Box(["1/10"] * 3, ["3/5"] * 3)])
def test_a_guarantee_for_all_priors_is_measured_at_all(source: Source) -> None:
    found = convert(Guarantee(MaximalInformation(), "log(2)", source=source), MutualInformation())
    best = found.strongest
    assert best is not None
    assert best.given <= Real.of("log(2)")
    assert best.claimed.lower <= found.guarantee.level.upper


def test_nothing_is_measured_of_curves_and_of_many_inputs() -> None:
    many = convert(Guarantee(PURE, "log(2)", Alphabet(100)), MaximalLeakage())
    assert many.strongest is None
    assert not many.is_tight
    assert many.is_known
    unknown = convert(Guarantee(Capacity(), "1/10", Alphabet(100)), RenyiDifferentialPrivacy(2))
    assert unknown.says_nothing
    assert not unknown.may_lose_anything
    assert not unknown.is_known


def test_forty_inputs_are_measured_in_time() -> None:
    prior = Prior([Rational(k, 820) for k in range(1, 41)])
    found = convert(Guarantee(LocalInformationPrivacy(), "1/10", source=prior), PURE)
    assert found.is_tight
