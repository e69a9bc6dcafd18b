"""Options that several commands share, and how they become a problem."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path

from epstar.errors import InvalidInput

PROBLEM_SCHEMA = "epstar/problem/1"
# What a problem file holds too.
_STATED = ("notion", "order", "delta", "prior", "size", "cost", "distortion", "loss")
# Python reads no longer ones, and nobody writes them.
_MOST_DIGITS = 4000
# Some editors begin a file with the mark of its byte order.
_MARK = "\ufeff"
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
    add_notion_options(parser)
    parser.add_argument("--cost", choices=("hamming", "absolute", "squared"), help="of an answer; hamming if left out")
    parser.add_argument("--distortion", metavar="D", help="ask for the least loss at this distortion")
    parser.add_argument("--loss", metavar="L", help="ask for the least distortion at this loss in nats")


def add_notion_options(parser: argparse.ArgumentParser) -> None:
    """Add the notion, and what is known of the inputs."""
    parser.add_argument("--notion", metavar="NAME", help=notion_names())
    parser.add_argument("--order", help="order of a Renyi or Sibson notion")
    parser.add_argument("--delta", help="slack of an approximate notion")
    parser.add_argument("--prior", metavar="P,P,...", help="the known input law")
    parser.add_argument("--size", type=int, metavar="M", help="nothing is known about the law of this many letters")


def notion_names() -> str:
    """Return how notions are named on the command line, for help texts."""
    short = ", ".join(f"{name} (or {short})" for short, name in SHORT_NAMES.items())
    return f"such as {short}, identifiability"


def described_notion(name: str, order: str | None, delta: str | None) -> dict[str, object]:
    """Return a notion as it stands in a problem file; short names are spelt out."""
    described: dict[str, object] = {"name": SHORT_NAMES.get(name, name), "order": order, "delta": delta}
    return {key: value for key, value in described.items() if value is not None}


def described_source(options: argparse.Namespace) -> dict[str, object] | None:
    """Return what the options say of the input law, as it stands in a problem file; None if they say nothing."""
    if options.prior is not None and options.size is not None:
        raise InvalidInput("A prior fixes the number of letters; give --prior or --size, not both.")
    if options.prior is not None:
        return {"prior": written_numbers(options.prior)}
    return None if options.size is None else {"everything": options.size}


def problem_document(options: argparse.Namespace) -> object:
    """Return the problem file that the options name or describe."""
    if options.problem is not None:
        beside = next((name for name in _STATED if getattr(options, name) is not None), None)
        if beside is not None:
            raise InvalidInput(f"The problem file says it all; leave out --{beside}, or change the file.")
        return read_json(options.problem)
    if options.notion is None:
        raise InvalidInput("No problem was given; name a problem file, or give --notion and --prior.")
    notion = described_notion(options.notion, options.order, options.delta)
    source = described_source(options)
    if source is None:
        raise InvalidInput("Say what is known of the input law: --prior P,P,... or --size M for nothing at all.")
    document: dict[str, object] = {
        "notion": notion,
        "source": source,
        "distortion": {"name": options.cost or "hamming"},
    }
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


def check_schema(document: Mapping[str, object]) -> None:
    """Refuse a problem file of a version that is not known."""
    if document.get("schema", PROBLEM_SCHEMA) != PROBLEM_SCHEMA:
        raise InvalidInput(f"The schema {document['schema']!r} is not known; this version reads {PROBLEM_SCHEMA!r}.")


def words(value: object) -> list[str]:
    """Return words that were given as a list, or in one text, separated by commas; one that holds any is quoted.

    >>> words('flu, "cold, common"')
    ['flu', 'cold, common']
    """
    if isinstance(value, str):
        with suppress(csv.Error):
            return [word.strip() for word in next(csv.reader([value], skipinitialspace=True), [])] or [""]
    if isinstance(value, list):
        return [str(word) for word in value]
    raise InvalidInput(f"{value!r} is not a list of words; separate them by commas.")


def options_in_file(options: argparse.Namespace, place: str) -> None:
    """Fill in the options from a JSON file, if the argument `place` names one or is "-"; those given stay.

    Raises:
        InvalidInput: if the file is no object, or holds something that is no option of the command.
    """
    name = getattr(options, place)
    if name != "-" and not name.endswith(".json"):
        return
    document = read_json(name)
    if not isinstance(document, dict) or place not in document:
        raise InvalidInput(f"{name} must hold a JSON object with {place!r} and options by their names.")
    known = vars(options)
    for key, value in document.items():
        option = key.replace("-", "_")
        if option not in known or option in ("command", "json", "cite", "plot"):
            raise InvalidInput(f"{name} has an unknown entry {key!r}; its entries are options by their names.")
        if option == place or known[option] in (None, False):
            setattr(options, option, str(value) if isinstance(value, Decimal | int) and value is not True else value)


def _integer(written: str) -> int:
    if len(written) > _MOST_DIGITS:
        raise InvalidInput(f"A whole number of {len(written)} digits is too long; write it with fewer.")
    return int(written)


def _no_number(written: str) -> object:
    raise InvalidInput(f"{written} is no number of JSON; write a finite number, or 'infinity' where that is allowed.")


def _object(entries: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(entries)
    if len(found) < len(entries):
        from epstar.reading import shown

        names = [name for name, _ in entries]
        twice = next(name for name in names if names.count(name) > 1)
        raise InvalidInput(f"The entry {shown(twice)} stands twice in one object; leave one of the two out.")
    return found


def read_json(name: str, check: Callable[[bytes], None] | None = None, most: int = -1) -> object:
    """Return the JSON document in a file, or on standard input for "-"; what has two readings is refused.

    A `check` sees the bytes before they are parsed; no more than `most` are read.
    """
    place = "Standard input" if name == "-" else name
    try:
        if name == "-":
            content = sys.stdin.buffer.read(most)
        else:
            with Path(name).open("rb") as file:
                content = file.read(most)
    except OSError as error:
        raise InvalidInput(f"{place} cannot be read: {error.strerror}.") from None
    if check is not None:
        check(content)
    return parsed_json(content, place)


def parsed_json(content: bytes, place: str) -> object:
    """Return the JSON document in some bytes; `place` is where they come from, for error messages."""
    try:
        written = content.decode("utf-8").removeprefix(_MARK)
    except UnicodeDecodeError:
        raise InvalidInput(f"{place} cannot be read: it is not UTF-8 text.") from None
    try:
        # Decimals are kept as written: 0.1 is one tenth.
        return json.loads(
            written,
            parse_float=Decimal,
            parse_int=_integer,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise InvalidInput(f"{place} is not valid JSON at line {error.lineno}.") from None
    except RecursionError:
        raise InvalidInput(f"{place} is not valid JSON: its lists or objects are nested too deeply.") from None
    except InvalidOperation:
        raise InvalidInput(f"{place} holds a number with too large an exponent; write it with fewer digits.") from None
