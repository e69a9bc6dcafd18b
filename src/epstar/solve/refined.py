"""Small convex programs solved again in many digits, where what the conic solver found proves too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product
from math import log

from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import ONE, ZERO, Rational, Real, dot, rationalise
from epstar.mechanism import AnyMechanism, Mechanism
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Maximum,
    Norm,
    Power,
    Proportional,
    RelativeEntropy,
    SumBound,
    with_free_law,
)
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import BITS, Point, mixed
from epstar.proof.proof import achieved
from epstar.solve.binding import grow, used_members
from epstar.solve.central_path import Optimum, SmoothProgram, State
from epstar.solve.evidence import exact, has_saddle
from epstar.solve.forced import forcing_law
from epstar.solve.general import Deadline, Members
from epstar.solve.interior import minimise, optimum_of, roughly
from epstar.solve.moved import mixed_rows, within_distortion, within_level

Table = Sequence[Sequence[Rational]]

_TICKET_BITS = 144
_PLACE_BITS = 128
_PRECISION = Decimal("1e-15")
# Of a bound, relative to how fast it grows with the level.
_BOUND_PRECISION = Decimal("1e-13")
# A larger program would take minutes.
_MOST_UNKNOWNS = 300
_MOST_ROUNDS = 40
_MOST_LEVELS = 20
# By how much a member must be worse than the known ones to join them, for what floats and many digits found.
_ROUGHLY_WORSE, _WORSE = 1e-6, 1e-14
_LEAST_PLACE = Rational(1, 10**40)
# The ratio at which to linearise a term on answers that neither side can give: one that makes them dear.
_FORBIDDEN = Rational(10**6)
# How far slopes stay below the price of answers that are not allowed, and places from what floats cannot hold.
_BELOW, _TINY = Rational(1000), 1e-300
_FACE_PRICES = tuple(Rational(10**exponent) for exponent in (2, 4, 8, 16))
# When a search over levels ends, relative to the level: in floats, and in many digits.
_CLOSE, _SETTLED = 1e-5, 1e-11
# What at least is left of a bound, for a search over levels.
_LEAST_SHARE = 1e-12
# Over which step of the level a bound's growth is measured.
_STEP = Rational(1, 10**7)
# By how much many digits may correct a level that floats found.
_ASTRAY = 0.5
# How far below their tangent levels are excluded, relative to the level.
_MARGINS = (1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9)


def refined(problem: Problem, proof: Proof, deadline: Deadline) -> Proof:
    """Return the narrowest proof from `proof` and the program solved in many digits, where that applies."""
    members = used_members(proof)
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    if not _applies(problem, constraints):
        return proof
    program = _Refined(problem, members, deadline)
    try:
        if problem.asks == "loss":
            program.keep_to(forcing_law(problem))
        if problem.asks == "distortion":
            found = program.least(problem.given).proof(problem)
        elif len({bound.scale for bound in constraints.sums}) == 1:
            found = program.least(None).proof(problem)
        elif all(isinstance(bound.scale, Proportional) for bound in constraints.sums):
            least = program.least(None)
            found = least.excluding(problem, float(least.optimum.value))
        else:
            found = program.least_level(proof)
    except SolverFailure:
        return proof
    mechanism = min((proof.mechanism, found.mechanism), key=lambda mechanism: _reached(problem, mechanism))
    return Proof(problem, mechanism, max((proof, found), key=_proven).converse)


def _proven(proof: Proof) -> tuple[int, Rational]:
    """Return the lower bound of a proof, in an order: rejected, finite by size, infinite."""
    try:
        lower = replace(proof, mechanism=None).check().lower
    except ProofRejected:
        return -1, ZERO
    return (1, ZERO) if lower.is_infinite else (0, lower.below(BITS))


def _reached(problem: Problem, mechanism: AnyMechanism | None) -> tuple[int, Rational]:
    """Return what a mechanism achieves, in an order: finite by size, infinite or not admissible."""
    try:
        upper = achieved(problem, mechanism)
    except ProofRejected:
        return 1, ZERO
    return (1, ZERO) if upper.is_infinite else (0, upper.above(BITS))


def _applies(problem: Problem, constraints: Constraints) -> bool:
    """Whether all bounds are smooth, the program is small, and privacy leaves room on all sides."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    atoms = [atom for bound in constraints.sums for _, atom in bound.terms]
    smooth = bool(atoms) and not any(isinstance(atom, Maximum) for atom in atoms) and not constraints.pairwise()
    return smooth and (inputs + 1) * outputs < _MOST_UNKNOWNS and (problem.asks == "loss" or problem.given > 0)


@dataclass(frozen=True)
class _Found:
    """An optimum with what its multipliers refer to: `laws` for the distortion, `points` for the notion."""

    optimum: Optimum
    constraints: Constraints
    sums: tuple[Rational, ...]
    laws: tuple[Point, ...]
    points: tuple[Mixture, ...]
    mechanism: Mechanism
    face: Mixture = ()

    def proof(self, problem: Problem) -> Proof:
        """Return the optimum as evidence."""
        return self._proving_most(problem, None)

    def excluding(self, problem: Problem, root: float) -> Proof:
        """Return the optimum as evidence around a level, with the largest level that the multipliers exclude."""
        for margin in _MARGINS:
            found = self._proving_most(problem, Real.of(exact(root - margin * max(1.0, root))))
            if _proven(found) > (0, ZERO):
                break
        return found

    def _proving_most(self, problem: Problem, level: Real | None) -> Proof:
        # The larger the price of an answer that is not allowed, the less it matters, up to the digits of the others.
        prices = _FACE_PRICES if self.face else (ZERO,)
        return max((Proof(problem, self.mechanism, self.converse(level, price)) for price in prices), key=_proven)

    def converse(self, level: Real | None = None, face_price: Rational = ZERO) -> Converse:
        """Return the multipliers; smooth terms are linearised where the mechanism is."""
        weighed = [*zip(self.optimum.linear, self.laws, strict=True)]
        weighed += [(face_price * share, point) for share, point in self.face]
        total = sum((weight for weight, _ in weighed), ZERO)
        law = tuple((weight / total, point) for weight, point in weighed)
        columns = list(zip(*self.optimum.matrix, strict=True))
        slopes = tuple(
            (i, k, y, _place(atom, column, face_price))
            for i, bound in enumerate(self.constraints.sums)
            for k, (_, atom) in enumerate(bound.terms)
            for y, column in enumerate(columns)
        )
        return Converse(total, law, self.points, level, sums=self.sums, slopes=slopes)


def _place(atom: object, column: Sequence[Rational], price: Rational) -> tuple[Rational, ...]:
    """Return where to linearise an atom: the ratio of its sides at a column, or the column.

    Slopes that grow without bound stay well below the price of the answers that are not allowed.
    """
    assert isinstance(atom, RelativeEntropy | Power | Norm)
    order = ONE if isinstance(atom, RelativeEntropy) else atom.order
    least, most = _LEAST_PLACE, _FORBIDDEN
    if price > 0:
        least = (_BELOW / price) ** 2
        if order < 1:
            low, power = min(1.0, float(Real.of(_BELOW / price))), float(Real.of(order))
            least, most = exact(max(low ** (1 / (1 - power)), _TINY)), exact(min(low ** (-1 / power), 1 / _TINY))
    if isinstance(atom, Norm):
        return tuple(Real.of(max(column[x], least)).above(_PLACE_BITS) for x in atom.weights)
    left, right = (sum((share * column[x] for x, share in form.items()), ZERO) for form in (atom.left, atom.right))
    return (Real.of(max(left / right, least) if right > 0 else most).above(_PLACE_BITS),)


class _Refined:
    """One problem's programs, which share the members of the source that turned out to matter."""

    def __init__(self, problem: Problem, members: Members, deadline: Deadline) -> None:
        self.problem = problem
        self.members = members
        self.deadline = deadline
        self.cost = problem.distortion.matrix(problem.universe)
        # Which answers are allowed at all.
        self.kept = [[True] * len(row) for row in self.cost]
        self.saddle = has_saddle(problem)
        self.face: Mixture = ()

    def least(self, level: Real | None) -> _Found:
        """Return the least distortion at a level, or the least bound of sums at the distortion allowed.

        Where sums are on many scales, their bound at a level is the share by which some exceeds its own.

        The list of members grows until the mechanism does no worse under any other.
        """
        for _ in range(_MOST_ROUNDS):
            program, state = self._roughly(level)
            try:
                optimum = minimise(program, state, self._precision(program), self.deadline.left)
            except (SolverFailure, TimeLimit):
                if state is None:
                    raise
                # What floats found proves nearly as much.
                return self._found(optimum_of(program, state), level)
            if not self._grown(optimum, _WORSE):
                break
        return self._found(optimum, level)

    def _roughly(self, level: Real | None) -> tuple[SmoothProgram, State | None]:
        """Return the program with the members that matter, and what floats find."""
        for _ in range(_MOST_ROUNDS):
            program = self._program(level)
            state = roughly(program, self.deadline.left)
            if state is None or not self._grown(optimum_of(program, state), _ROUGHLY_WORSE):
                break
        return program, state

    def keep_to(self, law: Mixture | None) -> None:
        """Keep to the mechanisms that are left where the least distortion under `law` forces the cheapest answers."""
        if law is None:
            return
        forced = mixed(law)
        self.kept = [[d == min(row) or forced[x] == 0 for d in row] for x, row in enumerate(self.cost)]
        self._keep_finite()
        free = [x for x, p in enumerate(forced) if p == 0]
        # Laws on forced inputs alone cost what is allowed, whatever the mechanism.
        listed = self.members.for_distortion
        listed[:] = [point for point in listed if any(point[x] > 0 for x in free)]
        self.face = law

    def _keep_finite(self) -> None:
        """Leave out the answers that would make a term infinite because nothing on its right side can give them."""
        terms = [
            (atom.left, atom.right)
            for bound in self._constraints(Members.start(self.problem).for_notion).sums
            for _, atom in bound.terms
            if isinstance(atom, RelativeEntropy) or (isinstance(atom, Power) and atom.order > 1)
        ]
        found = True
        while found:
            found = False
            for (left, right), y in product(terms, range(len(self.cost[0]))):
                if not any(self.kept[x][y] for x in right) and any(self.kept[x][y] for x in left):
                    found = True
                    for x in left:
                        self.kept[x][y] = False

    def least_level(self, known: Proof) -> Proof:
        """Return a proof around the level at which the least share by which some sum exceeds its bound is zero.

        Newton's method on the level: in floats first, then in many digits. The multipliers near the root exclude all
        levels below their tangent.
        """
        interval = known.check()
        low = float(interval.lower)
        high = 2 * low + 1 if interval.upper.is_infinite else float(interval.upper)
        level = high
        for _ in range(_MOST_LEVELS):
            root = self._root(self._rough(Real.of(exact(level))), level)
            low, high = (max(low, level), high) if root > level else (low, min(high, level))
            if root > level >= high:
                high = 2 * level + 1
            if abs(root - level) <= _CLOSE * max(1.0, level):
                break
            level = root if low < root < high else (low + high) / 2
        for _ in range(_MOST_LEVELS):
            if not abs(root - level) <= _ASTRAY * max(1.0, level):
                raise SolverFailure("The search over levels went astray; ask at a slightly different distortion.")
            level = root
            found = self.least(Real.of(exact(level)))
            root = self._root(found.optimum, level)
            if abs(root - level) <= _SETTLED * max(1.0, root):
                break
        return found.excluding(self.problem, root)

    def _rough(self, level: Real) -> Optimum:
        program, state = self._roughly(level)
        return self.least(level).optimum if state is None else optimum_of(program, state)

    def _root(self, optimum: Optimum, level: float) -> float:
        """Return the level at which nothing would exceed its bound if all bounds grew as fast as they do on average."""
        bounds, at = self._constraints(self.members.for_notion).sums, Real.of(exact(level))
        slope = sum(float(weight) * rise for weight, rise in zip(optimum.sums, _rises(bounds, at), strict=True))
        # Bounds are exponential functions of the level, below zero where they fall in size.
        sign = 1.0 if bounds[0].scale.bound(at) > 0 else -1.0
        excess = sign * log(max(1 + sign * float(optimum.value), _LEAST_SHARE))
        return level + (excess / slope if slope > 0 else 0.0)

    def _precision(self, program: SmoothProgram) -> Callable[[Decimal], Decimal]:
        """Return to what a distortion, or a bound, must be known for the answer to be known to about as much."""
        scale, level = program.sums[0].scale, program.level
        if self.problem.asks == "distortion":
            return lambda _: _PRECISION
        if level is not None:
            rises = zip(program.sums, _rises(program.sums, level), strict=True)
            least = min(rise / abs(float(bound.scale.bound(level))) for bound, rise in rises)
            return lambda _: _BOUND_PRECISION * Decimal(least)
        if isinstance(scale, Exponential):
            rate = _BOUND_PRECISION * min(Decimal(1), abs(Decimal(float(Real.of(scale.rate)))))
            return lambda value: rate * max(abs(value), Decimal("1e-30"))
        return lambda _: _BOUND_PRECISION

    def _constraints(self, points: Sequence[Point]) -> Constraints:
        return self.problem.notion.constraints(self.problem.universe, list(points))

    def _program(self, level: Real | None) -> SmoothProgram:
        constraints, laws = self._constraints(self.members.for_notion), self.members.for_distortion
        sums = (with_free_law(constraints) if self.saddle else constraints).sums
        chance = [[Rational(int(kept), sum(row)) for kept in row] for row in self.kept]
        if self.problem.asks == "distortion":
            return SmoothProgram(self.cost, tuple(laws), sums, None, level, chance)
        start = self._inside(self._cheapest(), chance)
        return SmoothProgram(self.cost, tuple(laws), sums, self.problem.given, level, start)

    def _cheapest(self) -> Table:
        """Return the cheapest answers of those that are allowed."""
        rows = []
        for costs, kept in zip(self.cost, self.kept, strict=True):
            _, best = min((d, y) for y, d in enumerate(costs) if kept[y])
            rows.append([Rational(int(y == best)) for y in range(len(costs))])
        return rows

    def _inside(self, cheapest: Table, chance: Table) -> Table:
        """Return the cheapest answers mixed with as much chance as leaves half of the room in the distortion."""
        share = Rational(1, 2)
        for _ in range(200):
            rows = mixed_rows(cheapest, chance, share)
            expected = [dot(row, costs) for row, costs in zip(rows, self.cost, strict=True)]
            if all(Real.of(dot(law, expected)) < self.problem.given for law in self.members.for_distortion):
                return mixed_rows(cheapest, chance, share / 2)
            share /= 2
        raise SolverFailure("The distortion allowed leaves no room.")

    def _grown(self, optimum: Optimum, tolerance: float) -> bool:
        # Where answers are forced, their cost is what is allowed, and laws on them are not listed.
        allowed = (self.problem.given.above(BITS),) if self.face else ()
        return grow(self.problem, self.members, self._mechanism(optimum), optimum, tolerance, allowed)

    def _found(self, optimum: Optimum, level: Real | None) -> _Found:
        members, sums = self.members, optimum.sums
        constraints = self._constraints(members.for_notion)
        points: tuple[Mixture, ...] = tuple(((ONE, point),) for point in members.for_notion)
        if self.saddle:
            # The multipliers weigh the members: at the law they make, the bound is that of a single prior.
            total = sum(sums, ZERO)
            points = (tuple((share / total, point) for share, point in zip(sums, members.for_notion, strict=True)),)
            constraints = self._constraints([mixed(points[0])])
            sums = (total * _steepness(constraints.sums[0], optimum, level),)
        mechanism = self._mechanism(optimum)
        if self.problem.asks == "loss":
            mechanism = within_distortion(self.problem, mechanism, self._cheapest())
        elif level is not None:
            mechanism = within_level(self.problem, mechanism, level)
        return _Found(optimum, constraints, sums, tuple(members.for_distortion), points, mechanism, self.face)

    def _mechanism(self, optimum: Optimum) -> Mechanism:
        tickets = rationalise(optimum.matrix, _TICKET_BITS)
        rows = [[Rational(ticket, 1 << _TICKET_BITS) for ticket in row] for row in tickets]
        return Mechanism(rows, self.problem.universe, self.problem.distortion.outputs(self.problem.universe))


def _steepness(bound: SumBound, optimum: Optimum, level: Real | None) -> Rational:
    """Return how many times faster the saddle form of a bound grows than the bound itself, at the optimum."""
    ((_, atom), *_) = bound.terms
    if not isinstance(atom, Norm):
        return ONE
    # The saddle form is the sum of norms to the power of their order.
    order = float(Real.of(atom.order))
    norm = float(abs(optimum.value)) ** (1 / order) if level is None else abs(float(bound.scale.bound(level)))
    return exact(order * norm ** (order - 1))


def _rises(bounds: Sequence[SumBound], level: Real) -> list[float]:
    """Return how fast bounds grow with the level."""
    return [float((bound.scale.bound(level + _STEP) - bound.scale.bound(level)) / _STEP) for bound in bounds]
