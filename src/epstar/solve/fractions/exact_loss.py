"""The least loss at a distortion, where its exponential is a fraction: recognised from floats and then proven.

A bound of sums of maxima is linear in e^level, which is then the value of a linear program. The least distortion under
ratio bounds is not: e^level is a root, most often irrational. The simplest fraction within what is proven may be it; if
not, a few steps of Newton's method, in fractions, leave room for simple ones only. Whether one is the answer is decided
by the exact program at that level.
"""

from __future__ import annotations

from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.problem import Problem
from epstar.solve.fractions.cut_optimum import optimum_by_cuts
from epstar.solve.fractions.exact_optimum import exact_optimum, is_moderate, settling
from epstar.solve.fractions.exact_program import has_lines
from epstar.solve.fractions.rising import rising

_MOST_STEPS, _FEW_ENTRIES = 3, 400
# An interval that is wider says too little about the fraction in it.
_WIDE = 1e-7
_LARGEST = Rational(10) ** 9
# More than the error of a step of Newton's method, over the square of the step.
_CURVATURE = Rational(10) ** 6
_BITS = 192
# An interval of length w holds a fraction of a denominator above w^(-1/2) by chance; a simpler one has a reason.
_BY_CHANCE = Rational(1, 100)


def exactly_least(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the logarithm of the same fraction, or `proof` where none is found.

    Cost: up to four exact programs.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    if problem.given.rational is None or not is_moderate(problem):
        return proof
    constraints = problem.notion.constraints(problem.universe, [(ONE, *[ZERO] * (problem.universe.size - 1))])
    if not has_lines(constraints):
        return proof
    interval = proof.check()
    if constraints.sums and interval.width > 0:
        return _least_bound(problem, proof, deadline) or proof
    if interval.upper.is_infinite or not 0 < interval.width <= _WIDE:
        return proof
    low, high = Real.exp(interval.lower).below(_BITS), Real.exp(interval.upper).above(_BITS)
    return _recognised(problem, proof, low, high, deadline) or proof


def _least_bound(problem: Problem, proof: Proof, deadline: Deadline) -> Proof | None:
    """Return the proof around the least bound of sums of maxima, from floats or, where they do not lead to it, cuts."""
    bound = exact_optimum(problem, proof, None, deadline)
    settled = None if bound is None else settling(problem, bound.mechanism, bound.converse)
    if settled is None:
        cut = optimum_by_cuts(problem, None, deadline)
        settled = None if cut is None else settling(problem, cut.mechanism, cut.converse)
    return settled


def _recognised(problem: Problem, proof: Proof, low: Rational, high: Rational, deadline: Deadline) -> Proof | None:
    allowed = problem.given.rational
    assert allowed is not None
    inputs, outputs = problem.distortion.shape(problem.universe)
    # The fractions of further steps have many digits, which take long in large programs.
    steps = _MOST_STEPS if inputs * outputs <= _FEW_ENTRIES else 0
    for _ in range(steps + 1):
        if not 1 < high <= _LARGEST:
            return None
        ratio = simplest(low, high)
        if steps == 0 and (high - low) * ratio.q * ratio.q > _BY_CHANCE:
            return None
        found = exact_optimum(problem, proof, Real.log(ratio), deadline)
        if found is None:
            return None
        if found.value <= allowed:
            for converse in (found.converse, proof.converse):
                settled = settling(problem, found.mechanism, converse)
                if settled is not None:
                    return settled
            risen = rising(problem, found, Real.log(ratio), deadline) if found.value == allowed else None
            if risen is not None:
                return settling(problem, found.mechanism, risen)
        if found.slope == 0 or found.value == allowed:
            return None
        step = (allowed - found.value) / found.slope
        margin = _CURVATURE * step * step
        if margin >= abs(step):
            # From so far, as where the loss of a constant answer is the least, the tangent tells nothing.
            return None
        low, high = ratio + step - margin, ratio + step + margin
    return None


def simplest(low: Rational, high: Rational) -> Rational:
    """Return the fraction of the smallest denominator between two positive numbers.

    >>> simplest(Rational(31, 100), Rational(32, 100))
    5/16
    """
    whole = Rational(low.ceil())
    if whole <= high:
        return whole
    below = Rational(low.floor())
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))
