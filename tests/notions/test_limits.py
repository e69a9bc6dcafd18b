"""Limits of orders and slacks, and losses that are infinite."""

from __future__ import annotations

import math

import pytest

from epstar.exact import Rational
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Everything, Prior
from epstar.universe import Graph

CHANNEL = Mechanism([["1/2", "1/4", "1/4"], ["1/8", "3/4", "1/8"], ["1/3", "1/3", "1/3"]])
PRIOR = Prior(["1/2", "1/3", "1/6"])


@pytest.mark.parametrize("mechanism", [CHANNEL, Mechanism(CHANNEL.floats)], ids=["exact", "floats"])
def test_limits(mechanism: Mechanism) -> None:
    """Orders to 1 and to infinity, delta to 0: no digits are lost on the way."""
    near, far = Rational(1, 10**7), 10**6
    divergence = RenyiDifferentialPrivacy(1).loss(mechanism).value
    information = MutualInformation().loss(mechanism, PRIOR).value
    for order in (1 + near, 1 - near):
        assert RenyiDifferentialPrivacy(order).loss(mechanism).value == pytest.approx(divergence, abs=1e-7)
        assert SibsonMutualInformation(order).loss(mechanism, PRIOR).value == pytest.approx(information, abs=1e-7)
    assert RenyiDifferentialPrivacy(1).loss(mechanism).value == divergence
    dp, leakage = DifferentialPrivacy().loss(mechanism).value, MaximalLeakage().loss(mechanism).value
    assert RenyiDifferentialPrivacy(far).loss(mechanism).value == pytest.approx(dp, abs=1e-5)
    assert SibsonMutualInformation(far).loss(mechanism, PRIOR).value == pytest.approx(leakage, abs=1e-5)
    tiny = ApproximateDifferentialPrivacy(Rational(1, 10**12)).loss(mechanism).value
    assert dp - 1e-10 < tiny < dp


def test_infinite_losses() -> None:
    mixed = Mechanism([[1, 0], ["1/2", "1/2"]])
    for notion in (
        DifferentialPrivacy(),
        RenyiDifferentialPrivacy(2),
        RenyiDifferentialPrivacy(1),
        ApproximateDifferentialPrivacy("1/3"),
        ApproximateDifferentialPrivacy("1/3", "pointwise"),
        Identifiability(),
        LocalInformationPrivacy(),
        LocalInformationPrivacy("1/10"),
    ):
        for mechanism in (mixed, Mechanism(mixed.floats)):
            assert notion.loss(mechanism, Prior(["1/2", "1/2"])).value == math.inf
    assert RenyiDifferentialPrivacy("1/2").loss(mixed).value == pytest.approx(math.log(2))
    assert str(ApproximateDifferentialPrivacy("1/2").loss(mixed).upper) == "0"
    disjoint = Mechanism([[1, 0], [0, 1]])
    assert RenyiDifferentialPrivacy("1/2").loss(disjoint).value == math.inf
    assert RenyiDifferentialPrivacy("1/2").loss(Mechanism(disjoint.floats)).value == math.inf
    certain = Prior([1, 0])
    assert MaximalInformation().loss(disjoint, certain).value == math.inf
    assert PointwiseLeakage().loss(disjoint, certain).value == math.inf
    assert Identifiability().loss(Mechanism([["1/2", "1/2"]] * 2), certain).value == math.inf
    assert MutualInformation().loss(disjoint, certain).value == 0
    assert Identifiability().loss(Mechanism([[1], [1], [1]], Graph(3, [(0, 1)])), Prior([0, 0, 1])).value == 0
    assert MaximalInformation().loss(disjoint, Everything(2)).value == math.inf
