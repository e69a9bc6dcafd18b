"""Releasing a table: each row of the chosen columns goes through its mechanism, and nothing else gets out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from epstar.distortion import Distortion
from epstar.errors import EpstarError, InvalidInput
from epstar.notions.base import Notion
from epstar.release.column import Column
from epstar.release.document import described, digest_of, stored, write_release
from epstar.release.kernel import Kernel, Layout
from epstar.release.table import Format, Progress, Table, format_of, open_writer, tables_in
from epstar.release.whole import StagedFile, WriteFailed, plain_errors, refuse_existing, staged_folder
from epstar.source import Source


@dataclass(frozen=True)
class Release:
    """What was written: the table or folder, the release file that describes it, and its content."""

    output: Path
    release_file: Path
    rows: int
    document: dict[str, Any]


def release(
    table: str | Path,
    output: str | Path,
    columns: Column | Sequence[Column],
    *,
    notion: Notion | None = None,
    loss: object = None,
    source: Source | None = None,
    distortion: Distortion | None = None,
    keep: Sequence[str] | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Release:
    """Write `table` to `output` with the chosen columns sampled from their mechanisms.

    Both are CSV or Parquet files (by the ending of their names), or folders of such files. `notion`, `loss`,
    `source` and `distortion` (Hamming unless given) hold for every column that does not bring its own. Other
    columns pass through unchanged: all of them, or those named in `keep`. `progress` is called with the
    number of rows done. Beside the output appears `<output>.release.json`, in a folder `_release.json`.

    Memory holds one batch of at most 2**18 rows. The output appears whole or not at all, and replaces a file
    only with `force`; a folder is never replaced.

    Raises:
        InvalidInput: if something does not fit, or the table holds an undeclared value; no value is named.
        NoEntropy: if the operating system gives no random key.
        WriteFailed: if the output cannot be written.
    """
    failure = None
    try:
        chosen = [columns] if isinstance(columns, Column) else list(columns)
        filled = [column.filled(notion, loss, source, distortion) for column in chosen]
        return _release(table, output, filled, keep, force, progress)
    except EpstarError as error:
        failure = error
    # Raised again without what it was raised from, so that no error of another package travels with it.
    failure.__context__ = failure.__cause__ = None
    raise failure


def _release(
    private: str | Path,
    output: str | Path,
    columns: Sequence[Column],
    keep: Sequence[str] | None,
    force: bool,
    progress: Progress | None,
) -> Release:
    if not columns:
        raise InvalidInput("No column is to be released; name at least one.")
    given, target = Path(private), Path(output)
    tables = _tables(given, target)
    layouts = [Layout.of(file.path.name, file.schema(), columns, keep) for file in tables]
    refuse_existing(target, force)
    prepared = tuple(column.prepared() for column in columns)
    parts = [
        _Part(table, Kernel(prepared, layout, format_of(table.path) == "csv"))
        for table, layout in zip(tables, layouts, strict=True)
    ]
    for part in parts:
        part.kernel.check()
    run = _Run(parts, described(prepared), progress)
    return run.into_folder(target) if given.is_dir() else run.into_file(target, force)


def _tables(given: Path, target: Path) -> list[Table]:
    """The tables to read, after checking that names can be read and do not meet."""
    if not given.is_dir():
        format_of(target)
    tables = tables_in(given)
    if target.exists() and target.resolve() == given.resolve():
        raise InvalidInput("The output would replace the private table; give it another name.")
    return tables


@dataclass(frozen=True)
class _Part:
    """A private table and the kernel that reads it."""

    table: Table
    kernel: Kernel

    def released(self) -> Iterator[Any]:
        """Yield the released batches, from the columns that are needed and no others."""
        layout = self.kernel.layout
        for batch in self.table.batches(layout.names, layout.released_texts):
            yield self.kernel.apply(batch)


class _Run:
    """One release under way: its parts, one for each table, and the number of rows done."""

    def __init__(self, parts: Sequence[_Part], description: dict[str, object], progress: Progress | None) -> None:
        self._parts, self._description, self._progress, self._rows = parts, description, progress, 0

    def into_file(self, target: Path, force: bool) -> Release:
        release_file = Path(f"{target}.release.json")
        refuse_existing(release_file, force)
        with StagedFile(target) as table, StagedFile(release_file) as description:
            rows = self._write(self._parts[0], table.handle, format_of(target), target)
            table.finish()
            document = self._document([self._table_entry(target.name, table.staged, rows)])
            _write_json(description, document)
            # The description first: a table is never without one, and its digest tells which one it is.
            description.publish(force)
            try:
                table.publish(force)
            except WriteFailed:
                if not force:
                    release_file.unlink()
                raise
        return Release(target, release_file, self._rows, document)

    def into_folder(self, target: Path) -> Release:
        with staged_folder(target) as staged:
            entries = []
            for part in self._parts:
                name = part.table.path.name
                with StagedFile(staged / name) as table:
                    rows = self._write(part, table.handle, format_of(Path(name)), target)
                    table.finish()
                    table.publish(False)
                entries.append(self._table_entry(name, staged / name, rows))
            document = self._document(entries)
            with StagedFile(staged / "_release.json") as description:
                _write_json(description, document)
                description.publish(False)
        return Release(target, target / "_release.json", self._rows, document)

    def _write(self, part: _Part, handle: BinaryIO, kind: Format, target: Path) -> int:
        before = self._rows
        with plain_errors(target):
            writer = open_writer(handle, kind, part.kernel.schema)
            try:
                for batch in part.released():
                    writer.write(batch)
                    self._rows += batch.num_rows
                    if self._progress is not None:
                        self._progress(self._rows)
                writer.close()
            except BaseException:
                writer.abandon()
                raise
        return self._rows - before

    def _table_entry(self, name: str, path: Path, rows: int) -> dict[str, object]:
        return {"name": name, "format": format_of(Path(name)), "rows": rows, "sha256": digest_of(path)}

    def _document(self, entries: list[dict[str, object]]) -> dict[str, Any]:
        kept = dict.fromkeys(name for part in self._parts for name in part.kernel.layout.kept)
        return write_release(self._description, entries, list(kept))


def _write_json(file: StagedFile, document: dict[str, Any]) -> None:
    with plain_errors(file.path):
        file.handle.write(stored(document))
    file.finish()
