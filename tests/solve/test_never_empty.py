"""Nothing is refused for its size where a bound is known, and what a paper's own mechanism attains is attained."""

import math

import pytest

from epstar.answer import answer
from epstar.distortion import Hamming
from epstar.exact import Rational, Real
from epstar.notions import (
    Capacity,
    DifferentialPrivacy,
    MaximalLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
)
from epstar.problem import Asked, Problem
from epstar.source import Everything, Prior
from epstar.universe import Databases

MANY = Databases(2, 12)


def joint(size: int) -> Prior:
    """A law of databases whose rows depend on each other."""
    weights = [1 + (37 * x * x + 11 * x) % 101 for x in range(size)]
    return Prior([Rational(weight, sum(weights)) for weight in weights])


@pytest.mark.parametrize(
    "notion", [DifferentialPrivacy(), RenyiDifferentialPrivacy(2), MaximalLeakage(), Capacity()], ids=str
)
@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_a_joint_law_of_many_databases_has_bounds_and_a_mechanism(notion: Notion, asks: Asked, given: str) -> None:
    found = answer(Problem(notion, joint(MANY.size), Hamming(), MANY, asks, Real.of(given)))
    assert found.mechanism is not None
    assert 0 <= found.lower <= found.upper < math.inf
    assert found.too_large


@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_the_information_of_anything_is_that_of_uniform_rows(asks: Asked, given: str) -> None:
    found = answer(Problem(MutualInformation(), Everything(4**6), Hamming(), Databases(4, 6), asks, Real.of(given)))
    assert found.interval.width < 1e-9
    row = answer(Problem(MutualInformation(), Everything(4), Hamming(), Databases(4, 1), asks, Real.of(given) / 6))
    assert found.upper == pytest.approx(6 * row.upper, rel=1e-9)


def test_rows_that_answer_alike_attain_what_the_paper_says_they_do() -> None:
    # zhong2022, Lemma 5: every row is wrong with probability 1/5, at a ratio of 4, whatever the law of the database.
    problem = Problem(DifferentialPrivacy(), joint(64), Hamming(), Databases(2, 6), "loss", Real.of("6/5"))
    found = answer(problem, time_limit=0.0)
    assert found.mechanism is not None
    assert found.interval.upper <= Real.log(Rational(4))
