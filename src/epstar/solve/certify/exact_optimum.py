"""The exact optimum of a linear question: members of its source and bounds of its notion join a program as they matter.

An answer in floats says which are likely to. Whether the mechanism then does worse under another member, or breaks
another bound, is decided exactly, and if so the program is solved again with what it lacked. Where e^level is a
fraction, the least distortion is one too. Where floats lead to no basis that is optimal, pivots in balls do for small
problems.

An irrational e^level, or e^(level * distance), lies between two fractions. The mechanism of the smaller is private
enough, and the multipliers of the larger prove what no mechanism beats; where numbers of very different sizes leave
floats few digits, these are many.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Proof
from epstar.completion.evidence import width_of
from epstar.deadline import Deadline
from epstar.errors import InvalidInput
from epstar.exact import Real
from epstar.mechanism import AnyMechanism
from epstar.notions.constraints import Constraints
from epstar.notions.priors import few_extreme_laws
from epstar.problem import Problem
from epstar.solve.program.coefficients import Coefficients, Rounded, fraction, is_compact, is_linear, is_over_events
from epstar.solve.program.exact_mechanism import Corner, ExactFound, MechanismProgram
from epstar.solve.program.laws import MOST_ROUNDS, Members, used_members
from epstar.solve.program.level import NARROW
from epstar.solve.program.robust import region_of
from epstar.source import Rows

Floats = NDArray[np.float64]

MOST_ENTRIES = 2500
"""Entries of a mechanism, 50 by 50, up to which an exact program, or one with as large a system, takes seconds."""
# The same of exact programs by pivots, without floats.
_FEW_ENTRIES = 144
# Laws at which bounds are read up to which pivots take seconds: a box of seven categories, which takes eight, has 140.
_FEW_LAWS = 128
# Of more rows than this only those that nearly bind are asked for: the share of their left side that is left of it.
_MANY_ROWS, _NEARLY = 2000, 1e-5
# Larger ratios are left to the shorter distances that mostly imply them; floats hold them badly.
_STEEP = 10**6
# Bits: documents hold no fractions of more than 2,500 characters.
_MOST_BITS = 8000
# Bits of an irrational e^level beyond those of the largest cost: 2^-72 of it is far below that.
_RATIO_BITS = 72


def exactly(proof: Proof, deadline: Deadline) -> Proof:
    """Return a proof whose two ends are the same fraction, or nearly are at an irrational e^level.

    It is `proof` itself where that is as narrow, or nothing narrower is found.

    Raises:
        TimeLimit: if the time is up.
    """
    problem = proof.problem
    ratio = Real.exp(problem.given)
    enough = NARROW if ratio.rational is None else 0.0
    width = proof.check().width
    if width <= enough or not is_moderate(problem):
        return proof
    largest = max(abs(entry) for row in problem.distortion.matrix(problem.universe) for entry in row)
    bits = _RATIO_BITS + int(largest.ceil()).bit_length()
    # Coefficients that are no fractions are not worth it where floats prove as much.
    is_wide = width > NARROW

    def at(rounded: Rounded) -> ExactFound | None:
        return exact_optimum(problem, proof, Real.log(rounded(ratio)), deadline, rounded if is_wide else fraction)

    upper = at(lambda number: number.below(bits))
    lower = upper if ratio.rational is not None or upper is None else at(lambda number: number.above(bits))
    if upper is not None and lower is not None:
        found = Proof(problem, upper.mechanism, lower.converse)
        return found if can_be_written(found) and width_of(found) < width else proof
    return proof


def exact_optimum(
    problem: Problem, known: Proof, level: Real | None, deadline: Deadline, rounded: Rounded = fraction
) -> ExactFound | None:
    """Return the least distortion at a level, or the least bound of sums without one, as a fraction.

    `known` is what floats found, near the optimum; coefficients that are not fractions may be `rounded`. None where the
    program is not linear, or too large, or floats lead to no basis that is optimal.

    Raises:
        TimeLimit: if the time is up.
    """
    matrices = [] if known.mechanism is None else [known.mechanism.dense().floats]
    found = ExactSearch(problem, used_members(known), rounded, matrices).by_floats(level, deadline)
    if found is not None or not is_small(problem):
        return found
    with deadline.kept():
        pivoted = ExactSearch(problem, used_members(known), rounded).by_pivots(level)
    return pivoted if isinstance(pivoted, ExactFound) else None


class ExactSearch:
    """Exact programs over members of the source, which grow by the laws that turn out to matter."""

    def __init__(
        self, problem: Problem, members: Members, rounded: Rounded = fraction, matrices: Sequence[Floats] = ()
    ) -> None:
        self.problem, self.members, self.rounded, self.matrices = problem, members, rounded, matrices
        self._corner: Corner | None = None

    def by_floats(self, level: Real | None, deadline: Deadline) -> ExactFound | None:
        """Return the optimum, with a basis that floats lead to."""
        problem, outputs = self.problem, self.problem.distortion.shape(self.problem.universe)[1]
        for _ in range(MOST_ROUNDS):
            constraints = self._constraints(level)
            if constraints is None:
                return None
            kept = None if level is None else _kept(constraints, self.matrices, outputs, level)
            program = MechanismProgram(
                problem, self.members, level, kept, region_of(problem.source), rounded=self.rounded
            )
            found = program.solve(deadline.left())
            if found is None or self._is_worst(found, level):
                return found
        return None

    def by_pivots(self, level: Real | None) -> ExactFound | Converse | None:
        """Return the optimum, or what excludes every mechanism, without floats; from where the last program ended."""
        while self._constraints(level) is not None:
            program = MechanismProgram(self.problem, self.members, level, rounded=self.rounded)
            found = program.pivoted(self._corner)
            if not isinstance(found, ExactFound):
                return found
            self._corner = program.corner(found.basis)
            if self._is_worst(found, level):
                return found
        return None

    def _constraints(self, level: Real | None) -> Constraints | None:
        """Return the bounds at the members known; None where they are not linear."""
        found = self.problem.notion.constraints(self.problem.universe, self.members.for_notion)
        return found if is_linear(found, level, self.rounded is not fraction) else None

    def _is_worst(self, found: ExactFound, level: Real | None) -> bool:
        """Return whether no law makes the loss of a mechanism larger than the members do; else one that does joins."""
        if not self.problem.notion.needs_source:
            return True
        known = len(self.members.for_notion)
        keeps_level(self.problem, self.members, found, Real.log(found.value) if level is None else level)
        return len(self.members.for_notion) == known


def is_small(problem: Problem) -> bool:
    """Return whether exact programs take seconds without floats: few entries, and few laws at which bounds are read."""
    if not is_moderate(problem, _FEW_ENTRIES):
        return False
    try:
        laws = few_extreme_laws(problem.notion.priors(problem.source)) if problem.notion.needs_source else ()
    except InvalidInput:
        return False  # there are too many to list
    return laws is not None and len(laws) <= _FEW_LAWS


def is_moderate(problem: Problem, entries: int = MOST_ENTRIES) -> bool:
    """Return whether an exact program takes seconds at most."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    return inputs * outputs <= entries and not (isinstance(problem.source, Rows) and problem.source.is_curved)


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


def grow_exactly(problem: Problem, members: Members, found: ExactFound, level: Real) -> bool:
    """Add the members under which the mechanism does worse than the program knows; return whether it does worse."""
    worst = found.mechanism.distortion(problem.distortion, problem.source)
    is_worse = worst.value > found.value
    if is_worse:
        members.for_distortion.append(worst.point)
    return not keeps_level(problem, members, found, level) or is_worse


def keeps_level(problem: Problem, members: Members, found: ExactFound, level: Real) -> bool:
    """Return whether a mechanism has a level under all laws; else the one at which it loses most joins the members."""
    loss = problem.notion.loss(found.mechanism, problem.source)
    if loss.upper is not None and loss.upper <= level:
        return True
    prior = loss.witness.prior
    if prior is not None and problem.notion.needs_source and prior not in members.for_notion:
        members.for_notion.append(prior)
    return False


def _kept(
    constraints: Constraints, matrices: Sequence[Floats], outputs: int, level: Real
) -> set[tuple[int, int]] | None:
    """Return the ratio bounds to ask for at first, by bound and output; None for all of them.

    Of many, these are the ones that bind at some mechanism, or nearly do. Large ratios join when they are broken.
    """
    bounds, numbers = () if is_compact(constraints) else constraints.pairwise(), Coefficients(level)
    are_many = has_many_rows(constraints, outputs)
    steep = {distance for distance in {bound.distance for bound in bounds} if numbers.growth(distance) > _STEEP}
    if not are_many and not steep:
        return None
    found = set()
    for i, bound in enumerate(bounds):
        if bound.distance in steep:
            continue
        if not are_many:
            found |= {(i, y) for y in range(outputs)}
            continue
        for matrix in matrices:
            left, right, slack = numbers.at(bound.left, matrix), numbers.at(bound.right, matrix), numbers.slack(bound)
            is_near = left - numbers.growth(bound.distance) * right - slack >= -_NEARLY * (left + slack)
            found |= {(i, y) for y in np.flatnonzero(is_near).tolist()}
    return found


def has_many_rows(constraints: Constraints, outputs: int) -> bool:
    """Return whether a program has so many ratio bounds that those which nearly bind are enough to begin with.

    Over events most of those that do not bind at one optimum do at another.
    """
    if is_compact(constraints) or constraints.number_of_ratios * outputs <= _MANY_ROWS:
        return False
    return not any(map(is_over_events, constraints.pairwise()))
