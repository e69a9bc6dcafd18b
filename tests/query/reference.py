"""Reference numbers for queries, and a second way to compute small optima: the whole program in exact rationals."""

import json
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from epstar.exact import ONE, ZERO, Rational, rational
from epstar.exact_linear import LinearSystem, Optimum
from epstar.query import Query
from epstar.universe import Databases, Graph

DATA = Path(__file__).resolve().parents[1] / "data" / "alvim2011.json"


@cache
def reference() -> dict[str, Any]:
    """The reference file."""
    loaded: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return loaded


def vectors(kind: str) -> list[dict[str, Any]]:
    """The test vectors of one kind."""
    return [vector for vector in reference()["vectors"] if vector["kind"] == kind]


def best_gain(
    size: int,
    edges: Sequence[tuple[int, int]],
    ratio: Rational,
    prior: Sequence[Rational],
    gain: Sequence[Sequence[Rational]],
) -> Rational:
    """The largest expected gain of a mechanism with this ratio between neighbours, by exact simplex."""
    guesses = len(gain[0])
    columns = size * guesses
    rows = []
    for i, j in edges:
        for x, other in ((i, j), (j, i)):
            for z in range(guesses):
                row = [ZERO] * columns
                row[x * guesses + z], row[other * guesses + z] = ONE, -ratio
                rows.append(tuple(row))
    sums = [tuple(ONE if k // guesses == x else ZERO for k in range(columns)) for x in range(size)]
    system = LinearSystem(columns, tuple(rows), (ZERO,) * len(rows), tuple(sums), (ONE,) * size)
    found = system.maximise([prior[k // guesses] * gain[k // guesses][k % guesses] for k in range(columns)])
    assert isinstance(found, Optimum)
    return found.value


def identity(size: int) -> list[list[Rational]]:
    """The 0/1 gain."""
    return [[ONE if y == z else ZERO for z in range(size)] for y in range(size)]


def graph_of(vector: dict[str, Any]) -> Graph:
    """The graph of an optimal_utility vector."""
    return Graph(vector["n"], [tuple(edge) for edge in vector["edges"]])


def gain_of(vector: dict[str, Any], graph: Graph) -> list[list[Rational]]:
    """The gain of an optimal_utility vector, as the conventions of the file define it."""
    places = range(graph.size)
    distance = graph.distances.tolist()
    kinds: dict[str, Callable[[int, int], int]] = {
        "binary": lambda y, z: int(y == z),
        "minus_graph_distance": lambda y, z: -distance[y][z],
        "minus_squared_difference": lambda y, z: -((y - z) ** 2),
        "within_1": lambda y, z: int(abs(y - z) <= 1),
    }
    if vector["gain"] == "matrix":
        return [[rational(value) for value in row] for row in vector["gain_matrix"]]
    return [[Rational(kinds[vector["gain"]](y, z)) for z in places] for y in places]


def level_of(vector: dict[str, Any]) -> str:
    """The level of a vector, as it may stand in a problem file."""
    return f"log({vector['e_eps']})" if "e_eps" in vector else str(vector["eps"])


QUERIES: dict[str, Callable[[int, int], Query]] = {
    "count": lambda u, v: Query.named("count", u, v),
    "sum": lambda u, v: Query.named("sum", u, v),
    "max": lambda u, v: Query.named("max", u, v),
    "median_low": lambda u, v: Query.named("median", u, v),
    "distinct": lambda u, v: Query.named("distinct", u, v),
    "plurality_lex": lambda u, v: Query.named("plurality", u, v),
    "identity": lambda u, v: Query.named("identity", u, v),
    "summod4": lambda u, v: Query(lambda rows: sum(rows) % 4, Databases(v, u)),
    "summod5": lambda u, v: Query(lambda rows: sum(rows) % 5, Databases(v, u)),
    "and": lambda u, v: Query(lambda rows: int(all(rows)), Databases(v, u)),
}


def query_of(vector: dict[str, Any]) -> Query:
    """The query of a query_end_to_end vector."""
    return QUERIES[vector["query"]](vector["u"], vector["v"])
