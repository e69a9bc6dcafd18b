"""Rényi privacy of moderate orders over regions of laws: both questions agree, and what time cuts short is proven."""

import pytest
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.deadline import Deadline
from epstar.distortion import Absolute
from epstar.errors import TimeLimit
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import RenyiDifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.certify import large_orders as orders
from epstar.solve.certify.large_orders import by_divergences
from epstar.source import Ball, Box, Source
from epstar.universe import Alphabet, Metric, Universe

SIZE = 8
CENTRE = [Rational(x % 4 + 1, 20) for x in range(SIZE)]
LINE = Metric([[Rational(abs(x - y), 3) for y in range(SIZE)] for x in range(SIZE)])
BALL = Ball(CENTRE, Rational(1, 5))
BOX = Box([p / 2 for p in CENTRE], [p * 2 for p in CENTRE])
GIVEN = Rational(1)


@pytest.mark.parametrize("order", ["1/2", "1", "2"])
@pytest.mark.parametrize(("source", "universe"), [(BALL, LINE), (BOX, Alphabet(SIZE))])
def test_both_questions_agree(order: str, source: Source, universe: Universe) -> None:
    frontier = Frontier(RenyiDifferentialPrivacy(order), source, Absolute(), universe)
    loss = frontier.loss_at(GIVEN)
    assert loss.interval.width < 1e-8
    assert checked_by_the_second(write_answer(loss)) == pytest.approx((loss.lower, loss.upper), abs=1e-12)
    distortion = frontier.distortion_at(loss.upper)
    assert distortion.interval.width < 1e-8
    assert distortion.lower - 1e-8 <= float(Real.of(GIVEN)) <= distortion.upper + 1e-8


@pytest.mark.parametrize(("programs", "most"), [(1, 50.0), (2, 20.0), (3, 1.0)])
def test_what_was_found_in_time_is_proven(programs: int, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem(RenyiDifferentialPrivacy(2), BALL, Absolute(), LINE, "loss", Real.of(GIVEN))
    full = by_divergences(problem, Deadline(None)).check()
    solved, left = orders._Moderate.program, [programs]

    def until_time_is_over(search: orders._Moderate, level: float, roughly: bool) -> orders._Solved:
        if not left[0]:
            raise TimeLimit("over")
        left[0] -= 1
        return solved(search, level, roughly)

    monkeypatch.setattr(orders._Moderate, "program", until_time_is_over)
    deadline = Deadline(None)
    cut = by_divergences(problem, deadline).check()
    assert deadline.is_missed
    assert cut.lower <= full.upper
    assert full.lower <= cut.upper
    assert cut.lower > 0
    assert cut.width < most


def test_nothing_found_in_time() -> None:
    problem = Problem(RenyiDifferentialPrivacy(2), BALL, Absolute(), LINE, "loss", Real.of(GIVEN))
    with pytest.raises(TimeLimit):
        by_divergences(problem, Deadline(0))
