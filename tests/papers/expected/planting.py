"""How an error is planted in a theorem."""

from dataclasses import replace
from typing import Any

from epstar_papers import Theorem, find


def _theorem(paper: str, key: str) -> Theorem:
    found = find(f"{paper}:{key}")
    assert isinstance(found, Theorem)
    return found


def planted(paper: str, key: str, **fields: Any) -> Theorem:
    """A theorem with some of its parts exchanged for wrong ones."""
    return replace(_theorem(paper, key), **fields)


def swapped(paper: str, key: str) -> Theorem:
    """A theorem whose printed and corrected formulas have changed places."""
    theorem = _theorem(paper, key)
    return replace(theorem, printed=theorem.corrected, corrected=theorem.printed)
