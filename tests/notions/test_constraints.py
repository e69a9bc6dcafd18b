"""The constraints of a notion hold at a level exactly if its loss is at most that level."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.notions.evaluate import least_level

from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    Identifiability,
    LocalInformationPrivacy,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Finite
from epstar.testing import laws, mechanisms
from epstar.universe import Alphabet, Graph, Metric, Universe

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy(0),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/10", "pointwise"),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy("5/2"),
    RenyiDifferentialPrivacy("infinity"),
    MutualInformation(),
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation(1),
    SibsonMutualInformation(2),
    SibsonMutualInformation("infinity"),
    MaximalLeakage(),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/10"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
]
UNIVERSES: list[Universe] = [
    Alphabet(3),
    Graph.line(3),
    Metric([[0, 1, 3], [1, 0, "5/2"], [3, "5/2", 0]]),
    Metric([[0, "1/2", None], ["1/2", 0, None], [None, None, 0]]),
]


@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: f"{notion.name}{notion.parameters()}")
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_constraints_say_what_the_loss_says(data: st.DataObject, notion: Notion) -> None:
    universe = data.draw(st.sampled_from(UNIVERSES))
    mechanism = data.draw(mechanisms(3, data.draw(st.integers(1, 4)), universe=universe))
    points = data.draw(st.lists(laws(3), min_size=1, max_size=2))
    loss = notion.loss(mechanism, Finite(points))
    columns = [tuple(column) for column in mechanism.floats.T.tolist()]
    constraints = notion.constraints(universe, list(Finite(points).points))
    assert least_level(constraints, columns) == pytest.approx(loss.value, abs=1e-9)
    in_floats = notion.loss(Mechanism(mechanism.floats, universe), Finite(points))
    assert in_floats.value == pytest.approx(loss.value, abs=1e-12)


@settings(max_examples=25, deadline=None)
@given(mechanisms(3, 3))
def test_capacity_is_bounded_at_its_own_witness(mechanism: Mechanism) -> None:
    loss = Capacity().loss(mechanism)
    assert loss.witness.prior is not None
    columns = [tuple(column) for column in mechanism.floats.T.tolist()]
    level = least_level(Capacity().constraints(mechanism.universe, [loss.witness.prior]), columns)
    assert level == pytest.approx(loss.value, abs=1e-12)
