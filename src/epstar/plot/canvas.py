"""A canvas of matplotlib: where to draw, in which style, and the file that comes of it.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; line styles differ as well, so
that a picture survives a grey printer. Nothing here touches matplotlib's global state.
"""

from __future__ import annotations

import os
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

from epstar.errors import InvalidInput
from epstar.extras import required

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Target: TypeAlias = "str | Path | Axes"
LineStyle: TypeAlias = "str | tuple[int, tuple[int, ...]]"

PAGE = ".html"
FORMATS = (".svg", ".png", ".pdf", PAGE)
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_STYLE = {
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.8,
    "axes.axisbelow": True,
    "legend.frameon": False,
    # Letters stay letters, and the same picture is the same file.
    "svg.fonttype": "none",
    "svg.hashsalt": "epstar",
}


class Canvas:
    """Axes to draw on, and the file to save them to where they are ours.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> Canvas(axes, (6.4, 4.2)).axes is axes
    True
    """

    def __init__(self, target: Target, size: tuple[float, float]) -> None:
        self._matplotlib = imported("matplotlib")
        self._file: Path | None = None
        if isinstance(target, str | Path):
            from matplotlib.figure import Figure

            self._file = named_file(target)
            if self._file.suffix.lower() == PAGE:
                raise InvalidInput(
                    f"{self._file.name!r} is a page, which matplotlib does not draw; end it in .svg or .png."
                )
            self._figure = Figure(figsize=size, layout="constrained", facecolor="white")
            with self.style():
                self.axes = self._figure.add_subplot()
        else:
            self.axes = target

    def style(self) -> AbstractContextManager[None]:
        """Return the context in which everything is drawn."""
        context: AbstractContextManager[None] = self._matplotlib.rc_context(_STYLE)
        return context

    def save(self) -> None:
        """Write the file; axes that were given are left to whoever gave them."""
        if self._file is not None:
            undated = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}
            try:
                self._figure.savefig(self._file, dpi=160, metadata=undated.get(self._file.suffix.lower()))
            except OSError as error:
                raise InvalidInput(f"{self._file} cannot be written: {error.strerror}.") from None


def new_axes(size: tuple[float, float]) -> Axes:
    """Return axes of a new figure, `size` in inches, that a notebook shows by itself."""
    matplotlib = imported("matplotlib")
    from matplotlib import pyplot as plt

    with matplotlib.rc_context(_STYLE):
        _, axes = plt.subplots(figsize=size, layout="constrained")
    return axes


def check_target(file: str | Path) -> None:
    """Raise what drawing into `file` would raise, before any work is done.

    >>> check_target("curve.doc")
    Traceback (most recent call last):
    epstar.errors.InvalidInput: 'curve.doc' names no format for a picture; end it in .svg, .png, .pdf, .html.
    """
    path = named_file(file)
    try:
        is_possible = path.parent.is_dir() and not path.is_dir()
        is_possible = is_possible and os.access(path if path.exists() else path.parent, os.W_OK)
    except (OSError, ValueError):
        is_possible = False
    if not is_possible:
        raise InvalidInput(
            f"{path.name} cannot be written there; choose a folder that exists and is yours to write to."
        )
    imported("plotly" if path.suffix.lower() == PAGE else "matplotlib")


def imported(package: str) -> ModuleType:
    """Return one of the packages of the extra "plot".

    Raises:
        MissingExtra: if it is not installed.
    """
    return required(package, "Pictures need")


def named_file(file: str | Path) -> Path:
    """Return the path of a picture, whose ending says the format.

    Raises:
        InvalidInput: for an ending that is no format.
    """
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path.name!r} names no format for a picture; end it in {', '.join(FORMATS)}.")
    return path
