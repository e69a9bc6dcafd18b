r"""Rényi and Sibson notions of a large order, from the multipliers and mechanisms that `steep_pairs` finds at a level.

Rényi privacy compares pairs of inputs. Sibson's information is at most a level if for some law r of the output the sum
over x and y of p(x) q (q / r)^(order-1) is at most e^((order-1) level), for all priors p: inputs are compared with one
more row, the law, and each prior is a budget that all inputs share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import suppress
from math import inf

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, rationalise
from epstar.mechanism import Mechanism
from epstar.notions import RenyiDifferentialPrivacy, SibsonMutualInformation
from epstar.notions.enclosure import bits_taken
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import mixed
from epstar.solve.certify.mechanism import within_level
from epstar.solve.methods.steep_pairs import Optimum, SteepPairs, least_cost
from epstar.solve.program.laws import Members, exact, mixture
from epstar.solve.smooth.large_order import tangents

Floats = NDArray[np.float64]
Point = tuple[Rational, ...]

# To what share of the largest cost a distortion is sought: roughly at first, and then as far as floats go.
_ROUGH, _PRECISE = 1e-6, 1e-11
# A larger system of entries would take minutes.
_MOST_ENTRIES = 2500
_TICKET_BITS, _PLACE_BITS = 144, 128
_MOST_LEVELS, _MOST_ROUNDS = 30, 40
# By how much a member must be worse than the known ones to join them, as a share of the largest cost.
_WORSE = 1e-12
# A pair whose slopes are a smaller share of the largest cost does not matter.
_FAINT = 1e-12
# By how much of a level a prior must be worse to join, and the largest logarithm of a power.
_EXCEEDING, _MOST_LOG = 1e-11, 600.0
# How near to a level, relative to it, a rough search ends, and a precise one.
_CLOSE, _SETTLED = 1e-3, 1e-9
# How far below its mechanism a level is excluded, in units of what the distortion is known to.
_HAIRS = (4, 16, 256)


def steeply(problem: Problem, above: Proof, deadline: Deadline) -> Proof:
    """Return a proof around the answer for a large order, from that for differential privacy.

    Raises:
        SolverFailure: if the problem is too large, or the numbers break down.
    """
    inputs, outputs = problem.distortion.shape(problem.universe)
    if inputs * outputs > _MOST_ENTRIES or above.converse is None:
        raise SolverFailure("The program for a large order would be too large; merge some letters.")
    kind = _Informations if isinstance(problem.notion, SibsonMutualInformation) else _Divergences
    search = kind(problem, [point for weight, point in above.converse.distortion_law if weight > 0], deadline)
    if problem.asks == "loss":
        return search.least_level(float(above.check().upper))
    found = search.at(problem.given, _PRECISE)
    mechanism = within_level(problem, search.mechanism(found), problem.given)
    return Proof(problem, mechanism, search.converse(found, problem.given))


class _Search(ABC):
    """One problem's programs, which share the members of the source that turned out to matter."""

    # How many laws of the output there are next to the rows of the mechanism.
    laws = 0

    def __init__(self, problem: Problem, members: list[Point], deadline: Deadline) -> None:
        assert isinstance(problem.notion, RenyiDifferentialPrivacy | SibsonMutualInformation)
        assert not isinstance(problem.notion.order, float)
        self.problem, self.members, self.deadline = problem, members, deadline
        self.order = problem.notion.order
        self.costs = problem.distortion.floats(problem.universe)
        self.pairs = self.compared()

    @abstractmethod
    def compared(self) -> list[tuple[int, int, Rational]]:
        """Return the pairs of rows that are compared, with their distances."""

    @abstractmethod
    def converse(self, found: Optimum, level: Real) -> Converse:
        """Return the multipliers at a level."""

    def shared(self) -> Floats | None:
        """Return which share each budget takes of the pairs, None where every pair has its own."""
        return None

    def has_grown(self, _: Optimum, __: Real) -> bool:
        """Return whether there are priors to add, under which the mechanism loses more than the level."""
        return False

    def around(self, found: Optimum, level: float, slope: float) -> Proof:
        """Return the mechanism of a level with the multipliers of one a hair below that they exclude."""
        mechanism = self.mechanism(found)
        for times in _HAIRS:
            at = Real.of(exact(max(0.0, level - times * found.gap / slope)))
            with suppress(ProofRejected):
                proof = Proof(self.problem, mechanism, self.converse(self.at(at, _PRECISE), at))
                proof.check()
                return proof
        return Proof(self.problem, mechanism, None)

    def at(self, level: Real, precision: float) -> Optimum:
        """Return the least distortion at a level; members join until the mechanism does no worse under any other."""
        first, second, distances = zip(*self.pairs, strict=True)
        growth = np.exp(float(level) * np.array([float(Real.of(distance)) for distance in distances]))
        largest = float(np.abs(self.costs).max()) or 1.0
        for _ in range(_MOST_ROUNDS):
            pairs = SteepPairs(np.array(first), np.array(second), growth, float(Real.of(self.order)), self.shared())
            members = np.array([[float(Real.of(p)) for p in member] for member in self.members])
            costs = np.pad(members[:, :, None] * self.costs, ((0, 0), (0, self.laws), (0, 0)))
            found = least_cost(costs, pairs, precision * largest, self.deadline.left)
            expected = (self.costs * found.matrix[: len(self.costs)]).sum(axis=1)
            worst = self.problem.source.maximum([exact(cost) for cost in expected.tolist()])
            is_worse = float(Real.of(worst.value)) > found.cost + _WORSE * largest + found.gap
            if is_worse and worst.point not in self.members:
                self.members.append(worst.point)
            elif not self.has_grown(found, level):
                return found
        raise SolverFailure("Members of the source keep joining; ask for a source with fewer corners.")

    def mechanism(self, found: Optimum) -> Mechanism:
        tickets = rationalise(
            [[exact(entry) for entry in row] for row in found.matrix[: len(self.costs)].tolist()], _TICKET_BITS
        )
        rows = [[Rational(ticket, 1 << _TICKET_BITS) for ticket in row] for row in tickets]
        return Mechanism(rows, self.problem.universe, self.problem.distortion.outputs(self.problem.universe))

    def _slope(self, found: Optimum) -> float:
        """Return by how much the distortion falls with the level: as fast as the right sides of ratios that bind."""
        order = float(Real.of(self.order))
        first, _, distances = zip(*self.pairs, strict=True)
        binding = (found.matrix[list(first)] * np.exp((order - 1) * found.logs)).sum(axis=1)
        reach = np.array([float(Real.of(distance)) for distance in distances])
        return float(found.pairs * (order - 1) * binding @ reach) / float(found.laws.sum())

    def least_level(self, level: float) -> Proof:
        """Return a proof around the level at which the distortion is what is allowed: Newton's method.

        The last mechanism costs a hair less than that, and the last multipliers exclude the levels a hair below.
        """
        allowed = self.problem.given
        low, high, precision = 0.0, inf, _ROUGH
        for _ in range(_MOST_LEVELS):
            found = self.at(Real.of(exact(level)), precision)
            excess, slope = float(Real.of(self._distortion(found)) - allowed), self._slope(found)
            known = found.gap / slope if slope > 0 else inf
            low, high = max(low, level if excess > found.gap else 0.0), min(high, level if excess <= 0 else inf)
            root = level + excess / slope if slope > 0 else inf
            if precision == _PRECISE and 0 <= level - root <= max(_SETTLED * max(1.0, level), 8 * known):
                return self.around(found, level, slope)
            if abs(root - level) <= max(_CLOSE * max(1.0, level), 8 * known):
                precision = _PRECISE
            # A hair more, so that the mechanism keeps to the distortion.
            hair = _SETTLED / 4 * max(1.0, level)
            level = root + hair if low < root <= high and root < inf else (low + min(high, 2 * level + 1)) / 2
        raise SolverFailure("The search over levels does not end; ask at a slightly different distortion.")

    def _distortion(self, found: Optimum) -> Rational:
        return self.mechanism(found).distortion(self.problem.distortion, self.problem.source).value


class _Divergences(_Search):
    """Rényi privacy."""

    def compared(self) -> list[tuple[int, int, Rational]]:
        """Return the constrained pairs."""
        return list(ordered_pairs(self.problem.universe))

    def converse(self, found: Optimum, level: Real) -> Converse:
        """Return the multipliers as they are in units of the bounds, whatever the level they were found at."""
        law = mixture(found.laws.tolist(), self.members)
        order = float(Real.of(self.order))
        # Answers that are never given may be held back by slopes of a pair that weighs next to nothing itself.
        slopes = order * found.pairs * np.exp((order - 1) * found.logs.max(axis=1))
        sums = np.where(slopes > _FAINT * np.abs(self.costs).max(), found.pairs, 0.0).tolist()
        weight = exact(float(found.laws.sum()))
        plain = Converse(weight, law, level=level if self.problem.asks == "loss" else None)
        logs = [[Real.of(exact(log)) for log in row] for row in found.logs.tolist()]
        return tangents(self.problem, self.order, level, plain, [exact(share) for share in sums], logs)


class _Informations(_Search):
    """Sibson's information under a prior, or over a convex set of them."""

    laws = 1

    def __init__(self, problem: Problem, members: list[Point], deadline: Deadline) -> None:
        super().__init__(problem, members, deadline)
        self.priors = Members.start(problem).for_notion

    def compared(self) -> list[tuple[int, int, Rational]]:
        """Return every input that the source gives, with the law."""
        size = len(self.costs)
        units = ([ONE if x == letter else ZERO for x in range(size)] for letter in range(size))
        return [(x, size, ONE) for x, unit in enumerate(units) if self.problem.source.maximum(unit).value > 0]

    def shared(self) -> Floats | None:
        """Return the priors."""
        return np.array([[float(Real.of(prior[x])) for x, *_ in self.pairs] for prior in self.priors])

    def has_grown(self, found: Optimum, level: Real) -> bool:
        """Return whether there is a prior that is worse for the law of the output."""
        steepness = float(Real.of(self.order - 1))
        matrix, law = found.matrix[:-1], found.matrix[-1]
        sums = (matrix * np.exp(np.minimum(steepness * (np.log(matrix / law) - float(level)), _MOST_LOG))).sum(axis=1)
        sums = np.where(np.isin(np.arange(len(sums)), [x for x, *_ in self.pairs]), sums, 0.0)
        worst = self.problem.source.maximum([exact(total) for total in sums.tolist()])
        if float(Real.of(worst.value)) <= 1.0 + _EXCEEDING * steepness or worst.point in self.priors:
            return False
        self.priors.append(worst.point)
        return True

    def converse(self, found: Optimum, _: Real) -> Converse:
        """Return the multipliers; norms are linearised where powers are, and weigh as much as the largest slopes need.

        A bound that all sums share says which level is possible, so that none is named.
        """
        order = float(Real.of(self.order))
        points = mixture(found.budgets.tolist(), self.priors)
        used = [(i, x) for i, (x, *_) in enumerate(self.pairs) if mixed(points)[x] > 0]
        rows = [i for i, _ in used]
        shares = np.array([float(Real.of(mixed(points)[x])) for _, x in used])
        norms = (shares[:, None] * np.exp(order * found.logs[rows])).sum(axis=0) ** (1 - 1 / order)
        total = order * float(found.budgets.sum()) * float(norms.max())
        logs = found.logs[rows] - found.logs[rows].max(axis=0)
        bits = _PLACE_BITS + bits_taken(self.order)
        slopes = tuple(
            (0, 0, y, tuple(Real.exp(Real.of(exact(log))).below(bits) for log in column))
            for y, column in enumerate(logs.T.tolist())
        )
        law = mixture(found.laws.tolist(), self.members)
        return Converse(exact(float(found.laws.sum())), law, (points,), sums=(exact(total),), slopes=slopes)

    def around(self, found: Optimum, level: float, _: float) -> Proof:
        """Return the mechanism and the multipliers of a level, which say themselves what they exclude."""
        return Proof(self.problem, self.mechanism(found), self.converse(found, Real.of(exact(level))))
