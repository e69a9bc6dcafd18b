"""Exact and enclosed values that several notions share: sums of logarithms and suprema of many numbers.

Whatever is the logarithm of a rational is kept as one, so that it compares exactly; everything else becomes a
ball that can be refined.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from epstar.deadline import in_time
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, working_precision

Key = TypeVar("Key")
Logarithm: TypeAlias = tuple[Rational, Rational]
"""The argument of a logarithm, and its weight in a sum."""

# A larger exponent stays a factor of the logarithm: the digits of the power would cost more than they give.
_LARGEST_POWER = 64
_ZERO = Real.log(ONE)


def log_over(argument: Rational, divisor: Rational = ONE) -> Real:
    """Return log(argument) / divisor, as the logarithm of a rational wherever it is one with few digits.

    >>> from epstar.exact import rational
    >>> str(log_over(rational("4/9"), rational("-2/3")))
    'log(27/8)'
    """
    power = ONE / divisor
    if abs(power.p) <= _LARGEST_POWER and power.q <= _LARGEST_POWER and argument > 0:
        degree = int(power.q)
        root = Rational(argument.p.root(degree), argument.q.root(degree))
        if root**degree == argument:
            return Real.log(root ** int(power.p))
    return Real.log(argument) / divisor


def times(value: Real, factor: Rational) -> Real:
    """Return value * factor; the multiple of a logarithm is one of a rational wherever that has few digits.

    >>> str(times(Real.of("log(3/2)"), Rational(2)))
    'log(9/4)'
    """
    if value.argument_of_log is None or factor == 0:
        return value if factor == 1 else value * factor
    return log_over(value.argument_of_log, 1 / factor)


def sum_of_logs(terms: Iterable[Logarithm]) -> Real:
    """Return the sum of weight * log(argument) over pairs of arguments and weights.

    >>> from epstar.exact import rational
    >>> str(sum_of_logs([(rational(2), rational("1/2")), (rational(1), rational(5)), (rational(2), rational("1/2"))]))
    'log(2)'
    """
    # Integers are hashed much faster than fractions.
    alike: dict[tuple[object, object], Logarithm] = {}
    for argument, weight in terms:
        name = argument.p, argument.q
        alike[name] = argument, alike[name][1] + weight if name in alike else weight
    kept = [(argument, weight) for argument, weight in alike.values() if argument != 1 and weight != 0]
    if not kept:
        return Real.of(ZERO)
    if all(weight.q == 1 and abs(weight.p) <= _LARGEST_POWER for _, weight in kept):
        product = ONE
        for argument, weight in kept:
            product *= argument ** int(weight.p)
        return Real.log(product)
    return Real.from_ball(lambda _: _sum_of_logs(kept))


def _sum_of_logs(terms: Iterable[Logarithm]) -> Ball:
    total = Ball(0)
    for argument, weight in terms:
        total += Ball(argument).log() * weight
    return total


def power(base: Rational, exponent: Rational) -> Ball:
    """Return base**exponent for base >= 0 and a non-zero exponent, at the precision in force."""
    if base == 0 or base == 1:
        return Ball(base)
    if exponent.q == 1 and abs(exponent.p) <= _LARGEST_POWER:
        return Ball(base ** int(exponent.p))
    return (Ball(base).log() * exponent).exp()


def bits_taken(order: Rational) -> int:
    """Return how many bits a power of an order, or a logarithm over the order less one, takes away from a ball."""
    excess = abs(order - 1)
    return sum(int(size.ceil()).bit_length() for size in (excess, 1 / excess))


def of_order(order: Rational, enclose: Callable[[], Ball]) -> Real:
    """Return the number that `enclose` encloses by powers of an order other than one, at any precision."""
    taken = bits_taken(order)

    def sharply(bits: int) -> Ball:
        with working_precision(bits + taken):
            return enclose()

    return Real.from_ball(sharply)


def greatest(candidates: Iterable[tuple[Key, Real]]) -> tuple[Key, Real]:
    """Return a key whose number is the largest (as far as 128 bits can tell) and the largest number.

    Candidates that cannot be told apart stay together in the enclosure that is returned, so the number is the
    supremum whatever the key.
    """
    exact: dict[bool, tuple[Key, Real]] = {}
    enclosed: list[tuple[Key, Real]] = []
    for key, candidate in in_time(candidates):
        if candidate.is_infinite:
            return key, INFINITY
        # Zero is a rational and a logarithm; as the latter it compares exactly with what losses mostly are.
        real = _ZERO if candidate.rational is not None and candidate.rational == 0 else candidate
        # Two rationals compare exactly, and so do two logarithms of rationals: one of each kind is enough.
        is_log = real.argument_of_log is not None
        if not is_log and real.rational is None:
            enclosed.append((key, real))
        elif is_log not in exact or real > exact[is_log][1]:
            exact[is_log] = key, real
    remaining = [*exact.values(), *enclosed]
    if not remaining:
        raise InvalidInput("The largest of no numbers is undefined; give at least one.")
    if len(remaining) == 1:
        return remaining[0]
    balls = [real.ball(128) for _, real in in_time(remaining)]
    best = max(range(len(balls)), key=lambda i: float(balls[i].mid()))
    rivals = [real for (_, real), ball in zip(remaining, balls, strict=True) if not ball < balls[best]]
    key, real = remaining[best]
    if len(rivals) == 1:
        return key, real
    return key, Real.from_ball(lambda bits: _largest_ball(rivals, bits))


def _largest_ball(rivals: list[Real], bits: int) -> Ball:
    result = rivals[0].enclose(bits)
    for rival in rivals[1:]:
        result = result.max(rival.enclose(bits))
    return result
