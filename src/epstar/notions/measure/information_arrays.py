"""Mutual information of large exact mechanisms: two floats between which it lies, from arrays alone.

The matrix and the distributions are given as nearest floats, each within one rounding of the exact number, and every
later error is bounded by the steps taken (see `epstar.exact.elementary`). Terms of one sum have one sign, so that a
bound relative to the terms is a bound relative to the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.exact.elementary import ERROR, growth, logarithms
from epstar.mechanism import Mechanism

Floats = NDArray[np.float64]

# From this many entries on, balls one by one are too slow; two floats a rounding error apart have to do.
MANY_ENTRIES = 1 << 14
_MOST_BITS = 512
_VANISHING = 2.0**-900
# Roundings beside those of the sums: of the data, of products and of differences.
_OTHERS = 16


def is_many(mechanism: Mechanism, least: int = MANY_ENTRIES) -> bool:
    """Return whether a mechanism is exact, large, and has no positive entries too small for floats.

    One that ignores its input is not: that it gives away exactly nothing is soon told.
    """
    inputs, outputs = mechanism.shape
    if not mechanism.is_exact or inputs * outputs < least:
        return False
    scaled = mechanism.scaled
    if scaled is None or scaled.denominator.bit_length() > _MOST_BITS:
        return False
    return not bool((scaled.numerators == scaled.numerators[0]).all())


@dataclass(frozen=True)
class Bounds:
    """A number enclosed between two floats, and its likely value."""

    lower: float
    value: float
    upper: float


@dataclass(frozen=True, eq=False)
class EnclosedInformation:
    """The informations of a matrix of nearest floats, none of them below 2^-512 but zero."""

    matrix: Floats

    @cached_property
    def negative_entropies(self) -> Floats:
        """sum_y Q log Q of each row, whose terms are none positive."""
        result = np.empty(len(self.matrix))
        step = max(1, MANY_ENTRIES // self.matrix.shape[1])
        for start in range(0, len(result), step):
            block = self.matrix[start : start + step]
            # Zero times a logarithm is zero, whichever stands in.
            result[start : start + step] = (block * logarithms(np.where(block > 0, block, 1.0))).sum(axis=1)
        return result

    def at(self, law: Floats) -> Bounds:
        """Return the mutual information at a distribution of nearest floats.

        What vanishes, below 2^-900, is less than the roundings that are allowed for.
        """
        inputs, outputs = self.matrix.shape
        image = law @ self.matrix
        logs = logarithms(np.where(image > _VANISHING, image, 1.0))
        mean = float(law @ self.negative_entropies)
        entropy = -float(image @ logs)
        size = abs(mean) + float(image @ np.abs(logs))
        # The law of the output is off by the roundings of its sums, and x log x by 1 + |log x| times that.
        error = 1.01 * (growth(inputs + _OTHERS) * (size + 1.1) + (growth(inputs + outputs + _OTHERS) + ERROR) * size)
        value = mean + entropy
        return Bounds(value - error, value, value + error)

    def divergences(self, law: Floats) -> Floats:
        """Return numbers not below KL(Q(.|x) || r) of each row, for the law r of the output at a law of the input.

        Of several distributions, one after the other along the first axis.
        """
        return self._above(law @ self.matrix, len(self.matrix))

    def divergences_from(self, image: Floats) -> Floats:
        """Return numbers not below KL(Q(.|x) || r) of each row, for a law r of the output in nearest floats."""
        return self._above(image, 1)

    def _above(self, image: Floats, roundings: int) -> Floats:
        """Return the bounds for distributions of the output that are off by so many roundings."""
        reached = image > _VANISHING
        logs = logarithms(np.where(reached, image, 1.0))
        size = np.abs(self.negative_entropies) + np.abs(logs) @ self.matrix.T
        error = 1.01 * (growth(roundings + _OTHERS) * 1.1 + (growth(self.matrix.shape[1] + _OTHERS) + ERROR) * size)
        bounds = self.negative_entropies - logs @ self.matrix.T + error
        return np.where(~reached @ (self.matrix > 0).T, np.inf, bounds)
