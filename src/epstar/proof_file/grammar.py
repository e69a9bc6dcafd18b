"""The grammar of numbers, lists and objects in a proof: one for every checker, so that no two read a text differently.

A number is a text: an optional sign and digits, then nothing, `/` and digits that are not all zero, or `.` and digits,
an exponent of ten, or both. The problem of a proof may also hold JSON numbers, which are the decimals that they show.
People type more than that (`.5`, `ln(2)`), and `epstar.arguments` takes it; a proof is for machines that share no code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, Rational, Real, rational, text

_NUMBER = re.compile(r"([+-]?[0-9]+)(?:/(0*[1-9][0-9]*)|(\.[0-9]+)?(?:[eE]([+-]?[0-9]{1,4}))?)", re.ASCII)
# The largest exponent of ten, and the most characters.
_LONGEST = 4000
# Every double has this many digits, so that readers who round a label to one agree about it.
_DIGITS_OF_LABELS = 15


def number(entry: object) -> Rational:
    """Return the number that a text in a proof stands for.

    Raises:
        InvalidInput: for anything else.

    >>> number("3/10") == number("0.3") == number("3e-1")
    True
    """
    found = _NUMBER.fullmatch(entry) if isinstance(entry, str) and len(entry) <= _LONGEST else None
    if found is None or abs(int(found[4] or 0)) > _LONGEST:
        raise InvalidInput(f"{shown(entry)} is not a number of a proof; these are texts, such as '3/10' or '0.3'.")
    # Fractions and integers come by the ten thousand.
    whole, denominator, *decimal = found.groups()
    return rational(found[0]) if any(decimal) else Rational(int(whole), int(denominator or 1))


def level(entry: object) -> Real:
    """Return the loss or the distortion that a text in a proof stands for: a number, "log(r)" or "infinity"."""
    if entry == "infinity":
        return INFINITY
    if isinstance(entry, str) and entry.startswith("log(") and entry.endswith(")"):
        return Real.log(number(entry[4:-1]))
    return Real.of(number(entry))


def given_at(entry: object) -> Real:
    """Return the loss or the distortion that an answer is about: as in a claim, or a JSON number as in a problem.

    Raises:
        InvalidInput: for anything else.
    """
    if isinstance(entry, int | float | Decimal) and not isinstance(entry, bool):
        return Real.of(entry)
    return level(entry)


def check_numbers(problem: Mapping[str, Any]) -> None:
    """Refuse the problem of a proof where one of its texts or labels is no number that every checker reads alike.

    Raises:
        InvalidInput: naming it.
    """
    universe = problem.get("universe")
    described: Mapping[str, Any] = universe if isinstance(universe, Mapping) else {}
    if "query" in described:
        raise InvalidInput("The universe of a proof is a query; write its graph of answers out.")
    cost = problem["distortion"]
    parts = [problem["source"], described.get("metric"), _without_name(cost), _without_name(problem["notion"])]
    parts.append(problem.get("mechanism"))
    secret = problem.get("secret")
    if isinstance(secret, Mapping):
        within = secret.get("universe")
        parts += [secret.get("given"), within.get("metric") if isinstance(within, Mapping) else None]
    also = problem.get("also")
    for guarantee in also if isinstance(also, list) else ():
        if isinstance(guarantee, Mapping):
            parts.append(_without_name(guarantee.get("notion")))
            level(guarantee.get("loss"))
    check_members(problem["source"])
    for entry in _all_texts(parts):
        if entry not in ("infinity", "event", "pointwise"):
            number(entry)
    for entry in _all_texts([label for label in _labels(described) if isinstance(label, Mapping)]):
        number(entry)
    for label in _labels(described):
        written = str(label) if isinstance(label, int | float | Decimal) and not isinstance(label, bool) else "0"
        digits = Decimal(written).normalize().as_tuple().digits
        if len(digits) > _DIGITS_OF_LABELS:
            raise InvalidInput(
                f"The label {shown(label)} has more than {_DIGITS_OF_LABELS} digits, which readers round differently; "
                'write {"rational": "…"}.'
            )


def check_source(source: object) -> None:
    """Refuse a source, of a row, one of whose texts is no number of a proof."""
    check_members(source)
    for entry in _all_texts(source):
        number(entry)


def check_members(source: object) -> None:
    """Refuse a source in a proof with a polytope that names no distribution: of an empty one everything is true.

    Raises:
        InvalidInput: if it names none.
    """
    if isinstance(source, Mapping):
        polytope, rows = source.get("polytope"), source.get("rows")
        if isinstance(polytope, Mapping) and polytope.get("member") is None:
            raise InvalidInput("The polytope is not shown to hold a distribution; name one as its 'member'.")
        for row in rows if isinstance(rows, list) else [rows]:
            check_members(row)


def texts(values: Sequence[Rational]) -> list[str]:
    """Return numbers as a proof holds them."""
    return [text(value) for value in values]


def point(entry: Any) -> tuple[Rational, ...]:
    """Return the numbers of a list."""
    if not isinstance(entry, list):
        raise InvalidInput("A list of numbers is missing in the proof.")
    return tuple(number(value) for value in entry)


def is_true(fields: Mapping[str, Any], name: str) -> bool:
    """Return whether a field stands there, which says true."""
    if fields.get(name, True) is not True:
        raise InvalidInput(f"The field {name!r} of a proof is true, or left out.")
    return name in fields


def positions(entry: Sequence[Any]) -> tuple[int, ...]:
    """Return the positions in a list."""
    return tuple(position(part) for part in entry)


def position(entry: object) -> int:
    """Return a position, counted from 0."""
    return whole_number(entry, "A position in the proof", 0)


def fields_of(entry: object, known: set[str], what: str, needed: set[str]) -> Mapping[str, Any]:
    """Return the fields of an object after checking their names."""
    if not isinstance(entry, Mapping):
        raise InvalidInput(f"{what} must be a JSON object in braces.")
    unknown = sorted(set(entry) - known)
    if unknown:
        raise InvalidInput(f"{what} has no field {shown(unknown[0])}; its fields are {', '.join(sorted(known))}.")
    missing = sorted(needed - set(entry))
    if missing:
        raise InvalidInput(f"{what} has no {missing[0]!r}; add it.")
    return entry


def _without_name(entry: object) -> object:
    return {key: value for key, value in entry.items() if key != "name"} if isinstance(entry, Mapping) else None


def _all_texts(entry: object) -> Iterator[str]:
    """Yield the texts in lists and objects."""
    if isinstance(entry, str):
        yield entry
    elif isinstance(entry, Mapping):
        for value in entry.values():
            yield from _all_texts(value)
    elif isinstance(entry, list):
        for value in entry:
            yield from _all_texts(value)


def _labels(universe: Mapping[str, Any]) -> Iterator[object]:
    inner = [part for part in (universe, universe.get("databases"), universe.get("graph")) if isinstance(part, Mapping)]
    for labels in (part.get(name) for part in inner for name in ("alphabet", "labels", "nodes")):
        yield from labels if isinstance(labels, list) else ()
