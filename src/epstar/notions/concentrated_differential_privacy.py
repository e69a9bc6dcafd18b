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
# Orders at which floats look first: densely near one, where the relative entropy is, and up to where ratios decide.
_GRID = 1 + np.logspace(-6, 6, 145)
_BITS = 217
# More pieces between orders than any claim that is within a billionth of the truth takes.
_MOST_PIECES = 4000


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
        pairs, values, orders = _worst_orders(dense.floats, dense.universe)
        if pairs and values.max() > 0:
            place = int(values.argmax())
            worst, value, order = pairs[place][:2], float(values[place]), float(orders[place])
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
        pairs = list(law_pairs(mechanism))
        if not pairs:
            return True
        if not orders or orders[0] <= 1 or any(b <= a for a, b in pairwise(orders)):
            return False
        with working_precision(bits):
            for pair in in_time(pairs):
                allowed = level.enclose(bits) * pair.distance
                values = _cumulants(pair, orders)
                if values is None or not allowed > 0:
                    return False
                ends = values[0] <= allowed * (orders[0] - 1) and _top(pair) <= allowed * orders[-1]
                if not ends or not all(
                    _chord_fits(*piece, allowed) for piece in zip(orders, orders[1:], values, values[1:], strict=False)
                ):
                    return False
        return True

    def pieces(self, mechanism: Mechanism, level: Real) -> tuple[Rational, ...]:
        """Return orders between which chords show that a level is kept; what is found so far if it is not."""
        pairs = list(law_pairs(mechanism))
        if not pairs or any(_cumulants(pair, (rational(2),)) is None for pair in pairs):
            return ()
        with working_precision(_BITS):
            allowed = [level.enclose(_BITS) * pair.distance for pair in pairs]
            first = ONE
            for _ in range(60):
                first /= 2
                values = [_cumulants(pair, (1 + first,)) for pair in pairs]
                if all(value is not None and value[0] <= r * first for value, r in zip(values, allowed, strict=True)):
                    break
            last = max(2.0, *(float(_top(pair)) / float(r) for pair, r in zip(pairs, allowed, strict=True)))
            orders = [1 + first, rational(math.ceil(last) + 1)]
            known = {order: [_cumulants(pair, (order,)) for pair in pairs] for order in orders}
            place = 0
            while place + 1 < len(orders) < _MOST_PIECES:
                a, b = orders[place], orders[place + 1]
                if all(
                    one is not None and other is not None and _chord_fits(a, b, one[0], other[0], r)
                    for one, other, r in zip(known[a], known[b], allowed, strict=True)
                ):
                    place += 1
                    continue
                if b - a < Rational(1, 1 << 40) * (a - 1):
                    break
                middle = _between(a, b)
                known[middle] = [_cumulants(pair, (middle,)) for pair in pairs]
                orders.insert(place + 1, middle)
        return tuple(orders)

    def broken(self, matrix: Floats, universe: Universe, level: float) -> list[Broken]:
        """Return by how much each pair breaks a level at its worst order, and that order."""
        found: list[Broken] = []
        for (first, second, _), value, order in zip(*_worst_orders(matrix, universe), strict=True):
            if value > level and math.isfinite(order):
                number = max(ONE, Rational(round(min(order, 1e6) * (1 << 30)), 1 << 30))
                found.append(Broken(float(value) - level, (first, second), number))
        return found

    def losses(self, matrix: Floats, universe: Universe) -> Floats:
        """Return what each pair loses, in floats."""
        return _worst_orders(matrix, universe)[1]


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


def _cumulants(pair: LawPair, orders: Sequence[Rational]) -> list[Ball] | None:
    """Return log sum p^a q^(1-a) at some orders, rounded up; None where it is infinite."""
    terms = [(p, q) for p, q in zip(pair.left, pair.right, strict=True) if p > 0]
    if any(q == 0 for _, q in terms):
        return None
    logs = [(ball(p).log(), ball(p / q).log()) for p, q in terms]
    found = []
    for order in orders:
        total = ball(ZERO)
        for log_p, log_ratio in logs:
            total += (log_p + log_ratio * (order - 1)).exp()
        found.append(Ball(total.log().upper()))
    return found


def _top(pair: LawPair) -> Ball:
    """Return the logarithm of the largest ratio."""
    return ball(max(p / q for p, q in zip(pair.left, pair.right, strict=True) if p > 0)).log()


def _chord_fits(a: Rational, b: Rational, low: Ball, high: Ball, allowed: Ball) -> bool:
    """Return whether the chord from (a, low) to (b, high) surely lies below allowed * t (t - 1) from a to b."""
    if not (low <= allowed * (a * (a - 1)) and high <= allowed * (b * (b - 1))):
        return False
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


def _worst_orders(matrix: Floats, universe: Universe) -> tuple[list[tuple[int, int, Rational]], Floats, Floats]:
    """Return the pairs, the largest divergence of each over its order and distance, in floats, and that order."""
    pairs = list(ordered_pairs(universe))
    left, right = matrix[[first for first, _, _ in pairs]], matrix[[second for _, second, _ in pairs]]
    if not pairs:
        return pairs, np.zeros(0), np.ones(0)
    kept = left > 0
    logs = np.log(np.where(kept, left, 1.0) / np.where(kept & (right > 0), right, 1.0))

    def ratios(orders: Floats) -> Floats:
        exponents = np.where(kept[:, None, :], (orders - 1)[:, :, None] * logs[:, None, :], -np.inf)
        top = exponents.max(axis=2, keepdims=True)
        totals = top[:, :, 0] + np.log((left[:, None, :] * np.exp(exponents - top)).sum(axis=2))
        return np.asarray(totals / ((orders - 1) * orders))

    limits, each = (left * logs).sum(axis=1), np.arange(len(pairs))
    place = ratios(np.broadcast_to(_GRID, (len(pairs), _GRID.size))).argmax(axis=1)
    low, high = _GRID[np.maximum(place - 1, 0)], _GRID[np.minimum(place + 1, _GRID.size - 1)]
    for _ in range(10):
        grid = np.linspace(low, high, 9, axis=1)
        found = ratios(grid)
        best = found.argmax(axis=1)
        low, high = grid[each, np.maximum(best - 1, 0)], grid[each, np.minimum(best + 1, 8)]
    values, orders = found[each, best], grid[each, best]
    # Next to order one differences cancel, and the relative entropy is the limit.
    is_first = (place == 0) | (limits >= values)
    values, orders = np.where(is_first, limits, values), np.where(is_first, 1.0, orders)
    is_infinite = (kept & (right <= 0)).any(axis=1)
    distances = np.array([float(distance) for _, _, distance in pairs])
    return pairs, np.where(is_infinite, np.inf, values / distances), np.where(is_infinite, np.inf, orders)
