"""Multipliers that prove just the distortion allowed exclude all smaller levels only where those cost more."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import check_proof
import pytest
from tests.frontier.generated import Kind, generated

from epstar.errors import NoSolution, ProofRejected
from epstar.exact import Rational, Real
from epstar.problem import Problem
from epstar.proof import Proof
from epstar.proof.document import write_proof
from epstar.solve.fractions.exact_optimum import exact_optimum
from epstar.solve.fractions.exact_program import ExactFound
from epstar.solve.programs.general import Deadline

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
    document = json.loads(json.dumps(write_proof(proof)))
    try:
        check_proof.check(document)
    except check_proof.Rejected:
        assert not accepted
        return False
    assert accepted
    return True


def _campaign(notion: str, seeds: range) -> tuple[int, int, int]:
    """Return how many equalities were accepted, how many were flat, and how many cost more below but were rejected."""
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
        asked = replace(problem, given=Real.of(here.value))
        is_flat = below.value == here.value
        proves = _accepted(Proof(asked, None, replace(here.converse, level=Real.log(ratio))))
        # What is accepted must be true: no smaller level allows as little.
        assert not (proves and is_flat)
        accepted, flat, cautious = accepted + proves, flat + is_flat, cautious + (not proves and not is_flat)
    return accepted, flat, cautious


@pytest.mark.parametrize("notion", NOTIONS)
def test_equality_excludes_smaller_levels_only_where_they_cost_more(notion: str) -> None:
    accepted, flat, cautious = _campaign(notion, range(12))
    assert accepted > 0
    assert accepted + flat + cautious >= 4


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_a_thousand_equalities(notion: str) -> None:
    accepted, flat, cautious = _campaign(notion, range(1000, 1170))
    assert accepted > 2 * cautious
    assert flat > 0
