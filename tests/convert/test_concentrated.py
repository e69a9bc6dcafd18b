"""Concentrated and Gaussian differential privacy: conversions, composition and noise, each against its definition."""

from __future__ import annotations

import math
import random
from statistics import NormalDist

import pytest

from epstar.compose import Accountant, sequential
from epstar.convert import Guarantee, convert
from epstar.errors import NoSolution
from epstar.exact import Real
from epstar.gaussian import Gaussian, calibrate, gaussian_loss
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    ConcentratedDifferentialPrivacy,
    DifferentialPrivacy,
    GaussianDifferentialPrivacy,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.universe import Alphabet

RHO, MU, PURE = ConcentratedDifferentialPrivacy(), GaussianDifferentialPrivacy(), DifferentialPrivacy()
EDGES: list[tuple[Notion, Notion]] = [
    (PURE, RHO),
    (PURE, MU),
    (RHO, RenyiDifferentialPrivacy("1/4")),
    (RHO, RenyiDifferentialPrivacy("3/4")),
    (RHO, RenyiDifferentialPrivacy(1)),
    (RHO, RenyiDifferentialPrivacy(3)),
    (RHO, ApproximateDifferentialPrivacy("1/50")),
    (MU, RHO),
    (MU, RenyiDifferentialPrivacy(2)),
    (MU, ApproximateDifferentialPrivacy("1/50")),
]


def mechanisms(count: int) -> list[Mechanism]:
    draw, found = random.Random(7), []
    for _ in range(count):
        rows = [[draw.randint(1, 12) for _ in range(3)] for _ in range(2)]
        found.append(Mechanism([[f"{w}/{sum(row)}" for w in row] for row in rows]))
    return found


@pytest.mark.parametrize(("start", "end"), EDGES, ids=lambda notion: notion.full_title)
def test_no_mechanism_loses_more_than_what_follows(start: Notion, end: Notion) -> None:
    for mechanism in mechanisms(8):
        given = Guarantee.of(mechanism, start)
        implied, lost = convert(given, to=end).guarantee.level, end.loss(mechanism).lower
        assert lost is not None
        assert lost.ball(128) <= implied.ball(128) or lost.lower <= implied.upper
        assert float(lost) <= float(implied) * (1 + 1e-12)


@pytest.mark.parametrize("level", ["log(3/2)", "log(3)", "log(50)"])
def test_randomised_response_attains_what_follows_from_differential_privacy(level: str) -> None:
    given = Guarantee(PURE, level, Alphabet(2))
    nats = float(Real.of(level))
    concentrated = convert(given, to=RHO)
    assert concentrated.is_tight
    assert float(concentrated.guarantee.level) == pytest.approx(nats * math.tanh(nats / 2), rel=1e-14)
    normal = convert(given, to=MU)
    assert normal.is_tight
    expected = 2 * NormalDist().inv_cdf(1 / (1 + math.exp(-nats)))
    assert float(normal.guarantee.level) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("start", "end"), [edge for edge in EDGES if edge[0] == MU], ids=lambda kind: kind.full_title)
def test_normal_noise_attains_what_follows_from_gaussian_privacy(start: Notion, end: Notion) -> None:
    noise = Gaussian("3/2", sensitivity=2)
    given, lost = gaussian_loss(noise, start), gaussian_loss(noise, end)
    assert given.upper is not None
    assert str(given.upper) == "4/3"
    implied = convert(Guarantee(start, given.upper), to=end).guarantee.level
    assert float(implied) == pytest.approx(lost.value, rel=1e-10)


def test_normal_noise_attains_what_follows_from_concentrated_privacy_at_orders_from_one() -> None:
    noise = Gaussian(2, sensitivity=1)
    rho = gaussian_loss(noise, RHO).upper
    assert rho is not None
    assert str(rho) == "1/8"
    for order in (1, 2, 7):
        implied = convert(Guarantee(RHO, rho), to=RenyiDifferentialPrivacy(order)).guarantee.level
        assert str(implied) == str(gaussian_loss(noise, RenyiDifferentialPrivacy(order)).upper)


def test_a_level_at_delta_is_that_of_the_best_order() -> None:
    rho, delta = 0.5, 1e-5
    orders = [1 + 0.001 * k for k in range(1, 30_000)]
    best = min(rho * a + (math.log(1 / delta) + (a - 1) * math.log(1 - 1 / a) - math.log(a)) / (a - 1) for a in orders)
    found = convert(Guarantee(RHO, "1/2"), to=ApproximateDifferentialPrivacy("1/100000")).guarantee.level
    assert best - 1e-5 <= float(found) <= best + 1e-9


def test_levels_and_squares_of_levels_add_up() -> None:
    assert str(sequential([Guarantee(RHO, "1/2"), Guarantee(RHO, 1)]).guarantee.level) == "3/2"
    assert str(sequential([Guarantee(MU, 3), Guarantee(MU, 4)]).guarantee.level) == "5"
    root = sequential([Guarantee(MU, 1)] * 3).guarantee.level
    assert float(root) == pytest.approx(math.sqrt(3), rel=1e-15)
    ledger = Accountant().add(Guarantee(MU, "1/2"), 16).add(Gaussian(1, sensitivity=1))
    assert float(ledger.total(MU).guarantee.level) == pytest.approx(math.sqrt(5), rel=1e-15)
    assert str(ledger.total(RHO).guarantee.level) == "5/2"
    noise = Gaussian(variance="1/5", sensitivity=1)
    target = ApproximateDifferentialPrivacy("1/1000")
    assert float(ledger.total(target).guarantee.level) == pytest.approx(gaussian_loss(noise, target).value, rel=1e-9)


@pytest.mark.parametrize(("notion", "level", "variance"), [(RHO, "1/2", 1.0), (MU, "1/2", 4.0), (RHO, 2, 0.25)])
def test_noise_is_calibrated(notion: Notion, level: object, variance: float) -> None:
    found = calibrate(notion, level, sensitivity=1)
    assert float(Real.of(found.gaussian.variance)) == pytest.approx(variance, rel=1e-12)
    kept, broken = (gaussian_loss(noise, notion) for noise in (found.gaussian, found.too_little))
    assert kept.upper is not None
    assert broken.lower is not None
    assert kept.upper <= Real.of(level) < broken.lower


def test_a_bound_on_the_power_leaves_inputs_as_far_apart_as_one_likes() -> None:
    for notion in (RHO, MU):
        with pytest.raises(NoSolution, match="as far apart"):
            calibrate(notion, 1, average_power=1)
