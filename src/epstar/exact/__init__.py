"""Rationals, rigorous enclosures and comparisons that never guess.

This package alone knows python-flint. A `Rational` is an exact fraction; a `Real` is a real number given by a recipe
that encloses it in a ball of any precision. Everything that epstar *proves* passes through these two types; floating
point is for finding answers, not for vouching for them.
"""

from epstar.exact.interval import Interval
from epstar.exact.rational_numbers import (
    HALF,
    ONE,
    ZERO,
    Rational,
    RationalMatrix,
    dot,
    float_above,
    float_below,
    fraction,
    rational,
    rationals,
    text,
)
from epstar.exact.real_numbers import (
    INFINITY,
    Ball,
    BallMatrix,
    BallPolynomial,
    ComplexBall,
    IntegerPolynomial,
    Number,
    Real,
    ball,
    compare,
    largest,
    smallest,
    working_precision,
)
from epstar.exact.tickets import (
    rationalise,
)

__all__ = [
    "HALF",
    "INFINITY",
    "ONE",
    "ZERO",
    "Ball",
    "BallMatrix",
    "BallPolynomial",
    "ComplexBall",
    "IntegerPolynomial",
    "Interval",
    "Number",
    "Rational",
    "RationalMatrix",
    "Real",
    "ball",
    "compare",
    "dot",
    "float_above",
    "float_below",
    "fraction",
    "largest",
    "rational",
    "rationalise",
    "rationals",
    "smallest",
    "text",
    "working_precision",
]
