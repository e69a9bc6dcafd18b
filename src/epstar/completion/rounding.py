"""Numbers for claims: exact where they are, else rounded outward to some digits, more and more generously."""

from __future__ import annotations

from collections.abc import Iterator

from epstar.claims.claim import DIGITS as ENCLOSED
from epstar.claims.claim import MOST_DIGITS, Excluded
from epstar.exact import Ball, Rational, Real

# Of claimed numbers.
DIGITS = 45
# How many of the digits in which a claim is enclosed are left to rounding: the others are those of its multiples.
_SPARE_DIGITS = 8
# The last ones are for bounds in floats.
_HAIRS = (45, 40, 36, 33, 16, 14, 12, 10)
FLOAT_DIGITS = 12
"""The digits of a number that follows from many bounds in floats."""
# Longer fractions are rounded: the digits beyond would say nothing.
_LONGEST, _LONGEST_LOGARITHM = 90, 1000
_BITS = 220


def rounded_down(value: Rational, digits: int, unit: Rational | None = None) -> Rational:
    """Return a decimal just below a number: less by at least 1 and at most 2 of its `digits` after those of `unit`."""
    scale = _scale(value if unit is None else unit, digits)
    return Rational(int((value * scale).floor()) - 1) / scale


def rounded_up(value: Rational, digits: int, unit: Rational | None = None) -> Rational:
    """Return a decimal just above a number, see `rounded_down`."""
    return -rounded_down(-value, digits, unit)


def below(value: Real, is_exact: bool, most: int = DIGITS) -> Iterator[Real]:
    """Yield numbers that are not above one, for a claim: itself where that can be said, then ever smaller ones.

    Of `most` digits at most, where more would only be refused.
    """
    if value.is_infinite:
        yield value
        return
    is_short = value.rational is not None and (is_exact or len(str(value.rational)) <= _LONGEST)
    if most == DIGITS and (is_short or _is_short_log(value)):
        yield value
    known = value.below(_BITS)
    for digits in _HAIRS:
        if digits <= most:
            yield Real.of(rounded_down(known, digits))


def above(value: Real, is_exact: bool) -> Real:
    """Return a number that is not below one, for a claim: itself where that can be said in few digits."""
    if value.is_infinite or _is_short_log(value):
        return value
    if value.rational is not None and (is_exact or len(str(value.rational)) <= _LONGEST):
        return value
    return Real.of(rounded_up(value.above(_BITS), DIGITS))


def ball_below(value: Ball, bits: int) -> Rational:
    """Return a rational that is not above a number.

    Raises:
        Undecided: if it is out of reach of numbers that can be written down.
    """
    return Real.from_ball(lambda _: value).below(bits)


def multiple_digits(claim: Excluded) -> int:
    """Return the digits to which multiples are rounded, which add up to what is claimed.

    Digits beyond the usual ones are asked for where terms cancel, and half of them are left to rounding.
    """
    return claim.digits - _SPARE_DIGITS - (claim.digits - ENCLOSED) // 2


def _is_short_log(value: Real) -> bool:
    return value.argument_of_log is not None and len(str(value)) <= _LONGEST_LOGARITHM


def digits_for(loss: Real) -> int:
    """Return the digits in which a claim at a loss is enclosed: e^loss must be told from one."""
    known = loss.rational
    if known is None or known == 0:
        return ENCLOSED
    zeros = (int(known.q).bit_length() - int(abs(known).p).bit_length()) * 3 // 10
    return min(ENCLOSED + max(0, zeros - 8), MOST_DIGITS)


def _scale(value: Rational, digits: int) -> Rational:
    """Return the power of ten that leaves so many digits of a number before the point."""
    size = abs(value)
    if size == 0:
        return Rational(10) ** digits
    # The number of decimal digits before the point, give or take one.
    places = (int(size.p).bit_length() - int(size.q).bit_length()) * 3 // 10
    return Rational(10) ** (digits - places)
