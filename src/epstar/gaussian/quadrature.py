"""Normal probabilities, certified integrals and certified roots in ball arithmetic.

Everything here returns a ball that contains the exact number. Integrals are adaptive Gauss-Legendre sums whose error
is bounded from the values of the integrand on complex ellipses, so an integrand must say where it is not analytic; an
integral that does not come out finite is refused, never guessed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache

from epstar.errors import Undecided
from epstar.exact import Ball, ComplexBall, Rational, Real, working_precision

Integrand = Callable[[ComplexBall, bool], ComplexBall]

# Extra bits for what cancellation and the tails of an integral take away.
GUARD = 24
_MOST_EVALUATIONS = 200_000
# What stands for the logarithm of zero.
_LARGEST_LOG = 1e300
# An integral in more bits than this costs more than anybody has use for.
INTEGRAL_BITS = 96


def cumulative(place: Ball) -> Ball:
    """Return the probability that a standard normal variable is at most `place`."""
    return (-place / Ball(2).sqrt()).erfc() / 2


def density(place: Ball) -> Ball:
    """Return the density of the standard normal distribution at `place`."""
    return (-place * place / 2).exp() / (2 * Ball.pi()).sqrt()


def integral(integrand: Integrand, low: Ball, high: Ball, bits: int) -> Ball:
    """Return a ball that contains the integral of a function that is real on [low, high]; see `complex_integral`."""
    return complex_integral(integrand, low, high, bits).real


def complex_integral(integrand: Integrand, low: Ball, high: Ball, bits: int) -> ComplexBall:
    """Return a complex ball that contains the integral over [low, high], aiming at an error of 2**-bits.

    Raises:
        Undecided: if the error could not be bounded.
    """
    goal = Ball(2) ** -bits
    found = ComplexBall.integral(
        integrand, ComplexBall(low), ComplexBall(high), rel_tol=goal, abs_tol=goal, eval_limit=_MOST_EVALUATIONS
    )
    if not (found.real.is_finite() and found.imag.is_finite()):
        raise Undecided("The error of an integral could not be bounded; less extreme parameters are needed.")
    return found


def remembered(enclose: Callable[[int], Ball], most: int = 1 << 16) -> Real:
    """Return the real number that `enclose(bits)` encloses, each precision being computed once.

    `enclose` runs with a few more bits of working precision than it is asked for, and is never asked for more than
    `most`.
    """

    @lru_cache(maxsize=16)
    def computed(bits: int) -> Ball:
        with working_precision(bits + GUARD):
            return enclose(bits)

    return Real.from_ball(lambda bits: computed(min(bits, most)))


def root(excess: Callable[[Ball], Ball], slope: Callable[[Ball], Ball], guess: float, bits: int) -> Ball:
    """Return a ball in which a continuous function provably changes sign.

    Newton's method from a guess in floats; the ends of the ball are then checked to have opposite signs.

    Raises:
        Undecided: if no such ball was found near the guess.
    """
    place = Ball(guess)
    for _ in range(4 + bits.bit_length()):
        step = (excess(place) / slope(place)).mid()
        if not step.is_finite():
            break
        place = (place - step).mid()
        if abs(step) <= abs(place) * Ball(2) ** -bits:
            break
    scale = Ball(1) + abs(place)
    for spare in range(8 - bits, -8, 4):
        width = (scale * Ball(2) ** spare).mid()
        ends = excess(place - width), excess(place + width)
        if (ends[0] < 0 and ends[1] > 0) or (ends[0] > 0 and ends[1] < 0):
            return Ball(place, width)
    raise Undecided("A root could not be isolated; the function is too flat there.")


def log_of(value: Real) -> float:
    """Return the logarithm of a non-negative number in floats, for numbers far outside their range, too."""
    enclosed = value.ball(64)
    return -_LARGEST_LOG if not enclosed.mid() > 0 else float(enclosed.mid().log().mid())


def crossing(falling: Callable[[float], float], goal: float) -> Rational:
    """Return, in floats, about where a decreasing function of a positive number crosses a goal; no proof is meant.

    Raises:
        Undecided: if it does not cross between 1e-30 and 1e30.
    """
    from scipy import optimize

    known = lru_cache(maxsize=None)(falling)  # the search for the ends and the root find ask twice
    low = high = 1.0
    while known(low) < goal and low > 1e-30:
        low /= 4
    while known(high) > goal and high < 1e30:
        high *= 4
    if not known(low) >= goal >= known(high):
        raise Undecided("The parameter that was asked for lies outside 1e-30 to 1e30; choose less extreme ones.")
    if low == high:
        return Rational(*low.as_integer_ratio())
    found = optimize.brentq(lambda x: known(math.exp(x)) - goal, math.log(low), math.log(high), xtol=1e-15, rtol=1e-15)
    return Rational(*math.exp(found).as_integer_ratio())
