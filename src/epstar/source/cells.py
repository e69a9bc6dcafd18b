"""Pieces of a set of product distributions, each inside the hull of a few distributions.

Rows that share an unknown distribution P follow P x ... x P, and rows with unknown distributions of their own P1 x ...
x Pn: curved sets, on which neither a linear nor a convex function need be largest at a corner. But while the row
distributions stay in simplices, the product distribution stays in the hull of the mixed products of their corners (the
control points of its Bernstein form), and that hull is as close to the set as the square of the simplices' size. So a
supremum over the set is enclosed by cutting it into cells until the best cell promises no more than a distribution
already found attains.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, combinations_with_replacement, count, permutations, product

from epstar.exact import ONE, ZERO, Rational
from epstar.source.base import Point
from epstar.source.triangulation import Simplex

HALF = Rational(1, 2)
"""Where an edge is cut, of which nothing more is known."""

_MOST_CELLS = 20_000


@dataclass(frozen=True)
class Cell:
    """Row distributions in simplices: simplex k holds the distribution that `powers[k]` rows share."""

    simplices: tuple[Simplex, ...]
    powers: tuple[int, ...]

    @cached_property
    def hull(self) -> tuple[Point, ...]:
        """Distributions of whole databases whose mixtures include every distribution of the cell."""
        mixed = [_mixed_powers(simplex, power) for simplex, power in zip(self.simplices, self.powers, strict=True)]
        return tuple(dict.fromkeys(product_law(laws) for laws in product(*mixed)))

    @cached_property
    def corners(self) -> tuple[Point, ...]:
        """Distributions of whole databases that belong to the cell."""
        return tuple(self._joint(laws) for laws in product(*self.simplices))

    @cached_property
    def middle(self) -> Point:
        """The distribution of a whole database at the middle of the cell."""
        return self._joint([_mean(simplex) for simplex in self.simplices])

    @property
    def longest_edge(self) -> tuple[int, int, int]:
        """A simplex, and two corners of it that are as unlike as any two are."""
        edges = [(k, i, j) for k, laws in enumerate(self.simplices) for i, j in combinations(range(len(laws)), 2)]

        def length(edge: tuple[int, int, int]) -> Rational:
            k, i, j = edge
            return max(abs(a - b) for a, b in zip(self.simplices[k][i], self.simplices[k][j], strict=True))

        return max(edges, key=length)

    def cut(self, row: int, i: int, j: int, share: Rational) -> tuple[Cell, Cell]:
        """Return the cells with share v_i + (1 - share) v_j in place of v_i, and of v_j, two corners of a simplex."""
        laws = self.simplices[row]
        between = tuple(share * a + (1 - share) * b for a, b in zip(laws[i], laws[j], strict=True))

        def without(gone: int) -> Cell:
            moved = (*laws[:gone], between, *laws[gone + 1 :])
            return Cell((*self.simplices[:row], moved, *self.simplices[row + 1 :]), self.powers)

        return without(i), without(j)

    def _joint(self, laws: Sequence[Point]) -> Point:
        return product_law([law for law, power in zip(laws, self.powers, strict=True) for _ in range(power)])


@dataclass(frozen=True)
class Enclosed:
    """A supremum over cells: the pieces that were needed, and the best distribution that was met."""

    leaves: tuple[Cell, ...]
    point: Point


def enclosed(
    cells: Sequence[Cell],
    over_hull: Callable[[tuple[Point, ...]], float],
    at_law: Callable[[Point], float],
    tolerance: float,
) -> Enclosed:
    """Return cells on none of which the function promises more than `tolerance` above what some distribution attains.

    `over_hull` bounds the function on the hull of some distributions, `at_law` is its value at one distribution; both
    in floats, because they only steer: what the leaves prove is for the caller to compute. After 20,000 cells it stops.
    """
    order = count()
    # A heap yields its smallest entry, so that promises are kept with their signs turned.
    waiting: list[tuple[float, int, Cell]] = []
    best, point = -math.inf, cells[0].corners[0]

    def look_at(cell: Cell) -> None:
        nonlocal best, point
        for law in dict.fromkeys((*cell.corners, cell.middle)):
            value = at_law(law)
            if value > best:
                best, point = value, law
        heapq.heappush(waiting, (-over_hull(cell.hull), next(order), cell))

    for cell in cells:
        look_at(cell)
    while -waiting[0][0] > best + tolerance and next(order) < _MOST_CELLS:
        _, _, widest = heapq.heappop(waiting)
        for half in widest.cut(*widest.longest_edge, HALF):
            look_at(half)
    return Enclosed(tuple(cell for _, _, cell in waiting), point)


def product_law(laws: Sequence[Point]) -> Point:
    """Return the distribution of independent rows, databases in lexicographic order."""
    joint: list[Rational] = [ONE]
    for law in laws:
        joint = [a * b for a in joint for b in law]
    return tuple(joint)


def _mixed_powers(simplex: Simplex, power: int) -> list[Point]:
    """Return, for each way to give the corners of a simplex to the rows, its law averaged over the orders of rows."""
    found = []
    for chosen in combinations_with_replacement(range(len(simplex)), power):
        orders = set(permutations(chosen))
        laws = [product_law([simplex[i] for i in order]) for order in orders]
        found.append(_mean(laws))
    return found


def _mean(laws: Sequence[Point]) -> Point:
    return tuple(sum(column, ZERO) / len(laws) for column in zip(*laws, strict=True))
