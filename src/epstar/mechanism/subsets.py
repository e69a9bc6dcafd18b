"""Subset selection: an input is answered with a set of k categories that holds it more often than others do.

Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, IEEE
Transactions on Information Theory 64 (2018). With k = 1 it is randomised response.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import comb
from typing import Any, overload

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, Number, Rational, text
from epstar.mechanism.base import SCHEMA
from epstar.mechanism.parsing import read_ratio
from epstar.mechanism.structured import StructuredMechanism, require_alphabet
from epstar.universe import Alphabet


@dataclass(frozen=True)
class Subsets(Sequence[Hashable]):
    """All sets of k of some labels as tuples, in the order of the combinatorial number system; none is stored.

    >>> Subsets(("a", "b", "c"), 2)[:]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    """

    labels: tuple[Hashable, ...]
    chosen: int

    def __len__(self) -> int:
        return comb(len(self.labels), self.chosen)

    @overload
    def __getitem__(self, place: int) -> tuple[Hashable, ...]: ...

    @overload
    def __getitem__(self, place: slice) -> list[tuple[Hashable, ...]]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return [self[one] for one in range(len(self))[place]]
        return tuple(self.labels[x] for x in self.members(place))

    def members(self, place: int) -> tuple[int, ...]:
        """Return the positions of the labels in the set at a place."""
        count = comb(len(self.labels), self.chosen)
        rest = place + count if place < 0 else place
        if not 0 <= rest < count:
            raise IndexError(place)
        found = []
        # The largest member first; each count of smaller sets is found by stepping down.
        for left in range(self.chosen, 0, -1):
            largest = left - 1
            while comb(largest + 1, left) <= rest:
                largest += 1
            rest -= comb(largest, left)
            found.append(largest)
        return tuple(reversed(found))


@dataclass(frozen=True, init=False, eq=False, repr=False)
class SubsetSelection(StructuredMechanism):
    """The mechanism that answers with a set of `chosen` categories, `ratio` times as likely if it holds the input.

    It is never expanded unless it is small: a thousand categories have more sets than can be numbered.

    >>> some = SubsetSelection(Alphabet(4), 2, 3)
    >>> str(some.inclusion), str(some.elsewhere), str(some.entry(0, 0))
    ('3/4', '5/12', '1/4')
    """

    chosen: int
    ratio: Rational

    def __init__(self, universe: Alphabet, chosen: int, ratio: Number) -> None:
        universe = require_alphabet(universe, "Subset selection")
        if not 1 <= whole_number(chosen, "The size of the sets", 1) < max(2, universe.size):
            raise InvalidInput(
                f"Sets of {chosen} of {universe.size} categories say nothing about the value; choose fewer."
            )
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", Subsets(universe.labels, chosen))
        object.__setattr__(self, "chosen", chosen)
        object.__setattr__(self, "ratio", read_ratio(ratio))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and the number of sets."""
        return self.universe.size, comb(self.universe.size, self.chosen)

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x'): that of a set that holds the one and not the other."""
        return self.ratio if self.universe.size > 1 else ONE

    @property
    def inclusion(self) -> Rational:
        """The probability that the set holds the input."""
        inside = self.ratio * self.chosen
        return inside / (inside + self.universe.size - self.chosen)

    @property
    def elsewhere(self) -> Rational:
        """The probability that the set holds a category that is not the input."""
        return (self.chosen - self.inclusion) / (self.universe.size - 1)

    def _entry(self, x: int, y: int) -> Rational:
        sets = self.outputs
        assert isinstance(sets, Subsets)
        size, chosen = self.universe.size, self.chosen
        if x in sets.members(y):
            return self.inclusion / comb(size - 1, chosen - 1)
        return (ONE - self.inclusion) / comb(size - 1, chosen)

    def _hamming_costs(self) -> tuple[Rational, ...]:
        raise InvalidInput("A set of categories has no Hamming cost; estimate frequencies from it instead.")

    def to_json(self) -> dict[str, object]:
        """Return the description: the categories, the size of the sets and the ratio."""
        from epstar.mechanism.document import write_universe

        return {
            "schema": SCHEMA,
            "kind": "subset_selection",
            "universe": write_universe(self.universe),
            "chosen": self.chosen,
            "ratio": text(self.ratio),
        }

    def _key(self) -> tuple[object, ...]:
        return self.universe, self.chosen, self.ratio
