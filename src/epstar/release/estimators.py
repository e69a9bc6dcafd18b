"""What each output adds to the estimates of the cells along one axis of a cross-tabulation.

A matrix is inverted as a whole. A mechanism that is a product off the diagonal is inverted category by category: with
r(y) = b T + c p(y), where c = d - ab and T is the mean of a,

    p(y) = r(y) / c - (b / c) T    and    T = (sum of a r / c) / (1 + sum of a b / c).

Categories with c = 0 are suppressed: no output tells of them, and each of the others can be told only together with a
share of theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import BlockDesign
from epstar.notions.measure.rank_one import Kind, RankOne
from epstar.release.interval import counted_intervals, interval_of, normal_intervals
from epstar.release.inverse import Inverse

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Intervals:
    """Estimates and the ends of their intervals, one for each of some frequencies."""

    frequency: Floats
    lower: Floats
    upper: Floats
    kind: Literal["exact", "normal"]


@dataclass(frozen=True)
class Told:
    """A sum that can be estimated: weights of some inputs, and one that all suppressed inputs share."""

    weights: dict[int, float]
    suppressed: float


class Estimators(ABC):
    """One unbiased estimator for each cell of an axis; `cell_of` names the cell of each input."""

    cell_of: NDArray[np.intp]
    cells: int

    @property
    @abstractmethod
    def estimable(self) -> NDArray[np.bool_]:
        """Whether the outputs can tell each cell."""

    @abstractmethod
    def means(self, counts: Floats) -> Floats:
        """Return the sums of what outputs add to each cell; the first axis is the one of outputs, and of cells."""

    @abstractmethod
    def squares(self, counts: Floats) -> Floats:
        """Return the sums of the squares of what outputs add to each cell."""

    @abstractmethod
    def added(self, gradient: Floats) -> Floats:
        """Return what each output adds to sums of cells with these factors; the first axis is that of cells."""

    @property
    @abstractmethod
    def largest(self) -> Floats:
        """The most that one output can add to each cell, or take from it; never less than that."""

    @abstractmethod
    def intervals(self, counts: Floats, confidence: float) -> Intervals:
        """Return the estimates of all cells from the counts of outputs of this axis alone."""

    @abstractmethod
    def told(self, counts: Floats, confidence: float) -> Iterator[tuple[Told, tuple[float, float, float]]]:
        """Yield the sums that can be told although their parts cannot, with estimate and ends; none if all can."""


@dataclass(frozen=True, eq=False)
class MatrixEstimators(Estimators):
    """The estimators of a mechanism whose matrix is written out."""

    inverse: Inverse
    cell_of: NDArray[np.intp]
    cells: int

    @cached_property
    def weights(self) -> Floats:
        """The inputs of each cell, as a matrix of zeros and ones."""
        weights = np.zeros((self.cells, len(self.cell_of)))
        weights[self.cell_of, np.arange(len(self.cell_of))] = 1
        return weights

    @cached_property
    def _matrix(self) -> Floats:
        return np.array([self.inverse.estimator(row) for row in self.weights])

    @cached_property
    def estimable(self) -> NDArray[np.bool_]:
        return np.array([self.inverse.can_estimate(row) for row in self.weights])

    def means(self, counts: Floats) -> Floats:
        return np.tensordot(self._matrix, counts, axes=(1, 0))

    def squares(self, counts: Floats) -> Floats:
        return np.tensordot(self._matrix**2, counts, axes=(1, 0))

    def added(self, gradient: Floats) -> Floats:
        return np.tensordot(self._matrix, gradient, axes=(0, 0))

    @property
    def largest(self) -> Floats:
        largest: Floats = np.abs(self._matrix).max(axis=1)
        return largest

    def intervals(self, counts: Floats, confidence: float) -> Intervals:
        found = [interval_of(row, counts, confidence) for row in self._matrix]
        ends = np.array([(item.frequency, item.lower, item.upper) for item in found]).reshape(-1, 3)
        kind: Literal["exact", "normal"] = "exact" if all(item.kind == "exact" for item in found) else "normal"
        return Intervals(ends[:, 0], ends[:, 1], ends[:, 2], kind)

    def told(self, counts: Floats, confidence: float) -> Iterator[tuple[Told, tuple[float, float, float]]]:
        if self.inverse.is_complete:
            return
        for weights in self.inverse.combinations:
            # The sum lies between its least and its largest weight, as a frequency does between 0 and 1.
            least, range_ = min(weights), max(weights) - min(weights)
            shift, scale = (0.0, 1.0) if range_ == 0 else (least, range_)
            found = interval_of((self.inverse.estimator(weights) - shift) / scale, counts, confidence)
            ends = (shift + scale * part for part in (found.frequency, found.lower, found.upper))
            used = {x: weight for x, weight in enumerate(weights) if weight != 0}
            yield Told(used, 0.0), (next(ends), next(ends), next(ends))


@dataclass(frozen=True, eq=False)
class LetterEstimators(Estimators):
    """The estimators of a mechanism that is a product off the diagonal: a few numbers for each category."""

    rank_one: RankOne
    cell_of: NDArray[np.intp]
    cells: int

    @cached_property
    def _visible(self) -> list[Kind]:
        return [kind for kind in self.rank_one.kinds if kind.excess > 0]

    @cached_property
    def _is_visible(self) -> NDArray[np.bool_]:
        return self._own > 0

    @cached_property
    def _own(self) -> Floats:
        """1 / c of each category, zero for suppressed ones."""
        return self._expanded([1 / kind.excess for kind in self._visible])

    @cached_property
    def _base(self) -> Floats:
        """b / c of each category, zero for suppressed ones."""
        return self._expanded([kind.output / kind.excess for kind in self._visible])

    @cached_property
    def _common(self) -> Floats:
        """What an output of each category adds to the estimate of T."""
        total = 1 + sum(kind.count * kind.input * kind.output / kind.excess for kind in self._visible)
        return self._expanded([kind.input / kind.excess / total for kind in self._visible])

    def _expanded(self, values: list[Rational]) -> Floats:
        result = np.zeros(self.rank_one.size)
        for kind, value in zip(self._visible, nearest_floats(values).tolist(), strict=True):
            result[kind.members] = value
        return result

    def _gathered(self, values: Floats) -> Floats:
        """The sums over the categories of each cell; categories are the first axis."""
        if self.cells == len(self.cell_of) and (self.cell_of == np.arange(self.cells)).all():
            return values
        gathered = np.zeros((self.cells, *values.shape[1:]))
        np.add.at(gathered, self.cell_of, values)
        return gathered

    @cached_property
    def _base_of_cells(self) -> Floats:
        return self._gathered(self._base)

    @cached_property
    def estimable(self) -> NDArray[np.bool_]:
        return np.full(self.cells, self._is_visible.all())

    def means(self, counts: Floats) -> Floats:
        own, common = _along_first(self._own, counts), np.tensordot(self._common, counts, axes=(0, 0))
        return self._gathered(own * counts) - np.multiply.outer(self._base_of_cells, common)

    def squares(self, counts: Floats) -> Floats:
        base = self._base_of_cells
        single = self._gathered(_along_first(self._own**2, counts) * counts)
        mixed = self._gathered(_along_first(self._own * self._common, counts) * counts)
        common = np.tensordot(self._common**2, counts, axes=(0, 0))
        return single - 2 * _along_first(base, mixed) * mixed + np.multiply.outer(base**2, common)

    def added(self, gradient: Floats) -> Floats:
        base = np.tensordot(self._base_of_cells, gradient, axes=(0, 0))
        return _along_first(self._own, gradient) * gradient[self.cell_of] - np.multiply.outer(self._common, base)

    @property
    def largest(self) -> Floats:
        own = np.zeros(self.cells)
        np.maximum.at(own, self.cell_of, self._own)
        largest: Floats = np.maximum(own, self._base_of_cells * self._common.max(initial=0.0))
        return largest

    def intervals(self, counts: Floats, confidence: float) -> Intervals:
        rows = float(counts.sum())
        frequency = self.means(counts) / rows
        if len(self._visible) > 1:
            lower, upper = normal_intervals(frequency, self.squares(counts) / rows, self.largest, rows, confidence)
            return Intervals(frequency, lower, upper, "normal")
        # One kind of visible letters: an output adds one number to its own cell and another to all others.
        below = -self._base_of_cells * self._common.max(initial=0.0)
        held, above = self._gathered(counts).astype(np.int64), float(self._own.max(initial=0.0))
        lower, upper = counted_intervals(held, int(rows), below, above, confidence)
        return Intervals(frequency, lower, upper, "exact")

    def told(self, counts: Floats, confidence: float) -> Iterator[tuple[Told, tuple[float, float, float]]]:
        hidden = [kind for kind in self.rank_one.kinds if kind.excess == 0]
        if not hidden:
            return
        single = LetterEstimators(self.rank_one, np.arange(self.rank_one.size), self.rank_one.size)
        found = single.intervals(counts, confidence)
        # Suppressed letters keep nothing for themselves and have one a: that of the even answer.
        total = 1 + sum(kind.count * kind.input * kind.output / kind.excess for kind in self._visible)
        given = float(nearest_floats([hidden[0].input / total])[0])
        for y in np.flatnonzero(self._is_visible).tolist():
            ends = float(found.frequency[y]), float(found.lower[y]), float(found.upper[y])
            yield Told({y: 1.0}, given * float(self._base[y])), ends


def _along_first(values: Floats, table: Floats) -> Floats:
    """The values, shaped so that they multiply along the first axis of a table."""
    return values.reshape(-1, *(1,) * (table.ndim - 1))


@dataclass(frozen=True, eq=False)
class BlockEstimators(Estimators):
    """The estimators of a block design: how many answers hold each category, counted along lines of a table.

    The answers of slope a are in a row of p numbers. Those that hold x are k neighbours in it, from -a x on, so that
    sums of k neighbours are made once for all categories, in p^2 steps and never in m p^2.
    """

    design: BlockDesign
    cell_of: NDArray[np.intp]
    cells: int

    @property
    def estimable(self) -> NDArray[np.bool_]:
        return np.full(self.cells, self.design.ratio > 1)

    @cached_property
    def _values(self) -> tuple[float, float]:
        """What an answer adds to a category that it does not hold, and to one that it holds."""
        own, other = self.design.inclusion, self.design.elsewhere
        if own == other:
            return 0.0, 0.0
        low, high = nearest_floats([-other / (own - other), (1 - other) / (own - other)]).tolist()
        return float(low), float(high)

    def held(self, counts: Floats) -> Floats:
        """Return how many of the answers hold each category; the first axis is the one of answers."""
        prime, chosen = self.design.prime, self.design.chosen
        rest = counts.shape[1:]
        rows = counts.reshape(prime - 1, prime, -1)
        # Sums of k neighbours, round the end of a row.
        sums = np.cumsum(np.concatenate([np.zeros_like(rows[:, :1]), rows, rows[:, :chosen]], axis=1), axis=1)
        windows = sums[:, chosen : chosen + prime] - sums[:, :prime]
        slopes = np.arange(1, prime)
        found = np.empty((self.cells, windows.shape[2]))
        for x in range(self.cells):
            found[x] = windows[slopes - 1, (-slopes * x) % prime].sum(axis=0)
        return found.reshape(self.cells, *rest)

    def means(self, counts: Floats) -> Floats:
        low, high = self._values
        return np.asarray(low * counts.sum(axis=0) + (high - low) * self.held(counts))

    def squares(self, counts: Floats) -> Floats:
        low, high = self._values
        return np.asarray(low**2 * counts.sum(axis=0) + (high**2 - low**2) * self.held(counts))

    def added(self, gradient: Floats) -> Floats:
        low, high = self._values
        prime, chosen = self.design.prime, self.design.chosen
        slopes = np.arange(1, prime)
        factors = gradient.reshape(self.cells, -1)
        # Where windows of k neighbours begin that a category is in, and from there the sums of what they hold.
        begins = np.zeros((prime - 1, prime, factors.shape[1]))
        for x in range(self.cells):
            begins[slopes - 1, (-slopes * x) % prime] += factors[x]
        sums = np.cumsum(np.concatenate([begins[:, prime - chosen :], begins], axis=1), axis=1)
        before = np.concatenate([np.zeros_like(sums[:, :1]), sums], axis=1)
        inside = before[:, chosen + 1 :] - before[:, 1 : prime + 1]
        held = inside.reshape((prime - 1) * prime, *gradient.shape[1:])
        return np.asarray(low * gradient.sum(axis=0) + (high - low) * held)

    @property
    def largest(self) -> Floats:
        return np.full(self.cells, max(map(abs, self._values)))

    def intervals(self, counts: Floats, confidence: float) -> Intervals:
        low, high = self._values
        rows = float(counts.sum())
        held = np.rint(self.held(counts)).astype(np.int64)
        lower, upper = counted_intervals(held, int(rows), np.full(self.cells, low), high - low, confidence)
        return Intervals(self.means(counts) / rows, lower, upper, "exact")

    def told(self, counts: Floats, confidence: float) -> Iterator[tuple[Told, tuple[float, float, float]]]:
        del counts, confidence  # every frequency can be told, or none
        return iter(())
