"""Bounds under every law of a region, against the same bounds at each of its corners."""

import pytest

from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.exact import ONE, Real
from epstar.exact.vectors import nearest_floats
from epstar.frontier import Frontier
from epstar.notions import DifferentialPrivacy, LocalInformationPrivacy, MaximalInformation, Notion
from epstar.problem import Problem
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.laws import Members
from epstar.solve.program.robust import member_near, region_of
from epstar.source import Ball, Box, Hull, Source
from epstar.universe import Alphabet

SIZE = 7
BOX = Box(["1/10"] * SIZE, ["1/5"] * 3 + ["1/4"] * 4)
BALL = Ball(["1/20", "3/20", "1/5", "1/10", "1/4", "1/8", "1/8"], "1/10")
NOTIONS = [DifferentialPrivacy(), MaximalInformation(), LocalInformationPrivacy()]


# All corners of a ball under local information privacy take 16 CPU seconds.
PAIRED = [
    pytest.param(notion, source, id=f"{notion.name}-{name}", marks=[pytest.mark.full] if is_long else [])
    for notion in NOTIONS
    for name, source in (("box", BOX), ("ball", BALL))
    for is_long in (isinstance(notion, LocalInformationPrivacy) and source is BALL,)
]


@pytest.mark.parametrize(("notion", "source"), PAIRED)
def test_a_region_and_its_corners_have_the_same_optimum(notion: Notion, source: Source) -> None:
    assert region_of(source) is not None
    corners = Hull(source.vertices())
    for asked in ("distortion_at", "loss_at"):
        found, listed = (getattr(Frontier(notion, known, Absolute()), asked)("1/2") for known in (source, corners))
        assert found.interval.width < 1e-9
        assert found.interval.upper.upper >= listed.interval.lower.lower - 1e-12
        assert listed.interval.upper.upper >= found.interval.lower.lower - 1e-12


@pytest.mark.parametrize("source", [BOX, BALL], ids=["box", "ball"])
def test_the_law_of_a_program_is_a_member(source: Source) -> None:
    problem = Problem(
        LocalInformationPrivacy(), source, Matrix([[abs(x - y) ** 2 for y in range(SIZE)] for x in range(SIZE)]),
        Alphabet(SIZE), "distortion", Real.of("1/2"),
    )  # fmt: skip
    solved = solve_round(problem, Members.start(problem), problem.given, Deadline(None))
    laws = [*solved.members.for_distortion, *solved.members.for_notion]
    assert all(source.contains(law) and sum(law) == ONE for law in laws)
    costs = (solved.found.matrix * problem.distortion.floats(problem.universe)).sum(axis=1)
    assert float(solved.law @ costs) == pytest.approx(solved.found.solution.objective, rel=1e-9)


@pytest.mark.parametrize("source", [BOX, BALL], ids=["box", "ball"])
def test_a_law_next_to_a_region_has_a_member_next_to_it(source: Source) -> None:
    for corner in source.vertices():
        blurred = member_near(source, nearest_floats(corner) * (1 + 1e-13))
        assert source.contains(blurred)
        assert max(abs(float(p - q)) for p, q in zip(blurred, corner, strict=True)) < 1e-12
