"""Arguments as people give them: numbers as they are typed, whole numbers, fields, kinds, and how to show a value."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact import Rational

_LOGARITHM = re.compile(r"\s*(?:log|ln)\s*(?:\(\s*([^()]+?)\s*\)|\s([^()\s]+))\s*")


def typed(value: object) -> object:
    """Return a number as people type it; the natural logarithm may be called ln, and "log 3" has its parentheses.

    >>> typed("ln(3)"), typed("log 3/2"), typed("1/5")
    ('log(3)', 'log(3/2)', '1/5')
    """
    found = _LOGARITHM.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else f"log({found[1] or found[2]})"


def whole_number(value: object, what: str, least: int) -> int:
    """Return `value` as an int that is at least `least`.

    Raises:
        InvalidInput: for anything that is not a whole number, or one below `least`.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise InvalidInput(f"{what} must be a whole number, not {shown(value)}.")
    if value < least:
        raise InvalidInput(f"{what} must be at least {least}, not {int(value)}.")
    return int(value)


def check_fields(document: object, known: Collection[str], what: str) -> Mapping[str, Any]:
    """Return an object of a document without unknown fields: what nobody reads may say anything.

    Raises:
        InvalidInput: naming the first field that is unknown.
    """
    if not isinstance(document, Mapping):
        raise InvalidInput(f"{what} must be a JSON object in braces.")
    unknown = next((name for name in document if name not in known), None)
    if unknown is not None:
        raise InvalidInput(f"{what} has an entry {shown(unknown)} that nobody reads; leave it out.")
    return document


def check_kind(value: object, kinds: type | tuple[type, ...], what: str, instead: str) -> None:
    """Refuse a value that is not of one of these kinds, before Python trips over it somewhere inside.

    Raises:
        InvalidInput: naming the type that was given, and what to give instead.
    """
    if not isinstance(value, kinds):
        raise InvalidInput(f"{what} cannot be a value of type {type(value).__name__}; give {instead}.")


class _Short(reprlib.Repr):
    """Short texts of values in which a number of a document is what was written there."""

    def repr_Decimal(self, value: Decimal, _level: int) -> str:
        return str(value)


_SHORT = _Short()


def shown(value: object) -> str:
    """Return a short text of a value for an error message."""
    if isinstance(value, int) and abs(value) >= 1 << 128:
        # Python refuses to print integers of many thousand digits, and nobody reads them.
        return f"{'-' if value < 0 else ''}2**{value.bit_length() - 1} or more"
    text = str(value) if isinstance(value, Rational) else _SHORT.repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
