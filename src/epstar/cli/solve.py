"""`epstar solve`: one question, its answer, its proof."""

from __future__ import annotations

import argparse
import sys

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from epstar.answer import Answer, claimed, refutation
from epstar.answer import answer as answered
from epstar.answer_file import write_answer
from epstar.cli.options import add_memory_option, add_problem_options, memory_limit, problem_document
from epstar.cli.progress import progress
from epstar.cli.result import LIMIT, NO_SOLUTION, Result, number
from epstar.distortion import Gain
from epstar.errors import NoSolution
from epstar.exact import Real
from epstar.mechanism import AnyMechanism
from epstar.problem import Problem
from epstar.problem_file import read_problem
from epstar.proof_file.document import write_bracket
from epstar.risk import in_words
from epstar.statement_words import kept_in_words
from epstar.statistic import Statistic

EXAMPLES = """\
epstar solve --notion dp --prior 0.4,0.3,0.2,0.1 --distortion 0.2
epstar solve --notion leakage --prior 0.5,0.3,0.2 --loss "log(2)" --plot mechanism.svg
epstar solve --notion renyi --order 2 --prior 0.5,0.3,0.2 --cost absolute --distortion 0.4 --explain
epstar solve problem.json --json > answer.json"""
PICTURE = "the mechanism"

# Larger mechanisms would fill the screen; --json holds them all.
_SHOWN = 12


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the problem, and how to solve it."""
    add_problem_options(parser)
    parser.add_argument(
        "--method",
        type=lambda written: written.replace("-", " "),
        choices=("closed form", "program"),
        metavar="closed-form|program",
        help="solve it in this way only",
    )
    parser.add_argument("--explain", action="store_true", help="say how the answer was found, step by step")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop then, with what is proven so far")
    add_memory_option(parser)


def run(options: argparse.Namespace) -> Result:
    """Answer one question."""
    problem = read_problem(problem_document(options))
    try:
        with progress("solving"):
            limits = options.time_limit, memory_limit(options)
            answer = answered(problem, options.method, *limits)
    except NoSolution as error:
        proof = refutation(error)
        if proof is None or not options.json:
            raise
        print(f"epstar: {error}", file=sys.stderr)
        return Result(write_bracket(claimed(proof)), (), code=NO_SOLUTION)
    mechanism = answer.mechanism

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        if mechanism is not None:
            plot_mechanism(mechanism, file)

    code = LIMIT if answer.timed_out or answer.too_large else 0
    shown = shown_answer(problem, answer)
    if options.explain and answer.explanation is not None:
        lines = answer.explanation.lines(seconds=True)
        if options.json:
            print("\n".join(lines), file=sys.stderr)
        shown = (*shown, *(Text(line) for line in lines))
    # The proof is written out only for those who want it.
    return Result(write_answer(answer) if options.json else None, shown, answer.theorem, draw, code)


def shown_answer(problem: Problem, answer: Answer) -> tuple[RenderableType, ...]:
    """Return the answer and its mechanism as tables."""
    table = Table(title=f"{problem.notion.full_title}: {asked(problem)}", show_header=False)
    exact = answer.interval.width == 0
    table.add_row("answer", number(answer.upper) if exact else f"{number(answer.lower)} to {number(answer.upper)}")
    if exact:
        table.add_row("exactly", str(answer.interval.upper))
    table.add_row("method", answer.method)
    table.add_row("follows from", answer.theorem)
    table.add_row("status", answer.status)
    if problem.secret is not None:
        table.add_row("secret", ", ".join(map(str, problem.secret.universe.labels)))
    if problem.limits or problem.also:
        table.add_row("kept", kept_in_words(answer.claims.setting))
    risk = in_words(problem.notion, _promised(problem, answer), problem.protected)
    return (table, risk, *shown_mechanism(answer.mechanism))


def _promised(problem: Problem, answer: Answer) -> Real:
    """The loss that the mechanism of an answer keeps."""
    return answer.interval.upper if problem.asks == "loss" else problem.given


def shown_mechanism(mechanism: AnyMechanism | None) -> tuple[Table, ...]:
    """Return a mechanism as a table, if it is small enough to be read."""
    if mechanism is None or max(mechanism.shape) > _SHOWN:
        return ()
    table = Table(title="mechanism: probability of each output (columns) given the input (rows)")
    table.add_column("")
    for output in mechanism.outputs:
        table.add_column(str(output), justify="right")
    for label, row in zip(mechanism.universe.labels, mechanism.dense().floats.tolist(), strict=True):
        table.add_row(str(label), *(f"{value:.4f}" for value in row))
    return (table,)


def asked(problem: Problem) -> str:
    """Return what a problem asks for, in words."""
    if problem.asks == "loss":
        return f"least loss ({problem.notion.unit}) at distortion {problem.given}"
    what = "best utility" if isinstance(problem.distortion, Gain) else "least distortion"
    if isinstance(problem.distortion, Statistic):
        what = f"least squared error of a statistic from {problem.distortion.rows} rows"
    return f"{what} at loss {problem.given} ({problem.notion.unit})"
