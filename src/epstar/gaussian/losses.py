"""What a Gaussian mechanism loses under each notion, between proven bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise

from epstar.errors import InvalidInput, Undecided
from epstar.exact import INFINITY, ZERO, Ball, Rational, Real, largest
from epstar.gaussian.ball import ball_leakage
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.quadrature import crossing, cumulative, remembered
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    Loss,
    MaximalLeakage,
    MinEntropyCapacity,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    Witness,
)


def gaussian_loss(gaussian: Gaussian, notion: Notion) -> Loss:
    """Return the loss of a Gaussian mechanism in nats, between two proven bounds.

    Approximate and Rényi differential privacy, capacity (peak or average power), maximal leakage (peak, or a discrete
    input), and for a discrete input mutual information, pointwise leakage and local information privacy. Mutual
    information of a peak or an average power is its supremum over all laws that keep it, the capacity.

    Raises:
        InvalidInput: for a notion that the bound on the inputs does not determine.

    >>> from epstar.notions import RenyiDifferentialPrivacy
    >>> str(gaussian_loss(Gaussian(2, sensitivity=1), RenyiDifferentialPrivacy(2)).upper)
    '1/4'
    """
    if isinstance(notion, DifferentialPrivacy):
        return _known(INFINITY)
    if isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "event":
        return _level_of_delta(gaussian.delta, notion.delta)
    if isinstance(notion, RenyiDifferentialPrivacy):
        return _renyi(gaussian, notion)
    if isinstance(notion, Capacity | MutualInformation) and gaussian.inputs is None:
        return _capacity(gaussian)
    if isinstance(notion, MaximalLeakage | MinEntropyCapacity) and gaussian.sensitivity is None:
        return _leakage(gaussian)
    if gaussian.inputs is not None:
        if isinstance(notion, MutualInformation):
            return _known(gaussian.mixture.information())
        if isinstance(notion, PointwiseLeakage):
            places = range(len(gaussian.inputs.points))
            return _known(largest(gaussian.mixture.divergence(place) for place in places))
        if isinstance(notion, LocalInformationPrivacy):
            return _level_of_delta(gaussian.local_delta, notion.delta)
    raise InvalidInput(
        f"The {notion.title} of this Gaussian mechanism is not determined by how its inputs are bounded; "
        "give a peak, an average power or a discrete input, or choose another notion."
    )


def _known(real: Real) -> Loss:
    return Loss.known(real, Witness())


def _renyi(gaussian: Gaussian, notion: RenyiDifferentialPrivacy) -> Loss:
    distance = gaussian.distance
    if isinstance(notion.order, float) or distance.is_infinite:
        return _known(INFINITY)
    return _known(distance * distance * notion.order / 2)


def _capacity(gaussian: Gaussian) -> Loss:
    if gaussian.average_power is not None:
        # ngo2024, Theorem 3: d/2 log(1 + Delta^2 / sigma^2), attained by a normal input.
        ratio = 1 + gaussian.average_power / gaussian.variance
        return _known(Real.log(ratio) * Rational(gaussian.dimension, 2))
    found = gaussian.capacity
    return Loss(float(found.lower), Witness(), found.lower, found.upper)


def _leakage(gaussian: Gaussian) -> Loss:
    if gaussian.average_power is not None:
        return _known(INFINITY)
    if gaussian.inputs is None:
        return _known(ball_leakage(gaussian.dimension, gaussian.radius))
    points = gaussian.inputs.points
    gaps = [high - low for low, high in pairwise(points)]

    def enclose(_bits: int) -> Ball:
        deviation = Ball(gaussian.variance).sqrt()
        # Each gap between neighbouring points adds the mass of a normal law within half a gap.
        return (1 + sum((1 - 2 * cumulative(-gap / (2 * deviation)) for gap in gaps), Ball(0))).log()

    return _known(remembered(enclose) if gaps else Real.of(ZERO))


def _level_of_delta(curve: Callable[[object], Real], delta: Rational) -> Loss:
    """The least level at which a decreasing curve is at most `delta`: found in floats, then proven from both sides."""
    if curve(ZERO) <= delta:
        return _known(Real.of(ZERO))
    if delta == 0:
        return _known(INFINITY)
    level = crossing(lambda x: math.log(max(float(curve(Real.of(x))), 1e-320)), math.log(float(Real.of(delta))))
    for bits in range(48, 20, -4):
        low, high = (level * (1 + sign * Rational(1, 1 << bits)) for sign in (-1, 1))
        if curve(high) <= delta and curve(low) > delta:
            return Loss(float(Real.of(high)), Witness(), Real.of(low), Real.of(high))
    raise Undecided("The level of this Gaussian mechanism could not be isolated; choose a less extreme delta.")
