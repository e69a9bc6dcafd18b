"""Numbers as categories: bins that are declared, or points between which a number is rounded at random.

A bin is released as its middle. A number between two points becomes the upper one with the probability that makes its
mean the number itself, so that a mean that is estimated from the points is the mean of the numbers. Rounding happens
before the mechanism, and a mechanism protects a rounded number as it protects any.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.exact import Rational, rational, text
from epstar.exact.vectors import nearest_floats
from epstar.probability_vectors import listed
from epstar.release.keystream import Keystream, random_words

Rounding = Literal["middle", "random"]
Floats = NDArray[np.float64]


@dataclass(frozen=True, init=False)
class Bins:
    """The ends of neighbouring bins, or points, from low to high; the last end belongs to the last bin.

    Raises:
        InvalidInput: for fewer than two numbers, or numbers that do not rise.

    >>> Bins([0, 18, 65, 100]).labels
    (9, 41.5, 82.5)
    >>> Bins([0, 50, 100], "random").labels
    (0, 50, 100)
    """

    edges: tuple[Rational, ...]
    rounding: Rounding

    def __init__(self, edges: object, rounding: Rounding = "middle") -> None:
        read = tuple(rational(edge) for edge in listed(edges, "The ends of bins"))
        if len(read) < 2 or any(low >= high for low, high in pairwise(read)):
            raise InvalidInput("Bins need at least two ends, and points two, each larger than the one before.")
        if rounding not in ("middle", "random"):
            raise InvalidInput("Numbers are released as the 'middle' of a bin, or rounded at 'random' to a point.")
        object.__setattr__(self, "edges", read)
        object.__setattr__(self, "rounding", rounding)

    @property
    def labels(self) -> tuple[int | float, ...]:
        """What is released in place of the numbers: middles, or points."""
        if self.rounding == "random":
            return tuple(map(_plain, self.edges))
        return tuple(_plain((low + high) / 2) for low, high in pairwise(self.edges))

    def positions(self, values: Floats) -> NDArray[np.int32]:
        """Return the place of each number among the labels, -1 for those outside and for what is no number."""
        ends = nearest_floats(self.edges)
        place = np.clip(np.searchsorted(ends, values, side="right") - 1, 0, len(ends) - 2)
        if self.rounding == "random":
            share = (values - ends[place]) / (ends[place + 1] - ends[place])
            drawn = random_words(Keystream(), len(values)) >> np.uint64(11)
            place = place + (drawn.astype(np.float64) * 2.0**-53 < share)
        inside = (values >= ends[0]) & (values <= ends[-1])
        return np.where(inside, place, -1).astype(np.int32)

    def to_json(self) -> dict[str, object]:
        """Return the bins as they stand in a release file."""
        return {"edges": [text(edge) for edge in self.edges], "rounding": self.rounding}


def numbers(values: Any) -> Floats:
    """Return an Arrow column of numbers, or of texts of numbers, with NaN for everything that is none."""
    import pyarrow as pa

    try:
        found: Floats = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
        return found
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return np.array([_number(value) for value in values.to_pylist()], dtype=np.float64)


def _number(value: object) -> float:
    try:
        return float(value) if isinstance(value, str | int | float) else np.nan
    except ValueError:
        return np.nan


def _plain(number: Rational) -> int | float:
    return int(number.p) if number.q == 1 else float(nearest_floats([number])[0])
