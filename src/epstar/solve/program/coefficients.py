"""The coefficients of a notion's bounds at a level: floats, or fractions where a program is to be solved exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, Rational, Real
from epstar.exact.enclosure import times
from epstar.notions.constraints import Constraints, Exponential, Form, Proportional, RatioBound, Scale
from epstar.solve.shapes import has_lines

Array = NDArray[Any]
"""An array of floats or of fractions."""
Rounded = Callable[[Real], Rational]
"""How a coefficient that is no fraction becomes one: down where a mechanism counts, up where multipliers do."""
LARGEST_EXPONENT = 1000
"""Nats: beyond that a ratio that is rounded asks for no more than that its right side is not zero."""
VACUOUS = 25
"""Nats: beyond that the coefficient of a ratio would swamp the others in floats.

It asks for no more than a trace of its right side, which the repair of the mechanism adds.
"""


def fraction(value: Real) -> Rational:
    """Return a number that must be a fraction (see `is_linear`)."""
    assert value.rational is not None
    return value.rational


class Coefficients:
    """Numbers of one kind: floats without `rounded`, else fractions."""

    def __init__(self, level: Real | None, rounded: Rounded | None = None) -> None:
        self._level, self._rounded = level, rounded
        self._growths: dict[tuple[int, int], Any] = {}

    @property
    def are_floats(self) -> bool:
        """Whether the numbers are floats."""
        return self._rounded is None

    def number(self, value: Rational | Real) -> Any:
        """Return a number."""
        if self._rounded is None:
            return float(value)
        return self._rounded(value) if isinstance(value, Real) else value

    def array(self, values: Iterable[Rational]) -> Array:
        """Return numbers as an array."""
        return np.array([self.number(value) for value in values], dtype=np.float64 if self.are_floats else object)

    def at(self, form: Form, matrix: Array) -> Array:
        """Return a form of every column of a matrix."""
        found: Array = self.array(form.values()) @ matrix[list(form)]
        return found

    @property
    def level(self) -> Real:
        """The level at which the bounds are read."""
        assert self._level is not None, "a program without a level has no ratio bounds"
        return self._level

    def growth(self, distance: Rational) -> Any:
        """Return e^(level * distance)."""
        key = int(distance.p), int(distance.q)
        if key not in self._growths:
            exponent = self.level if distance == 1 else times(self.level, distance)
            is_capped = not self.are_floats and self.is_vacuous(distance)
            self._growths[key] = self.number(Real.exp(Real.of(LARGEST_EXPONENT) if is_capped else exponent))
        return self._growths[key]

    def is_vacuous(self, distance: Rational) -> bool:
        """Return whether a ratio asks for no more than a trace of its right side.

        In floats the repair of the mechanism adds it; in fractions that are rounded a smaller ratio asks for it.
        """
        most = VACUOUS if self.are_floats else LARGEST_EXPONENT
        return self._rounded is not fraction and self.level * distance > most

    def slack(self, bound: RatioBound) -> Any:
        """Return the slack of a bound."""
        slack = self.number(bound.slack)
        return slack * self.growth(ONE) if bound.slack_grows else slack

    def bound(self, scale: Scale) -> Any:
        """Return what a sum is bounded by."""
        return self.number(scale.bound(self.level))

    def rise(self, scale: Scale) -> Any:
        """Return how fast that rises with the level."""
        if isinstance(scale, Proportional):
            return self.number(scale.factor)
        assert isinstance(scale, Exponential)
        return self.number(scale.rate) * self.bound(scale)


def in_floats(form: Form, matrix: Array) -> Array:
    """Return a form of every column of a matrix of floats."""
    return Coefficients(None).at(form, matrix)


def is_over_events(bound: RatioBound) -> bool:
    """Return whether a bound adds up the excesses of outputs before it compares them with its slack."""
    return bound.events and bound.slack > 0


def is_compact(constraints: Constraints) -> bool:
    """Return whether the ratio bounds are a spread that row prices prove something about."""
    spread = constraints.spread
    if spread is None or constraints.ratios:
        return False
    return not (spread.events and spread.slack > 0) and min(spread.scales) > 0


def is_linear(constraints: Constraints, level: Real | None, is_rounded: bool = False) -> bool:
    """Return whether bounds are linear, with coefficients at a level that are fractions or rounded to some.

    Without one, whether they are sums of maxima that share a scale.
    """
    scales = {total.scale for total in constraints.sums}
    if not has_lines(constraints):
        return False
    if level is None:
        return scales == {Exponential()} and not constraints.ratios and constraints.spread is None
    if is_rounded:
        return True
    if any(scale.bound(level).rational is None for scale in scales):
        return False
    distances = {bound.distance for bound in constraints.ratios} | ({ONE} if constraints.spread is not None else set())
    return all(Real.exp(times(level, distance)).rational is not None for distance in distances)
