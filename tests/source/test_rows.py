"""Independent rows against the joint law written out, and at a million rows."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput, Undecided
from epstar.exact import Rational, dot, rationals
from epstar.source import (
    Ball,
    Box,
    Disagreement,
    Everything,
    Finite,
    Hull,
    Prior,
    Rows,
    Source,
    product_rows,
)
from epstar.universe import Databases

Law = tuple[Rational, ...]
COIN = Prior(["1/3", "2/3"])


@st.composite
def laws(draw: st.DrawFn, size: int) -> Law:
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@st.composite
def row_laws(draw: st.DrawFn) -> list[Law]:
    size = draw(st.integers(1, 3))
    return draw(st.lists(laws(size), min_size=1, max_size=3))


def joint_law(chosen: list[Law]) -> Law:
    letters = range(len(chosen[0]))
    return tuple(
        prod((law[letter] for law, letter in zip(chosen, database, strict=True)), start=Rational(1))
        for database in product(letters, repeat=len(chosen))
    )


@given(row_laws(), st.data())
@settings(deadline=None)
def test_known_rows_are_their_product(chosen: list[Law], data: st.DataObject) -> None:
    rows = Rows([Prior(law) for law in chosen])
    joint = joint_law(chosen)
    assert rows.size == len(joint)
    assert rows.joint().probabilities == joint
    assert rows.is_convex
    assert rows.contains(joint)
    assert rows.vertices() == [joint]
    assert [source.vertices() for source in rows.row_marginals] == [[law] for law in chosen]
    cost = rationals(data.draw(st.lists(st.integers(-3, 3), min_size=len(joint), max_size=len(joint))))
    assert rows.maximum(cost).value == dot(cost, joint)
    i, j = data.draw(st.tuples(st.integers(0, len(joint) - 1), st.integers(0, len(joint) - 1)))
    assert rows.maximum_ratio(i, j) == Prior(joint).maximum_ratio(i, j)
    assert rows.kalantari_class() == Prior(joint).kalantari_class()


@given(row_laws())
@settings(deadline=None)
def test_products_are_recognised(chosen: list[Law]) -> None:
    universe = Databases(len(chosen[0]), len(chosen))
    assert product_rows(Prior(joint_law(chosen)), universe) == tuple(Prior(law) for law in chosen)


def test_correlated_rows_are_recognised() -> None:
    universe = Databases(2, 2)
    assert product_rows(Prior(["1/2", 0, 0, "1/2"]), universe) is None
    nearly = ["1/4", "1/4", "1/4", Rational(1, 4) + Rational(1, 10**30)]
    nearly[0] = Rational(1, 4) - Rational(1, 10**30)
    assert product_rows(Prior(nearly), universe) is None
    # Three rows of which the first two are independent and the last is their parity.
    parity = ["1/4", 0, 0, "1/4", 0, "1/4", "1/4", 0]
    assert product_rows(Prior(parity), Databases(2, 3)) is None
    with pytest.raises(InvalidInput, match="one entry per database"):
        product_rows(COIN, universe)


@given(row_laws(), st.integers(1, 3), st.data())
@settings(deadline=None, max_examples=60)
def test_a_shared_unknown_law_gives_powers(chosen: list[Law], number: int, data: st.DataObject) -> None:
    rows = Rows(Finite(chosen), number)
    powers = [joint_law([law] * number) for law in dict.fromkeys(chosen)]
    assert rows.vertices() == powers
    assert rows.is_convex == (len(powers) == 1)
    cost = rationals(data.draw(st.lists(st.integers(-3, 3), min_size=rows.size, max_size=rows.size)))
    assert rows.maximum(cost).value == max(dot(cost, power) for power in powers)
    letters = st.integers(0, rows.size - 1)
    i, j = data.draw(st.tuples(letters, letters))
    assert rows.maximum_ratio(i, j) == Finite(powers).maximum_ratio(i, j)
    assert rows.kalantari_class().name == Finite(powers).kalantari_class().name
    size = len(chosen[0])
    row_cost = st.lists(st.integers(-3, 3), min_size=size, max_size=size).map(rationals)
    row_costs = [data.draw(row_cost) for _ in range(number)]
    total = [
        sum((row_costs[k][letter] for k, letter in enumerate(database)), Rational(0))
        for database in product(range(size), repeat=number)
    ]
    assert rows.maximum_of_sum(row_costs).value == rows.maximum(total).value


def test_rows_with_their_own_unknown_laws() -> None:
    coins = Finite([["1/4", "3/4"], ["3/4", "1/4"]])
    shared, own = Rows(coins, 2), Rows(coins, 2, iid=False)
    assert len(shared.vertices()) == 2
    assert len(own.vertices()) == 4
    # Different letters in the two rows: likelier when each row has its own law.
    assert shared.maximum([0, 1, 0, 0]).value == Rational(3, 16)
    assert own.maximum([0, 1, 0, 0]).value == Rational(9, 16)
    mixed = joint_law([rationals(["1/4", "3/4"]), rationals(["3/4", "1/4"])])
    assert own.contains(mixed)
    assert not shared.contains(mixed)
    assert own.maximum_ratio(1, 2) == 9
    assert shared.maximum_ratio(1, 2) == 1
    # The hull of the products holds the uniform law, the hull of the powers does not.
    assert own.kalantari_class().name == "I"
    assert shared.kalantari_class().name != "I"
    assert own.maximum_of_sum([[1, 0], [0, 1]]).value == Rational(3, 2)
    assert shared.maximum_of_sum([[1, 0], [0, 1]]).value == 1


def test_a_continuum_of_shared_laws() -> None:
    rows = Rows(Box(["1/4", "1/4"], [1, 1]), 2)
    assert not rows.is_convex
    assert rows.contains(joint_law([rationals(["1/3", "2/3"])] * 2))
    assert not rows.contains(joint_law([rationals(["1/5", "4/5"])] * 2))
    assert not rows.contains(["1/2", 0, 0, "1/2"])
    assert rows.maximum_of_sum([[1, 0], [1, 0]]).value == Rational(3, 2)
    assert rows.maximum_ratio(0, 1) == 3
    assert rows.maximum_ratio(0, 3) == 9
    assert rows.maximum_ratio(1, 2) == 1
    assert rows.kalantari_class().name == "I"
    with pytest.raises(InvalidInput, match="no finite list of vertices"):
        rows.vertices()
    three = Rows(Ball(["1/2", "1/4", "1/4"], "1/10"), 2)
    with pytest.raises(Undecided, match="several rows"):
        three.maximum_ratio(0, 5)


def test_shared_regions_inherit_a_disagreement_but_not_an_order() -> None:
    rows = Rows(Box(["1/2", 0, 0], [1, 1, 1]), 2)
    found = rows.kalantari_class()
    assert found.name == "III"
    assert isinstance(found.witness, Disagreement)
    i, j = found.witness.pair
    assert rows.contains(found.witness.first)
    assert found.witness.first[i] > found.witness.first[j]
    assert found.witness.second[i] < found.witness.second[j]
    with pytest.raises(Undecided, match="not decided"):
        Rows(Box(["1/2", "1/4", 0], [1, "1/4", "1/4"]), 2).kalantari_class()


def test_one_row_is_the_row_source() -> None:
    box = Box(["1/4", "1/4"], [1, 1])
    rows = Rows(box, 1)
    assert rows.is_convex
    assert rows.vertices() == box.vertices()
    assert rows.maximum([1, 0]) == box.maximum([1, 0])
    assert rows.kalantari_class() == box.kalantari_class()


def test_equal_known_laws_are_one_shared_law() -> None:
    assert Rows([COIN, COIN]) == Rows(COIN, 2) == Rows(COIN, 2, iid=False)


def test_a_million_rows() -> None:
    costs: list[list[int]] = [[1, 0]] * 10_000
    assert Rows(COIN, 10_000).maximum_of_sum(costs).value == Rational(10_000, 3)
    rows = Rows(COIN, 1_000_000)
    assert rows.size == 1 << 1_000_000
    assert Rows(COIN, 100_000).maximum_ratio(1, 0) == 2
    with pytest.raises(InvalidInput, match="too long to write out"):
        rows.joint()


def test_only_known_rows_have_a_joint_law() -> None:
    with pytest.raises(InvalidInput, match="give a Prior for every row"):
        Rows(Everything(2), 2).joint()
    with pytest.raises(InvalidInput, match="too long to write out"):
        Rows(COIN, 5).joint(limit=31)
    assert Rows(COIN, 5).joint(limit=32).size == 32


def test_products_of_hulls_contain_products_of_mixtures() -> None:
    edge: Source = Hull([["1/4", "3/4"], [1, 0]])
    rows = Rows([edge, COIN])
    assert rows.contains(joint_law([rationals(["1/2", "1/2"]), COIN.probabilities]))
    assert not rows.contains(joint_law([rationals([0, 1]), COIN.probabilities]))
