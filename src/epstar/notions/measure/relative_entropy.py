"""Relative entropy of each row of a mechanism to a distribution of the output.

Mutual information averages it over the inputs, pointwise leakage takes its largest value, and the capacity is
the distribution of the output that makes the largest value smallest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, Rational, Real
from epstar.exact.enclosure import Logarithm, sum_of_logs

Floats = NDArray[np.float64]

_TINY = float(np.finfo(np.float64).tiny)
_CACHED = 1 << 16


def divergences(matrix: Floats, law: Floats) -> Floats:
    """Return sum_y Q(y|x) log(Q(y|x) / law(y)) for each input x, over the last axis; infinity where it is.

    It is the negative entropy of the row less the expected log of the distribution: one logarithm per entry.
    """
    missing = law <= 0
    logs = np.log(np.where(missing, 1.0, law))
    result: Floats = negative_entropies(matrix) - np.einsum("...xy,...y->...x", matrix, logs)
    if missing.any():
        result[(matrix * missing[..., None, :]).any(axis=-1)] = np.inf
    return result


def negative_entropies(matrix: Floats) -> Floats:
    """Return sum_y Q(y|x) log Q(y|x) over the last axis, in blocks of rows that stay in the cache."""
    outputs = matrix.shape[-1]
    rows = matrix.reshape(-1, outputs)
    result = np.empty(len(rows))
    step = max(1, _CACHED // outputs)
    buffer = np.empty((min(step, len(rows)), outputs))
    for start in range(0, len(rows), step):
        block = rows[start : start + step]
        logs = buffer[: len(block)]
        with np.errstate(divide="ignore", invalid="ignore"):
            np.log(block, out=logs)
            sums = np.einsum("xy,xy->x", block, logs)
        if np.isnan(sums).any():
            # Zero times any finite number is zero: the smallest normal number may stand in for a zero.
            sums = np.einsum("xy,xy->x", block, np.log(np.maximum(block, _TINY)))
        result[start : start + step] = sums
    return result.reshape(matrix.shape[:-1])


def logs_of_divergence(
    row: Sequence[Rational], law: Sequence[Rational], weight: Rational, into: list[Logarithm]
) -> bool:
    """Add weight * sum_y row log(row / distribution), as weights of logarithms, to `into`; False if it is infinite."""
    for p, r in zip(row, law, strict=True):
        if p != 0:
            if r == 0:
                return False
            if p != r:
                into.append((p / r, weight * p))
    return True


def divergence(row: Sequence[Rational], law: Sequence[Rational]) -> Real:
    """Return sum_y row log(row / distribution): exact when it is the logarithm of a rational, else an enclosure."""
    logs: list[Logarithm] = []
    finite = logs_of_divergence(row, law, Rational(1), logs)
    return sum_of_logs(logs) if finite else INFINITY
