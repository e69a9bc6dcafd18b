"""How often each output occurs in a released table, jointly over several columns, read in bounded memory.

Rows may have survey weights, or stand for several rows each (a table of counts), and some of them may be chosen by the
values of columns that passed through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.release.categories import Categories, PublicCounts
from epstar.release.column import Column
from epstar.release.encoding import Coder, Joint, text_of
from epstar.release.format import format_of
from epstar.release.place import place_of
from epstar.release.public_files import refuse_private
from epstar.release.table import Table, quietly, tables_in
from epstar.universe import Label

_LARGEST = 1 << 24

Floats = NDArray[np.float64]
Read = Callable[[Sequence[str]], Iterator[Any]]
"""What yields the record batches of some columns."""


def of_files(tables: Sequence[Table]) -> Read:
    """Return what reads tables of released rows from the disk."""

    def read(names: Sequence[str]) -> Iterator[Any]:
        for table in tables:
            for name in names:
                if name not in table.schema().names:
                    raise InvalidInput(f"{table.name} has no column {name!r}; check the name.")
            yield from table.batches(names, [])

    return read


@dataclass(frozen=True)
class ReleasedAxis:
    """A released column (or several that went through one mechanism), read as positions of outputs."""

    column: Column
    outputs: tuple[Label, ...] | range

    @property
    def size(self) -> int:
        """The number of outputs."""
        return len(self.outputs)

    def positions(self, batch: Any) -> NDArray[np.int64]:
        """Return the position of the output in each row."""
        if isinstance(self.outputs, range):
            return self._numbers(batch)
        written = Joint(self.column, self.outputs).written
        total = np.zeros(batch.num_rows, dtype=np.int64)
        place = np.zeros(self.size, dtype=np.int64)
        size = 1
        for name, labels in zip(self.column.names, written, strict=True):
            plain = [label if isinstance(label, str | int | float) else text_of(label) for label in labels]
            distinct = Categories(list(dict.fromkeys(plain)))
            number = {label: k for k, label in enumerate(distinct.labels)}
            total = total * len(number) + Coder(name, distinct).positions(batch.column(name))
            place = place * len(number) + np.array([number[label] for label in plain])
            size *= len(number)
        output_at = np.full(size, -1, dtype=np.int64)
        output_at[place] = np.arange(self.size)
        found = output_at[total]
        if len(found) and found.min() < 0:
            raise InvalidInput(
                f"Column {self.column.names[0]!r} holds a combination that its mechanism never gives; check "
                "that the table and the release file belong together."
            )
        return found

    def _numbers(self, batch: Any) -> NDArray[np.int64]:
        """The positions in a column of numbers that are positions."""
        import pyarrow as pa

        values = batch.column(self.column.names[0])
        try:
            found: NDArray[np.int64] = values.cast(pa.int64()).to_numpy(zero_copy_only=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            found = np.full(1, -1)
        if values.null_count or (len(found) and not 0 <= found.min() <= found.max() < self.size):
            raise InvalidInput(
                f"Column {self.column.names[0]!r} holds something that its mechanism never gives; check that the table "
                "and the release file belong together."
            )
        return found


@dataclass(frozen=True)
class PlainAxis:
    """A column that passed through unchanged, with the values it holds."""

    name: str
    values: Categories

    @property
    def size(self) -> int:
        """The number of values."""
        return len(self.values.labels)

    def positions(self, batch: Any) -> NDArray[np.int64]:
        """Return the position of the value in each row."""
        return Coder(self.name, self.values, empty_is_missing=False).positions(batch.column(self.name)).astype(np.int64)


Axis = ReleasedAxis | PlainAxis


@dataclass(frozen=True)
class Chosen:
    """The rows to count: those with one of the `places` among the values of a column that passed through."""

    axis: PlainAxis
    places: NDArray[np.int64]


@dataclass(frozen=True)
class Weighing:
    """How much each row counts: the column of its survey weight, or of the number of rows that it stands for."""

    weight: str | None = None
    count: str | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read for it."""
        return tuple(name for name in (self.weight, self.count) if name is not None)

    def of(self, batch: Any) -> tuple[Floats, Floats]:
        """Return how many rows each row stands for, and its weight.

        Raises:
            InvalidInput: if they are no numbers of at least 0, or a number of rows is not whole.
        """
        ones: Floats = np.ones(batch.num_rows)
        count = ones if self.count is None else _numbers(batch.column(self.count), self.count)
        if (count != np.floor(count)).any():
            raise InvalidInput(f"Column {self.count!r} holds a number of rows that is not whole; check the name.")
        weight = ones if self.weight is None else _numbers(batch.column(self.weight), self.weight)
        return count, weight


@dataclass(frozen=True, eq=False)
class Tally:
    """For every combination of positions the number of rows, the sum of their weights and that of the squares."""

    rows: Floats
    first: Floats
    second: Floats
    is_weighted: bool


def tally(read: Read, axes: Sequence[Axis], chosen: Sequence[Chosen] = (), weighing: Weighing | None = None) -> Tally:
    """Return the counts of every combination of positions, one dimension for each axis.

    Raises:
        InvalidInput: if there are more than 2**24 combinations, or a value is not an output.
    """
    sizes = [axis.size for axis in axes]
    if prod(sizes) > _LARGEST:
        raise InvalidInput(f"The cross-tabulation has more than {_LARGEST} cells; take fewer columns.")
    weighing = weighing or Weighing()
    rows, first, second = (np.zeros(prod(sizes)) for _ in range(3))
    needed = [name for axis in axes for name in _names(axis)]
    names = list(dict.fromkeys([*needed, *(part.axis.name for part in chosen), *weighing.names]))
    for batch in read(names):
        total = np.zeros(batch.num_rows, dtype=np.int64)
        for axis in axes:
            total = total * axis.size + axis.positions(batch)
        count, weight = weighing.of(batch)
        for part in chosen:
            count = count * np.isin(part.axis.positions(batch), part.places)
        rows += np.bincount(total, count, len(rows))
        if weighing.weight is not None:
            first += np.bincount(total, count * weight, len(rows))
            second += np.bincount(total, count * weight * weight, len(rows))
    if weighing.weight is None:
        first = second = rows
    is_weighted = weighing.weight is not None
    return Tally(rows.reshape(sizes), first.reshape(sizes), second.reshape(sizes), is_weighted)


def _numbers(values: Any, name: str) -> Floats:
    """The numbers in a column of weights or counts, which in a CSV file are texts."""
    import pyarrow as pa

    sentence = f"Column {name!r} must hold a number of at least 0 in every row; check the name."
    found: Floats = quietly(lambda: values.cast(pa.float64()).to_numpy(zero_copy_only=False), sentence)
    if not np.isfinite(found).all() or (found < 0).any():
        raise InvalidInput(sentence)
    return found


def public_counts(
    table: str | Path,
    names: str | Sequence[str],
    categories: Categories | Sequence[Categories],
    *,
    private: str | Path | None,
) -> PublicCounts:
    """Return how often each category occurs in a public table; several columns are counted jointly.

    The table is CSV or Parquet, or a folder of such files. It must be public: its frequencies show in the mechanism and
    stand in the release file. So `private` is the table or folder that will be released, None if that is no file.

    Raises:
        InvalidInput: if it has no such column, or a value that is not declared; if it is the private table, a part of
            it or a copy.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, public_counts
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     found = public_counts(table, "smoker", ["yes", "no"], private=None)
    >>> found.labels, found.counts
    (('yes', 'no'), (1, 1))
    """
    place = place_of(table, "The public table")
    if private is not None:
        refuse_private(place, private)
    column = Column(names, categories)
    counts = np.zeros(column.size, dtype=np.int64)
    for part in tables_in(place):
        for name in column.names:
            if name not in part.schema().names:
                raise InvalidInput(f"The public table {part.path.name} has no column {name!r}; check the name.")
        reader = Joint(column, column.labels, format_of(part.path).kind == "csv")
        for batch in part.batches(column.names, column.names):
            positions = reader.codes([batch.column(name) for name in column.names])
            counts += np.bincount(positions, minlength=column.size)
    return PublicCounts(tuple(map(text_of, column.labels)), tuple(counts.tolist()))


def values_of(read: Read, name: str) -> Categories:
    """Return the distinct values of a column that passed through, in order.

    Raises:
        InvalidInput: if some are missing, or there are too many to tabulate.
    """
    found: dict[object, None] = {}
    for batch in read([name]):
        unreadable = f"Column {name!r} holds text that is not UTF-8; take another."
        found |= dict.fromkeys(quietly(batch.column(name).unique().to_pylist, unreadable))
        if len(found) > _LARGEST:
            raise InvalidInput(f"Column {name!r} has too many different values to tabulate.")
    labels = [value for value in found if isinstance(value, str | int | float)]
    if len(labels) != len(found):
        raise InvalidInput(
            f"Column {name!r} has missing values or values that are neither text nor numbers; take another column."
        )
    return Categories(sorted(labels, key=lambda label: (isinstance(label, str), label)))


def _names(axis: Axis) -> tuple[str, ...]:
    return axis.column.names if isinstance(axis, ReleasedAxis) else (axis.name,)
