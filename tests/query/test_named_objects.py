"""The papers' own objects by public names, each against its definition."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epstar.distortion import Hamming
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real, rational
from epstar.frontier import Frontier
from epstar.gaussian import CovariantGaussian, Gaussian, gaussian_loss
from epstar.mechanism import (
    Mechanism,
    ball_mechanism,
    free_mechanism,
    subset_distortion,
    subset_response,
    symmetric_mechanism,
)
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    MaximalLeakage,
    binary_asymmetric_capacity,
)
from epstar.query import (
    any_prior_bounds,
    equation_six,
    evenness,
    feasible_level,
    histogram,
    output_law,
    prior_level,
    response_distortion,
    response_level,
    truncated_geometric,
)
from epstar.source import Finite, Hull, Prior
from epstar.universe import Databases, Graph


def test_evenly_wrong_rows_have_the_distortion_under_every_prior() -> None:
    mechanism = symmetric_mechanism(3, 2, "1/2")
    assert str(mechanism.mean_distance) == "1/2"
    assert str(DifferentialPrivacy().loss(mechanism).upper) == "log(6)"


def test_the_free_answer_loses_nothing() -> None:
    mechanism = free_mechanism(3, "1/10")
    assert ApproximateDifferentialPrivacy("1/10").loss(mechanism).value == 0
    assert str(mechanism.distortion(Hamming(), Prior(["1/2", "3/10", "1/5"])).value) == "9/20"


def test_subset_response_is_the_best_for_its_level() -> None:
    law = ["1/2", "3/10", "1/5"]
    best = Frontier("dp", law, "hamming").distortion_at(loss="log(3)").interval.upper
    assert subset_response(law, 3).distortion(Hamming(), Prior(law)).value == best.rational
    with pytest.raises(InvalidInput, match="sort"):
        subset_response(["1/5", "4/5"], 3)


def test_the_ball_leaks_least() -> None:
    for distortion in ("1/4", "1/2", "3/4"):
        ball, even = ball_mechanism(2, 2, distortion), symmetric_mechanism(2, 2, distortion)
        assert str(ball.mean_distance) == distortion
        best = Frontier("leakage", Prior.uniform_on(4), "hamming", Databases(2, 2)).loss_at(distortion)
        assert MaximalLeakage().loss(ball).value == pytest.approx(best.upper, abs=1e-9)
        assert MaximalLeakage().loss(ball).value <= MaximalLeakage().loss(even).value
    with pytest.raises(InvalidInput, match="nothing need be lost"):
        ball_mechanism(2, 2, 2)


def test_levels_of_a_prior_are_those_of_their_definitions(tmp_path: Path) -> None:
    prior = ["0.4", "0.3", "0.2", "0.1"]
    neighbours = [(0, 1), (0, 2), (1, 3), (2, 3)]
    law = [0.4, 0.3, 0.2, 0.1]
    worst = max(abs(math.log(law[a] / law[b])) for a, b in neighbours)
    assert float(prior_level(prior, 2, 2)) == pytest.approx(worst, rel=1e-15)
    level = feasible_level(prior, 2, 2)
    assert min(output_law(prior, Real.exp(level.upper).above(), 2, 2)) >= 0
    assert min(output_law(prior, Real.exp(level.lower).below() - Rational(1, 1000), 2, 2)) < 0
    assert sum(output_law(prior, 20, 2, 2)) == 1
    assert str(response_level(response_distortion(7, 3, 2), 3, 2)) == "log(7)"
    table = tmp_path / "ratings.csv"
    table.write_text("rating,town\n5,A\n3,B\n5,A\n4,A\n", encoding="utf-8")
    counted = histogram(table, "rating")
    assert counted.labels == ("3", "4", "5")
    assert str(prior_level(counted, 3)) == "log(2)"
    with pytest.raises(InvalidInput, match="name one of them"):
        histogram(table, "age")
    with pytest.raises(InvalidInput, match="lexicographic"):
        prior_level(["1/2", "1/2"], 2, 2)


@pytest.mark.parametrize(
    ("first", "second"), [("1/4", "1/4"), ("1/10", "2/5"), ("7/10", "4/5"), ("0", "1/3"), ("1", "1")]
)
def test_the_capacity_of_a_binary_channel(first: str, second: str) -> None:
    a, b = rational(first), rational(second)
    channel = Mechanism([[1 - a, a], [b, 1 - b]])
    value = binary_asymmetric_capacity(first, second)
    assert float(value) == pytest.approx(Capacity().loss(channel).value, abs=1e-10)
    assert binary_asymmetric_capacity("1/3", "2/3").rational == 0


def test_bounds_for_any_prior_hold_the_least_loss() -> None:
    source = Finite([["4/10", "3/10", "2/10", "1/10"], ["1/4", "1/4", "1/4", "1/4"]])
    for notion, name in ((DifferentialPrivacy(), "dp"), (MaximalLeakage(), "leakage")):
        for distortion in ("1/5", "1/2"):
            bounds = any_prior_bounds(notion, source, 2, 2, distortion)
            best = Frontier(name, source, "hamming", Databases(2, 2)).loss_at(distortion)
            assert bounds.lower.lower <= best.upper + 1e-12
            assert best.lower <= bounds.upper.upper + 1e-12
    assert str(evenness(Hull([["9/10", "1/10"], ["6/10", "4/10"]]))) == "4/5"


def test_baselines_keep_their_level() -> None:
    for mechanism in (truncated_geometric(Graph.line(4), "log(2)"), equation_six(Graph.ring(5), "log(2)")):
        assert DifferentialPrivacy().loss(mechanism).value <= math.log(2) + 1e-12


def test_noise_with_a_covariance_is_that_of_its_own_units() -> None:
    covariance, differences = np.array([[2.0, 0.5], [0.5, 1.0]]), np.array([[1.0, 1.0], [2.0, -1.0]])
    noise = CovariantGaussian([["2", "1/2"], ["1/2", "1"]], [[1, 1], [2, -1]])
    squares = [float(d @ np.linalg.inv(covariance) @ d) for d in differences]
    assert noise.loss(GaussianDifferentialPrivacy()).value == pytest.approx(math.sqrt(max(squares)), rel=1e-12)
    plain = CovariantGaussian([[4, 0], [0, 4]], [[0, 1]])
    target = ApproximateDifferentialPrivacy("1/100")
    assert plain.loss(target).value == gaussian_loss(Gaussian(2, sensitivity=1), target).value
    kept = noise.calibrated(GaussianDifferentialPrivacy(), "1/2").loss(GaussianDifferentialPrivacy())
    assert 0.5 - 1e-9 <= kept.value <= 0.5
    inputs = np.array([[1.0, 0.2], [0.2, 3.0]])
    expected = 0.5 * math.log(np.linalg.det(np.eye(2) + np.linalg.inv(covariance) @ inputs))
    assert float(noise.information([[1, "1/5"], ["1/5", 3]])) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("covariance", "differences", "sentence"),
    [
        ([[1, 2], [2, 1]], [[1, 0]], "positive definite"),
        ([[1, 0], [1, 1]], [[1, 0]], "symmetric"),
        ([[1, 0], [0, 1]], [[1, 0, 0]], "make them agree"),
    ],
)
def test_noise_that_is_none_is_refused(covariance: Any, differences: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        CovariantGaussian(covariance, differences)


@pytest.mark.parametrize(
    "inputs", [[[10, 0], [0, "-1/2"]], [[0, 1], [1, 10]], [[1, 2], [2, 1]], [[1, 1, 0], [1, 1, 1], [0, 1, 9]]]
)
def test_inputs_that_vary_less_than_nothing_in_a_direction_are_refused(inputs: Any) -> None:
    size = len(inputs)
    noise = CovariantGaussian([[int(i == j) for j in range(size)] for i in range(size)], [[1] * size])
    with pytest.raises(InvalidInput, match="negative direction"):
        noise.information(inputs)
    assert float(noise.information([[1] * size] * size)) == pytest.approx(math.log(1 + size) / 2, rel=1e-12)


def test_they_take_ordinary_numbers_and_refuse_others_in_a_sentence() -> None:
    assert str(prior_level([0.6, 0.3, 0.1])) == str(prior_level(["6/10", "3/10", "1/10"], 3)) == "log(6)"
    assert str(feasible_level([0.6, 0.3, 0.1]).upper) == str(feasible_level(Prior([0.6, 0.3, 0.1]), 3).upper)
    assert output_law([0.55, 0.45], 4) == output_law(["11/20", "9/20"], "4", 2)
    assert evenness([0.75, 0.25]) == Rational(1, 2)
    named = any_prior_bounds("leakage", [0.25] * 4, 2, 2, 0.5)
    same = any_prior_bounds(MaximalLeakage(), Prior.uniform_on(4), 2, 2, "1/2")
    assert (str(named.lower), str(named.upper)) == (str(same.lower), str(same.upper))
    assert subset_distortion([0.7, 0.2, 0.1], 2, 2) == Rational(2, 5)
    wrong: Any = "a"
    for make, said in (
        (lambda: prior_level([0.7, 0.8]), "sums to 1.5"),
        (lambda: prior_level([0.25] * 4, rows=2), "give `letters`"),
        (lambda: prior_level([0.25] * 4, 3, 2), "9 databases"),
        (lambda: response_distortion("1/2", 2), "at least 1"),
        (lambda: response_distortion(2, 1), "number of categories"),
        (lambda: response_level("1/4", 1), "number of categories"),
        (lambda: subset_response([0.8, 0.7], 2), "sums to 1.5"),
        (lambda: subset_distortion([0.7, 0.3], 2, 0), "active categories"),
        (lambda: free_mechanism(wrong, "1/2"), "number of categories"),
        (lambda: symmetric_mechanism(wrong, 2, "1/2"), "number of categories"),
        (lambda: ball_mechanism(2, 2, wrong), "is not a number"),
    ):
        with pytest.raises(InvalidInput, match=said):
            make()
