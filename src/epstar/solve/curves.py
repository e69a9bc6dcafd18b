"""Sums of smooth atoms over the outputs: values, slopes and bends of many bounds at once, in floats or many digits.

Every atom is a function of one column, so that second derivatives couple the entries of a column alone: one small
matrix for each output. Bounds that use the same atoms with other weights (one member of a source after the other)
share all of the work but a product of matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.exact import Rational, Real
from epstar.notions.constraints import LAW, Atom, Form, Norm, Power, RelativeEntropy, SumBound

Numbers = NDArray[Any]
"""An array of floats or of decimals."""


@dataclass(frozen=True)
class Arithmetic:
    """Floats or decimals: how to make one of a float or an exact number, logarithms, exponentials and powers.

    All else is written the same in both.
    """

    number: Callable[[float], Any]
    read: Callable[[Real], Any]
    log: Callable[[Numbers], Numbers]
    exp: Callable[[Numbers], Numbers]
    power: Callable[[Numbers, Rational], Numbers]

    def array(self, values: Sequence[Any]) -> Numbers:
        """Return exact numbers, nested in sequences, as an array."""
        exact = np.array(values, dtype=object)
        found = self.zeros(exact.size)
        found[:] = [self.read(Real.of(value)) for value in exact.ravel()]
        return found.reshape(exact.shape)

    def zeros(self, *shape: int) -> Numbers:
        """Return an array of zeros."""
        zero = self.number(0)
        return np.full(shape, zero, dtype=float if isinstance(zero, float) else object)


_READ_BITS = 320


def decimal(value: Real) -> Decimal:
    """Return a number to the digits of the present context."""
    near = value.below(_READ_BITS)
    return Decimal(int(near.p)) / Decimal(int(near.q))


def _float_power(values: Numbers, exponent: Rational) -> Numbers:
    power: Numbers = values ** float(Real.of(exponent))
    return power


def _decimal_power(values: Numbers, exponent: Rational) -> Numbers:
    # Roots and whole powers are many times faster than the others.
    if exponent.q > 2:
        power: Numbers = values ** decimal(Real.of(exponent))
        return power
    base: Any = values if exponent.q == 1 else _square_root(values)
    whole: Numbers = base ** int(exponent.p)
    return whole


_logarithm, _exponential, _square_root = (np.frompyfunc(f, 1, 1) for f in (Decimal.ln, Decimal.exp, Decimal.sqrt))
FLOATS = Arithmetic(float, float, np.log, np.exp, _float_power)
DECIMALS = Arithmetic(Decimal, decimal, _logarithm, _exponential, _decimal_power)


@dataclass(frozen=True)
class Tangents:
    """Atoms at a table: the value of each, its slopes by row and output, and what bends it.

    The matrix of second derivatives in a column is the sum over the atoms of factor * across across^T + diagonal.
    """

    values: Numbers
    slopes: Numbers
    across: Numbers
    factors: Numbers
    diagonals: Numbers

    def bend(self, multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the atoms."""
        across = self.across.transpose(2, 1, 0)
        weights = (multipliers[:, None] * self.factors).T[:, None, :]
        bent: Numbers = (across * weights) @ across.transpose(0, 2, 1)
        own = np.arange(across.shape[1])
        bent[:, own, own] += (multipliers[:, None, None] * self.diagonals).sum(axis=0).T
        return bent


@dataclass(frozen=True)
class _Pairs:
    """Relative entropies (order one) or powers of an order, of linear forms of the columns."""

    order: Rational
    left: Numbers
    right: Numbers

    def at(self, table: Numbers, arithmetic: Arithmetic) -> Tangents:
        above, below = self.left @ table, self.right @ table
        # Nothing on the left now or later, or for an order below one on either side: the term is and stays zero.
        absent = (above == 0) | ((below == 0) & bool(self.order < 1))
        if (below[~absent] == 0).any():
            raise SolverFailure("An answer that only one side of a term may give makes it infinite.")
        one = arithmetic.number(1)
        above, below = np.where(absent, one, above), np.where(absent, one, below)
        ratio = above / below
        if self.order == 1:
            logarithm = arithmetic.log(ratio)
            value, by_left, by_right, factor = above * logarithm, logarithm + one, -ratio, one / above
        else:
            order = arithmetic.read(Real.of(self.order))
            power = arithmetic.power(ratio, self.order - 1) * (1 if order > one else -1)
            value, by_left, by_right = power * above, order * power, (one - order) * power * ratio
            factor = order * (order - one) * power / above
        by_left, by_right, factor, value = (np.where(absent, one - one, a) for a in (by_left, by_right, factor, value))
        slopes = by_left[:, None, :] * self.left[:, :, None] + by_right[:, None, :] * self.right[:, :, None]
        # A function of degree one bends only across the ray through its argument.
        across = self.left[:, :, None] - ratio[:, None, :] * self.right[:, :, None]
        return Tangents(value.sum(axis=1), slopes, across, factor, arithmetic.zeros(*slopes.shape))


@dataclass(frozen=True)
class _Norms:
    """Weighted norms of the columns."""

    order: Rational
    weights: Numbers

    def at(self, table: Numbers, arithmetic: Arithmetic) -> Tangents:
        order, one = arithmetic.read(Real.of(self.order)), arithmetic.number(1)
        zero = one - one
        absent = table == 0
        entries = np.where(absent, one, table)
        powers = self.weights[:, :, None] * np.where(absent, zero, arithmetic.power(entries, self.order - 1))
        total = (powers * table).sum(axis=1)
        empty = total == 0
        norm = arithmetic.power(np.where(empty, one, total), 1 / self.order)
        direction = powers * arithmetic.power(norm, 1 - self.order)[:, None, :]
        sign = one if order > one else -one
        bend = sign * (order - one)
        value = np.where(empty, zero, sign * norm)
        return Tangents(
            value.sum(axis=1), sign * direction, direction, -bend / norm, bend * direction / entries[None, :, :]
        )


class Curves:
    """The sums of some bounds as functions of a table: the mechanism's rows and, where it is free, the output law."""

    def __init__(self, sums: Sequence[SumBound], inputs: int, arithmetic: Arithmetic) -> None:
        self.arithmetic = arithmetic
        atoms: dict[object, Atom] = {}
        places: list[tuple[int, object, Rational]] = []
        for i, bound in enumerate(sums):
            for weight, atom in bound.terms:
                key = _key(atom)
                atoms.setdefault(key, atom)
                places.append((i, key, weight))
        self.has_law = any(isinstance(atom, RelativeEntropy | Power) and atom.right is LAW for atom in atoms.values())
        self.rows = inputs + self.has_law
        grouped: dict[tuple[type[Atom], Rational], list[object]] = {}
        for key, atom in atoms.items():
            grouped.setdefault(_group(atom), []).append(key)
        self.groups = [self._stacked(order, [atoms[key] for key in keys]) for (_, order), keys in grouped.items()]
        order_of_keys = {key: a for a, key in enumerate(key for keys in grouped.values() for key in keys)}
        self.shares = arithmetic.zeros(len(sums), len(atoms))
        for i, key, weight in places:
            self.shares[i, order_of_keys[key]] += arithmetic.read(Real.of(weight))

    def measure_in(self, units: Numbers) -> None:
        """Measure each bound in a unit of its own."""
        self.shares = self.shares / units[:, None]

    def at(self, table: Numbers) -> list[Tangents]:
        """Return the atoms at a table, group by group."""
        return [group.at(table, self.arithmetic) for group in self.groups]

    def values(self, tangents: Sequence[Tangents]) -> Numbers:
        """Return the sum of each bound."""
        total: Numbers = self.shares @ np.concatenate([tangent.values for tangent in tangents])
        return total

    def slopes(self, tangents: Sequence[Tangents]) -> Numbers:
        """Return the derivatives of each bound by row and output."""
        stacked = np.concatenate([tangent.slopes for tangent in tangents])
        slopes: Numbers = (self.shares @ stacked.reshape(len(stacked), -1)).reshape(-1, *stacked.shape[1:])
        return slopes

    def bend(self, tangents: Sequence[Tangents], multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the bounds."""
        weights = multipliers @ self.shares
        ends = np.cumsum([len(tangent.values) for tangent in tangents])
        parts = [
            tangent.bend(weights[end - len(tangent.values) : end]) for tangent, end in zip(tangents, ends, strict=True)
        ]
        bent: Numbers = np.sum(parts, axis=0)
        return bent

    def _stacked(self, order: Rational, atoms: Sequence[Atom]) -> _Pairs | _Norms:
        forms: list[Numbers] = []
        for part in ("left", "right") if isinstance(atoms[0], RelativeEntropy | Power) else ("weights",):
            forms.append(self.arithmetic.zeros(len(atoms), self.rows))
            for a, atom in enumerate(atoms):
                form: Form = getattr(atom, part)
                if form is LAW:
                    forms[-1][a, -1] = self.arithmetic.number(1)
                for x, share in form.items():
                    forms[-1][a, x] = self.arithmetic.read(Real.of(share))
        return _Pairs(order, *forms) if len(forms) == 2 else _Norms(order, *forms)


def _group(atom: Atom) -> tuple[type[Atom], Rational]:
    if isinstance(atom, RelativeEntropy):
        return RelativeEntropy, Rational(1)
    if isinstance(atom, Power | Norm):
        return type(atom), atom.order
    raise SolverFailure(f"{type(atom).__name__} is not smooth, so Newton's method does not apply.")


def _key(atom: Atom) -> object:
    forms = [atom.left, atom.right] if isinstance(atom, RelativeEntropy | Power) else []
    forms += [atom.weights] if isinstance(atom, Norm) else []
    return _group(atom), tuple(tuple(sorted(form.items())) for form in forms)
