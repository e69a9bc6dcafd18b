"""Pictures drawn by plotly: one page that works without a network, with values under the pointer and zoom."""

from __future__ import annotations

import html
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from epstar.errors import InvalidInput
from epstar.plot.canvas import COLOURS, imported, named_file
from epstar.plot.sheet import Floats, Sheet, Value, probability, shortened

_DASHES = ("solid", "dash", "dashdot", "dot", "longdashdot", "4px,6px", "longdash")
_MOST_NUMBERS = 16
# The buttons are named one by one: none of them sends a picture to another host.
_CONFIGURATION = {
    "displaylogo": False,
    "responsive": True,
    "modeBarButtons": [["toImage", "zoom2d", "pan2d", "resetScale2d"]],
}
_AXIS = {"linecolor": "#555555", "gridcolor": "#e6e6e6", "zeroline": False, "ticks": "outside"}


class PageSheet(Sheet):
    """An empty page; the library that draws it travels inside the file."""

    def __init__(self, target: str | Path, size: tuple[float, float]) -> None:
        imported("plotly")
        from plotly import graph_objects

        self._file = named_file(target)
        self._objects = graph_objects
        self._figure: Any = graph_objects.Figure()
        self._height = max(420, round(110 * size[1]))

    def _add(self, kind: str, **settings: Any) -> None:
        self._figure.add_trace(getattr(self._objects, kind)(**settings))

    def band(self, along: Floats, lower: Floats, upper: Floats, style: int, sideways: bool = False) -> None:
        known = np.isfinite(along) & np.isfinite(lower) & np.isfinite(upper)
        bounds: list[float | None] = []
        places: list[float | None] = []
        # One ring for each stretch without a gap: a band does not reach over a jump.
        for part in np.split(np.arange(along.size), np.flatnonzero(~known)):
            inside = part[known[part]]
            bounds += [*lower[inside].tolist(), *upper[inside][::-1].tolist(), None]
            places += [*along[inside].tolist(), *along[inside][::-1].tolist(), None]
        x, y = (bounds, places) if sideways else (places, bounds)
        fill = {"fill": "toself", "fillcolor": _colour(style), "opacity": 0.25, "line": {"width": 0}}
        self._add("Scatter", x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False, **fill)

    def line(self, x: Floats, y: Floats, style: int, name: str) -> None:
        line = {"color": _colour(style), "dash": _DASHES[style % len(_DASHES)], "width": 2.4}
        self._add("Scatter", x=_known(x), y=_known(y), mode="lines", name=html.escape(name), line=line)

    def link(self, x: float, y: tuple[float, float], style: int) -> None:
        line = {"color": _colour(style), "dash": "dot", "width": 1.2}
        self._add("Scatter", x=[x, x], y=list(y), mode="lines", line=line, hoverinfo="skip", showlegend=False)

    def mark(self, x: float, y: float, style: int, size: float, hollow: bool = False) -> None:
        face = "white" if hollow else _colour(style)
        marker = {"size": 1.6 * size, "color": face, "line": {"color": _colour(style), "width": 2}}
        self._add("Scatter", x=[x], y=[y], mode="markers", marker=marker, showlegend=False, cliponaxis=False)

    def heat_map(self, matrix: Floats, rows: Sequence[str], columns: Sequence[str]) -> None:
        outputs, inputs = ([html.escape(label) for label in labels] for labels in (columns, rows))
        pointed = [[f"input {x}<br>output {y}" for y in outputs] for x in inputs]
        written: dict[str, Any] = {}
        if max(matrix.shape) <= _MOST_NUMBERS:
            written = {"text": [[probability(v) for v in row] for row in matrix.tolist()], "texttemplate": "%{text}"}
        self._add(
            "Heatmap",
            z=matrix.tolist(),
            zmin=0.0,
            zmax=1.0,
            colorscale="Blues",
            colorbar={"title": {"text": "probability"}},
            customdata=pointed,
            hovertemplate="%{customdata}<br>probability %{z:.6g}<extra></extra>",
            xgap=1,
            ygap=1,
            **written,
        )
        self._label("xaxis", columns)
        self._label("yaxis", rows)
        self._figure.update_yaxes(autorange="reversed")
        self._figure.update_layout(xaxis_showgrid=False, yaxis_showgrid=False)

    def intervals(self, labels: Sequence[str], values: Sequence[Value]) -> None:
        told = [(place, value) for place, (value, _, _) in enumerate(values) if value is not None]
        for place, (_, lower, upper) in enumerate(values):
            if lower is not None and upper is not None:
                line = {"color": COLOURS[0], "width": 3}
                self._add("Scatter", x=[lower, upper], y=[place] * 2, mode="lines", line=line, showlegend=False)
        marker = {"size": 10, "color": COLOURS[0]}
        places, shown = [place for place, _ in told], [value for _, value in told]
        self._add("Scatter", x=shown, y=places, mode="markers", marker=marker, showlegend=False)
        self._label("yaxis", labels)
        self._figure.update_yaxes(autorange="reversed", showgrid=False)

    def _label(self, axis: str, labels: Sequence[str]) -> None:
        step = -(-len(labels) // 24)
        texts = [html.escape(shortened(label)) for label in labels[::step]]
        ticks = {"tickmode": "array", "tickvals": list(range(0, len(labels), step)), "ticktext": texts}
        self._figure.update_layout({axis: ticks})

    def finish(self, across: str, up: str, title: str = "", legend: bool = False, top: float | None = None) -> None:
        self._figure.update_layout(
            title={"text": html.escape(title), "font": {"size": 16}},
            showlegend=legend,
            height=self._height,
            paper_bgcolor="white",
            plot_bgcolor="white",
            font={"color": "#222222", "size": 14},
            margin={"t": 60 if title else 24, "r": 24},
        )
        self._figure.update_xaxes(title={"text": html.escape(across)}, **_AXIS)
        self._figure.update_yaxes(title={"text": html.escape(up)}, **_AXIS)
        if top is not None:
            self._figure.update_yaxes(range=[-0.03 * top, 1.05 * top or 1.0])
        page = self._figure.to_html(
            include_plotlyjs=True, div_id="epstar", config=_CONFIGURATION, default_height=f"{self._height}px"
        )
        heading = html.escape(title or up or "epstar")
        page = page.replace("<html>", '<html lang="en">', 1)
        page = page.replace("<head>", f"<head><title>{heading}</title>", 1)
        try:
            self._file.write_text(page, encoding="utf-8")
        except OSError as error:
            raise InvalidInput(f"{self._file} cannot be written: {error.strerror}.") from None


def _colour(style: int) -> str:
    return COLOURS[style % len(COLOURS)]


def _known(values: Floats) -> list[float | None]:
    """The values with None for those that are not numbers, where the line breaks."""
    return [float(value) if np.isfinite(value) else None for value in values]
