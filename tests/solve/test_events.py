"""Approximate privacy over events: the interior-point method for hockey-stick divergences of pairs of rows."""

import numpy as np
import pytest
from numpy.typing import NDArray

from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.errors import TimeLimit
from epstar.exact import ONE, Rational, Real, rational
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.notions.constraints import Constraints, RatioBound, Spread
from epstar.solve.program.column_equations import Laws
from epstar.solve.program.exchange import compared_events
from epstar.solve.program.formulation import Program
from epstar.solve.program.hockey_stick import Events, least_cost
from epstar.source import Ball, Hull, Prior
from epstar.universe import Graph

Floats = NDArray[np.float64]


def line(size: int) -> Floats:
    places = np.arange(size, dtype=np.float64)
    return np.abs(places[:, None] - places)


def mixtures(points: Floats) -> Laws:
    return Laws(points, np.zeros((0, len(points))), np.zeros(0))


def all_pairs(size: int, slack: Rational) -> Constraints:
    return Constraints(spread=Spread((ONE,) * size, slack, events=True))


def general_optimum(cost: Floats, constraints: Constraints, level: Real, laws: list[Floats]) -> float:
    program = Program(cost, laws)
    program.least_distortion(constraints, level)
    return program.solve(Deadline(None)).solution.objective


def events_of(constraints: Constraints, level: Real) -> Events:
    found = compared_events(constraints, level)
    assert found is not None
    return found


@pytest.mark.parametrize("shape", [(2, 2), (4, 4), (5, 5), (6, 3), (3, 7)])
@pytest.mark.parametrize("count", [1, 3])
def test_as_the_general_program(shape: tuple[int, int], count: int) -> None:
    """On random costs, under one law and under the worst of three."""
    rng = np.random.default_rng((*shape, count))
    for level, slack in (("1", "1/20"), ("1/3", "1/5"), ("2", "1/100")):
        cost, laws = rng.random(shape), list(rng.dirichlet(np.ones(shape[0]), count))
        exact_level, constraints = Real.of(rational(level)), all_pairs(shape[0], rational(slack))
        optimum = general_optimum(cost, constraints, exact_level, laws)
        found = least_cost(cost, mixtures(np.array(laws)), events_of(constraints, exact_level))
        assert found.lower <= optimum + 1e-9
        assert found.upper == pytest.approx(optimum, abs=1e-8)
        assert found.lower == pytest.approx(optimum, abs=1e-8)
        growth = float(Real.exp(exact_level))
        excess = np.maximum(found.matrix[:, None] - growth * found.matrix, 0).sum(axis=2)
        assert excess.max() <= float(rational(slack)) + 1e-12
        assert found.matrix.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_the_lower_end_follows_from_the_flows() -> None:
    """By weak duality: the prices of rows for the flows, less the slacks times the largest flow of each pair."""
    rng = np.random.default_rng(8)
    cost, level = rng.random((6, 6)), Real.of(1)
    events = events_of(all_pairs(6, Rational(1, 20)), level)
    found = least_cost(cost, mixtures(np.ones((1, len(cost)))), events)
    prices = cost.copy()
    for x, z, flow in zip(events.first, events.second, found.flows, strict=True):
        prices[x] += flow
        prices[z] -= np.e * flow
    bound = prices.min(axis=1).sum() - 0.05 * found.flows.max(axis=1).sum()
    assert found.lower == pytest.approx(bound, abs=1e-12)
    assert found.flows.min() >= 0


def test_pairs_of_a_graph_have_growths_of_their_own() -> None:
    bounds = tuple(
        RatioBound({x: ONE}, {z: ONE}, Rational(abs(x - z)), Rational(1, 10), events=True)
        for x in range(4)
        for z in range(4)
        if x != z
    )
    rng = np.random.default_rng(2)
    cost, level = rng.random((4, 4)), Real.of(rational("1/2"))
    constraints = Constraints(ratios=bounds)
    optimum = general_optimum(cost, constraints, level, [np.ones(4)])
    assert least_cost(cost, mixtures(np.ones((1, len(cost)))), events_of(constraints, level)).upper == pytest.approx(
        optimum, abs=1e-8
    )


def test_other_bounds_are_left_alone() -> None:
    level = Real.of(1)
    assert compared_events(Constraints(spread=Spread((ONE,) * 3)), level) is None
    assert compared_events(Constraints(spread=Spread((ONE, ONE, Rational(1, 2)), Rational(1, 9), True)), level) is None
    mean = {0: Rational(1, 2), 1: Rational(1, 2)}
    assert compared_events(Constraints(ratios=(RatioBound({0: ONE}, mean, ONE, ONE, events=True),)), level) is None


def test_when_time_is_over_the_best_so_far_is_kept() -> None:
    calls = 0

    def left() -> None:
        nonlocal calls
        calls += 1
        if calls > 25:
            raise TimeLimit("The time is over.")

    cost = np.random.default_rng(1).random((12, 12))
    found = least_cost(
        cost, mixtures(np.ones((1, len(cost)))), events_of(all_pairs(12, Rational(1, 20)), Real.of(1)), left
    )
    whole = least_cost(cost, mixtures(np.ones((1, len(cost)))), events_of(all_pairs(12, Rational(1, 20)), Real.of(1)))
    assert 0 < found.lower <= whole.lower + 1e-9
    assert found.upper >= whole.upper - 1e-9


def test_thirty_categories_are_the_pure_optimum_mixed_with_the_truth() -> None:
    law = np.random.default_rng(5).dirichlet(np.ones(30))
    answer = Frontier(ApproximateDifferentialPrivacy("1/20"), Prior(law), Absolute()).distortion_at(loss=1)
    pure = Frontier(DifferentialPrivacy(), Prior(law), Absolute()).distortion_at(loss=1)
    assert answer.interval.width <= 1e-7
    assert answer.upper == pytest.approx(0.95 * pure.upper, abs=1e-7)


def test_a_cleverer_mechanism_than_that_mixture() -> None:
    values = np.random.default_rng(3).integers(0, 50, (15, 15))
    frontier = Frontier(ApproximateDifferentialPrivacy("1/20"), Prior([Rational(1, 15)] * 15), Matrix(values.tolist()))
    pure = Frontier(DifferentialPrivacy(), frontier.source, frontier.distortion).distortion_at(loss=1)
    answer = frontier.distortion_at(loss=1)
    mixture = 0.95 * pure.upper + 0.05 * values.min(axis=1).mean()
    assert answer.interval.width <= 1e-7
    assert answer.upper < mixture - 1e-6


@pytest.mark.parametrize("kind", ["hull", "ball", "graph"])
def test_sources_and_graphs_of_sixteen_categories(kind: str) -> None:
    rng = np.random.default_rng(4)
    values = Matrix(rng.integers(0, 50, (16, 16)).tolist())
    laws = [[Rational(int(w), int(row.sum())) for w in row] for row in rng.integers(1, 9, (3, 16))]
    source = {"hull": Hull(laws), "ball": Ball(laws[0], "1/10"), "graph": Prior(laws[0])}[kind]
    universe = Graph(list(range(16)), [(k, (k + 1) % 16) for k in range(16)]) if kind == "graph" else None
    answer = Frontier(ApproximateDifferentialPrivacy("1/20"), source, values, universe).distortion_at(loss=1)
    assert answer.interval.width <= 1e-6
