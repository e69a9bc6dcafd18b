"""Covers by outer approximation: points around a convex set at which a convex function is small enough.

Concave minimisation as in Hoffman (Mathematical Programming 20, 1981): a polytope that holds the set is cut by a side
of the set wherever the function is too large at one of its corners, until it is so at none. Corners and their cones are
kept by the double description of a simple polytope: a corner that lies on a new side counts as inside, as if the side
were moved out by a little more than all before it, so that two cones share each face and no position is special.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from epstar.claims.cover import Corners, Cover, Point, Side, base_of, boxes_of, gain, sides_of
from epstar.deadline import keep_time
from epstar.exact import ONE, ZERO, Rational
from epstar.source import Ball, Box, Hull, Source

# Numbers in a document: points and the sides of their cones. Twice as many take four times as long to find, here 1 s.
_MOST_ENTRIES = 250_000
# Corners that are looked at for the side that cuts deepest.
_LOOKED_AT = 50

Exceeding = Callable[[Sequence[Point]], Sequence[bool]]


def cover_of(source: Source, rising: bool, exceeding: Exceeding, most: int = _MOST_ENTRIES) -> Cover | None:
    """Return a cover of a convex source, or if `rising` of (p, t) above it, at whose points nothing is exceeded.

    `exceeding` says of some points whether the function is too large there. None if it is so within the source, or the
    cover would have more than `most` numbers.
    """
    if isinstance(source, Ball) and not rising:
        parts = list[Corners]()
        for box in boxes_of(source):
            part = cover_of(box, False, exceeding, most)
            if part is None:
                return None
            parts.append(part.corners)
            most -= sum(len(point) * (1 + len(cones)) for point, cones in part.corners)
        return Cover(boxes=tuple(parts))
    base, sides = base_of(source), sides_of(source, rising)
    size, known = len(base), len(sides)
    if not rising:
        corners = _simplex(source) if isinstance(source, Box) else _certain(size)
        exceeding = partial(_beyond, exceeding)
    elif isinstance(source, Hull):
        corners = {}
        for cone, unit in _certain(size).items():
            corners[cone | 1 << size] = (*unit, ONE)
            corners[cone | 1 << size + 1] = (*unit, base[unit.index(ONE)][0])
    else:
        likely = ((1 << size) - 1) << size + 1
        corners = {likely: (Rational(1, size),) * (size + 1)}
        for i in range(size):
            others = (Rational(2 - size) if j == i else ONE for j in range(size))
            corners[likely ^ 1 << size + 1 + i | 1 << size] = (*others, ONE)
    outer = _Approximation(corners, sides, source if isinstance(source, Ball) else None, most)
    return outer.cover(known) if outer.refine(exceeding) else None


def cover_of_cone(sides: Sequence[Side], size: int) -> Cover | None:
    """Return the cover of all distributions within some sides, by their own corners; None if it would be too long."""
    every = [*(({i: -ONE}, ZERO) for i in range(size)), *sides]

    def beyond(points: Sequence[Point]) -> list[bool]:
        return [any(_slack(side, point) < 0 for side in sides) for point in points]

    found = _Approximation(_certain(size), every, None, _MOST_ENTRIES)
    return found.cover(len(every)) if found.refine(beyond) else None


def _certain(size: int) -> dict[int, Point]:
    """Return the distributions that are certain of an input, each on the sides of all others."""
    every = (1 << size) - 1
    return {every ^ 1 << i: tuple(ONE if j == i else ZERO for j in range(size)) for i in range(size)}


def _simplex(box: Box) -> dict[int, Point]:
    """Return the corners of the smaller simplex around a box: all entries but one least, or all but one largest.

    The box is what is left of it where other entries come to their ends, of which there may be few: a ball is held by
    boxes next to which the simplex of largest entries is hardly larger.
    """
    size, rest, excess = box.size, ONE - sum(box.lower, ZERO), sum(box.upper, ZERO) - ONE
    ends, step, first = (box.upper, -excess, 2 * size) if excess < rest else (box.lower, rest, size)
    every = ((1 << size) - 1) << first
    moved = (tuple(end + step if j == i else end for j, end in enumerate(ends)) for i in range(size))
    return {every ^ 1 << first + i: point for i, point in enumerate(moved)}


def _beyond(exceeding: Exceeding, points: Sequence[Point]) -> list[bool]:
    """Return where there is no distribution, or a function is exceeded at it."""
    flags = iter(exceeding([point for point in points if min(point) >= 0]))
    return [min(point) < 0 or next(flags) for point in points]


class _Approximation:
    """Corners by their cones, bits for the sides; each face is shared by two. Points are numbered."""

    def __init__(self, corners: dict[int, Point], sides: list[Side], ball: Ball | None, most: int) -> None:
        self.sides, self.ball, self.points, self.most = sides, ball, list(corners.values()), most
        self.corners = {cone: number for number, cone in enumerate(corners)}
        self.faces: dict[int, list[int]] = {}
        for cone in corners:
            self._join(cone)

    def refine(self, exceeding: Exceeding) -> bool:
        """Cut until nothing is exceeded at any corner; False if it is within the set, or there are too many."""
        pending, judged = list[int](), 0
        while True:
            keep_time()
            flags = exceeding(self.points[judged:])
            pending += [judged + place for place, is_beyond in enumerate(flags) if is_beyond]
            judged = len(self.points)
            left = set(self.corners.values())
            pending = [number for number in pending if number in left]
            if not pending:
                return True
            found = [self._deepest(self.points[number]) for number in pending[:_LOOKED_AT]]
            if None in found or len(self.corners) * 2 * len(self.points[0]) > self.most:
                return False
            self._cut(max(side for side in found if side is not None)[1])

    def _deepest(self, point: Point) -> tuple[Rational, int] | None:
        """Return the side that the point is furthest beyond, and by how much."""
        if self.ball is not None:
            side = gain(self.ball, [x for x, (p, c) in enumerate(zip(point, self.ball.center, strict=False)) if p > c])
            if _slack(side, point) < 0 and side not in self.sides:
                self.sides.append(side)
        found = [(-slack, k) for k, side in enumerate(self.sides) if (slack := _slack(side, point)) < 0]
        return max(found, default=None)

    def _cut(self, side: int) -> None:
        room = {number: _slack(self.sides[side], self.points[number]) for number in set(self.corners.values())}
        gone = {cone for cone, number in self.corners.items() if room[number] < 0}
        new: dict[int, int] = {}
        for cone in gone:
            beyond = self.corners[cone]
            for face in _faces(cone):
                first, second = self.faces[face]
                other = second if first == cone else first
                if other in gone:
                    continue
                inside = self.corners[other]
                if room[inside] == 0:
                    new[face | 1 << side] = inside
                    continue
                share = room[inside] / (room[inside] - room[beyond])
                ends = zip(self.points[inside], self.points[beyond], strict=True)
                new[face | 1 << side] = len(self.points)
                self.points.append(tuple(a + share * (b - a) for a, b in ends))
        for cone in gone:
            del self.corners[cone]
            for face in _faces(cone):
                self.faces[face].remove(cone)
                if not self.faces[face]:
                    del self.faces[face]
        self.corners.update(new)
        for cone in new:
            self._join(cone)

    def _join(self, cone: int) -> None:
        for face in _faces(cone):
            self.faces.setdefault(face, []).append(cone)

    def cover(self, known: int) -> Cover:
        """Return the corners with their cones; sides beyond those known are sets of inputs."""
        cones = {cone: [k for k in range(cone.bit_length()) if cone >> k & 1] for cone in self.corners}
        used = sorted({k for cone in cones.values() for k in cone if k >= known})
        places = {k: known + place for place, k in enumerate(used)}
        found: dict[Point, list[tuple[int, ...]]] = {}
        for cone, number in self.corners.items():
            found.setdefault(self.points[number], []).append(tuple(places.get(k, k) for k in cones[cone]))
        corners = tuple((point, tuple(found[point])) for point in sorted(found))
        return Cover(corners, tuple(tuple(self.sides[k][0]) for k in used))


def _slack(side: Side, point: Point) -> Rational:
    return side[1] - sum((a * point[x] for x, a in side[0].items()), ZERO)


def _faces(cone: int) -> Iterator[int]:
    rest = cone
    while rest:
        bit = rest & -rest
        yield cone ^ bit
        rest ^= bit
