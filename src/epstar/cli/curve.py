"""`epstar curve`: the trade-off at many points, as a table, as JSON or as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

import numpy as np
from rich.table import Table

from epstar.breakpoints import breakpoints
from epstar.breakpoints_file import write_breakpoints
from epstar.cli.options import add_memory_option, add_problem_options, memory_limit, problem_document
from epstar.cli.progress import progress
from epstar.cli.result import LIMIT, Result, number
from epstar.curve import Curve, Progress, Unanswered, solved_curve
from epstar.curve_file import write_curve
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Real
from epstar.frontier import Answer, Frontier
from epstar.problem import Problem
from epstar.problem_file import read_problem, read_problems

EXAMPLES = """\
epstar curve --notion dp --prior 0.4,0.3,0.2,0.1 --distortion 0.1,0.2,0.3
epstar curve --notion dp --prior 0.4,0.3,0.2,0.1 --points 100 --plot curve.svg
epstar curve problem.json --json
epstar curve --notion dp --prior 0.4,0.3,0.2,0.1 --breakpoints --json"""
PICTURE = "the curve"

_POINTS = 50
# More than a picture can show; a curve holds a proof for each.
_MOST_POINTS = 10_000
_NONE = "no mechanism"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the problem and the points."""
    add_problem_options(parser)
    parser.add_argument(
        "--points",
        type=int,
        metavar="N",
        help=f"the number of distortions, from end to end of the trade-off (default: {_POINTS})",
    )
    parser.add_argument(
        "--breakpoints",
        action="store_true",
        help="find where the trade-off jumps, bends, begins and ends, with proofs",
    )
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop then, with what is proven so far")
    add_memory_option(parser)


def run(options: argparse.Namespace) -> Result:
    """Answer the same question at many points.

    Raises:
        NoSolution: if none of the points has a solution.
    """
    if options.breakpoints:
        return _breakpoints(options)
    with progress("solving") as step:
        found = _solved(options, step)
    methods = [_method(found, place) for place in range(len(found.problems))]
    if _NONE in methods and not np.isfinite(found.lower).any():
        missing = found.known[methods.index(_NONE)]
        raise NoSolution(missing.reason if isinstance(missing, Unanswered) else _NONE)

    def draw(file: str) -> None:
        from epstar.plot import plot_curves

        plot_curves([found], file)

    document = write_curve(found) if options.json else None
    code = LIMIT if found.timed_out or found.too_large else 0
    return Result(document, (_table(found, methods),), _theorems(found), draw, code)


def _breakpoints(options: argparse.Namespace) -> Result:
    """Find the breakpoints of the whole trade-off, and what proves them."""
    if options.points is not None or options.distortion is not None or options.loss is not None:
        raise InvalidInput("Breakpoints are those of the whole trade-off; leave out --points, --distortion and --loss.")
    document = problem_document(options)
    if not isinstance(document, Mapping):
        raise InvalidInput("A problem file must hold one JSON object.")
    problem = read_problem({**document, "at": {"distortion": "0"}})
    with progress("searching"):
        points = breakpoints(problem, options.time_limit)
        written = write_breakpoints(problem, points, options.time_limit) if options.json else None
    table = Table(title=f"{problem.notion.full_title}: breakpoints of the least loss ({problem.notion.unit})")
    for heading in ("distortion", "kind", "below", "at", "known"):
        table.add_column(heading, justify="right")
    for point in points:
        ends = (number(point.left.upper.upper), number(point.right.upper.upper))
        known = "exactly" if point.is_exact else f"to within {point.tolerance:.0e}"
        table.add_row(_shown(Real.of(point.distortion)), point.kind, *ends, known)
    return Result(written, (table,))


def _solved(options: argparse.Namespace, progress: Progress | None) -> Curve:
    document = problem_document(options)
    limits = options.time_limit, memory_limit(options)
    if not isinstance(document, Mapping):
        raise InvalidInput("A problem file must hold one JSON object.")
    at = document.get("at")
    if options.points is None and at is not None:
        levels = at.get("loss") if isinstance(at, Mapping) else None
        if isinstance(levels, str) and "," in levels:
            problems = [read_problem({**document, "at": {"loss": level}}) for level in levels.split(",")]
        else:
            problems = read_problems(document)
        return solved_curve(problems, None, progress, *limits)
    if options.distortion is not None or options.loss is not None:
        raise InvalidInput("The option --points chooses the distortions by itself; leave out --distortion and --loss.")
    template = read_problem({**document, "at": {"distortion": "0"}})
    frontier = Frontier(
        template.notion,
        template.source,
        template.distortion,
        template.universe,
        secret=template.secret,
        limits=template.limits,
        also=template.also,
    )
    points = _POINTS if options.points is None else options.points
    if not 2 <= points <= _MOST_POINTS:
        raise InvalidInput(f"--points {points} is not between 2 and {_MOST_POINTS}; choose fewer, or at least two.")
    return frontier.curve(None, None, points, None, progress, *limits)


def _table(found: Curve, methods: Sequence[str]) -> Table:
    first = found.problems[0]
    loss = f"loss ({first.notion.unit})"
    asked, over = (f"least {loss}", "distortion") if found.asks == "loss" else ("least distortion", loss)
    asked = "best utility" if found.unit == "utility" else asked
    table = Table(title=f"{first.notion.full_title}: {asked}")
    for heading in (over, "lower", "upper", "method"):
        table.add_column(heading, justify="right")
    for problem, lower, upper, method in zip(found.problems, found.lower, found.upper, methods, strict=True):
        table.add_row(_given(problem), number(float(lower)), number(float(upper)), method)
    return table


def _method(found: Curve, place: int) -> str:
    answer = found.known[place]
    if isinstance(answer, Unanswered):
        return _NONE if answer.is_impossible else "time limit" if answer.timed_out else "no answer"
    reached = "time limit" if answer.timed_out else "too large" if answer.too_large else ""
    return ", ".join(filter(None, (answer.method, reached)))


def _theorems(found: Curve) -> str:
    return "; ".join(answer.theorem for answer in found.known if isinstance(answer, Answer))


def _given(problem: Problem) -> str:
    return _shown(problem.given)


def _shown(value: Real) -> str:
    written = str(value)
    return written if len(written) <= 12 else f"{float(value):.8g}"
