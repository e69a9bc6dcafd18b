r"""Mutual information for one prior (Erokhin's rate-distortion function), by weak duality.

Let p(1) >= p(2) >= ... be the prior in order, S(k) the sum of the first k, tail = 1 - S(k), and H(k) the sum of
p log(1/p) over the first k letters.

**From below.** For any positive g with sum over x of p(x) g(x, y) <= 1 for every y, the information of a mechanism is
at least the mean of log g, because their difference is a mean of divergences. Take numbers a > b > 0 and

    g(x, x) = a min(1/p(x), 1/b),    g(x, y) = b min(1/p(x), 1/b)  for y /= x.

The sums are at most a - b + sum min(b, p(x)), which is a + (k - 1) b + tail if k letters exceed b: that they do is what
p(k+1) <= b <= p(k) says. With a = 1 - D and b = (D - tail)/(k - 1) this is 1, and the mean of log g is

    H(k) + (1 - D) log a + (D - tail) log b + log(a/b) (D - distortion):

no mechanism with less distortion than D loses as little as at D. For D = tail = 0 let b tend to zero: H is the limit.

**From above.** Given an output y among the first k letters, let the input be y with probability a, any other of the k
with probability b, and any further letter with its prior probability. If b <= p(k) < a, the weights
(p(y) - b)/(a - b) are a law of the output that gives the prior back; the distortion is 1 - a = D, and the information
is the same expression.

Where the counts are rounded to a law at distance t, both laws are mixtures of their common part with a share t of
something else, so that the information of any mechanism differs by at most t log m + h(t), with h the binary entropy;
its distortion differs by at most t.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from epstar.errors import ProofRejected
from epstar.exact import INFINITY, ZERO, Ball, Rational, Real, ball, working_precision
from epstar.proof.trade_off import TradeOff, check_letters, check_spare
from epstar.source.ranking import Ranking

_BITS = 128
_NOTHING = Real.of(ZERO)


@dataclass(frozen=True)
class InformationTradeOff(TradeOff):
    """Mutual information."""

    theorem: ClassVar[str] = "Erokhin's rate-distortion function; kalantari2018, Lemma 3"
    ranking: Ranking

    def loss_below(self, distortion: Rational, letters: int) -> Real:
        if distortion < 0:
            return INFINITY
        found = self._below(distortion, letters)
        return _NOTHING if found is None else _float(max(found.lower, 0.0))

    def loss_above(self, distortion: Rational, letters: int) -> Real:
        if distortion < 0:
            return INFINITY
        found = self._above(distortion, letters)
        return _NOTHING if found is None else _float(found.upper)

    def confirmed_below(self, level: Real, letters: int, claim: Rational) -> Real:
        """Return a claimed distortion, or zero, if no mechanism that loses at most the level has less."""
        if claim <= 0:
            return _NOTHING
        if level.rational == 0 and claim <= self._constant - self.ranking.distance:
            # An answer that does not depend on the input is right for the likeliest letter at most.
            return Real.of(claim)
        found = self._below(claim, letters)
        if found is None or not found.ball(_BITS) >= level.ball(_BITS):
            raise ProofRejected("The dual vector does not exclude the distortion.")
        return Real.of(claim)

    def confirmed_above(self, level: Real, letters: int, claim: Rational) -> Real:
        """Return a claimed distortion if a mechanism that loses at most the level has no more."""
        if claim < 0:
            raise ProofRejected("A distortion is never negative.")
        found = self._above(claim, letters)
        if found is not None and not found.ball(_BITS) <= level.ball(_BITS):
            raise ProofRejected("The mechanism loses more than the level.")
        return Real.of(claim)

    def tangent(self, distortion: Rational, letters: int) -> tuple[Real, Real]:
        """Return the information of the law of counts at a distortion, and what one more unit of distortion saves."""
        reach = (1 - distortion) * self.ranking.total
        spare = self.ranking.sum(letters) - reach
        return self._information(letters, reach, spare, ZERO), Real.log((letters - 1) * reach / spare)

    def _below(self, distortion: Rational, letters: int) -> Real | None:
        """Return what every mechanism with at most this distortion loses; None where that is nothing."""
        ranking = self.ranking
        distortion += ranking.distance
        reach = (1 - distortion) * ranking.total
        if reach <= ranking.count(1):
            return None
        if distortion == 0:
            return self._information(ranking.size, reach, ZERO, -self.margin)
        check_letters(ranking, letters, 2)
        spare = ranking.sum(letters) - reach
        check_spare(ranking, letters, spare)
        return self._information(letters, reach, spare, -self.margin)

    def _above(self, distortion: Rational, letters: int) -> Real | None:
        """Return what a mechanism with at most this distortion loses; None where that is nothing."""
        ranking = self.ranking
        reach = (1 - distortion + ranking.distance) * ranking.total
        if reach <= ranking.count(1):
            return None
        if reach >= ranking.total:
            return self._information(ranking.size, Rational(ranking.total), ZERO, self.margin)
        check_letters(ranking, letters, 2)
        spare = ranking.sum(letters) - reach
        if not 0 <= spare <= (letters - 1) * ranking.count(letters):
            raise ProofRejected(f"No mechanism of this distortion keeps {letters} letters.")
        return self._information(letters, reach, spare, self.margin)

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
    def margin(self) -> Rational:
        """How much the information of a mechanism can differ between the prior and the law of counts, and rounding."""
        share = self.ranking.distance
        if share == 0:
            return ZERO

        def spread(_bits: int) -> Ball:
            chance, rest = ball(share), ball(1 - share)
            size = ball(Rational(self.ranking.size))
            return chance * (size.log() - chance.log()) - rest * rest.log()

        return Real.from_ball(spread).above(_BITS) + self.ranking.entropy_error


def _float(value: float) -> Real:
    return Real.of(Rational(*value.as_integer_ratio()))
