"""Extreme rays of the cone of columns that a notion allows, and quadratic forms that are non-negative on all of them.

A notion of ratio bounds says left . c <= e^(level * distance) right . c of each column c of a mechanism: columns form a
polyhedral cone, and whatever grows when columns are split is best on its extreme rays. Where all pairs of inputs are
bounded alike, the rays have two values per input (for differential privacy 1 and e^level: Kairouz, Oh and Viswanath,
JMLR 17 (2016) 17, Theorem 4); of any other cone of few inputs they are listed, with the cover that shows that no other
is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import lcm

import numpy as np
from numpy.typing import NDArray

from epstar.claims.cover import Cone, Cover, Side, check_cover
from epstar.completion.cover import cover_of_cone
from epstar.deadline import keep_time
from epstar.errors import InvalidInput, ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.common_denominator import Scaled
from epstar.exact.enclosure import times
from epstar.exact.vectors import nearest_floats
from epstar.notions.base import Notion
from epstar.notions.constraints import Constraints, Spread
from epstar.statistic import Vector
from epstar.universe import Universe

Floats = NDArray[np.float64]
Symmetric = tuple[Vector, ...]
Corners = tuple[tuple[Vector, tuple[Cone, ...]], ...]
"""Rays with the cones of bounds which show that they hold all others (`epstar.claims.cover`)."""

MOST_INPUTS = 16
"""With two values for each input there are 2^16 = 65,536 rays, which are checked one by one in a second."""
MOST_RAYS = 4096
"""A cone with more rays than this is not listed: designs take a matrix of that size."""


class Rays(ABC):
    """All extreme rays of a cone of columns."""

    @property
    @abstractmethod
    def floats(self) -> Floats:
        """The rays as columns of a matrix with one row per input."""

    @property
    @abstractmethod
    def holds_even(self) -> bool:
        """Whether the column of ones is in the cone: if it is not, no mechanism has only columns of the cone."""

    @abstractmethod
    def ray(self, place: int) -> Vector:
        """Return one of them exactly."""

    @abstractmethod
    def is_nonnegative(self, form: Symmetric) -> bool:
        """Return whether c^T form c >= 0 on every ray, in exact arithmetic."""


@dataclass(frozen=True)
class TwoValued(Rays):
    """Rays that take one of two values at each input, independently of each other.

    >>> pair = TwoValued((ONE, ONE), (Rational(3), Rational(3)))
    >>> pair.floats.tolist()
    [[1.0, 3.0, 1.0, 3.0], [1.0, 1.0, 3.0, 3.0]]
    >>> pair.is_nonnegative(((ONE, -ONE), (-ONE, ONE))), pair.is_nonnegative(((ONE, -ONE), (-ONE, Rational(1, 2))))
    (True, False)
    """

    low: Vector
    high: Vector

    @property
    def size(self) -> int:
        """The number of inputs."""
        return len(self.low)

    @cached_property
    def floats(self) -> Floats:
        is_high = (np.arange(1 << self.size)[None, :] >> np.arange(self.size)[:, None]) & 1
        low, high = nearest_floats(self.low), nearest_floats(self.high)
        return np.where(is_high == 1, high[:, None], low[:, None])

    @property
    def holds_even(self) -> bool:
        return max(self.low) <= min(self.high)

    def ray(self, place: int) -> Vector:
        return tuple(self.high[x] if place >> x & 1 else self.low[x] for x in range(self.size))

    def is_nonnegative(self, form: Symmetric) -> bool:
        return all(value >= 0 for value in self._values(form))

    def _values(self, form: Symmetric) -> list[int]:
        """The form at every ray, times a common denominator: each input doubles the list, in two additions a ray."""
        size, low = self.size, self.low
        step = [above - below for above, below in zip(self.high, low, strict=True)]
        image = [sum((form[x][z] * low[z] for z in range(size)), Rational(0)) for x in range(size)]
        start = sum((low[x] * image[x] for x in range(size)), Rational(0))
        alone = [2 * step[x] * image[x] + step[x] * step[x] * form[x][x] for x in range(size)]
        pairs = [2 * step[x] * step[z] * form[x][z] for x in range(size) for z in range(x)]
        whole = _whole([start, *alone, *pairs])
        values, place = np.array([whole[0]], dtype=object), 1 + size
        for x in range(size):
            keep_time()
            crossed = np.array([whole[1 + x]], dtype=object)
            for z in range(x):
                crossed = np.concatenate([crossed, crossed + whole[place + z]])
            place += x
            values = np.concatenate([values, values + crossed])
        return [int(value) for value in values]


@dataclass(frozen=True)
class Listed(Rays):
    """Rays one by one."""

    corners: Corners
    even: bool

    @property
    def members(self) -> tuple[Vector, ...]:
        """The rays, whose entries sum to one."""
        return tuple(point for point, _ in self.corners)

    @property
    def holds_even(self) -> bool:
        return self.even

    @cached_property
    def floats(self) -> Floats:
        return np.array([nearest_floats(member) for member in self.members]).T

    def ray(self, place: int) -> Vector:
        return self.members[place]

    def is_nonnegative(self, form: Symmetric) -> bool:
        places = range(len(form))
        return all(
            sum((c[x] * form[x][z] * c[z] for x in places for z in places), Rational(0)) >= 0 for c in self.members
        )


def rays_of(
    notion: Notion, universe: Universe, law: Vector, level: Real, outward: bool, corners: Corners | None = None
) -> Rays:
    """Return the extreme rays of the columns that a notion allows at a level; or those named, if they hold the others.

    e^level is rounded to a rational: `outward` to one above it, so that the cone contains every column that is allowed,
    else to one below it, so that the cone contains no other.

    Raises:
        InvalidInput: if the notion is no list of ratio bounds, or the cone has too many rays.
        ProofRejected: if the rays that are named do not hold the others.
    """
    constraints = notion.constraints(universe, [law])
    spread = spread_of(constraints)
    if spread is not None:
        if universe.size > MOST_INPUTS:
            raise InvalidInput(f"The rays of {universe.size} categories are too many to be listed one by one.")
        ratio = rounded_ratio(level, ONE, outward)
        low = tuple(ONE / scale for scale in spread.scales)
        return TwoValued(low, tuple(ratio * below for below in low))
    pairs = () if constraints.spread is None else (constraints.spread,)
    if constraints.sums or any(bound.events or bound.slack != 0 for bound in (*constraints.ratios, *pairs)):
        raise InvalidInput(
            f"Designs for {notion.title} are not known: it does not bound the ratios of single columns; take "
            "differential privacy, or a notion of ratio bounds without slack."
        )
    sides = _sides(constraints, level, outward)
    found = cover_of_cone(sides, universe.size) if corners is None else Cover(corners)
    if found is None or (corners is None and len(found.corners) > MOST_RAYS):
        raise InvalidInput("The columns that the notion allows have too many extreme rays to be listed.")
    if corners is not None:
        check_cover(found, [*(({x: -ONE}, ZERO) for x in range(universe.size)), *sides], universe.size, universe.size)
        if any(entry < 0 for point, _ in corners for entry in point):
            raise ProofRejected("A corner of the certificate is negative.")
    return Listed(found.corners, all(sum(form.values(), ZERO) <= 0 for form, _ in sides))


def spread_of(constraints: Constraints) -> Spread | None:
    """Return the bound of all pairs alike, if that is all there is, on single columns and without slack."""
    spread = constraints.spread
    if spread is None or spread.events or spread.slack != 0 or constraints.ratios or constraints.sums:
        return None
    return spread if min(spread.scales) > 0 else None


def rounded_ratio(level: Real, distance: Rational, outward: bool) -> Rational:
    """Return e^(level * distance), rounded to a rational above or below it, but never below 1."""
    exact = Real.exp(times(level, distance))
    return max(ONE, exact.above() if outward else exact.below())


def _sides(constraints: Constraints, level: Real, outward: bool) -> list[Side]:
    """Return the bounds on a column by name: left - e^(level * distance) right <= 0."""
    found = list[Side]()
    spread = () if constraints.spread is None else constraints.spread.ratios()
    for bound in sorted((*constraints.ratios, *spread), key=lambda bound: bound.name):
        ratio = rounded_ratio(level, bound.distance, outward)
        inputs = {**bound.left, **bound.right}
        form = {x: bound.left.get(x, ZERO) - ratio * bound.right.get(x, ZERO) for x in inputs}
        found.append((form, ZERO))
    return found


def _whole(values: Sequence[Rational]) -> list[int]:
    """The numbers times their least common denominator."""
    scaled = Scaled.of(values, most_bits=1 << 20)
    if scaled is not None:
        return [int(entry) for entry in scaled.numerators.tolist()]
    common = lcm(*(int(value.q) for value in values))
    return [int(value.p) * (common // int(value.q)) for value in values]
