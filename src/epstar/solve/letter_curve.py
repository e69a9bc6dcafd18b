r"""Whole trade-offs in closed form: one prior on many letters, Hamming distortion, all points at once.

The prior is sorted and added up once (`LetterLaw`); each point is then a search in the sums and a few exact fractions.
What is computed is the optimum of the law of counts p'. If it lies within total variation distance t of the prior p,
no mechanism's distortion differs by more than t between the two, and for a loss that does not depend on the prior

    D_p(level) is within t of D_p'(level),    loss_p'(D + t) <= loss_p(D) <= loss_p'(D - t).

The information of any mechanism differs by at most t log m + h(t), with h the binary entropy: both laws are mixtures
of their common part and a share t of something else. Identifiability needs the extreme letters only. So every end is
proven without a proof object; the answer at a point, mechanism and proof included, is made when it is asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.distortion import Hamming
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MutualInformation,
)
from epstar.problem import Problem
from epstar.solve.letter_information import LetterIdentifiability, LetterInformation
from epstar.solve.letter_law import LetterLaw
from epstar.source import Prior
from epstar.universe import Alphabet

Floats = NDArray[np.float64]
Ends = tuple[Real, Real]

# With fewer letters the answers themselves are quick.
MANY_LETTERS = 5000
_BITS = 96


@dataclass(frozen=True, eq=False)
class Band:
    """The proven lower and upper ends at every point."""

    lower: Floats
    upper: Floats


def band(problems: Sequence[Problem]) -> Band | None:
    """Return the proven ends at every point of a curve; None where it is not one of the closed forms, or small.

    kalantari2018, Theorem 2 and zhong2022, Theorems 9, 13 and 14; Erokhin's rate-distortion function; wang2016,
    Theorem 1 made exact. Cost: a sort of the prior and some 0.1 ms for each point.
    """
    first = problems[0]
    prior = first.source
    if not isinstance(prior, Prior) or prior.size < MANY_LETTERS or not isinstance(first.universe, Alphabet):
        return None
    alike = all(p.source is prior and p.notion == first.notion and p.asks == first.asks for p in problems)
    if not alike or type(first.distortion) is not Hamming:
        return None
    ends = _form(first, prior)
    if ends is None:
        return None
    found = [ends(problem.given) for problem in problems]
    return Band(np.array([low.lower for low, _ in found]), np.array([high.upper for _, high in found]))


def _form(problem: Problem, prior: Prior) -> Callable[[Real], Ends] | None:
    """Return the closed form of a notion: from what is given at a point to the proven ends there."""
    notion, asks_loss = problem.notion, problem.asks == "loss"
    if isinstance(notion, DifferentialPrivacy | ApproximateDifferentialPrivacy | MaximalLeakage):
        delta = notion.delta if isinstance(notion, ApproximateDifferentialPrivacy) else ZERO
        law, form = LetterLaw.of(prior), _leakage if isinstance(notion, MaximalLeakage) else _response
        if delta >= 1:
            return None
        if asks_loss:
            return lambda given: _loss_ends(law, given, delta, form.least_ratio, form is _leakage)
        return lambda given: _distortion_ends(law, given, delta, form.right)
    if isinstance(notion, MutualInformation):
        information = LetterInformation(LetterLaw.of(prior))
        return information.loss_ends if asks_loss else information.distortion_ends
    if isinstance(notion, Identifiability) and prior.proportions.min() > 0:
        identifiability = LetterIdentifiability.of(prior)
        return identifiability.loss_ends if asks_loss else identifiability.distortion_ends
    return None


@dataclass(frozen=True)
class _RatioForm:
    """The trade-off of a law between E = e^level and the probability of a right answer, in both directions."""

    right: Callable[[LetterLaw, Rational], Rational]
    least_ratio: Callable[[LetterLaw, Rational], Rational | None]


def _response_right(law: LetterLaw, ratio: Rational) -> Rational:
    """Return the largest E S(r) / (E - 1 + r): a further letter helps while S(r) <= p(r+1) (E - 1 + r)."""
    numerator, denominator = int(ratio.p), int(ratio.q)
    counts, sums = law.counts, law.sums

    def hurts(r: int) -> bool:
        following = int(counts[r])
        return int(sums[r - 1]) * denominator > following * (numerator - denominator + r * denominator)

    kept = 1 + bisect_left(range(1, law.size), True, key=hurts)
    return ratio * Rational(int(sums[kept - 1]), law.total) / (ratio - 1 + kept)


def _response_ratio(law: LetterLaw, right: Rational) -> Rational | None:
    """Return the least E with that probability of a right answer; None if it is infinite.

    It is the least (n - 1) right / (S(n) - right) over n; the best n is the last whose corner is within reach.
    """
    reach = right * law.total
    if reach <= int(law.sums[0]):
        return ONE
    kept = int(np.searchsorted(law.corners, int(reach.floor()), side="right"))
    spare = int(law.sums[kept - 1]) - reach
    return (kept - 1) * reach / spare if spare > 0 else None


def _leakage_right(law: LetterLaw, ratio: Rational) -> Rational:
    """Return the sum of the likeliest letters, as many as the ratio counts, the last of them in part."""
    whole = min(int(ratio.floor()), law.size)
    partial = (ratio - whole) * int(law.counts[whole]) if whole < law.size else ZERO
    return (int(law.sums[whole - 1]) + partial) / law.total


def _leakage_ratio(law: LetterLaw, right: Rational) -> Rational | None:
    """Return how many of the likeliest letters, the last of them in part, sum to that probability."""
    reach = right * law.total
    if reach <= int(law.sums[0]):
        return ONE
    whole = int(np.searchsorted(law.sums, int(reach.floor()), side="right"))
    if whole >= law.support:
        return Rational(law.support) if reach <= law.total else None
    return whole + (reach - int(law.sums[whole - 1])) / int(law.counts[whole])


_response = _RatioForm(_response_right, _response_ratio)
_leakage = _RatioForm(_leakage_right, _leakage_ratio)


def _distortion_ends(
    law: LetterLaw, level: Real, delta: Rational, right: Callable[[LetterLaw, Rational], Rational]
) -> Ends:
    if level.is_infinite:
        return Real.of(ZERO), Real.of(ZERO)
    ratio = Real.exp(level)
    low = 1 - right(law, ratio.above(_BITS)) - law.distance
    high = 1 - right(law, ratio.below(_BITS)) + law.distance
    return Real.of((1 - delta) * max(low, ZERO)), Real.of((1 - delta) * min(high, ONE))


def _loss_ends(
    law: LetterLaw,
    given: Real,
    delta: Rational,
    least_ratio: Callable[[LetterLaw, Rational], Rational | None],
    truth_is_finite: bool,
) -> Ends:
    allowed = given.below(_BITS) / (1 - delta)
    if allowed < 0:
        return INFINITY, INFINITY
    low = least_ratio(law, 1 - allowed - law.distance)
    high = least_ratio(law, 1 - allowed + law.distance)
    if high is None and truth_is_finite:
        # The truth gives away no more than the number of letters.
        high = Rational(law.size)
    if allowed == 0 and not truth_is_finite and law.support > 1:
        return INFINITY, INFINITY
    return _logarithm(low), _logarithm(high)


def _logarithm(ratio: Rational | None) -> Real:
    return INFINITY if ratio is None else Real.log(ratio)
