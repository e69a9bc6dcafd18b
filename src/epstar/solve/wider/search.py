"""The least distortion at a level, the least level at a distortion: programs at levels, and the claims they make.

At a given level one program has both claims. The least level is one program too where it bounds sums on one scale.
Elsewhere the least distortion is a falling function of it, which is searched until floats tell no more. Then the level
is claimed a little above and excluded a little below, as near as the claims' own checks accept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.claims import Attained, Bracket, Excluded, Setting
from epstar.claims.claim import End
from epstar.claims.premises import premises
from epstar.claims.rule import Derivation
from epstar.completion import ClaimedProof
from epstar.deadline import Deadline
from epstar.errors import NoSolution, ProofRejected, TimeLimit
from epstar.exact import INFINITY, Rational, Real
from epstar.exact.vectors import nearest_floats
from epstar.notions.priors import listed_laws
from epstar.problem import Problem
from epstar.solve.bracket import Claims, Offer
from epstar.solve.method import Task
from epstar.solve.program.laws import as_mechanism
from epstar.solve.program.level import MOST_PROGRAMS, NARROW, LevelSearch
from epstar.solve.program.model import PRECISION, Basis, Solution
from epstar.solve.wider.attained import Repair, attained
from epstar.solve.wider.excluded import excluded, nothing_left
from epstar.solve.wider.laws import Laws
from epstar.solve.wider.members import Members
from epstar.solve.wider.program import Goal, Program
from epstar.solve.wider.refusal import refusal
from epstar.solve.wider.table import Table

Floats = NDArray[np.float64]
METHOD, THEOREM = "general program", "weak duality"
"""What answers say of how they were found."""
# Nats beyond which a level is taken for infinite by floats, and beyond which it is asked whether any is enough.
_HIGHEST, _MODERATE = 24.0, 4.0
# How often a level that no mechanism keeps is halved until that is proven.
_HALVINGS = 6
# Nats by which a level is too high if a smaller one is as good: the least loss jumps there.
_JUMP = 1e-8
# The share of how far a level is from the one searched for that members of a family may be broken by there.
_ROUGHLY = 1e-2
# Bounds that are nearer to that of level zero are told by a search: there sums grow like the square of a difference.
_SMALL_LEVEL = Rational(1, 10**6)
# Nats that are left open between claims, and how often claims are tried in the middle.
_OPEN, _MOST_BETWEEN = 1e-7, 12
# How often claims are tried beside the level that floats find, each so many times farther from it.
_MOST_STEPS, _FARTHER = 11, 10.0


@dataclass(frozen=True)
class Found:
    """A solved program."""

    program: Program
    solution: Solution

    @property
    def is_solved(self) -> bool:
        """Whether the solver found a mechanism: with costs that it takes for infinite it may find rows of nothing."""
        values = self.solution.values
        if not (self.solution.finished and np.isfinite(values).all()):
            return False
        return bool((self.program.matrix(values).max(axis=1) > 0).all())

    @property
    def least(self) -> float:
        """The least distortion, or the least bound."""
        return float(self.solution.values[self.program.worst])


class Search:
    """The answer to one wider question, within a time."""

    def __init__(self, problem: Problem, deadline: Deadline, known: float = 0.0) -> None:
        self.problem, self.deadline = problem, deadline
        self.known = known
        """A level that no smaller one is, as far as is known."""
        self._latest: Found | None = None
        """The program that was solved last at a level of a search."""
        self._enough: list[Found] = []
        """Those of a search whose levels are enough, from the largest level to the smallest."""
        self._short: list[Found] = []
        """Those whose levels are not, from the smallest level to the largest."""
        self._basis: tuple[tuple[int, int], Basis | None] = (0, 0), None
        self.setting = Setting.of(problem)
        self.laws = Laws.start(self.setting)
        self._cost = problem.distortion.floats(problem.universe)
        self.members = Members(self.setting, self.laws)
        self._fewer: Found | None = None
        """The program that was solved before the last members of families joined: what it excludes is excluded."""

    def run(self) -> Bracket:
        """Return the claims about what is asked; none where a solver gave up.

        Raises:
            NoSolution: if no mechanism meets what was asked, with the claim that says so as witness.
        """
        if self.problem.asks == "distortion":
            return self._distortion(Table(self.laws, self.problem.given, is_closed=True, is_finite=False))
        assert self.problem.given.rational is not None
        return self._closer(self._level(self.problem.given.rational), self.problem.given.rational)

    def so_far(self, deadline: Deadline) -> Bracket:
        """Return the claims that programs make which were solved before time ran out."""
        self.deadline = deadline
        kept = next((claim for found in reversed(self._enough) if (claim := self._attained(found)) is not None), None)
        return Bracket(self.setting, kept, self._excluded(self._short[-1], "loss") if self._short else None)

    # -- at a level ---------------------------------------------------------------------------------------------------

    def _solved(self, table: Table, goal: Goal = "distortion") -> Found | None:
        self.members.restart()
        self._fewer = None
        while True:
            table = table.reading(self.laws, self.members.read)
            if table.is_empty:
                return None
            program = Program(table, goal)
            shape = len(program.rows), len(program.lower)
            basis = self._basis[1] if self._basis[0] == shape else None
            found = Found(program, program.solve(self.deadline, basis))
            if not found.is_solved:
                return None
            self._fewer = found
            self._basis = shape, found.solution.basis
            if not self._grown(found) and not self.members.grown(program, found.solution, _worth(table, found)):
                self.members.settle(program, found.solution)
                return found

    def _grown(self, found: Found) -> bool:
        """Let laws of a region join under which a solver's mechanism does worse; return whether any did."""
        if listed_laws(self.setting.source) is not None and not any(
            map(self.laws.has_saddle, range(len(self.laws.read)))
        ):
            return False
        matrix, free = as_mechanism(found.program.matrix(found.solution.values)), found.program.laws
        outputs = [
            found.solution.values[free[which]] if which in free else None for which in range(len(self.laws.read))
        ]
        before, self.laws = self.laws, self.laws.grown(matrix, outputs, self._cost)
        return self.laws is not before

    def _distortion(self, table: Table) -> Bracket:
        found = self._solved(table)
        if found is None:
            self._refute(table)
            found = self._fewer
        if found is None:
            return Bracket(self.setting)
        kept = self._attained(found)
        if found.program.table.face[0] != found.program.table.proven.face[0]:
            found = self._solved(table.proven)
        below = None if found is None else self._excluded(found, "distortion")
        return Bracket(self.setting, kept, below)

    def _excluded(self, found: Found, end: End, level: Real | None = None) -> Excluded | None:
        """Return what is excluded by a solved program, at its level or another."""
        found = self._at_worst_laws(found)
        # Zeros that no step says may be zeros that other steps say.
        table = found.program.table.proven if level is None else found.program.table.proven.at(level)
        return self._checked(excluded(found.program, found.solution, end, table)[0])

    def _at_worst_laws(self, found: Found) -> Found:
        """Return a solved program with informations over regions at the worst law of each."""
        worst = found.program.worst_laws(found.solution)
        if not worst:
            return found
        table = found.program.table
        program = Program(replace(table, laws=table.laws.fixed(worst)), found.program.goal)
        return Found(program, program.solve(self.deadline))

    def _checked(self, claim: Excluded | None) -> Excluded | None:
        if claim is None:
            return None
        try:
            derivation = Derivation(premises(self.setting, claim))
            for step in claim.steps:
                derivation.add(step)
            return derivation.claim
        except ProofRejected:
            return None

    def _contradiction(self, table: Table) -> Excluded | None:
        """Return the claim that the constraints at a level contradict each other."""
        table = table.proven.reading(self.laws, self.members.read)
        if table.is_empty:
            return self._checked(nothing_left(table))
        program = Program(table, "violation")
        solution = program.solve(self.deadline)
        if not np.isfinite(solution.values).all() or solution.values[program.worst] <= 0:
            return None
        return self._excluded(Found(program, solution), "loss" if table.is_finite else "distortion")

    def _refute(self, table: Table) -> None:
        """Raise that there is no mechanism, if that can be proven."""
        claim = self._contradiction(table)
        if claim is not None:
            evidence = ClaimedProof(self.problem, Bracket(self.setting, None, claim))
            raise NoSolution(refusal(self.problem, claim), evidence)

    # -- at a distortion ----------------------------------------------------------------------------------------------

    def _level(self, most: Rational) -> Bracket:
        start = Table(self.laws, INFINITY, most=most, is_closed=True)
        told = self._least_bound(start.at(Real.of(1)))
        if told is None:
            return self._searched(start)
        found, level = told
        if level == 0:
            return self._at_zero(start, float(most) + NARROW) or self._searched(start, may_be_zero=False)
        kept, _ = attained(Repair(found.program.table.at(INFINITY), self.deadline), found.program, found.solution)
        if found.program.table.face[0] != found.program.table.proven.face[0]:
            told = self._least_bound(start.proven.at(Real.of(1)))
        here = Real.of(Rational(*level.as_integer_ratio()))
        below = None if told is None else self._excluded(told[0], "loss", here)
        return Bracket(self.setting, kept, below)

    def _least_bound(self, table: Table) -> tuple[Found, float] | None:
        """Return the least level by one program, as far as floats tell: zero next to it; None where that is none."""
        scale = table.scale
        found = None if scale is None else self._solved(table, "loss")
        if scale is None or found is None:
            return None
        bound = Rational(*found.least.as_integer_ratio())
        at_zero = scale.bound(Real.of(0)).rational
        assert at_zero is not None
        if bound - at_zero <= _SMALL_LEVEL or bound * at_zero < 0:
            return None if bound * at_zero < 0 else (found, 0.0)
        level = float(scale.level(Real.of(bound)))
        return (found, level) if level < _HIGHEST else None

    def _at_zero(self, start: Table, most: float) -> Bracket | None:
        """Return the claim that level zero is kept, below which nothing is; None where floats say that it is not."""
        claim = self._kept(start.at(Real.of(0)), most)
        below = None if claim is None else Excluded(Real.of(0), claim.distortion, "loss")
        return None if claim is None else Bracket(self.setting, claim, below)

    def _searched(self, start: Table, may_be_zero: bool = True) -> Bracket:
        """Return claims about the least level at which the distortion is kept, by a search for it."""
        assert start.most is not None
        most, is_possible, hair = float(start.most), False, PRECISION
        below: Excluded | float | None = None
        allowed = most + PRECISION * max(1.0, abs(most))
        may_be_zero = may_be_zero and self.known == 0
        # Where limits leave dearer answers alone, the least cost of all is less than that of any mechanism.
        is_spent = len(start.spent) == len(self.laws.for_distortion)
        search = LevelSearch(allowed if is_spent else self._least_cost(start), allowed, low=self.known)
        search.level, search.most = max(self.known, PRECISION) if self.known else 1.0, _HIGHEST
        for _ in range(MOST_PROGRAMS):
            level = search.level
            distortion, slope, search.hair = self._at_level(start, level)
            if may_be_zero and distortion + slope * level <= allowed:
                # Along its tangent the distortion is small enough at level zero, too.
                zero, may_be_zero = self._at_zero(start, allowed + NARROW), False
                if zero is not None:
                    return zero
            search.tell(distortion, slope)
            if not is_possible and math.isinf(search.high) and (math.isinf(distortion) or level > _MODERATE):
                self._check_possible(start)
                is_possible = True
            if search.is_done or search.high < PRECISION:
                hair = search.hair * min(1.0, search.high)
                below = None if math.isinf(search.high) else self._beneath(start, search.high, hair, allowed)
                if not isinstance(below, float):
                    break
                # The least loss jumps at this distortion, which has been found at the upper end of the jump.
                search.high, search.level, search.is_done = below, (search.low + below) / 2, False
        if math.isinf(search.high):
            return self._unbounded(start, search.low)
        return Bracket(self.setting, self._above(start, search.high, hair), None if isinstance(below, float) else below)

    def _least_cost(self, table: Table) -> float:
        """Return what the cheapest answers cost under the worst law that is known."""
        cost = self._cost.copy()
        for entry in table.setting.limits.forbidden():
            cost[entry] = np.inf
        return max(float(nearest_floats(law) @ cost.min(axis=1)) for law in self.laws.for_distortion)

    def _check_possible(self, start: Table) -> None:
        """Raise that no finite level keeps the distortion, if that can be proven."""
        assert start.most is not None
        found, most = self._solved(start), float(start.most)
        if found is None or found.least > most + PRECISION * max(1.0, abs(most)):
            self._refute(start)

    def _at_level(self, table: Table, level: float) -> tuple[float, float, float]:
        """Return the least distortion at a level, how fast it falls, and the share to which both are known.

        Where no mechanism keeps the level at all, it is more than is asked for by how much constraints must give way.
        """
        if self.deadline.remaining == 0:
            raise TimeLimit("The time limit passed before a level was found; raise it.")
        here = table.at(Real.of(Rational(*level.as_integer_ratio())))
        assert table.most is not None
        found = None if table.spent else self._solved(here)
        if found is not None:
            self._latest = found
            (self._enough if found.least <= float(table.most) else self._short).append(found)
            return found.least, -found.program.slope(found.solution), max(PRECISION, found.solution.precision)
        here = here.reading(self.laws, self.members.read)
        if here.is_empty:
            return math.inf, 0.0, PRECISION
        program = Program(here, "violation")
        solution = program.solve(self.deadline)
        lacking = float(solution.values[program.worst])
        lacking = lacking if table.spent else max(lacking, PRECISION)
        return float(table.most) + lacking, -program.slope(solution), PRECISION

    def _kept(self, table: Table, most: float = math.inf) -> Attained | None:
        """Return the claim that a level is kept; none where floats say that it takes more than `most`."""
        found = self._solved(table)
        return None if found is None or found.least > most else self._attained(found)

    def _attained(self, found: Found) -> Attained | None:
        return attained(Repair(found.program.table, self.deadline), found.program, found.solution)[0]

    def _above(self, table: Table, level: float, hair: float) -> Attained | None:
        """Return the claim that a level is kept at which a search ended, or one a little above."""
        repair: Repair | None = None
        is_known = self._latest is not None and float(self._latest.program.table.level) == level
        found, step, moved = self._latest if is_known else None, hair, level
        for _ in range(_MOST_STEPS):
            if found is None:
                moved += step
                found = self._solved(table.at(_short(moved)))
            if found is None:
                step *= _FARTHER
                continue
            # What is inside at a level is inside at larger ones, and where nothing is, more may be there.
            repair = repair if repair is not None and repair.has_inside else Repair(found.program.table, self.deadline)
            claim, dear = attained(repair, found.program, found.solution)
            if claim is not None:
                return claim
            step, found = _next_step(step, dear, found), None
        # Next to level zero programs may break down, and those at the levels on the way there have answers.
        return next((claim for found in reversed(self._enough) if (claim := self._attained(found)) is not None), None)

    def _beneath(self, table: Table, level: float, hair: float, allowed: float) -> Excluded | float | None:
        """Return the claim that a level is not kept a little below the one at which a search ended.

        Where it is kept there, too, because the distortion does not change with the level, return that level.
        """
        table, step, moved = table.proven, 5 * hair, level
        # Where every mechanism costs what is allowed, it is the bounds that contradict each other.
        for _ in range(0 if table.spent else _MOST_STEPS):
            moved -= step
            found = self._solved(table.at(_short(moved))) if moved > 0 else None
            if found is None:
                break
            found = self._at_worst_laws(found)
            claim, room = excluded(found.program, found.solution, "loss", found.program.table)
            claim = self._checked(claim)
            if claim is not None:
                return claim
            if found.least <= allowed and level - moved > _JUMP:
                return moved
            step = _next_step(step, float(room), found)
        lower = (level * (1 - 5 * PRECISION * _FARTHER**k) for k in range(_MOST_STEPS))
        tried = (self._contradiction(table.at(_short(moved))) for moved in lower)
        return next((claim for claim in tried if claim is not None), None)

    def _closer(self, found: Bracket, most: Rational) -> Bracket:
        """Return claims with less between them: next to a jump floats take levels for enough that are not."""
        start = Table(self.laws, INFINITY, self.members.read, most, is_closed=True)
        for _ in range(_MOST_BETWEEN):
            kept, below = found.attained, found.excluded
            if kept is None or below is None or not _OPEN < (gap := float(kept.loss) - float(below.loss)) < math.inf:
                break
            table = start.at(_short(float(below.loss) + gap / 2))
            kept = self._kept(table, float(most))
            if kept is not None:
                found = replace(found, attained=kept)
                continue
            solved = self._solved(table.proven)
            below = None if solved is None else self._excluded(solved, "loss")
            below = below or self._contradiction(table)
            if below is None:
                break
            found = replace(found, excluded=below)
        return found

    def _unbounded(self, table: Table, level: float) -> Bracket:
        """Return what is known where no moderate level is enough."""
        lower = (table.at(Real.of(Rational(*(level / 2**k).as_integer_ratio()))) for k in range(_HALVINGS))
        below = next((claim for here in lower if (claim := self._contradiction(here)) is not None), None)
        return Bracket(self.setting, self._kept(replace(table, is_finite=False)), below)


def claims(task: Task) -> Claims:
    """Claim what the program of a problem proves."""
    known = float(task.bracket.lower) if task.problem.asks == "loss" else 0.0
    working = task.deadline.mostly()
    search = Search(task.problem, working, known)
    try:
        with working.kept():
            found = search.run()
    except TimeLimit:
        yield Offer(ClaimedProof(task.problem, search.so_far(task.deadline)), METHOD, THEOREM)
        raise
    yield Offer(ClaimedProof(task.problem, found), METHOD, THEOREM, settles=True)


def is_linear(problem: Problem) -> bool:
    """Return whether the program of a problem has no curved bounds at any finite level."""
    search = Search(problem, Deadline(None))
    return not Program(Table(search.laws, Real.of(1), search.members.read), "distortion").curved


def _next_step(step: float, lacking: float, found: Found) -> float:
    """Return how far to go on beside a level at which some distortion was lacking for a claim."""
    slope = -found.program.slope(found.solution)
    return max(step, min(_FARTHER * step, 2 * lacking / slope if slope > 0 else math.inf))


def _short(level: float) -> Real:
    """Return a level in few digits."""
    return Real.of(Rational(round(level * 10**17), 10**17))


def _worth(table: Table, found: Found) -> float:
    """Return by how much members of a family may be broken: far from the level that is searched for fewer tell it."""
    if table.most is None or found.program.goal != "distortion":
        return 0.0
    slope = found.program.slope(found.solution)
    away = abs(found.least - float(table.most)) / -slope if slope < 0 else 0.0
    # A distortion that hardly falls does not say how far.
    return _ROUGHLY * away if away < float(table.level) else 0.0
