"""The order of categories by probability, and the Kalantari class that rests on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.source.base import Disagreement, Mixture, Order, Point, SourceClass


def descending(values: Sequence[Rational]) -> list[int]:
    """Return the places of the values from largest to smallest; equal values keep their order.

    Costs one sort of floats; fractions are compared only inside runs of values that round to the same float.

    >>> descending([Rational(1, 10), Rational(6, 10), Rational(3, 10)])
    [1, 2, 0]
    """
    try:
        rounded = nearest_floats(values)
    except InvalidInput:
        return sorted(range(len(values)), key=lambda k: values[k], reverse=True)
    # The negative is sorted, because a reversed stable sort would reverse ties as well.
    order: list[int] = np.argsort(-rounded, kind="stable").tolist()
    ordered = rounded[order]
    starts = [0, *(np.flatnonzero(ordered[1:] != ordered[:-1]) + 1).tolist(), len(order)]
    for start, end in pairwise(starts):
        if end - start > 1:
            order[start:end] = sorted(order[start:end], key=lambda k: values[k], reverse=True)
    return order


def common_order(points: Sequence[Point]) -> Order | Disagreement:
    """Return one order that sorts all the points, or two points and a pair of categories that forbid it.

    If any order sorts them all, the order of their sum does: categories that tie in the sum of sorted points tie
    in each of them.
    """
    total = [sum_of(column) for column in zip(*points, strict=True)]
    order = descending(total)
    for point in points:
        for earlier, later in pairwise(order):
            if point[earlier] < point[later]:
                # The sum does not rank `earlier` below `later`, so another point must make up for this one.
                other = next(other for other in points if other[earlier] > other[later])
                return Disagreement((earlier, later), other, point)
    return Order(tuple(order))


def class_of_points(points: Sequence[Point], mixture: Mixture | None) -> SourceClass:
    """Return the class of finitely many points or of their hull; `mixture` says whether it is Class I."""
    if mixture is not None:
        return SourceClass("I", mixture)
    witness = common_order(points)
    return SourceClass("II" if isinstance(witness, Order) else "III", witness)


def class_of_region(
    inside: Point,
    has_uniform: bool,
    greatest_difference: Callable[[int, int], Rational],
    attaining: Callable[[int, int], Point],
) -> SourceClass:
    """Return the class of a convex region.

    `greatest_difference(j, i)` is the maximum of p_j - p_i over the region and `attaining(j, i)` a distribution that
    attains it. Starting from one point, the categories that it ties are told apart by averaging it with a distribution
    that separates them; each round breaks at least one tie, so there are fewer rounds than categories.
    """
    if has_uniform:
        return SourceClass("I", Mixture(None))
    point = inside
    while True:
        order = descending(point)
        reversed_pair = next(
            (pair for pair in pairwise(order) if greatest_difference(pair[1], pair[0]) > ZERO),
            None,
        )
        if reversed_pair is None:
            return SourceClass("II", Order(tuple(order)))
        other = attaining(reversed_pair[1], reversed_pair[0])
        witness = common_order([point, other])
        if isinstance(witness, Disagreement):
            return SourceClass("III", witness)
        point = tuple((a + b) / 2 for a, b in zip(point, other, strict=True))
