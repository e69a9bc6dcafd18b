"""What the outputs of a mechanism can tell of the frequencies of its inputs, and what they cannot.

With input distribution p the output distribution is Qᵀp. A weighted sum w·p can be estimated without bias if w is a
combination of the columns of Q. Directions in which Q is weaker than four parts in a million count as hidden: the
rounding to tickets alone could have made them, and no table is long enough to see anything there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.mechanism import Mechanism

Floats = NDArray[np.float64]

LARGEST = 2048
_WEAK = 4e-6
# What is left of a weighted sum after its visible part is taken away, if it can be estimated.
_REST = 1e-4


@dataclass(frozen=True)
class Inverse:
    """The unbiased estimators that a mechanism allows.

    Raises:
        InvalidInput: for more than 2048 inputs.

    >>> merged = Mechanism([["1/2", "1/2"], ["1/4", "3/4"], ["1/4", "3/4"]])
    >>> inverse = Inverse(merged)
    >>> [inverse.can_estimate(w) for w in ((1, 0, 0), (0, 1, 0), (0, 1, 1))]
    [True, False, True]
    >>> inverse.combinations
    ((1.0, 0.0, 0.0), (0.0, 1.0, 1.0))
    """

    mechanism: Mechanism

    def __post_init__(self) -> None:
        if self.mechanism.shape[0] > LARGEST:
            raise InvalidInput(
                f"A mechanism of {self.mechanism.shape[0]} inputs is too large to be inverted; "
                f"estimate from one of at most {LARGEST}."
            )

    @cached_property
    def _parts(self) -> tuple[Floats, Floats]:
        """An orthonormal basis of what is visible, in columns, and what each output adds along each of them.

        The outputs are weighted as for an even distribution of the inputs; for a square mechanism of full rank the
        weights cancel and what comes out is its inverse.
        """
        floats = self.mechanism.floats
        used = np.flatnonzero(floats.sum(axis=0) > 0)
        roots = 1 / np.sqrt(floats[:, used].mean(axis=0))
        left, strengths, right = np.linalg.svd(floats[:, used] * roots, full_matrices=False)
        visible = strengths > _WEAK * strengths[0]
        adds = np.zeros((int(visible.sum()), floats.shape[1]))
        adds[:, used] = right[visible] / strengths[visible, None] * roots
        return left[:, visible], adds

    @property
    def is_complete(self) -> bool:
        """Whether the frequency of every input can be estimated."""
        return len(self._parts[0].T) == self.mechanism.shape[0]

    def can_estimate(self, weights: Sequence[float] | Floats) -> bool:
        """Return whether the sum of `weights` times the frequencies can be estimated without bias."""
        basis, given = self._parts[0], np.asarray(weights, dtype=np.float64)
        rest = given - basis @ (given @ basis)
        size, left = float(np.linalg.norm(given)), float(np.linalg.norm(rest))
        return left <= _REST * size

    def estimator(self, weights: Sequence[float] | Floats) -> Floats:
        """Return the number that each output adds to the estimate of a weighted sum of frequencies."""
        basis, adds = self._parts
        estimator: Floats = (np.asarray(weights, dtype=np.float64) @ basis) @ adds
        return estimator

    @cached_property
    def combinations(self) -> tuple[tuple[float, ...], ...]:
        """A basis of the weighted sums that can be estimated, each with an input that no other has."""
        rows = self._parts[0].T.copy()
        rank = 0
        for x in range(rows.shape[1]):
            if rank == len(rows):
                break
            best = rank + int(np.abs(rows[rank:, x]).argmax())
            if abs(rows[best, x]) <= _REST:
                continue
            rows[[rank, best]] = rows[[best, rank]]
            rows[rank] /= rows[rank, x]
            others = np.arange(len(rows)) != rank
            rows[others] -= np.outer(rows[others, x], rows[rank])
            rank += 1
        return tuple(tuple(_plain(entry) for entry in row) for row in rows[:rank].tolist())


def _plain(entry: float) -> float:
    """The fraction of small denominator next to a number, if it is as near as rounding can tell."""
    nearest = Fraction(entry).limit_denominator(1000)
    return float(nearest) if abs(float(nearest) - entry) <= _REST else entry
