"""Two proven bounds on the capacity over a ball, or on Sibson's capacity of any order, from one law on spheres.

The lower bound is the information of the law. The upper one is the largest Rényi divergence, over all inputs of the
ball, from the law of the output that belongs to it: no law of the input has more information than that, whatever the
law of the output, and for the best law the two are the same. Source: zhong2022, Lemma 20(6), for the definition; the
bound is the easy half of the minimax theorem for the order.

In noise of variance 1 the power W^order of a density is, up to a constant, one of noise of variance 1 / order. So the
spheres are scaled by sqrt(order); then with b = 1 / order, p the density of the output, and A(rho) the mean of
p^(b - 1) at |rho e + N|, the information is log(E A) / (1 - b) and the divergence is log(E A) + b log(A) / (1 - b),
both up to constants.
"""

from __future__ import annotations

import math

from epstar.exact import ONE, Ball, Rational, Real, working_precision
from epstar.gaussian.averaged import Averaged, Logarithm, Power
from epstar.gaussian.largest import largest_over_ball
from epstar.gaussian.quadrature import GUARD
from epstar.gaussian.radial import Radial
from epstar.gaussian.spheres import Spheres


class SphereBounds:
    """The bounds that a law on spheres proves; `level` is about the information, and only has to be near it.

    Raises:
        TimeLimit: here or in a method, if the deadline, in seconds of `time.monotonic`, passes.
    """

    def __init__(
        self,
        spheres: Spheres,
        order: Rational = ONE,
        level: float = 0.0,
        bits: int = 64,
        deadline: float = math.inf,
    ) -> None:
        self._order, self._near, self._deadline = order, Ball(level), deadline
        # Near order 1 the logarithms are small and are divided by a small number.
        power = abs(float(Real.of(1 - 1 / order)))
        self._bits = bits if order == 1 else bits + max(0, math.ceil(-math.log2(power)))
        root = Real.from_ball(lambda _bits: Ball(order).sqrt())
        radius = spheres.radius if order == 1 else spheres.radius * root
        self._spheres = Spheres(spheres.dimension, radius, spheres.parts, spheres.weights)
        with working_precision(self._bits + GUARD):
            self._radius = radius.enclose(self._bits)
            self._averaged: Averaged = Logarithm(spheres.dimension, self._radius) if order == 1 else self._power()
            ratio = self._spheres.ratio(self._bits)
            self._radial = Radial(spheres.dimension, self._radius, ratio, self._averaged, self._bits, deadline)

    def _power(self) -> Power:
        spheres, order = self._spheres, self._order
        # With this constant a single point has level 0.
        constant = Ball(order).log() * spheres.dimension / (2 * (1 - 1 / order))
        weights = tuple(Ball(weight) for weight in spheres.weights)
        return Power(spheres.dimension, 1 / order, spheres.radii(self._bits), weights, constant + self._near)

    def lower(self) -> Ball:
        """Return the information of the law, which no capacity is below."""
        with working_precision(self._bits + GUARD):
            pairs = zip(self._spheres.radii(self._bits), self._spheres.weights, strict=True)
            total = sum((weight * self._value(rho) for rho, weight in pairs), Ball(0))
            return total if self._order == 1 else self._level(total)

    def upper(self, lower: Ball) -> tuple[Ball, int]:
        """Return the largest divergence over the ball, given `lower()`, and the number of radii it was computed at."""
        order = self._order
        # For orders below 1 the largest divergence is where the mean of the power is smallest.
        sign = -1 if order < 1 else 1
        found = largest_over_ball(
            lambda rho: sign * self._value(rho), self._averaged.growth, self._radius, self._bits, self._deadline
        )
        with working_precision(self._bits + GUARD):
            if order == 1:
                return found.upper, found.radii
            return (lower * (1 - 1 / order) + self._level(sign * found.upper) / order).upper(), found.radii

    def _value(self, rho: Ball) -> Ball:
        """The divergence of an input at this radius, or the mean of the power there."""
        return rho * rho / 2 - self._radial.mean(rho) if self._order == 1 else self._radial.mean(rho)

    def _level(self, mean: Ball) -> Ball:
        """log(A) / (1 - b) with the constant by which a single point has level 0."""
        return mean.log() / (1 - 1 / self._order) + self._near
