"""The information that a curve of local information privacy allows at one prior."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

from epstar.convert.curves import PrivacyCurve
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.source import Prior


def local_information(curve: PrivacyCurve, prior: Prior) -> Real:
    """Return a bound on the mutual information at a prior, in nats, from the whole curve (ngo2024, Theorem 2(b),
    capped):

    sum over x of P(x) times the integral over levels of min{E delta, (1 - E P(x))_+} + min{delta, 1 - P(x)} / E.
    """
    shares: dict[Rational, Rational] = {}
    for share in prior.probabilities:
        if share > 0:
            shares[share] = shares.get(share, ZERO) + share
    chords = curve.segments(1 / min(shares))

    def enclose(_bits: int) -> Ball:
        total = Ball(0)
        for share, weight in shares.items():
            total += weight * _of_share(chords.points, share)
        return total

    return Real.from_ball(lru_cache(maxsize=8)(enclose))


def _of_share(points: tuple[tuple[Rational, Rational], ...], share: Rational) -> Ball:
    end, total = 1 / share, Ball(0)
    cap = 1 - share
    for (left, above), (right, below) in pairwise(points):
        b = (below - above) / (right - left)
        a = above - b * left
        if left < end:
            total += _over_chord(a, b, left, min(right, end), share)
        places = [left, *_between(left, right, [(cap - a) / b] if b != 0 else []), right]
        total += sum((_under(a, b, low, high, cap) for low, high in pairwise(places)), Ball(0))
    last, delta = points[-1]
    if last < end:
        total += _over_chord(delta, ZERO, last, end, share)
    # From the last point on delta stays, and 1 / E^2 integrates to 1 / E.
    return total + Ball(min(delta, cap) / last)


def _over_chord(a: Rational, b: Rational, left: Rational, right: Rational, share: Rational) -> Ball:
    """The integral of the smaller of two functions along a chord, in pieces between the places where they cross.

    These are the roots of b E^2 + (a + P) E - 1, as near as floats know them: on each piece the smaller of the two
    integrals is at least that of the smaller function, wherever it ends.
    """
    slope = a + share
    middle, square = float(Real.of(slope)), float(Real.of(slope * slope + 4 * b))
    roots = []
    if square >= 0:
        # Twice 1 / (the sum of a and P, plus or minus the root): the same roots, and no division by b.
        sums = (middle + math.sqrt(square), middle - math.sqrt(square))
        roots = [Rational(*(2 / sum_).as_integer_ratio()) for sum_ in sums if sum_ > 1e-300]
    places = [left, *_between(left, right, roots), right]
    return sum((_over(a, b, low, high, share) for low, high in pairwise(places)), Ball(0))


def _between(left: Rational, right: Rational, places: list[Rational]) -> list[Rational]:
    return sorted({place for place in places if left < place < right})


def _over(a: Rational, b: Rational, low: Rational, high: Rational, share: Rational) -> Ball:
    """The integral of min{E delta, 1 - E P} dE / E, from above: the smaller of the two integrals."""
    curve = Ball((high - low) * a + (high * high - low * low) / 2 * b)
    capped = Ball(high / low).log() - share * (high - low)
    return curve.min(capped)


def _under(a: Rational, b: Rational, low: Rational, high: Rational, cap: Rational) -> Ball:
    """The integral of min{delta, 1 - P} dE / E^2, from above."""
    inverse = ONE / low - ONE / high
    return (a * inverse + b * Ball(high / low).log()).min(Ball(cap * inverse))
