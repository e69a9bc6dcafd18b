"""Mehrotra's predictor-corrector method for pairs of positive variables and duals, whatever the Newton equations.

A step leads towards where the products of all pairs are equal and smaller (Mehrotra, 1992); in programs that ask for
it, Gondzio's centrality correctors bring products back that would be far off (Computational Optimization and
Applications 6, 1996). A program says how far a point is from its optimum and solves Newton's equations there; the
iterate that is nearest is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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
_NEAR, _STALLED_NEAR, _STALLED, _NEARBY = 1e-7, 6, 20, 0.1
# The share of the way to the boundary that is taken, where a whole step leads beyond it.
_BACK_OFF = 0.99
# The least share of their mean that products are led to: in linear programs, and in those that bend.
_LEAST_CENTRING, _LEAST_CENTRING_BENT = 1e-4, 1e-3
# Products may differ from the mean by this factor before a centrality corrector brings them back.
_APART = 10.0
# What is added to the diagonal of a system, as a share of its largest entry, until rounding leaves a Cholesky factor.
_DAMPINGS = (1e-16, 1e-14, 1e-12)
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

    @property
    def products(self) -> Parts:
        """What goes to zero: every variable times its dual."""
        return tuple(x * z for x, z in zip(self.primal, self.dual, strict=True))

    @property
    def gap(self) -> Any:
        """The sum of the products."""
        return sum(product.sum() for product in self.products)

    def rooms(self, step: Point) -> tuple[Any, Any]:
        """Return how much of a step leaves all variables, and all duals, positive."""
        return min(map(_room, self.primal, step.primal)), min(map(_room, self.dual, step.dual))


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
    best, least, fallen, stalled = point, np.inf, point.gap, 0
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
        is_nearer = error < 0.8 * least or (least > _NEARBY and 5 * gap < 4 * fallen)
        stalled, fallen = 0 if is_nearer else stalled + 1, min(gap, fallen)
        if error < least:
            best, least = point, error
        if least < close or stalled >= (_STALLED_NEAR if least < _NEAR else _STALLED):
            break
        try:
            point = _stepped(program, program.simplified(point, least))
        except (LinAlgError, np.linalg.LinAlgError, ValueError, ArithmeticError):
            break
    return Descent(best, least)


def _stepped(program: Program[PointType], point: PointType) -> PointType:
    """Take a predictor and a corrector step."""
    solved, products = program.newton(point), point.products
    total = point.gap
    mean = total / sum(int(np.count_nonzero(product)) for product in products)
    ahead = solved(tuple(0 * product for product in products))
    number = type(total)
    primal, dual = _lengths(program, point, ahead, number(1))
    left_over = point.moved(ahead, primal, dual).gap / total if program.is_linear else 1 - primal
    least = number(max(_LEAST_CENTRING if program.is_linear else _LEAST_CENTRING_BENT, program.least_centring(point)))
    centring = min(number(1), max(least, left_over ** (3 if program.is_linear else 2)))
    target = mean * centring
    # In programs that bend a shorter step keeps less of the second order.
    bent = number(1) if program.is_linear else primal * primal
    targets = tuple(target - bent * dx * dz for dx, dz in zip(ahead.primal, ahead.dual, strict=True))
    step = solved(targets)
    for _ in range(program.correctors):
        # Aim a little farther, and bring products back that would be far from the target there.
        reach = [min(1.0, 1.1 * length + 0.1) for length in point.rooms(step)]
        farther = point.moved(step, *reach).products
        near = [np.clip(product, target / _APART, _APART * target) for product in farther]
        moved = [np.maximum(a - b, -_APART * target) for a, b in zip(near, farther, strict=True)]
        targets = tuple(a + b for a, b in zip(targets, moved, strict=True))
        corrected = solved(targets)
        if sum(_lengths(program, point, corrected, number(1))) <= sum(_lengths(program, point, step, number(1))):
            break
        step = corrected
    after = _taken(program, point, step, target)
    if after is None:
        # From duals that match the variables a step of the barrier method does not lead astray, if it is short enough.
        nearer = mean / number(_APART)
        matching = (np.where(x != 0, nearer / np.where(x != 0, x, 1), 1) for x in point.primal)
        point = replace(point, dual=tuple(matching))
        after = _taken(
            program, point, program.newton(point)(tuple(nearer + 0 * product for product in products)), nearer
        )
    return after or point


def _taken(program: Program[PointType], point: PointType, step: Point, target: Any) -> PointType | None:
    """Return where as much of a step leads as does not lead astray, None where nothing does."""
    primal, dual = _lengths(program, point, step, type(target)(_BACK_OFF))
    for _ in range(_MOST_HALVINGS):
        after = point.moved(step, primal, dual)
        if not program.is_astray(point, after, target):
            return after
        primal, dual = primal / 2, dual / 2
    return None


def _lengths(program: Program[PointType], point: PointType, step: Point, share: Any) -> tuple[Any, Any]:
    """Return how much of a step is taken: all of it, or a share of its room."""
    number, (primal, dual) = type(share), point.rooms(step)
    if program.is_linear:
        # A whole step to the end may leave less than any share of what is there.
        primal, dual = (number(1) if room >= 1 else share * room for room in (primal, dual))
        return primal, dual
    length = min(number(1), share * min(primal, dual), number(program.longest(point, step)))
    return length, length


def _room(values: Numbers, step: Numbers) -> Any:
    """Return how much of a step leaves all values positive, at most twice as much as it is."""
    falling = step < 0
    twice = 2 + 0 * values.sum()
    return min(twice, (-values[falling] / step[falling]).min()) if falling.any() else twice


def cholesky(system: NDArray[np.float64]) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    """Return the solver of a positive definite system, of which the lower half counts; the matrix is overwritten.

    Raises:
        LinAlgError: if rounding has left none that is nearly definite.
    """
    keep_memory(system.nbytes)
    diagonal = np.diag_indices_from(system)
    plain, largest = system.diagonal().copy(), float(system.diagonal().max())
    for damping in _DAMPINGS:
        system[diagonal] = plain + damping * largest
        try:
            factor = cho_factor(system, lower=True, check_finite=False)
        except LinAlgError:
            continue
        return lambda right: np.asarray(cho_solve(factor, right, check_finite=False))
    raise LinAlgError("the system is singular")
