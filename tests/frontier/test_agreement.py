"""Two ways to the same number: closed forms and programs, and independent programs written for these tests."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from tests.frontier.brute_force import Floats, NaivePrivacy, blahut_arimoto
from tests.frontier.generated import law

from epstar.distortion import Hamming, Matrix
from epstar.exact import Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
)
from epstar.source import Finite, Hull, Prior, Source
from epstar.universe import Alphabet, Databases, Graph, Metric, Universe

_CLOSED: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/20"),
    ApproximateDifferentialPrivacy("1/20", "pointwise"),
    MaximalLeakage(),
    MutualInformation(),
    Identifiability(),
]


def _overlap(first: Answer, second: Answer, tolerance: float = 1e-15) -> bool:
    return first.lower <= second.upper + tolerance and second.lower <= first.upper + tolerance


@pytest.mark.parametrize("notion", _CLOSED, ids=repr)
@pytest.mark.parametrize("seed", range(12))
def test_closed_forms_agree_with_programs(notion: Notion, seed: int) -> None:
    numbers = random.Random(seed)
    size = numbers.randint(2, 6)
    sets = not isinstance(notion, MutualInformation | Identifiability)
    points = [law(size, numbers, zeros=sets and seed % 3 == 0) for _ in range(1 + sets * (seed % 4))]
    source: Source = Prior(points[0]) if len(points) == 1 else Hull(points)
    frontier = Frontier(notion, source, Hamming())
    distortion = Rational(numbers.randint(1, 19), 20) * (1 - Rational(1, size))
    level = Rational(numbers.randint(1, 30), 10)
    if isinstance(notion, Identifiability):
        level += 3
    assert _overlap(frontier.loss_at(distortion, method="closed form"), frontier.loss_at(distortion, method="program"))
    assert _overlap(
        frontier.distortion_at(level, method="closed form"), frontier.distortion_at(level, method="program")
    )


def _distances(universe: Universe) -> Floats:
    """Return the distances of constrained pairs, infinity elsewhere."""
    result = np.full((universe.size, universe.size), np.inf)
    pairs = universe.pairs()
    for k, (i, j) in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
        result[i, j] = result[j, i] = 1.0 if pairs.distance is None else float(Real.of(pairs.distance[k]))
    return result


Constrain = Callable[[NaivePrivacy, Floats, float, list[list[float]]], None]


def _differential(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    naive.ratios(distances, level, [1.0] * naive.inputs)


def _event(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    naive.events(distances, level, 0.05)


def _pointwise(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    naive.ratios(distances, level, [1.0] * naive.inputs, 0.05)


def _identifiable(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    for point in laws:
        naive.ratios(distances, level, point)


def _leaking(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    naive.column_maxima([1.0] * naive.inputs, math.exp(level))


def _guessing(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    for point in laws:
        naive.column_maxima(point, math.exp(level) * max(point))


def _informing(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    for point in laws:
        naive.near_output_law(point, level, both=False)


def _local(naive: NaivePrivacy, distances: Floats, level: float, laws: list[list[float]]) -> None:
    for point in laws:
        naive.near_output_law(point, level, both=True)


_LINEAR: list[tuple[Notion, Constrain]] = [
    (DifferentialPrivacy(), _differential),
    (ApproximateDifferentialPrivacy("1/20"), _event),
    (ApproximateDifferentialPrivacy("1/20", "pointwise"), _pointwise),
    (Identifiability(), _identifiable),
    (MaximalLeakage(), _leaking),
    (MinEntropyLeakage(), _guessing),
    (MaximalInformation(), _informing),
    (LocalInformationPrivacy(), _local),
]


def _random_frontier(notion: Notion, numbers: random.Random) -> Frontier:
    universe: Universe = numbers.choice(
        [
            Alphabet(3),
            Alphabet(4),
            Databases(2, 2),
            Graph.ring(4),
            Graph.line(4),
            Graph(4, [(0, 1), (2, 3)]),
            Metric([["0", "1/2", "2"], ["1/2", "0", "3/2"], ["2", "3/2", "0"]]),
        ]
    )
    points = [law(universe.size, numbers) for _ in range(numbers.randint(1, 3))]
    source: Source = Prior(points[0]) if len(points) == 1 else Finite(points)
    outputs = numbers.choice([2, universe.size, universe.size + 1])
    cost = [[Rational(numbers.randint(0, 10), 10) for _ in range(outputs)] for _ in range(universe.size)]
    return Frontier(notion, source, Matrix(cost), universe)


def _brute_force(frontier: Frontier, constrain: Constrain, level: float) -> float:
    cost = frontier.distortion.floats(frontier.universe)
    laws = [[float(Real.of(p)) for p in point] for point in frontier.source.vertices()]
    if isinstance(frontier.source, Finite):
        laws = [[float(Real.of(p)) for p in point] for point in frontier.source.points]
    naive = NaivePrivacy(*cost.shape)
    constrain(naive, _distances(frontier.universe), level, laws)
    return naive.least_distortion(cost, laws)


@pytest.mark.parametrize(("notion", "constrain"), _LINEAR, ids=[repr(notion) for notion, _ in _LINEAR])
@pytest.mark.parametrize("seed", range(6))
def test_naive_programs_agree(notion: Notion, constrain: Constrain, seed: int) -> None:
    numbers = random.Random(f"{notion} {seed}")
    frontier = _random_frontier(notion, numbers)
    level = numbers.choice([0.1, 0.5, 1.0, 2.0]) + (4.0 if isinstance(notion, Identifiability) else 0.0)
    answer = frontier.distortion_at(loss=level)
    expected = _brute_force(frontier, constrain, level)
    assert answer.lower - 1e-8 <= expected <= answer.upper + 1e-8
    _check_inverse(frontier, constrain, level)


def _check_inverse(frontier: Frontier, constrain: Constrain, level: float) -> None:
    """The least loss at a distortion: enough for a naive program, and a little less is not."""
    strict = _brute_force(frontier, constrain, level * 0.9)
    loose = _brute_force(frontier, constrain, level * 1.1)
    if math.isinf(strict) or strict - loose < 1e-4:
        return
    distortion = round((strict + loose) / 2, 6)
    answer = frontier.loss_at(distortion=distortion)
    assert _brute_force(frontier, constrain, answer.upper + 1e-7) <= distortion + 1e-8
    assert _brute_force(frontier, constrain, answer.lower - 1e-6) >= distortion - 1e-8


@pytest.mark.parametrize("seed", range(12))
def test_rate_distortion_by_alternating_minimisation(seed: int) -> None:
    numbers = np.random.default_rng(seed)
    inputs, outputs = int(numbers.integers(2, 5)), int(numbers.integers(2, 5))
    prior = numbers.integers(1, 10, inputs) / 1.0
    prior = prior / prior.sum()
    cost = np.round(numbers.random((inputs, outputs)), 2)
    point = blahut_arimoto(prior, cost, slope=float(numbers.uniform(2.0, 12.0)))
    assert point.upper - point.lower < 1e-5
    frontier = Frontier(MutualInformation(), Prior(prior), Matrix(cost))
    answer = frontier.loss_at(distortion=point.distortion)
    assert point.lower - 1e-9 <= answer.upper
    assert answer.lower <= point.upper + 1e-9
    if answer.lower > 1e-3:
        back = frontier.distortion_at(loss=answer.interval.upper)
        assert back.lower - 1e-8 <= point.distortion <= back.upper + 1e-6
