"""Each guarantee of a release as a reader meets it: its name, its sentence and its level."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.notions import Notion
from epstar.release.guarantee import Guarantee
from epstar.risk import depends_on, in_words
from epstar.rounding import at_most, bits, nats
from epstar.source import Source
from epstar.universe import Universe


@dataclass(frozen=True)
class Explained:
    """A guarantee for readers: its name, its sentence, its level, and whether it rests on assumed frequencies."""

    notion: Notion
    title: str
    sentence: str
    level: str
    rests_on_source: bool


def explained(guarantee: Guarantee, universe: Universe, source: Source) -> Explained | None:
    """Return a guarantee about the values of a universe in plain words, or None where it was not measured."""
    loss, notion = guarantee.loss, guarantee.notion
    if loss is None or loss.upper is None:
        return None
    level = loss.upper
    title = notion.full_title
    rests_on_source = depends_on(notion, source)
    if level.is_infinite:
        return Explained(notion, title, in_words(notion, level, universe), "no limit", rests_on_source)
    written = f"{nats(at_most(level.upper, 6))}, {bits(level)} bits"
    return Explained(notion, title, in_words(notion, level, universe), written, rests_on_source)
