"""How often intervals hold what they should: every kind of estimator, from one row to ten thousand."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.stats import binom
from tests.release.coverage import (
    CONFIDENCE,
    ROWS,
    Floats,
    Make,
    Question,
    cell_ends,
    linear_ends,
    normal_ends,
    of_one_column,
    of_several_columns,
    ordered,
    plain,
    response,
    sets,
    uneven,
)

from epstar.release.estimate import Estimate
from epstar.release.estimators import MatrixEstimators
from epstar.release.functionals import Quantity, difference, mean
from epstar.release.interval import counted_intervals

COUNTED: dict[str, tuple[Make, Sequence[int], Sequence[float]]] = {
    "response": (response, (2, 3, 10, 100), (0.5, 1, 4)),
    "sets": (sets, (3, 5, 10), (0.5, 1, 4)),
    "many sets": (sets, (100,), (1,)),
}


@pytest.mark.parametrize("name", COUNTED)
def test_intervals_of_one_count_cover_at_least_as_often_as_they_say(name: str) -> None:
    for question in of_one_column(*COUNTED[name]):
        (side,) = question.sides
        # Categories that are equally frequent have the same coverage.
        different = np.unique(question.law, return_index=True)[1]
        for place in {*different[:1].tolist(), *different[-3:].tolist()}:
            values, truth = side.estimators.added(np.eye(len(question.law))[place]), question.law[place]
            low, high = float(values.min()), float(values.max())
            # The values of an unbiased estimator have the frequency as their mean.
            chance = (truth - low) / (high - low)
            # Some table, as it is estimated, has the interval of its count.
            counts = np.random.default_rng(3).multinomial(100, np.full(len(values), 1 / len(values))).astype(np.float64)
            told = question.tabulation(question.tally([counts])).intervals(CONFIDENCE)
            assert told.kind == "exact"
            held = np.array([int(counts[values > (low + high) / 2].sum())])
            ends = [float(end[0]) for end in counted_intervals(held, 100, np.array([low]), high - low, CONFIDENCE)]
            assert_allclose([told.lower[place], told.upper[place]], ends, rtol=1e-9, atol=1e-12)
            for rows in ROWS:
                numbers = likely_counts(rows, chance)
                lower, upper = counted_intervals(numbers, rows, np.full(len(numbers), low), high - low, CONFIDENCE)
                points = np.clip(low + (high - low) * numbers / rows, 0, 1)
                assert (upper > lower).all()
                assert ((lower <= points + 1e-12) & (points <= upper + 1e-12)).all()
                covers = (lower <= truth) & (truth <= upper)
                covered = float(binom.pmf(numbers, rows, chance)[covers].sum())
                # A sum of probabilities, exact but for the arithmetic of floats and counts that are next to impossible.
                assert covered >= CONFIDENCE - 1e-9, (question.name, rows, place)


def likely_counts(rows: int, chance: float) -> NDArray[np.int64]:
    """The counts within eight standard deviations of their mean, and a few more; at the ends both of them."""
    half = 8 * math.sqrt(rows * chance * (1 - chance)) + 40
    found = np.arange(max(0, math.floor(rows * chance - half)), min(rows, math.ceil(rows * chance + half)) + 1)
    return np.unique(np.concatenate([[0], found, [rows]]))


# What every cell of the grid must reach.
WANTED = 0.945
# Tables that are drawn for a cell: more where fewer do not tell that it is reached, by five standard deviations.
TRIALS = (10_000, 40_000, 160_000, 640_000)
_CHUNK = 10_000

Ends = Callable[[Question, Sequence[Floats]], tuple[Floats, Floats, Floats]]


def lowest_coverage(question: Question, ends: Ends, truth: Floats, rows: int, rng: np.random.Generator) -> float:
    """The coverage of the frequency that is covered least often, known well enough to be compared with `WANTED`."""
    covered, done = np.zeros(truth.shape), 0
    for trials in TRIALS:
        while done < trials:
            points, lower, upper = ends(question, question.drawn(rows, _CHUNK, rng))
            assert (upper > lower).all(), (question.name, rows)
            assert ((lower - 1e-12 <= points) & (points <= upper + 1e-12)).all(), (question.name, rows)
            covered += ((lower <= truth[..., None] + 1e-12) & (truth[..., None] - 1e-12 <= upper)).sum(axis=-1)
            done += _CHUNK
        found = float(covered.min()) / done
        if found - 5 * math.sqrt(CONFIDENCE * (1 - CONFIDENCE) / done) >= WANTED:
            break
    return found


def clipped_ends(question: Question, counts: Sequence[Floats]) -> tuple[Floats, Floats, Floats]:
    """Estimates as they are told, after a look whether they are those of the estimators themselves."""
    # A matrix has estimators of its own for each cell, and some may take two values alone.
    is_matrix = isinstance(question.sides[0].estimators, MatrixEstimators)
    is_plain = len(question.sides) == 1 and len(question.weights) == 1 and is_matrix
    found, lower, upper = cell_ends(question, counts[0]) if is_plain else normal_ends(question, counts)
    told = question.tabulation(question.tally([part[..., 0] for part in counts])).intervals(CONFIDENCE)
    assert told.kind == "normal" or is_plain
    for one, many in ((told.frequency, found), (told.lower, lower), (told.upper, upper)):
        assert_allclose(one, many[..., 0], rtol=1e-9, atol=1e-12)
    return np.clip(found, 0.0, 1.0), lower, upper


def crossed() -> Iterator[Question]:
    yield from of_several_columns([(response, 2, 1), (response, 2, 1)])
    yield from of_several_columns([(response, 3, 1), (plain, 5, 0)])
    yield from of_several_columns([(ordered, 5, 2), (response, 3, 0.5)])
    yield from of_several_columns([(response, 10, 4), (plain, 10, 0)])
    yield from of_several_columns([(response, 2, 1), (response, 3, 2), (plain, 2, 0)])


def weighted() -> Iterator[Question]:
    for question in (*of_one_column(response, (2, 5, 100), (1,)), *of_one_column(ordered, (5,), (1,))):
        yield Question(f"weighted {question.name}", question.mechanisms, question.law, (0.5, 1.0, 3.0))


MEASURED: dict[str, Callable[[], Iterator[Question]]] = {
    "ordered": lambda: of_one_column(ordered, (3, 5, 10, 20), (0.5, 1, 2, 4)),
    "uneven": lambda: of_one_column(uneven, (3, 5, 10, 20, 100), (1,)),
    "crossed": crossed,
    "weighted": weighted,
}


@pytest.mark.full
@pytest.mark.parametrize("name", MEASURED)
def test_intervals_cover_in_every_cell_of_the_grid(name: str) -> None:
    rng = np.random.default_rng(11)
    for question in MEASURED[name]():
        for rows in ROWS:
            found = lowest_coverage(question, clipped_ends, question.law, rows, rng)
            print(f"{question.name}, {rows} rows: {found:.5f}")
            assert found >= WANTED, (question.name, rows)


def estimate_of(question: Question, counts: Sequence[Floats]) -> Estimate:
    """The estimate of the first of some tables."""
    table = question.tabulation(question.tally([part[..., 0] for part in counts]))
    names = tuple(name for side in question.sides for name in side.names)
    return Estimate(names, table.rows, CONFIDENCE, "inverse", "normal", (), (), (), (), table)


LINEAR: dict[str, tuple[Callable[[int], Floats], Callable[[Estimate], Quantity]]] = {
    "mean": (lambda size: np.arange(size, dtype=np.float64), mean),
    "difference": (lambda size: np.eye(size)[0] - np.eye(size)[1], lambda found: difference(found, [0], [1])),
}


@pytest.mark.full
@pytest.mark.parametrize("name", LINEAR)
def test_intervals_of_means_and_differences_cover_in_every_cell_of_the_grid(name: str) -> None:
    factors_of, told_of = LINEAR[name]
    rng = np.random.default_rng(12)
    for make, sizes in ((response, (2, 3, 10, 100)), (sets, (3, 10)), (ordered, (3, 10, 20)), (uneven, (3, 10, 100))):
        for question in of_one_column(make, sizes, (0.5, 1, 4) if make is response else (1,)):
            factors = factors_of(len(question.law))

            def ends(
                asked: Question, counts: Sequence[Floats], factors: Floats = factors
            ) -> tuple[Floats, Floats, Floats]:
                found = linear_ends(asked, factors, counts[0])
                told = told_of(estimate_of(asked, counts))
                for one, many in zip((told.value, told.lower, told.upper), found, strict=True):
                    assert_allclose(one, many[0], rtol=1e-9, atol=1e-9)
                return found

            for rows in ROWS:
                reached = lowest_coverage(question, ends, np.array(factors @ question.law), rows, rng)
                print(f"{name}, {question.name}, {rows} rows: {reached:.5f}")
                assert reached >= WANTED, (question.name, rows)
