"""Confidence intervals for the mean of what each row adds to an estimate.

A frequency lies in [0, 1], and an unbiased estimate of it need not. An interval that is cut off there may become a
single point, or lie beside its estimate. So an estimate outside is moved to the nearer end first, and the interval is
the one of that estimate (Mandelkern and Schultz, J. Math. Phys. 41, 2000): it holds the interval that is cut off, so it
covers no less often, it has a width, and the estimate lies in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# Values of an estimator that differ by less than this share of their range may be taken for one.
_SAME = 1e-4
# Values of which all differ by less than this share of their size are one number, but for the arithmetic of floats.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Interval:
    """An unbiased estimate, which may leave [0, 1], and the confidence interval of a frequency, which does not.

    "exact": the estimate is a function of one binomial count, and the interval is Clopper and Pearson's: its
    coverage is at least the confidence for every number of rows. "normal": the central limit theorem, with room for
    outputs that are too rare to have been seen.
    """

    frequency: float
    lower: float
    upper: float
    kind: Literal["exact", "normal"]


def interval_of(estimator: Floats, counts: Floats, confidence: float) -> Interval:
    """Return the interval for the mean of `estimator` over rows that fall on each output `counts` times."""
    total = float(counts.sum())
    mean = float(counts @ estimator) / total
    spread = float(estimator.max() - estimator.min())
    is_high = estimator > (estimator.max() + estimator.min()) / 2
    if spread <= _ROUNDING * float(np.abs(estimator).max()):
        # Whatever was drawn, every row adds the same: nothing is uncertain.
        return Interval(mean, *clipped(mean, mean), "exact")
    high, low = (float(part.max() + part.min()) / 2 for part in (estimator[is_high], estimator[~is_high]))
    rest = float(np.abs(estimator - np.where(is_high, high, low)).max())
    if rest <= _SAME * spread:
        # All but two values: what rounding to tickets added widens the interval.
        held = np.array([int(counts[is_high].sum())])
        lowers, uppers = counted_intervals(held, int(total), np.array([low]), high - low, confidence)
        return Interval(mean, *clipped(float(lowers[0]) - rest, float(uppers[0]) + rest), "exact")
    square = float(counts @ estimator**2) / total
    largest = np.abs(estimator).max(keepdims=True)
    lowers, uppers = normal_intervals(np.array([mean]), np.array([square]), largest, total, confidence)
    return Interval(mean, float(lowers[0]), float(uppers[0]), "normal")


def lower_bounds(counts: NDArray[np.int64], draws: int, tail: float) -> Floats:
    """Return a lower bound on a probability for each count among the draws; it fails with probability `tail`."""
    from scipy.special import betaincinv

    bounds: Floats = np.where(counts > 0, betaincinv(np.maximum(counts, 1), draws - counts + 1, tail), 0.0)
    return bounds


def upper_bounds(counts: NDArray[np.int64], draws: int, tail: float) -> Floats:
    """Return an upper bound on a probability for each count among the draws; it fails with probability `tail`.

    >>> upper_bounds(np.array([0, 10]), 10, 0.025).round(4).tolist()
    [0.3085, 1.0]
    """
    from scipy.special import betainccinv

    bounds: Floats = np.where(counts < draws, betainccinv(counts + 1, np.maximum(draws - counts, 1), tail), 1.0)
    return bounds


def clopper_pearson(counts: NDArray[np.int64], draws: int, confidence: float) -> tuple[Floats, Floats]:
    """Return bounds on probabilities of which `counts` of `draws` independent trials came true."""
    # Of a million categories many have the same count, which is looked at once.
    different, places = np.unique(counts, return_inverse=True)
    tail = (1 - confidence) / 2
    return lower_bounds(different, draws, tail)[places], upper_bounds(different, draws, tail)[places]


def counted_intervals(
    counts: NDArray[np.int64], draws: int, low: Floats, step: float, confidence: float
) -> tuple[Floats, Floats]:
    """Return the ends of intervals for frequencies low + step · q, if `counts` of `draws` trials of chance q came true.

    A count that stands for less than nothing is taken for the least that does not, and one that stands for more than
    everything likewise.
    """
    if step <= 0:
        return np.zeros(len(counts)), np.ones(len(counts))
    none, everything = (np.clip((end - low) / step, 0.0, 1.0) * draws for end in (0.0, 1.0))
    # A count that stands for nothing must not be taken for less because floats are a little off.
    most, least = np.floor(everything + _ROUNDING * draws), np.ceil(none - _ROUNDING * draws)
    lows, _ = clopper_pearson(np.minimum(counts, most.astype(np.int64)), draws, confidence)
    _, highs = clopper_pearson(np.maximum(counts, least.astype(np.int64)), draws, confidence)
    return np.clip(low + step * lows, 0.0, 1.0), np.clip(low + step * highs, 0.0, 1.0)


def normal_intervals(
    means: Floats, squares: Floats, largest: Floats, rows: float | Floats, confidence: float
) -> tuple[Floats, Floats]:
    """Return the ends of intervals from the means and the mean squares of what each row adds, within [0, 1].

    The spread is that of the rows and of z² more, each of which adds the `largest` amount that any output can: with
    the rows alone an output that happens not to occur would count as impossible, and few rows as certain. For one
    rare output this is close to the interval of a Poisson count; with many rows it makes no difference.
    """
    from scipy.special import ndtri

    quantile = float(ndtri((1 + confidence) / 2))
    spread = np.maximum(0.0, squares - means * means) + (quantile * largest) ** 2 / rows
    half, centre = quantile * np.sqrt(spread / rows), np.clip(means, 0.0, 1.0)
    return np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)


def clipped(lower: float, upper: float) -> tuple[float, float]:
    """Return the part of an interval in which a frequency can lie; an end outside moves to 0 or 1."""
    return min(1.0, max(0.0, lower)), min(1.0, max(0.0, upper))
