"""Where the values are that no category was declared for: written into a private file, for the owner alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from epstar.errors import InvalidInput
from epstar.release.codes import Coder
from epstar.release.kernel import Kernel
from epstar.release.place import place_of
from epstar.release.whole import plain_errors


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
