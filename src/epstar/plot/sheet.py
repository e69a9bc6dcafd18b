"""What can be drawn, whatever draws it: lines with bands, marks, a heat map, values with intervals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from epstar.plot.canvas import PAGE, Target

Floats: TypeAlias = "NDArray[np.float64]"
Value: TypeAlias = "tuple[float | None, float | None, float | None]"
"""A value with the lower and the upper end of its interval; None where nothing can be told."""


class Sheet(ABC):
    """An empty picture. `style` is a number: each has its own colour and its own dashes."""

    @abstractmethod
    def band(self, along: Floats, lower: Floats, upper: Floats, style: int, sideways: bool = False) -> None:
        """Shade what lies between two bounds; sideways, the bounds are places and `along` runs upwards."""

    @abstractmethod
    def line(self, x: Floats, y: Floats, style: int, name: str) -> None:
        """Draw a line, broken where a value is not a number."""

    @abstractmethod
    def link(self, x: float, y: tuple[float, float], style: int) -> None:
        """Draw a thin upright line, such as between the two sides of a jump."""

    @abstractmethod
    def mark(self, x: float, y: float, style: int, size: float, hollow: bool = False) -> None:
        """Draw a circle."""

    @abstractmethod
    def heat_map(self, matrix: Floats, rows: Sequence[str], columns: Sequence[str]) -> None:
        """Draw probabilities as shades, with their numbers where there is room."""

    @abstractmethod
    def intervals(self, labels: Sequence[str], values: Sequence[Value]) -> None:
        """Draw values with their intervals, one above the other."""

    @abstractmethod
    def finish(self, across: str, up: str, title: str = "", legend: bool = False, top: float | None = None) -> None:
        """Name the axes and write the file; with `top` the upright axis goes from 0 to it."""


def sheet(target: Target, size: tuple[float, float]) -> Sheet:
    """Return an empty picture: a page for a file that ends in .html, else matplotlib's, `size` in inches."""
    if isinstance(target, str | Path) and Path(target).suffix.lower() == PAGE:
        from epstar.plot.plotly_sheet import PageSheet

        return PageSheet(target, size)
    from epstar.plot.matplotlib_sheet import PaperSheet

    return PaperSheet(target, size)


def shortened(label: str) -> str:
    """Return a label cut to what fits on an axis."""
    return label if len(label) <= 14 else f"{label[:8]}…{label[-5:]}"


def probability(value: float) -> str:
    """Return a probability as it is written into a cell."""
    if value in (0, 1):
        return f"{value:.0f}"
    return "<.01" if value < 0.005 else f"{value:.2f}"
