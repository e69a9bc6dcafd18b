"""What every privacy loss must obey: post-processing, orders, convexity, products, symmetry."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.exact import Number, Rational, Real
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
from epstar.notions.approximate_differential_privacy import Reading
from epstar.source import Prior
from epstar.testing import mechanisms, priors

SLACK = 1e-12
READINGS: tuple[Reading, Reading] = ("event", "pointwise")
PRIOR_FREE: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    RenyiDifferentialPrivacy("1/2"),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy(2),
    RenyiDifferentialPrivacy("7/2"),
    MaximalLeakage(),
    Capacity(),
]
WITH_PRIOR: list[Notion] = [
    MutualInformation(),
    SibsonMutualInformation("1/2"),
    SibsonMutualInformation(2),
    MaximalInformation(),
    Identifiability(),
    LocalInformationPrivacy(),
    LocalInformationPrivacy("1/10"),
    PointwiseLeakage(),
    MinEntropyLeakage(),
]
PAIRWISE = (DifferentialPrivacy, ApproximateDifferentialPrivacy, RenyiDifferentialPrivacy, Identifiability)
ALL = PRIOR_FREE + WITH_PRIOR
IDS = [f"{notion.name}{list(notion.parameters().values())}" for notion in ALL]


@pytest.mark.parametrize("notion", ALL, ids=IDS)
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_processing_the_output_never_raises_a_loss(data: st.DataObject, notion: Notion) -> None:
    size, outputs = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 4))
    mechanism, prior = data.draw(mechanisms(size, outputs)), data.draw(priors(size))
    post = data.draw(mechanisms(outputs, data.draw(st.integers(1, 4))))
    before = notion.loss(mechanism, prior).value
    assert notion.loss(mechanism.then(post), prior).value <= before + SLACK
    if outputs > 1:
        merged = mechanism.merge([[0, 1], *([y] for y in range(2, outputs))])
        assert notion.loss(merged, prior).value <= before + SLACK


@pytest.mark.parametrize("notion", PRIOR_FREE, ids=IDS[: len(PRIOR_FREE)])
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_processing_the_input_never_raises_a_loss(data: st.DataObject, notion: Notion) -> None:
    size = data.draw(st.integers(1, 4))
    mechanism = data.draw(mechanisms(size, 3))
    pre = data.draw(mechanisms(data.draw(st.integers(1, 4)), size))
    assert notion.loss(pre.then(mechanism)).value <= notion.loss(mechanism).value + SLACK


def test_merging_outputs_may_raise_the_pointwise_loss() -> None:
    """Identity on two symbols, each output split into ten copies: pointwise it loses nothing at delta = 1/10."""
    copies = [["1/10"] * 10 + ["0"] * 10, ["0"] * 10 + ["1/10"] * 10]
    pointwise = ApproximateDifferentialPrivacy("1/10", "pointwise")
    assert pointwise.loss(Mechanism(copies)).value == 0
    assert ApproximateDifferentialPrivacy("1/10").loss(Mechanism(copies)).value == math.inf
    merged = Mechanism(copies).merge([list(range(10)), list(range(10, 20))])
    assert pointwise.loss(merged).value == math.inf
    assert str(ApproximateDifferentialPrivacy("1/10").delta_at(Mechanism(copies), 0).upper) == "1"


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 4), st.integers(1, 4))
def test_relations_between_notions(data: st.DataObject, size: int, outputs: int) -> None:
    """zhong2022, Lemma 20(4) to (9) for one row, and wang2016's sandwich of identifiability."""
    mechanism, prior = data.draw(mechanisms(size, outputs)), data.draw(priors(size, zeros=False))
    dp = DifferentialPrivacy().loss(mechanism).value
    orders: list[Number] = ["1/3", "1/2", 1, "3/2", 2, 5, 40, "infinity"]
    renyi = [RenyiDifferentialPrivacy(order).loss(mechanism).value for order in orders]
    sibson = [SibsonMutualInformation(order).loss(mechanism, prior).value for order in orders]
    for values in (renyi, sibson):
        assert all(a <= b + SLACK for a, b in pairwise(values))
    assert renyi[-1] == dp
    assert sibson[2] == MutualInformation().loss(mechanism, prior).value
    assert sibson[-1] == MaximalLeakage().loss(mechanism).value
    assert sibson[-1] <= dp + SLACK
    deltas: list[Number] = [0, "1/100", "1/10", "1/2", 1]
    for reading in READINGS:
        losses = [ApproximateDifferentialPrivacy(d, reading).loss(mechanism).value for d in deltas]
        assert losses[0] == dp
        assert losses[-1] == 0
        assert all(a >= b for a, b in pairwise(losses))
    event, single = (ApproximateDifferentialPrivacy("1/10", reading) for reading in READINGS)
    assert single.loss(mechanism).value <= event.loss(mechanism).value
    local = [LocalInformationPrivacy(d).loss(mechanism, prior).value for d in deltas]
    assert all(a >= b for a, b in pairwise(local))
    assert local[0] <= dp + SLACK
    assert dp <= 2 * local[0] + SLACK
    spread = math.log(float(max(prior.floats) / min(prior.floats)))
    level = Identifiability().loss(mechanism, prior).value
    assert level <= dp + spread + SLACK
    assert dp <= level + spread + SLACK
    average = MutualInformation().loss(mechanism, prior).value
    assert average <= PointwiseLeakage().loss(mechanism, prior).value + SLACK
    assert PointwiseLeakage().loss(mechanism, prior).value <= MaximalInformation().loss(mechanism, prior).value + SLACK
    assert MinEntropyLeakage().loss(mechanism, prior).value <= sibson[-1] + SLACK


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(2, 3), st.integers(2, 4))
def test_losses_are_quasi_convex(data: st.DataObject, size: int, outputs: int) -> None:
    """zhong2022, Lemma 21, with its item (3) corrected: Rényi is quasi-convex, and exp((a-1) loss) convex."""
    first, second = data.draw(mechanisms(size, outputs)), data.draw(mechanisms(size, outputs))
    prior, weight = data.draw(priors(size)), Rational(data.draw(st.integers(0, 8)), 8)
    mixed = Mechanism(
        [
            [weight * a + (1 - weight) * b for a, b in zip(left, right, strict=True)]
            for left, right in zip(first.rows, second.rows, strict=True)
        ]
    )
    share = float(Real.of(weight))
    for notion in [*ALL, ApproximateDifferentialPrivacy("1/10", "pointwise")]:
        ends = [notion.loss(mechanism, prior).value for mechanism in (first, second)]
        middle = notion.loss(mixed, prior).value
        assert middle <= max(ends) + 1e-11
        if isinstance(notion, RenyiDifferentialPrivacy) and max(ends) < 50 and not isinstance(notion.order, float):
            a = float(Real.of(notion.order)) - 1
            if a > 0:
                bound = share * math.exp(a * ends[0]) + (1 - share) * math.exp(a * ends[1])
                assert math.exp(a * middle) <= bound * (1 + 1e-10)
        if isinstance(notion, MutualInformation | Capacity | PointwiseLeakage) and max(ends) < math.inf:
            assert middle <= share * ends[0] + (1 - share) * ends[1] + 1e-11
        if isinstance(notion, MaximalLeakage):
            assert math.exp(middle) <= share * math.exp(ends[0]) + (1 - share) * math.exp(ends[1]) + 1e-11


def test_renyi_differential_privacy_is_not_convex() -> None:
    """The counterexample to zhong2022, Lemma 21(3)."""
    first = Mechanism([["9/10", "1/10", 0], ["1/10", "9/10", 0]])
    second = Mechanism([[0, 0, 1], [0, 0, 1]])
    mixed = Mechanism([["9/20", "1/20", "1/2"], ["1/20", "9/20", "1/2"]])
    losses = [RenyiDifferentialPrivacy(2).loss(mechanism).value for mechanism in (first, second, mixed)]
    assert losses[2] == pytest.approx(1.516347, abs=1e-6)
    assert (losses[0] + losses[1]) / 2 == pytest.approx(1.046617, abs=1e-6)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(1, 3))
def test_losses_of_products(data: st.DataObject, size: int, outputs: int) -> None:
    """Independent rows: information adds up, ratios of neighbours take the worst row."""
    first, second = data.draw(mechanisms(size, outputs)), data.draw(mechanisms(size, outputs))
    prior, other = data.draw(priors(size)), data.draw(priors(size))
    both = first.product(second)
    joint = Prior([p * q for p in prior.probabilities for q in other.probabilities])
    for notion in ALL:
        losses = notion.loss(first, prior).value, notion.loss(second, other).value
        value = notion.loss(both, joint).value
        if isinstance(notion, LocalInformationPrivacy):
            assert value <= sum(losses) + SLACK or notion.delta > 0
        elif isinstance(notion, PAIRWISE):
            assert value == pytest.approx(max(losses), abs=SLACK)
        else:
            assert value == pytest.approx(sum(losses), abs=1e-11)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 4), st.integers(2, 4))
def test_names_do_not_matter(data: st.DataObject, size: int, outputs: int) -> None:
    mechanism, prior = data.draw(mechanisms(size, outputs)), data.draw(priors(size))
    inputs = data.draw(st.permutations(range(size)))
    columns = data.draw(st.permutations(range(outputs)))
    renamed = Mechanism([[mechanism.rows[x][y] for y in columns] for x in inputs])
    law = Prior([prior.probabilities[x] for x in inputs])
    for notion in ALL:
        assert notion.loss(renamed, law).value == pytest.approx(notion.loss(mechanism, prior).value, abs=SLACK)


@settings(max_examples=60, deadline=None)
@given(st.data(), st.integers(2, 3), st.integers(1, 4), st.sampled_from(READINGS))
def test_the_privacy_curve_is_the_inverse_of_the_loss(
    data: st.DataObject, size: int, outputs: int, reading: Reading
) -> None:
    mechanism = data.draw(mechanisms(size, outputs))
    delta = data.draw(st.fractions(0, 1, max_denominator=12))
    notion = ApproximateDifferentialPrivacy(delta, reading)
    loss = notion.loss(mechanism)
    assert loss.upper is not None
    at_loss = notion.delta_at(mechanism, loss.upper)
    assert at_loss.upper is not None
    if loss.upper.is_infinite:
        assert at_loss.upper > notion.delta
        return
    assert at_loss.upper <= notion.delta
    argument = loss.upper.argument_of_log
    if argument is not None and argument > 1:
        assert at_loss.upper.rational == notion.delta
        below = notion.delta_at(mechanism, Real.log((argument + 1) / 2)).upper
        assert below is not None
        assert below > notion.delta
    floats = notion.delta_at(Mechanism(mechanism.floats), loss.value)
    assert floats.value == pytest.approx(at_loss.value, abs=1e-12)
    enclosed = notion.delta_at(mechanism, "1/3")
    assert enclosed.value == pytest.approx(notion.delta_at(Mechanism(mechanism.floats), 1 / 3).value, abs=1e-12)
