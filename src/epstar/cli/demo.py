"""`epstar demo`: every notion on one prior, and on request a finished example from a table to its report."""

from __future__ import annotations

import argparse
from pathlib import Path

from rich.table import Table

from epstar.answer_file import write_answer
from epstar.cli import serve
from epstar.cli.example import FILES, write_example
from epstar.cli.progress import progress
from epstar.cli.result import Result
from epstar.distortion import Hamming
from epstar.frontier import Frontier
from epstar.notions import NOTIONS, from_problem
from epstar.source import Prior

EXAMPLES = """\
epstar demo
epstar demo -o example"""
PICTURE = ""

_PARAMETERS: dict[str, dict[str, object]] = {
    "approximate_differential_privacy": {"delta": "1/10"},
    "renyi_differential_privacy": {"order": "2"},
    "sibson_mutual_information": {"order": "2"},
    # A guess next to the truth gains half.
    "g_leakage": {
        "gain": [["1", "1/2", "0", "0"], ["1/2", "1", "1/2", "0"], ["0", "1/2", "1", "1/2"], ["0", "0", "1/2", "1"]]
    },
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the folder of the finished example."""
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", help="create this folder with a survey: released, estimated and reported on"
    )


def run(options: argparse.Namespace) -> Result:
    """Solve the example under every notion; with a folder, take a survey from the table to the report as well."""
    folder = None if options.output is None else Path(options.output)
    table = Table(title="The least privacy loss at distortion 1/5\nprior (0.4, 0.3, 0.2, 0.1), Hamming distortion")
    table.add_column("notion")
    for heading in ("least loss", "unit", "exactly", "width", "method"):
        table.add_column(heading, no_wrap=True)
    documents, theorems = [], []
    steps = len(NOTIONS) + (folder is not None)
    with progress("solving") as step:
        for done, name in enumerate(NOTIONS):
            if step is not None:
                step(done, steps)
            notion = from_problem({"name": name, **_PARAMETERS.get(name, {})})
            answer = Frontier(notion, Prior(["4/10", "3/10", "2/10", "1/10"]), Hamming()).loss_at(distortion="1/5")
            exact = str(answer.interval.upper) if answer.interval.width == 0 else ""
            table.add_row(
                notion.full_title,
                f"{answer.upper:.9f}",
                notion.unit,
                exact,
                f"{answer.interval.width:.0e}",
                answer.method,
            )
            documents.append(write_answer(answer))
            theorems.append(answer.theorem)
        if folder is not None:
            write_example(folder)
    closing = "Each value was proven: a mechanism attains it, and multipliers show that none loses less."
    explorer = f"The explorer: `epstar serve` prints its address, which ends with a token: {_explorer()}"
    ending = () if folder is None else (_files(folder), explorer)
    document = {"schema": "epstar/demo/1", "answers": documents}
    return Result(document, (table, closing, *ending), "; ".join(theorems))


def _files(folder: Path) -> Table:
    table = Table(title=f"A finished example in {folder}")
    for heading in ("file", "what it is"):
        table.add_column(heading)
    for name, what in FILES.items():
        table.add_row(name, what)
    return table


def _explorer() -> str:
    parser = argparse.ArgumentParser()
    serve.add_options(parser)
    return f"http://{parser.get_default('host')}:{parser.get_default('port')}/"
