"""Pictures of trade-offs and mechanisms; needs the extra "plot" (matplotlib).

Colours are those of Okabe and Ito, which people with any colour vision tell apart; line styles differ as well, so
that a picture survives a grey printer. Nothing here touches matplotlib's global state.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epstar.breakpoints import Breakpoint
from epstar.curve import Curve
from epstar.distortion import Gain
from epstar.errors import InvalidInput, MissingExtra
from epstar.exact import Real
from epstar.mechanism import AnyMechanism

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

Target: TypeAlias = "str | Path | Axes"
Floats = NDArray[np.float64]
LineStyle: TypeAlias = "str | tuple[int, tuple[int, ...]]"

FORMATS = (".svg", ".png", ".pdf")
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
_LINES: tuple[LineStyle, ...] = ("-", "--", "-.", ":", (0, (8, 2, 1, 2, 1, 2)), (0, (1, 3)), (0, (10, 3)))
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
_MOST_NUMBERS = 16


def plot_curves(curves: Mapping[str, Curve] | Sequence[Curve], target: Target, breakpoints: bool = True) -> None:
    """Draw trade-offs with their proven bands into a file (.svg, .png, .pdf) or onto axes.

    A mapping names the curves in the legend; otherwise their notions do. With `breakpoints` the least distortion,
    kinks and jumps are marked: at a jump an open circle is the limit from the left, a full one the value. Finding
    them costs a scan for curves without a closed form.

    Raises:
        InvalidInput: if there is no curve, or the file name ends in another format.
        MissingExtra: if matplotlib is not installed.
    """
    named = _named(curves)
    canvas = _Canvas(target, (6.4, 4.2))
    with canvas.style():
        axes = canvas.axes
        tallest = 0.0
        for i, (title, curve) in enumerate(named.items()):
            colour, line = _COLOURS[i % len(_COLOURS)], _LINES[i % len(_LINES)]
            tallest = max(tallest, _draw(axes, title, curve, colour, line, breakpoints))
        first = next(iter(named.values()))
        is_gain = isinstance(first.problems[0].distortion, Gain)
        axes.set_xlabel("utility" if is_gain else "distortion")
        axes.set_ylabel("least privacy loss (nats)")
        axes.set_ylim(bottom=0.0 if tallest == 0 else -0.03 * tallest, top=1.05 * tallest if tallest else 1.0)
        if len(named) > 1:
            names = axes.legend(handlelength=3.2).get_texts()
        else:
            names = [axes.set_title(next(iter(named)), loc="left", fontsize=10)]
        for name in names:
            # A dollar sign in a name is not mathematics.
            name.set_parse_math(False)
        canvas.save()


def plot_mechanism(mechanism: AnyMechanism, target: Target) -> None:
    """Draw the probabilities of the outputs (columns) for each input (rows) into a file or onto axes.

    Raises:
        InvalidInput: if the file name ends in another format, or the mechanism is too large to be written out.
        MissingExtra: if matplotlib is not installed.
    """
    matrix = mechanism.dense().floats
    rows, columns = matrix.shape
    canvas = _Canvas(target, (1.8 + 0.55 * min(columns, 20), 1.3 + 0.45 * min(rows, 20)))
    with canvas.style():
        axes = canvas.axes
        image = axes.imshow(matrix, cmap="Blues", vmin=0.0, vmax=1.0, aspect="auto")
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
        axes.set_xlabel("output")
        axes.set_ylabel("input")
        _label(axes.xaxis, [str(label) for label in mechanism.outputs])
        _label(axes.yaxis, [str(label) for label in mechanism.universe.labels])
        axes.tick_params(length=0)
        if max(rows, columns) <= _MOST_NUMBERS:
            for x, row in enumerate(matrix.tolist()):
                for y, value in enumerate(row):
                    ink = "white" if value > 0.55 else "#333333"
                    axes.text(y, x, _probability(value), ha="center", va="center", color=ink, fontsize=8)
        bar = axes.figure.colorbar(image, ax=axes, fraction=0.05, pad=0.03)
        bar.outline.set_visible(False)
        bar.set_label("probability")
        canvas.save()


def check_target(file: str | Path) -> None:
    """Raise what drawing into `file` would raise, before any work is done."""
    _imported()
    _format(file)


class _Canvas:
    """Axes to draw on, and the file to save them to where they are ours."""

    def __init__(self, target: Target, size: tuple[float, float]) -> None:
        self._matplotlib = _imported()
        self._file: Path | None = None
        if isinstance(target, str | Path):
            from matplotlib.figure import Figure

            self._file = _format(target)
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


def _imported() -> ModuleType:
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("Pictures need matplotlib; install epstar with the extra 'plot'.") from None
    return mpl


def _format(file: str | Path) -> Path:
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput(f"{path.name!r} names no format for a picture; end it in {', '.join(FORMATS)}.")
    return path


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


def _draw(axes: Axes, name: str, curve: Curve, colour: str, line: LineStyle, breakpoints: bool) -> float:
    """Draw one curve and return its largest finite loss."""
    sign = -1.0 if isinstance(curve.problems[0].distortion, Gain) else 1.0
    points = [point for point in curve.breakpoints if _within(curve, point)] if breakpoints else []
    if curve.asks == "loss":
        x, lower, upper = _joined(curve, points)
        axes.fill_between(sign * x, lower, upper, color=colour, alpha=0.25, linewidth=0)
        axes.plot(sign * x, upper, color=colour, linestyle=line, linewidth=1.8, label=name)
        losses = upper
    else:
        losses = curve.loss
        axes.fill_betweenx(losses, curve.lower, curve.upper, color=colour, alpha=0.25, linewidth=0)
        x, y = _without_jumps(curve, points)
        axes.plot(sign * x, y, color=colour, linestyle=line, linewidth=1.8, label=name)
    for point in points:
        _mark(axes, point, sign, colour)
    return float(np.max(losses[np.isfinite(losses)], initial=0.0))


def _within(curve: Curve, point: Breakpoint) -> bool:
    place, places = float(Real.of(point.distortion)), curve.distortion
    known = places[np.isfinite(places)]
    return known.size > 0 and known.min() - 1e-9 <= place <= known.max() + 1e-9


def _joined(curve: Curve, points: Sequence[Breakpoint]) -> tuple[Floats, Floats, Floats]:
    """Return the points of a curve with its breakpoints among them and gaps at the jumps."""
    vertices = [
        (x, 1, *_ends(low, high)) for x, low, high in zip(curve.distortion, curve.lower, curve.upper, strict=True)
    ]
    for point in points:
        place = float(Real.of(point.distortion))
        if point.kind == "jump":
            before = place - point.tolerance
            vertices.append((before, 0, *_ends(point.left.lower.lower, point.left.upper.upper)))
            vertices.append((before, 1, np.nan, np.nan))
        vertices.append((place, 2, *_ends(point.right.lower.lower, point.right.upper.upper)))
    columns = np.array([(x, low, high) for x, _, low, high in sorted(vertices, key=lambda vertex: vertex[:2])]).T
    return columns[0], columns[1], columns[2]


def _without_jumps(curve: Curve, points: Sequence[Breakpoint]) -> tuple[Floats, Floats]:
    """Return the points of a curve over losses, without those between the two sides of a jump."""
    vertices = list(zip(curve.loss.tolist(), curve.distortion.tolist(), strict=True))
    for point in points:
        if point.kind == "jump":
            place, low, high = float(Real.of(point.distortion)), point.right.upper.upper, point.left.lower.lower
            kept = [vertex for vertex in vertices if not low < vertex[0] < high]
            vertices = [*kept, (low, place), ((low + high) / 2, np.nan), (high, place)]
    ordered = np.array(sorted(vertices, key=lambda vertex: vertex[0])).T
    return ordered[1], ordered[0]


def _ends(lower: float, upper: float) -> tuple[float, float]:
    """Return the ends of a band; an infinite loss is beyond every picture."""
    return (lower, upper) if np.isfinite(upper) else (np.nan, np.nan)


def _mark(axes: Axes, point: Breakpoint, sign: float, colour: str) -> None:
    place = sign * float(Real.of(point.distortion))
    left, right = point.left.upper.upper, point.right.upper.upper
    if point.kind == "jump":
        axes.plot([place, place], [left, right], color=colour, linestyle=":", linewidth=1.0)
        axes.plot(place, left, "o", color=colour, markerfacecolor="white", markersize=6, clip_on=False)
        axes.plot(place, right, "o", color=colour, markersize=6, clip_on=False)
    elif np.isfinite(right):
        size = 3.5 if point.kind == "kink" else 5.0
        axes.plot(place, right, "o", color=colour, markersize=size, clip_on=False)


def _label(axis: Axis, labels: Sequence[str]) -> None:
    """Label every row or column, or where they are many some of them; long labels are cut."""
    step = -(-len(labels) // 24)
    shown = [label if len(label) <= 14 else f"{label[:8]}…{label[-5:]}" for label in labels]
    axis.set_ticks(range(0, len(labels), step), shown[::step])
    for label in axis.get_ticklabels():
        label.set_parse_math(False)
        if axis is axis.axes.xaxis and max(map(len, shown)) > 4:
            label.set(rotation=45, ha="right", rotation_mode="anchor")


def _probability(value: float) -> str:
    if value in (0, 1):
        return f"{value:.0f}"
    return "<.01" if value < 0.005 else f"{value:.2f}"
