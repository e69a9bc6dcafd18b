"""Maximal information: how much an output can raise the probability of an input."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.exact.enclosure import greatest
from epstar.mechanism import AnyMechanism, DistanceMechanism, Mechanism
from epstar.notions.base import Loss, Notion, Point, Witness
from epstar.notions.constraints import Constraints, RatioBound
from epstar.notions.measure.by_distance import is_uniform, uniform_pair
from epstar.notions.measure.curved_rows import largest_over_cells
from epstar.notions.measure.over_sources import over_letters
from epstar.notions.measure.product import at_most_by_rows, sum_over_rows
from epstar.notions.measure.rank_one import RankOne
from epstar.notions.measure.rank_one_ratios import typical_outputs, worst_entries
from epstar.notions.measure.slack import exact_level
from epstar.notions.priors import float_output_law, output_law, required
from epstar.source import Prior, Rows, Source
from epstar.universe import Universe

Floats = NDArray[np.float64]


def informations(matrix: Floats, law: Floats) -> Floats:
    """Return log max_x Q(y|x) / law(y) of each output y; 0 where no input gives y."""
    high = matrix.max(axis=-2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(high > 0, np.log(high) - np.log(law), 0.0)


@dataclass(frozen=True)
class MaximalInformation(Notion):
    """Q(y|x) <= e^level sum_x' P(x') Q(y|x') for every output y and every input x, even of prior zero.

    Source: zhong2022, Definition 3(3).

    >>> from epstar.mechanism import Mechanism
    >>> coin = Mechanism([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> str(MaximalInformation().loss(coin, Prior(["1/2", "1/2"])).upper)
    'log(3/2)'
    """

    name: ClassVar[str] = "maximal_information"
    title: ClassVar[str] = "maximal information"
    needs_source: ClassVar[bool] = True

    def loss(self, mechanism: AnyMechanism, source: Source | None = None) -> Loss:
        """Return the loss, exact for an exact mechanism.

        The distribution of the output is linear in the prior, so over a source set each output needs one exact linear
        minimisation.
        """
        source = required(source, mechanism, self.title)
        by_row = sum_over_rows(self, mechanism, source) or at_most_by_rows(self, mechanism)
        if by_row is not None:
            return by_row
        rank_one = RankOne.of(mechanism)
        by_letters = None
        if rank_one is not None:
            by_letters = over_letters(source, partial(_of_letters, rank_one), partial(worst_entries, rank_one))
        if by_letters is not None:
            return by_letters
        if isinstance(mechanism, DistanceMechanism) and is_uniform(source):
            witness, real = exact_level([uniform_pair(mechanism)], ZERO)
            return Loss.known(real, witness)
        dense = mechanism.dense()
        if isinstance(source, Rows) and source.is_curved:
            return largest_over_cells(self, dense, source)
        if dense.is_exact:
            return _exact(dense, source)
        matrix = dense.floats
        priors: list[Point] | None = None
        if isinstance(source, Prior):
            law = float_output_law(source.floats, matrix)
        else:
            minima = [source.minimum(column) for column in matrix.T.tolist()]
            priors = [minimum.point for minimum in minima]
            law = np.array([float(Real.of(minimum.value)) for minimum in minima])
        values = informations(matrix, law)
        output = int(values.argmax())
        prior = source.probabilities if isinstance(source, Prior) else None
        witness = Witness((int(matrix[:, output].argmax()),), (output,), priors[output] if priors else prior)
        return Loss(max(0.0, float(values[output])), witness)

    def worst_laws(self, mechanism: Mechanism, source: Source) -> Sequence[Point]:
        """Return the distributions at which each output is least likely."""
        return tuple(dict.fromkeys(source.minimum(column).point for column in mechanism.floats.T.tolist()))

    def constraints(self, universe: Universe, points: Sequence[Point]) -> Constraints:
        """Return one ratio bound for each input and point of the source."""
        return Constraints(
            ratios=tuple(
                RatioBound({x: ONE}, {z: p for z, p in enumerate(point) if p != 0}, name=(i, x))
                for i, point in enumerate(points)
                for x in range(universe.size)
            )
        )


def _of_letters(rank_one: RankOne, prior: Prior) -> Loss:
    law = prior.probabilities
    return _worst(
        (item.column.letter.place, item.column.high, item.column.high_at, item.law, law)
        for item in typical_outputs(rank_one, prior)
    )


def _exact(mechanism: Mechanism, source: Source) -> Loss:
    columns = list(zip(*mechanism.rows, strict=True))
    if isinstance(source, Prior):
        prior = source.probabilities
        lowest = [(law, prior) for law in output_law(mechanism.rows, prior)]
    else:
        minima = [source.minimum(column) for column in columns]
        lowest = [(minimum.value, minimum.point) for minimum in minima]
    outputs = enumerate(zip(columns, map(max, columns), lowest, strict=True))
    return _worst((y, high, column.index(high), *low) for y, (column, high, low) in outputs)


def _worst(outputs: Iterable[tuple[int, Rational, int, Rational, Point]]) -> Loss:
    """The worst ratio of a column's largest entry to the probability of the output, with the prior that makes it.

    Each output comes with its largest entry, the input that has it, its least probability and the distribution that
    gives it.
    """
    candidates = [(Witness(), Real.of(ZERO))]
    for output, high, x, law, prior in outputs:
        if high > 0:
            witness = Witness((x,), (output,), prior)
            candidates.append((witness, INFINITY if law == 0 else Real.log(high / law)))
    witness, real = greatest(candidates)
    return Loss.known(real, witness)
