"""`epstar ledger`: what a ledger of releases says, without its key."""

from __future__ import annotations

import argparse

from rich.table import Table

from epstar.cli.result import Result
from epstar.errors import InvalidInput
from epstar.exact import Rational, float_above, float_below
from epstar.release.ledger import Ledger

EXAMPLES = """\
epstar ledger releases.ledger
epstar ledger releases.ledger --json"""
PICTURE = ""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the ledger."""
    parser.add_argument("ledger", help="the file that `epstar release --ledger` writes")


def run(options: argparse.Namespace) -> Result:
    """Show the releases of a ledger and their total.

    Raises:
        InvalidInput: if there is no ledger of this name, or it was changed.
    """
    ledger = Ledger.at(options.ledger)
    if not ledger.path.exists():
        raise InvalidInput(f"There is no ledger {ledger.path.name}; `epstar release --ledger` makes one.")
    account = ledger.account()
    table = Table(title="what every record has lost, in nats of differential privacy")
    secrets = account.secrets
    for heading in ("when", "columns", "released to", "loss", *(f"about {name}" for name in secrets)):
        table.add_column(heading)
    for entry in account.entries:
        about = [_shown(dict(entry.secrets)[name]) if name in dict(entry.secrets) else "" for name in secrets]
        table.add_row(entry.when, ", ".join(entry.columns), entry.output, _shown(entry.loss), *about)
    total = account.total
    sentence = f"A record that is in every table has lost {_shown(total)} in total."
    for name, lost in secrets.items():
        sentence += f" About {name}, all releases together have lost {_shown(lost)}."
    if account.budget is not None:
        left = None if account.spent is None else account.budget - account.spent
        sentence += (
            f" The budget is {_shown(account.budget)}, of which {'nothing' if left is None else _shown(left)} is left."
        )
    document = {
        "schema": "epstar/account/1",
        "budget": None if account.budget is None else float_below(account.budget),
        "total": _number(total),
        "releases": [
            {
                "when": one.when,
                "columns": list(one.columns),
                "output": one.output,
                "loss": _number(one.loss),
                **({"secrets": {name: _number(lost) for name, lost in one.secrets}} if one.secrets else {}),
            }
            for one in account.entries
        ],
        **({"secrets": {name: _number(lost) for name, lost in secrets.items()}} if secrets else {}),
    }
    return Result(document, (table, sentence))


def _shown(loss: Rational | None) -> str:
    return "without limit" if loss is None else f"{float(loss):.6g}"


def _number(loss: Rational | None) -> float | str:
    return "infinity" if loss is None else float_above(loss)
