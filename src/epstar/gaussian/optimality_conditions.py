"""Optimality conditions (Karush–Kuhn–Tucker) of the capacity-achieving input on spheres, solved by Newton's method.

A distribution on spheres gives the output the density p(s) = r(s) exp(-s^2 / 2) up to constants; see `Spheres`. An
input at distance rho is at the level

    K(rho) = log(E p^(b - 1) at |rho e + N|) / (1 - b) + constant,   b = 1 / order,

which for order 1 is its divergence from the output, -E log p + constant. Sibson's information of the distribution is
log(E exp((1 - b) K)) / (1 - b), and no distribution has more than b max K + (1 - b) times that. Nothing here is proof.

The conditions: all spheres in use are at one level, and the level has no slope at the inner ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# Panels of Gauss-Legendre nodes: the integrands are smooth on the scale of the noise, which is one panel.
_NODES = 20


@dataclass(frozen=True)
class Output:
    """The nodes of a quadrature over the distance of the output from the centre, for noise of variance one."""

    dimension: int
    order: float
    places: Floats
    weights: Floats

    @classmethod
    def of(cls, dimension: int, radius: float, order: float) -> Output:
        """Return nodes that reach as far as the noise does from a ball, for powers of the density of this order."""
        spread = math.sqrt(max(1.0, order))
        low = max(0.0, math.sqrt(dimension) - 12.0)
        high = math.sqrt(dimension + radius * radius) + 12.0
        if spread > 1:  # powers of the density are wider than the density, and centred further out
            high = radius + spread * (math.sqrt(dimension) + 12.0)
        panels = math.ceil(high - low)
        width = (high - low) / panels
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        starts = low + width * np.arange(panels)
        places = starts[:, None] + (nodes + 1) * width / 2
        return cls(dimension, order, places.ravel(), np.tile(weights * width / 2, panels))

    @property
    def power(self) -> float:
        """1 - b, the power of the density with its sign turned."""
        return 1 - 1 / self.order

    def log_ratio(self, radii: Floats) -> Floats:
        """log of exp(-rho^2 / 2) F(rho s), one row for each radius."""
        return -(radii[:, None] ** 2) / 2 + _log_kernel(radii[:, None] * self.places, self.dimension / 2)

    def slopes(self, radii: Floats) -> tuple[Floats, Floats]:
        """The first two derivatives in rho of exp(-rho^2 / 2) F(rho s), as multiples of it."""
        t = radii[:, None] * self.places
        growth = _growth(t, self.dimension / 2)
        # F'' / F is 1 - (d - 1) F' / (t F), and 1/d at zero.
        with np.errstate(divide="ignore", invalid="ignore"):
            bend = np.where(t > 0, 1 - (self.dimension - 1) * growth / t, 1 / self.dimension)
        first = self.places * growth - radii[:, None]
        second = self.places**2 * (bend - growth**2) + first**2 - 1
        return first, second

    @cached_property
    def log_noise(self) -> Floats:
        """The logarithm of the probability of each node when there is noise alone."""
        half = self.dimension / 2
        constant = (1 - half) * math.log(2) - math.lgamma(half)
        logs = constant + (self.dimension - 1) * np.log(self.places) - self.places**2 / 2
        return np.asarray(logs + np.log(self.weights))

    def log_masses(self, radii: Floats) -> Floats:
        """The logarithm of the probability of each node given a radius."""
        return np.asarray(self.log_noise + self.log_ratio(radii))

    def log_density(self, log_ratios: Floats, logs: Floats) -> Floats:
        """log p of a distribution on spheres, given the rows of its spheres and the logarithms of their weights."""
        terms = logs[:, None] + log_ratios
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)) - self.places**2 / 2)

    def levels(self, log_masses: Floats, log_density: Floats) -> tuple[Floats, Floats]:
        """K at some radii, and the distribution of the node under which K changes: the masses, tilted by the power."""
        if self.order == 1:
            masses = np.exp(log_masses)
            return np.asarray(-masses @ log_density - self.dimension / 2), masses
        terms = log_masses - self.power * log_density
        top = terms.max(axis=1, keepdims=True)
        tilted = np.exp(terms - top)
        total = tilted.sum(axis=1, keepdims=True)
        constant = self.dimension / 2 * math.log(self.order)
        return np.asarray((top + np.log(total))[:, 0] - constant) / self.power, tilted / total

    def information(self, logs: Floats, levels: Floats) -> float:
        """Sibson's information of a distribution whose spheres are at these levels."""
        if self.order == 1:
            return float(np.exp(logs) @ levels)
        return float(np.logaddexp.reduce(logs + self.power * levels)) / self.power


def _log_kernel(t: Floats, half: float) -> Floats:
    """log F(t) = log 0F1(; half; t^2 / 4)."""
    if half == 0.5:
        return np.asarray(np.logaddexp(t, -t) - math.log(2))
    from scipy import special

    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        order = half - 1
        scaled = math.lgamma(half) - order * np.log(t / 2) + np.log(special.ive(order, t)) + t
        small = (t <= 30) | ~np.isfinite(scaled)
        scaled[small] = np.log(special.hyp0f1(half, t[small] ** 2 / 4))
    return np.asarray(scaled)


def _growth(t: Floats, half: float) -> Floats:
    """F'(t) / F(t), a ratio of Bessel functions, by its continued fraction from far out."""
    depth = 30 + math.ceil(6 * math.sqrt(float(t.max(initial=0.0))))
    order = half + depth - 0.5
    ratio: Floats = t / (order + np.sqrt(t * t + order * order))
    for k in reversed(range(depth)):
        ratio = t / (2 * (half + k) + t * ratio)
    return ratio


_MOST_NEWTON_STEPS = 30
# By how much a step may change a level, or divide a weight, in logarithms.
_LONGEST = 2.0


@dataclass(frozen=True)
class Conditions:
    """How far a distribution on spheres is from optimal: unequal levels, and slopes at the inner spheres."""

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
        """The distribution after a step, which is shortened where it is too long.

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
    for _ in range(_MOST_NEWTON_STEPS):
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
