"""Pointwise leakage: the largest divergence of a row from the law of the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epstar.exact import ONE
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Proportional, RelativeEntropy, SumBound
from epstar.notions.divergence import divergence, divergences
from epstar.notions.enclosure import greatest
from epstar.notions.priors import extreme_laws, float_law, output_law, required
from epstar.notions.structured import pointwise_leakage_loss
from epstar.source import Source
from epstar.universe import Universe


@dataclass(frozen=True)
class PointwiseLeakage(Notion):
    """sup over x of KL(Q(.|x) || P_Y), with P_Y the law of the output; inputs of prior zero count too.

    Unlike mutual information, which averages it, it bounds what an output says about every single input
    (ngo2024, Theorem 2(a), holds for this notion and not for the average).

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> str(PointwiseLeakage().loss(Mechanism([[1, 0], [0, 1]]), Prior(["1/3", "2/3"])).upper)
    'log(3)'
    """

    name: ClassVar[str] = "pointwise_leakage"
    title: ClassVar[str] = "pointwise leakage"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss; it is convex in the prior, so a source set is represented by its extreme laws."""
        source = required(source, mechanism, self.title)
        structured = pointwise_leakage_loss(mechanism, source)
        if structured is not None:
            return structured
        dense = mechanism.dense()
        losses = [_at(dense, law) for law in extreme_laws(source)]
        if not dense.is_exact:
            return max(losses, key=lambda loss: loss.value)
        witness, real = greatest((loss.witness, loss.upper) for loss in losses if loss.upper is not None)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a relative entropy for each input and point of the source."""
        sums = []
        for point in points:
            law = {x: p for x, p in enumerate(point) if p}
            sums += [
                SumBound(((ONE, RelativeEntropy({x: ONE}, law)),), Proportional()) for x in range(universe.size)
            ]
        return Constraints(sums=tuple(sums))


def _at(mechanism: Mechanism, law: Point) -> Loss:
    if mechanism.is_exact:
        outputs = output_law(mechanism.rows, law)
        # Equal rows have equal divergences, which enclosures could not tell apart.
        distinct = {row: x for x, row in enumerate(mechanism.rows)}
        x, real = greatest((x, divergence(row, outputs)) for row, x in distinct.items())
        return Loss.known(real, Witness((x,), prior=law))
    values = divergences(mechanism.floats, float_law(law) @ mechanism.floats)
    x = int(values.argmax())
    return Loss(max(0.0, float(values[x])), Witness((x,), prior=law))
