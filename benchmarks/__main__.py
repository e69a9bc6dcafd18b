"""Measure epstar and its peers, print the figures, and record them.

python -m benchmarks                       everything, into docs/
python -m benchmarks --quick --output DIR  small sizes, epstar alone, into another folder
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from benchmarks import chart
from benchmarks.page import lines, page, say, section, table
from benchmarks.suite import EPSTAR, WORKS, Row, Work, rows, verdict

DOCS = Path(__file__).parent.parent / "docs"


def quick(work: Work) -> Work:
    """Return the same work in small, for epstar alone."""
    return replace(work, ways={EPSTAR: work.ways[EPSTAR]}, sizes=(work.quick, 2 * work.quick), targets={})


def measured(work: Work) -> list[Row]:
    """Measure a work and show each row as it comes."""
    say(f"\n{work.name}")
    found: list[Row] = []
    for row in rows(work):
        found.append(row)
        # Whether a target is met is known when the peers have run.
        say(lines([*(own for own in found if own.way == EPSTAR and own.size == row.size), row])[-1].rsplit("|", 2)[0])
    for own in found:
        said = verdict(own, [row for row in found if row.size == own.size and row.way != EPSTAR])
        if own.way == EPSTAR and said:
            say(f"{own.work.size_name} = {own.size:,}: target {said}")
    return found


def other_figures(is_quick: bool) -> Iterator[str]:
    """Yield the figures that are ratios to yardsticks of their own: losses, imports, whole files, Spark."""
    # Imported now, when nothing is left to be measured in a process of its own.
    from benchmarks import explorer, imports, notions, release

    size, count = (20, 10_000) if is_quick else (1000, release.ROWS)
    yield table(f"Losses of a {size} × {size} channel", notions.run(size, 2 if is_quick else 15))
    yield table("From start to answer", imports.run())
    yield table(f"Release of whole files, {count:,} rows", release.files(count))
    yield table("Release: peak memory of the process", release.memory(*sorted({count // 10, count})))
    if not is_quick:
        yield table(f"Release in Spark, a cluster of two workers, {count:,} rows", release.spark(count))
        yield table("The explorer in a browser, seconds of a clock", explorer.run())


def main(words: list[str] | None = None) -> None:
    """Measure everything and write the page, anew after each section, so that a run that is broken off leaves some."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--output", type=Path, default=DOCS)
    options = parser.parse_args(words)
    pictures = options.output / "pictures"
    pictures.mkdir(parents=True, exist_ok=True)
    sections: list[str] = []
    for work in [quick(work) for work in WORKS] if options.quick else WORKS:
        found = measured(work)
        sections.append(section(found))
        if work.picture:
            chart.draw(found, pictures / f"benchmarks-{work.picture}.svg")
        record(sections, options.output)
    for figures in other_figures(options.quick):
        say("\n" + figures)
        sections.append(figures)
        record(sections, options.output)


def record(sections: list[str], folder: Path) -> None:
    """Write the page."""
    (folder / "benchmarks.md").write_text(page(sections), encoding="utf-8")


if __name__ == "__main__":
    main()
