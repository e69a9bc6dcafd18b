"""Pictures for notebooks: what `.plot()` draws, onto axes that it returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from epstar.answer import Answer
from epstar.curve import Curve
from epstar.errors import InvalidInput
from epstar.mechanism import AnyMechanism
from epstar.plot.canvas import new_axes
from epstar.plot.charts import mechanism_size, plot_mechanism
from epstar.plot.trade_off import plot_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(value: Answer | AnyMechanism | Curve, axes: Axes | None = None, breakpoints: bool = True) -> Axes:
    """Draw a trade-off, a mechanism, or the mechanism of an answer onto axes, new ones unless given, and return them.

    Raises:
        InvalidInput: if an answer has no mechanism, or it is too large to be written out.
        MissingExtra: if matplotlib is not installed.
    """
    if isinstance(value, Curve):
        drawn = new_axes((6.4, 4.2)) if axes is None else axes
        plot_curves([value], drawn, breakpoints)
        return drawn
    mechanism = value.mechanism if isinstance(value, Answer) else value
    if mechanism is None:
        raise InvalidInput("This answer has no mechanism to draw; ask at a larger distortion or loss.")
    drawn = new_axes(mechanism_size(mechanism)) if axes is None else axes
    plot_mechanism(mechanism, drawn)
    return drawn
