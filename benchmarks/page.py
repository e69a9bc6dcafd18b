"""The page of the record: what was measured, on what machine, with the check of each answer."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.chart import FEWEST, by_way, exponent
from benchmarks.suite import EPSTAR, NANOSECONDS, Row, verdict
from benchmarks.way import LIMIT

Record = Mapping[str, Mapping[str, float]]
PACKAGES = (
    "epstar", "numpy", "scipy", "python-flint", "highspy", "clarabel", "cryptography", "pyarrow", "pyspark",
    "qif", "dit", "cvxpy", "pure-ldp", "multi-freq-ldpy", "diffprivlib", "opendp",
)  # fmt: skip
TOLERANCE = 1e-9
"""A level that exceeds what was asked by more than this is called broken: floats themselves are good to 1e-15."""
_NOTE = f"""Written by `make bench`; the ratios within a table were measured in one run. Times are CPU seconds, the
best of up to five runs, with one thread for linear algebra; each contender runs in a process of its own, whose peak
memory, the interpreter and its packages included, stands beside the time. What takes over {LIMIT} s is stopped.

Where a row says *proof checked*, epstar's time includes reading the problem, solving, and checking the proof; the proof
is then checked once more, by `check_proof.py` too where the row says *by both checkers*, and the loss of the mechanism
taken in exact arithmetic, outside the clock. Other rows say what proves epstar's answer. For a peer, *level* is the
privacy level that its mechanism really has, after negative entries are set to zero and rows divided by their sums, and
*off by* is how far its objective lies from the interval that epstar proves. A peer that breaks the level it was given
has solved an easier problem. Exponents are the slopes of least squares lines through the logarithms of size and time,
given where there are at least {FEWEST} sizes."""


def machine() -> str:
    """Return what the figures were measured on."""
    model = platform.processor() or platform.machine()
    information = Path("/proc/cpuinfo")
    if information.exists():
        names = [row.split(":", 1)[1].strip() for row in information.read_text().splitlines() if "model name" in row]
        model = names[0] if names else model
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}; load {load:.1f} at the end."


def versions() -> str:
    """Return the versions of what was measured, and what is not installed."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found) + "."


def check(row: Row, own: Row) -> str:
    """Return what the answer turned out to be."""
    found, reference = row.measured.found, own.measured.found
    if found is None:
        return ""
    said = []
    if row.work.unit == NANOSECONDS:
        said.append(f"kept {found.value:.4f} of {found.items:,} rows")
    if row.way == EPSTAR:
        said += [] if found.width is None else [f"{found.note}, width {found.width:.1e}"]
    elif reference is not None and row.work.unit != NANOSECONDS:
        lower = reference.value - (reference.width or 0.0)
        said.append(f"off by {max(lower - found.value, found.value - reference.value, 0.0):.1e}")
    if found.level is not None:
        is_broken = row.work.bound is not None and found.level > row.work.bound + TOLERANCE
        said.append(f"level {found.level:.10g}" + (f", **breaks {row.work.bound:g}**" if is_broken else ""))
    return "; ".join(said)


def lines(rows: Sequence[Row]) -> list[str]:
    """Return the lines of a table, without its head."""
    found = []
    own = {row.size: row for row in rows if row.way == EPSTAR}
    for row in rows:
        mine, figures = own[row.size], row.measured
        cells = [f"{row.size:,}", row.way]
        if figures.failure:
            cells += [figures.failure, "", "", ""]
        else:
            shown = row.time * (1e9 if row.work.unit == NANOSECONDS else 1)
            cells += [f"{shown:.3g}", f"{row.time / mine.time:.3g}", f"{figures.megabytes:.0f}", check(row, mine)]
        others = [other for other in rows if other.size == row.size and other.way != EPSTAR]
        cells.append(verdict(row, others) if row.way == EPSTAR else "")
        found.append("| " + " | ".join(cells) + " |")
    return found


def section(rows: Sequence[Row]) -> str:
    """Return the section of one work: its table, the exponents and the picture."""
    work = rows[0].work
    head = [work.size_name, "way", work.unit, "× epstar", "MiB", "the answer", "target"]
    parts = [f"## {work.name}", "\n".join(["| " + " | ".join(head) + " |", "|---" * len(head) + "|", *lines(rows)])]
    if work.picture:
        fits = [(way, exponent(own)) for way, own in by_way(rows).items()]
        told = [
            f"{way} {fit[0]:.2f} (from {work.size_name} = {fit[1]:,} to {fit[2]:,})"
            for way, fit in fits
            if fit is not None
        ]
        if told:
            parts.append("Time grows with the power " + ", ".join(told) + ".")
        parts.append(f"![Time and memory against {work.size_name}](pictures/benchmarks-{work.picture}.svg)")
    return "\n\n".join(parts)


def table(title: str, record: Record) -> str:
    """Return a record of other figures as a table."""
    columns = list(dict.fromkeys(key for figures in record.values() for key in figures))
    found = [f"## {title}", "", "| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, figures in record.items():
        cells = [f"{figures[key]:.4g}" if key in figures else "" for key in columns]
        found.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(found)


def page(sections: Sequence[str]) -> str:
    """Return the whole page."""
    command = f"{machine()}\n{versions()}"
    return "\n\n".join(["# Benchmarks", _NOTE, command, *sections]) + "\n"


def say(text: str) -> None:
    """Show progress."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
