"""The source sets of the paper's Tables I to IV, and the same with categories exchanged."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.exact import Rational, rationals

Point = tuple[Rational, ...]
Points = tuple[Point, ...]


def points(*distributions: str) -> Points:
    """Return distributions written as decimals or fractions with spaces between them.

    >>> points("0.6 0.3 0.1")
    ((3/5, 3/10, 1/10),)
    """
    return tuple(rationals(distribution.split()) for distribution in distributions)


def uniform(size: int) -> Points:
    """Return the set that holds the uniform distribution alone."""
    return ((Rational(1, size),) * size,)


def exchanged(distribution: Sequence[Rational], first: int, second: int) -> Point:
    """Return the distribution with two categories exchanged."""
    swapped = list(distribution)
    swapped[first], swapped[second] = distribution[second], distribution[first]
    return tuple(swapped)


def with_exchanges(base: Points, count: int) -> Points:
    """Return a set and its copies with the first category exchanged with each of the next `count` categories."""
    copies = (exchanged(distribution, 0, k) for k in range(1, count + 1) for distribution in base)
    return (*base, *copies)


TABLE_I = points("0.7 0.15 0.06 0.04 0.03 0.02")
TABLE_II = points(
    "0.3 0.2 0.15 0.08 0.07 0.06 0.05 0.04 0.03 0.02", "0.35 0.16 0.12 0.10 0.09 0.09 0.05 0.02 0.01 0.01"
)
TABLE_III = {name: with_exchanges(TABLE_I, count) for count, name in enumerate("abc", 1)}
TABLE_IV = {name: with_exchanges(TABLE_II, count) for count, name in enumerate("abc", 1)}
EXCHANGES = {
    name: tuple(tuple(k if i == 0 else 0 if i == k else i for i in range(10)) for k in range(count + 1))
    for count, name in enumerate("abc", 1)
}
"""The permutations behind each set of Table IV (for Table III the first six places of each)."""
