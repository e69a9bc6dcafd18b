"""The distance of the output from the centre, in floats: where it is integrated, and divergences of any order from it.

A law on spheres gives the output the density p(s) = r(s) exp(-s^2 / 2) up to constants; see `Spheres`. An input at
distance rho is at the level

    K(rho) = log(E p^(b - 1) at |rho e + N|) / (1 - b) + constant,   b = 1 / order,

which for order 1 is its divergence from the output, -E log p + constant. Sibson's information of the law is
log(E exp((1 - b) K)) / (1 - b), and no law has more than b max K + (1 - b) times that. Nothing here is proof.
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
        """log p of a law on spheres, given the rows of its spheres and the logarithms of their weights."""
        terms = logs[:, None] + log_ratios
        top = terms.max(axis=0)
        return np.asarray(top + np.log(np.exp(terms - top).sum(axis=0)) - self.places**2 / 2)

    def levels(self, log_masses: Floats, log_density: Floats) -> tuple[Floats, Floats]:
        """K at some radii, and the law of the node under which K changes: the masses, tilted by the power."""
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
        """Sibson's information of a law whose spheres are at these levels."""
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
