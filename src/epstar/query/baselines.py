"""Mechanisms to compare the best one with: the truncated geometric one and the constructions of alvim2011.

All are exact. Where e^level is irrational a rational just below it is used, so that the level always holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

from epstar.arguments import whole_number
from epstar.errors import InvalidInput
from epstar.exact import ONE, ZERO, Rational, Real
from epstar.mechanism import DistanceMechanism, Mechanism, geometric
from epstar.probability_vectors import listed
from epstar.query.answer_graph import AnyShape, Shape, graph_on, shape_of
from epstar.query.closed_forms import Answers, answers_of
from epstar.query.exponential_kernel import kernel_entry, ratios
from epstar.universe import Databases, Graph

_MOST_ANSWERS = 1 << 10
_MOST_CONNECTIONS = 12


def truncated_geometric(answers: Answers, level: object, steps: int = 1) -> Mechanism:
    """Return the truncated geometric mechanism on the answers in their order, with level / `steps` per place.

    With one step it is private on a line. Spread over the N - 1 places of a clique of N answers it is private
    there too (alvim2011, Example 2, mechanism M1).

    >>> str(truncated_geometric(Graph.line(6), "log(2)").entry(0, 0))
    '2/3'
    """
    shape = _small(answers)
    count = whole_number(steps, "The number of steps", 1)
    per_place = ratios(level if count == 1 else Real.of(level) / count).below
    if shape.size == 1:
        return Mechanism([[ONE]], shape.graph(), tuple(shape.answers))
    return Mechanism(geometric(shape.size, per_place).rows, shape.graph(), tuple(shape.answers))


def constant_border(answers: Answers) -> int | None:
    """Return c if every answer has exactly c answers at each distance from 1 to the diameter, else None.

    0 for a single answer. The hypothesis of alvim2011, Theorem 4, for every distance d >= 1.

    >>> from epstar.query import Ring, constant_border
    >>> constant_border(Ring(range(5))), constant_border(Ring(range(4)))
    (2, None)
    """
    spheres = AnyShape(_small(answers).graph()).sphere_sizes
    sizes = {size for row in spheres for size in row[1:]}
    if not sizes:
        return 0 if len(spheres) == 1 and spheres[0] == (1,) else None
    return sizes.pop() if len(sizes) == 1 else None


def equation_six(answers: Answers, level: object) -> Mechanism:
    """Return p(z|y) = alpha / E^distance with alpha = 1 / (1 + c (q + ... + q^n)): alvim2011, equation (6).

    The sum is written so that level 0 needs no care; it equals the printed quotient above it.

    Raises:
        InvalidInput: unless the graph is connected and has c answers at every distance from every answer.

    >>> from epstar.query import Ring, equation_six
    >>> print(*equation_six(Ring(range(5)), "log(2)").rows[0])
    2/5 1/5 1/10 1/10 1/5
    """
    shape = _small(answers)
    border = constant_border(shape)
    if border is None or shape.longest is None:
        raise InvalidInput(
            "Equation (6) needs the same number of answers at every distance from every answer; "
            "complete the graph, or use optimal_oblivious."
        )
    ratio = ratios(level).below
    q = ONE / ratio
    alpha = ONE / (ONE + border * sum((q**d for d in range(1, shape.longest + 1)), ZERO))
    return _by_distance(shape, ratio, alpha, shape.graph())


def doubled_ring(size: int, level: object) -> Mechanism:
    """Return equation (6) on a ring of an even number of answers, its most distant entry doubled: Remark 1.

    Never optimal: `optimal_oblivious` on the ring is better at every level.

    Raises:
        InvalidInput: for an odd ring, or if E^2 < 2, where the result is not private.

    >>> from epstar.query import doubled_ring
    >>> print(*doubled_ring(4, "log(2)").rows[0])
    2/5 1/5 1/5 1/5
    """
    nodes = whole_number(size, "The number of answers of a ring", 4)
    _check_size(nodes)
    if nodes % 2:
        raise InvalidInput("Remark 1 is about rings with an even number of answers; use equation_six.")
    ratio = ratios(level).below
    if ratio * ratio < 2:
        raise InvalidInput("The doubled ring is private only if E^2 >= 2; use optimal_oblivious at this level.")
    q, half = ONE / ratio, nodes // 2
    alpha = ONE / (ONE + 2 * sum((q**d for d in range(1, half + 1)), ZERO))
    ring = Graph.ring(nodes)
    steps = ring.distances.tolist()
    rows = [[alpha * q**d * (2 if d == half else 1) for d in row] for row in steps]
    return Mechanism(rows, ring)


@dataclass(frozen=True, eq=False)
class Completion:
    """A graph with edges added so that equation (6) applies, and the mechanism it gives on the first graph.

    `connections` are the differences of places that are neighbours in the completed graph.

    >>> from epstar.query import PathPower
    >>> from epstar.query.baselines import completed
    >>> completed(PathPower(range(4)), "log(2)").connections
    (1, 2)
    """

    graph: Graph
    connections: tuple[int, ...]
    mechanism: Mechanism


def completed(answers: Answers, level: object) -> Completion:
    """Return the best mechanism by alvim2011, Remark 2: add edges until the conditions of Theorem 4 hold.

    Tried are all circulant graphs on the answers in their order that contain the graph and have constant borders
    (up to 25 answers; the clique always does). The fewer answers are near, the larger alpha is.

    >>> str(completed(Graph.line(5), "log(2)").mechanism.entry(0, 0))
    '2/5'
    """
    shape = _small(answers)
    edges = shape.edges().tolist()
    needed = {min(j - i, shape.size - j + i) for i, j in edges}
    half = shape.size // 2
    optional = sorted(set(range(1, half + 1)) - needed)
    choices = [tuple(sorted(needed.union(optional)))]
    if half <= _MOST_CONNECTIONS:
        choices += [
            tuple(sorted(needed.union(more)))
            for count in range(len(optional))
            for more in combinations(optional, count)
        ]
    ratio = ratios(level).below
    best: Completion | None = None
    for connections in choices:
        graph = circulant(shape, connections)
        larger = shape_of(graph)
        if larger.longest is None or constant_border(larger) is None:
            continue
        alpha = equation_six(larger, level).entry(0, 0)
        if best is None or alpha > best.mechanism.entry(0, 0):
            best = Completion(graph, connections, _by_distance(larger, ratio, alpha, shape.graph()))
    assert best is not None, "a clique has constant borders"
    return best


def circulant(answers: Answers, connections: tuple[int, ...]) -> Graph:
    """Return the graph on the answers whose places are neighbours at these differences around the circle."""
    shape = _small(answers)
    size = shape.size
    connections = tuple(whole_number(step, "A connection", 1) for step in listed(connections, "The connections"))
    edges = sorted(
        {(min(i, (i + step) % size), max(i, (i + step) % size)) for i in range(size) for step in connections}
    )
    return graph_on(tuple(shape.answers), edges)


def proposition_one(individuals: int, values: int, level: object) -> DistanceMechanism:
    """Return p(z|x) = (E/(v - 1 + E))^u / E^distance on databases: the most telling private mechanism.

    alvim2011, Proposition 1 with the probability that its formula needs. Never expanded.

    >>> from epstar.query import proposition_one
    >>> print(*proposition_one(individuals=2, values=2, level="log(2)").dense().rows[0])
    4/9 2/9 2/9 1/9
    """
    u = whole_number(individuals, "The number of individuals", 1)
    v = whole_number(values, "The number of values", 1)
    if u > _MOST_ANSWERS:
        raise InvalidInput(
            f"The probabilities are written out for at most {_MOST_ANSWERS} individuals; ask about fewer."
        )
    ratio = ratios(level).below
    alpha = (ratio / (v - 1 + ratio)) ** u
    weights = [alpha * math.comb(u, d) * ((v - 1) / ratio) ** d for d in range(u + 1)]
    return DistanceMechanism(Databases(v, u), weights)


def _small(answers: Answers) -> Shape:
    shape = answers_of(answers)
    _check_size(shape.size)
    return shape


def _check_size(size: int) -> None:
    if size > _MOST_ANSWERS:
        raise InvalidInput(f"The baselines are written out, for at most {_MOST_ANSWERS} answers; ask about fewer.")


def _by_distance(distances: Shape, ratio: Rational, alpha: Rational, graph: Graph) -> Mechanism:
    places = range(distances.size)
    rows = [[alpha * kernel_entry(distances, ratio, y, z) for z in places] for y in places]
    return Mechanism(rows, graph, graph.labels)
