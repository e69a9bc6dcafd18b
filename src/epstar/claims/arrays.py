r"""The rule over whole arrays: the first step of a claim about a large matrix, with the same premises and conclusions.

Coefficients that are rational stay exact, as integers over one denominator. With v(x,y) = c(x,y) / scale(x) a column
judged by its spread needs the sums of its positive and of its negative parts. Hamming distortion on letters has one
column that all others differ from in two entries, so that it needs no matrix at all. Tangents and conjugates are
bounded by floats (`epstar.claims.bounded_floats`). What these forms cannot hold, or decide, is left to `rule.add_up`.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from epstar.claims.bounded_floats import conjugate_holds, least_prices
from epstar.claims.claim import Places, Point, Shares
from epstar.claims.premises import Addends, Premises
from epstar.claims.rule import Entry, Face, Outcome, column_failure, concluded
from epstar.errors import ProofRejected
from epstar.exact import ONE, ZERO, Ball, Rational, working_precision
from epstar.exact.common_denominator import Integers, Scaled, widened
from epstar.notions.constraints import Maximum, RelativeEntropy, Spread

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
    frame = given.frame
    law = addends.law
    if face or law is None or addends.ratios or frame.sizes is not None or _terms(given, addends) < least:
        return None
    prices = addends.step.rows or (ZERO,) * frame.inputs
    if addends.spread is not None:
        return _spread(given, addends, law, prices, addends.spread)
    if not addends.sums:
        return _cheapest(given, addends, law, prices)
    if addends.conjugate is not None:
        return _conjugate(given, addends, law, prices)
    if len(addends.sums) == 1 and isinstance(addends.sums[0].use.tangents, Shares):
        return _diagonal(given, addends, law, prices)
    if all(isinstance(used.use.tangents, Places) for used in addends.sums):
        return _tangents(given, addends, law, prices)
    return None


def _terms(given: Premises, addends: Addends) -> int:
    """Return how many numbers are added up one by one elsewhere; a tangent takes as long as several entries."""
    return given.frame.outputs * max(given.frame.inputs, _TANGENT * len(addends.sums))


def _conclusion(
    given: Premises, addends: Addends, prices: Point, extra: Rational, positive: Container[Entry]
) -> Outcome:
    """Return what follows from the total of the step's bounds, once its columns have passed their tests."""
    allowed = given.claim.distortion.rational
    assert allowed is not None
    total, enclosed = addends.weight * allowed + extra - sum(prices, ZERO), None
    with working_precision(given.bits):
        for used in addends.sums:
            charge = given.bounds.charge(used.bound)
            if isinstance(charge, Rational):
                total += used.use.multiplier * charge
            else:
                part: Ball = charge * used.use.multiplier
                enclosed = part if enclosed is None else enclosed + part
        return concluded(given, addends, total, enclosed, positive)


# -- columns judged by their spread -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Columns:
    """Of each column of v its sums of positive and of negative parts over one denominator, and where v is positive."""

    above: Sequence[int]
    below: Sequence[int]
    denominator: int
    positive: Container[Entry]


@dataclass(frozen=True, eq=False)
class _Matrix:
    """The entries at which a matrix is true."""

    entries: NDArray[np.bool_]

    def __contains__(self, entry: object) -> bool:
        return isinstance(entry, tuple) and bool(self.entries[entry])


@dataclass(frozen=True)
class _Letters:
    """Entries on the diagonal, and whole rows beside it."""

    beside: Sequence[bool]
    diagonal: Sequence[bool]

    def __contains__(self, entry: object) -> bool:
        assert isinstance(entry, tuple)
        x, y = entry
        return self.diagonal[x] if x == y else self.beside[x]


def _spread(given: Premises, addends: Addends, law: Point, prices: Point, spread: Spread) -> Outcome | None:
    columns = _columns(given, law, prices, spread)
    if columns is None:
        return None
    growth = given.bounds.growth(ONE)
    numerator, divisor = int(growth.p), int(growth.q)
    for output, (above, below) in enumerate(zip(columns.above, columns.below, strict=True)):
        if above * divisor < numerator * below:
            raise column_failure(output)
    charge = spread.slack * Rational(sum(columns.below), columns.denominator)
    positive = columns.positive if given.claim.open == "loss" else frozenset[Entry]()
    return _conclusion(given, addends, prices, charge, positive)


def spread_columns(given: Premises, addends: Addends) -> Columns | None:
    """Return what the columns of a step judged by its spread add up to; None where no form of arrays fits."""
    if addends.ratios or addends.law is None or addends.spread is None:
        return None
    return _columns(given, addends.law, addends.step.rows or (ZERO,) * given.frame.inputs, addends.spread)


def _columns(given: Premises, law: Point, prices: Point, spread: Spread) -> Columns | None:
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
    return (_of_letters if letters else _of_matrix)(slope, offset, cost.numerators, pairs.denominator)


def _of_matrix(slope: Integers, offset: Integers, cost: Integers, denominator: int) -> Columns:
    above: list[int] = []
    below: list[int] = []
    positive = np.zeros(cost.shape, dtype=np.bool_)
    step = max(1, _BLOCK // len(slope))
    for start in range(0, cost.shape[1], step):
        values = slope[:, None] * cost[:, start : start + step] - offset[:, None]
        chosen = values > 0
        positive[:, start : start + step] = chosen
        sums = np.where(chosen, values, 0).sum(axis=0).tolist()
        above += sums
        below += [part - whole for part, whole in zip(sums, values.sum(axis=0).tolist(), strict=True)]
    return Columns(above, below, denominator, _Matrix(positive))


def _of_letters(slope: Integers, offset: Integers, _: Integers, denominator: int) -> Columns:
    """Take the columns apart: every entry costs 1 but that of the letter itself, which costs 0."""
    wrong, right = (slope - offset).tolist(), (-offset).tolist()
    gained, lost = sum(v for v in wrong if v > 0), sum(-v for v in wrong if v < 0)
    return Columns(
        [gained - max(v, 0) + max(own, 0) for v, own in zip(wrong, right, strict=True)],
        [lost + min(v, 0) - min(own, 0) for v, own in zip(wrong, right, strict=True)],
        denominator,
        _Letters([v > 0 for v in wrong], [own > 0 for own in right]),
    )


# -- laws alone, and shares of a maximum on the diagonal --------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Dearer:
    """The entries whose cost under a law is more than the price of their row."""

    given: Premises
    law: Point
    prices: Point

    @cached_property
    def _costs(self) -> Sequence[Sequence[Rational]]:
        return self.given.setting.distortion.matrix(self.given.setting.universe)

    def __contains__(self, entry: object) -> bool:
        assert isinstance(entry, tuple)
        x, y = entry
        return self.law[x] * self._costs[x][y] > self.prices[x]


def _cheapest(given: Premises, addends: Addends, law: Point, prices: Point) -> Outcome:
    _check_cheapest(given, law, prices, range(given.frame.inputs))
    return _conclusion(given, addends, prices, ZERO, _Dearer(given, law, prices))


def _check_cheapest(given: Premises, law: Point, prices: Point, inputs: Sequence[int]) -> None:
    """Check that rows are priced no higher than what their cheapest answers cost."""
    cheapest = given.setting.distortion.cheapest(given.setting.universe)
    for x in inputs:
        if prices[x] > law[x] * cheapest.costs[x]:
            y = int(cheapest.outputs[x])
            raise ProofRejected(f"The coefficient of input {x} and output {y} is negative: nothing follows.")


def _diagonal(given: Premises, addends: Addends, law: Point, prices: Point) -> Outcome | None:
    """Judge shares of a maximum that lie on the diagonal: each row has two kinds of entries."""
    own = _own(given, addends)
    if own is None:
        return None
    for x, (p, kept, price) in enumerate(zip(law, own, prices, strict=True)):
        if min(p, kept) < price:
            raise ProofRejected(f"A coefficient of input {x} is negative: nothing follows.")
    beside = [p > price for p, price in zip(law, prices, strict=True)]
    diagonal = [kept > price for kept, price in zip(own, prices, strict=True)]
    return _conclusion(given, addends, prices, ZERO, _Letters(beside, diagonal))


def _own(given: Premises, addends: Addends) -> list[Rational] | None:
    """Return what shares of a maximum add to the right answers of letters; None where they lie elsewhere."""
    (used,) = addends.sums
    (weight, atom), tangents = used.bound.terms[0], used.use.tangents
    assert isinstance(atom, Maximum)
    assert isinstance(tangents, Shares)
    if not given.setting.is_hamming_on_letters or given.frame.inputs < 2:
        return None
    own = [ZERO] * given.frame.inputs
    for output, x, share in tangents.entries:
        if output != x or own[x] != 0:
            return None
        own[x] = share * weight * atom.weights[x] * used.use.multiplier
    return own


# -- what floats bound ------------------------------------------------------------------------------------------------


def _conjugate(given: Premises, addends: Addends, law: Point, prices: Point) -> Outcome | None:
    used = addends.conjugate
    assert used is not None
    first = used.bound.terms[0][1]
    assert isinstance(first, RelativeEntropy)
    point = first.right
    outside = [x for x in range(given.frame.inputs) if x not in point]
    if outside:
        _check_cheapest(given, law, prices, outside)
    if not conjugate_holds(given.setting, law, prices, point, used.use.multiplier):
        return None
    return _conclusion(given, addends, prices, ZERO, frozenset[Entry]())


def _tangents(given: Premises, addends: Addends, law: Point, prices: Point) -> Outcome | None:
    least = least_prices(given, addends, law)
    if least is None or any(
        price > Rational(*low.as_integer_ratio()) for price, low in zip(prices, least, strict=True)
    ):
        return None
    # Nothing is said of single entries: only a contradiction can follow.
    return _conclusion(given, addends, prices, ZERO, frozenset[Entry]())


def largest_prices(given: Premises, addends: Addends, least: int = MANY_TERMS) -> Point | None:
    """Return multiples of rows that pass the test of every column in these forms, None where they do not fit."""
    frame, law = given.frame, addends.law
    if law is None or addends.ratios or frame.sizes is not None or _terms(given, addends) < least:
        return None
    if not addends.sums:
        costs = given.setting.distortion.cheapest(given.setting.universe).costs
        return tuple(p * cost for p, cost in zip(law, costs, strict=True))
    if len(addends.sums) == 1 and isinstance(addends.sums[0].use.tangents, Shares):
        own = _own(given, addends)
        return None if own is None else tuple(map(min, law, own))
    if all(isinstance(used.use.tangents, Places) for used in addends.sums):
        found = least_prices(given, addends, law)
        return None if found is None else tuple(Rational(*low.as_integer_ratio()) for low in found)
    return None
