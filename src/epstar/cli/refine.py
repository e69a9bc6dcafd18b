"""`epstar refine`: whether one mechanism is never worse for privacy than another."""

from __future__ import annotations

import argparse

from rich.table import Table

from epstar.cli.matrix import read_mechanism_file
from epstar.cli.result import REFUTED, Result
from epstar.exact import text
from epstar.mechanism import Refinement, refines

EXAMPLES = """\
epstar refine first.json second.json
epstar refine first.csv second.csv --json"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the two mechanisms."""
    parser.add_argument("first", help="a file with a mechanism")
    parser.add_argument("second", help="another, for the same inputs")


def run(options: argparse.Namespace) -> Result:
    """Say whether the second mechanism is the first with its output processed further; exit 1 if it is not."""
    first, second = (read_mechanism_file(name, None) for name in (options.first, options.second))
    found = refines(first, second)
    document = {"schema": "epstar/refinement/1", "refines": bool(found), **_shown(found)}
    return Result(document, (_sentence(found), _table(found)), code=0 if found else REFUTED)


def _shown(found: Refinement) -> dict[str, object]:
    if found.processing is not None:
        return {"processing": found.processing.to_json()}
    assert found.prior is not None
    assert found.gain is not None
    return {
        "prior": [text(p) for p in found.prior.probabilities],
        "gain": [[text(entry) for entry in row] for row in found.gain.values],
        "gains": [text(gained) for gained in found.gains],
    }


def _sentence(found: Refinement) -> str:
    if found.processing is not None:
        return (
            "Yes: the second mechanism is the first with its output processed further, so that it is never worse for "
            "privacy, whatever the prior and the adversary."
        )
    first, second = map(text, found.gains)
    return (
        f"No: the adversary below is expected to gain {first} from the output of the first mechanism and {second} from "
        "that of the second, if all inputs are equally likely."
    )


def _table(found: Refinement) -> Table:
    if found.processing is not None:
        matrix = found.processing
        table = Table(title="processing: probability of each output of the second (columns) given one of the first")
        rows, names = matrix.dense().rows, matrix.universe.labels
        columns = matrix.outputs
    else:
        assert found.gain is not None
        table = Table(title="what the adversary gains by each guess (columns) at each input (rows)")
        rows = found.gain.values
        names, columns = tuple(range(len(rows))), tuple(range(len(rows[0])))
    table.add_column("")
    for column in columns:
        table.add_column(str(column), justify="right")
    for name, row in zip(names, rows, strict=True):
        table.add_row(str(name), *(text(entry) for entry in row))
    return table
