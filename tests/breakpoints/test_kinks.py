"""Kinks of functions that are known by their values: all of them, in their places, and none where there is none."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.breakpoints.kinks import Bend, Value, bends


def found(function: Callable[[float], float], high: float, error: float = 1e-15) -> list[Bend]:
    return bends(lambda t: Value(function(t), error), 0.0, high)


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
        # Singular at the end of the range.
        math.sqrt,
        lambda t: t * math.log(t) if t > 0 else 0.0,
        # Turns, within a hundredth.
        lambda t: math.hypot(t - 0.3, 0.01),
    ],
)
@pytest.mark.parametrize("high", [0.01, 1.0, 24.0])
def test_smooth_functions_have_none(smooth: Callable[[float], float], high: float) -> None:
    assert found(smooth, high) == []


@settings(deadline=None, max_examples=25)
@given(
    places=st.lists(st.integers(1, 99), min_size=1, max_size=4, unique=True),
    slopes=st.lists(st.floats(1e-3, 1) | st.floats(-0.2, -1e-3), min_size=4, max_size=4),
    high=st.floats(0.5, 10),
)
def test_every_kink_is_found_in_its_place(places: list[int], slopes: list[float], high: float) -> None:
    kinks = [(high * place / 100, slope) for place, slope in zip(sorted(places), slopes, strict=False)]
    places_found = [bend.place for bend in found(bent(kinks), high)]
    assert places_found == pytest.approx([place for place, _ in kinks], abs=1e-8 * high)


@pytest.mark.parametrize("share", [1 / 2, 1 / 3, 1 / 4, 1 / 16, 3 / 32, 1 / 31])
def test_a_kink_at_a_simple_fraction_of_the_range_is_seen(share: float) -> None:
    high = math.log(4)
    (kink,) = found(bent([(share * high, 0.1)]), high)
    assert kink.place == pytest.approx(share * high, abs=1e-9)


def test_two_kinks_next_to_each_other_are_told_apart() -> None:
    kinks = [(1.0, 0.1), (1.0005, 0.2)]
    assert [bend.place for bend in found(bent(kinks), 2.0)] == pytest.approx([1.0, 1.0005], abs=1e-7)


@pytest.mark.parametrize("noise", [1e-9, 1e-7])
@pytest.mark.parametrize(
    "turn",
    [
        lambda t: 0.5 * max(0.0, t - 0.7),
        lambda t: 0.05 * max(0.0, t - 0.7),
        lambda t: 0.003 * max(0.0, t - 0.7),
        lambda t: max(0.0, t - 0.7) ** 2,
        lambda t: 0.1 * max(0.0, t - 0.7) ** 2,
    ],
    ids=["slope by half", "by a twentieth", "by three thousandths", "curvature", "a little curvature"],
)
def test_errors_of_the_values_are_no_turns_and_blur_the_place_as_said(
    turn: Callable[[float], float], noise: float
) -> None:
    errors = random.Random(7)
    known: dict[float, float] = {}

    def rough(t: float) -> float:
        return known.setdefault(t, bent([])(t) + turn(t) + errors.uniform(-noise, noise))

    (kink,) = found(rough, 3.0, noise)
    assert abs(kink.place - 0.7) < kink.tolerance < 1e-2


def test_values_that_are_not_known_hide_only_what_is_there() -> None:
    def gap(t: float) -> Value | None:
        return None if 0.4 < t < 0.41 else Value(bent([(0.7, 0.05)])(t), 1e-15)

    (kink,) = bends(gap, 0.0, 3.0)
    assert kink.place == pytest.approx(0.7, abs=1e-9)
