"""Small smooth convex programs: in floats as far as they go, then in many digits.

Floats lose the digits that a proof needs where a bound hardly bends or an output fades away. A few steps in decimals
finish from where floats ended, with the bounds alone that bind there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import ZERO, Rational
from epstar.solve.program.atoms import DECIMALS
from epstar.solve.program.barrier import Path
from epstar.solve.program.smooth_program import Optimum, SmoothProgram, State

Table = Sequence[Sequence[Rational]]

# The second many are for entries that floats hardly hold next to one.
_DIGITS = (50, 100)
_FEW = 6


def minimise(
    program: SmoothProgram,
    state: State | None,
    binding: NDArray[np.bool_],
    precision: Callable[[Decimal], Decimal],
    left: Callable[[], float | None],
) -> Optimum:
    """Return the minimum to within `precision` of its value, from a point inside that floats found or from the start.

    Bounds that do not bind are left out as long as the minimum keeps them.

    Raises:
        SolverFailure: if Newton's method does not get there.
    """
    few, many = _DIGITS
    is_law = np.arange(len(binding)) < len(program.laws)
    # A program without any of its sums, or of the laws that it is about, is another one.
    enough = bool(binding[~is_law].any()) and bool(binding[is_law].any())
    # Without a law that seems not to bind, answers that are hardly ever given may be free to grow.
    everything = np.ones(len(binding), dtype=np.bool_)
    attempts = [(state, binding, few), (state, binding | is_law, many)] if state is not None and enough else []
    attempts += [(state, everything, many)] if state is not None else []
    for start, bounds, digits in (*attempts, (None, everything, many)):
        found = _minimised(program, start, bounds.copy(), precision, left, digits)
        if found is not None:
            return found
    raise SolverFailure("Newton's method broke down; the program has no strict interior.")


def _minimised(
    program: SmoothProgram,
    state: State | None,
    bounds: NDArray[np.bool_],
    precision: Callable[[Decimal], Decimal],
    left: Callable[[], float | None],
    digits: int,
) -> Optimum | None:
    """Return the minimum in so many digits, None if Newton's method fails; `bounds` says which bounds seem to bind."""
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
        except (ArithmeticError, SolverFailure):
            return None
    multipliers, count = iter((*found.linear, *found.sums)), len(program.laws)
    spread = [next(multipliers) if binds else ZERO for binds in bounds.tolist()]
    return replace(found, linear=tuple(spread[:count]), sums=tuple(spread[count:]))


def _of_bounds(program: SmoothProgram, bounds: NDArray[np.bool_]) -> SmoothProgram:
    """Return the program with some of its bounds."""
    laws, sums = (*program.laws,), (*program.sums,)
    return replace(
        program,
        laws=[law for law, binds in zip(laws, bounds, strict=False) if binds],
        sums=[bound for bound, binds in zip(sums, bounds[len(laws) :], strict=True) if binds],
    )


def cheapest_rows(cost: Table, kept: Sequence[Sequence[bool]]) -> list[list[Rational]]:
    """Return the cheapest answers of those that are kept, the first of several."""
    rows = []
    for costs, keeps in zip(cost, kept, strict=True):
        best = _cheapest(costs, keeps)
        rows.append([Rational(int(y == best)) for y in range(len(costs))])
    return rows


def _cheapest(costs: Sequence[Rational], keeps: Sequence[bool]) -> int:
    return min((d, y) for y, d in enumerate(costs) if keeps[y])[1]
