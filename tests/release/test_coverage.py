"""How often intervals hold what they should: every kind of estimator, from one row to ten thousand."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from epstar.exact import Rational
from epstar.mechanism import AnyMechanism, BlockDesign, DiagonalMechanism, Mechanism, TopRandomisedResponse
from epstar.release import Column
from epstar.release.histogram import Tally
from epstar.release.interval import normal_intervals
from epstar.release.tabulation import Side, Tabulation, released_side
from epstar.statistics.by_counts import set_size
from epstar.statistics.protocols import next_prime
from epstar.universe import Alphabet

ROWS = (1, 2, 5, 20, 100, 500, 2000, 10_000)


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


@dataclass(frozen=True)
class Part:
    """A part of the grid: mechanisms of some sizes and losses, and how many tables are drawn for each cell."""

    make: Callable[[int, float], AnyMechanism]
    sizes: tuple[int, ...]
    losses: tuple[float, ...]
    trials: int


GRID = {
    "response": Part(response, (2, 3, 10, 100), (0.5, 1, 4), 1000),
    "sets": Part(sets, (3, 5, 10), (0.5, 1, 4), 1000),
    "many sets": Part(sets, (100,), (1,), 200),
    "ordered": Part(ordered, (3, 5, 10, 20), (0.5, 1, 2, 4), 8000),
    "uneven": Part(uneven, (3, 5, 10, 20, 100), (1,), 8000),
}


def laws(size: int) -> list[np.ndarray]:
    skewed = 0.5 ** np.arange(size) if size < 30 else 1.0 / np.arange(1, size + 1) ** 2
    return [np.full(size, 1 / size), skewed / skewed.sum()]


def ends(side: Side, counts: np.ndarray, rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Estimates and intervals of many tables: one column of counts for each."""
    first = Tabulation(("x",), (side,), Tally(counts[:, 0], counts[:, 0], counts[:, 0], False)).intervals(0.95)
    means = side.estimators.means(counts) / rows
    if first.kind == "exact":
        found = [side.estimators.intervals(column, 0.95) for column in counts.T]
        return means, np.array([one.lower for one in found]).T, np.array([one.upper for one in found]).T
    squares = side.estimators.squares(counts) / rows
    return means, *normal_intervals(means, squares, side.estimators.largest[:, None], rows, 0.95)


@pytest.mark.full
@pytest.mark.parametrize("name", GRID)
def test_intervals_cover_in_every_cell_of_the_grid(name: str) -> None:
    part, rng = GRID[name], np.random.default_rng(11)
    for size in part.sizes:
        for loss in part.losses:
            mechanism = part.make(size, loss)
            side = released_side(Column("x", mechanism=mechanism), ("x",))
            matrix = mechanism.dense().floats
            for law in laws(size):
                for rows in ROWS:
                    shares = law @ matrix
                    counts = rng.multinomial(rows, shares / shares.sum(), part.trials).T.astype(np.float64)
                    means, lower, upper = ends(side, counts, rows)
                    points = np.clip(means, 0, 1)
                    assert (upper > lower).all()
                    assert ((lower - 1e-12 <= points) & (points <= upper + 1e-12)).all()
                    covered = ((lower <= law[:, None] + 1e-12) & (law[:, None] - 1e-12 <= upper)).mean(axis=1)
                    # Frequencies of one table go together, so that their mean is not much surer than one of them.
                    chance = math.sqrt(0.05 * 0.95 / part.trials)
                    assert covered.mean() >= 0.945 - 2 * chance, (size, loss, rows)
                    assert covered.min() >= 0.945 - 5 * chance, (size, loss, rows)
