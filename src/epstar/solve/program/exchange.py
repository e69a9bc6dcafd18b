"""The exchange method over the laws of a source, for linear programs: any source, any distortion.

A source answers linear questions only, so the program starts from a few of its members and adds the member under
which the present mechanism does worst, until none is worse. What comes out is a proof, whatever the solver said.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Point
from epstar.deadline import Deadline
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import Real
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import Constraints
from epstar.notions.priors import few_extreme_laws, in_rows
from epstar.problem import Problem
from epstar.solve.program.formulation import Found, Program
from epstar.solve.program.laws import MOST_ROUNDS, Members, is_listed, is_worse, worse_laws
from epstar.solve.program.model import FAINT
from epstar.solve.program.ratios import kept_to_ratios
from epstar.solve.program.robust import LawRatios, envelope_of, law_ratios, member_near, region_of
from epstar.solve.program.structured import Round, structured_round
from epstar.source import Ball, Box, Prior

Floats = NDArray[np.float64]

# How many laws join at once.
_WORST = 4


def solve_round(
    problem: Problem, members: Members, level: Real | None, deadline: Deadline, close: float = 0.0
) -> Round:
    """Solve at a level (or, without one, for the least bound at the given distortion), adding members as needed.

    A method that gets there step by step may stop where it knows the least to a share of it that is `close` enough.
    """
    structured = structured_round(problem, members, level, deadline, close)
    if structured is not None:
        return structured
    for _ in range(MOST_ROUNDS):
        constraints = _constraints(problem, members)
        program = _formulated(problem, members, constraints, level)
        found = program.solve(deadline)
        # A solver that was stopped early may leave rows of zeros.
        is_usable = np.isfinite(found.matrix).all() and (np.maximum(found.matrix, 0.0).sum(axis=1) > 0).all()
        if found.solution.is_cut_short:
            missed = deadline.missed()
            if not is_usable:
                raise missed
            break
        if not (is_usable and found.solution.finished):
            raise SolverFailure(
                f"The solver stopped with '{found.solution.message}' and no mechanism; "
                "ask at a slightly different distortion or loss."
            )
        if not _grown_in_time(problem, members, program, found) or deadline.is_near():
            break
    kept = kept_to_ratios(found, program.cost, program.points, constraints, level)
    return _with_laws(problem, Round(kept, constraints, members), program)


def _with_laws(problem: Problem, solved: Round, program: Program) -> Round:
    """Return a round with the laws of a region that its program found to be the worst, and their multipliers."""
    if program.region is None:
        return solved
    source, solution = problem.source, solved.found.solution
    members = replace(solved.members, for_distortion=[member_near(source, program.points[0])])
    if program.law_ratios is None:
        return replace(solved, members=members)
    laws, blocks = program.law_ratios.found(solution.multipliers, program.cost.shape[1], source)
    members = replace(members, for_notion=laws or members.for_notion)
    found = replace(solved.found, solution=replace(solution, block_multipliers=blocks))
    return replace(solved, members=members, found=found, constraints=_constraints(problem, members))


def _constraints(problem: Problem, members: Members) -> Constraints:
    return problem.notion.constraints(problem.universe, members.for_notion)


def _grown_in_time(problem: Problem, members: Members, program: Program, found: Found) -> bool:
    """Return whether members were added; when time runs out the program that was solved has to do."""
    try:
        return _grown(problem, members, program, found)
    except TimeLimit:
        return False


def _grown(problem: Problem, members: Members, program: Program, found: Found) -> bool:
    """Add the members under which the mechanism does worse than the program knows; return whether there are any."""
    listed = is_listed(problem.source)
    settled = (listed and not problem.source.is_convex) or isinstance(problem.source, Prior)
    if listed and (settled or not problem.notion.needs_source):
        return False
    # Outputs of mere rounding errors would decide what is worst; without them the rest is judged.
    matrix = np.where(found.matrix.max(axis=0) > FAINT, np.maximum(found.matrix, 0.0), 0.0)
    matrix /= matrix.sum(axis=1, keepdims=True)
    grown = False
    expected = (matrix * program.cost).sum(axis=1)
    if not listed and program.region is None:
        known = max(float(nearest_floats(point) @ expected) for point in members.for_distortion)
        for worst in _worst_costs(problem, expected):
            if worst not in members.for_distortion and is_worse(float(nearest_floats(worst) @ expected), known):
                members.for_distortion.append(worst)
                grown = True
    if problem.notion.needs_source and not settled and program.law_ratios is None:
        worse = worse_laws(problem.notion, problem.universe, problem.source, members.for_notion, matrix)
        members.for_notion += worse
        grown = grown or bool(worse)
    return grown


def _worst_costs(problem: Problem, expected: Floats) -> list[Point]:
    """Return the member of a source at which answers cost most; where the corners are known anyway, some near it."""
    is_plain = problem.notion.needs_source and isinstance(problem.source, Box | Ball)
    laws = few_extreme_laws(problem.source) if is_plain else None
    if laws is None:
        return [problem.source.maximum(expected).point]
    return [laws[place] for place in np.argsort(in_rows(laws, problem.source) @ expected)[-_WORST:].tolist()]


def _formulated(problem: Problem, members: Members, constraints: Constraints, level: Real | None) -> Program:
    """Return the program over all laws of the source, or those among the members."""
    points = [nearest_floats(point) for point in members.for_distortion]
    region = region_of(problem.source)
    bounds = None if level is None or region is None else law_ratios(problem)
    if bounds is not None and region is not None:
        constraints = Constraints()
    program = Program(
        problem.distortion.floats(problem.universe),
        [] if region else points,
        members.read,
        envelope_of(problem.source),
        None if bounds is None or region is None else LawRatios(bounds, region),
    )
    if level is None:
        program.least_bound(constraints, float(problem.given))
    else:
        program.least_distortion(constraints, level)
    return program
