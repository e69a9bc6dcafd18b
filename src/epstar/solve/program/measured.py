"""How sums of atoms are measured: a bound at a level, its growth, a unit of its size, and where tangents touch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import Exponential, Norm, Power, Proportional, RelativeEntropy, SumBound

PLACE_BITS = 128
"""Of the places of tangents that are not told by floats, and of multipliers."""
# Where to linearise a term on answers that are hardly ever given, and on those that never are, which have no price.
_LEAST_PLACE, _NEVER = Rational(1, 10**120), Rational(1, 10**300)
# Ratios that floats tell as well as any: a place that is off by a rounding costs the square of it.
_SMALL, _LARGE = 1e-100, 1e100


def column_margin(inputs: int, size: float) -> float:
    """Return what a checker allows for its own roundings of a column, as a logarithm.

    They are of sums over the inputs, and of exponents of this size.
    """
    return 2.0**-50 * (inputs + 256 + 4 * size)


def rate(bound: SumBound) -> Rational:
    """Return how fast the logarithm of a bound grows with the level; zero where the bound itself does so evenly."""
    return bound.scale.rate if isinstance(bound.scale, Exponential) else ZERO


def excess(bound: SumBound) -> Rational:
    """Return what the excess of a sum over one is measured in: the order less one, or the rate for a norm."""
    atom = bound.terms[0][1]
    if isinstance(atom, Power):
        return atom.order - 1
    return rate(bound) if isinstance(atom, Norm) else ONE


def distance(bound: SumBound) -> Rational:
    """Return how many levels the right side of a power is away."""
    return rate(bound) / excess(bound) if _is_power(bound) else ZERO


@dataclass(frozen=True)
class Measured:
    """A bound at a level: on the measured sum, how fast it grows with the level there, and a unit of its size."""

    bound: Real
    growth: Real
    unit: Real

    @classmethod
    def at(cls, bound: SumBound, level: Real) -> Measured:
        """Return a bound at a level from which powers are measured."""
        one = Real.of(ONE)
        if _is_power(bound):
            return cls(Real.of(ZERO), Real.of(distance(bound)), one / max(ONE, abs(rate(bound))))
        if isinstance(bound.scale, Proportional):
            most = bound.scale.bound(level)
            return cls(most, Real.of(bound.scale.factor), most if most > 1 else one)
        grown = Real.exp(level * rate(bound))
        most = (grown - 1) / rate(bound)
        return cls(most, grown, most if most > 1 else one)


def _is_power(bound: SumBound) -> bool:
    return isinstance(bound.terms[0][1], Power)


class TangentPlaces:
    """Where to linearise atoms, output by output: at the ratio of their sides at a column, or at the column."""

    def __init__(self, table: Sequence[Sequence[Rational]], in_many_digits: bool) -> None:
        self.columns = list(zip(*table, strict=True))
        self.rows = None if in_many_digits else [nearest_floats(row) for row in table]

    def of(self, atom: object) -> list[tuple[Rational, ...]]:
        """Return the places of an atom."""
        assert isinstance(atom, RelativeEntropy | Power | Norm)
        if self.rows is None or isinstance(atom, Norm):
            return [_place(atom, column) for column in self.columns]
        left, right = (
            sum((float(share) * self.rows[x] for x, share in form.items()), np.zeros(len(self.columns)))
            for form in (atom.left, atom.right)
        )
        return [
            (Rational(*ratio.as_integer_ratio()),) if _SMALL < ratio < _LARGE else _place(atom, column)
            for ratio, column in zip((left / right).tolist(), self.columns, strict=True)
        ]


def _place(atom: RelativeEntropy | Power | Norm, column: Sequence[Rational]) -> tuple[Rational, ...]:
    if isinstance(atom, Norm):
        # The direction alone matters, also of a column of tiny entries.
        largest = max(column[x] for x in atom.weights)
        return tuple(_kept_away(column[x] / largest if largest > 0 else ZERO) for x in atom.weights)
    left, right = (sum((share * column[x] for x, share in form.items()), ZERO) for form in (atom.left, atom.right))
    return (_kept_away(left / right) if right > 0 else 1 / _NEVER,)


def _kept_away(value: Rational) -> Rational:
    """Return a number of few digits, not too near to zero."""
    return Real.of(max(value, _LEAST_PLACE) if value > 0 else _NEVER).above(PLACE_BITS)
