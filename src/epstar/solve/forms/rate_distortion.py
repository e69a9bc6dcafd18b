r"""Erokhin's rate-distortion function, inverted: the least distortion at which one prior loses at most a level.

Let p(1) >= p(2) >= ... be the prior in order, S(k) the sum of the first k letters, and H(k) the sum of p log(1/p) over
them. Between its corners the function is H(k) + (1 - D) log(1 - D) + (S(k) - 1 + D) log b with b the chance
(S(k) - 1 + D)/(k - 1) of each wrong letter that is kept. It is convex, so that its tangent at a place near the answer
meets the level below the answer, by no more than a square of what the place is off: floats by halving first, Newton's
method in balls then, and at last the first place above at which the information is surely no more than the level.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ZERO, Ball, Rational, Real, ball, working_precision
from epstar.source.ranking import Counts, Ranking

Floats = NDArray[np.float64]

_HALVINGS = 64
_GRID_BITS = 80
_BITS = 128
_STEPS = 12
_NEAR = Rational(1, 1 << 46)
_INWARD = 1 - Rational(1, 1 << 50)


@dataclass(frozen=True)
class RateDistortion:
    """The rate-distortion function of one prior under Hamming distortion.

    Where the counts of a ranking are rounded to a law at distance t, the information of any mechanism differs by at
    most t log m + h(t), with h the binary entropy, because both laws are mixtures of their common part with a share t
    of something else; its distortion differs by at most t.
    """

    ranking: Ranking

    def distortion(self, level: Real) -> Rational:
        """Return the least distortion at a positive level, but for a rounding up."""
        ranking, constant = self.ranking, self._constant
        if level.is_infinite:
            return ZERO
        start = min(Rational(*self._place(float(level)).as_integer_ratio()), constant * _INWARD)
        guess = start if start <= 0 else self._newton(level, start)
        for place in _outward(guess + ranking.distance, constant + ranking.distance):
            if self._is_kept(place - ranking.distance, level):
                return place
        raise AssertionError("a constant answer loses nothing")

    def _is_kept(self, distortion: Rational, level: Real) -> bool:
        """Return whether some mechanism of a distortion surely loses no more than a level."""
        reach = (1 - distortion) * self.ranking.total
        if reach <= self.ranking.count(1):
            return True
        if reach >= self.ranking.total:
            found = self._information(self.ranking.size, Rational(self.ranking.total), ZERO, self._margin)
        else:
            letters = self._kept(distortion)
            found = self._information(letters, reach, self.ranking.sum(letters) - reach, self._margin)
        return bool(found.ball(_BITS) <= level.ball(_BITS))

    def _kept(self, distortion: Rational) -> int:
        """Return how many letters the best mechanism keeps at a distortion of the law of counts."""
        reach = (1 - distortion) * self.ranking.total
        return max(2, bisect_right(self.ranking.corners, int(reach.floor())))

    def _place(self, level: float) -> float:
        """Return the distortion of the law of counts at a level in floats, by halving."""
        ranking = self.ranking
        shares, sums, corners = (_in_floats(c, ranking.total) for c in (ranking.counts, ranking.sums, ranking.corners))
        entropies = np.cumsum(-shares * np.log(np.where(shares > 0, shares, 1.0)))
        low, high = 0.0, 1 - float(shares[0])
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            letters = min(max(2, int(np.searchsorted(corners, 1 - middle, side="right"))), ranking.size)
            spare = max(float(sums[letters - 1]) - (1 - middle), 1e-300)
            information = float(entropies[letters - 1]) + (1 - middle) * np.log1p(-middle)
            information += spare * np.log(spare / max(letters - 1, 1))
            low, high = (middle, high) if information > level else (low, middle)
        return high

    def _newton(self, level: Real, start: Rational) -> Rational:
        """Return where tangents meet the level: the first step may go too far down, the others come up from below."""
        for _ in range(_STEPS):
            letters, reach = self._kept(start), (1 - start) * self.ranking.total
            spare = self.ranking.sum(letters) - reach
            information = self._information(letters, reach, spare, ZERO)
            steepness = Real.log((letters - 1) * reach / spare).below(_BITS)
            missing = (information - level).below(_BITS)
            following = min(max(start + missing / steepness, start / 2), self._constant * _INWARD)
            if abs(following - start) < _NEAR:
                break
            start = _rounded(following)
        return following + self._margin / steepness

    def _information(self, letters: int, reach: Rational, spare: Rational, margin: Rational) -> Real:
        total = self.ranking.total
        with working_precision(_BITS):
            right, wrong = ball(reach / total), ball(spare / total)
            found = self.ranking.entropy(letters) + right * right.log() + ball(margin)
            if spare > 0:
                found += wrong * ball(spare / (total * (letters - 1))).log()
        return Real.from_ball(lambda _bits: found)

    @property
    def _constant(self) -> Rational:
        """The distortion of answering the likeliest letter, for the law of counts."""
        return 1 - Rational(self.ranking.count(1), self.ranking.total)

    @cached_property
    def _margin(self) -> Rational:
        """How much the information of a mechanism can differ between the prior and the law of counts, and rounding."""
        share = self.ranking.distance
        if share == 0:
            return ZERO

        def spread(_bits: int) -> Ball:
            chance, rest = ball(share), ball(1 - share)
            return chance * (ball(Rational(self.ranking.size)).log() - chance.log()) - rest * rest.log()

        return Real.from_ball(spread).above(_BITS) + self.ranking.entropy_error


def _in_floats(counts: Counts, total: int) -> Floats:
    if isinstance(counts, np.ndarray):
        return counts / float(total)
    return np.array([count / total for count in counts])


def _rounded(place: Rational) -> Rational:
    unit = 1 << _GRID_BITS
    return Rational(max(1, int((place * unit).floor())), unit)


def _outward(start: Rational, end: Rational) -> Iterator[Rational]:
    """Yield places on a grid from `start` up, in steps that grow, and the end at last."""
    unit = 1 << _GRID_BITS
    place, step = max(ZERO, Rational(int((start * unit).floor()) + 1, unit)), Rational(1, unit)
    while place < end:
        yield place
        place += step
        step *= 16
    yield end
