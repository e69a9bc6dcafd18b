r"""Exact breakpoints under Hamming distortion on an alphabet.

Sort a prior from its likeliest category; let S_n be the sum of its first n entries, P_n the n-th, tail_n = 1 - S_n.

* Differential privacy and mutual information keep n categories up to the distortion tail_n + (n-1) P_n, and then fewer
  (kalantari2018, sharpened); a slack delta multiplies distortions by 1 - delta (zhong2022, Theorem 9). At
  1 - P_1 the loss of differential privacy jumps to zero, that of mutual information reaches it.
* Maximal leakage fills the diagonal category by category: at tail_k the loss is log k (zhong2022, Theorem 14).
* Identifiability changes its branch at (m-1) p_min and at 1 - p_max (wang2016, Theorem 1 made exact).

For a set of priors, differential privacy reaches zero at D0 = 1 - min over the hull of the largest probability. The
limit from below is the value of the linear program of one variable per category at D0 itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from epstar.breakpoints.breakpoint import NOTHING, Breakpoint, known, value_at
from epstar.breakpoints.ends import is_hamming
from epstar.completion.converse import Point, mixed
from epstar.deadline import Deadline
from epstar.exact import INFINITY, ONE, ZERO, Interval, Rational, Real
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    DifferentialPrivacy,
    Identifiability,
    MaximalLeakage,
    MutualInformation,
)
from epstar.problem import Problem
from epstar.solve.forms.leakage import least_ratio
from epstar.solve.forms.randomised_response import Leaders, least_ratio_diagonal
from epstar.solve.program.constant import best_constant
from epstar.source import Prior

_NONE_LOST = known(Real.of(ZERO))


def closed_form(problem: Problem, deadline: Deadline) -> tuple[Breakpoint, ...] | None:
    """Return all breakpoints where a closed form knows them, in order; None elsewhere."""
    if not is_hamming(problem) or not isinstance(problem.source, Prior):
        return None
    prior = problem.source.probabilities
    notion = problem.notion
    if isinstance(notion, Identifiability):
        return _identifiability(prior) if min(prior) > 0 and len(prior) > 1 else None
    if not isinstance(
        notion, DifferentialPrivacy | ApproximateDifferentialPrivacy | MaximalLeakage | MutualInformation
    ):
        return None
    if max(prior) == 1 or slack(problem) == 1:
        return (Breakpoint("least distortion", ZERO, NOTHING, _NONE_LOST),)
    if isinstance(notion, MaximalLeakage):
        return _leakage(prior)
    if isinstance(notion, MutualInformation):
        return _information(problem, prior, deadline)
    return _response(prior, slack(problem))


def slack(problem: Problem) -> Rational:
    """Return delta of approximate differential privacy, zero for other notions."""
    return problem.notion.delta if isinstance(problem.notion, ApproximateDifferentialPrivacy) else ZERO


def free_point(problem: Problem) -> Breakpoint | None:
    """Return where differential privacy is free for any source under Hamming distortion; None for other problems."""
    notion = problem.notion
    if not is_hamming(problem) or not isinstance(notion, DifferentialPrivacy | ApproximateDifferentialPrivacy):
        return None
    constant = best_constant(problem)
    if constant.distortion == 0:
        return None
    diagonal, mixture = least_ratio_diagonal(problem, constant.distortion)
    law = mixed(mixture)
    most = max(diagonal)
    # Either bound is proven by itself: any admissible diagonal from above, any law without a free answer from below.
    above = 1 + (sum(diagonal, ZERO) - 1) / (1 - most)
    below = Leaders.of(law).least_ratio(constant.distortion)[0] if max(law) <= 1 - constant.distortion else ONE
    left = Interval(Real.log(max(ONE, below)), Real.log(above))
    return _end(constant.distortion * (1 - slack(problem)), known(left.upper) if below == above else left)


def support_changes(prior: Point) -> tuple[Rational, ...]:
    """Return the distortions below 1 - max(prior) at which randomised response drops categories, in order."""
    leaders = Leaders.of(prior)
    places = {
        1 - leaders.sums[n - 1] + (n - 1) * prior[leaders.order[n - 1]]
        for n in range(3, len(prior) + 1)
        if prior[leaders.order[n - 1]] > 0
    }
    return tuple(sorted(place for place in places if place < 1 - max(prior)))


def _response(prior: Point, delta: Rational) -> tuple[Breakpoint, ...]:
    leaders = Leaders.of(prior)
    free = 1 - max(prior)

    def value(distortion: Rational) -> Interval:
        return known(Real.log(leaders.least_ratio(distortion)[0]))

    return (
        Breakpoint("least distortion", ZERO, NOTHING, known(INFINITY)),
        *_kinks((place * (1 - delta), value(place)) for place in support_changes(prior)),
        _end(free * (1 - delta), value(free)),
    )


def _information(problem: Problem, prior: Point, deadline: Deadline) -> tuple[Breakpoint, ...]:
    return (
        Breakpoint("least distortion", ZERO, NOTHING, value_at(problem, ZERO, deadline)),
        *_kinks((place, value_at(problem, place, deadline)) for place in support_changes(prior)),
        _end(1 - max(prior), _NONE_LOST),
    )


def _leakage(prior: Point) -> tuple[Breakpoint, ...]:
    ordered = sorted((p for p in prior if p > 0), reverse=True)
    kinks, tail = [], ONE
    for count, (p, following) in enumerate(pairwise(ordered), 1):
        tail -= p
        if count > 1 and p != following:
            kinks.append((tail, known(Real.log(Rational(count)))))
    return (
        Breakpoint("least distortion", ZERO, NOTHING, known(Real.log(Rational(len(ordered))))),
        *_kinks(reversed(kinks)),
        _end(1 - ordered[0], _NONE_LOST),
    )


def _identifiability(prior: Point) -> tuple[Breakpoint, ...]:
    change, free = (len(prior) - 1) * min(prior), 1 - max(prior)
    places = [change] if change < free else []
    least = known(Real.log(max(prior) / min(prior)))
    return (
        Breakpoint("least distortion", ZERO, NOTHING, known(INFINITY)),
        *_kinks((place, known(Real.log(least_ratio(prior, place)))) for place in places),
        Breakpoint("threshold", free, least, least),
    )


def _kinks(places: Iterable[tuple[Rational, Interval]]) -> list[Breakpoint]:
    return [Breakpoint("kink", place, value, value) for place, value in places]


def _end(distortion: Rational, left: Interval) -> Breakpoint:
    """Return the point from which on nothing is lost: a jump unless the loss falls to zero by itself."""
    return Breakpoint("threshold" if left.upper.rational == 0 else "jump", distortion, left, _NONE_LOST)
