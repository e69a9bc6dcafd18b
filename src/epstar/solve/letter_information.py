r"""Erokhin's rate-distortion function and identifiability for one prior on many letters, with proven ends.

For the law of counts, with the r likeliest letters kept and b = (D - tail)/(r - 1), the least information is

    sum over kept letters of p log(1/p) + (1 - D) log(1 - D) + (D - tail) log b;

r is the largest number whose last letter is likelier than b. See `epstar.solve.letter_curve` for how far that is from
the prior itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from epstar.exact import INFINITY, ZERO, Ball, Rational, Real, ball, rational, working_precision
from epstar.solve.letter_law import LetterLaw
from epstar.source import Prior

_BITS = 96
_HALVINGS = 55
_FIRST_STEP = Rational(1, 1 << 40)


@dataclass(frozen=True, eq=False)
class LetterInformation:
    """Mutual information against Hamming distortion."""

    law: LetterLaw

    @cached_property
    def _margin(self) -> Rational:
        """How much the information of a mechanism can differ between the prior and the law of counts, and rounding."""
        share = self.law.distance
        with working_precision(_BITS):
            chance = ball(share)
            spread = chance * ball(Rational(self.law.size)).log()
            entropy = -chance * chance.log() - (1 - chance) * (1 - chance).log()
            bound = Real.from_ball(lambda _bits: spread + entropy).above(_BITS)
        return bound + self.law.entropy_error

    def loss_ends(self, given: Real) -> tuple[Real, Real]:
        """Return the proven ends of the least information at a distortion."""
        allowed = given.below(_BITS)
        if allowed < 0:
            return INFINITY, INFINITY
        low = self._information(allowed + self.law.distance) - self._margin
        high = self._information(allowed - self.law.distance) + self._margin
        free = allowed >= 1 - Rational(int(self.law.counts[0]), self.law.total) + self.law.distance
        return (
            Real.from_ball(lambda _bits: low.max(ball(ZERO))),
            Real.of(ZERO) if free else Real.from_ball(lambda _bits: high),
        )

    def distortion_ends(self, given: Real) -> tuple[Real, Real]:
        """Return the proven ends of the least distortion at a level: a float search, then steps until it is proven."""
        if given.is_infinite:
            return Real.of(ZERO), Real.of(ZERO)
        most = 1 - Rational(int(self.law.counts[0]), self.law.total) + self.law.distance
        if given.rational == 0:
            # Only a constant answer gives nothing away; the search would meet a vertical tangent.
            return Real.of(max(most - 2 * self.law.distance, ZERO)), Real.of(most)
        level = given.below(_BITS), given.above(_BITS)
        start = Rational(*self._search(float(given)).as_integer_ratio())
        low, high, step = start, start, _FIRST_STEP
        while low > 0 and not self._exceeds(low, level[1]):
            low, step = start - step, 4 * step
        step = _FIRST_STEP
        while high < most and not self._keeps(high, level[0]):
            high, step = start + step, 4 * step
        return Real.of(max(low, ZERO)), Real.of(min(high, most))

    def _exceeds(self, distortion: Rational, level: Rational) -> bool:
        """Return whether every mechanism with that distortion provably loses at least the level."""
        return bool(self._information(distortion + self.law.distance) - self._margin >= ball(level))

    def _keeps(self, distortion: Rational, level: Rational) -> bool:
        """Return whether some mechanism with that distortion provably loses at most the level."""
        return bool(self._information(distortion - self.law.distance) + self._margin <= ball(level))

    def _information(self, distortion: Rational) -> Ball:
        """Return the optimum of the law of counts, right to within `entropy_error`."""
        law = self.law
        with working_precision(_BITS):
            if distortion <= 0:
                return ball(law.entropy(law.size))
            reach = (1 - distortion) * law.total
            if reach <= int(law.sums[0]):
                return ball(ZERO)
            kept = int(np.searchsorted(law.corners, int(reach.ceil()), side="left"))
            spare = Rational(int(law.sums[kept - 1]) - reach) / law.total
            right, wrong = ball(1 - distortion), ball(spare)
            total = ball(law.entropy(kept)) + right * right.log()
            return total + wrong * ball(spare / (kept - 1)).log() if spare > 0 else total

    def _search(self, level: float) -> float:
        """Return the distortion at a level in floats, by halving."""
        law = self.law
        low, high = 0.0, 1 - float(law.counts[0]) / law.total
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self._estimate(middle) > level:
                low = middle
            else:
                high = middle
        return high

    def _estimate(self, distortion: float) -> float:
        law = self.law
        reach = (1 - distortion) * law.total
        kept = max(2, int(np.searchsorted(law.corners, int(reach), side="left")))
        spare = max((int(law.sums[kept - 1]) - reach) / law.total, 1e-300)
        entropy = int(law.entropies[min(kept, law.support) - 1]) / (1 << 56)
        return entropy + (1 - distortion) * math.log1p(-distortion) + spare * math.log(spare / (kept - 1))


@dataclass(frozen=True)
class LetterIdentifiability:
    """Identifiability against Hamming distortion: only the number of letters and the extreme ones count.

    With E = e^level it is the largest of (m - 1)(1 - D)/D, (1 - D)/p_min and p_max/p_min.
    """

    size: int
    least: tuple[Rational, Rational]
    extremes: Rational
    """The ratio of the largest to the smallest probability, in which the sum of the decimals cancels."""

    @classmethod
    def of(cls, prior: Prior) -> LetterIdentifiability:
        """Read a prior of full support."""
        given = prior.proportions
        if prior.is_exact:
            smallest, largest = min(prior.probabilities), max(prior.probabilities)
            return cls(prior.size, (smallest, smallest), largest / smallest)
        smallest, largest = rational(float(given.min())), rational(float(given.max()))
        low, high = LetterLaw.of(prior).mass
        return cls(prior.size, (smallest / high, smallest / low), largest / smallest)

    def loss_ends(self, given: Real) -> tuple[Real, Real]:
        """Return the proven ends of the least loss at a distortion."""
        allowed = given.below(_BITS)
        if allowed <= 0:
            return INFINITY, INFINITY
        spread = (self.size - 1) * (1 - allowed) / allowed
        low, high = (max(spread, (1 - allowed) / p, self.extremes) for p in reversed(self.least))
        return Real.log(low), Real.log(high)

    def distortion_ends(self, given: Real) -> tuple[Real, Real]:
        """Return the proven ends of the least distortion at a level; infinite below what the prior gives away."""
        if given.is_infinite:
            return Real.of(ZERO), Real.of(ZERO)
        if Real.log(self.extremes) > given:
            return INFINITY, INFINITY
        ratio = Real.exp(given)
        few, many = ratio.below(_BITS), ratio.above(_BITS)
        others = Rational(self.size - 1)
        low = max(others / (others + many), 1 - many * self.least[1])
        high = max(others / (others + few), 1 - few * self.least[0])
        return Real.of(low), Real.of(high)
