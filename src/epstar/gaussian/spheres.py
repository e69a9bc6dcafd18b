"""Inputs on spheres in noise of variance one: the divergence of one input from the output, in certified integrals.

A law that is uniform on each of some spheres gives the output a density that depends on the distance s from the centre
alone. Relative to the noise it is r(s) = sum_k w_k exp(-rho_k^2 / 2) F(rho_k^2 s^2 / 4) with F(z) = 0F1(; d/2; z), and
an input at distance rho has divergence

    K(rho) = rho^2 / 2 - E log r(|rho e + N|).

The posterior law of the input lies in the ball of radius R, so the second derivative of K is 1 minus a variance, at
most 1 and at least 1 - R^2, and its third derivative is at most (2R)^3 / (6 sqrt 3) in absolute value, the largest
third central moment on an interval of length 2R. These two bounds turn values at finitely many radii into a bound at
all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from epstar.exact import Ball, ComplexBall, Rational, Real, working_precision
from epstar.gaussian.quadrature import GUARD, INTEGRAL_BITS, complex_integral, remembered

_LINE = ComplexBall(Ball(1) / 2)
Factor = Callable[[ComplexBall, ComplexBall, ComplexBall], ComplexBall]


@dataclass(frozen=True)
class Spheres:
    """Spheres around zero in `dimension` dimensions: their radii as parts of the largest, and their weights."""

    dimension: int
    radius: Real
    parts: tuple[Rational, ...]
    weights: tuple[Rational, ...]

    def divergence(self, part: Rational, derivative: int = 0) -> Real:
        """Return K, K' or K'' at the radius that is this part of the largest one, in nats."""
        return remembered(lambda bits: self._divergence(part, derivative, bits), INTEGRAL_BITS)

    def information(self) -> Real:
        """Return the mutual information of this law of the input, in nats."""
        losses = [self.divergence(part) for part in self.parts]

        def enclose(bits: int) -> Ball:
            terms = (weight * loss.enclose(bits) for weight, loss in zip(self.weights, losses, strict=True))
            return sum(terms, Ball(0))

        return remembered(enclose)

    def tangent(self, part: Rational, bits: int) -> tuple[Ball, Ball]:
        """Return K and K' at one radius from one integral, to about `bits` bits.

        Both integrands are real on the line, so the second can travel as the imaginary part.
        """
        with working_precision(bits + GUARD):
            rho = self.radius.enclose(bits) * part
            found = self._integral(part, bits, _tangent)
            return rho * rho / 2 - found.real, rho - found.imag

    def _divergence(self, part: Rational, derivative: int, bits: int) -> Ball:
        rho = self.radius.enclose(bits) * part
        own = (rho * rho / 2, rho, Ball(1))[derivative]
        return own - self._integral(part, bits, lambda place, s, half: _in_rho(place, s, half, derivative)).real

    def _integral(self, part: Rational, bits: int, factor: Factor) -> ComplexBall:
        """The integral over s of the noise, a factor that depends on the radius, and log r."""
        radius = self.radius.enclose(bits)
        rho = radius * part
        far = self._reach(radius, bits)
        place, outer, half = ComplexBall(rho), ComplexBall(radius), ComplexBall(self.dimension) / 2
        spheres = [
            (weight * (-((radius * share) ** 2) / 2).exp(), ComplexBall(radius * share))
            for share, weight in zip(self.parts, self.weights, strict=True)
        ]
        constant = Ball(2) / (Ball(2) ** (Ball(self.dimension) / 2) * (Ball(self.dimension) / 2).gamma())

        def integrand(s: ComplexBall, analytic: bool) -> ComplexBall:
            ratio = ComplexBall(0)
            for weight, share in spheres:
                ratio += weight * _kernel(share, s, half)
            weight_of_s = constant * s ** (self.dimension - 1) * (-(s * s + place * place) / 2).exp()
            # r grows like exp(R s); without that factor its logarithm stays far from the branch cut.
            log = outer * s + (ratio * (-outer * s).exp()).log(analytic=analytic)
            return weight_of_s * factor(place, s, half) * log

        inside = complex_integral(integrand, Ball(0), far, bits)
        tail = Ball(0, self._tail(radius, far).upper())
        return inside + ComplexBall(tail, tail)

    def _reach(self, radius: Ball, bits: int) -> Ball:
        """Where the integrals stop: the tail beyond is then below the precision asked for."""
        noise = math.sqrt(self.dimension) + math.sqrt(2 * math.log(2) * (bits + 32)) + 4
        return Ball(math.ceil(float(radius.upper()) + noise))

    def _tail(self, radius: Ball, far: Ball) -> Ball:
        """A bound on all three integrals beyond `far`.

        There |log r| <= R^2 / 2 + R s, because 1 <= F(t^2 / 4) <= e^t, and with 0F1(b + 1) <= 0F1(b) the derivatives in
        rho multiply the density by at most 1 + R^2 + R^2 s^2 + s^2 + R^2 s^4 for d >= 1. Since 1 <= s <= R + |N| <= |N|
        far / edge with |N| >= edge = far - R, all is at most a multiple of the sixth moment of |N| beyond the edge.
        """
        half = Ball(self.dimension) / 2
        edge = far - radius
        moment = (edge * edge / 2).gamma_upper(half + 3) * 8 / half.gamma()
        square = (1 + radius) * (1 + radius)
        return 10 * square * square * (far / edge) ** 6 * moment


def _tangent(rho: ComplexBall, s: ComplexBall, half: ComplexBall) -> ComplexBall:
    return _in_rho(rho, s, half, 0) + ComplexBall(0, 1) * _in_rho(rho, s, half, 1)


def _kernel(rho: ComplexBall, s: ComplexBall, half: ComplexBall) -> ComplexBall:
    """F(rho^2 s^2 / 4), on the line the hyperbolic cosine."""
    return (rho * s).cosh() if half == _LINE else ((rho * s / 2) ** 2).hypgeom_0f1(half)


def _in_rho(rho: ComplexBall, s: ComplexBall, half: ComplexBall, derivative: int) -> ComplexBall:
    """exp(rho^2 / 2) times the derivative in rho of exp(-rho^2 / 2) F(rho^2 s^2 / 4)."""
    value = _kernel(rho, s, half)
    if derivative == 0:
        return value
    if half == _LINE:
        odd = s * (rho * s).sinh()
        return odd - rho * value if derivative == 1 else (rho * rho - 1 + s * s) * value - 2 * rho * odd
    z = (rho * s / 2) ** 2
    first = z.hypgeom_0f1(half + 1) / half
    slope = rho * s * s / 2
    if derivative == 1:
        return first * slope - rho * value
    second = z.hypgeom_0f1(half + 2) / (half * (half + 1))
    return (rho * rho - 1) * value + first * (s * s / 2 - 2 * rho * slope) + second * slope * slope


@dataclass(frozen=True)
class LargestDivergence:
    """A proven bound on K over the whole ball, and the number of cells that it took."""

    upper: Real
    cells: int


def largest_divergence(spheres: Spheres, bits: int = 80) -> LargestDivergence:
    """Return a bound on K over all radii up to the largest, which bounds the capacity of the ball.

    For R <= 1 the function K is convex and even, so its largest value is at R and nothing else is computed. Otherwise
    [0, R] is covered by cells: around each inner sphere K is concave; next to R it rises; elsewhere Taylor's formula at
    the middle of a cell, with the two bounds on derivatives, keeps it below what the spheres attain. Cells are halved
    until it does. Cost: three integrals a cell.

    Raises:
        Undecided: if the spheres are not nearly the best ones, so that no such cover exists.
    """
    if spheres.radius <= 1:
        return LargestDivergence(spheres.divergence(Rational(1)), 0)
    from epstar.gaussian.cover import cover

    return cover(spheres, bits)


def largest_of(reals: Sequence[Real]) -> Real:
    """Return an enclosure of the largest of some numbers."""

    def enclose(bits: int) -> Ball:
        result = reals[0].enclose(bits)
        for real in reals[1:]:
            result = result.max(real.enclose(bits))
        return result

    return remembered(enclose)
