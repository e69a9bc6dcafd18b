"""From multipliers in floats to a bound that holds exactly, against an answer known by hand."""

from __future__ import annotations

import pytest

from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Hamming
from epstar.exact import Rational, Real
from epstar.notions import DifferentialPrivacy, MaximalLeakage, Notion
from epstar.problem import Problem
from epstar.solve.certify.exact_optimum import exactly
from epstar.solve.certify.mechanism import private_mechanism
from epstar.solve.certify.multipliers import converse_of, proven
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.laws import Members
from epstar.source import Prior
from epstar.universe import Alphabet

# Of three letters alike, the truth is told with probability 3/5 against 1/5 each, or two of them are told apart.
KNOWN = [(DifferentialPrivacy(), 3, Rational(2, 5)), (MaximalLeakage(), 2, Rational(1, 3))]


@pytest.mark.parametrize(("notion", "ratio", "least"), KNOWN)
def test_floats_prove_nearly_all_and_fractions_all(notion: Notion, ratio: int, least: Rational) -> None:
    source, level = Prior([Rational(1, 3)] * 3), Real.log(Rational(ratio))
    problem = Problem(notion, source, Hamming(), Alphabet(3), "distortion", level)
    solved = solve_round(problem, Members.start(problem), level, Deadline(None))
    converse = converse_of(problem, solved, level)
    _, bound = proven(Proof(problem, None, converse))
    assert least - Rational(1, 10**12) <= bound <= least
    assert exactly(Proof(problem, None, converse), Deadline(None)).check().lower.rational == least
    repaired = private_mechanism(solved.found.matrix, problem, level, solved.constraints, source.floats)
    assert repaired is not None
    loss = notion.loss(repaired, source).upper
    assert loss is not None
    assert loss <= level
    distortion = repaired.distortion(problem.distortion, source).value
    assert least <= distortion <= least + Rational(1, 10**11)
