"""Rényi privacy of a moderate order over any source, by the method for pairs of rows.

A program knows some laws of the source; the one under which its mechanism does worst joins them. The least distortion
at a level falls with the level as fast as the multipliers and the growth of the bounds say, so that Newton's method
finds the level at which it is what is allowed in a few programs. What they establish is kept, for when time runs out.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import Real
from epstar.notions import RenyiDifferentialPrivacy
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import Point, mixed
from epstar.solve.certify.multipliers import multipliers, trivial_converse
from epstar.solve.certify.rounding import private_mechanism, useful_mechanism
from epstar.solve.methods.pairwise import Places
from epstar.solve.program.formulation import Found
from epstar.solve.program.laws import exact, initial_members
from epstar.solve.program.pairs import least_under_divergences
from epstar.source import Prior

Floats = NDArray[np.float64]

_MOST_PROGRAMS = 200
# By how much a law must be worse than the known ones to join them, as a share of the largest cost.
_ROUGHLY_WORSE, _WORSE = 2e-5, 1e-11
# When the search ends, relative to the level, where programs are solved roughly and where they are not.
_CLOSE, _SETTLED, _SOFTER = 1e-2, 1e-11, 4
# How far below what they promise multipliers exclude levels, relative to the level.
_DROPS = tuple(8.0**k * 1e-14 for k in range(16))
_LARGEST_LEVEL = 1e3
# An output with a smaller probability is not counted on.
_ROUGHLY_GIVEN, _GIVEN = 1e-3, 1e-6


def by_divergences(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the answer, as far as time goes.

    Raises:
        SolverFailure: if the problem is too large, or the numbers break down.
        TimeLimit: if there was no time for a single program.
    """
    search = _Search(problem, deadline)
    ends = search.run()
    if not ends:
        raise deadline.missed()
    proven = reached = Proof(problem, None, trivial_converse(problem) if problem.asks == "distortion" else None)
    for end in ends:
        with suppress(TimeLimit):
            proven = max(proven, search.excluding(end), key=lambda proof: proof.lower.lower)
        with suppress(TimeLimit):
            reached = min(reached, search.reaching(end), key=lambda proof: proof.upper.upper)
    return proven.with_mechanism_of(reached)


@dataclass(frozen=True)
class _Solved:
    """A program at a level: what it found, the laws it knew, the least distortion, and how fast that falls."""

    level: float
    found: Found
    laws: tuple[Point, ...]
    distortion: float
    slope: float


class _Search:
    """One problem's programs, which share the laws of the source that turned out to matter."""

    def __init__(self, problem: Problem, deadline: Deadline) -> None:
        assert isinstance(problem.notion, RenyiDifferentialPrivacy)
        assert not isinstance(problem.notion.order, float)
        self.problem, self.deadline = problem, deadline
        self._halfway, self._mostly = deadline.halfway(), deadline.mostly()
        self.ends: dict[bool, _Solved] = {}
        self.constraints = problem.notion.constraints(problem.universe, [])
        self.rate = float(Real.of(problem.notion.order - 1))
        self.distances = np.array([float(Real.of(distance)) for *_, distance in ordered_pairs(problem.universe)])
        self.laws = initial_members(problem.source)
        self.outputs: Places | None = None
        self.costs = problem.distortion.floats(problem.universe)
        self.largest = float(np.abs(self.costs).max())
        cheapest = problem.source.maximum(problem.distortion.cheapest(problem.universe).costs)
        self.least, self.given = float(Real.of(cheapest.value)), float(problem.given)

    def run(self) -> list[_Solved]:
        """Return the program of the answer; when time runs out the nearest ones on both sides of it.

        Each may both let a law join and say at which level the next one is.
        """
        low, high, level = 0.0, inf, self.given if self.problem.asks == "distortion" else 1.0
        # Nothing is looked for at one level and under one law.
        roughly, settled = not self._is_one_program(), _SETTLED
        try:
            for _ in range(_MOST_PROGRAMS):
                with self._searching.kept():
                    solved = self._program(level, roughly)
                    is_below = solved.distortion > self.given
                    low, high = (level, high) if is_below else (low, level)
                    self.ends[is_below] = solved
                    root, has_grown = self._root(solved), self._grown(solved, roughly)
                if has_grown:
                    # Under more laws the distortion is larger.
                    high = inf
                elif abs(root - level) <= (_CLOSE if roughly else settled) * max(1.0, level):
                    if not roughly:
                        return [solved]
                    # What was known but roughly may be on the wrong side.
                    low, high, roughly = 0.0, inf, False
                # Two or three programs find the root, and more would but follow the rounding errors of each other.
                settled *= 1 if roughly else _SOFTER
                if root != level and not low < root < high:
                    root = (low + (min(high, 2 * level + 1) if is_below else level)) / 2
                level = root
        except TimeLimit:
            self.deadline.missed()
        return list(self.ends.values())

    @property
    def _searching(self) -> Deadline:
        """The deadline of the next program: as long as nothing is known, there is nothing to leave time for."""
        return self._halfway if self.ends else self._mostly

    def _is_one_program(self) -> bool:
        return self.problem.asks == "distortion" and isinstance(self.problem.source, Prior)

    def _program(self, level: float, roughly: bool) -> _Solved:
        weights = np.array([[float(Real.of(p)) for p in law] for law in self.laws])
        costs, at = weights[:, :, None] * self.costs, Real.of(exact(level))
        found = least_under_divergences(costs, self.constraints, at, self._searching.left, roughly, self.outputs)
        if found is None:
            raise SolverFailure("The method for pairs does not find the way; ask for a slightly different point.")
        # At the next level much the same outputs matter.
        self.outputs = np.flatnonzero(found.matrix.max(axis=0) > (_ROUGHLY_GIVEN if roughly else _GIVEN))
        distortion = float((weights @ (self.costs * found.matrix).sum(axis=1)).max())
        slope = float(self._weights(found) @ self._bounds(level)[1])
        return _Solved(level, found, tuple(self.laws), distortion, slope)

    def _grown(self, solved: _Solved, roughly: bool) -> bool:
        """Add the law under which a mechanism does worst; return whether that is worse than all known ones."""
        expected = (self.costs * solved.found.matrix).sum(axis=1)
        worst = self.problem.source.maximum([exact(cost) for cost in expected.tolist()])
        worse = float(Real.of(worst.value)) - solved.distortion
        if worst.point in self.laws or worse <= (_ROUGHLY_WORSE if roughly else _WORSE) * self.largest:
            return False
        self.laws.append(worst.point)
        return True

    def _root(self, solved: _Solved) -> float:
        """Return the level at which the distortion would be what is allowed, along its tangent.

        Near the least distortion, what it is more than that falls exponentially: the tangent is that of its logarithm.
        """
        if self.problem.asks == "distortion":
            return solved.level
        more, room = solved.distortion - self.least, self.given - self.least
        return solved.level + more * log(more / room) / solved.slope if min(more, room, solved.slope) > 0 else inf

    def reaching(self, solved: _Solved) -> Proof:
        """Return the proof of what a mechanism reaches that is made to keep to the distortion or level allowed."""
        problem, matrix = self.problem, solved.found.matrix
        if problem.asks == "loss":
            return Proof(problem, useful_mechanism(matrix, problem, problem.given), None)
        law = np.array([float(Real.of(p)) for p in mixed(self._converse(solved).distortion_law)])
        return Proof(problem, private_mechanism(matrix, problem, problem.given, self.constraints, law), None)

    def excluding(self, solved: _Solved) -> Proof:
        """Return the proof that excludes as much as the multipliers of a program do."""
        if self.problem.asks == "distortion" or len(set(self.distances)) == 1:
            return Proof(self.problem, None, self._converse(solved))
        promised = self._promised(solved)
        for drop in _DROPS:
            level = promised - drop * max(1.0, promised)
            proof = Proof(self.problem, None, self._converse(solved, level))
            with suppress(ProofRejected):
                proof.check()
                return proof
        return Proof(self.problem, None, None)

    def _promised(self, solved: _Solved) -> float:
        """Return up to which level multipliers ask for more than the distortion allowed."""
        from scipy.optimize import brentq

        weights = self._weights(solved.found)
        paid = float(weights @ self._bounds(solved.level)[0]) + solved.distortion - self.given

        def lacking(level: float) -> float:
            return float(weights @ self._bounds(level)[0]) - paid

        most = solved.level
        while lacking(most) < 0 and most < _LARGEST_LEVEL:
            most = 2 * most + 1
        if lacking(0.0) >= 0 or lacking(most) < 0:
            return 0.0
        return float(brentq(lacking, 0.0, most, xtol=1e-15, rtol=1e-15))

    def _converse(self, solved: _Solved, level: float | None = None) -> Converse:
        named = None if level is None else Real.of(exact(level))
        return multipliers(solved.found, self.constraints, solved.laws, [], named, 0.0)

    def _weights(self, found: Found) -> Floats:
        return np.array([found.multiplier("sum", i) for i in range(len(self.constraints.sums))])

    def _bounds(self, level: float) -> tuple[Floats, Floats]:
        """Return the bounds at a level and how fast they grow with it."""
        if self.rate == 0:
            return level * self.distances, self.distances
        grown = np.exp(self.rate * level * self.distances)
        return np.sign(self.rate) * grown, abs(self.rate) * self.distances * grown
