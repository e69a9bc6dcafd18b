"""`epstar estimate`: statistics of the private table, from the one that was released."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence

from rich.table import Table

from epstar.cli.options import options_in_file, words
from epstar.cli.progress import progress
from epstar.cli.result import Result
from epstar.release import Cell, Estimate, released_columns
from epstar.release import estimate as estimated
from epstar.universe import Label

EXAMPLES = """\
epstar estimate out.parquet --release out.release.json
epstar estimate out.parquet --column disease
epstar estimate out.csv --column disease,age --json
epstar estimate out.parquet --column disease --plot frequencies.png"""
# Tables and pictures of more cells show the largest alone.
_MOST_CELLS, _MOST_SHOWN = 1000, 40
PICTURE = "the frequencies with their intervals"


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the released table and its columns."""
    parser.add_argument(
        "table",
        help="the released table; or a JSON file (- for standard input) that holds it and the options by their names",
    )
    parser.add_argument(
        "--column",
        action="extend",
        type=words,
        metavar="A,B,...",
        help="a column; several make a cross-tabulation; all released ones, each by itself, unless given",
    )
    parser.add_argument("--release", metavar="FILE", help="its release file, if it is not beside it")
    parser.add_argument("--confidence", help="of each interval, 0.95 unless given")
    parser.add_argument("--method", choices=("inverse", "likelihood"), help="inverse unless given")


def run(options: argparse.Namespace) -> Result:
    """Estimate frequencies of the private table from the released one."""
    options_in_file(options, "table", several=("column",))
    asked = [words(options.column)] if options.column is not None else released_columns(options.table, options.release)
    with progress("counting"):
        found = [
            estimated(
                options.table,
                names,
                release_file=options.release,
                confidence=options.confidence or "0.95",
                method=options.method or "inverse",
            )
            for names in asked
        ]
    documents = [_document(part) for part in found]
    shown = [part for estimate in found for part in _shown(estimate)]

    def draw(file: str) -> None:
        from epstar.plot import plot_intervals

        first = found[0]
        cells = _largest(first)
        labels = [", ".join(map(str, cell.labels)) for cell in cells]
        ends = [(cell.frequency, cell.lower, cell.upper) for cell in cells]
        plot_intervals(labels, ends, file, title=", ".join(first.names), axis="frequency")

    several: dict[str, object] = {"schema": "epstar/estimates/1", "estimates": documents}
    return Result(documents[0] if len(documents) == 1 else several, tuple(shown), "", draw)


def _document(found: Estimate) -> dict[str, object]:
    return {
        "schema": "epstar/estimate/1",
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
        "combinations": [
            {
                "weights": [{"label": _shown_label(label), "weight": weight} for label, weight in c.weights.items()],
                "weight_of_suppressed": c.suppressed,
                "frequency": c.frequency,
                "lower": c.lower,
                "upper": c.upper,
            }
            for c in found.combinations
        ],
    }


def _shown(found: Estimate) -> Iterator[Table | str]:
    table = Table(
        title=f"estimated from {found.rows} rows, {100 * found.confidence:.10g} % intervals ({found.interval})"
    )
    for name in (*found.names, "frequency", "lower", "upper"):
        table.add_column(name)
    shown_cells = _largest(found)
    for cell in shown_cells:
        values = (cell.frequency, cell.lower, cell.upper)
        shown = ["cannot be told" if value is None else f"{value:.6g}" for value in values]
        table.add_row(*(str(label) for label in cell.labels), *shown)
    yield table
    if len(shown_cells) < len(found.cells):
        yield f"the {len(shown_cells)} largest of {len(found.cells)} are shown; --json has all of them"
    if found.not_estimable:
        yield (
            f"{len(found.not_estimable)} of {len(found.cells)} frequencies cannot be told: the mechanism gives the "
            "same outputs for other values too"
        )
    told = sorted(found.combinations, key=lambda part: -part.frequency)[:_MOST_SHOWN]
    for part in told if len(found.combinations) > _MOST_SHOWN else found.combinations:
        sums = " + ".join(f"{weight:.6g} · {_shown_label(label)}" for label, weight in part.weights.items())
        if part.suppressed:
            sums += f" + {part.suppressed:.6g} · (all values that are never released)"
        yield f"{sums}: {part.frequency:.6g}, between {part.lower:.6g} and {part.upper:.6g}"
    if len(told) < len(found.combinations):
        yield f"the {len(told)} largest of {len(found.combinations)} sums are shown; --json has all of them"


def _largest(found: Estimate) -> Sequence[Cell]:
    """The cells to show: all of some, the largest of many."""
    if len(found.cells) <= _MOST_CELLS:
        return found.cells
    return sorted(found.cells, key=lambda cell: 0.0 if cell.frequency is None else -cell.frequency)[:_MOST_SHOWN]


def _shown_label(label: Label) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
