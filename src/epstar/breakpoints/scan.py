"""Breakpoints found numerically: a scan of the least distortion over levels.

As a function of the level the least distortion falls; where it is flat the least loss jumps, and where its slope
changes the least loss has a kink. It is piecewise smooth, so that values alone show the kinks; for convex notions,
whose slopes seldom jump, levels at which other outputs are in use are bisected too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise

from epstar.breakpoints.bends import bends
from epstar.breakpoints.breakpoint import Breakpoint, proven, value_at
from epstar.breakpoints.ends import Ends
from epstar.breakpoints.sampling import Sample, Sampler, least_level
from epstar.exact import Rational, Real
from epstar.problem import Problem
from epstar.solve.programs.evidence import exact
from epstar.solve.programs.general import Deadline

_CELLS = 96
_LARGEST_LEVEL = 24.0
_NEGLIGIBLE = 10**4
_HALVINGS = 8
_LINEAR_NOISE = 1e-12
_SMOOTH_NOISE = 1e-8
_TOLERANCE = 1e-9
_SMOOTH_TOLERANCE = 1e-5
_LEAST_JUMP = 1e-6
# Of a fraction that a place may stand for.
_LARGEST_DENOMINATOR = 1000
# Shares of the range of levels: of a bracket of outputs in use, and how far on both sides they must stay the same.
_BRACKET, _STEADY = 1e-7, 1e-4
# Within which a kink is taken for what a change of the outputs makes, whose place is known better.
_NEAR = 1e-2


@dataclass(frozen=True)
class _Change:
    """A level at which the course changes, the distortion there, and how well that is known."""

    level: float
    distortion: float
    tolerance: float


def interior(
    problem: Problem,
    parts: list[tuple[Problem, int]],
    limits: Ends,
    free: Breakpoint | None,
    highest: Real,
    deadline: Deadline,
) -> tuple[Breakpoint, ...]:
    """Return the breakpoints above the least distortion, in order.

    `free` is the last one where it is known, and `highest` the loss at the least distortion.

    Raises:
        TimeLimit: if the time is up.
    """
    found = _Scan(problem, Sampler(parts, deadline), limits, highest).breakpoints(free)
    return tuple(sorted(found, key=lambda point: point.distortion))


class _Scan:
    def __init__(self, problem: Problem, sampler: Sampler, limits: Ends, highest: Real) -> None:
        self.problem = problem
        self.sampler = sampler
        self.deadline = sampler.deadline
        self.lowest = least_level(sampler.parts)
        self.start = self._first()
        self.top = self._top(limits, highest)
        first = self.sampler.at(self.start)
        self.smooth = first is not None and first.smooth
        self.noise = _SMOOTH_NOISE if self.smooth else _LINEAR_NOISE
        self.tolerance = _SMOOTH_TOLERANCE if self.smooth else _TOLERANCE

    def _first(self) -> float:
        """Return the least level at which the solver finds a mechanism."""
        level, step = float(self.lowest), 0.0
        while self.sampler.at(level + step) is None and step < 1 / _NEGLIGIBLE:
            step = max(1e-12, 8 * step)
        return level + step

    def _top(self, limits: Ends, highest: Real) -> float:
        """Return the level of the least distortion, or one beyond which there is next to nothing to gain."""
        if not highest.is_infinite and float(highest) <= self.start + _LARGEST_LEVEL:
            return float(highest)
        near = limits.least + Rational(1, _NEGLIGIBLE) * (limits.free - limits.least)
        low, high = 0.0, 1.0
        while high < _LARGEST_LEVEL and not self._is_below(self.start + high, near):
            low, high = high, min(2 * high, _LARGEST_LEVEL)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (low, middle) if self._is_below(self.start + middle, near) else (middle, high)
        return self.start + high

    def _is_below(self, level: float, distortion: Rational) -> bool:
        # Proven, because a solver's word is worth little where e^level is large.
        return self._least_distortion(Real.of(exact(level))) <= distortion

    def breakpoints(self, free: Breakpoint | None) -> list[Breakpoint]:
        """Return flat pieces as jumps and other changes of course as kinks; the first piece tells what the end is.

        A convex notion has no jumps: its least distortion is a convex function of what bounds its sums.
        """
        if self.smooth:
            known = self._outputs()
            others = [c for c in self._kinks() if all(abs(c.level - k.level) > _NEAR * self.span for k in known)]
            return [*map(self._kink, [*known, *others]), self._end(may_jump=False)]
        changes = self._kinks()
        levels = [self.start, *(change.level for change in changes), self.top]
        flat = [self._is_flat(here, there) for here, there in pairwise(levels)]
        if free is None:
            free = self._end(flat[0])
        jumps = [self._jump(here, there) for here, there in list(pairwise(levels))[1:-1] if self._is_flat(here, there)]
        kinks = [
            self._kink(change)
            for change, before, after in zip(changes, flat, flat[1:], strict=False)
            if not before and not after
        ]
        return [*(jump for jump in jumps if jump is not None), *kinks, free]

    def _kinks(self) -> list[_Change]:
        """Return where the slope changes."""

        def least(level: float) -> float | None:
            sample = self.sampler.at(level)
            return None if sample is None else sample.distortion

        return [
            _Change(bend.place, bend.value, max(self.tolerance, self.noise / bend.share))
            for bend in bends(least, self.start, self.top, self.noise)
        ]

    def _outputs(self) -> list[_Change]:
        """Return where other outputs come into use, for a convex notion."""
        samples = [self.sampler.at(self.start + (self.top - self.start) * i / _CELLS) for i in range(_CELLS + 1)]
        known = [sample for sample in samples if sample is not None]
        steady: list[_Change] = []
        for change in (change for before, after in pairwise(known) for change in self._located(before, after)):
            if self._is_steady(change) and not (steady and change.level - steady[-1].level < self._step):
                steady.append(change)
        return steady

    def _located(self, before: Sample, after: Sample) -> list[_Change]:
        """Bisect between two samples that use different outputs, unless the distortion does not change at all."""
        if before.outputs == after.outputs or before.distortion - after.distortion <= self.noise:
            return []
        level = (before.level + after.level) / 2
        middle = self.sampler.at(level)
        if middle is None or after.level - before.level < _BRACKET * (self.top - self.start):
            return [_Change(level, (before.distortion + after.distortion) / 2, _SMOOTH_TOLERANCE)]
        return self._located(before, middle) + self._located(middle, after)

    def _is_steady(self, change: _Change) -> bool:
        """Return whether different outputs are in use on the two sides, and not only within rounding errors."""
        if change.level - self._step < self.start:
            return False
        left, right = self.sampler.at(change.level - self._step), self.sampler.at(change.level + self._step)
        return left is not None and right is not None and left.outputs != right.outputs

    @property
    def span(self) -> float:
        """The range of levels."""
        return self.top - self.start

    @property
    def _step(self) -> float:
        return _STEADY * self.span

    def _is_flat(self, here: float, there: float) -> bool:
        """Return whether the distortion stays the same on a piece between two changes."""
        left, right = (self.sampler.at(here + (there - here) * share) for share in (0.25, 0.75))
        return left is not None and right is not None and left.distortion - right.distortion <= self.noise

    def _kink(self, change: _Change) -> Breakpoint:
        place = _near(change.distortion)
        value = value_at(self.problem, place, self.deadline)
        return Breakpoint("kink", place, value, value, change.tolerance)

    def _jump(self, here: float, there: float) -> Breakpoint | None:
        """Return the jump of the loss at the distortion of a flat piece, None where the piece was only nearly flat."""
        # At the logarithm of a fraction the least distortion may be known exactly.
        middle = Fraction(float(Real.exp(exact((here + there) / 2)))).limit_denominator(_LARGEST_DENOMINATOR)
        level = Real.log(Rational(middle.numerator, middle.denominator))
        return self._jump_at(self._least_distortion(level))

    def _jump_at(self, place: Rational) -> Breakpoint | None:
        before = value_at(self.problem, place - Rational(1, round(1 / self.tolerance)), self.deadline)
        here = value_at(self.problem, place, self.deadline)
        if before.lower.lower - here.upper.upper > _LEAST_JUMP:
            return Breakpoint("jump", place, before, here, self.tolerance)
        return None

    def _end(self, may_jump: bool) -> Breakpoint:
        """Return the least distortion at the least level: that of a constant mechanism unless another does better."""
        place = self._least_distortion(self.lowest)
        jump = self._jump_at(place) if may_jump else None
        value = value_at(self.problem, place, self.deadline)
        return Breakpoint("threshold", place, value, value, self.tolerance) if jump is None else jump

    def _least_distortion(self, level: Real) -> Rational:
        """Return the proven least distortion at a level, rounded up where it is not known exactly."""
        upper = proven(replace(self.problem, asks="distortion", given=level), self.deadline).upper
        return upper.rational if upper.rational is not None else exact(upper.upper)


def _near(value: float) -> Rational:
    """Return the simple fraction next to a float, or the float itself."""
    simple = Fraction(value).limit_denominator(_LARGEST_DENOMINATOR)
    chosen = simple if abs(simple - Fraction(value)) <= _TOLERANCE / 10 else Fraction(value)
    return Rational(chosen.numerator, chosen.denominator)
