"""Reading what a mechanism is made of, and refusing what is not one."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import Rational, rational
from epstar.exact.common_denominator import Integers
from epstar.exact.vectors import nearest_floats
from epstar.probability_vectors import has_float, law, listed
from epstar.universe import Alphabet, Universe

# Rows of floats come out of solvers and files; within this much of 1 they are taken to mean 1.
_TOLERANCE = 1e-9


def read_matrix(matrix: object) -> tuple[tuple[Rational, ...], ...] | NDArray[np.float64]:
    """Return the rows of a stochastic matrix: rationals, or a read-only array if any entry is a float.

    Raises:
        InvalidInput: naming the first row or entry that is wrong.
    """
    if isinstance(matrix, np.ndarray) and matrix.ndim != 2:
        raise InvalidInput(f"A mechanism is a table with 2 dimensions, not {matrix.ndim}; give a list of rows.")
    if isinstance(matrix, np.ndarray) and matrix.dtype.kind == "f" and matrix.size > 0:
        return _checked(matrix.astype(np.float64))
    rows = [
        listed(row, f"Row {number} of the mechanism")
        for number, row in enumerate(listed(matrix, "The matrix of a mechanism"), 1)
    ]
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise InvalidInput(
                f"Row 1 of the mechanism has {len(rows[0])} entries and row {number} has {len(row)}; make them equal."
            )
    if any(has_float(row) for row in rows):
        return _checked(np.array([_floats(row) for row in rows], dtype=np.float64))
    return tuple(law(row, f"Row {number} of the mechanism") for number, row in enumerate(rows, 1))


def _floats(row: list[object]) -> list[float]:
    return [_nearest_float(entry) for entry in row]


def _nearest_float(entry: object) -> float:
    if isinstance(entry, float | np.floating):
        return float(entry)
    exact = rational(entry)
    if not 0 <= exact <= 1:  # it may be too large for any float
        raise InvalidInput(f"An entry of the mechanism is {shown(exact)}; probabilities lie between 0 and 1.")
    return float(nearest_floats([exact])[0])


def _checked(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    wrong = ~(np.isfinite(matrix) & (matrix >= 0))
    if wrong.any():
        row, column = divmod(int(wrong.argmax()), matrix.shape[1])
        raise InvalidInput(
            f"Entry {column + 1} of row {row + 1} of the mechanism is {float(matrix[row, column])}; "
            "probabilities are finite and at least 0."
        )
    with np.errstate(over="ignore"):
        sums = matrix.sum(axis=1)
    far = np.abs(sums - 1) > _TOLERANCE
    if far.any():
        row = int(far.argmax())
        raise InvalidInput(
            f"Row {row + 1} of the mechanism sums to {float(sums[row])!r}, which is not 1 within 1e-9; "
            "correct the entries, or divide each by their sum."
        )
    matrix = matrix + 0.0  # minus zero is zero, so that equal matrices have equal bytes
    matrix.flags.writeable = False
    return matrix


def check_tickets(tickets: Integers, total: int) -> None:
    """Refuse tickets that are not a table of non-negative integers whose rows sum to `total`."""
    if tickets.ndim != 2 or tickets.size == 0 or tickets.dtype not in (np.dtype(np.int64), np.dtype(object)):
        raise InvalidInput("Tickets are a table of integers with one row per input; give a 2-dimensional array.")
    if (tickets < 0).any() or total < 1:
        raise InvalidInput("Tickets and their total count chances; they cannot be negative.")
    # A sum of int64 may wrap round, so that it is taken in two halves.
    high, low = (tickets >> 31).sum(axis=1), (tickets & ((1 << 31) - 1)).sum(axis=1)
    for row, parts in enumerate(zip(high.tolist(), low.tolist(), strict=True), 1):
        if (parts[0] << 31) + parts[1] != total:
            raise InvalidInput(
                f"The tickets of row {row} do not sum to {shown(total)}; every row needs the same total."
            )


def read_universe(universe: Universe | None, size: int) -> Universe:
    """Return the universe of `size` inputs, an alphabet unless one is given."""
    if universe is None:
        return Alphabet(size)
    if not isinstance(universe, Universe):
        raise InvalidInput(
            f"The universe of a mechanism cannot be a value of type {type(universe).__name__}; "
            "give an Alphabet, Databases, a Graph or a Metric."
        )
    if universe.size != size:
        raise InvalidInput(
            f"The mechanism has {size} rows and its universe {shown(universe.size)} inputs; make them equal."
        )
    return universe


def read_labels(labels: object, count: int) -> tuple[Hashable, ...]:
    """Return `count` different output labels."""
    read = listed(labels, "The list of outputs")
    if len(read) != count:
        raise InvalidInput(f"The mechanism has {count} columns and {len(read)} output labels; make them equal.")
    places: dict[Hashable, None] = {}
    for place, label in enumerate(read, 1):
        if not _is_hashable(label):
            raise InvalidInput(f"Output label {place} is not hashable; use texts, numbers or tuples.")
        if label in places:
            raise InvalidInput(f"The output label {shown(label)} stands twice; labels must differ.")
        places[label] = None
    return tuple(places)


def _is_hashable(label: object) -> TypeGuard[Hashable]:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def read_groups(groups: object, count: int) -> list[list[int]]:
    """Return groups of output positions that together hold each of `count` positions once."""
    read = [
        [whole_number(place, "An output position", 0) for place in listed(group, f"Group {number}")]
        for number, group in enumerate(listed(groups, "The list of groups"), 1)
    ]
    if sorted(place for group in read for place in group) != list(range(count)):
        raise InvalidInput(f"The groups must hold each output position from 0 to {count - 1} exactly once.")
    return read


def read_probability(value: object, what: str) -> Rational:
    """Return an exact number between 0 and 1."""
    number = rational(value)
    if not 0 <= number <= 1:
        raise InvalidInput(f"{what} must lie between 0 and 1, not at {shown(number)}.")
    return number


def read_ratio(value: object) -> Rational:
    """Return an exact ratio of probabilities E = e^epsilon, at least 1."""
    number = rational(value)
    if number < 1:
        raise InvalidInput(f"The ratio e^epsilon must be at least 1, not {shown(number)}.")
    return number
