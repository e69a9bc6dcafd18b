"""Mechanisms as heat maps, plain lines, and values with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from epstar.errors import InvalidInput
from epstar.mechanism import AnyMechanism
from epstar.plot.canvas import Target
from epstar.plot.sheet import Value, sheet


def plot_mechanism(mechanism: AnyMechanism, target: Target) -> None:
    """Draw the probabilities of the outputs (columns) for each input (rows) into a file or onto axes.

    Raises:
        InvalidInput: if the file name ends in another format, or the mechanism is too large to be written out.
        MissingExtra: if matplotlib, or plotly for a page, is not installed.

    >>> from matplotlib.figure import Figure
    >>> from epstar.mechanism import Mechanism
    >>> axes = Figure().add_subplot()
    >>> plot_mechanism(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]]), axes)
    >>> axes.get_xlabel(), axes.get_ylabel()
    ('output', 'input')
    """
    matrix = mechanism.dense().floats
    drawn = sheet(target, mechanism_size(mechanism))
    drawn.heat_map(matrix, [str(label) for label in mechanism.universe.labels], [str(y) for y in mechanism.outputs])
    drawn.finish(across="output", up="input")


def mechanism_size(mechanism: AnyMechanism) -> tuple[float, float]:
    """Return the inches that a heat map takes."""
    rows, columns = mechanism.shape
    return 1.8 + 0.55 * min(columns, 20), 1.3 + 0.45 * min(rows, 20)


def plot_lines(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    target: Target,
    across: str,
    up: str,
    title: str = "",
) -> None:
    """Draw named lines through points (places, values); an infinite value is left out.

    Raises:
        InvalidInput: if there is no line, or the file name ends in another format.
        MissingExtra: if matplotlib, or plotly for a page, is not installed.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> plot_lines({"falling": ([0, 1, 2], [2.0, 1.0, 0.5])}, axes, across="rows", up="error")
    >>> axes.get_ylabel()
    'error'
    """
    if not lines:
        raise InvalidInput("There is nothing to draw; give at least one line.")
    drawn = sheet(target, (6.4, 4.2))
    top = 0.0
    for style, (name, (places, values)) in enumerate(lines.items()):
        x, y = np.asarray(places, dtype=np.float64), np.asarray(values, dtype=np.float64)
        y = np.where(np.isfinite(y), y, np.nan)
        top = max(top, float(np.nanmax(y, initial=0.0)))
        drawn.line(x, y, style, name)
    drawn.finish(across, up, title, legend=len(lines) > 1, top=top)


def plot_intervals(labels: Sequence[str], values: Sequence[Value], target: Target, title: str, axis: str) -> None:
    """Draw values with their intervals, the first at the top; what is None is left out.

    Raises:
        InvalidInput: if there is no value, or the file name ends in another format.
        MissingExtra: if matplotlib, or plotly for a page, is not installed.

    >>> from matplotlib.figure import Figure
    >>> axes = Figure().add_subplot()
    >>> plot_intervals(["yes", "no"], [(0.4, 0.3, 0.5), (0.6, 0.5, 0.7)], axes, "Answers", "frequency")
    >>> axes.get_xlabel()
    'frequency'
    """
    if not labels:
        raise InvalidInput("There is nothing to draw; give at least one value.")
    drawn = sheet(target, (6.4, 1.2 + 0.32 * min(len(labels), 40)))
    drawn.intervals(labels, values)
    drawn.finish(across=axis, up="", title=title)
