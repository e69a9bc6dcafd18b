"""A proof: what it is about, and what it establishes when it is checked, which happens when it is looked at."""

from __future__ import annotations

from epstar.answer import interval_asked, unit_asked
from epstar.completion import AnyProof
from epstar.errors import EpstarError
from epstar.notebook.answers import asked, risk
from epstar.notebook.card import card, measured
from epstar.proof import CurveProof
from epstar.release.report.markup import Child


def line(proof: AnyProof | CurveProof) -> str:
    """Return a proof in a line, unchecked."""
    kind = type(proof).__name__
    if isinstance(proof, CurveProof):
        return f"{kind}({proof.notion.full_title}, {len(proof.points)} points)"
    return f"{kind}({asked(proof.problem, unit_asked(proof.problem))})"


def html(proof: AnyProof | CurveProof) -> str:
    """Return a proof as a small page, after checking it."""
    title, facts, holds = _curve(proof) if isinstance(proof, CurveProof) else _point(proof)
    return card(title, facts, badge="the proof holds" if holds else "")


def _point(proof: AnyProof) -> tuple[str, list[tuple[str, Child]], bool]:
    problem, unit = proof.problem, unit_asked(proof.problem)
    title = f"Proof: {asked(problem, unit).lower()}"
    try:
        interval = interval_asked(problem, proof.check())
    except EpstarError as error:
        return title, [("checked just now", f"It does not hold: {error}")], False
    level = interval.upper if problem.asks == "loss" else problem.given
    facts: list[tuple[str, Child]] = [("establishes", measured(interval, unit)), *risk(problem, level)]
    return title, facts, True


def _curve(proof: CurveProof) -> tuple[str, list[tuple[str, Child]], bool]:
    title = f"Proof of a trade-off of {proof.notion.full_title}"
    try:
        count = len(proof.check())
    except EpstarError as error:
        return title, [("checked just now", f"It does not hold: {error}")], False
    return title, [("establishes", f"both ends at {count} points")], True
