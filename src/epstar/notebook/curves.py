"""A curve: the proven ends at its points, with what the losses mean, where that is a number."""

from __future__ import annotations

import math
from collections.abc import Callable

from epstar.answer import Answer
from epstar.curve import Curve
from epstar.distortion import Gain
from epstar.exact import INFINITY, Rational, Real
from epstar.mechanism.base import counted
from epstar.notebook.card import card, number_or_name, number_table
from epstar.notebook.evidence import proven_points
from epstar.notions import DifferentialPrivacy, MaximalLeakage
from epstar.problem import Problem
from epstar.release.report.markup import Child
from epstar.risk import factor_of, guess_of_all, guess_of_two
from epstar.rounding import at_least, at_most, percent, percent_before
from epstar.universe import Alphabet

_MOST = 12
_DIGITS = 6


def line(curve: Curve) -> str:
    """Return a curve in a line, without its points."""
    first, last = (_place(curve.problems[place]) for place in (0, -1))
    what, where = ("loss" if curve.asks == "loss" else curve.unit), _axis(curve)
    title = curve.problems[0].notion.full_title
    count = len(curve.problems)
    return f"Curve({title}; least {what} at {count} points, {where} {first} to {last})".replace(
        "least utility", "best utility"
    )


def html(curve: Curve) -> str:
    """Return a curve as a small page: some of its points, evenly chosen, where there are many."""
    count, proven = len(curve.problems), proven_points(curve)
    notion = curve.problems[0].notion
    given = _axis(curve) if curve.asks == "loss" else f"loss ({notion.unit})"
    what, unit = ("loss", f" ({notion.unit})") if curve.asks == "loss" else (curve.unit, "")
    chosen = range(count) if count <= _MOST else sorted({round(k * (count - 1) / (_MOST - 1)) for k in range(_MOST)})
    heads, rows = [given, *(f"{what} at {side}{unit}" for side in ("least", "most"))], []
    meanings = [_meaning(curve, place) for place in chosen]
    if any(meanings):
        heads += ["odds move by at most"] if isinstance(notion, DifferentialPrivacy) else []
        heads += [_guess_heading(curve)]
    for place, meaning in zip(chosen, meanings, strict=True):
        ends = _end(curve.lower[place], at_least), _end(curve.upper[place], at_most)
        rows.append([_place(curve.problems[place]), *ends, *meaning])
    more = f"{len(rows)} of {count} points; " if len(rows) < count else ""
    caption = f"{more}all of them: .to_frame(), .plot()" if more else ""
    badge = "proven" if proven == count else f"{proven} of {count} points proven" if proven else ""
    table = number_table(heads, rows, caption)
    return card(f"Trade-off of {notion.full_title}", [], table, badge=badge)


def _axis(curve: Curve) -> str:
    """What the points are places of."""
    if curve.asks == "distortion":
        return "loss"
    return "utility" if isinstance(curve.problems[0].distortion, Gain) else "distortion"


def _place(problem: Problem) -> str:
    # A utility is asked for as a distortion turned round.
    is_gain = problem.asks == "loss" and isinstance(problem.distortion, Gain)
    return number_or_name(problem.given * -1 if is_gain else problem.given)


def _end(value: float, rounded: Callable[[float, int], str]) -> str:
    if math.isinf(value):
        return "infinite" if value > 0 else "no bound"
    return rounded(value, _DIGITS)


def _guess_heading(curve: Curve) -> str:
    problem = curve.problems[0]
    if isinstance(problem.notion, DifferentialPrivacy):
        pair = "two equally likely values" if isinstance(problem.universe, Alphabet) else "two such at distance 1"
        return f"right guess of {pair} (before: {percent_before(Rational(1, 2))})"
    size = problem.universe.size
    return f"right guess of {counted(size)} equally likely values (before: {percent_before(Rational(1, size))})"


def _meaning(curve: Curve, place: int) -> list[Child]:
    """What the loss at a point means: the odds and the guess between two, or the guess among all."""
    problem = curve.problems[place]
    level = _level(curve, place)
    match problem.notion:
        case DifferentialPrivacy():
            odds = "no limit" if level.is_infinite else f"× {factor_of(level)}"
            return [odds, f"at most {percent(guess_of_two(level))}"]
        case MaximalLeakage():
            share: float | Rational = 1.0 if level.is_infinite else guess_of_all(level, problem.universe.size)
            return [f"at most {percent(share)}"]
        case _:
            return []


def _level(curve: Curve, place: int) -> Real:
    """The loss at a point, exact where the curve holds it so."""
    if curve.asks != "loss":
        return curve.problems[place].given
    answer = curve.known[place]
    return answer.interval.upper if isinstance(answer, Answer) else INFINITY
