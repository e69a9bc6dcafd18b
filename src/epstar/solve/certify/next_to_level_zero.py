r"""Multipliers next to level zero: what the worst law at level zero excludes there.

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
from math import sqrt
from sys import float_info

from epstar.completion import Converse, Mixture
from epstar.completion.converse import Point, mixed
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.notions.constraints import Form, Norm, Power, SumBound
from epstar.problem import Problem
from epstar.solve.program.laws import exact, initial_members

Flow = list[Rational]


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
