"""Exponentials and tangents of large matrices in floats, every error on the safe side.

The exponentials and logarithms are those of `epstar.exact.elementary`, whose error follows from correctly rounded
steps. Rounding only ever makes a condition harder to meet, so that what passes is true; what does not pass may still be
true, and is left to exact arithmetic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epstar.claims.claim import Places, Point, Setting
from epstar.claims.premises import Addends, Premises
from epstar.distortion import nearest_costs
from epstar.errors import InvalidInput
from epstar.exact import Rational
from epstar.exact.elementary import ERROR, ROUNDING, exponentials, growth, logarithms
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import Exponential, Form, Power, RelativeEntropy

Floats = NDArray[np.float64]

# Smaller probabilities and larger numbers than these leave too little room in the exponents of floats.
_FAINTEST, _HUGE = 2.0**-900, 1e150
# Numbers between these are off by one rounding, and so are products of three of them, a power and a rate or an order:
# none of them leaves the range in which that is so, from 2^-1022 to 2^1024.
_SMALLEST, _LARGEST = 2.0**-150, 2.0**150
_SMALLEST_RATE, _LARGEST_RATE = 2.0**-50, 2.0**50
_LARGEST_EXPONENT = 350.0
_BLOCK = 1 << 16


def conjugate_holds(setting: Setting, law: Point, prices: Point, point: Form, multiple: Rational) -> bool:
    """Return whether sum over x of p(x) exp((price - law d)/(multiple p)) is at most 1 for every output, by floats."""
    used = list(point)
    try:
        weights = nearest_floats([point[x] for x in used])
        tilts = nearest_floats([law[x] / (multiple * point[x]) for x in used])
        offsets = nearest_floats([prices[x] / (multiple * point[x]) for x in used])
    except InvalidInput:
        return False
    letters = setting.is_hamming_on_letters
    # Every wrong answer of letters costs one: one column of such answers stands for all.
    cost = np.ones((len(used), 1)) if letters else nearest_costs(setting.distortion, setting.universe)[used]
    numbers = (tilts, offsets, cost)
    if not (weights > _FAINTEST).all() or not all((np.abs(values) < _HUGE).all() for values in numbers):
        return False
    relative = 2 * (growth(len(used) + 8) + 2 * ERROR)
    if letters:
        wrong, right = (weights * _exponentials(offsets, charges) for charges in (tilts, np.zeros(len(used))))
        total = wrong.sum()
        # What is not finite passes no test.
        with np.errstate(invalid="ignore"):
            sums = np.append(total - wrong + right, total) + relative * (total + np.append(wrong + right, 0.0))
        return bool((sums <= 1).all())
    inputs, outputs = cost.shape
    sums = np.zeros(outputs)
    step = max(1, _BLOCK // outputs)
    for start in range(0, inputs, step):
        rows = slice(start, start + step)
        sums += weights[rows] @ _exponentials(offsets[rows, None], tilts[rows, None] * cost[rows])
    return bool((sums * (1 + relative) <= 1).all())


def _exponentials(offsets: Floats, charges: Floats) -> Floats:
    """Return exp(offset - charge), not below but for the error of an exponential.

    Each number is off by one rounding, and so are a charge that is a product and the difference; vanishing ones are off
    by less than the error of an exponential, which is allowed for twice.
    """
    exponents = offsets - charges
    exponents += 8 * ROUNDING * (np.abs(charges) + np.abs(offsets))
    return exponentials(exponents)


def least_prices(given: Premises, addends: Addends, law: Point) -> list[float] | None:
    """Return for each row a number not above the least of its coefficients; None beyond what floats hold.

    For tangents of sums that each compare two rows by one divergence, all of one order.
    """
    compared = _compared(addends)
    if compared is None:
        return None
    first, second, rate_exact, places, rates = compared
    try:
        ratios = nearest_floats([place for row in places for place in row]).reshape(len(places), -1)
        shares, weights = nearest_floats(law), nearest_floats([used.use.multiplier for used in addends.sums])
        units = nearest_floats([rate * given.claim.loss.above(64) for rate in rates])
        costs = nearest_costs(given.setting.distortion, given.setting.universe)
    except InvalidInput:
        return None
    if not all(_are_held(numbers) for numbers in (ratios, weights, shares[shares != 0], costs[costs != 0])):
        return None
    prices = shares[:, None] * costs
    return _least(prices, first, second, rate_exact, weights[:, None], ratios, units[:, None])


def _compared(
    addends: Addends,
) -> tuple[NDArray[np.intp], NDArray[np.intp], Rational, list[list[Rational]], list[Rational]] | None:
    """Return which rows each sum compares, the order less one (zero for entropies), the places, and rates of bounds."""
    first, second, orders, places, rates = [], [], set(), [], []
    for used in addends.sums:
        weight, atom = used.bound.terms[0]
        tangents = used.use.tangents
        if len(used.bound.terms) != 1 or not isinstance(atom, Power | RelativeEntropy) or weight != 1:
            return None
        if list(atom.left.values()) != [1] or list(atom.right.values()) != [1] or not isinstance(tangents, Places):
            return None
        row = [place for place in tangents.table[0] if place is not None]
        if len(row) != len(tangents.table[0]):
            return None
        places.append(row)
        first.append(next(iter(atom.left)))
        second.append(next(iter(atom.right)))
        orders.add(atom.order - 1 if isinstance(atom, Power) else Rational(0))
        scale = used.bound.scale
        rates.append(scale.rate if isinstance(atom, Power) and isinstance(scale, Exponential) else Rational(0))
    if len(orders) != 1:
        return None
    return np.array(first), np.array(second), orders.pop(), places, rates


def _are_held(numbers: Floats) -> bool:
    """Return whether the nearest floats of some numbers, and their products, are each within a rounding of them."""
    sizes = np.abs(numbers)
    return bool(((sizes > _SMALLEST) & (sizes < _LARGEST)).all())


def _least(
    costs: Floats,
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    rate_exact: Rational,
    weights: Floats,
    ratios: Floats,
    units: Floats,
) -> list[float] | None:
    # An order next to zero is not to be had from the rate, which is next to -1.
    rate, order = nearest_floats([rate_exact, rate_exact + 1]).tolist()
    logs = logarithms(ratios)
    largest, unit = float(np.abs(logs).max()), float(np.abs(units).max())
    if abs(rate) * largest + unit > _LARGEST_EXPONENT:
        return None
    if rate_exact != 0 and not (min(abs(rate), order) > _SMALLEST_RATE and order < _LARGEST_RATE):
        return None
    if rate_exact == 0:
        left, right = logs + 1.0, -ratios
        sizes, error = np.abs(logs) + 1.0, ERROR + 8 * ROUNDING
    else:
        # In units of the bound: the unit is off by 2^-60 of itself and two roundings, and so is the difference.
        power = np.sign(rate) * exponentials(rate * logs - units)
        left, right = order * power, -rate * power * ratios
        sizes = np.abs(left)
        exponent = (abs(rate) * largest + unit) * (ERROR + 8 * ROUNDING) + 4 * ROUNDING * abs(rate)
        error = 1.01 * (exponent + ERROR + 8 * ROUNDING)
    prices, totals = costs.copy(), np.abs(costs)
    for place, slopes, size in ((first, left, sizes), (second, right, np.abs(right))):
        np.add.at(prices, place, weights * slopes)
        np.add.at(totals, place, weights * size)
    terms = int(np.bincount(np.concatenate([first, second])).max()) + 8
    # Costs and probabilities that vanish in floats are off by less than 2^-924, which no multiple of a sum, at least
    # 2^-150, leaves out of what is allowed for.
    prices -= 1.01 * (error + growth(terms)) * totals
    found: list[float] = prices.min(axis=1).tolist()
    return found
