"""The search for the level against functions whose level is known, and how few values it asks for."""

import math
from collections.abc import Callable

import pytest

from epstar.solve.program.level import LARGEST_LEVEL, LevelSearch

Curve = Callable[[float], tuple[float, float]]


def response(level: float) -> tuple[float, float]:
    """Randomised response between two inputs: its error and how fast it falls."""
    error = 1 / (1 + math.exp(level))
    return error, error * (1 - error)


def searched(curve: Curve, least: float, allowed: float) -> tuple[LevelSearch, int]:
    search, asked = LevelSearch(least, allowed), 0
    while not search.is_done and asked < 100:
        search.tell(*curve(search.level))
        asked += 1
    return search, asked


@pytest.mark.parametrize("level", [1e-6, 0.04, 0.7, 1.0, 3.0, 20.0])
def test_the_level_of_randomised_response(level: float) -> None:
    search, asked = searched(response, 0.0, response(level)[0])
    assert search.level == pytest.approx(level, rel=1e-9, abs=1e-12)
    assert response(search.level)[0] <= search.allowed
    assert asked <= 9


def test_a_pure_exponential_takes_one_step() -> None:
    search, asked = searched(lambda level: (math.exp(-level), math.exp(-level)), 0.0, 0.1)
    assert search.level == pytest.approx(math.log(10), abs=1e-11)
    assert asked == 2


def test_a_kink_beyond_which_nothing_is_gained() -> None:
    """Above the root the slope says nothing about it; below, the tangent ends at it."""
    search, asked = searched(lambda level: (max(10 - level, 8.0), float(level < 2)), 0.0, 8.0)
    assert search.low < 2 < search.high
    assert search.high - search.low < 1e-11
    assert asked <= 8


def test_a_level_below_which_there_is_no_mechanism() -> None:
    search, _ = searched(lambda level: (math.inf if level < 3 else math.exp(-level), math.exp(-level)), 0.0, 1.0)
    assert search.low < 3 <= search.high < 3 + 1e-10


def test_a_steeper_piece_behind_a_kink() -> None:
    search, asked = searched(
        lambda level: (10 - level / 10, 0.1) if level < 5 else (9.5 - 3 * (level - 5), 3.0), 0.0, 9.4
    )
    assert search.level == pytest.approx(5 + 1 / 30, abs=1e-10)
    assert asked <= 20


def test_what_no_level_reaches_ends_at_the_largest() -> None:
    search, _ = searched(lambda level: (1.0, 0.0), 0.0, 0.5)
    assert search.is_done
    assert search.low == LARGEST_LEVEL
    assert math.isinf(search.high)
