"""Pictures of trade-offs, mechanisms and estimates; needs the extra "plot".

Matplotlib draws SVG, PNG and PDF, and plotly pages in HTML that work without a network.
"""

from epstar.plot.canvas import COLOURS, FORMATS, Canvas, Target, check_target
from epstar.plot.charts import plot_intervals, plot_lines, plot_mechanism
from epstar.plot.trade_off import plot_curves

__all__ = [
    "COLOURS",
    "FORMATS",
    "Canvas",
    "Target",
    "check_target",
    "plot_curves",
    "plot_intervals",
    "plot_lines",
    "plot_mechanism",
]
