r"""A prior on many letters as integers in order, and how far that is from the prior itself.

Floats stand for their shortest decimals, divided by their sum. For a million of them neither is written out: the
floats are rounded to counts of 2**-61, whose sums are exact in int64. The counts divided by their sum are a law of
their own, and `distance` bounds its total variation distance from the prior: half a count for each letter, and the
2**-53 of each probability by which a float may differ from its decimal.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.exact import Rational, Real
from epstar.source import Prior

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

_UNIT_BITS = 61
_HALF_ULP = Rational(1, 1 << 53)
_ENTROPY_BITS = 56
_CELLS = 256


@dataclass(frozen=True, eq=False)
class LetterLaw:
    """Counts from the likeliest letter down, their partial sums, and the distance from the prior they stand for."""

    counts: Counts
    sums: Counts
    distance: Rational
    mass: tuple[Rational, Rational]
    """Between which numbers the sum of the decimals lies that the prior was given by."""

    @classmethod
    def of(cls, prior: Prior) -> LetterLaw:
        """Sort and add up a prior. Cost: a sort of its floats."""
        given = prior.proportions
        unit = 1 << _UNIT_BITS
        counts = np.sort(np.rint(given * float(unit)).astype(np.int64))[::-1]
        sums = np.cumsum(counts)
        total = int(sums[-1])
        rounding = Rational(len(counts) + 2, 2 * unit)
        apart = rounding + (Rational(total, unit) + rounding) * _HALF_ULP
        mass = Rational(total, unit)
        return cls(counts, sums, apart / mass, (mass - apart, mass + apart))

    @property
    def size(self) -> int:
        """The number of letters."""
        return len(self.counts)

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return int(self.sums[-1])

    @cached_property
    def support(self) -> int:
        """How many letters have a positive count."""
        return int(np.count_nonzero(self.counts))

    @cached_property
    def corners(self) -> Counts:
        """sums[n] - n counts[n], never decreasing: where the best number of letters to keep changes."""
        return self.sums - np.arange(self.size) * self.counts

    @cached_property
    def entropies(self) -> Counts:
        """Partial sums of p log(1/p) over the letters in order, in units of 2**-56; see `entropy_error`."""
        shares = self.counts[: self.support] / float(self.total)
        terms = np.rint(-shares * logarithms(shares) * float(1 << _ENTROPY_BITS)).astype(np.int64)
        return np.cumsum(terms)

    @property
    def entropy_error(self) -> Rational:
        """A bound on the error of every entry of `entropies`, as a number.

        Half a unit for each letter. Beyond that, shares are right to 2**-52 of themselves, logarithms to 2**-44, and
        the products to 2**-53; with at most 2**40 letters the entropy is below 28, so that all of it is below 2**-43.
        """
        return Rational(self.size, 1 << (_ENTROPY_BITS + 1)) + Rational(1, 1 << 43)

    def entropy(self, letters: int) -> Rational:
        """Return the sum of p log(1/p) over the likeliest letters, to within `entropy_error`."""
        place = min(letters, self.support)
        return Rational(int(self.entropies[place - 1]), 1 << _ENTROPY_BITS)


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
    halves = range(_CELLS // 2, _CELLS)
    table = np.array([float(Real.log(Rational(2 * cell + 1, 2 * _CELLS))) for cell in halves])
    logs: Floats = exponents * float(Real.log(Rational(2))) + (table[cells.astype(np.int64) - _CELLS // 2] + series)
    return logs
