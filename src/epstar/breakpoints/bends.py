"""Where a piecewise smooth function of one number, known by its values alone, changes its course.

A window of values tells whether the function is smooth there or turns; one that tells neither is halved. A turn must
show in every closer window around it as well, down to the errors of the values.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from epstar.breakpoints.window import STEPS, Bend, Value, Window

Function = Callable[[float], Value | None]
"""None where no value is known."""

# The parts of the first round: at least so many, and none wider.
_PARTS = 16
_WIDEST = 0.75
# The narrowest part, as a share of the range.
_NARROWEST = 1e-4
# By what closer windows are closer; the last one, and how well a place needs to be known, as shares of the range.
_CLOSER = 4.0
_CLOSEST, _KNOWN = 1e-7, 1e-10
# By which share of the range a turn may be outside of the part in which it is found.
_SLIP = 1e-6


def bends(function: Function, low: float, high: float) -> list[Bend]:
    """Return where a function turns between two numbers, in order.

    Turns closer than a thousandth of the range may be taken for one, or missed. Costs some two hundred values, and a
    hundred for each turn.

    >>> found = bends(lambda t: Value(max(2 - t, 1 / (1 + t)), 1e-15), 0.0, 3.0)
    >>> [round(bend.place, 9) for bend in found]
    [1.618033989]
    """
    return _Search(function, low, high).bends()


class _Search:
    def __init__(self, function: Function, low: float, high: float) -> None:
        self.function = function
        self.low, self.high = low, high
        self.span = high - low

    def bends(self) -> list[Bend]:
        count = max(_PARTS, math.ceil(self.span / _WIDEST))
        found: list[Bend] = []
        for bend in (bend for i in range(count) for bend in self._within(i, count)):
            # One next to the common end of two parts may be found in both.
            if found and bend.place - found[-1].place <= 2 * (bend.tolerance + found[-1].tolerance):
                found[-1] = min(found[-1], bend, key=lambda bend: bend.tolerance)
            else:
                found.append(bend)
        return found

    def _within(self, i: int, count: int) -> list[Bend]:
        """Return the turns in one part of the range, of `count` equal ones."""
        is_narrow = count * _NARROWEST > 1
        window = self._around(i, count)
        if window is not None:
            if window.is_smooth:
                return []
            if window.is_bent_once or (is_narrow and window.is_bent):
                found = self._confirmed(window, self.span / count)
                if found is not None:
                    inside = i / count - _SLIP <= (found.place - self.low) / self.span <= (i + 1) / count + _SLIP
                    return [found] if inside else []
        return [] if is_narrow else self._within(2 * i, 2 * count) + self._within(2 * i + 1, 2 * count)

    def _confirmed(self, window: Window, half: float) -> Bend | None:
        """Return a turn as closer windows show it, None if one of them shows that there is none."""
        limit = _KNOWN * self.span
        while half > _NARROWEST * self.span or (half > _CLOSEST * self.span and window.bend.tolerance > limit):
            half /= _CLOSER
            centre = window.bend.place
            closer = self._window([centre + half * (2 * k / STEPS - 1) for k in range(STEPS + 1)])
            if closer is None or window.is_belied_by(closer):
                return None
            if not closer.is_discernible:
                break
            window = closer
        return window.bend if window.bend.tolerance < half else None

    def _around(self, i: int, count: int) -> Window | None:
        """Return the window of a part with half of it on both sides, as far as the range goes."""
        steps = count * STEPS // 2
        first = min(max(i * STEPS // 2 - STEPS // 4, 0), steps - STEPS)
        places = [self.low + self.span * k / steps for k in range(first, first + STEPS + 1)]
        return self._window([min(place, self.high) for place in places])

    def _window(self, places: list[float]) -> Window | None:
        """Return the window of places, None where a value is not known."""
        if not self.low <= places[0] <= places[-1] <= self.high:
            return None
        known = [self.function(place) for place in places]
        values = [value for value in known if value is not None]
        return Window(places[0], places[-1], values) if len(values) == len(known) else None
