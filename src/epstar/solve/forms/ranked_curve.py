"""The proof of a whole trade-off in closed form: how many letters to count at each point.

kalantari2018, Theorem 2 and zhong2022, Theorems 9, 13 and 14; Erokhin's rate-distortion function; wang2016, Theorem 1
made exact. Here they only say where to look: `epstar.proof.curve` proves what is found. Cost: a sort of the prior and
some fifty microseconds for each point.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence

from epstar.exact import ONE, Rational, Real
from epstar.problem import Problem
from epstar.proof.curve import CurvePoint, CurveProof, is_ranked, proven_ends, trade_off
from epstar.proof.information_trade_off import InformationTradeOff
from epstar.proof.response_trade_off import LeakageTradeOff, ResponseTradeOff
from epstar.proof.trade_off import TradeOff, ratio_above, ratio_below
from epstar.solve.forms.ranked_information import distortions_at
from epstar.source import Prior
from epstar.source.ranking import Ranking
from epstar.universe import Alphabet

Letters = tuple[int, int]


def curve_proof(problems: Sequence[Problem]) -> CurveProof | None:
    """Return the proof of all points of a curve; None where it is not one of the closed forms."""
    first = problems[0]
    source, universe = first.source, first.universe
    if not is_ranked(problems) or not isinstance(source, Prior) or not isinstance(universe, Alphabet):
        return None
    proves = trade_off(first.notion, source)
    if proves is None:
        return None
    given = [problem.given for problem in problems]
    if isinstance(proves, InformationTradeOff) and first.asks == "distortion":
        points = distortions_at(proves, given)
    else:
        letters = _loss_letters(proves) if first.asks == "loss" else _distortion_letters(proves)
        points = [CurvePoint(place, place, place, letters(place)) for place in given]
    proven = tuple([CurvePoint(p.given, *proven_ends(proves, first.asks, p), p.letters) for p in points])
    return CurveProof(first.notion, source, universe, first.asks, proven)


def _loss_letters(proves: TradeOff) -> Callable[[Real], Letters]:
    if not isinstance(proves, ResponseTradeOff | LeakageTradeOff | InformationTradeOff):
        return _all_letters(proves)
    ranking = proves.ranking
    share = 1 - proves.delta if isinstance(proves, ResponseTradeOff) else ONE
    is_leakage = isinstance(proves, LeakageTradeOff)
    sums = ranking.sums if is_leakage else ranking.corners
    # Leakage counts the letters before the one that is answered in part.
    most = max(1, ranking.support - 1) if is_leakage else ranking.size

    def letters(reach: Rational) -> int:
        return min(max(1, bisect_right(sums, int(reach.floor()))), most)

    def at(given: Real) -> Letters:
        right = 1 - given.below() / share
        below = letters((right - ranking.distance) * ranking.total)
        return below, below if ranking.is_exact else letters((right + ranking.distance) * ranking.total)

    return at


def _distortion_letters(proves: TradeOff) -> Callable[[Real], Letters]:
    if isinstance(proves, ResponseTradeOff):
        ranking, best = proves.ranking, _response_letters
    elif isinstance(proves, LeakageTradeOff):
        ranking, best = proves.ranking, _leakage_letters
    else:
        return _all_letters(proves)

    def at(given: Real) -> Letters:
        if given.is_infinite:
            return ranking.size, ranking.size
        high, low = ratio_above(given), ratio_below(given)
        above = best(ranking, low)
        return above if high is None or high == low else best(ranking, high), above

    return at


def _all_letters(proves: TradeOff) -> Callable[[Real], Letters]:
    size = proves.ranking.size
    return lambda _given: (size, size)


def _response_letters(ranking: Ranking, ratio: Rational) -> int:
    """Return how many letters exceed the threshold: a further one while S(r) < p(r+1) (E - 1 + r)."""
    numerator, denominator = int(ratio.p), int(ratio.q)
    counts, sums = ranking.counts, ranking.sums

    def is_enough(r: int) -> bool:
        return int(sums[r - 1]) * denominator >= int(counts[r]) * (numerator + (r - 1) * denominator)

    return 1 + bisect_left(range(1, ranking.size), True, key=is_enough)


def _leakage_letters(ranking: Ranking, ratio: Rational) -> int:
    return min(int(ratio.floor()), ranking.size)
