"""The optimum that programs in floats find, with what proves it: from either side.

The least distortion at a level is one program, and so is the least bound of sums on one scale. The least level of other
notions is the search of `program.level` over programs of least distortion: the multipliers of the last one exclude
levels a hair below, and its mechanism, repaired to the distortion asked for, gives the upper end.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Proof
from epstar.completion.converse import BITS, mixed
from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import Real
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.solve.certify.mechanism import private_mechanism, useful_mechanism, within_spread
from epstar.solve.certify.multipliers import at_cheapest, converse_of, proven, trivial_converse
from epstar.solve.program.coefficients import Coefficients
from epstar.solve.program.exchange import Round, solve_round
from epstar.solve.program.formulation import fall
from epstar.solve.program.laws import Members, exact
from epstar.solve.program.level import MOST_PROGRAMS, NARROW, LevelSearch
from epstar.solve.program.model import PRECISION, WORSE

Floats = NDArray[np.float64]

# The shares of a level by which programs above the root are tried for a mechanism: the first, and the last.
_FRESH, _COARSE = 4 * PRECISION, 1e-6
# The share of the distortion to which the first programs of a search know the least; and the last digits of it,
# which a program finds soon after those before.
_ROUGH, _FINE = 1e-2, 1e-8
# Halvings of a wide bracket for the level that the multipliers of its ends exclude: three digits of it.
_MOST_RAISES = 10


def least_distortion(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least distortion at the given level."""
    solved = solve_round(problem, Members.start(problem), problem.given, deadline)
    found = converse_of(problem, solved, problem.given)
    best = Proof(problem, None, found)
    if proven(best) < (0, at_cheapest(problem).value):
        best = _best(problem, found, trivial_converse(problem))
    law = nearest_floats(mixed(found.distortion_law))
    mechanism = private_mechanism(solved.found.matrix, problem, problem.given, solved.constraints, law)
    return best.with_mechanism_of(Proof(problem, mechanism, None))


def least_bound(problem: Problem, deadline: Deadline) -> Proof:
    """Return a proof around the least level of a notion made of sums on one scale."""
    solved = solve_round(problem, Members.start(problem), None, deadline)
    best = _best(problem, converse_of(problem, solved, None), None)
    return best.with_mechanism_of(Proof(problem, useful_mechanism(solved.found.matrix, problem), None))


def _best(problem: Problem, *candidates: Converse | None) -> Proof:
    """Return the proof without a mechanism that proves most; one that is rejected proves nothing."""
    return max((Proof(problem, None, converse) for converse in candidates), key=proven)


def least_level(
    problem: Problem, deadline: Deadline, floor: Converse | None = None, guess: float = 0.0
) -> Iterator[Proof]:
    """Yield a proof around the least level at the given distortion.

    `floor` excludes every level below its own, where such a bound is known beforehand; `guess` is a level near the
    least, or 0.

    Raises:
        TimeLimit: after a proof of what the programs solved so far establish, if there are any.
    """
    proofs: list[Proof] = []
    timed_out = False
    # The trade-off may be flat in the distortion, so that the answer jumps at exactly the one asked for; which
    # side it is on is decided by what can be proven, not by the rounding of a solver: more is allowed than that.
    root = 0.0
    for tolerance in (0.0, WORSE):
        search = _Search(problem, deadline, tolerance, floor)
        try:
            root = search.run(root, guess)
        except TimeLimit:
            timed_out = search.is_cut_short = True
            if search.below is None and search.above is None and not proofs:
                raise
        proofs.append(search.proof())
        if timed_out or search.is_coarse or _width(proofs[-1]) <= NARROW:
            break
    yield min(proofs, key=_width)
    if timed_out:
        raise deadline.missed()


def _width(proof: Proof) -> float:
    """Return the width that a proof is known to have in time."""
    try:
        return proof.check().width
    except TimeLimit:
        return math.inf


_End = tuple[float, Round | None]


def _level(end: _End) -> float:
    return end[0]


class _Search:
    """The bracket of the root search: the last program on each side of the answer."""

    def __init__(self, problem: Problem, deadline: Deadline, tolerance: float, floor: Converse | None) -> None:
        self.problem = problem
        self.deadline = deadline
        self._halfway, self._mostly = deadline.halfway(), deadline.mostly()
        self.members = Members.start(problem)
        self.target = float(problem.given) + tolerance
        self.costs = problem.distortion.floats(problem.universe)
        self.floor = floor
        self.below: _End | None = None
        self.above: _End | None = None
        self.is_cut_short = False

    @property
    def is_coarse(self) -> bool:
        """Whether the programs at the root lose more of the distortion than what is allowed more at first."""
        ends = [end[1] for end in (self.below, self.above) if end is not None and end[1] is not None]
        return any(end.found.solution.precision * abs(self.target) > 10 * WORSE for end in ends)

    @property
    def known(self) -> float:
        """The level that is known to be too small, or as large as a level may be without."""
        return 0.0 if self.floor is None or self.floor.level is None else float(self.floor.level)

    def run(self, near: float, guess: float) -> float:
        """Shrink the bracket until the levels agree to the precision of floats; return the last one.

        The first is `near`, where that is known, or a `guess`.
        """
        cheapest = at_cheapest(self.problem).value
        floor = self.known
        # Often the prior alone decides.
        first = near or guess or (floor + PRECISION * max(1.0, floor) if floor > 0 else 1.0)
        search = LevelSearch(float(cheapest), self.target, floor, first, PRECISION)
        close = 0.0 if near else _ROUGH
        for _ in range(MOST_PROGRAMS):
            solved, before = self._solved(search.level, close), search.level
            if solved is None:
                search.tell(math.inf, 0.0)
            else:
                # A rough program is followed by another, whatever it tells.
                search.hair = PRECISION if close > 0 else solved.found.solution.precision
                search.tell(solved.found.solution.objective, _fall(self.problem, solved, Real.of(exact(search.level))))
            if search.is_done:
                break
            # Newton's method squares the error: more digits than that say nothing about the next level.
            close = min(_ROUGH, ((search.level - before) / max(1.0, before)) ** 2 / 10)
            close = close if close > _FINE else 0.0
        return search.level

    def _solved(self, level: float, close: float = 0.0) -> Round | None:
        """Solve at `level` and keep the program if it narrows the bracket; None where there is no mechanism.

        The least distortion is known to a share of `close`, and in any case to which side of the target it is.
        """
        # As long as nothing is known, there is nothing to leave time for.
        is_known = any(end is not None and end[1] is not None for end in (self.below, self.above))
        deadline = self._halfway if is_known else self._mostly
        solved: Round | None = None
        # Where it fails there is no mechanism at this level at all: it is too small.
        with suppress(SolverFailure), deadline.kept():
            solved = self._told(level, deadline, close)
        if solved is None or solved.found.solution.objective > self.target:
            self.below = max(self.below or (level, solved), (level, solved), key=_level)
        else:
            self.above = min(self.above or (level, solved), (level, solved), key=_level)
        return solved

    def _told(self, level: float, deadline: Deadline, close: float) -> Round:
        """Solve at `level`, and again where it is not told on which side of the target the least distortion is."""
        solved = self._round(level, deadline, close)
        found = solved.found.solution
        is_told = close == 0 or not found.objective > self.target >= found.objective * (1 - found.precision)
        return solved if is_told else self._round(level, deadline)

    def _round(self, level: float, deadline: Deadline, close: float = 0.0) -> Round:
        return solve_round(self.problem, self.members, Real.of(exact(level)), deadline, close)

    def proof(self) -> Proof:
        """Return the evidence of both sides; when time runs out, as far as there is any."""
        proven = Proof(self.problem, None, self.floor)
        with suppress(TimeLimit):
            proven = self._without_mechanism()
        return proven.with_mechanism_of(Proof(self.problem, self._mechanism(), None))

    def _mechanism(self) -> Mechanism | None:
        """Return the mechanism of least loss among those of the root and of levels a hair above it."""
        best: Mechanism | None = None
        least = math.inf
        # The bracket may be wide: the search stops as soon as it meets the distortion exactly.
        root = next((end[0] for end in (self.above, self.below) if end is not None), 0.0)
        ends = [end for end in (self.above, self.below) if end is not None]
        rise = _FRESH * max(1.0, root)
        while True:
            for level, solved in ends:
                if solved is None or least <= root + 16 * rise:
                    continue
                mechanism = self._within_spread(solved, level)
                mechanism = mechanism or useful_mechanism(solved.found.matrix, self.problem)
                loss = math.inf if mechanism is None else self._estimated_loss(mechanism)
                if mechanism is not None and (best is None or loss < least):
                    best, least = mechanism, loss
            if least <= root + 16 * rise or rise > _COARSE or self.above is None or self.is_cut_short:
                return best
            # The root's own mechanism misses the distortion by a rounding error that no mixing mends.
            rise = max(2 * rise, *(self._lacking(solved, level) for level, solved in ends if solved is not None))
            level, ends = root + rise, []
            try:
                with suppress(SolverFailure):
                    ends = [(level, self._round(level, self.deadline))]
            except TimeLimit:
                return best

    def _lacking(self, solved: Round, level: float) -> float:
        """Return by how much the level must rise for the mechanism, as floats have it, to keep to the distortion."""
        matrix = np.maximum(solved.found.matrix, 0.0)
        expected = (matrix / matrix.sum(axis=1, keepdims=True) * self.costs).sum(axis=1)
        excess = float(self.problem.source.maximum(expected.tolist()).value) - float(self.problem.given)
        slope = _fall(self.problem, solved, Real.of(exact(level)))
        return 2 * excess / slope if slope > 0 else 0.0

    def _within_spread(self, solved: Round, level: float) -> Mechanism | None:
        """Return the mechanism of a spread moved exactly within its level, if it then keeps to the distortion."""
        problem, spread = self.problem, solved.constraints.spread
        if spread is None or solved.constraints.ratios:
            return None
        law = solved.law
        ratio = Real.exp(Real.of(exact(level))).below(BITS)
        moved = within_spread(solved.found.matrix, problem, spread, ratio, law)
        if moved is None or Real.of(moved.distortion(problem.distortion, problem.source).value) > problem.given:
            return None
        return moved

    def _estimated_loss(self, mechanism: Mechanism) -> float:
        try:
            return self.problem.notion.loss(mechanism, self.problem.source).value
        except TimeLimit:
            return math.inf

    def _without_mechanism(self) -> Proof:
        """Return the multipliers at the largest level that they exclude, stepping down from the root."""
        ends = [end for end in (self.below, self.above) if end is not None]
        if self.is_cut_short and len(ends) == 2 and ends[0][1] is not None:
            # The root is anywhere between them.
            ends = ends[:1]
        rounds = [solved for _, solved in ends if solved is not None]
        root = max((level for level, _ in ends), default=0.0)
        drop = min((solved.found.solution.precision for solved in rounds), default=0.0) * max(1.0, root)
        if rounds and not self.is_cut_short:
            # Twice what seems to lack for a proof, because the tangent that tells it is not the function.
            drop = 2 * max(drop, self._unproven(rounds[-1], root))
        while root - drop > self.known and rounds:
            level = Real.of(exact(root - drop))
            if not self.is_cut_short:
                # The multipliers of the root may say nothing about smaller levels; these do.
                try:
                    with suppress(SolverFailure):
                        rounds = [self._round(root - drop, self.deadline), *rounds[-2:]]
                except TimeLimit:
                    break
            proof = self._excluding(rounds, level)
            if proof is not None:
                return self._raised(proof, root - drop) if self.is_cut_short else proof
            drop *= 4
        return Proof(self.problem, None, self.floor)

    def _unproven(self, solved: Round, level: float) -> float:
        """Return by how much a level must fall to be excluded: what multipliers prove too little, over the fall."""
        asked = replace(self.problem, asks="distortion", given=Real.of(exact(level)))
        slope = _fall(self.problem, solved, asked.given)
        found = solved.found.solution
        if found.precision > WORSE:
            # What floats know to so few digits, exact numbers prove to as many.
            lacking = self.target - found.objective * (1 - found.precision)
        else:
            sign, least = proven(Proof(asked, None, converse_of(asked, solved, asked.given)))
            lacking = float(self.problem.given - Real.of(least)) if sign == 0 else 0.0
        return max(0.0, lacking) / slope if slope > 0 else 0.0

    def _excluding(self, rounds: Sequence[Round], level: Real) -> Proof | None:
        """Return the proof that no mechanism has a level, from the first programs whose multipliers say so."""
        for solved in rounds:
            proof = Proof(self.problem, None, converse_of(self.problem, solved, level))
            with suppress(ProofRejected):
                proof.check()
                return proof
        return None

    def _raised(self, proof: Proof, low: float) -> Proof:
        """Return a proof that excludes larger levels, as far as the programs of a wide bracket say so."""
        rounds = [end[1] for end in (self.below, self.above) if end is not None and end[1] is not None]
        high = low if self.above is None else self.above[0]
        with suppress(TimeLimit):
            for _ in range(_MOST_RAISES if high > low else 0):
                middle = (low + high) / 2
                raised = self._excluding(rounds, Real.of(exact(middle)))
                if raised is None:
                    high = middle
                else:
                    proof, low = raised, middle
        return proof


def _fall(problem: Problem, solved: Round, level: Real) -> float:
    """Return how fast the least distortion falls as the level rises."""
    cost = problem.distortion.floats(problem.universe)
    return float(fall(solved.found, solved.constraints, Coefficients(level), solved.law, cost))
