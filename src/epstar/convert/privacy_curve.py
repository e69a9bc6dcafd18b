"""Privacy curves: a bound on delta at every level, and certified integrals over all levels.

A curve is handled as a function of the factor E = e^level. The least delta of a mechanism is a supremum of P(S) - E
Q(S) over events and pairs, hence convex in E and decreasing; a chord between two points of it is therefore a valid
bound, and so is its last value from there on. `SegmentCurve` is made of such chords and is integrated exactly.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real, rational
from epstar.probability_vectors import listed

Point = tuple[Rational, Rational]

# A level beyond this protects nothing that anybody could measure.
_LARGEST_LEVEL = Rational(256)
_NEAR = Rational(1, 1 << 40)


class PrivacyCurve(ABC):
    """A bound delta(level) for every level >= 0; it never rises.

    >>> from epstar import Mechanism
    >>> from epstar.convert import curve_of
    >>> curve = curve_of(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> from epstar.convert import PrivacyCurve
    >>> isinstance(curve, PrivacyCurve)
    True
    """

    def delta(self, level: object) -> Real:
        """Return a bound on the least delta at a level.

        Raises:
            InvalidInput: for a level that is negative or no number.
        """
        real = Real.of(level)
        if real.upper < 0:
            raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
        return self._delta(real)

    def level(self, delta: object) -> Real:
        """Return a level at which delta is enough; infinity if the curve shows none."""
        return self._level(rational(delta))

    def segments(self, largest: object) -> SegmentCurve:
        """Return a curve of chords that is not below this one and reaches at least to the factor `largest`."""
        return self._segments(rational(largest))

    @abstractmethod
    def divergence(self) -> Real:
        """Return a bound on the integral of (1 + e^-level) delta(level): the relative entropy of two inputs in nats."""

    def scaled(self, factor: object) -> PrivacyCurve:
        """Return the curve of `factor` times the deltas, for a factor between 0 and 1.

        Raises:
            InvalidInput: for another factor.
        """
        share = rational(factor)
        if not 0 <= share <= 1:
            raise InvalidInput(f"A curve is scaled by a factor between 0 and 1, not {shown(share)}.")
        return constant_curve(ZERO) if share == 0 else self._scaled(share)

    @abstractmethod
    def _delta(self, level: Real) -> Real: ...

    @abstractmethod
    def _level(self, delta: Rational) -> Real: ...

    @abstractmethod
    def _segments(self, largest: Rational) -> SegmentCurve: ...

    def _scaled(self, factor: Rational) -> PrivacyCurve:
        return ScaledCurve(self, factor)


@dataclass(frozen=True, init=False)
class SegmentCurve(PrivacyCurve):
    """Chords between points (E, delta), starting at E = 1; after the last point delta stays.

    Raises:
        InvalidInput: unless the factors rise from 1 and the deltas fall within [0, 1].

    >>> from epstar import Mechanism
    >>> from epstar.convert import curve_of
    >>> curve = curve_of(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> [(str(ratio), str(delta)) for ratio, delta in curve.points]
    [('1', '1/2'), ('3', '0')]
    """

    points: tuple[Point, ...]

    def __init__(self, points: Sequence[Point]) -> None:
        listing = [_two(point) for point in listed(points, "The list of points of a privacy curve")]
        read = tuple((rational(factor), rational(delta)) for factor, delta in listing)
        if read[0][0] != 1:
            raise InvalidInput("A privacy curve must start at level 0; give its value there.")
        for (left, above), (right, below) in pairwise(read):
            if left >= right:
                raise InvalidInput("The levels of a privacy curve must rise; sort its points, one for each level.")
            if above < below:
                raise InvalidInput(
                    f"A privacy curve never rises, but after {shown(above)} it takes the value {shown(below)}; "
                    "correct the deltas."
                )
        if read[0][1] > 1 or read[-1][1] < 0:
            raise InvalidInput("A privacy curve has values between 0 and 1; correct the deltas.")
        object.__setattr__(self, "points", read)

    @classmethod
    def from_pairs(cls, pairs: Sequence[tuple[object, object]], local: bool = False) -> SegmentCurve:
        """Return the curve that pairs (level, delta) of one mechanism imply, with chords between them.

        Below the first level it is the line of the distributions that dominate (level, delta)-privacy; `local` says
        that the pairs are of local information privacy, whose slack is multiplied by the factor in one direction.

        >>> curve = SegmentCurve.from_pairs([("log(3)", "1/10"), ("log(9)", 0)])
        >>> str(curve.delta(Real.of("log(6)")))
        '1/20'
        """
        points: list[Point] = []
        for pair in listed(pairs, "The list of pairs (level, delta) of a privacy curve"):
            level, delta = _two(pair)
            real, slack = Real.of(level), rational(delta)
            if real.is_infinite:
                raise InvalidInput("A point of a privacy curve has a finite level; leave out the infinite one.")
            if real < ZERO:
                raise InvalidInput(f"The level {real} of a privacy curve is negative; levels start at 0.")
            # A factor rounded up keeps the delta valid.
            points.append((Real.exp(real).above(), slack))
        factor, slack = points[0]
        if factor > 1:
            slack = min(ONE, factor * slack) if local else slack
            points.insert(0, (ONE, slack + (1 - slack) * (factor - 1) / (factor + 1)))
        return cls(points)

    def _delta(self, level: Real) -> Real:
        if level.is_infinite:
            return Real.of(self.points[-1][1])
        factor = Real.exp(level)
        for (left, above), (right, below) in pairwise(self.points):
            if factor <= right:
                return Real.of(above) - (factor - left) * ((above - below) / (right - left))
        return Real.of(self.points[-1][1])

    def _level(self, delta: Rational) -> Real:
        if delta >= self.points[0][1]:
            return Real.of(ZERO)
        for (left, above), (right, below) in pairwise(self.points):
            if below <= delta:
                return Real.log(left + (above - delta) * (right - left) / (above - below))
        return INFINITY

    def divergence(self) -> Real:
        if self.points[-1][1] > 0:
            return INFINITY
        points = self.points

        def enclose(_bits: int) -> Ball:
            total = Ball(0)
            for (left, above), (right, below) in pairwise(points):
                # delta = a + b E, and (1 + 1/E) (a + b E) dE / E has the antiderivative (a + b) log E + b E - a / E.
                b = (below - above) / (right - left)
                a = above - b * left
                total += (a + b) * Ball(right / left).log() + b * (right - left) - a / right + a / left
            return total

        return Real.from_ball(lru_cache(maxsize=8)(enclose))

    def _segments(self, largest: Rational) -> SegmentCurve:
        if self.points[-1][0] >= largest:
            return self
        return SegmentCurve([*self.points, (largest, self.points[-1][1])])

    def _scaled(self, factor: Rational) -> SegmentCurve:
        return SegmentCurve([(place, factor * delta) for place, delta in self.points])


@dataclass(frozen=True)
class FunctionCurve(PrivacyCurve):
    """A curve given by a function of the level, with what is known of its integral (infinite unless said).

    >>> from epstar import Gaussian
    >>> from epstar.convert import FunctionCurve, gaussian_curve
    >>> isinstance(gaussian_curve(Gaussian(2, peak=1)), FunctionCurve)
    True
    """

    function: Callable[[Real], Real]
    integral: Real = INFINITY

    def _delta(self, level: Real) -> Real:
        return self.function(level)

    def _level(self, delta: Rational) -> Real:
        """Return a level within 2^-40 of the least one, found by bisection on proven values."""
        if self._within(ZERO, delta):
            return Real.of(ZERO)
        if delta <= 0 or not self._within(_LARGEST_LEVEL, delta):
            return INFINITY
        low, high = ZERO, ONE
        while not self._within(high, delta):
            low, high = high, 2 * high
        # Two steps of the secant in floats usually leave little to bisect.
        for _ in range(6):
            guess = self._secant(low, high, delta)
            for place in (guess * (1 - _NEAR), guess * (1 + _NEAR)):
                if low < place < high:
                    low, high = (low, place) if self._within(place, delta) else (place, high)
        while high - low > high * 4 * _NEAR:
            middle = (low + high) / 2
            low, high = (low, middle) if self._within(middle, delta) else (middle, high)
        return Real.of(high)

    def _secant(self, low: Rational, high: Rational, delta: Rational) -> Rational:
        above, below = (float(self.function(Real.of(level))) for level in (low, high))
        if not above > below:
            return (low + high) / 2
        part = (above - float(Real.of(delta))) / (above - below)
        return low + (high - low) * Rational(*min(1.0, max(0.0, part)).as_integer_ratio())

    def _within(self, level: Rational, delta: Rational) -> bool:
        return self.function(Real.of(level)).above() <= delta

    def divergence(self) -> Real:
        return self.integral

    def _segments(self, largest: Rational) -> SegmentCurve:
        """Return chords between 65 values, with factors in geometric progression."""
        count = 64
        places = [ONE]
        for k in range(1, count):
            ratio = Real.exp(Real.log(largest) * Rational(k, count)).above(64) if largest > 1 else ONE
            if ratio > places[-1]:
                places.append(ratio)
        if largest > places[-1]:
            places.append(largest)
        points: list[Point] = []
        for place in places:
            value = min(ONE, max(ZERO, self.function(Real.log(place)).above(96)))
            points.append((place, min(value, points[-1][1]) if points else value))
        return SegmentCurve(points)


@dataclass(frozen=True)
class ScaledCurve(PrivacyCurve):
    """A curve whose deltas are multiplied by a factor of at most 1."""

    curve: PrivacyCurve
    factor: Rational

    def _delta(self, level: Real) -> Real:
        return self.curve.delta(level) * self.factor

    def _level(self, delta: Rational) -> Real:
        return self.curve.level(delta / self.factor)

    def divergence(self) -> Real:
        whole = self.curve.divergence()
        return whole if whole.is_infinite else whole * self.factor

    def _segments(self, largest: Rational) -> SegmentCurve:
        return self.curve.segments(largest)._scaled(self.factor)


@dataclass(frozen=True)
class LowestCurve(PrivacyCurve):
    """The least of several bounds on one mechanism, at each level."""

    curves: tuple[PrivacyCurve, ...]

    def _delta(self, level: Real) -> Real:
        values = [curve.delta(level) for curve in self.curves]
        return min(values, key=lambda value: value.upper)

    def _level(self, delta: Rational) -> Real:
        levels = [curve.level(delta) for curve in self.curves]
        return min(levels, key=lambda value: value.upper)

    def divergence(self) -> Real:
        """Return the least of their integrals, which is at least the integral of the least."""
        integrals = [curve.divergence() for curve in self.curves]
        return min(integrals, key=lambda value: value.upper)

    def _segments(self, largest: Rational) -> SegmentCurve:
        return _hull([curve.segments(largest) for curve in self.curves])


def _two(point: object) -> tuple[object, object]:
    entries = listed(point, "A point of a privacy curve")
    if len(entries) != 2:
        raise InvalidInput(f"A point of a privacy curve is a pair, not {len(entries)} numbers; write [level, delta].")
    return entries[0], entries[1]


def lowest(curves: Sequence[PrivacyCurve]) -> PrivacyCurve:
    """Return the best bound that several curves of one mechanism give together.

    The curve of a mechanism is convex, so that it lies below the lower hull of all chords.

    >>> both = lowest([constant_curve(Rational(1, 4)), pure_curve(Real.of("log(3)"))])
    >>> str(both.delta(Real.of(0))), str(both.delta(Real.of("log(2)")))
    ('1/4', '1/8')
    """
    if len(curves) == 1:
        return curves[0]
    listed = [curve for curve in curves if isinstance(curve, SegmentCurve)]
    others = [curve for curve in curves if not isinstance(curve, SegmentCurve)]
    joined: list[PrivacyCurve] = [_hull(listed)] if listed else []
    return joined[0] if not others else LowestCurve((*joined, *others))


def _hull(curves: Sequence[SegmentCurve]) -> SegmentCurve:
    """Return the lower convex hull of chords, each of which goes on at its last value."""
    last = max(curve.points[-1][0] for curve in curves)
    least: dict[Rational, Rational] = {}
    for curve in curves:
        for factor, delta in curve.segments(last).points:
            least[factor] = min(delta, least.get(factor, delta))
    hull: list[Point] = []
    for point in sorted(least.items()):
        while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
            hull.pop()
        if not hull or point[1] <= hull[-1][1]:
            hull.append(point)
    return SegmentCurve(hull)


def _is_above(middle: Point, left: Point, right: Point) -> bool:
    return (middle[1] - left[1]) * (right[0] - left[0]) >= (right[1] - left[1]) * (middle[0] - left[0])


def pure_curve(level: Real, delta: Rational = ZERO) -> SegmentCurve:
    """Return the curve of every mechanism that has (level, delta)-privacy: tight, by a dominating pair of laws."""
    factor, delta = Real.exp(level).above(), min(ONE, delta)
    start = delta + (1 - delta) * (factor - 1) / (factor + 1)
    return SegmentCurve([(ONE, start), (factor, delta)] if factor > 1 else [(ONE, delta)])


def constant_curve(delta: Rational) -> SegmentCurve:
    """Return the curve that has one value at every level."""
    return SegmentCurve([(ONE, min(ONE, delta))])
