"""The pictures of a report: the mechanism as a coloured table, guesses as bars, the trade-off as a drawing.

Colours come from the style of the page, so that the pictures follow dark, light and print. Every picture says in
text what it shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.measure.rank_one import Kind, RankOne
from epstar.release.report.facts import TradeOff
from epstar.release.report.markup import Child, Markup, element, joined, label
from epstar.rounding import Share, about, at_most, nats, percent, percent_before

MOST_CELLS = 12
"""Wider mechanisms are shown in groups of values."""

_LARGEST_WRITTEN_OUT = 1 << 18
_MOST_KINDS = 6
_WIDTH, _HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 24, 16, 48


def heat_map(mechanism: AnyMechanism) -> Markup:
    """Return the mechanism as a table in which larger probabilities are darker.

    Beyond 12 inputs or outputs neighbours are put together: a cell is then the probability of the group of outputs,
    averaged over the group of inputs. A mechanism of more than 2^18 entries is shown by the kinds of its values.
    """
    rows, columns = mechanism.shape
    if rows * columns > _LARGEST_WRITTEN_OUT:
        return _in_kinds(mechanism)
    matrix = mechanism.dense().floats
    inputs, outputs = _groups(rows), _groups(columns)
    shares = np.array([[matrix[np.ix_(x, y)].sum(axis=1).mean() for y in outputs] for x in inputs])
    grouped = max(len(group) for group in (*inputs, *outputs)) > 1
    caption = (
        "Probability that a released value falls into a group (columns), for a true value of a group (rows), averaged."
        if grouped
        else "Probability of each released value (columns) for each true value (rows)."
    )
    names = [_named(mechanism.outputs, group) for group in outputs]
    head = element("tr", element("td"), *(element("th", name, scope="col") for name in names))
    body = [
        element(
            "tr",
            element("th", _named(mechanism.universe.labels, group), scope="row"),
            *(_cell(float(share)) for share in row),
        )
        for group, row in zip(inputs, shares, strict=True)
    ]
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", *body), class_="heat"
    )
    return element("div", table, class_="wide", tabindex=0, role="group", aria_label="The mechanism as a table")


def _in_kinds(mechanism: AnyMechanism) -> Markup:
    """The mechanism by kinds of values where there are few, in a sentence where there are many."""
    rows, columns = mechanism.shape
    told = element(
        "p",
        f"The mechanism has {rows:,} inputs and {columns:,} outputs, too many to draw one by one; the release file "
        "holds it in full.",
    )
    rank_one = RankOne.of(mechanism)
    if rank_one is None or len(rank_one.kinds) > _MOST_KINDS:
        return told
    released = [kind for kind in rank_one.kinds if kind.output > 0 or kind.diagonal > 0]
    head = element(
        "tr",
        element("td"),
        element("th", "the value itself", scope="col"),
        *(element("th", joined("each other one such as ", _first(mechanism, kind)), scope="col") for kind in released),
    )
    body = [
        element(
            "tr",
            element("th", joined(f"each of {kind.count:,} values such as ", _first(mechanism, kind)), scope="row"),
            *(
                element("td", about(share), style=f"--share:{share:.4f}")
                for share in map(float, map(Real.of, (kind.diagonal, *(kind.input * k.output for k in released))))
            ),
        )
        for kind in rank_one.kinds
    ]
    caption = "Probability of a released value (columns) for a true value (rows); values of one kind are treated alike."
    table = element(
        "table", element("caption", caption), element("thead", head), element("tbody", *body), class_="heat"
    )
    return joined(told, element("div", table, class_="wide", tabindex=0, role="group", aria_label="Kinds of values"))


def _first(mechanism: AnyMechanism, kind: Kind) -> Markup:
    return label(mechanism.universe.label(int(kind.members[0])))


def _groups(count: int) -> list[NDArray[np.intp]]:
    return [group for group in np.array_split(np.arange(count), min(count, MOST_CELLS)) if len(group)]


def _named(labels: Sequence[object], group: NDArray[np.intp]) -> Markup:
    first, last = labels[int(group[0])], labels[int(group[-1])]
    return label(first) if len(group) == 1 else joined(label(first), " – ", label(last))


def _cell(share: float) -> Markup:
    return element("td", _probability(share), style=f"--share:{share:.4f}")


def _probability(share: float) -> str:
    if share in (0, 1):
        return f"{share:.0f}"
    return "<0.001" if share < 0.0005 else (">0.999" if share > 0.9995 else f"{share:.3f}")


def guess_bars(guesses: Sequence[tuple[str, Rational, Share]]) -> Markup:
    """Return, for each question, the probability of the best guess before and after the release.

    What was known before is rounded down and what is known after it up: the gain never looks smaller than it is.
    """
    rows: list[Child] = []
    for question, before, after in guesses:
        bars = [
            element(
                "div",
                element("span", when, class_="when"),
                element(
                    "span",
                    element("span", class_="fill", style=f"width:{100 * float(Real.of(share)):.1f}%"),
                    class_="bar",
                ),
                element("span", written, class_="share"),
                class_=f"guess {when}",
            )
            for when, share, written in (
                ("before", before, percent_before(before)),
                ("after", after, percent(after)),
            )
        ]
        rows.append(element("li", element("p", question), *bars))
    return element("ul", *rows, class_="guesses")


def drawing(curve: TradeOff, name: str, what: str) -> Markup:
    """Return the trade-off with the released mechanism marked; `what` names the upright axis."""
    widest = max(curve.points[-1][0], curve.chosen[0])
    heights = [y for _, y in curve.points] + [curve.chosen[1]]
    low, high = min(0.0, *heights), max(heights) or 1.0

    def across(value: float) -> float:
        return _LEFT + (_WIDTH - _LEFT - _RIGHT) * value / widest

    def up(value: float) -> float:
        return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * (value - low) / (high - low)

    parts: list[Markup] = []
    for value in _ticks(0.0, widest):
        x = f"{across(value):.1f}"
        parts += [
            element("line", x1=x, x2=x, y1=_TOP, y2=_HEIGHT - _BOTTOM, class_="grid"),
            element("text", about(value), x=x, y=_HEIGHT - _BOTTOM + 18, text_anchor="middle"),
        ]
    for value in _ticks(low, high):
        y = f"{up(value):.1f}"
        parts += [
            element("line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=y, y2=y, class_="grid"),
            element("text", about(value), x=_LEFT - 8, y=y, text_anchor="end", dominant_baseline="middle"),
        ]
    line = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in curve.points)
    parts += [
        element("polyline", points=line, class_="curve"),
        element("circle", cx=f"{across(curve.chosen[0]):.1f}", cy=f"{up(curve.chosen[1]):.1f}", r=6, class_="chosen"),
        *_note(across(curve.chosen[0]), up(curve.chosen[1])),
        element("text", "privacy loss (nats)", x=(_LEFT + _WIDTH - _RIGHT) / 2, y=_HEIGHT - 8, text_anchor="middle"),
        element(
            "text",
            what,
            text_anchor="middle",
            transform=f"translate(14 {(_TOP + _HEIGHT - _BOTTOM) / 2}) rotate(-90)",
        ),
    ]
    best = "The best utility" if curve.is_gain else "The least distortion"
    described = (
        f"{best} at each level of {name}, through {len(curve.points)} proven points. The released mechanism loses at "
        f"most {nats(at_most(curve.chosen[0]))} at {what} {about(curve.chosen[1])}."
    )
    picture = element(
        "svg",
        element("title", described),
        *parts,
        viewBox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=described,
    )
    return element("figure", picture, element("figcaption", described))


def _note(x: float, y: float) -> list[Markup]:
    """The words beside the chosen point, on the side where there is room."""
    is_left = x > _WIDTH / 2
    return [
        element(
            "text",
            "this release",
            x=f"{x - 12 if is_left else x + 12:.1f}",
            y=f"{y - 10 if y > _TOP + 20 else y + 20:.1f}",
            text_anchor="end" if is_left and y > _HEIGHT / 2 else "start",
            class_="note",
        )
    ]


def _ticks(low: float, high: float) -> list[float]:
    """Round numbers between the two, five or so."""
    if high <= low:
        return [low]
    rough = (high - low) / 5
    power = 10.0 ** floor(log10(rough))
    step = next(size * power for size in (1, 2, 5, 10) if size * power >= rough)
    first, last = int(np.ceil(low / step - 1e-9)), int(np.floor(high / step + 1e-9))
    return [round(i * step, 12) for i in range(first, last + 1)]
