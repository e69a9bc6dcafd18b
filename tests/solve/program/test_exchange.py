"""The exchange over laws against answers that follow from symmetry."""

from __future__ import annotations

import pytest

from epstar.deadline import Deadline
from epstar.distortion import Hamming
from epstar.exact import Rational, Real
from epstar.notions import DifferentialPrivacy, MaximalInformation, Notion
from epstar.problem import Problem
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.laws import Members
from epstar.source import Box
from epstar.universe import Alphabet

TENTH, MOST = Rational(1, 10), Rational(9, 10)
ONE_SIDED = (MOST, TENTH)


def asked(notion: Notion, ratio: int) -> Problem:
    source = Box([TENTH, TENTH], [MOST, MOST])
    return Problem(notion, source, Hamming(), Alphabet(2), "distortion", Real.log(Rational(ratio)))


@pytest.mark.parametrize("ratio", [2, 3, 8])
def test_the_worst_law_joins(ratio: int) -> None:
    """Under the first law alone the likelier letter is answered; both laws together leave randomised response."""
    problem = asked(DifferentialPrivacy(), ratio)
    members = Members([ONE_SIDED], [])
    found = solve_round(problem, members, problem.given, Deadline(None)).found
    assert len(members.for_distortion) == 2
    assert found.solution.objective == pytest.approx(1 / (1 + ratio), abs=1e-12)
    assert found.matrix == pytest.approx(found.matrix[::-1, ::-1], abs=1e-9)


@pytest.mark.parametrize("ratio", [2, 5])
def test_the_law_joins_at_which_most_is_lost(ratio: int) -> None:
    """The chance of an output is least under the law that avoids the input it is likeliest for.

    Errors of probability e then lose (1 - e) / (e + (1 - 2 e) / 10), which is the ratio allowed.
    """
    problem = asked(MaximalInformation(), ratio)
    members = Members([ONE_SIDED], [(Rational(1, 2), Rational(1, 2))])
    found = solve_round(problem, members, problem.given, Deadline(None)).found
    assert len(members.for_notion) > 1
    assert found.solution.objective == pytest.approx((1 - ratio / 10) / (1 + ratio - ratio / 5), abs=1e-9)
