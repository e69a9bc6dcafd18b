"""Entries of one column that vanish because bounds outweigh them together (facial reduction on the cone of a column).

A bound without slack holds for every multiple of a column. Where an output that some inputs never give would have to
be given too often by the others, none gives it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from epstar.exact import ONE, ZERO, Rational
from epstar.notions.constraints import Form, Name, RatioBound
from epstar.solve.program.coefficients import VACUOUS
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly
from epstar.solve.wider.bounds import AllPairs, Bound, compares

# Multiples are rounded to this grid; what they say is then told exactly.
_GRID = 1 << 40


@dataclass(frozen=True)
class Outweighing:
    """left(q) <= growth * right(q), by the name that claims give it."""

    name: Name
    left: Form
    right: Form
    growth: Rational

    def at(self, x: int) -> Rational:
        """Return the coefficient of an input."""
        return self.left.get(x, ZERO) - self.growth * self.right.get(x, ZERO)


def outweighing(entry: Bound) -> list[Outweighing]:
    """Return the bounds of one entry of a table that hold for every multiple of a column."""
    bound = entry.bound
    distance = bound.distance if isinstance(bound, RatioBound) else ONE
    if not isinstance(bound, RatioBound | AllPairs) or entry.bounds.level * distance > VACUOUS:
        return []
    growth = entry.bounds.growth(distance)
    return [Outweighing(name, left, right, growth) for name, left, right in compares(entry, False)]


def outweighed(bounds: Sequence[Outweighing], alive: Sequence[int]) -> tuple[frozenset[int], list[Rational]]:
    """Return which inputs never give an output that others do not, and multiples of bounds that say so.

    Bounds that hold for every multiple of a column leave a cone; where even its entries that may be `alive` are too
    much for some bound, a linear program finds multiples that have positive coefficients at as many as can be.
    """
    if all(
        bound.growth * sum((bound.right.get(x, ZERO) for x in alive), ZERO)
        > sum((bound.left.get(x, ZERO) for x in alive), ZERO)
        for bound in bounds
        if any(x in bound.left for x in alive)
    ):
        return frozenset(), []
    assembly = Assembly()
    multiples, rooms = [assembly.variable(0.0) for _ in bounds], [assembly.variable(0.0) for _ in alive]
    assembly.objective = dict.fromkeys(rooms, -1.0)
    for x, room in zip(alive, rooms, strict=True):
        terms = {multiples[k]: -float(value) for k, bound in enumerate(bounds) if (value := bound.at(x)) != 0}
        assembly.at_most({**terms, room: 1.0}, 0.0, x)
        assembly.at_most({room: 1.0}, 1.0, ("most", x))
    found = solve_linear(assembly, None)
    if not found.finished:
        return frozenset(), []
    exact = [Rational(max(0, round(float(found.values[k]) * _GRID)), _GRID) for k in multiples]
    totals = [sum((m * bound.at(x) for m, bound in zip(exact, bounds, strict=True)), ZERO) for x in alive]
    if any(total < 0 for total in totals):
        return frozenset(), []
    return frozenset(x for x, total in zip(alive, totals, strict=True) if total > 0), exact
