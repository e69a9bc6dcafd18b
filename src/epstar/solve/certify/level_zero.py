r"""Level zero of the smooth notions: all rows are equal, and the best constant mechanism is optimal.

The trade-off has a vertical tangent there, so no finite multiplier is exact; a large one M is, but for about 1/M. Let v
be the distortion of the best constant mechanism, p the law that makes it least favourable and P a member of full
support. The tilts k(x,y) = v P(x) - p(x) d(x,y) + P(x) (sum_j p(j) d(j,y) - v) sum to zero over x, and added to the
costs they leave at least v P(x) in every row. A smooth notion, linearised at ratios 1 + k/(M P), pays such tilts, but
for a share k/(M P) of them. At a level that is next to zero, M times what the level allows is lost besides: the M for
which both are alike proves v but for about the square root of the level.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from epstar.completion import Converse, Mixture, Proof
from epstar.completion.converse import Point, Table, mixed
from epstar.deadline import Deadline
from epstar.exact import ONE, ZERO, Rational, Real, dot, rationalise
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Atom, Constraints, Maximum, Norm, Power, RelativeEntropy
from epstar.problem import Problem
from epstar.solve.certify.mechanism import TICKET_BITS
from epstar.solve.certify.optimum import least_distortion
from epstar.solve.program.constant import BestConstant, best_constant, constant_mechanism
from epstar.solve.program.exchange import solve_round
from epstar.solve.program.laws import Members, exact, initial_members
from epstar.universe import Universe

Tilts = list[list[Rational]]
# How small a share of themselves the tilts may get wrong.
_SHARE = Rational(1, 1 << 100)
# About how many times what tilts amount to the bound on their size is.
_OVERESTIMATED = 8


def next_to_level_zero(problem: Problem) -> Proof | None:
    """Return the proof next to level zero of a notion made of smooth sums; None for other notions."""
    constant = best_constant(problem)
    mechanism = constant_mechanism(problem, constant.law)
    loss = problem.notion.loss(mechanism, problem.source).upper
    if _is_pairwise(problem) and len(set(_components(problem.universe))) > 1:
        return _by_components(problem)
    if loss is None or loss.rational != 0:
        return None
    carrying = carriers(problem)
    members = [mixed(carrier) for carrier in carrying]
    constraints = problem.notion.constraints(problem.universe, members)
    atoms = [atom for bound in constraints.sums for _, atom in bound.terms]
    if not atoms or any(isinstance(atom, Maximum) for atom in atoms):
        return None
    point = tuple(sum(column, ZERO) / len(members) for column in zip(*members, strict=True))
    tilts = _tilts(problem.distortion.matrix(problem.universe), constant, point)
    largest = sum((max(map(abs, row)) for row in tilts), ZERO)
    rarest = min(p for member in members for p in member if p > 0)
    large = _multiplier(constraints, largest / rarest, problem.given)
    evidence = _evidence(constraints, tilts, members, problem, large)
    if evidence is None:
        return None
    sums, slopes = evidence
    points = carrying if problem.notion.needs_source else ()
    return Proof(problem, mechanism, Converse(ONE, constant.least_favourable, points, sums=sums, slopes=slopes))


def _is_pairwise(problem: Problem) -> bool:
    """Return whether the notion compares neighbours by a smooth divergence."""
    sums = [] if problem.notion.needs_source else problem.notion.constraints(problem.universe, []).sums
    return bool(sums) and all(
        isinstance(bound.terms[0][1], RelativeEntropy | Power) and _inputs(bound.terms[0][1])[1] is not None
        for bound in sums
    )


def _components(universe: Universe) -> list[int]:
    """Return for each input a number that is the same within its component."""
    pairs = universe.pairs()
    parent = list(range(universe.size))

    def root(x: int) -> int:
        while parent[x] != x:
            x = parent[x]
        return x

    for x, other in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        parent[root(x)] = root(other)
    return [root(x) for x in range(universe.size)]


def _by_components(problem: Problem) -> Proof | None:
    """Return the proof where rows are equal within components only, as differential privacy at level zero says too.

    Its multipliers are tilts along the constrained pairs.
    """
    alike = replace(problem, notion=DifferentialPrivacy(), given=Real.of(ZERO))
    linear = least_distortion(alike, Deadline(None))
    if linear.converse is None or linear.converse.prices is not None:
        return None
    bounds = DifferentialPrivacy().constraints(problem.universe, []).pairwise()
    flows: dict[tuple[int, int | None], dict[int, Rational]] = {}
    for i, y, multiplier in linear.converse.ratios:
        pair = next(iter(bounds[i].left)), next(iter(bounds[i].right))
        flows.setdefault(pair, {})[y] = multiplier
    found = solve_round(alike, Members.start(alike), alike.given, Deadline(None)).found
    candidates = [_equalised(problem, found.matrix), *([linear.mechanism] if linear.mechanism is not None else [])]
    mechanism = min(candidates, key=lambda candidate: candidate.distortion(problem.distortion, problem.source).value)
    constraints = problem.notion.constraints(problem.universe, [])
    most = max((value for flow in flows.values() for value in flow.values()), default=ZERO)
    large = _multiplier(constraints, most, problem.given)
    outputs = problem.distortion.shape(problem.universe)[1]
    sums, slopes = [], []
    for i, bound in enumerate(constraints.sums):
        _, atom = bound.terms[0]
        flow = flows.get(_inputs(atom), {})
        sums.append(large if flow else ZERO)
        slopes += [(i, 0, y, (1 + flow.get(y, ZERO) / (large * _steepness(atom)),)) for y in range(outputs) if flow]
    return Proof(problem, mechanism, replace(linear.converse, ratios=(), sums=tuple(sums), slopes=tuple(slopes)))


def _equalised(problem: Problem, matrix: NDArray[np.float64]) -> Mechanism:
    """Return the mechanism near a matrix whose rows are exactly equal within each component."""
    roots = _components(problem.universe)
    means = [np.maximum(matrix[[other == root for other in roots]], 0.0).mean(axis=0).tolist() for root in roots]
    rows = [[Rational(ticket, 1 << TICKET_BITS) for ticket in row] for row in rationalise(means, TICKET_BITS)]
    return Mechanism(rows, problem.universe, problem.distortion.outputs(problem.universe))


def _steepness(atom: Atom) -> Rational:
    """Return how strongly a divergence bends where both laws agree."""
    if isinstance(atom, Power):
        return atom.order * abs(atom.order - 1)
    return abs(atom.order - 1) if isinstance(atom, Norm) else ONE


def _multiplier(constraints: Constraints, tilt: Rational, level: Real) -> Rational:
    """Return a multiplier of sums that gets hardly anything wrong for tilts of this size, and charges no more."""
    flattest = min(_steepness(atom) for bound in constraints.sums for _, atom in bound.terms)
    allowed = max(float(bound.scale.bound(level) - bound.scale.bound(Real.of(ZERO))) for bound in constraints.sums)
    share = max(_SHARE, _OVERESTIMATED * exact(sqrt(allowed / float(Real.of(flattest)))))
    return max(ONE, tilt) / (share * flattest)


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


def _tilts(cost: Table, constant: BestConstant, point: Point) -> Tilts:
    law = mixed(constant.least_favourable)
    outputs = range(len(cost[0]))
    expected = [dot(law, [row[y] for row in cost]) for y in outputs]
    least = min(expected)
    return [[least * p - law[x] * cost[x][y] + p * (expected[y] - least) for y in outputs] for x, p in enumerate(point)]


_Slopes = tuple[tuple[int, int, int, tuple[Rational, ...]], ...]


def _evidence(
    constraints: Constraints, tilts: Tilts, members: Sequence[Point], problem: Problem, large: Rational
) -> tuple[tuple[Rational, ...], _Slopes] | None:
    """Return the multipliers of the sums and the places at which they are linearised."""
    if not problem.notion.needs_source:
        return _pair_evidence(constraints, tilts, problem.universe, large)
    if len(constraints.sums) > len(members):
        # One bound per input on how far it is from a law of the output: what the law is charged for all sums to zero.
        places = tuple((x, 0, y, (1 + tilt / large,)) for x, row in enumerate(tilts) for y, tilt in enumerate(row))
        return (large,) * len(tilts) + (ZERO,) * (len(constraints.sums) - len(tilts)), places
    shares = _shared(tilts, members)
    if shares is None:
        return None
    sums: list[Rational] = []
    slopes: list[tuple[int, int, int, tuple[Rational, ...]]] = []
    for j, (member, share) in enumerate(zip(members, shares, strict=True)):
        letters = [x for x, p in enumerate(member) if p > 0]
        _, atom = constraints.sums[j].terms[0]
        sums.append(large)
        if isinstance(atom, Norm):
            slopes += [(j, 0, y, place) for y, place in enumerate(_norm_places(atom, share, large))]
        else:
            slopes += [(j, k, y, place) for k, x in enumerate(letters) for y, place in _places(x, share, member, large)]
    return tuple(sums), tuple(slopes)


def _shared(tilts: Tilts, members: Sequence[Point]) -> list[Tilts] | None:
    """Return the tilts as a sum of tilts between inputs of one member each; None where members leave inputs apart.

    They go to one input along a tree of inputs that have members in common.
    """
    supports = [[x for x, p in enumerate(member) if p > 0] for member in members]
    root = supports[0][0]
    reached, order, queue = {root: (root, 0)}, [], deque([root])
    while queue:
        x = queue.popleft()
        order.append(x)
        for j, support in enumerate(supports):
            for other in support if x in support else []:
                if other not in reached:
                    reached[other] = (x, j)
                    queue.append(other)
    if len(reached) < len({x for support in supports for x in support}):
        return None
    flows = [list(row) for row in tilts]
    shares = [[[ZERO] * len(row) for row in tilts] for _ in members]
    for x in reversed(order[1:]):
        parent, j = reached[x]
        for y, flow in enumerate(flows[x]):
            shares[j][x][y] += flow
            shares[j][parent][y] -= flow
            flows[parent][y] += flow
    return shares


def _inputs(atom: Atom) -> tuple[int, int | None]:
    """Return the inputs that a term compares; None where it compares one with the law of the output."""
    if isinstance(atom, RelativeEntropy | Power) and len(atom.left) == 1:
        (x,) = atom.left
        return x, next(iter(atom.right)) if len(atom.right) == 1 else None
    return 0, None


def _places(x: int, tilts: Tilts, point: Point, large: Rational) -> list[tuple[int, tuple[Rational, ...]]]:
    return [(y, (1 + tilt / (large * point[x]),)) for y, tilt in enumerate(tilts[x])]


def _norm_places(atom: Norm, tilts: Tilts, large: Rational) -> list[tuple[Rational, ...]]:
    scale = large * abs(atom.order - 1)
    return [
        tuple(1 + tilts[x][y] / (scale * weight) for x, weight in atom.weights.items()) for y in range(len(tilts[0]))
    ]


def _pair_evidence(
    constraints: Constraints, tilts: Tilts, universe: Universe, large: Rational
) -> tuple[tuple[Rational, ...], _Slopes]:
    """Send the tilts to one input along a tree of constrained pairs."""
    by_pair = {_inputs(bound.terms[0][1]): i for i, bound in enumerate(constraints.sums)}
    neighbours: dict[int, list[int]] = {x: [] for x in range(universe.size)}
    for x, other in by_pair:
        if other is not None:
            neighbours[x].append(other)
    parent, order, queue = {0: 0}, [], deque([0])
    while queue:
        x = queue.popleft()
        order.append(x)
        for other in neighbours[x]:
            if other not in parent:
                parent[other] = x
                queue.append(other)
    flows = [list(row) for row in tilts]
    sums, slopes = [ZERO] * len(constraints.sums), []
    for x in reversed(order[1:]):
        i = by_pair[x, parent[x]]
        _, atom = constraints.sums[i].terms[0]
        sums[i] = large
        slopes += [(i, 0, y, (1 + flow / (large * _steepness(atom)),)) for y, flow in enumerate(flows[x])]
        flows[parent[x]] = [a + b for a, b in zip(flows[parent[x]], flows[x], strict=True)]
    return tuple(sums), tuple(slopes)
