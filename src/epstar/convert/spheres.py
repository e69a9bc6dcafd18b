"""How many inputs lie at which distance: what differential privacy says of all of them at once."""

from __future__ import annotations

from collections import Counter

from epstar.convert.guarantee import times
from epstar.exact import ZERO, Ball, Rational, Real
from epstar.query.shapes import Shape
from epstar.universe import Alphabet, Graph, Universe

Profile = tuple[tuple[Rational, int], ...]


def least_sphere_sum(universe: Universe, level: Real) -> Real:
    """Return the least sum over all inputs x' of e^(-level distance(x, x')), of any input x.

    An input out of reach adds nothing. Exact for whole distances and a level that is the logarithm of a rational.
    """
    if isinstance(universe, Shape):
        # A larger factor gives a smaller sum.
        return Real.of(universe.least_sphere_sum(1 / Real.exp(level).above()))
    profiles = _profiles(universe)
    factor = Real.exp(level).rational
    if factor is not None and all(distance.q == 1 for profile in profiles for distance, _ in profile):
        return Real.of(min(sum((n * factor ** -int(d.p) for d, n in profile), ZERO) for profile in profiles))

    def enclose(bits: int) -> Ball:
        sums = []
        for profile in profiles:
            terms = (n * (-times(level, d).enclose(bits)).exp() for d, n in profile)
            sums.append(sum(terms, Ball(0)))
        least = sums[0]
        for other in sums[1:]:
            least = least.min(other)
        return least

    return Real.from_ball(enclose)


def _profiles(universe: Universe) -> set[Profile]:
    """The different lists of distances, with how many inputs lie at each, that occur among the inputs."""
    size = universe.size
    if isinstance(universe, Alphabet):
        return {((ZERO, 1), (Rational(1), size - 1))}
    if isinstance(universe, Graph):
        rows = [Counter(row) for row in universe.distances.tolist()]
        return {tuple(sorted((Rational(d), n) for d, n in row.items() if d >= 0)) for row in rows}
    found = set()
    for i in range(size):
        row = Counter(d for d in (universe.distance(i, j) for j in range(size)) if d is not None)
        found.add(tuple(sorted(row.items())))
    return found
