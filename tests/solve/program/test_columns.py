"""The interior-point method for columns against the simplex method, on metrics, under several laws and over a box."""

import numpy as np
import pytest
from numpy.typing import NDArray

from epstar.exact.vectors import nearest_floats
from epstar.solve.program.column_equations import Bounds, Laws
from epstar.solve.program.columns import least_cost_of_columns
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly
from epstar.source import Box

Floats = NDArray[np.float64]
SIDE = 4
PLACES = np.array([(row, column) for row in range(SIDE) for column in range(SIDE)], dtype=float)


def distances(euclidean: bool) -> Floats:
    apart = np.abs(PLACES[:, None] - PLACES[None])
    found: Floats = np.sqrt((apart**2).sum(axis=2)) if euclidean else apart.sum(axis=2)
    return found


def bounds(distance: Floats) -> Bounds:
    first, second = np.nonzero(distance > 0)
    return Bounds(len(distance), first, second, np.exp(distance[first, second] / 2))


def by_simplex(cost: Floats, pairs: Bounds, points: Floats) -> float:
    """The same program, row by row, at each of some laws."""
    assembly = Assembly()
    entries = np.array(assembly.variables(cost.size)).reshape(cost.shape)
    worst = assembly.variable(-1.0)
    assembly.objective = {worst: 1.0}
    for row in entries.tolist():
        assembly.equal(dict.fromkeys(row, 1.0), 1.0)
    for point in points:
        weighed = (point[:, None] * cost).ravel().tolist()
        assembly.at_most(dict(zip(entries.ravel().tolist(), weighed, strict=True)) | {worst: -1.0}, 0.0)
    for x, other, ratio in zip(pairs.first, pairs.second, pairs.ratios, strict=True):
        assembly.all_at_most((entries[x], 1.0), (entries[other], -ratio), bound=0.0)
    return solve_linear(assembly).objective


@pytest.mark.parametrize("euclidean", [False, True], ids=["rows and columns", "straight lines"])
@pytest.mark.parametrize("laws", [1, 3])
def test_the_optimum_is_that_of_the_simplex_method(euclidean: bool, laws: int) -> None:
    cost, points = distances(euclidean), np.random.default_rng(5).dirichlet(np.ones(len(PLACES)), laws)
    found = least_cost_of_columns(cost, bounds(cost), Laws(points, np.zeros((0, laws)), np.zeros(0)), lambda: None)
    assert found.is_near
    assert found.prices.sum() == pytest.approx(by_simplex(cost, bounds(cost), points), rel=1e-9)
    np.testing.assert_allclose(found.matrix.sum(axis=1), 1.0, atol=1e-9)
    pairs = bounds(cost)
    assert (found.matrix[pairs.first] <= pairs.ratios[:, None] * found.matrix[pairs.second] * (1 + 1e-9)).all()


@pytest.mark.parametrize("seed", range(4))
def test_bounds_that_are_no_distances(seed: int) -> None:
    """Ratios with the chances of inputs in them, under which most bounds are near only at the end."""
    generator = np.random.default_rng(seed)
    size = len(PLACES)
    chances = generator.dirichlet(np.ones(size))
    distance = np.where(np.eye(size) > 0, 0.0, 5 + np.log(chances / chances[:, None]))
    first, second = np.nonzero(distance > 1e-3)
    pairs = Bounds(size, first, second, np.exp(distance[first, second]))
    cost = np.abs(np.arange(size)[:, None] - np.arange(size)).astype(float)
    found = least_cost_of_columns(cost, pairs, Laws(chances[None], np.zeros((0, 1)), np.zeros(0)), lambda: None)
    assert found.is_near
    assert found.prices.sum() == pytest.approx(by_simplex(cost, pairs, chances[None]), rel=1e-8)
    assert (found.matrix[first] <= pairs.ratios[:, None] * found.matrix[second] + 1e-12).all()


def test_a_box_of_laws_meets_its_dual() -> None:
    """The mechanism is as bad under the worst law of the box as the prices of the rows say that every one is."""
    cost, box = distances(euclidean=False), Box(["1/20"] * len(PLACES), ["3/40"] * len(PLACES))
    region, pairs = box.mixtures, bounds(cost)
    vectors, matrix = (np.array([nearest_floats(row) for row in rows]) for rows in (region.vectors, region.matrix))
    found = least_cost_of_columns(cost, pairs, Laws(vectors, matrix, nearest_floats(region.bounds)), lambda: None)
    assert found.is_near
    worst = box.maximum((found.matrix * cost).sum(axis=1).tolist()).value
    assert found.prices.sum() == pytest.approx(float(worst), rel=1e-9)
    law = found.weights @ vectors
    assert (law >= 1 / 20 - 1e-9).all()
    assert (law <= 3 / 40 + 1e-9).all()
    reduced = law[:, None] * cost - found.prices[:, None]
    np.add.at(reduced, pairs.first, found.multipliers)
    np.subtract.at(reduced, pairs.second, pairs.ratios[:, None] * found.multipliers)
    assert reduced.min() > -1e-9


def test_few_bounds_are_read_at_first() -> None:
    """The relative neighbourhood graph of a grid is the grid, whichever way distances are measured."""
    for euclidean in (False, True):
        distance = distances(euclidean)
        pairs = bounds(distance)
        nearest = pairs.nearest()
        np.testing.assert_array_equal(distance[pairs.first[nearest], pairs.second[nearest]], 1.0)
        assert len(nearest) == (distance == 1).sum()


def test_a_rough_optimum_says_how_rough_it_is() -> None:
    cost, points = distances(euclidean=True), np.random.default_rng(5).dirichlet(np.ones(len(PLACES)), 1)
    laws, pairs = Laws(points, np.zeros((0, 1)), np.zeros(0)), bounds(cost)
    found = least_cost_of_columns(cost, pairs, laws, lambda: None, close=1e-3)
    exactly = by_simplex(cost, pairs, points)
    assert 1e-6 < found.gap <= 1e-3
    assert abs(found.prices.sum() - exactly) <= found.gap * (1 + exactly) * cost.max()
