"""Mutual information between the input and the output."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.concave import Concave, best_law
from epstar.notions.constraints import Constraints, Proportional, RelativeEntropy, SumBound
from epstar.notions.divergence import divergence, divergences, logs_of_divergence
from epstar.notions.enclosure import greatest, sum_of_logs
from epstar.notions.priors import float_law, listed_laws, output_law, required
from epstar.notions.structured import mutual_information_loss
from epstar.source import Source
from epstar.universe import Universe


@dataclass(frozen=True)
class MutualInformation(Notion):
    """I(X; Y) = sum_x P(x) KL(Q(.|x) || P_Y), in nats; over a source set, its supremum.

    Source: wang2016, Definition 4; zhong2022, Definition 3(7); ngo2024, Definitions 1 and 2. It is concave in the
    prior, so a set of priors and its hull differ.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> str(MutualInformation().loss(Mechanism([[1, 0], [0, 1]]), Prior(["1/2", "1/2"])).upper)
    'log(2)'
    """

    name: ClassVar[str] = "mutual_information"
    title: ClassVar[str] = "mutual information"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss: for an exact mechanism its value at one prior, or two bounds over a convex source.

        The lower bound is the information at an exact prior of the source; the upper one is
        max over P of sum_x P(x) KL(Q(.|x) || r) for the law r of the output at that prior. Their distance is
        about 1e-13 in practice and is always stated.
        """
        source = required(source, mechanism, self.title)
        structured = mutual_information_loss(mechanism, source)
        if structured is not None:
            return structured
        dense = mechanism.dense()
        laws = listed_laws(source)
        if laws is None:
            return supremum(dense, source)
        if not dense.is_exact:
            return max((_in_floats(dense, law) for law in laws), key=lambda loss: loss.value)
        witness, real = greatest((Witness(prior=law), information(dense.rows, law)) for law in laws)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a weighted sum of relative entropies for each point of the source."""
        sums = []
        for point in points:
            law = {x: p for x, p in enumerate(point) if p}
            terms = tuple((p, RelativeEntropy({x: ONE}, law)) for x, p in law.items())
            sums.append(SumBound(terms, Proportional()))
        return Constraints(sums=tuple(sums))


def information(rows: Sequence[Sequence[Rational]], prior: Point) -> Real:
    """Return the mutual information at one prior: exact when it is the logarithm of a rational."""
    law = output_law(rows, prior)
    logs: dict[Rational, Rational] = {}
    for weight, row in zip(prior, rows, strict=True):
        if weight:
            logs_of_divergence(row, law, weight, logs)
    return sum_of_logs(logs)


def _in_floats(mechanism: Mechanism, law: Point) -> Loss:
    prior = float_law(law)
    rows = mechanism.floats
    if (prior == 0).any():
        rows, prior = rows[prior > 0], prior[prior > 0]
    value = float(prior @ divergences(rows, prior @ rows))
    return Loss(max(0.0, value), Witness(prior=law))


def supremum(mechanism: Mechanism, source: Source) -> Loss:
    """Return the supremum over a convex source, with rigorous bounds for an exact mechanism."""
    matrix = mechanism.floats
    with np.errstate(divide="ignore", invalid="ignore"):
        negative_entropies = np.nansum(matrix * np.log(matrix), axis=1)
    objective = Concave(matrix, negative_entropies, lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u)
    law = best_law(objective, source)
    if not mechanism.is_exact:
        return _in_floats(mechanism, law)
    rows = mechanism.rows
    outputs = output_law(rows, law)
    costs = [_cost(row, outputs, source, x) for x, row in enumerate(rows)]
    lower = information(rows, law)
    if lower.rational == 0 and all(cost == 0 for cost in costs):
        return Loss.known(lower, Witness(prior=law))
    if any(cost is None for cost in costs):
        return Loss(float(lower), Witness(prior=law), lower, INFINITY)
    upper = Real.of(source.maximum([ZERO if cost is None else cost for cost in costs]).value)
    return Loss(float(lower), Witness(prior=law), lower, upper)


def _cost(row: Sequence[Rational], outputs: Sequence[Rational], source: Source, x: int) -> Rational | None:
    """A rational just above the divergence of a row; 0 for an input that no law of the source uses."""
    real = divergence(row, outputs)
    if not real.is_infinite:
        return real.above()
    unit = [ONE if i == x else ZERO for i in range(source.size)]
    return ZERO if source.maximum(unit).value == 0 else None
