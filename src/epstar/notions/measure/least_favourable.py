"""The supremum over a convex source of a concave function of the input distribution.

Mutual information and Sibson's family have the form

    f(P) = linear . P + sum_y phi_y(P A_y)

with phi concave, where A has one row per input. `best_law` maximises it: it keeps a list of distributions of the
source, finds the best mixture of them with an interior-point method, asks the source for a distribution in the
direction of the gradient, and stops when no distribution of the source improves the value to first order by more than
a tolerance. For a simplex or a hull all extreme distributions are known at once and one mixture is enough. What comes
back is an exact distribution of the source, so its loss is a rigorous lower bound; the notion adds the upper bound
from its own dual formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import ZERO, Rational, rationalise
from epstar.exact.vectors import nearest_floats
from epstar.source import Everything, Hull, Source

Floats = NDArray[np.float64]
Point = tuple[Rational, ...]

_TOLERANCE, _TINY = 1e-13, 1e-300
_MOST_ROUNDS = 400
_WEIGHT_BITS = 80
# From this many rows on it pays to guess which ones matter.
_MANY_ROWS = 300
_GUESSING_STEPS = 15
_GUESSED = 0.25
_MOST_IN_PLAY = 0.5


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
        # Powers of an order near zero may all vanish.
        return max(abs(float(gradient @ law)), _TINY) if self.relative else 1.0


def best_law(objective: Concave, source: Source) -> Point:
    """Return a distribution of the convex `source` that maximises the objective, up to float rounding.

    Cost: for each round one exact linear maximisation over the source and one mixture of the distributions found.
    """
    if isinstance(source, Everything):
        tickets = rationalise([best_weights(objective).tolist()], _WEIGHT_BITS)[0]
        return tuple(Rational(ticket, 1 << _WEIGHT_BITS) for ticket in tickets)
    if isinstance(source, Hull):
        return _mixed(source.points, best_weights(_on_mixtures(objective, source.floats)))
    laws = {point: nearest_floats(point) for point in covering_laws(source)}
    for _ in range(_MOST_ROUNDS):
        points = np.array(list(laws.values()))
        weights = best_weights(_on_mixtures(objective, points))
        law = weights @ points
        gradient = _gradient(objective, law)
        improved = source.maximum(gradient).point
        floats = nearest_floats(improved)
        if float(gradient @ (floats - law)) <= _TOLERANCE * objective.unit(gradient, law) or improved in laws:
            break
        # A law that carries no weight now may be asked for again; keeping few keeps each mixture cheap.
        laws = {point: laws[point] for point, weight in zip(laws, weights, strict=True) if weight > 1e-13}
        laws[improved] = floats
    return _mixed(list(laws), best_weights(_on_mixtures(objective, np.array(list(laws.values())))))


def covering_laws(source: Source) -> list[Point]:
    """Return distributions of the source whose mixture is positive wherever any distribution of the source is."""
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
    """The objective as a function of weights on some distributions."""
    return replace(objective, images=points @ objective.images, linear=points @ objective.linear)


def best_weights(objective: Concave) -> Floats:
    """Return the distribution on the rows of the objective that maximises it.

    Mostly few rows carry weight. Where there are many, a multiplicative rule guesses which, and rows that promise
    more than the optimum on these join them until there is none. Cost: see `_best_on`, on the rows in play.
    """
    count = len(objective.images)
    if count < _MANY_ROWS:
        return _best_on(objective)
    chosen = _promising(objective)
    weights = np.zeros(count)
    while chosen.size <= _MOST_IN_PLAY * count:
        weights[:] = 0.0
        weights[chosen] = _best_on(replace(objective, images=objective.images[chosen], linear=objective.linear[chosen]))
        gradient = _gradient(objective, weights)
        excess = (gradient - weights @ gradient) / objective.unit(gradient, weights)
        if excess.max() <= 4 * _TOLERANCE:
            return weights
        joined = np.union1d(chosen, np.flatnonzero(excess > 0))
        if joined.size == chosen.size:
            break
        chosen = joined
    return _best_on(objective)


def _promising(objective: Concave) -> NDArray[np.intp]:
    """Return the rows that a multiplicative rule (Blahut and Arimoto's, for mutual information) makes the heaviest."""
    count = len(objective.images)
    weights = np.full(count, 1.0 / count)
    for _ in range(_GUESSING_STEPS):
        gradient = _gradient(objective, weights)
        gradient /= objective.unit(gradient, weights)
        weights *= np.exp(gradient - gradient.max())
        weights /= weights.sum()
    return np.sort(np.argsort(-weights)[: int(_GUESSED * count)])


def _best_on(objective: Concave) -> Floats:
    """Return the best distribution on all rows, by a primal-dual interior-point method with a corrector.

    It stops by the gap between the best single direction and the present one. Cost: one product of matrices and one
    Cholesky factor for each of some 10 to 30 steps.
    """
    count = len(objective.images)
    weights = np.full(count, 1.0 / count)
    if count == 1:
        return weights
    from scipy.linalg import LinAlgError, blas, cho_factor, cho_solve

    reached = objective.images.max(axis=0) > 0
    images = objective.images[:, reached]
    best_gap, best, stalled = np.inf, weights, 0
    slack: Floats | None = None
    for _ in in_time(range(200)):
        full = np.ones(len(reached))
        full[reached] = weights @ images
        gradient = objective.linear + images @ objective.slope(full)[reached]
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
        root = np.sqrt(weights)
        scaled = root[:, None] * images
        scaled *= np.sqrt(objective.curvature(full)[reached])
        system = blas.dsyrk(1.0, scaled.T, trans=1, lower=1)
        system[np.diag_indices(count)] += slack + 1e-15 * (unit + system.diagonal().max())
        try:
            factor = cho_factor(system, lower=True, overwrite_a=True, check_finite=False)
        except LinAlgError:
            break
        shift = root * cho_solve(factor, root, check_finite=False)

        mean = min(gap * unit, float(weights @ slack)) / count
        move = slack_move = target = np.zeros(count)
        for corrected in (False, True):
            if corrected:
                length = min(1.0, 0.995 * min(_room(weights, move), _room(slack, slack_move)))
                target = max(1e-3, (1.0 - length) ** 2) * mean - length**2 * move * slack_move
            free = root * cho_solve(factor, root * (gradient + target / weights), check_finite=False)
            move = free - shift * (free.sum() / shift.sum())
            slack_move = (target - slack * move) / weights - slack
        weights = weights + min(1.0, 0.995 * _room(weights, move)) * move
        weights = weights / weights.sum()
        slack = slack + min(1.0, 0.995 * _room(slack, slack_move)) * slack_move
    return best


def _room(values: Floats, step: Floats) -> float:
    falling = step < 0
    return float((-values[falling] / step[falling]).min()) if falling.any() else np.inf


def _mixed(laws: Sequence[Point], weights: Floats) -> Point:
    """The mixture in exact rationals: a distribution of the source because the source is convex."""
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
