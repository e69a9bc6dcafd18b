"""Convex regions of distributions that need no list of points: boxes, L1 balls, and the whole simplex.

Their extremes have closed forms, so a million categories cost one sort.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from epstar.arguments import shown, whole_number
from epstar.errors import EmptySource, InvalidInput
from epstar.exact import HALF, ONE, ZERO, Number, Rational, dot, rational
from epstar.exact.vectors import sum_of
from epstar.probability_vectors import Numbers, law, vector
from epstar.source.base import (
    VERTEX_LIMIT,
    Maximum,
    Mixture,
    Mixtures,
    Point,
    Source,
    SourceClass,
    ratio,
    unit_vector,
    unit_vectors,
)
from epstar.source.corners import check_vertex_count, slice_corners
from epstar.source.order import class_of_region, descending
from epstar.source.prior import Prior


@dataclass(frozen=True, init=False, repr=False)
class Box(Source):
    """All distributions with lower_i <= p_i <= upper_i.

    `coverage` is the confidence with which the box holds the true distribution when it was made from counts.

    >>> Box([0, 0, "1/2"], [1, "1/4", 1]).maximum([3, 2, 1]).value
    2
    """

    lower: Point
    upper: Point
    coverage: Rational | None = None

    def __init__(self, lower: Numbers, upper: Numbers, coverage: Rational | None = None) -> None:
        low, high = vector(lower, "The lower bounds of a Box"), vector(upper, "The upper bounds of a Box")
        if len(low) != len(high):
            raise InvalidInput(f"A Box needs as many lower as upper bounds, but has {len(low)} and {len(high)}.")
        for letter, (a, b) in enumerate(zip(low, high, strict=True)):
            if not ZERO <= a <= b <= ONE:
                raise InvalidInput(
                    f"A Box needs 0 <= lower <= upper <= 1, but category {letter} has lower {shown(a)} "
                    f"and upper {shown(b)}; clip or exchange the bounds."
                )
        if sum_of(low) > ONE:
            raise EmptySource("The Box holds no distribution, because its lower bounds sum to more than 1; cut some.")
        if sum_of(high) < ONE:
            raise EmptySource("The Box holds no distribution, because its upper bounds sum to less than 1; raise some.")
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)
        object.__setattr__(self, "coverage", coverage)

    @property
    def size(self) -> int:
        return len(self.lower)

    def maximum(self, cost: Numbers) -> Maximum:
        exact = self.read_cost(cost)
        # Start from the lower bounds and give what is left to the dearest letters first.
        point, left = list(self.lower), ONE - self._sum_of_lower
        for letter in descending(exact):
            if left == ZERO:
                break
            given = min(left, self.upper[letter] - self.lower[letter])
            point[letter] += given
            left -= given
        return Maximum(dot(exact, point), tuple(point))

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        if i == j:
            return ONE if self.maximum(unit_vector(self.size, i)).value > ZERO else ZERO
        return ratio(*self._extreme_pair(i, j))

    def contains(self, point: Numbers) -> bool:
        exact = self.read_point(point)
        return exact is not None and all(a <= p <= b for a, p, b in zip(self.lower, exact, self.upper, strict=True))

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        return slice_corners(self.lower, self.upper, ONE, limit)

    @property
    def mixtures(self) -> Mixtures:
        letters = range(self.size)
        above = [(unit_vector(self.size, k), self.upper[k]) for k in letters if self.upper[k] < ONE]
        below = [
            (tuple(-e for e in unit_vector(self.size, k)), -self.lower[k]) for k in letters if self.lower[k] > ZERO
        ]
        rows, bounds = (row for row, _ in above + below), (bound for _, bound in above + below)
        return Mixtures(unit_vectors(self.size), tuple(rows), tuple(bounds))

    @cached_property
    def flattest(self) -> Prior:
        """Every category as near to one level as its bounds allow.

        Categories above the level are as unlikely as they can be and those below it as likely; so k categories above,
        or all but k below, are at their least, and between them the sums of the likeliest categories grow evenly.
        """
        level = _common_level(self.lower, self.upper)
        return Prior([min(max(low, level), high) for low, high in zip(self.lower, self.upper, strict=True)])

    @cached_property
    def ranges(self) -> tuple[Point, Point]:
        # Bounds that the others do not allow to be reached are drawn in; then a pair can have both, see below.
        spare, missing = ONE - self._sum_of_lower, ONE - self._sum_of_upper
        least = tuple([max(low, missing + high) for low, high in zip(self.lower, self.upper, strict=True)])
        return least, tuple([min(high, spare + low) for low, high in zip(self.lower, self.upper, strict=True)])

    def kalantari_class(self) -> SourceClass:
        inside = self.maximum([ZERO] * self.size).point
        return class_of_region(inside, self.contains(self.uniform), self._greatest_difference, self._attaining)

    @cached_property
    def _sum_of_lower(self) -> Rational:
        return sum_of(self.lower)

    @cached_property
    def _sum_of_upper(self) -> Rational:
        return sum_of(self.upper)

    def _extreme_pair(self, i: int, j: int) -> tuple[Rational, Rational]:
        """Return (p_i, p_j) with p_i as large and p_j as small as the box allows at once.

        The other categories can take any mass between the sums of their bounds. If the best pair leaves them too
        little, only p_i can give way (p_j is at its lower bound); if too much, only p_j can.
        """
        high, low = self.upper[i], self.lower[j]
        most = ONE - (self._sum_of_lower - self.lower[i] - self.lower[j])
        least = ONE - (self._sum_of_upper - self.upper[i] - self.upper[j])
        if high + low > most:
            return most - low, low
        return high, max(low, least - high)

    def _greatest_difference(self, j: int, i: int) -> Rational:
        larger, smaller = self._extreme_pair(j, i)
        return larger - smaller

    def _attaining(self, j: int, i: int) -> Point:
        larger, smaller = self._extreme_pair(j, i)
        low, high = list(self.lower), list(self.upper)
        low[j] = high[j] = larger
        low[i] = high[i] = smaller
        return Box(low, high).maximum([ZERO] * self.size).point


@dataclass(frozen=True, init=False, repr=False)
class Ball(Source):
    """All distributions whose L1 distance from `center` is at most `radius` (twice the mass that may be moved).

    `coverage` is the confidence with which the ball holds the true distribution when it was made from counts.

    >>> ball = Ball([0.5, 0.3, 0.2], radius=0.1)
    >>> ball.contains([0.55, 0.25, 0.2]), ball.contains([0.6, 0.2, 0.2])
    (True, False)
    """

    center: Point
    radius: Rational
    coverage: Rational | None = None

    def __init__(self, center: Numbers | Prior, radius: Number, coverage: Rational | None = None) -> None:
        middle = center.probabilities if isinstance(center, Prior) else law(center, "The center of a Ball")
        size = rational(radius)
        if not ZERO <= size <= 2:
            raise InvalidInput(
                f"The radius of a Ball must be between 0 and 2, the largest L1 distance, not {shown(size)}."
            )
        object.__setattr__(self, "center", middle)
        object.__setattr__(self, "radius", size)
        object.__setattr__(self, "coverage", coverage)

    @property
    def size(self) -> int:
        return len(self.center)

    def maximum(self, cost: Numbers) -> Maximum:
        exact = self.read_cost(cost)
        # Move mass to the dearest letter from the cheapest ones first.
        order = descending(exact)
        point, movable = list(self.center), self.radius / 2
        for letter in reversed(order[1:]):
            if movable == ZERO or exact[letter] == exact[order[0]]:
                break
            moved = min(movable, point[letter])
            point[letter] -= moved
            point[order[0]] += moved
            movable -= moved
        return Maximum(dot(exact, point), tuple(point))

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        if i == j:
            return ONE if self.center[i] + self.radius > ZERO else ZERO
        mass = self.radius / 2
        return ratio(min(ONE, self.center[i] + mass), max(ZERO, self.center[j] - mass))

    def contains(self, point: Numbers) -> bool:
        exact = self.read_point(point)
        if exact is None:
            return False
        return sum_of([abs(p - c) for p, c in zip(exact, self.center, strict=True)]) <= self.radius

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        """Return the extreme points: all movable mass goes to one category and drains others one by one."""
        mass = self.radius / 2
        if mass == ZERO:
            return Prior(self.center).vertices(limit)
        found: list[Point] = []
        for letter, own in enumerate(self.center):
            if ONE - own <= mass:
                found.append(unit_vector(self.size, letter))
                continue
            drainable = [ZERO if k == letter else c for k, c in enumerate(self.center)]
            for drained in slice_corners([ZERO] * self.size, drainable, mass, limit):
                point = [c - d for c, d in zip(self.center, drained, strict=True)]
                point[letter] += mass
                found.append(tuple(point))
            check_vertex_count(len(found), limit)
        return found

    @property
    def mixtures(self) -> Mixtures:
        """Half of the weights say which categories gain the mass that moves, the others which lose it."""
        if self.radius == ZERO:
            return Mixtures((self.center,), (), ())
        gained, lost = (
            [
                tuple(c + sign * self.radius * e for c, e in zip(self.center, unit, strict=True))
                for unit in unit_vectors(self.size)
            ]
            for sign in (1, -1)
        )
        halves = ((ONE,) * self.size + (ZERO,) * self.size, (ZERO,) * self.size + (ONE,) * self.size)
        # No letter loses more than it has.
        capped = [x for x, c in enumerate(self.center) if c < self.radius / 2]
        caps = (unit_vector(2 * self.size, self.size + x) for x in capped)
        return Mixtures(
            (*gained, *lost), (*halves, *caps), (HALF, HALF, *(self.center[x] / self.radius for x in capped))
        )

    @cached_property
    def flattest(self) -> Prior:
        """The likeliest categories cut to one level and the unlikeliest raised to another, by half the radius each."""
        high = _cut_level(self.center, self.radius / 2)
        low = ONE - _cut_level([ONE - c for c in self.center], self.radius / 2)
        if low >= high:
            return Prior(self.uniform)
        return Prior([min(max(c, low), high) for c in self.center])

    @cached_property
    def ranges(self) -> tuple[Point, Point]:
        mass = self.radius / 2
        return tuple([max(ZERO, c - mass) for c in self.center]), tuple([min(ONE, c + mass) for c in self.center])

    def kalantari_class(self) -> SourceClass:
        def attaining(j: int, i: int) -> Point:
            cost = [ZERO] * self.size
            cost[j], cost[i] = ONE, -ONE
            return self.maximum(cost).point

        return class_of_region(self.center, self.contains(self.uniform), self._greatest_difference, attaining)

    def _greatest_difference(self, j: int, i: int) -> Rational:
        # Mass moved from i to j counts twice, mass moved to j from elsewhere once.
        mass = self.radius / 2
        direct = min(mass, self.center[i])
        indirect = min(mass - direct, ONE - self.center[i] - self.center[j])
        return self.center[j] - self.center[i] + 2 * direct + indirect


@dataclass(frozen=True, init=False, repr=False)
class Everything(Source):
    """All distributions of `size` categories: nothing is known.

    >>> Everything(3).contains([0, 0, 1])
    True
    """

    letters: int

    def __init__(self, size: int) -> None:
        object.__setattr__(self, "letters", whole_number(size, "The number of categories", 1))

    @property
    def size(self) -> int:
        return self.letters

    def maximum(self, cost: Numbers) -> Maximum:
        exact = self.read_cost(cost)
        best = max(exact)
        return Maximum(best, unit_vector(self.size, exact.index(best)))

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        return ONE if i == j else None

    def contains(self, point: Numbers) -> bool:
        return self.read_point(point) is not None

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        check_vertex_count(self.size, limit)
        return [unit_vector(self.size, letter) for letter in range(self.size)]

    @cached_property
    def flattest(self) -> Prior:
        return Prior(self.uniform)

    @property
    def ranges(self) -> tuple[Point, Point]:
        return ((ZERO if self.size > 1 else ONE,) * self.size, (ONE,) * self.size)

    def kalantari_class(self) -> SourceClass:
        return SourceClass("I", Mixture(None))


def _common_level(lower: Point, upper: Point) -> Rational:
    """The level at which categories that keep between their bounds, and else at the level, sum to one."""
    bounds = (*lower, *upper)
    total, level, rising = sum_of(lower), ZERO, 0
    for place in reversed(descending(bounds)):
        reached = bounds[place]
        if rising and reached is not level:
            total += rising * (reached - level)
            if total >= ONE:
                return reached - (total - ONE) / rising
        level = reached
        rising += 1 if place < len(lower) else -1
    return level


def _cut_level(values: Sequence[Rational], mass: Rational) -> Rational:
    """The level above which the values hold `mass` together; they hold at least that much."""
    order = descending(values)
    cut = ZERO
    for count, (place, following) in enumerate(pairwise(order), 1):
        fall = values[place] - values[following]
        if cut + count * fall >= mass:
            return values[place] - (mass - cut) / count
        cut += count * fall
    return values[order[-1]] - (mass - cut) / len(values)
