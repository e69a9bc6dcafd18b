"""Writers of record batches: CSV as text, Parquet and Arrow files."""

from __future__ import annotations

import base64
import csv
import io
from contextlib import suppress
from typing import Any, BinaryIO

import numpy as np

from epstar.release.format import Format
from epstar.release.table import quietly


def open_writer(handle: BinaryIO, wanted: Format, schema: Any) -> ParquetWriter | CsvWriter | ArrowWriter:
    """Return a writer of record batches of the given schema."""
    if wanted.kind == "parquet":
        return ParquetWriter(handle, schema)
    return CsvWriter(handle, schema, wanted) if wanted.kind == "csv" else ArrowWriter(handle, schema)


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

    def __init__(self, handle: BinaryIO, schema: Any, wanted: Format) -> None:
        self._handle, self._wanted = handle, wanted
        line = io.StringIO()
        csv.writer(line, lineterminator="\n", delimiter=wanted.separator).writerow(schema.names)
        self._put(line.getvalue().encode())

    def _put(self, content: Any) -> None:
        """Write some bytes; compressed ones are complete streams, which one after the other are one stream."""
        import pyarrow as pa

        if self._wanted.compression is not None:
            content = pa.Codec(self._wanted.compression).compress(content)
        self._handle.write(content)

    def write(self, batch: Any) -> None:
        """Write one batch."""
        # Arrow writes plain text faster than dictionaries, even with the time it takes to decode them.
        batch = decoded(batch)
        # A line with one empty field would be an empty line, which readers pass over.
        plain = (
            None if batch.num_columns == 1 and _has_empty(batch.column(0)) else _plain(batch, self._wanted.separator)
        )
        if plain is None:
            sentence = "A column of the table has a type that CSV cannot hold; write Parquet instead."
            plain = quietly(lambda: _csv_bytes(batch, "needed", self._wanted.separator), sentence)
        self._put(plain)

    def close(self) -> None:
        """Do nothing: a CSV file needs no end, and the handle stays open."""

    def abandon(self) -> None:
        """Do nothing: there is nothing to let go of."""


class ArrowWriter:
    """Writes batches into an Arrow file, in which dictionaries become what they stand for."""

    def __init__(self, handle: BinaryIO, schema: Any) -> None:
        import pyarrow as pa

        plain = [
            (field.name, field.type.value_type if pa.types.is_dictionary(field.type) else field.type)
            for field in schema
        ]
        self._schema = pa.schema(plain)
        self._writer = pa.ipc.new_file(handle, self._schema)

    def write(self, batch: Any) -> None:
        """Write one batch."""
        self._writer.write_batch(decoded(batch).cast(self._schema))

    def close(self) -> None:
        """Write the end of the file; the handle stays open."""
        self._writer.close()

    def abandon(self) -> None:
        """Let go of a file that will be thrown away, before its handle is closed."""
        import pyarrow as pa

        with suppress(pa.ArrowException, OSError, ValueError):
            self._writer.close()


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


def _plain(batch: Any, separator: str) -> Any:
    """The lines without quotation marks, or None where a value needs them."""
    import pyarrow as pa

    written = None
    with suppress(pa.ArrowException):
        written = _csv_bytes(batch, "none", separator)
    # Arrow lets carriage returns pass, which many readers take for the end of a line.
    if written is not None and (np.frombuffer(written, dtype=np.uint8) == ord("\r")).any():
        return None
    return written


def _csv_bytes(batch: Any, quoting: str, separator: str) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    sink = pa.BufferOutputStream()
    arrow_csv.write_csv(
        batch, sink, arrow_csv.WriteOptions(include_header=False, quoting_style=quoting, delimiter=separator)
    )
    return sink.getvalue()
