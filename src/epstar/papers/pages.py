"""The papers' pages of the documentation, made from the theorems and never typed by hand.

`python -m epstar.papers.pages FOLDER` writes one page per paper and one of errata across all of them.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from epstar.papers import PAPERS, all_theorems
from epstar.papers.theorem import Theorem, Verdict

_INTRODUCTION = (
    "Made from the theorem objects by `python -m epstar.papers.pages`; every verdict is recomputed by the tests."
)


def pages() -> dict[str, str]:
    """Return the pages by file name."""
    theorems = all_theorems()
    by_paper = {paper: [theorem for theorem in theorems if theorem.paper == paper] for paper in PAPERS}
    found = {f"{paper}.md": _page(paper, claims) for paper, claims in by_paper.items() if claims}
    wrong = [theorem for theorem in theorems if theorem.verdict in (Verdict.FAILS, Verdict.ERRATUM)]
    return {**found, "errata.md": _errata(wrong)}


def _page(paper: str, claims: Sequence[Theorem]) -> str:
    counts = Counter(claim.verdict.value for claim in claims)
    summary = ", ".join(f"{counts[verdict.value]} {verdict.value}" for verdict in Verdict if counts[verdict.value])
    sections = [f"# {paper}", _INTRODUCTION, f"{len(claims)} claims: {summary}."]
    return "\n\n".join(sections + [_section(claim, claim.label) for claim in claims]) + "\n"


def _errata(claims: Sequence[Theorem]) -> str:
    counts = Counter((claim.paper, claim.verdict) for claim in claims)
    rows = [
        f"| [{paper}]({paper}.md) | {counts[paper, Verdict.FAILS]} | {counts[paper, Verdict.ERRATUM]} |"
        for paper in PAPERS
    ]
    table = "\n".join(["| paper | false | misprinted, true as corrected |", "|---|---:|---:|", *rows])
    sections = ["# Errata across the papers", _INTRODUCTION, f"{len(claims)} claims are false or misprinted.", table]
    return "\n\n".join(sections + [_section(claim, f"{claim.paper}, {claim.label}") for claim in claims]) + "\n"


def _section(claim: Theorem, heading: str) -> str:
    lines = [f"## {heading}: {claim.verdict.value}", "", f"`{claim.key}`" + (f", {claim.place}" if claim.place else "")]
    for name, text in (
        ("Claim", claim.statement),
        ("Correction", claim.correction),
        ("Counterexample", "" if claim.counterexample is None else str(claim.counterexample)),
        ("Beyond the paper", claim.beyond),
    ):
        if text:
            lines += ["", f"**{name}.** {text}"]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the pages into the folder that the command line names."""
    (folder,) = sys.argv[1:] if arguments is None else arguments
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (Path(folder) / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
