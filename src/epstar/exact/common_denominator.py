"""Fractions over one denominator, so that exact work runs over whole arrays of integers.

A million fractions are a million small objects; a million numerators over one denominator are an array. Numerators are
int64 where they fit and Python integers elsewhere, and every sum and product here is exact in either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational

# Entries are int64, or Python integers in an array of objects.
Integers: TypeAlias = "NDArray[Any]"

_WORD = 62
# Unlike denominators multiply; beyond this many bits fractions one by one are the quicker way.
_MOST_BITS = 1024
_LEAST_LIMB = 8


@dataclass(frozen=True, eq=False)
class Scaled:
    """An array of fractions `numerators / denominator`, of any shape."""

    numerators: Integers
    denominator: int

    def __post_init__(self) -> None:
        self.numerators.flags.writeable = False

    @classmethod
    def of(cls, values: Sequence[Rational], most_bits: int = _MOST_BITS) -> Scaled | None:
        """Return a list of fractions over their least common denominator; None if that has more than `most_bits`.

        >>> Scaled.of((Rational(1, 2), Rational(1, 3))).numerators.tolist()
        [3, 2]
        """
        denominators = [int(value.q) for value in values]
        common = 1
        for denominator in set(denominators):
            common = math.lcm(common, denominator)
            if common.bit_length() > most_bits:
                return None
        if common == 1:
            return cls(narrowed([int(value.p) for value in values]), 1)
        pairs = zip(values, denominators, strict=True)
        return cls(narrowed([int(value.p) * (common // denominator) for value, denominator in pairs]), common)

    @classmethod
    def of_table(cls, rows: Sequence[Sequence[Rational]], most_bits: int = _MOST_BITS) -> Scaled | None:
        """Return a table of fractions over their least common denominator; None if that has more than `most_bits`."""
        flat = cls.of([entry for row in rows for entry in row], most_bits)
        return None if flat is None else cls(flat.numerators.reshape(len(rows), -1), flat.denominator)

    def fractions(self) -> tuple[Rational, ...]:
        """Return the fractions of a list."""
        # A multiple of one fraction is made in a third of the time of a fraction of two integers.
        unit = Rational(1, self.denominator)
        return tuple([unit * numerator for numerator in self.numerators.tolist()])

    def rows(self) -> tuple[tuple[Rational, ...], ...]:
        """Return the fractions of a table, row by row."""
        unit = Rational(1, self.denominator)
        return tuple(tuple([unit * entry for entry in row]) for row in self.numerators.tolist())

    def floats(self) -> NDArray[np.float64]:
        """Return the nearest floats."""
        is_power = self.denominator & (self.denominator - 1) == 0
        if self.numerators.dtype != object and (
            (is_power and self.denominator.bit_length() < 1000)
            or (bits(self.numerators) <= 53 and self.denominator.bit_length() <= 53)
        ):
            # One rounding alone: that of the numerators, or that of the division of two floats that are exact.
            quotients: NDArray[np.float64] = self.numerators.astype(np.float64) / float(self.denominator)
            return quotients
        flat = [numerator / self.denominator for numerator in self.numerators.ravel().tolist()]
        return np.array(flat, dtype=np.float64).reshape(self.numerators.shape)


def bits(integers: Integers) -> int:
    """Return how many bits the largest absolute value has."""
    if integers.size == 0:
        return 0
    return max(int(integers.max()), -int(integers.min())).bit_length()


def narrowed(values: Sequence[int] | Integers) -> Integers:
    """Return integers as int64 where all of them have at most 62 bits, else as Python integers."""
    if isinstance(values, np.ndarray) and values.dtype != object:
        return values.astype(np.int64)
    wide = np.array(values, dtype=object)
    return wide.astype(np.int64) if bits(wide) <= _WORD else wide


def widened(values: Integers) -> Integers:
    """Return integers as Python integers, whose products have room."""
    return values.astype(object)


def row_products(left: Integers, right: Integers) -> list[int]:
    """Return the inner product of each row of `left` with the same row of `right`, exactly."""
    room = _limb(right, left.shape[1])
    if left.dtype == object or room < _LEAST_LIMB:
        return [int(total) for total in (widened(left) * widened(right)).sum(axis=1)]
    totals = np.zeros(len(left), dtype=object)
    for shift, limb in _limbs(left, room):
        totals += np.einsum("xy,xy->x", limb, right).astype(object) << shift
    return [int(total) for total in totals]


def column_products(weights: Sequence[int], table: Integers) -> list[int]:
    """Return, for each column of `table`, its inner product with `weights`, exactly."""
    room = _limb(table, len(weights))
    wide = np.array(weights, dtype=object)
    if room < _LEAST_LIMB:
        return [int(total) for total in (wide[:, None] * widened(table)).sum(axis=0)]
    totals = np.zeros(table.shape[1], dtype=object)
    for shift, limb in _limbs(wide, room):
        totals += (limb.astype(np.int64) @ table).astype(object) << shift
    return [int(total) for total in totals]


def _limb(other: Integers, terms: int) -> int:
    """Return how many bits a factor may have so that `terms` products with entries of `other` fit a word."""
    return 0 if other.dtype == object else _WORD - bits(other) - terms.bit_length()


def _limbs(values: Integers, width: int) -> list[tuple[int, Integers]]:
    """Return values as sums of limb << shift, every limb but the last between 0 and 2**width."""
    width = min(width, _WORD)
    found = []
    rest, shift = values, 0
    while bits(rest) > width:
        found.append((shift, rest & ((1 << width) - 1)))
        rest = rest >> width
        shift += width
    return [*found, (shift, rest)]
