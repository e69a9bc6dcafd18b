"""Steps of Farkas' lemma that are multiples of linear constraints and nothing else: what foreign checkers read."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.claims.claim import Mixture
from epstar.exact import Rational, Real
from epstar.notions.constraints import Name

Point = tuple[Rational, ...]
Place = tuple[Rational, Rational] | None
"""A number l, and one not below e^l; None where an entry vanishes."""
PowerPlace = tuple[Real, Rational, Rational] | None
"""The logarithm of a place r, a number beside r^(order - 1), and one not below r^order; None for a tangent of zero."""


@dataclass(frozen=True)
class PlainRatio:
    """Multiples of a ratio bound, by output.

    One that follows from a divergence (`is_equality`) has the name of that, the row that it compares, and the side, 0
    or 1, at which the row stands.
    """

    name: Name
    rate: Rational
    multiples: dict[int, Rational]
    is_equality: bool = False


@dataclass(frozen=True)
class PlainMaximum:
    """A multiple of a sum of maxima, with (input, share) for each output."""

    name: Name
    multiplier: Rational
    shares: tuple[tuple[tuple[int, Rational], ...], ...]


@dataclass(frozen=True)
class PlainEntropies:
    """A multiple of a sum of relative entropies, with a place for each output and input."""

    name: Name
    multiplier: Rational
    places: tuple[tuple[Place, ...], ...]


@dataclass(frozen=True)
class PlainPowers:
    """A multiple of a sum of powers or norms, with places for each output."""

    name: Name
    multiplier: Rational
    rate: Rational
    places: tuple[tuple[PowerPlace, ...], ...]


@dataclass(frozen=True)
class PlainStep:
    """Multiples of linear constraints, and nothing else."""

    laws: tuple[tuple[Rational, Point], ...]
    ratios: tuple[PlainRatio, ...]
    maxima: tuple[PlainMaximum, ...]
    entropies: tuple[PlainEntropies, ...]
    powers: tuple[PlainPowers, ...]
    rows: Point


@dataclass(frozen=True)
class Proof:
    """The steps of a claim, and the distributions at which a notion that depends on the source is read."""

    steps: tuple[PlainStep, ...]
    points: tuple[Mixture, ...]


def rounded(value: Rational, bits: int, is_above: bool) -> Rational:
    """Return a number rounded to so many binary digits after the point, which is how Coq encloses exponentials."""
    scaled = value * (1 << bits)
    return Rational(int(scaled.ceil() if is_above else scaled.floor()), 1 << bits)


def enclosed(exponent: Rational, bits: int) -> tuple[Rational, Rational]:
    """Return a number near an exponent that is written with few digits, and one above its exponential."""
    near = rounded(exponent, bits, False)
    return near, Real.exp(near).above(bits)
