"""The five papers as executable theorems: one folder per paper, one object per claim."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from importlib.util import find_spec

from epstar.errors import InvalidInput
from epstar_papers.figure import Figure, write_csv
from epstar_papers.picture import draw
from epstar_papers.theorem import (
    ALWAYS,
    Case,
    Counterexample,
    Examination,
    Hypothesis,
    Relation,
    Theorem,
    Verdict,
    examine,
)

PAPERS = ("zhong2022", "kalantari2018", "wang2016", "alvim2011", "ngo2024")
"""The keys of the papers, in the order in which the documentation lists them."""

__all__ = [
    "ALWAYS",
    "PAPERS",
    "Case",
    "Counterexample",
    "Examination",
    "Figure",
    "Hypothesis",
    "Relation",
    "Theorem",
    "Verdict",
    "all_figures",
    "all_theorems",
    "draw",
    "examine",
    "find",
    "write_csv",
]


def all_theorems() -> tuple[Theorem, ...]:
    """Return the claims of all the papers; each paper's folder is imported here and not before.

    >>> from epstar_papers import all_theorems
    >>> len(all_theorems()) > 600
    True
    """
    return tuple(theorem for paper in _present() for theorem in import_module(paper).THEOREMS)


def all_figures() -> dict[str, Figure]:
    """Return the figures and tables of all the papers by their keys.

    >>> from epstar_papers import all_figures
    >>> "kalantari2018:fig-4" in all_figures()
    True
    """
    return {figure.key: figure for paper in _present() for figure in import_module(paper).FIGURES.values()}


def find(key: str) -> Theorem | Figure:
    """Return the claim or the figure with a key such as "kalantari2018:thm-2b" or "kalantari2018:fig-4".

    Raises:
        InvalidInput: if there is none, with the nearest keys that exist.

    >>> find("kalantari2018:lemma-1").verdict.value
    'fails'
    """
    known: dict[str, Theorem | Figure] = {**all_figures(), **{theorem.key: theorem for theorem in all_theorems()}}
    if key not in known:
        near = get_close_matches(key, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else "keys look like 'kalantari2018:thm-1'."
        raise InvalidInput(f"There is no claim or figure {key!r}; {hint}")
    return known[key]


def _present() -> list[str]:
    specs = [find_spec(f"epstar_papers.{paper}") for paper in PAPERS]
    # A folder without an __init__ is found too, but has no origin.
    return [spec.name for spec in specs if spec is not None and spec.origin is not None]
