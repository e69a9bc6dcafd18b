"""Whole curves in closed form: their proven ends hold the answers, whose proofs are made one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epstar.curve import AnswersOnDemand, Curve, Unanswered
from epstar.distortion import Absolute, Hamming
from epstar.exact import Rational, Real, rational
from epstar.frontier import Frontier
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalInformation,
    MaximalLeakage,
    MutualInformation,
    Notion,
)
from epstar.problem import Problem
from epstar.solve import letter_curve
from epstar.solve.letter_law import LetterLaw, logarithms
from epstar.source import Prior

NOTIONS: list[Notion] = [
    DifferentialPrivacy(),
    ApproximateDifferentialPrivacy("1/10"),
    ApproximateDifferentialPrivacy("1/10", reading="pointwise"),
    MaximalLeakage(),
    MutualInformation(),
    Identifiability(),
]
DISTORTIONS = ["0", "1/1000", "1/10", "1/4", "2/5", "3/5", "9/10", "1"]
LOSSES = ["0", "1/100", "1/2", "log(2)", "log(3)", "2", "5"]


@pytest.fixture
def few_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the closed forms answer for small alphabets too, where the exact answers are quick."""
    monkeypatch.setattr(letter_curve, "MANY_LETTERS", 1)


def laws() -> st.SearchStrategy[list[float]]:
    """Laws of floats with ties and zeros among them."""
    weights = st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.5, 0.01]) | st.floats(1e-6, 1), min_size=2, max_size=6)
    return weights.filter(lambda values: sum(values) > 0).map(lambda values: [v / math.fsum(values) for v in values])


def holds(curve: Curve) -> None:
    """Every answer meets its band, and what has no answer has infinite ends."""
    assert isinstance(curve.answers, AnswersOnDemand)
    for problem, answer, low, high in zip(curve.problems, curve.answers, curve.lower, curve.upper, strict=True):
        if isinstance(answer, Unanswered):
            assert low == high == math.inf
            continue
        assert low <= answer.upper
        assert answer.lower <= high
        assert low <= high
        # At a jump, or where the loss runs off to infinity, a hair more or less distortion makes all the difference.
        if curve.asks == "distortion" or _is_smooth(problem):
            assert high - low < 1e-9


def _is_smooth(problem: Problem) -> bool:
    """Whether a distortion is away from zero and from that of a constant answer."""
    prior, given = problem.source, problem.given.below()
    assert isinstance(prior, Prior)
    jump = 1 - max(prior.probabilities)
    return 0 < given < 1 and abs(given - jump) > Rational(1, 8) and abs(given * 10 / 9 - jump) > Rational(1, 8)


@pytest.mark.usefixtures("few_letters")
@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: f"{notion.name}-{getattr(notion, 'reading', '')}")
@settings(max_examples=12, deadline=None)
@given(law=laws())
def test_bands_hold_the_answers(notion: Notion, law: list[float]) -> None:
    if isinstance(notion, Identifiability) and min(law) == 0:
        law = [1 / len(law)] * len(law)
    frontier = Frontier(notion, Prior(np.array(law)), Hamming())
    levels: list[object] = list(LOSSES)
    if isinstance(notion, Identifiability):
        levels = [math.log(max(law) / min(law)) + 1e-6 + step for step in (0, 0.3, 1, 4)]
    holds(frontier.curve(distortions=DISTORTIONS))
    holds(frontier.curve(losses=levels))


@pytest.mark.usefixtures("few_letters")
def test_exact_priors_have_bands_too() -> None:
    curve = Frontier(DifferentialPrivacy(), Prior(["1/2", "1/3", "1/6"]), Hamming()).curve(distortions=["1/4"])
    holds(curve)
    assert curve.upper[0] - curve.lower[0] < 1e-14


@pytest.mark.usefixtures("few_letters")
def test_other_questions_have_no_band() -> None:
    law = np.array([0.5, 0.25, 0.25])
    assert Frontier(DifferentialPrivacy(), Prior(law), Absolute()).curve(losses=[1]).band is None
    assert Frontier(MaximalInformation(), Prior(law), Hamming()).curve(losses=[1]).band is None
    with_zero = Prior(np.array([0.5, 0.5, 0.0]))
    curve = Frontier(Identifiability(), with_zero, Hamming()).curve(distortions=["1/4"])
    assert curve.band is None


@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: f"{notion.name}-{getattr(notion, 'reading', '')}")
def test_a_hundred_thousand_letters(notion: Notion) -> None:
    law = np.random.default_rng(3).dirichlet(np.ones(100_000))
    frontier = Frontier(notion, Prior(law), Hamming())
    distortions = [k / 40 for k in range(1, 40)]
    curve = frontier.curve(distortions=distortions)
    assert (curve.upper - curve.lower < 1e-9).all()
    assert (np.diff(curve.upper) <= 1e-9).all()
    # The two questions are inverse to each other.
    back = frontier.curve(losses=[float(level) for level in curve.upper if level > 0])
    assert np.allclose(back.upper, distortions[: len(back.upper)], atol=1e-8) or isinstance(notion, Identifiability)


def test_counts_lie_as_near_as_they_say() -> None:
    floats = np.random.default_rng(5).dirichlet(np.full(200, 0.1))
    prior = Prior(floats)
    law = LetterLaw.of(prior)
    nearest = sorted(prior.probabilities, reverse=True)
    apart = sum((abs(p - Rational(int(n), law.total)) for p, n in zip(nearest, law.counts, strict=True)), Rational(0))
    assert apart / 2 <= law.distance < Rational(1, 10**15)
    assert law.mass[0] < sum((rational(p) for p in floats.tolist()), Rational(0)) < law.mass[1]


@given(st.lists(st.floats(2.0**-62, 1.0), min_size=1, max_size=20))
def test_logarithms_are_within_their_bound(values: list[float]) -> None:
    for value, found in zip(values, logarithms(np.array(values)).tolist(), strict=True):
        true = Real.log(Rational(*value.as_integer_ratio()))
        assert (true - Rational(*found.as_integer_ratio())).upper <= 2.0**-44
        assert (true - Rational(*found.as_integer_ratio())).lower >= -(2.0**-44)
