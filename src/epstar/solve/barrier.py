"""A path-following method in many digits, for small convex programs on which the conic solver stops too early.

Minimise a number subject to linear bounds and to sums of relative entropies, powers and norms, over mechanisms with
positive entries: the minimiser of objective / share - (sum of the logarithms of all slacks) is followed by Newton's
method as `share` goes to zero. The slacks then are multipliers too, and what they prove differs from the
objective by `share` times the number of bounds, so that the precision asked for is the one obtained.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, localcontext

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import Rational, Real, rational
from epstar.notions.constraints import LAW, Atom, Form, Norm, Power, RelativeEntropy

Digits = NDArray[np.object_]
_DIGITS = 80
_ZERO, _ONE = Decimal(0), Decimal(1)
_SHRINK = Decimal("0.04")
_CENTRED, _WELL_CENTRED = Decimal("0.05"), Decimal("1e-28")
_MOST_STEPS = 60
_MOST_HALVINGS = 120
# One step solves a dense system of this many unknowns in many digits.
MOST_UNKNOWNS = 110


@dataclass(frozen=True)
class Optimum:
    """The mechanism found, the multipliers of the linear bounds and of the sums, and the objective."""

    matrix: tuple[tuple[Rational, ...], ...]
    linear: tuple[Rational, ...]
    sums: tuple[Rational, ...]
    value: Decimal


@dataclass(frozen=True)
class Linear:
    """entries . matrix <= objective * share + bound."""

    entries: Digits
    share: int
    bound: Decimal


@dataclass(frozen=True)
class Smooth:
    """The sum over outputs of a bound's terms <= objective * share + bound."""

    terms: tuple[tuple[Rational, Atom], ...]
    share: int
    bound: Decimal


@dataclass
class Barrier:
    """The unknowns are the entries of the mechanism, the law of the output where it is free, and the objective.

    Entries that are zero at the start stay zero.
    """

    shape: tuple[int, int]
    linear: Sequence[Linear]
    smooth: Sequence[Smooth]
    has_law: bool = field(init=False)

    def __post_init__(self) -> None:
        atoms = [atom for bound in self.smooth for _, atom in bound.terms]
        self.has_law = any(isinstance(atom, RelativeEntropy | Power) and atom.right is LAW for atom in atoms)
        inputs, outputs = self.shape
        self.rows = inputs + self.has_law
        self.unknowns = self.rows * outputs + 1

    def minimise(self, matrix: Digits, precision: Callable[[Decimal], Decimal]) -> Optimum:
        """Return the minimum to within `precision` of its value, from a mechanism that meets all bounds strictly.

        Raises:
            SolverFailure: if Newton's method does not get there.
        """
        with localcontext() as context:
            context.prec = _DIGITS
            start = np.vstack([matrix, matrix.mean(axis=0)]) if self.has_law else matrix
            excess = [value - bound.bound for value, bound in zip(self._values(start), self._bounds(), strict=True)]
            shared = [e for e, bound in zip(excess, self._bounds(), strict=True) if bound.share]
            point = np.array([*start.ravel(), max(shared) + _ONE], dtype=object)
            self.moving = np.flatnonzero(point[:-1])
            count = len(excess) + len(self.moving)
            share = _ONE
            while True:
                wanted = precision(point[-1]) / count
                last = share <= wanted
                point = self._centred(point, share, _WELL_CENTRED if last else _CENTRED)
                if last:
                    return self._optimum(point, share)
                share = max(share * _SHRINK, wanted)

    def _bounds(self) -> list[Linear | Smooth]:
        return [*self.linear, *self.smooth]

    def _optimum(self, point: Digits, share: Decimal) -> Optimum:
        multipliers = [rational(share / slack) for slack in self._slacks(point)]
        entries = point[:-1].reshape(self.rows, -1)[: self.shape[0]]
        return Optimum(
            tuple(tuple(rational(entry) for entry in row) for row in entries),
            tuple(multipliers[: len(self.linear)]),
            tuple(multipliers[len(self.linear) :]),
            point[-1],
        )

    def _values(self, table: Digits) -> list[Decimal]:
        """Return the left sides of all bounds."""
        entries = table[: self.shape[0]]
        values = [(bound.entries * entries).sum() for bound in self.linear]
        for bound in self.smooth:
            total = _ZERO
            for weight, atom in bound.terms:
                total += _decimal(weight) * sum((_Tangent(atom, column).value for column in table.T), _ZERO)
            values.append(total)
        return values

    def _slacks(self, point: Digits) -> list[Decimal]:
        values = self._values(point[:-1].reshape(self.rows, -1))
        return [
            bound.bound + bound.share * point[-1] - value for bound, value in zip(self._bounds(), values, strict=True)
        ]

    def _potential(self, point: Digits, share: Decimal) -> Decimal | None:
        """Return what is minimised; None outside the region."""
        entries = point[self.moving]
        if min(entries) <= 0:
            return None
        slacks = self._slacks(point)
        if min(slacks) <= 0:
            return None
        logarithms = sum((entry.ln() for entry in (*entries, *slacks)), _ZERO)
        potential: Decimal = point[-1] / share - logarithms
        return potential

    def _centred(self, point: Digits, share: Decimal, tolerance: Decimal) -> Digits:
        """Return the minimiser of the potential by Newton's method with halved steps."""
        potential = self._potential(point, share)
        if potential is None:
            raise SolverFailure("The start meets some bound only just, so that no path leads from it.")
        for _ in range(_MOST_STEPS):
            gradient, curvature = self._derivatives(point, share)
            step = self._newton_step(gradient, curvature)
            decrease = -(gradient @ step)
            if abs(decrease) <= tolerance:
                return point
            if decrease < 0:
                break
            length = _ONE
            for _ in range(_MOST_HALVINGS):
                moved = point + length * step
                reached = self._potential(moved, share)
                if reached is not None and reached <= potential - length * decrease / 10:
                    point, potential = moved, reached
                    break
                length /= 2
            else:
                break
        raise SolverFailure("Newton's method left the path; the program has no strict interior.")

    def _derivatives(self, point: Digits, share: Decimal) -> tuple[Digits, Digits]:
        table = point[:-1].reshape(self.rows, -1)
        outputs = self.shape[1]
        gradient = np.full(self.unknowns, _ZERO, dtype=object)
        gradient[self.moving] = -1 / point[self.moving]
        gradient[-1] = 1 / share
        curvature = np.full((self.unknowns, self.unknowns), _ZERO, dtype=object)
        curvature[self.moving, self.moving] = 1 / point[self.moving] ** 2
        slacks = self._slacks(point)
        for bound, slack in zip(self._bounds(), slacks, strict=True):
            slope = np.full(self.unknowns, _ZERO, dtype=object)
            slope[-1] = Decimal(-bound.share)
            if isinstance(bound, Linear):
                slope[: bound.entries.size] = bound.entries.ravel()
            else:
                for weight, atom in bound.terms:
                    for y in range(outputs):
                        tangent = _Tangent(atom, table[:, y])
                        places = [x * outputs + y for x in tangent.inputs]
                        slope[places] += _decimal(weight) * tangent.gradient
                        curvature[np.ix_(places, places)] += _decimal(weight) / slack * tangent.curvature
            used = np.flatnonzero(slope)
            gradient[used] += slope[used] / slack
            curvature[np.ix_(used, used)] += np.outer(slope[used] / slack, slope[used] / slack)
        return gradient, curvature

    def _newton_step(self, gradient: Digits, curvature: Digits) -> Digits:
        """Return the step that keeps every row a law."""
        sides = np.full((self.unknowns, self.rows + 1), _ZERO, dtype=object)
        sides[:, 0] = -gradient
        outputs = self.shape[1]
        for row in range(self.rows):
            sides[row * outputs : (row + 1) * outputs, row + 1] = _ONE
        moving = np.array([*self.moving, self.unknowns - 1])
        laws = sides[moving, 1:]
        solved = _solved(curvature[np.ix_(moving, moving)], sides[moving])
        prices = _solved(laws.T @ solved[:, 1:], (laws.T @ solved[:, :1]))
        step = np.full(self.unknowns, _ZERO, dtype=object)
        step[moving] = solved[:, 0] - solved[:, 1:] @ prices[:, 0]
        return step


class _Tangent:
    """Value, gradient and curvature of an atom at a column, whose last entry is the law where that is free."""

    def __init__(self, atom: Atom, column: Digits) -> None:
        if isinstance(atom, Norm):
            self._norm(atom, column)
        elif isinstance(atom, RelativeEntropy | Power):
            self._pair(atom, column)
        else:
            raise SolverFailure(f"{type(atom).__name__} is not smooth, so Newton's method does not apply.")

    def _pair(self, atom: RelativeEntropy | Power, column: Digits) -> None:
        left, right = _coefficients(atom.left, column), _coefficients(atom.right, column)
        above = sum((share * column[x] for x, share in left.items()), _ZERO)
        below = sum((share * column[x] for x, share in right.items()), _ZERO)
        self.inputs = sorted({*left, *right})
        if above == 0:
            # Nothing on the left now or later: the term is and stays zero.
            self.value = _ZERO
            self.gradient = np.full(len(self.inputs), _ZERO, dtype=object)
            self.curvature = np.outer(self.gradient, self.gradient)
            return
        if below == 0:
            raise SolverFailure("An answer that only one side of a term may give makes it infinite.")
        ratio = above / below
        if isinstance(atom, RelativeEntropy):
            logarithm = ratio.ln()
            self.value, by_left, by_right, bend = above * logarithm, logarithm + 1, -ratio, 1 / above
        else:
            order = _decimal(atom.order)
            sign = 1 if order > 1 else -1
            power = sign * ratio**order
            self.value, by_left, by_right = power * below, order * power / ratio, (1 - order) * power
            bend = order * (order - 1) * power / (ratio * above)
        lefts = np.array([left.get(x, _ZERO) for x in self.inputs], dtype=object)
        rights = np.array([right.get(x, _ZERO) for x in self.inputs], dtype=object)
        # A function of degree one bends only across the ray through its argument.
        across = lefts - ratio * rights
        self.gradient = by_left * lefts + by_right * rights
        self.curvature = bend * np.outer(across, across)

    def _norm(self, atom: Norm, column: Digits) -> None:
        order = _decimal(atom.order)
        sign = 1 if order > 1 else -1
        self.inputs = [x for x in sorted(atom.weights) if column[x] > 0]
        if not self.inputs:
            self.value, self.gradient, self.curvature = _ZERO, np.array([]), np.zeros((0, 0))
            return
        entries = np.array([column[x] for x in self.inputs], dtype=object)
        weights = np.array([_decimal(atom.weights[x]) for x in self.inputs], dtype=object)
        powers = weights * np.array([entry ** (order - 1) for entry in entries], dtype=object)
        norm = (powers @ entries) ** (1 / order)
        direction = powers * norm ** (1 - order)
        self.value = sign * norm
        self.gradient = sign * direction
        bend = sign * (order - 1)
        self.curvature = bend * (np.diag(direction / entries) - np.outer(direction, direction) / norm)


def _coefficients(form: Form, column: Digits) -> Mapping[int, Decimal]:
    return {len(column) - 1: _ONE} if form is LAW else {x: _decimal(share) for x, share in form.items()}


def _decimal(value: Rational) -> Decimal:
    return Decimal(int(value.p)) / Decimal(int(value.q))


def digits(value: Real) -> Decimal:
    """Return a number to the digits of the method."""
    return _decimal(value.below(4 * _DIGITS))


def _solved(system: Digits, sides: Digits) -> Digits:
    """Return the solution of a positive definite system for some right sides, by elimination."""
    table = np.hstack([system, sides])
    size = len(system)
    for k in range(size):
        if table[k, k] == 0:
            raise SolverFailure("Newton's method met a singular system.")
        table[k, k:] = table[k, k:] / table[k, k]
        if k + 1 < size:
            table[k + 1 :, k + 1 :] -= np.outer(table[k + 1 :, k], table[k, k + 1 :])
    found: Digits = table[:, size:]
    for k in range(size - 2, -1, -1):
        found[k] -= table[k, k + 1 : size] @ found[k + 1 :]
    return found
