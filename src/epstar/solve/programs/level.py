"""The least level of a notion whose constraints change with the level: a root search over programs.

Each program gives the least distortion at one level; the level at which it equals the distortion asked for is
found by a safeguarded secant method. The multipliers of the last program then exclude levels a hair below, and its
mechanism, repaired to the distortion asked for, gives the upper end.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from epstar.deadline import Deadline
from epstar.errors import ProofRejected, SolverFailure, TimeLimit
from epstar.exact import Real
from epstar.mechanism import Mechanism
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.solve.programs.evidence import exact, useful_mechanism
from epstar.solve.programs.general import Members, Round, converse_of, solve_round

_MOST_STEPS = 200
_LARGEST_LEVEL = 60.0
_FALLING = (1.0, 1 / 8, 1 / 64)
_STEP = 1e-14
_FLAT = 1e-12
_NARROW = 1e-10
_FRESH = 1e-13
_COARSE = 1e-6
_MOST_RAISES = 10


def least_level(problem: Problem, deadline: Deadline, floor: Converse | None = None) -> Found:
    """Return a proof around the least level at the given distortion.

    `floor` excludes every level below its own, where such a bound is known beforehand. When time runs out the
    proof holds what the programs solved so far establish.
    """
    start = 0.0 if floor is None or floor.level is None else float(floor.level)
    proofs: list[Proof] = []
    timed_out = False
    # The trade-off may be flat in the distortion, so that the answer jumps at exactly the one asked for; which
    # side it is on is decided by what can be proven, not by the rounding of a solver.
    for tolerance in (_FLAT, 0.0):
        search = _Search(problem, deadline, tolerance, floor)
        try:
            search.run(start)
        except TimeLimit:
            timed_out = search.is_cut_short = True
            if search.below is None and search.above is None and not proofs:
                raise
        proofs.append(search.proof())
        if timed_out or _width(proofs[-1]) <= _NARROW:
            break
    return Found(min(proofs, key=_width), timed_out)


def _width(proof: Proof) -> float:
    """Return the width that a proof is known to have in time."""
    try:
        return proof.check().width
    except TimeLimit:
        return math.inf


@dataclass(frozen=True)
class Found:
    """A proof, and whether the search for a better one was cut short."""

    proof: Proof
    timed_out: bool


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
        self.floor = floor
        self.below: _End | None = None
        self.above: _End | None = None
        self.is_cut_short = False

    def step(self, level: float) -> float:
        """Solve at `level`, keep the program if it narrows the bracket, return the excess distortion."""
        # As long as nothing is known, there is nothing to leave time for.
        is_known = any(end is not None and end[1] is not None for end in (self.below, self.above))
        deadline = self._halfway if is_known else self._mostly
        try:
            with deadline.kept():
                solved = solve_round(self.problem, self.members, Real.of(exact(level)), deadline)
        except SolverFailure:
            # No mechanism at this level at all: it is too small.
            self.below = (level, None) if self.below is None else max(self.below, (level, None), key=_level)
            return 1.0
        excess = solved.found.solution.objective - self.target
        if excess > 0:
            self.below = (level, solved) if self.below is None else max(self.below, (level, solved), key=_level)
        else:
            self.above = (level, solved) if self.above is None else min(self.above, (level, solved), key=_level)
        return excess

    def run(self, floor: float) -> None:
        """Shrink the bracket until the levels agree to the precision of floats."""
        least = floor + _STEP * max(1.0, floor)
        # Often the prior alone decides. Else the least level is the hardest of all, and asked for where others fail.
        falling = [least] if floor > 0 else [*_FALLING, least]
        low, at_low, high, at_high = 0.0, 0.0, math.inf, 0.0
        while at_low <= 0 and falling:
            level = falling.pop(0)
            excess = self.step(level)
            low, at_low, high, at_high = (level, excess, high, at_high) if excess > 0 else (low, at_low, level, excess)
        if at_low <= 0:
            return
        while high == math.inf:
            if low >= _LARGEST_LEVEL:
                return
            level = min(_LARGEST_LEVEL, max(1.0, 2 * low))
            excess = self.step(level)
            low, at_low, high, at_high = (level, excess, high, at_high) if excess > 0 else (low, at_low, level, excess)
        from scipy.optimize import brentq

        # The method asks for the ends again, which would take two programs more.
        known = {low: at_low, high: at_high}
        brentq(
            lambda level: known[level] if level in known else self.step(level),
            low,
            high,
            (),
            _STEP,
            _STEP,
            _MOST_STEPS,
            disp=False,
        )

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
        rounds = [end[1] for end in (self.above, self.below) if end is not None and end[1] is not None]
        rise = _FRESH
        while True:
            for solved in rounds:
                mechanism = useful_mechanism(solved.found.matrix, self.problem, self.problem.given)
                if mechanism is not None:
                    loss = self._estimated_loss(mechanism)
                    if best is None or loss < least:
                        best, least = mechanism, loss
            if least <= root + 16 * rise or rise > _COARSE or self.above is None or self.is_cut_short:
                return best
            # The root's own mechanism misses the distortion by a rounding error that no mixing mends.
            level = Real.of(exact(root + rise))
            rounds = []
            try:
                rounds = [solve_round(self.problem, self.members, level, self.deadline)]
            except SolverFailure:
                pass
            except TimeLimit:
                return best
            rise *= 8

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
        known = 0.0 if self.floor is None or self.floor.level is None else float(self.floor.level)
        root = max((level for level, _ in ends), default=0.0)
        drop = 0.0
        while root - drop > known and rounds:
            level = Real.of(exact(root - drop))
            if drop >= _FRESH:
                # At a kink the multipliers of the root may say nothing about smaller levels; these do.
                try:
                    rounds = [*rounds[:2], solve_round(self.problem, self.members, level, self.deadline)]
                except SolverFailure:
                    pass
                except TimeLimit:
                    break
            proof = self._excluding(rounds, level)
            if proof is not None:
                return self._raised(proof, root - drop) if self.is_cut_short else proof
            drop = 1e-15 * max(1.0, root) if drop == 0.0 else drop * 4
        return Proof(self.problem, None, self.floor)

    def _excluding(self, rounds: Sequence[Round], level: Real) -> Proof | None:
        """Return the proof that no mechanism has a level, from the first programs whose multipliers say so."""
        for solved in rounds:
            proof = Proof(self.problem, None, converse_of(self.problem, solved, level, self.deadline))
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
