"""Weighted universes: d-privacy, where the budget of a pair grows with its distance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown
from epstar.errors import InvalidInput
from epstar.exact import INFINITY, ONE, ZERO, Rational, rational
from epstar.probability_vectors import Table, listed
from epstar.universe.base import Labels, Listed, Pairs, check_pair_count


@dataclass(frozen=True, init=False)
class Metric(Listed):
    """Labelled elements with a table of distances, which may be infinite (None, inf or "inf").

    The table must be symmetric, zero on the diagonal and positive elsewhere. Rounded tables often miss the
    triangle inequality by a digit; they are accepted as they are, because the privacy they define is that of
    their shortest paths. `triangle_violation` tells.

    >>> Metric([[0, 1, 3], [1, 0, 1], [3, 1, 0]]).triangle_violation
    (0, 1, 2)
    """

    matrix: tuple[tuple[Rational | None, ...], ...]

    def __init__(self, matrix: Table, labels: Labels | None = None) -> None:
        rows = [
            [_length(entry) for entry in listed(row, f"Row {number} of a metric")]
            for number, row in enumerate(listed(matrix, "A metric"), 1)
        ]
        for number, row in enumerate(rows, 1):
            if len(row) != len(rows):
                raise InvalidInput(f"A metric must be square, but row {number} of {len(rows)} has {len(row)} entries.")
        super().__init__(len(rows) if labels is None else labels, "A metric")
        if self.size != len(rows):
            raise InvalidInput(f"A metric of {len(rows)} rows needs as many labels, not {self.size}.")
        _check_distances(rows)
        object.__setattr__(self, "matrix", tuple(tuple(row) for row in rows))

    def distance(self, i: int, j: int) -> Rational | None:
        return self.matrix[self.read_index(i)][self.read_index(j)]

    @property
    def number_of_pairs(self) -> int:
        return self.size * (self.size - 1) // 2

    def pairs(self) -> Pairs:
        check_pair_count(self.number_of_pairs)
        return self._pairs

    @cached_property
    def _pairs(self) -> Pairs:
        first, second = np.triu_indices(self.size, 1)
        lengths = tuple(chain.from_iterable(row[i + 1 :] for i, row in enumerate(self.matrix)))
        distances = tuple(length for length in lengths if length is not None)
        if len(distances) < len(lengths):
            finite = np.array([length is not None for length in lengths], dtype=np.bool_)
            first, second = first[finite], second[finite]
        ends = first.astype(np.int64), second.astype(np.int64)
        return Pairs(*ends, None if all(d == ONE for d in distances) else distances)

    @property
    def diameter(self) -> Rational | None:
        lengths = [distance for row in self.matrix for distance in row]
        finite = [distance for distance in lengths if distance is not None]
        return max(finite) if len(finite) == len(lengths) else None

    @cached_property
    def triangle_violation(self) -> tuple[int, int, int] | None:
        """A triple (i, k, j) with d(i, j) > d(i, k) + d(k, j), or None if the triangle inequality holds.

        Exact, on whole numbers over a common denominator; cubic in the size.
        """
        scaled = self._scaled()
        for k in range(self.size):
            detour = scaled[:, k, None] + scaled[None, k, :]
            longer = np.argwhere(scaled > detour)
            if len(longer):
                i, j = longer[0].tolist()
                return i, k, j
        return None

    def _scaled(self) -> NDArray[Any]:
        denominator = math.lcm(*(int(d.q) for row in self.matrix for d in row if d is not None))
        numerators = [[None if d is None else int(d.p) * (denominator // int(d.q)) for d in row] for row in self.matrix]
        # Infinity: longer than any two finite distances together, not longer than a sum that contains it.
        infinite = 2 * max(n for row in numerators for n in row if n is not None) + 1
        whole = [[infinite if n is None else n for n in row] for row in numerators]
        return np.array(whole, dtype=np.int64 if infinite < 2**61 else object)


def _length(entry: object) -> Rational | None:
    if entry is None or entry is INFINITY:
        return None
    if isinstance(entry, float | np.floating) and entry == math.inf:
        return None
    if isinstance(entry, str) and entry.strip().lower() in ("inf", "infinity"):
        return None
    return rational(entry)


def _check_distances(rows: list[list[Rational | None]]) -> None:
    for i, row in enumerate(rows):
        if row[i] != ZERO:
            raise InvalidInput(f"The distance of element {i} to itself must be 0, not {shown(row[i])}.")
        for j, distance in enumerate(row):
            if distance is not None and i != j and distance <= ZERO:
                raise InvalidInput(
                    f"The distance of elements {i} and {j} is {shown(distance)}; distances are positive, "
                    "so merge elements that need not be told apart."
                )
            if distance != rows[j][i]:
                raise InvalidInput(
                    f"A metric must be symmetric, but elements {i} and {j} are at {shown(distance)} one way "
                    f"and {shown(rows[j][i])} the other."
                )
