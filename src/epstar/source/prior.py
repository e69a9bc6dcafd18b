"""One known distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown, whole_number
from epstar.exact import Number, Rational, dot
from epstar.exact.vectors import nearest_floats
from epstar.probability_vectors import Labelled, Numbers, float_law, law, proportional_law, values_and_labels
from epstar.source.base import VERTEX_LIMIT, Maximum, Mixture, Point, Source, SourceClass, ratio
from epstar.source.corners import check_vertex_count
from epstar.source.order import class_of_points
from epstar.source.ranking import Ranking
from epstar.universe import Alphabet, Label

# A line has room for the probabilities of so many.
_MOST_SHOWN = 6


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Prior(Source):
    """One known distribution.

    Floats that sum to one within 1e-9 are divided by their sum; exact numbers must sum to exactly one. An array of
    floats becomes fractions when they are first asked for, so that a million categories are ordinary.

    A mapping, or a pandas Series, brings labels for the categories, which a `Frontier` takes for those of its
    alphabet; two priors that differ in them alone are equal. With `normalise` the numbers are weights of any sum, such
    as counts.

    >>> Prior([0.5, 0.3, 0.2]).maximum([1, 2, 3]).value
    17/10
    >>> survey = Prior({"yes": 3, "no": 1}, normalise=True)
    >>> survey.labels, survey.probabilities
    (('yes', 'no'), (3/4, 1/4))
    """

    _given: Point | NDArray[np.float64]
    labels: tuple[Label, ...] | None
    """What the categories are called, where they came with names."""

    def __init__(self, probabilities: Numbers | Mapping[Any, Number] | Labelled, *, normalise: bool = False) -> None:
        values, labels = values_and_labels(probabilities)
        given: Point | NDArray[np.float64] | None = None if normalise else float_law(values)
        if given is None:
            given = proportional_law(values, "A prior") if normalise else law(values, "A prior")
        object.__setattr__(self, "_given", given)
        object.__setattr__(self, "labels", None if labels is None else Alphabet(labels).labels)

    @cached_property
    def probabilities(self) -> Point:
        """The probabilities as fractions that sum to exactly one."""
        return law(self._given, "A prior") if isinstance(self._given, np.ndarray) else self._given

    @property
    def is_exact(self) -> bool:
        """Whether the probabilities are there as fractions already."""
        return not isinstance(self._given, np.ndarray)

    @property
    def proportions(self) -> NDArray[np.float64]:
        """Floats within 2**-53 of numbers in proportion to the probabilities: those given, or the nearest (read-only).

        The numbers are the decimals that the floats given stand for, or the probabilities themselves.
        """
        return self._given if isinstance(self._given, np.ndarray) else self.floats

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Prior):
            return NotImplemented
        return self._given is other._given or self.probabilities == other.probabilities

    def __hash__(self) -> int:
        return hash((Prior, self.probabilities))

    def __repr__(self) -> str:
        if self.size > _MOST_SHOWN:
            return super().__repr__()
        written = [shown(probability) for probability in self.probabilities]
        labels = [""] * self.size if self.labels is None else [f"{shown(label)}: " for label in self.labels]
        return f"Prior({', '.join(map(''.join, zip(labels, written, strict=True)))})"

    @classmethod
    def uniform_on(cls, size: int) -> Prior:
        """Return the uniform distribution on `size` categories."""
        letters = whole_number(size, "The number of categories", 1)
        return cls([Rational(1, letters)] * letters)

    @property
    def size(self) -> int:
        return len(self._given)

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The probabilities, each rounded to the nearest float (read-only)."""
        return read_only(nearest_floats(self.probabilities))

    @cached_property
    def ranking(self) -> Ranking:
        """The categories from the likeliest down, as integers with their partial sums. Cost: a sort, once."""
        if isinstance(self._given, np.ndarray):
            return Ranking.of_floats(self._given)
        return Ranking.of_fractions(self._given, self.floats)

    @property
    def flattest(self) -> Prior:
        return self

    def maximum(self, cost: Numbers) -> Maximum:
        return Maximum(dot(self.read_cost(cost), self.probabilities), self.probabilities)

    def maximum_ratio(self, i: int, j: int) -> Rational | None:
        i, j = self.read_letters(i, j)
        return ratio(self.probabilities[i], self.probabilities[j])

    def contains(self, point: Numbers) -> bool:
        return self.read_point(point) == self.probabilities

    def vertices(self, limit: int = VERTEX_LIMIT) -> list[Point]:
        check_vertex_count(1, limit)
        return [self.probabilities]

    def kalantari_class(self) -> SourceClass:
        is_uniform = self.probabilities == self.uniform
        return class_of_points([self.probabilities], Mixture(None) if is_uniform else None)


def read_only(array: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the array after forbidding to write to it."""
    array.flags.writeable = False
    return array
