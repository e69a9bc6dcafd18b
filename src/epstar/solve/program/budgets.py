"""What the weights of `power_cones` may add up to: for each pair by itself, or for many pairs together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]


class Eliminated(Protocol):
    """The second derivatives by the weights: diagonal, and the square of a form r for each budget."""

    def solved(self, weights: Floats) -> Floats:
        """Return the moves that forces on the weights lead to."""

    def add_squares(self, blocks: Floats, coupling: Floats, first: Places, second: Places, right: float) -> None:
        """Add to the derivatives by the entries what the forms leave there."""


class Budgets(Protocol):
    """Which sums of weights are at most one."""

    count: int

    def used(self, sums: Floats) -> Floats:
        """Return what pairs whose weights add up to these sums use of each budget."""

    def spread(self, values: Floats) -> Floats:
        """Return what one per unit of each budget is for each pair."""

    def eliminated(self, weights: Floats, spare: Floats, own: Floats) -> Eliminated:
        """Return the system of the weights, of which this much is spare."""


@dataclass(frozen=True)
class OwnBudgets:
    """One budget for each pair."""

    count: int

    def used(self, sums: Floats) -> Floats:
        return sums

    def spread(self, values: Floats) -> Floats:
        return values

    def eliminated(self, weights: Floats, spare: Floats, own: Floats) -> Eliminated:
        return _Own(weights / spare[:, None] / own, weights / spare[:, None], own)


class _Own:
    def __init__(self, moved: Floats, forms: Floats, own: Floats) -> None:
        self.moved, self.own = moved, own
        self.total = 1.0 + (forms * moved).sum(axis=1)

    def solved(self, weights: Floats) -> Floats:
        common = (self.moved * weights).sum(axis=1) / self.total
        solved: Floats = weights / self.own - self.moved * common[:, None]
        return solved

    def add_squares(self, blocks: Floats, coupling: Floats, first: Places, second: Places, right: float) -> None:
        slope = coupling * self.moved / np.sqrt(self.total)[:, None]
        mixed = -right * slope[:, :, None] * slope[:, None, :]
        lower, upper = first > second, first < second
        blocks[first[lower], :, second[lower], :] += mixed[lower]
        blocks[second[upper], :, first[upper], :] += mixed[upper]
        for x in range(len(blocks)):
            given, taken = slope[first == x], slope[second == x]
            blocks[x, :, x, :] += given.T @ given + right**2 * taken.T @ taken


class SharedBudgets:
    """Budgets of which each pair takes its share, one row of shares for each budget."""

    def __init__(self, shares: Floats) -> None:
        self.shares, self.count = shares, len(shares)

    def used(self, sums: Floats) -> Floats:
        return np.asarray(self.shares @ sums)

    def spread(self, values: Floats) -> Floats:
        return np.asarray(values @ self.shares)

    def eliminated(self, weights: Floats, spare: Floats, own: Floats) -> Eliminated:
        return _Shared((self.shares / spare[:, None])[:, :, None] * weights, own)


class _Shared:
    def __init__(self, forms: Floats, own: Floats) -> None:
        self.own, self.moved = own, forms / own
        flat = forms.reshape(len(forms), -1)
        total = np.eye(len(forms)) + flat @ self.moved.reshape(len(forms), -1).T
        self.factor = np.linalg.cholesky(total)

    def solved(self, weights: Floats) -> Floats:
        sides = np.tensordot(self.moved, weights, axes=2)
        common = np.linalg.solve(self.factor.T, np.linalg.solve(self.factor, sides))
        solved: Floats = weights / self.own - np.tensordot(common, self.moved, axes=1)
        return solved

    def add_squares(self, blocks: Floats, coupling: Floats, first: Places, second: Places, right: float) -> None:
        inputs, outputs = blocks.shape[:2]
        count, steps = len(self.moved), np.swapaxes(self.moved * coupling, 0, 1)
        slopes = np.zeros((inputs, count, outputs))
        np.subtract.at(slopes, first, steps)
        np.add.at(slopes, second, right * steps)
        forms = np.linalg.solve(self.factor, np.swapaxes(slopes, 0, 1).reshape(count, -1))
        blocks += (forms.T @ forms).reshape(blocks.shape)
