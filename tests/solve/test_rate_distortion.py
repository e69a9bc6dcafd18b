"""The saddle point of mutual information: proven, tight, and in agreement with the cone program."""

from dataclasses import replace

import numpy as np
import pytest

from epstar.distortion import Absolute, Distortion, Hamming, Matrix, Squared
from epstar.errors import ProofRejected
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import Capacity, MutualInformation
from epstar.notions.base import Notion
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.solve.general import Deadline, least_bound, least_distortion
from epstar.solve.rate_distortion import rate_distortion
from epstar.source import Everything, Hull, Prior, Source
from epstar.universe import Alphabet


def drawn(number: int) -> Problem:
    """Return a random question that lies well between the ends of its trade-off."""
    generator = np.random.default_rng(number)
    size, outputs = generator.integers(3, 6, 2).tolist()
    cost = generator.integers(0, 9, (size, outputs)) + np.where(np.eye(size, outputs) > 0, 0, 5)
    laws, source = _source(generator, size, number % 3)
    least, most = float((laws @ cost.min(axis=1)).max()), float((laws @ cost).max(axis=0).min())
    notion: Notion = Capacity() if number % 5 == 4 else MutualInformation()
    given = round(least + generator.uniform(0.2, 0.8) * (most - least), 4)
    return Problem(notion, source, Matrix(cost), Alphabet(size), "loss", Real.of(given))


def _source(generator: np.random.Generator, size: int, kind: int) -> tuple[np.ndarray, Source]:
    if kind == 0:
        prior = Prior(generator.dirichlet(np.ones(size)))
        return prior.floats[None], prior
    if kind == 1:
        hull = Hull(generator.dirichlet(np.ones(size), 3))
        return hull.floats, hull
    return np.eye(size), Everything(size)


@pytest.mark.parametrize("number", range(12))
def test_it_agrees_with_the_cone_program(number: int) -> None:
    problem = drawn(number)
    proof = rate_distortion(problem, lambda: None)
    if proof is None:  # for capacity over all laws, rows that no constraint binds may be left to the cone program
        assert isinstance(problem.source, Everything)
        return
    found, other = proof.check(), least_bound(problem, Deadline(None)).check()
    assert found.width <= 1e-9
    assert found.lower <= other.upper
    assert other.lower <= found.upper
    back = replace(problem, asks="distortion", given=Real.of(found.upper.above(64)))
    again = rate_distortion(back, lambda: None)
    if again is not None:
        interval = again.check()
        assert interval.lower <= problem.given
        assert interval.upper.upper == pytest.approx(float(problem.given), abs=1e-7)
        assert interval.lower <= least_distortion(back, Deadline(None)).check().upper


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
        with pytest.raises(ProofRejected, match="prices are too high"):
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
