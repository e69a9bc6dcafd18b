"""Facial reduction (Borwein and Wolkowicz 1981): what limits make vanish or tight, and entries that bounds outweigh.

A linear program finds the mechanism within the limits that leaves most of them room, up to one each, on the cone over
all mechanisms: what has no room there has none anywhere. Its multipliers are moved onto the equations that they must
meet exactly, and are then a step that says which entries vanish.

A bound without slack holds for every multiple of a column. Where an output that some inputs never give would have to
be given too often by the others, none gives it: the bounds outweigh these entries together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from epstar.claims import Step
from epstar.exact import ONE, ZERO, Rational, RationalMatrix
from epstar.limits import Entry, Limit
from epstar.notions.constraints import Form, Name, RatioBound
from epstar.solve.program.coefficients import VACUOUS
from epstar.solve.program.highs import solve_linear
from epstar.solve.program.model import Assembly
from epstar.solve.wider.bounds import AllPairs, Bound, compares

# Multipliers are rounded to this grid before the equations are met, or what they say is told exactly.
_GRID = 1 << 40
# Room of this much, a probability or in units of a limit, is no error of floats.
_ROOM = 1e-7


@dataclass(frozen=True)
class Implied:
    """Entries that vanish, the step that says so, and the places of inequalities and costs that hold with equality."""

    vanishing: frozenset[Entry] = frozenset()
    step: Step = field(default=Step())
    tight: frozenset[int] = frozenset()
    tight_costs: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Cost:
    """The distortion under a law, and what it may be at most."""

    law: tuple[Rational, ...]
    coefficients: dict[Entry, Rational]
    bound: Rational


def implied(
    shape: tuple[int, int], limits: Sequence[Limit], known: frozenset[Entry], costs: Sequence[Cost] = ()
) -> Implied:
    """Return what limits and costs imply beside entries known to vanish; nothing where no mechanism keeps them."""
    entries = [(x, y) for x in range(shape[0]) for y in range(shape[1]) if (x, y) not in known]
    place = {entry: i for i, entry in enumerate(entries)}
    rows = [{place[x, y]: ONE for y in range(shape[1]) if (x, y) in place} for x in range(shape[0])]
    parts: list[Limit | Cost] = [*limits, *costs]
    rows += [{place[e]: a for e, a in part.coefficients.items() if e in place} for part in parts]
    sides = [*(ONE for _ in range(shape[0])), *(part.bound for part in parts)]
    first = shape[0] + len(limits)
    loose = [shape[0] + i for i, limit in enumerate(limits) if not limit.is_equation]
    loose += range(first, first + len(costs))
    if _has_room(rows, sides, set(loose), shape):
        return Implied()
    assembly = Assembly()
    variables = [assembly.variable(0.0) for _ in entries]
    size = assembly.variable(0.0)
    rooms = {("entry", i): assembly.variable(0.0) for i in variables}
    rooms |= {("row", k): assembly.variable(0.0) for k in loose}
    assembly.objective = dict.fromkeys(rooms.values(), -1.0)
    for k, (row, side) in enumerate(zip(rows, sides, strict=True)):
        terms = {i: float(a) for i, a in row.items()} | {size: -float(side)}
        if k in loose:
            assembly.at_most(terms | {rooms["row", k]: 1.0}, 0.0, k)
        else:
            assembly.equal(terms, 0.0, k)
    for i in variables:
        assembly.at_most({rooms["entry", i]: 1.0, i: -1.0}, 0.0, ("room", i))
    for room in rooms.values():
        assembly.at_most({room: 1.0}, 1.0, ("most", room))
    found = solve_linear(assembly, None)
    if not found.finished or found.values[size] <= 0:
        return Implied()
    # On the cone every room is zero or one.
    gone = [i for i in variables if round(found.values[rooms["entry", i]]) == 0]
    tight = [k for k in loose if round(found.values[rooms["row", k]]) == 0]
    used = [k for k in range(len(rows)) if k not in loose or k in tight]
    multiples = _exact(rows, used, set(variables) - set(gone), [found.multipliers[k] for k in used])
    given = dict(zip(used, multiples, strict=True))
    used_limits = ((k, value) for k, value in given.items() if shape[0] <= k < first and value != 0)
    limited = tuple((limits[k - shape[0]].name, value) for k, value in used_limits)
    paid = tuple((value, costs[k - first].law) for k, value in given.items() if k >= first and value != 0)
    step = Step(laws=paid, rows=tuple(-given[x] for x in range(shape[0])), limits=limited)
    equal = (frozenset(k - shape[0] for k in tight if k < first), frozenset(k - first for k in tight if k >= first))
    if any(given[k] < 0 for k in tight) or any(_coefficient(rows, given, i) <= 0 for i in gone):
        return Implied(frozenset(), Step(), *equal)
    return Implied(frozenset(entries[i] for i in gone), step, *equal)


def _has_room(
    rows: Sequence[Mapping[int, Rational]], sides: Sequence[Rational], loose: Collection[int], shape: tuple[int, int]
) -> bool:
    """Return whether floats see entries that are all positive and keep what is loose strictly: then nothing follows.

    Answers at random may do; else a program for the largest room of all of them together, which is far smaller than
    one for the room of each. The first rows are the sums of those of the mechanism.
    """
    equal = {i: 1.0 / len(row) for row in rows[: shape[0]] for i in row}
    count = len(equal)
    if len(loose) + shape[0] == len(rows) and all(
        sum(float(a) * equal[i] for i, a in rows[k].items()) < float(sides[k]) - _ROOM
        for k in sorted(loose, reverse=True)
    ):
        return True
    assembly = Assembly()
    beyond, room = assembly.variables(count), assembly.variable(0.0)
    assembly.objective = {room: -1.0}
    assembly.at_most({room: 1.0}, 1.0)
    for k, (row, side) in enumerate(zip(rows, sides, strict=True)):
        terms = {beyond[i]: float(a) for i, a in row.items()}
        together = sum(terms.values())
        if k in loose:
            assembly.at_most(terms | {room: together + max(map(abs, terms.values()), default=1.0)}, float(side))
        else:
            assembly.at_most(terms | {room: together}, float(side), equal=True)
    found = solve_linear(assembly, None)
    return found.finished and bool(found.values[room] > _ROOM)


def _exact(
    rows: list[dict[int, Rational]], used: list[int], kept: set[int], near: Sequence[float]
) -> tuple[Rational, ...]:
    """Return multiples of rows that cancel at every entry that is kept, near to some floats."""
    columns = sorted(kept)
    matrix = RationalMatrix(len(columns), len(used))
    for j, k in enumerate(used):
        for i, value in rows[k].items():
            if i in kept:
                matrix[columns.index(i), j] = value
    reduced, rank = matrix.rref()
    pivots = [next(j for j in range(len(used)) if reduced[r, j] != 0) for r in range(rank)]
    values = [Rational(round(value * _GRID), _GRID) for value in near]
    for r, pivot in enumerate(pivots):
        free = (reduced[r, j] * values[j] for j in range(len(used)) if j not in pivots)
        values[pivot] = -sum(free, ZERO) / reduced[r, pivot]
    return tuple(values)


def _coefficient(rows: list[dict[int, Rational]], multiples: dict[int, Rational], entry: int) -> Rational:
    return sum((value * rows[k].get(entry, ZERO) for k, value in multiples.items()), ZERO)


# -- Bounds that outweigh entries of a column -------------------------------------------------------------------------


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
