"""Maximal leakage: how much better an output lets anybody guess anything about the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, ZERO, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Maximum, SumBound
from epstar.notions.structured import maximal_leakage_loss
from epstar.source import Source
from epstar.universe import Universe


def leakages(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return log sum_y max_x Q(y|x), over the last two axes."""
    result: NDArray[np.float64] = np.log(matrix.max(axis=-2).sum(axis=-1))
    return result


@dataclass(frozen=True)
class MaximalLeakage(Notion):
    """log sum_y max_x Q(y|x), over all inputs x: the min-entropy leakage of the worst prior.

    Source: zhong2022, Definition 3(4); alvim2011, Section 2 (with the logarithm that is missing there).

    >>> from epstar.mechanism import Mechanism
    >>> str(MaximalLeakage().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).upper)
    'log(3/2)'
    """

    name: ClassVar[str] = "maximal_leakage"
    title: ClassVar[str] = "maximal leakage"

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism; the source plays no part."""
        structured = maximal_leakage_loss(mechanism)
        if structured is not None:
            return structured
        dense = mechanism.dense()
        if not dense.is_exact:
            return Loss(max(0.0, float(leakages(dense.floats))), Witness())
        total = sum((max(column) for column in zip(*dense.rows, strict=True)), ZERO)
        return Loss.known(Real.log(total), Witness())

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return the one bound on the sum of column maxima."""
        weights = dict.fromkeys(range(universe.size), ONE)
        return Constraints(sums=(SumBound(((ONE, Maximum(weights)),), Exponential()),))


