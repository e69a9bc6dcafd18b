"""Both halves of the proof of a point on a trade-off: one prior, Hamming distortion, letters ranked by likelihood.

Each half is a family of which a point names one member by a number of letters: of dual vectors, whose few distinct
values change where the ranking passes that number, and of mechanisms that keep that many letters. Thanks to the order
one comparison with the next letter replaces one for every letter, so that a bound costs a few exact fractions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

from epstar.errors import ProofRejected
from epstar.exact import ONE, Rational, Real
from epstar.source.ranking import Ranking

_BITS = 96
# Beyond e^200 nothing is left to gain, and the digits would pile up.
_LARGE_LEVEL = 200
_LARGE_RATIO = Rational(1 << 288)


class TradeOff(ABC):
    """What can be proven about one notion and one prior.

    `letters` is the number that the proof names; a bound that it does not establish raises `ProofRejected`. `theorem`
    is where the trade-off was first stated; no proof depends on it.
    """

    theorem: ClassVar[str]
    ranking: Ranking

    @abstractmethod
    def loss_below(self, distortion: Rational, letters: int) -> Real:
        """Return a loss such that no mechanism with at most this distortion loses less."""

    @abstractmethod
    def loss_above(self, distortion: Rational, letters: int) -> Real:
        """Return the loss, or more, of a mechanism with at most this distortion; infinity if there may be none."""


class RatioTradeOff(TradeOff):
    """A trade-off in which distortions are rational functions of e^level, and are computed."""

    @abstractmethod
    def distortion_below(self, level: Real, letters: int) -> Real:
        """Return a distortion such that no mechanism that loses at most a finite level has less."""

    @abstractmethod
    def distortion_above(self, level: Real, letters: int) -> Real:
        """Return the distortion, or more, of a mechanism that loses at most the level; infinity if there is none."""


def ratio_below(level: Real) -> Rational:
    """Return a number of at least 1 that is not above e^level: itself where it is rational."""
    if level.argument_of_log is not None:
        return level.argument_of_log
    return _LARGE_RATIO if level > _LARGE_LEVEL else max(ONE, Real.exp(level).below(_BITS))


def ratio_above(level: Real) -> Rational | None:
    """Return a number that is not below e^level: itself where it is rational; None for levels beyond 200."""
    if level.argument_of_log is not None:
        return level.argument_of_log
    return None if level > _LARGE_LEVEL else Real.exp(level).above(_BITS)


def check_letters(ranking: Ranking, letters: int, least: int = 1) -> None:
    """Refuse a number of letters that the ranking does not have."""
    if not least <= letters <= ranking.size:
        raise ProofRejected(f"The proof counts {letters} letters, of which there are {ranking.size}.")


def check_spare(ranking: Ranking, letters: int, spare: Rational) -> None:
    """Check that spare/(letters - 1) lies between the count of the last letter and that of the next.

    Then the letters whose counts exceed that threshold are the likeliest ones, as many as the proof says.
    """
    others = letters - 1
    if spare <= 0 or not others * ranking.count(letters + 1) <= spare <= others * ranking.count(letters):
        raise ProofRejected(f"The dual vector does not change after {letters} letters.")
