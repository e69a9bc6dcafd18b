"""Metrics: exact distances, infinite ones, and the triangle inequality."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import INFINITY, Rational
from epstar.universe import Metric

ROUNDED = [
    [0, 1, 1.5, 2.2361],
    [1, 0, 1.8028, 1.4142],
    [1.5, 1.8028, 0, 2.0616],
    [2.2361, 1.4142, 2.0616, 0],
]


def test_a_rounded_table_is_read_as_written() -> None:
    metric = Metric(ROUNDED, ["home", "work", "shop", "park"])
    assert metric.distance(0, 3) == Rational(22361, 10000)
    assert metric.index("park") == 3
    assert metric.triangle_violation is None
    assert metric.diameter == Rational(22361, 10000)
    pairs = metric.pairs()
    assert pairs.distance is not None
    assert [pairs.distance[k] for k in range(2)] == [1, Rational(3, 2)]
    assert pairs.first.tolist() == [0, 0, 0, 1, 1, 2]
    assert pairs.second.tolist() == [1, 2, 3, 2, 3, 3]


def test_infinite_distances_are_no_constraint() -> None:
    for infinite in (None, math.inf, np.inf, "inf", "Infinity", INFINITY):
        metric = Metric([[0, 1, infinite], [1, 0, 1], [infinite, 1, 0]])
        assert metric.distance(0, 2) is None
        assert metric.pairs().first.tolist() == [0, 1]
        assert metric.pairs().distance is None
        assert metric.diameter is None


def test_a_broken_triangle_is_kept_and_named() -> None:
    metric = Metric([[0, "1/3", 1], ["1/3", 0, "1/3"], [1, "1/3", 0]])
    assert metric.triangle_violation == (0, 1, 2)
    assert metric.distance(0, 2) == 1
    # An infinite side is longer than a finite detour, too.
    assert Metric([[0, 1, None], [1, 0, 1], [None, 1, 0]]).triangle_violation == (0, 1, 2)
    assert Metric([[0, None], [None, 0]]).triangle_violation is None


@given(st.integers(2, 6), st.integers(0, 2**32), st.sampled_from([1, 7, 10**30]))
@settings(deadline=None)
def test_triangles_are_judged_exactly(size: int, seed: int, scale: int) -> None:
    # Distances between 4 and 9 break the inequality sometimes; the scale forces integers beyond 64 bits.
    drawn = np.random.default_rng(seed).integers(4, 10, (size, size))
    table = [
        [Rational(int(drawn[min(i, j), max(i, j)]), scale) * int(i != j) for j in range(size)] for i in range(size)
    ]
    table[0][1] += Rational(1, 10**20)
    table[1][0] += Rational(1, 10**20)
    violation = Metric(table).triangle_violation
    triples = [
        (i, k, j)
        for i in range(size)
        for k in range(size)
        for j in range(size)
        if table[i][j] > table[i][k] + table[k][j]
    ]
    assert (violation is None) == (not triples)
    assert violation is None or violation in triples


def test_one_element() -> None:
    assert len(Metric([[0]]).pairs()) == 0
    assert Metric([[0]]).triangle_violation is None
