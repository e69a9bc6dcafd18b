"""`epstar theorem`: a claim of a paper, recomputed."""

from __future__ import annotations

import argparse

from rich.table import Table

from epstar.citations import by_authors
from epstar.cli.formula import with_formulas
from epstar.cli.progress import progress
from epstar.cli.result import REFUTED, Result
from epstar.errors import InvalidInput
from epstar_papers import PAPERS, Examination, Theorem, Verdict, all_theorems, examine, find
from epstar_papers.theorem import written

EXAMPLES = """\
epstar theorem kalantari2018:lemma-1
epstar theorem zhong2022:thm-9 --json
epstar theorem zhong2022"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the claim."""
    parser.add_argument(
        "key", nargs="?", help="such as kalantari2018:lemma-1; a paper alone lists its claims, and nothing the papers"
    )


def run(options: argparse.Namespace) -> Result:
    """Show one claim of a paper, recomputed, or list a paper's claims; exit 1 if a verdict does not stand."""
    if options.key is None:
        return _papers()
    key = options.key.lower()
    if key in PAPERS:
        return _listed(key)
    claim = find(key)
    if not isinstance(claim, Theorem):
        raise InvalidInput(f"{key!r} is a figure; use `epstar reproduce {key.replace(':', ' ')}`.")
    with progress("recomputing"):
        examination = examine(claim)
    code = 0 if examination.verdict_stands else REFUTED
    return Result(_document(claim, examination), (_shown(claim, examination),), claim.paper, code=code)


def _papers() -> Result:
    table, counted = Table(title="the papers"), []
    for heading in ("key", "authors", "claims", "false or misprinted"):
        table.add_column(heading)
    for paper in PAPERS:
        claims = [claim for claim in all_theorems() if claim.paper == paper]
        wrong = sum(claim.verdict in (Verdict.FAILS, Verdict.ERRATUM) for claim in claims)
        table.add_row(paper, by_authors(paper), str(len(claims)), str(wrong))
        counted.append(
            {"key": paper, "authors": by_authors(paper), "claims": len(claims), "false_or_misprinted": wrong}
        )
    sentence = "`epstar theorem KEY` lists the claims of a paper."
    return Result({"schema": "epstar/papers/1", "papers": counted}, (table, sentence), ", ".join(PAPERS))


def _listed(paper: str) -> Result:
    claims = [claim for claim in all_theorems() if claim.paper == paper]
    table = Table(title=f"the claims of {paper}")
    for heading in ("key", "label", "what computing found", "given"):
        table.add_column(heading)
    for claim in claims:
        table.add_row(claim.key, claim.label, claim.evidence, with_formulas(claim.hypotheses.words))
    listed = [
        {
            "key": claim.key,
            "label": claim.label,
            "verdict": claim.verdict.value,
            "evidence": claim.evidence,
            "hypotheses": claim.hypotheses.words,
            "leaves_out": claim.leaves_out,
        }
        for claim in claims
    ]
    document = {"schema": "epstar/theorems/1", "paper": paper, "theorems": listed}
    return Result(
        document, (table, "What is not refuted may still be false; what is proven is so by its cases."), paper
    )


def _shown(claim: Theorem, examination: Examination) -> Table:
    table = Table(title=f"{claim.paper}, {claim.label}: {claim.evidence}", show_header=False)
    table.add_column(style="bold")
    table.add_column()
    for name, text in (
        ("place", claim.place),
        ("claim", claim.statement),
        ("given", claim.hypotheses.words),
        ("not tried", claim.leaves_out),
        ("correction", claim.correction),
        ("beyond", claim.beyond),
        ("proof", f"theory/{claim.proven_in}, checked by Coq" if claim.proven_in else ""),
    ):
        if text:
            table.add_row(name, with_formulas(text))
    if claim.counterexample is not None:
        table.add_row("counterexample", with_formulas(str(claim.counterexample)))
    table.add_row(
        "recomputed",
        f"{examination.cases} cases, the printed claim right on {examination.printed_right} and wrong on "
        f"{examination.printed_wrong}; the verdict {'stands' if examination.verdict_stands else 'does NOT stand'}",
    )
    return table


def _document(claim: Theorem, examination: Examination) -> dict[str, object]:
    return {
        "schema": "epstar/theorem/1",
        "key": claim.key,
        "label": claim.label,
        "place": claim.place,
        "statement": claim.statement,
        "hypotheses": claim.hypotheses.words,
        "leaves_out": claim.leaves_out,
        "verdict": claim.verdict.value,
        "evidence": claim.evidence,
        "proven_in": claim.proven_in,
        "correction": claim.correction,
        "beyond": claim.beyond,
        "counterexample": None
        if claim.counterexample is None
        else {
            "data": {name: written(value) for name, value in claim.counterexample.case.items()},
            "claimed": claim.counterexample.claimed,
            "true": claim.counterexample.true,
            "why": claim.counterexample.why,
        },
        "cases": examination.cases,
        "printed_right": examination.printed_right,
        "printed_wrong": examination.printed_wrong,
        "verdict_stands": examination.verdict_stands,
    }
