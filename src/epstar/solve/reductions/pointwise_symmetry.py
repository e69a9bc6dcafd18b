r"""Pointwise approximate differential privacy on databases, by the number of wrong rows.

With E = e^level the optimum gives a database at distance l the probability f(l) = (f(l-1) - delta)_+ / E, from the
f(0) that makes sum N_l f(l) = 1 (zhong2022, Theorem 7(2) made exact). Where it is supported on
distances up to L, the mean of the law N_l E^-l on them is the price that proves it.
"""

from __future__ import annotations

from dataclasses import dataclass

from epstar.completion.converse import BITS
from epstar.completion.distances import EXACT_ROWS, DistanceProof
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import sum_of
from epstar.mechanism import DistanceMechanism
from epstar.problem import Problem
from epstar.universe import Databases

_STEPS = 64
_MARGIN = 1 - Rational(1, 1 << 60)


@dataclass(frozen=True)
class Decay:
    """The optimal law on the distances at E = `ratio`: its entries f(l) as far as they are positive, and the price."""

    spheres: tuple[int, ...]
    ratio: Rational
    delta: Rational
    entries: tuple[Rational, ...]
    price: Rational

    @classmethod
    def at(cls, spheres: tuple[int, ...], ratio: Rational, delta: Rational) -> Decay:
        """Find f(0), and the other entries from it; for many rows in numbers rounded so that the bounds still hold."""
        first, price = _start(spheres, ratio, delta)
        rows = len(spheres) - 1
        while True:
            entries = [first]
            while len(entries) <= rows and entries[-1] > delta:
                # Rounded up, an entry keeps its bound to the one before.
                entries.append(-_short((delta - entries[-1]) / ratio, rows))
            total = sum_of([entry * sphere for entry, sphere in zip(entries, spheres, strict=False)])
            if total >= 1:
                # Dividing keeps every bound, because delta is not divided.
                return cls(spheres, ratio, delta, tuple(entry / total for entry in entries), price)
            first *= 1 + Rational(1, 1 << BITS)

    @property
    def weights(self) -> list[Rational]:
        """The law of the number of wrong rows."""
        inside = [entry * sphere for entry, sphere in zip(self.entries, self.spheres, strict=False)]
        return inside + [ZERO] * (len(self.spheres) - len(inside))

    @property
    def mean(self) -> Rational:
        """The expected number of wrong rows."""
        return sum_of([weight * distance for distance, weight in enumerate(self.weights)])


def at_level(problem: Problem, databases: Databases, delta: Rational) -> DistanceProof:
    """Return the least distortion at the level that the problem gives."""
    spheres = databases.sphere_sizes()
    growth = Real.exp(problem.given)
    decay = Decay.at(spheres, growth.below(BITS), delta)
    _, price = _start(spheres, growth.above(BITS), delta)
    return DistanceProof(problem, DistanceMechanism(databases, decay.weights), price)


def at_distortion(problem: Problem, databases: Databases, delta: Rational) -> DistanceProof:
    """Return the least level at the distortion that the problem gives, by bisection on E."""
    spheres = databases.sphere_sizes()
    wanted = problem.given.below(BITS)
    if wanted == 0 or delta == 1:
        truth = DistanceMechanism(databases, [ONE] + [ZERO] * databases.rows)
        return DistanceProof(problem, truth, ZERO if delta < 1 else None)
    high = Decay.at(spheres, ONE, delta)
    if high.mean <= wanted:
        return DistanceProof(problem, DistanceMechanism(databases, high.weights), None)
    low = high
    while high.mean > wanted:
        low, high = high, Decay.at(spheres, 2 * high.ratio, delta)
    for _ in range(_STEPS):
        middle = Decay.at(spheres, (low.ratio + high.ratio) / 2, delta)
        low, high = (middle, high) if middle.mean > wanted else (low, middle)
    # A hair below the root, so that rounding the price does not hide that the level is excluded.
    ratio = 1 + (low.ratio - 1) * _MARGIN
    price, level = (None, None) if ratio == 1 else (_start(spheres, ratio, delta)[1], Real.log(ratio))
    return DistanceProof(problem, DistanceMechanism(databases, high.weights), price, level)


def _start(spheres: tuple[int, ...], ratio: Rational, delta: Rational) -> tuple[Rational, Rational]:
    """Return f(0), and the mean of the law N_l E^-l on the distances up to the last with f(l) > 0.

    f(l) = f(0) E^-l - delta (E^-1 + ... + E^-l) is positive while f(0) > delta (1 + E + ... + E^(l-1)).
    """
    rows = len(spheres) - 1
    decayed, lost = ONE, ZERO
    # Sums of N_l E^-l, of l N_l E^-l, and of what delta takes away.
    mass, moment, taken = ZERO, ZERO, ZERO
    threshold, power = ZERO, ONE
    for distance, sphere in enumerate(spheres):
        mass += decayed * sphere
        moment += decayed * sphere * distance
        taken += lost * sphere
        threshold, power = threshold + delta * power, power * ratio
        if threshold * mass - taken >= 1:
            break
        decayed = _short(decayed / ratio, rows)
        lost = _short(lost + delta * decayed, rows)
        mass, moment, taken, power = (_short(value, rows) for value in (mass, moment, taken, power))
    # Rounded down, a price leaves room in the coefficient of the largest distance.
    price = moment / mass
    return _short((1 + taken) / mass, rows), price if rows <= EXACT_ROWS else rounded_down(price, BITS)


def _short(value: Rational, rows: int) -> Rational:
    return value if rows <= EXACT_ROWS else rounded_down(value, 2 * BITS)


def rounded_down(value: Rational, bits: int) -> Rational:
    """Return the largest dyadic number with about `bits` significant bits that is not above `value`."""
    numerator, denominator = int(value.p), int(value.q)
    shift = bits + denominator.bit_length() - abs(numerator).bit_length()
    if shift <= 0 or numerator == 0:
        return Rational(numerator // denominator)
    return Rational((numerator << shift) // denominator, 1 << shift)
