r"""The rule over whole arrays: the first step of a claim about a large matrix, with the same premises and conclusions.

Coefficients that are rational stay exact, as integers over one denominator. With v(x,y) = c(x,y) / scale(x) a column
judged by its spread needs the sums of its positive and of its negative parts. Hamming distortion on letters has one
column that all others differ from in two entries, so that it needs no matrix at all. Tangents and conjugates are
bounded by floats (`epstar.claims.bounded_floats`). What these forms cannot hold, or decide, is left to `rule.add_up`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epstar.claims.bounded_floats import conjugate_holds, least_prices
from epstar.claims.claim import Places, Point, Shares
from epstar.claims.premises import Addends, Premises, UsedSum
from epstar.claims.rule import Entry, Face, Outcome, column_failure, concluded
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Rational, working_precision
from epstar.exact.common_denominator import Scaled, widened
from epstar.notions.constraints import Maximum, RelativeEntropy

# Below this many terms exact numbers one by one are quick enough.
MANY_TERMS = 1 << 12
_TANGENT = 4
# Columns are taken in blocks of this many entries, so that a large matrix is never held in Python integers.
_BLOCK = 1 << 18
# With longer denominators fractions one by one are quicker; a single column is quick with any.
_MOST_BITS, _MOST_LETTER_BITS = 1 << 10, 1 << 20


def add_up_in_arrays(given: Premises, addends: Addends, face: Face, least: int = MANY_TERMS) -> Outcome | None:
    """Return what a step says, or None where no form of arrays fits it or decides it.

    Raises:
        ProofRejected: if it says nothing.
    """
    law, prices = addends.law, addends.prices
    if face or addends.weight == 0 or not fits(given, addends, least):
        return None
    assert law is not None
    # Where a sum is used an end is strict, so that only a contradiction can follow.
    slack, positive = ZERO, frozenset[Entry]() if addends.sums else _Positive(given, law, prices)
    if addends.spread is not None:
        columns = spread_columns(given, addends)
        if columns is None:
            return None
        short = columns.shortfalls(given.bounds.growth(ONE))
        if max(short) > 0:
            raise column_failure(next(y for y, missing in enumerate(short) if missing > 0))
        slack = addends.spread.slack * columns.negative
        positive = positive if given.claim.open == "loss" else frozenset()
    elif addends.conjugate is not None:
        if not _conjugate(given, addends.conjugate, law, prices):
            return None
    else:
        largest = largest_prices(given, addends)
        if largest is None:
            return None
        dear = [x for x, (price, most) in enumerate(zip(prices, largest, strict=True)) if price > most]
        if dear and any(isinstance(used.use.tangents, Places) for used in addends.sums):
            return None
        if dear:
            raise _negative(dear[0])
    with working_precision(given.bits):
        total, enclosed = given.total(addends)
        return concluded(given, addends, total + slack, enclosed, positive)


def fits(given: Premises, addends: Addends, least: int = MANY_TERMS) -> bool:
    """Return whether a step is of laws and sums alone, and of many terms: a tangent takes as long as some entries."""
    terms = given.frame.outputs * max(given.frame.inputs, _TANGENT * len(addends.sums))
    return not addends.ratios and given.frame.sizes is None and terms >= least


def _negative(x: int) -> ProofRejected:
    return ProofRejected(f"A coefficient of input {x} is negative: nothing follows.")


@dataclass(frozen=True, eq=False)
class _Positive:
    """The entries whose cost under a law is more than the price of their row."""

    given: Premises
    law: Point
    prices: Point

    def __contains__(self, entry: object) -> bool:
        assert isinstance(entry, tuple)
        x, y = entry
        cost = Rational(x != y) if self.given.setting.is_hamming_on_letters else self.given.cost[x][y]
        return self.law[x] * cost > self.prices[x]


# -- columns judged by their spread -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Of each column of v its sums of positive and of negative parts, over one denominator."""

    above: Sequence[int]
    below: Sequence[int]
    denominator: int

    @property
    def negative(self) -> Rational:
        """The sum of all negative parts."""
        return Rational(sum(self.below), self.denominator)

    def shortfalls(self, growth: Rational) -> list[int]:
        """Return by how much positive parts are too small beside negative ones, in units that all columns share."""
        numerator, divisor = int(growth.p), int(growth.q)
        return [numerator * below - above * divisor for above, below in zip(self.above, self.below, strict=True)]


def spread_columns(given: Premises, addends: Addends) -> Columns | None:
    """Return what the columns of a step judged by its spread add up to; None where no form of arrays fits."""
    law, spread, prices = addends.law, addends.spread, addends.prices
    if addends.ratios or law is None or spread is None:
        return None
    setting, letters = given.setting, given.setting.is_hamming_on_letters
    cost = Scaled(np.ones((1, 1), dtype=np.int64), 1) if letters else setting.distortion.scaled(setting.universe)
    if cost is None:
        return None
    slopes = [p / (cost.denominator * scale) for p, scale in zip(law, spread.scales, strict=True)]
    offsets = [price / scale for price, scale in zip(prices, spread.scales, strict=True)]
    pairs = Scaled.of([*slopes, *offsets], _MOST_LETTER_BITS if letters else _MOST_BITS)
    if pairs is None:
        return None
    values = widened(pairs.numerators)
    slope, offset = values[: len(law)], values[len(law) :]
    above: list[int] = []
    below: list[int] = []
    if letters:
        # Every entry costs 1 but that of the letter itself, which costs 0.
        wrong, right = (slope - offset).tolist(), (-offset).tolist()
        gained, lost = sum(v for v in wrong if v > 0), sum(-v for v in wrong if v < 0)
        above = [gained - max(v, 0) + max(own, 0) for v, own in zip(wrong, right, strict=True)]
        below = [lost + min(v, 0) - min(own, 0) for v, own in zip(wrong, right, strict=True)]
        return Columns(above, below, pairs.denominator)
    step = max(1, _BLOCK // len(slope))
    for start in range(0, cost.numerators.shape[1], step):
        block = slope[:, None] * cost.numerators[:, start : start + step] - offset[:, None]
        sums = np.where(block > 0, block, 0).sum(axis=0).tolist()
        above += sums
        below += [part - whole for part, whole in zip(sums, block.sum(axis=0).tolist(), strict=True)]
    return Columns(above, below, pairs.denominator)


# -- columns judged by signs, and by their conjugate ------------------------------------------------------------------


def largest_prices(given: Premises, addends: Addends) -> Point | None:
    """Return the largest multiples of rows that leave no coefficient negative; those of tangents are bounded by floats.

    Of a step that fits arrays; None unless it is of costs alone, shares of a maximum on the diagonal, or tangents.
    """
    law = addends.law
    if law is None:
        return None
    if not addends.sums:
        costs = given.setting.distortion.cheapest(given.setting.universe).costs
        return tuple(p * cost for p, cost in zip(law, costs, strict=True))
    first = addends.sums[0]
    if len(addends.sums) == 1 and isinstance(first.use.tangents, Shares):
        own = _on_diagonal(given, first, first.use.tangents)
        return None if own is None else tuple(map(min, law, own))
    if all(isinstance(used.use.tangents, Places) for used in addends.sums):
        found = least_prices(given, addends, law)
        return None if found is None else tuple(Rational(*low.as_integer_ratio()) for low in found)
    return None


def _on_diagonal(given: Premises, used: UsedSum, tangents: Shares) -> list[Rational] | None:
    """Return what shares of a maximum add to the right answers of letters; None where they lie elsewhere."""
    weight, atom = used.bound.terms[0]
    assert isinstance(atom, Maximum)
    if not given.setting.is_hamming_on_letters or given.frame.inputs < 2:
        return None
    own = [ZERO] * given.frame.inputs
    for output, x, share in tangents.entries:
        if output != x or own[x] != 0:
            return None
        own[x] = share * weight * atom.weights[x] * used.use.multiplier
    return own


def _conjugate(given: Premises, used: UsedSum, law: Point, prices: Point) -> bool:
    """Return whether floats tell that no column gains on the sum of a mutual information."""
    first = used.bound.terms[0][1]
    assert isinstance(first, RelativeEntropy)
    outside = [x for x in range(given.frame.inputs) if x not in first.right]
    costs = given.setting.distortion.cheapest(given.setting.universe).costs if outside else ()
    for x in outside:
        if prices[x] > law[x] * costs[x]:
            raise _negative(x)
    return conjugate_holds(given.setting, law, prices, first.right, used.use.multiplier)
