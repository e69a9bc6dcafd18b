"""A mechanism in a CSV file: rows of probabilities, with or without labels around them."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from epstar.cli.rows import read_rows
from epstar.errors import InvalidInput
from epstar.mechanism import Mechanism
from epstar.universe import Alphabet


def read_matrix(name: str) -> Mechanism:
    """Return the mechanism in a CSV file, one row for each input.

    If its first cell is empty, the rest of the first row labels the outputs and the first column the inputs. Rows of
    decimals that sum to one up to their rounding are taken as floats; all others are exact.

    Raises:
        InvalidInput: if the file cannot be read, or does not hold a mechanism.
    """
    rows = read_rows(name)
    universe = outputs = None
    if rows[0][0] == "" and len(rows) > 1:
        outputs, universe = rows[0][1:], Alphabet([row[0] for row in rows[1:]])
        rows = [row[1:] for row in rows[1:]]
    try:
        return Mechanism(rows, universe, outputs)
    except InvalidInput:
        rounded = _decimals(rows)
        if rounded is None:
            raise
    return Mechanism(rounded, universe, outputs)


def _decimals(rows: list[list[str]]) -> list[list[Decimal]] | None:
    try:
        return [[Decimal(cell) for cell in row] for row in rows]
    except InvalidOperation:
        return None
