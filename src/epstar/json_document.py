"""JSON documents, read alike from files, from standard input and from requests.

What has two readings or none (NaN, an entry that stands twice, half of a surrogate pair), and what would exhaust a
machine (endless numbers, endless nesting) is refused with the same sentence wherever it comes from.
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path

from epstar.errors import InvalidInput

# Lists and objects within each other. The deepest document of epstar, the proof of a curve, has about 15 levels; every
# function that follows a document into its depth has room for this many.
MOST_LEVELS = 100
# Python reads no longer whole numbers, and nobody writes them.
_MOST_DIGITS = 4000
# Some editors begin a file with the mark of its byte order.
_MARK = "\ufeff"


def read_json(
    name: str | Path, check: Callable[[bytes], None] | None = None, most: int = -1, *, floats: bool = False
) -> object:
    """Return the JSON document in a file, or on standard input for "-".

    A `check` sees the bytes before they are parsed; no more than `most` are read.

    Raises:
        InvalidInput: in one sentence, if it cannot be read or `parse_json` refuses it.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a.json"
    ...     _ = path.write_text('{"a": 0.1}', encoding="utf-8")
    ...     read_json(path)
    {'a': Decimal('0.1')}
    """
    place = "Standard input" if name == "-" else str(name)
    try:
        if name == "-":
            content = sys.stdin.buffer.read(most)
        else:
            with Path(name).open("rb") as file:
                content = file.read(most)
    except (OSError, ValueError) as error:
        # A name with a NUL in it is a ValueError.
        reason = error.strerror if isinstance(error, OSError) else "that is not the name of a file"
        raise InvalidInput(f"{place} cannot be read: {reason}.") from None
    if check is not None:
        check(content)
    return parse_json(content, place, floats=floats)


def parse_json(content: bytes | str, place: str = "The document", *, floats: bool = False) -> object:
    """Return the JSON document that a text holds; `place` begins the sentence that refuses it.

    Decimals are kept as they are written, 0.1 is one tenth, unless `floats` asks for the nearest floats.

    Raises:
        InvalidInput: in one sentence, for what is not JSON, has two readings, or is too long or too deep.

    >>> parse_json('{"at": 0.1}')
    {'at': Decimal('0.1')}
    """
    try:
        written = (content.decode("utf-8") if isinstance(content, bytes) else content).removeprefix(_MARK)
    except UnicodeDecodeError:
        raise InvalidInput(f"{place} cannot be read: it is not UTF-8 text.") from None
    try:
        document = json.loads(
            written,
            parse_float=_float if floats else _decimal,
            parse_int=_integer,
            parse_constant=_no_number,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise InvalidInput(
            f"{place} is not valid JSON at line {error.lineno}; check its brackets, commas and quotes."
        ) from None
    except RecursionError:
        raise _too_deep(place) from None
    check_json(document, place)
    return document


def check_json(document: object, place: str = "The document") -> None:
    """Refuse a document that was read elsewhere if it is nested too deeply, or holds text that is no text.

    It goes down level by level, so that no depth exhausts the stack.

    Raises:
        InvalidInput: in the sentence with which `parse_json` refuses the same.

    >>> check_json({"a": [1, 2]})
    """
    level = [document]
    for depth in range(MOST_LEVELS + 1):
        inner: list[object] = []
        for entry in level:
            if isinstance(entry, str):
                _check_text(entry, place)
            elif isinstance(entry, Mapping):
                inner += entry.keys()
                inner += entry.values()
            elif isinstance(entry, list | tuple):
                inner += entry
            else:
                continue
            if depth == MOST_LEVELS and not isinstance(entry, str):
                raise _too_deep(place)
        if not inner:
            return
        level = inner


def _check_text(text: str, place: str) -> None:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidInput(
            f"{place} holds half of a surrogate pair, which is not a character; write the character itself, or both "
            "halves."
        ) from None


def _too_deep(place: str) -> InvalidInput:
    return InvalidInput(
        f"{place} is nested too deeply: its lists and objects may be {MOST_LEVELS} within each other, and no more."
    )


def _check_length(written: str) -> None:
    if len(written) > _MOST_DIGITS:
        raise InvalidInput(f"A number of {len(written)} digits is too long; write it with at most {_MOST_DIGITS}.")


def _integer(written: str) -> int:
    _check_length(written)
    return int(written)


def _decimal(written: str) -> Decimal:
    _check_length(written)
    try:
        return Decimal(written)
    except InvalidOperation:
        raise InvalidInput("A number has too large an exponent; write one of at most 18 digits.") from None


def _float(written: str) -> float:
    _check_length(written)
    value = float(written)
    if not math.isfinite(value):
        raise InvalidInput("A number has too large an exponent for a float; write it below 1e308.")
    return value


def _no_number(written: str) -> object:
    raise InvalidInput(f"{written} is not a JSON number; write a finite number, or 'infinity' where that is allowed.")


def _object(entries: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(entries)
    if len(found) < len(entries):
        twice = next(name for name, times in Counter(name for name, _ in entries).items() if times > 1)
        shown = repr(twice if len(twice) <= 40 else f"{twice[:37]}...")
        raise InvalidInput(f"The entry {shown} stands twice in one object; leave one of the two out.")
    return found
