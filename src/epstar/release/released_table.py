"""A released table that is opened for counting: its rows, and what its release file says of its columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.release.column import Column
from epstar.release.document import column_of, read_release
from epstar.release.format import Style
from epstar.release.frames import is_frame, reader_of
from epstar.release.histogram import Chosen, PlainAxis, Read, Weighing, of_files, tally
from epstar.release.pair import description_of
from epstar.release.place import digest_of, place_of
from epstar.release.table import Table, tables_in
from epstar.release.tabulation import Side, Tabulation, plain_side, released_side
from epstar.universe import Label


@dataclass(frozen=True)
class Opened:
    """A released table that may be read, and what its release file says of its columns."""

    read: Read
    columns: tuple[Column, ...]
    kept: tuple[str, ...]

    @classmethod
    def of(
        cls,
        released: Any,
        release_file: str | Path | Mapping[str, Any] | None,
        any_table: bool,
        style: Style | None = None,
    ) -> Opened:
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
            style = style or Style()
            tables = tables_in(place, style)
            return cls(of_files(tables), *_columns(document, tables[0].schema().names, True))
        if not document["tables"] or (len(document["tables"]) > 1 and not place.is_dir()):
            raise InvalidInput(
                f"The release file describes {len(document['tables'])} tables, and {place.name} is one; use the folder "
                "that was released, or `any_table`."
            )
        tables = [_listed(place, entry) for entry in document["tables"]]
        for table, entry in zip(tables, document["tables"], strict=True):
            if not table.path.is_file() or digest_of(table.path) != entry["sha256"]:
                raise InvalidInput(
                    f"{table.path.name} is not the table that the release file describes; use the original, or "
                    "`any_table` for a part of it or a copy in another form."
                )
        return cls(of_files(tables), *_columns(document, None, False))

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
        taken = {name for side in sides for name in side.names}
        sides += [plain_side(self.read, name) for name in names if name in self.kept and name not in taken]
        found = {name for side in sides for name in side.names}
        for name in names:
            if name not in found:
                raise InvalidInput(f"The release has no column {name!r}; check the name.")
        return sides


def _listed(place: Path, entry: Mapping[str, Any]) -> Table:
    """A table of a release file, which lies at a place or in the folder there."""
    style, (inside, _, name) = Style(entry.get("separator")), entry["name"].rpartition("/")
    return Table(place / inside / name, style, inside) if place.is_dir() else Table(place, style)


def _columns(
    document: Mapping[str, Any], named: Sequence[str] | None, any_table: bool
) -> tuple[tuple[Column, ...], tuple[str, ...]]:
    """The released columns and the plain ones; of any table every other column of it is plain."""
    columns = tuple(column_of(entry) for entry in document["columns"])
    released = {name for column in columns for name in column.names}
    if named is None or not any_table:
        return columns, tuple(document["passed_through"])
    return columns, tuple(name for name in named if name not in released)
