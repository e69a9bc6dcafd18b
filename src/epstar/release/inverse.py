"""What the outputs of a mechanism can tell of the frequencies of its inputs, and what they cannot.

With input law p the output law is Qᵀp. A weighted sum w·p can be estimated without bias exactly if w is a
combination of the columns of Q, that is, if w vanishes on every v with vᵀQ = 0. This is decided in rationals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, dot
from epstar.mechanism import Mechanism
from epstar.reading import nearest_floats

Floats = NDArray[np.float64]
Weights = tuple[Rational, ...]

# Elimination in rationals beyond this many inputs would take minutes.
LARGEST = 512


@dataclass(frozen=True)
class Inverse:
    """The unbiased estimators that a mechanism allows.

    >>> suppressed = Mechanism([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]])
    >>> inverse = Inverse(suppressed)
    >>> [inverse.can_estimate(w) for w in ((1, 0, 0), (0, 1, 0), (0, 1, 1))]
    [True, False, True]
    """

    mechanism: Mechanism

    def __post_init__(self) -> None:
        if self.mechanism.shape[0] > LARGEST:
            raise InvalidInput(
                f"A mechanism of {self.mechanism.shape[0]} inputs is too large to be inverted; "
                f"estimate from one of at most {LARGEST}."
            )

    @cached_property
    def combinations(self) -> tuple[Weights, ...]:
        """A basis of what can be estimated: the columns of Q, reduced to give each an input of its own."""
        return tuple(tuple(row) for row in self._reduced[0])

    @cached_property
    def _reduced(self) -> tuple[list[list[Rational]], list[int]]:
        """The reduced echelon form of the columns of Q, without zero rows, and its pivots."""
        rows = [list(self.mechanism.column(y)) for y in range(self.mechanism.shape[1])]
        pivots: list[int] = []
        for x in range(self.mechanism.shape[0]):
            rank = len(pivots)
            found = next((k for k in range(rank, len(rows)) if rows[k][x] != ZERO), None)
            if found is None:
                continue
            rows[rank], rows[found] = rows[found], rows[rank]
            scale = ONE / rows[rank][x]
            rows[rank] = [entry * scale for entry in rows[rank]]
            for k, row in enumerate(rows):
                if k != rank and row[x] != ZERO:
                    factor = row[x]
                    rows[k] = [a - factor * b for a, b in zip(row, rows[rank], strict=True)]
            pivots.append(x)
        return rows[: len(pivots)], pivots

    @cached_property
    def _nulls(self) -> list[list[Rational]]:
        """A basis of the v with vᵀQ = 0: what no output can see."""
        rows, pivots = self._reduced
        free = [x for x in range(self.mechanism.shape[0]) if x not in pivots]
        nulls = []
        for x in free:
            null = [ZERO] * self.mechanism.shape[0]
            null[x] = ONE
            for row, pivot in zip(rows, pivots, strict=True):
                null[pivot] = -row[x]
            nulls.append(null)
        return nulls

    @property
    def is_complete(self) -> bool:
        """Whether the frequency of every input can be estimated."""
        return not self._nulls

    def can_estimate(self, weights: Sequence[object]) -> bool:
        """Return whether the sum of `weights` times the frequencies can be estimated without bias."""
        exact = [Rational(weight) if isinstance(weight, int) else weight for weight in weights]
        rationals = [weight for weight in exact if isinstance(weight, Rational)]
        return all(dot(rationals, null) == ZERO for null in self._nulls)

    @cached_property
    def matrix(self) -> Floats:
        """One row per input: what an output adds to the estimate of that input, where there is one.

        Least squares, weighted as for an even law of the inputs; for a square mechanism the inverse itself.
        """
        floats = self.mechanism.floats
        used = np.flatnonzero(floats.sum(axis=0) > 0)
        kept = floats[:, used]
        weighted = kept / kept.mean(axis=0)
        result = np.zeros_like(floats)
        result[:, used] = np.linalg.pinv(weighted @ kept.T, hermitian=True) @ weighted
        return result

    def estimator(self, weights: Sequence[Rational]) -> Floats:
        """Return the number that each output adds to the estimate of a weighted sum of frequencies."""
        estimator: Floats = nearest_floats(list(weights)) @ self.matrix
        return estimator
