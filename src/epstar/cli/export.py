"""`epstar export`: an answer as a file for a foreign checker."""

from __future__ import annotations

import argparse

from epstar.answer_file import SCHEMA, check_answer
from epstar.breakpoints_file import SCHEMA as BREAKPOINTS
from epstar.breakpoints_file import read_breakpoints
from epstar.claims import Bracket
from epstar.cli.progress import progress
from epstar.cli.result import Result
from epstar.errors import InvalidInput
from epstar.export import FORMATS, export
from epstar.json_document import read_json
from epstar.proof_file.document import SCHEMA as PROOF
from epstar.proof_file.document import read_bracket
from epstar.proof_file.limits import MOST_BYTES, check_content

EXAMPLES = """\
epstar export answer.json --to coq > answer.v
epstar export answer.json --to smtlib | z3 -in
epstar export answer.json --to vipr > answer.vipr"""
PICTURE = ""
_REFUSED = {
    "epstar/curve": "A curve has many answers; export one that `epstar solve --json` wrote.",
    "epstar/problem": "This is a question; answer it with `epstar solve --json`, and export the answer.",
    "epstar/statistic": "The error of a statistic is proven by a design, which no exported file can say; "
    "`epstar check` checks the answer.",
}
"""Documents without claims that the rule proves, by the beginning of their schema."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the answer and the format."""
    parser.add_argument("answer", help="an answer, breakpoints or a proof in JSON; - for standard input")
    parser.add_argument(
        "--to",
        required=True,
        choices=FORMATS,
        help="coq: a theorem that coqc proves; vipr: an exact linear program; smtlib: a question that must be unsat",
    )


def run(options: argparse.Namespace) -> Result:
    """Write the claims of an answer in the language of another checker."""
    document = read_json(options.answer, check_content, MOST_BYTES + 1)
    with progress("exporting"):
        first, *others = _claims(document)
        written = export(first, options.to, *others)
    told = {"schema": "epstar/export/1", "format": options.to, "text": written}
    return Result(told, (written.rstrip("\n"),))


def _claims(document: object) -> tuple[Bracket, ...]:
    if isinstance(document, dict) and document.get("schema") == SCHEMA:
        return (check_answer(document)[1],)
    if isinstance(document, dict) and document.get("schema") == BREAKPOINTS:
        claims = read_breakpoints(document)
        if not claims:
            raise InvalidInput("The file has no breakpoints; there is nothing to export.")
        return claims
    schema = str(document.get("schema", "")) if isinstance(document, dict) else ""
    for kind, why in _REFUSED.items():
        if schema.startswith(kind):
            raise InvalidInput(why)
    if schema != PROOF:
        taken = ", ".join(f'"{one}"' for one in (SCHEMA, BREAKPOINTS, PROOF))
        raise InvalidInput(f'An answer, breakpoints or a proof is exported, with "schema" one of {taken}.')
    return (read_bracket(document),)
