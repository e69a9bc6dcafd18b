"""Kinks of functions that are known by their values: all of them, in their places, and none where there is none."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.breakpoints.bends import bends

EXACT = 1e-15


def bent(kinks: list[tuple[float, float]]) -> Callable[[float], float]:
    """A smooth falling function with slopes added from given places on."""
    return lambda t: math.exp(-t) + 1 / (3 + t) + sum(slope * max(0.0, t - place) for place, slope in kinks)


@pytest.mark.parametrize(
    "smooth",
    [
        lambda t: math.exp(-t),
        lambda t: 1 / (1 + math.exp(t)),
        lambda t: 0.3,
        lambda t: 2 - t,
        lambda t: (5 - 2 * math.exp(-t)) / (1 + 4 * math.exp(t)),
        lambda t: 1 / (0.05 + t * t),
    ],
)
@pytest.mark.parametrize("high", [0.01, 1.0, 24.0])
def test_smooth_functions_have_none(smooth: Callable[[float], float], high: float) -> None:
    assert bends(smooth, 0.0, high, EXACT) == []


@settings(deadline=None, max_examples=60)
@given(
    places=st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
    slopes=st.lists(st.floats(1e-3, 1) | st.floats(-0.2, -1e-3), min_size=4, max_size=4),
    high=st.floats(0.5, 10),
)
def test_every_kink_is_found_in_its_place(places: list[int], slopes: list[float], high: float) -> None:
    kinks = [(high * place / 100, slope) for place, slope in zip(sorted(places), slopes, strict=False)]
    found = bends(bent(kinks), 0.0, high, EXACT)
    assert [bend.place for bend in found] == pytest.approx([place for place, _ in kinks], abs=1e-8 * high)
    for bend, (place, _) in zip(found, kinks, strict=True):
        assert bend.value == pytest.approx(bent(kinks)(place), abs=1e-8)


@pytest.mark.parametrize("share", [1 / 2, 1 / 3, 1 / 4, 1 / 16, 3 / 32, 1 / 31])
def test_a_kink_at_a_simple_fraction_of_the_range_is_seen(share: float) -> None:
    high = math.log(4)
    (found,) = bends(bent([(share * high, 0.1)]), 0.0, high, EXACT)
    assert found.place == pytest.approx(share * high, abs=1e-9)


def test_two_kinks_next_to_each_other_are_told_apart() -> None:
    kinks = [(1.0, 0.1), (1.0005, 0.2)]
    assert [bend.place for bend in bends(bent(kinks), 0.0, 2.0, EXACT)] == pytest.approx([1.0, 1.0005], abs=1e-7)


def test_errors_of_the_values_are_no_kinks() -> None:
    errors = random.Random(7)
    noise = 1e-9
    known: dict[float, float] = {}

    def rough(t: float) -> float:
        return known.setdefault(t, bent([(0.7, 0.05)])(t) + errors.uniform(-noise, noise))

    (found,) = bends(rough, 0.0, 3.0, noise)
    assert found.place == pytest.approx(0.7, abs=1e-5)


def test_values_that_are_not_known_hide_only_what_is_there() -> None:
    def gap(t: float) -> float | None:
        return None if 0.4 < t < 0.41 else bent([(0.7, 0.05)])(t)

    (found,) = bends(gap, 0.0, 3.0, EXACT)
    assert found.place == pytest.approx(0.7, abs=1e-9)


def test_the_share_tells_how_strong_a_kink_is() -> None:
    (found,) = bends(lambda t: max(1 - t, (1 - t) / 2), 0.0, 3.0, EXACT)
    assert (found.place, found.value, found.share) == pytest.approx((1.0, 0.0, 0.5), abs=1e-9)
