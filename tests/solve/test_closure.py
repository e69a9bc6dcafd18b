"""Ratio bounds between rows that are far apart: mechanisms and multipliers that floats alone leave wrong."""

import json

import numpy as np
import pytest
from tests.proofs.cases import interval_of_the_second
from tests.proofs.schema_one import write_proof

from epstar.distortion import Absolute
from epstar.exact import Number
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.solve.program.ratios import Ratios
from epstar.source import Prior
from epstar.universe import Graph


def path(size: int, ratio: float) -> Ratios:
    steps = np.arange(size - 1)
    first, second = np.concatenate([steps, steps + 1]), np.concatenate([steps + 1, steps])
    return Ratios(size, first, second, np.full(first.size, ratio), np.zeros((first.size, 1)))


def worth(rows: Ratios, multipliers: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """Return what entries are worth with multipliers, from what they are worth without."""
    values = bare.copy()
    np.add.at(values, rows.first, multipliers)
    np.subtract.at(values, rows.second, rows.ratios[:, None] * multipliers)
    return values


def test_a_mechanism_keeps_to_its_ratios_far_below_what_a_solver_calls_zero() -> None:
    size, ratio = 60, np.e
    rows = path(size, ratio)
    true = np.exp(-np.abs(np.subtract.outer(np.arange(size), np.arange(size))) * 0.5)
    true /= true.sum(axis=1, keepdims=True)
    seen = np.where(true < 1e-10, 0.0, true) + np.random.default_rng(0).uniform(0, 1e-12, true.shape)
    kept = rows.kept_by(seen)
    assert kept is not None
    assert np.allclose(kept.sum(axis=1), 1.0, rtol=0, atol=1e-14)
    assert (kept[rows.first] <= ratio * kept[rows.second]).all()
    assert np.abs(kept - true).max() < 1e-7


def test_no_mechanism_is_made_where_constant_answers_break_a_bound() -> None:
    rows = Ratios(2, np.array([0, 1]), np.array([1, 0]), np.array([0.5, 4.0]), np.zeros((2, 2)))
    assert rows.kept_by(np.full((2, 2), 0.5)) is None
    assert (rows.balanced(np.zeros((2, 2)), np.full((2, 2), -1.0)) == 0).all()


def test_rows_without_room_between_them_are_made_equal() -> None:
    rows = Ratios(3, np.array([0, 1, 2]), np.array([1, 2, 1]), np.array([1.0, 5.0, 5.0]), np.zeros((3, 2)))
    kept = rows.kept_by(np.array([[0.5, 0.5], [0.5 + 1e-10, 0.5 - 1e-10], [0.8, 0.2]]))
    assert kept is not None
    assert (kept[0] == kept[1]).all()
    assert kept[2] == pytest.approx([0.8, 0.2], abs=1e-9)


def test_a_slack_is_left_to_the_outputs_that_have_it() -> None:
    slacks = np.array([[0.1, 0.0, 0.0], [0.0, 0.0, 0.0]])
    rows = Ratios(2, np.array([0, 1]), np.array([1, 0]), np.full(2, 1e6), slacks)
    kept = rows.kept_by(np.array([[0.1, 0.4, 0.5], [0.0, 0.0, 1.0]]))
    assert kept is not None
    assert (kept[0] <= 1e6 * kept[1] + slacks[0]).all()
    assert 0 < kept[1, 1] < 1e-6
    assert kept[1, 0] < 1e-12


def test_what_an_entry_lacks_it_takes_back() -> None:
    rows = path(5, 3.0)
    multipliers = np.zeros((rows.first.size, 1))
    multipliers[1] = 0.5
    bare = np.array([1.0, 0.0, 0.0, 0.0, 1.0])[:, None]
    values = worth(rows, multipliers, bare)
    # Floats were wrong about the third entry, and by less than its neighbours can make up for.
    bare[:, 0] += np.maximum(-values[:, 0], 0.0)
    bare[2] -= 1e-6
    values = worth(rows, multipliers, bare)
    assert values.min() < -9e-7
    balanced = rows.balanced(multipliers, values)
    assert (balanced >= 0).all()
    assert worth(rows, balanced, bare).min() >= -1e-15


def test_what_nobody_has_to_spare_is_left() -> None:
    rows = path(3, 2.0)
    bare = np.array([0.1, -1.0, 0.1])[:, None]
    assert (rows.balanced(np.zeros((4, 1)), bare) == 0).all()


@pytest.mark.parametrize(("asks", "given"), [("distortion", 1), ("distortion", "1/5"), ("loss", 1)])
def test_counts_are_answered_narrowly_on_a_long_path(asks: str, given: Number) -> None:
    # The loss was left open by 5, the distortion by 9e-5 on a hundred nodes, and took minutes on fifty.
    size = 40
    weights = np.random.default_rng(1).integers(20, 120, size).tolist()
    prior = Prior([f"{weight}/{sum(weights)}" for weight in weights])
    frontier = Frontier(
        DifferentialPrivacy(), prior, Absolute(), Graph(range(size), [(i, i + 1) for i in range(size - 1)])
    )
    answer = frontier.loss_at(given) if asks == "loss" else frontier.distortion_at(given)
    assert answer.interval.width <= 1e-9
    again = interval_of_the_second(json.loads(json.dumps(write_proof(answer.proof))))
    assert again.lower.lower == pytest.approx(float(answer.lower), abs=1e-9)
    assert again.upper.upper == pytest.approx(float(answer.upper), abs=1e-9)
