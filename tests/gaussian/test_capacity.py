"""The capacity over a ball: another quadrature, bounds at all radii, laws that are not the best, time limits."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from epstar.errors import InvalidInput
from epstar.exact import Ball, ComplexBall, Rational, Real, working_precision
from epstar.gaussian import Gaussian, ball_capacity
from epstar.gaussian.active_set import best_spheres
from epstar.gaussian.capacity_bounds import SphereBounds, Spheres
from epstar.gaussian.optimality_conditions import Output, stationary
from epstar.gaussian.radial_quadrature import kernel


def divergence(spheres: Spheres, rho: float) -> float:
    """K(rho) as a cross entropy minus that of the noise, by a plain sum over a fine grid of lengths of the output."""
    half = spheres.dimension / 2
    radius = float(spheres.radius)
    s = np.linspace(1e-12, radius + math.sqrt(spheres.dimension) + 14, 60_001)

    def log_density(place: float) -> np.ndarray:
        t = np.maximum(place * s, 1e-12)
        bessel = np.log(special.ive(half - 1, t)) + t - (half - 1) * np.log(t / 2) + math.lgamma(half)
        noise = (1 - half) * math.log(2) - math.lgamma(half) + (spheres.dimension - 1) * np.log(s) - s**2 / 2
        return np.asarray(noise + bessel - place**2 / 2)

    law = [(float(Real.of(p)) * radius, float(Real.of(w))) for p, w in zip(spheres.parts, spheres.weights, strict=True)]
    logs = np.array([math.log(w) + log_density(r) for r, w in law])
    top = logs.max(axis=0)
    output = top + np.log(np.exp(logs - top).sum(axis=0))
    # The density of the vector is that of its length over the area of a sphere.
    area = math.log(2) + half * math.log(math.pi) - math.lgamma(half) + (spheres.dimension - 1) * np.log(s)
    cross_entropy = float(np.trapezoid(np.exp(log_density(rho)) * (area - output), s))
    return cross_entropy - half * math.log(2 * math.pi * math.e)


def largest_divergence(spheres: Spheres, bits: int = 64) -> Ball:
    bounds = SphereBounds(spheres, bits=bits)
    return bounds.upper(bounds.lower())[0]


TWO = Spheres(3, Real.of(4), (Rational(1, 3), Rational(1)), (Rational(1, 5), Rational(4, 5)))


@pytest.mark.parametrize("dimension", [1, 2, 3, 10, 30])
@pytest.mark.parametrize("part", ["0", "1/4", "9/10", "1"])
def test_divergences_are_their_definition(dimension: int, part: str) -> None:
    spheres = Spheres(dimension, Real.of(4), TWO.parts, TWO.weights)
    place = Real.of(part).rational
    assert place is not None
    found = spheres.divergence(place)
    assert found.upper - found.lower <= 1e-14
    assert float(found) == pytest.approx(divergence(spheres, 4 * float(Real.of(place))), abs=2e-7)


@settings(deadline=None, max_examples=6)
@given(
    st.integers(1, 12),
    st.fractions("1/2", 5, max_denominator=8),
    st.fractions("1/8", "7/8", max_denominator=8),
    st.fractions("1/8", "7/8", max_denominator=8),
    st.fractions(0, 1, max_denominator=64),
)
def test_the_bound_holds_at_every_radius_for_any_law(
    dimension: int, radius: object, inner: object, weight: object, place: object
) -> None:
    share = Real.of(weight).rational
    part, here = Real.of(inner).rational, Real.of(place).rational
    assert share is not None
    assert part is not None
    assert here is not None
    spheres = Spheres(dimension, Real.of(radius), (part, Rational(1)), (share, 1 - share))
    largest = largest_divergence(spheres, 50)
    with working_precision(64):
        assert spheres.divergence(here).ball(64).lower() <= largest
    grid = [spheres.divergence(Rational(k, 40)).upper for k in range(41)]
    assert float(largest) <= max(grid) + 0.02


@pytest.mark.parametrize(
    ("dimension", "radius", "spheres", "width"),
    [
        (1, 2, 2, 1e-13),
        (1, 6, 3, 1e-12),
        (1, 20, 13, 1e-12),
        (2, 4, 2, 1e-13),
        (10, 10, 3, 1e-12),
        (100, 12, 1, 1e-12),
    ],
)
def test_capacities_of_several_spheres(dimension: int, radius: int, spheres: int, width: float) -> None:
    found = ball_capacity(dimension, Real.of(radius))
    assert len(found.spheres.parts) == spheres
    assert 0 <= found.width <= width
    assert sum(found.spheres.weights, Rational(0)) == 1
    # From the volume and from the power, which need no law at all.
    volume = dimension / 2 * math.log(math.pi) - math.lgamma(dimension / 2 + 1) + dimension * math.log(radius)
    assert float(found.lower) > dimension / 2 * math.log1p(math.exp(2 * volume / dimension - 1) / (2 * math.pi))
    assert float(found.upper) < dimension / 2 * math.log1p(radius**2 / dimension)


def test_a_wrong_law_gives_wide_bounds_and_never_wrong_ones() -> None:
    best = ball_capacity(1, Real.of(3))
    wrong = Spheres(1, Real.of(3), (Rational(1, 4), Rational(1)), (Rational(1, 2), Rational(1, 2)))
    assert wrong.information() < best.lower
    assert float(largest_divergence(wrong)) > float(best.upper) + 0.01


def test_tiny_weights_are_kept() -> None:
    found = best_spheres(100, 19.5)
    assert len(found.radii) > 1
    assert -80 < found.logs[0] < -70


def test_a_time_limit_gives_the_interval_so_far() -> None:
    short = ball_capacity(10, Real.of(10), time_limit=1e-6)
    assert "time limit" in short.status
    assert float(short.lower) <= 11.525911266891297 <= float(short.upper)
    assert short.width < 2
    gaussian = Gaussian(variance="1/10", peak=1, dimension=10)
    assert gaussian.capacity_within(1e-6).width < 2
    with pytest.raises(InvalidInput, match="at least 1"):
        ball_capacity(0, Real.of(2))
    with pytest.raises(InvalidInput, match="negative"):
        ball_capacity(1, Real.of(-2))
    for limit in (0, -1):
        with pytest.raises(InvalidInput, match="leaves no time"):
            ball_capacity(1, Real.of(2), time_limit=limit)


@pytest.mark.parametrize("dimension", [1, 2, 10, 1000])
def test_beyond_the_largest_radius_closed_forms_remain(dimension: int) -> None:
    found = ball_capacity(dimension, Real.of(1000))
    assert "closed forms" in found.status
    assert 0 < float(found.lower) < float(found.upper)
    assert found.width <= 0.3 * dimension + 1


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 30), st.fractions("11/10", 29, max_denominator=10))
def test_closed_forms_are_in_order(dimension: int, radius: object) -> None:
    found = ball_capacity(dimension, Real.of(radius), time_limit=1e-9)
    assert found.lower.ball(64) <= found.upper.ball(64)


def test_one_sphere_below_one_deviation_needs_no_search() -> None:
    found = ball_capacity(3, Real.of("9/10"))
    assert found.width == 0.0
    largest = largest_divergence(found.spheres)
    with working_precision(80):
        assert abs(largest - found.upper.ball(80)) < Ball(2) ** -50


def test_kernels_in_high_dimensions_have_their_digits() -> None:
    with working_precision(88):
        for dimension, place in ((300, 80), (1000, 145), (1000, 1740)):
            real, complex_one = kernel(Ball(place), dimension, 64), kernel(ComplexBall(place), dimension, 64)
            assert real.rel_accuracy_bits() > 32
            assert complex_one.real.overlaps(real)
            half = dimension / 2
            logs = [2 * k * math.log(place / 2) - math.lgamma(k + 1) - math.lgamma(half + k) for k in range(3000)]
            wanted = float(np.logaddexp.reduce(logs)) + math.lgamma(half)
            assert float(real.log()) == pytest.approx(wanted, rel=1e-11)


def test_a_sphere_of_far_too_little_weight_gets_what_it_needs() -> None:
    """Which of two close laws the search meets first is up to rounding; from either it finds the best one."""
    best = best_spheres(3, 20.0)
    assert len(best.radii) == 12
    assert best.excess <= 1e-11
    for weight in (-20.0, -14.0):
        logs = np.concatenate([[weight], best.logs[1:]])
        found = stationary(Output.of(3, 20.0, 1.0), best.radii, logs)
        assert found.residual <= 1e-11
        assert found.logs[0] == pytest.approx(best.logs[0], abs=1e-6)


def test_a_sphere_that_only_the_peaks_show() -> None:
    """On the grid this law does without its innermost point, which the best one needs."""
    best = best_spheres(10, 25.0)
    assert best.radii[0] == 0
    assert best.excess <= 1e-10


@pytest.mark.full
@pytest.mark.parametrize(
    ("dimension", "radius", "width"),
    [(10, 20, 1e-11), (10, 29, 1e-9), (2, 20, 1e-11), (3, 20, 1e-11), (1, 30, 1e-9), (100, 29, 1e-11)],
)
def test_capacities_of_many_spheres(dimension: int, radius: int, width: float) -> None:
    assert ball_capacity(dimension, Real.of(radius)).width <= width
