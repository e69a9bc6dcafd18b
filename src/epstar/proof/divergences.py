"""Tangents of many divergences at once: the lower bound of Rényi privacy on large matrices, in bounded floats.

The sum is the one of `epstar.proof.converse`: the price of an entry is its share of the distortion plus, for each bound
that its row takes part in, the multiplier times a slope of the divergence. Here all of it runs over arrays, with the
errors of `epstar.notions.elementary`; the bound that comes out is rounded down by all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from epstar.distortion import Distortion, nearest_costs
from epstar.errors import InvalidInput
from epstar.exact import Rational, Real
from epstar.notions.constraints import Constraints, Power, RelativeEntropy
from epstar.notions.elementary import ERROR, ROUNDING, exponentials, growth, logarithms
from epstar.proof.converse import Converse, Guarantee, mixed
from epstar.reading import nearest_floats
from epstar.universe import Universe

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

# Below this many tangents balls are quick enough, and closer.
MANY_SLOPES = 1000
# Numbers between these are off by one rounding, and so are products of three of them, a power and a rate or an order:
# none of them leaves the range in which that is so, from 2^-1022 to 2^1024.
_SMALLEST, _LARGEST = 2.0**-150, 2.0**150
_SMALLEST_RATE, _LARGEST_RATE = 2.0**-50, 2.0**50
_LARGEST_EXPONENT = 350.0


@dataclass(frozen=True)
class Rows:
    """Of each bound the two rows that it compares, and the order less one (zero for relative entropies)."""

    first: Places
    second: Places
    rate: Rational


def compared_rows(constraints: Constraints) -> Rows | None:
    """Return the rows that the bounds compare, None unless each is one divergence of two rows, all of one order."""
    if constraints.ratios or constraints.spread is not None or not constraints.sums:
        return None
    first, second, rates = [], [], set()
    for total in constraints.sums:
        weight, atom = total.terms[0]
        if len(total.terms) != 1 or not isinstance(atom, Power | RelativeEntropy):
            return None
        if len(atom.left) != 1 or len(atom.right) != 1:
            return None
        ((x, one),), ((other, another),) = atom.left.items(), atom.right.items()
        if not weight == one == another == 1:
            return None
        first.append(x)
        second.append(other)
        rates.add(atom.order - 1 if isinstance(atom, Power) else Rational(0))
    return Rows(np.array(first), np.array(second), rates.pop()) if len(rates) == 1 else None


def divergence_guarantee(
    converse: Converse, constraints: Constraints, distortion: Distortion, universe: Universe
) -> Guarantee | None:
    """Return what many tangents prove; None where there are few, or where floats cannot hold them.

    `check_converse` has looked at the multipliers: logarithms of places that are not positive would be garbage.
    """
    if len(converse.slopes) < MANY_SLOPES or converse.prices is not None:
        return None
    if converse.relative:
        return None
    rows = compared_rows(constraints)
    multipliers = converse.sums
    if rows is None or not multipliers:
        return None
    outputs = distortion.shape(universe)[1]
    used = [i for i, multiplier in enumerate(multipliers) if multiplier > 0]
    places = {(i, y): place for i, _, y, (place,) in converse.slopes}
    if any((i, y) not in places for i in used for y in range(outputs)) or not used:
        return None
    try:
        ratios = nearest_floats([places[i, y] for i in used for y in range(outputs)]).reshape(len(used), outputs)
        shares = nearest_floats([converse.weight * p for p in mixed(converse.distortion_law)])
        weights = nearest_floats([multipliers[i] for i in used])
        costs = nearest_costs(distortion, universe)
    except InvalidInput:
        return None
    if not all(_are_held(numbers) for numbers in (ratios, weights, shares[shares != 0], costs[costs != 0])):
        return None
    value = _least(shares[:, None] * costs, rows, used, weights[:, None], ratios)
    return None if value is None else Guarantee(Real.of(Rational(*value.as_integer_ratio())), False)


def _are_held(numbers: Floats) -> bool:
    """Return whether the nearest floats of some numbers, and their products, are each within a rounding of them."""
    sizes = np.abs(numbers)
    return bool(((sizes > _SMALLEST) & (sizes < _LARGEST)).all())


def _least(costs: Floats, rows: Rows, used: Sequence[int], weights: Floats, ratios: Floats) -> float | None:
    """Return a number not above the sum over the rows of the least price, None beyond what floats hold."""
    # An order next to zero is not to be had from the rate, which is next to -1.
    rate, order = nearest_floats([rows.rate, rows.rate + 1]).tolist()
    logs = logarithms(ratios)
    largest = float(np.abs(logs).max())
    if abs(rate) * largest > _LARGEST_EXPONENT:
        return None
    if rows.rate != 0 and not (min(abs(rate), order) > _SMALLEST_RATE and order < _LARGEST_RATE):
        return None
    if rows.rate == 0:
        left, right = logs + 1.0, -ratios
        sizes, error = np.abs(logs) + 1.0, ERROR + 8 * ROUNDING
    else:
        power = np.sign(rate) * exponentials(rate * logs)
        left, right = order * power, -rate * power * ratios
        sizes = np.abs(left)
        error = 1.01 * (abs(rate) * (largest * (ERROR + 4 * ROUNDING) + 4 * ROUNDING) + ERROR + 8 * ROUNDING)
    first, second = rows.first[used], rows.second[used]
    prices, totals = costs.copy(), np.abs(costs)
    for place, slopes, size in ((first, left, sizes), (second, right, np.abs(right))):
        np.add.at(prices, place, weights * slopes)
        np.add.at(totals, place, weights * size)
    terms = int(np.bincount(np.concatenate([first, second])).max()) + 8
    prices -= 1.01 * (error + growth(terms)) * totals
    least = prices.min(axis=1)
    return float(least.sum() - 1.01 * growth(len(least) + 4) * np.abs(least).sum())
