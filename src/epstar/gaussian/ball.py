"""The capacity of normal noise over inputs in a ball: two proven bounds and the law that attains the lower one."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Ball, Rational, Real, rationalise
from epstar.gaussian.active import best_spheres
from epstar.gaussian.quadrature import remembered
from epstar.gaussian.spheres import Spheres, largest_divergence

_BITS = 60
# Beyond this radius the best law has many spheres and the proof takes hours.
_LARGEST_RADIUS = 30


@dataclass(frozen=True)
class BallCapacity:
    """The capacity in nats between two proven bounds; the input law on spheres that attains the lower one."""

    lower: Real
    upper: Real
    spheres: Spheres


def ball_capacity(dimension: int, radius: Real) -> BallCapacity:
    """Return the capacity of noise of variance one over inputs in a ball of this radius.

    The lower bound is the information of an explicit law, uniform on spheres; the upper one is the largest divergence
    over the ball from the output of that law. Both are certified integrals; for a radius of at most 1 they are the same
    number, because one sphere is then provably the best. Source: ngo2024, Section II (the constraint), after Smith.

    Raises:
        InvalidInput: for a radius beyond 30.
    """
    if radius > _LARGEST_RADIUS:
        raise InvalidInput(
            f"The peak is {float(radius):.3g} deviations of the noise; beyond {_LARGEST_RADIUS} no capacity is "
            "computed: bound the average power instead."
        )
    if radius <= 1:
        sphere = Spheres(dimension, radius, (ONE,), (ONE,))
        value = sphere.divergence(ONE)
        return BallCapacity(value, value, sphere)
    found = best_spheres(dimension, float(radius))
    share = 1 << _BITS
    parts = tuple(Rational(round(r / found.radii[-1] * share), share) for r in found.radii.tolist())
    tickets = rationalise([found.weights.tolist()], _BITS)[0]
    spheres = Spheres(dimension, radius, parts, tuple(Rational(ticket, share) for ticket in tickets))
    return BallCapacity(spheres.information(), largest_divergence(spheres).upper, spheres)


def ball_leakage(dimension: int, radius: Real) -> Real:
    """Return the maximal leakage over a ball: the logarithm of the integral of the largest density.

    The largest density at y is that of the nearest input, so the integral is over parallel bodies of the ball: with
    (R + t)^(d-1) expanded it is a sum of moments of half a normal law.

    >>> round(float(ball_leakage(1, Real.of(1))), 12)
    0.586610729763
    """
    if radius.rational == ZERO:
        return Real.of(ZERO)

    def enclose(bits: int) -> Ball:
        size = radius.enclose(bits)
        half = Ball(dimension) / 2
        total = (size * size / 2) ** half / (half + 1).gamma()
        choose = Ball(1)
        for k in range(dimension):
            # choose = binomial(d - 1, k); the moment of order k of exp(-t^2 / 2) on the half-line
            moment = Ball(2) ** (Ball(k - 1) / 2) * (Ball(k + 1) / 2).gamma()
            total += choose * size ** (dimension - 1 - k) * moment * 2 / (Ball(2) ** half * half.gamma())
            choose = choose * (dimension - 1 - k) / (k + 1)
        return total.log()

    return remembered(enclose)
