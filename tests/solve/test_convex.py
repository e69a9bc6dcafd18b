"""Convex programs in floats and many digits: against closed forms, the conic solver, and where that stops early."""

from __future__ import annotations

import math
import time
from dataclasses import replace

import pytest
from tests.frontier.generated import Kind, generated, width_limit
from tests.proofs.cases import checked_by_the_second
from tests.solve.as_wider import by_wider_program

from epstar.answer_file import write_answer
from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Hamming, Matrix
from epstar.errors import TimeLimit
from epstar.exact import Real
from epstar.frontier import Frontier
from epstar.notions import (
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.problem import Problem
from epstar.solve.certify.convex import convex_proofs
from epstar.solve.certify.multipliers import trivial_converse
from epstar.solve.program.faces import mixed_with_uniform
from epstar.source import Everything, Hull, Prior, Source
from epstar.universe import Alphabet, Metric

PRIOR = Prior(["1/2", "3/10", "1/5"])
HULL = Hull([["1/2", "3/10", "1/5"], ["1/5", "1/5", "3/5"]])
SMOOTH: list[tuple[Notion, Source]] = [
    (MutualInformation(), PRIOR),
    (MutualInformation(), HULL),
    (SibsonMutualInformation(3), PRIOR),
    (SibsonMutualInformation("1/2"), HULL),
    (RenyiDifferentialPrivacy(2), PRIOR),
    (RenyiDifferentialPrivacy("1/2"), HULL),
    (PointwiseLeakage(), PRIOR),
]


def _start(problem: Problem) -> Proof:
    """Return what is known before any program."""
    return Proof(problem, mixed_with_uniform(problem) if problem.asks == "loss" else None, None)


def in_many_digits(problem: Problem, known: Proof, deadline: Deadline) -> Proof:
    """Return the last proof: of a small program the one in many digits."""
    *_, last = convex_proofs(problem, known, deadline)
    return last


@pytest.mark.parametrize(("notion", "source"), SMOOTH, ids=lambda value: str(value)[:24])
@pytest.mark.parametrize("asks", ["loss", "distortion"])
def test_both_methods_agree(notion: Notion, source: Source, asks: str) -> None:
    given = Real.of("1/4")
    problem = Problem(notion, source, Absolute(), Alphabet(3), "loss" if asks == "loss" else "distortion", given)
    conic = by_wider_program(problem)
    floats, many = (proof.check() for proof in convex_proofs(problem, _start(problem), Deadline(None)))
    assert floats.width < 1e-9
    assert many.width < 1e-10
    assert many.lower <= conic.upper
    assert conic.lower <= many.upper
    assert conic.width < 1e-6


def test_against_a_closed_form() -> None:
    problem = Problem(MutualInformation(), PRIOR, Hamming(), Alphabet(3), "loss", Real.of("1/5"))
    known = Frontier.answer(problem, method="closed form")
    found = in_many_digits(problem, _start(problem), Deadline(None)).check()
    assert found.lower.lower == pytest.approx(known.upper, abs=1e-12)
    assert found.upper.upper == pytest.approx(known.upper, abs=1e-12)


# Questions on which the conic solver alone leaves intervals of 1e-7 to 1e-3.
HARD = [
    (Kind("renyi", "everything", "matrix", "alphabet", "distortion"), 7001),
    (Kind("renyi", "hull", "absolute", "disconnected", "distortion"), 7002),
    (Kind("sibson", "ball", "absolute", "databases", "distortion"), 7004),
    (Kind("renyi", "polytope", "hamming", "metric", "distortion"), 7004),
    (Kind("sibson", "box", "matrix", "star", "distortion"), 7101),
    (Kind("sibson", "polytope", "gain", "star", "distortion"), 7201),
    (Kind("renyi", "prior", "absolute", "alphabet", "loss"), 8101),
    # The least distortion leaves some inputs only their cheapest answers, and that leaves others fewer, too.
    (Kind("sibson", "box", "matrix", "disconnected", "loss"), 8103),
    (Kind("pointwise leakage", "polytope", "gain", "ring", "loss"), 8103),
    # Sums on many scales, in proportion to the level and not.
    (Kind("renyi", "ball", "squared", "metric", "loss"), 8104),
    (Kind("renyi", "everything", "squared", "metric", "loss"), 8104),
    # The least distortion forces one input alone, and a larger level does not lower it.
    (Kind("renyi", "everything", "matrix", "metric", "loss"), 8401),
    # The cheapest answers lose just the level.
    (Kind("sibson", "ball", "matrix", "disconnected", "distortion"), 8201),
]
# Some were found in minutes once; the slowest takes two to five seconds of a processor.
SLOWEST = 60.0


@pytest.mark.parametrize(("kind", "seed"), HARD, ids=lambda value: str(value)[:60])
def test_questions_that_need_many_digits(kind: Kind, seed: int) -> None:
    problem = generated(kind, seed)
    start = time.process_time()
    answer = Frontier.answer(problem)
    assert time.process_time() - start < SLOWEST
    assert answer.interval.width <= width_limit(problem.notion)
    known = answer.proof.check()
    lower, upper = checked_by_the_second(write_answer(answer))
    assert (lower, upper) == pytest.approx((known.lower.lower, known.upper.upper), abs=1e-9)


@pytest.mark.parametrize("level", ["1e-15", pytest.param("1e-13", marks=pytest.mark.full), "1e-11"])
@pytest.mark.parametrize(
    "notion", [MutualInformation(), SibsonMutualInformation("1/2"), RenyiDifferentialPrivacy(2)], ids=str
)
def test_tiny_levels_over_a_hull(notion: Notion, level: str) -> None:
    """There a loss is a square, so that its distortion tells more of it than a search over the source does."""
    answer = Frontier(notion, HULL, Hamming()).distortion_at(loss=level)
    assert answer.interval.width <= width_limit(notion)
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-12)


def test_a_tiny_level_that_bounds_left_out_lead_astray() -> None:
    """All twenty bounds lead to the minimum, the eight that seem to bind do not."""
    kind = Kind("pointwise leakage", "everything", "absolute", "databases", "distortion")
    answer = Frontier.answer(replace(generated(kind, 3), given=Real.of("1e-6")))
    assert answer.interval.width <= width_limit(PointwiseLeakage())
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-12)


def test_the_least_distortion_on_many_scales() -> None:
    """The last input must give its only answer, the one at distance one gives it one time in nine at most."""
    cost = Matrix([[0, 1], ["1/10", 1], ["2/5", "1/5"]])
    places = Metric([[0, 3, 4], [3, 0, 1], [4, 1, 0]])
    problem = Problem(RenyiDifferentialPrivacy("1/2"), Everything(3), cost, places, "loss", Real.of("1/5"))
    answer = Frontier.answer(problem)
    # The second input: (1 - q)/10 + q <= 1/5; and -2 log of the root of q is the loss at distance one.
    assert (answer.lower, answer.upper) == pytest.approx((math.log(9), math.log(9)), abs=1e-9)
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        (Kind("renyi", "everything", "absolute", "disconnected", "distortion"), 7004),
        (Kind("renyi", "finite", "squared", "disconnected", "distortion"), 8201),
        (Kind("sibson", "finite", "hamming", "alphabet", "distortion"), 8202),
    ],
    ids=lambda value: str(value)[:60],
)
def test_level_zero_of_pieces(kind: Kind, seed: int) -> None:
    """Graphs in pieces, and members of a source none of which has a probability for every input."""
    problem = generated(kind, seed)
    assert problem.given.rational == 0
    answer = Frontier.answer(problem)
    assert answer.interval.width <= 1e-15
    assert checked_by_the_second(write_answer(answer)) == pytest.approx((answer.lower, answer.upper), abs=1e-12)


class Steps(Deadline):
    """A deadline after so many steps, which counts them."""

    def __init__(self, most: int) -> None:
        super().__init__(None)
        self.most, self.taken = most, 0

    def left(self) -> float | None:
        if self.taken == self.most:
            raise TimeLimit("No steps are left.")
        self.taken += 1
        return None


def test_what_was_found_in_time_is_proven() -> None:
    problem = generated(Kind("sibson", "polytope", "gain", "star", "distortion"), 7201)
    start = Proof(problem, None, trivial_converse(problem))
    whole = Steps(10**6)
    known = next(convex_proofs(problem, start, whole)).check()
    assert known.width < 1e-9
    with pytest.raises(TimeLimit):
        next(convex_proofs(problem, start, Steps(5)))
    # The last program is cut short; without it the one before is the evidence.
    found = next(convex_proofs(problem, start, Steps(whole.taken - 3))).check()
    assert found.lower <= known.upper
    assert known.lower <= found.upper
    assert found.upper.upper < 10


@pytest.mark.parametrize("limit", [0.0, 0.1, 0.3])
def test_a_time_limit_holds(limit: float) -> None:
    problem = generated(Kind("sibson", "box", "matrix", "star", "distortion"), 7101)
    known = Frontier.answer(problem)
    answer = Frontier.answer(problem, time_limit=limit)
    assert answer.timed_out or limit > 0
    assert answer.lower <= known.upper
    assert known.lower <= answer.upper
    assert answer.timed_out or answer.interval.width <= 1e-7
