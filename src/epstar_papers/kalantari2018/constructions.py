"""The constructions of the paper, corrected where the text slips: mechanisms, colours, foldings and orbits.

Categories count from 0 and a permutation T is the tuple (T(0), T(1), ...). As in Section II, `permuted(P, T)` moves the
probability of category i to category T(i); `folded(P, T)` undoes it, so that it lists P(T(0)), P(T(1)), ...
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot, rational, rationals
from epstar.mechanism import AnyMechanism, DiagonalMechanism, Mechanism
from epstar.source.base import VERTEX_LIMIT
from epstar.source.corners import simplex_corners
from epstar.universe import Alphabet
from epstar_papers.kalantari2018.tables import Point, Points

Permutation = tuple[int, ...]


def symmetric_mechanism(size: int, distortion: object) -> Mechanism:
    """Return the mechanism that tells the truth with probability 1 - D and each lie with D/(M-1).

    Source: kalantari2018, equations (6), (23) and (47).

    >>> str(symmetric_mechanism(3, "1/5").entry(0, 1))
    '1/10'
    """
    wrong = rational(distortion)
    other = wrong / (size - 1)
    return Mechanism([[ONE - wrong if x == y else other for y in range(size)] for x in range(size)])


def mechanism_from_diagonal(diagonal: Sequence[object]) -> DiagonalMechanism:
    """Return the mechanism of least loss with the given probabilities of a right answer, which sum to 1 or more.

    Source: kalantari2018, equation (48) with no column left out: Q(j|i) = (1-q_i) q_j / (S-q_i).
    """
    exact = rationals(diagonal)
    return DiagonalMechanism(Alphabet(len(exact)), exact)


def mechanism_48(distortions: Sequence[object], size: int) -> Mechanism:
    """Return the mechanism of equation (48), corrected: `distortions` for those kept, the others never answered.

    The printed case "i, j < M-k" must read "at most"; D_i is the optimal one; the denominator sums 1 - D_l over l != i.
    A category that is left out answers like the last one kept.

    Raises:
        InvalidInput: if fewer than two categories are kept, or more than there are.
    """
    wrong = rationals(distortions)
    kept = len(wrong)
    if not 2 <= kept <= size:
        raise InvalidInput(
            f"Equation (48) keeps between 2 and {size} categories, not {kept}; give that many distortions."
        )
    total = sum((ONE - d for d in wrong), ZERO)
    blank = [ZERO] * (size - kept)
    rows = []
    for i, d in enumerate(wrong):
        others = total - (ONE - d)
        rows.append([ONE - d if i == j else d * (ONE - e) / others for j, e in enumerate(wrong)] + blank)
    return Mechanism(rows + [rows[-1]] * (size - kept))


class Colour(Enum):
    """The colour of an entry (kalantari2018, before Remark 8); a column of zeros has none."""

    BLACK = "the larger of a critical pair"
    RED = "the smaller of a critical pair"
    WHITE = "in no critical pair"
    NONE = "in a column of zeros"


def colouring(mechanism: AnyMechanism) -> tuple[tuple[Colour, ...], ...]:
    """Return the colour of every entry: pairs in a column are critical if their ratio is the mechanism's own.

    Raises:
        InvalidInput: if the loss is zero or infinite, where the paper defines no colours.
    """
    columns = [mechanism.dense().column(y) for y in range(mechanism.shape[1])]
    used = [column for column in columns if max(column) > 0]
    if any(min(column) == 0 for column in used):
        raise InvalidInput("A mechanism of infinite loss has no critical pairs; make every column positive or zero.")
    ratio = max(max(column) / min(column) for column in used)
    if ratio == 1:
        raise InvalidInput("A mechanism that loses nothing has no critical pairs; let it depend on its input.")
    return tuple(tuple(_colour(column, x, ratio) for column in columns) for x in range(mechanism.shape[0]))


def _colour(column: Point, x: int, ratio: Rational) -> Colour:
    if max(column) == 0:
        return Colour.NONE
    if column[x] == ratio * min(column):
        return Colour.BLACK
    return Colour.RED if ratio * column[x] == max(column) else Colour.WHITE


def permuted(distribution: Sequence[Rational], permutation: Permutation) -> Point:
    """Return T(P): category i becomes category T(i)."""
    moved = [ZERO] * len(distribution)
    for i, target in enumerate(permutation):
        moved[target] = distribution[i]
    return tuple(moved)


def folded(distribution: Sequence[Rational], permutation: Permutation) -> Point:
    """Return the distribution read along the permutation, which is T^-1(P): sorted if T sorts P."""
    return tuple(distribution[target] for target in permutation)


def folding_permutations(distribution: Sequence[Rational]) -> tuple[Permutation, ...]:
    """Return every permutation that sorts one distribution, several if categories tie (Definition 5)."""
    return tuple(piece.order for piece in ordered_pieces((tuple(distribution),)))


@dataclass(frozen=True)
class OrderedPiece:
    """The distributions of a convex set that one order sorts, by their corners (equation (12))."""

    order: Permutation
    corners: Points

    @property
    def folded(self) -> Points:
        """The corners in decreasing order of probability (equation (13), with T^-1)."""
        return tuple(folded(corner, self.order) for corner in self.corners)


def ordered_pieces(points: Points) -> tuple[OrderedPiece, ...]:
    """Return the pieces into which the orders of the categories cut the hull of the points.

    Their union is the hull; they overlap where categories tie. Orders are built category by category and dropped as
    soon as no distribution of the hull begins so, which keeps far below M! steps for the paper's sets.

    >>> [piece.order for piece in ordered_pieces(((rational("3/4"), rational("1/4")), (ZERO, ONE)))]
    [(0, 1), (1, 0)]
    """
    return tuple(_pieces(points, (), []))


def _pieces(points: Points, order: Permutation, matrix: list[Point]) -> Iterator[OrderedPiece]:
    corners = simplex_corners(len(points), matrix, [ZERO] * len(matrix), VERTEX_LIMIT)
    if not corners:
        return
    categories = [x for x in range(len(points[0])) if x not in order]
    if not categories:
        columns = list(zip(*points, strict=True))
        mixtures = (tuple(dot(weights, column) for column in columns) for weights in corners)
        yield OrderedPiece(order, tuple(dict.fromkeys(mixtures)))
        return
    for category in categories:
        # No later category may be likelier, as a condition on the weights of the points.
        rows = [
            tuple(distribution[x] - distribution[category] for distribution in points)
            for x in categories
            if x != category
        ]
        yield from _pieces(points, (*order, category), matrix + rows)


def generated_group(generators: Iterable[Permutation]) -> tuple[Permutation, ...]:
    """Return the group that permutations generate, sorted."""
    steps = list(generators)
    group = {tuple(range(len(steps[0])))}
    waiting = list(group)
    while waiting:
        element = waiting.pop()
        for step in steps:
            product = tuple(step[place] for place in element)
            if product not in group:
                group.add(product)
                waiting.append(product)
    return tuple(sorted(group))


def orbits(size: int, generators: Iterable[Permutation]) -> tuple[tuple[int, ...], ...]:
    """Return the categories that the permutations carry into each other, class by class."""
    classes = [{x} for x in range(size)]
    for step in generators:
        for i, target in enumerate(step):
            first, second = (next(c for c in classes if x in c) for x in (i, target))
            if first is not second:
                classes.remove(second)
                first |= second
    return tuple(sorted(tuple(sorted(c)) for c in classes))


def orbit_averages(points: Points, generators: Iterable[Permutation]) -> Points:
    """Return each distribution averaged over the group that the permutations generate.

    The corrected Theorem 3: the least loss of the averages is never below that of the set, and equal to it if the hull
    of the set contains them.
    """
    classes = orbits(len(points[0]), generators)
    averaged = []
    for distribution in points:
        entries = list(distribution)
        for categories in classes:
            mean = sum((distribution[x] for x in categories), ZERO) / len(categories)
            for x in categories:
                entries[x] = mean
        averaged.append(tuple(entries))
    return tuple(dict.fromkeys(averaged))
