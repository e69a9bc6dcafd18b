"""A figure or a table of a paper as columns of numbers that can be computed, written and drawn."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import isfinite, nan
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
    table. `jumps` says where a column jumps: the row at such a place holds the value, and the row just before it the
    limit from the left.

    >>> from epstar_papers import Figure
    >>> line = Figure("mine:1", "A line", lambda: {"x": [0.0, 1.0], "y": [1.0, 0.0]}, "x", "distortion", "loss")
    >>> line.columns()["y"]
    [1.0, 0.0]
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
    jumps: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

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
        for name, places in self.jumps.items():
            if name not in columns or not set(places) <= set(columns[self.x][1:]):
                raise InvalidInput(f"{self.key} says where {name!r} jumps; give it a row there and one just before.")
        return columns

    def lines(self) -> dict[str, Line]:
        """Return each column but the horizontal one as a line, which is broken at jumps and where it is infinite."""
        columns = self.data()
        places = columns.pop(self.x)
        return {name: self._line(places, values, self.jumps.get(name, ())) for name, values in columns.items()}

    def _line(self, places: Sequence[float], values: Sequence[float], jumps: Sequence[float]) -> Line:
        line = Line([], [], [])
        for number, (place, value) in enumerate(zip(places, values, strict=True)):
            if place in jumps:
                before = values[number - 1]
                line.places.extend((place, place))
                line.values.extend((before, nan))
                line.jumps.append((place, before, value))
            line.places.append(place)
            line.values.append(value if isfinite(value) else nan)
        return line


@dataclass(frozen=True)
class Line:
    """The points of a line, with "not a number" where the pen is lifted, and its jumps: place, limit and value."""

    places: list[float]
    values: list[float]
    jumps: list[tuple[float, float, float]]


@lru_cache(maxsize=64)
def _computed(columns: Columns) -> Mapping[str, list[float]]:
    """The numbers of a figure, which is written and drawn several times, computed once."""
    return columns()


def write_csv(figure: Figure, path: str | Path) -> None:
    """Write the numbers with one named column each, in full precision.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from epstar_papers import Figure, write_csv
    >>> line = Figure("mine:1", "A line", lambda: {"x": [0.0, 1.0], "y": [1.0, 0.0]}, "x", "distortion", "loss")
    >>> with TemporaryDirectory() as folder:
    ...     write_csv(line, Path(folder, "line.csv"))
    ...     print(Path(folder, "line.csv").read_text(encoding="utf-8").splitlines())
    ['x,y', '0.0,1.0', '1.0,0.0']
    """
    columns = figure.data()
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(float(value)) for value in row] for row in zip(*columns.values(), strict=True))
