"""Releasing a table: each row of the chosen columns goes through its mechanism, and nothing else gets out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Unpack

from epstar.errors import InvalidInput, detached
from epstar.notebook.face import Displayed
from epstar.release.atomic_files import StagedFile, plain_errors, refuse_existing, staged_folder
from epstar.release.column import Column
from epstar.release.document import stored, write_release
from epstar.release.earlier import Earlier, earlier_releases
from epstar.release.format import Style, format_of
from epstar.release.pair import name_beside, publish, settle
from epstar.release.ready import SECOND_ANSWER, Part, Ready
from epstar.release.settings import Options, Settings
from epstar.release.table import Progress, Table, tables_in
from epstar.release.writers import Digested, open_writer


@dataclass(frozen=True, repr=False)
class Release(Displayed):
    """What was written: the table or folder, the release file that describes it, and its content.

    `dropped` are the columns that did not get out. `earlier` are releases beside it that seem to be of the same table;
    each gave every record another answer.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     done = release(table, Path(folder, "out.csv"), smoker)
    >>> done.release_file.name, done.dropped, done.earlier
    ('out.csv.release.json', (), ())
    """

    _face: ClassVar[str] = "releases"

    output: Path
    release_file: Path
    rows: int
    document: dict[str, Any]
    dropped: tuple[str, ...] = ()
    earlier: tuple[Earlier, ...] = ()


def release(
    table: str | Path,
    output: str | Path,
    columns: Column | Sequence[Column],
    *,
    force: bool = False,
    separator: str | None = None,
    encoding: str = "utf-8",
    progress: Progress | None = None,
    committing: Callable[[Release], None] | None = None,
    **options: Unpack[Options],
) -> Release:
    """Write `table` to `output` with the chosen columns sampled from their mechanisms.

    Both are CSV, Parquet or Arrow files (by the ending of their names: .csv, .tsv, .parquet, .arrow, and text also with
    .gz or .zst), or folders of such files, also partitioned ones (`epstar.release.partition`). Text is read in
    `encoding` and written in UTF-8, its fields are between the given `separator`s in both. The options are those of
    `Settings`: `notion`, `loss`, `source` and `distortion` of the columns, `keep` and `keep_others`, `key` and
    `identifier`, `ledger`, `budget` and `again`.

    `progress` is called with the number of rows done, and `committing` with what will be returned, when all is written
    and only the names are missing: an error of its own ends the release without output. Beside the output appears
    `<output>.release.json`, in a folder `_release.json`.

    Memory holds one batch of at most 2**18 rows, and with a key eight or sixteen bytes for each row. The output
    appears whole or not at all, and replaces a file only with `force`; a folder is never replaced.

    Raises:
        InvalidInput: if something does not fit, the table holds an undeclared value (no value is named), or it changes
            while it is read.
        NoEntropy: if the operating system gives no random key.
        WriteFailed: if the output cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     done = release(table, Path(folder, "out.csv"), smoker)
    >>> done.rows, done.output.name
    (2, 'out.csv')
    """
    with detached():
        ready = Ready.of(table, output, Style(separator, encoding), force, Settings(columns, **options))
        run = _Run(ready.parts, ready.description, progress, committing, ready.counted)
        if not ready.given.is_dir():
            return run.into_file(ready.target, force)
        return run.into_folder(ready.target, lambda: _same_tables(ready.given, ready.tables))


def _same_tables(given: Path, tables: Sequence[Table]) -> None:
    """Raise if a table came into the folder, or left it, since it was looked at first."""
    if tables_in(given, tables[0].style) != list(tables):
        raise InvalidInput(
            f"The folder {given.name} changed while it was read, so nothing was released; try again when nobody writes "
            "to it, or with a copy."
        )


class _Run:
    """One release under way: its parts, one for each table, and the number of rows done."""

    def __init__(
        self,
        parts: Sequence[Part],
        description: dict[str, object],
        progress: Progress | None,
        committing: Callable[[Release], None] | None,
        counted: Callable[[], None],
    ) -> None:
        self._counted = counted
        self._parts, self._description, self._progress, self._rows = parts, description, progress, 0
        self._committing = committing

    def into_file(self, target: Path, force: bool) -> Release:
        release_file = name_beside(target)
        refuse_existing(release_file, force, SECOND_ANSWER)
        with plain_errors(target):
            settle(target)
        with StagedFile(target) as table, StagedFile(release_file) as description:
            entry = self._write(self._parts[0], table.handle, target.name, target)
            table.finish()
            document = self._document([entry])
            _write_json(description, document)
            done = self._commit(target, release_file, document)
            return replace(done, release_file=publish(table, description, force))

    def into_folder(self, target: Path, check: Callable[[], None]) -> Release:
        with staged_folder(target) as staged:
            entries = []
            for part in self._parts:
                name = part.table.name
                with plain_errors(target):
                    (staged / name).parent.mkdir(parents=True, exist_ok=True)
                with StagedFile(staged / name) as table:
                    entries.append(self._write(part, table.handle, name, target))
                    table.finish()
                    table.publish(False)
            check()
            document = self._document(entries)
            with StagedFile(staged / "_release.json") as description:
                _write_json(description, document)
                description.publish(False)
            return self._commit(target, target / "_release.json", document)

    def _commit(self, output: Path, release_file: Path, document: dict[str, Any]) -> Release:
        """What will have been done once the files have their names, after the caller has agreed to it."""
        first = self._parts[0]
        if first.different is not None and first.kernel.keys is not None:
            first.different.check(first.kernel.keys.identifier)
        dropped = dict.fromkeys(name for part in self._parts for name in part.kernel.layout.dropped)
        with plain_errors(output):
            earlier = earlier_releases(output, document)
        done = Release(output, release_file, self._rows, document, tuple(dropped), earlier)
        if self._committing is not None:
            self._committing(done)
        self._counted()
        return done

    def _write(self, part: Part, handle: BinaryIO, name: str, target: Path) -> dict[str, object]:
        """Write a table, and return what the release file says of it."""
        import pyarrow as pa

        before, into, wanted = self._rows, Digested(handle), format_of(Path(name), part.table.style)
        with plain_errors(target):
            # The columns of a partition stand in the names of folders, and in no file.
            written = [name for name in part.kernel.layout.names if name not in part.table.partition]
            schema = pa.schema([part.kernel.schema.field(name) for name in written])
            writer = open_writer(into, wanted, schema)
            try:
                for batch in part.released():
                    writer.write(batch.select(written))
                    self._rows += batch.num_rows
                    if self._progress is not None:
                        self._progress(self._rows)
                writer.close()
            except BaseException:
                writer.abandon()
                raise
        rows = self._rows - before
        entry: dict[str, object] = {"name": name, "format": wanted.kind, "rows": rows, "sha256": into.hexdigest()}
        # Who reads the table must know what its name does not tell.
        return entry if wanted == format_of(Path(name)) else {**entry, "separator": wanted.separator}

    def _document(self, entries: list[dict[str, object]]) -> dict[str, Any]:
        kept = dict.fromkeys(name for part in self._parts for name in part.kernel.layout.kept)
        return write_release(self._description, entries, list(kept))


def _write_json(file: StagedFile, document: dict[str, Any]) -> None:
    with plain_errors(file.path):
        file.handle.write(stored(document))
    file.finish()
