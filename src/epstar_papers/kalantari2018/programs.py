"""The minimisations (10) and (17) as they are printed and as they should be, solved in exact rationals.

Both minimise a ratio (n-1 - sum of the other D)/D_1 over the distortions D of n categories. Divided by D_1 it is a
linear program in t = 1/D_1 and z_i = D_i/D_1, so its optimum is an exact fraction E, and the leakage is log E.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact_linear import LinearSystem, Optimum
from epstar_papers.kalantari2018.constructions import Permutation, orbits
from epstar_papers.kalantari2018.tables import Point, Points


@dataclass(frozen=True)
class RatioProgram:
    """One minimisation: the distributions cut to n categories, and the distortion left for each of them.

    `first` is the category in the denominator, and `first_is_least` adds what the text forgets: that no distortion is
    smaller. `classes` lists categories with equal distortions, `certain` those whose distortion is 1.
    """

    points: Points
    budgets: Point
    first: int = 0
    first_is_least: bool = True
    classes: tuple[tuple[int, ...], ...] = ()
    certain: tuple[int, ...] = ()

    def minimum(self) -> Rational | None:
        """Return the least ratio E; None if no distortions are allowed."""
        categories = len(self.points[0])
        others = [x for x in range(categories) if x != self.first]
        place = {x: column for column, x in enumerate(others)}
        last = len(others)  # the column of t

        def row(weights: Sequence[Rational], time: Rational) -> tuple[Rational, ...]:
            return (*(weights[x] for x in others), time)

        def unit(x: int, sign: Rational, time: Rational) -> tuple[Rational, ...]:
            weights = [ZERO] * categories
            weights[x] = sign
            return row(weights, time)

        matrix = [row(distribution, -budget) for distribution, budget in zip(self.points, self.budgets, strict=True)]
        bounds = [-distribution[self.first] for distribution in self.points]
        matrix += [row([ONE] * categories, -Rational(categories - 1)), unit(self.first, ZERO, -ONE)]
        bounds += [-ONE, -ONE]
        for x in others:
            matrix.append(unit(x, ONE, -ONE))
            bounds.append(ZERO)
            if self.first_is_least:
                matrix.append(unit(x, -ONE, ZERO))
                bounds.append(-ONE)
        equalities, equal_to = [], []
        for categories_alike in self.classes:
            for x, y in pairwise(categories_alike):
                difference = [ZERO] * categories
                difference[x], difference[y] = ONE, -ONE
                equalities.append(row(difference, ZERO))
                equal_to.append(-difference[self.first])
        for x in self.certain:
            equalities.append(unit(x, ONE, -ONE))
            equal_to.append(-ONE if x == self.first else ZERO)
        system = LinearSystem(last + 1, tuple(matrix), tuple(bounds), tuple(equalities), tuple(equal_to))
        cost = [ZERO] * (last + 1)
        for x in others:
            cost[place[x]] = ONE
        cost[last] = -Rational(categories - 1)
        optimum = system.maximise(cost)
        return -optimum.value if isinstance(optimum, Optimum) else None


def threshold(points: Points, count: int) -> Rational:
    """Return D^(k) of equation (8): the largest probability of the last k categories."""
    return max((sum(distribution[len(distribution) - count :], ZERO) for distribution in points), default=ZERO)


def tail(distribution: Point, count: int) -> Rational:
    """Return the probability of the last `count` categories."""
    return sum(distribution[len(distribution) - count :], ZERO)


def equation_10(points: Points, distortion: Rational, count: int, first_is_least: bool = False) -> Rational | None:
    """Return E of (10) with k = `count`, as printed or with the missing D_1 <= D_i; None if nothing is allowed.

    Raises:
        ZeroDivisionError: for k = M-1, where the printed formula is 0 times 0/0.
    """
    kept = len(points[0]) - count
    if kept < 2:
        raise ZeroDivisionError("(10) divides by M-1-k, which is zero")
    budget = distortion - threshold(points, count)
    cut = tuple(distribution[:kept] for distribution in points)
    return RatioProgram(cut, (budget,) * len(cut), first_is_least=first_is_least).minimum()


def equation_10_by_tail(points: Points, distortion: Rational, count: int) -> Rational | None:
    """Return E of (10) with D_1 <= D_i and each distribution's own tail in place of D^(k)."""
    kept = len(points[0]) - count
    budgets = tuple(distortion - tail(distribution, count) for distribution in points)
    return RatioProgram(tuple(distribution[:kept] for distribution in points), budgets).minimum()


def least(ratios: Iterable[Rational | None]) -> Real:
    """Return the logarithm of the least ratio; infinity if there is none."""
    finite = [ratio for ratio in ratios if ratio is not None]
    return Real.log(min(finite)) if finite else INFINITY


def symmetric_loss(size: int, distortion: Rational) -> Real:
    """Return log((M-1)(1-D)/D), infinite at D = 0 and never below 0."""
    if distortion == 0:
        return INFINITY
    return Real.log(max(ONE, (size - 1) * (1 - distortion) / distortion))


def equation_9(points: Points, distortion: Rational, first_is_least: bool = False) -> Real:
    """Return the leakage of Theorem 2(b), with (10) as printed or with D_1 <= D_i."""
    size = len(points[0])
    if distortion < threshold(points, 1):
        return symmetric_loss(size, distortion)
    if distortion >= threshold(points, size - 1):
        return Real.of(ZERO)
    most = max(k for k in range(1, size - 1) if threshold(points, k) <= distortion)
    return least(equation_10(points, distortion, k, first_is_least) for k in range(most + 1))


def equation_17(
    points: Points,
    distortion: Rational,
    permutations: Iterable[Permutation],
    count: int,
    least_anywhere: bool = False,
) -> Rational | None:
    """Return E of (17) with k = `count`; with `least_anywhere`, the smallest D stands in the denominator.

    The last k categories have distortion 1, and so has every category that a permutation carries into them.
    """
    size = len(points[0])
    kept = size - count
    if kept < 2:
        raise ZeroDivisionError("(17) divides by M-1-k, which is zero")
    alike = orbits(size, permutations)
    classes = tuple(tuple(x for x in categories if x < kept) for categories in alike)
    certain = tuple(x for categories in alike if categories[-1] >= kept for x in categories if x < kept)
    cut = tuple(distribution[:kept] for distribution in points)
    budgets = (distortion - threshold(points, count),) * len(cut)
    firsts = [categories[0] for categories in classes if categories] if least_anywhere else [0]
    ratios = [RatioProgram(cut, budgets, first, least_anywhere, classes, certain).minimum() for first in firsts]
    return min((ratio for ratio in ratios if ratio is not None), default=None)


def equation_16(
    points: Points, distortion: Rational, permutations: Iterable[Permutation], least_anywhere: bool = False
) -> Real:
    """Return the leakage of (16), with (17) as printed or with the smallest D in the denominator.

    The corrected program needs no column left out (l = 0): categories with distortion 1 vanish by themselves.
    """
    size = len(points[0])
    if distortion < threshold(points, 1):
        return symmetric_loss(size, distortion)
    if distortion >= Rational(size - 1, size):
        return Real.of(ZERO)
    steps = tuple(permutations)
    counts = range(1) if least_anywhere else range(size - 1)
    return least(equation_17(points, distortion, steps, k, least_anywhere) for k in counts)
