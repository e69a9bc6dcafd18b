"""Small convex programs solved again in many digits, where what the conic solver found proves too little."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import product

import numpy as np

from epstar.errors import ProofRejected, SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, dot, rationalise
from epstar.mechanism import Mechanism
from epstar.notions.constraints import (
    Constraints,
    Exponential,
    Maximum,
    Norm,
    Power,
    RelativeEntropy,
    Scale,
    with_free_law,
)
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import Point, mixed
from epstar.solve.barrier import MOST_UNKNOWNS, Barrier, Digits, Linear, Optimum, Smooth, digits
from epstar.solve.evidence import exact
from epstar.solve.forced import cheapest_mechanism, forcing_law
from epstar.solve.general import Deadline, Members
from epstar.source import Prior

_TICKET_BITS = 144
_PLACE_BITS = 128
_PRECISION = Decimal("1e-15")
# Of a bound, relative to how fast it grows with the level.
_BOUND_PRECISION = Decimal("1e-13")
_MOST_ROUNDS = 25
_MOST_LEVELS = 40
_NEW_MEMBER = Rational(1, 10**15)
_FAINT = Rational(1, 10**7)
_ALMOST_ZERO = Rational(1, 10**40)
_FACE_PRICES = tuple(Rational(10**exponent) for exponent in (2, 4, 8, 16))
_SEARCHED = Rational(1, 10**12)
# Half the width of the levels left open by a search over levels, relative to the level.
_OPEN = 2e-9


def refined(problem: Problem, proof: Proof, deadline: Deadline) -> Proof:
    """Return the narrowest proof from `proof` and the program solved in many digits, where that applies."""
    members = _binding(proof)
    constraints = problem.notion.constraints(problem.universe, members.for_notion)
    if not _applies(problem, constraints):
        return proof
    program = _Refined(problem, members, deadline)
    try:
        if problem.asks == "distortion":
            found = program.least_distortion(problem.given).proof(problem)
        elif len({bound.scale for bound in constraints.sums}) == 1:
            face = forcing_law(problem)
            found = (program.least_bound() if face is None else program.on_face(face)).proof(problem)
        else:
            found = program.least_level(proof)
    except SolverFailure:
        return proof
    both = (proof, found)
    return min((Proof(problem, a.mechanism, b.converse) for a, b in product(both, both)), key=_width)


def _binding(proof: Proof) -> Members:
    """Return the members of the source that the multipliers found so far use; others join when they matter."""
    start = Members.start(proof.problem)
    converse = proof.converse
    if converse is None:
        return start
    for_distortion = [point for weight, point in converse.distortion_law if weight > _FAINT]
    used = list(range(len(converse.points)))
    if converse.sums and len(converse.points) > 1:
        # Every point has equally many sums, one point after the other.
        each = len(converse.sums) // len(converse.points)
        most = max(converse.sums)
        used = [i for i in range(len(converse.points)) if max(converse.sums[i * each : (i + 1) * each]) > _FAINT * most]
    for_notion = [point for i in used for weight, point in converse.points[i] if weight > _FAINT]
    return Members(for_distortion, for_notion or start.for_notion)


def _width(proof: Proof) -> float:
    try:
        return proof.check().width
    except ProofRejected:
        return float("inf")


def _applies(problem: Problem, constraints: Constraints) -> bool:
    """Whether all bounds are smooth, the program is small, and privacy leaves room on all sides."""
    inputs, outputs = problem.distortion.shape(problem.universe)
    atoms = [atom for bound in constraints.sums for _, atom in bound.terms]
    smooth = bool(atoms) and not any(isinstance(atom, Maximum) for atom in atoms) and not constraints.pairwise()
    return smooth and (inputs + 1) * outputs < MOST_UNKNOWNS and (problem.asks == "loss" or problem.given > 0)


@dataclass(frozen=True)
class _Found:
    """An optimum with what its multipliers refer to."""

    optimum: Optimum
    constraints: Constraints
    members: Members
    points: tuple[Mixture, ...]
    mechanism: Mechanism
    face: Mixture = ()

    def proof(self, problem: Problem) -> Proof:
        """Return the optimum as evidence."""
        if not self.face:
            return Proof(problem, self.mechanism, self.converse())
        # The larger the price of an answer that is not allowed, the less it matters, up to the digits of the others.
        return min((Proof(problem, self.mechanism, self.converse(None, price)) for price in _FACE_PRICES), key=_width)

    def converse(self, level: Real | None = None, face_price: Rational = ZERO) -> Converse:
        """Return the multipliers; smooth terms are linearised where the mechanism is."""
        weighed = [*zip(self.optimum.linear, self.members.for_distortion, strict=True)]
        weighed += [(face_price * share, point) for share, point in self.face]
        total = sum((weight for weight, _ in weighed), ZERO)
        law = tuple((weight / total, point) for weight, point in weighed)
        columns = list(zip(*self.optimum.matrix, strict=True))
        slopes = tuple(
            (i, k, y, _place(atom, column))
            for i, bound in enumerate(self.constraints.sums)
            for k, (_, atom) in enumerate(bound.terms)
            for y, column in enumerate(columns)
        )
        return Converse(total, law, self.points, level, sums=self.optimum.sums, slopes=slopes)


def _place(atom: object, column: Sequence[Rational]) -> tuple[Rational, ...]:
    """Return where to linearise an atom: the ratio of its sides at a column, or the column."""
    if isinstance(atom, Norm):
        return tuple(Real.of(max(column[x], _ALMOST_ZERO)).above(_PLACE_BITS) for x in atom.weights)
    assert isinstance(atom, RelativeEntropy | Power)
    left, right = (sum((share * column[x] for x, share in form.items()), ZERO) for form in (atom.left, atom.right))
    return (Real.of(max(left / right, _ALMOST_ZERO) if right > 0 else ONE).above(_PLACE_BITS),)


class _Refined:
    """One problem's programs, which share the members of the source that turned out to matter."""

    def __init__(self, problem: Problem, members: Members, deadline: Deadline) -> None:
        self.problem = problem
        self.members = members
        self.deadline = deadline
        self.cost = np.array(
            [[digits(Real.of(d)) for d in row] for row in problem.distortion.matrix(problem.universe)], dtype=object
        )
        # Which answers are allowed at all.
        self.kept = np.full(self._shape, True)
        priors = problem.notion.priors(problem.source)
        self.saddle = problem.notion.is_concave_in_prior and priors.is_convex and not isinstance(priors, Prior)

    def least_distortion(self, level: Real) -> _Found:
        """Return the least distortion at a level above zero."""

        def barrier(constraints: Constraints) -> Barrier:
            linear = [Linear(self._expected(point), 1, Decimal(0)) for point in self.members.for_distortion]
            smooth = [Smooth(bound.terms, 0, digits(bound.scale.bound(level))) for bound in constraints.sums]
            return Barrier(self._shape, linear, smooth)

        start = np.full(self._shape, Decimal(1) / self._shape[1], dtype=object)
        return self._settled(barrier, start, lambda _: _PRECISION, level)

    def least_bound(self) -> _Found:
        """Return the least bound of sums on one scale at the distortion that the problem allows."""
        allowed = digits(self.problem.given)

        def barrier(constraints: Constraints) -> Barrier:
            linear = [Linear(self._expected(point), 0, allowed) for point in self.members.for_distortion]
            return Barrier(self._shape, linear, [Smooth(bound.terms, 1, Decimal(0)) for bound in constraints.sums])

        scale = self._constraints(self.members.for_notion).sums[0].scale
        return self._settled(barrier, self._inside(allowed), lambda value: _precision(scale, value), None)

    def on_face(self, law: Mixture) -> _Found:
        """Return the least bound where the least distortion under `law` leaves inputs only their cheapest answers."""
        forced = mixed(law)
        cost = self.problem.distortion.matrix(self.problem.universe)
        self.kept = np.array([[d == min(row) or forced[x] == 0 for d in row] for x, row in enumerate(cost)])
        free = [x for x, p in enumerate(forced) if p == 0]
        # Laws on forced inputs alone cost what is allowed, whatever the mechanism.
        listed = self.members.for_distortion
        listed[:] = [point for point in listed if any(point[x] > 0 for x in free)]
        return replace(self.least_bound(), face=law)

    def least_level(self, known: Proof) -> Proof:
        """Return a proof around the level at which the least distortion is the one allowed."""
        target = digits(self.problem.given)
        interval = known.check()
        low = float(interval.lower)
        high = 2 * low + 1 if interval.upper.is_infinite else float(interval.upper)
        level = high
        for _ in range(_MOST_LEVELS):
            found = self.least_distortion(Real.of(exact(level)))
            excess = found.optimum.value - target
            low, high = (max(low, level), high) if excess > 0 else (low, min(high, level))
            if excess > 0 and level >= high:
                high = 2 * level + 1
            slope = self._slope(found, level)
            step = float(excess / slope) if slope > 0 else 0.0
            if abs(step) <= _OPEN / 8 * max(1.0, level):
                break
            level = level + step if low < level + step < high else (low + high) / 2
        room = _OPEN * max(1.0, level)
        above = self.least_distortion(Real.of(exact(level + room)))
        below = Real.of(exact(level - room))
        return Proof(self.problem, above.mechanism, self.least_distortion(below).converse(below))

    def _slope(self, found: _Found, level: float) -> Decimal:
        """Return how fast the distortion falls as the level rises."""
        total = Decimal(0)
        for multiplier, bound in zip(found.optimum.sums, found.constraints.sums, strict=True):
            rise = (bound.scale.bound(Real.of(exact(level + 1e-7))) - bound.scale.bound(Real.of(exact(level)))) * 10**7
            total += digits(rise * multiplier)
        return total

    @property
    def _shape(self) -> tuple[int, int]:
        return self.problem.distortion.shape(self.problem.universe)

    def _expected(self, point: Point) -> Digits:
        weights = np.array([digits(Real.of(p)) for p in point], dtype=object)
        product: Digits = weights[:, None] * self.cost
        return product

    def _constraints(self, points: Sequence[Point]) -> Constraints:
        return self.problem.notion.constraints(self.problem.universe, list(points))

    def _inside(self, allowed: Decimal) -> Digits:
        """Return the cheapest answers mixed with as much chance as leaves half of the room in the distortion."""
        rows = cheapest_mechanism(self.problem).rows
        cheapest = np.array([[digits(Real.of(entry)) for entry in row] for row in rows], dtype=object)
        chance = np.array([[Decimal(int(kept)) / int(row.sum()) for kept in row] for row in self.kept], dtype=object)
        share = Decimal("0.5")
        for _ in range(200):
            matrix = (1 - share) * cheapest + share * chance
            if all((self._expected(point) * matrix).sum() < allowed for point in self.members.for_distortion):
                halfway: Digits = (1 - share / 2) * cheapest + share / 2 * chance
                return halfway
            share /= 2
        raise SolverFailure("The distortion allowed leaves no room.")

    def _settled(
        self,
        barrier: Callable[[Constraints], Barrier],
        start: Digits,
        precision: Callable[[Decimal], Decimal],
        level: Real | None,
    ) -> _Found:
        """Solve with a growing list of members until the mechanism does no worse under any other."""
        for _ in range(_MOST_ROUNDS):
            self.deadline.left()
            constraints = self._constraints(self.members.for_notion)
            optimum = barrier(with_free_law(constraints) if self.saddle else constraints).minimise(start, precision)
            mechanism = self._mechanism(optimum)
            if not self._grown(mechanism, level):
                break
        mechanism = self._repaired(mechanism, level)
        points: tuple[Mixture, ...] = tuple(((ONE, point),) for point in self.members.for_notion)
        if self.saddle:
            # The multipliers weigh the members: at the law they make, the bound is that of a single prior.
            total = sum(optimum.sums, ZERO)
            weights = [share / total for share in optimum.sums]
            points = (tuple(zip(weights, self.members.for_notion, strict=True)),)
            constraints = self._constraints([mixed(points[0])])
            optimum = barrier(constraints).minimise(start, precision)
        return _Found(optimum, constraints, self.members, points, mechanism)

    def _mechanism(self, optimum: Optimum) -> Mechanism:
        tickets = rationalise(optimum.matrix, _TICKET_BITS)
        rows = [[Rational(ticket, 1 << _TICKET_BITS) for ticket in row] for row in tickets]
        return Mechanism(rows, self.problem.universe, self.problem.distortion.outputs(self.problem.universe))

    def _repaired(self, mechanism: Mechanism, level: Real | None) -> Mechanism:
        """Return the mechanism, moved a hair towards a harmless one where a member that is not listed asks for it."""
        problem = self.problem
        if level is None:
            harmless = cheapest_mechanism(problem).rows
        else:
            mean = [sum(column, ZERO) / len(column) for column in zip(*mechanism.rows, strict=True)]
            harmless = (tuple(mean),) * len(mechanism.rows)
        moved = mechanism
        for exponent in range(18, 8, -1):
            if self._is_admissible(moved, level):
                return moved
            share = Rational(1, 10**exponent)
            rows = [
                [(1 - share) * a + share * b for a, b in zip(row, other, strict=True)]
                for row, other in zip(mechanism.rows, harmless, strict=True)
            ]
            moved = Mechanism(rows, problem.universe, mechanism.outputs)
        return mechanism

    def _is_admissible(self, mechanism: Mechanism, level: Real | None) -> bool:
        problem = self.problem
        if level is None:
            return Real.of(mechanism.distortion(problem.distortion, problem.source).value) <= problem.given
        loss = problem.notion.loss(mechanism, problem.source).upper
        # A supremum over a convex set is enclosed by a search, which another checker may end a little earlier.
        return loss is not None and loss + (_SEARCHED if self.saddle else ZERO) <= level

    def _grown(self, mechanism: Mechanism, level: Real | None) -> bool:
        """Add the members under which the mechanism does worse than the program knows; return whether there are any."""
        problem, members = self.problem, self.members
        cost = problem.distortion.matrix(problem.universe)
        expected = [dot(row, costs) for row, costs in zip(mechanism.rows, cost, strict=True)]
        worst = problem.source.maximum(expected).point
        grown = False
        known = [dot(point, expected) for point in members.for_distortion]
        if not self.kept.all():
            known.append(problem.given.above(_PLACE_BITS))
        if dot(worst, expected) > max(known) + _NEW_MEMBER:
            members.for_distortion.append(worst)
            grown = True
        if problem.notion.needs_source:
            loss = problem.notion.loss(mechanism, problem.source)
            prior = loss.witness.prior
            most = max(problem.notion.loss(mechanism, Prior(point)).value for point in members.for_notion)
            exceeded = level is None or loss.upper is None or loss.upper > level
            if prior is not None and prior not in members.for_notion and exceeded and loss.value > most + 1e-12:
                members.for_notion.append(prior)
                grown = True
        return grown


def _precision(scale: Scale, value: Decimal) -> Decimal:
    """Return to what a bound must be known for its level to be known to about the same."""
    if isinstance(scale, Exponential):
        return _BOUND_PRECISION * max(abs(value), Decimal("1e-30")) * min(Decimal(1), abs(digits(Real.of(scale.rate))))
    return _BOUND_PRECISION
