"""Active-set method for the capacity-achieving input in a ball: which spheres carry mass, and how much.

The best weights on given spheres come from an interior-point method for their logarithms. Far inside a ball a sphere
may need a weight of exp(-100) and matter all the same: without it the level there would be the largest. So the unknowns
are the logarithms u of the weights, the slacks z = C - K >= 0 and the level C itself, and the central path is followed
along log z + u = log mu down to weights as small as exp(-C).

The weights on a grid of radii are the solution of a convex problem. Spheres of the grid that lie next to each other
stand for one between them, which Newton's method finds. Where that does not lead to the best distribution, the grid is
exchanged for the spheres of a distribution and the radii at which its level has a peak, until no peak stands out.
Nothing here is proof: whatever spheres come out, `Spheres` bounds the capacity from both sides with them.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from epstar.gaussian.optimality_conditions import Floats, Output, stationary

_MOST_STEPS = 300
_FIRST_STEPS = 10
_WEIGHTS_TOLERANCE = 1e-13
# How far below the smallest useful weight, in logarithms, the path is followed.
_BELOW = 60.0


@dataclass(frozen=True)
class Weighted:
    """Spheres with the logarithms of their weights, and their levels."""

    radii: Floats
    logs: Floats
    levels: Floats


def best_weights(output: Output, radii: Floats, deadline: float = math.inf) -> Weighted:
    """Return the weights on these spheres that give the most information, as well as they were found.

    Cost: some hundred steps, each O(spheres^2 * nodes). After the deadline the weights so far are returned.
    """
    log_ratios, log_masses = output.log_ratio(radii), output.log_masses(radii)
    count = len(radii)
    logs = np.full(count, -math.log(count))
    for _ in range(_FIRST_STEPS):  # Blahut and Arimoto: a start that is positive everywhere
        levels, _ = output.levels(log_masses, output.log_density(log_ratios, logs))
        logs = _normalised(logs + levels)
    density = output.log_density(log_ratios, logs)
    levels, tilted = output.levels(log_masses, density)
    top = float(levels.max()) + 0.1
    slacks = top - levels
    log_mu = math.log(float(np.exp(logs) @ slacks) / count)
    for _ in range(_MOST_STEPS):
        excess = float(levels.max() - np.exp(logs) @ levels)
        is_best = excess <= _WEIGHTS_TOLERANCE * max(1.0, abs(top)) and log_mu < -abs(top) - _BELOW
        if is_best or time.monotonic() > deadline:
            break
        posterior = np.exp(logs[:, None] + log_ratios - density - output.places**2 / 2)
        correction = log_mu - logs - np.log(slacks)
        system = np.zeros((count + 1, count + 1))
        system[:count, :count] = -tilted @ posterior.T - np.diag(slacks)
        system[:count, count] = -1.0
        system[count, :count] = np.exp(logs)
        sides = np.append(top - levels - slacks - slacks * correction, 0.0)
        move = np.linalg.solve(system, sides)
        change, raised = move[:count], correction - move[:count]
        step = min(1.0, 1.0 / max(float(np.abs(change).max()), float(np.abs(raised).max()), 1e-300))
        logs, slacks, top = _normalised(logs + step * change), slacks * np.exp(step * raised), top + step * move[count]
        density = output.log_density(log_ratios, logs)
        levels, tilted = output.levels(log_masses, density)
        distance = float(np.abs(log_mu - logs - np.log(slacks)).max())
        if distance < 2 and float(np.abs(levels + slacks - top).max()) < 0.3:
            log_mu -= 3.0 if distance < 0.5 else 1.5
    return Weighted(radii, logs, levels)


def _normalised(logs: Floats) -> Floats:
    return np.asarray(logs - np.logaddexp.reduce(logs))


_TOLERANCE = 1e-12
_MOST_EXCHANGES = 16
# What is left of the conditions of the best law when they are solved.
_STATIONARY = 1e-10
# Distances of neighbouring radii: of the first grid, and of the one on which peaks are looked for.
_STEP = 0.1
_FINE_STEP = 0.05
_MOST_RADII = 300
# No best law has two spheres as close as this; weights below exp(-level) by this factor are those of no sphere.
_CLOSE = 0.3
_NEGLIGIBLE = 35.0


@dataclass(frozen=True)
class ActiveSet:
    """Radii and logarithmic weights of the spheres, in increasing order, the information in nats, and how much a
    distribution could at most be better.

    Weights may be tiny and still matter: without them the level at their radius would be the largest.
    """

    radii: Floats
    logs: Floats
    information: float
    excess: float


def best_spheres(dimension: int, radius: float, order: float = 1.0, deadline: float = math.inf) -> ActiveSet:
    """Return the spheres of the law of most information in a ball, in noise of variance one, as well as it was found.

    For an order other than 1 it is Sibson's information of noise of variance 1 / order. After the deadline, in seconds
    of `time.monotonic`, nothing better is sought.
    """
    search = _Search.of(dimension, radius, order)
    best = search.judged(np.array([radius]), np.array([0.0]))
    # In high dimensions the best laws have few spheres, far from each other.
    step = _STEP * min(3.0, max(1.0, dimension / 10))
    radii = np.linspace(0.0, radius, min(_MOST_RADII, math.ceil(radius / step)) + 1)
    for _ in range(_MOST_EXCHANGES):
        if best.excess <= _TOLERANCE * max(1.0, best.information) or time.monotonic() > deadline:
            break
        weighted = best_weights(search.output, radii, deadline)
        found = stationary(search.output, *_merged(weighted, radius))
        candidates = (search.judged(found.radii, found.logs), search.judged(*_in_use(weighted)))
        better = min((best, *candidates), key=lambda law: law.excess)
        if found.residual <= _STATIONARY * max(1.0, best.information):
            # All spheres are where they should be, so that peaks show which ones are missing.
            radii = search.exchanged(candidates[0])
        else:
            # A law that is best once more would only lead to the same radii again.
            radii = search.exchanged(better if better is not best else candidates[1])
        best = better
    return best


@dataclass(frozen=True)
class _Search:
    """The tables that the search for one ball needs: radii close together, and the law of the output for each."""

    output: Output
    fine: Floats
    log_masses: Floats

    @classmethod
    def of(cls, dimension: int, radius: float, order: float) -> _Search:
        output = Output.of(dimension, radius, order)
        fine = np.linspace(0.0, radius, max(100, min(2 * _MOST_RADII, math.ceil(radius / _FINE_STEP))) + 1)
        return cls(output, fine, output.log_masses(fine))

    def judged(self, radii: Floats, logs: Floats) -> ActiveSet:
        """Return a distribution with its information and by how much a level exceeds it."""
        logs = logs - np.logaddexp.reduce(logs)
        density = self.output.log_density(self.output.log_ratio(radii), logs)
        levels = self.output.levels(self.output.log_masses(radii), density)[0]
        information = self.output.information(logs, levels)
        _, peaks = self._peaks(density)
        return ActiveSet(radii, logs, information, max(float(peaks.max()), float(levels.max())) - information)

    def exchanged(self, law: ActiveSet) -> Floats:
        """Return the radii of a distribution together with those at which its level has a peak."""
        density = self.output.log_density(self.output.log_ratio(law.radii), law.logs)
        places, levels = self._peaks(density)
        radii = np.unique(np.concatenate([law.radii, places[levels > law.information - 1e-4], self.fine[-1:]]))
        # The largest radius is kept exactly.
        kept = radii[:-1][np.diff(radii) > 1e-3]
        return np.append(kept, radii[-1])

    def _peaks(self, density: Floats) -> tuple[Floats, Floats]:
        """Where the level has local maxima, refined by parabolas, and the levels there."""
        levels = self.output.levels(self.log_masses, density)[0]
        padded = np.concatenate([[-np.inf], levels, [-np.inf]])
        places = self.fine[(padded[1:-1] >= padded[:-2]) & (padded[1:-1] > padded[2:])]
        step, end = float(self.fine[1]), float(self.fine[-1])
        for _ in range(4):
            step /= 4
            sides = np.clip(np.stack([places - step, places, places + step]), 0.0, end)
            left, here, right = self._levels(sides.ravel(), density).reshape(3, -1)
            bend = left - 2 * here + right
            inside = (places > step) & (places < end - step) & (bend < 0)
            moves = 0.5 * step * (left - right) / np.where(inside, bend, -1.0)
            places = places + np.where(inside, np.clip(moves, -step, step), 0.0)
        return places, self._levels(places, density)

    def _levels(self, radii: Floats, density: Floats) -> Floats:
        return self.output.levels(self.output.log_masses(radii), density)[0]


def _in_use(weighted: Weighted) -> tuple[Floats, Floats]:
    """The spheres that carry weight."""
    used = weighted.logs > -abs(float(weighted.levels.max())) - _NEGLIGIBLE
    return weighted.radii[used], weighted.logs[used]


def _merged(weighted: Weighted, radius: float) -> tuple[Floats, Floats]:
    """The spheres in use, those that are close together being replaced by one of their total weight."""
    radii, logs = _in_use(weighted)
    if radii[-1] < radius:
        radii, logs = np.append(radii, radius), np.append(logs, -1.0)
    starts = np.flatnonzero(np.diff(radii, prepend=-math.inf) >= _CLOSE)
    groups = zip(np.split(radii, starts[1:]), np.split(logs, starts[1:]), strict=True)
    merged = []
    for places, weights in groups:
        total = float(np.logaddexp.reduce(weights))
        place = radius if places[-1] == radius else float(np.exp(weights - total) @ places)
        merged.append((place, total))
    return np.array([place for place, _ in merged]), np.array([total for _, total in merged])
