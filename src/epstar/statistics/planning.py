"""Planning a release: the loss, the precision and the number of rows, two of which fix the third.

The precision is the half width of the confidence interval of each frequency: a quantile times the standard error of the
plain estimate from sets of one size, at the worst frequency that is in question. These widths are those of many rows;
they are a plan, and what is estimated later has intervals of its own. The loss that a plan asks for is compared with a
bound that is proven: intervals so narrow for every category make the sum of the squared errors small, and that sum has
a least loss (`epstar.statistics.least`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, exp, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import ndtri

from epstar.arguments import whole_number
from epstar.errors import InvalidInput, NoSolution
from epstar.exact import ONE, ZERO, Number, Rational, Real, rational
from epstar.exact.vectors import nearest_floats
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.source import Everything, Prior, Source
from epstar.statistic import Statistic
from epstar.statistics.least import best_design
from epstar.statistics.proof import check
from epstar.universe import Alphabet

Floats = NDArray[np.float64]

# Losses that plans look at, in nats: below, an answer tells next to nothing; above, it is the truth.
LEAST, MOST = 1e-6, 40.0
# How far, relatively, the least value of a column is known when a total is split.
_SPLIT = 1e-6
# Categories of a column, and rows: each size of sets is looked at, and floats must hold the numbers.
LARGEST, MOST_ROWS = 100_000, 10**15


@dataclass(frozen=True)
class Wanted:
    """A column of a plan: its number of categories, their distribution if known, and the confidence of intervals.

    >>> from epstar.statistics.planning import Wanted
    >>> Wanted(4).confidence
    19/20
    """

    size: int
    law: Prior | None = None
    confidence: Rational = Rational(19, 20)

    def __post_init__(self) -> None:
        whole_number(self.size, "The number of categories", 2)
        if self.size > LARGEST:
            raise InvalidInput(f"A plan is for a column of at most {LARGEST} categories; merge some.")
        if self.law is not None and self.law.size != self.size:
            raise InvalidInput(f"The distribution has {self.law.size} categories and the column {self.size}.")
        if not ZERO < self.confidence < ONE:
            raise InvalidInput("The confidence of an interval is strictly between 0 and 1.")

    @property
    def source(self) -> Source:
        """What is known of the frequencies."""
        return Everything(self.size) if self.law is None else self.law

    @property
    def quantile(self) -> float:
        """By how many standard errors an interval reaches to either side."""
        return float(ndtri((1 + float(self.confidence)) / 2))

    @property
    def shares(self) -> Floats:
        """The frequencies in question: all of them, if nothing is known."""
        return np.linspace(0.0, 1.0, 201) if self.law is None else nearest_floats(self.law.probabilities)


@dataclass(frozen=True)
class Planned:
    """What a column would get: its loss, the size of the sets in its answers, and the half width of each interval.

    >>> from epstar.statistics.planning import Wanted, loss_for
    >>> found = loss_for(Wanted(4), half_width=0.05, rows=6366)
    >>> found.half_width <= 0.05, found.unprotected < found.half_width
    (True, True)
    """

    wanted: Wanted
    rows: int
    loss: float
    chosen: int
    half_width: float
    unprotected: float
    """The half width without any protection, from the same rows."""
    least_loss: float | None = None
    """No mechanism with a smaller loss makes all intervals so narrow; None where the loss was given."""

    @property
    def mechanism(self) -> str:
        """The mechanism in words."""
        if self.chosen == 1:
            return "randomised response"
        return f"sets of {self.chosen} of the {self.wanted.size} categories"


def precision_at(wanted: Wanted, loss: float, rows: int) -> Planned:
    """Return how narrow intervals can be at a loss.

    >>> found = precision_at(Wanted(4), 1.0, 6366)
    >>> found.mechanism, round(found.half_width, 4), round(found.unprotected, 4)
    ('sets of 2 of the 4 categories', 0.0399, 0.0123)
    """
    _check_rows(rows)
    _check_loss(loss)
    chosen, error = _best_sets(wanted, loss)
    plain = wanted.quantile * float(np.sqrt(wanted.shares * (1 - wanted.shares)).max()) / sqrt(rows)
    return Planned(wanted, rows, loss, chosen, wanted.quantile * error / sqrt(rows), plain)


def loss_for(wanted: Wanted, half_width: float, rows: int) -> Planned:
    """Return the least loss of sets of one size with which intervals are so narrow, and a proven bound on any loss.

    Raises:
        NoSolution: if even unprotected rows have wider intervals; the message says how many rows would do.

    >>> from epstar.statistics.planning import Wanted, loss_for
    >>> found = loss_for(Wanted(4), half_width=0.05, rows=6366)
    >>> round(found.loss, 3), found.least_loss <= found.loss
    (0.773, True)
    """
    found = precision_at(wanted, _least_loss(wanted, half_width, rows), rows)
    return replace(found, least_loss=_proven_loss(wanted, half_width, rows))


def _least_loss(wanted: Wanted, half_width: float, rows: int) -> float:
    """The least loss of sets of one size with which intervals are so narrow."""
    _check_rows(rows)
    _check_width(half_width)
    plain = precision_at(wanted, 1.0, rows).unprotected
    if half_width <= plain or precision_at(wanted, MOST, rows).half_width > half_width:
        enough = rows_for(wanted, half_width, MOST)
        raise NoSolution(
            f"From {rows} rows even unprotected answers have intervals of ±{plain:.3g}, so that no loss is enough; "
            f"more than {enough} rows would be."
        )

    def excess(place: float) -> float:
        return log(precision_at(wanted, exp(place), rows).half_width / half_width)

    low, high = log(LEAST), log(MOST)
    return LEAST if excess(low) <= 0 else exp(float(brentq(excess, low, high, xtol=1e-12)) + 1e-11)


def rows_for(wanted: Wanted, half_width: float, loss: float) -> int:
    """Return from how many rows on intervals are so narrow at a loss.

    >>> rows_for(Wanted(4), 0.01, 1.0)
    101185
    """
    _check_width(half_width)
    _check_loss(loss)
    return max(1, ceil((wanted.quantile * _best_sets(wanted, loss)[1] / half_width) ** 2))


def losses_for(columns: Sequence[Wanted], half_widths: Sequence[float], rows: int) -> tuple[Planned, ...]:
    """Return for each of several columns the least loss with which its intervals are so narrow.

    A record loses at most the sum of them.

    Raises:
        InvalidInput: if there is not one width for each column.
        NoSolution: if even unprotected rows have wider intervals; the message says how many rows would do.

    >>> [round(one.loss, 3) for one in losses_for([Wanted(4), Wanted(10)], [0.05, 0.02], 6366)]
    [0.773, 2.499]
    """
    if len(columns) != len(half_widths):
        raise InvalidInput(f"Here are {len(columns)} columns and {len(half_widths)} widths; give one for each column.")
    return tuple(loss_for(one, width, rows) for one, width in zip(columns, half_widths, strict=True))


def rows_for_all(columns: Sequence[Wanted], half_widths: Sequence[float], total: float) -> int:
    """Return from how many rows on the intervals of all columns are so narrow at losses that add up to a total.

    >>> rows = rows_for_all([Wanted(4), Wanted(10)], [0.05, 0.02], 1.0)
    >>> sum(one.loss for one in losses_for([Wanted(4), Wanted(10)], [0.05, 0.02], rows)) <= 1.0
    True
    """
    _check_loss(total)
    # With all of the total for each column there would be too few rows, and with equal parts there are enough.
    pairs = list(zip(columns, half_widths, strict=True))
    low = max(rows_for(one, width, total) for one, width in pairs) - 1
    high = max(rows_for(one, width, total / len(columns)) for one, width in pairs)
    while high - low > 1:
        middle = (low + high) // 2
        spent = sum(_least_loss(one, width, middle) for one, width in pairs)
        low, high = (low, middle) if spent <= total else (middle, high)
    return high


def best_split(columns: Sequence[Wanted], weights: Sequence[Number], total: float, rows: int) -> Split:
    """Return the losses of several columns that add up to a total and make the weighted sum of errors least.

    The errors are the sums of squared errors of each column's frequencies at a uniform distribution, or at the one that
    is known. The bound is that of Lagrange: no split has a smaller sum than the sum of the columns' own least values of
    error + price x loss, less price x total.

    Raises:
        InvalidInput: if weights and columns do not match.

    >>> from epstar.statistics.planning import Wanted, best_split
    >>> found = best_split([Wanted(4), Wanted(10)], [1, 1], total=3, rows=6366)
    >>> [round(column.loss, 3) for column in found.columns]
    [1.209, 1.791]
    """
    _check_loss(total)
    _check_rows(rows)
    scales = nearest_floats([rational(weight) for weight in weights]).tolist()
    if len(scales) != len(columns) or not columns or min(scales) <= 0:
        raise InvalidInput("A split needs columns, and a positive weight for each.")
    parts = list(zip(columns, scales, strict=True))
    low, high = -60.0, 60.0
    # Of two prices next to each other one may take more than the total and the other less: where an error has a bend.
    while high - low > 1e-7:
        middle = (low + high) / 2
        spent = sum(_cheapest(one, scale / rows, exp(middle), total)[0] for one, scale in parts)
        low, high = (middle, high) if spent > total else (low, middle)
    price = exp(high)
    found = [_cheapest(one, scale / rows, price, total) for one, scale in parts]
    # What is left over goes to all alike; errors fall with it.
    losses = np.array([loss for loss, _ in found])
    losses *= total / losses.sum()
    reached = sum(
        scale / rows * float(_sum_errors(one, np.array([loss]))[0])
        for (one, scale), loss in zip(parts, losses, strict=True)
    )
    bound = sum(least for _, least in found) - price * total
    plans = tuple(precision_at(one, float(loss), rows) for one, loss in zip(columns, losses, strict=True))
    return Split(plans, float(reached), bound)


def _cheapest(wanted: Wanted, scale: float, price: float, total: float) -> tuple[float, float]:
    """The loss up to a total with the least error + price x loss, and a lower bound on that: branch and bound.

    An error falls with the loss, so that between two losses the sum is not below the error of the larger one with the
    price of the smaller one.
    """
    ends = np.concatenate([[0.0], np.geomspace(total / 1000, total, 33)])
    low, high = ends[:-1], ends[1:]
    best, chosen = inf, total
    while len(low):
        errors = scale * _sum_errors(wanted, high)
        sums = errors + price * high
        if sums.min() < best:
            best, chosen = float(sums.min()), float(high[sums.argmin()])
        is_open = errors + price * low < best * (1 - _SPLIT)
        ends = np.linspace(low[is_open], high[is_open], 9)
        low, high = ends[:-1].ravel(), ends[1:].ravel()
    return chosen, best * (1 - _SPLIT)


@dataclass(frozen=True)
class Split:
    """A plan for each column, the weighted sum of their errors, and a number that no split brings it below.

    >>> from epstar.statistics.planning import Wanted, best_split
    >>> found = best_split([Wanted(4), Wanted(10)], [1, 1], total=3, rows=6366)
    >>> found.bound <= found.error
    True
    """

    columns: tuple[Planned, ...]
    error: float
    bound: float


def _best_sets(wanted: Wanted, loss: float) -> tuple[int, float]:
    """The size of sets whose widest interval is narrowest, and the standard error of one row there."""
    counts = np.arange(1, wanted.size, dtype=np.float64)
    own, other = _inclusions(wanted.size, counts, exp(loss))
    shares = wanted.shares
    rates = other[:, None] + (own - other)[:, None] * shares[None, :]
    errors = np.sqrt((rates * (1 - rates)).max(axis=1)) / (own - other)
    best = int(errors.argmin())
    return best + 1, float(errors[best])


def _sum_errors(wanted: Wanted, losses: Floats) -> Floats:
    """For each loss the sum of the variances of one row's estimates of all frequencies, with the best sets for it."""
    shares = np.full(wanted.size, 1 / wanted.size) if wanted.law is None else wanted.shares
    squares = float((shares**2).sum())
    ratio = np.exp(losses)
    # Whatever the shares are, the best sets have the whole number of categories before or after this one (Ye and Barg
    # 2018).
    middle = np.floor(wanted.size / (1 + ratio))
    counts: Floats = np.clip(middle + np.arange(2.0)[:, None], 1.0, wanted.size - 1.0)
    own, other = _inclusions(wanted.size, counts, ratio)
    # The squares of the rates are a quadratic in the shares, of which two sums are enough.
    first = wanted.size * other + (own - other)
    second = wanted.size * other**2 + 2 * other * (own - other) + (own - other) ** 2 * squares
    return np.asarray(((first - second) / (own - other) ** 2).min(axis=0))


def _inclusions(size: int, counts: Floats, ratio: Floats | float) -> tuple[Floats, Floats]:
    own = counts * ratio / (counts * ratio + size - counts)
    return own, (counts - own) / (size - 1)


def _proven_loss(wanted: Wanted, half_width: float, rows: int) -> float:
    """A loss below which no mechanism makes all intervals so narrow, by the sum of the variances."""
    error = Rational(*float(wanted.size * (half_width / wanted.quantile) ** 2).as_integer_ratio())
    statistic = Statistic.frequencies(rows)
    problem = Problem(DifferentialPrivacy(), wanted.source, statistic, Alphabet(wanted.size), "loss", Real.of(error))
    try:
        return check(best_design(problem).proof)[0].lower
    except NoSolution:
        return inf


def _check_rows(rows: int) -> None:
    if whole_number(rows, "The number of rows", 1) > MOST_ROWS:
        raise InvalidInput(f"A plan is for at most {MOST_ROWS} rows, and here are more; ask for less precision.")


def _check_loss(loss: float) -> None:
    if not isfinite(loss) or not 0 < loss <= MOST:
        raise InvalidInput(f"A plan looks at losses above 0 and up to {MOST:g} nats.")


def _check_width(half_width: float) -> None:
    if not 0 < half_width < 1:
        raise InvalidInput("The half width of an interval of a frequency is between 0 and 1; one point is 0.01.")
