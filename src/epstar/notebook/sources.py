"""What is known of the inputs: a distribution as a table, anything else in a sentence."""

from __future__ import annotations

from epstar.exact import text
from epstar.mechanism.base import counted
from epstar.notebook.card import card, name, number_table, shaded
from epstar.release.report.markup import Child
from epstar.risk import source_in_words
from epstar.source import Prior, Source

_MOST = 20
_LONGEST = 24


def html(source: Source) -> str:
    """Return a source as a small page."""
    facts: list[tuple[str, Child]] = [
        ("assumed", source_in_words(source)),
        ("categories", counted(source.size)),
    ]
    if not isinstance(source, Prior):
        return card("What is known about the inputs", facts)
    labels = range(source.size) if source.labels is None else source.labels
    rows: list[list[Child]] = []
    for place in range(min(source.size, _MOST)):
        exact = text(source.probabilities[place])
        rows.append([name(labels[place]), shaded(source.floats[place]), exact if len(exact) <= _LONGEST else ""])
    if source.size > _MOST:
        rows.append(["…", "…", ""])
    return card("Distribution of the inputs", facts, number_table(["category", "probability", "exactly"], rows))
