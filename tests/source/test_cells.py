"""Products of unknown row laws: cut into cells whose hulls hold them, and suprema over them enclosed."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.source import Ball, Box, Everything, Finite, Hull, Polytope, Prior, Rows, Source
from epstar.source.cells import HALF, Cell, product_law
from epstar.source.triangulation import simplices

Point = tuple[Rational, ...]

REGIONS: dict[str, Source] = {
    "segment": Hull([["1/5", "4/5"], ["3/5", "2/5"]]),
    "triangle": Everything(3),
    "hexagon": Ball(["1/3", "1/3", "1/3"], "1/3"),
    "box": Box(["1/10", "1/5", 0], ["1/2", "3/5", "1/2"]),
    "octahedron": Box([0, 0, 0, 0], ["1/2", "1/2", "1/2", "1/2"]),
    "ball of four letters": Ball(["1/4", "1/4", "1/4", "1/4"], "1/5"),
    "half plane": Polytope([[1, -1, 0]], ["1/10"]),
    "repeated corners": Hull([["1/2", "1/2", 0], ["1/4", "1/4", "1/2"], ["3/8", "3/8", "1/4"]]),
    "one law": Prior(["1/3", "2/3"]),
    "some laws": Finite([["1/3", "2/3"], ["1/2", "1/2"]]),
}


def member(source: Source, numbers: random.Random) -> Point:
    """A law of the source, drawn from mixtures of its corners."""
    corners = source.vertices()
    if not source.is_convex:
        return numbers.choice(corners)
    weights = [Rational(numbers.randint(0, 9) ** 2) for _ in corners]
    weights[0] += 1
    total = sum(weights, ZERO)
    return tuple(dot(weights, column) / total for column in zip(*corners, strict=True))


def holds(corners: tuple[Point, ...], law: Point) -> bool:
    return Hull(corners).contains(law)


@pytest.mark.parametrize("name", REGIONS)
def test_simplices_cover_their_region_and_nothing_else(name: str) -> None:
    source, numbers = REGIONS[name], random.Random(name)
    found = simplices(source)
    assert all(source.contains(corner) for simplex in found for corner in simplex)
    for _ in range(20):
        law = member(source, numbers)
        assert any(holds(simplex, law) for simplex in found)


def test_simplices_do_not_overlap() -> None:
    # The areas, twice over, of the pieces of a square-like region add up to that of the region.
    found = simplices(REGIONS["hexagon"])
    areas = [
        abs(float(np.linalg.det(np.array([[float(Real.of(p)) for p in corner[:2]] + [1.0] for corner in simplex]))))
        for simplex in found
    ]
    corners = np.array([[float(Real.of(p)) for p in corner[:2]] for corner in REGIONS["hexagon"].vertices()])
    middle = corners.mean(axis=0)
    around = corners[np.argsort(np.arctan2(*(corners - middle).T))]
    shoelace = abs(sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(around, np.roll(around, -1, axis=0), strict=True)))
    assert sum(areas) == pytest.approx(shoelace, rel=1e-12)


def test_a_region_with_too_many_corners_is_refused() -> None:
    with pytest.raises(InvalidInput, match="corners"):
        Rows(Ball(["1/9"] * 9, "1/5"), 2).cells()


@pytest.mark.parametrize("iid", [True, False])
@pytest.mark.parametrize("name", ["segment", "hexagon", "box"])
def test_the_hull_of_a_cell_holds_its_laws_and_halves_make_up_the_whole(name: str, iid: bool) -> None:
    numbers = random.Random(f"{name} {iid}")
    rows = Rows(REGIONS[name], 2, iid=iid)
    cell = rows.cells()[0]
    for _ in range(6):
        laws = [_mixed(simplex, numbers) for simplex in cell.simplices]
        joint = product_law([law for law, power in zip(laws, cell.powers, strict=True) for _ in range(power)])
        assert rows.contains(joint)
        assert holds(cell.hull, joint)
        halves = cell.cut(*cell.longest_edge, HALF)
        assert any(
            all(holds(simplex, law) for simplex, law in zip(half.simplices, laws, strict=True)) for half in halves
        )
        cell = numbers.choice(halves)
    assert all(rows.contains(corner) for corner in (*cell.corners, cell.middle))


def _mixed(corners: tuple[Point, ...], numbers: random.Random) -> Point:
    weights = [Rational(numbers.randint(1, 9)) for _ in corners]
    total = sum(weights, ZERO)
    return tuple(dot(weights, column) / total for column in zip(*corners, strict=True))


@pytest.mark.parametrize("rows", [2, 3])
@pytest.mark.parametrize("name", ["segment", "triangle", "hexagon", "box"])
def test_the_maximum_over_powers_is_enclosed(name: str, rows: int) -> None:
    source, numbers = REGIONS[name], random.Random(f"{name} {rows}")
    shared = Rows(source, rows)
    cost = [Rational(numbers.randint(-5, 10), 10) for _ in range(shared.size)]
    found = shared.maximum(cost)
    attained = dot(cost, found.point)
    assert shared.contains(found.point)
    assert attained <= found.value <= attained + Rational(1, 10**13)
    for _ in range(200):
        law = product_law([member(source, numbers)] * rows)
        assert dot(cost, law) <= found.value


def test_a_maximum_inside_the_region_is_found() -> None:
    # 2 p (1 - p) is largest at p = 1/2, between the corners.
    found = Rows(Box(["1/5", "1/5"], ["4/5", "4/5"]), 2).maximum([0, 1, 1, 0])
    assert abs(found.value - Rational(1, 2)) < Rational(1, 10**14)
    # At a corner the maximum is exact.
    exact = Rows(Box(["1/5", "1/5"], ["4/5", "4/5"]), 2).maximum([1, 0, 0, 0])
    assert exact.value == Rational(16, 25)


def test_mixed_powers_are_the_control_points_of_a_polynomial() -> None:
    cell = Cell((((ONE, ZERO), (ZERO, ONE)),), (3,))
    # The hull of the powers of a coin: databases with the same number of ones are equally likely.
    assert len(cell.hull) == 4
    for law in cell.hull:
        by_ones: dict[int, set[str]] = {}
        for bits, probability in zip(product((0, 1), repeat=3), law, strict=True):
            by_ones.setdefault(sum(bits), set()).add(str(probability))
        assert all(len(values) == 1 for values in by_ones.values())
