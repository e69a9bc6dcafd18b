"""Local information privacy over events: floats name the suspects, and the number is that of all pairs one by one."""

import random
from collections.abc import Sequence
from itertools import product

import pytest

from epstar.exact import INFINITY, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import ApproximateDifferentialPrivacy, LocalInformationPrivacy
from epstar.notions.measure.hockey_stick import Factor, least_factor
from epstar.notions.measure.least_level import suspected_pairs
from epstar.notions.measure.slack import exact_level
from epstar.notions.pairs import law_pairs
from epstar.notions.priors import output_law
from epstar.source import Ball, Box, Finite, Polytope, Prior, Source


def law(size: int, draw: random.Random, largest: int) -> list[Rational]:
    weights = [draw.randint(0, largest) for _ in range(size - 1)] + [1]
    draw.shuffle(weights)
    return [Rational(weight, sum(weights)) for weight in weights]


def one_by_one(mechanism: Mechanism, source: Source, slack: Rational) -> Real:
    laws = [source.probabilities] if isinstance(source, Prior) else source.vertices()
    largest = Rational(1)
    for prior, row in product(laws, mechanism.rows):
        outputs = output_law(mechanism.rows, prior)
        for found in (least_factor(outputs, row, slack), least_factor(row, outputs, slack, True)):
            if found.factor is None:
                return INFINITY
            largest = max(largest, found.factor)
    return Real.log(largest)


def cases() -> list[tuple[Mechanism, Source, Rational]]:
    found = []
    for seed in range(60):
        draw = random.Random(seed)
        size, outputs = draw.randint(2, 5), draw.randint(2, 4)
        # Small numbers make many pairs and outputs tie, and some vanish.
        center = law(size, draw, 3)
        mechanism = Mechanism([law(outputs, draw, draw.choice([1, 3, 50])) for _ in range(size)])
        source: Source = draw.choice(
            [
                Ball(center, Rational(draw.randint(0, 4), 5)),
                Box([p / 2 for p in center], [min(Rational(1), p * 2) for p in center]),
                Finite([center, law(size, draw, 9)]),
                Polytope([[Rational(draw.randint(0, 3)) for _ in range(size)]], [Rational(3)]),
                Prior(center),
            ]
        )
        found.append((mechanism, source, Rational(1, draw.choice([3, 20, 10**20]))))
    return found


@pytest.mark.parametrize(("mechanism", "source", "slack"), cases())
def test_the_loss_is_that_of_all_pairs_one_by_one(mechanism: Mechanism, source: Source, slack: Rational) -> None:
    loss, expected = LocalInformationPrivacy(slack).loss(mechanism, source), one_by_one(mechanism, source, slack)
    assert loss.upper is not None
    assert loss.upper.is_infinite == expected.is_infinite
    assert expected.is_infinite or loss.upper.argument_of_log == expected.argument_of_log
    in_floats = LocalInformationPrivacy(slack).loss(Mechanism(mechanism.floats), source)
    assert in_floats.value == pytest.approx(float(expected), abs=1e-9) or slack < Rational(1, 10**15)


def test_the_witness_attains_the_loss() -> None:
    for mechanism, source, slack in cases():
        loss = LocalInformationPrivacy(slack).loss(mechanism, source)
        if loss.witness.prior is not None:
            again = LocalInformationPrivacy(slack).loss(mechanism, Prior(loss.witness.prior))
            assert again.value == loss.value


def test_numbers_beyond_floats_are_compared_one_by_one() -> None:
    tiny = Rational(1, 10**400)
    mechanism = Mechanism([[1 - tiny, tiny], [1 - 2 * tiny, 2 * tiny]])
    source = Ball(["1/2", "1/2"], "1/5")
    loss = LocalInformationPrivacy(tiny / 10).loss(mechanism, source).upper
    assert loss is not None
    assert loss.argument_of_log == one_by_one(mechanism, source, tiny / 10).argument_of_log


def test_ties_are_settled_by_their_events_and_not_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Rational] = []

    def counted(left: Sequence[Rational], right: Sequence[Rational], slack: Rational, grows: bool = False) -> Factor:
        asked.append(slack)
        return least_factor(left, right, slack, grows)

    monkeypatch.setattr("epstar.notions.measure.worst_events.least_factor", counted)
    size = 10
    center = [Rational(weight, 55) for weight in range(1, size + 1)]
    rows = [[Rational(1, 20) + (Rational(1, 2) if x == y else 0) for y in range(size)] for x in range(size)]
    loss = LocalInformationPrivacy("1/20").loss(Mechanism(rows), Ball(center, "1/5"))
    assert loss.upper is not None
    assert loss.upper.argument_of_log == Rational(11, 2)
    assert len(asked) < 50


@pytest.mark.parametrize("number", range(20))
def test_too_many_laws_are_enclosed(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, source, _ = cases()[number]
    notion = LocalInformationPrivacy("1/10")
    known = notion.loss(mechanism, source)
    monkeypatch.setattr("epstar.notions.local_information_privacy.few_extreme_laws", lambda _: None)
    found = notion.loss(mechanism, source)
    assert known.upper is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower <= known.upper <= found.upper
    assert found.lower.is_infinite == known.upper.is_infinite


def test_a_region_with_millions_of_corners_is_no_reason_to_refuse() -> None:
    size = 40
    mechanism = Mechanism([law(size, random.Random(x), 9) for x in range(size)])
    loss = LocalInformationPrivacy("1/10").loss(mechanism, Ball([Rational(1, size)] * size, "1/2"))
    assert loss.lower is not None
    assert loss.upper is not None
    assert loss.lower <= loss.upper


def test_pairs_of_rows_that_floats_let_go_are_within_the_slack() -> None:
    for mechanism, _, slack in cases():
        loss = ApproximateDifferentialPrivacy(slack).loss(mechanism).upper
        _, expected = exact_level(law_pairs(mechanism), slack)
        assert loss is not None
        assert loss.is_infinite == expected.is_infinite
        assert expected.is_infinite or Real.exp(loss).rational == Real.exp(expected).rational


def test_the_extremes_of_columns_decide_on_single_outputs() -> None:
    for mechanism, _, slack in cases():
        loss = ApproximateDifferentialPrivacy(slack, "pointwise").loss(mechanism).upper
        _, expected = exact_level(law_pairs(mechanism), slack, pointwise=True)
        assert loss is not None
        assert loss.is_infinite == expected.is_infinite
        assert expected.is_infinite or Real.exp(loss).rational == Real.exp(expected).rational


def test_few_pairs_of_rows_are_compared_in_exact_numbers() -> None:
    size = 30
    mechanism = Mechanism([law(size, random.Random(x), 99) for x in range(size)])
    assert len(list(suspected_pairs(mechanism, Rational(1, 10)))) < 10
