"""Breakpoints of a trade-off whose programs are linear, from its pieces: exact, or within proven brackets.

Where the functions on two sides of a bracket have different slopes the loss has a kink; over a piece on which the
distortion stays the same it jumps. The simplest fraction in a bracket is taken for the place if both pieces hold there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import lcm

from epstar.breakpoints.breakpoint import Breakpoint, known
from epstar.breakpoints.linear_pieces import Piece, Pieces, Place
from epstar.deadline import Deadline
from epstar.errors import InvalidInput, SolverFailure, Undecided
from epstar.exact import ZERO, Interval, Rational, Real
from epstar.notions.constraints import Exponential
from epstar.problem import Problem
from epstar.solve.certify.exact_level import simplest
from epstar.solve.certify.exact_optimum import is_moderate
from epstar.solve.program.laws import Members
from epstar.solve.shapes import has_lines

# Programs of more entries, or of higher powers of the ratio, would take minutes in fractions.
_MOST_ENTRIES = 64
_HIGHEST_POWER = 64
# Up to which a distortion above the least of all is looked at where the loss there is infinite.
_LAST_LEVEL = Real.of(40)
# By which share a slope changes at most within one piece, per share of the ratio.
_CURVATURE = Rational(10) ** 6


@dataclass(frozen=True)
class _Joint:
    """Where two pieces meet: the last place of the one and the first of the other, which are the same if known."""

    before: Place
    after: Place

    @property
    def is_known(self) -> bool:
        return self.before.ratio == self.after.ratio

    @property
    def is_smooth(self) -> bool:
        """Whether the slopes are the same, as far as the bracket can tell."""
        gap = (self.after.ratio - self.before.ratio) / self.before.ratio
        slopes = self.before.slope, self.after.slope
        return abs(slopes[0] - slopes[1]) <= _CURVATURE * gap * max(map(abs, slopes))

    def levels(self, root: int) -> Interval:
        """Return an interval that holds the level."""
        low, high = (Real.log(place.ratio**root) for place in (self.before, self.after))
        return known(low) if self.is_known else Interval(low, high)


def exact_interior(
    parts: Sequence[tuple[Problem, int]], lowest: Real, least: Rational, deadline: Deadline
) -> tuple[Breakpoint, ...] | None:
    """Return the breakpoints above the least distortion, in order; None where the programs are not linear and small.

    `lowest` is the least of all losses, and `least` the least distortion.

    Raises:
        TimeLimit: if the time is up.
    """
    if not all(_is_linear(part) for part, _ in parts):
        return None
    search = Pieces(parts, deadline)
    start = search.ratio(lowest).rational
    if start is None:
        return None
    try:
        first = search.at(start)
        if first is None or first.distortion == least:
            return None if first is None else ()
        found = list(search.after(start, least, search.ratio(_LAST_LEVEL).above()))
        return _Course(first, found, lowest).breakpoints()
    except (InvalidInput, SolverFailure, Undecided):
        return None


class _Course:
    """The pieces in order of their levels, those that meet smoothly as one."""

    def __init__(self, start: Place, found: Sequence[Piece], lowest: Real) -> None:
        self.start = start
        self.lowest = lowest
        self.root = found[0].root
        self.runs: list[Piece] = [found[0]]
        self.joints: list[_Joint] = []
        for piece in found[1:]:
            joint = _joint(self.runs[-1], piece)
            if joint.is_smooth:
                self.runs[-1] = replace(piece, first=self.runs[-1].first)
            else:
                self.joints.append(joint)
                self.runs.append(piece)

    def breakpoints(self) -> tuple[Breakpoint, ...]:
        """Return the breakpoints in order of their distortions."""
        flat = [run.first.distortion == run.last.distortion for run in self.runs]
        found = [self._end(flat[0])]
        for i, joint in enumerate(self.joints):
            if flat[i + 1] and i + 1 < len(self.joints):
                found.append(self._jump(joint.levels(self.root), self.joints[i + 1]))
            elif not flat[i] and not flat[i + 1]:
                found.append(self._kink(joint))
        return tuple(reversed(found))

    def _end(self, is_flat: bool) -> Breakpoint:
        here = known(self.lowest)
        if is_flat and self.joints:
            return self._jump(here, self.joints[0])
        return Breakpoint("threshold", self.start.distortion, here, here)

    def _jump(self, here: Interval, joint: _Joint) -> Breakpoint:
        return Breakpoint("jump", joint.before.distortion, joint.levels(self.root), here)

    def _kink(self, joint: _Joint) -> Breakpoint:
        here = joint.levels(self.root)
        if joint.is_known:
            return Breakpoint("kink", joint.before.distortion, here, here)
        low, high = joint.after.distortion, joint.before.distortion
        return Breakpoint("kink", simplest(low, high), here, here, Real.of(high - low).upper)


def _joint(before: Piece, after: Piece) -> _Joint:
    """Return where two pieces meet, at a fraction if both hold there."""
    ratio = simplest(before.last.ratio, after.first.ratio)
    left, right = before.at(ratio), after.at(ratio)
    if left is None or right is None:
        return _Joint(before.last, after.first)
    return _Joint(left, right)


def _is_linear(problem: Problem) -> bool:
    inputs, outputs = problem.distortion.shape(problem.universe)
    if inputs * outputs > _MOST_ENTRIES or not is_moderate(problem):
        return False
    constraints = problem.notion.constraints(problem.universe, Members.start(problem).for_notion)
    if not has_lines(constraints) or any(total.scale != Exponential() for total in constraints.sums):
        return False
    distances = [bound.distance for bound in constraints.ratios]
    return max(distances, default=ZERO) * lcm(*(int(distance.q) for distance in distances)) <= _HIGHEST_POWER
