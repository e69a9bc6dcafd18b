"""The order of a Rényi or Sibson notion: a positive rational, or infinity.

Order 1 and order infinity are limits with formulas of their own; every other order is one of a family.
"""

from __future__ import annotations

import math
from typing import TypeAlias

from epstar.errors import InvalidInput
from epstar.exact import Rational, rational, text

Order: TypeAlias = "Rational | float"
"""A positive rational; the only float is `math.inf`."""

_INFINITE = ("infinity", "inf", "∞")
_LARGEST = Rational(10**30)


def read_order(value: object) -> Order:
    """Return the order meant by a number, a string holding one, or "infinity".

    Raises:
        InvalidInput: unless the order is positive, and not so near to zero, one or infinity that it cannot matter.

    >>> text_of_order(read_order("3/2")), text_of_order(read_order(math.inf))
    ('3/2', 'infinity')
    """
    if (isinstance(value, float) and value == math.inf) or value in _INFINITE:
        return math.inf
    order = rational(value)
    if order <= 0:
        raise InvalidInput(
            f"The order {text(order)} is not positive; give a positive number or 'infinity' "
            "(1 gives the Shannon quantity)."
        )
    if order > _LARGEST or order < 1 / _LARGEST or 0 < abs(order - 1) < 1 / _LARGEST:
        raise InvalidInput(
            "An order within 1e-30 of 0 or 1, or beyond 1e30, cannot be told from it; give 1, 'infinity', or another."
        )
    return order


def text_of_order(order: Order) -> str:
    """Return the order as it stands in problem files."""
    return "infinity" if isinstance(order, float) else text(order)
