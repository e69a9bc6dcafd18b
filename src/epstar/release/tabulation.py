"""A cross-tabulation of released and plain columns: unbiased estimates of its cells, and the errors of their sums.

Every estimate is a mean over rows: a row adds to each cell a number that its outputs say. So the standard error of a
statistic f(frequencies) comes from what a row adds to the sum of the cells with the factors of the gradient of f (its
influence function; the delta method), and no covariance matrix is ever built for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from itertools import product

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE
from epstar.mechanism import AnyMechanism, BlockDesign, DiagonalMechanism
from epstar.notions.measure.rank_one import RankOne
from epstar.release.column import Column
from epstar.release.encoding import labels_of
from epstar.release.estimators import BlockEstimators, Estimators, Intervals, LetterEstimators, MatrixEstimators
from epstar.release.histogram import Axis, PlainAxis, Read, ReleasedAxis, Tally, values_of
from epstar.release.interval import normal_intervals
from epstar.release.inverse import Inverse
from epstar.universe import Alphabet, Label

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Side:
    """One axis of a cross-tabulation: its mechanism, and the cell that each input belongs to."""

    axis: Axis
    names: tuple[str, ...]
    mechanism: AnyMechanism
    cells: tuple[tuple[Label, ...], ...]
    cell_of: NDArray[np.intp]

    @cached_property
    def estimators(self) -> Estimators:
        """What each output adds to each cell."""
        if isinstance(self.mechanism, BlockDesign):
            return BlockEstimators(self.mechanism, self.cell_of, len(self.cells))
        rank_one = RankOne.of(self.mechanism)
        if rank_one is not None:
            return LetterEstimators(rank_one, self.cell_of, len(self.cells))
        return MatrixEstimators(Inverse(self.mechanism.dense()), self.cell_of, len(self.cells))


def plain_side(read: Read, name: str) -> Side:
    """Return the axis of a column that passed through: its values are what they are."""
    values = values_of(read, name)
    cells = tuple((label,) for label in values.labels)
    plain = DiagonalMechanism(Alphabet(values.labels), [ONE] * len(cells))
    return Side(PlainAxis(name, values), (name,), plain, cells, np.arange(len(cells)))


def released_side(column: Column, wanted: tuple[str, ...]) -> Side:
    """Return the axis of the `wanted` ones among the columns of a mechanism."""
    assert column.mechanism is not None
    places = [column.names.index(name) for name in wanted]
    inputs = [label if len(column.names) > 1 and isinstance(label, tuple) else (label,) for label in column.labels]
    cells = tuple(product(*(column.categories[place].labels for place in places)))
    number = {cell: place for place, cell in enumerate(cells)}
    cell_of = np.array([number[tuple(label[place] for place in places)] for label in inputs], dtype=np.intp)
    return Side(ReleasedAxis(column, labels_of(column.mechanism)), wanted, column.mechanism, cells, cell_of)


@dataclass(frozen=True, eq=False)
class Tabulation:
    """The sides of a cross-tabulation and what was counted along them."""

    names: tuple[str, ...]
    sides: tuple[Side, ...]
    counted: Tally

    def __post_init__(self) -> None:
        if self.total <= 0:
            raise InvalidInput("There are no rows to estimate from: the table has none, or none that is asked for.")

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.counted.rows.sum())

    @property
    def total(self) -> float:
        """The sum of the weights of all rows."""
        return float(self.counted.first.sum())

    @property
    def effective_rows(self) -> float:
        """The number of rows of equal weights that would tell as much (Kish)."""
        return self.total**2 / float(self.counted.second.sum())

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased estimates of the cells, which may leave [0, 1]."""
        return self._contracted(self.counted.first) / self.total

    @cached_property
    def estimable(self) -> NDArray[np.bool_]:
        """Whether the outputs can tell each cell."""
        return reduce(np.logical_and.outer, (side.estimators.estimable for side in self.sides))

    def cells(self) -> Iterator[tuple[Label, ...]]:
        """Yield the labels of each cell, in the order of the columns that were asked for."""
        order = [name for side in self.sides for name in side.names]
        places = [order.index(name) for name in self.names]
        for parts in product(*(side.cells for side in self.sides)):
            labels = [label for part in parts for label in part]
            yield tuple(labels[place] for place in places)

    def intervals(self, confidence: float) -> Intervals:
        """Return the estimates of all cells with an interval for each."""
        if len(self.sides) == 1 and not self.counted.is_weighted:
            return self.sides[0].estimators.intervals(self.counted.first, confidence)
        means, squares = self.counted.second, self.counted.second
        for side in self.sides:
            # Always the first remaining axis: the contracted one goes to the end.
            means = np.moveaxis(side.estimators.means(means), 0, -1)
            squares = np.moveaxis(side.estimators.squares(squares), 0, -1)
        found, second = self.frequencies, float(self.counted.second.sum())
        # What spreads is the sum of w² (value - mean)²; without weights these are the means and squares themselves.
        spread = squares / second - 2 * found * means / second + 2 * found * found
        largest = reduce(np.multiply.outer, (side.estimators.largest for side in self.sides))
        lower, upper = normal_intervals(found, spread, largest, self.effective_rows, confidence)
        return Intervals(found, lower, upper, "normal")

    def error(self, gradient: Floats) -> tuple[float, float]:
        """Return the standard error of a statistic with this gradient, and the most that a row can add to it."""
        added = self.added(gradient)
        mean = float((self.counted.first * added).sum()) / self.total
        square = float((self.counted.second * (added - mean) ** 2).sum())
        return square**0.5 / self.total, float(np.abs(added).max(initial=0.0))

    def of_group(self, places: Sequence[int]) -> Tabulation:
        """Return the tabulation of the rows at these places of the first sides, which fall away."""
        where = tuple(places)
        parts = [part[where] for part in (self.counted.rows, self.counted.first, self.counted.second)]
        counted = Tally(parts[0], parts[1], parts[2], self.counted.is_weighted)
        names = {name for side in self.sides[: len(where)] for name in side.names}
        kept = tuple(name for name in self.names if name not in names)
        return replace(self, names=kept, sides=self.sides[len(where) :], counted=counted)

    def _contracted(self, counts: Floats) -> Floats:
        for side in self.sides:
            counts = np.moveaxis(side.estimators.means(counts), 0, -1)
        return counts

    def covariance(self) -> Floats:
        """Return the covariance matrix of the estimates of all cells."""
        size = self.frequencies.size
        shape = self.frequencies.shape
        added = []
        for place in range(size):
            one = np.zeros(size)
            one[place] = 1.0
            added.append(self.added(one.reshape(shape)).reshape(-1) - self.frequencies.reshape(-1)[place])
        rows = np.array(added)
        found: Floats = (rows * self.counted.second.reshape(-1)) @ rows.T / self.total**2
        return found

    def added(self, gradient: Floats) -> Floats:
        """Return what a row of each combination of outputs adds to the sum of the cells with these factors."""
        for side in self.sides:
            gradient = np.moveaxis(side.estimators.added(gradient), 0, -1)
        return gradient
