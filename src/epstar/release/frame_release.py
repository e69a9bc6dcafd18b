"""Releasing a DataFrame that is in memory: the same kernel as for files, and the same kind of DataFrame back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from epstar.distortion import Distortion
from epstar.errors import InvalidInput, detached
from epstar.exact import Number
from epstar.notions.base import Notion
from epstar.release.column import Column, Prepared, chosen_columns
from epstar.release.counting import Counting
from epstar.release.document import described, write_release
from epstar.release.frames import arrow_of, like
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed import Different, SecretKey
from epstar.release.table import BATCH_ROWS
from epstar.source import Source

_NAME = "The DataFrame"


@dataclass(frozen=True)
class FrameRelease:
    """A released DataFrame, its description in the form of a release file, and the columns that were dropped.

    `epstar.release.estimate(released.frame, …, release_file=released.document)` estimates from it.
    """

    frame: Any
    document: dict[str, Any]
    dropped: tuple[str, ...]


def release_frame(
    frame: Any,
    columns: Column | Sequence[Column],
    *,
    notion: Notion | None = None,
    loss: Number | None = None,
    source: Source | None = None,
    distortion: Distortion | None = None,
    keep: str | Sequence[str] = (),
    keep_others: bool = False,
    key: SecretKey | str | Path | None = None,
    identifier: str | None = None,
    ledger: str | Path | None = None,
    budget: Number | None = None,
    again: bool = False,
) -> FrameRelease:
    """Return a DataFrame of pandas, polars or Arrow with the chosen columns sampled from their mechanisms.

    The arguments are those of `release`. A ledger knows a DataFrame by its columns and values.

    Raises:
        InvalidInput: if something does not fit, or the DataFrame holds an undeclared value; no value is named.
        NoEntropy: if the operating system gives no random key.
        MissingExtra: if narwhals is not installed.
    """
    with detached():
        filled = [column.filled(notion, loss, source, distortion) for column in chosen_columns(columns)]
        given = arrow_of(frame)
        prepared = tuple(column.prepared() for column in filled)
        found = FrameKernel.of(prepared, given, keep, keep_others).keyed(key, identifier)
        counting = Counting.of(ledger, budget, again, found.description, found.kernel.keys)
        counted = counting.of_tables([digest_of_table(given)], filled, _NAME)
        released = found.released(given)
        counted()
        return FrameRelease(
            like(frame, released),
            write_release(found.description, [], list(found.kernel.layout.kept)),
            tuple(found.kernel.layout.dropped),
        )


@dataclass(frozen=True)
class FrameKernel:
    """The kernel for tables of one layout, and what a release file says of it."""

    kernel: Kernel
    description: dict[str, Any]

    @classmethod
    def of(
        cls, prepared: tuple[Prepared, ...], given: Any, keep: str | Sequence[str], keep_others: bool
    ) -> FrameKernel:
        """Return the kernel for an Arrow table, after checking that its types fit."""
        layout = Layout.of(_NAME, given.schema, [item.column for item in prepared], keep, keep_others)
        kernel = Kernel(prepared, layout)
        kernel.check()
        return cls(kernel, described(prepared))

    def keyed(self, key: SecretKey | str | Path | None, identifier: str | None) -> FrameKernel:
        """Return the same with permanent answers, if there is a key."""
        if (key is None) != (identifier is None):
            raise InvalidInput("Permanent answers need a `key` and an `identifier`, and one of them is missing.")
        if key is None or identifier is None:
            return self
        keys = RowKeys.found(key, identifier, self.description, [self.kernel])[0]
        description = {**self.description, "randomness": {"kind": "keyed", "identifier": identifier}}
        return FrameKernel(replace(self.kernel, keys=keys), description)

    def released(self, given: Any) -> Any:
        """Return the released rows of an Arrow table.

        Raises:
            InvalidInput: if it holds a value that was not declared, or an identifier twice.
        """
        import pyarrow as pa

        keys = self.kernel.keys
        different = None if keys is None else Different(keys.columns[0])
        batches = []
        for batch in given.select(self.kernel.needed).to_batches(max_chunksize=BATCH_ROWS):
            if different is not None and keys is not None:
                different.add(batch.column(keys.identifier))
            batches.append(self.kernel.apply(batch))
        if different is not None and keys is not None:
            different.check(keys.identifier)
        if not batches:
            return self.kernel.schema.empty_table()
        return pa.Table.from_batches(batches).cast(self.kernel.schema)


def digest_of_table(given: Any) -> str:
    """Return the SHA-256 of the columns and values of an Arrow table, however they are chunked."""
    import pyarrow as pa

    plain = []
    for column in given.columns:
        decoded = column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column
        # Texts have several forms in Arrow, which differ in nothing else.
        plain.append(decoded.cast(pa.large_string()) if _is_text(decoded.type) else decoded)
    table = pa.table(dict(zip(given.column_names, plain, strict=True))).combine_chunks()
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
