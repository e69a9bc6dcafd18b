"""Least distortion or level under bounds on smooth sums, with its evidence: in floats, then in many digits.

A program knows some laws of the source; those under which its mechanism does worse join them (the exchange method,
Blankenship and Falk 1976). Where all bounds are on one scale their least bound is one program; elsewhere Newton's
method finds the level at which no bound is exceeded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import exp, inf, log

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import BITS, Point, Step, mixed
from epstar.deadline import Deadline
from epstar.errors import SolverFailure, TimeLimit, Undecided
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.mechanism import Mechanism
from epstar.memory import TooLarge
from epstar.notions.constraints import (
    Constraints,
    Norm,
    Power,
    Proportional,
    SumBound,
    with_free_law,
)
from epstar.problem import Problem
from epstar.solve.certify.mechanism import STEEP_BITS, certain_rows, rounded, within_distortion, within_level
from epstar.solve.certify.multipliers import HALF_RANGE, at_cheapest, proven, trivial_converse
from epstar.solve.program.arithmetic import decimal
from epstar.solve.program.faces import at_infinity, forcing_law
from epstar.solve.program.interior import Interior, in_many_digits, interior_optimum
from epstar.solve.program.laws import (
    MOST_ROUNDS,
    ROUGHLY_WORSE,
    Members,
    exact,
    grow,
    has_saddle,
    is_listed,
    used_members,
)
from epstar.solve.program.lazy import read_first
from epstar.solve.program.level import MOST_PROGRAMS
from epstar.solve.program.measured import PLACE_BITS, Measured, TangentPlaces, excess, rate
from epstar.solve.program.model import WORSE
from epstar.solve.program.smooth_program import Optimum, SmoothProgram

# Bits of an entry of a mechanism at least, and of the mechanism at most.
_ENTRY_BITS, _MOST_TICKET_BITS = 64, 4000
_PRECISION = Decimal("1e-15")
# Of a bound, relative to how fast it grows with the level.
_BOUND_PRECISION = Decimal("1e-13")
# The least size of a bound that its precision is measured by.
_LEAST_SIZE = Decimal("1e-30")
# The same, of a level that is one of many that are tried: enough to tell the next one.
_ROUGH_PRECISION = Decimal("1e-5")
# Entries of a mechanism: a larger program would take minutes in many digits, and in floats.
_MOST_UNKNOWNS, _MOST_ENTRIES = 300, 128**2 + 128
# By how much a member must be worse than the known ones to join them in many digits.
_LEAST_WORSE = 1e-14
# When a search over levels ends, relative to the level: in floats, and in many digits.
_CLOSE, _SETTLED = 1e-5, 1e-11
# What at least is left of a bound, for a search over levels.
_LEAST_SHARE = 1e-12
# By how many powers of e at most the size of a bound tells of its level.
_TELLING = 10.0
# By how much many digits may correct a level that floats found.
_ASTRAY = 0.5


def convex_proofs(problem: Problem, known: Proof, deadline: Deadline) -> Iterator[Proof]:
    """Return proofs around the answer, from floats and then, of small programs, from many digits.

    Raises:
        SolverFailure: if no program is solved, or there are too many inputs.
        TimeLimit: if there was no time for a single program.
    """
    search = _Search(problem, used_members(known), deadline)
    if problem.asks == "loss":
        search.keep_to_forced()
    failure: SolverFailure | None = None
    for many_digits in (False, True) if search.is_small else (False,):
        search.in_many_digits = many_digits
        try:
            yield search.proof(known)
        except (ArithmeticError, Undecided):
            # Numbers out of reach of floats may not be out of reach of many digits; what neither holds proves nothing.
            search.floats_failed, failure = True, SolverFailure("The bounds leave the range of numbers with digits.")
        except SolverFailure as broken:
            search.floats_failed, failure = True, broken
    if failure is not None:
        raise failure


@dataclass(frozen=True)
class _Found:
    """An optimum with what its multipliers refer to: `laws` for the distortion, `points` for the notion."""

    optimum: Optimum
    constraints: Constraints
    sums: tuple[Rational, ...]
    laws: tuple[Point, ...]
    points: tuple[Mixture, ...]
    mechanism: Mechanism
    steps: tuple[Step, ...] | None = None
    level: Real | None = None
    in_many_digits: bool = False

    def proof(self, problem: Problem) -> Proof:
        """Return the optimum as evidence."""
        return Proof(problem, self.mechanism, self.converse(problem))

    def excluding(self, problem: Problem, root: float) -> Proof:
        """Return the optimum as evidence around a level, with the largest level that the multipliers exclude."""
        # From the last digits of floats on, a level is tried ten times as far below the tangent each time.
        for digits in range(14, 1, -1):
            level = Real.of(exact(root - 10.0**-digits * max(1.0, root)))
            found = Proof(problem, self.mechanism, self.converse(problem, level))
            if proven(found) > (0, ZERO):
                return found
        return Proof(problem, self.mechanism, None)

    def converse(self, problem: Problem, level: Real | None = None) -> Converse:
        """Return the multipliers; smooth terms are linearised where the mechanism is."""
        total = sum(self.optimum.linear, ZERO)
        law = tuple((weight / total, point) for weight, point in zip(self.optimum.linear, self.laws, strict=True))
        if not law:
            law = trivial_converse(problem).distortion_law
        places = TangentPlaces(self.optimum.columns or self.optimum.matrix, self.in_many_digits)
        slopes = tuple(
            (i, k, y, place)
            for i, bound in enumerate(self.constraints.sums)
            if self.sums[i] > 0
            for k, (_, atom) in enumerate(bound.terms)
            for y, place in enumerate(places.of(atom))
        )
        sums, relative = self.sums, self.level is not None and isinstance(self.constraints.sums[0].terms[0][1], Power)
        if relative and level is not None:
            # They are in units of the bounds at the level of the optimum.
            change = level - self.level
            sums = tuple(
                share * Real.exp(change * rate(bound)).below(PLACE_BITS)
                for share, bound in zip(sums, self.constraints.sums, strict=True)
            )
        at = self.level if level is None else level
        if relative and at is not None and not self.in_many_digits and self._has_float_bounds(at):
            # Many bounds are judged in arrays of floats, where their multipliers are absolute.
            sizes = [abs(bound.scale.bound(at).below(PLACE_BITS)) for bound in self.constraints.sums]
            sums, relative = tuple(share / size for share, size in zip(sums, sizes, strict=True)), False
        return Converse(
            total,
            law,
            self.points,
            level,
            sums=sums,
            slopes=slopes,
            forced=self.steps is not None,
            steps=self.steps or (),
            relative=relative,
        )

    def _has_float_bounds(self, level: Real) -> bool:
        """Return whether floats hold all bounds at a level."""
        return all(abs(float(rate(bound)) * float(level)) <= HALF_RANGE for bound in self.constraints.sums)


class _Search:
    """One problem's programs, which share the members of the source that turned out to matter."""

    def __init__(self, problem: Problem, members: Members, deadline: Deadline) -> None:
        self.problem = problem
        self.members = members
        self.deadline = deadline
        self.in_many_digits = self.floats_failed = False
        self.cost = problem.distortion.matrix(problem.universe)
        # Which answers are allowed at all.
        self.kept = [[True] * len(row) for row in self.cost]
        self.saddle = has_saddle(problem)
        # Why the others are not, where the least distortion forces some.
        self.steps: tuple[Step, ...] | None = None
        self.seeks_distortion = problem.asks == "distortion"
        self.least_cost = at_cheapest(problem).value
        entries = (len(self.cost) + 1) * len(self.cost[0])
        self.is_small = entries < _MOST_UNKNOWNS
        if entries > _MOST_ENTRIES:
            raise TooLarge(f"There is no program for {problem.notion.title} and so many categories; merge some.")
        # Outputs that are likely to matter at the next level, or under the next law.
        self.outputs: NDArray[np.intp] | None = None
        # What answers to each input cost on the way to the last optimum in floats.
        self.passed: tuple[NDArray[np.float64], ...] = ()

    def proof(self, known: Proof) -> Proof:
        """Return the optimum as evidence."""
        if self.seeks_distortion:
            return self.least(self.problem.given).proof(self.problem)
        scales = {bound.scale for bound in self._sums()}
        if len(scales) > 1 and not all(isinstance(scale, Proportional) for scale in scales):
            return self.least_level(known)
        least = self.least(None)
        if len(scales) == 1:
            return least.proof(self.problem)
        return least.excluding(self.problem, float(least.optimum.value))

    def least(self, level: Real | None, roughly: bool = False) -> _Found:
        """Return the least distortion at a level, or the least bound of sums at the distortion allowed.

        Where sums are on many scales, their bound at a level is the share by which some exceeds its own.

        The list of members grows until the mechanism does no worse under any other.
        """
        if not self.in_many_digits:
            return self._found(self._exchanged(level), level)
        for _ in range(MOST_ROUNDS):
            program = self._program(level)
            precision = (lambda _: _ROUGH_PRECISION) if roughly else self._precision(program)
            optimum = in_many_digits(program, self._inside(program), precision, self.deadline.left)
            if not self._grown(optimum, _LEAST_WORSE):
                break
        return self._found(optimum, level)

    def _inside(self, program: SmoothProgram) -> Interior | None:
        """Return what floats find, None where they fail."""
        try:
            return interior_optimum(program, self.deadline.left)
        except SolverFailure:
            return None

    def _exchanged(self, level: Real | None) -> Optimum:
        """Return the optimum with all members that matter in floats, or the last one that there was time for."""
        optimum: Optimum | None = None
        known: Members | None = None
        exchanged = self.deadline.mostly()
        roughly = not is_listed(self.problem.source)
        for _ in range(MOST_ROUNDS):
            try:
                optimum, known = self._solved(level, roughly), self.members.copied()
                has_grown = self._grown(optimum, ROUGHLY_WORSE if roughly else WORSE)
            except TimeLimit:
                if optimum is None or known is None:
                    raise
                # Members that joined after it are none of its own.
                self.members = known
                self.deadline.missed()
                break
            if not has_grown and not roughly:
                break
            if exchanged.remaining == 0:
                # What is known has to be turned into evidence, which takes some of the time as well.
                self.members = known
                self.deadline.missed()
                break
            roughly = roughly and has_grown
        assert optimum is not None
        return optimum

    def _solved(self, level: Real | None, roughly: bool) -> Optimum:
        """Return the optimum in floats with the members known."""
        found = interior_optimum(self._program(level), self.deadline.left, roughly, self.outputs)
        self.outputs, self.passed = found.outputs, found.passed
        if found.is_cut_short:
            self.deadline.missed()
        return found.optimum

    def keep_to_forced(self) -> None:
        """Keep to the answers that the distortion allowed leaves at a finite loss, where it is the least there is."""
        if forcing_law(self.problem) is None:
            return
        left = at_infinity(self.problem, self.members.for_notion)
        if left.answers is None:
            raise SolverFailure("No mechanism of so small a distortion has a finite loss.")
        self.kept = [
            [y in choices for y in range(len(row))] for row, choices in zip(self.cost, left.answers, strict=True)
        ]
        self.steps = left.steps
        dearest = [max(row[y] for y in choices) for row, choices in zip(self.cost, left.answers, strict=True)]
        # Laws under which the answers left cost no more than is allowed do not bind, and some have no room either.
        listed = self.members.for_distortion
        listed[:] = [point for point in listed if Real.of(dot(point, dearest)) > self.problem.given]

    def least_level(self, known: Proof) -> Proof:
        """Return a proof around the level at which the least share by which some sum exceeds its bound is zero.

        Newton's method on the level: in floats first, then in many digits. The multipliers near the root exclude all
        levels below their tangent.
        """
        interval = known.check()
        low = float(interval.lower)
        high = 2 * low + 1 if interval.upper.is_infinite else float(interval.upper)
        level = solved = root = high
        optimum: Optimum | None = None
        steepness = float(Real.of(max(abs(rate(bound)) for bound in self._sums())))
        for _ in range(MOST_PROGRAMS):
            try:
                optimum = self._rough(Real.of(exact(level)))
            except TimeLimit:
                if optimum is None:
                    raise
                self.deadline.missed()
                return self._found(optimum, Real.of(exact(solved))).excluding(self.problem, root)
            solved, root = level, self._root(optimum, level)
            low, high = (max(low, level), high) if root > level else (low, min(high, level))
            if root > level >= high:
                high = 2 * level + 1
            if abs(root - level) <= _CLOSE * max(1.0, level):
                break
            # Far above the root a steep bound leaves nothing that tells how far.
            level = root if low < root < high and abs(root - level) * steepness < _TELLING else (low + high) / 2
        for _ in range(MOST_PROGRAMS):
            if not abs(root - level) <= _ASTRAY * max(1.0, level):
                raise SolverFailure("The search over levels went astray; ask at a slightly different distortion.")
            level = root
            found = self.least(Real.of(exact(level)))
            root = self._root(found.optimum, level)
            if abs(root - level) <= _SETTLED * max(1.0, root):
                break
        return found.excluding(self.problem, root)

    def _rough(self, level: Real) -> Optimum:
        """Return the optimum to a few digits: by floats, unless these went astray."""
        if self.in_many_digits and self.floats_failed:
            return self.least(level, roughly=True).optimum
        return self._solved(level, roughly=True)

    def _root(self, optimum: Optimum, level: float) -> float:
        """Return the level at which nothing would exceed its bound if all bounds grew as fast as they do on average."""
        bounds, at = self._sums(), Real.of(exact(level))
        growths = [float(Measured.at(bound, at).growth) for bound in bounds]
        weights = [float(Real.of(weight)) * growth for weight, growth in zip(optimum.sums, growths, strict=True)]
        total = sum(weights)
        if total == 0:
            # So far above the root no bound binds that floats could tell.
            return -inf
        mean = sum(weight * float(Real.of(rate(b))) for weight, b in zip(weights, bounds, strict=True)) / total
        more = float(optimum.value)
        # Bounds are exponential functions of the level, of which nothing may be left in floats.
        return level + (log(max(1 + mean * more, _LEAST_SHARE)) / mean if mean else more)

    def _precision(self, program: SmoothProgram) -> Callable[[Decimal], Decimal]:
        """Return to what a distortion, or a bound, must be known for the answer to be known to about as much."""
        scale, level = program.sums[0].scale, program.level
        if self.seeks_distortion:
            # Steep slopes feel the last digits of a mechanism.
            steepness = max(ONE, *(abs(rate(bound)) for bound in program.sums))
            return lambda _: _PRECISION * decimal(Real.of(program.unit / steepness))
        if level is not None or isinstance(scale, Proportional):
            return lambda _: _BOUND_PRECISION
        # The bound grows with the level as fast as it is large itself.
        growth = Decimal(float(Real.of(excess(program.sums[0]))))
        return lambda value: _BOUND_PRECISION * max(1 + growth * value, _LEAST_SIZE)

    def _constraints(self, points: Sequence[Point]) -> Constraints:
        return self.problem.notion.constraints(self.problem.universe, list(points))

    def _sums(self) -> tuple[SumBound, ...]:
        constraints = self._constraints(self.members.for_notion)
        if self.saddle:
            return with_free_law(constraints).sums
        read_first(constraints.sums, self.members.read.sums, len(self.cost))
        return tuple(constraints.sums[i] for i in sorted(self.members.read.sums))

    def _program(self, level: Real | None) -> SmoothProgram:
        sums, laws = self._sums(), self.members.for_distortion
        if self.seeks_distortion:
            return SmoothProgram(self.cost, tuple(laws), sums, None, level, self.kept, ONE, self.least_cost)
        steepness = ONE if level is None else max(ONE, *(abs(rate(bound)) for bound in sums))
        return SmoothProgram(self.cost, tuple(laws), sums, self.problem.given, level, self.kept, 1 / steepness)

    def _grown(self, optimum: Optimum, tolerance: float) -> bool:
        # Where answers are forced, their cost is what is allowed, and laws on them are not listed.
        allowed = (self.problem.given.above(BITS),) if self.steps is not None else ()
        known = len(self.members.for_distortion)
        grown = grow(self.problem, self.members, self._mechanism(optimum), optimum, tolerance, allowed)
        if len(self.members.for_distortion) > known:
            # Laws that were worst on the way save rounds.
            passed = [self.problem.source.maximum(means.tolist()).point for means in self.passed]
            self.members.for_distortion[:] = dict.fromkeys([*self.members.for_distortion, *passed])
        return grown

    def _found(self, optimum: Optimum, level: Real | None) -> _Found:
        members, measured = self.members, self._sums()
        sums = tuple(share / abs(excess(bound)) for share, bound in zip(optimum.sums, measured, strict=True))
        constraints = self._constraints(members.for_notion)
        points: tuple[Mixture, ...] = tuple(((ONE, point),) for point in members.for_notion)
        if len(sums) < len(constraints.sums):
            shares = dict(zip(sorted(members.read.sums), sums, strict=True))
            sums = tuple(shares.get(i, ZERO) for i in range(len(constraints.sums)))
        if self.saddle:
            # The multipliers weigh the members: at the law they make, the bound is that of a single prior.
            total = sum(sums, ZERO)
            points = (tuple((share / total, point) for share, point in zip(sums, members.for_notion, strict=True)),)
            constraints = self._constraints([mixed(points[0])])
            sums = (total,)
        if isinstance(measured[0].terms[0][1], Power):
            more = 0.0 if self.seeks_distortion else float(optimum.value)
            sums = tuple(
                share * _steepness(bound, more, level) for share, bound in zip(sums, constraints.sums, strict=True)
            )
        mechanism = self._mechanism(optimum)
        if self.problem.asks == "loss":
            # An answer that others never give would tell everything.
            pairs = zip(self.cost, mechanism.rows, strict=True)
            cheapest = [min((d, y) for y, d in enumerate(costs) if row[y] > 0)[1] for costs, row in pairs]
            mechanism = within_distortion(self.problem, mechanism, certain_rows(cheapest, len(self.cost[0])))
        elif level is not None:
            mechanism = within_level(self.problem, mechanism, level)
        laws = tuple(members.for_distortion)
        return _Found(optimum, constraints, sums, laws, points, mechanism, self.steps, level, self.in_many_digits)

    def _mechanism(self, optimum: Optimum) -> Mechanism:
        smallest = min(entry for row in optimum.matrix for entry in row if entry > 0)
        bits = min(max(STEEP_BITS, _ENTRY_BITS + int((1 / smallest).ceil()).bit_length()), _MOST_TICKET_BITS)
        return rounded(optimum.matrix, self.problem, bits)


def _steepness(bound: SumBound, more: float, level: Real | None) -> Rational:
    """Return how many times faster the saddle form of a bound grows than the bound itself, `more` than at a level."""
    ((_, atom), *_) = bound.terms
    if not isinstance(atom, Norm):
        return ONE
    # The saddle form is the sum of norms to the power of their order, in units of its bound.
    order, growth = float(Real.of(atom.order)), float(Real.of(rate(bound)))
    larger = max(1 + float(Real.of(atom.order - 1)) * more, _LEAST_SHARE) ** growth
    return exact(order * larger * exp(-growth * (0.0 if level is None else float(level))))
