"""What a document that somebody hands over may cost: its length, its depth, and what its few words stand for.

Every number here is counted before anything of that size is made. `check_proof.py` has the same limits.
"""

from __future__ import annotations

from collections.abc import Iterator

from epstar.errors import InvalidInput

MOST_BYTES = 1 << 25
MOST_VALUES = 1 << 22
MOST_DEPTH = 24
# Of an alphabet that is given by its size, and of a database: a few digits stand for as many labels or laws.
MOST_COUNTED = 1 << 20
# Bounds of a notion that are written out although the proof does not list a multiplier for each.
MOST_BOUNDS = 1 << 18
SECONDS = 600.0

_COUNTS = ("size", "alphabet", "nodes", "rows")


def check_content(content: bytes) -> None:
    """Refuse a text that would take much memory to parse, before it is parsed.

    Raises:
        InvalidInput: if it is too long, or holds too many values.
    """
    if len(content) > MOST_BYTES:
        raise InvalidInput(f"The document is longer than {MOST_BYTES} bytes; check its parts one by one.")
    if sum(content.count(mark) for mark in (b",", b"[", b"{")) > MOST_VALUES:
        raise InvalidInput(f"The document holds more than {MOST_VALUES} values; check its parts one by one.")


def check_document(document: object) -> None:
    """Refuse a document that is nested deeply, or counts further than anybody lists.

    Raises:
        InvalidInput: naming the limit.
    """
    waiting: list[Iterator[object]] = [iter([document])]
    while waiting:
        value = next(waiting[-1], waiting)
        if value is waiting:
            waiting.pop()
            continue
        if isinstance(value, dict):
            for name in _COUNTS:
                if isinstance(value.get(name), int) and value[name] > MOST_COUNTED:
                    raise InvalidInput(f"The entry {name!r} is larger than {MOST_COUNTED}; give fewer.")
            if value.get("universe") is None and isinstance(value.get("source"), dict):
                counted = value["source"].get("everything")
                if isinstance(counted, int) and counted > MOST_COUNTED:
                    raise InvalidInput(f"The source is about more than {MOST_COUNTED} categories; give fewer.")
        if isinstance(value, dict | list):
            if len(waiting) > MOST_DEPTH:
                raise InvalidInput(f"Lists and objects are nested deeper than {MOST_DEPTH}; write the document again.")
            waiting.append(iter(value.values() if isinstance(value, dict) else value))
