"""Breakpoints found numerically: a scan of the least distortion over levels.

As a function of the level the least distortion falls; where it is flat the least loss jumps, and where its slope
changes the least loss has a kink, as it has for a convex notion where its curvature does. It is piecewise smooth, so
that proven values alone show all of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from epstar.breakpoints.breakpoint import Breakpoint, proven, value_at
from epstar.breakpoints.ends import Ends
from epstar.breakpoints.kinks import Bend, Value, bends
from epstar.deadline import Deadline
from epstar.errors import NoSolution, SolverFailure
from epstar.exact import Rational, Real, largest
from epstar.problem import Problem
from epstar.solve.program.constant import best_constant, constant_mechanism
from epstar.solve.program.laws import Members, exact
from epstar.solve.shapes import has_lines

_LARGEST_LEVEL = 24.0
_NEGLIGIBLE = 10**4
_HALVINGS = 8
# Of a distortion, within which a piece is flat.
_FLAT = 1e-12
_TOLERANCE = 1e-9
_CONVEX_TOLERANCE = 1e-5
_LEAST_JUMP = 1e-6
# Of a fraction that a place may stand for.
_LARGEST_DENOMINATOR = 1000


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
        self.is_convex = not all(_is_linear(part) for part, _ in sampler.parts)
        self.tolerance = _CONVEX_TOLERANCE if self.is_convex else _TOLERANCE
        self.lowest = least_level(sampler.parts) if limits.lowest is None else limits.lowest
        self.start = self._first()
        self.top = self._top(limits, highest)

    def _first(self) -> float:
        """Return the least level at which something is proven."""
        level, step = self.lowest.upper, 0.0
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
        """Return flat pieces as jumps and other changes of course as kinks.

        A convex notion has no jumps: its least distortion is a convex function of what bounds its sums.
        """
        if self.is_convex:
            return [*map(self._kink, self._turns()), self._end()]
        turns = self._turns()
        levels = [self.start, *(turn.place for turn in turns), self.top]
        flat = [self._is_flat(here, there) for here, there in pairwise(levels)]
        if free is None:
            free = self._end()
        jumps = [self._jump(here, there) for here, there in list(pairwise(levels))[1:-1] if self._is_flat(here, there)]
        kinks = [
            self._kink(turn)
            for turn, before, after in zip(turns, flat, flat[1:], strict=False)
            if not before and not after
        ]
        return [*(jump for jump in jumps if jump is not None), *kinks, free]

    def _turns(self) -> list[Bend]:
        """Return the levels at which the least distortion changes its course."""
        if not self.is_convex:
            return bends(self.sampler.at, self.start, self.top)

        # Next to its least level a convex notion allows what grows like the root of the level.
        def at(root: float) -> Value | None:
            return self.sampler.at(self.start + root * root)

        roots = bends(at, 0.0, math.sqrt(self.top - self.start))
        return [Bend(self.start + root.place**2, 2 * root.place * root.tolerance) for root in roots]

    def _is_flat(self, here: float, there: float) -> bool:
        """Return whether the distortion stays the same on a piece between two changes."""
        left, right = (self.sampler.at(here + (there - here) * share) for share in (0.25, 0.75))
        return left is not None and right is not None and left.number - right.number <= _FLAT

    def _kink(self, turn: Bend) -> Breakpoint:
        """Return the kink at a level; the distortions next to it tell how well its own is known."""
        levels = (turn.place - turn.tolerance, turn.place, turn.place + turn.tolerance)
        most, here, least = (self._least_distortion(Real.of(exact(level))) for level in levels)
        place = _near(here)
        tolerance = max(_TOLERANCE, float(Real.of(max(most - place, place - least))))
        value = value_at(self.problem, place, self.deadline)
        return Breakpoint("kink", place, value, value, tolerance)

    def _jump(self, here: float, there: float) -> Breakpoint | None:
        """Return the jump of the loss at the distortion of a flat piece, None where the piece was only nearly flat."""
        # At the logarithm of a fraction the least distortion may be known exactly.
        middle = Fraction(float(Real.exp(exact((here + there) / 2)))).limit_denominator(_LARGEST_DENOMINATOR)
        level = Real.log(Rational(middle.numerator, middle.denominator))
        return self._jump_at(self._least_distortion(level))

    def _jump_at(self, place: Rational) -> Breakpoint | None:
        """Return the jump at a distortion, None if it is not the least one at the levels between its two sides."""
        before = value_at(self.problem, place - Rational(1, round(1 / self.tolerance)), self.deadline)
        here = value_at(self.problem, place, self.deadline)
        low, high = here.upper.upper, before.lower.lower
        if high - low <= _LEAST_JUMP:
            return None
        between = None if math.isinf(high) else self.sampler.at((low + high) / 2)
        is_flat = between is None or between.number + between.error >= float(Real.of(place)) - _FLAT
        return Breakpoint("jump", place, before, here, self.tolerance) if is_flat else None

    def _end(self) -> Breakpoint:
        """Return the least distortion at the least level: that of a constant mechanism unless another does better."""
        place = self._least_distortion(self.lowest)
        if self.problem.is_wider:
            # The least level is known from above, so that the place may be a little off a fraction.
            place = _near(place)
        # The first piece may be flat, and too short for the scan.
        jump = None if self.is_convex else self._jump_at(place)
        value = value_at(self.problem, place, self.deadline)
        return Breakpoint("threshold", place, value, value, self.tolerance) if jump is None else jump

    def _least_distortion(self, level: Real) -> Rational:
        """Return the proven least distortion at a level, rounded up where it is not known exactly."""
        upper = proven(replace(self.problem, asks="distortion", given=level), self.deadline).upper
        return upper.rational if upper.rational is not None else exact(upper.upper)


def _is_linear(problem: Problem) -> bool:
    if problem.is_wider:
        from epstar.solve.wider.search import is_linear

        return is_linear(problem)
    return has_lines(problem.notion.constraints(problem.universe, Members.start(problem).for_notion))


def _near(value: Rational) -> Rational:
    """Return the simple fraction next to a number, or the number itself."""
    known = Fraction(int(value.p), int(value.q))
    simple = known.limit_denominator(_LARGEST_DENOMINATOR)
    return Rational(simple.numerator, simple.denominator) if abs(simple - known) <= _TOLERANCE / 10 else value


def least_level(parts: Sequence[tuple[Problem, int]]) -> Real:
    """Return the loss of constant mechanisms, below which the notion admits nothing."""
    levels = []
    for problem, _ in parts:
        loss = problem.notion.loss(constant_mechanism(problem, best_constant(problem).law), problem.source)
        assert loss.upper is not None, "constant mechanisms are exact"
        levels.append(loss.upper)
    return largest(levels)


class Sampler:
    """Proves the least distortion of a problem, or of the rows that it is made of, at levels; and remembers it.

    A solver's word would not do: where it is off by more than it says, it makes breakpoints that are none.
    """

    def __init__(self, parts: list[tuple[Problem, int]], deadline: Deadline) -> None:
        self.parts = parts
        self.deadline = deadline
        self.values: dict[float, Value | None] = {}

    def at(self, level: float) -> Value | None:
        """Return the least distortion at a level, None where nothing is proven.

        Raises:
            TimeLimit: if the time is up.
        """
        if level not in self.values:
            self.values[level] = self._proven(Real.of(exact(level)))
        return self.values[level]

    def _proven(self, level: Real) -> Value | None:
        lower = upper = 0.0
        for problem, count in self.parts:
            try:
                found = proven(replace(problem, asks="distortion", given=level), self.deadline)
            except (NoSolution, SolverFailure):
                return None
            lower += count * found.lower.lower
            upper += count * found.upper.upper
        return Value((lower + upper) / 2, (upper - lower) / 2)
