"""What a Gaussian mechanism loses under each notion, between proven bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from epstar.errors import InvalidInput, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.gaussian.closed import ball_leakage, power_bounds, power_is_bounded
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.mixture import Mixture
from epstar.gaussian.points import (
    capacity_of_points,
    maximal_information,
    min_entropy_leakage,
    pointwise_leakage,
    sibson_information,
)
from epstar.gaussian.quadrature import crossing, cumulative, remembered
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
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


@dataclass(frozen=True)
class GaussianLoss(Loss):
    """A loss of a Gaussian mechanism, with the reason where it is infinite."""

    reason: str = ""


def gaussian_loss(gaussian: Gaussian, notion: Notion, time_limit: float | None = None) -> GaussianLoss:
    """Return the loss of a Gaussian mechanism in nats, between two proven bounds.

    A notion that depends on the law of the input is measured for a discrete input at its law; for a peak or an average
    power it is the supremum over all laws that keep the bound. Where the loss is infinite, or a notion says nothing
    about continuous outputs, `reason` says why. A capacity of a ball is what can be proven within `time_limit` seconds.

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
    """The supremum over the laws that keep a peak or an average power.

    A law that is nearly all at one point makes the output that of this point, so that divergences of a point from the
    output come as near as one likes to those of two points. A law that is uniform on many points close together and on
    some that are far apart has the min-entropy leakage of all of them, whatever its power.
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
