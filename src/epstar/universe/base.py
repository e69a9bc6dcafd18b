"""Finite sets with a distance: what the data can be, and which values must be hard to tell apart."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import eq
from typing import Any, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from epstar.arguments import shown, whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.exact.vectors import nearest_floats
from epstar.probability_vectors import listed

Label = Hashable
Labels: TypeAlias = "Sequence[Label] | NDArray[Any] | int"
Indices = NDArray[np.int64]
PAIR_LIMIT = 1 << 22
LABEL_LIMIT = 1 << 26


@dataclass(frozen=True, eq=False)
class Pairs:
    """The constrained pairs first[k] < second[k]; `distance` is None when every distance is one.

    >>> from epstar import Databases
    >>> pairs = Databases(2, rows=2).pairs()
    >>> list(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True))
    [(0, 2), (1, 3), (0, 1), (2, 3)]
    """

    first: Indices
    second: Indices
    distance: tuple[Rational, ...] | None = None

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def lengths(self) -> tuple[tuple[Rational, ...], Indices]:
        """The different distances, and for each pair the place of its own among them."""
        if self.distance is None or not self.distance:
            return (ONE,), np.zeros(len(self), dtype=np.int64)
        rounded = nearest_floats(self.distance)
        _, found, place = np.unique(rounded, return_index=True, return_inverse=True)
        lengths = tuple(self.distance[k] for k in found.tolist())
        if all(map(eq, self.distance, map(lengths.__getitem__, place.tolist()))):
            return lengths, place.astype(np.int64)
        # Some differ by less than a rounding.
        places: dict[Rational, int] = {}
        exact = [places.setdefault(distance, len(places)) for distance in self.distance]
        return tuple(places), np.array(exact, dtype=np.int64)


class Universe(ABC):
    """A finite labelled set with a distance. Elements are addressed by index, 0 to size - 1.

    >>> from epstar import Alphabet
    >>> answers = Alphabet(["yes", "no"])
    >>> answers.size, answers.index("no")
    (2, 1)
    """

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of elements, an int of any length."""

    @property
    @abstractmethod
    def labels(self) -> Sequence[Label]:
        """The labels in order of index."""

    @abstractmethod
    def index(self, label: Label) -> int:
        """Return the index of a label; an unknown label is an `InvalidInput`."""

    @abstractmethod
    def distance(self, i: int, j: int) -> Rational | None:
        """Return the distance of two elements; None means infinite, so no constraint."""

    @property
    def number_of_pairs(self) -> int:
        """How many pairs `pairs` lists at most; what has a short description tells it before any is listed."""
        return len(self.pairs())

    @abstractmethod
    def pairs(self) -> Pairs:
        """Return the pairs whose constraints imply all others.

        Raises:
            InvalidInput: if there are more than 2**22 of them.
        """

    @property
    @abstractmethod
    def diameter(self) -> Rational | None:
        """The largest distance; None if some distance is infinite."""

    def label(self, i: int) -> Label:
        """Return the label of an element."""
        return self.labels[self.read_index(i)]

    def read_index(self, i: int) -> int:
        """Return `i` as an int after checking that the universe has it."""
        index = whole_number(i, "An index", 0)
        if index >= self.size:
            raise InvalidInput(f"Index {shown(index)} is outside the universe, whose size is {shown(self.size)}.")
        return index


@dataclass(frozen=True, init=False)
class Listed(Universe):
    """What universes share whose labels are listed one by one."""

    names: tuple[Label, ...]

    def __init__(self, labels_or_size: Labels, what: str) -> None:
        object.__setattr__(self, "names", _read_labels(labels_or_size, what))

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def labels(self) -> tuple[Label, ...]:
        return self.names

    @cached_property
    def _index_of_label(self) -> dict[Label, int]:
        return {label: place for place, label in enumerate(self.names)}

    def index(self, label: Label) -> int:
        try:
            return self._index_of_label[label]
        except (KeyError, TypeError):
            raise InvalidInput(
                f"{shown(label)} is not a label of this universe; labels are compared exactly."
            ) from None


class Alphabet(Listed):
    """Labels of which every two are neighbours: the local model.

    >>> Alphabet(["red", "green", "blue"]).index("blue")
    2
    """

    def __init__(self, labels_or_size: Labels) -> None:
        super().__init__(labels_or_size, "An alphabet")

    def distance(self, i: int, j: int) -> Rational:
        return ZERO if self.read_index(i) == self.read_index(j) else ONE

    @property
    def number_of_pairs(self) -> int:
        return self.size * (self.size - 1) // 2

    def pairs(self) -> Pairs:
        check_pair_count(self.number_of_pairs)
        first, second = np.triu_indices(self.size, 1)
        return Pairs(first.astype(np.int64), second.astype(np.int64))

    @property
    def diameter(self) -> Rational:
        return ONE if self.size > 1 else ZERO


def _read_labels(labels_or_size: object, what: str) -> tuple[Label, ...]:
    if isinstance(labels_or_size, int | np.integer):
        size = whole_number(labels_or_size, f"The size of {what.lower()}", 1)
        if size > LABEL_LIMIT:
            raise InvalidInput(
                f"{what} of {shown(size)} labels is too large to list; at most {LABEL_LIMIT} can be, so merge some."
            )
        return tuple(range(size))
    labels: list[Label] = []
    for place, label in enumerate(listed(labels_or_size, what), 1):
        if not _is_hashable(label):
            raise InvalidInput(f"Label {place} of {what.lower()} is not hashable; use texts, numbers or tuples.")
        if isinstance(label, float) and math.isnan(label):
            raise InvalidInput(f"Label {place} of {what.lower()} is NaN, which equals no value; use a text.")
        labels.append(label)
    seen: set[Label] = set()
    for label in labels:
        if label in seen:
            raise InvalidInput(f"{what} has the label {shown(label)} twice; labels must be distinct.")
        seen.add(label)
    return tuple(labels)


def _is_hashable(label: object) -> TypeGuard[Hashable]:
    try:
        hash(label)
    except TypeError:
        return False
    return True


def check_pair_count(count: int) -> None:
    if count > PAIR_LIMIT:
        raise InvalidInput(
            f"The universe has {shown(count)} pairs of neighbours, too many to list; "
            f"at most {PAIR_LIMIT} can be, so use a closed form or a structured mechanism."
        )
