"""The papers' pages of the documentation, made from the theorems and never typed by hand.

`python -m epstar_papers.pages FOLDER` writes a page for each paper, one for its errata, and one that counts them all.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from epstar_papers import PAPERS, Figure, all_figures, all_theorems
from epstar_papers.theorem import Theorem, Verdict

_INTRODUCTION = (
    "Made from the theorem objects by `python -m epstar_papers.pages`; every verdict is recomputed by the tests. *Not"
    " refuted in 18 cases* means what it says: the claim was right in each of 18 cases, and may be false elsewhere. "
    "*Proven*: the claim is about finitely many cases, all of which were computed, or it only says that something can"
    " happen. *Proven for all sizes*: Coq has checked a proof. A false claim has a counterexample; it may be false in"
    " an edge case only, and the correction says how much of it holds. *Given* lists its hypotheses, which are part "
    "of the code."
)
_SUMMARY = {
    Verdict.HOLDS: "not refuted in their cases",
    Verdict.ERRATUM: "misprinted and true as corrected",
    Verdict.FAILS: "false",
    Verdict.OPEN: "open",
}


def pages() -> dict[str, str]:
    """Return the pages by file name."""
    theorems = all_theorems()
    by_paper = {paper: [theorem for theorem in theorems if theorem.paper == paper] for paper in PAPERS}
    figures = all_figures().values()
    found = {
        f"{paper}.md": _page(paper, claims, [figure for figure in figures if figure.paper == paper])
        for paper, claims in by_paper.items()
        if claims
    }
    wrong = [theorem for theorem in theorems if theorem.verdict in (Verdict.FAILS, Verdict.ERRATUM)]
    by_paper = {paper: [claim for claim in wrong if claim.paper == paper] for paper in PAPERS}
    return {
        **found,
        "errata.md": _errata(by_paper),
        **{f"errata-{paper}.md": _errata_of(paper, claims) for paper, claims in by_paper.items() if claims},
    }


def _page(paper: str, claims: Sequence[Theorem], figures: Sequence[Figure]) -> str:
    counts = Counter(claim.verdict for claim in claims)
    settled = sum(bool(claim.settled or claim.proven_in) and claim.verdict is Verdict.HOLDS for claim in claims)
    counts[Verdict.HOLDS] -= settled
    told = [f"{counts[verdict]} {words}" for verdict, words in _SUMMARY.items() if counts[verdict]]
    told = [f"{settled} proven", *told] if settled else told
    sections = [f"# {paper}", _INTRODUCTION, f"{len(claims)} claims: {', '.join(told)}."]
    sections += [_section(claim, claim.label) for claim in claims]
    return "\n\n".join([*sections, "## Figures and tables", *map(_figure, figures)]) + "\n"


def _figure(figure: Figure) -> str:
    command = f"epstar reproduce {figure.paper} {figure.key.partition(':')[2]}"
    return f"**{figure.title}.** `{command}`" + (f" {figure.notes}" if figure.notes else "")


def _errata(by_paper: Mapping[str, Sequence[Theorem]]) -> str:
    """The errata of all papers: how many there are, and where they stand."""
    counts = Counter((claim.paper, claim.verdict) for claims in by_paper.values() for claim in claims)
    rows = [
        f"| [{paper}]({paper}.md) | {counts[paper, Verdict.FAILS]} | {counts[paper, Verdict.ERRATUM]} | "
        + (f"[errata of {paper}](errata-{paper}.md) |" if claims else "none |")
        for paper, claims in by_paper.items()
    ]
    table = "\n".join(["| paper | false | misprinted, true as corrected | one by one |", "|---|---:|---:|---|", *rows])
    total = f"{counts.total()} claims are false or misprinted."
    pages = "\n".join(f"errata-{paper}" for paper, claims in by_paper.items() if claims)
    listed = f"```{{toctree}}\n:hidden:\n\n{pages}\n```"
    return "\n\n".join(["# Errata across the papers", _INTRODUCTION, total, table, listed]) + "\n"


def _errata_of(paper: str, claims: Sequence[Theorem]) -> str:
    sections = [f"# Errata of {paper}", _INTRODUCTION, f"{len(claims)} claims are false or misprinted."]
    return "\n\n".join(sections + [_section(claim, claim.label) for claim in claims]) + "\n"


def _section(claim: Theorem, heading: str) -> str:
    lines = [f"## {heading}: {claim.evidence}", "", f"`{claim.key}`" + (f", {claim.place}" if claim.place else "")]
    for name, text in (
        ("Claim", claim.statement),
        ("Given", claim.hypotheses.words),
        ("Not tried", claim.leaves_out),
        ("Correction", claim.correction),
        ("Counterexample", "" if claim.counterexample is None else str(claim.counterexample)),
        ("Beyond the paper", claim.beyond),
        ("Proof", f"theory/{claim.proven_in} (Coq)" if claim.proven_in else ""),
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
