"""Frequencies and cross-tabulations of the private table, estimated from the released one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, rational
from epstar.exact.vectors import nearest_floats
from epstar.notebook.face import Displayed, Tabular
from epstar.release.document import column_of, read_release
from epstar.release.format import Style
from epstar.release.histogram import Weighing
from epstar.release.likelihood import likeliest
from epstar.release.pair import description_of
from epstar.release.place import place_of
from epstar.release.released_table import Opened
from epstar.release.tabulation import Tabulation
from epstar.universe import Label

Floats = NDArray[np.float64]
Method = Literal["inverse", "likelihood"]
_LARGEST_PRODUCT = 1 << 24


@dataclass(frozen=True, slots=True)
class Cell:
    """One frequency: its labels, the estimate and its interval; None where the outputs cannot tell it.

    `frequency` lies in [0, 1] and in its interval. `unbiased` is what may leave both, and what adds up to the estimate
    for several cells together.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> cell = found.cells[0]
    >>> cell.labels, cell.lower < cell.frequency < cell.upper
    (('yes',), True)
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

    >>> from epstar.release import Combination
    >>> share = Combination({"yes": 1.0, "often": 1.0}, frequency=0.4, lower=0.3, upper=0.5)
    >>> share.lower <= share.frequency <= share.upper
    True
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

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> found.rows, found.confidence, found.interval
    (2000, 0.95, 'exact')
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
    style: Style | None = None,
    simultaneous: bool = False,
) -> Estimate:
    """Return the frequencies of one column, or the cross-tabulation of several, of the private table.

    Columns that passed through may be among them. "inverse" is unbiased before it is moved into [0, 1]; "likelihood" is
    the likeliest distribution. The intervals are those of the unbiased estimate for both. With `simultaneous` all
    intervals hold together with the confidence (Bonferroni).

    Rows are chosen by values of columns that passed through (`where`), and count by a column of survey `weight`s,
    or of the number of rows that each stands for (`count`). `released` is the released table, or with `any_table`
    any file that has its columns: a part of it, or what another program wrote, in a `style` that its name does not
    tell. It may also be a pandas, polars or Arrow DataFrame, with its release file or the content of one.

    Raises:
        InvalidInput: if the table is not the one that the release file describes, or a column is unknown.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> found = estimate(done.frame, "smoker", release_file=done.document)
    >>> abs(found.frequency("yes") - 0.25) < 0.1
    True
    """
    (found,) = _estimates(
        released,
        columns,
        (),
        release_file,
        confidence,
        method,
        where,
        Weighing(weight, count),
        (any_table, style),
        simultaneous,
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
    style: Style | None = None,
    simultaneous: bool = False,
) -> tuple[Estimate, ...]:
    """Return the same for each value of the columns `by`, which passed through, that some row has.

    With `simultaneous` the intervals of one group hold together.

    Raises:
        InvalidInput: as for `estimate`.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, estimate_by, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no"] * 600, "town": ["a", "b"] * 900})
    >>> columns = [Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=3)]
    >>> done = release_frame(people, columns, keep=["town"])
    >>> found = estimate_by(done.frame, "smoker", "town", release_file=done.document)
    >>> len(found)
    2
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
        (any_table, style),
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
    any_table: tuple[bool, Style | None],
    simultaneous: bool,
) -> tuple[Estimate, ...]:
    names = (columns,) if isinstance(columns, str) else tuple(columns)
    level = rational(confidence)
    if method not in get_args(Method):
        raise InvalidInput(f"{shown(method)} is not a way to estimate; take 'inverse' or 'likelihood'.")
    if not ZERO < level < ONE or not names or len({*names, *by}) != len(names) + len(by):
        raise InvalidInput("Give different columns and a confidence strictly between 0 and 1.")
    table = Opened.of(released, release_file, *any_table)
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
    """Return the columns that were released, those of one mechanism together.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release, released_columns
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     found = released_columns(release(table, Path(folder, "out.csv"), smoker).output)
    >>> found
    [['smoker']]
    """
    document = read_release(release_file or description_of(place_of(released, "The released table")))
    return [list(column_of(entry).names) for entry in document["columns"]]


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
