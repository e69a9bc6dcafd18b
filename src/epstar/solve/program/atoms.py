r"""The table of convex atoms: value, slopes and curvature of sums over the outputs, in floats or in many digits.

Relative entropies, powers of an order (van Erven and Harremoës, 2014) and norms are functions of one column each, so
that second derivatives couple the entries of a column alone: one small matrix for each output. Bounds that use the same
atoms with other weights (one law of a source after the other) share all of the work but a product of matrices.

Sums are measured so that floats hold them whatever the order. A sum of powers is 1 for equal rows, near 1 for orders
near one, and as large as e^((order-1) level) for large ones. Its excess over 1, over the order less one, and with the
right sides in units of e^level,

    sum over y of p (e^((order-1) g) - 1) / (order-1)    with    g = log(p/q) - level * distance,

is at most zero at the level, near the relative entropy less the level for orders near one, and never out of reach. A
sum of norms is measured by its excess over 1, over the rate at which its bound grows. Relative entropies stay as they
are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.errors import SolverFailure
from epstar.exact import ZERO, Rational, Real
from epstar.notions.constraints import (
    LAW,
    Atom,
    Form,
    Norm,
    Power,
    RelativeEntropy,
    SumBound,
)
from epstar.solve.program.measured import distance

Numbers = NDArray[Any]
"""An array of floats or of decimals."""


@dataclass(frozen=True)
class Arithmetic:
    """Floats or decimals: how to make one of a float or an exact number, logarithms and exponentials.

    All else is written the same in both.
    """

    number: Callable[[float], Any]
    read: Callable[[Real], Any]
    log: Callable[[Numbers], Numbers]
    exp: Callable[[Numbers], Numbers]
    log1p: Callable[[Numbers], Numbers]
    expm1: Callable[[Numbers], Numbers]
    growth: Callable[[Numbers, Numbers, Rational], Numbers]

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


# Bits of a number that is read: of 96 digits, as many as decimals have.
_READ_BITS = 320
# From order one: where norms are so near the mean that their difference is found by itself.
_NEAR_ONE = Rational(1, 2)
# Factors of a whole power, up to which a product is faster than a logarithm; an exponent that decimals still hold.
_MOST_FACTORS, _LARGEST_EXPONENT = 64, 10**5
# Less than the logarithm of any probability.
_FAR_BELOW = -(10**6)


def decimal(value: Real) -> Decimal:
    """Return a number to the digits of the present context."""
    near = value.below(_READ_BITS)
    return Decimal(int(near.p)) / Decimal(int(near.q))


def _float_growth(values: Numbers, offsets: Numbers, exponent: Rational) -> Numbers:
    """Return by how much powers of values, measured from e^offset, exceed one."""
    grown: Numbers = np.expm1(float(Real.of(exponent)) * (np.log(values) - offsets))
    return grown


def _decimal_growth(values: Numbers, offsets: Numbers, exponent: Rational) -> Numbers:
    power = decimal(Real.of(exponent))
    # Roots and whole powers are many times faster than the others.
    if exponent.q <= 2 and abs(exponent.p) <= _MOST_FACTORS:
        base: Any = values if exponent.q == 1 else _square_root(values)
        grown: Any = base ** int(exponent.p) * _exponential(-power * offsets)
    else:
        exponents: Any = power * (_logarithm(values) - offsets)
        # Far outside the region any large number says so.
        most: Any = Decimal(_LARGEST_EXPONENT)
        grown = _exponential(np.where(exponents > most, most, exponents))
    excess: Numbers = grown - 1
    return excess


def _decimal_log1p(values: Numbers) -> Numbers:
    found: Numbers = _logarithm(1 + values)
    return found


def _decimal_expm1(values: Numbers) -> Numbers:
    found: Numbers = np.asarray(_exponential(values)) - 1
    return found


_logarithm, _exponential, _square_root = (np.frompyfunc(f, 1, 1) for f in (Decimal.ln, Decimal.exp, Decimal.sqrt))
FLOATS = Arithmetic(float, float, np.log, np.exp, np.log1p, np.expm1, _float_growth)
DECIMALS = Arithmetic(Decimal, decimal, _logarithm, _exponential, _decimal_log1p, _decimal_expm1, _decimal_growth)


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

    def pushed(self, weights: Numbers) -> Numbers:
        """Return the weighted sum of the slopes."""
        return np.asarray(np.tensordot(weights, self.slopes, axes=1))

    def changes(self, step: Numbers) -> Numbers:
        """Return how the values change with the table, to first order."""
        return np.asarray(np.tensordot(self.slopes, step, axes=2))

    def bend(self, multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the atoms."""
        across = self.across.transpose(2, 1, 0)
        weights = (multipliers[:, None] * self.factors).T[:, None, :]
        bent: Numbers = (across * weights) @ across.transpose(0, 2, 1)
        own = np.arange(across.shape[1])
        bent[:, own, own] += (multipliers[:, None, None] * self.diagonals).sum(axis=0).T
        return bent


@dataclass(frozen=True)
class RowPairs:
    """The two rows that each of many atoms compares, of so many rows in all."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    size: int

    @classmethod
    def of(cls, left: Numbers, right: Numbers) -> RowPairs | None:
        """Return the rows that forms in floats are, None where some are not single rows."""
        if left.dtype == object or not all(
            (((form != 0).sum(axis=1) == 1) & (form.sum(axis=1) == 1)).all() for form in (left, right)
        ):
            return None
        return cls(left.argmax(axis=1), right.argmax(axis=1), left.shape[1])

    def bend(self, weights: Numbers, ratio: Numbers) -> Numbers:
        """Return the sums of weight * (left - ratio * right)^2 as matrices, for weights and ratios by output."""
        count, size = len(weights), self.size
        crossed = weights * ratio
        places = [
            self.first * (size + 1),
            self.first * size + self.second,
            self.second * size + self.first,
            self.second * (size + 1),
        ]
        everywhere = np.arange(count)[:, None] * size**2 + np.concatenate(places)
        values = np.concatenate([weights, -crossed, -crossed, crossed * ratio], axis=1)
        return np.bincount(everywhere.ravel(), values.ravel(), count * size**2).reshape(count, size, size)


@dataclass(frozen=True)
class PairTangents:
    """Atoms f(left, right) of two linear forms at a table, each by its derivatives and the ratio of its sides.

    The function scales with its arguments: its second derivatives are `factors` times those of (left - ratio * right)
    squared. `rows` are the two rows that each compares, where both forms are single rows, as they are, in floats.
    """

    left: Numbers
    right: Numbers
    rows: RowPairs | None
    values: Numbers
    ratio: Numbers
    by_left: Numbers
    by_right: Numbers
    factors: Numbers

    @property
    def slopes(self) -> Numbers:
        """The derivatives of each atom by row and output."""
        slopes: Numbers = (
            self.by_left[:, None] * self.left[:, :, None] + self.by_right[:, None] * self.right[:, :, None]
        )
        return slopes

    def pushed(self, weights: Numbers) -> Numbers:
        """Return the weighted sum of the slopes."""
        by_left, by_right = weights[:, None] * self.by_left, weights[:, None] * self.by_right
        return np.asarray(self.left.T @ by_left + self.right.T @ by_right)

    def changes(self, step: Numbers) -> Numbers:
        """Return how the values change with the table, to first order."""
        if self.rows is None:
            left, right = self.left @ step, self.right @ step
        else:
            left, right = step[self.rows.first], step[self.rows.second]
        return np.asarray((self.by_left * left + self.by_right * right).sum(axis=1))

    def bend(self, multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the atoms."""
        if self.rows is not None:
            return self.rows.bend((multipliers[:, None] * self.factors).T, self.ratio.T)
        across = (self.left[:, :, None] - self.ratio[:, None] * self.right[:, :, None]).transpose(2, 1, 0)
        weights = (multipliers[:, None] * self.factors).T[:, None, :]
        bent: Numbers = (across * weights) @ across.transpose(0, 2, 1)
        return bent


@dataclass(frozen=True)
class _Pairs:
    """Relative entropies (order one) or powers of an order, measured from offsets, of linear forms of the columns."""

    order: Rational
    left: Numbers
    right: Numbers
    rows: RowPairs | None
    offsets: Numbers

    def at(self, table: Numbers, arithmetic: Arithmetic) -> PairTangents:
        if self.rows is None:
            above, below = self.left @ table, self.right @ table
        else:
            above, below = table[self.rows.first], table[self.rows.second]
        # Nothing on the left now or later: the term is and stays zero. For an order below one the other side may fail.
        absent, alone = above == 0, (above != 0) & (below == 0)
        if self.order >= 1 and alone.any():
            raise SolverFailure("An answer that only one side of a term may give makes it infinite.")
        one = arithmetic.number(1)
        zero = one - one
        above, below = np.where(absent, one, above), np.where(absent | alone, one, below)
        ratio = above / below
        offsets = self.offsets[:, None]
        if self.order == 1:
            gaps = arithmetic.log(ratio) - offsets
            value, by_left, by_right, factor = above * gaps, gaps + one, -ratio, one / above
        else:
            order, excess = arithmetic.read(Real.of(self.order)), arithmetic.read(Real.of(self.order - 1))
            growth = np.where(alone, -one, arithmetic.growth(ratio, offsets, self.order - 1))
            value, by_left = above * growth / excess, order * growth / excess + one
            by_right, factor = -(growth + one) * ratio, order * (growth + one) / above
        by_left, by_right, factor, value = (np.where(absent, zero, a) for a in (by_left, by_right, factor, value))
        return PairTangents(self.left, self.right, self.rows, value.sum(axis=1), ratio, by_left, by_right, factor)


@dataclass(frozen=True)
class _Norms:
    """Weighted norms of the columns, less their weighted sums, over the rate: one less one over the order."""

    order: Rational
    weights: Numbers

    def at(self, table: Numbers, arithmetic: Arithmetic) -> Tangents:
        order, excess = arithmetic.read(Real.of(self.order)), arithmetic.read(Real.of(self.order - 1))
        one = arithmetic.number(1)
        zero, rate = one - one, excess / order
        weights = self.weights[:, :, None]
        given = (weights > 0) & (table > 0)
        empty = ~given.any(axis=1)
        means = np.where(empty, one, self.weights @ table)
        logs = np.where(given, arithmetic.log(np.where(table > 0, table, one)), zero)
        if abs(self.order - 1) < _NEAR_ONE:
            # The norm is near the mean: what it exceeds that by is found by itself.
            about = arithmetic.log(means)
            shares = np.where(given, weights * table / means[:, None, :], zero)
            grown = (shares * arithmetic.expm1(excess * (logs - about[:, None, :]))).sum(axis=1)
            larger = arithmetic.log1p(np.where(empty, zero, grown)) / order
            values, log_norms = means * arithmetic.expm1(larger), about + larger
        else:
            about = np.where(given, logs, _FAR_BELOW).max(axis=1)
            about = np.where(empty, zero, about)
            powers = np.where(given, weights * arithmetic.exp(order * (logs - about[:, None, :])), zero)
            log_norms = about + arithmetic.log(np.where(empty, one, powers.sum(axis=1))) / order
            values = arithmetic.exp(log_norms) - means
        gains = arithmetic.expm1(excess * (logs - log_norms[:, None, :]))
        direction = np.where(given, weights * (gains + one), zero)
        entries = np.where(table > 0, table, one)[None, :, :]
        return Tangents(
            np.where(empty, zero, values / rate).sum(axis=1),
            np.where(given, weights * gains, zero) / rate,
            direction,
            -order / arithmetic.exp(log_norms),
            order * direction / entries,
        )


AllTangents = Sequence[Tangents | PairTangents]


class Curves:
    """The sums of some bounds as functions of a table: the mechanism's rows and, where it is free, the output law.

    They are measured, powers from a level where one is given.
    """

    def __init__(
        self, sums: Sequence[SumBound], inputs: int, arithmetic: Arithmetic, level: Real | None = None
    ) -> None:
        self.arithmetic = arithmetic
        atoms: dict[object, Atom] = {}
        offsets: dict[object, Real] = {}
        places: list[tuple[int, object, Rational]] = []
        for i, bound in in_time(enumerate(sums)):
            for weight, atom in bound.terms:
                key: object = (_key(atom), distance(bound))
                atoms.setdefault(key, atom)
                offsets.setdefault(key, Real.of(ZERO) if level is None else level * distance(bound))
                places.append((i, key, weight))
        self.has_law = any(isinstance(atom, RelativeEntropy | Power) and atom.right is LAW for atom in atoms.values())
        self.rows = inputs + self.has_law
        grouped: dict[tuple[type[Atom], Rational], list[object]] = {}
        for key, atom in atoms.items():
            grouped.setdefault(_group(atom), []).append(key)
        self.groups = [
            self._stacked(order, [atoms[key] for key in keys], [offsets[key] for key in keys])
            for (_, order), keys in grouped.items()
        ]
        order_of_keys = {key: a for a, key in enumerate(key for keys in grouped.values() for key in keys)}
        self.own: Numbers | None = None
        if [order_of_keys[key] for _, key, _ in places] == [i for i, _, _ in places] == list(range(len(atoms))):
            self.own = arithmetic.array([weight for *_, weight in places])
            return
        self.shares = arithmetic.zeros(len(sums), len(atoms))
        for i, key, weight in places:
            self.shares[i, order_of_keys[key]] += arithmetic.read(Real.of(weight))

    @property
    def row_pairs(self) -> RowPairs | None:
        """The two rows that each bound compares, where each is one atom of two rows."""
        (group, *others) = self.groups
        return group.rows if self.own is not None and not others and isinstance(group, _Pairs) else None

    def among(self, bounds: NDArray[np.intp]) -> Curves:
        """Return the same with some of the bounds alone, where each compares two rows."""
        (group,), fewer = self.groups, copy(self)
        assert isinstance(group, _Pairs)
        assert group.rows is not None
        assert self.own is not None
        rows = RowPairs(group.rows.first[bounds], group.rows.second[bounds], group.rows.size)
        fewer.groups = [_Pairs(group.order, group.left[bounds], group.right[bounds], rows, group.offsets[bounds])]
        fewer.own = self.own[bounds]
        return fewer

    def measure_in(self, units: Numbers) -> None:
        """Measure each bound in a unit of its own."""
        if self.own is None:
            self.shares = self.shares / units[:, None]
        else:
            self.own = self.own / units

    def at(self, table: Numbers) -> list[Tangents | PairTangents]:
        """Return the atoms at a table, group by group."""
        return [group.at(table, self.arithmetic) for group in self.groups]

    def weights(self, multipliers: Numbers) -> Numbers:
        """Return what multipliers of the bounds are for each atom."""
        weights: Numbers = multipliers @ self.shares if self.own is None else multipliers * self.own
        return weights

    def of_bounds(self, values: Numbers) -> Numbers:
        """Return what values of the atoms are for each bound."""
        total: Numbers = self.shares @ values if self.own is None else self.own * values
        return total

    def values(self, tangents: AllTangents) -> Numbers:
        """Return the sum of each bound."""
        return self.of_bounds(np.concatenate([tangent.values for tangent in tangents]))

    def slopes(self, tangents: AllTangents) -> Numbers:
        """Return the derivatives of each bound by row and output."""
        stacked = np.concatenate([tangent.slopes for tangent in tangents])
        if self.own is not None:
            return np.asarray(self.own[:, None, None] * stacked)
        slopes: Numbers = (self.shares @ stacked.reshape(len(stacked), -1)).reshape(-1, *stacked.shape[1:])
        return slopes

    def bend(self, tangents: AllTangents, multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the bounds."""
        weights = self.weights(multipliers)
        ends = np.cumsum([len(tangent.values) for tangent in tangents])
        parts = [
            tangent.bend(weights[end - len(tangent.values) : end]) for tangent, end in zip(tangents, ends, strict=True)
        ]
        bent: Numbers = np.sum(parts, axis=0)
        return bent

    def _stacked(self, order: Rational, atoms: Sequence[Atom], offsets: Sequence[Real]) -> _Pairs | _Norms:
        forms: list[Numbers] = []
        for part in ("left", "right") if isinstance(atoms[0], RelativeEntropy | Power) else ("weights",):
            forms.append(self.arithmetic.zeros(len(atoms), self.rows))
            for a, atom in in_time(enumerate(atoms)):
                form: Form = getattr(atom, part)
                if form is LAW:
                    forms[-1][a, -1] = self.arithmetic.number(1)
                for x, share in form.items():
                    forms[-1][a, x] = self.arithmetic.read(Real.of(share))
        if len(forms) == 1:
            return _Norms(order, forms[0])
        return _Pairs(order, forms[0], forms[1], RowPairs.of(*forms), self.arithmetic.array(offsets))


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
