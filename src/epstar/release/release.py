"""Releasing a table: each row of the chosen columns goes through its mechanism, and nothing else gets out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from epstar.distortion import Distortion
from epstar.errors import EpstarError, InvalidInput
from epstar.notions.base import Notion
from epstar.release.column import Column
from epstar.release.document import described, digest_of, write_release
from epstar.release.kernel import Kernel, Layout
from epstar.release.table import Format, Progress, Table, format_of, open_writer
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
    number of rows done. Beside the output appears `<output>.release.json`, in a folder `release.json`.

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
    table: str | Path,
    output: str | Path,
    columns: Sequence[Column],
    keep: Sequence[str] | None,
    force: bool,
    progress: Progress | None,
) -> Release:
    if not columns:
        raise InvalidInput("No column is to be released; name at least one.")
    given, target = Path(table), Path(output)
    layouts = [Layout.of(Table(file), columns, keep) for file in _files_of(given, target)]
    refuse_existing(target, force)
    prepared = tuple(column.prepared() for column in columns)
    kernels = [Kernel(prepared, layout) for layout in layouts]
    for kernel in kernels:
        kernel.check()
    run = _Run(kernels, described(prepared), progress)
    return run.into_folder(target) if given.is_dir() else run.into_file(target, force)


def _files_of(given: Path, target: Path) -> list[Path]:
    """The tables to read, after checking that names can be read and do not meet."""
    if given.is_dir():
        files = sorted(path for path in given.iterdir() if path.is_file() and not path.name.startswith("."))
        if not files:
            raise InvalidInput(f"The folder {given.name} holds no tables; put CSV or Parquet files into it.")
        for path in files:
            format_of(path)
    else:
        format_of(target)
        files = [given]
    if target.exists() and target.resolve() == given.resolve():
        raise InvalidInput("The output would replace the private table; give it another name.")
    return files


class _Run:
    """One release under way: its kernels, one for each table, and the number of rows done."""

    def __init__(self, kernels: Sequence[Kernel], description: dict[str, object], progress: Progress | None) -> None:
        self._kernels, self._description, self._progress, self._rows = kernels, description, progress, 0

    def into_file(self, target: Path, force: bool) -> Release:
        release_file = Path(f"{target}.release.json")
        refuse_existing(release_file, force)
        table, description = StagedFile(target), StagedFile(release_file)
        try:
            rows = self._write(self._kernels[0], table.handle, format_of(target), target)
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
        finally:
            table.discard()
            description.discard()
        return Release(target, release_file, self._rows, document)

    def into_folder(self, target: Path) -> Release:
        with staged_folder(target) as staged:
            entries = []
            for kernel in self._kernels:
                name = kernel.layout.table.path.name
                table = StagedFile(staged / name)
                try:
                    rows = self._write(kernel, table.handle, format_of(Path(name)), target)
                    table.finish()
                    table.publish(False)
                finally:
                    table.discard()
                entries.append(self._table_entry(name, staged / name, rows))
            document = self._document(entries)
            description = StagedFile(staged / "release.json")
            _write_json(description, document)
            description.publish(False)
        return Release(target, target / "release.json", self._rows, document)

    def _write(self, kernel: Kernel, handle: BinaryIO, kind: Format, target: Path) -> int:
        before = self._rows
        with plain_errors(target):
            writer = open_writer(handle, kind, kernel.schema)
            try:
                for batch in kernel.layout.batches():
                    writer.write(kernel.apply(batch))
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
        kept = dict.fromkeys(name for kernel in self._kernels for name in kernel.layout.kept)
        return write_release(self._description, entries, list(kept))


def _write_json(file: StagedFile, document: dict[str, Any]) -> None:
    with plain_errors(file.path):
        file.handle.write(json.dumps(document, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n")
    file.finish()
