"""Small smooth convex programs: in floats as far as they go, then in many digits.

Floats lose the digits that a proof needs where a bound hardly bends or an output fades away. A few steps in decimals
finish from where floats ended, with the bounds alone that bind there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import ONE, ZERO, Rational, Real, dot
from epstar.solve.program.atoms import DECIMALS, FLOATS
from epstar.solve.program.barrier import Newton, Path
from epstar.solve.program.smooth_program import Optimum, SmoothProgram, State

Table = Sequence[Sequence[Rational]]

# Of a distortion that is not a fraction so many bits count, and more where these leave no room.
_ROOM_BITS = (160, 640)
# The second many are for entries that floats hardly hold next to one.
_DIGITS = (50, 100)
# Below this share floats hardly tell the slacks.
_LEAST_IN_FLOATS = 1e-9
_FEW = 6
# A multiplier of which the tangent takes away a larger share is zero at the end: for all one knows, and for sure.
_FADING, _FADED = 0.5, 0.9


def roughly(program: SmoothProgram, left: Callable[[], float | None]) -> State | None:
    """Return the point that floats find, None if they do not find the path.

    `left` is called at every step and may raise to stop the work.
    """
    with np.errstate(all="ignore"), suppress(SolverFailure):
        path = Path(program, FLOATS, left)
        return path.followed(path.start(), lambda objective: _LEAST_IN_FLOATS * max(1.0, abs(objective))).state
    return None


def minimise(
    program: SmoothProgram,
    state: State | None,
    precision: Callable[[Decimal], Decimal],
    left: Callable[[], float | None],
) -> Optimum:
    """Return the minimum to within `precision` of its value, from a point that floats found or from the start.

    Bounds that do not bind at the point are left out as long as the minimum keeps them.

    Raises:
        SolverFailure: if Newton's method does not get there.
    """
    everything = np.ones(len(program.laws) + len(program.sums), dtype=bool)
    few, many = _DIGITS
    if state is not None:
        with suppress(SolverFailure):
            return _minimised(program, state, _binding(program, state, _FADING), precision, left, few)
        # Without a law that seems not to bind, answers that are hardly ever given may be free to grow.
        bounds = _binding(program, state, _FADED)
        bounds[: len(program.laws)] = True
        with suppress(SolverFailure):
            return _minimised(program, state, bounds, precision, left, many)
    return _minimised(program, state, everything, precision, left, many)


def _minimised(
    program: SmoothProgram,
    state: State | None,
    bounds: NDArray[np.bool_],
    precision: Callable[[Decimal], Decimal],
    left: Callable[[], float | None],
    digits: int,
) -> Optimum:
    """Return the minimum in so many digits; `bounds` says which bounds seem to bind."""
    with localcontext() as context:
        context.prec = digits
        whole = Path(program, DECIMALS, left)
        try:
            start = whole.start() if state is None else state.in_decimals()

            def is_inside(at: State) -> bool:
                """Return whether a point keeps all bounds; it is then one to go on from."""
                nonlocal start
                keeps = bool((whole.slacks(at) > 0).all())
                start = at if keeps else start
                return keeps

            while True:
                path = Path(_of_bounds(program, bounds), DECIMALS, left)
                end = path.followed_to(start, precision, is_inside)
                slacks = whole.slacks(end.state)
                missed = np.flatnonzero((slacks <= 0) & ~bounds)
                if not missed.size:
                    break
                # Where the worst few are kept, most of the others are, too.
                bounds[missed[np.argsort(slacks[missed])[:_FEW]]] = True
            found = path.optimum(end)
        except ArithmeticError:
            raise SolverFailure("Newton's method broke down; the program has no strict interior.") from None
    multipliers, count = iter((*found.linear, *found.sums)), len(program.laws)
    spread = [next(multipliers) if binds else ZERO for binds in bounds.tolist()]
    return replace(found, linear=tuple(spread[:count]), sums=tuple(spread[count:]))


def _binding(program: SmoothProgram, state: State, faded: float) -> NDArray[np.bool_]:
    """Return which bounds seem to bind: those whose multipliers the tangent of the path does not lead to zero."""
    with np.errstate(all="ignore"):
        path = Path(program, FLOATS, lambda: None)
        point = Newton(path, state)
        binds = ~(point.fading_multipliers() > faded)
    # A program without any of its sums, or of the laws that it is about, is another one.
    for part in (slice(0, path.count), slice(path.count, None)):
        if binds[part].size and not binds[part].any():
            binds[part][point.multipliers[part].argmax()] = True
    return np.asarray(binds)


def _of_bounds(program: SmoothProgram, bounds: NDArray[np.bool_]) -> SmoothProgram:
    """Return the program with some of its bounds."""
    laws, sums = (*program.laws,), (*program.sums,)
    return replace(
        program,
        laws=[law for law, binds in zip(laws, bounds, strict=False) if binds],
        sums=[bound for bound, binds in zip(sums, bounds[len(laws) :], strict=True) if binds],
    )


def optimum_of(program: SmoothProgram, state: State) -> Optimum:
    """Return a point that floats found in the program's own units."""
    with np.errstate(all="ignore"):
        path = Path(program, FLOATS, lambda: None)
        return path.optimum(Newton(path, state))


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
    for bits in _ROOM_BITS:
        room = (allowed.below(bits) if allowed.rational is None else allowed.rational) - least
        if room > 0:
            return room
    raise SolverFailure("The distortion allowed leaves no room.")
