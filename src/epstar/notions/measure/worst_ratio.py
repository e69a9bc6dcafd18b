"""The worst ratio between two rows of a non-negative matrix, over the constrained pairs of a universe.

Differential privacy is this number for the mechanism, identifiability for the joint distribution. When every pair is
constrained at distance one, the worst pair of a column is its largest and its smallest entry, so that no pair
is ever formed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from operator import eq

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.common_denominator import Scaled, widened
from epstar.exact.enclosure import greatest, log_over
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.universe import Alphabet, Pairs, Universe

Floats = NDArray[np.float64]

# Pairs are compared in blocks of this many entries: large enough for NumPy, small enough for any machine.
_BLOCK = 1 << 20
_CACHED = 1 << 16
# How far the difference of two logarithms of floats may be from that of the rationals they are nearest to, which are
# not below this, and by which share a rounded distance may add to it.
_UNSURE, _FAINT, _ROUNDING = 1e-11, 1e-290, 1e-14
_NEAREST, _FARTHEST = Rational(1, 10**100), Rational(10**100)


@dataclass(frozen=True)
class WorstRatio:
    """The largest log(left / right) / distance, at least 0, and the rows and the column that attain it."""

    value: float
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()


@dataclass(frozen=True)
class ExactWorstRatio:
    """The same as an exact number."""

    exact: Real
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()


def column_extremes(matrix: Floats, scales: Floats | None = None) -> tuple[Floats, Floats]:
    """Return the largest and the smallest scaled entry of each column, over the next-to-last axis.

    One matrix is scaled in blocks of rows that stay in the cache, so that no copy of it is made.
    """
    if scales is None:
        return matrix.max(axis=-2), matrix.min(axis=-2)
    if matrix.ndim > 2:
        return column_extremes(scales[..., :, None] * matrix)
    step = max(1, _CACHED // matrix.shape[1])
    high, low = np.full(matrix.shape[1], -np.inf), np.full(matrix.shape[1], np.inf)
    buffer = np.empty((min(step, len(matrix)), matrix.shape[1]))
    for start in range(0, len(matrix), step):
        block = matrix[start : start + step]
        scaled = np.multiply(scales[start : start + step, None], block, out=buffer[: len(block)])
        np.maximum(high, scaled.max(axis=0), out=high)
        np.minimum(low, scaled.min(axis=0), out=low)
    return high, low


def log_spread(matrix: Floats, scales: Floats | None = None) -> Floats:
    """Return log(largest / smallest) of each column of the scaled matrix; 0 for a column of zeros."""
    high, low = column_extremes(matrix, scales)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > 0, np.log(high) - np.log(low), 0.0)


def worst_ratio(matrix: Floats, universe: Universe, scales: Floats | None = None) -> WorstRatio:
    """Return the worst ratio of floats, each row multiplied by its scale if there are scales.

    Cost: O(inputs * outputs) on an alphabet, O(pairs * outputs) elsewhere.
    """
    if isinstance(universe, Alphabet):
        output = int(log_spread(matrix, scales).argmax())
        column = matrix[:, output] if scales is None else scales * matrix[:, output]
        return _float_ratio(column, int(column.argmax()), int(column.argmin()), output)
    if scales is not None:
        return worst_ratio(scales[:, None] * matrix, universe)
    pairs = universe.pairs()
    if len(pairs.first) == 0:
        return WorstRatio(0.0)
    distances = None if pairs.distance is None else np.array([float(d) for d in pairs.distance])
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    best, found = -1.0, (0, 0)
    step = max(1, _BLOCK // matrix.shape[1])
    for start in range(0, len(pairs.first), step):
        block = slice(start, start + step)
        with np.errstate(invalid="ignore"):
            gaps = np.abs(logs[pairs.first[block]] - logs[pairs.second[block]])
        gaps[np.isnan(gaps)] = 0.0  # an output that neither input gives compares nothing
        if distances is not None:
            gaps /= distances[block, None]
        place = int(gaps.argmax())
        if gaps.flat[place] > best:
            best, found = float(gaps.flat[place]), (start + place // gaps.shape[1], place % gaps.shape[1])
    pair, output = found
    column = matrix[:, output]
    first, second = int(pairs.first[pair]), int(pairs.second[pair])
    if column[first] < column[second]:
        first, second = second, first
    return _float_ratio(column, first, second, output, 1.0 if distances is None else float(distances[pair]))


def _float_ratio(column: Floats, first: int, second: int, output: int, distance: float = 1.0) -> WorstRatio:
    high, low = float(column[first]), float(column[second])
    if high == low:
        return WorstRatio(0.0)
    value = math.inf if low == 0 else math.log(high) - math.log(low)
    if low > 0 and high / low < math.inf:
        value = math.log(high / low)  # one rounding less
    return WorstRatio(value / distance, (first, second), (output,))


def mechanism_worst_ratio(mechanism: Mechanism, scales: Sequence[Rational] | None = None) -> ExactWorstRatio:
    """Return the worst ratio of an exact mechanism, each row multiplied by its scale if there are scales.

    Where all pairs are neighbours it works on whole columns of integers.
    """
    universe, scaled = mechanism.universe, mechanism.scaled
    if not isinstance(universe, Alphabet) and scales is None and scaled is not None:
        numerators, denominator = scaled.numerators, scaled.denominator

        def entry(x: int, y: int) -> Rational:
            return Rational(int(numerators[x, y]), denominator)

        return _over_pairs(_Exact(mechanism.floats, numerators == 0, row_kinds(mechanism), entry), universe.pairs())
    weights = None if scaled is None or scales is None else Scaled.of(scales)
    if not isinstance(universe, Alphabet) or scaled is None or (scales is not None and weights is None):
        rows: Sequence[Sequence[Rational]] = mechanism.rows
        if scales is not None:
            rows = [[scale * q for q in row] for scale, row in zip(scales, rows, strict=True)]
        return exact_worst_ratio(rows, universe)
    table = scaled.numerators if weights is None else widened(weights.numerators)[:, None] * scaled.numerators
    high, low = table.max(axis=0).tolist(), table.min(axis=0).tolist()
    most, least, worst = 1, 1, None
    for output, (above, below) in enumerate(zip(high, low, strict=True)):
        # A column of zeros compares nothing; one with some zeros is infinitely worse than any other.
        if above * least > most * below:
            most, least, worst = above, below, output
    if worst is None:
        return ExactWorstRatio(Real.of(ZERO))
    column = table[:, worst]
    inputs = int(column.argmax()), int(column.argmin())
    return ExactWorstRatio(INFINITY if least == 0 else Real.log(Rational(most, least)), inputs, (worst,))


def exact_worst_ratio(rows: Sequence[Sequence[Rational]], universe: Universe) -> ExactWorstRatio:
    """Return the worst ratio of rationals, exactly: the logarithm of a rational over the distance."""
    if isinstance(universe, Alphabet):
        candidates = [_exact_spread(column, output) for output, column in enumerate(zip(*rows, strict=True))]
        return _exact_ratio([(ONE, worst) for worst in candidates if worst is not None])
    table = np.array([nearest_floats(row) for row in rows])
    is_zero = np.array([[entry == 0 for entry in row] for row in rows])
    return _over_pairs(_Exact(table, is_zero, _kinds(rows, table), lambda x, y: rows[x][y]), universe.pairs())


@dataclass(frozen=True, eq=False)
class _Exact:
    """A matrix: its nearest floats, where it is zero, which rows are equal, and its entries."""

    floats: Floats
    is_zero: NDArray[np.bool_]
    kind: NDArray[np.intp]
    entry: Callable[[int, int], Rational]


def _over_pairs(matrix: _Exact, pairs: Pairs) -> ExactWorstRatio:
    best: dict[Rational, _Spread] = {}
    for pair, output in in_time(_contenders(matrix, pairs)):
        first, second = int(pairs.first[pair]), int(pairs.second[pair])
        distance = ONE if pairs.distance is None else pairs.distance[pair]
        column = matrix.entry(first, output), matrix.entry(second, output)
        spread = _exact_spread(column, output, (first, second))
        if spread is not None and (distance not in best or best[distance].is_below(spread)):
            best[distance] = spread
    return _exact_ratio(list(best.items()))


def _contenders(matrix: _Exact, pairs: Pairs) -> Iterator[tuple[int, int]]:
    """Yield the pairs and outputs of which one has the worst ratio: of rows that differ, as far as floats can tell.

    The nearest come first: the farther ones need not be looked at if even the largest ratio of a column is less there.
    """
    lengths, place = pairs.lengths
    table, distances = matrix.floats, nearest_floats(lengths)[place]
    different = _nearest_unlike(matrix.kind, pairs, distances)
    if not len(different):
        return
    is_faint = (table[~matrix.is_zero] < _FAINT).any()
    if is_faint or min(lengths) < _NEAREST or max(lengths) > _FARTHEST:
        yield from product(different.tolist(), range(table.shape[1]))
        return
    different = different[np.argsort(distances[different], kind="stable")]
    with np.errstate(divide="ignore"):
        logs = np.log(table)
    reach = np.log(largest_ratio(table)) + _UNSURE
    step = max(1, _BLOCK // table.shape[1])
    most, blocks = -np.inf, []
    for start in in_time(range(0, len(different), step)):
        block = different[start : start + step]
        if reach / distances[block[0]] * (1 + _ROUNDING) < most:
            break
        gaps = _gaps(logs, pairs, block, distances, -_UNSURE)
        most = max(most, float(gaps.max()))
        if most == np.inf:
            number, output = divmod(int(gaps.argmax()), table.shape[1])
            yield int(block[number]), output
            return
        worst = gaps.max(axis=1)
        with np.errstate(invalid="ignore"):
            unsure = 2 * _UNSURE / distances[block] + 4 * _ROUNDING * np.abs(worst)
        blocks.append(block[worst + unsure >= most])
    for block in in_time(blocks):
        for number, output in np.argwhere(_gaps(logs, pairs, block, distances, _UNSURE) >= most).tolist():
            yield int(block[number]), output


def largest_ratio(matrix: Floats) -> float:
    """Return a float not below the largest ratio of two entries of a column, of numbers that these are nearest to."""
    high, low = column_extremes(matrix)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(high > 0, high / low, 1.0)
    return float(ratios.max()) * (1 + _ROUNDING)


def row_kinds(mechanism: Mechanism) -> NDArray[np.intp]:
    """Return a number for each row of an exact mechanism, the same for equal ones."""
    scaled = mechanism.scaled
    if scaled is None or scaled.numerators.dtype == object:
        return _kinds(mechanism.rows, mechanism.floats)
    known: dict[bytes, int] = {}
    return np.array([known.setdefault(row.tobytes(), x) for x, row in enumerate(scaled.numerators)], dtype=np.intp)


def _kinds(rows: Sequence[Sequence[Rational]], table: Floats) -> NDArray[np.intp]:
    """Return a number for each row, the same for equal ones; their nearest floats are soon compared."""
    known: dict[bytes, list[int]] = {}
    kind = np.arange(len(rows))
    for x, (row, floats) in enumerate(zip(rows, table, strict=True)):
        alike = known.setdefault(floats.tobytes(), [])
        kind[x] = next((other for other in alike if all(map(eq, row, rows[other]))), x)
        if kind[x] == x:
            alike.append(x)
    return kind


def _nearest_unlike(kind: NDArray[np.intp], pairs: Pairs, distances: Floats) -> NDArray[np.intp]:
    """Return the pairs of rows of unlike kinds, of those of the same two kinds the nearest, as far as floats tell."""
    first, second = kind[pairs.first], kind[pairs.second]
    different = np.flatnonzero(first != second)
    if not len(different):
        return different
    low, high = np.minimum(first, second)[different], np.maximum(first, second)[different]
    _, group = np.unique(low * len(kind) + high, return_inverse=True)
    nearest = np.full(group.max() + 1, np.inf)
    np.minimum.at(nearest, group, distances[different])
    chosen: NDArray[np.intp] = different[distances[different] == nearest[group]]
    return chosen


def _gaps(logs: Floats, pairs: Pairs, block: NDArray[np.intp], distances: Floats, error: float) -> Floats:
    """Return the log ratios per distance of some pairs and all outputs, with an error of theirs added."""
    with np.errstate(invalid="ignore"):
        gaps = np.abs(logs[pairs.first[block]] - logs[pairs.second[block]])
    gaps[np.isnan(gaps)] = -np.inf  # an output that neither input gives compares nothing
    found: Floats = (gaps + error) * ((1 + np.sign(error) * _ROUNDING) / distances[block, None])
    return found


@dataclass(frozen=True)
class _Spread:
    ratio: Rational | None
    inputs: tuple[int, int]
    output: int

    def is_below(self, other: _Spread) -> bool:
        return self.ratio is not None and (other.ratio is None or self.ratio < other.ratio)


def _exact_spread(column: Sequence[Rational], output: int, names: tuple[int, int] | None = None) -> _Spread | None:
    """The ratio of the largest to the smallest entry, None when all are equal; a None ratio is infinite."""
    high = low = column[0]
    high_at = low_at = 0
    for at, entry in enumerate(column):
        if entry > high:
            high, high_at = entry, at
        elif entry < low:
            low, low_at = entry, at
    if high == low:
        return None
    inputs = (high_at, low_at) if names is None else (names[high_at], names[low_at])
    return _Spread(None if low == 0 else high / low, inputs, output)


def _exact_ratio(candidates: list[tuple[Rational, _Spread]]) -> ExactWorstRatio:
    if not candidates:
        return ExactWorstRatio(Real.of(ZERO))
    worst, real = greatest(
        (spread, INFINITY if spread.ratio is None else log_over(spread.ratio, distance))
        for distance, spread in candidates
    )
    return ExactWorstRatio(real, worst.inputs, (worst.output,))
