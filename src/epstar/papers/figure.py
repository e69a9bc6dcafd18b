"""A figure or a table of a paper as columns of numbers that can be computed, written and drawn."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path

from epstar.errors import InvalidInput

# Longer columns are curves; shorter ones read better with their points marked.
_MARKED = 40
_MARKERS = "osD^vP*X<>"


@dataclass(frozen=True)
class Figure:
    """One figure or table: `columns` computes its numbers, of which `x` names the horizontal axis.

    The numbers come from proven answers wherever the paper plots an optimum; a column that evaluates a printed
    formula says so in its name.
    """

    key: str
    title: str
    columns: Callable[[], Mapping[str, list[float]]]
    x: str
    xlabel: str
    ylabel: str
    notes: str = ""

    @property
    def paper(self) -> str:
        """The key of the paper."""
        return self.key.partition(":")[0]

    def data(self) -> dict[str, list[float]]:
        """Return the columns after checking that they have equal lengths and that the horizontal one is among them.

        Raises:
            InvalidInput: if the figure is malformed.
        """
        columns = dict(self.columns())
        if self.x not in columns:
            raise InvalidInput(f"{self.key} has no column {self.x!r} for its horizontal axis; name one that it has.")
        if len({len(column) for column in columns.values()}) != 1:
            raise InvalidInput(f"The columns of {self.key} have different lengths; give one number for each row.")
        return columns


def write_csv(figure: Figure, path: str | Path) -> None:
    """Write the numbers with one named column each, in full precision."""
    columns = figure.data()
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([repr(float(value)) for value in row] for row in zip(*columns.values(), strict=True))


def draw(figure: Figure, path: str | Path) -> None:
    """Draw the figure as SVG, PNG or PDF, by the ending of the path; infinite values are left out.

    Raises:
        InvalidInput: for another ending.
        MissingExtra: if matplotlib is not installed.
    """
    from epstar.plot import check_target

    check_target(path)
    from matplotlib import rc_context
    from matplotlib.figure import Figure as Canvas

    target = Path(path)
    columns = figure.data()
    places = columns.pop(figure.x)
    # A fixed salt and no date: the same numbers give the same file.
    with rc_context({"svg.hashsalt": figure.key, "svg.fonttype": "none"}):
        canvas = Canvas(figsize=(7.2, 4.8), layout="constrained")
        axes = canvas.subplots()
        for number, (name, values) in enumerate(columns.items()):
            finite = [k for k, value in enumerate(values) if isfinite(value)]
            across, up = [places[k] for k in finite], [values[k] for k in finite]
            marker = _MARKERS[number % len(_MARKERS)] if len(places) <= _MARKED else None
            style = "--" if "as printed" in name else "-"
            axes.plot(across, up, style, marker=marker, markersize=3, linewidth=1.2, label=name)
        axes.set(title=figure.title, xlabel=figure.xlabel, ylabel=figure.ylabel)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
        dateless = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(target.suffix.lower(), {})
        canvas.savefig(target, metadata=dateless)
