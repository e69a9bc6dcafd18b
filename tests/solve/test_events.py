"""Approximate privacy over events from pure privacy: what is said is least, and elsewhere nothing is said."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import sparse

from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.exact import ONE, Rational, Real, rational
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.notions.constraints import Constraints, Spread
from epstar.solve.program.formulation import Program
from epstar.solve.program.highs import feasible_point
from epstar.solve.program.structured import _place, least_under_events
from epstar.source import Prior

Floats = NDArray[np.float64]


def line(size: int) -> Floats:
    places = np.arange(size, dtype=np.float64)
    return np.abs(places[:, None] - places)


def general_optimum(cost: Floats, level: Real, slack: Rational) -> float:
    program = Program(cost, [np.ones(len(cost))])
    program.least_distortion(Constraints(spread=Spread((ONE,) * len(cost), slack, events=True)), level)
    return program.solve(Deadline(None)).solution.objective


def mixture_cost(cost: Floats, level: Real, slack: Rational) -> float:
    delta = float(slack)
    return (1 - delta) * general_optimum(cost, level, Rational(0)) + delta * float(cost.min(axis=1).sum())


@pytest.mark.parametrize("shape", [(2, 2), (4, 4), (5, 5), (6, 3), (3, 7)])
def test_what_is_said_is_least(shape: tuple[int, int]) -> None:
    """Compared with the general program, on random costs of both kinds."""
    rng = np.random.default_rng(shape)
    spoken = 0
    for level, slack in (("1", "1/20"), ("1/3", "1/5"), ("2", "1/100")) * 4:
        cost = rng.random(shape)
        exact_level, exact_slack = Real.of(rational(level)), rational(slack)
        optimum = general_optimum(cost, exact_level, exact_slack)
        found = least_under_events(cost, float(Real.exp(exact_level)), float(exact_slack), lambda: None)
        if found is None:
            continue
        spoken += 1
        assert found.solution.objective == pytest.approx(optimum, abs=1e-9)
        assert (cost * found.matrix).sum() == pytest.approx(optimum, abs=1e-9)
        excess = np.maximum(found.matrix[:, None] - float(Real.exp(exact_level)) * found.matrix, 0).sum(axis=2)
        assert excess.max() <= float(exact_slack) + 1e-15
        assert found.matrix.sum(axis=1) == pytest.approx(1, abs=1e-14)
    assert spoken >= 4


def test_silent_where_a_cleverer_mechanism_exists() -> None:
    rng = np.random.default_rng(0)
    level, slack = Real.of(1), Rational(1, 20)
    clever = 0
    for _ in range(40):
        cost = rng.random((5, 5))
        if mixture_cost(cost, level, slack) - general_optimum(cost, level, slack) > 1e-6:
            clever += 1
            assert least_under_events(cost, float(np.e), 0.05, lambda: None) is None
    assert clever > 0


def test_places_of_pairs() -> None:
    bounds = list(Spread((ONE,) * 5, Rational(1, 20), events=True).ratios())
    assert len(bounds) == 20
    for i, bound in enumerate(bounds):
        ((x,), (other,)) = bound.left, bound.right
        assert _place(x, other, 5) == i


def test_thirty_letters_are_proven() -> None:
    law = np.random.default_rng(5).dirichlet(np.ones(30))
    assert least_under_events(law[:, None] * line(30), float(np.e), 0.05, lambda: None) is not None
    answer = Frontier(ApproximateDifferentialPrivacy("1/20"), Prior(law), Absolute()).distortion_at(loss=1)
    pure = Frontier(DifferentialPrivacy(), Prior(law), Absolute()).distortion_at(loss=1)
    assert answer.interval.width <= 1e-9
    assert answer.upper == pytest.approx(0.95 * pure.upper, abs=1e-9)


def test_large_counterexample_is_left_to_the_general_program() -> None:
    values = np.random.default_rng(3).integers(0, 50, (15, 15))
    frontier = Frontier(ApproximateDifferentialPrivacy("1/20"), Prior([Rational(1, 15)] * 15), Matrix(values.tolist()))
    pure = Frontier(DifferentialPrivacy(), frontier.source, frontier.distortion).distortion_at(loss=1)
    answer = frontier.distortion_at(loss=1)
    mixture = 0.95 * pure.upper + 0.05 * values.min(axis=1).mean()
    assert least_under_events(values / 15, float(np.e), 0.05, lambda: None) is None
    assert answer.interval.width <= 1e-7
    assert answer.upper < mixture - 1e-6


def test_a_point_of_a_polyhedron_or_none() -> None:
    matrix = sparse.csr_matrix(np.array([[1.0, 1.0], [1.0, -1.0]]))
    point = feasible_point(matrix, np.array([1.0, -np.inf]), np.array([1.0, 0.5]), None)
    assert point is not None
    assert point.min() >= 0
    assert point.sum() == pytest.approx(1, abs=1e-9)
    assert point[0] - point[1] <= 0.5 + 1e-9
    assert feasible_point(matrix, np.array([1.0, 2.0]), np.array([1.0, np.inf]), None) is None
