"""From a DataFrame to a folder of released files, or to a DataFrame that answers the same whenever it is used."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epstar.distortion import Distortion
from epstar.errors import InvalidInput
from epstar.exact import Number
from epstar.notions.base import Notion
from epstar.release.column import Column, chosen_columns
from epstar.release.document import described, stored, write_release
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed import SecretKey
from epstar.release.spark.folder import Folder
from epstar.release.spark.task import applied, plainly, require_pyspark
from epstar.source import Source

_NAME = "The DataFrame"


def release(
    dataframe: Any,
    output: str | Path,
    columns: Column | Sequence[Column],
    *,
    notion: Notion | None = None,
    loss: Number | None = None,
    source: Source | None = None,
    distortion: Distortion | None = None,
    keep: str | Sequence[str] = (),
    keep_others: bool = False,
) -> SparkRelease:
    """Write a DataFrame to a folder of Parquet files with the chosen columns sampled from their mechanisms.

    The arguments are those of `epstar.release.release`; `output` may be on any file system that Spark writes to,
    and gets `_release.json` beside its files. Each batch has a key of its own. The files are written by one Spark
    job through its committer, which keeps one attempt of each task, into a folder of another name that takes the
    name `output` at the end: the folder appears whole or not at all, and is never replaced.

    Raises:
        InvalidInput: if something does not fit, or the table holds an undeclared value; no value is named.
        MissingExtra: if PySpark is not installed.
        WriteFailed: if Spark cannot finish or write.
    """

    def written() -> SparkRelease:
        folder = Folder.of(dataframe, output)
        return _Frame.of(dataframe, columns, (keep, keep_others), (notion, loss, source, distortion)).written(folder)

    return plainly(written)


def keyed(
    dataframe: Any,
    columns: Column | Sequence[Column],
    *,
    identifier: str,
    key: SecretKey,
    notion: Notion | None = None,
    loss: Number | None = None,
    source: Source | None = None,
    distortion: Distortion | None = None,
    keep: str | Sequence[str] = (),
    keep_others: bool = False,
) -> KeyedRelease:
    """Return a DataFrame that gives the same released values whenever it is evaluated, and its description.

    The other columns are dropped unless they are named in `keep`, also the identifier, or all kept with `keep_others`.
    The random bits of a row come from the secret key, its identifier (a column of whole numbers or texts) and its
    own value. Keep the key with the private table: it undoes the release. A key serves one table; a row that is
    added later needs an identifier that was never used, and a value that is changed is answered afresh, which
    counts as a second release of that row.

    Raises:
        InvalidInput: if something does not fit, or an identifier is missing or stands for several rows, which one
            Spark job finds out.
        MissingExtra: if PySpark is not installed.
        WriteFailed: if Spark cannot finish.
    """

    def made() -> KeyedRelease:
        frame = _Frame.of(dataframe, columns, (keep, keep_others), (notion, loss, source, distortion))
        return KeyedRelease(frame.keyed(identifier, key))

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

    def write(self, output: str | Path) -> SparkRelease:
        """Write the DataFrame to a folder of Parquet files with its release file, as `release` does."""
        return plainly(lambda: self._frame.written(Folder.of(self._frame.given, output)))


@dataclass(frozen=True)
class _Frame:
    """A DataFrame, the kernel that is applied to its batches, and what the release file says of it."""

    given: Any
    kernel: Kernel
    description: dict[str, object]

    @classmethod
    def of(
        cls,
        dataframe: Any,
        columns: Column | Sequence[Column],
        others: tuple[str | Sequence[str], bool],
        defaults: tuple[Notion | None, Number | None, Source | None, Distortion | None],
    ) -> _Frame:
        require_pyspark()
        from pyspark.sql.pandas.types import to_arrow_schema

        filled = [column.filled(*defaults) for column in chosen_columns(columns)]
        if dataframe.isStreaming:
            raise InvalidInput(
                "A streaming DataFrame is released batch by batch; call `keyed` on each batch inside foreachBatch, so "
                "that a batch that is tried again gets the same answers."
            )
        names = list(dataframe.columns)
        if len(set(names)) != len(names):
            raise InvalidInput(f"Two columns of {_NAME} have the same name; rename one.")
        layout = Layout.of(_NAME, to_arrow_schema(dataframe.schema, timezone="UTC"), filled, *others)
        prepared = tuple(column.prepared() for column in filled)
        # The proofs stay here; the tasks need what is sampled.
        kernel = Kernel(tuple(replace(item, answer=None) for item in prepared), layout)
        kernel.check()
        return cls(dataframe, kernel, described(prepared))

    def keyed(self, identifier: str, key: SecretKey) -> _Frame:
        from pyspark.sql import functions

        keys = RowKeys.of(key, identifier, self.description, self.kernel.layout)
        column = functions.col(_quoted(identifier))
        repeated = self.given.groupBy(column).count().where((functions.col("count") > 1) | column.isNull())
        if not repeated.isEmpty():
            raise InvalidInput(
                f"Column {identifier!r} is missing in a row or the same in several, so that rows would get related "
                "answers; name a column that is different in every row."
            )
        description = {**self.description, "randomness": {"kind": "keyed", "identifier": identifier}}
        return replace(self, kernel=replace(self.kernel, keys=keys), description=description)

    def released(self) -> Any:
        """The released DataFrame, which is handed out only if it is keyed."""
        return applied(self.kernel, self.given.select([_quoted(name) for name in self.kernel.needed]))

    def document(self, tables: Sequence[dict[str, object]]) -> dict[str, Any]:
        return write_release(self.description, tables, list(self.kernel.layout.kept))

    def written(self, folder: Folder) -> SparkRelease:
        with folder.staged() as staged:
            tables = staged.write(self.released())
            document = self.document(tables)
            staged.write_bytes("_release.json", stored(document))
        rows = sum(int(str(table["rows"])) for table in tables)
        return SparkRelease(folder.name, f"{folder.name}/_release.json", rows, document)


def _quoted(name: str) -> str:
    """The name as Spark reads it literally, whatever dots it holds."""
    return "`" + name.replace("`", "``") + "`"
