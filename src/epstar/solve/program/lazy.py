"""Bounds that a program does not read until a mechanism breaks them: of many, few bind.

Those with a slack between inputs far apart are seldom used up, and have coefficients that a solver takes badly.
Ratios between each row and the law of the output, at each of many laws, are many for every output, and so are
divergences.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epstar.deadline import in_time
from epstar.exact import Real
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import LAW, Form, RatioBound, RelativeEntropy, SumBound
from epstar.notions.pairs import PairBounds
from epstar.solve.program import columns
from epstar.solve.program.arithmetic import ROUNDING
from epstar.solve.program.coefficients import Array, Coefficients, is_over_events
from epstar.solve.program.model import WORSE, Basis
from epstar.solve.program.predictor_corrector import Point

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Exponents beyond which a ratio is unlikely to be reached, and how many bounds are read without a question.
_UNLIKELY, _MANY_RATIOS, _MANY_SUMS = 12, 200, 100
# How many are read at once: for each output, and of those about events.
_MOST_ROWS, _MOST_EVENTS = 8, 16


Place = tuple[int, int | None]


@dataclass(frozen=True)
class Start:
    """The basis of a linear program, for a like one: with the same bounds, some more of its own laws and rows."""

    basis: Basis
    bounds: Hashable
    laws: int
    rows: tuple[Place, ...]


@dataclass
class Read:
    """What is known to matter: sums by their number, ratio bounds by their number and an output, or None for all.

    Ratio bounds are in the order in which they were read; `start` is where the last program ended, `path` how the
    last interior-point method came there, `iterates` the same under events.
    """

    sums: set[int] = field(default_factory=set)
    ratios: dict[Place, None] = field(default_factory=dict)
    start: Start | None = None
    path: columns.Path | None = None
    iterates: tuple[Point, ...] = ()


@dataclass(frozen=True, eq=False)
class Pairs:
    """Ratio bounds between two rows each, by their numbers: left * first row <= e^exponent * right * second row."""

    numbers: Places
    first: Places
    second: Places
    lefts: Floats
    exponents: Floats

    @classmethod
    def of(cls, bounds: Sequence[RatioBound], numbers: Sequence[int], level: Real) -> Pairs:
        """Return some of the bounds, at a level."""
        chosen = np.array(numbers, dtype=np.intp)
        if isinstance(bounds, PairBounds):
            first, second, distances = bounds.arrays
            ones = np.ones(len(chosen))
            return cls(chosen, first[chosen], second[chosen], ones, float(level) * distances[chosen])
        lefts, rights = ([next(iter(form.items())) for form in forms] for forms in _sides(bounds, numbers))
        first, second = (np.array([x for x, _ in side], dtype=np.intp) for side in (lefts, rights))
        scales, others = (nearest_floats([share for _, share in side]) for side in (lefts, rights))
        exponents = float(level) * nearest_floats([bounds[i].distance for i in numbers]) + np.log(others / scales)
        return cls(chosen, first, second, scales, exponents)


def _sides(bounds: Sequence[RatioBound], numbers: Sequence[int]) -> tuple[list[Form], list[Form]]:
    return [bounds[i].left for i in numbers], [bounds[i].right for i in numbers]


def plain_ratios(bounds: Sequence[RatioBound]) -> Sequence[int]:
    """Return which bounds compare two rows without a slack."""
    if isinstance(bounds, PairBounds):
        return range(len(bounds) if bounds.slack == 0 else 0)
    return [
        i
        for i, bound in enumerate(bounds)
        if len(bound.left) == len(bound.right) == 1 and bound.left.keys() != bound.right.keys() and bound.slack == 0
    ]


def needed_ratios(bounds: Sequence[RatioBound], level: Real) -> list[int]:
    """Return which bounds no others imply: of those between the same inputs the tightest, if no detour is as tight."""
    plain = plain_ratios(bounds)
    others = set(range(len(bounds))).difference(plain)
    pairs = Pairs.of(bounds, plain, level)
    size = 1 + max(pairs.first.max(initial=0), pairs.second.max(initial=0))
    order = np.lexsort((pairs.exponents, pairs.first * size + pairs.second))
    _, starts = np.unique((pairs.first * size + pairs.second)[order], return_index=True)
    tightest = order[starts]
    ends, lengths = (pairs.first[tightest], pairs.second[tightest]), pairs.exponents[tightest]
    is_implied = np.zeros((size, size), dtype=np.bool_)
    if lengths.min(initial=math.inf) > 0:
        # A detour is made of shorter ways, so that those that are implied themselves may be left out all at once.
        apart = np.full((size, size), math.inf)
        apart[ends] = lengths
        # A way that is shorter than a detour by mere rounding is no shorter.
        longest = apart * (1 + 10 * ROUNDING)
        for k in in_time(range(size)):
            before, after = (np.flatnonzero(np.isfinite(side)) for side in (apart[:, k], apart[k]))
            both = np.ix_(before, after)
            is_implied[both] |= apart[before, k, None] + apart[None, k, after] <= longest[both]
    return sorted([*others, *pairs.numbers[tightest[~is_implied[ends]]].tolist()])


def unlikely_ratios(bounds: Sequence[RatioBound], needed: Sequence[int], level: Real) -> set[int]:
    """Return which of the bounds that are needed hardly ever bind: those at many laws, and slacks of far inputs."""
    of_laws = {i for i in needed if max(len(bounds[i].left), len(bounds[i].right)) > 1}
    far = {i for i in needed if bounds[i].slack > 0 and level * bounds[i].distance > _UNLIKELY}
    return far | of_laws if len(of_laws) > _MANY_RATIOS else far


class UnreadRatios:
    """Ratio bounds, by their numbers, with coefficients at a level."""

    def __init__(self, bounds: Sequence[RatioBound], places: Sequence[int], numbers: Coefficients) -> None:
        self._bounds = [(i, bounds[i]) for i in places]
        self._sides = [
            [(list(form), numbers.array(form.values())) for form in (bound.left, bound.right)]
            for _, bound in self._bounds
        ]
        self._coefficients = [(numbers.growth(bound.distance), numbers.slack(bound)) for _, bound in self._bounds]
        # In fractions each is broken for good, and a round takes longer than many rows.
        self._takes_all = not numbers.are_floats
        self._least: Any = 0 if self._takes_all else WORSE

    def broken(self, matrix: Array) -> list[Place]:
        """Return the bounds that a matrix breaks most: some of each output, and some of events."""
        totals: list[tuple[Any, Place]] = []
        by_output: list[list[tuple[Any, Place]]] = [[] for _ in range(matrix.shape[1])]
        for (i, bound), sides, (ratio, slack) in zip(self._bounds, self._sides, self._coefficients, strict=True):
            left, right = (weights @ matrix[inputs] for inputs, weights in sides)
            excess = left - ratio * right
            if is_over_events(bound):
                # An event cuts off too little, so that a bound on all of them is read whole.
                totals.append((np.maximum(excess, 0).sum() - slack, (i, None)))
                continue
            for y in np.flatnonzero(excess - slack > self._least).tolist():
                by_output[y].append((excess[y] - slack, (i, y)))
        totals = [each for each in totals if each[0] > self._least]
        if self._takes_all:
            return [place for _, place in chain(totals, *by_output)]
        rows = [place for column in by_output for place in _largest(column, _MOST_ROWS)]
        return _largest(totals, _MOST_EVENTS) + rows


def _largest(excesses: list[tuple[Any, Place]], count: int) -> list[Place]:
    """Return the places of the largest numbers."""
    return [place for _, place in sorted(excesses, key=lambda each: -each[0])[:count]]


def read_first(sums: Sequence[SumBound], read: set[int], inputs: int) -> None:
    """Read all sums, or of very many divergences those of the rows at the first law, as good as any to begin with."""
    is_whole = len(sums) <= _MANY_SUMS or not all(map(_is_from_a_law, sums))
    read.update(range(len(sums) if is_whole else inputs))


def _is_from_a_law(bound: SumBound) -> bool:
    """Return whether a bound is on the divergence of a row from the law of the output, not from another row."""
    (_, atom), *others = bound.terms
    if others or not isinstance(atom, RelativeEntropy) or atom.right is LAW:
        return False
    return len(atom.left) == 1 < len(atom.right)


class UnreadSums:
    """Bounds on the divergences of rows from the law of the output, at many laws: those not `read` yet."""

    def __init__(self, sums: Sequence[SumBound], read: set[int], inputs: int) -> None:
        read_first(sums, read, inputs)
        self.read = read
        self._places = [i for i in range(len(sums)) if i not in read]
        self._rows = np.zeros(len(self._places), dtype=np.intp)
        self._laws = np.zeros((len(self._places), inputs))
        for number, i in enumerate(self._places):
            ((_, atom),) = sums[i].terms
            assert isinstance(atom, RelativeEntropy)
            (self._rows[number],) = atom.left
            self._laws[number, list(atom.right)] = [float(share) for share in atom.right.values()]

    def broken(self, matrix: Floats, bound: float, tolerance: float) -> list[int]:
        """Return, and read from now on, the bound that each row breaks most, if by more than the tolerance."""
        if not self._places:
            return []
        rows = np.maximum(matrix, 0.0)
        logs = np.log(np.where(rows > 0, rows, 1.0))
        outputs = np.log(np.maximum(self._laws @ rows, np.finfo(float).tiny))
        values = (rows * logs).sum(axis=1)[self._rows] - (rows[self._rows] * outputs).sum(axis=1)
        found = []
        for x in range(len(rows)):
            own = np.flatnonzero(self._rows == x)
            if own.size and values[own].max() > bound + tolerance:
                found.append(self._places[own[values[own].argmax()]])
        added = [i for i in found if i not in self.read]
        self.read.update(added)
        return added
