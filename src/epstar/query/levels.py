"""From a privacy level in nats to the ratio E = e^level between neighbours, in rationals."""

from __future__ import annotations

from dataclasses import dataclass

from epstar.errors import InvalidInput
from epstar.exact import ONE, Rational, Real

_BITS = 128
# e^level beyond this would have thousands of digits.
_LARGEST = 10_000


@dataclass(frozen=True)
class Ratios:
    """Rationals on both sides of E = e^level: equal when the level is the logarithm of a rational.

    A mechanism made for `below` keeps the level; a bound proven for `above` holds at the level.
    """

    below: Rational
    above: Rational

    @property
    def is_exact(self) -> bool:
        """Whether E is itself a rational."""
        return self.below == self.above


def ratios(level: object) -> Ratios:
    """Return rationals around e^level, 128 bits apart at most.

    Raises:
        InvalidInput: for a level that is negative, infinite or no number.

    >>> ratios("log(3/2)").below
    3/2
    """
    real = Real.of(level)
    if real.is_infinite:
        raise InvalidInput("An infinite level puts no bound on the answer; give a finite one.")
    if real < 0:
        raise InvalidInput(f"The level {real} is negative; privacy losses are at least 0.")
    if real > _LARGEST:
        raise InvalidInput(
            f"A level beyond {_LARGEST} nats protects nothing that anybody could see; give a smaller one."
        )
    ratio = Real.exp(real)
    return Ratios(max(ONE, ratio.below(_BITS)), ratio.above(_BITS))
