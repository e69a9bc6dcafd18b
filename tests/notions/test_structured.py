"""Mechanisms that are never expanded have the losses of their matrices, exactly."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Rational, Real, rational
from epstar.mechanism import (
    AnyMechanism,
    DiagonalMechanism,
    DistanceMechanism,
    Mechanism,
    ProductMechanism,
    TopRandomisedResponse,
)
from epstar.notions import (
    ApproximateDifferentialPrivacy,
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
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Everything, Finite, Prior, Rows, Source
from epstar.testing import laws, mechanisms, priors
from epstar.universe import Alphabet, Databases

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/10", "pointwise"),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy(2),
    RenyiDifferentialPrivacy("5/2"),
    MutualInformation(),
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation(2),
    SibsonMutualInformation("infinity"),
    MaximalLeakage(),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/10"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
]


# Entries from which a Rényi loss may be two floats instead of one exact number.
LARGE = 2**9


def same(left: Real | None, right: Real | None) -> bool:
    """Equal: by exact numbers where there are any, else up to 1e-25."""
    assert left is not None
    assert right is not None
    if left.is_infinite or right.is_infinite:
        return left.is_infinite and right.is_infinite
    if left.argument_of_log is not None and right.argument_of_log is not None:
        return bool(left.argument_of_log == right.argument_of_log)
    return abs(left.above() - right.below()) < Rational(1, 10**25)


def check(mechanism: AnyMechanism, source: Source, notions: list[Notion] = NOTIONS) -> None:
    dense = mechanism.dense()
    for notion in notions:
        ours, theirs = notion.loss(mechanism, source), notion.loss(dense, source)
        if isinstance(notion, RenyiDifferentialPrivacy) and dense.shape[0] ** 2 >= LARGE:
            # Many pairs rival for the worst of a large matrix, and are enclosed together in floats.
            assert ours.upper is not None
            assert theirs.lower is not None
            assert theirs.upper is not None
            assert theirs.lower.lower <= ours.upper.upper
            assert ours.upper.lower <= theirs.upper.upper
            assert theirs.lower.is_infinite == theirs.upper.is_infinite == ours.upper.is_infinite
            assert theirs.lower.is_infinite or (theirs.upper - theirs.lower).upper < 1e-12
        else:
            assert same(ours.upper, theirs.upper), (notion, ours, theirs)
            assert same(ours.lower, theirs.lower)
        assert ours.value == pytest.approx(theirs.value, abs=1e-13)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5))
def test_top_randomised_response(data: st.DataObject, size: int) -> None:
    active = data.draw(st.lists(st.integers(0, size - 1), min_size=1, max_size=size, unique=True))
    ratio = data.draw(st.fractions(1, 9, max_denominator=4))
    delta = data.draw(st.sampled_from(["0", "0", "1/10", "1/3", "1"]))
    check(TopRandomisedResponse(Alphabet(size), active, ratio, delta), data.draw(priors(size)))


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 5))
def test_diagonal_mechanisms(data: st.DataObject, size: int) -> None:
    diagonal = data.draw(st.lists(st.fractions(0, 1, max_denominator=6), min_size=size, max_size=size))
    if sum(diagonal) < 1:
        diagonal = [1 - (1 - q) / 2 if size > 2 else 1 - (1 - q) / 3 for q in diagonal]
    if sum(diagonal) < 1:
        diagonal[0] += 1 - sum(diagonal)
    check(DiagonalMechanism(Alphabet(size), diagonal), data.draw(priors(size)))


def test_a_distance_mechanism_without_a_common_output() -> None:
    check(DistanceMechanism(Databases(3, 3), (0, 0, 0, 1)), Rows(Prior.uniform_on(3), 3))


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_distance_mechanisms(data: st.DataObject, letters: int, rows: int) -> None:
    weights = data.draw(laws(rows + 1)) if letters > 1 else (1, *(0,) * rows)
    mechanism = DistanceMechanism(Databases(letters, rows), weights)
    uniform = Prior.uniform_on(letters)
    check(mechanism, Rows(uniform, rows))
    check(mechanism, Prior.uniform_on(letters**rows))


@settings(max_examples=20, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_product_mechanisms(data: st.DataObject, inputs: int, outputs: int) -> None:
    factors = data.draw(st.lists(mechanisms(inputs, outputs), min_size=1, max_size=2))
    mechanism = ProductMechanism(factors)
    row_laws = [data.draw(priors(inputs)) for _ in factors]
    check(mechanism, Rows(row_laws))
    check(mechanism, Rows(row_laws).joint())
    check(mechanism, Rows(row_laws[0], len(factors)))
    additive = [n for n in NOTIONS if n.needs_source and not isinstance(n, LocalInformationPrivacy)]
    check(mechanism, Rows(Finite([law.probabilities for law in row_laws]), len(factors), iid=False), additive)


@pytest.mark.parametrize(
    "notion", [MutualInformation(), SibsonMutualInformation(2), MaximalInformation(), PointwiseLeakage()]
)
def test_everything_over_a_product_is_everything_over_each_row(notion: Notion) -> None:
    coin = Mechanism([["3/4", "1/4"], ["1/8", "7/8"]])
    product = ProductMechanism(coin, 2)
    ours, theirs = notion.loss(product, Everything(4)), notion.loss(product.dense(), Everything(4))
    assert ours.value == pytest.approx(theirs.value, abs=1e-11)
    assert ours.upper is not None
    assert theirs.lower is not None
    assert ours.upper.upper >= theirs.lower.lower


def test_a_million_rows() -> None:
    coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    million = ProductMechanism(coin, 1_000_000)
    rows = Rows(Prior(["1/2", "1/2"]), 1_000_000)
    assert str(DifferentialPrivacy().loss(million).upper) == "log(3)"
    assert str(Identifiability().loss(million, rows).upper) == "log(3)"
    assert str(ApproximateDifferentialPrivacy("1/4").loss(million).upper) == "log(2)"
    assert str(RenyiDifferentialPrivacy(2).loss(million).upper) == "log(7/3)"
    one = MutualInformation().loss(coin, Prior(["1/2", "1/2"])).value
    assert MutualInformation().loss(million, rows).value == pytest.approx(1e6 * one, rel=1e-14)
    assert Capacity().loss(million).value == pytest.approx(1e6 * one, rel=1e-9)
    assert MaximalLeakage().loss(million).value == pytest.approx(1e6 * MaximalLeakage().loss(coin).value)


def test_three_hundred_rows_by_distance() -> None:
    databases = Databases(2, 300)
    weights = [rational(0)] * 301
    weights[0], weights[1] = rational("1/2"), rational("1/2")
    mechanism = DistanceMechanism(databases, weights)
    assert DifferentialPrivacy().loss(mechanism).value == float("inf")
    assert str(ApproximateDifferentialPrivacy("1/2").loss(mechanism).upper).startswith("log(299")
    uniform = Rows(Prior(["1/2", "1/2"]), 300)
    loss = MutualInformation().loss(mechanism, uniform)
    # 300 bits of input, of which one bit and the choice of one row in half the cases are lost.
    expected = 300 * 0.6931471805599453 - 0.6931471805599453 - 0.5 * 5.703782474656201
    assert loss.value == pytest.approx(expected, rel=1e-13)


def test_a_million_symbols() -> None:
    top = TopRandomisedResponse(Alphabet(1_000_000), range(100), ratio=901)
    assert str(DifferentialPrivacy().loss(top).upper) == "log(901)"


@pytest.mark.parametrize("symbols", [1_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_many_symbols(symbols: int) -> None:
    top = TopRandomisedResponse(Alphabet(symbols), range(100), ratio=901)
    assert str(MaximalLeakage().loss(top).upper) == "log(901/10)"
    assert RenyiDifferentialPrivacy(2).loss(top).value < 6.81


def test_a_product_tied_by_its_source_is_expanded_or_bounded() -> None:
    coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    product = ProductMechanism([coin, Mechanism([["1/2", "1/2"], ["1/4", "3/4"]])])
    correlated = Prior(["1/2", 0, 0, "1/2"])
    assert MutualInformation().loss(product, correlated).value == pytest.approx(
        MutualInformation().loss(product.dense(), correlated).value
    )
    # One unknown law for both rows: the largest sum of the two informations at a common law.
    shared = MutualInformation().loss(product, Rows(Everything(2), 2))
    known = max(
        sum(MutualInformation().loss(row, Prior([p / 400, 1 - p / 400])).value for row in rows)
        for p in range(1, 400)
        for rows in [[coin, Mechanism([["1/2", "1/2"], ["1/4", "3/4"]])]]
    )
    assert shared.lower is not None
    assert shared.upper is not None
    assert known - 1e-12 <= shared.lower.lower <= shared.upper.upper <= known + 1e-5
    assert (shared.upper - shared.lower).upper < 2e-9
    # A slack does not add up over rows: what is lost without one bounds what is lost with it.
    many, fair = ProductMechanism(coin, 30), Rows(Prior(["1/2", "1/2"]), 30)
    bounded = LocalInformationPrivacy("1/10").loss(many, fair)
    assert str(LocalInformationPrivacy().loss(many, fair).upper) == str(bounded.upper) == f"log({2**30})"
    assert str(bounded.lower) == "0"
