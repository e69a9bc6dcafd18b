r"""Differential privacy, approximate differential privacy and maximal leakage for one prior, by weak duality.

Let p(1) >= p(2) >= ... be the prior in order, S(k) the sum of the first k, q(x) = Q(x|x) the diagonal of a mechanism,
right = sum p(x) q(x) = 1 - distortion, and E = e^level.

**Differential privacy.** Q(y|x) >= q(y)/E, so that row x has room for (E - 1) q(x) + sum q <= E. Multiply these rows by
mu(x) = max(0, p(x) - c)/(E - 1), where c solves sum mu = c. Since (E - 1) mu(x) + sum mu >= p(x) for every letter,

    right <= sum over x of mu(x) ((E - 1) q(x) + sum q) <= E sum mu = E c.

If k letters exceed c, then c = S(k)/(E - 1 + k); that they are k is what p(k+1) <= c <= p(k) says. Randomised response
on the first k letters answers any letter with probability E/(E - 1 + k) or 1/(E - 1 + k), and is right with exactly
that probability E c. Read the other way: if right > p(1), then E >= (k - 1) right/(S(k) - right), for at a smaller
level E' the middle sum falls short of E c by (E - E') sum mu(x) (1 - q(x)), which is zero only where the letters above
c are always answered truly; two such letters have no finite level, and one leaves right = p(1). For k = 1 this is the
limit E >= p(1)/p(2) at the jump, with c = p(2).

**Approximate.** Q(y|x) >= (q(y) - delta)/E in either reading. With q = delta + (1 - delta) r the positive parts of r
meet the condition above (if any r(y) >= 0, row y gives sum r+ <= E, which is what rows of negative r need), so that the
distortion is at least 1 - delta times that of r. Telling the truth with probability delta, and responding otherwise,
attains it: an event gains at most delta over E times what it had.

**Maximal leakage.** E >= sum over y of max over x of Q(y|x) >= sum q, and q <= 1; with the price p(k+1) on the sum,
right <= S(k) + (E - k) p(k+1) for every k. Answer k letters truly and the next in part; what is left of a row fits
below the diagonals of the other columns, as sum q >= 1.

Where the counts are rounded, no sum over letters, of what they exceed c by, or of their chances of being answered
truly, changes by more than the distance t of the two laws: sums, or distortions, are read with t more or less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ONE, ZERO, Rational, Real
from epstar.proof.trade_off import RatioTradeOff, check_letters, check_spare, ratio_above, ratio_below
from epstar.source import Prior
from epstar.source.ranking import Ranking

_NOTHING = Real.of(ZERO)


@dataclass(frozen=True)
class ResponseTradeOff(RatioTradeOff):
    """Differential privacy up to a slack `delta` below 1."""

    theorem: ClassVar[str] = "zhong2022, Theorems 9 and 13"
    ranking: Ranking
    source: Prior
    delta: Rational

    def loss_below(self, distortion: Rational, letters: int) -> Real:
        ranking = self.ranking
        if distortion < 0 or (distortion == 0 and ranking.support > 1):
            # Two letters that are always answered truly have no finite ratio.
            return INFINITY
        right = 1 - distortion / (1 - self.delta)
        if self._is_free(right):
            return _NOTHING
        if letters == 1:
            second = Rational(ranking.count(2), ranking.total) + ranking.distance
            return Real.log(max(ONE, ranking.largest[0] / second))
        check_letters(ranking, letters, 2)
        spare = ranking.sum(letters) - (right - ranking.distance) * ranking.total
        check_spare(ranking, letters, spare)
        return Real.log(max(ONE, (letters - 1) * right * ranking.total / spare))

    def loss_above(self, distortion: Rational, letters: int) -> Real:
        ranking = self.ranking
        if distortion < 0:
            return INFINITY
        right = 1 - distortion / (1 - self.delta)
        if self._is_free(right):
            return _NOTHING
        check_letters(ranking, letters)
        spare = ranking.sum(letters) - (right + ranking.distance) * ranking.total
        return Real.log(max(ONE, (letters - 1) * right * ranking.total / spare)) if spare > 0 else INFINITY

    def _is_free(self, right: Rational) -> bool:
        """Return whether naming the likeliest letter is right often enough: the loss jumps where it is."""
        low, high = self.ranking.largest
        # Only at the jump itself does it take all digits of the prior.
        return right <= (max(self.source.probabilities) if low < right <= high else low)

    def distortion_below(self, level: Real, letters: int) -> Real:
        ranking, ratio = self.ranking, ratio_above(level)
        if ratio is None:
            return _NOTHING
        check_letters(ranking, letters)
        threshold = ranking.sum(letters) / (ratio - 1 + letters)
        if not ranking.count(letters + 1) <= threshold <= ranking.count(letters):
            raise ProofRejected(f"The dual vector does not change after {letters} letters.")
        wrong = 1 - ratio * threshold / ranking.total - ranking.distance
        return Real.of((1 - self.delta) * max(wrong, ZERO))

    def distortion_above(self, level: Real, letters: int) -> Real:
        ranking, ratio = self.ranking, ratio_below(level)
        check_letters(ranking, letters)
        wrong = 1 - ratio * ranking.sum(letters) / (ratio - 1 + letters) / ranking.total + ranking.distance
        return Real.of((1 - self.delta) * min(wrong, ONE))


@dataclass(frozen=True)
class LeakageTradeOff(RatioTradeOff):
    """Maximal leakage."""

    theorem: ClassVar[str] = "zhong2022, Theorem 14"
    ranking: Ranking

    def loss_below(self, distortion: Rational, letters: int) -> Real:
        ranking = self.ranking
        if distortion < 0:
            return INFINITY
        reach = (1 - distortion - ranking.distance) * ranking.total
        if reach <= ranking.count(1):
            return _NOTHING
        check_letters(ranking, letters)
        price = ranking.count(letters + 1)
        if price == 0:
            raise ProofRejected(f"The letter after {letters} letters has no price.")
        return Real.log(max(ONE, letters + (reach - ranking.sum(letters)) / price))

    def loss_above(self, distortion: Rational, letters: int) -> Real:
        ranking = self.ranking
        if distortion < 0:
            return INFINITY
        reach = (1 - distortion + ranking.distance) * ranking.total
        if reach <= ranking.count(1):
            return _NOTHING
        if reach > ranking.total:
            # The truth itself, on no more letters than there are.
            return Real.log(Rational(ranking.size))
        check_letters(ranking, letters)
        part = reach - ranking.sum(letters)
        if not 0 <= part <= ranking.count(letters + 1):
            raise ProofRejected(f"No mechanism answers {letters} letters truly and only the next in part.")
        return Real.log(letters + part / ranking.count(letters + 1) if part > 0 else Rational(letters))

    def distortion_below(self, level: Real, letters: int) -> Real:
        ranking, ratio = self.ranking, ratio_above(level)
        if ratio is None:
            return _NOTHING
        check_letters(ranking, letters)
        right = ranking.sum(letters) + (ratio - letters) * ranking.count(letters + 1)
        return Real.of(max(1 - right / ranking.total - ranking.distance, ZERO))

    def distortion_above(self, level: Real, letters: int) -> Real:
        ranking, ratio = self.ranking, ratio_below(level)
        check_letters(ranking, letters)
        if letters > ratio:
            raise ProofRejected(f"Answering {letters} letters truly loses more than the level.")
        right = ranking.sum(letters) + min(ratio - letters, ONE) * ranking.count(letters + 1)
        return Real.of(min(1 - right / ranking.total + ranking.distance, ONE))
