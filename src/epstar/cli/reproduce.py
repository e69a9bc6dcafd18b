"""`epstar reproduce`: the papers' figures and tables as data and as pictures, and every verdict recomputed."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.table import Table

from epstar.cli.progress import Step, progress
from epstar.cli.result import REFUTED, Result
from epstar.errors import InvalidInput
from epstar_papers import Figure, all_figures, all_theorems, draw, examine, write_csv

EXAMPLES = """\
epstar reproduce kalantari2018 fig4
epstar reproduce kalantari2018 fig4 --plot fig4.html
epstar reproduce --all -o figures"""
PICTURE = "the figure, beside those that are written anyway,"

_VERDICTS = {
    "holds": "not refuted",
    "holds with erratum": "misprinted, true as corrected",
    "fails": "false",
    "open": "open",
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add which figures, and where to."""
    parser.add_argument("paper", nargs="?", help="such as kalantari2018")
    parser.add_argument("figure", nargs="?", help="such as fig4 (default: all figures of the paper)")
    parser.add_argument("--all", action="store_true", help="every figure, and a table of verdicts")
    parser.add_argument("-o", "--output", default=".", metavar="FOLDER", help="where to write (default: here)")


def run(options: argparse.Namespace) -> Result:
    """Write figures as data and pictures; with --all also recompute every verdict."""
    chosen = _chosen(options)
    if options.plot is not None and len(chosen) != 1:
        raise InvalidInput("The option --plot draws one figure; name it, such as `kalantari2018 fig4`.")
    folder = Path(options.output)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(f"{folder} cannot be made a folder: {error.strerror}; choose another with -o.") from None
    with progress("drawing") as step:
        for done, figure in enumerate(chosen):
            _tell(step, done, len(chosen))
            stem = figure.key.replace(":", "-")
            write_csv(figure, folder / f"{stem}.csv")
            for ending in ("svg", "png"):
                draw(figure, folder / f"{stem}.{ending}")
    lines = [
        line
        for figure in chosen
        for line in (
            f"{figure.key}: {figure.title} -> {folder / figure.key.replace(':', '-')}.csv, .svg, .png",
            *([f"  {figure.notes}"] if figure.notes else []),
        )
    ]
    document: dict[str, object] = {
        "schema": "epstar/reproduction/1",
        "folder": str(folder),
        "figures": [{"key": figure.key, "title": figure.title, "notes": figure.notes} for figure in chosen],
    }
    papers = " ".join(figure.paper for figure in chosen)

    def draw_one(file: str) -> None:
        if file.lower().endswith(".html"):
            _draw_page(chosen[0], file)
        else:
            draw(chosen[0], file)

    if not options.all:
        return Result(document, tuple(lines), papers, draw_one)
    with progress("recomputing verdicts") as step:
        counts, wrong = _verdicts(step)
    document |= {"verdicts": {paper: dict(found) for paper, found in counts.items()}, "not_borne_out": wrong}
    complaints = [f"{key}: computing does not bear out the verdict" for key in wrong]
    return Result(document, (*lines, _table(counts), *complaints), papers, draw_one, REFUTED if wrong else 0)


def _chosen(options: argparse.Namespace) -> Sequence[Figure]:
    figures = all_figures()
    if options.all:
        return list(figures.values())
    if options.paper is None:
        raise InvalidInput("Say what to reproduce: a paper and a figure, or --all.")
    chosen = [figure for figure in figures.values() if _is_asked(figure, options.paper, options.figure)]
    if not chosen:
        known = ", ".join(key for key in figures if key.startswith(options.paper)) or ", ".join(figures)
        raise InvalidInput(f"There is no such figure; the known ones are {known}.")
    return chosen


def _draw_page(figure: Figure, file: str) -> None:
    from epstar.plot import plot_lines

    lines = {name: (line.places, line.values) for name, line in figure.lines().items()}
    plot_lines(lines, file, across=figure.xlabel, up=figure.ylabel, title=f"{figure.paper}, {figure.title}")


def _is_asked(figure: Figure, paper: str, name: str | None) -> bool:
    same = figure.key.partition(":")[2].replace("-", "")
    return figure.paper == paper and (name is None or same == name.replace("-", ""))


def _verdicts(step: Step | None) -> tuple[dict[str, Counter[str]], list[str]]:
    counts: dict[str, Counter[str]] = {}
    wrong = []
    claims = all_theorems()
    for done, claim in enumerate(claims):
        _tell(step, done, len(claims))
        counts.setdefault(claim.paper, Counter())[claim.verdict.value] += 1
        if not examine(claim).verdict_stands:
            wrong.append(claim.key)
    return counts, wrong


def _tell(step: Step | None, done: int, total: int) -> None:
    if step is not None:
        step(done, total)


def _table(counts: dict[str, Counter[str]]) -> Table:
    table = Table(title="verdicts, recomputed")
    table.add_column("paper")
    for heading in _VERDICTS.values():
        table.add_column(heading, justify="right")
    for paper, found in counts.items():
        table.add_row(paper, *(str(found[verdict]) for verdict in _VERDICTS))
    return table
