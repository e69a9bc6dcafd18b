"""An interval between two real numbers, each given by a recipe: what is known of a number that is not."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact.real_numbers import Real


@dataclass(frozen=True)
class Interval:
    """A value enclosed between two exactly specified numbers.

    >>> from epstar.exact import Interval, Real
    >>> found = Interval(Real.of("1/3"), Real.of("1/2"))
    >>> found.width > 0, str(found.lower)
    (True, '1/3')
    """

    lower: Real
    upper: Real

    @property
    def width(self) -> float:
        """The width, rounded up; exactly 0.0 where both ends are the same number."""
        if self.upper.is_infinite:
            return 0.0 if self.lower.is_infinite else float("inf")
        difference = self.upper - self.lower
        if self.lower is self.upper or (
            self.lower.argument_of_log is not None and self.lower.argument_of_log == self.upper.argument_of_log
        ):
            return 0.0
        return max(0.0, difference.upper)
