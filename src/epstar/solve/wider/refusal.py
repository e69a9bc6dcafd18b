"""That there is no mechanism, in words: which limits and further guarantees the proof of it rests on."""

from __future__ import annotations

from dataclasses import replace

from epstar.claims import Excluded, Setting, check_excluded
from epstar.errors import ProofRejected
from epstar.limits import limit_in_words
from epstar.problem import Problem
from epstar.rounding import lost


def refusal(problem: Problem, claim: Excluded) -> str:
    """Return in words that there is no mechanism, and what clashes."""
    used = _clashing(problem, claim)
    more = f" and {len(used) - 4} others" if len(used) > 4 else ""
    clash = f"; these clash: {', '.join(used[:4])}{more}" if used else ""
    clash = f"; it clashes with {used[0]}" if len(used) == 1 else clash
    if problem.asks == "loss":
        return f"No mechanism has a finite loss of {problem.notion.title} at distortion {problem.given}{clash}."
    level = lost(str(problem.given), problem.notion.unit)
    return f"No mechanism keeps a loss of {level} by {problem.notion.title} and all limits{clash}."


def _clashing(problem: Problem, claim: Excluded) -> list[str]:
    """Return in words the limits and further guarantees that the steps of a claim rest on."""
    names = [
        one for step in claim.steps for one in (*(name for name, *_ in step.ratios), *(use.name for use in step.sums))
    ]
    read, limits = {name[0] for name in names}, problem.limits
    used = [
        f"{notion.full_title} at {lost(str(level), notion.unit)}"
        for which, (notion, level) in enumerate(problem.also, 1)
        if which in read
    ]
    if limits.allowed is not None:
        free = replace(limits, allowed=tuple((True,) * len(row) for row in limits.allowed))
        try:
            check_excluded(Setting.of(replace(problem, limits=free)), claim)
        except ProofRejected:
            used.append("the forbidden transitions")
    named = dict.fromkeys(name for step in claim.steps for name, _ in step.limits)
    return [*used, *map(limit_in_words, named)]
