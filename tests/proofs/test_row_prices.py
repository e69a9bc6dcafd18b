"""Row prices in integers: the same verdict as the same rule in fractions, entry by entry."""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proofs.schema_one import write_proof

from epstar.claims.claim import Excluded, Setting, Step
from epstar.claims.face import Face
from epstar.claims.form import Form
from epstar.claims.premises import Premises, premises
from epstar.claims.rule import judged
from epstar.completion import Converse, Proof
from epstar.completion.schema_one import read_proof
from epstar.distortion import Distortion, Gain, Hamming, Matrix
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy, Identifiability
from epstar.problem import Problem
from epstar.source import Finite, Hull, Prior
from epstar.universe import Alphabet

NUMBERS = st.fractions(-1, 2, max_denominator=12)


def exact(values: list[Fraction]) -> tuple[Rational, ...]:
    """Fractions of the standard library as rationals."""
    return tuple(Rational(value.numerator, value.denominator) for value in values)


def verdict(given: Premises, step: Step, in_arrays: bool) -> tuple[object, ...]:
    """What the rule says of a step, or why it refuses, by one of its two ways to add up."""
    try:
        found = judged(Form(given, step), Face(), 0 if in_arrays else math.inf)
    except ProofRejected as error:
        return (str(error),)
    entries = product(range(given.frame.inputs), range(given.frame.outputs))
    return found is None, {entry for entry in entries if found is not None and entry in found}


NOTIONS = (DifferentialPrivacy(), ApproximateDifferentialPrivacy("1/7", "pointwise"), Identifiability())


@settings(deadline=None, max_examples=150)
@given(st.data(), st.integers(2, 4), st.sampled_from(["0", "log(2)", "log(3/2)", "1"]), st.booleans())
def test_integers_judge_like_fractions(data: st.DataObject, size: int, level: str, hamming: bool) -> None:
    weights = data.draw(st.lists(st.integers(1, 5), min_size=size, max_size=size))
    law = tuple(Rational(weight, sum(weights)) for weight in weights)
    prices = exact(data.draw(st.lists(NUMBERS, min_size=size, max_size=size)))
    table = [data.draw(st.lists(st.integers(0, 3), min_size=3, max_size=3)) for _ in range(size)]
    distortion: Distortion = Hamming() if hamming else data.draw(st.sampled_from([Matrix(table), Gain(table)]))
    source = Prior(law)
    setting = Setting(data.draw(st.sampled_from(NOTIONS)), Alphabet(size), source, distortion)
    # The distortion at which the step without its slack just adds up to zero, or another one.
    allowed = data.draw(st.sampled_from([sum(prices, ZERO) * Rational(2, 3), ZERO]))
    ends: list[Literal["loss", "distortion"]] = ["loss", "distortion"]
    open_end = data.draw(st.sampled_from(ends))
    claim = Excluded(Real.of(level), Real.of(allowed), open_end, points=(((ONE, source.probabilities),),))
    step = Step(laws=((Rational(3, 2), source.probabilities),), rows=prices, spread=True)
    premise = premises(setting, claim)
    assert verdict(premise, step, in_arrays=True) == verdict(premise, step, in_arrays=False)


def test_there_is_a_price_for_each_row() -> None:
    problem = Problem(DifferentialPrivacy(), Prior(["1/2", "1/2"]), Hamming(), Alphabet(2), "distortion", Real.of(1))
    too_few = Converse(ONE, ((ONE, (Rational(1, 2), Rational(1, 2))),), prices=(ONE,))
    with pytest.raises(ProofRejected, match="1 multiples of rows; there are 2 rows"):
        Proof(problem, None, too_few).check()


@pytest.fixture(scope="module")
def many() -> Proof:
    """A proof about a hull of many priors on many letters."""
    laws = np.random.default_rng(8).dirichlet(np.ones(5000), size=21)
    found = Frontier(DifferentialPrivacy(), Hull(laws), Hamming(), Alphabet(5000)).distortion_at(loss=1)
    assert isinstance(found.proof, Proof)
    return found.proof


def test_other_weights_prove_no_more(many: Proof) -> None:
    converse = many.converse
    assert converse is not None
    assert converse.weights is not None
    assert many.check().width < 1e-12
    ((_, law),) = converse.distortion_law
    swapped = (law[1], law[0], *law[2:])
    forgeries: list[dict[str, Any]] = [
        {"distortion_law": ((ONE, swapped),)},
        {"weights": converse.weights[::-1]},
        {"weights": (ONE, *(-w for w in converse.weights[1:]))},
        {"weights": converse.weights[:-1]},
        {"weights": tuple(2 * w for w in converse.weights)},
    ]
    for change in forgeries:
        with suppress(ProofRejected):
            assert Proof(many.problem, None, replace(converse, **change)).lower <= many.upper


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
