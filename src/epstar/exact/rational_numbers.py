"""Rationals: reading what people write as exact fractions, and rounding fractions outward to floats."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from flint import fmpq, fmpq_mat, fmpz

from epstar.errors import InvalidInput

Rational: TypeAlias = fmpq
RationalMatrix: TypeAlias = fmpq_mat

# They are what the standard library calls rational numbers and integers. Told so, a Fraction equals the fmpq of its own
# value (the hashes agree already) and can be made from one.
numbers.Rational.register(fmpq)
numbers.Integral.register(fmpz)

ZERO = fmpq(0)
ONE = fmpq(1)
HALF = fmpq(1, 2)

# Exponents beyond this have no use in probabilities, costs or losses and would only exhaust memory.
_LARGEST_EXPONENT = 5000


def rational(value: object) -> Rational:
    """Return `value` as an exact fraction.

    Strings may be fractions or decimals ("3/10", "0.3", "3e-1"). A float is read as the shortest decimal that
    prints it, so 0.1 is one tenth: what people write is what they mean.

    It equals the `Fraction` of the same value, and `Fraction(x)` gives that. A float is not exact, so that to add one
    is an error: write `x + rational(0.5)`, or `float(x) + 0.5`.

    >>> text(rational(0.1)), text(rational("7/21"))
    ('1/10', '1/3')
    >>> rational("1/3") == Fraction(1, 3), Fraction(rational("1/3"))
    (True, Fraction(1, 3))
    """
    # The two commonest kinds first: priors can have a million entries.
    if type(value) is float:
        return _from_float(value)
    if isinstance(value, fmpq):
        return value
    if isinstance(value, bool | np.bool_):
        raise InvalidInput(f"{value!r} is a truth value, not a number; write 0 or 1.")
    if isinstance(value, int | np.integer | fmpz):
        return fmpq(int(value))
    if isinstance(value, float):
        return _from_float(float(value))
    if isinstance(value, np.floating):  # narrower or wider than a float: its own shortest decimal
        return _from_text(str(value))
    if isinstance(value, Fraction):
        return fmpq(value.numerator, value.denominator)
    if isinstance(value, Decimal):
        return _from_text(str(value))
    if isinstance(value, str):
        return _from_text(value)
    raise InvalidInput(f"{_shown(value)} is not a number; give an int, a float, a Fraction or a string such as '3/10'.")


def _from_float(value: float) -> Rational:
    if not math.isfinite(value):
        raise InvalidInput(f"{value!r} is not a finite number; replace it by a finite one.")
    digits = repr(value)
    if "e" in digits:
        return _from_text(digits)
    whole, _, decimals = digits.partition(".")
    return fmpq(int(whole + decimals), 10 ** len(decimals))


def _from_text(written: str) -> Rational:
    stripped = written.strip()
    mantissa, _, exponent = stripped.lower().partition("e")
    digits = exponent[1:] if exponent.startswith(("+", "-")) else exponent
    too_long = len(mantissa) > 4000 or len(exponent) > 5
    if too_long or (digits.isdecimal() and int(digits) > _LARGEST_EXPONENT):
        raise InvalidInput(
            f"{_shown(written)} is too long for a number; write it with fewer digits or a smaller exponent."
        )
    try:
        # Python would also read the digits of other scripts, which nobody else does.
        parsed = Fraction(stripped if stripped.isascii() else "")
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(
            f"{_shown(written)} is not a number; write a decimal such as '0.3' or a fraction such as '3/10'."
        ) from None
    return fmpq(parsed.numerator, parsed.denominator)


def _shown(value: object) -> str:
    # Only what surely has a short, safe representation is quoted.
    if not isinstance(value, str | bytes | complex | None):
        return f"A value of type {type(value).__name__}"
    shown = repr(value[:40] if isinstance(value, str | bytes) else value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def rationals(values: Iterable[object]) -> tuple[Rational, ...]:
    """Return every value as an exact fraction (see `rational`).

    >>> rationals(["1/2", 0.25, 1])
    (1/2, 1/4, 1)
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise InvalidInput(f"{_shown(values)} is not a list of numbers; give a list such as ['1/2', '1/2'].")
    return tuple(rational(value) for value in values)


def text(value: Rational) -> str:
    """Return the fraction as written in problem files and proofs: "3/10" or "2".

    >>> from epstar.exact import rational, text
    >>> text(rational("0.3")), text(rational(2))
    ('3/10', '2')
    """
    return str(value)


def fraction(value: Rational) -> Fraction:
    """Return the same number as a `fractions.Fraction` of the standard library.

    >>> from epstar.exact import fraction, rational
    >>> fraction(rational("0.3"))
    Fraction(3, 10)
    """
    return Fraction(int(value.p), int(value.q))


def dot(left: Sequence[Rational], right: Sequence[Rational]) -> Rational:
    """Return the exact inner product.

    >>> from epstar.exact import dot, rationals
    >>> print(dot(rationals(["1/2", "1/2"]), rationals([3, 4])))
    7/2
    """
    total = ZERO
    for a, b in zip(left, right, strict=True):
        total += a * b
    return total


def float_below(value: Rational) -> float:
    """Return the largest float that is not above `value`.

    >>> from epstar.exact import float_above, float_below, rational
    >>> float_below(rational("1/10")) < float_above(rational("1/10"))
    True
    """
    nearest = nearest_float(value)
    if nearest == math.inf or (math.isfinite(nearest) and fmpq(*nearest.as_integer_ratio()) > value):
        return math.nextafter(nearest, -math.inf)
    return nearest


def float_above(value: Rational) -> float:
    """Return the smallest float that is not below `value`.

    >>> from epstar.exact import float_above, rational
    >>> float_above(rational("1/3")) > 1 / 3, float_above(rational("1/2"))
    (True, 0.5)
    """
    return 0.0 - float_below(-value)


def nearest_float(value: Rational) -> float:
    """Return the float nearest to `value`, infinite beyond the range of floats."""
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
