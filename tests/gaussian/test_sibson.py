"""Sibson's information over a ball and under a bound on the power: other integrals, laws, limits, families."""

import math
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.errors import InvalidInput, NoSolution
from epstar.exact import Rational, Real, rational
from epstar.gaussian import DiscreteInput, Gaussian, ball_capacity, ball_leakage, calibrate, gaussian_loss
from epstar.gaussian.calibrate import FarInputs
from epstar.gaussian.closed_forms import power_bounds, power_is_bounded
from epstar.notions import Capacity, MaximalLeakage, MinEntropyLeakage, Notion, SibsonMutualInformation

ORDERS = ("1/3", "9/10", "3/2", "4")


def log_densities(points: np.ndarray) -> tuple[np.ndarray, float]:
    """The logarithm of the density given each point, on a grid of outputs, and the step of the grid."""
    y, step = np.linspace(points.min() - 40, points.max() + 40, 40_001, retstep=True)
    return -((y - points[:, None]) ** 2) / 2 - math.log(2 * math.pi) / 2, float(step)


def renyi(order: float, x: float, points: np.ndarray, law: np.ndarray) -> float:
    """The divergence of an input on the line from the output law that belongs to a law, by sums over a grid."""
    logs, step = log_densities(np.append(points, x))
    output = np.logaddexp.reduce(np.log(law)[:, None] + order * logs[:-1], axis=0) / order
    output -= np.logaddexp.reduce(output) + math.log(step)
    total = np.logaddexp.reduce(order * logs[-1] + (1 - order) * output) + math.log(step)
    return float(total) / (order - 1)


@pytest.mark.parametrize("order", [*ORDERS, "20"])
@pytest.mark.parametrize("radius", ["3/4", "2"])
def test_on_a_line_the_bounds_are_those_of_the_definition(order: str, radius: str) -> None:
    exact = rational(order)
    found = ball_capacity(1, Real.of(radius), order=exact)
    assert 0 <= found.width <= 1e-12
    # The information of the law by another certified integral, for points of the line.
    reach = Real.of(radius).rational
    assert reach is not None
    points = {
        s * reach * part: w for part, w in zip(found.spheres.parts, found.spheres.weights, strict=True) for s in (1, -1)
    }
    law = {x: w if x == 0 else w / 2 for x, w in points.items()}
    inputs = DiscreteInput(list(law), list(law.values()))
    other = gaussian_loss(Gaussian(1, inputs=inputs), SibsonMutualInformation(exact))
    assert float(found.lower) == pytest.approx(other.value, abs=1e-13)
    # No input of the ball is further from the output, by sums that know nothing of balls.
    places, weights = np.array([float(Real.of(x)) for x in law]), np.array([float(Real.of(w)) for w in law.values()])
    divergences = [renyi(float(Real.of(order)), x, places, weights) for x in np.linspace(0, float(Real.of(radius)), 21)]
    assert max(divergences) <= float(found.upper) + 1e-7
    assert max(divergences) >= float(found.upper) - 1e-7


@pytest.mark.parametrize("dimension", [2, 10])
def test_orders_lie_between_their_limits(dimension: int) -> None:
    radius = Real.of(2)
    values = [
        ball_capacity(dimension, radius, order=rational(order)) for order in ("1/3", "99/100", "1", "101/100", "4")
    ]
    for smaller, larger in pairwise(values):
        assert smaller.upper.ball(64) < larger.lower.ball(64)
    assert values[-1].upper.ball(64) < ball_leakage(dimension, radius).ball(64)
    around = (float(values[1].lower) + float(values[3].lower)) / 2
    assert float(values[2].lower) == pytest.approx(around, abs=1e-4)


@settings(deadline=None, max_examples=4)
@given(st.integers(1, 6), st.fractions("1/2", 4, max_denominator=6), st.sampled_from(ORDERS))
def test_closed_forms_hold_what_the_search_proves(dimension: int, radius: object, order: str) -> None:
    at_once = ball_capacity(dimension, Real.of(radius), 1e-9, rational(order))
    found = ball_capacity(dimension, Real.of(radius), order=rational(order))
    assert found.width <= 1e-10
    assert at_once.lower.lower <= found.upper.upper
    assert found.lower.lower <= at_once.upper.upper


def test_high_orders_are_bounded_by_lower_ones_and_by_the_leakage() -> None:
    found = ball_capacity(1, Real.of("1/4"), order=Rational(1000))
    assert "order 128" in found.status
    assert float(found.lower) < float(found.upper) == pytest.approx(float(ball_leakage(1, Real.of("1/4"))))
    assert found.width < 0.02


@pytest.mark.parametrize(("dimension", "order"), [(1, "1/2"), (1, "2"), (1, "5/2"), (3, "7/5"), (10, "11/10")])
def test_the_bound_from_the_power_is_a_divergence(dimension: int, order: str) -> None:
    exact, d, power = rational(order), dimension, mpmath.mpf(3) / 4
    a = mpmath.mpf(int(exact.p)) / int(exact.q)
    lower, upper = power_bounds(d, Rational(3, 4), rational(order))
    # From the definition: the divergence of a normal input from (1 + c |y|^2)^(-1/(a - 1)), by integrals over |y|.
    k = (a - 1) * d / 2
    c = abs(k) / (d * (1 / a + power) * (1 - k)) * (1 if a > 1 else -1)
    area = 2 * mpmath.pi ** (mpmath.mpf(d) / 2) / mpmath.gamma(mpmath.mpf(d) / 2)
    # In the logarithm of |y| the tails are exponential.
    ends = (
        range(-40, 400, 8)
        if a > 1
        else [*range(-40, -2, 2), *(mpmath.log(1 / mpmath.sqrt(-c)) - 2 + k for k in range(3))]
    )
    total = mpmath.quad(lambda t: area * mpmath.exp(d * t) * (1 + c * mpmath.exp(2 * t)) ** (-1 / (a - 1)), list(ends))
    scale = (2 * mpmath.pi) ** (-d * a / 2) * (2 * mpmath.pi / a) ** (mpmath.mpf(d) / 2)
    mean = 1 + c * d * (1 / a + power)
    wanted = mpmath.log(scale * mean * total ** (a - 1)) / (a - 1)
    assert float(upper) == pytest.approx(float(wanted), rel=1e-9)
    assert lower < upper
    # A ball within the power has no more.
    inside = ball_capacity(d, Real.of("4/5"), order=rational(order))
    assert float(inside.lower) < float(upper)


def test_the_power_is_enough_below_one_order_exactly() -> None:
    assert power_is_bounded(1, Rational(299, 100))
    assert not power_is_bounded(1, Rational(3))
    assert power_is_bounded(4, Rational(149, 100))
    assert not power_is_bounded(4, Rational(3, 2))
    near = [float(power_bounds(1, Rational(1), 1 + Rational(sign, 10**6))[1]) for sign in (-1, 1)]
    assert near == pytest.approx([math.log(2) / 2] * 2, abs=1e-5)


@pytest.mark.parametrize("sigma", ["1/2", "5"])
def test_far_inputs_lose_as_much_as_one_likes(sigma: str) -> None:
    deviation = rational(sigma)
    family = FarInputs(160 * deviation**2)
    leakages, informations = [], []
    for count in (1, 3, 9):
        law = family.law(count, 8 * deviation)
        assert law.power <= family.power
        leakages.append(gaussian_loss(Gaussian(sigma, inputs=law), MinEntropyLeakage()).value)
        logs, step = log_densities(np.array([float(Real.of(x / deviation)) for x in law.points]))
        means = np.logaddexp.reduce(8 * logs - math.log(len(logs)), axis=0) / 8
        informations.append(8 / 7 * (float(np.logaddexp.reduce(means)) + math.log(step)))
    for count, leakage in zip((1, 3, 9), leakages, strict=True):
        assert leakage > math.log(1 + 0.999 * count)
    assert informations[0] < informations[1] - 0.1 < informations[2] - 0.2


@pytest.mark.parametrize("notion", [MinEntropyLeakage(), MaximalLeakage(), SibsonMutualInformation(4)])
def test_no_noise_is_enough_for_an_average_power(notion: Notion) -> None:
    with pytest.raises(NoSolution, match=r"No amount of normal noise .* rare inputs") as caught:
        calibrate(notion, 1, average_power=2, dimension=3)
    assert caught.value.witness == FarInputs(Rational(6))


def test_calibration_says_what_two_bounds_cost() -> None:
    for order, gap in (("101/100", 0.03), ("1/2", 0.25), ("2", 0.9)):
        notion = SibsonMutualInformation(order)
        found = calibrate(notion, "3/10", average_power=1)
        kept, broken = gaussian_loss(found.gaussian, notion).upper, gaussian_loss(found.too_little, notion).lower
        assert kept is not None
        assert broken is not None
        assert kept <= Real.of("3/10") < broken
        assert 0 < found.gap < gap
    exact = calibrate(Capacity(), "3/10", average_power=1)
    assert exact.gap < 2e-12


@pytest.mark.parametrize("order", [0, -1, "one"])
def test_an_order_that_is_no_positive_number(order: object) -> None:
    with pytest.raises(InvalidInput, match=r"positive|not a number"):
        ball_capacity(2, 1, order=order)


def test_plain_numbers_are_read() -> None:
    assert ball_capacity(1, 1).lower.lower == ball_capacity(1, Real.of(1), order=Rational(1)).lower.lower
