"""What is averaged over the output: the logarithm of its density, or a power of it, with bounds for complex distances.

With p(s) = r(s) exp(-s^2 / 2) the density of the output up to a constant, `Logarithm` is log r and `Power` is
(p e^C)^(b - 1) for a number b = 1 / order and a level C that keeps the values near 1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from epstar.exact import Ball, ComplexBall, Rational
from epstar.gaussian.kernel import kernel

# Tails need few digits.
_TAIL_BITS = 64


@dataclass(frozen=True)
class Arc:
    """The places within `reach` of one, on which |r| lies between two numbers and |arg r| is at most an angle."""

    place: ComplexBall
    reach: Ball
    least: Ball
    largest: Ball
    angle: Ball


class Averaged(Protocol):
    """A function f of the distance of the output from the centre."""

    @property
    def spread(self) -> float:
        """How many times wider than the noise f times its density is."""

    def value(self, s: Ball, ratio: Ball, /) -> Ball:
        """Return f at a place, given r there."""

    def bound(self, arc: Arc) -> Ball:
        """Return a bound on |f| on an arc."""

    def tail(self, far: Ball) -> Ball:
        """Return a bound on the mean of |f| over the outputs beyond `far`, for all radii of the input up to R."""

    def growth(self, across: Ball, up: Ball) -> Ball:
        """Return a bound on the mean of f at complex radii whose parts are at most these, the first at least R."""


@dataclass(frozen=True)
class Logarithm:
    """f = log r, which is at most R^2 / 2 + R s in size."""

    dimension: int
    radius: Ball
    spread: float = 1.0

    def value(self, _s: Ball, ratio: Ball, /) -> Ball:
        """Return log r."""
        return ratio.log()

    def bound(self, arc: Arc) -> Ball:
        """Return the largest modulus of a logarithm of r."""
        logs = abs(arc.least.log()).max(abs(arc.largest.log()))
        return (logs * logs + arc.angle**2).sqrt()

    def tail(self, far: Ball) -> Ball:
        """Return a bound from s <= R + |N| with |N| >= far - R."""
        edge, half = (far - self.radius) ** 2 / 2, Ball(self.dimension) / 2
        gamma = half.gamma()
        mass = edge.gamma_upper(half) / gamma
        mean = Ball(2).sqrt() * edge.gamma_upper(half + Ball(1) / 2) / gamma
        return self.radius * self.radius * mass * 3 / 2 + self.radius * mean

    def growth(self, across: Ball, up: Ball) -> Ball:
        """Return exp(b^2 / 2) times a bound on the mean of R^2 / 2 + R s at the radius a."""
        mean = self.radius * self.radius / 2 + self.radius * (across * across + self.dimension).sqrt()
        return (up * up / 2).exp() * mean


@dataclass(frozen=True)
class Power:
    """f = (p e^C)^(b - 1) for the law of an input on spheres, of which p is at least the part that one of them gives:
    p(s) >= v exp(-(s^2 + rho^2) / 2) F(rho s) for a weight v and a radius rho, which bounds f where b < 1.

    `radii` increase, and `weights` belong to them.
    """

    dimension: int
    inverse_order: Rational
    radii: tuple[Ball, ...]
    weights: tuple[Ball, ...]
    level: Ball

    @property
    def spread(self) -> float:
        """p^b is wider than p by 1 / sqrt(b)."""
        return max(1.0, 1 / math.sqrt(float(Ball(self.inverse_order))))

    @property
    def _power(self) -> Rational:
        return self.inverse_order - 1

    def value(self, s: Ball, ratio: Ball, /) -> Ball:
        """Return the power of the density."""
        return ((ratio.log() - s * s / 2 + self.level) * self._power).exp()

    def bound(self, arc: Arc) -> Ball:
        """Return a bound from the size of r and of exp(-s^2 / 2), whose logarithm is (y^2 - x^2) / 2."""
        x, y, zero = abs(arc.place.real), abs(arc.place.imag), Ball(0)
        if self._power < 0:
            inner = (y - arc.reach).max(zero)
            log = arc.least.log() - ((x + arc.reach) ** 2 - inner * inner) / 2
        else:
            inner = (x - arc.reach).max(zero)
            log = arc.largest.log() + ((y + arc.reach) ** 2 - inner * inner) / 2
        return ((log + self.level) * self._power).exp()

    def tail(self, far: Ball) -> Ball:
        """Return a bound on the tails: a normal law's where b > 1, a wider one's where b < 1.

        log F is convex, so F(R s) >= F(R far) exp(k R (s - far)) with k = F' / F at R far. The integrand is then at
        most a constant times s^(d-1) exp(-b (s - m)^2 / 2) with m = R (1 - (1 - b) k) / b, for the radius R, which is
        the worst; and s <= far / (far - m) (s - m) beyond `far`.
        """
        half, b, radius = Ball(self.dimension) / 2, Ball(self.inverse_order), self.radii[-1]
        if self._power > 0:
            edge = (far - radius) ** 2 / 2
            return edge.gamma_upper(half) / half.gamma() * (self.level * self._power).exp()
        t = radius * far
        here = kernel(t, self.dimension, _TAIL_BITS)
        # F' is t / d times the same function two dimensions higher.
        slope = t * kernel(t, self.dimension + 2, _TAIL_BITS) / self.dimension / here
        middle = radius * (1 - (1 - b) * slope) / b
        if not far > middle:
            return Ball.pos_inf()
        # log of (v F(R far) exp(-R^2 / 2 - k R far) e^C)^(b - 1) exp(-R^2 / 2 + b m^2 / 2)
        lowest = self.weights[-1].log() + here.log() - radius * radius / 2 - slope * t + self.level
        log = lowest * self._power - radius * radius / 2 + b * middle * middle / 2
        wide = (b * (far - middle) ** 2 / 2).gamma_upper(half) / half.gamma() / b**half
        return log.exp() * (far / (far - middle)) ** (self.dimension - 1) * wide

    def growth(self, across: Ball, up: Ball) -> Ball:
        """Return exp(y^2 / 2) times a bound on the mean at the real part a of a radius.

        Where b < 1, take the next sphere below a, of radius rho. F(a s) <= F(rho s) exp((a - rho) s), F(rho s)^b is at
        most exp(b rho s), and the mean of exp(k |N|) is at most exp(k sqrt(d) + k^2 / 2), because |N| is a function of
        a normal vector with slopes up to 1; what remains is exp((1 - b) (a - rho)^2 / (2b) + k sqrt(d)) (v e^C)^(b - 1)
        b^(-d/2) with k = (a - rho + b rho) / sqrt(b). Below the innermost sphere F(a s) F(rho s)^(b - 1) <= exp(b a s).
        """
        b, root = Ball(self.inverse_order), Ball(self.dimension).sqrt()
        if self._power > 0:
            return (up * up / 2 + self.level * self._power).exp()
        innermost = self.radii[0]
        logs = [(1 - b) * innermost * innermost / 2 + b.sqrt() * innermost * root + self._lightness(0)]
        for place, (low, high) in enumerate(pairwise((*self.radii, across))):
            step = (high - low).max(Ball(0))
            rate = (step + b * low) / b.sqrt()
            logs.append((1 - b) * step * step / (2 * b) + rate * root + self._lightness(place))
        largest = logs[0]
        for log in logs[1:]:
            largest = largest.max(log)
        return (up * up / 2 + largest - b.log() * self.dimension / 2).exp()

    def _lightness(self, place: int) -> Ball:
        return (self.weights[place].log() + self.level) * self._power
