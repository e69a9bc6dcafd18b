"""The least noise with which a Gaussian mechanism keeps a promise, always ending on the safe side."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from epstar.errors import InvalidInput, NoSolution, Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real, largest
from epstar.gaussian.active import best_spheres
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.losses import gaussian_loss
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.quadrature import crossing
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    SibsonMutualInformation,
)

# The variance that fails is smaller by the first of these parts for which that can be proven.
_PARTS = (Rational(1, 10**12), Rational(1, 10**9), Rational(1, 10**6))


@dataclass(frozen=True)
class Calibration:
    """A Gaussian mechanism that provably keeps the promise, and one with slightly less noise that provably does not.

    The variances differ by one part in 10^12, or in 10^9 or 10^6 where the loss is known less precisely, as the
    capacity is for large peaks.
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
    crossing is sought in floats; then the mechanism that is returned is proven to keep the level, and one with
    slightly less noise is proven to exceed it.

    Raises:
        NoSolution: if no amount of noise is enough, as for pure differential privacy, or if hardly any noise is.
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

    _refuse_impossible(mechanism, notion, goal)
    about = crossing(_in_floats(mechanism, notion, goal), _goal_in_floats(notion, goal))
    return _safe(mechanism, notion, goal, about)


def _refuse_impossible(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> None:
    """Raise unless some noise keeps the level and some does not."""
    start = mechanism(ONE)
    delta = notion.delta if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy) else None
    if delta is not None and delta == 0:
        raise NoSolution(f"Normal noise never has {notion.title} with delta = 0; allow a positive delta.")
    loss = gaussian_loss(start, notion)
    if loss.upper is not None and loss.upper.is_infinite:
        raise NoSolution(
            f"No amount of normal noise bounds the {notion.title} here: {loss.reason}; choose another notion or bound."
        )
    if isinstance(notion, MaximalInformation) and start.inputs is not None:
        least = largest(Real.log(1 / start.inputs.probabilities[end]) for end in (0, -1))
        if goal <= least:
            raise NoSolution(
                f"The {notion.title} is at least {float(least):.6g} nats with any noise, because far outputs nearly "
                "prove an outermost point; ask for a larger level."
            )
    most = None if start.inputs is None else _without_noise(start.inputs, notion)
    without_loss = start.distance.rational == 0 or (delta is not None and delta >= 1)
    if without_loss or (most is not None and most <= (goal if delta is None else Real.of(delta))):
        raise NoSolution(f"Hardly any noise is needed to keep the {notion.title} there; ask for a smaller level.")


def _without_noise(inputs: DiscreteInput, notion: Notion) -> Real | None:
    """What the loss, or the delta of a notion that has one, tends to when the noise vanishes; noise keeps it below."""
    law = inputs.probabilities
    if isinstance(notion, LocalInformationPrivacy):
        return Real.of(1 - min(law))
    if isinstance(notion, MaximalInformation | PointwiseLeakage):
        return Real.log(1 / min(law))
    if isinstance(notion, MinEntropyLeakage):
        return Real.log(1 / max(law))
    if isinstance(notion, MaximalLeakage | MinEntropyCapacity | Capacity):
        return Real.log(Rational(len(law)))
    if isinstance(notion, MutualInformation):
        return Real.from_ball(lambda _bits: sum((-p * Ball(p).log() for p in law), Ball(0)))
    if isinstance(notion, SibsonMutualInformation) and not isinstance(notion.order, float) and notion.order > 1:
        order = notion.order
        return Real.from_ball(
            lambda _bits: sum((Ball(p) ** (1 / Ball(order)) for p in law), Ball(0)).log() * order / (order - 1)
        )
    return None


def _in_floats(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> Callable[[float], float]:
    """The logarithm of what is compared with the promise, as a function of the variance."""

    def value(variance: float) -> float:
        gaussian = mechanism(Rational(*variance.as_integer_ratio()))
        if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy):
            found = float(_delta(gaussian, notion, goal))
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
    for part in _PARTS:
        for bits in (52, 48, 44, 40, 36, 32, 28, 24):
            if Rational(4, 1 << bits) > part:
                break
            variance = _short(about * (1 + Rational(1, 1 << bits)), bits + 4)
            enough, too_little = mechanism(variance), mechanism(variance * (1 - part))
            if _keeps(enough, notion, goal) and _exceeds(too_little, notion, goal):
                return Calibration(enough, too_little)
    raise Undecided("The least noise could not be isolated to one part in 10^6; choose less extreme parameters.")


def _short(value: Rational, bits: int) -> Rational:
    """A rational of few digits, not below the value and equal to it to some bits."""
    scale = Rational(1)
    while value * scale < 1 << bits:
        scale *= 10
    return Rational(int((value * scale).ceil())) / scale


def _keeps(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy):
        return _delta(gaussian, notion, goal) <= notion.delta
    upper = gaussian_loss(gaussian, notion).upper
    return upper is not None and _surely(upper, goal)


def _exceeds(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, ApproximateDifferentialPrivacy | LocalInformationPrivacy):
        return _delta(gaussian, notion, goal) > notion.delta
    lower = gaussian_loss(gaussian, notion).lower
    return lower is not None and _surely(goal, lower)


def _delta(gaussian: Gaussian, notion: Notion, level: Real) -> Real:
    """The least delta at a level; over all laws on a ball local information privacy has the curve of the pairs."""
    is_local = isinstance(notion, LocalInformationPrivacy) and gaussian.inputs is not None
    return gaussian.local_delta(level) if is_local else gaussian.delta(level)


def _surely(left: Real, right: Real) -> bool:
    """Whether the left number is proven to be smaller, with the precision that integrals have."""
    return bool(left.ball(96) < right.ball(96))
