"""Two proven bounds on the capacity, or Sibson's capacity, of normal noise over inputs in a ball (weak duality).

The largest mean over a ball is that of a polynomial that is proven close to it, maximised by branch and bound. The mean
of f at |rho e + N| is an even entire function of rho. A bound M on it on the ellipse with foci -R and R and half axes a
= R cosh(tau), b = R sinh(tau) bounds the coefficients of its Chebyshev series, and with them the error of the
polynomial in x = 2 (rho / R)^2 - 1 that takes its values at N Chebyshev points: at most 4 M exp(-2 N tau) / (1 - exp(-2
tau)).

The divergence of one input from the output is a certified integral, for inputs on spheres in noise of variance one. A
distribution that is uniform on each of some spheres gives the output a density that depends on the distance s from the
centre alone. Relative to the noise it is r(s) = sum_k w_k exp(-rho_k^2 / 2) F(rho_k s) with F(t) = 0F1(; d/2; t^2 / 4),
and an input at distance rho has divergence

    K(rho) = rho^2 / 2 - E log r(|rho e + N|).

Both r and F are means of exponentials: F(t) is the mean of exp(t u) for u the first coordinate of a point of the unit
sphere. That is where every bound on them comes from.

One distribution on spheres gives both bounds. The lower bound is the information of the distribution. The upper one is
the largest Rényi divergence, over all inputs of the ball, from the distribution of the output that belongs to it: no
distribution of the input has more information than that, whatever the distribution of the output, and for the best
distribution the two are the same. Source: zhong2022, Lemma 20(6), for the definition; the bound is the easy half of the
minimax theorem for the order.

In noise of variance 1 the power W^order of a density is, up to a constant, one of noise of variance 1 / order. So the
spheres are scaled by sqrt(order); then with b = 1 / order, p the density of the output, and A(rho) the mean of
p^(b - 1) at |rho e + N|, the information is log(E A) / (1 - b) and the divergence is log(E A) + b log(A) / (1 - b),
both up to constants.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from epstar.errors import TimeLimit
from epstar.exact import ONE, Ball, BallPolynomial, ComplexBall, Rational, Real, working_precision
from epstar.gaussian.quadrature import GUARD, INTEGRAL_BITS, remembered
from epstar.gaussian.radial_quadrature import Averaged, Logarithm, Power, Radial, kernel

_MOST_CELLS = 20_000
# How many sizes of the ellipse are tried.
_ELLIPSES = 8


@dataclass(frozen=True)
class Largest:
    """A proven bound on a function over the whole ball, the number of radii at which it was computed, and of cells."""

    upper: Ball
    radii: int
    cells: int


def largest_over_ball(
    function: Callable[[Ball], Ball], growth: Callable[[Ball, Ball], Ball], radius: Ball, bits: int, deadline: float
) -> Largest:
    """Return a bound on an even entire function over all radii up to the largest, with an error of about 2**-bits.

    `growth(a, b)` bounds it, up to a polynomial of degree 2, where the real part is at most a and the imaginary one b.
    Cost: one value for each of about 8 R radii.

    Raises:
        TimeLimit: if the deadline, in seconds of `time.monotonic`, passes.
    """
    with working_precision(bits + GUARD):
        count, error = _interpolation(growth, radius, bits)
        angles = [Ball(2 * j + 1) / (2 * count) for j in range(count)]
        # x = cos(pi angle), and (1 + x) / 2 is the square of the cosine of half the angle.
        series = _series([function(radius * (angle / 2).cos_pi()) for angle in angles], angles)
        error += sum((c.rad() for c in series), Ball(0))
    with working_precision(bits + GUARD + 2 * count):
        polynomial = _in_powers([c.mid() for c in series])
        top, cells = _maximum(polynomial, Ball(2) ** (-bits - 4), deadline)
    with working_precision(bits + GUARD):
        return Largest((top + error).upper(), count, cells)


def _interpolation(growth: Callable[[Ball, Ball], Ball], radius: Ball, bits: int) -> tuple[int, Ball]:
    """How many radii to use, and the error of the polynomial through them."""
    size = float(radius.upper())
    count = 8
    while True:
        # Where the derivative in tau of (R sinh(tau))^2 / 2 - 2 N tau vanishes, or less where it grows faster.
        widest = math.asinh(4 * count / (size * size)) / 2
        errors = []
        for halvings in range(_ELLIPSES):
            tau = Ball(widest * 2 ** (-halvings / 2))
            largest = growth(radius * tau.cosh(), radius * tau.sinh())
            errors.append(4 * largest * (-2 * count * tau).exp() / (1 - (-2 * tau).exp()))
        error = min(errors, key=lambda found: float(found.upper().log()))
        if error < Ball(2) ** -bits:
            return count, error
        count += 1 + count // 16


def _series(values: list[Ball], angles: list[Ball]) -> list[Ball]:
    """The Chebyshev coefficients of the polynomial with given values at cos(pi angle)."""
    count = len(values)
    series = []
    for k in range(count):
        terms = (value * (k * angle).cos_pi() for value, angle in zip(values, angles, strict=True))
        series.append(sum(terms, Ball(0)) * (1 if k == 0 else 2) / count)
    return series


def _in_powers(series: list[Ball]) -> BallPolynomial:
    """The same polynomial in powers of x."""
    x = BallPolynomial([0, 1])
    before, now = BallPolynomial([1]), x
    total = series[0] * before
    for coefficient in series[1:]:
        total += coefficient * now
        before, now = now, 2 * x * now - before
    return total


def _maximum(polynomial: BallPolynomial, tolerance: Ball, deadline: float) -> tuple[Ball, int]:
    """A bound on a polynomial on [-1, 1], and the number of cells: the cell with the largest bound is halved."""
    best = polynomial(Ball(1)).max(polynomial(Ball(-1)))
    waiting = [(-math.inf, 0, Ball(0), Ball(1))]
    cells = 0
    bounds: dict[int, Ball] = {}
    while True:
        if time.monotonic() > deadline:
            raise TimeLimit("The time limit passed while a polynomial was maximised; allow more time.")
        _, name, middle, width = heapq.heappop(waiting)
        if cells and (bounds[name] <= best + tolerance or cells > _MOST_CELLS):
            return bounds[name].max(best), cells
        for part in (middle - width / 2, middle + width / 2):
            cells += 1
            local = polynomial(BallPolynomial([part, width / 2]))
            best = best.max(Ball(local[0].lower()))
            bounds[cells] = _above(local)
            heapq.heappush(waiting, (-float(bounds[cells].upper()), cells, part, width / 2))


def _above(local: BallPolynomial) -> Ball:
    """A bound on a polynomial on [-1, 1] from its coefficients: exact for the part of degree two."""
    first, second = abs(local[1]), local[2]
    rest = sum((abs(local[k]) for k in range(3, local.length())), Ball(0))
    # On u >= 0, b u + c u^2 is largest at its top where that lies inside, and at the end otherwise.
    if -2 * second > first:
        return local[0] + first * first / (-4 * second) + rest
    return local[0] + first + second.max(-first / 2) + rest


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
        """Return the mutual information of this distribution of the input, in nats: the mean of K over the spheres."""
        return remembered(lambda bits: self._mean_divergence(self.parts, self.weights, bits), INTEGRAL_BITS)

    def _mean_divergence(self, parts: Sequence[Rational], weights: Sequence[Rational], bits: int) -> Ball:
        radius, radial = self.radius.enclose(bits), self._radial(bits)
        total = Ball(0)
        for part, weight in zip(parts, weights, strict=True):
            rho = radius * part
            total += weight * (rho * rho / 2 - radial.mean(rho))
        return total


class SphereBounds:
    """The bounds that a distribution on spheres proves; `level` is about the information, and only has to be near it.

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
        """Return the information of the distribution, which no capacity is below."""
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
