"""The saddle point of mutual information: proven, tight, and in agreement with the cone program."""

from dataclasses import replace

import numpy as np
import pytest
from tests.solve.as_wider import by_wider_program

from epstar.completion import Proof
from epstar.distortion import Absolute, Distortion, Hamming, Matrix, Squared
from epstar.errors import ProofRejected, TimeLimit
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import Capacity, MutualInformation
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.solve.certify.rate_distortion import rate_distortion
from epstar.source import Ball, Box, Everything, Finite, Hull, Prior, Source
from epstar.universe import Alphabet


def drawn(number: int) -> Problem:
    """Return a random question that lies well between the ends of its trade-off."""
    generator = np.random.default_rng(number)
    size, outputs = generator.integers(3, 6, 2).tolist()
    cost = generator.integers(0, 9, (size, outputs)) + np.where(np.eye(size, outputs) > 0, 0, 5)
    source = _source(generator, size, number % 5)
    least = float(source.maximum(cost.min(axis=1)).value)
    most = min(float(source.maximum(column).value) for column in cost.T)
    notion: Notion = Capacity() if number % 7 == 4 else MutualInformation()
    given = round(least + generator.uniform(0.2, 0.8) * (most - least), 4)
    return Problem(notion, source, Matrix(cost), Alphabet(size), "loss", Real.of(given))


def _source(generator: np.random.Generator, size: int, kind: int) -> Source:
    laws = generator.dirichlet(np.ones(size), 3)
    match kind:
        case 0:
            return Prior(laws[0])
        case 1:
            return Hull(laws)
        case 2:
            return Box(laws[0] / 2, np.minimum(1.0, 2 * laws[0]))
        case 3:
            return Ball(laws[0], "1/4")
    return Everything(size)


@pytest.mark.parametrize("number", range(15))
def test_it_agrees_with_the_cone_program(number: int) -> None:
    problem = drawn(number)
    proof = rate_distortion(problem, lambda: None)
    if proof is None:  # for capacity over all laws, rows that no constraint binds may be left to the convex program
        assert isinstance(problem.source, Everything)
        return
    found, other = proof.check(), by_wider_program(problem)
    assert found.width <= 1e-9
    assert found.lower <= other.upper
    assert other.lower <= found.upper
    back = replace(problem, asks="distortion", given=Real.of(found.upper.above(64)))
    again = rate_distortion(back, lambda: None)
    if again is not None:
        interval = again.check()
        assert interval.lower <= problem.given
        assert interval.upper.upper == pytest.approx(float(problem.given), abs=1e-7)
        assert interval.lower <= by_wider_program(back).upper


class Steps:
    """A clock that counts the steps of a method and stops it after some."""

    def __init__(self, most: float = np.inf) -> None:
        self.most, self.taken = most, 0

    def __call__(self) -> None:
        self.taken += 1
        if self.taken > self.most:
            raise TimeLimit("That was the last step.")


def over_a_region(asks: Asked) -> Problem:
    generator = np.random.default_rng(7)
    law = generator.dirichlet(np.ones(12))
    given = Real.of("2") if asks == "loss" else Real.of("1/2")
    return Problem(MutualInformation(), Box(law / 2, np.minimum(1, law * 2)), Absolute(), Alphabet(12), asks, given)


@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_what_a_region_proves_narrows_from_law_to_law(asks: Asked) -> None:
    problem = over_a_region(asks)
    steps = Steps()
    whole = rate_distortion(problem, steps)
    assert whole is not None
    answer = whole.check()
    assert answer.width < 1e-9
    widths = []
    for share in (0.3, 0.6, 0.9):
        stopped = rate_distortion(problem, Steps(share * steps.taken))
        assert stopped is not None
        interval = stopped.check()
        assert interval.lower <= answer.upper
        assert interval.upper >= answer.lower
        widths.append(interval.width)
    assert widths[-1] < widths[0] < 0.2 * answer.upper.upper
    with pytest.raises(TimeLimit):
        rate_distortion(problem, Steps(3))


@pytest.mark.parametrize("notion", [MutualInformation(), Capacity()])
def test_at_the_least_distortion_of_a_region_the_cheapest_answers_are_judged_by_its_worst_law(notion: Notion) -> None:
    cost = Matrix([["0", "0.4", "0.9"], ["0.9", "0.2", "0"], ["0.4", "1", "0.8"], ["0.7", "0.2", "0.4"]])
    source = Box(["23/80", "0", "3/80", "13/80"], ["47/80", "17/80", "27/80", "37/80"])
    least = source.maximum([Rational(0), Rational(0), Rational(2, 5), Rational(1, 5)]).value
    answer = Frontier(notion, source, cost).loss_at(distortion=least)
    assert answer.interval.width < 1e-7
    assert answer.mechanism is not None
    assert answer.mechanism.distortion(cost, source).value == least


def test_what_was_found_before_a_breakdown_is_kept() -> None:
    lower = [
        "0.013",
        "0.016",
        "0.054",
        "0.056",
        "0.057",
        "0.04",
        "0.032",
        "0.074",
        "0.022",
        "0.025",
        "0.006",
        "0.01",
        "0.049",
        "0.052",
        "0.02",
        "0.058",
        "0.016",
    ]
    upper = [
        "0.033",
        "0.04",
        "0.135",
        "0.14",
        "0.143",
        "0.099",
        "0.08",
        "0.185",
        "0.056",
        "0.062",
        "0.014",
        "0.025",
        "0.124",
        "0.13",
        "0.05",
        "0.145",
        "0.04",
    ]
    answer = Frontier(MutualInformation(), Box(lower, upper), Hamming()).distortion_at(loss="0.59")
    assert answer.interval.width < 1e-9


def test_a_list_of_laws_judges_the_distortion_of_a_channel_as_its_hull_does() -> None:
    laws = [["1/2", "1/3", "1/6"], ["1/5", "2/5", "2/5"]]
    of_list, of_hull = (
        Frontier(Capacity(), source, Absolute()).loss_at("1/3") for source in (Finite(laws), Hull(laws))
    )
    assert of_list.theorem == of_hull.theorem
    assert of_list.interval.width < 1e-9
    assert of_list.upper == pytest.approx(of_hull.upper, abs=1e-9)


@pytest.mark.parametrize("distortion", [Absolute(), Squared(), None])
def test_large_alphabets_are_proven_to_nine_digits(distortion: Distortion | None) -> None:
    size = 350
    generator = np.random.default_rng(3)
    chosen = Matrix(generator.random((size, size))) if distortion is None else distortion
    prior = Prior(generator.dirichlet(np.ones(size)))
    cost = chosen.floats(Alphabet(size))
    given = round(0.2 * float((prior.floats @ cost).min()), 6)
    frontier = Frontier(MutualInformation(), prior, chosen)
    answer = frontier.loss_at(distortion=given)
    assert answer.interval.width < 1e-9
    assert answer.proof.check().width < 1e-9
    back = frontier.distortion_at(loss=answer.upper)
    assert back.lower <= given
    assert back.upper == pytest.approx(given, rel=1e-9)


def test_closed_form_and_saddle_point_agree() -> None:
    frontier = Frontier(MutualInformation(), Prior([0.4, 0.3, 0.2, 0.1]), Hamming())
    closed, found = frontier.loss_at(0.2), frontier.loss_at(0.2, method="program")
    assert closed.method == "closed form"
    assert closed.upper == pytest.approx(found.upper, abs=1e-10)
    assert found.interval.width < 1e-10


def proven() -> Proof:
    found = Frontier(MutualInformation(), Hull([["1/2", "1/3", "1/6"], ["1/5", "2/5", "2/5"]]), Absolute()).loss_at(0.3)
    assert isinstance(found.proof, Proof)
    assert found.proof.converse is not None
    assert found.proof.converse.prices is not None
    return found.proof


def test_prices_that_are_too_high_are_rejected() -> None:
    proof = proven()
    assert proof.converse is not None
    prices = proof.converse.prices or ()
    for x in range(len(prices)):
        raised = tuple(price + (Rational(1, 10**9) if x == i else 0) for i, price in enumerate(prices))
        with pytest.raises(ProofRejected, match="multiples of the rows are too large"):
            Proof(proof.problem, None, replace(proof.converse, prices=raised)).check()


def test_prices_that_do_not_fit_are_rejected() -> None:
    proof = proven()
    converse = proof.converse
    assert converse is not None
    prices = converse.prices or ()
    wrong = (
        replace(converse, prices=prices[:-1]),
        replace(converse, sums=(Rational(-1),)),
        replace(converse, sums=(Rational(0),)),
        replace(converse, weight=Rational(-1)),
        replace(converse, points=()),
        replace(converse, points=(((Rational(1), (Rational(1), Rational(0), Rational(0))),),)),
    )
    for changed in wrong:
        with pytest.raises(ProofRejected):
            Proof(proof.problem, None, changed).check()


def test_a_table_of_floats_is_the_same_distortion_as_its_decimals() -> None:
    cost = np.array([[0.0, 0.1, 2.5], [0.3, 0.0, 1.0]])
    assert Matrix(cost) == Matrix(cost.tolist())
    assert hash(Matrix(cost)) == hash(Matrix(cost.tolist()))
    assert Matrix(cost) != Matrix(cost + 1)
    assert Matrix(cost).values[0][1] == Rational(1, 10)
