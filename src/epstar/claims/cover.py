"""A cover of a convex set: points whose mixtures hold it, with the cones that show it.

A convex function is at most a number throughout a polytope if it is at points whose hull holds the polytope, and that a
hull does is seen from its normal fan. Each point stands with simplicial cones, lists of sides on or beyond which it
lies: a linear function in the cone of their normals is nowhere in the polytope larger than there (weak duality). The
hull of the points holds the polytope if the cones cover the space of all linear functions; and they do if the faces of
the cones, each with the sign of its cone, cancel: the number of cones that hold a function then is the same wherever no
face is. Nothing is searched: the work is that of a determinant for each cone. Whoever makes a cover may leave out sides
of the set that do not matter, which makes it shorter; its points then lie outside.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from epstar.deadline import in_time
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, RationalMatrix
from epstar.notions.priors import few_extreme_laws
from epstar.source import Ball, Box, Everything, Hull, Polytope, Source

Point = tuple[Rational, ...]
Cone = tuple[int, ...]
Corners = tuple[tuple[Point, tuple[Cone, ...]], ...]
# form . v <= bound
Side = tuple[Mapping[int, Rational], Rational]


@dataclass(frozen=True)
class Cover:
    """Points with cones; of a ball those of boxes that hold it, or with the sets of inputs that are its sides."""

    corners: Corners = ()
    sets: tuple[tuple[int, ...], ...] = ()
    boxes: tuple[Corners, ...] = ()


def base_of(source: Source) -> Sequence[Point]:
    """Return the laws on which the entries of a point are weights: those that a hull lists, else the certain ones."""
    return source.points if isinstance(source, Hull) else Everything(source.size).vertices()


def sides_of(source: Source, rising: bool, sets: Sequence[Sequence[int]] = ()) -> list[Side]:
    """Return the sides of a convex source, in weights, or if `rising` of all (p, t) with p in it, max(p) <= t <= 1."""
    base, found = base_of(source), list[Side]()
    size = len(base)
    found += [({i: -ONE}, ZERO) for i in range(size)]
    if rising:
        found.append(({size: ONE}, ONE))
        for column in zip(*base, strict=True):
            found.append(({**{i: p for i, p in enumerate(column) if p != 0}, size: -ONE}, ZERO))
    if isinstance(source, Box):
        found += [({x: -ONE}, -low) for x, low in enumerate(source.lower)]
        found += [({x: ONE}, high) for x, high in enumerate(source.upper)]
    if isinstance(source, Polytope):
        rows = ({x: a for x, a in enumerate(row) if a != 0} for row in source.matrix)
        found += list(zip(rows, source.bounds, strict=True))
    for inputs in sets:
        if not isinstance(source, Ball) or any(x >= size for x in inputs):
            raise ProofRejected("A side of the cover is none of the source.")
        found.append(gain(source, inputs))
    return found


def gain(ball: Ball, inputs: Sequence[int]) -> Side:
    """Return the side of a ball that says that some inputs gain at most the mass that moves."""
    chosen = dict.fromkeys(inputs, ONE)
    return chosen, sum((ball.center[x] for x in chosen), ball.radius / 2)


def boxes_of(ball: Ball) -> list[Box]:
    """Return boxes whose hull holds a ball: in each, all the mass that moves goes to one input.

    With u gained and d lost, of one mass, center + u - d is the mixture of center + mass e_x - d with weights u / mass.
    """
    found, mass = [], ball.radius / 2
    for x in range(ball.size):
        lower = [mass if z == x else ZERO for z in range(ball.size)]
        found.append(Box(lower, [min(ONE, low + c) for low, c in zip(lower, ball.center, strict=True)]))
    return found


def laws_of(source: Source, cover: Cover | None) -> Sequence[Point]:
    """Return laws whose mixtures hold a convex source: those that it lists, or those of its cover.

    The corners of a box and of a ball are known without a search, so that a claim whose cover would be too long for a
    document may go without; only those who have the memory for all of them can check it.

    Raises:
        ProofRejected: if it needs a cover, and this is none.
    """
    if isinstance(source, Hull | Everything):
        return base_of(source)
    if cover is None:
        corners = few_extreme_laws(source) if isinstance(source, Box | Ball) else None
        if corners is None:
            raise ProofRejected("Over this source the claim must name a cover.")
        return corners
    if isinstance(source, Ball):
        boxes = boxes_of(source)
        if len(cover.boxes) != len(boxes):
            raise ProofRejected("There is not a cover for each box that holds the ball.")
        parts = zip(boxes, cover.boxes, strict=True)
        return [law for box, corners in parts for law in laws_of(box, Cover(corners))]
    check_cover(cover, sides_of(source, False, cover.sets), source.size, source.size)
    laws = [point for point, _ in cover.corners]
    if any(p < 0 for law in laws for p in law):
        raise ProofRejected("A corner of the cover is no distribution.")
    return laws


def rising_laws(source: Source, cover: Cover | None) -> list[tuple[Point, Rational]]:
    """Return vectors p and numbers t whose mixtures hold all with p in a convex source and max(p) <= t <= 1.

    Raises:
        ProofRejected: if the cover is none of these.
    """
    if cover is None:
        raise ProofRejected("Over this source the claim must name a cover, or shares.")
    size = len(base_of(source))
    check_cover(cover, sides_of(source, True, cover.sets), size, size + 1)
    return [mixed_below(source, point) for point, _ in cover.corners]


def mixed_below(source: Source, point: Point) -> tuple[Point, Rational]:
    """Return the mixture that the entries of a point stand for, and its last entry."""
    if not isinstance(source, Hull):
        return point[:-1], point[-1]
    columns = zip(*source.points, strict=True)
    return tuple(sum((w * p for w, p in zip(point[:-1], c, strict=True)), ZERO) for c in columns), point[-1]


def check_cover(cover: Cover, sides: Sequence[Side], inputs: int, size: int) -> None:
    """Check that the mixtures of the corners hold all vectors within the sides whose first entries sum to one."""
    faces, total, cones_seen = Counter[Cone](), [ONE] * inputs + [ZERO] * (size - inputs), 0
    rows = [[form.get(x, ZERO) for x in range(size)] for form, _ in sides]
    for point, cones in in_time(cover.corners):
        if len(point) != size or sum(point[:inputs], ZERO) != 1:
            raise ProofRejected("A corner of the cover has another size, or another sum than one.")
        for cone in cones:
            cones_seen += 1
            ordered = len(cone) == size - 1 and all(a < b for a, b in pairwise((-1, *cone, len(sides))))
            if not ordered or any(_value(sides[k][0], point) < sides[k][1] for k in cone):
                raise ProofRejected("A corner of the cover lies within the sides of its cone, or it has no such cone.")
            determinant = RationalMatrix(size, size, [a for k in cone for a in rows[k]] + total).det()
            if determinant == 0:
                raise ProofRejected("A cone of the cover is flat.")
            for place in range(size - 1):
                face = (*cone[:place], *cone[place + 1 :])
                faces[face] += (-1) ** place * ((determinant > 0) - (determinant < 0))
    if cones_seen == 0 or any(faces.values()):
        raise ProofRejected("The cones of the cover leave something out.")


def _value(form: Mapping[int, Rational], point: Point) -> Rational:
    return sum((a * point[x] for x, a in form.items()), ZERO)
