"""Worst ratios of mechanisms that are a product off the diagonal: of entries, joint probabilities, and output laws.

Every ratio below grows or falls with the probability of a category within its kind, so typical categories attain the
worst.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from heapq import nlargest, nsmallest

from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.notions.base import Loss, Point, Witness
from epstar.notions.measure.rank_one import Column, Kind, RankOne
from epstar.source import Prior
from epstar.source.base import unit_vector


@dataclass(frozen=True)
class Output:
    """The column of an output, and the probability of the output."""

    column: Column
    law: Rational


def typical_outputs(rank_one: RankOne, prior: Prior) -> Iterator[Output]:
    """Yield the outputs among which every ratio between an entry and the probability of its output is worst."""
    letters, mean = rank_one.typical(prior), rank_one.mean_input(prior)
    columns = rank_one.columns([replace(letter, scale=ONE) for letter in letters])
    for letter, column in zip(letters, columns, strict=True):
        yield Output(column, letter.kind.output * mean + letter.scale * letter.kind.excess)


def worst_entries(rank_one: RankOne) -> Loss:
    """Return the largest log Q(y|x) / Q(y|x'): the largest log Q(y|x) / P(y) too, for P certain of x'."""
    real, column = _worst(rank_one.columns(rank_one.typical()))
    if column is None:
        return Loss.known(real, Witness())
    prior = unit_vector(rank_one.size, column.low_at)
    return Loss.known(real, Witness((column.high_at,), (column.letter.place,), prior))


def worst_pair(rank_one: RankOne) -> Loss:
    """Return the largest log Q(y|x) / Q(y|x') with the two inputs and the output that attain it."""
    real, column = _worst(rank_one.columns(rank_one.typical()))
    if column is None:
        return Loss.known(real, Witness())
    return Loss.known(real, Witness((column.high_at, column.low_at), (column.letter.place,)))


def worst_joint(rank_one: RankOne, prior: Prior) -> Loss:
    """Return the largest log P(x) Q(y|x) / (P(x') Q(y|x')) at a prior."""
    real, column = _worst(rank_one.columns(rank_one.typical(prior)))
    law = prior.probabilities
    if column is None:
        return Loss.known(real, Witness(prior=law))
    return Loss.known(real, Witness((column.high_at, column.low_at), (column.letter.place,), law))


def _worst(columns: Iterator[Column]) -> tuple[Real, Column | None]:
    """The column with the largest ratio of its extremes, None if all are constant."""
    worst, ratio = None, ONE
    for column in columns:
        if column.high > 0 and column.low == 0:
            return INFINITY, column
        if column.high > ratio * column.low:
            worst, ratio = column, column.high / column.low
    return Real.log(ratio), worst


def worst_joint_over_ranges(rank_one: RankOne, least: Point, most: Point) -> Loss:
    """Return the largest log P(x) Q(y|x) / (P(x') Q(y|x')) where P(x) and P(x') range up to `most` and down to `least`.

    Any two categories must be able to have such probabilities at once. Cost: one look at the categories, and
    O(kinds^2).
    """
    numerators = [(kind, nlargest(2, kind.members.tolist(), key=most.__getitem__)) for kind in rank_one.kinds]
    denominators = [(kind, nsmallest(2, kind.members.tolist(), key=least.__getitem__)) for kind in rank_one.kinds]
    ratio, witness = ONE, Witness()
    for first, tops in numerators:
        for second, bottoms in denominators:
            rows = _worst_rows(rank_one, first, second)
            for x in tops:
                for other in bottoms:
                    if x == other or most[x] == 0 or rows == 0:
                        continue
                    if rows is None or least[other] == 0:
                        return Loss.known(INFINITY, Witness((x, other)))
                    if rows * most[x] > ratio * least[other]:
                        ratio, witness = rows * most[x] / least[other], Witness((x, other))
    return Loss.known(Real.log(ratio), witness)


def _worst_rows(rank_one: RankOne, first: Kind, second: Kind) -> Rational | None:
    """The largest Q(y|x) / Q(y|x') for inputs of two kinds, over the outputs that x gives; None if infinite."""
    rest = rank_one.spread - first.output - second.output
    pairs = [
        (first.diagonal, second.input * first.output),
        (first.input * second.output, second.diagonal),
        (first.input * rest, second.input * rest),
    ]
    if any(high > 0 and low == 0 for high, low in pairs):
        return None
    return max((high / low for high, low in pairs if high > 0), default=ZERO)
