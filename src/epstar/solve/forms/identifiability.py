r"""Identifiability under Hamming distortion for one prior of full support (wang2016, Theorem 1 made exact).

With joint probabilities u(x,y) = P(x) Q(y|x) identifiability is the spread of each column of u. Let E = e^level.
If p_min >= 1/(m-1+E), every column has one peak E times its floor. Otherwise the least likely letter is the floor
of every column, and the distortion is 1 - E p_min. Below the ratio p_max/p_min nothing is possible.
"""

from __future__ import annotations

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS, Point
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import RankOneMechanism
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.forms.randomised_response import LARGE_LEVEL, allowed, letters
from epstar.solve.method import Task
from epstar.solve.shapes import is_hamming_on_letters, is_scaled_by_the_law
from epstar.source import Prior


def accepts(problem: Problem) -> bool:
    """Return whether joint probabilities are compared at one prior of full support, and something is allowed."""
    prior = problem.source
    fits = is_hamming_on_letters(problem) and isinstance(prior, Prior) and is_scaled_by_the_law(problem.notion)
    return fits and isinstance(prior, Prior) and min(prior.probabilities) > 0 and problem.given > 0


def is_first(problem: Problem) -> bool:
    """Return whether it is plain that more is allowed than what the prior alone gives away, and not everything."""
    if not accepts(problem):
        return False
    assert isinstance(problem.source, Prior)
    prior = problem.source.probabilities
    unlike = max(prior) / min(prior)
    if problem.asks == "loss":
        distortion = problem.given.rational
        return distortion is not None and distortion > 0 and least_ratio(prior, distortion) > unlike
    return Real.log(unlike) < problem.given < LARGE_LEVEL


def claims(task: Task) -> Claims:
    """Offer the columns of one peak, or of one floor."""
    assert isinstance(task.problem.source, Prior)
    found = identifiable(task.problem, task.problem.source.probabilities)
    yield Offer(found, "closed form", "wang2016, Theorem 1, exact beyond its range", settles=True)


def least_ratio(prior: Point, distortion: Rational) -> Rational:
    """Return the least E at a positive distortion: the maximum of the three branches."""
    size = len(prior)
    return max((size - 1) * (1 - distortion) / distortion, (1 - distortion) / min(prior), max(prior) / min(prior))


def identifiable(problem: Problem, prior: Point) -> Proof:
    """Solve identifiability for one full-support prior, above the level that the prior itself gives away."""
    if problem.asks == "loss":
        ratio = least_ratio(prior, allowed(problem.given))
        above, level = ratio, Real.log(ratio)
    else:
        ratio, above, level = Real.exp(problem.given).below(BITS), Real.exp(problem.given).above(BITS), None
    law = ((ONE, prior),)
    converse = Converse(ONE, law, points=(law,), level=level, prices=joint_prices(prior, above))
    return Proof(problem, _mechanism(problem, prior, ratio), converse)


def joint_prices(prior: Point, ratio: Rational) -> tuple[Rational, ...]:
    """Return the row prices that prove the optimum of one prior at E = `ratio`."""
    size = len(prior)
    floor = prior.index(min(prior))
    if prior[floor] * (size - 1 + ratio) >= 1:
        share = Rational(size - 1) / (size - 1 + ratio)
        return tuple(share * p for p in prior)
    return tuple(p * (1 - ratio) if x == floor else p for x, p in enumerate(prior))


def _mechanism(problem: Problem, prior: Point, ratio: Rational) -> RankOneMechanism:
    size = len(prior)
    floor = prior.index(min(prior))
    others = [ONE] * size
    if prior[floor] * (size - 1 + ratio) >= 1:
        base = 1 / (size - 1 + ratio)
        # A ratio that is rounded to one leaves the uniform prior and a constant answer.
        heights = [(p - base) / (ratio - 1) if ratio > 1 else p / size for p in prior]
    else:
        # Columns share out the floor letter in proportion to what the others have above it.
        excess = sum((p - prior[floor] for p in prior), ZERO)
        heights = [prior[floor] * (p - prior[floor]) / excess for p in prior]
        for x, p in enumerate(prior):
            rest = prior[floor] - heights[x]
            # A letter that fills the floor alone has nothing left for other outputs.
            others[x] = ONE if x == floor or rest == 0 else (p - ratio * heights[x]) / rest
    diagonal = [ratio * height / p for height, p in zip(heights, prior, strict=True)]
    left = [other / p for other, p in zip(others, prior, strict=True)]
    return RankOneMechanism(letters(problem), diagonal, left, heights)
