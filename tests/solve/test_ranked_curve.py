"""Curves with one proof: their ends are those of the single answers, thresholds included."""

from __future__ import annotations

import json
import math
import random
from decimal import Decimal

import numpy as np
import pytest
from tests.proofs.cases import second

from epstar.answer import Answer
from epstar.curve import AnswersOnDemand, Curve, Unanswered
from epstar.curve_file import SCHEMA, write_curve
from epstar.distortion import Absolute, Hamming
from epstar.exact import ONE, ZERO, Rational
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalInformation,
    MaximalLeakage,
    MinEntropyCapacity,
    MinEntropyLeakage,
    MutualInformation,
    Notion,
    RenyiDifferentialPrivacy,
    SibsonMutualInformation,
)
from epstar.source import Prior, ranking
from epstar.statement import established
from epstar.universe import Graph

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


def meets_its_answers(curve: Curve) -> None:
    """Every answer meets the ends, and what has no mechanism has infinite ones."""
    assert curve.proof is not None
    assert isinstance(curve.answers, AnswersOnDemand)
    for place, (answer, low, high) in enumerate(zip(curve.answers, curve.lower, curve.upper, strict=True)):
        assert curve.proof.has_mechanism(place) == isinstance(answer, Answer)
        if isinstance(answer, Unanswered):
            assert answer.is_impossible
            assert low == high == math.inf
        else:
            assert low <= answer.upper
            assert answer.lower <= high


@by_notion
def test_ends_are_those_of_the_single_answers(notion: Notion) -> None:
    for law in laws(notion, 4):
        over_distortions, over_losses = curves(notion, law)
        for curve in (over_distortions, over_losses):
            meets_its_answers(curve)
            assert curve.proof is not None
            widths = [interval.width for interval in curve.proof.check()]
            assert max(widths) < 1e-15
        if not isinstance(notion, MutualInformation):
            # Rational data have answers that are logarithms of rationals, jumps and all.
            assert over_distortions.proof is not None
            assert all(interval.width == 0 for interval in over_distortions.proof.check())


@by_notion
@pytest.mark.full
def test_many_priors_and_both_checkers(notion: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each threshold of many priors, exact and rounded, against single answers and the second checker."""
    for law in laws(notion, 40):
        for curve in curves(notion, law):
            meets_its_answers(curve)
            confirmed(curve)
    monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    for law in laws(notion, 40)[1:]:
        for curve in curves(notion, law):
            confirmed(curve)


def confirmed(curve: Curve) -> None:
    """Both checkers confirm the document of a curve."""
    document = json.loads(json.dumps(write_curve(curve)), parse_float=Decimal)
    established(document)
    if document["schema"] == SCHEMA:  # else one proof for all points of a large alphabet, which the package checks
        second(document)


@by_notion
def test_rounded_priors_have_ends_around_them(notion: Notion, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = [curve for law in laws(notion, 12)[1:] for curve in curves(notion, law)]
    monkeypatch.setattr(ranking, "EXACT_LETTERS", 0)
    rounded = [curve for law in laws(notion, 12)[1:] for curve in curves(notion, law)]
    for mine, theirs in zip(exact, rounded, strict=True):
        assert (theirs.lower <= mine.lower).all()
        assert (theirs.upper >= mine.upper).all()
        # Near distortion zero losses run off to infinity, and near level zero information is flat.
        steady = [problem.given > Rational(1, 100) for problem in theirs.problems]
        finite = np.isfinite(theirs.lower) & np.array(steady)
        assert (theirs.upper[finite] - theirs.lower[finite] < 1e-10).all()


@by_notion
def test_more_letters_than_a_table_could_hold(notion: Notion) -> None:
    law = np.random.default_rng(3).dirichlet(np.ones(100_000))
    frontier = Frontier(notion, Prior(law), Hamming())
    distortions = [k / 40 for k in range(1, 40)]
    curve = frontier.curve(distortions=distortions)
    assert curve.proof is not None
    assert (curve.upper - curve.lower < 1e-9).all()
    assert (np.diff(curve.upper) <= 1e-9).all()
    # The two questions are inverse to each other.
    back = frontier.curve(losses=[float(level) for level in curve.upper if level > 0])
    assert (back.upper - back.lower < 1e-9).all()
    assert np.allclose(back.upper, distortions[: len(back.upper)], atol=1e-8) or isinstance(notion, Identifiability)


def test_the_jump_is_decided_for_many_letters() -> None:
    """At 1 - max(p) a constant answer is enough, a hair below it is not, however many digits that takes."""
    law = np.random.default_rng(4).dirichlet(np.ones(20_000))
    prior = Prior(law)
    free = 1 - max(prior.probabilities)
    assert not prior.ranking.is_exact
    curve = Frontier(DifferentialPrivacy(), prior, Hamming()).curve([free, free - Rational(1, 10**40)])
    assert (curve.lower[0], curve.upper[0]) == (0.0, 0.0)
    assert 0 < curve.lower[1] <= curve.upper[1] < curve.lower[1] + 1e-9
    assert Frontier(DifferentialPrivacy(), prior, Hamming()).curve(points=3).upper[-1] == 0


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
    assert mine.proof is not None
    meets_its_answers(mine)
    assert np.array_equal(mine.lower, theirs.lower)
    assert np.array_equal(mine.upper, theirs.upper)
    assert Frontier(RenyiDifferentialPrivacy(2), law, Hamming()).curve(distortions=["1/4"]).proof is None


def test_other_questions_have_no_such_proof() -> None:
    law = Prior(["1/2", "1/4", "1/4"])
    assert Frontier(DifferentialPrivacy(), law, Absolute()).curve(losses=[1]).proof is None
    assert Frontier(MaximalInformation(), law, Hamming()).curve(losses=[1]).proof is None
    assert Frontier(DifferentialPrivacy(), law, Hamming(), Graph.line(3)).curve(losses=[1]).proof is None
    assert Frontier(ApproximateDifferentialPrivacy(1), law, Hamming()).curve(losses=[1]).proof is None
    with_zero = Prior(["1/2", "1/2", "0"])
    assert Frontier(Identifiability(), with_zero, Hamming()).curve(distortions=["1/4"]).proof is None


def test_what_is_proven_is_the_definition() -> None:
    """The mechanism of an answer, measured by the notion itself, has the loss that the curve claims."""
    law = ["2/5", "3/10", "1/5", "1/10"]
    for notion in (DifferentialPrivacy(), MaximalLeakage(), MinEntropyLeakage(), Identifiability()):
        curve = Frontier(notion, Prior(law), Hamming()).curve(distortions=["1/8", "2/5"])
        assert curve.proof is not None
        for place, interval in enumerate(curve.proof.check()):
            answer = curve.answers[place]
            assert isinstance(answer, Answer)
            assert answer.mechanism is not None
            loss = notion.loss(answer.mechanism, Prior(law)).upper
            assert loss is not None
            assert loss.argument_of_log == interval.upper.argument_of_log == interval.lower.argument_of_log
            assert answer.mechanism.distortion(Hamming(), Prior(law)).value <= curve.problems[place].given.below()
