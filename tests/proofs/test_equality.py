"""Multipliers that prove just the distortion allowed exclude all smaller levels only where those cost more."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import check_proof
import pytest
from tests.frontier.generated import Kind, generated
from tests.proofs.cases import checked_by_the_second
from tests.proofs.schema_one import write_proof

from epstar.completion import Proof
from epstar.completion.converse import Step
from epstar.deadline import Deadline
from epstar.errors import EpstarError, NoSolution, ProofRejected
from epstar.exact import Rational, Real
from epstar.problem import Problem
from epstar.solve.certify.exact_level import rising
from epstar.solve.certify.exact_optimum import exact_optimum
from epstar.solve.program.exact_mechanism import ExactFound

NOTIONS = (
    "differential privacy",
    "approximate",
    "pointwise approximate",
    "maximal information",
    "identifiability",
    "local information",
)
_LESS = 1 - Rational(1, 10**6)


def _solved(problem: Problem, ratio: Rational) -> ExactFound | None:
    """Return the least distortion at a level, found without an answer in floats."""
    level = Real.log(ratio)
    return exact_optimum(problem, Proof(problem, None, None), level, Deadline(None))


def _accepted(proof: Proof) -> bool:
    """Return whether both checkers accept a proof; they agree."""
    try:
        proof.check()
        accepted = True
    except ProofRejected:
        accepted = False
    try:
        checked_by_the_second(json.loads(json.dumps(write_proof(proof))))
    except (check_proof.Refused, EpstarError):
        assert not accepted
        return False
    assert accepted
    return True


def _campaign(notion: str, seeds: range) -> tuple[int, int, int]:
    """Return how many equalities were accepted, how many were flat, and how many cost more below but were rejected.

    Row prices know no steps: of these, equality excludes smaller levels only where all least prices of an input rise.
    """
    accepted = flat = cautious = 0
    for seed in seeds:
        numbers = random.Random(f"{notion} {seed}")
        kind = Kind(
            notion,
            numbers.choice(["prior", "finite", "hull", "everything"]),
            numbers.choice(["hamming", "absolute", "matrix"]),
            numbers.choice(["alphabet", "ring", "line", "star", "disconnected"]),
            "loss",
        )
        problem = generated(kind, seed)
        ratio = numbers.choice([Rational(3, 2), Rational(2), Rational(7), Rational(40), Rational(1000)])
        try:
            here, below = _solved(problem, ratio), _solved(problem, ratio * _LESS)
        except NoSolution:
            continue
        if here is None or below is None or (not here.converse.ratios and here.converse.prices is None):
            continue
        asked, level = replace(problem, given=Real.of(here.value)), Real.log(ratio)
        is_flat = below.value == here.value
        converse = replace(here.converse, level=level)
        risen = rising(asked, replace(here, converse=converse), level, Deadline(None))
        proves = _accepted(Proof(asked, None, risen or converse))
        # What is accepted must be true: no smaller level allows as little.
        assert not (proves and is_flat)
        for weight in (below.converse.weight, Rational(0), Rational(1, 1000)):
            step = Step(weight, below.converse.distortion_law, below.converse.ratios)
            forged = replace(converse, points=below.converse.points, steps=(step,))
            assert not (is_flat and _accepted(Proof(asked, None, forged)))
        has_steps = converse.prices is None
        accepted, flat = accepted + proves, flat + is_flat
        cautious += has_steps and not proves and not is_flat
    return accepted, flat, cautious


@pytest.mark.parametrize("notion", NOTIONS)
def test_equality_excludes_smaller_levels_only_where_they_cost_more(notion: str) -> None:
    accepted, flat, cautious = _campaign(notion, range(12))
    assert accepted > 0
    assert cautious == 0
    assert accepted + flat >= 4


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_a_thousand_equalities(notion: str) -> None:
    accepted, flat, cautious = _campaign(notion, range(1000, 1170))
    # At a kink the multipliers of larger levels may be found, which tell nothing of smaller ones.
    assert accepted > 40 * cautious
    assert flat > 0
