"""What a release needs before the first row is read: its tables, kernels and description, all of them checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.release.atomic_files import refuse_existing
from epstar.release.column import Column
from epstar.release.counting import Counting
from epstar.release.document import described, with_identifier
from epstar.release.format import Style, format_of
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed_bits import Different, SecretKey
from epstar.release.place import output_place, place_of
from epstar.release.settings import Settings, check_switch
from epstar.release.table import Table, ahead, tables_in

SECOND_ANSWER = ", which gives each record a second, independent answer, whose loss adds to that of the first"


@dataclass(frozen=True)
class Part:
    """A private table and the kernel that reads it; with keys also what makes sure that identifiers differ."""

    table: Table
    kernel: Kernel
    different: Different | None = None

    def released(self) -> Iterator[Any]:
        """Yield the released batches, from the columns that are needed and no others."""
        given = self.table.batches(self.kernel.needed, self.kernel.layout.released_texts)
        yield from ahead(lambda: next(map(self._released, given), None))

    def _released(self, batch: Any) -> Any:
        if self.different is not None and self.kernel.keys is not None:
            self.different.add(batch.column(self.kernel.keys.identifier))
        return self.kernel.apply(batch)


@dataclass(frozen=True)
class Ready:
    """Everything that a release needs before the first row is read."""

    given: Path
    target: Path
    tables: list[Table]
    parts: list[Part]
    description: dict[str, Any]
    counted: Callable[[], None]

    @classmethod
    def of(cls, table: str | Path, output: str | Path, style: Style, force: bool, settings: Settings) -> Ready:
        """Return what a release of a file or a folder needs.

        Raises:
            InvalidInput: if something does not fit, or a ledger would refuse the release.
        """
        check_switch("force", force)
        columns = settings.filled
        given, target = place_of(table, "The table"), output_place(output)
        tables = _tables(given, target, style)
        layouts = [Layout.of(file.path.name, file.schema(), settings) for file in tables]
        for file, layout in zip(tables, layouts, strict=True):
            _check_partition(given, file, layout)
        refuse_existing(target, force, SECOND_ANSWER)
        parts = _parts(tables, layouts, columns)
        description = described(parts[0].kernel.prepared)
        if settings.key is not None and settings.identifier is not None:
            parts = _keyed(parts, settings.key, settings.identifier, description)
            description = with_identifier(description, settings.identifier)
        counting = Counting.of(settings, description, parts[0].kernel.keys)
        counted = counting.of_tables([file.path for file in tables], target.name)
        return cls(given, target, tables, parts, description, counted)


def _tables(given: Path, target: Path, style: Style) -> list[Table]:
    """The tables to read, after checking that names can be read and do not meet."""
    if not given.is_dir():
        format_of(target)
    tables = tables_in(given, style)
    if target.exists() and target.resolve() == given.resolve():
        raise InvalidInput("The output would replace the private table; give it another name.")
    return tables


def _check_partition(given: Path, table: Table, layout: Layout) -> None:
    """Raise unless the columns that folders are named after pass through."""
    for name in table.partition:
        if name not in layout.kept:
            raise InvalidInput(
                f"The files of {given.name} are in folders that are named after column {name!r}, which tell it "
                "whatever is done to its values; pass it through with `keep`, or put all rows into one table."
            )


def _parts(tables: Sequence[Table], layouts: Sequence[Layout], columns: Sequence[Column]) -> list[Part]:
    """The tables with the kernels that read them, after checking that their types fit."""
    prepared = tuple(column.prepared() for column in columns)
    parts = [
        Part(table, Kernel(prepared, layout, format_of(table.path).kind == "csv"))
        for table, layout in zip(tables, layouts, strict=True)
    ]
    for part in parts:
        part.kernel.check()
    return parts


def _keyed(
    parts: Sequence[Part], key: SecretKey | str | Path, identifier: str, description: dict[str, Any]
) -> list[Part]:
    """The parts with kernels whose answers are decided by the key, the identifier and the value of a row."""
    made = RowKeys.found(key, identifier, description, [part.kernel for part in parts])
    different = Different(made[0].columns[0])
    return [
        Part(part.table, replace(part.kernel, keys=keys), different) for part, keys in zip(parts, made, strict=True)
    ]
