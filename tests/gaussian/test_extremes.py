"""Local information privacy of discrete inputs at every scale: closed forms of two points, and limits of three."""

from __future__ import annotations

import itertools

import mpmath
import pytest

from epstar.exact import Rational, Real
from epstar.gaussian import DiscreteInput, Gaussian, ball_capacity, ball_leakage, gaussian_loss
from epstar.notions import MaximalInformation

SCALES = ["1e-6", "1e-3", "1/10", "1", "1e3", "1e6"]


def two_point_delta(rare: mpmath.mpf, distance: mpmath.mpf, level: mpmath.mpf) -> mpmath.mpf:
    """The largest excess of two points in deviations: each set is a half-line where the ratio of densities is known."""
    grown = mpmath.exp(level)

    def tails(threshold: mpmath.mpf) -> tuple[mpmath.mpf, mpmath.mpf]:
        """Under the one point and under the other, the probability that log of the ratio exceeds a threshold."""
        place = mpmath.log(threshold) / distance
        return mpmath.ncdf(distance / 2 - place), mpmath.ncdf(-distance / 2 - place)

    found = mpmath.mpf(0)
    for own in (rare, 1 - rare):
        other, here = tails((grown - own) / (1 - own))
        found = max(found, (1 - own) * other - (grown - own) * here)
        if grown * own < 1:
            # phi_x > e^level (own phi_x + (1 - own) phi_other)
            here, other = tails(grown * (1 - own) / (1 - grown * own))
            found = max(found, (here - grown * (own * here + (1 - own) * other)) / grown)
    return found


@pytest.mark.parametrize("sigma", SCALES)
@pytest.mark.parametrize("rare", [Rational(1, 2), Rational(1, 10**6)], ids=str)
def test_two_points_at_every_scale(sigma: str, rare: Rational) -> None:
    gaussian = Gaussian(sigma, inputs=DiscreteInput([0, 1], [rare, 1 - rare]))
    with mpmath.workdps(60):
        for level in ("0", "1e-9", "1/10", "1", "50"):
            wanted = two_point_delta(1 / mpmath.mpf(int(rare.q)), 1 / _read(sigma), _read(level))
            found = gaussian.local_delta(level)
            assert found.lower * (1 - 1e-12) <= float(wanted) <= found.upper * (1 + 1e-12) + 1e-300
            assert found.upper - found.lower <= 1e-12 * found.upper + 1e-300


def _read(number: str) -> mpmath.mpf:
    return mpmath.mpmathify(number)


@pytest.mark.parametrize("sigma", SCALES)
def test_far_and_close_points_are_told_apart_or_not(sigma: str) -> None:
    """A middle point is never out of reach of the search, whatever the scale; far points are told for certain."""
    three = Gaussian(sigma, inputs=DiscreteInput([-1, 0, "3/2"], ["1/4", "1/2", "1/4"]))
    deltas = [three.local_delta(level) for level in (0, "1/10", 1, 50)]
    assert all(later.lower <= sooner.upper for sooner, later in itertools.pairwise(deltas))
    assert 0 <= deltas[0].upper <= 0.75 + 1e-15
    if sigma in ("1e-6", "1e-3"):
        assert deltas[0].lower == pytest.approx(0.75, abs=1e-12)
    far = Gaussian(sigma, inputs=DiscreteInput([0, "1e-9", "1e12"], ["1/3", "1/3", "1/3"]))
    assert 2 / 3 - 1e-9 <= far.local_delta(1).upper <= 1
    loss = gaussian_loss(three, MaximalInformation())
    assert loss.lower is not None
    assert loss.upper is not None
    assert loss.lower.lower == pytest.approx(1.3862943611198906)
    assert loss.upper.upper == pytest.approx(1.3862943611198906)


@pytest.mark.parametrize(("dimension", "radius"), [(1, "1/2"), (2, "3"), (3, "7/2"), (50, "12")])
def test_the_leakage_of_a_ball_is_an_integral_over_the_distance(dimension: int, radius: str) -> None:
    size, half = _read(radius), mpmath.mpf(dimension) / 2
    area = 2 * mpmath.pi**half / mpmath.gamma(half)
    outside = mpmath.quad(lambda t: (size + t) ** (dimension - 1) * mpmath.exp(-t * t / 2), [0, 2, 5, 10, 40])
    wanted = mpmath.log(area * (size**dimension / dimension + outside) / (2 * mpmath.pi) ** half)
    assert float(ball_leakage(dimension, Real.of(radius))) == pytest.approx(float(wanted), rel=1e-12)


def test_a_hundred_thousand_dimensions() -> None:
    found = ball_leakage(10**5, Real.of(300))
    assert found.upper - found.lower <= 1e-9
    # The volume alone, and the divergence of the outermost inputs from the noise, for comparison.
    assert 0 < found.lower < 300**2 / 2 + 10**5


@pytest.mark.parametrize("order", ["1/1000", "1/100"])
def test_an_order_near_zero_has_bounds(order: str) -> None:
    found = ball_capacity(2, 1, time_limit=2, order=order)
    assert 0 <= found.lower.lower <= found.upper.upper <= float(Real.of(order)) / 2 + 1e-12
