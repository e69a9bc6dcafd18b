"""Finitely many inputs on the line, and the Gaussian mixture that normal noise makes of them.

For a point x let g(y) = log p(y) / phi_x(y), p being the density of the output and phi_x its density given x. It is the
logarithm of a sum of exponentials of affine functions, hence convex: {g > t} is a half-line or the outside of an
interval and {g < -t} is an interval or a half-line. The ends are certified roots, so that the excesses of local
information privacy are normal probabilities in balls (ngo2024, Definition 4, in the order of arguments that its
equation (3) requires).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epstar.arguments import shown
from epstar.errors import InvalidInput, Undecided
from epstar.exact import ONE, ZERO, Ball, ComplexBall, Rational, Real, working_precision
from epstar.gaussian.quadrature import GUARD, INTEGRAL_BITS, cumulative, density, integral, remembered, root
from epstar.probability_vectors import law, vector


@dataclass(frozen=True, init=False)
class DiscreteInput:
    """Points of the line, in increasing order, and their probabilities, which are positive.

    Raises:
        InvalidInput: for points that repeat, another number of probabilities, or a sum that is not 1.

    >>> DiscreteInput([1, -1], ["1/4", "3/4"]).points
    (-1, 1)
    """

    points: tuple[Rational, ...]
    probabilities: tuple[Rational, ...]

    def __init__(self, points: object, probabilities: object) -> None:
        places = vector(points, "The points")
        weights = law(probabilities, "The distribution of the points")
        if len(places) != len(weights):
            raise InvalidInput(f"{len(places)} points have {len(weights)} probabilities; give one for each point.")
        if len(set(places)) != len(places):
            twice = next(place for place in places if places.count(place) > 1)
            raise InvalidInput(f"The point {shown(twice)} is given twice; add up its probabilities.")
        kept = sorted((place, weight) for place, weight in zip(places, weights, strict=True) if weight > 0)
        object.__setattr__(self, "points", tuple(place for place, _ in kept))
        object.__setattr__(self, "probabilities", tuple(weight for _, weight in kept))

    @property
    def diameter(self) -> Rational:
        """The distance of the two outermost points."""
        return self.points[-1] - self.points[0]

    @property
    def power(self) -> Rational:
        """The mean square."""
        return sum((p * x * x for x, p in zip(self.points, self.probabilities, strict=True)), Rational(0))


Ends = tuple[Ball | None, Ball | None]
"""The ends of an interval, in deviations from a point; None is an end at infinity."""
# Distances of up to this power of two, in deviations, are searched for an end.
_MOST_DOUBLINGS = 400
# More digits than this do not help: at 10^15 deviations, say, tails are known to no better than a factor, however many.
_MOST_BITS = 1 << 12


@dataclass(frozen=True)
class Mixture:
    """The distribution of a discrete input plus normal noise of a given variance."""

    inputs: DiscreteInput
    variance: Rational

    def information(self) -> Real:
        """Return the mutual information of input and output, in nats: a certified integral."""
        if len(self.inputs.points) == 1:
            return Real.of(ZERO)
        points, weights = self.inputs.points, self.inputs.probabilities
        return remembered(lambda bits: self._mean_divergence(points, weights, bits), INTEGRAL_BITS)

    def divergence(self, place: int) -> Real:
        """Return the divergence of the output given one point from the output, in nats: a certified integral."""
        if len(self.inputs.points) == 1:
            return Real.of(ZERO)
        point = (self.inputs.points[place],)
        return remembered(lambda bits: self._mean_divergence(point, (ONE,), bits), INTEGRAL_BITS)

    def _mean_divergence(self, points: tuple[Rational, ...], weights: tuple[Rational, ...], bits: int) -> Ball:
        """The mean of KL(phi_x || p) over a law on the points: log p / phi_0, integrated against their mixture."""
        deviation = Ball(self.variance).sqrt()
        far = max(abs(x) for x in self.inputs.points)
        # Beyond `span` deviations from every point the tails weigh less than the precision asked for.
        span = Ball(math.ceil(math.sqrt(2 * math.log(2) * (bits + 16))) + 2)
        reach = Ball(far) + span * deviation
        # |log p / phi_0| <= (far |y| + far^2 / 2) / variance, and no law of a point is heavier there than that of
        # `far`.
        ratio = Ball(far) / deviation
        tail = ratio * ratio * 3 / 2 * cumulative(-span) + ratio * density(span)
        inside = integral(lambda y, analytic: self._term(y, analytic, points, weights, deviation), -reach, reach, bits)
        power = sum((p * x * x for x, p in zip(points, weights, strict=True)), ZERO)
        return Ball(power) / (2 * self.variance) - (inside + Ball(0, 2 * tail.upper()))

    def _term(
        self,
        y: ComplexBall,
        analytic: bool,
        points: tuple[Rational, ...],
        weights: tuple[Rational, ...],
        deviation: Ball,
    ) -> ComplexBall:
        total, mixed = ComplexBall(0), ComplexBall(0)
        for x, p in zip(self.inputs.points, self.inputs.probabilities, strict=True):
            total += p * ((y * x - x * x / 2) / self.variance).exp()
        if len(points) == len(self.inputs.points):
            mixed = total
        else:
            for x, p in zip(points, weights, strict=True):
                mixed += p * ((y * x - x * x / 2) / self.variance).exp()
        noise = (-(y * y) / (2 * self.variance)).exp() / ((2 * Ball.pi()).sqrt() * deviation)
        return noise * mixed * total.log(analytic=analytic)

    def largest_ratio(self, place: int) -> Real:
        """Return the supremum over the outputs of log phi_x / p for one point."""

        def enclose(asked: int) -> Ball:
            bits = asked + self._lost_bits
            with working_precision(bits + GUARD):
                return -self._least(place, bits)

        return remembered(enclose)

    def delta(self, level: Real) -> Real:
        """Return the least delta with which the mechanism has local information privacy at `level`."""
        if level.is_infinite or len(self.inputs.points) == 1:
            return Real.of(ZERO)

        def enclose(asked: int) -> Ball:
            bits = asked + self._lost_bits
            worst = Ball(0)
            with working_precision(bits + GUARD):
                for place in range(len(self.inputs.points)):
                    worst = worst.max(self._excess_of_output(place, level, bits))
                    worst = worst.max(self._excess_of_point(place, level, bits) / level.enclose(bits).exp())
            return worst.min(Ball(1))

        return remembered(enclose, _MOST_BITS)

    @cached_property
    def _lost_bits(self) -> int:
        """How many bits the slopes of g take away from its values: they are as large as the points are far apart."""
        square = self.inputs.diameter**2 / self.variance
        return int(square.ceil()).bit_length()

    def _excess_of_output(self, place: int, level: Real, bits: int) -> Ball:
        """The largest P(S) - e^level P_x(S): S is where g is above the level."""
        low, high = self._ends(place, level, bits)
        sides: list[Ends] = [] if low is None else [(None, low)]
        if high is not None:
            sides.append((high, None))
        total = Ball(0)
        for side in sides:
            own, mixed = self._masses(place, side)
            total += _excess(mixed, own, level, bits)
        return total

    def _excess_of_point(self, place: int, level: Real, bits: int) -> Ball:
        """The largest P_x(S) - e^level P(S): S is where g is below minus the level."""
        least = self._least(place, bits)
        overshoot = 1 - (level.enclose(bits) + least).exp()
        if overshoot <= 0:
            return Ball(0)
        most = overshoot.max(Ball(0)).min(Ball(1)).union(Ball(0))
        if not overshoot > 0:
            return most
        try:
            low, high = self._ends(place, level * -1, bits)
        except Undecided:
            # g hardly falls below minus the level, and on S the two densities differ by at most this part.
            return most
        own, mixed = self._masses(place, (low, high))
        return _excess(own, mixed, level, bits)

    def _masses(self, place: int, ends: Ends) -> tuple[Ball, Ball]:
        """P_x(S) and P(S) for an interval S."""
        masses = [_mass(ends, mean) for mean in self._means(place)]
        mixed = sum((p * mass for p, mass in zip(self.inputs.probabilities, masses, strict=True)), Ball(0))
        return masses[place], mixed

    def _ends(self, place: int, level: Real, bits: int) -> Ends:
        """The interval on which g is at most `level`; an end that g never reaches is None."""
        target = level.enclose(bits)

        def excess(y: Ball) -> Ball:
            return self._log_ratio(place, y)[0] - target

        def slope(y: Ball) -> Ball:
            return self._log_ratio(place, y)[1]

        start, goal = self._minimiser(place), float(target.mid())
        low: Ball | None = None
        high: Ball | None = None
        if place > 0:
            low = root(excess, slope, self._cross(place, start, goal, -1.0), bits)
        if place < len(self.inputs.points) - 1:
            high = root(excess, slope, self._cross(place, start, goal, 1.0), bits)
        return low, high

    def _least(self, place: int, bits: int) -> Ball:
        """The infimum of g: the logarithm of a probability at the outermost points, a certified minimum elsewhere."""
        floor = Ball(self.inputs.probabilities[place]).log()
        if place in (0, len(self.inputs.points) - 1):
            return floor
        guess = self._minimiser(place)
        try:
            around = root(lambda y: self._log_ratio(place, y)[1], lambda y: self._log_ratio(place, y)[2], guess, bits)
        except Undecided:
            # p is at least p(x) phi_x, and no minimum is above a value: where g is flat the two are close together.
            return floor.union(self._log_ratio(place, Ball(guess))[0])
        # g is above its tangents at both ends; on the whole ball at once its terms would drown in their rounding.
        left, right = Ball(around.lower()), Ball(around.upper())
        (low, falling, _), (high, rising, _) = self._log_ratio(place, left), self._log_ratio(place, right)
        width = right - left
        return (low + falling * width).max(high - rising * width).max(floor).union(low.min(high))

    # Below, outputs and means are measured from the point x, in deviations of the noise, so that the search does not
    # depend on the scale of either.

    def _means(self, place: int) -> list[Ball]:
        here, deviation = self.inputs.points[place], Ball(self.variance).sqrt()
        return [(x - here) / deviation for x in self.inputs.points]

    def _log_ratio(self, place: int, y: Ball) -> tuple[Ball, Ball, Ball]:
        """g and its two derivatives."""
        total, first, second = Ball(0), Ball(0), Ball(0)
        for mean, p in zip(self._means(place), self.inputs.probabilities, strict=True):
            term = p * ((y - mean / 2) * mean).exp()
            total += term
            first += term * mean
            second += term * mean * mean
        slope = first / total
        return total.log(), slope, second / total - slope * slope

    @cached_property
    def _floats(self) -> tuple[list[np.ndarray], np.ndarray]:
        """The means for each place, and the logarithms of the probabilities."""
        means = [
            np.array([float(mean.mid()) for mean in self._means(place)]) for place in range(len(self.inputs.points))
        ]
        return means, np.array([float(Ball(p).log().mid()) for p in self.inputs.probabilities])

    def _in_floats(self, place: int, y: float) -> tuple[float, float]:
        means, logs = self._floats[0][place], self._floats[1]
        exponents = logs + means * (y - means / 2)
        top = float(exponents.max())
        terms = np.exp(exponents - top)
        return top + math.log(terms.sum()), float(terms @ means / terms.sum())

    def _minimiser(self, place: int) -> float:
        """Where g is least, in floats; a deviation out on the side where g falls forever."""
        if place in (0, len(self.inputs.points) - 1):
            return -1.0 if place == 0 else 1.0
        low, high = -1.0, 1.0
        for _ in range(_MOST_DOUBLINGS):
            if self._in_floats(place, low)[1] <= 0:
                break
            low *= 2
        for _ in range(_MOST_DOUBLINGS):
            if self._in_floats(place, high)[1] >= 0:
                break
            high *= 2
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if self._in_floats(place, middle)[1] < 0 else (low, middle)
        return (low + high) / 2

    def _cross(self, place: int, start: float, goal: float, side: float) -> float:
        """Where g crosses `goal` on one side of `start`, in floats; far out where floats cannot tell."""
        inner, step = start, side
        for _ in range(_MOST_DOUBLINGS):  # only where g falls forever towards the other side
            if self._in_floats(place, inner)[0] <= goal:
                break
            inner -= 2 * step
            step *= 2
        outer, step = inner + step, side
        for _ in range(_MOST_DOUBLINGS):
            if self._in_floats(place, outer)[0] > goal:
                break
            outer += step
            step *= 2
        while min(inner, outer) < (middle := (inner + outer) / 2) < max(inner, outer):
            inner, outer = (middle, outer) if self._in_floats(place, middle)[0] <= goal else (inner, middle)
        return (inner + outer) / 2


def _excess(more: Ball, less: Ball, level: Real, bits: int) -> Ball:
    """What one mass has above e^level times another, on a set where it has more everywhere.

    So it is between zero and the mass itself, which says more than the difference where e^level is astronomic.
    """
    found = more - level.enclose(bits).exp() * less
    return found if found.rad() < more.upper() else more.union(Ball(0))


def _mass(ends: Ends, mean: Ball) -> Ball:
    """The probability that a normal law of deviation one gives an interval, from the side on which little cancels."""
    low, high = ends
    if low is None:
        return Ball(1) if high is None else cumulative(high - mean)
    if high is None:
        return cumulative(mean - low)
    if (low + high) / 2 > mean:
        return cumulative(mean - low) - cumulative(mean - high)
    return cumulative(high - mean) - cumulative(low - mean)
