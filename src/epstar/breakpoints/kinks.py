"""Where a piecewise smooth function of one number, known by its values alone, changes its course.

A window of values tells whether the function is smooth there or turns; one that tells neither is halved. A turn must
show in every closer window around it as well, down to the errors of the values.

One polynomial goes through them, or two of half the degree that meet at a place: as many numbers either way. Where the
function is smooth the one fits better, and where it turns the two do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 20
"""Between the values of a window, all of the same length."""
_HALF_DEGREE = 4
_DEGREE = 2 * _HALF_DEGREE + 1
# Two polynomials meet in this part of a window that reaches from -1 to 1.
_REACH = 0.5
# What polynomials may miss: a share of what the function rises and falls, and errors of the values.
_SHARE = 1e-8
_ERRORS = 4.0
# Two fit better than one if they miss so much less, by far more than errors make of it.
_BETTER = 8.0
_DISCERNIBLE = 32.0
# Two that touch fit as well as two that cross if they miss no more than so much as much.
_AS_WELL = 2.0
# A place at which they miss so much more is out of the question.
_UNLIKELY = 4.0
# Places tried at once for two polynomials to meet at, and how often closer ones are.
_TRIALS = 21
_ROUNDS = 9


@dataclass(frozen=True)
class Value:
    """A value of a function, and how far it may be off."""

    number: float
    error: float


@dataclass(frozen=True)
class Bend:
    """Where a function turns, by its slope or at least by its curvature, and how well the place is known."""

    place: float
    tolerance: float


@dataclass(frozen=True)
class Window:
    """Values at equal steps from one place to another."""

    low: float
    high: float
    values: list[Value]

    @property
    def is_smooth(self) -> bool:
        """Whether one polynomial misses next to nothing."""
        return self._smooth <= self._allowed

    @property
    def is_discernible(self) -> bool:
        """Whether one polynomial misses more than errors of the values could make of it."""
        return self._smooth > _DISCERNIBLE * self._error

    @property
    def is_bent(self) -> bool:
        """Whether two polynomials fit better."""
        return self.is_discernible and self._smooth > _BETTER * self._met.missed

    @property
    def is_bent_once(self) -> bool:
        """Whether two polynomials fit better, and miss nothing that could be another turn."""
        return self.is_bent and self._met.missed <= self._allowed

    def is_belied_by(self, closer: Window) -> bool:
        """Return whether a closer window around the turn shows none where it could not be lost in errors."""
        if closer.is_discernible:
            return not closer.is_bent
        # A change of curvature shows less by the square of how much closer it is.
        share = (closer.high - closer.low) / (self.high - self.low)
        return self._smooth * share * share > 2 * _DISCERNIBLE * closer._error

    @property
    def bend(self) -> Bend:
        """Where two polynomials meet."""
        half = (self.high - self.low) / 2
        return Bend(self.low + half * (1 + self._met.place), half * self._met.tolerance)

    @cached_property
    def _numbers(self) -> Floats:
        numbers: Floats = np.array([value.number for value in self.values])
        numbers -= numbers.mean()
        return numbers

    @cached_property
    def _error(self) -> float:
        return max(value.error for value in self.values)

    @cached_property
    def _allowed(self) -> float:
        return _ERRORS * self._error + _SHARE * float(np.ptp(self._numbers))

    @cached_property
    def _smooth(self) -> float:
        return float(_missed(_POLYNOMIALS, self._numbers)[0])

    @cached_property
    def _met(self) -> _Met:
        # The place of two that touch is known better.
        crossing, touching = (_met(first, self._numbers, self._error) for first in (1, 2))
        return touching if touching.missed <= _AS_WELL * crossing.missed else crossing


@dataclass(frozen=True)
class _Met:
    """Where two polynomials meet, how far from there they fit about as well, and what they miss."""

    place: float
    tolerance: float
    missed: float


_NODES: Floats = np.linspace(-1.0, 1.0, STEPS + 1)
# Chebyshev's, because powers are too much alike.
_POLYNOMIALS: Floats = np.cos(np.arccos(_NODES)[:, None] * np.arange(_DEGREE + 1))[None]
_TRIAL_SHARES: Floats = np.arange(_TRIALS) / (_TRIALS - 1)
_TOLERANCES: Floats = np.exp2(-np.arange(1.0, 31.0))


def _met(first: int, numbers: Floats, error: float) -> _Met:
    """Fit two polynomials that differ from a power of the distance on."""
    low, high = -_REACH, _REACH
    for _ in range(_ROUNDS):
        places = low + (high - low) * _TRIAL_SHARES
        missed = _missed(_meeting(first, places), numbers)
        best = int(np.argmin(missed))
        low, high = float(places[max(best - 1, 0)]), float(places[min(best + 1, _TRIALS - 1)])
    place, least = float(places[best]), float(missed[best])
    left, right = (_missed(_meeting(first, place + side * _TOLERANCES), numbers) for side in (-1, 1))
    excluded = _TOLERANCES[np.minimum(left, right) > _UNLIKELY * (least + error)]
    return _Met(place, float(excluded.min(initial=_REACH)), least)


def _meeting(first: int, places: Floats) -> Floats:
    """Return, for each place, columns of powers of the distance to it, and of those to the right of it alone."""
    distance = (_NODES - places[:, None])[:, :, None]
    left = distance ** np.arange(_HALF_DEGREE + 1)
    return np.concatenate([left, np.maximum(distance, 0.0) ** np.arange(first, first + _HALF_DEGREE)], axis=2)


def _missed(columns: Floats, numbers: Floats) -> Floats:
    """Return the largest errors of fits by least squares, one for each set of columns."""
    bases = np.linalg.qr(columns)[0]
    fitted = bases @ (bases.transpose(0, 2, 1) @ numbers)[:, :, None]
    missed: Floats = np.abs(fitted[:, :, 0] - numbers).max(axis=1)
    return missed


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
