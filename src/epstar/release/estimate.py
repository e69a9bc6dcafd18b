"""Frequencies and cross-tabulations of the private table, estimated from the released one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import product
from math import prod
from pathlib import Path
from typing import ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, rational
from epstar.mechanism import AnyMechanism, BlockDesign, DiagonalMechanism
from epstar.notebook.face import Displayed, Tabular
from epstar.notions.rank_one import RankOne
from epstar.reading import nearest_floats, shown
from epstar.release.codes import labels_of
from epstar.release.column import Column
from epstar.release.document import column_of, read_release
from epstar.release.estimators import BlockEstimators, Estimators, Intervals, LetterEstimators, MatrixEstimators
from epstar.release.histogram import Axis, PlainAxis, ReleasedAxis, histogram, values_of
from epstar.release.interval import normal_intervals
from epstar.release.inverse import Inverse
from epstar.release.likelihood import likeliest
from epstar.release.pair import description_of
from epstar.release.place import digest_of, place_of
from epstar.universe import Alphabet, Label

Floats = NDArray[np.float64]
Method = Literal["inverse", "likelihood"]
_LARGEST_PRODUCT = 1 << 24


@dataclass(frozen=True, slots=True)
class Cell:
    """One frequency: its labels, the estimate and its interval; None where the outputs cannot tell it."""

    labels: tuple[Label, ...]
    frequency: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Combination:
    """A weighted sum of frequencies that can be estimated although its parts cannot.

    Beside the `weights`, every value that is never released counts with the weight `suppressed`.
    """

    weights: dict[Label, float]
    frequency: float
    lower: float
    upper: float
    suppressed: float = 0.0


@dataclass(frozen=True, repr=False)
class Estimate(Displayed, Tabular):
    """Estimated frequencies of the private table, each with its own confidence interval.

    The intervals cover the frequency in the private table, and in the population if the rows are a random
    sample of it. `not_estimable` lists the cells that the outputs cannot tell apart from others; for a single
    column `combinations` lists what can be told of them.
    """

    _face: ClassVar[str] = "estimates"

    names: tuple[str, ...]
    rows: int
    confidence: float
    method: Method
    interval: Literal["exact", "normal"]
    cells: tuple[Cell, ...]
    not_estimable: tuple[tuple[Label, ...], ...]
    combinations: tuple[Combination, ...]

    def frequency(self, *labels: Label) -> float:
        """Return the estimate for a cell.

        Raises:
            InvalidInput: if there is no such cell, or it cannot be estimated.
        """
        found = next((cell for cell in self.cells if cell.labels == labels), None)
        if found is None or found.frequency is None:
            raise InvalidInput(f"The frequency of {labels!r} cannot be estimated from this release.")
        return found.frequency


def estimate(
    released: str | Path,
    columns: str | Sequence[str],
    *,
    release_file: str | Path | None = None,
    confidence: Number = 0.95,
    method: Method = "inverse",
) -> Estimate:
    """Return the frequencies of one column, or the cross-tabulation of several, of the private table.

    Columns that passed through may be among them. "inverse" is unbiased and may leave [0, 1]; "likelihood" is
    the likeliest law. The intervals are those of the unbiased estimate, clipped to [0, 1], for both.

    Raises:
        InvalidInput: if the table is not the one that the release file describes, or a column is unknown.
    """
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    level = rational(confidence)
    if method not in get_args(Method):
        raise InvalidInput(f"{shown(method)} is no way to estimate; take 'inverse' or 'likelihood'.")
    if not ZERO < level < ONE or not names or len(set(names)) != len(names):
        raise InvalidInput("Give different columns and a confidence strictly between 0 and 1.")
    place = place_of(released, "The released table")
    document = read_release(release_file or description_of(place))
    if not document["tables"] or (len(document["tables"]) > 1 and not place.is_dir()):
        raise InvalidInput(
            f"The release file describes {len(document['tables'])} tables, and {place.name} is one; use the folder "
            "that was released."
        )
    paths = [place / entry["name"] if place.is_dir() else place for entry in document["tables"]]
    for path, entry in zip(paths, document["tables"], strict=True):
        if not path.is_file() or digest_of(path) != entry["sha256"]:
            raise InvalidInput(f"{path.name} is not the table that the release file describes; use the original.")
    columns_released = [column_of(entry) for entry in document["columns"]]
    sides = _sides(names, columns_released, document["passed_through"], paths)
    counts = histogram(paths, [side.axis for side in sides])
    return _Estimator(names, sides, counts.astype(np.float64), float(nearest_floats([level])[0])).result(method)


def released_columns(released: str | Path, release_file: str | Path | None = None) -> list[list[str]]:
    """Return the columns that were released, those of one mechanism together."""
    document = read_release(release_file or description_of(place_of(released, "The released table")))
    return [list(column_of(entry).names) for entry in document["columns"]]


@dataclass(frozen=True)
class _Side:
    """One axis of a cross-tabulation: its mechanism, and the cell that each input belongs to."""

    axis: Axis
    names: tuple[str, ...]
    mechanism: AnyMechanism
    cells: tuple[tuple[Label, ...], ...]
    cell_of: NDArray[np.intp]

    @cached_property
    def estimators(self) -> Estimators:
        if isinstance(self.mechanism, BlockDesign):
            return BlockEstimators(self.mechanism, self.cell_of, len(self.cells))
        rank_one = RankOne.of(self.mechanism)
        if rank_one is not None:
            return LetterEstimators(rank_one, self.cell_of, len(self.cells))
        return MatrixEstimators(Inverse(self.mechanism.dense()), self.cell_of, len(self.cells))


def _sides(
    names: tuple[str, ...], columns: Sequence[Column], kept: Sequence[str], paths: Sequence[Path]
) -> list[_Side]:
    sides = []
    for column in columns:
        wanted = tuple(name for name in names if name in column.names)
        if wanted:
            sides.append(_released_side(column, wanted))
    for name in names:
        if name in kept:
            values = values_of(paths, name)
            cells = tuple((label,) for label in values.labels)
            plain = DiagonalMechanism(Alphabet(values.labels), [ONE] * len(cells))
            sides.append(_Side(PlainAxis(name, values), (name,), plain, cells, np.arange(len(cells))))
    found = {name for side in sides for name in side.names}
    for name in names:
        if name not in found:
            raise InvalidInput(f"The release has no column {name!r}; check the name.")
    return sides


def _released_side(column: Column, wanted: tuple[str, ...]) -> _Side:
    assert column.mechanism is not None
    places = [column.names.index(name) for name in wanted]
    inputs = [label if len(column.names) > 1 and isinstance(label, tuple) else (label,) for label in column.labels]
    cells = tuple(product(*(column.categories[place].labels for place in places)))
    number = {cell: place for place, cell in enumerate(cells)}
    cell_of = np.array([number[tuple(label[place] for place in places)] for label in inputs], dtype=np.intp)
    axis = ReleasedAxis(column, labels_of(column.mechanism))
    return _Side(axis, wanted, column.mechanism, cells, cell_of)


@dataclass(frozen=True)
class _Estimator:
    names: tuple[str, ...]
    sides: list[_Side]
    counts: Floats
    confidence: float

    def result(self, method: Method) -> Estimate:
        rows = int(self.counts.sum())
        if rows == 0:
            raise InvalidInput("The released table has no rows, so there is nothing to estimate.")
        intervals = self._intervals()
        frequencies = self._likeliest() if method == "likelihood" else intervals.frequency
        order = [name for side in self.sides for name in side.names]
        places = [order.index(name) for name in self.names]
        cells, hidden = [], []
        for parts, estimable, frequency, lower, upper in zip(
            product(*(side.cells for side in self.sides)),
            product(*(side.estimators.estimable.tolist() for side in self.sides)),
            frequencies.reshape(-1).tolist(),
            intervals.lower.reshape(-1).tolist(),
            intervals.upper.reshape(-1).tolist(),
            strict=True,
        ):
            labels = [label for part in parts for label in part]
            ordered = tuple(labels[place] for place in places)
            if all(estimable):
                cells.append(Cell(ordered, frequency, lower, upper))
            else:
                cells.append(Cell(ordered, None, None, None))
                hidden.append(ordered)
        return Estimate(
            self.names,
            rows,
            self.confidence,
            method,
            intervals.kind,
            tuple(cells),
            tuple(hidden),
            self._combinations(),
        )

    def _intervals(self) -> Intervals:
        if len(self.sides) == 1:
            return self.sides[0].estimators.intervals(self.counts, self.confidence)
        means, squares = self.counts, self.counts
        for side in self.sides:
            # Always the first remaining axis: the contracted one goes to the end.
            means = np.moveaxis(side.estimators.means(means), 0, -1)
            squares = np.moveaxis(side.estimators.squares(squares), 0, -1)
        rows = float(self.counts.sum())
        largest = reduce(np.multiply.outer, (side.estimators.largest for side in self.sides))
        lower, upper = normal_intervals(means / rows, squares / rows, largest, rows, self.confidence)
        return Intervals(means / rows, lower, upper, "normal")

    def _likeliest(self) -> Floats:
        if prod(prod(side.mechanism.shape) for side in self.sides) > _LARGEST_PRODUCT:
            raise InvalidInput("The cross-tabulation is too large for maximum likelihood; use method 'inverse'.")
        matrix: Floats = np.ones((1, 1))
        weights: Floats = np.ones((1, 1))
        for side in self.sides:
            matrix = np.kron(matrix, side.mechanism.dense().floats).astype(np.float64)
            own = np.zeros((len(side.cells), len(side.cell_of)))
            own[side.cell_of, np.arange(len(side.cell_of))] = 1
            weights = np.kron(weights, own).astype(np.float64)
        return np.asarray(weights @ likeliest(matrix, self.counts.reshape(-1)).law)

    def _combinations(self) -> tuple[Combination, ...]:
        if len(self.sides) > 1:
            return ()
        side = self.sides[0]
        labels = side.mechanism.universe.labels
        return tuple(
            Combination({labels[x]: weight for x, weight in sums.weights.items()}, *ends, sums.suppressed)
            for sums, ends in side.estimators.told(self.counts, self.confidence)
        )
