"""The three classes of kalantari2018, on its tables and on small sets, with witnesses that hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Rational, dot, rationals
from epstar.source import (
    Ball,
    Box,
    Disagreement,
    Everything,
    Finite,
    Hull,
    Mixture,
    Order,
    Polytope,
    Prior,
    Source,
)
from epstar.source.order import descending

TABLES: dict[str, list[list[str]]] = json.loads(
    (Path(__file__).parents[1] / "data" / "kalantari2018_tables.json").read_text(encoding="utf-8")
)


def check_witness(source: Source, points: list[tuple[Rational, ...]]) -> str:
    """Verify the reason given for the class, and return the class."""
    found = source.kalantari_class()
    witness = found.witness
    if found.name == "I":
        assert isinstance(witness, Mixture)
        if witness.weights is None:
            assert source.contains(source.uniform)
        else:
            assert min(witness.weights) >= 0
            assert sum(witness.weights, Rational(0)) == 1
            mixed = tuple(dot(witness.weights, column) for column in zip(*points, strict=True))
            assert mixed == source.uniform
    elif found.name == "II":
        assert isinstance(witness, Order)
        assert sorted(witness.letters) == list(range(source.size))
        for point in points:
            ordered = [point[letter] for letter in witness.letters]
            assert ordered == sorted(ordered, reverse=True)
    else:
        assert isinstance(witness, Disagreement)
        i, j = witness.pair
        assert source.contains(witness.first)
        assert source.contains(witness.second)
        assert witness.first[i] > witness.first[j]
        assert witness.second[i] < witness.second[j]
    return found.name


@pytest.mark.parametrize("table", sorted(TABLES))
def test_the_tables_of_the_paper(table: str) -> None:
    expected = "I" if table.startswith("class_I") else "III" if table.startswith("III") else "II"
    for kind in (Finite, Hull):
        source = kind(TABLES[table])
        assert check_witness(source, list(source.points)) == expected


def test_the_tables_are_all_there() -> None:
    assert len(TABLES) == 10
    assert {len(points[0]) for points in TABLES.values()} == {6, 10}


@st.composite
def point_sets(draw: st.DrawFn) -> list[tuple[Rational, ...]]:
    size = draw(st.integers(1, 4))
    weights = st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any)
    chosen = draw(st.lists(weights, min_size=1, max_size=4))
    # Sorted points make Class II likely.
    if draw(st.booleans()):
        chosen = [sorted(entries) for entries in chosen]
    return [tuple(Rational(w, sum(entries)) for w in entries) for entries in chosen]


@given(point_sets())
@settings(deadline=None, max_examples=300)
def test_witnesses_hold_and_finite_sets_are_classed_as_their_hulls(
    points: list[tuple[Rational, ...]],
) -> None:
    finite, hull = Finite(points), Hull(points)
    name = check_witness(finite, list(finite.points))
    assert check_witness(hull, list(hull.points)) == name
    if name == "III":
        ranked = [
            all(p[i] >= p[j] for p in points) or all(p[i] <= p[j] for p in points)
            for i in range(finite.size)
            for j in range(i)
        ]
        assert not all(ranked)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (Prior(["1/2", "1/2"]), "I"),
        (Prior(["2/3", "1/3"]), "II"),
        (Prior([1]), "I"),
        (Everything(4), "I"),
        # An ordering alone contains the uniform point, so it is Class I (against the paper's reading of S_0).
        (Polytope([[-1, 1, 0], [0, -1, 1]], [0, 0]), "I"),
        (Polytope([[-1, 1, 0], [0, -1, 1], [-1, 0, 0]], [0, 0, "-1/2"]), "II"),
        (Polytope([[-1, 0, 0]], ["-1/2"]), "III"),
        (Box(["1/2", 0, 0], [1, 1, 1]), "III"),
        (Box(["1/2", "1/4", 0], [1, "1/4", "1/4"]), "II"),
        (Box(["1/4", "1/4", "1/4"], [1, 1, 1]), "I"),
        (Ball(["3/5", "3/10", "1/10"], "1/10"), "II"),
        (Ball(["3/5", "3/10", "1/10"], "1/5"), "II"),
        (Ball(["3/5", "3/10", "1/10"], "21/100"), "III"),
        (Ball(["3/5", "3/10", "1/10"], "8/15"), "I"),
        (Ball(["3/5", "2/5"], "1/5"), "I"),
        (Ball(["3/5", "2/5"], "19/100"), "II"),
        # Two letters that tie everywhere do not spoil an order.
        (Hull([["1/2", "1/4", "1/4"], [1, 0, 0]]), "II"),
    ],
)
def test_regions_are_classed_at_their_thresholds(source: Source, expected: str) -> None:
    assert check_witness(source, source.vertices()) == expected


def test_ties_at_the_first_point_are_broken() -> None:
    # The first point found may tie letters that the region orders, or sees in both orders.
    ordered = Polytope([[-1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, 1], [-1, 0, 0, 0]], [0, 0, 0, "-1/2"])
    assert check_witness(ordered, ordered.vertices()) == "II"
    found = ordered.kalantari_class().witness
    assert isinstance(found, Order)
    assert found.letters == (0, 1, 2, 3)


def test_a_large_ball_is_classed() -> None:
    size = 2000
    weights = [Rational(2 * (size - k), size * (size + 1)) for k in range(size)]
    found = Ball(weights, Rational(1, 10**9)).kalantari_class()
    assert found.name == "II"
    assert Ball(weights, Rational(1, 10**3)).kalantari_class().name == "III"


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-2, 2)), min_size=1, max_size=12))
@settings(deadline=None)
def test_the_exact_sort_sees_differences_that_floats_do_not(entries: list[tuple[int, int]]) -> None:
    values = [Rational(whole) + Rational(fine, 10**40) for whole, fine in entries]
    expected = sorted(range(len(values)), key=lambda k: values[k], reverse=True)
    assert descending(values) == expected
    assert descending([*values, Rational(10) ** 308, -(Rational(10) ** 308)])[0] == len(values)
    huge = [value * Rational(10) ** 400 for value in values]
    assert descending(huge) == expected


def test_rationals_of_the_tables_are_laws() -> None:
    for points in TABLES.values():
        assert all(sum(rationals(point), Rational(0)) == 1 for point in points)
