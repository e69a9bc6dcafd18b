"""Pictures drawn by matplotlib, for SVG, PNG and PDF."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epstar.plot.canvas import COLOURS, Canvas, LineStyle, Target
from epstar.plot.sheet import Floats, Sheet, Value, probability, shortened

if TYPE_CHECKING:
    from matplotlib.axis import Axis


_LINES: tuple[LineStyle, ...] = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)), (0, (1, 3)), (0, (10, 3)))
_MOST_NUMBERS = 16


class PaperSheet(Sheet):
    """An empty picture on paper, or on axes that are given."""

    def __init__(self, target: Target, size: tuple[float, float]) -> None:
        self._canvas = Canvas(target, size)
        self._axes = self._canvas.axes

    def band(self, along: Floats, lower: Floats, upper: Floats, style: int, sideways: bool = False) -> None:
        with self._canvas.style():
            fill = self._axes.fill_betweenx if sideways else self._axes.fill_between
            fill(along, lower, upper, color=_colour(style), alpha=0.25, linewidth=0)

    def line(self, x: Floats, y: Floats, style: int, name: str) -> None:
        dashes = _LINES[style % len(_LINES)]
        with self._canvas.style():
            self._axes.plot(x, y, color=_colour(style), linestyle=dashes, linewidth=1.8, label=name)

    def link(self, x: float, y: tuple[float, float], style: int) -> None:
        with self._canvas.style():
            self._axes.plot([x, x], y, color=_colour(style), linestyle=":", linewidth=1.0)

    def mark(self, x: float, y: float, style: int, size: float, hollow: bool = False) -> None:
        face = "white" if hollow else _colour(style)
        with self._canvas.style():
            self._axes.plot(x, y, "o", color=_colour(style), markerfacecolor=face, markersize=size, clip_on=False)

    def heat_map(self, matrix: Floats, rows: Sequence[str], columns: Sequence[str]) -> None:
        axes = self._axes
        with self._canvas.style():
            image = axes.imshow(matrix, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
            axes.grid(visible=False)
            axes.spines[:].set_visible(False)
            _label(axes.xaxis, columns)
            _label(axes.yaxis, rows)
            axes.tick_params(length=0)
            if max(matrix.shape) <= _MOST_NUMBERS:
                for x, row in enumerate(matrix.tolist()):
                    for y, value in enumerate(row):
                        ink = "white" if value > 0.55 else "#333333"
                        axes.text(y, x, probability(value), ha="center", va="center", color=ink, fontsize=8)
            bar = axes.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
            bar.outline.set_visible(False)
            bar.set_label("probability")

    def intervals(self, labels: Sequence[str], values: Sequence[Value]) -> None:
        axes = self._axes
        with self._canvas.style():
            for place, (value, lower, upper) in enumerate(values):
                if lower is not None and upper is not None:
                    axes.plot([lower, upper], [place, place], color=COLOURS[0], linewidth=2.2, solid_capstyle="butt")
                if value is not None:
                    axes.plot(value, place, "o", color=COLOURS[0], markersize=6)
            _label(axes.yaxis, labels)
            axes.set_ylim(len(labels) - 0.5, -0.5)
            axes.grid(visible=False, axis="y")

    def finish(self, across: str, up: str, title: str = "", legend: bool = False, top: float | None = None) -> None:
        axes = self._axes
        with self._canvas.style():
            names = [axes.set_xlabel(across), axes.set_ylabel(up)]
            if top is not None:
                axes.set_ylim(bottom=0.0 if top == 0 else -0.03 * top, top=1.05 * top if top else 1.0)
            if legend:
                names += axes.legend(handlelength=3.2).get_texts()
            if title:
                names.append(axes.set_title(title, loc="left", fontsize=10))
            for name in names:
                # A dollar sign in a name is not mathematics.
                name.set_parse_math(False)
            self._canvas.save()


def _colour(style: int) -> str:
    return COLOURS[style % len(COLOURS)]


def _label(axis: Axis, labels: Sequence[str]) -> None:
    """Label every row or column, or where they are many some of them; long labels are cut."""
    step = -(-len(labels) // 24)
    shown = [shortened(label) for label in labels]
    axis.set_ticks(range(0, len(labels), step), shown[::step])
    for label in axis.get_ticklabels():
        label.set_parse_math(False)
        if axis is axis.axes.xaxis and max(map(len, shown)) > 4:
            label.set(rotation=45, ha="right", rotation_mode="anchor")
