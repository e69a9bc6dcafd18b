"""What an audit of a given size can see: the probability that it certifies more than a claimed loss."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from epstar.errors import InvalidInput
from epstar.release.interval import lower_bounds, upper_bounds

# Counts further than this many standard deviations from their mean are left out; they weigh below 1e-30.
_WIDTH = 12.0


def power(first: float, second: float, draws: int, confidence: float, claimed: float, delta: float = 0.0) -> float:
    """Return the probability that the certified bound exceeds `claimed`.

    `first` and `second` are the true probabilities of the event under the two inputs, `draws` the number of
    answers of each input on which it is counted. A sum over binomial counts, in floating point.

    >>> round(power(0.8, 0.2, 1000, 0.999, claimed=1.0), 2)
    0.99
    """
    from scipy.special import bdtrc
    from scipy.stats import binom

    if draws < 1 or not 0 <= first <= 1 or not 0 <= second <= 1:
        raise InvalidInput("The power needs two probabilities and a positive number of draws.")
    tail = (1 - confidence) / 2
    few = _range(second, draws)
    # The least lower bound that is enough for each count of the second input, and the count that gives it.
    wanted = delta + math.exp(claimed) * upper_bounds(few, draws, tail)
    many = _range(first, draws)
    reached = lower_bounds(many, draws, tail)
    place = np.searchsorted(reached, wanted, side="right")
    enough = np.append(many, draws + 1)[place]
    chances = np.where(enough > draws, 0.0, np.where(enough <= 0, 1.0, bdtrc(enough - 1, draws, first)))
    return float(min(1.0, binom.pmf(few, draws, second) @ chances))


def detectable_loss(draws: int, confidence: float, claimed: float, delta: float = 0.0, wanted: float = 0.99) -> float:
    """Return a loss that the audit finds to exceed `claimed`, beyond the slack `delta`, with probability `wanted`.

    It is that of a binary randomised response; infinity if even the identity would not be found. Bisection.

    >>> from epstar.audit import detectable_loss
    >>> detectable_loss(10_000, 0.999, 1.0) < detectable_loss(1_000, 0.999, 1.0)
    True
    """

    def found(loss: float) -> bool:
        kept = 1 / (1 + math.exp(-loss))
        return power(kept, 1 - kept, draws, confidence, claimed, delta) >= wanted

    low, high = claimed, claimed + 1.0
    while not found(high):
        low, high = high, claimed + 2 * (high - claimed)
        if high > claimed + 700:
            return math.inf
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) else (middle, high)
    return high


def _range(probability: float, draws: int) -> NDArray[np.int64]:
    mean = draws * probability
    half = _WIDTH * math.sqrt(mean * (1 - probability)) + _WIDTH**2
    return np.arange(max(0, math.floor(mean - half)), min(draws, math.ceil(mean + half)) + 1)
