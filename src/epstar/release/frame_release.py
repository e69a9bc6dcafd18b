"""Releasing a DataFrame that is in memory: the same kernel as for files, and the same kind of DataFrame back."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

from epstar.errors import detached
from epstar.release.column import Column
from epstar.release.counting import Counting
from epstar.release.document import described, with_identifier, write_release
from epstar.release.frames import arrow_of, like
from epstar.release.kernel import Kernel, Layout, RowKeys
from epstar.release.keyed_bits import Different
from epstar.release.settings import Options, Settings
from epstar.release.table import BATCH_ROWS

_NAME = "The DataFrame"


@dataclass(frozen=True)
class FrameRelease:
    """A released DataFrame, its description in the form of a release file, and the columns that were dropped.

    `epstar.release.estimate(released.frame, …, release_file=released.document)` estimates from it.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> done.document["schema"], done.dropped
    ('epstar/release/1', ())
    """

    frame: Any
    document: dict[str, Any]
    dropped: tuple[str, ...]


def release_frame(frame: Any, columns: Column | Sequence[Column], **options: Unpack[Options]) -> FrameRelease:
    """Return a pandas, polars or Arrow DataFrame with the chosen columns sampled from their mechanisms.

    The options are those of `Settings`. A ledger knows a DataFrame by its columns and values.

    Raises:
        InvalidInput: if something does not fit, or the DataFrame holds an undeclared value; no value is named.
        NoEntropy: if the operating system gives no random key.
        MissingExtra: if narwhals is not installed.

    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, release_frame
    >>> people = pandas.DataFrame({"smoker": ["yes", "no", "no", "no"] * 500})
    >>> done = release_frame(people, Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=2))
    >>> len(done.frame), sorted(set(done.frame["smoker"]))
    (2000, ['no', 'yes'])
    """
    with detached():
        settings, given = Settings(columns, **options), arrow_of(frame)
        found = FrameKernel.of(settings, given)
        counting = Counting.of(settings, found.description, found.kernel.keys)
        counted = counting.of_tables([digest_of_table(given)], _NAME)
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
    def of(cls, settings: Settings, given: Any) -> FrameKernel:
        """Return the kernel for an Arrow table, after checking that its types fit."""
        layout = Layout.of(_NAME, given.schema, settings)
        kernel = Kernel(tuple(column.prepared() for column in settings.filled), layout)
        kernel.check()
        description = described(kernel.prepared)
        if settings.key is None or settings.identifier is None:
            return cls(kernel, description)
        keys = RowKeys.found(settings.key, settings.identifier, description, [kernel])[0]
        return cls(replace(kernel, keys=keys), with_identifier(description, settings.identifier))

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
