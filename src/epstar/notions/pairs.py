"""The constrained pairs of a universe in both orders: as numbers, as arrays, and as pairs of distributions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import ONE, ZERO, Rational
from epstar.exact.vectors import nearest_floats
from epstar.mechanism import Mechanism
from epstar.memory import keep_memory
from epstar.notions.base import Witness
from epstar.notions.constraints import RatioBound
from epstar.universe import Universe

# What a bound on two inputs takes of memory.
_BOUND_BYTES = 1000


@dataclass(frozen=True)
class PairArrays:
    """Ordered pairs of inputs: positions and distances."""

    first: NDArray[np.intp]
    second: NDArray[np.intp]
    distance: NDArray[np.float64]


def ordered_pairs(universe: Universe) -> Iterator[tuple[int, int, Rational]]:
    """Yield (x, x', distance) for every constrained pair, in both orders."""
    pairs = universe.pairs()
    distances = [ONE] * len(pairs.first) if pairs.distance is None else pairs.distance
    for first, second, distance in in_time(zip(pairs.first.tolist(), pairs.second.tolist(), distances, strict=True)):
        yield first, second, distance
        yield second, first, distance


def bounded_pairs(universe: Universe) -> Iterator[tuple[int, int, Rational]]:
    """Yield the same for a bound to be made of each, if the memory allowed has room for them."""
    keep_memory(2 * len(universe.pairs().first) * _BOUND_BYTES)
    yield from ordered_pairs(universe)


def pair_arrays(universe: Universe) -> PairArrays:
    """Return the ordered pairs as arrays."""
    pairs = universe.pairs()
    distance = np.ones(len(pairs.first)) if pairs.distance is None else nearest_floats(pairs.distance)
    return PairArrays(
        np.concatenate([pairs.first, pairs.second]).astype(np.intp),
        np.concatenate([pairs.second, pairs.first]).astype(np.intp),
        np.concatenate([distance, distance]),
    )


class PairBounds(Sequence[RatioBound]):
    """The ratio bounds of the constrained pairs of a universe, in both orders, made when they are looked at.

    A metric on a thousand places has a million: whoever compares whole arrays needs the pairs alone.
    """

    def __init__(self, universe: Universe, slack: Rational = ZERO, events: bool = False) -> None:
        self.pairs = universe.pairs()
        self.slack = slack
        self.events = events
        self._universe = universe

    def __len__(self) -> int:
        return 2 * len(self.pairs)

    @overload
    def __getitem__(self, place: int) -> RatioBound: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[RatioBound]: ...

    def __getitem__(self, place: int | slice) -> RatioBound | Sequence[RatioBound]:
        if isinstance(place, slice) or "_listed" in vars(self):
            return self._listed[place]
        pair, order = divmod(range(len(self))[place], 2)
        ends = int(self.pairs.first[pair]), int(self.pairs.second[pair])
        left, right = ends if order == 0 else ends[::-1]
        return self._bound(left, right, ONE if self.pairs.distance is None else self.pairs.distance[pair])

    def __iter__(self) -> Iterator[RatioBound]:
        return iter(self._listed)

    @cached_property
    def arrays(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.float64]]:
        """The two inputs of each bound, and their distance."""
        ends = np.stack([self.pairs.first, self.pairs.second], axis=1).astype(np.intp)
        given = self.pairs.distance
        distances = np.ones(len(ends)) if given is None else nearest_floats(given)
        return ends.ravel(), ends[:, ::-1].ravel(), np.repeat(distances, 2)

    @cached_property
    def _listed(self) -> tuple[RatioBound, ...]:
        return tuple(self._bound(left, right, distance) for left, right, distance in bounded_pairs(self._universe))

    def _bound(self, left: int, right: int, distance: Rational) -> RatioBound:
        return RatioBound({left: ONE}, {right: ONE}, distance, self.slack, self.events, name=(left, right))


@dataclass(frozen=True)
class LawPair:
    """The distributions of the output at two constrained inputs, their distance, and which inputs they are.

    `grouped` says that outputs on which the ratio of the two distributions is the same were added up: no divergence
    notices, but places in the distributions are not outputs.
    """

    witness: Witness
    left: Sequence[Rational]
    right: Sequence[Rational]
    distance: Rational = ONE
    grouped: bool = False


def law_pairs(mechanism: Mechanism) -> Iterator[LawPair]:
    """Yield the rows of an exact mechanism for every constrained pair in both orders, unless they are equal."""
    rows, kinds = mechanism.rows, dict[object, int]()
    kind = [kinds.setdefault(row, len(kinds)) for row in rows]
    for first, second, distance in ordered_pairs(mechanism.universe):
        if kind[first] != kind[second]:
            yield LawPair(Witness((first, second)), rows[first], rows[second], distance)


def extreme_pairs(mechanism: Mechanism) -> Iterator[LawPair]:
    """Yield for each output the rows that give it most and least: where all pairs count alike, these decide on it."""
    rows = mechanism.rows
    for column in zip(*rows, strict=True):
        high, low = column.index(max(column)), column.index(min(column))
        if high != low:
            yield LawPair(Witness((high, low)), rows[high], rows[low])


def distinct_pairs(pairs: Iterable[LawPair]) -> Iterator[LawPair]:
    """Yield the pairs of different distributions, one of each kind: enclosures could not tell equal ones apart.

    What a divergence can depend on are the entries, in any order, and the distance.
    """
    seen, numbers = set[object](), dict[Rational, int]()
    # Laws come in many pairs, and their numbers are looked up once; a law is kept, so that no other has its place.
    numbered: dict[int, tuple[Sequence[Rational], tuple[int, ...]]] = {}

    def coded(law: Sequence[Rational]) -> tuple[int, ...]:
        if id(law) not in numbered:
            numbered[id(law)] = law, tuple(numbers.setdefault(entry, len(numbers)) for entry in law)
        return numbered[id(law)][1]

    for pair in pairs:
        left, right = coded(pair.left), coded(pair.right)
        if left != right:
            key = frozenset(Counter(zip(left, right, strict=True)).items()), pair.distance
            if key not in seen:
                seen.add(key)
                yield pair
