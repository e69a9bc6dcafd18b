"""Reductions: problems whose answers say what the answer of another one is.

Each accepts a problem by hypotheses that are checked on its data, says what to ask instead, and lifts the evidence.
`REDUCTIONS` are tried in this order, and the first that accepts a problem replaces it.
"""

from epstar.solve.method import Outcome, Reduction
from epstar.solve.reductions.additions import Additions
from epstar.solve.reductions.canonical import CanonicalForm, LevelZero
from epstar.solve.reductions.rows import IndependentRows

REDUCTIONS: tuple[Reduction, ...] = (
    Additions(),
    IndependentRows(),
    CanonicalForm(),
    LevelZero(),
)

__all__ = ["REDUCTIONS", "Additions", "Outcome", "Reduction"]
