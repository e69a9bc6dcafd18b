"""Tickets: a matrix of probabilities as integers whose rows sum to a power of two, which a sampler can draw exactly."""

from __future__ import annotations

import math
from collections.abc import Sequence
from heapq import heapify, heapreplace
from typing import Any

import numpy as np

from epstar.errors import InvalidInput
from epstar.exact.rational_numbers import Rational, rational
from epstar.exact.real_numbers import MOST_BITS


def rationalise(matrix: Sequence[Sequence[object]] | np.ndarray, bits: int) -> list[list[int]]:
    """Return integer tickets whose rows sum to exactly 2**bits and are proportional to the rows of `matrix`.

    Zero stays zero and positive stays positive, because a privacy loss depends on which entries vanish. Each
    entry moves by less than (outputs + 1) / 2**bits of its row.

    >>> rationalise([[0.5, 0.25, 0.25], [1, 0, 0]], 3)
    [[4, 2, 2], [8, 0, 0]]
    """
    if type(bits) is not int or not 1 <= bits <= MOST_BITS:
        raise InvalidInput(f"The number of bits must be an integer between 1 and {MOST_BITS}.")
    total = 1 << bits
    rows = matrix.tolist() if isinstance(matrix, np.ndarray) else matrix
    return [_tickets(row, total) for row in rows]


def _weights(row: Sequence[object]) -> list[Any]:
    """Numbers in proportion to the entries of a row: integers, which are quicker, if all are floats, else fractions."""
    # A computed float stands for itself, not for the decimal that prints it.
    floats = [entry for entry in row if isinstance(entry, float) and math.isfinite(entry)]
    if len(floats) < len(row):
        return [
            Rational(*e.as_integer_ratio()) if isinstance(e, float) and math.isfinite(e) else rational(e) for e in row
        ]
    ratios = [entry.as_integer_ratio() for entry in floats]
    common = max((denominator for _, denominator in ratios), default=1)
    return [numerator * (common // denominator) for numerator, denominator in ratios]


def _tickets(row: Sequence[object], total: int) -> list[int]:
    entries = _weights(row)
    mass = sum(entries)
    positive = [i for i, entry in enumerate(entries) if entry > 0]
    if any(entry < 0 for entry in entries) or not positive:
        raise InvalidInput("A row of a mechanism needs non-negative entries and a positive sum.")
    if len(positive) > total:
        raise InvalidInput(
            f"{len(positive)} positive entries need more than {total} tickets; raise the number of bits."
        )
    tickets = [0] * len(entries)
    for i in positive:
        share = entries[i] * total
        tickets[i] = max(1, share // mass if isinstance(share, int) else int((share / mass).floor()))
    missing = total - sum(tickets)
    # Spread what rounding left over: first to the largest remainders, or back from the largest entries.
    by_remainder = sorted(positive, key=lambda i: tickets[i] * mass - entries[i] * total)
    for step in range(max(0, missing)):
        tickets[by_remainder[step % len(by_remainder)]] += 1
    if missing < 0:
        largest_first = [(-tickets[i], i) for i in positive]
        heapify(largest_first)
        for _ in range(-missing):
            i = largest_first[0][1]
            tickets[i] -= 1
            heapreplace(largest_first, (-tickets[i], i))
    return tickets
