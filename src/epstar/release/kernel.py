"""From a batch of private rows to a batch of released rows: the one step that touches both.

It is the same wherever the batches come from; each batch and each mechanism gets a key of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epstar.errors import InvalidInput
from epstar.release.codes import Coder, Joint
from epstar.release.column import Column, Prepared
from epstar.release.table import Table, format_of, quietly


@dataclass(frozen=True)
class Layout:
    """Which columns of a table are released, which pass through, and the types of the result."""

    table: Table
    released: tuple[str, ...]
    kept: tuple[str, ...]
    given: Any

    @classmethod
    def of(cls, table: Table, columns: Sequence[Column], keep: Sequence[str] | None) -> Layout:
        """Return the layout of a table.

        Raises:
            InvalidInput: if a column does not exist, is released twice, or is both released and kept.
        """
        given = table.schema()
        released = [name for column in columns for name in column.names]
        for name in [*released, *(keep or ())]:
            if name not in given.names:
                raise InvalidInput(f"{table.path.name} has no column {name!r}; check the name.")
        if len(set(released)) != len(released):
            raise InvalidInput("A column is released twice; name each column once.")
        if keep is not None and set(keep) & set(released):
            raise InvalidInput("A column is both released and kept; a private column cannot pass through.")
        kept = [name for name in given.names if name not in released and (keep is None or name in keep)]
        return cls(table, tuple(released), tuple(kept), given)

    @cached_property
    def names(self) -> list[str]:
        """The columns of the result, in the order of the table."""
        return [name for name in self.given.names if name in self.released or name in self.kept]

    def batches(self) -> Any:
        """Return the record batches of the columns that are needed, and of no others."""
        import pyarrow as pa

        texts = [
            name
            for name in self.released
            if pa.types.is_string(self.given.field(name).type) or pa.types.is_large_string(self.given.field(name).type)
        ]
        return self.table.batches(self.names, texts)


@dataclass(frozen=True)
class Kernel:
    """Samples the released columns of record batches of one layout."""

    prepared: tuple[Prepared, ...]
    layout: Layout

    @cached_property
    def _joints(self) -> list[Joint]:
        # An empty field of a CSV file is a missing value: the format has no other way to write one.
        from_text = format_of(self.layout.table.path) == "csv"
        return [Joint(item.column, tuple(item.plan.mechanism.outputs), from_text) for item in self.prepared]

    def check(self) -> None:
        """Raise where the columns cannot hold the categories, before anything is read.

        Raises:
            InvalidInput: naming the first such column.
        """
        for joint in self._joints:
            for name, categories in zip(joint.column.names, joint.column.categories, strict=True):
                Coder(name, categories).check(self.layout.given.field(name).type)

    @cached_property
    def schema(self) -> Any:
        """The Arrow schema of the result."""
        import pyarrow as pa

        kinds = {name: self.layout.given.field(name).type for name in self.layout.kept}
        for joint in self._joints:
            for place, name in enumerate(joint.column.names):
                kinds[name] = joint.kind(place, self.layout.given.field(name).type)
        return pa.schema([(name, kinds[name]) for name in self.layout.names])

    def apply(self, batch: Any) -> Any:
        """Return the released batch; every value of a released column is a fresh draw.

        Raises:
            InvalidInput: if the batch holds a value that was not declared.
            NoEntropy: if the operating system gives no random key.
        """
        sentence = f"{self.layout.table.path.name} holds values that cannot be processed; check its types."
        return quietly(lambda: self._applied(batch), sentence)

    def _applied(self, batch: Any) -> Any:
        import pyarrow as pa

        columns = {name: batch.column(name) for name in self.layout.kept}
        for item, joint in zip(self.prepared, self._joints, strict=True):
            codes = joint.codes([batch.column(name) for name in joint.column.names])
            drawn = item.plan.sampler.sample(codes)
            for place, name in enumerate(joint.column.names):
                columns[name] = joint.values(place, drawn, self.schema.field(name).type)
        return pa.RecordBatch.from_arrays([columns[name] for name in self.layout.names], self.layout.names)
