"""Large matrices of floats: blocks, searches and powers give what small exact arithmetic gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epstar.exact import Number, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.measure.hockey_stick import least_factors
from epstar.source import Prior
from epstar.universe import Alphabet, Graph, Metric, Universe

SIZE = 20
RNG = np.random.default_rng(7)
WEIGHTS = RNG.integers(1, 1000, size=(SIZE, 25))
EXACT_ROWS = [[rational(int(w)) / int(row.sum()) for w in row] for row in WEIGHTS]
POSITIONS = RNG.permutation(200)[:SIZE].tolist()
LINE = Metric([[rational(abs(a - b)) / 7 for b in POSITIONS] for a in POSITIONS])
UNIVERSES: list[Universe] = [Alphabet(SIZE), Graph.ring(SIZE), LINE]
NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/100"),
    ApproximateDifferentialPrivacy("1/5"),
    ApproximateDifferentialPrivacy("1/100", "pointwise"),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy(2),
    RenyiDifferentialPrivacy("1001/1000"),
    RenyiDifferentialPrivacy(500),
    Identifiability(),
    MutualInformation(),
    MaximalInformation(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/50"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
    SibsonMutualInformation("3/2"),
    SibsonMutualInformation(50),
]
IDS = [f"{notion.name}{list(notion.parameters().values())}" for notion in NOTIONS]


@pytest.mark.parametrize("universe", UNIVERSES, ids=lambda universe: type(universe).__name__)
@pytest.mark.parametrize("notion", NOTIONS, ids=IDS)
def test_floats_agree_with_rationals(notion: Notion, universe: Universe) -> None:
    exact = Mechanism(EXACT_ROWS, universe)
    prior = Prior(RNG.dirichlet(np.ones(SIZE)).tolist())
    ours, theirs = notion.loss(Mechanism(exact.floats, universe), prior), notion.loss(exact, prior)
    assert ours.value == pytest.approx(theirs.value, rel=1e-11, abs=1e-12)
    assert ours.lower is None
    assert ours.upper is None
    assert theirs.upper is not None
    if isinstance(notion, DifferentialPrivacy | Identifiability | ApproximateDifferentialPrivacy):
        assert sorted(ours.witness.inputs) == sorted(theirs.witness.inputs)
        assert sorted(ours.witness.outputs) == sorted(theirs.witness.outputs)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.01, 0.3])
@pytest.mark.parametrize("spread", [0.05, 1.0, 30.0])
def test_the_search_finds_the_worst_of_all_pairs(delta: float, spread: float) -> None:
    matrix = RNG.dirichlet(np.full(25, 1 / spread), 60)
    matrix = np.maximum(matrix, 1e-12)
    matrix /= matrix.sum(axis=1, keepdims=True)
    first, second = np.nonzero(~np.eye(60, dtype=bool))
    expected = np.log(least_factors(matrix[first], matrix[second], delta).max())
    loss = ApproximateDifferentialPrivacy(delta).loss(Mechanism(matrix))
    assert loss.value == pytest.approx(expected, rel=1e-12, abs=1e-12)
    if loss.value > 0:
        x, other = loss.witness.inputs
        event = list(loss.witness.outputs)
        factor = math.exp(loss.value)
        assert matrix[x, event].sum() - factor * matrix[other, event].sum() == pytest.approx(delta, abs=1e-9 * factor)


def test_ties_everywhere_do_not_slow_the_search() -> None:
    size = 300
    matrix = np.full((size, size), 0.5 / (size - 1))
    np.fill_diagonal(matrix, 0.5)
    loss = ApproximateDifferentialPrivacy("1/10").loss(Mechanism(matrix))
    assert loss.value == pytest.approx(math.log(0.4 / (0.5 / (size - 1))), rel=1e-12)


@pytest.mark.parametrize("order", ["1/2", 2, 3, 50, 2000])
def test_renyi_keeps_in_range(order: Number) -> None:
    """Entries down to 1e-200 and orders up to 2000: nothing overflows and zeros are recognised."""
    tiny = Mechanism(np.array([[1 - 1e-200, 1e-200], [0.5, 0.5]]))
    loss = RenyiDifferentialPrivacy(order).loss(tiny)
    assert 0 < loss.value <= DifferentialPrivacy().loss(tiny).value
    zeros = Mechanism(np.array([[0.5, 0.5, 0.0], [0.25, 0.75, 0.0], [0.5, 0.5, 0.0]]))
    assert 0 < RenyiDifferentialPrivacy(order).loss(zeros).value <= math.log(2)
    assert RenyiDifferentialPrivacy(order).loss(Mechanism(np.array([[0.5, 0.5], [0.5, 0.5]]))).value == 0


def test_denormal_entries() -> None:
    mechanism = Mechanism(np.array([[1 - 5e-324, 5e-324], [0.5, 0.5]]))
    assert DifferentialPrivacy().loss(mechanism).value == pytest.approx(math.log(0.5) - math.log(5e-324))


def test_the_curve_at_infinity_counts_what_is_excluded() -> None:
    floats = Mechanism(np.array([[0.75, 0.25, 0.0], [0.5, 0.0, 0.5]]))
    exact = Mechanism([["3/4", "1/4", 0], ["1/2", 0, "1/2"]])
    for mechanism in (floats, exact):
        assert ApproximateDifferentialPrivacy(0).delta_at(mechanism, math.inf).value == 0.5
        assert ApproximateDifferentialPrivacy(0, "pointwise").delta_at(mechanism, math.inf).value == 0.5
        assert ApproximateDifferentialPrivacy(0).delta_at(mechanism, 0).value == 0.5
        single = ApproximateDifferentialPrivacy(0, "pointwise").delta_at(mechanism, Real.log(rational(2)))
        assert single.value == 0.5


def test_capacity_of_floats_and_of_rationals_agree() -> None:
    exact = Mechanism(EXACT_ROWS)
    assert Capacity().loss(Mechanism(exact.floats)).value == pytest.approx(Capacity().loss(exact).value, abs=1e-12)
