"""Mutual information between the input and the output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.enclosure import Logarithm, greatest, sum_of_logs
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Proportional, RelativeEntropy, SumBound
from epstar.notions.measure.by_distance import largest_at_uniform
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.information_arrays import EnclosedInformation, is_many
from epstar.notions.measure.least_favourable import Concave, best_law, covering_laws
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import at_most_by_rows, sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_capacity import information_over_all_laws
from epstar.notions.measure.rank_one_information import information_at, mean_divergence_above
from epstar.notions.measure.relative_entropy import Floats, divergence, logs_of_divergence, negative_entropies
from epstar.notions.priors import (
    check_points,
    float_law,
    float_output_law,
    in_floats,
    listed_laws,
    output_law,
    required,
)
from epstar.source import Rows, Source
from epstar.universe import Universe

# A supremum over a continuum is two bounds in any case, so that floats do for smaller matrices too.
_MANY_FOR_SUPREMUM = 1 << 10
# The share of other laws in a law of the source that excludes inputs which they do not.
_TRACE = Rational(1, 1 << 50)


@dataclass(frozen=True)
class MutualInformation(Notion):
    """I(X; Y) = sum_x P(x) KL(Q(.|x) || P_Y), in nats; over a source set, its supremum.

    Source: wang2016, Definition 4; zhong2022, Definition 3(7); ngo2024, Definitions 1 and 2. It is concave in
    the prior, so a set of priors and its hull differ.

    >>> from epstar.mechanism import Mechanism
    >>> from epstar.source import Prior
    >>> str(MutualInformation().loss(Mechanism([[1, 0], [0, 1]]), Prior(["1/2", "1/2"])).upper)
    'log(2)'
    """

    name: ClassVar[str] = "mutual_information"
    title: ClassVar[str] = "mutual information"
    rows_share: ClassVar[Literal["level", "sum"] | None] = "sum"
    is_concave_in_prior: ClassVar[bool] = True
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss: for an exact mechanism its value at one prior, or two bounds over a convex source.

        The lower bound is the information at an exact prior of the source; the upper one is
        max over P of sum_x P(x) KL(Q(.|x) || r) for the distribution r of the output at that prior, or at one with
        a trace of the inputs that it excludes. Their distance is about 1e-13 in practice and is always stated. Of many
        rows that the source ties together, what they lose at most by themselves is the upper bound.
        """
        source = required(source, mechanism, self.title)
        by_row = sum_over_rows(self, mechanism, source)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        by_letters = None
        if rank_one is not None:
            at, everywhere = partial(information_at, rank_one), partial(information_over_all_laws, rank_one)
            by_letters = over_letters(source, at, everywhere, partial(mean_divergence_above, rank_one))
        if by_letters is not None:
            return by_letters
        by_distance = largest_at_uniform(mechanism, source, divergence) or at_most_by_rows(self, mechanism)
        if by_distance is not None:
            return by_distance
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        laws = listed_laws(source)
        if laws is None:
            return supremum(dense, source)
        if not dense.is_exact:
            losses = (_in_floats(dense, law, floats) for law, floats in in_floats(laws, source))
            return max(losses, key=lambda loss: loss.value)
        if is_many(dense):
            return _enclosed(EnclosedInformation(dense.floats), in_floats(laws, source))
        witness, real = greatest((Witness(prior=law), information(dense.rows, law)) for law in laws)
        return Loss.known(real, witness)

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a weighted sum of relative entropies for each point of the source."""
        check_points(points, universe)
        sums = []
        for i, point in enumerate(points):
            law = {x: p for x, p in enumerate(point) if p != 0}
            terms = tuple((p, RelativeEntropy({x: ONE}, law)) for x, p in law.items())
            sums.append(SumBound(terms, Proportional(), (i,)))
        return Constraints(sums=tuple(sums))


def information(rows: Sequence[Sequence[Rational]], prior: Point) -> Real:
    """Return the mutual information at one prior: exact when it is the logarithm of a rational."""
    law = output_law(rows, prior)
    logs: list[Logarithm] = []
    for weight, row in zip(prior, rows, strict=True):
        if weight != 0:
            logs_of_divergence(row, law, weight, logs)
    return sum_of_logs(logs)


def informations(matrix: Floats, prior: Floats) -> Floats:
    """Return the mutual information in floats, over the last two axes."""
    law = float_output_law(prior, matrix)
    entropy = -(law * np.log(np.where(law > 0, law, 1.0))).sum(axis=-1)
    return np.asarray(entropy + (prior * negative_entropies(matrix)).sum(axis=-1))


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats) -> Loss:
    return Loss(max(0.0, float(informations(mechanism.floats, prior))), Witness(prior=law))


def supremum(mechanism: Mechanism, source: Source) -> Loss:
    """Return the supremum over a convex source, with rigorous bounds for an exact mechanism."""
    matrix = mechanism.floats
    objective = Concave(matrix, negative_entropies(matrix), lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u)
    law = best_law(objective, source)
    if not mechanism.is_exact:
        return _in_floats(mechanism, law, float_law(law))
    if is_many(mechanism, _MANY_FOR_SUPREMUM):
        return _enclosed_supremum(EnclosedInformation(matrix), source, law)
    rows = mechanism.rows
    costs = _costs(rows, law)
    if None in costs:
        # What is infinite still is an input that no law of the source uses.
        costs = _costs(rows, _reaching(law, source))
    lower = information(rows, law)
    if lower.rational == 0 and all(cost == 0 for cost in costs if cost is not None):
        return Loss.known(lower, Witness(prior=law))
    upper = Real.of(source.maximum([ZERO if cost is None else cost for cost in costs]).value)
    return Loss(float(lower), Witness(prior=law), lower, upper)


def _costs(rows: Sequence[Sequence[Rational]], law: Point) -> list[Rational | None]:
    """Return rationals just above the divergences of rows from the law of the output, None for an infinite one."""
    outputs = output_law(rows, law)
    found = [divergence(row, outputs) for row in rows]
    return [None if real.is_infinite else real.above() for real in found]


def _reaching(law: Point, source: Source) -> Point:
    """Return a distribution with a trace of others of the source, so that it uses every input that any of them uses."""
    laws = covering_laws(source)
    return tuple(
        (1 - _TRACE) * p + _TRACE * sum((other[x] for other in laws), ZERO) / len(laws) for x, p in enumerate(law)
    )


def _enclosed(enclosed: EnclosedInformation, laws: Iterable[tuple[Point, Floats]]) -> Loss:
    """Return the largest information over some distributions, between two floats."""
    found = [(bounds, law) for law, floats in laws for bounds in [enclosed.at(floats)]]
    best, law = max(found, key=lambda pair: pair[0].upper)
    lower = max(0.0, *(bounds.lower for bounds, _ in found))
    return Loss(best.value, Witness(prior=law), _real(lower), _real(best.upper))


def _enclosed_supremum(enclosed: EnclosedInformation, source: Source, law: Point) -> Loss:
    floats = float_law(law)
    attained = enclosed.at(floats)
    lower = _real(max(0.0, attained.lower))
    divergences = enclosed.divergences(floats)
    if not np.isfinite(divergences).all():
        reaching = _reaching(law, source)
        divergences = enclosed.divergences(float_law(reaching))
        divergences[[p == 0 for p in reaching]] = 0.0
    if not np.isfinite(divergences).all():
        return Loss(attained.value, Witness(prior=law), lower, INFINITY)
    upper = source.maximum([Rational(*cost.as_integer_ratio()) for cost in divergences.tolist()]).value
    return Loss(attained.value, Witness(prior=law), lower, Real.of(upper))


def _real(value: float) -> Real:
    return Real.of(Rational(*value.as_integer_ratio()))
