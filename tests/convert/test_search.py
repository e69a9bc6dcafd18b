"""The best chain is found: through notions with an order, from guarantees for more priors, and none where none is."""

from __future__ import annotations

import math

import pytest

from epstar.convert import EDGES, Guarantee, convert
from epstar.errors import InvalidInput
from epstar.exact import Number, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.query import Query
from epstar.source import Everything, Prior
from epstar.universe import Alphabet, Graph, Metric

COIN = Prior(["1/2", "1/2"])
FOUR = Prior(["1/4"] * 4)


@pytest.mark.parametrize("order", ["3/2", 2, 5])
def test_a_notion_of_an_order_is_reached_through_another_of_it(order: Number) -> None:
    pure = Guarantee(DifferentialPrivacy(), "1/2", Alphabet(4))
    direct = convert(pure, SibsonMutualInformation(order), source=FOUR)
    middle = convert(pure, RenyiDifferentialPrivacy(order)).guarantee
    by_hand = convert(middle, SibsonMutualInformation(order), source=FOUR)
    leakage = convert(pure, MaximalLeakage()).guarantee.level
    assert direct.guarantee.level.upper <= by_hand.guarantee.level.upper < leakage.upper


def test_a_guarantee_for_all_priors_says_more_of_one() -> None:
    everywhere = Guarantee(MutualInformation(), "1/10", source=Everything(2))
    capacity = Guarantee(Capacity(), "1/10", Alphabet(2))
    for level in (0, 1, 4):
        found, wanted = (
            convert(start, LocalInformationPrivacy, source=COIN).guarantee.curve for start in (everywhere, capacity)
        )
        assert found is not None
        assert wanted is not None
        assert found.delta(level).upper <= wanted.delta(level).upper * (1 + 1e-12)
    # Naming a prior where none is needed must not lose what is known of all.
    named = convert(everywhere, ApproximateDifferentialPrivacy("3/10"), source=COIN).guarantee.level
    assert named.upper == convert(everywhere, ApproximateDifferentialPrivacy("3/10")).guarantee.level.upper < 2


def test_the_same_notion_at_one_of_all_priors() -> None:
    everywhere = Guarantee(MaximalInformation(), "log(3)", source=Everything(2))
    found = convert(everywhere, MaximalInformation(), source=COIN)
    # For all priors it is differential privacy, and then E / (1 + (E - 1) P_min) at one of them.
    assert str(found.guarantee.level) == "log(3/2)"
    assert len(found.chain) == 2
    assert convert(everywhere, MaximalInformation()).chain == ()


def test_a_curve_that_says_nothing_says_so() -> None:
    everything = Guarantee(MutualInformation(), "0.7", source=COIN)  # more than a bit has
    nothing = convert(everything, LocalInformationPrivacy)
    assert nothing.says_nothing
    assert nothing.guarantee.curve is not None
    assert float(nothing.guarantee.curve.delta(8)) == pytest.approx(0.5)
    assert not convert(Guarantee(MutualInformation(), "0.69", source=COIN), LocalInformationPrivacy).says_nothing
    for start in (Guarantee(Capacity(), 1, Alphabet(2)), Guarantee(MaximalLeakage(), 1, Alphabet(2))):
        assert convert(start, ApproximateDifferentialPrivacy).says_nothing
    half = Guarantee(ApproximateDifferentialPrivacy("1/2"), 3, Alphabet(2))
    assert not convert(half, ApproximateDifferentialPrivacy).says_nothing
    overlap = convert(Guarantee(RenyiDifferentialPrivacy("1/2"), 1, Alphabet(2)), ApproximateDifferentialPrivacy)
    assert not overlap.says_nothing
    assert overlap.guarantee.curve is not None
    assert float(overlap.guarantee.curve.delta(8)) == pytest.approx(math.sqrt(1 - math.exp(-1)))


def test_distances_other_than_one() -> None:
    """Three implications that compare inputs as if all of them were one step apart do not apply."""
    near = Metric([[0, "1/2"], ["1/2", 0]])
    capacity = Guarantee(Capacity(), "1/10", near)
    assert convert(capacity, ApproximateDifferentialPrivacy("1/4")).says_nothing
    everywhere = Guarantee(PointwiseLeakage(), "1/10", near, Everything(2))
    assert convert(everywhere, RenyiDifferentialPrivacy(1)).says_nothing
    leakage = Guarantee(MaximalLeakage(), "1/10", near)
    assert convert(leakage, ApproximateDifferentialPrivacy("1/2")).says_nothing
    with pytest.raises(InvalidInput, match="other distances"):
        convert(capacity, ApproximateDifferentialPrivacy)
    # Under the first one this mechanism was said to have a smaller loss than it has.
    mechanism = Mechanism([["1/5", "4/5"], [0, 1]], near)
    lower = RenyiDifferentialPrivacy(2).loss(mechanism).lower
    assert lower is not None
    assert lower.is_infinite


def test_information_of_one_prior_from_relative_entropy() -> None:
    """The row of the likeliest input is nearer to the others than the pairs of inputs are on average."""
    prior = Prior(["7/10", "2/10", "1/10"])
    level = convert(Guarantee(RenyiDifferentialPrivacy(1), 1, Alphabet(3)), MutualInformation(), source=prior)
    assert level.guarantee.level.rational == Rational(3, 10)


def test_leakage_on_lines_is_exact() -> None:
    for inputs in (Graph.line(6), Query.named("count", 5, 2).shape):
        found = convert(Guarantee(DifferentialPrivacy(), "log(2)", inputs), MaximalLeakage())
        assert str(found.guarantee.level) == "log(8/3)"  # six times the best chance, 4/9
    many = Query.named("sum", 10**6, 3).shape  # no closed form: the sphere of an end, not written out
    bound = convert(Guarantee(DifferentialPrivacy(), 1, many), MaximalLeakage()).guarantee.level
    assert Real.of("13.73672") < bound < Real.of("13.73673")


def test_every_edge_is_used_by_name() -> None:
    assert len({edge.name for edge in EDGES}) == len(EDGES)
