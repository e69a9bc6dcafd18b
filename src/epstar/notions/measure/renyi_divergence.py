"""Rényi divergence between rows of a mechanism: enclosed for one pair, in floats for all pairs at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ONE, ZERO, Ball, Rational, Real
from epstar.exact.elementary import ERROR, ROUNDING, exponentials, growth, logarithms
from epstar.exact.enclosure import log_over, of_order, power
from epstar.exact.vectors import nearest_floats
from epstar.notions.measure.hockey_stick import BLOCK
from epstar.notions.measure.relative_entropy import divergence as relative_entropy
from epstar.notions.pairs import PairArrays, pair_arrays
from epstar.universe import Alphabet, Universe

Floats = NDArray[np.float64]

_LARGEST_ORDER_IN_RATIONALS = 16
_SMALLEST = 2.0**-500
_LARGEST_EXPONENT = 600.0


@dataclass(frozen=True)
class WorstPair:
    """The largest divergence per distance in floats, and the pair of inputs that attains it."""

    value: float
    inputs: tuple[int, ...] = ()


def divergence(left: Sequence[Rational], right: Sequence[Rational], order: Rational, distance: Rational = ONE) -> Real:
    """Return D_order(left || right) / distance: exact at order 2, else an enclosure, or infinity."""
    if tuple(left) == tuple(right):
        return Real.of(ZERO)
    if order == 1:
        real = relative_entropy(left, right)
        return real if real.is_infinite or distance == 1 else real / distance
    both = [(p, q) for p, q in zip(left, right, strict=True) if p != 0 and q != 0]
    outside = any(p != 0 and q == 0 for p, q in zip(left, right, strict=True))
    if not both or (outside and order > 1):
        return INFINITY
    ratios = {p / q for p, q in both}
    if len(ratios) == 1 and not outside:
        return log_over(ratios.pop(), distance)
    if order.q == 1 and order <= _LARGEST_ORDER_IN_RATIONALS:
        a = int(order.p)
        total = sum((p**a / q ** (a - 1) for p, q in both), ZERO)
        return log_over(total, (order - 1) * distance)
    largest = max(ratios)
    return of_order(order, lambda: _scaled_divergence(both, largest, order) / distance)


def _scaled_divergence(both: Sequence[tuple[Rational, Rational]], largest: Rational, order: Rational) -> Ball:
    """Return the divergence with the largest ratio taken out, so that no power of a large order overflows."""
    total = Ball(0)
    for p, q in both:
        total += power(p / q / largest, order - 1) * p
    return total.log() / (order - 1) + Ball(largest).log()


def divergences(left: Floats, right: Floats, order: float) -> Floats:
    """Return D_order along the last axis in floats, with no cancellation near order 1 and no overflow."""
    both = (left > 0) & (right > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(both, np.log(left) - np.log(right), 0.0)
    mass = np.where(both, left, 0.0)
    outside = (left > 0) & ~both
    if order == 1:
        result: Floats = (mass * ratios).sum(axis=-1)
        result[outside.any(axis=-1)] = np.inf
        return result
    exponents = (order - 1) * ratios
    shift = np.maximum(exponents.max(axis=-1, keepdims=True), 0.0)
    small = shift[..., 0] < 1.0
    with np.errstate(divide="ignore", over="ignore"):
        far = np.log((mass * np.exp(exponents - shift)).sum(axis=-1)) + shift[..., 0]
        # sum p r^(a-1) = 1 + sum p (r^(a-1) - 1) - (what lies outside): exact where the sum is near one.
        missing = np.where(outside, left, 0.0).sum(axis=-1)
        near = np.log1p(np.maximum((mass * np.expm1(np.minimum(exponents, 2.0))).sum(axis=-1) - missing, -1.0))
    result = np.where(small & (missing < 0.5), near, far) / (order - 1)
    if order > 1:
        result[outside.any(axis=-1)] = np.inf
    return np.maximum(result, 0.0)


def worst_pair(matrix: Floats, universe: Universe, order: Rational) -> WorstPair:
    """Return the worst divergence per distance over the constrained pairs.

    When most pairs are constrained, all divergences come from one product of matrices; else pair by pair, in
    blocks. The value of the worst pair is then computed again without cancellation.
    """
    number, inputs = float(nearest_floats([order])[0]), len(matrix)
    if isinstance(universe, Alphabet):
        table = _all_pairs(matrix, number)
        if table is not None:
            np.fill_diagonal(table, 0.0)
            best = _near_ties(table.ravel())
            return _careful(matrix, best // inputs, best % inputs, np.ones(len(best)), number)
    pairs = pair_arrays(universe)
    if len(pairs.first) == 0:
        return WorstPair(0.0)
    table = _all_pairs(matrix, number) if 8 * len(pairs.first) >= inputs * inputs else None
    if table is None:
        values = _pair_by_pair(matrix, pairs, number)
    else:
        values = table[pairs.first, pairs.second]
    best = _near_ties(values / pairs.distance)
    return _careful(matrix, pairs.first[best], pairs.second[best], pairs.distance[best], number)


@dataclass(frozen=True)
class EnclosedDivergences:
    """For each ordered pair of inputs, two floats between which its divergence per distance lies."""

    pairs: PairArrays
    lower: Floats
    upper: Floats

    def rivals(self) -> NDArray[np.intp]:
        """Return the places of the pairs that may have the largest divergence."""
        return np.flatnonzero(self.upper >= self.lower.max())


def enclosed_divergences(matrix: Floats, universe: Universe, order: Rational) -> EnclosedDivergences | None:
    """Return the divergences of all constrained pairs of a matrix of nearest floats; None beyond what floats hold.

    Columns must be positive or zero. Each term is p e^((order - 1) log(p/q)) or p log(p/q), with errors as in
    `epstar.exact.elementary`.
    """
    rate = float(nearest_floats([order - 1])[0])
    pairs = pair_arrays(universe)
    matrix = matrix[:, matrix.max(axis=0) > 0]
    if matrix.min() < _SMALLEST or abs(rate) * -math.log(matrix.min()) > _LARGEST_EXPONENT or not pairs.first.size:
        return None
    logs = logarithms(matrix)
    lower, upper = np.empty(pairs.first.size), np.empty(pairs.first.size)
    step = max(1, BLOCK // matrix.shape[1])
    for start in range(0, lower.size, step):
        block = slice(start, start + step)
        first, second = pairs.first[block], pairs.second[block]
        values, errors = _enclosed_block(matrix[first], logs[first], logs[second], rate)
        scale = pairs.distance[block] * (rate or 1.0)
        ends = np.stack([(values - errors) / scale, (values + errors) / scale])
        widened = 4 * ROUNDING * np.abs(ends)
        lower[block], upper[block] = (ends - widened).min(axis=0), (ends + widened).max(axis=0)
    return EnclosedDivergences(pairs, lower, upper)


def _enclosed_block(left: Floats, left_logs: Floats, right_logs: Floats, rate: float) -> tuple[Floats, Floats]:
    """Return the relative entropies, or the logarithms of the sums of powers, with bounds on their errors."""
    ratios = left_logs - right_logs
    # Logarithms of nearest floats: the error of the function, of the argument, and of the difference.
    errors = 2 * ERROR * (np.abs(left_logs) + np.abs(right_logs)) + 8 * ROUNDING
    outputs = left.shape[1]
    if rate == 0:
        terms = left * ratios
        sizes = (left * (np.abs(ratios) + 1.0)).sum(axis=1)
        return terms.sum(axis=1), 1.01 * ((left * errors).sum(axis=1) + growth(outputs + 16) * sizes)
    sums = (left * exponentials(rate * ratios)).sum(axis=1)
    worst = 1.01 * abs(rate) * (errors + 4 * ROUNDING * np.abs(ratios)).max(axis=1)
    relative = 1.01 * (worst + 2 * ERROR + growth(outputs + 16))
    logs = logarithms(sums)
    return logs, 1.01 * (relative + ERROR * np.abs(logs))


def _near_ties(values: Floats) -> NDArray[np.intp]:
    """The places of at most 64 values that rounding may have confused with the largest, the largest ones first."""
    largest = values.max()
    if largest == np.inf:
        return np.array([values.argmax()])
    near = np.flatnonzero(values >= largest - 1e-9 * (1.0 + abs(largest)))
    return near[np.argsort(-values[near])][:64]


def _careful(
    matrix: Floats, first: NDArray[np.intp], second: NDArray[np.intp], distance: Floats, order: float
) -> WorstPair:
    values = divergences(matrix[first], matrix[second], order) / distance
    place = int(values.argmax())
    if values[place] <= 0:
        return WorstPair(0.0)
    return WorstPair(float(values[place]), (int(first[place]), int(second[place])))


def _all_pairs(matrix: Floats, order: float) -> Floats | None:
    """All divergences by one product of matrices; None where its powers would leave the range of floats."""
    has_zeros = bool((matrix <= 0).any())
    infinite = None
    result: Floats
    if has_zeros:
        support = (matrix > 0).astype(np.float64)
        if order >= 1:
            infinite = support @ (1.0 - support).T > 0
    if order == 1:
        logs = np.log(np.where(matrix > 0, matrix, 1.0) if has_zeros else matrix)
        own = np.einsum("xy,xy->x", matrix, logs)
        result = own[:, None] - matrix @ logs.T
    else:
        high = matrix.max(axis=0)
        scaled = matrix[:, high > 0] / high[high > 0]
        positive = scaled[scaled > 0].min() if has_zeros else scaled.min()
        if abs(order - 1) * -math.log(positive) > 600:
            return None
        left = scaled**order
        with np.errstate(divide="ignore"):
            right = scaled ** (1 - order)
        if has_zeros and order > 1:
            right[scaled <= 0] = 0.0
        left *= high[high > 0]
        with np.errstate(divide="ignore"):
            result = np.log(left @ right.T)
        result /= order - 1
    if infinite is not None:
        result[infinite] = np.inf
    return result


def _pair_by_pair(matrix: Floats, pairs: PairArrays, order: float) -> Floats:
    values = np.empty(len(pairs.first))
    step = max(1, BLOCK // (4 * matrix.shape[1]))
    for start in range(0, len(values), step):
        block = slice(start, start + step)
        values[block] = divergences(matrix[pairs.first[block]], matrix[pairs.second[block]], order)
    return values
