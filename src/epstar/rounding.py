"""Numbers for readers, always rounded to the side on which the sentence stays true."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal
from typing import TypeAlias

from epstar.exact import Rational, Real

_DIGITS = 3

Share: TypeAlias = "float | Rational"
"""A part of one: exact where it is a fraction, and else a float on the safe side of it."""


def at_most(value: float, digits: int = _DIGITS) -> str:
    """Return a decimal that is not below the value.

    >>> at_most(2.7182818), at_most(1e-7), at_most(12345.6)
    ('2.72', '0.0000001', '12,400')
    """
    return _written(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


def at_least(value: float, digits: int = _DIGITS) -> str:
    """Return a decimal that is not above the value."""
    return _written(Context(prec=digits, rounding=ROUND_FLOOR).create_decimal(Decimal(value)))


def about(value: float) -> str:
    """Return a decimal near the value, for what is not a bound."""
    return _written(Context(prec=_DIGITS).create_decimal(Decimal(value)))


def percent(value: Share) -> str:
    """Return a share as a percentage that is not below it; its parts stay on one line.

    Shares below a percent keep two digits, so that small ones can be told apart.

    >>> percent(0.7310585).split(), percent(1.0).split(), percent(1 / 3000).split(), percent(Rational(1, 5)).split()
    (['73.2', '%'], ['100', '%'], ['0.034', '%'], ['20', '%'])
    """
    return _percentage(_hundreds(value, ROUND_CEILING), ROUND_CEILING)


def percent_before(share: Rational) -> str:
    """Return what was known before a release as a percentage that is not above it.

    >>> percent_before(Rational(1, 5)).split(), percent_before(Rational(1, 3)).split()
    (['20', '%'], ['33.3', '%'])
    """
    return _percentage(_hundreds(share, ROUND_FLOOR), ROUND_FLOOR)


def percent_about(share: Rational) -> str:
    """Return a percentage near a share, for what is not a bound."""
    return _percentage(_hundreds(share, ROUND_HALF_EVEN), ROUND_HALF_EVEN)


def _hundreds(value: Share, rounding: str) -> Decimal:
    if isinstance(value, Rational):
        # To so many digits that what is cut off cannot be seen.
        return Context(prec=50, rounding=rounding).divide(Decimal(100 * int(value.p)), Decimal(int(value.q)))
    return Context(prec=50, rounding=rounding).multiply(Decimal(value), Decimal(100))


def _percentage(hundreds: Decimal, rounding: str) -> str:
    if 0 < hundreds < 1:
        written = _written(Context(prec=2, rounding=rounding).create_decimal(hundreds))
    else:
        written = _written(hundreds.quantize(Decimal("0.1"), rounding=rounding))
    return f"{written}\N{NO-BREAK SPACE}%"


def factor(level: Real) -> Real:
    """Return e^level."""
    return level if level.is_infinite else Real.exp(level)


def nats(written: str) -> str:
    """Return a number with its unit.

    >>> nats("1"), nats("0.5")
    ('1 nat', '0.5 nats')
    """
    return f"{written} nat" if written == "1" else f"{written} nats"


def lost(written: str, unit: str) -> str:
    """Return a loss as its notion measures it: a number of nats, or the value of a parameter.

    >>> lost("0.5", "nats"), lost("0.5", "μ"), lost("≈ 1.5187", "μ"), lost("between 1 and 2", "μ")
    ('0.5 nats', 'μ = 0.5', 'μ ≈ 1.5187', 'μ between 1 and 2')
    """
    if unit == "nats":
        return nats(written)
    return f"{unit} {'' if written.startswith(('≈', 'between', 'at ')) else '= '}{written}"


def bits(level: Real) -> str:
    """Return a level in bits, rounded up; logarithms of powers of two are whole.

    >>> bits(Real.of("log(16)")), bits(Real.of("log(12)"))
    ('4', '3.59')
    """
    power = level.argument_of_log
    if power is not None and power.q == 1 and int(power.p).bit_count() == 1:
        return str(int(power.p).bit_length() - 1)
    return at_most(max(0.0, (level / Real.log(Rational(2))).upper))


def _written(value: Decimal) -> str:
    plain = f"{value:,f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
