"""Mechanisms on databases that depend only on how many rows change, seen through their distance classes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from epstar.exact import ZERO, Rational, Real
from epstar.mechanism import AnyMechanism, DistanceMechanism
from epstar.mechanism.base import DENSE_LIMIT
from epstar.notions.base import Loss, Witness
from epstar.notions.pairs import LawPair
from epstar.source import Everything, Prior, Rows, Source


def neighbour_pair(mechanism: DistanceMechanism) -> LawPair:
    """Return the distributions of two neighbouring databases, outputs with equal distances to both added up.

    Seen from an output, the changed row agrees with the first database, with the second, or with neither
    (which needs a third category); the other rows lie at some distance l. All pairs of neighbours look the
    same.
    """
    rows, others = mechanism.databases.rows, mechanism.databases.alphabet.size - 1
    left, right = [], []
    for distance in range(rows if others else 0):
        count = Rational(math.comb(rows - 1, distance) * others**distance)
        near, far = (count * mechanism.at_distance(d) for d in (distance, distance + 1))
        left += [near, far, far * (others - 1)]
        right += [far, near, far * (others - 1)]
    return LawPair(Witness((0, 1)), left, right, grouped=True)


def neighbour_entries(mechanism: DistanceMechanism) -> LawPair:
    """Return the single entries Q(y|x) and Q(y|x') that neighbours x, x' can have, each kind once."""
    rows = mechanism.databases.rows if mechanism.databases.alphabet.size > 1 else 0
    values = [mechanism.at_distance(d) for d in range(rows + 1)]
    return LawPair(Witness((0, 1)), values[:-1] + values[1:], values[1:] + values[:-1], grouped=True)


def uniform_pair(mechanism: DistanceMechanism) -> LawPair:
    """Return the distribution of the distance from any input to its output, and to an output drawn evenly.

    Under the uniform prior the output is uniform, so every divergence of a row from the distribution of the output is
    the divergence of these two.
    """
    databases = mechanism.databases
    size = Rational(databases.size)
    spheres = [Rational(databases.sphere_size(d)) / size for d in range(databases.rows + 1)]
    return LawPair(Witness((0,)), mechanism.weights, spheres, grouped=True)


def largest_at_uniform(
    mechanism: AnyMechanism, source: Source, measure: Callable[[Sequence[Rational], Sequence[Rational]], Real]
) -> Loss | None:
    """Return the loss of a notion that is largest at the uniform distribution, by symmetry and concavity.

    Where the source does not hold that distribution it is an upper bound, for mechanisms too large to be written out.
    """
    if not isinstance(mechanism, DistanceMechanism):
        return None
    is_held = holds_uniform(source)
    if not is_held and math.prod(mechanism.shape) <= DENSE_LIMIT:
        return None
    pair = uniform_pair(mechanism)
    real = measure(pair.left, pair.right)
    return Loss.known(real, Witness()) if is_held else Loss(float(real), Witness(), Real.of(ZERO), real)


def is_uniform(source: Source) -> bool:
    """Whether the source is the uniform distribution alone."""
    if isinstance(source, Rows):
        return all(is_uniform(row) for row in source.sources)
    return isinstance(source, Prior) and all(p == source.probabilities[0] for p in source.probabilities)


def holds_uniform(source: Source) -> bool:
    """Whether the uniform distribution belongs to the source."""
    if isinstance(source, Rows):
        return all(row.contains(row.uniform) for row in source.sources)
    return isinstance(source, Everything) or source.contains(source.uniform)
