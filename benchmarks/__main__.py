"""Run every benchmark in one go, print the figures and record them in docs/benchmarks.md."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks import frontier, imports, notions
from benchmarks.notions import Record

PACKAGES = ("numpy", "scipy", "python-flint", "highspy", "clarabel", "cvxpy")
_NOTE = (
    "Written by `make bench`. Times depend on the machine and on what else it does; the ratios within one table were "
    "measured in one run."
)
RECORD = Path(__file__).parent.parent / "docs" / "benchmarks.md"


def versions() -> str:
    """Return the versions of what was measured, as far as it is installed."""
    found = [f"Python {platform.python_version()}"]
    for package in PACKAGES:
        try:
            found.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            found.append(f"{package} not installed")
    return ", ".join(found)


def table(title: str, record: Record) -> str:
    """Return a record as a table in Markdown."""
    columns = list(dict.fromkeys(key for figures in record.values() for key in figures))
    lines = [f"## {title}", "", "| | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name, figures in record.items():
        cells = [f"{figures[key]:.4g}" if key in figures else "" for key in columns]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Measure everything and write the page."""
    sections = [
        table("Losses of a 1000 x 1000 channel", notions.run()),
        table("The optimal mechanism, m = 50, cost |x - y|, level 1 (CPU seconds)", frontier.run()),
        table("Importing", imports.run()),
    ]
    page = "\n\n".join(
        [
            "# Benchmarks",
            _NOTE,
            f"{platform.machine()}, {versions()}.",
            *sections,
        ]
    )
    RECORD.write_text(page + "\n", encoding="utf-8")
    print(page)


if __name__ == "__main__":
    main()
