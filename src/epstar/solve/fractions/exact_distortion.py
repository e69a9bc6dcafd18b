"""The least distortion at a level, to all digits: where e^level is a fraction it is one too, and this finds which.

A program in floats ends within a few rounding errors of it. The basis on which it ends, solved in exact rationals, ends
on it, and its multipliers prove it. Where floats lead to no such basis, the same program in exact rationals does for
small problems.

An irrational e^level, or e^(level * distance), lies between two fractions. The mechanism of the smaller is private
enough, and the multipliers of the larger prove what no mechanism beats; where numbers of very different sizes leave
floats few digits, these are many.
"""

from __future__ import annotations

from collections.abc import Callable

from epstar.completion import Proof
from epstar.deadline import Deadline
from epstar.errors import ProofRejected, Undecided
from epstar.exact import Rational, Real
from epstar.problem import Problem
from epstar.solve.fractions.cut_optimum import CutOptimum, optimum_by_cuts
from epstar.solve.fractions.exact_optimum import can_be_written, exact_optimum, is_moderate
from epstar.solve.fractions.exact_program import ExactFound

Rounded = Callable[[Real], Rational]

# What floats prove is enough where the answer is irrational.
_NARROW = 1e-9
_RATIO_BITS = 72


def exactly(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the same fraction, or nearly are at an irrational e^level.

    It is `proof` itself where that is as narrow, or nothing narrower is found.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    ratio = Real.exp(problem.given)
    if proof.check().width <= (_NARROW if ratio.rational is None else 0) or not is_moderate(problem):
        return proof
    bits = _bits(problem)

    def below(number: Real) -> Rational:
        return number.below(bits)

    def above(number: Real) -> Rational:
        return number.above(bits)

    def by_floats(rounded: Rounded) -> ExactFound | None:
        return exact_optimum(problem, proof, Real.log(rounded(ratio)), deadline)

    def by_cuts(rounded: Rounded) -> CutOptimum | None:
        return optimum_by_cuts(problem, Real.log(rounded(ratio)), deadline, rounded if is_wide else None)

    is_wide = proof.check().width > _NARROW
    ways: tuple[Callable[[Rounded], ExactFound | CutOptimum | None], ...] = (by_floats, by_cuts)
    for optimum in ways:
        upper = optimum(below)
        lower = upper if ratio.rational is not None or upper is None else optimum(above)
        if upper is not None and lower is not None:
            proof = _narrower(proof, Proof(problem, upper.mechanism, lower.converse))
        if proof.check().width <= (_NARROW if ratio.rational is None else 0):
            break
    return proof


def _bits(problem: Problem) -> int:
    """Return how many digits of e^level a narrow proof takes."""
    largest = max(abs(entry) for row in problem.distortion.matrix(problem.universe) for entry in row)
    return _RATIO_BITS + int(largest.ceil()).bit_length()


def _narrower(proof: Proof, found: Proof) -> Proof:
    """Return the narrower of two proofs; one that does not hold, or is too long to be written, is none."""
    try:
        return found if found.check().width < proof.check().width and can_be_written(found) else proof
    except (ProofRejected, Undecided):
        return proof
