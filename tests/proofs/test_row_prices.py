"""Row prices in integers: the same verdict as the same rule in fractions, entry by entry."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.distortion import Distortion, Gain, Hamming, Matrix
from epstar.errors import ProofRejected
from epstar.exact import ONE, Rational, Real
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Constraints, Spread
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.proof.converse import Converse, Guarantee, check_converse, guarantee
from epstar.proof.document import read_proof, write_proof
from epstar.proof.row_prices import integer_guarantee
from epstar.source import Finite, Hull, Prior
from epstar.universe import Alphabet

NUMBERS = st.fractions(-1, 2, max_denominator=12)


def exact(values: list[Fraction]) -> tuple[Rational, ...]:
    """Fractions of the standard library as rationals."""
    return tuple(Rational(value.numerator, value.denominator) for value in values)


def verdict(check: object) -> tuple[object, ...]:
    """What a check returns, or why it refuses."""
    assert callable(check)
    try:
        found = check()
    except ProofRejected as error:
        return (str(error),)
    assert isinstance(found, Guarantee)
    return found.value.rational, found.strict


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(2, 4), st.sampled_from(["0", "log(2)", "log(3/2)", "1"]), st.booleans())
def test_integers_judge_like_fractions(data: st.DataObject, size: int, level: str, hamming: bool) -> None:
    weights = data.draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any))
    law = tuple(Rational(weight, sum(weights)) for weight in weights)
    prices = exact(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
    scales = exact(data.draw(st.lists(st.sampled_from([Fraction(1), Fraction(1, 3)]), min_size=size, max_size=size)))
    slack = Rational(data.draw(st.integers(0, 1)), 7)
    table = [data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)) for _ in range(size)]
    distortion: Distortion = Hamming() if hamming else data.draw(st.sampled_from([Matrix(table), Gain(table)]))
    universe = Alphabet(size)
    constraints = Constraints(spread=Spread(scales, slack))
    converse = Converse(Rational(3, 2), ((ONE, law),), prices=prices)
    read = Real.of(level)
    by_fractions = verdict(lambda: guarantee(converse, constraints, distortion.matrix(universe), read))
    by_integers = verdict(lambda: integer_guarantee(converse, constraints, distortion, universe, read))
    assert by_integers == by_fractions


def test_other_multipliers_are_left_to_fractions() -> None:
    universe, law = Alphabet(2), ((ONE, (Rational(1, 2), Rational(1, 2))),)
    constraints = DifferentialPrivacy().constraints(universe, [])
    with_ratio = Converse(ONE, law, ratios=((0, 0, ONE),))
    assert integer_guarantee(with_ratio, constraints, Hamming(), universe, Real.of(1)) is None
    too_few = Converse(ONE, law, prices=(ONE,))
    with pytest.raises(ProofRejected, match="one entry per input"):
        check_converse(too_few, constraints, (2, 2))


@pytest.fixture(scope="module")
def many() -> Proof:
    """A proof about a hull of many priors on many letters."""
    laws = np.random.default_rng(8).dirichlet(np.ones(5000), size=21)
    found = Frontier(DifferentialPrivacy(), Hull(laws), Hamming(), Alphabet(5000)).distortion_at(loss=1)
    assert isinstance(found.proof, Proof)
    return found.proof


def test_weights_must_make_the_law(many: Proof) -> None:
    converse = many.converse
    assert converse is not None
    assert converse.weights is not None
    assert many.check().width < 1e-12
    ((_, law),) = converse.distortion_law
    swapped = (law[1], law[0], *law[2:])
    forgeries: list[tuple[dict[str, Any], str]] = [
        ({"distortion_law": ((ONE, swapped),)}, "not the mixture"),
        ({"weights": converse.weights[::-1]}, "not the mixture"),
        ({"weights": (ONE, *(-w for w in converse.weights[1:]))}, "non-negative"),
        ({"weights": converse.weights[:-1]}, "sum to one"),
    ]
    for change, reason in forgeries:
        with pytest.raises(ProofRejected, match=reason):
            Proof(many.problem, many.mechanism, replace(converse, **change)).check()


def test_weights_prove_nothing_about_a_single_prior(many: Proof) -> None:
    problem = many.problem
    alone = Problem(
        problem.notion, Prior.uniform_on(5000), problem.distortion, problem.universe, problem.asks, problem.given
    )
    with pytest.raises(ProofRejected):
        Proof(alone, many.mechanism, many.converse).check()


def test_a_written_proof_names_its_members() -> None:
    laws = np.random.default_rng(9).dirichlet(np.ones(2500), size=40)
    found = Frontier(DifferentialPrivacy(), Finite(laws), Hamming(), Alphabet(2500)).distortion_at(loss="log(2)")
    assert isinstance(found.proof, Proof)
    again = read_proof(write_proof(found.proof))
    assert isinstance(again, Proof)
    assert again.converse is not None
    assert again.converse.weights is None
    assert len(again.converse.distortion_law) > 1
    assert found.interval.width < 1e-12
