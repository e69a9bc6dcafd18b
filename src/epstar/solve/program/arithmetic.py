"""Floats or decimals: the operations by which one program is written for both."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational, Real

Numbers = NDArray[Any]
"""An array of floats or of decimals."""
ROUNDING = 1e-15
"""A share that a few roundings of floats explain, each of 1.1e-16; sums of many terms lose ten times as much."""


@dataclass(frozen=True)
class Arithmetic:
    """Floats or decimals: how to make one of a float or an exact number, logarithms and exponentials.

    All else is written the same in both.
    """

    number: Callable[[float], Any]
    read: Callable[[Real], Any]
    log: Callable[[Numbers], Numbers]
    exp: Callable[[Numbers], Numbers]
    log1p: Callable[[Numbers], Numbers]
    expm1: Callable[[Numbers], Numbers]
    growth: Callable[[Numbers, Numbers, Numbers, Rational], Numbers]
    holds_orders: bool
    """Whether powers of many orders are taken together."""

    def array(self, values: Sequence[Any]) -> Numbers:
        """Return exact numbers, nested in sequences, as an array."""
        exact = np.array(values, dtype=object)
        found = self.zeros(exact.size)
        found[:] = [self.read(Real.of(value)) for value in exact.ravel()]
        return found.reshape(exact.shape)

    def zeros(self, *shape: int) -> Numbers:
        """Return an array of zeros."""
        zero = self.number(0)
        return np.full(shape, zero, dtype=float if isinstance(zero, float) else object)


def inner(forms: Numbers, table: Numbers) -> Numbers:
    """Return the inner products of forms with a table.

    Tables are small and many, and `np.tensordot` spends more time on their axes than on them.
    """
    return np.asarray(forms.reshape(len(forms), table.size) @ table.ravel())


def weighed(weights: Numbers, forms: Numbers) -> Numbers:
    """Return the weighted sum of forms."""
    flat = forms.reshape(len(forms), math.prod(forms.shape[1:]))
    return np.asarray(weights @ flat).reshape(forms.shape[1:])


def transported(lacking: Mapping[int, Any], room: Mapping[int, Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield who takes how much from whom, as long as somebody lacks some and somebody has room (a transport).

    Nobody gives to itself while another can.

    >>> list(transported({0: 3, 1: 2}, {2: 4, 3: 4}))
    [(0, 2, 3), (1, 2, 1), (1, 3, 1)]
    """
    left = dict(room)
    for taker, whole in lacking.items():
        needed = whole
        while needed > 0 and left:
            giver = next((place for place in left if place != taker), taker)
            moved = min(needed, left[giver])
            yield taker, giver, moved
            needed -= moved
            left[giver] -= moved
            if left[giver] <= 0:
                del left[giver]


# Bits of a number that is read: of 96 digits, as many as decimals have.
_READ_BITS = 320
# Factors of a whole power, up to which a product is faster than a logarithm; an exponent that decimals still hold.
_MOST_FACTORS, _LARGEST_EXPONENT = 64, 10**5


def decimal(value: Real) -> Decimal:
    """Return a number to the digits of the present context."""
    near = value.below(_READ_BITS)
    return Decimal(int(near.p)) / Decimal(int(near.q))


def _float_growth(values: Numbers, offsets: Numbers, powers: Numbers, _: Rational) -> Numbers:
    """Return by how much powers of values, an exponent for each row, measured from e^offset, exceed one."""
    grown: Numbers = np.expm1(powers * (np.log(values) - offsets))
    return grown


def _decimal_growth(values: Numbers, offsets: Numbers, _: Numbers, exponent: Rational) -> Numbers:
    power = decimal(Real.of(exponent))
    # Roots and whole powers are many times faster than the others.
    if exponent.q <= 2 and abs(exponent.p) <= _MOST_FACTORS:
        base: Any = values if exponent.q == 1 else _square_root(values)
        grown: Any = base ** int(exponent.p) * _exponential(-power * offsets)
    else:
        exponents: Any = power * (_logarithm(values) - offsets)
        # Far outside the region any large number says so.
        most: Any = Decimal(_LARGEST_EXPONENT)
        grown = _exponential(np.where(exponents > most, most, exponents))
    excess: Numbers = grown - 1
    return excess


def _decimal_log1p(values: Numbers) -> Numbers:
    found: Numbers = _logarithm(1 + values)
    return found


def _decimal_expm1(values: Numbers) -> Numbers:
    found: Numbers = np.asarray(_exponential(values)) - 1
    return found


_logarithm, _exponential, _square_root = (np.frompyfunc(f, 1, 1) for f in (Decimal.ln, Decimal.exp, Decimal.sqrt))
FLOATS = Arithmetic(float, float, np.log, np.exp, np.log1p, np.expm1, _float_growth, True)
DECIMALS = Arithmetic(
    Decimal, decimal, _logarithm, _exponential, _decimal_log1p, _decimal_expm1, _decimal_growth, False
)
