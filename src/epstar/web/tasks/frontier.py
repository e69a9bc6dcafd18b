"""The trade-off: one answer, a curve of them, its breakpoints, and a source from counts."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from epstar.answer import Answer
from epstar.answer_file import write_answer
from epstar.breakpoints import Breakpoint, known_breakpoints
from epstar.citations import by_authors
from epstar.distortion import Gain
from epstar.errors import InvalidInput, NoSolution, TimeLimit
from epstar.exact import ZERO, Rational, Real, rational, text
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.points import stream
from epstar.problem import Problem
from epstar.problem_file import read_problems, read_source, write_source
from epstar.risk import guess_of_two, in_words
from epstar.source import Source
from epstar.statement_words import kept_in_words
from epstar.statistic import Statistic
from epstar.web.tasks.reading import across, band, drawn, fields_of, number, read_as, read_frontier, read_one
from epstar.web.worker import Context

# Where the loss grows without bound as the distortion falls, equal steps draw a polygon; so many of the points lie
# between the first of them, in units of a step.
_BETWEEN = tuple(rational(f"{quarters}/4") for quarters in (5, 6, 7, 10, 14, 18, 22, 26))
_MANY_POINTS = 41
# In nats: who loses less than the second learns next to nothing from a table of usual size.
_LOSSES_OF_STATISTICS = (6, "1/2")


def solve(document: object, context: Context) -> object:
    """Answer one question."""
    problem = read_one(document, context.limits)
    answer = Frontier.answer(problem, time_limit=context.seconds_left)
    # The page draws the mechanism; in the answer itself it stands inside the proof.
    mechanism = None if answer.mechanism is None else answer.mechanism.to_json()
    loss = answer.interval.upper if problem.asks == "loss" else problem.given
    return {
        **write_answer(answer),
        "mechanism": mechanism,
        "shown": {
            "matrix": drawn(answer.mechanism),
            "risk": in_words(problem.notion, loss, problem.protected),
            "guess": _guess(problem, loss),
            "kept": kept_in_words(answer.claims.setting),
            "theorem": by_authors(answer.theorem),
        },
    }


def _guess(problem: Problem, loss: Real) -> float | None:
    """Return how often, at most, one of two equally likely inputs is guessed right; None where the notion is silent."""
    if not isinstance(problem.notion, DifferentialPrivacy):
        return None
    return 1.0 if loss.is_infinite else float(guess_of_two(loss))


def ends(document: object, context: Context) -> object:
    """Return where the trade-off begins and ends, a distortion between, and the jumps that are known at once."""
    frontier = read_frontier(document, context.limits)
    places = _grid(frontier, 3)
    least, middle, free = places[0], places[len(places) // 2], places[-1]
    return {"least": text(least), "middle": text(middle), "free": text(free), **_known(frontier)}


def _known(frontier: Frontier) -> dict[str, object]:
    is_known = not isinstance(frontier.distortion, Statistic)
    found = known_breakpoints(_asked(frontier, ZERO)) if is_known else ()
    return {"breakpoints": [_breakpoint(frontier, point) for point in found]}


def curve(document: object, context: Context) -> object:
    """Answer a question at many points: those of {"at": {"curve": [...]}}, or equal steps, closer at the start.

    Points carry their proven bands; `solve` gives the mechanism and the proof of one. Far points are answered before
    near ones, so that what is known when the time is over still shows the whole course.
    """
    fields = fields_of(document, {"problem", "points"})
    problem = context.limits.check_problem(fields.get("problem"))
    frontier = read_frontier(problem, context.limits)
    if isinstance(problem.get("at"), Mapping) and "curve" in problem["at"]:
        with read_as("a curve"):
            places = [asked.given.below() for asked in read_problems(problem)]
        context.limits.check_points(max(2, len(places)))
    else:
        places = _grid(frontier, context.limits.check_points(fields.get("points", 41)))
    head = {
        "notion": {"name": frontier.notion.name, "title": frontier.notion.title, **frontier.notion.parameters()},
        "axis": "utility" if isinstance(frontier.distortion, Gain) else "distortion",
        "unit": frontier.notion.unit,
        "asked": len(places),
        **_known(frontier),
    }

    def share(found: Mapping[int, Answer | NoSolution]) -> object:
        return {**head, "points": [_point(frontier, places[i], found[i]) for i in sorted(found)]}

    return share(_answers(frontier, places, context, share))


def _answers(
    frontier: Frontier,
    places: list[Rational],
    context: Context,
    share: Callable[[Mapping[int, Answer | NoSolution]], object],
) -> dict[int, Answer | NoSolution]:
    """Return the answers by place, as many as the time allows, from far apart to near; they are shared as they come."""
    found: dict[int, Answer | NoSolution] = {}
    problems = [_asked(frontier, place) for place in places]
    # One worker serves one job; the pool has the others. Designs for a statistic are found one by one.
    is_design = isinstance(frontier.distortion, Statistic)
    designs = ((i, Frontier.answer(problem)) for i, problem in enumerate(problems))
    for place, answer in designs if is_design else stream(problems, 1, context.seconds_left, far_first=True):
        if isinstance(answer, Answer):
            found[place] = answer
        elif answer.is_impossible:
            found[place] = NoSolution(answer.reason)
        elif answer.timed_out and found:
            break
        context.report(len(found), len(places))
        context.share(lambda: share(found))
        if found and context.is_over:
            break
    if not found:
        raise TimeLimit("No point could be answered in time; ask about fewer categories.")
    return found


def _asked(frontier: Frontier, place: Rational) -> Problem:
    return Problem(
        frontier.notion,
        frontier.source,
        frontier.distortion,
        frontier.universe,
        asks="loss",
        given=Real.of(place),
        secret=frontier.secret,
        limits=frontier.limits,
        also=frontier.also,
    )


def _grid(frontier: Frontier, points: int) -> list[Rational]:
    """Return distortions from the least to the free one; errors of a statistic go from a large loss to a small one."""
    if not isinstance(frontier.distortion, Statistic):
        if points < _MANY_POINTS:
            return frontier.grid(points)
        even = frontier.grid(points - len(_BETWEEN))
        if len(even) < 2:
            return even
        step = even[1] - even[0]
        return sorted({*even, *(even[0] + step * between for between in _BETWEEN)})
    small, large = (_rounded(frontier.distortion_at(loss).upper) for loss in _LOSSES_OF_STATISTICS)
    step = (large - small) / (points - 1)
    return [small + step * i for i in range(points)]


def _rounded(error: float) -> Rational:
    """Return an error to three digits, upwards: a point that is asked about is short to write."""
    digits = 2 - math.floor(math.log10(error))
    return rational(f"{math.ceil(error * 10**digits)}/{10**digits}" if digits > 0 else math.ceil(error))


def _head(frontier: Frontier, place: Rational) -> dict[str, object]:
    return {"distortion": text(place), "x": across(frontier, place)}


def _point(frontier: Frontier, place: Rational, answer: Answer | NoSolution) -> dict[str, object]:
    head = _head(frontier, place)
    if isinstance(answer, NoSolution):
        return {**head, "lower": None, "upper": None, "exact": None, "status": str(answer)}
    return {**head, **band(answer.interval), "method": answer.method, "status": answer.status}


def breakpoints(document: object, context: Context) -> object:
    """Return where the trade-off jumps, bends, begins and ends."""
    frontier = read_frontier(document, context.limits)
    if isinstance(frontier.distortion, Statistic):
        raise InvalidInput("Jumps and bends are not looked for where the distortion is the error of a statistic.")
    return {"breakpoints": [_breakpoint(frontier, point) for point in frontier.breakpoints()]}


def _breakpoint(frontier: Frontier, point: Breakpoint) -> dict[str, object]:
    return {
        "kind": point.kind,
        "distortion": text(point.distortion),
        "x": across(frontier, point.distortion),
        "left": band(point.left),
        "right": band(point.right),
        "tolerance": number(point.tolerance),
    }


def source(document: object, context: Context) -> object:
    """Return how far a source reaches: the least and the largest probability of each category.

    With "counts" the source is the box or ball that holds the distribution behind them with a stated confidence.
    """
    fields = fields_of(document, {"counts", "confidence", "shape", "source"})
    with read_as("a source"):
        if "counts" in fields:
            context.limits.check_problem({"source": {"prior": fields["counts"]}})
            shape: Any = fields.get("shape", "box")
            region = Source.from_counts(fields["counts"], confidence=fields.get("confidence", "0.95"), shape=shape)
        else:
            context.limits.check_problem({"source": fields.get("source")})
            region = read_source(fields.get("source"), None)
    context.limits.check_table(region.size, "How far a source reaches is drawn")
    lower, upper = _reach(region)
    return {"source": write_source(region), "lower": lower, "upper": upper}


def _reach(region: Source) -> tuple[list[float], list[float]]:
    """Return the least and the largest probability of each category over a source, to draw them."""
    unit = [[int(i == x) for i in range(region.size)] for x in range(region.size)]
    lower = [float(Real.of(region.minimum(row).value)) for row in unit]
    return lower, [float(Real.of(region.maximum(row).value)) for row in unit]
