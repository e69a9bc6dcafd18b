"""The privacy loss of a Gaussian mechanism under each notion, between proven bounds.

First the notions that a known distribution on finitely many inputs determines, then the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from epstar.errors import InvalidInput, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, ComplexBall, Rational, Real, largest, rationalise, working_precision
from epstar.exact.vectors import nearest_floats
from epstar.gaussian.closed_forms import ball_leakage, power_bounds, power_is_bounded
from epstar.gaussian.discrete_inputs import DiscreteInput, Mixture
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.quadrature import GUARD, INTEGRAL_BITS, crossing, cumulative, integral, remembered
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    Loss,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
    Witness,
)
from epstar.notions.measure.least_favourable import Concave, best_weights

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
    """Return two bounds on the largest mutual information over all distributions on the same points.

    A distribution is found in floats; its information is the lower bound, its largest divergence the upper one.
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


@dataclass(frozen=True)
class GaussianLoss(Loss):
    """A loss of a Gaussian mechanism, with the reason where it is infinite.

    >>> from epstar import DifferentialPrivacy, Gaussian
    >>> from epstar.gaussian import gaussian_loss
    >>> found = gaussian_loss(Gaussian(2, peak=1), DifferentialPrivacy())
    >>> found.value, bool(found.reason)
    (inf, True)
    """

    reason: str = ""


def gaussian_loss(gaussian: Gaussian, notion: Notion, time_limit: float | None = None) -> GaussianLoss:
    """Return the loss of a Gaussian mechanism in nats, between two proven bounds.

    A notion that depends on the distribution of the input is measured for a discrete input at its distribution; for a
    peak or an average power it is the supremum over all distributions that keep the bound. Where the loss is infinite,
    or a notion says nothing about continuous outputs, `reason` says why. A capacity of a ball is what can be proven
    within `time_limit` seconds.

    Raises:
        InvalidInput: for anything but a Gaussian and a notion, or a time limit that is not positive.

    >>> str(gaussian_loss(Gaussian(2, sensitivity=1), RenyiDifferentialPrivacy(2)).upper)
    '1/4'
    >>> gaussian_loss(Gaussian(2, sensitivity=1), DifferentialPrivacy()).reason
    'far out the ratio of two normal densities exceeds every bound'
    """
    if not isinstance(gaussian, Gaussian) or not isinstance(notion, Notion):
        raise InvalidInput("A loss is that of a Gaussian mechanism under a notion; give a Gaussian and a Notion.")
    if gaussian.distance.rational == ZERO:
        return _known(Real.of(ZERO))  # one point: there is nothing to tell apart
    if isinstance(notion, DifferentialPrivacy):
        return _infinite("far out the ratio of two normal densities exceeds every bound")
    if isinstance(notion, ApproximateDifferentialPrivacy):
        if notion.reading == "pointwise":
            return replace(_known(Real.of(ZERO)), reason=_POINTWISE)
        return _level_of_delta(gaussian.delta, notion.delta)
    if isinstance(notion, RenyiDifferentialPrivacy):
        return _renyi(gaussian, notion)
    if isinstance(notion, ConcentratedDifferentialPrivacy):
        # Of order one the divergence is what every other is in proportion to its order.
        return _renyi(gaussian, RenyiDifferentialPrivacy(1))
    if isinstance(notion, GaussianDifferentialPrivacy):
        return _infinite(_FAR) if gaussian.distance.is_infinite else _known(gaussian.distance)
    if isinstance(notion, Identifiability):
        return _infinite("far outputs make one point as improbable as one likes next to another")
    if gaussian.sensitivity is not None:
        return _infinite(_CHAIN)
    if isinstance(notion, MaximalLeakage | MinEntropyCapacity):
        return _leakage(gaussian)
    if gaussian.inputs is not None:
        return _of_points(gaussian.mixture, gaussian, notion)
    return _over_all_laws(gaussian, notion, time_limit)


_POINTWISE = "a single output has probability 0 under normal noise, so this reading compares nothing"
_CHAIN = (
    "a sensitivity bounds the distance of neighbours alone, and a chain of neighbours reaches as far as one likes; "
    "bound the peak"
)
_FAR = "a bound on the average power lets rare inputs be as far apart as one likes"


def _known(real: Real) -> GaussianLoss:
    return _between(real, real)


def _between(lower: Real, upper: Real) -> GaussianLoss:
    # A float needs few bits, and a certified integral costs more the more it is asked for.
    value = float(upper) if upper.rational is not None else float(upper.ball(64).mid())
    return GaussianLoss(value, Witness(), lower, upper)


def _infinite(reason: str) -> GaussianLoss:
    return GaussianLoss(math.inf, Witness(), INFINITY, INFINITY, reason)


def _of_points(mixture: Mixture, gaussian: Gaussian, notion: Notion) -> GaussianLoss:
    match notion:
        case SibsonMutualInformation(order=float()):
            return _leakage(gaussian)
        case SibsonMutualInformation(order=Rational() as order) if order != 1:
            return _known(sibson_information(mixture, order))
        case MutualInformation() | SibsonMutualInformation():
            return _known(mixture.information())
        case Capacity():
            return _between(*capacity_of_points(mixture))
        case PointwiseLeakage():
            return _known(pointwise_leakage(mixture))
        case MinEntropyLeakage():
            return _known(min_entropy_leakage(mixture))
        case MaximalInformation():
            return _known(maximal_information(mixture))
        case LocalInformationPrivacy(delta=delta):
            return _level_of_delta(gaussian.local_delta, delta)
    raise _unknown(notion)


def _over_all_laws(gaussian: Gaussian, notion: Notion, time_limit: float | None) -> GaussianLoss:
    """The supremum over the distributions that keep a peak or an average power.

    A distribution that is nearly all at one point makes the output that of this point, so that divergences of a point
    from the output come as near as one likes to those of two points. A distribution that is uniform on many points
    close together and on some that are far apart has the min-entropy leakage of all of them, whatever its power.
    """
    match notion:
        case MaximalInformation():
            return _infinite("a far output nearly proves an input, however small its prior probability")
        case LocalInformationPrivacy(delta=delta):
            return _level_of_delta(gaussian.delta, delta)
        case PointwiseLeakage():
            return _renyi(gaussian, RenyiDifferentialPrivacy(1))
        case MinEntropyLeakage() | SibsonMutualInformation(order=float()):
            return _leakage(gaussian)
        case Capacity() | MutualInformation():
            return _sibson_capacity(gaussian, ONE, time_limit)
        case SibsonMutualInformation(order=Rational() as order):
            return _sibson_capacity(gaussian, order, time_limit)
    raise _unknown(notion)


def _unknown(notion: Notion) -> InvalidInput:
    return InvalidInput(f"The {notion.title} of normal noise has no definition here; choose another notion.")


def _renyi(gaussian: Gaussian, notion: RenyiDifferentialPrivacy) -> GaussianLoss:
    square = gaussian.squared_distance
    if isinstance(notion.order, float):
        return _infinite("far out the ratio of two normal densities exceeds every bound")
    if square is None:
        return _infinite(_FAR)
    return _known(Real.of(square * notion.order / 2))


def _sibson_capacity(gaussian: Gaussian, order: Rational, time_limit: float | None) -> GaussianLoss:
    """The supremum of Sibson's information; order 1 is the capacity."""
    if gaussian.average_power is None:
        found = gaussian.capacity_of_order(order, time_limit)
        return _between(found.lower, found.upper)
    if not power_is_bounded(gaussian.dimension, order):
        return _infinite(f"{_FAR}, which counts from order 1 + 2/dimension on")
    return _between(*power_bounds(gaussian.dimension, gaussian.average_power / gaussian.variance, order))


def _leakage(gaussian: Gaussian) -> GaussianLoss:
    if gaussian.average_power is not None:
        return _infinite(_FAR)
    if gaussian.inputs is None:
        return _known(ball_leakage(gaussian.dimension, gaussian.radius))
    gaps = [high - low for low, high in pairwise(gaussian.inputs.points)]

    def enclose(_bits: int) -> Ball:
        deviation = Ball(gaussian.variance).sqrt()
        # Each gap between neighbouring points adds the mass of a normal law within half a gap.
        return (1 + sum((1 - 2 * cumulative(-gap / (2 * deviation)) for gap in gaps), Ball(0))).log()

    return _known(remembered(enclose))


def _level_of_delta(curve: Callable[[object], Real], delta: Rational) -> GaussianLoss:
    """The least level at which a decreasing curve is at most `delta`: found in floats, then proven from both sides."""
    if delta >= ONE or curve(ZERO) <= delta:
        return _known(Real.of(ZERO))
    if delta == 0:
        return _infinite("far out the ratio of two densities exceeds every bound, so delta = 0 is never reached")
    if curve(Rational(1 << 20)).rational == ONE:
        return _infinite(_FAR)
    level = crossing(lambda x: math.log(max(float(curve(Real.of(x))), 1e-320)), math.log(float(Real.of(delta))))
    for bits in range(48, 20, -4):
        low, high = (level * (1 + sign * Rational(1, 1 << bits)) for sign in (-1, 1))
        if curve(high) <= delta and curve(low) > delta:
            return GaussianLoss(float(Real.of(high)), Witness(), Real.of(low), Real.of(high))
    raise Undecided("The level of this Gaussian mechanism could not be isolated; choose a less extreme delta.")
