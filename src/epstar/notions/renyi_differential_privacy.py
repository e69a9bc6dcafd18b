"""Rényi differential privacy of any order: from relative entropy (1) to differential privacy (infinity)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar, Literal

from epstar.exact import ONE, Number, Rational, Real
from epstar.exact.enclosure import greatest
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Power,
    Proportional,
    RelativeEntropy,
    SumBound,
)
from epstar.notions.differential_privacy import DifferentialPrivacy
from epstar.notions.measure.information_arrays import is_many
from epstar.notions.measure.product import worst_row
from epstar.notions.measure.renyi_divergence import divergence, enclosed_divergences, worst_pair
from epstar.notions.measure.representatives import representative_pairs
from epstar.notions.order import Order, read_order, text_of_order
from epstar.notions.pairs import LawPair, bounded_pairs, distinct_pairs, law_pairs
from epstar.notions.priors import check_points, check_source
from epstar.source import Source
from epstar.universe import Universe

# Pairs of rows of larger matrices are compared in floats first.
_MANY_ENTRIES = 1 << 9
_FEW_RIVALS = 8


@dataclass(frozen=True, init=False)
class RenyiDifferentialPrivacy(Notion):
    """D_a(Q(.|x) || Q(.|x')) <= level * distance(x, x') for all constrained pairs, in both orders.

    D_a is the Rényi divergence 1/(a-1) log sum_y Q(y|x)^a Q(y|x')^(1-a); order 1 is the relative entropy,
    order infinity is differential privacy. Source: zhong2022, Definition 3(5) and Lemma 20(5), (8).

    >>> from epstar.mechanism import Mechanism
    >>> str(RenyiDifferentialPrivacy(2).loss(Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])).upper)
    'log(7/3)'
    """

    name: ClassVar[str] = "renyi_differential_privacy"
    title: ClassVar[str] = "Rényi differential privacy"
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"
    order: Order

    def __init__(self, order: Number) -> None:
        object.__setattr__(self, "order", read_order(order))

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss; the source plays no part.

        For an exact mechanism it is exact at order 2 and enclosed at others. All pairs of floats cost one
        product of matrices.
        """
        if isinstance(self.order, float):
            return DifferentialPrivacy().loss(mechanism, source)
        check_source(source, mechanism)
        by_row = worst_row(self, mechanism)
        if by_row is not None:
            return by_row
        pairs = representative_pairs(mechanism)
        if pairs is None:
            dense = mechanism.dense()
            if not dense.is_exact:
                worst = worst_pair(dense.floats, dense.universe, self.order)
                return Loss(worst.value, Witness(worst.inputs))
            if is_many(dense, _MANY_ENTRIES):
                return _among_many(dense, self.order)
            pairs = law_pairs(dense)
        return _largest(pairs, self.order)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a divergence for each constrained pair and order of its inputs."""
        order = self.order
        if isinstance(order, float):
            return DifferentialPrivacy().constraints(universe, points)
        check_points(points, universe)
        sums = []
        for first, second, distance in bounded_pairs(universe):
            left, right, name = {first: ONE}, {second: ONE}, (first, second)
            if order == 1:
                sums.append(SumBound(((ONE, RelativeEntropy(left, right)),), Proportional(distance), name))
            else:
                atom = Power(left, right, order)
                sums.append(SumBound(((ONE, atom),), Exponential(rate=(order - 1) * distance), name))
        return Constraints(sums=tuple(sums))

    def parameters(self) -> dict[str, object]:
        """Return the order as it stands in a problem file."""
        return {"order": text_of_order(self.order)}


def _largest(pairs: Iterable[LawPair], order: Rational) -> Loss:
    """Return the largest divergence of some pairs, exactly or as a ball."""
    candidates = (
        (pair.witness, divergence(pair.left, pair.right, order, pair.distance)) for pair in distinct_pairs(pairs)
    )
    witness, real = greatest(chain([(Witness(), Real.of(0))], candidates))
    return Loss.known(real, witness)


def _among_many(mechanism: Mechanism, order: Rational) -> Loss:
    """Return the largest divergence of a large matrix: exactly if few pairs can have it, else between two floats."""
    enclosed = enclosed_divergences(mechanism.floats, mechanism.universe, order)
    if enclosed is None:
        return _largest(law_pairs(mechanism), order)
    rivals = enclosed.rivals()
    if rivals.size <= _FEW_RIVALS:
        chosen = set(zip(enclosed.pairs.first[rivals].tolist(), enclosed.pairs.second[rivals].tolist(), strict=True))
        return _largest((pair for pair in law_pairs(mechanism) if pair.witness.inputs in chosen), order)
    place = int(enclosed.lower.argmax())
    lower, upper = max(0.0, float(enclosed.lower[place])), float(enclosed.upper.max())
    ends = (Real.of(Rational(*end.as_integer_ratio())) for end in (lower, upper))
    inputs = int(enclosed.pairs.first[place]), int(enclosed.pairs.second[place])
    return Loss((lower + upper) / 2, Witness(inputs), *ends)
