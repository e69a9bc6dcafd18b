"""Gauss-Legendre quadrature of radial integrals with a proven error (spherically symmetric normal noise).

The kernel is F(t) = 0F1(; d/2; t^2 / 4), the mean of exp(t u) for u the first coordinate of a point of the unit sphere.

What is averaged over the output is the logarithm of its density or a power of it, bounded for complex distances.
With p(s) = r(s) exp(-s^2 / 2) the density of the output up to a constant, `Logarithm` is log r and `Power` is
(p e^C)^(b - 1) for a number b = 1 / order and a level C that keeps the values near 1.

One quadrature serves all radii, with an error that is proven once. The mean of f at the distance |rho e + N| is an
integral over s against the density

    p(s | rho) = c s^(d-1) exp(-(s^2 + rho^2) / 2) F(rho s),   c = 2^(1 - d/2) / Gamma(d/2),

and only this factor depends on rho. So f, which is log r or a power of the density, is computed once at the nodes of
panels of Gauss and Legendre, and the error on a panel is bounded for all radii at once from the size of the integrand
on an ellipse around it:

- f is analytic inside if the image of the ellipse under r does not wind around zero. The ellipse is cut into arcs;
  on an arc of reach u around s the values of r stay within u R r(|Re s| + u) of r(s), because r is a mean of
  exponentials with exponents up to R. Where such a disc contains zero the arc is halved, then the panel.
- |p(s | rho)| is at most exp(y^2 / 2) times the smaller of c |s|^(d-1) exp(-(|x| - R)_+^2 / 2) and
  (|s| / |x|)^(d-1) c ((d-1) / e)^((d-1)/2) at s = x + iy. The first is 1 <= F(t) <= e^t. The second says that no
  |rho e + N| has a density above the largest one of |N|: by Amos's inequality F'(t) / F(t) <= t / (k + sqrt(t^2 + k^2))
  with k = (d-1)/2, whose integral is explicit.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeVar

from epstar.errors import TimeLimit, Undecided
from epstar.exact import Ball, ComplexBall, Rational, working_precision

# In high dimensions the expansion that is used at low precision has no digits; several times the precision has.
_MORE_PRECISION = (4, 16, 64)

Place = TypeVar("Place", Ball, ComplexBall)


def kernel(t: Place, dimension: int, bits: int) -> Place:
    """Return F at a real or complex place, to about `bits` bits."""
    if dimension == 1:
        return t.cosh()
    square, half = t * t / 4, type(t)(dimension) / 2
    found = square.hypgeom_0f1(half)
    for times in _MORE_PRECISION:
        if found.rel_accuracy_bits() > bits // 2:
            break
        with working_precision(times * bits):
            found = square.hypgeom_0f1(half)
    return found


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
    """f = (p e^C)^(b - 1) for the distribution of an input on spheres, of which p is at least the part that one of them
    gives: p(s) >= v exp(-(s^2 + rho^2) / 2) F(rho s) for a weight v and a radius rho, which bounds f where b < 1.

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
        """Return a bound on the tails: a normal distribution's where b > 1, a wider one's where b < 1.

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


Ratio = Callable[[ComplexBall], ComplexBall]

# The sum of the half axes of an ellipse, in half widths of its panel.
_STRETCH = 3
_WIDEST = 1.0
_NARROWEST = 2.0**-16
# Integrands that may be larger than this power of two around a panel would need thousands of nodes on it.
_LARGEST_SIZE = 4096
# An arc that still meets zero after this many halvings is too near to a zero.
_MOST_HALVINGS = 5


@dataclass(frozen=True)
class _Node:
    """A place s, the part of its term that does not depend on rho, and the binary logarithm of that part."""

    place: Ball
    value: Ball
    size: float


class Radial:
    """The mean of f at |rho e + N| for every rho from 0 to R, with an error of about 2**-bits.

    Call it with the working precision that the result should have.

    Raises:
        Undecided: if r vanishes so near to the line that the panels would become too narrow, or f grows too fast.
        TimeLimit: if the deadline, in seconds of `time.monotonic`, passes.
    """

    def __init__(
        self,
        dimension: int,
        radius: Ball,
        ratio: Ratio,
        averaged: Averaged,
        bits: int,
        deadline: float = math.inf,
    ) -> None:
        self._dimension, self._radius, self._ratio, self._bits = dimension, radius, ratio, bits
        self._averaged, self._deadline = averaged, deadline
        self._half = Ball(dimension) / 2
        self._constant = Ball(2) / (Ball(2) ** self._half * self._half.gamma())
        self._log_peak = Ball(0) if dimension == 1 else (dimension - 1) * (Ball(dimension - 1).log() - 1) / 2
        noise = math.sqrt(dimension) + math.sqrt(2 * math.log(2) * (bits + 16)) + 3
        far = math.ceil(float(radius.upper()) + noise * averaged.spread)
        self._error = averaged.tail(Ball(far))
        self._nodes: list[_Node] = []
        waiting = [(k * 2 * _WIDEST, (k + 1) * 2 * _WIDEST) for k in range(math.ceil(far / (2 * _WIDEST)))]
        while waiting:
            low, high = waiting.pop()
            bound = self._largest_on_ellipse(low, high)
            if bound is not None:
                self._add_panel(low, high, bound)
            elif high - low < _NARROWEST:
                raise Undecided("The output density vanishes too near to the real line; a smaller radius is needed.")
            else:
                waiting += [(low, (low + high) / 2), ((low + high) / 2, high)]

    def mean(self, rho: Ball) -> Ball:
        """Return the mean of f at |rho e + N| for a radius in [0, R]."""
        self._watch()
        total, left_out, place = Ball(0), 0, float(rho.mid())
        for node in self._nodes:
            # F(rho s) <= exp(rho s), so a term is below 2**size exp(rho s - rho^2 / 2); a bit is spared for rounding.
            if node.size + (place * float(node.place.mid()) - place * place / 2) / math.log(2) < -self._bits - 14:
                left_out += 1
                continue
            total += node.value * kernel(rho * node.place, self._dimension, self._bits)
        missing = Ball(2) ** (-self._bits - 12) * left_out
        return total * (-rho * rho / 2).exp() + Ball(0, (self._error + missing).upper())

    def _watch(self) -> None:
        if time.monotonic() > self._deadline:
            raise TimeLimit("The time limit passed inside a certified integral; allow more time.")

    def _add_panel(self, low: float, high: float, bound: Ball) -> None:
        """Add the nodes of a panel, as many as keep its error below the precision asked for.

        The Chebyshev series of f has coefficients of at most 2 M / 3^k, and n nodes are exact up to degree 2n - 1.
        """
        middle, width = Ball((low + high) / 2), Ball((high - low) / 2)
        size = _log2(8 * width * bound)
        if not size < _LARGEST_SIZE:
            raise Undecided("The integrand grows too fast around a panel; a less extreme order is needed.")
        needed = self._bits + 8 + max(-30.0, size)
        count = max(2, math.ceil(needed / (2 * math.log2(_STRETCH))))
        self._error += 8 * width * bound * Ball(_STRETCH) ** (-2 * count) / (1 - Ball(1) / _STRETCH)
        for k in range(count):
            node, weight = Ball.legendre_p_root(count, k, weight=True)
            s = middle + width * node
            here = self._averaged.value(s, self._ratio(ComplexBall(s)).real)
            value = width * weight * self._constant * s ** (self._dimension - 1) * (-s * s / 2).exp() * here
            self._nodes.append(_Node(s, value, _log2(abs(value))))

    def _largest_on_ellipse(self, low: float, high: float) -> Ball | None:
        """A bound on the integrand on the ellipse around a panel, for all radii; None if f may be singular."""
        self._watch()
        middle, width = (low + high) / 2, (high - low) / 2
        major, minor = width * (_STRETCH + 1 / _STRETCH) / 2, width * (_STRETCH - 1 / _STRETCH) / 2
        count = max(4, math.ceil(math.pi * major * float(self._radius.upper()) / 0.6))
        arcs = [(k / count, (k + 1) / count, 0) for k in reversed(range(count))]
        turned, largest, before = Ball(0), Ball(0), ComplexBall(1)
        while arcs:
            start, end, halvings = arcs.pop()
            angle = math.pi * (start + end) / 2
            reach = Ball(major * math.pi * (end - start) / 2 * (1 + 1e-9))
            s = ComplexBall(middle + major * math.cos(angle), minor * math.sin(angle))
            here = self._ratio(s)
            across = abs(s.real) + reach
            spread = reach * self._radius * self._ratio(ComplexBall(across)).real
            size = abs(here)
            if not size > spread:
                if halvings == _MOST_HALVINGS:
                    return None
                arcs += [((start + end) / 2, end, halvings + 1), (start, (start + end) / 2, halvings + 1)]
                continue
            # Two neighbouring discs without zero: between their centres the argument changes by less than pi.
            turned += (here / before).arg()
            before = here
            arc = Arc(s, reach, size - spread, size + spread, abs(turned) + Ball.pi())
            largest = largest.max(self._averaged.bound(arc) * self._largest_density(s, reach))
        return largest if abs(turned) < Ball.pi() else None

    def _largest_density(self, s: ComplexBall, reach: Ball) -> Ball:
        """A bound on |p| within `reach` of a place, for all radii."""
        size, height = abs(s) + reach, abs(s.imag) + reach
        inner = abs(s.real) - reach
        power = self._dimension - 1
        beyond = (inner - self._radius).max(Ball(0))
        bound = size**power * (-beyond * beyond / 2).exp()
        if inner > 0:
            bound = bound.min((size / inner) ** power * self._log_peak.exp())
        return self._constant * (height * height / 2).exp() * bound


def _log2(value: Ball) -> float:
    """The binary logarithm of an upper bound, for numbers far outside the range of floats, too."""
    top = value.upper()
    return -math.inf if top.is_zero() else float(top.log().upper()) / math.log(2) + 1.0
