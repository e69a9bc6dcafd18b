"""Numbers, lists and levels as Coq reads them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import count
from math import factorial, lcm

from epstar.errors import InvalidInput
from epstar.exact import Rational, Real

# Binary digits beyond those of a claim, so that what was rounded right is proven right, and rounding costs less than
# the balls that the claim was checked in.
SPARE_BITS = 48
_HALVINGS = 8


def rational(value: object) -> Rational:
    """Return a number that is known to be a fraction."""
    found = Real.of(value).rational
    assert found is not None
    return found


def level_of(loss: Real) -> str:
    """Return a claimed loss.

    Raises:
        InvalidInput: if it is neither a fraction nor the logarithm of one.
    """
    if loss.is_infinite:
        return "Infinite"
    if loss.rational is not None:
        return f"(Number {number(loss.rational)})"
    if loss.argument_of_log is not None:
        return f"(Log {number(loss.argument_of_log)})"
    raise InvalidInput("The claimed loss is neither a fraction nor the logarithm of one; ask for a rounded answer.")


def precision(bits: int) -> str:
    """Return how precisely Coq encloses exponentials: more bits than the file has, so that rounding is not in doubt.

    Arguments are halved until they are below 2^-8, and what Taylor's polynomial then leaves out is below the last bit.
    """
    kept = bits + SPARE_BITS + 2 * _HALVINGS
    terms = next(n for n in count(1) if _HALVINGS * (n + 1) + factorial(n + 1).bit_length() > kept)
    return f"{{| bits := {kept}; halvings := {_HALVINGS}; terms := {terms} |}}"


def number(value: Rational, denominator: int | None = None) -> str:
    """Return a fraction, over a common denominator if one is given."""
    scale = int(value.q) if denominator is None else denominator
    numerator = int(value.p) * (scale // int(value.q))
    written = str(numerator) if scale == 1 else f"{numerator}#{scale}"
    return f"({written})" if numerator < 0 or scale != 1 else written


def denominator_of(values: Iterable[Rational]) -> int:
    """Return the least common denominator."""
    return lcm(*(int(value.q) for value in values))


def vector(values: Sequence[Rational]) -> str:
    """Return a list over one denominator: such fractions are added without a product of denominators."""
    scale = denominator_of(values)
    return "[" + "; ".join(_bare(value, scale) for value in values) + "]"


def _bare(value: Rational, scale: int) -> str:
    written = number(value, scale)
    return written[1:-1] if written.startswith("(") and not written.startswith("(-") else written


def matrix(rows: Sequence[Sequence[Rational]]) -> str:
    """Return a list of rows, a line for each."""
    return "[" + ";\n    ".join(vector(row) for row in rows) + "]"


def pairs(values: Sequence[tuple[Rational, Rational]]) -> str:
    """Return a list of pairs of fractions."""
    return "[" + "; ".join(f"({number(a)}, {number(b)})" for a, b in values) + "]"


def listed(items: Iterable[str]) -> str:
    """Return a list of what is written already."""
    return "[" + "; ".join(items) + "]"


def name_of(name: Sequence[int]) -> str:
    """Return the name of a bound, a list of natural numbers."""
    return "[" + "; ".join(map(str, name)) + "]%nat"
