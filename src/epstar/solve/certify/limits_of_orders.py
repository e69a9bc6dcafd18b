r"""Multipliers of a notion of an order from those of its limits, which are linear: order infinity, and level zero.

Order infinity (differential privacy, maximal leakage): a multiplier m_y of p_y <= e^(level d) q_y, over the outputs y,
becomes the tangent of the sum of powers, in units of its bound, at p_y/q_y = e^(level d) (m_y / M)^(1/(order-1)), where
M is the largest of them: with the multiplier M / order of the sum its slope on the left is m_y, and on the right a hair
less than m_y e^(level d). What is proven falls by the sum of all M / order alone. A norm of a large order is a maximum
in much the same way.

At level zero the rows of a class of inputs are equal, and their best common answer is optimal. The trade-off has a
vertical tangent there, so no finite multiplier is exact; a large one M is, but for about 1/M. Let p be the least
favourable law, v the least expected cost under it of one answer for a class, and P a law on the class. The tilts

    k(x,y) = P(x) sum_j p(j) d(j,y) - p(x) d(x,y)

sum to zero over the inputs x of the class, and added to the costs they leave at least v P(x) in every row. They flow
from input to input along a tree of those that are compared: a divergence, linearised at ratios 1 + flow/M, pays such a
flow, but for a share of about order * flow/M. At a level that is next to zero, M times what the level allows is lost
besides: the M for which both are alike proves v but for about the square root of the level.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import sqrt
from sys import float_info

from epstar.completion import Converse, Mixture
from epstar.completion.converse import Point, mixed
from epstar.errors import EpstarError
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.exact.enclosure import bits_taken
from epstar.notions.constraints import Form, Norm, Power, SumBound
from epstar.notions.measure.least_favourable import covering_laws
from epstar.notions.pairs import ordered_pairs
from epstar.problem import Problem
from epstar.solve.program.arithmetic import transported
from epstar.solve.program.laws import exact, initial_members
from epstar.solve.program.measured import PLACE_BITS
from epstar.solve.shapes import order_of_norms, order_of_pairs

# A multiplier that is so small a share of the largest of its pair may be any other.
_FAINT = Rational(1, 1 << 64)


Flow = list[Rational]


# -- From order infinity -----------------------------------------------------------------------------------------------


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


# -- Next to level zero ------------------------------------------------------------------------------------------------


def next_to_level_zero(problem: Problem, law: Mixture) -> Converse:
    """Return the multipliers of powers that compare two inputs, or of norms, for the worst law at level zero."""
    carrying = carriers(problem)
    members = [mixed(carrier) for carrier in carrying]
    sums = problem.notion.constraints(problem.universe, members).sums
    point = tuple(sum(column, ZERO) / len(members) for column in zip(*members, strict=True))
    flows: list[dict[int, Flow]] = [{} for _ in sums]
    for i, child, parent, flow in _sent(problem, mixed(law), point, sums):
        for x, sign in ((child, 1), (parent, -1)):
            known = flows[i].setdefault(x, [ZERO] * len(flow))
            flows[i][x] = [a + sign * b for a, b in zip(known, flow, strict=True)]
    multipliers = [ZERO] * len(sums)
    slopes: list[tuple[int, int, int, tuple[Rational, ...]]] = []
    large = _large_multiplier(problem, sums, flows)
    for i, (bound, by_input) in enumerate(zip(sums, flows, strict=True)):
        if by_input:
            order, weights = _atom(bound)
            steepness, nothing = large * (order - 1), [ZERO] * len(next(iter(by_input.values())))
            tilts = [[f / (steepness * weight) for f in by_input.get(x, nothing)] for x, weight in weights.items()]
            multipliers[i] = large
            slopes += [
                (i, 0, y, tuple(1 + tilt for tilt in column)) for y, column in enumerate(zip(*tilts, strict=True))
            ]
    points = carrying if problem.notion.needs_source else ()
    return Converse(ONE, law, points, sums=tuple(multipliers), slopes=tuple(slopes))


def carriers(problem: Problem) -> tuple[Mixture, ...]:
    """Return members that together have probability wherever any has: one, or their average, if that is possible."""
    priors = problem.notion.priors(problem.source)
    members = initial_members(priors)
    reached = [any(column) for column in zip(*members, strict=True)]
    for member in members:
        if [p > 0 for p in member] == reached:
            return (((ONE, member),),)
    if priors.is_convex:
        return (tuple((Rational(1, len(members)), member) for member in members),)
    return tuple(((ONE, member),) for member in members)


def _atom(bound: SumBound) -> tuple[Rational, Form]:
    """Return the order of a divergence, and what a ratio of one weighs at the inputs that have one of their own.

    A power has one for its left side, a norm one for each input.
    """
    ((_, atom),) = bound.terms
    assert isinstance(atom, Power | Norm)
    return atom.order, dict.fromkeys(atom.left, atom.order) if isinstance(atom, Power) else atom.weights


def _sent(problem: Problem, law: Point, point: Point, sums: Sequence[SumBound]) -> Iterator[tuple[int, int, int, Flow]]:
    """Yield what flows from one input to another, output by output, and the bound that compares the two.

    The tilts of a class flow to one of its inputs.
    """
    cost, links = problem.distortion.matrix(problem.universe), _links(sums)
    for tree in _trees(links):
        chance = sum((point[x] for x in tree), ZERO)
        if chance == 0:
            continue
        expected = [sum((law[x] * cost[x][y] for x in tree), ZERO) for y in range(len(cost[0]))]
        tilts = {
            x: [point[x] / chance * all_cost - law[x] * own for all_cost, own in zip(expected, cost[x], strict=True)]
            for x in tree
        }
        for x, (parent, i) in reversed(list(tree.items())[1:]):
            yield i, x, parent, tilts[x]
            tilts[parent] = [a + b for a, b in zip(tilts[parent], tilts[x], strict=True)]


def _links(sums: Sequence[SumBound]) -> dict[int, list[tuple[int, int]]]:
    """Return for each input the others that a bound compares it with, and which: on its own left, or within a norm."""
    links: dict[int, list[tuple[int, int]]] = {}
    for i, bound in enumerate(sums):
        ((_, atom),) = bound.terms
        if isinstance(atom, Power):
            (child,), (parent,) = atom.left, atom.right
            links.setdefault(parent, []).append((child, i))
        elif isinstance(atom, Norm):
            for x in atom.weights:
                links.setdefault(x, []).extend((other, i) for other in atom.weights if other != x)
    return links


def _trees(links: Mapping[int, list[tuple[int, int]]]) -> Iterator[dict[int, tuple[int, int]]]:
    """Yield a tree for each class of inputs: from a root on, each with its parent and the bound between them."""
    seen = set[int]()
    for root in links:
        if root in seen:
            continue
        tree, queue = {root: (root, -1)}, deque([root])
        while queue:
            parent = queue.popleft()
            for child, i in links.get(parent, ()):
                if child not in tree:
                    tree[child] = parent, i
                    queue.append(child)
        seen |= set(tree)
        yield tree


def _large_multiplier(problem: Problem, sums: Sequence[SumBound], flows: Sequence[Mapping[int, Flow]]) -> Rational:
    """Return the multiplier that loses as much by the level as by the bends of the divergences."""
    zero, most, steepest, order = Real.of(ZERO), ZERO, ZERO, ONE
    allowed = max(float(bound.scale.bound(problem.given) - bound.scale.bound(zero)) for bound in sums)
    for bound, by_input in zip(sums, flows, strict=True):
        order, weights = _atom(bound)
        for x, weight in weights.items():
            largest = max(map(abs, by_input.get(x, [ZERO])))
            most, steepest = max(most, largest), max(steepest, largest / weight)
    bends = float(Real.of(most * steepest * order / (order - 1)))
    return max(ONE, exact(sqrt(bends / max(allowed, float_info.min))))
