"""Best guesses over a region of laws: under which law do the outputs of a mechanism help most to guess the input?

The gain sum_y max_x p(x) Q(y|x) / max p is a maximum over the guesses that each output suggests, and for given guesses
a ratio of two functions of the law, linear and convex, whose largest value is a linear program (Charnes and Cooper
1962): p divided by its largest entry ranges over the mixtures of a cone, with entries of at most one. Best guesses
and best laws take turns until the gain does not rise, from many starts: what is found is a law that excludes, and never
a proof that no other is worse.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.completion.converse import Point
from epstar.deadline import in_time
from epstar.exact import ZERO
from epstar.exact.vectors import nearest_floats
from epstar.notions.min_entropy_leakage import largest_shares
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly, Basis
from epstar.solve.program.robust import member_near
from epstar.source import Ball, Box, Source

Floats = NDArray[np.float64]

# Turns of guesses and laws from one start: hardly any start needs more.
_TURNS = 20
# Known laws, the worst ones, and laws each with as much of one input as there is, to start from.
_STARTS = 32
# Laws that join a program at once: each has as many rows as a mechanism has entries.
_WORST = 3
# The share of a gain by which a law must be worse than those known: more than floats lose.
_WORSE = 1e-10


def dominating_law(source: Source) -> Point:
    """Return a law, hardly ever one of the source, with ratios to the likeliest input as large as any law allows.

    A mechanism that keeps a level there keeps it under every law of the source.
    """
    shares = largest_shares(source)
    total = sum(shares, ZERO)
    return tuple(share / total for share in shares)


class Guesses:
    """The laws of a region, divided by their largest entries, as a linear program whose objective changes."""

    def __init__(self, source: Box | Ball) -> None:
        self.source, region = source, source.mixtures
        self._vectors = np.array([nearest_floats(vector) for vector in region.vectors])
        self._assembly = Assembly()
        self._basis: Basis | None = None
        weights = self._assembly.variables(len(self._vectors))
        for line, bound in zip(region.matrix, nearest_floats(region.bounds).tolist(), strict=True):
            # Bounds grow with the sum of the weights, which is one over the largest entry of the law.
            self._assembly.at_most(dict(zip(weights, (nearest_floats(line) - bound).tolist(), strict=True)), 0)
        for column in self._vectors.T.tolist():
            self._assembly.at_most(dict(zip(weights, column, strict=True)), 1)

    def law(self, chances: Floats) -> Floats:
        """Return the law under which the mean of some chances is largest beside its largest entry."""
        self._assembly.objective = dict(enumerate((-self._vectors @ chances).tolist()))
        found = solve_linear(self._assembly, None, self._basis)
        self._basis = found.basis
        weights = np.maximum(found.values, 0.0)
        law: Floats = weights @ self._vectors / weights.sum()
        return law

    def member(self, chances: Floats) -> Point:
        """Return that law as a member of the region."""
        return member_near(self.source, self.law(chances))

    def _risen(self, matrix: Floats, law: Floats) -> tuple[float, Floats]:
        """Return the gain to which laws and guesses rise in turn, and the law."""
        outputs = np.arange(matrix.shape[1])
        gain, best = -np.inf, law
        for _ in range(_TURNS):
            joint = law[:, None] * matrix
            reached = float(joint.max(axis=0).sum() / law.max())
            if not reached > gain * (1 + _WORSE):
                break
            gain, best = reached, law
            guesses, chances = joint.argmax(axis=0), np.zeros(len(matrix))
            np.add.at(chances, guesses, matrix[guesses, outputs])
            law = self.law(chances)
        return gain, best

    def worse(self, matrix: Floats, known: Sequence[Point]) -> list[Point]:
        """Return laws under which a mechanism helps more to guess than at any known one, the worst first."""
        laws = np.array([nearest_floats(law) for law in known])
        gains = np.array([float((law[:, None] * matrix).max(axis=0).sum() / law.max()) for law in laws])
        units = np.eye(self.source.size)[:_STARTS]
        starts = [*laws[np.argsort(-gains)[:_STARTS]], *(self.law(unit) for unit in units)]
        risen = sorted((self._risen(matrix, start) for start in in_time(starts)), key=lambda pair: -pair[0])
        worse = (member_near(self.source, law) for gain, law in risen if gain > gains.max() * (1 + _WORSE))
        return [point for point in dict.fromkeys(worse) if point not in known][:_WORST]
