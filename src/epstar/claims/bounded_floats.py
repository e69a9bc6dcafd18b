"""Exponentials and tangents of large matrices in floats, every error on the safe side.

The exponentials and logarithms are those of `epstar.exact.elementary`, whose error follows from correctly rounded
steps. Rounding only ever makes a condition harder to meet, so that what passes is true; what does not pass may still be
true, and is left to exact arithmetic.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from epstar.claims.claim import Places, Point
from epstar.claims.form import Form, UsedSum
from epstar.distortion import nearest_costs
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational
from epstar.exact.elementary import ERROR, ROUNDING, exponentials, growth, logarithms
from epstar.exact.vectors import nearest_floats
from epstar.notions.constraints import Exponential, Power, RelativeEntropy

Floats = NDArray[np.float64]

# Smaller probabilities and larger numbers than these leave too little room in the exponents of floats.
_FAINTEST, _HUGE = 2.0**-900, 1e150
# Numbers between these are off by one rounding, and so are products of three of them, a power and a rate or an order:
# none of them leaves the range in which that is so, from 2^-1022 to 2^1024.
_SMALLEST, _LARGEST = 2.0**-150, 2.0**150
_SMALLEST_RATE, _LARGEST_RATE = 2.0**-50, 2.0**50
_LARGEST_EXPONENT = 350.0
_BLOCK = 1 << 16


def conjugate_holds(form: Form) -> bool:
    """Return whether sum over x of p(x) exp((price - law d)/(multiple p)) is at most 1 for every output, by floats.

    Letters have so few different terms that exact numbers are as quick.
    """
    law, setting = form.law, form.given.setting
    assert law is not None, "it is asked of steps that fit"
    assert form.conjugate is not None
    point, multiple = form.conjugate
    if setting.is_hamming_on_letters:
        return False
    places = list(point)
    outside = [x for x in range(len(law)) if x not in point]
    least = setting.distortion.cheapest(setting.universe).costs if outside else ()
    if any(form.prices[x] > law[x] * least[x] for x in outside):
        return False
    try:
        weights = nearest_floats([point[x] for x in places])
        tilts = nearest_floats([law[x] / (multiple * point[x]) for x in places])
        offsets = nearest_floats([form.prices[x] / (multiple * point[x]) for x in places])
    except InvalidInput:
        return False
    cost = nearest_costs(setting.distortion, setting.universe)[places]
    numbers = (tilts, offsets, cost)
    if not (weights > _FAINTEST).all() or not all((np.abs(values) < _HUGE).all() for values in numbers):
        return False
    inputs, outputs = cost.shape
    sums = np.zeros(outputs)
    step = max(1, _BLOCK // outputs)
    for start in range(0, inputs, step):
        rows = slice(start, start + step)
        offset, charge = offsets[rows, None], tilts[rows, None] * cost[rows]
        # Each number is off by one rounding, and so are a charge that is a product and the difference; vanishing ones
        # are off by less than the error of an exponential, which is allowed for twice.
        exponents = offset - charge + 8 * ROUNDING * (np.abs(charge) + np.abs(offset))
        sums += weights[rows] @ exponentials(exponents)
    relative = 2 * (growth(inputs + 8) + 2 * ERROR)
    return bool((sums * (1 + relative) <= 1).all())


def least_of_tangents(form: Form) -> Point | None:
    """Return for each row a number not above its coefficients without prices; None beyond what floats hold.

    For tangents of sums that each compare two rows by one divergence, all of one order.
    """
    given, law = form.given, form.law
    assert law is not None, "it is asked of steps that fit"
    compared = [_compared(used) for used in form.sums]
    atoms = [pair[0] for pair in compared if pair is not None]
    orders = {atom.order if isinstance(atom, Power) else ONE for atom in atoms}
    if len(atoms) < len(compared) or len(orders) != 1:
        return None
    order_exact = orders.pop()
    level, scales = given.claim.loss.above(64), [used.bound.scale for used in form.sums]
    try:
        ratios = np.array([nearest_floats(pair[1]) for pair in compared if pair is not None])
        shares, weights = nearest_floats(law), nearest_floats([used.use.multiplier for used in form.sums])
        units = nearest_floats([scale.rate * level if isinstance(scale, Exponential) else ZERO for scale in scales])
        costs = nearest_costs(given.setting.distortion, given.setting.universe)
    except InvalidInput:
        return None
    if not all(_are_held(numbers) for numbers in (ratios, weights, shares[shares != 0], costs[costs != 0])):
        return None
    slopes = _slopes(order_exact, ratios, units[:, None])
    if slopes is None:
        return None
    left, right, sizes, error = slopes
    prices = shares[:, None] * costs
    totals, terms = np.abs(prices), np.zeros(len(prices), dtype=np.intp)
    for forms, slope, size in (([a.left for a in atoms], left, sizes), ([a.right for a in atoms], right, right)):
        place = np.array([next(iter(form)) for form in forms])
        np.add.at(prices, place, weights[:, None] * slope)
        np.add.at(totals, place, weights[:, None] * np.abs(size))
        np.add.at(terms, place, 1)
    # Costs and probabilities that vanish in floats are off by less than 2^-924, which no multiple of a sum, at least
    # 2^-150, leaves out of what is allowed for.
    prices -= 1.01 * (error + growth(int(terms.max()) + 8)) * totals
    return tuple(Rational(*low.as_integer_ratio()) for low in prices.min(axis=1).tolist())


def _compared(used: UsedSum) -> tuple[Power | RelativeEntropy, Sequence[Rational]] | None:
    """Return the divergence of two rows that a sum consists of, with the places of its tangents; None for another."""
    (weight, atom), tangents = used.bound.terms[0], used.use.tangents
    if len(used.bound.terms) != 1 or not isinstance(atom, Power | RelativeEntropy) or weight != 1:
        return None
    if list(atom.left.values()) != [1] or list(atom.right.values()) != [1] or not isinstance(tangents, Places):
        return None
    places = [place for place in tangents.table[0] if place is not None]
    return (atom, places) if len(places) == len(tangents.table[0]) else None


def _are_held(numbers: Floats) -> bool:
    """Return whether the nearest floats of some numbers, and their products, are each within a rounding of them."""
    sizes = np.abs(numbers)
    return bool(((sizes > _SMALLEST) & (sizes < _LARGEST)).all())


def _slopes(exact: Rational, ratios: Floats, units: Floats) -> tuple[Floats, Floats, Floats, float] | None:
    """Return the slopes of tangents of an order, of what is left and right, what their errors are of, and these."""
    # An order next to zero is not to be had from the rate, which is next to -1.
    rate, order = nearest_floats([exact - 1, exact]).tolist()
    logs = logarithms(ratios)
    if exact == 1:
        return logs + 1.0, -ratios, np.abs(logs) + 1.0, ERROR + 8 * ROUNDING
    exponent = abs(rate) * float(np.abs(logs).max()) + float(np.abs(units).max())
    if exponent > _LARGEST_EXPONENT:
        return None
    if not (min(abs(rate), order) > _SMALLEST_RATE and order < _LARGEST_RATE):
        return None
    # In units of the bound: the unit is off by 2^-60 of itself and two roundings, and so is the difference.
    power = np.sign(rate) * exponentials(rate * logs - units)
    left, right = order * power, -rate * power * ratios
    off = exponent * (ERROR + 8 * ROUNDING) + 4 * ROUNDING * abs(rate)
    return left, right, left, 1.01 * (off + ERROR + 8 * ROUNDING)
