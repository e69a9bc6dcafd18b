"""Pictures of the papers' figures: curves with one colour for each subject, tables with their numbers written in."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from epstar.papers.figure import Figure
from epstar.plot import COLOURS, Canvas, check_target

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Within a subject: the first column is the thing itself, what others say of it is drawn over it.
_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
_MARKERS = "osD^vPX"
# The distance of markers along a curve, as a part of the diagonal; more would hide it.
_APART = 0.12
_LETTERS_PER_INCH = 13
_WIDTH = 7.2
# A logarithmic axis ends this far below its largest value.
_DECADES = 1e-5


def draw(figure: Figure, path: str | Path) -> None:
    """Draw the figure as SVG, PNG or PDF, by the ending of the path; infinite values are left out.

    Raises:
        InvalidInput: for another ending, or a path that cannot be written.
        MissingExtra: if matplotlib is not installed.
    """
    check_target(path)
    columns = figure.data()
    (_draw_table if figure.rows else _draw_curves)(figure, columns, path)


def _title(axes: Axes, figure: Figure, width: float) -> None:
    words = fill(f"{figure.paper}, {figure.title}", round(_LETTERS_PER_INCH * width))
    # Over the whole picture: the names of rows may push the axes far to the right.
    axes.figure.suptitle(words, x=0.01, horizontalalignment="left", fontsize=10).set_parse_math(False)


def _draw_curves(figure: Figure, columns: Mapping[str, list[float]], path: str | Path) -> None:
    names = [name for name in columns if name != figure.x]
    in_row = 2 if max(map(len, names)) > 27 else 3
    lines = -(-len(names) // in_row) if len(names) > 1 else 0
    canvas = Canvas(path, (_WIDTH, 4.4 + 0.22 * lines))
    with canvas.style():
        _add_curves(canvas.axes, figure, columns, names)
        _title(canvas.axes, figure, _WIDTH)
        if lines:
            legend = canvas.axes.figure.legend(loc="outside lower center", ncols=in_row, handlelength=3.2, fontsize=8.5)
            for text in legend.get_texts():
                text.set_parse_math(False)
        canvas.save()


def _add_curves(axes: Axes, figure: Figure, columns: Mapping[str, list[float]], names: list[str]) -> None:
    places = columns[figure.x]
    subjects: dict[str, list[str]] = {}
    for name in names:
        subjects.setdefault(name.rpartition(", ")[2], []).append(name)
    for number, members in enumerate(subjects.values()):
        colour, marker = COLOURS[number % len(COLOURS)], _MARKERS[number % len(_MARKERS)]
        for place, name in enumerate(members):
            finite = [k for k, value in enumerate(columns[name]) if isfinite(value)]
            # What is said of a curve may lie on it: the curve itself is then broad and pale.
            is_covered = place == 0 and len(members) > 1
            axes.plot(
                [places[k] for k in finite],
                [columns[name][k] for k in finite],
                linestyle=_LINES[place % len(_LINES)],
                linewidth=3.0 if is_covered else 1.6,
                alpha=0.55 if is_covered else 1.0,
                color=colour,
                marker=marker if place == 0 else None,
                markevery=(0.02 * number, _APART),
                markersize=5,
                label=name,
                zorder=2 + place / 10,
            )
    axes.set(xlabel=figure.xlabel, ylabel=figure.ylabel)
    if "x" in figure.logarithmic:
        axes.set_xscale("log")
    if "y" in figure.logarithmic:
        shown = [value for name in names for value in columns[name] if isfinite(value) and value > 0]
        axes.set_yscale("log")
        axes.set_ylim(max(min(shown), _DECADES * max(shown)) / 1.5, 1.5 * max(shown))


def _draw_table(figure: Figure, columns: Mapping[str, list[float]], path: str | Path) -> None:
    names = [name for name in columns if name != figure.x]
    cells = [[columns[name][row] for name in names] for row in range(len(figure.rows))]
    width = max(5.6, 1.9 + 0.72 * len(names))
    canvas = Canvas(path, (width, 1.2 + 0.36 * len(figure.rows)))
    with canvas.style():
        axes = canvas.axes
        axes.imshow(cells, cmap="Blues", vmin=0.0, vmax=1.6 * max(map(max, cells)), aspect="auto")
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        axes.xaxis.tick_top()
        axes.xaxis.set_label_position("top")
        axes.set_xticks(range(len(names)), names)
        axes.set_yticks(range(len(figure.rows)), figure.rows)
        axes.set(xlabel=figure.ylabel, ylabel=figure.xlabel)
        for row, values in enumerate(cells):
            for column, value in enumerate(values):
                written = f"{value:.4f}".rstrip("0").rstrip(".")
                axes.text(column, row, written, ha="center", va="center", color="#222222", fontsize=8)
        _title(axes, figure, width)
        canvas.save()
