"""Maximal leakage: how much better an output lets anybody guess anything about the input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, Real
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, DistanceMechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Exponential, Maximum, SumBound
from epstar.notions.measure.product import sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.priors import check_points, check_source
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
        check_source(source, mechanism)
        by_row = sum_over_rows(self, mechanism, None)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        if rank_one is not None:
            highs = [column.high * column.letter.kind.count for column in rank_one.kind_columns()]
            return Loss.known(Real.log(sum_of(highs)), Witness())
        if isinstance(mechanism, DistanceMechanism):
            high = max(mechanism.at_distance(d) for d in range(mechanism.databases.rows + 1))
            return Loss.known(Real.log(high * mechanism.databases.size), Witness())
        dense = mechanism.dense()
        if not dense.is_exact:
            return Loss(max(0.0, float(leakages(dense.floats))), Witness())
        total = sum_of([max(column) for column in zip(*dense.rows, strict=True)])
        return Loss.known(Real.log(total), Witness())

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return the one bound on the sum of column maxima."""
        check_points(points, universe)
        weights = dict.fromkeys(range(universe.size), ONE)
        return Constraints(sums=(SumBound(((ONE, Maximum(weights)),), Exponential()),))
