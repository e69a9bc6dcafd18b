"""Mehrotra's predictor-corrector method for pairs of positive variables and duals, whatever the Newton equations.

A step leads towards where the products of all pairs are equal and smaller (Mehrotra, 1992); in programs that ask for
it, Gondzio's centrality correctors bring products back that would be far off (Computational Optimization and
Applications 6, 1996). A program says how far a point is from its optimum and solves Newton's equations there; the
iterate that is nearest is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from epstar.errors import TimeLimit
from epstar.memory import keep_memory

Numbers = NDArray[Any]
Parts = tuple[Any, ...]

# More steps than a program takes that gets anywhere.
_MOST_STEPS = 120
# Steps without progress, by a fifth, that are rounding once an iterate is this near, in units of the objective; farther
# away they may be a difficult passage. Much farther, it is progress if the products fall.
_NEAR, _STALLED_NEAR, _STALLED, _NEARBY = 1e-7, 10, 20, 0.1
BACK_OFF = 0.99
"""The share of the way to the boundary that is taken, where a whole step leads beyond it."""
# The least share of their mean that products are led to: in linear programs, and in those that bend.
_LEAST_CENTRING, _LEAST_CENTRING_BENT = 1e-4, 1e-3
# Products may differ from the mean by this factor before a centrality corrector brings them back.
_APART = 10.0
# By what shares the diagonal of a system is enlarged until rounding leaves a Cholesky factor.
_DAMPINGS = (0.0, 1e-14, 1e-12)
# Halvings of a step that leads astray.
_MOST_HALVINGS = 10


@dataclass(frozen=True)
class Point:
    """Positive variables beside their duals, and unknowns of either side that are free; a step is the same list."""

    primal: Parts
    dual: Parts
    free: Parts = ()
    free_dual: Parts = ()

    def moved(self, step: Point, primal: Any, dual: Any) -> Self:
        """Return where a step of these lengths leads."""
        return replace(
            self,
            primal=tuple(x + primal * dx for x, dx in zip(self.primal, step.primal, strict=True)),
            dual=tuple(z + dual * dz for z, dz in zip(self.dual, step.dual, strict=True)),
            free=tuple(x + primal * dx for x, dx in zip(self.free, step.free, strict=True)),
            free_dual=tuple(z + dual * dz for z, dz in zip(self.free_dual, step.free_dual, strict=True)),
        )

    @cached_property
    def products(self) -> Parts:
        """What goes to zero: every variable times its dual."""
        return tuple(x * z for x, z in zip(self.primal, self.dual, strict=True))

    @cached_property
    def gap(self) -> Any:
        """The sum of the products."""
        return sum(product.sum() for product in self.products)

    def rooms(self, step: Point) -> tuple[Any, Any]:
        """Return how much of a step leaves all variables, and all duals, positive."""
        return min(map(room, self.primal, step.primal)), min(map(room, self.dual, step.dual))


PointType = TypeVar("PointType", bound=Point)


class Program(Protocol[PointType]):
    """What the method needs to know of a program."""

    is_linear: bool
    """Whether variables and duals may go different ways along a step."""
    correctors: int
    """How many centrality correctors a step tries: worth it where a factor costs more than many solutions."""

    def error(self, point: PointType, /) -> float:
        """Return how far a point is from the optimum, in units of the objective."""

    def newton(self, point: PointType, /) -> Callable[[Parts], Point]:
        """Return the solver of Newton's equations at a point, for targets of all products.

        Raises:
            LinAlgError: if rounding has left no solution.
        """

    def least_centring(self, _: PointType, /) -> float:
        """Return the least share of their mean that products are led to, beyond what they always are."""
        return 0.0

    def longest(self, _: PointType, __: Point, /) -> float:
        """Return how much of a step may be taken at most."""
        return 1.0

    def is_astray(self, _: PointType, __: PointType, ___: Any, /) -> bool:
        """Return whether a step from a point to another, towards products of some size, was too long."""
        return False

    def simplified(self, point: PointType, _: float, /) -> PointType:
        """Return the point with what does not matter any more left out."""
        return point

    def is_useful(self, _: PointType, /) -> bool:
        """Return whether a point is worth something when time runs out."""
        return False


@dataclass(frozen=True)
class Descent(Generic[PointType]):
    """The iterate that is nearest to the optimum, and how far it is from it."""

    best: PointType
    error: float


def descend(
    program: Program[PointType], point: PointType, close: float, left: Callable[[], object]
) -> Descent[PointType]:
    """Return the best iterate, once one is `close` or the steps gain nothing more.

    `left` is called at every step and may raise to stop the work.
    """
    best, least, stalled = point, np.inf, 0
    reached, fallen = np.inf, point.gap
    for _ in range(_MOST_STEPS):
        try:
            left()
        except TimeLimit:
            if not program.is_useful(best):
                raise
            break
        error, gap = program.error(point), point.gap
        if not np.isfinite(error):
            break
        # Far away progress is counted from where there was some last, so that many small steps are some.
        is_nearer, is_lower = error < 0.8 * (least if least < _NEAR else reached), 5 * gap < 4 * fallen
        stalled = 0 if is_nearer or (is_lower and least > _NEARBY) else stalled + 1
        reached, fallen = error if is_nearer else reached, gap if is_lower else fallen
        if error < least:
            best, least = point, error
        if least < close or stalled >= (_STALLED_NEAR if least < _NEAR else _STALLED):
            break
        if program.is_linear and stalled and is_lower and least < _NEAR:
            # Without bends, what is left of an error once the products vanish is rounding.
            break
        try:
            point = _stepped(program, program.simplified(point, least))
        except (LinAlgError, np.linalg.LinAlgError, ValueError, ArithmeticError):
            break
    return Descent(best, least)


def _stepped(program: Program[PointType], point: PointType) -> PointType:
    """Take a predictor and a corrector step."""
    solved, total = program.newton(point), point.gap
    number, count = type(total), len(point.products)
    mean = total / sum(int(np.count_nonzero(product)) for product in point.products)
    ahead = solved((number(0),) * count)
    primal, dual = _lengths(program, point, ahead, point.rooms(ahead), number(1))
    second = tuple(dx * dz for dx, dz in zip(ahead.primal, ahead.dual, strict=True))
    if program.is_linear:
        # The products along the step add up to a polynomial in its lengths.
        falling, fading = _inner(ahead.primal, point.dual), _inner(point.primal, ahead.dual)
        bending = sum(product.sum() for product in second)
        left_over = (1 + (primal * falling + dual * fading + primal * dual * bending) / total) ** 3
        least = _LEAST_CENTRING
    else:
        # In programs that bend a shorter step keeps less of the second order.
        left_over, least = (1 - primal) ** 2, _LEAST_CENTRING_BENT
        second = tuple(primal * primal * product for product in second)
    target = mean * min(number(1), max(number(max(least, program.least_centring(point))), left_over))
    targets = tuple(target - product for product in second)
    step = solved(targets)
    rooms = point.rooms(step)
    for _ in range(program.correctors):
        # Aim a little farther, and bring products back that would be far from the target there.
        reach = [min(1.0, 1.1 * room + 0.1) for room in rooms]
        farther = point.moved(step, *reach).products
        near = [np.clip(product, target / _APART, _APART * target) for product in farther]
        moved = [np.maximum(a - b, -_APART * target) for a, b in zip(near, farther, strict=True)]
        targets = tuple(a + b for a, b in zip(targets, moved, strict=True))
        corrected = solved(targets)
        roomier = point.rooms(corrected)
        if sum(min(1.0, room) for room in roomier) <= sum(min(1.0, room) for room in rooms):
            break
        step, rooms = corrected, roomier
    after = _taken(program, point, step, rooms, target)
    if after is None:
        # From duals that match the variables a step of the barrier method does not lead astray, if it is short enough.
        nearer = mean / number(_APART)
        matching = (np.where(x != 0, nearer / np.where(x != 0, x, 1), 1) for x in point.primal)
        point = replace(point, dual=tuple(matching))
        step = program.newton(point)((nearer,) * count)
        after = _taken(program, point, step, point.rooms(step), nearer)
    return after or point


def _taken(
    program: Program[PointType], point: PointType, step: Point, rooms: tuple[Any, Any], target: Any
) -> PointType | None:
    """Return where as much of a step leads as does not lead astray, None where nothing does."""
    primal, dual = _lengths(program, point, step, rooms, type(target)(BACK_OFF))
    for _ in range(_MOST_HALVINGS):
        after = point.moved(step, primal, dual)
        if not program.is_astray(point, after, target):
            return after
        primal, dual = primal / 2, dual / 2
    return None


def _lengths(
    program: Program[PointType], point: PointType, step: Point, rooms: tuple[Any, Any], share: Any
) -> tuple[Any, Any]:
    """Return how much of a step is taken: all of it, or a share of its room."""
    number = type(share)
    if program.is_linear:
        # A whole step to the end may leave less than any share of what is there.
        primal, dual = (number(1) if room >= 1 else share * room for room in rooms)
        return primal, dual
    length = min(number(1), share * min(rooms), number(program.longest(point, step)))
    return length, length


def room(values: Numbers, step: Numbers) -> Any:
    """Return how much of a step leaves all values positive, at most twice as much as it is."""
    # Entries that do not move are zero; floats that are 0 / 0 are passed over.
    values = np.where(values == 0, 1, values) if values.dtype == object else values
    most = -np.fmin.reduce(step / values, axis=None, initial=0)
    return min(2, 1 / most) if most > 0 else 2


def _inner(left: Parts, right: Parts) -> float:
    """Return the inner product of floats."""
    return sum(float(np.vdot(a, b)) for a, b in zip(left, right, strict=True))


def cholesky(system: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the solver of a positive definite system, of which the lower half counts; the matrix is overwritten.

    Raises:
        LinAlgError: if rounding has left none that is nearly definite.
    """
    keep_memory(system.nbytes)
    diagonal = np.diag_indices_from(system)
    plain = system.diagonal().copy()
    for damping in _DAMPINGS:
        system[diagonal] = plain * (1 + damping)
        try:
            factor = cho_factor(system, lower=True, check_finite=False)
        except LinAlgError:
            continue
        return lambda right: np.asarray(cho_solve(factor, right, check_finite=False))
    raise LinAlgError("the system is singular")
