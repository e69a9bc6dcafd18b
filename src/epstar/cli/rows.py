"""Rows of a CSV file, as texts."""

from __future__ import annotations

import csv
from pathlib import Path

from epstar.errors import InvalidInput


def read_rows(name: str) -> list[list[str]]:
    """Return the rows of a CSV file without those that are empty, and without spaces around the cells.

    Raises:
        InvalidInput: if the file cannot be read, or holds nothing.
    """
    try:
        with Path(name).open(encoding="utf-8-sig", newline="") as handle:
            rows = [[cell.strip() for cell in row] for row in csv.reader(handle) if any(map(str.strip, row))]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text in CSV"
        raise InvalidInput(f"{name} cannot be read: {reason}.") from None
    if not rows:
        raise InvalidInput(f"{name} is empty; write a row of numbers for each input.")
    return rows
