"""Approximate differential privacy: differential privacy up to a small probability delta."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Number, Rational, Real, text
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, Mechanism, ProductMechanism
from epstar.mechanism.parsing import read_probability
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Spread
from epstar.notions.measure.hockey_stick import event_of
from epstar.notions.measure.least_level import largest_excess, least_level, pointwise_level, suspected_pairs
from epstar.notions.measure.representatives import representative_entries, representative_pairs
from epstar.notions.measure.slack import Delta, exact_delta, exact_level
from epstar.notions.pairs import LawPair, PairBounds, extreme_pairs, law_pairs
from epstar.notions.priors import check_points, check_source
from epstar.source import Source
from epstar.universe import Alphabet, Universe

Reading = Literal["event", "pointwise"]


@dataclass(frozen=True, init=False)
class ApproximateDifferentialPrivacy(Notion):
    """Q(S|x) <= e^(level * distance) Q(S|x') + delta for every event S and constrained pair x, x'.

    The `reading` "event" is the usual definition: sum_y (Q(y|x) - e^(level d) Q(y|x'))_+ <= delta (ngo2024,
    Definition 3). "pointwise" asks it of single outputs only (zhong2022, Definition 3(2)). **The pointwise
    reading does not survive post-processing**: splitting an output into copies lowers its loss and merging
    outputs raises it, so use it only to compare with results stated for it.

    >>> from epstar.mechanism import Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(ApproximateDifferentialPrivacy("1/4").loss(coin).upper)
    'log(2)'
    """

    name: ClassVar[str] = "approximate_differential_privacy"
    title: ClassVar[str] = "approximate differential privacy"
    rows_share: ClassVar[Literal["level", "sum"] | None] = "level"
    delta: Rational
    reading: Reading

    def __init__(self, delta: Number, reading: Reading = "event") -> None:
        if reading not in ("event", "pointwise"):
            raise InvalidInput(f"The reading {reading!r} is unknown; write 'event' or 'pointwise'.")
        object.__setattr__(self, "delta", read_probability(delta, "The slack delta"))
        object.__setattr__(self, "reading", reading)

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the least level; the source plays no part.

        For an exact mechanism it is the logarithm of a rational (over the distance), found without a search:
        O(pairs * outputs), and a sort for each pair that sets a record.
        """
        check_source(source, mechanism)
        pairs = self._pairs(mechanism)
        if pairs is not None:
            if isinstance(mechanism, Mechanism) and not self._is_pointwise:
                pairs = suspected_pairs(mechanism, self.delta)
            witness, real = exact_level(pairs, self.delta, self._is_pointwise)
            return Loss.known(real, witness)
        dense, slack = mechanism.dense(), float(nearest_floats([self.delta])[0])
        if self._is_pointwise:
            found = pointwise_level(dense.floats, dense.universe, slack)
            return Loss(found.level, Witness(found.inputs, found.outputs))
        found = least_level(dense.floats, dense.universe, slack)
        if not found.inputs:
            return Loss(0.0, Witness())
        left, right = (dense.floats[x] for x in found.inputs)
        return Loss(found.level, Witness(found.inputs, event_of(left, right, found.factor)))

    def delta_at(self, mechanism: AnyMechanism, level: Number) -> Delta:
        """Return the least delta that goes with `level` (nats, or a `Real`): a point of the privacy curve.

        It is the inverse of `loss` in the same reading; `delta` plays no part. Exact where e^level is
        rational, as for `Real.log(...)`; enclosed elsewhere.

        >>> from epstar.mechanism import Mechanism
        >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
        >>> str(ApproximateDifferentialPrivacy(0).delta_at(coin, Real.log(Rational(2))).upper)
        '1/4'
        """
        real = Real.of(level)
        if real < ZERO:
            raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
        pairs = self._pairs(mechanism)
        if pairs is not None:
            return exact_delta(pairs, real, self._is_pointwise)
        dense = mechanism.dense()
        found = largest_excess(dense.floats, dense.universe, float(real), self._is_pointwise)
        return Delta(found.excess, Witness(found.inputs))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one ratio bound for each constrained pair and order, with delta as its slack.

        Where all pairs count alike they make a spread.
        """
        check_points(points, universe)
        events = self.reading == "event" and self.delta > 0
        if isinstance(universe, Alphabet):
            return Constraints(spread=Spread((ONE,) * universe.size, self.delta, events))
        return Constraints(ratios=PairBounds(universe, self.delta, events))

    def parameters(self) -> dict[str, object]:
        """Return delta and the reading as they stand in a problem file."""
        return {"delta": text(self.delta), "reading": self.reading}

    @property
    def _is_pointwise(self) -> bool:
        return self.reading == "pointwise"

    def _pairs(self, mechanism: AnyMechanism) -> Iterable[LawPair] | None:
        """The pairs of distributions to compare: of all kinds for a structured mechanism; None for floats."""
        if isinstance(mechanism, ProductMechanism):
            return _pairs_of_rows(self, mechanism)
        found = representative_entries(mechanism) if self._is_pointwise else representative_pairs(mechanism)
        if found is not None:
            return found
        dense = mechanism.dense()
        if not dense.is_exact:
            return None
        is_by_column = self._is_pointwise and isinstance(dense.universe, Alphabet)
        return extreme_pairs(dense) if is_by_column else law_pairs(dense)


def _pairs_of_rows(notion: ApproximateDifferentialPrivacy, mechanism: ProductMechanism) -> Iterable[LawPair]:
    """Databases that differ in one row: other rows cancel in events, and scale both distributions in single outputs.

    A single output scales least when the other rows give their likeliest answers.
    """
    highest = [_highest(block.factor) for block in mechanism.blocks] if notion.reading == "pointwise" else []
    for place, block in enumerate(mechanism.blocks):
        scale = ONE
        for other, high in enumerate(highest):
            scale *= high ** (mechanism.blocks[other].rows - (other == place))
        for pair in notion._pairs(block.factor) or ():
            left, right = ([scale * p for p in law] for law in (pair.left, pair.right))
            yield LawPair(Witness(), left, right, pair.distance, grouped=True)


def _highest(factor: AnyMechanism) -> Rational:
    return max(max(row) for row in factor.dense().rows)
