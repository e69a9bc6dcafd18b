r"""How a program measures bounds on sums, so that floats hold them whatever the order.

A sum of powers is 1 for equal rows, near 1 for orders near one, and as large as e^((order-1) level) for large ones. Its
excess over 1, over the order less one, and with the right sides in units of e^level,

    sum over y of p (e^((order-1) g) - 1) / (order-1)    with    g = log(p/q) - level * distance,

is at most zero at the level, near the relative entropy less the level for orders near one, and never out of reach. A
sum of norms is measured by its excess over 1, over the rate at which its bound grows. Relative entropies stay as they
are.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def with_own_laws(sums: Sequence[SumBound], inputs: int) -> tuple[SumBound, ...]:
    """Return bounds on norms as bounds on powers, each with a law of the output of its own as one more row.

    A norm is the least sum of powers over that law, which follows a large order more easily than the norm itself.
    """
    return tuple(
        SumBound(
            tuple(
                (weight * share, Power({x: ONE}, {inputs + i: ONE}, atom.order))
                for weight, atom in bound.terms
                if isinstance(atom, Norm)
                for x, share in atom.weights.items()
            ),
            Exponential(rate(bound) * bound.terms[0][1].order) if isinstance(bound.terms[0][1], Norm) else bound.scale,
        )
        for i, bound in enumerate(sums)
    )


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
