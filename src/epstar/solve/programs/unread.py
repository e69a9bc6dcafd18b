"""Bounds that a program does not read until a mechanism breaks them: of many, few bind.

Those with a slack between inputs far apart are seldom used up, and have coefficients that a solver takes badly.
Divergences of each row at each of many laws are many, and each is a cone for every output.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Real
from epstar.notions.constraints import LAW, RatioBound, RelativeEntropy, SumBound

Floats = NDArray[np.float64]

# Exponents beyond which a ratio is unlikely to be reached, and how many sums are read without a question.
_UNLIKELY, _MANY_SUMS = 12, 100
# By how much a bound is broken by more than a rounding of the solver that finds the mechanism: linear, and of cones.
_BROKEN, _BROKEN_SUM = 1e-12, 1e-9


def is_unlikely(bound: RatioBound, level: Real) -> bool:
    """Return whether a bound between two inputs has a slack that they hardly need."""
    return bound.slack > 0 and level * bound.distance > _UNLIKELY and len(bound.left) == len(bound.right) == 1


def coefficients(bound: RatioBound, level: Real) -> tuple[float, float]:
    """Return the ratio and the slack of a bound at a level."""
    ratio = float(Real.exp(level if bound.distance == 1 else level * bound.distance))
    return ratio, float(bound.slack) * (float(Real.exp(level)) if bound.slack_grows else 1.0)


def is_broken(bound: RatioBound, matrix: Floats, level: Real) -> bool:
    """Return whether a mechanism breaks a bound between two inputs."""
    ratio, slack = coefficients(bound, level)
    ((x, left),), ((other, right),) = bound.left.items(), bound.right.items()
    excess = float(left) * matrix[x] - ratio * float(right) * matrix[other]
    return bool((np.maximum(excess, 0.0).sum() if bound.events else excess.max()) > slack + _BROKEN)


def read_first(sums: Sequence[SumBound], read: set[int], inputs: int) -> None:
    """Read all sums, or of very many divergences those of the rows at the first law, as good as any to begin with."""
    atoms = [bound.terms[0][1] for bound in sums if len(bound.terms) == 1]
    divergences = sum(isinstance(a, RelativeEntropy) and a.right is not LAW and len(a.left) == 1 for a in atoms)
    has_few = len(sums) <= _MANY_SUMS or divergences < len(sums)
    read.update(range(len(sums) if has_few else inputs))


class UnreadSums:
    """Bounds on the divergences of rows from the law of the output, at many laws: those not `read` yet."""

    def __init__(self, sums: Sequence[SumBound], read: set[int], inputs: int) -> None:
        read_first(sums, read, inputs)
        self.read = read
        self._places = [i for i in range(len(sums)) if i not in read]
        self._rows = np.zeros(len(self._places), dtype=np.intp)
        self._laws = np.zeros((len(self._places), inputs))
        for number, i in enumerate(self._places):
            ((_, atom),) = sums[i].terms
            assert isinstance(atom, RelativeEntropy)
            (self._rows[number],) = atom.left
            self._laws[number, list(atom.right)] = [float(share) for share in atom.right.values()]

    def broken(self, matrix: Floats, bound: float, tolerance: float = _BROKEN_SUM) -> list[int]:
        """Return, and read from now on, the bound that each row breaks most, if by more than the tolerance."""
        if not self._places:
            return []
        rows = np.maximum(matrix, 0.0)
        logs = np.log(np.where(rows > 0, rows, 1.0))
        outputs = np.log(np.maximum(self._laws @ rows, np.finfo(float).tiny))
        values = (rows * logs).sum(axis=1)[self._rows] - (rows[self._rows] * outputs).sum(axis=1)
        found = []
        for x in range(len(rows)):
            own = np.flatnonzero(self._rows == x)
            if own.size and values[own].max() > bound + tolerance:
                found.append(self._places[own[values[own].argmax()]])
        added = [i for i in found if i not in self.read]
        self.read.update(added)
        return added
