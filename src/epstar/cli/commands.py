"""What each command does: call the library, then show a table or JSON."""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from epstar.answer_file import read_evidence, write_answer
from epstar.cli.options import problem_document, read_json
from epstar.distortion import Gain
from epstar.frontier import Answer, Frontier
from epstar.problem import Problem
from epstar.problem_file import read_problem


def solve(options: argparse.Namespace) -> int:
    """Answer one question."""
    problem = read_problem(problem_document(options))
    answer = Frontier.answer(problem, method=options.method, time_limit=options.time_limit)
    if options.json:
        print_json(write_answer(answer))
    else:
        _show_answer(problem, answer)
    return 4 if answer.timed_out else 0


def check(options: argparse.Namespace) -> int:
    """Check a proof and say what it establishes."""
    proof = read_evidence(read_json(options.answer))
    interval = proof.check()
    if options.json:
        print_json({"lower": interval.lower.lower, "upper": interval.upper.upper, "holds": True})
    else:
        Console().print(
            f"The proof holds: the {_asked(proof.problem)} is between "
            f"{number(interval.lower.lower)} and {number(interval.upper.upper)}."
        )
    return 0


def demo(_: argparse.Namespace) -> int:
    """Show every notion on one prior."""
    from epstar.distortion import Hamming
    from epstar.notions import NOTIONS, from_problem
    from epstar.source import Prior

    examples = {
        "approximate_differential_privacy": {"delta": "1/10"},
        "renyi_differential_privacy": {"order": "2"},
        "sibson_mutual_information": {"order": "2"},
    }

    prior = Prior(["4/10", "3/10", "2/10", "1/10"])
    table = Table(title="The least privacy loss at distortion 1/5\nprior (0.4, 0.3, 0.2, 0.1), Hamming distortion")
    table.add_column("notion")
    for heading in ("nats", "exactly", "width", "method"):
        table.add_column(heading, no_wrap=True)
    for name in NOTIONS:
        notion = from_problem({"name": name, **examples.get(name, {})})
        answer = Frontier(notion, prior, Hamming()).loss_at(distortion="1/5")
        exact = str(answer.interval.upper) if answer.interval.width == 0 else ""
        table.add_row(notion.title, f"{answer.upper:.9f}", exact, f"{answer.interval.width:.0e}", answer.method)
    Console().print(table)
    Console().print("Each value was proven: a mechanism attains it, and multipliers show that none loses less.")
    return 0


def _show_answer(problem: Problem, answer: Answer) -> None:
    console = Console()
    table = Table(title=f"{problem.notion.title}: {_asked(problem)}", show_header=False)
    table.add_row("answer", f"{number(answer.lower)} to {number(answer.upper)}")
    if answer.interval.width == 0:
        table.add_row("exactly", str(answer.interval.upper))
    table.add_row("method", answer.method)
    table.add_row("rests on", answer.theorem)
    table.add_row("status", answer.status)
    console.print(table)
    mechanism = answer.mechanism
    if mechanism is not None and max(mechanism.shape) <= 12:
        console.print(_matrix(mechanism.dense().floats.tolist(), list(mechanism.universe.labels), mechanism.outputs))


def _matrix(rows: Sequence[Sequence[float]], inputs: Sequence[object], outputs: Sequence[object]) -> Table:
    table = Table(title="mechanism: probability of each output (columns) given the input (rows)")
    table.add_column("")
    for output in outputs:
        table.add_column(str(output), justify="right")
    for label, row in zip(inputs, rows, strict=True):
        table.add_row(str(label), *(f"{value:.4f}" for value in row))
    return table


def _asked(problem: Problem) -> str:
    if problem.asks == "loss":
        return f"least loss at distortion {problem.given}"
    what = "best utility" if isinstance(problem.distortion, Gain) else "least distortion"
    return f"{what} at loss {problem.given}"


def number(value: float) -> str:
    """Return a bound as it is shown in tables."""
    return "infinite" if math.isinf(value) else f"{value:.12g}"


def print_json(document: object) -> None:
    """Print a document as JSON on one line."""
    print(json.dumps(document, allow_nan=False))
