"""The least noise with which a Gaussian mechanism keeps a promise, always ending on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from epstar.errors import InvalidInput, NoSolution, Undecided
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.gaussian.active import best_spheres
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.losses import gaussian_loss
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.quadrature import crossing
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    LocalInformationPrivacy,
    MutualInformation,
    Notion,
)

# The variance that fails is smaller by this part: half of it in the deviation.
_NEXT = Rational(1, 10**12)


@dataclass(frozen=True)
class Calibration:
    """A Gaussian mechanism that provably keeps the promise, and one with slightly less noise that provably does not.

    The deviations of the two differ by less than one part in 10^12.
    """

    gaussian: Gaussian
    too_little: Gaussian


def calibrate(
    notion: Notion,
    level: object,
    *,
    sensitivity: object = None,
    peak: object = None,
    average_power: object = None,
    inputs: DiscreteInput | None = None,
    dimension: object = 1,
    unit: Literal["nats", "bits"] = "nats",
) -> Calibration:
    """Return the least noise that keeps the loss at or below a level, with the proof that less would not.

    The inputs are bounded as for `Gaussian`. `unit="bits"` reads the level in bits. More noise never loses more, so one
    crossing is sought in floats; then the mechanism that is returned is proven to keep the level, and the one with
    the variance smaller by one part in 10^12 is proven to exceed it.

    Raises:
        NoSolution: if no amount of noise is enough, as for pure differential privacy.
        InvalidInput: for a level that is not positive and finite, or as `gaussian_loss` says.

    >>> found = calibrate(Capacity(), "1/10", average_power=1, unit="bits")
    >>> round(float(Real.of(found.gaussian.variance)), 9)
    6.725023959
    """
    goal = Real.of(level)
    if goal.is_infinite or goal <= ZERO:
        raise InvalidInput(f"The level {goal} is not a positive finite number; a smaller loss needs infinite noise.")
    if unit not in ("nats", "bits"):
        raise InvalidInput(f"The unit {unit!r} is unknown; write 'nats' or 'bits'.")
    if unit == "bits":
        goal = goal * Real.log(Rational(2))

    def mechanism(variance: Rational) -> Gaussian:
        return Gaussian(
            variance=variance,
            sensitivity=sensitivity,
            peak=peak,
            average_power=average_power,
            inputs=inputs,
            dimension=dimension,
        )

    start = mechanism(ONE)
    if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy):
        if notion.delta == 0:
            raise NoSolution(f"Normal noise never has {notion.title} with delta = 0; allow a positive delta.")
    elif gaussian_loss(start, notion).upper is None or _is_infinite(start, notion):
        raise NoSolution(f"No amount of normal noise bounds the {notion.title} here; choose another notion or bound.")
    about = crossing(_in_floats(mechanism, notion, goal), _goal_in_floats(notion, goal))
    return _safe(mechanism, notion, goal, about)


def _is_infinite(gaussian: Gaussian, notion: Notion) -> bool:
    upper = gaussian_loss(gaussian, notion).upper
    return upper is not None and upper.is_infinite


def _in_floats(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> Callable[[float], float]:
    """The logarithm of what is compared with the promise, as a function of the variance."""

    def value(variance: float) -> float:
        gaussian = mechanism(Rational(*variance.as_integer_ratio()))
        if isinstance(notion, ApproximateDifferentialPrivacy):
            found = float(gaussian.delta(goal))
        elif isinstance(notion, LocalInformationPrivacy):
            found = float(gaussian.local_delta(goal))
        elif isinstance(notion, Capacity | MutualInformation) and gaussian.peak is not None:
            # No proof yet: the bounds of the capacity are for the end.
            found = best_spheres(gaussian.dimension, float(gaussian.radius)).information
        else:
            found = gaussian_loss(gaussian, notion).value
        return math.log(max(found, 1e-320))

    return value


def _goal_in_floats(notion: Notion, goal: Real) -> float:
    if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy):
        return math.log(float(Real.of(notion.delta)))
    return math.log(float(goal))


def _safe(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real, about: Rational) -> Calibration:
    """Step up from an approximate variance until the promise is proven, and prove that it was not far."""
    for bits in (52, 50, 48, 46, 44, 42):
        variance = _short(about * (1 + Rational(1, 1 << bits)), bits + 4)
        enough = mechanism(variance)
        if not _keeps(enough, notion, goal):
            continue
        too_little = mechanism(variance * (1 - _NEXT))
        if _exceeds(too_little, notion, goal):
            return Calibration(enough, too_little)
    raise Undecided("The least noise could not be isolated to one part in 10^12; choose less extreme parameters.")


def _short(value: Rational, bits: int) -> Rational:
    """A rational of few digits, not below the value and equal to it to some bits."""
    scale = Rational(1)
    while value * scale < 1 << bits:
        scale *= 10
    return Rational(int((value * scale).ceil())) / scale


def _keeps(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, ApproximateDifferentialPrivacy):
        return gaussian.delta(goal) <= notion.delta
    if isinstance(notion, LocalInformationPrivacy):
        return gaussian.local_delta(goal) <= notion.delta
    upper = gaussian_loss(gaussian, notion).upper
    return upper is not None and _surely(upper, goal)


def _exceeds(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, ApproximateDifferentialPrivacy):
        return gaussian.delta(goal) > notion.delta
    if isinstance(notion, LocalInformationPrivacy):
        return gaussian.local_delta(goal) > notion.delta
    lower = gaussian_loss(gaussian, notion).lower
    return lower is not None and _surely(goal, lower)


def _surely(left: Real, right: Real) -> bool:
    """Whether the left number is proven to be smaller, with the precision that integrals have."""
    return bool(left.ball(96) < right.ball(96))
