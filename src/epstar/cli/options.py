"""Options that several commands share, and how they become a problem."""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation

from epstar.cli.rows import read_rows
from epstar.errors import InvalidInput
from epstar.exact import rational
from epstar.json_document import parse_json, read_json
from epstar.names import COSTS, SHORT_NAMES, full_name, suggestion

PROBLEM_SCHEMA = "epstar/problem/1"
# What a problem file holds too.
_STATED = ("notion", "order", "delta", "prior", "size", "source", "labels", "universe", "cost", "distortion", "loss")
_WIDER = ("secret", "gain", "also", "allow", "lower", "upper", "invariant", "unbiased")
# A word in quotation marks, or whatever stands before the next comma.
_WORD = re.compile(r'\s*"((?:[^"]|"")*)"\s*(?=,|\Z)|(?!\s*")([^,]*)(?=,|\Z)')


def add_problem_options(parser: argparse.ArgumentParser) -> None:
    """Add the ways to state a problem: a file, standard input, or plain options."""
    parser.add_argument("problem", nargs="?", help="a problem file in JSON; - for standard input")
    add_notion_options(parser)
    add_cost_option(parser)
    add_wider_options(parser)
    parser.add_argument("--distortion", metavar="D", help="ask for the least loss at this distortion")
    parser.add_argument("--loss", metavar="L", help="ask for the least distortion at this loss in nats, such as ln(3)")


def add_notion_options(parser: argparse.ArgumentParser) -> None:
    """Add the notion, and what is known about the inputs."""
    parser.add_argument("--notion", metavar="NAME", help=notion_names())
    parser.add_argument("--order", help="the order of a Rényi or Sibson notion")
    parser.add_argument("--delta", help="the slack δ of an approximate notion")
    parser.add_argument(
        "--size", type=int, metavar="M", help="the number of categories, if nothing is known about their frequencies"
    )
    add_source_options(parser)


def add_source_options(parser: argparse.ArgumentParser) -> None:
    """Add what the inputs are and what is known about their distribution."""
    parser.add_argument("--prior", metavar="P,P,...", help="the known probability of each category")
    parser.add_argument(
        "--source", metavar="JSON|FILE", help='a set of distributions, as in a problem file: {"box": {...}}'
    )
    parser.add_argument("--labels", metavar="A,B,...", help="the names of the categories, in the order of the prior")
    parser.add_argument(
        "--universe", metavar="JSON|FILE", help='other inputs, as in a problem file: {"graph": {...}}, {"metric": ...}'
    )


def add_cost_option(parser: argparse.ArgumentParser) -> None:
    """Add the cost of a wrong answer."""
    parser.add_argument(
        "--cost",
        metavar="NAME|JSON|FILE",
        help=f"the cost of a wrong answer: {', '.join(COSTS)}, or a matrix in JSON or in a file (default: hamming)",
    )


def add_secret_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add a secret behind the data, and what is done with it."""
    parser.add_argument(
        "--secret",
        metavar="S,S,...|JSON|FILE",
        help=f'{what}: its value for each category, or {{"given": [[...]]}} as in a problem file',
    )


def described_secret(given: str) -> object:
    """Return the secret that an option names, as in a problem file."""
    if given.lstrip().startswith("["):
        values = parse_json(given, "--secret")
        is_matrix = isinstance(values, list) and values != [] and isinstance(values[0], list)
        return {"given" if is_matrix else "of": values}
    is_object = given.lstrip().startswith("{") or given.lower().endswith(".json")
    return described(given, "secret") if is_object else {"of": words(given)}


def add_wider_options(parser: argparse.ArgumentParser) -> None:
    """Add a secret behind the data, limits on the mechanism and further guarantees."""
    add_secret_option(parser, "protect a secret instead")
    add_gain_option(parser)
    parser.add_argument(
        "--also",
        action="append",
        metavar="NAME:LOSS|JSON",
        help='also keep this guarantee, such as dp:1 or {"notion": {...}, "loss": 1}; may be repeated',
    )
    parser.add_argument(
        "--allow", metavar="JSON|FILE", help="which outputs (columns) each input (row) may have: true or false"
    )
    parser.add_argument(
        "--lower", metavar="P|JSON|FILE", help="the least probability of all entries, or a matrix of them"
    )
    parser.add_argument(
        "--upper", metavar="P|JSON|FILE", help="the largest probability of all entries, or a matrix of them"
    )
    parser.add_argument(
        "--invariant", action="store_true", default=None, help="keep the frequencies on average: p Q = p"
    )
    parser.add_argument(
        "--unbiased", metavar="JSON|FILE", help='keep the mean of the values: {"inputs": [values], "outputs": [values]}'
    )


def described_wider(options: argparse.Namespace) -> dict[str, object]:
    """Return the secret, limits and further guarantees that the options name, as in a problem file."""
    found: dict[str, object] = {}
    if options.secret is not None:
        found["secret"] = described_secret(options.secret)
    limits: dict[str, object] = {}
    for option, name in (("allow", "allowed"), ("lower", "lower"), ("upper", "upper"), ("unbiased", "unbiased")):
        given = getattr(options, option)
        if given is not None:
            limits[name] = _value(given, option)
    if not isinstance(limits.get("unbiased", {}), dict):
        raise InvalidInput(
            f"{options.unbiased!r} does not say which means are kept; give --unbiased the values of inputs and of "
            'outputs, such as \'{"inputs": [0, 1], "outputs": [-1, 2]}\'.'
        )
    if options.invariant:
        limits["invariant"] = True
    if limits:
        found["mechanism"] = limits
    if options.also:
        found["also"] = [one for given in options.also for one in _guarantees(given)]
    return found


def _value(given: str, option: str) -> object:
    """Return a JSON value that is written in an option, or in the file that it names; else a number as it stands."""
    if given.lstrip().startswith(("{", "[")):
        return parse_json(given, f"--{option}")
    return read_json(given) if given.lower().endswith(".json") else given


def _guarantees(given: str) -> Sequence[object]:
    """Return what an option asks for: a guarantee, or several in a list of JSON."""
    if given.lstrip().startswith(("{", "[")):
        found = parse_json(given, "--also")
        return found if isinstance(found, list) else [found]
    name, colon, loss = given.partition(":")
    if not colon:
        raise InvalidInput(
            f"{given!r} is not a guarantee; write a notion and its loss, such as dp:1, or an object of JSON."
        )
    return [{"notion": {"name": full_name(name.strip())}, "loss": loss.strip()}]


def add_memory_option(parser: argparse.ArgumentParser) -> None:
    """Add how much memory may be held."""
    parser.add_argument(
        "--memory-limit", type=float, metavar="MIB", help="use no more memory than this (default: half of what is free)"
    )


def memory_limit(options: argparse.Namespace) -> float | None:
    """Return the memory that may be held, in bytes."""
    if options.memory_limit is None:
        return None
    if not 0 < options.memory_limit < math.inf:
        raise InvalidInput("The memory limit must be a positive number of mebibytes (1024 make a gibibyte).")
    return float(options.memory_limit) * (1 << 20)


def notion_names() -> str:
    """Return how notions are named on the command line, for help texts."""
    return f"such as {', '.join(SHORT_NAMES)}, identifiability; `epstar notions` lists all"


def add_gain_option(parser: argparse.ArgumentParser) -> None:
    """Add the option for the gain of a g-leakage."""
    parser.add_argument(
        "--gain",
        action="append",
        metavar="JSON|FILE",
        help="the gain of a g-leakage, a row for each value and a column for each guess; repeated, of several "
        "adversaries",
    )


def described_notion(
    name: str, order: str | None, delta: str | None, gains: Sequence[str] | None = None
) -> dict[str, object]:
    """Return a notion as it stands in a problem file; short names are spelt out."""
    described: dict[str, object] = {"name": full_name(name), "order": order, "delta": delta}
    if gains and described["name"] != "g_leakage":
        raise InvalidInput(
            "--gain is for g_leakage: what an attacker gains; what answers are worth to you is a cost, as in "
            "--cost '{\"gain\": [[1, 0], [0, 1]]}'."
        )
    if gains:
        described["gain"], *others = (_value(given, "gain") for given in gains)
        described["others"] = others or None
    return {key: value for key, value in described.items() if value is not None}


def described_source(options: argparse.Namespace) -> dict[str, object] | None:
    """Return what the options say about the distribution of the inputs, as in a problem file; None if nothing."""
    given = [name for name in ("prior", "size", "source") if getattr(options, name, None) is not None]
    if len(given) > 1:
        raise InvalidInput(f"The distribution is given twice; give --{given[0]} or --{given[1]}, not both.")
    if options.prior is not None:
        return {"prior": written_numbers(options.prior)}
    if options.source is not None:
        return described(options.source, "source")
    return None if getattr(options, "size", None) is None else {"everything": options.size}


def described_universe(options: argparse.Namespace) -> dict[str, object] | None:
    """Return what the options say the inputs are, as in a problem file; None if nothing."""
    if options.labels is not None and options.universe is not None:
        raise InvalidInput("A universe names its inputs itself; give --labels or --universe, not both.")
    if options.labels is not None:
        return {"alphabet": words(options.labels)}
    return None if options.universe is None else described(options.universe, "universe")


def described_cost(options: argparse.Namespace) -> dict[str, object]:
    """Return the cost that the options name, as in a problem file: a name, a matrix, or a gain."""
    given = options.cost or "hamming"
    if given in COSTS:
        return {"name": given}
    if given.lstrip().startswith("["):
        return {"matrix": parse_json(given, "--cost")}
    if given.lower().endswith(".csv"):
        return {"matrix": read_rows(given)}
    if not given.lstrip().startswith("{") and not given.lower().endswith(".json"):
        raise InvalidInput(
            f"{given!r} is not a cost{suggestion(given, COSTS)}; give {', '.join(COSTS)}, a matrix in brackets, or a "
            "file "
            "that ends in .json or .csv."
        )
    document = parse_json(given, "--cost") if given.lstrip().startswith("{") else read_json(given)
    return {"matrix": document} if isinstance(document, list) else _object(document, "cost")


def described(given: str, option: str) -> dict[str, object]:
    """Return the JSON object that is written in an option, or in the file that it names.

    Raises:
        InvalidInput: if it is none.
    """
    if given.lstrip().startswith(("{", "[")):
        return _object(parse_json(given, f"--{option}"), option)
    return _object(read_json(given), option)


def _object(document: object, option: str) -> dict[str, object]:
    if not isinstance(document, dict):
        raise InvalidInput(f"--{option} takes an object of JSON in braces, as it stands in a problem file.")
    return document


def whole_number_of(written: str, option: str) -> int:
    """Return the whole number that is given for an option.

    Raises:
        InvalidInput: if it is none.
    """
    with suppress(InvalidInput):
        value = rational(written)
        if value.q == 1:
            return int(value.p)
    raise InvalidInput(f"--{option} takes a whole number, such as 3, not {written!r}.")


def problem_document(options: argparse.Namespace) -> object:
    """Return the problem file that the options name or describe."""
    if options.problem is not None:
        _check_alone(options)
        return read_json(options.problem)
    if options.notion is None:
        raise InvalidInput(
            "No notion of privacy was given; give one, such as --notion dp (`epstar notions` lists them), or name a "
            "problem file."
        )
    source = described_source(options)
    if source is None:
        raise InvalidInput(
            "Say what is known about the distribution of the inputs: --prior P,P,... or --source, or --size M if "
            "nothing is."
        )
    document: dict[str, object] = {
        "notion": described_notion(options.notion, options.order, options.delta, options.gain),
        "universe": described_universe(options),
        "source": source,
        "distortion": described_cost(options),
        **described_wider(options),
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


def _check_alone(options: argparse.Namespace) -> None:
    """Refuse a problem file beside options that say the same, and a number that strayed from its list."""
    beside = next((name for name in (*_STATED, *_WIDER) if getattr(options, name) is not None), None)
    if beside is None:
        return
    if re.fullmatch(r"[.,/\d\s]+", options.problem):
        raise InvalidInput(
            f"{options.problem!r} stands alone; separate numbers by commas without spaces, as in --prior 0.5,0.5."
        )
    raise InvalidInput(f"The problem file says it all; leave out --{beside}, or change the file.")


def written_numbers(written: str) -> list[object]:
    """Return numbers as people type them, separated by commas; decimals may be rounded, so they count as floats."""
    entries: list[object] = []
    if written.startswith("@"):
        # As `epstar release` takes it: a file with the probabilities, separated by commas or lines.
        written = ",".join(",".join(row) for row in read_rows(written[1:]))
    for entry in written.split(","):
        try:
            entries.append(Decimal(entry) if "/" not in entry else entry.strip())
        except InvalidOperation:
            raise InvalidInput(
                f"{entry!r} in --prior is not a number; write decimals or fractions with commas between them."
            ) from None
    return entries


def check_schema(document: Mapping[str, object]) -> None:
    """Refuse a problem file of a version that is not known."""
    if document.get("schema", PROBLEM_SCHEMA) != PROBLEM_SCHEMA:
        raise InvalidInput(f"The schema {document['schema']!r} is not known; this version reads {PROBLEM_SCHEMA!r}.")


def words(value: object) -> list[str]:
    """Return words that were given as a list, or in one text, separated by commas.

    Spaces around a word do not count. One that holds a comma, or has spaces at its ends, stands in quotation marks,
    doubled within it.

    >>> words('flu, "cold, common", " x "')
    ['flu', 'cold, common', ' x ']
    """
    if isinstance(value, list):
        return [str(word) for word in value]
    if not isinstance(value, str):
        raise InvalidInput(f"{value!r} is not a list of words; separate them by commas.")
    found, end = [], -1
    while end < len(value):
        match = _WORD.match(value, end + 1)
        if match is None:
            raise InvalidInput("A quotation mark in a list of words has no partner; double it, or close it.")
        quoted, plain = match.groups()
        found.append(plain.strip() if quoted is None else quoted.replace('""', '"'))
        end = match.end()
    return found


def options_in_file(
    options: argparse.Namespace, place: str, several: Sequence[str] = (), objects: Sequence[str] = ()
) -> None:
    """Fill in the options from a JSON file, if the argument `place` names one or is "-"; those given stay.

    Those in `several` may be lists, those in `objects` also objects with an entry for each column; a switch is true or
    false, and everything else a text or a number.

    Raises:
        InvalidInput: if the file is no object, or holds something that is no option of the command, or of another kind.
    """
    name = getattr(options, place)
    if name != "-" and not name.endswith(".json"):
        return
    document = read_json(name)
    if not isinstance(document, dict) or place not in document:
        raise InvalidInput(f"{name} must hold a JSON object with {place!r} and options by their names.")
    known = dict(vars(options))
    for key, value in document.items():
        option = key.replace("-", "_")
        if option not in known or option in ("command", "json", "cite", "plot"):
            raise InvalidInput(f"{name} has an unknown entry {key!r}; its entries are options by their names.")
        read: object
        if isinstance(known[option], bool):
            read = _switch(key, value)
        elif isinstance(value, dict) and option in objects:
            read = {column: _entries(key, part) for column, part in value.items()}
        elif isinstance(value, list) and option in (*several, *objects):
            read = _entries(key, value)
        else:
            read = _entry(key, value)
        if option == place or known[option] in (None, False):
            setattr(options, option, read)


def _switch(key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise InvalidInput(f"The entry {key!r} is a switch; write true or false, without quotation marks.")


def _entries(key: str, value: object) -> list[str] | str:
    """A list of texts, in which also truth values may stand, or one text."""
    if not isinstance(value, list):
        return _entry(key, value)
    return [str(part) if isinstance(part, bool) else _entry(key, part) for part in value]


def _entry(key: str, value: object) -> str:
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        return str(value)
    raise InvalidInput(f"The entry {key!r} holds something that is neither text nor a number; write one of them.")
