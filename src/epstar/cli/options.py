"""Options that several commands share, and how they become a problem."""

from __future__ import annotations

import argparse
import json
import sys
from decimal import Decimal, InvalidOperation
from pathlib import Path

from epstar.errors import InvalidInput

SHORT_NAMES = {
    "dp": "differential_privacy",
    "approximate": "approximate_differential_privacy",
    "renyi": "renyi_differential_privacy",
    "information": "mutual_information",
    "sibson": "sibson_mutual_information",
    "leakage": "maximal_leakage",
}


def add_problem_options(parser: argparse.ArgumentParser) -> None:
    """Add the ways to state a problem: a file, standard input, or plain options."""
    parser.add_argument("problem", nargs="?", help="a problem file in JSON; - for standard input")
    parser.add_argument("--notion", metavar="NAME", help="such as differential_privacy (or dp), maximal_leakage")
    parser.add_argument("--order", help="order of a Renyi or Sibson notion")
    parser.add_argument("--delta", help="slack of an approximate notion")
    parser.add_argument("--prior", metavar="P,P,...", help="the known input law")
    parser.add_argument("--size", type=int, help="nothing is known about the law of this many letters")
    parser.add_argument("--cost", default="hamming", choices=("hamming", "absolute", "squared"))
    parser.add_argument("--distortion", metavar="D", help="ask for the least loss at this distortion")
    parser.add_argument("--loss", metavar="L", help="ask for the least distortion at this loss in nats")


def add_output_options(parser: argparse.ArgumentParser) -> None:
    """Add the ways to show a result."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")


def problem_document(options: argparse.Namespace) -> object:
    """Return the problem file that the options name or describe."""
    if options.problem is not None:
        return read_json(options.problem)
    if options.notion is None:
        raise InvalidInput("No problem was given; name a problem file, or give --notion and --prior.")
    notion: dict[str, object] = {"name": SHORT_NAMES.get(options.notion, options.notion)}
    for name in ("order", "delta"):
        if getattr(options, name) is not None:
            notion[name] = getattr(options, name)
    if (options.prior is None) == (options.size is None):
        raise InvalidInput("Say what is known of the input law: --prior P,P,... or --size M for nothing at all.")
    source: dict[str, object] = (
        {"everything": options.size} if options.prior is None else {"prior": written_numbers(options.prior)}
    )
    document: dict[str, object] = {"notion": notion, "source": source, "distortion": {"name": options.cost}}
    if options.distortion is None and options.loss is None and options.command == "curve":
        return document
    if (options.distortion is None) == (options.loss is None):
        raise InvalidInput(
            "Ask for one point: --distortion D for the least loss, or --loss L for the least distortion."
        )
    if options.loss is not None:
        at: dict[str, object] = {"loss": options.loss}
    elif "," in options.distortion:
        at = {"curve": options.distortion.split(",")}
    else:
        at = {"distortion": options.distortion}
    return {**document, "at": at}


def written_numbers(written: str) -> list[object]:
    """Return numbers as people type them, separated by commas; decimals may be rounded, so they count as floats."""
    entries: list[object] = []
    for entry in written.split(","):
        try:
            entries.append(Decimal(entry) if "/" not in entry else entry.strip())
        except InvalidOperation:
            raise InvalidInput(f"{entry!r} in the prior is not a number; write decimals or fractions.") from None
    return entries


def read_json(name: str) -> object:
    """Return the JSON document in a file, or on standard input for "-"."""
    try:
        content = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise InvalidInput(f"{name} cannot be read: {reason}.") from None
    try:
        # Decimals are kept as written: 0.1 is one tenth.
        return json.loads(content, parse_float=Decimal)
    except (json.JSONDecodeError, RecursionError) as error:
        place = f" at line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise InvalidInput(f"{'Standard input' if name == '-' else name} is not valid JSON{place}.") from None
