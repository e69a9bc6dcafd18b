"""An answer: the number with its unit, what it means to those who are guessed about, and the mechanism."""

from __future__ import annotations

from epstar.answer import Answer
from epstar.citations import by_authors
from epstar.distortion import Gain
from epstar.exact import Real
from epstar.notebook.card import card, measured, number_or_name, short
from epstar.notebook.evidence import is_proven
from epstar.notebook.mechanisms import matrix, size_of
from epstar.problem import Problem
from epstar.release.report.markup import Child
from epstar.risk import depends_on, in_words
from epstar.rounding import lost


def line(answer: Answer) -> str:
    """Return an answer in a line, without its proof."""
    shape = "no mechanism" if answer.mechanism is None else f"{size_of(answer.mechanism)} mechanism"
    return f"Answer({short(answer.interval, unit_of(answer))}; {answer.status}; {answer.method}; {shape})"


def html(answer: Answer) -> str:
    """Return an answer as a small page."""
    problem = answer.proof.problem
    what = "privacy loss" if problem.asks == "loss" else answer.unit
    facts: list[tuple[str, Child]] = [(what, measured(answer.interval, unit_of(answer)))]
    level = answer.interval.upper if problem.asks == "loss" else problem.given
    facts += risk(problem, level)
    facts.append(
        ("method", f"{answer.method}; follows from {by_authors(answer.theorem)}" if answer.theorem else answer.method)
    )
    proven = is_proven(answer)
    facts.append(("status", answer.status if proven else "not proven: the numbers do not follow from the proof"))
    tables = [] if answer.mechanism is None else [matrix(answer.mechanism)]
    return card(asked(problem, answer.unit), facts, *tables, badge="proven" if proven else "")


def unit_of(answer: Answer) -> str:
    """Return what the number is a number of: the distortion, the utility, or the unit of the notion."""
    problem = answer.proof.problem
    return problem.notion.unit if problem.asks == "loss" else answer.unit


def asked(problem: Problem, unit: str) -> str:
    """Return the question that was asked."""
    given = number_or_name(problem.given)
    if problem.asks == "loss":
        is_gain = isinstance(problem.distortion, Gain)
        bound = f"utility {number_or_name(problem.given * -1)}" if is_gain else f"distortion {given}"
        return f"Least loss of {problem.notion.full_title} at {bound}"
    sought = "Best utility" if unit == "utility" else "Least distortion"
    return f"{sought} at a loss of {lost(given, problem.notion.unit)} of {problem.notion.full_title}"


def risk(problem: Problem, level: Real) -> list[tuple[str, Child]]:
    """Return what a loss means, in words that are exact or rounded against the mechanism."""
    words = in_words(problem.notion, level, problem.protected)
    if depends_on(problem.notion, problem.source):
        words += " This holds for the frequencies that are assumed."
    return [("in words", words)]
