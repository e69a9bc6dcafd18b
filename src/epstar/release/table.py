"""Tables as streams of Arrow batches, from CSV, Parquet and Arrow files, in bounded memory.

CSV is read as text, field by field, so that columns which are passed through keep their digits. The errors of Arrow
quote the data, so none of them gets out of here.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from epstar.errors import InvalidInput
from epstar.extras import required
from epstar.release.format import Style, format_of
from epstar.release.partition import partition_of, partitioned_files

Result = TypeVar("Result")

# Rows of a Parquet batch and bytes of a CSV block: what is in memory at one time.
BATCH_ROWS = 1 << 18
_CSV_BLOCK = 1 << 22
_PLAIN = Style()


def require_pyarrow() -> None:
    """Raise a `MissingExtra` unless pyarrow is installed."""
    required("pyarrow", "Tables are read and written with")


def quietly(action: Callable[[], Result], sentence: str) -> Result:
    """Return what `action` returns, or raise a sentence in place of any error that Arrow raises.

    The sentence is raised outside the handler, so that the original error, which may quote the data, is not
    attached to it as its context.
    """
    require_pyarrow()
    import pyarrow as pa

    with suppress(pa.ArrowException, OSError, UnicodeError, csv.Error):
        return action()
    raise InvalidInput(sentence)


def ahead(following: Callable[[], Result | None]) -> Iterator[Result]:
    """Yield what `following` returns until it returns None; while one is looked at, a thread makes the next.

    >>> list(ahead(iter([1, 2, None]).__next__))
    [1, 2]
    """
    thread = ThreadPoolExecutor(1)
    try:
        coming = thread.submit(following)
        while (found := coming.result()) is not None:
            coming = thread.submit(following)
            yield found
    finally:
        # The garbage collector may come here in the middle of the start or the end of another thread, where waiting for
        # one would last for ever. What is under way ends by itself.
        thread.shutdown(wait=False)


@dataclass(frozen=True)
class Stamp:
    """What the system says of a file; any of it differs once the file was written to or replaced."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int

    @classmethod
    def of(cls, status: os.stat_result) -> Stamp:
        """Return the stamp of a file with this status."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


@dataclass(frozen=True)
class Table:
    """A CSV, Parquet or Arrow file that is read in batches.

    It must stay as it is from the first look at it until the last batch was read: half of one table and half of
    another is neither. In a partitioned folder it is in the folder `inside`, whose columns are columns of it.
    """

    path: Path
    style: Style = _PLAIN
    inside: str = ""

    @property
    def name(self) -> str:
        """The name of the file, inside the folder of tables that it is in."""
        return f"{self.inside}/{self.path.name}".lstrip("/")

    @cached_property
    def partition(self) -> dict[str, str | None]:
        """The columns that folders are named after, with their values."""
        return partition_of(self.inside)

    @cached_property
    def _stamp(self) -> Stamp:
        """What the file was at the first look."""
        return Stamp.of(self.path.stat())

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        """Give one descriptor through which everything is read that is read at a time.

        Raises:
            InvalidInput: if the file is not, before and after, the one of the first look.
        """
        with self.path.open("rb") as handle:
            self._compare(os.fstat(handle.fileno()))
            yield handle
            self._compare(os.fstat(handle.fileno()))
            found = None
            with suppress(OSError):
                found = self.path.stat()
            self._compare(found)

    def _compare(self, status: os.stat_result | None) -> None:
        if status is None or Stamp.of(status) != self._stamp:
            raise InvalidInput(
                f"{self.path.name} changed while it was read, so nothing was made of it; try again when nobody writes "
                "to it, or with a copy."
            )

    @property
    def _unreadable(self) -> str:
        kind = format_of(self.path).kind
        limit = ""
        if kind == "csv":
            limit = f", is text in {self.style.encoding}, and that no field is longer than {_CSV_BLOCK >> 20} MiB"
        return f"{self.path.name} cannot be read as {kind}; check that it is well formed{limit}."

    def schema(self) -> Any:
        """Return the Arrow schema, without metadata; every column of a CSV file or of a partition is text.

        Raises:
            InvalidInput: if the file is missing or malformed, or two columns have the same name.
        """
        require_pyarrow()
        import pyarrow as pa

        if not self.path.is_file():
            raise InvalidInput(f"There is no file {self.path.name}; check its name.")
        kind = format_of(self.path).kind
        if kind != "csv":
            read = self._parquet_schema if kind == "parquet" else self._arrow_schema
            schema = quietly(read, self._unreadable)
        else:
            schema = pa.schema([(name, pa.string()) for name in quietly(self._first_line, self._unreadable)])
        for name in self.partition:
            schema = schema.append(pa.field(name, pa.string()))
        if len(set(schema.names)) != len(schema.names):
            raise InvalidInput(f"Two columns of {self.path.name} have the same name; rename one.")
        return schema

    def _parquet_schema(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with self._opened() as handle:
            read = pq.read_schema(handle)
            return pa.schema([(field.name, field.type) for field in read])

    def _arrow_schema(self) -> Any:
        import pyarrow as pa

        with self._opened() as handle:
            read = pa.ipc.open_file(_same(handle)).schema
            return pa.schema([(field.name, field.type) for field in read])

    def _first_line(self) -> list[str]:
        with self._opened() as handle:
            return self._header(handle)

    def _header(self, handle: BinaryIO) -> list[str]:
        encoding = "utf-8-sig" if self.style.encoding == "utf-8" else self.style.encoding
        lines = io.TextIOWrapper(self._plain(handle), encoding=encoding, newline="")
        header = next(csv.reader(lines, delimiter=format_of(self.path, self.style).separator), [])
        lines.detach()
        if not header:
            raise InvalidInput(f"{self.path.name} has no header line; the first line must name the columns.")
        return header

    def _plain(self, handle: BinaryIO) -> Any:
        """What the file holds, from its beginning, without the compression that its name tells of."""
        import pyarrow as pa

        compression = format_of(self.path).compression
        same = _same(handle)
        return same if compression is None and same is handle else pa.input_stream(same, compression=compression)

    def batches(self, columns: Sequence[str], as_dictionary: Sequence[str]) -> Iterator[Any]:
        """Yield record batches of the given columns; those in `as_dictionary` may come as dictionaries."""
        kind, own = format_of(self.path).kind, [name for name in columns if name not in self.partition]
        if not own:
            # Some column must be read, or nobody knows how many rows there are.
            own = [name for name in self.schema().names if name not in self.partition][:1]
        if kind == "parquet":
            reader = self._parquet_batches(own, as_dictionary)
        else:
            reader = self._csv_batches(own) if kind == "csv" else self._arrow_batches(own)
        for batch in ahead(lambda: quietly(lambda: next(reader, None), self._unreadable)):
            yield batch if own == list(columns) else self._with_partition(batch, columns)

    def _with_partition(self, batch: Any, columns: Sequence[str]) -> Any:
        import pyarrow as pa

        found = [
            pa.repeat(pa.scalar(self.partition[name], pa.string()), batch.num_rows)
            if name in self.partition
            else batch.column(name)
            for name in columns
        ]
        return pa.RecordBatch.from_arrays(found, list(columns))

    def _parquet_batches(self, columns: Sequence[str], as_dictionary: Sequence[str]) -> Iterator[Any]:
        import pyarrow.parquet as pq

        # Reading ahead would keep every byte of the file until its end.
        with (
            self._opened() as handle,
            pq.ParquetFile(_same(handle), read_dictionary=list(as_dictionary), pre_buffer=False) as file,
        ):
            yield from file.iter_batches(BATCH_ROWS, columns=list(columns))

    def _arrow_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa

        with self._opened() as handle, pa.ipc.open_file(_same(handle)) as file:
            for number in range(file.num_record_batches):
                batch = file.get_batch(number).select(list(columns))
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS)

    def _csv_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        with self._opened() as handle:
            names = self._header(handle)
            reader = arrow_csv.open_csv(
                _same(handle) if format_of(self.path).compression is None else self._plain(handle),
                arrow_csv.ReadOptions(
                    block_size=_CSV_BLOCK,
                    column_names=names,
                    skip_rows_after_names=1,
                    encoding="utf8" if self.style.encoding == "utf-8" else self.style.encoding,
                ),
                # In a file of one column an empty line is a row: its value is missing.
                arrow_csv.ParseOptions(
                    delimiter=format_of(self.path, self.style).separator,
                    newlines_in_values=True,
                    ignore_empty_lines=len(names) > 1,
                ),
                arrow_csv.ConvertOptions(
                    column_types={name: pa.string() for name in names},
                    include_columns=list(columns),
                    strings_can_be_null=False,
                ),
            )
            with reader:
                yield from reader


def _same(handle: BinaryIO) -> Any:
    """The open file as Arrow reads it fastest: by a name that stands for the descriptor, whoever has its own name."""
    handle.seek(0)
    name = Path(f"/proc/self/fd/{handle.fileno()}")
    return str(name) if name.exists() else handle


def tables_in(place: Path, style: Style = _PLAIN) -> list[Table]:
    """Return the table at a place, or the tables of a folder and its partitions in the order of their names.

    Raises:
        InvalidInput: if the folder holds none, or something else.
    """
    if not place.is_dir():
        return [Table(place, style)]
    files = partitioned_files(place)
    if not files:
        raise InvalidInput(f"The folder {place.name} holds no tables; put CSV, Parquet or Arrow files into it.")
    for path, _ in files:
        format_of(path)
    return [Table(path, style, inside) for path, inside in files]


def type_of(place: Path, column: str, style: Style = _PLAIN) -> Any:
    """Return the Arrow type of the values of a column of a table, or None if it has no such column."""
    require_pyarrow()
    import pyarrow as pa

    schema = tables_in(place, style)[0].schema()
    if column not in schema.names:
        return None
    kind = schema.field(column).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


Progress = Callable[[int], None]
"""Called with the number of rows that are done."""
