"""A figure or a table of a paper as columns of numbers that can be computed, written and drawn."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from epstar.errors import InvalidInput

Columns: TypeAlias = Callable[[], Mapping[str, list[float]]]


@dataclass(frozen=True)
class Figure:
    """One figure or table: `columns` computes its numbers, of which `x` names the horizontal axis.

    The numbers come from proven answers wherever the paper plots an optimum; a column that evaluates a printed
    formula says so in its name. What follows the last comma of a name is its subject: columns of one subject belong
    together. `logarithmic` names the axes ("x", "y", "xy") with that scale; a figure whose `rows` have names is a
    table.
    """

    key: str
    title: str
    columns: Columns
    x: str
    xlabel: str
    ylabel: str
    notes: str = ""
    logarithmic: str = ""
    rows: tuple[str, ...] = ()

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.key.partition(":")[0]

    def data(self) -> dict[str, list[float]]:
        """Return the columns after checking that they have equal lengths and that the horizontal one is among them.

        Raises:
            InvalidInput: if the figure is malformed.
        """
        columns = {name: list(values) for name, values in _computed(self.columns).items()}
        if self.x not in columns:
            raise InvalidInput(f"{self.key} has no column {self.x!r} for its horizontal axis; name one that it has.")
        if len({len(column) for column in columns.values()}) != 1:
            raise InvalidInput(f"The columns of {self.key} have different lengths; give one number for each row.")
        if self.rows and len(self.rows) != len(columns[self.x]):
            raise InvalidInput(f"{self.key} names {len(self.rows)} of its {len(columns[self.x])} rows; name them all.")
        return columns


@lru_cache(maxsize=64)
def _computed(columns: Columns) -> Mapping[str, list[float]]:
    """The numbers of a figure, which is written and drawn several times, computed once."""
    return columns()


def write_csv(figure: Figure, path: str | Path) -> None:
    """Write the numbers with one named column each, in full precision."""
    columns = figure.data()
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(float(value)) for value in row] for row in zip(*columns.values(), strict=True))
