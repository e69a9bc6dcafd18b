"""The best law of an input in a ball, found in floats: which spheres it uses, and with what weights.

Nothing here is proof: whatever spheres come out, `Spheres` bounds the capacity from both sides with them.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.notions.concave import Concave, best_weights

Floats = NDArray[np.float64]

# Panels of Gauss-Legendre nodes: the integrands are smooth on the scale of the noise, which is one panel.
_NODES = 20
# One sphere is the best law up to radius 1; from there the radius grows by steps of at most this.
_STEP = 0.5
_SHORTEST_STEP = 0.004
_TOLERANCE = 1e-12
_MOST_BIRTHS = 3
_NEWTON_STEPS = 30


@dataclass(frozen=True)
class ActiveSet:
    """Radii and weights of the spheres, in increasing order, and the information in nats.

    Weights may be tiny and still matter: without them the divergence at their radius would be the largest.
    """

    radii: Floats
    weights: Floats
    information: float


@dataclass(frozen=True)
class _Grid:
    """Where the distance of the output from the centre is integrated, in floats."""

    dimension: int
    places: Floats
    weights: Floats

    @classmethod
    def of(cls, dimension: int, radius: float) -> _Grid:
        low = max(0.0, math.sqrt(dimension) - 12.0)
        high = math.sqrt(dimension + radius * radius) + 12.0
        panels = math.ceil(high - low)
        width = (high - low) / panels
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        starts = low + width * np.arange(panels)
        places = starts[:, None] + (nodes + 1) * width / 2
        return cls(dimension, places.ravel(), np.tile(weights * width / 2, panels))

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

    def masses(self, radii: Floats) -> Floats:
        """The probability of each node given a radius; rows sum to 1 up to the error of the quadrature."""
        return np.asarray(np.exp(self.log_noise + self.log_ratio(radii)))

    def log_output(self, radii: Floats, logs: Floats) -> Floats:
        """log r of a law on spheres, given the logarithms of its weights."""
        terms = logs[:, None] + self.log_ratio(radii)
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)))


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


@dataclass(frozen=True)
class _Law:
    """A law on spheres with logarithmic weights: its information, and by how much K exceeds it somewhere."""

    radii: Floats
    logs: Floats
    information: float
    excess: float
    is_stationary: bool


def best_spheres(dimension: int, radius: float, deadline: float = math.inf) -> ActiveSet:
    """Return the spheres of the capacity-achieving law in a ball, in noise of variance one, as well as it was found.

    After the deadline, in seconds of `time.monotonic`, nothing better is sought.
    """
    search = _Search.of(dimension, radius)
    law = search.solved(np.array([radius]), np.array([0.0]))
    if law.excess > _TOLERANCE and radius > 1:
        law = search.grown(radius, deadline)
        if time.monotonic() < deadline and law.excess > _TOLERANCE * max(1.0, law.information):
            law = min(law, search.from_peaks(), key=lambda found: found.excess)
    return ActiveSet(law.radii, np.exp(law.logs), law.information)


@dataclass(frozen=True)
class _Search:
    """The tables that the search for one ball needs: radii close together, and the law of the output for each."""

    grid: _Grid
    fine: Floats
    masses: Floats

    @classmethod
    def of(cls, dimension: int, radius: float) -> _Search:
        grid = _Grid.of(dimension, radius)
        fine = np.linspace(0.0, radius, max(101, int(40 * radius) + 1))
        return cls(grid, fine, grid.masses(fine))

    def grown(self, radius: float, deadline: float) -> _Law:
        """Return the law that is reached by letting the radius grow from 1, where one sphere is the best law.

        At each step Newton's method moves the spheres until each is a stationary point of the divergence and all have
        the same one; where the divergence is larger, a sphere is born.
        """
        size, step = 1.0, _STEP
        law = self.solved(np.array([size]), np.array([0.0]))
        while size < radius:
            target = min(radius, size + step)
            trial = self.settled(law.radii * (target / size), law.logs)
            if trial.excess <= _TOLERANCE * max(1.0, trial.information) and time.monotonic() < deadline:
                law, size, step = trial, target, min(_STEP, step * 1.5)
            elif step > _SHORTEST_STEP and time.monotonic() < deadline:
                step /= 2
            else:  # what there is: the bounds will say how good it is
                return self.settled(law.radii * (radius / size), law.logs)
        return law

    def from_peaks(self) -> _Law:
        """Return the law that is found from the peaks of the divergence of the best law on a grid."""
        coarse = self.fine[::-4][::-1]
        values = self._curve(coarse, self._weights(coarse))
        padded = np.concatenate([[-np.inf], values, [-np.inf]])
        tops = (padded[1:-1] >= padded[:-2]) & (padded[1:-1] > padded[2:])
        tops[-1] = True
        radii = self.fine[tops]
        logs = self._weights(radii)
        kept = logs > -27
        return self.settled(radii[kept], logs[kept])

    def settled(self, radii: Floats, logs: Floats) -> _Law:
        """Return the best law near a given one, with spheres added where the divergence is above the information."""
        law = self.solved(radii, logs)
        for _ in range(_MOST_BIRTHS):
            if not law.is_stationary or law.excess <= _TOLERANCE * max(1.0, law.information):
                break
            law = self.solved(*self._with_birth(law))
        return law

    def solved(self, radii: Floats, logs: Floats) -> _Law:
        """Return the stationary law near a given one."""
        found = _stationary(self.grid, radii, logs)
        top = max(float(found.values.max()), float(self._curve(found.radii, found.logs).max()))
        is_stationary = found.residual <= 1e-9 * max(1.0, found.level)
        return _Law(found.radii, found.logs, found.level, top - found.level, is_stationary)

    def _curve(self, radii: Floats, logs: Floats) -> Floats:
        inside = self.fine <= radii[-1]
        values: Floats = (self.fine**2 / 2 - self.masses @ self.grid.log_output(radii, logs))[inside]
        return values

    def _with_birth(self, law: _Law) -> tuple[Floats, Floats]:
        """The law with a light sphere where its divergence is largest; one that stood at zero moves there."""
        place = float(self.fine[int(self._curve(law.radii, law.logs).argmax())])
        moves = law.radii[0] == 0.0 and 0 < place < law.radii[1] / 2
        radii, logs = (law.radii[1:], law.logs[1:]) if moves else (law.radii, law.logs)
        here = np.array([place])
        # A sphere whose divergence from its own output is k needs a weight of about exp(k - level) to count.
        own = place**2 / 2 - float((self.grid.masses(here) @ self.grid.log_ratio(here)[0])[0])
        weight = float(law.logs[0]) if moves else min(own - law.information, -3.0)
        radii, logs = np.append(radii, place), np.append(logs, weight)
        order = np.argsort(radii)
        return radii[order], logs[order]

    def _weights(self, radii: Floats) -> Floats:
        """Logarithms of the best weights on given spheres: the information is a linear term and an entropy."""
        masses = self.grid.masses(radii)
        linear = radii**2 / 2 + masses @ self.grid.log_noise
        reached = masses[:, masses.max(axis=0) > 1e-100]  # other nodes would only overflow
        weights = best_weights(Concave(reached, linear, lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u))
        return np.log(np.maximum(weights, 1e-40))


@dataclass(frozen=True)
class _Conditions:
    """How far a law on spheres is from optimal: unequal divergences, and slopes at the inner spheres."""

    grid: _Grid
    radii: Floats
    logs: Floats

    @cached_property
    def inner(self) -> NDArray[np.intp]:
        return np.flatnonzero((self.radii > 0) & (self.radii < self.radii[-1]))

    @cached_property
    def masses(self) -> Floats:
        return self.grid.masses(self.radii)

    @cached_property
    def log_r(self) -> Floats:
        return self.grid.log_output(self.radii, self.logs)

    @cached_property
    def derivatives(self) -> tuple[Floats, Floats]:
        return self.grid.slopes(self.radii)

    @cached_property
    def values(self) -> Floats:
        return np.asarray(self.radii**2 / 2 - self.masses @ self.log_r)

    @cached_property
    def slopes(self) -> Floats:
        return np.asarray((self.radii - (self.masses * self.derivatives[0]) @ self.log_r)[self.inner])

    @cached_property
    def level(self) -> float:
        return float(np.exp(self.logs) @ self.values)

    @cached_property
    def residual(self) -> float:
        return max(float(np.abs(self.values - self.level).max()), float(np.abs(self.slopes).max(initial=0.0)))

    def newton(self) -> tuple[Floats, Floats]:
        """The changes of the logarithmic weights and of the inner radii that would solve the linearised conditions."""
        first, second = self.derivatives
        inner, count, moving = self.inner, len(self.radii), len(self.inner)
        # The probability of each sphere given the output, and its derivative in the radius.
        posterior = np.exp(self.logs[:, None] + self.grid.log_ratio(self.radii) - self.log_r)
        by_radius, moved = (posterior * first)[inner], (self.masses * first)[inner]
        system = np.zeros((count + moving + 1, count + moving + 1))
        system[:count, :count] = -self.masses @ posterior.T
        system[:count, count:-1] = -self.masses @ by_radius.T
        system[inner, count + np.arange(moving)] += self.slopes
        system[:count, -1] = -1.0
        system[count:-1, :count] = -moved @ posterior.T
        curvatures = 1 - ((self.masses * second) @ self.log_r)[inner]
        system[count:-1, count:-1] = np.diag(curvatures) - moved @ by_radius.T
        system[-1, :count] = np.exp(self.logs)
        sides = -np.concatenate([self.values, self.slopes, [0.0]])
        step = np.linalg.lstsq(system, sides, rcond=1e-15)[0]
        return step[:count], step[count:-1]

    def moved(self, change: Floats, moves: Floats) -> _Conditions:
        """The law after a step, which is shortened where it is too long."""
        logs = self.logs + np.clip(change, -2.0, 2.0)
        radii = self.radii.copy()
        radii[self.inner] += moves * _room(self.radii, moves, self.inner)
        return _Conditions(self.grid, radii, logs - np.logaddexp.reduce(logs))


def _stationary(grid: _Grid, radii: Floats, logs: Floats) -> _Conditions:
    """Solve the optimality conditions near a law by Newton's method, which may first lead away from the solution."""
    now = best = _Conditions(grid, radii, logs - np.logaddexp.reduce(logs))
    for _ in range(_NEWTON_STEPS):
        if not 1e-14 * max(1.0, now.level) < now.residual < 1e3:
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
