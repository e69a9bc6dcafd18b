"""Prices for any number of categories: a linear program in two variables, one constraint for each kind of column.

The certificate is `epstar.statistics.certificate.ByCounts`; here its few numbers are found, and raised until it holds.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, Real, rational
from epstar.exact.vectors import nearest_floats
from epstar.statistic import Vector
from epstar.statistics.certificate import ByCounts, Setting

Floats = NDArray[np.float64]

# Shares of the distribution in the centre that are tried: between the even one and the distribution itself.
_SHARES = 9
# Expectations that are tried for each number of large entries; exact rechecking raises the prices by what they miss.
_EXPECTATIONS = 9


def set_size(size: int, ratio: Rational) -> int:
    """Return the size of sets with the least error under a uniform distribution: next to m / (1 + E), exactly.

    >>> set_size(6, Rational(1)), set_size(100, Rational(3)), set_size(2, Rational(9))
    (3, 25, 1)
    """
    if size == 1:
        return 1
    middle = int((size / (ONE + ratio)).floor())
    likely = {min(size - 1, max(1, middle)), min(size - 1, max(1, middle + 1))}
    return min(sorted(likely), key=lambda count: (count * ratio + size - count) ** 2 / Rational(count * (size - count)))


def bound_by_counts(setting: Setting, level: Real) -> ByCounts:
    """Return a certificate by counts for the frequencies, under a notion that bounds all pairs alike."""
    law, size = setting.law, len(setting.law)
    ratio = setting.ratio(level, outward=True)
    assert ratio is not None
    factors = _factors(setting.statistic.weighed(size))
    if len(set(law)) == 1:
        # The even case: the price is the largest share of spread that sets of any size have.
        count, step = set_size(size, ratio), ratio - 1
        price = step**2 * count * (size - count) / (size + count * step) ** 2 if size > 1 else ZERO
        return ByCounts(ZERO, (price, ZERO), factors)
    found = max(
        (_priced(setting, ratio, Rational(place, _SHARES - 1), factors) for place in range(_SHARES)),
        key=lambda pair: pair[0],
    )[1]
    margin = Rational(1, 1 << 40)
    while True:
        raised = ByCounts(
            found.share,
            (found.prices[0] + margin * abs(found.prices[0]), found.prices[1] + margin * abs(found.prices[1])),
            factors,
        )
        try:
            raised.error(setting, level)
        except ProofRejected:
            margin *= 4
        else:
            return raised


def _factors(weights: Vector) -> Vector | None:
    """Numbers a_k with w_k a_k^2 at most 1, and nearly 1."""
    if set(weights) == {ONE}:
        return None
    return tuple(ZERO if weight == 0 else rational(f"{float(weight) ** -0.5 * (1 - 1e-12):.15e}") for weight in weights)


def _priced(setting: Setting, ratio: Rational, share: Rational, factors: Vector | None) -> tuple[float, ByCounts]:
    """The best prices for one centre, in floats, and the error that they would prove."""
    law = np.sort(nearest_floats(setting.law))
    size, large, part = len(law), float(ratio), float(share)
    step = large - 1
    least, most = (np.concatenate([[0.0], np.cumsum(values)]) for values in (law, law[::-1]))
    totals = np.repeat(size + np.arange(size + 1) * step, _EXPECTATIONS)
    along = np.linspace(0.0, 1.0, _EXPECTATIONS)
    expected = (1 + step * (least[:, None] + (most - least)[:, None] * along)).reshape(-1)
    centre = (1 - part) / size * totals + part * expected
    spread = (large + 1) * totals - size * large - 2 * centre * totals + size * centre**2
    needed = spread / expected
    solved = linprog(
        [size, 1.0],
        A_ub=np.column_stack([-totals, -expected]),
        b_ub=-needed,
        bounds=[(None, None), (None, None)],
        method="highs",
    )
    if solved.status != 0:
        return 0.0, ByCounts(ZERO, (rational(float(needed.max()) / size), ZERO), factors)
    first, second = (float(value) for value in solved.x)
    total = size * first + second
    told = np.array([float(weight) for weight in setting.statistic.weighed(size)])
    scale = np.ones(size) if factors is None else nearest_floats(factors)
    centred = 1 - (1 - part) / size - part * nearest_floats(setting.law)
    value = float((told * scale * centred).sum()) ** 2 / total if total > 0 else 0.0
    return value, ByCounts(share, (rational(first), rational(second)), factors)
