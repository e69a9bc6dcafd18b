"""`epstar check`: whether a proof establishes what it claims."""

from __future__ import annotations

import argparse

from epstar.cli.progress import progress
from epstar.cli.result import Result, finite, number
from epstar.deadline import Deadline
from epstar.errors import TimeLimit
from epstar.json_document import read_json
from epstar.statement import Statement, established

EXAMPLES = """\
epstar check answer.json
epstar check curve.json
epstar check released.csv.release.json
epstar solve problem.json --json | epstar check -"""
PICTURE = "the mechanism of the proof"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the file to check."""
    parser.add_argument("answer", help="an answer, a curve, a release file or a proof in JSON; - for standard input")
    parser.add_argument("--time-limit", type=float, metavar="SECONDS", help="stop then, and say nothing of the proof")


def run(options: argparse.Namespace) -> Result:
    """Check a proof and say what it establishes.

    Raises:
        TimeLimit: if it was not checked in time.
    """
    document, deadline = read_json(options.answer), Deadline(options.time_limit)
    try:
        with progress("checking"), deadline.kept():
            return _told(established(document), document)
    except TimeLimit:
        raise TimeLimit(
            f"The proof was not checked within {number(options.time_limit)} seconds, which says nothing about it; "
            "raise the limit."
        ) from None


def _told(found: Statement, document: object) -> Result:
    mechanism = found.mechanism

    def draw(file: str) -> None:
        from epstar.plot import plot_mechanism

        if mechanism is not None:
            plot_mechanism(mechanism, file)

    ends = [None if one is None else [finite(one.lower.lower), finite(one.upper.upper)] for one in found.intervals]
    told: dict[str, object] = {"holds": True, "proven": list(found.sentences)}
    if found.is_curve:
        told["points"] = ends
    elif ends and ends[0] is not None:
        told["lower"], told["upper"] = ends[0]
    # An answer names the theorem that it rests on; a proof alone needs none.
    theorem = str(document.get("theorem", "")) if isinstance(document, dict) else ""
    return Result(told, ("The proof holds.", *found.sentences), theorem, draw)
