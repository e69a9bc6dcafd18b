"""Randomised response and its optimal generalisations on an alphabet, in as many numbers as symbols."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from epstar.arguments import whole_number
from epstar.distortion import Absolute, Distortion, Squared
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, text
from epstar.exact.vectors import sum_of
from epstar.mechanism.base import SCHEMA, AnyMechanism
from epstar.mechanism.parsing import read_probability, read_ratio
from epstar.mechanism.structured import SparseRow, StructuredMechanism, require_alphabet
from epstar.probability_vectors import Numbers, listed, vector
from epstar.universe import Alphabet


@dataclass(frozen=True, init=False, eq=False, repr=False)
class TopRandomisedResponse(StructuredMechanism):
    """Randomised response on r `active` symbols, optimal for Hamming distortion and one prior.

    With E = `ratio` and u = (1-delta) E / (E+r-1): an active input keeps its symbol with probability u and
    names each other active one with u/E; an inactive input names each active symbol with (1-delta)/r. Then
    `delta` is added on the diagonal, for approximate differential privacy (zhong2022, Theorem 9).

    `active` lists positions of the alphabet. Raises `InvalidInput` for positions that do not exist or stand
    twice, a ratio below 1 or a delta outside [0, 1].

    >>> top = TopRandomisedResponse(Alphabet(1_000_000), range(100), ratio=901)
    >>> str(top.entry(0, 0)), str(top.entry(0, 1)), str(top.entry(999_999, 1))
    ('901/1000', '1/1000', '1/100')
    """

    active: Sequence[int]
    ratio: Rational
    delta: Rational

    def __init__(self, universe: Alphabet, active: Sequence[int], ratio: object, delta: object = ZERO) -> None:
        universe = require_alphabet(universe, "Top randomised response")
        places: Sequence[int]
        if isinstance(active, range):
            places = active if active.step > 0 else active[::-1]  # a million of them take no room
        else:
            read = [whole_number(place, "An active position", 0) for place in listed(active, "The active categories")]
            places = tuple(sorted(read))
            if len(set(places)) == len(places) == places[-1] - places[0] + 1:
                places = range(places[0], places[-1] + 1)
        if len(places) == 0 or min(places) < 0 or max(places) >= universe.size:
            raise InvalidInput(f"The active categories must be some of the positions 0 to {universe.size - 1}.")
        if not isinstance(places, range) and len(set(places)) != len(places):
            raise InvalidInput("An active category stands twice; list each position once.")
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", universe.labels)
        object.__setattr__(self, "active", places)
        object.__setattr__(self, "ratio", read_ratio(ratio))
        object.__setattr__(self, "delta", read_probability(delta, "The probability delta"))

    @cached_property
    def _is_active(self) -> range | frozenset[int]:
        return self.active if isinstance(self.active, range) else frozenset(self.active)

    @cached_property
    def _levels(self) -> tuple[Rational, Rational, Rational]:
        """What an active input gives itself and each other one, and what an inactive input gives each."""
        count = len(self.active)
        rest = ONE - self.delta
        other = rest / (self.ratio + count - 1)
        return self.ratio * other, other, rest / count

    def _entry(self, x: int, y: int) -> Rational:
        kept, other, spread = self._levels
        value = ZERO
        if y in self._is_active:
            value = spread if x not in self._is_active else (kept if x == y else other)
        return value + self.delta if x == y else value

    def row(self, x: int) -> SparseRow:
        """Return the distribution of input `x` in O(1) numbers."""
        self._check_place(x, 0)
        _, other, spread = self._levels
        exceptions = {x: self._entry(x, x)}
        return SparseRow(self.active, other if x in self._is_active else spread, exceptions)

    def costs(self, distortion: Distortion) -> tuple[Rational, ...]:
        """Return the expected distortion of each input, exactly: differences of labels take as many sums as symbols."""
        if not isinstance(distortion, Absolute | Squared):
            return super().costs(distortion)
        _, other, spread = self._levels
        totals = distortion.totals(self.universe, self.active)
        # The truth costs nothing.
        return tuple(total * (other if x in self._is_active else spread) for x, total in enumerate(totals))

    def _hamming_costs(self) -> tuple[Rational, ...]:
        active, inactive = ONE - self._levels[0] - self.delta, ONE - self.delta
        is_active = self._is_active
        return tuple(active if x in is_active else inactive for x in range(self.universe.size))

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x'), exactly; None when it is infinite."""
        size, count = self.universe.size, len(self.active)
        if self.delta == 0:
            return self.ratio if count > 1 else ONE
        if size == 1:
            return ONE
        if count < size or self.delta == 1:
            return None  # the diagonal of an inactive symbol stands against zeros
        kept, other, _ = self._levels
        return (kept + self.delta) / other

    def to_json(self) -> dict[str, object]:
        """Return the description: active positions, ratio and delta."""
        from epstar.mechanism.document import write_universe

        return {
            "schema": SCHEMA,
            "kind": "top_randomised_response",
            "universe": write_universe(self.universe),
            "active": list(self.active),
            "ratio": text(self.ratio),
            "delta": text(self.delta),
        }

    def _key(self) -> tuple[object, ...]:
        return self.universe, tuple(self.active), self.ratio, self.delta


@dataclass(frozen=True, init=False, eq=False, repr=False)
class DiagonalMechanism(StructuredMechanism):
    """The mechanism with the diagonal q that loses least under differential privacy.

    Q(i|i) = q_i and Q(j|i) = (1-q_i) q_j / (S-q_i) with S = sum q >= 1. For Hamming distortion and any set of
    priors some optimum has this form (kalantari2018, equation (48) with no symbol left out).

    >>> str(DiagonalMechanism(Alphabet(3), ["2/3", "1/3", "1/3"]).worst_ratio)
    '2'
    """

    diagonal: tuple[Rational, ...]

    def __init__(self, universe: Alphabet, diagonal: Numbers) -> None:
        universe = require_alphabet(universe, "A diagonal mechanism")
        exact = vector(diagonal, "The diagonal")
        if len(exact) != universe.size:
            raise InvalidInput(
                f"The diagonal has {len(exact)} entries and the alphabet {universe.size} symbols; make them equal."
            )
        if min(exact) < 0 or max(exact) > 1:
            raise InvalidInput("The diagonal must hold probabilities; keep its entries between 0 and 1.")
        if sum_of(exact) < 1:
            raise InvalidInput(
                "The diagonal sums to less than 1, so that less distortion costs no privacy; raise it to 1."
            )
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", universe.labels)
        object.__setattr__(self, "diagonal", exact)

    @cached_property
    def _sum(self) -> Rational:
        return sum_of(self.diagonal)

    def _entry(self, x: int, y: int) -> Rational:
        kept = self.diagonal[x]
        if x == y:
            return kept
        # Certain of its own symbol, it names no other; this covers S = q_x as well.
        return ZERO if kept == 1 else (ONE - kept) * self.diagonal[y] / (self._sum - kept)

    def _hamming_costs(self) -> tuple[Rational, ...]:
        return tuple(ONE - kept for kept in self.diagonal)

    @property
    def worst_ratio(self) -> Rational | None:
        """The ratio E = 1 + (S-1) / (1 - max q), exactly, in O(m); None when it is infinite."""
        if self._sum == 1:
            return ONE
        largest = max(self.diagonal)
        return None if largest == 1 else ONE + (self._sum - 1) / (ONE - largest)

    def to_json(self) -> dict[str, object]:
        """Return the description: the diagonal."""
        from epstar.mechanism.document import write_universe

        return {
            "schema": SCHEMA,
            "kind": "diagonal",
            "universe": write_universe(self.universe),
            "diagonal": [text(kept) for kept in self.diagonal],
        }

    def _key(self) -> tuple[object, ...]:
        return self.universe, self.diagonal


@dataclass(frozen=True, init=False, eq=False, repr=False)
class RankOneMechanism(StructuredMechanism):
    """A mechanism of rank one beside its diagonal: Q(x|x) = a(x), and Q(y|x) = u(x) v(y) for another y.

    Under Hamming distortion the best mechanisms of mutual information, identifiability and min-entropy leakage are of
    this kind. Rows must sum to one, and no category gives itself less than the product would: a(x) >= u(x) v(x).

    >>> peaked = RankOneMechanism(Alphabet(3), ["1/2", "2/3", 1], ["1/2", "1/3", 0], ["1/2", "1/2", "1/2"])
    >>> [str(entry) for entry in peaked.dense().rows[1]]
    ['1/6', '2/3', '1/6']
    """

    diagonal: tuple[Rational, ...]
    left: tuple[Rational, ...]
    right: tuple[Rational, ...]

    def __init__(self, universe: Alphabet, diagonal: Numbers, left: Numbers, right: Numbers) -> None:
        universe = require_alphabet(universe, "A mechanism of rank one")
        parts = [vector(part, "A part of the mechanism") for part in (diagonal, left, right)]
        if any(len(part) != universe.size for part in parts):
            raise InvalidInput(f"The parts need one number for each of the {universe.size} symbols; make them equal.")
        if min(map(min, parts)) < 0:
            raise InvalidInput("The parts hold a negative number; probabilities are not negative.")
        total = sum_of(parts[2])
        for x, (a, u, v) in enumerate(zip(*parts, strict=True)):
            if a + u * (total - v) != 1:
                raise InvalidInput(f"Row {x} of the mechanism does not sum to one; correct its parts.")
            if a < u * v:
                raise InvalidInput(f"Input {x} gives itself less than the product would; write the matrix out.")
        object.__setattr__(self, "universe", universe)
        object.__setattr__(self, "outputs", universe.labels)
        for name, part in zip(("diagonal", "left", "right"), parts, strict=True):
            object.__setattr__(self, name, part)

    def _entry(self, x: int, y: int) -> Rational:
        return self.diagonal[x] if x == y else self.left[x] * self.right[y]

    def _hamming_costs(self) -> tuple[Rational, ...]:
        return tuple(ONE - kept for kept in self.diagonal)

    @property
    def worst_ratio(self) -> Rational | None:
        """The largest Q(y|x) / Q(y|x'), exactly: in each column a few inputs decide; None when it is infinite."""
        ranked = sorted(range(self.universe.size), key=self.left.__getitem__)
        worst = ONE
        for y, (own, v) in enumerate(zip(self.diagonal, self.right, strict=True)):
            others = [self.left[x] * v for x in (*ranked[:2], *ranked[-2:]) if x != y]
            high, low = max([own, *others]), min([own, *others])
            if high > 0 and low == 0:
                return None
            worst = max(worst, high / low) if high > 0 else worst
        return worst

    def to_json(self) -> dict[str, object]:
        """Return the description: the diagonal and the two factors beside it."""
        from epstar.mechanism.document import write_universe

        parts = {"diagonal": self.diagonal, "left": self.left, "right": self.right}
        written = {name: [text(value) for value in part] for name, part in parts.items()}
        return {"schema": SCHEMA, "kind": "rank_one", "universe": write_universe(self.universe), **written}

    def _key(self) -> tuple[object, ...]:
        return self.universe, self.diagonal, self.left, self.right


RankOneBeside: TypeAlias = TopRandomisedResponse | DiagonalMechanism | RankOneMechanism
"""The mechanisms that `parts_of` takes apart."""


def parts_of(mechanism: AnyMechanism) -> tuple[tuple[Rational, ...], tuple[Rational, ...], tuple[Rational, ...]]:
    """Return the numbers a, u, v of a mechanism with Q(x|x) = a(x) and Q(y|x) = u(x) v(y) elsewhere."""
    if isinstance(mechanism, RankOneMechanism):
        return mechanism.diagonal, mechanism.left, mechanism.right
    assert isinstance(mechanism, TopRandomisedResponse | DiagonalMechanism)
    letters = range(mechanism.universe.size)
    if isinstance(mechanism, DiagonalMechanism):
        kept, total = mechanism.diagonal, sum_of(mechanism.diagonal)
        return kept, tuple(ZERO if a == 1 else (ONE - a) / (total - a) for a in kept), kept
    active = set(mechanism.active)
    diagonal = tuple(mechanism.entry(x, x) for x in letters)
    # Alone, an active letter names no other.
    left = tuple(ZERO if active == {x} else mechanism.row(x).common for x in letters)
    return diagonal, left, tuple(ONE if y in active else ZERO for y in letters)
