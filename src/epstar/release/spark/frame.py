"""From a DataFrame to a folder of released files, or to a DataFrame that answers the same whenever it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from epstar.errors import InvalidInput
from epstar.release.column import Column
from epstar.release.counting import Counting
from epstar.release.document import described, stored, with_identifier, write_release
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed_bits import SecretKey
from epstar.release.settings import Options, Settings
from epstar.release.spark.digest import digest_of_rows
from epstar.release.spark.folder import Folder
from epstar.release.spark.task import applied, plainly, require_pyspark

_NAME = "The DataFrame"


def release(
    dataframe: Any,
    output: str | Path,
    columns: Column | Sequence[Column],
    *,
    partition_by: str | Sequence[str] = (),
    **options: Unpack[Options],
) -> SparkRelease:
    """Write a DataFrame to a folder of Parquet files with the chosen columns sampled from their mechanisms.

    The options are those of `epstar.release.Settings`; `output` may be on any file system that Spark writes to,
    and gets `_release.json` beside its files. With `partition_by` the files are in folders that are named after the
    values of these columns, which must pass through. Each batch has a key of its own, unless answers are permanent.

    The files are written by one Spark job through its committer, which keeps one attempt of each task, into a folder
    of another name that takes the name `output` at the end: the folder appears whole or not at all, and is never
    replaced. A ledger, which is a file of the driver, counts the release once, when the job is done and before the
    folder has its name; it knows a DataFrame by its columns and rows, in any order, which takes a job of their own.

    Raises:
        InvalidInput: if something does not fit, or the table holds an undeclared value; no value is named.
        MissingExtra: if PySpark is not installed.
        WriteFailed: if Spark cannot finish or write.
    """

    def written() -> SparkRelease:
        folder, settings = Folder.of(dataframe, output), Settings(columns, **options)
        frame = _Frame.of(dataframe, settings)
        names = frame.partition(partition_by)
        return frame.written(folder, frame.counted(settings, folder.path().getName()), names)

    return plainly(written)


def keyed(dataframe: Any, columns: Column | Sequence[Column], **options: Unpack[Options]) -> KeyedRelease:
    """Return a DataFrame that gives the same released values whenever it is evaluated, and its description.

    The options are those of `epstar.release.Settings`, among them a `key` and the `identifier`. The identifier is
    dropped with the other columns unless it is kept.
    The random bits of a row come from the secret key, its identifier (a column of whole numbers or texts) and its
    own value. Keep the key with the private table: it undoes the release. A key serves one table; a row that is
    added later needs an identifier that was never used, and a value that is changed is answered afresh, which
    counts as a second release of that row. A ledger counts the release before the DataFrame is handed out; the same
    answers again cost nothing.

    Raises:
        InvalidInput: if something does not fit, or an identifier is missing or stands for several rows, which one
            Spark job finds out.
        MissingExtra: if PySpark is not installed.
        WriteFailed: if Spark cannot finish.
    """

    def made() -> KeyedRelease:
        settings = Settings(columns, **options)
        if settings.key is None:
            raise InvalidInput("A DataFrame that may be evaluated twice needs a `key` and an `identifier`; give both.")
        frame = _Frame.of(dataframe, settings)
        frame.counted(settings, _NAME)()
        return KeyedRelease(frame)

    return plainly(made)


@dataclass(frozen=True)
class SparkRelease:
    """What was written: the folder, the release file in it, the number of rows, and the content of the file."""

    output: str
    release_file: str
    rows: int
    document: dict[str, Any]


@dataclass(frozen=True)
class KeyedRelease:
    """A released DataFrame that may be evaluated any number of times, and its release file, which lists no tables."""

    _frame: _Frame

    @property
    def dataframe(self) -> Any:
        """The released DataFrame."""
        return self._frame.released()

    @property
    def document(self) -> dict[str, Any]:
        """What was done and what it guarantees, in the form of a release file."""
        return self._frame.document([])

    def write(self, output: str | Path, *, partition_by: str | Sequence[str] = ()) -> SparkRelease:
        """Write the DataFrame to a folder of Parquet files with its release file, as `release` does."""

        def written() -> SparkRelease:
            # It was counted when it was made.
            names = self._frame.partition(partition_by)
            return self._frame.written(Folder.of(self._frame.given, output), lambda: None, names)

        return plainly(written)


@dataclass(frozen=True)
class _Frame:
    """A DataFrame, the kernel that is applied to its batches, and what the release file says of it."""

    given: Any
    kernel: Kernel
    description: dict[str, object]

    @classmethod
    def of(cls, dataframe: Any, settings: Settings) -> _Frame:
        require_pyspark()
        from pyspark.sql.pandas.types import to_arrow_schema

        filled = settings.filled
        if dataframe.isStreaming:
            raise InvalidInput(
                "A streaming DataFrame is released batch by batch; call `keyed` on each batch inside foreachBatch, so "
                "that a batch that is tried again gets the same answers."
            )
        names = list(dataframe.columns)
        if len(set(names)) != len(names):
            raise InvalidInput(f"Two columns of {_NAME} have the same name; rename one.")
        layout = Layout.of(_NAME, to_arrow_schema(dataframe.schema, timezone="UTC"), settings)
        prepared = tuple(column.prepared() for column in filled)
        # The proofs stay here; the tasks need what is sampled.
        kernel = Kernel(tuple(replace(item, answer=None) for item in prepared), layout)
        kernel.check()
        found = cls(dataframe, kernel, described(prepared))
        if settings.key is None or settings.identifier is None:
            return found
        return found._keyed(settings.key, settings.identifier)

    def _keyed(self, key: SecretKey | str | Path, identifier: str) -> _Frame:
        from pyspark.sql import functions

        (keys,) = RowKeys.found(key, identifier, self.description, [self.kernel])
        column = functions.col(_quoted(identifier))
        repeated = self.given.groupBy(column).count().where((functions.col("count") > 1) | column.isNull())
        if not repeated.isEmpty():
            raise InvalidInput(
                f"Column {identifier!r} is missing in a row or the same in several, so that rows would get related "
                "answers; name a column that is different in every row."
            )
        description = with_identifier(self.description, identifier)
        return replace(self, kernel=replace(self.kernel, keys=keys), description=description)

    def counted(self, settings: Settings, output: str) -> Callable[[], None]:
        """Return what counts the release in its ledger, after a look whether it will be."""
        counting = Counting.of(settings, self.description, self.kernel.keys)
        return counting.of_tables([] if counting.ledger is None else [digest_of_rows(self.given)], output)

    def partition(self, names: str | Sequence[str]) -> tuple[str, ...]:
        """Return the columns that folders are named after, if they pass through."""
        found = (names,) if isinstance(names, str) else tuple(names)
        for name in found:
            if name not in self.kernel.layout.kept:
                raise InvalidInput(
                    f"Folders are named after columns that pass through, and {name!r} is none; name it in `keep`."
                )
        return found

    def released(self) -> Any:
        """The released DataFrame, which is handed out only if it is keyed."""
        return applied(self.kernel, self.given.select([_quoted(name) for name in self.kernel.needed]))

    def document(self, tables: Sequence[dict[str, object]]) -> dict[str, Any]:
        return write_release(self.description, tables, list(self.kernel.layout.kept))

    def written(self, folder: Folder, count: Callable[[], None], partition_by: Sequence[str]) -> SparkRelease:
        with folder.staged() as staged:
            tables = staged.write(self.released(), partition_by)
            document = self.document(tables)
            staged.write_bytes("_release.json", stored(document))
            count()
        rows = sum(int(str(table["rows"])) for table in tables)
        return SparkRelease(folder.name, f"{folder.name}/_release.json", rows, document)


def _quoted(name: str) -> str:
    """The name as Spark reads it literally, whatever dots it holds."""
    return "`" + name.replace("`", "``") + "`"
