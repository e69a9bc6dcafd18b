"""The best weights on given spheres, in floats: an interior-point method for their logarithms.

Far inside a ball a sphere may need a weight of exp(-100) and matter all the same: without it the level there would be
the largest. So the unknowns are the logarithms u of the weights, the slacks z = C - K >= 0 and the level C itself, and
the central path is followed along log z + u = log mu down to weights as small as exp(-C).
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass

import numpy as np

from epstar.gaussian.output import Floats, Output

_MOST_STEPS = 300
_FIRST_STEPS = 10
_TOLERANCE = 1e-13
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
        is_best = excess <= _TOLERANCE * max(1.0, abs(top)) and log_mu < -abs(top) - _BELOW
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
