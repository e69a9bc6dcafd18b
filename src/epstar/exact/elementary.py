r"""Exponentials and logarithms of whole arrays, with a proven bound on their error.

Balls enclose one number at a time; a million cells need arrays. Here every step is an operation that IEEE 754 rounds
correctly (sum, product, quotient) or that is exact (splitting off a power of two), so that the error of the result
follows from the steps and from nothing that a library promises.

With u = 2^-53 the unit of rounding:

* **exponential**: x = k log 2 + r with |r| < 0.347. The upper half of log 2 has 32 bits, so k times it is exact for
  |k| < 2^11; r is off by at most 2u. Taylor's sum to r^13 leaves out less than 1e-17 of the result, and Horner's rule
  adds at most 4u of it: less than 10u altogether.
* **logarithm**: x = 2^k m with 0.7 < m < 1.42 and f = (m-1)/(m+1), so that |f| < 0.172 and log m = 2 artanh f. The
  series to f^21 leaves out less than 1e-18 of it, and the steps add at most 8u of it. Adding k log 2 cannot cancel more
  than half: less than 24u of the result.

Both are below 32u, which is `ERROR`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 2.0**-53
"""The largest relative error of one correctly rounded operation."""

ERROR = 2.0**-48
"""The largest relative error of `exponentials` and `logarithms`."""

_LOG_TWO_HIGH = float.fromhex("0x1.62e42feep-1")
_LOG_TWO_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_TAYLOR = [1 / math.factorial(n) for n in range(14)]
_ARTANH = [2 / n for n in range(1, 22, 2)]
_MOST = 700.0
# Blocks of this many entries stay in the cache from one step to the next.
_BLOCK = 1 << 14


def exponentials(exponents: Floats) -> Floats:
    """Return e^x of each entry within a factor 1 + `ERROR`; below -700 that of -700, above 700 infinity.

    >>> abs(float(exponentials(np.array([0.0, 1.0]))[1]) - math.e) < 1e-15
    True
    """
    flat = np.ascontiguousarray(exponents).reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        part = flat[start : start + _BLOCK]
        x = np.clip(part, -_MOST, _MOST)
        whole = np.rint(x / math.log(2))
        rest = (x - whole * _LOG_TWO_HIGH) - whole * _LOG_TWO_LOW
        total = _horner(_TAYLOR, rest)
        block = np.ldexp(total, whole.astype(np.int32))
        result[start : start + _BLOCK] = np.where(part > _MOST, np.inf, block)
    return result.reshape(exponents.shape)


def logarithms(values: Floats) -> Floats:
    """Return the logarithm of each entry, all of them normal positive numbers, within `ERROR` of its size.

    >>> float(logarithms(np.array([1.0, 2.0]))[1])
    0.6931471805599453
    """
    flat = np.ascontiguousarray(values).reshape(-1)
    result = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        mantissa, exponent = np.frexp(flat[start : start + _BLOCK])
        low = mantissa < math.sqrt(0.5)
        mantissa[low] *= 2.0
        power = (exponent - low).astype(np.float64)
        ratio = (mantissa - 1.0) / (mantissa + 1.0)
        series = ratio * _horner(_ARTANH, ratio * ratio)
        result[start : start + _BLOCK] = power * _LOG_TWO_HIGH + (power * _LOG_TWO_LOW + series)
    return result.reshape(values.shape)


def growth(operations: int) -> float:
    """Return a bound on the relative error of a result after that many roundings, each at most `ROUNDING`.

    It holds for sums of terms of one sign, in whatever order they are added; `operations` stays below 2^40.
    """
    return 1.01 * operations * ROUNDING


def _horner(coefficients: list[float], x: Floats) -> Floats:
    total = np.full_like(x, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total *= x
        total += coefficient
    return total
