"""The best law of an input in a ball, found in floats: which spheres it uses, and with what weights.

Nothing here is proof: whatever spheres come out, `Spheres` bounds the capacity from both sides with them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.errors import SolverFailure
from epstar.notions.concave import Concave, best_weights

Floats = NDArray[np.float64]

# Panels of Gauss-Legendre nodes: the integrands are smooth on the scale of the noise, which is one panel.
_NODES = 20
_TOLERANCE = 1e-11


@dataclass(frozen=True)
class ActiveSet:
    """Radii and weights of the spheres, in increasing order, and the information in nats."""

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
        """log of exp(-rho^2 / 2) F(rho^2 s^2 / 4), one row for each radius."""
        return -(radii[:, None] ** 2) / 2 + _log_bessel(radii[:, None] * self.places, self.dimension / 2)

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

    def best_weights(self, radii: Floats) -> Floats:
        """The weights of the best law on given spheres: the information is a linear term and an entropy."""
        masses = self.masses(radii)
        linear = radii**2 / 2 + masses @ self.log_noise
        return best_weights(Concave(masses, linear, lambda u: -np.log(u) - 1.0, lambda u: 1.0 / u))

    def divergences(self, radii: Floats, spheres: Floats, weights: Floats) -> Floats:
        """K at each radius for the law on the spheres."""
        logs = self.log_ratio(spheres)
        top = logs.max(axis=0)
        log_r = top + np.log(weights @ np.exp(logs - top))
        result: Floats = radii**2 / 2 - self.masses(radii) @ log_r
        return result


def _log_bessel(t: Floats, half: float) -> Floats:
    """log 0F1(; half; t^2 / 4)."""
    if half == 0.5:
        return np.asarray(np.logaddexp(t, -t) - math.log(2))
    from scipy import special

    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        direct = np.log(special.hyp0f1(half, t * t / 4))
        order = half - 1
        scaled = math.lgamma(half) - order * np.log(t / 2) + np.log(special.ive(order, t)) + t
    return np.asarray(np.where((t > 30) & np.isfinite(scaled), scaled, direct))


def best_spheres(dimension: int, radius: float) -> ActiveSet:
    """Return the spheres of the capacity-achieving law in a ball, in noise of variance one.

    One sphere where that is enough; else the best law on a fine grid of radii, whose clusters are then moved until
    every sphere is a stationary point with the same divergence.
    """
    grid = _Grid.of(dimension, radius)
    fine = np.linspace(0.0, radius, max(101, int(40 * radius) + 1))
    outer, one = np.array([radius]), np.array([1.0])
    values = grid.divergences(fine, outer, one)
    if values.max() <= values[-1] + _TOLERANCE:
        return ActiveSet(outer, one, float(values[-1]))
    coarse = np.linspace(0.0, radius, max(41, int(12 * radius) + 1))
    radii, weights = _clusters(coarse, grid.best_weights(coarse))
    for _ in range(6):
        radii, weights = _polish(grid, radii, weights)
        values = grid.divergences(fine, radii, weights)
        level = float(weights @ grid.divergences(radii, radii, weights))
        worst = int(values.argmax())
        if values[worst] <= level + 1e-9:
            return ActiveSet(radii, weights, level)
        radii, weights = _with_sphere(radii, weights, float(fine[worst]))
    raise SolverFailure("No best law was found for this ball; a smaller ratio of the peak to the noise is needed.")


def _clusters(radii: Floats, weights: Floats) -> tuple[Floats, Floats]:
    kept = np.flatnonzero(weights > 1e-7)
    groups = np.split(kept, np.flatnonzero(np.diff(kept) > 2) + 1)
    centres = np.array([radii[group] @ weights[group] / weights[group].sum() for group in groups])
    masses = np.array([weights[group].sum() for group in groups])
    centres[-1] = radii[-1]
    if centres[0] < radii[1] * 1.5:
        centres[0] = 0.0
    return centres, masses / masses.sum()


def _with_sphere(radii: Floats, weights: Floats, radius: float) -> tuple[Floats, Floats]:
    places, masses = np.append(radii, radius), np.append(weights * (1 - 1e-4), 1e-4)
    order = np.argsort(places)
    return places[order], masses[order]


def _polish(grid: _Grid, radii: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Solve the optimality conditions: equal divergences, and slope zero at the inner spheres."""
    from scipy import optimize

    inner = np.flatnonzero((radii > 0) & (radii < radii[-1]))
    steps = 1e-3

    def unpack(unknowns: Floats) -> tuple[Floats, Floats]:
        places = radii.copy()
        places[inner] = unknowns[: len(inner)]
        logs = np.append(unknowns[len(inner) :], 0.0)
        masses = np.exp(logs - logs.max())
        return places, masses / masses.sum()

    def residuals(unknowns: Floats) -> Floats:
        places, masses = unpack(unknowns)
        values = grid.divergences(places, places, masses)
        moved = [places[inner] + shift * steps for shift in (-2, -1, 1, 2)]
        far_down, down, up, far_up = (grid.divergences(p, places, masses) for p in moved)
        slopes = (8 * (up - down) - (far_up - far_down)) / (12 * steps)
        return np.concatenate([slopes, values[:-1] - values[-1]])

    start = np.concatenate([radii[inner], np.log(weights[:-1] / weights[-1])])
    found = optimize.root(residuals, start, tol=1e-15)
    return unpack(found.x if np.abs(found.fun).max() < np.abs(residuals(start)).max() else start)
