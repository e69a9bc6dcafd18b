"""A trade-off before anything was asked of it: what it is about."""

from __future__ import annotations

from epstar.frontier import Frontier
from epstar.mechanism.base import counted
from epstar.notebook.card import card, name
from epstar.release.report.markup import Child, joined
from epstar.risk import source_in_words

_MOST = 8


def line(frontier: Frontier) -> str:
    """Return a trade-off in a line."""
    inputs = f"{type(frontier.universe).__name__}({counted(frontier.universe.size)})"
    cost = type(frontier.distortion).__name__
    return f"Frontier({frontier.notion.full_title}; {frontier.source!r}; {cost}; {inputs})"


def html(frontier: Frontier) -> str:
    """Return a trade-off as a small page."""
    universe = frontier.universe
    shown: list[Child] = []
    for place in range(min(universe.size, _MOST)):
        shown += [name(universe.label(place)), ", "]
    more = [] if universe.size <= _MOST else ["…"]
    inputs = joined(f"{counted(universe.size)}: ", *(shown if more else shown[:-1]), *more)
    facts: list[tuple[str, Child]] = [
        ("privacy", frontier.notion.full_title),
        ("known about the inputs", source_in_words(frontier.source)),
        ("inputs", inputs),
        ("cost of an answer", type(frontier.distortion).__name__),
        ("ask", ".loss_at(distortion), .distortion_at(loss), .curve()"),
    ]
    return card("Trade-off between privacy and distortion", facts)
