r"""The central path of a small smooth convex program in many digits.

Floats lose the digits that a proof needs where a bound hardly bends or an output fades away. A few steps in decimals
finish from where floats ended, with the bounds alone that bind there.

Minimise the worst distortion under bounds on sums of relative entropies, powers and norms, or the bound of such sums at
a distortion: the minimiser of objective / share - (sum of the logarithms of all entries and slacks) is followed by
Newton's method as `share` goes to zero. Share over slack is then a multiplier, and what the multipliers prove differs
from the objective by `share` times the number of entries and slacks.

Second derivatives couple the entries of one column alone, so that a step takes one small system for each output and one
with a row for each bound and input. The tangent of the path predicts the next point: entries that stay move along it in
proportion to the share, entries that fade keep the ratios of their column. Near the end of the path that is nearly
exact, and the share falls faster and faster.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal, localcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import ZERO, Rational
from epstar.solve.program.arithmetic import DECIMALS, Numbers
from epstar.solve.program.smooth_program import Optimum, Scaled, SmoothProgram, State, exactly

Table = Sequence[Sequence[Rational]]

# The second many are for entries that floats hardly hold next to one.
_DIGITS = (50, 100)
_FEW = 6
# A number of which the tangent takes away a larger share goes to zero at the end.
_FADING = 0.5
_FIRST_SHRINK, _LEAST_SHRINK, _MOST_SHRINK = 2.0**-5, 2.0**-20, 0.5
# By how much a step promises to lower the potential: one that is so small needs no test; centred; and at the end.
_SAFE, _CENTRED, _WELL_CENTRED = 0.1, 1e-3, 1e-16
_FEW_STEPS, _MOST_STEPS, _MOST_HALVINGS = 3, 60, 60


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
        whole = _Path(program, left)
        try:
            start = whole.start() if state is None else state.in_decimals()

            def is_inside(at: State) -> bool:
                """Return whether a point keeps all bounds; it is then one to go on from."""
                nonlocal start
                keeps = bool((whole.slacks(at) > 0).all())
                start = at if keeps else start
                return keeps

            while True:
                path = _Path(_of_bounds(program, bounds), left)
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


class _Path(Scaled):
    """The central path of a program."""

    def __init__(self, program: SmoothProgram, left: Callable[[], float | None]) -> None:
        super().__init__(program, DECIMALS)
        self.left = left

    def _followed(self, state: State, wanted: Callable[[Any], Any], is_inside: Callable[[State], bool]) -> _Newton:
        """Return the path's point at the share that is wanted, or the last one found where no step leads on.

        Outside another region nothing more is wanted.

        Raises:
            SolverFailure: if there is none at all.
        """
        centre = self._centred(state, _CENTRED)
        if centre is None:
            raise SolverFailure("Newton's method does not find the path from its start.")
        shrink, is_last = self.number(_FIRST_SHRINK), False
        while not is_last and shrink < _MOST_SHRINK and is_inside(centre.point.state):
            known = centre.point.state
            last = wanted(known.objective)
            share = min(known.share, max(last, known.share * shrink))
            is_last = share <= last
            tolerance = _WELL_CENTRED if is_last else _CENTRED
            reached = self._centred(centre.point.ahead(share), tolerance)
            if reached is None and shrink >= _FIRST_SHRINK:
                # The tangent leads out of the region; damped steps from the point itself do not.
                reached = self._centred(State(known.table, known.objective, share), tolerance)
            if reached is None:
                shrink, is_last = shrink ** self.number(0.5), False
                continue
            if reached.steps <= _FEW_STEPS:
                shrink = max(shrink**2, self.number(_LEAST_SHRINK))
            centre = reached
        return centre.point

    def followed_to(
        self, state: State, precision: Callable[[Decimal], Decimal], is_inside: Callable[[State], bool]
    ) -> _Newton:
        """Return the path's point at which the objective is known to within a precision of its own.

        Where the path leaves another region, its first point outside is returned.

        Raises:
            SolverFailure: if Newton's method does not get there.
        """
        count = int(self.moving.sum()) + len(self.bounds)

        def wanted(objective: Any) -> Any:
            return precision(objective * self.unit) / self.unit / count

        end = self._followed(state, wanted, is_inside)
        if is_inside(end.state) and end.state.share > 2 * wanted(end.state.objective):
            raise SolverFailure("Newton's method left the path; the program has no strict interior.")
        return end

    def optimum(self, point: _Newton) -> Optimum:
        """Return a point in the program's own units."""
        inputs = len(self.program.cost)
        # The step that is not taken any more still mends the multipliers, which feel every bit of it.
        settled = point.multipliers + point.multiplier_step
        settled = np.where(settled > 0, settled, point.multipliers)
        multipliers = [exactly(value) for value in settled * self.unit / self.units]
        table = [tuple(exactly(entry) for entry in row) for row in point.state.table]
        return Optimum(
            tuple(table[:inputs]),
            table[inputs] if len(table) > inputs else (),
            tuple(multipliers[: self.count]),
            tuple(multipliers[self.count :]),
            Decimal(point.state.objective * self.unit),
        )

    def potential(self, state: State) -> Any:
        """Return what the path's point minimises; None outside the region."""
        entries = state.table[self.moving]
        if not (entries > 0).all():
            return None
        slacks = self.slacks(state)
        if not (slacks > 0).all():
            return None
        return state.objective / state.share - self.arithmetic.log(entries).sum() - self.arithmetic.log(slacks).sum()

    def _centred(self, state: State, tolerance: float) -> _Centre | None:
        """Return the point of the path at the state's share by damped steps, None where these do not lead to it."""
        potential = self.potential(state)
        for steps in range(_MOST_STEPS if potential is not None else 0):
            self.left()
            point = _Newton(self, state)
            if not point.is_sound:
                return None
            if point.decrease <= tolerance:
                return _Centre(point, steps)
            length = self.one
            for _ in range(_MOST_HALVINGS):
                moved = State(
                    state.table + length * point.step, state.objective + length * point.objective_step, state.share
                )
                after, least = self.potential(moved), length * point.decrease / 10
                if after is not None and (point.decrease <= _SAFE or after <= potential - least):
                    break
                length /= 2
            else:
                return None
            state, potential = moved, after
        return None


class _Newton:
    """The step on the barrier at a point, and the tangent of the path there."""

    def __init__(self, path: _Path, state: State) -> None:
        self.path, self.state = path, state
        table, share, moving, one, zero = state.table, state.share, path.moving, path.one, path.zero
        rows, outputs = table.shape
        tangents = path.tangents(state)
        self.slacks = path.slacks(state)
        self.multipliers = share / self.slacks
        count, own, held = len(self.slacks), np.arange(rows), moving.T
        slopes = np.concatenate([path.linear, path.curves.slopes(tangents)])
        self.entries = np.where(moving, table, one)
        laws = path.arithmetic.zeros(rows, rows, outputs)
        laws[own, own] = one
        self.forms = np.where(moving, np.concatenate([slopes, laws]), zero)
        pushed = self.multipliers @ self.forms[:count].reshape(count, -1)
        self.gradient = pushed.reshape(table.shape)
        system = path.curves.bend(tangents, self.multipliers[path.count :])
        system = np.where(held[:, :, None] & held[:, None, :], system, zero)
        system[:, own, own] += np.where(moving, share / self.entries**2, one).T
        self.factor = _Factored(system)
        self.solved = self.factor.solve(self.forms.transpose(2, 1, 0))
        small = path.arithmetic.zeros(count + rows + 1, count + rows + 1)
        small[:-1, :-1] = (self.forms.transpose(2, 0, 1) @ self.solved).sum(axis=0)
        small[np.arange(count), np.arange(count)] += self.slacks / self.multipliers
        small[:count, -1] = small[-1, :count] = path.shares
        self.small = _Factored(small)
        self.unshared = one - path.shares @ self.multipliers
        self.step, self.multiplier_step, self.objective_step = self._towards(share)
        entry_gains = np.where(moving, self.gradient / share - one / self.entries, zero)
        self.decrease = -(entry_gains * self.step).sum() - self.unshared / share * self.objective_step
        self.is_sound = bool(np.isfinite(float(self.decrease))) and self.decrease > -_CENTRED

    def ahead(self, share: Any) -> State:
        """Return where the path is expected at a smaller share."""
        table, one = self.state.table, self.path.one
        step, _, objective_step = self._towards(self.path.zero)
        kept = share / self.state.share
        fading = np.where(self.path.moving, -step / self.entries, self.path.zero)
        is_fading = fading > _FADING
        moved = table * (one - fading * (one - kept))
        powers = self.path.arithmetic.log(np.array([kept], dtype=table.dtype))[0] * fading[is_fading]
        moved[is_fading] = table[is_fading] * self.path.arithmetic.exp(powers)
        moved = moved / moved.sum(axis=1)[:, None]
        return State(moved, self.state.objective + (one - kept) * objective_step, share)

    def _towards(self, target: Any) -> tuple[Numbers, Numbers, Any]:
        """Return the step of entries, multipliers and objective to where all products of pairs are the target."""
        path = self.path
        side = np.where(path.moving, target / self.entries - self.gradient, path.zero)
        free = self.factor.solve(side.T[:, :, None])[:, :, 0].T
        rests = path.one - self.state.table.sum(axis=1)
        wanted = np.concatenate([self.slacks - target / self.multipliers, rests])
        reached = self.forms.reshape(len(self.forms), -1) @ free.ravel()
        found = self.small.solve(np.append(reached - wanted, self.unshared)[:, None])[:, 0]
        return free - (self.solved @ found[:-1]).T, found[: len(self.slacks)], found[-1]


@dataclass(frozen=True)
class _Centre:
    point: _Newton
    steps: int


class _Factored:
    """Definite matrices, one or many, by elimination; the last row and column may be those of a saddle."""

    def __init__(self, systems: Numbers) -> None:
        table = systems.copy()
        for k in range(table.shape[-1] - 1):
            table[..., k + 1 :, k] /= table[..., k, k, None]
            table[..., k + 1 :, k + 1 :] -= table[..., k + 1 :, k, None] * table[..., None, k, k + 1 :]
        self.table = table

    def solve(self, sides: Numbers) -> Numbers:
        """Return the solutions for some right sides."""
        found, table = sides.copy(), self.table
        size = table.shape[-1]
        for k in range(size - 1):
            found[..., k + 1 :, :] -= table[..., k + 1 :, k, None] * found[..., None, k, :]
        for k in range(size - 1, -1, -1):
            found[..., k, :] /= table[..., k, k, None]
            found[..., :k, :] -= table[..., :k, k, None] * found[..., None, k, :]
        return found
