"""Where a piecewise smooth function of one number, known by its values alone, changes its slope.

A window of eight values at equal steps tells a smooth piece from a kink: their two sixth differences are of the order
of the sixth power of the step for the one, and one of them is of that of the step itself for the other. Windows that
are not smooth are halved down to a bracket; there the cubics through values on the two sides tell whether the slope
changes, by how much, and where.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import Polynomial

Function = Callable[[float], float | None]
"""None where no value is known."""

# The windows of the first round: at least so many, and none wider.
_WINDOWS = 32
_WIDEST = 0.3
_STEPS = 7
_ORDER = 6
# A sixth difference below this share of what the window rises and falls is smooth, as one that errors can cause is.
_SMOOTH = 1e-6
_NOISE = 64.0
# The length, as a share of the range, of a bracket and of the steps at which values on its two sides are taken.
_STEP = 1e-4
_FINER = 16.0
# Slopes that differ by a smaller share are equal; courses that cross further away, in steps, cross elsewhere.
_LEAST = 1e-5
_SLOPE_NOISE = 20.0
_HERE = 0.05


@dataclass(frozen=True)
class Bend:
    """A kink: where it is, the function there, and the difference of its slopes as a share of the larger."""

    place: float
    value: float
    share: float


def bends(function: Function, low: float, high: float, noise: float) -> list[Bend]:
    """Return the kinks of a function between two numbers, in order; its values have errors up to `noise`.

    Kinks closer than a thousandth of the range may be taken for one, or missed. Costs some two hundred values, and a
    hundred for each kink.

    >>> [round(bend.place, 9) for bend in bends(lambda t: max(2 - t, 1 / (1 + t)), 0.0, 3.0, 1e-15)]
    [1.618033989]
    """
    return _Search(function, low, high, noise).bends()


class _Search:
    def __init__(self, function: Function, low: float, high: float, noise: float) -> None:
        self.function = function
        self.low, self.high = low, high
        self.noise = noise
        # Values with larger errors tell less of short pieces.
        self.step = max(_STEP, noise ** (1 / 3)) * (high - low)

    def bends(self) -> list[Bend]:
        brackets = self._brackets(self._places(), self.step)
        return [bend for bracket in brackets for bend in self._confirmed(*bracket)]

    def _places(self) -> list[float]:
        """Return places at equal steps that make up the windows of the first round."""
        span = self.high - self.low
        count = _STEPS * max(_WINDOWS, math.ceil(span / _WIDEST))
        return [self.low + span * i / count for i in range(count)] + [self.high]

    def _brackets(self, places: list[float], width: float) -> list[tuple[float, float]]:
        """Return the parts between places that are not smooth, narrower than `width`; parts that touch are one."""
        narrow: set[tuple[float, float]] = set()
        seen: set[tuple[float, float]] = set()
        waiting = self._rough(places)
        while waiting:
            window = waiting.pop()
            ends = window[0], window[-1]
            if ends[1] - ends[0] < width:
                narrow.add(ends)
            elif ends not in seen:
                seen.add(ends)
                waiting += self._rough(
                    [*(p for here, there in pairwise(window) for p in (here, (here + there) / 2)), ends[1]]
                )
        found: list[tuple[float, float]] = []
        for low, high in sorted(narrow):
            if found and low <= found[-1][1]:
                found[-1] = found[-1][0], max(high, found[-1][1])
            else:
                found.append((low, high))
        return found

    def _rough(self, places: list[float]) -> list[list[float]]:
        """Return the windows among places that are not smooth, and those across the ends of two of them."""
        # A kink at the common end of two windows is in neither.
        starts = [*range(0, len(places) - 1, _STEPS), *range(_STEPS - _STEPS // 2, len(places) - _STEPS, _STEPS)]
        windows = [places[i : i + _STEPS + 1] for i in starts]
        return [window for window in windows if self._smooth_values(window) is None]

    def _smooth_values(self, places: list[float]) -> list[float] | None:
        """Return the values in a window, None where it is not smooth or one is not known."""
        known = [self.function(place) for place in places]
        values = [value for value in known if value is not None]
        if len(values) < len(known):
            return None
        allowed = _NOISE * self.noise + _SMOOTH * (max(values) - min(values))
        return values if float(np.abs(np.diff(values, _ORDER)).max()) <= allowed else None

    def _confirmed(self, low: float, high: float) -> list[Bend]:
        """Return the kink in a bracket, if it is one; others nearby spoil the wider fits, so that finer ones follow."""
        wide = self._crossing(low, high, self.step)
        if wide is not None:
            return [wide]
        places = [low + (high - low) * i / _STEPS for i in range(_STEPS + 1)]
        step = self.step / _FINER
        finer = [self._crossing(*bracket, step) for bracket in self._brackets(places, step)]
        return [bend for bend in finer if bend is not None]

    def _crossing(self, low: float, high: float, step: float) -> Bend | None:
        """Return where cubics through values on the two sides cross at different slopes, if they do so here."""
        centre = (low + high) / 2
        fits = []
        for edge, side in ((low, -step), (high, step)):
            places = [edge + side * k / 2 for k in range(_STEPS + 1)]
            values = self._smooth_values(places) if self.low <= places[-1] <= self.high else None
            if values is None:
                return None
            fits.append(Polynomial.fit([(place - centre) / step for place in places], values, 3, domain=[-1, 1]))
        slopes = [float(fit.deriv()(0.0)) for fit in fits]
        largest = max(map(abs, slopes))
        if abs(slopes[0] - slopes[1]) <= _LEAST * largest + _SLOPE_NOISE * self.noise:
            return None
        reach = _HERE + (high - low) / step
        here = [float(root.real) for root in (fits[0] - fits[1]).roots() if abs(root.imag) < _LEAST]
        here = [root for root in here if abs(root) < reach]
        if not here:
            return None
        place = min(here, key=abs)
        return Bend(centre + step * place, float(fits[0](place)), abs(slopes[0] - slopes[1]) / largest)
