"""From a mechanism in floats to an exact one that keeps to a bound: by mixing it with one that does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational, rationalise
from epstar.mechanism import Mechanism
from epstar.problem import Problem

Floats = NDArray[np.float64]

_TICKET_BITS = 96
# The least share that may matter, by how much it grows, and from where on what is too much of it counts.
_FIRST, _GROWTH, _NOTICED = 2.0**-50, 8.0, 2.0**-20
_HALVINGS = 8


@dataclass(frozen=True, eq=False)
class Mixing:
    """Mixtures of two mechanisms: none of the other one may be too little, all of it is the most that can be done."""

    start: Floats
    other: Floats

    def at(self, share: float) -> Floats:
        """Return the mixture with this share of the other mechanism."""
        mixture: Floats = (1 - share) * self.start + share * self.other
        return mixture

    def least_share(self, is_hopeful: Callable[[Floats], bool]) -> float | None:
        """Return about the least share with which floats meet the bound, None where even all of it does not."""
        if is_hopeful(self.at(0.0)):
            return 0.0
        least, most = 0.0, _FIRST
        while not is_hopeful(self.at(most)):
            if most == 1.0:
                return None
            least, most = most, min(1.0, most * _GROWTH)
        for _ in range(_HALVINGS if most > _NOTICED else 0):
            middle = (least + most) / 2
            least, most = (least, middle) if is_hopeful(self.at(middle)) else (middle, most)
        return most

    def exactly(
        self,
        problem: Problem,
        is_hopeful: Callable[[Floats], bool],
        is_accepted: Callable[[Mechanism], bool],
    ) -> Mechanism | None:
        """Return the first exact mixture that is accepted: where floats meet the bound, or by growing steps beyond."""
        share = self.least_share(is_hopeful)
        step = _FIRST
        while share is not None:
            mechanism = _rounded(self.at(share), problem)
            if is_accepted(mechanism):
                return mechanism
            share = None if share == 1.0 else min(1.0, share + step)
            step *= _GROWTH
        return None


def _rounded(matrix: Floats, problem: Problem) -> Mechanism:
    """Return the exact mechanism of tickets near a matrix."""
    tickets = rationalise(matrix, _TICKET_BITS)
    rows = [[Rational(ticket, 1 << _TICKET_BITS) for ticket in row] for row in tickets]
    return Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))
