"""Any notion, any source, any distortion: the program with a growing list of members of the source.

A source answers linear questions only, so the program starts from a few of its members and adds the member under
which the present mechanism does worst, until none is worse. What comes out is a proof, whatever the solver said.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.memory import TooLarge
from epstar.notions.constraints import Constraints, Norm, Power, RelativeEntropy, with_free_law
from epstar.notions.priors import few_extreme_laws, in_rows
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import BITS, Point, mixed
from epstar.solve.methods.assembly import Solution
from epstar.solve.methods.spread import least_cost
from epstar.solve.programs.column_program import laws_of, least_by_columns
from epstar.solve.programs.constant import best_constant, constant_mechanism
from epstar.solve.programs.divergence_program import least_under_divergences
from epstar.solve.programs.events import least_under_events
from epstar.solve.programs.evidence import (
    Floats,
    has_saddle,
    mixture,
    multipliers,
    private_mechanism,
    row_prices,
    simplified,
    trivial_converse,
    useful_mechanism,
)
from epstar.solve.programs.kept_ratios import kept_to_ratios
from epstar.solve.programs.members import Members, is_listed
from epstar.solve.programs.program import Found, Program, has_free_law
from epstar.solve.programs.robust import LawRatios, envelope_of, law_ratios, member_near, region_of
from epstar.source import Ball, Box, Prior

# How many members join at once, and by how much one must be worse than the known ones.
_WORST = 4
_NEW_MEMBER = 1e-12
_FAINT = 1e-11
# A multiplier with a smaller share of the largest may have it from rounding: which, is decided by what it proves.
_NOISES = (1e-12, 1e-9, 1e-6)
_MOST_ROUNDS = 200
# More cones do not end in reasonable time.
MOST_CONES = 1 << 18
_CLOSE = 1e-9
_BLUR = 1e-8
_DISCERNIBLE = Rational(1, 10**10)
# More than floats lose of a distortion.
_ROOM = Rational(1, 10**12)


# Below this many entries HiGHS is as quick, and ends on a corner; at extreme levels it is more precise.
_LARGE_SPREAD = 200
_LEAST_SPREAD_LEVEL, _MOST_SPREAD_LEVEL = 1e-6, 12.0


@dataclass
class Round:
    """One solved program together with what its multipliers refer to."""

    found: Found
    constraints: Constraints
    members: Members
    saddle: bool

    @property
    def law(self) -> Floats:
        """The law of the source at which the distortion is worst: the members by their multipliers."""
        weights = [self.found.multiplier("point", j) for j in range(len(self.members.for_distortion))]
        return _floats(mixed(mixture(weights, self.members.for_distortion)))


def solve_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round:
    """Solve at a level (or, without one, for the least bound at the given distortion), adding members as needed."""
    for special in (_spread_round, _events_round, _divergence_round, _column_round):
        structured = special(problem, members, level, deadline)
        if structured is not None:
            return structured
    unit = 1.0
    saddle = has_saddle(problem)
    for _ in range(_MOST_ROUNDS):
        all_priors = region_of(problem.notion.priors(problem.source)) if saddle else None
        laws = members.for_notion if all_priors is None else [problem.source.uniform]
        constraints = problem.notion.constraints(problem.universe, laws)
        if saddle:
            constraints = with_free_law(constraints)
        _check_size(problem, constraints)
        program = _program(problem, members, constraints, level, unit)
        found = program.solve(deadline)
        # A cone solver that was stopped early may leave rows of zeros.
        is_usable = np.isfinite(found.matrix).all() and (np.maximum(found.matrix, 0.0).sum(axis=1) > 0).all()
        if found.solution.is_cut_short:
            missed = deadline.missed()
            if not is_usable:
                raise missed
            break
        if not is_usable or not (found.solution.finished or program.assembly.cones):
            raise SolverFailure(
                f"The solver stopped with '{found.solution.message}' and no mechanism; "
                "ask at a slightly different distortion or loss."
            )
        bound = found.solution.objective if level is None and program.is_steep else unit
        if not unit / 2 <= bound <= 2 * unit and bound > 1:
            # A steep bound is known to few digits until it is measured in units of its own size.
            unit = bound
        elif not _grown_in_time(problem, members, program, found, saddle) or deadline.is_near():
            break
    kept = kept_to_ratios(found, program, constraints, level)
    return _with_laws(problem, Round(kept, constraints, members, saddle), program)


def _with_laws(problem: Problem, solved: Round, program: Program) -> Round:
    """Return a round with the laws of a region that its program found to be the worst, and their multipliers."""
    if program.region is None:
        return solved
    source, solution = problem.source, solved.found.solution
    members = replace(solved.members, for_distortion=[member_near(source, program.points[0])])
    if program.priors is not None:
        priors = problem.notion.priors(source)
        law, _ = program.priors.law(solution.multipliers, "prior")
        return replace(solved, members=replace(members, for_notion=[member_near(priors, law)]))
    if program.law_ratios is None:
        return replace(solved, members=members)
    laws, blocks = program.law_ratios.found(solution.multipliers, program.cost.shape[1], source)
    members = replace(members, for_notion=laws or members.for_notion)
    found = replace(solved.found, solution=replace(solution, block_multipliers=blocks))
    return replace(solved, members=members, found=found, constraints=_constraints(problem, members))


def _constraints(problem: Problem, members: Members) -> Constraints:
    return problem.notion.constraints(problem.universe, members.for_notion)


def _check_size(problem: Problem, constraints: Constraints) -> None:
    """Refuse a cone program that would not end in reasonable time.

    Raises:
        TooLarge: if there are too many cones.
    """
    terms = [atom for bound in constraints.sums for _, atom in bound.terms]
    # Terms about the free law are shared by all members of a source.
    shared = {tuple(atom.left.items()) for atom in terms if has_free_law(atom)}
    single = sum(isinstance(atom, RelativeEntropy | Power) and not has_free_law(atom) for atom in terms)
    parts = sum(len(atom.weights) for atom in terms if isinstance(atom, Norm))
    cones = (len(shared) + single + parts) * problem.distortion.shape(problem.universe)[1]
    if cones > MOST_CONES:
        raise TooLarge(
            f"The program for {problem.notion.title} would have {cones} cones, more than {MOST_CONES}; "
            "merge some letters, or ask for differential privacy, which bounds it from above."
        )


def _spread_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round | None:
    """Solve a large spread under one law by the method made for it; None for any other program."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    if level is None or len(members.for_distortion) != 1 or inputs * outputs < _LARGE_SPREAD:
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    spread = constraints.spread
    if spread is None or spread.slack > 0 or not _LEAST_SPREAD_LEVEL < float(level) < _MOST_SPREAD_LEVEL:
        return None
    law = _floats(members.for_distortion[0])
    cost = law[:, None] * problem.distortion.floats(problem.universe)
    optimum = least_cost(cost, _floats(spread.scales), float(Real.exp(level)), deadline.left)
    if not optimum.is_near:
        return None
    multipliers: dict[Hashable, float] = {("row", x): -price for x, price in enumerate(optimum.prices.tolist())}
    solution = Solution(
        optimum.matrix.ravel(),
        multipliers | {("point", 0): 1.0},
        {},
        float((cost * optimum.matrix).sum()),
        True,
        "done",
    )
    return Round(Found(optimum.matrix, solution), constraints, members, False)


def _events_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round | None:
    """Solve a large spread over events under one law by the method made for it; None where that does not apply."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    if level is None or not isinstance(problem.source, Prior) or inputs * outputs < _LARGE_SPREAD:
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    spread = constraints.spread
    if spread is None or not spread.events or not 0 < spread.slack < 1 or set(spread.scales) != {ONE}:
        return None
    if not _LEAST_SPREAD_LEVEL < float(level) < _MOST_SPREAD_LEVEL:
        return None
    cost = _floats(members.for_distortion[0])[:, None] * problem.distortion.floats(problem.universe)
    found = least_under_events(cost, float(Real.exp(level)), float(spread.slack), deadline.left)
    return None if found is None else Round(found, constraints, members, False)


def _divergence_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round | None:
    """Solve divergences of pairs under one law by the method made for them; None for any other program."""
    if level is None or not isinstance(problem.source, Prior):
        return None
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    cost = _floats(members.for_distortion[0])[:, None] * problem.distortion.floats(problem.universe)
    found = least_under_divergences(cost[None], constraints, level, deadline.left)
    return None if found is None else Round(found, constraints, members, False)


def _column_round(problem: Problem, members: Members, level: Real | None, deadline: Deadline) -> Round | None:
    """Solve ratio bounds between rows, over listed laws or a region, by the method for columns; None for others."""
    region = region_of(problem.source) if isinstance(problem.source, Box) else None
    if level is None or not (is_listed(problem.source) or (region and not problem.notion.needs_source)):
        return None
    constraints, laws = _constraints(problem, members), laws_of(problem.source, members.for_distortion)
    cost = problem.distortion.floats(problem.universe)
    solved = least_by_columns(cost, constraints, level, laws, deadline.left)
    if solved is None:
        return None
    weights = dict(enumerate(solved.weights.tolist()))
    if region is not None:
        law = solved.weights @ laws.vectors
        members, weights = replace(members, for_distortion=[member_near(problem.source, law / law.sum())]), {0: 1.0}
    points: dict[Hashable, float] = {("point", j): weight for j, weight in weights.items()}
    solution = replace(solved.found.solution, multipliers=solved.found.solution.multipliers | points)
    return Round(replace(solved.found, solution=solution), constraints, members, False)


def _grown_in_time(problem: Problem, members: Members, program: Program, found: Found, saddle: bool) -> bool:
    """Return whether members were added; when time runs out the program that was solved has to do."""
    try:
        return _grown(problem, members, program, found, saddle)
    except TimeLimit:
        return False


def _grown(problem: Problem, members: Members, program: Program, found: Found, saddle: bool) -> bool:
    """Add the members under which the mechanism does worse than the program knows; return whether there are any."""
    listed = is_listed(problem.source)
    settled = saddle or (listed and not problem.source.is_convex) or isinstance(problem.source, Prior)
    if listed and (settled or not problem.notion.needs_source):
        return False
    # Outputs of mere rounding errors would decide what is worst; without them the rest is judged.
    matrix = np.where(found.matrix.max(axis=0) > _FAINT, np.maximum(found.matrix, 0.0), 0.0)
    matrix /= matrix.sum(axis=1, keepdims=True)
    grown = False
    expected = (matrix * program.cost).sum(axis=1)
    if not listed and program.region is None:
        known = max(float(_floats(point) @ expected) for point in members.for_distortion)
        for worst in _worst_costs(problem, expected):
            if worst not in members.for_distortion and float(_floats(worst) @ expected) > known + _NEW_MEMBER:
                members.for_distortion.append(worst)
                grown = True
    priors = problem.notion.priors(problem.source)
    if saddle and not is_listed(priors) and program.priors is None:
        # For a fixed law of the output the loss is linear in the prior, so that an extreme member is worst.
        losses = program.losses(found, with_free_law(problem.notion.constraints(problem.universe, [priors.uniform])))
        worst = priors.maximum(losses.tolist()).point
        known = max(float(_floats(point) @ losses) for point in members.for_notion)
        if worst not in members.for_notion and float(_floats(worst) @ losses) > known + _NEW_MEMBER * abs(known):
            members.for_notion.append(worst)
            grown = True
    if problem.notion.needs_source and not settled and program.law_ratios is None:
        worse = _worse_priors(problem, members, matrix)
        if not worse:
            # A slack that is just used up, or a hair more, makes every loss infinite; a trace of chance tells.
            blurred = (1 - _BLUR) * matrix + _BLUR * matrix.mean(axis=0)
            worse = _worse_priors(problem, members, blurred)
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


def _worse_priors(problem: Problem, members: Members, matrix: Floats) -> list[Point]:
    """Return priors at which the mechanism loses more than at the known ones."""
    mechanism, notion = Mechanism(matrix, problem.universe), problem.notion
    known = max(notion.loss(mechanism, Prior(point)).value for point in members.for_notion)
    worse = [(notion.loss(mechanism, Prior(law)).value, law) for law in notion.worst_laws(mechanism, problem.source)]
    return [law for loss, law in worse if law not in members.for_notion and loss > known + 1e-10]


def _floats(point: Sequence[Rational]) -> Floats:
    return np.array([float(Real.of(entry)) for entry in point])


def converse_of(problem: Problem, solved: Round, level: Real | None, deadline: Deadline) -> Converse:
    """Return what the solver's multipliers prove at `level` (None where the question is the level itself)."""
    members = solved.members
    spread = solved.constraints.spread
    points: list[Mixture] = [((ONE, point),) for point in members.for_notion]
    if spread is not None and not (spread.events and spread.slack > 0) and level is not None:
        return row_prices(solved.found, members.for_distortion, points, problem, solved.constraints, level)
    named = level if problem.asks == "loss" else None
    if not solved.found.solution.cone_multipliers:
        return multipliers(solved.found, solved.constraints, members.for_distortion, points, named)
    candidates = []
    with suppress(TimeLimit):
        for noise in _NOISES:
            if solved.saddle:
                # The multipliers weigh the members: at the law they make, the bound is that of a single prior.
                shares = [solved.found.multiplier("sum", i) for i in range(len(members.for_notion))]
                points = [mixture([s if s > noise * max(shares) else 0.0 for s in shares], members.for_notion)]
                single = Members(members.for_distortion, [mixed(points[0])])
                constraints = problem.notion.constraints(problem.universe, single.for_notion)
                found = _program(problem, single, constraints, level, is_fixed=True).solve(deadline)
            else:
                found, constraints = solved.found, solved.constraints
            if np.isfinite(found.matrix).all():
                candidates.append(multipliers(found, constraints, members.for_distortion, points, named, noise))
                if _is_close(problem, candidates[-1], found.solution.objective):
                    return candidates[-1]
    return max(candidates, key=lambda one: _proven(Proof(problem, None, one)), default=trivial_converse(problem))


def _is_close(problem: Problem, converse: Converse, objective: float) -> bool:
    """Return whether a converse proves the distortion that the solver found, so that no other can do better."""
    if problem.asks != "distortion":
        return False
    sign, proven = _proven(Proof(problem, None, converse))
    return sign == 0 and float(Real.of(proven)) >= objective - _CLOSE * max(1.0, abs(objective))


def _program(
    problem: Problem,
    members: Members,
    constraints: Constraints,
    level: Real | None,
    unit: float = 1.0,
    is_fixed: bool = False,
) -> Program:
    """Return the program over all laws of the source, or, where these are fixed, those among the members."""
    points = [_floats(point) for point in members.for_distortion]
    region = None if is_fixed else region_of(problem.source)
    bounds = None if level is None or region is None else law_ratios(problem)
    if bounds is not None and region is not None:
        constraints = Constraints()
    program = Program(
        problem.distortion.floats(problem.universe),
        [] if region else points,
        members.read,
        None if is_fixed else envelope_of(problem.source),
        None if bounds is None or region is None else LawRatios(bounds, region),
        None if is_fixed or not has_saddle(problem) else envelope_of(problem.notion.priors(problem.source)),
    )
    if level is None:
        program.least_bound(constraints, float(problem.given), unit)
    else:
        program.least_distortion(constraints, level)
    return program


def least_distortion(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least distortion at the given level."""
    try:
        solved = solve_round(problem, Members.start(problem), problem.given, deadline)
    except SolverFailure:
        if problem.given >= _DISCERNIBLE:
            raise
        # Floats cannot tell e^level from one; the multipliers of a larger level prove nearly as much.
        solved = solve_round(problem, Members.start(problem), Real.of(_DISCERNIBLE), deadline)
    found = converse_of(problem, solved, problem.given, deadline)
    simple = simplified(found) if Real.exp(problem.given).rational is not None else []
    proven = _best(problem, found, trivial_converse(problem), *simple)
    law = _floats(mixed(found.distortion_law))
    mechanism = private_mechanism(solved.found.matrix, problem, problem.given, solved.constraints, law)
    with suppress(TimeLimit):
        mechanism = _cheaper(problem, mechanism)
    return proven.with_mechanism_of(Proof(problem, mechanism, None))


def _cheaper(problem: Problem, mechanism: Mechanism | None) -> Mechanism | None:
    """Return the mechanism, or the best constant one where that has no more distortion and is private enough."""
    best = best_constant(problem)
    if mechanism is not None:
        found = mechanism.distortion(problem.distortion, problem.source).value
        if found < best.distortion:
            return mechanism
    constant = constant_mechanism(problem, best.law)
    loss = problem.notion.loss(constant, problem.source).upper
    return constant if loss is not None and loss <= problem.given else mechanism


def least_bound(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least level of a notion made of sums on one scale."""
    try:
        solved = solve_round(problem, Members.start(problem), None, deadline)
    except SolverFailure:
        # In floats the least distortion of all may leave no mechanism; the evidence of a little more is as good.
        roomier = replace(problem, given=problem.given + Real.of(_ROOM))
        solved = solve_round(roomier, Members.start(roomier), None, deadline)
    found = converse_of(problem, solved, None, deadline)
    proven = _best(problem, found, None, *([] if found.slopes else simplified(found)))
    mechanism = useful_mechanism(solved.found.matrix, problem, problem.given)
    return proven.with_mechanism_of(Proof(problem, mechanism, None))


def _best(problem: Problem, *candidates: Converse | None) -> Proof:
    """Return the proof without a mechanism that proves most; one that is rejected proves nothing."""
    return max((Proof(problem, None, converse) for converse in candidates), key=_proven)


def _proven(proof: Proof) -> tuple[int, Rational]:
    """Return the lower bound that is proven in time, in an order: none, finite by size, infinite."""
    try:
        lower = proof.lower
    except (ProofRejected, TimeLimit):
        return -1, ZERO
    return (1, ZERO) if lower.is_infinite else (0, lower.below(BITS))
