"""The Hessian of terms that compare two rows of a mechanism output by output, in the entries, one term for each pair.

A term contributes, for each output y, a 2 x 2 matrix b(y) [[1, -r(y)], [-r(y), r(y)^2]] in the two entries, and one
matrix of rank one over all outputs, weight * (left, right) (left, right)^T.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


@dataclass(frozen=True)
class PairTerms:
    """For each pair and output the ratio, the curvature and the slopes in the two entries; for each pair a weight."""

    ratio: Floats
    bent: Floats
    left: Floats
    right: Floats
    weight: Floats


def pair_hessian(inputs: int, first: Places, second: Places, terms: PairTerms) -> Floats:
    """Return the matrix in the entries, row by row, of which the lower half counts; no pair may stand twice."""
    outputs = terms.ratio.shape[1]
    system = np.zeros((inputs, outputs, inputs, outputs))
    own = np.arange(outputs)
    left, right = terms.weight[:, None] * terms.left, terms.weight[:, None] * terms.right
    for places, row, column, before, after in (
        (first > second, first, second, left, terms.right),
        (first < second, second, first, right, terms.left),
    ):
        cross = before[places][:, :, None] * after[places][:, None, :]
        cross[:, own, own] -= (terms.ratio * terms.bent)[places]
        system[row[places], :, column[places], :] += cross
    turned = terms.ratio**2 * terms.bent
    for x in range(inputs):
        one, other = first == x, second == x
        block = left[one].T @ terms.left[one] + right[other].T @ terms.right[other]
        block[own, own] += terms.bent[one].sum(axis=0) + turned[other].sum(axis=0)
        system[x, :, x, :] = block
    return system.reshape(inputs * outputs, inputs * outputs)
