"""What normal noise on finitely many points loses under the notions that a known law of the input determines."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np

from epstar.exact import ZERO, Ball, ComplexBall, Rational, Real, largest, rationalise, working_precision
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.mixture import Mixture
from epstar.gaussian.quadrature import GUARD, INTEGRAL_BITS, cumulative, integral, remembered
from epstar.notions.concave import Concave, best_weights
from epstar.reading import nearest_floats

_WEIGHT_BITS = 60


def sibson_information(mixture: Mixture, order: Rational) -> Real:
    """Return Sibson's mutual information of an order other than 1, in nats: the logarithm of a certified integral.

    The integrand (sum_x p(x) phi_x(y)^order)^(1/order) is a mean of the densities, so at most that of the nearest
    point, which bounds the tails.
    """
    inputs, variance = mixture.inputs, mixture.variance
    if len(inputs.points) == 1:
        return Real.of(ZERO)

    # Near order 1 the logarithm is small and is divided by a small number.
    lost = max(0, -math.floor(math.log2(abs(float(Real.of(order - 1))))))

    def enclose(asked: int) -> Ball:
        bits = asked + lost
        with working_precision(bits + GUARD):
            return within(bits)

    def within(bits: int) -> Ball:
        deviation = Ball(variance).sqrt()
        span = Ball(math.ceil(math.sqrt(2 * math.log(2) * (bits + 16))) + 2)
        middle = (inputs.points[0] + inputs.points[-1]) / 2

        def integrand(y: ComplexBall, analytic: bool) -> ComplexBall:
            # Densities relative to the one at the middle, so that no power grows large there.
            total = ComplexBall(0)
            for x, p in zip(inputs.points, inputs.probabilities, strict=True):
                total += p * ((y - (x + middle) / 2) * ((x - middle) * order / variance)).exp()
            noise = -(y - middle) * (y - middle) / (2 * variance)
            return (noise + total.log(analytic=analytic) / order).exp() / ((2 * Ball.pi()).sqrt() * deviation)

        low, high = Ball(inputs.points[0]) - span * deviation, Ball(inputs.points[-1]) + span * deviation
        tails = Ball(0, (2 * cumulative(-span)).upper())
        return (integral(integrand, low, high, bits) + tails).log() * order / (order - 1)

    return remembered(enclose, INTEGRAL_BITS)


def min_entropy_leakage(mixture: Mixture) -> Real:
    """Return the min-entropy leakage in nats: how much the output helps to guess the point in one try.

    The weighted densities p(x) phi_x(y) are exponentials of lines over one normal density, so the best guess changes at
    the corners of an upper hull of lines, and the chance of guessing is a sum of normal probabilities.
    """
    points, law, variance = mixture.inputs.points, mixture.inputs.probabilities, mixture.variance

    def corner(i: int, j: int) -> Real:
        place = Real.log(law[i] / law[j]) * (variance / (points[j] - points[i]))
        return place + (points[i] + points[j]) / 2

    hull: list[int] = []
    for k in range(len(points)):
        # Two corners never coincide: a rational is no logarithm of an algebraic number.
        while len(hull) > 1 and corner(hull[-2], hull[-1]) > corner(hull[-1], k):
            hull.pop()
        hull.append(k)
    if len(hull) == 1:
        return Real.of(ZERO)
    corners = [corner(i, j) for i, j in pairwise(hull)]
    top = max(law)

    def enclose(bits: int) -> Ball:
        deviation = Ball(variance).sqrt()
        ends = [place.enclose(bits) for place in corners]
        total = Ball(0)
        for position, k in enumerate(hull):
            inside = Ball(1)
            if position > 0:
                inside -= cumulative((ends[position - 1] - points[k]) / deviation)
            if position < len(ends):
                inside -= cumulative((points[k] - ends[position]) / deviation)
            total += law[k] / top * inside
        return total.log()

    return remembered(enclose)


def maximal_information(mixture: Mixture) -> Real:
    """Return the maximal information in nats: the largest log phi_x / p, a certified minimum of a convex function.

    At the two outermost points it is log 1/p(x), which far outputs approach however large the noise is.
    """
    if len(mixture.inputs.points) == 1:
        return Real.of(ZERO)
    outer = [Real.log(1 / mixture.inputs.probabilities[end]) for end in (0, -1)]
    inner = [mixture.largest_ratio(place) for place in range(1, len(mixture.inputs.points) - 1)]
    return largest([*outer, *inner])


def pointwise_leakage(mixture: Mixture) -> Real:
    """Return the largest divergence of the output given a point from the output, in nats."""
    return largest(mixture.divergence(place) for place in range(len(mixture.inputs.points)))


def capacity_of_points(mixture: Mixture) -> tuple[Real, Real]:
    """Return two bounds on the largest mutual information over all laws on the same points.

    A law is found in floats; its information is the lower bound, its largest divergence the upper one.
    """
    points = mixture.inputs.points
    if len(points) == 1:
        return Real.of(ZERO), Real.of(ZERO)
    places, deviation = nearest_floats(points), math.sqrt(float(Real.of(mixture.variance)))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    low, high = places[0] - 12 * deviation, places[-1] + 12 * deviation
    panels = min(4096, max(8, math.ceil((high - low) / deviation)))
    width = (high - low) / panels
    grid = (low + width * (np.arange(panels)[:, None] + (nodes + 1) / 2)).ravel()
    steps = np.tile(weights * width / 2, panels)
    logs = -((grid - places[:, None]) ** 2) / (2 * deviation**2) - math.log(deviation * math.sqrt(2 * math.pi))
    masses = np.exp(logs) * steps
    entropies = np.einsum("xs,xs->x", masses, logs + np.log(steps))
    reached = masses[:, masses.max(axis=0) > 1e-100]
    found = best_weights(Concave(reached, entropies, lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u))
    tickets = rationalise([np.maximum(found, 1e-15).tolist()], _WEIGHT_BITS)[0]
    best = Mixture(DiscreteInput(points, [Rational(t, 1 << _WEIGHT_BITS) for t in tickets]), mixture.variance)
    return best.information(), pointwise_leakage(best)
