"""Nothing is refused for its size where a bound is known, and what a paper's own mechanism attains is attained."""

import json
import math
from dataclasses import replace

import check_proof
import pytest

from epstar.answer import answer
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Distortion, Hamming, Squared
from epstar.errors import NoSolution
from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism, ProductMechanism, TopRandomisedResponse
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
from epstar.problem import Asked, Problem
from epstar.proof_file.document import write_bracket
from epstar.solve.bracket import Bracket, Offer
from epstar.solve.forms import databases
from epstar.solve.method import Task
from epstar.source import Everything, Prior
from epstar.universe import Alphabet, Databases

MANY = Databases(2, 12)


def joint(size: int) -> Prior:
    """A law of databases whose rows depend on each other."""
    weights = [1 + (37 * x * x + 11 * x) % 101 for x in range(size)]
    return Prior([Rational(weight, sum(weights)) for weight in weights])


@pytest.mark.parametrize(
    "notion",
    [
        DifferentialPrivacy(),
        ApproximateDifferentialPrivacy("1/100"),
        ApproximateDifferentialPrivacy("1/1000", "pointwise"),
        RenyiDifferentialPrivacy(2),
        MaximalLeakage(),
        Capacity(),
        MutualInformation(),
        SibsonMutualInformation(2),
        MaximalInformation(),
        LocalInformationPrivacy("1/100"),
        PointwiseLeakage(),
        MinEntropyLeakage(),
    ],
    ids=str,
)
@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_a_joint_law_of_many_databases_has_bounds_and_a_mechanism(notion: Notion, asks: Asked, given: str) -> None:
    found = answer(Problem(notion, joint(MANY.size), Hamming(), MANY, asks, Real.of(given)))
    assert found.mechanism is not None
    assert 0 <= found.lower <= found.upper < math.inf
    assert found.too_large
    assert "stopped. The distortion matrix would have" in str(found.explanation)
    check_proof.check(json.dumps(write_bracket(replace(found.claims, excluded=None))).encode())


@pytest.mark.parametrize(("notion", "letters", "rows"), [(Capacity(), 4, 6), (Capacity(), 2, 3), (Capacity(), 3, 1)])
@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1/2"), ("distortion", "0")])
def test_the_capacity_of_anything_is_known_by_distances(
    notion: Notion, letters: int, rows: int, asks: Asked, given: str
) -> None:
    universe = Databases(letters, rows)
    found = answer(Problem(notion, Everything(universe.size), Hamming(), universe, asks, Real.of(given)))
    assert found.interval.width < 1e-12
    row = answer(
        Problem(MutualInformation(), Everything(letters), Hamming(), Alphabet(letters), asks, Real.of(given) / rows)
    )
    assert found.upper == pytest.approx(rows * row.upper, rel=1e-9)
    check_proof.check(json.dumps(write_bracket(found.claims)).encode())


def test_rows_lose_at_most_what_they_lose_by_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = ProductMechanism(TopRandomisedResponse(Alphabet(2), range(2), Rational(3)), 4)
    exact = MutualInformation().loss(rows, joint(16))
    monkeypatch.setattr("epstar.notions.measure.product.DENSE_LIMIT", 1)
    by_rows = MutualInformation().loss(rows, joint(16))
    assert by_rows.lower is not None
    assert by_rows.lower.rational == 0
    assert by_rows.upper is not None
    # The law ties rows, so that it tells less than uniform ones; over all laws nothing is lost.
    assert exact.value < float(by_rows.upper)
    assert float(by_rows.upper) == pytest.approx(MutualInformation().loss(rows, Everything(16)).value, rel=1e-9)


def test_nothing_is_lost_of_anything_by_chance() -> None:
    problem = Problem(
        SibsonMutualInformation(2), Everything(4**6), Hamming(), Databases(4, 6), "distortion", Real.of(0)
    )
    found = answer(problem)
    assert found.upper == pytest.approx(9 / 2)
    assert found.interval.width < 1e-9
    check_proof.check(json.dumps(write_bracket(found.claims)).encode())


@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_the_information_of_anything_is_that_of_uniform_rows(asks: Asked, given: str) -> None:
    found = answer(Problem(MutualInformation(), Everything(4**6), Hamming(), Databases(4, 6), asks, Real.of(given)))
    assert found.interval.width < 1e-9
    row = answer(Problem(MutualInformation(), Everything(4), Hamming(), Databases(4, 1), asks, Real.of(given) / 6))
    assert found.upper == pytest.approx(6 * row.upper, rel=1e-9)


@pytest.mark.parametrize(
    "notion",
    [MaximalInformation(), PointwiseLeakage(), LocalInformationPrivacy(), LocalInformationPrivacy("1/100")],
    ids=str,
)
@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_anything_that_databases_hold_has_bounds_and_a_mechanism(notion: Notion, asks: Asked, given: str) -> None:
    problem = Problem(notion, Everything(4**6), Hamming(), Databases(4, 6), asks, Real.of(given))
    found = answer(problem, time_limit=2.0)
    assert found.mechanism is not None
    assert 0 <= found.lower <= found.upper < math.inf
    check_proof.check(json.dumps(write_bracket(replace(found.claims, excluded=None))).encode())


@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_anything_is_infinitely_identifiable_however_much_it_is(asks: Asked) -> None:
    with pytest.raises(NoSolution, match="infinitely identifiable"):
        answer(Problem(Identifiability(), Everything(4**6), Hamming(), Databases(4, 6), asks, Real.of("1/2")))


@pytest.mark.parametrize("notion", [MaximalInformation(), PointwiseLeakage(), LocalInformationPrivacy()], ids=str)
def test_rows_that_a_law_ties_together_lose_no_more_than_their_sum(notion: Notion) -> None:
    # The rule by which claims about rows add up, against the definition on the whole matrix.
    row = Mechanism([["5/8", "3/8"], ["1/4", "3/4"]])
    whole = ProductMechanism(row, 3)
    most = notion.loss(row, Everything(2)).value
    for weights in ([1, 2, 3, 4, 5, 6, 7, 8], [1, 0, 0, 0, 0, 0, 0, 1], [0, 5, 0, 1, 0, 0, 2, 0]):
        law = Prior([Rational(weight, sum(weights)) for weight in weights])
        assert notion.loss(whole.dense(), law).value <= 3 * most + 1e-12
    assert notion.loss(whole.dense(), Everything(8)).value == pytest.approx(3 * most, rel=1e-12)


def test_rows_that_answer_alike_attain_what_the_paper_says_they_do() -> None:
    # zhong2022, Lemma 5: every row is wrong with probability 1/5, at a ratio of 4, whatever the law of the database.
    problem = Problem(DifferentialPrivacy(), joint(64), Hamming(), Databases(2, 6), "loss", Real.of("6/5"))
    found = answer(problem, time_limit=0.0)
    assert found.mechanism is not None
    assert found.interval.upper <= Real.log(Rational(4))


def mild(letters: int, rows: int, spread: int = 7) -> Prior:
    """A law of databases whose rows depend on each other, and no value of which is rare given the others."""
    weights = [spread + (37 * x * x + 11 * x) % 11 for x in range(letters**rows)]
    return Prior([Rational(weight, sum(weights)) for weight in weights])


@pytest.mark.parametrize("notion", [DifferentialPrivacy(), Identifiability()], ids=str)
@pytest.mark.parametrize(
    ("letters", "rows", "wrong"),
    [pytest.param(2, 6, "1/5", marks=pytest.mark.full), (2, 4, "1/5"), (2, 3, "1/5"), (3, 3, "1/4")],
)
def test_lines_of_databases_prove_the_closed_form_of_the_paper(
    notion: Notion, letters: int, rows: int, wrong: str
) -> None:
    # wang2016, Theorem 1: h^-1(D) where no value is rare given the other rows, also for differential privacy.
    prior, universe = mild(letters, rows), Databases(letters, rows)
    found = answer(Problem(notion, prior, Hamming(), universe, "loss", Real.of(wrong)))
    assert str(found.interval.lower) == str(Real.log((letters - 1) * (rows / rational(wrong) - 1)))
    assert found.interval.width == 0
    assert found.theorem == "wang2016, Theorem 1, line by line"
    check_proof.check(json.dumps(write_bracket(found.claims)).encode())
    back = answer(Problem(notion, prior, Hamming(), universe, "distortion", found.interval.lower))
    assert back.interval.upper.rational == rational(wrong)
    assert back.interval.width == 0


@pytest.mark.parametrize("order", [2, 3])
@pytest.mark.parametrize("rows", [2, 3])
def test_tangents_in_lines_of_bits_prove_what_rows_alike_attain(order: int, rows: int) -> None:
    prior, universe = mild(2, rows, spread=30), Databases(2, rows)
    problem = Problem(RenyiDifferentialPrivacy(order), prior, Hamming(), universe, "loss", Real.of(Rational(rows, 5)))
    found = answer(problem)
    assert found.interval.width < 1e-12
    assert found.theorem == "zhong2022, Theorem 7(5), line by line"
    check_proof.check(json.dumps(write_bracket(found.claims)).encode())
    exact = answer(problem, method="program")
    assert exact.lower - 1e-7 <= found.upper <= exact.upper + 1e-7


@pytest.mark.parametrize("notion", [DifferentialPrivacy(), Identifiability()], ids=str)
@pytest.mark.parametrize("given", ["1/4", "7/10", "6/5"])
def test_lines_of_databases_are_never_above_the_program(notion: Notion, given: str) -> None:
    # With rare values the bound is not tight, and wang2016, (13), and zhong2022, Theorem 6(1), are no larger.
    prior, universe = mild(2, 3, spread=1), Databases(2, 3)
    problem = Problem(notion, prior, Hamming(), universe, "loss", Real.of(given))
    lines = Bracket(problem)
    for offer in databases.claims(Task(problem, lines, Deadline(None))):
        assert isinstance(offer, Offer)
        lines.offer(offer)
    exact = answer(problem, method="program")
    assert float(lines.lower) <= exact.upper + 1e-9
    assert exact.lower <= float(lines.upper) + 1e-9
    law = prior.probabilities
    theta, unlike = 8 * min(law), max(law[x] / law[x ^ bit] for x in range(8) for bit in (1, 2, 4))
    wrong = rational(given)
    if isinstance(notion, DifferentialPrivacy):
        others = [(theta * 3 - wrong) / wrong, (3 - wrong) / wrong / unlike]
        assert float(lines.lower) >= math.log(max(1.0, *(float(Real.of(ratio)) for ratio in others))) - 1e-9
    else:
        assert float(lines.lower) >= math.log(max(1.0, float(Real.of((3 - wrong) / wrong)))) - 1e-9


MANY_LETTERS: list[tuple[Notion, Asked, str]] = [
    (DifferentialPrivacy(), "loss", "100"),
    (DifferentialPrivacy(), "distortion", "1"),
    (RenyiDifferentialPrivacy(2), "loss", "100"),
    (RenyiDifferentialPrivacy(2), "distortion", "1"),
    (MutualInformation(), "distortion", "1"),
    (SibsonMutualInformation(2), "loss", "100"),
    (Identifiability(), "loss", "100"),
    (LocalInformationPrivacy("1/100"), "loss", "100"),
    (LocalInformationPrivacy("1/100"), "distortion", "1"),
    (PointwiseLeakage(), "distortion", "1"),
]


@pytest.mark.parametrize(("notion", "asks", "given"), MANY_LETTERS, ids=str)
def test_five_thousand_places_have_bounds_and_a_mechanism(notion: Notion, asks: Asked, given: str) -> None:
    found = answer(Problem(notion, joint(5000), Absolute(), Alphabet(5000), asks, Real.of(given)))
    assert found.mechanism is not None
    assert 0 <= found.lower <= found.upper < math.inf


@pytest.mark.parametrize("distortion", [Absolute(), Squared()])
@pytest.mark.parametrize("active", [[2], [0, 3, 4], range(6)])
def test_randomised_response_costs_what_its_matrix_does(distortion: Distortion, active: list[int]) -> None:
    letters = Alphabet(["-1", "0.5", "3", "3.25", "7", "-2"])
    response = TopRandomisedResponse(letters, active, "5/2")
    assert response.costs(distortion) == response.dense().costs(distortion)
