"""Reals: numbers given by a recipe that encloses them in a ball of any precision, and comparisons that never guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import reduce
from typing import Any, TypeAlias

import numpy as np
from flint import acb, arb, arb_mat, arb_poly, ctx, fmpq, fmpz_poly

from epstar.errors import InvalidInput, Undecided
from epstar.exact.rational_numbers import (
    HALF,
    ONE,
    ZERO,
    Rational,
    float_above,
    float_below,
    nearest_float,
    rational,
    text,
)

Ball: TypeAlias = arb
BallMatrix: TypeAlias = arb_mat
ComplexBall: TypeAlias = acb
BallPolynomial: TypeAlias = arb_poly
IntegerPolynomial: TypeAlias = fmpz_poly

MOST_BITS = 1 << 16
_MOST_DIGITS = 1 << 26
_TINY = fmpq(1, 1 << 64)


def working_precision(bits: int) -> AbstractContextManager[object]:
    """Return a context in which ball arithmetic works with `bits` of precision.

    >>> from epstar.exact import ball, rational, working_precision
    >>> with working_precision(200):
    ...     third = ball(rational("1/3"))
    >>> float(third.rad()) < 1e-55
    True
    """
    return ctx.workprec(bits)


def ball(value: Rational) -> Ball:
    """Return the ball around a fraction at the working precision.

    >>> from epstar.exact import ball, rational
    >>> 2.999999 < float(9 * ball(rational("1/3"))) < 3.000001
    True
    """
    return arb(value)


def _float_below_end(end: Ball) -> float:
    # `end` is an exact endpoint whose exponent may be far outside what a rational can hold.
    nearest = float(end)
    if math.isnan(nearest):  # nothing is known of the number
        return -math.inf
    if nearest == math.inf or (math.isfinite(nearest) and arb(nearest) > end):
        return math.nextafter(nearest, -math.inf)
    return nearest


@dataclass(frozen=True, eq=False, slots=True)
class _Recipe:
    """A function of other numbers, given by how to enclose them.

    A sum of a million terms is a million recipes deep, so that they are followed by a list of what is still to be
    enclosed and not by calls; what occurs in several places is enclosed once.
    """

    function: Callable[..., Ball]
    numbers: tuple[Callable[[int], Ball], ...]

    def __call__(self, bits: int) -> Ball:
        found: dict[int, Ball] = {}
        waiting: list[Callable[[int], Ball]] = [self]
        while waiting:
            enclose = waiting[-1]
            if id(enclose) in found:
                waiting.pop()
            elif not isinstance(enclose, _Recipe):
                found[id(enclose)] = enclose(bits)
            else:
                missing = [number for number in enclose.numbers if id(number) not in found]
                if missing:
                    waiting += missing
                else:
                    found[id(enclose)] = enclose.function(*(found[id(number)] for number in enclose.numbers))
        return found[id(self)]


@dataclass(frozen=True, eq=False, slots=True)
class Real:
    """A real number (or plus infinity) that can be enclosed to any precision.

    `rational` holds its value when it is known to be a fraction, `argument_of_log` holds r when it is known
    to be log r; both make comparison exact. Build one with `Real.of`, `Real.log`, `Real.exp`, `Real.from_ball`, or
    from others by arithmetic and `Real.computed`. Sums and products may have millions of terms: however they were
    built, they are enclosed without recursion.

    >>> Real.log(rational(2)) < Real.of("7/10")
    True
    >>> str(Real.log(rational("14/3")))
    'log(14/3)'
    """

    enclose: Callable[[int], Ball]
    rational: Rational | None = None
    argument_of_log: Rational | None = None
    is_infinite: bool = False

    @classmethod
    def of(cls, value: object) -> Real:
        """Return the real number equal to a rational `value`, to "log(r)", or infinity for `math.inf` or "infinity".

        >>> Real.exp(Real.of("log(3/2)")).rational
        3/2
        """
        if isinstance(value, Real):
            return value
        if isinstance(value, str) and value.strip().startswith("log(") and value.strip().endswith(")"):
            return cls.log(rational(value.strip()[4:-1]))
        if value == math.inf if isinstance(value, float) else value in ("infinity", "inf"):
            return INFINITY
        exact = rational(value)
        return cls(lambda _bits: arb(exact), rational=exact)

    @classmethod
    def log(cls, argument: Rational) -> Real:
        """Return log r for a rational r > 0; log 1 is the rational 0."""
        if argument <= 0:
            raise InvalidInput(f"log({argument}) is not a real number; the argument must be positive.")
        if argument == 1:
            return cls(lambda _bits: arb(0), rational=ZERO, argument_of_log=ONE)
        if HALF < argument < 2:  # subtract 1 exactly: rounding it first would swallow a tiny logarithm
            return cls(lambda _bits: arb(argument - 1).log1p(), argument_of_log=argument)
        return cls(lambda _bits: arb(argument).log(), argument_of_log=argument)

    @classmethod
    def exp(cls, exponent: object) -> Real:
        """Return e**x; the exponential of log r is the rational r."""
        real = cls.of(exponent)
        if real.is_infinite:
            return INFINITY
        if real.argument_of_log is not None:
            return cls.of(real.argument_of_log)
        known, result = real.rational, cls.computed(lambda exponent: exponent.exp(), real)
        if known is not None and abs(known) < _TINY:
            # It takes more digits to tell it from one.
            return cls.of(ONE) if known == 0 else cls(lambda bits: result.ball(bits + int(known.q).bit_length()))
        return result

    @classmethod
    def from_ball(cls, enclose: Callable[[int], Ball]) -> Real:
        """Return the real number that `enclose(bits)` encloses ever more tightly as `bits` grows."""
        return cls(enclose)

    @classmethod
    def computed(cls, function: Callable[..., Ball], *numbers: Real) -> Real:
        """Return a function of other numbers, which `function` computes from balls around them.

        >>> str(Real.computed(lambda ball: ball.sqrt(), Real.of(2)))
        '1.4142135623730950488'
        """
        return cls(_Recipe(function, tuple(number.enclose for number in numbers)))

    def ball(self, bits: int = 128) -> Ball:
        """Return a ball that contains the number, computed with `bits` of working precision."""
        with ctx.workprec(bits):
            return self.enclose(bits)

    def below(self, bits: int = 128) -> Rational:
        """Return a rational that is not above the number (the number itself when it is rational)."""
        return self.rational if self.rational is not None else self._endpoints(bits)[0]

    def above(self, bits: int = 128) -> Rational:
        """Return a rational that is not below the number (the number itself when it is rational)."""
        return self.rational if self.rational is not None else self._endpoints(bits)[1]

    def _endpoints(self, bits: int) -> tuple[Rational, Rational]:
        # Rounding to an endpoint happens at the context's precision, so it must happen inside the context.
        with ctx.workprec(bits):
            enclosed = self.enclose(bits)
            if not enclosed.is_finite():
                raise Undecided("An unbounded quantity has no rational bound; test it for infinity first.")
            ends = enclosed.lower(), enclosed.upper()
            if any(abs(int(end.man_exp()[1])) > _MOST_DIGITS for end in ends):
                raise Undecided(f"{self} has too many digits for a rational bound; compare it as a Real.")
            return ends[0].fmpq(), ends[1].fmpq()

    @property
    def lower(self) -> float:
        """The largest float known not to be above the number."""
        if self.rational is not None:
            return float_below(self.rational)
        if self.is_infinite:
            return math.inf
        with ctx.workprec(128):
            return _float_below_end(self.enclose(128).lower())

    @property
    def upper(self) -> float:
        """The smallest float known not to be below the number."""
        if self.rational is not None:
            return float_above(self.rational)
        with ctx.workprec(128):
            return -_float_below_end(-self.enclose(128).upper()) + 0.0  # not the zero with a sign

    def __float__(self) -> float:
        if self.rational is not None:
            return nearest_float(self.rational)
        return float(self.ball().mid())

    def __str__(self) -> str:
        if self.is_infinite:
            return "infinity"
        if self.rational is not None:
            return text(self.rational)
        if self.argument_of_log is not None:
            return f"log({text(self.argument_of_log)})"
        return str(self.ball(128).str(20, radius=False))

    def __repr__(self) -> str:
        return f"Real({self})"

    def __add__(self, other: object) -> Real:
        return _combined(self, Real.of(other), lambda a, b: a + b)

    def __sub__(self, other: object) -> Real:
        return _combined(self, Real.of(other), lambda a, b: a - b)

    def __mul__(self, other: object) -> Real:
        return _combined(self, Real.of(other), lambda a, b: a * b)

    def __truediv__(self, other: object) -> Real:
        return _combined(self, Real.of(other), lambda a, b: a / b)

    def __lt__(self, other: object) -> bool:
        return compare(self, Real.of(other)) < 0

    def __le__(self, other: object) -> bool:
        return compare(self, Real.of(other)) <= 0

    def __gt__(self, other: object) -> bool:
        return compare(self, Real.of(other)) > 0

    def __ge__(self, other: object) -> bool:
        return compare(self, Real.of(other)) >= 0


Number: TypeAlias = int | float | str | Fraction | Decimal | Rational | np.number[Any] | Real
"""What is read as an exact number: 1, 0.2, "1/5", "log(2)", a Fraction, a Decimal, a number of numpy."""

INFINITY = Real(lambda _bits: arb.pos_inf(), is_infinite=True)


def _combined(left: Real, right: Real, operation: Callable[[Any, Any], Any]) -> Real:
    if left.rational is not None and right.rational is not None:
        try:
            return Real.of(operation(left.rational, right.rational))
        except ZeroDivisionError:
            raise InvalidInput(f"{left} cannot be divided by zero; test the divisor first.") from None
    if left.is_infinite or right.is_infinite:
        raise Undecided("Arithmetic with infinity is not defined; test for infinity first.")
    return Real.computed(operation, left, right)


def compare(left: Real, right: Real) -> int:
    """Return -1, 0 or 1 as `left` is below, equal to or above `right`, by proof.

    Rationals and logarithms of rationals are compared exactly: log r equals a rational only for r = 1. Other
    numbers are refined until their balls separate.

    Raises:
        Undecided: if they have not separated at 65,536 bits (they may be equal).

    >>> from epstar.exact import Real, compare
    >>> compare(Real.of("log(3)"), Real.of("1.0986"))
    1
    """
    if left is right:
        return 0
    if left.is_infinite or right.is_infinite:
        return int(left.is_infinite) - int(right.is_infinite)
    for a, b in ((left.rational, right.rational), (left.argument_of_log, right.argument_of_log)):
        if a is not None and b is not None:
            return (a > b) - (a < b)
    bits = 64
    while bits <= MOST_BITS:
        order = _separation(left, right, bits)
        if order is not None:
            return order
        bits *= 2
    raise Undecided(f"{left} and {right} agree to {MOST_BITS} bits, so which is larger stays open.")


def _separation(left: Real, right: Real, bits: int) -> int | None:
    """Return the order of two numbers as far as balls of this precision prove it, None if they do not."""
    with ctx.workprec(bits):
        difference = left.enclose(bits) - right.enclose(bits)
        # A ball of radius zero around zero proves equality.
        return 0 if difference.is_zero() else (int(difference > 0) - int(difference < 0)) or None


def largest(values: Iterable[Real]) -> Real:
    """Return the largest of the numbers; ties that cannot be decided exactly keep an enclosure of both.

    >>> from epstar.exact import Real, largest
    >>> print(largest([Real.of("log(2)"), Real.of("7/10")]))
    7/10
    """
    return _extreme(values, 1)


def smallest(values: Iterable[Real]) -> Real:
    """Return the smallest of the numbers; ties that cannot be decided exactly keep an enclosure of both.

    >>> from epstar.exact import Real, smallest
    >>> print(smallest([Real.of("log(2)"), Real.of("7/10")]))
    log(2)
    """
    return _extreme(values, -1)


def _extreme(values: Iterable[Real], sign: int) -> Real:
    found = list(values)
    if not found:
        raise InvalidInput("The largest or smallest of no numbers is undefined; give at least one.")
    infinite = [value for value in found if value.is_infinite]
    if infinite and (sign > 0 or len(infinite) == len(found)):
        return infinite[0]
    # Rationals compare exactly with each other, and so do logarithms of them: one of each is enough.
    exact: dict[bool, Real] = {}
    others: list[Real] = []
    for value in found:
        is_rational = value.rational is not None
        if value.is_infinite:
            continue
        if not is_rational and value.argument_of_log is None:
            others.append(value)
        elif is_rational not in exact or compare(value, exact[is_rational]) * sign > 0:
            exact[is_rational] = value
    return _rivals([*exact.values(), *others], sign)


def _rivals(values: list[Real], sign: int) -> Real:
    """The largest number, or where 256 bits cannot tell which that is, all that may be it."""
    if len(values) == 1:
        return values[0]
    with ctx.workprec(256):
        balls = [value.enclose(256) * sign for value in values]
        best = reduce(Ball.max, (ball.lower() for ball in balls))
        left = [value for value, ball in zip(values, balls, strict=True) if not ball < best]
    if len(left) == 1:
        return left[0]
    return Real.computed(lambda *balls: reduce(Ball.max if sign > 0 else Ball.min, balls), *left)
