"""Boxes, balls and polytopes against corner lists, brute force and an independent solver."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from epstar.errors import EmptySource, InvalidInput
from epstar.exact import Rational, dot, fraction, rationals
from epstar.exact_linear import Infeasible
from epstar.source import Ball, Box, Everything, Hull, Polytope, Prior, Source

Law = tuple[Rational, ...]


@st.composite
def laws(draw: st.DrawFn, size: int) -> Law:
    weights = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size).filter(any))
    return tuple(Rational(weight, sum(weights)) for weight in weights)


@st.composite
def boxes(draw: st.DrawFn) -> Box:
    # A box around a law, so that it is not empty; widths of zero and shared values make it degenerate.
    center = draw(laws(draw(st.integers(1, 4))))
    widths = st.sampled_from([Rational(0), Rational(1, 10), Rational(1, 5), Rational(1)])
    lower = [max(Rational(0), p - draw(widths)) for p in center]
    upper = [min(Rational(1), p + draw(widths)) for p in center]
    return Box(lower, upper)


@st.composite
def balls(draw: st.DrawFn) -> Ball:
    center = draw(laws(draw(st.integers(1, 4))))
    return Ball(center, Rational(draw(st.integers(0, 20)), 10))


@st.composite
def polytopes(draw: st.DrawFn) -> Polytope:
    size = draw(st.integers(1, 4))
    inside = draw(laws(size))
    row = st.lists(st.integers(-2, 2), min_size=size, max_size=size).map(rationals)
    matrix = draw(st.lists(row, min_size=1, max_size=5))
    slacks = st.sampled_from([Rational(0), Rational(0), Rational(1, 4), Rational(1)])
    bounds = [dot(entries, inside) + draw(slacks) for entries in matrix]
    # A repeated row, and an opposite one that may make an equation: redundant and degenerate.
    if draw(st.booleans()):
        matrix, bounds = [*matrix, matrix[0]], [*bounds, bounds[0]]
    if draw(st.booleans()):
        matrix = [*matrix, tuple(-a for a in matrix[0])]
        bounds = [*bounds, -dot(matrix[0], inside)]
    return Polytope(matrix, bounds)


regions = st.one_of(boxes(), balls(), polytopes())


def as_inequalities(source: Source) -> Polytope:
    """The same region as a polytope, written from its definition."""
    size = source.size
    if isinstance(source, Polytope):
        return source
    identity = [[int(i == k) for i in range(size)] for k in range(size)]
    if isinstance(source, Box):
        negative = [[-a for a in row] for row in identity]
        return Polytope([*identity, *negative], [*source.upper, *(-a for a in source.lower)])
    assert isinstance(source, Ball)
    signs = [[1 if mask >> k & 1 else -1 for k in range(size)] for mask in range(1 << size)]
    return Polytope(signs, [source.radius + dot(rationals(s), source.center) for s in signs])


def brute_force_corners(polytope: Polytope) -> set[Law]:
    """Every intersection of enough bounds that satisfies all of them."""
    size = polytope.size
    rows = [*polytope.matrix, *(tuple(Rational(-int(i == k)) for i in range(size)) for k in range(size))]
    bounds = [*polytope.bounds, *[Rational(0)] * size]
    found = set()
    for chosen in combinations(range(len(rows)), size - 1):
        system = [[*rows[k], bounds[k]] for k in chosen]
        point = solved([*system, [Rational(1)] * (size + 1)])
        if point is not None and all(dot(r, point) <= b for r, b in zip(rows, bounds, strict=True)):
            found.add(point)
    return found


def solved(system: list[list[Rational]]) -> Law | None:
    """Gauss and Jordan's elimination; None for a singular system."""
    rows = [list(row) for row in system]
    for k in range(len(rows)):
        pivot = next((r for r in range(k, len(rows)) if rows[r][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [entry / rows[k][k] for entry in rows[k]]
        for r in range(len(rows)):
            if r != k:
                rows[r] = [a - rows[r][k] * b for a, b in zip(rows[r], rows[k], strict=True)]
    return tuple(row[-1] for row in rows)


@given(regions)
@settings(deadline=None, max_examples=150)
def test_vertices_are_all_corners_each_once(source: Source) -> None:
    vertices = source.vertices()
    assert len(set(vertices)) == len(vertices)
    assert set(vertices) == brute_force_corners(as_inequalities(source))


@given(regions)
@settings(deadline=None, max_examples=100)
def test_the_mixtures_make_the_region(source: Source) -> None:
    made = source.mixtures
    assert made is not None
    count = len(made.vectors)
    whole = ((Rational(0),) * count, Rational(0))  # a polytope needs an inequality
    weights = Polytope([*made.matrix, whole[0]], [*made.bounds, whole[1]]).vertices()
    laws = {tuple(dot(mix, column) for column in zip(*made.vectors, strict=True)) for mix in weights}
    assert set(source.vertices()) <= laws
    assert all(source.contains(law) for law in laws)


@given(regions, st.data())
@settings(deadline=None, max_examples=200)
def test_maxima_are_those_over_the_vertices(source: Source, data: st.DataObject) -> None:
    cost = rationals(data.draw(st.lists(st.integers(-3, 3), min_size=source.size, max_size=source.size)))
    values = [dot(cost, vertex) for vertex in source.vertices()]
    best, worst = source.maximum(cost), source.minimum(cost)
    assert best.value == max(values) == dot(cost, best.point)
    assert worst.value == min(values) == dot(cost, worst.point)
    assert source.contains(best.point)
    assert source.contains(worst.point)


@given(regions, st.data())
@settings(deadline=None, max_examples=200)
def test_ratios_are_those_of_the_hull_of_the_vertices(source: Source, data: st.DataObject) -> None:
    letters = st.integers(0, source.size - 1)
    i, j = data.draw(st.tuples(letters, letters))
    assert source.maximum_ratio(i, j) == Hull(source.vertices()).maximum_ratio(i, j)


@given(regions, st.data())
@settings(deadline=None, max_examples=100)
def test_membership_is_that_of_the_hull_of_the_vertices(source: Source, data: st.DataObject) -> None:
    point = data.draw(laws(source.size))
    assert source.contains(point) == Hull(source.vertices()).contains(point)


@given(regions)
@settings(deadline=None, max_examples=200)
def test_the_class_is_that_of_the_hull_of_the_vertices(source: Source) -> None:
    assert source.kalantari_class().name == Hull(source.vertices()).kalantari_class().name


@given(polytopes(), st.data())
@settings(deadline=None, max_examples=60)
def test_polytope_optima_come_with_a_proof_and_agree_with_highs(polytope: Polytope, data: st.DataObject) -> None:
    cost = rationals(data.draw(st.lists(st.integers(-3, 3), min_size=polytope.size, max_size=polytope.size)))
    optimum = polytope.optimum(cost)
    (level,) = optimum.equality_multipliers
    for k in range(polytope.size):
        assert dot(optimum.multipliers, [row[k] for row in polytope.matrix]) + level >= cost[k]
    assert dot(optimum.multipliers, polytope.bounds) + level == optimum.value
    assert all(multiplier >= 0 for multiplier in optimum.multipliers)
    answer = linprog(
        [-float(fraction(c)) for c in cost],
        A_ub=[[float(fraction(a)) for a in row] for row in polytope.matrix],
        b_ub=[float(fraction(b)) for b in polytope.bounds],
        A_eq=np.ones((1, polytope.size)),
        b_eq=[1.0],
    )
    assert answer.status == 0
    assert abs(-answer.fun - float(fraction(optimum.value))) < 1e-9


def test_a_larger_polytope_agrees_with_highs() -> None:
    generator = np.random.default_rng(11)
    matrix = generator.integers(-9, 10, (25, 40))
    inside = generator.random(40)
    inside /= inside.sum()
    bounds = np.ceil((matrix @ inside) * 100) / 100
    cost = generator.integers(-9, 10, 40)
    polytope = Polytope(matrix, bounds)
    best = polytope.maximum(cost)
    answer = linprog(-cost, A_ub=matrix, b_ub=bounds, A_eq=np.ones((1, 40)), b_eq=[1.0])
    assert abs(-answer.fun - float(fraction(best.value))) < 1e-9
    assert polytope.contains(best.point)


def test_an_empty_polytope_is_refused_with_a_proof() -> None:
    with pytest.raises(EmptySource, match="holds no distribution") as caught:
        Polytope([[1, 1, 0], [0, 0, 1]], ["1/3", "1/3"])
    proof = caught.value.witness
    assert isinstance(proof, Infeasible)
    (level,) = proof.equality_multipliers
    first, second = proof.multipliers
    assert min(first, second) >= 0
    assert min(first + level, second + level) >= 0
    assert (first + second) / 3 + level < 0


def test_a_polytope_of_one_point() -> None:
    polytope = Polytope([[1, 0], [-1, 0]], ["1/4", "-1/4"])
    assert polytope.vertices() == [rationals(["1/4", "3/4"])]
    assert polytope.maximum_ratio(1, 0) == 3


def test_letters_that_never_occur() -> None:
    polytope = Polytope([[1, 0, 0]], [0])
    assert polytope.maximum_ratio(0, 0) == 0
    assert polytope.maximum_ratio(0, 1) == 0
    assert polytope.maximum_ratio(1, 0) is None
    assert Box([0, 0, 0], [0, 1, 1]).maximum_ratio(0, 0) == 0


def test_everything_is_the_simplex() -> None:
    everything = Everything(3)
    assert everything.size == 3
    assert everything.maximum([1, 5, 2]).point == rationals([0, 1, 0])
    assert everything.minimum([1, 5, 2]).value == 1
    assert everything.maximum_ratio(0, 0) == 1
    assert everything.maximum_ratio(0, 1) is None
    assert everything.contains([0.2, 0.3, 0.5])
    assert not everything.contains([1, 1, -1])
    assert everything.vertices() == [rationals(v) for v in ([1, 0, 0], [0, 1, 0], [0, 0, 1])]
    assert Ball([1, 0, 0], 2).vertices() == everything.vertices()


def test_too_many_vertices_are_refused() -> None:
    for source in (Box([0] * 20, ["1/10"] * 20), Ball([Rational(1, 20)] * 20, 1), Everything(20)):
        with pytest.raises(InvalidInput, match="more than 10 vertices"):
            source.vertices(limit=10)
    assert len(Box([0] * 6, ["1/3"] * 6).vertices(limit=20)) == 20


def test_vertices_of_a_large_box_are_walked_not_searched() -> None:
    # Twenty letters of which three are full: a search over all bounds would visit a million assignments.
    assert len(Box([0] * 20, ["1/3"] * 20).vertices()) == 1140


@pytest.mark.parametrize("size", [20_000, pytest.param(200_000, marks=pytest.mark.full)])
def test_large_regions_cost_one_sort(size: int) -> None:
    generator = np.random.default_rng(2)
    weights = generator.random(size)
    cost = generator.integers(0, 1000, size)
    ball = Ball(weights / weights.sum(), 0.1)
    assert ball.contains(ball.maximum(cost).point)
    box = Box([0] * size, [Rational(2, size)] * size)
    best = box.maximum(cost)
    # Half of the letters are full, namely the dearest.
    expected = sum(sorted(cost.tolist())[size // 2 :]) * Rational(2, size)
    assert best.value == expected
    assert box.maximum_ratio(0, 1) is None


@settings(deadline=None, max_examples=60)
@given(st.one_of(boxes(), balls()))
def test_no_law_of_the_region_is_flatter_than_the_flattest(region: Box | Ball) -> None:
    flattest = region.flattest.probabilities
    assert region.contains(flattest)
    size = region.size
    for count in range(1, size + 1):
        together = float(fraction(sum(sorted(flattest, reverse=True)[:count], Rational(0))))
        assert together == pytest.approx(_least_sum_of_likeliest(region, count), abs=1e-9)


def _least_sum_of_likeliest(region: Box | Ball, count: int) -> float:
    """min over the region of the probability of the `count` likeliest letters, by a general linear program."""
    size = region.size
    # Variables p, t, s and for a ball d: the sum is count * t + sum s with s >= p - t, s >= 0.
    cost = np.concatenate([np.zeros(size), [count], np.ones(size), np.zeros(size)])
    rows = [np.concatenate([unit, [-1], -unit, np.zeros(size)]) for unit in np.eye(size)]
    right = [0.0] * size
    bounds: list[tuple[float | None, float | None]]
    if isinstance(region, Box):
        bounds = [(float(fraction(a)), float(fraction(b))) for a, b in zip(region.lower, region.upper, strict=True)]
    else:
        bounds = [(0, 1)] * size
        for unit, own in zip(np.eye(size), region.center, strict=True):
            for sign in (1, -1):
                rows.append(np.concatenate([sign * unit, [0], np.zeros(size), -unit]))
                right.append(sign * float(fraction(own)))
        rows.append(np.concatenate([np.zeros(2 * size + 1), np.ones(size)]))
        right.append(float(fraction(region.radius)))
    bounds += [(None, None), *[(0, None)] * (2 * size)]
    total = np.concatenate([np.ones(size), np.zeros(2 * size + 1)])[None, :]
    return float(linprog(cost, np.array(rows), right, total, [1.0], bounds).fun)


def test_a_region_that_holds_the_uniform_law_is_flattest_there() -> None:
    assert Everything(3).flattest == Box([0, 0, 0], [1, 1, 1]).flattest == Ball(["1/2", "1/4", "1/4"], 1).flattest
    assert Box(["1/2", 0, 0], [1, "1/8", 1]).flattest == Prior(["1/2", "1/8", "3/8"])
    assert Ball(["3/5", "1/5", "1/5"], "1/5").flattest == Prior(["1/2", "1/4", "1/4"])
