"""Vectors of rationals: their sum, and the nearest floats."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Rational


def nearest_floats(values: Sequence[Rational]) -> NDArray[np.float64]:
    """Return the correctly rounded floats of exact fractions; their order is never reversed.

    Raises:
        InvalidInput: for a number beyond the largest float.
    """
    try:
        return np.array([int(value.p) / int(value.q) for value in values], dtype=np.float64)
    except OverflowError:
        raise InvalidInput("A number is too large for floating point; scale the numbers down.") from None


def sum_of(values: Sequence[Rational]) -> Rational:
    """Return the exact sum, block by block, so that unlike denominators meet late."""
    level = list(values)
    while len(level) > 1:
        level = [sum(level[k : k + 64], ZERO) for k in range(0, len(level), 64)]
    return level[0] if level else ZERO
