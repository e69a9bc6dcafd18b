"""Writers of record batches: CSV as text, Parquet and Arrow files."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
from contextlib import suppress
from itertools import product
from math import prod
from typing import Any, BinaryIO

import numpy as np

from epstar.release.format import Format
from epstar.release.table import quietly

# Different lines, or lines after one another, that are written once and looked up; more leave the cache.
_LINES = 1 << 12


class Digested(io.RawIOBase):
    """A file to which bytes are appended, and the SHA-256 of all of them: nobody has to read them again for it."""

    def __init__(self, handle: BinaryIO) -> None:
        super().__init__()
        self._handle, self._digest = handle, hashlib.sha256()

    def write(self, content: Any) -> int:
        """Append some bytes."""
        self._digest.update(content)
        return self._handle.write(content)

    def tell(self) -> int:
        """Return how many bytes there are."""
        return self._handle.tell()

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def hexdigest(self) -> str:
        """Return the digest of what was written so far."""
        return self._digest.hexdigest()


def open_writer(handle: Any, wanted: Format, schema: Any) -> ParquetWriter | CsvWriter | ArrowWriter:
    """Return a writer of record batches of the given schema."""
    if wanted.kind == "parquet":
        return ParquetWriter(handle, schema)
    return CsvWriter(handle, schema, wanted) if wanted.kind == "csv" else ArrowWriter(handle, schema)


class ParquetWriter:
    """Writes batches as row groups; text may come as dictionaries and is still declared as text."""

    def __init__(self, handle: Any, schema: Any) -> None:
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
    """Writes batches as text, with quotation marks only where lines or batches need them."""

    def __init__(self, handle: Any, schema: Any, wanted: Format) -> None:
        self._handle, self._wanted = handle, wanted
        self._lines = Lines(wanted.separator)
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
        lines = self._lines.of(batch)
        if lines is not None:
            for part in lines:
                self._put(part)
            return
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


class Lines:
    """The lines of rows of which there are few different ones: each is written once, and looked up."""

    def __init__(self, separator: str) -> None:
        self._separator = separator
        self._dictionaries: list[Any] = []
        self._single: Any = None
        self._several: Any = None
        self._together = 1

    def of(self, batch: Any) -> list[Any] | None:
        """Return the lines of a batch in pieces, or None where values are no dictionaries of texts, or too many."""
        import pyarrow as pa

        columns = batch.columns
        if not all(pa.types.is_dictionary(part.type) and part.null_count == 0 for part in columns):
            return None
        dictionaries = [part.dictionary for part in columns]
        if not all(pa.types.is_string(part.type) for part in dictionaries) or prod(map(len, dictionaries)) > _LINES:
            return None
        if len(dictionaries) != len(self._dictionaries) or not all(
            map(pa.Array.equals, dictionaries, self._dictionaries)
        ):
            self._learn(dictionaries)
        places = columns[0].indices.to_numpy().astype(np.uint16, copy=False)
        for part in columns[1:]:
            places = places * np.uint16(len(part.dictionary)) + part.indices.to_numpy().astype(np.uint16, copy=False)
        together, size = self._together, np.uint16(len(self._single))
        whole = len(places) // together * together
        groups = places[:whole:together]
        for number in range(1, together):
            groups = groups * size + places[number:whole:together]
        return [_bytes(self._several.take(pa.array(groups))), _bytes(self._single.take(pa.array(places[whole:])))]

    def _learn(self, dictionaries: list[Any]) -> None:
        """Write the lines of all rows, and of as many rows after one another as there is place for."""
        import pyarrow as pa

        is_alone = len(dictionaries) == 1
        fields = ([self._field(text, is_alone) for text in part.to_pylist()] for part in dictionaries)
        lines = [self._separator.join(row) + "\n" for row in product(*fields)]
        self._together = 1
        while max(2, len(lines)) ** (self._together + 1) <= _LINES:
            self._together += 1
        self._dictionaries, self._single = dictionaries, pa.array(lines, pa.string())
        self._several = pa.array(map("".join, product(lines, repeat=self._together)), pa.string())

    def _field(self, text: str, is_alone: bool) -> str:
        # A line with one empty field would be an empty line, which readers pass over.
        if (is_alone and not text) or any(sign in text for sign in (self._separator, '"', "\r", "\n")):
            return '"' + text.replace('"', '""') + '"'
        return text


def _bytes(texts: Any) -> Any:
    """All texts one after the other, as which they lie in memory."""
    first, last = texts.offset, texts.offset + len(texts)
    ends = np.frombuffer(texts.buffers()[1], dtype=np.int32)
    return texts.buffers()[2].slice(int(ends[first]), int(ends[last] - ends[first]))


class ArrowWriter:
    """Writes batches into an Arrow file, where a column of dictionaries has one dictionary that grows by new values."""

    def __init__(self, handle: Any, schema: Any) -> None:
        import pyarrow as pa

        self._schema = schema
        options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
        self._writer = pa.ipc.new_file(handle, schema, options=options)
        self._known: dict[str, Any] = {}

    def write(self, batch: Any) -> None:
        """Write one batch."""
        import pyarrow as pa

        def typed() -> Any:
            columns = [
                self._coded(field, part)
                if pa.types.is_dictionary(field.type)
                else decoded_column(part).cast(field.type)
                for field, part in zip(self._schema, batch.columns, strict=True)
            ]
            return pa.RecordBatch.from_arrays(columns, schema=self._schema)

        sentence = "A column has more different values than its type can number; write Parquet instead."
        self._writer.write_batch(quietly(typed, sentence))

    def _coded(self, field: Any, column: Any) -> Any:
        """The column with the dictionary of all batches so far, in which a value stands only if some row has it."""
        import pyarrow as pa
        import pyarrow.compute as pc

        known = self._known.get(field.name, pa.array([], field.type.value_type))
        own = column.dictionary.cast(field.type.value_type)
        used = own.take(column.indices.unique().drop_null())
        known = pa.concat_arrays([known, used.filter(pc.invert(pc.is_in(used, value_set=known))).unique()])
        self._known[field.name] = known
        places = pc.index_in(own, value_set=known)
        return pa.DictionaryArray.from_arrays(places.take(column.indices).cast(field.type.index_type), known)

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

    return pa.RecordBatch.from_arrays([decoded_column(column) for column in batch.columns], batch.schema.names)


def decoded_column(column: Any) -> Any:
    """Return a column with plain values in place of a dictionary."""
    import pyarrow as pa

    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


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
