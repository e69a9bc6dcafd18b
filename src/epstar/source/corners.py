"""Exact enumeration of the corners of a region of distributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.exact.vectors import sum_of
from epstar.exact_linear import Vector

# A corner of a slice of a box: which letters are at their upper bound (a bit mask), and the one letter that
# is strictly between its bounds (-1 if none) with its height above the lower bound.
_Corner = tuple[int, int, Rational]
Flags = NDArray[np.bool_]


def slice_corners(lower: Sequence[Rational], upper: Sequence[Rational], total: Rational, limit: int) -> list[Vector]:
    """Return the corners of {lower <= x <= upper, sum x = total}, which must not be empty.

    All categories but at most one are at a bound. The corners are found by walking along edges, which move mass
    between two categories, so the time is proportional to the number of corners.

    Raises:
        InvalidInput: if there are more than `limit` corners.
    """
    widths = {k: b - a for k, (a, b) in enumerate(zip(lower, upper, strict=True)) if a < b}
    start = _first_corner(widths, total - sum_of(lower))
    seen = {start[:2]}
    corners = [start]
    for corner in in_time(corners):
        check_vertex_count(len(corners), limit)
        for neighbour in _neighbours(corner, widths):
            if neighbour[:2] not in seen:
                seen.add(neighbour[:2])
                corners.append(neighbour)
    found = []
    for mask, free, height in corners:
        point = [upper[k] if mask >> k & 1 else low for k, low in enumerate(lower)]
        if free >= 0:
            point[free] += height
        found.append(tuple(point))
    return found


def _first_corner(widths: dict[int, Rational], left: Rational) -> _Corner:
    mask = 0
    for letter, width in widths.items():
        if left < width:
            return (mask, letter, left) if left > ZERO else (mask, -1, ZERO)
        mask |= 1 << letter
        left -= width
    return mask, -1, ZERO


def _neighbours(corner: _Corner, widths: dict[int, Rational]) -> list[_Corner]:
    mask, free, height = corner
    up = [k for k in widths if k != free and not mask >> k & 1]
    down = [k for k in widths if k != free and mask >> k & 1]
    if free < 0:
        return [_moved(mask, widths, a, ZERO, b, widths[b]) for a in up for b in down]
    return [
        *(_moved(mask, widths, a, ZERO, free, height) for a in up),
        *(_moved(mask, widths, free, height, b, widths[b]) for b in down),
    ]


def _moved(
    mask: int, widths: dict[int, Rational], up: int, up_height: Rational, down: int, down_height: Rational
) -> _Corner:
    """Return the corner reached by moving as much as possible from category `down` to category `up`."""
    room = widths[up] - up_height
    mask &= ~(1 << down)
    if room > down_height:
        return mask, up, up_height + down_height
    mask |= 1 << up
    return (mask, -1, ZERO) if room == down_height else (mask, down, down_height - room)


def simplex_corners(size: int, matrix: Sequence[Vector], bounds: Sequence[Rational], limit: int) -> list[Vector]:
    """Return the corners of {x >= 0, sum x = 1, matrix x <= bounds}.

    The double description method: the simplex is cut by one inequality at a time; a new corner appears on
    every edge whose ends lie on different sides. Two corners span an edge if and only if no third one lies on
    all the bounds that both lie on. Time is cubic in the number of corners met on the way, in operations on bits.

    Raises:
        InvalidInput: if more than `limit` corners are met.
    """
    points = [tuple(Rational(int(i == k)) for i in range(size)) for k in range(size)]
    # Which bounds each corner lies on: first the letters of no probability, then the inequalities.
    tight = np.hstack([~np.eye(size, dtype=np.bool_), np.zeros((size, len(matrix)), dtype=np.bool_)])
    for number, (row, bound) in enumerate(zip(matrix, bounds, strict=True), size):
        slacks = [bound - sum((a * x for a, x in zip(row, point, strict=True)), ZERO) for point in points]
        signs = np.array([(slack > ZERO) - (slack < ZERO) for slack in slacks], dtype=np.int8)
        found: list[Vector] = []
        found_tight = [tight[:0]]
        for first in in_time(np.flatnonzero(signs > 0).tolist()):
            for second, common in _edges(size, tight, first, np.flatnonzero(signs < 0)):
                weight = slacks[first] / (slacks[first] - slacks[second])
                ends = zip(points[first], points[second], strict=True)
                found.append(tuple(a + weight * (b - a) for a, b in ends))
                found_tight.append(common[None])
                check_vertex_count(len(found), limit)
        tight = np.vstack([tight[signs >= 0], *found_tight])
        tight[:, number] = [*(signs[signs >= 0] == 0), *[True] * len(found)]
        points = [point for point, sign in zip(points, signs, strict=True) if sign >= 0] + found
        check_vertex_count(len(points), limit)
    return points


def _edges(size: int, tight: Flags, first: int, others: NDArray[np.intp]) -> Iterator[tuple[int, Flags]]:
    """Yield the corners that share an edge with the first, and the bounds that both lie on."""
    common = tight[first] & tight[others]
    counts = common.sum(axis=1)
    # As many bounds meet in an edge as there are letters but two, or more.
    near = counts >= size - 2
    holders = (tight.astype(np.float32) @ common[near].T.astype(np.float32) == counts[near]).sum(axis=0)
    for place in np.flatnonzero(near)[holders == 2].tolist():
        yield int(others[place]), common[place]


def check_vertex_count(count: int, limit: int) -> None:
    """Refuse to list more than `limit` vertices.

    Raises:
        InvalidInput: if there are more.
    """
    if count > limit:
        raise InvalidInput(f"The source has more than {limit} vertices; use its maximum instead, or raise the limit.")
