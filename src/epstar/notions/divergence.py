"""Relative entropy of each row of a mechanism to a law of the output.

Mutual information averages it over the inputs, pointwise leakage takes its largest value, and the capacity is the
law of the output that makes the largest value smallest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.notions.enclosure import sum_of_logs

Floats = NDArray[np.float64]

_TINY = float(np.finfo(np.float64).tiny)


def divergences(matrix: Floats, law: Floats) -> Floats:
    """Return sum_y Q(y|x) log(Q(y|x) / law(y)) for each input x, over the last axis; one logarithm per entry."""
    missing = law <= 0
    if missing.any():
        ratios = matrix / np.where(missing, 1.0, law)[..., None, :]
        outside = (matrix * missing[..., None, :]).any(axis=-1)
    else:
        ratios = matrix / law[..., None, :]
        outside = None
    # Zero times any finite number is zero, so the smallest normal number stands in for log's argument at zero.
    np.maximum(ratios, _TINY, out=ratios)
    np.log(ratios, out=ratios)
    result: Floats = np.einsum("...xy,...xy->...x", matrix, ratios)
    if outside is not None:
        result[outside] = np.inf
    return result


def logs_of_divergence(
    row: Sequence[Rational], law: Sequence[Rational], weight: Rational, into: dict[Rational, Rational]
) -> bool:
    """Add weight * sum_y row log(row / law), as weights of logarithms, to `into`; False if it is infinite."""
    for p, r in zip(row, law, strict=True):
        if p:
            if not r:
                return False
            if p != r:
                ratio = p / r
                into[ratio] = into.get(ratio, ZERO) + weight * p
    return True


def divergence(row: Sequence[Rational], law: Sequence[Rational]) -> Real:
    """Return sum_y row log(row / law): exact when it is the logarithm of a rational, else an enclosure."""
    logs: dict[Rational, Rational] = {}
    finite = logs_of_divergence(row, law, Rational(1), logs)
    return sum_of_logs(logs) if finite else INFINITY
