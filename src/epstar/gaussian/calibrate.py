"""Calibration: the least noise with which a Gaussian mechanism keeps a promise, always ending on the safe side.

Where no noise is enough, the reason is shown: distributions that keep an average power and lose as much as one likes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from epstar.errors import InvalidInput, NoSolution, Undecided
from epstar.exact import ONE, ZERO, Ball, Rational, Real, largest
from epstar.gaussian.capacity import LARGEST_RADIUS, best_information, searched_order
from epstar.gaussian.discrete_inputs import DiscreteInput
from epstar.gaussian.losses import gaussian_loss
from epstar.gaussian.mechanism import Gaussian
from epstar.gaussian.quadrature import crossing, log_of
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


@dataclass(frozen=True)
class FarInputs:
    """For each number of points, an input on a line that keeps the power and hardly hides which far point it was.

    All points are equally likely: `count` that are `gap` apart, and as many close to zero as keep the power. So the
    largest density at an output is that of the nearest point, and whatever the deviation of the noise the min-entropy
    leakage is at least log(1 + count c) with c the mass of the noise within half a gap. Sibson's information of an
    order above 3 grows without bound, too.

    >>> from epstar import Rational
    >>> from epstar.gaussian import FarInputs
    >>> FarInputs(Rational(9)).law(1, Rational(3)).points
    (-1/2, 0, 3)
    """

    power: Rational

    def law(self, count: int, gap: Rational) -> DiscreteInput:
        """Return the distribution with this many points, `gap` apart.

        >>> law = FarInputs(Rational(9)).law(1, Rational(3))
        >>> law.points, law.power <= 9
        ((-1/2, 0, 3), True)
        """
        far = [gap * k for k in range(1, count + 1)]
        squares = sum((x * x for x in far), Rational(0))
        close = max(1, int((2 * squares / self.power).ceil())) - count
        close = max(close, 2)
        step = Rational(1, 1 + math.isqrt(int((2 * close * close / self.power).ceil())))
        points = [*(-step * k for k in range(close)), *far]
        return DiscreteInput(points, [Rational(1, len(points))] * len(points))


def escape(gaussian: Gaussian, notion: Notion) -> FarInputs | None:
    """Return the family that makes a notion infinite for a bound on the average power, where points of a line do."""
    if gaussian.average_power is None:
        return None
    is_leakage = isinstance(notion, MaximalLeakage | MinEntropyCapacity | MinEntropyLeakage)
    is_high = isinstance(notion, SibsonMutualInformation) and Real.of(notion.order) > 3
    return FarInputs(gaussian.average_power * gaussian.dimension) if is_leakage or is_high else None


# The variance that fails is smaller by the first of these parts for which that can be proven.
_PARTS = (Rational(1, 10**12), Rational(1, 10**9), Rational(1, 10**6))
_BITS = (52, 48, 44, 40, 36, 32, 28, 24)
_WithDelta = ApproximateDifferentialPrivacy | LocalInformationPrivacy
# Seconds that leave time for closed forms only.
_AT_ONCE = 1e-9


@dataclass(frozen=True)
class Calibration:
    """A Gaussian mechanism that provably keeps the promise, and one with less noise that provably does not.

    The variances differ by one part in 10^12, or in 10^9 or 10^6 where the loss is known less precisely; by more, as
    `gap` says, where only two different bounds on the loss are known.

    >>> from epstar import GaussianDifferentialPrivacy
    >>> from epstar.gaussian import calibrate
    >>> found = calibrate(GaussianDifferentialPrivacy(), "1/2", sensitivity=1)
    >>> round(float(found.gaussian.sigma), 6), found.too_little.sigma < found.gaussian.sigma
    (2.0, True)
    """

    gaussian: Gaussian
    too_little: Gaussian

    @property
    def gap(self) -> float:
        """The part of the variance that may be unnecessary, rounded up."""
        return Real.of(1 - self.too_little.variance / self.gaussian.variance).upper


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
    slightly less noise is proven to exceed it. Where only two different bounds on the loss are known, as for Sibson's
    information under an average power, the noise is the least for the upper one, and `gap` says how much that costs.

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
    return _safe(mechanism, notion, goal)


def _refuse_impossible(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> None:
    """Raise unless some noise keeps the level and some does not."""
    start = _start(mechanism)
    delta = notion.delta if isinstance(notion, _WithDelta) else None
    if delta is not None and delta == 0:
        raise NoSolution(f"Normal noise never has {notion.title} with delta = 0; allow a positive delta.")
    loss = gaussian_loss(start, notion, _AT_ONCE)  # whether it is infinite shows at once
    if loss.reason:
        if loss.value == 0:
            raise NoSolution(f"Any noise keeps the {notion.title}, because {loss.reason}; use the event reading.")
        raise NoSolution(
            f"No amount of normal noise bounds the {notion.title} here: {loss.reason}; choose another notion or bound.",
            witness=escape(start, notion),
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


def _start(mechanism: Callable[[Rational], Gaussian]) -> Gaussian:
    """The mechanism whose deviation is as large as the bound on its inputs."""
    one = mechanism(ONE)
    if one.sensitivity is not None:
        return mechanism(one.sensitivity**2)
    if one.peak is not None:
        return mechanism(one.peak**2)
    if one.average_power is not None:
        return mechanism(one.average_power)
    return mechanism(one.inputs.diameter**2) if one.inputs is not None and one.inputs.diameter > 0 else one


Side = Literal["lower", "upper"]


def _crossing(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real, side: Side) -> Rational:
    """About the variance with which a bound on the loss, or the delta, is what was promised; no proof yet."""
    target = Real.of(notion.delta) if isinstance(notion, _WithDelta) else goal
    unit = _start(mechanism).variance
    edge = _edge(mechanism, notion, goal)
    if edge is not None and side == "upper":
        return edge

    def logarithm(part: float) -> float:
        gaussian = mechanism(unit * Rational(*part.as_integer_ratio()))
        if isinstance(notion, _WithDelta):
            return log_of(_delta(gaussian, notion, goal))
        order = _order_over_ball(gaussian, notion)
        searched = None if order is None else searched_order(gaussian.radius, order)
        if searched is not None and (side == "lower" or searched == order) and not _is_small(gaussian, searched):
            # The bounds of a capacity are for the end, unless it is so small that floats have no digits of it.
            return math.log(max(best_information(gaussian.dimension, gaussian.radius, searched), 1e-320))
        is_small = searched is not None and searched == order
        loss = gaussian_loss(gaussian, notion, None if is_small else _AT_ONCE)
        bound = loss.upper if side == "upper" else loss.lower
        return math.log(max(loss.value, 1e-320)) if bound is None else log_of(bound)

    return unit * crossing(logarithm, log_of(target))


def _is_small(gaussian: Gaussian, order: Rational) -> bool:
    return gaussian.radius * gaussian.radius * order <= 1


def _edge(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> Rational | None:
    """The least variance with which a best distribution is searched for, where the promise lies between what is then
    lost and the closed form that bounds what less noise loses: there is nothing to be found by looking closer."""
    order = _order_over_ball(_start(mechanism), notion)
    if order is None:
        return None
    one = mechanism(ONE)
    variance = (one.radius * one.radius * order / LARGEST_RADIUS**2).above(64) * (1 + Rational(1, 1 << 40))
    gaussian = mechanism(variance)
    beyond = gaussian_loss(gaussian, notion, _AT_ONCE)
    if searched_order(gaussian.radius, order) != order or beyond.lower is None or beyond.upper is None:
        return None
    if not log_of(beyond.lower) <= log_of(goal) < log_of(beyond.upper):
        return None
    return variance if best_information(gaussian.dimension, gaussian.radius, order) < float(goal) else None


def _order_over_ball(gaussian: Gaussian, notion: Notion) -> Rational | None:
    """The order of a capacity over a ball; None for any other loss."""
    if gaussian.peak is None or not isinstance(notion, Capacity | MutualInformation | SibsonMutualInformation):
        return None
    order = notion.order if isinstance(notion, SibsonMutualInformation) else ONE
    return None if isinstance(order, float) else order


def _has_two_bounds(gaussian: Gaussian, notion: Notion) -> bool:
    """Whether the loss is known between two bounds only, which no effort brings together."""
    order = _order_over_ball(gaussian, notion)
    if order is not None:
        return searched_order(gaussian.radius, order) != order
    return isinstance(notion, SibsonMutualInformation) and notion.order != 1 and gaussian.average_power is not None


def _safe(mechanism: Callable[[Rational], Gaussian], notion: Notion, goal: Real) -> Calibration:
    """Step up from an approximate variance until the promise is proven, and prove that it was not far."""
    about = _crossing(mechanism, notion, goal, "upper")
    if _has_two_bounds(mechanism(about * (1 - _PARTS[-1])), notion):
        below = _crossing(mechanism, notion, goal, "lower")
        more = (_short(about * (1 + Rational(1, 1 << bits)), bits + 4) for bits in _BITS)
        less = (below * (1 - Rational(1, 1 << bits)) for bits in _BITS)
        enough = _first(mechanism, more, lambda found: _keeps(found, notion, goal))
        return Calibration(enough, _first(mechanism, less, lambda found: _exceeds(found, notion, goal)))
    for part in _PARTS:
        for bits in _BITS:
            if Rational(4, 1 << bits) > part:
                break
            variance = _short(about * (1 + Rational(1, 1 << bits)), bits + 4)
            enough, too_little = mechanism(variance), mechanism(variance * (1 - part))
            if _keeps(enough, notion, goal) and _exceeds(too_little, notion, goal):
                return Calibration(enough, too_little)
    raise Undecided("The least noise could not be isolated to one part in 10^6; choose less extreme parameters.")


def _first(
    mechanism: Callable[[Rational], Gaussian], variances: Iterable[Rational], holds: Callable[[Gaussian], bool]
) -> Gaussian:
    """The first mechanism of which something can be proven."""
    for variance in variances:
        gaussian = mechanism(variance)
        if holds(gaussian):
            return gaussian
    raise Undecided("The least noise could not be isolated; choose less extreme parameters.")


def _short(value: Rational, bits: int) -> Rational:
    """A rational of few digits, not below the value and equal to it to some bits."""
    scale = Rational(1)
    while value * scale < 1 << bits:
        scale *= 10
    return Rational(int((value * scale).ceil())) / scale


def _keeps(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, _WithDelta):
        return _delta(gaussian, notion, goal) <= notion.delta
    # Where the upper bound is a closed form there is no need to wait for the lower one.
    upper = gaussian_loss(gaussian, notion, _AT_ONCE if _has_two_bounds(gaussian, notion) else None).upper
    return upper is not None and _surely(upper, goal)


def _exceeds(gaussian: Gaussian, notion: Notion, goal: Real) -> bool:
    if isinstance(notion, _WithDelta):
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
