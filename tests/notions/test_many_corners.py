"""Losses that are convex in the prior, over regions with more corners than can be listed: enclosed, and rightly."""

import json
import random
from itertools import combinations

import pytest
from tests.proofs.cases import interval_of_the_second
from tests.proofs.schema_one import write_proof

from epstar.completion import Proof
from epstar.distortion import Absolute
from epstar.exact import ONE, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import LocalInformationPrivacy, MinEntropyLeakage, PointwiseLeakage
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.source import Ball, Box, Hull, Source
from epstar.universe import Alphabet


def law(size: int, numbers: random.Random) -> list[Rational]:
    weights = [numbers.randint(1, 9) for _ in range(size)]
    return [Rational(weight, sum(weights)) for weight in weights]


def drawn(number: int) -> tuple[Mechanism, Source]:
    numbers = random.Random(number)
    size = numbers.randint(2, 5)
    center = law(size, numbers)
    box = Box([p / 2 for p in center], [min(ONE, p * Rational(3, 2)) for p in center])
    source = Ball(center, Rational(numbers.randint(1, 4), 10)) if number % 2 else box
    return Mechanism([law(size, numbers) for _ in range(size)]), source


@pytest.mark.parametrize("number", range(20))
@pytest.mark.parametrize("notion", [MinEntropyLeakage(), PointwiseLeakage()], ids=lambda notion: notion.name)
def test_the_enclosure_holds_what_the_corners_give(
    notion: Notion, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, source = drawn(number)
    known = notion.loss(mechanism, source)
    monkeypatch.setattr("epstar.notions.min_entropy_leakage.corners_of_parts", lambda _: None)
    monkeypatch.setattr("epstar.notions.pointwise_leakage.few_extreme_laws", lambda _: None)
    found = notion.loss(mechanism, source)
    assert known.upper is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower.lower <= known.upper.upper
    assert known.upper.lower <= found.upper.upper
    assert found.upper.upper < known.upper.upper + 0.5
    in_floats = notion.loss(mechanism.in_floats(), source)
    assert in_floats.value == pytest.approx(found.value, abs=1e-12)


def test_a_constant_answer_helps_nobody_over_many_letters() -> None:
    numbers = random.Random(1)
    center = law(40, numbers)
    constant = Mechanism([law(3, random.Random(2))] * 40)
    loss = MinEntropyLeakage().loss(constant, Box([p / 2 for p in center], [2 * p for p in center]))
    assert loss.upper is not None
    assert loss.upper.rational == 0


def test_few_laws_on_many_letters_have_few_corners() -> None:
    numbers = random.Random(3)
    mechanism = Mechanism([law(4, numbers) for _ in range(14)])
    loss = MinEntropyLeakage().loss(mechanism, Hull([law(14, numbers) for _ in range(3)]))
    assert loss.lower == loss.upper


@pytest.mark.parametrize("number", range(10))
def test_floats_enclose_what_exact_numbers_say_of_listed_corners(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, source = drawn(number)
    known = PointwiseLeakage().loss(mechanism, source)
    monkeypatch.setattr("epstar.notions.pointwise_leakage._MOST_TERMS", 1)
    found = PointwiseLeakage().loss(mechanism, source)
    assert known.upper is not None
    assert found.lower is not None
    assert found.upper is not None
    assert found.lower.lower <= known.upper.upper
    assert known.upper.lower <= found.upper.upper <= known.upper.upper + 1e-12


def test_thousands_of_corners_are_listed() -> None:
    numbers = random.Random(4)
    mechanism = Mechanism([law(11, numbers) for _ in range(11)])
    loss = PointwiseLeakage().loss(mechanism, Ball(law(11, numbers), "1/5"))
    assert loss.lower is not None
    assert loss.upper is not None
    assert float(loss.upper - loss.lower) < 1e-12


def test_nobody_lists_the_corners_of_a_region_to_find_that_they_are_too_many() -> None:
    center = law(40, random.Random(5))
    constant = Mechanism([law(3, random.Random(2))] * 40)
    loss = MinEntropyLeakage().loss(constant, Ball(center, "1/5"))
    assert loss.upper is not None
    assert loss.upper.rational == 0


@pytest.mark.parametrize(
    "notion",
    [MinEntropyLeakage(), PointwiseLeakage(), LocalInformationPrivacy("1/20")],
    ids=lambda notion: notion.name,
)
def test_both_checkers_enclose_what_they_cannot_list(notion: Notion) -> None:
    size = 20
    source = Ball(law(size, random.Random(6)), "1/2")
    rows = [[Rational(1, 40) + (Rational(1, 2) if x == y else 0) for y in range(size)] for x in range(size)]
    problem = Problem(notion, source, Absolute(), Alphabet(size), "loss", Real.of(size))
    proof = Proof(problem, Mechanism(rows, Alphabet(size), Alphabet(size).labels), None)
    again = interval_of_the_second(json.loads(json.dumps(write_proof(proof))))
    assert again.upper.upper == pytest.approx(proof.check().upper.upper, abs=1e-9)


def test_min_entropy_leakage_over_a_box_is_a_maximum_coverage() -> None:
    # Which is why regions of many letters are only enclosed: see docs/proofs.md, "The upper end".
    sets = [{0, 1, 2}, {0, 3, 4}, {0, 1, 5}, {1, 3, 5}, {2, 3, 5}]
    rows = [[0] * 6 + [1], *([Rational(int(y in answers), 3) for y in range(7)] for answers in sets)]
    for k in (2, 3, 4):
        box = Box([Rational(1, k), *[0] * 5], [Rational(1, k)] * 6)
        covered = max(len(set().union(*chosen)) for chosen in combinations(sets, k - 1))
        loss = MinEntropyLeakage().loss(Mechanism(rows), box)
        assert str(loss.lower) == str(loss.upper) == str(Real.log(1 + Rational(covered, 3)))
