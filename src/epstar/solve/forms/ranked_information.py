"""The distortion at which Erokhin's rate-distortion function reaches a level: in floats first, then two sure ends.

The function is convex, so that its tangent at a place near the answer meets the level below the answer, by no more
than a square of what the place is off. The ends are that point with what the rounding of the prior leaves open, moved
outward until `InformationTradeOff` is sure of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.proof.curve import CurvePoint
from epstar.proof.information_trade_off import InformationTradeOff
from epstar.source.ranking import Counts, Ranking

Floats = NDArray[np.float64]

_HALVINGS = 64
_GRID_BITS = 80
_BITS = 128
_STEPS = 12
_NEAR = Rational(1, 1 << 46)
_INWARD = 1 - Rational(1, 1 << 50)


def distortions_at(proves: InformationTradeOff, levels: Sequence[Real]) -> list[CurvePoint]:
    """Return the points at some levels, each with two ends that can be proven."""
    finite = np.array([0.0 if level.is_infinite else float(level) for level in levels])
    places = _places(proves.ranking, finite)
    return [_point(proves, level, place) for level, place in zip(levels, places.tolist(), strict=True)]


def kept(ranking: Ranking, distortion: Rational) -> int:
    """Return how many letters the best mechanism keeps at a distortion of the law of counts."""
    reach = (1 - distortion) * ranking.total
    return max(1, bisect_right(ranking.corners, int(reach.floor())))


def _places(ranking: Ranking, levels: Floats) -> Floats:
    """Return the distortions of the law of counts at some levels in floats, by halving."""
    shares, sums, corners = (_in_floats(c, ranking.total) for c in (ranking.counts, ranking.sums, ranking.corners))
    entropies = np.cumsum(-shares * np.log(np.where(shares > 0, shares, 1.0)))
    low, high = np.zeros(len(levels)), np.full(len(levels), 1 - shares[0])
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        letters = np.maximum(2, np.searchsorted(corners, 1 - middle, side="right"))
        letters = np.minimum(letters, ranking.size)
        spare = np.maximum(sums[letters - 1] - (1 - middle), 1e-300)
        information = entropies[letters - 1] + (1 - middle) * np.log1p(-middle)
        information += spare * np.log(spare / np.maximum(letters - 1, 1))
        exceeds = information > levels
        low, high = np.where(exceeds, middle, low), np.where(exceeds, high, middle)
    return high


def _in_floats(counts: Counts, total: int) -> Floats:
    if isinstance(counts, np.ndarray):
        return counts / float(total)
    return np.array([count / total for count in counts])


def _point(proves: InformationTradeOff, level: Real, place: float) -> CurvePoint:
    ranking, share = proves.ranking, proves.ranking.distance
    constant = 1 - Rational(ranking.count(1), ranking.total)
    if level.is_infinite:
        return CurvePoint(level, Real.of(ZERO), Real.of(ZERO), (1, 1))
    if level.rational == 0:
        # The tangent is level there; only a constant answer loses nothing.
        ends = Real.of(max(ZERO, constant - share)), Real.of(min(ONE, constant + share))
        return CurvePoint(level, *ends, (1, 1))
    below, above = _guess(proves, level, place, constant)
    low = _first_sure(
        _outward(below - share, -1, ZERO),
        lambda claim: proves.confirmed_below(level, kept(ranking, claim + share), claim),
    )
    high = _first_sure(
        _outward(above + share, 1, constant + share),
        lambda claim: proves.confirmed_above(level, kept(ranking, claim - share), claim),
    )
    return CurvePoint(level, Real.of(low), Real.of(high), (kept(ranking, low + share), kept(ranking, high - share)))


def _guess(proves: InformationTradeOff, level: Real, place: float, constant: Rational) -> tuple[Rational, Rational]:
    """Return where the tangent near the answer meets the level, less and more what is open about the information.

    Newton's method: the first step may go too far down, the others come up from below, ever closer.
    """
    start = min(Rational(*place.as_integer_ratio()), constant * _INWARD)
    if start <= 0:
        return start, start
    for _ in range(_STEPS):
        information, slope = proves.tangent(start, kept(proves.ranking, start))
        steepness, missing = slope.below(_BITS), (information - level).below(_BITS)
        following = min(max(start + missing / steepness, start / 2), constant * _INWARD)
        if abs(following - start) < _NEAR:
            break
        start = _rounded(following)
    spread = proves.margin / steepness
    return following - spread, following + spread


def _rounded(place: Rational) -> Rational:
    unit = 1 << _GRID_BITS
    return Rational(max(1, int((place * unit).floor())), unit)


def _outward(start: Rational, direction: int, end: Rational) -> Iterator[Rational]:
    """Yield places on a grid from `start` on, in steps that grow, and the end at last."""
    unit = 1 << _GRID_BITS
    place = Rational(int((start * unit).floor()) + (direction > 0), unit)
    step = Rational(direction, unit)
    while (end - place) * direction > 0:
        yield max(place, ZERO)
        place += step
        step *= 16
    yield end


def _first_sure(places: Iterator[Rational], prove: Callable[[Rational], object]) -> Rational:
    for place in places:
        try:
            prove(place)
        except ProofRejected:
            continue
        return place
    raise AssertionError("the end of the trade-off is always sure")
