"""Rationals, rigorous enclosures and comparisons that never guess.

This is the only file that knows python-flint. A `Rational` is an exact fraction; a `Real` is a real number
given by a recipe that encloses it in a ball of any precision. Everything that epstar *proves* passes through
these two types; floating point is for finding answers, not for vouching for them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from heapq import heapify, heapreplace
from typing import Any, TypeAlias

import numpy as np
from flint import acb, arb, arb_poly, ctx, fmpq, fmpq_mat, fmpz

from epstar.errors import InvalidInput, Undecided

Rational: TypeAlias = fmpq
RationalMatrix: TypeAlias = fmpq_mat
Ball: TypeAlias = arb
ComplexBall: TypeAlias = acb
BallPolynomial: TypeAlias = arb_poly
Number: TypeAlias = "int | float | str | Fraction | Decimal | fmpq | np.number[np.typing.NBitBase]"

ZERO = fmpq(0)
ONE = fmpq(1)
HALF = fmpq(1, 2)

# Exponents beyond this have no use in probabilities, costs or losses and would only exhaust memory.
_LARGEST_EXPONENT = 5000
_MOST_BITS = 1 << 16
_MOST_DIGITS = 1 << 26
_TINY = fmpq(1, 1 << 64)


def rational(value: object) -> Rational:
    """Return `value` as an exact fraction.

    Strings may be fractions or decimals ("3/10", "0.3", "3e-1"). A float is read as the shortest decimal that
    prints it, so 0.1 is one tenth: what people write is what they mean.

    >>> text(rational(0.1)), text(rational("7/21"))
    ('1/10', '1/3')
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
    """Return every value as an exact fraction (see `rational`)."""
    if isinstance(values, np.ndarray):
        values = values.tolist()
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise InvalidInput(f"{_shown(values)} is not a list of numbers; give a list such as ['1/2', '1/2'].")
    return tuple(rational(value) for value in values)


def text(value: Rational) -> str:
    """Return the fraction as written in problem files and proofs: "3/10" or "2"."""
    return str(value)


def fraction(value: Rational) -> Fraction:
    """Return the same number as a `fractions.Fraction` of the standard library."""
    return Fraction(int(value.p), int(value.q))


def working_precision(bits: int) -> AbstractContextManager[object]:
    """Return a context in which ball arithmetic works with `bits` of precision."""
    return ctx.workprec(bits)


def ball(value: Rational) -> Ball:
    """Return the ball around a fraction at the working precision."""
    return arb(value)


def dot(left: Sequence[Rational], right: Sequence[Rational]) -> Rational:
    """Return the exact inner product."""
    total = ZERO
    for a, b in zip(left, right, strict=True):
        total += a * b
    return total


def float_below(value: Rational) -> float:
    """Return the largest float that is not above `value`."""
    nearest = _nearest_float(value)
    if nearest == math.inf or (math.isfinite(nearest) and fmpq(*nearest.as_integer_ratio()) > value):
        return math.nextafter(nearest, -math.inf)
    return nearest


def float_above(value: Rational) -> float:
    """Return the smallest float that is not below `value`."""
    return 0.0 - float_below(-value)


def _float_below_end(end: Ball) -> float:
    # `end` is an exact endpoint whose exponent may be far outside what a rational can hold.
    nearest = float(end)
    if math.isnan(nearest):  # nothing is known of the number
        return -math.inf
    if nearest == math.inf or (math.isfinite(nearest) and arb(nearest) > end):
        return math.nextafter(nearest, -math.inf)
    return nearest


def _nearest_float(value: Rational) -> float:
    try:
        return int(value.p) / int(value.q)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


@dataclass(frozen=True, eq=False, slots=True)
class Real:
    """A real number (or plus infinity) that can be enclosed to any precision.

    `rational` holds its value when it is known to be a fraction, `argument_of_log` holds r when it is known
    to be log r; both make comparison exact. Build one with `Real.of`, `Real.log`, `Real.exp` or
    `Real.from_ball`.

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
        known, result = real.rational, cls(lambda bits: real.enclose(bits).exp())
        if known is not None and abs(known) < _TINY:
            # It takes more digits to tell it from one.
            return cls.of(ONE) if known == 0 else cls(lambda bits: result.ball(bits + int(known.q).bit_length()))
        return result

    @classmethod
    def from_ball(cls, enclose: Callable[[int], Ball]) -> Real:
        """Return the real number that `enclose(bits)` encloses ever more tightly as `bits` grows."""
        return cls(enclose)

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
            return -_float_below_end(-self.enclose(128).upper())

    def __float__(self) -> float:
        if self.rational is not None:
            return _nearest_float(self.rational)
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


INFINITY = Real(lambda _bits: arb.pos_inf(), is_infinite=True)


def _combined(left: Real, right: Real, operation: Callable[[Any, Any], Any]) -> Real:
    if left.rational is not None and right.rational is not None:
        try:
            return Real.of(operation(left.rational, right.rational))
        except ZeroDivisionError:
            raise InvalidInput(f"{left} cannot be divided by zero; test the divisor first.") from None
    if left.is_infinite or right.is_infinite:
        raise Undecided("Arithmetic with infinity is not defined; test for infinity first.")
    return Real(lambda bits: operation(left.enclose(bits), right.enclose(bits)))


def compare(left: Real, right: Real) -> int:
    """Return -1, 0 or 1 as `left` is below, equal to or above `right`, by proof.

    Rationals and logarithms of rationals are compared exactly: log r equals a rational only for r = 1. Other
    numbers are refined until their balls separate.

    Raises:
        Undecided: if they have not separated at 65,536 bits (they may be equal).
    """
    if left is right:
        return 0
    if left.is_infinite or right.is_infinite:
        return int(left.is_infinite) - int(right.is_infinite)
    for a, b in ((left.rational, right.rational), (left.argument_of_log, right.argument_of_log)):
        if a is not None and b is not None:
            return (a > b) - (a < b)
    bits = 64
    while bits <= _MOST_BITS:
        order = _separation(left, right, bits)
        if order is not None:
            return order
        bits *= 2
    raise Undecided(f"{left} and {right} agree to {_MOST_BITS} bits, so which is larger stays open.")


def _separation(left: Real, right: Real, bits: int) -> int | None:
    """Return the order of two numbers as far as balls of this precision prove it, None if they do not."""
    with ctx.workprec(bits):
        difference = left.enclose(bits) - right.enclose(bits)
        # A ball of radius zero around zero proves equality.
        return 0 if difference.is_zero() else (int(difference > 0) - int(difference < 0)) or None


def largest(values: Iterable[Real]) -> Real:
    """Return the largest of the numbers; ties that cannot be decided exactly keep an enclosure of both."""
    result: Real | None = None
    for value in values:
        result = value if result is None else _larger(result, value)
    if result is None:
        raise InvalidInput("The largest of no numbers is undefined; give at least one.")
    return result


def _larger(left: Real, right: Real) -> Real:
    if left.is_infinite or right.is_infinite:
        return INFINITY
    exact = (left.rational is not None and right.rational is not None) or (
        left.argument_of_log is not None and right.argument_of_log is not None
    )
    if exact:
        return left if compare(left, right) >= 0 else right
    order = _separation(left, right, 256)
    if order is not None:
        return left if order >= 0 else right
    return Real(lambda bits: left.enclose(bits).max(right.enclose(bits)))


def rationalise(matrix: Sequence[Sequence[object]] | np.ndarray, bits: int) -> list[list[int]]:
    """Return integer tickets whose rows sum to exactly 2**bits and are proportional to the rows of `matrix`.

    Zero stays zero and positive stays positive, because a privacy loss depends on which entries vanish. Each
    entry moves by less than (outputs + 1) / 2**bits of its row.

    >>> rationalise([[0.5, 0.25, 0.25], [1, 0, 0]], 3)
    [[4, 2, 2], [8, 0, 0]]
    """
    if type(bits) is not int or not 1 <= bits <= _MOST_BITS:
        raise InvalidInput(f"The number of bits must be an integer between 1 and {_MOST_BITS}.")
    total = 1 << bits
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    return [_tickets(row, total) for row in rows]


def _weights(row: Sequence[object]) -> list[Any]:
    """Numbers in proportion to the entries of a row: integers, which are quicker, if all are floats, else fractions."""
    # A computed float stands for itself, not for the decimal that prints it.
    floats = [entry for entry in row if isinstance(entry, float) and math.isfinite(entry)]
    if len(floats) < len(row):
        return [fmpq(*e.as_integer_ratio()) if isinstance(e, float) and math.isfinite(e) else rational(e) for e in row]
    ratios = [entry.as_integer_ratio() for entry in floats]
    common = max((denominator for _, denominator in ratios), default=1)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def _tickets(row: Sequence[object], total: int) -> list[int]:
    entries = _weights(row)
    mass = sum(entries)
    positive = [i for i, entry in enumerate(entries) if entry > 0]
    if any(entry < 0 for entry in entries) or not positive:
        raise InvalidInput("A row of a mechanism needs non-negative entries and a positive sum.")
    if len(positive) > total:
        raise InvalidInput(
            f"{len(positive)} positive entries need more than {total} tickets; raise the number of bits."
        )
    tickets = [0] * len(entries)
    for i in positive:
        share = entries[i] * total
        tickets[i] = max(1, share // mass if isinstance(share, int) else int((share / mass).floor()))
    missing = total - sum(tickets)
    # Spread what rounding left over: first to the largest remainders, or back from the largest entries.
    by_remainder = sorted(positive, key=lambda i: tickets[i] * mass - entries[i] * total)
    for step in range(max(0, missing)):
        tickets[by_remainder[step % len(by_remainder)]] += 1
    if missing < 0:
        largest_first = [(-tickets[i], i) for i in positive]
        heapify(largest_first)
        for _ in range(-missing):
            i = largest_first[0][1]
            tickets[i] -= 1
            heapreplace(largest_first, (-tickets[i], i))
    return tickets
