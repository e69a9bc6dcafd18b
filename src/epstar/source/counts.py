"""Regions that hold the true distribution with a stated confidence, made from a histogram of independent draws.

Floating point only proposes the bounds; each is widened until exact or ball arithmetic proves its tail.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

from epstar.arguments import shown
from epstar.errors import InvalidInput, SolverFailure, Undecided
from epstar.exact import ONE, ZERO, Number, Rational, Real, rational
from epstar.exact import Ball as Enclosure
from epstar.exact.vectors import nearest_floats
from epstar.probability_vectors import Numbers, vector
from epstar.source.base import Source
from epstar.source.regions import Ball, Box

# Bounds are proposed with this many significant digits, so that they print shortly.
_DIGITS = 12
_MOST_TERMS = 4096
_PRECISIONS = (64, 128, 256, 1024, 4096)


def region_from_counts(counts: Numbers, confidence: Number = 0.95, shape: Literal["box", "ball"] = "box") -> Source:
    """Return a `Box` or `Ball` that holds the distribution of the draws with probability at least `confidence`.

    "box": Clopper and Pearson's interval for each category, each tail at (1 - confidence) / (2 categories), so
    that by the union bound all intervals hold at once. "ball": the L1 ball of Weissman et al., whose radius r
    satisfies (2^m - 2) exp(-n r^2 / 2) <= 1 - confidence for n draws of m categories. Both hold for every distribution
    and every number of draws.

    >>> region_from_counts([8, 2], "9/10").coverage
    9/10

    Raises:
        InvalidInput: for counts that are not whole numbers, are negative or all zero, or a confidence that is
            not strictly between 0 and 1.
    """
    histogram = _histogram(counts)
    level = rational(confidence)
    if not ZERO < level < ONE:
        raise InvalidInput(f"A confidence must be strictly between 0 and 1, not {shown(level)}")
    if shape == "box":
        return _box(histogram, level)
    if shape == "ball":
        return _ball(histogram, level)
    raise InvalidInput(f"The shape must be 'box' or 'ball', not {shown(shape)}.")


def _histogram(counts: Numbers) -> list[int]:
    exact = vector(counts, "A list of counts")
    histogram = []
    for letter, count in enumerate(exact):
        if count.q != 1 or count < ZERO:
            raise InvalidInput(f"The count of category {letter} is {shown(count)}; counts are whole numbers from 0.")
        histogram.append(int(count.p))
    if sum(histogram) == 0:
        raise InvalidInput("All counts are zero, so nothing was observed; use Everything(size) instead.")
    return histogram


def _box(histogram: list[int], confidence: Rational) -> Box:
    draws = sum(histogram)
    tail = (ONE - confidence) / (2 * len(histogram))
    # Equal counts have equal bounds, and large histograms repeat their counts.
    bounds = {count: _interval(count, draws, tail) for count in set(histogram)}
    return Box([bounds[count][0] for count in histogram], [bounds[count][1] for count in histogram], confidence)


def _interval(count: int, draws: int, tail: Rational) -> tuple[Rational, Rational]:
    """Return (l, u) with P[Binomial(draws, l) >= count] and P[Binomial(draws, u) <= count] both <= tail."""
    from scipy.special import betainccinv, betaincinv

    rounded = float(nearest_floats((tail,))[0])
    lower, upper = ZERO, ONE
    if count > 0:
        lower, step = _decimal(float(betaincinv(count, draws - count + 1, rounded)))
        while lower > ZERO and not _tail_is_proven(lower, count, draws, tail):
            lower, step = max(ZERO, lower - step), 2 * step
    if count < draws:
        upper, step = _decimal(float(betainccinv(count + 1, draws - count, rounded)))
        upper += step
        # Few of this letter is many of all others.
        while upper < ONE and not _tail_is_proven(ONE - upper, draws - count, draws, tail):
            upper, step = min(ONE, upper + step), 2 * step
    return lower, upper


def _decimal(proposed: float) -> tuple[Rational, Rational]:
    """Return the number rounded down to a short decimal, and the unit of its last digit."""
    if not 0 < proposed < 1:
        raise SolverFailure("The quantile of a beta distribution could not be computed; use shape='ball' instead.")
    unit = Rational(10) ** (math.floor(math.log10(proposed)) + 1 - _DIGITS)
    return Rational((rational(proposed) / unit).floor()) * unit, unit


def _tail_is_proven(probability: Rational, count: int, draws: int, tail: Rational) -> bool:
    """Return whether P[Binomial(draws, probability) >= count] <= tail could be proven with balls."""
    quick = _tail_by_terms(probability, count, draws)
    if quick is not None:
        return quick.above(_PRECISIONS[1]) <= tail
    upper_tail = Real.from_ball(lambda bits: Enclosure(probability).beta_lower(count, draws - count + 1, regularized=1))
    for bits in _PRECISIONS:
        try:
            if upper_tail.above(bits) <= tail:
                return True
            if upper_tail.below(bits) > tail:
                return False
        except Undecided:
            continue
    return False


def _tail_by_terms(probability: Rational, count: int, draws: int) -> Real | None:
    """Return a number just above P[Binomial(draws, probability) >= count]; None where it takes too many terms.

    Each term is the one before it times a ratio that keeps falling, so a geometric series bounds those left out.
    """
    odds = float(nearest_floats((probability / (ONE - probability),))[0])
    # The terms fall at least as fast as by their first ratio.
    falls = -math.log((draws - count) * odds / (count + 1)) if 0 < (draws - count) * odds < count + 1 else 0.0
    wanted = _MOST_TERMS if falls * _MOST_TERMS < 40 else math.ceil(40 / falls)
    places = np.arange(count, min(draws, count + wanted), dtype=np.float64)
    ratios = (draws - places) * odds / (places + 1)
    terms = np.cumprod(ratios)
    following = float(ratios[-1]) if count + len(places) < draws else 0.0
    if following >= 0.99:
        return None
    total = 1.0 + math.fsum(terms.tolist()) + float(terms[-1]) * following / (1 - following) if len(terms) else 1.0
    # Five roundings for each factor, and a few more for the sums.
    bound = Rational(*(total * (1 + (5 * len(terms) + 100) * 2.0**-53)).as_integer_ratio())

    def first(_bits: int) -> Enclosure:
        chosen, rest = Enclosure(count), Enclosure(draws - count)
        ways = Enclosure(draws + 1).lgamma() - (chosen + 1).lgamma() - (rest + 1).lgamma()
        return (ways + chosen * Enclosure(probability).log() + rest * Enclosure(ONE - probability).log()).exp()

    return Real.from_ball(lambda bits: first(bits) * bound)


def _ball(histogram: list[int], confidence: Rational) -> Ball:
    draws, letters = sum(histogram), len(histogram)
    center = [Rational(count, draws) for count in histogram]
    if letters == 1:
        return Ball(center, ZERO, confidence)
    logarithm = Real.log(Rational(2**letters - 2) / (ONE - confidence)).above()
    square = 2 * logarithm / draws
    if square >= 4:
        return Ball(center, 2, confidence)
    proposed = math.sqrt(float(nearest_floats((square,))[0]))
    unit = Rational(1, 10**_DIGITS)
    radius = Rational((rational(proposed) / unit).floor()) * unit
    while radius * radius < square:
        radius += unit
    return Ball(center, min(radius, Rational(2)), confidence)
