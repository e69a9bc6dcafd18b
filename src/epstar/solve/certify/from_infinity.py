r"""From multipliers of order infinity (differential privacy, maximal leakage) to those of a large order.

A multiplier m_y of p_y <= e^(level d) q_y, over the outputs y, becomes the tangent of the sum of powers, in units of
its bound, at p_y/q_y = e^(level d) (m_y / M)^(1/(order-1)), where M is the largest of them: with the multiplier
M / order of the sum its slope on the left is m_y, and on the right a hair less than m_y e^(level d). What is proven
falls by the sum of all M / order alone. A norm of a large order is a maximum in much the same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from epstar.completion import Converse, Mixture
from epstar.completion.converse import mixed
from epstar.errors import EpstarError
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import bits_taken
from epstar.notions.measure.least_favourable import covering_laws
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.solve.program.arithmetic import transported
from epstar.solve.program.measured import PLACE_BITS
from epstar.solve.shapes import order_of_norms, order_of_pairs

# A multiplier that is so small a share of the largest of its pair may be any other.
_FAINT = Rational(1, 1 << 64)


def of_large_order(problem: Problem, level: Real, converse: Converse) -> Converse:
    """Return the multipliers of a large order that those of order infinity at the level become."""
    of_pairs, of_norms = order_of_pairs(problem.notion), order_of_norms(problem.notion)
    named = replace(converse, level=level if problem.asks == "loss" else None)
    if of_norms is not None:
        return _norms(problem, named, of_norms)
    if of_pairs is None:
        raise EpstarError("Only a notion of an order has neighbours of other orders.")
    return _powers(problem, level, named, of_pairs)


def _norms(problem: Problem, converse: Converse, order: Rational) -> Converse:
    """Return the tangents of norms whose slopes are the multipliers of maxima, up to their weights' roots."""
    laws = covering_laws(problem.source)
    points: Mixture = tuple((Rational(1, len(laws)), law) for law in laws)
    weights = {x: p for x, p in enumerate(mixed(points)) if p > 0}
    bits = PLACE_BITS + bits_taken(order)
    outputs = range(problem.distortion.shape(problem.universe)[1])
    shares = [dict.fromkeys(weights, ZERO) for _ in outputs]
    for _, _, y, x, multiplier in converse.maxima:
        if x in weights:
            shares[y][x] += multiplier / weights[x]
    slopes = []
    for y, column in enumerate(shares):
        largest = max(column.values())
        logs = [
            Real.log(max(share / largest, _FAINT) if largest > 0 else ONE) / (order - 1) for share in column.values()
        ]
        slopes.append((0, 0, y, tuple(Real.exp(entry).below(bits) for entry in logs)))
    return replace(converse, points=(points,), maxima=(), slopes=tuple(slopes))


def _powers(problem: Problem, level: Real, converse: Converse, order: Rational) -> Converse:
    """Return the tangents of powers whose slopes are the multipliers of ratios."""
    pairs = list(ordered_pairs(problem.universe))
    places = {(first, second): i for i, (first, second, _) in enumerate(pairs)}
    outputs = range(problem.distortion.shape(problem.universe)[1])
    shares = [[ZERO for _ in outputs] for _ in pairs]
    for i, y, multiplier in converse.ratios:
        shares[i][y] += multiplier
    for first, second, y, multiplier in _flows(problem, level, converse):
        shares[places[first, second]][y] += multiplier
    largest = [max(row) for row in shares]
    logs = [
        [Real.log(max(share / most, _FAINT)) / (order - 1) if most > 0 else Real.of(ZERO) for share in row]
        for most, row in zip(largest, shares, strict=True)
    ]
    named = replace(converse, ratios=(), prices=None)
    return tangents(problem, order, level, named, [most / order for most in largest], logs)


def tangents(
    problem: Problem,
    order: Rational,
    level: Real,
    converse: Converse,
    sums: Sequence[Rational],
    logs: Sequence[Sequence[Real]],
) -> Converse:
    """Return a converse with the multipliers of sums of powers in units of their bounds at a level.

    The tangents are taken where the logarithm of a ratio exceeds level * distance by `logs`, for each pair and output.
    """
    bits = PLACE_BITS + bits_taken(order)
    slopes = tuple(
        (i, 0, y, (Real.exp(level * distance + excess).below(bits),))
        for i, ((*_, distance), share, row) in enumerate(zip(ordered_pairs(problem.universe), sums, logs, strict=True))
        if share > 0
        for y, excess in enumerate(row)
    )
    return replace(converse, sums=tuple(sums), slopes=slopes, relative=True)


def _flows(problem: Problem, level: Real, converse: Converse) -> Iterator[tuple[int, int, int, Rational]]:
    """Return the multipliers (left, right, output, value) of pairs that row prices stand for.

    Within a column, inputs that are cheaper than their row's price take what they lack from those that are dearer.
    """
    if converse.prices is None:
        return
    ratio = Real.exp(level).above(PLACE_BITS)
    weights = [converse.weight * p for p in mixed(converse.distortion_law)]
    cost = problem.distortion.matrix(problem.universe)
    for y in range(len(cost[0])):
        gaps = [w * row[y] - price for w, row, price in zip(weights, cost, converse.prices, strict=True)]
        room = {x: gap / ratio for x, gap in enumerate(gaps) if gap > 0}
        lacking = {x: -gap for x, gap in enumerate(gaps) if gap < 0}
        yield from ((taker, giver, y, taken) for taker, giver, taken in transported(lacking, room))
