"""`epstar schema`: what a JSON document holds, for a program that reads or writes one."""

from __future__ import annotations

import argparse
import json

from rich.table import Table

from epstar.cli.result import Result
from epstar.schema import description, schema, schema_names

EXAMPLES = """\
epstar schema
epstar schema answer > answer.schema.json
epstar schema epstar/problem/1"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the name of the schema."""
    parser.add_argument("name", nargs="?", help="such as answer, or answer-1 for a version (default: list all)")


def run(options: argparse.Namespace) -> Result:
    """Print a schema that needs no other document, or list them."""
    if options.name is not None:
        document = schema(options.name)
        return Result(document, (json.dumps(document, indent=1),))
    table = Table(title="documents that epstar reads or writes")
    for heading in ("schema", "what it describes"):
        table.add_column(heading)
    for name in schema_names():
        table.add_row(name, description(name))
    listed = [{"name": name, "describes": description(name)} for name in schema_names()]
    return Result({"schema": "epstar/schemas/1", "schemas": listed}, (table,))
