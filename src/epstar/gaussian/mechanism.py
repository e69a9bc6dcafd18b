"""The Gaussian mechanism: normal noise added to what is bounded in sensitivity, in peak, in power, or known in law."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, rational, working_precision
from epstar.gaussian.capacity import BallCapacity, ball_capacity
from epstar.gaussian.discrete_inputs import DiscreteInput, Mixture
from epstar.gaussian.quadrature import cumulative, remembered


def _positive(value: object, what: str) -> Rational:
    number = rational(value)
    if number <= 0:
        raise InvalidInput(f"{what} must be positive, not {shown(number)}.")
    return number


@dataclass(frozen=True, init=False)
class Gaussian:
    """x -> x + N(0, sigma^2 I) on vectors of a dimension, for inputs that are bounded in exactly one way:

    `sensitivity`: neighbouring inputs are at most this far apart;
    `peak`: |x|^2 <= dimension * peak^2 (ngo2024, Section II);
    `average_power`: E |X|^2 <= dimension * average_power (ngo2024, Section IV, with average_power = Delta^2);
    `inputs`: X takes the values of a `DiscreteInput` (dimension 1).

    The variance is kept exactly; give `variance` instead of `sigma` where the variance is the round number.

    >>> gaussian = Gaussian(2, peak=1)
    >>> round(float(gaussian.delta(1)), 12)
    0.126936737507
    """

    variance: Rational
    dimension: int
    sensitivity: Rational | None
    peak: Rational | None
    average_power: Rational | None
    inputs: DiscreteInput | None

    def __init__(
        self,
        sigma: object = None,
        *,
        variance: object = None,
        sensitivity: object = None,
        peak: object = None,
        average_power: object = None,
        inputs: DiscreteInput | None = None,
        dimension: object = 1,
    ) -> None:
        if (sigma is None) == (variance is None):
            raise InvalidInput("The noise needs its deviation sigma or its variance; give exactly one of them.")
        bounds = {"sensitivity": sensitivity, "peak": peak, "average_power": average_power, "inputs": inputs}
        given = [name for name, bound in bounds.items() if bound is not None]
        if len(given) != 1:
            raise InvalidInput(
                f"The inputs are bounded by {' and '.join(given) or 'nothing'}; "
                f"give exactly one of {', '.join(bounds)}."
            )
        size = whole_number(dimension, "The dimension", 1)
        if inputs is not None and (size != 1 or not isinstance(inputs, DiscreteInput)):
            raise InvalidInput("The inputs must be a DiscreteInput, whose points are numbers, in dimension 1.")
        noise = (
            _positive(sigma, "The deviation sigma") ** 2 if variance is None else _positive(variance, "The variance")
        )
        object.__setattr__(self, "variance", noise)
        object.__setattr__(self, "dimension", size)
        object.__setattr__(self, "inputs", inputs)
        for name in ("sensitivity", "peak", "average_power"):
            bound = bounds[name]
            what = f"The {name.replace('_', ' ')}"
            object.__setattr__(self, name, None if bound is None else _positive(bound, what))

    @property
    def sigma(self) -> Real:
        """The deviation of the noise in each coordinate."""
        return square_root(self.variance)

    @property
    def squared_distance(self) -> Rational | None:
        """The square of the largest distance of two inputs, in variances of the noise; None if it is infinite."""
        if self.sensitivity is not None:
            return self.sensitivity**2 / self.variance
        if self.peak is not None:
            return 4 * self.dimension * self.peak**2 / self.variance
        if self.inputs is not None:
            return self.inputs.diameter**2 / self.variance
        return None

    @property
    def distance(self) -> Real:
        """The largest distance of two inputs, in deviations of the noise; infinite if only the power is bounded."""
        square = self.squared_distance
        return INFINITY if square is None else square_root(square)

    @property
    def radius(self) -> Real:
        """The radius of the ball of inputs, in deviations of the noise."""
        if self.peak is None:
            raise InvalidInput("Only a bound on the peak puts the inputs in a ball; give peak=.")
        return square_root(self.dimension * self.peak**2 / self.variance)

    def delta(self, level: object) -> Real:
        """Return the least delta of approximate differential privacy at a level: a point of the privacy curve.

        delta = Phi(D/2 - level/D) - e^level Phi(-D/2 - level/D), with D the distance (ngo2024, Section II). It is 1
        where only the average power is bounded, because two inputs can then be arbitrarily far apart.
        """
        real = _level(level)
        distance = self.distance
        if distance.is_infinite:
            return Real.of(ZERO if real.is_infinite else ONE)
        if real.is_infinite or distance.rational == ZERO:
            return Real.of(ZERO)

        def enclose(bits: int) -> Ball:
            # The two terms of a small delta nearly cancel: as many bits are added as they are small.
            extra = bits + 64 + _smallness(float(distance), float(real))
            with working_precision(extra):
                d, e = distance.enclose(extra), real.enclose(extra)
                return cumulative(d / 2 - e / d) - e.exp() * cumulative(-d / 2 - e / d)

        return remembered(enclose)

    def local_delta(self, level: object) -> Real:
        """Return the least delta of local information privacy at a level, for a discrete input."""
        return self.mixture.delta(_level(level))

    @property
    def mixture(self) -> Mixture:
        """The distribution of the output for a discrete input."""
        if self.inputs is None:
            raise InvalidInput(
                "This depends on the distribution of the input; give inputs=DiscreteInput(points, probabilities)."
            )
        return Mixture(self.inputs, self.variance)

    @cached_property
    def capacity(self) -> BallCapacity:
        """The capacity over a ball of inputs, between proven bounds; see `ball_capacity`."""
        return ball_capacity(self.dimension, self.radius)

    def capacity_of_order(self, order: object, time_limit: float | None = None) -> BallCapacity:
        """Return Sibson's capacity of an order over a ball of inputs, as far as it is proven within some seconds."""
        if order == 1 and time_limit is None:
            return self.capacity
        return ball_capacity(self.dimension, self.radius, time_limit, order)

    def capacity_within(self, time_limit: float) -> BallCapacity:
        """Return what can be proven of the capacity over a ball of inputs within some seconds."""
        return ball_capacity(self.dimension, self.radius, time_limit)


def square_root(square: Rational) -> Real:
    """Return the root of a number that is not negative, exactly where it is rational."""
    for number in (square.p, square.q):
        if math.isqrt(int(number)) ** 2 != int(number):
            return Real.from_ball(lambda _bits: Ball(square).sqrt())
    return Real.of(Rational(math.isqrt(int(square.p)), math.isqrt(int(square.q))))


def _level(level: object) -> Real:
    real = Real.of(level)
    if real < ZERO:
        raise InvalidInput(f"The level {real} is negative; privacy levels are at least 0.")
    return real


def _smallness(distance: float, level: float) -> int:
    """About how many bits lie between 1 and the terms of delta, at most some thousands."""
    place = max(0.0, level / distance - distance / 2) if distance > 0 else 0.0
    return min(1 << 14, math.ceil(place * place / 2 / math.log(2)) + 2 * math.ceil(math.log2(2 + level)))
