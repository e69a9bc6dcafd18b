r"""A prior from its likeliest category down, as integers with their partial sums.

Under Hamming distortion a whole trade-off is decided by these sums. A prior on few categories is written over one
denominator, and nothing is lost. For many categories the floats are rounded to counts of 2**-61, whose sums are exact
in int64; the counts divided by their sum are a distribution of their own, and `distance` bounds its total variation
distance from the prior: half a count for each category, and the 2**-53 of each probability by which a float may differ
from the number that it stands for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from epstar.exact import ONE, ZERO, Ball, Rational, Real, ball, rational, working_precision
from epstar.exact.common_denominator import Scaled
from epstar.probability_vectors import law_counts

Counts: TypeAlias = "Sequence[int] | NDArray[np.int64]"
Ends: TypeAlias = tuple[Rational, Rational]
Floats: TypeAlias = NDArray[np.float64]

UNIT_BITS = 61
"""Counts of many categories are multiples of 2 to minus this."""
EXACT_LETTERS = 1 << 14
"""With more categories than this the sums are those of rounded counts."""
_EXACT_BITS = 4096
_HALF_ULP = Rational(1, 1 << 53)
_ENTROPY_BITS = 56
_CELLS = 256
_BITS = 128
_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class Ranking:
    """Counts from the likeliest category down, their partial sums, and what they leave open about the prior.

    `distance` is zero where the counts divided by their sum are the prior itself. `least` and `largest` enclose the
    extreme probabilities, and `spread` is their ratio, exactly; None where a category has probability zero.
    """

    counts: Counts
    sums: Counts
    distance: Rational
    least: Ends
    largest: Ends
    spread: Rational | None

    @classmethod
    def of_floats(cls, given: Floats) -> Ranking:
        """Rank a distribution given by floats that stand for their shortest decimals. Cost: a sort."""
        if len(given) > EXACT_LETTERS:
            return cls._rounded(given, rational(float(given.min())), rational(float(given.max())), None)
        counts = law_counts(given, "A prior")
        assert counts is not None
        return cls._exact(counts)

    @classmethod
    def of_fractions(cls, probabilities: Sequence[Rational], nearest: Floats) -> Ranking:
        """Rank a distribution given by fractions; `nearest` are the nearest floats."""
        counts = Scaled.of(probabilities, _EXACT_BITS) if len(probabilities) <= EXACT_LETTERS else None
        if counts is not None:
            return cls._exact(counts)
        return cls._rounded(nearest, min(probabilities), max(probabilities), ONE)

    @classmethod
    def _exact(cls, law: Scaled) -> Ranking:
        counts = sorted(law.numerators.tolist(), reverse=True)
        total, least, largest = law.denominator, Rational(counts[-1]), Rational(counts[0])
        spread = largest / least if least > 0 else None
        return cls(counts, list(accumulate(counts)), ZERO, (least / total,) * 2, (largest / total,) * 2, spread)

    @classmethod
    def _rounded(cls, floats: Floats, smallest: Rational, largest: Rational, known: Rational | None) -> Ranking:
        """Round the floats of a law to counts; `known` is the sum of the numbers that they stand for, if it is."""
        unit = 1 << UNIT_BITS
        counts = np.sort(np.rint(floats * float(unit)).astype(np.int64))[::-1]
        sums = np.cumsum(counts)
        mass = Rational(int(sums[-1]), unit)
        rounding = Rational(len(counts) + 2, 2 * unit)
        apart = rounding + (mass + rounding) * _HALF_ULP
        low, high = (mass - apart, mass + apart) if known is None else (known, known)
        return cls(
            counts,
            sums,
            apart / mass,
            (smallest / high, smallest / low),
            (largest / high, largest / low),
            largest / smallest if smallest > 0 else None,
        )

    def __reduce__(self) -> tuple[type[Ranking], tuple[object, ...]]:
        # What is computed on demand is left behind: balls cannot be sent to another process.
        return Ranking, (self.counts, self.sums, self.distance, self.least, self.largest, self.spread)

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.counts)

    @property
    def is_exact(self) -> bool:
        """Whether the counts divided by their sum are the prior itself."""
        return self.distance == 0

    @cached_property
    def total(self) -> int:
        """The sum of all counts."""
        return int(self.sums[-1])

    @cached_property
    def support(self) -> int:
        """How many categories have a positive count."""
        return int(np.count_nonzero(np.asarray(self.counts)))

    def count(self, place: int) -> int:
        """Return the count of the category at a place, the likeliest at 1; zero beyond the last."""
        return int(self.counts[place - 1]) if place <= self.size else 0

    def sum(self, letters: int) -> int:
        """Return the sum of the likeliest categories, as many as asked for."""
        return int(self.sums[letters - 1])

    @cached_property
    def corners(self) -> Counts:
        """S(n) - (n - 1) times the n-th count, never decreasing: where the best number of them to keep changes."""
        if isinstance(self.counts, np.ndarray):
            corners: NDArray[np.int64] = self.sums - np.arange(self.size) * self.counts
            return corners
        return [total - n * count for n, (total, count) in enumerate(zip(self.sums, self.counts, strict=True))]

    @cached_property
    def _entropies(self) -> Sequence[Ball]:
        """Partial sums of p log(1/p) over the categories in order, in balls."""
        with working_precision(_BITS):
            shares = [Rational(int(count), self.total) for count in self.counts[: self.support]]
            return list(accumulate([-ball(share) * ball(share).log() for share in shares]))

    @cached_property
    def _rounded_entropies(self) -> NDArray[np.int64]:
        """The same in units of 2**-56; see `entropy_error`."""
        terms = np.empty(self.support, dtype=np.int64)
        # Blocks stay in the cache.
        for start in range(0, self.support, _BLOCK):
            block = slice(start, min(start + _BLOCK, self.support))
            shares = np.asarray(self.counts[block]) / float(self.total)
            terms[block] = np.rint(-shares * logarithms(shares) * float(1 << _ENTROPY_BITS))
        return np.cumsum(terms)

    def entropy(self, letters: int) -> Ball:
        """Return the sum of p log(1/p) over the likeliest categories, to within `entropy_error`."""
        place = min(letters, self.support) - 1
        if self.is_exact:
            return self._entropies[place]
        with working_precision(_BITS):
            return ball(Rational(int(self._rounded_entropies[place]), 1 << _ENTROPY_BITS))

    @property
    def entropy_error(self) -> Rational:
        """A bound on the distance of every `entropy` from the ball that is returned.

        Half a unit for each category. Beyond that, shares are right to 2**-52 of themselves, logarithms to 2**-44, and
        the products to 2**-53; with at most 2**40 categories the entropy is below 28, so that all of it is below
        2**-43. Twice that is allowed, so that who computes it otherwise, with errors of his own, can confirm every
        bound.
        """
        return ZERO if self.is_exact else Rational(self.size, 1 << _ENTROPY_BITS) + Rational(1, 1 << 42)


def logarithms(values: Floats) -> Floats:
    """Return natural logarithms of positive floats of at least 2**-62, each within 2**-44.

    A float is 2**e c (1 + t) with c the middle of one of 128 cells and |t| <= 2**-8, so that six terms of the series
    of log(1 + t) leave less than 2**-57. The logarithms of the middles and of 2 are correctly rounded, and no number
    on the way exceeds 64: every one of the dozen roundings is below 2**-47.
    """
    fractions, exponents = np.frexp(values)
    cells = np.floor(fractions * _CELLS)
    middles = (cells + 0.5) / _CELLS
    # The difference is exact, because the two lie within a factor of two.
    t = (fractions - middles) / middles
    series = t * (1 - t * (1 / 2 - t * (1 / 3 - t * (1 / 4 - t * (1 / 5 - t / 6)))))
    of_two, of_middles = _logarithms_of_middles()
    logs: Floats = exponents * of_two + (of_middles[cells.astype(np.int64) - _CELLS // 2] + series)
    return logs


@cache
def _logarithms_of_middles() -> tuple[float, Floats]:
    halves = range(_CELLS // 2, _CELLS)
    table = np.array([float(Real.log(Rational(2 * cell + 1, 2 * _CELLS))) for cell in halves])
    return float(Real.log(Rational(2))), table
