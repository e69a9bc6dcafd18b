r"""Row prices of a spread, checked in whole arrays of integers.

With v(x,y) = (weight p(x) d(x,y) - price(x)) / scale(x), the column condition asks that the positive parts of each
column of v sum to at least e^level times the negative parts. Put over one denominator, v = A(x) D(x,y) - B(x) in
integers, and a column needs its sum and the sum of its positive parts. Hamming distortion has one column that all
others differ from in two entries, so that it needs no matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epstar.distortion import Distortion, Hamming
from epstar.exact import ZERO, Rational, Real, dot
from epstar.integers import Integers, Scaled, widened
from epstar.notions.constraints import Constraints, Spread
from epstar.proof.converse import BITS, Converse, Guarantee, column_failure, mixed
from epstar.universe import Databases, Universe

# Columns are taken in blocks of this many entries, so that a large matrix is never held in Python integers.
_BLOCK = 1 << 18
# With longer denominators fractions one by one are quicker; a single column is quick with any.
_MOST_BITS, _MOST_LETTER_BITS = 1 << 10, 1 << 20


@dataclass(frozen=True)
class _Columns:
    """Of each column of v its sums of positive and of negative parts, and of each row how many are not positive."""

    above: Sequence[int]
    below: Sequence[int]
    spared: Sequence[int]
    denominator: int


def integer_guarantee(
    converse: Converse, constraints: Constraints, distortion: Distortion, universe: Universe, level: Real | None
) -> Guarantee | None:
    """Return what row prices alone, or no multipliers at all, prove; None for others, or unlike denominators.

    `check_converse` has looked at them.

    Cost: O(inputs * outputs) operations on integers, O(inputs) for Hamming distortion on letters.

    Raises:
        ProofRejected: if a column condition fails.
    """
    if converse.prices is None and not _has_others(converse):
        least = dot(mixed(converse.distortion_law), distortion.cheapest(universe).costs)
        return Guarantee(Real.of(converse.weight * least), False)
    columns = _columns(converse, constraints, distortion, universe)
    if columns is None or level is None:
        return None
    assert constraints.spread is not None
    charge, strict = _judged(columns, constraints.spread, Real.exp(level).above(BITS))
    return Guarantee(Real.of(sum(converse.prices or (), ZERO) - charge), strict)


def shortfall(
    converse: Converse, constraints: Constraints, distortion: Distortion, universe: Universe, level: Real
) -> Rational | None:
    """Return by how much row prices fail the worst column condition at most, zero if none; None as above.

    Lowering every price by that much over the sum of 1/scale mends them.
    """
    columns = _columns(converse, constraints, distortion, universe)
    if columns is None:
        return None
    ratio = Real.exp(level).above(BITS)
    numerator, divisor = int(ratio.p), int(ratio.q)
    pairs = zip(columns.above, columns.below, strict=True)
    worst = max(numerator * below - above * divisor for above, below in pairs)
    return Rational(max(0, worst), divisor * columns.denominator)


def _has_others(converse: Converse) -> bool:
    """Return whether there is more to a converse than a law and row prices."""
    others = converse.ratios or converse.maxima or converse.sums or converse.slopes
    return bool(others)


def _columns(
    converse: Converse, constraints: Constraints, distortion: Distortion, universe: Universe
) -> _Columns | None:
    spread, prices = constraints.spread, converse.prices
    if _has_others(converse) or spread is None or prices is None:
        return None
    letters = isinstance(distortion, Hamming) and not isinstance(universe, Databases)
    cost = Scaled(np.ones((1, 1), dtype=np.int64), 1) if letters else distortion.scaled(universe)
    if cost is None:
        return None
    slopes = _over(converse, mixed(converse.distortion_law), spread, cost.denominator)
    pairs = Scaled.of([*slopes, *_over_scales(prices, spread)], _MOST_LETTER_BITS if letters else _MOST_BITS)
    if pairs is None:
        return None
    values = widened(pairs.numerators)
    slope, offset = values[: universe.size], values[universe.size :]
    if letters:
        return _hamming(slope, offset, pairs.denominator)
    return _general(slope, offset, cost.numerators, pairs.denominator)


def _over(converse: Converse, law: Sequence[Rational], spread: Spread, denominator: int) -> list[Rational]:
    factor = converse.weight / denominator
    return [factor * p / scale for p, scale in zip(law, spread.scales, strict=True)]


def _over_scales(prices: Sequence[Rational], spread: Spread) -> list[Rational]:
    return [price / scale for price, scale in zip(prices, spread.scales, strict=True)]


def _general(slope: Integers, offset: Integers, cost: Integers, denominator: int) -> _Columns:
    above: list[int] = []
    below: list[int] = []
    spared = np.zeros(len(slope), dtype=np.int64)
    step = max(1, _BLOCK // len(slope))
    for start in range(0, cost.shape[1], step):
        values = slope[:, None] * cost[:, start : start + step] - offset[:, None]
        positive = np.where(values > 0, values, 0).sum(axis=0).tolist()
        above += positive
        below += [part - whole for part, whole in zip(positive, values.sum(axis=0).tolist(), strict=True)]
        spared += (values <= 0).sum(axis=1)
    return _Columns(above, below, spared.tolist(), denominator)


def _hamming(slope: Integers, offset: Integers, denominator: int) -> _Columns:
    """Take the columns apart: every entry costs 1 but that of the letter itself, which costs 0."""
    wrong, right = (slope - offset).tolist(), (-offset).tolist()
    gained, lost = sum(v for v in wrong if v > 0), sum(-v for v in wrong if v < 0)
    return _Columns(
        [gained - max(v, 0) + max(own, 0) for v, own in zip(wrong, right, strict=True)],
        [lost + min(v, 0) - min(own, 0) for v, own in zip(wrong, right, strict=True)],
        [(len(wrong) - 1) * (v <= 0) + (own <= 0) for v, own in zip(wrong, right, strict=True)],
        denominator,
    )


def _judged(columns: _Columns, spread: Spread, ratio: Rational) -> tuple[Rational, bool]:
    """Return what the slack of the spread costs, and whether a smaller level would leave room."""
    numerator, divisor = int(ratio.p), int(ratio.q)
    for output, (above, below) in enumerate(zip(columns.above, columns.below, strict=True)):
        if above * divisor < numerator * below:
            raise column_failure(output)
    strict = all(above > 0 or below > 0 for above, below in zip(columns.above, columns.below, strict=True))
    charge = spread.slack * Rational(sum(columns.below), columns.denominator)
    # At a smaller level every column has room, so one price can rise; it must gain more than its slack costs.
    cheap = spread.slack == 0 or any(
        spread.slack * count < scale for count, scale in zip(columns.spared, spread.scales, strict=True)
    )
    return charge, strict and cheap
