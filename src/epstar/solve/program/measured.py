"""How sums of atoms are measured: a bound at a level, how fast it grows with the level, and a unit of its size."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Exponential, Norm, Power, Proportional, SumBound


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
