"""The loss at the least distortion there is, and a hair above it: infinite or finite, and how large."""

from __future__ import annotations

import json
import math
import random
from dataclasses import replace
from itertools import pairwise

import pytest
from tests.frontier.generated import UNIVERSES, Kind, generated
from tests.proofs.cases import checked_by_the_second

from epstar.answer_file import write_answer
from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.distortion import Absolute, Hamming, Matrix
from epstar.errors import NoSolution
from epstar.exact import ZERO, Rational, Real
from epstar.frontier import Answer, Frontier
from epstar.mechanism import Mechanism
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    LocalInformationPrivacy,
    MutualInformation,
    Notion,
    PointwiseLeakage,
    RenyiDifferentialPrivacy,
)
from epstar.problem import Problem
from epstar.solve.certify.exact_level import sharpened
from epstar.solve.program.constant import best_constant
from epstar.source import Everything, Finite, Hull, Prior
from epstar.universe import Alphabet, Graph, Metric, Universe

SOURCES = ("box", "ball", "polytope", "hull", "finite", "everything")
LINEAR = (
    "differential privacy",
    "approximate",
    "pointwise approximate",
    "maximal information",
    "identifiability",
    "local information",
)
TINY = Rational(1, 10**40)


def asked_at_least(notion: str, seed: int, more: Rational = ZERO) -> Problem:
    """Return a random question for the loss at the least distortion of all, plus something."""
    choice = random.Random(f"{notion} {seed}")
    places = choice.choice(SOURCES), choice.choice(("matrix", "gain")), choice.choice(UNIVERSES)
    return at_least(generated(Kind(notion, *places, "loss"), seed), more)


def at_least(problem: Problem, more: Rational = ZERO) -> Problem:
    """Return the question at the least distortion of all, plus something."""
    cheapest = [min(row) for row in problem.distortion.matrix(problem.universe)]
    return replace(problem, given=Real.of(problem.source.maximum(cheapest).value + more))


def second_opinion(answer: Answer) -> tuple[float, float]:
    """Return the ends of the interval that the second checker proves."""
    return checked_by_the_second(json.loads(json.dumps(write_answer(answer))))


def assert_settled(answer: Answer, limit: float = 1e-9) -> None:
    assert answer.interval.width <= limit
    lower, upper = second_opinion(answer)
    assert upper == lower or upper - lower <= limit
    assert lower == pytest.approx(answer.lower, abs=1e-9)


def test_a_region_that_leaves_no_finite_loss() -> None:
    answer = Frontier.answer(generated(Kind("local information", "box", "matrix", "ring", "loss"), 7001))
    assert (answer.lower, answer.upper) == (math.inf, math.inf)
    assert second_opinion(answer) == (math.inf, math.inf)


@pytest.mark.parametrize("notion", ["local information", "approximate", "pointwise approximate"])
@pytest.mark.parametrize("seed", range(8))
def test_every_loss_near_the_least_distortion_is_settled(notion: str, seed: int) -> None:
    losses = []
    for more in (ZERO, TINY, Rational(1, 10**12), Rational(1, 10**6)):
        answer = Frontier.answer(asked_at_least(notion, seed, more))
        assert_settled(answer)
        losses.append(answer.lower)
    assert all(nearer >= farther - 1e-9 for nearer, farther in pairwise(losses))
    # Mechanisms of a bounded loss are a compact set: the loss at the least distortion is the limit of those above it.
    if math.isinf(losses[0]):
        assert losses[1] > 20
    else:
        assert losses[1] == pytest.approx(losses[0], abs=1e-9)


@pytest.mark.full
@pytest.mark.parametrize("notion", LINEAR)
@pytest.mark.parametrize("seed", range(100, 200))
def test_every_linear_notion_is_settled_near_the_least_distortion(notion: str, seed: int) -> None:
    for more in (ZERO, Rational(1, 10**12), Rational(1, 10**6)):
        try:
            answer = Frontier.answer(asked_at_least(notion, seed, more))
        except NoSolution:
            continue
        assert_settled(answer)


# Their losses are logarithms of rationals of hundreds of digits, met exactly at distances 1/2 and 1/4: roots are exact.
@pytest.mark.parametrize(("notion", "seed"), [("approximate", 148), ("differential privacy", 157)])
def test_losses_that_are_met_exactly_at_fractions_of_a_distance(notion: str, seed: int) -> None:
    assert_settled(Frontier.answer(asked_at_least(notion, seed, Rational(1, 10**6))))


# Input 0 may answer either way at cost 1, which is all that is allowed; 1 must name output 1, and 2 output 0, three
# times out of four. Between them, 0 answers by a fair coin.
_MIDDLE = Matrix([[1, 1], [4, 0], [0, 4]])
_CERTAIN = Finite([[1, 0, 0], [0, 1, 0], [0, 0, 1]])
_STAR = Graph(3, [(0, 1), (0, 2)])


@pytest.mark.parametrize(
    ("notion", "ratio"),
    [
        (DifferentialPrivacy(), Rational(2)),  # 1/2 over 1/4
        (ApproximateDifferentialPrivacy("1/20"), Rational(9, 5)),  # 1/2 - 1/20 over 1/4
        (ApproximateDifferentialPrivacy("1/20", "pointwise"), Rational(9, 5)),
        (LocalInformationPrivacy(), Rational(3)),  # 3/4 over 1/4: every input is compared with every other
        (LocalInformationPrivacy("1/20"), Rational(14, 5)),  # 3/4 - 1/20 over 1/4
    ],
    ids=repr,
)
def test_a_finite_loss_where_several_mechanisms_are_left(notion: Notion, ratio: Rational) -> None:
    answer = Frontier(notion, _CERTAIN, _MIDDLE, _STAR).loss_at(distortion=1)
    assert_settled(answer)
    assert answer.lower <= float(Real.log(ratio)) + 1e-15
    assert answer.upper >= float(Real.log(ratio)) - 1e-15


# Input 0 always gives output 0; 1 must give output 1 at least half of the time, which the slack allows or does not.
@pytest.mark.parametrize("reading", ["event", "pointwise"])
@pytest.mark.parametrize(("delta", "loss"), [("49/100", math.inf), ("1/2", 0.0), ("51/100", 0.0)])
def test_a_slack_decides_whether_there_is_a_finite_loss(reading: str, delta: str, loss: float) -> None:
    notion = ApproximateDifferentialPrivacy(delta, "event" if reading == "event" else "pointwise")
    distortion = Matrix([[1, 2], [2, 0]])
    answer = Frontier(notion, Finite([[1, 0], [0, 1]]), distortion).loss_at(distortion=1)
    assert_settled(answer)
    assert answer.lower == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize("exponent", [3, 12, 30])
@pytest.mark.parametrize("delta", ["0", "1/10"])
def test_the_program_agrees_with_the_closed_form_far_out(exponent: int, delta: str) -> None:
    problem = Problem(
        ApproximateDifferentialPrivacy(delta),
        Prior(["2/5", "3/10", "1/5", "1/10"]),
        Hamming(),
        Alphabet(4),
        "loss",
        Real.of(Rational(1, 10**exponent)),
    )
    closed = Frontier.answer(problem, method="closed form")
    program = Frontier.answer(problem, method="program")
    assert_settled(program)
    assert program.lower == pytest.approx(closed.lower, abs=1e-9)


@pytest.mark.parametrize("notion", LINEAR)
@pytest.mark.parametrize("seed", range(4))
def test_exact_programs_agree_with_programs_in_floats(notion: str, seed: int) -> None:
    problem = generated(Kind(notion, "hull", "absolute", "ring", "loss"), seed)
    cost = problem.distortion.matrix(problem.universe)
    constant = min(problem.source.maximum(column).value for column in zip(*cost, strict=True))
    problem = replace(problem, given=Real.of(constant / 2))
    answer = Frontier.answer(problem)
    found = sharpened(Proof(problem, None, None), Deadline(None)).check()
    assert found.width <= 1e-9
    assert float(found.lower) == pytest.approx(answer.lower, abs=1e-9)


@pytest.mark.parametrize(("near", "far"), [("1/10", 20), ("1/1000", 1)])
def test_distances_of_very_different_size(near: str, far: int) -> None:
    places = [ZERO, Rational(1, int(near[2:])), Rational(far)]
    universe = Metric([[abs(a - b) for b in places] for a in places])
    cost = Matrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])
    frontier = Frontier(DifferentialPrivacy(), Prior(["1/2", "1/4", "1/4"]), cost, universe)
    answer = frontier.loss_at(distortion=Rational(1, 10**12))
    assert_settled(answer)
    # The two near places, 3/4 of the prior, are confused with probability 1/(1 + ratio); the third hardly matters.
    ratio = 3e12 / 4 - 1
    assert answer.lower == pytest.approx(math.log(ratio) / float(places[1]), rel=1e-12)


# Inputs 0 and 3 may only give the answers that cost 1: together 0 and 1, and no other input may then give another. So 1
# and 2 answer by 1/4 and 3/4, and 3/4 and 1/4, and the others between them.
_APART = Matrix([[1, 1, 2, 1], [4, 0, 2, 2], [0, 4, 2, 2], [1, 1, 1, 2]])
_FAR = Metric([[0, 1, 1, 0.5], [1, 0, 2, 1], [1, 2, 0, 1], [0.5, 1, 1, 0]])


@pytest.mark.parametrize(
    ("notion", "universe", "loss"),
    [
        (PointwiseLeakage(), Alphabet(4), math.log(3) / 2),
        (RenyiDifferentialPrivacy(1), Alphabet(4), math.log(3) / 2),
        (RenyiDifferentialPrivacy(2), Alphabet(4), math.log(7 / 3)),
        (RenyiDifferentialPrivacy("1/2"), Alphabet(4), math.log(4 / 3)),
        (RenyiDifferentialPrivacy(2), _FAR, math.log(7 / 3) / 2),
    ],
    ids=repr,
)
def test_zeros_that_spread_and_leave_several_mechanisms(notion: Notion, universe: Universe, loss: float) -> None:
    answer = Frontier(notion, Everything(4), _APART, universe).loss_at(distortion=1)
    assert_settled(answer)
    assert answer.lower == pytest.approx(loss, abs=1e-9)
    assert answer.upper == pytest.approx(loss, abs=1e-9)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        (Kind("pointwise leakage", "everything", "gain", "metric", "loss"), 9203),
        (Kind("pointwise leakage", "everything", "gain", "star", "loss"), 9205),
        (Kind("pointwise leakage", "box", "gain", "metric", "loss"), 9211),
        (Kind("mutual information", "polytope", "gain", "star", "loss"), 9217),
    ],
    ids=str,
)
def test_a_convex_loss_on_the_answers_that_are_left(kind: Kind, seed: int) -> None:
    answer = Frontier.answer(at_least(generated(kind, seed)))
    assert_settled(answer, limit=1e-7)
    if kind.source == "everything":
        # Answers that were forced to zero cost one over the logarithm of what is added.
        above = Frontier.answer(at_least(generated(kind, seed), Rational(1, 10**12)))
        assert_settled(above, limit=1e-7)
        assert answer.lower - 0.1 <= above.lower <= answer.lower + 1e-9


# The last seed of Rényi privacy alone takes eight CPU seconds.
@pytest.mark.parametrize("notion", ["renyi", "mutual information", "sibson"])
@pytest.mark.parametrize("seed", [0, 1, 2, pytest.param(3, marks=pytest.mark.full)])
def test_every_convex_loss_near_the_least_distortion_is_settled(notion: str, seed: int) -> None:
    losses = []
    for more in (ZERO, Rational(1, 10**12), Rational(1, 10**6)):
        answer = Frontier.answer(asked_at_least(notion, seed, more))
        assert_settled(answer, limit=1e-7)
        losses.append(answer.lower)
    assert all(nearer >= farther - 1e-7 for nearer, farther in pairwise(losses))


@pytest.mark.parametrize(
    ("kind", "seed", "exponent"),
    [
        # Entries as small as what is allowed.
        (Kind("renyi", "rows", "hamming", "databases", "loss"), 5, 40),
        pytest.param(Kind("renyi", "finite", "matrix", "metric", "loss"), 4, 40, marks=pytest.mark.full),
        (Kind("pointwise leakage", "everything", "gain", "ring", "loss"), 1, 40),
        # Outputs that are hardly ever given, of which the law of the output may give more.
        (Kind("sibson", "hull", "matrix", "databases", "loss"), 10, 20),
        (Kind("sibson", "hull", "matrix", "databases", "loss"), 10, 40),
    ],
    ids=str,
)
def test_a_convex_loss_a_hair_above_the_least_distortion(kind: Kind, seed: int, exponent: int) -> None:
    assert_settled(Frontier.answer(at_least(generated(kind, seed), Rational(1, 10**exponent))), limit=1e-7)


@pytest.mark.full
def test_a_distortion_that_falls_exponentially_with_the_level() -> None:
    assert_settled(Frontier.answer(asked_at_least("renyi", 5031, Rational(1, 10**12))), limit=1e-7)


def test_a_hundred_entries_a_hair_above_the_least_distortion() -> None:
    source = Hull([[Rational(x + 1, 55) for x in range(10)], [Rational(1, 10)] * 10])
    frontier = Frontier(ApproximateDifferentialPrivacy("1/100"), source, Absolute(), Graph.line(10))
    assert_settled(frontier.loss_at(distortion=Rational(1, 10**12)))


# The loss jumps to zero at the distortion of the best constant answer. Just below it, levels of a whole range are too
# small by the same hair.
@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        (Kind("differential privacy", "rows", "gain", "databases", "loss"), 0),
        (Kind("local information", "prior", "absolute", "metric", "loss"), 0),
        (Kind("approximate", "box", "absolute", "alphabet", "loss"), 3),
    ],
    ids=str,
)
def test_a_hair_below_the_best_constant_answer(kind: Kind, seed: int) -> None:
    problem = generated(kind, seed)
    most = best_constant(problem).distortion
    limit, *losses = (
        Frontier.answer(replace(problem, given=Real.of(most - less))) for less in (Rational(1, 10**9), TINY, ZERO)
    )
    assert_settled(losses[0])
    assert 0 < losses[0].upper <= limit.upper
    assert losses[0].lower == pytest.approx(limit.lower, abs=1e-6)
    assert losses[1].upper == 0


def test_an_output_that_the_worst_law_never_gives() -> None:
    # It pays to use the third input once in e^690 times, for its rare output; without it one bit is lost.
    rows = [[1, 0, 0], [0, 1, 0], ["999/2000", "999/2000", "1/1000"]]
    for source in (Everything(3), Hull([[1, 0, 0], [0, 1, 0], ["1/3", "1/3", "1/3"]])):
        loss = MutualInformation().loss(Mechanism(rows), source)
        assert loss.lower is not None
        assert loss.upper is not None
        assert math.log(2) - 1e-12 <= float(loss.lower) <= float(loss.upper) <= math.log(2) + 1e-12


def test_a_distortion_that_rounding_puts_below_the_least() -> None:
    problem = generated(Kind("maximal leakage", "box", "gain", "ring", "loss"), 9003)
    answer = Frontier.answer(problem)
    assert str(answer.interval.lower) == str(answer.interval.upper) == "log(3)"
