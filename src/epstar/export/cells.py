"""Cells that cover a region of distributions (theory/Cover.v): what is convex in the distribution is worst at corners.

A cell is a list of points and stands for their mixtures. The first is a list that the source mixes, or the certain
distributions. One that an inequality of the source crosses is cut on it, and one beyond it left out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.export import CHECK
from epstar.export.gallina import number, vector
from epstar.export.steps import Point
from epstar.source import Ball, Box, Hull, Polytope, Source

Cell = tuple[Point, ...]
# A region of six categories may have thousands of cells, and the kernel of Coq cuts some hundred in a second.
MOST_CELLS = 2_000


@dataclass(frozen=True)
class Halfspace:
    """A linear function that the source never lets exceed a bound, with the multipliers that say so for a polytope."""

    normal: Point
    bound: Rational
    dual: Point = ()


def _on_corners(_: Cell) -> int | Point:
    return 0


@dataclass
class Cells:
    """A tree of cuts that covers a source, as Coq reads it, and the corners of its cells.

    `judge` says why the corners of a cell inside the source are good, by a number of which the theory reminds, or
    names a linear function by whose sign the cell is to be cut first.

    Raises:
        InvalidInput: if there are too many cells.
    """

    source: Source
    judge: Callable[[Cell], int | Point] = _on_corners
    corners: dict[Point, None] = field(default_factory=dict)
    count: int = 0

    def tree(self) -> str:
        """Return the tree; the corners are known afterwards."""
        return self._tree(_root(self.source))

    def _tree(self, cell: Cell) -> str:
        self.count += 1
        if self.count > MOST_CELLS:
            raise InvalidInput(f"The region has more than {MOST_CELLS} cells, too many corners for Coq; {CHECK}")
        beyond = next((found for point in cell if (found := _beyond(self.source, point)) is not None), None)
        if beyond is not None:
            values = [dot(beyond.normal, point) - beyond.bound for point in cell]
            return self._cut(cell, values) if min(values) < 0 else self._face(cell, beyond, values)
        judged = self.judge(cell)
        if isinstance(judged, int):
            self.corners.update(dict.fromkeys(cell))
            return f"(Corners {judged})"
        return self._cut(cell, [dot(judged, point) for point in cell])

    def _face(self, cell: Cell, beyond: Halfspace, values: Sequence[Rational]) -> str:
        """Return what is left of a cell beyond an inequality: its corners with equality."""
        left = next((point for point, value in zip(cell, values, strict=True) if value == 0), None)
        rest = "(Corners 0)"
        if left is not None:
            rest = self._tree(tuple(p if value == 0 else left for p, value in zip(cell, values, strict=True)))
        return f"(Face {vector(beyond.normal)} {vector(beyond.dual)} {number(beyond.bound)} {rest})"

    def _cut(self, cell: Cell, values: Sequence[Rational]) -> str:
        """Return a cell cut in two where a linear function, whose values at the corners are given, vanishes."""
        i = max(range(len(cell)), key=values.__getitem__)
        j = min(range(len(cell)), key=values.__getitem__)
        share = values[j] / (values[j] - values[i])
        point = tuple(share * a + (1 - share) * b for a, b in zip(cell[i], cell[j], strict=True))
        first, second = (self._tree((*cell[:k], point, *cell[k + 1 :])) for k in (i, j))
        return f"(Cut {i} {j} {number(share)} {first} {second})"


def _root(source: Source) -> Cell:
    return (
        tuple(source.points) if isinstance(source, Hull) else tuple(_unit(source.size, x) for x in range(source.size))
    )


def _unit(size: int, place: int) -> Point:
    return tuple(ONE if x == place else ZERO for x in range(size))


def _beyond(source: Source, point: Point) -> Halfspace | None:
    """Return an inequality of a source that a distribution violates, if there is one."""
    match source:
        case Box():
            for x, (p, low, high) in enumerate(zip(point, source.lower, source.upper, strict=True)):
                unit = _unit(source.size, x)
                if p > high:
                    return Halfspace(unit, high)
                if p < low:
                    return Halfspace(tuple(-u for u in unit), -low)
        case Ball():
            signs = tuple(ONE if p > c else -ONE for p, c in zip(point, source.center, strict=True))
            bound = source.radius + dot(signs, source.center)
            return Halfspace(signs, bound) if dot(signs, point) > bound else None
        case Polytope():
            for k, (row, bound) in enumerate(zip(source.matrix, source.bounds, strict=True)):
                if dot(row, point) > bound:
                    return Halfspace(row, bound, _unit(len(source.matrix), k))
    return None


def by_the_likeliest(rows: Sequence[Point], factor: Rational) -> Callable[[Cell], int | Point]:
    """Return a judge of guesses: the chance after the output is at most a factor times that of one input before it."""
    columns = list(zip(*rows, strict=True))

    def guessed(point: Point) -> Rational:
        return sum((max(p * q for p, q in zip(point, column, strict=True)) for column in columns), ZERO)

    def judge(cell: Cell) -> int | Point:
        inputs, chances = range(len(rows)), [guessed(point) for point in cell]
        for k in inputs:
            if all(chance <= factor * point[k] for chance, point in zip(chances, cell, strict=True)):
                return k
        for k in inputs:
            for other in range(k):
                differences = [point[k] - point[other] for point in cell]
                if min(differences) < 0 < max(differences):
                    return tuple(a - b for a, b in zip(_unit(len(rows), k), _unit(len(rows), other), strict=True))
        raise InvalidInput(f"The leakage is as large as is claimed, and rounding hides that it is no larger; {CHECK}")

    return judge
