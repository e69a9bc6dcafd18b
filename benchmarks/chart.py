"""How time and memory grow with the work: one picture for each work, and the exponents fitted to it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.suite import Row

STEADY = 0.002
"""CPU seconds below which fixed costs hide the growth, so that a point is not fitted."""
FEWEST = 3
"""The number of sizes that a power is fitted to, at the least."""
_MARKS = "os^DvP"
_DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 1)))


def exponent(rows: Sequence[Row]) -> tuple[float, int, int] | None:
    """Return the fitted power of the size by which time grows, and the sizes it is fitted between.

    The least squares line through the logarithms; None where fewer than three sizes take long enough to tell, because
    a line through two points fits whatever they are.
    """
    points = [(row.size, row.time) for row in rows if not row.measured.failure and row.time >= STEADY]
    if len(points) < FEWEST:
        return None
    across = [math.log(size) for size, _ in points]
    up = [math.log(time) for _, time in points]
    x, y = math.fsum(across) / len(points), math.fsum(up) / len(points)
    slope = math.fsum((a - x) * (b - y) for a, b in zip(across, up, strict=True)) / math.fsum(
        (a - x) ** 2 for a in across
    )
    return slope, points[0][0], points[-1][0]


def by_way(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each contender."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.way, []).append(row)
    return found


def decades(values: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a logarithmic axis: powers of ten around all values, at least two decades apart.

    On a narrower axis a time that hardly grows would look as if it did.

    >>> decades([0.35, 0.55]), decades([0.02, 40.0])
    ((0.01, 1.0), (0.01, 100.0))
    """
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return 10.0 ** min(low, high - 2), 10.0**high


def draw(rows: Sequence[Row], file: Path) -> None:
    """Draw time, on a logarithmic axis, and memory, from zero, against size; what was stopped is left out."""
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullLocator

    from epstar.plot import COLOURS, Canvas

    work = rows[0].work
    figure = Figure(figsize=(9.0, 4.0), layout="constrained", facecolor="white")
    panels: dict[str, Callable[[Row], float]] = {
        "CPU seconds": lambda row: row.time,
        "peak memory of the process, MiB": lambda row: row.measured.megabytes,
    }
    for place, (title, value) in enumerate(panels.items(), start=1):
        # The style is a context, so the axes are made inside it.
        with Canvas(figure.add_subplot(1, 2, place), (0, 0)).style():
            axes = figure.axes[-1]
            for number, (way, own) in enumerate(by_way(rows).items()):
                done = [row for row in own if not row.measured.failure]
                if done:
                    axes.plot(
                        [row.size for row in done],
                        [value(row) for row in done],
                        color=COLOURS[number],
                        linestyle=_DASHES[number],
                        marker=_MARKS[number],
                        markersize=5,
                        label=way,
                    )
            sizes = sorted({row.size for row in rows})
            axes.set(xscale="log", xlabel=work.size_name, ylabel=title)
            axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
            axes.xaxis.set_minor_locator(NullLocator())
            shown = [value(row) for row in rows if not row.measured.failure]
            if place == 1:
                axes.set(yscale="log", ylim=decades(shown))
                axes.yaxis.set_major_formatter(lambda seconds, _: f"{seconds:g}")
                axes.yaxis.set_minor_locator(NullLocator())
            else:
                axes.set_ylim(0, 1.05 * max(shown))
            axes.grid(visible=True, color="#e6e6e6")
            axes.spines[["top", "right"]].set_visible(False)
    with Canvas(figure.axes[0], (0, 0)).style():
        # Below the panels, where it covers no line.
        figure.legend(*figure.axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize=8)
        figure.savefig(file, metadata={"Date": None})
