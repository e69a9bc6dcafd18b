r"""The level at which a falling function is what is allowed: Newton's method, kept within a bracket.

The least distortion D(level) falls as the level rises, and each program that finds it also says how fast: a bound that
grows with the level is worth its multiplier. What D is more than the least distortion of all falls about exponentially,
so that the tangent is that of its logarithm,

    level' = level + (D - least) log((D - least) / (allowed - least)) / slope.

The bracket holds the largest level known to be too small and the smallest known to be enough. A step that leaves it, or
a few that hardly shrink it, are replaced: by a larger level while none is known to be enough; else by the plain tangent
from below, which ends at a kink beyond which the distortion is flat, and by halving. Near the root a step goes a hair
beyond it, so that the last level is enough (Press et al., Numerical Recipes, 9.4).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

LARGEST_LEVEL = 60.0
"""Nats: the largest level that programs in floats are asked for, as e^60 is more than they hold next to one."""
MOST_PROGRAMS = 60
"""More programs than a search takes that gets anywhere."""
NARROW = 1e-9
"""Nats, or units of the distortion: the width of an interval that floats are not asked to better."""
# A step of Newton's method that is more than half as long as the one before may be followed by so many like it, and a
# tangent from below by so many that leave more than half of the bracket: between two flat parts all lead past the root,
# but next to the least distortion, where a level is 70 nats, the fourth may be the one that does not.
_PATIENCE, _STUCK = 2, 6
# From this share of a level on the tangent is the function, up to the rounding of floats.
_NEAR = 1e-4


@dataclass
class LevelSearch:
    """Levels to try, one after the other, until the last is enough and no more than a `hair` above the root.

    `least` is the least distortion of all, `allowed` the one that is asked for; `hair` is the share of the level, and
    of the distortion, to which programs know theirs; `most` is the largest level that is asked for.
    """

    least: float
    allowed: float
    low: float = 0.0
    level: float = 1.0
    hair: float = 1e-13
    most: float = LARGEST_LEVEL
    high: float = field(default=math.inf, init=False)
    is_done: bool = field(default=False, init=False)
    _slow: int = field(default=0, init=False)
    _step: float = field(default=math.inf, init=False)
    _tangent: float = field(default=math.inf, init=False)
    _width: float = field(default=math.inf, init=False)
    _stuck: int = field(default=0, init=False)

    def tell(self, distortion: float, slope: float) -> None:
        """Take what was found at `level`: the least distortion, infinite where there is no mechanism, and its fall."""
        here = self.level
        is_enough = distortion <= self.allowed
        if is_enough:
            self.high = min(self.high, here)
        elif here >= self.low:
            self.low = here
            self._tangent = here + (distortion - self.allowed) / slope if slope > 0 else math.inf
        hair = self._hair(distortion, slope)
        root = self._root(distortion, slope)
        if self.high - self.low <= 5 * hair:
            # Halfway levels are told apart no more.
            self.is_done = is_enough or self.high <= here
            self.level = self.high
            return
        if is_enough and 0 <= here - root <= 4 * hair:
            self.is_done = True
            return
        if not is_enough and self.low >= self.most:
            self.is_done = True
            return
        step = abs(root - here)
        self._slow = self._slow + 1 if step > self._step / 2 else 0
        self._step = step
        self.level = self._next(root, hair)

    def _next(self, root: float, hair: float) -> float:
        beyond = root + 2 * hair if abs(root - self.level) <= _NEAR * max(1.0, self.level) else root
        if math.isinf(self.high):
            # The first steps may go far, and a distortion that hardly falls tells little.
            most = min(self.most, 4 * max(self.low, 0.5))
            return min(beyond, most) if self.low < beyond else most
        if self.low < beyond < self.high and self._slow <= _PATIENCE:
            return beyond
        self._slow = 0
        width, self._width = self._width, self.high - self.low
        self._stuck = self._stuck + 1 if self._width > width / 2 else 0
        # First a hair above its end, then as much below: at a kink these two levels are all that is needed.
        tangent = self._tangent + (2 * hair if self._tangent + 2 * hair < self.high else -2 * hair)
        if self.low < tangent < self.high and tangent != self.level and self._stuck <= _STUCK:
            return tangent
        if self._tangent <= self.high + 4 * hair:
            # The function bends away from its tangent: it ends above the root by a square of how far it leads.
            apart = self.high - self.low
            return self.high - max(4 * hair, apart * min(0.5, 2 * apart / self.high))
        # Far apart, levels are compared by their ratio.
        if self.low > 0 and self.high > 4 * self.low:
            return math.sqrt(self.low * self.high)
        return self.low + (self.high - self.low) / (2 if self.low > 0 else 16)

    def _root(self, distortion: float, slope: float) -> float:
        """Return where the tangent of the logarithm is what is allowed; beyond all levels where it never is."""
        more, room = distortion - self.least, self.allowed - self.least
        if not (math.isfinite(distortion) and slope > 0):
            return math.inf if distortion > self.allowed else -math.inf
        if more > 0 and room > 0:
            return self.level + more * math.log(more / room) / slope
        return self.level + (distortion - self.allowed) / slope

    def _hair(self, distortion: float, slope: float) -> float:
        """Return how far apart two levels are that floats tell apart, by themselves or by their distortions."""
        known = self.hair * max(1.0, self.level)
        size = self.hair * max(abs(self.allowed), abs(self.least))
        more, room = distortion - self.least, self.allowed - self.least
        if 0 < more < room:
            # Far beyond the root the distortion is nearly flat; at the root it falls as much faster as it is larger.
            slope *= room / more
        return max(known, size / slope) if slope > 0 and math.isfinite(slope) else known
