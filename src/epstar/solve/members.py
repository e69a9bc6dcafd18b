"""The members of a source that a program starts from."""

from __future__ import annotations

from epstar.exact import ONE, ZERO
from epstar.proof.converse import Point
from epstar.source import Everything, Finite, Hull, Prior, Rows, Source

# Sources whose extreme members are all listed, so that a program never needs to ask for more.
LISTED = (Prior, Finite, Hull, Everything, Rows)


def initial_members(source: Source) -> list[Point]:
    """Return all members that are listed, or for a region the extreme ones along each letter."""
    if isinstance(source, Prior):
        return [source.probabilities]
    if isinstance(source, Finite | Hull):
        return list(source.points)
    if isinstance(source, Everything | Rows):
        return source.vertices()
    found: dict[Point, None] = {}
    for letter in range(source.size):
        unit = [ONE if x == letter else ZERO for x in range(source.size)]
        found[source.maximum(unit).point] = None
        found[source.minimum(unit).point] = None
    return list(found)
