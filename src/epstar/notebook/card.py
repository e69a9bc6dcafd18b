"""A small page for a notebook: a title, perhaps a badge, and tables whose every style stands in the element itself.

A notebook may drop style sheets, and may be light or dark: text keeps the colour that it finds, and shades let the
ground shine through so far that text stays readable on both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from epstar.exact import Interval, Real
from epstar.release.report.markup import Child, Markup, element, joined, label
from epstar.rounding import at_least, at_most, bits, lost

SHADE = (0, 114, 178)
MOST_SHADE = 0.45
"""The opacity of the shade of a probability of one; the contrast of text stays above 4.5 on white and on black."""
_RULE = "1px solid rgb(128 128 128 / 0.4)"
_CELL = f"text-align:left;vertical-align:top;padding:0.2em 0.8em 0.2em 0;border-bottom:{_RULE};background:none"
_TITLE = f"{_CELL};font-weight:600;white-space:nowrap"
_TABLE = "border-collapse:collapse;font-size:inherit;color:inherit"
_NUMBER = f"text-align:right;padding:0.2em 0.6em;border-bottom:{_RULE};font-variant-numeric:tabular-nums"
_BADGE = "border:1px solid;border-radius:0.8em;padding:0 0.6em;margin-left:0.8em;font-size:0.85em;white-space:nowrap"
_LONGEST_LABEL = 40
_DIGITS = 7


def card(title: str, facts: Sequence[tuple[str, Child]], *tables: Markup, badge: str = "") -> str:
    """Return the page of one object; a badge says what is proven, and stands there for nothing else."""
    head: list[Child] = [element("strong", title)]
    if badge:
        head.append(element("span", f"✓ {badge}", style=_BADGE))
    rows = [
        element("tr", element("th", title, scope="row", style=_TITLE), element("td", what, style=_CELL))
        for title, what in facts
    ]
    about = [element("table", element("tbody", *rows), style=f"{_TABLE};max-width:52em")] if rows else []
    return element(
        "div", element("div", *head, style="margin:0.2em 0"), *about, *tables, style="overflow-x:auto;line-height:1.45"
    ).html


def number_table(columns: Sequence[Child], rows: Sequence[Sequence[Child]], caption: str = "") -> Markup:
    """Return a table of numbers whose first column names the rows."""
    heads = [element("th", column, scope="col", style=f"{_NUMBER};font-weight:600") for column in columns]
    body = [
        element(
            "tr",
            element("th", row[0], scope="row", style=f"{_NUMBER};font-weight:600"),
            *(cell if _is_cell(cell) else element("td", cell, style=_NUMBER) for cell in row[1:]),
        )
        for row in rows
    ]
    title = [element("caption", caption, style="text-align:left;padding:0.4em 0;opacity:0.8")] if caption else []
    return element(
        "table",
        *title,
        element("thead", element("tr", *heads)),
        element("tbody", *body),
        style=f"{_TABLE};margin-top:0.4em",
    )


def _is_cell(child: Child) -> bool:
    return isinstance(child, Markup) and child.html.startswith("<td")


def shaded(value: float) -> Markup:
    """Return a cell with a probability, the darker the likelier."""
    red, green, blue = SHADE
    ground = f"background:rgb({red} {green} {blue} / {MOST_SHADE * min(1.0, value):.3f})"
    return element("td", probability(value), style=f"{_NUMBER};min-width:3.4em;{ground}")


def probability(value: float) -> str:
    """Return a probability in four digits; only 0 and 1 themselves are written so.

    >>> probability(1 / 15), probability(1.0), probability(1 - 1e-9), probability(1e-9)
    ('0.06667', '1', '>0.9999', '1e-09')
    """
    return ">0.9999" if 0.99995 <= value < 1 else f"{value:.4g}"


def name(value: object) -> Markup:
    """Return a label, cut where it is long."""
    if isinstance(value, tuple) and sum(len(str(part)) for part in value) <= _LONGEST_LABEL:
        return label(value)
    text = str(value)
    return label(text if len(text) <= _LONGEST_LABEL else f"{text[: _LONGEST_LABEL - 1]}…")


def measured(interval: Interval, unit: str) -> Markup:
    """Return a proven number with its unit: exactly, where that is short, or between decimals rounded outward."""
    lower, upper = interval.lower.lower, interval.upper.upper
    if math.isinf(lower) and lower > 0:
        return joined("infinite")
    if math.isinf(upper):
        return joined(f"{_with(f'at least {at_least(lower, _DIGITS)}', unit)}; no upper bound is known")
    exact = exactly(interval)
    low, high = at_least(lower, _DIGITS), at_most(upper, _DIGITS)
    if exact and exact == high:
        shown = exact
    elif exact:
        shown = f"{exact} ≈ {float(interval.upper):.7g}"
    elif low == high:
        shown = low
    else:
        shown = f"between {low} and {high}"
    return joined(_with(shown, unit), f" ({bits(interval.upper)} bits)" if unit == "nats" else "")


def _with(shown: str, unit: str) -> str:
    # A distortion and a utility are measured in the costs that were given, and have no other unit.
    return shown if unit in ("distortion", "utility") else lost(shown, unit)


def exactly(interval: Interval) -> str:
    """Return the number itself, where both ends are it and it is short; else nothing."""
    known = interval.upper.rational is not None or interval.upper.argument_of_log is not None
    written = str(interval.upper) if known and interval.width == 0 else ""
    return written if len(written) <= _LONGEST_LABEL else ""


def short(interval: Interval, unit: str) -> str:
    """Return a number for a line of text."""
    exact = exactly(interval)
    low, high = interval.lower.lower, interval.upper.upper
    if math.isinf(high):
        shown = "infinite" if math.isinf(low) else f"at least {at_least(low, _DIGITS)}"
    elif exact and not exact.startswith("log"):
        shown = exact
    elif interval.width <= 1e-7:
        shown = f"{exact} ≈ {high:.6g}".lstrip()
    else:
        shown = f"{at_least(low, _DIGITS)} to {at_most(high, _DIGITS)}"
    return f"{shown} {unit}" if unit in ("distortion", "utility") else lost(shown, unit)


def number_or_name(value: Real) -> str:
    """Return a given number as it was given, where it is short."""
    text = str(value)
    return text if len(text) <= _LONGEST_LABEL else f"{float(value):.6g}"
