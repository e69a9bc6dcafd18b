r"""Identifiability and min-entropy leakage for one prior: the extreme letters decide, and elementary bounds prove it.

Write u(x, y) = p(x) Q(y|x), E = e^level, right = sum u(x, x) = 1 - distortion, and m for the number of letters.

**Identifiability** keeps each column of u within a factor E. So each column sums to at least u(y,y) (1 + (m - 1)/E),
and right <= E/(E + m - 1); the entries of the least likely letter are at least u(y,y)/E, and right <= E p_min; and the
rows of the two extreme letters sum to p_max <= E p_min. No other bound is needed:

* if p_min (m - 1 + E) >= 1, peaks u(x,x) = E h(x) over floors u(x,y) = h(y), with h = (p - 1/(m - 1 + E))/(E - 1), have
  the row sums p and right = E/(E + m - 1); for E = 1 all letters are equally likely, and equal entries do;
* otherwise let h(y) = p_min (p(y) - p_min)/(1 - m p_min), which sums to p_min and is the row of the least likely
  letter; the others have u(x,x) = E h(x) and u(x,y) = h(y) (p(x) - E h(x))/(p_min - h(x)), whose last factor lies
  between 1 and E exactly if p_min (m - 1 + E) <= 1 and p(x) <= E p_min; then right = E p_min. (A letter with
  h(x) = p_min is the only one above p_min, and has no other entries.)

**Min-entropy leakage** is the logarithm of E = sum over y of max over x of u(x,y), divided by p_max. So right is at
most E p_max; telling the truth with probability s, and naming the likeliest letter otherwise, has both equal to
p_max + s (1 - p_max).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.proof.trade_off import RatioTradeOff, ratio_above, ratio_below
from epstar.source.ranking import Ranking

_NOTHING = Real.of(ZERO)


@dataclass(frozen=True)
class IdentifiabilityTradeOff(RatioTradeOff):
    """Identifiability under a prior of full support; its mechanisms use all letters."""

    theorem: ClassVar[str] = "wang2016, Theorem 1, exact beyond its range"
    ranking: Ranking
    spread: Rational
    """The ratio of the two extreme probabilities."""

    def loss_below(self, distortion: Rational, letters: int) -> Real:
        return self._loss(distortion, letters, self.ranking.least[1])

    def loss_above(self, distortion: Rational, letters: int) -> Real:
        return self._loss(distortion, letters, self.ranking.least[0])

    def _loss(self, distortion: Rational, letters: int, least: Rational) -> Real:
        _check_all(self.ranking, letters)
        others = letters - 1
        if distortion < 0 or (distortion == 0 and others > 0):
            return INFINITY
        peaks = others * (1 - distortion) / distortion if others > 0 else ZERO
        return Real.log(max(peaks, (1 - distortion) / least, self.spread) if others > 0 else ONE)

    def distortion_below(self, level: Real, letters: int) -> Real:
        _check_all(self.ranking, letters)
        if Real.log(self.spread) > level:
            return INFINITY
        ratio = ratio_above(level)
        return _NOTHING if ratio is None else self._distortion(ratio, self.ranking.least[1])

    def distortion_above(self, level: Real, letters: int) -> Real:
        _check_all(self.ranking, letters)
        if Real.log(self.spread) > level:
            return INFINITY
        # Rounding the ratio down must not take it below that of the prior.
        return self._distortion(max(ratio_below(level), self.spread), self.ranking.least[0])

    def _distortion(self, ratio: Rational, least: Rational) -> Real:
        others = self.ranking.size - 1
        return Real.of(max(others / (others + ratio), 1 - ratio * least))


@dataclass(frozen=True)
class GuessingTradeOff(RatioTradeOff):
    """Min-entropy leakage."""

    theorem: ClassVar[str] = "alvim2011, Section 2"
    ranking: Ranking

    def loss_below(self, distortion: Rational, letters: int) -> Real:
        return self._loss(distortion, letters, self.ranking.largest[1])

    def loss_above(self, distortion: Rational, letters: int) -> Real:
        return self._loss(distortion, letters, self.ranking.largest[0])

    def _loss(self, distortion: Rational, letters: int, largest: Rational) -> Real:
        _check_all(self.ranking, letters)
        return INFINITY if distortion < 0 else Real.log(max(ONE, (1 - distortion) / largest))

    def distortion_below(self, level: Real, letters: int) -> Real:
        _check_all(self.ranking, letters)
        ratio = ratio_above(level)
        return _NOTHING if ratio is None else Real.of(max(ZERO, 1 - ratio * self.ranking.largest[1]))

    def distortion_above(self, level: Real, letters: int) -> Real:
        _check_all(self.ranking, letters)
        return Real.of(max(ZERO, 1 - ratio_below(level) * self.ranking.largest[0]))


def _check_all(ranking: Ranking, letters: int) -> None:
    if letters != ranking.size:
        raise ProofRejected(f"The proof counts {letters} letters instead of all {ranking.size}.")
