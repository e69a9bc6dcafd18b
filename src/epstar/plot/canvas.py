"""A canvas of matplotlib: where to draw, in which style, and the file that comes of it.

Colours are those of Okabe and Ito, which people with any colour vision tell apart; line styles differ as well, so
that a picture survives a grey printer. Nothing here touches matplotlib's global state.
"""

from __future__ import annotations

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
    """Axes to draw on, and the file to save them to where they are ours."""

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


def check_target(file: str | Path) -> None:
    """Raise what drawing into `file` would raise, before any work is done."""
    imported("plotly" if named_file(file).suffix.lower() == PAGE else "matplotlib")


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
