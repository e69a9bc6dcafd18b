"""The instances on which the verdicts rest: stated grids, the paper's own examples and seeded random ones."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations
from random import Random

from epstar.exact import Rational, Real, rational
from epstar.mechanism import Mechanism
from epstar.query.answer_graph import Shape, shape_of
from epstar.query.baselines import circulant, constant_border
from epstar.query.known_graphs import HammingShape
from epstar.query.optimum import optimal_oblivious
from epstar.universe import Databases, Graph
from epstar_papers.theorem import Case

SIZES = ((1, 2), (1, 3), (1, 4), (2, 2), (2, 3), (3, 2))
RATIOS = tuple(rational(ratio) for ratio in ("5/4", 2, 4))
TWO = Rational(2)


def at(individuals: int, values: int, ratio: object, **more: object) -> Case:
    """Return the question about u individuals with v values at ratio E."""
    return {"u": individuals, "v": values, "ratio": rational(ratio), **more}


def sizes() -> Iterator[Case]:
    """Yield small databases at three ratios."""
    return (at(u, v, ratio) for u, v in SIZES for ratio in RATIOS)


def distribution(random: Random, size: int, least: int = 0) -> tuple[Rational, ...]:
    """Return a random distribution with small denominators."""
    while True:
        weights = [random.randint(least, 9) for _ in range(size)]
        if sum(weights) > 0:
            return tuple(Rational(weight, sum(weights)) for weight in weights)


def channels(count: int, seed: int) -> Iterator[Case]:
    """Yield random channels, every other one with zeros, each with a random distribution of the input."""
    random = Random(seed)
    for number in range(count):
        inputs, outputs = random.randint(2, 4), random.randint(2, 4)
        rows = [distribution(random, outputs, number % 2) for _ in range(inputs)]
        yield {"mechanism": Mechanism(rows), "distribution": distribution(random, inputs)}


@lru_cache(maxsize=64)
def _extreme(shape: Shape, ratio: Rational, outputs: int, seed: int) -> Mechanism:
    random = Random(seed)
    gain = [[random.randint(0, 9) for _ in range(outputs)] for _ in range(shape.size)]
    found = optimal_oblivious(shape, Real.log(ratio), None, gain, method="program").mechanism.dense()
    universe = shape.databases if isinstance(shape, HammingShape) else shape.graph()
    return Mechanism(found.rows, universe)


def private_on_databases(count: int, seed: int) -> Iterator[Case]:
    """Yield private mechanisms on databases that are best for a random gain: extreme points."""
    for number in range(count):
        u, v = ((1, 2), (2, 2), (1, 3), (2, 3), (3, 2))[number % 5]
        ratio = RATIOS[number % 3]
        shape = HammingShape(Databases(v, u))
        yield at(u, v, ratio, mechanism=_extreme(shape, ratio, shape.size + number % 2, seed + number))


def private_on_circulants(count: int, seed: int) -> Iterator[Case]:
    """Yield private mechanisms on circulant graphs that are best for a random gain."""
    graphs = list(connected_circulants(range(3, 7)))
    for number in range(count):
        graph = graphs[number % len(graphs)]
        ratio = RATIOS[number % 3]
        mechanism = _extreme(shape_of(graph), ratio, graph.size, seed + number)
        yield {"graph": graph, "ratio": ratio, "mechanism": mechanism}


def connected_circulants(sizes_of_graphs: range) -> Iterator[Graph]:
    """Yield the connected circulant graphs with these numbers of nodes, one for each set of differences."""
    for size in sizes_of_graphs:
        half = size // 2
        for count in range(1, half + 1):
            for connections in combinations(range(1, half + 1), count):
                graph = circulant(Graph(size, []), connections)
                if graph.diameter is not None:
                    yield graph


def with_constant_borders(sizes_of_graphs: range) -> Iterator[Graph]:
    """Yield those that have the same number of nodes at every distance: the hypotheses of Theorem 4."""
    return (graph for graph in connected_circulants(sizes_of_graphs) if constant_border(graph) is not None)


def on_graphs(graphs: Iterator[Graph] | list[Graph], *ratios: object) -> Iterator[Case]:
    """Yield graphs at ratios."""
    return ({"graph": graph, "ratio": rational(ratio)} for graph in graphs for ratio in ratios)


def random_graph(random: Random, size: int) -> Graph:
    """Return a random connected graph: a random tree with further edges."""
    edges = {(random.randrange(node), node) for node in range(1, size)}
    edges |= {pair for pair in combinations(range(size), 2) if random.random() < 0.3}
    return Graph(size, sorted(edges))


def random_tree(random: Random, size: int) -> Graph:
    """Return a random tree."""
    return Graph(size, [(random.randrange(node), node) for node in range(1, size)])


def random_graphs(count: int, seed: int) -> Iterator[Case]:
    """Yield random connected graphs at random ratios, with random distributions."""
    random = Random(seed)
    for _ in range(count):
        graph = random_graph(random, random.randint(3, 6))
        yield {"graph": graph, "ratio": random.choice(RATIOS), "distribution": distribution(random, graph.size)}


def ranges() -> Iterator[Case]:
    """Yield databases with fewer outputs than databases, and as many."""
    for u, v in ((1, 2), (1, 3), (2, 2), (3, 2)):
        for r in range(1, min(v**u, 4) + 1):
            for ratio in ("5/4", 2, 4):
                if v**u < 8 or (r, ratio) in ((2, 2), (4, 2), (3, 4)):
                    yield at(u, v, ratio, r=r)
    yield at(2, 3, 2, r=3)
