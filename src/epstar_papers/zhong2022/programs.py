"""The optimisation problems (9) to (13) and (15) to (17) of the paper, solved in exact rationals."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.exact import ONE, ZERO, Rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar_papers.zhong2022.distributions import Point, Points, tail


def _maximum(
    cost: Sequence[Rational], matrix: Sequence[Sequence[Rational]], bounds: Sequence[Rational]
) -> Optimum | None:
    system = LinearSystem(len(cost), tuple(map(tuple, matrix)), tuple(bounds))
    optimum = system.maximise(cost)
    return optimum if isinstance(optimum, Optimum) else None


def _steps(size: int) -> list[list[Rational]]:
    """Rows that say a_j <= a_(j-1)."""
    rows = []
    for j in range(1, size):
        row = [ZERO] * size
        row[j], row[j - 1] = ONE, -ONE
        rows.append(row)
    return rows


def program_9(distributions: Points, distortion: Rational, delta: Rational) -> tuple[Rational, Point]:
    """Return the least ratio of (9), one condition (c1) for each distribution, and the diagonal that attains it.

    Divided by 1 - a_1 it is linear in t = 1/(1-a_1) and b_j = t(a_j - delta). At a_1 = 1 it has no value.
    """
    size = len(distributions[0])
    matrix = [[*(-p for p in distribution), 1 - distortion - delta] for distribution in distributions]
    matrix.append([-ONE] * size + [1 - delta])
    matrix += [[*row, ZERO] for row in _steps(size)]
    bounds = [ZERO] * len(matrix)
    equality = (-ONE, *[ZERO] * (size - 1), 1 - delta)
    system = LinearSystem(size + 1, tuple(map(tuple, matrix)), tuple(bounds), (equality,), (ONE,))
    optimum = system.maximise([ZERO, *[-ONE] * (size - 1), ZERO])
    assert isinstance(optimum, Optimum), "randomised response is allowed below the free distortion"
    scale = optimum.point[-1]
    return -optimum.value, tuple(b / scale + delta for b in optimum.point[:-1])


def program_10(distribution: Point, distortion: Rational, delta: Rational, first: Rational) -> Rational | None:
    """Return d_2 of (10) for a given a_1: the least sum of a_j - delta over the other categories."""
    size = len(distribution) - 1
    slack = distortion - 1 + distribution[0] * first + delta * tail(distribution, size)
    matrix = [[-p for p in distribution[1:]], [-ONE] * size, [ONE] + [ZERO] * (size - 1), *_steps(size)]
    bounds = [slack, first - 1, first - delta, *[ZERO] * (size - 1)]
    optimum = _maximum([-ONE] * size, matrix, bounds)
    return None if optimum is None else -optimum.value


def program_11(distribution: Point, distortion: Rational, delta: Rational, first: Rational) -> Rational | None:
    """Return d_3 of (11), in the differences b_j = a_j - a_(j+1)."""
    size = len(distribution)
    cost = [Rational(size - j) for j in range(1, size)]
    matrix = [[tail(distribution, size - j) for j in range(1, size)], cost, [ONE] * (size - 1)]
    bounds = [first - 1 + distortion, size * (first - delta) - 1 + delta, first - delta]
    optimum = _maximum(cost, matrix, bounds)
    return None if optimum is None else optimum.value


def program_12(distribution: Point, distortion: Rational, delta: Rational, first: Rational) -> Rational | None:
    """Return the optimum of the dual (12)."""
    size = len(distribution)
    cost = [-(first - 1 + distortion), -(size * (first - delta) - 1 + delta), -(first - delta)]
    matrix = [[-tail(distribution, j), -Rational(j), -ONE] for j in range(1, size)]
    optimum = _maximum(cost, matrix, [-Rational(j) for j in range(1, size)])
    return None if optimum is None else -optimum.value


def program_13(
    distribution: Point, distortion: Rational, delta: Rational, first: Rational, second: Rational
) -> Rational | None:
    """Return d_4 of (13) for a given a_1 and gamma_2."""
    size = len(distribution)
    cost = [-(first - 1 + distortion), -(first - delta)]
    matrix = [[-tail(distribution, j), -ONE] for j in range(1, size)]
    optimum = _maximum(cost, matrix, [-j * (1 - second) for j in range(1, size)])
    return None if optimum is None else -optimum.value


def corner_value(distribution: Point, distortion: Rational, delta: Rational, first: Rational, corner: int) -> Rational:
    """Return c_k(a_1), the value of (13) at the corner Z_(k-1,k) for gamma_2 = 0."""
    size = len(distribution)
    rarest = distribution[size - corner]
    slope = (corner - 1) * rarest - tail(distribution, corner - 1)
    return ((first - 1 + distortion) + (first - delta) * slope) / rarest


def corner_of(distribution: Point, distortion: Rational, delta: Rational, first: Rational) -> int:
    """Return the k of the interval of a_1 that the paper assigns to the corner Z_(k-1,k)."""
    slope = (first - 1 + distortion) / (first - delta)
    return next(k for k in range(1, len(distribution) + 1) if slope <= tail(distribution, k))


def program_15(distribution: Point, distortion: Rational) -> Rational:
    """Return the least sum of a diagonal in (15), whose logarithm is d_6."""
    size = len(distribution)
    matrix = [[-p for p in distribution], [-ONE] * size, [ONE] + [ZERO] * (size - 1), *_steps(size)]
    optimum = _maximum([-ONE] * size, matrix, [distortion - 1, -ONE, ONE, *[ZERO] * (size - 1)])
    assert optimum is not None, "the identity is allowed"
    return -optimum.value


def program_16(distribution: Point, distortion: Rational) -> Rational:
    """Return d_7 of (16), which is minus the sum in (15)."""
    size = len(distribution)
    weights = [Rational(j) for j in range(1, size + 1)]
    matrix = [[tail(distribution, size - j) - 1 for j in range(1, size + 1)], [-w for w in weights], [ONE] * size]
    optimum = _maximum([-w for w in weights], matrix, [distortion - 1, -ONE, ONE])
    assert optimum is not None, "the identity is allowed"
    return optimum.value


def program_17(distribution: Point, distortion: Rational, printed: bool) -> Rational | None:
    """Return the optimum of the dual (17), with its first condition as printed or with D^(m-j) - 1.

    The printed condition reads D^(m-j) gamma_1 - j gamma_2 + gamma_3 >= -j.
    """
    size = len(distribution)
    shift = ZERO if printed else ONE
    matrix = [[shift - tail(distribution, size - j), Rational(j), -ONE] for j in range(1, size + 1)]
    optimum = _maximum([1 - distortion, ONE, -ONE], matrix, [Rational(j) for j in range(1, size + 1)])
    return None if optimum is None else -optimum.value
