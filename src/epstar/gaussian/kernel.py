"""F(t) = 0F1(; d/2; t^2 / 4), the mean of exp(t u) for u the first coordinate of a point of the unit sphere."""

from __future__ import annotations

from typing import TypeVar

from epstar.exact import Ball, ComplexBall, working_precision

# In high dimensions the expansion that is used at low precision has no digits; several times the precision has.
_MORE_PRECISION = (4, 16, 64)

Place = TypeVar("Place", Ball, ComplexBall)


def kernel(t: Place, dimension: int, bits: int) -> Place:
    """Return F at a real or complex place, to about `bits` bits."""
    if dimension == 1:
        return t.cosh()
    square, half = t * t / 4, type(t)(dimension) / 2
    found = square.hypgeom_0f1(half)
    for times in _MORE_PRECISION:
        if found.rel_accuracy_bits() > bits // 2:
            break
        with working_precision(times * bits):
            found = square.hypgeom_0f1(half)
    return found
