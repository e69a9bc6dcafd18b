"""Unlike rows that share a distortion: the least level at which their least distortions add up to what is allowed.

The sum falls in e^level, often along a hyperbola, and then the one through three levels meets what is allowed at the
answer itself. Below it some row distorts more, as its own least loss at what the others leave it shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass

from epstar.completion import ClaimedProof, Proof
from epstar.completion.converse import BITS
from epstar.errors import TimeLimit
from epstar.exact import INFINITY, ONE, ZERO, Interval, Rational, Real, largest, smallest
from epstar.problem import Asked
from epstar.solve.bracket import Bracket, Question
from epstar.solve.program.laws import exact
from epstar.solve.program.level import NARROW
from epstar.source import Prior

RowProof = Proof | ClaimedProof
Asking = Generator[Question, Bracket | None, RowProof]
RowSolver = Callable[[Prior, Asked, Real], Asking]
# More levels, and more ways to divide a distortion, than searches try that get anywhere.
_MOST_STEPS, _MOST_BALANCES = 200, 6
# The largest e^level that is tried: rows that need more do so whatever they are given.
_LARGEST_GROWTH = Rational(1 << 2048)
# The share of a level, or of a distortion, below which nothing is told apart.
_FINE = Rational(1, 1 << 120)
# Bits: a root of more is rounded, to so many more than the bracket tells.
_MOST_DIGITS, _EXTRA_DIGITS = 512, 16


@dataclass(frozen=True)
class Shared:
    """One proof per row for each side: mechanisms that keep to the distortion, and why no smaller level does."""

    lower: tuple[RowProof, ...]
    upper: tuple[RowProof, ...]
    width: float

    @property
    def is_wide(self) -> bool:
        """Whether less is proven than an answer should say."""
        return self.width > NARROW


@dataclass(frozen=True)
class _Place:
    """A level and its exponential, with each row's least distortion and by how much they exceed what is allowed."""

    level: Real
    factor: Rational
    rows: tuple[RowProof, ...]
    intervals: tuple[Interval, ...]
    excess: Rational

    @property
    def doubt(self) -> Rational:
        """By how much the distortions may be smaller than the mechanisms found have."""
        return sum((exact(interval.width) for interval in self.intervals), ZERO)


def shared_level(
    laws: Sequence[Prior], allowed: Rational, solve_row: RowSolver
) -> Generator[Question, Bracket | None, Shared]:
    """Return proofs of the rows around the least level of them all.

    Raises:
        NoSolution: if a row alone cannot keep to the distortion.
        TimeLimit: if no mechanism was found in time.
    """
    search = _Search(laws, allowed, solve_row)
    # No row can do with less than it would need if it had all of the distortion to itself.
    alone: dict[Prior, RowProof] = {}
    for law in dict.fromkeys(laws):
        alone[law] = yield from solve_row(law, "loss", Real.of(allowed))
    levels = {law: proof.check().upper for law, proof in alone.items()}
    pivot = laws.index(max(laws, key=lambda law: _order(levels[law])))
    found = []
    try:
        if (yield from search.reaches_beyond(levels[laws[pivot]])):
            yield from search.narrow()
            found.append((yield from search.settled(pivot)))
        if not found or found[0].is_wide:
            found += yield from search.balanced()
    except TimeLimit:
        if not search.above:
            raise
        rows = search.above[0].rows
        known = (*rows[:pivot], alone[laws[pivot]], *rows[pivot + 1 :])
        found.append(Shared(known, rows, math.inf))
    return min(found, key=lambda shared: shared.width)


class _Search:
    """The levels tried so far: those with too much distortion, largest first, and the others, smallest first."""

    def __init__(self, laws: Sequence[Prior], allowed: Rational, solve_row: RowSolver) -> None:
        self.laws = laws
        self.allowed = allowed
        self.solve_row = solve_row
        self.below: list[_Place] = []
        self.above: list[_Place] = []

    def reach(self, level: Real) -> Generator[Question, Bracket | None, _Place]:
        """Solve all rows at a level inside the bracket, or hardly above it if it is not the logarithm of a fraction."""
        factor = _factor(level)
        reached = level if level.is_infinite else Real.log(factor)
        solved: dict[Prior, RowProof] = {}
        for law in dict.fromkeys(self.laws):
            solved[law] = yield from self.solve_row(law, "distortion", reached)
        checked = {law: proof.check() for law, proof in solved.items()}
        intervals = tuple(checked[law] for law in self.laws)
        if any(interval.upper.is_infinite for interval in intervals):
            raise TimeLimit("No mechanism was found for some row in time; allow more of it.")
        excess = sum((interval.upper.above(BITS) for interval in intervals), -self.allowed)
        place = _Place(reached, factor, tuple(solved[law] for law in self.laws), intervals, excess)
        (self.below if excess > 0 else self.above).insert(0, place)
        return place

    def reaches_beyond(self, level: Real) -> Generator[Question, Bracket | None, bool]:
        """Return whether a level is found that is large enough, not below the one given."""
        start, growth = (yield from self.reach(level)), Rational(2)
        while not self.above and growth < _LARGEST_GROWTH:
            yield from self.reach(Real.log(start.factor * growth))
            growth *= growth
        return bool(self.above)

    def narrow(self) -> Generator[Question, Bracket | None, None]:
        """Try levels between until one is as near as distortions are known, or until they cannot be told apart."""
        way = 0
        for _ in range(_MOST_STEPS if self.below else 0):
            low, high = self._bracket()
            if self.above[0].excess + self.above[0].doubt >= 0 or high - low <= low * _FINE:
                return
            yield from self.reach(Real.log(self._between(low, high, way)))
            smaller, larger = self._bracket()
            if 4 * (larger - smaller) > high - low:
                way = (way + 1) % 3

    def settled(self, pivot: int) -> Generator[Question, Bracket | None, Shared]:
        """Return the evidence at the level found: what the other rows leave to one of them, and its loss at that.

        It is the row whose distortion changes most just below, the pivot where no level below was tried.
        """
        place, share = self.above[0], self.allowed
        for below in self.below[:1]:
            pairs = zip(below.intervals, place.intervals, strict=True)
            drops = [low.upper.above(BITS) - high.upper.above(BITS) for low, high in pairs]
            pivot = drops.index(max(drops))
        for row, interval in enumerate(place.intervals):
            if row != pivot:
                share -= interval.lower.below(BITS)
                if interval.lower.rational is None:
                    # No checker can tell that they add up to what is allowed if they do so exactly.
                    share += self.allowed * _FINE
        loss = yield from self.solve_row(self.laws[pivot], "loss", Real.of(share))
        lower, rows = loss.check().lower, (*place.rows[:pivot], loss, *place.rows[pivot + 1 :])
        return Shared(rows, place.rows, Interval(smallest([lower, place.level]), place.level).width)

    def balanced(self) -> Generator[Question, Bracket | None, list[Shared]]:
        """Divide the distortion so that the rows lose the same: near none, losses say more than distortions.

        There e^level is inverse to the distortion of a row.
        """
        weights = [interval.upper.above(BITS) for place in self.above[:1] for interval in place.intervals]
        if not any(weights):
            weights = [ONE] * len(self.laws)
        tried: list[Shared] = []
        for _ in range(_MOST_BALANCES):
            total = sum(weights, ZERO)
            rows: list[RowProof] = []
            known: list[RowProof] = []
            for law, weight in zip(self.laws, weights, strict=True):
                row = yield from self.solve_row(law, "loss", Real.of(self.allowed * weight / total))
                rows.append(row)
                # A row that needs none of the distortion does with none at any level.
                known.append(row if weight > 0 else (yield from self.solve_row(law, "distortion", INFINITY)))
            intervals = [row.check() for row in rows]
            excluded = [i.lower for i, weight in zip(intervals, weights, strict=True) if weight > 0]
            lower, upper = smallest(excluded), largest(i.upper for i in intervals)
            width = tried[-1].width if tried else math.inf
            tried.append(Shared(tuple(known), tuple(rows), Interval(lower, upper).width))
            if not (tried[-1].is_wide and tried[-1].width < width / 2):
                break
            levels = [interval.upper.upper for interval in intervals]
            gains = [exact(math.exp(level - max(levels))) for level in levels]
            weights = [weight * gain for weight, gain in zip(weights, gains, strict=True)]
        return tried

    def _bracket(self) -> tuple[Rational, Rational]:
        return self.below[0].factor, self.above[0].factor

    def _between(self, low: Rational, high: Rational, way: int) -> Rational:
        """Return a level in the bracket: by a hyperbola around it, by one above it, or its middle."""
        if way < 2:
            around = sorted(self.below[:2] + self.above[:2], key=lambda place: abs(2 * place.factor - low - high))
            near = around if way == 0 else self.above
            doubt = self.above[0].doubt
            root = _root(near[:3], doubt / 2) if len(near) >= 3 else None
            if root is not None and low < root < high:
                is_short = int(root.q).bit_length() <= _MOST_DIGITS and doubt == 0
                return root if is_short else _rounded(root, low, high)
        if high > 4 * low:
            return Rational(math.isqrt(int(low * high)))
        return (low + high) / 2


def _root(places: Sequence[_Place], room: Rational) -> Rational | None:
    """Return where the hyperbola through the distortions at three levels leaves so much room, if there is one."""
    x, y, z = (place.factor for place in places)
    first, second, third = (place.excess + room for place in places)
    slope, other = (second - first) / (y - x), (third - first) / (z - x)
    if other != slope:
        if third == second:
            return None
        slope -= second * (other - slope) / (third - second)
    return None if slope == 0 else x - first / slope


def _rounded(value: Rational, low: Rational, high: Rational) -> Rational:
    """Return a number near the value, with few digits, strictly between the two ends."""
    scale = 1 << (_EXTRA_DIGITS + max(0, int(1 / (high - low)).bit_length()))
    return min(max(Rational(int(value * scale), scale), low + Rational(1, scale)), high - Rational(1, scale))


def _order(level: Real) -> tuple[bool, Rational]:
    return level.is_infinite, _factor(level)


def _factor(level: Real) -> Rational:
    """Return the exponential of a level, or hardly more; zero stands for infinity."""
    if level.is_infinite:
        return ZERO
    return level.argument_of_log if level.argument_of_log is not None else Real.exp(level).above(BITS)
