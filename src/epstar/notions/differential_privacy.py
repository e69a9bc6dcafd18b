"""Differential privacy, and d-privacy where neighbours have distances of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from epstar.exact import INFINITY, ONE, Real
from epstar.mechanism import AnyMechanism, StructuredMechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Spread
from epstar.notions.measure.product import worst_row
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_ratios import worst_pair
from epstar.notions.measure.worst_ratio import mechanism_worst_ratio, worst_ratio
from epstar.notions.pairs import PairBounds
from epstar.notions.priors import check_points, check_source
from epstar.source import Source
from epstar.universe import Alphabet, Universe


@dataclass(frozen=True)
class DifferentialPrivacy(Notion):
    """Q(y|x) <= e^(level * distance(x, x')) Q(y|x') for all outputs y and constrained pairs x, x'.

    Source: zhong2022, Definition 3(1); kalantari2018, Section II; alvim2011, Definition 1. On a `Metric` it
    is d-privacy: the loss is the worst log ratio per unit of distance.

    >>> from epstar.mechanism import Mechanism
    >>> str(DifferentialPrivacy().loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).upper)
    'log(3)'
    """

    name: ClassVar[str] = "differential_privacy"
    title: ClassVar[str] = "differential privacy"
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism; the source plays no part.

        Cost: one pass over the matrix on an alphabet, one per pair elsewhere; structured mechanisms are not
        expanded.
        """
        check_source(source, mechanism)
        by_row = worst_row(self, mechanism)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        if rank_one is not None:
            return worst_pair(rank_one)
        if isinstance(mechanism, StructuredMechanism):
            ratio = mechanism.worst_ratio
            return Loss.known(INFINITY if ratio is None else Real.log(ratio), Witness())
        dense = mechanism.dense()
        if dense.is_exact:
            exact = mechanism_worst_ratio(dense)
            return Loss.known(exact.exact, Witness(exact.inputs, exact.outputs))
        worst = worst_ratio(dense.floats, dense.universe)
        return Loss(worst.value, Witness(worst.inputs, worst.outputs))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return a ratio bound for each constrained pair and order; a spread where all pairs count alike."""
        check_points(points, universe)
        if isinstance(universe, Alphabet):
            return Constraints(spread=Spread((ONE,) * universe.size))
        return Constraints(ratios=PairBounds(universe))
