"""Estimated frequencies with their intervals."""

from __future__ import annotations

from epstar.notebook.card import card, name, number_table
from epstar.release.estimate import Estimate
from epstar.release.report.markup import Child
from epstar.rounding import at_least, at_most

_MOST = 20


def line(estimate: Estimate) -> str:
    """Return estimates in a line, without the numbers."""
    names, cells = " × ".join(estimate.names), len(estimate.cells)
    return f"Estimate({names}: {cells} frequencies from {estimate.rows} rows, {estimate.confidence:.6g} confidence)"


def html(estimate: Estimate) -> str:
    """Return estimates as a small page."""
    rows: list[list[Child]] = []
    for cell in estimate.cells[:_MOST]:
        label = name(cell.labels[0] if len(cell.labels) == 1 else cell.labels)
        if cell.frequency is None or cell.lower is None or cell.upper is None:
            rows.append([label, "cannot be told", "", ""])
        else:
            rows.append([label, f"{cell.frequency:.4f}", at_least(cell.lower), at_most(cell.upper)])
    if len(estimate.cells) > _MOST:
        rows.append(["…"] * 4)
    facts: list[tuple[str, Child]] = [
        ("from", f"{estimate.rows} released rows"),
        ("intervals", f"{estimate.interval}, each of confidence {estimate.confidence:.6g}"),
    ]
    if estimate.group:
        facts.append(("rows with", ", ".join(f"{column} = {value}" for column, value in estimate.group)))
    if any(cell.unbiased is not None and not 0 <= cell.unbiased <= 1 for cell in estimate.cells):
        facts.append(("note", "An estimate below 0 or above 1 was moved there; `unbiased` has it as it was."))
    heads = [" × ".join(estimate.names), "frequency", "at least", "at most"]
    return card("Estimated frequencies in the private table", facts, number_table(heads, rows))
