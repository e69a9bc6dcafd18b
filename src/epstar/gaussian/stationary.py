"""Newton's method for the conditions of the best law on spheres: all at one level, and no slope at the inner ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.gaussian.output import Floats, Output

_MOST_STEPS = 30
# By how much a step may change a level, or divide a weight, in logarithms.
_LONGEST = 2.0


@dataclass(frozen=True)
class Conditions:
    """How far a law on spheres is from optimal: unequal levels, and slopes at the inner spheres."""

    output: Output
    radii: Floats
    logs: Floats

    @cached_property
    def inner(self) -> NDArray[np.intp]:
        return np.flatnonzero((self.radii > 0) & (self.radii < self.radii[-1]))

    @cached_property
    def log_ratios(self) -> Floats:
        return self.output.log_ratio(self.radii)

    @cached_property
    def log_density(self) -> Floats:
        return self.output.log_density(self.log_ratios, self.logs)

    @cached_property
    def derivatives(self) -> tuple[Floats, Floats]:
        return self.output.slopes(self.radii)

    @cached_property
    def _levels_and_tilted(self) -> tuple[Floats, Floats]:
        return self.output.levels(self.output.log_noise + self.log_ratios, self.log_density)

    @cached_property
    def levels(self) -> Floats:
        return self._levels_and_tilted[0]

    @cached_property
    def information(self) -> float:
        return self.output.information(self.logs, self.levels)

    @cached_property
    def slopes(self) -> Floats:
        """The derivatives of K at the inner spheres."""
        return self._growth_of_level(self.derivatives[0])[self.inner]

    def _growth_of_level(self, derivative: Floats) -> Floats:
        """How K grows with the masses, given a derivative of the masses as a multiple of them."""
        tilted = self._levels_and_tilted[1]
        if self.output.order == 1:
            return np.asarray(-(tilted * derivative) @ self.log_density)
        return np.asarray((tilted * derivative).sum(axis=1)) / self.output.power

    @cached_property
    def residual(self) -> float:
        return max(float(np.abs(self.levels - self.information).max()), float(np.abs(self.slopes).max(initial=0.0)))

    @cached_property
    def posterior(self) -> Floats:
        """The probability of each sphere given the output."""
        return np.exp(self.logs[:, None] + self.log_ratios - self.log_density - self.output.places**2 / 2)

    def newton(self) -> tuple[Floats, Floats]:
        """The changes of the logarithmic weights and of the inner radii that would solve the linearised conditions."""
        first, second = self.derivatives
        tilted = self._levels_and_tilted[1]
        inner, count, moving = self.inner, len(self.radii), len(self.inner)
        # How the density grows, relative to itself, with the logarithmic weights and with the inner radii.
        changes = np.vstack([self.posterior, (self.posterior * first)[inner]])
        means = tilted @ changes.T
        slope_means = (tilted * first).sum(axis=1)[inner]
        crossed = (tilted * first)[inner] @ changes.T - slope_means[:, None] * means[inner]
        system = np.zeros((count + moving + 1, count + moving + 1))
        system[:count, :-1] = -means
        system[inner, count + np.arange(moving)] += self.slopes
        system[:count, -1] = -1.0
        system[count:-1, :-1] = -crossed
        bends = self._growth_of_level(second)[inner] - self.output.power * self.slopes**2
        system[count:-1, count:-1] += np.diag(bends)
        system[-1, :count] = np.exp(self.logs)
        sides = -np.concatenate([self.levels, self.slopes, [0.0]])
        step = np.linalg.lstsq(system, sides, rcond=1e-15)[0]
        return step[:count], step[count:-1]

    def moved(self, change: Floats, moves: Floats) -> Conditions:
        """The law after a step, which is shortened where it is too long.

        Where a sphere gives a share s of the density at its own outputs, a factor e^u on its weight changes the level
        there by about log(1 + s (e^u - 1)), which the linearised conditions take for s times their step: u is what
        makes the two equal. So a sphere that rules its outputs moves in its logarithm and one that hardly counts in its
        weight, which may have to grow a thousandfold at once.
        """
        share = np.einsum("ks,ks->k", self._levels_and_tilted[1], self.posterior)
        growth = np.expm1(np.clip(share * change, -_LONGEST, _LONGEST)) / share
        logs = self.logs + np.log(np.maximum(1 + growth, math.exp(-_LONGEST)))
        radii = self.radii.copy()
        radii[self.inner] += moves * _room(self.radii, moves, self.inner)
        return Conditions(self.output, radii, logs - np.logaddexp.reduce(logs))


def stationary(output: Output, radii: Floats, logs: Floats) -> Conditions:
    """Solve the optimality conditions near a law by Newton's method, which may first lead away from the solution."""
    now = best = Conditions(output, radii, logs - np.logaddexp.reduce(logs))
    for _ in range(_MOST_STEPS):
        if not 1e-14 * max(1.0, now.information) < now.residual < 1e3:
            break
        now = now.moved(*now.newton())
        best = now if now.residual < best.residual else best
    return best


def _room(radii: Floats, moves: Floats, inner: NDArray[np.intp]) -> float:
    """How much of a step keeps the radii in order."""
    shift = np.zeros_like(radii)
    shift[inner] = moves
    gaps, changes = np.diff(np.concatenate([[0.0], radii])), np.diff(np.concatenate([[0.0], shift]))
    closing = changes < 0
    return min(1.0, float((-0.4 * gaps[closing] / changes[closing]).min())) if closing.any() else 1.0
