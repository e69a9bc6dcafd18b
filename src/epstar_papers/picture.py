"""Pictures of the papers' figures: curves with one colour for each subject, tables with their numbers written in."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from epstar.plot import COLOURS, Canvas, check_target
from epstar_papers.figure import Figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Within a subject: the first column is the thing itself, what others say of it is drawn over it.
_LINES = ("-", (0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
_MARKERS = "osD^vPX"
# The distance of markers along a curve, as a part of the diagonal; more would hide it.
_APART = 0.12
_LETTERS_PER_INCH = 13
_NOTE_LETTERS_PER_INCH = 16
_WIDTH = 7.2
# A logarithmic axis ends this far below its largest value.
_DECADES = 1e-5


def draw(figure: Figure, path: str | Path) -> None:
    """Draw the figure as SVG, PNG or PDF, by the ending of the path; infinite values are left out.

    Raises:
        InvalidInput: for another ending, or a path that cannot be written.
        MissingExtra: if matplotlib is not installed.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from epstar_papers import Figure, draw
    >>> line = Figure("mine:1", "A line", lambda: {"x": [0.0, 1.0], "y": [1.0, 0.0]}, "x", "distortion", "loss")
    >>> with TemporaryDirectory() as folder:
    ...     draw(line, Path(folder, "line.svg"))
    ...     print(Path(folder, "line.svg").stat().st_size > 0)
    True
    """
    check_target(path)
    columns = figure.data()
    (_draw_table if figure.rows else _draw_curves)(figure, columns, path)


def _title(axes: Axes, figure: Figure, width: float) -> None:
    words = fill(f"{figure.paper}, {figure.title}", round(_LETTERS_PER_INCH * width))
    # Over the whole picture: the names of rows may push the axes far to the right.
    axes.figure.suptitle(words, x=0.01, horizontalalignment="left", fontsize=10).set_parse_math(False)


def _notes(figure: Figure, width: float) -> str:
    """Return the notes as the lines of a caption: what a reader must know is in the picture itself."""
    return fill(figure.notes, round(_NOTE_LETTERS_PER_INCH * width))


def _caption(axes: Axes, words: str) -> None:
    if words:
        caption = axes.figure.supxlabel(words, x=0.01, horizontalalignment="left", fontsize=8, color="#444444")
        caption.set_parse_math(False)


def _draw_curves(figure: Figure, columns: Mapping[str, list[float]], path: str | Path) -> None:
    names = [name for name in columns if name != figure.x]
    in_row = 2 if max(map(len, names)) > 27 else 3
    lines = -(-len(names) // in_row) if len(names) > 1 else 0
    notes = _notes(figure, _WIDTH)
    canvas = Canvas(path, (_WIDTH, 4.4 + 0.22 * lines + 0.16 * len(notes.splitlines())))
    with canvas.style():
        _add_curves(canvas.axes, figure, columns, names)
        _title(canvas.axes, figure, _WIDTH)
        if lines:
            legend = canvas.axes.figure.legend(
                loc="outside lower center",
                ncols=in_row,
                handlelength=3.2,
                fontsize=8.5,
                title=notes,
                title_fontsize=8,
                alignment="left",
            )
            for text in (legend.get_title(), *legend.get_texts()):
                text.set_parse_math(False)
        else:
            _caption(canvas.axes, notes)
        canvas.save()


def _add_curves(axes: Axes, figure: Figure, columns: Mapping[str, list[float]], names: list[str]) -> None:
    lines = figure.lines()
    subjects: dict[str, list[str]] = {}
    for name in names:
        subjects.setdefault(name.rpartition(", ")[2], []).append(name)
    for number, members in enumerate(subjects.values()):
        colour, marker = COLOURS[number % len(COLOURS)], _MARKERS[number % len(_MARKERS)]
        for place, name in enumerate(members):
            line = lines[name]
            # What is said of a curve may lie on it: the curve itself is then broad and pale.
            is_covered = place == 0 and len(members) > 1
            axes.plot(
                line.places,
                line.values,
                linestyle=_LINES[place % len(_LINES)],
                linewidth=3.0 if is_covered else 1.6,
                alpha=0.55 if is_covered else 1.0,
                color=colour,
                # Markers are spaced along the line, if there is one.
                marker=marker if place == 0 and any(map(isfinite, line.values)) else None,
                markevery=(0.02 * number, _APART),
                markersize=5,
                label=name,
                zorder=2 + place / 10,
            )
            for where, before, after in line.jumps:
                axes.plot([where, where], [before, after], color=colour, linestyle=":", linewidth=1.0)
                for value, face in ((before, "white"), (after, colour)):
                    axes.plot(where, value, "o", color=colour, markerfacecolor=face, markersize=5, zorder=3)
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
    notes = _notes(figure, width)
    canvas = Canvas(path, (width, 1.2 + 0.36 * len(figure.rows) + 0.16 * len(notes.splitlines())))
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
        _caption(axes, notes)
        canvas.save()
