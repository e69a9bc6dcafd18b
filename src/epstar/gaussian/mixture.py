"""A Gaussian mechanism whose input takes finitely many values: the output is a mixture of normal laws.

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

from epstar.exact import ONE, ZERO, Ball, ComplexBall, Rational, Real
from epstar.gaussian.inputs import DiscreteInput
from epstar.gaussian.quadrature import INTEGRAL_BITS, cumulative, density, integral, remembered, root
from epstar.reading import nearest_floats

Ends = tuple[Ball | None, Ball | None]
"""The ends of an interval; None is an end at infinity."""


@dataclass(frozen=True)
class Mixture:
    """The law of a discrete input plus normal noise of a given variance."""

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
        return remembered(lambda bits: -self._least(place, bits))

    def delta(self, level: Real) -> Real:
        """Return the least delta with which the mechanism has local information privacy at `level`."""
        if level.is_infinite or len(self.inputs.points) == 1:
            return Real.of(ZERO)

        def enclose(bits: int) -> Ball:
            worst = Ball(0)
            for place in range(len(self.inputs.points)):
                worst = worst.max(self._excess_of_output(place, level, bits))
                worst = worst.max(self._excess_of_point(place, level, bits) / level.enclose(bits).exp())
            return worst

        return remembered(enclose)

    def _excess_of_output(self, place: int, level: Real, bits: int) -> Ball:
        """The largest P(S) - e^level P_x(S): S is where g is above the level."""
        low, high = self._ends(place, level, bits)
        total = Ball(0)
        if low is not None:
            total += self._gap(place, (None, low), level, bits)
        if high is not None:
            total += self._gap(place, (high, None), level, bits)
        return total

    def _excess_of_point(self, place: int, level: Real, bits: int) -> Ball:
        """The largest P_x(S) - e^level P(S): S is where g is below minus the level."""
        least = self._least(place, bits)
        overshoot = 1 - (level.enclose(bits) + least).exp()
        if overshoot <= 0:
            return Ball(0)
        if not overshoot > 0:
            return overshoot.max(Ball(0)).union(Ball(0))
        low, high = self._ends(place, level * -1, bits)
        return -self._gap(place, (low, high), level * -1, bits) * level.enclose(bits).exp()

    def _gap(self, place: int, ends: Ends, level: Real, bits: int) -> Ball:
        """P(S) - e^level P_x(S) on an interval."""
        deviation = Ball(self.variance).sqrt()
        masses = [_mass(ends, Ball(x), deviation) for x in self.inputs.points]
        total = sum((p * mass for p, mass in zip(self.inputs.probabilities, masses, strict=True)), Ball(0))
        return total - level.enclose(bits).exp() * masses[place]

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
        if place in (0, len(self.inputs.points) - 1):
            return Ball(self.inputs.probabilities[place]).log()
        around = root(
            lambda y: self._log_ratio(place, y)[1],
            lambda y: self._log_ratio(place, y)[2],
            self._minimiser(place),
            bits,
        )
        return self._log_ratio(place, around)[0]

    def _log_ratio(self, place: int, y: Ball) -> tuple[Ball, Ball, Ball]:
        """g and its two derivatives."""
        here = self.inputs.points[place]
        total, first, second = Ball(0), Ball(0), Ball(0)
        for x, p in zip(self.inputs.points, self.inputs.probabilities, strict=True):
            slope = (x - here) / self.variance
            term = p * ((y - (x + here) / 2) * slope).exp()
            total += term
            first += term * slope
            second += term * slope * slope
        mean = first / total
        return total.log(), mean, second / total - mean * mean

    @cached_property
    def _floats(self) -> tuple[np.ndarray, np.ndarray, float]:
        points, weights = nearest_floats(self.inputs.points), nearest_floats(self.inputs.probabilities)
        return points, np.log(weights), float(nearest_floats([self.variance])[0])

    def _in_floats(self, place: int, y: float) -> tuple[float, float]:
        points, logs, variance = self._floats
        here = points[place]
        exponents = logs + (points - here) * (y - (points + here) / 2) / variance
        top = float(exponents.max())
        terms = np.exp(exponents - top)
        return top + math.log(terms.sum()), float(terms @ (points - here) / variance / terms.sum())

    def _minimiser(self, place: int) -> float:
        """Where g is least, in floats; far out on the side where g falls forever."""
        points, _, variance = self._floats
        if place in (0, len(points) - 1):
            return float(points[place]) - math.copysign(math.sqrt(variance), 0.5 - place)
        low, high = float(points[0]), float(points[-1])
        width = high - low
        while self._in_floats(place, low)[1] > 0:
            low -= width
        while self._in_floats(place, high)[1] < 0:
            high += width
        while low < (middle := (low + high) / 2) < high:
            low, high = (middle, high) if self._in_floats(place, middle)[1] < 0 else (low, middle)
        return (low + high) / 2

    def _cross(self, place: int, start: float, goal: float, side: float) -> float:
        """Where g crosses `goal` on one side of `start`, in floats."""
        variance = self._floats[2]
        step = side * math.sqrt(variance)
        inner = start
        while self._in_floats(place, inner)[0] > goal:  # only where g falls forever towards the other side
            inner -= 2 * step
            step *= 2
        outer, step = inner + step, side * math.sqrt(variance)
        while self._in_floats(place, outer)[0] <= goal:
            outer += step
            step *= 2
        while min(inner, outer) < (middle := (inner + outer) / 2) < max(inner, outer):
            inner, outer = (middle, outer) if self._in_floats(place, middle)[0] <= goal else (inner, middle)
        return (inner + outer) / 2


def _mass(ends: Ends, mean: Ball, deviation: Ball) -> Ball:
    """The probability that a normal law gives an interval, from the side on which little cancels."""
    low, high = ends
    if low is None:
        return Ball(1) if high is None else cumulative((high - mean) / deviation)
    if high is None:
        return cumulative((mean - low) / deviation)
    if (low + high) / 2 > mean:
        return cumulative((mean - low) / deviation) - cumulative((mean - high) / deviation)
    return cumulative((high - mean) / deviation) - cumulative((low - mean) / deviation)
