"""The constrained pairs of a universe in both orders, as numbers and as arrays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, Rational
from epstar.reading import nearest_floats
from epstar.universe import Universe


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
    for first, second, distance in zip(pairs.first.tolist(), pairs.second.tolist(), distances, strict=True):
        yield first, second, distance
        yield second, first, distance


def pair_arrays(universe: Universe) -> PairArrays:
    """Return the ordered pairs as arrays."""
    pairs = universe.pairs()
    distance = np.ones(len(pairs.first)) if pairs.distance is None else nearest_floats(pairs.distance)
    return PairArrays(
        np.concatenate([pairs.first, pairs.second]).astype(np.intp),
        np.concatenate([pairs.second, pairs.first]).astype(np.intp),
        np.concatenate([distance, distance]),
    )
