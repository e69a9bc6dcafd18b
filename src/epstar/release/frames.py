"""DataFrames of pandas, polars and Arrow as Arrow tables, and back into what they were (through narwhals)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from epstar.errors import InvalidInput
from epstar.extras import required
from epstar.release.histogram import Read
from epstar.release.table import quietly

_NAMES = "The columns of a DataFrame need different names that are texts; rename them."
_SENTENCE = "The DataFrame holds a column that cannot be read as one kind of values; convert it, or leave it out."


def is_frame(given: object) -> bool:
    """Whether something is no name of a file, and so may be a DataFrame."""
    return given is not None and not isinstance(given, str | bytes | Path) and not hasattr(given, "__fspath__")


def arrow_of(frame: Any) -> Any:
    """Return a DataFrame as an Arrow table, without an index and without metadata.

    Raises:
        InvalidInput: if it is no DataFrame, or has columns that Arrow cannot hold or whose names are no texts.
        MissingExtra: if narwhals is not installed.
    """
    import pyarrow as pa

    names = list(_known(frame).columns)
    if not all(isinstance(name, str) for name in names) or len(set(names)) != len(names):
        raise InvalidInput(_NAMES)
    table = quietly(lambda: _known(frame).to_arrow().select(names), _SENTENCE)
    return pa.table(dict(zip(names, table.columns, strict=True))) if names else table


def like(frame: Any, table: Any) -> Any:
    """Return an Arrow table as the kind of DataFrame that another is; one of pandas keeps its index."""
    narwhals = required("narwhals", "DataFrames are read with")
    known = _known(frame)
    made = narwhals.from_arrow(table, backend=known.implementation).to_native()
    if known.implementation.is_pandas():
        made.index = frame.index
    return made


def reader_of(frame: Any) -> tuple[Read, list[str]]:
    """Return what yields the batches of a DataFrame, and the names of its columns."""
    table = arrow_of(frame)

    def read(names: Sequence[str]) -> Iterator[Any]:
        for name in names:
            if name not in table.column_names:
                raise InvalidInput(f"The DataFrame has no column {name!r}; check the name.")
        yield from table.select(list(names)).to_batches()

    return read, list(table.column_names)


def _known(frame: Any) -> Any:
    """The DataFrame behind one face."""
    narwhals = required("narwhals", "DataFrames are read with")
    try:
        return narwhals.from_native(frame, eager_only=True)
    except narwhals.exceptions.DuplicateError:
        reason = _NAMES
    except (TypeError, ValueError):
        reason = (
            "This is neither the name of a file nor a pandas, polars or Arrow DataFrame that is in memory; collect "
            "it first, or write it to a file."
        )
    raise InvalidInput(reason)
