"""A release: where it went, and what its owner should know before handing it on."""

from __future__ import annotations

from epstar.notebook.card import card
from epstar.release.release import Release
from epstar.release.report.markup import Child, element
from epstar.release.report.summary import summary


def line(release: Release) -> str:
    """Return a release in a line, without its description."""
    columns = ", ".join(" × ".join(entry["names"]) for entry in release.document["columns"])
    return f"Release({release.rows} rows in {release.output.name!r}; {columns}; see {release.release_file.name!r})"


def html(release: Release) -> str:
    """Return a release as a small page."""
    known = summary(release)
    facts: list[tuple[str, Child]] = [
        ("table", f"{release.output.name}, {release.rows} rows"),
        ("described in", release.release_file.name),
    ]
    facts += [("attention", element("strong", sentence)) for sentence in known.warnings()]
    first, *others = known.sentences()
    facts += [("to know", first), *(("", sentence) for sentence in others)]
    return card("Released table", facts)
