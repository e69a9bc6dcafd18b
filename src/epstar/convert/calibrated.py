"""Mechanisms that tell more and more, each made as strong as a guarantee allows.

A mechanism that says something with a chance and nothing otherwise loses more, the larger the chance: every loss here
is quasi-convex in the mechanism. So one number is left to find, for any notion, any universe and any priors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from epstar.convert.guarantee import Guarantee, needs_source
from epstar.errors import EpstarError
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import Notion
from epstar.reading import nearest_floats, sum_of
from epstar.source import Prior
from epstar.universe import Alphabet, Universe

Rows = Sequence[Sequence[Rational]]
Family = Callable[[Rational], Rows]

# What floats may take a chance for too large by.
_SHRINK = (ZERO, Rational(1, 10**15), Rational(1, 10**12), Rational(1, 10**9), Rational(1, 10**6))


def kept_loss(guarantee: Guarantee, mechanism: Mechanism) -> Real | None:
    """Return the loss of a mechanism under the notion of a guarantee, or None if it is not proven to be within it."""
    assert isinstance(guarantee.notion, Notion)
    loss = guarantee.notion.loss(mechanism, guarantee.source if needs_source(guarantee.notion) else None).upper
    if loss is None or guarantee.level.is_infinite:
        return loss
    if loss.is_infinite:
        return None
    if loss.argument_of_log is not None and guarantee.level.argument_of_log is not None:
        return loss if loss.argument_of_log <= guarantee.level.argument_of_log else None
    return loss if loss.ball(160) <= guarantee.level.ball(160) else None


def calibrated_mechanisms(guarantee: Guarantee, size: int) -> Iterator[Mechanism]:
    """Yield the strongest mechanism of each family for which the guarantee holds, on `size` inputs."""
    universe = guarantee.universe if guarantee.universe is not None else Alphabet(size)
    for family in _families(universe, guarantee):
        found = _strongest(guarantee, universe, family)
        if found is not None:
            yield found


def _families(universe: Universe, guarantee: Guarantee) -> Iterator[Family]:
    size = universe.size
    nothing = [ZERO] * size
    yield _by_distance(universe)
    # The input is told; or else one of them at random, the first, or that nothing is told.
    everything = list(range(size))
    for law in ([Rational(1, size)] * size, [ONE, *nothing[1:]], [*nothing, ONE]):
        yield _mixed(everything, law)
    for place in _places(guarantee, size):
        alone = [int(x == place) for x in range(size)]
        for first in (ONE / 2, ZERO, ONE):
            yield _mixed(alone, [first, 1 - first])


def _places(guarantee: Guarantee, size: int) -> list[int]:
    """Inputs to single out: the rarest and the likeliest, or the first and the last."""
    if not isinstance(guarantee.source, Prior):
        return sorted({0, size - 1})
    law = guarantee.source.probabilities
    return sorted({law.index(min(law)), law.index(max(law))})


def _mixed(told: Sequence[int], otherwise: Sequence[Rational]) -> Family:
    def member(chance: Rational) -> Rows:
        return [[chance * (y == own) + (1 - chance) * rest for y, rest in enumerate(otherwise)] for own in told]

    return member


def _by_distance(universe: Universe) -> Family:
    """Each output is the rarer, the farther it lies from the input: (1 - chance)^distance, as floats know it."""
    places = range(universe.size)
    found = [[universe.distance(x, y) for y in places] for x in places]
    # What is out of reach is never said: a number below 1 to the power infinity.
    distances = [[math.inf if d is None else float(Real.of(d)) for d in row] for row in found]

    def member(chance: Rational) -> Rows:
        q = 1 - float(Real.of(chance))
        weights = [[Rational(*(q**d).as_integer_ratio()) for d in row] for row in distances]
        totals = [sum_of(row) for row in weights]
        return [[weight / total for weight in row] for row, total in zip(weights, totals, strict=True)]

    return member


def _strongest(guarantee: Guarantee, universe: Universe, family: Family) -> Mechanism | None:
    """Return the member with the largest chance that keeps the guarantee: sought in floats, then proven."""
    low, high = ZERO, ONE
    if not _seems_kept(guarantee, universe, family(ONE)):
        for _ in range(52):
            middle = (low + high) / 2
            low, high = (middle, high) if _seems_kept(guarantee, universe, family(middle)) else (low, middle)
    else:
        low = ONE
    for shrink in _SHRINK:
        chance = low * (1 - shrink)
        if chance == 0:
            return None
        mechanism = Mechanism(family(chance), universe)
        if kept_loss(guarantee, mechanism) is not None:
            return mechanism
    return None


def _seems_kept(guarantee: Guarantee, universe: Universe, rows: Rows) -> bool:
    assert isinstance(guarantee.notion, Notion)
    floats = np.array([nearest_floats(row) for row in rows])
    source = guarantee.source if needs_source(guarantee.notion) else None
    try:
        loss = guarantee.notion.loss(Mechanism(floats, universe), source).value
    except EpstarError:
        return False  # such as a loss over a source that floats cannot decide
    return loss <= guarantee.level.lower
