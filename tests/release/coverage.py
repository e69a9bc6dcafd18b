"""Questions of the grid on which the coverage of intervals is measured, and tables drawn for them.

Every estimator: one count (randomised response, sets), matrices, letters of several kinds, cross-tabulations of
released and plain columns, survey weights, means and differences. A question is a list of columns with their
mechanisms, the law of the private values, and what is estimated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, Rational
from epstar.mechanism import AnyMechanism, BlockDesign, DiagonalMechanism, Mechanism, TopRandomisedResponse
from epstar.release import Column
from epstar.release.histogram import Tally
from epstar.release.interval import counted_intervals, normal_intervals
from epstar.release.tabulation import Side, Tabulation, released_side
from epstar.statistics.by_counts import set_size
from epstar.statistics.protocols import next_prime
from epstar.universe import Alphabet

Floats = NDArray[np.float64]
ROWS = (1, 2, 5, 20, 100, 500, 2000, 10_000)
CONFIDENCE = 0.95


def ratio(loss: float) -> Fraction:
    return Fraction(round(math.exp(loss) * 64), 64)


def response(size: int, loss: float) -> AnyMechanism:
    return TopRandomisedResponse(Alphabet(size), range(size), str(ratio(loss)))


def sets(size: int, loss: float) -> AnyMechanism:
    prime, factor = next_prime(size), ratio(loss)
    chosen = set_size(prime, Rational(factor.numerator, factor.denominator))
    return BlockDesign(Alphabet(size), prime, chosen, str(factor))


def ordered(size: int, loss: float) -> AnyMechanism:
    rows = [[(1 / ratio(loss)) ** abs(x - y) for y in range(size)] for x in range(size)]
    return Mechanism([[str(entry / sum(row)) for entry in row] for row in rows], Alphabet(size))


def uneven(size: int, _: float) -> AnyMechanism:
    return DiagonalMechanism(Alphabet(size), ["1/2" if x % 2 else "3/4" for x in range(size)])


def plain(size: int, _: float) -> AnyMechanism:
    return DiagonalMechanism(Alphabet(size), [ONE] * size)


Make = Callable[[int, float], AnyMechanism]


def laws(size: int) -> list[Floats]:
    """The uniform law and a skewed one."""
    skewed = 0.5 ** np.arange(size) if size < 30 else 1.0 / np.arange(1, size + 1) ** 2
    return [np.full(size, 1 / size), skewed / skewed.sum()]


@dataclass(frozen=True, eq=False)
class Question:
    """Columns that are tabulated together, the law of the private cells, and how rows are weighted, if they are."""

    name: str
    mechanisms: tuple[AnyMechanism, ...]
    law: Floats
    weights: tuple[float, ...] = (1.0,)

    @cached_property
    def sides(self) -> tuple[Side, ...]:
        columns = [Column(f"x{place}", mechanism=given) for place, given in enumerate(self.mechanisms)]
        return tuple(released_side(column, column.names) for column in columns)

    @cached_property
    def shares(self) -> Floats:
        """The probability of each combination of outputs."""
        found = self.law
        for given in self.mechanisms:
            found = np.moveaxis(np.tensordot(given.dense().floats, found, axes=(0, 0)), 0, -1)
        shares: Floats = found / found.sum()
        return shares

    def tally(self, counts: Sequence[Floats]) -> Tally:
        """What is counted of one table: one array of counts of outputs for each weight."""
        rows, first, second = (
            np.sum([weight**power * part for weight, part in zip(self.weights, counts, strict=True)], axis=0)
            for power in (0, 1, 2)
        )
        return Tally(rows, first, second, len(self.weights) > 1)

    def tabulation(self, tally: Tally) -> Tabulation:
        return Tabulation(tuple(name for side in self.sides for name in side.names), self.sides, tally)

    def drawn(self, rows: int, trials: int, rng: np.random.Generator) -> list[Floats]:
        """Counts of outputs of many tables, the last axis, for each of the weights, which are equally likely."""
        chances = np.concatenate([self.shares.reshape(-1)] * len(self.weights)) / len(self.weights)
        drawn = rng.multinomial(rows, chances / chances.sum(), trials).T.astype(np.float64)
        return [part.reshape(*self.shares.shape, trials) for part in np.split(drawn, len(self.weights))]


def cell_ends(question: Question, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Estimates and intervals of one column of many tables: cell by cell, some of which may rest on one count."""
    (side,) = question.sides
    found = [ends_of_rows(side.estimators.added(row), counts) for row in np.eye(len(side.cells))]
    means, lower, upper = (np.array(part) for part in zip(*found, strict=True))
    return means, lower, upper


def normal_ends(question: Question, counts: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Estimates and intervals of many tables at once: what `Tabulation.intervals` does for one of them."""
    tally = question.tally(counts)
    first, second = tally.first, tally.second
    axes = tuple(range(first.ndim - 1))
    total, square = first.sum(axis=axes), second.sum(axis=axes)

    def contracted(values: Floats, is_square: bool = False) -> Floats:
        for side in question.sides:
            added = side.estimators.squares(values) if is_square else side.estimators.means(values)
            values = np.moveaxis(added, 0, -1)
        # The tables come first now, and go to the end.
        return np.moveaxis(values, 0, -1)

    found = contracted(first) / total
    spread = contracted(second, is_square=True) / square - 2 * found * contracted(second) / square + 2 * found * found
    largest = reduce(np.multiply.outer, [side.estimators.largest for side in question.sides])[..., None]
    lower, upper = normal_intervals(found, spread, largest, total**2 / square, CONFIDENCE)
    return found, lower, upper


def linear_ends(question: Question, factors: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """The same for the sum of the cells with these factors, as `epstar.release.functionals` has it."""
    added = factors
    for side in question.sides:
        added = np.moveaxis(side.estimators.added(added), 0, -1)
    least, span = factors.min(), factors.max() - factors.min()
    # A sum of cells lies between its least and its largest factor, as a frequency does between 0 and 1.
    found = ends_of_rows((added.reshape(-1) - least) / span, counts.reshape(added.size, -1))
    return np.clip(found[0], 0.0, 1.0) * span + least, found[1] * span + least, found[2] * span + least


def ends_of_rows(values: Floats, counts: Floats) -> tuple[Floats, Floats, Floats]:
    """Estimates and intervals of the mean of what rows add: what `interval_of` does for one table."""
    rows = float(counts[:, 0].sum())
    means, squares = (part @ counts / rows for part in (values, values**2))
    is_high = values > (values.max() + values.min()) / 2
    low, high = values[~is_high].mean(), values[is_high].mean()
    if np.abs(values - np.where(is_high, high, low)).max() <= 1e-9 * (high - low):
        held = counts[is_high].sum(axis=0).astype(np.int64)
        return means, *counted_intervals(held, int(rows), np.full(len(held), low), high - low, CONFIDENCE)
    return means, *normal_intervals(means, squares, np.abs(values).max(), rows, CONFIDENCE)


def of_one_column(make: Make, sizes: Sequence[int], losses: Sequence[float]) -> Iterator[Question]:
    """Each size and loss, with both laws."""
    for size in sizes:
        for loss in losses:
            for law, words in zip(laws(size), ("uniform", "skewed"), strict=True):
                yield Question(f"{make.__name__} of {size} at {loss}, {words}", (make(size, loss),), law)


def of_several_columns(parts: Sequence[tuple[Make, int, float]]) -> Iterator[Question]:
    """Columns that are tabulated together: independent of each other, and as much alike as two laws can be."""
    mechanisms = tuple(make(size, loss) for make, size, loss in parts)
    name = " by ".join(f"{make.__name__} of {size} at {loss}" for make, size, loss in parts)
    for place, words in enumerate(("uniform", "skewed")):
        yield Question(f"{name}, {words}", mechanisms, reduce(np.multiply.outer, [laws(n)[place] for _, n, _ in parts]))
    if len(parts) == 2:
        first, second = laws(parts[0][1])[1], laws(parts[1][1])[1]
        ends = [np.concatenate([[0.0], np.cumsum(part)]) for part in (first, second)]
        alike = np.maximum(
            0.0,
            np.minimum.outer(ends[0][1:], ends[1][1:]) - np.maximum.outer(ends[0][:-1], ends[1][:-1]),
        )
        yield Question(f"{name}, alike", mechanisms, alike / alike.sum())
