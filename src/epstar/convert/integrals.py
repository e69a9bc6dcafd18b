"""The information that a curve of local information privacy allows at one prior."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

from epstar.convert.curves import PrivacyCurve
from epstar.exact import ONE, ZERO, Ball, Rational, Real
from epstar.source import Prior

# Pieces of a chord: on each the smaller of two integrals is taken, which is at least the integral of the smaller.
_PIECES = 24


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
        width = (right - left) / _PIECES
        for k in range(_PIECES):
            low, high = left + k * width, left + (k + 1) * width
            total += _over(a, b, low, min(high, end), share) if low < end else Ball(0)
            total += _under(a, b, low, high, cap)
    last, delta = points[-1]
    if last < end:
        total += _over(delta, ZERO, last, end, share)
    # From the last point on delta stays, and 1 / E^2 integrates to 1 / E.
    return total + Ball(min(delta, cap) / last)


def _over(a: Rational, b: Rational, low: Rational, high: Rational, share: Rational) -> Ball:
    """The integral of min{E delta, 1 - E P} dE / E, from above: the smaller of the two integrals."""
    curve = Ball((high - low) * a + (high * high - low * low) / 2 * b)
    capped = Ball(high / low).log() - share * (high - low)
    return curve.min(capped)


def _under(a: Rational, b: Rational, low: Rational, high: Rational, cap: Rational) -> Ball:
    """The integral of min{delta, 1 - P} dE / E^2, from above."""
    inverse = ONE / low - ONE / high
    return (a * inverse + b * Ball(high / low).log()).min(Ball(cap * inverse))
