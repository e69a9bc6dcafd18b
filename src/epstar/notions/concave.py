"""The supremum over a convex source of a concave function of the input law.

Mutual information and Sibson's family have the form

    f(P) = linear . P + sum_y phi_y(P A_y)

with phi concave, where A has one row per input. `best_law` maximises it: it keeps a list of laws of the
source, finds the best mixture of them with an interior-point method, asks the source for a law in the
direction of the gradient, and stops when no law of the source improves the value to first order by more than
a tolerance. For a simplex or a hull all extreme laws are known at once and one mixture is enough. What comes
back is an exact law of the source, so its loss is a rigorous lower bound; the notion adds the upper bound
from its own dual formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ZERO, Rational, rationalise
from epstar.reading import nearest_floats
from epstar.source import Everything, Hull, Source

Floats = NDArray[np.float64]
Point = tuple[Rational, ...]

_TOLERANCE = 1e-13
_MOST_ROUNDS = 400
_WEIGHT_BITS = 80


@dataclass(frozen=True)
class Concave:
    """linear . P + sum_y phi_y(P A_y): its data, the slope phi' and the curvature -phi'' >= 0.

    `relative` says that what matters is the logarithm of the value, so that errors count relative to it.
    """

    images: Floats
    linear: Floats
    slope: Callable[[Floats], Floats]
    curvature: Callable[[Floats], Floats]
    relative: bool = False

    def unit(self, gradient: Floats, law: Floats) -> float:
        """Return the size of a change of the value that counts as one."""
        return abs(float(gradient @ law)) if self.relative else 1.0


def best_law(objective: Concave, source: Source) -> Point:
    """Return a law of the convex `source` that maximises the objective, up to float rounding.

    Cost: for each round one exact linear maximisation over the source and one mixture of the laws found.
    """
    if isinstance(source, Everything):
        tickets = rationalise([best_weights(objective).tolist()], _WEIGHT_BITS)[0]
        return tuple(Rational(ticket, 1 << _WEIGHT_BITS) for ticket in tickets)
    if isinstance(source, Hull):
        return _mixed(source.points, best_weights(_on_mixtures(objective, source.floats)))
    laws = covering_laws(source)
    for _ in range(_MOST_ROUNDS):
        points = np.array([nearest_floats(point) for point in laws])
        weights = best_weights(_on_mixtures(objective, points))
        law = weights @ points
        gradient = _gradient(objective, law)
        improved = source.maximum(gradient)
        gain = float(gradient @ (nearest_floats(improved.point) - law))
        if gain <= _TOLERANCE * objective.unit(gradient, law) or improved.point in laws:
            break
        # A law that carries no weight now may be asked for again; keeping few keeps each mixture cheap.
        laws = [point for point, weight in zip(laws, weights, strict=True) if weight > 1e-13]
        laws.append(improved.point)
    return _mixed(laws, best_weights(_on_mixtures(objective, np.array([nearest_floats(p) for p in laws]))))


def covering_laws(source: Source) -> list[Point]:
    """Return laws of the source whose mixture is positive wherever any law of the source is."""
    size = source.size
    missing = [Rational(1)] * size
    laws: list[Point] = []
    while True:
        found = source.maximum(missing)
        if laws and found.value == 0:
            return laws
        laws.append(found.point)
        missing = [ZERO if p > 0 else m for m, p in zip(missing, found.point, strict=True)]


def _gradient(objective: Concave, law: Floats) -> Floats:
    image = law @ objective.images
    reached = image > 0
    gradient: Floats = objective.linear.copy()
    gradient += objective.images[:, reached] @ _on(objective.slope, image, reached)
    return gradient


def _on(function: Callable[[Floats], Floats], image: Floats, reached: NDArray[np.bool_]) -> Floats:
    # Outputs that no law of the source reaches have no slope; any positive number stands in for them.
    return function(np.where(reached, image, 1.0))[reached]


def _on_mixtures(objective: Concave, points: Floats) -> Concave:
    """The objective as a function of weights on some laws."""
    return replace(objective, images=points @ objective.images, linear=points @ objective.linear)


def best_weights(objective: Concave) -> Floats:
    """Return the law on the rows of the objective that maximises it.

    A primal-dual interior-point method on the simplex, stopped by the gap between the best single direction
    and the present one. Cost: one product of matrices and one linear system for each of some 20 to 60 steps.
    """
    count = len(objective.images)
    weights = np.full(count, 1.0 / count)
    if count == 1:
        return weights
    linear = objective.linear
    reached = objective.images.max(axis=0) > 0
    images = objective.images[:, reached]
    best_gap, best, stalled = np.inf, weights, 0
    slack: Floats | None = None
    for _ in range(200):
        full = np.ones(len(reached))
        full[reached] = weights @ images
        gradient = linear + images @ objective.slope(full)[reached]
        unit = objective.unit(gradient, weights)
        gap = float(gradient.max() - weights @ gradient) / unit
        if gap < best_gap:
            stalled = 0 if gap < 0.9 * best_gap else stalled + 1
            best_gap, best = gap, weights
        else:
            stalled += 1
        if best_gap <= _TOLERANCE or stalled >= 8:
            break
        slack = np.full(count, unit) if slack is None else slack
        target = 0.1 * min(gap * unit, float(weights @ slack)) / count
        curvature = objective.curvature(full)[reached]
        root = np.sqrt(weights)
        scaled = root[:, None] * images
        system = (scaled * curvature) @ scaled.T
        system[np.diag_indices(count)] += slack + 1e-15 * (unit + system.diagonal().max())
        sides = np.stack([root * (gradient + target / weights), root], axis=1)
        free, shift = (root[:, None] * np.linalg.solve(system, sides)).T
        step = free - shift * (free.sum() / shift.sum())
        slack_step = target / weights - slack - slack * step / weights
        length = min(1.0, 0.995 * _room(weights, step))
        slack_length = min(1.0, 0.995 * _room(slack, slack_step))
        weights = weights + length * step
        weights = weights / weights.sum()
        slack = slack + slack_length * slack_step
    return best


def _room(values: Floats, step: Floats) -> float:
    falling = step < 0
    return float((-values[falling] / step[falling]).min()) if falling.any() else np.inf


def _mixed(laws: Sequence[Point], weights: Floats) -> Point:
    """The mixture in exact rationals: a law of the source because the source is convex."""
    tickets = rationalise([weights.tolist()], _WEIGHT_BITS)[0]
    total = Rational(1 << _WEIGHT_BITS)
    size = len(laws[0])
    mixed = [ZERO] * size
    for law, ticket in zip(laws, tickets, strict=True):
        if ticket:
            share = Rational(ticket) / total
            for x, p in enumerate(law):
                if p != 0:
                    mixed[x] += share * p
    return tuple(mixed)
