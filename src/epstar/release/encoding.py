"""Between the values of Arrow columns and positions in an alphabet.

Messages name columns, never values: what stands in the table is private.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.mechanism import AnyMechanism
from epstar.release.bins import Bins, numbers
from epstar.release.categories import Categories
from epstar.release.column import Column
from epstar.release.sampler import Codes
from epstar.universe import Label


def code_type(size: int) -> type[np.unsignedinteger[Any]]:
    """Return the narrowest unsigned type that holds the positions 0 to size - 1."""
    return np.uint8 if size <= 1 << 8 else np.uint16 if size <= 1 << 16 else np.uint32


def labels_of(mechanism: AnyMechanism) -> tuple[Label, ...] | range:
    """Return the answers of a mechanism as they are written into a table: those of a block design are numbers."""
    return mechanism.outputs if isinstance(mechanism.outputs, range) else tuple(mechanism.outputs)


def text_of(label: Label) -> str:
    """Return an output label as it is written into a table: merged labels are joined by a bar."""
    return " | ".join(text_of(part) for part in label) if isinstance(label, tuple) else str(label)


def typed(labels: Sequence[Label], kind: Any) -> Any:
    """Return labels as an Arrow array of the type of a column, or None if it cannot hold them.

    Numbers and truth values are declared as such. Dates and decimals are declared as texts, written as Arrow writes
    them ("2026-01-31"), so that a CSV file holds the same labels.
    """
    import pyarrow as pa

    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return pa.array([text_of(label) for label in labels], type=kind)
    if pa.types.is_temporal(kind) or pa.types.is_decimal(kind):
        texts = [label for label in labels if isinstance(label, str)]
        if len(texts) == len(labels):
            with suppress(pa.ArrowInvalid, pa.ArrowNotImplementedError):
                values = pa.array(texts, pa.string()).cast(kind)
                return values if values.cast(pa.string()).to_pylist() == texts else None
        return None
    is_boolean = pa.types.is_boolean(kind)
    fitting = [label for label in labels if isinstance(label, int | float) and isinstance(label, bool) == is_boolean]
    if (is_boolean or pa.types.is_integer(kind) or pa.types.is_floating(kind)) and len(fitting) == len(labels):
        with suppress(pa.ArrowInvalid, OverflowError):
            return pa.array(fitting, type=kind)
    return None


def _example(kind: Any) -> str:
    """A date as a column of this type writes it, so that it can be declared in the same way."""
    import pyarrow as pa

    if not pa.types.is_timestamp(kind):
        return "2026-01-31"
    moment = pa.array(["2026-01-31 00:00:00"]).cast(pa.timestamp(kind.unit)).cast(kind)
    return str(moment.cast(pa.string())[0])


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _holds_numbers(kind: Any) -> bool:
    import pyarrow as pa

    return _is_text(kind) or any(
        is_kind(kind) for is_kind in (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal)
    )


@dataclass(frozen=True)
class Coder:
    """Reads one column of values as positions among its categories."""

    name: str
    categories: Categories
    empty_is_missing: bool = False

    def check(self, kind: Any) -> None:
        """Raise unless a column of this Arrow type can hold the categories.

        Raises:
            InvalidInput: if it cannot.
        """
        import pyarrow as pa

        plain = kind.value_type if pa.types.is_dictionary(kind) else kind
        if self.categories.bins is None:
            self._labels_as(plain)
        elif not _holds_numbers(plain):
            raise InvalidInput(f"Column {self.name!r} is of type {plain}, which has no numbers to put into bins.")

    def positions(self, values: Any) -> NDArray[np.int32]:
        """Return the position of each value of an Arrow array.

        Raises:
            InvalidInput: if a value is unknown or missing and no category was declared for such values, or
                the type of the column cannot hold the categories.
        """
        return self._checked(self.found(values))

    def bad(self, values: Any) -> NDArray[np.bool_]:
        """Return which values are unknown or missing, and have no category for that."""
        found = self.found(values)
        # Unknown values are bad where nothing takes them; missing ones stand below them.
        is_bad: NDArray[np.bool_] = found < (0 if self.categories.other is None else -1)
        return is_bad

    def found(self, values: Any) -> NDArray[np.int32]:
        """Return positions, with -1 for unknown values and -2 for missing ones that have no category."""
        import pyarrow as pa

        if self.categories.bins is not None:
            return self._binned(values, self.categories.bins)
        if pa.types.is_dictionary(values.type) and values.dictionary.null_count == 0:
            # Only the few distinct values are compared; an unused one does no harm.
            known = self._found(values.dictionary)
            indices = values.indices.fill_null(len(known)) if values.null_count else values.indices
            missing = self.categories.position(self.categories.missing)
            places = np.append(known, np.int32(missing if missing >= 0 else -2))
            taken: NDArray[np.int32] = places.take(indices.to_numpy())
            return taken
        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if pa.types.is_string_view(values.type):
            values = values.cast(pa.string())  # Arrow cannot look up the other kind of text
        return self._found(values)

    def _binned(self, values: Any, bins: Bins) -> NDArray[np.int32]:
        """Positions among bins, with -1 for what lies outside and -2 for missing numbers that have no category."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_dictionary(values.type):
            values = values.dictionary_decode()
        if self.empty_is_missing:
            values = pc.if_else(pc.equal(values, ""), pa.scalar(None, values.type), values)
        found = numbers(values)
        positions = bins.positions(found)
        missing = self.categories.position(self.categories.missing)
        absent = values.is_null(nan_is_null=True).to_numpy(zero_copy_only=False).astype(np.bool_)
        positions[absent] = missing if missing >= 0 else -2
        return positions

    def _found(self, values: Any) -> NDArray[np.int32]:
        """Positions, with -1 for unknown values and -2 for missing ones that have no category."""
        import pyarrow.compute as pc

        found = pc.index_in(values, value_set=self._labels_as(values.type))
        # A column without unknown values is already what is wanted, and is not copied.
        if found.null_count == 0:
            known: NDArray[np.int32] = found.to_numpy()
            return known
        positions: NDArray[np.int32] = found.fill_null(-1).to_numpy().copy()
        # Some programs write a missing number as one that is none.
        absent = values.is_null(nan_is_null=True)
        if self.empty_is_missing and "" not in self.categories.labels:
            absent = pc.or_kleene(absent, pc.equal(values, ""))
        missing = self.categories.position(self.categories.missing)
        positions[absent.to_numpy(zero_copy_only=False).astype(np.bool_)] = missing if missing >= 0 else -2
        return positions

    def _checked(self, found: NDArray[np.int32]) -> NDArray[np.int32]:
        lowest = int(found.min(initial=0))
        if lowest == -2:
            raise InvalidInput(f"Column {self.name!r} has a missing value; declare a category for it with `missing`.")
        if lowest == -1:
            other = self.categories.position(self.categories.other)
            if other < 0:
                raise InvalidInput(
                    f"Column {self.name!r} has a value that is not among its declared categories; declare "
                    "it, or a category for all such values with `other`, or bins for a column of numbers."
                )
            found = np.where(found < 0, np.int32(other), found)
        return found

    def _labels_as(self, kind: Any) -> Any:
        """The labels as an Arrow array of the type of the column."""
        import pyarrow as pa

        found = typed(self.categories.labels, pa.string() if pa.types.is_string_view(kind) else kind)
        if found is None:
            raise InvalidInput(
                f"Column {self.name!r} is of type {kind}, which cannot hold its declared categories; declare "
                f"texts for text, numbers for numbers and dates as {_example(kind)}, or convert the column."
            )
        return found


@dataclass(frozen=True)
class Joint:
    """Reads the columns of one mechanism as positions in their joint alphabet, and writes its outputs."""

    column: Column
    outputs: tuple[Label, ...] | range
    empty_is_missing: bool = False

    def __post_init__(self) -> None:
        count = len(self.column.names)
        if isinstance(self.outputs, range) and count == 1:
            return  # numbers that are their own places
        if count > 1 and any(not isinstance(label, tuple) or len(label) != count for label in self.outputs):
            raise InvalidInput(
                f"The outputs for the columns {', '.join(self.column.names)} are not tuples of {count} "
                "labels, so they cannot be written into those columns; release the columns one by one."
            )
        if count == 1 and len(set(map(text_of, self.outputs))) != len(self.outputs):
            raise InvalidInput(
                f"Two outputs for column {self.column.names[0]!r} look the same when written; relabel them."
            )

    def codes(self, values: list[Any]) -> Codes:
        """Return the position of each row in the joint alphabet, from one Arrow array for each column."""
        total: NDArray[np.int32] | None = None
        for name, categories, array in zip(self.column.names, self.column.categories, values, strict=True):
            positions = Coder(name, categories, self.empty_is_missing).positions(array)
            total = positions if total is None else total * np.int32(len(categories.labels)) + positions
        assert total is not None
        return total.astype(code_type(self.column.size))

    @cached_property
    def written(self) -> list[list[Label]]:
        """For each column the label that each output writes into it."""
        if len(self.column.names) == 1:
            return [list(self.outputs)]
        tuples = [label for label in self.outputs if isinstance(label, tuple)]
        return [list(part) for part in zip(*tuples, strict=True)]

    def kind(self, place: int, given: Any) -> Any:
        """Return the Arrow type of a released column: the one it had, unless outputs need text."""
        import pyarrow as pa

        if isinstance(self.outputs, range):
            return pa.int64()
        if self.column.categories[place].bins is not None and not _is_text(given):
            given = pa.float64()
        if pa.types.is_dictionary(given):
            plain = self.kind(place, given.value_type)
            return pa.dictionary(pa.int32(), plain) if _is_text(plain) else plain
        if pa.types.is_large_string(given):
            return given
        is_text = pa.types.is_string(given) or typed(self.written[place], given) is None
        return pa.string() if is_text else given

    def values(self, place: int, codes: Codes, kind: Any) -> Any:
        """Return the released values of one column: text as a dictionary, so that no string is copied."""
        import pyarrow as pa

        if isinstance(self.outputs, range):
            return pa.array(codes.astype(np.uint64, copy=False).view(np.int64))
        labels = self.written[place]
        if pa.types.is_dictionary(kind):
            found = self.values(place, codes, kind.value_type)
            return pa.DictionaryArray.from_arrays(found.indices.cast(pa.int32()), found.dictionary)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return typed(labels, kind).take(pa.array(codes))
        texts = [text_of(label) for label in labels]
        distinct = list(dict.fromkeys(texts))
        if len(distinct) < len(texts):
            places = {text: number for number, text in enumerate(distinct)}
            codes = np.array([places[text] for text in texts], dtype=code_type(len(distinct)))[codes]
        index = pa.array(codes, type=pa.int32()) if codes.dtype != np.uint8 else pa.array(codes)
        return pa.DictionaryArray.from_arrays(index, pa.array(distinct, type=kind))
