"""Tables as streams of Arrow batches, from and to CSV and Parquet, in bounded memory.

CSV is read and written as text, field by field, so that columns which are passed through keep their digits.
The errors of Arrow quote the data, so none of them gets out of here.
"""

from __future__ import annotations

import base64
import csv
import io
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeVar

import numpy as np

from epstar.errors import InvalidInput
from epstar.extras import required
from epstar.release.place import files_in

Format = Literal["csv", "parquet"]
Result = TypeVar("Result")

# Rows of a Parquet batch and bytes of a CSV block: what is in memory at one time.
BATCH_ROWS = 1 << 18
_CSV_BLOCK = 1 << 22
_SUFFIXES: dict[str, Format] = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet"}


def format_of(path: Path) -> Format:
    """Return the format that the ending of a name stands for."""
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise InvalidInput(f"The format of {path.name} is unknown; end its name in .csv or .parquet.")
    return found


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

    with suppress(pa.ArrowException, OSError, UnicodeDecodeError, csv.Error):
        return action()
    raise InvalidInput(sentence)


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
    """A CSV or Parquet file that is read in batches.

    It must stay as it is from the first look at it until the last batch was read: half of one table and half of
    another is neither.
    """

    path: Path

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
        kind = format_of(self.path)
        limit = f", and that no field is longer than {_CSV_BLOCK >> 20} MiB" if kind == "csv" else ""
        return f"{self.path.name} cannot be read as {kind}; check that it is well formed{limit}."

    def schema(self) -> Any:
        """Return the Arrow schema, without metadata; every column of a CSV file is text.

        Raises:
            InvalidInput: if the file is missing or malformed, or two columns have the same name.
        """
        require_pyarrow()
        import pyarrow as pa

        if not self.path.is_file():
            raise InvalidInput(f"There is no file {self.path.name}; check its name.")
        if format_of(self.path) == "parquet":
            schema = quietly(self._parquet_schema, self._unreadable)
        else:
            schema = pa.schema([(name, pa.string()) for name in quietly(self._first_line, self._unreadable)])
        if len(set(schema.names)) != len(schema.names):
            raise InvalidInput(f"Two columns of {self.path.name} have the same name; rename one.")
        return schema

    def _parquet_schema(self) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        with self._opened() as handle:
            read = pq.read_schema(handle)
            return pa.schema([(field.name, field.type) for field in read])

    def _first_line(self) -> list[str]:
        with self._opened() as handle:
            return self._header(handle)

    def _header(self, handle: BinaryIO) -> list[str]:
        lines = io.TextIOWrapper(handle, encoding="utf-8-sig", newline="")
        header = next(csv.reader(lines), [])
        lines.detach()
        if not header:
            raise InvalidInput(f"{self.path.name} has no header line; the first line must name the columns.")
        return header

    def batches(self, columns: Sequence[str], as_dictionary: Sequence[str]) -> Iterator[Any]:
        """Yield record batches of the given columns; those in `as_dictionary` may come as dictionaries."""
        if format_of(self.path) == "parquet":
            reader = self._parquet_batches(columns, as_dictionary)
        else:
            reader = self._csv_batches(columns)
        while (batch := quietly(lambda: next(reader, None), self._unreadable)) is not None:
            yield batch

    def _parquet_batches(self, columns: Sequence[str], as_dictionary: Sequence[str]) -> Iterator[Any]:
        import pyarrow.parquet as pq

        # Reading ahead would keep every byte of the file until its end.
        with (
            self._opened() as handle,
            pq.ParquetFile(_same(handle), read_dictionary=list(as_dictionary), pre_buffer=False) as file,
        ):
            yield from file.iter_batches(BATCH_ROWS, columns=list(columns))

    def _csv_batches(self, columns: Sequence[str]) -> Iterator[Any]:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        with self._opened() as handle:
            names = self._header(handle)
            reader = arrow_csv.open_csv(
                _same(handle),
                arrow_csv.ReadOptions(block_size=_CSV_BLOCK, column_names=names, skip_rows_after_names=1),
                # In a file of one column an empty line is a row: its value is missing.
                arrow_csv.ParseOptions(newlines_in_values=True, ignore_empty_lines=len(names) > 1),
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


def tables_in(place: Path) -> list[Table]:
    """Return the table at a place, or the tables of a folder in the order of their names.

    Raises:
        InvalidInput: if the folder holds none, or something else.
    """
    if not place.is_dir():
        return [Table(place)]
    files = files_in(place)
    if not files:
        raise InvalidInput(f"The folder {place.name} holds no tables; put CSV or Parquet files into it.")
    for path in files:
        if path.is_dir():
            raise InvalidInput(
                f"The folder {place.name} has another folder in it, whose rows would be left out; release each "
                "folder by itself, or put all files into one."
            )
        format_of(path)
    return [Table(path) for path in files]


def type_of(place: Path, column: str) -> Any:
    """Return the Arrow type of the values of a column of a table, or None if it has no such column."""
    require_pyarrow()
    import pyarrow as pa

    schema = tables_in(place)[0].schema()
    if column not in schema.names:
        return None
    kind = schema.field(column).type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def open_writer(handle: BinaryIO, kind: Format, schema: Any) -> ParquetWriter | CsvWriter:
    """Return a writer of record batches of the given schema."""
    return ParquetWriter(handle, schema) if kind == "parquet" else CsvWriter(handle, schema)


class ParquetWriter:
    """Writes batches as row groups; text may come as dictionaries and is still declared as text."""

    def __init__(self, handle: BinaryIO, schema: Any) -> None:
        self._handle, self._schema = handle, schema
        self._writer: Any = None

    def write(self, batch: Any) -> None:
        """Write one batch."""
        self._open(batch.schema).write_batch(batch)

    def close(self) -> None:
        """Write the end of the file; the handle stays open."""
        self._open(self._schema).close()

    def abandon(self) -> None:
        """Let go of a file that will be thrown away, before its handle is closed."""
        import pyarrow as pa

        with suppress(pa.ArrowException, OSError, ValueError):
            self._open(self._schema).close()

    def _open(self, schema: Any) -> Any:
        import pyarrow.parquet as pq

        if self._writer is None:
            self._writer = pq.ParquetWriter(self._handle, schema, store_schema=False)
            # The declared types rather than the dictionaries that happened to carry the values.
            declared = base64.b64encode(self._schema.serialize().to_pybytes()).decode()
            self._writer.add_key_value_metadata({"ARROW:schema": declared})
        return self._writer


class CsvWriter:
    """Writes batches as text, with quotation marks only in batches that need them."""

    def __init__(self, handle: BinaryIO, schema: Any) -> None:
        self._handle = handle
        line = io.StringIO()
        csv.writer(line, lineterminator="\n").writerow(schema.names)
        handle.write(line.getvalue().encode())

    def write(self, batch: Any) -> None:
        """Write one batch."""
        # Arrow writes plain text faster than dictionaries, even with the time it takes to decode them.
        batch = decoded(batch)
        # A line with one empty field would be an empty line, which readers pass over.
        plain = None if batch.num_columns == 1 and _has_empty(batch.column(0)) else _plain(batch)
        if plain is None:
            sentence = "A column of the table has a type that CSV cannot hold; write Parquet instead."
            plain = quietly(lambda: _csv_bytes(batch, "needed"), sentence)
        self._handle.write(plain)

    def close(self) -> None:
        """Do nothing: a CSV file needs no end, and the handle stays open."""

    def abandon(self) -> None:
        """Do nothing: there is nothing to let go of."""


def decoded(batch: Any) -> Any:
    """Return the batch with plain values in place of dictionaries."""
    import pyarrow as pa

    columns = [
        column.dictionary_decode() if pa.types.is_dictionary(column.type) else column for column in batch.columns
    ]
    return pa.RecordBatch.from_arrays(columns, batch.schema.names)


def _has_empty(column: Any) -> bool:
    import pyarrow as pa
    import pyarrow.compute as pc

    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    return column.null_count > 0 or (is_text and bool(pc.any(pc.equal(column, "")).as_py()))


def _plain(batch: Any) -> Any:
    """The lines without quotation marks, or None where a value needs them."""
    import pyarrow as pa

    written = None
    with suppress(pa.ArrowException):
        written = _csv_bytes(batch, "none")
    # Arrow lets carriage returns pass, which many readers take for the end of a line.
    if written is not None and (np.frombuffer(written, dtype=np.uint8) == ord("\r")).any():
        return None
    return written


def _csv_bytes(batch: Any, quoting: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    sink = pa.BufferOutputStream()
    arrow_csv.write_csv(batch, sink, arrow_csv.WriteOptions(include_header=False, quoting_style=quoting))
    return sink.getvalue()


Progress = Callable[[int], None]
"""Called with the number of rows that are done."""
