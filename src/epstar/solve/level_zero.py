r"""Level zero of the smooth notions: all rows are equal, and the best constant mechanism is optimal.

The trade-off has a vertical tangent there, so no finite multiplier is exact; a large one M is, up to 1/M. Let v be
the distortion of the best constant mechanism, p the law that makes it least favourable and P a member of full
support. The tilts k(x,y) = v P(x) - p(x) d(x,y) + P(x) (sum_j p(j) d(j,y) - v) sum to zero over x, and added to the
costs they leave at least v P(x) in every row. A smooth notion, linearised at ratios 1 + k/(M P), pays exactly such
tilts.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from epstar.exact import ONE, ZERO, Rational, dot
from epstar.notions import DifferentialPrivacy
from epstar.notions.constraints import Atom, Constraints, Maximum, Norm, Power, RelativeEntropy, SumBound
from epstar.problem import Problem
from epstar.proof import Converse, Mixture, Proof
from epstar.proof.converse import Point, Table, mixed
from epstar.solve.constant import BestConstant, best_constant, constant_mechanism
from epstar.solve.general import Deadline, least_distortion
from epstar.solve.members import initial_members
from epstar.universe import Universe

_LARGE = Rational(1 << 60)


def at_level_zero(problem: Problem) -> Proof | None:
    """Return the proof at level zero of a notion made of smooth sums; None for other notions."""
    constant = best_constant(problem)
    mechanism = constant_mechanism(problem, constant.law)
    loss = problem.notion.loss(mechanism, problem.source).upper
    if _is_pairwise(problem) and not _is_connected(problem.universe):
        return _by_components(problem)
    carrier = _carrier(problem)
    if loss is None or loss.rational != 0 or carrier is None:
        return None
    point = mixed(carrier)
    constraints = problem.notion.constraints(problem.universe, [point])
    atoms = [atom for bound in constraints.sums for _, atom in bound.terms]
    if not atoms or any(isinstance(atom, Maximum) for atom in atoms):
        return None
    tilts = _tilts(problem.distortion.matrix(problem.universe), constant, point)
    evidence = _evidence(constraints, tilts, point, problem.universe)
    if evidence is None:
        return None
    sums, slopes = evidence
    points = (carrier,) if problem.notion.needs_source else ()
    return Proof(problem, mechanism, Converse(ONE, constant.least_favourable, points, sums=sums, slopes=slopes))


def _is_pairwise(problem: Problem) -> bool:
    """Return whether the notion compares neighbours by a smooth divergence."""
    sums = [] if problem.notion.needs_source else problem.notion.constraints(problem.universe, []).sums
    return bool(sums) and all(
        isinstance(bound.terms[0][1], RelativeEntropy | Power) and _inputs(bound.terms[0][1])[1] is not None
        for bound in sums
    )


def _is_connected(universe: Universe) -> bool:
    pairs = universe.pairs()
    parent = list(range(universe.size))

    def root(x: int) -> int:
        while parent[x] != x:
            x = parent[x]
        return x

    for x, other in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        parent[root(x)] = root(other)
    return len({root(x) for x in range(universe.size)}) == 1


def _by_components(problem: Problem) -> Proof | None:
    """Return the proof where rows are equal within components only, as differential privacy at level zero says too.

    Its multipliers are tilts along the constrained pairs.
    """
    linear = least_distortion(replace(problem, notion=DifferentialPrivacy()), Deadline(None))
    if linear.converse is None or linear.converse.prices is not None:
        return None
    bounds = DifferentialPrivacy().constraints(problem.universe, []).pairwise()
    flows: dict[tuple[int, int | None], dict[int, Rational]] = {}
    for i, y, multiplier in linear.converse.ratios:
        pair = next(iter(bounds[i].left)), next(iter(bounds[i].right))
        flows.setdefault(pair, {})[y] = multiplier
    outputs = problem.distortion.shape(problem.universe)[1]
    sums, slopes = [], []
    for i, bound in enumerate(problem.notion.constraints(problem.universe, []).sums):
        _, atom = bound.terms[0]
        flow = flows.get(_inputs(atom), {})
        sums.append(_LARGE if flow else ZERO)
        slopes += [(i, 0, y, (1 + flow.get(y, ZERO) / (_LARGE * _steepness(atom)),)) for y in range(outputs) if flow]
    converse = replace(linear.converse, ratios=(), sums=tuple(sums), slopes=tuple(slopes))
    return Proof(problem, linear.mechanism, converse)


def _steepness(atom: Atom) -> Rational:
    """Return how strongly a divergence bends where both laws agree."""
    return atom.order * abs(atom.order - 1) if isinstance(atom, Power) else ONE


def _carrier(problem: Problem) -> Mixture | None:
    """Return a member of full support: a listed one, or the average of several where the source is convex."""
    priors = problem.notion.priors(problem.source)
    members = initial_members(priors)
    for member in members:
        if all(member):
            return ((ONE, member),)
    average: Mixture = tuple((Rational(1, len(members)), member) for member in members)
    return average if priors.is_convex and all(mixed(average)) else None


def _tilts(cost: Table, constant: BestConstant, point: Point) -> list[list[Rational]]:
    law = mixed(constant.least_favourable)
    outputs = range(len(cost[0]))
    expected = [dot(law, [row[y] for row in cost]) for y in outputs]
    least = min(expected)
    return [[least * p - law[x] * cost[x][y] + p * (expected[y] - least) for y in outputs] for x, p in enumerate(point)]


_Slopes = tuple[tuple[int, int, int, tuple[Rational, ...]], ...]


def _evidence(
    constraints: Constraints, tilts: list[list[Rational]], point: Point, universe: Universe
) -> tuple[tuple[Rational, ...], _Slopes] | None:
    """Return the multipliers of the sums and the places at which they are linearised."""
    if any(isinstance(atom, Norm) for bound in constraints.sums for _, atom in bound.terms):
        return _norm_evidence(constraints.sums[0], tilts)
    if len(constraints.sums) == 1:
        letters = [x for x, p in enumerate(point) if p > 0]
        return (_LARGE,), _tilted(0, letters, tilts, point)
    firsts = [_inputs(bound.terms[0][1]) for bound in constraints.sums]
    if all(right is None for _, right in firsts):
        # One bound per input: weighing them by the prior makes mutual information of them.
        slopes = [
            (i, 0, y, place) for i, (x, _) in enumerate(firsts) for _, _, y, place in _tilted(0, [x], tilts, point)
        ]
        return tuple(_LARGE * point[x] for x, _ in firsts), tuple(slopes)
    return _pair_evidence(constraints, tilts, universe)


def _inputs(atom: Atom) -> tuple[int, int | None]:
    """Return the inputs that a term compares; None where it compares one with the law of the output."""
    if isinstance(atom, RelativeEntropy | Power) and len(atom.left) == 1:
        (x,) = atom.left
        return x, next(iter(atom.right)) if len(atom.right) == 1 else None
    return 0, None


def _tilted(i: int, letters: list[int], tilts: list[list[Rational]], point: Point) -> _Slopes:
    return tuple(
        (i, k, y, (1 + tilts[x][y] / (_LARGE * point[x]),)) for k, x in enumerate(letters) for y in range(len(tilts[0]))
    )


def _norm_evidence(bound: SumBound, tilts: list[list[Rational]]) -> tuple[tuple[Rational, ...], _Slopes] | None:
    ((_, atom),) = bound.terms
    if not isinstance(atom, Norm):
        return None
    scale = _LARGE * abs(atom.order - 1)
    places = [
        tuple(1 + tilts[x][y] / (scale * weight) for x, weight in atom.weights.items()) for y in range(len(tilts[0]))
    ]
    return (_LARGE,), tuple((0, 0, y, place) for y, place in enumerate(places))


def _pair_evidence(
    constraints: Constraints, tilts: list[list[Rational]], universe: Universe
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
        sums[i] = _LARGE
        slopes += [(i, 0, y, (1 + flow / (_LARGE * _steepness(atom)),)) for y, flow in enumerate(flows[x])]
        flows[parent[x]] = [a + b for a, b in zip(flows[parent[x]], flows[x], strict=True)]
    return tuple(sums), tuple(slopes)
