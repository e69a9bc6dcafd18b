"""What a release needs before the first row is read: its tables, kernels and description, all of them checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Number
from epstar.notions.base import Notion
from epstar.release.column import Column, chosen_columns
from epstar.release.counting import Counting
from epstar.release.document import described
from epstar.release.format import Style, format_of
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed import Different, SecretKey
from epstar.release.place import output_place, place_of
from epstar.release.table import Table, tables_in
from epstar.release.whole import refuse_existing
from epstar.source import Source

SECOND_ANSWER = ", which gives each record a second, independent answer, whose loss adds to that of the first"


@dataclass(frozen=True)
class Part:
    """A private table and the kernel that reads it; with keys also what makes sure that identifiers differ."""

    table: Table
    kernel: Kernel
    different: Different | None = None

    def released(self) -> Iterator[Any]:
        """Yield the released batches, from the columns that are needed and no others."""
        for batch in self.table.batches(self.kernel.needed, self.kernel.layout.released_texts):
            if self.different is not None and self.kernel.keys is not None:
                self.different.add(batch.column(self.kernel.keys.identifier))
            yield self.kernel.apply(batch)


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
    def of(
        cls,
        places: tuple[str | Path, str | Path, Style, bool],
        columns: Column | Sequence[Column],
        defaults: tuple[Notion | None, Number | None, Source | None, Distortion | None],
        others: tuple[str | Sequence[str], bool],
        keys: tuple[SecretKey | str | Path | None, str | None],
        account: tuple[str | Path | None, Number | None, bool],
    ) -> Ready:
        table, output, style, force = places
        key, identifier = keys
        chosen = chosen_columns(columns)
        for name, switch in (("keep_others", others[1]), ("force", force), ("again", account[2])):
            if not isinstance(switch, bool):
                raise InvalidInput(f"`{name}` is true or false, and nothing else says which of the two.")
        filled = [column.filled(*defaults) for column in chosen]
        given, target = place_of(table, "The table"), output_place(output)
        tables = _tables(given, target, style)
        layouts = [Layout.of(file.path.name, file.schema(), filled, *others) for file in tables]
        refuse_existing(target, force, SECOND_ANSWER)
        if (key is None) != (identifier is None):
            raise InvalidInput("Permanent answers need a `key` and an `identifier`, and one of them is missing.")
        parts = _parts(tables, layouts, filled)
        description = described(parts[0].kernel.prepared)
        if key is not None and identifier is not None:
            parts = _keyed(parts, key, identifier, description)
            description = {**description, "randomness": {"kind": "keyed", "identifier": identifier}}
        counting = Counting.of(*account, description, parts[0].kernel.keys)
        counted = counting.of_tables([file.path for file in tables], filled, target.name)
        return cls(given, target, tables, parts, description, counted)


def _tables(given: Path, target: Path, style: Style) -> list[Table]:
    """The tables to read, after checking that names can be read and do not meet."""
    if not given.is_dir():
        format_of(target)
    tables = tables_in(given, style)
    if target.exists() and target.resolve() == given.resolve():
        raise InvalidInput("The output would replace the private table; give it another name.")
    return tables


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
