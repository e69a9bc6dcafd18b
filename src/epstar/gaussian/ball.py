"""The capacity of normal noise over inputs in a ball: two proven bounds and the law that attains the lower one."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

from epstar.errors import InvalidInput
from epstar.exact import ZERO, Ball, Rational, Real, rational
from epstar.gaussian.active import best_spheres
from epstar.gaussian.largest import largest_divergence
from epstar.gaussian.quadrature import remembered
from epstar.gaussian.spheres import Spheres

_BITS = 60
# Beyond this radius the best law has many spheres, and finding them takes longer than anybody waits.
_LARGEST_RADIUS = 30


@dataclass(frozen=True)
class BallCapacity:
    """The capacity in nats between two proven bounds; an input law on spheres; how the bounds were found.

    The lower bound is the information of that law, unless `status` says that only closed forms were used.
    """

    lower: Real
    upper: Real
    spheres: Spheres
    status: str

    @property
    def width(self) -> float:
        """The distance of the two bounds, rounded up."""
        return 0.0 if self.lower is self.upper else max(0.0, self.upper.upper - self.lower.lower)


def ball_capacity(dimension: int, radius: Real, time_limit: float | None = None) -> BallCapacity:
    """Return the capacity of noise of variance one over inputs in a ball of this radius.

    The lower bound is the information of an explicit law, uniform on spheres; the upper one is the largest divergence
    over the ball from the output of that law. Both are certified integrals; for a radius of at most 1 they are the same
    number, because one sphere is then provably the best. Source: ngo2024, Section II (the constraint), after Smith.
    Beyond radius 30, or when `time_limit` seconds have passed, what is proven so far is returned: closed-form bounds
    from the power, the leakage and the volume of the ball.

    Raises:
        InvalidInput: for a time limit that is not positive.
    """
    if time_limit is not None and rational(time_limit) <= 0:
        raise InvalidInput(f"The time limit of {time_limit} seconds leaves no time; give a positive number or None.")
    deadline = math.inf if time_limit is None else time.monotonic() + time_limit
    if radius <= 1:
        sphere = Spheres.one(dimension, radius)
        value = sphere.divergence(Rational(1))
        return BallCapacity(value, value, sphere, "one sphere is proven to be the best law")
    simple = _simple_bounds(dimension, radius)
    if radius > _LARGEST_RADIUS:
        return _closed(simple, dimension, radius, f"the radius is beyond {_LARGEST_RADIUS} deviations")
    if time.monotonic() > deadline:
        return _closed(simple, dimension, radius, "the time limit passed")
    found = best_spheres(dimension, float(radius), deadline)
    share = 1 << _BITS
    parts = tuple(Rational(round(r / found.radii[-1] * share), share) for r in found.radii.tolist())
    spheres = Spheres(dimension, radius, parts, _weights(found.weights.tolist()))
    if time.monotonic() > deadline:
        return _closed(simple, dimension, radius, "the time limit passed")
    lower = spheres.information()
    largest = largest_divergence(spheres, deadline=deadline)
    if largest is None:
        return BallCapacity(lower, simple[1], spheres, "the time limit passed: the upper bound is a closed form")
    top = largest.upper
    upper = Real.from_ball(lambda _bits: top)
    return BallCapacity(
        lower, upper, spheres, f"divergences at {largest.radii} radii and a bound for the rest of the ball"
    )


def _weights(floats: list[float]) -> tuple[Rational, ...]:
    """Rational weights that sum to 1 exactly; tiny ones keep their size and are taken from the largest."""
    exact = [Rational(*weight.as_integer_ratio()) for weight in floats]
    heaviest = max(range(len(exact)), key=lambda k: floats[k])
    exact[heaviest] += 1 - sum(exact, ZERO)
    return tuple(exact)


def _closed(simple: tuple[Real, Real], dimension: int, radius: Real, why: str) -> BallCapacity:
    return BallCapacity(*simple, Spheres.one(dimension, radius), f"{why}: both bounds are closed forms")


def _simple_bounds(dimension: int, radius: Real) -> tuple[Real, Real]:
    """Two closed forms: the entropy-power inequality for the uniform law; the power of the ball, or its leakage."""
    leakage = ball_leakage(dimension, radius)

    def below(bits: int) -> Ball:
        size, half = radius.enclose(bits), Ball(dimension) / 2
        # The volume of the ball, to the power 2/d, over that of a normal law of variance one.
        volume = (half * Ball.pi().log() - (half + 1).lgamma()) / half
        return half * (1 + size * size * (volume - 1).exp() / (2 * Ball.pi())).log()

    def above(bits: int) -> Ball:
        size, half = radius.enclose(bits), Ball(dimension) / 2
        return (half * (1 + size * size / dimension).log()).min(leakage.enclose(bits))

    return remembered(below), remembered(above)


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
