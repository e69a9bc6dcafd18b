"""What is proven when a program takes too long: bounds from the mutual information, and from nothing at all."""

import itertools
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from tests.proofs.cases import interval_of_the_second
from tests.proofs.schema_one import write_proof

from epstar.deadline import Deadline
from epstar.distortion import Absolute, Matrix
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import (
    DifferentialPrivacy,
    MutualInformation,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.notions.base import Notion
from epstar.problem import Asked, Problem
from epstar.solve.certify import optimum
from epstar.solve.program import exchange
from epstar.solve.reductions.relaxations import has_information, informed
from epstar.source import Box, Finite, Prior, Source
from epstar.universe import Alphabet, Graph

COST = Matrix([[0, 2, 5, 3], [4, 0, 1, 6], [3, 5, 0, 2]])
LAWS = ["1/2", "1/3", "1/6"], ["1/5", "2/5", "2/5"]
SOURCES: list[Source] = [
    Prior(LAWS[0]),
    Box(["1/4", "1/4", "1/8"], ["1/2", "1/2", "1/4"]),
    Finite(LAWS),
]
NOTIONS: list[Notion] = [
    PointwiseLeakage(),
    RenyiDifferentialPrivacy(1),
    RenyiDifferentialPrivacy(2),
    SibsonMutualInformation("3/2"),
    MutualInformation(),
]
QUESTIONS: list[tuple[Asked, str]] = [("loss", "1/2"), ("distortion", "1/4")]


@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: f"{notion.name} {notion.parameters()}")
@pytest.mark.parametrize("source", SOURCES, ids=lambda source: type(source).__name__)
@pytest.mark.parametrize(("asks", "given"), QUESTIONS)
def test_the_mutual_information_bounds_what_programs_find(
    notion: Notion, source: Source, asks: Asked, given: str
) -> None:
    problem = Problem(notion, source, COST, Alphabet(3), asks, Real.of(given))
    told = informed(problem, lambda: None)
    assert told is not None
    assert told.mechanism is not None
    interval, answer = told.check(), Frontier.answer(problem)
    assert 0 < interval.lower.lower <= answer.upper
    assert answer.lower <= interval.upper.upper < 10
    again = interval_of_the_second(json.loads(json.dumps(write_proof(told))))
    assert again.lower.lower <= answer.upper
    assert again.lower.lower == pytest.approx(float(interval.lower), abs=1e-9)


def test_it_says_nothing_where_not_all_inputs_are_compared() -> None:
    line = Problem(RenyiDifferentialPrivacy(2), Prior(LAWS[0]), COST, Graph.line(3), "loss", Real.of("1/2"))
    assert informed(line, lambda: None) is None
    below_one = Problem(SibsonMutualInformation("1/2"), Prior(LAWS[0]), COST, Alphabet(3), "loss", Real.of("1/2"))
    assert not has_information(below_one)


def out_of_time(*_: object) -> None:
    raise TimeLimit("That took too long.")


def give_up(*_: object) -> None:
    raise SolverFailure("That is too large.")


@pytest.mark.parametrize("notion", NOTIONS[:4], ids=lambda notion: f"{notion.name} {notion.parameters()}")
@pytest.mark.parametrize(("asks", "given"), QUESTIONS)
def test_a_program_that_takes_too_long_leaves_more_than_nothing(
    notion: Notion, asks: Asked, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(notion, SOURCES[1], COST, Alphabet(3), asks, Real.of(given))
    answer = Frontier.answer(problem)
    for module in (exchange, optimum):
        monkeypatch.setattr(module, "solve_round", out_of_time)
    monkeypatch.setattr("epstar.solve.certify.convex.interior_optimum", out_of_time)
    found = Frontier.answer(problem, time_limit=3600)
    assert found.timed_out
    assert 0 < found.lower <= answer.upper
    assert answer.lower <= found.upper < 10


def test_a_program_too_large_is_answered_by_what_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epstar.solve.certify.convex._MOST_ENTRIES", 1)
    frontier = Frontier(SibsonMutualInformation(2), Prior(LAWS[0]), COST)
    found = frontier.loss_at("1/2")
    assert not found.timed_out
    assert 0 < found.lower < found.upper < 1
    assert "too large" in found.status
    # Mutual information tells nothing of an order below one, so that the ends of the trade-off are left.
    untold = Frontier(SibsonMutualInformation("1/2"), Prior(LAWS[0]), COST).loss_at("1/2")
    assert untold.lower == 0
    assert untold.upper < math.inf


@pytest.mark.parametrize("order", ["1/2", "2", "3", "5"])
@pytest.mark.parametrize(("asks", "given"), [("loss", "1/2"), ("distortion", "1")])
def test_differential_privacy_tells_what_renyi_privacy_costs_at_most(
    order: str, asks: Asked, given: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(RenyiDifferentialPrivacy(order), Prior(LAWS[0]), COST, Alphabet(3), asks, Real.of(given))
    answer = Frontier.answer(problem)
    strict = Frontier.answer(replace(problem, notion=DifferentialPrivacy()))
    # As for many letters, for which every method gives up: those for one order may not call each other for ever.
    for method in ("convex.interior_optimum", "large_orders.steeply"):
        monkeypatch.setattr(f"epstar.solve.certify.{method}", give_up)
    found = Frontier.answer(problem)
    assert not found.timed_out
    assert found.lower <= answer.upper
    assert answer.lower <= found.upper <= strict.upper + 1e-9


def test_a_deadline_spares_a_share_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()
    monkeypatch.setattr("epstar.deadline.time", SimpleNamespace(monotonic=lambda: next(clock)))
    deadline = Deadline(8, spare=0.25)
    assert [deadline.left() for _ in range(5)] == [5, 4, 3, 2, 1]
    assert not deadline.is_missed
    with pytest.raises(TimeLimit):
        deadline.left()
    assert deadline.is_missed
    assert deadline.afterwards().left() == 1
    assert Deadline(None, spare=0.25).afterwards().left() is None


def test_a_solver_that_is_stopped_counts_as_a_deadline_missed() -> None:
    # Absolute distortion on letters enough that no solver starts and ends in a millionth of a second.
    frontier = Frontier(SibsonMutualInformation(2), Prior.uniform_on(8), Absolute())
    found = frontier.loss_at("1/2", method="program", time_limit=1e-6)
    assert found.timed_out
    assert "time limit passed" in found.status
    assert found.upper < float("inf")
