"""The search for the least level when time runs out: what was excluded stays excluded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epstar.deadline import Deadline
from epstar.distortion import Absolute
from epstar.errors import TimeLimit
from epstar.exact import Rational, Real
from epstar.frontier import Frontier
from epstar.notions import ApproximateDifferentialPrivacy, DifferentialPrivacy
from epstar.problem import Problem
from epstar.solve.certify import optimum
from epstar.solve.program.exchange import Round, solve_round
from epstar.source import Prior
from epstar.universe import Graph


def test_a_search_that_is_cut_after_its_first_program_keeps_what_that_excludes(monkeypatch: pytest.MonkeyPatch) -> None:
    prior = Prior([Rational(k, 21) for k in range(1, 7)])
    problem = Problem(DifferentialPrivacy(), prior, Absolute(), Graph.line(6), "loss", Real.of(Rational(1, 10)))
    levels: list[Real] = []

    def once(*arguments: Any, **options: Any) -> Round:
        """Solve the first program, as coarsely as an interior-point method does, and be late for all others."""
        if levels:
            raise TimeLimit("No time is left.")
        levels.append(arguments[2])
        found = solve_round(*arguments, **options)
        return replace(found, found=replace(found.found, solution=replace(found.found.solution, precision=1e-12)))

    monkeypatch.setattr(optimum, "solve_round", once)
    proofs = optimum.least_level(problem, Deadline(None))
    assert float(next(proofs).lower) >= float(levels[0]) - 1e-9 > 0
    with pytest.raises(TimeLimit):
        next(proofs)


def test_slacks_that_are_just_used_up_leave_a_finite_loss() -> None:
    """A mechanism in floats exceeds them by a rounding, which makes its loss infinite until it is cleaned."""
    prior = Prior([Rational(k, 465) for k in range(1, 31)])
    notion = ApproximateDifferentialPrivacy("1/20", reading="pointwise")
    assert Frontier(notion, prior, Absolute()).loss_at(distortion="15/4").interval.width <= 1e-9
