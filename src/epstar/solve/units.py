"""Tiny distortions in units of their own size: programs in floats end where errors are small next to one.

A proof in other units is a proof in these, with another weight of the distortion.
"""

from __future__ import annotations

from dataclasses import replace

from epstar.distortion import Gain, Hamming, Matrix
from epstar.exact import ONE, Rational
from epstar.problem import Problem
from epstar.proof import Proof

_TINY = Rational(1, 1000)
# More entries are left as they are: writing them in other units takes longer than a program in floats.
_MOST_ENTRIES = 1 << 14


def unit_of(problem: Problem) -> Rational:
    """Return the power of ten below the largest cost if that is tiny, else one."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    if isinstance(problem.distortion, Hamming) or inputs * outputs > _MOST_ENTRIES:
        return ONE
    largest = max(abs(entry) for row in problem.distortion.matrix(problem.universe) for entry in row)
    unit = ONE
    while 0 < largest < _TINY and largest < unit:
        unit /= 10
    return unit


def in_units(problem: Problem, unit: Rational) -> Problem:
    """Return the question with distortions in another unit."""
    if unit == 1:
        return problem
    outputs = problem.distortion.outputs(problem.universe)
    costs = [[entry / unit for entry in row] for row in problem.distortion.matrix(problem.universe)]
    gains = isinstance(problem.distortion, Gain)
    distortion = Gain([[-entry for entry in row] for row in costs], outputs) if gains else Matrix(costs, outputs)
    return replace(
        problem, distortion=distortion, given=problem.given / unit if problem.asks == "loss" else problem.given
    )


def restored(proof: Proof, problem: Problem, unit: Rational) -> Proof:
    """Return what a proof in another unit proves of the question itself."""
    converse = proof.converse
    if unit == 1 or converse is None:
        return replace(proof, problem=problem)
    steps = tuple(replace(step, weight=step.weight / unit) for step in converse.steps)
    return Proof(problem, proof.mechanism, replace(converse, weight=converse.weight / unit, steps=steps))
