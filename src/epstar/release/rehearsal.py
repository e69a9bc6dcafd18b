"""A dry run of a release: everything is checked and read, and nothing is drawn or written."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO, Unpack

import numpy as np

from epstar.errors import InvalidInput, detached
from epstar.release.atomic_files import plain_errors
from epstar.release.column import Column
from epstar.release.document import write_release
from epstar.release.encoding import Coder
from epstar.release.format import Style
from epstar.release.kernel import Kernel
from epstar.release.pair import name_beside
from epstar.release.place import place_of
from epstar.release.ready import Ready
from epstar.release.release import Release
from epstar.release.settings import Options, Settings
from epstar.release.table import Progress


def rehearse(
    table: str | Path,
    output: str | Path,
    columns: Column | Sequence[Column],
    *,
    force: bool = False,
    separator: str | None = None,
    encoding: str = "utf-8",
    bad_rows: str | Path | None = None,
    progress: Progress | None = None,
    **options: Unpack[Options],
) -> Rehearsal:
    """Return what `release` would do, without a draw and without output: for the eyes of the owner.

    Values that no category was declared for are counted. With `bad_rows` their file, row (the first after the header is
    1) and column are written into that new file, which only its owner may read; the values themselves are not.

    Raises:
        InvalidInput: if something does not fit, there is a key, or a ledger would refuse the release.
        WriteFailed: if the places of bad rows cannot be written.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, rehearse
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     found = rehearse(table, Path(folder, "out.csv"), smoker)
    ...     written = Path(folder, "out.csv").exists()
    >>> found.release.rows, found.bad, written
    (2, 0, False)
    """
    with detached():
        settings = Settings(columns, **options)
        if settings.key is not None:
            raise InvalidInput("A dry run draws nothing; leave `key` and `identifier` out.")
        ready = Ready.of(table, output, Style(separator, encoding), force, settings)
        kept = dict.fromkeys(name for part in ready.parts for name in part.kernel.layout.kept)
        dropped = dict.fromkeys(name for part in ready.parts for name in part.kernel.layout.dropped)
        rows, bad = 0, 0
        with BadRows.into(bad_rows) as places:
            for part in ready.parts:
                before = rows
                for batch in part.table.batches(part.kernel.needed, part.kernel.layout.released_texts):
                    bad += places.add(part.kernel, batch, rows - before)
                    rows += batch.num_rows
                    if progress is not None:
                        progress(rows)
        document = write_release(ready.description, [], list(kept))
        done = Release(ready.target, name_beside(ready.target), rows, document, tuple(dropped))
        return Rehearsal(done, bad)


@dataclass(frozen=True)
class Rehearsal:
    """What would be released, none of which exists, and how many values have no category.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pandas
    >>> from epstar import DifferentialPrivacy
    >>> from epstar.release import Column, rehearse
    >>> smoker = Column("smoker", ["yes", "no"], notion=DifferentialPrivacy(), loss=1)
    >>> with TemporaryDirectory() as folder:
    ...     table = Path(folder, "people.csv")
    ...     pandas.DataFrame({"smoker": ["yes", "no"]}).to_csv(table, index=False)
    ...     found = rehearse(table, Path(folder, "out.csv"), smoker)
    >>> found.bad
    0
    """

    release: Release
    bad: int


class BadRows:
    """Finds values without a category, and writes their places into a file, if there is one."""

    def __init__(self, file: TextIO | None) -> None:
        self._file = file
        if file is not None:
            file.write("file,row,column\n")

    @classmethod
    @contextmanager
    def into(cls, path: str | Path | None) -> Iterator[BadRows]:
        """Give one that writes into a new file which only its owner may read.

        Raises:
            InvalidInput: if there is such a file, or no folder for it.
            WriteFailed: if it cannot be written.
        """
        if path is None:
            yield cls(None)
            return
        place = place_of(path, "The file of bad rows")
        if place.exists() or place.is_symlink() or not place.absolute().parent.is_dir():
            raise InvalidInput("The file of bad rows must be a new one in a folder that exists; give another name.")
        with plain_errors(place):
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file:
                yield cls(file)

    def add(self, kernel: Kernel, batch: Any, before: int) -> int:
        """Return how many values of a batch have no category; `before` rows of the table came before it."""
        count = 0
        for item in kernel.prepared:
            for name, categories in zip(item.column.names, item.column.categories, strict=True):
                bad = Coder(name, categories, kernel.empty_is_missing).bad(batch.column(name))
                count += int(bad.sum())
                if self._file is not None:
                    quoted = '"' + name.replace('"', '""') + '"'
                    for place in np.flatnonzero(bad).tolist():
                        self._file.write(f"{kernel.layout.name},{before + place + 1},{quoted}\n")
        return count
