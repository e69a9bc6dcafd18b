"""Questions that leave a solver no room, or ask it for numbers that it does not hold: each has a proven answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.wider.test_numbers import accepted

from epstar.solve.wider.curved import Curved
from epstar.solve.wider.program import Program

SOURCE = {"schema": "epstar/problem/2", "universe": {"size": 3}, "source": {"prior": ["1/4", "1/8", "5/8"]}}
FIVE = {
    "schema": "epstar/problem/2",
    "universe": {"size": 5},
    "source": {"prior": ["5/22", "5/22", "5/22", "3/22", "2/11"]},
}
FIXED: dict[str, Any] = {
    "schema": "epstar/problem/2",
    "universe": {"size": 4},
    "source": {"prior": ["9/26", "4/13", "2/13", "5/26"]},
    "notion": {"name": "renyi_differential_privacy", "order": "2"},
    "also": [
        {"notion": {"name": "maximal_information"}, "loss": "3/5"},
        {"notion": {"name": "renyi_differential_privacy", "order": "2"}, "loss": "1"},
    ],
    "mechanism": {
        "lower": [["1/5", "1/5", "2/5", "1/5"], *[["0"] * 4] * 3],
        "upper": [["1/5", "1/5", "2/5", "1/5"], *[["1"] * 4] * 3],
    },
    "distortion": {"matrix": [[3, 1, 6, 3], [2, 0, 2, 2], [4, 1, 0, 2], [3, 0, 1, 0]]},
}
ALLOWED = ("111011", "111111", "101110", "011010", "001110")
# What is allowed beside a growth falls like the level to the power of its inverse square.
FAINT: tuple[tuple[dict[str, Any], float], ...] = (
    (
        {
            **SOURCE,
            "also": [{"notion": {"name": "renyi_differential_privacy", "order": "2"}, "loss": "1/4"}],
            "distortion": {"matrix": [[1, 1, 6], [2, 0, 1], [6, 0, 0]]},
            "at": {"distortion": "0.2535"},
        },
        0.0,
    ),
    (
        {
            **FIVE,
            "secret": {"of": ["0", "2", "2", "1", "1"]},
            "also": [{"notion": {"name": "mutual_information"}, "loss": "3/10"}],
            "distortion": {"matrix": [[2, 2, 2, 3], [2, 2, 2, 2], [2, 2, 3, 0], [3, 4, 3, 0], [8, 2, 6, 3]]},
            "at": {"distortion": "1.36556191798"},
        },
        0.231476194,
    ),
)


@pytest.mark.parametrize(("document", "least"), FAINT)
def test_slacks_that_no_number_holds_are_none(document: dict[str, Any], least: float) -> None:
    found = accepted({**document, "notion": {"name": "gaussian_differential_privacy"}})
    assert found.lower - 1e-8 <= least <= found.upper + 1e-8
    assert found.upper - found.lower <= 1e-7


def test_bounds_that_fix_a_row_leave_the_others_room() -> None:
    """A lower bound on an entry and an upper one that are the same are an equation to a solver."""
    found = accepted({**FIXED, "at": {"loss": "1/8"}})
    # An independent program says 1.99265937663.
    assert found.lower - 1e-10 <= 1.99265937663 <= found.upper + 1e-10
    assert found.upper - found.lower <= 1e-9


def test_zeros_that_one_guarantee_says_and_another_implies_are_proven() -> None:
    """A Gaussian guarantee says so in the limit alone, and a Rényi divergence of order two does in so many words."""
    row, free = ["0", "3/7", "4/7"], [[value] * 3 for value in "01"]
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 4},
            "source": {"prior": ["1/11", "3/11", "7/22", "7/22"]},
            "secret": {"of": ["1", "2", "0", "2"]},
            "notion": {"name": "gaussian_differential_privacy"},
            "also": [{"notion": {"name": "renyi_differential_privacy", "order": "2"}, "loss": "1/8"}],
            "mechanism": {"lower": [row, *[free[0]] * 3], "upper": [row, *[free[1]] * 3]},
            "distortion": {"matrix": [[0, 1, 6], [1, 0, 1], [4, 3, 0], [6, 2, 3]]},
            "at": {"loss": "4/5"},
        }
    )
    # An independent program says 1.57965475424.
    assert found.lower - 1e-10 <= 1.57965475424 <= found.upper + 1e-10
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize("more", ["1/8", "1/2"])
def test_a_guarantee_twice_is_the_smaller_one(more: str) -> None:
    order = {"name": "renyi_differential_privacy", "order": "2"}
    document = {
        "schema": "epstar/problem/2",
        "universe": {"size": 4},
        "source": {"prior": ["8/17", "7/17", "1/17", "1/17"]},
        "notion": {"name": "gaussian_differential_privacy"},
        "distortion": {"matrix": [[0, 2, 2, 0], [3, 0, 3, 2], [4, 3, 0, 1], [9, 6, 3, 0]]},
        "at": {"loss": "4/5"},
    }
    once = accepted({**document, "also": [{"notion": order, "loss": "1/8"}]})
    twice = accepted({**document, "also": [{"notion": order, "loss": "1/8"}, {"notion": order, "loss": more}]})
    assert abs(once.lower - twice.lower) <= 1e-9
    assert abs(once.upper - twice.upper) <= 1e-9
    assert twice.upper - twice.lower <= 1e-9


def test_transitions_that_are_missing_leave_tails_that_no_float_holds() -> None:
    """Next to an output that one input never gives, thresholds are so high that hardly anything is allowed beside."""
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 5},
            "source": {"prior": ["9/26", "9/26", "2/13", "1/26", "3/26"]},
            "notion": {"name": "gaussian_differential_privacy"},
            "mechanism": {"allowed": [[entry == "1" for entry in row] for row in ALLOWED]},
            "distortion": {
                "matrix": [
                    [0, 3, 0, 1, 8, 5],
                    [2, 0, 1, 6, 9, 4],
                    [1, 1, 0, 2, 4, 0],
                    [1, 0, 3, 0, 3, 2],
                    [8, 0, 1, 1, 0, 1],
                ]
            },
            "at": {"loss": "4/5"},
        }
    )
    # An independent program says 0.57692303781.
    assert found.lower - 1e-10 <= 0.57692303781 <= found.upper + 1e-10
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize(
    ("asked", "told"), [({"loss": "1/5"}, 1.8604615347735), ({"distortion": "1.88"}, 0.0143291827)]
)
def test_an_output_that_others_would_have_to_give_too_often_is_given_by_none(
    asked: dict[str, str], told: float
) -> None:
    """One input never gives an output, whose share of the mean is then too small for what all others give it."""
    row, free = ["0", "2/7", "3/14", "1/7", "5/14"], [[value] * 5 for value in "01"]
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 5},
            "source": {"prior": ["7/41", "9/41", "9/41", "9/41", "7/41"]},
            "notion": {"name": "capacity"},
            "also": [{"notion": {"name": "maximal_information"}, "loss": "3/20"}],
            "mechanism": {
                "lower": [*[free[0]] * 3, row, free[0]],
                "upper": [*[free[1]] * 3, row, free[1]],
            },
            "distortion": {
                "matrix": [
                    [0, 1, 1, 3, 4],
                    [1, 0, 1, 4, 1],
                    [0, 3, 1, 0, 4],
                    [6, 4, 3, 0, 1],
                    [8, 3, 4, 2, 1],
                ]
            },
            "at": asked,
        }
    )
    assert found.mechanism is not None
    assert all(found.mechanism.dense().rows[x][0] == 0 for x in range(5))
    assert found.lower - 1e-9 <= told <= found.upper + 1e-9
    assert found.upper - found.lower <= 1e-9


@pytest.mark.parametrize(("asked", "least"), [({"loss": "1/8"}, 9 / 26), ({"distortion": "6/5"}, 0.0)])
def test_a_solver_that_gives_up_leaves_what_is_known_without_it(
    asked: dict[str, str], least: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That is what the cheapest answers cost, and that no loss is negative; both checkers accept either."""

    def broken(program: Program, _: object) -> Curved:
        return Curved(np.full(len(program.lower), np.nan), {}, math.nan, False, "broke down")

    monkeypatch.setattr("epstar.solve.wider.program.solve_curved", broken)
    found = accepted({**FIXED, "at": asked})
    assert found.mechanism is None
    assert found.upper == math.inf
    assert found.lower == pytest.approx(least, abs=1e-12)


LEAST: tuple[dict[str, Any], ...] = (
    {
        "schema": "epstar/problem/2",
        "universe": {"size": 4},
        "source": {"prior": ["3/17", "1/17", "5/17", "8/17"]},
        "secret": {"of": ["1", "0", "2", "0"]},
        "notion": {"name": "g_leakage", "gain": [[5, 1, 3], [1, 0, 3], [4, 2, 0]]},
        "distortion": {"matrix": [[0, 2, 1, 9], [1, 9, 2, 6], [3, 2, 0, 0], [9, 2, 2, 0]]},
        "mechanism": {"lower": "1/50", "upper": "7/10"},
        "also": [{"notion": {"name": "renyi_differential_privacy", "order": "2"}, "loss": "1/4"}],
        "at": {"distortion": "1.15318"},
    },
    {
        "schema": "epstar/problem/2",
        "universe": {"size": 3},
        "source": {"prior": ["4/21", "3/7", "8/21"]},
        "notion": {"name": "g_leakage", "gain": [[5, 4, 4], [2, 1, 1], [2, 2, 0]]},
        "distortion": {"matrix": [[3, 2, 2, 0, 3], [1, 3, 2, 4, 6], [4, 2, 0, 2, 2]]},
        "mechanism": {"unbiased": {"inputs": [0, 1, 2], "outputs": [-9, 0, 1, 2, 12]}},
        "also": [{"notion": {"name": "sibson_mutual_information", "order": "2"}, "loss": "1/8"}],
        "at": {"distortion": "1.31868"},
    },
    {
        # An output that is never given leaves no room, and need not.
        **FIVE,
        "notion": {"name": "g_leakage", "gain": [[5, 1, 1], [2, 2, 2], [3, 4, 2], [0, 1, 0], [4, 1, 4]]},
        "distortion": {
            "matrix": [[0, 3, 2, 6, 4], [2, 0, 1, 2, 9], [4, 3, 0, 1, 6], [6, 2, 3, 0, 3], [12, 3, 2, 2, 0]]
        },
        "mechanism": {"allowed": [[True, True, True, False, True]] * 5},
        "also": [{"notion": {"name": "mutual_information"}, "loss": "3/10"}],
        "at": {"distortion": "1.5"},
    },
)


@pytest.mark.parametrize("document", LEAST)
def test_nothing_is_lost_where_the_best_guess_stays_the_best(document: dict[str, Any]) -> None:
    """Then a sum of maxima is as small as can be, which leaves it no room, and its parts some."""
    found = accepted(document)
    assert found.mechanism is not None
    assert (found.lower, found.upper) == (0, 0)


def test_what_equal_rows_are_broken_by_is_rounding() -> None:
    """A guarantee of no loss is kept with equality by any mechanism, and no share of another makes up for an error."""
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 3},
            "source": {"prior": ["7/15", "1/3", "1/5"]},
            "secret": {"given": [["1/2", "2/5", "1/10"], ["1/2", "2/5", "1/10"], ["1/12", "5/12", "1/2"]]},
            "notion": {"name": "renyi_differential_privacy", "order": "5/4"},
            "distortion": {"matrix": [[0, 3, 6], [1, 0, 1], [1, 2, 3]]},
            "also": [{"notion": {"name": "renyi_differential_privacy", "order": "2"}, "loss": "0"}],
            "at": {"loss": "1/4"},
        }
    )
    # An independent program says 0.28333 to four digits.
    assert found.lower - 1e-10 <= 17 / 60 <= found.upper + 1e-10
    assert found.upper - found.lower <= 1e-9


def test_the_flatter_a_bound_the_more_of_a_level_rounding_takes() -> None:
    """Orders below one bound a sum that hardly changes with a large loss: multiples left room, and the answer none."""
    gone = [[y != 5 for y in range(6)] for _ in range(6)]
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 6},
            "source": {"prior": ["8/32", "4/32", "5/32", "7/32", "2/32", "6/32"]},
            "notion": {"name": "renyi_differential_privacy", "order": "1/2"},
            "distortion": {
                "matrix": [
                    [0, 3, 4, 9, 12, 15],
                    [1, 0, 2, 6, 3, 12],
                    [6, 2, 0, 1, 4, 3],
                    [3, 4, 3, 0, 3, 4],
                    [4, 3, 4, 3, 0, 2],
                    [5, 12, 9, 6, 1, 0],
                ]
            },
            "secret": {"of": ["0", "1", "2", "3", "4", "0"]},
            "mechanism": {"allowed": gone},
            "at": {"distortion": "0.19075"},
        }
    )
    # At losses of 6 and 7 the least distortion is 0.1923 and 0.1893.
    assert 6 < found.lower <= found.upper < 7
    assert found.upper - found.lower <= 1e-8


def test_next_to_the_least_level_that_is_possible_proofs_tell_what_floats_do_not() -> None:
    """A solver takes levels for enough that lack a hundred-thousandth: the least loss was left 1e-5 wide."""
    found = accepted(
        {
            "schema": "epstar/problem/2",
            "universe": {"size": 4},
            "source": {"prior": ["6/19", "3/19", "2/19", "8/19"]},
            "notion": {"name": "identifiability"},
            "also": [{"notion": {"name": "maximal_leakage"}, "loss": "3/10"}],
            "mechanism": {"allowed": [[True, True, True, False]] * 4},
            "distortion": {"matrix": [[0, 3, 2, 9], [3, 0, 2, 4], [6, 1, 0, 2], [3, 2, 3, 0]]},
            "at": {"distortion": "1.94671"},
        }
    )
    # The likeliest input is four times as likely as the least likely one, whatever the mechanism.
    assert found.lower <= math.log(4) <= found.upper
    assert found.upper - found.lower <= 1e-7
