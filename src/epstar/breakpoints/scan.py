"""Breakpoints found numerically: a scan of the least distortion over levels.

As a function of the level the least distortion falls; where it is flat the least loss jumps, and where its slope
changes the least loss has a kink. Levels at which the pattern of the optimal mechanism changes are bisected; one
whose two slopes agree is dropped, because a program may have several optimal patterns.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from epstar.breakpoints.breakpoint import Breakpoint, value_at
from epstar.breakpoints.ends import Ends
from epstar.breakpoints.sampling import Sample, Sampler
from epstar.exact import Rational
from epstar.problem import Problem

_CELLS = 96
_LARGEST_LEVEL = 24.0
_NEGLIGIBLE = 1e-4
_SMALLEST_STEP = 1e-11
_ONE_CHANGE = 1e-7
_MOST_SAMPLES = 6000
_LINEAR_NOISE = 1e-11
_SMOOTH_NOISE = 1e-8
_TOLERANCE = 1e-9
_SMOOTH_TOLERANCE = 1e-5
_LARGEST_DENOMINATOR = 10_000


@dataclass(frozen=True)
class _Change:
    """Two neighbouring levels between which the course changes."""

    before: Sample
    after: Sample

    @property
    def distortion(self) -> float:
        return (self.before.distortion + self.after.distortion) / 2


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
            if not self._flat(before, after):
                found += self._located(before, after)
        return [change for change in _merged(found) if self._bends(change)]

    def _located(self, before: Sample, after: Sample) -> list[_Change]:
        """Bisect between two samples of different pattern."""
        if before.pattern == after.pattern:
            return []
        level = (before.level + after.level) / 2
        middle = self.sampler.at(level)
        if middle is None or after.level - before.level < _SMALLEST_STEP or len(self.sampler.samples) > _MOST_SAMPLES:
            return [_Change(before, after)]
        return self._located(before, middle) + self._located(middle, after)

    def _flat(self, before: Sample, after: Sample) -> bool:
        return before.distortion - after.distortion <= self.noise

    def _bends(self, change: _Change) -> bool:
        """Return whether the slopes on the two sides differ, or for smooth notions the outputs in use do."""
        step = (self.grid[-1].level - self.start) * 1e-4
        if change.before.level - 2 * step < self.start:
            return False
        if self.grid[0].smooth:
            left = self.sampler.at(change.before.level - step)
            right = self.sampler.at(change.after.level + step)
            return left is not None and right is not None and left.pattern != right.pattern
        left_slope = self._slope(change.before, -step)
        right_slope = self._slope(change.after, step)
        return abs(left_slope - right_slope) > 1e-5 * max(abs(left_slope), abs(right_slope))

    def _slope(self, sample: Sample, step: float) -> float:
        """Return the one-sided slope, of second order in the step."""
        near, far = self.sampler.at(sample.level + step), self.sampler.at(sample.level + 2 * step)
        if near is None or far is None:
            return 0.0
        return (4 * near.distortion - 3 * sample.distortion - far.distortion) / (2 * step)

    def breakpoints(self, changes: list[_Change], free: Breakpoint | None) -> list[Breakpoint]:
        """Turn changes of course into kinks, flat pieces into jumps, and find out which end the free one is."""
        first = _Change(self.grid[0], self.grid[0])
        found: list[Breakpoint] = []
        ends_flat = False
        for i, (here, there) in enumerate(pairwise([first, *changes])):
            flat = self._flat(here.after, there.before)
            if i == 0 and not flat:
                found.append(free or self._threshold())
            elif flat:
                found.append(free if i == 0 and free is not None else self._jump(here.after))
            elif not ends_flat:
                found.append(self._kink(here))
            ends_flat = flat
        if not changes:
            found.append(free or self._threshold())
        elif not ends_flat:
            found.append(self._kink(changes[-1]))
        return found

    def _threshold(self) -> Breakpoint:
        place = self._free_place()
        value = value_at(self.problem, place)
        return Breakpoint("threshold", place, value, value, self._tolerance())

    def _kink(self, change: _Change) -> Breakpoint:
        place = _near(change.distortion)
        value = value_at(self.problem, place)
        return Breakpoint("kink", place, value, value, self._tolerance())

    def _jump(self, sample: Sample) -> Breakpoint:
        place = self._free_place() if sample is self.grid[0] else _near(sample.distortion)
        tolerance = self._tolerance()
        step = Rational(1, round(1 / tolerance))
        return Breakpoint("jump", place, value_at(self.problem, place - step), value_at(self.problem, place), tolerance)

    def _free_place(self) -> Rational:
        """Return the least distortion at the least level: that of a constant mechanism unless another does better."""
        found = self.grid[0].distortion
        smooth = self.grid[0].smooth
        return self.exact_free if smooth or found > self.free - _TOLERANCE else _near(found)

    def _tolerance(self) -> float:
        return _SMOOTH_TOLERANCE if self.grid[0].smooth else _TOLERANCE


def _merged(changes: list[_Change]) -> list[_Change]:
    """Take changes next to each other for one: a pattern may change bit by bit within rounding errors."""
    merged: list[_Change] = []
    for change in changes:
        if merged and change.before.level - merged[-1].after.level < _ONE_CHANGE:
            merged[-1] = _Change(merged[-1].before, change.after)
        else:
            merged.append(change)
    return merged


def _float(value: Rational) -> float:
    return int(value.p) / int(value.q)


def _near(value: float) -> Rational:
    """Return the simple fraction next to a float, or the float itself."""
    simple = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    chosen = simple if abs(simple - Fraction(value)) <= _TOLERANCE else Fraction(value)
    return Rational(chosen.numerator, chosen.denominator)
