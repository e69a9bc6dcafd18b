"""Any notion, any source, any distortion: the program with a growing list of members of the source.

A source answers linear questions only, so the program starts from a few of its members and adds the member under
which the present mechanism does worst, until none is worse. What comes out is a proof, whatever the solver said.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import ONE, Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.notions.constraints import Constraints
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import Point
from epstar.solve.evidence import (
    Floats,
    mixture,
    multipliers,
    private_mechanism,
    row_prices,
    trivial_converse,
    useful_mechanism,
)
from epstar.solve.program import Found, Program
from epstar.source import Finite, Hull, Prior, Source

_NEW_MEMBER = 1e-12
_MOST_ROUNDS = 200


class Deadline:
    """A point in time after which work stops; never, if no limit was given."""

    def __init__(self, limit: float | None) -> None:
        self._end = None if limit is None else time.monotonic() + limit

    def left(self) -> float | None:
        """Return the seconds left.

        Raises:
            TimeLimit: if none are left.
        """
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeLimit("The time limit passed; raise it, or ask for a smaller problem.")
        return left


@dataclass
class Members:
    """The members of the source that a program knows: one list for the distortion, one for the notion."""

    source: Source
    for_distortion: list[Point] = field(default_factory=list)
    for_notion: list[Point] = field(default_factory=list)

    def __post_init__(self) -> None:
        start = initial_members(self.source)
        self.for_distortion, self.for_notion = list(start), list(start)


def initial_members(source: Source) -> list[Point]:
    """Return all members that are listed, or for a region the extreme ones along each letter."""
    if isinstance(source, Prior):
        return [source.probabilities]
    if isinstance(source, Finite | Hull):
        return list(source.points)
    found: dict[Point, None] = {}
    for letter in range(source.size):
        unit = [rational(int(x == letter)) for x in range(source.size)]
        found[source.maximum(unit).point] = None
        found[source.minimum(unit).point] = None
    return list(found)


@dataclass
class Round:
    """One solved program together with what its multipliers refer to."""

    program: Program
    found: Found
    constraints: Constraints
    members: Members
    saddle: bool


def solve_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round:
    """Solve at a level (or, without one, for the least bound at the given distortion), adding members as needed."""
    cost = problem.distortion.floats(problem.universe)
    saddle = problem.notion.is_concave_in_prior and problem.source.is_convex and not isinstance(problem.source, Prior)
    for _ in range(_MOST_ROUNDS):
        describe = problem.notion.saddle_constraints if saddle else problem.notion.constraints
        constraints = describe(problem.universe, members.for_notion)
        program = Program(cost, [_floats(point) for point in members.for_distortion])
        if level is None:
            program.least_bound(constraints, float(problem.given))
        else:
            program.least_distortion(constraints, level)
        found = program.solve(deadline.left())
        if not np.isfinite(found.matrix).all():
            raise SolverFailure(f"The solver stopped with '{found.solution.message}' and no mechanism.")
        if not _grown(problem, members, found, cost, level):
            break
    return Round(program, found, constraints, members, saddle)


def _grown(problem: Problem, members: Members, found: Found, cost: Floats, level: Real | None) -> bool:
    """Add the members under which the mechanism does worse than the program knows; return whether there are any."""
    if isinstance(problem.source, Prior | Finite | Hull):
        return False
    matrix = np.maximum(found.matrix, 0.0)
    matrix /= matrix.sum(axis=1, keepdims=True)
    grown = False
    expected = (matrix * cost).sum(axis=1)
    worst = problem.source.maximum(expected).point
    known = max(float(_floats(point) @ expected) for point in members.for_distortion)
    if worst not in members.for_distortion and float(_floats(worst) @ expected) > known + _NEW_MEMBER:
        members.for_distortion.append(worst)
        grown = True
    if problem.notion.needs_source:
        loss = problem.notion.loss(Mechanism(matrix, problem.universe), problem.source)
        known_loss = max(
            problem.notion.loss(Mechanism(matrix, problem.universe), Prior(point)).value
            for point in members.for_notion
        )
        prior = loss.witness.prior
        if prior is not None and prior not in members.for_notion and loss.value > known_loss + 1e-10:
            members.for_notion.append(prior)
            grown = True
    return grown


def _floats(point: Sequence[Rational]) -> Floats:
    return np.array([float(Real.of(entry)) for entry in point])


def converse_of(problem: Problem, solved: Round, level: Real | None) -> Converse:
    """Return what the solver's multipliers prove at `level` (None where the question is the level itself)."""
    members = solved.members
    at = problem.given if level is None and problem.asks == "distortion" else level
    spread = solved.constraints.spread
    if spread is not None and not (spread.events and spread.slack > 0) and at is not None:
        return row_prices(solved.found, members.for_distortion, problem, solved.constraints, at)
    notion_points: list[Mixture] = [((ONE, point),) for point in members.for_notion] if problem.notion.needs_source else []
    return multipliers(solved.program, solved.found, solved.constraints, members.for_distortion, notion_points, level)
