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

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property

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
from epstar.solve.program.arithmetic import Arithmetic, Numbers, inner, weighed
from epstar.solve.program.measured import distance

# From order one: where norms are so near the mean that their difference is found by itself.
_NEAR_ONE = Rational(1, 2)
# Less than the logarithm of any probability.
_FAR_BELOW = -(10**6)


@dataclass(frozen=True)
class Tangents:
    """Atoms at a table: the value of each, its slopes by row and output, and what bends it.

    The matrix of second derivatives in a column is the sum over the atoms of factor * across across^T + diagonal, by
    the parts of a column: its entries, or `forms` of these.
    """

    values: Numbers
    by_part: Numbers
    across: Numbers
    factors: Numbers
    diagonals: Numbers
    forms: Numbers | None

    @property
    def slopes(self) -> Numbers:
        """The derivatives of each atom by row and output."""
        return self.by_part if self.forms is None else np.asarray(self.forms.T @ self.by_part)

    def pushed(self, weights: Numbers) -> Numbers:
        """Return the weighted sum of the slopes."""
        return weighed(weights, self.slopes)

    def changes(self, step: Numbers) -> Numbers:
        """Return how the values change with the table, to first order."""
        return inner(self.slopes, step)

    def bend(self, multipliers: Numbers) -> Numbers:
        """Return for each output the matrix of second derivatives of the weighted sum of the atoms."""
        bent = _squares(self.across, multipliers[:, None] * self.factors)
        own = np.arange(bent.shape[1])
        bent[:, own, own] += (multipliers[:, None, None] * self.diagonals).sum(axis=0).T
        return bent if self.forms is None else np.asarray(self.forms.T @ bent @ self.forms)


def _squares(across: Numbers, weights: Numbers) -> Numbers:
    """Return for each output the matrix of the weighted sum of squares of forms, which are by atom, row and output."""
    forms = across.transpose(2, 1, 0)
    return np.asarray((forms * weights.T[:, None, :]) @ forms.transpose(0, 2, 1))


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

    @cached_property
    def is_repeated(self) -> bool:
        """Whether some rows are compared twice, as two guarantees on the same divergence do."""
        return np.unique(self.first * self.size + self.second).size < self.first.size

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
        across = self.left[:, :, None] - self.ratio[:, None] * self.right[:, :, None]
        return _squares(across, multipliers[:, None] * self.factors)


@dataclass(frozen=True)
class _Pairs:
    """Relative entropies (order one) or powers of some orders, measured from offsets, of forms of the columns."""

    order: Rational
    excess: Numbers
    left: Numbers
    right: Numbers
    rows: RowPairs | None
    offsets: Numbers
    """The first order, by how much each is more than one, both sides, and from where they are measured."""

    def among(self, places: NDArray[np.intp]) -> _Pairs:
        """Return some of them, which compare rows."""
        assert self.rows is not None
        rows = RowPairs(self.rows.first[places], self.rows.second[places], self.rows.size)
        sides = self.left[places], self.right[places]
        return _Pairs(self.order, self.excess[places], *sides, rows, self.offsets[places])

    def at(self, table: Numbers, arithmetic: Arithmetic) -> PairTangents:
        if self.rows is None:
            above, below = self.left @ table, self.right @ table
        else:
            above, below = table[self.rows.first], table[self.rows.second]
        # Nothing on the left now or later: the term is and stays zero. For an order below one the other side may fail.
        absent, alone = above == 0, (above != 0) & (below == 0)
        if (alone & (self.excess >= 0)).any():
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
            excess, order = self.excess, self.excess + one
            growth = np.where(alone, -one, arithmetic.growth(ratio, offsets, excess, self.order - 1))
            value, by_left = above * growth / excess, order * growth / excess + one
            by_right, factor = -(growth + one) * ratio, order * (growth + one) / above
        by_left, by_right, factor, value = (np.where(absent, zero, a) for a in (by_left, by_right, factor, value))
        return PairTangents(self.left, self.right, self.rows, value.sum(axis=1), ratio, by_left, by_right, factor)


@dataclass(frozen=True)
class _Norms:
    """Weighted norms of the columns, or of forms of them, less their weighted sums, over the rate: 1 - 1/order."""

    order: Rational
    weights: Numbers
    forms: Numbers | None

    def at(self, table: Numbers, arithmetic: Arithmetic) -> Tangents:
        table = table if self.forms is None else self.forms @ table
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
            self.forms,
        )


def has_free_law(sums: Sequence[SumBound]) -> bool:
    """Return whether some sum is on the law of the output as a row of its own."""
    atoms = (atom for bound in sums for _, atom in bound.terms)
    return any(isinstance(atom, RelativeEntropy | Power) and atom.right is LAW for atom in atoms)


AllTangents = Sequence[Tangents | PairTangents]


class Curves:
    """The sums of some bounds as functions of a table: the mechanism's rows and, where it is free, the output law.

    They are measured, powers from the level of their bound where one is given. A law of the output that stands as `LAW`
    is the last row.
    """

    def __init__(
        self, sums: Sequence[SumBound], rows: int, arithmetic: Arithmetic, levels: Sequence[Real | None]
    ) -> None:
        self.arithmetic, self.rows = arithmetic, rows
        atoms: dict[object, Atom] = {}
        offsets: dict[object, Real] = {}
        places: list[tuple[int, object, Rational]] = []
        for i, (bound, level) in in_time(enumerate(zip(sums, levels, strict=True))):
            offset = Real.of(ZERO) if level is None else level * distance(bound)
            for weight, atom in bound.terms:
                key: object = (_key(atom), distance(bound), level)
                atoms.setdefault(key, atom)
                offsets.setdefault(key, offset)
                places.append((i, key, weight))
        grouped: dict[object, list[object]] = {}
        for key, atom in atoms.items():
            is_any = isinstance(atom, Power) and arithmetic.holds_orders
            grouped.setdefault(Power if is_any else _group(atom), []).append(key)
        self.groups = [
            self._stacked([atoms[key] for key in keys], [offsets[key] for key in keys]) for keys in grouped.values()
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
        """The two rows that each bound compares, where each is one atom of two rows that no other compares."""
        (group, *others) = self.groups
        if self.own is None or others or not isinstance(group, _Pairs) or group.rows is None or group.rows.is_repeated:
            return None
        return group.rows if (group.excess == group.excess[0]).all() else None

    def among(self, bounds: NDArray[np.intp]) -> Curves:
        """Return the same with some of the bounds alone, where each compares two rows."""
        (group,), fewer = self.groups, copy(self)
        assert isinstance(group, _Pairs)
        assert self.own is not None
        fewer.groups = [group.among(bounds)]
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
        bent: Numbers = np.sum([tangent.bend(own) for tangent, own in self._weighed(tangents, multipliers)], axis=0)
        return bent

    def pushed(self, tangents: AllTangents, multipliers: Numbers) -> Numbers:
        """Return the slopes of the weighted sum of the bounds, by row and output."""
        pushed: Numbers = np.sum([tangent.pushed(own) for tangent, own in self._weighed(tangents, multipliers)], axis=0)
        return pushed

    def _weighed(
        self, tangents: AllTangents, multipliers: Numbers
    ) -> Iterator[tuple[Tangents | PairTangents, Numbers]]:
        """Yield the atoms, group by group, with what multipliers of the bounds are for each."""
        ends = np.cumsum([len(tangent.values) for tangent in tangents])[:-1]
        return zip(tangents, np.split(self.weights(multipliers), ends), strict=True)

    def _stacked(self, atoms: Sequence[Atom], offsets: Sequence[Real]) -> _Pairs | _Norms:
        orders, norms = [_group(atom)[1] for atom in atoms], [atom for atom in atoms if isinstance(atom, Norm)]
        if norms:
            order = orders[0]
            if all(atom.forms is None for atom in norms):
                return _Norms(order, self._forms([atom.weights for atom in norms], self.rows), None)
            parts = {_items(atom.form(x)): atom.form(x) for atom in norms for x in atom.weights}
            places = {key: place for place, key in enumerate(parts)}
            shares = [{places[_items(atom.form(x))]: share for x, share in atom.weights.items()} for atom in norms]
            return _Norms(order, self._forms(shares, len(parts)), self._forms(list(parts.values()), self.rows))
        pairs = [atom for atom in atoms if isinstance(atom, RelativeEntropy | Power)]
        left, right = (self._forms([getattr(atom, side) for atom in pairs], self.rows) for side in ("left", "right"))
        excess = self.arithmetic.array([order - 1 for order in orders])[:, None]
        return _Pairs(orders[0], excess, left, right, RowPairs.of(left, right), self.arithmetic.array(offsets))

    def _forms(self, forms: Sequence[Form], width: int) -> Numbers:
        found = self.arithmetic.zeros(len(forms), width)
        for a, form in in_time(enumerate(forms)):
            if form is LAW:
                found[a, -1] = self.arithmetic.number(1)
            for x, share in form.items():
                found[a, x] = self.arithmetic.read(Real.of(share))
        return found


def _items(form: Form) -> tuple[tuple[int, Rational], ...]:
    return tuple(sorted(form.items()))


def _group(atom: Atom) -> tuple[type[Atom], Rational]:
    if isinstance(atom, RelativeEntropy):
        return RelativeEntropy, Rational(1)
    if isinstance(atom, Power | Norm):
        return type(atom), atom.order
    raise SolverFailure(f"{type(atom).__name__} is not smooth, so Newton's method does not apply.")


def _key(atom: Atom) -> object:
    forms = [atom.left, atom.right] if isinstance(atom, RelativeEntropy | Power) else []
    forms += [atom.weights, *map(atom.form, atom.weights)] if isinstance(atom, Norm) else []
    return _group(atom), tuple(map(_items, forms))
