"""`epstar theorem` and `epstar reproduce`: the papers' claims and figures from the command line."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from epstar.cli.commands import print_json
from epstar.errors import InvalidInput
from epstar.papers import Examination, Figure, Theorem, all_figures, all_theorems, draw, examine, find, write_csv


def theorem(options: argparse.Namespace) -> int:
    """Show one claim of a paper, recomputed; exit 1 if its verdict does not stand."""
    claim = find(options.key)
    if not isinstance(claim, Theorem):
        raise InvalidInput(f"{options.key!r} is a figure; use `epstar reproduce {options.key.replace(':', ' ')}`.")
    examination = examine(claim)
    if options.json:
        print_json(_document(claim, examination))
    else:
        Console().print(_shown(claim, examination))
    return 0 if examination.verdict_stands else 1


def reproduce(options: argparse.Namespace) -> int:
    """Write figures as data and pictures; with --all also recompute every verdict."""
    figures = all_figures()
    if options.all:
        chosen = list(figures.values())
    elif options.paper is None:
        raise InvalidInput("Say what to reproduce: a paper and a figure, or --all.")
    else:
        chosen = [figure for figure in figures.values() if _is_asked(figure, options.paper, options.figure)]
        if not chosen:
            known = ", ".join(key for key in figures if key.startswith(options.paper)) or ", ".join(figures)
            raise InvalidInput(f"There is no such figure; the known ones are {known}.")
    folder = Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    for figure in chosen:
        stem = figure.key.replace(":", "-")
        write_csv(figure, folder / f"{stem}.csv")
        for ending in ("svg", "png"):
            draw(figure, folder / f"{stem}.{ending}")
        Console().print(f"{figure.key}: {figure.title} -> {folder / stem}.csv, .svg, .png", highlight=False)
    if options.all:
        return _verdicts()
    return 0


def _is_asked(figure: Figure, paper: str, name: str | None) -> bool:
    same = figure.key.partition(":")[2].replace("-", "")
    return figure.paper == paper and (name is None or same == name.replace("-", ""))


def _verdicts() -> int:
    counts: dict[str, Counter[str]] = {}
    wrong = []
    for claim in all_theorems():
        counts.setdefault(claim.paper, Counter())[claim.verdict.value] += 1
        if not examine(claim).verdict_stands:
            wrong.append(claim.key)
    table = Table(title="verdicts, recomputed")
    table.add_column("paper")
    verdicts = ("holds", "holds with erratum", "fails", "open")
    for verdict in verdicts:
        table.add_column(verdict, justify="right")
    for paper, found in counts.items():
        table.add_row(paper, *(str(found[verdict]) for verdict in verdicts))
    Console().print(table)
    for key in wrong:
        Console().print(f"{key}: computing does not bear out the verdict", style="red")
    return 1 if wrong else 0


def _shown(claim: Theorem, examination: Examination) -> Table:
    table = Table(title=f"{claim.paper}, {claim.label}: {claim.verdict.value}", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, text in (
        ("place", claim.place),
        ("claim", claim.statement),
        ("correction", claim.correction),
        ("beyond", claim.beyond),
    ):
        if text:
            table.add_row(name, text)
    example = claim.counterexample
    if example is not None:
        data = ", ".join(f"{name} = {value}" for name, value in example.case.items())
        table.add_row(
            "counterexample", f"{data}: claimed {example.claimed:.9g}, true {example.true:.9g}. {example.why}"
        )
    table.add_row(
        "recomputed",
        f"{examination.cases} cases, the printed claim right on {examination.printed_right} and wrong on "
        f"{examination.printed_wrong}; the verdict {'stands' if examination.verdict_stands else 'does NOT stand'}",
    )
    return table


def _document(claim: Theorem, examination: Examination) -> dict[str, object]:
    return {
        "key": claim.key,
        "label": claim.label,
        "place": claim.place,
        "statement": claim.statement,
        "verdict": claim.verdict.value,
        "correction": claim.correction,
        "beyond": claim.beyond,
        "cases": examination.cases,
        "printed_right": examination.printed_right,
        "printed_wrong": examination.printed_wrong,
        "verdict_stands": examination.verdict_stands,
    }
