"""Priors, finite sets and hulls."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from epstar.errors import InvalidInput
from epstar.exact import Rational, dot, fraction, rationals
from epstar.source import Finite, Hull, Prior, Source

Law = tuple[Rational, ...]


@st.composite
def laws(draw: st.DrawFn, size: int) -> Law:
    weights = draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@st.composite
def point_sets(draw: st.DrawFn) -> list[Law]:
    size = draw(st.integers(1, 4))
    return draw(st.lists(laws(size), min_size=1, max_size=6))


def test_a_prior_is_exact_and_has_floats() -> None:
    prior = Prior([0.1, 0.2, 0.7])
    assert prior.probabilities == rationals(["1/10", "1/5", "7/10"])
    assert prior.floats.tolist() == [0.1, 0.2, 0.7]
    assert prior.size == 3
    assert prior.is_convex
    assert prior == Prior(["1/10", "1/5", "7/10"])
    assert hash(prior) == hash(Prior(["1/10", "1/5", "7/10"]))
    with pytest.raises(ValueError, match="read-only"):
        prior.floats[0] = 1.0


def test_a_prior_answers_for_its_one_law() -> None:
    prior = Prior(["1/2", "1/2", 0])
    assert prior.maximum([1, 2, 9]).value == prior.minimum([1, 2, 9]).value == Rational(3, 2)
    assert prior.maximum_ratio(0, 1) == 1
    assert prior.maximum_ratio(2, 1) == 0
    assert prior.maximum_ratio(0, 2) is None
    assert prior.maximum_ratio(2, 2) == 0
    assert prior.contains([0.5, 0.5, 0])
    assert not prior.contains([0.5, 0.4, 0.1])
    assert prior.vertices() == [prior.probabilities]
    assert Prior.uniform_on(3).probabilities == (Rational(1, 3),) * 3


@pytest.mark.parametrize("size", [50_000, pytest.param(1_000_000, marks=pytest.mark.full)])
def test_many_letters(size: int) -> None:
    weights = np.random.default_rng(0).random(size)
    prior = Prior(weights / weights.sum())
    assert prior.size == size
    assert prior.maximum([1] * size).value == 1


def test_repeated_points_are_kept_once_in_order() -> None:
    points = [[1, 0], ["1/2", "1/2"], [1.0, 0.0], Prior([0.5, 0.5])]
    for kind in (Finite, Hull):
        assert kind(points).points == (rationals([1, 0]), rationals(["1/2", "1/2"]))
        assert kind(points).floats.tolist() == [[1.0, 0.0], [0.5, 0.5]]


def test_only_finite_sets_of_several_points_are_not_convex() -> None:
    assert not Finite([[1, 0], [0, 1]]).is_convex
    assert Finite([[1, 0], [1, 0]]).is_convex
    assert Hull([[1, 0], [0, 1]]).is_convex
    hull: Source = Hull([[1, 0]])
    assert hull != Finite([[1, 0]])


@given(point_sets(), st.data())
@settings(deadline=None)
def test_linear_costs_are_extreme_at_points(points: list[Law], data: st.DataObject) -> None:
    size = len(points[0])
    cost = rationals(data.draw(st.lists(st.integers(-5, 5), min_size=size, max_size=size)))
    values = [dot(cost, point) for point in points]
    for source in (Finite(points), Hull(points)):
        best, worst = source.maximum(cost), source.minimum(cost)
        assert best.value == max(values) == dot(cost, best.point)
        assert worst.value == min(values) == dot(cost, worst.point)
        assert best.point in points


@given(point_sets(), st.data())
@settings(deadline=None)
def test_ratios_are_largest_at_points(points: list[Law], data: st.DataObject) -> None:
    size = len(points[0])
    i, j = data.draw(st.tuples(st.integers(0, size - 1), st.integers(0, size - 1)))
    weights = data.draw(laws(len(points)))
    mixed = [dot(weights, column) for column in zip(*points, strict=True)]
    found = Hull(points).maximum_ratio(i, j)
    assert found == Finite(points).maximum_ratio(i, j)
    if found is None:
        assert any(point[i] > 0 and point[j] == 0 for point in points)
    else:
        assert all(point[i] <= found * point[j] for point in [*points, mixed])
        attained = any(point[i] == found * point[j] and point[j] > 0 for point in points)
        assert attained or (found == 0 and all(point[i] == 0 for point in points))


@given(point_sets(), st.data())
@settings(deadline=None)
def test_hulls_contain_exactly_the_mixtures(points: list[Law], data: st.DataObject) -> None:
    hull = Hull(points)
    weights = data.draw(laws(len(points)))
    assert hull.contains([dot(weights, column) for column in zip(*points, strict=True)])
    candidate = data.draw(laws(len(points[0])))
    found = hull.weights_of(candidate)
    answer = linprog(
        np.zeros(len(hull.points)),
        A_eq=np.vstack([hull.floats.T, np.ones(len(hull.points))]),
        b_eq=[*(float(fraction(p)) for p in candidate), 1.0],
    )
    assert (found is not None) == (answer.status == 0)
    if found is not None:
        assert sum(found, Rational(0)) == 1
        assert min(found) >= 0
        assert tuple(dot(found, column) for column in zip(*hull.points, strict=True)) == candidate


def test_a_hull_of_many_letters_is_decided_quickly() -> None:
    generator = np.random.default_rng(5)
    points = [Prior(row / row.sum()) for row in generator.random((12, 800))]
    middle = [sum(column, Rational(0)) / 12 for column in zip(*(p.probabilities for p in points), strict=True)]
    hull = Hull(points)
    assert hull.weights_of(middle) == (Rational(1, 12),) * 12
    assert hull.weights_of(hull.uniform) is None


@given(point_sets())
@settings(deadline=None, max_examples=50)
def test_vertices_of_a_hull_are_its_irredundant_points(points: list[Law]) -> None:
    hull = Hull(points)
    vertices = hull.vertices()
    assert all(Hull(vertices).contains(point) for point in points)
    for vertex in vertices:
        others = [other for other in vertices if other != vertex]
        assert not others or not Hull(others).contains(vertex)


def test_finite_sets_contain_their_points_only() -> None:
    source = Finite([[1, 0], [0, 1]])
    assert source.contains([0, 1])
    assert not source.contains([0.5, 0.5])
    assert not source.contains([2, -1])
    assert not source.contains([1, 1])
    assert source.vertices() == [rationals([1, 0]), rationals([0, 1])]
    with pytest.raises(InvalidInput, match="more than 1 vertices"):
        source.vertices(limit=1)


def test_floats_near_a_law_are_normalised_before_they_are_looked_up() -> None:
    third = Fraction(1, 3)
    assert Prior([third, third, third]).contains([1 / 3, 1 / 3, 1 / 3])
    assert not Prior(["1/2", "1/2"]).contains([0.5, 0.499])
