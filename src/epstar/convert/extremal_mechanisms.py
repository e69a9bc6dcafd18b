"""Extremal mechanisms: they lose as much as a guarantee allows, and so show that a bound cannot be improved.

A mechanism that says something with a chance and nothing otherwise loses more, the larger the chance: every loss here
is quasi-convex in the mechanism. So one number is left to find, for any notion, any universe and any priors.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, permutations

import numpy as np

from epstar.convert.binary_divergence import Excess, excess_given_capacity, excess_given_information
from epstar.convert.guarantee import Guarantee, needs_source
from epstar.errors import EpstarError
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.vectors import nearest_floats, sum_of
from epstar.mechanism import Mechanism, identity, randomised_response
from epstar.notions import (
    ApproximateDifferentialPrivacy,
    Capacity,
    DifferentialPrivacy,
    MutualInformation,
    Notion,
)
from epstar.query.answer_graph import Shape
from epstar.query.closed_forms import HypothesisFails, closed_form
from epstar.source import Prior
from epstar.universe import Alphabet, Graph, Universe

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


_MOST_INPUTS = 64
_MOST_SUBSETS = 6


def extremal_mechanisms(guarantee: Guarantee, level: Real | None = None) -> Iterator[Mechanism]:
    """Yield mechanisms that may lose much under other notions although the guarantee holds; the caller checks both.

    `level` is the one at which a curve is probed. Levels are rounded down, so that exact mechanisms stay within them.
    """
    size = 2 if guarantee.universe is None else guarantee.universe.size
    if size > _MOST_INPUTS:
        return
    yield identity(Alphabet(size) if guarantee.universe is None else guarantee.universe)
    if guarantee.level.is_infinite:
        return
    if guarantee.universe is None or isinstance(guarantee.universe, Alphabet):
        yield from _known(guarantee, size, level)
    elif isinstance(guarantee.notion, DifferentialPrivacy) and isinstance(guarantee.universe, Graph | Shape):
        yield from _most_useful(guarantee.universe, Real.exp(guarantee.level).below())
    yield from calibrated_mechanisms(guarantee, size)


def _most_useful(graph: Graph | Shape, factor: Rational) -> Iterator[Mechanism]:
    """The mechanism from which an equally likely input is guessed best, where it has a closed form."""
    try:
        dense = closed_form(graph, factor).mechanism.dense()
    except HypothesisFails:
        return
    yield Mechanism(dense.rows, graph, dense.outputs)


def _known(guarantee: Guarantee, size: int, level: Real | None) -> Iterator[Mechanism]:
    """Mechanisms that are known to attain a bound on an alphabet."""
    factor = Real.exp(guarantee.level).below()
    if isinstance(guarantee.notion, Capacity | MutualInformation):
        yield from _binary_information(guarantee, size, level)
    if factor > 1:
        yield randomised_response(Alphabet(size), ratio=factor)
        if factor < size:  # the one whose maximal leakage is the level
            yield randomised_response(Alphabet(size), ratio=(size - 1) * factor / (size - factor))
        yield from _subset_responses(size, factor)
        yield from (_lone(size, place, factor) for place in range(size))
        yield from _cyclic(size, factor)
        if guarantee.source is not None:
            yield from _profiles(guarantee, size, factor)
        yield from _near_identity(size, factor)
    if 1 < factor <= 2:
        yield from (_one_sided(size, place, factor - 1) for place in range(size))
    notion = guarantee.notion
    if isinstance(notion, ApproximateDifferentialPrivacy) and notion.delta > 0:
        # With two outputs: either is likelier by exactly delta beyond the factor.
        yield _two_outputs(size, 0, (factor + notion.delta) / (1 + factor), (1 - notion.delta) / (1 + factor))
        yield _revealing(size, factor, notion.delta)


def _two_outputs(size: int, place: int, p: Rational, q: Rational) -> Mechanism:
    return Mechanism([[p, 1 - p] if x == place else [q, 1 - q] for x in range(size)], Alphabet(size), [1, 0])


def _lone(size: int, place: int, factor: Rational) -> Mechanism:
    """Two outputs that tell one input from the others."""
    return _two_outputs(size, place, factor / (1 + factor), 1 / (1 + factor))


def _subset_responses(size: int, factor: Rational) -> Iterator[Mechanism]:
    """Randomised response on some inputs, the others answering like the first of them."""
    if size > _MOST_SUBSETS:
        return
    for count in range(2, size):
        for chosen in combinations(range(size), count):
            total = factor + (count - 1)
            told = [x if x in chosen else chosen[0] for x in range(size)]
            rows = [[(factor if y == own else ONE) / total for y in chosen] for own in told]
            yield Mechanism(rows, Alphabet(size), list(chosen))


def _one_sided(size: int, place: int, chance: Rational) -> Mechanism:
    """One input sometimes gives itself away."""
    return _two_outputs(size, place, chance, ZERO)


def _revealing(size: int, factor: Rational, delta: Rational) -> Mechanism:
    """With chance delta the input is told, else it is said by randomised response on the first input."""
    rest = (1 - delta) / (1 + factor)
    rows = []
    for x in range(size):
        told = [delta if x == y else ZERO for y in range(size)]
        rows.append([*told, rest * factor if x == 0 else rest, rest if x == 0 else rest * factor])
    return Mechanism(rows, Alphabet(size))


def _cyclic(size: int, factor: Rational) -> Iterator[Mechanism]:
    """Each output favours some consecutive inputs of a ring."""
    for favoured in range(1, size):
        total = favoured * factor + (size - favoured)
        yield Mechanism(
            [[(factor if (x - y) % size < favoured else ONE) / total for y in range(size)] for x in range(size)],
            Alphabet(size),
        )


def _profiles(guarantee: Guarantee, size: int, factor: Rational) -> Iterator[Mechanism]:
    """A rare output whose row entries lie at the ends of what the prior and the level allow."""
    source = guarantee.source
    if not isinstance(source, Prior) or size < 2:
        return
    law = source.probabilities
    # Of many inputs the rarest two and the likeliest: the bounds that are attained are by these.
    ranked = sorted(range(size), key=lambda x: law[x])
    places = range(size) if size <= _MOST_SUBSETS else (*ranked[:2], ranked[-1])
    for high, low in permutations(places, 2):
        for kind in range(5):
            column = _column(law, factor, high, low, kind)
            if column is not None:
                yield from _rare(column, size, factor)


def _column(law: tuple[Rational, ...], factor: Rational, high: int, low: int, kind: int) -> list[Rational] | None:
    """Ratios to the output distribution, of mean one: one high, one low, the rest balancing them."""
    size = len(law)
    if kind == 3:  # posterior probabilities in proportion: one input favoured by the factor
        joint = [factor if x == high else ONE for x in range(size)]
        return [j / p for j, p in zip(joint, law, strict=True)] if min(law) > 0 else None
    if kind == 4:  # one input favoured, all others alike
        rest = (1 - law[high] * factor) / (1 - law[high])
        return [factor if x == high else rest for x in range(size)] if rest >= 0 else None
    others = 1 - law[high] - law[low]
    if kind == 0 and others > 0:
        rest = (1 - law[high] * factor - law[low] / factor) / others
        if not 1 / factor <= rest <= factor:
            return None
        return [factor if x == high else 1 / factor if x == low else rest for x in range(size)]
    if kind == 1 and law[high] > 0:
        top = (1 - (1 - law[high]) / factor) / law[high]
        return [top if x == high else 1 / factor for x in range(size)]
    if kind == 2 and law[low] > 0:
        bottom = (1 - (1 - law[low]) * factor) / law[low]
        return [bottom if x == low else factor for x in range(size)] if bottom >= 0 else None
    return None


def _rare(column: list[Rational], size: int, factor: Rational) -> Iterator[Mechanism]:
    top = max(column)
    chances = [1 / (factor + 1), *(Rational(1, n) / top for n in (2, 10, 1000, 10**6))]
    for chance in chances:
        if chance * top > 1:
            continue
        yield Mechanism([[chance * c, 1 - chance * c] for c in column], Alphabet(size), [1, 0])


def _near_identity(size: int, factor: Rational) -> Iterator[Mechanism]:
    """The identity with some chance, else the first output: maximal leakage between 0 and log m."""
    if factor < size and size > 1:
        chance = (factor - 1) / (size - 1)
        rows = [[chance * (x == y) + (1 - chance) * (y == 0) for y in range(size)] for x in range(size)]
        yield Mechanism(rows, Alphabet(size))


def _binary_information(guarantee: Guarantee, size: int, level: Real | None) -> Iterator[Mechanism]:
    """The mechanisms with two outputs that are extremal for bounds on information (ngo2024, Theorems 1(a), 2(a))."""
    probe = Real.of(ONE) if level is None else level
    factor, mu = Real.exp(probe), guarantee.level
    law = guarantee.source.probabilities if isinstance(guarantee.source, Prior) else None
    for place in range(size):
        try:
            if isinstance(guarantee.notion, Capacity):
                found = excess_given_capacity(Real.of(ONE), factor * -1, mu)
                yield from _within(guarantee, size, place, found)
            elif law is not None and 0 < law[place] < 1:
                share = law[place]
                found = excess_given_information(Real.of(1 - share), (factor - share) * -1, share, mu)
                yield from _within(guarantee, size, place, found)
        except (OverflowError, EpstarError):
            continue


def _within(guarantee: Guarantee, size: int, place: int, found: Excess) -> Iterator[Mechanism]:
    """The pair of probabilities, moved towards each other until the guarantee holds."""
    p, q = (Rational(*value.as_integer_ratio()) for value in (found.p, found.q))
    for shrink in _SHRINK:
        middle = (p + q) / 2
        mechanism = _two_outputs(size, place, p + (middle - p) * shrink, q + (middle - q) * shrink)
        if kept_loss(guarantee, mechanism) is not None:
            yield mechanism
            return
    # Floats were not near enough: bisect for the strongest mixture with the middle that holds.
    low, high = ZERO, ONE
    for _ in range(60):
        shrink = (low + high) / 2
        middle = (p + q) / 2
        mechanism = _two_outputs(size, place, p + (middle - p) * shrink, q + (middle - q) * shrink)
        low, high = (low, shrink) if kept_loss(guarantee, mechanism) is not None else (shrink, high)
    yield _two_outputs(size, place, p + ((p + q) / 2 - p) * high, q + ((p + q) / 2 - q) * high)


def largest_cycle(level: float, most: int = 400) -> tuple[int, int]:
    """Return sizes (inputs, favoured) of the cyclic mechanism whose capacity is nearest the best at a level."""
    factor = math.exp(level)
    mass = (level * factor / (factor - 1) - 1) / (factor - 1)
    return min(
        ((inputs, max(1, round(mass * inputs))) for inputs in range(2, most)),
        key=lambda pair: (abs(pair[1] / pair[0] - mass), pair[0]),
    )
