"""Sums of divergences between forms of the columns, with their derivatives: the curved bounds of a program.

A Rényi divergence of order a bounds the sum of left ((left/right)^(a-1) - 1) by e^limit - 1, a relative entropy is
bounded by its limit. Both are divided by their bound: whatever the order, answers that do not depend on the input are
at zero and the bound is at one, so that orders near one are as well scaled as others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Beyond it an exponent is out of reach for floats, and the bound at its order far from being kept.
_STEEPEST = 600.0


@dataclass(frozen=True)
class Smooth:
    """A curved bound: divergences of left from right forms with weights, an order, and what they may be at most.

    `limit` is the bound itself at order one and its logarithm at others. `worst` is what the variable of the goal
    counts for, in units of the bound; if it `is_least`, that variable is the bound.
    """

    parts: tuple[tuple[float, int, int], ...]
    order: float
    limit: float
    worst: float = 0.0
    is_least: bool = False


class Divergences:
    """Curved bounds over the columns of a matrix: `forms` of its rows stand on both sides of them."""

    def __init__(self, bounds: Sequence[Smooth], forms: Floats) -> None:
        self.bounds, self.forms = tuple(bounds), forms
        listed = [(u, *part) for u, bound in enumerate(bounds) for part in bound.parts]
        owners, weights, left, right = zip(*listed, strict=True)
        self._owners, self._weights = np.array(owners), np.array(weights)[:, None]
        self._left, self._right = np.array(left), np.array(right)
        self._is_least = np.array([bound.is_least for bound in bounds])
        self._by_worst = np.array([bound.worst for bound in bounds])
        self.orders = np.array([bound.order for bound in bounds])
        self._order = self.orders[self._owners][:, None]
        limits = np.array([bound.limit for bound in bounds])
        allowed = np.where(self.orders == 1, limits, np.expm1(limits))
        self.units = np.where(self._is_least, np.where(self.orders < 1, -1.0, 1.0), allowed)
        """What sums are divided by: their bounds, or a sign where the bound is a variable."""

    def sides(self, matrix: Floats) -> tuple[Floats, Floats]:
        """Return the left and the right side of each part, by output."""
        columns = self.forms @ matrix
        return columns[self._left], columns[self._right]

    def values(self, matrix: Floats, worst: float) -> Floats:
        """Return by how much each bound is exceeded, in units of it."""
        left, _, logs, kept = self._read(matrix)
        order, orders = self._order, self.orders
        powers = np.where(order == 1, logs, np.expm1(np.minimum((order - 1) * logs, _STEEPEST)))
        sums = np.bincount(self._owners, (self._weights * np.where(kept, left * powers, 0.0)).sum(axis=1))
        above = np.where(self._is_least, worst - np.where(orders == 1, 0.0, np.where(orders < 1, -1.0, 1.0)), 1.0)
        found: Floats = sums / self.units - above - np.where(self._is_least, 0.0, self._by_worst * worst)
        return found

    def slopes(self, matrix: Floats) -> Floats:
        """Return how fast each bound grows with each entry of the matrix."""
        left, right, logs, kept = self._read(matrix)
        order = self._order
        powers = np.expm1(np.minimum((order - 1) * logs, _STEEPEST))
        by_left = np.where(order == 1, logs + 1, order * powers + (order - 1))
        by_right = np.where(order == 1, -1.0, 1 - order) * (powers + 1) * left / right
        found = np.zeros((len(self.bounds), *matrix.shape))
        scale = self._weights / self.units[self._owners][:, None]
        for forms, slope in ((self._left, by_left), (self._right, by_right)):
            parts = np.einsum("ai,am->aim", self.forms[forms], np.where(kept, slope * scale, 0.0))
            np.add.at(found, self._owners, parts)
        return found

    def by_worst(self) -> Floats:
        """Return how fast each bound grows with the variable of the goal."""
        return np.where(self._is_least, -1.0, -self._by_worst)

    def curvature(self, matrix: Floats, multipliers: Floats) -> Floats:
        """Return the second derivatives of the weighted sum of bounds, for each output by pairs of inputs."""
        left, right, logs, kept = self._read(matrix)
        order = self._order
        scale = self._weights * (multipliers / self.units)[self._owners][:, None]
        power = np.exp(np.minimum((order - 1) * logs, _STEEPEST)) * np.where(order == 1, 1.0, order * (order - 1))
        power = np.where(kept, power * scale, 0.0)
        size = len(self.forms)
        middle = np.zeros((matrix.shape[1], size, size))
        ones, both, others = power / left, -power / right, power * left / right**2
        for first, second, values in (
            (self._left, self._left, ones),
            (self._left, self._right, both),
            (self._right, self._left, both),
            (self._right, self._right, others),
        ):
            for y in range(matrix.shape[1]):
                middle[y] += np.bincount(first * size + second, values[:, y], size * size).reshape(size, size)
        found: Floats = self.forms.T @ middle @ self.forms
        return found

    def _read(self, matrix: Floats) -> tuple[Floats, Floats, Floats, NDArray[np.bool]]:
        """Return for each part its sides, the logarithm of their ratio, and where it counts."""
        left, right = self.sides(matrix)
        kept = (left > 0) & (right > 0)
        left, right = np.where(kept, left, 1.0), np.where(kept, right, 1.0)
        return left, right, np.log(left / right), kept
