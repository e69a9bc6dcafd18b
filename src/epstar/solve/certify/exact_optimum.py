"""The exact optimum of a linear question: members of its source and bounds of its notion join a program as they matter.

An answer in floats says which are likely to. Whether the mechanism then does worse under another member, or breaks
another bound, is decided exactly, and if so the program is solved again with what it lacked. Where e^level is a
fraction, the least distortion is one too. Where floats lead to no basis that is optimal, cuts do for small problems.

An irrational e^level, or e^(level * distance), lies between two fractions. The mechanism of the smaller is private
enough, and the multipliers of the larger prove what no mechanism beats; where numbers of very different sizes leave
floats few digits, these are many.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Proof
from epstar.deadline import Deadline
from epstar.errors import InvalidInput, ProofRejected, Undecided
from epstar.exact import Rational, Real
from epstar.mechanism import AnyMechanism
from epstar.notions.constraints import Constraints, Form, Maximum
from epstar.problem import Problem
from epstar.solve.program.cut_optimum import CutOptimum, all_bounds
from epstar.solve.program.exact_mechanism import ExactFound, MechanismProgram, growth, is_compact, is_linear
from epstar.solve.program.laws import Members, used_members
from epstar.solve.program.robust import region_of
from epstar.source import Rows

Floats = NDArray[np.float64]

# Larger programs would take longer than the few digits that exact arithmetic gains are worth: entries, and rows.
_MOST_ENTRIES = 2500
_MOST_ROWS = 20000
# Of more rows than this only those that nearly bind are asked for.
_MANY_ROWS = 2000
# The shares of its left side by which a row may miss its bound and still bind, or exceed it and not be broken.
_NEARLY, _BROKEN = 1e-5, 1e-9
# Larger ratios are left to the shorter distances that mostly imply them; floats hold them badly, beyond the second not.
_STEEP, _STEEPEST = 10**6, 10**12
# A row over events is as hard for the exact systems as so many others.
_EVENT_ROWS = 2
# Each round adds a law or a bound; a program that gets anywhere needs fewer.
_MOST_ROUNDS = 60
# Documents hold no fractions of more than 2,500 characters.
_MOST_BITS = 8000
# Nats, or units of the distortion: what floats prove is enough where the answer is irrational.
_NARROW = 1e-9
# The digits of an irrational e^level, beyond those of the largest cost, that a narrow proof takes.
_RATIO_BITS = 72


def exactly(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the same fraction, or nearly are at an irrational e^level.

    It is `proof` itself where that is as narrow, or nothing narrower is found.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    ratio = Real.exp(problem.given)
    enough = _NARROW if ratio.rational is None else 0.0
    width = proof.check().width
    if width <= enough or not is_moderate(problem):
        return proof
    largest = max(abs(entry) for row in problem.distortion.matrix(problem.universe) for entry in row)
    bits = _RATIO_BITS + int(largest.ceil()).bit_length()
    ends: tuple[Callable[[Real], Rational], ...] = (
        lambda number: number.below(bits),
        lambda number: number.above(bits),
    )
    # Coefficients that are no fractions are not worth it where floats prove as much.
    is_wide = width > _NARROW

    def by_floats(rounded: Callable[[Real], Rational]) -> Proof | None:
        found = exact_optimum(problem, proof, Real.log(rounded(ratio)), deadline)
        return None if found is None else Proof(problem, found.mechanism, found.converse)

    def by_cuts(rounded: Callable[[Real], Rational]) -> Proof | None:
        bounds = all_bounds(problem)
        with deadline.kept():
            level = Real.log(rounded(ratio))
            found = None if bounds is None else CutOptimum(bounds, level, rounded if is_wide else None)
        return None if found is None or found.value is None else Proof(problem, found.mechanism(), found.converse())

    for way in (by_floats, by_cuts):
        upper = way(ends[0])
        lower = upper if ratio.rational is not None or upper is None else way(ends[1])
        if upper is not None and lower is not None:
            found = lower.with_mechanism_of(Proof(problem, upper.mechanism, None))
            proof = found if can_be_written(found) and width_of(found) < proof.check().width else proof
        if proof.check().width <= enough:
            break
    return proof


def width_of(proof: Proof) -> float:
    """Return the width of what is proven, infinite where that does not hold."""
    try:
        return proof.check().width
    except (ProofRejected, Undecided):
        return math.inf


def exact_optimum(problem: Problem, known: Proof, level: Real | None, deadline: Deadline) -> ExactFound | None:
    """Return the least distortion at a level, or the least bound of sums without one, as a fraction.

    `known` is what floats found, near the optimum. None where the program is not linear with coefficients that are
    fractions, or too large, or floats lead to no basis that is optimal.

    Raises:
        TimeLimit: if the time is up.
    """
    outputs = problem.distortion.shape(problem.universe)[1]
    members = used_members(known)
    matrices = [] if known.mechanism is None else [known.mechanism.dense().floats]
    steepest, lacking = _STEEP, None
    for _ in range(_MOST_ROUNDS):
        constraints = problem.notion.constraints(problem.universe, members.for_notion)
        if not is_linear(constraints, level):
            return None
        kept = None if level is None else _kept(constraints, matrices, outputs, level, steepest)
        asked = (len(members.for_distortion), len(members.for_notion), kept)
        if asked == lacking and steepest == _STEEP:
            steepest = _STEEPEST
            continue
        if asked == lacking or _rows(constraints, outputs, kept) > _MOST_ROWS:
            return None
        found = MechanismProgram(problem, members, level, kept, region_of(problem.source)).solve(deadline.left())
        if found is None:
            return None
        try:
            if not grow_exactly(problem, members, found, level):
                return found
        except (InvalidInput, Undecided):
            return None
        matrices.append(found.mechanism.floats)
        lacking = asked
    return None


def is_moderate(problem: Problem) -> bool:
    """Return whether an exact program takes seconds at most."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs <= _MOST_ENTRIES and not (isinstance(problem.source, Rows) and problem.source.is_curved)


def settling(problem: Problem, mechanism: AnyMechanism | None, converse: Converse | None) -> Proof | None:
    """Return the proof made of two halves if its ends agree and all its numbers can be written down, else None."""
    found = Proof(problem, mechanism, converse)
    return found if width_of(found) == 0 and can_be_written(found) else None


def can_be_written(proof: Proof) -> bool:
    """Return whether documents hold all fractions in a proof."""
    numbers = [entry for row in proof.mechanism.dense().rows for entry in row] if proof.mechanism is not None else []
    if proof.converse is not None:
        converse = proof.converse
        numbers += [converse.weight, *converse.sums, *(converse.prices or ())]
        for table in (converse.ratios, converse.maxima):
            numbers += [multiplier for *_, multiplier in table]
        numbers += [share for share, _ in converse.distortion_law]
    return all(int(n.p).bit_length() + int(n.q).bit_length() <= _MOST_BITS for n in numbers)


def grow_exactly(problem: Problem, members: Members, found: ExactFound, level: Real | None) -> bool:
    """Add the members under which the mechanism does worse than the program knows; return whether it does worse."""
    worst = found.mechanism.distortion(problem.distortion, problem.source)
    grown = Real.of(worst.value) > (problem.given if level is None else Real.of(found.value))
    if grown:
        members.for_distortion.append(worst.point)
    loss = problem.notion.loss(found.mechanism, problem.source)
    if loss.upper is None or loss.upper > (Real.log(found.value) if level is None else level):
        grown = True
        prior = loss.witness.prior
        if prior is not None and problem.notion.needs_source and prior not in members.for_notion:
            members.for_notion.append(prior)
    return grown


def _kept(
    constraints: Constraints, matrices: list[Floats], outputs: int, level: Real, steepest: int
) -> set[tuple[int, int]] | None:
    """Return the ratio bounds to ask for, by bound and output; None for all of them.

    Of many, these are the ones that bind at some mechanism, or nearly do; over events most of those that do not bind at
    one optimum do at another. Of those with large ratios, up to the steepest, these are the ones that some mechanism
    breaks.
    """
    bounds = [] if is_compact(constraints) else constraints.pairwise()
    ratios = {distance: growth(level, distance) for distance in {bound.distance for bound in bounds}}
    are_many = len(bounds) * outputs > _MANY_ROWS and not any(bound.events for bound in bounds)
    if not are_many and all(ratio <= _STEEP for ratio in ratios.values()):
        return None
    found = set()
    for i, bound in enumerate(bounds):
        is_steep = ratios[bound.distance] > _STEEP
        if not are_many and not is_steep:
            found |= {(i, y) for y in range(outputs)}
            continue
        slack = 0.0 if bound.events else float(bound.slack)
        for matrix in matrices if not is_steep or ratios[bound.distance] <= steepest else []:
            left, right = _in_floats(bound.left, matrix), _in_floats(bound.right, matrix)
            excess = left - float(ratios[bound.distance]) * right - slack
            least = (_BROKEN if is_steep else -_NEARLY) * (left + slack)
            found |= {(i, y) for y in np.flatnonzero(excess >= least).tolist() if not is_steep or left[y] > 0}
    return found


def _rows(constraints: Constraints, outputs: int, kept: set[tuple[int, int]] | None) -> int:
    """Return about how many rows a program has; one over events is as hard as one with some more."""
    if kept is not None:
        return len(kept)
    if constraints.spread is not None and is_compact(constraints):
        return 2 * len(constraints.spread.scales) * outputs
    ratios = sum(_EVENT_ROWS if bound.events else 1 for bound in constraints.pairwise())
    maxima = sum(
        len(atom.weights) for total in constraints.sums for _, atom in total.terms if isinstance(atom, Maximum)
    )
    return (ratios + maxima) * outputs


def _in_floats(form: Form, matrix: Floats) -> Floats:
    """Return a form of every column."""
    value: Floats = np.array([float(weight) for weight in form.values()]) @ matrix[list(form)]
    return value
