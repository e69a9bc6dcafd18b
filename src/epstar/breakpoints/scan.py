"""Breakpoints found numerically: a scan of the least distortion over levels.

As a function of the level the least distortion falls; where it is flat the least loss jumps, and where its slope
changes the least loss has a kink. Levels at which the pattern of the optimal mechanism changes are bisected; one
whose two slopes agree is dropped, because a program may have several optimal patterns.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from numpy.polynomial import Polynomial

from epstar.breakpoints.breakpoint import Breakpoint, value_at
from epstar.breakpoints.ends import Ends
from epstar.breakpoints.sampling import Sample, Sampler
from epstar.exact import Rational
from epstar.problem import Problem

_CELLS = 96
_LARGEST_LEVEL = 24.0
_NEGLIGIBLE = 1e-4
_MOST_SAMPLES = 6000
_LINEAR_NOISE = 1e-11
_SMOOTH_NOISE = 1e-8
_TOLERANCE = 1e-9
_SMOOTH_TOLERANCE = 1e-5
# Slopes that differ by a smaller share are equal; courses that cross further away, in steps, cross elsewhere.
_BEND = 1e-5
_LEAST_JUMP = 1e-6
_HERE = 0.05
_LARGEST_DENOMINATOR = 1000
# Lengths as shares of the range of levels: of a bisected bracket, within which changes count as one, and of the
# steps at which the courses on the two sides are sampled.
_BRACKET, _ONE_CHANGE, _STEP = 1e-7, 1e-6, 1e-4


@dataclass(frozen=True)
class _Change:
    """Two neighbouring levels between which the course changes, and the distortion there once it is known."""

    before: Sample
    after: Sample
    distortion: float | None = None

    def is_at(self, distortion: float) -> bool:
        """Return whether it is the same change that was found at `distortion`, seen twice."""
        return self.distortion is not None and abs(self.distortion - distortion) <= _TOLERANCE


def interior(
    problem: Problem, parts: list[tuple[Problem, int]], limits: Ends, free: Breakpoint | None
) -> tuple[Breakpoint, ...]:
    """Return the breakpoints above the least distortion, in order; `free` is the last one where it is known."""
    scan = _Scan(problem, Sampler(parts), limits)
    changes = scan.changes()
    return tuple(sorted(scan.breakpoints(changes, free), key=lambda point: point.distortion))


class _Scan:
    def __init__(self, problem: Problem, sampler: Sampler, limits: Ends) -> None:
        self.problem = problem
        self.sampler = sampler
        self.least, self.free = _float(limits.least), _float(limits.free)
        self.exact_free = limits.free
        self.start = self._first()
        self.grid = self._grid()
        self.span = self.grid[-1].level - self.start
        self.noise = _SMOOTH_NOISE if self.grid[0].smooth else _LINEAR_NOISE

    def _first(self) -> float:
        """Return the least level at which the solver finds a mechanism."""
        level = self.sampler.least_level()
        step = 0.0
        while self.sampler.at(level + step) is None and step < _NEGLIGIBLE:
            step = max(1e-12, 8 * step)
        return level + step

    def _grid(self) -> list[Sample]:
        """Return samples from the least level to one beyond which the distortion has next to nothing to lose."""
        near = self.least + _NEGLIGIBLE * (self.free - self.least)
        span = 1.0
        while span < _LARGEST_LEVEL:
            sample = self.sampler.at(self.start + span)
            if sample is not None and sample.distortion <= near:
                break
            span *= 2
        low, high = 0.0, span
        for _ in range(20):
            middle = (low + high) / 2
            sample = self.sampler.at(self.start + middle)
            low, high = (low, middle) if sample is not None and sample.distortion <= near else (middle, high)
        samples = [self.sampler.at(self.start + high * i / _CELLS) for i in range(_CELLS + 1)]
        return [sample for sample in samples if sample is not None]

    def changes(self) -> list[_Change]:
        """Return where the course changes, by level; the ends of flat pieces are among them."""
        found: list[_Change] = []
        for before, after in pairwise(self.grid):
            for change in self._located(before, after):
                if found and change.before.level - found[-1].after.level < _ONE_CHANGE * self.span:
                    # A pattern may change bit by bit within rounding errors.
                    found[-1] = _Change(found[-1].before, change.after)
                else:
                    found.append(change)
        confirmed: list[_Change] = []
        for change in found:
            place = self._crossing(change)
            if place is None:
                continue
            last = confirmed[-1] if confirmed else None
            if last is not None and change.before.level - last.after.level < _STEP * self.span and last.is_at(place):
                confirmed[-1] = replace(last, after=change.after)
            else:
                confirmed.append(replace(change, distortion=place))
        return confirmed

    def _located(self, before: Sample, after: Sample) -> list[_Change]:
        """Bisect between two samples of different pattern, unless the distortion does not change at all."""
        if before.pattern == after.pattern or self._flat(before, after):
            return []
        middle = self.sampler.at((before.level + after.level) / 2)
        narrow = after.level - before.level < _BRACKET * self.span
        if narrow or middle is None or len(self.sampler.samples) > _MOST_SAMPLES:
            return [_Change(before, after)]
        return self._located(before, middle) + self._located(middle, after)

    def _flat(self, before: Sample, after: Sample) -> bool:
        return before.distortion - after.distortion <= self.noise

    def _crossing(self, change: _Change) -> float | None:
        """Return the distortion at which the course changes, None where only the pattern does.

        For smooth notions it is where the outputs in use change; for others the slopes must differ.
        """
        step = _STEP * self.span
        if not self.grid[0].smooth:
            # Other changes nearby spoil the wider fits.
            wide = self._kink_between(change, step)
            return self._kink_between(change, step / 16) if wide is None else wide
        if change.before.level - step < self.start:
            return None
        left, right = self.sampler.at(change.before.level - step), self.sampler.at(change.after.level + step)
        if left is None or right is None or left.pattern == right.pattern:
            return None
        return (change.before.distortion + change.after.distortion) / 2

    def _kink_between(self, change: _Change, step: float) -> float | None:
        """Return where cubics through samples on the two sides cross at different slopes, if they do so here."""
        centre = (change.before.level + change.after.level) / 2
        fits = []
        for nearest, side in ((change.before, -step), (change.after, step)):
            levels = [nearest.level + side * k for k in range(1, 5)]
            samples = [self.sampler.at(level) for level in levels if level >= self.start]
            values = [sample.distortion for sample in samples if sample is not None]
            if len(values) < len(levels):
                return None
            fits.append(Polynomial.fit([(level - centre) / step for level in levels], values, 3, domain=[-1, 1]))
        slopes = [float(fit.deriv()(0.0)) for fit in fits]
        if abs(slopes[0] - slopes[1]) <= _BEND * max(map(abs, slopes)):
            return None
        reach = _HERE + (change.after.level - change.before.level) / step
        crossings = (fits[0] - fits[1]).roots()
        here = [float(root.real) for root in crossings if abs(root.imag) < _BEND and abs(root.real) < reach]
        return float(fits[0](min(here, key=abs))) if here else None

    def breakpoints(self, changes: list[_Change], free: Breakpoint | None) -> list[Breakpoint]:
        """Turn changes of course into kinks and flat pieces into jumps; the first piece tells what the end is."""
        first, last = (_Change(end, end) for end in (self.grid[0], self.grid[-1]))
        marks = [first, *changes, last]
        plateaus = [self._plateau(here.after, there.before) for here, there in pairwise(marks)]
        if free is None:
            free = self._threshold() if plateaus[0] is None else self._jump(self._free_place())
        inside = [self._jump(_near(plateau)) for plateau in plateaus[1:-1] if plateau is not None]
        jumps = [point for point in inside if point.kind == "jump"]
        kinks = [
            self._kink(change.distortion)
            for change, before, after in zip(changes, plateaus, plateaus[1:], strict=False)
            if before is None and after is None and change.distortion is not None
        ]
        return [free, *jumps, *kinks]

    def _plateau(self, before: Sample, after: Sample) -> float | None:
        """Return the distortion of a flat piece, None for a piece that falls."""
        quarter = (after.level - before.level) / 4
        left, right = self.sampler.at(before.level + quarter), self.sampler.at(after.level - quarter)
        return left.distortion if left is not None and right is not None and self._flat(left, right) else None

    def _threshold(self) -> Breakpoint:
        place = self._free_place()
        value = value_at(self.problem, place)
        return Breakpoint("threshold", place, value, value, self._tolerance())

    def _kink(self, distortion: float) -> Breakpoint:
        place = _near(distortion)
        value = value_at(self.problem, place)
        return Breakpoint("kink", place, value, value, self._tolerance())

    def _jump(self, place: Rational) -> Breakpoint:
        tolerance = self._tolerance()
        before, here = value_at(self.problem, place - Rational(1, round(1 / tolerance))), value_at(self.problem, place)
        if before.lower.lower - here.upper.upper > _LEAST_JUMP:
            return Breakpoint("jump", place, before, here, tolerance)
        # The piece was only nearly flat: the loss gets there by itself.
        return Breakpoint("threshold", place, here, here, tolerance)

    def _free_place(self) -> Rational:
        """Return the least distortion at the least level: that of a constant mechanism unless another does better."""
        found = self.grid[0].distortion
        smooth = self.grid[0].smooth
        return self.exact_free if smooth or found > self.free - _TOLERANCE else _near(found)

    def _tolerance(self) -> float:
        return _SMOOTH_TOLERANCE if self.grid[0].smooth else _TOLERANCE


def _float(value: Rational) -> float:
    return int(value.p) / int(value.q)


def _near(value: float) -> Rational:
    """Return the simple fraction next to a float, or the float itself."""
    simple = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    chosen = simple if abs(simple - Fraction(value)) <= _TOLERANCE / 10 else Fraction(value)
    return Rational(chosen.numerator, chosen.denominator)
