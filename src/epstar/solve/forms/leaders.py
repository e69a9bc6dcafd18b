"""One prior under Hamming distortion: its likeliest letters, and the row prices that prove its optimum.

Randomised response on the likeliest letters is optimal (kalantari2018, Theorem 2 for one law; zhong2022, Theorem 13).
Everything is kept in integers over one denominator, and the best number of letters is found by halving.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from epstar.exact import Rational
from epstar.integers import Scaled
from epstar.proof.converse import Point


@dataclass(frozen=True)
class Leaders:
    """A prior sorted from the likeliest letter: its counts over one denominator, and the sums of the first of them."""

    order: tuple[int, ...]
    counts: tuple[int, ...]
    totals: tuple[int, ...]
    denominator: int

    @classmethod
    def of(cls, prior: Point) -> Leaders:
        """Sort `prior`; ties keep the order of the letters."""
        numerators, denominator = _over_one_denominator(prior)
        order = tuple(sorted(range(len(prior)), key=lambda x: -numerators[x]))
        counts = tuple([numerators[x] for x in order])
        return cls(order, counts, tuple(accumulate(counts)), denominator)

    @cached_property
    def sums(self) -> tuple[Rational, ...]:
        """The probabilities of the first letters together."""
        return tuple([Rational(total, self.denominator) for total in self.totals])

    @property
    def ties(self) -> int:
        """How many letters are as likely as the likeliest."""
        return len(self.alike(0))

    def alike(self, place: int) -> range:
        """Return the places of the letters that are as likely as the one at `place`."""
        count = self.counts[place]
        start = bisect_left(self.counts, -count, key=lambda other: -other)
        return range(start, bisect_right(self.counts, -count, key=lambda other: -other))

    def best_count(self, ratio: Rational) -> int:
        """Return how many letters randomised response should keep at E = `ratio`: the fewest that are best.

        A further letter helps while S(r) < p(r+1) (E - 1 + r), and never again after the first that does not.
        """
        numerator, denominator = int(ratio.p), int(ratio.q)

        def is_enough(r: int) -> bool:
            return self.totals[r - 1] * denominator >= self.counts[r] * (numerator + (r - 1) * denominator)

        return 1 + bisect_left(range(1, len(self.counts)), True, key=is_enough)

    def kept(self, ratio: Rational, count: int) -> Rational:
        """Return the probability of a right answer when the first `count` letters are kept."""
        return ratio * Rational(self.totals[count - 1], self.denominator) / (ratio - 1 + count)

    def least_ratio(self, distortion: Rational) -> tuple[Rational, int]:
        """Return the least E for a positive distortion below that of any constant answer, and how many letters.

        kalantari2018, Theorem 2 for one law: the minimum over n >= 2 with tail below D of (n-1)(1-D)/(D-tail). The
        (n+1)st letter helps while S(n) - (n-1) p(n+1) < 1 - D.
        """
        reach = (1 - distortion) * self.denominator

        def is_enough(n: int) -> bool:
            return self.totals[n - 1] - (n - 1) * self.counts[n] >= reach

        count = 2 + bisect_left(range(2, len(self.counts)), True, key=is_enough)
        return (count - 1) * reach / (self.totals[count - 1] - reach), count


def row_prices(prior: Point, ratio: Rational) -> tuple[Rational, ...]:
    """Return the row prices that prove the optimum of one prior at E = `ratio`.

    With T the probability of a right answer, letter x is worth p - max(0, (E p - T)/(E - 1)).
    """
    leaders = Leaders.of(prior)
    if ratio == 1:
        first = leaders.order[0]
        return tuple(Rational(0) if x == first else p for x, p in enumerate(prior))
    right = leaders.kept(ratio, leaders.best_count(ratio))
    # Over the denominator (a - b) q d, with E = a/b, T = t/q and p = n/d.
    a, b, t, q = int(ratio.p), int(ratio.q), int(right.p), int(right.q)
    least, unit = t * b * leaders.denominator, (a - b) * q
    common = unit * leaders.denominator
    prices: list[Rational] = [Rational(0)] * len(prior)
    for x, n in zip(leaders.order, leaders.counts, strict=True):
        prices[x] = Rational(n * unit - max(0, a * n * q - least), common)
    return tuple(prices)


def _over_one_denominator(prior: Point) -> tuple[list[int], int]:
    scaled = Scaled.of(prior, most_bits=1 << 30)
    assert scaled is not None
    return scaled.numerators.tolist(), scaled.denominator
