"""Frequencies and cross-tabulations of the private table, estimated from the released one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, rational
from epstar.notebook.face import Displayed, Tabular
from epstar.reading import nearest_floats, shown
from epstar.release.column import Column
from epstar.release.document import column_of, read_release
from epstar.release.frames import is_frame, reader_of
from epstar.release.histogram import Chosen, PlainAxis, Read, Weighing, of_files, tally
from epstar.release.likelihood import likeliest
from epstar.release.pair import description_of
from epstar.release.place import digest_of, place_of
from epstar.release.table import tables_in
from epstar.release.tabulation import Side, Tabulation, plain_side, released_side
from epstar.universe import Label

Floats = NDArray[np.float64]
Method = Literal["inverse", "likelihood"]
_LARGEST_PRODUCT = 1 << 24


@dataclass(frozen=True, slots=True)
class Cell:
    """One frequency: its labels, the estimate and its interval; None where the outputs cannot tell it.

    `frequency` lies in [0, 1] and in its interval. `unbiased` is what may leave both, and what adds up to the estimate
    for several cells together.
    """

    labels: tuple[Label, ...]
    frequency: float | None
    lower: float | None
    upper: float | None
    unbiased: float | None = None


@dataclass(frozen=True, slots=True)
class Combination:
    """A weighted sum of frequencies that can be estimated although its parts cannot.

    Beside the `weights`, every value that is never released counts with the weight `suppressed`. As in a `Cell`,
    `unbiased` may leave the interval.
    """

    weights: dict[Label, float]
    frequency: float
    lower: float
    upper: float
    suppressed: float = 0.0
    unbiased: float = 0.0


@dataclass(frozen=True, repr=False)
class Estimate(Displayed, Tabular):
    """Estimated frequencies of the private table, each with its own confidence interval.

    The intervals cover the frequency in the private table, and in the population if the rows are a random
    sample of it. `not_estimable` lists the cells that the outputs cannot tell apart from others; for a single
    column `combinations` lists what can be told of them. `group` holds the values of the columns that the rows were
    chosen by. `tabulation` is what statistics of the frequencies are estimated from (`epstar.release.functionals`).
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
    group: tuple[tuple[str, Label], ...] = ()
    tabulation: Tabulation | None = field(default=None, repr=False, compare=False)

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
    released: str | Path | Any,
    columns: str | Sequence[str],
    *,
    release_file: str | Path | Mapping[str, Any] | None = None,
    confidence: Number = 0.95,
    method: Method = "inverse",
    where: Mapping[str, Label | Sequence[Label]] | None = None,
    weight: str | None = None,
    count: str | None = None,
    any_table: bool = False,
    simultaneous: bool = False,
) -> Estimate:
    """Return the frequencies of one column, or the cross-tabulation of several, of the private table.

    Columns that passed through may be among them. "inverse" is unbiased before it is moved into [0, 1]; "likelihood" is
    the likeliest distribution. The intervals are those of the unbiased estimate for both. With `simultaneous` all
    intervals hold together with the confidence (Bonferroni).

    Rows are chosen by values of columns that passed through (`where`), and count by a column of survey `weight`s, or of
    the number of rows that each stands for (`count`). `released` is the released table, or with `any_table` any file
    that has its columns: a part of it, or what another program wrote. It may also be a DataFrame of pandas, polars or
    Arrow, with its release file or the content of one.

    Raises:
        InvalidInput: if the table is not the one that the release file describes, or a column is unknown.
    """
    (found,) = _estimates(
        released, columns, (), release_file, confidence, method, where, Weighing(weight, count), any_table, simultaneous
    )
    return found


def estimate_by(
    released: str | Path | Any,
    columns: str | Sequence[str],
    by: str | Sequence[str],
    *,
    release_file: str | Path | Mapping[str, Any] | None = None,
    confidence: Number = 0.95,
    method: Method = "inverse",
    where: Mapping[str, Label | Sequence[Label]] | None = None,
    weight: str | None = None,
    count: str | None = None,
    any_table: bool = False,
    simultaneous: bool = False,
) -> tuple[Estimate, ...]:
    """Return the same for each value of the columns `by`, which passed through, that some row has.

    With `simultaneous` the intervals of one group hold together.

    Raises:
        InvalidInput: as for `estimate`.
    """
    groups = (by,) if isinstance(by, str) else tuple(by)
    return _estimates(
        released,
        columns,
        groups,
        release_file,
        confidence,
        method,
        where,
        Weighing(weight, count),
        any_table,
        simultaneous,
    )


def _estimates(
    released: str | Path | Any,
    columns: str | Sequence[str],
    by: tuple[str, ...],
    release_file: str | Path | Mapping[str, Any] | None,
    confidence: Number,
    method: Method,
    where: Mapping[str, Label | Sequence[Label]] | None,
    weighing: Weighing,
    any_table: bool,
    simultaneous: bool,
) -> tuple[Estimate, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    level = rational(confidence)
    if method not in get_args(Method):
        raise InvalidInput(f"{shown(method)} is no way to estimate; take 'inverse' or 'likelihood'.")
    if not ZERO < level < ONE or not names or len({*names, *by}) != len(names) + len(by):
        raise InvalidInput("Give different columns and a confidence strictly between 0 and 1.")
    table = Opened.of(released, release_file, any_table)
    groups = [table.plain(name, "Groups are") for name in by]
    tabulation = table.tabulation(names, where, weighing, groups)
    wanted = float(nearest_floats([level])[0])
    if not by:
        return (_Estimator(tabulation, wanted, simultaneous).result(method),)
    found = []
    for places in np.argwhere(tabulation.counted.rows.sum(axis=tuple(range(len(by), tabulation.counted.rows.ndim)))):
        labels = tuple(
            (name, side.cells[place][0]) for name, side, place in zip(by, groups, places.tolist(), strict=True)
        )
        part = _Estimator(tabulation.of_group(places.tolist()), wanted, simultaneous, labels)
        found.append(part.result(method))
    if not found:
        raise InvalidInput("There are no rows to estimate from: the table has none, or none that is asked for.")
    return tuple(found)


def released_columns(released: str | Path, release_file: str | Path | None = None) -> list[list[str]]:
    """Return the columns that were released, those of one mechanism together."""
    document = read_release(release_file or description_of(place_of(released, "The released table")))
    return [list(column_of(entry).names) for entry in document["columns"]]


@dataclass(frozen=True)
class Opened:
    """A released table that may be read, and what its release file says of its columns."""

    read: Read
    columns: tuple[Column, ...]
    kept: tuple[str, ...]

    @classmethod
    def of(cls, released: Any, release_file: str | Path | Mapping[str, Any] | None, any_table: bool) -> Opened:
        """Return a table with its description, after checking that they belong together.

        Raises:
            InvalidInput: if they do not, and no table at all is asked for.
        """
        if is_frame(released):
            if release_file is None:
                raise InvalidInput("A DataFrame needs the release file that describes it; give `release_file`.")
            document = dict(release_file) if isinstance(release_file, Mapping) else read_release(release_file)
            read, named = reader_of(released)
            return cls(read, *_columns(document, named, any_table))
        place = place_of(released, "The released table")
        if isinstance(release_file, Mapping):
            raise InvalidInput("The release file of a table on the disk is named by a text or a path.")
        document = read_release(release_file or description_of(place))
        if any_table:
            tables = tables_in(place)
            return cls(of_files([part.path for part in tables]), *_columns(document, tables[0].schema().names, True))
        if not document["tables"] or (len(document["tables"]) > 1 and not place.is_dir()):
            raise InvalidInput(
                f"The release file describes {len(document['tables'])} tables, and {place.name} is one; use the folder "
                "that was released, or `any_table`."
            )
        paths = [place / entry["name"] if place.is_dir() else place for entry in document["tables"]]
        for path, entry in zip(paths, document["tables"], strict=True):
            if not path.is_file() or digest_of(path) != entry["sha256"]:
                raise InvalidInput(
                    f"{path.name} is not the table that the release file describes; use the original, or `any_table` "
                    "for a part of it or a copy in another form."
                )
        return cls(of_files(paths), *_columns(document, None, False))

    def plain(self, name: str, what: str) -> Side:
        """Return the axis of a column that passed through.

        Raises:
            InvalidInput: if there is no such column.
        """
        if name not in self.kept:
            raise InvalidInput(f"{what} told by columns that passed through, and {name!r} is none; check the name.")
        return plain_side(self.read, name)

    def tabulation(
        self,
        names: tuple[str, ...],
        where: Mapping[str, Label | Sequence[Label]] | None = None,
        weighing: Weighing | None = None,
        groups: Sequence[Side] = (),
    ) -> Tabulation:
        """Return the cross-tabulation of some columns, for each of the groups.

        Raises:
            InvalidInput: if there is no such column, or no row.
        """
        sides = (*groups, *self._sides(names))
        weighing = weighing or Weighing()
        for name in weighing.names:
            if name not in self.kept:
                raise InvalidInput(f"The release has no column {name!r} that passed through, to count rows by.")
        chosen = [self._chosen(name, values) for name, values in (where or {}).items()]
        counted = tally(self.read, [side.axis for side in sides], chosen, weighing)
        return Tabulation((*(name for side in groups for name in side.names), *names), sides, counted)

    def _chosen(self, name: str, values: Label | Sequence[Label]) -> Chosen:
        side = self.plain(name, "Rows are")
        assert isinstance(side.axis, PlainAxis)
        labels = side.axis.values.labels
        wanted = [values] if isinstance(values, str) or not isinstance(values, Sequence) else list(values)
        found = []
        for value in wanted:
            # As it is, or as it is typed.
            places = [place for place, label in enumerate(labels) if label == value or str(label) == value]
            if not places:
                raise InvalidInput(f"No row has the value {shown(value)} in column {name!r}; check how it is written.")
            found += places
        return Chosen(side.axis, np.array(found, dtype=np.int64))

    def _sides(self, names: tuple[str, ...]) -> list[Side]:
        sides = []
        for column in self.columns:
            wanted = tuple(name for name in names if name in column.names)
            if wanted:
                sides.append(released_side(column, wanted))
        sides += [plain_side(self.read, name) for name in names if name in self.kept]
        found = {name for side in sides for name in side.names}
        for name in names:
            if name not in found:
                raise InvalidInput(f"The release has no column {name!r}; check the name.")
        return sides


def _columns(
    document: Mapping[str, Any], named: Sequence[str] | None, any_table: bool
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The released columns and the plain ones; of any table every other column of it is plain."""
    columns = tuple(column_of(entry) for entry in document["columns"])
    released = {name for column in columns for name in column.names}
    if named is None or not any_table:
        return columns, tuple(document["passed_through"])
    return columns, tuple(name for name in named if name not in released)


@dataclass(frozen=True)
class _Estimator:
    tabulation: Tabulation
    confidence: float
    simultaneous: bool
    group: tuple[tuple[str, Label], ...] = ()

    def result(self, method: Method) -> Estimate:
        table = self.tabulation
        estimable = table.estimable.reshape(-1).tolist()
        # Bonferroni: what may go wrong is shared out evenly.
        each = 1 - (1 - self.confidence) / max(1, sum(estimable)) if self.simultaneous else self.confidence
        intervals = table.intervals(each)
        unbiased = intervals.frequency.reshape(-1)
        points = np.clip(self._likeliest().reshape(-1) if method == "likelihood" else unbiased, 0.0, 1.0)
        # The likeliest distribution weighs all cells against each other, and may leave the interval of one of them.
        lowers, uppers = (
            end(part.reshape(-1), points)
            for end, part in ((np.minimum, intervals.lower), (np.maximum, intervals.upper))
        )
        cells, hidden = [], []
        for labels, told, *numbers in zip(
            table.cells(), estimable, *(part.tolist() for part in (points, lowers, uppers, unbiased)), strict=True
        ):
            if told:
                cells.append(Cell(labels, *numbers))
            else:
                cells.append(Cell(labels, None, None, None))
                hidden.append(labels)
        return Estimate(
            table.names,
            table.rows,
            self.confidence,
            method,
            intervals.kind,
            tuple(cells),
            tuple(hidden),
            self._combinations(each),
            self.group,
            table,
        )

    def _likeliest(self) -> Floats:
        sides = self.tabulation.sides
        if prod(prod(side.mechanism.shape) for side in sides) > _LARGEST_PRODUCT:
            raise InvalidInput("The cross-tabulation is too large for maximum likelihood; use method 'inverse'.")
        matrix: Floats = np.ones((1, 1))
        weights: Floats = np.ones((1, 1))
        for side in sides:
            matrix = np.kron(matrix, side.mechanism.dense().floats).astype(np.float64)
            own = np.zeros((len(side.cells), len(side.cell_of)))
            own[side.cell_of, np.arange(len(side.cell_of))] = 1
            weights = np.kron(weights, own).astype(np.float64)
        return np.asarray(weights @ likeliest(matrix, self.tabulation.counted.first.reshape(-1)).law)

    def _combinations(self, confidence: float) -> tuple[Combination, ...]:
        table = self.tabulation
        if len(table.sides) > 1 or table.counted.is_weighted:
            return ()
        side = table.sides[0]
        labels = side.mechanism.universe.labels
        return tuple(
            Combination(
                {labels[x]: weight for x, weight in sums.weights.items()},
                min(max(frequency, lower), upper),
                lower,
                upper,
                sums.suppressed,
                frequency,
            )
            for sums, (frequency, lower, upper) in side.estimators.told(table.counted.first, confidence)
        )
