"""Inputs on spheres in noise of variance one: the divergence of one input from the output, in certified integrals.

A law that is uniform on each of some spheres gives the output a density that depends on the distance s from the centre
alone. Relative to the noise it is r(s) = sum_k w_k exp(-rho_k^2 / 2) F(rho_k s) with F(t) = 0F1(; d/2; t^2 / 4), and
an input at distance rho has divergence

    K(rho) = rho^2 / 2 - E log r(|rho e + N|).

Both r and F are means of exponentials: F(t) is the mean of exp(t u) for u the first coordinate of a point of the unit
sphere. That is where every bound on them comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from epstar.exact import ONE, Ball, ComplexBall, Rational, Real
from epstar.gaussian.averaged import Logarithm
from epstar.gaussian.kernel import kernel
from epstar.gaussian.quadrature import INTEGRAL_BITS, remembered
from epstar.gaussian.radial import Radial


@dataclass(frozen=True)
class Spheres:
    """Spheres around zero in `dimension` dimensions: their radii as parts of the largest, and their weights."""

    dimension: int
    radius: Real
    parts: tuple[Rational, ...]
    weights: tuple[Rational, ...]

    @classmethod
    def one(cls, dimension: int, radius: Real) -> Spheres:
        """Return the sphere of this radius alone."""
        return cls(dimension, radius, (ONE,), (ONE,))

    def ratio(self, bits: int) -> Callable[[ComplexBall], ComplexBall]:
        """Return r, the density of the output relative to that of the noise, for complex distances."""
        spheres = [
            (weight * (-rho * rho / 2).exp(), rho) for rho, weight in zip(self.radii(bits), self.weights, strict=True)
        ]

        def value(s: ComplexBall) -> ComplexBall:
            total = ComplexBall(0)
            for weight, rho in spheres:
                total += weight * kernel(s * rho, self.dimension, bits)
            return total

        return value

    def radii(self, bits: int) -> tuple[Ball, ...]:
        """Return the radii in balls."""
        radius = self.radius.enclose(bits)
        return tuple(radius * part for part in self.parts)

    @cached_property
    def _radial(self) -> Callable[[int], Radial]:
        """The quadrature for log r, each precision being set up once; call it with the bits."""

        def radial(bits: int) -> Radial:
            radius = self.radius.enclose(bits)
            return Radial(self.dimension, radius, self.ratio(bits), Logarithm(self.dimension, radius), bits)

        return lru_cache(maxsize=4)(radial)

    def divergence(self, part: Rational) -> Real:
        """Return K at the radius that is this part of the largest one, in nats."""
        return remembered(lambda bits: self._mean_divergence([part], [ONE], bits), INTEGRAL_BITS)

    def information(self) -> Real:
        """Return the mutual information of this law of the input, in nats: the mean of K over the spheres."""
        return remembered(lambda bits: self._mean_divergence(self.parts, self.weights, bits), INTEGRAL_BITS)

    def _mean_divergence(self, parts: Sequence[Rational], weights: Sequence[Rational], bits: int) -> Ball:
        radius, radial = self.radius.enclose(bits), self._radial(bits)
        total = Ball(0)
        for part, weight in zip(parts, weights, strict=True):
            rho = radius * part
            total += weight * (rho * rho / 2 - radial.mean(rho))
        return total
