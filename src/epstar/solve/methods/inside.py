"""A mechanism well inside what a distortion allows, from which a path can start however little that is."""

from __future__ import annotations

from collections.abc import Sequence

from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, dot

Table = Sequence[Sequence[Rational]]

# Of a distortion that is not a fraction so many bits count, and more where these leave no room.
_BITS = (160, 640)


def cheapest_rows(cost: Table, kept: Sequence[Sequence[bool]]) -> list[list[Rational]]:
    """Return the cheapest answers of those that are kept, the first of several."""
    rows = []
    for costs, keeps in zip(cost, kept, strict=True):
        best = _cheapest(costs, keeps)
        rows.append([Rational(int(y == best)) for y in range(len(costs))])
    return rows


def inside(cost: Table, laws: Table, kept: Sequence[Sequence[bool]], allowed: Real) -> list[list[Rational]]:
    """Return a mechanism that gives every answer kept, and leaves half of the room in the distortion under each law.

    Room is what a law leaves above the cheapest answers. Every answer gets its share of it, or of one where it costs
    nothing: Newton's method doubles an entry in a step at most, and would take a step for each binary digit by which
    answers that are free to grow started too small.

    Raises:
        SolverFailure: if some law leaves no room.
    """
    best = [_cheapest(costs, keeps) for costs, keeps in zip(cost, kept, strict=True)]
    least = [costs[y] for costs, y in zip(cost, best, strict=True)]
    rooms = [room_above(dot(law, least), allowed) for law in laws]
    share = Rational(1, 2 * len(cost) * len(cost[0]))
    rows = []
    for x, (costs, keeps) in enumerate(zip(cost, kept, strict=True)):
        tightest = max((law[x] / room for law, room in zip(laws, rooms, strict=True)), default=ZERO)
        row = [
            share / max(ONE, tightest * (d - least[x])) if keep and y != best[x] else ZERO
            for y, (d, keep) in enumerate(zip(costs, keeps, strict=True))
        ]
        row[best[x]] = 1 - sum(row, ZERO)
        rows.append(row)
    return rows


def _cheapest(costs: Sequence[Rational], keeps: Sequence[bool]) -> int:
    return min((d, y) for y, d in enumerate(costs) if keeps[y])[1]


def room_above(least: Rational, allowed: Real) -> Rational:
    """Return how much more than the least is allowed, rounded down where that is not a fraction.

    Raises:
        SolverFailure: if it is nothing.
    """
    for bits in _BITS:
        room = (allowed.below(bits) if allowed.rational is None else allowed.rational) - least
        if room > 0:
            return room
    raise SolverFailure("The distortion allowed leaves no room.")
