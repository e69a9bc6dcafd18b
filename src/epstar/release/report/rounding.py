"""Numbers for readers, always rounded to the side on which the sentence stays true."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from epstar.exact import Rational, Real

_DIGITS = 3


def at_most(value: float, digits: int = _DIGITS) -> str:
    """Return a decimal that is not below the value.

    >>> at_most(2.7182818), at_most(1e-7), at_most(12345.6)
    ('2.72', '0.0000001', '12,400')
    """
    return _written(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(value)))


def at_least(value: float) -> str:
    """Return a decimal that is not above the value."""
    return _written(Context(prec=_DIGITS, rounding=ROUND_FLOOR).create_decimal(Decimal(value)))


def about(value: float) -> str:
    """Return a decimal near the value, for what is not a bound."""
    return _written(Context(prec=_DIGITS).create_decimal(Decimal(value)))


def percent(value: float) -> str:
    """Return a share as a percentage that is not below it; its parts stay on one line.

    Shares below a percent keep two digits, so that small ones can be told apart.

    >>> percent(0.7310585).split(), percent(1.0).split(), percent(1 / 3000).split()
    (['73.2', '%'], ['100', '%'], ['0.034', '%'])
    """
    hundreds = Decimal(value) * 100
    if 0 < hundreds < 1:
        written = _written(Context(prec=2, rounding=ROUND_CEILING).create_decimal(hundreds))
    else:
        written = _written(hundreds.quantize(Decimal("0.1"), rounding=ROUND_CEILING))
    return f"{written}\N{NO-BREAK SPACE}%"


def factor(level: Real) -> Real:
    """Return e^level."""
    return level if level.is_infinite else Real.exp(level)


def bits(level: Real) -> str:
    """Return a level in bits, rounded up."""
    return at_most(max(0.0, (level / Real.log(Rational(2))).upper))


def _written(value: Decimal) -> str:
    plain = f"{value:,f}"
    return plain.rstrip("0").rstrip(".") if "." in plain else plain
