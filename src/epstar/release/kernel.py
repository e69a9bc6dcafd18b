"""From a batch of private rows to a batch of released rows: the one step that touches both.

It is the same wherever the batches come from; each batch and each mechanism gets a key of its own, unless the
rows have streams of their own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.release.column import Prepared
from epstar.release.encoding import Coder, Joint, labels_of
from epstar.release.keyed_bits import ColumnKey, SecretKey, check_identifiers
from epstar.release.settings import Settings
from epstar.release.table import quietly


@dataclass(frozen=True)
class Layout:
    """Which columns of a table are released and which pass through; `given` is the table's Arrow schema."""

    name: str
    released: tuple[str, ...]
    kept: tuple[str, ...]
    given: Any

    @classmethod
    def of(cls, name: str, given: Any, settings: Settings) -> Layout:
        """Return the layout of a table, which is called by its name in messages.

        Raises:
            InvalidInput: if a column does not exist, is released twice, or is both released and kept.
        """
        released, keep, keep_others = settings.names, settings.keep, settings.keep_others
        wanted = [keep] if isinstance(keep, str) else list(keep) if isinstance(keep, Sequence) else [None]
        if not all(isinstance(part, str) for part in wanted):
            raise InvalidInput("Columns are kept by their names; give `keep` a list of texts.")
        if wanted and keep_others:
            raise InvalidInput("All other columns are kept, and some by name; give `keep` or `keep_others`, not both.")
        for part in [*released, *wanted]:
            if part not in given.names:
                raise InvalidInput(
                    f"{name} has no column {part!r}; check the name, and that a CSV file separates columns by commas."
                )
        if len(set(released)) != len(released):
            raise InvalidInput("A column is released twice; name each column once.")
        if set(wanted) & set(released):
            raise InvalidInput("A column is both released and kept; a private column cannot pass through.")
        kept = [part for part in given.names if part not in released and (keep_others or part in wanted)]
        for secret in settings.secrets:
            if secret in kept:
                raise InvalidInput(
                    f"The column {secret!r} is what should stay secret, and would pass through; drop it, or release it "
                    "in a joint column."
                )
        return cls(name, tuple(released), tuple(kept), given)

    @property
    def dropped(self) -> list[str]:
        """The columns that do not get out, in the order of the table."""
        return [name for name in self.given.names if name not in self.names]

    @cached_property
    def names(self) -> list[str]:
        """The columns of the result, in the order of the table."""
        return [name for name in self.given.names if name in self.released or name in self.kept]

    @property
    def released_texts(self) -> list[str]:
        """The released columns that hold text: they may be read as dictionaries."""
        import pyarrow as pa

        kinds = {name: self.given.field(name).type for name in self.released}
        return [name for name, kind in kinds.items() if pa.types.is_string(kind) or pa.types.is_large_string(kind)]


@dataclass(frozen=True)
class RowKeys:
    """The column that tells rows apart, and for each released column the key of its rows' streams."""

    identifier: str
    columns: tuple[ColumnKey, ...]

    @classmethod
    def of(cls, key: SecretKey, identifier: str, description: Mapping[str, Any], layout: Layout) -> RowKeys:
        """Return the keys of the columns that a release file describes.

        Raises:
            InvalidInput: if the table has no such column to tell rows by, or it is released.
        """
        if not isinstance(identifier, str) or identifier not in layout.given.names or identifier in layout.released:
            raise InvalidInput(
                f"{layout.name} has no column {identifier!r} that is not released; name one that tells rows apart."
            )
        check_identifiers(layout.given.field(identifier).type)
        # All that decides what an answer is: with another mechanism or alphabet the bits are unrelated.
        decisive = [
            {part: entry[part] for part in ("names", "categories", "mechanism")} for entry in description["columns"]
        ]
        return cls(identifier, tuple(key.for_column(json.dumps(entry, sort_keys=True)) for entry in decisive))

    @staticmethod
    def found(
        key: SecretKey | str | Path, identifier: str, description: Mapping[str, Any], kernels: Sequence[Kernel]
    ) -> list[RowKeys]:
        """Return the keys for each of some kernels, from a key or the file of one.

        Raises:
            InvalidInput: if answers cannot be permanent, or the key cannot be read.
        """
        binned = [part.bins for item in kernels[0].prepared for part in item.column.categories if part.bins is not None]
        if any(bins.rounding == "random" for bins in binned):
            raise InvalidInput(
                "Numbers that are rounded at random are new in every release; take bins for permanent answers."
            )
        # Whether the columns are there is looked at before a key is made.
        for kernel in kernels:
            RowKeys.of(SecretKey(bytes(32)), identifier, description, kernel.layout)
        secret = key if isinstance(key, SecretKey) else SecretKey.at(key)
        return [RowKeys.of(secret, identifier, description, kernel.layout) for kernel in kernels]


@dataclass(frozen=True)
class Kernel:
    """Samples the released columns of record batches of one layout.

    With `empty_is_missing` an empty text is a missing value: a CSV file has no other way to write one. With `keys`
    the answer of a row depends on its identifier and its value alone.
    """

    prepared: tuple[Prepared, ...]
    layout: Layout
    empty_is_missing: bool = False
    keys: RowKeys | None = None

    @property
    def needed(self) -> list[str]:
        """The columns that are read: those of the result, and the one that tells rows apart."""
        extra = [] if self.keys is None or self.keys.identifier in self.layout.names else [self.keys.identifier]
        return [*self.layout.names, *extra]

    @cached_property
    def _joints(self) -> list[Joint]:
        return [Joint(item.column, labels_of(item.plan.mechanism), self.empty_is_missing) for item in self.prepared]

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
        sentence = f"{self.layout.name} holds values that cannot be processed; check its types."
        return quietly(lambda: self._applied(batch), sentence)

    def _applied(self, batch: Any) -> Any:
        import pyarrow as pa

        columns = {name: batch.column(name) for name in self.layout.kept}
        for number, (item, joint) in enumerate(zip(self.prepared, self._joints, strict=True)):
            given = [batch.column(name) for name in joint.column.names]
            codes = joint.codes(given)
            bits = None
            if self.keys is not None:
                bits = self.keys.columns[number].streams(batch.column(self.keys.identifier), codes)
            drawn = item.plan.sampler.sample(codes, bits)
            for place, name in enumerate(joint.column.names):
                columns[name] = joint.values(place, drawn, self.schema.field(name).type)
        return pa.RecordBatch.from_arrays([columns[name] for name in self.layout.names], self.layout.names)
