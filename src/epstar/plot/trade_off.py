"""Trade-offs with their proven bands, breakpoints and jumps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from epstar.breakpoints import Breakpoint, known_breakpoints
from epstar.curve import Curve
from epstar.distortion import Gain
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.plot.canvas import Target
from epstar.plot.sheet import Floats, Sheet, sheet

_SEEN = 1e-6
"""The part of a picture's width below which two places are one to the eye."""


def plot_curves(curves: Mapping[str, Curve] | Sequence[Curve], target: Target, breakpoints: bool = True) -> None:
    """Draw trade-offs with their proven bands into a file (.svg, .png, .pdf, .html) or onto axes.

    A mapping names the curves in the legend; otherwise their notions do. With `breakpoints` the least distortion,
    kinks and jumps are marked: at a jump an open circle is the limit from the left, a full one the value. Finding
    them costs a scan for curves without a closed form. Without, nothing is marked, and the line is still broken at the
    jumps that are known without a scan.

    Raises:
        InvalidInput: if there is no curve, or the file name ends in another format.
        MissingExtra: if matplotlib, or plotly for a page, is not installed.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from epstar import Frontier
    >>> curve = Frontier("dp", [0.4, 0.3, 0.2, 0.1], "hamming").curve(points=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_curves({"four answers": curve}, Path(folder) / "curve.svg")
    ...     "four answers" in (Path(folder) / "curve.svg").read_text(encoding="utf-8")
    True
    """
    named = _named(curves)
    drawn = sheet(target, (6.4, 4.2))
    tallest = 0.0
    for style, (title, curve) in enumerate(named.items()):
        tallest = max(tallest, _draw(drawn, title, curve, style, breakpoints))
    is_gain = isinstance(next(iter(named.values())).problems[0].distortion, Gain)
    several = len(named) > 1
    units = dict.fromkeys(curve.problems[0].notion.unit for curve in named.values())
    drawn.finish(
        across="utility" if is_gain else "distortion",
        up=f"least privacy loss ({', '.join(units)})",
        title="" if several else next(iter(named)),
        legend=several,
        top=tallest,
    )


def _named(curves: Mapping[str, Curve] | Sequence[Curve]) -> dict[str, Curve]:
    if isinstance(curves, Mapping):
        named = dict(curves)
    else:
        named = {}
        for curve in curves:
            title = curve.problems[0].notion.title
            count = sum(name == title or name.startswith(f"{title} (") for name in named)
            named[title if count == 0 else f"{title} ({count + 1})"] = curve
    if not named:
        raise InvalidInput("There is nothing to draw; give at least one curve.")
    return named


def _draw(drawn: Sheet, name: str, curve: Curve, style: int, breakpoints: bool) -> float:
    """Draw one curve and return its largest finite loss."""
    sign = -1.0 if isinstance(curve.problems[0].distortion, Gain) else 1.0
    found = curve.breakpoints if breakpoints else known_breakpoints(curve.problems[0])
    points = [point for point in found if _within(curve, point) and (breakpoints or point.kind == "jump")]
    if curve.asks == "loss":
        x, lower, upper = _joined(curve, points)
        drawn.band(sign * x, lower, upper, style)
        _line(drawn, sign * x, upper, style, name)
        losses = upper
    else:
        losses = curve.loss
        drawn.band(losses, curve.lower, curve.upper, style, sideways=True)
        x, y = _without_jumps(curve, points)
        _line(drawn, sign * x, y, style, name)
    for point in points if breakpoints else ():
        _mark(drawn, point, sign, style)
    return float(np.max(losses[np.isfinite(losses)], initial=0.0))


def _line(drawn: Sheet, x: Floats, y: Floats, style: int, name: str) -> None:
    """Draw a line, and as a point what has no neighbour on either side."""
    drawn.line(x, y, style, name)
    known = np.concatenate([[False], np.isfinite(x) & np.isfinite(y), [False]])
    for lone in np.flatnonzero(known[1:-1] & ~known[:-2] & ~known[2:]):
        drawn.mark(float(x[lone]), float(y[lone]), style, 3.5)


def _within(curve: Curve, point: Breakpoint) -> bool:
    place, places = float(Real.of(point.distortion)), curve.distortion
    known = places[np.isfinite(places)]
    return known.size > 0 and known.min() - 1e-9 <= place <= known.max() + 1e-9


def _joined(curve: Curve, points: Sequence[Breakpoint]) -> tuple[Floats, Floats, Floats]:
    """Return the points of a curve with its breakpoints among them and gaps at the jumps.

    At one place they stand in order: the limit from the left, the gap, the point itself, the value.
    """
    vertices = [
        (x, 2, *_ends(low, high)) for x, low, high in zip(curve.distortion, curve.lower, curve.upper, strict=True)
    ]
    for point in points:
        place = float(Real.of(point.distortion))
        if point.kind == "jump":
            before = place - point.tolerance
            vertices.append((before, 0, *_ends(point.left.lower.lower, point.left.upper.upper)))
            vertices.append((before, 1, np.nan, np.nan))
        vertices.append((place, 3, *_ends(point.right.lower.lower, point.right.upper.upper)))
    columns = np.array([(x, low, high) for x, _, low, high in sorted(vertices, key=lambda vertex: vertex[:2])]).T
    return columns[0], columns[1], columns[2]


def _without_jumps(curve: Curve, points: Sequence[Breakpoint]) -> tuple[Floats, Floats]:
    """Return the points of a curve over losses, without those between the two sides of a jump.

    Where one distortion is the least for several losses, the loss jumps there, whether that was known or not.
    """
    ends = (curve.loss, curve.distortion, curve.lower, curve.upper)
    vertices = _without_upright(list(zip(*(column.tolist() for column in ends), strict=True)))
    for point in points:
        if point.kind == "jump":
            place, low, high = float(Real.of(point.distortion)), point.right.upper.upper, point.left.lower.lower
            kept = [vertex for vertex in vertices if not low <= vertex[0] <= high]
            vertices = [*kept, (low, place), ((low + high) / 2, np.nan), (high, place)]
    ordered = np.array(sorted(vertices, key=lambda vertex: vertex[0])).T
    return ordered[1], ordered[0]


def _without_upright(vertices: list[tuple[float, float, float, float]]) -> list[tuple[float, float]]:
    """Return points (loss, place) of those with the proven ends of the place, with a gap in each run that shares one.

    The last run is at the least distortion, of which there is no other side.
    """
    kept: list[tuple[float, float]] = []
    runs: list[tuple[float, list[float]]] = []
    lowest = highest = np.nan
    known = [place for _, place, *_ in vertices if np.isfinite(place)]
    seen = _SEEN * (max(known) - min(known)) if known else 0.0
    for loss, place, lower, upper in sorted(vertices):
        # Proofs that do not tell two places apart may still have ends that differ in the last digits.
        if runs and lower <= highest and lowest <= upper and abs(place - runs[-1][0]) <= seen:
            runs[-1][1].append(loss)
            lowest, highest = max(lowest, lower), min(highest, upper)
        else:
            runs.append((place, [loss]))
            lowest, highest = lower, upper
    for place, losses in runs:
        kept.append((losses[0], place))
        if len(losses) > 1 and (place, losses) != runs[-1]:
            kept += [((losses[0] + losses[-1]) / 2, np.nan), (losses[-1], place)]
    return kept


def _ends(lower: float, upper: float) -> tuple[float, float]:
    """Return the ends of a band; an infinite loss is beyond every picture."""
    return (lower, upper) if np.isfinite(upper) else (np.nan, np.nan)


def _mark(drawn: Sheet, point: Breakpoint, sign: float, style: int) -> None:
    place = sign * float(Real.of(point.distortion))
    left, right = point.left.upper.upper, point.right.upper.upper
    if point.kind == "jump":
        drawn.link(place, (left, right), style)
        drawn.mark(place, left, style, 6, hollow=True)
        drawn.mark(place, right, style, 6)
    elif np.isfinite(right):
        drawn.mark(place, right, style, 3.5 if point.kind == "kink" else 5.0)
