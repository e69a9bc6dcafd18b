"""Random questions of every kind: an answer proven to many digits, or a sentence that says why there is none.

Whatever the solvers do, an answer must be sound: its proof checks, its mechanism keeps what was asked for and attains
what is claimed, nothing but `NoSolution` is raised. Interior-point methods stall now and then, so narrowness is
asked of all but a few: the failures are listed with what is needed to repeat them.
"""

from __future__ import annotations

import math
import random

import pytest
from tests.frontier.generated import NOTIONS, Kind, every_kind, generated, width_limit

from epstar.distortion import Gain
from epstar.errors import NoSolution
from epstar.exact import Interval, Real
from epstar.frontier import Answer, Frontier
from epstar.problem import Problem

_KINDS = {notion: [kind for kind in every_kind() if kind.notion == notion] for notion in NOTIONS}
_SELECTED = 8


def _selected(notion: str, count: int, seed: int) -> list[Kind]:
    """Return some kinds of questions about a notion, drawn without replacement."""
    return random.Random(f"{notion} {seed}").sample(_KINDS[notion], count)


def _sound(problem: Problem) -> Answer | None:
    """Return the answer after checking everything that it claims, or None where it is shown that there is none."""
    try:
        answer = Frontier.answer(problem)
    except NoSolution as refusal:
        sentence = str(refusal)
        assert sentence.endswith(".")
        assert len(sentence) > 20
        return None
    checked = answer.proof.check()
    assert answer.lower <= answer.upper
    if isinstance(problem.distortion, Gain) and problem.asks == "distortion":
        checked = Interval(checked.upper * -1, checked.lower * -1)
    # What is claimed is what the multipliers prove, or a hair less.
    assert answer.lower <= checked.lower.lower
    assert checked.upper.upper <= answer.upper
    assert (answer.lower, answer.upper) == pytest.approx(
        (checked.lower.lower, checked.upper.upper), rel=1e-9, abs=1e-15
    )
    if answer.mechanism is not None:
        _check_attained(problem, answer)
    return answer


def _check_attained(problem: Problem, answer: Answer) -> None:
    """The mechanism meets what was given, and what is claimed of it is what it does."""
    mechanism = answer.mechanism
    assert mechanism is not None
    assert mechanism.is_exact
    distortion = Real.of(mechanism.distortion(problem.distortion, problem.source).value)
    loss = problem.notion.loss(mechanism, problem.source).upper
    assert loss is not None
    if problem.asks == "loss":
        assert distortion <= problem.given
        assert loss.upper <= answer.upper
    elif isinstance(problem.distortion, Gain):
        assert loss <= problem.given
        assert -distortion.upper >= answer.lower
    else:
        assert loss <= problem.given
        assert distortion.upper <= answer.upper


def _is_narrow(problem: Problem, answer: Answer) -> bool:
    return answer.mechanism is not None and answer.interval.width <= width_limit(problem.notion)


def _wide(kinds: list[Kind], seed: int) -> list[str]:
    """Return what is needed to repeat the questions whose answers are sound but wide."""
    found = []
    for kind in kinds:
        problem = generated(kind, seed)
        answer = _sound(problem)
        if answer is not None and not _is_narrow(problem, answer):
            found.append(f"generated({kind}, {seed}): [{answer.lower}, {answer.upper}]")
    return found


@pytest.mark.parametrize("notion", NOTIONS)
def test_answers_are_proven(notion: str) -> None:
    wide = _wide(_selected(notion, _SELECTED, seed=1), seed=1)
    assert not wide, "\n".join(wide)


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_answers_of_every_kind_are_proven(notion: str) -> None:
    wide = _wide(_KINDS[notion], seed=2)
    assert len(wide) <= len(_KINDS[notion]) // 50, "\n".join(wide)


@pytest.mark.parametrize("notion", NOTIONS)
def test_the_trade_off_is_monotone_and_its_own_inverse(notion: str) -> None:
    assert _lost(notion, 2, seed=5) <= 1


@pytest.mark.full
@pytest.mark.parametrize("notion", NOTIONS)
def test_many_trade_offs_are_monotone_and_their_own_inverses(notion: str) -> None:
    assert _lost(notion, 200, seed=4) <= 12


def _lost(notion: str, count: int, seed: int) -> int:
    """Return for how many levels the way from level to distortion and back does not end where it began."""
    lost = 0
    for kind in _selected(notion, count, seed):
        problem = generated(kind, seed)
        lost += _lost_on(Frontier(problem.notion, problem.source, problem.distortion, problem.universe))
    return lost


def _lost_on(frontier: Frontier) -> int:
    """More loss allows less distortion, and the distortion found at a level costs no more than that level."""
    turned = isinstance(frontier.distortion, Gain)
    slack = width_limit(frontier.notion)
    previous, lost = math.inf, 0
    for level in ("1/20", "1/3", "3/2"):
        try:
            answer = frontier.distortion_at(loss=level)
        except NoSolution:
            continue
        assert (-answer.upper if turned else answer.lower) <= previous
        previous = -answer.lower if turned else answer.upper
        if answer.mechanism is not None:
            attained = answer.mechanism.distortion(frontier.distortion, frontier.source).value
            back = frontier.loss_at(distortion=attained)
            known = Real.of(level)
            assert back.interval.lower <= known
            lost += back.upper > known.upper + 100 * slack
    return lost
