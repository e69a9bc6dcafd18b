"""Pointwise leakage: the largest divergence of a row from the distribution of the output."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from epstar.deadline import in_time
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real, dot
from epstar.exact.enclosure import greatest
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, Proportional, RelativeEntropy, SumBound
from epstar.notions.measure.by_distance import is_uniform, uniform_pair
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.information_arrays import MANY_ENTRIES, EnclosedInformation, is_many
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import at_most_by_rows, sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_information import divergence_at
from epstar.notions.measure.relative_entropy import Floats, divergence, divergences
from epstar.notions.priors import few_extreme_laws, float_output_law, in_rows, output_law, required
from epstar.notions.renyi_differential_privacy import RenyiDifferentialPrivacy
from epstar.source import Ball, Box, Everything, Prior, Rows, Source
from epstar.universe import Alphabet, Universe

# Corners times inputs squared: more take long to compare in exact numbers.
_MOST_TERMS = 50_000
_ROUNDS = 8
# Nats by which a row must rise to go on, and rows that are looked at: those that the flattest law knows as worst.
_RISE, _ROWS = 1e-12, 64
# Shares of the least probability of an output: between these the largest one exceeds it by as much as floats hold.
_LEAST_RISE, _MOST_RISE = Rational(1, 10**12), Rational(10**12)
# What a slope is multiplied by, more than floats lose of it, so that it is none too steep.
_BELOW = 1 - 1e-14
_WORST = 4


@dataclass(frozen=True)
class PointwiseLeakage(Notion):
    """sup over x of KL(Q(.|x) || P_Y), with P_Y the distribution of the output; inputs of prior zero count too.

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
        """Return the loss; it is convex in the prior, so a source set is represented by its extreme distributions.

        Where they are many, the loss is enclosed between two numbers as close as floats are; where a region has too
        many to list, by that at some distributions, and by lines above minus the logarithm of each output's probability
        between its extremes, whose mean is largest at one distribution.
        """
        source = required(source, mechanism, self.title)
        by_row = sum_over_rows(self, mechanism, source) or at_most_by_rows(self, mechanism)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        by_letters = None
        if rank_one is not None:
            # At a law that is certain of an input it is the divergence between two rows.
            at, everywhere = partial(divergence_at, rank_one), partial(RenyiDifferentialPrivacy(1).loss, mechanism)
            by_letters = over_letters(source, at, everywhere)
        if by_letters is not None:
            return by_letters
        if isinstance(mechanism, DistanceMechanism) and is_uniform(source):
            pair = uniform_pair(mechanism)
            return Loss.known(divergence(pair.left, pair.right), pair.witness)
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        if isinstance(source, Everything) and isinstance(dense.universe, Alphabet) and dense.is_exact:
            return _over_all_laws(dense)
        laws = few_extreme_laws(source)
        if laws is None:
            return _between(dense, source)
        if dense.is_exact and all(row == dense.rows[0] for row in dense.rows):
            return Loss.known(Real.of(ZERO), Witness((0,), prior=laws[0]))
        is_long = len(laws) * dense.shape[0] ** 2 > _MOST_TERMS
        if isinstance(source, Prior) and not dense.is_exact:
            return _in_floats(dense, source.probabilities, source.floats)
        if not dense.is_exact or (is_long and is_many(dense, 0)):
            return _over_laws(dense, laws, in_rows(laws, source))
        witness, real = greatest(_at(dense, law) for law in laws)
        return Loss.known(real, witness)

    def worst_laws(self, mechanism: Mechanism, source: Source) -> Sequence[Point]:
        """Return the few priors at which each row differs most from the output's, or where these rise no further."""
        laws = None if isinstance(source, Rows) else few_extreme_laws(source)
        if laws is None and isinstance(source, Box | Ball):
            return _risen(mechanism.floats, source)
        if laws is None:
            return super().worst_laws(mechanism, source)
        logs = np.log(np.maximum(in_rows(laws, source) @ mechanism.floats, np.finfo(float).tiny))
        places = np.argsort(logs @ mechanism.floats.T, axis=0)[:_WORST].ravel().tolist()
        return tuple(dict.fromkeys(laws[place] for place in places))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one bound on a relative entropy for each input and point of the source."""
        sums = []
        for i, point in enumerate(points):
            law = {x: p for x, p in enumerate(point) if p != 0}
            sums += [
                SumBound(((ONE, RelativeEntropy({x: ONE}, law)),), Proportional(), (i, x)) for x in range(universe.size)
            ]
        return Constraints(sums=tuple(sums))


def _over_all_laws(mechanism: Mechanism) -> Loss:
    """The largest divergence between two rows: the extreme distributions are certain of one input."""
    loss = RenyiDifferentialPrivacy(1).loss(mechanism)
    if not loss.witness.inputs:
        return loss
    first, second = loss.witness.inputs
    law = tuple(ONE if x == second else ZERO for x in range(mechanism.universe.size))
    return replace(loss, witness=Witness((first,), prior=law))


def _over_laws(mechanism: Mechanism, laws: Sequence[Point], floats: Floats) -> Loss:
    """Return the loss at the worst of many distributions, of an exact mechanism to within the rounding of floats."""
    enclosed = EnclosedInformation(mechanism.floats)
    step = max(1, MANY_ENTRIES // max(mechanism.shape))
    worst, x, upper = 0, 0, -np.inf
    for start in in_time(range(0, len(laws), step)):
        bounds = enclosed.divergences(floats[start : start + step])
        place, row = divmod(int(bounds.argmax()), len(mechanism.floats))
        if bounds[place, row] > upper:
            worst, x, upper = start + place, row, float(bounds[place, row])
    if not mechanism.is_exact:
        return _in_floats(mechanism, laws[worst], floats[worst])
    lower = divergence(mechanism.rows[x], output_law(mechanism.rows, laws[worst]))
    bound = INFINITY if upper == np.inf else Real.of(Rational(*upper.as_integer_ratio()))
    return Loss(float(lower), Witness((x,), prior=laws[worst]), lower, lower if lower.is_infinite else bound)


def _between(mechanism: Mechanism, source: Source) -> Loss:
    """Return the loss between that at some laws, each the worst for the row that the one before tells most about."""
    matrix = mechanism.floats
    seen = [source.maximum([ONE] * source.size).point if source.flattest is None else source.flattest.probabilities]
    for _ in range(_ROUNDS):
        outputs = float_output_law(nearest_floats(seen[-1]), matrix)
        told = matrix[int(divergences(matrix, outputs).argmax())]
        shares = np.divide(told, outputs, out=np.zeros_like(told), where=outputs > 0)
        worse = source.minimum((matrix @ shares).tolist()).point
        if worse in seen:
            break
        seen.append(worse)
    found = max((_in_floats(mechanism, law, nearest_floats(law)) for law in seen), key=lambda loss: loss.value)
    if not mechanism.is_exact or found.witness.prior is None:
        return found
    if isinstance(source, Box | Ball):
        bounds = chords(mechanism, source)
        _, upper = greatest((row, bounds.above(row)) for row in dict.fromkeys(mechanism.rows))
    else:
        least = [source.minimum(column).value for column in zip(*mechanism.rows, strict=True)]
        _, upper = greatest((row, divergence(row, least)) for row in dict.fromkeys(mechanism.rows))
    return Loss(found.value, found.witness, _at(mechanism, found.witness.prior)[1], upper)


def _risen(matrix: Floats, source: Box | Ball) -> list[Point]:
    """Return laws of a region at which rows differ much from the output's, the worst first.

    A divergence is convex in the law, so that the law at which its tangent is largest is no better (Frank and Wolfe
    1956). Each row rises from the flattest law, and from that under which its most telling output is least likely.
    """
    flattest = source.flattest
    shares = np.divide(matrix, float_output_law(flattest.floats, matrix), out=np.zeros_like(matrix), where=matrix > 0)
    rows = np.argsort(-divergences(matrix, float_output_law(flattest.floats, matrix)))[:_ROWS].tolist()
    found: dict[Point, float] = {}
    for x in rows:
        telling = matrix[:, int(shares[x].argmax())]
        for start in (flattest.probabilities, source.minimum(telling.tolist()).point):
            law, value = start, -np.inf
            for _ in range(_ROUNDS):
                outputs = float_output_law(nearest_floats(law), matrix)
                reached = float(divergences(matrix[x : x + 1], outputs)[0])
                if not reached > value + _RISE:
                    break
                value, found[law] = reached, max(reached, found.get(law, 0.0))
                told = np.divide(matrix[x], outputs, out=np.zeros_like(outputs), where=outputs > 0)
                law = source.minimum((matrix @ told).tolist()).point
    return sorted(found, key=lambda law: -found[law])


@dataclass(frozen=True)
class Chords:
    """Lines above minus the logarithm of each output's probability: from its value at the least one, by a slope."""

    mechanism: Mechanism
    source: Source
    least: Point
    slopes: Point

    def above(self, row: Point) -> Real:
        """Return a number not below the divergence of a row from the law of the output, under any law."""
        weights = [q * slope for q, slope in zip(row, self.slopes, strict=True)]
        fallen = self.source.minimum([dot(weights, other) for other in self.mechanism.rows]).value
        return divergence(row, self.least) + Real.of(dot(weights, self.least) - fallen)


def chords(mechanism: Mechanism, source: Source) -> Chords:
    """Return the chords between the values at the extreme probabilities of each output, hardly less steep."""
    least, slopes = [], []
    for column in zip(*mechanism.rows, strict=True):
        low, high = source.minimum(column).value, source.maximum(column).value
        # Far apart, floats do not hold the ratio, and a line hardly lies below the constant at the least probability.
        is_steep = low > 0 and _LEAST_RISE < (rise := high / low - 1) < _MOST_RISE
        share = _BELOW * math.log1p(float(rise)) / float(rise) if is_steep else 0.0
        least.append(low)
        slopes.append(Rational(*share.as_integer_ratio()) / low if share > 0 else ZERO)
    return Chords(mechanism, source, tuple(least), tuple(slopes))


def _at(mechanism: Mechanism, law: Point) -> tuple[Witness, Real]:
    outputs = output_law(mechanism.rows, law)
    # Equal rows have equal divergences, which enclosures could not tell apart.
    distinct = {row: x for x, row in enumerate(mechanism.rows)}
    x, real = greatest((x, divergence(row, outputs)) for row, x in distinct.items())
    return Witness((x,), prior=law), real


def _in_floats(mechanism: Mechanism, law: Point, prior: Floats) -> Loss:
    values = divergences(mechanism.floats, float_output_law(prior, mechanism.floats))
    x = int(values.argmax())
    return Loss(max(0.0, float(values[x])), Witness((x,), prior=law))
