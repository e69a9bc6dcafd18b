"""Programs at a level over any source: the exchange method, and methods made for the shape of the bounds.

A source answers linear questions only, so a program starts from a few of its members and adds the member under which
the present mechanism does worst, until none is worse (Blankenship and Falk 1976). Spreads, events and ratios between
rows have methods of their own. What comes out is a proof, whatever the solver said.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Point, mixed
from epstar.deadline import Deadline
from epstar.errors import SolverFailure, TimeLimit
from epstar.exact import ONE, Real
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import Constraints
from epstar.notions.priors import few_extreme_laws, in_rows
from epstar.problem import Problem
from epstar.solve.program import FEW_ENTRIES
from epstar.solve.program.arithmetic import ROUNDING
from epstar.solve.program.coefficients import Coefficients
from epstar.solve.program.column_equations import Bounds, Laws
from epstar.solve.program.columns import Path, least_cost_of_columns
from epstar.solve.program.formulation import Found, Program
from epstar.solve.program.hockey_stick import CLOSE, Events, Optimum
from epstar.solve.program.hockey_stick import least_cost as least_cost_under_events
from epstar.solve.program.laws import MOST_ROUNDS, Members, as_mechanism, is_listed, is_worse, mixture, worse_laws
from epstar.solve.program.lazy import Pairs, needed_ratios, plain_ratios
from epstar.solve.program.model import NOISE, PRECISION, Solution
from epstar.solve.program.ratios import MARGIN, kept_to_ratios
from epstar.solve.program.robust import LawRatios, envelope_of, law_ratios, member_near, region_of
from epstar.solve.program.spread import least_cost
from epstar.solve.program.truth_mixed_in import least_over_events
from epstar.source import Ball, Box, Prior, Source

Floats = NDArray[np.float64]

# How many laws join at once.
_WORST = 4
# More entries make a system that takes longer than a linear program.
_MOST_ENTRIES = 72**2
# Below this many entries HiGHS is as quick, and ends on a corner.
_LARGE_SPREAD = 200
# Among more flows a point takes more than some ten seconds to find, in which nothing stops the solver but its clock.
_MOST_FLOWS = 1 << 16
# Nats: outside these levels HiGHS is more precise than the methods for spreads and events.
_LEAST_SPREAD_LEVEL, _MOST_SPREAD_LEVEL = 1e-6, 12.0

# Fewer rows are soon solved by the simplex method, which ends on a corner whose exact numbers may be recognised.
_MANY_ROWS = 3000
# Bounds for each input, in both directions: trees and cycles have at most two, and the simplex method takes a third of
# the time there (0.2 against 3.9 CPU seconds for a path of 40 nodes at level 1/5) and comes nearer.
_SPARSE = 2
# Exponents of ratios: beyond the larger floats lose what they bound, and below the smaller rows are all but alike.
_LARGEST_EXPONENT, _LEAST_EXPONENT = 16.0, 1e-3


@dataclass
class Round:
    """One solved program together with what its multipliers refer to."""

    found: Found
    constraints: Constraints
    members: Members

    @property
    def law(self) -> Floats:
        """The law of the source at which the distortion is worst: the members by their multipliers."""
        weights = [self.found.multiplier("point", j) for j in range(len(self.members.for_distortion))]
        return nearest_floats(mixed(mixture(weights, self.members.for_distortion)))


def solve_round(
    problem: Problem, members: Members, level: Real | None, deadline: Deadline, close: float = 0.0
) -> Round:
    """Solve at a level (or, without one, for the least bound at the given distortion), adding members as needed.

    A method that gets there step by step may stop where it knows the least to a share of it that is `close` enough.
    """
    structured = _structured_round(problem, members, level, deadline, close)
    if structured is not None:
        return structured
    for _ in range(MOST_ROUNDS):
        constraints = _constraints(problem, members)
        program = _formulated(problem, members, constraints, level)
        found = program.solve(deadline)
        # A solver that was stopped early may leave rows of zeros.
        is_usable = np.isfinite(found.matrix).all() and (np.maximum(found.matrix, 0.0).sum(axis=1) > 0).all()
        # Members may join when there is no time left for a program that has them.
        known = members.copied()
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
    return _with_laws(problem, Round(kept, constraints, known), program)


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
    matrix, grown = as_mechanism(found.matrix), False
    expected = (matrix * program.cost).sum(axis=1)
    if not listed and program.region is None:
        known = max(float(nearest_floats(point) @ expected) for point in members.for_distortion)
        for worst in _worst_costs(problem, expected):
            if worst not in members.for_distortion and is_worse(float(nearest_floats(worst) @ expected), known):
                members.for_distortion.append(worst)
                grown = True
    if problem.notion.needs_source and not settled and program.law_ratios is None and not members.dominate:
        if members.guesses is not None:
            worse = members.guesses.worse(matrix, members.for_notion)
        else:
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


# -- Methods made for the shape of the bounds --------------------------------------------------------------------------


def compared_events(constraints: Constraints, level: Real) -> Events | None:
    """Return the bounds as hockey-stick divergences of two rows each, None if some are of another shape."""
    spread = constraints.spread
    if constraints.sums or float(level) <= 0 or (spread is not None and not (spread.events and spread.slack > 0)):
        return None
    bounds = constraints.pairwise()
    if not bounds:
        return None
    if not all(bound.events and bound.slack > 0 and not bound.slack_grows for bound in bounds):
        return None
    if any(list(form.values()) != [ONE] for bound in bounds for form in (bound.left, bound.right)):
        return None
    numbers = Coefficients(level)
    growth = np.array([numbers.growth(bound.distance) for bound in bounds])
    slack = np.array([numbers.slack(bound) for bound in bounds])
    first = np.array([next(iter(bound.left)) for bound in bounds])
    second = np.array([next(iter(bound.right)) for bound in bounds])
    return Events(first, second, growth, slack) if np.isfinite(growth).all() else None


def _under_events(optimum: Optimum, events: Events) -> Found:
    """Return a mechanism with its multipliers, which have the tags ("ratio", i) in the order of the bounds."""
    matrix = as_mechanism(optimum.matrix)
    # A little of a constant mechanism makes up for the outputs left out, and leaves room for rounding.
    excess = np.maximum(matrix[events.first] - events.growth[:, None] * matrix[events.second], 0.0).sum(axis=1)
    share = MARGIN + max(0.0, float((excess / events.slack).max()) - 1)
    matrix = (1 - share) * matrix + share * matrix.mean(axis=0)
    # Smaller flows are what a barrier leaves of zero.
    used = np.flatnonzero(optimum.flows.max(axis=1) > ROUNDING * optimum.flows.max())
    flows: dict[Hashable, Floats] = {("ratio", i): optimum.flows[i] for i in used.tolist()}
    precision = max(PRECISION, (optimum.upper - optimum.lower) / max(abs(optimum.upper), 1e-300))
    return Found(matrix, Solution(matrix.ravel(), {}, optimum.upper, True, "done", flows, precision=precision))


def _structured_round(
    problem: Problem, members: Members, level: Real | None, deadline: Deadline, close: float = 0.0
) -> Round | None:
    """Solve at a level by the method made for the shape of the bounds, None where there is none.

    Under one law: a spread or divergences of pairs. Under several, or a region: ratio bounds between rows. Under any
    source: events.
    """
    if level is None:
        return None
    solved_events = _events_round(problem, members, level, deadline, close)
    if solved_events is not None:
        return solved_events
    region = region_of(problem.source) if isinstance(problem.source, Box) else None
    is_known = is_listed(problem.source) or (region is not None and not problem.notion.needs_source)
    if not is_known:
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    cost = problem.distortion.floats(problem.universe)
    if len(members.for_distortion) == 1 and region is None:
        priced = nearest_floats(members.for_distortion[0])[:, None] * cost
        found = _least_under_one_law(priced, constraints, level, deadline.left)
        if found is not None:
            return Round(found, constraints, members)
    laws = laws_of(problem.source, members.for_distortion)
    solved = least_by_columns(cost, constraints, level, laws, deadline.left, close, members.read.path)
    if solved is None:
        return None
    members.read.path = solved.path
    worst = _at_worst(problem, Round(solved.found, constraints, members), laws, solved.weights)
    points = [nearest_floats(point) for point in worst.members.for_distortion]
    kept = kept_to_ratios(worst.found, cost, points, constraints, level, is_corner=False)
    return replace(worst, found=kept)


def _at_worst(problem: Problem, solved: Round, laws: Laws, weights: Floats) -> Round:
    """Return a round with the multipliers of its laws; of a region that is one, under which the distortion is worst."""
    members, shares = replace(solved.members, for_distortion=list(solved.members.for_distortion)), weights.tolist()
    if region_of(problem.source) is not None:
        law = weights @ laws.vectors
        members, shares = replace(members, for_distortion=[member_near(problem.source, law / law.sum())]), [1.0]
    tags: dict[Hashable, float] = {("point", j): share for j, share in enumerate(shares)}
    solution = replace(solved.found.solution, multipliers=solved.found.solution.multipliers | tags)
    return Round(replace(solved.found, solution=solution), solved.constraints, members)


def _events_round(problem: Problem, members: Members, level: Real, deadline: Deadline, close: float) -> Round | None:
    """Solve under hockey-stick divergences of pairs, with more laws of the source as they matter; None for others."""
    entries = prod(problem.distortion.shape(problem.universe))
    if not FEW_ENTRIES <= entries <= _MOST_ENTRIES or not _LEAST_SPREAD_LEVEL < float(level) < _MOST_SPREAD_LEVEL:
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    events = compared_events(constraints, level)
    if events is None:
        return None
    cost, read = problem.distortion.floats(problem.universe), members.read
    if isinstance(problem.source, Prior) and constraints.spread is not None:
        priced = nearest_floats(members.for_distortion[0])[:, None] * cost
        mixed_in = least_over_events(priced, constraints.spread, float(Real.exp(level)), deadline.left, _MOST_FLOWS)
        if mixed_in is not None:
            return Round(mixed_in, constraints, members)
    for _ in range(MOST_ROUNDS):
        laws = laws_of(problem.source, members.for_distortion)
        try:
            with np.errstate(all="ignore"):
                optimum = least_cost_under_events(cost, laws, events, deadline.left, close, read.iterates)
        except SolverFailure:
            return None
        read.iterates = optimum.path
        solved = _at_worst(problem, Round(_under_events(optimum, events), constraints, members), laws, optimum.weights)
        if is_listed(problem.source) or region_of(problem.source) is not None:
            break
        expected = (solved.found.matrix * cost).sum(axis=1)
        worst = problem.source.maximum(expected.tolist()).point
        known = float((laws.vectors @ expected).max())
        if float(nearest_floats(worst) @ expected) <= known * (1 + max(close, 10 * CLOSE)):
            break
        members.for_distortion.append(worst)
    return solved


def _least_under_one_law(
    cost: Floats, constraints: Constraints, level: Real, left: Callable[[], float | None]
) -> Found | None:
    """Return the mechanism of least cost, where the bounds have a shape that there is a method for."""
    spread = constraints.spread
    if spread is None or cost.size < _LARGE_SPREAD or not _LEAST_SPREAD_LEVEL < float(level) < _MOST_SPREAD_LEVEL:
        return None
    if spread.slack > 0:
        return None
    optimum = least_cost(cost, nearest_floats(spread.scales), float(Real.exp(level)), left)
    if not optimum.is_near:
        return None
    tags: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    value = float((cost * optimum.matrix).sum())
    return Found(optimum.matrix, Solution(optimum.matrix.ravel(), tags | {("point", 0): 1.0}, value, True, "done"))


def laws_of(source: Source, points: Sequence[Point]) -> Laws:
    """Return all laws of a region, or the mixtures of some points.

    Of a ball the weights that lose mass may be more than a half: where no cost is negative that costs less.
    """
    region = region_of(source)
    if region is None:
        return Laws(np.array([nearest_floats(point) for point in points]), np.zeros((0, len(points))), np.zeros(0))
    vectors = np.array([nearest_floats(vector) for vector in region.vectors])
    matrix = np.array([nearest_floats(line) for line in region.matrix]).reshape(len(region.bounds), len(vectors))
    # Both halves together are all the weight: limits that leave no room have no central path.
    read = np.arange(len(region.bounds)) != (1 if isinstance(source, Ball) else -1)
    return Laws(vectors, matrix[read], nearest_floats(region.bounds)[read])


@dataclass(frozen=True)
class ColumnRound:
    """What the method found, with the weights of the laws, and the iterates on its way."""

    found: Found
    weights: Floats
    path: Path


def least_by_columns(
    cost: Floats,
    constraints: Constraints,
    level: Real,
    laws: Laws,
    check_time: Callable[[], object],
    close: float = 0.0,
    path: Path | None = None,
) -> ColumnRound | None:
    """Return the least distortion under plain ratio bounds; None for other bounds, few of them, or numbers too far."""
    ratios = constraints.ratios
    if constraints.sums or constraints.spread is not None or len(plain_ratios(ratios)) < len(ratios):
        return None
    needed = needed_ratios(ratios, level)
    if len(needed) * cost.shape[1] < _MANY_ROWS or len(needed) <= _SPARSE * len(cost):
        return None
    pairs = Pairs.of(ratios, needed, level)
    # Probabilities are positive only by bounds in both directions.
    if min(len(np.unique(pairs.first)), len(np.unique(pairs.second))) < len(cost):
        return None
    if not (pairs.exponents.max() < _LARGEST_EXPONENT and pairs.exponents.min() > _LEAST_EXPONENT):
        return None
    bounds = Bounds(len(cost), pairs.first, pairs.second, np.exp(pairs.exponents))
    optimum = least_cost_of_columns(cost, bounds, laws, check_time, close, path)
    if not optimum.is_near and path is not None:
        optimum = least_cost_of_columns(cost, bounds, laws, check_time, close)
    if not optimum.is_near:
        return None
    weights = np.where(optimum.multipliers > NOISE * optimum.multipliers.max(), optimum.multipliers, 0.0)
    weights /= pairs.lefts[:, None]
    rows: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    blocks: dict[Hashable, Floats] = {("ratio", i): weights[k] for k, i in enumerate(needed) if weights[k].any()}
    means = laws.vectors @ (cost * optimum.matrix).sum(axis=1)
    value = float(optimum.weights @ means)
    # A share of the largest cost, and so of more than the least one.
    precision = max(CLOSE, optimum.gap * float(np.abs(cost).max()) / max(abs(value), CLOSE))
    solution = Solution(optimum.matrix.ravel(), rows, value, True, "done", blocks, precision=precision)
    return ColumnRound(Found(optimum.matrix, solution), optimum.weights, optimum.path)
