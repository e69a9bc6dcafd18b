"""Zero-concentrated differential privacy: the Rényi divergence of every order at most the order times a number."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, rational, working_precision
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Power, Proportional, RelativeEntropy, SumBound
from epstar.notions.family import Broken, Family
from epstar.notions.measure.product import worst_row
from epstar.notions.measure.renyi_divergence import divergence
from epstar.notions.pairs import LawPair, bounded_pairs, law_pairs, ordered_pairs
from epstar.notions.priors import check_points, check_source
from epstar.source import Source
from epstar.universe import Universe

Floats = NDArray[np.float64]
Places = NDArray[np.intp]
# Orders at which floats look first: densely near one, where the relative entropy is, and up to where ratios decide.
_GRID, _FIRST = 1 + np.logspace(-6, 6, 145), 1 + 1e-5
_BITS = 217
# More pieces between orders than any claim that is within a billionth of the truth takes.
_MOST_PIECES = 4000
# Orders that are nearer to each other, or to one, are not told apart.
_SMALLEST = Rational(1, 1 << 60)


@dataclass(frozen=True)
class ConcentratedDifferentialPrivacy(Family):
    """D_a(Q(.|x) || Q(.|x')) <= level * a * distance(x, x') for every order a > 1 and all constrained pairs.

    The loss is the rho of Bun and Steinke, "Concentrated differential privacy: simplifications, extensions, and lower
    bounds" (TCC 2016). It is a family of bounds, one for each order.

    >>> from epstar.mechanism import Mechanism
    >>> loss = ConcentratedDifferentialPrivacy().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]))
    >>> round(loss.value, 6)
    0.549306
    """

    name: ClassVar[str] = "concentrated_differential_privacy"
    title: ClassVar[str] = "concentrated differential privacy"
    unit: ClassVar[str] = "ρ"
    is_general: ClassVar[bool] = True
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"

    def member(self, number: Rational) -> Notion:
        return _AtOrder(number)

    def has_member(self, number: Rational) -> bool:
        return number >= 1

    def first_members(self) -> tuple[Rational, ...]:
        return (ONE,)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return the bounds of a few orders, which are implied; each is one of the members."""
        parts = [self.member(order).constraints(universe, points) for order in map(rational, (1, "3/2", 2, 4))]
        return Constraints(sums=tuple(bound for part in parts for bound in part.sums))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss: at most a billionth above what an order that is found has, for an exact mechanism."""
        check_source(source, mechanism)
        by_row = worst_row(self, mechanism)
        if by_row is not None:
            return by_row
        dense = mechanism.dense()
        worst: tuple[int, ...] = ()
        value, order = 0.0, 1.0
        pairs, which, values, orders = _peaks(dense.floats, dense.universe)
        if pairs and values.max() > 0:
            place = int(values.argmax())
            worst, value, order = pairs[which[place]][:2], float(values[place]), float(orders[place])
        if not dense.is_exact or value == 0.0:
            known = Real.of(ZERO) if dense.is_exact else None
            return Loss(value, Witness(worst), known, known)
        if math.isinf(value):
            return Loss.known(Real.of("infinity"), Witness(worst))
        near = max(ONE, Rational(round(order * (1 << 40)), 1 << 40))
        pair = next(pair for pair in law_pairs(dense) if pair.witness.inputs == worst)
        lower = divergence(pair.left, pair.right, near, near * pair.distance)
        upper = Rational(math.ceil(value * (1 + 1e-9) * (1 << 60)), 1 << 60)
        while not self.is_kept(dense, Real.of(upper), self.pieces(dense, Real.of(upper)), _BITS):
            upper += upper / (1 << 20)
        return Loss(value, Witness(worst), lower, Real.of(upper))

    def is_kept(self, mechanism: Mechanism, level: Real, orders: Sequence[Rational], bits: int) -> bool:
        """Return whether a mechanism surely keeps a level at every order, by what it has at some.

        Write psi(a) = (a - 1) D_a, which is convex in a (it is log sum p^a q^(1-a)), and R for what is allowed. Up to
        the first order D grows and R a >= R; between two orders psi lies below its chord, which is compared with
        R a (a - 1); beyond the last D is at most the logarithm of the largest ratio.
        """
        if any(b <= a for a, b in pairwise(orders)):
            return False
        with working_precision(bits):
            return all(
                _is_kept(pair, level.enclose(bits) * pair.distance, orders) for pair in in_time(law_pairs(mechanism))
            )

    def pieces(self, mechanism: Mechanism, level: Real) -> tuple[Rational, ...]:
        """Return orders between which chords show that a level is kept; none if it is not."""
        found: set[Rational] = set()
        with working_precision(_BITS):
            for pair in law_pairs(mechanism):
                own = _pieces(pair, level.enclose(_BITS) * pair.distance)
                if own is None:
                    return ()
                found |= own
        return tuple(sorted(found))

    def broken(self, matrix: Floats, universe: Universe, level: float) -> list[Broken]:
        """Return by how much each pair breaks a level at the orders at which it does most, and those orders."""
        found: list[Broken] = []
        pairs, *peaks = _peaks(matrix, universe)
        for which, value, order in zip(*peaks, strict=True):
            if value > level and math.isfinite(order):
                number = max(ONE, Rational(round(min(order, 1e6) * (1 << 30)), 1 << 30))
                found.append(Broken(float(value) - level, pairs[which][:2], number))
        return found

    def losses(self, matrix: Floats, universe: Universe) -> Floats:
        """Return what each pair loses, in floats."""
        pairs, which, values, _ = _peaks(matrix, universe)
        found = np.zeros(len(pairs))
        np.maximum.at(found, which, values)
        return found


@dataclass(frozen=True)
class _AtOrder(Notion):
    """The bound of one order; order one is the relative entropy."""

    title: ClassVar[str] = "concentrated differential privacy at an order"
    order: Rational

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        check_source(source, mechanism)
        found = (
            (pair.witness, divergence(pair.left, pair.right, self.order, self.order * pair.distance))
            for pair in law_pairs(mechanism.dense())
        )
        witness, real = max(found, key=lambda entry: float(entry[1]), default=(Witness(), Real.of(ZERO)))
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        check_points(points, universe)
        sums = []
        for first, second, distance in bounded_pairs(universe):
            left, right, name, order = {first: ONE}, {second: ONE}, (first, second), self.order
            if order == 1:
                sums.append(SumBound(((ONE, RelativeEntropy(left, right)),), Proportional(distance), name))
            else:
                scale = Exponential(rate=(order - 1) * order * distance)
                sums.append(SumBound(((ONE, Power(left, right, order)),), scale, name))
        return Constraints(sums=tuple(sums))


class _Cumulant:
    """log sum p^a q^(1-a) of two laws, as a function of the order a, rounded up; what was computed is known."""

    def __init__(self, pair: LawPair) -> None:
        terms = [(p, q) for p, q in zip(pair.left, pair.right, strict=True) if p > 0]
        self.is_finite = all(q > 0 for _, q in terms)
        self._logs = [(ball(p).log(), ball(p / q).log()) for p, q in terms] if self.is_finite else []
        # Which ratio is the largest is told exactly, as floats may take another one for it.
        self.top = ball(max(p / q for p, q in terms)).log() if self.is_finite else ball(ZERO)
        """The logarithm of the largest ratio."""
        self._known: dict[Rational, Ball] = {}

    def __call__(self, order: Rational) -> Ball:
        if order not in self._known:
            total = ball(ZERO)
            for log_p, log_ratio in self._logs:
                total += (log_p + log_ratio * (order - 1)).exp()
            self._known[order] = Ball(total.log().upper())
        return self._known[order]


def _is_kept(pair: LawPair, allowed: Ball, orders: Sequence[Rational]) -> bool:
    """Return whether a pair surely keeps what is allowed, by chords between orders that are as far apart as can be."""
    psi = _Cumulant(pair)
    if not psi.is_finite or not allowed > 0 or not orders or orders[0] <= 1:
        return False
    left = [(0, len(orders) - 1)]
    while left:
        i, j = left.pop()
        if not _chord_fits(orders[i], orders[j], psi(orders[i]), psi(orders[j]), allowed):
            if j - i < 2:
                return False
            left += [(i, (i + j) // 2), ((i + j) // 2, j)]
    return bool(psi(orders[0]) <= allowed * (orders[0] - 1) and psi.top <= allowed * orders[-1])


def _pieces(pair: LawPair, allowed: Ball) -> set[Rational] | None:
    """Return orders between which chords of one pair fit; None where it is seen that it is allowed less."""
    psi = _Cumulant(pair)
    if not psi.is_finite or not allowed > 0:
        return None
    first = ONE
    while not psi(1 + first) <= allowed * first:
        first /= 2
        if first < _SMALLEST:
            return None
    last = Rational(1 << max(2, math.ceil(math.log2(max(float(psi.top) / float(allowed), 1.0))) + 1))
    found, left = {1 + first, last}, [(1 + first, last)]
    while left:
        a, b = left.pop()
        if not _chord_fits(a, b, psi(a), psi(b), allowed):
            middle = _between(a, b)
            if len(found) > _MOST_PIECES or b - a < _SMALLEST or not psi(middle) <= allowed * (middle * (middle - 1)):
                return None
            found.add(middle)
            left += [(a, middle), (middle, b)]
    return found


def _chord_fits(a: Rational, b: Rational, low: Ball, high: Ball, allowed: Ball) -> bool:
    """Return whether the chord from (a, low) to (b, high) surely lies below allowed * t (t - 1) from a to b."""
    if not (low <= allowed * (a * (a - 1)) and high <= allowed * (b * (b - 1))):
        return False
    if a == b:
        return True
    slope = (high - low) / ball(b - a)
    lowest = (allowed + slope) / (allowed * 2)
    if lowest <= ball(a) or lowest >= ball(b):
        return True
    return bool((allowed + slope) ** 2 / (allowed * 4) + low - slope * a <= 0)


def _between(a: Rational, b: Rational) -> Rational:
    """Return an order between two, in the middle of their distances from one by ratio, in few digits."""
    middle = 1 + math.sqrt(float(a - 1) * float(b - 1))
    digits = 1 << (24 + max(0, -math.frexp(float(a - 1))[1]))
    found = Rational(round(middle * digits), digits) if float(a - 1) > 1e-9 else 1 + (a - 1) * 2
    return found if a < found < b else (a + b) / 2


def _peaks(matrix: Floats, universe: Universe) -> tuple[list[tuple[int, int, Rational]], Places, Floats, Floats]:
    """Return the pairs and, in floats, where the divergence over order and distance peaks: pair, value, order.

    Mechanisms that are optimal touch a level at several orders, so that all local maxima of the grid are followed.
    """
    pairs = list(ordered_pairs(universe))
    left, right = matrix[[first for first, _, _ in pairs]], matrix[[second for _, second, _ in pairs]]
    kept = left > 0
    logs = np.log(np.where(kept, left, 1.0) / np.where(kept & (right > 0), right, 1.0))

    def ratios(orders: Floats, which: Places) -> Floats:
        exponents = np.where(kept[which, None, :], (orders - 1)[:, :, None] * logs[which, None, :], -np.inf)
        top = exponents.max(axis=2, keepdims=True)
        totals = top[:, :, 0] + np.log((left[which, None, :] * np.exp(exponents - top)).sum(axis=2))
        return np.asarray(totals / ((orders - 1) * orders))

    found = ratios(np.broadcast_to(_GRID, (len(pairs), _GRID.size)), np.arange(len(pairs)))
    sides = np.pad(found, ((0, 0), (1, 1)), constant_values=-np.inf)
    # Next to order one differences cancel, and the relative entropy is the limit.
    which, place = np.nonzero((found >= sides[:, :-2]) & (found > sides[:, 2:]) & (_GRID > _FIRST))
    low, high = _GRID[place - 1], _GRID[np.minimum(place + 1, _GRID.size - 1)]
    each = np.arange(which.size)
    for _ in range(10):
        grid = np.linspace(low, high, 9, axis=1)
        found = ratios(grid, which)
        best = found.argmax(axis=1)
        low, high = grid[each, np.maximum(best - 1, 0)], grid[each, np.minimum(best + 1, 8)]
    which = np.concatenate([np.arange(len(pairs)), which])
    values = np.concatenate([(left * logs).sum(axis=1), found[each, best]])
    orders = np.concatenate([np.ones(len(pairs)), grid[each, best]])
    is_infinite = (kept & (right <= 0))[which].any(axis=1)
    distances = np.array([float(distance) for _, _, distance in pairs])[which]
    return pairs, which, np.where(is_infinite, np.inf, values / distances), np.where(is_infinite, np.inf, orders)
