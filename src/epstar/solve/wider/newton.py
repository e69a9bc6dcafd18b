"""Newton's method within a bracket, for the least level at which a distortion is kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

# Shares of a level: what floats may leave unclear of it, and Newton's steps whose square is below all that counts.
_UNCLEAR, _SQUARED = 1e-6, 1e-8
# How many of Newton's steps halve a bracket at least.
_SLOW = 4


@dataclass(frozen=True)
class Excess:
    """By how much a distortion, or a constraint, is too large at a level, and how fast that changes with the level."""

    value: float
    slope: float
    rounding: float
    """What floats may be wrong by; zero where it is not a distortion."""
    is_smooth: bool

    @property
    def step(self) -> float:
        """Newton's step: how far the level should move."""
        usable = math.isfinite(self.value) and self.slope < 0
        return -self.value / self.slope if usable else math.copysign(math.inf, self.value)

    def is_told(self, level: float) -> bool:
        """Whether another step would say no more than this one: by rounding, or because steps square their error."""
        if self.rounding == 0 or not math.isfinite(self.step) or self.rounding > -self.slope * _UNCLEAR * level:
            return False
        return abs(self.value) <= self.rounding or (self.is_smooth and abs(self.step) <= _SQUARED * level)


def next_level(level: float, step: float, low: float, high: float, widths: list[float]) -> float:
    """Return the level to look at next: by Newton's step, by halves where these do not close the bracket in."""
    newton, middle = level + step, (max(low, 0.0) + high) / 2
    if high == math.inf:
        return min(max(newton, level * (1 + 1e-12)), 2 * max(level, 1.0))
    widths.append(high - low)
    if low < 0:
        return newton if 0 < newton < high and math.isfinite(step) else 0.0
    is_slow = len(widths) > _SLOW and widths[-1] > widths[-_SLOW] / 2
    return newton if low < newton < high and not is_slow else middle
