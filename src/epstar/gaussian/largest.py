"""The largest mean over a ball: a polynomial that is proven close to it, maximised by branch and bound.

The mean of f at |rho e + N| is an even entire function of rho. A bound M on it on the ellipse with foci -R and R and
half axes a = R cosh(tau), b = R sinh(tau) bounds the coefficients of its Chebyshev series, and with them the error of
the polynomial in x = 2 (rho / R)^2 - 1 that takes its values at N Chebyshev points: at most
4 M exp(-2 N tau) / (1 - exp(-2 tau)).
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Callable
from dataclasses import dataclass

from epstar.errors import TimeLimit
from epstar.exact import Ball, BallPolynomial, working_precision
from epstar.gaussian.quadrature import GUARD

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
