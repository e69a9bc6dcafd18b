"""One breakpoint of a trade-off, and the values on its two sides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from epstar.errors import NoSolution, TimeLimit
from epstar.exact import INFINITY, Interval, Rational, Real
from epstar.problem import Problem

if TYPE_CHECKING:
    from epstar.deadline import Deadline

Kind = Literal["least distortion", "jump", "kink", "threshold"]


@dataclass(frozen=True)
class Breakpoint:
    """A distortion at which the least loss, as a function of the distortion, changes its course.

    Kinds: the "least distortion" that any mechanism has; a "jump" of the loss; a "kink", where its slope (or, for
    convex notions, at least its curvature) changes; the "threshold" from which on the loss is the least of all.

    `left` encloses the limit from below and `right` the value at the distortion, which is also the limit from above
    (the least loss is continuous from the right). Below the least distortion there is no mechanism, and the loss
    counts as infinite. With `tolerance` zero all of this is exact or proven. Otherwise the breakpoint was found
    numerically: its place is known to within the tolerance, and `left` at a jump is the proven value at a distance
    of the tolerance to the left.

    >>> from epstar import Frontier
    >>> jump = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").breakpoints()[-1]
    >>> jump.kind, str(jump.distortion), str(jump.left.upper), str(jump.right.upper)
    ('jump', '3/5', 'log(4/3)', '0')
    """

    kind: Kind
    distortion: Rational
    left: Interval
    right: Interval
    tolerance: float = 0.0

    @property
    def is_exact(self) -> bool:
        """Whether the place is exact, not found numerically."""
        return self.tolerance == 0.0

    def scaled(self, distortion: Rational, loss: Rational) -> Breakpoint:
        """Return the same breakpoint with distortions and losses multiplied."""
        return replace(
            self,
            distortion=self.distortion * distortion,
            left=_scaled(self.left, loss),
            right=_scaled(self.right, loss),
            tolerance=self.tolerance * float(Real.of(distortion)),
        )


def known(value: Real) -> Interval:
    """Return the interval that holds one number."""
    return Interval(value, value)


NOTHING = known(INFINITY)
"""The loss where there is no mechanism."""


def value_at(problem: Problem, distortion: Rational, deadline: Deadline) -> Interval:
    """Return the proven least loss at a distortion, infinite where there is no mechanism.

    Raises:
        TimeLimit: if the time is up.
    """
    try:
        return proven(replace(problem, asks="loss", given=Real.of(distortion)), deadline)
    except NoSolution:
        return NOTHING


def proven(problem: Problem, deadline: Deadline) -> Interval:
    """Return what is proven of a question when there is time enough.

    Raises:
        TimeLimit: if there is not.
    """
    from epstar.solve import solve

    solved = solve(problem, time_limit=deadline.left())
    if solved.timed_out:
        raise TimeLimit("The time limit passed before all breakpoints were found; raise it.")
    return solved.interval


def _scaled(interval: Interval, factor: Rational) -> Interval:
    if factor == 1:
        return interval
    lower = interval.lower if interval.lower.is_infinite else interval.lower * factor
    upper = interval.upper if interval.upper.is_infinite else interval.upper * factor
    return Interval(lower, lower if interval.lower is interval.upper else upper)
