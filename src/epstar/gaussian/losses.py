"""What a Gaussian mechanism loses under each notion, between proven bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from epstar.errors import InvalidInput, Undecided
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.gaussian.ball import ball_leakage
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


def gaussian_loss(gaussian: Gaussian, notion: Notion) -> GaussianLoss:
    """Return the loss of a Gaussian mechanism in nats, between two proven bounds.

    A notion that depends on the law of the input is measured for a discrete input at its law; for a peak or an average
    power it is the supremum over all laws that keep the bound. Where the loss is infinite, `reason` says why.

    Raises:
        InvalidInput: for a notion that the bound on the inputs does not determine.

    >>> str(gaussian_loss(Gaussian(2, sensitivity=1), RenyiDifferentialPrivacy(2)).upper)
    '1/4'
    >>> gaussian_loss(Gaussian(2, sensitivity=1), DifferentialPrivacy()).reason
    'far out the ratio of two normal densities exceeds every bound'
    """
    if gaussian.distance.rational == ZERO:
        return _known(Real.of(ZERO))  # one point: there is nothing to tell apart
    if isinstance(notion, DifferentialPrivacy):
        return _infinite("far out the ratio of two normal densities exceeds every bound")
    if isinstance(notion, ApproximateDifferentialPrivacy) and notion.reading == "event":
        return _level_of_delta(gaussian.delta, notion.delta)
    if isinstance(notion, RenyiDifferentialPrivacy):
        return _renyi(gaussian, notion)
    if isinstance(notion, Capacity | MutualInformation) and gaussian.inputs is None and gaussian.sensitivity is None:
        return _capacity(gaussian)
    if isinstance(notion, MaximalLeakage | MinEntropyCapacity) and gaussian.sensitivity is None:
        return _leakage(gaussian)
    if isinstance(notion, Identifiability) and gaussian.sensitivity is None:
        return _infinite("far outputs make one point as improbable as one likes next to another")
    found = None
    if gaussian.inputs is not None:
        found = _of_points(gaussian.mixture, gaussian, notion)
    elif gaussian.sensitivity is None:
        found = _over_all_laws(gaussian, notion)
    if found is None:
        raise InvalidInput(
            f"The {notion.title} of this Gaussian mechanism is not determined by how its inputs are bounded; "
            "give a peak, an average power or a discrete input, or choose another notion."
        )
    return found


def _known(real: Real) -> GaussianLoss:
    return _between(real, real)


def _between(lower: Real, upper: Real) -> GaussianLoss:
    # A float needs few bits, and a certified integral costs more the more it is asked for.
    value = float(lower) if lower.rational is not None else float(lower.ball(64).mid())
    return GaussianLoss(value, Witness(), lower, upper)


def _infinite(reason: str) -> GaussianLoss:
    return GaussianLoss(math.inf, Witness(), INFINITY, INFINITY, reason)


def _of_points(mixture: Mixture, gaussian: Gaussian, notion: Notion) -> GaussianLoss | None:
    if isinstance(notion, SibsonMutualInformation):
        if isinstance(notion.order, float):
            return _leakage(gaussian)
        if notion.order > 1:
            return _known(sibson_information(mixture, notion.order))
    if isinstance(notion, MutualInformation | SibsonMutualInformation):
        return _known(mixture.information())
    if isinstance(notion, Capacity):
        return _between(*capacity_of_points(mixture))
    if isinstance(notion, PointwiseLeakage):
        return _known(pointwise_leakage(mixture))
    if isinstance(notion, MinEntropyLeakage):
        return _known(min_entropy_leakage(mixture))
    if isinstance(notion, MaximalInformation):
        return _known(maximal_information(mixture))
    if isinstance(notion, LocalInformationPrivacy):
        return _level_of_delta(gaussian.local_delta, notion.delta)
    return None


def _over_all_laws(gaussian: Gaussian, notion: Notion) -> GaussianLoss | None:
    """The supremum over the laws that keep a peak or an average power.

    A law that is nearly all at one point makes the output that of this point, so that divergences of a point from the
    output come as near as one likes to those of two points.
    """
    if isinstance(notion, MaximalInformation):
        return _infinite("a far output nearly proves an input, however small its prior probability")
    if isinstance(notion, LocalInformationPrivacy):
        return _level_of_delta(gaussian.delta, notion.delta)
    if isinstance(notion, PointwiseLeakage):
        return _renyi(gaussian, RenyiDifferentialPrivacy(1))
    if isinstance(notion, MinEntropyLeakage) and gaussian.peak is not None:
        return _leakage(gaussian)
    if isinstance(notion, SibsonMutualInformation):
        if isinstance(notion.order, float):
            return _leakage(gaussian)
        if notion.order == 1:
            return _capacity(gaussian)
    return None


def _renyi(gaussian: Gaussian, notion: RenyiDifferentialPrivacy) -> GaussianLoss:
    square = gaussian.squared_distance
    if isinstance(notion.order, float):
        return _infinite("far out the ratio of two normal densities exceeds every bound")
    if square is None:
        return _infinite("a bound on the average power lets two inputs be as far apart as one likes")
    return _known(Real.of(square * notion.order / 2))


def _capacity(gaussian: Gaussian) -> GaussianLoss:
    if gaussian.average_power is not None:
        # ngo2024, Theorem 3: d/2 log(1 + Delta^2 / sigma^2), attained by a normal input.
        ratio = 1 + gaussian.average_power / gaussian.variance
        return _known(Real.log(ratio) * Rational(gaussian.dimension, 2))
    found = gaussian.capacity
    return _between(found.lower, found.upper)


def _leakage(gaussian: Gaussian) -> GaussianLoss:
    if gaussian.average_power is not None:
        return _infinite("a bound on the average power lets inputs be as far apart as one likes")
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
        return _infinite("a bound on the average power lets two inputs be as far apart as one likes")
    level = crossing(lambda x: math.log(max(float(curve(Real.of(x))), 1e-320)), math.log(float(Real.of(delta))))
    for bits in range(48, 20, -4):
        low, high = (level * (1 + sign * Rational(1, 1 << bits)) for sign in (-1, 1))
        if curve(high) <= delta and curve(low) > delta:
            return GaussianLoss(float(Real.of(high)), Witness(), Real.of(low), Real.of(high))
    raise Undecided("The level of this Gaussian mechanism could not be isolated; choose a less extreme delta.")
