"""Faces: the entries of a mechanism that are known to vanish, as the steps of a claim find them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Entry = tuple[int, int]


@dataclass(frozen=True)
class Face:
    """Entries that vanish: of each row some outputs, or if it says so all but these."""

    rows: Mapping[int, tuple[bool, frozenset[int]]] = field(default_factory=dict)

    @classmethod
    def of(cls, entries: Iterable[Entry]) -> Face:
        """Return the face of some entries."""
        found: dict[int, set[int]] = {}
        for x, y in entries:
            found.setdefault(x, set()).add(y)
        return cls({x: (False, frozenset(outputs)) for x, outputs in found.items()})

    def row(self, x: int) -> tuple[bool, frozenset[int]]:
        """Return whether all outputs of an input vanish but some, and these; or those that vanish."""
        return self.rows.get(x, (False, frozenset()))

    def __contains__(self, entry: Entry) -> bool:
        is_rest, named = self.row(entry[0])
        return (entry[1] in named) != is_rest

    def __bool__(self) -> bool:
        return bool(self.rows)

    def __or__(self, other: Face) -> Face:
        found = dict(self.rows)
        for x, (is_more, more) in other.rows.items():
            is_rest, known = self.row(x)
            both = known & more if is_rest and is_more else known - more if is_rest else more - known
            found[x] = is_rest or is_more, both if is_rest or is_more else known | more
        return Face(found)
