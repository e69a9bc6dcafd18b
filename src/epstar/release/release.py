"""Releasing a table: each row of the chosen columns goes through its mechanism, and nothing else gets out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

from epstar.distortion import Distortion
from epstar.errors import EpstarError, InvalidInput
from epstar.exact import Number
from epstar.notebook.face import Displayed
from epstar.notions.base import Notion
from epstar.release.column import Column, chosen_columns
from epstar.release.counting import Counting
from epstar.release.document import described, stored, write_release
from epstar.release.earlier import Earlier, earlier_releases
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed import Different, SecretKey
from epstar.release.pair import name_beside, publish, settle
from epstar.release.place import digest_of, output_place, place_of
from epstar.release.table import Format, Progress, Table, format_of, open_writer, tables_in
from epstar.release.whole import StagedFile, plain_errors, refuse_existing, staged_folder
from epstar.source import Source

_SECOND_ANSWER = ", which gives each record a second, independent answer, whose loss adds to that of the first"


@dataclass(frozen=True, repr=False)
class Release(Displayed):
    """What was written: the table or folder, the release file that describes it, and its content.

    `dropped` are the columns that did not get out. `earlier` are releases beside it that seem to be of the same table;
    each gave every record another answer.
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
    notion: Notion | None = None,
    loss: Number | None = None,
    source: Source | None = None,
    distortion: Distortion | None = None,
    keep: str | Sequence[str] = (),
    keep_others: bool = False,
    force: bool = False,
    key: SecretKey | str | Path | None = None,
    identifier: str | None = None,
    ledger: str | Path | None = None,
    budget: Number | None = None,
    again: bool = False,
    progress: Progress | None = None,
    committing: Callable[[Release], None] | None = None,
) -> Release:
    """Write `table` to `output` with the chosen columns sampled from their mechanisms.

    Both are CSV or Parquet files (by the ending of their names), or folders of such files. `notion`, `loss`,
    `source` and `distortion` (Hamming unless given) hold for every column that does not bring its own. Of the other
    columns those named in `keep` pass through as they are, unprotected, or all with `keep_others`; the rest is dropped.

    With a `key` (or the file of one, which is made where there is none) and an `identifier`, a column that is
    different in every row, the answer of a row is permanent: the same release of the same table gives the same
    answers, and costs nothing in a ledger. Keep the key with the private table: it undoes the release. A row whose
    value was changed is answered afresh, which is a second answer.

    With a `ledger` the release is counted in that file before the output gets its name (`epstar.release.ledger`):
    one that would exceed its `budget`, which is given when the ledger is begun, is refused, and so is a second one
    of the same table unless it is asked for with `again`. `progress` is called with the number of rows done, and
    `committing` with what will be returned, when all is written and only the names are missing: an error of its own
    ends the release without output. Beside the output appears `<output>.release.json`, in a folder `_release.json`.

    Memory holds one batch of at most 2**18 rows, and with a key eight or sixteen bytes for each row. The output
    appears whole or not at all, and replaces a file only with `force`; a folder is never replaced.

    Raises:
        InvalidInput: if something does not fit, the table holds an undeclared value (no value is named), or it changes
            while it is read.
        NoEntropy: if the operating system gives no random key.
        WriteFailed: if the output cannot be written.
    """
    failure = None
    try:
        chosen = chosen_columns(columns)
        for name, switch in (("keep_others", keep_others), ("force", force), ("again", again)):
            if not isinstance(switch, bool):
                raise InvalidInput(f"`{name}` is true or false, and nothing else says which of the two.")
        filled = [column.filled(notion, loss, source, distortion) for column in chosen]
        given, target = place_of(table, "The table"), output_place(output)
        tables = _tables(given, target)
        layouts = [Layout.of(file.path.name, file.schema(), filled, keep, keep_others) for file in tables]
        refuse_existing(target, force, _SECOND_ANSWER)
        if (key is None) != (identifier is None):
            raise InvalidInput("Permanent answers need a `key` and an `identifier`, and one of them is missing.")
        parts = _parts(tables, layouts, filled)
        description = described(parts[0].kernel.prepared)
        if key is not None and identifier is not None:
            parts = _keyed(parts, key, identifier, description)
            description = {**description, "randomness": {"kind": "keyed", "identifier": identifier}}
        counting = Counting.of(ledger, budget, again, description, parts[0].kernel.keys)
        counted = counting.of_tables([file.path for file in tables], filled, target.name)
        run = _Run(parts, description, progress, committing, counted)
        if not given.is_dir():
            return run.into_file(target, force)
        return run.into_folder(target, lambda: _same_tables(given, tables))
    except EpstarError as error:
        failure = error
    # Raised again without what it was raised from, so that no error of another package travels with it.
    failure.__context__ = failure.__cause__ = None
    raise failure


def _tables(given: Path, target: Path) -> list[Table]:
    """The tables to read, after checking that names can be read and do not meet."""
    if not given.is_dir():
        format_of(target)
    tables = tables_in(given)
    if target.exists() and target.resolve() == given.resolve():
        raise InvalidInput("The output would replace the private table; give it another name.")
    return tables


def _parts(tables: Sequence[Table], layouts: Sequence[Layout], columns: Sequence[Column]) -> list[_Part]:
    """The tables with the kernels that read them, after checking that their types fit."""
    prepared = tuple(column.prepared() for column in columns)
    parts = [
        _Part(table, Kernel(prepared, layout, format_of(table.path) == "csv"))
        for table, layout in zip(tables, layouts, strict=True)
    ]
    for part in parts:
        part.kernel.check()
    return parts


def _keyed(
    parts: Sequence[_Part], key: SecretKey | str | Path, identifier: str, description: dict[str, Any]
) -> list[_Part]:
    """The parts with kernels whose answers are decided by the key, the identifier and the value of a row."""
    made = RowKeys.found(key, identifier, description, [part.kernel for part in parts])
    different = Different(made[0].columns[0])
    return [
        _Part(part.table, replace(part.kernel, keys=keys), different) for part, keys in zip(parts, made, strict=True)
    ]


def _same_tables(given: Path, tables: Sequence[Table]) -> None:
    """Raise if a table came into the folder, or left it, since it was looked at first."""
    if tables_in(given) != list(tables):
        raise InvalidInput(
            f"The folder {given.name} changed while it was read, so nothing was released; try again when nobody writes "
            "to it, or with a copy."
        )


@dataclass(frozen=True)
class _Part:
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


class _Run:
    """One release under way: its parts, one for each table, and the number of rows done."""

    def __init__(
        self,
        parts: Sequence[_Part],
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
        refuse_existing(release_file, force, _SECOND_ANSWER)
        with plain_errors(target):
            settle(target)
        with StagedFile(target) as table, StagedFile(release_file) as description:
            rows = self._write(self._parts[0], table.handle, format_of(target), target)
            table.finish()
            document = self._document([self._table_entry(target.name, table.staged, rows)])
            _write_json(description, document)
            done = self._commit(target, release_file, document)
            return replace(done, release_file=publish(table, description, force))

    def into_folder(self, target: Path, check: Callable[[], None]) -> Release:
        with staged_folder(target) as staged:
            entries = []
            for part in self._parts:
                name = part.table.path.name
                with StagedFile(staged / name) as table:
                    rows = self._write(part, table.handle, format_of(Path(name)), target)
                    table.finish()
                    table.publish(False)
                entries.append(self._table_entry(name, staged / name, rows))
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
