"""`epstar notions`: the ways to measure privacy loss, and what each asks."""

from __future__ import annotations

import argparse

from rich.table import Table

from epstar.catalogue import Entry, catalogue
from epstar.cli.result import Result
from epstar.errors import InvalidInput
from epstar.names import full_name, suggestion

EXAMPLES = """\
epstar notions
epstar notions leakage
epstar notions --json"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the name of a notion."""
    parser.add_argument("name", nargs="?", help="describe only this one")


def run(options: argparse.Namespace) -> Result:
    """List the notions, or one of them."""
    entries = catalogue()
    if options.name is not None:
        wanted = full_name(options.name)
        names = [name for entry in entries for name in (entry.name, entry.short) if name]
        entries = [entry for entry in entries if entry.name == wanted]
        if not entries:
            raise InvalidInput(
                f"The notion {options.name!r} is unknown{suggestion(options.name, names)}; `epstar notions` lists them."
            )
    table = Table(title="ways to measure privacy loss")
    for heading in ("notion", "short", "options", "loss depends on the prior", "unit", "what it asks"):
        table.add_column(heading)
    for entry in entries:
        needs = "yes" if entry.needs_source else "no"
        table.add_row(entry.name, entry.short, _options(entry), needs, entry.unit, entry.question)
    document = {"schema": "epstar/notions/1", "notions": [entry.to_json() for entry in entries]}
    return Result(document, (table,))


def _options(entry: Entry) -> str:
    return " ".join(f"--{name}" for name in entry.parameters)
