"""A region of distributions cut into simplices, exactly.

A polytope is the union of the cones from one of its corners over the facets that do not hold it, and each facet is cut
in the same way. Facets are found by trying: d corners of a d-dimensional polytope span one if all others lie on
one side of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.source.base import Point, Source
from epstar.source.points import Finite
from epstar.source.prior import Prior

Simplex = tuple[Point, ...]
_MOST_CORNERS = 200
_MOST_TRIALS = 20_000


def simplices(source: Source) -> list[Simplex]:
    """Return simplices, given by their corners, whose union is the source; single points where it is a list of laws.

    Raises:
        InvalidInput: if the region has too many corners.

    >>> from epstar.source.regions import Box
    >>> len(simplices(Box([0, 0, "1/4"], ["1/2", "1/2", 1])))
    3
    """
    if isinstance(source, Prior):
        return [(source.probabilities,)]
    if isinstance(source, Finite):
        return [(point,) for point in source.points]
    return list(_cut(source.vertices(_MOST_CORNERS)))


def _cut(corners: Sequence[Point]) -> Iterator[Simplex]:
    places = _coordinates(corners)
    dimension = len(places[0])
    if len(corners) == dimension + 1:
        yield tuple(corners)
        return
    for facet in _facets(places, dimension):
        if 0 not in facet:
            for simplex in _cut([corners[i] for i in facet]):
                yield (corners[0], *simplex)


def _facets(places: Sequence[Point], dimension: int) -> list[tuple[int, ...]]:
    """Return the facets of the hull of points in general coordinates, as positions of all points on each."""
    if comb(len(places), dimension) > _MOST_TRIALS:
        raise InvalidInput(
            f"A region with {len(places)} corners in {dimension} dimensions is too large to share one unknown "
            "distribution between rows; describe it with fewer corners, or list some distributions with Finite."
        )
    found: dict[tuple[int, ...], None] = {}
    for chosen in combinations(range(len(places)), dimension):
        normal = _normal([places[i] for i in chosen])
        if normal is None:
            continue
        heights = [dot(normal, place) - dot(normal, places[chosen[0]]) for place in places]
        if max(heights) <= ZERO or min(heights) >= ZERO:
            found[tuple(i for i, height in enumerate(heights) if height == ZERO)] = None
    return list(found)


def _normal(points: Sequence[Point]) -> Point | None:
    """Return a vector across the plane through d points of d dimensions; None if they span less."""
    first, *others = points
    rows, pivots = _reduced([[a - b for a, b in zip(point, first, strict=True)] for point in others])
    if len(pivots) < len(others):
        return None
    (free,) = [k for k in range(len(first)) if k not in pivots]
    normal = [ZERO] * len(first)
    normal[free] = ONE
    for row, pivot in zip(rows, pivots, strict=True):
        normal[pivot] = -row[free]
    return tuple(normal)


def _coordinates(corners: Sequence[Point]) -> list[Point]:
    """Return the corners by as many of their own entries as tell them apart affinely."""
    first = corners[0]
    _, pivots = _reduced([[a - b for a, b in zip(point, first, strict=True)] for point in corners[1:]])
    return [tuple(point[k] for k in pivots) for point in corners]


def _reduced(rows: list[list[Rational]]) -> tuple[list[list[Rational]], list[int]]:
    """Return the reduced echelon form without its zero rows, and the pivot columns."""
    reduced: list[list[Rational]] = []
    pivots: list[int] = []
    for given in rows:
        row = list(given)
        for known, column in zip(reduced, pivots, strict=True):
            if row[column] != ZERO:
                row = [a - row[column] * b for a, b in zip(row, known, strict=True)]
        pivot = next((k for k, entry in enumerate(row) if entry != ZERO), None)
        if pivot is None:
            continue
        row = [entry / row[pivot] for entry in row]
        reduced = [
            [a - known[pivot] * b for a, b in zip(known, row, strict=True)] if known[pivot] != ZERO else known
            for known in reduced
        ]
        reduced.append(row)
        pivots.append(pivot)
    return reduced, pivots
