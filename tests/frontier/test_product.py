"""Random questions of every kind: an answer proven to many digits, or a sentence that says why there is none."""

from __future__ import annotations

import math
import random

import pytest

from epstar.distortion import Gain
from epstar.errors import NoSolution
from epstar.exact import Real
from epstar.frontier import Answer, Frontier
from epstar.problem import Problem
from tests.frontier.generated import NOTIONS, Kind, every_kind, generated, width_limit

_KINDS = every_kind()
_SELECTED = 30
_ALL = {notion: [kind for kind in _KINDS if kind.notion == notion] for notion in NOTIONS}


def _selected(notion: str, count: int, seed: int) -> list[Kind]:
    """Return some kinds of questions about a notion, such that every source, distortion and universe is among them."""
    numbers = random.Random(f"{notion} {seed}")
    kinds = list(_ALL[notion])
    numbers.shuffle(kinds)
    return kinds[:count]


def _checked(problem: Problem) -> Answer | None:
    """Return the answer after checking everything that it claims, or None where none exists."""
    try:
        answer = Frontier.answer(problem)
    except NoSolution as refusal:
        sentence = str(refusal)
        assert sentence.endswith(".")
        assert len(sentence) > 20
        return None
    checked = answer.proof.check()
    assert answer.lower <= answer.upper
    assert answer.interval.width <= width_limit(problem.notion)
    assert answer.mechanism is not None
    assert answer.mechanism.is_exact
    _check_attained(problem, answer)
    turned = isinstance(problem.distortion, Gain) and problem.asks == "distortion"
    assert float(checked.upper) == (-1 if turned else 1) * float(answer.interval.lower if turned else answer.interval.upper)
    return answer


def _check_attained(problem: Problem, answer: Answer) -> None:
    """The mechanism meets what was given, and what is claimed of it is what it does."""
    mechanism = answer.mechanism
    assert mechanism is not None
    distortion = Real.of(mechanism.distortion(problem.distortion, problem.source).value)
    loss = problem.notion.loss(mechanism, problem.source).upper
    assert loss is not None
    if problem.asks == "loss":
        assert distortion <= problem.given
        assert loss.is_infinite == math.isinf(answer.upper)
        assert loss.is_infinite or float(loss) <= answer.upper
    else:
        assert loss <= problem.given
        achieved = answer.lower if isinstance(problem.distortion, Gain) else answer.upper
        sign = -1 if isinstance(problem.distortion, Gain) else 1
        assert float(distortion) * sign == pytest.approx(achieved, abs=1e-12)


@pytest.mark.parametrize("notion", NOTIONS)
def test_answers_are_proven(notion: str) -> None:
    answered = sum(_checked(generated(kind, seed=1)) is not None for kind in _selected(notion, _SELECTED, seed=1))
    # Identifiability has no answer for sources that may give an input the probability zero.
    assert answered >= (_SELECTED // 6 if notion == "identifiability" else _SELECTED // 2)


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_answers_of_every_kind_are_proven(notion: str) -> None:
    for kind in _ALL[notion]:
        _checked(generated(kind, seed=2))


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_trade_off_is_monotone_and_its_own_inverse(notion: str) -> None:
    _check_curves(notion, 4, seed=3)


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_many_trade_offs_are_monotone_and_their_own_inverses(notion: str) -> None:
    _check_curves(notion, 100, seed=4)


def _check_curves(notion: str, count: int, seed: int) -> None:
    """More loss allows less distortion; and the distortion found at a level costs no more than that level."""
    checked = 0
    for kind in _selected(notion, 4 * count, seed):
        if kind.asks == "distortion" and checked < count:
            problem = generated(kind, seed)
            checked += _check_curve(Frontier(problem.notion, problem.source, problem.distortion, problem.universe))
    assert checked >= min(count, 1) if notion != "identifiability" else True


def _check_curve(frontier: Frontier) -> bool:
    sign = -1 if isinstance(frontier.distortion, Gain) else 1
    slack = width_limit(frontier.notion)
    previous = math.inf
    for level in ("1/20", "1/3", "3/2"):
        try:
            answer = frontier.distortion_at(loss=level)
        except NoSolution:
            continue
        upper = sign * answer.interval.upper.upper if sign > 0 else -answer.interval.lower.lower
        lower = sign * answer.interval.lower.lower if sign > 0 else -answer.interval.upper.upper
        assert lower <= previous + slack
        previous = upper
        assert answer.mechanism is not None
        attained = Real.of(answer.mechanism.distortion(frontier.distortion, frontier.source).value)
        back = frontier.loss_at(distortion=attained)
        assert back.lower <= float(Real.of(level))
        assert back.upper <= float(Real.of(level)) + 100 * slack
    return previous < math.inf
