"""A proof: what it is about, and what it establishes when it is checked, which happens when it is looked at."""

from __future__ import annotations

from epstar.answer import interval_asked, unit_asked
from epstar.completion import AnyProof
from epstar.errors import EpstarError
from epstar.notebook.answers import asked, risk
from epstar.notebook.card import card, measured
from epstar.release.report.markup import Child


def line(proof: AnyProof) -> str:
    """Return a proof in a line, unchecked."""
    return f"{type(proof).__name__}({asked(proof.problem, unit_asked(proof.problem))})"


def html(proof: AnyProof) -> str:
    """Return a proof as a small page, after checking it."""
    problem, unit = proof.problem, unit_asked(proof.problem)
    title = f"Proof: {asked(problem, unit).lower()}"
    try:
        interval = interval_asked(problem, proof.check())
    except EpstarError as error:
        return card(title, [("checked just now", f"It does not hold: {error}")])
    level = interval.upper if problem.asks == "loss" else problem.given
    facts: list[tuple[str, Child]] = [("establishes", measured(interval, unit)), *risk(problem, level)]
    return card(title, facts, badge="the proof holds")
