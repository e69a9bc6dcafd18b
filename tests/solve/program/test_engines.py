"""Each engine made for one shape of bounds, on a program whose optimum is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from epstar.exact import ONE, rational
from epstar.notions.constraints import Spread
from epstar.problem import Asked
from epstar.solve.forms.many_priors import best_diagonal
from epstar.solve.program import hockey_stick, power_cones, saddle, spread, truth_mixed_in
from epstar.solve.program.column_equations import Laws

LEVEL = 0.8
GROWTH = math.exp(LEVEL)
SIZE = 6
HAMMING = 1.0 - np.eye(SIZE)
EVEN = HAMMING / SIZE
BINARY = np.array([[0.0, 0.5], [0.5, 0.0]])
ONE_LAW = Laws(np.ones((1, 2)), np.zeros((0, 1)), np.zeros(0))
FIRST, SECOND = np.array([0, 1]), np.array([1, 0])


def _nothing() -> None:
    return None


def test_a_spread_against_randomised_response() -> None:
    found = spread.least_cost(EVEN, np.ones(SIZE), GROWTH, _nothing)
    truth = GROWTH / (GROWTH + SIZE - 1)
    assert found.is_near
    assert (EVEN * found.matrix).sum() == pytest.approx(1 - truth, abs=1e-12)
    # The prices of the rows add up to the least distortion: that is the converse.
    assert found.prices.sum() == pytest.approx(1 - truth, abs=1e-12)


def test_a_spread_of_a_thousand_inputs_is_followed_to_its_end() -> None:
    """For twenty steps nothing is gained but a fiftieth each time: taken for a standstill, hours of HiGHS followed."""
    places = np.arange(1000.0)
    cost = np.random.default_rng(1000).dirichlet(np.ones(1000))[:, None] * abs(places[:, None] - places)
    found = spread.least_cost(cost, np.ones(1000), math.e, _nothing)
    assert found.is_near
    assert found.prices.sum() == pytest.approx((cost * found.matrix).sum(), rel=1e-9)


def test_a_diagonal_against_the_flattest_of_its_priors() -> None:
    likely = np.array([0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
    found = best_diagonal(np.array([likely, likely[::-1]]), GROWTH)
    # By symmetry the worst law is the mean, (0.2, 0.2, 0.1, 0.1, 0.2, 0.2); four letters beat six at this level.
    kept = {count: GROWTH * total / (GROWTH - 1 + count) for count, total in ((4, 0.8), (6, 1.0))}
    worth = np.array([likely, likely[::-1]]) @ found.diagonal
    assert worth.min() == pytest.approx(max(kept.values()), abs=1e-12)
    # Under the mixture that its weights make, no diagonal is better: the four likeliest letters are the same for all.
    mixture = np.sort(found.weights / found.weights.sum() @ np.array([likely, likely[::-1]]))[::-1]
    assert GROWTH * mixture[:4].sum() / (GROWTH + 3) == pytest.approx(worth.min(), abs=1e-9)


@pytest.mark.parametrize("slack", [0.05, 0.3])
def test_a_hockey_stick_against_two_inputs(slack: float) -> None:
    events = hockey_stick.Events(FIRST, SECOND, np.full(2, GROWTH), np.full(2, slack))
    found = hockey_stick.least_cost(BINARY, ONE_LAW, events)
    # An error e on both sides: (1 - e) - growth e is the slack.
    expected = (1 - slack) / (1 + GROWTH)
    assert found.lower <= expected + 1e-15
    assert found.upper >= expected - 1e-15
    assert found.upper - found.lower < 1e-10


@pytest.mark.parametrize("slack", [0.05, 0.3])
def test_the_truth_mixed_in_against_randomised_response(slack: float) -> None:
    """zhong2022, Theorem 9: under Hamming distortion a slack saves that share of it."""
    bounds = Spread((ONE,) * SIZE, rational(slack), events=True)
    found = truth_mixed_in.least_over_events(EVEN, bounds, GROWTH, _nothing, 1000)
    assert found is not None
    truth = GROWTH / (GROWTH + SIZE - 1)
    assert (EVEN * found.matrix).sum() == pytest.approx((1 - slack) * (1 - truth), abs=1e-10)
    # The flows are multipliers of the bounds: the prices that they leave, less the slacks, are the converse.
    prices = EVEN.copy()
    for place, bound in enumerate(bounds.ratios()):
        flows = found.solution.block_multipliers.get(("ratio", place), np.zeros(SIZE))
        assert flows.min() >= 0
        prices[next(iter(bound.left))] += flows
        prices[next(iter(bound.right))] -= GROWTH * flows
    paid = slack * sum(flows.max() for flows in found.solution.block_multipliers.values())
    assert prices.min(axis=1).sum() - paid == pytest.approx((1 - slack) * (1 - truth), abs=1e-9)


def test_nothing_is_said_where_events_are_used_more_cleverly() -> None:
    """At two inputs (1 - slack) / (1 + growth) is least, and that is what the mixture has; at some others it is not."""
    bounds = Spread((ONE,) * SIZE, rational(0.05), events=True)
    cost = np.random.default_rng(20).uniform(0, 1, (SIZE, SIZE)) / SIZE
    assert truth_mixed_in.least_over_events(cost, bounds, GROWTH, _nothing, 1000) is None
    assert truth_mixed_in.least_over_events(EVEN, bounds, GROWTH, _nothing, 1) is None


@pytest.mark.parametrize("order", [16.0, 1e3, 1e9])
def test_a_large_order_against_its_definition(order: float) -> None:
    pairs = power_cones.SteepPairs(FIRST, SECOND, np.full(2, GROWTH), order)
    found = power_cones.least_cost(BINARY[None], pairs, 1e-12)
    error = found.cost
    larger = order * math.log(1 - error) + (1 - order) * math.log(error)
    smaller = order * math.log(error) + (1 - order) * math.log(1 - error)
    divergence = (larger + math.log1p(math.exp(smaller - larger))) / (order - 1)
    assert divergence == pytest.approx(LEVEL, abs=1e-9)
    assert found.gap < 1e-10


@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_a_saddle_point_against_the_uniform_source(asks: str) -> None:
    """Shannon's function of a uniform source under Hamming distortion: log m - h(D) - D log(m - 1)."""
    error = 0.2
    entropy = -error * math.log(error) - (1 - error) * math.log(1 - error)
    information = math.log(SIZE) - entropy - error * math.log(SIZE - 1)
    laws = np.full((1, SIZE), 1 / SIZE)
    trade = saddle.Trade(HAMMING, laws, laws, error if asks == "loss" else information, _asked(asks))
    kernel = saddle.saddle_point(trade).kernel(HAMMING)
    assert kernel == pytest.approx(np.where(HAMMING > 0, error / (SIZE - 1), 1 - error), abs=1e-10)


def _asked(asks: str) -> Asked:
    return "loss" if asks == "loss" else "distortion"
