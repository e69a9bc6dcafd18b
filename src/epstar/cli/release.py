"""`epstar release` and `epstar estimate`: a table in, a table that may be shared out, and its statistics back."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from epstar.cli.commands import number, print_json
from epstar.cli.options import SHORT_NAMES
from epstar.errors import InvalidInput
from epstar.notions import Notion, from_problem
from epstar.release import Categories, Column, PublicCounts
from epstar.release import estimate as estimated
from epstar.release import release as released
from epstar.source import Everything, Source


def release(options: argparse.Namespace) -> int:
    """Write the table with the chosen columns sampled from their optimal mechanisms."""
    notion = _notion(options)
    columns = [_column(name, options) for name in options.column]
    with _progress("rows") as step:
        done = released(
            options.table,
            options.output,
            columns,
            notion=notion,
            loss=options.loss,
            keep=options.keep,
            force=options.force,
            progress=step,
        )
    if options.json:
        print_json({"output": str(done.output), "release_file": str(done.release_file), "rows": done.rows})
    else:
        Console().print(
            f"{done.rows} rows released to {done.output}; what was done and what it guarantees is in "
            f"{done.release_file}.",
            highlight=False,
        )
    return 0


def _notion(options: argparse.Namespace) -> Notion:
    fields: dict[str, object] = {"name": SHORT_NAMES.get(options.notion, options.notion)}
    for name in ("order", "delta"):
        if getattr(options, name) is not None:
            fields[name] = getattr(options, name)
    return from_problem(fields)


def _column(name: str, options: argparse.Namespace) -> Column:
    missing, other = options.missing, options.other
    if options.counts is not None:
        counts = PublicCounts.read(options.counts)
        categories = Categories(list(counts.labels), missing, other)
        source: Source = counts.prior() if options.confidence is None else counts.region(options.confidence)
        return Column(name, categories, source=source)
    if options.categories is None:
        raise InvalidInput(
            f"The categories of column {name!r} are not declared; give --categories A,B,... or --counts FILE: they are "
            "never learnt from the private table."
        )
    categories = Categories([label.strip() for label in options.categories.split(",")], missing, other)
    return Column(name, categories, source=Everything(len(categories.labels)))


def estimate(options: argparse.Namespace) -> int:
    """Estimate frequencies of the private table from the released one."""
    found = estimated(
        options.table,
        options.column,
        release_file=options.release,
        confidence=options.confidence,
        method=options.method,
    )
    if options.json:
        print_json(
            {
                "columns": list(found.names),
                "rows": found.rows,
                "confidence": found.confidence,
                "method": found.method,
                "interval": found.interval,
                "cells": [
                    {"labels": list(c.labels), "frequency": c.frequency, "lower": c.lower, "upper": c.upper}
                    for c in found.cells
                ],
                "not_estimable": [list(labels) for labels in found.not_estimable],
            }
        )
        return 0
    table = Table(title=f"estimated from {found.rows} rows, {found.confidence:.0%} intervals ({found.interval})")
    for name in (*found.names, "frequency", "lower", "upper"):
        table.add_column(name)
    for cell in found.cells:
        values = (cell.frequency, cell.lower, cell.upper)
        shown = ["cannot be told" if value is None else number(value) for value in values]
        table.add_row(*(str(label) for label in cell.labels), *shown)
    Console().print(table)
    return 0


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int], None] | None]:
    """Show rows and rows per second on a terminal, and nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    columns = (TextColumn("{task.completed:,.0f} " + what), BarColumn(), TextColumn("{task.speed:,.0f}/s"))
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done: progress.update(task, completed=done)
