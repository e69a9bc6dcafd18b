"""Mechanisms on an alphabet that are a product off the diagonal: Q(y|x) = a_x b_y if x != y, else d_y.

Randomised response, its version on the likeliest symbols and the mechanisms with a given diagonal are of this kind.
Categories with the same three numbers are of one kind, and randomised response on some symbols has two kinds. What a
category adds to a loss depends on its kind and grows or falls with its probability, so the likeliest and the
unlikeliest categories of each kind stand for all: a million symbols cost one look at the prior, and nothing is
expanded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest, nsmallest

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, ZERO, Rational
from epstar.exact.enclosure import Logarithm
from epstar.exact.vectors import sum_of
from epstar.mechanism import AnyMechanism, DiagonalMechanism, RankOneMechanism, TopRandomisedResponse, parts_of
from epstar.notions.base import Witness
from epstar.notions.measure.relative_entropy import logs_of_divergence
from epstar.notions.pairs import LawPair
from epstar.source import Prior


@dataclass(frozen=True, eq=False)
class Kind:
    """Categories with the same a (`input`), b (`output`) and d (`diagonal`)."""

    input: Rational
    output: Rational
    diagonal: Rational
    members: NDArray[np.intp]

    @property
    def count(self) -> int:
        """The number of categories."""
        return len(self.members)

    @cached_property
    def excess(self) -> Rational:
        """How much more a category gives itself than the product would: d - ab, which is never negative here."""
        return self.diagonal - self.input * self.output


@dataclass(frozen=True)
class Letter:
    """A category and its kind; the number `scale` multiplies its row."""

    place: int
    kind: Kind
    scale: Rational = ONE


@dataclass(frozen=True)
class Column:
    """The largest and the smallest entry of the column of a category, and the inputs that have them."""

    letter: Letter
    high: Rational
    low: Rational
    high_at: int
    low_at: int


@dataclass(frozen=True, eq=False)
class RankOne:
    """The kinds of categories, which together are all of them."""

    kinds: tuple[Kind, ...]
    size: int

    @classmethod
    def of(cls, mechanism: AnyMechanism) -> RankOne | None:
        """Return the kinds of a mechanism that is described by them, None for any other."""
        if isinstance(mechanism, DiagonalMechanism | RankOneMechanism):
            # Integers are hashed much faster than fractions.
            places: dict[tuple[object, ...], list[int]] = {}
            parts = parts_of(mechanism)
            for x, numbers in enumerate(zip(*parts, strict=True)):
                places.setdefault(tuple([part for value in numbers for part in (value.p, value.q)]), []).append(x)
            found = []
            for members in places.values():
                diagonal, given, output = (part[members[0]] for part in parts)
                found.append(Kind(given, output, diagonal, np.array(members, dtype=np.intp)))
            return cls(tuple(found), mechanism.universe.size)
        if isinstance(mechanism, TopRandomisedResponse):
            count, rest = len(mechanism.active), ONE - mechanism.delta
            other = rest / (mechanism.ratio + count - 1)
            active = np.array(mechanism.active, dtype=np.intp)
            kinds = [Kind(other, ONE, mechanism.ratio * other + mechanism.delta, active)]
            if count < mechanism.universe.size:
                is_inactive = np.ones(mechanism.universe.size, dtype=np.bool_)
                is_inactive[active] = False
                kinds.append(Kind(rest / count, ZERO, mechanism.delta, np.flatnonzero(is_inactive)))
            return cls(tuple(kinds), mechanism.universe.size)
        return None

    def expanded(self, values: Sequence[Rational]) -> list[Rational]:
        """Return one number per category from one per kind."""
        result = [ZERO] * self.size
        for kind, value in zip(self.kinds, values, strict=True):
            for x in kind.members.tolist():
                result[x] = value
        return result

    @cached_property
    def spread(self) -> Rational:
        """The sum of b over all categories."""
        return sum_of([kind.output * kind.count for kind in self.kinds])

    def typical(self, prior: Prior | None = None) -> list[Letter]:
        """Return two of the least and two of the most likely categories of each kind; without a prior any two."""
        letters = []
        for kind in self.kinds:
            if prior is None:
                letters += [Letter(x, kind) for x in kind.members[:2].tolist()]
            else:
                letters += [Letter(x, kind, prior.probabilities[x]) for x in _extremes(kind.members, prior)]
        return letters

    def columns(self, letters: Iterable[Letter]) -> Iterator[Column]:
        """Yield the extremes of each category's column of scaled rows: its own entry against the best of the others.

        The categories must be typical ones: then the largest and the smallest scaled a of all categories are among
        theirs.
        """
        known = list(letters)
        given = [letter.scale * letter.kind.input for letter in known]
        ascending = sorted(range(len(known)), key=given.__getitem__)
        for place, letter in enumerate(known):
            own = letter.scale * letter.kind.diagonal
            found = Column(letter, own, own, letter.place, letter.place)
            if self.size > 1:
                # Of all others, the one that gives least and the one that gives most.
                bottom = ascending[ascending[0] == place]
                top = ascending[-1 - (ascending[-1] == place)]
                low, high = (given[other] * letter.kind.output for other in (bottom, top))
                found = Column(
                    letter,
                    max(own, high),
                    min(own, low),
                    known[top].place if high > own else letter.place,
                    known[bottom].place if low < own else letter.place,
                )
            yield found

    def kind_columns(self) -> list[Column]:
        """Return the extremes of the columns of each kind, in which its categories agree."""
        columns = self.columns(self.typical())
        return [column for column in columns if column.letter.place == column.letter.kind.members[0]]

    def masses(self, prior: Prior) -> list[Rational]:
        """Return the probability of each kind."""
        law = prior.probabilities
        masses = [sum_of([law[x] for x in kind.members.tolist()]) for kind in self.kinds[1:]]
        return [ONE - sum_of(masses), *masses]

    def mean_input(self, prior: Prior) -> Rational:
        """Return the mean of a: category y is the output with probability b mean + p(y) (d - ab)."""
        return sum_of([kind.input * mass for kind, mass in zip(self.kinds, self.masses(prior), strict=True)])

    def pairs(self) -> Iterator[LawPair]:
        """Yield the distributions of every kind of pair of inputs, with the outputs other than the two added up."""
        for first, second, places in self._pairs_of_kinds():
            rest = self.spread - first.output - second.output
            left = first.diagonal, first.input * second.output, first.input * rest
            right = second.input * first.output, second.diagonal, second.input * rest
            yield LawPair(Witness(places), left, right, grouped=True)

    def entries(self) -> Iterator[LawPair]:
        """Yield the single entries Q(y|x) and Q(y|x') that every kind of pair of inputs can have, each kind once."""
        for first, second, places in self._pairs_of_kinds():
            others = [kind for kind in self.kinds if kind.count > (kind is first) + (kind is second)]
            left = first.diagonal, first.input * second.output, *(first.input * kind.output for kind in others)
            right = second.input * first.output, second.diagonal, *(second.input * kind.output for kind in others)
            yield LawPair(Witness(places), left, right, grouped=True)

    def _pairs_of_kinds(self) -> Iterator[tuple[Kind, Kind, tuple[int, int]]]:
        """Yield every pair of kinds that has two different categories, with such categories."""
        for first in self.kinds:
            for second in self.kinds:
                if first is not second:
                    yield first, second, (int(first.members[0]), int(second.members[0]))
                elif first.count > 1:
                    yield first, second, (int(first.members[0]), int(first.members[1]))

    def output_law(self, prior: Prior) -> list[Rational]:
        """Return the distribution of the output."""
        mean, law = self.mean_input(prior), [ZERO] * self.size
        for kind in self.kinds:
            common = kind.output * mean
            for x in kind.members.tolist():
                law[x] = common + prior.probabilities[x] * kind.excess
        return law

    def logs_of_divergence(self, letter: Letter, law: Sequence[Rational]) -> list[Logarithm] | None:
        """Return KL(Q(.|x) || distribution) of a category as weights of logarithms, None where it is infinite."""
        row = self.expanded([letter.kind.input * kind.output for kind in self.kinds])
        row[letter.place] = letter.kind.diagonal
        logs: list[Logarithm] = []
        return logs if logs_of_divergence(row, law, ONE, logs) else None

    def logs_of_information(self, prior: Prior) -> list[Logarithm]:
        """Return the mutual information as weights of logarithms of rationals, O(categories) terms in all."""
        law = self.output_law(prior)
        return self.logs_of_rows(prior) + [(probability, -probability) for probability in law if probability != 0]

    def logs_of_rows(self, prior: Prior) -> list[Logarithm]:
        """Return the mean of sum_y Q log Q over the inputs as weights of logarithms.

        The entries off the diagonal are products, whose logarithms add up: O(kinds) terms in all.
        """
        logs: list[Logarithm] = []
        mean = self.mean_input(prior)
        for kind, mass in zip(self.kinds, self.masses(prior), strict=True):
            logs.append((kind.diagonal, mass * kind.diagonal))
            logs.append((kind.input, mass * kind.input * (self.spread - kind.output)))
            logs.append((kind.output, (mean * kind.count - mass * kind.input) * kind.output))
        return [(argument, weight) for argument, weight in logs if weight != 0]


def _extremes(members: NDArray[np.intp], prior: Prior) -> list[int]:
    """Two of the least and two of the most likely members, or all of a few."""
    if len(members) <= 4:
        few: list[int] = members.tolist()
        return few
    floats, exact = prior.floats[members], prior.probabilities.__getitem__
    # Floats keep the order but for ties, which are settled in fractions.
    sorted_ends = np.partition(floats, [1, len(floats) - 2])
    least = nsmallest(2, members[floats <= sorted_ends[1]].tolist(), key=exact)
    most = nlargest(2, members[floats >= sorted_ends[-2]].tolist(), key=exact)
    return list(dict.fromkeys([*least, *most]))
