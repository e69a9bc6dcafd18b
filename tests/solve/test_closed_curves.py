"""Curves of closed forms: proven at every point, thresholds included, on few letters and on many."""

from __future__ import annotations

import json
import math
import random
from decimal import Decimal

import numpy as np
import pytest
from tests.proofs.cases import second

import epstar.curve as curve_module
from epstar.answer import Answer
from epstar.claims import check
from epstar.curve import AnswersOnDemand, Curve, Unanswered
from epstar.curve_file import write_curve
from epstar.distortion import Hamming
from epstar.exact import ONE, ZERO, Rational
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Prior
from epstar.statement import established

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/7", reading="pointwise"),
    MaximalLeakage(),
    MinEntropyCapacity(),
    MutualInformation(),
    Identifiability(),
    MinEntropyLeakage(),
]
LOSSES = ["0", "1/1000000000", "1/2", "log(2)", "log(3)", "3", "40", "300", math.inf]
by_notion = pytest.mark.parametrize(
    "notion", NOTIONS, ids=lambda notion: f"{notion.name}-{getattr(notion, 'reading', '')}"
)


def laws(notion: Notion, count: int) -> list[list[Rational]]:
    """Priors with ties and zeros, a single letter among them; without zeros where everything would be infinite."""
    numbers = random.Random(f"{notion.name} {notion.parameters()}")
    found = [[ONE], [Rational(1, 4)] * 4]
    while len(found) < count:
        weights = [numbers.choice([0, 1, 1, 2, 3, 5, numbers.randint(1, 50)]) for _ in range(numbers.randint(2, 5))]
        if sum(weights) and (min(weights) > 0 or not isinstance(notion, Identifiability)):
            found.append([Rational(weight, sum(weights)) for weight in weights])
    return found


def thresholds(notion: Notion, law: list[Rational]) -> list[Rational]:
    """Distortions where something changes, and some where nothing does."""
    ordered = sorted(law, reverse=True)
    tails = [1 - sum(ordered[:k], ZERO) for k in range(1, len(law) + 1)]
    kinks = [tail + k * p for k, (tail, p) in enumerate(zip(tails, ordered, strict=True))]
    share = 1 - notion.delta if isinstance(notion, ApproximateDifferentialPrivacy) else ONE
    plain = [Rational(-1, 10), ZERO, Rational(1, 1000), Rational(29, 100), Rational(4, 7), ONE, Rational(2)]
    return list(dict.fromkeys([*plain, *(place * share for place in (*tails, *kinks))]))


def curves(notion: Notion, law: list[Rational]) -> tuple[Curve, Curve]:
    """The curves of a prior over distortions and over losses."""
    frontier = Frontier(notion, Prior(law), Hamming())
    spread = [f"log({max(law) / min(law)})"] if isinstance(notion, Identifiability) else []
    return frontier.curve(distortions=thresholds(notion, law)), frontier.curve(losses=[*LOSSES, *spread])


def holds(curve: Curve) -> None:
    """Check the claims of every answer again; what has no mechanism has infinite ends."""
    for answer, low, high in zip(curve.answers, curve.lower, curve.upper, strict=True):
        if isinstance(answer, Unanswered):
            assert answer.is_impossible
            assert low == high == math.inf
        else:
            check(answer.claims)
            assert (answer.lower, answer.upper) == (low, high)


def widths(curve: Curve) -> list[float]:
    return [answer.interval.width for answer in curve.answers if isinstance(answer, Answer)]


@by_notion
def test_ends_meet_at_every_threshold(notion: Notion) -> None:
    for law in laws(notion, 4):
        over_distortions, over_losses = curves(notion, law)
        for curve in (over_distortions, over_losses):
            holds(curve)
            assert max(widths(curve), default=0.0) < 1e-9
        if not isinstance(notion, MutualInformation):
            # Rational data have answers that are logarithms of rationals, jumps and all.
            assert max(widths(over_distortions), default=0.0) == 0


@by_notion
@pytest.mark.full
def test_many_priors_and_both_checkers(notion: Notion) -> None:
    """Each threshold of many priors, against the claims and the second checker."""
    for law in laws(notion, 40):
        for curve in curves(notion, law):
            document = json.loads(json.dumps(write_curve(curve)), parse_float=Decimal)
            assert len(established(document).intervals) == len(curve.problems)
            second(document)


@by_notion
def test_more_letters_than_a_table_could_hold(notion: Notion) -> None:
    law = np.random.default_rng(3).dirichlet(np.ones(2100))
    frontier = Frontier(notion, Prior(law), Hamming())
    distortions = ["1/10", "9/10"]
    curve = frontier.curve(distortions=distortions)
    holds(curve)
    assert (curve.upper - curve.lower < 1e-9).all()
    # The two questions are inverse to each other.
    back = frontier.curve(losses=[float(level) for level in curve.upper if level > 0])
    assert (back.upper - back.lower < 1e-9).all()
    assert np.allclose(back.upper, [0.1, 0.9][: len(back.upper)], atol=1e-8) or isinstance(notion, Identifiability)


def test_a_large_curve_keeps_what_its_answers_say(monkeypatch: pytest.MonkeyPatch) -> None:
    frontier = Frontier(DifferentialPrivacy(), Prior(["1/2", "3/10", "1/5"]), Hamming())
    whole = frontier.curve(["-1", "1/5", "1/4"])
    monkeypatch.setattr(curve_module, "_MOST_KEPT", 8)
    large = frontier.curve(["-1", "1/5", "1/4"])
    assert isinstance(large.answers, AnswersOnDemand)
    assert [answer.mechanism for answer in large.known if isinstance(answer, Answer)] == [None, None]
    assert np.array_equal(large.lower, whole.lower)
    assert np.array_equal(large.upper, whole.upper)
    holds(large)
    assert write_curve(large) == write_curve(whole)
    assert len(large.answers[1:]) == 2


def test_the_jump_is_decided_for_many_letters() -> None:
    """At 1 - max(p) a constant answer is enough, a little below it is not, however many digits that takes."""
    prior = Prior(np.random.default_rng(4).dirichlet(np.ones(20_000)))
    free = 1 - max(prior.probabilities)
    curve = Frontier(DifferentialPrivacy(), prior, Hamming()).curve([free, free - Rational(1, 10**40)])
    assert (curve.lower[0], curve.upper[0]) == (0.0, 0.0)
    assert 0 < curve.lower[1] <= curve.upper[1] < curve.lower[1] + 1e-9


@pytest.mark.parametrize(
    ("limit", "notion"),
    [
        (RenyiDifferentialPrivacy("infinity"), DifferentialPrivacy()),
        (SibsonMutualInformation("infinity"), MaximalLeakage()),
        (SibsonMutualInformation(1), MutualInformation()),
    ],
)
def test_limits_of_orders_are_the_notions_that_they_are(limit: Notion, notion: Notion) -> None:
    law = Prior(["1/2", "1/4", "1/4", "0"])
    mine, theirs = (Frontier(one, law, Hamming()).curve(distortions=["0", "1/4", "3/8"]) for one in (limit, notion))
    holds(mine)
    assert np.array_equal(mine.lower, theirs.lower)
    assert np.array_equal(mine.upper, theirs.upper)


def test_what_is_proven_is_the_definition() -> None:
    """The mechanism of an answer, measured by the notion itself, has the loss that the curve claims."""
    law = ["2/5", "3/10", "1/5", "1/10"]
    for notion in (DifferentialPrivacy(), MaximalLeakage(), MinEntropyLeakage(), Identifiability()):
        curve = Frontier(notion, Prior(law), Hamming()).curve(distortions=["1/8", "2/5"])
        for place, answer in enumerate(curve.answers):
            assert isinstance(answer, Answer)
            assert answer.mechanism is not None
            loss = notion.loss(answer.mechanism, Prior(law)).upper
            assert loss is not None
            interval = answer.interval
            assert loss.argument_of_log == interval.upper.argument_of_log == interval.lower.argument_of_log
            assert answer.mechanism.distortion(Hamming(), Prior(law)).value <= curve.problems[place].given.below()
