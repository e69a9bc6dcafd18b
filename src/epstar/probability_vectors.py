"""Probability vectors and tables of numbers as people give them: lists, arrays, series with labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import Decimal
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, rational
from epstar.exact.common_denominator import Integers, Scaled
from epstar.exact.vectors import nearest_floats, sum_of

# Entries are whatever `rational` reads; a narrower type would refuse lists that mix numbers and texts.
Numbers: TypeAlias = "Sequence[object] | NDArray[Any]"


Table: TypeAlias = "Sequence[object] | NDArray[Any]"


@runtime_checkable
class Labelled(Protocol):
    """Values with labels beside them, such as a series or a frame of pandas."""

    @property
    def index(self) -> Any:
        """The labels of the rows."""

    def to_numpy(self) -> NDArray[Any]:
        """Return the values alone."""


@runtime_checkable
class LabelledTable(Labelled, Protocol):
    """A table with labels for its rows and its columns."""

    @property
    def columns(self) -> Any:
        """The labels of the columns."""


# Floats that add up to one within this much are taken to mean a law, and are divided by their sum.
NORMALISATION = Rational(1, 10**9)


def listed(values: object, what: str) -> list[object]:
    """Return the entries of an ordered collection, which must not be empty.

    Raises:
        InvalidInput: for text, a mapping, a set (it has no order), a single number, or an empty collection.
    """
    if isinstance(values, np.ndarray):
        if values.ndim == 0:
            raise InvalidInput(f"{what} must be a list, not the single value {values!r}.")
        # A float of another width is the shortest decimal of its own kind: as a double it would be another number.
        is_narrow = values.dtype.kind == "f" and values.dtype != np.float64
        entries: list[object] = list(values if is_narrow else values.tolist())
    elif isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        kind = type(values).__name__
        raise InvalidInput(f"{what} must be an ordered list, not a value of type {kind}; write it in brackets.")
    else:
        entries = list(values)
    if not entries:
        raise InvalidInput(f"{what} is empty; give at least one entry.")
    return entries


def vector(values: object, what: str) -> tuple[Rational, ...]:
    """Return a list of numbers as exact fractions; a float is the shortest decimal that prints it.

    Raises:
        InvalidInput: naming the first entry that is not a finite number.
    """
    return _exact(listed(values, what), what)


def table(values: object, what: str) -> tuple[tuple[Rational, ...], ...]:
    """Return a list of equally long lists of numbers as exact fractions."""
    rows = tuple(
        vector(row, f"Row {number} of {_lower_case(what)}") for number, row in enumerate(listed(values, what), 1)
    )
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InvalidInput(
                f"{what} is ragged: row 1 has {len(rows[0])} entries and row {number} has {len(row)}; make them equal."
            )
    return rows


def law(values: object, what: str) -> tuple[Rational, ...]:
    """Return a probability distribution as exact fractions that sum to exactly one.

    Floats whose sum is one within 1e-9 are divided by their sum; numbers given exactly are taken as they are.

    Raises:
        InvalidInput: for a negative entry, or another sum.

    >>> [str(p) for p in law([0.1, 0.9], "A prior")]
    ['1/10', '9/10']
    """
    counts = law_counts(values, what)
    if counts is not None:
        return counts.fractions()
    entries = listed(values, what)
    exact = _exact(entries, what)
    total = sum_of(exact)
    _check_law(exact, total, has_float(entries), what)
    return exact if total == ONE else tuple([entry / total for entry in exact])


def proportional_law(values: object, what: str) -> tuple[Rational, ...]:
    """Return the distribution in proportion to some weights, such as counts, or floats whose sum was rounded.

    >>> [str(p) for p in proportional_law([3, 1], "A prior")]
    ['3/4', '1/4']
    """
    weights = vector(values, what)
    total = sum_of(weights)
    if any(weight < 0 for weight in weights) or total == ZERO:
        raise InvalidInput(f"{what} is made of weights that are at least 0, and not all of them 0.")
    return tuple([weight / total for weight in weights])


def values_and_labels(given: object) -> tuple[object, list[Any] | None]:
    """Return the values of a mapping or a series, and their labels; None for labels that only count from 0.

    >>> values_and_labels({"yes": 0.3, "no": 0.7})
    ([0.3, 0.7], ['yes', 'no'])
    """
    if isinstance(given, Mapping):
        return list(given.values()), list(given)
    # What has its labels in a method called `index`, as lists and columns of Arrow do, has none.
    if isinstance(given, Labelled) and not callable(given.index):
        return given.to_numpy(), names_in(given.index)
    return given, None


def names_in(index: Any) -> list[Any] | None:
    """Return the labels of an index, None if they only count the places from 0.

    A label that numpy made is the value of Python that it stands for, as it would be in a file.
    """
    labels = [label.item() if isinstance(label, np.generic) else label for label in index]
    # False and 0.0 are equal to 0, and are labels.
    counts = all(type(label) is int and label == place for place, label in enumerate(labels))
    return None if counts else labels


def law_counts(values: object, what: str) -> Scaled | None:
    """Return a probability distribution of floats as integers over their sum, before they become fractions.

    None if an entry is no float, or is not finite.
    """
    floats = _all_floats(listed(values, what))
    if floats is None:
        return None
    numerators, denominator = _decimals(floats)
    mass = sum(numerators.tolist())
    _check_law(numerators, Rational(mass, denominator), True, what)
    return Scaled(numerators, mass)


def float_law(values: object) -> NDArray[np.float64] | None:
    """Return a copy of an array of floats that is plainly a law (read-only); None where `law` must look closer.

    The decimals that floats stand for add up to within 2**-53 of each of what the floats add up to.
    """
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.ndim != 1 or values.size == 0:
        return None
    if not (values >= 0).all() or not abs(math.fsum(values) - 1) < float(NORMALISATION) / 2:
        return None
    copied: NDArray[np.float64] = values + 0.0
    copied.flags.writeable = False
    return copied


def _check_law(entries: Sequence[Rational] | Integers, total: Rational, rounded: bool, what: str) -> None:
    negative = np.array([entry < 0 for entry in entries] if not isinstance(entries, np.ndarray) else entries < 0)
    if negative.any():
        place = int(negative.argmax()) + 1
        raise InvalidInput(f"{what} has a negative entry at place {place}; probabilities are at least 0.")
    if total == ONE:
        return
    if not rounded:
        raise InvalidInput(
            f"{what} sums to {shown(total)}, not to 1; correct the entries, or divide each by their sum."
        )
    if abs(total - ONE) > NORMALISATION:
        raise InvalidInput(
            f"{what} sums to {_decimal_text(total)}, which is not 1 within 1e-9; "
            "correct the entries, or divide each by their sum."
        )


def _decimal_text(value: Rational) -> str:
    try:
        return repr(float(nearest_floats((value,))[0]))
    except InvalidInput:
        return "more than 1e308"


def has_float(entries: Iterable[object]) -> bool:
    """Return whether any entry is a decimal or binary floating-point number, which may have been rounded."""
    return any(isinstance(entry, float | np.floating | Decimal) for entry in entries)


def _exact(entries: list[object], what: str) -> tuple[Rational, ...]:
    floats = _all_floats(entries)
    if floats is not None:
        return Scaled(*_decimals(floats)).fractions()
    fractions = [entry for entry in entries if isinstance(entry, Rational)]
    if len(fractions) == len(entries):
        return tuple(fractions)
    exact: list[Rational] = []
    for number, entry in enumerate(entries, 1):
        if isinstance(entry, list | tuple | np.ndarray):
            raise InvalidInput(f"{what} must hold numbers, but entry {number} is itself a list; remove a level.")
        try:
            exact.append(rational(entry))
        except InvalidInput as error:
            raise InvalidInput(f"Entry {number} of {_lower_case(what)} is wrong: {error}") from None
    return tuple(exact)


def _all_floats(entries: list[object]) -> list[float] | None:
    floats = [entry for entry in entries if type(entry) is float]
    return floats if len(floats) == len(entries) and np.isfinite(np.array(floats)).all() else None


def _decimals(values: list[float]) -> tuple[Integers, int]:
    """Return the shortest decimals of finite floats as numerators over one power of ten.

    One repr of the whole list is read as an array of characters: a mantissa of at most 17 digits with leading zeros,
    and perhaps an exponent.
    """
    written = np.frombuffer(f"{repr(values)[1:-1]}, ".encode(), dtype=np.uint8)
    ends = np.flatnonzero(written == ord(","))
    starts = np.concatenate([[0], ends[:-1] + 2])
    stops, exponents = ends.copy(), np.zeros(len(ends), dtype=np.int64)
    marks = np.flatnonzero(written == ord("e"))
    if marks.size:
        owners = np.searchsorted(ends, marks)
        stops[owners] = marks
        digits = [_digit(written[ends[owners] - k]) * 10 ** (k - 1) * (ends[owners] - k > marks + 1) for k in (1, 2, 3)]
        exponents[owners] = np.where(written[marks + 1] == ord("-"), -1, 1) * sum(digits)
    points = np.flatnonzero(written == ord("."))
    decimals = np.zeros(len(ends), dtype=np.int64)
    owners = np.searchsorted(ends, points)
    decimals[owners] = stops[owners] - points - 1
    mantissas, power = np.zeros(len(ends), dtype=np.int64), np.ones(len(ends), dtype=np.int64)
    for back in range(1, int((stops - starts).max()) + 1):
        characters = written[np.maximum(stops - back, 0)]
        is_digit = (characters >= ord("0")) & (stops - back >= starts)
        mantissas += np.where(is_digit, _digit(characters) * power, 0)
        # Beyond 17 digits there are leading zeros only.
        power = np.where(is_digit & (power < 10**17), power * 10, power)
    mantissas = np.where(written[starts] == ord("-"), -mantissas, mantissas)
    places = decimals - exponents
    most = max(0, int(places.max()))
    span = most - int(places.min())
    if int(np.abs(mantissas).max()) * 10**span < 1 << 62:
        return mantissas * 10 ** (most - places), 10**most
    factors = np.array([10**k for k in range(span + 1)], dtype=object)
    return mantissas.astype(object) * factors[most - places], 10**most


def _digit(characters: NDArray[np.uint8]) -> NDArray[np.int64]:
    return characters.astype(np.int64) - ord("0")


def _lower_case(what: str) -> str:
    return what[:1].lower() + what[1:]
