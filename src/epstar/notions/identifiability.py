"""Identifiability: how far the posterior probabilities of neighbouring inputs can lie apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from epstar.exact import INFINITY, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, RatioBound
from epstar.notions.enclosure import greatest, log_over
from epstar.notions.pairs import ordered_pairs
from epstar.notions.priors import float_law, listed_laws, required
from epstar.notions.ratio import exact_worst_ratio, worst_ratio
from epstar.notions.structured import identifiability_loss
from epstar.source import Prior, Source
from epstar.universe import Universe


@dataclass(frozen=True)
class Identifiability(Notion):
    """P(x|y) <= e^(level * distance(x, x')) P(x'|y) for all outputs y and constrained pairs x, x'.

    That is P(x) Q(y|x) <= e^(level * distance) P(x') Q(y|x'). A pair that mixes a zero and a non-zero prior makes
    the loss infinite; two inputs of prior zero compare nothing. Source: wang2016, Definition 2.

    >>> from epstar.mechanism import Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(Identifiability().loss(coin, Prior(["2/3", "1/3"])).upper)
    'log(6)'
    """

    name: ClassVar[str] = "identifiability"
    title: ClassVar[str] = "identifiability"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism.

        Over a source set the worst ratio of priors multiplies the worst ratio of rows, pair by pair.
        """
        source = required(source, mechanism, self.title)
        structured = identifiability_loss(mechanism, source)
        if structured is not None:
            return structured
        dense = mechanism.dense()
        laws = listed_laws(source)
        if laws is None:
            return _over_set(dense, source)
        losses = [_at(dense, law) for law in laws]
        if not dense.is_exact:
            return max(losses, key=lambda loss: loss.value)
        witness, real = greatest((loss.witness, loss.upper) for loss in losses if loss.upper is not None)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one ratio bound for each constrained pair, order and point of the source."""
        pairs = list(ordered_pairs(universe))
        return Constraints(
            ratios=tuple(
                RatioBound(_form(first, point), _form(second, point), distance)
                for point in points
                for first, second, distance in pairs
                if point[first]
            )
        )


def _form(x: int, point: Point) -> dict[int, Rational]:
    return {x: point[x]} if point[x] else {}


def _at(mechanism: Mechanism, law: Point) -> Loss:
    if mechanism.is_exact:
        joint = [[p * q for q in row] for p, row in zip(law, mechanism.rows, strict=True)]
        worst = exact_worst_ratio(joint, mechanism.universe)
    else:
        worst = worst_ratio(float_law(law)[:, None] * mechanism.floats, mechanism.universe)
    return Loss(worst.value, Witness(worst.inputs, worst.outputs, law), worst.exact, worst.exact)


def _over_set(mechanism: Mechanism, source: Source) -> Loss:
    rows = mechanism.rows if mechanism.is_exact else mechanism.exact(256).rows
    candidates = [(Witness(), Real.of(ZERO))]
    for first, second, distance in ordered_pairs(mechanism.universe):
        prior = source.maximum_ratio(first, second)
        if prior == 0:
            continue
        best, output = _worst_output(rows[first], rows[second])
        witness = Witness((first, second), (output,))
        if prior is None or best is None:
            candidates.append((witness, INFINITY))
        elif best * prior > 1:
            candidates.append((witness, log_over(best * prior, distance)))
    witness, real = greatest(candidates)
    return Loss.known(real, witness) if mechanism.is_exact else Loss(float(real), witness)


def _worst_output(left: Sequence[Rational], right: Sequence[Rational]) -> tuple[Rational | None, int]:
    best, output = ZERO, 0
    for y, (p, q) in enumerate(zip(left, right, strict=True)):
        if p and not q:
            return None, y
        if q and p / q > best:
            best, output = p / q, y
    return best, output
