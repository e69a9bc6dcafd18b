"""What an object knows of its face: the methods, and the name of the module that does the work.

Drawing and writing need all of epstar, and the objects are at the bottom of it. So they name the module, as the front
door of the package does, and it is loaded when somebody looks.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    from pathlib import Path

    from matplotlib.axes import Axes
    from pandas import DataFrame


def late(module: str) -> Any:
    """Return a module of this package, loaded now."""
    return import_module(f"epstar.notebook.{module}")


class Displayed:
    """What has a line for terminals and a table for notebooks; `_face` names the module that writes both.

    What is made before anything is solved writes its line itself, so that to print it loads no solver.

    >>> from epstar import Frontier
    >>> answer = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").loss_at(distortion=0.2)
    >>> "log(12)" in answer._repr_html_()
    True
    """

    _face: ClassVar[str]

    def __repr__(self) -> str:
        return str(late(self._face).line(self))

    def _repr_html_(self) -> str:
        """Return a small table for notebooks: no script, nothing from elsewhere, every label escaped."""
        return str(late(self._face).html(self))


class Drawn:
    """What can be drawn.

    >>> from epstar import Frontier
    >>> curve = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").curve(points=5)
    >>> type(curve.plot()).__name__
    'Axes'
    """

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw onto `axes`, or onto new ones, and return them.

        Raises:
            MissingExtra: if matplotlib is not installed.
        """
        drawn: Axes = late("pictures").plot(self, axes)
        return drawn


class Tabular:
    """What is a table.

    >>> from epstar import Frontier
    >>> curve = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").curve(points=5)
    >>> curve.to_frame().shape[0]
    5
    """

    def to_frame(self) -> DataFrame:
        """Return the numbers as a pandas DataFrame.

        Raises:
            MissingExtra: if pandas is not installed.
        """
        return late("frames").frame(self)


class Saved:
    """What can be written to a file that `epstar.load` reads.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from epstar import Mechanism, load
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> with TemporaryDirectory() as folder:
    ...     _ = coin.save(Path(folder, "coin.json"))
    ...     found = load(Path(folder, "coin.json"))
    >>> found.rows == coin.rows
    True
    """

    def save(self, path: str | Path, force: bool = False) -> Path:
        """Write a JSON file, whole or not at all, and return its path; an existing one is replaced only with `force`.

        Raises:
            InvalidInput: if the file exists, or its folder does not.
            WriteFailed: if it cannot be written.
        """
        written: Path = late("files").save(self, path, force)
        return written
