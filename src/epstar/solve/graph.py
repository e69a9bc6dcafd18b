r"""Guessing the true node of a graph under differential privacy: the kernel form (alvim2011, Theorems 3 and 4 and beyond).

Let K(y,z) = e^(-level * distance). If a = K^-1 1 and b = K^-1 prior have no negative entry, the mechanism K(y,z) a(z)
is optimal and its probability of a right answer is the sum of b. That covers vertex-transitive graphs and paths with a
uniform prior, among others. The weights b, sent along shortest paths towards each node, are the multipliers of the
privacy constraints.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from epstar.distortion import Gain, Hamming
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import Mechanism
from epstar.notions import DifferentialPrivacy
from epstar.problem import Problem
from epstar.proof import Converse, Proof
from epstar.proof.converse import BITS
from epstar.source import Prior
from epstar.universe import Graph

_MOST_NODES = 48

Vector = list[Rational]


def kernel_form(problem: Problem) -> Proof | None:
    """Return the kernel mechanism with its proof where its conditions hold, None elsewhere."""
    universe, source = problem.universe, problem.source
    if not isinstance(universe, Graph) or not isinstance(source, Prior) or problem.asks != "distortion":
        return None
    if type(problem.notion) is not DifferentialPrivacy or universe.size > _MOST_NODES or not _guesses(problem):
        return None
    if len(universe.components) > 1 or problem.given <= 0:
        return None
    below, above = Real.exp(problem.given).below(BITS), Real.exp(problem.given).above(BITS)
    ones = [ONE] * universe.size
    shares = _solved(_kernel(universe, below), ones)
    weights = _solved(_kernel(universe, above), list(source.probabilities))
    if shares is None or weights is None or min(shares) < 0 or min(weights) < 0:
        return None
    rows = [[k * share for k, share in zip(row, shares, strict=True)] for row in _kernel(universe, below)]
    mechanism = Mechanism(rows, universe, problem.distortion.outputs(universe))
    converse = Converse(ONE, ((ONE, source.probabilities),), ratios=_flows(problem, universe, weights, above))
    return Proof(problem, mechanism, converse)


def _guesses(problem: Problem) -> bool:
    """Return whether the cost of an answer is one thing when right and another when wrong."""
    if isinstance(problem.distortion, Hamming):
        return True
    size = problem.universe.size
    identity = all(
        value == (-1 if x == y else 0) and len(row) == size
        for x, row in enumerate(problem.distortion.matrix(problem.universe))
        for y, value in enumerate(row)
    )
    return isinstance(problem.distortion, Gain) and identity


def _kernel(universe: Graph, ratio: Rational) -> list[Vector]:
    distances = universe.distances
    powers = [ONE]
    for _ in range(int(distances.max())):
        powers.append(powers[-1] / ratio)
    return [[powers[int(d)] for d in row] for row in distances]


def _solved(matrix: list[Vector], right: Sequence[Rational]) -> Vector | None:
    """Return the exact solution of a square system, None if it is singular."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for k in range(size):
        pivot = next((i for i in range(k, size) if rows[i][k] != 0), None)
        if pivot is None:
            return None
        rows[k], rows[pivot] = rows[pivot], rows[k]
        head = rows[k][k]
        rows[k] = [entry / head for entry in rows[k]]
        for i in range(size):
            factor = rows[i][k]
            if i != k and factor != 0:
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [row[-1] for row in rows]


def _flows(
    problem: Problem, universe: Graph, weights: Vector, ratio: Rational
) -> tuple[tuple[int, int, Rational], ...]:
    """Return, for each output, the multipliers along a tree of shortest paths to the node it stands for."""
    bounds = problem.notion.constraints(universe, []).pairwise()
    places = {(next(iter(bound.left)), next(iter(bound.right))): i for i, bound in enumerate(bounds)}
    neighbours: dict[int, list[int]] = {x: [] for x in range(universe.size)}
    for x, other in places:
        neighbours[x].append(other)
    found = []
    for z in range(universe.size):
        parent, order, queue = {z: z}, [], deque([z])
        while queue:
            x = queue.popleft()
            order.append(x)
            for other in neighbours[x]:
                if other not in parent:
                    parent[other] = x
                    queue.append(other)
        passed = list(weights)
        for x in reversed(order[1:]):
            flow = passed[x] / ratio
            passed[parent[x]] += flow
            if flow > ZERO:
                found.append((places[parent[x], x], z, flow))
    return tuple(found)
